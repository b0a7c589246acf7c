/* src/algorithms/features/ecn/ecn_core.h - ECN marking on arrival, by the queue that the packet finds, without the
 * packet itself.
 * Sources:
 * - Alizadeh et al., SIGCOMM 2010, section 3.1: one threshold K;
 * - Zhu et al., SIGCOMM 2015 (DCQCN): a ramp from Kmin to Kmax up to Pmax, everything above Kmax.
 * One rule serves both: K is a ramp with kmin = kmax. */
#ifndef WEIR_FEATURES_ECN_ECN_CORE_H
#define WEIR_FEATURES_ECN_ECN_CORE_H
#include "core/math.h"
#include "core/rng.h"
#include <stdbool.h>
#include <stdint.h>

struct weir_ecn_ramp {   /* probability of a mark, by queue length */
    uint64_t kmin_bytes; /* no packet is marked below; UINT64_MAX = marking off */
    uint64_t kmax_bytes; /* every packet is marked from here on; >= kmin_bytes */
    uint32_t pmax_ppb;   /* probability just below kmax, billionths; ignored when kmin = kmax */
};

/* Tests whether a packet with ECT gets CE. queue_bytes: the queue it finds on arrival; draw: 64 random bits of this
 * packet at this port */
static inline bool weir_ecn_marks(const struct weir_ecn_ramp *ramp, uint64_t queue_bytes, uint64_t draw)
{
    if (queue_bytes < ramp->kmin_bytes)
        return false;
    if (queue_bytes >= ramp->kmax_bytes)
        return true;
    /* width <= 2^34 (16 GB) and pmax <= 2^30: the product fits. */
    uint64_t p_ppb = (queue_bytes - ramp->kmin_bytes) * ramp->pmax_ppb / (ramp->kmax_bytes - ramp->kmin_bytes);
    return weir_rng_hits(draw, p_ppb);
}

/* Returns the ramp of a port of rate_bps. ramp: for a rate of at_bps; its thresholds are multiplied by rate_bps /
 * at_bps, as in DCQCN. at_bps 0: the thresholds are the same at every rate */
static inline struct weir_ecn_ramp weir_ecn_scaled(const struct weir_ecn_ramp *ramp, uint64_t rate_bps, uint64_t at_bps)
{
    struct weir_ecn_ramp scaled = *ramp;
    if (at_bps == 0 || ramp->kmin_bytes == UINT64_MAX)
        return scaled;
    scaled.kmin_bytes = weir_mul_div_u64(ramp->kmin_bytes, rate_bps, at_bps);
    scaled.kmax_bytes = weir_mul_div_u64(ramp->kmax_bytes, rate_bps, at_bps);
    return scaled;
}
#endif
