/* src/algorithms/proto/fncc/fncc.h - FNCC: HPCC, with two changes. Switches write the telemetry of the data's path into
 * the returning ACKs. A shortcut sets the window when the last hop is congested (LHCS, last-hop congestion shortcut).
 * Source: Xu et al., "FNCC: Fast Notification Congestion Control in Data Center Networks", arXiv 2405.07608.
 * Departs from the paper: U is smoothed once per ACK, as in HPCC, not within the loop as algorithm 3 is printed. The
 * window that LHCS computes is limited to HPCC's bounds before it is stored. */
#ifndef WEIR_PROTO_FNCC_H
#define WEIR_PROTO_FNCC_H
#include "core/err.h"
#include "proto/hpcc/hpcc.h"

/* Index of the last hop's record in weir_ack.hop. Switches append records to the returning ACK, so the first record is
 * of the switch next to the receiver. */
enum { WEIR_FNCC_LAST_HOP = 0 };

enum weir_fncc_counts { WEIR_FNCC_ACTIVE, WEIR_FNCC_ESTABLISHED };

struct weir_fncc_config {
    struct weir_hpcc_config hpcc; /* first: HPCC's functions read it */
    uint32_t alpha_ppm;           /* alpha: LHCS acts while the last hop's U is above; 1000000 .. 10000000 */
    uint32_t beta_ppm;            /* beta: part of the fair window that LHCS sets; below 1 queues drain; 1 .. 1000000 */
    uint32_t lhcs;                /* 1: on */
    uint32_t lhcs_direct;         /* 1: the window is what LHCS computes; 0: HPCC's step follows, as in algorithm 3 */
    uint32_t lhcs_once;           /* 1: LHCS does not act again before all bytes sent until then are acknowledged */
    uint32_t lhcs_lower_only;     /* 1: LHCS never raises W^c, the reference window */
    uint32_t lhcs_needs_queue;    /* 1: LHCS acts only while the last hop's queue alone is above alpha - 1 BDPs */
    uint32_t lhcs_recent;         /* 1: the receiver counts only connections that sent data within the last base RTT */
    uint32_t n_counts;            /* enum weir_fncc_counts: connections that the receiver counts */
};
_Static_assert(offsetof(struct weir_fncc_config, hpcc) == 0, "read as HPCC's config");

struct weir_fncc { /* one per flow */
    struct weir_hpcc hpcc;
    uint64_t lhcs_seq; /* with lhcs_once: LHCS waits until a byte beyond this is acked; 0 = LHCS may act */
};
_Static_assert(offsetof(struct weir_fncc, hpcc) == 0, "HPCC's functions are handed this state");

extern const struct weir_cc_ops weir_fncc_ops;
extern const struct weir_param weir_fncc_params[];
extern const struct weir_preset weir_fncc_presets[]; /* fncc (default), no-lhcs */
extern const char *const weir_fncc_recommends[];     /* core/recommend.h */

/* Checks that lhcs_recent and n_counts fit each other, then all that weir_hpcc_check() checks. config: a struct
 * weir_fncc_config. @return as weir_hpcc_check() */
int weir_fncc_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
