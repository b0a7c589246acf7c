/* src/algorithms/proto/dart/dart.c - the keys, the presets, set-up and the ops table of Dart. */
#include "proto/dart/dart_core.h"
#include "core/recommend.h"

static const char *const idle_counts[] = { [WEIR_DART_SENDERS_ACTIVE] = "senders", [WEIR_DART_ONE] = "one", NULL };
static const char *const advertises[] = { [WEIR_DART_BY_PACKET] = "packet", [WEIR_DART_BY_ACK] = "ack", NULL };

const struct weir_param weir_dart_params[] = {
    WEIR_DCQCN_ROWS(struct weir_dart_config, dcqcn.),
    WEIR_PARAM_NAMED(
        "t_soft", struct weir_dart_config, t_soft_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 100 * WEIR_PS_PER_S,
        2 * WEIR_PS_PER_S,
        "a sender that is silent for so long within a message has crashed and is no longer counted; 2 s in "
        "the paper's example"),
    WEIR_PARAM_NAMED("full", struct weir_dart_config, full_ppm, WEIR_KIND_PPM, 500000, 1000000, 950000,
                     "share of the line rate, less a packet, above which a receiver's link counts as full over a round "
                     "trip; not stated, 0.95 is ours"),
    WEIR_PARAM_CHOICE("idle_count", struct weir_dart_config, idle_count, idle_counts, WEIR_DART_SENDERS_ACTIVE,
                      "what a receiver without marks advertises: senders = those that are active; one = 1"),
    WEIR_PARAM_NAMED("look_ahead", struct weir_dart_config, look_ahead, WEIR_KIND_FLAG, 0, 1, 1,
                     "messages of an incast event, or of a group in a list of flows, carry the list of the group's "
                     "senders, 2 B each; the first that arrives counts all of them"),
    WEIR_PARAM_CHOICE("advertise", struct weir_dart_config, advertise, advertises, WEIR_DART_BY_PACKET,
                      "how senders in such a list learn the count: packet = by one of its own, at once; ack = with the "
                      "ACKs of what they send"),
    WEIR_PARAM_NAMED("weights", struct weir_dart_config, weights, WEIR_KIND_FLAG, 0, 1, 0,
                     "a sender's part of the line is the weight of its message, over the sum of all senders'; else all "
                     "have the same"),
    WEIR_PARAM_NAMED(
        "tenants", struct weir_dart_config, tenants, WEIR_KIND_FLAG, 0, 1, 0,
        "a receiver counts each tenant's senders apart, and each tenant that is active has an equal part of "
        "its line; else all are one"),
    { .key = NULL },
};

static const char *const dart[] = { "fabric.ecn.threshold: 22500 B", "fabric.routing: ecmp", "host.mark: 22500 B",
                                    NULL };

/* Settings of the network of the paper's evaluation. An in-link has 225 KB, split evenly over the lanes. After a pause,
 * 5.5 KB may still arrive in each lane: 2 us at line rate, and two packets. DCQCN's steps are those of its preset
 * dart. */
#define DART_NETWORK                                                                                                   \
    "r_ai: 40 Mbps", "r_hai: 200 Mbps", "framing: ns2", "fabric.ecn.threshold: 22500 B", "fabric.routing: ecmp",       \
        "fabric.priorities: 2", "fabric.pfc.kind: static", "host.mark: 22500 B"
static const char *const clos[] = { DART_NETWORK, "fabric.pfc.xoff: 39500 B", "fabric.deflect.mode: on",
                                    "fabric.lanes: 5", NULL };
static const char *const dasr[] = { DART_NETWORK, "fabric.pfc.xoff: 219500 B", NULL };

const struct weir_preset weir_dart_presets[] = {
    { "dart", "Xue et al., ToN 2020: 10 Gb/s, switches mark from 22.5 KB on", dart },
    { "clos", "the paper's simulated network: also PFC, deflection and five lanes; needs more than one path", clos },
    { "dasr", "the same without deflection, in one lane: for networks with one path", dasr },
    { NULL, NULL, NULL },
};

/* Recommended settings: ToN 2020 uses PFC, and a higher priority for ACKs than for data. */
const char *const weir_dart_recommends[] = { WEIR_RECOMMEND_LOSSLESS, "fabric.priorities: 2", WEIR_RECOMMEND_ONE_STEP,
                                             NULL };

int weir_dart_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_dart_config *cfg = config;
    if (cfg->dcqcn.min_rate_bps > path->rate_bps)
        return weir_misfit(err, "min_rate is more than the host link's rate");
    if (cfg->dcqcn.byte_counter_bytes < path->mss_bytes)
        return weir_misfit(err, "byte_counter is less than one packet");
    return cfg->t_soft_ps <= path->base_rtt_ps ? weir_misfit(err, "t_soft is not above the base round trip") : 0;
}

static void dart_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    struct weir_dart *d = (struct weir_dart *)cc;
    const struct weir_dart_config *cfg = config;
    weir_dcqcn_init(&d->dcqcn, &cfg->dcqcn, path);
    weir_dart_take(d, cfg, 1);
    d->hold_ps = 0;
    weir_dart_answer(d);
}

/* Begins a message while no other one to this destination is under way. The message starts at line rate. But if a count
 * was advertised within the last base round trip, it starts with that count. */
static void dart_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_dart *d = (struct weir_dart *)cc;
    const struct weir_dart_config *cfg = config;
    weir_dcqcn_begin(&d->dcqcn, &cfg->dcqcn);
    if (now_ps >= d->hold_ps)
        weir_dart_take(d, cfg, 1);
    weir_dart_answer(d);
}

static uint32_t dart_rx_heads(const void *config)
{
    const struct weir_dart_config *cfg = config;
    return (cfg->look_ahead ? WEIR_HEAD_GROUP : 0u) | (cfg->weights ? WEIR_HEAD_WEIGHT : 0u) |
           (cfg->tenants ? WEIR_HEAD_TENANT : 0u);
}

/* Initialises a receiver. state: a zeroed struct weir_dart_rx. The window is 64 buckets, a little longer than a base
 * round trip. full_bytes (L) is cfg->full_ppm millionths of what the line carries in a window, less a packet. */
static void dart_rx_init(void *state, const void *config, const struct weir_path *path)
{
    struct weir_dart_rx *rx = state;
    const struct weir_dart_config *cfg = config;
    uint64_t bytes;
    rx->bucket_ps = path->base_rtt_ps / WEIR_DART_BUCKETS + 1;
    rx->window_ps = rx->bucket_ps * WEIR_DART_BUCKETS;
    bytes = weir_mul_div_u64(path->rate_bps, rx->window_ps, 8 * WEIR_PS_PER_S);
    bytes -= weir_min_u64(bytes, weir_path_wire_bytes(path));
    rx->full_bytes = weir_max_u64(weir_mul_div_u64(bytes, cfg->full_ppm, 1000000), 1);
    rx->cnp_ps = rx->soft_ps = WEIR_NEVER;
}

const struct weir_cc_ops weir_dart_ops = {
    .name = "dart",
    .state_bytes = sizeof(struct weir_dart),
    .needs = WEIR_NEED_ECN | WEIR_MAY_DEFLECT,
    .per_peer = true,
    .init = dart_init,
    .on_start = dart_on_start,
    .on_ack = weir_dart_on_ack,
    .on_sent = weir_dart_on_sent,
    .on_notice = weir_dart_on_notice,
    .on_timer = weir_dart_on_timer,
    .rx_bytes = sizeof(struct weir_dart_rx),
    .rx_init = dart_rx_init,
    .rx_begin = weir_dart_rx_begin,
    .rx_data = weir_dart_rx_data,
    .rx_end = weir_dart_rx_end,
    .rx_notice = weir_dart_rx_notice,
    .rx_next_ps = weir_dart_rx_next_ps,
    .rx_heads = dart_rx_heads,
};
