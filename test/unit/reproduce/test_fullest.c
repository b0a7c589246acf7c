/* test/unit/reproduce/test_fullest.c - the fullest port or link of several runs. */
#include "test/unit/weir_test.h"
#include "reproduce/fullest.h"
#include <math.h>

static struct weir_fullest_of of_run(const void *ctx, size_t i)
{
    const struct weir_fullest_of *run = ctx;
    return run[i];
}

/* Finds the fullest of `count` runs. */
static struct weir_fullest of(const struct weir_fullest_of *run, size_t count)
{
    return weir_fullest_find(count, of_run, run);
}

static void the_greatest_value_is_taken_and_runs_that_agree_are_counted(void **state)
{
    const struct weir_fullest_of run[] = { { "a", 2 }, { "b", 3 }, { "b", 1 }, { "a", 2.5 }, { "b", 0 } };
    const struct weir_fullest f = of(run, 5);
    (void)state;
    assert_string_equal(f.most.name, "b");
    assert_true(f.most.value == 3);
    assert_int_equal(f.run, 1);
    assert_int_equal(f.named, 5);
    assert_int_equal(f.same, 3);
}

static void of_equal_values_the_first_is_taken(void **state)
{
    const struct weir_fullest_of run[] = { { "a", 2 }, { "b", 2 } };
    const struct weir_fullest f = of(run, 2);
    (void)state;
    assert_string_equal(f.most.name, "a");
    assert_int_equal(f.run, 0);
    assert_int_equal(f.same, 1);
}

static void a_run_that_names_none_is_left_out(void **state)
{
    const struct weir_fullest_of run[] = { { "", 9 }, { "a", NAN }, { "b", 1 } };
    const struct weir_fullest f = of(run, 3);
    (void)state;
    assert_string_equal(f.most.name, "b");
    assert_int_equal(f.run, 2);
    assert_int_equal(f.named, 1);
    assert_int_equal(f.same, 1);
    assert_int_equal(of(run, 2).named, 0);
    assert_null(of(run, 2).most.name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_greatest_value_is_taken_and_runs_that_agree_are_counted),
        cmocka_unit_test(of_equal_values_the_first_is_taken),
        cmocka_unit_test(a_run_that_names_none_is_left_out),
    };
    return cmocka_run_group_tests_name("reproduce/fullest", tests, NULL, NULL);
}
