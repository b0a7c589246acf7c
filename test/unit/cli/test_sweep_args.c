/* test/unit/cli/test_sweep_args.c - the command lines of `weir sweep` and `weir status`. */
#include "test/unit/refusal.h"
#include "cli/sweep_args.h"
#include "core/units.h"
#include <string.h>

static struct weir_sweep_args args;
static struct weir_err err;

/* Words up to the first NULL. */
static int parse(int (*parser)(struct weir_sweep_args *, int, char **, struct weir_err *), const char *const *words)
{
    static char text[16][32], *argv[17]; /* what args points to outlives the call */
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        assert_true(argc < 16 && strlen(words[argc]) < sizeof(text[0]));
        strcpy(text[argc], words[argc]);
        argv[argc] = text[argc];
    }
    return parser(&args, argc, argv, &err);
}
#define SWEEP(...) parse(weir_sweep_args_parse, (const char *const[]){ "sweep", __VA_ARGS__, NULL })
#define STATUS(...) parse(weir_status_args_parse, (const char *const[]){ "status", __VA_ARGS__, NULL })

static void defaults(void **state)
{
    (void)state;
    assert_int_equal(SWEEP("net.yaml"), 0);
    assert_string_equal(args.file, "net.yaml");
    assert_null(args.common.out);
    assert_int_equal(args.only_count, 0);
    assert_int_equal(args.common.jobs, 0);
    assert_int_equal(args.common.wait_ps, 60 * WEIR_PS_PER_S);
    assert_false(args.list || args.common.json || args.common.fresh || args.common.help);
}

static void points_are_numbers_and_spans(void **state)
{
    (void)state;
    assert_int_equal(SWEEP("net.yaml", "--point", "3,7-9", "-o", "x.db", "--point=12", "--wait", "0"), 0);
    assert_int_equal(args.only_count, 3);
    assert_int_equal(args.only[0].first, 3);
    assert_int_equal(args.only[0].last, 3);
    assert_int_equal(args.only[1].first, 7);
    assert_int_equal(args.only[1].last, 9);
    assert_int_equal(args.only[2].first, 12);
    assert_int_equal(args.common.wait_ps, 0);
}

static void what_is_no_number_of_a_point_is_refused(void **state)
{
    static const char *const bad[] = { "0",   "",      ",", "1,", ",1", "1-",        "-1",
                                       "2-1", "1-2-3", "x", "1 ", "+1", "1234567890" };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct weir_span span[WEIR_SWEEP_SPANS_MAX];
        uint32_t count = 0;
        assert_int_equal(weir_spans_parse(bad[i], span, &count, &err), WEIR_E_SYNTAX);
        assert_refusal(&err, WEIR_E_SYNTAX, "", "--point");
    }
}

static void more_spans_than_fit_are_refused(void **state)
{
    struct weir_span span[WEIR_SWEEP_SPANS_MAX];
    uint32_t count = 0;
    (void)state;
    for (uint32_t i = 0; i < WEIR_SWEEP_SPANS_MAX; i++)
        assert_int_equal(weir_spans_parse("1", span, &count, &err), 0);
    assert_int_equal(weir_spans_parse("1", span, &count, &err), WEIR_E_RANGE);
    assert_int_equal(count, WEIR_SWEEP_SPANS_MAX);
}

static void a_point_needs_a_file_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(SWEEP("net.yaml", "--point", "3"), WEIR_E_CONFLICT);
    assert_int_equal(SWEEP("net.yaml", "--point", "3", "--list"), 0);
    assert_int_equal(SWEEP("net.yaml", "lan.yaml"), WEIR_E_SYNTAX);
    assert_int_equal(SWEEP("--list"), WEIR_E_SYNTAX);
}

static void status_takes_shards_besides(void **state)
{
    (void)state;
    assert_int_equal(STATUS("net.yaml", "a.db", "-o", "net.db", "b.db"), 0);
    assert_string_equal(args.common.out, "net.db");
    assert_int_equal(args.more_count, 2);
    assert_string_equal(args.more[1], "b.db");
    weir_sweep_args_free(&args);
    assert_int_equal(STATUS("--json"), WEIR_E_SYNTAX);
    assert_int_equal(STATUS("net.yaml", "--fresh"), WEIR_E_UNKNOWN);
}

static void settings_are_kept_in_their_order(void **state)
{
    (void)state;
    assert_int_equal(SWEEP("net.yaml", "--set", "run.measure=1 ms", "--set=a=b=c"), 0);
    assert_int_equal(args.set_count, 2);
    assert_string_equal(args.set[0], "run.measure=1 ms");
    assert_string_equal(args.set[1], "a=b=c");
    assert_int_equal(SWEEP("net.yaml", "--set", "x"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "--set x");
    assert_int_equal(STATUS("net.yaml", "--set", "=1"), WEIR_E_SYNTAX);
    assert_int_equal(STATUS("net.yaml", "--set", "a=1"), 0);
    assert_int_equal(args.set_count, 1);
    weir_sweep_args_free(&args);
}

static void more_settings_than_fit_are_refused(void **state)
{
    char word[] = "--set=a=1", file[] = "net.yaml", *argv[WEIR_SWEEP_SETTINGS_MAX + 3] = { file, file };
    (void)state;
    for (uint32_t i = 0; i <= WEIR_SWEEP_SETTINGS_MAX; i++)
        argv[i + 2] = word;
    assert_int_equal(weir_sweep_args_parse(&args, WEIR_SWEEP_SETTINGS_MAX + 2, argv, &err), 0);
    assert_int_equal(weir_sweep_args_parse(&args, WEIR_SWEEP_SETTINGS_MAX + 3, argv, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "--set: more than 64");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(points_are_numbers_and_spans),
        cmocka_unit_test(what_is_no_number_of_a_point_is_refused),
        cmocka_unit_test(more_spans_than_fit_are_refused),
        cmocka_unit_test(a_point_needs_a_file_of_its_own),
        cmocka_unit_test(status_takes_shards_besides),
        cmocka_unit_test(settings_are_kept_in_their_order),
        cmocka_unit_test(more_settings_than_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
