/* test/unit/solve/test_rpm_answer.c - that every number is the one of its name. */
#include "test/unit/solve/rpm_fixture.h"
#include "solve/rpm_answer.h"

static void the_six_models_are_filled_in(void **state)
{
    struct weir_rpm_answer a;
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        const struct known *k = &known[i];
        weir_rpm_answer_init(&a, &k->model);
        is_near(a.gamma, k->gamma, 3e-4);
        is_near(a.equilibrium, weir_rpm_equilibrium(&k->model), 0);
        is_near(a.printed, k->printed, 3e-4);
        is_near(a.right, k->right, 3e-6);
        is_near(a.exact, k->right, 1e-5);
        assert_int_equal(a.eta_printed.sign, -1);
        is_near(weir_rpm_double(a.eta_below), 1.01 * weir_rpm_double(a.eta_printed), 1e-6); /* eta falls like s there */
        is_near(a.eta_max, k->eta_max, 3e-4);
        is_near(a.eta_max_at, -a.gamma, 0.01);
        is_near(a.limit.eta, k->limit, 2e-5);
        is_near(a.limit_forward.eta, k->limit_forward, 2e-5);
        is_near(a.approx * k->model.short_rtt_s, a.approx_forward * k->model.rtt_s, 1e-12);
        assert_true(a.residual < 1e-12);
        assert_int_equal(a.integration_count, 0);
    }
}

static void without_a_printed_root_there_is_no_slope_at_it(void **state)
{
    struct weir_rpm_answer a;
    (void)state;
    weir_rpm_answer_init(&a, &forward);
    assert_true(isinf(a.printed));
    assert_int_equal(a.eta_printed.sign, 0);
    is_near(a.limit.eta, a.limit_forward.eta, 0);
    assert_true(a.residual < 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_six_models_are_filled_in),
        cmocka_unit_test(without_a_printed_root_there_is_no_slope_at_it),
    };
    return cmocka_run_group_tests_name("solve/rpm_answer", tests, NULL, NULL);
}
