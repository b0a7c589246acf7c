/* src/scenario/config/jobs_build.c - adds a job that was read to the jobs of the run: its copies, their start times,
 * and hosts for their tasks. Draws of hosts are hashes of the seed, the item, the copy and the task, so they do not
 * depend on what follows in the file. */
#include "config/jobs_read.h"
#include "core/math.h"
#include "core/rng.h"
#include "workload/plan.h"
#include <stdio.h>
#include <stdlib.h>

enum { DRAWS = 64, COPY_NAME = WEIR_JOB_NAME + 16 };

/* Draws a host that has no task of this copy yet. After DRAWS hosts that have one, takes the next free host above the
 * last one drawn. At least one host must be free. */
static uint32_t draw_host(const struct weir_jobs_reader *r, uint64_t key, uint32_t task)
{
    uint32_t hosts = r->limits->hosts, host = 0;
    for (uint32_t i = 0; i < DRAWS; i++) {
        host = weir_rng_below(weir_rng_at(key, (uint64_t)task * DRAWS + i), hosts);
        if (r->last_copy[host] != r->copies)
            return host;
    }
    while (r->last_copy[host] == r->copies)
        host = (host + 1) % hosts;
    return host;
}

/* Assigns a host to each task of a copy: first the hosts that the file names, then random ones. A random task gets a
 * host without a task of this copy while there are any, and then any host. */
static void assign_hosts(const struct weir_jobs_reader *r, struct weir_job_read *job)
{
    uint64_t key = weir_rng_key(r->limits->seed, r->copies, WEIR_RNG_TASK_HOST, r->item);
    uint32_t used = 0;
    for (uint32_t t = 0; t < job->task_count; t++) {
        job->task[t].host = job->task[t].fixed;
        if (job->task[t].fixed == WEIR_TASK_RANDOM || r->last_copy[job->task[t].fixed] == r->copies)
            continue;
        r->last_copy[job->task[t].fixed] = r->copies;
        used++;
    }
    for (uint32_t t = 0; t < job->task_count; t++) {
        if (job->task[t].fixed != WEIR_TASK_RANDOM)
            continue;
        if (used == r->limits->hosts)
            job->task[t].host = weir_rng_below(weir_rng_at(key, (uint64_t)t * DRAWS), r->limits->hosts);
        else
            job->task[t].host = draw_host(r, key, t);
        used += r->last_copy[job->task[t].host] != r->copies;
        r->last_copy[job->task[t].host] = r->copies;
    }
}

static uint32_t host_of(const struct weir_job_read *job, const struct weir_job_end *end)
{
    return end->task != UINT32_MAX ? job->task[end->task].host : end->host;
}

int weir_jobs_keep_position(struct weir_jobs_reader *r, uint32_t n, const struct weir_tok *at)
{
    if ((n & (n - 1)) == 0) {
        struct weir_tok *where = realloc(r->where, (n == 0 ? 1 : 2 * (size_t)n) * sizeof(*where));
        if (where == NULL)
            return weir_fail(r->err, WEIR_E_MEMORY, NULL, NULL, "no memory for jobs");
        r->where = where;
    }
    r->where[n] = *at;
    return 0;
}

/* Adds a flow of one copy to r->jobs. The delay of a flow counts from start_ps, the start of the copy. If the flow
 * waits for others, its delay counts from the end of the last of them. Policy fair ignores changes of weight. */
static int add_flow(struct weir_jobs_reader *r, const struct weir_job_read *job, const struct weir_job_read_flow *read,
                    uint32_t first_flow, uint32_t first_coflow, uint64_t start_ps)
{
    struct weir_job_flow flow = { .bytes = read->bytes,
                                  .weight_q20 = read->weight_q20,
                                  .start_ps = read->delay_ps + (read->after_count == 0 ? start_ps : 0),
                                  .src = host_of(job, &read->from),
                                  .dst = host_of(job, &read->to),
                                  .coflow = first_coflow + read->coflow,
                                  .item = r->item };
    int code = weir_jobs_add_flow(r->jobs, &flow, read->name, r->err);
    if (code == 0)
        code = weir_jobs_keep_position(r, r->jobs->flow_count - 1, &read->node->at);
    for (uint32_t i = 0; code == 0 && i < read->after_count; i++)
        code = weir_jobs_add_after(r->jobs, first_flow + read->after[i], r->err);
    bool changes = r->jobs->job[r->jobs->job_count - 1].policy != WEIR_POLICY_FAIR;
    for (uint32_t i = 0; code == 0 && changes && i < read->change_count; i++) {
        struct weir_job_change change = read->change[i];
        change.at_ps += start_ps;
        code = weir_jobs_add_change(r->jobs, &change, r->err);
    }
    return code;
}

static int add_copy(struct weir_jobs_reader *r, struct weir_job_read *job, const char *name, uint64_t start_ps)
{
    uint32_t policy = job->keys.policy != 0 ? job->keys.policy - 1 : r->policy;
    struct weir_job header = { .name = name,
                               .policy = r->policy_said != 0 ? r->policy_said - 1 : policy,
                               .sum_q20 = job->sum_q20 };
    uint32_t first_flow = r->jobs->flow_count, first_coflow = r->jobs->coflow_count;
    int code = weir_jobs_add(r->jobs, &header, r->err);
    r->copies++;
    assign_hosts(r, job);
    for (uint32_t c = 0; code == 0 && c < job->coflow_count; c++)
        code = weir_jobs_add_coflow(r->jobs, job->coflow_name[c], r->err);
    for (uint32_t f = 0; code == 0 && f < job->flow_count; f++)
        code = add_flow(r, job, &job->flow[f], first_flow, first_coflow, start_ps);
    return code;
}

int weir_jobs_build(struct weir_jobs_reader *r, struct weir_job_read *job)
{
    struct weir_rng rng = { .key = weir_rng_key(r->limits->seed, r->copies, WEIR_RNG_JOB_ARRIVAL, r->item) };
    uint64_t start_ps = r->start_ps + job->keys.start_ps;
    int code = 0;
    for (uint32_t copy = 0; code == 0 && copy < job->keys.repeat; copy++) {
        char name[COPY_NAME];
        if (start_ps > 2 * WEIR_TRAFFIC_TIME_MAX)
            return weir_fail(r->err, WEIR_E_RANGE, NULL, "fewer copies, or a shorter period or apart",
                             "job '%s': copy %u would start later than 36000 s", job->keys.name, copy + 1);
        if (job->keys.repeat == 1)
            (void)snprintf(name, sizeof(name), "%s", job->keys.name);
        else
            (void)snprintf(name, sizeof(name), "%s#%u", job->keys.name, copy + 1);
        code = add_copy(r, job, name, start_ps);
        start_ps += job->keys.arrival == 0 ? job->keys.period_ps
                                           : weir_exponential(job->keys.period_ps * 1000, weir_rng_next(&rng)) / 1000;
    }
    return code;
}
