/* test/unit/proto/test_rcp.c - drives the law with hand-made ACKs. */
#include "test/unit/proto/law_bench.h"
#include "proto/rcp/rcp_core.h"

#define GBPS UINT64_C(1000000000)
enum { MSS = 1000 };

static struct weir_rcp_config cfg;
static struct weir_rcp flow;

static int setup(void **state)
{
    const struct weir_path path = { .base_rtt_ps = 10 * WEIR_PS_PER_US, .rate_bps = 10 * GBPS, .mss_bytes = MSS };
    (void)state;
    law_use(weir_rcp_params, &cfg, &weir_rcp_presets[0]);
    cfg.refresh_ppm = 0;
    weir_rcp_ops.init(&flow.cc, &cfg, &path);
    return 0;
}

static void ack(uint32_t stamp)
{
    const struct weir_ack a = { .now_ps = 77000000000, .acked_bytes = MSS, .rate_stamp = stamp };
    weir_rcp_ops.on_ack(&flow.cc, &cfg, &a);
}

static void is_new(void)
{
    assert_int_equal(flow.cc.rate_bps, 10 * GBPS);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
}

static void a_new_flow_sends_one_packet_until_it_knows_its_rate(void **state)
{
    (void)state;
    is_new();
    ack(0); /* no port has written a rate */
    is_new();
    ack(weir_rcp_stamp(UINT64_C(2264) << 20));
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2264) << 20);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
}

static void the_newest_rate_holds(void **state)
{
    (void)state;
    ack(weir_rcp_stamp(UINT64_C(2264) << 20));
    ack(weir_rcp_stamp(UINT64_C(2048) << 10));
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2048) << 10);
    ack(0);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2048) << 10);
    ack(weir_rcp_stamp(UINT64_C(2049) << 21));
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2049) << 21);
}

static void no_rate_is_above_the_hosts_link(void **state)
{
    (void)state;
    ack(weir_rcp_stamp(100 * GBPS));
    assert_int_equal(flow.cc.rate_bps, 10 * GBPS);
    ack(weir_rcp_stamp(0));
    assert_int_equal(flow.cc.rate_bps, WEIR_RCP_RATE_MIN_BPS);
}

/* 1000 B in 10 us are 800 Mb/s. */
static void a_slow_flow_sends_a_packet_per_round_trip(void **state)
{
    (void)state;
    cfg.refresh_ppm = 1000000;
    ack(weir_rcp_stamp(0));
    assert_int_equal(flow.cc.rate_bps, 800000000);
    const struct weir_ack late = { .rtt_ps = 40 * WEIR_PS_PER_US, .rate_stamp = WEIR_RCP_STAMP_MAX };
    weir_rcp_ops.on_ack(&flow.cc, &cfg, &late);
    assert_int_equal(flow.cc.rate_bps, 200000000);
    ack(weir_rcp_stamp(0)); /* a retransmission's gives no sample */
    assert_int_equal(flow.cc.rate_bps, 200000000);
    ack(weir_rcp_stamp(UINT64_C(2048) << 20));
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2048) << 20);
    cfg.refresh_ppm = 500000;
    ack(weir_rcp_stamp(0));
    assert_int_equal(flow.cc.rate_bps, 100000000);
    const struct weir_ack fast = { .rtt_ps = 1000, .rate_stamp = WEIR_RCP_STAMP_MAX };
    weir_rcp_ops.on_ack(&flow.cc, &cfg, &fast);
    assert_int_equal(flow.cc.rate_bps, 10 * GBPS);
}

static void a_message_begins_as_a_new_flow_only_with_restart(void **state)
{
    (void)state;
    ack(weir_rcp_stamp(UINT64_C(2048) << 10));
    cfg.restart = 0;
    weir_rcp_ops.on_start(&flow.cc, &cfg, 77000000000);
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2048) << 10);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    cfg.restart = 1;
    weir_rcp_ops.on_start(&flow.cc, &cfg, 77000000000);
    is_new();
}

static void only_a_timeout_makes_the_rate_unknown(void **state)
{
    (void)state;
    ack(weir_rcp_stamp(UINT64_C(2048) << 10));
    weir_rcp_ops.on_loss(&flow.cc, &cfg, &(struct weir_loss){ .lost_bytes = MSS });
    assert_int_equal(flow.cc.rate_bps, UINT64_C(2048) << 10);
    weir_rcp_ops.on_loss(&flow.cc, &cfg, &(struct weir_loss){ .lost_bytes = MSS, .is_timeout = true });
    is_new();
}

static void rows_are_sound(void **state)
{
    (void)state;
    law_rows_are_sound(weir_rcp_params, weir_rcp_presets, sizeof(cfg));
    assert_int_equal(cfg.restart, 1);
    assert_int_equal(weir_rcp_ops.needs, WEIR_NEED_RCP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_new_flow_sends_one_packet_until_it_knows_its_rate, setup),
        cmocka_unit_test_setup(the_newest_rate_holds, setup),
        cmocka_unit_test_setup(no_rate_is_above_the_hosts_link, setup),
        cmocka_unit_test_setup(a_slow_flow_sends_a_packet_per_round_trip, setup),
        cmocka_unit_test_setup(a_message_begins_as_a_new_flow_only_with_restart, setup),
        cmocka_unit_test_setup(only_a_timeout_makes_the_rate_unknown, setup),
        cmocka_unit_test_setup(rows_are_sound, setup),
    };
    return cmocka_run_group_tests_name("proto/rcp", tests, NULL, NULL);
}
