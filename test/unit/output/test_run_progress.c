/* test/unit/output/test_run_progress.c - how far a run is, in words. */
#include "test/unit/weir_test.h"
#include "output/run_progress.h"
#include <string.h>

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

static void messages_lost_with_their_host_are_shown_apart(void **state)
{
    struct weir_progress p = {
        .now_ps = 21000000000, .end_ps = WEIR_NEVER, .messages_completed = 8123, .messages_lost = 1001
    };
    char text[WEIR_PROGRESS_WIDTH];
    (void)state;
    weir_progress_text(text, sizeof(text), &p, 7000000000);
    assert_string_equal(text, "21.00 ms  3.00 ms/s  8,123 messages, 1,001 lost");
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

static void a_log_gets_a_line_of_a_run_every_30_s(void **state)
{
    struct weir_progress p = { .now_ps = 21000000000, .end_ps = 70000000000, .messages_completed = 8123 };
    struct weir_progress_line line;
    char written[WEIR_PROGRESS_WIDTH] = "";
    FILE *log = tmpfile();
    (void)state;
    assert_non_null(log);
    weir_progress_begin(&line, log, WEIR_PROGRESS_AUTO, WEIR_RUN_REDRAW_NS, 1000000000);
    weir_progress_report_at(&line, &p, 30999999999);
    assert_int_equal(ftell(log), 0);
    weir_progress_report_at(&line, &p, 31000000000);
    weir_progress_report_at(&line, &p, 32000000000);
    rewind(log);
    assert_non_null(fgets(written, sizeof(written), log));
    assert_string_equal(written, " 30 %  21.00 ms of 70.00 ms  0.70 ms/s  8,123 messages  1 min 10 s left\n");
    assert_null(fgets(written, sizeof(written), log));
    assert_int_equal(fclose(log), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_says_how_far_how_fast_and_how_long),
        cmocka_unit_test(messages_lost_with_their_host_are_shown_apart),
        cmocka_unit_test(progress_knows_no_speed_at_the_start),
        cmocka_unit_test(a_log_gets_a_line_of_a_run_every_30_s),
    };
    return cmocka_run_group_tests_name("output/run_progress", tests, NULL, NULL);
}
