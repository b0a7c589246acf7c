/* test/net/test_fault.c - endpoints on a bad network, in virtual time: test_fault [--messages N] [--seed N] [--cc PROTOCOL]
 *
 * Every message accepted arrives once and unchanged, or is reported failed, once; and each fault must have struck. N operations are
 * shared out over the tests; `./dev soak` runs a million. */
#include "test/unit/weir_test.h"
#include "test/net/world.h"
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)
#define MS_NS UINT64_C(1000000)

static uint64_t messages = 150000, seed = 20261;
static uint64_t delivered; /* by all tests */

/* A share of all operations, in hundredths. */
static uint32_t share(uint32_t percent)
{
    return (uint32_t)(messages * percent / 100);
}

static void finish(struct world *w, const char *what)
{
    world_check(w);
    world_print(w, what);
    delivered += w->delivered;
    world_free(w);
}

/* All traffic through a network of this kind, to its end. The second half finds warm endpoints. */
static struct world *through(const struct world_config *cfg)
{
    struct world *w = world_new(cfg);
    uint64_t warm;
    while (w->started < cfg->traffic.operations / 2)
        world_run_until(w, world_now_ns(w) + MS_NS);
    warm = world_allocations(w);
    world_run_all(w, (1000 + cfg->traffic.operations / 200) * SECOND_NS);
    assert_int_equal(w->ended, w->ops);
    assert_true(world_allocations(w) == warm || !world_reserves(w));
    return w;
}

static void without_faults_nothing_fails(void **state)
{
    struct world_config cfg = world_defaults(share(8), seed);
    struct world *w;
    (void)state;
    cfg.traffic.cancel_ppm = cfg.traffic.deadline_ppm = 0;
    w = through(&cfg);
    for (int r = 1; r < WORLD_RESULTS; r++)
        assert_int_equal(w->results[WORLD_SEND][r] + w->results[WORLD_CALL][r] + w->results[WORLD_REPLY][r], 0);
    assert_true(w->offers_used > 0);
    finish(w, "no fault");
}

static void with_loss(uint32_t ppm, uint32_t percent, const char *what)
{
    struct world_config cfg = world_defaults(share(percent), seed + ppm);
    struct world *w;
    struct weir_fault_stats f;
    cfg.fault.in.loss_ppm = ppm;
    w = through(&cfg);
    f = world_faults(w);
    assert_in_range(f.in.lost * 1000000 / (f.in.lost + f.in.passed), ppm * 8 / 10, ppm * 12 / 10);
    assert_true(w->cancels > 0);
    assert_true(w->results[WORLD_SEND][ECANCELED] > 0);
    assert_true(w->results[WORLD_CALL][ETIMEDOUT] > 0); /* their deadlines */
    finish(w, what);
}

static void one_percent_loss(void **state)
{
    (void)state;
    with_loss(10000, 20, "1 % loss");
}

static void ten_percent_loss(void **state)
{
    (void)state;
    with_loss(100000, 10, "10 % loss");
}

/* The endpoint knows no protocol: others than SIRD run as well. */
static void protocol_with_loss(const char *cc, uint32_t seconds, uint64_t own_seed, const char *what)
{
    struct world_config cfg = world_defaults(share(seconds), seed + own_seed);
    struct world *w;
    cfg.opts.cc = cc;
    cfg.fault.in.loss_ppm = 10000;
    w = through(&cfg);
    assert_true(world_faults(w).in.lost > 0);
    finish(w, what);
}

static void ndp_through_one_percent_loss(void **state)
{
    (void)state;
    protocol_with_loss("ndp window=64KB loss_timeout=10ms", 3, 5, "NDP, 1 % loss");
}

static void homa_through_one_percent_loss(void **state)
{
    (void)state;
    protocol_with_loss("homa unsched_max=64KB window=64KB loss_timeout=10ms", 3, 7, "Homa, 1 % loss");
}

/* Nothing drops credit here, so senders are limited by the link alone. */
static void expresspass_through_one_percent_loss(void **state)
{
    (void)state;
    protocol_with_loss("expresspass", 3, 11, "ExpressPass, 1 % loss");
}

static void reordering(void **state)
{
    struct world_config cfg = world_defaults(share(14), seed + 1);
    struct world *w;
    (void)state;
    cfg.fault.in = (struct weir_fault_path){ .hold_ppm = 50000, .hold_pkts = 20 };
    cfg.fault.hold_ns = 100000;
    w = through(&cfg);
    assert_true(world_faults(w).in.held > world_faults(w).in.passed / 40);
    finish(w, "reordering");
}

static void duplication(void **state)
{
    struct world_config cfg = world_defaults(share(14), seed + 2);
    struct world *w;
    (void)state;
    cfg.fault.in = cfg.fault.out = (struct weir_fault_path){ .copy_ppm = 100000, .hold_pkts = 50 };
    w = through(&cfg);
    assert_true(world_faults(w).in.copied > world_faults(w).in.passed / 20);
    finish(w, "duplication");
}

static void corruption(void **state)
{
    struct world_config cfg = world_defaults(share(14), seed + 3);
    uint64_t found = 0, refused = 0, corrupted;
    struct world *w;
    (void)state;
    cfg.opts.flags = WEIR_OPEN_CHECKED;
    cfg.fault.in.corrupt_ppm = 20000;
    w = through(&cfg);
    corrupted = world_faults(w).in.corrupted;
    for (uint32_t i = 0; i < cfg.endpoints; i++) {
        found += world_stats(w, i).checksum_errors;
        refused += world_stats(w, i).refused_packets; /* version or type changed; and what came before a lost READY */
    }
    assert_true(corrupted > 0);
    /* what switches may write is under no checksum */
    assert_true(found <= corrupted && found + refused >= (world_cc == NULL ? corrupted : corrupted * 9 / 10));
    assert_true(refused < corrupted / 2);
    finish(w, "corruption");
}

static void no_room_to_send(void **state)
{
    struct world_config cfg = world_defaults(share(8), seed + 4);
    uint64_t seen = 0;
    struct world *w;
    (void)state;
    cfg.fault.block_ppm = 5000;
    cfg.fault.block_ns = 100000;
    w = through(&cfg);
    for (uint32_t i = 0; i < cfg.endpoints; i++)
        seen += world_stats(w, i).send_blocked;
    assert_true(world_faults(w).blocks > 0 && seen >= world_faults(w).blocks);
    finish(w, "no room to send");
}

static void everything_at_once(void **state)
{
    struct world_config cfg = world_defaults(share(8), seed + 5);
    struct weir_fault_stats f;
    struct world *w;
    (void)state;
    cfg.opts.flags = WEIR_OPEN_CHECKED;
    cfg.fault.out = (struct weir_fault_path){ .loss_ppm = 5000, .copy_ppm = 20000, .hold_ppm = 20000, .hold_pkts = 30 };
    cfg.fault.in = (struct weir_fault_path){
        .loss_ppm = 5000, .copy_ppm = 20000, .hold_ppm = 20000, .hold_pkts = 30, .corrupt_ppm = 5000
    };
    cfg.fault.block_ppm = 2000;
    cfg.fault.block_ns = 50000;
    cfg.mem.queue_bytes = 150000; /* and a small switch */
    w = through(&cfg);
    f = world_faults(w);
    assert_true(f.in.lost > 0 && f.out.lost > 0 && f.in.copied > 0 && f.in.held > 0 && f.in.corrupted > 0 &&
                f.blocks > 0);
    finish(w, "everything at once");
}

/* Few records and little memory: operations are put off, and go on. */
static void little_room(void **state)
{
    struct world_config cfg = world_defaults(share(4), seed + 6);
    struct world *w;
    (void)state;
    cfg.opts.max_ops = 24;
    cfg.opts.tx_bytes = 256 << 10;
    cfg.opts.rx_bytes = 256 << 10;
    cfg.traffic.bytes_max = 60000;
    cfg.traffic.under_way = 64;
    /* a NO_ROOM and an old ACK may come together, both of a handle that a new message has */
    cfg.fault.in =
        (struct weir_fault_path){ .loss_ppm = 10000, .copy_ppm = 100000, .hold_ppm = 20000, .hold_pkts = 50 };
    w = through(&cfg);
    finish(w, "little room");
}

static uint32_t not_ended(const struct world *w, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->ops; i++) {
        const struct world_op *op = &w->op[i];
        n += !op->closed && op->events == 0 && op->from == a && op->to == b;
    }
    return n;
}

static struct world_config by_hand(uint32_t endpoints, uint64_t own_seed)
{
    struct world_config cfg = world_defaults(0, own_seed);
    cfg.endpoints = endpoints;
    cfg.traffic.copy_ppm = cfg.traffic.local_ppm = 0;
    cfg.traffic.answer_ns = 0;
    return cfg;
}

/* What there is in the way of business: long and short, both directions, and some that the peer has no part in. */
static void some_business(struct world *w)
{
    for (uint32_t n = 0; n < 10; n++) {
        (void)world_start(w, 0, 1, WORLD_SEND, 400000 + n, 0);
        (void)world_start(w, 0, 1, WORLD_CALL, 100 + n, 0);
        (void)world_start(w, 0, 1, WORLD_SEND, 5, 0);
        (void)world_start(w, 1, 0, WORLD_CALL, 300000 + n, 0);
        (void)world_start(w, 0, 2, WORLD_SEND, 300000 + n, 0);
        (void)world_start(w, 2, 0, WORLD_CALL, 20000 + n, 0);
    }
}

/* Then all is as if it had always been so. */
static void business_goes_on(struct world *w)
{
    uint64_t well[3];
    for (uint32_t kind = 0; kind < 3; kind++)
        well[kind] = w->results[kind][0];
    memset(w->allow, 0, sizeof(w->allow));
    some_business(w);
    world_run_all(w, 10 * SECOND_NS);
    assert_int_equal(w->results[WORLD_SEND][0] - well[WORLD_SEND], 30);
    assert_int_equal(w->results[WORLD_CALL][0] - well[WORLD_CALL], 30);
    assert_int_equal(w->results[WORLD_REPLY][0] - well[WORLD_REPLY], 30);
}

static uint64_t resets(const struct world *w)
{
    return w->results[WORLD_SEND][ECONNRESET] + w->results[WORLD_CALL][ECONNRESET] +
           w->results[WORLD_REPLY][ECONNRESET];
}

/* speaks_first: the new one opens a connection; else the old peer finds out by talking to it. */
static void restarted(bool speaks_first)
{
    struct world_config cfg = by_hand(3, seed + 7 + speaks_first);
    struct world *w = world_new(&cfg);
    uint32_t pending;
    some_business(w);
    world_run_until(w, world_now_ns(w) + MS_NS / 2);
    pending = not_ended(w, 0, 1);
    assert_in_range(pending, 5, 39); /* in the middle of it */
    w->allow[1] = WORLD_RESET;
    world_kill(w, 1);
    world_run_until(w, world_now_ns(w) + MS_NS);
    assert_in_range(not_ended(w, 0, 1), 5, pending + 10); /* silence alone ends nothing yet */
    pending = not_ended(w, 0, 1);
    world_restart(w, 1);
    if (speaks_first)
        (void)world_start(w, 1, 0, WORLD_SEND, 1000, 0);
    world_run_all(w, 10 * SECOND_NS);
    assert_int_equal(resets(w), pending);
    business_goes_on(w);
    finish(w, speaks_first ? "restarted, speaks first" : "restarted");
}

static void a_peer_restarts_and_is_found_out(void **state)
{
    (void)state;
    restarted(false);
}

static void a_peer_restarts_and_speaks_first(void **state)
{
    (void)state;
    restarted(true);
}

/* Under full traffic, again and again, with loss and copies of old datagrams about. */
static void a_peer_that_restarts_often(void **state)
{
    struct world_config cfg = world_defaults(share(5) + 4000, seed + 9);
    struct world *w;
    (void)state;
    cfg.fault.in = (struct weir_fault_path){ .loss_ppm = 10000, .copy_ppm = 50000, .hold_ppm = 20000, .hold_pkts = 40 };
    cfg.traffic.local_ppm = 0;
    w = world_new(&cfg);
    w->allow[1] = WORLD_RESET | WORLD_SILENT | WORLD_UNREACHABLE;
    for (int n = 0; n < 12; n++) {
        world_run_until(w, world_now_ns(w) + (uint64_t)(n + 1) * MS_NS / 2);
        world_kill(w, 1);
        if (n % 3 > 0)
            world_run_until(w, world_now_ns(w) + (uint64_t)n * n * MS_NS / 10);
        world_restart(w, 1);
    }
    world_run_all(w, (100 + cfg.traffic.operations / 200) * SECOND_NS);
    assert_true(resets(w) > 50);
    finish(w, "often restarted");
}

/* A close is a word: the peer's operations end at once, not after peer_timeout. */
static void a_peer_that_closes_says_so(void **state)
{
    struct world_config cfg = by_hand(3, seed + 10);
    struct world *w = world_new(&cfg);
    uint64_t closed_ns;
    (void)state;
    some_business(w);
    world_run_until(w, world_now_ns(w) + MS_NS / 2);
    assert_true(not_ended(w, 0, 1) > 0);
    w->allow[1] = WORLD_RESET;
    closed_ns = world_now_ns(w);
    world_close(w, 1);
    world_run_all(w, SECOND_NS);
    assert_true(resets(w) > 0);
    assert_true(world_now_ns(w) - closed_ns < 10 * MS_NS);
    world_restart(w, 1);
    business_goes_on(w);
    finish(w, "closed");
}

static void black_hole(uint64_t peer_timeout_s, bool survives, const char *what)
{
    struct world_config cfg = by_hand(3, seed + 11 + survives);
    struct world *w;
    uint64_t from_ns;
    uint32_t pending;
    cfg.opts.peer_timeout_ns = peer_timeout_s * SECOND_NS;
    w = world_new(&cfg);
    some_business(w);
    world_run_until(w, world_now_ns(w) + MS_NS / 2);
    from_ns = world_now_ns(w);
    pending = not_ended(w, 0, 1);
    assert_true(pending > 5 && not_ended(w, 1, 0) > 5);
    world_hole(w, 1, from_ns, from_ns + 30 * SECOND_NS);
    if (!survives)
        w->allow[1] = WORLD_SILENT;
    world_run_all(w, 100 * SECOND_NS);
    assert_true(world_faults(w).in.swallowed > 0 && world_faults(w).out.swallowed > 0);
    if (survives) {
        assert_true(world_now_ns(w) > from_ns + 30 * SECOND_NS);
    } else {
        assert_true(w->results[WORLD_SEND][ETIMEDOUT] > 0 && w->results[WORLD_CALL][ETIMEDOUT] > 0);
        assert_in_range(world_now_ns(w), from_ns + peer_timeout_s * SECOND_NS - MS_NS, /* it was heard just before */
                        from_ns + (peer_timeout_s + 2) * SECOND_NS);
        assert_int_equal(not_ended(w, 0, 1) + not_ended(w, 1, 0), 0);
        world_run_until(w, from_ns + 31 * SECOND_NS);
    }
    business_goes_on(w);
    finish(w, what);
}

static void a_black_hole_shorter_than_patience(void **state)
{
    (void)state;
    black_hole(60, true, "black hole of 30 s, patience of 60 s");
}

static void a_black_hole_longer_than_patience(void **state)
{
    (void)state;
    black_hole(20, false, "black hole of 30 s, patience of 20 s");
}

static void nobody_answers(void **state)
{
    struct world_config cfg = by_hand(3, seed + 13);
    struct world *w = world_new(&cfg);
    uint64_t begun_ns = world_now_ns(w);
    (void)state;
    world_kill(w, 1);
    w->allow[1] = WORLD_UNREACHABLE;
    (void)world_start(w, 0, 1, WORLD_SEND, 100, 0);
    (void)world_start(w, 0, 1, WORLD_CALL, 100000, 0);
    world_run_all(w, 100 * SECOND_NS);
    assert_int_equal(w->results[WORLD_SEND][EHOSTUNREACH], 1);
    assert_int_equal(w->results[WORLD_CALL][EHOSTUNREACH], 1);
    assert_in_range(world_now_ns(w) - begun_ns, 20 * SECOND_NS, 22 * SECOND_NS);
    world_restart(w, 1);
    business_goes_on(w);
    finish(w, "nobody answers");
}

static struct world *towards_one(uint64_t own_seed)
{
    struct world_config cfg = by_hand(4, own_seed);
    struct world *w;
    cfg.opts.rx_bytes = 1 << 20;
    cfg.traffic.bytes_max = 60000; /* of the answers */
    cfg.traffic.keep_leases = false;
    cfg.traffic.offers = false;
    w = world_new(&cfg);
    for (uint32_t n = 0; n < 300; n++)
        (void)world_start(w, n % 3 == 1 ? 3 : n % 3, 1, n % 2 ? WORLD_SEND : WORLD_CALL, 8 + n * 300, 0);
    return w;
}

/* The process stands still for 10 s: what it would not fetch is dropped and asked for again. */
static void a_receiver_that_does_not_poll(void **state)
{
    struct world *w = towards_one(seed + 14);
    (void)state;
    world_run_until(w, world_now_ns(w) + MS_NS);
    assert_true(w->ended < w->ops);
    w->end[1].asleep = true;
    world_run_until(w, world_now_ns(w) + 10 * SECOND_NS);
    w->end[1].asleep = false;
    assert_true(not_ended(w, 0, 1) > 0);
    assert_true(world_stats(w, 1).rx_bytes_held <= 1 << 20);
    world_run_all(w, 100 * SECOND_NS);
    assert_int_equal(w->results[WORLD_SEND][0], 150);
    assert_int_equal(w->results[WORLD_CALL][0], 150);
    finish(w, "does not poll");
}

/* The application takes what comes and gives nothing back, for longer than peer_timeout: that is no failure of the peer. */
static void a_receiver_that_keeps_everything(void **state)
{
    struct world *w = towards_one(seed + 15);
    (void)state;
    w->end[1].hoards = true;
    world_run_until(w, world_now_ns(w) + 50 * SECOND_NS);
    assert_true(not_ended(w, 0, 1) > 0);
    assert_true(world_stats(w, 1).no_memory > 0);
    assert_in_range(w->end[1].held_max_bytes, 1 << 19, 1 << 20);
    w->end[1].hoards = false;
    while (not_ended(w, 0, 1) + not_ended(w, 2, 1) + not_ended(w, 3, 1) > 0) {
        world_release(w, 1);
        world_run_until(w, world_now_ns(w) + MS_NS);
        assert_true(world_now_ns(w) < w->cfg.mem.start_ns + 100 * SECOND_NS);
    }
    assert_int_equal(w->results[WORLD_SEND][0], 150);
    assert_int_equal(w->results[WORLD_CALL][0], 150);
    finish(w, "keeps everything");
}

/* Stops as a server stops: takes nothing new, sees through what it has, closes. What it confirmed it has. */
static void a_peer_that_shuts_down_in_order(void **state)
{
    struct world_config cfg = world_defaults(share(4) + 10000, seed + 17);
    struct world *w;
    (void)state;
    cfg.fault.in.loss_ppm = 10000;
    cfg.traffic.offers = false;
    w = world_new(&cfg);
    world_run_until(w, world_now_ns(w) + 2 * MS_NS);
    assert_true(w->started < cfg.traffic.operations);
    w->allow[1] = WORLD_RESET;
    for (uint32_t i = 0; i < w->ops; i++) /* ended when it was submitted, and not accepted by its receiver yet */
        w->op[i].excused |= w->op[i].local && w->op[i].delivered == 0 && (w->op[i].from == 1 || w->op[i].to == 1);
    w->end[1].idle = true;
    assert_int_equal(weir_shutdown(w->end[1].ep), 0);
    while (world_stats(w, 1).ops_pending + world_stats(w, 1).events_pending + w->end[1].answers > 0) {
        world_run_until(w, world_now_ns(w) + MS_NS / 10);
        assert_true(world_now_ns(w) < cfg.mem.start_ns + 10 * SECOND_NS);
    }
    world_close(w, 1);
    w->end[1].idle = false;
    world_run_until(w, world_now_ns(w) + MS_NS);
    world_restart(w, 1);
    world_run_all(w, 100 * SECOND_NS);
    assert_true(resets(w) > 0);
    finish(w, "shut down in order");
}

static void a_peer_with_another_mtu(void **state)
{
    struct world_config cfg = by_hand(3, seed + 18);
    struct world *w = world_new(&cfg);
    (void)state;
    world_kill(w, 1);
    w->cfg.opts.mtu = 1400;
    world_restart(w, 1);
    w->allow[1] = WORLD_OTHER;
    some_business(w);
    world_run_all(w, 100 * SECOND_NS);
    assert_int_equal(w->results[WORLD_SEND][EPROTO], 20);
    assert_int_equal(w->results[WORLD_CALL][EPROTO], 20);
    assert_int_equal(w->results[WORLD_SEND][0] + w->results[WORLD_CALL][0], 20);
    finish(w, "another MTU");
}

/* Endpoint 1 with a megabyte for what arrives. */
static struct world *with_little_memory(uint64_t own_seed)
{
    struct world_config cfg = by_hand(3, own_seed);
    struct world *w;
    cfg.traffic.keep_leases = false; /* or it is soon all lent */
    cfg.traffic.offers = false;
    w = world_new(&cfg);
    world_kill(w, 1);
    w->cfg.opts.rx_bytes = 1 << 20;
    world_restart(w, 1);
    w->cfg.opts.rx_bytes = cfg.opts.rx_bytes;
    return w;
}

static void a_message_the_peer_will_never_take(void **state)
{
    struct world *w = with_little_memory(seed + 19);
    uint64_t begun_ns = world_now_ns(w);
    (void)state;
    w->allow[1] = WORLD_SIZE;
    (void)world_start(w, 0, 1, WORLD_SEND, 2000000, 0);
    (void)world_start(w, 0, 1, WORLD_CALL, 3000000, 0);
    world_run_all(w, SECOND_NS);
    assert_int_equal(w->results[WORLD_SEND][EMSGSIZE], 1);
    assert_int_equal(w->results[WORLD_CALL][EMSGSIZE], 1);
    assert_true(world_now_ns(w) - begun_ns < 100 * MS_NS);
    w->allow[1] = 0;
    (void)world_start(w, 0, 1, WORLD_SEND, 500000, 0);
    world_run_all(w, SECOND_NS);
    finish(w, "too large");
}

static void memory_for_one_message_at_a_time(void **state)
{
    struct world *w = with_little_memory(seed + 20);
    (void)state;
    for (uint32_t n = 0; n < 10; n++)
        (void)world_start(w, n % 2 * 2, 1, WORLD_SEND, 400000 + n, 0);
    world_run_all(w, 30 * SECOND_NS);
    assert_true(world_stats(w, 1).no_memory > 0);
    finish(w, "memory for one");
}

/* Two endpoints that have just met, on a network that is bad to the first words too; often one of them dies. */
static void short_lives(void **state)
{
    static const uint32_t chance[] = { 0, 10000, 100000, 300000 };
    uint64_t ended[WORLD_RESULTS] = { 0 };
    (void)state;
    for (uint32_t n = 0; n < 200; n++) {
        struct world_config cfg = by_hand(2, seed * 1000 + n);
        struct world *w;
        cfg.traffic.operations = 30;
        cfg.traffic.under_way = 10;
        cfg.traffic.cancel_ppm = 100000;
        cfg.traffic.deadline_ppm = 100000;
        cfg.traffic.deadline_ns = 50000000;
        if (world_cc != NULL) /* to a sender, 30 % loss is congestion: it sends a packet now and then */
            cfg.traffic.bytes_max = 100000;
        cfg.fault.in = (struct weir_fault_path){
            .loss_ppm = chance[n % 4], .copy_ppm = chance[n / 4 % 4], .hold_ppm = chance[n / 16 % 4], .hold_pkts = 5
        };
        cfg.fault.hold_ns = n % 3 == 0 ? 60000000 : 100000; /* longer than a handshake is patient */
        w = world_new(&cfg);
        if (n % 2 == 0) {
            w->allow[n / 2 % 2] = WORLD_RESET | WORLD_SILENT | WORLD_UNREACHABLE;
            world_run_until(w, world_now_ns(w) + n * MS_NS / 4);
            world_kill(w, n / 2 % 2);
            world_restart(w, n / 2 % 2);
        }
        world_run_all(w, 100 * SECOND_NS);
        world_check(w);
        for (uint32_t r = 0; r < WORLD_RESULTS; r++)
            ended[r] += w->results[WORLD_SEND][r] + w->results[WORLD_CALL][r];
        delivered += w->delivered;
        world_free(w);
    }
    print_message("short lives: %" PRIu64 " ended well, %" PRIu64 " cancelled, %" PRIu64 " out of time, %" PRIu64
                  " reset\n",
                  ended[0], ended[ECANCELED], ended[ETIMEDOUT], ended[ECONNRESET]);
    assert_true(ended[0] > 3000 && ended[ECANCELED] > 100 && ended[ETIMEDOUT] > 0 && ended[ECONNRESET] > 100);
}

static void clocks_jump(void **state)
{
    struct world_config cfg = world_defaults(share(5) + 2000, seed + 16);
    struct world *w;
    (void)state;
    cfg.fault.in.loss_ppm = 5000;
    w = world_new(&cfg);
    for (uint32_t n = 0; n < 6; n++) {
        int64_t by_ns = n % 2 == 0 ? 10 * (int64_t)SECOND_NS : -10 * (int64_t)SECOND_NS;
        world_run_until(w, world_now_ns(w) + 2 * MS_NS);
        world_jump(w, n / 2 % cfg.endpoints, by_ns);
    }
    world_run_until(w, world_now_ns(w) + 2 * MS_NS);
    world_jump(w, 3, -10 * (int64_t)SECOND_NS); /* before it ever jumped ahead */
    world_run_all(w, 100 * SECOND_NS);
    assert_int_equal(world_faults(w).jumps, 7);
    finish(w, "clocks jump");
}

/* Nine minutes, in each of which all endpoints have other tags. A third of the reports is lost, and for three minutes all of them. */
static void tags_change(void **state)
{
    struct world_config cfg = world_defaults(0, seed + 17);
    struct world *w;
    (void)state;
    cfg.traffic.cancel_ppm = cfg.traffic.deadline_ppm = 0;
    w = world_new(&cfg);
    for (uint32_t n = 0; n < 9; n++) {
        struct weir_fault_config fault = { .in = { .loss_ppm = 5000, .hold_ppm = 5000, .copy_ppm = 5000 } };
        w->cfg.traffic.operations = w->started + 100;
        world_run_all(w, 50 * SECOND_NS);
        world_run_until(w, world_now_ns(w) + 2 * SECOND_NS);    /* the last acknowledgements, too */
        fault.in.loss_ppm = n >= 4 && n < 7 ? 1000000 : 330000; /* while all are idle */
        for (uint32_t i = 0; i < cfg.endpoints; i++)
            weir_fault_set(w->end[i].net, &fault);
        world_run_until(w, cfg.mem.start_ns + (n + 1) * 60 * SECOND_NS - SECOND_NS);
        fault.in.loss_ppm = 5000;
        for (uint32_t i = 0; i < cfg.endpoints; i++)
            weir_fault_set(w->end[i].net, &fault);
    }
    for (uint32_t i = 0; i < cfg.endpoints; i++)
        assert_int_equal(world_stats(w, i).resets, 0);
    finish(w, "tags change");
}

static void a_port_in_use(void **state)
{
    struct weir_opts opts = { .size = sizeof(opts), .bind = "127.0.0.1:0" };
    struct sockaddr_in addr;
    socklen_t length = sizeof(addr);
    char bind[64];
    struct weir_ep *first, *second;
    (void)state;
    assert_int_equal(weir_open(&first, &opts), 0);
    assert_int_equal(weir_address(first, (struct sockaddr *)&addr, &length), 0);
    (void)snprintf(bind, sizeof(bind), "127.0.0.1:%u", ntohs(addr.sin_port));
    opts.bind = bind;
    assert_int_equal(weir_open(&second, &opts), -EADDRINUSE);
    assert_null(second);
    assert_non_null(strstr(weir_open_error(), bind));
    opts.flags = WEIR_OPEN_SHARED; /* both must say so */
    assert_int_equal(weir_open(&second, &opts), -EADDRINUSE);
    assert_int_equal(weir_close(first), 0);
    assert_int_equal(weir_open(&first, &opts), 0);
    assert_int_equal(weir_open(&second, &opts), 0);
    assert_string_equal(weir_open_error(), "");
    assert_int_equal(weir_close(first), 0);
    assert_int_equal(weir_close(second), 0);
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return false;
        if (strcmp(argv[i], "--messages") == 0)
            messages = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--cc") == 0)
            world_cc = argv[i + 1];
        else
            return false;
    }
    return messages >= 20000 && messages <= 100000000;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_faults_nothing_fails),
        cmocka_unit_test(one_percent_loss),
        cmocka_unit_test(ten_percent_loss),
        cmocka_unit_test(ndp_through_one_percent_loss),
        cmocka_unit_test(homa_through_one_percent_loss),
        cmocka_unit_test(expresspass_through_one_percent_loss),
        cmocka_unit_test(reordering),
        cmocka_unit_test(duplication),
        cmocka_unit_test(corruption),
        cmocka_unit_test(no_room_to_send),
        cmocka_unit_test(everything_at_once),
        cmocka_unit_test(little_room),
        cmocka_unit_test(a_peer_restarts_and_is_found_out),
        cmocka_unit_test(a_peer_restarts_and_speaks_first),
        cmocka_unit_test(a_peer_that_restarts_often),
        cmocka_unit_test(a_peer_that_closes_says_so),
        cmocka_unit_test(a_black_hole_shorter_than_patience),
        cmocka_unit_test(a_black_hole_longer_than_patience),
        cmocka_unit_test(nobody_answers),
        cmocka_unit_test(a_receiver_that_does_not_poll),
        cmocka_unit_test(a_receiver_that_keeps_everything),
        cmocka_unit_test(a_peer_that_shuts_down_in_order),
        cmocka_unit_test(a_peer_with_another_mtu),
        cmocka_unit_test(a_message_the_peer_will_never_take),
        cmocka_unit_test(memory_for_one_message_at_a_time),
        cmocka_unit_test(short_lives),
        cmocka_unit_test(clocks_jump),
        cmocka_unit_test(tags_change),
        cmocka_unit_test(a_port_in_use),
    };
    int failed;
    if (!parse(argc, argv)) {
        (void)fprintf(stderr, "usage: test_fault [--messages 20000..100000000] [--seed N] [--cc PROTOCOL]\n");
        return 2;
    }
    print_message("seed %" PRIu64 "\n", seed);
    failed = cmocka_run_group_tests_name("driver/fault", tests, NULL, NULL);
    print_message("%" PRIu64 " messages arrived, each with its hash\n", delivered);
    return failed;
}
