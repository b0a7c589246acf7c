/* test/unit/solve/test_rpm_limit.c - up to which slope RPM's fluid model is stable. */
#include "test/unit/solve/rpm_fixture.h"
#include "solve/rpm_limit.h"

static double forward_limit(const struct weir_rpm_model *m)
{
    struct weir_rpm_model made = weir_rpm_marking(m, true);
    return weir_rpm_limit(&made).eta;
}

/* Forward marking has s^2 + 2 gamma s + K e^(-s d) with K = eta (a / d^2 + b c^2). With d = 1 and gamma = pi / 8 the root is at
 * omega = pi / 4, where the tangent of omega d is 1 = 2 gamma / omega, and K = omega^2 / cos(omega). */
static void the_limit_of_forward_marking_by_hand(void **state)
{
    double pi = acos(-1), k = 8 / pi, c = (k + sqrt(k * k - 4)) / 2; /* c / (1 + c^2) = pi / 8 */
    const struct weir_rpm_model m = { .capacity_pps = c, .rtt_s = 1, .short_rtt_s = 1, .a = 1, .b = 1 };
    struct weir_rpm_model reverse = m;
    struct weir_rpm_limit limit = weir_rpm_limit(&m);
    (void)state;
    is_near(limit.omega, pi / 4, 1e-12);
    is_near(limit.eta, pi * pi / 16 * sqrt(2) / (1 + c * c), 1e-12);
    is_near(limit.eta, 0.166187, 1e-5);
    reverse.short_rtt_s = 0.25;
    is_near(forward_limit(&reverse), limit.eta, 1e-12);
    assert_true(weir_rpm_limit(&reverse).eta > limit.eta);
}

static void limits_are_those_of_the_six_models(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        is_near(weir_rpm_limit(&known[i].model).eta, known[i].limit, 2e-5);
        is_near(forward_limit(&known[i].model), known[i].limit_forward, 2e-5);
    }
}

static void the_approximation_holds_for_a_large_bdp(void **state)
{
    (void)state;
    is_near(weir_rpm_limit_approx(&known[0].model), 2 * (500.0 / 5001) / (500000 * 0.02), 1e-14);
    for (uint32_t i = 0; i < KNOWN_COUNT; i++)
        is_near(weir_rpm_limit(&known[i].model).eta, weir_rpm_limit_approx(&known[i].model), 0.03);
}

/* Real and imaginary part of (5) at j omega, written out once more. */
static void the_root_is_on_the_imaginary_axis(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KNOWN_COUNT; i++) {
        const struct weir_rpm_model *m = &known[i].model;
        struct weir_rpm_limit l = weir_rpm_limit(m);
        double gamma = weir_rpm_gamma(m), w = l.omega, alpha = l.eta / (m->rtt_s * m->rtt_s);
        double cut = l.eta * m->capacity_pps * m->capacity_pps / 2;
        double late = w * m->rtt_s, early = w * m->short_rtt_s;
        double re = -w * w + gamma * w * (sin(early) - sin(late)) + alpha * cos(late) + cut * cos(early);
        double im = gamma * w * (2 - cos(late) + cos(early)) - alpha * sin(late) - cut * sin(early);
        assert_true(fabs(re) < 1e-9 * w * w && fabs(im) < 1e-9 * w * w);
    }
}

/* 1.9e-5 and 2.2e-5 are on the two sides of 2.0472e-5: factors per 20 s. */
static void oscillations_grow_above_the_limit_only(void **state)
{
    const struct weir_rpm_model *m = &known[0].model;
    struct weir_rpm_limit l = weir_rpm_limit(m);
    (void)state;
    is_near(exp(20 * weir_rpm_growth(m, &l, 1.9e-5)), 0.867, 1e-3);
    is_near(exp(20 * weir_rpm_growth(m, &l, 2.2e-5)), 1.159, 1e-3);
    assert_true(fabs(weir_rpm_growth(m, &l, l.eta)) < 1e-9);
    assert_true(weir_rpm_growth(m, &l, l.eta / 2) < 0 && weir_rpm_growth(m, &l, l.eta * 2) > 0);
    assert_true(isnan(weir_rpm_growth(m, &l, l.eta * 101)));
    assert_true(isnan(weir_rpm_growth(m, &l, l.eta / 101)));
}

/* Forward marking once more: both roots are real where K is small, -gamma in the middle of them. */
static void a_root_that_becomes_real_is_lost(void **state)
{
    struct weir_rpm_limit l = weir_rpm_limit(&forward);
    (void)state;
    assert_true(isnan(weir_rpm_growth(&forward, &l, l.eta / 99)));
}

/* At the largest ratio of delays that is allowed, and where a window is less than a packet. */
static void extremes_have_limits(void **state)
{
    const struct weir_rpm_model far = { 1e9, 1, 1e-6, 1, 0.5 }, tiny = { 1e-3, 1, 1e-6, 1000, 1 };
    (void)state;
    is_near(weir_rpm_limit(&far).eta, 4.002e-21, 1e-3);
    is_near(forward_limit(&far), 4e-27, 1e-3);
    is_near(weir_rpm_limit(&tiny).eta, forward_limit(&tiny), 1e-3); /* additive increase alone is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_limit_of_forward_marking_by_hand),
        cmocka_unit_test(limits_are_those_of_the_six_models),
        cmocka_unit_test(the_approximation_holds_for_a_large_bdp),
        cmocka_unit_test(the_root_is_on_the_imaginary_axis),
        cmocka_unit_test(oscillations_grow_above_the_limit_only),
        cmocka_unit_test(a_root_that_becomes_real_is_lost),
        cmocka_unit_test(extremes_have_limits),
    };
    return cmocka_run_group_tests_name("solve/rpm_limit", tests, NULL, NULL);
}
