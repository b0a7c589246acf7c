/* src/algorithms/proto/soze/soze_core.h - the set-up of a Soze sender and its decisions per ACK. Apart from soze.h,
 * includes core/ only. */
#ifndef WEIR_PROTO_SOZE_CORE_H
#define WEIR_PROTO_SOZE_CORE_H
#include "proto/soze/soze.h"

/* Returns (of_ps - over_ps) * whole / den, negative if over_ps is greater. The result fits: delays are below 2^34 ps,
 * logarithms below 2^38, and den is 10^5 ps or more. */
static inline int64_t weir_soze_part(uint64_t of_ps, uint64_t over_ps, uint64_t whole, uint64_t den)
{
    return of_ps >= over_ps ? (int64_t)weir_mul_div_u64(of_ps - over_ps, whole, den)
                            : -(int64_t)weir_mul_div_u64(over_ps - of_ps, whole, den);
}

/* Returns log2(T^-1(D) / alpha), equation 6. D is delay_ps. The result is 0 at D = k, and falls by span_q32 for each p
 * that D is above k. */
static inline int64_t weir_soze_inverse_q32(const struct weir_soze_config *cfg, uint64_t span_q32, uint64_t delay_ps)
{
    return -weir_soze_part(delay_ps, cfg->k_ps, span_q32, cfg->p.ps);
}

/* Limits a value to -most .. most. */
static inline int64_t weir_soze_within(int64_t value, int64_t most)
{
    if (value > most)
        return most;
    return value < -most ? -most : value;
}

/* Returns the error log2(T^-1(D) / x), limited to +-WEIR_SOZE_ERROR_MAX_Q32: positive if the rate per weight x is too
 * low. log2_rtt_q32: log2 of the round trip in ps */
static inline int64_t weir_soze_error_q32(const struct weir_soze *f, const struct weir_soze_config *cfg,
                                          uint64_t delay_ps, uint64_t log2_rtt_q32)
{
    int64_t x_q32 = (int64_t)f->window_q32 - f->full_q32 - (int64_t)log2_rtt_q32; /* log2(x / alpha) */
    int64_t error_q32 = weir_soze_inverse_q32(cfg, f->span_q32, delay_ps) - x_q32;
    return weir_soze_within(error_q32, WEIR_SOZE_ERROR_MAX_Q32);
}

/* Returns log2 U = m times the error, equation 7. */
static inline int64_t weir_soze_step_q32(const struct weir_soze_config *cfg, int64_t error_q32)
{
    return weir_div_i64(error_q32 * (int64_t)cfg->m_ppm, 1000000); /* 2^40 * 2^22 fits */
}

/* Updates the smoothed error, and its age: the number of windows for which the error has kept its sign. share_q20: the
 * part of the window that this ACK acknowledges */
static inline void weir_soze_grow_older(struct weir_soze *f, int64_t error_q32, uint32_t share_q20)
{
    bool was_low = f->mean_q24 > 0;
    int64_t error_q24 = weir_soze_within(weir_div_i64(error_q32, 256), WEIR_SOZE_MEAN_MAX_Q24);
    f->mean_q24 += (int32_t)weir_div_i64((error_q24 - f->mean_q24) * (int64_t)share_q20, 1 << 20);
    f->age_q20 = weir_clamp_u32(f->age_q20 + share_q20, 0, WEIR_SOZE_AGE_MAX_Q20);
    if (was_low != (f->mean_q24 > 0))
        f->age_q20 = 0;
}

/* Returns the step, lowered if the round trip is long. A step takes effect a round trip later, so the same m is a
 * higher gain on a longer one. With gain_max, m therefore falls as 1 / RTT above full_rtt_ps. An error that keeps its
 * sign for longer than patience is no oscillation. Then m grows again in proportion to the age, at most to its full
 * value. */
static inline int64_t weir_soze_held_step_q32(const struct weir_soze *f, const struct weir_soze_config *cfg,
                                              int64_t step_q32, uint64_t rtt_ps)
{
    if (rtt_ps <= f->full_rtt_ps)
        return step_q32;
    uint64_t full_q32 = (uint64_t)(step_q32 < 0 ? -step_q32 : step_q32);
    uint64_t size_q32 = weir_mul_div_u64(full_q32, f->full_rtt_ps, rtt_ps);
    uint64_t age_ppm = (uint64_t)f->age_q20 * 1000000 >> 20;
    if (cfg->patience_ppm != 0 && age_ppm > cfg->patience_ppm)
        size_q32 = weir_min_u64(full_q32, weir_mul_div_u64(size_q32, age_ppm, cfg->patience_ppm));
    return step_q32 < 0 ? -(int64_t)size_q32 : (int64_t)size_q32;
}

/* Returns the part of the window that an ACK acknowledges, Q20, at most 1. For acked_bytes below 2^28 the shift by 36
 * fits. An ACK of more bytes, which a large host.window allows, takes the long division. */
static inline uint32_t weir_soze_share_q20(uint64_t window_q16, uint32_t acked_bytes)
{
    if (acked_bytes >= 1u << 28)
        return weir_clamp_u32(weir_mul_div_u64(acked_bytes, UINT64_C(1) << 36, window_q16), 0, 1u << 20);
    return weir_clamp_u32(((uint64_t)acked_bytes << 36) / window_q16, 0, 1u << 20);
}

/* Returns the window, in 2^-16 B, that fills a round trip at a payload rate; limited to 1 .. the largest window. */
static inline uint64_t weir_soze_held_q16(uint64_t payload_bps, uint64_t rtt_ps)
{
    uint64_t rate_q16 = payload_bps << WEIR_SOZE_WINDOW_FRAC_BITS; /* 2^43 << 16 fits */
    uint64_t held_q16 = weir_mul_div_u64(rate_q16, rtt_ps, 8 * WEIR_PS_PER_S);
    return weir_min_u64(weir_max_u64(held_q16, 1), UINT64_C(1) << (WEIR_SOZE_WINDOW_MAX_Q32 >> 32));
}

/* Returns the rate of the window over a round trip, in bit/s on the wire; at least 1. */
static inline uint64_t weir_soze_rate_bps(const struct weir_soze *f, uint64_t rtt_ps)
{
    uint64_t bps = weir_mul_div_u64(f->window_q16, 8 * WEIR_PS_PER_S, rtt_ps) >> WEIR_SOZE_WINDOW_FRAC_BITS;
    return weir_max_u64(1, weir_mul_div_u64(bps, f->wire_bytes, f->mss_bytes));
}

/* Sets cwnd and pace from f->window_q16. A window below one packet is a pace. Above, the fraction of a packet is sent
 * as one packet more for that part of the phase.
 * Packets sent as ACKs arrive form clumps. A clump meets the same part of the queues in each round trip, so its delay
 * is not the mean, and shares differ by up to 5 %. Key pace prevents clumps. A small window becomes a pace, with cwnd a
 * packet larger, so that the waiting packet does not count. A large window keeps its cwnd and is paced a little faster
 * than window / RTT. As a pace alone it would not yield to a queue at once, and loops would oscillate. */
static inline void weir_soze_answer(struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t rtt_ps)
{
    uint64_t mss = f->mss_bytes, bytes = f->window_q16 >> WEIR_SOZE_WINDOW_FRAC_BITS;
    bool large = bytes >= (uint64_t)cfg->large_pkts * mss;
    if (bytes < mss || (cfg->pace_ppm != 0 && !large)) {
        f->cc.cwnd_bytes = (uint32_t)(bytes < mss ? mss : bytes + mss);
        f->cc.rate_bps = weir_soze_rate_bps(f, rtt_ps);
        return;
    }
    f->cc.cwnd_bytes = weir_clamp_u32(bytes + (f->phase_q20 * mss >> 20), 0, WEIR_CWND_MAX_BYTES);
    f->cc.rate_bps = WEIR_RATE_OPEN;
    if (cfg->pace_ppm != 0)
        f->cc.rate_bps = weir_mul_div_u64(weir_soze_rate_bps(f, rtt_ps), cfg->pace_ppm, 1000000);
}

/* Returns the longest round trip that a window may fill: the sample rtt_ps, limited to what the queues of a path
 * explain. delay_ps is D, the longest delay of these queues; it excludes queues in which ACKs wait. The limits are base
 * RTT + D, and the larger of 4 base RTT + 8 D and base RTT + D + k + p. For ACKs may wait in a queue that Soze itself
 * keeps, whose longest target is k + p. (With the sample alone, a flow could fill the queue of its own host.) */
static inline uint64_t weir_soze_rtt_max_ps(const struct weir_soze *f, const struct weir_soze_config *cfg,
                                            uint64_t delay_ps, uint64_t rtt_ps)
{
    uint64_t all_ps = WEIR_SOZE_BACK_MAX * f->base_rtt_ps + WEIR_SOZE_QUEUES_MAX * delay_ps; /* below 2^44 */
    all_ps = weir_max_u64(all_ps, f->base_rtt_ps + delay_ps + cfg->k_ps + cfg->p.ps);
    return weir_max_u64(f->base_rtt_ps + delay_ps, weir_min_u64(rtt_ps, all_ps));
}

/* Adds step_q32 to the logarithm of the window, and limits the result to the window of min_rate ..
 * WEIR_SOZE_WINDOW_MAX_Q32. Sets window_q16, too. log2_rtt_q32: log2 of the round trip in ps */
static inline void weir_soze_move(struct weir_soze *f, int64_t step_q32, uint64_t log2_rtt_q32)
{
    int64_t floor_q32 = f->floor_q32 + (int64_t)log2_rtt_q32, to_q32 = (int64_t)f->window_q32 + step_q32;
    to_q32 = to_q32 < floor_q32 ? floor_q32 : to_q32;
    to_q32 = to_q32 < 0 ? 0 : to_q32;
    f->window_q32 = weir_min_u64((uint64_t)to_q32, WEIR_SOZE_WINDOW_MAX_Q32);
    f->window_q16 = weir_exp2_q32(f->window_q32);
}

/* Limits the window to the bytes that a full link carries in weir_soze_rtt_max_ps(), and one packet that waits. Without
 * a limit the window of a flow alone on its link would grow without bound, because such a flow meets no delay. */
static inline void weir_soze_cap(struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t delay_ps,
                                 uint64_t rtt_ps)
{
    uint64_t cap_q16 = weir_soze_held_q16(f->line_bps, weir_soze_rtt_max_ps(f, cfg, delay_ps, rtt_ps));
    cap_q16 += (uint64_t)f->mss_bytes << WEIR_SOZE_WINDOW_FRAC_BITS;
    if (f->window_q16 > cap_q16) {
        f->window_q16 = cap_q16;
        f->window_q32 = weir_log2_q32(cap_q16);
    }
}

/* Tests whether the window may be updated by this ACK. If so, sets updated_ps. */
static inline bool weir_soze_due(struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t now_ps,
                                 uint64_t rtt_ps)
{
    if (cfg->update == WEIR_SOZE_PER_RTT && f->updated_ps != 0 && now_ps - f->updated_ps <= rtt_ps)
        return false;
    f->updated_ps = now_ps;
    return true;
}

/* Returns the round trip that a window fills with signal: phantom: the sample, without what queues of hosts and of the
 * ACKs' way added. delay_ps: D, which a real queue on the path is part of */
static inline uint64_t weir_soze_phantom_rtt_ps(const struct weir_soze *f, uint64_t delay_ps, uint64_t rtt_ps)
{
    uint64_t packet_ps = weir_mul_div_u64(f->mss_bytes, 8 * WEIR_PS_PER_S, f->line_bps);
    return weir_min_u64(rtt_ps, f->base_rtt_ps + delay_ps + packet_ps);
}

/* Returns the step of the first ACK of a flow with signal: phantom: all of the error, but not to a window below one
 * packet. The burst of the flow's own first window is in the delay that it reports. */
static inline int64_t weir_soze_jump_q32(const struct weir_soze *f, int64_t error_q32)
{
    int64_t packet_q32 = (int64_t)weir_log2_q32((uint64_t)f->mss_bytes << WEIR_SOZE_WINDOW_FRAC_BITS);
    int64_t least_q32 = packet_q32 - (int64_t)f->window_q32;
    return error_q32 < least_q32 ? least_q32 : error_q32;
}

/* Updates the window by an ACK that brings the delay of a virtual queue. An error beyond ln(alpha / beta) counts as
 * that: a burst is no level. A packet moves a window of less than WEIR_SOZE_STEP_PKTS as one of so many. */
static inline void weir_soze_on_phantom_ack(struct weir_soze *f, const struct weir_soze_config *cfg,
                                            const struct weir_ack *ack, uint64_t sample_ps)
{
    uint64_t rtt_ps = weir_soze_phantom_rtt_ps(f, ack->qdelay_max_ps, sample_ps);
    uint64_t log2_rtt_q32 = weir_log2_q32(rtt_ps);
    uint64_t least_q16 = (uint64_t)WEIR_SOZE_STEP_PKTS * f->mss_bytes << WEIR_SOZE_WINDOW_FRAC_BITS;
    uint32_t share_q20 = weir_soze_share_q20(f->window_q16, ack->acked_bytes);
    uint32_t part_q20 = weir_soze_share_q20(weir_max_u64(f->window_q16, least_q16), ack->acked_bytes);
    int64_t error_q32 = weir_soze_error_q32(f, cfg, ack->qdelay_max_ps, log2_rtt_q32), step_q32;
    error_q32 = weir_soze_within(error_q32, (int64_t)f->span_q32);
    f->phase_q20 = (f->phase_q20 + share_q20) & ((1u << 20) - 1);
    if (f->updated_ps == 0)
        step_q32 = weir_soze_jump_q32(f, error_q32);
    else
        step_q32 = weir_div_i64(weir_soze_step_q32(cfg, error_q32) * (int64_t)part_q20, 1 << 20);
    f->updated_ps = ack->now_ps;
    weir_soze_move(f, step_q32, log2_rtt_q32);
    weir_soze_cap(f, cfg, 0, rtt_ps);
    weir_soze_answer(f, cfg, rtt_ps);
}

static inline void weir_soze_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_soze *f = (struct weir_soze *)cc;
    const struct weir_soze_config *cfg = config;
    uint64_t rtt_ps = cfg->rtt == WEIR_SOZE_RTT_BASE ? f->base_rtt_ps : ack->rtt_ps;
    if (rtt_ps == 0)
        return; /* a retransmission: no round-trip sample */
    if (cfg->signal == WEIR_SOZE_SIGNAL_PHANTOM) {
        weir_soze_on_phantom_ack(f, cfg, ack, rtt_ps);
        return;
    }
    uint64_t log2_rtt_q32 = weir_log2_q32(rtt_ps);
    uint32_t share_q20 = weir_soze_share_q20(f->window_q16, ack->acked_bytes);
    int64_t error_q32 = weir_soze_error_q32(f, cfg, ack->qdelay_max_ps, log2_rtt_q32);
    if (cfg->patience_ppm != 0)
        weir_soze_grow_older(f, error_q32, share_q20);
    int64_t step_q32 = weir_soze_held_step_q32(f, cfg, weir_soze_step_q32(cfg, error_q32), rtt_ps);
    f->phase_q20 = (f->phase_q20 + share_q20) & ((1u << 20) - 1);
    if (!weir_soze_due(f, cfg, ack->now_ps, rtt_ps))
        step_q32 = 0;
    else if (cfg->update == WEIR_SOZE_PER_ACK)
        step_q32 = weir_div_i64(step_q32 * (int64_t)share_q20, 1 << 20); /* 2^43 * 2^20 at most */
    weir_soze_move(f, step_q32, log2_rtt_q32);
    weir_soze_cap(f, cfg, ack->qdelay_max_ps, rtt_ps);
    weir_soze_answer(f, cfg, rtt_ps);
}

/* Returns the highest rate per weight. */
static inline uint64_t weir_soze_alpha_bps(const struct weir_soze_config *cfg, const struct weir_path *path)
{
    if (cfg->alpha_bps != 0)
        return cfg->alpha_bps;
    return weir_max_u64(1, weir_mul_div_u64(path->rate_bps, 1000000, cfg->min_weight_ppm));
}

static inline uint64_t weir_soze_beta_bps(const struct weir_soze_config *cfg, uint64_t alpha_bps)
{
    return cfg->beta_bps != 0 ? cfg->beta_bps : weir_max_u64(1, alpha_bps / 100);
}

/* Returns the least rate of a flow. */
static inline uint64_t weir_soze_floor_bps(const struct weir_soze_config *cfg, const struct weir_path *path)
{
    if (cfg->min_rate_bps != 0)
        return cfg->min_rate_bps;
    if (cfg->signal != WEIR_SOZE_SIGNAL_PHANTOM)
        return weir_max_u64(1, path->rate_bps / 1000);
    return weir_max_u64(
        1, weir_mul_div_u64(weir_path_wire_bytes(path), 8 * WEIR_PS_PER_S / WEIR_SOZE_FLOOR_PART, path->base_rtt_ps));
}

/* Returns the logarithm to base 2 of a window per picosecond of round trip. rate_bps: the rate of that window, on the
 * wire; the window is payload in 2^-16 B */
static inline int64_t weir_soze_per_ps_q32(const struct weir_soze *f, uint64_t rate_bps)
{
    uint64_t over_q32 = weir_log2_q32(8 * WEIR_PS_PER_S) + weir_log2_q32(f->wire_bytes);
    uint64_t q32 = weir_log2_q32(rate_bps) + weir_log2_q32(f->mss_bytes) + ((uint64_t)WEIR_SOZE_WINDOW_FRAC_BITS << 32);
    return (int64_t)(q32 - over_q32);
}

/* Returns the window, in 2^-16 B of payload, that gives rate_bps on the wire at the base RTT. */
static inline uint64_t weir_soze_window_at_q16(const struct weir_soze *f, uint64_t rate_bps)
{
    uint64_t payload_bps = weir_mul_div_u64(rate_bps, f->mss_bytes, f->wire_bytes);
    return weir_soze_held_q16(payload_bps, f->base_rtt_ps);
}

/* Begins a flow with a window, and forgets what was learned before. window_q16: above 0, in 2^-16 B */
static inline void weir_soze_begin(struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t window_q16)
{
    f->window_q16 = window_q16;
    f->window_q32 = weir_log2_q32(window_q16);
    f->updated_ps = 0;
    f->phase_q20 = f->age_q20 = 0;
    f->mean_q24 = 0;
    weir_soze_answer(f, cfg, f->base_rtt_ps);
}

static inline uint64_t weir_soze_full_rtt_ps(const struct weir_soze_config *cfg, uint64_t span_q32)
{
    if (cfg->gain_max_ppm == 0)
        return UINT64_MAX;
    /* p / ln(alpha / beta), but at most a second: else the product would not fit */
    uint64_t slope_ps = weir_mul_div_u64(cfg->p.ps, WEIR_LOG2E_Q32, weir_max_u64(span_q32, 1u << 20));
    slope_ps = weir_min_u64(slope_ps, WEIR_PS_PER_S);
    return weir_max_u64(1, weir_mul_div_u64(slope_ps, cfg->gain_max_ppm, cfg->m_ppm));
}

static inline void weir_soze_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_soze_config *cfg = config;
    struct weir_soze *f = (struct weir_soze *)cc;
    uint64_t alpha_bps = weir_soze_alpha_bps(cfg, path);
    uint64_t start_bps = cfg->start_rate_bps != 0 ? cfg->start_rate_bps : path->rate_bps;
    *f = (struct weir_soze){
        .cc = { .timer_ps = WEIR_NEVER },
        .span_q32 = weir_log2_q32(alpha_bps) - weir_log2_q32(weir_soze_beta_bps(cfg, alpha_bps)),
        .mss_bytes = (uint16_t)path->mss_bytes,
        .wire_bytes = (uint16_t)weir_path_wire_bytes(path),
        .base_rtt_ps = path->base_rtt_ps,
    };
    f->full_rtt_ps = weir_soze_full_rtt_ps(cfg, f->span_q32);
    f->unit_q32 = f->full_q32 = weir_soze_per_ps_q32(f, alpha_bps);
    f->floor_q32 = weir_soze_per_ps_q32(f, weir_soze_floor_bps(cfg, path));
    f->start_q16 = weir_soze_window_at_q16(f, start_bps);
    f->line_bps = weir_mul_div_u64(path->rate_bps, path->mss_bytes, f->wire_bytes);
    weir_soze_begin(f, cfg, f->start_q16);
}

/* Handles a new weight, weight_q20 > 0. With WEIR_SOZE_REWEIGH_SCALE the window is multiplied by new weight / old
 * weight, because the share of one flow among many is proportional to its weight. A window that no ACK has updated yet
 * stays. The next ACK sets cwnd and pace from the new window. */
static inline void weir_soze_reweigh(struct weir_soze *f, const struct weir_soze_config *cfg, uint64_t weight_q20)
{
    int64_t full_q32 = f->unit_q32 + (int64_t)weir_log2_q32(weight_q20) - (INT64_C(20) << 32);
    int64_t window_q32 = (int64_t)f->window_q32 + full_q32 - f->full_q32;
    f->full_q32 = full_q32;
    if (cfg->reweigh != WEIR_SOZE_REWEIGH_SCALE || f->updated_ps == 0)
        return;
    f->window_q32 = weir_min_u64(window_q32 < 0 ? 0 : (uint64_t)window_q32, WEIR_SOZE_WINDOW_MAX_Q32);
    f->window_q16 = weir_exp2_q32(f->window_q32);
}
#endif
