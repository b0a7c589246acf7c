/* src/cli/setup_features.c - the switch features of a model: which are on, with what, in which order, and whether they go together. No
 * feature is named here: rows of weir_features[] say what is to be known. */
#include "cli/setup_fabric.h"
#include "switch/features.h"
#include <stdlib.h>
#include <string.h>

/* Room for the models of all rows, in one piece. */
static bool features_alloc(struct weir_setup *s)
{
    size_t bytes = 1;
    for (uint32_t i = 0; i < s->scn->feature_count; i++)
        bytes += (s->scn->feature[i].row->model_bytes + 15u) & ~(size_t)15;
    s->feature_models = calloc(1, bytes);
    s->feature_bytes = bytes;
    return s->feature_models != NULL;
}

/* Will DATA wait in queues of its own? Asked before set-up, since features before that one want to know. Its model is made anew later. */
static bool features_have_turns(const struct weir_setup *s)
{
    const struct weir_fabric_env env = { .classes = 1 };
    struct weir_feature_plan plan = { 0 };
    struct weir_err ignored;
    for (uint32_t i = 0; i < s->scn->feature_count; i++)
        if (s->scn->feature[i].row->queue_of != NULL)
            (void)s->scn->feature[i].row->setup(s->scn->feature[i].config, &env, s->feature_models, &plan, &ignored);
    return plan.on;
}

int weir_setup_features_on(struct weir_setup *s, uint32_t needs, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_features *f = &s->model.features;
    unsigned char *model;
    bool apart;
    int code;
    if (!features_alloc(s))
        return weir_fail_memory(err);
    apart = features_have_turns(s);
    memset(s->feature_models, 0, s->feature_bytes);
    model = s->feature_models;
    for (uint32_t i = 0; i < scn->feature_count; i++) {
        const struct weir_feature_said *said = &scn->feature[i];
        const struct weir_fabric_env env = { .where = &said->where,
                                             .said = said->said,
                                             .protocol = scn->protocol->name,
                                             .needs = needs,
                                             .host_link_bps = s->topo.host_link_bps,
                                             .memory_bytes = scn->fabric.buffer_bytes,
                                             .mtu_bytes = weir_framing_wire(&scn->framing, scn->framing.payload_bytes),
                                             .classes = scn->fabric.priorities,
                                             .data_class = scn->host.data_class,
                                             .data_apart = apart,
                                             .receiver_driven = scn->protocol->credit != NULL,
                                             .nics_pull = scn->host.nic_queue == WEIR_NIC_PULL };
        struct weir_feature_plan plan = { 0 };
        code = said->row->setup != NULL ? said->row->setup(said->config, &env, model, &plan, err) : 0;
        if (code == 0 && plan.on)
            code = weir_feature_check_hosts(said->row, &env, err);
        if (code != 0)
            return code;
        if (plan.on) {
            f->on[f->count++] = (struct weir_feature_on){ said->row, model };
            s->offers |= plan.offers;
            s->model.host.wrr |= plan.weights_in_data;
            if (plan.qdelay_unit_ps != 0)
                s->model.host.qdelay_unit_ps = plan.qdelay_unit_ps;
        }
        model += (said->row->model_bytes + 15u) & ~(size_t)15;
    }
    code = weir_features_check(f, &scn->where_fabric, err);
    return code != 0 ? code : weir_features_order(f, scn->fabric.order, &scn->where_fabric, err);
}
