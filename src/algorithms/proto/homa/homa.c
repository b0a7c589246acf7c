/* src/algorithms/proto/homa/homa.c - the keys, the presets, cutoffs, set-up and the ops table of Homa. */
#include "proto/homa/homa.h"
#include "core/assert.h"
#include "core/credit_ops.h"
#include "core/math.h"
#include "core/recommend.h"
#include "core/units.h"
#include "proto/homa/homa_parts.h"

static const struct weir_keyword off = { "off", 0 };
static const struct weir_keyword automatic = { "auto", 0 };

static const char *const policies[] = { "srpt", "round-robin", NULL };

/* A row of weir_homa_params[] for a size. milli: the default, in thousandths of a BDP */
#define HOMA_BDP(name, member, lo, milli, text)                                                                        \
    {                                                                                                                  \
        .key = (name), .kind = WEIR_KIND_BDP, .offset = (uint32_t)offsetof(struct weir_homa_config, member),           \
        .min = (lo), .max = WEIR_CWND_MAX_BYTES, .fallback = (lo), .milli_default = (milli), .hint = (text)            \
    }

const struct weir_param weir_homa_params[] = {
    HOMA_BDP(
        "unsched_max", unsched, 0, 1000,
        "payload of a message that goes without grants, in whole packets unless that is all of it; rttBytes in the "
        "paper, 1 BDP. 0 B = every message asks first"),
    HOMA_BDP(
        "window", window, 1, 1000,
        "on the wire: a message is granted while less of it than this is unscheduled or granted and not here; 1 BDP"),
    WEIR_PARAM_NAMED("priorities", struct weir_homa_config, priorities, WEIR_KIND_U32, 2, WEIR_HOMA_LEVELS_MAX, 8,
                     "levels of packets, which ports must have; 8 in the paper"),
    WEIR_PARAM_NAMED(
        "unsched_levels", struct weir_homa_config, unsched_levels, WEIR_KIND_U32, 1, WEIR_HOMA_LEVELS_MAX - 1, 4,
        "the highest of them, for unscheduled packets; grants use the very highest. 4 in the paper for WKa; 3 "
        "in SIRD's runs, and 1 for WKb and WKc"),
    WEIR_PARAM_NAMED(
        "overcommit", struct weir_homa_config, overcommit, WEIR_KIND_U32, 1, WEIR_HOMA_LEVELS_MAX - 1, 4,
        "senders that a receiver grants at the same time; as many as there are levels for scheduled packets in "
        "the paper, or fewer"),
    WEIR_PARAM_NAMED("grant", struct weir_homa_config, grant_pkts, WEIR_KIND_U32, 1, WEIR_HOMA_GRANT_PKTS_MAX, 1,
                     "packets that one GRANT is for; 1 in the paper"),
    WEIR_PARAM_KEYWORD(
        "cutoffs", struct weir_homa_config, cutoffs, WEIR_KIND_SIZES, 1, UINT64_C(1) << 40, 0, &automatic,
        "a packet whose message has at most so much left, itself included, is of level 0, 1 and so on; auto = "
        "from the sizes of the run's messages, so that all levels carry as many bytes"),
    HOMA_BDP("cutoff_cap", cutoff_cap, 1, 1000,
             "the first so many bytes of each message count for cutoffs: auto; 1 BDP in SIRD's runs"),
    WEIR_PARAM_NAMED("cutoff_grants", struct weir_homa_config, cutoff_grants, WEIR_KIND_FLAG, 0, 1, 1,
                     "grants count for cutoffs: auto, as bytes of level 0"),
    HOMA_BDP(
        "boost_tail", boost, 0, 0,
        "the last so many bytes that are granted of a message have the level of unscheduled ones; 0 B in SIRD's runs, "
        "1 BDP in the paper's simulator"),
    WEIR_PARAM_CHOICE("sender_policy", struct weir_homa_config, sender_policy, policies, WEIR_HOMA_SRPT,
                      "which message a sender sends: the one with least left to send, or all in turn"),
    WEIR_PARAM_KEYWORD(
        "loss_timeout", struct weir_homa_config, loss_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, 10 * WEIR_PS_PER_S,
        5 * WEIR_PS_PER_MS, &off,
        "silence of a message after which its receiver asks again for what is missing; 5 ms in the Linux module, "
        "off in SIRD's runs"),
    { .key = NULL },
};

static const char *const paper[] = { "boost_tail: 1 BDP", "framing: udp", "fabric.routing: spray",
                                     "fabric.priorities: 8", NULL };

/* Settings that presets sird and sird-wka share. The simulator of that evaluation has headers of 82 B in scheduled
 * packets and of 96 B in unscheduled ones. Each preset uses the headers of the packets that carry most bytes in its
 * runs. */
#define SIRD_COMMON                                                                                                    \
    "loss_timeout: off", "topology.bdp: 100 KB", "framing.gap: 20 B", "framing.min_wire: 84 B",                        \
        "framing.ack_wire: 86 B", "fabric.routing: spray", "fabric.priorities: 8"

static const char *const sird[] = { "unsched_levels: 1",    "overcommit: 7", "framing.payload: 1456 B",
                                    "framing.header: 62 B", SIRD_COMMON,     NULL };
static const char *const sird_wka[] = { "unsched_levels: 3",    "overcommit: 5", "framing.payload: 1442 B",
                                        "framing.header: 76 B", SIRD_COMMON,     NULL };

const struct weir_preset weir_homa_presets[] = {
    { "paper", "SIGCOMM 2018 scaled to the link: 4 + 4 levels, sprayed packets, the last BDP of a message boosted",
      paper },
    { "sird", "SIRD's evaluation, NSDI 2025, of WKb and WKc: 1 + 7 levels, BDP of 100 KB, nothing boosted, no recovery",
      sird },
    { "sird-wka", "likewise, of WKa: 3 + 5 levels, headers of unscheduled packets", sird_wka },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2018 has no PFC. The preset has priorities and spraying. */
const char *const weir_homa_recommends[] = { WEIR_RECOMMEND_LOSSY, NULL };

/* --- cutoffs --- */

struct sample { /* the inputs of the cutoffs */
    const struct weir_homa_config *cfg;
    const struct weir_fit *fit;
    const struct weir_message_sizes *sizes;
};

/* Returns the bytes on the wire of the counted packets of a message with `bytes` of payload. A packet is counted if at
 * most left_bytes of the message, the packet included, are unsent when it is sent. Only the first cutoff_cap bytes of a
 * message count; a packet that reaches beyond counts with the part before. */
static uint64_t counted_bytes(const struct sample *s, uint64_t bytes, uint64_t left_bytes)
{
    const struct weir_framing *f = s->fit->framing;
    uint64_t mss = s->fit->path->mss_bytes, counted = weir_min_u64(bytes, s->cfg->cutoff_cap.bytes);
    uint64_t begin = bytes > left_bytes ? (bytes - left_bytes + mss - 1) / mss : 0, end = (counted + mss - 1) / mss;
    if (begin >= end)
        return 0;
    return (end - 1 - begin) * weir_framing_wire(f, (uint32_t)mss) +
           weir_framing_wire(f, (uint32_t)(counted - (end - 1) * mss));
}

/* Returns the mean of counted_bytes() over all messages, times 2^22: the weights of the sizes add up to about 2^22. */
static uint64_t sum_up_to(const struct sample *s, uint64_t left_bytes)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->sizes->count; i++)
        sum += s->sizes->share[i].weight * counted_bytes(s, s->sizes->share[i].bytes, left_bytes);
    return sum; /* 2^22 * 8192 packets of at most 2^14: fits */
}

/* Returns the mean bytes of GRANTs per message on the wire, times 2^22 as in sum_up_to(); 0 unless cutoff_grants is
 * set. */
static uint64_t sum_of_grants(const struct sample *s)
{
    uint64_t sum = 0, mss = s->fit->path->mss_bytes, free_pkts = s->cfg->unsched.bytes / mss;
    for (uint32_t i = 0; s->cfg->cutoff_grants != 0 && i < s->sizes->count; i++) {
        const struct weir_size_share *share = &s->sizes->share[i];
        uint64_t pkts = (share->bytes + mss - 1) / mss;
        uint64_t granted = share->bytes > s->cfg->unsched.bytes ? weir_min_u64(pkts - free_pkts, UINT32_MAX) : 0;
        sum += share->weight * weir_min_u64(granted / s->cfg->grant_pkts * s->fit->framing->ack_wire_bytes, UINT32_MAX);
    }
    return sum; /* 2^22 * 2^32 fits */
}

/* Returns the least left_bytes for which sum_up_to() is at least `bytes`, in 1 .. 2^40. */
static uint64_t cutoff_of(const struct sample *s, uint64_t bytes)
{
    uint64_t low = 1, high = UINT64_C(1) << 40; /* no message is longer */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sum_up_to(s, middle) >= bytes)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void weir_homa_fit(void *config, const struct weir_fit *fit)
{
    struct weir_homa_config *cfg = config;
    const struct weir_size_share unknown = { weir_max_u64(cfg->unsched.bytes, 1), WEIR_SIZES_ONE };
    const struct weir_message_sizes one = { &unknown, 1 };
    const struct sample s = { cfg, fit, fit->sizes.count > 0 ? &fit->sizes : &one };
    if (cfg->cutoffs.count != 0 || cfg->cutoff_cap.bytes / fit->path->mss_bytes >= WEIR_CREDIT_WINDOW_PKTS)
        return; /* weir_homa_check() refuses the latter */
    uint64_t grants = sum_of_grants(&s), all = grants + sum_up_to(&s, UINT64_C(1) << 40), before = 0;
    for (uint32_t level = 1; level < cfg->unsched_levels; level++) {
        uint64_t part = weir_mul_div_u64(all, level, cfg->unsched_levels);
        before = weir_max_u64(before + 1, cutoff_of(&s, part > grants ? part - grants : 0));
        cfg->cutoffs.bytes[cfg->cutoffs.count++] = before;
    }
}

/* --- set-up --- */

static int check_levels(const struct weir_homa_config *cfg, struct weir_err *err)
{
    if (cfg->unsched_levels >= cfg->priorities)
        return weir_misfit(err, "unsched_levels leaves none of the %u priorities to scheduled packets",
                           (unsigned)cfg->priorities);
    if (cfg->overcommit > cfg->priorities - cfg->unsched_levels)
        return weir_misfit(err,
                           "overcommit is above the %u levels of scheduled packets: priorities less unsched_levels",
                           (unsigned)(cfg->priorities - cfg->unsched_levels));
    if (cfg->cutoffs.count + 1 != cfg->unsched_levels)
        return weir_misfit(err, "cutoffs divide unscheduled packets into %u levels, and unsched_levels is %u",
                           (unsigned)cfg->cutoffs.count + 1, (unsigned)cfg->unsched_levels);
    for (uint32_t i = 1; i < cfg->cutoffs.count; i++)
        if (cfg->cutoffs.bytes[i] <= cfg->cutoffs.bytes[i - 1])
            return weir_misfit(err, "cutoffs do not increase: %llu B comes after %llu B",
                               (unsigned long long)cfg->cutoffs.bytes[i],
                               (unsigned long long)cfg->cutoffs.bytes[i - 1]);
    return 0;
}

int weir_homa_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_homa_config *cfg = config;
    uint64_t most = (uint64_t)WEIR_CREDIT_WINDOW_PKTS * path->mss_bytes;
    if (cfg->unsched.bytes > most)
        return weir_misfit(err, "unsched_max lets more than %u packets of a message go without grants",
                           WEIR_CREDIT_WINDOW_PKTS);
    if (cfg->window.bytes > most)
        return weir_misfit(err, "window lets more than %u packets of a message be on their way",
                           WEIR_CREDIT_WINDOW_PKTS);
    if (cfg->window.bytes < weir_path_wire_bytes(path))
        return weir_misfit(err, "window is less than one packet, which takes %u B of the wire",
                           (unsigned)weir_path_wire_bytes(path));
    if (cfg->cutoff_cap.bytes >= most)
        return weir_misfit(err, "cutoff_cap is %u packets or more", WEIR_CREDIT_WINDOW_PKTS);
    if (cfg->loss_ps != 0 && cfg->loss_ps < 2 * path->base_rtt_ps)
        return weir_misfit(err, "loss_timeout is less than two round trips: packets on their way would count as lost");
    return check_levels(cfg, err);
}

static void homa_init(const void *config, void *host, const struct weir_limits *limits)
{
    (void)config;
    *(struct weir_homa_host *)host = (struct weir_homa_host){
        .next_ps = WEIR_NEVER,
        .packet_bytes = weir_framing_wire(&limits->framing, limits->path.mss_bytes),
        .limits = limits,
    };
}

static uint8_t homa_control_class(const void *config)
{
    (void)config;
    return 0;
}

static uint8_t homa_data_class(const void *config)
{
    return (uint8_t)(((const struct weir_homa_config *)config)->priorities - 1);
}

static uint8_t homa_classes(const void *config)
{
    return (uint8_t)((const struct weir_homa_config *)config)->priorities;
}

static uint64_t homa_loss_ps(const void *config)
{
    return ((const struct weir_homa_config *)config)->loss_ps;
}

/* Writes the sums of credit to *out. Unscheduled bytes count as granted. */
static void homa_sums(const void *config, const void *host, struct weir_credit_sums *out)
{
    const struct weir_homa_config *cfg = config;
    const struct weir_homa_host *h = host;
    *out = (struct weir_credit_sums){
        .bucket_bytes = cfg->overcommit * (cfg->window.bytes + cfg->grant_pkts * (uint64_t)h->packet_bytes),
        .outstanding_bytes = (int64_t)h->out_bytes,
        .most_bytes = (int64_t)h->most_bytes,
    };
}

const struct weir_credit_ops weir_homa_ops = {
    .name = "homa",
    .host_bytes = sizeof(struct weir_homa_host),
    .peer_bytes = sizeof(struct weir_homa_peer),
    .tx_bytes = sizeof(struct weir_homa_tx),
    .rx_bytes = sizeof(struct weir_homa_rx),
    .init = homa_init,
    .peer_init = homa_peer_init,
    .control = homa_control,
    .control_next = homa_control_next,
    .tx_message = homa_tx_message,
    .tx_again = homa_tx_again,
    .tx_credit = homa_tx_credit,
    .tx_next = homa_tx_next,
    .tx_sent = homa_tx_sent,
    .tx_pause = homa_tx_pause,
    .tx_resume = homa_tx_resume,
    .tx_ready = homa_tx_ready,
    .tx_done = homa_tx_done,
    .rx_message = homa_rx_message,
    .rx_packet = homa_rx_packet,
    .rx_again = homa_rx_again,
    .rx_lost = homa_rx_lost,
    .rx_silent = homa_rx_silent,
    .rx_next_ps = homa_rx_next_ps,
    .rx_next = homa_rx_next,
    .rx_granted = homa_rx_granted,
    .rx_done = homa_rx_done,
    .control_class = homa_control_class,
    .data_class = homa_data_class,
    .classes = homa_classes,
    .loss_ps = homa_loss_ps,
    .sums = homa_sums,
};
