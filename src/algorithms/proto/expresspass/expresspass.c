/* src/algorithms/proto/expresspass/expresspass.c - the keys, the presets, set-up and the ops table of ExpressPass. */
#include "core/credit_ops.h"
#include "proto/expresspass/expresspass_core.h"
#include "core/recommend.h"
#include "proto/expresspass/expresspass_parts.h"

static const struct weir_keyword off = { "off", 0 };
static const struct weir_keyword unlimited = { "unlimited", 0 };

/* Credits at the largest rate that a host makes up for after it was late: as many as wait at a gate in SIGCOMM 2017. */
#define MADE_UP_CREDITS 8u

#define SHARE(name, member, lo, hi, fallback, text)                                                                    \
    WEIR_PARAM_NAMED(name, struct weir_expresspass_config, member, WEIR_KIND_PPM, lo, hi, fallback, text)
#define BYTES(name, member, fallback, text)                                                                            \
    WEIR_PARAM_NAMED(name, struct weir_expresspass_config, member, WEIR_KIND_SIZE32, 1, WEIR_WIRE_MAX_BYTES, fallback, \
                     text)

const struct weir_param weir_expresspass_params[] = {
    SHARE("alpha", alpha_ppm, 1, 1000000, 62500,
          "first rate of credit, as a share of the largest; 1/16 in SIRD's runs, 0.5 in the authors' scripts"),
    SHARE("w_init", w_init_ppm, 1, 1000000, 62500, "first weight of the largest rate in an increase; 1/16"),
    SHARE("w_min", w_min_ppm, 1, 1000000, 10000, "least of these weights; 0.01 in SIGCOMM 2017"),
    SHARE("w_max", w_max_ppm, 1, 1000000, 500000, "the largest; 0.5 in SIGCOMM 2017"),
    SHARE("w_step", w_step_ppm, 0, 1000000, 50000,
          "what the weight grows by after two round trips without loss above the target; 0.05 in SIRD's runs"),
    SHARE("target_loss", target_ppm, 0, 1000000, 125000,
          "share of credit that may be lost where a message gets none; in proportion less where it gets more. 1/8"),
    SHARE("jitter", jitter_ppm, 0, 900000, 100000, "of the time to the next credit, either way, at random; 10 %"),
    SHARE("rtt_gain", rtt_gain_ppm, 1, 1000000, 200000, "weight of a sample in the average round trip; 0.2"),
    BYTES("credit_min", credit_min_bytes, 76, "smallest credit on the wire; sizes are random, so that drops are, too"),
    BYTES("credit_max", credit_max_bytes, 92, "largest credit on the wire"),
    WEIR_PARAM_KEYWORD("short", struct weir_expresspass_config, short_pkts, WEIR_KIND_U32, 1, 1000000, 40, &off,
                       "messages of fewer packets begin slower, in proportion; 40 in SIRD's runs"),
    WEIR_PARAM_KEYWORD("connections", struct weir_expresspass_config, connections, WEIR_KIND_U32, 1,
                       WEIR_EXPRESSPASS_CONNECTIONS_MAX, 40, &unlimited,
                       "per pair of hosts and direction: a message takes one, or waits for one; 40 in SIRD's runs"),
    WEIR_PARAM_NAMED("early_stop", struct weir_expresspass_config, early_stop, WEIR_KIND_FLAG, 0, 1, 1,
                     "a sender asks for no more credit when a round trip of it is enough for the rest of a message"),
    WEIR_PARAM_NAMED("wait_reply", struct weir_expresspass_config, wait_reply, WEIR_KIND_FLAG, 0, 1, 0,
                     "a connection is busy until the reply to its message has come (traffic.reply), and replies take "
                     "none; true in SIRD's runs"),
    WEIR_PARAM_NAMED("request_timeout", struct weir_expresspass_config, request_ps, WEIR_KIND_TIME, WEIR_PS_PER_US,
                     WEIR_PS_PER_S, 100 * WEIR_PS_PER_US, "a request is repeated after so long without credit; 100 us"),
    WEIR_PARAM_KEYWORD(
        "idle_timeout", struct weir_expresspass_config, idle_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 10 * WEIR_PS_PER_S,
        2 * WEIR_PS_PER_MS, &off,
        "silence of a message after which its receiver stops crediting and asks for what is missing; off = "
        "never, for networks that lose no data"),
    { .key = NULL },
};

#define NETWORK "framing: ethernet", "fabric.routing: symmetric", "fabric.priorities: 2", "host.nic_queue: unlimited"

static const char *const paper[] = { "connections: unlimited", "short: off", NETWORK, NULL };
static const char *const sird[] = { "connections: 40",      "short: 40", "wait_reply: true",
                                    "topology.bdp: 100 KB", NETWORK,     NULL };
/* Preset udp, for hosts that are processes: sizes are those of libweir over IPv4 with an MTU of 1500, and timeouts
 * allow for a process that waits for its processor. Two credits fill the bucket of a gate, eight its queue. */
static const char *const udp[] = {
    "connections: unlimited",
    "short: off",
    "credit_min: 115 B",
    "credit_max: 115 B",
    "request_timeout: 10 ms",
    "idle_timeout: 10 ms",
    "framing.payload: 1423 B",
    "framing.header: 95 B",
    "framing.gap: 20 B",
    "framing.min_wire: 84 B",
    "framing.ack_wire: 115 B",
    "fabric.routing: symmetric",
    "fabric.priorities: 2",
    "fabric.credit_gate.credit: 115 B",
    "fabric.credit_gate.depth: 230 B",
    "fabric.credit_gate.queue: 920 B",
    "host.nic_queue: unlimited",
    NULL,
};
static const char *const dart[] = { "alpha: 0.5", "connections: unlimited", "short: off", NETWORK, NULL };

const struct weir_preset weir_expresspass_presets[] = {
    { "paper", "SIGCOMM 2017: a connection for every message, at a sixteenth of the largest rate first", paper },
    { "sird", "the ns-2 runs of SIRD's evaluation, NSDI 2025: pools of 40 connections, short messages begin slower",
      sird },
    { "dart", "for Dart's comparison, which gives no parameters: the authors' scripts, at half the largest rate first",
      dart },
    { "udp", "hosts that are processes, with packets of libweir: all credits take 115 bytes, and gates fit them", udp },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2017 has no PFC. The preset has symmetric paths and a priority class for credit. */
const char *const weir_expresspass_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

int weir_expresspass_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_expresspass_config *cfg = config;
    if (cfg->w_min_ppm > cfg->w_max_ppm)
        return weir_misfit(err, "w_min is above w_max");
    if (cfg->w_init_ppm < cfg->w_min_ppm || cfg->w_init_ppm > cfg->w_max_ppm)
        return weir_misfit(err, "w_init is not between w_min and w_max");
    if (cfg->credit_min_bytes > cfg->credit_max_bytes)
        return weir_misfit(err, "credit_min is above credit_max");
    if (cfg->request_ps < path->base_rtt_ps)
        return weir_misfit(err, "request_timeout is less than a round trip: every request would be repeated");
    if (cfg->idle_ps != 0 && cfg->idle_ps < 2 * path->base_rtt_ps)
        return weir_misfit(err, "idle_timeout is less than two round trips: packets on their way would count as lost");
    if (path->bdp_bytes / path->mss_bytes >= 1u << (WEIR_EXPRESSPASS_SEQ_BITS - 1))
        return weir_misfit(err, "topology.bdp is more than the %u packets whose credits are told apart",
                           1u << (WEIR_EXPRESSPASS_SEQ_BITS - 1));
    return 0;
}

static void expresspass_init(const void *config, void *host, const struct weir_limits *limits)
{
    const struct weir_expresspass_config *cfg = config;
    uint32_t credit = weir_expresspass_mean_bytes(cfg);
    uint32_t data = weir_framing_wire(&limits->framing, limits->path.mss_bytes);
    uint64_t rate = weir_mul_div_u64(limits->path.rate_bps, credit, 8 * ((uint64_t)credit + data));
    *(struct weir_expresspass_host *)host = (struct weir_expresspass_host){
        .time_shift = weir_expresspass_time_shift(limits->path.base_rtt_ps),
        .rate_max = weir_max_u64(rate, 1),
        .late_ps = MADE_UP_CREDITS * (uint64_t)credit * WEIR_PS_PER_S / weir_max_u64(rate, 1), /* 2^18 * 2^40 fits */
        .draw_key = weir_rng_key(limits->seed, limits->self, WEIR_RNG_PROTOCOL, 0),
        .mss_bytes = limits->path.mss_bytes,
    };
}

static void expresspass_control_next(const void *config, void *host, struct weir_own_pkt *out)
{
    struct weir_expresspass_host *h = host;
    (void)config;
    h->head.controls--;
    if (h->controls.root == NULL)
        expresspass_rx_credit_next(h, out);
    else
        expresspass_tx_control_next(h, out);
}

/* Returns the class of DATA, of STOP, and of the host's REQUEST, CREDIT and DONE. The credit packets of ExpressPass
 * have a class of their own, EXPRESSPASS_CREDIT_CLASS. */
static uint8_t expresspass_class(const void *config)
{
    (void)config;
    return EXPRESSPASS_DATA_CLASS;
}

static uint64_t expresspass_loss_ps(const void *config)
{
    return ((const struct weir_expresspass_config *)config)->idle_ps;
}

const struct weir_credit_ops weir_expresspass_ops = {
    .name = "expresspass",
    .needs = WEIR_NEED_GATE,
    .host_bytes = sizeof(struct weir_expresspass_host),
    .peer_bytes = sizeof(struct weir_expresspass_peer),
    .tx_bytes = sizeof(struct weir_expresspass_tx),
    .rx_bytes = sizeof(struct weir_expresspass_rx),
    .request = WEIR_REQUEST_LATER,
    .init = expresspass_init,
    .peer_init = expresspass_peer_init,
    .peer_forget = expresspass_peer_forget,
    .control = expresspass_control,
    .credit_kinds = 1u << WEIR_EXPRESSPASS_CREDIT,
    .control_next = expresspass_control_next,
    .tx_reply = expresspass_tx_reply,
    .rx_reply = expresspass_rx_reply,
    .tx_message = expresspass_tx_message,
    .tx_again = expresspass_tx_again,
    .tx_credit = expresspass_tx_credit,
    .tx_next = expresspass_tx_next,
    .tx_sent = expresspass_tx_sent,
    .tx_ready = expresspass_tx_ready,
    .tx_next_ps = expresspass_tx_next_ps,
    .tx_time = expresspass_tx_time,
    .tx_silent = expresspass_tx_silent,
    .tx_done = expresspass_tx_done,
    .rx_message = expresspass_rx_message,
    .rx_packet = expresspass_rx_packet,
    .rx_again = expresspass_rx_again,
    .rx_silent = expresspass_rx_silent,
    .rx_next_ps = expresspass_rx_next_ps,
    .rx_next = expresspass_rx_next,
    .rx_granted = expresspass_rx_granted,
    .rx_done = expresspass_rx_done,
    .control_class = expresspass_class,
    .data_class = expresspass_class,
    .loss_ps = expresspass_loss_ps,
};
