/* test/unit/solve/test_rpm.c - the equations of RPM's fluid model at points that can be worked out by hand. */
#include "test/unit/solve/rpm_fixture.h"

static const double ln2 = 0.69314718055994531;

static double eta(const struct weir_rpm_model *m, double s)
{
    return weir_rpm_double(weir_rpm_eta(m, s));
}

static void forward_marking_has_d_in_place_of_d_s(void **state)
{
    struct weir_rpm_model m = weir_rpm_marking(&small, true);
    (void)state;
    is_near(m.short_rtt_s, 2, 0);
    is_near(m.rtt_s, 2, 0);
    is_near(weir_rpm_marking(&small, false).short_rtt_s, 1, 0);
}

static void gamma_and_equilibrium_have_a_and_b(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 3, .rtt_s = 1, .short_rtt_s = 1, .a = 2, .b = 1 };
    (void)state;
    is_near(weir_rpm_gamma(&small), 1.0 / 6, 1e-15);
    is_near(weir_rpm_equilibrium(&small), 1.0 / 3, 1e-15);
    is_near(weir_rpm_gamma(&m), 6.0 / 11, 1e-15); /* 2 1 3 / (2 + 9) */
    is_near(weir_rpm_equilibrium(&m), 2.0 / 11, 1e-15);
    is_near(weir_rpm_gamma(&known[0].model), 500.0 / 5001, 1e-15);
}

/* The equilibrium of (3): what grows, a (1 - P) / d^2, is what is cut, b c^2 P. */
static void growth_and_cuts_are_equal_in_equilibrium(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        const struct weir_rpm_model *m = &known[i].model;
        double p = weir_rpm_equilibrium(m);
        is_near(m->a * (1 - p) / (m->rtt_s * m->rtt_s), m->b * m->capacity_pps * m->capacity_pps * p, 1e-12);
    }
}

static void eta_is_equation_2(void **state)
{
    const struct weir_rpm_model longer = { .capacity_pps = 1, .rtt_s = 3, .short_rtt_s = 1, .a = 1, .b = 0.5 };
    const struct weir_rpm_model ab = { .capacity_pps = 1, .rtt_s = 2, .short_rtt_s = 1, .a = 4, .b = 1 };
    (void)state;
    is_near(eta(&small, -ln2), -ln2 * ln2 / 2, 1e-14); /* 4 - 2 - 2 = 0; 4 / 4 + 2 / 2 */
    is_near(eta(&longer, -ln2), (-4 * ln2 / 11 - ln2 * ln2) / (17.0 / 9),
            1e-14);                                                     /* 8 - 2 - 2; gamma 1/11; 8 / 9 + 2 / 2 */
    is_near(eta(&forward, -ln2), (2 * ln2 / 3 - ln2 * ln2) / 3, 1e-13); /* the difference is 0; 2 / 1 + 2 / 2 */
    is_near(eta(&ab, -ln2), -ln2 * ln2 / 6, 1e-14);                     /* 4 4 / 4 + 1 2 */
}

static void slopes_that_no_double_holds_keep_sign_and_magnitude(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 1000, .rtt_s = 0.1, .short_rtt_s = 0.1, .a = 1, .b = 0.5 };
    struct weir_rpm_value v = weir_rpm_eta(&m, -1e5); /* e^10000 below the fraction, and nothing like it above */
    (void)state;
    assert_int_equal(v.sign, -1);
    is_near(v.ln, log(1e5 * (1e5 - 2 * 500.0 / 5001)) - 10000 - log(100 + 500000), 1e-12);
    assert_true(weir_rpm_double(v) <= 0 && weir_rpm_double(v) >= 0);
    assert_true(isinf(weir_rpm_double((struct weir_rpm_value){ 1, 1000 })));
    assert_true(weir_rpm_double((struct weir_rpm_value){ -1, 1000 }) < -1e308);
    assert_true(fabs(weir_rpm_double((struct weir_rpm_value){ 0, -(double)INFINITY })) <= 0);
    is_near(weir_rpm_double((struct weir_rpm_value){ -1, ln2 }), -2, 1e-15);
}

static void residual_is_that_of_equation_5(void **state)
{
    /* s^2 - 2 ln2 / 6 + 4 ln2 / 6 - 2 ln2 / 6 + 1/8 4 + 1/4 2, of which the last two are the largest */
    (void)state;
    is_near(weir_rpm_residual(&small, -ln2, 0.5), (ln2 * ln2 + 1) / 0.5, 1e-14);
    assert_true(weir_rpm_residual(&small, -ln2, eta(&small, -ln2)) < 1e-14);
}

static void the_quadratic_has_the_printed_and_the_right_root(void **state)
{
    double q = 61.0 / 36; /* 5 4/36 - 4/36 + 4/6 - 3/36 - 2/6 + 1, as (6) has it */
    (void)state;
    is_near(weir_rpm_root_printed(&small), (-sqrt(q) - 2.0 / 6 + 1.0 / 6 - 1) / (3.0 / 6), 1e-14);
    is_near(weir_rpm_root_right(&small), (7.0 / 6 - sqrt(q)) / (3.0 / 6), 1e-14);
}

static void forward_marking_has_no_printed_root(void **state)
{
    (void)state;
    assert_true(isinf(weir_rpm_root_printed(&forward)) && weir_rpm_root_printed(&forward) < 0);
    is_near(weir_rpm_root_right(&forward), -2.0 / 3, 1e-15); /* -2 gamma */
    is_near(weir_rpm_root_exact(&forward), -2.0 / 3, 1e-15);
}

/* c is such that gamma (e^0.4 - e^0.2 - 2) = -0.2. */
static void the_exact_root_is_where_eta_changes_sign(void **state)
{
    double gamma = 0.2 / (2 + exp(0.2) - exp(0.4));
    struct weir_rpm_model m = small;
    m.capacity_pps = (0.5 + sqrt(0.25 - 8 * gamma * gamma)) / (4 * gamma);
    (void)state;
    is_near(weir_rpm_gamma(&m), gamma, 1e-13);
    is_near(weir_rpm_root_exact(&m), -0.2, 1e-12);
    assert_int_equal(weir_rpm_eta(&m, -0.2 * (1 - 1e-9)).sign, 1);
    assert_int_equal(weir_rpm_eta(&m, -0.2 * (1 + 1e-9)).sign, -1);
}

/* With d = d_s = 1, eta = (2 gamma u - u^2) / (1.5 e^u), u = -s: largest where u^2 - (2 + 2 gamma) u + 2 gamma = 0. */
static void the_largest_slope_is_found(void **state)
{
    double u = 4.0 / 3 - sqrt(10) / 3, at;
    (void)state;
    is_near(weir_rpm_eta_max(&forward, &at), (2 * u / 3 - u * u) / (1.5 * exp(u)), 1e-13);
    is_near(at, -u, 1e-6);
    is_near(weir_rpm_eta_max(&forward, NULL), 0.0545511, 1e-5);
}

static void the_six_models_have_the_known_numbers(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        const struct known *k = &known[i];
        double at;
        is_near(weir_rpm_gamma(&k->model), k->gamma, 3e-4);
        is_near(weir_rpm_root_printed(&k->model), k->printed, 3e-4);
        is_near(weir_rpm_root_right(&k->model), k->right, 3e-6);
        is_near(weir_rpm_eta_max(&k->model, &at), k->eta_max, 3e-4);
        is_near(at, -weir_rpm_gamma(&k->model), 0.01);
        if (k->eta_below < 0)
            is_near(eta(&k->model, 1.01 * weir_rpm_root_printed(&k->model)), k->eta_below, 2e-3);
    }
}

/* The paper: stable, and eta > 0, for every s below s*. */
static void below_the_printed_root_the_slope_is_negative(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        const struct weir_rpm_model *m = &known[i].model;
        double printed = weir_rpm_root_printed(m), exact = weir_rpm_root_exact(m), below = eta(m, printed);
        for (int k = 0; k < 100; k++) {
            assert_int_equal(weir_rpm_eta(m, pow(1.1, k) * printed).sign, -1);
            assert_int_equal(weir_rpm_eta(m, pow(0.9, k) * 0.99 * exact).sign, 1);
        }
        assert_true(exact >= -2 * weir_rpm_gamma(m) && exact < 0);
        is_near(exact, weir_rpm_root_right(m), 1e-5);
        assert_true(weir_rpm_residual(m, printed, below) < 1e-12);
        assert_true(weir_rpm_residual(m, exact / 2, eta(m, exact / 2)) < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forward_marking_has_d_in_place_of_d_s),
        cmocka_unit_test(gamma_and_equilibrium_have_a_and_b),
        cmocka_unit_test(growth_and_cuts_are_equal_in_equilibrium),
        cmocka_unit_test(eta_is_equation_2),
        cmocka_unit_test(slopes_that_no_double_holds_keep_sign_and_magnitude),
        cmocka_unit_test(residual_is_that_of_equation_5),
        cmocka_unit_test(the_quadratic_has_the_printed_and_the_right_root),
        cmocka_unit_test(forward_marking_has_no_printed_root),
        cmocka_unit_test(the_exact_root_is_where_eta_changes_sign),
        cmocka_unit_test(the_largest_slope_is_found),
        cmocka_unit_test(the_six_models_have_the_known_numbers),
        cmocka_unit_test(below_the_printed_root_the_slope_is_negative),
    };
    return cmocka_run_group_tests_name("solve/rpm", tests, NULL, NULL);
}
