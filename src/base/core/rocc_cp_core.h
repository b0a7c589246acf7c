/* src/base/core/rocc_cp_core.h - RoCC's congestion point: a PI controller per egress port. It computes one fair rate
 * from the queue length.
 * Only functions without side effects, on plain structs. Includes core/math.h and core/units.h only, so that switches
 * can call it.
 * Source: Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020, algorithm and table of parameters.
 *
 * Queue lengths are in whole units of dQ, rounded down; rates in units of dF. F itself and the gains are in millionths.
 * So F - alpha (Q - Qref) - beta (Q - Qold) is exact except for the division by weir_rocc_cp_ratio(). */
#ifndef WEIR_CORE_ROCC_CP_CORE_H
#define WEIR_CORE_ROCC_CP_CORE_H
#include "core/math.h"
#include "core/units.h"

#define WEIR_ROCC_CP_NOTICE 1u        /* weir_notice.kind of a NOTICE with the fair rate */
#define WEIR_ROCC_CP_NOTICE_BYTES 84u /* a NOTICE on the wire, gap included */
#define WEIR_ROCC_MICRO UINT64_C(1000000)
#define WEIR_ROCC_QUEUE_UNITS_MAX (1u << 30) /* bound of queue lengths in dQ: products fit */

struct weir_rocc_cp_config {      /* the parameters of one port */
    uint64_t period_ps;           /* T */
    uint64_t delta_f_bps;         /* dF */
    uint32_t delta_q_bytes;       /* dQ */
    uint32_t f_min, f_max;        /* in dF, fit 32 bits; f_max: the port's rate; f_min < f_max / 8 */
    uint32_t q_ref, q_mid, q_max; /* in dQ; ascending, <= WEIR_ROCC_QUEUE_UNITS_MAX */
    uint32_t alpha_ppm, beta_ppm; /* gains where F >= f_max / 2, millionths of dF per dQ; < 2^23 */
};

struct weir_rocc_cp {
    uint64_t f_micro; /* F, the fair rate, in millionths of dF; f_min .. f_max times WEIR_ROCC_MICRO */
    uint32_t q_old;   /* queue length at the last step, in dQ */
};

/**
 * Computes the parameters for a port of a rate. Below 100 Gb/s these are the paper's parameters for 40 Gb/s, from 100
 * Gb/s on those for 100 Gb/s. F_max and the queue thresholds are scaled by the rate. So the same relative deviation of
 * the queue causes the same relative change of F. The parameters for 25, 200 and 400 Gb/s are ours.
 * @param cfg  written unless the result is false
 * @return false = no parameters for this rate: below 10 Gb/s or above 800 Gb/s
 */
static inline bool weir_rocc_cp_config_for(uint64_t rate_bps, struct weir_rocc_cp_config *cfg)
{
    bool fast = rate_bps >= UINT64_C(100000000000);
    uint64_t mbps = rate_bps / 1000000, base_mbps = fast ? 100000 : 40000;
    if (rate_bps < UINT64_C(10000000000) || rate_bps > UINT64_C(800000000000))
        return false;
    *cfg = (struct weir_rocc_cp_config){
        .period_ps = 40 * WEIR_PS_PER_US,
        .delta_f_bps = 10000000,
        .delta_q_bytes = 600,
        .f_min = 10,
        .f_max = (uint32_t)(mbps / 10),
        .q_ref = (uint32_t)((fast ? 500 : 250) * mbps / base_mbps),  /* 300 KB, 150 KB */
        .q_mid = (uint32_t)((fast ? 1000 : 500) * mbps / base_mbps), /* 600 KB, 300 KB */
        .q_max = (uint32_t)((fast ? 1100 : 600) * mbps / base_mbps), /* 660 KB, 360 KB */
        .alpha_ppm = fast ? 450000 : 300000,
        .beta_ppm = fast ? 2250000 : 1500000,
    };
    return true;
}

static inline struct weir_rocc_cp weir_rocc_cp_begin(const struct weir_rocc_cp_config *cfg)
{
    return (struct weir_rocc_cp){ .f_micro = cfg->f_max * WEIR_ROCC_MICRO };
}

/* Returns the divisor of the gains, 1, 2, 4, 8, 16 or 32: the smaller F, the larger the divisor. The paper calls this
 * autotune(). */
static inline uint32_t weir_rocc_cp_ratio(uint64_t f_micro, uint32_t f_max)
{
    uint32_t level = 2;
    while (level < 64 && f_micro * level < f_max * WEIR_ROCC_MICRO) /* 2^52 * 2^6 fits */
        level *= 2;
    return level / 2;
}

/* Returns F after one PI step, in millionths of dF, within f_min .. f_max. q: queue length in dQ. Gains < 2^23, queues
 * <= 2^30, F <= 2^52: sums stay below 2^55. */
static inline uint64_t weir_rocc_cp_pi(const struct weir_rocc_cp *cp, const struct weir_rocc_cp_config *cfg, uint32_t q)
{
    int64_t ratio = weir_rocc_cp_ratio(cp->f_micro, cfg->f_max);
    int64_t from_ref = (int64_t)q - cfg->q_ref, from_old = (int64_t)q - cp->q_old;
    int64_t step_micro = weir_div_i64((int64_t)cfg->alpha_ppm * from_ref + (int64_t)cfg->beta_ppm * from_old, ratio);
    int64_t f_micro = (int64_t)cp->f_micro - step_micro;
    int64_t least = (int64_t)(cfg->f_min * WEIR_ROCC_MICRO), most = (int64_t)(cfg->f_max * WEIR_ROCC_MICRO);
    return (uint64_t)(f_micro < least ? least : f_micro > most ? most : f_micro);
}

/**
 * Advances the controller by one step; to be called every T.
 * @param queue_bytes  present queue length of the port
 * @return the fair rate in bit/s, for the NOTICEs to the flows in the queue
 */
static inline uint64_t weir_rocc_cp_step(struct weir_rocc_cp *cp, const struct weir_rocc_cp_config *cfg,
                                         uint64_t queue_bytes)
{
    uint32_t q = weir_clamp_u32(queue_bytes / cfg->delta_q_bytes, 0, WEIR_ROCC_QUEUE_UNITS_MAX);
    bool is_fast = cp->f_micro > cfg->f_max * WEIR_ROCC_MICRO / 8; /* a small F changes by PI steps only */
    if (is_fast && q >= cfg->q_max)
        cp->f_micro = cfg->f_min * WEIR_ROCC_MICRO;
    else if (is_fast && q >= cp->q_old + (uint64_t)cfg->q_mid)
        cp->f_micro /= 2;
    else
        cp->f_micro = weir_rocc_cp_pi(cp, cfg, q);
    cp->q_old = q;
    return weir_mul_div_u64(cp->f_micro, cfg->delta_f_bps, WEIR_ROCC_MICRO);
}
#endif
