/* test/unit/param/test_number.c - decimals with units, exactly, both ways. */
#include "test/unit/weir_test.h"
#include "param/number.h"
#include <stdio.h>
#include <string.h>

/* The value of "1.25 us", which must be readable. */
static uint64_t value_of(const char *text)
{
    struct weir_number n;
    const struct weir_unit *unit;
    uint64_t value = 0;
    assert_int_equal(weir_number_read(&n, text), WEIR_NUMBER_OK);
    unit = weir_unit_find(n.unit);
    assert_non_null(unit);
    assert_int_equal(weir_number_scale(&n, unit->scale, &value), WEIR_NUMBER_OK);
    return value;
}

static enum weir_number_status status_of(const char *text, uint64_t scale)
{
    struct weir_number n;
    uint64_t value;
    enum weir_number_status status = weir_number_read(&n, text);
    return status != WEIR_NUMBER_OK ? status : weir_number_scale(&n, scale, &value);
}

static void every_unit_has_its_exact_size(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } cases[] = {
        { "7 ps", 7 },
        { "1.25 us", 1250000 },
        { "1.25us", 1250000 },
        { "0.001 ns", 1 },
        { "12 ms", 12000000000 },
        { "3 s", 3000000000000 },
        { "0.000000000001 s", 1 },
        { "9 bps", 9 },
        { "1.5 Kbps", 1500 },
        { "10 Mbps", 10000000 },
        { "100 Gbps", 100000000000 },
        { "12.8 Tbps", 12800000000000 },
        { "84 B", 84 },
        { "500 KB", 500000 },
        { "2.5 MB", 2500000 },
        { "16 GB", 16000000000 },
        { "1 TB", 1000000000000 },
        { "1.5 KiB", 1536 },
        { "2 MiB", 2097152 },
        { "0.5 GiB", 536870912 },
        { "1.5 BDP", 1500 },
        { "007 ps", 7 },
        { "1.2500000000000000000000000 us", 1250000 },
        { "18446744073709551615 ps", UINT64_MAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(value_of(cases[i].text), cases[i].value);
}

static void what_is_no_number_is_bad(void **state)
{
    static const char *const texts[] = { "", " 1", "-", "-us", "--1", "+1", ".5", "1.", "abc", "1. us", "inf", "nan" };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(status_of(texts[i], 1000), WEIR_NUMBER_BAD);
    assert_int_equal(status_of("-1", 1000), WEIR_NUMBER_NEGATIVE);
    assert_int_equal(status_of("-0.5 us", 1000), WEIR_NUMBER_NEGATIVE);
    assert_null(weir_unit_find("e5")); /* "1e5" is 1 with a unit nobody knows */
    assert_null(weir_unit_find("US"));
    assert_null(weir_unit_find(""));
}

static void more_digits_than_the_base_holds_are_too_fine(void **state)
{
    (void)state;
    assert_int_equal(status_of("0.5", 1), WEIR_NUMBER_FINE);
    assert_int_equal(status_of("1.2345678", 1000000), WEIR_NUMBER_FINE);
    assert_int_equal(status_of("0.0000000000000000001", 1000000000000), WEIR_NUMBER_FINE); /* 19 digits */
    assert_int_equal(status_of("0.3", 1024), WEIR_NUMBER_FINE);                            /* 307.2 */
    assert_int_equal(status_of("0.25", 1024), WEIR_NUMBER_OK);
}

static void what_exceeds_64_bits_is_too_big(void **state)
{
    (void)state;
    assert_int_equal(status_of("18446744073709551616", 1), WEIR_NUMBER_BIG);
    assert_int_equal(status_of("99999999999999999999999999", 1), WEIR_NUMBER_BIG);
    assert_int_equal(status_of("18446744073709551615", 1000), WEIR_NUMBER_BIG);
    assert_int_equal(status_of("18446744.073709551616", 1000000000000), WEIR_NUMBER_BIG); /* 2^64 ps in s */
    assert_int_equal(status_of("18446744.073709551615", 1000000000000), WEIR_NUMBER_OK);
}

static void values_print_in_the_largest_unit_that_fits(void **state)
{
    static const struct {
        uint64_t value;
        enum weir_unit_kind kind;
        const char *text;
    } cases[] = {
        { 0, WEIR_UNIT_TIME, "0 ps" },
        { 999, WEIR_UNIT_TIME, "999 ps" },
        { 1250000, WEIR_UNIT_TIME, "1.25 us" },
        { 1000000000000, WEIR_UNIT_TIME, "1 s" },
        { 100000000000, WEIR_UNIT_RATE, "100 Gbps" },
        { 0, WEIR_UNIT_SIZE, "0 B" },
        { 1460, WEIR_UNIT_SIZE, "1460 B" },
        { 9216, WEIR_UNIT_SIZE, "9216 B" },
        { 500000, WEIR_UNIT_SIZE, "500 KB" },
        { 1u << 30, WEIR_UNIT_SIZE, "1 GiB" },
        { 1000001, WEIR_UNIT_SIZE, "1000001 B" },
        { UINT64_MAX, WEIR_UNIT_SIZE, "18446744073709551615 B" },
    };
    char out[64];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        weir_number_print_unit(out, sizeof(out), cases[i].value, cases[i].kind);
        assert_string_equal(out, cases[i].text);
    }
    weir_number_print(out, sizeof(out), 62500, 1000000, "");
    assert_string_equal(out, "0.0625");
    weir_number_print(out, sizeof(out), 62500, 10000, "%");
    assert_string_equal(out, "6.25%");
}

static void what_is_printed_reads_back(void **state)
{
    static const enum weir_unit_kind kinds[] = { WEIR_UNIT_TIME, WEIR_UNIT_RATE, WEIR_UNIT_SIZE };
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    char out[64];
    (void)state;
    for (int i = 0; i < 30000; i++) {
        uint64_t value;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        value = x >> (i % 64);
        weir_number_print_unit(out, sizeof(out), value, kinds[i % 3]);
        assert_int_equal(value_of(out), value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_unit_has_its_exact_size),
        cmocka_unit_test(what_is_no_number_is_bad),
        cmocka_unit_test(more_digits_than_the_base_holds_are_too_fine),
        cmocka_unit_test(what_exceeds_64_bits_is_too_big),
        cmocka_unit_test(values_print_in_the_largest_unit_that_fits),
        cmocka_unit_test(what_is_printed_reads_back),
    };
    return cmocka_run_group_tests_name("param/number", tests, NULL, NULL);
}
