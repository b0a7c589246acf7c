/* test/unit/proto/test_dctcp.c - drives the core with hand-made ACKs: no host, no simulator. */
#include "test/unit/proto/law_bench.h"
#include "proto/dctcp/dctcp_core.h"

#define MSS UINT64_C(1000)
static struct weir_dctcp_config cfg;
static struct weir_dctcp flow;
static struct weir_ack last;

static void begin(void)
{
    weir_dctcp_ops.init(&flow.cc, &cfg, &(struct weir_path){ .mss_bytes = MSS });
    weir_dctcp_ops.on_start(&flow.cc, &cfg, 77000000000);
    last = (struct weir_ack){ .now_ps = 77000000000 }; /* not 0: no core may count on a fresh clock */
}

static int rfc8257(void **state)
{
    (void)state;
    cfg = (struct weir_dctcp_config){ .init_cwnd = { .bytes = 10 * MSS },
                                      .max_cwnd = { .bytes = WEIR_CWND_MAX_BYTES },
                                      .ssthresh = { .bytes = WEIR_CWND_MAX_BYTES },
                                      .g_ppm = 62500,
                                      .init_alpha_ppm = 1000000,
                                      .min_cwnd_pkts = 2 };
    begin();
    return 0;
}

static int ns2(void **state)
{
    (void)state;
    cfg = (struct weir_dctcp_config){ .init_cwnd = { .bytes = 66 * MSS },
                                      .max_cwnd = { .bytes = 1256 * MSS },
                                      .ssthresh = { .bytes = 1256 * MSS },
                                      .g_ppm = 80000,
                                      .min_cwnd_pkts = 1,
                                      .restart = 1,
                                      .grow_always = 1 };
    begin();
    return 0;
}

static void ack(uint32_t acked_bytes, uint32_t marked_bytes)
{
    last.now_ps += 80000;
    last.acked_seq += acked_bytes;
    last.acked_bytes = acked_bytes;
    last.marked_bytes = marked_bytes;
    last.next_seq = last.acked_seq + flow.cc.cwnd_bytes; /* a sender that always has data */
    weir_dctcp_ops.on_ack(&flow.cc, &cfg, &last);
}

static void lose(uint64_t lost_seq, bool is_timeout)
{
    struct weir_loss loss = { .now_ps = last.now_ps,
                              .lost_seq = lost_seq,
                              .next_seq = last.next_seq,
                              .lost_bytes = MSS,
                              .is_timeout = is_timeout };
    weir_dctcp_ops.on_loss(&flow.cc, &cfg, &loss);
}

static void a_marked_window_is_cut_once_then_grows_by_one_packet(void **state)
{
    (void)state;
    ack(MSS, MSS);
    ack(MSS, MSS);
    assert_int_equal(flow.cc.cwnd_bytes, 5 * MSS); /* alpha began at 1: halved, and once */
    ack(9 * MSS, 0);                               /* ends the window: one byte in ten was marked */
    assert_int_equal(flow.alpha_q20, WEIR_DCTCP_ONE_Q20 / 16 * 15 + WEIR_DCTCP_ONE_Q20 / 10 / 16);
    assert_int_equal(flow.cc.cwnd_bytes, 6 * MSS);
    ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 6 * MSS); /* the next MSS takes a whole window */
}

static void slow_start_adds_what_is_delivered_until_the_first_mark(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 10; i++)
        ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 20 * MSS);
    ack(500, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 20 * MSS + 500);
    assert_int_equal(flow.ssthresh_bytes, WEIR_CWND_MAX_BYTES);
}

static void congestion_avoidance_adds_one_packet_per_window(void **state)
{
    cfg.ssthresh.bytes = 10 * MSS;
    (void)state;
    begin();
    for (uint32_t i = 0; i < 9; i++) {
        ack(MSS, 0);
        assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    }
    ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 11 * MSS);
    for (uint32_t i = 0; i < 11; i++)
        ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 12 * MSS);
}

static void an_idle_window_does_not_grow(void **state)
{
    (void)state;
    last.flags = WEIR_ACK_APP_LIMITED;
    ack(5 * MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    ack(MSS, MSS); /* but a mark cuts all the same */
    assert_true(flow.cc.cwnd_bytes < 10 * MSS);
}

static void alpha_follows_equation_1(void **state)
{
    uint64_t alpha = 1000000000;
    (void)state;
    for (uint32_t n = 0; n < 100; n++) { /* no marks: alpha = (15/16)^n */
        ack(flow.cc.cwnd_bytes, 0);
        alpha = alpha * 15 / 16;
        assert_in_range(flow.alpha_q20, (alpha << 20) / 1000000000 - 17, (alpha << 20) / 1000000000 + 1);
    }
    for (uint32_t n = 0; n < 300; n++) /* everything marked: towards 1 */
        ack(flow.cc.cwnd_bytes, flow.cc.cwnd_bytes);
    assert_in_range(flow.alpha_q20, WEIR_DCTCP_ONE_Q20 - 32, WEIR_DCTCP_ONE_Q20);
    assert_int_equal(flow.cc.cwnd_bytes, 2 * MSS); /* the floor of RFC 8257 as Linux has it */
}

static void a_loss_halves_once_per_window(void **state)
{
    (void)state;
    ack(10 * MSS, 0); /* 20 packets; 10000 .. 20000 in flight, and as much again sent */
    last.next_seq = 30 * MSS;
    lose(12 * MSS, false);
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    assert_int_equal(flow.ssthresh_bytes, 10 * MSS);
    lose(15 * MSS, false);
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    lose(30 * MSS, false);
    assert_int_equal(flow.cc.cwnd_bytes, 5 * MSS);
}

/* While alpha is 0 marks take nothing off; that the buffer overflows then is worth half all the same. */
static void a_loss_halves_though_marks_have_cut_before(void **state)
{
    (void)state;
    cfg.init_alpha_ppm = 0;
    begin();
    ack(10 * MSS, 0);
    last.next_seq = 30 * MSS;
    ack(MSS, MSS); /* alpha is 0: cuts nothing, and holds until 30000 are acknowledged */
    uint32_t cwnd = flow.cc.cwnd_bytes;
    assert_int_equal(cwnd, 20 * MSS);
    lose(12 * MSS, false);
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    lose(15 * MSS, false); /* of the same burst */
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    ack(20 * MSS, MSS); /* beyond the window: marks may cut again .. */
    cwnd = flow.cc.cwnd_bytes;
    assert_true(cwnd < 10 * MSS && cwnd > 9 * MSS);
    lose(32 * MSS, false); /* .. and a loss after them halve */
    assert_int_equal(flow.cc.cwnd_bytes, cwnd - cwnd / 2);
}

static void a_timeout_leaves_one_packet_and_slow_start_to_half(void **state)
{
    (void)state;
    ack(10 * MSS, 0);
    last.next_seq = 30 * MSS;
    lose(10 * MSS, true);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.ssthresh_bytes, 10 * MSS);
    lose(10 * MSS, true); /* the same window again: RFC 5681 keeps ssthresh */
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
    assert_int_equal(flow.ssthresh_bytes, 10 * MSS);
    for (uint32_t i = 0; i < 9; i++)
        ack(MSS, 0); /* grows though the cut window is not acked yet */
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS);
    ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 10 * MSS); /* at ssthresh it waits for the window's end */
}

static void ssthresh_after_a_timeout_is_two_packets_at_least(void **state)
{
    (void)state;
    lose(0, true);
    assert_int_equal(flow.ssthresh_bytes, MSS * 33); /* half of 66 */
    lose(200 * MSS, true);                           /* from one packet */
    assert_int_equal(flow.ssthresh_bytes, 2 * MSS);
    assert_int_equal(flow.cc.cwnd_bytes, MSS);
}

static void ns2_updates_alpha_before_it_cuts_on_the_same_ack(void **state)
{
    (void)state;
    ack(MSS, MSS); /* the first ACK closes the empty first window: alpha = 0.08 */
    uint32_t alpha = (uint32_t)((UINT64_C(80000) << 20) / 1000000);
    assert_int_equal(flow.alpha_q20, alpha);
    uint32_t cut = (uint32_t)(((uint64_t)66 * MSS * alpha) >> 21);
    assert_int_equal(flow.cc.cwnd_bytes, 66 * MSS - cut); /* 4 % less */
    assert_int_equal(flow.ssthresh_bytes, flow.cc.cwnd_bytes);
}

static void ns2_grows_within_the_cut_window_and_when_idle(void **state)
{
    (void)state;
    ack(MSS, MSS);
    uint32_t cwnd = flow.cc.cwnd_bytes;
    last.flags = WEIR_ACK_APP_LIMITED;
    for (uint32_t bytes = 0; bytes < cwnd; bytes += MSS)
        ack(MSS, MSS); /* marked, but this window was cut already */
    assert_int_equal(flow.cc.cwnd_bytes, cwnd + MSS);
}

static void ns2_is_in_slow_start_until_the_first_mark(void **state)
{
    (void)state;
    ack(MSS, 0); /* ns-2's ssthresh is the largest window, not the initial one */
    assert_int_equal(flow.cc.cwnd_bytes, 67 * MSS);
    ack(67 * MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 134 * MSS);
    ack(MSS, MSS);
    uint32_t cut_bytes = flow.cc.cwnd_bytes;
    ack(MSS, 0); /* congestion avoidance from the cut on: a packet is no packet more */
    assert_int_equal(flow.cc.cwnd_bytes, cut_bytes);
    weir_dctcp_ops.on_start(&flow.cc, &cfg, last.now_ps);
    ack(MSS, 0); /* the next message begins below what the cut left: slow start up to there */
    assert_int_equal(flow.cc.cwnd_bytes, 67 * MSS);
}

static void preset_ns2_holds_the_windows_of_its_source(void **state)
{
    static const struct weir_path full = { .mss_bytes = 1460 };
    const struct weir_preset *row = weir_dctcp_presets;
    (void)state;
    while (strcmp(row->name, "ns2") != 0)
        assert_non_null((++row)->name);
    law_use(weir_dctcp_params, &cfg, row);
    assert_int_equal(cfg.init_cwnd.bytes, 66 * 1460);
    assert_int_equal(cfg.max_cwnd.bytes, 1256 * 1460);
    assert_int_equal(cfg.ssthresh.bytes, cfg.max_cwnd.bytes);
    assert_null(law_check(weir_dctcp_check, &cfg, &full));
    law_set(weir_dctcp_params, &cfg, "ssthresh", "96360 B"); /* the other reading: congestion avoidance at once */
    assert_int_equal(cfg.ssthresh.bytes, cfg.init_cwnd.bytes);
    assert_null(law_check(weir_dctcp_check, &cfg, &full));
}

static void ns2_begins_every_message_with_the_whole_window(void **state)
{
    (void)state;
    ack(MSS, MSS);
    uint32_t alpha = flow.alpha_q20, ssthresh = flow.ssthresh_bytes;
    weir_dctcp_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 66 * MSS);
    assert_int_equal(flow.alpha_q20, alpha);
    assert_int_equal(flow.ssthresh_bytes, ssthresh);
    ack(65 * MSS, 0); /* all but a packet of a window */
    weir_dctcp_ops.on_start(&flow.cc, &cfg, last.now_ps);
    ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 66 * MSS); /* the next message counts from the beginning */
    (void)rfc8257(state);
    ack(MSS, MSS);
    weir_dctcp_ops.on_start(&flow.cc, &cfg, last.now_ps);
    assert_int_equal(flow.cc.cwnd_bytes, 5 * MSS); /* elsewhere the window lives on */
}

static void ns2_stops_at_1256_packets_and_at_one(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2000; i++)
        ack(MSS, 0);
    assert_int_equal(flow.cc.cwnd_bytes, 1256 * MSS);
    for (uint32_t i = 0; i < 300; i++)
        ack(flow.cc.cwnd_bytes, flow.cc.cwnd_bytes);
    assert_in_range(flow.cc.cwnd_bytes, MSS, 3 * MSS - 1); /* near one packet: it grows between two cuts */
}

static void window_keeps_its_bounds_whatever_arrives(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    (void)state;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        ack((uint32_t)x, x % 3 == 0 ? (uint32_t)x : 0);
        if (x % 97 == 0)
            lose(last.acked_seq + (x >> 40), x % 5 == 0);
        assert_in_range(flow.cc.cwnd_bytes, MSS, WEIR_CWND_MAX_BYTES);
        assert_in_range(flow.alpha_q20, 0, WEIR_DCTCP_ONE_Q20);
        assert_int_equal(flow.cc.rate_bps, WEIR_RATE_OPEN);
        assert_int_equal(flow.cc.timer_ps, WEIR_NEVER);
    }
}

static void sizes_that_do_not_fit_each_other_are_refused_by_name(void **state)
{
    const struct weir_path path = { .mss_bytes = MSS };
    (void)state;
    assert_null(law_check(weir_dctcp_check, &cfg, &path));
    cfg.init_cwnd.bytes = MSS - 1;
    assert_non_null(strstr(law_check(weir_dctcp_check, &cfg, &path), "init_cwnd"));
    cfg.init_cwnd.bytes = 10 * MSS;
    cfg.max_cwnd.bytes = 9 * MSS;
    assert_non_null(strstr(law_check(weir_dctcp_check, &cfg, &path), "max_cwnd"));
    cfg.max_cwnd.bytes = 10 * MSS;
    cfg.min_cwnd_pkts = 11;
    assert_non_null(strstr(law_check(weir_dctcp_check, &cfg, &path), "min_cwnd"));
    cfg.min_cwnd_pkts = 10;
    assert_null(law_check(weir_dctcp_check, &cfg, &path));
    cfg.ssthresh.bytes = UINT64_MAX;
    assert_non_null(strstr(law_check(weir_dctcp_check, &cfg, &path), "ssthresh"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_marked_window_is_cut_once_then_grows_by_one_packet, rfc8257),
        cmocka_unit_test_setup(slow_start_adds_what_is_delivered_until_the_first_mark, rfc8257),
        cmocka_unit_test_setup(congestion_avoidance_adds_one_packet_per_window, rfc8257),
        cmocka_unit_test_setup(an_idle_window_does_not_grow, rfc8257),
        cmocka_unit_test_setup(alpha_follows_equation_1, rfc8257),
        cmocka_unit_test_setup(a_loss_halves_once_per_window, rfc8257),
        cmocka_unit_test_setup(a_loss_halves_though_marks_have_cut_before, rfc8257),
        cmocka_unit_test_setup(a_timeout_leaves_one_packet_and_slow_start_to_half, rfc8257),
        cmocka_unit_test_setup(ssthresh_after_a_timeout_is_two_packets_at_least, ns2),
        cmocka_unit_test_setup(ns2_updates_alpha_before_it_cuts_on_the_same_ack, ns2),
        cmocka_unit_test_setup(ns2_grows_within_the_cut_window_and_when_idle, ns2),
        cmocka_unit_test_setup(ns2_is_in_slow_start_until_the_first_mark, ns2),
        cmocka_unit_test(preset_ns2_holds_the_windows_of_its_source),
        cmocka_unit_test_setup(ns2_begins_every_message_with_the_whole_window, ns2),
        cmocka_unit_test_setup(ns2_stops_at_1256_packets_and_at_one, ns2),
        cmocka_unit_test_setup(window_keeps_its_bounds_whatever_arrives, rfc8257),
        cmocka_unit_test_setup(sizes_that_do_not_fit_each_other_are_refused_by_name, rfc8257),
    };
    return cmocka_run_group_tests_name("proto/dctcp", tests, NULL, NULL);
}
