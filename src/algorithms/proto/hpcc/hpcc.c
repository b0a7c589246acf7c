/* src/algorithms/proto/hpcc/hpcc.c - the keys, the presets, set-up and the ops table of HPCC. */
#include "proto/hpcc/hpcc_core.h"
#include "core/recommend.h"
#include "proto/hpcc/hpcc_rows.h"

const struct weir_param weir_hpcc_params[] = { WEIR_HPCC_ROWS, { .key = NULL } };

static const char *const sigcomm2019[] = { "fabric.routing: ecmp", NULL };

/* Preset ns3. w_ai is 81 B because that simulator adds R_AI = 50 Mb/s per T = 13 us. */
static const char *const ns3[] = {
    "max_stage: 0",         "w_ai: 81 B",
    "min_rate: 1 Gbps",     "int: quantised",
    "framing: hpcc",        "host.reliability: go-back-n",
    "fabric.routing: ecmp", NULL,
};

const struct weir_preset weir_hpcc_presets[] = {
    { "sigcomm2019", "Li et al., SIGCOMM 2019: eta 0.95, five additive steps of 80 B; any link rate", sigcomm2019 },
    { "ns3", "the script of the authors' ns-3 simulator: always multiplicative, 50 Mb/s steps, quantised telemetry",
      ns3 },
    { NULL, NULL, NULL },
};

/* Recommended settings: SIGCOMM 2019 uses PFC, with ACKs in the class of data. The header of 100 B includes 42 B of
 * telemetry: five records of 8 B, and 2 B more. A full frame has 1518 B. */
const char *const weir_hpcc_recommends[] = { WEIR_RECOMMEND_LOSSLESS,   "fabric.priorities: 1",  "framing: ethernet",
                                             "framing.payload: 1418 B", "framing.header: 100 B", NULL };

static uint64_t base_rtt(const struct weir_hpcc_config *cfg, const struct weir_path *path)
{
    return cfg->base_rtt_ps != 0 ? cfg->base_rtt_ps : path->base_rtt_ps;
}

/* Returns the multiplier of the byte units of quantised records: int_multi, or if that is 0 the host link's rate in
 * whole multiples of 25 Gb/s. The result is at least 1, for slower links, too. */
static uint64_t multi(const struct weir_hpcc_config *cfg, const struct weir_path *path)
{
    return cfg->int_multi != 0 ? cfg->int_multi : weir_max_u64(1, path->rate_bps / WEIR_INT_MULTI_BPS);
}

int weir_hpcc_check(const void *config, const struct weir_path *path, struct weir_err *err)
{
    const struct weir_hpcc_config *cfg = config;
    uint64_t rtt_ps = base_rtt(cfg, path), bdp_bytes;
    if (rtt_ps < path->base_rtt_ps)
        return weir_misfit(err,
                           "base_rtt is less than the base round trip of the longest path, %llu ps: its flows could "
                           "never use their links",
                           (unsigned long long)path->base_rtt_ps);
    if (rtt_ps > WEIR_PS_PER_S)
        return weir_misfit(err, "base_rtt is more than 1 s");
    bdp_bytes = weir_mul_div_u64(path->rate_bps, rtt_ps, 8 * WEIR_PS_PER_S);
    if (bdp_bytes < path->mss_bytes || bdp_bytes > WEIR_CWND_MAX_BYTES)
        return weir_misfit(
            err,
            "base_rtt: the first window, the host link's rate times base_rtt, is less than one packet or more than "
            "1 GiB");
    if (cfg->min_rate_bps > path->rate_bps)
        return weir_misfit(err, "min_rate is more than the host link's rate");
    if (cfg->int_format == WEIR_HPCC_QUANTISED && !weir_telemetry_has_code(path->rate_bps))
        return weir_misfit(
            err, "int: a quantised record has codes for 25, 50, 100, 200 and 400 Gb/s only, and host_link is none of "
                 "them; use int: exact");
    return 0;
}

struct weir_telemetry_read weir_hpcc_telemetry(const void *config)
{
    const struct weir_hpcc_config *cfg = config;
    return (struct weir_telemetry_read){ .quantised = cfg->int_format == WEIR_HPCC_QUANTISED, .multi = cfg->int_multi };
}

/* Returns the least window, in bytes per rtt_ps, with which a flow is no slower than rate_bps. The rounded-down
 * quotient is raised by 1 if it gives less than rate_bps. */
static uint64_t least_window(uint64_t rate_bps, uint64_t rtt_ps)
{
    uint64_t bytes = weir_mul_div_u64(rate_bps, rtt_ps, 8 * WEIR_PS_PER_S);
    return bytes + (weir_mul_div_u64(bytes, 8 * WEIR_PS_PER_S, rtt_ps) < rate_bps);
}

void weir_hpcc_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_hpcc_config *cfg = config;
    struct weir_hpcc *f = (struct weir_hpcc *)cc;
    uint64_t rtt_ps = base_rtt(cfg, path), multi_units = multi(cfg, path);
    uint32_t init_bytes =
        weir_clamp_u32(weir_mul_div_u64(path->rate_bps, rtt_ps, 8 * WEIR_PS_PER_S), 1, WEIR_CWND_MAX_BYTES);
    *f = (struct weir_hpcc){
        .cc = { .timer_ps = WEIR_NEVER },
        .u_q30 = WEIR_HPCC_ONE_Q30,
        .base_rtt_ps = rtt_ps,
        .tx_wrap_bytes =
            cfg->int_format == WEIR_HPCC_QUANTISED ? WEIR_INT_TX_WRAP_BYTES * multi_units : WEIR_HPCC_TX_WRAP_EXACT,
        .wc_bytes = init_bytes,
        .line_bps = path->rate_bps,
        .init_bytes = init_bytes,
        .min_bytes = weir_clamp_u32(least_window(cfg->min_rate_bps, rtt_ps), 1, init_bytes),
        .cwnd_min_bytes = cfg->pace_only ? WEIR_CWND_MAX_BYTES : path->mss_bytes,
    };
    weir_hpcc_answer(f, init_bytes);
}

void weir_hpcc_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    struct weir_hpcc *f = (struct weir_hpcc *)cc;
    const struct weir_hpcc_config *cfg = config;
    (void)now_ps;
    if (!cfg->restart)
        return;
    f->u_q30 = WEIR_HPCC_ONE_Q30;
    f->wc_bytes = f->init_bytes;
    f->hop_count = f->stage = 0;
    weir_hpcc_answer(f, f->init_bytes);
}

const struct weir_cc_ops weir_hpcc_ops = {
    .name = "hpcc",
    .state_bytes = sizeof(struct weir_hpcc),
    .needs = WEIR_NEED_INT,
    .init = weir_hpcc_init,
    .on_start = weir_hpcc_on_start,
    .on_ack = weir_hpcc_on_ack,
};
