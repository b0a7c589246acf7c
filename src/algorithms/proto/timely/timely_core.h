/* src/algorithms/proto/timely/timely_core.h - the decisions of a TIMELY sender per sample. Apart from timely.h,
 * includes core/ only. Bounds: rates are below 2^43 bit/s, samples and thresholds up to 2^40 ps, fractions up to 2^20
 * millionths. */
#ifndef WEIR_PROTO_TIMELY_CORE_H
#define WEIR_PROTO_TIMELY_CORE_H
#include "proto/timely/timely.h"

/* Returns W = R RTT in payload bytes, rounded up to whole packets. So W is at least one packet, and a flow at line rate
 * on an idle path fills its link. (Hosts send whole packets, so any smaller window would leave the link idle.) R is a
 * rate on the wire, W is payload. The divisor is below 2^57. */
static inline uint32_t weir_timely_window_bytes(const struct weir_timely *t, uint64_t rtt_ps)
{
    uint64_t pkt_ps_bps = 8 * WEIR_PS_PER_S * t->wire_bytes;
    uint64_t pkts = weir_mul_div_u64(t->r_bps, rtt_ps, pkt_ps_bps); /* below 2^40: R is below 2^43, a round trip 2^40 */
    if (t->r_bps * rtt_ps != pkts * pkt_ps_bps)                     /* compared modulo 2^64: the remainder is less */
        pkts++;
    return (uint32_t)weir_min_u64(pkts, WEIR_CWND_MAX_BYTES / t->mss_bytes) * t->mss_bytes;
}

/* Sets R, limited to min_rate_bps .. line_bps, and from R the window (form window) or the pace. rtt_ps: the round trip
 * of the window; form rate does not use it */
static inline void weir_timely_set_rate(struct weir_timely *t, const struct weir_timely_config *cfg, uint64_t rate_bps,
                                        uint64_t rtt_ps)
{
    t->r_bps = weir_min_u64(weir_max_u64(rate_bps, cfg->min_rate_bps), t->line_bps);
    if (cfg->form == WEIR_TIMELY_WINDOW) {
        t->cc.cwnd_bytes = weir_timely_window_bytes(t, rtt_ps);
        return;
    }
    t->cc.rate_bps = t->r_bps;
    if (cfg->window)
        t->cc.cwnd_bytes = weir_clamp_u32(weir_mul_div_u64(t->r_bps, t->base_rtt_ps, 8 * WEIR_PS_PER_S), t->mss_bytes,
                                          WEIR_CWND_MAX_BYTES);
}

/* The input of one decision. */
struct weir_timely_step {
    uint64_t rtt_ps;
    uint64_t delta_bps; /* delta: additive step, b: decrease factor; eRPC scales both with time */
    uint64_t b_ppm;
};

/* Returns the smoothed difference, rtt_diff = (1 - a) rtt_diff + a new_diff. Rounds towards 0, so that it decays to 0.
 * 2^40 * 2^20 fits. */
static inline int64_t weir_timely_smooth(int64_t diff_ps, int64_t new_ps, uint32_t a_ppm)
{
    return weir_div_i64((1000000 - (int64_t)a_ppm) * diff_ps + (int64_t)a_ppm * new_ps, 1000000);
}

/* Returns R - R b num / den, at least 0. b num and 10^6 den are at most 2^20 * 2^40. */
static inline uint64_t weir_timely_less(uint64_t rate_bps, uint64_t b_ppm, uint64_t num, uint64_t den)
{
    return rate_bps - weir_min_u64(rate_bps, weir_mul_div_u64(rate_bps, b_ppm * num, 1000000 * den));
}

/* Returns the next rate for a sample from T_low to T_high, by SIGCOMM 2015. hai: true = an increase is hai_factor
 * steps */
static inline uint64_t weir_timely_band(const struct weir_timely *t, const struct weir_timely_config *cfg,
                                        const struct weir_timely_step *s, bool hai)
{
    if (t->diff_ps <= 0)
        return t->r_bps + s->delta_bps * (hai ? cfg->hai_factor : 1); /* 2^43 * 2^7 fits */
    return weir_timely_less(t->r_bps, s->b_ppm, (uint64_t)t->diff_ps, cfg->min_rtt_ps);
}

/* Returns CoNEXT 2016's weight w(g) in millionths, with the gradient g = diff_ps / min_rtt_ps: 0 up to g = -1/4, 1 from
 * 1/4 on, 2 g + 1/2 between. */
static inline uint64_t weir_timely_weight_ppm(int64_t diff_ps, uint64_t min_rtt_ps)
{
    int64_t quarter_ps = (int64_t)(min_rtt_ps / 4);
    if (diff_ps <= -quarter_ps)
        return 0;
    if (diff_ps >= quarter_ps)
        return 1000000;
    return (uint64_t)(500000 + weir_div_i64(2000000 * diff_ps, (int64_t)min_rtt_ps)); /* 2^21 * 2^32 fits */
}

/* Returns the next rate for a sample from T_low to T_high, by CoNEXT 2016: R = delta (1 - w) + R (1 - b w err), err =
 * (rtt - T_low) / T_low. The sample is at most 10 ms < 2^34 ps here: 2^30 * 2^34 fits. */
static inline uint64_t weir_timely_band_patched(const struct weir_timely *t, const struct weir_timely_config *cfg,
                                                const struct weir_timely_step *s)
{
    uint64_t w_ppm = weir_timely_weight_ppm(t->diff_ps, cfg->min_rtt_ps);
    uint64_t bw_ppb = s->b_ppm * w_ppm / 1000;
    uint64_t cut_bps = weir_mul_div_u64(t->r_bps, bw_ppb * (s->rtt_ps - cfg->t_low_ps), 1000000000 * cfg->t_low_ps);
    return t->r_bps - weir_min_u64(t->r_bps, cut_bps) + s->delta_bps * (1000000 - w_ppm) / 1000000;
}

/* Returns the next rate for one sample, by algorithm 1 or its patch of CoNEXT 2016. t->diff_ps must include the sample.
 * hai: true = an increase between T_low and T_high is a large one; variant patched ignores it */
static inline uint64_t weir_timely_decide(const struct weir_timely *t, const struct weir_timely_config *cfg,
                                          const struct weir_timely_step *s, bool hai)
{
    if (s->rtt_ps < cfg->t_low_ps)
        return t->r_bps + s->delta_bps;
    if (s->rtt_ps > cfg->t_high_ps)
        return weir_timely_less(t->r_bps, s->b_ppm, s->rtt_ps - cfg->t_high_ps, s->rtt_ps);
    return cfg->variant == WEIR_TIMELY_PATCHED ? weir_timely_band_patched(t, cfg, s) : weir_timely_band(t, cfg, s, hai);
}

/* Updates rtt_diff and the latest sample. The first sample counts as a difference of 0. */
static inline void weir_timely_sample(struct weir_timely *t, const struct weir_timely_config *cfg, uint64_t rtt_ps)
{
    int64_t new_ps = t->prev_rtt_ps == 0 ? 0 : (int64_t)rtt_ps - (int64_t)t->prev_rtt_ps;
    t->diff_ps = weir_timely_smooth(t->diff_ps, new_ps, cfg->a_ppm);
    t->prev_rtt_ps = rtt_ps;
}

static inline void weir_timely_count(struct weir_timely *t, const struct weir_timely_config *cfg, bool one_more)
{
    t->count = !one_more ? 0 : t->count < cfg->hai_count ? t->count + 1 : t->count;
}

/* Updates the rate as SIGCOMM 2015 or CoNEXT 2016 does, once per sample. From the hai_count-th gradient <= 0 in a row
 * between T_low and T_high on, increases are large; never with variant patched. */
static inline void weir_timely_paper(struct weir_timely *t, const struct weir_timely_config *cfg, uint64_t rtt_ps)
{
    const struct weir_timely_step s = { weir_max_u64(1, rtt_ps - weir_min_u64(rtt_ps, t->segment_ps)), t->delta_bps,
                                        cfg->b_ppm };
    weir_timely_sample(t, cfg, s.rtt_ps);
    weir_timely_count(t, cfg, s.rtt_ps >= cfg->t_low_ps && s.rtt_ps <= cfg->t_high_ps && t->diff_ps <= 0);
    weir_timely_set_rate(t, cfg, weir_timely_decide(t, cfg, &s, t->count >= cfg->hai_count), rtt_ps);
}

/* Updates the rate as HPCC's simulator does: once per round trip, from samples a round trip apart. After hai_count
 * increases in a row, further increases are large, those below T_low included. The first sample changes no rate. */
static inline void weir_timely_hpcc(struct weir_timely *t, const struct weir_timely_config *cfg,
                                    const struct weir_ack *ack, uint64_t rtt_ps)
{
    struct weir_timely_step s = { rtt_ps, t->delta_bps, cfg->b_ppm };
    bool first = t->prev_rtt_ps == 0;
    if (!first && ack->acked_seq <= t->decision_seq)
        return;
    t->decision_seq = ack->next_seq;
    weir_timely_sample(t, cfg, rtt_ps);
    if (first)
        return;
    bool faster = rtt_ps < cfg->t_low_ps || (rtt_ps <= cfg->t_high_ps && t->diff_ps <= 0);
    if (faster && t->count >= cfg->hai_count)
        s.delta_bps *= cfg->hai_factor; /* 2^43 * 2^7 fits */
    weir_timely_set_rate(t, cfg, weir_timely_decide(t, cfg, &s, false), rtt_ps);
    weir_timely_count(t, cfg, faster);
}

/* Updates the rate as eRPC does. The additive step and the decrease are scaled by min(1, time since the last update /
 * min_rtt). No update more than halves the rate. Samples below min_rtt are ignored, and at line rate also those up to
 * T_low. From the hai_count-th falling sample in a row on, increases between T_low and T_high are large. */
static inline void weir_timely_erpc(struct weir_timely *t, const struct weir_timely_config *cfg,
                                    const struct weir_ack *ack, uint64_t rtt_ps)
{
    uint64_t rate_bps = t->r_bps;
    if (rtt_ps < cfg->min_rtt_ps || (rate_bps == t->line_bps && rtt_ps <= cfg->t_low_ps))
        return;
    uint64_t since_ps = weir_min_u64(ack->now_ps - t->update_ps, cfg->min_rtt_ps);
    const struct weir_timely_step s = { rtt_ps, weir_mul_div_u64(t->delta_bps, since_ps, cfg->min_rtt_ps),
                                        cfg->b_ppm * since_ps / cfg->min_rtt_ps }; /* 2^20 * 2^34 fits */
    weir_timely_count(t, cfg, rtt_ps < t->prev_rtt_ps);
    weir_timely_sample(t, cfg, rtt_ps);
    uint64_t next_bps = weir_timely_decide(t, cfg, &s, t->count >= cfg->hai_count);
    weir_timely_set_rate(t, cfg, weir_max_u64(next_bps, rate_bps / 2), rtt_ps);
    t->update_ps = ack->now_ps;
}

static inline void weir_timely_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_timely *t = (struct weir_timely *)cc;
    const struct weir_timely_config *cfg = config;
    uint64_t rtt_ps = weir_min_u64(ack->rtt_ps, WEIR_TIMELY_RTT_MAX_PS);
    if (rtt_ps == 0)
        return; /* a retransmission: no round-trip sample */
    if (cfg->variant == WEIR_TIMELY_HPCC)
        weir_timely_hpcc(t, cfg, ack, rtt_ps);
    else if (cfg->variant == WEIR_TIMELY_ERPC)
        weir_timely_erpc(t, cfg, ack, rtt_ps);
    else
        weir_timely_paper(t, cfg, rtt_ps);
}

/* Begins a flow at its first rate, and forgets what was learned before. */
static inline void weir_timely_begin(struct weir_timely *t, const struct weir_timely_config *cfg)
{
    t->prev_rtt_ps = t->decision_seq = 0;
    t->diff_ps = 0;
    t->count = 0;
    weir_timely_set_rate(t, cfg, weir_mul_div_u64(t->line_bps, cfg->init_rate_ppm, 1000000), t->base_rtt_ps);
}

static inline void weir_timely_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_timely_config *cfg = config;
    struct weir_timely *t = (struct weir_timely *)cc;
    *t = (struct weir_timely){
        .cc = { .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES },
        .delta_bps = cfg->delta_bps != 0 ? cfg->delta_bps : weir_max_u64(1, path->rate_bps / 1000),
        .line_bps = path->rate_bps,
        .base_rtt_ps = path->base_rtt_ps,
        .segment_ps = weir_mul_div_u64(weir_path_wire_bytes(path), 8 * WEIR_PS_PER_S, path->rate_bps),
        .mss_bytes = path->mss_bytes,
        .wire_bytes = weir_path_wire_bytes(path),
    };
    weir_timely_begin(t, cfg);
}
#endif
