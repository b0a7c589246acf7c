/* src/algorithms/features/phantom/phantom_core.h - the virtual queue of a port, and the delay that it reports.
 * Sources:
 * - Alizadeh et al., "Less is More", NSDI 2012 (HULL): phantom queues, which drain at a part of the link's rate;
 * - Dukkipati et al., RCP, IWQoS 2005: a drain that falls with the real queue.
 * The virtual queue is what arrived less rho C t. The real queue is a part of it; what it has more is v. A packet that
 * starts moves its bytes from the real queue to v, so departures alone are counted. Rules: doc/model.md [phantom].
 * Numbers: v in 2^-20 ps. rho is rounded to 2^-20, and so is its fall: v is off by less than 1.5e-6 of the time. */
#ifndef WEIR_FEATURES_PHANTOM_CORE_H
#define WEIR_FEATURES_PHANTOM_CORE_H
#include "core/math.h"
#include "features/phantom/phantom.h"

#define WEIR_PHANTOM_DT_MAX_PS (UINT64_C(1) << 43) /* 8.8 s, longer than any virtual queue takes to drain */

/* Returns the drain as a part of the link's rate, Q20, while queue_bytes wait: it falls from rho at the slack to
 * rho_min at a base round trip more. */
static inline uint64_t weir_phantom_rho_q20(const struct weir_phantom_model *m, const struct weir_phantom_port *p,
                                            uint64_t queue_bytes)
{
    if (WEIR_LIKELY(queue_bytes <= m->slack_bytes))
        return m->rho_q20;
    uint64_t over_bytes = weir_min_u64(queue_bytes - m->slack_bytes, p->level_bytes);
    return m->rho_q20 - (over_bytes * p->fall_q44 >> 24);
}

/* Returns the virtual queue beyond the real one at now_ps, after `bytes` have started at now_ps. queue_bytes: wire
 * bytes that wait now */
static inline uint64_t weir_phantom_v_q20(const struct weir_phantom_model *m, const struct weir_phantom_port *p,
                                          uint64_t now_ps, uint64_t queue_bytes, uint32_t bytes)
{
    uint64_t dt_ps = weir_min_u64(now_ps - p->start_ps, WEIR_PHANTOM_DT_MAX_PS);
    uint64_t drained_q20 = dt_ps * weir_phantom_rho_q20(m, p, queue_bytes); /* 2^43 * 2^20 fits */
    uint64_t in_q20 = p->v_q20 + bytes * p->ps_per_byte_q20;
    return in_q20 > drained_q20 ? weir_min_u64(in_q20 - drained_q20, m->cap_q20) : 0;
}

/* Updates the port: a packet of `bytes` on the wire starts, and queue_bytes wait behind it. */
static inline void weir_phantom_start(const struct weir_phantom_model *m, struct weir_phantom_port *p, uint64_t now_ps,
                                      uint64_t queue_bytes, uint32_t bytes)
{
    p->v_q20 = weir_phantom_v_q20(m, p, now_ps, queue_bytes, bytes);
    p->start_ps = now_ps;
}

/* Returns the delay of the whole virtual queue, in units of the model, rounded down. v_q20: as of now; of a real queue
 * no more than queue_max counts, since a burst is no level */
static inline uint32_t weir_phantom_units(const struct weir_phantom_model *m, const struct weir_phantom_port *p,
                                          uint64_t v_q20, uint64_t queue_bytes)
{
    uint64_t queue_q20 = weir_min_u64(queue_bytes, p->counted_bytes) * p->ps_per_byte_q20;
    uint64_t units = ((v_q20 + queue_q20) >> 20) / m->unit_ps;
    WEIR_CHECK(units <= WEIR_PKT_QDELAY_MAX); /* set-up has seen to it */
    return (uint32_t)units;
}

/* Fills the constants of a port of rate_bps. */
static inline struct weir_phantom_port weir_phantom_port_of(const struct weir_phantom_model *m, uint64_t rate_bps,
                                                            uint32_t index)
{
    struct weir_phantom_port p = { .index = index };
    p.ps_per_byte_q20 = weir_mul_div_u64(8 * WEIR_PS_PER_S, 1u << 20, rate_bps);
    p.level_bytes = weir_max_u64(1, weir_mul_div_u64(m->base_rtt_ps, rate_bps, 8 * WEIR_PS_PER_S));
    p.counted_bytes = weir_max_u64(1, weir_mul_div_u64(m->queue_max_ps, rate_bps, 8 * WEIR_PS_PER_S));
    p.fall_q44 = ((uint64_t)(m->rho_q20 - m->rho_min_q20) << 24) / p.level_bytes;
    return p;
}
#endif
