/* src/algorithms/proto/dcqcn/dcqcn.c - the keys, the presets, set-up and the ops table of DCQCN. */
#include "proto/dcqcn/dcqcn_core.h"
#include "core/recommend.h"

static const struct weir_keyword any = { "any", 0 };
const struct weir_keyword weir_dcqcn_none = { "none", UINT64_MAX };
const struct weir_keyword weir_dcqcn_scaled = { "auto", 0 };
static const char *const variants[] = { "paper", "vendor", NULL };

const struct weir_param weir_dcqcn_params[] = {
    WEIR_PARAM_CHOICE("variant", struct weir_dcqcn_config, variant, variants, WEIR_DCQCN_PAPER,
                      "paper: CNPs, timer and byte counter (SIGCOMM 2015); vendor: echoed marks and timers only, as in "
                      "HPCC's ns-3 simulator"),
    WEIR_DCQCN_ROWS(struct weir_dcqcn_config, ),
    WEIR_PARAM_NAMED("clamp_target", struct weir_dcqcn_config, clamp_target, WEIR_KIND_FLAG, 0, 1, 0,
                     "vendor: every cut lowers the target rate, not only the first since an increase"),
    WEIR_PARAM_NAMED("window", struct weir_dcqcn_config, window, WEIR_KIND_FLAG, 0, 1, 0,
                     "no more in flight than a base round trip at the current rate: DCQCN+win of HPCC's runs"),
    WEIR_PARAM_NAMED("restart", struct weir_dcqcn_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow at line rate: a queue pair per message, as in the papers' "
                     "runs"),
    WEIR_PARAM_KEYWORD("link_rate", struct weir_dcqcn_config, link_rate_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0,
                       &any,
                       "host link that the marking thresholds are meant for, as a preset says it; any = not checked"),
    { .key = NULL },
};

/* Marking thresholds of the presets. SIGCOMM 2015 has Kmin 5 KB, Kmax 200 KB and Pmax 1 % at 40 Gb/s. The vendor
 * variant has Kmin 100 KB, Kmax 400 KB and Pmax 20 % at 25 Gb/s. Thresholds scale with the link's rate, so that they
 * stand for the same queueing delay. */
#define DCQCN_MARKS(rate, kmin, kmax, pmax)                                                                            \
    "link_rate: " rate, "fabric.ecn.kmin: " kmin, "fabric.ecn.kmax: " kmax, "fabric.ecn.pmax: " pmax,                  \
        "fabric.ecn.scale: rate", "fabric.routing: ecmp"
#define DCQCN_PAPER(rate, kmin, kmax) DCQCN_MARKS(rate, kmin, kmax, "1%"), NULL
#define DCQCN_VENDOR(rate, kmin, kmax)                                                                                 \
    "variant: vendor", "cnp_interval: 4 us", "alpha_timer: 1 us", "increase_timer: 300 us", "F: 1",                    \
        "min_rate: 1 Gbps", "byte_counter: none", DCQCN_MARKS(rate, kmin, kmax, "20%"), "host.reliability: go-back-n", \
        NULL

static const char *const paper_25g[] = { DCQCN_PAPER("25 Gbps", "3125 B", "125 KB") };
static const char *const paper_40g[] = { DCQCN_PAPER("40 Gbps", "5 KB", "200 KB") };
static const char *const paper_100g[] = { DCQCN_PAPER("100 Gbps", "12500 B", "500 KB") };
static const char *const paper_200g[] = { DCQCN_PAPER("200 Gbps", "25 KB", "1000 KB") };
static const char *const paper_400g[] = { DCQCN_PAPER("400 Gbps", "50 KB", "2000 KB") };
static const char *const vendor_25g[] = { DCQCN_VENDOR("25 Gbps", "100 KB", "400 KB") };
static const char *const vendor_100g[] = { DCQCN_VENDOR("100 Gbps", "400 KB", "1600 KB") };
static const char *const vendor_200g[] = { DCQCN_VENDOR("200 Gbps", "800 KB", "3200 KB") };
static const char *const vendor_400g[] = { DCQCN_VENDOR("400 Gbps", "1600 KB", "6400 KB") };

/* Preset dart: DCQCN of Dart's evaluation (ToN 2020). The evaluation uses recommended values and mentions no scaling,
 * so r_ai and r_hai are those published for 40 Gb/s. pfc.xoff is the 225 KB of an in-link, less 2 us at line rate and
 * two packets. */
static const char *const dart[] = {
    "link_rate: 10 Gbps",        "r_ai: 40 Mbps",
    "r_hai: 200 Mbps",           "framing: ns2",
    "fabric.priorities: 2",      "fabric.pfc.kind: static",
    "fabric.pfc.xoff: 219500 B", "fabric.ecn.threshold: 22500 B",
    "fabric.routing: ecmp",      NULL,
};

/* Preset priq: Pri-Q of Dart's evaluation (ToN 2020). Short messages have a higher priority than long ones, and both
 * classes are lossless. The evaluation's short messages have 2 to 8 KB, its long ones 1 MB. r_ai and r_hai are those
 * published for 40 Gb/s, because the evaluation mentions no scaling. pfc.xoff is half of the 225 KB of an in-link, less
 * 2 us at line rate and two packets. */
static const char *const priq[] = {
    "link_rate: 10 Gbps",
    "r_ai: 40 Mbps",
    "r_hai: 200 Mbps",
    "framing: ns2",
    "host.short: 16 KB",
    "fabric.priorities: 3",
    "fabric.pfc.kind: static",
    "fabric.pfc.xoff: 107 KB",
    "fabric.ecn.threshold: 22500 B",
    "fabric.routing: ecmp",
    NULL,
};

const struct weir_preset weir_dcqcn_presets[] = {
    { "paper-100g", "Zhu et al., SIGCOMM 2015, thresholds and steps scaled from 40 to 100 Gb/s", paper_100g },
    { "paper-40g", "Zhu et al., SIGCOMM 2015, as published", paper_40g },
    { "paper-25g", "the same scaled to 25 Gb/s", paper_25g },
    { "paper-200g", "the same scaled to 200 Gb/s", paper_200g },
    { "paper-400g", "the same scaled to 400 Gb/s", paper_400g },
    { "vendor-100g", "DCQCN of HPCC's evaluation (SIGCOMM 2019) at 100 Gb/s", vendor_100g },
    { "vendor-25g", "the same at 25 Gb/s", vendor_25g },
    { "vendor-200g", "the same at 200 Gb/s", vendor_200g },
    { "vendor-400g", "the same at 400 Gb/s", vendor_400g },
    { "dart", "of Dart's evaluation (ToN 2020) at 10 Gb/s: one threshold of 22.5 KB, PFC", dart },
    { "priq", "Pri-Q of Dart's evaluation (ToN 2020) at 10 Gb/s: short messages go before long ones", priq },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2015 uses PFC, and a priority class of their own for control packets. The preset has
 * the marking thresholds. */
const char *const weir_dcqcn_recommends[] = { WEIR_RECOMMEND_LOSSLESS, "fabric.priorities: 2",
                                              "fabric.ecn.threshold: off", WEIR_RECOMMEND_ONE_STEP, NULL };

int weir_dcqcn_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_dcqcn_config *cfg = config;
    if (cfg->link_rate_bps != 0 && cfg->link_rate_bps != path->rate_bps)
        return weir_misfit(
            err, "link_rate: the thresholds of this preset are for another host link; set protocol.preset to that of "
                 "yours (paper-25g, -40g, -100g, -200g, -400g, vendor-25g, -100g, -200g, -400g; at 10 Gbps dart, "
                 "priq), or fabric.ecn and link_rate: any");
    if (cfg->min_rate_bps > path->rate_bps)
        return weir_misfit(err, "min_rate is more than the host link's rate");
    if (cfg->variant == WEIR_DCQCN_PAPER && cfg->byte_counter_bytes < path->mss_bytes)
        return weir_misfit(err, "byte_counter is less than one packet");
    return 0;
}

/* Returns given_bps; if that is 0, line_bps / divisor, at least 1. divisor: the published link rate (paper: 40 Gb/s,
 * vendor: 25 Gb/s) over the published step */
static uint64_t step(uint64_t given_bps, uint64_t line_bps, uint64_t divisor)
{
    return given_bps != 0 ? given_bps : weir_max_u64(1, line_bps / divisor);
}

void weir_dcqcn_begin(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg)
{
    d->rt_bps = d->line_bps;
    d->sent_bytes = 0;
    d->t_stage = d->b_stage = 0;
    d->inc_ps = d->dec_ps = d->alpha_ps = WEIR_NEVER;
    d->alpha_q30 = WEIR_DCQCN_ONE_Q30;
    d->marked_alpha = d->marked_rate = false;
    weir_dcqcn_set_rate(d, cfg, d->line_bps);
    weir_dcqcn_arm(d);
}

void weir_dcqcn_init(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, const struct weir_path *path)
{
    bool paper = cfg->variant == WEIR_DCQCN_PAPER;
    *d = (struct weir_dcqcn){
        .cc = { .cwnd_bytes = WEIR_CWND_MAX_BYTES },
        .line_bps = path->rate_bps,
        .base_rtt_ps = path->base_rtt_ps,
        .r_ai_bps = step(cfg->r_ai_bps, path->rate_bps, paper ? 1000 : 5000),
        .r_hai_bps = step(cfg->r_hai_bps, path->rate_bps, paper ? 200 : 500),
        .mss_bytes = path->mss_bytes,
    };
    weir_dcqcn_begin(d, cfg);
}

static void dcqcn_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    weir_dcqcn_init((struct weir_dcqcn *)cc, config, path);
}

static void dcqcn_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_dcqcn_config *cfg = config;
    (void)now_ps;
    if (cfg->restart)
        weir_dcqcn_begin((struct weir_dcqcn *)cc, cfg);
}

/* Returns the least rate. With a window there is none: a sender stops when nothing is acknowledged. */
static uint64_t dcqcn_floor_bps(const void *config)
{
    const struct weir_dcqcn_config *cfg = config;
    return cfg->window ? 0 : cfg->min_rate_bps;
}

const struct weir_cc_ops weir_dcqcn_ops = {
    .name = "dcqcn",
    .state_bytes = sizeof(struct weir_dcqcn),
    .needs = WEIR_NEED_ECN,
    .init = dcqcn_init,
    .on_start = dcqcn_on_start,
    .on_ack = weir_dcqcn_on_ack,
    .on_sent = weir_dcqcn_on_sent,
    .on_notice = weir_dcqcn_on_notice,
    .on_timer = weir_dcqcn_on_timer,
    .floor_bps = dcqcn_floor_bps,
    .rx_data = weir_dcqcn_rx_data,
    .rx_notice = weir_dcqcn_rx_notice,
    .rx_flow_bytes = sizeof(struct weir_dcqcn_rx),
    .rx_next_ps = weir_dcqcn_rx_next_ps,
};
