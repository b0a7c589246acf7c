/* test/unit/proto/test_soze_phantom.c - Soze with signal: phantom, by hand-made acknowledgements against libm. */
#include "test/unit/proto/soze_bench.h"

static const struct weir_path with = { .base_rtt_ps = 13 * US,
                                       .rate_bps = 100 * GBPS,
                                       .mss_bytes = 1000,
                                       .qdelay_most_ps = 262 * US,
                                       .qdelay_is_phantom = true };

/* 1000 B on the wire at 100 Gb/s are 80 ns; k is 1 us, p 39 us, alpha 100 and beta 1 Gb/s. */
static int setup(void **state)
{
    (void)state;
    assert_string_equal(weir_soze_presets[4].name, "phantom");
    law_use(weir_soze_params, &cfg, &weir_soze_presets[4]);
    weir_param_resolve_rtt(weir_soze_params, &cfg, 13 * US);
    assert_int_equal(cfg.p.ps, 39 * US);
    assert_null(law_check(weir_soze_check, &cfg, &with));
    weir_soze_ops.init(&flow.cc, &cfg, &with);
    now_ps = 77000000000;
    return 0;
}

/* log2(T^-1(D)): of rates in Gb/s, by libm */
static double inverse_gbps(double delay_us)
{
    return 100 * exp(-(delay_us - 1) / 39 * log(100));
}

static void the_round_trip_is_without_queues_that_the_delay_does_not_know(void **state)
{
    (void)state;
    assert_int_equal(weir_soze_phantom_rtt_ps(&flow, 2 * US, 15080000), 15080000);
    assert_int_equal(weir_soze_phantom_rtt_ps(&flow, 2 * US, 15079999), 15079999);
    assert_int_equal(weir_soze_phantom_rtt_ps(&flow, 2 * US, 15080001), 15080000); /* 13 + 2 us and a packet */
    assert_int_equal(weir_soze_phantom_rtt_ps(&flow, 0, 99 * US), 13080000);
}

/* All of the error at once: from 100 Gb/s to what 20 us ask for. */
static void the_first_ack_sets_the_window_that_its_delay_asks_for(void **state)
{
    (void)state;
    assert_near(ack(20 * US, 14 * US, US), inverse_gbps(20) * 14000 / 8, 5);
    (void)ack(20 * US, 14 * US, US);
    assert_near((double)flow.window_q16 / 65536, inverse_gbps(20) * 14000 / 8, 5); /* and there it is */
}

static void the_first_ack_leaves_a_packet(void **state)
{
    (void)state;
    (void)setup(NULL);
    assert_near(ack(39 * US, 13 * US, US), inverse_gbps(39) * 13000 / 8, 5); /* 1827 B */
    (void)setup(NULL);
    key("start_rate", "10 Gbps");
    weir_soze_ops.init(&flow.cc, &cfg, &with);
    weigh(ONE / 2);
    assert_near(ack(39 * US, 13 * US, US), 1000, 1);                        /* half of that */
    assert_near(ack(39 * US, 13 * US, US), 1000 * exp(log(0.9137) / 8), 1); /* then by an eighth of the rest */
}

/* Each ACK of a window's quarter advances the phase by a quarter; after a window it begins anew. */
static void the_phase_advances_by_the_share_of_the_window(void **state)
{
    (void)state;
    flow.updated_ps = 1;
    for (uint32_t i = 1; i < 10; i++) {
        set_window(4000);
        (void)ack(20 * US, 13 * US, US);
        assert_int_equal(flow.phase_q20, (i % 4) << 18);
    }
    flow.phase_q20 = 0;
    set_window(3000);
    (void)ack(20 * US, 13 * US, US);
    assert_int_equal(flow.phase_q20, (1u << 20) / 3);
}

/* An ACK of a packet moves a window of 4 packets by an eighth of the error, one of 16 by a sixteenth. */
static void a_packet_moves_the_window_by_an_eighth_at_most(void **state)
{
    double want;
    (void)state;
    flow.updated_ps = 1;
    set_window(4000);
    want = inverse_gbps(20) * 13000 / 8;
    assert_near(ack(20 * US, 13 * US, US), 4000 * pow(want / 4000, 1.0 / 8), 2);
    set_window(8000);
    assert_near(ack(20 * US, 13 * US, US), 8000 * pow(want / 8000, 1.0 / 8), 2);
    set_window(16000);
    assert_near(ack(20 * US, 13 * US, US), 16000 * pow(want / 16000, 1.0 / 16), 2);
}

/* ln(alpha / beta) is two decades: an error of three counts as that. */
static void an_error_beyond_the_span_counts_as_the_span(void **state)
{
    (void)state;
    flow.updated_ps = 1;
    set_window(100000);
    assert_near(ack(100 * US, 13 * US, US), 100000 * pow(0.01, 1.0 / 100), 20);
    set_window(100000);
    assert_near(ack(40 * US, 13 * US, US), 100000 * pow(1e9 * 13e-6 / 8 / 100000, 1.0 / 100),
                20); /* a decade and more */
}

/* Of a window of 1/64 of a packet in a base round trip, whatever the round trip of the ACK. */
static void the_floor_is_a_sixty_fourth_of_a_packet(void **state)
{
    double window = 0;
    (void)state;
    for (int i = 0; i < 200; i++)
        window = ack(100 * US, 13 * US, 1000 * US);
    assert_near(window, 1000.0 / 64, 0.01);
    assert_int_equal(flow.cc.cwnd_bytes, 1000);
    assert_in_range(flow.cc.rate_bps, 9614000, 9616000); /* 8000 bits / 64 / 13 us */
}

static void a_window_has_a_bound_without_the_virtual_queue(void **state)
{
    (void)state;
    flow.updated_ps = 1;
    set_window(500000);
    assert_near(ack(0, 14 * US, US), 163500 + 1000, 2); /* 100 Gb/s for 13.08 us, and a packet */
    set_window(500000);
    assert_near(ack(20 * US, 14 * US, US), 175000 + 1000, 2); /* the virtual queue is no part of the round trip */
}

/* p > 13 us ln(100) 2 / pi = 38.11 us; and a switch must report such delays. */
static void phantom_loops_are_refused_that_would_not_settle(void **state)
{
    struct weir_path other = with;
    (void)state;
    assert_null(law_check(weir_soze_check, &cfg, &other));
    key("p", "38113 ns");
    assert_null(law_check(weir_soze_check, &cfg, &other));
    key("p", "38112 ns");
    assert_non_null(law_check(weir_soze_check, &cfg, &other));
    key("allow_unstable", "true");
    assert_null(law_check(weir_soze_check, &cfg, &other));
    other.qdelay_is_phantom = false;
    assert_non_null(law_check(weir_soze_check, &cfg, &other));
}

static void the_keys_say_which_delays_are_read(void **state)
{
    struct weir_delay_read read = weir_soze_delays(&cfg);
    (void)state;
    assert_true(read.phantom);
    assert_int_equal(read.span_ps, 39 * US);
    assert_int_equal(read.longest_ps, 40 * US);
    key("signal", "real");
    assert_false(weir_soze_delays(&cfg).phantom);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_round_trip_is_without_queues_that_the_delay_does_not_know, setup),
        cmocka_unit_test_setup(the_first_ack_sets_the_window_that_its_delay_asks_for, setup),
        cmocka_unit_test_setup(the_first_ack_leaves_a_packet, setup),
        cmocka_unit_test_setup(the_phase_advances_by_the_share_of_the_window, setup),
        cmocka_unit_test_setup(a_packet_moves_the_window_by_an_eighth_at_most, setup),
        cmocka_unit_test_setup(an_error_beyond_the_span_counts_as_the_span, setup),
        cmocka_unit_test_setup(the_floor_is_a_sixty_fourth_of_a_packet, setup),
        cmocka_unit_test_setup(a_window_has_a_bound_without_the_virtual_queue, setup),
        cmocka_unit_test_setup(phantom_loops_are_refused_that_would_not_settle, setup),
        cmocka_unit_test_setup(the_keys_say_which_delays_are_read, setup),
    };
    return cmocka_run_group_tests_name("proto/soze_phantom", tests, NULL, NULL);
}
