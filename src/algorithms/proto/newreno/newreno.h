/* src/algorithms/proto/newreno/newreno.h - NewReno: TCP's standard window. It doubles per round trip in slow start,
 * then grows by a packet per round trip, and is halved at most once per round trip, for losses or marks.
 * Sources: RFC 5681, RFC 6582, RFC 3168. Departs in one point: ssthresh is half the window, as in Linux, not half of
 * the bytes in flight. */
#ifndef WEIR_PROTO_NEWRENO_H
#define WEIR_PROTO_NEWRENO_H
#include "core/err.h"
#include "core/param.h"
#include "core/reno.h"

struct weir_newreno_config {    /* one per run, read-only once weir_newreno_check() has accepted it */
    struct weir_size init_cwnd; /* window of a new flow; 1 MSS .. WEIR_CWND_MAX_BYTES */
    struct weir_size ssthresh;  /* of a new flow; 64 .. WEIR_CWND_MAX_BYTES */
    uint32_t cut_ppm;           /* share of the window that a cut removes, millionths; 1 .. 999999 */
    uint32_t step_pkts;         /* packets added per round trip after slow start; 1 .. 1000 */
    uint32_t limit_pkts;        /* most packets that an ACK adds in slow start; 1 .. 64 */
    uint32_t restart;           /* 1: every message begins as a new flow */
};

struct weir_newreno {      /* one per flow */
    struct weir_reno reno; /* first: the host holds a pointer to it */
    uint32_t grown_bytes;  /* bytes acknowledged in congestion avoidance; a growth subtracts one window */
};
_Static_assert(offsetof(struct weir_newreno, reno.cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_newreno) <= 64, "one cache line");

extern const struct weir_cc_ops weir_newreno_ops;
extern const struct weir_param weir_newreno_params[];
extern const struct weir_preset weir_newreno_presets[]; /* linux (default), datacenter */
extern const char *const weir_newreno_recommends[];     /* core/recommend.h */

/**
 * Checks init_cwnd and ssthresh against 1 GiB, and init_cwnd against the path.
 * @param config  struct weir_newreno_config, with sizes resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_newreno_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
