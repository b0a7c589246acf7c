/* src/algorithms/features/maxqd/maxqd_core.h - the longest queueing delay on a packet's path: the state of a port, and
 * the field that the port writes in DATA.
 * Source: Wang and Ng, "Soze", OSDI 2025: two bytes in every data packet, raised at each egress to that port's low-pass
 * filtered sojourn time, "smoothed over 10 us". The filter of their switch is a closed block; here it is the
 * exponential one with that time constant, sampled at each start of a transmission. Rules: doc/model.md [maxqd]. */
#ifndef WEIR_FEATURES_MAXQD_MAXQD_CORE_H
#define WEIR_FEATURES_MAXQD_MAXQD_CORE_H
#include "core/math.h"
#include "features/maxqd/maxqd.h"

#define WEIR_MAXQD_DELAY_MAX_PS ((UINT64_C(1) << 47) - 1) /* 140 s: with the 16 fraction bits of y_q16 63 bits */
#define WEIR_MAXQD_KEEP_MAX_Q32 (UINT64_C(32) << 32)      /* exponent from which on the old value's share is 0 */

/* Computes e^(-dt / filter) as Q32: 2^-z with z = dt / filter * log2(e), rounded down to 32 binary places. The error is
 * below 2^-28. filter_ps: above 0 */
static inline uint64_t weir_maxqd_keep_q32(uint64_t dt_ps, uint64_t filter_ps)
{
    uint64_t z_q32 = weir_mul_div_u64(dt_ps, WEIR_LOG2E_Q32, filter_ps);
    return z_q32 >= WEIR_MAXQD_KEEP_MAX_Q32 ? 0 : weir_exp2_q32(WEIR_MAXQD_KEEP_MAX_Q32 - z_q32);
}

/* Computes value * share_q32 / 2^32, rounded down. share_q32 <= 2^32, so the result fits. */
static inline uint64_t weir_maxqd_part(uint64_t value, uint64_t share_q32)
{
    return weir_mul_hi_u64(value, share_q32) << 32 | value * share_q32 >> 32;
}

/* Updates the port's filtered delay by a packet that joined at joined_ps and whose transmission starts at start_ps.
 * Ignores control packets in a class of m->apart_mask. Must be called in the order of start_ps. */
static inline void weir_maxqd_start(const struct weir_maxqd_model *m, struct weir_maxqd_port *port,
                                    const struct weir_pkt *pkt, uint64_t joined_ps, uint64_t start_ps)
{
    uint32_t apart_mask = pkt->kind != WEIR_PKT_DATA ? m->apart_mask : m->data_apart_mask;
    if ((apart_mask >> (pkt->class_id & 7) & 1) != 0)
        return;
    uint64_t delay_q16 = weir_min_u64(start_ps - joined_ps, WEIR_MAXQD_DELAY_MAX_PS) << 16, y_q16 = port->y_q16;
    if (!port->begun || m->filter_ps == 0) {
        port->y_q16 = delay_q16;
    } else if (delay_q16 != y_q16) { /* without a change no exponential is computed, as at an idle port */
        uint64_t share_q32 = (UINT64_C(1) << 32) - weir_maxqd_keep_q32(start_ps - port->start_ps, m->filter_ps);
        port->y_q16 = delay_q16 > y_q16 ? y_q16 + weir_maxqd_part(delay_q16 - y_q16, share_q32)
                                        : y_q16 - weir_maxqd_part(y_q16 - delay_q16, share_q32);
    }
    port->start_ps = start_ps;
    port->begun = true;
}

/* Returns the port's filtered delay in units of unit_ps, rounded down. unit_ps: above 0 */
static inline uint64_t weir_maxqd_units(uint64_t unit_ps, const struct weir_maxqd_port *port)
{
    return (port->y_q16 >> 16) / unit_ps;
}

/* Returns the larger of qdelay and the port's filtered delay, both in units of unit_ps; WEIR_PKT_QDELAY_MAX at most. */
static inline uint32_t weir_maxqd_raise(uint64_t unit_ps, const struct weir_maxqd_port *port, uint32_t qdelay)
{
    return (uint32_t)weir_max_u64(qdelay, weir_min_u64(weir_maxqd_units(unit_ps, port), WEIR_PKT_QDELAY_MAX));
}

/* Sets qdelay of a DATA packet whose transmission starts to this port's filtered delay, if that is larger. Counts the
 * packet in port->saturated if its field cannot hold the delay. Ignores other packets, and those of other laws. */
static inline void weir_maxqd_stamp(const struct weir_maxqd_model *m, struct weir_maxqd_port *port,
                                    struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA || (m->foreign_laws >> weir_pkt_law(pkt) & 1) != 0)
        return;
    pkt->qdelay = (uint16_t)weir_maxqd_raise(m->unit_ps, port, pkt->qdelay);
    if (weir_maxqd_units(m->unit_ps, port) > WEIR_PKT_QDELAY_MAX)
        port->saturated++;
}
#endif
