/* src/algorithms/proto/soze/soze.h - Soze sender: shares of a link in proportion to weights, from the longest queueing
 * delay of the path.
 * Source: Wang and Ng, "Soze: One Network Telemetry Is All You Need for Per-flow Weighted Bandwidth Allocation at
 * Scale", OSDI 2025.
 * Equations 6 and 7, algorithm 1 in its window form. Departs from it:
 * - All is kept in logarithms to base 2, so that both functions are sums.
 * - A rate counts whole packets as they are on a link, because alpha is a link's rate.
 * - A fraction of a packet in the window is a packet more for that part of the time. (A window in whole packets could
 *   not show weights that differ by a thousandth.)
 * - Windows have a cap.
 * - The window moves with every ACK, as in the paper's text, unless update_mode is per-rtt as in its algorithm.
 * - gain_max, patience, pace and reweigh: scale, which preset network sets, are not in it at all: doc/soze.md.
 *
 * Not here: the kernel version's approximations of exp and log. */
#ifndef WEIR_PROTO_SOZE_H
#define WEIR_PROTO_SOZE_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"
#include "core/telemetry.h"

enum weir_soze_update {
    WEIR_SOZE_PER_ACK,   /* every ACK, the exponent m over the window in packets: m in all over a round trip */
    WEIR_SOZE_PER_RTT,   /* algorithm 1 as printed: exponent m, once per round trip */
    WEIR_SOZE_EVERY_ACK, /* exponent m on every ACK: unstable at more than a few packets per round trip */
};

enum weir_soze_rtt { WEIR_SOZE_RTT_SAMPLE, WEIR_SOZE_RTT_BASE };
enum weir_soze_reweigh { WEIR_SOZE_REWEIGH_UPDATE, WEIR_SOZE_REWEIGH_SCALE };

struct weir_soze_config {    /* one per run, read-only once weir_soze_check() has accepted it */
    uint64_t p_ps, k_ps;     /* delay span, smallest target delay; 100 ns .. 10 ms, 0 .. 10 ms */
    uint64_t alpha_bps;      /* highest rate per weight; 0 = the host link's rate over min_weight */
    uint64_t beta_bps;       /* lowest rate per weight expected; 0 = alpha / 100 */
    uint64_t min_rate_bps;   /* no flow is slowed below it; 0 = a thousandth of the link's, else 1 Mb/s .. the link's */
    uint64_t start_rate_bps; /* of a new flow; 0 = the link's */
    uint32_t m_ppm;          /* smoother, millionths; 1 .. 4000000 */
    uint32_t min_weight_ppm; /* smallest weight there will be, millionths */
    uint32_t update;         /* enum weir_soze_update */
    uint32_t rtt;            /* enum weir_soze_rtt: the round trip by which a window becomes a rate */
    uint32_t restart;        /* 1: every message begins as a new flow */
    uint32_t allow_unstable; /* 1: what the theorem excludes may run */
    uint32_t gain_max_ppm;   /* most of m RTT ln(alpha / beta) / p, millionths; 0 = no bound */
    uint32_t pace_ppm;       /* large windows leave at so many times window / RTT, millionths; 0 = none is paced */
    uint32_t reweigh;        /* enum weir_soze_reweigh: what a new weight does to the window */
    uint32_t patience_ppm;   /* round trips of an error of one sign before gain_max gives way, millionths; 0 = never */
};

/* Windows are kept as the logarithm of their 2^-16 bytes: a slow flow's is less than a byte. */
#define WEIR_SOZE_WINDOW_FRAC_BITS 16u
#define WEIR_SOZE_WINDOW_MAX_Q32 (UINT64_C(46) << 32) /* WEIR_CWND_MAX_BYTES of them */
#define WEIR_SOZE_LARGE_PKTS 64u /* with pace: from so large a window on a packet that waits is nothing to it */
#define WEIR_SOZE_QUEUES_MAX WEIR_TELEMETRY_HOPS_MAX /* on a path */
#define WEIR_SOZE_BACK_MAX 4u /* base round trips: most that is believed of queues on the ACKs' way */
#define WEIR_SOZE_ERROR_MAX_Q32 (INT64_C(1) << 40) /* 256 doublings: no ratio of two rates is more */
#define WEIR_SOZE_MEAN_MAX_Q24 (INT64_C(1) << 30)  /* 64 doublings */
#define WEIR_SOZE_AGE_MAX_Q20 (UINT32_C(1) << 30)  /* 1024 windows */

/* One per flow; an ACK touches both of its lines. What follows from path and keys is kept next to the rest. */
struct weir_soze {
    struct weir_cc cc;   /* first: the host holds a pointer to it */
    uint64_t window_q32; /* log2 of the window in 2^-16 B; 0 .. WEIR_SOZE_WINDOW_MAX_Q32 */
    uint64_t window_q16; /* the window in 2^-16 B */
    int64_t full_q32;    /* log2 of the 2^-16 B per ps of round trip that make the rate alpha times the weight */
    uint64_t span_q32;   /* log2(alpha / beta) */
    uint64_t updated_ps; /* when the window last moved; 0 = never yet */
    uint32_t phase_q20;  /* of the part of a packet: goes round once per window */
    int32_t mean_q24;    /* error in doublings, smoothed over a window; with patience only, as the next */
    uint32_t age_q20;    /* windows since that last changed its sign */
    uint16_t mss_bytes, wire_bytes; /* payload of a full packet, and all of it */
    int64_t unit_q32;               /* full_q32 of a weight of 1 */
    int64_t floor_q32;              /* likewise, for min_rate whatever the weight */
    uint64_t base_rtt_ps;
    uint64_t full_rtt_ps; /* m counts in full up to it, beyond it in inverse proportion */
    uint64_t line_bps;    /* of the host's link, payload of full packets alone */
    uint64_t start_q16;   /* window of a new flow */
};
_Static_assert(offsetof(struct weir_soze, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_soze) <= 128, "two cache lines");

extern const struct weir_cc_ops weir_soze_ops;
extern const struct weir_param weir_soze_params[];
extern const struct weir_preset weir_soze_presets[]; /* paper (default), appendix, network, algorithm-1 */
extern const char *const weir_soze_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path, and the theorem's condition for
 * convergence.
 * @param config  struct weir_soze_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_soze_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
