/* test/unit/reproduce/test_comparison.c - means, intervals and differences, against a textbook's computation; and which law is best. */
#include "test/unit/weir_test.h"
#include "reproduce/comparison.h"
#include <math.h>
#include <string.h>

/* Hours of sleep that ten patients gained by two drugs: "Student", The probable error of a mean, Biometrika 6(1), 1908. Paired, the
 * second gains 1.58 hours more, t = 4.062 on 9 degrees of freedom, and the 95 % interval is 0.7001 to 2.4599. */
static const double drug[2][10] = { { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 },
                                    { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 } };

enum { P50, P99, LAWS = 3 };

static struct weir_comparison c;
static struct weir_comparison_run run[LAWS][10];

static uint32_t metric(const char *name)
{
    uint32_t m = 0;
    while (strcmp(c.metric[m].name, name) != 0)
        m++;
    return m;
}

static void near(double a, double b, double within)
{
    if (!(fabs(a - b) <= within))
        fail_msg("%g is not within %g of %g", a, within, b);
}

static void begin(uint32_t laws, uint32_t seeds)
{
    static const char *const name[LAWS] = { "a", "b", "c" };
    memset(&c, 0, sizeof(c));
    weir_comparison_usual(&c);
    c.law_count = laws;
    c.seed_count = seeds;
    c.baseline = WEIR_COMPARISON_NONE;
    for (uint32_t l = 0; l < laws; l++) {
        c.law[l] = (struct weir_comparison_law){ .name = name[l], .run = run[l] };
        for (uint32_t s = 0; s < seeds; s++) {
            run[l][s] = (struct weir_comparison_run){ .is_done = true };
            for (uint32_t m = 0; m < WEIR_COMPARISON_METRICS_MAX; m++)
                run[l][s].value[m] = NAN;
        }
    }
}

static void put(uint32_t law, uint32_t m, double x, double y, double z)
{
    run[law][0].value[m] = x;
    run[law][1].value[m] = y;
    run[law][2].value[m] = z;
}

static void differences_are_paired_as_in_the_textbook(void **state)
{
    const struct weir_estimate *d = &c.law[1].difference[P99];
    (void)state;
    begin(2, 10);
    for (uint32_t l = 0; l < 2; l++)
        for (uint32_t s = 0; s < 10; s++)
            run[l][s].value[P99] = drug[l][s];
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P99], 0);
    near(c.law[0].metric[P99].mean, 0.75, 1e-9);
    near(c.law[0].metric[P99].half_width, 1.2798, 1e-3); /* 2.262 * 1.78901 / sqrt(10) */
    near(c.law[1].metric[P99].mean, 2.33, 1e-9);
    near(c.law[1].metric[P99].half_width, 1.4322, 1e-3); /* 2.262 * 2.00225 / sqrt(10) */
    assert_int_equal(d->count, 10);
    near(d->mean, 1.58, 1e-9);
    near(d->mean - d->half_width, 0.7001, 2e-4);
    near(d->mean + d->half_width, 2.4599, 2e-4);
    assert_true(c.law[1].is_beyond[P99]);
    assert_false(c.law[0].is_beyond[P99]);
    /* Each by itself the two intervals overlap: only in pairs is the difference beyond its interval. */
    assert_true(c.law[0].metric[P99].mean + c.law[0].metric[P99].half_width >
                c.law[1].metric[P99].mean - c.law[1].metric[P99].half_width);
}

static void three_numbers_have_an_interval_and_two_have_none(void **state)
{
    const double number[] = { 1, 2, 3, NAN };
    struct weir_estimate e = weir_estimate_of(number, 4);
    (void)state;
    assert_int_equal(e.count, 3);
    near(e.mean, 2, 1e-12);
    near(e.half_width, 4.303 / sqrt(3), 1e-9);
    e = weir_estimate_of(number, 2);
    assert_int_equal(e.count, 2);
    near(e.mean, 1.5, 1e-12);
    near(e.half_width, 0, 0);
    assert_int_equal(weir_estimate_of(&number[3], 1).count, 0);
}

static void a_difference_without_an_interval_exceeds_nothing(void **state)
{
    (void)state;
    begin(2, 2);
    for (uint32_t s = 0; s < 2; s++) {
        run[0][s].value[P50] = 1;
        run[1][s].value[P50] = 100;
    }
    weir_comparison_solve(&c);
    near(c.law[1].difference[P50].mean, 99, 1e-9);
    assert_false(c.law[1].is_beyond[P50]);
}

static void a_law_in_doubt_has_no_intervals_and_no_difference(void **state)
{
    (void)state;
    begin(3, 3);
    put(0, P50, 1, 1, 1);
    put(1, P50, 5, 5.5, 6);
    put(2, P50, 7, 7.5, 8);
    strcpy(run[1][2].doubt, "short");
    weir_comparison_solve(&c);
    assert_true(weir_estimate_has_interval(&c.law[2].metric[P50]));
    assert_true(c.law[2].is_beyond[P50]);
    assert_false(weir_estimate_has_interval(&c.law[1].metric[P50]));
    near(c.law[1].difference[P50].mean, 4.5, 1e-9);
    assert_false(weir_estimate_has_interval(&c.law[1].difference[P50]));
    assert_false(c.law[1].is_beyond[P50]);
    c.baseline = 1; /* nothing is told from such a law */
    weir_comparison_solve(&c);
    assert_false(weir_estimate_has_interval(&c.law[2].difference[P50]) || c.law[2].is_beyond[P50]);
}

static void a_difference_within_its_interval_does_not_exceed_it(void **state)
{
    (void)state;
    begin(2, 3);
    put(0, P50, 1, 1, 1);
    put(1, P50, 1.1, 0.9, 1.3); /* mean 0.1, half 4.303 * 0.2 / sqrt(3) = 0.497 */
    weir_comparison_solve(&c);
    near(c.law[1].difference[P50].half_width, 0.4969, 1e-3);
    assert_false(c.law[1].is_beyond[P50]);
}

static void pairs_are_of_the_seeds_that_both_have(void **state)
{
    (void)state;
    begin(2, 10);
    for (uint32_t s = 0; s < 10; s++) {
        run[0][s].value[P50] = s;
        run[1][s].value[P50] = s + 2.0;
    }
    run[0][3].value[P50] = NAN;
    run[1][7].is_done = false;
    weir_comparison_solve(&c);
    assert_int_equal(c.law[0].metric[P50].count, 9);
    assert_int_equal(c.law[1].done, 9);
    c.baseline = 0;
    weir_comparison_solve(&c);
    assert_int_equal(c.law[1].difference[P50].count, 8);
    near(c.law[1].difference[P50].mean, 2, 1e-9);
}

static void the_best_is_the_least_or_where_more_is_better_the_greatest(void **state)
{
    uint32_t goodput;
    (void)state;
    begin(3, 3);
    goodput = metric("goodput_gbps");
    for (uint32_t l = 0; l < 3; l++) {
        put(l, P50, 3 - l, 3 - l, 3 - l);
        put(l, goodput, 10 + l % 2, 10 + l % 2, 10 + l % 2);
    }
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P50], 2);
    assert_int_equal(c.best[goodput], 1);
    assert_int_equal(c.best[P99], WEIR_COMPARISON_NONE);
    assert_int_equal(weir_comparison_base(&c, P50), 2);
    near(c.law[0].difference[P50].mean, 2, 1e-9);
}

/* The second lacks the seed of the longest tail, so its mean is the least; where both have a number it is the slower one. */
static void the_best_is_found_among_the_seeds_that_both_have(void **state)
{
    (void)state;
    begin(2, 3);
    put(0, P99, 2, 4, 30);
    put(1, P99, 3, 5, NAN);
    weir_comparison_solve(&c);
    near(c.law[0].metric[P99].mean, 12, 1e-12);
    near(c.law[1].metric[P99].mean, 4, 1e-12);
    assert_int_equal(c.best[P99], 0);
    put(0, P99, NAN, NAN, 30); /* none in common */
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P99], 1);
}

/* Two and two they would beat each other in a circle; over all none is shared, so the least mean is best, in whatever order they come. */
static void what_is_best_does_not_depend_on_the_order_of_the_laws(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 3; first++) {
        begin(3, 3);
        put(first, P99, 2, 1, NAN);
        put((first + 1) % 3, P99, NAN, 2, 1.2);
        put((first + 2) % 3, P99, 1.1, NAN, 2);
        weir_comparison_solve(&c);
        assert_int_equal(c.best[P99], first);
    }
}

/* A law whose slowest messages are still missing looks good. */
static void a_doubtful_law_is_best_only_where_all_are(void **state)
{
    (void)state;
    begin(3, 3);
    put(0, P99, 5, 5, 5);
    put(1, P99, 1, 1, 1);
    put(2, P99, 6, 6, 6);
    strcpy(run[1][2].doubt, "3 messages are missing");
    weir_comparison_solve(&c);
    assert_int_equal(c.law[1].doubtful, 1);
    assert_false(weir_comparison_is_sound(&c, 1));
    assert_int_equal(c.best[P99], 0);
    near(c.law[1].difference[P99].mean, -4, 1e-9);
    run[2][0].is_done = false; /* nor is one with a run too few */
    put(2, P99, 2, 2, 2);
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P99], 0);
    strcpy(run[0][0].doubt, "unstable");
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P99], 1);
}

static void differences_are_from_the_baseline_if_there_is_one(void **state)
{
    (void)state;
    begin(3, 3);
    put(0, P99, 5, 5, 5);
    put(1, P99, 1, 1, 1);
    put(2, P99, 6, 7, 8);
    c.baseline = 2;
    weir_comparison_solve(&c);
    assert_int_equal(c.best[P99], 1);
    assert_int_equal(weir_comparison_base(&c, P99), 2);
    near(c.law[0].difference[P99].mean, -2, 1e-9);
    near(c.law[1].difference[P99].mean, -6, 1e-9);
    near(c.law[2].difference[P99].mean, 0, 1e-9);
    assert_true(c.law[1].is_beyond[P99]);
}

static void numbers_that_no_seed_changes_are_noticed(void **state)
{
    (void)state;
    begin(2, 3);
    put(0, P50, 0.1, 0.1, 0.1);
    put(1, P50, 0.3, 0.3, 0.3);
    weir_comparison_solve(&c);
    assert_true(c.law[0].metric[P50].half_width == 0);
    assert_true(weir_comparison_ignores_seeds(&c));
    put(1, P99, 1, 1, 1.5);
    weir_comparison_solve(&c);
    assert_false(weir_comparison_ignores_seeds(&c));
    c.seed_count = 2;
    weir_comparison_solve(&c);
    assert_false(weir_comparison_ignores_seeds(&c));
}

static void metrics_of_jobs_lead(void **state)
{
    uint32_t usual;
    (void)state;
    begin(2, 3);
    usual = c.metric_count;
    weir_comparison_lead_jobs(&c, false);
    assert_int_equal(c.metric_count, usual + 3);
    assert_string_equal(c.metric[0].name, "job_completion_us.mean");
    assert_string_equal(c.metric[3].name, "slowdown.all.p50");
    begin(2, 3);
    weir_comparison_lead_jobs(&c, true);
    assert_int_equal(c.metric_count, usual + 5);
    assert_string_equal(c.metric[4].name, "busbw_gbytes_s.mean");
    assert_int_equal(c.metric[4].row.better, WEIR_METRIC_GREATEST);
    assert_true(c.metric[4].judged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(differences_are_paired_as_in_the_textbook),
        cmocka_unit_test(three_numbers_have_an_interval_and_two_have_none),
        cmocka_unit_test(a_difference_without_an_interval_exceeds_nothing),
        cmocka_unit_test(a_law_in_doubt_has_no_intervals_and_no_difference),
        cmocka_unit_test(a_difference_within_its_interval_does_not_exceed_it),
        cmocka_unit_test(pairs_are_of_the_seeds_that_both_have),
        cmocka_unit_test(the_best_is_the_least_or_where_more_is_better_the_greatest),
        cmocka_unit_test(the_best_is_found_among_the_seeds_that_both_have),
        cmocka_unit_test(what_is_best_does_not_depend_on_the_order_of_the_laws),
        cmocka_unit_test(a_doubtful_law_is_best_only_where_all_are),
        cmocka_unit_test(numbers_that_no_seed_changes_are_noticed),
        cmocka_unit_test(metrics_of_jobs_lead),
        cmocka_unit_test(differences_are_from_the_baseline_if_there_is_one),
    };
    return cmocka_run_group_tests_name("reproduce/comparison", tests, NULL, NULL);
}
