/* src/algorithms/proto/aimd/aimd.c - the keys, the events and the ops table of AIMD. */
#include "proto/aimd/aimd.h"
#include "core/recommend.h"

const struct weir_param weir_aimd_params[] = {
    WEIR_PARAM_NAMED("threshold", struct weir_aimd_config, threshold_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS,
                     10 * WEIR_PS_PER_MS, 20 * WEIR_PS_PER_US,
                     "queueing delay below which the window grows and above which it is cut; 20 us in OSDI 2025"),
    WEIR_PARAM_NAMED("step", struct weir_aimd_config, step_pkts, WEIR_KIND_U32, 1, 1000, 1,
                     "packets added per round trip; 1 in OSDI 2025"),
    WEIR_PARAM_NAMED("cut", struct weir_aimd_config, cut_ppm, WEIR_KIND_PPM, 1, 999999, 200000,
                     "share of the window given up per round trip; 0.2 in OSDI 2025"),
    { .key = "init_cwnd",
      .kind = WEIR_KIND_BDP,
      .offset = (uint32_t)offsetof(struct weir_aimd_config, init_cwnd),
      .min = 64,
      .max = WEIR_CWND_MAX_BYTES,
      .fallback = 64,
      .milli_default = 1000,
      .hint = "window of a new flow, payload bytes or multiples of BDP; one BDP is a start at line rate" },
    WEIR_PARAM_NAMED("restart", struct weir_aimd_config, restart, WEIR_KIND_FLAG, 0, 1, 1,
                     "every message begins as a new flow, with init_cwnd"),
    { .key = NULL },
};

/* Recommended settings: the WRR baseline of OSDI 2025, in which every port serves a queue per flow. */
const char *const weir_aimd_recommends[] = { WEIR_RECOMMEND_LOSSY, "fabric.priorities: 1", "fabric.queues: per-flow",
                                             NULL };

int weir_aimd_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_aimd_config *cfg = config;
    if (path->qdelay_most_ps != 0 && cfg->threshold_ps >= path->qdelay_most_ps)
        return weir_misfit(err, "threshold is more than the field of packets holds; set a longer fabric.maxqd.unit");
    return cfg->init_cwnd.bytes < path->mss_bytes ? weir_misfit(err, "init_cwnd is less than one packet") : 0;
}

static void set_cwnd(struct weir_aimd *a, uint64_t bytes)
{
    a->cc.cwnd_bytes = weir_clamp_u32(bytes, a->mss_bytes, WEIR_CWND_MAX_BYTES);
}

static void cut(struct weir_aimd *a, const struct weir_aimd_config *cfg)
{
    set_cwnd(a, (uint64_t)a->cc.cwnd_bytes * (1000000 - cfg->cut_ppm) / 1000000); /* 2^30 * 2^20 fits */
}

static void aimd_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_aimd_config *cfg = config;
    struct weir_aimd *a = (struct weir_aimd *)cc;
    *a = (struct weir_aimd){
        .cc = { .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER },
        .mss_bytes = path->mss_bytes,
        .init_bytes = (uint32_t)cfg->init_cwnd.bytes,
    };
    set_cwnd(a, a->init_bytes);
}

static void aimd_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_aimd_config *cfg = config;
    struct weir_aimd *a = (struct weir_aimd *)cc;
    (void)now_ps;
    if (cfg->restart)
        set_cwnd(a, a->init_bytes);
}

static void aimd_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    const struct weir_aimd_config *cfg = config;
    struct weir_aimd *a = (struct weir_aimd *)cc;
    if (ack->acked_seq <= a->round_seq)
        return;
    a->round_seq = ack->next_seq;
    if (ack->qdelay_max_ps > cfg->threshold_ps)
        cut(a, cfg);
    else if (ack->qdelay_max_ps < cfg->threshold_ps && !(ack->flags & WEIR_ACK_APP_LIMITED))
        set_cwnd(a, a->cc.cwnd_bytes + (uint64_t)cfg->step_pkts * a->mss_bytes);
}

static void aimd_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    struct weir_aimd *a = (struct weir_aimd *)cc;
    if (loss->is_timeout)
        set_cwnd(a, a->mss_bytes);
    else if (loss->lost_seq >= a->round_seq)
        cut(a, config);
    else
        return;
    a->round_seq = loss->next_seq;
}

const struct weir_cc_ops weir_aimd_ops = {
    .name = "aimd",
    .state_bytes = sizeof(struct weir_aimd),
    .needs = WEIR_NEED_QDELAY,
    .init = aimd_init,
    .on_start = aimd_on_start,
    .on_ack = aimd_on_ack,
    .on_loss = aimd_on_loss,
};
