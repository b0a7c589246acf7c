/* test/unit/proto/test_newreno.c - drives the law with hand-made ACKs: no host, no simulator. */
#include "test/unit/proto/law_bench.h"
#include "proto/newreno/newreno.h"

#define MSS UINT64_C(1000)
static struct weir_newreno_config cfg;
static struct weir_newreno flow;
static struct weir_ack last;
static const struct weir_path path = { .mss_bytes = (uint32_t)MSS, .bdp_bytes = 100000 };

static void begin(uint64_t init_pkts, uint64_t ssthresh_pkts)
{
    cfg.init_cwnd.bytes = init_pkts * MSS;
    cfg.ssthresh.bytes = ssthresh_pkts * MSS;
    assert_null(law_check(weir_newreno_check, &cfg, &path));
    weir_newreno_ops.init(&flow.reno.cc, &cfg, &path);
    last = (struct weir_ack){ .now_ps = 77000000000 };
}

static int setup(void **state)
{
    (void)state;
    law_use(weir_newreno_params, &cfg, &weir_newreno_presets[0]);
    begin(10, 1000);
    return 0;
}

/* @return the window in packets, rounded down */
static uint64_t ack(uint64_t pkts, uint32_t flags)
{
    last.acked_seq += pkts * MSS;
    last.acked_bytes = (uint32_t)(pkts * MSS);
    last.flags = (uint16_t)flags;
    last.next_seq = weir_max_u64(last.next_seq, last.acked_seq + flow.reno.cc.cwnd_bytes);
    weir_newreno_ops.on_ack(&flow.reno.cc, &cfg, &last);
    return flow.reno.cc.cwnd_bytes / MSS;
}

static uint64_t lose(uint64_t lost_seq, bool is_timeout)
{
    weir_newreno_ops.on_loss(
        &flow.reno.cc, &cfg,
        &(struct weir_loss){
            .lost_seq = lost_seq, .next_seq = last.next_seq, .lost_bytes = (uint32_t)MSS, .is_timeout = is_timeout });
    return flow.reno.cc.cwnd_bytes / MSS;
}

static void slow_start_adds_a_packet_per_ack_whatever_it_acknowledges(void **state)
{
    (void)state;
    assert_int_equal(ack(1, 0), 11);
    assert_int_equal(ack(2, 0), 12);
    cfg.limit_pkts = 2; /* RFC 3465 */
    assert_int_equal(ack(2, 0), 14);
    assert_int_equal(ack(3, 0), 16);
}

static void then_the_window_grows_by_a_packet_per_window(void **state)
{
    (void)state;
    begin(10, 10);
    for (int i = 0; i < 9; i++)
        assert_int_equal(ack(1, 0), 10);
    assert_int_equal(ack(1, 0), 11);
    for (int i = 0; i < 5; i++)
        assert_int_equal(ack(2, 0), 11);
    assert_int_equal(ack(2, 0), 12); /* 12 of 11: one is kept */
    for (int i = 0; i < 10; i++)
        assert_int_equal(ack(1, 0), 12);
    assert_int_equal(ack(1, 0), 13);
    assert_int_equal(ack(13, WEIR_ACK_APP_LIMITED), 13);
}

/* Marked ACKs of packets 1 to 20, sent before the cut, count once; that of packet 21 was the last one then. */
static void ece_five_times_in_a_window_is_one_cut(void **state)
{
    (void)state;
    begin(20, 20);
    assert_int_equal(ack(1, WEIR_ACK_ECE), 10);
    for (int i = 0; i < 4; i++)
        assert_int_equal(ack(1, WEIR_ACK_ECE), 10);
    assert_int_equal(ack(15, WEIR_ACK_ECE), 10); /* 20 of 21 */
    assert_int_equal(ack(1, WEIR_ACK_ECE), 10);  /* all that was in flight, but nothing sent after the cut */
    assert_int_equal(ack(1, WEIR_ACK_ECE), 5);
    assert_int_equal(flow.reno.ssthresh_bytes, 5 * MSS);
}

static void marks_of_exact_echo_count_too(void **state)
{
    (void)state;
    begin(20, 20);
    last.marked_bytes = (uint32_t)MSS;
    assert_int_equal(ack(1, 0), 10);
    assert_int_equal(ack(1, 0), 10);
}

static void no_cut_goes_below_two_packets(void **state)
{
    (void)state;
    begin(3, 3);
    assert_int_equal(ack(1, WEIR_ACK_ECE), 2);
    assert_int_equal(ack(20, WEIR_ACK_ECE), 2);
}

static void a_loss_halves_once_per_window_and_not_after_a_mark(void **state)
{
    (void)state;
    begin(20, 20);
    (void)ack(1, 0);
    assert_int_equal(lose(5 * MSS, false), 10);
    assert_int_equal(lose(9 * MSS, false), 10); /* of the same window */
    (void)ack(10, 0);
    assert_int_equal(ack(15, WEIR_ACK_ECE), 5);
    assert_int_equal(lose(27 * MSS, false), 5); /* was in flight when the mark cut */
    assert_int_equal(lose(last.next_seq, false), 2);
}

static void the_window_holds_while_a_cut_drains(void **state)
{
    (void)state;
    begin(20, 20);
    assert_int_equal(ack(1, WEIR_ACK_ECE), 10); /* next is 21 */
    assert_int_equal(ack(19, 0), 10);           /* held; nothing is kept */
    assert_int_equal(ack(1, 0), 10);
    assert_int_equal(ack(8, 0), 10);
    assert_int_equal(ack(1, 0), 11);
}

/* 20 in flight: ssthresh 10, one packet; a second timeout leaves ssthresh; then slow start at once. */
static void a_timeout_leaves_one_packet_and_half_as_ssthresh(void **state)
{
    (void)state;
    begin(20, 20);
    (void)ack(1, 0);
    assert_int_equal(lose(MSS, true), 1);
    assert_int_equal(lose(MSS, true), 1);
    assert_int_equal(flow.reno.ssthresh_bytes, 10 * MSS);
    for (uint64_t pkts = 2; pkts <= 10; pkts++)
        assert_int_equal(ack(1, 0), pkts);
    assert_int_equal(ack(1, 0), 10);
}

/* RFC 6582: min(ssthresh, max(flight, 1) + 1). */
static void a_full_ack_sets_no_burst_free(void **state)
{
    (void)state;
    begin(20, 20);
    (void)ack(1, 0);
    assert_int_equal(lose(MSS, false), 10);
    last.inflight_bytes = (uint32_t)(4 * MSS);
    assert_int_equal(ack(20, WEIR_ACK_RECOVERED), 5);
    assert_int_equal(ack(1, 0), 6); /* below ssthresh: slow start */
    last.inflight_bytes = 0;
    assert_int_equal(ack(1, WEIR_ACK_RECOVERED), 2);
    last.inflight_bytes = (uint32_t)(30 * MSS);
    assert_int_equal(ack(1, WEIR_ACK_RECOVERED), 10);
}

/* A loss whenever the window reaches 20 packets: 10, 11, .., 20, whose mean is 15. */
static void the_mean_of_the_sawtooth_is_three_quarters(void **state)
{
    uint64_t sum = 0, rounds = 0;
    (void)state;
    begin(20, 20);
    (void)ack(1, 0);
    for (int saw = 0; saw < 5; saw++) {
        (void)lose(last.acked_seq, false);
        (void)ack((last.next_seq - last.acked_seq) / MSS - 1, 0); /* the cut has drained, but for a packet */
        for (uint64_t pkts = 10; pkts <= 20; pkts++, rounds++) {
            assert_int_equal(flow.reno.cc.cwnd_bytes, pkts * MSS);
            sum += pkts;
            if (pkts < 20)
                (void)ack(pkts == 10 ? pkts + 1 : pkts, 0);
        }
    }
    assert_int_equal(sum, 15 * rounds);
}

static void a_restart_begins_a_new_flow(void **state)
{
    (void)state;
    begin(10, 20);
    (void)ack(1, WEIR_ACK_ECE);
    weir_newreno_ops.on_start(&flow.reno.cc, &cfg, 8 * WEIR_PS_PER_S);
    assert_int_not_equal(flow.reno.cc.cwnd_bytes, 10 * MSS); /* a connection keeps its window */
    cfg.restart = 1;
    weir_newreno_ops.on_start(&flow.reno.cc, &cfg, 9 * WEIR_PS_PER_S);
    assert_int_equal(flow.reno.cc.cwnd_bytes, 10 * MSS);
    assert_int_equal(flow.reno.ssthresh_bytes, 20 * MSS);
    assert_int_equal(flow.reno.cut_end_seq, 0);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    law_set(weir_newreno_params, &cfg, "init_cwnd", "999 B");
    law_refused(law_check(weir_newreno_check, &cfg, &path), "init_cwnd");
    cfg.init_cwnd.bytes = MSS;
    assert_null(law_check(weir_newreno_check, &cfg, &path));
    cfg.ssthresh.bytes = WEIR_CWND_MAX_BYTES + UINT64_C(1);
    law_refused(law_check(weir_newreno_check, &cfg, &path), "init_cwnd and ssthresh");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(slow_start_adds_a_packet_per_ack_whatever_it_acknowledges, setup),
        cmocka_unit_test_setup(then_the_window_grows_by_a_packet_per_window, setup),
        cmocka_unit_test_setup(ece_five_times_in_a_window_is_one_cut, setup),
        cmocka_unit_test_setup(marks_of_exact_echo_count_too, setup),
        cmocka_unit_test_setup(no_cut_goes_below_two_packets, setup),
        cmocka_unit_test_setup(a_loss_halves_once_per_window_and_not_after_a_mark, setup),
        cmocka_unit_test_setup(the_window_holds_while_a_cut_drains, setup),
        cmocka_unit_test_setup(a_timeout_leaves_one_packet_and_half_as_ssthresh, setup),
        cmocka_unit_test_setup(a_full_ack_sets_no_burst_free, setup),
        cmocka_unit_test_setup(the_mean_of_the_sawtooth_is_three_quarters, setup),
        cmocka_unit_test_setup(a_restart_begins_a_new_flow, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
    };
    return cmocka_run_group_tests_name("newreno", tests, NULL, NULL);
}
