/* src/algorithms/features/delay_variation/delay_variation.c - delays that vary: keys, set-up, the hook and the row. */
#include "features/delay_variation/delay_variation.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/math.h"
#include "core/rng.h"

#define UP_TO_MAX (WEIR_PS_PER_S / 1000)

static const struct weir_param variation_params[] = {
    WEIR_PARAM_NAMED(
        "delay_variation", struct weir_delay_variation_config, up_to_ps, WEIR_KIND_TIME, 0, UP_TO_MAX, 0,
        "on every link, by how much a frame may arrive later than the delay says, at random; or a list, by "
        "cable. Frames stay in order"),
    { 0 },
};

static const struct weir_param item_params[] = {
    WEIR_PARAM_TEXT("cable", struct weir_delay_variation_keys, cable, 1, "",
                    "a cable by its two ends, 'leaf 0 - spine 1', both directions; empty = all cables"),
    WEIR_PARAM_NAMED("up_to", struct weir_delay_variation_keys, up_to_ps, WEIR_KIND_TIME, 0, UP_TO_MAX, 0,
                     "a frame arrives later by a random time from 0 to this; required"),
    { 0 },
};

static const char *const required[] = { "up_to", NULL };
static const struct weir_feature_list variation_list = {
    .key = "delay_variation",
    .text = "Instead of a time, a list: how much the delays of single cables vary. The later item wins.",
    .example = "{cable: leaf 0 - spine 1, up_to: 2 us}",
    .params = item_params,
    .required = required,
    .max = WEIR_DELAY_VARIATION_ITEMS_MAX,
    .bytes = sizeof(struct weir_delay_variation_keys),
    .offset = offsetof(struct weir_delay_variation_config, item),
    .where_offset = offsetof(struct weir_delay_variation_keys, where),
    .count_offset = offsetof(struct weir_delay_variation_config, count),
};

static const char *const some[] = { "delay_variation: 1 us", NULL };
static const struct weir_preset variation_examples[] = { { "some", "a frame arrives up to 1 us later", some }, { 0 } };

static int variation_setup(const void *config, const struct weir_fabric_env *env, void *model,
                           struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_delay_variation_config *cfg = config;
    struct weir_delay_variation_model *m = model;
    m->count = 1 + cfg->count;
    m->item[0] = (struct weir_late){ .cable = UINT32_MAX, .up_to_ps = cfg->up_to_ps };
    plan->on = cfg->up_to_ps > 0;
    for (uint32_t i = 0; i < cfg->count; i++) {
        const struct weir_delay_variation_keys *keys = &cfg->item[i];
        struct weir_late *of = &m->item[1 + i];
        *of = (struct weir_late){ .cable = UINT32_MAX, .up_to_ps = keys->up_to_ps };
        plan->on = plan->on || of->up_to_ps > 0;
        if (keys->cable[0] == '\0')
            continue;
        of->cable = env->network->cable(env, keys->cable);
        if (of->cable == UINT32_MAX)
            return weir_fail(err, WEIR_E_UNKNOWN, &keys->where,
                             "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'",
                             "delay_variation[%u]: there is no cable '%s'", (unsigned)i, keys->cable);
    }
    plan->late = m->item;
    plan->late_count = m->count;
    return 0;
}

static bool variation_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_delay_variation_model *m = here->model;
    struct weir_delay_variation_port *p = here->port;
    p->key = weir_rng_key(port->seed, port->link, WEIR_RNG_LINK_DELAY, 0);
    p->up_to_ps = weir_late_most_ps(m->item, m->count, port->cable);
    return p->up_to_ps > 0;
}

/* Makes a frame late by its own draw, or by as much as keeps it behind the frame before: its last bit then arrives its
 * transmission time after that frame's. Frames follow each other on the wire, so it is never late by more than
 * up_to_ps. */
static uint32_t variation_on_start(const struct weir_here *here, struct weir_start *start)
{
    struct weir_delay_variation_port *p = here->port;
    uint64_t end_ps = start->now_ps + start->tx_ps;
    uint64_t own_ps = end_ps + weir_mul_hi_u64(weir_rng_at(p->key, start->begun), p->up_to_ps + 1);
    p->last_ps = weir_max_u64(own_ps, p->last_ps + start->tx_ps);
    start->late_ps = p->last_ps - end_ps;
    WEIR_ASSERT(start->late_ps <= p->up_to_ps);
    return 0;
}

const struct weir_feature weir_delay_variation_feature = {
    .name = "delay-variation",
    .hint = "frames arrive later than their cable's delay says, at random, and stay in order",
    .params = variation_params,
    .list = &variation_list,
    .everywhere = "fabric.delay_variation may be a list, which names cables",
    .examples = variation_examples,
    .config_bytes = sizeof(struct weir_delay_variation_config),
    .model_bytes = sizeof(struct weir_delay_variation_model),
    .setup = variation_setup,
    .when = WEIR_WHEN_JOIN,
    .port_bytes = sizeof(struct weir_delay_variation_port),
    .port_init = variation_port_init,
    .on_start = variation_on_start,
};
