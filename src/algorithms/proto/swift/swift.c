/* src/algorithms/proto/swift/swift.c - the keys, the presets, set-up, losses and the ops table of Swift. */
#include "proto/swift/swift_core.h"
#include "core/recommend.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static const struct weir_keyword twice_base_rtt = { "auto", 0 };
static const struct weir_keyword five_targets = { "auto", WEIR_NEVER };
static const char *const holds[] = { "decrease", "unchanged", NULL };

const struct weir_param weir_swift_params[] = {
    WEIR_PARAM_KEYWORD(
        "base_target", struct weir_swift_config, base_target_ps, WEIR_KIND_TIME, 1 * US, 2 * MS, 0, &twice_base_rtt,
        "target of the round trip without scaling; auto = twice the longest path's base round trip, as the "
        "15 us of SIRD's runs"),
    WEIR_PARAM_NAMED("hop_delay", struct weir_swift_config, hop_ps, WEIR_KIND_TIME, 0, 100 * US, 1 * US,
                     "topology scaling: added to the target per switch on the path; 0 = none, 1 us in SIRD's runs"),
    WEIR_PARAM_KEYWORD(
        "fs_range", struct weir_swift_config, fs_range_ps, WEIR_KIND_TIME, 0, 10 * MS, WEIR_NEVER, &five_targets,
        "flow scaling: most it adds to the target; auto = five base targets, as the 75 us of SIRD's runs; "
        "0 = none"),
    WEIR_PARAM_NAMED("fs_min", struct weir_swift_config, fs_min_ppm, WEIR_KIND_PPM, 1000, 1000000000, 100000,
                     "window in packets below which flow scaling adds fs_range; 0.1 in SIRD's runs"),
    WEIR_PARAM_NAMED("fs_max", struct weir_swift_config, fs_max_ppm, WEIR_KIND_PPM, 1000, 1000000000, 100000000,
                     "window in packets above which flow scaling adds nothing; 100 in SIRD's runs"),
    WEIR_PARAM_NAMED("ai", struct weir_swift_config, ai_ppm, WEIR_KIND_PPM, 1000, 100000000, 1000000,
                     "packets by which a window grows per round trip, in steps of 2^-16; 1 in SIRD's runs"),
    WEIR_PARAM_NAMED("beta", struct weir_swift_config, beta_ppm, WEIR_KIND_PPM, 1, 1000000, 800000,
                     "share of the relative excess of delay that a decrease removes; 0.8 in SIRD's runs"),
    WEIR_PARAM_NAMED("max_mdf", struct weir_swift_config, max_mdf_ppm, WEIR_KIND_PPM, 1, 999000, 500000,
                     "most of a window that one decrease removes, and what a loss removes; 0.5 in SIRD's runs"),
    WEIR_PARAM_NAMED("init_cwnd", struct weir_swift_config, init_cwnd, WEIR_KIND_BDP, 64, WEIR_CWND_MAX_BYTES, 64,
                     "window of a new flow, payload bytes or multiples of BDP; 66 packets, one BDP, in SIRD's runs",
                     .milli_default = 1000),
    WEIR_PARAM_NAMED("min_cwnd", struct weir_swift_config, min_cwnd_ppm, WEIR_KIND_PPM, 1000, 1000000, 1000,
                     "least window in packets; below 1 packets are paced; 0.001 in SIRD's runs"),
    WEIR_PARAM_NAMED("max_cwnd", struct weir_swift_config, max_cwnd_pkts, WEIR_KIND_U32, 1, WEIR_SWIFT_PKTS_MAX, 666667,
                     "largest window in packets, within 1 GiB; 666667 in SIRD's runs"),
    WEIR_PARAM_NAMED("reset_timeouts", struct weir_swift_config, reset_timeouts, WEIR_KIND_U32, 1,
                     WEIR_SWIFT_TIMEOUTS_MAX, 12,
                     "so many timeouts in a row reduce the window to min_cwnd; 12 in SIRD's runs"),
    WEIR_PARAM_CHOICE("hold", struct weir_swift_config, hold, holds, WEIR_SWIFT_HOLD_DECREASE,
                      "what must lie a round trip back before a decrease: the last one; or the last ACK that left the "
                      "window as it was, too, as in the OMNeT++ model of SIRD's runs"),
    WEIR_PARAM_NAMED(
        "endpoint", struct weir_swift_config, endpoint, WEIR_KIND_FLAG, 0, 1, 1,
        "a second window follows the delay at the receiver, and the smaller one counts; off in SIRD's runs"),
    WEIR_PARAM_NAMED("endpoint_target", struct weir_swift_config, endpoint_target_ps, WEIR_KIND_TIME,
                     100 * WEIR_PS_PER_NS, 1 * MS, 25 * US,
                     "target of the delay at the receiver, from DATA's arrival to the ACK's departure; no source has a "
                     "value"),
    WEIR_PARAM_NAMED("endpoint_g", struct weir_swift_config, endpoint_g_ppm, WEIR_KIND_PPM, 1, 1000000, 125000,
                     "weight of the latest sample in the average of that delay; no source has a value"),
    WEIR_PARAM_NAMED("restart", struct weir_swift_config, restart, WEIR_KIND_FLAG, 0, 1, 0,
                     "every message begins with init_cwnd, as in SIRD's runs"),
    WEIR_PARAM_NAMED("grow_always", struct weir_swift_config, grow_always, WEIR_KIND_FLAG, 0, 1, 1,
                     "grow with every ACK below the target, as published; else only while the window is the limit"),
    { .key = NULL },
};

static const char *const sigcomm2020[] = { "fabric.routing: ecmp", NULL };

/* Preset sird. init_cwnd is 66 packets of 1452 B. Frames are those of the OMNeT++ model: TCP of 32 B with the timestamp
 * option, IP, Ethernet. */
static const char *const sird[] = {
    "base_target: 15 us",   "fs_range: 75 us",
    "init_cwnd: 95832 B",   "endpoint: false",
    "restart: true",        "framing.payload: 1452 B",
    "framing.header: 70 B", "framing.ack_wire: 90 B",
    "host.connections: 40", "host.nic_queue: unlimited",
    "host.rto_min: 10 ms",  "host.rto_init: 1 s",
    "fabric.routing: ecmp", NULL,
};

const struct weir_preset weir_swift_presets[] = {
    { "sigcomm2020", "Kumar et al., SIGCOMM 2020: both windows; targets scaled with the network's base round trip",
      sigcomm2020 },
    { "sird", "the OMNeT++ runs of SIRD's evaluation, NSDI 2025: 100 Gb/s, a BDP of window per message, RTO of 10 ms",
      sird },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2020 has no PFC, and needs no feature of switches. */
const char *const weir_swift_recommends[] = { WEIR_RECOMMEND_LOSSY, "fabric.priorities: 1", NULL };

int weir_swift_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_swift_config *cfg = config;
    if (cfg->init_cwnd.bytes > WEIR_CWND_MAX_BYTES)
        return weir_misfit(err, "init_cwnd may not exceed 1 GiB");
    if (cfg->init_cwnd.bytes < path->mss_bytes)
        return weir_misfit(err, "init_cwnd is less than one packet");
    if (cfg->init_cwnd.bytes > (uint64_t)cfg->max_cwnd_pkts * path->mss_bytes)
        return weir_misfit(err, "init_cwnd is more than max_cwnd");
    if (cfg->fs_min_ppm >= cfg->fs_max_ppm)
        return weir_misfit(err, "fs_min is not below fs_max");
    if (weir_swift_a_ps(cfg, path) > WEIR_SWIFT_A_MAX_PS)
        return weir_misfit(err, "fs_min is too close to fs_max for an fs_range of %llu ps",
                           (unsigned long long)weir_swift_fs_range_ps(cfg, path));
    if (weir_swift_flat_ps(cfg, path) > WEIR_SWIFT_FLAT_MAX_PS)
        return weir_misfit(err, "base_target and hop_delay give more than 4 ms on the longest path");
    if (weir_swift_flat_ps(cfg, path) <= path->base_rtt_ps)
        return weir_misfit(err,
                           "base_target and hop_delay give no more than the base round trip of the longest path, %llu "
                           "ps: a large window would never grow",
                           (unsigned long long)path->base_rtt_ps);
    return 0;
}

static void swift_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_swift *s = (struct weir_swift *)cc;
    const struct weir_swift_config *cfg = config;
    (void)now_ps;
    if (!cfg->restart)
        return;
    s->fabric.cwnd_q28 = s->endpoint.cwnd_q28 = (cfg->init_cwnd.bytes << 28) / s->mss_bytes;
    weir_swift_answer(s, cfg);
}

const struct weir_cc_ops weir_swift_ops = {
    .name = "swift",
    .state_bytes = sizeof(struct weir_swift),
    .needs = WEIR_NEED_HOPS | WEIR_NEED_HELD,
    .init = weir_swift_init,
    .on_start = swift_on_start,
    .on_ack = weir_swift_on_ack,
    .on_loss = weir_swift_on_loss,
};
