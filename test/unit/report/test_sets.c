/* test/unit/report/test_sets.c - runs that differ in the seed only, as one: means, intervals, bands. */
#include "test/unit/report/report_fixture.h"
#include "report/sets.h"
#include <math.h>

static struct weir_db db;
static struct weir_run run[4];
static struct weir_err err;
static struct weir_curve curve;

static int begin(void **state)
{
    (void)make_sample(state);
    change("DELETE FROM by_size; DELETE FROM histogram; DELETE FROM point; DELETE FROM series;"
           "INSERT INTO by_size VALUES (1, 'ideal', 100, 901, 100, 1.5, 3), (2, 'ideal', 100, 901, 300, 2.5, 5),"
           " (2, 'ideal', 1000, 2001, 8, 7, 9);"
           "INSERT INTO histogram VALUES (1, 'q', 'bytes', 0, 90, 9), (1, 'q', 'bytes', 90, 100, 1), (2, 'q', 'bytes', "
           "0, 270, 18),"
           " (2, 'q', 'bytes', 270, 300, 2);"
           "INSERT INTO series VALUES (1, 1, 's', 'bytes', NULL), (2, 2, 's', 'bytes', NULL);"
           "INSERT INTO point VALUES (1, 10, 1), (1, 20, 5), (2, 10, 3), (2, 20, 9), (2, 30, 4)");
    assert_int_equal(weir_db_open(&db, sample, NULL, &err), 0);
    for (int i = 0; i < 4; i++) {
        run[i] = (struct weir_run){ .db = &db, .id = i + 1 };
        for (int k = 0; k < WEIR_RUN_VALUE_COUNT; k++)
            run[i].value[k] = (double)NAN;
    }
    curve = (struct weir_curve){ 0 };
    return 0;
}

static int end(void **state)
{
    weir_db_close(&db);
    free(curve.point);
    return remove_sample(state);
}

static void read_set(const struct weir_curve_source *source)
{
    assert_int_equal(weir_set_curve(&curve, &(struct weir_set){ run, 2 }, source, &err), 0);
    assert_int_equal(curve.runs, 2);
}

static void is(size_t i, double x, double y, double low, double high)
{
    const struct weir_plot_point *p = &curve.point[i];
    assert_true(i < curve.count);
    if (p->x != x || fabs(p->y - y) > 1e-12 || p->low != low || p->high != high)
        fail_msg("point %zu is %g, %g from %g to %g", i, p->x, p->y, p->low, p->high);
}

/* The percentile of each run, and then the mean: not that of all messages. */
static void percentiles_are_taken_of_each_run_and_averaged(void **state)
{
    (void)state;
    read_set(&(struct weir_curve_source){ .kind = WEIR_SOURCE_SIZES, .name = "ideal", .p99 = true });
    assert_int_equal(curve.count, 2);
    is(0, 300, 4, 3, 5);
    assert_true(curve.point[0].count == 200); /* a run's, so that the least count for a percentile means the same */
    is(1, sqrt(1000 * 2000.0), 9, 9, 9);      /* one run has it: no band */
    assert_true(curve.point[0].lo == 100 && curve.point[0].hi == 901);
}

static void series_are_averaged_at_each_time(void **state)
{
    (void)state;
    read_set(
        &(struct weir_curve_source){ .kind = WEIR_SOURCE_SERIES, .name = "s", .width_ps = 10, .fold = WEIR_FOLD_MEAN });
    assert_int_equal(curve.count, 3);
    is(0, 10, 2, 1, 3);
    is(1, 20, 7, 5, 9);
    is(2, 30, 4, 4, 4); /* after the end of the other */
}

static void distributions_are_averaged_at_each_share(void **state)
{
    (void)state;
    read_set(&(struct weir_curve_source){ .kind = WEIR_SOURCE_HISTOGRAM, .name = "q" });
    assert_true(curve.count > 20);
    for (size_t i = 0; i < curve.count; i++) {
        const struct weir_plot_point *p = &curve.point[i];
        assert_true(fabs(p->x - 200 * p->y) < 1e-9 && fabs(p->low - 100 * p->y) < 1e-9 &&
                    fabs(p->high - 300 * p->y) < 1e-9);
        assert_true(i == 0 || p->y > p[-1].y);
    }
    assert_true(curve.point[0].y == 0 && curve.point[curve.count - 1].y == 1);
    assert_true(fabs(weir_curve_quantile(&curve, 0.5) - 100) < 1e-9);
}

/* Textbook: 2, 4, 4, 4, 5, 5, 7, 9 less the last four: mean 3.5, standard deviation 1, t(3) = 3.182; half of it. */
static void an_interval_is_students(void **state)
{
    static const double value[] = { 2, 4, 4, 4 };
    struct weir_spread s;
    char doubt[] = "too short";
    (void)state;
    s = weir_set_spread(&(struct weir_set){ run, 4 }, WEIR_RUN_P99);
    assert_int_equal(s.count, 0);
    assert_true(isnan(s.mean) && isnan(s.half_width));
    for (size_t n = 1; n <= 4; n++) {
        run[n - 1].value[WEIR_RUN_P99] = value[n - 1];
        s = weir_set_spread(&(struct weir_set){ run, 4 }, WEIR_RUN_P99);
        assert_int_equal(s.count, n);
        assert_int_equal(isnan(s.half_width), n < 3); /* of two there is no interval */
    }
    assert_true(s.mean == 3.5 && s.low == 2 && s.high == 4);
    assert_true(fabs(s.half_width - 3.182 / 2) < 1e-9);
    run[2].doubt = doubt; /* a mean of runs of which one is in doubt is shown alone */
    s = weir_set_spread(&(struct weir_set){ run, 4 }, WEIR_RUN_P99);
    assert_true(s.mean == 3.5 && isnan(s.half_width));
}

static void a_set_is_what_is_adjacent_with_its_number(void **state)
{
    (void)state;
    run[0].set = run[1].set = 7;
    run[2].set = 8, run[3].set = 9;
    assert_int_equal(weir_set_first(run, 4).count, 2);
    assert_int_equal(weir_set_first(run, 1).count, 1);
    assert_int_equal(weir_set_count(run, 4), 3);
    assert_int_equal(weir_set_count(run, 0), 0);
}

/* The second law is there once, so it has its own colour; the first is there twice. */
static void sets_have_the_style_of_their_law(void **state)
{
    static char done[] = "done", failed[] = "failed";
    static char *const law[] = { "sird", "sird", "dctcp", "sird" };
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        run[i].text[WEIR_RUN_PROTOCOL] = law[i];
        run[i].text[WEIR_RUN_STATUS] = done;
        run[i].set = i < 2 ? 0 : i;
    }
    weir_sets_style(run, 4);
    assert_int_equal(run[0].style.hue, 3);
    assert_int_equal(run[0].style.shade, 1);
    assert_int_equal(run[1].style.shade, 1); /* another seed */
    assert_int_equal(run[2].style.hue, 1);
    assert_int_equal(run[2].style.shade, 0);
    assert_int_equal(run[3].style.hue, 3);
    assert_int_equal(run[3].style.shade, 5);
    run[3].text[WEIR_RUN_STATUS] = failed; /* then there is one set of sird */
    weir_sets_style(run, 4);
    assert_int_equal(run[0].style.shade, 0);
    assert_int_equal(run[3].style.shade, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(percentiles_are_taken_of_each_run_and_averaged, begin, end),
        cmocka_unit_test_setup_teardown(series_are_averaged_at_each_time, begin, end),
        cmocka_unit_test_setup_teardown(distributions_are_averaged_at_each_share, begin, end),
        cmocka_unit_test_setup_teardown(an_interval_is_students, begin, end),
        cmocka_unit_test_setup_teardown(a_set_is_what_is_adjacent_with_its_number, begin, end),
        cmocka_unit_test_setup_teardown(sets_have_the_style_of_their_law, begin, end),
    };
    return cmocka_run_group_tests_name("report/sets", tests, NULL, NULL);
}
