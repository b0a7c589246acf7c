/* test/unit/text/test_options.c - the one taker of command lines. */
#include "test/unit/refusal.h"
#include "text/options.h"
#include <string.h>

struct args {
    const char *file, *argument[4];
    uint64_t every_ps;
    uint32_t calls, arguments, count;
    bool loud, help;
};
static struct args args;
static struct weir_err err;

static int apply_call(void *ctx, const char *value, struct weir_err *e)
{
    struct args *a = ctx;
    a->calls++;
    return value == NULL ? 0 : weir_fail(e, WEIR_E_SYNTAX, NULL, NULL, "called with %s", value);
}

static int take_argument(void *ctx, const char *argument, struct weir_err *e)
{
    struct args *a = ctx;
    if (a->arguments == 4)
        return weir_fail(e, WEIR_E_RANGE, NULL, NULL, "too many");
    a->argument[a->arguments++] = argument;
    return 0;
}

static const struct weir_option options[] = {
    { .name = "-o", .value = "a file", .offset = offsetof(struct args, file), .hint = "test -o FILE" },
    { .name = "--loud", .offset = offsetof(struct args, loud) },
    { .name = "--help", .offset = offsetof(struct args, help), .last = true },
    { 0 },
};
static const struct weir_option more[] = { { .name = "--call", .apply = apply_call },
                                           { .name = "--tell", .value = "a word", .apply = apply_call },
                                           { .name = "--may", .value = "x", .apply = apply_call, .optional = true },
                                           { 0 } };
static const struct weir_param quantities[] = {
    WEIR_PARAM_NAMED("--every", struct args, every_ps, WEIR_KIND_TIME, 1, 1000000000, 7, "between looks"),
    WEIR_PARAM_NAMED("--count", struct args, count, WEIR_KIND_U32, 1, 9, 3, "how many"),
    { 0 },
};
static const struct weir_options taken = {
    .command = "test", .option = { options, more }, .param = { NULL, quantities }, .argument = take_argument
};

static int parse(int argc, const char *const *argv)
{
    args = (struct args){ 0 };
    err = (struct weir_err){ 0 };
    return weir_options_parse(&taken, argc, (char **)(uintptr_t)argv, &args, &err);
}
#define PARSE(...)                                                                                                     \
    parse((int)(sizeof((const char *[]){ "test", __VA_ARGS__ }) / sizeof(char *)),                                     \
          (const char *[]){ "test", __VA_ARGS__ })

static void nothing_said_leaves_defaults(void **state)
{
    (void)state;
    assert_int_equal(parse(1, (const char *[]){ "test" }), 0);
    assert_int_equal(args.every_ps, 7);
    assert_int_equal(args.count, 3);
    assert_true(args.file == NULL && !args.loud && !args.help && args.arguments == 0);
}

static void values_come_behind_a_blank_or_an_equals_sign(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--every", "2 ns", "--count=4", "-o", "a"), 0);
    assert_int_equal(args.every_ps, 2000);
    assert_int_equal(args.count, 4);
    assert_string_equal(args.file, "a");
    assert_int_equal(PARSE("-ob", "--loud"), 0);
    assert_string_equal(args.file, "b");
    assert_true(args.loud);
    assert_int_equal(PARSE("-o=c", "-o", "-d"), 0); /* the last one counts, and a value may look like an option */
    assert_string_equal(args.file, "-d");
}

static void words_may_stand_anywhere(void **state)
{
    (void)state;
    assert_int_equal(PARSE("x", "--loud", "-", "--", "--loud", "-o"), 0);
    assert_int_equal(args.arguments, 4);
    assert_string_equal(args.argument[1], "-");
    assert_string_equal(args.argument[2], "--loud");
    assert_int_equal(PARSE("1", "2", "3", "4", "5"), WEIR_E_RANGE);
}

static void what_is_last_ends_the_reading(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--loud", "--help", "--nonsense"), 0);
    assert_true(args.help && args.loud);
}

static void a_row_may_have_a_function_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--call", "--call"), 0);
    assert_int_equal(args.calls, 2);
    assert_int_equal(PARSE("--tell=x"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "x");
}

static void an_optional_value_stands_behind_an_equals_sign_alone(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--may", "y", "--may"), 0);
    assert_int_equal(args.calls, 2);
    assert_string_equal(args.argument[0], "y");
    assert_int_equal(PARSE("--may=z"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "z");
}

static void refusals_name_what_is_wrong(void **state)
{
    (void)state;
    assert_int_equal(PARSE("--evry", "2ns"), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "--evry");
    assert_int_equal(PARSE("-x"), WEIR_E_UNKNOWN);
    assert_refusal(&err, WEIR_E_UNKNOWN, "", "-x");
    assert_int_equal(PARSE("--loud=yes"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "--loud");
    assert_int_equal(PARSE("-o"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "-o");
    assert_int_equal(PARSE("-o", ""), WEIR_E_SYNTAX);
    assert_int_equal(PARSE("--every"), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "--every");
    assert_int_equal(PARSE("--count", "10"), WEIR_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_leaves_defaults),
        cmocka_unit_test(values_come_behind_a_blank_or_an_equals_sign),
        cmocka_unit_test(words_may_stand_anywhere),
        cmocka_unit_test(what_is_last_ends_the_reading),
        cmocka_unit_test(a_row_may_have_a_function_of_its_own),
        cmocka_unit_test(an_optional_value_stands_behind_an_equals_sign_alone),
        cmocka_unit_test(refusals_name_what_is_wrong),
    };
    return cmocka_run_group_tests_name("text/options", tests, NULL, NULL);
}
