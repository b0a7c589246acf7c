/* test/unit/measure/test_samples.c - exact percentiles by hand, and what must not depend on order. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "core/round.h"
#include "measure/samples.h"
#include <stdlib.h>

static struct weir_dist dist_of(const uint64_t *value, size_t n)
{
    struct weir_samples s;
    struct weir_dist d;
    weir_samples_init(&s, WEIR_SAMPLES_MAX);
    for (size_t i = 0; i < n; i++)
        weir_samples_add(&s, value[i], weir_mix_u64(i + 1));
    d = weir_samples_dist(&s);
    weir_samples_free(&s);
    return d;
}

static void assert_same_dist(const struct weir_dist *a, const struct weir_dist *b)
{
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->mean_milli, b->mean_milli);
    assert_int_equal(a->p50, b->p50);
    assert_int_equal(a->p95, b->p95);
    assert_int_equal(a->p99, b->p99);
    assert_int_equal(a->p999, b->p999);
    assert_int_equal(a->min, b->min);
    assert_int_equal(a->max, b->max);
}

static void no_samples_give_zeros(void **state)
{
    struct weir_dist zero = { 0 }, d = dist_of(NULL, 0);
    (void)state;
    assert_same_dist(&d, &zero);
}

static void one_value_is_every_percentile(void **state)
{
    struct weir_dist want = { 1, 7000, 7, 7, 7, 7, 7, 7 }, d = dist_of((uint64_t[]){ 7 }, 1);
    (void)state;
    assert_same_dist(&d, &want);
}

/* numpy.percentile([15, 20, 35, 40, 50], ..): places 2, 3.8, 3.96, 3.996 between the order statistics. */
static void percentiles_interpolate_as_numpy_does(void **state)
{
    struct weir_dist d = dist_of((uint64_t[]){ 40, 15, 50, 35, 20 }, 5);
    (void)state;
    assert_int_equal(d.p50, 35);
    assert_int_equal(d.p95, 48);  /* 40 + 0.8 * 10 */
    assert_int_equal(d.p99, 50);  /* 49.6 */
    assert_int_equal(d.p999, 50); /* 49.96 */
    assert_int_equal(d.mean_milli, 32000);
    assert_int_equal(d.min, 15);
    assert_int_equal(d.max, 50);
}

static void halves_are_rounded_up_and_the_mean_down(void **state)
{
    struct weir_dist d = dist_of((uint64_t[]){ 1, 2 }, 2);
    (void)state;
    assert_int_equal(d.p50, 2); /* 1.5 */
    assert_int_equal(d.mean_milli, 1500);
    d = dist_of((uint64_t[]){ 1, 1, 3 }, 3);
    assert_int_equal(d.mean_milli, 1666);
}

/* 0, 1000, .. 1000000: the percentile is its own name. */
static void a_thousand_steps_give_round_numbers(void **state)
{
    uint64_t value[1001];
    struct weir_dist d;
    (void)state;
    for (uint64_t i = 0; i < 1001; i++)
        value[i] = i * 8 % 1001 * 1000; /* 8 and 1001 share no factor: every step once */
    d = dist_of(value, 1001);
    assert_int_equal(d.p50, 500000);
    assert_int_equal(d.p95, 950000);
    assert_int_equal(d.p99, 990000);
    assert_int_equal(d.p999, 999000);
    assert_int_equal(d.mean_milli, 500000000);
}

static void values_at_the_end_of_the_range_do_not_overflow(void **state)
{
    uint64_t value[1000];
    struct weir_dist d;
    (void)state;
    for (int i = 0; i < 1000; i++)
        value[i] = UINT64_MAX - (i == 0);
    d = dist_of(value, 1000);
    assert_true(d.p50 == UINT64_MAX && d.p999 == UINT64_MAX);
    assert_true(d.mean_milli == UINT64_MAX); /* saturated */
    assert_true(d.min == UINT64_MAX - 1);
    d = dist_of((uint64_t[]){ 0, UINT64_MAX }, 2);
    assert_true(d.p50 == UINT64_C(1) << 63);
    assert_true(d.p95 == UINT64_C(17524406870024074034));
}

static void mean_is_exact_beyond_64_bits(void **state)
{
    enum { N = 4096 };
    static uint64_t value[N];
    struct weir_dist d;
    (void)state;
    for (uint64_t i = 0; i < N; i++)
        value[i] = (UINT64_C(1) << 53) + i; /* the sum is near 2^65 */
    d = dist_of(value, N);
    assert_true(d.mean_milli == (UINT64_C(1) << 53) * 1000 + 2047500);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t percentile_by_sorting(const uint64_t *sorted, size_t n, uint64_t ppm)
{
    size_t place = (size_t)(ppm * (n - 1));
    size_t k = place / 1000000;
    uint64_t low = sorted[k], high = k + 1 < n ? sorted[k + 1] : low;
    return low + ((high - low) * (place % 1000000) + 500000) / 1000000;
}

static void selecting_agrees_with_sorting(void **state)
{
    enum { MOST = 700 };
    static uint64_t value[MOST];
    struct weir_rng rng = { weir_rng_key(20240601, 0, WEIR_RNG_TEST, 0), 0 };
    (void)state;
    for (int round = 0; round < 2000; round++) {
        size_t n = 1 + weir_rng_below(weir_rng_next(&rng), MOST);
        uint64_t spread = UINT64_C(1) << weir_rng_below(weir_rng_next(&rng), 33); /* 1: all equal */
        struct weir_dist d;
        for (size_t i = 0; i < n; i++)
            value[i] = weir_rng_below(weir_rng_next(&rng), spread);
        if (round % 3 == 1)
            qsort(value, n, sizeof(*value), by_value); /* a sorted input is not a bad one */
        d = dist_of(value, n);
        qsort(value, n, sizeof(*value), by_value);
        assert_int_equal(d.p50, percentile_by_sorting(value, n, 500000));
        assert_int_equal(d.p95, percentile_by_sorting(value, n, 950000));
        assert_int_equal(d.p99, percentile_by_sorting(value, n, 990000));
        assert_int_equal(d.p999, percentile_by_sorting(value, n, 999000));
    }
}

static void shuffle(uint32_t *order, uint32_t n, struct weir_rng *rng)
{
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = weir_rng_below(weir_rng_next(rng), i + 1), was = order[i];
        order[i] = order[j];
        order[j] = was;
    }
}

/* Adds 3000 values in the given order, each to one of `parts` samples, and merges those in a changing order. */
static void fill(struct weir_samples *out, const uint32_t *order, uint32_t n, uint32_t parts, struct weir_rng *rng)
{
    struct weir_samples part[5];
    uint32_t first = weir_rng_below(weir_rng_next(rng), parts);
    for (uint32_t p = 0; p < parts; p++)
        weir_samples_init(&part[p], 100);
    for (uint32_t i = 0; i < n; i++)
        weir_samples_add(&part[weir_rng_below(weir_rng_next(rng), parts)], UINT64_C(3) * order[i],
                         weir_mix_u64(order[i] + 1));
    *out = part[first];
    for (uint32_t p = 1; p < parts; p++) {
        weir_samples_merge(out, &part[(first + p) % parts]);
        weir_samples_free(&part[(first + p) % parts]);
    }
}

static void neither_order_nor_merging_changes_what_is_kept(void **state)
{
    enum { N = 3000 };
    static uint32_t order[N];
    struct weir_rng rng = { weir_rng_key(77, 0, WEIR_RNG_TEST, 0), 0 };
    struct weir_samples s;
    struct weir_dist first = { 0 }, d;
    uint32_t shift = 0;
    (void)state;
    for (uint32_t i = 0; i < N; i++)
        order[i] = i;
    for (uint32_t round = 0; round < 200; round++) {
        shuffle(order, N, &rng);
        fill(&s, order, N, 1 + round % 5, &rng);
        d = weir_samples_dist(&s);
        if (round == 0) {
            first = d;
            shift = s.shift;
        }
        assert_same_dist(&d, &first);
        assert_int_equal(s.shift, shift);
        assert_in_range(s.count, 1, 100);
        weir_samples_free(&s);
    }
    assert_int_equal(first.count, N);
    assert_int_equal(first.mean_milli, 3 * (N - 1) * 500); /* exact although few are kept */
    assert_int_equal(first.max, 3 * (N - 1));
    assert_in_range(shift, 4, 7); /* 3000 >> 5 is just below 100 */
}

static void a_limit_that_just_fits_keeps_everything(void **state)
{
    struct weir_samples s;
    (void)state;
    weir_samples_init(&s, 64);
    for (uint64_t i = 0; i < 64; i++)
        weir_samples_add(&s, i, weir_mix_u64(i + 1));
    assert_int_equal(s.count, 64);
    assert_int_equal(s.shift, 0);
    weir_samples_add(&s, 64, weir_mix_u64(65));
    assert_true(s.shift > 0 && s.count < 64);
    weir_samples_free(&s);
    assert_null(s.kept);
    weir_samples_free(&s);
}

/* Keys that are no hashes at all must not loop or outgrow the limit. */
static void equal_keys_stay_within_the_limit(void **state)
{
    struct weir_samples s;
    (void)state;
    weir_samples_init(&s, 4);
    for (uint64_t i = 0; i < 100; i++)
        weir_samples_add(&s, i, 0);
    assert_int_equal(s.count, 4);
    assert_int_equal(weir_samples_dist(&s).mean_milli, 49500);
    weir_samples_free(&s);
}

/* 100 choices of about 1500 out of 100000 uniform values: the mean of their medians is within 0.5 % of the true one
 * (its standard error is 0.13 %), and each is within 7 % (more than five standard errors of 1.3 %). */
static void kept_samples_are_unbiased(void **state)
{
    enum { N = 100000, ROUNDS = 100 };
    uint64_t sum = 0;
    (void)state;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t key = weir_rng_key(4711, round, WEIR_RNG_TEST, 0);
        struct weir_samples s;
        uint64_t p50;
        weir_samples_init(&s, 2000);
        for (uint64_t i = 0; i < N; i++)
            weir_samples_add(&s, i, weir_rng_at(key, i));
        assert_in_range(s.count, 1300, 2000);
        p50 = weir_samples_dist(&s).p50;
        assert_in_range(p50, N / 2 - N * 35 / 1000, N / 2 + N * 35 / 1000);
        sum += p50;
        weir_samples_free(&s);
    }
    assert_in_range(sum / ROUNDS, N / 2 - N / 400, N / 2 + N / 400);
}

static void rounding_goes_to_the_nearest(void **state)
{
    (void)state;
    assert_int_equal(weir_mul_div_round_u64(1, 1, 3), 0);
    assert_int_equal(weir_mul_div_round_u64(2, 1, 3), 1);
    assert_int_equal(weir_mul_div_round_u64(1, 1, 2), 1);
    assert_int_equal(weir_mul_div_round_u64(7, 0, 5), 0);
    assert_true(weir_mul_div_round_u64(UINT64_MAX, 999999, 1000000) == UINT64_C(18446725626965477905));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_samples_give_zeros),
        cmocka_unit_test(one_value_is_every_percentile),
        cmocka_unit_test(percentiles_interpolate_as_numpy_does),
        cmocka_unit_test(halves_are_rounded_up_and_the_mean_down),
        cmocka_unit_test(a_thousand_steps_give_round_numbers),
        cmocka_unit_test(values_at_the_end_of_the_range_do_not_overflow),
        cmocka_unit_test(mean_is_exact_beyond_64_bits),
        cmocka_unit_test(selecting_agrees_with_sorting),
        cmocka_unit_test(neither_order_nor_merging_changes_what_is_kept),
        cmocka_unit_test(a_limit_that_just_fits_keeps_everything),
        cmocka_unit_test(equal_keys_stay_within_the_limit),
        cmocka_unit_test(kept_samples_are_unbiased),
        cmocka_unit_test(rounding_goes_to_the_nearest),
    };
    return cmocka_run_group_tests_name("measure/samples", tests, NULL, NULL);
}
