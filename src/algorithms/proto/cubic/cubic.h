/* src/algorithms/proto/cubic/cubic.h - CUBIC: after a cut the window is a cubic function of the time since then. Its
 * flat part is at W_max, the window before the cut.
 * Sources: RFC 9438 (window, fast convergence, Reno-friendly region); Ha and Rhee, "Taming the elephants: new TCP slow
 * start", Computer Networks 2011, with Linux's constants (HyStart). All numbers are integers. Times of the cubic are in
 * units of 2^-14 s (61 us), see cubic_core.h. */
#ifndef WEIR_PROTO_CUBIC_H
#define WEIR_PROTO_CUBIC_H
#include "core/err.h"
#include "core/param.h"
#include "core/reno.h"

struct weir_cubic_config {      /* one per run, read-only once weir_cubic_check() has accepted it */
    struct weir_size init_cwnd; /* window of a new flow; 1 MSS .. WEIR_CWND_MAX_BYTES */
    struct weir_size ssthresh;  /* of a new flow; 64 .. WEIR_CWND_MAX_BYTES */
    uint32_t cut_ppm;           /* share of the window that a cut removes, 1 - beta, millionths; 1 .. 999999 */
    uint32_t c_ppm;             /* C, packets per second cubed, millionths; 1 .. 10000000 */
    uint32_t limit_pkts;        /* most packets that an ACK adds in slow start; 1 .. 64 */
    uint32_t restart;           /* 1: every message begins as a new flow */
    uint32_t fast_convergence;  /* 1: a flow that is cut below its last W_max gets a lower W_max */
    uint32_t reno_friendly;     /* 1: the window is never below Reno's, est_bytes */
    uint32_t hystart;           /* 1: slow start may end before a loss, by weir_hystart_ends() */
};

struct weir_hystart {       /* one per flow */
    uint64_t round_end_seq; /* the round ends when acked_seq is above this */
    uint64_t round_ps;      /* when the round began */
    uint64_t train_ps;      /* latest ACK of the ACK train that began with the round */
    uint64_t least_ps;      /* shortest round trip of the flow; WEIR_NEVER = none yet */
    uint64_t round_least_ps;
    uint32_t samples; /* of this round, up to WEIR_HYSTART_SAMPLES */
};

struct weir_cubic {              /* one per flow */
    struct weir_reno reno;       /* first: the host holds a pointer to it */
    uint64_t epoch_ps;           /* when this congestion avoidance began; 0 = not begun */
    uint64_t heard_ps;           /* when the latest ACK arrived */
    uint64_t est_rem;            /* rest of est_bytes below one byte: a numerator over cwnd * 10^6 */
    uint32_t grown_rem;          /* rest of the window below one byte: a numerator over the window */
    uint32_t w_max_bytes;        /* W_max: the window before the last cut, or less; 0 = none */
    uint32_t prior_bytes;        /* the window before the last cut */
    uint32_t origin_bytes;       /* the window at the flat part of the cubic */
    uint32_t k_u;                /* K: from the epoch's begin to the flat part, 2^-14 s */
    uint32_t est_bytes;          /* W_est: the window that Reno would have */
    uint64_t rtt_ps;             /* latest sample; 0 = none */
    struct weir_hystart hystart; /* state of HyStart, used in slow start */
};
_Static_assert(offsetof(struct weir_cubic, reno.cc) == 0, "host/ casts between the two");

extern const struct weir_cc_ops weir_cubic_ops;
extern const struct weir_param weir_cubic_params[];
extern const struct weir_preset weir_cubic_presets[]; /* linux (default), datacenter */
extern const char *const weir_cubic_recommends[];     /* core/recommend.h */

/**
 * Checks init_cwnd and ssthresh against 1 GiB, and init_cwnd against the path.
 * @param config  struct weir_cubic_config, with sizes resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_cubic_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
