/* src/simulator/engine/skip.c - finds a state that has come back, and skips whole periods: doc/skip.md.
 *
 * A try cuts windows before the arrivals at one host, the probe. Its state is kept at the first cut, at the fourth, the
 * 16th and so on, and compared at each (Brent). When it has come back, the state of the whole network is kept, and
 * compared a period later. Then the calls of laws are noted for a period. One more period runs, in which samples of all
 * that are skipped are taken. Its end must be its beginning again, and is then moved on. */
#include "engine/skip.h"
#include "observe/observe.h"
#include "port/jobs_run.h"
#include "port/port.h"
#include "state/emit.h"
#include <stdlib.h>

enum { CUTS_MIN = 16, DOUBLED_MAX = 10 };       /* cuts of a first try; how often they are doubled */
enum { SHORTS_MAX = 8 };                        /* how often a wait for a message that ends is doubled */
enum { SIGN_PKTS = 64 };                        /* most packets that are looked at for a sign */
#define PERIODS_MIN 4                           /* fewer are not worth it */
#define SAMPLES_MAX ((uint64_t)1 << 20)         /* most samples that one repeat stands for */
#define BLIND_PS (WEIR_PS_PER_US)               /* the next cut where no arrival is known yet */
#define SHORT_PS (UINT64_C(5) * WEIR_PS_PER_US) /* least wait where a message ends soon */
/* Instructions that a node takes in a cut, and a field that is kept; those of a packet-hop that tries may take */
#define NODE_COST UINT64_C(600)
#define FIELD_COST UINT64_C(12)
#define HOP_COST UINT64_C(3)
#define COST_FIRST UINT64_C(300000)
#define COST_WAIT_PS (UINT64_C(50) * WEIR_PS_PER_US) /* wait where tries have cost too much */
#define FIRST_TRY_PS (UINT64_C(20) * WEIR_PS_PER_US) /* of a run, and after a time without packets */

/* Doubles the room of a list. @return false = no memory */
static bool list_grow(struct weir_state_list *list)
{
    size_t room = list->room == 0 ? 4096 : 2 * list->room;
    uint64_t *larger = realloc(list->at, room * sizeof(*larger));
    WEIR_ASSERT(list->count == list->room);
    if (larger == NULL)
        return false;
    list->at = larger;
    list->room = room;
    return true;
}

/* Returns the first unacknowledged packet of a connection: struct weir_state.una. */
static uint32_t skip_una(const void *ctx, uint32_t host, uint32_t conn)
{
    const struct sim_engine *e = ctx;
    WEIR_ASSERT(host < e->model->topo->host_count);
    return weir_host_una(e->host[host].h, conn);
}

bool weir_sim_skip_init(struct sim_engine *e)
{
    WEIR_ASSERT(e->skip == NULL && e->host != NULL);
    if (!e->model->skip)
        return true;
    e->skip = calloc(1, sizeof(*e->skip));
    if (e->skip == NULL)
        return false;
    e->skip->skipped = (struct weir_skipped){ .asked = true, .never = weir_sim_skip_why(e) };
    e->skip->state = (struct weir_state){ .grow = list_grow,
                                          .una = skip_una,
                                          .ctx = e,
                                          .has_delays = e->model->host.qdelay_unit_ps != 0,
                                          .without_times = e->options->skip_leaves_out != 0 };
    e->skip->next_ps = e->skip->skipped.never == NULL ? FIRST_TRY_PS : WEIR_NEVER;
    return true;
}

void weir_sim_skip_free(struct sim_engine *e)
{
    if (e->skip == NULL)
        return;
    free(e->skip->state.value.at);
    free(e->skip->state.sum.at);
    free(e->skip->sample);
    free(e->skip->skipped.stretch);
    free(e->skip);
    e->skip = NULL;
}

/* Returns when the next packet after now_ps arrives at a host, as far as is known; WEIR_NEVER = not known. */
static uint64_t arrival_after(const struct sim_host *host, uint64_t now_ps)
{
    const struct weir_pkt *p = sim_link_read(host->in, SIM_LANE_FIRST);
    WEIR_ASSERT(host->nics == NULL);
    if (!sim_fifo_is_made(host->in->write[SIM_LANE_FIRST]))
        return WEIR_NEVER;
    for (; p != host->in->write[SIM_LANE_FIRST]; p = sim_fifo_skip((struct weir_pkt *)(uintptr_t)p, 1))
        if (p->arrival_ps > now_ps)
            return p->arrival_ps;
    return WEIR_NEVER;
}

/* Tests for a sign that arrivals at a host repeat: of the packets on their way to it, the same come three times in the
 * same intervals. With fewer than three it is not known, and taken to be so. */
static bool shows_period(const struct sim_host *host)
{
    uint64_t at_ps[SIGN_PKTS], kind[SIGN_PKTS];
    uint32_t count = 0;
    WEIR_ASSERT(host->nics == NULL);
    for (struct weir_pkt *p = sim_link_read(host->in, SIM_LANE_FIRST);
         p != host->in->write[SIM_LANE_FIRST] && count < SIGN_PKTS; p = sim_fifo_skip(p, 1)) {
        at_ps[count] = p->arrival_ps;
        kind[count++] = (uint64_t)p->src << 32 | p->wire_bytes << 4 | p->kind;
    }
    for (uint32_t n = 1; 3 * n < count; n++) { /* n intervals, three times */
        uint32_t i = 0;
        while (i < 2 * n && kind[i] == kind[i + n] && at_ps[i + 1] - at_ps[i] == at_ps[i + n + 1] - at_ps[i + n])
            i++;
        if (i == 2 * n)
            return true;
    }
    return count < 4;
}

/* Returns the new payload that has arrived, and the packet-hops, so far. */
static void count_now(const struct sim_engine *e, uint64_t *bytes, uint64_t *hops)
{
    *bytes = *hops = 0;
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        *bytes += weir_host_stats(e->host[h].h)->rx_new_bytes;
    for (uint32_t t = 0; t < e->thread_count; t++)
        *hops += e->thread[t].hops;
}

/* Keeps the state at now_ps. */
static void keep(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    struct sim_skip *k = e->skip;
    WEIR_ASSERT(k->phase != SIM_SKIP_WAITS);
    weir_state_begin(&k->state, WEIR_STATE_KEEP, now_ps);
    weir_sim_skip_state(e);
    k->kept_ps = now_ps;
    k->kept_at = k->cuts;
    k->is_kept = k->state.unready == NULL;
    k->cost += FIELD_COST * (k->state.value.count + k->state.sum.count);
    k->outside_ps = outside_ps;
    count_now(e, &k->kept_bytes, &k->kept_hops);
}

/* Tests whether the tries since the last success, and so many cuts more, cost little compared with the packets so far,
 * those that were skipped included. */
static bool may_cut(const struct sim_engine *e, uint64_t cuts)
{
    uint64_t bytes, hops;
    count_now(e, &bytes, &hops);
    return e->skip->cost + cuts * NODE_COST * e->model->topo->node_count <= COST_FIRST + HOP_COST * hops;
}

/* Tests whether the state is the one that was kept. */
static bool is_back(struct sim_engine *e, uint64_t now_ps)
{
    struct sim_skip *k = e->skip;
    WEIR_ASSERT(now_ps > k->kept_ps);
    weir_state_begin(&k->state, WEIR_STATE_TEST, now_ps);
    weir_sim_skip_state(e);
    return weir_state_is_equal(&k->state);
}

/* ---- tries ---- */

/* Begins to wait for the next try, at at_ps. */
static void wait_until(struct sim_skip *k, uint64_t at_ps)
{
    WEIR_ASSERT(at_ps > 0);
    k->phase = SIM_SKIP_WAITS;
    k->next_ps = at_ps;
}

/* Returns how often what a try may take, and what it waits for, is doubled: after every second failure. */
static uint32_t doubled(const struct sim_skip *k)
{
    return k->failures < 2 * DOUBLED_MAX ? k->failures / 2 : DOUBLED_MAX;
}

/* Ends a try without success. The next one waits four times as long as this one took, or more. */
static void fail(struct sim_skip *k, uint64_t now_ps, const char *why)
{
    uint64_t lasted_ps = now_ps - k->began_ps;
    WEIR_ASSERT(k->phase != SIM_SKIP_WAITS);
    k->skipped.failed++;
    k->skipped.last = k->state.unready != NULL ? k->state.unready : why;
    wait_until(k, now_ps + weir_max_u64(4 * lasted_ps, BLIND_PS << doubled(k)));
    k->failures++;
}

/* Ends a try whose state repeats, but a message ends soon or something comes from outside: that is no failure. */
static void fall_short(struct sim_skip *k, uint64_t now_ps)
{
    WEIR_ASSERT(k->phase == SIM_SKIP_NOTES);
    k->skipped.last = "too few periods are left until a message ends or something comes from outside";
    wait_until(k, now_ps + (SHORT_PS << (k->shorts < SHORTS_MAX ? k->shorts : SHORTS_MAX)));
    k->shorts++;
}

/* Sets the next cut of a try: before the next arrival at the probe. */
static void seek_on(struct sim_engine *e, uint64_t now_ps)
{
    uint64_t at_ps = arrival_after(&e->host[e->skip->probe], now_ps);
    WEIR_ASSERT(e->skip->phase == SIM_SKIP_SEEKS);
    e->skip->next_ps = at_ps != WEIR_NEVER ? at_ps : now_ps + BLIND_PS;
}

/* Returns how many messages have begun and ended so far. */
static uint64_t messages_now(const struct sim_engine *e)
{
    uint64_t messages = 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        messages += e->account.shard[t].started + e->account.shard[t].finished;
    return messages;
}

/* Begins a try, if a packet is on its way to some host. The probe is the next such host from the last one on. */
static void begin(struct sim_engine *e, uint64_t now_ps)
{
    struct sim_skip *k = e->skip;
    uint32_t hosts = e->model->topo->host_count, tried = 0;
    WEIR_ASSERT(k->phase == SIM_SKIP_WAITS);
    k->cost += NODE_COST * e->model->topo->node_count;
    while (tried < hosts && (arrival_after(&e->host[(k->probe + tried) % hosts], now_ps) == WEIR_NEVER ||
                             !shows_period(&e->host[(k->probe + tried) % hosts])))
        tried++;
    if (tried == hosts || !may_cut(e, CUTS_MIN)) {
        wait_until(k, now_ps + (tried == hosts ? FIRST_TRY_PS : COST_WAIT_PS));
        return;
    }
    k->probe = (k->probe + tried) % hosts;
    if (messages_now(e) != k->messages) /* another state, which may come back sooner */
        k->failures = 0;
    k->messages = messages_now(e);
    k->phase = SIM_SKIP_SEEKS;
    k->began_ps = now_ps;
    k->cuts = k->kept_at = 0;
    k->is_kept = k->is_whole = false;
    k->most_cuts = (uint64_t)CUTS_MIN << doubled(k);
    k->skipped.tries++;
    seek_on(e, now_ps);
}

/* ---- a repeat ---- */

static int compare_samples(const void *a, const void *b)
{
    const struct sim_skip_sample *x = a, *y = b;
    return x->at_ps < y->at_ps ? -1 : x->at_ps > y->at_ps;
}

/* Returns the first sample at or after at_ps. */
static uint64_t sample_from(const struct weir_model *m, uint64_t at_ps)
{
    WEIR_ASSERT(m->sample_ps > 0);
    if (at_ps <= m->warmup_ps)
        return m->warmup_ps;
    return m->warmup_ps + (at_ps - m->warmup_ps + m->sample_ps - 1) / m->sample_ps * m->sample_ps;
}

/* Fills k->sample: the samples of all k->periods periods from kept_ps on, each at its phase in the first of them.
 * @return false = no memory */
static bool plan_samples(struct sim_engine *e)
{
    struct sim_skip *k = e->skip;
    uint64_t every_ps = e->model->sample_ps, end_ps = k->kept_ps + k->periods * k->period_ps;
    uint64_t first_ps = sample_from(e->model, k->kept_ps);
    size_t count = first_ps < end_ps ? (size_t)((end_ps - 1 - first_ps) / every_ps + 1) : 0, used = 0;
    WEIR_ASSERT(k->period_ps > 0 && k->periods > 0);
    if (count > k->sample_room) {
        struct sim_skip_sample *larger = realloc(k->sample, count * sizeof(*larger));
        if (larger == NULL)
            return false;
        k->sample = larger;
        k->sample_room = count;
    }
    for (size_t i = 0; i < count; i++)
        k->sample[i] =
            (struct sim_skip_sample){ k->kept_ps + (first_ps + i * every_ps - k->kept_ps) % k->period_ps, 1 };
    if (count > 0)
        qsort(k->sample, count, sizeof(*k->sample), compare_samples);
    for (size_t i = 0; i < count; i++)
        if (used > 0 && k->sample[used - 1].at_ps == k->sample[i].at_ps)
            k->sample[used - 1].times++;
        else
            k->sample[used++] = k->sample[i];
    k->sample_count = used;
    for (uint32_t t = 0; t < e->thread_count; t++) {
        e->thread[t].sample_count += count;
        weir_sim_sample_rest(&e->thread[t], k->kept_ps);
        if (!e->samples_apart)
            e->thread[t].next_sample_ps = WEIR_NEVER;
    }
    for (uint32_t i = 0; i < e->model->topo->switch_count; i++)
        e->sw[i].sample_ps = used > 0 ? k->sample[0].at_ps : WEIR_NEVER;
    return true;
}

/* Notes the laws for one more period, since the state has come back at now_ps. */
static void found(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    struct sim_skip *k = e->skip;
    WEIR_ASSERT(k->is_whole && k->phase == SIM_SKIP_SEEKS);
    k->period_ps = now_ps - k->kept_ps;
    keep(e, now_ps, outside_ps);
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        if (!weir_host_note(e->host[h].h, true))
            k->state.out_of_memory = true;
    k->phase = SIM_SKIP_NOTES;
    k->next_ps = now_ps + k->period_ps;
}

/* Returns how many periods follow that are like the one just noted, before something comes from outside, a message
 * ends, or a law answers otherwise. */
static uint64_t periods_from(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    const struct sim_skip *k = e->skip;
    uint64_t periods = k->state.periods;
    WEIR_ASSERT(k->period_ps > 0);
    if (outside_ps != WEIR_NEVER)
        periods = weir_min_u64(periods, (outside_ps - now_ps) / k->period_ps);
    periods = weir_min_u64(periods, SAMPLES_MAX * e->model->sample_ps / k->period_ps);
    for (uint32_t h = 0; periods >= PERIODS_MIN && h < e->model->topo->host_count; h++)
        periods = weir_host_replay(e->host[h].h, 1, periods, k->period_ps, false);
    return periods;
}

/* Ends the noted period at now_ps. If its end is its beginning again, lets one period run that stands for all that
 * follow. */
static void noted(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    struct sim_skip *k = e->skip;
    uint64_t bytes, hops;
    bool back = now_ps < k->outside_ps && is_back(e, now_ps);
    WEIR_ASSERT(now_ps == k->kept_ps + k->period_ps);
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        (void)weir_host_note(e->host[h].h, false);
    count_now(e, &bytes, &hops);
    if (back && bytes == k->kept_bytes) { /* without progress it may be a stall, which must be found as before */
        fail(k, now_ps, "nothing arrives for the first time");
        return;
    }
    if (!back) {
        fail(k, now_ps, "it came back once only");
        return;
    }
    k->periods = periods_from(e, now_ps, outside_ps);
    if (k->periods < PERIODS_MIN && k->state.periods >= PERIODS_MIN &&
        outside_ps - now_ps >= PERIODS_MIN * k->period_ps) {
        fail(k, now_ps, "a law changes its window or rate, or a paced connection has one packet in flight at most");
        return;
    }
    if (k->periods < PERIODS_MIN) {
        fall_short(k, now_ps);
        return;
    }
    keep(e, now_ps, outside_ps);
    if (!plan_samples(e)) {
        k->state.out_of_memory = true;
        return;
    }
    k->phase = SIM_SKIP_REPEATS;
    k->next_ps = now_ps + k->period_ps;
}

/* Lets all threads go on at now_ps, where every node has to be looked at. */
static void land(struct sim_engine *e, uint64_t now_ps)
{
    WEIR_ASSERT(e->ranks == NULL);
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        struct sim_window *s = &th->window;
        for (uint32_t g = 0; g < SIM_GROUPS; g++) {
            th->due_ps[g] = s->group_due_ps[g] = s->clock_ps[g] = now_ps;
            if (th->group_end[g] == (g == 0 ? 0 : th->group_end[g - 1]))
                th->due_ps[g] = WEIR_NEVER;
        }
        s->due_ps = now_ps;
        s->passed_ps = now_ps;
        s->next_tick_ps = weir_max_u64(s->next_tick_ps, (now_ps + e->tick_ps - 1) / e->tick_ps * e->tick_ps);
        if (!e->samples_apart)
            th->next_sample_ps = sample_from(e->model, now_ps);
    }
    for (uint32_t i = 0; i < e->model->topo->switch_count; i++)
        e->sw[i].sample_ps = e->samples_apart ? sample_from(e->model, now_ps) : WEIR_NEVER;
    for (uint32_t n = 0; n < e->model->topo->node_count; n++)
        e->due_ps[n] = now_ps;
    for (uint32_t b = 0; b < e->block_count; b++)
        e->block_due_ps[b] = now_ps;
    for (size_t i = 0; i < (size_t)e->model->topo->node_count * e->own * 2; i++)
        e->wake[i] = WEIR_NEVER;
    for (size_t i = 0; i < (size_t)e->block_count * e->own * 2; i++)
        e->block_wake[i] = WEIR_NEVER;
}

/* Notes a stretch that was skipped; only its sums if there are too many, or is no memory. */
static void note(struct weir_skipped *s, uint64_t from_ps, uint64_t to_ps, uint64_t periods, uint64_t hops)
{
    WEIR_ASSERT(to_ps >= from_ps && s->stretch_count <= s->stretch_room);
    s->stretches++;
    s->skipped_ps += to_ps - from_ps;
    s->packet_hops += hops;
    s->last = NULL;
    if (s->stretch_count == s->stretch_room && s->stretch_room < WEIR_SKIPS_MAX) {
        size_t room = s->stretch_room == 0 ? 64 : 2 * s->stretch_room;
        struct weir_skip *larger = realloc(s->stretch, room * sizeof(*larger));
        if (larger != NULL) {
            s->stretch = larger;
            s->stretch_room = room;
        }
    }
    if (s->stretch_count < s->stretch_room)
        s->stretch[s->stretch_count++] = (struct weir_skip){ from_ps, to_ps, periods };
}

/* Ends the period that stands for the others at now_ps, and goes on after the last of them. */
static void repeat(struct sim_engine *e, uint64_t now_ps)
{
    struct sim_skip *k = e->skip;
    uint64_t more = k->periods - 1, to_ps = now_ps + more * k->period_ps, bytes, hops;
    WEIR_ASSERT(now_ps == k->kept_ps + k->period_ps);
    if (!is_back(e, now_ps)) {
        e->broken = "a state that had come back did not do so again (run.skip)";
        k->next_ps = WEIR_NEVER;
        return;
    }
    for (uint32_t t = 0; t < e->thread_count; t++)
        weir_sim_sample_rest(&e->thread[t], now_ps);
    k->sample_count = 0;
    count_now(e, &bytes, &hops);
    weir_state_begin(&k->state, WEIR_STATE_MOVE, now_ps);
    k->state.periods = more;
    k->state.period_ps = k->period_ps;
    weir_sim_skip_state(e);
    for (uint32_t h = 0; h < e->model->topo->host_count; h++)
        (void)weir_host_replay(e->host[h].h, 2, k->periods, k->period_ps, true);
    land(e, to_ps);
    note(&k->skipped, now_ps, to_ps, more, more * (hops - k->kept_hops));
    k->failures = k->shorts = 0;
    k->cost = 0;
    wait_until(k, k->outside_ps > to_ps && k->outside_ps - to_ps < k->period_ps ? k->outside_ps : to_ps + k->period_ps);
}

/* Compares the state of the probe at a cut of a try. It is kept anew at cuts 1, 4, 16, .., and when something came from
 * outside. Where it has come back, that of the whole network is kept, and compared a period later. */
static void seek(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    struct sim_skip *k = e->skip;
    bool is_kept = k->is_kept && now_ps < k->outside_ps, back = is_kept && is_back(e, now_ps);
    WEIR_ASSERT(k->phase == SIM_SKIP_SEEKS);
    k->cuts++;
    k->cost += NODE_COST * e->model->topo->node_count;
    if (back && k->is_whole) {
        found(e, now_ps, outside_ps);
    } else if (back) {
        k->period_ps = now_ps - k->kept_ps;
        k->is_whole = true;
        keep(e, now_ps, outside_ps);
        k->next_ps = now_ps + k->period_ps;
    } else if (k->is_whole || k->cuts >= k->most_cuts || !may_cut(e, 1)) {
        fail(k, now_ps, k->is_whole ? "not all hosts repeat" : "no period was found");
    } else {
        if (!is_kept || k->cuts >= 4 * k->kept_at)
            keep(e, now_ps, outside_ps);
        seek_on(e, now_ps);
    }
}

void weir_sim_skip_cut(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps)
{
    struct sim_skip *k = e->skip;
    WEIR_ASSERT(k->next_ps == now_ps);
    if (k->phase == SIM_SKIP_WAITS) {
        begin(e, now_ps);
    } else if (k->phase == SIM_SKIP_NOTES) {
        noted(e, now_ps, outside_ps);
    } else if (k->phase == SIM_SKIP_REPEATS) {
        repeat(e, now_ps);
    } else {
        seek(e, now_ps, outside_ps);
    }
    if (k->state.out_of_memory)
        sim_lead(e)->failed = WEIR_E_MEMORY;
}
