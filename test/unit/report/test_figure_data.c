/* test/unit/report/test_figure_data.c - the curves of a figure as JSON: which points, which curves, and what is left out. */
#include "test/unit/report/report_fixture.h"
#include "report/figure_data.h"

static struct weir_plot plot;
static struct weir_err err;

static int begin(void **state)
{
    (void)state;
    plot = (struct weir_plot){ .title = "a </script> b",
                               .x = { .title = "Time", .unit = WEIR_UNIT_PS },
                               .y = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_plot_free(&plot);
    return 0;
}

static void add(const char *name, size_t runs, const struct weir_plot_point *point, size_t points)
{
    struct weir_curve *curve = weir_plot_curve(&plot, name, &err);
    assert_non_null(curve);
    curve->runs = runs;
    for (size_t i = 0; i < points; i++)
        assert_int_equal(weir_curve_add(curve, &point[i], &err), 0);
}

static char *written(void)
{
    struct memory m;
    memory_open(&m);
    assert_int_equal(weir_figure_data(m.file, &plot, &err), 0);
    return memory_text(&m);
}

static void a_curve_has_its_points_and_its_band(void **state)
{
    char *text;
    (void)state;
    add("one", 1, (struct weir_plot_point[]){ { .x = 1, .y = 20 }, { .x = 2, .y = 30 } }, 2);
    add("two", 2,
        (struct weir_plot_point[]){ { .x = 1, .y = 5, .low = 4, .high = 6 }, { .x = 2, .y = 7, .low = 7, .high = 8 } },
        2);
    add("three", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1 }, { .x = 3, .y = 2, .count = 9 } }, 2);
    add("four", 1, (struct weir_plot_point[]){ { .x = 5, .y = 1 } }, 1);
    add("five", 1, (struct weir_plot_point[]){ { .x = 5, .y = 1 }, { .x = 6, .y = 2 } }, 2);
    text = written();
    assert_int_equal(count(text, "\"x\": [5], \"y\": [1]}"), 1);
    assert_int_equal(count(text, "\"x\": [5, 6], \"y\": [1, 2]}"), 1);
    assert_int_equal(count(text, "<script type=\"application/json\" class=\"figure-data\">"), 1);
    assert_int_equal(count(text, "</script>"), 1); /* that of the title is escaped */
    assert_int_equal(count(text, "\"title\": \"a \\u003c/script> b\", \"kind\": \"lines\""), 1);
    assert_int_equal(count(text, "\"x\": [1, 2], \"y\": [20, 30]}"), 1);
    assert_int_equal(count(text, "\"y\": [5, 7], \"low\": [4, 7], \"high\": [6, 8]}"),
                     1); /* x is that of the curve before */
    assert_int_equal(count(text, "\"x\": [1, 3], \"y\": [1, 2], \"values\": [0, 9]}"), 1);
    assert_int_equal(count(text, "\"thinned\": false, \"left_out\": 0"), 1);
    assert_int_equal(count(text, "\"light\": \"#0072b2\""), 1); /* of place 0 */
    free(text);
}

static void points_in_doubt_are_named(void **state)
{
    char *text;
    (void)state;
    add("one", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1 }, { .x = 2, .y = 2, .in_doubt = true } }, 2);
    add("sound", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1 } }, 1);
    add("noted", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1, .in_doubt = true } }, 1);
    plot.curve[2].note = "in doubt"; /* says it of all */
    text = written();
    assert_int_equal(count(text, "\"doubt\": [0, 1]"), 1);
    assert_int_equal(count(text, "\"doubt\": "), 1);
    free(text);
}

/* On a logarithmic axis there is no 0, and points of too few values are in the table only. */
static void points_that_are_not_drawn_are_left_out(void **state)
{
    char *text;
    (void)state;
    plot.y.log = true;
    plot.min_count = 100;
    add("one", 1,
        (struct weir_plot_point[]){ { .x = 1, .y = 0, .count = 100 },
                                    { .x = 2, .y = 2, .count = 99 },
                                    { .x = 3, .y = 3, .count = 100 },
                                    { .x = 4, .y = 4, .count = 101 } },
        4);
    text = written();
    assert_int_equal(count(text, "\"x\": [3, 4], \"y\": [3, 4]"), 1);
    free(text);
}

/* Adds a distribution of `points` points: x from 0 on in even steps. */
static void add_distribution(const char *name, size_t points)
{
    struct weir_curve *curve = weir_plot_curve(&plot, name, &err);
    assert_non_null(curve);
    for (size_t i = 0; i < points; i++)
        assert_int_equal(
            weir_curve_add(curve, &(struct weir_plot_point){ .x = (double)i, .y = (double)i / (double)(points - 1) },
                           &err),
            0);
}

static void a_long_distribution_is_put_by_quantiles(void **state)
{
    char *text;
    (void)state;
    plot.kind = WEIR_PLOT_TAIL;
    plot.x.log = plot.y.log = true;
    add_distribution("long", 401);
    text = written();
    assert_int_equal(count(text, "\"thinned\": true"), 1);
    assert_int_equal(count(text, "\"x\": [0"), 0); /* a logarithmic axis */
    assert_non_null(strstr(text, "[12, 24, 36,")); /* shares of 0.03, 0.06, .. */
    assert_non_null(strstr(text, "[0.97, 0.94, 0.91,"));
    free(text);
    weir_plot_free(&plot);
    plot.curve = NULL;
    plot.curve_count = 0;
    add_distribution("short", 400);
    text = written();
    assert_int_equal(count(text, "\"thinned\": false"), 1);
    free(text);
}

static void the_first_sixteen_curves_are_there(void **state)
{
    char *text;
    (void)state;
    for (int i = 0; i < 16; i++)
        add("some", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1 } }, 1);
    text = written();
    assert_int_equal(count(text, "\"label\": \"some\""), 16);
    assert_int_equal(count(text, "\"left_out\": 0"), 1);
    free(text);
    add("more", 1, (struct weir_plot_point[]){ { .x = 1, .y = 1 } }, 1);
    text = written();
    assert_int_equal(count(text, "\"label\": \"more\""), 0);
    assert_int_equal(count(text, "\"left_out\": 1"), 1);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_curve_has_its_points_and_its_band, begin, end),
        cmocka_unit_test_setup_teardown(points_in_doubt_are_named, begin, end),
        cmocka_unit_test_setup_teardown(points_that_are_not_drawn_are_left_out, begin, end),
        cmocka_unit_test_setup_teardown(a_long_distribution_is_put_by_quantiles, begin, end),
        cmocka_unit_test_setup_teardown(the_first_sixteen_curves_are_there, begin, end),
    };
    return cmocka_run_group_tests_name("report/figure_data", tests, NULL, NULL);
}
