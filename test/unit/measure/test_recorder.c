/* test/unit/measure/test_recorder.c - which message counts where. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "measure/result.h"

enum { PPM = 1000000 };
static const uint64_t edge[3] = { 1460, 100000, 800000 };
static struct weir_recorder rec;

static int setup(void **state)
{
    (void)state;
    weir_recorder_init(&rec, edge, 1000, 9000, 1024);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_recorder_free(&rec);
    return 0;
}

static void deliver(struct weir_recorder *r, uint64_t id, uint64_t bytes, uint64_t start_ps, uint64_t end_ps)
{
    struct weir_delivery d = { .id = id,
                               .bytes = bytes,
                               .start_ps = start_ps,
                               .end_ps = end_ps,
                               .ideal_ps = 100,
                               .payload_ps = 80,
                               .measured = true };
    weir_recorder_delivery(r, &d);
}

static uint64_t seen(int group)
{
    return rec.slowdown[WEIR_SLOWDOWN_IDEAL][group - WEIR_GROUP_A].seen;
}

static void groups_begin_at_their_edges(void **state)
{
    static const uint64_t bytes[] = { 1, 1459, 1460, 99999, 100000, 799999, 800000, UINT64_C(1) << 40 };
    (void)state;
    for (uint64_t i = 0; i < 8; i++)
        deliver(&rec, i, bytes[i], 1000, 1100);
    for (int group = WEIR_GROUP_A; group <= WEIR_GROUP_D; group++)
        assert_int_equal(seen(group), 2);
}

static void only_messages_that_end_in_the_measured_part_count(void **state)
{
    (void)state;
    deliver(&rec, 1, 10, 0, 999);
    deliver(&rec, 2, 20, 0, 1000); /* began before it, ended in it */
    deliver(&rec, 3, 40, 8000, 8999);
    deliver(&rec, 4, 80, 8000, 9000);
    assert_int_equal(rec.delivered_measured, 2);
    assert_int_equal(rec.delivered_measured_bytes, 60);
    assert_int_equal(seen(WEIR_GROUP_A), 2);
}

static void incast_messages_count_as_delivered_but_not_in_slowdown(void **state)
{
    struct weir_delivery d = { .id = 9, .bytes = 500000, .start_ps = 1000, .end_ps = 2000 };
    (void)state;
    weir_recorder_delivery(&rec, &d);
    assert_int_equal(rec.delivered_measured, 1);
    assert_int_equal(rec.delivered_measured_bytes, 500000);
    assert_int_equal(seen(WEIR_GROUP_C), 0);
}

/* 3 of 5 packets of the messages up to 8000 B, whatever traffic they are of; longer ones and those after the end do not count. */
static void marked_packets_of_short_messages_are_counted(void **state)
{
    static const struct weir_delivery part[] = {
        { .id = 1,
          .bytes = 8000,
          .start_ps = 1000,
          .end_ps = 2000,
          .pkts = 4,
          .marks = 3,
          .ideal_ps = 1,
          .payload_ps = 1 },
        { .id = 2,
          .bytes = 8001,
          .start_ps = 1000,
          .end_ps = 2000,
          .pkts = 6,
          .marks = 6,
          .ideal_ps = 1,
          .payload_ps = 1 },
        { .id = 3,
          .bytes = 1,
          .start_ps = 1000,
          .end_ps = 9000,
          .pkts = 1,
          .marks = 1,
          .ideal_ps = 1,
          .payload_ps = 1 },
    };
    struct weir_recorder other;
    (void)state;
    rec.short_bytes = 8000;
    for (int i = 0; i < 3; i++)
        weir_recorder_delivery(&rec, &part[i]);
    assert_int_equal(rec.short_pkts, 4);
    assert_int_equal(rec.short_marked_pkts, 3);
    weir_recorder_init(&other, edge, 1000, 9000, 1024);
    other.short_bytes = 8000;
    weir_recorder_delivery(&other,
                           &(struct weir_delivery){ .id = 4, .bytes = 1, .start_ps = 1, .end_ps = 1000, .pkts = 1 });
    weir_recorder_merge(&rec, &other);
    assert_int_equal(rec.short_pkts, 5);
    assert_int_equal(rec.short_marked_pkts, 3);
    weir_recorder_free(&other);
}

static void slowdown_has_two_denominators(void **state)
{
    struct weir_result result = { 0 };
    (void)state;
    deliver(&rec, 1, 10, 1000, 1150);
    weir_result_slowdown(&result, &rec);
    assert_int_equal(result.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_A].p50, PPM * 3 / 2);
    assert_int_equal(result.slowdown[WEIR_SLOWDOWN_PAYLOAD][WEIR_GROUP_A].p50, 1875000); /* 150 / 80 */
    assert_int_equal(result.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_B].count, 0);
}

/* A year of latency over 80 ps: the quotient in millionths is beyond 64 bits and saturates. */
static void absurd_slowdowns_saturate(void **state)
{
    (void)state;
    rec.until_ps = UINT64_MAX;
    deliver(&rec, 1, 10, 1000, UINT64_MAX - 1);
    assert_true(rec.slowdown[WEIR_SLOWDOWN_IDEAL][0].max == UINT64_MAX);
}

static void merging_two_threads_is_one_thread(void **state)
{
    struct weir_recorder one, two;
    struct weir_result merged = { 0 }, whole = { 0 };
    struct weir_rng rng = { weir_rng_key(11, 0, WEIR_RNG_TEST, 0), 0 };
    (void)state;
    weir_recorder_init(&one, edge, 1000, 9000, 1024);
    weir_recorder_init(&two, edge, 1000, 9000, 1024);
    for (uint64_t id = 0; id < 20000; id++) { /* more than the limit: some are thrown out */
        uint64_t bytes = weir_rng_next(&rng) >> (40 + weir_rng_below(weir_rng_next(&rng), 20));
        uint64_t end = 1000 + weir_rng_below(weir_rng_next(&rng), 9000);
        deliver(&rec, id, bytes, 900, end);
        deliver(bytes % 2 == 0 ? &one : &two, id, bytes, 900, end);
    }
    weir_recorder_merge(&one, &two);
    assert_int_equal(one.delivered_measured, rec.delivered_measured);
    assert_int_equal(one.delivered_measured_bytes, rec.delivered_measured_bytes);
    weir_result_slowdown(&merged, &one);
    weir_result_slowdown(&whole, &rec);
    assert_memory_equal(merged.slowdown, whole.slowdown, sizeof(whole.slowdown));
    assert_false(merged.samples_lost);
    weir_recorder_free(&one);
    weir_recorder_free(&two);
}

static void a_detail_counts_the_same_messages_as_the_groups(void **state)
{
    struct weir_delivery incast = { .id = 9, .bytes = 10, .start_ps = 1000, .end_ps = 2000 };
    struct weir_recorder other;
    (void)state;
    weir_recorder_init(&other, edge, 1000, 9000, 1024);
    rec.detail = weir_detail_new();
    other.detail = weir_detail_new();
    assert_true(rec.detail != NULL && other.detail != NULL);
    deliver(&rec, 1, 10, 1000, 1150);
    deliver(&other, 2, 17, 1000, 1200);
    deliver(&rec, 3, 10, 0, 999); /* before the measured part */
    weir_recorder_delivery(&rec, &incast);
    weir_recorder_merge(&rec, &other);
    weir_recorder_free(&other);
    assert_int_equal(rec.detail->slowdown[WEIR_SLOWDOWN_IDEAL][4].total, 2);
    assert_int_equal(rec.detail->slowdown[WEIR_SLOWDOWN_IDEAL][4].max, 2 * PPM);
    assert_int_equal(rec.detail->slowdown[WEIR_SLOWDOWN_PAYLOAD][4].max, PPM * 5 / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(groups_begin_at_their_edges, setup, teardown),
        cmocka_unit_test_setup_teardown(only_messages_that_end_in_the_measured_part_count, setup, teardown),
        cmocka_unit_test_setup_teardown(incast_messages_count_as_delivered_but_not_in_slowdown, setup, teardown),
        cmocka_unit_test_setup_teardown(marked_packets_of_short_messages_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(slowdown_has_two_denominators, setup, teardown),
        cmocka_unit_test_setup_teardown(absurd_slowdowns_saturate, setup, teardown),
        cmocka_unit_test_setup_teardown(merging_two_threads_is_one_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(a_detail_counts_the_same_messages_as_the_groups, setup, teardown),
    };
    return cmocka_run_group_tests_name("measure/recorder", tests, NULL, NULL);
}
