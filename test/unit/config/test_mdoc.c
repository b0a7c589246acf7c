/* test/unit/config/test_mdoc.c - a text in a manual page is read as text, whatever is in it. */
#include "test/unit/weir_test.h"
#include "config/mdoc.h"
#include <stdio.h>
#include <stdlib.h>

static char *written;
static size_t length;
static FILE *out;

static int setup(void **state)
{
    (void)state;
    out = open_memstream(&written, &length);
    return out == NULL;
}

static int teardown(void **state)
{
    (void)state;
    free(written);
    return 0;
}

static void assert_written(const char *wanted)
{
    assert_int_equal(fclose(out), 0);
    assert_string_equal(written, wanted);
}

static void nothing_in_a_text_is_a_request(void **state)
{
    (void)state;
    weir_mdoc_text(out, ".so '\\x' \"--set\"", 16);
    assert_written("\\&.so \\(aq\\ex\\(aq \\(dq\\-\\-set\\(dq\n");
}

static void a_sentence_has_a_line_of_its_own(void **state)
{
    static const char text[] = "One. Two! three. 1.5 F .. Four. .x";
    (void)state;
    weir_mdoc_text(out, text, sizeof(text) - 1);
    assert_written("\\&One.\n\\&Two! three. 1.5 F .. Four. .x\n");
}

static void code_is_bold_and_kept_together(void **state)
{
    static const char text[] = "`a. B` is";
    (void)state;
    weir_mdoc_text(out, text, sizeof(text) - 1);
    assert_written("\\&\\fBa. B\\fR is\n");
}

static void a_page_begins_with_its_name(void **state)
{
    (void)state;
    weir_mdoc_begin(out, "WEIR-X", 5, "weir-x", "a-b");
    assert_written(".Dd " WEIR_MDOC_DATE "\n.Dt WEIR-X 5\n.Os\n.Sh NAME\n.Nm weir-x\n.Nd a\\-b\n");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_in_a_text_is_a_request),
        TEST(a_sentence_has_a_line_of_its_own),
        TEST(code_is_bold_and_kept_together),
        TEST(a_page_begins_with_its_name),
    };
    return cmocka_run_group_tests_name("config/mdoc", tests, NULL, NULL);
}
