/* test/unit/measure/test_result.c - fairness index by hand; the groups' union. */
#include "test/unit/weir_test.h"
#include "measure/result.h"
#include <stdlib.h>

/* Rounded down, of 128 bits between. */
static void the_share_of_the_demand_is_in_billionths(void **state)
{
    static const uint64_t row[][3] = { { 0, 1, 0 },
                                       { 1, 1, 1000000000 },
                                       { 2, 3, 666666666 },
                                       { 3, 2, 1500000000 },
                                       { 999999999, 1000000000, 999999999 },
                                       { UINT64_C(1) << 60, UINT64_C(1) << 60, 1000000000 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct weir_part_result part = { .arrived_bytes = row[i][0], .demand_bytes = row[i][1] };
        assert_int_equal(weir_part_met_ppb(&part), row[i][2]);
    }
}

static void jain_of_equal_shares_is_one(void **state)
{
    uint64_t value[1000];
    (void)state;
    for (uint32_t n = 1; n <= 1000; n++) {
        value[n - 1] = 12345678901;
        assert_int_equal(weir_jain_ppm(value, n), 1000000);
    }
}

static void jain_of_a_single_share_is_one_over_n(void **state)
{
    uint64_t value[65536] = { 0 };
    (void)state;
    value[0] = 1;
    assert_int_equal(weir_jain_ppm(value, 1), 1000000);
    assert_int_equal(weir_jain_ppm(value, 3), 333333);
    assert_int_equal(weir_jain_ppm(value, 65536), 15); /* 15.26 */
}

/* 1, 2, 3, 4: 10^2 / (4 * 30) = 0.8333.. */
static void jain_of_linear_shares_matches_its_formula(void **state)
{
    uint64_t value[] = { 1, 2, 3, 4 };
    (void)state;
    assert_int_equal(weir_jain_ppm(value, 4), 833333);
    assert_int_equal(weir_jain_ppm((uint64_t[]){ UINT64_C(1) << 62, UINT64_C(1) << 63 }, 2), 900000); /* 9 / (2 * 5) */
}

static void jain_of_no_shares_is_zero(void **state)
{
    (void)state;
    assert_int_equal(weir_jain_ppm(NULL, 0), 0);
    assert_int_equal(weir_jain_ppm((uint64_t[]){ 0, 0 }, 2), 0);
}

static void jain_of_many_large_values_does_not_overflow(void **state)
{
    enum { N = 65535 };
    uint64_t *value = malloc(N * sizeof(*value));
    (void)state;
    assert_non_null(value);
    for (uint32_t i = 0; i < N; i++)
        value[i] = i % 2 == 0 ? UINT64_MAX : UINT64_MAX / 3;
    assert_in_range(weir_jain_ppm(value, N), 800000,
                    800010); /* (1 + 1/3)^2 / (2 (1 + 1/9)) = 0.8, one large one more */
    free(value);
}

static void all_is_the_union_of_the_groups(void **state)
{
    static const uint64_t edge[3] = { 10, 20, 30 };
    struct weir_recorder rec;
    struct weir_result result = { .samples_lost = true };
    const struct weir_dist *dist = result.slowdown[WEIR_SLOWDOWN_IDEAL];
    (void)state;
    weir_recorder_init(&rec, edge, 0, 1000, 1024);
    for (uint64_t i = 0; i < 5; i++) { /* sizes 5, 15, 25, 35, 35; slowdowns 1 .. 5 */
        struct weir_delivery d = { .id = i,
                                   .bytes = i == 4 ? 35 : 5 + 10 * i,
                                   .end_ps = 10 * (i + 1),
                                   .ideal_ps = 10,
                                   .payload_ps = 5,
                                   .measured = true };
        weir_recorder_delivery(&rec, &d);
    }
    weir_result_slowdown(&result, &rec);
    weir_recorder_free(&rec);
    assert_int_equal(dist[WEIR_GROUP_ALL].count, 5);
    assert_int_equal(dist[WEIR_GROUP_ALL].p50, 3000000);
    assert_int_equal(dist[WEIR_GROUP_ALL].p95, 4800000);
    assert_int_equal(dist[WEIR_GROUP_ALL].mean_milli, 3000000000);
    assert_int_equal(dist[WEIR_GROUP_A].p50, 1000000);
    assert_int_equal(dist[WEIR_GROUP_D].count, 2);
    assert_int_equal(dist[WEIR_GROUP_D].p50, 4500000);
    assert_int_equal(result.slowdown[WEIR_SLOWDOWN_PAYLOAD][WEIR_GROUP_ALL].max, 10000000);
    assert_int_equal(result.completion[WEIR_GROUP_ALL].p50, 30);
    assert_int_equal(result.completion[WEIR_GROUP_D].mean_milli, 45000);
    /* 40 bits in 10 ps, 120 in 20, 200 in 30, 280 in 40 and in 50: 4, 6, 6.667, 7, 5.6 Tb/s */
    assert_int_equal(result.rate_kbps[WEIR_GROUP_A], 4000000000);
    assert_int_equal(result.rate_kbps[WEIR_GROUP_D], 6300000000);
    assert_int_equal(result.rate_kbps[WEIR_GROUP_ALL],
                     (4000000000 + 6000000000 + 6666666666 + 7000000000 + 5600000000) / 5);
    assert_false(result.samples_lost);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_of_the_demand_is_in_billionths),
        cmocka_unit_test(jain_of_equal_shares_is_one),
        cmocka_unit_test(jain_of_a_single_share_is_one_over_n),
        cmocka_unit_test(jain_of_linear_shares_matches_its_formula),
        cmocka_unit_test(jain_of_no_shares_is_zero),
        cmocka_unit_test(jain_of_many_large_values_does_not_overflow),
        cmocka_unit_test(all_is_the_union_of_the_groups),
    };
    return cmocka_run_group_tests_name("measure/result", tests, NULL, NULL);
}
