/* test/unit/report/test_process.c - a program as a function. */
#include "test/unit/refusal.h"
#include "report/process.h"
#include <stdlib.h>
#include <string.h>

static void what_goes_in_comes_out(void **state)
{
    const char *const argv[] = { "cat", NULL };
    struct weir_err err;
    size_t size = 300000; /* more than any pipe holds */
    char *in = calloc(1, size + 1), *out;
    (void)state;
    assert_non_null(in);
    memset(in, 'x', size);
    assert_int_equal(weir_process_run(argv, in, &out, NULL, &err), 0);
    assert_string_equal(out, in);
    free(out);
    free(in);
}

static void it_speaks_c(void **state)
{
    const char *const argv[] = { "sh", "-c", "printf %s \"$LC_ALL\"", NULL };
    struct weir_err err;
    char *out;
    (void)state;
    assert_int_equal(weir_process_run(argv, "", &out, NULL, &err), 0);
    assert_string_equal(out, "C");
    free(out);
}

static void a_failure_gives_its_last_line(void **state)
{
    const char *const argv[] = { "sh", "-c", "echo warning >&2; echo '  it is so' >&2; echo >&2; exit 7", NULL };
    const char *const killed[] = { "sh", "-c", "kill -9 $$", NULL };
    struct weir_err err;
    char *out;
    (void)state;
    assert_int_equal(weir_process_run(argv, "", &out, NULL, &err), WEIR_E_RUN);
    assert_refusal(&err, WEIR_E_RUN, "", "exit status 7");
    assert_null(out);
    assert_int_equal(weir_process_run(killed, "", &out, NULL, &err), WEIR_E_RUN);
    assert_refusal(&err, WEIR_E_RUN, "", "signal 9");
}

static void a_program_that_is_not_there(void **state)
{
    const char *const argv[] = { "/nowhere/gnuplot", NULL };
    struct weir_err err;
    char *out;
    (void)state;
    assert_int_equal(weir_process_run(argv, "", &out, NULL, &err), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "/nowhere/gnuplot");
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(it_speaks_c),
        cmocka_unit_test(a_failure_gives_its_last_line),
        cmocka_unit_test(a_program_that_is_not_there),
    };
    return cmocka_run_group_tests_name("report/process", tests, NULL, NULL);
}
