/* src/algorithms/proto/timely/timely.c - the keys, the presets, set-up and the ops table of TIMELY. */
#include "proto/timely/timely_core.h"
#include "core/recommend.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static const struct weir_keyword automatic = { "auto", 0 };
static const char *const variants[] = { "paper", "patched", "hpcc", "erpc", NULL };
static const char *const forms[] = { [WEIR_TIMELY_RATE] = "rate", [WEIR_TIMELY_WINDOW] = "window", NULL };

const struct weir_param weir_timely_params[] = {
    WEIR_PARAM_CHOICE("variant", struct weir_timely_config, variant, variants, WEIR_TIMELY_PAPER,
                      "which TIMELY: SIGCOMM 2015, patched as in CoNEXT 2016, of HPCC's ns-3 simulator, of eRPC"),
    WEIR_PARAM_CHOICE("form", struct weir_timely_config, form, forms, WEIR_TIMELY_RATE,
                      "what limits a flow: rate = packets paced at R; window = W, R times the latest round trip, as in "
                      "Dart's evaluation (ToN 2020)"),
    WEIR_PARAM_NAMED("min_rtt", struct weir_timely_config, min_rtt_ps, WEIR_KIND_TIME, 100 * WEIR_PS_PER_NS, 10 * MS,
                     20 * US, "round trip that gradients are measured in; 20 us in SIGCOMM 2015, 2 us in eRPC"),
    WEIR_PARAM_NAMED("t_low", struct weir_timely_config, t_low_ps, WEIR_KIND_TIME, 1 * US, 10 * MS, 50 * US,
                     "samples below it always raise the rate; 50 us in SIGCOMM 2015"),
    WEIR_PARAM_NAMED("t_high", struct weir_timely_config, t_high_ps, WEIR_KIND_TIME, 1 * US, 10 * MS, 500 * US,
                     "samples above it always lower the rate; 500 us in SIGCOMM 2015, 1 ms in eRPC"),
    WEIR_PARAM_NAMED("a", struct weir_timely_config, a_ppm, WEIR_KIND_PPM, 1, 1000000, 875000,
                     "weight of the latest difference in the gradient; 0.875 in SIGCOMM 2015, 0.46 in eRPC"),
    WEIR_PARAM_NAMED("b", struct weir_timely_config, b_ppm, WEIR_KIND_PPM, 1, 1000000, 800000,
                     "how strongly the rate is lowered; 0.8 in SIGCOMM 2015, 0.008 in CoNEXT 2016, 0.26 in eRPC"),
    WEIR_PARAM_KEYWORD(
        "delta", struct weir_timely_config, delta_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0, &automatic,
        "additive step; auto = 10 Mb/s per 10 Gb/s of the host link (SIGCOMM 2015 at 10 Gb/s); 40 Mb/s in "
        "eRPC"),
    WEIR_PARAM_NAMED("hai_count", struct weir_timely_config, hai_count, WEIR_KIND_U32, 1, 1000, 5,
                     "increases in a row before they become large ones; 5 in SIGCOMM 2015. Not in variant patched"),
    WEIR_PARAM_NAMED("hai_factor", struct weir_timely_config, hai_factor, WEIR_KIND_U32, 1, 100, 5,
                     "a large increase is so many deltas; 5 in SIGCOMM 2015"),
    WEIR_PARAM_NAMED("min_rate", struct weir_timely_config, min_rate_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS,
                     WEIR_RATE_MAX_BPS, 10000000,
                     "no flow is slowed below this; SIGCOMM 2015 has none, 1 Gb/s in HPCC's script, 120 Mb/s in eRPC"),
    WEIR_PARAM_NAMED("init_rate", struct weir_timely_config, init_rate_ppm, WEIR_KIND_PPM, 1000, 1000000, 1000000,
                     "share of the link a new flow begins with; 1 in the RDMA models, 1 / (own flows + 1) in SIGCOMM "
                     "2015"),
    WEIR_PARAM_NAMED("window", struct weir_timely_config, window, WEIR_KIND_FLAG, 0, 1, 0,
                     "no more in flight than a base round trip at the current rate: TIMELY+win of HPCC's runs"),
    WEIR_PARAM_NAMED("restart", struct weir_timely_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow: a queue pair per message, as in the papers' runs"),
    { .key = NULL },
};

static const char *const sigcomm2015[] = { "fabric.routing: ecmp", NULL };
static const char *const patched[] = { "variant: patched", "b: 0.008", "fabric.routing: ecmp", NULL };
static const char *const hpcc[] = {
    "variant: hpcc", "min_rate: 1 Gbps", "framing: hpcc", "host.reliability: go-back-n", "fabric.routing: ecmp", NULL,
};
static const char *const erpc[] = {
    "variant: erpc",      "min_rtt: 2 us",  "t_high: 1 ms",         "a: 0.46", "b: 0.26", "delta: 40 Mbps",
    "min_rate: 120 Mbps", "restart: false", "fabric.routing: ecmp", NULL,
};

/* Preset dart. An in-link has 225 KB. After a pause, 5.5 KB may still arrive: 2 us at line rate, and two packets.
 * pfc.xoff is the difference. */
static const char *const dart[] = { "form: window",
                                    "framing: ns2",
                                    "fabric.routing: ecmp",
                                    "fabric.priorities: 2",
                                    "fabric.pfc.kind: static",
                                    "fabric.pfc.xoff: 219500 B",
                                    NULL };

const struct weir_preset weir_timely_presets[] = {
    { "sigcomm2015", "Mittal et al., SIGCOMM 2015, the step scaled with the host link", sigcomm2015 },
    { "patched", "with the continuous band of Zhu et al., CoNEXT 2016, which has a fixed point", patched },
    { "hpcc", "TIMELY of HPCC's evaluation (SIGCOMM 2019): one decision per round trip", hpcc },
    { "erpc", "eRPC's, a baseline of testbed evaluations: small round trips, steps scaled with time", erpc },
    { "dart", "of Dart's evaluation (ToN 2020): a window, a sample per packet; 10 Gb/s, PFC at 219.5 KB", dart },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2015 uses PFC, and a higher priority for ACKs than for data. Else the queueing delay of
 * ACKs would count as congestion. */
const char *const weir_timely_recommends[] = { WEIR_RECOMMEND_LOSSLESS, "fabric.priorities: 2", NULL };

int weir_timely_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_timely_config *cfg = config;
    if (cfg->t_high_ps < cfg->t_low_ps)
        return weir_misfit(err, "t_high is less than t_low");
    if (cfg->form == WEIR_TIMELY_WINDOW && cfg->variant != WEIR_TIMELY_PAPER && cfg->variant != WEIR_TIMELY_PATCHED)
        return weir_misfit(err, "form: window is for variants paper and patched; hpcc and erpc pace their packets");
    if (cfg->form == WEIR_TIMELY_WINDOW && cfg->window)
        return weir_misfit(err, "window limits what is paced; with form: window leave it false");
    if (cfg->t_low_ps <= path->base_rtt_ps)
        return weir_misfit(err,
                           "t_low is no more than the base round trip of the longest path, %llu ps: its flows would "
                           "never be raised by it",
                           (unsigned long long)path->base_rtt_ps);
    return cfg->min_rate_bps > path->rate_bps ? weir_misfit(err, "min_rate is more than the host link's rate") : 0;
}

static void timely_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_timely *t = (struct weir_timely *)cc;
    const struct weir_timely_config *cfg = config;
    if (cfg->restart)
        weir_timely_begin(t, cfg);
    if (cfg->variant == WEIR_TIMELY_ERPC && t->prev_rtt_ps == 0)
        t->update_ps = now_ps;
}

/* Returns the least rate. With a window there is none: a sender stops when nothing is acknowledged. */
static uint64_t timely_floor_bps(const void *config)
{
    const struct weir_timely_config *cfg = config;
    return cfg->form != WEIR_TIMELY_WINDOW && !cfg->window ? cfg->min_rate_bps : 0;
}

const struct weir_cc_ops weir_timely_ops = {
    .name = "timely",
    .state_bytes = sizeof(struct weir_timely),
    .init = weir_timely_init,
    .on_start = timely_on_start,
    .on_ack = weir_timely_on_ack,
    .floor_bps = timely_floor_bps,
};
