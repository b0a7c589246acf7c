/* src/algorithms/proto/soze/soze.h - Soze sender: flows share a link in proportion to their weights. The only signal is
 * the longest queueing delay of the path.
 * Source: Wang and Ng, "Soze: One Network Telemetry Is All You Need for Per-flow Weighted Bandwidth Allocation at
 * Scale", OSDI 2025. Equations 6 and 7, algorithm 1 in its window form.
 * Departs from the paper:
 * - All values are logarithms to base 2, so that both functions are sums.
 * - A rate counts whole packets as they are on a link, because alpha is a link's rate.
 * - A fraction of a packet in the window is sent as one more packet for that part of the time. (A window in whole
 *   packets could not represent weights that differ by a thousandth.)
 * - Windows have an upper bound.
 * - Every ACK updates the window, as in the paper's text. With update_mode: per-rtt it is updated once per round trip,
 *   as in the paper's algorithm.
 * - The keys gain_max, patience, pace and reweigh: scale, which preset network sets, are not in the paper: doc/soze.md.
 *   Nor is signal: phantom, and what follows from it: doc/phantom.md.
 *
 * Not implemented: the kernel version's approximations of exp and log. */
#ifndef WEIR_PROTO_SOZE_H
#define WEIR_PROTO_SOZE_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"
#include "core/telemetry.h"

enum weir_soze_update {
    WEIR_SOZE_PER_ACK,   /* every ACK, with exponent m / packets in the window: m in all over a round trip */
    WEIR_SOZE_PER_RTT,   /* once per round trip, with exponent m: algorithm 1 as printed */
    WEIR_SOZE_EVERY_ACK, /* every ACK, with exponent m: unstable at more than a few packets per round trip */
};

enum weir_soze_rtt { WEIR_SOZE_RTT_SAMPLE, WEIR_SOZE_RTT_BASE };

/* PHANTOM: of virtual queues, which drain a little slower than their links (doc/phantom.md). They are no part of a
 * round trip. */
enum weir_soze_signal { WEIR_SOZE_SIGNAL_REAL, WEIR_SOZE_SIGNAL_PHANTOM };
enum weir_soze_reweigh { WEIR_SOZE_REWEIGH_UPDATE, WEIR_SOZE_REWEIGH_SCALE };

struct weir_soze_config {      /* one per run, read-only once weir_soze_check() has accepted it */
    struct weir_time_or_rtt p; /* delay span, 100 ns .. 10 ms */
    uint64_t k_ps;             /* smallest target delay, 0 .. 10 ms */
    uint64_t alpha_bps;        /* highest rate per weight; 0 = the host link's rate over min_weight */
    uint64_t beta_bps;         /* lowest rate per weight expected; 0 = alpha / 100 */
    uint64_t min_rate_bps;     /* least rate of a flow; 0 = a thousandth of the link's, else 1 bit/s .. the link's */
    uint64_t start_rate_bps;   /* rate of a new flow; 0 = the link's */
    uint32_t m_ppm;            /* m, exponent of the update function, millionths; 1 .. 4000000 */
    uint32_t min_weight_ppm;   /* smallest weight of a flow, millionths; for alpha_bps = 0 */
    uint32_t update;           /* enum weir_soze_update */
    uint32_t rtt;              /* enum weir_soze_rtt: the round trip that turns a window into a rate */
    uint32_t signal;           /* enum weir_soze_signal: of which queues the delays are */
    uint32_t restart;          /* 1: every message begins as a new flow */
    uint32_t allow_unstable;   /* 1: the theorem's condition for convergence is not checked */
    uint32_t gain_max_ppm;     /* largest m RTT ln(alpha / beta) / p, millionths; 0 = no bound */
    uint32_t large_pkts;       /* with pace: windows from this on are large; 1 .. 1000000 */
    uint32_t pace_ppm;         /* pace of large windows, in millionths of window / RTT; 0 = no pacing at all */
    uint32_t reweigh;          /* enum weir_soze_reweigh: the effect of a new weight on the window */
    uint32_t patience_ppm;     /* windows of one sign of the error before m grows again, millionths; 0 = never */
};

/* Windows are logarithms of a number of 2^-16 bytes, because the window of a slow flow is less than a byte. */
#define WEIR_SOZE_WINDOW_FRAC_BITS 16u
#define WEIR_SOZE_WINDOW_MAX_Q32 (UINT64_C(46) << 32) /* WEIR_CWND_MAX_BYTES in 2^-16 B */
#define WEIR_SOZE_LARGE_PKTS 64u                      /* default of key large */
#define WEIR_SOZE_STEP_PKTS 8u                        /* phantom: a packet moves the window as one of so many */
#define WEIR_SOZE_FLOOR_PART 64u                     /* phantom: least window, parts of a packet, with min_rate: auto */
#define WEIR_SOZE_QUEUES_MAX WEIR_TELEMETRY_HOPS_MAX /* most queues on a path */
#define WEIR_SOZE_BACK_MAX 4u                        /* base round trips in the bound of weir_soze_rtt_max_ps() */
#define WEIR_SOZE_ERROR_MAX_Q32 (INT64_C(1) << 40)   /* 256 doublings: above any ratio of two rates */
#define WEIR_SOZE_MEAN_MAX_Q24 (INT64_C(1) << 30)    /* 64 doublings */
#define WEIR_SOZE_AGE_MAX_Q20 (UINT32_C(1) << 30)    /* 1024 windows */

/* The state of a flow; an ACK touches both of its cache lines. Constants that follow from path and keys are in it,
 * too. */
struct weir_soze {
    struct weir_cc cc;   /* first: the host holds a pointer to it */
    uint64_t window_q32; /* log2 of the window in 2^-16 B; 0 .. WEIR_SOZE_WINDOW_MAX_Q32 */
    uint64_t window_q16; /* the window in 2^-16 B */
    int64_t full_q32;    /* log2 of the window per ps of round trip, in 2^-16 B, at rate per weight alpha */
    uint64_t span_q32;   /* log2(alpha / beta) */
    uint64_t updated_ps; /* when the window was last updated; 0 = never */
    uint32_t phase_q20;  /* advances by 2^20 per window: sends the fraction of a packet, weir_soze_answer() */
    int32_t mean_q24;    /* weir_soze_error_q32(), smoothed over a window; with patience only, as age_q20 */
    uint32_t age_q20;    /* windows since mean_q24 last changed its sign */
    uint16_t mss_bytes, wire_bytes; /* a full packet: its payload, its wire bytes */
    int64_t unit_q32;               /* full_q32 for a weight of 1 */
    int64_t floor_q32;              /* log2 of the window per ps of round trip at min_rate, for any weight */
    uint64_t base_rtt_ps;
    uint64_t full_rtt_ps; /* m is not lowered up to this round trip; above, it falls in inverse proportion */
    uint64_t line_bps;    /* payload rate of full packets on the host's link */
    uint64_t start_q16;   /* window of a new flow */
};
_Static_assert(offsetof(struct weir_soze, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_soze) <= 128, "two cache lines");

extern const struct weir_cc_ops weir_soze_ops;
extern const struct weir_param weir_soze_params[];
extern const struct weir_preset weir_soze_presets[]; /* paper (default), appendix, network, algorithm-1, phantom */
extern const char *const weir_soze_recommends[];     /* core/recommend.h */

/* Returns which delays a run with these keys reads, and the longest target. config: a struct weir_soze_config whose
 * times are resolved */
struct weir_delay_read weir_soze_delays(const void *config);

/**
 * Checks the keys against each other and against the path, and the theorem's condition for convergence.
 * @param config  struct weir_soze_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_soze_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
