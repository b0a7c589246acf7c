/* test/oracle/jobs.c - doc/model.md [jobs]: flows that wait for others, weights that change. The plain way: when a flow ends,
 * each that waits for it looks at all that it waits for. */
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>

struct oracle_job_flow {
    uint64_t ended_ps;                 /* WEIR_NEVER = not yet */
    uint64_t weight_q20, notified_q20; /* at present; as the last tick set it */
    uint64_t acked_bytes;              /* at the last tick */
    bool released;
};

struct oracle_jobs {
    const struct weir_jobs *jobs;
    uint32_t first_tag, flows_left; /* not started */
    uint64_t notify_ps;
    struct oracle_job_flow *flow;
    struct weir_job_progress *progress;
    uint64_t *weight_q20;
};

/* Waits for nothing any more: starts some day. @return false = it waits */
static bool start_of(const struct oracle_jobs *run, uint32_t flow, uint64_t *start_ps)
{
    const struct weir_job_flow *f = &run->jobs->flow[flow];
    uint64_t able_ps = 0;
    for (uint32_t i = 0; i < f->after_count; i++) {
        uint32_t other = run->jobs->edge[f->after_first + i];
        uint64_t ended_ps = run->flow[other].ended_ps;
        if (ended_ps == WEIR_NEVER)
            return false;
        if (run->jobs->flow[other].dst != f->src)
            ended_ps += run->notify_ps;
        able_ps = weir_max_u64(able_ps, ended_ps);
    }
    *start_ps = able_ps + f->start_ps;
    return true;
}

static void release(struct oracle *o, uint32_t flow)
{
    uint64_t start_ps;
    if (o->jobs->flow[flow].released || !start_of(o->jobs, flow, &start_ps))
        return;
    o->jobs->flow[flow].released = true; /* it may wait for one flow twice */
    oracle_push(o, start_ps, o->jobs->jobs->flow[flow].src, ORACLE_RELEASE, flow);
}

static void arrived(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps)
{
    struct oracle *o = ctx;
    struct oracle_jobs *run = o->jobs;
    const struct weir_job_flow *f;
    if (tag < run->first_tag)
        return;
    f = &run->jobs->flow[tag - run->first_tag];
    WEIR_ASSERT(f->dst == host && run->flow[tag - run->first_tag].ended_ps == WEIR_NEVER);
    run->flow[tag - run->first_tag].ended_ps = now_ps;
    for (uint32_t i = 0; i < f->before_count; i++)
        release(o, run->jobs->edge[f->before_first + i]);
}

static void push_changes(struct oracle *o, uint32_t flow)
{
    const struct weir_job_flow *f = &o->jobs->jobs->flow[flow];
    for (uint32_t i = 0; i < f->change_count; i++)
        oracle_push(o, o->jobs->jobs->change[f->change_first + i].at_ps, f->src, ORACLE_CHANGE, flow);
}

void oracle_jobs_init(struct oracle *o)
{
    const struct weir_workload *wl = o->model->workload;
    struct oracle_jobs *run;
    o->next_policy_ps = WEIR_NEVER;
    if (wl->jobs == NULL)
        return;
    run = o->jobs = oracle_alloc(1, sizeof(*run));
    run->jobs = wl->jobs;
    run->flows_left = wl->jobs->flow_count;
    run->first_tag = wl->tag_count - wl->jobs->flow_count + 1;
    run->flow = oracle_alloc(run->flows_left + 1u, sizeof(*run->flow));
    run->progress = oracle_alloc(run->flows_left + 1u, sizeof(*run->progress));
    run->weight_q20 = oracle_alloc(run->flows_left + 1u, sizeof(*run->weight_q20));
    run->notify_ps = o->topo->link[0].delay_ps;
    for (uint32_t i = 1; i < o->topo->link_count; i++)
        run->notify_ps = weir_min_u64(run->notify_ps, o->topo->link[i].delay_ps);
    run->notify_ps = weir_max_u64(run->notify_ps, wl->jobs->notify_ps);
    o->account.arrived = arrived;
    o->account.arrived_ctx = o;
    if (wl->jobs->tick_ps > 0)
        o->next_policy_ps = wl->jobs->tick_ps;
    for (uint32_t f = 0; f < run->jobs->flow_count; f++) {
        run->flow[f] = (struct oracle_job_flow){ .ended_ps = WEIR_NEVER, .weight_q20 = run->jobs->flow[f].weight_q20 };
        push_changes(o, f);
    }
    for (uint32_t f = 0; f < run->jobs->flow_count; f++)
        release(o, f); /* those that wait for nothing */
}

void oracle_jobs_free(struct oracle *o)
{
    if (o->jobs == NULL)
        return;
    free(o->jobs->flow);
    free(o->jobs->progress);
    free(o->jobs->weight_q20);
    free(o->jobs);
}

bool oracle_jobs_wait(const struct oracle *o)
{
    return o->jobs != NULL && o->jobs->flows_left > 0;
}

void oracle_jobs_start(struct oracle *o, uint32_t flow)
{
    const struct weir_job_flow *f = &o->jobs->jobs->flow[flow];
    struct weir_source *source = &o->host[f->src].source;
    o->jobs->flows_left--;
    oracle_host_send(o, &(struct weir_message){ .id = (uint64_t)f->src << 40 | source->started++,
                                                .start_ps = o->now_ps,
                                                .bytes = f->bytes,
                                                .src = f->src,
                                                .dst = f->dst,
                                                .item = f->item,
                                                .tag = o->jobs->first_tag + flow,
                                                .weight_q20 = o->jobs->flow[flow].weight_q20 });
}

static void weigh(struct oracle *o, uint32_t flow, uint64_t weight_q20)
{
    const struct weir_account_flow *at = &o->account.flow[o->jobs->first_tag - 1 + flow];
    o->jobs->flow[flow].weight_q20 = weight_q20;
    if (at->state == 1)
        oracle_host_weigh(o, at->src, at->handle, weight_q20);
}

void oracle_jobs_change(struct oracle *o, uint32_t flow)
{
    const struct weir_job_flow *f = &o->jobs->jobs->flow[flow];
    uint64_t weight_q20 = 0;
    for (uint32_t i = 0; i < f->change_count; i++)
        if (o->jobs->jobs->change[f->change_first + i].at_ps == o->now_ps)
            weight_q20 = o->jobs->jobs->change[f->change_first + i].weight_q20;
    weigh(o, flow, weight_q20);
}

void oracle_jobs_told(struct oracle *o, uint32_t flow)
{
    weigh(o, flow, o->jobs->flow[flow].notified_q20);
}

static void look_at_progress(struct oracle *o, uint32_t flow)
{
    struct oracle_jobs *run = o->jobs;
    const struct weir_account_flow *at = &o->account.flow[run->first_tag - 1 + flow];
    struct weir_job_progress *p = &run->progress[flow];
    uint64_t bytes = run->jobs->flow[flow].bytes, acked = 0;
    struct weir_host_flow now;
    if (at->state == 1 && weir_host_flow(o->host[at->src].host, at->handle, &now))
        acked = now.acked_bytes;
    if (at->state == 2)
        acked = bytes;
    p->left_bytes = bytes - acked;
    p->active = at->state == 1 && p->left_bytes > 0;
    p->rate_bps = weir_mul_div_u64(acked - run->flow[flow].acked_bytes, 8 * WEIR_PS_PER_S, run->jobs->tick_ps);
    run->flow[flow].acked_bytes = acked;
}

void oracle_jobs_tick(struct oracle *o)
{
    struct oracle_jobs *run = o->jobs;
    if (o->model->until_done && !oracle_is_undelivered(o)) {
        o->next_policy_ps = WEIR_NEVER;
        return;
    }
    o->next_policy_ps += run->jobs->tick_ps;
    for (uint32_t f = 0; f < run->jobs->flow_count; f++) {
        look_at_progress(o, f);
        run->weight_q20[f] = run->flow[f].weight_q20;
    }
    weir_jobs_tick(run->jobs, run->progress, run->weight_q20);
    for (uint32_t f = 0; f < run->jobs->flow_count; f++) {
        if (run->weight_q20[f] == run->flow[f].weight_q20)
            continue;
        run->flow[f].notified_q20 = run->weight_q20[f];
        oracle_push(o, o->now_ps, run->jobs->flow[f].src, ORACLE_TOLD, f);
    }
}
