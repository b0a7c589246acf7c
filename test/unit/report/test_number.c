/* test/unit/report/test_number.c - digits and units. */
#include "test/unit/weir_test.h"
#include "report/number.h"
#include <math.h>

static void a_number_has_its_significant_digits(void **state)
{
    (void)state;
    assert_string_equal(weir_number_plain(0.0123456, 3).text, "0.0123");
    assert_string_equal(weir_number_plain(9.996, 3).text, "10.0");
    assert_string_equal(weir_number_plain(1234.5, 3).text, "1234");
    assert_string_equal(weir_number_plain(12345.6, 3).text, "12,346");
    assert_string_equal(weir_number_plain(-1234567, 15).text, "-1,234,567");
    assert_string_equal(weir_number_plain(0, 3).text, "0");
    assert_string_equal(weir_number_plain(0.0000012, 3).text, "1.20e-06");
}

static void a_value_has_the_unit_that_suits(void **state)
{
    (void)state;
    assert_string_equal(weir_number_text(999, WEIR_UNIT_BYTES).text, "999 B");
    assert_string_equal(weir_number_text(12345, WEIR_UNIT_BYTES).text, "12.3 KB");
    assert_string_equal(weir_number_text(999600, WEIR_UNIT_BYTES).text, "1.00 MB");
    assert_string_equal(weir_number_text(12500000000.0, WEIR_UNIT_PS).text, "12.5 ms");
    assert_string_equal(weir_number_text(0.002, WEIR_UNIT_S).text, "2 ms");
    assert_string_equal(weir_number_text(49.8764, WEIR_UNIT_GBPS).text, "49.88 Gbps");
    assert_string_equal(weir_number_text(617250, WEIR_UNIT_COUNT).text, "617,250");
    assert_string_equal(weir_number_text(23456789, WEIR_UNIT_COUNT).text, "23.46 M");
    assert_string_equal(weir_number_text(0, WEIR_UNIT_BYTES).text, "0");
    assert_string_equal(weir_number_text((double)NAN, WEIR_UNIT_GBPS).text, "\xe2\x80\x93");
}

static void a_tick_is_short_and_exact(void **state)
{
    (void)state;
    assert_string_equal(weir_number_tick(10000, WEIR_UNIT_BYTES).text, "10 KB");
    assert_string_equal(weir_number_tick(0.001, WEIR_UNIT_SHARE).text, "0.1 %");
    assert_string_equal(weir_number_tick(2.5, WEIR_UNIT_RATIO).text, "2.5");
    assert_string_equal(weir_number_tick(3e6, WEIR_UNIT_RATIO).text, "3M");
}

static void an_axis_is_divided_so_that_its_numbers_are_small(void **state)
{
    const char *suffix;
    (void)state;
    assert_true(weir_report_scale(450000, WEIR_UNIT_BYTES, &suffix) == 1e3);
    assert_string_equal(suffix, "KB");
    assert_true(weir_report_scale(2e7, WEIR_UNIT_PER_S, &suffix) == 1e6);
    assert_string_equal(suffix, "million per second");
    assert_true(weir_report_scale(50, WEIR_UNIT_GBPS, &suffix) == 1);
    assert_string_equal(suffix, "Gbps");
}

static void a_mean_and_its_interval_share_a_unit(void **state)
{
    (void)state;
    assert_string_equal(weir_number_spread(12345, 678, WEIR_UNIT_BYTES).text, "12.35 \xc2\xb1 0.68 KB");
    assert_string_equal(weir_number_spread(29.684, 2.87, WEIR_UNIT_GBPS).text, "29.7 \xc2\xb1 2.9 Gbps");
    assert_string_equal(weir_number_spread(1.0183, 0.0024, WEIR_UNIT_RATIO).text, "1.0183 \xc2\xb1 0.0024");
    assert_string_equal(weir_number_spread(763.2, 330, WEIR_UNIT_RATIO).text, "760 \xc2\xb1 330");
    assert_string_equal(weir_number_spread(765, 10, WEIR_UNIT_RATIO).text, "765 \xc2\xb1 10");
    assert_string_equal(weir_number_spread(765.4, 9.96, WEIR_UNIT_RATIO).text, "765 \xc2\xb1 10"); /* 10, not 10.0 */
    assert_string_equal(weir_number_spread(765.46, 9.94, WEIR_UNIT_RATIO).text, "765.5 \xc2\xb1 9.9");
    assert_string_equal(weir_number_spread(765, 99.6, WEIR_UNIT_RATIO).text, "770 \xc2\xb1 100");
    assert_string_equal(weir_number_spread(-41.2, 13, WEIR_UNIT_RATIO).text, "-41 \xc2\xb1 13");
    assert_string_equal(weir_number_spread(123456, 1234, WEIR_UNIT_COUNT).text, "123,500 \xc2\xb1 1200");
    assert_string_equal(weir_number_spread(0.2, 7e-9, WEIR_UNIT_RATIO).text, "0.2000");
    assert_string_equal(weir_number_spread(0.2, 1e-5, WEIR_UNIT_RATIO).text, "0.200000 \xc2\xb1 0.000010");
    assert_string_equal(weir_number_spread(3, 0, WEIR_UNIT_COUNT).text, "3"); /* each seed has the same */
    assert_string_equal(weir_number_spread(0, 0, WEIR_UNIT_BYTES).text, "0");
    assert_string_equal(weir_number_spread(12345, (double)NAN, WEIR_UNIT_BYTES).text, "12.3 KB"); /* of one or two */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_has_its_significant_digits),
        cmocka_unit_test(a_value_has_the_unit_that_suits),
        cmocka_unit_test(a_tick_is_short_and_exact),
        cmocka_unit_test(an_axis_is_divided_so_that_its_numbers_are_small),
        cmocka_unit_test(a_mean_and_its_interval_share_a_unit),
    };
    return cmocka_run_group_tests_name("report/number", tests, NULL, NULL);
}
