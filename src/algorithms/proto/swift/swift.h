/* src/algorithms/proto/swift/swift.h - Swift: AIMD on delay, around a target that depends on the path's length and on
 * the window.
 * Sources:
 * - Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter", SIGCOMM 2020;
 * - the public configuration and OMNeT++ model of SIRD's evaluation, NSDI 2025 (preset sird).
 *
 * Departs from the paper: the path's length is that of the routes with every cable up, not counted by packets. An ACK
 * of a retransmission gives no time, so it changes no window. Below one packet per round trip a connection is paced by
 * bytes, so a short packet is followed sooner. */
#ifndef WEIR_PROTO_SWIFT_H
#define WEIR_PROTO_SWIFT_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

enum weir_swift_hold {
    WEIR_SWIFT_HOLD_DECREASE,  /* at most one decrease per round trip */
    WEIR_SWIFT_HOLD_UNCHANGED, /* an ACK that leaves the window as it was counts as a decrease, too */
};

struct weir_swift_config {       /* one per run, read-only once weir_swift_check() has accepted it */
    uint64_t base_target_ps;     /* 1 us .. 2 ms; 0 = twice the base round trip */
    uint64_t hop_ps;             /* added per switch on the path; 0 .. 100 us */
    uint64_t fs_range_ps;        /* most that flow scaling adds; 0 .. 10 ms; WEIR_NEVER = five base targets */
    uint64_t endpoint_target_ps; /* of the delay at the receiver; 100 ns .. 1 ms */
    struct weir_size init_cwnd;  /* 1 MSS .. WEIR_CWND_MAX_BYTES */
    uint32_t fs_min_ppm;         /* packets, millionths: below, flow scaling adds all of fs_range; 1000 .. 1000000000 */
    uint32_t fs_max_ppm;         /* likewise: above, it adds nothing; more than fs_min */
    uint32_t ai_ppm;             /* packets per round trip, millionths; 1000 .. 100000000 */
    uint32_t beta_ppm;           /* of the relative excess of delay, how much is cut; 1 .. 1000000 */
    uint32_t max_mdf_ppm;        /* most of a window that one decrease removes; 1 .. 999000 */
    uint32_t min_cwnd_ppm;       /* packets, millionths; 1000 .. 1000000 */
    uint32_t max_cwnd_pkts;      /* 1 .. WEIR_SWIFT_PKTS_MAX; what exceeds WEIR_CWND_MAX_BYTES is not used */
    uint32_t reset_timeouts;     /* so many in a row reduce the window to min_cwnd; 1 .. WEIR_SWIFT_TIMEOUTS_MAX */
    uint32_t endpoint_g_ppm;     /* weight of the latest sample in the delay at the receiver; 1 .. 1000000 */
    uint32_t hold;               /* enum weir_swift_hold */
    uint32_t endpoint;           /* 1: a second window for the delay at the receiver; the smaller one counts */
    uint32_t restart;            /* 1: every message begins with init_cwnd */
    uint32_t grow_always;        /* 1: grow with every ACK below the target, also when the window is not the limit */
};

#define WEIR_SWIFT_ONE_Q28 (UINT64_C(1) << 28) /* a window of one packet */
#define WEIR_SWIFT_PKTS_MAX (1u << 20)         /* so a window fits 48 bits */
#define WEIR_SWIFT_TIMEOUTS_MAX 1023u
#define WEIR_SWIFT_RTT_MAX_PS (UINT64_C(1) << 40) /* 1.1 s; longer samples count as this: products fit */
#define WEIR_SWIFT_A_MAX_PS ((UINT64_C(1) << 40) - 1)
#define WEIR_SWIFT_FLAT_MAX_PS UINT32_MAX /* 4.29 ms */

struct weir_swift_window {
    uint64_t cwnd_q28; /* packets: min_cwnd .. max_cwnd */
    uint64_t cut_ps;   /* when it was last decreased; 0 = never */
};

struct
    weir_swift { /* one per flow; an ACK touches the first line alone, unless the window is small or has a second one */
    struct weir_cc cc;
    struct weir_swift_window fabric;
    uint64_t rtt_ps;        /* latest sample; the base round trip before the first */
    uint64_t a_ps : 40;     /* the paper's alpha: what flow scaling adds at a window of one packet, and b */
    uint64_t timeouts : 10; /* in a row; saturates */
    uint64_t mss_bytes : 14;
    uint32_t flat_ps; /* target of a large window: base_target and hops */
    uint32_t fs_q26;  /* 1 / sqrt(fs_max), so that b = -a * this */
    /* the second line */
    struct weir_swift_window endpoint;
    uint64_t held_ps;     /* average delay at the receiver */
    uint64_t line_bps;    /* of the host's link */
    uint64_t range_ps;    /* fs_range */
    uint64_t pkt_bits_ps; /* bits of a full packet on the wire, times WEIR_PS_PER_S: over an interval, a rate */
};
_Static_assert(offsetof(struct weir_swift, cc) == 0, "host/ casts between the two");
_Static_assert(offsetof(struct weir_swift, endpoint) == 64, "the first line");
_Static_assert(sizeof(struct weir_swift) <= 128, "two cache lines");

extern const struct weir_cc_ops weir_swift_ops;
extern const struct weir_param weir_swift_params[];
extern const struct weir_preset weir_swift_presets[]; /* sigcomm2020 (default), sird */
extern const char *const weir_swift_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_swift_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_swift_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
