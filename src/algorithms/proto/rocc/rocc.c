/* src/algorithms/proto/rocc/rocc.c - the keys, the preset, set-up and the ops table of RoCC. */
#include "proto/rocc/rocc_core.h"
#include "core/recommend.h"
#include "core/rocc_cp_core.h"

const struct weir_param weir_rocc_params[] = {
    WEIR_PARAM_NAMED("recovery", struct weir_rocc_config, recovery_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, WEIR_PS_PER_S,
                     100 * WEIR_PS_PER_US,
                     "silence after which a flow doubles its rate; not given in CoNEXT 2020, must exceed the switches' "
                     "period of 40 us"),
    WEIR_PARAM_NAMED("reaction", struct weir_rocc_config, reaction_ps, WEIR_KIND_TIME, 0, WEIR_PS_PER_MS,
                     15 * WEIR_PS_PER_US, "from a notice's arrival at the NIC to its effect; 15 us in CoNEXT 2020"),
    WEIR_PARAM_NAMED("min_rate", struct weir_rocc_config, min_rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS,
                     WEIR_RATE_MAX_BPS, 100000000, "lower rates in notices count as this; F_min of CoNEXT 2020"),
    WEIR_PARAM_NAMED("restart", struct weir_rocc_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow at line rate: a queue pair per message, as in the papers' "
                     "runs"),
    { .key = NULL },
};

static const char *const conext2020[] = { "fabric.routing: ecmp", NULL };

const struct weir_preset weir_rocc_presets[] = {
    { "conext2020", "Taheri et al., CoNEXT 2020; the recovery timer is ours", conext2020 },
    { NULL, NULL, NULL },
};

/* Recommended settings: CoNEXT 2020 uses PFC, and notices with rates have a higher priority than data. */
const char *const weir_rocc_recommends[] = { WEIR_RECOMMEND_LOSSLESS, "fabric.priorities: 2", NULL };

int weir_rocc_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_rocc_config *cfg = config;
    struct weir_rocc_cp_config port;
    if (!weir_rocc_cp_config_for(path->rate_bps, &port))
        return weir_misfit(err, "host_link: RoCC has parameters for 10 to 800 Gb/s");
    if (cfg->min_rate_bps > path->rate_bps)
        return weir_misfit(err, "min_rate is more than the host link's rate");
    if (cfg->recovery_ps <= port.period_ps)
        return weir_misfit(
            err, "recovery is no more than the switches' period of 40 us: a flow would speed up between two notices");
    return 0;
}

static void begin_flow(struct weir_rocc *r)
{
    r->cur_bps = WEIR_RATE_OPEN;
    r->next_bps = 0;
    r->cur_source = r->next_source = 0;
    r->apply_ps = r->recover_ps = WEIR_NEVER;
    weir_rocc_answer(r);
}

static void rocc_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    struct weir_rocc *r = (struct weir_rocc *)cc;
    (void)config;
    *r = (struct weir_rocc){ .cc = { .cwnd_bytes = WEIR_CWND_MAX_BYTES }, .line_bps = path->rate_bps };
    begin_flow(r);
}

static void rocc_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_rocc_config *cfg = config;
    (void)now_ps;
    if (cfg->restart)
        begin_flow((struct weir_rocc *)cc);
}

static uint64_t rocc_floor_bps(const void *config)
{
    return ((const struct weir_rocc_config *)config)->min_rate_bps;
}

const struct weir_cc_ops weir_rocc_ops = {
    .name = "rocc",
    .state_bytes = sizeof(struct weir_rocc),
    .needs = WEIR_NEED_FAIR_RATE,
    .init = rocc_init,
    .on_start = rocc_on_start,
    .on_notice = weir_rocc_on_notice,
    .on_timer = weir_rocc_on_timer,
    .floor_bps = rocc_floor_bps,
};
