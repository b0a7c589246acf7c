/* src/algorithms/proto/fncc/fncc.h - FNCC: HPCC with the request path's telemetry taken from returning ACKs, and a
 * shortcut for congestion at the last hop (LHCS).
 * Source: Xu et al., "FNCC: Fast Notification Congestion Control in Data Center Networks", arXiv 2405.07608.
 * Departs from it: U is smoothed once per ACK, as in HPCC, not inside the loop as algorithm 3 is printed. The
 * window that LHCS sets is held to HPCC's bounds before it is stored. */
#ifndef WEIR_PROTO_FNCC_H
#define WEIR_PROTO_FNCC_H
#include "core/err.h"
#include "proto/hpcc/hpcc.h"

/* Switches append to the returning ACK: the first record is of the switch next to the receiver. */
enum { WEIR_FNCC_LAST_HOP = 0 };

enum weir_fncc_counts { WEIR_FNCC_ACTIVE, WEIR_FNCC_ESTABLISHED };

struct weir_fncc_config {
    struct weir_hpcc_config hpcc; /* first: HPCC's functions are handed this config */
    uint32_t alpha_ppm;           /* LHCS acts while the last hop's U is above; 1000000 .. 10000000 */
    uint32_t beta_ppm;            /* share of the fair window it sets, so that the queue drains; 1 .. 1000000 */
    uint32_t lhcs;                /* 1: on */
    uint32_t lhcs_direct;     /* 1: the window is the one LHCS computes; 0: HPCC's step follows, as in algorithm 3 */
    uint32_t lhcs_once;       /* 1: after it acted, LHCS waits until what was sent by then is acknowledged */
    uint32_t lhcs_lower_only; /* 1: LHCS never raises W^c */
    uint32_t lhcs_recent;     /* 1: the receiver counts only connections that sent data within the last T */
    uint32_t n_counts;        /* enum weir_fncc_counts: what the receiver counts */
};
_Static_assert(offsetof(struct weir_fncc_config, hpcc) == 0, "read as HPCC's config");

struct weir_fncc { /* one per flow */
    struct weir_hpcc hpcc;
    uint64_t lhcs_seq; /* with lhcs_once: LHCS waits until a byte beyond this is acked; 0 = it does not wait */
};
_Static_assert(offsetof(struct weir_fncc, hpcc) == 0, "HPCC's functions are handed this state");

extern const struct weir_cc_ops weir_fncc_ops;
extern const struct weir_param weir_fncc_params[];
extern const struct weir_preset weir_fncc_presets[]; /* fncc (default), no-lhcs */
extern const char *const weir_fncc_recommends[];     /* core/recommend.h */

/* Checks as weir_hpcc_check() does; config is a struct weir_fncc_config. */
int weir_fncc_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
