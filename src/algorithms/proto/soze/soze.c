/* src/algorithms/proto/soze/soze.c - the keys, the presets, set-up, the rare events and the ops table of Soze. */
#include "proto/soze/soze_core.h"
#include "core/pkt.h"
#include "core/recommend.h"

#define US WEIR_PS_PER_US
#define REACH_SLACK_Q32 (UINT64_C(1) << 26) /* tolerance of check_reach(): 2^(1/64) is 1.1 % */

static const struct weir_keyword automatic = { "auto", 0 };
static const char *const updates[] = { "per-ack", "per-rtt", "every-ack", NULL };
static const char *const rtts[] = { "sample", "base", NULL };
static const char *const signals[] = { [WEIR_SOZE_SIGNAL_REAL] = "real", [WEIR_SOZE_SIGNAL_PHANTOM] = "phantom", NULL };
static const char *const reweighs[] = { "update", "scale", NULL };
static const struct weir_keyword none = { "none", 0 };

const struct weir_param weir_soze_params[] = {
    WEIR_PARAM_NAMED("p", struct weir_soze_config, p, WEIR_KIND_RTT, 100 * WEIR_PS_PER_NS, 10 * WEIR_PS_PER_MS, 20 * US,
                     "delay span: between the targets of a rate per weight of alpha and of beta; 20 us in OSDI 2025"),
    WEIR_PARAM_NAMED("k", struct weir_soze_config, k_ps, WEIR_KIND_TIME, 0, 10 * WEIR_PS_PER_MS, 3 * US,
                     "smallest target delay, above 0 for full links; 3 us in OSDI 2025"),
    WEIR_PARAM_NAMED("m", struct weir_soze_config, m_ppm, WEIR_KIND_PPM, 1, 4000000, 250000,
                     "smoother: exponent of the update function per round trip; 0.25 in OSDI 2025"),
    WEIR_PARAM_KEYWORD("alpha", struct weir_soze_config, alpha_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0, &automatic,
                       "highest rate per weight, whose target delay is k; auto = the host link's rate over min_weight; "
                       "weir allocate --soze finds alpha and beta of the traffic"),
    WEIR_PARAM_KEYWORD(
        "beta", struct weir_soze_config, beta_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0, &automatic,
        "lowest rate per weight to be expected, whose target delay is k + p; auto = alpha / 100, which is "
        "not from the paper: its beta is from the traffic"),
    WEIR_PARAM_NAMED("min_weight", struct weir_soze_config, min_weight_ppm, WEIR_KIND_PPM, 1000, 4000000000, 1000000,
                     "smallest weight there will be; only alpha: auto follows from it"),
    WEIR_PARAM_CHOICE(
        "update_mode", struct weir_soze_config, update, updates, WEIR_SOZE_PER_ACK,
        "when the window moves: every ACK by exponent m over the window in packets, once per round trip by "
        "m (algorithm 1), or every ACK by m (unstable)"),
    WEIR_PARAM_CHOICE("rtt", struct weir_soze_config, rtt, rtts, WEIR_SOZE_RTT_SAMPLE,
                      "which round trip turns a window into a rate: of this ACK, or of an idle network"),
    WEIR_PARAM_CHOICE("signal", struct weir_soze_config, signal, signals, WEIR_SOZE_SIGNAL_REAL,
                      "whose delays are read: of real queues (fabric.maxqd), or of virtual ones that drain a little "
                      "slower than their links (fabric.phantom), which no packet waits in"),
    WEIR_PARAM_KEYWORD("min_rate", struct weir_soze_config, min_rate_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0,
                       &automatic,
                       "no flow is slowed below this; auto = a thousandth of the host link's rate, with signal: "
                       "phantom a 64th of a packet per base round trip"),
    WEIR_PARAM_KEYWORD("start_rate", struct weir_soze_config, start_rate_bps, WEIR_KIND_RATE, 1, WEIR_RATE_MAX_BPS, 0,
                       &automatic,
                       "a new flow's window is what fits a base round trip at this; auto = the host link's rate"),
    WEIR_PARAM_KEYWORD(
        "gain_max", struct weir_soze_config, gain_max_ppm, WEIR_KIND_PPM, 1, 4000000, 0, &none,
        "most of m RTT ln(alpha / beta) / p, the gain of the loop whose delay is the RTT: longer round trips "
        "lower m to keep it; none = m as it is, as published"),
    WEIR_PARAM_KEYWORD(
        "patience", struct weir_soze_config, patience_ppm, WEIR_KIND_PPM, 1000000, 1000000000, 0, &none,
        "round trips in which an error keeps its sign before m grows with their number, from what gain_max "
        "left of it up to m; none = never, as published"),
    WEIR_PARAM_KEYWORD("pace", struct weir_soze_config, pace_ppm, WEIR_KIND_PPM, 1000000, 4000000, 0, &none,
                       "against clumps: large windows leave at this many times window / RTT, smaller ones at window / "
                       "RTT; none = as ACKs come"),
    WEIR_PARAM_NAMED("large", struct weir_soze_config, large_pkts, WEIR_KIND_U32, 1, 1000000, WEIR_SOZE_LARGE_PKTS,
                     "packets from which on a window is large, with pace: one that waits hardly matters to it; 4 on "
                     "slow ports, where all windows are small"),
    WEIR_PARAM_CHOICE("reweigh", struct weir_soze_config, reweigh, reweighs, WEIR_SOZE_REWEIGH_UPDATE,
                      "what a changed weight does: the next updates follow, as published, or the window is scaled by "
                      "new / old at once and updates correct what is left"),
    WEIR_PARAM_NAMED("restart", struct weir_soze_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow, at start_rate"),
    WEIR_PARAM_NAMED("allow_unstable", struct weir_soze_config, allow_unstable, WEIR_KIND_FLAG, 0, 1, 0,
                     "run although the theorem of OSDI 2025 says that the rates will not converge"),
    { .key = NULL },
};

static const char *const paper[] = { "fabric.routing: ecmp", NULL };
static const char *const appendix[] = { "p: 37 us", "fabric.routing: ecmp", NULL };
static const char *const algorithm_1[] = { "update_mode: per-rtt", "fabric.routing: ecmp", NULL };
static const char *const network[] = { "m: 0.5",         "gain_max: 0.5",        "patience: 4", "pace: 1.25",
                                       "reweigh: scale", "fabric.routing: ecmp", NULL };

static const char *const phantom[] = { "signal: phantom",
                                       "p: 3 RTT",
                                       "k: 1 us",
                                       "m: 1",
                                       "pace: 1",
                                       "reweigh: scale",
                                       "host.nic_schedule: weighted",
                                       "host.nic_rate: 0.99",
                                       "fabric.routing: symmetric",
                                       NULL };

const struct weir_preset weir_soze_presets[] = {
    { "paper", "Wang and Ng, OSDI 2025: targets from 3 to 23 us, for any link rate", paper },
    { "appendix", "the targets from 3 to 40 us that the paper's appendix speaks of", appendix },
    { "network", "not in the paper: a gain that falls with the round trip and no clumps, for paths with several queues",
      network },
    { "algorithm-1", "Wang and Ng, OSDI 2025, to the letter of its algorithm: one update per round trip", algorithm_1 },
    { "phantom",
      "not in the paper: the delays of virtual queues, in ACKs, and hosts that keep weights and the pace of switches",
      phantom },
    { NULL, NULL, NULL },
};

/* Recommended settings: OSDI 2025 has no PFC, and needs only the queueing delays of switches. */
const char *const weir_soze_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

/* Returns the bound in ps that p must exceed for convergence, by the theorem for any m < 2. With c = ln(alpha / beta) /
 * p and updates every dt, the linear loop is stable if 0 < m < 2 and c dt < (4 - 2m) / m. At m = 1 that is the printed
 * p > dt / 2 ln(alpha / beta). dt is a base round trip here. Per-ack updates need no larger p: with n packets in the
 * window, dt and the exponent are n times smaller, and the condition is weaker. */
static uint64_t stable_above_ps(const struct weir_soze_config *cfg, uint64_t span_q32, uint64_t base_rtt_ps)
{
    uint64_t span_ps = weir_mul_div_u64(base_rtt_ps, span_q32, WEIR_LOG2E_Q32); /* dt ln(alpha / beta) */
    return weir_mul_div_u64(span_ps, cfg->m_ppm, 4000000 - 2 * (uint64_t)cfg->m_ppm);
}

/* Returns the bound in ps that p must exceed with signal: phantom. The virtual queue integrates what comes beyond its
 * drain, and rates follow it a base round trip later. With c = ln(alpha / beta) / p such a loop is stable below c RTT =
 * pi / 2, whatever m is. */
static uint64_t phantom_stable_above_ps(uint64_t span_q32, uint64_t base_rtt_ps)
{
    const uint64_t two_over_pi_ppb = 636619772;
    uint64_t span_ps = weir_mul_div_u64(base_rtt_ps, span_q32, WEIR_LOG2E_Q32);
    return weir_mul_div_u64(span_ps, two_over_pi_ppb, 1000000000);
}

static int check_phantom_stable(const struct weir_soze_config *cfg, uint64_t span_q32, uint64_t base_rtt_ps,
                                struct weir_err *err)
{
    unsigned long long above_ps = phantom_stable_above_ps(span_q32, base_rtt_ps);
    if (cfg->allow_unstable || cfg->p.ps > above_ps)
        return 0;
    return weir_misfit(
        err,
        "p is too small for a loop with a delay of one round trip: it must be at least %llu ns here, more "
        "than base RTT * ln(alpha / beta) * 2 / pi; raise it, or set allow_unstable: true to see it",
        above_ps / WEIR_PS_PER_NS + 1);
}

static int check_stable(const struct weir_soze_config *cfg, uint64_t span_q32, uint64_t base_rtt_ps,
                        struct weir_err *err)
{
    if (cfg->allow_unstable)
        return 0;
    if (cfg->m_ppm >= 2000000)
        return weir_misfit(err,
                           "m is 2 or more: rates converge for 0 < m < 2 only; set allow_unstable: true to see it");
    unsigned long long above_ps = stable_above_ps(cfg, span_q32, base_rtt_ps);
    if (cfg->p.ps > above_ps)
        return 0;
    return weir_misfit(err,
                       "p is too small for the delay to settle: it must be at least %llu ns here, more than base RTT * "
                       "ln(alpha / beta) * m / (4 - 2m); raise it, or set allow_unstable: true to see it",
                       above_ps / WEIR_PS_PER_NS + 1);
}

/* Checks, for alpha: auto, that the flow with the least weight can use a link on which it is alone. Such a flow meets
 * no queueing delay, so its rate per weight grows up to the rate whose target delay is 0. That rate lies above alpha,
 * whose target delay is k. (alpha: auto is the link's rate over min_weight.) @return 0, or WEIR_E_CONFLICT with err */
static int check_reach(const struct weir_soze_config *cfg, const struct weir_path *path, uint64_t alpha_bps,
                       uint64_t span_q32, struct weir_err *err)
{
    unsigned long long least_q20 = path->least_weight_q20 != 0 ? path->least_weight_q20 : 1u << 20, reach_bps;
    uint64_t beyond_q32 = weir_mul_div_u64(cfg->k_ps, span_q32, cfg->p.ps), rate_q32 = weir_log2_q32(path->rate_bps);
    uint64_t reach_q32 = weir_log2_q32(alpha_bps) + weir_log2_q32(least_q20) + beyond_q32;
    if (cfg->alpha_bps != 0 || reach_q32 + REACH_SLACK_Q32 >= rate_q32 + (UINT64_C(20) << 32))
        return 0;
    reach_bps = weir_exp2_q32(reach_q32 - (UINT64_C(20) << 32));
    return weir_misfit(err,
                       "min_weight is too much for a weight of %llu.%03llu: alone on a link such a flow would reach "
                       "%llu of %llu Mb/s; set min_weight to it, or alpha",
                       least_q20 >> 20, (least_q20 & 0xfffff) * 1000 >> 20, reach_bps / 1000000,
                       (unsigned long long)path->rate_bps / 1000000);
}

/* Refuses a target delay of a rate per weight of beta, k + p, that DATA cannot carry. A field that saturates below
 * would report a shorter delay, and shares would be wrong. */
static int check_field(const struct weir_soze_config *cfg, const struct weir_path *path, struct weir_err *err)
{
    unsigned long long most_ps = path->qdelay_most_ps, target_ps = cfg->k_ps + cfg->p.ps;
    if (most_ps == 0 || target_ps <= most_ps)
        return 0;
    return weir_misfit(
        err,
        "p is too long for the field that carries delays: k + p is %llu ns, and its 16 bits hold %llu ns; "
        "set fabric.%s.unit to %llu ps or more, or lower p or k",
        target_ps / WEIR_PS_PER_NS, most_ps / WEIR_PS_PER_NS,
        cfg->signal == WEIR_SOZE_SIGNAL_PHANTOM ? "phantom" : "maxqd",
        (target_ps + WEIR_PKT_QDELAY_MAX - 1) / WEIR_PKT_QDELAY_MAX);
}

struct weir_delay_read weir_soze_delays(const void *config)
{
    const struct weir_soze_config *cfg = config;
    return (struct weir_delay_read){ .phantom = cfg->signal == WEIR_SOZE_SIGNAL_PHANTOM,
                                     .longest_ps = cfg->k_ps + cfg->p.ps,
                                     .span_ps = cfg->p.ps };
}

int weir_soze_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_soze_config *cfg = config;
    uint64_t alpha_bps = weir_soze_alpha_bps(cfg, path), beta_bps = weir_soze_beta_bps(cfg, alpha_bps), span_q32;
    if (alpha_bps <= beta_bps || alpha_bps - beta_bps < beta_bps / 1000) /* else the slope would have too few digits */
        return weir_misfit(err, "alpha is no more than beta, or hardly more: the target delay must fall from one to "
                                "the other");
    if (cfg->min_rate_bps > path->rate_bps)
        return weir_misfit(err, "min_rate is more than the host link's rate");
    if (cfg->start_rate_bps > path->rate_bps)
        return weir_misfit(err, "start_rate is more than the host link's rate");
    span_q32 = weir_log2_q32(alpha_bps) - weir_log2_q32(beta_bps);
    bool is_phantom = cfg->signal == WEIR_SOZE_SIGNAL_PHANTOM;
    if (is_phantom && !path->qdelay_is_phantom)
        return weir_misfit(err, "signal is phantom, and switches report the delays of real queues here");
    int code = check_field(cfg, path, err);
    if (code == 0)
        code = check_reach(cfg, path, alpha_bps, span_q32, err);
    if (code == 0)
        code = is_phantom ? check_phantom_stable(cfg, span_q32, path->base_rtt_ps, err)
                          : check_stable(cfg, span_q32, path->base_rtt_ps, err);
    return code;
}

static void soze_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_soze_config *cfg = config;
    (void)now_ps;
    if (cfg->restart)
        weir_soze_begin((struct weir_soze *)cc, cfg, ((struct weir_soze *)cc)->start_q16);
}

/* Returns the target delay T(x) in ps, equation 6, at least 0. It is the queueing delay at the bottleneck of flows
 * whose rate per weight is x_bps. */
static uint64_t target_ps(const struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t x_bps)
{
    int64_t x_q32 = weir_soze_per_ps_q32(f, x_bps) - f->unit_q32; /* log2(x / alpha) */
    if (x_q32 <= 0)
        return cfg->k_ps + weir_mul_div_u64(cfg->p.ps, (uint64_t)-x_q32, f->span_q32);
    uint64_t less_ps = weir_mul_div_u64(cfg->p.ps, (uint64_t)x_q32, f->span_q32);
    return cfg->k_ps - weir_min_u64(cfg->k_ps, less_ps);
}

/* Begins a flow with the initial rate of *given. The window is that of a base round trip plus the queues expected at
 * the full links of the path. The flow is paced, because there are no ACKs yet that would clock it. The first ACK sets
 * another pace. */
static void begin_at(struct weir_soze *f, const struct weir_soze_config *cfg, const struct weir_allotment *given)
{
    uint64_t payload_bps = weir_mul_div_u64(given->rate_bps, f->mss_bytes, f->wire_bytes);
    uint64_t queues_ps = given->full_links == 0 ? 0 : given->full_links * target_ps(f, cfg, given->level_bps);
    weir_soze_begin(f, cfg, weir_soze_held_q16(payload_bps, f->base_rtt_ps + queues_ps));
    f->cc.rate_bps = weir_max_u64(1, weir_min_u64(f->cc.rate_bps, given->rate_bps));
}

static void soze_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    struct weir_soze *f = (struct weir_soze *)cc;
    if (notice->kind == WEIR_NOTICE_WEIGHT)
        weir_soze_reweigh(f, config, notice->value);
    if (notice->kind == WEIR_NOTICE_RATE)
        begin_at(f, config, notice->allotment);
}

const struct weir_cc_ops weir_soze_ops = {
    .name = "soze",
    .state_bytes = sizeof(struct weir_soze),
    .needs = WEIR_NEED_QDELAY | WEIR_NEED_WEIGHTS,
    .init = weir_soze_init,
    .on_start = soze_on_start,
    .on_ack = weir_soze_on_ack,
    .on_notice = soze_on_notice,
};
