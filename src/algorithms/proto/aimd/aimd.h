/* src/algorithms/proto/aimd/aimd.h - a window that grows by a packet per round trip while the longest queueing delay of
 * the path is below a threshold, and loses a fifth above it. It is the sender for weighted round robin, which does the
 * sharing.
 * Source: the WRR baseline of Wang and Ng, "Soze", OSDI 2025. It does not state how often it decides: once per
 * round trip here. Nor does it treat losses: here a loss cuts likewise, and a timeout leaves one packet. */
#ifndef WEIR_PROTO_AIMD_H
#define WEIR_PROTO_AIMD_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

struct weir_aimd_config {       /* one per run, read-only once weir_aimd_check() has accepted it */
    struct weir_size init_cwnd; /* 1 MSS .. WEIR_CWND_MAX_BYTES */
    uint64_t threshold_ps;      /* 1 ns .. 10 ms */
    uint32_t step_pkts;         /* added per round trip; 1 .. 1000 */
    uint32_t cut_ppm;           /* share of the window that a cut removes, millionths; 1 .. 999999 */
    uint32_t restart;           /* 1: every message begins with init_cwnd */
};

struct weir_aimd {      /* one per flow */
    struct weir_cc cc;  /* first: the host holds a pointer to it */
    uint64_t round_seq; /* decides again when a byte from here on is acked */
    uint32_t mss_bytes, init_bytes;
};
_Static_assert(offsetof(struct weir_aimd, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_aimd) <= 64, "one cache line");

extern const struct weir_cc_ops weir_aimd_ops;
extern const struct weir_param weir_aimd_params[];
extern const char *const weir_aimd_recommends[]; /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_aimd_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_aimd_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
