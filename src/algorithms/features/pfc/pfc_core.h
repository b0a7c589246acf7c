/* src/algorithms/features/pfc/pfc_core.h - when to pause the other end of a link, and when to resume it. Bytes are
 * counted per (in-link, class) from arrival to the end of transmission. */
#ifndef WEIR_FEATURES_PFC_PFC_CORE_H
#define WEIR_FEATURES_PFC_PFC_CORE_H
#include "core/hook_coupled.h"
#include "core/math.h"
#include "core/units.h"
#include "features/pfc/pfc.h"

struct weir_pfc_cable { /* of one in-link and of the link back, by which control frames go */
    uint64_t rate_bps, delay_ps, back_rate_bps, back_delay_ps;
};

static inline uint32_t weir_pfc_lossless_count(const struct weir_pfc_model *m)
{
    return (uint32_t)__builtin_popcount(m->lossless);
}

/**
 * Computes how much may still arrive when an account comes to its threshold:
 * - the frame that crosses it,
 * - what the other end sends until the pause reaches it,
 * - and all but a byte of the frame it has then begun.
 *
 * The pause reaches it after the delay back; what it sent until then arrives a delay later. The pause itself first
 * waits for a frame of reverse_mtu and for frames - 1 other control frames, at the rate of the link back. No more can
 * arrive. So much does arrive where there is nothing to wait for.
 */
static inline uint64_t weir_pfc_headroom_bytes(const struct weir_pfc_cable *c, uint32_t mtu_bytes,
                                               uint32_t reverse_mtu_bytes, uint32_t frames)
{
    WEIR_ASSERT(c->rate_bps > 0);
    WEIR_ASSERT(c->back_rate_bps > 0);
    WEIR_ASSERT(mtu_bytes > 0);
    uint64_t delay_ps = c->delay_ps + c->back_delay_ps,
             queued = reverse_mtu_bytes + (uint64_t)frames * WEIR_CONTROL_BYTES;
    uint64_t waiting = weir_mul_div_u64(queued, c->rate_bps, c->back_rate_bps); /* of ours, while that is sent */
    uint64_t flight = weir_mul_div_u64(delay_ps, c->rate_bps, 8 * WEIR_PS_PER_S);
    bool whole = 8 * WEIR_PS_PER_S % c->rate_bps == 0 && delay_ps % (8 * WEIR_PS_PER_S / c->rate_bps) == 0;
    bool even = queued * (c->rate_bps % c->back_rate_bps) % c->back_rate_bps == 0; /* 2^15 * 2^43 fits */
    return 2 * (uint64_t)mtu_bytes - 1 + waiting + !even + flight + !whole;
}

/* Computes the parameters of an in-link. Each lossless class may have a pause and a resume waiting at once. */
static inline struct weir_pfc_in weir_pfc_in_of(const struct weir_pfc_model *m, const struct weir_pfc_cable *c,
                                                uint64_t host_rate_bps)
{
    uint64_t rate_bps = c->rate_bps;
    struct weir_pfc_in in = { .headroom_bytes = m->headroom_bytes, .shift = m->alpha_shift };
    if (!m->fixed_headroom)
        in.headroom_bytes = weir_pfc_headroom_bytes(c, m->mtu_bytes, m->mtu_bytes, 2 * weir_pfc_lossless_count(m));
    for (; in.shift > 0 && rate_bps / 2 >= host_rate_bps; rate_bps /= 2)
        in.shift--;
    return in;
}

/* Computes the most that all accounts of an in-link may ever hold outside the pool (dynamic), or at all (static). */
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

/* Tests whether a packet of a lossless class may be held. False = the headroom was too small. */
static inline bool weir_pfc_admits(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool,
                                   const struct weir_pfc_in *in, const struct weir_pfc_account *a, uint32_t bytes)
{
    if (m->is_static)
        return a->bytes + bytes <= m->xoff_bytes + in->headroom_bytes;
    return a->headroom_bytes + bytes <= in->headroom_bytes ||
           weir_pfc_shared(m, a) + bytes <= weir_pfc_threshold(pool, in);
}

/* Adds a packet that is held from now on to its account. */
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

/* Tests whether a pause is to be sent. Called after accept; the caller then sets paused. */
static inline bool weir_pfc_must_pause(const struct weir_pfc_model *m, const struct weir_pfc_pool *pool,
                                       const struct weir_pfc_in *in, const struct weir_pfc_account *a)
{
    if (a->paused)
        return false;
    if (m->is_static)
        return a->bytes > m->xoff_bytes;
    return a->headroom_bytes > 0 || weir_pfc_shared(m, a) >= weir_pfc_threshold(pool, in);
}

/* Takes a packet whose transmission has ended from its account: headroom empties first. */
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

/* Tests whether a resume is to be sent. Called after release; the caller then clears paused. */
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

/* ---- pauses that a port was sent ---- */

/* Counts a stretch of pause that ends, or that the end of the run cuts. */
static inline void weir_pfc_count_stretch(const struct weir_pfc_model *m, struct weir_pfc_paused *p,
                                          uint64_t stretch_ps)
{
    p->sum_ps += stretch_ps;
    p->longest_ps = weir_max_u64(p->longest_ps, stretch_ps);
    p->storms += m->storm_ps > 0 && stretch_ps > m->storm_ps;
}

/* Obeys a pause or resume frame that has come. */
static inline void weir_pfc_obey(const struct weir_pfc_model *m, struct weir_pfc_paused *p, uint32_t class_id,
                                 bool pause, uint64_t now_ps)
{
    uint32_t bit = 1u << class_id, before = p->classes;
    *(pause ? &p->pauses : &p->resumes) += 1;
    p->classes = pause ? before | bit : before & ~bit;
    if ((before & bit) == 0 && pause)
        p->since_ps[class_id] = now_ps;
    else if ((before & bit) != 0 && !pause)
        weir_pfc_count_stretch(m, p, now_ps - p->since_ps[class_id]);
}

/* Ends all stretches that last now; a run to the last delivery may be over before one began. */
static inline void weir_pfc_forget(const struct weir_pfc_model *m, struct weir_pfc_paused *p, uint64_t now_ps)
{
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++)
        if ((p->classes >> c & 1) != 0)
            weir_pfc_count_stretch(m, p, now_ps > p->since_ps[c] ? now_ps - p->since_ps[c] : 0);
    p->classes = 0;
}
#endif
