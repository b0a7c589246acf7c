/* src/algorithms/proto/dcpim/dcpim.c - the keys, the presets, set-up, control packets and the ops table of dcPIM. */
#include "core/credit_ops.h"
#include "proto/dcpim/dcpim_core.h"
#include "core/recommend.h"
#include "proto/dcpim/dcpim_parts.h"

static const struct weir_keyword off = { "off", 0 };
static const struct weir_keyword by_itself = { "auto", 0 };

static const char *const levels[] = { [WEIR_DCPIM_BY_ROLE] = "role", [WEIR_DCPIM_BY_SIZE] = "size", NULL };

/* A row of weir_dcpim_params[] for a size. milli: the default, in thousandths of a BDP */
#define DCPIM_BDP(name, member, milli, text)                                                                           \
    {                                                                                                                  \
        .key = (name), .kind = WEIR_KIND_BDP, .offset = (uint32_t)offsetof(struct weir_dcpim_config, member),          \
        .min = 1, .max = WEIR_CWND_MAX_BYTES, .fallback = 1, .milli_default = (milli), .hint = (text)                  \
    }

const struct weir_param weir_dcpim_params[] = {
    WEIR_PARAM_U32(struct weir_dcpim_config, rounds, 1, WEIR_DCPIM_ROUNDS_MAX, 4,
                   "r: rounds of requests, grants and accepts per epoch; 4 in SIGCOMM 2022"),
    WEIR_PARAM_U32(struct weir_dcpim_config, channels, 1, WEIR_DCPIM_CHANNELS_MAX, 4,
                   "k: equal parts of a link that are matched one by one; 4 in SIGCOMM 2022"),
    WEIR_PARAM_NAMED("beta", struct weir_dcpim_config, beta_ppm, WEIR_KIND_PPM, 1000000, 100000000, 1300000,
                     "length of a round in control_rtt; 1.3 in SIGCOMM 2022, to allow for queues"),
    WEIR_PARAM_NAMED("alpha", struct weir_dcpim_config, alpha_ppm, WEIR_KIND_PPM, 1000000, 100000000, 1000000,
                     "length of a data phase in matching phases, each as long as all rounds; 1 in SIGCOMM 2022"),
    WEIR_PARAM_KEYWORD("control_rtt", struct weir_dcpim_config, control_rtt_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS,
                       WEIR_PS_PER_S, 0, &by_itself,
                       "cRTT: a control packet to the farthest host, and another back; auto = of the longest path"),
    WEIR_PARAM_U32(struct weir_dcpim_config, size_rounds, 0, WEIR_DCPIM_ROUNDS_MAX, 1,
                   "so many rounds of an epoch prefer the shortest message, the later ones choose at random; 1 in the "
                   "published program"),
    WEIR_PARAM_NAMED("prompt", struct weir_dcpim_config, prompt, WEIR_KIND_FLAG, 0, 1, 1,
                     "channels that the data phase leaves unused are used at once, before the matching has ended"),
    DCPIM_BDP("short", short_max, 1000,
              "a message of up to so many packets' bytes on the wire goes at once, without a matching; 1 BDP"),
    DCPIM_BDP("window", window, 1000,
              "tokens of a message that may be out, as packets' bytes on the wire; each channel has its part. 1 BDP"),
    DCPIM_BDP(
        "window_timeout", window_timeout, 1100,
        "when no token of a message has gone for as long as the link takes for this, those beyond the window count "
        "as lost; 1.1 BDP in the published program"),
    DCPIM_BDP(
        "resend_timeout", resend_timeout, 1000,
        "when the last packet of a message was asked for so long ago, what is missing is asked for again; as long "
        "as the link takes for 1 BDP in the published program"),
    WEIR_PARAM_NAMED(
        "hold", struct weir_dcpim_config, hold, WEIR_KIND_FLAG, 0, 1, 1,
        "the first sign of a short message makes its receiver leave out as many tokens as that has packets"),
    WEIR_PARAM_CHOICE("levels", struct weir_dcpim_config, levels, levels, WEIR_DCPIM_BY_ROLE,
                      "priorities: role = control, short messages, long ones, as recommended and in SIRD's evaluation; "
                      "size = control, then six by the length of the message, as in the published program"),
    WEIR_PARAM_U32(struct weir_dcpim_config, level_factor, 2, 100, 7,
                   "levels: size: the first has messages of up to so many packets, each one more so many times as long "
                   "ones; 7 in the published program"),
    WEIR_PARAM_KEYWORD("loss_timeout", struct weir_dcpim_config, loss_ps, WEIR_KIND_TIME, WEIR_PS_PER_US,
                       10 * WEIR_PS_PER_S, 2 * WEIR_PS_PER_MS, &off,
                       "a message of which nothing was heard for twice this is announced again; off = never"),
    { .key = NULL },
};

/* Settings that all presets share. Every DATA packet occupies 1500 bytes on the wire, however short its payload is. */
#define DCPIM_COMMON                                                                                                   \
    "framing.payload: 1460 B", "framing.header: 40 B", "framing.gap: 0 B", "framing.min_wire: 1500 B",                 \
        "framing.ack_wire: 40 B", "fabric.routing: spray"

static const char *const paper[] = { DCPIM_COMMON, "fabric.priorities: 3", NULL };

/* Preset published. The BDP is that of 100 Gb/s and a round trip of 5.8 us. It rounds up to 49 packets of 1500 B. */
static const char *const published[] = {
    "levels: size",
    "loss_timeout: off",
    "topology.bdp: 72500 B",
    "fabric.priorities: 8",
    "fabric.port_buffer: 500 KB",
    "run.complete_at: sender",
    DCPIM_COMMON,
    NULL,
};

/* Preset sird. A message ends when its receiver has it. In the published program it ends at its ACK. Then p99 of the
 * slowdown of WKa, mostly messages of one packet, would be 1.4 times the value that SIRD's evaluation printed. */
static const char *const sird[] = {
    "loss_timeout: off", "topology.bdp: 100 KB", "fabric.priorities: 3", DCPIM_COMMON, NULL,
};

const struct weir_preset weir_dcpim_presets[] = {
    { "paper", "SIGCOMM 2022: sprayed packets of 1500 B, three priorities", paper },
    { "published",
      "the program behind the figures of SIGCOMM 2022: priorities by size, 500 KB per port, a message ends at its ACK",
      published },
    { "sird", "dcPIM in SIRD's evaluation, NSDI 2025: three priorities, a BDP of 100 KB", sird },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2022 has no PFC. */
const char *const weir_dcpim_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

static uint32_t pkts_of(const struct weir_size *size, uint32_t wire_bytes)
{
    return (uint32_t)((size->bytes + wire_bytes - 1) / wire_bytes);
}

/* Returns the transmission time of a full packet on the host's link, in ps, rounded down. rate_bps >= 1 Mb/s, so the
 * result fits. */
static uint64_t packet_ps(const struct weir_path *path)
{
    return weir_mul_div_u64(weir_path_wire_bytes(path), 8 * WEIR_PS_PER_S, path->rate_bps);
}

int weir_dcpim_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_dcpim_config *cfg = config;
    uint32_t wire_bytes = weir_path_wire_bytes(path);
    struct weir_dcpim_times t;
    if (cfg->control_rtt_ps == 0 && path->control_rtt_ps == 0)
        return weir_misfit(err, "control_rtt: the base round trip is 0, and rounds would take no time");
    if (cfg->control_rtt_ps != 0 && cfg->control_rtt_ps < path->control_rtt_ps)
        return weir_misfit(err,
                           "control_rtt is less than the %llu ps to the farthest host and back: its answers would come "
                           "after their round",
                           (unsigned long long)path->control_rtt_ps);
    t = weir_dcpim_times(cfg, path->control_rtt_ps, packet_ps(path));
    if (t.channel_pkts == 0)
        return weir_misfit(err, "channels: each carries less than one packet in a data phase of %llu ps",
                           (unsigned long long)t.epoch_ps);
    if (t.slack_ps >= t.epoch_ps)
        return weir_misfit(err, "rounds: a data phase of %llu ps is shorter than what its tokens may be late",
                           (unsigned long long)t.epoch_ps);
    if (cfg->size_rounds > cfg->rounds)
        return weir_misfit(err, "size_rounds is above rounds, which is %u", (unsigned)cfg->rounds);
    if (pkts_of(&cfg->short_max, wire_bytes) > WEIR_CREDIT_WINDOW_PKTS)
        return weir_misfit(err, "short lets more than %u packets of a message go at once", WEIR_CREDIT_WINDOW_PKTS);
    if (pkts_of(&cfg->window, wire_bytes) > WEIR_CREDIT_WINDOW_PKTS)
        return weir_misfit(err, "window is more than the %u packets of a message that may be on their way",
                           WEIR_CREDIT_WINDOW_PKTS);
    if (cfg->loss_ps != 0 && cfg->loss_ps < 2 * path->base_rtt_ps)
        return weir_misfit(err, "loss_timeout is less than two round trips: answers on their way would count as lost");
    return 0;
}

static void dcpim_init(const void *config, void *host, const struct weir_limits *limits)
{
    const struct weir_dcpim_config *cfg = config;
    uint32_t wire_bytes = weir_framing_wire(&limits->framing, limits->path.mss_bytes);
    uint64_t packet = ((uint64_t)wire_bytes * limits->ps_per_kbyte + 999) / 1000; /* 2^14 * 2^33 fits */
    *(struct weir_dcpim_host *)host = (struct weir_dcpim_host){
        .times = weir_dcpim_times(cfg, limits->path.control_rtt_ps, packet),
        .rng = { .key = weir_rng_key(limits->seed, limits->self, WEIR_RNG_PROTOCOL, 0) },
        .mss_bytes = limits->path.mss_bytes,
        .wire_bytes = wire_bytes,
        .short_pkts = pkts_of(&cfg->short_max, wire_bytes),
        .window_pkts = pkts_of(&cfg->window, wire_bytes),
        .window_timeout_ps = cfg->window_timeout.bytes * limits->ps_per_kbyte / 1000, /* 2^30 * 2^33 fits */
        .resend_ps = cfg->resend_timeout.bytes * limits->ps_per_kbyte / 1000,
        .loop_ps = WEIR_NEVER,
        .half_ps = WEIR_NEVER,
        .expire_ps = WEIR_NEVER,
    };
}

/* Removes a peer's channels, grant and request. All messages with the peer have ended, and no control packet waits. */
static void dcpim_peer_forget(const void *config, void *host, void *peer)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_peer *p = peer;
    (void)config;
    WEIR_ASSERT(!p->asks);
    WEIR_ASSERT(h->head.controls == 0);
    dcpim_forget_match(h, p);
    if (p->has_request)
        weir_pairing_remove(&h->requests, &p->request_node);
    if (h->requests.root == NULL)
        h->half_ps = WEIR_NEVER;
}

static void dcpim_peer_init(const void *config, void *host, void *peer)
{
    (void)config, (void)host;
    *(struct weir_dcpim_peer *)peer = (struct weir_dcpim_peer){ 0 };
}

/* --- control packets --- */

/* Returns the key of a request or grant; in each round, requests and grants are served from the least key on. In the
 * first size_rounds rounds of an epoch the key is the payload left of the message, else it is random. Sets *tie, the
 * random order among equal keys. */
uint64_t dcpim_order(struct weir_dcpim_host *h, const struct weir_dcpim_config *cfg,
                     const struct weir_dcpim_offer *offer, uint32_t *tie)
{
    uint64_t draw = weir_rng_next(&h->rng);
    *tie = (uint32_t)draw;
    return weir_dcpim_by_size(cfg, offer->round) ? offer->left_bytes : draw;
}

/* Queues a control packet to a peer. The host fetches all control packets after the present call, so at most one of
 * each kind waits for a peer. */
void dcpim_send(struct weir_dcpim_host *h, struct weir_dcpim_peer *p, enum weir_dcpim_control kind,
                const struct weir_dcpim_offer *offer)
{
    WEIR_ASSERT((p->send_mask >> kind & 1) == 0);
    if (p->send_mask == 0) {
        p->send_next = NULL;
        if (h->head.controls == 0)
            h->send_first = p;
        else
            h->send_last->send_next = p;
        h->send_last = p;
    }
    p->send_mask |= 1u << kind;
    p->send[kind] = *offer;
    h->head.controls++;
}

static void dcpim_control_next(const void *config, void *host, struct weir_own_pkt *out)
{
    struct weir_dcpim_host *h = host;
    struct weir_dcpim_peer *p = h->send_first;
    uint8_t kind = 0;
    (void)config;
    while ((p->send_mask >> kind & 1) == 0)
        kind++;
    *out = (struct weir_own_pkt){ .peer = p,
                                  .value = weir_dcpim_pack(&p->send[kind]),
                                  .sequence = p->send[kind].round,
                                  .kind = kind,
                                  .class_id = WEIR_DCPIM_CONTROL_CLASS };
    p->send_mask &= ~(1u << kind);
    if (p->send_mask == 0)
        h->send_first = p->send_next;
    h->head.controls--;
}

static void dcpim_control(const void *config, void *host, const struct weir_own_pkt *control)
{
    const struct weir_dcpim_offer offer = weir_dcpim_unpack(control->value, control->sequence);
    switch (control->kind) {
    case WEIR_DCPIM_REQUEST:
        dcpim_requested(config, host, control->peer, &offer, control->now_ps);
        break;
    case WEIR_DCPIM_GRANT:
        dcpim_granted(config, host, control->peer, &offer, control->now_ps);
        break;
    case WEIR_DCPIM_ACCEPT:
        dcpim_accepted(config, host, control->peer, &offer, control->now_ps);
        break;
    case WEIR_DCPIM_RELEASE:
        dcpim_released(config, host, control->peer, &offer);
        break;
    default: /* unknown kind */
        break;
    }
}

/* --- the ops table --- */

static uint8_t dcpim_control_class(const void *config)
{
    (void)config;
    return WEIR_DCPIM_CONTROL_CLASS;
}

static uint8_t dcpim_data_class(const void *config)
{
    (void)config;
    return WEIR_DCPIM_LONG_CLASS;
}

/* Returns the least number of priority classes that ports must have: one for control packets, and for DATA two by role
 * or six by size. */
static uint8_t dcpim_classes(const void *config)
{
    return ((const struct weir_dcpim_config *)config)->levels == WEIR_DCPIM_BY_ROLE ? 3 : 7;
}

static uint64_t dcpim_loss_ps(const void *config)
{
    return ((const struct weir_dcpim_config *)config)->loss_ps;
}

/* Writes the sums of credit to *out. Credit is tokens, and each counts as a full packet on the wire. most_bytes gives
 * no bound: each message has a window of its own, so the host may have more tokens outstanding than window_pkts. */
static void dcpim_sums(const void *config, const void *host, struct weir_credit_sums *out)
{
    const struct weir_dcpim_host *h = host;
    (void)config;
    *out = (struct weir_credit_sums){ .bucket_bytes = (uint64_t)h->window_pkts * h->wire_bytes,
                                      .outstanding_bytes = (int64_t)(h->out_tokens * h->wire_bytes),
                                      .held_bytes = h->held_tokens * h->wire_bytes,
                                      .most_bytes = INT64_MAX };
}

const struct weir_credit_ops weir_dcpim_ops = {
    .name = "dcpim",
    .needs = WEIR_NEED_ONE_CLOCK,
    .request = WEIR_REQUEST_ALWAYS,
    .host_bytes = sizeof(struct weir_dcpim_host),
    .peer_bytes = sizeof(struct weir_dcpim_peer),
    .tx_bytes = sizeof(struct weir_dcpim_tx),
    .rx_bytes = sizeof(struct weir_dcpim_rx),
    .init = dcpim_init,
    .peer_init = dcpim_peer_init,
    .peer_forget = dcpim_peer_forget,
    .control = dcpim_control,
    .control_next = dcpim_control_next,
    .tx_message = dcpim_tx_message,
    .tx_again = dcpim_tx_again,
    .tx_credit = dcpim_tx_credit,
    .tx_next = dcpim_tx_next,
    .tx_sent = dcpim_tx_again,
    .tx_pause = dcpim_tx_pause,
    .tx_resume = dcpim_tx_resume,
    .tx_ready = dcpim_tx_ready,
    .tx_next_ps = dcpim_tx_next_ps,
    .tx_time = dcpim_tx_time,
    .tx_done = dcpim_tx_done,
    .rx_message = dcpim_rx_message,
    .rx_packet = dcpim_rx_packet,
    .rx_again = dcpim_rx_again,
    .rx_next_ps = dcpim_rx_next_ps,
    .rx_next = dcpim_rx_next,
    .rx_granted = dcpim_rx_granted,
    .rx_silent = dcpim_rx_silent,
    .rx_done = dcpim_rx_done,
    .control_class = dcpim_control_class,
    .data_class = dcpim_data_class,
    .classes = dcpim_classes,
    .loss_ps = dcpim_loss_ps,
    .sums = dcpim_sums,
};
