/* src/solver/solve/compare_solve.c - the shares with which a run of a scenario is compared, and the start rates from
 * these shares. */
#include "core/cc.h"
#include "solve/compare.h"
#include <math.h>
#include <stdlib.h>

/* Sets the weights of the flows of jobs to their weights at time at_ps, after the changes that the jobs schedule until
 * then. */
static void set_weights(struct weir_allocate_flows *flows, const struct weir_setup *setup, uint64_t at_ps)
{
    const struct weir_workload *wl = &setup->workload;
    uint32_t listed = wl->tag_count - (wl->jobs != NULL ? wl->jobs->flow_count : 0);
    for (uint32_t i = 0; i < flows->count; i++) {
        if (flows->number[i] <= listed || flows->number[i] > wl->tag_count)
            continue;
        const struct weir_job_flow *flow = &wl->jobs->flow[flows->number[i] - listed - 1];
        for (uint32_t k = flow->change_first; k < flow->change_first + flow->change_count; k++)
            if (wl->jobs->change[k].at_ps <= at_ps)
                flows->flow[i].weight = (double)wl->jobs->change[k].weight_q20 / (double)WEIR_WEIGHT_ONE;
    }
}

static void keep_active(struct weir_allocate_flows *flows, const uint8_t *state, uint32_t tags)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < flows->count; i++)
        if (flows->number[i] <= tags && state[flows->number[i] - 1] == 1) {
            flows->number[kept] = flows->number[i];
            flows->flow[kept++] = flows->flow[i];
        }
    flows->count = kept;
}

int weir_shares_find(struct weir_shares *shares, struct weir_setup *setup, uint64_t at_ps, const uint8_t *state,
                     struct weir_err *err)
{
    struct weir_allocate_options options = {
        .file = setup->scn->name, .at_ps = WEIR_NEVER, .capacity = WEIR_CAPACITY_PAYLOAD, .acks = WEIR_ACKS_COUNTED
    };
    *shares = (struct weir_shares){ 0 };
    int code = weir_allocate_flows(&shares->flows, setup, &options, err);
    if (code != 0)
        return code;
    if (at_ps != WEIR_NEVER)
        set_weights(&shares->flows, setup, at_ps);
    if (state != NULL)
        keep_active(&shares->flows, state, setup->workload.tag_count);
    if (shares->flows.count == 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, "larger flows, or a shorter run",
                         "run.compare: no flow is left at the end to be compared");
    options.at_ps = at_ps;
    if (code == 0)
        code = weir_allocate_solve(&shares->solution, setup, &options, &shares->flows, err);
    if (code != 0)
        weir_allocate_flows_free(&shares->flows);
    return code;
}

/* Sets level[l] to the logarithm of the highest rate per weight (bit/s on the wire) among the flows whose bottleneck is
 * link l. A link that is no flow's bottleneck gets -INFINITY. */
static void find_levels(const struct weir_shares *s, double wire, double *level)
{
    for (uint32_t l = 0; l < s->solution.net.link_count; l++)
        level[l] = -INFINITY;
    for (uint32_t i = 0; i < s->flows.count; i++) {
        uint32_t link = s->solution.bottleneck[i];
        if (link != WEIR_MAXMIN_NONE && s->solution.rate[i] > 0)
            level[link] = fmax(level[link], log(s->solution.rate[i] * wire / s->flows.flow[i].weight));
    }
}

int weir_shares_allot(const struct weir_shares *s, double wire, struct weir_allotment *out, struct weir_err *err)
{
    const struct weir_network *net = &s->solution.net;
    double *level = malloc((net->link_count + 1) * sizeof(*level)); /* + 1: never of size 0 */
    if (level == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the levels of %u links", net->link_count);
    find_levels(s, wire, level);
    for (uint32_t i = 0; i < s->flows.count; i++) {
        struct weir_allotment a = { .rate_bps = weir_max_u64(1, (uint64_t)(s->solution.rate[i] * wire)) };
        double sum = 0;
        for (uint32_t u = net->first[i]; u < net->first[i + 1]; u++)
            if (isfinite(level[net->link[u]])) {
                sum += level[net->link[u]];
                a.full_links++;
            }
        if (a.full_links > 0)
            a.level_bps = weir_max_u64(1, (uint64_t)exp(sum / a.full_links));
        out[s->flows.number[i] - 1] = a;
    }
    free(level);
    return 0;
}

void weir_shares_free(struct weir_shares *shares)
{
    weir_solution_free(&shares->solution);
    weir_allocate_flows_free(&shares->flows);
}
