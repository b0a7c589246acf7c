/* src/algorithms/features/rcp/rcp_core.h - the rate R of a port, updated every T. y: bytes that arrived over T; q:
 * bytes that wait; C: rate of the link; d0: moving average of round trips:
 *
 *     d0 <- d0 + g (rtt - d0),   g = T / d0 if rtt >= d0, else (R / C) (rtt / d0) (T / d0)
 *     R  <- R (1 + (T / d0) (alpha (gamma C - y) - beta q / d0) / (gamma C)),   between the floor and gamma C
 *
 * rtt is the mean of the round trips in the DATA that arrived, weighted by bytes. q leaves out the frame in
 * transmission, which on a short path would be a large part of R d0. All arithmetic is in integers; y and q / d0 are
 * kept as ratios to gamma C, in units of 2^-24. */
#ifndef WEIR_FEATURES_RCP_RCP_CORE_H
#define WEIR_FEATURES_RCP_RCP_CORE_H
#include "core/math.h"
#include "core/pkt.h"
#include "core/rcp_code.h"
#include "features/rcp/rcp.h"

#define WEIR_RCP_ONE_Q24 (INT64_C(1) << 24)
#define WEIR_RCP_RATIO_MAX_Q24 (UINT64_C(1) << 40) /* 65536 times gamma C; larger ratios are cut: products fit */
#define WEIR_RCP_FLOOR_PKT_BITS 8000u              /* a packet of the floor has 1000 B */

/* Computes the rate of `bytes` over span_ps as a ratio to target_bps, Q24, at most WEIR_RCP_RATIO_MAX_Q24. bytes <
 * 2^47; target_bps < 2^43 */
static inline uint64_t weir_rcp_ratio_q24(uint64_t bytes, uint64_t span_ps, uint64_t target_bps)
{
    uint64_t full_q16 = weir_max_u64(1, weir_mul_div_u64(target_bps << 16, span_ps, 8 * WEIR_PS_PER_S));
    return weir_min_u64(weir_mul_div_u64(bytes << 16, (uint64_t)WEIR_RCP_ONE_Q24, full_q16), WEIR_RCP_RATIO_MAX_Q24);
}

/* Returns the least rate of a port: the floor at its present d0, at least WEIR_RCP_RATE_MIN_BPS, and at most gamma
 * C. */
static inline uint64_t weir_rcp_floor_bps(const struct weir_rcp_port_model *m, const struct weir_rcp_port *p)
{
    /* floor_ppm < 2^27, times 2^13 fits; a millionth of a bit per ps is 10^6 bit/s */
    uint64_t floor_bps = weir_mul_div_u64((uint64_t)m->floor_ppm * WEIR_RCP_FLOOR_PKT_BITS, 1000000, p->d0_ps);
    return weir_min_u64(weir_max_u64(floor_bps, WEIR_RCP_RATE_MIN_BPS), p->target_bps);
}

static inline void weir_rcp_set(const struct weir_rcp_port_model *m, struct weir_rcp_port *p, uint64_t rate_bps)
{
    p->rate_bps = weir_min_u64(weir_max_u64(rate_bps, weir_rcp_floor_bps(m, p)), p->target_bps);
    p->stamp = weir_rcp_stamp(p->rate_bps);
}

static inline void weir_rcp_begin(const struct weir_rcp_port_model *m, struct weir_rcp_port *p, uint64_t line_bps)
{
    *p = (struct weir_rcp_port){ .d0_ps = m->base_rtt_ps,
                                 .line_bps = line_bps,
                                 .target_bps = weir_mul_div_u64(line_bps, m->gamma_ppm, 1000000) };
    WEIR_ASSERT(p->target_bps > 0);
    WEIR_ASSERT(p->target_bps <= line_bps);
    weir_rcp_set(m, p, weir_mul_div_u64(line_bps, m->init_ppm, 1000000));
}

/* Computes how many bytes of a packet that joins at now_ps count at the next step. The rest counts at the step after
 * it. As in the authors' module the packet counts over its transmission time: otherwise y would fluctuate when there
 * are few packets per step. */
static inline uint32_t weir_rcp_bytes_now(const struct weir_rcp_port_model *m, const struct weir_rcp_port *p,
                                          uint64_t now_ps, uint32_t bytes)
{
    uint64_t since_ps = now_ps % m->period_ps, left_ps = since_ps == 0 ? 0 : m->period_ps - since_ps;
    return (uint32_t)weir_min_u64(weir_mul_div_u64(left_ps, p->line_bps, 8 * WEIR_PS_PER_S), bytes);
}

/* Counts a packet that joins the port. The sum of products, 2^13 units * 2^14 B each, fits for 2^37 packets per
 * step. */
static inline void weir_rcp_join(const struct weir_rcp_port_model *m, struct weir_rcp_port *p, uint64_t now_ps,
                                 const struct weir_pkt *pkt)
{
    uint32_t bytes = pkt->wire_bytes, units = pkt->kind == WEIR_PKT_DATA ? weir_rcp_rtt_units(pkt->rtt) : 0;
    uint32_t bytes_now = weir_rcp_bytes_now(m, p, now_ps, bytes);
    p->bytes += bytes_now;
    p->bytes_later += bytes - bytes_now;
    p->rtt_bytes += units != 0 ? bytes : 0;
    p->rtt_products += (uint64_t)bytes * units;
}

/* Updates d0 by the mean round trip since the last step. A shorter round trip has a smaller gain, in proportion to the
 * port's rate and to the round trip. */
static inline void weir_rcp_average(const struct weir_rcp_port_model *m, struct weir_rcp_port *p)
{
    if (p->rtt_bytes == 0)
        return;
    uint64_t rtt_ps = weir_mul_div_u64(p->rtt_products, m->unit_ps, p->rtt_bytes), d0_ps = p->d0_ps;
    if (rtt_ps >= d0_ps) {
        uint64_t more_ps = rtt_ps - d0_ps;
        p->d0_ps += weir_min_u64(weir_mul_div_u64(more_ps, m->period_ps, d0_ps), more_ps);
        return;
    }
    uint64_t less_ps = d0_ps - rtt_ps, by_rate_ps = weir_mul_div_u64(less_ps, p->rate_bps, p->line_bps);
    uint64_t by_rtt_ps = weir_mul_div_u64(by_rate_ps, rtt_ps, d0_ps);
    p->d0_ps -= weir_min_u64(weir_mul_div_u64(by_rtt_ps, m->period_ps, d0_ps), less_ps);
}

/* Computes (alpha (gamma C - y) - beta q / d0) / (gamma C), Q24. Gains < 2^21, ratios <= 2^40: both products fit, and
 * so does their sum. */
static inline int64_t weir_rcp_error_q24(const struct weir_rcp_port_model *m, const struct weir_rcp_port *p,
                                         uint64_t waiting_bytes)
{
    int64_t load_q24 = (int64_t)weir_rcp_ratio_q24(p->bytes, m->period_ps, p->target_bps);
    int64_t queue_q24 = (int64_t)weir_rcp_ratio_q24(waiting_bytes, p->d0_ps, p->target_bps);
    int64_t sum = (int64_t)m->alpha_ppm * (WEIR_RCP_ONE_Q24 - load_q24) - (int64_t)m->beta_ppm * queue_q24;
    return weir_div_i64(sum, 1000000);
}

/* Takes a step: updates d0 and the rate, and starts the next period. The error is at most 2^42, and T / d0 about 32 at
 * most, since d0 >= unit_ps. A change that overflows is UINT64_MAX; the rate is limited after it as after any large
 * change. */
static inline void weir_rcp_step(const struct weir_rcp_port_model *m, struct weir_rcp_port *p, uint64_t waiting_bytes)
{
    weir_rcp_average(m, p);
    WEIR_ASSERT(p->d0_ps >= m->unit_ps);
    int64_t error_q24 = weir_rcp_error_q24(m, p, waiting_bytes);
    uint64_t share_q24 = weir_mul_div_u64(weir_abs_i64(error_q24), m->period_ps, p->d0_ps);
    uint64_t change_bps = weir_mul_div_u64(p->rate_bps, share_q24, (uint64_t)WEIR_RCP_ONE_Q24);
    if (error_q24 < 0)
        weir_rcp_set(m, p, p->rate_bps - weir_min_u64(change_bps, p->rate_bps));
    else
        weir_rcp_set(m, p, p->rate_bps + weir_min_u64(change_bps, p->target_bps));
    p->bytes = p->bytes_later;
    p->bytes_later = p->rtt_bytes = p->rtt_products = 0;
}

/* Lowers the rate field of DATA that leaves to this port's rate: DATA carries the least rate of the ports on its
 * path. */
static inline void weir_rcp_lower(const struct weir_rcp_port *p, struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA)
        pkt->qdelay = (uint16_t)weir_max_u64(pkt->qdelay, p->stamp);
}
#endif
