/* src/algorithms/proto/cubic/cubic.c - the keys, the presets, set-up, cuts and the ops table of CUBIC. */
#include "proto/cubic/cubic_core.h"
#include "core/recommend.h"

static const struct weir_keyword unlimited = { "unlimited", WEIR_CWND_MAX_BYTES };

const struct weir_param weir_cubic_params[] = {
    WEIR_PARAM_NAMED("init_cwnd", struct weir_cubic_config, init_cwnd, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES, 14600,
                     "window of a new flow, payload bytes or multiples of BDP; ten packets of 1460 B as in RFC 6928"),
    WEIR_PARAM_KEYWORD("ssthresh", struct weir_cubic_config, ssthresh, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES,
                       WEIR_CWND_MAX_BYTES, &unlimited, "end of a new flow's slow start; unlimited as in RFC 5681"),
    WEIR_PARAM_NAMED("cut", struct weir_cubic_config, cut_ppm, WEIR_KIND_PPM, 1, 999999, 300000,
                     "share of the window given up for a loss or a mark, 1 - beta; 0.3 in RFC 9438"),
    WEIR_PARAM_NAMED("c", struct weir_cubic_config, c_ppm, WEIR_KIND_PPM, 1, 10000000, 400000,
                     "C, packets per second cubed; 0.4 in RFC 9438"),
    WEIR_PARAM_NAMED("slow_start_limit", struct weir_cubic_config, limit_pkts, WEIR_KIND_U32, 1, 64, 64,
                     "most packets that one ACK adds in slow start: all it acknowledges in Linux, 1 in RFC 5681"),
    WEIR_PARAM_NAMED(
        "fast_convergence", struct weir_cubic_config, fast_convergence, WEIR_KIND_FLAG, 0, 1, 1,
        "a flow cut before it was back at its last maximum aims lower, which leaves room to new flows; on in "
        "RFC 9438"),
    WEIR_PARAM_NAMED("reno_friendly", struct weir_cubic_config, reno_friendly, WEIR_KIND_FLAG, 0, 1, 1,
                     "the window is never below what Reno would have; on in RFC 9438"),
    WEIR_PARAM_NAMED("hystart", struct weir_cubic_config, hystart, WEIR_KIND_FLAG, 0, 1, 1,
                     "slow start ends when ACKs come for half a round trip without a gap, or round trips grow by an "
                     "eighth; on in Linux"),
    WEIR_PARAM_NAMED("restart", struct weir_cubic_config, restart, WEIR_KIND_FLAG, 0, 1, 0,
                     "every message begins as a new flow; else a connection keeps its window"),
    { .key = NULL },
};

static const char *const linux_tcp[] = {
    "host.ecn: rfc3168",
    "host.ack_every: 2",
    "host.ack_delay: 40 ms",
    "host.rto_min: 200 ms",
    "host.rto_init: 1 s",
    "host.rto_max: 60 s",
    NULL,
};
static const char *const datacenter[] = { "host.ecn: rfc3168", NULL };

const struct weir_preset weir_cubic_presets[] = {
    { "linux", "an ACK for two packets or after 40 ms, timeouts of 200 ms or more, ECN where switches mark",
      linux_tcp },
    { "datacenter", "an ACK per packet, timeouts of 1 ms or more, ECN where switches mark", datacenter },
    { NULL, NULL, NULL },
};

/* Recommended settings: switches mark from 1 BDP on, so that a cut window still fills the link. The preset has the
 * timers of a data centre. */
const char *const weir_cubic_recommends[] = { WEIR_RECOMMEND_LOSSY,          "fabric.priorities: 1",
                                              WEIR_RECOMMEND_ONE_STEP,       "fabric.ecn.threshold: 1 BDP",
                                              "fabric.ecn.at: all",          "fabric.routing: ecmp",
                                              "protocol.preset: datacenter", NULL };

int weir_cubic_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_cubic_config *cfg = config;
    if (cfg->init_cwnd.bytes > WEIR_CWND_MAX_BYTES || cfg->ssthresh.bytes > WEIR_CWND_MAX_BYTES)
        return weir_misfit(err, "init_cwnd and ssthresh may not exceed 1 GiB");
    return cfg->init_cwnd.bytes < path->mss_bytes ? weir_misfit(err, "init_cwnd is less than one packet") : 0;
}

static void begin(struct weir_cubic *c, const struct weir_cubic_config *cfg, uint32_t mss_bytes)
{
    *c = (struct weir_cubic){ .hystart = { .least_ps = WEIR_NEVER } };
    weir_reno_init(&c->reno, mss_bytes, cfg->init_cwnd.bytes, cfg->ssthresh.bytes);
}

static void cubic_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    begin((struct weir_cubic *)cc, config, path->mss_bytes);
}

/* Begins a message after idle time. With restart the flow begins anew. Otherwise the begin of the epoch moves by the
 * time since the last ACK. Without that the window would jump (section 4.2). */
static void cubic_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_cubic_config *cfg = config;
    struct weir_cubic *c = (struct weir_cubic *)cc;
    if (cfg->restart)
        begin(c, cfg, c->reno.mss_bytes);
    else if (c->epoch_ps != 0)
        c->epoch_ps += now_ps - c->heard_ps;
}

/* Prepares a cut: sets W_max from the present window, and ends the epoch (section 4.6). With fast convergence W_max is
 * lower if the window has not reached the last W_max (section 4.7). */
static void note_maximum(struct weir_cubic *c, const struct weir_cubic_config *cfg)
{
    uint32_t cwnd_bytes = c->reno.cc.cwnd_bytes;
    bool lower = cfg->fast_convergence && cwnd_bytes < c->w_max_bytes;
    c->prior_bytes = cwnd_bytes;
    c->w_max_bytes = cwnd_bytes;
    if (lower) /* W_max = cwnd (1 + beta) / 2 */
        c->w_max_bytes = (uint32_t)((uint64_t)cwnd_bytes * (2000000 - cfg->cut_ppm) / 2000000); /* 2^30 * 2^21 fits */
    c->epoch_ps = 0;
}

static void slow_start(struct weir_cubic *c, const struct weir_cubic_config *cfg, const struct weir_ack *ack)
{
    bool watched = cfg->hystart && c->reno.cc.cwnd_bytes >= WEIR_HYSTART_LEAST_PKTS * c->reno.mss_bytes;
    bool ends = cfg->hystart && weir_hystart_ends(&c->hystart, ack) && watched;
    if (ends)
        c->reno.ssthresh_bytes = c->reno.cc.cwnd_bytes;
    else
        weir_reno_slow_start(&c->reno, ack->acked_bytes, cfg->limit_pkts);
}

static void cubic_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    const struct weir_cubic_config *cfg = config;
    struct weir_cubic *c = (struct weir_cubic *)cc;
    c->heard_ps = ack->now_ps;
    if (ack->rtt_ps != 0)
        c->rtt_ps = ack->rtt_ps;
    if (weir_reno_is_marked(&c->reno, ack)) {
        note_maximum(c, cfg);
        weir_reno_cut(&c->reno, cfg->cut_ppm, ack->next_seq);
    } else if (ack->flags & WEIR_ACK_RECOVERED) {
        weir_reno_recovered(&c->reno, ack);
    } else {
        enum weir_reno_phase phase = weir_reno_phase(&c->reno, ack);
        if (phase == WEIR_RENO_SLOW_START)
            slow_start(c, cfg, ack);
        else if (phase == WEIR_RENO_AVOIDANCE)
            weir_cubic_grow(c, cfg, ack);
    }
}

/* Cuts the window for a loss, once per window. A timeout also sets the window to one packet, and W_max to 0: so the
 * next congestion avoidance begins at the flat part of the cubic (section 4.8). */
static void cubic_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    const struct weir_cubic_config *cfg = config;
    struct weir_cubic *c = (struct weir_cubic *)cc;
    if (loss->lost_seq >= c->reno.cut_end_seq)
        note_maximum(c, cfg);
    (void)weir_reno_on_loss(&c->reno, cfg->cut_ppm, loss);
    if (loss->is_timeout) {
        c->w_max_bytes = 0;
        c->epoch_ps = 0;
    }
}

const struct weir_cc_ops weir_cubic_ops = {
    .name = "cubic",
    .state_bytes = sizeof(struct weir_cubic),
    .needs = WEIR_MAY_ECN,
    .init = cubic_init,
    .on_start = cubic_on_start,
    .on_ack = cubic_on_ack,
    .on_loss = cubic_on_loss,
};
