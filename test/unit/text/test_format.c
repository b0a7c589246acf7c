/* test/unit/text/test_format.c - numbers as they are printed. */
#include "test/unit/weir_test.h"
#include "text/format.h"

static void decimals_are_exact(void **state)
{
    (void)state;
    assert_string_equal(weir_format_decimal(1234567, 6).text, "1.234567");
    assert_string_equal(weir_format_decimal(42, 12).text, "0.000000000042");
    assert_string_equal(weir_format_decimal(UINT64_MAX, 0).text, "18446744073709551615");
    assert_string_equal(weir_format_decimal(UINT64_MAX, 19).text, "1.8446744073709551615");
    assert_string_equal(weir_format_rounded(1234567, 6, 3).text, "1.235");
    assert_string_equal(weir_format_rounded(1234499, 6, 3).text, "1.234");
    assert_string_equal(weir_format_rounded(999999, 6, 1).text, "1.0");
}

static void digits_are_grouped_by_three(void **state)
{
    (void)state;
    assert_string_equal(weir_format_grouped(0).text, "0");
    assert_string_equal(weir_format_grouped(999).text, "999");
    assert_string_equal(weir_format_grouped(1000).text, "1,000");
    assert_string_equal(weir_format_grouped(12345678).text, "12,345,678");
    assert_string_equal(weir_format_grouped(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void sizes_have_three_figures_and_their_unit(void **state)
{
    (void)state;
    assert_string_equal(weir_format_bytes(0).text, "0 B");
    assert_string_equal(weir_format_bytes(999).text, "999 B");
    assert_string_equal(weir_format_bytes(1000).text, "1.00 KB");
    assert_string_equal(weir_format_bytes(12345).text, "12.3 KB");
    assert_string_equal(weir_format_bytes(999499).text, "999 KB");
    assert_string_equal(weir_format_bytes(999500).text, "1.00 MB"); /* not 1000 KB */
    assert_string_equal(weir_format_bytes(1500000000).text, "1.50 GB");
    assert_string_equal(weir_format_bytes(UINT64_C(5000000000000000)).text, "5000 TB");
    assert_string_equal(weir_format_millibytes(0).text, "0 B");
    assert_string_equal(weir_format_millibytes(12).text, "0.01 B");
    assert_string_equal(weir_format_millibytes(1500).text, "1.50 B");
    assert_string_equal(weir_format_millibytes(97500000).text, "97.5 KB");
    assert_string_equal(weir_format_millibytes(UINT64_MAX).text, "18447 TB");
}

static void times_rates_and_counts(void **state)
{
    (void)state;
    assert_string_equal(weir_format_ps(0).text, "0 ps");
    assert_string_equal(weir_format_ps(800).text, "800 ps");
    assert_string_equal(weir_format_ps(7800000).text, "7.800 us");
    assert_string_equal(weir_format_ps(70000000000).text, "70.00 ms");
    assert_string_equal(weir_format_ps(UINT64_C(1234567000000)).text, "1.235 s");
    assert_string_equal(weir_format_bps(100000000000).text, "100.0 Gbps");
    assert_string_equal(weir_format_bps(49873000000).text, "49.87 Gbps");
    assert_string_equal(weir_format_count(50700000).text, "50.7 M");
    assert_string_equal(weir_format_count(12).text, "12");
    assert_string_equal(weir_format_left(0).text, "< 1 s");
    assert_string_equal(weir_format_left(59).text, "59 s");
    assert_string_equal(weir_format_left(200).text, "3 min 20 s");
    assert_string_equal(weir_format_left(7800).text, "2 h 10 min");
}

static void exact_numbers_read_back_as_they_were(void **state)
{
    (void)state;
    assert_string_equal(weir_format_exact(0).text, "0");
    assert_string_equal(weir_format_exact(-1.5).text, "-1.5");
    assert_string_equal(weir_format_exact(0.1).text, "0.1");
    assert_string_equal(weir_format_exact(0.1 + 0.2).text, "0.30000000000000004"); /* 17 digits */
    assert_string_equal(weir_format_exact(1.0 / 3).text, "0.3333333333333333");    /* 16 digits */
    assert_string_equal(weir_format_exact(1e300).text, "1e+300");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(digits_are_grouped_by_three),
        cmocka_unit_test(sizes_have_three_figures_and_their_unit),
        cmocka_unit_test(times_rates_and_counts),
        cmocka_unit_test(exact_numbers_read_back_as_they_were),
    };
    return cmocka_run_group_tests_name("text/format", tests, NULL, NULL);
}
