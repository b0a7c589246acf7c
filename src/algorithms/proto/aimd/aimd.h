/* src/algorithms/proto/aimd/aimd.h - AIMD: a window that follows the longest queueing delay of the path. While that
 * delay is below a threshold, the window grows by a packet per round trip; above it, a fifth of the window is removed.
 * It is the sender for networks whose ports share a link by weighted round robin.
 * Source: the WRR baseline of Wang and Ng, "Soze", OSDI 2025. The paper does not state how often the sender decides:
 * here once per round trip. Nor does it state the reaction to losses: here a loss removes a fifth, too, and a timeout
 * leaves one packet. */
#ifndef WEIR_PROTO_AIMD_H
#define WEIR_PROTO_AIMD_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

struct weir_aimd_config {       /* one per run, read-only once weir_aimd_check() has accepted it */
    struct weir_size init_cwnd; /* window of a new flow; 1 MSS .. WEIR_CWND_MAX_BYTES */
    uint64_t threshold_ps;      /* queueing delay: below, the window grows; above, it is cut; 1 ns .. 10 ms */
    uint32_t step_pkts;         /* packets added per round trip; 1 .. 1000 */
    uint32_t cut_ppm;           /* share of the window that a cut removes, millionths; 1 .. 999999 */
    uint32_t restart;           /* 1: every message begins with init_cwnd */
};

struct weir_aimd {      /* one per flow */
    struct weir_cc cc;  /* first: the host holds a pointer to it */
    uint64_t round_seq; /* the next decision is at the first ACK with acked_seq above this */
    uint32_t mss_bytes, init_bytes;
};
_Static_assert(offsetof(struct weir_aimd, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_aimd) <= 64, "one cache line");

extern const struct weir_cc_ops weir_aimd_ops;
extern const struct weir_param weir_aimd_params[];
extern const char *const weir_aimd_recommends[]; /* core/recommend.h */

/**
 * Checks init_cwnd and threshold against the path.
 * @param config  struct weir_aimd_config, with init_cwnd resolved to bytes
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_aimd_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
