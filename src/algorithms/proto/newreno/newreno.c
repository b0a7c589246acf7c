/* src/algorithms/proto/newreno/newreno.c - the keys, the presets, the events and the ops table of NewReno. */
#include "proto/newreno/newreno.h"
#include "core/recommend.h"

static const struct weir_keyword unlimited = { "unlimited", WEIR_CWND_MAX_BYTES };

const struct weir_param weir_newreno_params[] = {
    WEIR_PARAM_NAMED("init_cwnd", struct weir_newreno_config, init_cwnd, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES, 14600,
                     "window of a new flow, payload bytes or multiples of BDP; ten packets of 1460 B as in RFC 6928"),
    WEIR_PARAM_KEYWORD("ssthresh", struct weir_newreno_config, ssthresh, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES,
                       WEIR_CWND_MAX_BYTES, &unlimited, "end of a new flow's slow start; unlimited as in RFC 5681"),
    WEIR_PARAM_NAMED("cut", struct weir_newreno_config, cut_ppm, WEIR_KIND_PPM, 1, 999999, 500000,
                     "share of the window given up for a loss or a mark; 0.5 in RFC 5681"),
    WEIR_PARAM_NAMED("step", struct weir_newreno_config, step_pkts, WEIR_KIND_U32, 1, 1000, 1,
                     "packets added per round trip after slow start; 1 in RFC 5681"),
    WEIR_PARAM_NAMED("slow_start_limit", struct weir_newreno_config, limit_pkts, WEIR_KIND_U32, 1, 64, 1,
                     "most packets that one ACK adds in slow start: 1 in RFC 5681, 2 in RFC 3465"),
    WEIR_PARAM_NAMED("restart", struct weir_newreno_config, restart, WEIR_KIND_FLAG, 0, 1, 0,
                     "every message begins as a new flow; else a connection keeps its window"),
    { .key = NULL },
};

static const char *const linux_tcp[] = {
    "host.reliability: newreno", "host.ecn: rfc3168",  "host.ack_every: 2",  "host.ack_delay: 40 ms",
    "host.rto_min: 200 ms",      "host.rto_init: 1 s", "host.rto_max: 60 s", NULL,
};
static const char *const datacenter[] = { "host.reliability: newreno", "host.ecn: rfc3168", NULL };

const struct weir_preset weir_newreno_presets[] = {
    { "linux", "an ACK for two packets or after 40 ms, timeouts of 200 ms or more, ECN where switches mark",
      linux_tcp },
    { "datacenter", "an ACK per packet, timeouts of 1 ms or more, ECN where switches mark", datacenter },
    { NULL, NULL, NULL },
};

/* Recommended settings: switches mark from 1 BDP on, so that a halved window still fills the link. The preset has the
 * timers of a data centre. */
const char *const weir_newreno_recommends[] = { WEIR_RECOMMEND_LOSSY,          "fabric.priorities: 1",
                                                WEIR_RECOMMEND_ONE_STEP,       "fabric.ecn.threshold: 1 BDP",
                                                "fabric.ecn.at: all",          "fabric.routing: ecmp",
                                                "protocol.preset: datacenter", NULL };

int weir_newreno_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_newreno_config *cfg = config;
    if (cfg->init_cwnd.bytes > WEIR_CWND_MAX_BYTES || cfg->ssthresh.bytes > WEIR_CWND_MAX_BYTES)
        return weir_misfit(err, "init_cwnd and ssthresh may not exceed 1 GiB");
    return cfg->init_cwnd.bytes < path->mss_bytes ? weir_misfit(err, "init_cwnd is less than one packet") : 0;
}

static void begin(struct weir_newreno *n, const struct weir_newreno_config *cfg, uint32_t mss_bytes)
{
    weir_reno_init(&n->reno, mss_bytes, cfg->init_cwnd.bytes, cfg->ssthresh.bytes);
    n->grown_bytes = 0;
}

static void newreno_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    begin((struct weir_newreno *)cc, config, path->mss_bytes);
}

static void newreno_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    const struct weir_newreno_config *cfg = config;
    struct weir_newreno *n = (struct weir_newreno *)cc;
    (void)now_ps;
    if (cfg->restart)
        begin(n, cfg, n->reno.mss_bytes);
}

/* Grows the window in congestion avoidance: adds step_pkts packets once a whole window was acknowledged. */
static void grow(struct weir_newreno *n, const struct weir_newreno_config *cfg, uint32_t acked_bytes)
{
    uint32_t cwnd_bytes = n->reno.cc.cwnd_bytes;
    n->grown_bytes = weir_add_sat_u32(n->grown_bytes, acked_bytes);
    if (n->grown_bytes < cwnd_bytes)
        return;
    n->grown_bytes -= cwnd_bytes;
    weir_reno_set_cwnd(&n->reno, cwnd_bytes + (uint64_t)cfg->step_pkts * n->reno.mss_bytes);
}

static void newreno_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    const struct weir_newreno_config *cfg = config;
    struct weir_newreno *n = (struct weir_newreno *)cc;
    if (weir_reno_is_marked(&n->reno, ack)) {
        weir_reno_cut(&n->reno, cfg->cut_ppm, ack->next_seq);
        n->grown_bytes = 0;
    } else if (ack->flags & WEIR_ACK_RECOVERED) {
        weir_reno_recovered(&n->reno, ack);
    } else {
        enum weir_reno_phase phase = weir_reno_phase(&n->reno, ack);
        if (phase == WEIR_RENO_SLOW_START)
            weir_reno_slow_start(&n->reno, ack->acked_bytes, cfg->limit_pkts);
        else if (phase == WEIR_RENO_AVOIDANCE)
            grow(n, cfg, ack->acked_bytes);
    }
}

static void newreno_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    const struct weir_newreno_config *cfg = config;
    struct weir_newreno *n = (struct weir_newreno *)cc;
    if (weir_reno_on_loss(&n->reno, cfg->cut_ppm, loss))
        n->grown_bytes = 0;
}

const struct weir_cc_ops weir_newreno_ops = {
    .name = "newreno",
    .state_bytes = sizeof(struct weir_newreno),
    .needs = WEIR_MAY_ECN,
    .init = newreno_init,
    .on_start = newreno_on_start,
    .on_ack = newreno_on_ack,
    .on_loss = newreno_on_loss,
};
