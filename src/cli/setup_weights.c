/* src/cli/setup_weights.c - what weights need of a model: ports that serve by weighted round robin, hosts
 * that tell weights to laws; and whether these go together with the rest. */
#include "cli/setup_fabric.h"
#include "core/math.h"
#include "workload/jobs.h"
#include <stdlib.h>
#include <string.h>

_Static_assert((int)WEIR_QUEUES_CLASSES == (int)WEIR_QUEUE_CLASSES &&
                   (int)WEIR_QUEUES_PER_FLOW == (int)WEIR_QUEUE_PER_FLOW &&
                   (int)WEIR_QUEUES_GROUPS == (int)WEIR_QUEUE_GROUPS && WEIR_QUEUES_GROUPS_MAX == WEIR_GROUPS_MAX,
               "what a scenario says is what ports do");

/* --- weighted round robin --- */

/* "1, 2, 4" -> packets per turn. @return how many there are; UINT32_MAX: something else stands there */
static uint32_t read_group_weights(const char *text, uint8_t *weight)
{
    uint32_t count = 0;
    text += strspn(text, "[ "); /* a list in the file comes without, one on the command line may not */
    while (*text != '\0') {
        char *end;
        unsigned long value = strtoul(text, &end, 10);
        if (end == text || *text == '-' || *text == '+' || value < 1 || value > 255 || count == WEIR_GROUPS_MAX)
            return UINT32_MAX;
        weight[count++] = (uint8_t)value;
        text = end + strspn(end, ", ]");
    }
    return count;
}

static int setup_groups(const struct weir_scenario *scn, struct weir_wrr_model *wrr, struct weir_err *err)
{
    uint32_t count = read_group_weights(scn->queues.weights, wrr->group_weight);
    if (wrr->kind != WEIR_QUEUE_GROUPS)
        return scn->queues.weights[0] == '\0' ? 0
                                              : weir_fail(err, WEIR_E_CONFLICT, &scn->where_queues,
                                                          "set fabric.queues.kind: groups, or leave weights out",
                                                          "fabric.queues: weights are of groups, and kind is another");
    wrr->groups = scn->queues.groups;
    if (count == UINT32_MAX)
        return weir_fail(err, WEIR_E_RANGE, &scn->where_queues, "for example weights: [1, 2, 4, 8]",
                         "fabric.queues: weights = %s: each is a whole number from 1 to 255, and there are at most %u",
                         scn->queues.weights, WEIR_GROUPS_MAX);
    if (count != wrr->groups)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_queues, "for example weights: [1, 2, 4, 8]",
                         "fabric.queues: %u weights for %u groups", count, wrr->groups);
    return 0;
}

/* Packets carry the weight where telemetry would count its records; pauses and fair rates know no queues of flows. */
static int check_wrr(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_fabric_model *m = &s->model.fabric;
    const struct weir_scenario *scn = s->scn;
    const char *what = m->telemetry.mode != WEIR_TELEMETRY_NONE ? "telemetry" : m->pfc.on ? "PFC" : "fair rates";
    if (m->telemetry.mode != WEIR_TELEMETRY_NONE || m->pfc.on || m->rocc.on)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_queues,
                         m->pfc.on ? "set fabric.queues: classes, or fabric.pfc: off"
                                   : "set fabric.queues: classes, or another protocol.name",
                         "fabric.queues: weighted round robin and %s exclude each other", what);
    if (scn->fabric.priorities > 1)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_queues, "leave fabric.priorities out",
                         "fabric.queues: weighted round robin has no priority classes, and fabric.priorities is %u",
                         scn->fabric.priorities);
    return 0;
}

int weir_setup_queues(struct weir_setup *s, struct weir_err *err)
{
    struct weir_wrr_model *wrr = &s->model.fabric.wrr;
    int code;
    wrr->kind = (enum weir_queueing)s->scn->queues.kind;
    s->model.host.wrr = wrr->kind != WEIR_QUEUE_CLASSES;
    code = setup_groups(s->scn, wrr, err);
    if (code == 0 && wrr->kind != WEIR_QUEUE_CLASSES)
        code = check_wrr(s, err);
    return code;
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
    if (!s->workload.weighted || used || s->model.fabric.wrr.kind != WEIR_QUEUE_CLASSES)
        return 0;
    return weir_fail(
        err, WEIR_E_CONFLICT, &scn->where_protocol,
        "set protocol.name: soze, or fabric.queues: per-flow; or leave weights and policies that set them out",
        "protocol %s does not know weights, and flows have them (a column or key weight, or a policy)",
        scn->protocol->name);
}
