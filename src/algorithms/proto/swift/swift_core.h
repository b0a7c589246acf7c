/* src/algorithms/proto/swift/swift_core.h - a Swift sender: set-up, and decisions per ACK and per loss. Apart from
 * swift.h, includes core/ only. Bounds: windows are below 2^49 (2^20 packets in Q28), samples up to 2^40 ps,
 * fractions up to 2^20 millionths. */
#ifndef WEIR_PROTO_SWIFT_CORE_H
#define WEIR_PROTO_SWIFT_CORE_H
#include "proto/swift/swift.h"

/* The input of one window's decision, from one ACK. */
struct weir_swift_step {
    uint64_t now_ps, rtt_ps;
    uint64_t delay_ps, target_ps; /* delay: the part of rtt_ps to which this window reacts */
    uint32_t pkts;                /* packets newly acknowledged; 0 = do not grow */
};

/* Returns 1 / sqrt(cwnd) in Q26, cwnd in packets: 2^26 * 2^14 / sqrt(cwnd_q28). The window must be at least 2^-10
 * packets. */
static inline uint32_t weir_swift_rsqrt_q26(uint64_t cwnd_q28)
{
    WEIR_ASSERT(cwnd_q28 >= WEIR_SWIFT_ONE_Q28 >> 10); /* so the result fits: up to 32 * 2^26 */
    return (uint32_t)weir_exp2_q32((UINT64_C(40) << 32) - weir_log2_q32(cwnd_q28) / 2);
}

/* Returns the window in packets times ppm, in Q20. With ppm 1000000 it is the window in millionths of a packet. 2^41 *
 * 2^20 fits. */
static inline uint64_t weir_swift_scale(uint64_t cwnd_q28, uint32_t ppm)
{
    return (cwnd_q28 >> 8) * ppm;
}

/* Returns the part of the target that flow scaling adds: clamp(a / sqrt(cwnd) + b, 0, fs_range). a and b are such that
 * the part is 0 at fs_max, and fs_range at fs_min. */
static inline uint64_t weir_swift_scaling_ps(const struct weir_swift *s, const struct weir_swift_config *cfg,
                                             uint64_t cwnd_q28)
{
    uint64_t millionths_q20 = weir_swift_scale(cwnd_q28, 1000000);
    if (millionths_q20 >= (uint64_t)cfg->fs_max_ppm << 20)
        return 0;
    if (millionths_q20 <= (uint64_t)cfg->fs_min_ppm << 20)
        return s->range_ps;
    uint32_t root_q26 = weir_swift_rsqrt_q26(cwnd_q28);
    if (root_q26 <= s->fs_q26)
        return 0;                                                     /* cwnd rounds to fs_max */
    return weir_mul_div_u64(s->a_ps, root_q26 - s->fs_q26, 1u << 26); /* 2^40 * 2^31 */
}

/* Returns the additive increase for pkts acknowledged packets: ai / cwnd for each, or ai for each if the window is
 * below one packet. ai <= 2^27 millionths is 2^23 in Q16, and 2^63 fits. */
static inline uint64_t weir_swift_more_q28(uint64_t cwnd_q28, uint32_t ai_ppm, uint32_t pkts)
{
    uint64_t ai_q16 = ((uint64_t)ai_ppm << 16) / 1000000;
    uint64_t each_q28 = cwnd_q28 >= WEIR_SWIFT_ONE_Q28 ? (ai_q16 << 40) / cwnd_q28 : ai_q16 << 12;
    return each_q28 * pkts; /* 2^35 * 2^24 */
}

/* Returns the multiplicative decrease: beta (delay - target) / delay of the window, at most max_mdf of the window.
 * delay_ps must be at least target_ps, and above 0. */
static inline uint64_t weir_swift_less_q28(uint64_t cwnd_q28, const struct weir_swift_config *cfg,
                                           const struct weir_swift_step *step)
{
    uint64_t most_q28 = weir_mul_div_u64(cwnd_q28, cfg->max_mdf_ppm, 1000000);
    uint64_t excess_ps = step->delay_ps - step->target_ps; /* both products: 2^20 * 2^40 */
    return weir_min_u64(most_q28, weir_mul_div_u64(cwnd_q28, cfg->beta_ppm * excess_ps, 1000000 * step->delay_ps));
}

static inline uint64_t weir_swift_min_q28(const struct weir_swift_config *cfg)
{
    return ((uint64_t)cfg->min_cwnd_ppm << 28) / 1000000;
}

/* Tests whether a round trip has passed since cut_ps, or there was no decrease yet. */
static inline bool weir_swift_may_cut(const struct weir_swift_window *w, uint64_t now_ps, uint64_t rtt_ps)
{
    return w->cut_ps == 0 || now_ps - w->cut_ps >= rtt_ps;
}

/* Sets a window, limited to min_cwnd .. max_cwnd. Records the time of a decrease; with WEIR_SWIFT_HOLD_UNCHANGED an
 * unchanged window counts as one. */
static inline void weir_swift_set(struct weir_swift_window *w, const struct weir_swift_config *cfg, uint64_t cwnd_q28,
                                  uint64_t now_ps)
{
    uint64_t old_q28 = w->cwnd_q28, most_q28 = (uint64_t)cfg->max_cwnd_pkts << 28;
    w->cwnd_q28 = weir_min_u64(weir_max_u64(cwnd_q28, weir_swift_min_q28(cfg)), most_q28);
    if (w->cwnd_q28 < old_q28 || (w->cwnd_q28 == old_q28 && cfg->hold == WEIR_SWIFT_HOLD_UNCHANGED))
        w->cut_ps = now_ps;
}

/* Adjusts a window on an ACK (algorithm 1): grows below the target, else decreases at most once per round trip. */
static inline void weir_swift_adjust(struct weir_swift_window *w, const struct weir_swift_config *cfg,
                                     const struct weir_swift_step *step)
{
    uint64_t next_q28 = w->cwnd_q28;
    if (step->delay_ps < step->target_ps)
        next_q28 += weir_swift_more_q28(w->cwnd_q28, cfg->ai_ppm, step->pkts);
    else if (weir_swift_may_cut(w, step->now_ps, step->rtt_ps))
        next_q28 -= weir_swift_less_q28(w->cwnd_q28, cfg, step);
    weir_swift_set(w, cfg, next_q28, step->now_ps);
}

/* Returns the pace of a window below one packet, one packet every rtt / cwnd, in bit/s on the wire; at most the rate of
 * the host's link. */
static inline uint64_t weir_swift_paced_bps(const struct weir_swift *s, uint64_t cwnd_q28)
{
    uint64_t interval_ps = weir_mul_div_u64(s->rtt_ps, WEIR_SWIFT_ONE_Q28, cwnd_q28);
    return weir_min_u64(weir_max_u64(s->pkt_bits_ps / interval_ps, 1), s->line_bps);
}

/* Sets cwnd and pace from the window `fabric`; with key endpoint, from the smaller of both windows. cwnd is the window
 * in whole packets, at least one. A window below one packet becomes a pace. If the next decrease may lead below one
 * packet, packets are paced at the link's rate. So the host knows when the last one left, and can delay the next
 * one. */
static inline void weir_swift_answer(struct weir_swift *s, const struct weir_swift_config *cfg)
{
    uint64_t cwnd_q28 = s->fabric.cwnd_q28;
    if (cfg->endpoint)
        cwnd_q28 = weir_min_u64(cwnd_q28, s->endpoint.cwnd_q28);
    s->cc.cwnd_bytes = weir_clamp_u32((cwnd_q28 >> 28) * s->mss_bytes, s->mss_bytes, WEIR_CWND_MAX_BYTES);
    if (weir_swift_scale(cwnd_q28, 1000000 - cfg->max_mdf_ppm) >= UINT64_C(1000000) << 20)
        s->cc.rate_bps = WEIR_RATE_OPEN;
    else if (cwnd_q28 >= WEIR_SWIFT_ONE_Q28)
        s->cc.rate_bps = s->line_bps;
    else
        s->cc.rate_bps = weir_swift_paced_bps(s, cwnd_q28);
}

/* Updates the averaged delay at the receiver, and adjusts the second window by it. Changes delay_ps and target_ps of
 * *step. */
static inline void weir_swift_endpoint(struct weir_swift *s, const struct weir_swift_config *cfg,
                                       struct weir_swift_step *step, uint64_t held_ps)
{
    uint64_t g_ppm = cfg->endpoint_g_ppm; /* 2^20 * 2^40 fits */
    s->held_ps = ((1000000 - g_ppm) * s->held_ps + g_ppm * held_ps) / 1000000;
    step->delay_ps = s->held_ps;
    step->target_ps = cfg->endpoint_target_ps;
    weir_swift_adjust(&s->endpoint, cfg, step);
}

/* Returns the newly acknowledged bytes of an ACK as packets, rounded up: a short packet counts as one. */
static inline uint32_t weir_swift_pkts(const struct weir_swift *s, const struct weir_ack *ack)
{
    uint32_t mss_bytes = s->mss_bytes;
    if (ack->acked_bytes == mss_bytes)
        return 1;
    return ack->acked_bytes / mss_bytes + (ack->acked_bytes % mss_bytes != 0);
}

static inline void weir_swift_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_swift *s = (struct weir_swift *)cc;
    const struct weir_swift_config *cfg = config;
    struct weir_swift_step step = { .now_ps = ack->now_ps, .rtt_ps = weir_min_u64(ack->rtt_ps, WEIR_SWIFT_RTT_MAX_PS) };
    uint64_t held_ps = cfg->endpoint ? weir_min_u64(ack->held_ps, step.rtt_ps) : 0;
    s->timeouts = 0;
    if (step.rtt_ps == 0)
        return; /* a retransmission: no round-trip sample */
    s->rtt_ps = step.rtt_ps;
    step.delay_ps = step.rtt_ps - held_ps;
    step.target_ps = s->flat_ps + weir_swift_scaling_ps(s, cfg, s->fabric.cwnd_q28);
    if (cfg->grow_always || !(ack->flags & WEIR_ACK_APP_LIMITED))
        step.pkts = weir_swift_pkts(s, ack);
    weir_swift_adjust(&s->fabric, cfg, &step);
    if (cfg->endpoint)
        weir_swift_endpoint(s, cfg, &step, held_ps);
    weir_swift_answer(s, cfg);
}

static inline uint64_t weir_swift_base_target_ps(const struct weir_swift_config *cfg, const struct weir_path *path)
{
    return cfg->base_target_ps != 0 ? cfg->base_target_ps : 2 * path->base_rtt_ps;
}

static inline uint64_t weir_swift_flat_ps(const struct weir_swift_config *cfg, const struct weir_path *path)
{
    return weir_swift_base_target_ps(cfg, path) + path->hops * cfg->hop_ps; /* 16 hops at most */
}

static inline uint64_t weir_swift_fs_range_ps(const struct weir_swift_config *cfg, const struct weir_path *path)
{
    return cfg->fs_range_ps != WEIR_NEVER ? cfg->fs_range_ps : 5 * weir_swift_base_target_ps(cfg, path);
}

static inline uint32_t weir_swift_root_q26(uint32_t ppm)
{
    return weir_swift_rsqrt_q26(((uint64_t)ppm << 28) / 1000000);
}

/* Returns the paper's alpha in ps: fs_range / (1 / sqrt(fs_min) - 1 / sqrt(fs_max)). */
static inline uint64_t weir_swift_a_ps(const struct weir_swift_config *cfg, const struct weir_path *path)
{
    uint32_t low_q26 = weir_swift_root_q26(cfg->fs_min_ppm), high_q26 = weir_swift_root_q26(cfg->fs_max_ppm);
    return weir_mul_div_u64(weir_swift_fs_range_ps(cfg, path), 1u << 26, low_q26 > high_q26 ? low_q26 - high_q26 : 1);
}

static inline void weir_swift_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_swift_config *cfg = config;
    struct weir_swift_window begin = { .cwnd_q28 = (cfg->init_cwnd.bytes << 28) / path->mss_bytes }; /* 2^30 << 28 */
    struct weir_swift *s = (struct weir_swift *)cc;
    WEIR_ASSERT(path->mss_bytes > 0 && path->mss_bytes < 1u << 14);
    WEIR_ASSERT(path->rate_bps > 0);
    *s = (struct weir_swift){
        .cc = { .timer_ps = WEIR_NEVER },
        .fabric = begin,
        .endpoint = begin,
        .rtt_ps = weir_max_u64(path->base_rtt_ps, 1),
        .a_ps = weir_swift_a_ps(cfg, path) & WEIR_SWIFT_A_MAX_PS, /* weir_swift_check() */
        .mss_bytes = path->mss_bytes & 0x3fff,
        .flat_ps = (uint32_t)weir_min_u64(weir_swift_flat_ps(cfg, path), WEIR_SWIFT_FLAT_MAX_PS),
        .fs_q26 = weir_swift_root_q26(cfg->fs_max_ppm),
        .line_bps = path->rate_bps,
        .range_ps = weir_swift_fs_range_ps(cfg, path),
        .pkt_bits_ps = weir_path_wire_bytes(path) * (8 * WEIR_PS_PER_S), /* 2^14 * 2^43 */
    };
    weir_swift_answer(s, cfg);
}

/* Cuts a window for a loss, found by a timeout or by fast recovery (algorithm 1): by max_mdf, at most once per round
 * trip. From the reset_timeouts-th timeout in a row on, sets the window to min_cwnd. */
static inline void weir_swift_cut_for_loss(struct weir_swift *s, const struct weir_swift_config *cfg,
                                           struct weir_swift_window *w, uint64_t now_ps)
{
    if (s->timeouts >= cfg->reset_timeouts)
        weir_swift_set(w, cfg, 0, now_ps);
    else if (weir_swift_may_cut(w, now_ps, s->rtt_ps))
        weir_swift_set(w, cfg, w->cwnd_q28 - weir_mul_div_u64(w->cwnd_q28, cfg->max_mdf_ppm, 1000000), now_ps);
}

static inline void weir_swift_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    struct weir_swift *s = (struct weir_swift *)cc;
    const struct weir_swift_config *cfg = config;
    if (loss->is_timeout && s->timeouts < WEIR_SWIFT_TIMEOUTS_MAX)
        s->timeouts++;
    else if (!loss->is_timeout)
        s->timeouts = 0;
    weir_swift_cut_for_loss(s, cfg, &s->fabric, loss->now_ps);
    weir_swift_cut_for_loss(s, cfg, &s->endpoint, loss->now_ps);
    weir_swift_answer(s, cfg);
}
#endif
