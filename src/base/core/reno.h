/* src/base/core/reno.h - the common part of TCP's laws: slow start, at most one cut of the window per round trip, end
 * of recovery. Sources: RFC 5681 (window), RFC 3465 (counting bytes in slow start), RFC 3168 (ECE once per window), RFC
 * 6582 (end of recovery). */
#ifndef WEIR_CORE_RENO_H
#define WEIR_CORE_RENO_H
#include "core/cc.h"

struct weir_reno {     /* first member of the state of such a law */
    struct weir_cc cc; /* first: the host holds a pointer to it */
    /* First offset not yet sent at the latest cut. Marks cause no other cut before an ACK covers more than this */
    uint64_t cut_end_seq;
    uint32_t ssthresh_bytes; /* below it the window grows by slow start */
    uint32_t mss_bytes;
};

static inline void weir_reno_init(struct weir_reno *r, uint32_t mss_bytes, uint64_t init_cwnd_bytes,
                                  uint64_t ssthresh_bytes)
{
    *r = (struct weir_reno){
        .cc = { .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = (uint32_t)init_cwnd_bytes },
        .ssthresh_bytes = (uint32_t)ssthresh_bytes,
        .mss_bytes = mss_bytes,
    };
}

static inline void weir_reno_set_cwnd(struct weir_reno *r, uint64_t bytes)
{
    r->cc.cwnd_bytes = weir_clamp_u32(bytes, r->mss_bytes, WEIR_CWND_MAX_BYTES);
}

/* Tests whether an ACK reports a mark that requires a cut of the window. False until more than cut_end_seq is
 * acknowledged: such marks are of packets sent before the latest cut. */
static inline bool weir_reno_is_marked(const struct weir_reno *r, const struct weir_ack *ack)
{
    bool ece = ack->marked_bytes > 0 || (ack->flags & WEIR_ACK_ECE) != 0;
    return ece && ack->acked_seq > r->cut_end_seq;
}

/* Reduces the window by cut_ppm millionths, and sets ssthresh to the result. The result is at least two packets, even
 * if the window was smaller. After the call marks cause no second cut until an ACK covers more than end_seq. */
static inline void weir_reno_cut(struct weir_reno *r, uint32_t cut_ppm, uint64_t end_seq)
{
    uint64_t left_bytes = (uint64_t)r->cc.cwnd_bytes * (1000000 - cut_ppm) / 1000000; /* 2^30 * 2^20 fits */
    r->ssthresh_bytes = (uint32_t)weir_max_u64(left_bytes, UINT64_C(2) * r->mss_bytes);
    weir_reno_set_cwnd(r, r->ssthresh_bytes);
    r->cut_end_seq = end_seq;
}

/* Sets the window at the end of recovery: bytes in flight (at least one packet) plus one packet, at most ssthresh. So
 * no burst is sent (RFC 6582, section 3.2, step 3). */
static inline void weir_reno_recovered(struct weir_reno *r, const struct weir_ack *ack)
{
    uint64_t flight_bytes = weir_max_u64(ack->inflight_bytes, r->mss_bytes) + r->mss_bytes;
    weir_reno_set_cwnd(r, weir_min_u64(r->ssthresh_bytes, flight_bytes));
}

/* Cuts the window for lost packets, once per window. A timeout also sets cwnd to one packet. @return true if this loss
 * caused a cut by cut_ppm */
static inline bool weir_reno_on_loss(struct weir_reno *r, uint32_t cut_ppm, const struct weir_loss *loss)
{
    bool is_new = loss->lost_seq >= r->cut_end_seq; /* RFC 5681, section 3.1: ssthresh once per window */
    if (is_new)
        weir_reno_cut(r, cut_ppm, loss->next_seq);
    if (loss->is_timeout)
        weir_reno_set_cwnd(r, r->mss_bytes);
    return is_new;
}

/* The effect of an ACK on the window. */
enum weir_reno_phase { WEIR_RENO_HOLD, WEIR_RENO_SLOW_START, WEIR_RENO_AVOIDANCE };

/* Returns the effect of an ACK on the window. Until the bytes that were in flight at the latest cut are acknowledged:
 * SLOW_START if cwnd is below ssthresh, as after a timeout, else HOLD. Afterwards: HOLD if the sender is
 * application-limited, else SLOW_START below ssthresh and AVOIDANCE from there on. */
static inline enum weir_reno_phase weir_reno_phase(const struct weir_reno *r, const struct weir_ack *ack)
{
    if (ack->acked_seq < r->cut_end_seq ? r->cc.cwnd_bytes >= r->ssthresh_bytes
                                        : (ack->flags & WEIR_ACK_APP_LIMITED) != 0)
        return WEIR_RENO_HOLD;
    return r->cc.cwnd_bytes < r->ssthresh_bytes ? WEIR_RENO_SLOW_START : WEIR_RENO_AVOIDANCE;
}

/* Grows the window in slow start by acked_bytes, at most by limit_pkts packets per ACK. limit_pkts: 1 = RFC 5681, 2 =
 * RFC 3465 */
static inline void weir_reno_slow_start(struct weir_reno *r, uint32_t acked_bytes, uint32_t limit_pkts)
{
    uint64_t most_bytes = (uint64_t)limit_pkts * r->mss_bytes;
    weir_reno_set_cwnd(r, r->cc.cwnd_bytes + weir_min_u64(acked_bytes, most_bytes));
}
#endif
