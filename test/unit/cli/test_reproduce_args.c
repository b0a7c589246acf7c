/* test/unit/cli/test_reproduce_args.c - the command line of `weir reproduce`. */
#include "test/unit/refusal.h"
#include "cli/reproduce_args.h"
#include <string.h>

static struct weir_reproduce_args args;
static struct weir_err err;

/* Words up to the first NULL. */
static int parse(const char *const *words)
{
    static char text[16][32], *argv[17]; /* what args points to outlives the call */
    int argc = 0;
    for (; words[argc] != NULL; argc++) {
        assert_true(argc < 16 && strlen(words[argc]) < sizeof(text[0]));
        strcpy(text[argc], words[argc]);
        argv[argc] = text[argc];
    }
    return weir_reproduce_args_parse(&args, argc, argv, &err);
}
#define PARSE(...) parse((const char *const[]){ "reproduce", __VA_ARGS__, NULL })

static void defaults(void **state)
{
    (void)state;
    assert_int_equal(PARSE("sird"), 0);
    assert_int_equal(args.scale_ppm, 200000);
    assert_int_equal(args.measure_ppm, 0);
    assert_int_equal(args.common.jobs, 0);
    assert_int_equal(args.figure_count, 0);
    assert_null(args.common.out);
    assert_false(args.check || args.common.json || args.common.fresh || args.common.help);
}

static void everything_said(void **state)
{
    (void)state;
    assert_int_equal(PARSE("sird", "fig2", "--scale=0.05", "fig9", "--jobs", "3", "--protocol", "a", "--protocol=b",
                           "--check", "--json", "--fresh"),
                     0);
    assert_int_equal(args.figure_count, 2);
    assert_int_equal(args.protocol_count, 2);
    assert_int_equal(args.scale_ppm, 50000);
    assert_int_equal(PARSE("sird", "--measure-scale", "1"), 0);
    assert_true(args.scale_ppm == 200000 && args.measure_ppm == 1000000);
    assert_int_equal(PARSE("sird", "fig2", "--jobs", "3", "--check", "--json", "--fresh"), 0);
    assert_int_equal(args.common.jobs, 3);
    assert_true(args.check && args.common.json && args.common.fresh);
    assert_int_equal(PARSE("sird", "-o", "a.db", "--report", "a.html"), 0);
    assert_non_null(args.common.out);
    assert_non_null(args.common.report);
}

static void refusals(void **state)
{
    (void)state;
    assert_int_equal(parse((const char *const[]){ "reproduce", NULL }), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "reproduce");
    assert_int_equal(PARSE("sird", "--scale", "11"), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "--scale");
    assert_int_equal(PARSE("sird", "--scale", "20%"), WEIR_E_RANGE);
    assert_int_equal(PARSE("sird", "--measure-scale", "0"), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "--measure-scale 0");
    assert_int_equal(PARSE("sird", "--jobs", "1.5"), WEIR_E_RANGE);
    assert_int_equal(PARSE("sird", "--jobs", "257"), WEIR_E_RANGE);
    assert_int_equal(PARSE("sird", "--jobs"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "--jobs");
    assert_int_equal(PARSE("sird", "--json=yes"), WEIR_E_SYNTAX);
    assert_int_equal(PARSE("sird", "--chekc"), WEIR_E_UNKNOWN);
    assert_non_null(strstr(err.hint, "'--check'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults),
        cmocka_unit_test(everything_said),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
