/* test/unit/live/test_kv_latency.c - the distribution of latencies of examples/kv: its buckets, and its percentiles. */
#include "test/unit/weir_test.h"
#include "examples/kv/latency.h"

static struct latency l;

static int setup(void **state)
{
    (void)state;
    l = (struct latency){ 0 };
    return 0;
}

static void buckets_follow_each_other_without_a_gap(void **state)
{
    static const uint64_t ns[] = { 0, 1, 127, 128, 255, 256, 257, 258, 511, 512, 515, 516 };
    static const uint32_t bucket[] = { 0, 1, 127, 128, 255, 256, 256, 257, 383, 384, 384, 385 };
    (void)state;
    for (size_t i = 0; i < sizeof(ns) / sizeof(ns[0]); i++)
        assert_int_equal(latency_bucket(ns[i]), bucket[i]);
    assert_int_equal(latency_bucket(UINT64_MAX), LATENCY_BUCKETS - 1);
    for (uint32_t shift = 8; shift < 64; shift++) /* where a power of two begins */
        assert_int_equal(latency_bucket(UINT64_C(1) << shift), latency_bucket((UINT64_C(1) << shift) - 1) + 1);
}

static void the_middle_of_a_bucket_is_right_to_one_in_256(void **state)
{
    (void)state;
    for (uint64_t ns = 1; ns < UINT64_MAX / 3 * 2; ns += ns / 97 + 1) {
        uint64_t middle = latency_middle(latency_bucket(ns));
        assert_true((middle > ns ? middle - ns : ns - middle) <= ns / 256);
    }
}

static void percentiles_count_from_above(void **state)
{
    (void)state;
    assert_int_equal(latency_percentile(&l, 500), 0);
    latency_add(&l, 7);
    assert_int_equal(latency_percentile(&l, 1), 7);
    assert_int_equal(latency_percentile(&l, 1000), 7);
    l = (struct latency){ 0 };
    for (uint64_t ns = 1; ns <= 200; ns++)
        latency_add(&l, ns);
    assert_int_equal(latency_percentile(&l, 500), 100);
    assert_int_equal(latency_percentile(&l, 504), 101); /* 100.8 of 200 */
    assert_int_equal(latency_percentile(&l, 505), 101);
    assert_int_equal(latency_percentile(&l, 990), 198);
    assert_int_equal(latency_percentile(&l, 999), 200); /* 199.8 */
    for (int i = 0; i < 1800; i++)
        latency_add(&l, 150);
    assert_int_equal(latency_percentile(&l, 500), 150);
    assert_int_equal(latency_percentile(&l, 50), 100); /* the 100th of 2000 */
    latency_add(&l, 1000001);
    assert_int_equal(latency_percentile(&l, 1000), 1000001); /* the middle of its bucket is above the largest */
    assert_int_equal(l.max_ns, 1000001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(buckets_follow_each_other_without_a_gap, setup),
        cmocka_unit_test_setup(the_middle_of_a_bucket_is_right_to_one_in_256, setup),
        cmocka_unit_test_setup(percentiles_count_from_above, setup),
    };
    return cmocka_run_group_tests_name("live/kv_latency", tests, NULL, NULL);
}
