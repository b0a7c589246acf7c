/* src/algorithms/features/codel/codel_core.h - CoDel: decides about a packet that is to leave. The functions of both
 * variants return true for a congestion event. */
#ifndef WEIR_FEATURES_CODEL_CODEL_CORE_H
#define WEIR_FEATURES_CODEL_CODEL_CORE_H
#include "core/hook.h"
#include "core/math.h"
#include "features/codel/codel.h"

struct weir_dequeue;
struct weir_dequeue_idle;

/* rfc8289: a dropping state that begins less than this many intervals after drop_next continues the old count. */
#define WEIR_CODEL_MEMORY 16u

/* Returns the largest r with r * r <= x. Exactly 32 steps: BPF's verifier needs the bound. */
static inline uint64_t weir_codel_root(uint64_t x)
{
    uint64_t root = 0;
    for (int bit = 31; bit >= 0; bit--) {
        uint64_t more = root | UINT64_C(1) << bit;
        if (more * more <= x) /* more < 2^32: fits */
            root = more;
    }
    return root;
}

/* Computes interval_ps / sqrt(count), rounded down; the error is below one part in 2^22 for counts up to 2^16. count:
 * 1 or more */
static inline uint64_t weir_codel_step_ps(uint64_t interval_ps, uint32_t count)
{
    WEIR_ASSERT(count > 0);
    uint64_t inverse_q31 = weir_codel_root((UINT64_C(1) << 62) / count); /* 2^31 / sqrt(count), rounded down */
    /* their product / 2^31, in halves: the interval is below 2^47, so 2^31 * 2^31 fits */
    uint64_t high = (interval_ps >> 16) * inverse_q31, low = (interval_ps & 0xffff) * inverse_q31;
    return (high >> 15) + ((((high & 0x7fff) << 16) + low) >> 31);
}

static inline uint64_t weir_codel_sojourn_ps(const struct weir_dequeue *d)
{
    return d->now_ps - d->joined_ps;
}

/* Tests whether the packet of *d is a congestion event, variant p4. q->next_ps and q->count also advance by packets
 * that are in time; the result is false for these. */
static inline bool weir_codel_p4(const struct weir_codel_model *m, struct weir_codel_queue *q,
                                 const struct weir_dequeue *d)
{
    bool late = weir_codel_sojourn_ps(d) >= m->target_ps, first = late && !q->dropping;
    q->dropping = late;
    if (first) {
        q->next_ps = d->now_ps + m->interval_ps;
        q->count = 1;
        return false;
    }
    if (d->now_ps <= q->next_ps)
        return false;
    q->count = weir_add_sat_u32(q->count, 1);
    q->next_ps += weir_codel_step_ps(m->interval_ps, q->count);
    return late;
}

/* Tests whether the packet of *d is too late, and packets have been too late for an interval (RFC 8289, section 5.6).
 * Updates q->first_above_ps. */
static inline bool weir_codel_too_long(const struct weir_codel_model *m, struct weir_codel_queue *q,
                                       const struct weir_dequeue *d)
{
    if (weir_codel_sojourn_ps(d) < m->target_ps || d->queue_bytes <= m->mtu_bytes) {
        q->first_above_ps = 0;
        return false;
    }
    if (q->first_above_ps == 0) {
        q->first_above_ps = d->now_ps + m->interval_ps;
        return false;
    }
    return d->now_ps >= q->first_above_ps;
}

/* Enters the dropping state. q->count becomes count - last_count of the last dropping state, if that was recent and the
 * difference is above 1; else 1. */
static inline void weir_codel_begin(const struct weir_codel_model *m, struct weir_codel_queue *q, uint64_t now_ps)
{
    WEIR_ASSERT(q->count >= q->last_count);
    uint32_t grown = q->count - q->last_count;
    bool recent = now_ps < q->next_ps + WEIR_CODEL_MEMORY * m->interval_ps;
    q->dropping = true;
    q->count = grown > 1 && recent ? grown : 1;
    q->last_count = q->count;
    q->next_ps = now_ps + weir_codel_step_ps(m->interval_ps, q->count);
}

/* Records the drop of a packet. after: FIRST or NEXT; queue_bytes: wire bytes behind the packet in its queue. With 0
 * bytes the RFC's loop over drops would find the queue empty, and end */
static inline void weir_codel_dropped(struct weir_codel_queue *q, enum weir_codel_after after, uint64_t queue_bytes)
{
    q->after = (uint8_t)after;
    if (queue_bytes > 0)
        return;
    q->dropping = q->dropping && after == WEIR_CODEL_AFTER_FIRST;
    q->first_above_ps = 0;
    q->after = WEIR_CODEL_AFTER_NONE;
}

/* Tests whether the packet of *d is a congestion event, variant rfc8289: dequeue() of section 5.5, one packet per call.
 * The RFC's loop over drops continues in the call for the next packet, at the same time. A packet with ECT is marked
 * instead of dropped, and ends the loop. */
static inline bool weir_codel_rfc8289(const struct weir_codel_model *m, struct weir_codel_queue *q,
                                      const struct weir_dequeue *d)
{
    bool too_long = weir_codel_too_long(m, q, d), may_mark = (d->pkt->flags & WEIR_PKT_ECT) != 0;
    uint8_t after = q->after;
    q->after = WEIR_CODEL_AFTER_NONE;
    if (after == WEIR_CODEL_AFTER_FIRST)
        return false; /* the RFC sends this packet in place of the first dropped one, without a further test */
    if (after == WEIR_CODEL_AFTER_NEXT && too_long)
        q->next_ps += weir_codel_step_ps(m->interval_ps, q->count);
    if (q->dropping && !too_long)
        q->dropping = false;
    else if (q->dropping && d->now_ps >= q->next_ps) {
        q->count = weir_add_sat_u32(q->count, 1);
        if (may_mark)
            q->next_ps += weir_codel_step_ps(m->interval_ps, q->count);
        else
            weir_codel_dropped(q, WEIR_CODEL_AFTER_NEXT, d->queue_bytes);
        return true;
    } else if (!q->dropping && too_long && after == WEIR_CODEL_AFTER_NONE) {
        weir_codel_begin(m, q, d->now_ps);
        if (!may_mark)
            weir_codel_dropped(q, WEIR_CODEL_AFTER_FIRST, d->queue_bytes);
        return true;
    }
    return false;
}

/* Writes to *idle when on_dequeue need not be called, for either variant. An event needs packets that are late for an
 * interval. Late packets change the state, and so does the first packet in time after them. With p4 every packet after
 * q->next_ps changes the state. event_ps stays valid, because a new q->next_ps or q->first_above_ps is never earlier
 * than the old one. */
static inline void weir_codel_idle(const struct weir_codel_model *m, const struct weir_codel_queue *q, uint64_t now_ps,
                                   struct weir_dequeue_idle *idle)
{
    bool p4 = m->variant == WEIR_CODEL_P4, late = q->first_above_ps != 0 || q->after != WEIR_CODEL_AFTER_NONE;
    idle->wait_ps = m->target_ps;
    idle->until_ps = p4 ? q->next_ps : WEIR_NEVER;
    if (q->dropping || late)
        idle->until_ps = 0;
    if (q->dropping)
        idle->event_ps = q->next_ps;
    else
        idle->event_ps = late ? q->first_above_ps : now_ps + m->interval_ps;
}
#endif
