/* test/unit/report/test_scale.c - where axes begin and end, and their ticks. */
#include "test/unit/weir_test.h"
#include "report/scale.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Compares the ticks with a text, as "1 5 10". */
static void ticks(struct weir_scale s, const char *want)
{
    char text[256] = "";
    for (size_t i = 0; i < s.ticks; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%.6g", i > 0 ? " " : "", s.tick[i]);
    assert_string_equal(text, want);
    assert_true(s.lo < s.hi && s.tick[0] == s.lo && s.tick[s.ticks - 1] <= s.hi * (1 + 1e-9));
}

static void a_scale_begins_at_its_base(void **state)
{
    (void)state;
    ticks(weir_scale_make(247, 650, 0), "0 200 400 600 800");
    ticks(weir_scale_make(3, 9.7, 1), "1 5 10"); /* and goes on with round numbers */
    ticks(weir_scale_make(1.07, 1.4, 1), "1 1.1 1.2 1.3 1.4");
    ticks(weir_scale_make(0, 0, 0), "0 0.5 1");
    ticks(weir_scale_make(5, 5, 0), "0 2 4 6");
    ticks(weir_scale_make(0.5, 9, 1), "0.5 5 10"); /* a value below the base is on the scale */
}

static void values_that_differ_little_are_spread(void **state)
{
    (void)state;
    ticks(weir_scale_make(48, 52, 0), "46 48 50 52 54");    /* by 8 % */
    ticks(weir_scale_make(46.8, 52, 0), "0 20 40 60");      /* by a tenth */
    assert_true(weir_scale_make(1.001, 1.0012, 1).lo == 1); /* a tenth of what they have above the base */
}

static void a_wide_scale_is_logarithmic(void **state)
{
    (void)state;
    ticks(weir_scale_make(2, 60, 1), "1 20 40 60");
    ticks(weir_scale_make(2, 61, 1), "1 2 5 10 20 50 100");
    ticks(weir_scale_make(2, 700, 1), "1 2 5 10 20 50 100 200 500 1000");
    ticks(weir_scale_make(2, 1001, 1), "1 10 100 1000"); /* too wide for those at 2 and 5 */
    assert_false(weir_scale_make(2, 60, 1).log);
    assert_true(weir_scale_make(2, 61, 1).log);
    assert_false(weir_scale_make(2, 6100, 0).log); /* from 0 it cannot be */
    ticks(weir_scale_make(11, 4000, 1), "10 20 50 100 200 500 1000 2000 5000");
    ticks(weir_scale_make(1, 3e9, 1), "1 1000 1e+06 1e+09");
    ticks(weir_scale_make(25, 40000, 1), "20 100 1000 10000"); /* it says where it begins */
}

static void a_position_is_a_share_of_the_scale(void **state)
{
    const struct weir_scale linear = weir_scale_make(3, 10, 1), log = weir_scale_make(1, 100, 1);
    (void)state;
    assert_true(fabs(weir_scale_at(&linear, 5.5) - 0.5) < 1e-12);
    assert_true(weir_scale_at(&linear, 0.5) == 0 && weir_scale_at(&linear, 11) == 1);
    assert_true(fabs(weir_scale_at(&log, 10) - 0.5) < 1e-12);
    assert_true(weir_scale_at(&log, 0) == 0 && weir_scale_at(&log, 1e9) == 1);
}

static void round_numbers_are_1_2_and_5(void **state)
{
    (void)state;
    assert_true(weir_scale_nice(0.999, false) == 1); /* the edge of a bucket */
    assert_true(weir_scale_nice(0.9, false) == 0.5);
    assert_true(weir_scale_nice(4.95, false) == 5 && weir_scale_nice(4.9, false) == 2);
    assert_true(weir_scale_nice(5.1, true) == 10 && weir_scale_nice(5, true) == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_begins_at_its_base),  cmocka_unit_test(values_that_differ_little_are_spread),
        cmocka_unit_test(a_wide_scale_is_logarithmic), cmocka_unit_test(a_position_is_a_share_of_the_scale),
        cmocka_unit_test(round_numbers_are_1_2_and_5),
    };
    return cmocka_run_group_tests_name("report/scale", tests, NULL, NULL);
}
