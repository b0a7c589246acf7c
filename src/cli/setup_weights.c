/* src/cli/setup_weights.c - what weights need of a model: ports that serve by weighted round robin, hosts
 * that tell weights to laws; and whether these go together with the rest. */
#include "cli/setup_fabric.h"
#include "core/math.h"
#include "workload/jobs.h"
#include <stdlib.h>

/* --- weighted round robin --- */

/* Packets carry the weight where telemetry would count its records; pauses and fair rates know no queues of flows. */
static int check_wrr(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_fabric_model *m = &s->model.fabric;
    const struct weir_scenario *scn = s->scn;
    const char *what = m->telemetry.mode != WEIR_TELEMETRY_NONE ? "telemetry" : m->pfc.on ? "PFC" : "fair rates";
    if (m->telemetry.mode != WEIR_TELEMETRY_NONE || m->pfc.on || m->rocc.on)
        return weir_fail(err, WEIR_E_CONFLICT, &weir_scenario_feature(scn, "wrr")->where,
                         m->pfc.on ? "set fabric.queues: classes, or fabric.pfc: off"
                                   : "set fabric.queues: classes, or another protocol.name",
                         "fabric.queues: weighted round robin and %s exclude each other", what);
    return 0;
}

int weir_setup_queues(struct weir_setup *s, struct weir_err *err)
{
    return s->model.host.wrr ? check_wrr(s, err) : 0;
}

/* --- weights of flows --- */

/* Of all that is known before the run: policies that look at progress may go lower. */
static uint64_t least_weight_q20(const struct weir_workload *wl)
{
    uint64_t least_q20 = wl->endless ? WEIR_WEIGHT_ONE : WEIR_WEIGHT_MAX;
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        least_q20 = weir_min_u64(least_q20, wl->listed[i].weight_q20);
    for (uint32_t f = 0; wl->jobs != NULL && f < wl->jobs->flow_count; f++)
        least_q20 = weir_min_u64(least_q20, wl->jobs->flow[f].weight_q20);
    for (uint32_t i = 0; wl->jobs != NULL && i < wl->jobs->change_count; i++)
        least_q20 = weir_min_u64(least_q20, wl->jobs->change[i].weight_q20);
    return least_q20;
}

int weir_setup_weights(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    bool used = (weir_host_needs(&s->model.host) & WEIR_NEED_WEIGHTS) != 0;
    s->model.host.track = s->workload.weighted;
    if (used && s->workload.weighted)
        s->model.host.path.least_weight_q20 = least_weight_q20(&s->workload);
    if (!s->workload.weighted || used || s->model.host.wrr)
        return 0;
    return weir_fail(
        err, WEIR_E_CONFLICT, &scn->where_protocol,
        "set protocol.name: soze, or fabric.queues: per-flow; or leave weights and policies that set them out",
        "protocol %s does not know weights, and flows have them (a column or key weight, or a policy)",
        scn->protocol->name);
}
