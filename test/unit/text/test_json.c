/* test/unit/text/test_json.c - names as they are printed. */
#include "test/unit/weir_test.h"
#include "text/json.h"
#include <stdlib.h>

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
    assert_json_string("a\"b\\c\n\x01", "{\n  \"k\": \"a\\\"b\\\\c\\n\\u0001\"\n}\n");
    assert_json_string("S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80",
                       "{\n  \"k\": \"S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80\"\n}\n");
}

/* What other readers take for the end of a line, or refuse. */
static void json_escapes_odd_characters(void **state)
{
    (void)state;
    assert_json_string("\x7f\xc2\x80\xc2\x9f\xc2\xa0", "{\n  \"k\": \"\\u007f\\u0080\\u009f\xc2\xa0\"\n}\n");
    assert_json_string("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa",
                       "{\n  \"k\": \"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"\n}\n");
    assert_json_string("\xef\xbb\xbe\xef\xbb\xbf\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf",
                       "{\n  \"k\": \"\xef\xbb\xbe\\ufeff\xef\xbf\xbd\\ufffe\\uffff\"\n}\n");
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
        cmocka_unit_test(json_strings_are_escaped),
        cmocka_unit_test(json_escapes_odd_characters),
        cmocka_unit_test(json_replaces_what_is_not_utf8),
    };
    return cmocka_run_group_tests_name("text/json", tests, NULL, NULL);
}
