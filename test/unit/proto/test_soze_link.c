/* test/unit/proto/test_soze_link.c - flows that share one port: where delay and rates settle, and which settings do not let them. */
#include "test/unit/proto/delay_bench.h"
#include "test/unit/proto/law_bench.h"
#include "proto/soze/soze.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

static struct weir_soze_config cfg;
static struct weir_soze flow[BENCH_FLOWS];
static struct bench bench;

static void weigh(uint32_t i, double weight)
{
    struct weir_notice notice = { .kind = WEIR_NOTICE_WEIGHT, .value = (uint64_t)(weight * 1048576 + 0.5) };
    weir_soze_ops.on_notice(&flow[i].cc, &cfg, &notice);
}

/* As in the reference's model: base round trip of 13 us, delays over 10 us, targets from 3 to 23 us. */
static int setup(void **state)
{
    (void)state;
    law_use(weir_soze_params, &cfg, &weir_soze_presets[0]);
    memset(&bench, 0, sizeof(bench));
    bench.ops = &weir_soze_ops;
    bench.config = &cfg;
    bench.rtt_ps = 13 * US;
    bench.nic_ps = BENCH_PKT_PS;
    bench.tau_ps = 10e6;
    return 0;
}

static void begin(uint32_t flows)
{
    const struct weir_path path = { .base_rtt_ps = bench.rtt_ps, .rate_bps = BENCH_RATE, .mss_bytes = BENCH_PKT };
    assert_null(law_check(weir_soze_check, &cfg, &path));
    bench.flows = flows;
    for (uint32_t i = 0; i < flows; i++) {
        weir_soze_ops.init(&flow[i].cc, &cfg, &path);
        bench.flow[i].cc = &flow[i].cc;
    }
}

/* All begin at once at line rate. Measured from 4 ms on. */
static void run(uint32_t flows)
{
    begin(flows);
    bench_run(&bench, 4 * MS);
    bench_count(&bench);
    bench_run(&bench, 8 * MS);
}

static void assert_near(double is, double want, double off)
{
    if (!(fabs(is - want) <= off))
        fail_msg("%.6g is not within %g of %.6g", is, off, want);
}

static double target_us(double weights)
{
    return 3 + 20 * log(weights) / log(100);
}

/* The queue swings by more than half of the paper's span of delays. */
static void assert_oscillates(void)
{
    assert_true(bench.delay_max_ps - bench.delay_min_ps > 10e6);
}

static void up_to_eight_flows_settle_at_the_target(void **state)
{
    for (uint32_t n = 2; n <= 8; n++) {
        setup(state);
        run(n);
        assert_near(bench_delay_us(&bench), target_us(n), 0.02 * target_us(n));
        for (uint32_t i = 0; i < n; i++)
            assert_near(bench_gbps(&bench, i), 100.0 / n, 2.0 / n);
        assert_near(bench_sum_gbps(&bench), 100, 0.1);
        assert_true(bench.delay_max_ps - bench.delay_min_ps < 5e6);
    }
}

static void a_lone_flow_fills_its_link(void **state)
{
    (void)state;
    run(1);
    assert_near(bench_delay_us(&bench), 0, 0.001); /* its own link is the bottleneck: no queue to see */
    assert_near(bench_gbps(&bench, 0), 100, 0.1);
    setup(state);
    bench.nic_ps = 0; /* a faster one: the port is, and k is the target */
    run(1);
    assert_near(bench_delay_us(&bench), 3, 0.06);
    assert_near(bench_gbps(&bench, 0), 100, 0.1);
}

static void many_flows_oscillate_around_the_target(void **state)
{
    (void)state;
    for (uint32_t n = 16; n <= 32; n += 16) {
        setup(state);
        run(n);
        assert_near(bench_delay_us(&bench), target_us(n), 0.15 * target_us(n));
        assert_near(bench_gbps(&bench, 0), 100.0 / n, 5.0 / n);
        assert_true(bench_sum_gbps(&bench) > 97);
        assert_oscillates();
    }
}

static void per_rtt_updates_settle_too(void **state)
{
    (void)state;
    law_set(weir_soze_params, &cfg, "update_mode", "per-rtt");
    run(4);
    assert_near(bench_delay_us(&bench), target_us(4), 0.02 * target_us(4));
    for (uint32_t i = 0; i < 4; i++)
        assert_near(bench_gbps(&bench, i), 25, 0.5);
}

static void shares_follow_weights_and_a_change_takes_some_ten_round_trips(void **state)
{
    (void)state;
    run(4);
    weigh(0, 2);
    bench_run(&bench, bench.now_ps + 250 * US);
    bench_count(&bench);
    bench_run(&bench, bench.now_ps + MS);
    assert_near(bench_gbps(&bench, 0), 40, 0.8);
    for (uint32_t i = 1; i < 4; i++)
        assert_near(bench_gbps(&bench, i), 20, 0.4);
    assert_near(bench_delay_us(&bench), target_us(5), 0.02 * target_us(5));
    weigh(0, 100);
    bench_run(&bench, bench.now_ps + MS);
    bench_count(&bench);
    bench_run(&bench, bench.now_ps + 4 * MS);
    assert_near(bench_gbps(&bench, 0), 100 * 100.0 / 103, 0.5);
    assert_near(bench_gbps(&bench, 1), 100 / 103.0, 0.1); /* about two packets in flight */
}

static void weights_that_differ_by_five_thousandths_give_different_rates(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        double weight = 1 + 0.005 * i, want = 100 * weight / (1 + weight); /* 50, 50.125, 50.249 */
        setup(state);
        begin(2);
        weigh(0, weight);
        bench_run(&bench, 4 * MS);
        bench_count(&bench);
        bench_run(&bench, 36 * MS);
        assert_near(bench_gbps(&bench, 0), want, 0.03);
        assert_near(bench_gbps(&bench, 1), 100 - want, 0.03);
    }
}

static void the_base_round_trip_makes_queues_shorter(void **state)
{
    (void)state;
    law_set(weir_soze_params, &cfg, "rtt", "base");
    run(4);
    assert_near(bench_delay_us(&bench), 7.14, 0.07); /* the reference's figure */
    assert_near(bench_gbps(&bench, 0), 25, 0.5);
}

static void the_appendix_span_is_stable(void **state)
{
    (void)state;
    law_use(weir_soze_params, &cfg, &weir_soze_presets[1]);
    run(4);
    assert_near(bench_delay_us(&bench), 14.14, 0.14); /* 3 + 37 ln 4 / ln 100 */
    assert_true(bench.delay_max_ps - bench.delay_min_ps < 1e6);
    assert_near(bench_sum_gbps(&bench), 100, 0.01);
}

/* What the theorem does not say: feedback is a round trip old. */
static void a_larger_exponent_oscillates(void **state)
{
    (void)state;
    law_set(weir_soze_params, &cfg, "update_mode", "per-rtt");
    law_set(weir_soze_params, &cfg, "m", "0.5");
    run(4);
    assert_oscillates();
    assert_true(bench_sum_gbps(&bench) < 95);
}

static void a_longer_round_trip_oscillates(void **state)
{
    static const char *const modes[] = { "per-ack", "per-rtt" };
    for (uint32_t i = 0; i < 2; i++) {
        setup(state);
        law_set(weir_soze_params, &cfg, "update_mode", modes[i]);
        bench.rtt_ps = 20 * US;
        run(4);
        assert_oscillates();
    }
}

static void a_lower_beta_oscillates(void **state)
{
    (void)state;
    law_set(weir_soze_params, &cfg, "beta", "0.1 Gbps");
    run(4);
    assert_oscillates();
    assert_true(bench_sum_gbps(&bench) < 99.5);
}

static void every_ack_mode_is_a_limit_cycle(void **state)
{
    (void)state;
    law_set(weir_soze_params, &cfg, "update_mode", "every-ack");
    run(4);
    assert_true(bench.delay_max_ps > 30e6 && bench.delay_min_ps < 1e6);
    assert_true(bench_sum_gbps(&bench) < 80);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(up_to_eight_flows_settle_at_the_target, setup),
        cmocka_unit_test_setup(a_lone_flow_fills_its_link, setup),
        cmocka_unit_test_setup(many_flows_oscillate_around_the_target, setup),
        cmocka_unit_test_setup(per_rtt_updates_settle_too, setup),
        cmocka_unit_test_setup(shares_follow_weights_and_a_change_takes_some_ten_round_trips, setup),
        cmocka_unit_test_setup(weights_that_differ_by_five_thousandths_give_different_rates, setup),
        cmocka_unit_test_setup(the_base_round_trip_makes_queues_shorter, setup),
        cmocka_unit_test_setup(the_appendix_span_is_stable, setup),
        cmocka_unit_test_setup(a_larger_exponent_oscillates, setup),
        cmocka_unit_test_setup(a_longer_round_trip_oscillates, setup),
        cmocka_unit_test_setup(a_lower_beta_oscillates, setup),
        cmocka_unit_test_setup(every_ack_mode_is_a_limit_cycle, setup),
    };
    return cmocka_run_group_tests_name("proto/soze_link", tests, NULL, NULL);
}
