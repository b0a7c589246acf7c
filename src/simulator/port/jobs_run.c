/* src/simulator/port/jobs_run.c - see jobs_run.h. */
#include "port/jobs_run.h"
#include "port/port.h"
#include "ranks/ranks.h"
#include "workload/message_id.h"
#include <stdlib.h>

/* --- the end of a flow --- */

/* Puts a released flow into the inbox of its sender, which is another host, and makes that host due at the start of the
 * flow. */
static void jobs_send(struct sim_thread *th, struct sim_jobs *run, uint32_t flow)
{
    struct sim_job_flow *f = &run->flow[flow];
    uint32_t host = run->jobs->flow[flow].src, head;
    head = atomic_load_explicit(&run->host[host].inbox, memory_order_relaxed);
    do {
        f->next_in_inbox = head;
    } while (!atomic_compare_exchange_weak_explicit(&run->host[host].inbox, &head, flow, memory_order_release,
                                                    memory_order_relaxed));
    sim_wake_at(th, sim_wake_of(th, host), sim_block_wake_of(th, host), SIM_GROUP_HOSTS, f->start_ps);
}

/* Sets the start of a flow that no longer waits for any flow, and hands the flow to its sender. If the sender is
 * host `here`, it gets the flow directly, any other host by its inbox. */
static void jobs_release(struct sim_thread *th, struct sim_jobs *run, uint32_t flow, uint32_t here)
{
    struct sim_job_flow *f = &run->flow[flow];
    f->start_ps = atomic_load_explicit(&f->ready_ps, memory_order_relaxed) + run->jobs->flow[flow].start_ps;
    if (run->jobs->flow[flow].src == here)
        weir_heap_push(&run->host[here].released, f->start_ps, flow);
    else
        jobs_send(th, run, flow);
}

/* Handles the end of a flow for which flow number `flow` waits. The end is at host `here`, at now_ps. Releases
 * `flow` if it waits for no other flow any more. The thread that counts down to 0 sees all that other threads wrote
 * before they counted. */
static void jobs_unblock(struct sim_thread *th, struct sim_jobs *run, uint32_t flow, uint32_t here, uint64_t now_ps)
{
    struct sim_job_flow *f = &run->flow[flow];
    uint64_t ready_ps = run->jobs->flow[flow].src == here ? now_ps : now_ps + run->notify_ps;
    uint64_t before_ps = atomic_load_explicit(&f->ready_ps, memory_order_relaxed);
    uint32_t left;
    if (!sim_is_mine(th->engine, run->jobs->flow[flow].src)) {
        weir_sim_ranks_unblock(th, flow, ready_ps);
        return;
    }
    while (before_ps < ready_ps && !atomic_compare_exchange_weak_explicit(&f->ready_ps, &before_ps, ready_ps,
                                                                          memory_order_relaxed, memory_order_relaxed))
        ;
    left = atomic_fetch_sub_explicit(&f->left, 1, memory_order_acq_rel);
    WEIR_ASSERT(left > 0);
    if (left == 1)
        jobs_release(th, run, flow, here);
}

/* Unblocks the flows that wait for the flow with this tag, all bytes of which have arrived at `host`. Does nothing
 * for a tag below run->first_tag, which belongs to no job. This is the callback struct weir_account.arrived; ctx:
 * the engine. */
static void jobs_arrived(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps)
{
    struct sim_engine *e = ctx;
    struct sim_jobs *run = e->jobs;
    const struct weir_job_flow *ended;
    if (tag < run->first_tag)
        return;
    WEIR_ASSERT(tag - run->first_tag < run->jobs->flow_count);
    ended = &run->jobs->flow[tag - run->first_tag];
    for (uint32_t i = ended->before_first; i < ended->before_first + ended->before_count; i++)
        jobs_unblock(&e->thread[e->owner[host]], run, run->jobs->edge[i], host, now_ps);
}

/* Handles the end of a flow at a host of another rank, for which `flow` of this rank waits. It is known here at
 * ready_ps. This is the callback struct sim_engine.unblocked; no thread is at work. */
static void jobs_unblocked(struct sim_engine *e, uint32_t flow, uint64_t ready_ps)
{
    struct sim_jobs *run = e->jobs;
    uint32_t src = run->jobs->flow[flow].src;
    WEIR_ASSERT(sim_is_mine(e, src) && ready_ps >= run->notify_ps);
    jobs_unblock(sim_lead(e), run, flow, SIM_NO_HOST, ready_ps - run->notify_ps);
    if (atomic_load_explicit(&run->flow[flow].left, memory_order_relaxed) == 0)
        sim_due_between(e, src, run->flow[flow].start_ps);
}

/* Stores a reply of `host` to host `to`. weir_sim_jobs_step() starts the reply at the same instant, before `host`
 * receives its next packet. This is the callback struct weir_account.asks; ctx: the engine. */
static void jobs_ask(void *ctx, uint32_t host, uint32_t to, uint32_t item, uint64_t now_ps)
{
    const struct sim_engine *e = ctx;
    struct sim_host_jobs *own = e->host[host].jobs;
    WEIR_ASSERT(own->replies == 0 || own->reply_ps == now_ps);
    WEIR_ASSERT(own->replies < WEIR_NICS_MAX);
    own->reply_ps = now_ps;
    own->reply[own->replies++] = (struct sim_reply){ to, item };
}

/* --- one host --- */

void weir_sim_jobs_collect(struct sim_jobs *run, struct sim_host_jobs *own)
{
    uint32_t flow;
    if (atomic_load_explicit(&own->inbox, memory_order_relaxed) == SIM_NO_FLOW)
        return;
    flow = atomic_exchange_explicit(&own->inbox, SIM_NO_FLOW, memory_order_acquire);
    for (; flow != SIM_NO_FLOW; flow = run->flow[flow].next_in_inbox)
        weir_heap_push(&own->released, run->flow[flow].start_ps, flow);
}

static void jobs_start(struct sim_thread *th, struct sim_host *host, uint32_t flow, uint64_t now_ps)
{
    const struct sim_jobs *run = th->engine->jobs;
    const struct weir_job_flow *f = &run->jobs->flow[flow];
    struct weir_message m = { .id = weir_message_id(f->src, host->source.started++),
                              .start_ps = now_ps,
                              .bytes = f->bytes,
                              .src = f->src,
                              .dst = f->dst,
                              .item = f->item,
                              .tag = run->first_tag + flow,
                              .number = flow,
                              .weight_q20 = run->flow[flow].weight_q20 };
    weir_sim_host_start(th, host, &m);
}

/* Takes the first reply, by (item, receiver), out of those of this instant. */
static struct sim_reply take_reply(struct sim_host_jobs *own)
{
    uint32_t first = 0;
    struct sim_reply reply;
    for (uint32_t i = 1; i < own->replies; i++) {
        const struct sim_reply *a = &own->reply[i], *b = &own->reply[first];
        if (a->item < b->item || (a->item == b->item && a->to < b->to))
            first = i;
    }
    reply = own->reply[first];
    own->reply[first] = own->reply[--own->replies];
    return reply;
}

static void jobs_reply(struct sim_thread *th, struct sim_host *host, struct sim_host_jobs *own, uint64_t now_ps)
{
    const struct weir_workload *wl = th->engine->model->workload;
    const struct sim_reply reply = take_reply(own);
    struct weir_message m = { .id = weir_message_id(host->source.host, host->source.started++),
                              .start_ps = now_ps,
                              .bytes = wl->reply_bytes[reply.item],
                              .src = host->source.host,
                              .dst = reply.to,
                              .item = reply.item,
                              .weight_q20 = WEIR_WEIGHT_ONE,
                              .is_reply = true };
    if (own->replies == 0)
        own->reply_ps = WEIR_NEVER;
    weir_sim_host_start(th, host, &m);
}

static void jobs_set_weight(struct sim_thread *th, struct sim_host *host, uint32_t flow, uint64_t weight_q20,
                            uint64_t now_ps)
{
    struct sim_jobs *run = th->engine->jobs;
    const struct weir_account_flow *at = &th->engine->account.flow[run->first_tag + flow - 1];
    run->flow[flow].weight_q20 = weight_q20;
    if (at->state == 1 && weir_host_weight(host->h, now_ps, at->handle, weight_q20) == WEIR_E_MEMORY)
        longjmp(th->out_of_memory, 1);
}

void weir_sim_jobs_step(struct sim_thread *th, struct sim_host *host, uint64_t now_ps)
{
    struct sim_host_jobs *own = host->jobs;
    const struct sim_job_flow *flow = th->engine->jobs->flow;
    while (own->reply_ps == now_ps)
        jobs_reply(th, host, own, now_ps);
    while (own->released.count > 0 && own->released.entry[0].at_ps == now_ps) {
        uint32_t first = (uint32_t)own->released.entry[0].id;
        weir_heap_pop(&own->released);
        jobs_start(th, host, first, now_ps);
    }
    for (; own->change < own->change_end && own->change->at_ps == now_ps; own->change++)
        jobs_set_weight(th, host, own->change->flow, own->change->weight_q20, now_ps);
    WEIR_ASSERT(own->released.count == 0 || own->released.entry[0].at_ps > now_ps);
    WEIR_ASSERT(own->change == own->change_end || own->change->at_ps > now_ps);
    if (own->notified_ps != now_ps)
        return;
    for (; own->notified_first != SIM_NO_FLOW; own->notified_first = flow[own->notified_first].next_notified)
        jobs_set_weight(th, host, own->notified_first, flow[own->notified_first].notified_q20, now_ps);
    own->notified_ps = WEIR_NEVER;
}

/* --- ticks --- */

/* Returns the progress of a flow at this tick, for the policies, and stores its acknowledged bytes for the next
 * tick. */
static struct weir_job_progress tick_progress(const struct sim_engine *e, uint32_t flow)
{
    const struct sim_jobs *run = e->jobs;
    const struct weir_job_flow *f = &run->jobs->flow[flow];
    struct weir_snapshot_flow at;
    uint64_t acked_bytes = run->acked_bytes[flow];
    if (!sim_is_mine(e, f->src))
        return (struct weir_job_progress){ .active = false };
    weir_account_snapshot(&e->account.flow[run->first_tag + flow - 1], e->host[f->src].h, &at);
    WEIR_ASSERT(at.now.acked_bytes >= acked_bytes);
    WEIR_ASSERT(at.now.acked_bytes <= f->bytes);
    run->acked_bytes[flow] = at.now.acked_bytes;
    return (struct weir_job_progress){
        .left_bytes = f->bytes - at.now.acked_bytes,
        .rate_bps = weir_mul_div_u64((at.now.acked_bytes - acked_bytes) * 8, WEIR_PS_PER_S, run->jobs->tick_ps),
        .active = at.state == 1 && at.now.acked_bytes < f->bytes,
    };
}

/* Adds a flow to its sender's list of flows whose weight changes now, and makes the sender due now. The new weight is
 * run->weight_q20[flow]. */
static void tick_notify(struct sim_engine *e, uint32_t flow, uint64_t now_ps)
{
    struct sim_jobs *run = e->jobs;
    uint32_t src = run->jobs->flow[flow].src;
    struct sim_host_jobs *own = &run->host[src];
    run->flow[flow].notified_q20 = run->weight_q20[flow];
    run->flow[flow].next_notified = SIM_NO_FLOW;
    if (own->notified_ps == now_ps)
        run->flow[own->notified_last].next_notified = flow;
    else
        own->notified_first = flow;
    own->notified_last = flow;
    own->notified_ps = now_ps;
    sim_due_at(e, src, now_ps); /* no earlier instant is possible: the clocks of all groups are at now */
}

static void merge_progress(void *sum, const void *of, size_t bytes)
{
    struct weir_job_progress *to = sum;
    const struct weir_job_progress *from = of;
    for (size_t f = 0; f < bytes / sizeof(*to); f++) {
        to[f].left_bytes += from[f].left_bytes;
        to[f].rate_bps += from[f].rate_bps;
        to[f].active |= from[f].active;
    }
}

/* Fills run->progress and run->weight_q20, the weights of now. With ranks, each knows those of its hosts, and rank 0
 * gets all of them. */
static void tick_collect(struct sim_engine *e)
{
    struct sim_jobs *run = e->jobs;
    uint32_t flows = run->jobs->flow_count;
    for (uint32_t f = 0; f < flows; f++) {
        run->progress[f] = tick_progress(e, f);
        run->weight_q20[f] = sim_is_mine(e, run->jobs->flow[f].src) ? run->flow[f].weight_q20 : 0;
    }
    weir_sim_ranks_merge(e, run->progress, flows * sizeof(*run->progress), merge_progress);
    weir_sim_ranks_sum(e, run->weight_q20, flows);
    if (sim_is_first(e))
        for (uint32_t f = 0; f < flows; f++)
            run->flow[f].weight_q20 = run->weight_q20[f];
}

bool weir_sim_jobs_tick(struct sim_engine *e, uint64_t now_ps)
{
    struct sim_jobs *run = e->jobs;
    uint32_t flows = run->jobs->flow_count;
    uint64_t notified = 0;
    tick_collect(e);
    if (sim_is_first(e))
        weir_jobs_tick(run->jobs, run->progress, run->weight_q20);
    for (uint32_t f = 0; f < flows && sim_is_first(e); f++)
        notified += run->weight_q20[f] != run->flow[f].weight_q20;
    weir_sim_ranks_share(e, &notified, sizeof(notified));
    weir_sim_ranks_share(e, run->weight_q20, flows * sizeof(*run->weight_q20));
    for (uint32_t f = 0; f < flows; f++)
        if (run->weight_q20[f] != run->flow[f].weight_q20 && sim_is_mine(e, run->jobs->flow[f].src))
            tick_notify(e, f, now_ps);
    return notified > 0;
}

/* --- before and after the run --- */

static int jobs_compare_changes(const void *a, const void *b)
{
    const struct sim_job_change *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->flow < y->flow ? -1 : x->flow > y->flow;
}

/* Copies the changes of weights that are known before the run, sorts them by sender, time and flow, and gives each host
 * its part of the array. */
static void jobs_changes(struct sim_jobs *run, uint32_t hosts)
{
    struct sim_job_change *last = run->change, *at = last;
    for (uint32_t f = 0; f < run->jobs->flow_count; f++) {
        const struct weir_job_flow *flow = &run->jobs->flow[f];
        for (uint32_t i = flow->change_first; i < flow->change_first + flow->change_count; i++) {
            const struct weir_job_change *c = &run->jobs->change[i];
            *last++ = (struct sim_job_change){ c->at_ps, c->weight_q20, flow->src, f };
        }
    }
    qsort(run->change, (size_t)(last - run->change), sizeof(*last), jobs_compare_changes);
    for (uint32_t h = 0; h < hosts; h++) {
        run->host[h].change = at;
        while (at < last && at->src == h)
            at++;
        run->host[h].change_end = at;
    }
    WEIR_ASSERT(at == last);
}

static bool jobs_alloc(struct sim_jobs *run, uint32_t hosts)
{
    size_t some = run->jobs->flow_count + 1u; /* + 1: an allocation for no flow must not return NULL */
    run->flow = calloc(some, sizeof(*run->flow));
    run->host = aligned_alloc(64, hosts * sizeof(*run->host));
    run->change = calloc(run->jobs->change_count + 1u, sizeof(*run->change));
    run->released = calloc(some, sizeof(*run->released));
    run->progress = calloc(some, sizeof(*run->progress));
    run->weight_q20 = calloc(some, sizeof(*run->weight_q20));
    run->acked_bytes = calloc(some, sizeof(*run->acked_bytes));
    return run->flow != NULL && run->host != NULL && run->change != NULL && run->released != NULL &&
           run->progress != NULL && run->weight_q20 != NULL && run->acked_bytes != NULL;
}

static void jobs_hosts(struct sim_jobs *run, uint32_t hosts)
{
    struct weir_heap_entry *room = run->released;
    memset(run->host, 0, hosts * sizeof(*run->host));
    for (uint32_t f = 0; f < run->jobs->flow_count; f++)
        run->host[run->jobs->flow[f].src].released.capacity++;
    for (uint32_t h = 0; h < hosts; h++) {
        struct sim_host_jobs *own = &run->host[h];
        atomic_init(&own->inbox, SIM_NO_FLOW);
        own->released.entry = room;
        own->notified_first = SIM_NO_FLOW;
        own->notified_ps = own->reply_ps = WEIR_NEVER;
        room += own->released.capacity;
    }
    WEIR_ASSERT(room == run->released + run->jobs->flow_count);
}

static void jobs_flows(struct sim_jobs *run)
{
    for (uint32_t i = 0; i < run->jobs->flow_count; i++) {
        const struct weir_job_flow *from = &run->jobs->flow[i];
        struct sim_job_flow *f = &run->flow[i];
        atomic_init(&f->ready_ps, 0);
        atomic_init(&f->left, from->after_count);
        f->weight_q20 = from->weight_q20;
        f->start_ps = from->start_ps;
        if (from->after_count == 0)
            weir_heap_push(&run->host[from->src].released, f->start_ps, i);
    }
}

static const struct weir_jobs no_jobs;

bool weir_sim_jobs_init(struct sim_engine *e)
{
    const struct weir_workload *wl = e->model->workload;
    const struct weir_topology *topo = e->model->topo;
    struct sim_jobs *run;
    if (wl->jobs == NULL && !wl->replies)
        return true;
    run = e->jobs = calloc(1, sizeof(*run));
    if (run == NULL)
        return false;
    run->jobs = wl->jobs != NULL ? wl->jobs : &no_jobs;
    run->first_tag = wl->tag_count - run->jobs->flow_count + 1;
    run->notify_ps = WEIR_NEVER;
    for (uint32_t i = 0; i < topo->link_count; i++)
        run->notify_ps = weir_min_u64(run->notify_ps, topo->link[i].delay_ps);
    run->notify_ps = weir_max_u64(run->notify_ps, run->jobs->notify_ps);
    if (!jobs_alloc(run, topo->host_count))
        return false;
    jobs_hosts(run, topo->host_count);
    jobs_changes(run, topo->host_count);
    jobs_flows(run);
    for (uint32_t h = 0; h < topo->host_count; h++)
        e->host[h].jobs = &run->host[h];
    e->unblocked = jobs_unblocked;
    e->account.arrived = jobs_arrived;
    e->account.arrived_ctx = e;
    if (wl->replies) {
        e->account.asks = jobs_ask;
        e->account.asks_ctx = e;
    }
    return true;
}

void weir_sim_jobs_free(struct sim_engine *e)
{
    struct sim_jobs *run = e->jobs;
    if (run == NULL)
        return;
    free(run->acked_bytes);
    free(run->weight_q20);
    free(run->progress);
    free(run->released);
    free(run->change);
    free(run->host);
    free(run->flow);
    free(run);
    e->jobs = NULL;
}
