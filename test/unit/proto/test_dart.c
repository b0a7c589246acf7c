/* test/unit/proto/test_dart.c - a receiver's set of senders against a plain list, its state machine by hand, and the sender's rate. */
#include "test/unit/proto/law_bench.h"
#include "proto/dart/dart_core.h"
#include "core/rng.h"

#define US WEIR_PS_PER_US
#define LINE UINT64_C(10000000000)
static struct weir_dart_config cfg;
static struct weir_dart_rx rx;
static struct weir_dart flow;
static uint64_t now_ps;
/* 12.8 us: 16,000 B at 10 Gb/s; less a frame of 1538 B, 95 % of 14,462 B are 13,738 B */
static const struct weir_path path = {
    .base_rtt_ps = 12800 * WEIR_PS_PER_NS - 64, .rate_bps = LINE, .mss_bytes = 1460, .wire_bytes = 1538
};

static int setup(void **state)
{
    (void)state;
    law_use(weir_dart_params, &cfg, &weir_dart_presets[0]);
    assert_null(law_check(weir_dart_check, &cfg, &path));
    rx = (struct weir_dart_rx){ 0 };
    weir_dart_ops.rx_init(&rx, &cfg, &path);
    weir_dart_ops.init(&flow.dcqcn.cc, &cfg, &path);
    now_ps = 77 * WEIR_PS_PER_S; /* not 0: no core may count on a fresh clock */
    return 0;
}

static void begin(uint32_t src)
{
    weir_dart_ops.rx_begin(&rx, &cfg, &(struct weir_rx_event){ .now_ps = now_ps, .src = src });
}

static void end(uint32_t src)
{
    weir_dart_ops.rx_end(&rx, &cfg, &(struct weir_rx_event){ .now_ps = now_ps, .src = src });
}

/* @return what is advertised */
static uint32_t data(uint32_t src, uint32_t bytes, bool ce)
{
    struct weir_data d = {
        .now_ps = now_ps, .src = src, .wire_bytes = bytes, .flags = WEIR_DATA_PAYLOAD | (ce ? WEIR_DATA_CE : 0u)
    };
    struct weir_echo echo = { .ce = ce };
    weir_dart_ops.rx_data(&rx, &cfg, &d, &echo);
    return echo.share_count;
}

/* A link that is full, or half full, for a window and more, without marks. */
static void receive(uint32_t src, uint32_t bytes)
{
    for (int i = 0; i < 128; i++) {
        now_ps += 200 * WEIR_PS_PER_NS;
        (void)data(src, bytes, false);
    }
}

static bool notice(struct weir_notice *out)
{
    return weir_dart_ops.rx_notice(&rx, &cfg, now_ps, out);
}

static void senders_count_once_however_many_messages_they_have(void **state)
{
    (void)state;
    begin(5), begin(5), begin(5);
    assert_int_equal(data(5, 1538, false), 1);
    begin(6);
    assert_int_equal(data(5, 1538, false), 2);
    end(5), end(5);
    assert_int_equal(data(5, 1538, false), 2);
    end(5);
    assert_int_equal(data(6, 1538, false), 1);
}

/* Hosts 1 to 16, and 10 to 25: seven are in both. */
static void two_incasts_with_common_senders_count_their_union(void **state)
{
    (void)state;
    for (uint32_t src = 1; src <= 16; src++)
        begin(src);
    for (uint32_t src = 10; src <= 25; src++)
        begin(src);
    assert_int_equal(data(1, 1538, false), 25);
    for (uint32_t src = 1; src <= 16; src++)
        end(src);
    assert_int_equal(data(20, 1538, false), 16);
}

static void senders_without_room_count_by_message(void **state)
{
    (void)state;
    for (uint32_t src = 0; src < 192; src++)
        begin(src);
    assert_int_equal(rx.senders, 192);
    begin(1000), begin(1000), begin(1001);
    assert_int_equal(data(3, 1538, false), 195);
    end(1000);
    assert_int_equal(data(3, 1538, false), 194);
    end(1000), end(1001);
    for (uint32_t src = 0; src < 192; src++)
        end(src);
    assert_int_equal(rx.senders + rx.others, 0);
}

/* Removing from an open hash table moves others; a plain list says what must be in it. */
static void the_set_is_that_of_a_plain_list(void **state)
{
    struct weir_rng rng = { .key = weir_rng_key(34, 0, WEIR_RNG_TEST, 0) };
    static uint32_t messages[2000];
    uint32_t senders = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        uint32_t src = weir_rng_below(weir_rng_next(&rng), 2000);
        bool begins = weir_rng_below(weir_rng_next(&rng), 100) < (senders < 100 ? 80 : 20);
        if (begins && senders < 190) {
            senders += messages[src]++ == 0;
            begin(src);
        } else if (messages[src] > 0) {
            senders -= --messages[src] == 0;
            end(src);
        }
        assert_int_equal(rx.senders, senders);
        assert_int_equal(weir_dart_find(&rx, src) != NULL, messages[src] > 0);
    }
    for (uint32_t src = 0; src < 2000; src++)
        assert_int_equal(weir_dart_find(&rx, src) != NULL ? weir_dart_find(&rx, src)->messages : 0, messages[src]);
    memset(messages, 0, sizeof(messages));
}

static void a_silent_sender_is_gone_after_t_soft_and_not_before(void **state)
{
    struct weir_notice out;
    (void)state;
    begin(5);
    now_ps += WEIR_PS_PER_S;
    begin(6);
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), now_ps + WEIR_PS_PER_S);
    now_ps += WEIR_PS_PER_S - 1;
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 2);
    now_ps += 1;
    assert_false(notice(&out));
    assert_int_equal(rx.senders, 1);
    assert_int_equal(data(6, 1538, false), 1);
    assert_int_equal(data(5, 1538, false), 2); /* it was only slow */
    assert_int_equal(weir_dart_find(&rx, 5)->messages, 1);
}

static void an_end_without_a_begin_changes_nothing(void **state)
{
    (void)state;
    end(5);
    assert_int_equal(rx.senders + rx.others, 0);
    assert_int_equal(data(7, 100, false), 1);
}

/* 13,738 B in a window: 64 buckets of 200 ns. */
static void a_full_link_is_one_of_thirteen_thousand_bytes_in_a_window(void **state)
{
    (void)state;
    assert_int_equal(rx.window_ps, 12800 * WEIR_PS_PER_NS);
    assert_int_equal(rx.full_bytes, 13738);
    begin(5);
    receive(5, 215); /* 64 * 215 = 13,760 */
    now_ps += 1;
    (void)data(5, 0, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_RECEIVER);
    assert_int_equal(setup(state), 0);
    begin(5);
    receive(5, 214); /* 13,696 */
    (void)data(5, 0, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_ELSEWHERE);
}

/* The three states: marks and a full link: n, and no CNP; marks alone: 1, and a CNP; no marks: n. */
static void marks_with_a_full_link_are_swallowed_and_others_are_passed(void **state)
{
    struct weir_notice out;
    (void)state;
    begin(5), begin(6), begin(7);
    receive(5, 250);
    assert_int_equal(data(5, 250, true), 3);
    assert_false(notice(&out));
    receive(5, 100); /* the mark is older than a window now */
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_NONE);
    assert_int_equal(data(6, 100, false), 3);
    assert_int_equal(data(6, 100, true), 1);
    assert_true(notice(&out));
    assert_true(out.dst == 6 && out.kind == WEIR_DCQCN_CNP);
    assert_false(notice(&out));
    assert_int_equal(data(7, 100, false), 1); /* for a window */
    cfg.idle_count = WEIR_DART_ONE;
    receive(5, 100);
    assert_int_equal(data(5, 100, false), 1);
}

/* A sender that ends leaves marked packets behind for a while; those say nothing. */
static void marks_right_after_a_change_of_the_set_do_not_count(void **state)
{
    (void)state;
    begin(5), begin(6);
    receive(5, 100);
    end(6);
    now_ps += rx.window_ps;
    assert_int_equal(data(5, 100, true), 1); /* n = 1 */
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_NONE);
    now_ps += 1;
    (void)data(5, 100, true);
    assert_int_equal(weir_dart_state(&rx, now_ps), WEIR_DART_ELSEWHERE);
}

/* One CNP per sender and 50 us: at once, then at the interval's end for what was marked in it. */
static void cnps_keep_their_distance(void **state)
{
    struct weir_notice out;
    uint64_t first_ps;
    (void)state;
    begin(5), begin(6);
    receive(5, 100);
    first_ps = now_ps;
    (void)data(5, 100, true);
    assert_true(notice(&out));
    now_ps += US;
    (void)data(5, 100, true);
    (void)data(6, 100, true);
    assert_true(notice(&out));
    assert_int_equal(out.dst, 6);
    assert_false(notice(&out));
    assert_int_equal(weir_dart_ops.rx_next_ps(&rx, &cfg), first_ps + 50 * US);
    now_ps = first_ps + 50 * US;
    assert_true(notice(&out));
    assert_int_equal(out.dst, 5);
    assert_false(notice(&out));
}

static void hear(uint32_t count)
{
    weir_dart_ops.on_ack(&flow.dcqcn.cc, &cfg, &(struct weir_ack){ .now_ps = now_ps, .share_count = (uint16_t)count });
}

static void the_rate_is_the_line_over_n(void **state)
{
    (void)state;
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
    hear(4);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 4);
    hear(0); /* an ACK that does not know */
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 4);
    hear(7);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 7);
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
}

/* A CNP halves DCQCN's rate: alpha is 1. */
static void the_lesser_of_both_rates_counts(void **state)
{
    (void)state;
    hear(3);
    weir_dart_ops.on_notice(&flow.dcqcn.cc, &cfg, &(struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DART_CNP });
    assert_int_equal(flow.dcqcn.rc_bps, LINE / 2);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 3);
    hear(1);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 2);
    weir_dart_ops.on_timer(&flow.dcqcn.cc, &cfg, now_ps + 55 * US); /* fast recovery: half way to 5 Gb/s, where it is */
    hear(2);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 2);
}

static void an_advertised_count_holds_for_a_round_trip(void **state)
{
    (void)state;
    weir_dart_ops.on_notice(&flow.dcqcn.cc, &cfg,
                            &(struct weir_notice){ .now_ps = now_ps, .kind = WEIR_DART_COUNT, .value = 16 });
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps + path.base_rtt_ps - 1);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE / 16);
    weir_dart_ops.on_start(&flow.dcqcn.cc, &cfg, now_ps + path.base_rtt_ps);
    assert_int_equal(flow.dcqcn.cc.rate_bps, LINE);
}

static void keys_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    cfg.t_soft_ps = path.base_rtt_ps;
    law_refused(law_check(weir_dart_check, &cfg, &path), "t_soft");
    cfg.dcqcn.byte_counter_bytes = 1459;
    law_refused(law_check(weir_dart_check, &cfg, &path), "byte_counter");
    cfg.dcqcn.min_rate_bps = LINE + 1;
    law_refused(law_check(weir_dart_check, &cfg, &path), "min_rate");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(senders_count_once_however_many_messages_they_have, setup),
        cmocka_unit_test_setup(two_incasts_with_common_senders_count_their_union, setup),
        cmocka_unit_test_setup(senders_without_room_count_by_message, setup),
        cmocka_unit_test_setup(the_set_is_that_of_a_plain_list, setup),
        cmocka_unit_test_setup(a_silent_sender_is_gone_after_t_soft_and_not_before, setup),
        cmocka_unit_test_setup(an_end_without_a_begin_changes_nothing, setup),
        cmocka_unit_test_setup(a_full_link_is_one_of_thirteen_thousand_bytes_in_a_window, setup),
        cmocka_unit_test_setup(marks_with_a_full_link_are_swallowed_and_others_are_passed, setup),
        cmocka_unit_test_setup(marks_right_after_a_change_of_the_set_do_not_count, setup),
        cmocka_unit_test_setup(cnps_keep_their_distance, setup),
        cmocka_unit_test_setup(the_rate_is_the_line_over_n, setup),
        cmocka_unit_test_setup(the_lesser_of_both_rates_counts, setup),
        cmocka_unit_test_setup(an_advertised_count_holds_for_a_round_trip, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_are_refused, setup),
    };
    return cmocka_run_group_tests_name("dart", tests, NULL, NULL);
}
