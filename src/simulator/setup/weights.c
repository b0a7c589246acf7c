/* src/simulator/setup/weights.c - weights of flows in the set-up: hosts must pass them to the law, and the law or the
 * ports must use them. */
#include "core/cc.h"
#include "setup/features.h"
#include "core/math.h"
#include "workload/jobs.h"
#include "workload/plan.h"
#include <stdlib.h>

/* Returns the smallest weight, Q20, that is known at set-up. Policies that read progress may set lower ones during the
 * run. */
static uint64_t least_weight_q20(const struct weir_setup *s)
{
    const struct weir_workload *wl = &s->workload;
    bool ones = wl->endless || wl->replies || wl->program_messages > 0;
    uint64_t least_q20 = ones ? WEIR_WEIGHT_ONE : WEIR_WEIGHT_MAX;
    if (wl->session)
        least_q20 = weir_min_u64(least_q20, wl->session_least_q20);
    if (s->scn->weights_from_q20 != 0)
        least_q20 = weir_min_u64(least_q20, s->scn->weights_from_q20);
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        least_q20 = weir_min_u64(least_q20, wl->listed[i].weight_q20);
    for (uint32_t f = 0; wl->jobs != NULL && f < wl->jobs->flow_count; f++)
        least_q20 = weir_min_u64(least_q20, wl->jobs->flow[f].weight_q20);
    for (uint32_t i = 0; wl->jobs != NULL && i < wl->jobs->change_count; i++)
        least_q20 = weir_min_u64(least_q20, wl->jobs->change[i].weight_q20);
    return least_q20;
}

static bool law_reads_weights(const struct weir_host_config *h)
{
    return (weir_host_needs(h) & WEIR_NEED_WEIGHTS) != 0 ||
           (weir_cc_heads(h->cc, h->cc_config) & WEIR_HEAD_WEIGHT) != 0;
}

void weir_setup_weights(struct weir_setup *s)
{
    s->workload.weighted |= s->scn->weights_from_q20 != 0;
    for (uint32_t k = 0; k < s->law_count; k++) {
        s->law[k].track = s->workload.weighted;
        if (s->workload.weighted && law_reads_weights(&s->law[k]))
            s->law[k].path.least_weight_q20 = least_weight_q20(s);
    }
}

/* Tests whether weights of messages of law k have an effect. */
static bool knows_weights(const struct weir_setup *s, uint32_t k)
{
    return law_reads_weights(&s->law[k]) || s->law[k].wrr || s->scn->host.nic_schedule == WEIR_NIC_WEIGHTED;
}

bool weir_setup_knows_weights(const struct weir_setup *s)
{
    bool all = true;
    for (uint32_t k = 0; k < s->law_count; k++)
        all &= knows_weights(s, k);
    return all;
}

/* Tests whether an item of kind session may have messages of another weight than 1. */
static bool session_has_weights(const struct weir_traffic_config *item)
{
    uint64_t low_q20 = WEIR_WEIGHT_ONE, high_q20 = WEIR_WEIGHT_ONE;
    struct weir_err err;
    if (item->kind != WEIR_TRAFFIC_SESSION)
        return false;
    (void)weir_plan_weights(item, &low_q20, &high_q20, &err); /* the workload has read them */
    return low_q20 != WEIR_WEIGHT_ONE || high_q20 != WEIR_WEIGHT_ONE;
}

/* Tests whether messages of law k have weights, or may get one by a policy. */
static bool law_has_weights(const struct weir_setup *s, uint32_t k)
{
    const struct weir_workload *wl = &s->workload;
    if (s->law_count == 1 || s->scn->weights_from_q20 != 0)
        return wl->weighted;
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        if (weir_setup_law_sends(s, k, wl->listed[i].item) && wl->listed[i].weight_q20 != WEIR_WEIGHT_ONE)
            return true;
    for (uint32_t i = 0; i < wl->item_count; i++)
        if (weir_setup_law_sends(s, k, i) && session_has_weights(&wl->item[i]))
            return true;
    for (uint32_t f = 0; wl->jobs != NULL && f < wl->jobs->flow_count; f++)
        if (weir_setup_law_sends(s, k, wl->jobs->flow[f].item))
            return weir_jobs_weighted(wl->jobs);
    return false;
}

int weir_setup_check_weights(const struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law law = weir_scenario_law(s->scn, k);
        if (!law_has_weights(s, k) || knows_weights(s, k))
            continue;
        return weir_fail(
            err, WEIR_E_CONFLICT, law.where,
            "set protocol.name: soze, protocol: {name: dart, weights: true}, fabric.queues: per-flow, or "
            "host.nic_schedule: weighted; or leave weights and policies that set them out",
            "protocol %s does not know weights, and flows have them (a column or key weight, a policy, or a "
            "change)",
            law.protocol->name);
    }
    return 0;
}
