/* src/algorithms/proto/sird/sird.c - the keys, the presets, set-up and the ops table of SIRD. */
#include "core/credit_ops.h"
#include "proto/sird/sird_core.h"
#include "core/recommend.h"
#include "proto/sird/sird_parts.h"

#define BYTES_MAX WEIR_CWND_MAX_BYTES /* largest bucket: products with a Q30 fraction stay below 2^60 */

static const struct weir_keyword infinite = { "infinite", UINT64_MAX };
static const struct weir_keyword all = { "all", UINT64_MAX };
static const struct weir_keyword off = { "off", 0 };

static const char *const units[] = { "payload", "wire", NULL };
static const char *const senders[] = { "mix", "fair", "largest", NULL };
static const char *const receivers[] = { "srpt", "round-robin", "least-in-flight", NULL };
static const char *const rules[] = { "paper", "ns2", NULL };
static const char *const accountings[] = { "ignored", "charged", NULL };
static const char *const inputs[] = { "data", "all", NULL };
static const char *const classes[] = { "none", "control", "unscheduled", NULL };

/* A row of weir_sird_params[] for a size. milli: the default, in thousandths of a BDP; special: a keyword, or NULL */
#define SIRD_BDP(name, member, lo, milli, special, text)                                                               \
    {                                                                                                                  \
        .key = (name), .kind = WEIR_KIND_BDP, .offset = (uint32_t)offsetof(struct weir_sird_config, member),           \
        .min = (lo), .max = BYTES_MAX, .fallback = (lo), .keyword = (special), .milli_default = (milli),               \
        .hint = (text)                                                                                                 \
    }
#define SIRD_CHOICE(name, member, choices, fallback, text)                                                             \
    WEIR_PARAM_CHOICE(name, struct weir_sird_config, member, choices, fallback, text)

const struct weir_param weir_sird_params[] = {
    SIRD_BDP("B", bucket, 1, 1500, NULL,
             "credit a receiver may have outstanding in all, on the wire; at least 1 BDP. 1.5 BDP in NSDI 2025"),
    SIRD_BDP("SThr", sthr, 0, 500, &infinite,
             "unused credit from which a sender marks its packets, on the wire; 0.5 BDP in the paper, 48114 B in its "
             "ns-2 runs, infinite = senders do not inform"),
    SIRD_BDP("UnschT", unscht, 0, 1000, &all,
             "a message above it asks for credit first. 1 BDP in the paper; 0 B = every message asks, all = none does"),
    SIRD_CHOICE("unsched_unit", unsched_unit, units, WEIR_SIRD_PAYLOAD,
                "what UnschT and unsched_max count: payload in the paper, bytes on the wire in its ns-2 runs"),
    SIRD_BDP("unsched_max", prefix, 1, 1000, NULL,
             "most that goes unscheduled of one message, in unsched_unit, cut down to whole packets; 1 BDP"),
    WEIR_PARAM_NAMED("g", struct weir_sird_config, g_ppm, WEIR_KIND_PPM, 1, 1000000, 80000,
                     "weight of the latest window in both alphas; 0.08 in the ns-2 runs, DCTCP's in the paper"),
    SIRD_BDP("sender_floor", floor[WEIR_SIRD_SENDER], 0, 100, NULL,
             "least the csn loop leaves a sender; 0.1 BDP in the ns-2 runs, not stated in the paper"),
    SIRD_BDP("net_floor", floor[WEIR_SIRD_NET], 0, 30, NULL,
             "least the ECN loop leaves a sender; 0.03 BDP in the ns-2 runs, not stated in the paper"),
    SIRD_CHOICE(
        "sender_policy", sender_policy, senders, WEIR_SIRD_MIX,
        "what a sender sends in addition to the fair share: mix = shortest message first, largest = to the receiver it "
        "holds most credit of; fair = nothing in addition"),
    WEIR_PARAM_NAMED("fair_share", struct weir_sird_config, fair_ppm, WEIR_KIND_PPM, 0, 1000000, 500000,
                     "share of packets that goes round all receivers in turn; 50 % in NSDI 2025"),
    SIRD_CHOICE("receiver_policy", receiver_policy, receivers, WEIR_SIRD_SRPT,
                "who is credited: shortest remaining message, senders in turn (shortest message inside one), or the "
                "sender with least outstanding"),
    WEIR_PARAM_NAMED("pace", struct weir_sird_config, pace_ppm, WEIR_KIND_PPM, 10000, 1000000, 1000000,
                     "rate at which credit goes out, of the link's; 100 % in the ns-2 runs, slightly less on the "
                     "paper's testbed (96 Gb/s of 100 seen)"),
    WEIR_PARAM_NAMED("pace_slack", struct weir_sird_config, pace_slack_bytes, WEIR_KIND_SIZE, 0, 1000000, 0,
                     "a credit may go while so much of those before is still due; 562.5 B in the ns-2 runs"),
    WEIR_PARAM_NAMED("poll", struct weir_sird_config, poll_ps, WEIR_KIND_TIME, 0, 10 * WEIR_PS_PER_US, 0,
                     "credit goes at multiples of this, as from a polling loop; 30 ns in the ns-2 runs, 0 s = at once"),
    SIRD_CHOICE("csn_rule", csn_rule, rules, WEIR_SIRD_PAPER,
                "when a sender marks: paper = scheduled packets, credit held before it >= SThr; ns2 = every packet, "
                "credit left after it > SThr, and two messages are waiting"),
    SIRD_CHOICE("unsched_accounting", unsched_accounting, accountings, WEIR_SIRD_IGNORED,
                "unscheduled bytes in the buckets: ignored in the paper, charged at the first word of the message in "
                "its ns-2 runs, where senders grant them to themselves"),
    SIRD_CHOICE(
        "bucket_test", bucket_test, rules, WEIR_SIRD_PAPER,
        "paper: the credit fits the sender's bucket; ns2: the bucket is not exceeded yet, and the credit fits a "
        "BDP"),
    SIRD_CHOICE("aimd_input", aimd_input, inputs, WEIR_SIRD_DATA,
                "packets that drive the two loops: DATA as in the paper, or all that arrive from a host as in its ns-2 "
                "runs"),
    SIRD_CHOICE("priorities", priorities, classes, WEIR_SIRD_UNSCHEDULED,
                "what goes in class 0: everything, requests and credits only, or these and unscheduled DATA as in the "
                "paper's simulations"),
    WEIR_PARAM_KEYWORD("loss_timeout", struct weir_sird_config, loss_ps, WEIR_KIND_TIME, WEIR_PS_PER_US,
                       10 * WEIR_PS_PER_S, 2 * WEIR_PS_PER_MS, &off,
                       "silence after which a receiver takes credit back and asks again; 'a few milliseconds' in the "
                       "paper, off in its ns-2 runs"),
    { .key = NULL },
};

/* Preset paper. NThr is 1.25 BDP, every packet is sprayed, ports have two priorities: section 6.1 of the paper. */
static const char *const paper[] = {
    "framing: udp", "fabric.routing: spray", "fabric.priorities: 2", "fabric.ecn.threshold: 1.25 BDP", NULL,
};

/* Preset ns2. SThr is 33 packets of 1458 B. The marking threshold is 82 packets of 1500 B, on links between
 * switches. */
static const char *const ns2[] = {
    "SThr: 48114 B",        "unsched_unit: wire",
    "pace_slack: 562 B",    "poll: 30 ns",
    "csn_rule: ns2",        "unsched_accounting: charged",
    "bucket_test: ns2",     "aimd_input: all",
    "loss_timeout: off",    "topology.bdp: 100 KB",
    "framing: udp",         "fabric.routing: spray",
    "fabric.priorities: 2", "fabric.ecn.threshold: 123000 B",
    "fabric.ecn.at: core",  NULL,
};

/* Preset udp, for hosts that are processes. Credit is paced a little below the link's rate, as on the testbed of the
 * paper. A host that is scheduled late may catch up on 64 KB of credit. loss_timeout is 10 ms, so that a host that is
 * not scheduled for some milliseconds does not count as a loss. */
static const char *const udp[] = {
    "pace: 97%",
    "pace_slack: 64 KB",
    "loss_timeout: 10 ms",
    "framing: udp",
    "fabric.routing: spray",
    "fabric.priorities: 2",
    "fabric.ecn.threshold: 1.25 BDP",
    NULL,
};

const struct weir_preset weir_sird_presets[] = {
    { "paper", "the text of NSDI 2025: sprayed packets, two priorities, marks from 1.25 BDP on, recovery after 2 ms",
      paper },
    { "ns2", "the ns-2 program behind the tables of NSDI 2025: BDP of 100 KB, unscheduled bytes charged, no recovery",
      ns2 },
    { "udp",
      "what endpoints on a real network run: the paper with credit at 97 % of the link, and software's latencies "
      "allowed for",
      udp },
    { NULL, NULL, NULL },
};

/* Recommended settings: NSDI 2025 has no PFC. The preset has threshold, priorities and spraying. */
const char *const weir_sird_recommends[] = { WEIR_RECOMMEND_LOSSY, WEIR_RECOMMEND_ONE_STEP, NULL };

int weir_sird_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_sird_config *cfg = config;
    uint64_t prefix = weir_min_u64(cfg->unscht.bytes, cfg->prefix.bytes);
    if (path->bdp_bytes < UINT64_C(2) * path->mss_bytes)
        return weir_misfit(err,
                           "the BDP is less than two packets, too little to hand out; set topology.bdp or a smaller "
                           "framing.payload");
    if (path->bdp_bytes > (uint64_t)WEIR_CREDIT_WINDOW_PKTS * path->mss_bytes)
        return weir_misfit(
            err,
            "the BDP of %llu B is more than the 8192 packets of a message that may be on their way; set a "
            "larger framing.payload, or a smaller topology.bdp",
            (unsigned long long)path->bdp_bytes);
    if (cfg->bucket.bytes < path->bdp_bytes)
        return weir_misfit(err, "B is less than 1 BDP, which is %llu B: a single sender could not fill the link",
                           (unsigned long long)path->bdp_bytes);
    if (cfg->bucket.bytes > 8 * (uint64_t)BYTES_MAX)
        return weir_misfit(err, "B is above 8 GiB");
    if (cfg->floor[WEIR_SIRD_SENDER].bytes > path->bdp_bytes)
        return weir_misfit(err, "sender_floor is above 1 BDP, the most a sender's bucket can be");
    if (cfg->floor[WEIR_SIRD_NET].bytes > path->bdp_bytes)
        return weir_misfit(err, "net_floor is above 1 BDP, the most a sender's bucket can be");
    if (prefix > (uint64_t)WEIR_CREDIT_WINDOW_PKTS * path->mss_bytes)
        return weir_misfit(err, "UnschT and unsched_max let more than 8192 packets of a message go unscheduled");
    if (cfg->loss_ps != 0 && cfg->loss_ps < 2 * path->base_rtt_ps)
        return weir_misfit(err,
                           "loss_timeout is less than two round trips: packets still on their way would count as lost");
    if (cfg->loss_ps / 1000000 * (path->rate_bps / 1000000) > UINT64_C(8) << 30) /* us * Mb/s = bits */
        return weir_misfit(err,
                           "loss_timeout is too long for the link: more than 1 GiB of credit could be spent within it");
    return 0;
}
_Static_assert(WEIR_CREDIT_WINDOW_PKTS == 8192, "two sentences above say so");

/* Initialises a host. A bucket must never be too small to admit a packet. With the paper's test the least bucket is two
 * packets: the packet, and a remainder of nearly one packet that the sender holds. ns-2's test admits a packet into an
 * empty bucket, so the least bucket is one packet. */
static void sird_init(const void *config, void *host, const struct weir_limits *limits)
{
    const struct weir_sird_config *cfg = config;
    struct weir_sird_host *h = host;
    uint32_t packet = weir_framing_wire(&limits->framing, limits->path.mss_bytes);
    uint32_t least = cfg->bucket_test == WEIR_SIRD_PAPER ? 2 * packet : packet;
    uint32_t most = weir_clamp_u32(limits->path.bdp_bytes, least, BYTES_MAX);
    uint64_t ps_per_kbyte = (limits->ps_per_kbyte * 1000000 + cfg->pace_ppm - 1) / cfg->pace_ppm; /* 2^33 * 2^20 fits */
    *h = (struct weir_sird_host){
        .bucket_bytes = weir_max_u64(cfg->bucket.bytes, most),
        .slack_ps = cfg->pace_slack_bytes * ps_per_kbyte / 1000, /* 2^20 * 2^40 fits */
        .ps_per_kbyte = ps_per_kbyte,
        .rule = { .packet_bytes = packet,
                  .most_bytes = most,
                  .floor_bytes = { weir_clamp_u32(cfg->floor[0].bytes, least, most),
                                   weir_clamp_u32(cfg->floor[1].bytes, least, most) },
                  .g_ppm = cfg->g_ppm },
        .limits = limits,
    };
}

static void sird_peer_init(const void *config, void *host, void *peer)
{
    struct weir_sird_host *h = host;
    struct weir_sird_peer *p = peer;
    (void)config;
    *p = (struct weir_sird_peer){ .credit_count = h->credit_count, .changed_ps = WEIR_NEVER };
    weir_sird_aimd_init(&p->aimd, &h->rule);
}

/* Subtracts a peer's credit from the host's sums. All messages with the peer have ended, so the peer is in no queue. */
static void sird_peer_forget(const void *config, void *host, void *peer)
{
    struct weir_sird_host *h = host;
    const struct weir_sird_peer *p = peer;
    (void)config;
    WEIR_ASSERT(!weir_pairing_has(&h->open, &p->open));
    WEIR_ASSERT(!weir_pairing_has(&h->ready, &p->ready));
    h->outstanding_bytes -= p->outstanding_bytes;
    h->held_bytes -= p->credit_bytes;
}

static uint8_t sird_control_class(const void *config)
{
    (void)config;
    return 0;
}

static uint64_t sird_loss_ps(const void *config)
{
    return ((const struct weir_sird_config *)config)->loss_ps;
}

static void sird_sums(const void *config, const void *host, struct weir_credit_sums *out)
{
    const struct weir_sird_config *cfg = config;
    const struct weir_sird_host *h = host;
    *out = (struct weir_credit_sums){
        .bucket_bytes = h->bucket_bytes,
        .outstanding_bytes = (int64_t)h->outstanding_bytes,
        .held_bytes = h->held_bytes,
        .surplus_bytes = h->surplus_bytes,
        .most_bytes = cfg->unsched_accounting == WEIR_SIRD_IGNORED ? (int64_t)h->bucket_bytes : INT64_MAX,
    };
}

const struct weir_credit_ops weir_sird_ops = {
    .name = "sird",
    .needs = WEIR_NEED_ECN,
    .grants_all = true, /* else messages whose credit it used would lack that credit */
    .credit_supersedes = true,
    .host_bytes = sizeof(struct weir_sird_host),
    .peer_bytes = sizeof(struct weir_sird_peer),
    .tx_bytes = sizeof(struct weir_sird_tx),
    .rx_bytes = sizeof(struct weir_sird_rx),
    .init = sird_init,
    .peer_init = sird_peer_init,
    .peer_forget = sird_peer_forget,
    .peer_check = sird_peer_check,
    .control = sird_control,
    .control_next = sird_control_next,
    .tx_message = sird_tx_message,
    .tx_priority = sird_tx_priority,
    .tx_again = sird_tx_again,
    .tx_credit = sird_tx_credit,
    .tx_next = sird_tx_next,
    .tx_sent = sird_tx_sent,
    .tx_pause = sird_tx_pause,
    .tx_resume = sird_tx_resume,
    .tx_done = sird_tx_done,
    .rx_packet = sird_rx_packet,
    .rx_message = sird_rx_message,
    .rx_again = sird_rx_again,
    .rx_lost = sird_rx_lost,
    .rx_next = sird_rx_next,
    .rx_granted = sird_rx_granted,
    .rx_done = sird_rx_done,
    .rx_next_ps = sird_rx_next_ps,
    .tx_ready = sird_tx_ready,
    .control_class = sird_control_class,
    .data_class = sird_data_class,
    .adapt = sird_adapt,
    .peer_adapt = sird_peer_adapt,
    .loss_ps = sird_loss_ps,
    .sums = sird_sums,
};
