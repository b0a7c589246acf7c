/* src/algorithms/features/maxqd/maxqd.c - queueing delays in DATA: keys, set-up, the hook and the row. */
#include "core/feature.h"
#include "core/state.h"
#include "features/maxqd/maxqd_core.h"

#define UNIT_MAX (256 * WEIR_PS_PER_NS) /* 65535 such units are below 2^34 ps, as struct weir_ack.qdelay_max_ps */

static const char *const modes[] = {
    [WEIR_MAXQD_AUTO] = "auto", [WEIR_MAXQD_OFF] = "off", [WEIR_MAXQD_ON] = "on", NULL
};
static const char *const places[] = WEIR_FEATURE_AT_WORDS;

static const struct weir_param maxqd_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_maxqd_config, mode, modes, WEIR_MAXQD_AUTO,
        "each port raises the queueing delay in data to its own (Soze, OSDI 2025); auto = if the protocol "
        "needs it"),
    WEIR_PARAM_NAMED("unit", struct weir_maxqd_config, unit_ps, WEIR_KIND_TIME, 1, UNIT_MAX, 4 * WEIR_PS_PER_NS,
                     "what the 16 bits of a packet count; 4 ns, and so up to 262 us, is ours"),
    WEIR_PARAM_NAMED("filter", struct weir_maxqd_config, filter_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_S,
                     10 * WEIR_PS_PER_US,
                     "time constant of the low-pass filter at each port; 0 = a packet's own delay (OSDI 2025: 10 us)"),
    WEIR_PARAM_CHOICE(
        "at", struct weir_maxqd_config, at, places, WEIR_AT_SWITCHES,
        "which ports: of switches, of hosts, or all; hosts' need a queue (host.nic_queue: unlimited), and "
        "without them flows that meet at their host's link see no delay and share it as it comes"),
    { 0 },
};

static const char *const for_soze[] = { "protocol.name: soze", "maxqd.filter: 5 us", NULL };
static const struct weir_preset maxqd_examples[] = { { "soze", "as Soze wants it", for_soze }, { 0 } };

/* Computes the mask of classes that do not wait where the DATA does whose law reads the delays: they have another
 * priority. */
static uint8_t other_classes(const struct weir_fabric_env *env)
{
    WEIR_ASSERT(env->classes > 0);
    WEIR_ASSERT(env->classes <= WEIR_CLASSES_MAX);
    uint32_t last = env->classes - 1, own = 1u << weir_clamp_u32(env->data_class, 0, last);
    uint32_t laws = weir_fabric_laws_with(env, WEIR_NEED_QDELAY);
    uint8_t mask = 0;
    if (laws != 0)
        own = 0;
    for (uint32_t k = 0; k < env->law_count; k++)
        if ((laws >> k & 1) != 0)
            own |= 1u << weir_clamp_u32(env->law[k].data_class, 0, last);
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        if ((own >> weir_clamp_u32(c, 0, last) & 1) == 0)
            mask |= (uint8_t)(1u << c);
    return mask;
}

static int maxqd_setup(const void *config, const struct weir_fabric_env *env, void *model,
                       struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_maxqd_config *cfg = config;
    bool wanted = (env->needs & WEIR_NEED_QDELAY) != 0 && weir_fabric_reads_delays(env, true) == NULL;
    if (cfg->mode == WEIR_MAXQD_ON && !wanted)
        return weir_fail(err, WEIR_E_CONFLICT, env->where,
                         "leave fabric.maxqd.mode out: it is on where the protocol needs it",
                         "fabric.maxqd: protocol %s does not read queueing delays", env->protocol);
    if (!wanted || cfg->mode == WEIR_MAXQD_OFF)
        return 0;
    WEIR_ASSERT(cfg->at <= WEIR_AT_ALL);
    WEIR_ASSERT(cfg->unit_ps > 0);
    WEIR_ASSERT(cfg->unit_ps <= UNIT_MAX);
    if (cfg->at != WEIR_AT_SWITCHES && env->nics_pull)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set host.nic_queue: unlimited",
                         "fabric.maxqd: at: %s needs packets that queue at the host's port, and they wait in the host",
                         places[cfg->at]);
    *(struct weir_maxqd_model *)model =
        (struct weir_maxqd_model){ .at = cfg->at,
                                   .apart_mask = env->data_apart ? UINT8_MAX : other_classes(env),
                                   .data_apart_mask = env->law_count > 1 && !env->data_apart ? other_classes(env) : 0,
                                   .foreign_laws = weir_fabric_foreign(env, WEIR_NEED_QDELAY),
                                   .unit_ps = cfg->unit_ps,
                                   .filter_ps = cfg->filter_ps };
    *plan = (struct weir_feature_plan){ .on = true,
                                        .offers = WEIR_NEED_QDELAY,
                                        .laws = weir_fabric_owners(env, WEIR_NEED_QDELAY),
                                        .qdelay_unit_ps = cfg->unit_ps,
                                        .late_start = true };
    return 0;
}

static bool maxqd_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    return port->has_queue && weir_feature_acts(((const struct weir_maxqd_model *)here->model)->at, port);
}

static uint32_t maxqd_on_start(const struct weir_here *here, struct weir_start *start)
{
    weir_maxqd_start(here->model, here->port, start->pkt, start->joined_ps, start->now_ps);
    weir_maxqd_stamp(here->model, here->port, start->pkt);
    return 0;
}

/* Gives the filtered delay, and when it was sampled: the next sample depends on how long ago that was. */
static void maxqd_state(const struct weir_here *here, struct weir_state *s)
{
    struct weir_maxqd_port *port = here->port;
    weir_state_value(s, port->y_q16);
    weir_state_value(s, port->begun);
    weir_state_used(s, &port->start_ps);
    weir_state_sum(s, &port->saturated);
}

static const struct weir_feature_counter maxqd_counters[] = {
    { .name = "saturated",
      .hint = "packets with a delay too long for their field",
      .finding =
          "packets met a queueing delay longer than their 16 bits hold, and the law read a shorter one; a longer "
          "fabric.maxqd.unit holds more",
      .offset = (uint32_t)offsetof(struct weir_maxqd_port, saturated),
      .where = WEIR_COUNT_AT_PORT },
    { 0 },
};

/* The feature raises a field of DATA; ACKs carry it back. */
static const struct weir_extension maxqd_extension = {
    .name = "queueing delays",
    .parts = WEIR_PART_DELAY,
    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) | WEIR_PKT_KIND_BIT(WEIR_PKT_ACK),
};

static const char *const maxqd_common[] = { "unit", "at", NULL };

const struct weir_feature weir_maxqd_feature = {
    .name = "maxqd",
    .hint = "raises a field of data to the longest filtered queueing delay of its path",
    .source = "Wang and Ng, \"Soze\", OSDI 2025",
    .section = "maxqd",
    .section_text = "The longest queueing delay of the path, in data. `maxqd: off` is short for `maxqd: {mode: off}`.",
    .short_key = "mode",
    .params = maxqd_params,
    .examples = maxqd_examples,
    .common_keys = maxqd_common,
    .config_bytes = sizeof(struct weir_maxqd_config),
    .model_bytes = sizeof(struct weir_maxqd_model),
    .setup = maxqd_setup,
    .extension = &maxqd_extension,
    .when = WEIR_WHEN_JOIN,
    .port_bytes = sizeof(struct weir_maxqd_port),
    .port_init = maxqd_port_init,
    .counters = maxqd_counters,
    .on_start = maxqd_on_start,
    .state = maxqd_state,
};
