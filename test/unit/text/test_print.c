/* test/unit/text/test_print.c - what a terminal gets of a foreign text: nothing that it would obey, nothing that is no
 * UTF-8. */
#include "test/unit/weir_test.h"
#include "text/print.h"
#include <stdlib.h>
#include <string.h>

static void assert_shown(const char *text, const char *want)
{
    char *shown = NULL;
    size_t size;
    FILE *out = open_memstream(&shown, &size);
    assert_non_null(out);
    weir_cli_text(out, text);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(shown, want);
    free(shown);
}

static void text_in_utf8_stays_as_it_is(void **state)
{
    (void)state;
    assert_shown("", "");
    assert_shown("S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80 \"%s\" \\",
                 "S\xc3\xb6ze \xe2\x82\xac \xf0\x9f\x98\x80 \"%s\" \\");
    assert_shown("\xc2\xa0", "\xc2\xa0"); /* the first behind the control characters */
}

static void what_a_terminal_obeys_is_shown(void **state)
{
    (void)state;
    assert_shown("\x1b[2J\n\x7f", "\\x1b[2J\\x0a\\x7f");
    assert_shown("\xc2\x9b"
                 "2J \xc2\x80",
                 "\\xc2\\x9b2J \\xc2\\x80"); /* CSI as one character */
}

static void bytes_that_are_no_utf8_are_shown(void **state)
{
    (void)state;
    assert_shown("a\xff"
                 "b\x80",
                 "a\\xffb\\x80");
    assert_shown("\xe2\x82", "\\xe2\\x82"); /* a text cut within a character */
    assert_shown("\xc0\xaf \xed\xa0\x80", "\\xc0\\xaf \\xed\\xa0\\x80");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_in_utf8_stays_as_it_is),
        cmocka_unit_test(what_a_terminal_obeys_is_shown),
        cmocka_unit_test(bytes_that_are_no_utf8_are_shown),
    };
    return cmocka_run_group_tests_name("text/print", tests, NULL, NULL);
}
