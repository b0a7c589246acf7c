/* src/algorithms/proto/timely/timely.h - TIMELY: the rate of a flow follows the gradient of its round trip. Sources:
 * - Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1;
 * - Zhu et al., "ECN or Delay", CoNEXT 2016 (variant patched);
 * - the public ns-3 simulator of HPCC's authors (variant hpcc); eRPC's public source (variant erpc);
 * - Xue et al., "Dart", IEEE/ACM ToN 28(1), 2020 (form window: W = R RTT).
 *
 * Departs from the SIGCOMM paper: a sample is the round trip of a packet, less the transmission time of one full
 * packet. The paper takes samples of segments of 16 to 64 KB. The first sample has no gradient. A new flow begins with
 * a configured share of the link, because the law does not know the other flows of the host. */
#ifndef WEIR_PROTO_TIMELY_H
#define WEIR_PROTO_TIMELY_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

enum weir_timely_form { WEIR_TIMELY_RATE, WEIR_TIMELY_WINDOW };
enum weir_timely_variant { WEIR_TIMELY_PAPER, WEIR_TIMELY_PATCHED, WEIR_TIMELY_HPCC, WEIR_TIMELY_ERPC };

struct weir_timely_config { /* one per run, read-only once weir_timely_check() has accepted it */
    uint64_t min_rtt_ps;    /* round trip by which differences are divided; 100 ns .. 10 ms */
    uint64_t t_low_ps;      /* samples below always raise the rate; 1 us .. 10 ms */
    uint64_t t_high_ps;     /* samples above always lower the rate; t_low_ps .. 10 ms */
    uint64_t delta_bps;     /* additive step; 0 = 10 Mb/s per 10 Gb/s of the host's link */
    uint64_t min_rate_bps;  /* least rate of a flow; 1 Mb/s .. the link's rate */
    uint32_t variant;       /* enum weir_timely_variant */
    uint32_t a_ppm;         /* weight of the latest difference, millionths; 1 .. 1000000 */
    uint32_t b_ppm;         /* decrease factor, millionths; 1 .. 1000000 */
    uint32_t hai_count;     /* after so many increases in a row they are large; 1 .. 1000 */
    uint32_t hai_factor;    /* deltas in a large increase; 1 .. 100 */
    uint32_t init_rate_ppm; /* rate of a new flow, millionths of the link's; 1000 .. 1000000 */
    uint32_t form;          /* enum weir_timely_form: packets are paced at R, or a window of R RTT limits them */
    uint32_t window;        /* 1: cwnd is the current rate times the base RTT; 0: no limit */
    uint32_t restart;       /* 1: every message begins as a new flow */
};

#define WEIR_TIMELY_RTT_MAX_PS (UINT64_C(1) << 40) /* 1.1 s; longer samples count as this: products fit */

struct weir_timely {      /* one per flow; the inputs of a decision are in the first line */
    struct weir_cc cc;    /* rate_bps: R with form rate, else WEIR_RATE_OPEN */
    uint64_t r_bps;       /* R, on the wire: min_rate_bps .. line_bps */
    uint64_t prev_rtt_ps; /* latest sample; 0 = none yet */
    int64_t diff_ps;      /* rtt_diff: smoothed difference of two samples */
    union {
        uint64_t decision_seq; /* hpcc: no decision before a byte beyond this is acked */
        uint64_t update_ps;    /* erpc: when the rate was last updated */
    };
    uint32_t count; /* events in a row, up to hai_count; see the callers of weir_timely_count() */
    uint32_t mss_bytes;
    uint64_t line_bps, delta_bps; /* delta: additive step */
    uint64_t base_rtt_ps, segment_ps;
    uint32_t wire_bytes; /* a full packet on a link */
};
_Static_assert(offsetof(struct weir_timely, cc) == 0, "host/ casts between the two");
_Static_assert(offsetof(struct weir_timely, line_bps) == 64, "the first line");

extern const struct weir_cc_ops weir_timely_ops;
extern const struct weir_param weir_timely_params[];
extern const struct weir_preset weir_timely_presets[]; /* sigcomm2015 (default), patched, hpcc, erpc, dart */
extern const char *const weir_timely_recommends[];     /* core/recommend.h */

/**
 * Checks the keys against each other and against the path.
 * @param config  struct weir_timely_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_timely_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
