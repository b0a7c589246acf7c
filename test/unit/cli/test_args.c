/* test/unit/cli/test_args.c - the command line of `weir run`, accepted and refused. */
#include "test/unit/weir_test.h"
#include "cli/args.h"
#include <stdio.h>
#include <string.h>

static struct weir_run_args args;
static struct weir_err err;

static int parse(int argc, const char *const *argv)
{
    memset(&err, 0, sizeof(err));
    return weir_run_args_parse(&args, argc, (char **)(uintptr_t)argv, &err);
}
#define PARSE(...)                                                                                                     \
    parse((int)(sizeof((const char *[]){ "run", __VA_ARGS__ }) / sizeof(char *)),                                      \
          (const char *[]){ "run", __VA_ARGS__ })

static void assert_refused(int code, const char *text, const char *hint)
{
    assert_int_not_equal(code, 0);
    assert_string_equal(err.text, text);
    assert_non_null(strstr(err.hint, hint));
}

static void defaults_are_quiet(void **state)
{
    (void)state;
    assert_int_equal(PARSE("a.yaml"), 0);
    assert_string_equal(args.file, "a.yaml");
    assert_int_equal(args.threads, 1);
    assert_int_equal(args.set_count, 0);
    assert_true(!args.json && !args.check && args.messages == NULL && args.progress == WEIR_PROGRESS_AUTO);
    weir_run_args_free(&args);
}

static void options_may_stand_anywhere_and_take_values_either_way(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--json", "--threads=4", "a.yaml", "--messages", "m.csv", "--check", "--progress", "never"),
                     0);
    assert_true(args.json && args.check);
    assert_int_equal(args.threads, 4);
    assert_string_equal(args.messages, "m.csv");
    assert_int_equal(args.progress, WEIR_PROGRESS_NEVER);
    weir_run_args_free(&args);
}

static void what_names_a_key_becomes_an_override_in_order(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--set", "run.seed=5", "--seed", "7", "a.yaml", "--set=name=x=y", "--sample", "10us"), 0);
    assert_int_equal(args.set_count, 4);
    assert_string_equal(args.set[0].text, "run.seed=5");
    assert_string_equal(args.set[1].text, "run.seed=7");
    assert_string_equal(args.set[2].text, "name=x=y");
    assert_string_equal(args.set[3].text, "run.sample=10us");
    weir_run_args_free(&args);
}

static void after_two_dashes_a_file_may_look_like_an_option(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--json", "--", "--odd.yaml"), 0);
    assert_string_equal(args.file, "--odd.yaml");
    weir_run_args_free(&args);
}

static void help_needs_no_file(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--help", "--nonsense"), 0);
    assert_true(args.help);
    weir_run_args_free(&args);
}

static void unknown_options_name_the_nearest(void **state)
{
    (void)state;
    assert_refused(PARSE("a.yaml", "--tread", "2"), "--tread: no such option of weir run", "--threads");
    assert_refused(PARSE("a.yaml", "--sed=2"), "--sed: no such option of weir run", "--se");
    assert_refused(PARSE("a.yaml", "-x"), "-x: no such option of weir run", "--json");
}

static void numbers_must_be_numbers(void **state)
{
    static const char *const bad[] = { "0", "65", "-1", "two", "", "2x", " 2", "99999999999999999999" };
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(text, sizeof(text), "--threads %s: must be a whole number, 1 to 64", bad[i]);
        assert_refused(PARSE("a.yaml", "--threads", bad[i]), text, "results do not depend");
    }
    assert_refused(PARSE("a.yaml", "--seed", "1.5"), "--seed 1.5: must be a whole number, 0 to 18446744073709551615",
                   "bit for bit");
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    assert_refused(parse(1, (const char *[]){ "run" }), "run: which scenario?", "--help");
    assert_refused(PARSE("a.yaml", "--seed"), "--seed: a number is missing", "");
    assert_refused(PARSE("a.yaml", "--messages="), "--messages: the name of a file is missing", "");
    assert_refused(PARSE("a.yaml", "--set", "seed"), "--set seed: must be key=value", "--set run.seed=2");
    assert_refused(PARSE("a.yaml", "--set", "=3"), "--set =3: must be key=value", "--set run.seed=2");
    assert_refused(PARSE("a.yaml", "--progress", "often"), "--progress often: must be auto, never or always",
                   "terminal");
}

static void what_is_too_much_is_refused(void **state)
{
    (void)state;
    assert_refused(PARSE("a.yaml", "b.yaml"), "b.yaml: a.yaml is the scenario already", "one scenario");
    assert_refused(PARSE("a.yaml", "--json=yes"), "--json takes no value", "");
}

static void a_result_file_has_options_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(PARSE("a.yaml", "-o", "out.db", "--no-messages", "--series", "10 us", "--label", "B = 1.5",
                           "--sweep", "sird/fig6/wka/50"),
                     0);
    assert_string_equal(args.output, "out.db");
    assert_true(args.no_messages);
    assert_int_equal(args.series_ps, 10000000);
    assert_string_equal(args.label, "B = 1.5");
    assert_string_equal(args.sweep, "sird/fig6/wka/50");
    weir_run_args_free(&args);
    assert_int_equal(PARSE("a.yaml"), 0);
    assert_true(args.output == NULL && args.label == NULL && args.sweep == NULL && args.series_ps == 0 &&
                !args.no_messages);
    weir_run_args_free(&args);
}

static void what_is_said_of_a_result_file_must_make_sense(void **state)
{
    static const char *const sweep[] = { "sird", "sird/fig6", "sird/fig6/", "/fig6/a", "sird//a" };
    char text[128];
    (void)state;
    for (size_t i = 0; i < sizeof(sweep) / sizeof(sweep[0]); i++) {
        (void)snprintf(text, sizeof(text), "--sweep %s: must be EXPERIMENT/FIGURE/POINT", sweep[i]);
        assert_refused(PARSE("a.yaml", "-o", "out.db", "--sweep", sweep[i]), text, "sird/fig6/wka-50");
    }
    assert_refused(PARSE("a.yaml", "-o", "out.db", "--series", "5"), "--series = 5: unit missing", "1.25 us");
    assert_refused(PARSE("a.yaml", "-o", "out.db", "--label="), "--label: must be 1 to 200 bytes long", "reports");
    assert_refused(PARSE("a.yaml", "-o"), "-o: the name of a file is missing", "");
    assert_refused(PARSE("a.yaml", "-o", ""), "-o: the name of a file is missing", "");
    assert_refused(PARSE("a.yaml", "--label", "x"), "--label: is for a result file, and there is no -o", "-o OUT.db");
    assert_refused(PARSE("a.yaml", "--no-messages"), "--no-messages: is for a result file, and there is no -o", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_quiet),
        cmocka_unit_test(options_may_stand_anywhere_and_take_values_either_way),
        cmocka_unit_test(what_names_a_key_becomes_an_override_in_order),
        cmocka_unit_test(after_two_dashes_a_file_may_look_like_an_option),
        cmocka_unit_test(help_needs_no_file),
        cmocka_unit_test(unknown_options_name_the_nearest),
        cmocka_unit_test(numbers_must_be_numbers),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_is_too_much_is_refused),
        cmocka_unit_test(a_result_file_has_options_of_its_own),
        cmocka_unit_test(what_is_said_of_a_result_file_must_make_sense),
    };
    return cmocka_run_group_tests_name("cli/args", tests, NULL, NULL);
}
