/* src/algorithms/host/credit/rtt.h - a round trip as it is measured, and the time after which silence counts as loss.
 * Source: RFC 6298, sections 2 and 5.5. Karn's rule is the caller's business. Departs from it: the clock has no
 * granularity, and the least time-out is the caller's. A time-out that proved too short is raised, and stays so for a
 * while. That is the idea of RFC 4015: what was measured before says nothing of the delay that was seen. A packet that
 * was sent again and arrives ends the back-off, though it is no sample. Else it would last for good where all messages
 * are unscheduled: CREDIT for new packets, whose round trip is measured, is never sent there. */
#ifndef WEIR_HOST_CREDIT_RTT_H
#define WEIR_HOST_CREDIT_RTT_H
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"

/* most doublings of a time-out. What is sent again needs credit, so B bounds it in any case */
#define CREDIT_BACKOFF_MAX 4u
#define CREDIT_TIMEOUT_MOST_PS WEIR_PS_PER_S /* a longer time-out is no longer raised or doubled */
#define CREDIT_RAISED_TIMES 256u             /* a raised time-out lasts for so many times itself, then halves */

struct credit_rtt {
    uint64_t srtt_ps, rttvar_ps; /* srtt_ps 0 = nothing measured yet */
    uint64_t raised_ps;          /* least time-out since one was too short; 0 = none was */
    uint64_t raised_at_ps;
    uint32_t backoff; /* doublings: time-outs since the last sample, or since a packet that was sent again arrived */
};

/* Updates the raised time-out by a round trip. Mean and deviation do not describe this path, as a time-out that was too
 * short has shown. So the largest round trip counts, twice, until it was not seen for long. */
static inline void credit_rtt_remember(struct credit_rtt *e, uint64_t now_ps, uint64_t rtt_ps)
{
    if (2 * rtt_ps >= e->raised_ps / 2) { /* of the order of the largest */
        e->raised_ps = weir_max_u64(e->raised_ps, weir_min_u64(2 * rtt_ps, CREDIT_TIMEOUT_MOST_PS));
        e->raised_at_ps = now_ps;
    } else if (now_ps - e->raised_at_ps > CREDIT_RAISED_TIMES * e->raised_ps) { /* 256 s at most */
        e->raised_ps /= 2;
        e->raised_at_ps = now_ps;
    }
}

/* Updates the estimate by a measured round trip (equations 2.2 and 2.3), and ends the back-off. */
static inline void credit_rtt_sample(struct credit_rtt *e, uint64_t now_ps, uint64_t rtt_ps)
{
    uint64_t off_ps = rtt_ps > e->srtt_ps ? rtt_ps - e->srtt_ps : e->srtt_ps - rtt_ps;
    rtt_ps = weir_max_u64(rtt_ps, 1);
    if (e->srtt_ps == 0) {
        e->srtt_ps = rtt_ps;
        e->rttvar_ps = rtt_ps / 2;
    } else {
        e->rttvar_ps = e->rttvar_ps - e->rttvar_ps / 4 + off_ps / 4;
        e->srtt_ps = e->srtt_ps - e->srtt_ps / 8 + rtt_ps / 8;
    }
    e->backoff = 0;
    if (e->raised_ps != 0)
        credit_rtt_remember(e, now_ps, rtt_ps);
}

/* Returns the time-out without back-off: srtt + 4 rttvar (equation 2.3), the raised one, or least_ps. */
static inline uint64_t credit_rtt_base_ps(const struct credit_rtt *e, uint64_t least_ps)
{
    uint64_t most_ps = weir_max_u64(least_ps, CREDIT_TIMEOUT_MOST_PS);
    uint64_t timeout_ps = weir_max_u64(e->srtt_ps + 4 * e->rttvar_ps, e->raised_ps);
    return weir_min_u64(weir_max_u64(timeout_ps, least_ps), most_ps);
}

/* Returns the time-out: credit_rtt_base_ps(), doubled for each time-out of the back-off. */
static inline uint64_t credit_rtt_timeout_ps(const struct credit_rtt *e, uint64_t least_ps)
{
    uint64_t most_ps = weir_max_u64(least_ps, CREDIT_TIMEOUT_MOST_PS);
    WEIR_ASSERT(e->backoff <= CREDIT_BACKOFF_MAX);
    return weir_min_u64(credit_rtt_base_ps(e, least_ps) << e->backoff, most_ps); /* 2^44 << 4 fits */
}

/* Records a time-out. */
static inline void credit_rtt_expired(struct credit_rtt *e)
{
    e->backoff += e->backoff < CREDIT_BACKOFF_MAX;
}

/* Ends the back-off: a packet that was recorded as lost has arrived. */
static inline void credit_rtt_recovered(struct credit_rtt *e)
{
    e->backoff = 0;
}

/* Undoes a time-out that was too short: what had been taken for lost came after silence_ps. From now on the time-out is
 * at least three times that, as if it were the first sample (equation 2.2). */
static inline void credit_rtt_raise(struct credit_rtt *e, uint64_t now_ps, uint64_t silence_ps)
{
    e->raised_ps = weir_max_u64(e->raised_ps, weir_min_u64(3 * silence_ps, CREDIT_TIMEOUT_MOST_PS));
    e->raised_at_ps = now_ps;
    e->backoff = 0;
}
#endif
