/* src/algorithms/host/credit/window.h - the BDP of a receiver, found by trial (weir_host_config.adaptive).
 *
 * A receiver whose outstanding credit is a BDP gets all that its senders, the network and both hosts' schedulers can
 * give it. Rate times round trip is not that BDP, since both depend on the credit that was given. So the receiver tries
 * twice the credit, and keeps it if a quarter more arrives per second. Else it tries less, which it keeps if as much
 * arrives. So it never keeps what would only wait in a queue. A queue and a long way differ: with half the credit
 * as much arrives through a queue, and half as much over a long way. A trial lasts for an epoch of several round trips.
 * Less that seems as good is confirmed: what was before is measured once more.
 * An epoch in which senders did not use the credit proves nothing. Loss halves the BDP, once per epoch.
 *
 * Below the first BDP, less is tried only while a queue stands: the least round trip of an epoch is not short. That is
 * the test of CoDel (ACM Queue 2012). Small credit costs processor time, and goodput if the processors are busy. So
 * less is compared with the best rate of late epochs, and more is tried sooner there. Loss does not lead below the
 * first BDP, so that a few random losses leave enough credit.
 *
 * BBR (CACM 2017) and Linux's sizing of receive windows (Fisk and Feng, 2001) judge by the rate, too. Both take the
 * least round trip, which is not that of a process that waits for its processor. */
#ifndef WEIR_HOST_CREDIT_WINDOW_H
#define WEIR_HOST_CREDIT_WINDOW_H
#include "core/assert.h"
#include "core/math.h"
#include "core/units.h"

#define CREDIT_EPOCH_RTTS 8u                        /* least round trips of an epoch .. */
#define CREDIT_EPOCH_LEAST_PS (20 * WEIR_PS_PER_MS) /* .. and its least length: several time slices of a scheduler */
#define CREDIT_SHORT_PS (500 * WEIR_PS_PER_US)      /* round trips up to this are short */
#define CREDIT_BEST_SHIFT 6u                        /* the best rate is forgotten by 1/64 per epoch */
#define CREDIT_LEAST_PKTS 4u                        /* the least BDP in full packets, as of a stated rate */
#define CREDIT_WAIT_MOST 64u                        /* most epochs between two trials .. */
#define CREDIT_WAIT_BELOW 8u                        /* .. below the first BDP */

/* BACK: less was as good. What was before is measured again, so that a change of the load is no effect of the
 * credit */
enum credit_trial { CREDIT_TRIAL_NONE, CREDIT_TRIAL_MORE, CREDIT_TRIAL_LESS, CREDIT_TRIAL_BACK };

struct credit_window {
    uint64_t bdp_bytes;               /* now in use */
    uint64_t first_bytes;             /* with which it began */
    uint64_t least_bytes, most_bytes; /* its bounds */
    uint64_t least_rtt_ps;            /* of the samples of the epoch; WEIR_NEVER = there is none */
    bool stands;                      /* a queue stood during the last epoch */
    uint64_t kept_bytes, kept_rate;   /* during a trial: the BDP before, and bytes per second with it */
    uint64_t less_bytes, less_rate;   /* BACK: the BDP that was tried, and its rate */
    uint64_t best_rate;               /* highest rate of late epochs */
    uint64_t epoch_ps, epoch_bytes;   /* when the epoch began, and bytes that arrived since; epoch_ps 0 = none began */
    uint32_t probes, full_probes;     /* samples of the epoch; those that found the credit in use */
    uint32_t wait, waited;            /* epochs from the last trial to the next; those that have passed */
    bool lost;                        /* a packet was lost since the last sample */
    bool cut;                         /* the BDP was cut in this epoch: more losses of it cut no more */
    bool less_next;                   /* the next trial is of less */
    enum credit_trial trial;
};

static inline void credit_window_init(struct credit_window *w, uint64_t bdp_bytes, uint64_t least_bytes,
                                      uint64_t most_bytes)
{
    *w = (struct credit_window){ .bdp_bytes = bdp_bytes,
                                 .first_bytes = bdp_bytes,
                                 .least_bytes = weir_min_u64(bdp_bytes, least_bytes),
                                 .most_bytes = weir_max_u64(bdp_bytes, most_bytes),
                                 .least_rtt_ps = WEIR_NEVER,
                                 .wait = 1 };
}

/* Returns the least BDP that may be tried. */
static inline uint64_t credit_window_floor(const struct credit_window *w)
{
    return w->stands ? w->least_bytes : weir_min_u64(w->first_bytes, w->bdp_bytes);
}

/* Begins a trial of twice or half the BDP, if the bounds allow it. At the largest BDP it is half of it. */
static inline void credit_window_try(struct credit_window *w, uint64_t rate)
{
    uint64_t floor_bytes = credit_window_floor(w);
    bool less = (w->less_next || w->bdp_bytes == w->most_bytes) && w->bdp_bytes > floor_bytes;
    uint64_t bytes = less ? weir_max_u64(w->bdp_bytes / 2, floor_bytes) : weir_min_u64(w->bdp_bytes * 2, w->most_bytes);
    WEIR_ASSERT(bytes >= w->least_bytes && bytes <= w->most_bytes);
    w->trial = CREDIT_TRIAL_NONE;
    w->waited = 0;
    if (bytes == w->bdp_bytes)
        return;
    w->trial = less ? CREDIT_TRIAL_LESS : CREDIT_TRIAL_MORE;
    w->kept_bytes = w->bdp_bytes;
    w->kept_rate = rate;
    w->bdp_bytes = bytes;
}

/* Returns the most epochs between two trials. */
static inline uint32_t credit_window_wait_most(const struct credit_window *w)
{
    return w->bdp_bytes < w->first_bytes ? CREDIT_WAIT_BELOW : CREDIT_WAIT_MOST;
}

/* Tests whether a trial is to be kept. rate: of the epoch that ends. BACK compares the rate of less with it. */
static inline bool credit_window_passes(const struct credit_window *w, uint64_t rate)
{
    if (w->trial == CREDIT_TRIAL_MORE)
        return rate >= w->kept_rate + w->kept_rate / 4;
    if (w->trial == CREDIT_TRIAL_BACK)
        return w->less_rate >= rate - rate / 16;
    return rate >= w->best_rate - w->best_rate / 16;
}

/* Ends a trial, or goes on to BACK. A trial that is kept is followed by another one at once. */
static inline void credit_window_judge(struct credit_window *w, uint64_t rate)
{
    bool more = w->trial == CREDIT_TRIAL_MORE, kept = credit_window_passes(w, rate);
    WEIR_ASSERT(w->trial != CREDIT_TRIAL_NONE);
    WEIR_ASSERT(w->wait >= 1 && w->wait <= CREDIT_WAIT_MOST);
    WEIR_ASSERT(w->trial != CREDIT_TRIAL_BACK || w->less_bytes < w->kept_bytes);
    if (kept && w->trial == CREDIT_TRIAL_LESS) {
        w->trial = CREDIT_TRIAL_BACK;
        w->less_bytes = w->bdp_bytes;
        w->less_rate = rate;
        w->bdp_bytes = w->kept_bytes;
        return;
    }
    if (kept) {
        w->bdp_bytes = more ? w->bdp_bytes : w->less_bytes;
        w->wait = 1;
        w->less_next = !more;
        credit_window_try(w, rate);
        return;
    }
    w->bdp_bytes = w->kept_bytes;
    w->less_next = more;
    w->wait = weir_clamp_u32(2 * (uint64_t)w->wait, 1, credit_window_wait_most(w));
    w->waited = 0;
    w->trial = CREDIT_TRIAL_NONE;
}

/* Handles a loss: halves the BDP, and waits before the next trial. */
static inline void credit_window_cut(struct credit_window *w)
{
    bool more = w->trial == CREDIT_TRIAL_MORE;
    WEIR_ASSERT(w->trial == CREDIT_TRIAL_NONE || w->kept_bytes > 0);
    uint64_t before_bytes = more ? w->kept_bytes : w->bdp_bytes, bytes = more ? before_bytes : before_bytes / 2;
    w->bdp_bytes = weir_max_u64(bytes, weir_min_u64(before_bytes, w->first_bytes));
    w->trial = CREDIT_TRIAL_NONE;
    w->less_next = false;
    w->wait = credit_window_wait_most(w);
    w->waited = 0;
    w->cut = true;
}

/* Counts bytes that arrived. */
static inline void credit_window_arrived(struct credit_window *w, uint32_t bytes)
{
    w->epoch_bytes += bytes;
}

/* Ends an epoch with the rate that it had: judges a trial, or begins one if it is time. */
static inline void credit_window_end(struct credit_window *w, uint64_t rate)
{
    if (w->trial != CREDIT_TRIAL_NONE)
        credit_window_judge(w, rate);
    else if (++w->waited >= w->wait)
        credit_window_try(w, rate);
    w->best_rate = weir_max_u64(w->best_rate - (w->best_rate >> CREDIT_BEST_SHIFT), rate);
}

/* Handles a sample of the round trip, and ends the epoch if it has lasted long enough. full: most of the credit is
 * outstanding. @return true = bdp_bytes has changed */
static inline bool credit_window_sample(struct credit_window *w, uint64_t now_ps, uint64_t rtt_ps, uint64_t srtt_ps,
                                        bool full)
{
    uint64_t length_ps = weir_max_u64(CREDIT_EPOCH_RTTS * srtt_ps, CREDIT_EPOCH_LEAST_PS), before = w->bdp_bytes;
    WEIR_ASSERT(now_ps >= w->epoch_ps);
    WEIR_ASSERT(w->bdp_bytes >= w->least_bytes && w->bdp_bytes <= w->most_bytes);
    w->least_rtt_ps = weir_min_u64(w->least_rtt_ps, rtt_ps);
    w->probes++;
    w->full_probes += full;
    if (w->lost && !w->cut)
        credit_window_cut(w);
    w->lost = false;
    if (w->epoch_ps != 0 && now_ps - w->epoch_ps < length_ps)
        return w->bdp_bytes != before;
    bool judged = w->epoch_ps != 0 && !w->cut && 2 * w->full_probes >= w->probes;
    uint64_t us = (now_ps - w->epoch_ps) / WEIR_PS_PER_US + 1;
    uint64_t rate = weir_mul_div_u64(w->epoch_bytes, 1000000, us);
    w->stands = w->least_rtt_ps > CREDIT_SHORT_PS;
    if (judged)
        credit_window_end(w, rate);
    w->least_rtt_ps = WEIR_NEVER;
    w->epoch_ps = now_ps;
    w->epoch_bytes = 0;
    w->probes = w->full_probes = 0;
    w->cut = false;
    return w->bdp_bytes != before;
}
#endif
