/* test/unit/measure/test_detail.c - which size falls into which bin, quantiles of a bin, of all, and of several threads. */
#include "test/unit/weir_test.h"
#include "measure/detail.h"
#include <stdlib.h>

static struct weir_detail *detail;

static int setup(void **state)
{
    (void)state;
    detail = weir_detail_new();
    return detail == NULL;
}

static int teardown(void **state)
{
    (void)state;
    weir_detail_free(detail);
    return 0;
}

/* The nearest whole bytes to 10^(i / 4). */
static void edges_are_four_per_decade(void **state)
{
    static const uint64_t edge[] = { 1, 2, 3, 6, 10, 18, 32, 56, 100, 178, 316, 562, 1000, 1778, 3162, 5623, 10000 };
    (void)state;
    for (uint32_t i = 0; i < sizeof(edge) / sizeof(edge[0]); i++)
        assert_int_equal(weir_detail_edge(i), edge[i]);
    assert_int_equal(weir_detail_edge(31), 56234133);
    assert_int_equal(weir_detail_edge(38), UINT64_C(3162277660));
    assert_int_equal(weir_detail_edge(39), UINT64_C(5623413252));
    assert_int_equal(weir_detail_edge(40), UINT64_C(10000000000));
    assert_int_equal(weir_detail_edge(WEIR_DETAIL_BINS), INT64_MAX);
}

static void a_size_is_in_the_bin_whose_lower_edge_it_reaches(void **state)
{
    (void)state;
    assert_int_equal(weir_detail_bin(0), 0);
    for (uint32_t i = 0; i < WEIR_DETAIL_BINS; i++) {
        assert_int_equal(weir_detail_bin(weir_detail_edge(i)), i);
        assert_int_equal(weir_detail_bin(weir_detail_edge(i + 1) - 1), i);
    }
    assert_int_equal(weir_detail_bin(UINT64_MAX), WEIR_DETAIL_BINS - 1);
}

/* Slowdowns 1.00, 1.01 .. 1.99 of 1460 B; as the histogram says, off by at most 1/256. */
static void a_bin_has_quantiles_for_both_denominators(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 100; i++)
        weir_detail_add(detail, 1460, 1000000 + i * 10000, 2000000);
    assert_in_range(weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, 12, 500000), 1484000, 1496000);
    assert_in_range(weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, 12, 990000), 1972000, 1990000);
    assert_int_equal(weir_detail_quantile(detail, WEIR_SLOWDOWN_PAYLOAD, 12, 500000), 2000000);
    assert_int_equal(weir_detail_quantile(detail, WEIR_SLOWDOWN_IDEAL, 13, 500000), 0);
}

static void all_sizes_make_one_distribution(void **state)
{
    struct weir_histogram *all = malloc(sizeof(*all));
    (void)state;
    assert_non_null(all);
    weir_detail_add(detail, 10, 100, 1);
    weir_detail_add(detail, 1000000, 200, 2);
    weir_detail_add(detail, UINT64_C(1) << 40, 240, 3);
    weir_detail_all(detail, WEIR_SLOWDOWN_IDEAL, all);
    assert_int_equal(all->total, 3);
    assert_int_equal(all->max, 240);
    assert_int_equal(weir_histogram_quantile(all, 500000), 200);
    weir_detail_all(detail, WEIR_SLOWDOWN_PAYLOAD, all); /* what was there is gone */
    assert_int_equal(all->total, 3);
    assert_int_equal(all->max, 3);
    free(all);
}

static void merging_adds_every_distribution(void **state)
{
    struct weir_detail *other = weir_detail_new();
    (void)state;
    assert_non_null(other);
    weir_detail_add(detail, 10, 100, 1);
    weir_detail_add(other, 11, 120, 2);
    weir_detail_add(other, 5000, 130, 3);
    weir_histogram_add(&other->tor_queue, 7);
    weir_histogram_add(&other->port_queue, 8);
    weir_detail_merge(detail, other);
    weir_detail_free(other);
    assert_int_equal(detail->slowdown[WEIR_SLOWDOWN_IDEAL][4].total, 2);
    assert_int_equal(detail->slowdown[WEIR_SLOWDOWN_IDEAL][4].max, 120);
    assert_int_equal(detail->slowdown[WEIR_SLOWDOWN_PAYLOAD][14].total, 1);
    assert_int_equal(detail->tor_queue.max, 7);
    assert_int_equal(detail->port_queue.max, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_are_four_per_decade),
        cmocka_unit_test(a_size_is_in_the_bin_whose_lower_edge_it_reaches),
        cmocka_unit_test_setup_teardown(a_bin_has_quantiles_for_both_denominators, setup, teardown),
        cmocka_unit_test_setup_teardown(all_sizes_make_one_distribution, setup, teardown),
        cmocka_unit_test_setup_teardown(merging_adds_every_distribution, setup, teardown),
    };
    return cmocka_run_group_tests_name("measure/detail", tests, NULL, NULL);
}
