/* test/unit/proto/test_rocc.c - the sender with hand-made notices and timers; the congestion point's controller by exact
 * numbers, and in a port of fluid: one rate, one queue, one step of delay. */
#include "test/unit/proto/law_bench.h"
#include "proto/rocc/rocc_core.h"
#include "core/rocc_cp_core.h"

#define US WEIR_PS_PER_US
#define GBPS UINT64_C(1000000000)
#define MBPS UINT64_C(1000000)
#define BEGIN UINT64_C(77000000000)

static struct weir_rocc_config cfg;
static struct weir_rocc flow;
static struct weir_rocc_cp_config port;
static struct weir_rocc_cp cp;

static int setup(void **state)
{
    const struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = 40 * GBPS, .mss_bytes = 1000 };
    (void)state;
    law_use(weir_rocc_params, &cfg, &weir_rocc_presets[0]);
    assert_null(law_check(weir_rocc_check, &cfg, &path));
    weir_rocc_ops.init(&flow.cc, &cfg, &path);
    weir_rocc_ops.on_start(&flow.cc, &cfg, BEGIN);
    assert_true(weir_rocc_cp_config_for(40 * GBPS, &port));
    cp = weir_rocc_cp_begin(&port);
    return 0;
}

/* --- the sender --- */

static void notice(uint64_t at_ps, uint64_t rate_bps, uint32_t source)
{
    const struct weir_notice n = {
        .now_ps = BEGIN + at_ps, .value = rate_bps, .kind = WEIR_ROCC_RATE, .source = source
    };
    weir_rocc_ops.on_notice(&flow.cc, &cfg, &n);
}

/* The timer, which is due at_ps after BEGIN. @return the rate afterwards */
static uint64_t timer(uint64_t at_ps)
{
    assert_int_equal(flow.cc.timer_ps, BEGIN + at_ps);
    flow.cc.timer_ps = WEIR_NEVER;
    weir_rocc_ops.on_timer(&flow.cc, &cfg, BEGIN + at_ps);
    return flow.cc.rate_bps;
}

static void without_notices_the_rate_is_the_links(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    const struct weir_notice other = { .now_ps = BEGIN, .value = GBPS, .kind = 7 };
    weir_rocc_ops.on_notice(&flow.cc, &cfg, &other);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
}

static void a_notice_takes_effect_after_the_nics_reaction(void **state)
{
    (void)state;
    notice(0, 5 * GBPS, 1);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(timer(15 * US), 5 * GBPS);
    assert_int_equal(flow.cc.timer_ps, BEGIN + 115 * US);
    cfg.reaction_ps = 0;
    notice(20 * US, 4 * GBPS, 1); /* or at once */
    assert_int_equal(flow.cc.rate_bps, 4 * GBPS);
    assert_int_equal(flow.cc.timer_ps, BEGIN + 120 * US);
}

static void a_higher_rate_counts_from_the_same_port_only(void **state)
{
    (void)state;
    cfg.reaction_ps = 0;
    notice(0, 5 * GBPS, 1);
    notice(10 * US, 6 * GBPS, 2); /* another port would allow more */
    assert_int_equal(flow.cc.rate_bps, 5 * GBPS);
    assert_int_equal(flow.cc.timer_ps, BEGIN + 100 * US); /* and does not restart the timer */
    notice(20 * US, 7 * GBPS, 1);
    assert_int_equal(flow.cc.rate_bps, 7 * GBPS);
    notice(30 * US, 7 * GBPS, 2); /* the same rate: the word is its own now */
    assert_int_equal(flow.cur_source, 2);
    notice(40 * US, 8 * GBPS, 1);
    assert_int_equal(flow.cc.rate_bps, 7 * GBPS);
    notice(50 * US, 1, 1); /* lower than F_min */
    assert_int_equal(flow.cc.rate_bps, 100 * MBPS);
    notice(60 * US, 90 * GBPS, 1);
    assert_int_equal(flow.cc.rate_bps, 40 * GBPS); /* the line at most */
}

static void pending_notices_are_judged_in_order(void **state)
{
    (void)state;
    notice(0, 5 * GBPS, 1);
    notice(5 * US, 6 * GBPS, 2); /* higher than what is coming */
    notice(10 * US, 3 * GBPS, 2);
    notice(12 * US, 4 * GBPS, 2); /* corrects its own */
    assert_int_equal(timer(15 * US), 4 * GBPS);
    assert_int_equal(flow.cur_source, 2);
    notice(20 * US, 5 * GBPS, 2);
    assert_int_equal(flow.cc.rate_bps, 4 * GBPS); /* in force until the next takes effect */
    assert_int_equal(timer(35 * US), 5 * GBPS);
}

static void silence_doubles_the_rate_until_the_limiter_is_removed(void **state)
{
    (void)state;
    cfg.reaction_ps = 0;
    notice(0, 15 * GBPS, 1);
    assert_int_equal(timer(100 * US), 30 * GBPS);
    assert_int_equal(timer(200 * US), 40 * GBPS); /* 60 Gb/s: a limiter that does not limit */
    assert_int_equal(flow.cur_bps, 60 * GBPS);
    assert_int_equal(timer(300 * US), 40 * GBPS);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
    assert_int_equal(flow.cur_bps, WEIR_RATE_OPEN);
    notice(400 * US, 40 * GBPS, 9); /* now any port may begin */
    assert_int_equal(flow.cc.rate_bps, 40 * GBPS);
    assert_int_equal(timer(500 * US), 40 * GBPS); /* line rate is not above it: doubles first */
    assert_int_equal(flow.cur_bps, 80 * GBPS);
}

static void a_notice_precedes_a_simultaneous_recovery(void **state)
{
    (void)state;
    notice(0, 5 * GBPS, 1);
    (void)timer(15 * US);
    notice(100 * US, 2 * GBPS, 1); /* takes effect at 115 us, when the recovery timer is due */
    assert_int_equal(timer(115 * US), 2 * GBPS);
    assert_int_equal(flow.cc.timer_ps, BEGIN + 215 * US);
}

static void a_message_begins_without_limiter_unless_restart_is_off(void **state)
{
    (void)state;
    cfg.reaction_ps = 0;
    notice(0, 5 * GBPS, 1);
    cfg.restart = 0;
    weir_rocc_ops.on_start(&flow.cc, &cfg, BEGIN + US);
    assert_int_equal(flow.cc.rate_bps, 5 * GBPS);
    cfg.restart = 1;
    weir_rocc_ops.on_start(&flow.cc, &cfg, BEGIN + US);
    assert_int_equal(flow.cc.rate_bps, flow.line_bps);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
}

static void invalid_keys_are_refused_by_name(void **state)
{
    struct weir_path path = { .rate_bps = 40 * GBPS };
    (void)state;
    law_rows_are_sound(weir_rocc_params, weir_rocc_presets, sizeof(cfg));
    cfg.recovery_ps = 40 * US;
    law_refused(law_check(weir_rocc_check, &cfg, &path), "recovery");
    cfg.recovery_ps = 40 * US + 1;
    assert_null(law_check(weir_rocc_check, &cfg, &path));
    cfg.min_rate_bps = 41 * GBPS;
    law_refused(law_check(weir_rocc_check, &cfg, &path), "min_rate");
    path.rate_bps = GBPS;
    law_refused(law_check(weir_rocc_check, &cfg, &path), "host_link");
    assert_int_equal(weir_rocc_ops.needs, WEIR_NEED_FAIR_RATE);
}

/* --- the congestion point --- */

static void parameters_are_the_papers_scaled_with_the_rate(void **state)
{
    static const struct {
        uint64_t gbps;
        uint32_t f_max, q_ref, q_mid, q_max, alpha, beta;
    } rows[] = {
        { 25, 2500, 156, 312, 375, 300000, 1500000 },      { 40, 4000, 250, 500, 600, 300000, 1500000 },
        { 100, 10000, 500, 1000, 1100, 450000, 2250000 },  { 200, 20000, 1000, 2000, 2200, 450000, 2250000 },
        { 400, 40000, 2000, 4000, 4400, 450000, 2250000 },
    };
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(weir_rocc_cp_config_for(rows[i].gbps * GBPS, &port));
        assert_int_equal(port.f_max, rows[i].f_max);
        assert_int_equal(port.f_min, 10);
        assert_int_equal(port.q_ref, rows[i].q_ref);
        assert_int_equal(port.q_mid, rows[i].q_mid);
        assert_int_equal(port.q_max, rows[i].q_max);
        assert_int_equal(port.alpha_ppm, rows[i].alpha);
        assert_int_equal(port.beta_ppm, rows[i].beta);
        assert_int_equal(port.delta_f_bps, 10 * MBPS);
        assert_int_equal(port.delta_q_bytes, 600);
        assert_int_equal(port.period_ps, 40 * US);
    }
    assert_false(weir_rocc_cp_config_for(10 * GBPS - 1, &port));
    assert_false(weir_rocc_cp_config_for(800 * GBPS + 1, &port));
}

static void gains_fall_with_the_rate_in_six_regions(void **state)
{
    static const struct {
        uint32_t f, ratio;
    } rows[] = { { 4000, 1 }, { 2000, 1 }, { 1999, 2 }, { 1000, 2 }, { 999, 4 }, { 500, 4 }, { 499, 8 },
                 { 250, 8 },  { 249, 16 }, { 125, 16 }, { 124, 32 }, { 63, 32 }, { 62, 32 }, { 10, 32 } };
    (void)state;
    for (uint32_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(weir_rocc_cp_ratio(rows[i].f * WEIR_ROCC_MICRO, 4000), rows[i].ratio);
    assert_int_equal(weir_rocc_cp_ratio(2000 * WEIR_ROCC_MICRO - 1, 4000), 2);
}

static void the_pi_step_matches_hand_computed_numbers(void **state)
{
    (void)state;
    cp.f_micro = 3000 * WEIR_ROCC_MICRO;
    cp.q_old = 260;
    /* Q = 300: 3000 - 0.3 * 50 - 1.5 * 40 = 2925 */
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 300 * 600 + 599), 29250 * MBPS);
    assert_int_equal(cp.q_old, 300);
    /* Q = 200: 2925 + 0.3 * 50 + 1.5 * 100 = 3090 */
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 200 * 600), 30900 * MBPS);
    cp.f_micro = 100 * WEIR_ROCC_MICRO; /* ratio 32: 100 - (0.3 * 10 + 1.5 * 60) / 32 = 97.09375 */
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 260 * 600), UINT64_C(970937500));
    assert_int_equal(cp.f_micro, 97093750);
    cp.f_micro = 4000 * WEIR_ROCC_MICRO;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 0), 40 * GBPS); /* F_max at most */
    cp.f_micro = 11 * WEIR_ROCC_MICRO;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 400 * 600), 100 * MBPS); /* F_min at least */
}

static void a_long_queue_drops_the_rate_a_fast_one_halves_it(void **state)
{
    (void)state;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 500 * 600), 20 * GBPS); /* grew by Q_mid */
    cp.q_old = 1;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 500 * 600), UINT64_C(11765000000)); /* by 499: PI */
    /* 2000 - 0.3 * 250 - 1.5 * 499 = 1176.5 */
}

static void a_queue_of_q_max_drops_to_f_min_unless_f_is_small(void **state)
{
    (void)state;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 600 * 600), 100 * MBPS);
    cp.f_micro = 500 * WEIR_ROCC_MICRO; /* F_max / 8: left to the PI step, ratio 4 */
    cp.q_old = 600;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 600 * 600), UINT64_C(4737500000)); /* 500 - 0.3 * 350 / 4 */
    cp.f_micro = 500 * WEIR_ROCC_MICRO + 1;
    assert_int_equal(weir_rocc_cp_step(&cp, &port, 600 * 600), 100 * MBPS);
    cp.f_micro = 4000 * WEIR_ROCC_MICRO;
    (void)weir_rocc_cp_step(&cp, &port, UINT64_MAX);
    assert_int_equal(cp.q_old, WEIR_ROCC_QUEUE_UNITS_MAX);
}

/* N flows begin at line rate and obey the rate of the step before; nothing limits the queue. @return steps until F stays
 * within 5 % of C / N and the queue within a third of Q_ref, of 500 */
static uint32_t settles_after(uint64_t gbps, uint64_t flows)
{
    uint64_t queue_bytes = 0, rate_bps = gbps * GBPS, bytes_per_step = gbps * 5000; /* 40 us */
    uint32_t settled = 0;
    assert_true(weir_rocc_cp_config_for(rate_bps, &port));
    cp = weir_rocc_cp_begin(&port);
    for (uint32_t i = 1; i <= 500; i++) {
        uint64_t in_bytes = flows * rate_bps / 200000; /* bit/s for 40 us, in bytes */
        queue_bytes = queue_bytes + in_bytes > bytes_per_step ? queue_bytes + in_bytes - bytes_per_step : 0;
        rate_bps = weir_rocc_cp_step(&cp, &port, queue_bytes);
        uint64_t fair_bps = gbps * GBPS / flows, q = queue_bytes / 600;
        if (rate_bps < fair_bps / 20 * 19 || rate_bps > fair_bps / 20 * 21 || q < port.q_ref * 2 / 3 ||
            q > port.q_ref * 4 / 3)
            settled = i;
    }
    return settled;
}

/* Milliseconds, as published; most of it is the climb from F_min in the region of the smallest gains, and with 100 flows
 * the time the first burst takes to drain. */
static void the_rate_is_fair_and_the_queue_stands_at_q_ref(void **state)
{
    static const uint64_t gbps[] = { 25, 40, 100, 200, 400 };
    static const struct {
        uint64_t flows;
        uint32_t steps;
    } rows[] = { { 2, 160 }, { 10, 90 }, { 100, 170 } };
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            assert_in_range(settles_after(gbps[i], rows[k].flows), 20, rows[k].steps);
            uint64_t fair_micro = port.f_max * WEIR_ROCC_MICRO / rows[k].flows;
            assert_in_range(cp.f_micro, fair_micro / 1000 * 999, fair_micro / 1000 * 1001);
            assert_in_range(cp.q_old, port.q_ref - 2, port.q_ref + 2);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_notices_the_rate_is_the_links, setup),
        cmocka_unit_test_setup(a_notice_takes_effect_after_the_nics_reaction, setup),
        cmocka_unit_test_setup(a_higher_rate_counts_from_the_same_port_only, setup),
        cmocka_unit_test_setup(pending_notices_are_judged_in_order, setup),
        cmocka_unit_test_setup(silence_doubles_the_rate_until_the_limiter_is_removed, setup),
        cmocka_unit_test_setup(a_notice_precedes_a_simultaneous_recovery, setup),
        cmocka_unit_test_setup(a_message_begins_without_limiter_unless_restart_is_off, setup),
        cmocka_unit_test_setup(invalid_keys_are_refused_by_name, setup),
        cmocka_unit_test(parameters_are_the_papers_scaled_with_the_rate),
        cmocka_unit_test(gains_fall_with_the_rate_in_six_regions),
        cmocka_unit_test_setup(the_pi_step_matches_hand_computed_numbers, setup),
        cmocka_unit_test_setup(a_long_queue_drops_the_rate_a_fast_one_halves_it, setup),
        cmocka_unit_test_setup(a_queue_of_q_max_drops_to_f_min_unless_f_is_small, setup),
        cmocka_unit_test(the_rate_is_fair_and_the_queue_stands_at_q_ref),
    };
    return cmocka_run_group_tests_name("proto/rocc", tests, NULL, NULL);
}
