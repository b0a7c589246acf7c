/* src/cli/setup_features.c - the switch features of a model: which are on, with what, in which order, and whether they go together. No
 * feature is named here: rows of weir_features[] say what is to be known. */
#include "cli/setup_fabric.h"
#include "switch/features.h"
#include <stdlib.h>
#include <string.h>

/* Room for the models of all rows, in one piece. model: where that of each row is */
static bool features_alloc(struct weir_setup *s, void **model)
{
    size_t bytes = 1, at[WEIR_FEATURES_MAX];
    for (uint32_t i = 0; i < s->scn->feature_count; i++) {
        at[i] = bytes - 1;
        bytes += (s->scn->feature[i].row->model_bytes + 15u) & ~(size_t)15;
    }
    s->feature_models = calloc(1, bytes);
    for (uint32_t i = 0; s->feature_models != NULL && i < s->scn->feature_count; i++)
        model[i] = (char *)s->feature_models + at[i];
    return s->feature_models != NULL;
}

static struct weir_fabric_env features_env(const struct weir_setup *s, uint32_t needs)
{
    const struct weir_scenario *scn = s->scn;
    return (struct weir_fabric_env){ .protocol = scn->protocol->name,
                                     .needs = needs,
                                     .host_link_bps = s->topo.host_link_bps,
                                     .memory_bytes = scn->fabric.buffer_bytes,
                                     .mtu_bytes = weir_framing_wire(&scn->framing, scn->framing.payload_bytes),
                                     .classes = scn->fabric.priorities,
                                     .data_class = scn->host.data_class,
                                     .receiver_driven = scn->protocol->credit != NULL,
                                     .nics_pull = scn->host.nic_queue == WEIR_NIC_PULL };
}

/* Sets up the rows with a queue_of(), or those without. plan, model: one for each row. */
static int features_plan(const struct weir_scenario *scn, struct weir_fabric_env *env, bool with_queues,
                         struct weir_feature_plan *plan, void **model, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < scn->feature_count && code == 0; i++) {
        const struct weir_feature_said *said = &scn->feature[i];
        if ((said->row->queue_of != NULL) != with_queues || said->row->setup == NULL)
            continue;
        env->where = &said->where;
        env->said = said->said;
        code = said->row->setup(said->config, env, model[i], &plan[i], err);
        if (code == 0 && plan[i].on)
            code = weir_feature_check_hosts(said->row, env, err);
        env->data_apart |= with_queues && plan[i].on;
    }
    return code;
}

int weir_setup_features_on(struct weir_setup *s, uint32_t needs, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_features *f = &s->model.features;
    struct weir_fabric_env env = features_env(s, needs);
    struct weir_feature_plan plan[WEIR_FEATURES_MAX] = { 0 };
    void *model[WEIR_FEATURES_MAX] = { NULL };
    int code;
    if (!features_alloc(s, model))
        return weir_fail_memory(err);
    code = features_plan(scn, &env, true, plan, model, err); /* first: others want to know whether DATA is apart */
    if (code == 0)
        code = features_plan(scn, &env, false, plan, model, err);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < scn->feature_count; i++) {
        if (!plan[i].on)
            continue;
        f->on[f->count++] = (struct weir_feature_on){ scn->feature[i].row, model[i] };
        s->offers |= plan[i].offers;
        s->model.host.wrr |= plan[i].weights_in_data;
        if (plan[i].qdelay_unit_ps != 0)
            s->model.host.qdelay_unit_ps = plan[i].qdelay_unit_ps;
    }
    code = weir_features_check(f, &scn->where_fabric, err);
    return code != 0 ? code : weir_features_order(f, scn->fabric.order, &scn->where_fabric, err);
}
