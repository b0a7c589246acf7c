/* test/unit/reproduce/test_series.c - one number off a series: means and peaks of a window, first times, marks. */
#include "test/unit/weir_test.h"
#include "reproduce/series.h"
#include <string.h>

/* A rate that is 100 until 300, falls to 40, comes back to 50 and stays; looks 100 apart. */
static const struct weir_series_point rate[] = { { 100, 100 }, { 200, 98 }, { 300, 99 }, { 400, 97.5 }, { 500, 40 },
                                                 { 600, 50 },  { 700, 46 }, { 800, 50 }, { 900, 50 },   { 1000, 52 } };
enum { COUNT = sizeof(rate) / sizeof(rate[0]) };

static double value;

static bool read_it(struct weir_series_spec spec)
{
    struct weir_series_point copy[COUNT];
    memcpy(copy, rate, sizeof(copy));
    value = -1;
    return weir_series_value(&spec, copy, COUNT, rate, COUNT, &value);
}

static void a_window_ends_where_it_says(void **state)
{
    (void)state;
    assert_true(read_it((struct weir_series_spec){ .what = WEIR_SERIES_MEAN, .from_ps = 700, .to_ps = 1000 }));
    assert_true(value == 152.0 / 3); /* 800, 900, 1000: the point at 700 is of what came before */
    assert_true(read_it((struct weir_series_spec){ .what = WEIR_SERIES_MAX, .from_ps = 400, .to_ps = 900 }));
    assert_true(value == 50);
    assert_true(read_it((struct weir_series_spec){ .what = WEIR_SERIES_MIN, .from_ps = 0, .to_ps = 1000 }));
    assert_true(value == 40);
    assert_false(read_it((struct weir_series_spec){ .what = WEIR_SERIES_MEAN, .from_ps = 1000, .to_ps = 2000 }));
}

static void smoothed_over_what_came_before(void **state)
{
    (void)state;
    assert_true(
        read_it((struct weir_series_spec){ .what = WEIR_SERIES_MIN, .from_ps = 300, .to_ps = 1000, .smooth_ps = 200 }));
    assert_true(value == 45); /* of 40 and 50 */
    assert_true(
        read_it((struct weir_series_spec){ .what = WEIR_SERIES_MAX, .from_ps = 0, .to_ps = 100, .smooth_ps = 5000 }));
    assert_true(value == 100); /* the first is the mean of itself */
}

/* The least before 300 is 98, of which 99 % are 97.02: 97.5 is not below it, 40 is. */
static void first_time_below_what_it_was_before(void **state)
{
    struct weir_series_spec spec = { .what = WEIR_SERIES_BELOW,
                                     .of = WEIR_SERIES_OF_BEFORE,
                                     .from_ps = 300,
                                     .to_ps = 1000,
                                     .before_ps = 200,
                                     .share_ppm = 990000 };
    (void)state;
    assert_true(read_it(spec));
    assert_true(value == 200);
    spec.before_ps = 100; /* 99 alone: below 98.01 is 97.5 */
    assert_true(read_it(spec));
    assert_true(value == 100);
    spec.before_ps = 90;
    spec.from_ps = 95; /* nothing before */
    assert_false(read_it(spec));
}

/* 50, 50, 52: mean 50.667, squares 0.444 + 0.444 + 1.778 over three. */
static void variation_is_the_deviation_over_the_mean(void **state)
{
    (void)state;
    assert_true(read_it((struct weir_series_spec){ .what = WEIR_SERIES_VARIATION, .from_ps = 700, .to_ps = 1000 }));
    assert_true(value > 0.0186080 && value < 0.0186082);
}

/* Each point against the one before it: 97.5 is 98.5 % of 99, 40 is 41 % of 97.5. */
static void first_step_down(void **state)
{
    struct weir_series_spec spec = {
        .what = WEIR_SERIES_BELOW, .of = WEIR_SERIES_OF_PREVIOUS, .from_ps = 200, .to_ps = 1000, .share_ppm = 990000
    };
    (void)state;
    assert_true(read_it(spec));
    assert_true(value == 200);
    spec.share_ppm = 900000;
    assert_true(read_it(spec));
    assert_true(value == 300);
    spec.share_ppm = 400000;
    assert_false(read_it(spec));
    spec.share_ppm = 990000;
    spec.from_ps = 399; /* the first point of the window has none before it */
    assert_true(read_it(spec));
    assert_true(value == 101);
}

static void first_time_above_a_number_and_held(void **state)
{
    struct weir_series_spec spec = {
        .what = WEIR_SERIES_ABOVE, .of_value = 50, .from_ps = 500, .to_ps = 1000, .share_ppm = 1000000
    };
    (void)state;
    assert_true(read_it(spec));
    assert_true(value == 100); /* 600: at the mark counts */
    spec.hold_ps = 200;
    assert_true(read_it(spec));
    assert_true(value == 300); /* 800 to 1000; 600 was followed by 46 */
    spec.hold_ps = 201;
    assert_false(read_it(spec));
}

/* Over the second half of (400, 1000], 700 excluded: (50 + 50 + 52) / 3; 95 % of that are 48.1. */
static void an_equal_share_is_what_there_is_later(void **state)
{
    struct weir_series_spec spec = {
        .what = WEIR_SERIES_ABOVE, .of = WEIR_SERIES_OF_FAIR, .from_ps = 400, .to_ps = 1000, .share_ppm = 950000
    };
    (void)state;
    assert_true(read_it(spec));
    assert_true(value == 200);
    spec.share_ppm = 1027000; /* 52.03 */
    assert_false(read_it(spec));
}

static void index_of_jain(void **state)
{
    struct weir_series_point mean[] = { { 1, 3 }, { 2, 1 } };
    struct weir_series_spec spec = { .what = WEIR_SERIES_JAIN };
    (void)state;
    assert_true(weir_series_value(&spec, mean, 2, NULL, 0, &value));
    assert_true(value == 0.8); /* 16 / (2 * 10) */
    mean[0].value = mean[1].value = 0;
    assert_false(weir_series_value(&spec, mean, 2, NULL, 0, &value));
    assert_false(weir_series_value(&spec, mean, 0, NULL, 0, &value));
}

/* Of 12 the parts are 6, 3 and 3: 7.5 is a quarter above its part, 2.1 is 30 % below. */
static void the_distance_from_parts_of_the_sum(void **state)
{
    static const double part[] = { 50, 25, 25 };
    struct weir_series_point mean[] = { { 1, 7.5 }, { 2, 2.1 }, { 3, 2.4 } };
    struct weir_series_spec spec = { .what = WEIR_SERIES_DISTANCE, .part = part, .part_count = 3 };
    (void)state;
    assert_true(weir_series_value(&spec, mean, 3, NULL, 0, &value));
    assert_true(value > 0.2999999 && value < 0.3000001);
    assert_false(weir_series_value(&spec, mean, 2, NULL, 0, &value)); /* a place is missing */
    mean[0].value = mean[1].value = mean[2].value = 0;
    assert_false(weir_series_value(&spec, mean, 3, NULL, 0, &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_window_ends_where_it_says),
        cmocka_unit_test(smoothed_over_what_came_before),
        cmocka_unit_test(first_time_below_what_it_was_before),
        cmocka_unit_test(variation_is_the_deviation_over_the_mean),
        cmocka_unit_test(first_step_down),
        cmocka_unit_test(first_time_above_a_number_and_held),
        cmocka_unit_test(an_equal_share_is_what_there_is_later),
        cmocka_unit_test(index_of_jain),
        cmocka_unit_test(the_distance_from_parts_of_the_sum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
