/* test/unit/proto/test_limits.c - the decisions of CUBIC, DCQCN, DCTCP, HPCC, FNCC and RoCC at their limits. */
#include "test/unit/limit_bench.h"
#include "proto/cubic/cubic_core.h"
#include "proto/dcqcn/dcqcn_core.h"
#include "proto/dctcp/dctcp_core.h"
#include "proto/fncc/fncc_core.h"
#include "proto/hpcc/hpcc_core.h"
#include "proto/rocc/rocc_core.h"

/* --- CUBIC --- */

static uint64_t cubic_farthest_k(int at) /* 2^21 B in packets of 1 B, over C = 1: 2^21 cubic seconds */
{
    return weir_cubic_k(1u << 21, (uint32_t)(1000000 - at), 1);
}

static uint64_t cubic_window_is_not_below_0(int at) /* a second before K: 0.4 * 1000 B less than the origin */
{
    return weir_cubic_window((uint32_t)(400 + at), 1u << 14, 0, 400000, 1000);
}

static uint64_t hystart_train(int at) /* in a train, ACKs without a gap for 50 ms end slow start */
{
    const struct weir_ack ack = { .now_ps = 100 * WEIR_PS_PER_MS };
    struct weir_hystart s = { .round_ps = 1, .least_ps = WEIR_PS_PER_MS };
    s.train_ps = ack.now_ps - (uint64_t)((int64_t)WEIR_HYSTART_TRAIN_PS + at);
    return weir_hystart_ends(&s, &ack);
}

static uint64_t hystart_of(uint64_t rtt_ps, uint32_t samples)
{
    const struct weir_ack ack = { .now_ps = 100 * WEIR_PS_PER_MS, .rtt_ps = rtt_ps };
    struct weir_hystart s = {
        .round_ps = 1, .train_ps = 1, .least_ps = WEIR_PS_PER_MS, .round_least_ps = WEIR_NEVER, .samples = samples
    };
    return weir_hystart_ends(&s, &ack);
}

static uint64_t hystart_samples(int at)
{
    return hystart_of(10 * WEIR_PS_PER_MS, (uint32_t)(8 + at));
}

static uint64_t hystart_rise(int at) /* an eighth of 1 ms is less than 4 ms */
{
    return hystart_of(limit_off(5 * WEIR_PS_PER_MS, at), 8);
}

/* --- DCQCN --- */

static const struct weir_dcqcn_config dcqcn_paper = {
    .cnp_interval_ps = 50, .alpha_timer_ps = 55, .increase_timer_ps = 60, .fast_stages = 1
};

static uint64_t dcqcn_is_limited(int at)
{
    const struct weir_dcqcn d = { .rc_bps = limit_off(100, at), .line_bps = 100 };
    return weir_dcqcn_limited(&d);
}

static uint64_t dcqcn_last_stage(int at)
{
    return weir_dcqcn_next_stage((uint32_t)((1 << 20) + at));
}

static uint64_t dcqcn_age(int at)
{
    struct weir_dcqcn d = { .alpha_ps = limit_off(NOW, at), .marked_alpha = true };
    struct weir_dcqcn_aging aging = { .d = &d, .before_ps = NOW, .timer_ps = 55 };
    return (uint64_t)weir_dcqcn_age_once(0, &aging);
}

static uint64_t dcqcn_next_cut(int at) /* intervals of 50 ps; how long after NOW - 1 */
{
    struct weir_dcqcn d = { .alpha_ps = NOW + 55, .dec_ps = limit_off(NOW, at) };
    weir_dcqcn_vendor_mark(&d, &dcqcn_paper, NOW);
    return d.dec_ps - (NOW - 1);
}

/* Runs the timer at NOW. @return its stage, 10 if a mark still waits for its cut, 100 for an additive step: the paper's
 * first expiry is one, and the vendor's second one */
static uint64_t dcqcn_timer(enum weir_dcqcn_variant variant, bool marked, int cut, int increase)
{
    struct weir_dcqcn_config cfg = dcqcn_paper;
    struct weir_dcqcn d = {
        .alpha_ps = WEIR_NEVER, .marked_rate = marked, .rc_bps = 50, .rt_bps = 50, .line_bps = 100, .r_ai_bps = 9
    };
    cfg.variant = variant;
    d.dec_ps = limit_off(NOW, cut);
    d.inc_ps = limit_off(NOW, increase);
    weir_dcqcn_on_timer(&d.cc, &cfg, NOW);
    return d.t_stage + (d.marked_rate ? 10 : 0) + (d.rt_bps == 59 ? 100 : 0);
}

static uint64_t dcqcn_cut_is_due(int at)
{
    return dcqcn_timer(WEIR_DCQCN_VENDOR, true, at, 9);
}

static uint64_t dcqcn_paper_increase_is_due(int at)
{
    return dcqcn_timer(WEIR_DCQCN_PAPER, false, 9, at);
}

static uint64_t dcqcn_vendor_increase_is_due(int at)
{
    return dcqcn_timer(WEIR_DCQCN_VENDOR, false, 9, at);
}

static uint64_t dcqcn_cnp_is_due(int at)
{
    struct weir_dcqcn_rx rx = { .marked = true, .interval_end_ps = limit_off(NOW, at) };
    struct weir_notice out;
    return weir_dcqcn_rx_notice(&rx, &dcqcn_paper, NOW, &out);
}

/* --- DCTCP --- */

static const struct weir_dctcp_config dctcp = { .max_cwnd = { .bytes = 1 << 20 }, .g_ppm = 1000000 };

static struct weir_dctcp dctcp_flow(int at)
{
    return (struct weir_dctcp){ .cc = { .cwnd_bytes = (uint32_t)(10000 + at) },
                                .window_end_seq = NOW,
                                .cwr_end_seq = NOW,
                                .ssthresh_bytes = 10000,
                                .mss_bytes = 1000 };
}

static uint64_t dctcp_slow_start(int at) /* the window, and a million times what it has grown for the next packet */
{
    struct weir_dctcp d = dctcp_flow(at);
    weir_dctcp_grow(&d, &dctcp, 500);
    return d.cc.cwnd_bytes + UINT64_C(1000000) * d.grown_bytes;
}

static uint64_t dctcp_slow_start_in_a_cut_window(int at)
{
    const struct weir_ack ack = { .acked_bytes = 500, .acked_seq = 500, .next_seq = 5000 };
    struct weir_dctcp d = dctcp_flow(at);
    weir_dctcp_on_ack(&d.cc, &dctcp, &ack);
    return d.cc.cwnd_bytes + UINT64_C(1000000) * d.grown_bytes;
}

static uint64_t dctcp_of_no_byte(int at) /* 0, 1 and 2 acknowledged bytes, all marked: alpha, which was 7 */
{
    struct weir_dctcp d = { .acked_bytes = (uint32_t)(1 + at), .marked_bytes = (uint32_t)(1 + at), .alpha_q20 = 7 };
    weir_dctcp_close_window(&d, 1000000, 0);
    return d.alpha_q20;
}

/* --- HPCC and FNCC --- */

static uint64_t hpcc_counter_wraps(int at)
{
    return weir_hpcc_since(limit_off(50, at), 50, 100);
}

static uint64_t hpcc_older_record(int at) /* half of 2^44 ps */
{
    return weir_hpcc_dt_ps((UINT64_C(1) << 43) + (uint64_t)(int64_t)at, 0, WEIR_HPCC_TX_WRAP_EXACT);
}

static uint64_t hpcc_slack(int at) /* bytes of a port that had no time; 1 ps per byte */
{
    return weir_hpcc_of_one_port(limit_off(16384, at), 0, 1, 8 * WEIR_PS_PER_S);
}

static uint64_t hpcc_of_one_port(int at) /* 100 B and the slack, within 100 ps or one less or more */
{
    return weir_hpcc_of_one_port(16384 + 100, limit_off(100, -at), 1, 8 * WEIR_PS_PER_S);
}

static uint64_t hpcc_as_fast_as_its_port(int at) /* 1000 B at 80 ps: u is 1, and a bit less or more */
{
    struct weir_hpcc_hop last = { .ts_ps = 5 };
    const struct weir_int_hop now = { .ts_ps = limit_off(80005, -at), .tx_bytes = 1000, .rate_bps = 100000000000 };
    uint64_t u_q30 = 0;
    (void)weir_hpcc_hop_seen(&last, &now, 13000000, WEIR_HPCC_TX_WRAP_EXACT, &u_q30);
    return u_q30 - (WEIR_HPCC_ONE_Q30 - 13422); /* 2^30 / 80000 = 13421.8 */
}

static uint64_t hpcc_old_busiest(int at) /* is the new record used? */
{
    struct weir_hpcc f = { .busy_u_q16 = 100 };
    struct weir_hpcc_seen seen = { .u_q30 = limit_off(100, at) << 14, .tau_ps = 1 };
    weir_hpcc_busiest(&f, &seen, true);
    return seen.tau_ps;
}

static uint64_t hpcc_busiest_hop(int at) /* 2^30 ps, 1 ps per byte: queues are u */
{
    struct weir_int_hop hop[2] = { { .ts_ps = 9, .rate_bps = 8 * WEIR_PS_PER_S, .queue_bytes = 100 },
                                   { .ts_ps = 9, .rate_bps = 8 * WEIR_PS_PER_S, .queue_bytes = (uint32_t)(100 + at) } };
    const struct weir_ack ack = { .hop = hop, .hop_count = 2 };
    struct weir_hpcc f = { .base_rtt_ps = UINT64_C(1) << 30, .tx_wrap_bytes = WEIR_HPCC_TX_WRAP_EXACT, .hop_count = 2 };
    struct weir_hpcc_seen seen;
    f.hop[0].queue_bytes = f.hop[1].queue_bytes = 1000;
    assert_true(weir_hpcc_measure(&f, &ack, &seen));
    return seen.hop;
}

static uint64_t hpcc_least_cwnd(int at)
{
    struct weir_hpcc f = { .cwnd_min_bytes = 1000, .init_bytes = 5000, .base_rtt_ps = 13000000 };
    weir_hpcc_answer(&f, (uint32_t)(1000 + at));
    return f.cc.cwnd_bytes;
}

/* The stage after a step: U is so far above 0.5, of five stages so many were made. */
static uint64_t hpcc_step(int u, int stage)
{
    const struct weir_hpcc_config cfg = { .eta_ppm = 500000, .max_stage = 5 };
    struct weir_hpcc f = {
        .base_rtt_ps = 13000000, .wc_bytes = 4000, .init_bytes = 5000, .min_bytes = 1, .stage = (uint8_t)stage
    };
    f.u_q30 = limit_off(UINT64_C(1) << 29, u);
    weir_hpcc_compute(&f, &cfg, true);
    return f.stage;
}

static uint64_t hpcc_target(int at)
{
    return hpcc_step(at, 2);
}

static uint64_t hpcc_last_stage(int at)
{
    return hpcc_step(-1000, 5 + at);
}

static uint64_t fncc_is_queued(int at) /* 1 B of 1 B, with alpha 2 */
{
    const struct weir_fncc_config cfg = { .alpha_ppm = (uint32_t)(2000000 - at) };
    const struct weir_int_hop hop = { .queue_bytes = 1 };
    return weir_fncc_is_queued(&cfg, 1, 1, &hop);
}

/* The reference window after the shortcut: 1000 B of a BDP of 2000 B for two, before it 7000 B. */
static uint64_t fncc_shortcut(int u, int acked, int before_bytes)
{
    const struct weir_fncc_config cfg = {
        .alpha_ppm = 1000000, .beta_ppm = 1000000, .lhcs = 1, .lhcs_once = 1, .lhcs_lower_only = before_bytes != 0
    };
    struct weir_int_hop hop[WEIR_FNCC_LAST_HOP + 1] = { 0 };
    const struct weir_hpcc_seen seen = { .hop = WEIR_FNCC_LAST_HOP, .u_q30 = limit_off(UINT64_C(1) << 30, u) };
    struct weir_ack ack = { .hop = hop, .hop_count = WEIR_FNCC_LAST_HOP + 1, .share_count = 2 };
    struct weir_fncc f = { .hpcc = { .base_rtt_ps = 1000000, .init_bytes = 9000, .min_bytes = 1 }, .lhcs_seq = NOW };
    f.hpcc.wc_bytes = before_bytes != 0 ? (uint32_t)before_bytes : 7000;
    hop[WEIR_FNCC_LAST_HOP].rate_bps = 16000000000;
    ack.acked_seq = limit_off(NOW, acked);
    return weir_fncc_last_hop(&f, &cfg, &seen, &ack, 0) ? f.hpcc.wc_bytes : 7000;
}

static uint64_t fncc_above_alpha(int at)
{
    return fncc_shortcut(at, 9, 0);
}

static uint64_t fncc_once(int at)
{
    return fncc_shortcut(9, at, 0);
}

static uint64_t fncc_lower_only(int at) /* from one more or one less */
{
    return fncc_shortcut(9, 9, 1000 - at);
}

/* --- RoCC --- */

static const struct weir_rocc_config rocc = { .recovery_ps = 100, .min_rate_bps = 1 };

static uint64_t rocc_other_source(int at) /* whose rate it is then */
{
    const struct weir_notice notice = {
        .now_ps = NOW, .kind = WEIR_ROCC_RATE, .source = 7, .value = limit_off(5000, at)
    };
    struct weir_rocc r = { .cur_bps = 5000, .cur_source = 3, .line_bps = 9000, .apply_ps = WEIR_NEVER };
    weir_rocc_on_notice(&r.cc, &rocc, &notice);
    return r.cur_source;
}

static uint64_t rocc_notice_applies(int at) /* a waiting one, when another comes */
{
    const struct weir_notice notice = { .now_ps = NOW, .kind = WEIR_ROCC_RATE, .value = 4000 };
    struct weir_rocc r = { .cur_bps = 5000, .next_bps = 4500, .line_bps = 9000 };
    r.apply_ps = limit_off(NOW, at);
    weir_rocc_on_notice(&r.cc, &rocc, &notice);
    return r.cur_bps;
}

/* The rate after the timer at NOW. */
static uint64_t rocc_timer(uint64_t cur_bps, uint64_t apply_ps, uint64_t recover_ps)
{
    struct weir_rocc r = { .cur_bps = cur_bps, .next_bps = 4500, .line_bps = 9000, .apply_ps = apply_ps };
    r.recover_ps = recover_ps;
    weir_rocc_on_timer(&r.cc, &rocc, NOW);
    return r.cur_bps;
}

static uint64_t rocc_applies(int at)
{
    return rocc_timer(5000, limit_off(NOW, at), WEIR_NEVER);
}

static uint64_t rocc_recovers(int at)
{
    return rocc_timer(5000, WEIR_NEVER, limit_off(NOW, at));
}

static uint64_t rocc_limiter_goes(int at)
{
    return rocc_timer(limit_off(9000, at), WEIR_NEVER, NOW);
}

static const struct limit_row rows[] = {
    LIMIT(cubic_farthest_k, 2097151, 2097152, 2097152),
    LIMIT(cubic_window_is_not_below_0, 0, 0, 1),
    LIMIT(hystart_train, 1, 1, 0),
    LIMIT(hystart_samples, 0, 1, 1),
    LIMIT(hystart_rise, 0, 0, 1),
    LIMIT(dcqcn_is_limited, 1, 0, 0),
    LIMIT(dcqcn_last_stage, 1 << 20, 1 << 20, (1 << 20) + 1),
    LIMIT(dcqcn_age, 0, 1, 1),
    LIMIT(dcqcn_next_cut, 50, 1, 2),
    LIMIT(dcqcn_cut_is_due, 0, 0, 10),
    LIMIT(dcqcn_paper_increase_is_due, 101, 101, 0),
    LIMIT(dcqcn_vendor_increase_is_due, 1, 1, 0),
    LIMIT(dcqcn_cnp_is_due, 1, 1, 0),
    LIMIT(dctcp_slow_start, 10499, 500010000, 500010001),
    LIMIT(dctcp_slow_start_in_a_cut_window, 10499, 10000, 10001),
    LIMIT(dctcp_of_no_byte, 7, 1 << 20, 1 << 20),
    LIMIT(hpcc_counter_wraps, 99, 0, 1),
    LIMIT(hpcc_older_record, (UINT64_C(1) << 43) - 1, 0, 0),
    LIMIT(hpcc_slack, 1, 1, 0),
    LIMIT(hpcc_of_one_port, 1, 1, 0),
    LIMIT(hpcc_as_fast_as_its_port, 0, 13422, 26843),
    LIMIT(hpcc_old_busiest, 0, 1, 1),
    LIMIT(hpcc_busiest_hop, 0, 0, 1),
    LIMIT(hpcc_least_cwnd, 1000, 1000, 1001),
    LIMIT(hpcc_target, 3, 0, 0),
    LIMIT(hpcc_last_stage, 5, 0, 0),
    LIMIT(fncc_is_queued, 0, 0, 1),
    LIMIT(fncc_above_alpha, 7000, 7000, 1000),
    LIMIT(fncc_once, 7000, 7000, 1000),
    LIMIT(fncc_lower_only, 1000, 7000, 7000),
    LIMIT(rocc_other_source, 7, 7, 3),
    LIMIT(rocc_notice_applies, 4000, 4000, 5000),
    LIMIT(rocc_applies, 4500, 4500, 5000),
    LIMIT(rocc_recovers, 10000, 10000, 5000),
    LIMIT(rocc_limiter_goes, 17998, 18000, WEIR_RATE_OPEN),
};

static void answers_change_at_the_limit(void **state)
{
    (void)state;
    limit_rows_hold(rows, sizeof(rows) / sizeof(rows[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(answers_change_at_the_limit) };
    return cmocka_run_group_tests_name("proto/limits", tests, NULL, NULL);
}
