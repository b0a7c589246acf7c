/* src/algorithms/proto/sird/sird_core.h - what SIRD decides per packet: the two AIMD loops, the bucket test, csn, and
 * reports of spent credit. Integers only, so that the simulator, sockets and a BPF program can share this text. */
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

/* Computes what a packet adds. A bucket above M * M (2.4 MB) grows by less than a byte per packet. So that it grows at
 * all, the n-th packet of a window then adds what n of them would, less what n - 1 did. */
static inline uint32_t weir_sird_aimd_step(const struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule)
{
    uint64_t square = (uint64_t)rule->packet_bytes * rule->packet_bytes, n = a->window_pkts;
    if (WEIR_LIKELY(a->step_bytes > 0))
        return a->step_bytes;
    return (uint32_t)(n * square / a->least_bytes - (n - 1) * square / a->least_bytes); /* 2^16 * 2^27 fits */
}

/* The most packets that are counted since a cut: 1.5 BDP are no more, see weir_sird_check(). */
#define WEIR_SIRD_SINCE_MAX 16384

static inline int32_t weir_sird_since_cut(const struct weir_sird_aimd *a, enum weir_sird_loop x)
{
    return a->since_cut_pkts[x] + a->window_pkts;
}

static inline void weir_sird_aimd_grow(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule,
                                       enum weir_sird_loop x, uint32_t step_bytes)
{
    uint32_t bucket_bytes = a->bucket_bytes[x] + step_bytes; /* BDP + M, 2^31 at most */
    a->bucket_bytes[x] = bucket_bytes < rule->most_bytes ? bucket_bytes : rule->most_bytes;
}

/* Updates one loop by a packet that is marked or ends a window. Counts packets, not time; also grows with a marked
 * packet, as measured in the paper's runs. */
static inline void weir_sird_aimd_loop(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule,
                                       enum weir_sird_loop x, bool marked, uint32_t step_bytes)
{
    bool due = a->window_pkts == a->window_end_pkts;
    uint32_t bucket_bytes = a->bucket_bytes[x] + step_bytes;
    a->marked_pkts[x] = (uint16_t)(a->marked_pkts[x] + marked);
    if (due) { /* alpha <- (1 - g) alpha + g F; 2^20 * 2^30 fits */
        uint64_t share_q30 = ((uint64_t)a->marked_pkts[x] << 30) / a->window_pkts;
        uint64_t sum = (uint64_t)(1000000 - rule->g_ppm) * a->alpha_q30[x] + rule->g_ppm * share_q30;
        a->alpha_q30[x] = (uint32_t)(sum / 1000000); /* down: a cut that is whole in the reals stays so */
        a->marked_pkts[x] = 0;
    }
    if (marked && weir_sird_since_cut(a, x) >= a->hold_pkts[x]) { /* w alpha / 2, rounded up; 2^30 * 2^30 fits */
        bucket_bytes -= (uint32_t)(((uint64_t)a->bucket_bytes[x] * a->alpha_q30[x] + (UINT64_C(1) << 31) - 1) >> 31);
        bucket_bytes = bucket_bytes > rule->floor_bytes[x] ? bucket_bytes : rule->floor_bytes[x];
        a->since_cut_pkts[x] = (int16_t)-a->window_pkts; /* <= 8192, see weir_sird_check() */
        a->hold_pkts[x] = (uint16_t)weir_clamp_u32(UINT64_C(3) * a->least_bytes / (UINT64_C(2) * rule->packet_bytes), 0,
                                                   WEIR_SIRD_SINCE_MAX);
    }
    if (due) /* its packets count from now on as those before */
        a->since_cut_pkts[x] = (int16_t)weir_clamp_u32((uint64_t)weir_sird_since_cut(a, x), 0, WEIR_SIRD_SINCE_MAX);
    a->bucket_bytes[x] = bucket_bytes < rule->most_bytes ? bucket_bytes : rule->most_bytes; /* never below its floor */
}

/* Updates both loops by one packet: alphas once per window of the lesser bucket, growth by a packet per window, a cut
 * at most once per one and a half. */
static inline void weir_sird_aimd(struct weir_sird_aimd *a, const struct weir_sird_aimd_rule *rule, bool ce, bool csn)
{
    bool due = ++a->window_pkts == a->window_end_pkts;
    uint32_t least, step_bytes;
    if (WEIR_LIKELY(!due && !ce && !csn)) { /* most packets; and where both buckets are full, nothing is left to do */
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
    least = a->bucket_bytes[WEIR_SIRD_NET] < a->bucket_bytes[WEIR_SIRD_SENDER] ? a->bucket_bytes[WEIR_SIRD_NET]
                                                                               : a->bucket_bytes[WEIR_SIRD_SENDER];
    if (least != a->least_bytes) {
        a->least_bytes = least;
        a->step_bytes = rule->packet_bytes * rule->packet_bytes / least;
    }
    if (due) {
        a->window_pkts = 0;
        a->window_end_pkts = (uint16_t)(least / rule->packet_bytes); /* >= 1: no floor is below a packet */
    }
}

/* Tests whether a sender may get credit for a packet of so many bytes. The paper's rule, or ns-2's: one packet more
 * than the bucket, but never more than a BDP. */
static inline bool weir_sird_admits(const struct weir_sird_config *cfg, const struct weir_sird_host *h,
                                    const struct weir_sird_peer *p, uint32_t wire_bytes)
{
    if (cfg->bucket_test == WEIR_SIRD_PAPER)
        return p->outstanding_bytes + wire_bytes <= p->aimd.least_bytes;
    return p->outstanding_bytes + wire_bytes <= h->rule.most_bytes && p->outstanding_bytes <= p->aimd.least_bytes;
}

/* Tests whether this packet notifies its receiver that we hold too much credit. Evaluated before its own is
 * subtracted. */
static inline bool weir_sird_csn(const struct weir_sird_config *cfg, const struct weir_sird_host *h, bool scheduled,
                                 uint32_t spent_bytes)
{
    if (cfg->csn_rule == WEIR_SIRD_PAPER)
        return scheduled && h->held_bytes >= cfg->sthr.bytes;
    return h->tx_msgs >= 2 && h->held_bytes - spent_bytes > cfg->sthr.bytes; /* a lone message is never marked */
}

/* --- reports of spent credit --- */

/* Records what a packet's sender reports to have spent, which is news only if it has changed. Unscheduled DATA goes on
 * and on without spending anything, and must not hide that credit lies unused. */
static inline void weir_sird_note_spent(struct weir_sird_peer *p, uint64_t now_ps, uint32_t spent_total)
{
    if (spent_total == p->reported_total)
        return;
    p->reported_total = spent_total;
    if (p->changed_ps != WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Begins a peer's silence, if it owes us something from now on and did not before. */
static inline void weir_sird_owed(struct weir_sird_peer *p, uint64_t now_ps)
{
    if (p->changed_ps == WEIR_NEVER)
        p->changed_ps = now_ps;
}

/* Tests whether a reported total can be true. If only credited bytes count, no sender can have spent more than it was
 * granted; one that claims so would make us forget what is out. */
static inline bool weir_sird_believable(const struct weir_sird_config *cfg, const struct weir_sird_peer *p,
                                        uint32_t spent_total)
{
    return cfg->unsched_accounting == WEIR_SIRD_CHARGED || (int32_t)(spent_total - p->granted_total) <= 0;
}
#endif
