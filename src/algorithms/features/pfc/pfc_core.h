/* src/algorithms/features/pfc/pfc_core.h - PFC: decides when the other end of a link is paused and resumed. Bytes are
 * counted per in-link and class, from arrival to the end of transmission. */
#ifndef WEIR_FEATURES_PFC_PFC_CORE_H
#define WEIR_FEATURES_PFC_PFC_CORE_H
#include "core/hook_coupled.h"
#include "core/math.h"
#include "core/units.h"
#include "features/pfc/pfc.h"

struct weir_pfc_cable { /* an in-link, and the link back, which carries its control frames */
    uint64_t rate_bps, delay_ps, back_rate_bps, back_delay_ps;
};

static inline uint32_t weir_pfc_lossless_count(const struct weir_pfc_model *m)
{
    return (uint32_t)__builtin_popcount(m->lossless);
}

/**
 * Computes the bytes that may still arrive once an account reaches its threshold:
 * - the frame that crosses the threshold,
 * - the frames that the other end sends until the pause arrives there,
 * - and all but a byte of the frame that it has then begun.
 *
 * The pause arrives after the delay of the link back. Frames sent until then arrive one delay later. Before the pause
 * leaves, a frame of reverse_mtu_bytes and frames - 1 other control frames may be sent first, at the rate of the link
 * back. The result is an upper bound; without such waiting (reverse_mtu_bytes 0, frames 1) it is reached.
 */
static inline uint64_t weir_pfc_headroom_bytes(const struct weir_pfc_cable *c, uint32_t mtu_bytes,
                                               uint32_t reverse_mtu_bytes, uint32_t frames)
{
    WEIR_ASSERT(c->rate_bps > 0);
    WEIR_ASSERT(c->back_rate_bps > 0);
    WEIR_ASSERT(mtu_bytes > 0);
    uint64_t delay_ps = c->delay_ps + c->back_delay_ps,
             queued = reverse_mtu_bytes + (uint64_t)frames * WEIR_CONTROL_BYTES;
    uint64_t waiting = weir_mul_div_u64(queued, c->rate_bps, c->back_rate_bps); /* bytes that arrive meanwhile */
    uint64_t flight = weir_mul_div_u64(delay_ps, c->rate_bps, 8 * WEIR_PS_PER_S);
    bool whole = 8 * WEIR_PS_PER_S % c->rate_bps == 0 && delay_ps % (8 * WEIR_PS_PER_S / c->rate_bps) == 0;
    bool even = queued * (c->rate_bps % c->back_rate_bps) % c->back_rate_bps == 0; /* 2^15 * 2^43 fits */
    return 2 * (uint64_t)mtu_bytes - 1 + waiting + !even + flight + !whole;
}

/* Computes the parameters of an in-link. Each lossless class may have one pause and one resume in the queue of control
 * frames. */
static inline struct weir_pfc_in weir_pfc_in_of(const struct weir_pfc_model *m, const struct weir_pfc_cable *c,
                                                uint64_t host_rate_bps)
{
    uint64_t rate_bps = c->rate_bps;
    struct weir_pfc_in in = { .headroom_bytes = m->headroom_bytes, .shift = m->alpha_shift };
    if (!m->fixed_headroom)
        in.headroom_bytes = weir_pfc_headroom_bytes(c, m->mtu_bytes, m->mtu_bytes, 2 * weir_pfc_lossless_count(m));
    for (uint32_t i = 0; i < 64 && in.shift > 0 && rate_bps / 2 >= host_rate_bps; i++) { /* a rate has 64 bits */
        rate_bps /= 2;
        in.shift--;
    }
    return in;
}

/* Computes the most bytes that all accounts of an in-link may ever hold: with static thresholds in total, with dynamic
 * ones outside the pool. */
static inline uint64_t weir_pfc_in_bytes(const struct weir_pfc_model *m, const struct weir_pfc_in *in)
{
    return weir_pfc_lossless_count(m) * (in->headroom_bytes + (m->is_static ? m->xoff_bytes : m->reserve_bytes));
}

static inline uint64_t weir_pfc_threshold(const struct weir_pfc_pool *pool, const struct weir_pfc_in *in)
{
    return (pool->size_bytes - weir_min_u64(pool->size_bytes, pool->used_bytes)) >> in->shift;
}

static inline uint64_t weir_pfc_shared(const struct weir_pfc_model *m, const struct weir_pfc_account *a)
{
    return a->bytes > m->reserve_bytes ? a->bytes - m->reserve_bytes : 0;
}

/* Tests whether PFC admits a packet of a lossless class. @return false = the headroom was too small */
static inline bool weir_pfc_admits(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool,
                                   const struct weir_pfc_in *in, const struct weir_pfc_account *a, uint32_t bytes)
{
    if (m->is_static)
        return a->bytes + bytes <= m->xoff_bytes + in->headroom_bytes;
    return a->headroom_bytes + bytes <= in->headroom_bytes ||
           weir_pfc_shared(m, a) + bytes <= weir_pfc_threshold(pool, in);
}

/* Adds a packet that was admitted to its account, and to the pool or the headroom. */
static inline void weir_pfc_accept(const struct weir_pfc_model *m, struct weir_pfc_pool *pool,
                                   const struct weir_pfc_in *in, struct weir_pfc_account *a, uint32_t bytes)
{
    uint64_t held = a->bytes + bytes;
    if (m->is_static || held <= m->reserve_bytes) {
        a->bytes = held;
    } else if (held - m->reserve_bytes > weir_pfc_threshold(pool, in)) {
        a->headroom_bytes += bytes;
        pool->headroom_bytes += bytes;
    } else {
        a->bytes = held;
        pool->used_bytes += weir_min_u64(bytes, held - m->reserve_bytes);
    }
}

/* Tests whether a pause must be sent for the account. To be called after weir_pfc_accept(); the caller then sets
 * a->paused. */
static inline bool weir_pfc_must_pause(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool,
                                       const struct weir_pfc_in *in, const struct weir_pfc_account *a)
{
    if (a->paused)
        return false;
    if (m->is_static)
        return a->bytes > m->xoff_bytes;
    return a->headroom_bytes > 0 || weir_pfc_shared(m, a) >= weir_pfc_threshold(pool, in);
}

/* Subtracts a packet that has left (its transmission has ended, or it was dropped) from its account: from the headroom
 * first. */
static inline void weir_pfc_release(const struct weir_pfc_model *m, struct weir_pfc_pool *pool,
                                    struct weir_pfc_account *a, uint32_t bytes)
{
    uint64_t from_headroom = weir_min_u64(a->headroom_bytes, bytes), rest = bytes - from_headroom;
    if (!m->is_static)
        pool->used_bytes -= weir_min_u64(rest, weir_pfc_shared(m, a));
    pool->headroom_bytes -= from_headroom;
    a->headroom_bytes -= from_headroom;
    a->bytes -= rest;
}

/* Tests whether a resume may be sent for the account. To be called after weir_pfc_release(); the caller then clears
 * a->paused. */
static inline bool weir_pfc_may_resume(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool,
                                       const struct weir_pfc_in *in, const struct weir_pfc_account *a)
{
    uint64_t shared = weir_pfc_shared(m, a);
    if (!a->paused)
        return false;
    if (m->is_static)
        return a->bytes < m->xon_bytes;
    return a->headroom_bytes == 0 && (shared == 0 || shared + m->resume_offset_bytes <= weir_pfc_threshold(pool, in));
}

/* ---- pauses that a port received ---- */

/* Adds a pause of stretch_ps to the counters. The pause or the run has ended. */
static inline void weir_pfc_count_stretch(const struct weir_pfc_model *m, struct weir_pfc_paused *p,
                                          uint64_t stretch_ps)
{
    p->sum_ps += stretch_ps;
    p->longest_ps = weir_max_u64(p->longest_ps, stretch_ps);
    p->storms += m->storm_ps > 0 && stretch_ps > m->storm_ps;
}

/* Applies a pause or resume frame of a class that arrived at now_ps. */
static inline void weir_pfc_obey(const struct weir_pfc_model *m, struct weir_pfc_paused *p, uint32_t class_id,
                                 bool pause, uint64_t now_ps)
{
    WEIR_ASSERT(class_id < WEIR_CLASSES_MAX);
    uint32_t bit = 1u << class_id, before = p->classes;
    *(pause ? &p->pauses : &p->resumes) += 1;
    p->classes = pause ? before | bit : before & ~bit;
    if ((before & bit) == 0 && pause)
        p->since_ps[class_id] = now_ps;
    else if ((before & bit) != 0 && !pause)
        weir_pfc_count_stretch(m, p, now_ps - p->since_ps[class_id]);
}

/* Ends all pauses of this port at now_ps. A pause that began after now_ps counts as 0 ps long: this can happen at the
 * end of a run that ends with the last delivery. */
static inline void weir_pfc_forget(const struct weir_pfc_model *m, struct weir_pfc_paused *p, uint64_t now_ps)
{
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        if ((p->classes >> c & 1) != 0)
            weir_pfc_count_stretch(m, p, now_ps > p->since_ps[c] ? now_ps - p->since_ps[c] : 0);
    p->classes = 0;
}
#endif
