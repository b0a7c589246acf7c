/* src/algorithms/proto/rocc/rocc_core.h - the decisions of a RoCC sender. Includes core/ only. */
#ifndef WEIR_PROTO_ROCC_CORE_H
#define WEIR_PROTO_ROCC_CORE_H
#include "proto/rocc/rocc.h"

/* Sets cc.rate_bps to R_cur, at most the link's rate, and cc.timer_ps to the earlier of apply_ps and recover_ps.
 * Without a limiter the flow is paced at the link's rate, so that the first notice also delays the packet that already
 * waits. */
static inline void weir_rocc_answer(struct weir_rocc *r)
{
    r->cc.rate_bps = weir_min_u64(r->cur_bps, r->line_bps);
    r->cc.timer_ps = weir_min_u64(r->apply_ps, r->recover_ps);
}

static inline void weir_rocc_apply(struct weir_rocc *r, const struct weir_rocc_config *cfg, uint64_t now_ps)
{
    r->cur_bps = r->next_bps;
    r->cur_source = r->next_source;
    r->apply_ps = WEIR_NEVER;
    r->recover_ps = now_ps + cfg->recovery_ps;
}

/* Handles a notice; ignores kinds other than WEIR_ROCC_RATE. Limits its rate to min_rate_bps .. line_bps. The present
 * rate is that of a waiting notice, else R_cur. The new rate is accepted if it is not above the present rate, or comes
 * from the congestion point that set the present rate. So the least rate on the path is used. An accepted rate takes
 * effect reaction_ps after the arrival of the first waiting notice. */
static inline void weir_rocc_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    struct weir_rocc *r = (struct weir_rocc *)cc;
    const struct weir_rocc_config *cfg = config;
    if (notice->kind != WEIR_ROCC_RATE)
        return;
    bool waiting = r->apply_ps != WEIR_NEVER;
    uint64_t rate_bps = weir_min_u64(weir_max_u64(notice->value, cfg->min_rate_bps), r->line_bps);
    uint64_t than_bps = waiting ? r->next_bps : r->cur_bps;
    uint32_t source = waiting ? r->next_source : r->cur_source;
    if (rate_bps > than_bps && notice->source != source)
        return;
    r->next_bps = rate_bps;
    r->next_source = notice->source;
    if (!waiting)
        r->apply_ps = notice->now_ps + cfg->reaction_ps;
    if (r->apply_ps <= notice->now_ps)
        weir_rocc_apply(r, cfg, notice->now_ps);
    weir_rocc_answer(r);
}

/* Handles the expiry of the recovery timer: doubles R_cur, or removes the limiter if R_cur is above the link's rate.
 * cur_bps <= line_bps before it doubles, so 2^44 fits. */
static inline void weir_rocc_recover(struct weir_rocc *r, const struct weir_rocc_config *cfg, uint64_t now_ps)
{
    if (r->cur_bps > r->line_bps) {
        r->cur_bps = WEIR_RATE_OPEN;
        r->recover_ps = WEIR_NEVER;
        return;
    }
    r->cur_bps *= 2;
    r->recover_ps = now_ps + cfg->recovery_ps;
}

/* Handles the timer. If both apply_ps and recover_ps are due, the rate of the notice takes effect and the recovery
 * timer restarts; the rate is not doubled. */
static inline void weir_rocc_on_timer(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_rocc *r = (struct weir_rocc *)cc;
    if (r->apply_ps <= now_ps)
        weir_rocc_apply(r, config, now_ps);
    else if (r->recover_ps <= now_ps)
        weir_rocc_recover(r, config, now_ps);
    weir_rocc_answer(r);
}
#endif
