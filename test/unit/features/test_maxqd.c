/* test/unit/features/test_maxqd.c - the filter of a port's queueing delays, and what it writes into DATA. */
#include "test/unit/weir_test.h"
#include "core/feature.h"
#include "core/state.h"
#include "features/maxqd/maxqd_core.h"
#include <math.h>

#define US UINT64_C(1000000) /* ps */

static struct weir_maxqd_model model;
static struct weir_maxqd_port port;

static int setup(void **state)
{
    (void)state;
    model = (struct weir_maxqd_model){ .unit_ps = 4000, .filter_ps = 10 * US };
    port = (struct weir_maxqd_port){ 0 };
    return 0;
}

/* A packet starts at now, having waited so long. @return y in 2^-16 ps */
static uint64_t start(uint64_t now_ps, uint64_t delay_ps)
{
    weir_maxqd_start(&model, &port, &(struct weir_pkt){ .kind = WEIR_PKT_DATA }, now_ps - delay_ps, now_ps);
    return port.y_q16;
}

static void decay_matches_the_exponential_to_nine_digits(void **state)
{
    (void)state;
    assert_int_equal(weir_maxqd_keep_q32(0, 10 * US), UINT64_C(1) << 32);
    assert_int_equal(weir_maxqd_keep_q32(10 * US, 10 * US), 1580030169); /* 2^32 / e = 1580030168.70 */
    assert_int_equal(weir_maxqd_keep_q32(5 * US, 10 * US), 2605029348);  /* 2605029347.49 */
    assert_int_equal(weir_maxqd_keep_q32(221 * US, 10 * US), 1);         /* 1.09 */
    assert_int_equal(weir_maxqd_keep_q32(222 * US, 10 * US), 0);         /* the exponent of 2 is beyond 32 */
    assert_int_equal(weir_maxqd_keep_q32(UINT64_MAX, 1), 0);
}

static void decay_errs_by_less_than_2_to_minus_28(void **state)
{
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    double worst = 0;
    (void)state;
    for (int i = 0; i < 200000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint64_t filter_ps = 1 + (x >> 20) % (100 * US), dt_ps = (x & 0xfffff) * filter_ps / 40000; /* to 26 of it */
        double exact = exp(-(double)dt_ps / (double)filter_ps), is = (double)weir_maxqd_keep_q32(dt_ps, filter_ps);
        worst = fmax(worst, fabs(is / 4294967296.0 - exact));
    }
    print_message("largest error 2^%.2f\n", log2(worst));
    assert_true(worst < 1.0 / (1 << 28));
}

static void the_first_packet_sets_the_filter_and_decays_with_time(void **state)
{
    (void)state;
    assert_int_equal(start(77 * US, US), US << 16);
    assert_int_equal(start(87 * US, 0), 24109347062); /* 65536e6 - floor(65536e6 * 2714937127 / 2^32): 1 us / e */
    assert_int_equal(start(92 * US, 0), 14623058182); /* 24109347062 - floor(24109347062 * 1689937948 / 2^32) */
    assert_int_equal(start(102 * US, 3 * US), 129659481289); /* + floor((196608e6 - 14623058182) * 2714937127 / 2^32) */
}

static void an_equal_delay_keeps_the_filter_and_a_long_silence_resets_it(void **state)
{
    (void)state;
    (void)start(77 * US, 5 * US);
    assert_int_equal(start(78 * US, 5 * US), 5 * US << 16);
    assert_int_equal(start(377 * US, 123), 123 << 16);
}

/* 84 bytes at 800 Gb/s last 840 ps: a step of 8e-5 of the difference, which in whole ps would be lost 12 ns from the goal. */
static void a_slow_filter_converges(void **state)
{
    (void)state;
    (void)start(77 * US, 0);
    for (uint64_t i = 1; i <= 400000; i++)
        (void)start(77 * US + i * 840, 1000);
    assert_in_range(port.y_q16, (1000 << 16) - 12000, 1000 << 16);
}

static void without_a_filter_the_delay_is_the_packets_own(void **state)
{
    (void)state;
    model.filter_ps = 0;
    (void)start(77 * US, US);
    assert_int_equal(start(78 * US, 17), 17 << 16);
    assert_int_equal(start(UINT64_C(1) << 60, UINT64_C(1) << 50), WEIR_MAXQD_DELAY_MAX_PS << 16);
}

static void only_data_carries_the_longest_delay(void **state)
{
    struct weir_pkt data = { .sent_ps = (UINT64_C(1) << 48) - 5, .kind = WEIR_PKT_DATA };
    struct weir_pkt ack = { .sent_ps = 12345, .kind = WEIR_PKT_ACK };
    (void)state;
    (void)start(77 * US, US + 3999);
    weir_maxqd_stamp(&model, &port, &data);
    weir_maxqd_stamp(&model, &port, &ack);
    assert_int_equal(data.qdelay, 250); /* units of 4 ns, begun ones do not count */
    assert_int_equal(data.sent48_ps, (UINT64_C(1) << 48) - 5);
    assert_int_equal(ack.sent_ps, 12345);
    assert_int_equal(weir_maxqd_raise(model.unit_ps, &port, 249), 250);
    assert_int_equal(weir_maxqd_raise(model.unit_ps, &port, 251), 251);
    (void)start(999 * US, 300 * US); /* 75,000 units; the port had been silent for 92 time constants */
    assert_int_equal(weir_maxqd_raise(model.unit_ps, &port, 0), 65535);
}

/* Control packets of a class that has no DATA do not count, and all DATA does; the other way round with laws that read no delay. */
static void classes_of_the_mask_do_not_count(void **state)
{
    static const struct {
        uint8_t apart, data_apart, kind, class_id;
        bool counts;
    } rows[] = {
        { 0x80, 0, WEIR_PKT_ACK, 7, false },  { 0x80, 0, WEIR_PKT_ACK, 6, true },  { 0x80, 0, WEIR_PKT_DATA, 7, true },
        { 0x01, 0, WEIR_PKT_ACK, 0, false },  { 0x01, 0, WEIR_PKT_ACK, 1, true },  { 0x02, 0, WEIR_PKT_ACK, 1, false },
        { 0, 0x40, WEIR_PKT_DATA, 6, false }, { 0, 0x40, WEIR_PKT_DATA, 7, true }, { 0, 0x40, WEIR_PKT_ACK, 6, true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_pkt pkt = { .kind = rows[i].kind & 15u, .class_id = rows[i].class_id & 7u };
        port = (struct weir_maxqd_port){ 0 };
        model.apart_mask = rows[i].apart, model.data_apart_mask = rows[i].data_apart;
        weir_maxqd_start(&model, &port, &pkt, 76 * US, 77 * US);
        assert_int_equal(port.y_q16, rows[i].counts ? US << 16 : 0);
        assert_int_equal(port.begun, rows[i].counts);
    }
}

/* 65535 units of 4 ns are 262.14 us: just held, and then not. */
static void a_delay_that_the_field_cannot_hold_is_counted(void **state)
{
    struct weir_pkt data = { .kind = WEIR_PKT_DATA }, ack = { .kind = WEIR_PKT_ACK };
    (void)state;
    model.filter_ps = 0;
    (void)start(1000 * US, 262143999);
    weir_maxqd_stamp(&model, &port, &data);
    assert_int_equal(data.qdelay, 65535);
    assert_int_equal(port.saturated, 0);
    (void)start(2000 * US, 262144000);
    weir_maxqd_stamp(&model, &port, &data);
    weir_maxqd_stamp(&model, &port, &ack);
    assert_int_equal(data.qdelay, 65535);
    assert_int_equal(port.saturated, 1);
}

/* Delays that repeat: y rises or falls in each period, and rounding towards where it was lets it stand still. */
static void the_filter_stands_still_when_delays_repeat(void **state)
{
    static const uint64_t delay_ps[] = { 0, 1234567, 1, 300 * US, 88000 };
    (void)state;
    for (uint32_t above = 0; above < 2; above++) {
        uint64_t now_ps = 1000 * US, before, after;
        port.y_q16 = above ? (1000 * US) << 16 : 0;
        for (uint32_t i = 0; i < 5000; i++)
            for (uint32_t k = 0; k < 5; k++)
                (void)start(now_ps += 129800, delay_ps[k]);
        before = port.y_q16;
        for (uint32_t k = 0; k < 5; k++)
            after = start(now_ps += 129800, delay_ps[k]);
        assert_int_equal(before, after);
    }
}

static uint64_t kept[2][8];
static struct weir_state s = { .value = { .at = kept[0], .room = 8 }, .sum = { .at = kept[1], .room = 8 } };

static bool is_back(enum weir_state_pass pass, uint64_t now_ps)
{
    const struct weir_here here = { .model = &model, .port = &port };
    weir_state_begin(&s, pass, now_ps);
    weir_maxqd_feature.state(&here, &s);
    return pass == WEIR_STATE_TEST && weir_state_is_equal(&s);
}

/* run.skip: exact compares all that the next delay depends on, and moves it on. */
static void the_state_is_the_delay_and_when_it_was_sampled(void **state)
{
    (void)state;
    port = (struct weir_maxqd_port){ .y_q16 = 7 << 16, .start_ps = 40 * US, .saturated = 3, .begun = true };
    (void)is_back(WEIR_STATE_KEEP, 50 * US);
    port.start_ps += 2 * US;
    assert_true(is_back(WEIR_STATE_TEST, 52 * US));
    assert_false(is_back(WEIR_STATE_TEST, 52 * US + 1));
    port.y_q16++;
    assert_false(is_back(WEIR_STATE_TEST, 52 * US));
    port.y_q16--;
    port.begun = false;
    assert_false(is_back(WEIR_STATE_TEST, 52 * US));
    port.begun = true;
    port.saturated += 5;
    assert_true(is_back(WEIR_STATE_TEST, 52 * US));
    s.periods = 10;
    (void)is_back(WEIR_STATE_MOVE, 52 * US);
    assert_int_equal(port.start_ps, 62 * US);
    assert_int_equal(port.saturated, 58);
    assert_int_equal(port.y_q16, 7 << 16);
    (void)is_back(WEIR_STATE_KEEP, 70 * US); /* a port that nothing came by stays as it is, and when it was used */
    assert_true(is_back(WEIR_STATE_TEST, 99 * US));
    s.periods = 10;
    (void)is_back(WEIR_STATE_MOVE, 99 * US);
    assert_int_equal(port.start_ps, 62 * US);
    port.start_ps++;
    assert_false(is_back(WEIR_STATE_TEST, 99 * US));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(decay_matches_the_exponential_to_nine_digits, setup),
        cmocka_unit_test_setup(decay_errs_by_less_than_2_to_minus_28, setup),
        cmocka_unit_test_setup(the_first_packet_sets_the_filter_and_decays_with_time, setup),
        cmocka_unit_test_setup(an_equal_delay_keeps_the_filter_and_a_long_silence_resets_it, setup),
        cmocka_unit_test_setup(a_slow_filter_converges, setup),
        cmocka_unit_test_setup(without_a_filter_the_delay_is_the_packets_own, setup),
        cmocka_unit_test_setup(only_data_carries_the_longest_delay, setup),
        cmocka_unit_test_setup(classes_of_the_mask_do_not_count, setup),
        cmocka_unit_test_setup(a_delay_that_the_field_cannot_hold_is_counted, setup),
        cmocka_unit_test_setup(the_filter_stands_still_when_delays_repeat, setup),
        cmocka_unit_test_setup(the_state_is_the_delay_and_when_it_was_sampled, setup),
    };
    return cmocka_run_group_tests_name("features/maxqd", tests, NULL, NULL);
}
