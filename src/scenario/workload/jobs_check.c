/* src/scenario/workload/jobs_check.c - checks jobs before a run, and orders their flows by dependencies. */
#include "core/math.h"
#include "workload/cdf.h"
#include "workload/jobs_internal.h"
#include "workload/plan.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME = 60, LIST = 300 }; /* bytes in messages: longer names and cycles are cut */

int weir_jobs_fail(const struct weir_jobs *jobs, uint32_t flow, const struct weir_tok *where, struct weir_err *err,
                   enum weir_err_code code, const char *hint, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return weir_fail(err, code, where != NULL ? &where[flow] : NULL, hint, "flow '%.*s' of job '%.*s': %s", NAME,
                     jobs->flow_name[flow], NAME, jobs->job[jobs->flow[flow].job].name, text);
}

static bool is_weight(uint64_t weight_q20)
{
    return weight_q20 >= WEIR_WEIGHT_MIN && weight_q20 <= WEIR_WEIGHT_MAX;
}

static int check_flow(const struct weir_jobs *jobs, uint32_t f, uint32_t hosts, const struct weir_tok *where,
                      struct weir_err *err)
{
    const struct weir_job_flow *flow = &jobs->flow[f];
    uint32_t wrong = flow->src >= hosts ? flow->src : flow->dst;
    if (wrong >= hosts)
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE, NULL,
                              "host %u does not exist: the topology has %u hosts (0 to %u)", wrong, hosts, hosts - 1);
    if (flow->src == flow->dst)
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE,
                              "place its two ends on different hosts, or use more hosts than the job has tasks",
                              "both ends are host %u, and a host cannot send to itself", flow->src);
    if (flow->bytes == 0 || flow->bytes > WEIR_CDF_SIZE_MAX)
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE, NULL, "its size is %llu B: a flow has 1 byte to 1 TiB",
                              (unsigned long long)flow->bytes);
    if (!is_weight(flow->weight_q20))
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE, NULL, "its weight must be 0.001 to 1000000");
    if (flow->start_ps > 2 * WEIR_TRAFFIC_TIME_MAX) /* start of its job plus its own delay */
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE, NULL, "it starts later than 36000 s");
    return 0;
}

/* Checks the dependencies of a flow, which must be flows of the same job. Checks the changes of its weight: they must
 * be in order of time and in the range of weights, and the policy must not set weights at ticks. @return 0, or a code
 * with err */
static int check_behind(const struct weir_jobs *jobs, uint32_t f, const struct weir_tok *where, struct weir_err *err)
{
    const struct weir_job_flow *flow = &jobs->flow[f];
    const struct weir_job *job = &jobs->job[flow->job];
    for (uint32_t i = 0; i < flow->after_count; i++) {
        uint32_t before = jobs->edge[flow->after_first + i];
        if (before < job->first || before >= job->first + job->count)
            return weir_jobs_fail(jobs, f, where, err, WEIR_E_UNKNOWN, NULL,
                                  "it waits for flow number %u, which is none of its job's", before);
    }
    if (flow->change_count > 0 && weir_policy_ticks(job->policy))
        return weir_jobs_fail(jobs, f, where, err, WEIR_E_CONFLICT, "leave weights out, or use another policy",
                              "its weights change at given times, and its job's policy sets them at every tick");
    for (uint32_t i = 0; i < flow->change_count; i++) {
        const struct weir_job_change *change = &jobs->change[flow->change_first + i];
        if (!is_weight(change->weight_q20))
            return weir_jobs_fail(jobs, f, where, err, WEIR_E_RANGE, NULL, "its weights must be 0.001 to 1000000");
        if (i > 0 && change->at_ps <= change[-1].at_ps)
            return weir_jobs_fail(jobs, f, where, err, WEIR_E_CONFLICT, NULL,
                                  "its weights change in order of time, once at an instant");
    }
    return 0;
}

static int check_job(const struct weir_jobs *jobs, uint32_t j, struct weir_err *err)
{
    const struct weir_job *job = &jobs->job[j];
    if (job->count == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "job '%.*s' has no flows", NAME, job->name);
    if (job->policy == WEIR_POLICY_CONSTANT_SUM && !is_weight(job->sum_q20))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "job '%.*s': sum must be 0.001 to 1000000", NAME, job->name);
    if (weir_policy_ticks(job->policy) && jobs->tick_ps == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example tick: 100 us, at the top of the file",
                         "job '%.*s': its policy reads what flows have done at every tick, and tick is not given", NAME,
                         job->name);
    return 0;
}

int weir_jobs_check(const struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err)
{
    int code = 0;
    if (jobs->job_count == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "there is no job");
    for (uint32_t j = 0; code == 0 && j < jobs->job_count; j++)
        code = check_job(jobs, j, err);
    for (uint32_t f = 0; code == 0 && f < jobs->flow_count; f++) {
        code = check_flow(jobs, f, hosts, where, err);
        if (code == 0)
            code = check_behind(jobs, f, where, err);
    }
    return code;
}

/* Returns the first flow with left != 0 for which `flow` waits. There is one if left[flow] != 0. */
static uint32_t left_before(const struct weir_jobs *jobs, const uint32_t *left, uint32_t flow)
{
    const uint32_t *after = &jobs->edge[jobs->flow[flow].after_first];
    while (left[*after] == 0)
        after++;
    return *after;
}

/* Reports a cycle. Every flow f with left[f] != 0 waits for another such flow, so going back from any of them ends in a
 * cycle. left: is overwritten. @return WEIR_E_CONFLICT with err */
static int fail_cycle(const struct weir_jobs *jobs, uint32_t *left, const struct weir_tok *where, struct weir_err *err)
{
    const uint32_t seen = UINT32_MAX;
    uint32_t f = 0, start;
    char names[LIST] = "";
    size_t used = 0;
    while (left[f] == 0)
        f++;
    for (; left[f] != seen; f = left_before(jobs, left, f))
        left[f] = seen;
    start = f;
    do {
        uint32_t after = left_before(jobs, left, f);
        if (used < sizeof(names))
            used += (size_t)snprintf(names + used, sizeof(names) - used, "%s'%.*s' after '%.*s'", used > 0 ? ", " : "",
                                     NAME, jobs->flow_name[f], NAME, jobs->flow_name[after]);
        f = after;
    } while (f != start);
    return weir_jobs_fail(jobs, f, where, err, WEIR_E_CONFLICT, "take one of these out of an 'after'",
                          "flows wait for each other in a circle: %s%s", names, used >= sizeof(names) ? " .." : "");
}

int weir_jobs_order(const struct weir_jobs *jobs, uint32_t *order, const struct weir_tok *where, struct weir_err *err)
{
    uint32_t *left = calloc(jobs->flow_count, sizeof(*left)); /* per flow: number of flows that it still waits for */
    uint32_t count = 0;
    int code = 0;
    if (left == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for jobs");
    for (uint32_t f = 0; f < jobs->flow_count; f++) {
        left[f] = jobs->flow[f].after_count;
        if (left[f] == 0)
            order[count++] = f;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_job_flow *flow = &jobs->flow[order[i]];
        for (uint32_t k = 0; k < flow->before_count; k++) {
            uint32_t next = jobs->edge[flow->before_first + k];
            if (--left[next] == 0)
                order[count++] = next;
        }
    }
    if (count < jobs->flow_count)
        code = fail_cycle(jobs, left, where, err);
    free(left);
    return code;
}
