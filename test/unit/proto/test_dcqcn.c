/* test/unit/proto/test_dcqcn.c - drives both variants with hand-made CNPs, marks and timers: exact rates in bit/s. */
#include "test/unit/proto/law_bench.h"
#include "proto/dcqcn/dcqcn_core.h"

#define US WEIR_PS_PER_US
#define GBPS UINT64_C(1000000000)
#define BEGIN UINT64_C(77000000000)
enum { PAPER_100G, PAPER_40G, PAPER_25G, PAPER_200G, PAPER_400G, VENDOR_100G, VENDOR_25G, VENDOR_200G, VENDOR_400G };

static struct weir_dcqcn_config cfg;
static struct weir_dcqcn flow;
static struct weir_dcqcn_rx rx;
static uint64_t now_ps;

static void begin(uint32_t preset, uint64_t rate_bps)
{
    const struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = rate_bps, .mss_bytes = 1000 };
    law_use(weir_dcqcn_params, &cfg, &weir_dcqcn_presets[preset]);
    assert_null(law_check(weir_dcqcn_check, &cfg, &path));
    weir_dcqcn_ops.init(&flow.cc, &cfg, &path);
    weir_dcqcn_ops.on_start(&flow.cc, &cfg, BEGIN);
    now_ps = BEGIN;
    rx = (struct weir_dcqcn_rx){ 0 };
}

static int paper(void **state)
{
    (void)state;
    begin(PAPER_40G, 40 * GBPS);
    return 0;
}

static int vendor(void **state)
{
    (void)state;
    begin(VENDOR_100G, 100 * GBPS);
    return 0;
}

/* As the host does it: timers due before this instant run, each at its own; what arrives at it comes before them. */
static void pass(uint64_t until_ps)
{
    while (flow.cc.timer_ps < until_ps) {
        now_ps = flow.cc.timer_ps;
        flow.cc.timer_ps = WEIR_NEVER;
        weir_dcqcn_ops.on_timer(&flow.cc, &cfg, now_ps);
        assert_true(flow.cc.timer_ps > now_ps);
    }
    now_ps = until_ps;
}

static void cnp(uint64_t after_ps)
{
    pass(now_ps + after_ps);
    weir_dcqcn_ops.on_notice(&flow.cc, &cfg, &(struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DCQCN_CNP });
}

static void mark(uint64_t after_ps)
{
    pass(now_ps + after_ps);
    weir_dcqcn_ops.on_ack(&flow.cc, &cfg,
                          &(struct weir_ack){ .now_ps = now_ps, .acked_bytes = 1000, .marked_bytes = 1000 });
}

/* The timer, which is due at_ps after BEGIN. @return the rate afterwards */
static uint64_t timer(uint64_t at_ps)
{
    assert_int_equal(flow.cc.timer_ps, BEGIN + at_ps);
    pass(BEGIN + at_ps + 1);
    now_ps = BEGIN + at_ps;
    return flow.rc_bps;
}

static void send(uint32_t bytes)
{
    weir_dcqcn_ops.on_sent(&flow.cc, &cfg, &(struct weir_sent){ .now_ps = now_ps, .bytes = bytes });
}

/* --- variant paper --- */

static void without_marks_the_rate_stays_at_the_link(void **state)
{
    (void)state;
    for (uint32_t preset = 0; preset <= VENDOR_400G; preset++) {
        static const uint64_t gbps[] = { 100, 40, 25, 200, 400, 100, 25, 200, 400 };
        begin(preset, gbps[preset] * GBPS);
        for (int i = 0; i < 100; i++) {
            send(1000000000);
            weir_dcqcn_ops.on_ack(&flow.cc, &cfg, &(struct weir_ack){ .now_ps = now_ps, .acked_bytes = 1000 });
        }
        assert_int_equal(flow.cc.rate_bps, flow.line_bps);
        assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
        assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
        assert_int_equal(flow.rc_bps, gbps[preset] * GBPS);
    }
}

static void one_cnp_halves_and_each_timer_halves_the_gap(void **state)
{
    (void)state;
    cnp(0);
    assert_int_equal(flow.rc_bps, 20 * GBPS); /* alpha = 1 */
    assert_int_equal(flow.cc.rate_bps, 20 * GBPS);
    assert_int_equal(flow.rt_bps, 40 * GBPS);
    assert_int_equal(flow.alpha_q30, WEIR_DCQCN_ONE_Q30);
    assert_int_equal(timer(55 * US), 30 * GBPS);
    assert_int_equal(timer(110 * US), 35 * GBPS);
    assert_int_equal(timer(165 * US), UINT64_C(37500000000));
    assert_int_equal(timer(220 * US), UINT64_C(38750000000));
    assert_int_equal(timer(275 * US), UINT64_C(39375000000)); /* 40 (1 - 1/64) */
    pass(now_ps + 3000 * US);
    assert_int_equal(flow.rc_bps, 40 * GBPS); /* arrives, and rests */
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
}

static void after_five_stages_the_target_rises(void **state)
{
    (void)state;
    cnp(0);
    cnp(50 * US); /* before K: alpha is still 1 */
    assert_int_equal(flow.rc_bps, 10 * GBPS);
    assert_int_equal(flow.rt_bps, 20 * GBPS);
    assert_int_equal(timer(105 * US), 15 * GBPS);
    assert_int_equal(timer(160 * US), UINT64_C(17500000000));
    assert_int_equal(timer(215 * US), UINT64_C(18750000000));
    assert_int_equal(timer(270 * US), UINT64_C(19375000000));
    assert_int_equal(timer(325 * US), UINT64_C(19707500000)); /* R_T = 20.04 */
    assert_int_equal(flow.rt_bps, UINT64_C(20040000000));
    assert_int_equal(timer(380 * US), UINT64_C(19893750000)); /* R_T = 20.08 */
}

static void the_byte_counter_advances_its_own_stage(void **state)
{
    (void)state;
    cnp(0);
    cnp(50 * US);
    send(9999999);
    assert_int_equal(flow.b_stage, 0);
    send(2);
    assert_int_equal(flow.b_stage, 1);
    assert_int_equal(flow.sent_bytes, 1); /* carried over */
    assert_int_equal(flow.rc_bps, 15 * GBPS);
    assert_int_equal(flow.cc.timer_ps, BEGIN + 105 * US); /* the timer goes on */
    for (uint32_t i = 2; i <= 5; i++)
        send(10000000);
    assert_int_equal(flow.b_stage, 5);
    assert_int_equal(flow.rt_bps, UINT64_C(20040000000));
    cnp(1 * US);
    assert_int_equal(flow.b_stage, 0);
    assert_int_equal(flow.sent_bytes, 0);
}

static void hyper_increase_where_both_clocks_are_beyond_f(void **state)
{
    (void)state;
    cnp(0);
    cnp(50 * US);
    flow.t_stage = 5;
    flow.b_stage = 5;
    flow.rt_bps = 20 * GBPS;
    send(10000000); /* 5, 6: still additive */
    assert_int_equal(flow.rt_bps, UINT64_C(20040000000));
    (void)timer(105 * US); /* 6, 6: 200 Mb/s */
    assert_int_equal(flow.rt_bps, UINT64_C(20240000000));
    send(10000000); /* 6, 7: the lesser counts */
    assert_int_equal(flow.rt_bps, UINT64_C(20440000000));
    (void)timer(160 * US); /* 7, 7: twice as much */
    assert_int_equal(flow.rt_bps, UINT64_C(20840000000));
    flow.t_stage = flow.b_stage = WEIR_DCQCN_STAGE_MAX;
    (void)timer(215 * US);
    assert_int_equal(flow.rt_bps, 40 * GBPS); /* never above the line */
    assert_int_equal(flow.t_stage, WEIR_DCQCN_STAGE_MAX);
}

static void alpha_decays_once_per_k_without_a_cnp(void **state)
{
    (void)state;
    cnp(0);
    cnp(55 * US); /* at the very instant: what arrives comes first */
    assert_int_equal(flow.rc_bps, 10 * GBPS);
    flow.rc_bps = flow.rt_bps = 40 * GBPS;
    cnp(55 * US + 1);
    assert_int_equal(flow.rc_bps, UINT64_C(20078125000)); /* alpha = 255/256: 40 (1 - 255/512) */
    assert_int_equal(flow.alpha_q30, 1069563904);         /* 255/256 * 255/256 + 1/256 */
}

static void alpha_computed_late_equals_alpha_computed_in_time(void **state)
{
    static const uint32_t periods[] = { 0, 1, 2, 177, 1000, 4043, 4044, 4045, 100000 };
    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        uint64_t alpha = WEIR_DCQCN_ONE_Q30;
        begin(PAPER_40G, 40 * GBPS);
        cnp(0);
        for (uint32_t n = 0; n < periods[i]; n++)
            alpha = alpha * (1000000000 - 3906250) / 1000000000;
        weir_dcqcn_age(&flow, &cfg, BEGIN + periods[i] * 55 * US + 1);
        assert_int_equal(flow.alpha_q30, alpha);
        assert_int_equal(flow.alpha_ps, BEGIN + (periods[i] + 1) * 55 * US);
        if (periods[i] == 177) /* 9.7 ms: half */
            assert_in_range(alpha, WEIR_DCQCN_ONE_Q30 / 1000 * 499, WEIR_DCQCN_ONE_Q30 / 1000 * 501);
    }
    flow.alpha_q30 = WEIR_DCQCN_ONE_Q30 / 2;
    flow.alpha_ps = now_ps + 55 * US;
    for (int i = 0; i < 1500; i++)
        cnp(50 * US); /* 1 - (255/256)^1500 / 2 */
    assert_in_range(flow.alpha_q30, WEIR_DCQCN_ONE_Q30 / 1000 * 998, WEIR_DCQCN_ONE_Q30);
    assert_int_equal(flow.rc_bps, 100000000); /* the floor */
}

static void other_notices_and_echoed_marks_are_ignored(void **state)
{
    (void)state;
    weir_dcqcn_ops.on_notice(&flow.cc, &cfg, &(struct weir_notice){ .now_ps = now_ps, .kind = 7 });
    mark(0);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    (void)vendor(state);
    cnp(0);
    send(100000000);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
}

static void the_optional_window_follows_the_rate(void **state)
{
    (void)state;
    cfg.window = 1;
    weir_dcqcn_ops.on_start(&flow.cc, &cfg, now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 65000); /* 40 Gb/s * 13 us */
    cnp(0);
    assert_int_equal(flow.cc.cwnd_bytes, 32500);
    for (int i = 0; i < 20; i++)
        cnp(50 * US);
    assert_int_equal(flow.cc.cwnd_bytes, 1000); /* 162 B would be less than a packet */
}

static void a_message_begins_as_a_new_flow_unless_restart_is_off(void **state)
{
    (void)state;
    cnp(0);
    cfg.restart = 0;
    weir_dcqcn_ops.on_start(&flow.cc, &cfg, now_ps);
    assert_int_equal(flow.rc_bps, 20 * GBPS);
    cfg.restart = 1;
    weir_dcqcn_ops.on_start(&flow.cc, &cfg, now_ps);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
    assert_int_equal(flow.alpha_ps, WEIR_NEVER);
    cnp(1 * US);
    assert_int_equal(flow.rc_bps, 20 * GBPS);
}

/* --- receiver --- */

static bool arrives(uint64_t at_ps, uint32_t flags)
{
    struct weir_echo echo = { .ce = true, .share_count = 7 };
    struct weir_notice out = { 0 };
    weir_dcqcn_ops.rx_data(&rx, &cfg, &(struct weir_data){ .now_ps = at_ps, .flags = flags }, &echo);
    assert_int_equal(echo.share_count, 7);
    assert_true(echo.ce);
    bool sent = weir_dcqcn_ops.rx_notice(&rx, &cfg, at_ps, &out);
    assert_int_equal(out.kind, sent ? WEIR_DCQCN_CNP : 0);
    assert_int_equal(out.now_ps, sent ? at_ps : 0);
    return sent;
}

static void at_most_one_cnp_per_interval(void **state)
{
    (void)state;
    assert_int_equal(weir_dcqcn_ops.rx_flow_bytes, sizeof(rx));
    assert_int_equal(weir_dcqcn_ops.rx_next_ps(&rx, &cfg), WEIR_NEVER);
    assert_false(arrives(BEGIN - US, WEIR_DATA_PAYLOAD));
    assert_true(arrives(BEGIN, WEIR_DATA_PAYLOAD | WEIR_DATA_CE)); /* at once */
    assert_false(arrives(BEGIN + US, WEIR_DATA_PAYLOAD));
    assert_int_equal(weir_dcqcn_ops.rx_next_ps(&rx, &cfg), WEIR_NEVER);
    assert_false(arrives(BEGIN + 2 * US, WEIR_DATA_CE));
    assert_false(arrives(BEGIN + 49 * US, WEIR_DATA_CE));
    assert_int_equal(weir_dcqcn_ops.rx_next_ps(&rx, &cfg), BEGIN + 50 * US); /* at the end of the interval */
    assert_true(arrives(BEGIN + 50 * US, 0));
    assert_int_equal(weir_dcqcn_ops.rx_next_ps(&rx, &cfg), WEIR_NEVER);
    assert_false(arrives(BEGIN + 100 * US, 0)); /* nothing was marked in this one */
    assert_true(arrives(BEGIN + 101 * US, WEIR_DATA_CE));
    (void)vendor(state);
    assert_false(arrives(BEGIN, WEIR_DATA_CE)); /* the echo is enough */
}

/* --- variant vendor --- */

static void the_first_mark_cuts_an_interval_later(void **state)
{
    (void)state;
    mark(0);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    uint64_t cut_ps = 4 * US + WEIR_PS_PER_NS;
    /* alpha decayed at 1, 2, 3 and 4 us: 1057062656 / 2^30 = (255/256)^4 */
    assert_int_equal(timer(cut_ps), UINT64_C(50776684285));
    assert_int_equal(flow.alpha_q30, 1057062656);
    assert_int_equal(flow.rt_bps, 100 * GBPS);
    assert_int_equal(timer(cut_ps + 300 * US), UINT64_C(75388342143)); /* halfway to the target */
    assert_int_equal(flow.t_stage, 1);
    flow.rt_bps = 80 * GBPS;
    flow.rc_bps = 70 * GBPS;
    assert_int_equal(timer(cut_ps + 600 * US), UINT64_C(75010000000)); /* stage F: R_T = 80.02 */
    assert_int_equal(flow.rt_bps, UINT64_C(80020000000));
    assert_int_equal(timer(cut_ps + 900 * US), UINT64_C(77615000000)); /* beyond: R_T = 80.22 */
    assert_int_equal(flow.rt_bps, UINT64_C(80220000000));
    pass(BEGIN + 200000 * US);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
}

static void cuts_keep_to_their_instants(void **state)
{
    (void)state;
    mark(0);
    pass(BEGIN + 10 * US);
    assert_int_equal(flow.rc_bps, UINT64_C(50776684285)); /* one cut, as above */
    mark(0);      /* the next instant is at 12 us + 1 ns; alpha's at 10 us is still to come, and takes this mark in */
    mark(1 * US); /* and this one that of 11 us; 12 us sees none */
    assert_int_equal(flow.alpha_q30, 1036722736);
    assert_int_equal(timer(12 * US + WEIR_PS_PER_NS), UINT64_C(26355996989));
    assert_int_equal(flow.alpha_q30, 1032817077);
}

static void the_target_falls_with_the_first_cut_after_an_increase(void **state)
{
    (void)state;
    mark(0);
    pass(BEGIN + 5 * US);
    mark(0);
    pass(BEGIN + 9 * US); /* cut at 8 us + 1 ns, no increase since the first */
    assert_int_equal(flow.rt_bps, 100 * GBPS);
    cfg.clamp_target = 1;
    uint64_t rate = flow.rc_bps;
    mark(0);
    pass(BEGIN + 13 * US);
    assert_int_equal(flow.rt_bps, rate);
    assert_true(flow.rc_bps < rate);
    cfg.clamp_target = 0;
    flow.t_stage = 1;
    rate = flow.rc_bps;
    mark(0);
    pass(BEGIN + 17 * US);
    assert_int_equal(flow.rt_bps, rate);
    assert_int_equal(flow.t_stage, 0);
}

static void a_cut_comes_before_an_increase_of_the_same_instant(void **state)
{
    (void)state;
    mark(0);
    pass(BEGIN + 5 * US);
    mark(0);
    flow.inc_ps = flow.dec_ps;
    uint64_t rate = flow.rc_bps;
    pass(flow.dec_ps + 1);
    assert_true(flow.rc_bps < rate);
    assert_int_equal(flow.t_stage, 0);
    assert_int_equal(flow.inc_ps, BEGIN + 8 * US + WEIR_PS_PER_NS + 300 * US);
}

static void the_vendors_floor_is_a_gigabit(void **state)
{
    (void)state;
    for (int i = 0; i < 100; i++)
        mark(4 * US);
    assert_int_equal(flow.rc_bps, GBPS);
    assert_int_equal(flow.cc.rate_bps, GBPS);
}

/* --- both --- */

static void bounds_hold_whatever_arrives(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    for (uint32_t variant = 0; variant < 2; variant++) {
        (void)(variant == 0 ? paper(state) : vendor(state));
        for (int i = 0; i < 100000; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            if (x % 3 == 0)
                cnp(x >> 38); /* up to 67 us */
            else if (x % 3 == 1)
                mark(x >> 38);
            else
                send((uint32_t)x);
            assert_in_range(flow.rc_bps, cfg.min_rate_bps, flow.line_bps);
            assert_in_range(flow.rt_bps, flow.rc_bps, flow.line_bps);
            assert_in_range(flow.alpha_q30, 0, WEIR_DCQCN_ONE_Q30);
            assert_true(flow.cc.timer_ps >= now_ps);
        }
    }
}

static void presets_scale_with_the_link(void **state)
{
    static const struct {
        const char *name;
        uint64_t gbps, r_ai_mbps, r_hai_mbps;
    } rows[] = {
        { "paper-100g", 100, 100, 500 },  { "paper-40g", 40, 40, 200 },     { "paper-25g", 25, 25, 125 },
        { "paper-200g", 200, 200, 1000 }, { "paper-400g", 400, 400, 2000 }, { "vendor-100g", 100, 20, 200 },
        { "vendor-25g", 25, 5, 50 },      { "vendor-200g", 200, 40, 400 },  { "vendor-400g", 400, 80, 800 },
        { "dart", 10, 40, 200 },          { "priq", 10, 40, 200 },
    };
    (void)state;
    law_rows_are_sound(weir_dcqcn_params, weir_dcqcn_presets, sizeof(cfg));
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        bool vendor = strncmp(rows[i].name, "vendor", 6) == 0;
        assert_string_equal(weir_dcqcn_presets[i].name, rows[i].name);
        begin(i, rows[i].gbps * GBPS);
        assert_int_equal(flow.r_ai_bps, rows[i].r_ai_mbps * 1000000);
        assert_int_equal(flow.r_hai_bps, rows[i].r_hai_mbps * 1000000);
        assert_int_equal(cfg.fast_stages, vendor ? 1 : 5);
        assert_int_equal(cfg.cnp_interval_ps, vendor ? 4 * US : 50 * US);
        assert_int_equal(cfg.g_ppb, 3906250);
    }
    assert_null(weir_dcqcn_presets[sizeof(rows) / sizeof(rows[0])].name);
}

static void invalid_keys_are_refused_by_name(void **state)
{
    struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = 100 * GBPS, .mss_bytes = 1000 };
    (void)state;
    law_refused(law_check(weir_dcqcn_check, &cfg, &path), "link_rate"); /* the preset of 40 Gb/s */
    law_set(weir_dcqcn_params, &cfg, "link_rate", "any");
    assert_null(law_check(weir_dcqcn_check, &cfg, &path));
    path.rate_bps = 10 * GBPS;
    cfg.min_rate_bps = 10 * GBPS + 1;
    law_refused(law_check(weir_dcqcn_check, &cfg, &path), "min_rate");
    cfg.min_rate_bps = GBPS;
    path.mss_bytes = 9000;
    cfg.byte_counter_bytes = 8999;
    law_refused(law_check(weir_dcqcn_check, &cfg, &path), "byte_counter");
    cfg.variant = WEIR_DCQCN_VENDOR;
    assert_null(law_check(weir_dcqcn_check, &cfg, &path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_marks_the_rate_stays_at_the_link),
        cmocka_unit_test_setup(one_cnp_halves_and_each_timer_halves_the_gap, paper),
        cmocka_unit_test_setup(after_five_stages_the_target_rises, paper),
        cmocka_unit_test_setup(the_byte_counter_advances_its_own_stage, paper),
        cmocka_unit_test_setup(hyper_increase_where_both_clocks_are_beyond_f, paper),
        cmocka_unit_test_setup(alpha_decays_once_per_k_without_a_cnp, paper),
        cmocka_unit_test_setup(alpha_computed_late_equals_alpha_computed_in_time, paper),
        cmocka_unit_test_setup(other_notices_and_echoed_marks_are_ignored, paper),
        cmocka_unit_test_setup(the_optional_window_follows_the_rate, paper),
        cmocka_unit_test_setup(a_message_begins_as_a_new_flow_unless_restart_is_off, paper),
        cmocka_unit_test_setup(at_most_one_cnp_per_interval, paper),
        cmocka_unit_test_setup(the_first_mark_cuts_an_interval_later, vendor),
        cmocka_unit_test_setup(cuts_keep_to_their_instants, vendor),
        cmocka_unit_test_setup(the_target_falls_with_the_first_cut_after_an_increase, vendor),
        cmocka_unit_test_setup(a_cut_comes_before_an_increase_of_the_same_instant, vendor),
        cmocka_unit_test_setup(the_vendors_floor_is_a_gigabit, vendor),
        cmocka_unit_test(bounds_hold_whatever_arrives),
        cmocka_unit_test(presets_scale_with_the_link),
        cmocka_unit_test_setup(invalid_keys_are_refused_by_name, paper),
    };
    return cmocka_run_group_tests_name("proto/dcqcn", tests, NULL, NULL);
}
