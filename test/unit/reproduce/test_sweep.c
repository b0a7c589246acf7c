/* test/unit/reproduce/test_sweep.c - how long what is left of a sweep will take. */
#include "test/unit/weir_test.h"
#include "reproduce/sweep.h"

static void runs_share_jobs_but_no_run_is_shared(void **state)
{
    struct weir_left left = { 0 };
    (void)state;
    assert_true(weir_left_ns(&left, 8) == 0);
    weir_left_add(&left, 10);
    assert_true(weir_left_ns(&left, 8) == 10); /* not 10 / 8 */
    weir_left_add(&left, 4);
    assert_true(weir_left_ns(&left, 8) == 10);
    assert_true(weir_left_ns(&left, 1) == 14);
    weir_left_add(&left, 10);
    assert_true(weir_left_ns(&left, 2) == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_share_jobs_but_no_run_is_shared),
    };
    return cmocka_run_group_tests_name("reproduce/sweep", tests, NULL, NULL);
}
