/* test/unit/proto/test_cubic.c - the arithmetic by hand, then the law with hand-made ACKs: no host, no simulator. */
#include "test/unit/proto/law_bench.h"
#include "proto/cubic/cubic_core.h"
#include "core/rng.h"

#define MSS UINT64_C(1000)
#define MS WEIR_PS_PER_MS
#define S WEIR_PS_PER_S
static struct weir_cubic_config cfg;
static struct weir_cubic flow;
static struct weir_ack last;
static const struct weir_path path = { .mss_bytes = (uint32_t)MSS, .bdp_bytes = 100000 };

static void begin(uint64_t init_pkts, uint64_t ssthresh_pkts)
{
    cfg.init_cwnd.bytes = init_pkts * MSS;
    cfg.ssthresh.bytes = ssthresh_pkts * MSS;
    assert_null(law_check(weir_cubic_check, &cfg, &path));
    weir_cubic_ops.init(&flow.reno.cc, &cfg, &path);
    weir_cubic_ops.on_start(&flow.reno.cc, &cfg, 7 * S);
    last = (struct weir_ack){ .now_ps = 7 * S };
}

static int setup(void **state)
{
    (void)state;
    law_use(weir_cubic_params, &cfg, &weir_cubic_presets[0]);
    begin(10, 1000000);
    return 0;
}

/* @return the window, bytes */
static uint32_t ack_at(uint64_t now_ps, uint64_t bytes, uint64_t rtt_ps, uint32_t flags)
{
    last.now_ps = now_ps;
    last.acked_seq += bytes;
    last.acked_bytes = (uint32_t)bytes;
    last.rtt_ps = rtt_ps;
    last.flags = (uint16_t)flags;
    last.next_seq = weir_max_u64(last.next_seq, last.acked_seq + flow.reno.cc.cwnd_bytes);
    weir_cubic_ops.on_ack(&flow.reno.cc, &cfg, &last);
    return flow.reno.cc.cwnd_bytes;
}

static void lose(bool is_timeout)
{
    weir_cubic_ops.on_loss(&flow.reno.cc, &cfg,
                           &(struct weir_loss){ .now_ps = last.now_ps,
                                                .lost_seq = last.acked_seq,
                                                .next_seq = last.next_seq,
                                                .lost_bytes = (uint32_t)MSS,
                                                .is_timeout = is_timeout });
}

static void the_cube_root_is_rounded_down(void **state)
{
    (void)state;
    assert_int_equal(weir_cbrt_u64(0), 0);
    for (uint64_t y = 1; y <= 2642245; y += y < 3000 ? 1 : 997) { /* 2642245^3 < 2^64 */
        assert_int_equal(weir_cbrt_u64(y * y * y), y);
        assert_int_equal(weir_cbrt_u64(y * y * y - 1), y - 1);
    }
    assert_int_equal(weir_cbrt_u64(UINT64_MAX), 2642245);
}

/* W = 1000, cut to 700: K = cbrt(300 / 0.4) = 9.0856030 s = 148858.5 u. */
static void k_of_a_thousand_packets_is_nine_seconds(void **state)
{
    (void)state;
    assert_int_equal(weir_cubic_k(300000, 400000, 1000), 148858);
    assert_int_equal(weir_cubic_k(0, 400000, 1000), 0);
    assert_int_equal(weir_cubic_k(400, 400000, 1000), 16384);                      /* 0.4 packets: one second */
    assert_int_equal(weir_cubic_k(838860799, 400000, 1000), WEIR_CUBIC_U_MAX - 1); /* 2^21 cubic seconds .. */
    assert_int_equal(weir_cubic_k(838860800, 400000, 1000), WEIR_CUBIC_U_MAX);     /* .. are 128 seconds */
    assert_int_equal(weir_cubic_k(WEIR_CWND_MAX_BYTES, 1, 64), WEIR_CUBIC_U_MAX);
}

static void the_window_is_the_cubic(void **state)
{
    uint32_t k_u = 148858;
    (void)state;
    assert_in_range(weir_cubic_window(1000000, k_u, 0, 400000, 1000), 699995, 700005);
    assert_int_equal(weir_cubic_window(1000000, k_u, k_u, 400000, 1000), 1000000);
    assert_in_range(weir_cubic_window(1000000, k_u, 2 * k_u, 400000, 1000), 1299995, 1300005);
    assert_int_equal(weir_cubic_window(1000000, 0, 16384, 400000, 1000), 1000400);      /* + 0.4 packets after 1 s */
    assert_int_equal(weir_cubic_window(1000000, 16384, 0, 400000, 1000), 999600);       /* and before */
    assert_int_equal(weir_cubic_window(1000000, 0, 10 * 16384, 400000, 1000), 1400000); /* 400 packets after 10 s */
    assert_int_equal(weir_cubic_window(1000, 148858, 0, 400000, 1000), 0);
    assert_int_equal(weir_cubic_window(1000000, 0, UINT32_MAX, 10000000, 9216), WEIR_CWND_MAX_BYTES);
}

static void a_span_of_time_saturates_at_two_minutes(void **state)
{
    (void)state;
    assert_int_equal(weir_cubic_u(S), 16384);
    assert_int_equal(weir_cubic_u(61035156), 0);
    assert_int_equal(weir_cubic_u(61035157), 1);
    assert_int_equal(weir_cubic_u(WEIR_NEVER), WEIR_CUBIC_U_MAX);
}

/* ECE five times in a window of 1000 packets: one cut, to 700. */
static void a_mark_leaves_seven_tenths_once_per_window(void **state)
{
    (void)state;
    begin(1000, 1000);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ack_at(7 * S, MSS, 0, WEIR_ACK_ECE), 700000);
    assert_int_equal(flow.w_max_bytes, 1000000);
    assert_int_equal(flow.reno.ssthresh_bytes, 700000);
    assert_int_equal(flow.epoch_ps, 0);
}

/* Round trips of 100 ms, ten ACKs each: K after the first ACK past the cut the window is back at 1000 packets. */
static void the_window_is_back_after_k(void **state)
{
    uint64_t now_ps = 7 * S, rtt_ps = 100 * MS;
    (void)state;
    begin(1000, 1000);
    (void)ack_at(now_ps, MSS, rtt_ps, WEIR_ACK_ECE);
    (void)ack_at(now_ps, 1000 * MSS, rtt_ps, 0);
    assert_int_equal(flow.epoch_ps, now_ps);
    assert_int_equal(flow.k_u, 148858);
    for (; now_ps < 16 * S; now_ps += 10 * MS) {
        (void)ack_at(now_ps, flow.reno.cc.cwnd_bytes / 10, rtt_ps, 0);
        assert_true(flow.reno.cc.cwnd_bytes <= 1000000);
    }
    uint32_t want = weir_cubic_window(1000000, 148858, weir_cubic_u(9 * S), 400000, 1000);
    assert_in_range(flow.reno.cc.cwnd_bytes, want - 1000, want + 1000); /* within a packet of the cubic */
    for (; now_ps < 7 * S + 9086 * MS; now_ps += 10 * MS)
        (void)ack_at(now_ps, flow.reno.cc.cwnd_bytes / 10, rtt_ps, 0);
    assert_in_range(flow.reno.cc.cwnd_bytes, 999500, 1000500);
}

/* The target is at most half a window away: a window acknowledged at once grows by half, not more. */
static void growth_is_at_most_half_a_window_per_round_trip(void **state)
{
    (void)state;
    begin(100, 100);
    cfg.reno_friendly = 0;
    (void)ack_at(7 * S, MSS, MS, 0);
    assert_int_equal(ack_at(107 * S, flow.reno.cc.cwnd_bytes, MS, 0), 150000);
}

/* Equation 4 by hand: 10 packets, cut to 7; alpha = 3 * 0.3 / 1.7 = 0.529411. A window acknowledged adds alpha packets; from 10 packets
 * on (the window that was cut) it adds one. Round trips of 1 ms: the cubic needs seconds. */
static void a_small_window_grows_as_renos(void **state)
{
    uint64_t now_ps = 7 * S;
    (void)state;
    begin(10, 10);
    assert_int_equal(ack_at(now_ps, MSS, MS, WEIR_ACK_ECE), 7000);
    assert_int_equal(ack_at(now_ps, 10 * MSS, MS, 0), 7756); /* 10 / 7 of a window: 0.756301 packets */
    (void)ack_at(now_ps += MS, 7756, MS, 0);
    assert_int_equal(flow.est_bytes, 8285); /* 8.285712 packets */
    assert_int_equal(flow.reno.cc.cwnd_bytes, 8285);
    (void)ack_at(now_ps += MS, 8285, MS, 0);
    (void)ack_at(now_ps += MS, 8815, MS, 0);
    (void)ack_at(now_ps += MS, 9344, MS, 0);
    assert_in_range(flow.est_bytes, 9873, 9875);
    (void)ack_at(now_ps += MS, flow.reno.cc.cwnd_bytes, MS, 0);
    assert_in_range(flow.est_bytes, 10402, 10404);
    (void)ack_at(now_ps += MS, flow.reno.cc.cwnd_bytes, MS, 0);
    assert_in_range(flow.est_bytes, 11402, 11404); /* alpha is 1 now */
    cfg.reno_friendly = 0;
    uint32_t before = flow.reno.cc.cwnd_bytes;
    assert_int_equal(ack_at(now_ps += MS, before, MS, 0), before); /* the cubic alone: K lies seconds away */
}

static void a_flow_cut_below_its_maximum_aims_lower(void **state)
{
    (void)state;
    begin(1000, 1000);
    (void)ack_at(7 * S, MSS, MS, WEIR_ACK_ECE);
    (void)ack_at(7 * S, 1002 * MSS, MS, WEIR_ACK_ECE); /* at 700 packets, below 1000: 700 * 1.7 / 2 */
    assert_int_equal(flow.w_max_bytes, 595000);
    assert_int_equal(flow.prior_bytes, 700000);
    assert_int_equal(flow.reno.cc.cwnd_bytes, 490000);
    cfg.fast_convergence = 0;
    (void)ack_at(7 * S, 702 * MSS, MS, WEIR_ACK_ECE);
    assert_int_equal(flow.w_max_bytes, 490000);
}

/* After a timeout: one packet, ssthresh 0.7 of the window; the next epoch begins at its origin, K = 0. */
static void a_timeout_forgets_the_maximum(void **state)
{
    (void)state;
    begin(10, 10);
    (void)ack_at(7 * S, MSS, MS, 0);
    lose(true);
    assert_int_equal(flow.reno.cc.cwnd_bytes, 1000);
    assert_int_equal(flow.reno.ssthresh_bytes, 7070); /* of 10.1 packets: the ACK before had grown it */
    while (flow.reno.cc.cwnd_bytes < flow.reno.ssthresh_bytes)
        (void)ack_at(7 * S + MS, MSS, MS, 0);
    (void)ack_at(7 * S + 2 * MS, 20 * MSS, MS, 0);
    assert_int_equal(flow.k_u, 0);
    assert_int_equal(flow.origin_bytes, 8000);
}

static void a_loss_in_a_window_that_was_cut_changes_nothing(void **state)
{
    (void)state;
    begin(1000, 1000);
    (void)ack_at(7 * S, MSS, MS, WEIR_ACK_ECE);
    lose(false);
    assert_int_equal(flow.reno.cc.cwnd_bytes, 700000);
    assert_int_equal(flow.w_max_bytes, 1000000);
}

/* Ten seconds without data: the cubic goes on where it was. */
static void time_without_data_does_not_count(void **state)
{
    uint32_t before;
    (void)state;
    begin(100, 100);
    cfg.reno_friendly = 0;
    (void)ack_at(7 * S, MSS, MS, 0);
    before = ack_at(8 * S, MSS, MS, 0);
    weir_cubic_ops.on_start(&flow.reno.cc, &cfg, 18 * S);
    assert_int_equal(flow.epoch_ps, 17 * S);
    assert_in_range(ack_at(18 * S + MS, MSS, MS, 0), before, before + 10);
}

static void slow_start_adds_what_is_acknowledged(void **state)
{
    (void)state;
    assert_int_equal(ack_at(7 * S, 2 * MSS, MS, 0), 12000);
    cfg.limit_pkts = 1;
    assert_int_equal(ack_at(7 * S, 2 * MSS, MS, 0), 13000);
}

/* Round trips of 10 ms, ACKs 1 ms apart from the round's first: the one 6 ms after it ends slow start, if the window has 16 packets. */
static void a_train_of_half_a_round_trip_ends_slow_start(void **state)
{
    (void)state;
    begin(20, 1000);
    for (uint64_t i = 0; i <= 5; i++)
        assert_int_equal(ack_at(7 * S + i * MS, MSS, 10 * MS, 0), 21000 + i * 1000);
    assert_int_equal(ack_at(7 * S + 6 * MS, MSS, 10 * MS, 0), 26000);
    assert_int_equal(flow.reno.ssthresh_bytes, 26000);
    assert_true(ack_at(7 * S + 7 * MS, MSS, 10 * MS, 0) < 26100); /* congestion avoidance */
    begin(20, 1000);
    cfg.hystart = 0;
    for (uint64_t i = 0; i <= 9; i++)
        assert_int_equal(ack_at(7 * S + i * MS, MSS, 10 * MS, 0), 21000 + i * 1000);
}

static void a_gap_in_the_train_keeps_slow_start(void **state)
{
    (void)state;
    begin(20, 1000);
    (void)ack_at(7 * S, MSS, 10 * MS, 0);
    assert_int_equal(ack_at(7 * S + 2 * MS + 1, MSS, 10 * MS, 0), 22000);
    assert_int_equal(ack_at(7 * S + 6 * MS, MSS, 10 * MS, 0), 23000);
}

static void a_small_window_stays_in_slow_start(void **state)
{
    (void)state;
    begin(2, 1000);
    last.next_seq = 100 * MSS; /* one round */
    for (uint64_t i = 0; i <= 12; i++)
        assert_int_equal(ack_at(7 * S + i * MS, MSS, 10 * MS, 0), 3000 + i * 1000);
    assert_int_equal(ack_at(7 * S + 13 * MS, MSS, 10 * MS, 0), 16000); /* this one makes it 16 .. */
    assert_int_equal(ack_at(7 * S + 14 * MS, MSS, 10 * MS, 0), 16000); /* .. and the train is long enough */
}

/* Shortest round trip 100 ms; a round of 8 samples and more at 112.5 ms or less goes on (an eighth, between 4 and 16 ms), one above ends
 * it. ACKs 3 ms apart are no train. */
static void longer_round_trips_end_slow_start(void **state)
{
    static const struct {
        uint64_t least_ms, rise_us;
    } row[] = { { 100, 12500 }, { 10, 4000 }, { 1000, 16000 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        for (uint64_t over = 0; over < 2; over++) {
            uint64_t now_ps = 7 * S;
            begin(100, 10000);
            (void)ack_at(now_ps, MSS, row[i].least_ms * MS, 0);
            last.next_seq = 0;
            (void)ack_at(now_ps += 3 * MS, 200 * MSS, row[i].least_ms * MS + row[i].rise_us * WEIR_PS_PER_US + over, 0);
            for (int n = 0; n < 7; n++)
                (void)ack_at(now_ps += 3 * MS, MSS, row[i].least_ms * MS + row[i].rise_us * WEIR_PS_PER_US + over, 0);
            assert_true(flow.reno.ssthresh_bytes > flow.reno.cc.cwnd_bytes); /* eight samples */
            (void)ack_at(now_ps += 3 * MS, MSS, row[i].least_ms * MS + row[i].rise_us * WEIR_PS_PER_US + over, 0);
            assert_int_equal(flow.reno.ssthresh_bytes == flow.reno.cc.cwnd_bytes, over);
        }
    }
}

static void a_restart_begins_a_new_flow(void **state)
{
    (void)state;
    begin(10, 20);
    (void)ack_at(7 * S, MSS, MS, WEIR_ACK_ECE);
    weir_cubic_ops.on_start(&flow.reno.cc, &cfg, 8 * WEIR_PS_PER_S);
    assert_int_not_equal(flow.reno.cc.cwnd_bytes, 10 * MSS); /* a connection keeps its window */
    cfg.restart = 1;
    weir_cubic_ops.on_start(&flow.reno.cc, &cfg, 9 * WEIR_PS_PER_S);
    assert_int_equal(flow.reno.cc.cwnd_bytes, 10 * MSS);
    assert_int_equal(flow.reno.ssthresh_bytes, 20 * MSS);
    assert_int_equal(flow.reno.cut_end_seq, 0);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    law_set(weir_cubic_params, &cfg, "init_cwnd", "999 B");
    law_refused(law_check(weir_cubic_check, &cfg, &path), "init_cwnd");
    cfg.init_cwnd.bytes = MSS;
    assert_null(law_check(weir_cubic_check, &cfg, &path));
    cfg.ssthresh.bytes = WEIR_CWND_MAX_BYTES + UINT64_C(1);
    law_refused(law_check(weir_cubic_check, &cfg, &path), "init_cwnd and ssthresh");
}

/* Whatever comes, the window stays between a packet and the largest, and arithmetic between its limits (sanitizers look on). */
static void any_events_leave_a_window(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(9438, 0, WEIR_RNG_TEST, 0) };
    (void)state;
    for (int run = 0; run < 200; run++) {
        uint64_t now_ps = 7 * S;
        cfg.c_ppm = 1 + weir_rng_below(weir_rng_next(&rng), 10000000);
        cfg.cut_ppm = 1 + weir_rng_below(weir_rng_next(&rng), 999999);
        cfg.reno_friendly = weir_rng_below(weir_rng_next(&rng), 2);
        begin(1 + weir_rng_below(weir_rng_next(&rng), 1000000), 1000000);
        for (int i = 0; i < 300; i++) {
            uint32_t what = weir_rng_below(weir_rng_next(&rng), 20);
            uint32_t pkts = 1 + weir_rng_below(weir_rng_next(&rng), 1 + flow.reno.cc.cwnd_bytes / 1000);
            now_ps += weir_rng_below(weir_rng_next(&rng), 30) * S / 10;
            (void)ack_at(now_ps, pkts * MSS, weir_rng_below(weir_rng_next(&rng), 2000) * MS,
                         what == 0 ? WEIR_ACK_ECE : 0);
            if (what < 3)
                lose(what == 1);
            assert_in_range(flow.reno.cc.cwnd_bytes, MSS, WEIR_CWND_MAX_BYTES);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_cube_root_is_rounded_down, setup),
        cmocka_unit_test_setup(k_of_a_thousand_packets_is_nine_seconds, setup),
        cmocka_unit_test_setup(the_window_is_the_cubic, setup),
        cmocka_unit_test_setup(a_span_of_time_saturates_at_two_minutes, setup),
        cmocka_unit_test_setup(a_mark_leaves_seven_tenths_once_per_window, setup),
        cmocka_unit_test_setup(the_window_is_back_after_k, setup),
        cmocka_unit_test_setup(growth_is_at_most_half_a_window_per_round_trip, setup),
        cmocka_unit_test_setup(a_small_window_grows_as_renos, setup),
        cmocka_unit_test_setup(a_flow_cut_below_its_maximum_aims_lower, setup),
        cmocka_unit_test_setup(a_timeout_forgets_the_maximum, setup),
        cmocka_unit_test_setup(a_loss_in_a_window_that_was_cut_changes_nothing, setup),
        cmocka_unit_test_setup(time_without_data_does_not_count, setup),
        cmocka_unit_test_setup(slow_start_adds_what_is_acknowledged, setup),
        cmocka_unit_test_setup(a_train_of_half_a_round_trip_ends_slow_start, setup),
        cmocka_unit_test_setup(a_gap_in_the_train_keeps_slow_start, setup),
        cmocka_unit_test_setup(a_small_window_stays_in_slow_start, setup),
        cmocka_unit_test_setup(longer_round_trips_end_slow_start, setup),
        cmocka_unit_test_setup(a_restart_begins_a_new_flow, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
        cmocka_unit_test_setup(any_events_leave_a_window, setup),
    };
    return cmocka_run_group_tests_name("cubic", tests, NULL, NULL);
}
