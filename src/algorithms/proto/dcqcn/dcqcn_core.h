/* src/algorithms/proto/dcqcn/dcqcn_core.h - the decisions of a DCQCN sender (reaction point) and receiver (notification
 * point). Apart from dcqcn.h, includes core/ only. */
#ifndef WEIR_PROTO_DCQCN_CORE_H
#define WEIR_PROTO_DCQCN_CORE_H
#include "core/data.h"
#include "proto/dcqcn/dcqcn.h"

static inline bool weir_dcqcn_limited(const struct weir_dcqcn *d)
{
    return d->rc_bps < d->line_bps;
}

static inline void weir_dcqcn_set_rate(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t rate_bps)
{
    d->rc_bps = weir_min_u64(weir_max_u64(rate_bps, cfg->min_rate_bps), d->line_bps);
    d->cc.rate_bps = d->rc_bps;
    if (cfg->window)
        d->cc.cwnd_bytes = weir_clamp_u32(weir_mul_div_u64(d->rc_bps, d->base_rtt_ps, 8 * WEIR_PS_PER_S), d->mss_bytes,
                                          WEIR_CWND_MAX_BYTES);
}

/* Sets the law's timer to the next increase or the next cut, whichever is earlier. A cut is due only after a mark. */
static inline void weir_dcqcn_arm(struct weir_dcqcn *d)
{
    d->cc.timer_ps = weir_min_u64(d->inc_ps, d->marked_rate ? d->dec_ps : WEIR_NEVER);
}

/* Returns (1 - g) alpha + g, or (1 - g) alpha if not marked. Each summand is below 10^9 * 2^30, so the sum fits. */
static inline uint32_t weir_dcqcn_weigh(uint32_t alpha_q30, uint32_t g_ppb, bool marked)
{
    uint64_t sum = (1000000000 - (uint64_t)g_ppb) * alpha_q30 + (marked ? (uint64_t)g_ppb << 30 : 0);
    return (uint32_t)(sum / 1000000000);
}

struct weir_dcqcn_aging { /* the context of weir_dcqcn_age_once() */
    struct weir_dcqcn *d;
    uint64_t before_ps, timer_ps;
    uint32_t g_ppb;
};

/* Executes one expiry of alpha's timer; once alpha is 0, all that are left. Returns 1 if none is left. */
static inline long weir_dcqcn_age_once(uint32_t i, void *context)
{
    struct weir_dcqcn_aging *a = context;
    struct weir_dcqcn *d = a->d;
    (void)i;
    if (d->alpha_ps >= a->before_ps)
        return 1;
    if (d->alpha_q30 == 0 && !d->marked_alpha) {
        uint64_t instants = (a->before_ps - 1 - d->alpha_ps) / a->timer_ps + 1;
        d->alpha_ps += instants * a->timer_ps; /* alpha_ps is before_ps or up to one interval later */
        return 1;
    }
    d->alpha_q30 = weir_dcqcn_weigh(d->alpha_q30, a->g_ppb, d->marked_alpha);
    d->marked_alpha = false;
    d->alpha_ps += a->timer_ps;
    return 0;
}

/* Executes the expiries of alpha's timer that are before before_ps. Without marks alpha falls by at least 1 each time,
 * so there are 4200 rounds at most with g = 1/256, and WEIR_DCQCN_AGES_MAX are enough for any g. */
static inline void weir_dcqcn_age(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t before_ps)
{
    struct weir_dcqcn_aging a = { d, before_ps, cfg->alpha_timer_ps, cfg->g_ppb };
    weir_loop(WEIR_DCQCN_AGES_MAX, weir_dcqcn_age_once, &a);
}

/* Cuts the rate: R_C <- R_C (1 - alpha / 2), and sets the timer's stage to 0. Restarts the increase timer, or stops it
 * if R_C is still the line rate. */
static inline void weir_dcqcn_cut(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t now_ps)
{
    weir_dcqcn_set_rate(d, cfg, d->rc_bps - weir_mul_div_u64(d->rc_bps, d->alpha_q30, UINT64_C(1) << 31));
    d->t_stage = 0;
    d->inc_ps = weir_dcqcn_limited(d) ? now_ps + cfg->increase_timer_ps : WEIR_NEVER;
}

/* Raises the rate: adds step_bps to the target R_T, up to the line rate, then sets R_C <- (R_C + R_T) / 2. The mean is
 * rounded up, so that R_C reaches R_T. Stops the increase timer if R_C reaches the line rate. 2^43 + 2^63 fits. */
static inline void weir_dcqcn_raise(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t step_bps)
{
    d->rt_bps = weir_min_u64(d->rt_bps + step_bps, d->line_bps);
    weir_dcqcn_set_rate(d, cfg, (d->rc_bps + d->rt_bps + 1) / 2);
    if (!weir_dcqcn_limited(d))
        d->inc_ps = WEIR_NEVER;
}

static inline uint32_t weir_dcqcn_next_stage(uint32_t stage)
{
    return stage < WEIR_DCQCN_STAGE_MAX ? stage + 1 : stage;
}

/* --- variant paper --- */

/* Handles a CNP: the present rate becomes the target, and the rate is cut with the present alpha. Then alpha rises, and
 * both timers and the byte counter begin anew. */
static inline void weir_dcqcn_paper_cnp(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t now_ps)
{
    weir_dcqcn_age(d, cfg, now_ps);
    d->rt_bps = d->rc_bps;
    weir_dcqcn_cut(d, cfg, now_ps);
    d->alpha_q30 = weir_dcqcn_weigh(d->alpha_q30, cfg->g_ppb, true);
    d->alpha_ps = now_ps + cfg->alpha_timer_ps;
    d->b_stage = 0;
    d->sent_bytes = 0;
}

/* Raises the rate by the paper's three phases. Fast recovery, while both stages are below F: no step. Hyper increase,
 * when both are above F: r_hai * (lesser stage - F). Additive increase in all other cases: r_ai. */
static inline void weir_dcqcn_paper_increase(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg)
{
    uint64_t lesser = weir_min_u64(d->t_stage, d->b_stage), greater = weir_max_u64(d->t_stage, d->b_stage);
    uint64_t step_bps = 0;
    if (lesser > cfg->fast_stages)
        step_bps = d->r_hai_bps * (lesser - cfg->fast_stages); /* 2^43 * 2^20 fits */
    else if (greater >= cfg->fast_stages)
        step_bps = d->r_ai_bps;
    weir_dcqcn_raise(d, cfg, step_bps);
}

static inline void weir_dcqcn_paper_timer(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t now_ps)
{
    d->inc_ps = now_ps + cfg->increase_timer_ps;
    d->t_stage = weir_dcqcn_next_stage(d->t_stage);
    weir_dcqcn_paper_increase(d, cfg);
}

static inline void weir_dcqcn_on_sent(struct weir_cc *cc, const void *config, const struct weir_sent *sent)
{
    struct weir_dcqcn *d = (struct weir_dcqcn *)cc;
    const struct weir_dcqcn_config *cfg = config;
    if (cfg->variant != WEIR_DCQCN_PAPER || !weir_dcqcn_limited(d))
        return;
    d->sent_bytes += sent->bytes;
    if (d->sent_bytes < cfg->byte_counter_bytes)
        return;
    d->sent_bytes -= cfg->byte_counter_bytes;
    d->b_stage = weir_dcqcn_next_stage(d->b_stage);
    weir_dcqcn_paper_increase(d, cfg);
    weir_dcqcn_arm(d);
}

/* --- variant vendor --- */

/* Handles an ACK with a mark: records the mark for alpha and for the next cut. The flow's first mark sets alpha to 1,
 * and starts alpha's timer and the intervals of cuts. */
static inline void weir_dcqcn_vendor_mark(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t now_ps)
{
    if (d->alpha_ps == WEIR_NEVER) { /* the flow's first mark: both timers begin, alpha is 1 */
        d->alpha_q30 = WEIR_DCQCN_ONE_Q30;
        d->alpha_ps = now_ps + cfg->alpha_timer_ps;
        d->dec_ps = now_ps + cfg->cnp_interval_ps + WEIR_DCQCN_LAG_PS;
    } else {
        weir_dcqcn_age(d, cfg, now_ps);
        d->marked_alpha = true;
    }
    d->marked_rate = true;
    if (d->dec_ps < now_ps) /* intervals without a mark did nothing, and no timer was set for them */
        d->dec_ps += (now_ps - d->dec_ps + cfg->cnp_interval_ps - 1) / cfg->cnp_interval_ps * cfg->cnp_interval_ps;
    weir_dcqcn_arm(d);
}

/* Cuts the rate for the marks of an interval. First makes the present rate the target, if an increase came since the
 * last cut. With clamp_target it does so at every cut. */
static inline void weir_dcqcn_vendor_decrease(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg,
                                              uint64_t now_ps)
{
    weir_dcqcn_age(d, cfg, now_ps + 1);
    if (d->t_stage > 0 || cfg->clamp_target)
        d->rt_bps = d->rc_bps;
    weir_dcqcn_cut(d, cfg, now_ps);
    d->marked_rate = false;
    d->dec_ps += cfg->cnp_interval_ps;
}

/* Handles the increase timer: no step while the stage is below F, an additive one at stage F, hyper steps after
 * that. */
static inline void weir_dcqcn_vendor_timer(struct weir_dcqcn *d, const struct weir_dcqcn_config *cfg, uint64_t now_ps)
{
    uint64_t step_bps = d->t_stage < cfg->fast_stages ? 0 : d->t_stage == cfg->fast_stages ? d->r_ai_bps : d->r_hai_bps;
    d->inc_ps = now_ps + cfg->increase_timer_ps;
    weir_dcqcn_raise(d, cfg, step_bps);
    d->t_stage = weir_dcqcn_next_stage(d->t_stage);
}

/* --- events --- */

static inline void weir_dcqcn_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    struct weir_dcqcn *d = (struct weir_dcqcn *)cc;
    const struct weir_dcqcn_config *cfg = config;
    if (notice->kind != WEIR_DCQCN_CNP || cfg->variant != WEIR_DCQCN_PAPER)
        return;
    weir_dcqcn_paper_cnp(d, cfg, notice->now_ps);
    weir_dcqcn_arm(d);
}

static inline void weir_dcqcn_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    const struct weir_dcqcn_config *cfg = config;
    if (ack->marked_bytes > 0 && cfg->variant == WEIR_DCQCN_VENDOR)
        weir_dcqcn_vendor_mark((struct weir_dcqcn *)cc, cfg, ack->now_ps);
}

/* Handles the timer: executes a cut and an increase, if they are due. The cut comes first, because it restarts the
 * increase timer. */
static inline void weir_dcqcn_on_timer(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_dcqcn *d = (struct weir_dcqcn *)cc;
    const struct weir_dcqcn_config *cfg = config;
    if (d->marked_rate && d->dec_ps <= now_ps)
        weir_dcqcn_vendor_decrease(d, cfg, now_ps);
    if (d->inc_ps <= now_ps && cfg->variant == WEIR_DCQCN_PAPER)
        weir_dcqcn_paper_timer(d, cfg, now_ps);
    else if (d->inc_ps <= now_ps)
        weir_dcqcn_vendor_timer(d, cfg, now_ps);
    weir_dcqcn_arm(d);
}

/* --- receiver, variant paper: at most one CNP per interval --- */

static inline void weir_dcqcn_rx_data(void *rx, const void *config, const struct weir_data *data,
                                      struct weir_echo *echo)
{
    const struct weir_dcqcn_config *cfg = config;
    (void)echo;
    if (cfg->variant == WEIR_DCQCN_PAPER && data->flags & WEIR_DATA_CE)
        ((struct weir_dcqcn_rx *)rx)->marked = true;
}

/* Writes a CNP to *out if one is due. A CNP is due after a mark, but not within cnp_interval after the previous CNP.
 * All marks within that interval cause one CNP at its end. @return false = none is due */
static inline bool weir_dcqcn_rx_notice(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    struct weir_dcqcn_rx *r = rx;
    if (!r->marked || now_ps < r->interval_end_ps)
        return false;
    r->marked = false;
    r->interval_end_ps = now_ps + ((const struct weir_dcqcn_config *)config)->cnp_interval_ps;
    *out = (struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DCQCN_CNP };
    return true;
}

static inline uint64_t weir_dcqcn_rx_next_ps(const void *rx, const void *config)
{
    const struct weir_dcqcn_rx *r = rx;
    (void)config;
    return r->marked ? r->interval_end_ps : WEIR_NEVER;
}
#endif
