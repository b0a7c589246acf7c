/* src/cli/compare_solve.c - the shares that a run of a scenario is to come to. */
#include "cli/compare.h"
#include <stdlib.h>

/* Scheduled changes of weights up to an instant. */
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
    struct weir_allocate_args args = {
        .file = setup->scn->name, .at_ps = WEIR_NEVER, .capacity = WEIR_CAPACITY_PAYLOAD, .acks = WEIR_ACKS_COUNTED
    };
    *shares = (struct weir_shares){ 0 };
    int code = weir_allocate_flows(&shares->flows, setup, &args, err);
    if (code != 0)
        return code;
    if (at_ps != WEIR_NEVER)
        set_weights(&shares->flows, setup, at_ps);
    if (state != NULL)
        keep_active(&shares->flows, state, setup->workload.tag_count);
    if (shares->flows.count == 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, "larger flows, or a shorter run",
                         "run.compare: no flow is left at the end to be compared");
    args.at_ps = at_ps;
    if (code == 0)
        code = weir_allocate_solve(&shares->solution, setup, &args, &shares->flows, err);
    if (code != 0)
        weir_allocate_flows_free(&shares->flows);
    return code;
}

void weir_shares_free(struct weir_shares *shares)
{
    weir_solution_free(&shares->solution);
    weir_allocate_flows_free(&shares->flows);
}
