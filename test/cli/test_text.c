/* test/cli/test_text.c - numbers and names as they are printed. */
#include "test/unit/weir_test.h"
#include "cli/format.h"
#include "cli/json.h"
#include "cli/progress.h"
#include <stdlib.h>
#include <string.h>

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

/* 21 of 70 ms took 7 s: 3 ms a second, 49 ms and 16.3 s to go. */
static void progress_says_how_far_how_fast_and_how_long(void **state)
{
    struct weir_progress p = { .now_ps = 21000000000, .end_ps = 70000000000, .messages_completed = 8123 };
    char text[WEIR_PROGRESS_WIDTH];
    (void)state;
    weir_progress_text(text, sizeof(text), &p, 7000000000);
    assert_string_equal(text, " 30 %  21.00 ms of 70.00 ms  3.00 ms/s  8,123 messages  16 s left");
    p.end_ps = UINT64_MAX;
    weir_progress_text(text, sizeof(text), &p, 7000000000);
    assert_string_equal(text, "21.00 ms  3.00 ms/s  8,123 messages");
}

static void progress_knows_no_speed_at_the_start(void **state)
{
    struct weir_progress p = { .now_ps = 0, .end_ps = 70000000000 };
    char text[WEIR_PROGRESS_WIDTH];
    (void)state;
    weir_progress_text(text, sizeof(text), &p, 0);
    assert_string_equal(text, "  0 %  0 ps of 70.00 ms  0 messages");
    weir_progress_text(text, 10, &p, 1000); /* a small buffer is filled, not overrun */
    assert_int_equal(strlen(text), 9);
}

static void assert_json_string(const char *value, const char *want)
{
    char *text = NULL;
    size_t size = 0;
    struct weir_json json = { .out = open_memstream(&text, &size) };
    assert_non_null(json.out);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "k", value);
    weir_json_close(&json);
    assert_int_equal(fclose(json.out), 0);
    assert_string_equal(text, want);
    free(text);
}

static void json_strings_are_escaped(void **state)
{
    (void)state;
    assert_json_string(NULL, "{\n  \"k\": null\n}\n");
    assert_json_string("a\"b\\c\n\x01", "{\n  \"k\": \"a\\\"b\\\\c\\u000a\\u0001\"\n}\n");
    assert_json_string("S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80",
                       "{\n  \"k\": \"S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80\"\n}\n");
}

static void json_replaces_what_is_not_utf8(void **state)
{
    (void)state;
    assert_json_string("a\xff"
                       "b",
                       "{\n  \"k\": \"a\\ufffdb\"\n}\n");
    assert_json_string("\xc3", "{\n  \"k\": \"\\ufffd\"\n}\n");                       /* cut short */
    assert_json_string("\xc0\xaf", "{\n  \"k\": \"\\ufffd\\ufffd\"\n}\n");            /* overlong '/' */
    assert_json_string("\xed\xa0\x80", "{\n  \"k\": \"\\ufffd\\ufffd\\ufffd\"\n}\n"); /* a surrogate */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimals_are_exact),
        cmocka_unit_test(digits_are_grouped_by_three),
        cmocka_unit_test(sizes_have_three_figures_and_their_unit),
        cmocka_unit_test(times_rates_and_counts),
        cmocka_unit_test(progress_says_how_far_how_fast_and_how_long),
        cmocka_unit_test(progress_knows_no_speed_at_the_start),
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(json_replaces_what_is_not_utf8),
    };
    return cmocka_run_group_tests_name("cli/text", tests, NULL, NULL);
}
