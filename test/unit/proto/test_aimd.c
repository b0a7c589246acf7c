/* test/unit/proto/test_aimd.c - drives the law with hand-made acknowledgements, then alone on a port. */
#include "test/unit/proto/delay_bench.h"
#include "test/unit/proto/law_bench.h"
#include "proto/aimd/aimd.h"

#define US WEIR_PS_PER_US
#define MSS UINT64_C(1000)

static struct weir_aimd_config cfg;
static struct weir_aimd flow;
static struct weir_ack last;
static const struct weir_path path = {
    .base_rtt_ps = 13 * US, .rate_bps = BENCH_RATE, .bdp_bytes = 162500, .mss_bytes = (uint32_t)MSS
};

static void begin(void)
{
    weir_param_resolve_bdp(weir_aimd_params, &cfg, path.bdp_bytes);
    assert_null(law_check(weir_aimd_check, &cfg, &path));
    weir_aimd_ops.init(&flow.cc, &cfg, &path);
    last = (struct weir_ack){ .now_ps = 77000000000, .next_seq = 10 * MSS, .acked_bytes = (uint32_t)MSS };
}

static int setup(void **state)
{
    (void)state;
    weir_param_defaults(weir_aimd_params, &cfg);
    begin();
    return 0;
}

/* One more packet is acknowledged, and one is sent. @return the window afterwards */
static uint32_t ack(uint64_t delay_ps)
{
    last.acked_seq += MSS;
    last.next_seq += MSS;
    last.qdelay_max_ps = delay_ps;
    weir_aimd_ops.on_ack(&flow.cc, &cfg, &last);
    return flow.cc.cwnd_bytes;
}

static void a_new_flow_has_a_bdp(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.cwnd_bytes, 162500);
    assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN && flow.cc.timer_ps == WEIR_NEVER);
    law_set(weir_aimd_params, &cfg, "init_cwnd", "10 KB");
    begin();
    assert_int_equal(flow.cc.cwnd_bytes, 10000);
}

static void window_grows_by_a_packet_per_round_trip_below_the_threshold(void **state)
{
    (void)state;
    assert_int_equal(ack(20 * US - 1), 163500); /* next_seq 11000 */
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(ack(0), 163500); /* up to 11000 */
    assert_int_equal(ack(0), 164500);
    assert_int_equal(flow.round_seq, 22 * MSS);
}

static void window_loses_a_fifth_per_round_trip_above_the_threshold(void **state)
{
    (void)state;
    assert_int_equal(ack(20 * US + 1), 130000);
    assert_int_equal(ack(90 * US), 130000);
    for (uint32_t i = 0; i < 9; i++)
        ack(90 * US);
    assert_int_equal(ack(90 * US), 104000);
    flow.cc.cwnd_bytes = 1100;
    flow.round_seq = 0;
    assert_int_equal(ack(90 * US), MSS); /* never below a packet */
}

static void window_is_constant_at_the_threshold(void **state)
{
    (void)state;
    assert_int_equal(ack(20 * US), 162500);
    assert_int_equal(flow.round_seq, 11 * MSS); /* and that was the decision */
}

static void a_window_that_does_not_limit_does_not_grow(void **state)
{
    (void)state;
    last.flags = WEIR_ACK_APP_LIMITED;
    assert_int_equal(ack(0), 162500);
    flow.round_seq = 0;
    assert_int_equal(ack(21 * US), 130000); /* but is cut */
}

static void a_loss_cuts_once_and_a_timeout_begins_again(void **state)
{
    struct weir_loss loss = { .lost_seq = 5 * MSS, .next_seq = 20 * MSS, .lost_bytes = (uint32_t)MSS };
    (void)state;
    weir_aimd_ops.on_loss(&flow.cc, &cfg, &loss);
    assert_int_equal(flow.cc.cwnd_bytes, 130000);
    loss.lost_seq = 19 * MSS;
    weir_aimd_ops.on_loss(&flow.cc, &cfg, &loss);
    assert_int_equal(flow.cc.cwnd_bytes, 130000);
    loss.lost_seq = 20 * MSS;
    weir_aimd_ops.on_loss(&flow.cc, &cfg, &loss);
    assert_int_equal(flow.cc.cwnd_bytes, 104000);
    loss.is_timeout = true;
    weir_aimd_ops.on_loss(&flow.cc, &cfg, &loss);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
}

static void a_message_begins_anew_unless_flows_live_on(void **state)
{
    (void)state;
    ack(90 * US);
    weir_aimd_ops.on_start(&flow.cc, &cfg, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 162500);
    law_set(weir_aimd_params, &cfg, "restart", "no");
    flow.round_seq = 0;
    ack(90 * US);
    weir_aimd_ops.on_start(&flow.cc, &cfg, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 130000);
}

static void keys_have_their_bounds(void **state)
{
    const struct weir_preset none = { 0 };
    (void)state;
    law_rows_are_sound(weir_aimd_params, &none, sizeof(cfg));
    law_set(weir_aimd_params, &cfg, "threshold", "1 us");
    law_set(weir_aimd_params, &cfg, "step", "3");
    law_set(weir_aimd_params, &cfg, "cut", "0.5");
    assert_int_equal(ack(US - 1), 165500);
    flow.round_seq = 0;
    assert_int_equal(ack(US + 1), 82750);
    law_set(weir_aimd_params, &cfg, "init_cwnd", "999 B");
    law_refused(law_check(weir_aimd_check, &cfg, &path), "init_cwnd");
    law_set(weir_aimd_params, &cfg, "init_cwnd", "1000 B");
    law_set(weir_aimd_params, &cfg, "threshold", "20 us");
    struct weir_path narrow = path;
    narrow.qdelay_most_ps = 20 * WEIR_PS_PER_US;
    law_refused(law_check(weir_aimd_check, &cfg, &narrow), "threshold");
    narrow.qdelay_most_ps++;
    assert_null(law_check(weir_aimd_check, &cfg, &narrow));
    assert_int_equal(weir_aimd_ops.needs, WEIR_NEED_QDELAY);
}

/* 33 us of 100 Gb/s are 412 packets. The first packet sent after a cut comes to a queue of 13.4 us, but the filter still tells
 * of the one before: a second cut leaves 264 packets, then there is one more per round trip. */
static void a_lone_flow_is_a_sawtooth_below_the_threshold_and_fills_the_link(void **state)
{
    static struct bench bench;
    (void)state;
    bench = (struct bench){ .ops = &weir_aimd_ops, .config = &cfg, .flows = 1, .rtt_ps = 13 * US, .tau_ps = 10e6 };
    bench.flow[0].cc = &flow.cc;
    bench_run(&bench, 10 * WEIR_PS_PER_MS);
    bench_count(&bench);
    bench_run(&bench, 30 * WEIR_PS_PER_MS);
    assert_in_range((uint64_t)bench.delay_max_ps, 20 * US, 21 * US);
    assert_in_range((uint64_t)bench.delay_min_ps, 8 * US, 8500000); /* 0.64 * 33 us - 13 us = 8.1 us */
    assert_true(bench_gbps(&bench, 0) > 99.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_new_flow_has_a_bdp, setup),
        cmocka_unit_test_setup(window_grows_by_a_packet_per_round_trip_below_the_threshold, setup),
        cmocka_unit_test_setup(window_loses_a_fifth_per_round_trip_above_the_threshold, setup),
        cmocka_unit_test_setup(window_is_constant_at_the_threshold, setup),
        cmocka_unit_test_setup(a_window_that_does_not_limit_does_not_grow, setup),
        cmocka_unit_test_setup(a_loss_cuts_once_and_a_timeout_begins_again, setup),
        cmocka_unit_test_setup(a_message_begins_anew_unless_flows_live_on, setup),
        cmocka_unit_test_setup(keys_have_their_bounds, setup),
        cmocka_unit_test_setup(a_lone_flow_is_a_sawtooth_below_the_threshold_and_fills_the_link, setup),
    };
    return cmocka_run_group_tests_name("proto/aimd", tests, NULL, NULL);
}
