/* src/algorithms/features/loss/loss.c - random loss: keys, set-up, the hook and the row. */
#include "features/loss/loss.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/rng.h"

static const struct weir_param loss_params[] = {
    WEIR_PARAM_NAMED("loss", struct weir_loss_config, loss_ppb, WEIR_KIND_PPB, 0, 1000000000, 0,
                     "random loss on every link, per packet; for tests"),
    { 0 },
};

static const char *const some[] = { "loss: 0.1%", NULL };
static const struct weir_preset loss_examples[] = { { "some", "one frame in a thousand", some }, { 0 } };

static int loss_setup(const void *config, const struct weir_fabric_env *env, void *model,
                      struct weir_feature_plan *plan, struct weir_err *err)
{
    struct weir_loss_model *m = model;
    (void)env, (void)err;
    m->loss_ppb = ((const struct weir_loss_config *)config)->loss_ppb;
    WEIR_ASSERT(m->loss_ppb <= 1000000000);
    plan->on = m->loss_ppb > 0;
    return 0;
}

static bool loss_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    struct weir_loss_port *p = here->port;
    p->key = weir_rng_key(port->seed, port->link, WEIR_RNG_LINK_LOSS, 0);
    return true;
}

enum { RULE_RANDOM };
static const struct weir_rule loss_rules[] = {
    [RULE_RANDOM] = { "random", "loss", WEIR_FATE_LOST },
    { 0 },
};

static uint32_t loss_on_start(const struct weir_here *here, struct weir_start *start)
{
    const struct weir_loss_model *m = here->model;
    const struct weir_loss_port *p = here->port;
    return weir_rng_hits(weir_rng_at(p->key, start->begun), m->loss_ppb) ? WEIR_LOSE | WEIR_RULE(RULE_RANDOM) : 0;
}

const struct weir_feature weir_loss_feature = {
    .name = "loss",
    .hint = "loses packets at random on every link, to test recovery",
    .params = loss_params,
    .examples = loss_examples,
    .config_bytes = sizeof(struct weir_loss_config),
    .model_bytes = sizeof(struct weir_loss_model),
    .setup = loss_setup,
    .when = WEIR_WHEN_JOIN,
    .port_bytes = sizeof(struct weir_loss_port),
    .port_init = loss_port_init,
    .rules = loss_rules,
    .on_start = loss_on_start,
};
