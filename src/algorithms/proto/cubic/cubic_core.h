/* src/algorithms/proto/cubic/cubic_core.h - the arithmetic of CUBIC: cube root, window at a time, growth per ACK, end
 * of slow start. Equations are those of RFC 9438.
 * Times are counted in u = 2^-14 s. The cube of 2^21 u (128 s) just fits 64 bits. Farther from its flat part the cubic
 * is constant. Rounding a time by one u changes the window by 3 C d^2 u, where d is the distance from the flat part:
 * 0.007 packets at 10 s. */
#ifndef WEIR_PROTO_CUBIC_CORE_H
#define WEIR_PROTO_CUBIC_CORE_H
#include "proto/cubic/cubic.h"

#define WEIR_CUBIC_U_BITS 14
#define WEIR_CUBIC_U_MAX (1u << 21) /* 128 s */

/* Constants of HyStart, as in Linux. */
#define WEIR_HYSTART_LEAST_PKTS 16u
#define WEIR_HYSTART_SAMPLES 8u
#define WEIR_HYSTART_TRAIN_PS (2 * WEIR_PS_PER_MS)      /* ACKs further apart than this do not belong to one train */
#define WEIR_HYSTART_DELAY_MIN_PS (4 * WEIR_PS_PER_MS)  /* slow start ends if RTT rises by 1/8: at least this .. */
#define WEIR_HYSTART_DELAY_MAX_PS (16 * WEIR_PS_PER_MS) /* .. and at most by this */

/* Returns the cube root of x, rounded down. Each step finds one bit of the result y: (y + 1)^3 - y^3 = 3 y (y + 1) +
 * 1. A step has no branch: BPF's verifier would follow 2^22 paths through them. */
WEIR_APART uint32_t weir_cbrt_u64(uint64_t x)
{
    uint64_t y = 0;
    for (int shift = 63; shift >= 0; shift -= 3) {
        y *= 2;
        uint64_t digit = 3 * y * (y + 1) + 1;         /* < 2^46 */
        uint64_t less = ((x >> shift) - digit) >> 63; /* 1 if the bit is 0: both sides are below 2^63 */
        x -= (digit << shift) & (less - 1);
        y += 1 - less;
    }
    return (uint32_t)y;
}

/* Converts a time span to u, rounded down; saturates at WEIR_CUBIC_U_MAX. */
static inline uint32_t weir_cubic_u(uint64_t ps)
{
    uint64_t most_ps = UINT64_C(128) * WEIR_PS_PER_S; /* < 2^47, and 2^14 more fit */
    return (uint32_t)((weir_min_u64(ps, most_ps) << WEIR_CUBIC_U_BITS) / WEIR_PS_PER_S);
}

/* Returns K = cbrt((W_max - cwnd_epoch) / C) in u, rounded down (equation 2); at most WEIR_CUBIC_U_MAX. below_bytes:
 * W_max - cwnd_epoch */
static inline uint32_t weir_cubic_k(uint32_t below_bytes, uint32_t c_ppm, uint32_t mss_bytes)
{
    uint64_t den = (uint64_t)c_ppm * mss_bytes;            /* < 2^24 * 2^14 */
    uint64_t millionths = (uint64_t)below_bytes * 1000000; /* < 2^50; over den: cubic seconds */
    if (millionths >> 21 >= den)
        return WEIR_CUBIC_U_MAX; /* 2^21 cubic seconds */
    return weir_cbrt_u64(weir_mul_div_u64(millionths, UINT64_C(1) << 3 * WEIR_CUBIC_U_BITS, den)); /* < 2^63 */
}

/* Returns W_cubic = C (t - K)^3 + origin in bytes, limited to 0 .. WEIR_CWND_MAX_BYTES (equation 1). */
static inline uint32_t weir_cubic_window(uint32_t origin_bytes, uint32_t k_u, uint32_t t_u, uint32_t c_ppm,
                                         uint32_t mss_bytes)
{
    uint64_t d = weir_min_u64(t_u > k_u ? t_u - k_u : k_u - t_u, WEIR_CUBIC_U_MAX);
    uint64_t scaled = (d * d * d >> 22) * mss_bytes; /* 2^41 * 2^14; 2^-20 s^3 times bytes */
    uint64_t off_bytes = weir_mul_div_u64(scaled, c_ppm, UINT64_C(1000000) << 20);
    if (t_u < k_u)
        return origin_bytes > off_bytes ? origin_bytes - (uint32_t)off_bytes : 0;
    return weir_clamp_u32(origin_bytes + off_bytes, 0, WEIR_CWND_MAX_BYTES);
}

/* Begins congestion avoidance (section 4.2). A flow whose window is not below W_max begins at the flat part, with K =
 * 0. That is so for a flow that was never cut, and after a timeout. */
static inline void weir_cubic_begin(struct weir_cubic *c, const struct weir_cubic_config *cfg, uint64_t now_ps)
{
    uint32_t cwnd_bytes = c->reno.cc.cwnd_bytes;
    bool below = cwnd_bytes < c->w_max_bytes;
    c->epoch_ps = now_ps;
    c->origin_bytes = below ? c->w_max_bytes : cwnd_bytes;
    c->k_u = below ? weir_cubic_k(c->w_max_bytes - cwnd_bytes, cfg->c_ppm, c->reno.mss_bytes) : 0;
    c->est_bytes = cwnd_bytes;
    c->est_rem = 0;
    c->grown_rem = 0;
}

/* Advances Reno's window: W_est += alpha acked / cwnd (equation 4). alpha is 3 (1 - beta) / (1 + beta) until W_est
 * reaches the window before the last cut, then 1. */
static inline void weir_cubic_estimate(struct weir_cubic *c, const struct weir_cubic_config *cfg, uint32_t acked_bytes)
{
    uint64_t den = (uint64_t)c->reno.cc.cwnd_bytes * 1000000; /* < 2^50 */
    uint64_t alpha_ppm = 1000000;
    if (c->est_bytes < c->prior_bytes)
        alpha_ppm = UINT64_C(3000000) * cfg->cut_ppm / (2000000 - cfg->cut_ppm);
    uint64_t grown = alpha_ppm * c->reno.mss_bytes;         /* < 2^22 * 2^14 */
    acked_bytes = weir_clamp_u32(acked_bytes, 0, 1u << 26); /* 2^62 and a remainder fit */
    c->est_rem += grown * acked_bytes;
    c->est_bytes = weir_clamp_u32(c->est_bytes + c->est_rem / den, 0, WEIR_CWND_MAX_BYTES);
    c->est_rem %= den;
}

/* Grows the window for an ACK in congestion avoidance (sections 4.3 to 4.5). With reno_friendly, and while W_cubic is
 * below W_est, raises the window to at least W_est. Otherwise moves the window towards W_cubic one round trip ahead,
 * which is limited to 1 .. 1.5 windows. */
static inline void weir_cubic_grow(struct weir_cubic *c, const struct weir_cubic_config *cfg,
                                   const struct weir_ack *ack)
{
    uint32_t cwnd_bytes = c->reno.cc.cwnd_bytes, mss = c->reno.mss_bytes;
    if (c->epoch_ps == 0)
        weir_cubic_begin(c, cfg, ack->now_ps);
    uint64_t t_ps = ack->now_ps - c->epoch_ps;
    weir_cubic_estimate(c, cfg, ack->acked_bytes);
    uint32_t now_bytes = weir_cubic_window(c->origin_bytes, c->k_u, weir_cubic_u(t_ps), cfg->c_ppm, mss);
    if (cfg->reno_friendly && now_bytes < c->est_bytes) {
        weir_reno_set_cwnd(&c->reno, weir_max_u64(cwnd_bytes, c->est_bytes));
        return;
    }
    uint64_t target_bytes = weir_cubic_window(c->origin_bytes, c->k_u, weir_cubic_u(t_ps + c->rtt_ps), cfg->c_ppm, mss);
    target_bytes = weir_clamp_u32(target_bytes, cwnd_bytes, cwnd_bytes + cwnd_bytes / 2);
    uint64_t grown = (target_bytes - cwnd_bytes) * ack->acked_bytes + c->grown_rem; /* 2^29 * 2^30 */
    weir_reno_set_cwnd(&c->reno, cwnd_bytes + grown / cwnd_bytes);
    c->grown_rem = (uint32_t)(grown % cwnd_bytes);
}

/* Updates HyStart by an ACK in slow start. @return true if slow start ends, for one of two reasons. ACKs have come
 * without a gap for half the flow's shortest round trip. Or the shortest of more than 8 samples of this round exceeds
 * the flow's shortest round trip by an eighth (at least 4 ms, at most 16 ms) */
static inline bool weir_hystart_ends(struct weir_hystart *s, const struct weir_ack *ack)
{
    if (ack->rtt_ps != 0)
        s->least_ps = weir_min_u64(s->least_ps, ack->rtt_ps);
    if (ack->acked_seq > s->round_end_seq || s->round_ps == 0) {
        s->round_end_seq = ack->next_seq;
        s->round_ps = s->train_ps = ack->now_ps;
        s->round_least_ps = WEIR_NEVER;
        s->samples = 0;
    }
    if (s->least_ps == WEIR_NEVER)
        return false;
    if (ack->now_ps - s->train_ps <= WEIR_HYSTART_TRAIN_PS) {
        s->train_ps = ack->now_ps;
        if (ack->now_ps - s->round_ps > s->least_ps / 2)
            return true;
    }
    if (ack->rtt_ps == 0)
        return false;
    s->round_least_ps = weir_min_u64(s->round_least_ps, ack->rtt_ps);
    if (s->samples < WEIR_HYSTART_SAMPLES) {
        s->samples++;
        return false;
    }
    uint64_t rise_ps =
        weir_min_u64(weir_max_u64(s->least_ps / 8, WEIR_HYSTART_DELAY_MIN_PS), WEIR_HYSTART_DELAY_MAX_PS);
    return s->round_least_ps > s->least_ps + rise_ps;
}
#endif
