/* test/unit/text/test_progress.c - when a progress line is due, and what is written where there is no terminal. */
#include "test/unit/weir_test.h"
#include "text/progress.h"
#include <string.h>

#define S UINT64_C(1000000000)
static FILE *out; /* no terminal */
static struct weir_progress_line line;

static int setup(void **state)
{
    (void)state;
    out = tmpfile();
    return out != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    return fclose(out);
}

static void without_a_terminal_a_line_is_due_every_30_s(void **state)
{
    (void)state;
    weir_progress_begin(&line, out, WEIR_PROGRESS_AUTO, S / 5, 100 * S);
    assert_false(line.redraw);
    assert_false(weir_progress_due(&line, 100 * S));
    assert_false(weir_progress_due(&line, 130 * S - 1));
    assert_true(weir_progress_due(&line, 130 * S));
    assert_false(weir_progress_due(&line, 130 * S));
    assert_false(weir_progress_due(&line, 159 * S));
    assert_true(weir_progress_due(&line, 165 * S)); /* late: the next one is due 30 s after it */
    assert_false(weir_progress_due(&line, 190 * S));
    assert_true(weir_progress_due(&line, 195 * S));
}

static void who_asks_for_lines_gets_one_at_once_and_every_second(void **state)
{
    (void)state;
    weir_progress_begin(&line, out, WEIR_PROGRESS_ALWAYS, S / 5, 100 * S);
    assert_true(weir_progress_due(&line, 100 * S));
    assert_false(weir_progress_due(&line, 101 * S - 1));
    assert_true(weir_progress_due(&line, 101 * S));
}

static void who_wants_none_gets_none(void **state)
{
    (void)state;
    weir_progress_begin(&line, out, WEIR_PROGRESS_NEVER, S / 5, 100 * S);
    assert_false(weir_progress_due(&line, UINT64_MAX));
    assert_int_equal(line.due_ns, UINT64_MAX);
    weir_progress_begin(&line, out, WEIR_PROGRESS_ALWAYS, S / 5, 100 * S);
    weir_progress_end(&line);
    assert_false(weir_progress_due(&line, UINT64_MAX));
    assert_int_equal(ftell(out), 0);
}

static void a_line_of_a_log_stays(void **state)
{
    char text[] = "3/20", written[32] = "";
    (void)state;
    weir_progress_begin(&line, out, WEIR_PROGRESS_AUTO, S / 5, 0);
    weir_progress_draw(&line, text);
    weir_progress_clear(&line);
    weir_progress_draw(&line, text);
    weir_progress_end(&line);
    rewind(out);
    assert_int_equal(fread(written, 1, sizeof(written) - 1, out), 10);
    assert_string_equal(written, "3/20\n3/20\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(without_a_terminal_a_line_is_due_every_30_s, setup, teardown),
        cmocka_unit_test_setup_teardown(who_asks_for_lines_gets_one_at_once_and_every_second, setup, teardown),
        cmocka_unit_test_setup_teardown(who_wants_none_gets_none, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_of_a_log_stays, setup, teardown),
    };
    return cmocka_run_group_tests_name("text/progress", tests, NULL, NULL);
}
