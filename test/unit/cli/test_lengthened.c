/* test/unit/cli/test_lengthened.c - the user's command with other lengths. */
#include "test/unit/weir_test.h"
#include "cli/lengthened.h"

static struct weir_tree_arena *arena;
static struct weir_err err;
static struct weir_advice advice;

static int begin(void **state)
{
    (void)state;
    arena = weir_tree_arena_new();
    advice = (struct weir_advice){ .runs = 1, .warmup_ps = 20000000000, .measure_ps = 100000000000 };
    return arena != NULL ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    weir_tree_arena_free(arena);
    return 0;
}

#define COMPLETE(...)                                                                                                  \
    complete((const char *const[]){ __VA_ARGS__ }, (int)(sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)))
static const char *complete(const char *const *words, int count)
{
    char *argv[16];
    assert_true(count <= 16);
    for (int i = 0; i < count; i++)
        argv[i] = (char *)(uintptr_t)words[i];
    assert_int_equal(weir_lengthened_command(&advice, count, argv, arena, &err), 0);
    return advice.command;
}

static void words_are_quoted_and_the_lengths_added(void **state)
{
    (void)state;
    assert_string_equal(COMPLETE("compare", "it's.yaml", "--seeds", "5", "--set", "run.stall=1 ms"),
                        "weir compare 'it'\\''s.yaml' --seeds 5 --set 'run.stall=1 ms' --set 'run.warmup=20 ms' "
                        "--set 'run.measure=100 ms' --fresh");
}

static void earlier_lengths_are_replaced(void **state)
{
    (void)state;
    assert_string_equal(COMPLETE("sweep", "--set", "run.measure=1 ms", "--fresh", "a.yaml", "--set=run.warmup = 1 ms",
                                 "--set=run.measured=1", "--set"),
                        "weir sweep a.yaml '--set=run.measured=1' --set --set 'run.warmup=20 ms' --set "
                        "'run.measure=100 ms' --fresh");
}

static void a_length_that_stays_is_not_replaced(void **state)
{
    (void)state;
    advice.warmup_ps = 0;
    assert_string_equal(COMPLETE("sweep", "a.yaml", "--set", "run.warmup=1ms"),
                        "weir sweep a.yaml --set 'run.warmup=1ms' --set 'run.measure=100 ms' --fresh");
    advice.measure_all = true;
    assert_string_equal(COMPLETE("sweep", "a.yaml", "--set", "run.measure=1ms"),
                        "weir sweep a.yaml --set 'run.measure=all' --fresh");
}

static void what_follows_two_dashes_is_no_option(void **state)
{
    (void)state;
    advice.warmup_ps = 0;
    assert_string_equal(COMPLETE("compare", "--seeds", "1", "--", "--fresh"),
                        "weir compare --seeds 1 --set 'run.measure=100 ms' --fresh -- --fresh");
}

static void without_lengths_there_is_no_command(void **state)
{
    (void)state;
    advice = (struct weir_advice){ .hopeless = 2 };
    assert_null(COMPLETE("compare", "a.yaml"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(words_are_quoted_and_the_lengths_added), TEST(earlier_lengths_are_replaced),
        TEST(a_length_that_stays_is_not_replaced),    TEST(what_follows_two_dashes_is_no_option),
        TEST(without_lengths_there_is_no_command),
    };
    return cmocka_run_group_tests_name("cli/lengthened", tests, NULL, NULL);
}
