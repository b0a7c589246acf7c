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

/* Returns the probability that Student's t of `degrees` is within -t and t: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4. */
static double within(double t, uint32_t degrees)
{
    double theta = atan(t / sqrt(degrees)), term = degrees % 2 == 1 ? cos(theta) : 1, sum = degrees == 1 ? 0 : term;
    for (uint32_t k = degrees % 2 == 1 ? 3 : 2; k + 1 < degrees; k += 2) {
        term *= cos(theta) * cos(theta) * (k - 1) / k;
        sum += term;
    }
    return degrees % 2 == 1 ? 2 / acos(-1) * (theta + sin(theta) * sum) : sin(theta) * sum;
}

static void each_quantile_is_right_to_its_last_digit(void **state)
{
    (void)state;
    for (uint32_t degrees = 1; degrees <= 30; degrees++) {
        double t = weir_student_95(degrees);
        assert_true(within(t - 0.0005, degrees) < 0.95 && within(t + 0.0005, degrees) > 0.95);
    }
    for (uint32_t degrees = 31; degrees <= 60; degrees++) {
        assert_true(weir_student_95(degrees) == 2.042);
        assert_true(within(2.042, degrees) > 0.95);
    }
    assert_true(weir_student_95(61) == 2.0);
    assert_true(within(2.0, 61) > 0.95);
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
        cmocka_unit_test(each_quantile_is_right_to_its_last_digit),
        cmocka_unit_test(an_interval_is_of_standard_errors),
    };
    return cmocka_run_group_tests_name("means/interval", tests, NULL, NULL);
}
