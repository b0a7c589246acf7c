/* test/unit/measure/test_histogram.c - buckets meet without gaps, quantiles are what a sorted list would say. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "measure/histogram.h"
#include <stdlib.h>
#include <string.h>

static struct weir_histogram h, part;

static int setup(void **state)
{
    (void)state;
    memset(&h, 0, sizeof(h));
    memset(&part, 0, sizeof(part));
    return 0;
}

static void an_empty_histogram_returns_zero(void **state)
{
    (void)state;
    assert_int_equal(weir_histogram_quantile(&h, 990000), 0);
}

static void small_values_are_exact(void **state)
{
    (void)state;
    for (uint64_t v = 1; v <= 100; v++)
        weir_histogram_add(&h, v);
    assert_int_equal(weir_histogram_quantile(&h, 0), 1);
    assert_int_equal(weir_histogram_quantile(&h, 10000), 1); /* one in a hundred lies at or below 1 .. */
    assert_int_equal(weir_histogram_quantile(&h, 10001), 2); /* .. and not a millionth more */
    assert_int_equal(weir_histogram_quantile(&h, 500000), 50);
    assert_int_equal(weir_histogram_quantile(&h, 990000), 99);
    assert_int_equal(weir_histogram_quantile(&h, 1000000), 100);
    assert_int_equal(h.max, 100);
}

static void every_value_below_256_has_its_own_bucket(void **state)
{
    (void)state;
    for (uint64_t v = 0; v < 256; v++) {
        memset(&h, 0, sizeof(h));
        weir_histogram_add(&h, v);
        weir_histogram_add(&h, 1000);
        assert_int_equal(weir_histogram_quantile(&h, 500000), v);
    }
}

/* 1000 lies in the bucket 1000 .. 1003: two bits below its top eight. Middle, rounded down: 1001. */
static void larger_values_are_their_buckets_middle(void **state)
{
    (void)state;
    weir_histogram_add(&h, 1000);
    assert_int_equal(weir_histogram_quantile(&h, 500000), 1000); /* never above the maximum */
    weir_histogram_add(&h, 5000);
    assert_int_equal(weir_histogram_quantile(&h, 500000), 1001);
    assert_int_equal(weir_histogram_quantile(&h, 500001), 5000); /* 4992 .. 5023: the middle is above the maximum */
}

static void buckets_are_adjacent_up_to_the_last(void **state)
{
    (void)state;
    for (uint32_t bit = 8; bit < 64; bit++) {
        uint64_t v = UINT64_C(1) << bit;
        assert_int_equal(weir_histogram_bucket(v), weir_histogram_bucket(v - 1) + 1);
    }
    assert_int_equal(weir_histogram_bucket(UINT64_MAX), WEIR_HISTOGRAM_BUCKETS - 1);
    weir_histogram_add(&h, UINT64_MAX);
    weir_histogram_add(&h, UINT64_MAX);
    assert_true(weir_histogram_quantile(&h, 1000000) > UINT64_MAX - (UINT64_C(1) << 56));
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void quantiles_are_within_one_part_in_256(void **state)
{
    enum { N = 1001 };
    static uint64_t value[N];
    struct weir_rng rng = { weir_rng_key(3, 0, WEIR_RNG_TEST, 0), 0 };
    (void)state;
    for (int i = 0; i < N; i++) {
        value[i] = weir_rng_next(&rng) >> weir_rng_below(weir_rng_next(&rng), 60);
        weir_histogram_add(&h, value[i]);
    }
    qsort(value, N, sizeof(*value), by_value);
    for (uint32_t ppm = 0; ppm <= 1000000; ppm += 1000) {
        uint64_t rank = ((uint64_t)N * ppm + 999999) / 1000000, got = weir_histogram_quantile(&h, ppm);
        uint64_t want = value[rank == 0 ? 0 : rank - 1];
        uint64_t off = got > want ? got - want : want - got;
        assert_true(off <= want / 256);
    }
}

static void merging_is_adding(void **state)
{
    static struct weir_histogram all;
    struct weir_rng rng = { weir_rng_key(4, 0, WEIR_RNG_TEST, 0), 0 };
    (void)state;
    memset(&all, 0, sizeof(all));
    for (int i = 0; i < 1000; i++) {
        uint64_t v = weir_rng_next(&rng) >> 20;
        weir_histogram_add(&all, v);
        weir_histogram_add(i % 3 == 0 ? &h : &part, v);
    }
    weir_histogram_merge(&h, &part);
    assert_memory_equal(&h, &all, sizeof(all));
}

/* What is moved counts there, and nothing of it is left: also of the largest value and of none. */
static void moving_empties(void **state)
{
    static struct weir_histogram to, from, merged, empty;
    static const uint64_t value[] = { 0, 255, 256, 1000000, UINT64_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof(value) / sizeof(value[0]); i++) {
        weir_histogram_add(&from, value[i]);
        weir_histogram_add(&merged, value[i]);
        weir_histogram_move(&to, &from);
        assert_memory_equal(&to, &merged, sizeof(to));
        assert_memory_equal(&from, &empty, sizeof(from));
    }
    weir_histogram_move(&to, &from);
    assert_memory_equal(&to, &merged, sizeof(to));
}

static void a_bucket_begins_where_the_one_before_ends(void **state)
{
    (void)state;
    assert_int_equal(weir_histogram_low(0), 0);
    assert_int_equal(weir_histogram_low(255), 255);
    assert_int_equal(weir_histogram_low(256), 256);
    assert_int_equal(weir_histogram_low(257), 258);
    for (uint32_t i = 1; i < WEIR_HISTOGRAM_BUCKETS; i++) {
        assert_int_equal(weir_histogram_bucket(weir_histogram_low(i)), i);
        assert_int_equal(weir_histogram_bucket(weir_histogram_low(i) - 1), i - 1);
    }
    assert_true(weir_histogram_low(WEIR_HISTOGRAM_BUCKETS) == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(an_empty_histogram_returns_zero, setup),
        cmocka_unit_test_setup(small_values_are_exact, setup),
        cmocka_unit_test_setup(every_value_below_256_has_its_own_bucket, setup),
        cmocka_unit_test_setup(larger_values_are_their_buckets_middle, setup),
        cmocka_unit_test_setup(buckets_are_adjacent_up_to_the_last, setup),
        cmocka_unit_test_setup(quantiles_are_within_one_part_in_256, setup),
        cmocka_unit_test_setup(merging_is_adding, setup),
        cmocka_unit_test(moving_empties),
        cmocka_unit_test(a_bucket_begins_where_the_one_before_ends),
    };
    return cmocka_run_group_tests_name("measure/histogram", tests, NULL, NULL);
}
