/* test/unit/report/test_curves.c - rows of a result file as curves. */
#include "test/unit/report/report_fixture.h"
#include "report/curves.h"

static struct weir_db db;
static struct weir_run run;
static struct weir_err err;
static struct weir_curve curve;

static int begin(void **state)
{
    (void)make_sample(state);
    change("DELETE FROM by_size; DELETE FROM histogram; DELETE FROM point; DELETE FROM series;"
           "INSERT INTO by_size VALUES (1, 'ideal', 100, 901, 7, 1.5, 3), (1, 'ideal', 1000, 9223372036854775807, 2, "
           "4, 5),"
           " (1, 'ideal', 910, 950, 0, 0, 0), (1, 'payload', 1, 2, 9, 8, 9), (2, 'ideal', 1, 2, 9, 8, 9);"
           "INSERT INTO histogram VALUES (1, 'q', 'bytes', 10, 20, 1), (1, 'q', 'bytes', 40, 80, 3), (1, 'r', 'bytes', "
           "0, 1, 5);"
           "INSERT INTO series VALUES (1, 1, 's', 'bytes', NULL), (2, 1, 's', 'bytes', 'b'), (3, 1, 's', 'bytes', 'a');"
           "INSERT INTO point VALUES (1, 10, 1), (1, 20, 5), (1, 30, 8), (2, 10, 1), (3, 10, 9), (3, 50, 3)");
    assert_int_equal(weir_db_open(&db, sample, NULL, &err), 0);
    run = (struct weir_run){ .db = &db, .id = 1 };
    curve = (struct weir_curve){ 0 };
    return 0;
}

static int end(void **state)
{
    weir_db_close(&db);
    free(curve.point);
    return remove_sample(state);
}

static int take(const struct weir_curve_source *source)
{
    return weir_curve_read(&curve, &run, source, &err);
}

static void is(size_t i, double x, double y)
{
    assert_true(i < curve.count);
    if (curve.point[i].x != x || curve.point[i].y != y)
        fail_msg("point %zu is %g, %g", i, curve.point[i].x, curve.point[i].y);
}

static void a_bin_stands_at_its_middle(void **state)
{
    (void)state;
    assert_int_equal(take(&(struct weir_curve_source){ .kind = WEIR_SOURCE_SIZES, .name = "ideal", .p99 = true }), 0);
    assert_int_equal(curve.count, 2);
    is(0, 300, 3);  /* sizes 100 to 900 */
    is(1, 1000, 5); /* it has no upper end */
    assert_true(curve.point[0].count == 7);
}

static void a_histogram_is_level_where_it_has_no_bucket(void **state)
{
    (void)state;
    assert_int_equal(take(&(struct weir_curve_source){ .kind = WEIR_SOURCE_HISTOGRAM, .name = "q" }), 0);
    assert_int_equal(curve.count, 4);
    is(0, 10, 0);
    is(1, 20, 0.25);
    is(2, 40, 0.25);
    is(3, 80, 1);
    curve.count = 0;
    assert_int_equal(take(&(struct weir_curve_source){ .kind = WEIR_SOURCE_HISTOGRAM, .name = "r" }), 0);
    assert_int_equal(curve.count, 1);
    is(0, 1, 1);
}

static void a_series_is_folded(void **state)
{
    struct weir_extent extent = { 0 };
    (void)state;
    assert_int_equal(weir_series_extent(&extent, &run, "s", NULL, &err), 0);
    assert_int_equal(extent.points, 3);
    assert_int_equal(extent.last_ps, 30);
    assert_int_equal(weir_series_extent(&extent, &run, "s", "a", &err), 0); /* widens it */
    assert_int_equal(extent.points, 3);
    assert_int_equal(extent.last_ps, 50);
    assert_int_equal(
        take(&(struct weir_curve_source){
            .kind = WEIR_SOURCE_SERIES, .name = "s", .element = NULL, .width_ps = 20, .fold = WEIR_FOLD_MEAN }),
        0);
    assert_int_equal(curve.count, 2);
    is(0, 20, 3); /* the value at 20 belongs to the part that ends there */
    is(1, 40, 8);
    curve.count = 0;
    assert_int_equal(
        take(&(struct weir_curve_source){
            .kind = WEIR_SOURCE_SERIES, .name = "s", .element = NULL, .width_ps = 20, .fold = WEIR_FOLD_MAX }),
        0);
    is(0, 20, 5);
    curve.count = 0;
    assert_int_equal(
        take(&(struct weir_curve_source){
            .kind = WEIR_SOURCE_SERIES, .name = "s", .element = "a", .width_ps = 50, .fold = WEIR_FOLD_MEAN }),
        0);
    assert_int_equal(curve.count, 1);
    is(0, 50, 6);
    assert_int_equal(
        take(&(struct weir_curve_source){
            .kind = WEIR_SOURCE_SERIES, .name = "none", .element = NULL, .width_ps = 20, .fold = WEIR_FOLD_MEAN }),
        0);
    assert_int_equal(curve.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_bin_stands_at_its_middle, begin, end),
        cmocka_unit_test_setup_teardown(a_histogram_is_level_where_it_has_no_bucket, begin, end),
        cmocka_unit_test_setup_teardown(a_series_is_folded, begin, end),
    };
    return cmocka_run_group_tests_name("report/curves", tests, NULL, NULL);
}
