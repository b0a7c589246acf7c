/* src/algorithms/proto/dctcp/dctcp.c - the keys, the presets, set-up, the rare events and the ops table of DCTCP. */
#include "proto/dctcp/dctcp_core.h"
#include "core/recommend.h"

static const struct weir_keyword unlimited = { "unlimited", WEIR_CWND_MAX_BYTES };

const struct weir_param weir_dctcp_params[] = {
    WEIR_PARAM_NAMED(
        "g", struct weir_dctcp_config, g_ppm, WEIR_KIND_PPM, 1, 1000000, 62500,
        "weight of the latest window in alpha: 0.0625 = 1/16 in SIGCOMM 2010 and RFC 8257, 0.08 in SIRD's runs"),
    WEIR_PARAM_NAMED("alpha", struct weir_dctcp_config, init_alpha_ppm, WEIR_KIND_PPM, 0, 1000000, 1000000,
                     "marked share a new flow starts with: RFC 8257 says 1, SIGCOMM 2010 and SIRD's runs 0"),
    WEIR_PARAM_NAMED("init_cwnd", struct weir_dctcp_config, init_cwnd, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES, 14600,
                     "window of a new flow, payload bytes or multiples of BDP; ten packets of 1460 B as in RFC 6928"),
    WEIR_PARAM_KEYWORD("max_cwnd", struct weir_dctcp_config, max_cwnd, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES,
                       WEIR_CWND_MAX_BYTES, &unlimited, "largest window; 1256 packets in SIRD's runs"),
    WEIR_PARAM_KEYWORD("ssthresh", struct weir_dctcp_config, ssthresh, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES,
                       WEIR_CWND_MAX_BYTES, &unlimited,
                       "end of a new flow's slow start; unlimited as in RFC 5681, max_cwnd in ns-2"),
    WEIR_PARAM_NAMED("min_cwnd", struct weir_dctcp_config, min_cwnd_pkts, WEIR_KIND_U32, 1, 64, 2,
                     "no cut goes below this many packets: 2 in Linux, 1 in SIRD's runs"),
    WEIR_PARAM_NAMED("restart", struct weir_dctcp_config, restart, WEIR_KIND_FLAG, 0, 1, 0,
                     "every message begins with init_cwnd (alpha and ssthresh live on), as in SIRD's runs"),
    WEIR_PARAM_NAMED("grow_always", struct weir_dctcp_config, grow_always, WEIR_KIND_FLAG, 0, 1, 0,
                     "grow with every ACK that does not cut, as ns-2 does: also while a cut window drains and when the "
                     "application is the limit"),
    { .key = NULL },
};

/* Preset rfc8257. The marking threshold K is 1 BDP: it scales with the rate, and the link stays busy even if all flows
 * halve their windows. RFC 8257 asks for more than RTT * C / 7, a bound that ignores bursts. The SIGCOMM 2010 paper
 * used 20 packets at 1 Gb/s and 65 packets at 10 Gb/s. With round trips of 100 us these are about 2.4 BDP and 0.8
 * BDP. */
static const char *const rfc8257[] = { "fabric.ecn.threshold: 1 BDP", NULL };

/* Preset sigcomm2010. K is 65 full packets of 1500 B, the paper's value at 10 Gb/s. A new flow begins with a marked
 * share of 0. */
static const char *const sigcomm2010[] = {
    "alpha: 0", "min_cwnd: 1", "host.rto_min: 10 ms", "host.rto_init: 10 ms", "fabric.ecn.threshold: 97500 B", NULL,
};

/* Preset ns2. init_cwnd is 66 packets of 1460 B. max_cwnd is 1256 packets, and so is ssthresh, because ns-2 sets
 * ssthresh of a new connection to the largest window. K is 82 packets of 1500 B in every queue, those of hosts
 * included. rto_init is rto_min, because the connections of those runs already had samples. */
static const char *const ns2[] = {
    "g: 0.08",
    "alpha: 0",
    "init_cwnd: 96360 B",
    "ssthresh: 1833760 B",
    "max_cwnd: 1833760 B",
    "min_cwnd: 1",
    "restart: true",
    "grow_always: true",
    "framing: ns2",
    "host.connections: 40",
    "host.reply_bytes: 4",
    "host.nic_queue: unlimited",
    "host.rto_min: 200 us",
    "host.rto_init: 200 us",
    "fabric.ecn.threshold: 123000 B",
    "fabric.ecn.at: all",
    "fabric.routing: ecmp",
    NULL,
};

/* Preset dart. Dart's evaluation states NewReno, and that the operating system costs time per transfer. Four values are
 * assumed: that cost (50 us), the RTO (10 ms), the buffer of a port (225 KB), and the threshold (a tenth of that
 * buffer). */
static const char *const dart[] = {
    "alpha: 0",
    "restart: true",
    "framing: ns2",
    "host.reliability: newreno",
    "host.rto_min: 10 ms",
    "host.rto_init: 10 ms",
    "host.overhead: 50 us",
    "fabric.priorities: 2",
    "fabric.port_buffer: 225 KB",
    "fabric.ecn.threshold: 22500 B",
    "fabric.routing: ecmp",
    NULL,
};

const struct weir_preset weir_dctcp_presets[] = {
    { "rfc8257", "RFC 8257 with Linux's floor of two packets; switches mark from one BDP on", rfc8257 },
    { "sigcomm2010", "Alizadeh et al., SIGCOMM 2010: 10 Gb/s, K of 65 packets, RTO of 10 ms", sigcomm2010 },
    { "ns2", "the ns-2 runs of SIRD's evaluation, NSDI 2025: 100 Gb/s, a BDP of window per message, RTO of 200 us",
      ns2 },
    { "dart", "Dart's evaluation, ToN 2020: 10 Gb/s, NewReno, an operating system that costs 50 us per message", dart },
    { NULL, NULL, NULL },
};

/* Recommended settings: no PFC, one priority, and one marking threshold in all queues, whose value comes from the
 * preset. */
const char *const weir_dctcp_recommends[] = { WEIR_RECOMMEND_LOSSY, "fabric.priorities: 1", WEIR_RECOMMEND_ONE_STEP,
                                              "fabric.ecn.at: all", "fabric.routing: ecmp", NULL };

int weir_dctcp_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_dctcp_config *cfg = config;
    if (cfg->init_cwnd.bytes < path->mss_bytes)
        return weir_misfit(err, "init_cwnd is less than one packet");
    if (cfg->max_cwnd.bytes > WEIR_CWND_MAX_BYTES || cfg->ssthresh.bytes > WEIR_CWND_MAX_BYTES)
        return weir_misfit(err, "max_cwnd and ssthresh may not exceed 1 GiB");
    if (cfg->max_cwnd.bytes < cfg->init_cwnd.bytes)
        return weir_misfit(err, "max_cwnd is less than init_cwnd");
    return cfg->max_cwnd.bytes < (uint64_t)cfg->min_cwnd_pkts * path->mss_bytes
               ? weir_misfit(err, "max_cwnd is less than min_cwnd")
               : 0;
}

static void dctcp_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_dctcp *d = (struct weir_dctcp *)cc;
    const struct weir_dctcp_config *cfg = config;
    (void)now_ps;
    if (!cfg->restart)
        return;
    weir_dctcp_set_cwnd(d, cfg, cfg->init_cwnd.bytes);
    d->grown_bytes = 0; /* ns-2's window is a real number; a new one has no fraction */
}

const struct weir_cc_ops weir_dctcp_ops = {
    .name = "dctcp",
    .state_bytes = sizeof(struct weir_dctcp),
    .needs = WEIR_NEED_ECN,
    .init = weir_dctcp_init,
    .on_start = dctcp_on_start,
    .on_ack = weir_dctcp_on_ack,
    .on_loss = weir_dctcp_on_loss,
};
