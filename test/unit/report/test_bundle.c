/* test/unit/report/test_bundle.c - pages that ./dev web builds: where they are found, what is refused, and that no text of
 * the data ends its element. */
#include "test/unit/refusal.h"
#include "test/unit/report/report_fixture.h"
#include "report/bundle.h"

#define HEAD "<p>before\n<script type=\"application/json\" id=\"weir-data\">"
#define TAIL "</script>\n<p>behind\n"

static const struct weir_bundle_kind kind = { "weir-test.html", "page for a test" };
static char page_name[128];
static struct weir_err err;

static void write_page(const char *text)
{
    FILE *file = fopen(page_name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int begin(void **state)
{
    (void)state;
    (void)strcpy(dir, "/tmp/weir-bundle-XXXXXX");
    assert_non_null(mkdtemp(dir));
    (void)snprintf(page_name, sizeof(page_name), "%s/%s", dir, kind.name);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)unlink(page_name);
    return rmdir(dir);
}

static void data_is_put_in_its_place(void **state)
{
    struct weir_bundle bundle;
    struct memory m;
    (void)state;
    write_page(HEAD "null" TAIL);
    assert_int_equal(weir_bundle_read(&bundle, &kind, dir, &err), 0);
    memory_open(&m);
    weir_bundle_write(m.file, &bundle, "{\"a\": \"</script><b>\"}");
    assert_string_equal(memory_text(&m), HEAD "{\"a\": \"\\u003c/script>\\u003cb>\"}" TAIL);
    free(m.text);
    weir_bundle_free(&bundle);
    assert_null(bundle.text);
}

static void a_build_without_the_page_is_refused(void **state)
{
    struct weir_bundle bundle;
    (void)state;
    assert_int_equal(weir_bundle_read(&bundle, &kind, dir, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "", "page for a test");
    assert_string_equal(err.text, "this build of weir has no page for a test");
    assert_null(bundle.text);
}

/* A page without a place for data, with an unclosed place, and one that has data already. */
static void another_page_is_refused(void **state)
{
    static const char *const text[] = { "", "<p>before", HEAD, HEAD "nul", HEAD "{}" TAIL };
    struct weir_bundle bundle;
    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        write_page(text[i]);
        assert_int_equal(weir_bundle_read(&bundle, &kind, dir, &err), WEIR_E_FILE);
        assert_refusal(&err, WEIR_E_FILE, "", "weir-test.html");
        assert_null(bundle.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(data_is_put_in_its_place, begin, end),
        cmocka_unit_test_setup_teardown(a_build_without_the_page_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(another_page_is_refused, begin, end),
    };
    return cmocka_run_group_tests_name("report/bundle", tests, NULL, NULL);
}
