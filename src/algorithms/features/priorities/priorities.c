/* src/algorithms/features/priorities/priorities.c - strict priority classes: the key and the row. The world serves the
 * classes in order: doc/model.md [leave.choice]. */
#include "features/priorities/priorities.h"
#include "core/assert.h"
#include "core/feature.h"

static const struct weir_param priorities_params[] = {
    WEIR_PARAM_NAMED("priorities", struct weir_priorities_config, classes, WEIR_KIND_U32, 1, WEIR_CLASSES_MAX, 1,
                     "strict priority classes per port; 1 = first come, first served"),
    { 0 },
};

static const char *const two[] = { "priorities: 2", "host.data_class: 1", NULL };
static const struct weir_preset priorities_examples[] = { { "two", "acknowledgements before data", two }, { 0 } };

static int priorities_setup(const void *config, const struct weir_fabric_env *env, void *model,
                            struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_priorities_config *cfg = config;
    (void)env, (void)model, (void)err;
    WEIR_ASSERT(cfg->classes > 0);
    WEIR_ASSERT(cfg->classes <= WEIR_CLASSES_MAX);
    plan->classes = cfg->classes;
    plan->on = cfg->classes > 1;
    return 0;
}

const struct weir_feature weir_priorities_feature = {
    .name = "priorities",
    .hint = "strict priority classes in every port; host.data_class and host.ack_class choose one",
    .params = priorities_params,
    .examples = priorities_examples,
    .everywhere = "packets have one class on their whole path",
    .config_bytes = sizeof(struct weir_priorities_config),
    .shapes_ports = true,
    .setup = priorities_setup,
};
