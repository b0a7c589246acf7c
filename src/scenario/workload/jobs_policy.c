/* src/scenario/workload/jobs_policy.c - the weights that policies give to flows: at their start, and at every tick from
 * their progress. Only whole numbers are used, so that engine and oracle get the same weights. */
#include "core/math.h"
#include "workload/jobs_internal.h"

/* equal-progress: most by which a flow's own weight is multiplied. Assumed: no figure is published. */
#define RAISE_MAX 16u

bool weir_policy_ticks(uint32_t policy)
{
    return policy == WEIR_POLICY_CONSTANT_SUM || policy == WEIR_POLICY_EQUAL_PROGRESS ||
           policy == WEIR_POLICY_ALTRUISTIC;
}

static uint64_t clamp_weight(uint64_t weight_q20)
{
    return weir_max_u64(WEIR_WEIGHT_MIN, weir_min_u64(WEIR_WEIGHT_MAX, weight_q20));
}

/* Returns weight_q20 * num / den, rounded down and clamped to the range of weights. */
static uint64_t scale_weight(uint64_t weight_q20, uint64_t num, uint64_t den)
{
    return clamp_weight(weir_mul_div_u64(weight_q20, num, den));
}

/* --- at the start --- */

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Sets distance[f] to the number of flows on the longest path from flow f to the end of its job, f included. order: as
 * weir_jobs_order() wrote it */
static void find_distances(const struct weir_jobs *jobs, const uint32_t *order, uint32_t *distance)
{
    for (uint32_t i = jobs->flow_count; i-- > 0;) {
        const struct weir_job_flow *flow = &jobs->flow[order[i]];
        uint32_t most = 0;
        for (uint32_t k = 0; k < flow->before_count; k++)
            most = max_u32(most, distance[jobs->edge[flow->before_first + k]]);
        distance[order[i]] = most + 1; /* at most WEIR_JOB_FLOWS_MAX */
    }
}

struct job_sum { /* extremes and sum over the flows of a job */
    uint64_t smallest_bytes, largest_bytes;
    uint64_t root_weights_q20; /* of the flows that wait for nothing; 2^40 * 2^21 fits */
};

static struct job_sum sum_job(const struct weir_jobs *jobs, const struct weir_job *job)
{
    struct job_sum sum = { .smallest_bytes = UINT64_MAX };
    for (uint32_t f = job->first; f < job->first + job->count; f++) {
        const struct weir_job_flow *flow = &jobs->flow[f];
        sum.smallest_bytes = weir_min_u64(sum.smallest_bytes, flow->bytes);
        sum.largest_bytes = weir_max_u64(sum.largest_bytes, flow->bytes);
        sum.root_weights_q20 += flow->after_count == 0 ? flow->weight_q20 : 0;
    }
    return sum;
}

void weir_jobs_set_weights(struct weir_jobs *jobs, const uint32_t *order, uint32_t *distance)
{
    find_distances(jobs, order, distance);
    for (uint32_t j = 0; j < jobs->job_count; j++) {
        const struct weir_job *job = &jobs->job[j];
        struct job_sum sum = sum_job(jobs, job);
        for (uint32_t f = job->first; f < job->first + job->count; f++) {
            struct weir_job_flow *flow = &jobs->flow[f];
            if (job->policy == WEIR_POLICY_CRITICAL_PATH)
                flow->weight_q20 = scale_weight(flow->weight_q20, distance[f], 1);
            else if (job->policy == WEIR_POLICY_CRITICAL_PATH_SQUARED) /* distance <= 2^21: the square fits */
                flow->weight_q20 = scale_weight(flow->weight_q20, (uint64_t)distance[f] * distance[f], 1);
            else if (job->policy == WEIR_POLICY_EQUAL_FINISH)
                flow->weight_q20 = scale_weight(flow->weight_q20, flow->bytes, sum.smallest_bytes);
            else if (job->policy == WEIR_POLICY_SHORTEST_FLOW)
                flow->weight_q20 = scale_weight(flow->weight_q20, sum.largest_bytes, flow->bytes);
            else if (job->policy == WEIR_POLICY_CONSTANT_SUM) /* flows that wait for nothing share the sum at first */
                flow->weight_q20 = scale_weight(flow->weight_q20, job->sum_q20, sum.root_weights_q20);
            else if (job->policy == WEIR_POLICY_FAIR)
                flow->weight_q20 = WEIR_WEIGHT_ONE;
        }
    }
}

/* --- at a tick --- */

static void tick_constant_sum(const struct weir_jobs *jobs, const struct weir_job *job,
                              const struct weir_job_progress *progress, uint64_t *weight_q20)
{
    uint64_t sum_q20 = 0; /* of the flows that are active; 2^40 * 2^21 fits */
    for (uint32_t f = job->first; f < job->first + job->count; f++)
        sum_q20 += progress[f].active ? jobs->flow[f].weight_q20 : 0;
    for (uint32_t f = job->first; f < job->first + job->count; f++)
        if (progress[f].active)
            weight_q20[f] = scale_weight(jobs->flow[f].weight_q20, job->sum_q20, sum_q20);
}

/* Returns the time that a flow still needs at its present rate. @return 0 = not known: the flow is not active, or
 * nothing was acknowledged since the last tick */
static uint64_t time_left_ps(const struct weir_job_progress *p)
{
    if (!p->active || p->left_bytes == 0 || p->rate_bps == 0)
        return 0;
    return weir_max_u64(1, weir_mul_div_u64(p->left_bytes, 8 * WEIR_PS_PER_S, p->rate_bps));
}

/* Returns the time that flow f would still need with its own weight, if its rate were proportional to its weight.
 * @return 0 = not known */
static uint64_t need_ps(const struct weir_jobs *jobs, const struct weir_job_progress *progress,
                        const uint64_t *weight_q20, uint32_t f)
{
    uint64_t left_ps = time_left_ps(&progress[f]);
    return left_ps == 0 ? 0 : weir_max_u64(1, weir_mul_div_u64(left_ps, weight_q20[f], jobs->flow[f].weight_q20));
}

/* Sets the weights of a coflow by the policy equal-progress. A flow gets its own weight times its need over the least
 * need of the coflow, at most RAISE_MAX times its own weight. A flow whose need is not known keeps its weight. The flow
 * with the least need gets its own weight back, so that a weight that was raised too much is lowered again. */
static void tick_equal_progress(const struct weir_jobs *jobs, const struct weir_coflow *coflow,
                                const struct weir_job_progress *progress, uint64_t *weight_q20)
{
    uint64_t least_ps = UINT64_MAX;
    for (uint32_t f = coflow->first; f != UINT32_MAX; f = jobs->flow[f].coflow_next) {
        uint64_t ps = need_ps(jobs, progress, weight_q20, f);
        least_ps = ps > 0 ? weir_min_u64(least_ps, ps) : least_ps;
    }
    for (uint32_t f = coflow->first; f != UINT32_MAX; f = jobs->flow[f].coflow_next) {
        uint64_t own_q20 = jobs->flow[f].weight_q20, ps = need_ps(jobs, progress, weight_q20, f);
        if (ps > 0)
            weight_q20[f] = clamp_weight(weir_min_u64(RAISE_MAX * own_q20, weir_mul_div_u64(own_q20, ps, least_ps)));
    }
}

/* Returns the active flow of a coflow that would end last. whole: only flows that have their own weight; else all.
 * @return UINT32_MAX = there is none */
static uint32_t find_last(const struct weir_jobs *jobs, const struct weir_coflow *coflow,
                          const struct weir_job_progress *progress, const uint64_t *weight_q20, bool whole)
{
    uint64_t last_ps = 0;
    uint32_t last = UINT32_MAX;
    for (uint32_t f = coflow->first; f != UINT32_MAX; f = jobs->flow[f].coflow_next) {
        uint64_t left_ps = time_left_ps(&progress[f]);
        if (progress[f].active && (!whole || weight_q20[f] == jobs->flow[f].weight_q20) &&
            (left_ps > last_ps || last == UINT32_MAX)) {
            last_ps = left_ps;
            last = f;
        }
    }
    return last;
}

/* Sets the weights of a coflow by altruistic: the last flow with its own weight determines the end. All other flows are
 * lowered, or raised to at most their own weight, to end with that flow. If no flow has its own weight, the flow that
 * would end last gets its own weight back. */
static void tick_altruistic(const struct weir_jobs *jobs, const struct weir_coflow *coflow,
                            const struct weir_job_progress *progress, uint64_t *weight_q20)
{
    uint32_t last = find_last(jobs, coflow, progress, weight_q20, true);
    if (last == UINT32_MAX) {
        last = find_last(jobs, coflow, progress, weight_q20, false);
        if (last != UINT32_MAX)
            weight_q20[last] = jobs->flow[last].weight_q20;
        return;
    }
    uint64_t last_ps = time_left_ps(&progress[last]);
    for (uint32_t f = coflow->first; f != UINT32_MAX && last_ps > 0; f = jobs->flow[f].coflow_next) {
        uint64_t left_ps = time_left_ps(&progress[f]);
        if (left_ps > 0)
            weight_q20[f] = weir_min_u64(jobs->flow[f].weight_q20, scale_weight(weight_q20[f], left_ps, last_ps));
    }
}

void weir_jobs_tick(const struct weir_jobs *jobs, const struct weir_job_progress *progress, uint64_t *weight_q20)
{
    for (uint32_t j = 0; j < jobs->job_count; j++)
        if (jobs->job[j].policy == WEIR_POLICY_CONSTANT_SUM)
            tick_constant_sum(jobs, &jobs->job[j], progress, weight_q20);
    for (uint32_t c = 0; c < jobs->coflow_count; c++) {
        uint32_t policy = jobs->job[jobs->coflow[c].job].policy;
        if (policy == WEIR_POLICY_EQUAL_PROGRESS)
            tick_equal_progress(jobs, &jobs->coflow[c], progress, weight_q20);
        else if (policy == WEIR_POLICY_ALTRUISTIC)
            tick_altruistic(jobs, &jobs->coflow[c], progress, weight_q20);
    }
}
