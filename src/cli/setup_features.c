/* src/cli/setup_features.c - the switch features of a model: which are on, with what, in which order, and whether they go together. No
 * feature is named here: rows of weir_features[] say what is to be known. */
#include "cli/setup_fabric.h"
#include "switch/features.h"
#include <stdlib.h>

/* Room for the models of all rows, in one piece. */
static bool features_alloc(struct weir_setup *s)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < s->scn->feature_count; i++)
        bytes += (s->scn->feature[i].row->model_bytes + 15u) & ~(size_t)15;
    s->feature_models = calloc(1, bytes + 1);
    return s->feature_models != NULL;
}

int weir_setup_features_on(struct weir_setup *s, uint32_t needs, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_features *f = &s->model.features;
    unsigned char *model;
    int code;
    if (!features_alloc(s))
        return weir_fail_memory(err);
    model = s->feature_models;
    for (uint32_t i = 0; i < scn->feature_count; i++) {
        const struct weir_feature_said *said = &scn->feature[i];
        const struct weir_fabric_env env = { .where = &said->where,
                                             .said = said->said,
                                             .protocol = scn->protocol->name,
                                             .needs = needs,
                                             .host_link_bps = scn->topology.host_link_bps,
                                             .memory_bytes = scn->fabric.buffer_bytes,
                                             .mtu_bytes = weir_framing_wire(&scn->framing, scn->framing.payload_bytes),
                                             .classes = scn->fabric.priorities,
                                             .data_class = scn->host.data_class,
                                             .data_apart = scn->queues.kind != WEIR_QUEUES_CLASSES,
                                             .nics_pull = scn->host.nic_queue == WEIR_NIC_PULL };
        struct weir_feature_plan plan = { 0 };
        code = said->row->setup != NULL ? said->row->setup(said->config, &env, model, &plan, err) : 0;
        if (code != 0)
            return code;
        if (plan.on) {
            f->on[f->count++] = (struct weir_feature_on){ said->row, model };
            s->offers |= plan.offers;
            if (plan.qdelay_unit_ps != 0)
                s->model.host.qdelay_unit_ps = plan.qdelay_unit_ps;
        }
        model += (said->row->model_bytes + 15u) & ~(size_t)15;
    }
    code = weir_features_check(f, &scn->where_fabric, err);
    return code != 0 ? code : weir_features_order(f, scn->fabric.order, &scn->where_fabric, err);
}
