/* test/unit/cli/test_args.c - the command line of `weir run`, accepted and refused. */
#include "test/unit/refusal.h"
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

static void assert_refused(int answer, enum weir_err_code code, const char *key)
{
    assert_int_equal(answer, code);
    assert_refusal(&err, code, NULL, key);
}

static void defaults_are_quiet(void **state)
{
    (void)state;
    assert_int_equal(PARSE("a.yaml"), 0);
    assert_string_equal(args.file, "a.yaml");
    assert_int_equal(args.threads, 1);
    assert_int_equal(args.set_count, 0);
    assert_true(!args.json && !args.check && args.to[WEIR_RUN_MESSAGES] == NULL && args.progress == WEIR_PROGRESS_AUTO);
    weir_run_args_free(&args);
}

static void options_may_stand_anywhere_and_take_values_either_way(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--json", "--threads=4", "a.yaml", "--messages", "m.csv", "--check", "--progress", "never"),
                     0);
    assert_true(args.json && args.check);
    assert_int_equal(args.threads, 4);
    assert_string_equal(args.to[WEIR_RUN_MESSAGES], "m.csv");
    assert_int_equal(args.progress, WEIR_PROGRESS_NEVER);
    weir_run_args_free(&args);
}

static void a_check_may_be_of_the_general_port(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--check", "a.yaml"), 0);
    assert_true(args.check && !args.general);
    assert_string_equal(args.file, "a.yaml"); /* which is no value of --check */
    weir_run_args_free(&args);
    assert_int_equal(PARSE("--check=general", "a.yaml"), 0);
    assert_true(args.check && args.general);
    weir_run_args_free(&args);
    assert_refused(PARSE("--check=all", "a.yaml"), WEIR_E_UNKNOWN, "--check=all");
    assert_refused(PARSE("--check=", "a.yaml"), WEIR_E_UNKNOWN, "--check=");
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
    assert_refused(PARSE("a.yaml", "--tread", "2"), WEIR_E_UNKNOWN, "--tread");
    assert_refused(PARSE("a.yaml", "--sed=2"), WEIR_E_UNKNOWN, "--sed");
    assert_refused(PARSE("a.yaml", "-x"), WEIR_E_UNKNOWN, "-x");
}

static void numbers_must_be_numbers(void **state)
{
    static const char *const bad[] = { "0", "65", "-1", "two", "", "2x", " 2", "99999999999999999999" };
    char key[128];
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        (void)snprintf(key, sizeof(key), "--threads %s", bad[i]);
        assert_refused(PARSE("a.yaml", "--threads", bad[i]), WEIR_E_RANGE, key);
    }
    assert_refused(PARSE("a.yaml", "--seed", "1.5"), WEIR_E_SYNTAX, "--seed");
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    assert_refused(parse(1, (const char *[]){ "run" }), WEIR_E_SYNTAX, "run");
    assert_refused(PARSE("a.yaml", "--seed"), WEIR_E_SYNTAX, "--seed");
    assert_refused(PARSE("a.yaml", "--messages="), WEIR_E_SYNTAX, "--messages");
    assert_refused(PARSE("a.yaml", "--set", "seed"), WEIR_E_SYNTAX, "--set");
    assert_refused(PARSE("a.yaml", "--set", "=3"), WEIR_E_SYNTAX, "--set");
    assert_refused(PARSE("a.yaml", "--progress", "often"), WEIR_E_UNKNOWN, "--progress");
}

static void what_is_too_much_is_refused(void **state)
{
    (void)state;
    assert_refused(PARSE("a.yaml", "b.yaml"), WEIR_E_SYNTAX, "b.yaml");
    assert_refused(PARSE("a.yaml", "--json=yes"), WEIR_E_SYNTAX, "--json");
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
    char key[128];
    (void)state;
    for (size_t i = 0; i < sizeof(sweep) / sizeof(sweep[0]); i++) {
        (void)snprintf(key, sizeof(key), "--sweep %s", sweep[i]);
        assert_refused(PARSE("a.yaml", "-o", "out.db", "--sweep", sweep[i]), WEIR_E_SYNTAX, key);
    }
    assert_refused(PARSE("a.yaml", "-o", "out.db", "--series", "5"), WEIR_E_UNIT, "--series");
    assert_refused(PARSE("a.yaml", "-o", "out.db", "--label="), WEIR_E_RANGE, "--label");
    assert_refused(PARSE("a.yaml", "-o"), WEIR_E_SYNTAX, "-o");
    assert_refused(PARSE("a.yaml", "-o", ""), WEIR_E_SYNTAX, "-o");
    assert_refused(PARSE("a.yaml", "--label", "x"), WEIR_E_CONFLICT, "--label");
    assert_refused(PARSE("a.yaml", "--no-messages"), WEIR_E_CONFLICT, "--no-messages");
}

static void files_have_names_places_and_a_cap(void **state)
{
    (void)state;
    assert_int_equal(PARSE("a.yaml", "--pcap", "p", "--trace=t", "--fct", "f", "--links", "l", "--pauses", "u",
                           "--pcap-at", "host 1", "--cap", "2 MB", "--pcap-at=leaf 0 > host 1, host 2"),
                     0);
    assert_string_equal(args.to[WEIR_RUN_PCAP], "p");
    assert_string_equal(args.to[WEIR_RUN_TRACE], "t");
    assert_string_equal(args.to[WEIR_RUN_FCT], "f");
    assert_string_equal(args.to[WEIR_RUN_LINKS], "l");
    assert_string_equal(args.to[WEIR_RUN_PAUSES], "u");
    assert_null(args.to[WEIR_RUN_MESSAGES]);
    assert_int_equal(args.tap_count, 2);
    assert_string_equal(args.tap[1], "leaf 0 > host 1, host 2");
    assert_int_equal(args.cap_bytes, 2000000);
    weir_run_args_free(&args);
    assert_int_equal(PARSE("a.yaml", "--trace", "t", "--series", "1 us"), 0);
    assert_int_equal(args.cap_bytes, 100000000);
    weir_run_args_free(&args);
}

static void options_of_files_that_are_not_written_are_refused(void **state)
{
    (void)state;
    assert_refused(PARSE("a.yaml", "--pcap-at", "host 1", "--trace", "t"), WEIR_E_CONFLICT, "--pcap-at");
    assert_refused(PARSE("a.yaml", "--pcap-at", ", "), WEIR_E_SYNTAX, "--pcap-at");
    assert_refused(PARSE("a.yaml", "--cap", "1 MB", "--fct", "f"), WEIR_E_CONFLICT, "--cap");
    assert_refused(PARSE("a.yaml", "--cap", "999 B", "--trace", "t"), WEIR_E_RANGE, "--cap");
    assert_refused(PARSE("a.yaml", "--series", "1 us", "--pcap", "p"), WEIR_E_CONFLICT, "--series");
    assert_refused(PARSE("a.yaml", "--links", "x", "--fct", "x"), WEIR_E_CONFLICT, "--links");
    assert_refused(PARSE("a.yaml", "--messages", "x", "--trace", "x"), WEIR_E_CONFLICT, "--trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_quiet),
        cmocka_unit_test(options_may_stand_anywhere_and_take_values_either_way),
        cmocka_unit_test(a_check_may_be_of_the_general_port),
        cmocka_unit_test(what_names_a_key_becomes_an_override_in_order),
        cmocka_unit_test(after_two_dashes_a_file_may_look_like_an_option),
        cmocka_unit_test(help_needs_no_file),
        cmocka_unit_test(unknown_options_name_the_nearest),
        cmocka_unit_test(numbers_must_be_numbers),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(what_is_too_much_is_refused),
        cmocka_unit_test(a_result_file_has_options_of_its_own),
        cmocka_unit_test(what_is_said_of_a_result_file_must_make_sense),
        cmocka_unit_test(files_have_names_places_and_a_cap),
        cmocka_unit_test(options_of_files_that_are_not_written_are_refused),
    };
    return cmocka_run_group_tests_name("cli/args", tests, NULL, NULL);
}
