/* src/algorithms/proto/sird/sird_core.h - the decisions of SIRD per packet: the two AIMD loops, the bucket test, csn,
 * and reports of spent credit. Integers only, so that the simulator, sockets and a BPF program can share this file. */
#ifndef WEIR_PROTO_SIRD_CORE_H
#define WEIR_PROTO_SIRD_CORE_H
#include "core/math.h"
#include "core/units.h"
#include "proto/sird/sird.h"

static inline void weir_sird_aimd_init(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule)
{
    uint32_t most = rule->most_bytes, packet = rule->packet_bytes;
    *a = (struct weir_sird_aimd){
        .least_bytes = most,
        .step_bytes = packet * packet / most, /* (9728 B)^2 < 2^27 */
        .bucket_bytes = { most, most },
        .window_end_pkts = 1,
        .hold_pkts = { (uint16_t)(most / packet), (uint16_t)(most / packet) }, /* weir_sird_check(): fits */
    };
}

/* Returns the additive increase of a bucket, in bytes, for the present packet. A bucket of more than M * M bytes (2.4
 * MB for M = 1538) grows by less than a byte per packet. So packet n of a window adds the whole bytes due to n packets,
 * less those due to n - 1. */
static inline uint32_t weir_sird_aimd_step(const struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule)
{
    uint64_t square = (uint64_t)rule->packet_bytes * rule->packet_bytes, n = a->window_pkts;
    if (WEIR_LIKELY(a->step_bytes > 0))
        return a->step_bytes;
    return (uint32_t)(n * square / a->least_bytes - (n - 1) * square / a->least_bytes); /* 2^16 * 2^27 fits */
}

/* Bound of the count of packets since a cut. It is above 1.5 BDP in packets, see weir_sird_check(). */
#define WEIR_SIRD_SINCE_MAX 16384

static inline int32_t weir_sird_since_cut(const struct weir_sird_aimd *a, enum weir_sird_loop x)
{
    WEIR_ASSERT(x <= WEIR_SIRD_SENDER);
    return a->since_cut_pkts[x] + a->window_pkts;
}

static inline void weir_sird_aimd_grow(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule,
                                       enum weir_sird_loop x, uint32_t step_bytes)
{
    WEIR_ASSERT(x <= WEIR_SIRD_SENDER);
    uint32_t bucket_bytes = a->bucket_bytes[x] + step_bytes; /* BDP + M, 2^31 at most */
    a->bucket_bytes[x] = bucket_bytes < rule->most_bytes ? bucket_bytes : rule->most_bytes;
}

/* Updates loop x by a packet that is marked for either loop, or is the last one of a window. marked: the packet is
 * marked for loop x. The loop counts packets, not time. A marked packet also adds step_bytes, as measured in the
 * paper's runs. */
static inline void weir_sird_aimd_loop(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule,
                                       enum weir_sird_loop x, bool marked, uint32_t step_bytes)
{
    WEIR_ASSERT(x <= WEIR_SIRD_SENDER);
    bool due = a->window_pkts == a->window_end_pkts;
    uint32_t bucket_bytes = a->bucket_bytes[x] + step_bytes;
    a->marked_pkts[x] = (uint16_t)(a->marked_pkts[x] + marked);
    if (due) { /* alpha <- (1 - g) alpha + g F; 2^20 * 2^30 fits */
        uint64_t share_q30 = ((uint64_t)a->marked_pkts[x] << 30) / a->window_pkts;
        uint64_t sum = (uint64_t)(1000000 - rule->g_ppm) * a->alpha_q30[x] + rule->g_ppm * share_q30;
        a->alpha_q30[x] = (uint32_t)(sum / 1000000); /* rounded down, so that a cut of whole bytes is not rounded up */
        a->marked_pkts[x] = 0;
    }
    if (marked && weir_sird_since_cut(a, x) >= a->hold_pkts[x]) { /* w alpha / 2, rounded up; 2^30 * 2^30 fits */
        bucket_bytes -= (uint32_t)(((uint64_t)a->bucket_bytes[x] * a->alpha_q30[x] + (UINT64_C(1) << 31) - 1) >> 31);
        bucket_bytes = bucket_bytes > rule->floor_bytes[x] ? bucket_bytes : rule->floor_bytes[x];
        a->since_cut_pkts[x] = (int16_t)-a->window_pkts; /* <= 8192, see weir_sird_check() */
        a->hold_pkts[x] = (uint16_t)weir_clamp_u32(UINT64_C(3) * a->least_bytes / (UINT64_C(2) * rule->packet_bytes), 0,
                                                   WEIR_SIRD_SINCE_MAX);
    }
    if (due) /* the packets of the window that ends */
        a->since_cut_pkts[x] = (int16_t)weir_clamp_u32((uint64_t)weir_sird_since_cut(a, x), 0, WEIR_SIRD_SINCE_MAX);
    a->bucket_bytes[x] = bucket_bytes < rule->most_bytes ? bucket_bytes : rule->most_bytes; /* floor_bytes <=
                                                                                             * most_bytes */
}

/* Sets least_bytes, and the step that follows from it, after a change of a bucket. */
static inline void weir_sird_aimd_least(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule)
{
    uint32_t least = a->bucket_bytes[WEIR_SIRD_NET] < a->bucket_bytes[WEIR_SIRD_SENDER]
                         ? a->bucket_bytes[WEIR_SIRD_NET]
                         : a->bucket_bytes[WEIR_SIRD_SENDER];
    if (least == a->least_bytes)
        return;
    a->least_bytes = least;
    a->step_bytes = rule->packet_bytes * rule->packet_bytes / least;
}

/* Updates both loops by one packet. Alphas are updated once per window, which is the smaller bucket in packets. A
 * bucket grows by a packet per window, and is cut at most once per one and a half windows. */
static inline void weir_sird_aimd(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule, bool ce, bool csn)
{
    bool due = ++a->window_pkts == a->window_end_pkts;
    uint32_t step_bytes;
    if (WEIR_LIKELY(!due && !ce && !csn)) { /* most packets; if both buckets are full, nothing changes */
        if (a->least_bytes == rule->most_bytes)
            return;
        step_bytes = weir_sird_aimd_step(a, rule);
        weir_sird_aimd_grow(a, rule, WEIR_SIRD_NET, step_bytes);
        weir_sird_aimd_grow(a, rule, WEIR_SIRD_SENDER, step_bytes);
    } else {
        step_bytes = weir_sird_aimd_step(a, rule);
        weir_sird_aimd_loop(a, rule, WEIR_SIRD_NET, ce, step_bytes);
        weir_sird_aimd_loop(a, rule, WEIR_SIRD_SENDER, csn, step_bytes);
    }
    weir_sird_aimd_least(a, rule);
    if (due) {
        a->window_pkts = 0;
        a->window_end_pkts = (uint16_t)(a->least_bytes / rule->packet_bytes); /* >= 1: no floor is below a packet */
    }
}

/* Tests whether sender p may get credit for a packet of wire_bytes. Paper: the outstanding credit and the packet fit
 * the sender's smaller bucket. ns-2: the outstanding credit alone fits that bucket, and with the packet it fits a
 * BDP. */
static inline bool weir_sird_admits(const struct weir_sird_config *cfg, const struct weir_sird_host *h,
                                    const struct weir_sird_peer *p, uint32_t wire_bytes)
{
    if (cfg->bucket_test == WEIR_SIRD_PAPER)
        return p->outstanding_bytes + wire_bytes <= p->aimd.least_bytes;
    return p->outstanding_bytes + wire_bytes <= h->rule.most_bytes && p->outstanding_bytes <= p->aimd.least_bytes;
}

/* Tests whether the next packet carries csn: the sender holds too much unused credit. Paper: the packet is scheduled,
 * and the credit before it is at least SThr. ns-2: two messages or more have something to send, and the credit left
 * after the packet is above SThr. Must be called before spent_bytes are subtracted from held_bytes. */
static inline bool weir_sird_csn(const struct weir_sird_config *cfg, const struct weir_sird_host *h, bool scheduled,
                                 uint32_t spent_bytes)
{
    uint64_t sthr_bytes = h->adaptive ? h->sthr_bytes : cfg->sthr.bytes;
    if (cfg->csn_rule == WEIR_SIRD_PAPER)
        return scheduled && h->held_bytes >= sthr_bytes;
    return h->tx_msgs >= 2 && h->held_bytes - spent_bytes > sthr_bytes; /* a lone message is never marked */
}

/* --- reports of spent credit --- */

/* Records the spent total that a peer reports. Only a changed total updates changed_ps, and only if it is set.
 * Unscheduled DATA repeats the total, and must not hide that credit is unused. */
static inline void weir_sird_note_spent(struct weir_sird_peer *p, uint64_t now_ps, uint32_t spent_total)
{
    if (spent_total == p->reported_total)
        return;
    p->reported_total = spent_total;
    if (p->changed_ps != WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Sets changed_ps to now_ps, unless it is set already. Called when a message from the peer begins, and when credit is
 * granted to the peer: from then on sird_peer_check() checks the peer. */
static inline void weir_sird_owed(struct weir_sird_peer *p, uint64_t now_ps)
{
    if (p->changed_ps == WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Tests whether a reported spent total can be true. If unscheduled bytes are not charged, no sender can have spent more
 * than granted_total, and a false report above that would make the receiver forget outstanding credit. If they are
 * charged, returns true for every total. */
static inline bool weir_sird_believable(const struct weir_sird_config *cfg, const struct weir_sird_peer *p,
                                        uint32_t spent_total)
{
    return cfg->unsched_accounting == WEIR_SIRD_CHARGED || (int32_t)(spent_total - p->granted_total) <= 0;
}
#endif
