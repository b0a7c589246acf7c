/* src/algorithms/proto/rocc/rocc.h - RoCC sender (reaction point): congested ports (congestion points) compute a fair
 * rate and send it to their flows. The port's part is core/rocc_cp_core.h.
 * Source: Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020.
 * Departs from the paper:
 * - The limiter is removed when its rate has passed the link's, whether or not packets wait behind it. (At such a rate
 *   none can wait for long.)
 * - A notice that arrives before an earlier one has taken effect takes effect together with it. Each notice is accepted
 *   or ignored in order of arrival.
 * - The length of the recovery timer is our choice: the paper gives none. */
#ifndef WEIR_PROTO_ROCC_H
#define WEIR_PROTO_ROCC_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

/* Values of weir_notice.kind. In a notice of kind WEIR_ROCC_RATE, value is the fair rate in bit/s, and source the
 * number of the congestion point. */
enum weir_rocc_notice { WEIR_ROCC_RATE = 1 };

struct weir_rocc_config {  /* one per run, read-only once weir_rocc_check() has accepted it */
    uint64_t recovery_ps;  /* time without notices after which the rate doubles; 1 us .. 1 s */
    uint64_t reaction_ps;  /* from a notice's arrival to its effect; 0 .. 1 ms */
    uint64_t min_rate_bps; /* lower rates in notices are raised to this; 1 Mb/s .. the link's rate */
    uint32_t restart;      /* 1: every message begins as a new flow, at the link's rate */
};

struct weir_rocc {       /* one per flow */
    struct weir_cc cc;   /* rate_bps: cur_bps, but at most the link's rate */
    uint64_t cur_bps;    /* R_cur, the limiter's rate: up to 2 * line_bps; WEIR_RATE_OPEN = no limiter */
    uint64_t next_bps;   /* rate of the latest notice accepted; takes effect at apply_ps */
    uint64_t recover_ps; /* when the recovery timer expires; WEIR_NEVER = not running */
    uint64_t apply_ps;   /* when next_bps takes effect; WEIR_NEVER = no notice is waiting */
    uint32_t cur_source; /* cp_cur: the congestion point that set R_cur; unused without a limiter */
    uint32_t next_source;
    uint64_t line_bps;
};
_Static_assert(offsetof(struct weir_rocc, cc) == 0, "host/ casts between the two");

extern const struct weir_cc_ops weir_rocc_ops;
extern const struct weir_param weir_rocc_params[];
extern const struct weir_preset weir_rocc_presets[]; /* conext2020 */
extern const char *const weir_rocc_recommends[];     /* core/recommend.h */

/**
 * Checks that the switches have parameters for path->rate_bps, that min_rate is at most that rate, and that recovery is
 * longer than the switches' period.
 * @param config  struct weir_rocc_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT with err->text: one sentence that begins with the key at fault
 */
int weir_rocc_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
