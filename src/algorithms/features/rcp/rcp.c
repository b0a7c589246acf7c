/* src/algorithms/features/rcp/rcp.c - RCP's rates: keys, set-up, hooks and the row. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "features/rcp/rcp_core.h"

#define GAIN_MAX 2000000u
#define FLOOR_MAX 100000000u
#define PERIOD_MIN (100 * WEIR_PS_PER_NS) /* each port takes a step per period, which costs time */

static const char *const modes[] = { [WEIR_RCP_AUTO] = "auto", [WEIR_RCP_OFF] = "off", NULL };
static const struct weir_keyword automatic = { "auto", 0 };

static const struct weir_param rcp_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_rcp_port_config, mode, modes, WEIR_RCP_AUTO,
        "auto: each port computes a rate and lowers the rate in data to it, if the protocol needs it (RCP, "
        "IWQoS 2005)"),
    WEIR_PARAM_NAMED("alpha", struct weir_rcp_port_config, alpha_ppm, WEIR_KIND_PPM, 0, GAIN_MAX, 100000,
                     "gain of unused capacity; 0.1 in public scripts for RCP, 0.4 in comments of the authors' module"),
    WEIR_PARAM_NAMED("beta", struct weir_rcp_port_config, beta_ppm, WEIR_KIND_PPM, 0, GAIN_MAX, 1000000,
                     "gain of the queue; 1.0 in public scripts for RCP, 0.4 in comments of the authors' module"),
    WEIR_PARAM_NAMED("gamma", struct weir_rcp_port_config, gamma_ppm, WEIR_KIND_PPM, 1000, 1000000, 950000,
                     "share of each link that is aimed at; 0.95 in the authors' module"),
    WEIR_PARAM_KEYWORD(
        "period", struct weir_rcp_port_config, period_ps, WEIR_KIND_TIME, PERIOD_MIN, WEIR_PS_PER_S, 0, &automatic,
        "T, from one step of the rates to the next, at most the base round trip; auto = the base round trip"),
    WEIR_PARAM_NAMED(
        "floor", struct weir_rcp_port_config, floor_ppm, WEIR_KIND_PPM, 0, FLOOR_MAX, 10000,
        "least rate of a port, in packets of 1000 B per round trip; 0.01 in a public ns-3 port of RCP, 0.1 "
        "in a public router for Linux"),
    WEIR_PARAM_NAMED("init_rate", struct weir_rcp_port_config, init_ppm, WEIR_KIND_PPM, 1, 1000000, 1000000,
                     "rate of a port at first, as a share of its link; at most gamma. 0.05 in comments of the authors' "
                     "module"),
    { 0 },
};

static const char *const for_rcp[] = { "protocol.name: rcp", "rcp.period: 3 us", NULL };
static const char *const for_rcp_slow[] = { "protocol.name: rcp", "rcp.alpha: 0.4", "rcp.beta: 0.4",
                                            "rcp.init_rate: 5%", NULL };
static const struct weir_preset rcp_examples[] = {
    { "short", "several steps per round trip", for_rcp },
    { "module", "gains of the module's comments", for_rcp_slow },
    { 0 },
};

static int rcp_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_rcp_port_config *cfg = config;
    struct weir_rcp_port_model *m = model;
    if (cfg->mode == WEIR_RCP_OFF || (env->needs & WEIR_NEED_RCP) == 0)
        return 0;
    if (cfg->period_ps > env->base_rtt_ps)
        return weir_fail(err, WEIR_E_RANGE, env->where, "leave fabric.rcp.period out: it is then the base round trip",
                         "fabric.rcp: period is more than the base round trip, %llu ns",
                         (unsigned long long)(env->base_rtt_ps / WEIR_PS_PER_NS));
    *m = (struct weir_rcp_port_model){ .period_ps = cfg->period_ps != 0 ? cfg->period_ps : env->base_rtt_ps,
                                       .base_rtt_ps = env->base_rtt_ps,
                                       .unit_ps = weir_rcp_rtt_unit_ps(env->base_rtt_ps),
                                       .alpha_ppm = cfg->alpha_ppm,
                                       .beta_ppm = cfg->beta_ppm,
                                       .gamma_ppm = cfg->gamma_ppm,
                                       .floor_ppm = cfg->floor_ppm,
                                       .init_ppm = cfg->init_ppm,
                                       .foreign_laws = weir_fabric_foreign(env, WEIR_NEED_RCP) };
    WEIR_ASSERT(m->period_ps > 0);
    WEIR_ASSERT(m->unit_ps > 0);
    WEIR_ASSERT(m->unit_ps <= m->base_rtt_ps);
    *plan = (struct weir_feature_plan){ .on = true,
                                        .offers = WEIR_NEED_RCP,
                                        .laws = weir_fabric_owners(env, WEIR_NEED_RCP),
                                        .qdelay_unit_ps = 1,
                                        .rtt_unit_ps = m->unit_ps,
                                        .late_start = true,
                                        .period_ps = m->period_ps };
    return 0;
}

static bool rcp_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    if (port->from_host)
        return false;
    weir_rcp_begin(here->model, here->port, port->rate_bps);
    return true;
}

static uint32_t rcp_on_join(const struct weir_here *here, const struct weir_join *join)
{
    weir_rcp_join(here->model, here->port, join->now_ps, join->pkt);
    return 0;
}

static uint32_t rcp_on_start(const struct weir_here *here, struct weir_start *start)
{
    const struct weir_rcp_port_model *m = here->model;
    if ((m->foreign_laws >> weir_pkt_law(start->pkt) & 1) == 0)
        weir_rcp_lower(here->port, start->pkt);
    return 0;
}

static uint32_t rcp_on_timer(const struct weir_here *here, const struct weir_timer *timer)
{
    weir_rcp_step(here->model, here->port, timer->waiting_bytes);
    return 0;
}

static const char *rcp_broken(const struct weir_here *here, uint32_t ports)
{
    const struct weir_rcp_port_model *m = here->model;
    for (uint32_t i = 0; i < ports; i++) {
        const struct weir_rcp_port *p = weir_port_state(here, i, sizeof(*p));
        if (p->rate_bps < weir_rcp_floor_bps(m, p) || p->rate_bps > p->target_bps)
            return "rcp: the rate of a port is outside its limits";
        if (p->d0_ps < m->unit_ps)
            return "rcp: the average round trip of a port is less than a packet can carry";
        if (p->stamp != weir_rcp_stamp(p->rate_bps))
            return "rcp: a port does not write its rate";
    }
    return NULL;
}

static const struct weir_extension rcp_extension = {
    .name = "rates and round trips",
    .parts = WEIR_PART_DELAY | WEIR_PART_BYTE,
    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) | WEIR_PKT_KIND_BIT(WEIR_PKT_ACK),
};

static const char *const rcp_common[] = { "period", NULL };

const struct weir_feature weir_rcp_feature = {
    .name = "rcp",
    .title = "RCP",
    .hint = "each port computes one rate for its flows and lowers the rate in data to it",
    .source = "Dukkipati et al., IWQoS 2005",
    .section = "rcp",
    .section_text = "RCP's rates, where the protocol needs them. `rcp: off` is short for `rcp: {mode: off}`.",
    .short_key = "mode",
    .params = rcp_params,
    .examples = rcp_examples,
    .common_keys = rcp_common,
    .config_bytes = sizeof(struct weir_rcp_port_config),
    .model_bytes = sizeof(struct weir_rcp_port_model),
    .setup = rcp_setup,
    .host_needs = WEIR_FEATURE_NEEDS_SENDERS,
    .extension = &rcp_extension,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_rcp_port),
    .port_init = rcp_port_init,
    .on_join = rcp_on_join,
    .on_start = rcp_on_start,
    .on_timer = rcp_on_timer,
    .broken = rcp_broken,
};
