/* test/net/world.c - see world.h: opens, lets time pass, ends. */
#include "test/unit/weir_test.h"
#include "test/net/app.h"
#include "core/rng.h"
#include "test/unit/endpoint/internals.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, SPINS = 64, SPIN_NS = 1000 };
#define SETTLE_NS UINT64_C(3000000000)

const char *world_cc;

struct world_config world_defaults(uint32_t operations, uint64_t seed)
{
    return (struct world_config){
        .mem = { .delay_ns = 5000,
                 .rate_bps = 10000000000,
                 .queue_bytes = 1 << 20,
                 .mark_bytes = 60000,
                 .start_ns = 1000000000000 },
        .opts = { .size = sizeof(struct weir_opts),
                  .cc = world_cc,
                  .path = "gate", /* what protocols need of switches, the network of memory leaves out */
                  .base_rtt_ns = 20000,
                  .rx_bytes = 64 << 20,
                  .tx_bytes = 16 << 20,
                  .max_ops = 1024, /* by itself 32 MB, which malloc fills under test */
                  .max_peers = 64 },
        .fault = { .seed = seed },
        .traffic = { .operations = operations,
                     .under_way = 24,
                     .call_ppm = 400000,
                     .cancel_ppm = 30000,
                     .deadline_ppm = 30000,
                     .copy_ppm = 300000,
                     .local_ppm = 100000,
                     .deadline_ns = 200000,
                     .answer_ns = 200000,
                     .bytes_max = 4000000,
                     .offers = true,
                     .keep_leases = true },
        .endpoints = 4,
        .seed = seed,
    };
}

static void open_end(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    struct weir_net_addr addr = mem_addr(i + 1, WORLD_PORT);
    struct weir_fault_config fault = w->cfg.fault;
    struct weir_err err = { 0 };
    e->incarnation++;
    fault.seed = w->cfg.seed * 1000 + i * 100 + e->incarnation;
    assert_int_equal(mem_plug(w->mem, &addr, &e->port), 0);
    assert_int_equal(weir_fault_wrap(&e->net, e->port, &fault, &err), 0);
    if (weir_ep_open_net(&e->ep, &w->cfg.opts, e->net, fault.seed + 1, &err) != 0)
        fail_msg("%s (%s)", err.text, err.hint);
    e->blocked = false;
    e->jump_ns = 0;
    for (uint32_t n = 0; n < w->cfg.endpoints; n++) {
        struct weir_net_addr to = mem_addr(n + 1, WORLD_PORT);
        struct sockaddr_storage sa;
        socklen_t length = weir_net_addr_to(&to, &sa);
        if (n != i)
            assert_int_equal(weir_peer_get(e->ep, (struct sockaddr *)&sa, length, &e->peer[n]), 0);
    }
}

static void fill_pool(struct world *w)
{
    struct weir_rng rng = { .key = weir_rng_key(w->cfg.seed, 1, WEIR_RNG_TEST, 0) };
    for (uint32_t i = 0; i < WORLD_POOL_BYTES; i += 8) {
        uint64_t word = weir_rng_next(&rng);
        memcpy(w->pool + i, &word, 8);
    }
}

struct world *world_new(const struct world_config *cfg)
{
    struct world *w = calloc(1, sizeof(*w));
    assert_non_null(w);
    assert_in_range(cfg->endpoints, 2, WORLD_EPS_MAX);
    w->cfg = *cfg;
    w->ops_max = 2 * cfg->traffic.operations + 100000; /* replies, and what tests start by hand */
    w->op = calloc(w->ops_max, sizeof(*w->op));
    w->pool = malloc(WORLD_POOL_BYTES);
    w->rng = malloc(sizeof(*w->rng));
    w->mem = mem_new(&cfg->mem);
    assert_true(w->op != NULL && w->pool != NULL && w->rng != NULL && w->mem != NULL);
    *w->rng = (struct weir_rng){ .key = weir_rng_key(cfg->seed, 0, WEIR_RNG_TEST, 0) };
    fill_pool(w);
    for (uint32_t i = 0; i < cfg->endpoints; i++) {
        for (uint32_t n = 0; n < WORLD_OFFERS; n++) {
            w->end[i].offer[n] = malloc(WORLD_OFFER_BYTES);
            assert_non_null(w->end[i].offer[n]);
        }
        open_end(w, i);
    }
    return w;
}

uint64_t world_now_ns(const struct world *w)
{
    return mem_now_ns(w->mem);
}

struct weir_stats world_stats(const struct world *w, uint32_t i)
{
    struct weir_stats stats = { .size = sizeof(stats) };
    assert_int_equal(weir_stats(w->end[i].ep, &stats), 0);
    return stats;
}

uint64_t world_allocations(const struct world *w)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < w->cfg.endpoints; i++)
        sum += world_stats(w, i).allocations;
    return sum;
}

bool world_reserves(const struct world *w)
{
    return w->end[0].ep->rx.arena.bytes > 0;
}

/* The endpoint's deadline on the world's clock. */
static uint64_t deadline_ns(const struct world_ep *e)
{
    uint64_t at_ns = weir_deadline(e->ep);
    if (at_ns == UINT64_MAX || at_ns == 0)
        return at_ns;
    if (e->jump_ns > 0 && at_ns < (uint64_t)e->jump_ns)
        return 0;
    return at_ns - (uint64_t)e->jump_ns;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* When this endpoint must be polled. */
static uint64_t next_ns(const struct world *w, uint32_t i)
{
    const struct world_ep *e = &w->end[i];
    uint64_t at_ns;
    if (e->ep == NULL || e->asleep)
        return UINT64_MAX;
    at_ns = earlier(mem_next_ns(e->port), deadline_ns(e));
    at_ns = earlier(at_ns, weir_fault_due_ns(e->net));
    at_ns = earlier(at_ns, app_next_ns(w, i));
    return at_ns;
}

/* @return whether anything happened */
static bool poll_end(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    struct weir_event event[BATCH];
    int n = weir_poll(e->ep, event, BATCH, 0);
    if (n < 0)
        fail_msg("weir_poll() of %" PRIu32 " says %d", i, n);
    for (int k = 0; k < n; k++)
        app_event(w, i, &event[k]);
    return app_work(w, i) || n > 0;
}

static void watch_memory(struct world *w, uint32_t i)
{
    struct weir_stats stats = world_stats(w, i);
    if (stats.rx_bytes_held > w->end[i].held_max_bytes)
        w->end[i].held_max_bytes = stats.rx_bytes_held;
    assert_true(stats.rx_bytes_held <= w->cfg.opts.rx_bytes);
    assert_true(stats.tx_bytes_held <= w->cfg.opts.tx_bytes);
}

/* Polls one endpoint as often as it has something to do at this instant. */
static void run_end(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    uint32_t spins = 0;
    while (poll_end(w, i) || next_ns(w, i) <= world_now_ns(w)) {
        if (++spins < SPINS)
            continue;
        e->spins++; /* it would be busy until its time comes; so is the world */
        e->again_ns = world_now_ns(w) + SPIN_NS;
        break;
    }
    watch_memory(w, i);
}

static uint64_t step_ns(const struct world *w)
{
    uint64_t at_ns = UINT64_MAX;
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        uint64_t end_ns = next_ns(w, i);
        if (end_ns < w->end[i].again_ns)
            end_ns = w->end[i].again_ns;
        at_ns = earlier(at_ns, end_ns);
    }
    return at_ns;
}

static void run_due(struct world *w)
{
    for (uint32_t i = 0; i < w->cfg.endpoints; i++)
        if (w->end[i].again_ns <= world_now_ns(w) && next_ns(w, i) <= world_now_ns(w))
            run_end(w, i);
}

static void begin_traffic(struct world *w)
{
    for (uint32_t i = 0; i < w->cfg.endpoints; i++)
        if (w->end[i].ep != NULL && !w->end[i].asleep)
            run_end(w, i);
}

void world_run_until(struct world *w, uint64_t at_ns)
{
    begin_traffic(w);
    for (uint64_t next = step_ns(w); next <= at_ns; next = step_ns(w)) {
        mem_advance(w->mem, next);
        run_due(w);
    }
    mem_advance(w->mem, at_ns);
}

static void tell_stuck(const struct world *w)
{
    for (uint32_t i = 0, told = 0; i < w->ops && told < 10; i++) {
        const struct world_op *op = &w->op[i];
        if (op->events > 0 || op->closed)
            continue;
        told++;
        print_message("%" PRIu32 " (kind %u) of %" PRIu64 " bytes from %u to %u since %" PRIu64
                      " ns, delivered %u, cancelled %d\n",
                      i, op->kind, op->len, op->from, op->to, op->begun_ns, op->delivered, op->cancelled);
    }
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        struct weir_stats s = { 0 };
        if (w->end[i].ep == NULL)
            continue;
        s = world_stats(w, i);
        print_message("%" PRIu32 ": under way %" PRIu32 ", blocked %d, ops pending %" PRIu64 ", rx held %" PRIu64
                      ", tx held %" PRIu64 ", no memory %" PRIu64 ", next in %" PRId64 " ns, spins %" PRIu64 "\n",
                      i, w->end[i].under_way, w->end[i].blocked, s.ops_pending, s.rx_bytes_held, s.tx_bytes_held,
                      s.no_memory, (int64_t)(next_ns(w, i) - world_now_ns(w)), w->end[i].spins);
    }
}

static bool all_ended(const struct world *w)
{
    if (w->started < w->cfg.traffic.operations || w->ended + w->closed < w->ops)
        return false;
    for (uint32_t i = 0; i < w->cfg.endpoints; i++)
        if (w->end[i].ep != NULL && w->end[i].answers > 0)
            return false;
    return true;
}

void world_run_all(struct world *w, uint64_t limit_ns)
{
    uint64_t end_ns = world_now_ns(w) + limit_ns;
    begin_traffic(w);
    while (!all_ended(w)) {
        uint64_t next = step_ns(w);
        if (next > end_ns) {
            world_print(w, "stuck");
            tell_stuck(w);
            fail_msg("at %" PRIu64 " ns %s", world_now_ns(w),
                     next == UINT64_MAX ? "nothing will ever happen again" : "it takes too long");
        }
        mem_advance(w->mem, next);
        run_due(w);
    }
}

static void close_end(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    assert_int_equal(weir_close(e->ep), 0);
    e->ep = NULL;
    e->leases = 0;
    e->answers = 0;
    memset(e->offered, 0, sizeof(e->offered));
}

/* What its transport had told it is taken, then it is gone. */
static void last_events(struct world *w, uint32_t i)
{
    struct world_ep *e = &w->end[i];
    struct weir_event event[BATCH];
    for (int n = 1; n > 0;) {
        n = weir_poll(e->ep, event, BATCH, 0);
        for (int k = 0; k < n; k++)
            app_event(w, i, &event[k]);
    }
}

void world_close(struct world *w, uint32_t i)
{
    last_events(w, i);
    close_end(w, i);
    ledger_close(w, i);
}

void world_release(struct world *w, uint32_t i)
{
    app_release_all(w, i);
}

void world_kill(struct world *w, uint32_t i)
{
    last_events(w, i);
    mem_unplug(w->end[i].port); /* and what close says is not heard */
    close_end(w, i);
    ledger_close(w, i);
}

void world_restart(struct world *w, uint32_t i)
{
    open_end(w, i);
}

void world_jump(struct world *w, uint32_t i, int64_t by_ns)
{
    w->end[i].jump_ns += by_ns;
    w->end[i].jumped = true;
    weir_fault_jump(w->end[i].net, by_ns);
}

void world_hole(struct world *w, uint32_t i, uint64_t from_ns, uint64_t until_ns)
{
    weir_fault_hole(w->end[i].net, from_ns, until_ns);
}

static void add_counts(struct weir_fault_counts *to, const struct weir_fault_counts *c)
{
    to->passed += c->passed;
    to->lost += c->lost;
    to->copied += c->copied;
    to->held += c->held;
    to->corrupted += c->corrupted;
    to->swallowed += c->swallowed;
    to->crowded += c->crowded;
}

struct weir_fault_stats world_faults(const struct world *w)
{
    struct weir_fault_stats sum = { 0 };
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        const struct weir_fault_stats *s;
        if (w->end[i].ep == NULL)
            continue;
        s = weir_fault_stats(w->end[i].net);
        add_counts(&sum.out, &s->out);
        add_counts(&sum.in, &s->in);
        sum.blocks += s->blocks;
        sum.blocked_calls += s->blocked_calls;
        sum.jumps += s->jumps;
    }
    return sum;
}

/* Nothing is held for anybody any more. */
static void check_idle(const struct world *w, uint32_t i)
{
    struct weir_stats s = world_stats(w, i);
    assert_int_equal(s.ops_pending, 0);
    assert_int_equal(s.events_pending, 0);
    assert_int_equal(s.rx_bytes_held, w->end[i].ep->msg_block_bytes); /* records are kept */
    assert_int_equal(s.tx_bytes_held, 0);
    assert_int_equal(s.credit_outstanding_bytes, 0);
}

void world_check(struct world *w)
{
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        if (w->end[i].ep == NULL)
            continue;
        app_end_offers(w, i);
        app_release_all(w, i);
        w->end[i].hoards = false;
    }
    w->cfg.traffic.keep_leases = false;
    world_run_until(w, world_now_ns(w) + SETTLE_NS);
    for (uint32_t i = 0; i < w->cfg.endpoints; i++)
        if (w->end[i].ep != NULL) {
            app_release_all(w, i);
            check_idle(w, i);
        }
    ledger_check(w);
}

static void print_results(const struct world *w)
{
    static const char *const kind_name[] = { "sends", "calls", "replies" };
    for (uint32_t kind = 0; kind < 3; kind++)
        for (uint32_t r = 0; r < WORLD_RESULTS; r++)
            if (w->results[kind][r] > 0)
                print_message("  %s ended with %s: %" PRIu64 "\n", kind_name[kind],
                              r == 0 ? "success" : weir_strerror(-(int)r), w->results[kind][r]);
}

void world_print(const struct world *w, const char *what)
{
    struct weir_fault_stats f = world_faults(w);
    const struct mem_stats *m = mem_stats(w->mem);
    uint64_t spins = 0, again = 0, twice = 0;
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        struct weir_stats s = { 0 };
        if (w->end[i].ep != NULL)
            s = world_stats(w, i);
        again += s.retransmissions;
        twice += s.duplicates;
        spins += w->end[i].spins;
    }
    print_message("%s: %" PRIu32 " operations, %" PRIu64 " messages of %" PRIu64 " bytes came, %" PRIu64 " ms, %" PRIu64
                  " datagrams, %" PRIu64 " sent again, %" PRIu64 " came twice, %" PRIu64 " offers used, %" PRIu64
                  " cancels, %" PRIu64 " spins\n",
                  what, w->ops, w->delivered, w->delivered_bytes, (world_now_ns(w) - w->cfg.mem.start_ns) / 1000000,
                  m->sent, again, twice, w->offers_used, w->cancels, spins);
    print_message(
        "  faults: lost %" PRIu64 ", copied %" PRIu64 ", held %" PRIu64 ", corrupted %" PRIu64 ", swallowed %" PRIu64
        ", blocks %" PRIu64 ", jumps %" PRIu64 "; network: dropped %" PRIu64 ", marked %" PRIu64 "\n",
        f.out.lost + f.in.lost, f.out.copied + f.in.copied, f.out.held + f.in.held, f.out.corrupted + f.in.corrupted,
        f.out.swallowed + f.in.swallowed, f.blocks, f.jumps, m->dropped_queue + m->dropped_buffer, m->marked);
    print_results(w);
}

void world_free(struct world *w)
{
    for (uint32_t i = 0; i < w->cfg.endpoints; i++) {
        if (w->end[i].ep != NULL)
            close_end(w, i);
        for (uint32_t n = 0; n < WORLD_OFFERS; n++)
            free(w->end[i].offer[n]);
        free(w->end[i].answer);
        free(w->end[i].lease);
    }
    for (uint32_t i = 0; i < w->ops; i++)
        free(w->op[i].own);
    mem_free(w->mem);
    free(w->op);
    free(w->pool);
    free(w->rng);
    free(w);
}
