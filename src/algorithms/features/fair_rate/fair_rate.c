/* src/algorithms/features/fair_rate/fair_rate.c - RoCC's fair rates: the key, set-up, hooks and the row. */
#include "features/fair_rate/fair_rate.h"
#include "core/feature.h"
#include "core/hook_coupled.h"

static const char *const modes[] = { [WEIR_FAIR_RATE_AUTO] = "auto", [WEIR_FAIR_RATE_OFF] = "off", NULL };

static const struct weir_param fair_rate_params[] = {
    WEIR_PARAM_CHOICE("fair_rate", struct weir_fair_rate_config, mode, modes, WEIR_FAIR_RATE_AUTO,
                      "auto: ports compute fair rates and notify their flows if the protocol needs it (RoCC, CoNEXT "
                      "2020)"),
    { 0 },
};

static const char *const for_rocc[] = { "protocol.name: rocc", NULL };
static const struct weir_preset fair_rate_examples[] = { { "rocc", "as RoCC wants it", for_rocc }, { 0 } };

static int fair_rate_setup(const void *config, const struct weir_fabric_env *env, void *model,
                           struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_fair_rate_config *cfg = config;
    (void)model;
    uint64_t period_ps = 0;
    struct weir_rocc_cp_config port;
    if (cfg->mode == WEIR_FAIR_RATE_OFF || (env->needs & WEIR_NEED_FAIR_RATE) == 0)
        return 0;
    for (uint32_t l = 0; l < env->link_count; l++) {
        uint64_t rate_bps = env->network->link_rate_bps(env, l);
        if (!weir_rocc_cp_config_for(rate_bps, &port))
            return weir_fail(err, WEIR_E_RANGE, env->where_topology, "change topology.host_link or core_link",
                             "topology: switches compute fair rates for links of 10 to 800 Gb/s, not %llu Mb/s",
                             (unsigned long long)(rate_bps / 1000000));
        period_ps = port.period_ps; /* the same at every rate */
    }
    WEIR_ASSERT(period_ps > 0);
    *plan = (struct weir_feature_plan){ .on = true, .offers = WEIR_NEED_FAIR_RATE, .period_ps = period_ps };
    return 0;
}

static bool fair_rate_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    struct weir_fair_rate_port *p = here->port;
    if (port->from_host || !weir_rocc_cp_config_for(port->rate_bps, &p->config)) /* checked by set-up */
        return false;
    WEIR_ASSERT(p->config.f_min < p->config.f_max / 8);
    WEIR_ASSERT(p->config.q_ref < p->config.q_mid);
    WEIR_ASSERT(p->config.q_mid < p->config.q_max);
    p->cp = weir_rocc_cp_begin(&p->config);
    return true;
}

static uint32_t fair_rate_on_timer(const struct weir_here *here, const struct weir_timer *timer)
{
    struct weir_fair_rate_port *p = here->port;
    p->rate_bps = weir_rocc_cp_step(&p->cp, &p->config, timer->queue_bytes);
    WEIR_ASSERT(p->rate_bps <= p->config.f_max * p->config.delta_f_bps);
    return WEIR_NOTIFY;
}

static void fair_rate_notice(const struct weir_here *here, const struct weir_pkt *data, uint32_t link,
                             struct weir_pkt *out)
{
    struct weir_fair_rate_port *p = here->port;
    p->notices++;
    *out = (struct weir_pkt){ .value = p->rate_bps,
                              .conn = data->conn,
                              .msg = link,
                              .seq = WEIR_ROCC_CP_NOTICE,
                              .hash = data->hash,
                              .src = data->dst,
                              .dst = data->src,
                              .wire_bytes = WEIR_ROCC_CP_NOTICE_BYTES,
                              .kind = WEIR_PKT_NOTICE };
}

static const struct weir_feature_counter fair_rate_counters[] = {
    WEIR_COUNTER(struct weir_fair_rate_port, notices, "notices", "notices"),
    { 0 },
};

static const struct weir_extension fair_rate_extension = { .name = "rates",
                                                           .parts = WEIR_PART_VALUE | WEIR_PART_DELAY,
                                                           .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_NOTICE) };

const struct weir_feature weir_fair_rate_feature = {
    .name = "fair-rate",
    .title = "a fair rate",
    .hint = "each port computes a fair rate and notifies the flows in its queue",
    .source = "Taheri et al., \"RoCC\", CoNEXT 2020",
    .params = fair_rate_params,
    .examples = fair_rate_examples,
    .config_bytes = sizeof(struct weir_fair_rate_config),
    .setup = fair_rate_setup,
    .host_needs = WEIR_FEATURE_NEEDS_SENDERS,
    .extension = &fair_rate_extension,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_fair_rate_port),
    .port_init = fair_rate_port_init,
    .counters = fair_rate_counters,
    .on_timer = fair_rate_on_timer,
    .notice = fair_rate_notice,
    .notice_bytes = WEIR_ROCC_CP_NOTICE_BYTES,
};
