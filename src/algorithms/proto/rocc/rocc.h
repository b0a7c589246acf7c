/* src/algorithms/proto/rocc/rocc.h - RoCC: congested ports compute a fair rate and send it to their flows; this is the
 * flow's side, the reaction point. The port's side is core/rocc_cp_core.h.
 * Source: Taheri et al., "RoCC: Robust Congestion Control for RDMA", CoNEXT 2020.
 * Departs from it: the limiter is removed when its rate has passed the link's, whether or not packets wait behind
 * it (none can for long at such a rate). Notices that come while an earlier one has not taken effect take effect
 * with it, the rule being applied to each in order. The recovery timer's length is ours: the text has none. */
#ifndef WEIR_PROTO_ROCC_H
#define WEIR_PROTO_ROCC_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

/* weir_notice.kind. value: the fair rate, bit/s; source: the congestion point. */
enum weir_rocc_notice { WEIR_ROCC_RATE = 1 };

struct weir_rocc_config {  /* one per run, read-only once weir_rocc_check() has accepted it */
    uint64_t recovery_ps;  /* silence after which the rate doubles; 1 us .. 1 s */
    uint64_t reaction_ps;  /* from a notice's arrival to its effect; 0 .. 1 ms */
    uint64_t min_rate_bps; /* lower notices count as this; 1 Mb/s .. the link's rate */
    uint32_t restart;      /* 1: every message begins as a new flow, without limiter */
};

struct weir_rocc {       /* one per flow */
    struct weir_cc cc;   /* rate_bps: the link's while there is no limiter, or one above it */
    uint64_t cur_bps;    /* R_cur; WEIR_RATE_OPEN = no limiter; else .. 2 lines */
    uint64_t next_bps;   /* of the latest notice accepted; takes effect at apply_ps */
    uint64_t recover_ps; /* recovery timer; WEIR_NEVER = at rest */
    uint64_t apply_ps;   /* WEIR_NEVER = no notice is waiting */
    uint32_t cur_source; /* cp_cur, the congestion point that set R_cur; meaningless without limiter */
    uint32_t next_source;
    uint64_t line_bps;
};
_Static_assert(offsetof(struct weir_rocc, cc) == 0, "host/ casts between the two");

extern const struct weir_cc_ops weir_rocc_ops;
extern const struct weir_param weir_rocc_params[];
extern const struct weir_preset weir_rocc_presets[]; /* conext2020 */
extern const char *const weir_rocc_recommends[];     /* core/recommend.h */

/**
 * Checks what no single key can: that the fields fit each other and the path.
 * @param config  struct weir_rocc_config
 * @return 0 if the run may start, else WEIR_E_CONFLICT: err->text is one sentence that begins with the key at fault
 */
int weir_rocc_check(const void *config, const struct weir_path *path, struct weir_err *err);
#endif
