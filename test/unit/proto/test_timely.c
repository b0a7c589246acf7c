/* test/unit/proto/test_timely.c - drives the four variants and both forms with hand-made samples: exact rates in bit/s. */
#include "test/unit/proto/law_bench.h"
#include "proto/timely/timely_core.h"

#define US WEIR_PS_PER_US
#define GBPS UINT64_C(1000000000)
#define MBPS UINT64_C(1000000)
enum { PAPER, PATCHED, HPCC, ERPC, DART };

static struct weir_timely_config cfg;
static struct weir_timely flow;
static struct weir_ack last;

/* Dart's: 1500 B of a packet on the wire last 1.2 us. A base round trip of 20 us at line rate is 16.7 packets. */
static int window(void **state)
{
    const struct weir_path path = {
        .base_rtt_ps = 20 * US, .rate_bps = 10 * GBPS, .mss_bytes = 1460, .wire_bytes = 1500
    };
    (void)state;
    law_use(weir_timely_params, &cfg, &weir_timely_presets[DART]);
    assert_null(law_check(weir_timely_check, &cfg, &path));
    weir_timely_ops.init(&flow.cc, &cfg, &path);
    weir_timely_ops.on_start(&flow.cc, &cfg, 77000000000);
    last = (struct weir_ack){ .now_ps = 77000000000, .acked_bytes = 1460, .next_seq = 14600 };
    return 0;
}

/* 10 Gb/s, where delta is 10 Mb/s and a packet of 1000 B lasts 800 ns. */
static void begin(uint32_t preset)
{
    const struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = 10 * GBPS, .mss_bytes = 1000 };
    law_use(weir_timely_params, &cfg, &weir_timely_presets[preset]);
    assert_null(law_check(weir_timely_check, &cfg, &path));
    weir_timely_ops.init(&flow.cc, &cfg, &path);
    weir_timely_ops.on_start(&flow.cc, &cfg, 77000000000);
    last = (struct weir_ack){ .now_ps = 77000000000, .acked_bytes = 1000, .next_seq = 10000 };
}

static int paper(void **state)
{
    (void)state;
    begin(PAPER);
    return 0;
}

static int patched(void **state)
{
    (void)state;
    begin(PATCHED);
    return 0;
}

static int hpcc(void **state)
{
    (void)state;
    begin(HPCC);
    return 0;
}

static int erpc(void **state)
{
    (void)state;
    begin(ERPC);
    return 0;
}

/* As if paced at r_bps by now. */
static void pace_at(uint64_t r_bps)
{
    flow.r_bps = flow.cc.rate_bps = r_bps;
}

/* A packet's round trip; the next one is acknowledged after_ps later. @return the rate afterwards */
static uint64_t ack(uint64_t rtt_ps, uint64_t after_ps)
{
    last.now_ps += after_ps;
    last.rtt_ps = rtt_ps;
    last.acked_seq += 1000;
    weir_timely_ops.on_ack(&flow.cc, &cfg, &last);
    return flow.cc.rate_bps;
}

/* A sample as the paper means it: without the packet's own 800 ns. */
static uint64_t sample(uint64_t rtt_ps)
{
    return ack(rtt_ps + 800000, US);
}

static void short_samples_raise_the_rate_by_delta_up_to_the_link(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.rate_bps, 10 * GBPS);
    assert_int_equal(flow.cc.cwnd_bytes, WEIR_CWND_MAX_BYTES);
    pace_at(9970 * MBPS);
    assert_int_equal(sample(50 * US - 1), 9980 * MBPS);
    assert_int_equal(sample(20 * US), 9990 * MBPS);
    assert_int_equal(sample(49 * US), 10000 * MBPS); /* a steep gradient does not count down here */
    assert_int_equal(sample(20 * US), 10000 * MBPS);
    assert_int_equal(ack(0, US), 10000 * MBPS); /* a retransmission gives no sample */
    assert_int_equal(flow.prev_rtt_ps, 20 * US);
}

static void a_rising_round_trip_lowers_by_its_gradient(void **state)
{
    (void)state;
    assert_int_equal(sample(60 * US), 10 * GBPS); /* the first has no gradient */
    assert_int_equal(sample(80 * US), 3 * GBPS);  /* 0.875 * 20 / 20 us: 10 (1 - 0.8 * 0.875) */
    assert_int_equal(flow.diff_ps, 17500000);
    assert_int_equal(sample(80 * US), UINT64_C(2737500000)); /* 0.125 * 17.5 / 20: 3 (1 - 0.8 * 0.109375) */
    assert_int_equal(flow.diff_ps, 2187500);
    assert_int_equal(sample(180 * US), cfg.min_rate_bps); /* a gradient of 4.4 leaves nothing */
}

static void a_long_sample_lowers_whatever_its_gradient(void **state)
{
    (void)state;
    assert_int_equal(sample(1000 * US), 6 * GBPS);            /* 1 - 0.8 (1 - 500 / 1000) */
    assert_int_equal(sample(625 * US), UINT64_C(5040000000)); /* 1 - 0.8 (1 - 500 / 625) */
    assert_int_equal(sample(500 * US), UINT64_C(5050000000)); /* at T_high the band begins: it falls */
}

static void five_falling_gradients_in_the_band_make_large_steps(void **state)
{
    (void)state;
    pace_at(GBPS);
    for (uint64_t i = 1; i <= 4; i++)
        assert_int_equal(sample(100 * US), (1000 + 10 * i) * MBPS);
    assert_int_equal(sample(100 * US), 1090 * MBPS); /* the fifth */
    assert_int_equal(sample(99 * US), 1140 * MBPS);
    assert_int_equal(sample(49 * US), 1150 * MBPS); /* below the band: one delta, and counting begins again */
    assert_int_equal(flow.count, 0);
    assert_int_equal(sample(50 * US), 1160 * MBPS); /* diff is still negative */
    assert_int_equal(flow.count, 1);
    (void)sample(90 * US);
    assert_int_equal(flow.count, 0);
}

static void the_difference_is_smoothed_to_whole_picoseconds_and_dies_out(void **state)
{
    (void)state;
    assert_int_equal(weir_timely_smooth(0, -8, 875000), -7);
    assert_int_equal(weir_timely_smooth(-7, 0, 875000), 0);
    assert_int_equal(weir_timely_smooth(800, -800, 500000), 0);
    assert_int_equal(weir_timely_smooth(-(INT64_C(1) << 40), -(INT64_C(1) << 40), 1), -(INT64_C(1) << 40));
}

static void patched_weight_is_a_ramp_between_gradients_of_a_quarter(void **state)
{
    (void)state;
    assert_int_equal(weir_timely_weight_ppm(-5 * (int64_t)US, 20 * US), 0);
    assert_int_equal(weir_timely_weight_ppm(-5 * (int64_t)US + 1000000, 20 * US), 100000);
    assert_int_equal(weir_timely_weight_ppm(0, 20 * US), 500000);
    assert_int_equal(weir_timely_weight_ppm(2 * (int64_t)US, 20 * US), 700000);
    assert_int_equal(weir_timely_weight_ppm(5 * (int64_t)US, 20 * US), 1000000);
    assert_int_equal(weir_timely_weight_ppm(-500 * (int64_t)US, 20 * US), 0);
}

static void patched_combines_decrease_and_increase_in_one_step(void **state)
{
    (void)state;
    pace_at(5 * GBPS);
    /* gradient 0: w = 1/2, err = (100 - 50) / 50 = 1: 5 (1 - 0.008 / 2) + 0.005 */
    assert_int_equal(sample(100 * US), UINT64_C(4985000000));
    /* 0.875 * 2 / 20 us: w = 0.675, err = 1.04: 4.985 (1 - 0.0056160) + 0.00325 */
    assert_int_equal(sample(102 * US), UINT64_C(4960254240));
    assert_int_equal(sample(49 * US), UINT64_C(4970254240));   /* outside the band as before */
    assert_int_equal(sample(1000 * US), UINT64_C(4950373224)); /* 1 - 0.008 / 2, rounded up */
}

static void patched_flows_converge_to_equal_rates(void **state)
{
    struct weir_timely a, b;
    uint64_t queue_ps = 60 * US, step_ps = 20 * US; /* what stands at the port, in time; a sample each per step */
    (void)state;
    a = b = flow;
    a.r_bps = 7 * GBPS;
    b.r_bps = 3 * GBPS;
    for (uint32_t i = 0; i < 50000; i++) { /* a second */
        int64_t extra_bps = (int64_t)(a.cc.rate_bps + b.cc.rate_bps) - (int64_t)(10 * GBPS);
        int64_t queue = (int64_t)queue_ps + extra_bps / 1000000 * (int64_t)step_ps / 10000;
        queue_ps = queue < 0 ? 0 : (uint64_t)queue;
        struct weir_ack now = { .rtt_ps = 13 * US + 800000 + queue_ps };
        weir_timely_ops.on_ack(&a.cc, &cfg, &now);
        weir_timely_ops.on_ack(&b.cc, &cfg, &now);
    }
    assert_in_range(a.cc.rate_bps, 4900 * MBPS, 5100 * MBPS);
    assert_in_range(b.cc.rate_bps, 4900 * MBPS, 5100 * MBPS);
    assert_in_range(queue_ps, 48 * US, 51 * US); /* a sample of T_low (1 + delta / (b R)) = 62.5 us, less the 13 */
}

static void hpcc_decides_once_per_round_trip(void **state)
{
    (void)state;
    pace_at(5 * GBPS);
    assert_int_equal(ack(60 * US, US), 5 * GBPS); /* the first is stored only */
    assert_int_equal(flow.decision_seq, 10000);
    last.next_seq = 25000;
    assert_int_equal(ack(400 * US, US), 5 * GBPS);
    last.acked_seq = 9000;
    assert_int_equal(ack(400 * US, US), 5 * GBPS); /* 10000: not beyond */
    assert_int_equal(flow.prev_rtt_ps, 60 * US);
    assert_int_equal(ack(80 * US, US), 1500 * MBPS); /* 1 - 0.8 * 0.875 */
    assert_int_equal(flow.decision_seq, 25000);
    last.acked_seq = 25000;
    assert_int_equal(ack(180 * US, US), GBPS); /* a gradient above 1 / b: the script's floor */
}

static void hpcc_takes_large_steps_after_five_increases_of_any_kind(void **state)
{
    (void)state;
    pace_at(5 * GBPS);
    last.next_seq = 0; /* every ACK is a new round trip */
    (void)ack(40 * US, US);
    for (uint64_t i = 1; i <= 5; i++)
        assert_int_equal(ack((i % 2 == 0 ? 40 : 30) * US, US), (5000 + 10 * i) * MBPS);
    assert_int_equal(ack(30 * US, US), 5100 * MBPS); /* the sixth, below T_low */
    flow.diff_ps = 0;
    flow.prev_rtt_ps = 60 * US;
    assert_int_equal(ack(60 * US, US), 5150 * MBPS); /* in the band */
    assert_int_equal(ack(1000 * US, US), 3090 * MBPS);
    assert_int_equal(ack(40 * US, US), 3100 * MBPS); /* counting began again */
}

static void erpc_ignores_samples_of_an_idle_path(void **state)
{
    (void)state;
    assert_int_equal(ack(50 * US, US), 10 * GBPS);
    assert_int_equal(flow.prev_rtt_ps, 0);
    pace_at(5 * GBPS);
    assert_int_equal(ack(2 * US - 1, US), 5 * GBPS); /* shorter than possible */
    assert_int_equal(flow.prev_rtt_ps, 0);
    assert_int_equal(ack(2 * US, US), 5040 * MBPS); /* 3 us since the start: a whole step of 40 Mb/s */
    assert_int_equal(ack(2 * US, US), 5060 * MBPS); /* half a minimal round trip: half a step */
    assert_int_equal(ack(2 * US, 500000), 5070 * MBPS);
}

static void erpc_steps_shrink_with_time_and_never_halve_twice(void **state)
{
    (void)state;
    pace_at(8 * GBPS);
    assert_int_equal(ack(2000 * US, 2 * US), 6960 * MBPS);      /* 1 - 0.26 (1 - 1000 / 2000) */
    assert_int_equal(ack(2000 * US, US), UINT64_C(6507600000)); /* half of it: 1 - 0.065 */
    pace_at(8 * GBPS);
    flow.diff_ps = 0;
    flow.prev_rtt_ps = 60 * US;
    assert_int_equal(ack(70 * US, 2 * US), 4 * GBPS); /* 1 - 0.26 * 0.46 * 10 / 2 = 0.402: half instead */
    pace_at(200 * MBPS);
    assert_int_equal(ack(170 * US, 2 * US), 120 * MBPS); /* the floor */
}

static void erpc_takes_large_steps_after_five_negative_differences(void **state)
{
    (void)state;
    pace_at(5 * GBPS);
    (void)ack(200 * US, 2 * US); /* no difference yet: diff 0, one step */
    assert_int_equal(flow.count, 0);
    for (uint64_t i = 1; i <= 4; i++)
        assert_int_equal(ack((200 - i) * US, 2 * US), (5040 + 40 * i) * MBPS);
    assert_int_equal(ack(195 * US, 2 * US), 5400 * MBPS); /* the fifth: 200 */
    (void)ack(195 * US, 2 * US);                          /* no difference */
    assert_int_equal(flow.count, 0);
}

static void window_and_init_rate_keys_take_effect(void **state)
{
    (void)state;
    cfg.window = 1;
    cfg.init_rate_ppm = 250000;
    (void)sample(60 * US);
    weir_timely_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.rate_bps, 2500 * MBPS);
    assert_int_equal(flow.cc.cwnd_bytes, 4062); /* 2.5 Gb/s * 13 us */
    assert_int_equal(flow.prev_rtt_ps, 0);
    (void)sample(100 * US);
    (void)sample(400 * US);
    assert_int_equal(flow.cc.rate_bps, 10 * MBPS);
    assert_int_equal(flow.cc.cwnd_bytes, 1000);
    cfg.restart = 0;
    weir_timely_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.rate_bps, 10 * MBPS);
}

/* A sample without the packet's own 1.2 us. @return the window in packets; nothing but the window limits */
static uint32_t window_after(uint64_t sample_ps)
{
    (void)ack(sample_ps + 1200000, US);
    assert_int_equal(flow.cc.rate_bps, WEIR_RATE_OPEN);
    assert_int_equal(flow.cc.cwnd_bytes % 1460, 0);
    return flow.cc.cwnd_bytes / 1460;
}

static void a_window_is_the_rate_times_the_round_trip_in_whole_packets(void **state)
{
    static const struct {
        uint64_t r_bps, rtt_ps;
        uint32_t pkts;
    } row[] = {
        { 10 * GBPS, 20 * US, 17 },               /* 25,000 B: 16.7 */
        { 10 * GBPS, 18 * US, 15 },               /* 22,500 B */
        { 10 * GBPS, 18 * US + 1, 16 },           /* a little more */
        { 10 * GBPS, 18 * US - 1, 15 },           /* a little less */
        { 5 * GBPS, 60 * US, 25 },                /* 37,500 B */
        { 10 * MBPS, 20 * US, 1 },                /* 25 B: a packet at least */
        { 10 * GBPS, UINT64_C(1) << 40, 735439 }, /* 1.37 GB: the most a window may hold, 2^30 B */
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        flow.r_bps = row[i].r_bps;
        assert_int_equal(weir_timely_window_bytes(&flow, row[i].rtt_ps), row[i].pkts * 1460);
    }
}

static void the_window_takes_the_latest_round_trip(void **state)
{
    (void)state;
    assert_int_equal(flow.cc.cwnd_bytes, 17 * 1460); /* line rate times the base round trip */
    assert_int_equal(flow.cc.rate_bps, WEIR_RATE_OPEN);
    assert_int_equal(window_after(60 * US), 51); /* 10 Gb/s: no gradient yet. 61.2 us: 76,500 B */
    assert_int_equal(window_after(80 * US), 21); /* 3 Gb/s: 0.875 * 20 / 20 us. 81.2 us: 30,450 B */
    (void)ack(0, US);
    assert_int_equal(flow.cc.cwnd_bytes, 21 * 1460);
    assert_int_equal(window_after(1000 * US), 151); /* 1.8 Gb/s. 1001.2 us: 225,270 B */
    assert_int_equal(window_after(20 * US), 4);     /* 1.81 Gb/s. 21.2 us: 4,797 B */
    assert_int_equal(window_after(180 * US), 1);    /* a gradient of 2.3 leaves 10 Mb/s. 181.2 us: 227 B */
    assert_int_equal(flow.r_bps, 10 * MBPS);
    for (uint64_t i = 1; i <= 100; i++) /* the rate rises below a window of one packet, too */
        assert_int_equal(window_after(20 * US), 1 + (10 + 10 * i > 566));
    assert_int_equal(flow.r_bps, 1010 * MBPS);
}

static void a_message_begins_with_the_window_of_line_rate(void **state)
{
    (void)state;
    (void)window_after(60 * US);
    (void)window_after(80 * US);
    cfg.restart = 0;
    weir_timely_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 21 * 1460);
    cfg.restart = 1;
    weir_timely_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 17 * 1460);
    cfg.init_rate_ppm = 500000;
    weir_timely_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 9 * 1460); /* 12,500 B: 8.3 */
}

/* Two packets take turns at a port from 50 us on: every round trip is 1.2 us longer than the one before. A gradient of 0.06 each
 * lowers to 95.2 %, so 42 samples of one round trip leave an eighth. A decision per round trip sees the same 50 us at once, as a
 * gradient of 2.2. */
static void a_sample_per_packet_multiplies_decreases(void **state)
{
    (void)state;
    flow.prev_rtt_ps = 50 * US;
    flow.diff_ps = 1200000;
    (void)window_after(51200000);
    assert_int_equal(flow.r_bps, UINT64_C(9520000000)); /* 1 - 0.8 * 1.2 / 20 */
    for (uint64_t i = 2; i <= 42; i++)
        (void)window_after(50 * US + i * 1200000);
    assert_in_range(flow.r_bps, 1260 * MBPS, 1270 * MBPS); /* 0.952^42 = 0.1267 */
}

static void bounds_hold_whatever_arrives(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    for (uint32_t preset = PAPER; preset <= ERPC; preset++) {
        begin(preset);
        for (int i = 0; i < 50000; i++) {
            x ^= x << 13, x ^= x >> 7, x ^= x << 17;
            last.next_seq = last.acked_seq + (x >> 50);
            (void)ack(x >> (x % 61), x >> 40);
            assert_in_range(flow.cc.rate_bps, cfg.min_rate_bps, 10 * GBPS);
        }
    }
    (void)window(state);
    for (int i = 0; i < 50000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        (void)window_after(x >> (x % 61));
        assert_in_range(flow.r_bps, cfg.min_rate_bps, 10 * GBPS);
        assert_in_range(flow.cc.cwnd_bytes, 1460, WEIR_CWND_MAX_BYTES);
    }
}

static void keys_and_presets_match_the_sources(void **state)
{
    static const uint64_t gbps[] = { 25, 100, 200, 400 };
    (void)state;
    law_rows_are_sound(weir_timely_params, weir_timely_presets, sizeof(cfg));
    assert_int_equal(cfg.min_rtt_ps, 20 * US);
    assert_int_equal(cfg.a_ppm, 875000);
    for (uint32_t i = 0; i < 4; i++) {
        const struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = gbps[i] * GBPS, .mss_bytes = 1000 };
        weir_timely_ops.init(&flow.cc, &cfg, &path);
        assert_int_equal(flow.delta_bps, gbps[i] * MBPS);
    }
    begin(HPCC);
    assert_int_equal(cfg.min_rate_bps, GBPS);
    assert_int_equal(cfg.b_ppm, 800000);
    begin(ERPC);
    assert_int_equal(flow.delta_bps, 40 * MBPS);
    assert_int_equal(cfg.min_rate_bps, 120 * MBPS);
    assert_int_equal(cfg.min_rtt_ps, 2 * US);
}

/* With a window a sender may stop; only a rate alone has a least value. */
static void only_a_rate_without_a_window_has_a_floor(void **state)
{
    (void)state;
    cfg.min_rate_bps = 10 * MBPS;
    for (uint32_t windowed = 0; windowed < 2; windowed++) {
        cfg.window = windowed;
        cfg.form = WEIR_TIMELY_RATE;
        assert_int_equal(weir_timely_ops.floor_bps(&cfg), windowed ? 0 : 10 * MBPS);
        cfg.form = WEIR_TIMELY_WINDOW;
        assert_int_equal(weir_timely_ops.floor_bps(&cfg), 0);
    }
}

static void invalid_keys_are_refused_by_name(void **state)
{
    struct weir_path path = { .base_rtt_ps = 13 * US, .rate_bps = 10 * GBPS, .mss_bytes = 1000 };
    (void)state;
    cfg.t_high_ps = 50 * US - 1;
    law_refused(law_check(weir_timely_check, &cfg, &path), "t_high");
    cfg.t_high_ps = 50 * US;
    assert_null(law_check(weir_timely_check, &cfg, &path));
    path.base_rtt_ps = 50 * US;
    law_refused(law_check(weir_timely_check, &cfg, &path), "t_low");
    path.base_rtt_ps = 13 * US;
    cfg.min_rate_bps = 11 * GBPS;
    law_refused(law_check(weir_timely_check, &cfg, &path), "min_rate");
    cfg.min_rate_bps = 10 * MBPS;
    cfg.form = WEIR_TIMELY_WINDOW;
    cfg.variant = WEIR_TIMELY_PATCHED;
    assert_null(law_check(weir_timely_check, &cfg, &path));
    cfg.variant = WEIR_TIMELY_HPCC;
    law_refused(law_check(weir_timely_check, &cfg, &path), "form");
    cfg.variant = WEIR_TIMELY_ERPC;
    law_refused(law_check(weir_timely_check, &cfg, &path), "form");
    cfg.variant = WEIR_TIMELY_PAPER;
    cfg.window = 1;
    law_refused(law_check(weir_timely_check, &cfg, &path), "window");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(short_samples_raise_the_rate_by_delta_up_to_the_link, paper),
        cmocka_unit_test_setup(a_rising_round_trip_lowers_by_its_gradient, paper),
        cmocka_unit_test_setup(a_long_sample_lowers_whatever_its_gradient, paper),
        cmocka_unit_test_setup(five_falling_gradients_in_the_band_make_large_steps, paper),
        cmocka_unit_test(the_difference_is_smoothed_to_whole_picoseconds_and_dies_out),
        cmocka_unit_test(patched_weight_is_a_ramp_between_gradients_of_a_quarter),
        cmocka_unit_test_setup(patched_combines_decrease_and_increase_in_one_step, patched),
        cmocka_unit_test_setup(patched_flows_converge_to_equal_rates, patched),
        cmocka_unit_test_setup(hpcc_decides_once_per_round_trip, hpcc),
        cmocka_unit_test_setup(hpcc_takes_large_steps_after_five_increases_of_any_kind, hpcc),
        cmocka_unit_test_setup(erpc_ignores_samples_of_an_idle_path, erpc),
        cmocka_unit_test_setup(erpc_steps_shrink_with_time_and_never_halve_twice, erpc),
        cmocka_unit_test_setup(erpc_takes_large_steps_after_five_negative_differences, erpc),
        cmocka_unit_test_setup(window_and_init_rate_keys_take_effect, paper),
        cmocka_unit_test_setup(a_window_is_the_rate_times_the_round_trip_in_whole_packets, window),
        cmocka_unit_test_setup(the_window_takes_the_latest_round_trip, window),
        cmocka_unit_test_setup(a_message_begins_with_the_window_of_line_rate, window),
        cmocka_unit_test_setup(a_sample_per_packet_multiplies_decreases, window),
        cmocka_unit_test(bounds_hold_whatever_arrives),
        cmocka_unit_test_setup(keys_and_presets_match_the_sources, paper),
        cmocka_unit_test_setup(only_a_rate_without_a_window_has_a_floor, paper),
        cmocka_unit_test_setup(invalid_keys_are_refused_by_name, paper),
    };
    return cmocka_run_group_tests_name("proto/timely", tests, NULL, NULL);
}
