/* test/unit/means/test_interval.c - Student's t by its tables, and an interval by hand. */
#include "test/unit/weir_test.h"
#include "means/interval.h"
#include <math.h>

static void quantiles_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_true(weir_student_95(1) == 12.706 && weir_student_95(30) == 2.042);
    assert_true(weir_student_95(40) == 2.042 && weir_student_95(1000) == 2.0);
}

/* 1, 2 and 6: mean 3, squares 4 + 1 + 9; 4.303 times the root of 14 / 2 / 3. */
static void an_interval_is_of_standard_errors(void **state)
{
    (void)state;
    assert_true(fabs(weir_half_width_95(14, 3) - 4.303 * sqrt(14.0 / 6)) < 1e-12);
    assert_true(weir_half_width_95(0, 3) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(an_interval_is_of_standard_errors),
    };
    return cmocka_run_group_tests_name("means/interval", tests, NULL, NULL);
}
