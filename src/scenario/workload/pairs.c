/* src/scenario/workload/pairs.c - see pairs.h. */
#include "workload/pairs.h"
#include "core/math.h"
#include "core/rng.h"
#include "workload/plan.h"
#include "workload/text.h"
#include <stdio.h>
#include <string.h>

enum { DRAWS = 4 }; /* draws per flow: source, destination, weight, weight after the change */

struct range { /* a range of weights */
    uint64_t low_q20, high_q20;
    bool log; /* draw uniformly in the logarithm of the weight */
};

static uint64_t draw_weight(const struct range *range, uint64_t bits)
{
    uint64_t part_q32 = bits >> 32;
    if (range->log) {
        uint64_t low_q32 = weir_log2_q32(range->low_q20), high_q32 = weir_log2_q32(range->high_q20);
        uint64_t at_q32 = low_q32 + weir_mul_div_u64(high_q32 - low_q32, part_q32, UINT64_C(1) << 32);
        return weir_max_u64(range->low_q20, weir_min_u64(range->high_q20, weir_exp2_q32(at_q32)));
    }
    return range->low_q20 + weir_mul_div_u64(range->high_q20 - range->low_q20, part_q32, UINT64_C(1) << 32);
}

/* Tests whether the weight of flow number `flow` changes. Changed flows are spread evenly: with 1 %, the first of every
 * 100 flows. Flow 0 is always one of them unless the part is 0. */
static bool is_changed(const struct weir_traffic_config *item, uint64_t flow)
{
    uint64_t part = item->changes_ppm;
    return ((flow + 1) * part + 999999) / 1000000 > (flow * part + 999999) / 1000000;
}

static int add_pair(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t hosts, uint32_t number,
                    uint64_t key, const struct range *range, struct weir_job_flow *flow, struct weir_err *err)
{
    uint64_t first = (uint64_t)DRAWS * number;
    char name[16];
    int code;
    flow->src = weir_rng_below(weir_rng_at(key, first), hosts);
    flow->dst = weir_rng_below(weir_rng_at(key, first + 1), hosts - 1);
    flow->dst += flow->dst >= flow->src;
    flow->weight_q20 = draw_weight(range, weir_rng_at(key, first + 2));
    (void)snprintf(name, sizeof(name), "%u", (unsigned)number);
    code = weir_jobs_add_flow(jobs, flow, name, err);
    if (code != 0 || !is_changed(item, number))
        return code;
    struct weir_job_change change = { .at_ps = item->change_at_ps,
                                      .weight_q20 = draw_weight(range, weir_rng_at(key, first + 3)) };
    return weir_jobs_add_change(jobs, &change, err);
}

int weir_pairs_add(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t index,
                   const struct weir_workload_limits *limits, struct weir_err *err)
{
    struct weir_job job = { .name = item->name[0] != '\0' ? item->name : weir_traffic_kinds[WEIR_TRAFFIC_PAIRS],
                            .policy = WEIR_POLICY_GIVEN };
    struct weir_job_flow flow = { .bytes = item->size.bytes, .start_ps = item->start_ps, .item = index };
    uint64_t key = weir_rng_key(limits->seed, 0, WEIR_RNG_PAIRS, index);
    struct range range = { .log = item->draw == WEIR_DRAW_LOG_UNIFORM };
    int code = weir_plan_weights(item, &range.low_q20, &range.high_q20, err);
    if (code == 0 && (item->changes_ppm != 0) != (item->change_at_ps != 0))
        code = weir_fail(err, WEIR_E_CONFLICT, NULL, "for example changes: 1%, change_at: 2 ms",
                         "changes and change_at need each other: how many weights change, and when");
    if (code == 0 && item->count == 0)
        code = weir_fail(err, WEIR_E_SYNTAX, NULL, NULL, "count is missing: a pairs item needs it");
    if (code == 0 && limits->hosts < 2)
        code = weir_fail(err, WEIR_E_RANGE, NULL, NULL, "pairs need at least 2 hosts");
    if (code == 0)
        code = weir_jobs_add(jobs, &job, err);
    if (code == 0)
        code = weir_jobs_add_coflow(jobs, job.name, err);
    flow.coflow = jobs->coflow_count - 1;
    for (uint32_t i = 0; code == 0 && i < item->count; i++)
        code = add_pair(jobs, item, limits->hosts, i, key, &range, &flow, err);
    return code;
}
