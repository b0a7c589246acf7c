/* src/algorithms/proto/expresspass/expresspass_core.h - the decisions of a receiver: the rate of credit, and the time
 * to the next credit. Rates are in bytes of credit per second: below 2^40 on links of 8 Tb/s. */
#ifndef WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_CORE_H
#define WEIR_PROTO_EXPRESSPASS_EXPRESSPASS_CORE_H
#include "core/math.h"
#include "core/rng.h"
#include "core/units.h"
#include "proto/expresspass/expresspass.h"

#define WEIR_EXPRESSPASS_PPB UINT64_C(1000000000)

static inline uint32_t weir_expresspass_mean_bytes(const struct weir_expresspass_config *cfg)
{
    return (cfg->credit_min_bytes + cfg->credit_max_bytes) / 2;
}

/* Returns the least rate: one credit of mean size per round trip. */
static inline uint64_t weir_expresspass_least(const struct weir_expresspass_config *cfg, uint64_t rtt_ps)
{
    return weir_expresspass_mean_bytes(cfg) * WEIR_PS_PER_S / rtt_ps; /* 2^14 * 2^40 fits */
}

/* Begins the feedback loop of a message, or begins it anew when its sender requests credit again. The first rate is
 * alpha of rate_max, and less in proportion if left_pkts is below short_pkts. rtt_ps and may_grow are kept. left_pkts:
 * packets of the message that have not arrived */
static inline void weir_expresspass_begin(const struct weir_expresspass_config *cfg, struct weir_expresspass_flow *f,
                                          uint64_t rate_max, uint32_t left_pkts, uint64_t now_ps)
{
    uint64_t rate = weir_mul_div_u64(rate_max, cfg->alpha_ppm, 1000000);
    if (left_pkts < cfg->short_pkts)
        rate = weir_mul_div_u64(rate, left_pkts, cfg->short_pkts);
    *f = (struct weir_expresspass_flow){ .rate = weir_max_u64(rate, 1),
                                         .updated_ps = now_ps,
                                         .rtt_ps = f->rtt_ps,
                                         .w_ppb = cfg->w_init_ppm * 1000,
                                         .may_grow = f->may_grow };
}

/* Returns the share of credit that may be lost at this rate, in billionths: (1 - rate / rate_max) * target. */
static inline uint32_t weir_expresspass_target_ppb(const struct weir_expresspass_config *cfg, uint64_t rate,
                                                   uint64_t rate_max)
{
    return (uint32_t)weir_mul_div_u64(rate_max - rate, (uint64_t)cfg->target_ppm * 1000, rate_max);
}

/* Returns the rate after too many credits were lost: (1 + target) times the rate of those credits that brought data
 * since updated_ps; at most the present rate. now_ps must be above updated_ps. */
static inline uint64_t weir_expresspass_cut(const struct weir_expresspass_config *cfg,
                                            const struct weir_expresspass_flow *f, uint32_t target_ppb, uint64_t now_ps)
{
    uint64_t came_bytes = (uint64_t)(f->total - f->dropped) * weir_expresspass_mean_bytes(cfg);
    uint64_t came = weir_mul_div_u64(came_bytes, WEIR_PS_PER_S, now_ps - f->updated_ps);
    return weir_min_u64(f->rate, weir_mul_div_u64(came, WEIR_EXPRESSPASS_PPB + target_ppb, WEIR_EXPRESSPASS_PPB));
}

/* Updates the rate once per round trip, if credits were counted in that round trip. Must be called before each
 * credit. */
static inline void weir_expresspass_feedback(const struct weir_expresspass_config *cfg, struct weir_expresspass_flow *f,
                                             uint64_t rate_max, uint64_t now_ps)
{
    if (f->rtt_ps == 0 || now_ps - f->updated_ps < f->rtt_ps || f->total == 0)
        return;
    uint32_t target_ppb = weir_expresspass_target_ppb(cfg, f->rate, rate_max), w_max_ppb = cfg->w_max_ppm * 1000;
    if (f->dropped * WEIR_EXPRESSPASS_PPB > (uint64_t)target_ppb * f->total) { /* 2^32 * 2^30 fits */
        f->rate = weir_expresspass_cut(cfg, f, target_ppb, now_ps);
        f->w_ppb = weir_clamp_u32(f->w_ppb / 2, cfg->w_min_ppm * 1000, w_max_ppb);
        f->may_grow = false;
    } else {
        if (f->may_grow)
            f->w_ppb = weir_clamp_u32((uint64_t)f->w_ppb + UINT64_C(1000) * cfg->w_step_ppm, 0, w_max_ppb);
        f->may_grow = true;
        f->rate += weir_mul_div_u64(rate_max - f->rate, f->w_ppb, WEIR_EXPRESSPASS_PPB);
    }
    f->rate = weir_min_u64(weir_max_u64(f->rate, weir_expresspass_least(cfg, f->rtt_ps)), rate_max);
    f->total = f->dropped = 0;
    f->updated_ps = now_ps;
}

/* Returns the time to the next credit in ps, at least 1. The jitter is drawn from the high half of `draw`. */
static inline uint64_t weir_expresspass_gap_ps(const struct weir_expresspass_config *cfg, uint64_t rate, uint64_t draw)
{
    uint64_t gap_ps = weir_expresspass_mean_bytes(cfg) * WEIR_PS_PER_S / rate;
    uint64_t either_ps = weir_mul_div_u64(gap_ps, cfg->jitter_ppm, 1000000);
    return weir_max_u64(gap_ps - either_ps + weir_mul_hi_u64(draw, 2 * either_ps + 1), 1);
}

/* Returns the size of a credit. The size is drawn from the low half of `draw`, of which weir_expresspass_gap_ps() uses
 * the high half. */
static inline uint32_t weir_expresspass_credit_bytes(const struct weir_expresspass_config *cfg, uint64_t draw)
{
    return cfg->credit_min_bytes + weir_rng_below(draw << 32, cfg->credit_max_bytes - cfg->credit_min_bytes + 1);
}

/* ---- number and time of its credit, as DATA returns them ---- */

/* Returns the exponent of the unit of times in DATA, 2^shift ps: at most 1/1024 of the round trip, at least 1 ps. */
static inline uint32_t weir_expresspass_time_shift(uint64_t base_rtt_ps)
{
    return base_rtt_ps >= 1024 ? 63 - weir_leading_zeros_u64(base_rtt_ps >> 10) : 0;
}

static inline uint32_t weir_expresspass_echo(uint32_t seq, uint64_t sent_ps, uint32_t time_shift)
{
    return seq << WEIR_EXPRESSPASS_TIME_BITS |
           (uint32_t)(sent_ps >> time_shift & ((1u << WEIR_EXPRESSPASS_TIME_BITS) - 1));
}

static inline void weir_expresspass_sample(const struct weir_expresspass_config *cfg, struct weir_expresspass_flow *f,
                                           uint32_t echo, uint64_t now_ps, uint32_t time_shift)
{
    uint64_t units = ((now_ps >> time_shift) - echo) & ((1u << WEIR_EXPRESSPASS_TIME_BITS) - 1);
    uint64_t sample_ps = weir_max_u64(units << time_shift, 1);
    if (f->rtt_ps == 0)
        f->rtt_ps = sample_ps;
    else if (sample_ps >= f->rtt_ps)
        f->rtt_ps += weir_mul_div_u64(sample_ps - f->rtt_ps, cfg->rtt_gain_ppm, 1000000);
    else
        f->rtt_ps -= weir_mul_div_u64(f->rtt_ps - sample_ps, cfg->rtt_gain_ppm, 1000000);
}

/* Counts credits by the number that DATA returns. The credits between the expected number and this number were lost.
 * DATA with a number below the expected one was overtaken, and is not counted. */
static inline void weir_expresspass_count(struct weir_expresspass_flow *f, uint32_t *expected_seq, uint32_t echo)
{
    const uint32_t mask = (1u << WEIR_EXPRESSPASS_SEQ_BITS) - 1;
    uint32_t seq = echo >> WEIR_EXPRESSPASS_TIME_BITS, gap = (seq - *expected_seq) & mask;
    if (gap > mask / 2)
        return;
    f->total += gap + 1;
    f->dropped += gap;
    *expected_seq = (seq + 1) & mask;
}
#endif
