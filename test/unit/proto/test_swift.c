/* test/unit/proto/test_swift.c - drives the law with hand-made ACKs: windows in packets, delays in picoseconds. */
#include "test/unit/proto/law_bench.h"
#include "proto/swift/swift_core.h"
#include "core/rng.h"

#define US WEIR_PS_PER_US
#define ONE WEIR_SWIFT_ONE_Q28
#define PKTS(milli) (ONE * (milli) / 1000) /* a window, from thousandths of packets */
enum { SIGCOMM2020, SIRD, MSS = 1452 };

static struct weir_swift_config cfg;
static struct weir_swift flow;
static struct weir_ack last;
static struct weir_path path;

/* SIRD's network: 15 us of target and 1 us for each of three switches. */
static void begin(void)
{
    assert_null(law_check(weir_swift_check, &cfg, &path));
    weir_swift_ops.init(&flow.cc, &cfg, &path);
    weir_swift_ops.on_start(&flow.cc, &cfg, 77 * US);
    last = (struct weir_ack){ .now_ps = 1000 * US, .acked_bytes = MSS };
}

static void use(uint32_t preset)
{
    path = (struct weir_path){
        .base_rtt_ps = 7500000, .rate_bps = 100000000000, .mss_bytes = MSS, .wire_bytes = 1542, .hops = 3
    };
    law_use(weir_swift_params, &cfg, &weir_swift_presets[preset]);
    if (cfg.init_cwnd.bdp_milli != 0)
        cfg.init_cwnd.bytes = 95832;
}

static int sird(void **state)
{
    (void)state;
    use(SIRD);
    begin();
    return 0;
}

static int sigcomm2020(void **state)
{
    (void)state;
    use(SIGCOMM2020);
    begin();
    return 0;
}

static void set_cwnd(uint64_t milli)
{
    flow.fabric.cwnd_q28 = flow.endpoint.cwnd_q28 = PKTS(milli);
}

/* An ACK of one packet, after_ps later. @return the window of the fabric, Q28 */
static uint64_t ack(uint64_t rtt_ps, uint64_t after_ps)
{
    last.now_ps += after_ps;
    last.rtt_ps = rtt_ps;
    weir_swift_ops.on_ack(&flow.cc, &cfg, &last);
    return flow.fabric.cwnd_q28;
}

static void lose(bool is_timeout, uint64_t after_ps)
{
    last.now_ps += after_ps;
    weir_swift_ops.on_loss(&flow.cc, &cfg, &(struct weir_loss){ .now_ps = last.now_ps, .is_timeout = is_timeout });
}

static void is_near(uint64_t value, uint64_t expected, uint64_t off)
{
    assert_in_range(value, expected > off ? expected - off : 0, expected + off);
}

/* --- target --- */

/* a = 75 us / (1 / sqrt(0.1) - 1 / sqrt(100)) = 24.491574 us: the table of SIRD's configuration, and windows in between. */
static void the_target_grows_as_the_window_shrinks(void **state)
{
    static const struct {
        uint64_t cwnd_milli, scaling_ps;
    } row[] = { { 1, 75000000 },    { 100, 75000000 }, { 200, 52315667 },  { 250, 46533990 },  { 500, 32187158 },
                { 1000, 22042416 }, { 4000, 9796629 }, { 10000, 5295758 }, { 16000, 3673736 }, { 64000, 612289 },
                { 66000, 565548 },  { 99000, 12339 },  { 100000, 0 },      { 101000, 0 },      { 666667000, 0 } };
    (void)state;
    is_near(flow.a_ps, 24491574, 1);
    assert_int_equal(flow.flat_ps, 18 * US);
    for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        is_near(weir_swift_scaling_ps(&flow, &cfg, PKTS(row[i].cwnd_milli)), row[i].scaling_ps, 5);
    assert_int_equal(weir_swift_scaling_ps(&flow, &cfg, PKTS(100)), 75 * US);
    /* ten packets across three switches: 23.3 us; one packet: 40.0 us; 66: 18.6 us */
    is_near(flow.flat_ps + weir_swift_scaling_ps(&flow, &cfg, PKTS(10000)), 23295758, 5);
    is_near(flow.flat_ps + weir_swift_scaling_ps(&flow, &cfg, PKTS(1000)), 40042416, 5);
    is_near(flow.flat_ps + weir_swift_scaling_ps(&flow, &cfg, PKTS(66000)), 18565548, 5);
}

static void the_root_is_exact_for_powers_of_four(void **state)
{
    (void)state;
    assert_int_equal(weir_swift_rsqrt_q26(ONE), 1u << 26);
    assert_int_equal(weir_swift_rsqrt_q26(4 * ONE), 1u << 25);
    assert_int_equal(weir_swift_rsqrt_q26(ONE / 4), 1u << 27);
    assert_int_equal(weir_swift_rsqrt_q26(ONE >> 10), 1u << 31);
    assert_int_equal(weir_swift_rsqrt_q26(ONE << 20), 1u << 16);
    is_near(weir_swift_rsqrt_q26(10 * ONE), 21221686, 1);   /* 2^26 / sqrt(10) = 21221686.2 */
    is_near(weir_swift_rsqrt_q26(PKTS(100)), 212216862, 6); /* 2^26 sqrt(10) */
}

/* A window just below fs_max has a root that rounds to that of fs_max. */
static void scaling_ends_at_fs_max_without_a_step_below_zero(void **state)
{
    (void)state;
    for (uint64_t less = 0; less < 2000; less++)
        assert_true(weir_swift_scaling_ps(&flow, &cfg, 100 * ONE - less) <= 1);
    flow.fs_q26 += 100;
    assert_int_equal(weir_swift_scaling_ps(&flow, &cfg, 100 * ONE - 300), 0);
}

static void each_switch_on_the_path_adds_hop_delay(void **state)
{
    (void)state;
    path.hops = 1; /* within a rack */
    begin();
    assert_int_equal(flow.flat_ps, 16 * US);
    path.hops = 0;
    begin();
    assert_int_equal(flow.flat_ps, 15 * US);
    path.hops = 5;
    cfg.hop_ps = 300000;
    begin();
    assert_int_equal(flow.flat_ps, 16500000);
}

static void automatic_targets_follow_the_base_round_trip(void **state)
{
    (void)state;
    assert_int_equal(cfg.base_target_ps, 0);
    assert_int_equal(flow.flat_ps, 2 * 7500000 + 3 * US);
    assert_int_equal(flow.range_ps, 75 * US);
    cfg.base_target_ps = 20 * US;
    begin();
    assert_int_equal(flow.flat_ps, 23 * US);
    assert_int_equal(flow.range_ps, 100 * US);
    cfg.fs_range_ps = 0; /* no flow scaling */
    begin();
    assert_int_equal(weir_swift_scaling_ps(&flow, &cfg, PKTS(50)), 0);
    assert_int_equal(weir_swift_scaling_ps(&flow, &cfg, PKTS(1000)), 0);
}

/* --- increase --- */

static void below_the_target_a_window_grows_by_ai_per_round_trip(void **state)
{
    (void)state;
    set_cwnd(10000);
    assert_int_equal(ack(20 * US, US), 10 * ONE + 26843545); /* 2^28 / 10 */
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);          /* whole packets */
    set_cwnd(10000);
    last.acked_bytes = 3 * MSS;
    assert_int_equal(ack(20 * US, US), 10 * ONE + 3 * 26843545);
    set_cwnd(10000);
    last.acked_bytes = 2 * MSS + 1; /* the last is a short one */
    assert_int_equal(ack(20 * US, US), 10 * ONE + 3 * 26843545);
    set_cwnd(1000);
    last.acked_bytes = 1;
    assert_int_equal(ack(20 * US, US), 2 * ONE);
    set_cwnd(1500);
    assert_int_equal(ack(20 * US, US), ONE + ONE / 2 + 178956970); /* 2/3 of a packet */
    assert_int_equal(flow.fabric.cut_ps, 0);
}

static void below_one_packet_a_window_grows_by_ai_per_packet(void **state)
{
    (void)state;
    set_cwnd(250);
    assert_int_equal(ack(20 * US, US), ONE / 4 + ONE);
    set_cwnd(999);
    assert_int_equal(ack(20 * US, US), PKTS(999) + ONE);
    cfg.ai_ppm = 250000;
    set_cwnd(500);
    assert_int_equal(ack(20 * US, US), ONE / 2 + ONE / 4);
    set_cwnd(8000);
    assert_int_equal(ack(18 * US, US), 8 * ONE + ONE / 32);
    cfg.ai_ppm = 100000000; /* the most there is */
    set_cwnd(1000);
    last.acked_bytes = 4 * MSS;
    assert_int_equal(ack(18 * US, US), 401 * ONE);
}

static void growth_ends_at_max_cwnd(void **state)
{
    (void)state;
    cfg.max_cwnd_pkts = 70;
    set_cwnd(69980);
    assert_int_equal(ack(8 * US, US), PKTS(69980) + (UINT64_C(1) << 56) / PKTS(69980));
    assert_int_equal(ack(8 * US, US), 70 * ONE);
    assert_int_equal(ack(8 * US, US), 70 * ONE);
    cfg.max_cwnd_pkts = WEIR_SWIFT_PKTS_MAX;
    flow.fabric.cwnd_q28 = (uint64_t)WEIR_SWIFT_PKTS_MAX << 28;
    assert_int_equal(ack(8 * US, US), (uint64_t)WEIR_SWIFT_PKTS_MAX << 28);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
}

static void a_window_that_does_not_limit_grows_only_with_grow_always(void **state)
{
    (void)state;
    last.flags = WEIR_ACK_APP_LIMITED;
    set_cwnd(16000);
    assert_int_equal(ack(8 * US, US), 16 * ONE + ONE / 16);
    cfg.grow_always = 0;
    assert_int_equal(ack(8 * US, US), 16 * ONE + ONE / 16);
    assert_int_equal(ack(200 * US, US), (16 * ONE + ONE / 16) / 2); /* it shrinks all the same */
    last.flags = 0;
    set_cwnd(16000);
    assert_int_equal(ack(8 * US, US), 16 * ONE + ONE / 16);
}

/* --- decrease --- */

/* Without flow scaling the target is 18 us. */
static void above_the_target_a_window_shrinks_by_its_excess(void **state)
{
    (void)state;
    cfg.fs_range_ps = 0;
    begin();
    set_cwnd(10000);
    is_near(ack(36 * US, US), 6 * ONE, 1); /* 1 - 0.8 (36 - 18) / 36 */
    assert_int_equal(flow.cc.cwnd_bytes, flow.fabric.cwnd_q28 >> 28 == 6 ? 6 * MSS : 5 * MSS);
    set_cwnd(10000);
    is_near(ack(20 * US, 50 * US), PKTS(9200), 2); /* 1 - 0.8 * 0.1 */
    set_cwnd(10000);
    assert_int_equal(ack(48 * US, 50 * US), 5 * ONE); /* 1 - 0.8 * 0.625 is max_mdf just yet */
    set_cwnd(10000);
    assert_int_equal(ack(1000 * US, 2000 * US), 5 * ONE);
    cfg.max_mdf_ppm = 100000;
    set_cwnd(10000);
    assert_int_equal(ack(1000 * US, 2000 * US), 9 * ONE);
    cfg.beta_ppm = 1000000, cfg.max_mdf_ppm = 999000;
    set_cwnd(10000);
    is_near(ack(36 * US, 2000 * US), 5 * ONE, 1);
}

static void at_the_target_a_window_stays(void **state)
{
    (void)state;
    cfg.fs_range_ps = 0;
    begin();
    set_cwnd(10000);
    assert_int_equal(ack(18 * US, 50 * US), 10 * ONE);
    assert_int_equal(flow.fabric.cut_ps, 0); /* nothing was cut */
    assert_true(ack(18 * US - 1, US) > 10 * ONE);
}

static void a_window_is_cut_once_per_round_trip(void **state)
{
    uint64_t cut_ps;
    (void)state;
    set_cwnd(128000);
    assert_int_equal(ack(100 * US, US), 64 * ONE);
    cut_ps = last.now_ps;
    assert_int_equal(ack(100 * US, 50 * US), 64 * ONE);
    assert_int_equal(ack(100 * US, 50 * US - 1), 64 * ONE);
    assert_int_equal(flow.fabric.cut_ps, cut_ps);
    assert_int_equal(ack(100 * US, 1), 32 * ONE);          /* just a round trip later */
    assert_int_equal(ack(30 * US, 30 * US - 1), 32 * ONE); /* the latest sample counts */
    assert_true(ack(30 * US, 1) < 32 * ONE);
}

static void an_increase_does_not_prolong_the_hold(void **state)
{
    (void)state;
    set_cwnd(128000);
    assert_int_equal(ack(100 * US, US), 64 * ONE);
    assert_true(ack(10 * US, 99 * US) > 64 * ONE);
    assert_true(ack(100 * US, US) < 33 * ONE);
}

/* As the model of SIRD's runs has it: ACKs that come while no decrease is allowed prolong the hold, so that a busy flow is cut again
 * only after a gap, or once it was below its target. */
static void with_hold_unchanged_every_ack_without_effect_prolongs_the_hold(void **state)
{
    (void)state;
    law_set(weir_swift_params, &cfg, "hold", "unchanged");
    begin();
    set_cwnd(128000);
    assert_int_equal(ack(100 * US, US), 64 * ONE);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(ack(100 * US, 50 * US), 64 * ONE);
    assert_int_equal(flow.fabric.cut_ps, last.now_ps);
    assert_int_equal(ack(100 * US, 100 * US), 32 * ONE);
    assert_true(ack(10 * US, 99 * US) > 32 * ONE); /* an increase does not */
    assert_true(ack(100 * US, US) < 17 * ONE);
}

static void a_window_stays_above_min_cwnd(void **state)
{
    (void)state;
    set_cwnd(1);
    assert_int_equal(ack(1000 * US, US), 268435); /* 0.001 * 2^28 */
    assert_int_equal(ack(1000 * US, 2000 * US), 268435);
    cfg.min_cwnd_ppm = 500000;
    assert_int_equal(ack(1000 * US, 2000 * US), ONE / 2);
}

static void a_retransmission_changes_no_window(void **state)
{
    (void)state;
    set_cwnd(10000);
    flow.timeouts = 3;
    assert_int_equal(ack(0, 100 * US), 10 * ONE);
    assert_int_equal(flow.rtt_ps, path.base_rtt_ps);
    assert_int_equal(flow.timeouts, 0); /* something came back */
}

static void a_sample_beyond_a_second_counts_as_one(void **state)
{
    (void)state;
    set_cwnd(500);
    assert_int_equal(ack(UINT64_MAX / 4, US), ONE / 4);
    assert_int_equal(flow.rtt_ps, WEIR_SWIFT_RTT_MAX_PS);
}

/* --- pacing --- */

/* 1542 B = 12336 bits on the wire. */
static void below_one_packet_a_packet_leaves_every_rtt_over_cwnd(void **state)
{
    (void)state;
    set_cwnd(1000);
    assert_int_equal(ack(200 * US, US), ONE / 2);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.cc.rate_bps, 30840000); /* per 400 us */
    set_cwnd(2);
    assert_int_equal(ack(2000 * US, 2000 * US), PKTS(2) / 2 + PKTS(2) % 2);
    is_near(flow.cc.rate_bps, 6168, 1); /* per 2 s */
    cfg.ai_ppm = 1000;
    set_cwnd(499);
    assert_int_equal(ack(20 * US, US), PKTS(499) + (65 << 12)); /* 0.001 is 65 / 2^16 */
    is_near(flow.cc.rate_bps, 308400000, 30000);                /* 20 us / 0.499992 */
}

static void a_window_of_packets_is_open_where_no_decrease_reaches_below_one(void **state)
{
    (void)state;
    cfg.ai_ppm = 1000;
    set_cwnd(1000);
    (void)ack(10 * US, US);
    assert_int_equal(flow.cc.rate_bps, path.rate_bps); /* so that the host notes when packets leave */
    set_cwnd(1900);
    (void)ack(10 * US, US);
    assert_int_equal(flow.cc.rate_bps, path.rate_bps);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    set_cwnd(2000);
    (void)ack(10 * US, US);
    assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN);
    assert_int_equal(flow.cc.cwnd_bytes, 2 * MSS);
    cfg.max_mdf_ppm = 900000;
    set_cwnd(9900);
    (void)ack(10 * US, US);
    assert_int_equal(flow.cc.rate_bps, path.rate_bps);
    set_cwnd(10000);
    (void)ack(10 * US, US);
    assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN);
}

static void a_paced_rate_is_at_most_the_links(void **state)
{
    (void)state;
    cfg.ai_ppm = 1000;
    set_cwnd(999);
    (void)ack(100000, US); /* 100 ns: shorter than the packet */
    assert_int_equal(flow.cc.rate_bps, path.rate_bps);
}

/* --- loss --- */

static void a_loss_halves_once_per_round_trip(void **state)
{
    (void)state;
    set_cwnd(64000);
    assert_true(ack(18 * US, US) > 64 * ONE);
    set_cwnd(64000);
    lose(false, US);
    assert_int_equal(flow.fabric.cwnd_q28, 32 * ONE);
    assert_int_equal(flow.cc.cwnd_bytes, 32 * MSS);
    lose(false, 18 * US - 1);
    assert_int_equal(flow.fabric.cwnd_q28, 32 * ONE);
    lose(false, 1);
    assert_int_equal(flow.fabric.cwnd_q28, 16 * ONE);
    cfg.max_mdf_ppm = 250000;
    lose(false, 18 * US);
    assert_int_equal(flow.fabric.cwnd_q28, 12 * ONE);
}

static void the_twelfth_timeout_in_a_row_leaves_min_cwnd(void **state)
{
    (void)state;
    set_cwnd(4096000);
    for (uint32_t i = 1; i < 12; i++) {
        lose(true, 100 * US);
        assert_int_equal(flow.fabric.cwnd_q28, 4096 * ONE >> i);
    }
    lose(true, 1); /* whatever the hold */
    assert_int_equal(flow.fabric.cwnd_q28, 268435);
    assert_int_equal(flow.fabric.cut_ps, last.now_ps);
    for (uint32_t i = 12; i < 2000; i++)
        lose(true, 1);
    assert_int_equal(flow.timeouts, WEIR_SWIFT_TIMEOUTS_MAX);
}

static void timeouts_count_only_in_a_row(void **state)
{
    (void)state;
    set_cwnd(64000);
    cfg.reset_timeouts = 2;
    lose(true, 100 * US);
    assert_int_equal(flow.timeouts, 1);
    (void)ack(10 * US, US);
    lose(true, 1);
    assert_true(flow.fabric.cwnd_q28 > 31 * ONE); /* within a round trip of the cut, and the first again */
    lose(false, US);                              /* fast recovery, too, ends the row */
    lose(true, 100 * US);
    assert_true(flow.fabric.cwnd_q28 > 15 * ONE);
    lose(true, 1);
    assert_int_equal(flow.fabric.cwnd_q28, 268435);
}

/* Before the first sample the base round trip is what must have passed, and what packets are paced by. */
static void a_loss_before_the_first_sample_is_held_for_a_base_round_trip(void **state)
{
    (void)state;
    set_cwnd(1000);
    lose(true, US);
    assert_int_equal(flow.fabric.cwnd_q28, ONE / 2);
    assert_int_equal(flow.cc.rate_bps, 822400000); /* 12336 bits per 15 us */
    lose(true, 7500000 - 1);
    assert_int_equal(flow.fabric.cwnd_q28, ONE / 2);
    lose(true, 1);
    assert_int_equal(flow.fabric.cwnd_q28, ONE / 4);
}

/* --- the second window --- */

static void time_at_the_receiver_is_no_delay_of_the_network(void **state)
{
    (void)state;
    set_cwnd(128000);
    last.held_ps = 90 * US;
    assert_true(ack(100 * US, US) > 128 * ONE); /* 10 us of network */
    set_cwnd(128000);
    last.held_ps = 0;
    assert_int_equal(ack(100 * US, US), 64 * ONE);
    cfg.endpoint = 0;
    set_cwnd(128000);
    last.held_ps = 90 * US;
    assert_int_equal(ack(100 * US, 200 * US), 64 * ONE);
}

static void the_second_window_follows_the_average_delay_at_the_receiver(void **state)
{
    (void)state;
    cfg.endpoint_g_ppm = 500000;
    set_cwnd(128000);
    last.held_ps = 40 * US;
    (void)ack(50 * US, 100 * US); /* 20 us on average, and 25 are the target */
    assert_int_equal(flow.held_ps, 20 * US);
    assert_int_equal(flow.endpoint.cwnd_q28, 128 * ONE + ONE / 128);
    set_cwnd(128000);
    (void)ack(50 * US, 100 * US);
    assert_int_equal(flow.held_ps, 30 * US);
    is_near(flow.endpoint.cwnd_q28, 128 * ONE - 128 * ONE * 8 / 60, 40); /* 0.8 (30 - 25) / 30 */
    assert_true(flow.fabric.cwnd_q28 > 128 * ONE);
    assert_int_equal(flow.cc.cwnd_bytes, 110 * MSS); /* the smaller: 110.9 */
    (void)ack(50 * US, 50 * US - 1);
    is_near(flow.endpoint.cwnd_q28, 128 * ONE - 128 * ONE * 8 / 60, 40); /* once per round trip */
    assert_int_equal(flow.held_ps, 35 * US);
}

static void the_smaller_window_paces_and_a_loss_cuts_both(void **state)
{
    (void)state;
    set_cwnd(64000);
    flow.endpoint.cwnd_q28 = ONE;
    lose(false, US);
    assert_int_equal(flow.fabric.cwnd_q28, 32 * ONE);
    assert_int_equal(flow.endpoint.cwnd_q28, ONE / 2);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.cc.rate_bps, 822400000);
    cfg.endpoint = 0;
    lose(false, 1); /* nothing is cut now; the answer is of the first window alone */
    assert_int_equal(flow.cc.cwnd_bytes, 32 * MSS);
    assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN);
}

/* A hold that is longer than the round trip cannot be. */
static void the_whole_round_trip_at_the_receiver_is_no_delay_at_all(void **state)
{
    (void)state;
    set_cwnd(128000);
    last.held_ps = 60 * US;
    assert_true(ack(50 * US, US) > 128 * ONE);
}

/* --- messages, keys, refusals --- */

static void a_message_begins_with_init_cwnd_only_with_restart(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.cwnd_bytes, 66 * MSS);
    set_cwnd(500);
    (void)ack(1000 * US, US);
    weir_swift_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.fabric.cwnd_q28, 66 * ONE);
    assert_int_equal(flow.cc.cwnd_bytes, 66 * MSS);
    assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN);
    cfg.restart = 0;
    set_cwnd(500);
    weir_swift_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.fabric.cwnd_q28, ONE / 2);
}

static void keys_and_presets_match_the_sources(void **state)
{
    (void)state;
    law_rows_are_sound(weir_swift_params, weir_swift_presets, sizeof(cfg));
    assert_int_equal(cfg.ai_ppm, 1000000);
    assert_int_equal(cfg.beta_ppm, 800000);
    assert_int_equal(cfg.max_mdf_ppm, 500000);
    assert_int_equal(cfg.endpoint, 1);
    assert_int_equal(cfg.hold, WEIR_SWIFT_HOLD_DECREASE);
    assert_int_equal(cfg.restart, 0);
    use(SIRD);
    assert_int_equal(cfg.hold, WEIR_SWIFT_HOLD_DECREASE);
    assert_int_equal(cfg.base_target_ps, 15 * US);
    assert_int_equal(cfg.fs_range_ps, 75 * US);
    assert_int_equal(cfg.hop_ps, US);
    assert_int_equal(cfg.fs_min_ppm, 100000);
    assert_int_equal(cfg.fs_max_ppm, 100000000);
    assert_int_equal(cfg.min_cwnd_ppm, 1000);
    assert_int_equal(cfg.max_cwnd_pkts, 666667);
    assert_int_equal(cfg.reset_timeouts, 12);
    assert_int_equal(cfg.init_cwnd.bytes, 66 * MSS);
    assert_int_equal(cfg.endpoint, 0);
    assert_int_equal(cfg.restart, 1);
}

static void invalid_keys_are_refused_by_name(void **state)
{
    (void)state;
    cfg.fs_min_ppm = cfg.fs_max_ppm;
    law_refused(law_check(weir_swift_check, &cfg, &path), "fs_min");
    cfg.fs_min_ppm = cfg.fs_max_ppm + 1;
    law_refused(law_check(weir_swift_check, &cfg, &path), "fs_min");
    cfg.fs_min_ppm = cfg.fs_max_ppm - 1;
    law_refused(law_check(weir_swift_check, &cfg, &path), "fs_min");
    cfg.fs_min_ppm = cfg.fs_max_ppm, cfg.fs_range_ps = 0; /* also where nothing is scaled */
    law_refused(law_check(weir_swift_check, &cfg, &path), "fs_min");
    use(SIRD);
    cfg.init_cwnd.bytes = MSS - 1;
    law_refused(law_check(weir_swift_check, &cfg, &path), "init_cwnd");
    cfg.init_cwnd.bytes = WEIR_CWND_MAX_BYTES + 1;
    law_refused(law_check(weir_swift_check, &cfg, &path), "init_cwnd");
    use(SIRD);
    cfg.max_cwnd_pkts = 65;
    law_refused(law_check(weir_swift_check, &cfg, &path), "init_cwnd");
    cfg.max_cwnd_pkts = 66; /* init_cwnd to the byte */
    assert_null(law_check(weir_swift_check, &cfg, &path));
    cfg.init_cwnd.bytes = 66 * MSS + 1;
    law_refused(law_check(weir_swift_check, &cfg, &path), "init_cwnd");
    use(SIRD);
    path.base_rtt_ps = 18 * US - 1;
    assert_null(law_check(weir_swift_check, &cfg, &path));
    path.base_rtt_ps = 18 * US;
    law_refused(law_check(weir_swift_check, &cfg, &path), "base_target");
    cfg.base_target_ps = 0;
    assert_null(law_check(weir_swift_check, &cfg, &path));
    path.base_rtt_ps = 2146 * US; /* 4.295 ms with the three switches */
    law_refused(law_check(weir_swift_check, &cfg, &path), "base_target");
}

static void windows_and_rates_keep_their_bounds_whatever_arrives(void **state)
{
    struct weir_rng rng = { .key = 20260711 };
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t x = weir_rng_next(&rng), y = weir_rng_next(&rng);
        last.acked_bytes = 1 + (uint32_t)(x & 0xffff);
        last.held_ps = (uint32_t)y;
        last.flags = x >> 20 & 1;
        if (x % 13 == 0)
            lose(x & 256, y >> (30 + x % 30));
        else
            (void)ack(y >> (24 + (x >> 40) % 36), (x >> 16 & 0xff) * 1000);
        assert_in_range(flow.fabric.cwnd_q28, 268435, UINT64_C(666667) << 28);
        assert_in_range(flow.endpoint.cwnd_q28, 268435, UINT64_C(666667) << 28);
        assert_in_range(flow.cc.cwnd_bytes, MSS, WEIR_CWND_MAX_BYTES);
        assert_true(flow.cc.rate_bps == WEIR_RATE_OPEN || flow.cc.rate_bps <= path.rate_bps);
        assert_true(flow.cc.rate_bps > 0);
        assert_true(flow.cc.timer_ps == WEIR_NEVER);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_target_grows_as_the_window_shrinks, sird),
        cmocka_unit_test(the_root_is_exact_for_powers_of_four),
        cmocka_unit_test_setup(scaling_ends_at_fs_max_without_a_step_below_zero, sird),
        cmocka_unit_test_setup(each_switch_on_the_path_adds_hop_delay, sird),
        cmocka_unit_test_setup(automatic_targets_follow_the_base_round_trip, sigcomm2020),
        cmocka_unit_test_setup(below_the_target_a_window_grows_by_ai_per_round_trip, sird),
        cmocka_unit_test_setup(below_one_packet_a_window_grows_by_ai_per_packet, sird),
        cmocka_unit_test_setup(growth_ends_at_max_cwnd, sird),
        cmocka_unit_test_setup(a_window_that_does_not_limit_grows_only_with_grow_always, sird),
        cmocka_unit_test_setup(above_the_target_a_window_shrinks_by_its_excess, sird),
        cmocka_unit_test_setup(at_the_target_a_window_stays, sird),
        cmocka_unit_test_setup(a_window_is_cut_once_per_round_trip, sird),
        cmocka_unit_test_setup(an_increase_does_not_prolong_the_hold, sird),
        cmocka_unit_test_setup(with_hold_unchanged_every_ack_without_effect_prolongs_the_hold, sird),
        cmocka_unit_test_setup(a_window_stays_above_min_cwnd, sird),
        cmocka_unit_test_setup(a_retransmission_changes_no_window, sird),
        cmocka_unit_test_setup(a_sample_beyond_a_second_counts_as_one, sird),
        cmocka_unit_test_setup(below_one_packet_a_packet_leaves_every_rtt_over_cwnd, sird),
        cmocka_unit_test_setup(a_window_of_packets_is_open_where_no_decrease_reaches_below_one, sird),
        cmocka_unit_test_setup(a_paced_rate_is_at_most_the_links, sird),
        cmocka_unit_test_setup(a_loss_halves_once_per_round_trip, sird),
        cmocka_unit_test_setup(the_twelfth_timeout_in_a_row_leaves_min_cwnd, sird),
        cmocka_unit_test_setup(timeouts_count_only_in_a_row, sird),
        cmocka_unit_test_setup(a_loss_before_the_first_sample_is_held_for_a_base_round_trip, sird),
        cmocka_unit_test_setup(time_at_the_receiver_is_no_delay_of_the_network, sigcomm2020),
        cmocka_unit_test_setup(the_second_window_follows_the_average_delay_at_the_receiver, sigcomm2020),
        cmocka_unit_test_setup(the_smaller_window_paces_and_a_loss_cuts_both, sigcomm2020),
        cmocka_unit_test_setup(the_whole_round_trip_at_the_receiver_is_no_delay_at_all, sigcomm2020),
        cmocka_unit_test_setup(a_message_begins_with_init_cwnd_only_with_restart, sird),
        cmocka_unit_test_setup(keys_and_presets_match_the_sources, sigcomm2020),
        cmocka_unit_test_setup(invalid_keys_are_refused_by_name, sird),
        cmocka_unit_test_setup(windows_and_rates_keep_their_bounds_whatever_arrives, sigcomm2020),
    };
    return cmocka_run_group_tests_name("proto/swift", tests, NULL, NULL);
}
