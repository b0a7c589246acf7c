/* src/simulator/engine/window.c - the main loop of each thread. A thread determines the next window, visits its own
 * nodes that have something to do in it, publishes its counters, and waits at the barrier. Every thread computes the
 * same times from the published counters. So threads send no messages to each other. */
#include "engine/engine.h"
#include "core/cable.h"
#include "coupled/coupled.h"
#include "observe/observe.h"
#include "port/port.h"
#include "state/tap.h"
#include "engine/barrier.h"
#include "port/jobs_run.h"

/* Progress is reported after so many packet-hops, or so many rounds of the main loop: a few tens of milliseconds. */
enum { PROGRESS_HOPS = 1 << 20, PROGRESS_ROUNDS = 1 << 12 };
/* Most boundaries in a round of the main loop, which reads the stop flag once. A round is one window with the
 * boundaries before it, or boundaries alone, as snapshots of a network that is idle for long. */
enum { BOUNDARIES_MAX = 16 };
enum { IDLE_POLICIES = 2 }; /* steps of policies without an event before them that suffice, see window_policies() */

/* Returns when a node has something to do: e->due_ps[node], or an earlier arrival that some thread noted for it
 * since the node's group last advanced; WEIR_NEVER = nothing. Clears these notes. parity: the half of the wake table
 * to read */
static inline uint64_t window_due(struct sim_engine *e, uint32_t node, uint32_t parity)
{
    uint64_t due_ps = e->due_ps[node];
    for (uint32_t t = 0; t < e->thread_count; t++) {
        uint64_t *wake = &e->wake[((size_t)t * e->model->topo->node_count + node) * 2 + parity];
        due_ps = *wake < due_ps ? *wake : due_ps;
        *wake = WEIR_NEVER;
    }
    return due_ps;
}

/* Visits this thread's nodes of a group that have something to do before end_ps. Updates e->due_ps of all nodes of
 * this thread in the group, and th->due_ps[group]. */
static void window_visit(struct sim_thread *th, uint32_t group, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count, read = th->parity[group];
    uint64_t earliest_ps = WEIR_NEVER;
    th->parity[group] ^= 1;
    th->due_ps[group] = WEIR_NEVER;
    for (uint32_t i = group == 0 ? 0 : th->group_end[group - 1]; i < th->group_end[group]; i++) {
        uint32_t node = th->node[i];
        uint64_t due_ps = window_due(e, node, read);
        if (i + 2 < th->group_end[group] && th->node[i + 2] < hosts) /* in a group, hosts come before switches */
            weir_sim_host_prefetch(&e->host[th->node[i + 1]], &e->host[th->node[i + 2]], end_ps);
        if (due_ps < end_ps)
            due_ps = node < hosts ? weir_sim_visit_host(th, &e->host[node], end_ps)
                     : e->sw[node - hosts].coupled != NULL
                         ? weir_sim_visit_coupled(th, &e->sw[node - hosts], start_ps, end_ps)
                         : weir_sim_visit_switch(th, &e->sw[node - hosts], start_ps, end_ps);
        e->due_ps[node] = due_ps;
        earliest_ps = due_ps < earliest_ps ? due_ps : earliest_ps;
    }
    WEIR_ASSERT(earliest_ps >= end_ps);
    th->due_ps[group] = weir_min_u64(earliest_ps, th->due_ps[group]);
}

/* Publishes a thread's counters in th->pub[copy]. Two copies are used alternately: a thread may publish again while
 * another thread still reads the copy of the last barrier. */
static void window_publish(struct sim_thread *th, uint32_t copy)
{
    const struct weir_account_shard *shard = &th->engine->account.shard[th->index];
    const volatile int *stop = th->engine->options->stop;
    th->pub[copy] = (struct sim_published){
        .in_flight = (int64_t)(th->injected - th->absorbed - th->ended),
        .hops = th->hops,
        .started = shard->started,
        .delivered = shard->delivered,
        .lost = shard->lost,
        .unasked = shard->unasked,
        .told = th->told,
        .unfinished_bytes = (int64_t)(shard->started_bytes - shard->delivered_bytes - shard->lost_bytes),
        .stop = th->index == 0 && stop != NULL && *stop != 0,
        .failed = th->failed,
    };
    memcpy(th->pub[copy].due_ps, th->due_ps, sizeof(th->due_ps));
}

/* Computes the next *s from the counters that all threads have published; every thread gets the same values. */
static void window_collect(const struct sim_engine *e, struct sim_window *s)
{
    struct sim_window before = *s;
    *s = (struct sim_window){
        .due_ps = WEIR_NEVER,
        .next_tick_ps = before.next_tick_ps,
        .idle_policies = before.idle_policies,
        .passed_ps = before.passed_ps,
        .stop_ps = before.stop_ps,
        .copy = before.copy ^ 1,
        .more = before.more,
    };
    for (uint32_t g = 0; g < SIM_GROUPS; g++) {
        s->clock_ps[g] = before.clock_ps[g];
        s->group_due_ps[g] = WEIR_NEVER;
        for (uint32_t t = 0; t < e->thread_count; t++)
            s->group_due_ps[g] = weir_min_u64(s->group_due_ps[g], e->thread[t].pub[before.copy].due_ps[g]);
        s->due_ps = weir_min_u64(s->due_ps, s->group_due_ps[g]);
    }
    for (uint32_t t = 0; t < e->thread_count; t++) {
        const struct sim_published *p = &e->thread[t].pub[before.copy];
        s->hops += p->hops;
        s->started += p->started;
        s->delivered += p->delivered;
        s->lost += p->lost;
        s->unasked += p->unasked;
        s->told += p->told;
        s->unfinished_bytes += p->unfinished_bytes;
        s->in_flight += p->in_flight;
        s->stop |= p->stop;
        s->failed |= p->failed;
    }
    WEIR_ASSERT(s->in_flight >= 0 || s->failed);
    WEIR_ASSERT(s->unfinished_bytes >= 0 || s->failed);
    for (uint32_t g = 0; s->stop && before.stop_ps == WEIR_NEVER && g < SIM_GROUPS; g++)
        s->stop_ps = weir_max_u64(g == 0 ? s->passed_ps : s->stop_ps, s->clock_ps[g]);
}

/* Updates the peak of packets in flight. Calls options->progress if at least PROGRESS_HOPS packet-hops, or
 * PROGRESS_ROUNDS calls of this function, have passed since its last call, and always among boundaries of an idle
 * network. Called by thread 0 only. */
static void window_progress(struct sim_engine *e, const struct sim_window *s)
{
    struct weir_progress p = { .now_ps = s->more ? s->passed_ps : weir_min_u64(s->due_ps, e->end_ps),
                               .end_ps = e->end_ps,
                               .packet_hops = s->hops,
                               .messages_started = s->started,
                               .messages_completed = s->delivered,
                               .messages_lost = s->lost };
    e->peak_in_flight = weir_max_u64(e->peak_in_flight, s->in_flight > 0 ? (uint64_t)s->in_flight : 0);
    e->progress_rounds++;
    if (e->options->progress == NULL ||
        (!s->more && s->hops - e->progress_hops < PROGRESS_HOPS && e->progress_rounds < PROGRESS_ROUNDS))
        return;
    e->progress_hops = s->hops;
    e->progress_rounds = 0;
    e->options->progress(e->options->progress_ctx, &p);
}

/* Begins the measured part for the thread's nodes: records their counters as the baseline of the results, and restarts
 * the maxima. */
static void window_measure(struct sim_thread *th, const struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count;
    th->measuring = true;
    for (uint32_t i = 0; i < th->node_count; i++) {
        uint32_t n = th->node[i];
        const struct weir_node *node = &e->model->topo->node[n];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            struct sim_link *link = &e->link[l];
            link->backlog_max_ps = weir_sim_port_backlog_ps(link, now_ps);
            e->base_area[l] = e->sample_area[l] = weir_sim_port_area(link, now_ps);
        }
        if (n < hosts) {
            e->host[n].base_new_bytes = weir_host_stats(e->host[n].h)->rx_new_bytes;
            e->host[n].base_acked_bytes = weir_host_stats(e->host[n].h)->tx_acked_bytes;
            weir_account_law_base(e->model, e->host[n].h, th->law);
        } else if (node->tier == 1) {
            struct sim_switch *sw = &e->sw[n - hosts];
            sw->sum_max = sw->sum_bound = weir_sim_switch_queue_bytes(th, sw, now_ps);
            sw->track_sum = true;
        }
    }
    if (th->index == 0)
        e->unfinished_start_bytes = (uint64_t)s->unfinished_bytes;
}

/* Records the counters of the thread's links at the start of a quarter of the measured part. */
static void window_quarter(struct sim_thread *th, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t links = e->model->topo->link_count;
    WEIR_ASSERT(th->measuring);
    WEIR_ASSERT(e->quarter != NULL && th->quarters < WEIR_QUARTERS);
    for (uint32_t i = 0; i < th->node_count; i++) {
        const struct weir_node *node = &e->model->topo->node[th->node[i]];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            sim_area area = weir_sim_port_area(&e->link[l], now_ps) - e->base_area[l];
            e->quarter[(size_t)th->quarters * links + l] = (struct weir_port_count){
                .bytes = e->link[l].bytes, .area_lo = (uint64_t)area, .area_hi = (uint64_t)(area >> 64)
            };
        }
    }
    th->quarters++;
}

/* Returns the next instant at which a window must end, because state of the network is read or changed there. Samples
 * are left out. */
static uint64_t window_change(const struct sim_thread *th, const struct sim_window *s)
{
    const struct sim_engine *e = th->engine;
    uint64_t at_ps = weir_min_u64(weir_min_u64(e->end_ps, s->stop_ps), s->next_tick_ps);
    if (!th->measuring)
        at_ps = weir_min_u64(at_ps, e->model->warmup_ps);
    if (th->quarters < WEIR_QUARTERS)
        at_ps = weir_min_u64(at_ps, weir_account_quarter_ps(e->model, th->quarters));
    if (th->next_route < e->reroute_count)
        at_ps = weir_min_u64(at_ps, e->reroute[th->next_route].at_ps);
    if (th->next_restart < e->model->restart_count)
        at_ps = weir_min_u64(at_ps, e->model->restart[th->next_restart].at_ps);
    at_ps = weir_min_u64(at_ps, weir_min_u64(th->next_bin_ps, th->next_policy_ps));
    if (e->pause != NULL)
        at_ps = weir_min_u64(at_ps, e->pause->at_ps);
    return weir_min_u64(at_ps, th->next_snapshot_ps);
}

/* Returns the next instant at which a window must end, with samples. */
static uint64_t window_boundary(const struct sim_thread *th, const struct sim_window *s)
{
    return weir_min_u64(window_change(th, s), th->next_sample_ps);
}

/* Takes the sample at at_ps, and all others before the next event and the next other boundary: until then the network
 * does not change. Returns the instant of the last. */
static uint64_t window_sample(struct sim_thread *th, const struct sim_window *s, uint64_t at_ps)
{
    uint64_t every_ps = weir_sim_sample_every(th->engine), until_ps = window_change(th, s), count = 1;
    until_ps = s->due_ps < until_ps ? s->due_ps + 1 : until_ps; /* a sample comes before the events of its instant */
    if (until_ps > at_ps && until_ps - at_ps > every_ps && until_ps != WEIR_NEVER)
        count = (until_ps - 1 - at_ps) / every_ps + 1;
    if (!th->all_delivered)
        weir_sim_sample(th, at_ps, count);
    th->next_sample_ps += count * every_ps;
    return at_ps + (count - 1) * every_ps;
}

/* Records the payload that has arrived at the thread's hosts by the end of a bin. */
static void window_bin(struct sim_thread *th)
{
    struct sim_engine *e = th->engine;
    uint32_t bins = weir_account_bins(e->model);
    uint64_t *arrived = &e->arrived[(size_t)th->index * bins + th->bins];
    WEIR_ASSERT(th->bins < bins);
    for (uint32_t i = 0; i < th->node_count && th->node[i] < e->model->topo->host_count; i++)
        *arrived += weir_host_stats(e->host[th->node[i]].h)->rx_new_bytes;
    th->bins++;
    th->next_bin_ps = th->bins < bins ? th->bins * weir_account_bin_ps(e->model) : WEIR_NEVER;
}

/* Executes the actions of a boundary that each thread takes for its own nodes: begins the measured part, records
 * a quarter of it, switches to new routes, takes samples. They come before all events of that instant. */
static void window_cross(struct sim_thread *th, struct sim_window *s, uint64_t at_ps)
{
    struct sim_engine *e = th->engine;
    if (!th->measuring && at_ps == e->model->warmup_ps)
        window_measure(th, s, at_ps);
    if (th->quarters < WEIR_QUARTERS && at_ps == weir_account_quarter_ps(e->model, th->quarters))
        window_quarter(th, at_ps);
    if (th->next_bin_ps == at_ps)
        window_bin(th);
    if (th->next_route < e->reroute_count && e->reroute[th->next_route].at_ps == at_ps)
        th->routes = &e->reroute[th->next_route++].routes;
    s->passed_ps = th->next_sample_ps == at_ps ? window_sample(th, s, at_ps) : at_ps;
}

/* Sets e->stalled: true if no new payload has arrived for at least stall_ps while messages are awaited. Called by
 * thread 0 only, at every tick. There are no ticks while nothing happens. So if no message is awaited, the time until
 * the next event does not count. */
static void window_watch(struct sim_engine *e, uint64_t now_ps, uint64_t due_ps)
{
    uint64_t new_bytes = 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        new_bytes += e->thread[t].new_bytes;
    if (new_bytes != e->last_new_bytes)
        e->last_new_ps = now_ps;
    if (weir_account_awaited_bytes(&e->account) == 0)
        e->last_new_ps = due_ps != WEIR_NEVER ? due_ps : now_ps;
    e->last_new_bytes = new_bytes;
    e->stalled = now_ps > e->last_new_ps && now_ps - e->last_new_ps >= e->model->stall_ps;
}

/* Executes a tick, at most once per simulated millisecond. While all other threads wait, thread 0 detects a stall,
 * passes rows to the callbacks of the options, and checks the invariants if options->check is set. */
static void window_tick(struct sim_thread *th, uint64_t now_ps, uint64_t due_ps)
{
    struct sim_engine *e = th->engine;
    th->new_bytes = 0;
    for (uint32_t i = 0; i < th->node_count && th->node[i] < e->model->topo->host_count; i++)
        th->new_bytes += weir_host_stats(e->host[th->node[i]].h)->rx_new_bytes;
    weir_sim_barrier_wait(e->barrier);
    if (th->index == 0) {
        window_watch(e, now_ps, due_ps);
        if (e->options->rows != NULL && e->callback_code == 0)
            e->callback_code = weir_account_rows(&e->account, e->options);
        if (e->options->control != NULL && e->callback_code == 0)
            e->callback_code = weir_sim_control_report(e);
        if (e->options->packets != NULL && e->callback_code == 0)
            e->callback_code = weir_sim_tap_report(e, now_ps);
        if (e->options->check && e->broken == NULL)
            e->broken = weir_sim_check(e, now_ps);
    }
    weir_sim_barrier_wait(e->barrier);
}

/* Returns the first multiple of every_ps after an instant. */
static uint64_t window_next(uint64_t after_ps, uint64_t every_ps)
{
    return after_ps == WEIR_NEVER ? WEIR_NEVER : (after_ps / every_ps + 1) * every_ps;
}

/* Takes a snapshot, by thread 0 while all other threads wait. A run until all is delivered ends with its last
 * delivery. After that delivery no more snapshots are taken here, though acknowledgements are in flight. */
static void window_snapshot(struct sim_thread *th, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    const uint64_t *every_ps = e->options->snapshot_every_ps;
    if (th->all_delivered) {
        th->next_snapshot_ps = WEIR_NEVER;
        return;
    }
    weir_sim_barrier_wait(e->barrier);
    if (th->index == 0)
        weir_sim_snapshot(e, now_ps, now_ps);
    weir_sim_barrier_wait(e->barrier);
    th->next_snapshot_ps = window_next(now_ps, every_ps != NULL ? *every_ps : e->options->snapshot_ps);
}

/* Lets the policies of jobs set weights, by thread 0 while all other threads wait. If a weight changed, sets the
 * next event of the hosts' group to now_ps. After the last delivery of a run until all is delivered, weights are not
 * set any more. The second step without an event before it finds that nothing was sent since the first. If it changes
 * nothing, those after it would not either, so steps up to the next event are left out. */
static void window_policies(struct sim_thread *th, struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    if (th->all_delivered) {
        th->next_policy_ps = WEIR_NEVER;
        return;
    }
    weir_sim_barrier_wait(e->barrier);
    if (th->index == 0)
        e->policy_changed = weir_sim_jobs_tick(e, now_ps);
    weir_sim_barrier_wait(e->barrier);
    s->idle_policies++;
    th->next_policy_ps = window_next(now_ps, e->jobs->jobs->tick_ps);
    if (e->policy_changed)
        s->due_ps = s->group_due_ps[SIM_GROUP_HOSTS] = now_ps;
    else if (s->idle_policies >= IDLE_POLICIES)
        th->next_policy_ps = weir_max_u64(th->next_policy_ps, window_next(s->due_ps, e->jobs->jobs->tick_ps));
}

/* Restarts the hosts that restart now, by thread 0 while all other threads wait. All hosts then have something to do: a
 * host that forgets another may have packets to send, or none any more. */
static void window_restart(struct sim_thread *th, struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    weir_sim_barrier_wait(e->barrier);
    for (uint32_t i = th->next_restart; i < e->model->restart_count && e->model->restart[i].at_ps == now_ps; i++) {
        if (th->index == 0)
            weir_sim_restart(e, e->model->restart[i].host, now_ps);
        th->next_restart++;
    }
    weir_sim_barrier_wait(e->barrier);
    s->due_ps = s->group_due_ps[SIM_GROUP_HOSTS] = now_ps;
}

/* Executes all boundaries that are not after the next event and are before the end of the run, but BOUNDARIES_MAX at
 * most: s->more gets whether some are left. Several ticks that are due become one. Does nothing if the run is until all
 * is delivered and no event will come. */
static void window_boundaries(struct sim_thread *th, struct sim_window *s)
{
    struct sim_engine *e = th->engine;
    uint64_t at_ps, until_ps = weir_min_u64(e->end_ps, s->stop_ps);
    uint32_t count = 0;
    s->more = false;
    if (e->pause != NULL) {
        until_ps = weir_min_u64(until_ps, e->pause->at_ps);
        if (s->next_tick_ps == WEIR_NEVER && s->due_ps != WEIR_NEVER) /* nothing was due for a while */
            s->next_tick_ps = window_next(s->due_ps, e->tick_ps);
    }
    if (s->due_ps == WEIR_NEVER && until_ps == WEIR_NEVER)
        return; /* no event will ever come */
    while ((at_ps = window_boundary(th, s)) <= s->due_ps && at_ps < until_ps) {
        s->more = count++ == BOUNDARIES_MAX;
        if (s->more)
            return;
        if (at_ps == th->next_policy_ps)
            window_policies(th, s, at_ps);
        if (at_ps == s->next_tick_ps) {
            s->next_tick_ps = s->due_ps == WEIR_NEVER ? WEIR_NEVER : (s->due_ps / e->tick_ps + 1) * e->tick_ps;
            window_tick(th, at_ps, s->due_ps);
        }
        if (at_ps == th->next_snapshot_ps)
            window_snapshot(th, at_ps);
        window_cross(th, s, at_ps);
        if (th->next_restart < e->model->restart_count && e->model->restart[th->next_restart].at_ps == at_ps)
            window_restart(th, s, at_ps);
    }
}

/* Visits this thread's nodes in a window. If memory runs out in a visit, the visits end at once, and th->failed is
 * set. */
static void window_guarded(struct sim_thread *th, uint32_t group, uint64_t start_ps, uint64_t end_ps)
{
    if (setjmp(th->out_of_memory) == 0) {
        window_visit(th, group, start_ps, end_ps);
    } else {
        th->failed = WEIR_E_MEMORY;
    }
}

/* Computes quiet_ps of each group: the instant before which the group will certainly do nothing. It is the group's next
 * event, or an earlier one that other groups may cause, directly or by way of the third group. It is never before the
 * group's clock. */
static void window_quiet(const struct sim_engine *e, const struct sim_window *s, uint64_t quiet_ps[SIM_GROUPS])
{
    /* this cap changes no result: the earliest group can cause an event by then */
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        quiet_ps[g] = weir_min_u64(s->group_due_ps[g], s->due_ps + UINT64_C(4) * SIM_WINDOW_MAX_PS);
    for (uint32_t times = 1; times < SIM_GROUPS; times++)
        for (uint32_t g = 0; g < SIM_GROUPS; g++)
            for (uint32_t from = 0; from < SIM_GROUPS; from++)
                quiet_ps[g] = weir_min_u64(quiet_ps[g], quiet_ps[from] + e->lookahead_ps[from][g]);
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        quiet_ps[g] = weir_max_u64(quiet_ps[g], s->clock_ps[g]);
}

/* Advances the group with the earliest event, up to the instant at which a packet of another group may come or the
 * next boundary, whichever is earlier. Of groups with equal times the one with the lowest number is advanced. So
 * hosts are first, since a policy may just have changed their weights. */
static void window_step(struct sim_thread *th, struct sim_window *s)
{
    const struct sim_engine *e = th->engine;
    uint64_t end_ps = window_boundary(th, s), quiet_ps[SIM_GROUPS];
    uint32_t group = 0;
    for (uint32_t g = 1; g < SIM_GROUPS; g++)
        if (s->group_due_ps[g] < s->group_due_ps[group])
            group = g;
    window_quiet(e, s, quiet_ps);
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        end_ps = weir_min_u64(end_ps, quiet_ps[g] + e->lookahead_ps[g][group]);
    WEIR_ASSERT(end_ps > s->due_ps);
    WEIR_ASSERT(end_ps - s->due_ps <= SIM_WINDOW_MAX_PS);
    WEIR_ASSERT(end_ps >= s->clock_ps[group]);
    s->clock_ps[group] = end_ps;
    s->idle_policies = 0;
    window_guarded(th, group, s->due_ps, end_ps);
}

static bool window_is_over(const struct sim_engine *e, const struct sim_window *s)
{
    return e->stalled || e->broken != NULL || e->callback_code != 0 || s->due_ps >= weir_min_u64(e->end_ps, s->stop_ps);
}

/* Tests whether the run of a session pauses here. At the end of the run it does not. */
static bool window_pauses(const struct sim_engine *e, const struct sim_window *s)
{
    const struct sim_pause *pause = e->pause;
    if (pause == NULL || pause->closing || e->stalled || e->broken != NULL || e->callback_code != 0 || s->stop)
        return false;
    if (pause->when_told && s->told != pause->told)
        return true;
    return s->due_ps >= pause->at_ps && (pause->at_ps < e->end_ps || e->end_ps == WEIR_NEVER);
}

/* Runs windows until the run pauses or is over. @return true = it pauses */
static bool window_run(struct sim_thread *th, struct sim_window *s)
{
    struct sim_engine *e = th->engine;
    for (;;) {
        window_publish(th, s->copy);
        weir_sim_barrier_wait(e->barrier);
        window_collect(e, s);
        th->all_delivered = e->end_ps == WEIR_NEVER && e->pause == NULL &&
                            s->delivered + s->lost + s->unasked == e->model->workload->finite_messages;
        if (th->index == 0)
            window_progress(e, s);
        if (s->failed) /* a visit was cut short, so its node may not be visited again */
            return false;
        window_boundaries(th, s);
        if (s->more)
            continue;
        if (window_pauses(e, s))
            return true;
        if (window_is_over(e, s))
            return false;
        window_step(th, s);
    }
}

/* Lets a session's thread wait while the run pauses. Thread 0 does not wait: it returns to its caller, and comes
 * back here. @return true = this is thread 0 */
static bool window_wait(struct sim_thread *th)
{
    struct sim_engine *e = th->engine;
    weir_sim_barrier_wait(e->barrier); /* nobody reads what thread 0 may change now */
    th->paused = th->index == 0;
    if (!th->paused)
        weir_sim_barrier_wait(e->barrier);
    return th->paused;
}

void *weir_sim_thread_main(void *arg)
{
    struct sim_thread *th = arg;
    struct sim_engine *e = th->engine;
    struct sim_window *s = &th->window;
    if (th->paused) {
        th->paused = false;
        weir_sim_barrier_wait(e->barrier);
    } else {
        *s = (struct sim_window){ .next_tick_ps = e->tick_ps, .stop_ps = WEIR_NEVER };
    }
    while (window_run(th, s))
        if (window_wait(th))
            return NULL;
    if (!s->failed)
        weir_sim_sample_rest(th, weir_min_u64(s->due_ps, weir_min_u64(e->end_ps, s->stop_ps)));
    if (th->index == 0) {
        e->interrupted = s->stop != 0;
        e->stopped_ps =
            s->due_ps == WEIR_NEVER ? e->end_ps : weir_min_u64(s->due_ps, weir_min_u64(e->end_ps, s->stop_ps));
    }
    return NULL;
}
