/* test/unit/solve/test_rpm_fluid.c - RPM's fluid model in time. */
#include "test/unit/refusal.h"
#include "test/unit/solve/rpm_fixture.h"
#include "solve/rpm_fluid.h"
#include "solve/rpm_limit.h"
#include <string.h>

static struct weir_rpm_course course;
static struct weir_err err;

static const struct weir_rpm_course *run(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options)
{
    assert_int_equal(weir_rpm_fluid_run(&course, m, options, &err), 0);
    return &course;
}

/* c = 10, d = d_s = 2: P is 1/201, a step 0.01. Heun's first step from r / c = 1.05:
 * slopes 0.025 200/201 - 5 1.05^2 / 201 = -0.00254975 and, at 1.0499745, -0.00254848 */
static void a_step_is_that_of_heun(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 10, .rtt_s = 2, .short_rtt_s = 2, .a = 1, .b = 0.5 };
    const struct weir_rpm_fluid options = {
        .eta = 1e-3, .off = 0.05, .window_s = 0.01, .windows = 2, .target_pkts = 5
    };
    (void)state;
    assert_true(weir_rpm_fluid_steps(&m, &options) == 2);
    run(&m, &options);
    assert_int_equal(course.steps, 2);
    is_near(course.peak[0], 0.04997450883785115, 1e-12);
    is_near(course.end_s, 0.02, 1e-12);
}

/* As the paper's equation has it: 0.1 % off, 20 s a window. The limit is 2.0472e-5. */
static void oscillations_decay_below_the_limit_and_grow_above(void **state)
{
    struct weir_rpm_fluid options = { .eta = 1.9e-5, .off = 1e-3, .window_s = 20, .windows = 5, .target_pkts = 5 };
    (void)state;
    run(&known[0].model, &options);
    is_near(course.ratio, 0.867, 2e-3);
    assert_int_equal(course.fate, WEIR_RPM_DECAYS);
    assert_int_equal(course.windows, 5);
    assert_int_equal(course.linear, 5);
    assert_true(isinf(course.clipped_s));
    is_near(course.end_s, 100, 1e-9);
    options.eta = 2.2e-5;
    run(&known[0].model, &options);
    is_near(course.ratio, 1.159, 2e-3);
    assert_int_equal(course.fate, WEIR_RPM_GROWS);
    assert_true(isinf(course.clipped_s));
}

/* Forward marking is unstable where reverse marking is stable: its limit is a fifth of the other. */
static void forward_marking_grows_where_reverse_decays(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 1000, .rtt_s = 0.1, .short_rtt_s = 0.1, .a = 1, .b = 0.5 };
    struct weir_rpm_fluid options = { .eta = 3.8e-6, .off = 1e-3, .window_s = 40, .windows = 4, .target_pkts = 5 };
    (void)state;
    assert_int_equal(run(&m, &options)->fate, WEIR_RPM_DECAYS);
    options.eta = 4.2e-6;
    assert_int_equal(run(&m, &options)->fate, WEIR_RPM_GROWS);
    assert_true(course.ratio > 1);
    options.eta = 1.9e-5;
    assert_int_equal(run(&m, &options)->fate, WEIR_RPM_GROWS);
    assert_true(isfinite(course.clipped_s));
}

/* d is no multiple of a step: 0.05 / 0.03 200 = 333.3. Windows of ten oscillations; the root of (5) says what they do. */
static void the_root_of_equation_5_is_what_is_seen(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 2000, .rtt_s = 0.05, .short_rtt_s = 0.03, .a = 2, .b = 0.7 };
    struct weir_rpm_limit limit = weir_rpm_limit(&m);
    double window_s = 20 * acos(-1) / limit.omega;
    (void)state;
    for (int percent = 90; percent <= 110; percent += 5) {
        double eta = percent * limit.eta / 100;
        const struct weir_rpm_fluid options = { .eta = eta, .off = 1e-5, .window_s = window_s, .windows = 5 };
        is_near(run(&m, &options)->ratio, exp(window_s * weir_rpm_growth(&m, &limit, eta)),
                4e-3); /* not ten oscillations off the limit */
    }
}

/* Twice the limit: the queue falls to its target, where no packet is marked. The oscillation stays bounded. */
static void what_is_clipped_grows_and_its_ratio_is_not_counted(void **state)
{
    struct weir_rpm_fluid options = { .eta = 4.1e-5, .off = 1e-3, .window_s = 20, .windows = 5, .target_pkts = 0 };
    (void)state;
    run(&known[0].model, &options);
    assert_int_equal(course.fate, WEIR_RPM_GROWS);
    assert_in_range((uint64_t)course.clipped_s, 25, 40);
    assert_int_equal(course.windows, 5);
    assert_int_equal(course.linear, 1);
    assert_true(isnan(course.ratio));
    assert_true(course.peak[4] > 0.02 && course.peak[4] < 0.1);
}

static void what_has_died_out_ends_early(void **state)
{
    struct weir_rpm_fluid options = { .eta = 5e-6, .off = 1e-3, .window_s = 100, .windows = 30, .target_pkts = 5 };
    (void)state;
    run(&known[0].model, &options);
    assert_true(course.windows < 30);
    assert_true(course.peak[course.windows - 1] < WEIR_RPM_DECAYED * options.off);
    assert_int_equal(course.fate, WEIR_RPM_DECAYS);
}

/* A thousandth of a packet in flight, and marking far too steep: when the queue falls to where P is below 1, the additive part takes
 * the rate to many times c within one delay. */
static void rates_far_from_the_capacity_end_it(void **state)
{
    const struct weir_rpm_model m = { .capacity_pps = 0.1, .rtt_s = 0.01, .short_rtt_s = 0.01, .a = 1, .b = 0.5 };
    const struct weir_rpm_fluid options = { .eta = 1e4, .off = 0.05, .window_s = 40, .windows = 2 };
    (void)state;
    run(&m, &options);
    assert_int_equal(course.windows, 0);
    assert_int_equal(course.fate, WEIR_RPM_GROWS);
    assert_true(isnan(course.ratio) && course.end_s < 40);
}

/* The target is P / eta = 1 / 5001 / 2e-5 = 9.998 packets below the queue; off by a tenth of that times omega / c = 3 / 1000. */
static void the_start_leaves_marking_unclipped(void **state)
{
    const struct weir_rpm_model *m = &known[0].model;
    (void)state;
    is_near(weir_rpm_fluid_off(m, 3, 2e-5), 1e-3, 1e-12);
    is_near(weir_rpm_fluid_off(m, 3, 2e-4), 0.1 / 5001 / 2e-4 * 3 / 1000, 1e-12);
    is_near(weir_rpm_fluid_off(m, 1e-6, 2e-4), WEIR_RPM_OFF_MIN, 1e-12);
}

static void what_takes_too_long_is_refused_with_its_cost(void **state)
{
    struct weir_rpm_model m = known[0].model;
    struct weir_rpm_fluid options = { .eta = 2e-5, .off = 1e-3, .window_s = 20000, .windows = 10 };
    (void)state;
    assert_int_equal(weir_rpm_fluid_run(&course, &m, &options, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "2e+09 steps");
    options.window_s = 1e-3;
    m.short_rtt_s = 1e-6;
    assert_int_equal(weir_rpm_fluid_run(&course, &m, &options, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "2e+07 steps");
}

static void it_can_be_stopped(void **state)
{
    const volatile int stop = 2;
    struct weir_rpm_fluid options = { .eta = 2e-5, .off = 1e-3, .window_s = 20, .windows = 5, .stop = &stop };
    (void)state;
    assert_int_equal(weir_rpm_fluid_run(&course, &known[0].model, &options, &err), WEIR_E_RUN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_heun),
        cmocka_unit_test(oscillations_decay_below_the_limit_and_grow_above),
        cmocka_unit_test(forward_marking_grows_where_reverse_decays),
        cmocka_unit_test(the_root_of_equation_5_is_what_is_seen),
        cmocka_unit_test(what_is_clipped_grows_and_its_ratio_is_not_counted),
        cmocka_unit_test(what_has_died_out_ends_early),
        cmocka_unit_test(rates_far_from_the_capacity_end_it),
        cmocka_unit_test(the_start_leaves_marking_unclipped),
        cmocka_unit_test(what_takes_too_long_is_refused_with_its_cost),
        cmocka_unit_test(it_can_be_stopped),
    };
    return cmocka_run_group_tests_name("solve/rpm_fluid", tests, NULL, NULL);
}
