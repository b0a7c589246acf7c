/* src/algorithms/features/loss/loss.c - random loss: keys, set-up, the hook and the row. */
#include "features/loss/loss.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/rng.h"

static const struct weir_param loss_params[] = {
    WEIR_PARAM_NAMED("loss", struct weir_loss_config, loss_ppb, WEIR_KIND_PPB, 0, 1000000000, 0,
                     "random loss on every link, per packet; or a list, by cable. 0 = what a file of the network says, "
                     "else none"),
    { 0 },
};

static const struct weir_param item_params[] = {
    WEIR_PARAM_TEXT("cable", struct weir_loss_keys, cable, 1, "",
                    "a cable by its two ends, 'leaf 0 - spine 1', both directions; empty = all cables"),
    WEIR_PARAM_NAMED("rate", struct weir_loss_keys, loss_ppb, WEIR_KIND_PPB, 0, 1000000000, 0,
                     "the probability that a packet is lost; required"),
    { 0 },
};

static const char *const required[] = { "rate", NULL };
static const struct weir_feature_list loss_list = {
    .key = "loss",
    .text = "Instead of a number, a list: the loss of single cables. The later item wins.",
    .example = "{cable: leaf 0 - spine 1, rate: 0.1%}",
    .params = item_params,
    .required = required,
    .max = WEIR_LOSS_ITEMS_MAX,
    .bytes = sizeof(struct weir_loss_keys),
    .offset = offsetof(struct weir_loss_config, item),
    .where_offset = offsetof(struct weir_loss_keys, where),
    .count_offset = offsetof(struct weir_loss_config, count),
};

static const char *const some[] = { "loss: 0.1%", NULL };
static const struct weir_preset loss_examples[] = { { "some", "one frame in a thousand", some }, { 0 } };

/* Finds the cables of the list. @return 0, or WEIR_E_UNKNOWN with err */
static int find_cables(const struct weir_loss_config *cfg, const struct weir_fabric_env *env, struct weir_loss_model *m,
                       struct weir_err *err)
{
    for (uint32_t i = 0; i < cfg->count; i++) {
        const struct weir_loss_keys *keys = &cfg->item[i];
        struct weir_loss_of *of = &m->item[i];
        *of = (struct weir_loss_of){ .cable = UINT32_MAX, .loss_ppb = keys->loss_ppb };
        if (keys->cable[0] == '\0')
            continue;
        of->cable = env->network->cable(env, keys->cable);
        if (of->cable == UINT32_MAX)
            return weir_fail(err, WEIR_E_UNKNOWN, &keys->where,
                             "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'",
                             "loss[%u]: there is no cable '%s'", (unsigned)i, keys->cable);
    }
    m->count = cfg->count;
    return 0;
}

static int loss_setup(const void *config, const struct weir_fabric_env *env, void *model,
                      struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_loss_config *cfg = config;
    struct weir_loss_model *m = model;
    int code = find_cables(cfg, env, m, err);
    m->given = cfg->loss_ppb > 0 || cfg->count > 0;
    m->loss_ppb = cfg->loss_ppb;
    WEIR_ASSERT(m->loss_ppb <= 1000000000);
    m->step = env->loss;
    m->step_count = env->loss_count;
    plan->on = m->loss_ppb > 0 || m->step_count > 0 || (!m->given && env->links_lose);
    for (uint32_t i = 0; i < m->count; i++)
        plan->on = plan->on || m->item[i].loss_ppb > 0;
    return code;
}

static bool loss_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_loss_model *m = here->model;
    struct weir_loss_port *p = here->port;
    bool loses;
    WEIR_ASSERT(port->cable <= port->link && m->count <= WEIR_LOSS_ITEMS_MAX);
    p->key = weir_rng_key(port->seed, port->link, WEIR_RNG_LINK_LOSS, 0);
    p->cable = port->cable;
    p->first_ppb = m->given ? m->loss_ppb : port->loss_ppb;
    for (uint32_t i = 0; i < m->count; i++)
        if (m->item[i].cable == UINT32_MAX || m->item[i].cable == p->cable)
            p->first_ppb = m->item[i].loss_ppb;
    loses = p->first_ppb > 0;
    for (uint32_t i = 0; i < m->step_count; i++)
        loses = loses || (m->step[i].cable == p->cable && m->step[i].loss_ppb > 0);
    return loses;
}

enum { RULE_RANDOM };
static const struct weir_rule loss_rules[] = {
    [RULE_RANDOM] = { "random", "loss", WEIR_FATE_LOST, "the scenario loses packets at random" },
    { 0 },
};

/* Sets p->loss_ppb to the loss at now_ps, and the time for which it holds. */
static void find_step(const struct weir_loss_model *m, struct weir_loss_port *p, uint64_t now_ps)
{
    p->loss_ppb = p->first_ppb;
    p->since_ps = 0;
    p->until_ps = UINT64_MAX;
    for (uint32_t i = 0; i < m->step_count; i++) {
        const struct weir_loss_step *step = &m->step[i];
        if (step->cable != p->cable)
            continue;
        if (step->at_ps > now_ps) {
            p->until_ps = step->at_ps;
            return;
        }
        p->loss_ppb = step->loss_ppb;
        WEIR_ASSERT(step->at_ps >= p->since_ps && p->loss_ppb <= 1000000000);
        p->since_ps = step->at_ps;
    }
}

static uint32_t loss_on_start(const struct weir_here *here, struct weir_start *start)
{
    struct weir_loss_port *p = here->port;
    if (start->now_ps >= p->until_ps || start->now_ps < p->since_ps)
        find_step(here->model, p, start->now_ps);
    return weir_rng_hits(weir_rng_at(p->key, start->begun), p->loss_ppb) ? WEIR_LOSE | WEIR_RULE(RULE_RANDOM) : 0;
}

const struct weir_feature weir_loss_feature = {
    .name = "loss",
    .hint = "loses packets at random on links, to test recovery",
    .params = loss_params,
    .list = &loss_list,
    .everywhere = "fabric.loss may be a list, which names cables",
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
