/* src/algorithms/features/wrr/wrr.c - weighted round robin: keys, set-up, hooks and the row. */
#include "core/assert.h"
#include "core/feature.h"
#include "features/wrr/wrr_core.h"

static const char *const kinds[] = {
    [WEIR_QUEUE_CLASSES] = "classes", [WEIR_QUEUE_PER_FLOW] = "per-flow", [WEIR_QUEUE_GROUPS] = "groups", NULL
};

static const struct weir_param wrr_params[] = {
    WEIR_PARAM_CHOICE(
        "kind", struct weir_wrr_config, kind, kinds, WEIR_QUEUE_CLASSES,
        "classes: strict priorities, first come first served within; per-flow, groups: weighted round robin "
        "over a queue for each flow, or for each group of flows"),
    WEIR_PARAM_NAMED("groups", struct weir_wrr_config, groups, WEIR_KIND_U32, 1, WEIR_GROUPS_MAX, 4,
                     "groups: how many (OSDI 2025 compares with 4)"),
    WEIR_PARAM_TEXT(
        "weights", struct weir_wrr_config, weights, 0, "",
        "groups: packets per turn of each, whole numbers from 1 to 255, as in [1, 2, 4, 8]; required there"),
    { 0 },
};

static const char *const per_flow[] = { "queues.kind: per-flow", NULL };
static const char *const groups[] = { "queues.kind: groups", "queues.groups: 2", "queues.weights: 1, 4", NULL };
static const struct weir_preset wrr_examples[] = {
    { "per-flow", "a queue for each flow", per_flow },
    { "groups", "a few queues", groups },
    { 0 },
};

/* Reads a whole number at *text, and moves *text beyond it and the separators behind it. @return the number, 1 .. 255;
 * 0 = there is none in this range */
static uint32_t read_weight(const char **text)
{
    const char *at = *text;
    uint32_t value = 0;
    if (*at < '0' || *at > '9')
        return 0;
    for (; *at >= '0' && *at <= '9' && value <= UINT8_MAX; at++)
        value = 10 * value + (uint32_t)(*at - '0');
    while (*at == ',' || *at == ' ' || *at == ']')
        at++;
    *text = at;
    return value <= UINT8_MAX ? value : 0;
}

/* Reads a list such as "1, 2, 4" into weight[], packets per turn. @return the number of entries, 0 for an empty text;
 * UINT32_MAX = the text is not such a list, or has more than WEIR_GROUPS_MAX entries */
static uint32_t read_weights(const char *text, uint8_t *weight)
{
    uint32_t count = 0;
    while (*text == '[' || *text == ' ') /* in a file the list has no bracket here; on the command line it may have */
        text++;
    while (*text != '\0') {
        uint32_t value = read_weight(&text);
        if (value == 0 || count == WEIR_GROUPS_MAX)
            return UINT32_MAX;
        weight[count++] = (uint8_t)value;
    }
    return count;
}

static int setup_groups(const struct weir_wrr_config *cfg, const struct weir_tok *where, struct weir_wrr_model *m,
                        struct weir_err *err)
{
    uint32_t count = read_weights(cfg->weights, m->group_weight);
    if (m->kind != WEIR_QUEUE_GROUPS)
        return cfg->weights[0] == '\0'
                   ? 0
                   : weir_fail(err, WEIR_E_CONFLICT, where, "set fabric.queues.kind: groups, or leave weights out",
                               "fabric.queues: weights are of groups, and kind is another");
    WEIR_ASSERT(cfg->groups > 0);
    WEIR_ASSERT(cfg->groups <= WEIR_GROUPS_MAX);
    m->groups = cfg->groups;
    if (count == UINT32_MAX)
        return weir_fail(err, WEIR_E_RANGE, where, "for example weights: [1, 2, 4, 8]",
                         "fabric.queues: weights = %s: each is a whole number from 1 to 255, and there are at most %u",
                         cfg->weights, WEIR_GROUPS_MAX);
    if (count != m->groups)
        return weir_fail(err, WEIR_E_CONFLICT, where, "for example weights: [1, 2, 4, 8]",
                         "fabric.queues: %u weights for %u groups", count, m->groups);
    return 0;
}

static int wrr_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_wrr_config *cfg = config;
    struct weir_wrr_model *m = model;
    WEIR_ASSERT(cfg->kind <= WEIR_QUEUE_GROUPS);
    m->kind = (enum weir_queueing)cfg->kind;
    plan->on = plan->weights_in_data = m->kind != WEIR_QUEUE_CLASSES;
    return setup_groups(cfg, env->where, m, err);
}

static bool wrr_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    (void)here;
    return !port->from_host;
}

static uint64_t wrr_queue_of(const struct weir_here *here, const struct weir_pkt *pkt)
{
    return weir_wrr_queue(here->model, pkt);
}

static uint32_t wrr_quantum_pkts(const struct weir_here *here, const struct weir_pkt *pkt)
{
    return weir_wrr_quantum_pkts(here->model, pkt);
}

static const struct weir_extension wrr_extension = { .name = "weights",
                                                     .parts = WEIR_PART_BYTE,
                                                     .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) };

static const struct weir_feature_conflict wrr_conflicts[] = {
    { "priorities", "data waits in queues served by weighted round robin, and not in classes" },
    { "pfc", "a pause is of a class, and would stop the queues of all flows in it" },
    { "fair-rate", "a fair rate is for the flows of one queue, and here each flow has its own" },
    { 0 },
};

const struct weir_feature weir_wrr_feature = {
    .name = "wrr",
    .title = "weighted round robin",
    .hint = "ports serve data by weighted round robin: a queue per flow with the flow's weight, or a few groups",
    .source = "the baseline of Wang and Ng, OSDI 2025",
    .section = "queues",
    .section_text =
        "How data waits in a port. `queues: per-flow` is short for `queues: {kind: per-flow}`; a flow's weight is "
        "rounded to 1 to 255 packets per turn.",
    .short_key = "kind",
    .list_key = "weights",
    .params = wrr_params,
    .examples = wrr_examples,
    .everywhere = "data carries weights and has no class",
    .config_bytes = sizeof(struct weir_wrr_config),
    .model_bytes = sizeof(struct weir_wrr_model),
    .shapes_ports = true,
    .setup = wrr_setup,
    .conflicts = wrr_conflicts,
    .extension = &wrr_extension,
    .host_needs = WEIR_FEATURE_SENDERS_ALONE,
    .when = WEIR_WHEN_COUPLED,
    .port_init = wrr_port_init,
    .queue_of = wrr_queue_of,
    .quantum_pkts = wrr_quantum_pkts,
};
