/* src/algorithms/proto/timely/timely.h - TIMELY: a rate that follows the gradient of the round trip. Sources:
 * - Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1;
 * - Zhu et al., "ECN or Delay", CoNEXT 2016 (variant patched);
 * - the public ns-3 simulator of HPCC's authors (hpcc); eRPC's public source (erpc);
 * - Xue et al., "Dart", IEEE/ACM ToN 28(1), 2020 (form window: W = R RTT).
 *
 * Departs from the paper: a sample is a packet's round trip less one full packet's time on the host's link, not a
 * segment's of 16 to 64 KB. The first sample has no gradient. A new flow begins with a configured share of the
 * link, as the law does not know the host's other flows. */
#ifndef WEIR_PROTO_TIMELY_H
#define WEIR_PROTO_TIMELY_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

enum weir_timely_form { WEIR_TIMELY_RATE, WEIR_TIMELY_WINDOW };
enum weir_timely_variant { WEIR_TIMELY_PAPER, WEIR_TIMELY_PATCHED, WEIR_TIMELY_HPCC, WEIR_TIMELY_ERPC };

struct weir_timely_config { /* one per run, read-only once weir_timely_check() has accepted it */
    uint64_t min_rtt_ps;    /* unit of the gradient; 100 ns .. 10 ms */
    uint64_t t_low_ps;      /* below: always faster; 1 us .. 10 ms */
    uint64_t t_high_ps;     /* above: always slower; t_low .. 10 ms */
    uint64_t delta_bps;     /* additive step; 0 = 10 Mb/s per 10 Gb/s of the host's link */
    uint64_t min_rate_bps;  /* 1 Mb/s .. the link's rate */
    uint32_t variant;       /* enum weir_timely_variant */
    uint32_t a_ppm;         /* weight of the latest difference, millionths; 1 .. 1000000 */
    uint32_t b_ppm;         /* decrease factor, millionths; 1 .. 1000000 */
    uint32_t hai_count;     /* increases in a row before they grow; 1 .. 1000 */
    uint32_t hai_factor;    /* by which they grow; 1 .. 100 */
    uint32_t init_rate_ppm; /* of the link's, of a new flow; 1000 .. 1000000 */
    uint32_t form;          /* enum weir_timely_form: packets are paced at R, or a window of R RTT limits them */
    uint32_t window;        /* 1: no more in flight than a base round trip at the current rate */
    uint32_t restart;       /* 1: every message begins as a new flow */
};

#define WEIR_TIMELY_RTT_MAX_PS (UINT64_C(1) << 40) /* 1.1 s; longer samples count as this: products fit */

struct weir_timely {      /* one per flow; the first line decides */
    struct weir_cc cc;    /* form rate: rate_bps is R */
    uint64_t r_bps;       /* R: min_rate .. line */
    uint64_t prev_rtt_ps; /* 0 = no sample yet */
    int64_t diff_ps;      /* rtt_diff: smoothed difference of two samples */
    union {
        uint64_t decision_seq; /* hpcc: no decision before a byte beyond this is acked */
        uint64_t update_ps;    /* erpc: when the rate last moved */
    };
    uint32_t count; /* paper, erpc: falling gradients in a row; hpcc: increases in a row; .. hai_count */
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
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_timely_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_timely_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
