/* src/simulator/engine/window.c - the main loop of each thread. A thread determines the next window, visits its own
 * nodes that have something to do in it, publishes its counters, and waits at the barrier. Every thread computes the
 * same times from the published counters. So threads send no messages to each other. */
#include "engine/engine.h"
#include "engine/boundary.h"
#include "coupled/coupled.h"
#include "observe/observe.h"
#include "port/port.h"
#include "engine/barrier.h"
#include "model/profile.h"
#include "ranks/ranks.h"

/* Progress is reported after so many packet-hops, or so many rounds of the main loop: a few tens of milliseconds. */
enum { PROGRESS_HOPS = 1 << 20, PROGRESS_ROUNDS = 1 << 12 };

/* Returns when a node has something to do: e->due_ps[node], or an earlier arrival that some thread noted for it
 * since the node's group last advanced; WEIR_NEVER = nothing. Clears these notes. parity: the half of the wake table
 * to read */
static inline uint64_t window_due(struct sim_engine *e, uint32_t node, uint32_t parity)
{
    uint64_t due_ps = e->due_ps[node];
    for (uint32_t t = 0; t < e->own; t++) {
        uint64_t *wake = &e->wake[((size_t)t * e->model->topo->node_count + node) * 2 + parity];
        due_ps = *wake < due_ps ? *wake : due_ps;
        *wake = WEIR_NEVER;
    }
    return due_ps;
}

/* Visits the nodes th->node[first .. last - 1], a block, that have something to do before end_ps, and updates their
 * e->due_ps. read: the half of the wake table to read. @return the earliest e->due_ps of them */
static __attribute__((noinline)) uint64_t window_block(struct sim_thread *th, uint32_t group, uint32_t first,
                                                       uint32_t last, uint32_t read, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t hosts = e->model->topo->host_count;
    uint64_t earliest_ps = WEIR_NEVER;
    WEIR_ASSERT(first < last && last <= th->group_end[group]);
    for (uint32_t i = first; i < last; i++) {
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
    return earliest_ps;
}

/* Tests whether some thread has woken a node of a block since the group last advanced, and clears these notes. */
static bool window_woken(struct sim_engine *e, uint32_t block, uint32_t parity)
{
    uint64_t wake_ps = WEIR_NEVER;
    for (uint32_t t = 0; t < e->own; t++) {
        uint64_t *wake = &e->block_wake[((size_t)t * e->block_count + block) * 2 + parity];
        wake_ps = *wake < wake_ps ? *wake : wake_ps;
        *wake = WEIR_NEVER;
    }
    return wake_ps != WEIR_NEVER;
}

/* Visits this thread's nodes of a group that have something to do before end_ps, block by block. Updates e->due_ps of
 * them, and th->due_ps[group]. A block that was woken is gone through even if it is due later: wakes must be merged
 * before this half of the table is written again. */
static void window_visit(struct sim_thread *th, uint32_t group, uint64_t start_ps, uint64_t end_ps)
{
    struct sim_engine *e = th->engine;
    uint32_t read = th->parity[group], block = th->block_first[group], end = th->group_end[group];
    uint64_t earliest_ps = WEIR_NEVER;
    th->parity[group] ^= 1;
    th->due_ps[group] = WEIR_NEVER;
    for (uint32_t i = group == 0 ? 0 : th->group_end[group - 1]; i < end; i += SIM_BLOCK, block++) {
        if (window_woken(e, block, read) || e->block_due_ps[block] < end_ps)
            e->block_due_ps[block] =
                window_block(th, group, i, i + SIM_BLOCK < end ? i + SIM_BLOCK : end, read, start_ps, end_ps);
        earliest_ps = weir_min_u64(earliest_ps, e->block_due_ps[block]);
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
        .noted = th->noted,
        .given = th->given,
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
        s->noted += p->noted;
        sim_given_add(&s->given, &p->given);
        s->unfinished_bytes += p->unfinished_bytes;
        s->in_flight += p->in_flight;
        s->stop |= p->stop;
        s->failed |= p->failed;
    }
    WEIR_ASSERT(s->in_flight >= 0 || s->failed);
    WEIR_ASSERT(s->unfinished_bytes >= 0 || s->failed);
    WEIR_ASSERT(s->given.delivered <= s->delivered || s->failed);
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

/* Adds the window that has just ended to the profile of the run. Called by thread 0 only. */
static void window_profile(struct weir_profile *profile, const struct sim_engine *e, const struct sim_window *s)
{
    uint64_t busiest = 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        busiest = weir_max_u64(busiest, e->thread[t].pub[s->copy ^ 1].hops - profile->thread[t].hops);
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct weir_profile_thread *thread = &profile->thread[t];
        uint64_t hops = e->thread[t].pub[s->copy ^ 1].hops - thread->hops;
        thread->hops += hops;
        thread->waited_hops += busiest - hops;
        thread->empty_windows += hops == 0;
    }
    WEIR_ASSERT(profile->threads == e->thread_count);
    profile->busiest_hops += busiest;
    profile->windows++;
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
    uint64_t end_ps = weir_sim_boundary_ps(th, s), quiet_ps[SIM_GROUPS];
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
    if (th->failed == 0) /* of ranks, the others get to know of a failure after this window */
        window_guarded(th, group, s->due_ps, end_ps);
    weir_sim_ranks_pack(th, group, end_ps);
}

static bool window_is_over(const struct sim_engine *e, const struct sim_window *s)
{
    return e->stalled || e->broken != NULL || e->callback_code != 0 || s->due_ps >= weir_min_u64(e->end_ps, s->stop_ps);
}

static bool window_may_pause(const struct sim_engine *e, const struct sim_window *s)
{
    return e->pause != NULL && !e->pause->closing && !e->stalled && e->broken == NULL && e->callback_code == 0 &&
           !s->stop;
}

/* Tests whether the run of a session pauses because hosts have noted something, or all has ended. Nothing may be done
 * that comes later, so this is before the boundaries. */
static bool window_pauses_now(const struct sim_engine *e, const struct sim_window *s)
{
    return window_may_pause(e, s) &&
           ((e->pause->on_note && s->noted != e->pause->noted) ||
            (e->pause->at_ps == WEIR_NEVER && sim_all_ended(e, &s->given, s->delivered + s->lost + s->unasked)));
}

/* Tests whether the run of a session has reached the instant of its pause. At the end of the run it does not pause. */
static bool window_pauses_at(const struct sim_engine *e, const struct sim_window *s)
{
    return window_may_pause(e, s) && s->due_ps >= e->pause->at_ps &&
           (e->pause->at_ps < e->end_ps || e->end_ps == WEIR_NEVER);
}

/* Tests whether all messages that a session without end was given so far have arrived, and all others. */
static bool window_is_idle(const struct sim_engine *e, const struct sim_window *s)
{
    uint64_t ended = s->delivered + s->lost + s->unasked;
    return e->pause != NULL && e->end_ps == WEIR_NEVER && s->given.delivered == s->given.messages &&
           ended - s->given.delivered == e->model->workload->finite_messages;
}

/* Runs windows until the run pauses or is over. @return true = it pauses */
static bool window_run(struct sim_thread *th, struct sim_window *s)
{
    struct sim_engine *e = th->engine;
    bool stepped = false; /* a window was run since the last round */
    for (;;) {
        window_publish(th, s->copy);
        weir_sim_barrier_wait(e->barrier);
        if (e->ranks != NULL) {
            if (sim_leads(th))
                weir_sim_ranks_exchange(e, s->copy);
            weir_sim_barrier_wait(e->barrier);
        }
        window_collect(e, s);
        if (stepped && sim_leads(th) && e->options->profile != NULL)
            window_profile(e->options->profile, e, s);
        stepped = false;
        th->all_delivered = e->end_ps == WEIR_NEVER && e->pause == NULL &&
                            s->delivered + s->lost + s->unasked == e->model->workload->finite_messages;
        th->is_idle = window_is_idle(e, s);
        if (sim_leads(th))
            window_progress(e, s);
        if (s->failed) /* a visit was cut short, so its node may not be visited again */
            return false;
        if (window_pauses_now(e, s))
            return true;
        weir_sim_boundaries(th, s);
        if (s->more)
            continue;
        if (window_pauses_at(e, s)) {
            if (e->pause->at_ps != WEIR_NEVER)
                s->passed_ps = weir_max_u64(s->passed_ps, e->pause->at_ps);
            return true;
        }
        if (window_is_over(e, s))
            return false;
        window_step(th, s);
        stepped = true;
    }
}

/* Lets a session's thread wait while the run pauses. Thread 0 does not wait: it returns to its caller, and comes
 * back here. @return true = this is thread 0 */
static bool window_wait(struct sim_thread *th)
{
    struct sim_engine *e = th->engine;
    WEIR_ASSERT(e->pause != NULL && !th->paused);
    weir_sim_barrier_wait(e->barrier); /* nobody reads what thread 0 may change now */
    if (th->index == 0)
        th->paused = true;
    else
        weir_sim_barrier_wait(e->barrier);
    return th->index == 0;
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
    if (s->failed && th->failed == 0)
        th->failed = s->failed;
    if (!s->failed)
        weir_sim_sample_rest(th, weir_min_u64(s->due_ps, weir_min_u64(e->end_ps, s->stop_ps)));
    if (sim_leads(th)) {
        e->interrupted = s->stop != 0;
        e->stopped_ps =
            s->due_ps == WEIR_NEVER ? e->end_ps : weir_min_u64(s->due_ps, weir_min_u64(e->end_ps, s->stop_ps));
    }
    return NULL;
}
