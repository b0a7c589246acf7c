/* src/algorithms/features/lanes/lanes.c - virtual lanes: the key and the row. Hosts and deflection (features/deflect)
 * choose the lane of a packet; the world chooses the lane to serve: doc/model.md [lanes]. */
#include "features/lanes/lanes.h"
#include "core/assert.h"
#include "core/feature.h"

static const struct weir_keyword none = { "off", 0 };

static const struct weir_param lanes_params[] = {
    WEIR_PARAM_KEYWORD(
        "lanes", struct weir_lanes_config, lanes, WEIR_KIND_U32, 2, WEIR_CLASSES_MAX, 0, &none,
        "virtual lanes of DATA: deflect.tokens + 1, one for each number of tokens left; or 2 as in the paper, "
        "which can deadlock or, with deflect.escape: paused, reorder"),
    { 0 },
};

static const char *const as_in_paper[] = { "lanes: 2",          "priorities: 2",    "host.data_class: 1",
                                           "deflect.tokens: 2", "pfc.kind: static", NULL };
static const char *const one_per_token[] = { "lanes: 4",
                                             "priorities: 2",
                                             "deflect.threshold: 1 KB",
                                             "deflect.tokens: 3",
                                             "deflect.short: 1 MB",
                                             "pfc.kind: static",
                                             "pfc.xoff: 5 KB",
                                             NULL };
static const struct weir_preset lanes_examples[] = {
    { "paper", "two lanes: with tokens, and without", as_in_paper },
    { "tokens", "one lane for each number of tokens left, and small thresholds", one_per_token },
    { 0 },
};

static int lanes_setup(const void *config, const struct weir_fabric_env *env, void *model,
                       struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_lanes_config *cfg = config;
    uint32_t above = env->classes - 1;
    (void)model;
    WEIR_ASSERT(env->classes > 0);
    WEIR_ASSERT(env->classes <= WEIR_CLASSES_MAX);
    WEIR_ASSERT(cfg->lanes <= WEIR_CLASSES_MAX);
    if (cfg->lanes == 0)
        return 0;
    plan->on = true;
    plan->classes = above + cfg->lanes;
    plan->aged_classes = cfg->lanes;
    if (env->receiver_driven)
        return 0; /* set-up refuses receiver-driven protocols for deflection, which lanes need */
    bool fits = above != 0 && env->data_class == above && env->ack_class < above;
    for (uint32_t k = 0; k < env->law_count; k++)
        fits = fits && !env->law[k].receiver_driven && env->law[k].data_class == above && env->law[k].ack_class < above;
    if (!fits)
        return weir_fail(err, WEIR_E_CONFLICT, env->where,
                         "set fabric.priorities: 2, host.data_class: 1 and host.ack_class: 0",
                         "fabric.lanes: data must have the lowest priority class, and acknowledgements one above it");
    if (plan->classes > WEIR_CLASSES_MAX)
        return weir_fail(
            err, WEIR_E_CONFLICT, env->where, "fewer fabric.deflect.tokens, or set fabric.priorities: 2",
            "fabric.lanes: %u lanes and %u priority classes above them are more than the %u classes of a port",
            (unsigned)cfg->lanes, (unsigned)above, (unsigned)WEIR_CLASSES_MAX);
    return 0;
}

static const struct weir_feature_conflict lanes_conflicts[] = {
    { "wrr", "both would decide in which order data is served" },
    { 0 },
};

static const struct weir_feature_conflict lanes_companions[] = {
    { "deflect", "without it all data is in one lane" },
    { "pfc", "a lane is what is paused by itself" },
    { 0 },
};

static const struct weir_extension lane_of_data = { .name = "virtual lanes",
                                                    .parts = WEIR_PART_CLASS,
                                                    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) };

const struct weir_feature weir_lanes_feature = {
    .name = "lanes",
    .title = "virtual lanes",
    .hint = "data that was deflected cannot close a circle of pauses: it changes to a lower lane",
    .source = "Xue et al., IEEE/ACM Transactions on Networking 28(1), 2020",
    .params = lanes_params,
    .examples = lanes_examples,
    .everywhere = "a pause that one switch sends is obeyed by the next, and it is of a lane",
    .config_bytes = sizeof(struct weir_lanes_config),
    .shapes_ports = true,
    .setup = lanes_setup,
    .conflicts = lanes_conflicts,
    .companions = lanes_companions,
    .extension = &lane_of_data,
};
