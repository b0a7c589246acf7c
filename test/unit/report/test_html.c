/* test/unit/report/test_html.c - whatever a label holds, the page stays a page. */
#include "test/unit/report/report_fixture.h"
#include "report/html.h"

static void escaped(const char *text, const char *want)
{
    struct memory m;
    memory_open(&m);
    weir_html_text(m.file, text);
    assert_string_equal(memory_text(&m), want);
    free(m.text);
}

static void what_html_reads_is_escaped(void **state)
{
    (void)state;
    escaped("<b onclick=\"x('y')\">&", "&lt;b onclick=&quot;x(&#39;y&#39;)&quot;&gt;&amp;");
    escaped("a\tb\nc", "a\tb\nc");
    escaped(NULL, "");
}

static void what_is_no_text_is_replaced(void **state)
{
    (void)state;
    escaped("a\x01\x7f", "a\xef\xbf\xbd\xef\xbf\xbd");
    escaped("\xc3\xb6\xf0\x9f\x98\x80", "\xc3\xb6\xf0\x9f\x98\x80");
    escaped("\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd");                 /* an overlong slash */
    escaped("\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"); /* a surrogate */
    escaped("\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd");                 /* cut short */
}

static void an_element_and_a_cell(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    weir_html_element(m.file, "th", "class=\"x\"", "<");
    weir_html_number(m.file, 12345, WEIR_UNIT_BYTES);
    assert_string_equal(memory_text(&m), "<th class=\"x\">&lt;</th><td>12.3 KB</td>");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_html_reads_is_escaped),
        cmocka_unit_test(what_is_no_text_is_replaced),
        cmocka_unit_test(an_element_and_a_cell),
    };
    return cmocka_run_group_tests_name("report/html", tests, NULL, NULL);
}
