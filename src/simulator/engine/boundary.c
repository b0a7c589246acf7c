/* src/simulator/engine/boundary.c - see boundary.h: what is read or changed at a boundary. */
#include "engine/boundary.h"
#include "engine/barrier.h"
#include "engine/skip.h"
#include "observe/observe.h"
#include "ranks/ranks.h"
#include "port/jobs_run.h"
#include "port/port.h"
#include "state/tap.h"
#include <string.h>

/* Most boundaries in a round of the main loop, which reads the stop flag once. A round is one window with the
 * boundaries before it, or boundaries alone, as snapshots of a network that is idle for long. */
enum { BOUNDARIES_MAX = 16 };
enum { IDLE_POLICIES = 2 }; /* steps of policies without an event before them that suffice, see boundary_policies() */

/* Begins the measured part for the thread's nodes: records their counters as the baseline of the results, and restarts
 * the maxima. */
static void boundary_measure(struct sim_thread *th, const struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count;
    th->measuring = true;
    th->counting = !e->model->sampled;
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
            sw->track_sum = th->counting;
        }
    }
    if (sim_leads(th))
        e->unfinished_start_bytes = (uint64_t)s->unfinished_bytes;
}

/* Records the counters of the thread's links at the start of a quarter of the measured part. */
static void boundary_quarter(struct sim_thread *th, uint64_t now_ps)
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

/* Returns the next instant at which the network is changed from outside, or read: the end of the run, parts of the
 * measured part, new routes, snapshots. Samples and ticks are left out. */
static uint64_t boundary_outside(const struct sim_thread *th, const struct sim_window *s)
{
    const struct sim_engine *e = th->engine;
    uint64_t at_ps = weir_min_u64(e->end_ps, s->stop_ps);
    if (!th->measuring)
        at_ps = weir_min_u64(at_ps, e->model->warmup_ps);
    if (th->quarters < WEIR_QUARTERS)
        at_ps = weir_min_u64(at_ps, weir_account_quarter_ps(e->model, th->quarters));
    if (th->next_route < e->reroute_count)
        at_ps = weir_min_u64(at_ps, e->reroute[th->next_route].at_ps);
    if (th->next_restart < e->model->restart_count)
        at_ps = weir_min_u64(at_ps, e->model->restart[th->next_restart].at_ps);
    at_ps = weir_min_u64(at_ps, weir_min_u64(th->next_bin_ps, th->next_policy_ps));
    at_ps = weir_min_u64(at_ps, weir_account_batch_ps(&e->account));
    if (e->pause != NULL)
        at_ps = weir_min_u64(at_ps, e->pause->at_ps);
    return weir_min_u64(at_ps, th->next_snapshot_ps);
}

/* Returns the next instant at which a window must end, because state of the network is read or changed there. Samples
 * are left out. */
static uint64_t boundary_change(const struct sim_thread *th, const struct sim_window *s)
{
    const struct sim_engine *e = th->engine;
    uint64_t at_ps = weir_min_u64(boundary_outside(th, s), s->next_tick_ps);
    return e->skip != NULL ? weir_min_u64(at_ps, e->skip->next_ps) : at_ps;
}

uint64_t weir_sim_boundary_ps(const struct sim_thread *th, const struct sim_window *s)
{
    return weir_min_u64(boundary_change(th, s), th->next_sample_ps);
}

/* Takes the sample at at_ps, and all others before the next event and the next other boundary: until then the network
 * does not change. Returns the instant of the last. */
static uint64_t boundary_sample(struct sim_thread *th, const struct sim_window *s, uint64_t at_ps)
{
    uint64_t every_ps = weir_sim_sample_every(th->engine), until_ps = boundary_change(th, s), count = 1;
    until_ps = s->due_ps < until_ps ? s->due_ps + 1 : until_ps; /* a sample comes before the events of its instant */
    if (until_ps > at_ps && until_ps - at_ps > every_ps && until_ps != WEIR_NEVER)
        count = (until_ps - 1 - at_ps) / every_ps + 1;
    if (th->is_idle)
        weir_sim_sample_idle(th, at_ps, count, s->delivered);
    else if (!th->all_delivered)
        weir_sim_sample(th, at_ps, count);
    th->next_sample_ps += count * every_ps;
    return at_ps + (count - 1) * every_ps;
}

/* Records the payload that has arrived at the thread's hosts by the end of a bin. */
static void boundary_bin(struct sim_thread *th)
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
static void boundary_cross(struct sim_thread *th, struct sim_window *s, uint64_t at_ps)
{
    struct sim_engine *e = th->engine;
    if (!th->measuring && at_ps == e->model->warmup_ps)
        boundary_measure(th, s, at_ps);
    if (th->quarters < WEIR_QUARTERS && at_ps == weir_account_quarter_ps(e->model, th->quarters))
        boundary_quarter(th, at_ps);
    if (th->next_bin_ps == at_ps)
        boundary_bin(th);
    if (th->next_route < e->reroute_count && e->reroute[th->next_route].at_ps == at_ps)
        th->routes = &e->reroute[th->next_route++].routes;
    s->passed_ps = th->next_sample_ps == at_ps ? boundary_sample(th, s, at_ps) : at_ps;
}

/* Sets e->stalled: true if no new payload has arrived for at least stall_ps while messages are awaited. Called by
 * thread 0 only, at every tick. There are no ticks while nothing happens. So if no message is awaited, the time until
 * the next event does not count. */
static void boundary_watch(struct sim_engine *e, uint64_t now_ps, uint64_t due_ps)
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
static void boundary_tick(struct sim_thread *th, uint64_t now_ps, uint64_t due_ps)
{
    struct sim_engine *e = th->engine;
    th->new_bytes = 0;
    for (uint32_t i = 0; i < th->node_count && th->node[i] < e->model->topo->host_count; i++)
        th->new_bytes += weir_host_stats(e->host[th->node[i]].h)->rx_new_bytes;
    weir_sim_barrier_wait(e->barrier);
    if (sim_leads(th)) {
        weir_sim_ranks_counts(e);
        boundary_watch(e, now_ps, due_ps);
        weir_sim_report(e, now_ps);
        if (e->options->check && e->broken == NULL)
            e->broken = weir_sim_check(e, now_ps);
        weir_sim_ranks_agree(e);
    }
    weir_sim_barrier_wait(e->barrier);
}

/* Returns the first multiple of every_ps after an instant. */
static uint64_t boundary_next(uint64_t after_ps, uint64_t every_ps)
{
    return after_ps == WEIR_NEVER ? WEIR_NEVER : (after_ps / every_ps + 1) * every_ps;
}

/* Takes a snapshot, by thread 0 while all other threads wait. A run until all is delivered ends with its last
 * delivery. After that delivery no more snapshots are taken here, though acknowledgements are in flight. */
static void boundary_snapshot(struct sim_thread *th, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    const uint64_t *every_ps = e->options->snapshot_every_ps;
    if (th->all_delivered) {
        th->next_snapshot_ps = WEIR_NEVER;
        return;
    }
    weir_sim_barrier_wait(e->barrier);
    if (sim_leads(th))
        weir_sim_snapshot_pass(e, now_ps, now_ps);
    weir_sim_barrier_wait(e->barrier);
    th->next_snapshot_ps = boundary_next(now_ps, every_ps != NULL ? *every_ps : e->options->snapshot_ps);
}

/* Ends a batch of the measured part, or begins the first one, by thread 0 while all other threads wait. */
static void boundary_batch(struct sim_thread *th, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    weir_sim_barrier_wait(e->barrier);
    if (sim_leads(th))
        weir_sim_batch(e, now_ps);
    weir_sim_barrier_wait(e->barrier);
}

/* Lets the policies of jobs set weights, by thread 0 while all other threads wait. If a weight changed, sets the
 * next event of the hosts' group to now_ps. After the last delivery of a run until all is delivered, weights are not
 * set any more. The second step without an event before it finds that nothing was sent since the first. If it changes
 * nothing, those after it would not either, so steps up to the next event are left out. */
static void boundary_policies(struct sim_thread *th, struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    if (th->all_delivered) {
        th->next_policy_ps = WEIR_NEVER;
        return;
    }
    weir_sim_barrier_wait(e->barrier);
    if (sim_leads(th))
        e->policy_changed = weir_sim_jobs_tick(e, now_ps);
    weir_sim_barrier_wait(e->barrier);
    s->idle_policies++;
    th->next_policy_ps = boundary_next(now_ps, e->jobs->jobs->tick_ps);
    if (e->policy_changed)
        s->due_ps = s->group_due_ps[SIM_GROUP_HOSTS] = now_ps;
    else if (s->idle_policies >= IDLE_POLICIES)
        th->next_policy_ps = weir_max_u64(th->next_policy_ps, boundary_next(s->due_ps, e->jobs->jobs->tick_ps));
}

/* Restarts the hosts that restart now, by thread 0 while all other threads wait. All hosts then have something to do: a
 * host that forgets another may have packets to send, or none any more. */
static void boundary_restart(struct sim_thread *th, struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    weir_sim_barrier_wait(e->barrier);
    for (uint32_t i = th->next_restart; i < e->model->restart_count && e->model->restart[i].at_ps == now_ps; i++) {
        if (sim_leads(th))
            weir_sim_restart(e, e->model->restart[i].host, now_ps);
        th->next_restart++;
    }
    weir_sim_barrier_wait(e->barrier);
    s->due_ps = s->group_due_ps[SIM_GROUP_HOSTS] = now_ps;
}

/* Returns when the next message starts at some host, or the next flow of a job. */
static uint64_t boundary_starts(struct sim_engine *e)
{
    uint64_t at_ps = WEIR_NEVER;
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        struct sim_host *host = &e->host[h];
        at_ps = weir_min_u64(at_ps, weir_source_next_ps(&host->source));
        if (host->jobs == NULL)
            continue;
        weir_sim_jobs_collect(e->jobs, host->jobs); /* what other hosts have released since its last visit */
        at_ps = weir_min_u64(at_ps, sim_jobs_next_ps(host->jobs));
    }
    return at_ps;
}

/* Makes a cut of the search for a state that repeats, by thread 0 while all other threads wait. */
static void boundary_skip(struct sim_thread *th, const struct sim_window *s, uint64_t now_ps)
{
    struct sim_engine *e = th->engine;
    weir_sim_barrier_wait(e->barrier);
    if (sim_leads(th))
        weir_sim_skip_cut(e, now_ps, weir_min_u64(boundary_outside(th, s), boundary_starts(e)));
    weir_sim_barrier_wait(e->barrier);
}

void weir_sim_boundaries(struct sim_thread *th, struct sim_window *s)
{
    struct sim_engine *e = th->engine;
    uint64_t at_ps, until_ps = weir_min_u64(e->end_ps, s->stop_ps);
    uint32_t count = 0;
    s->more = false;
    if (e->pause != NULL) {
        until_ps = weir_min_u64(until_ps, e->pause->at_ps);
        /* nothing was due for a while, and now something is */
        s->next_tick_ps = weir_min_u64(s->next_tick_ps, boundary_next(s->due_ps, e->tick_ps));
    }
    if (s->due_ps == WEIR_NEVER && until_ps == WEIR_NEVER)
        return; /* no event will ever come */
    while ((at_ps = weir_sim_boundary_ps(th, s)) <= s->due_ps && at_ps < until_ps) {
        s->more = count++ == BOUNDARIES_MAX;
        if (s->more)
            return;
        if (at_ps == th->next_policy_ps)
            boundary_policies(th, s, at_ps);
        if (at_ps == s->next_tick_ps) {
            s->next_tick_ps = s->due_ps == WEIR_NEVER ? WEIR_NEVER : (s->due_ps / e->tick_ps + 1) * e->tick_ps;
            boundary_tick(th, at_ps, s->due_ps);
        }
        if (at_ps == weir_account_batch_ps(&e->account))
            boundary_batch(th, at_ps);
        if (at_ps == th->next_snapshot_ps)
            boundary_snapshot(th, at_ps);
        boundary_cross(th, s, at_ps);
        if (th->next_restart < e->model->restart_count && e->model->restart[th->next_restart].at_ps == at_ps)
            boundary_restart(th, s, at_ps);
        if (e->skip != NULL && e->skip->next_ps == at_ps)
            boundary_skip(th, s, at_ps);
    }
}
