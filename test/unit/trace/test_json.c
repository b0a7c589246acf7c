/* test/unit/trace/test_json.c - the walk over JSON: values, positions, and text that is none. */
#include "test/unit/refusal.h"
#include "trace/json.h"

static struct weir_err err;

static struct trace_json walk(const char *text)
{
    return weir_trace_json_of("f", text, strlen(text), &err);
}

static void numbers_have_several_forms(void **state)
{
    static const struct {
        const char *text;
        uint64_t value;
    } numbers[] = { { "0", 0 },          { "18446744073709551615", UINT64_MAX },
                    { " \n\"77\"", 77 }, { "true", 1 },
                    { "false", 0 },      { "12.0", 12 },
                    { "1e3", 1000 } };
    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct trace_json j = walk(numbers[i].text);
        uint64_t value = 5;
        assert_int_equal(weir_trace_json_u64(&j, &value), 0);
        assert_true(value == numbers[i].value);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const wrong[] = { "-1", "\"x\"", "", "{", "nul", "\"5" };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct trace_json j = walk(wrong[i]);
        uint64_t value;
        assert_int_equal(weir_trace_json_u64(&j, &value), WEIR_E_SYNTAX);
    }
    struct trace_json j = walk("\n 18446744073709551616");
    uint64_t value;
    assert_int_equal(weir_trace_json_u64(&j, &value), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "f:2:2", "18446744073709551616");
}

/* Skips one value; returns what is left behind it. */
static const char *skipped(const char *text)
{
    struct trace_json j = walk(text);
    return weir_trace_json_skip(&j) == 0 ? j.at : NULL;
}

static void any_value_can_be_skipped(void **state)
{
    static const char *const good[] = {
        "1",
        "-1.5e-3",
        "null",
        "\"a\\\"b\\\\\"",
        "[]",
        "{}",
        "[1, [2, {\"a\": [true]}], \"]\"]",
        "{\"a\": {\"b\": []}, \"c\": 1}",
    };
    static const char *const bad[] = { "",          "[",      "[1",        "[1 2]", "[1,", "{\"a\"}",
                                       "{\"a\" 1}", "{a: 1}", "{\"a\": }", "[1}",   "\"a", "?" };
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        (void)snprintf(text, sizeof(text), "%s,", good[i]);
        assert_non_null(skipped(text));
        assert_string_equal(skipped(text), ",");
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_null(skipped(bad[i]));
}

/* 64 levels are allowed. */
static void levels_have_a_bound(void **state)
{
    char text[140];
    (void)state;
    for (uint32_t levels = 64; levels <= 65; levels++) {
        memset(text, '[', levels);
        memset(text + levels, ']', levels);
        text[2 * levels] = '\0';
        assert_int_equal(skipped(text) != NULL, levels == 64);
    }
    assert_refusal(&err, WEIR_E_RANGE, "f:1:65", "64");
}

static void positions_are_those_of_the_text(void **state)
{
    struct trace_json j = walk("{\n  \"a\": [1,\n 2 x]}");
    (void)state;
    assert_int_equal(weir_trace_json_skip(&j), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "f:3:4", "x");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_have_several_forms),      cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(any_value_can_be_skipped),        cmocka_unit_test(levels_have_a_bound),
        cmocka_unit_test(positions_are_those_of_the_text),
    };
    return cmocka_run_group_tests_name("trace/json", tests, NULL, NULL);
}
