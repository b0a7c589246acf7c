/* src/algorithms/proto/swift/swift.h - Swift: a window with additive increase and multiplicative decrease, which keeps
 * the delay at a target. The target depends on the length of the path and on the window.
 * Sources:
 * - Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020;
 * - the public configuration and OMNeT++ model of SIRD's evaluation, NSDI 2025 (preset sird).
 *
 * Departs from the paper: the length of the path is taken from the routes with all cables up, not counted by packets.
 * An ACK of a retransmission gives no round-trip sample, so it changes no window. Below one packet per round trip a
 * connection is paced by bytes: after a short packet the next one waits for less time. */
#ifndef WEIR_PROTO_SWIFT_H
#define WEIR_PROTO_SWIFT_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

enum weir_swift_hold {
    WEIR_SWIFT_HOLD_DECREASE,  /* at most one decrease per round trip */
    WEIR_SWIFT_HOLD_UNCHANGED, /* an ACK that does not change the window counts as a decrease, too */
};

struct weir_swift_config {       /* one per run, read-only once weir_swift_check() has accepted it */
    uint64_t base_target_ps;     /* target without scaling; 1 us .. 2 ms; 0 = twice the base RTT */
    uint64_t hop_ps;             /* added to the target per switch on the path; 0 .. 100 us */
    uint64_t fs_range_ps;        /* most that flow scaling adds; 0 .. 10 ms; WEIR_NEVER = 5 base targets */
    uint64_t endpoint_target_ps; /* target of the delay at the receiver; 100 ns .. 1 ms */
    struct weir_size init_cwnd;  /* window of a new flow; 1 MSS .. WEIR_CWND_MAX_BYTES */
    uint32_t fs_min_ppm;         /* window below which flow scaling adds fs_range: packets, millionths; 1000 .. 10^9 */
    uint32_t fs_max_ppm;         /* window above which it adds nothing: packets, millionths; fs_min_ppm + 1 .. 10^9 */
    uint32_t ai_ppm;             /* additive increase: packets per round trip, millionths; 1000 .. 100000000 */
    uint32_t beta_ppm;           /* factor of (delay - target) / delay in a decrease, millionths; 1 .. 1000000 */
    uint32_t max_mdf_ppm;        /* most of a window that one decrease removes, millionths; 1 .. 999000 */
    uint32_t min_cwnd_ppm;       /* least window: packets, millionths; 1000 .. 1000000 */
    uint32_t max_cwnd_pkts;      /* largest window; 1 .. WEIR_SWIFT_PKTS_MAX, within WEIR_CWND_MAX_BYTES */
    uint32_t reset_timeouts;     /* timeouts in a row until the window is min_cwnd; 1 .. WEIR_SWIFT_TIMEOUTS_MAX */
    uint32_t endpoint_g_ppm;     /* weight of the latest sample in held_ps, millionths; 1 .. 1000000 */
    uint32_t hold;               /* enum weir_swift_hold */
    uint32_t endpoint;           /* 1: a second window for the delay at the receiver; the smaller one counts */
    uint32_t restart;            /* 1: every message begins with init_cwnd */
    uint32_t grow_always;        /* 1: every ACK below the target grows the window; 0: unless application-limited */
};

#define WEIR_SWIFT_ONE_Q28 (UINT64_C(1) << 28) /* a window of one packet */
#define WEIR_SWIFT_PKTS_MAX (1u << 20)         /* so that a window in Q28 fits 49 bits */
#define WEIR_SWIFT_TIMEOUTS_MAX 1023u
#define WEIR_SWIFT_RTT_MAX_PS (UINT64_C(1) << 40) /* 1.1 s; longer samples count as this: products fit */
#define WEIR_SWIFT_A_MAX_PS ((UINT64_C(1) << 40) - 1)
#define WEIR_SWIFT_FLAT_MAX_PS UINT32_MAX /* 4.29 ms */

struct weir_swift_window {
    uint64_t cwnd_q28; /* window in packets: min_cwnd .. max_cwnd */
    uint64_t cut_ps;   /* when the window was last decreased; 0 = never */
};

struct weir_swift { /* one per flow; most ACKs touch the first line alone */
    struct weir_cc cc;
    struct weir_swift_window fabric;
    uint64_t rtt_ps;        /* latest sample; the base round trip before the first */
    uint64_t a_ps : 40;     /* the paper's alpha: flow scaling adds a / sqrt(cwnd) + b, with b = -a / sqrt(fs_max) */
    uint64_t timeouts : 10; /* timeouts in a row; saturates */
    uint64_t mss_bytes : 14;
    uint32_t flat_ps; /* target of a large window: base_target plus hop_delay per switch */
    uint32_t fs_q26;  /* 1 / sqrt(fs_max) */
    /* the second line */
    struct weir_swift_window endpoint;
    uint64_t held_ps;     /* averaged delay at the receiver */
    uint64_t line_bps;    /* rate of the host's link */
    uint64_t range_ps;    /* fs_range */
    uint64_t pkt_bits_ps; /* bits of a full packet on the wire * WEIR_PS_PER_S: divided by ps, a rate */
};
_Static_assert(offsetof(struct weir_swift, cc) == 0, "host/ casts between the two");
_Static_assert(offsetof(struct weir_swift, endpoint) == 64, "the first line");
_Static_assert(sizeof(struct weir_swift) <= 128, "two cache lines");

extern const struct weir_cc_ops weir_swift_ops;
extern const struct weir_param weir_swift_params[];
extern const struct weir_preset weir_swift_presets[]; /* sigcomm2020 (default), sird */
extern const char *const weir_swift_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_swift_config, with init_cwnd resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_swift_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
