/* src/algorithms/host/stream/rto.h - the retransmission timeout. Used per ACK, hence inline.
 * Sources: RFC 6298, equations 2.2 to 2.4, in fixed point as in Jacobson, SIGCOMM 1988, appendix A. */
#ifndef WEIR_HOST_STREAM_RTO_H
#define WEIR_HOST_STREAM_RTO_H
#include "host/stream/connection.h"
#include "host/stream/timers.h"

/* Updates the RTT estimate by a measured round trip. rtt_ps: above 0 */
static inline void host_rto_sample(struct host_flow *f, uint64_t rtt_ps)
{
    uint32_t rtt = weir_clamp_u32(rtt_ps >> HOST_RTT_SHIFT, 1, UINT32_MAX >> 4);
    WEIR_CHECK(rtt_ps > 0);
    if (WEIR_UNLIKELY(f->srtt_8 == 0)) {
        f->srtt_8 = 8 * rtt;
        f->rttvar_4 = 2 * rtt;
        return;
    }
    uint32_t srtt = f->srtt_8 / 8, off = rtt > srtt ? rtt - srtt : srtt - rtt;
    f->rttvar_4 += off - f->rttvar_4 / 4;
    f->srtt_8 += rtt - srtt;
}

/* Computes the present RTO with its doublings, at most rto_max. */
static inline uint64_t host_rto_ps(const struct weir_host *h, const struct host_flow *f)
{
    const struct weir_host_params *p = &h->cfg->params;
    uint64_t rto = p->rto_init_ps;
    WEIR_CHECK(f->backoff <= HOST_BACKOFF_MAX);
    if (WEIR_LIKELY(f->srtt_8 != 0)) {
        rto = (uint64_t)(f->srtt_8 / 8 + f->rttvar_4) << HOST_RTT_SHIFT;
        rto = weir_max_u64(rto, p->rto_min_ps);
    }
    return weir_min_u64(rto << f->backoff, p->rto_max_ps); /* < 2^44 << 20 */
}

/* Computes when the connection times out if no ACK arrives before; WEIR_NEVER = the timer does not run. */
static inline uint64_t host_rto_deadline_ps(const struct weir_host *h, const struct host_flow *f)
{
    return f->since_ps == WEIR_NEVER ? WEIR_NEVER : f->since_ps + host_rto_ps(h, f);
}

/* Restarts the retransmission timer at now_ps. Its heap entry is lazy: an ACK moves since_ps only, and touches no heap.
 * The entry is at most rto_min later than the time at which it was made, so never later than the deadline.
 * host_rto_due() puts it back until the deadline has come. */
static inline void host_rto_restart(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    f->since_ps = now_ps;
    if (WEIR_UNLIKELY(!(f->flags & HOST_TIMED))) {
        f->flags |= HOST_TIMED;
        host_timer_push(h, now_ps + h->cfg->params.rto_min_ps, index, HOST_TIMER_RTO);
    }
}
#endif
