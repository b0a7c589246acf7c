/* test/unit/report/test_elements.c - hosts, ports and flows with series of their own: which there are, what their points are like. */
#include "test/unit/report/report_fixture.h"
#include "report/elements.h"

static struct weir_db db;
static struct weir_elements elements;
static struct weir_err err;

static int begin(void **state)
{
    (void)make_sample(state);
    change(
        "DELETE FROM point; DELETE FROM series;"
        "INSERT INTO series VALUES (1, 1, 's', 'bytes', NULL), (2, 1, 's', 'bytes', 'b'), (3, 1, 's', 'bytes', 'a'),"
        " (4, 1, 'r', 'bytes', 'b'), (5, 1, 's', 'bytes', 'silent'), (6, 2, 's', 'bytes', 'b'),"
        " (7, 1, 's', 'bytes', 'c');"
        "INSERT INTO point VALUES (1, 10, 1), (2, 10, 1), (3, 10, 9), (3, 50, 3), (4, 20, 2), (6, 10, 8), (7, 30, 1)");
    assert_int_equal(weir_db_open(&db, sample, NULL, &err), 0);
    assert_int_equal(weir_elements_read(&elements, &db, 1, &err), 0);
    return 0;
}

static int end(void **state)
{
    weir_elements_free(&elements);
    weir_db_close(&db);
    return remove_sample(state);
}

static void the_greatest_mean_comes_first(void **state)
{
    const struct weir_elements of = weir_elements_of(&elements, "s");
    (void)state;
    assert_int_equal(elements.count, 4);
    assert_int_equal(of.count, 3);
    assert_string_equal(of.element[0].name, "a");
    assert_true(of.element[0].mean == 6);
    assert_string_equal(of.element[1].name, "b"); /* as c, and before it in the file */
    assert_string_equal(of.element[2].name, "c");
}

static void points_are_counted(void **state)
{
    const struct weir_elements of = weir_elements_of(&elements, "s");
    (void)state;
    assert_int_equal(of.element[0].points, 2);
    assert_int_equal(of.element[0].last_ps, 50);
    assert_int_equal(of.element[2].points, 1);
    assert_int_equal(of.element[2].last_ps, 30);
}

static void a_series_without_places_has_none(void **state)
{
    (void)state;
    assert_int_equal(weir_elements_of(&elements, "none").count, 0);
    assert_int_equal(weir_elements_of(&elements, "r").count, 1);
    assert_int_equal(weir_elements_of(&(struct weir_elements){ 0 }, "s").count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_greatest_mean_comes_first, begin, end),
        cmocka_unit_test_setup_teardown(points_are_counted, begin, end),
        cmocka_unit_test_setup_teardown(a_series_without_places_has_none, begin, end),
    };
    return cmocka_run_group_tests_name("report/elements", tests, NULL, NULL);
}
