/* test/unit/report/test_plot.c - curves, what of them is drawn, and quantiles. */
#include "test/unit/weir_test.h"
#include "report/plot.h"
#include <math.h>

static struct weir_plot plot;
static struct weir_err err;

static void add(size_t curve, double x, double y, double count)
{
    while (plot.curve_count <= curve)
        assert_non_null(weir_plot_curve(&plot, "c", &err));
    assert_int_equal(
        weir_curve_add(&plot.curve[curve], &(struct weir_plot_point){ .x = x, .y = y, .count = count }, &err), 0);
}

static int begin(void **state)
{
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_LINES };
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_plot_free(&plot);
    return 0;
}

static void a_quantile_lies_between_points_in_proportion(void **state)
{
    (void)state;
    add(0, 2, 0, 0);
    add(0, 4, 0.5, 0);
    add(0, 10, 1, 0);
    assert_true(weir_curve_quantile(plot.curve, 0.25) == 3);
    assert_true(weir_curve_quantile(plot.curve, 0.5) == 4);
    assert_true(weir_curve_quantile(plot.curve, 0.75) == 7);
    assert_true(weir_curve_quantile(plot.curve, 1) == 10);
    add(1, 1, 1, 0); /* all in the bucket from 0 */
    assert_true(weir_curve_quantile(&plot.curve[1], 0.5) == 0.5);
    assert_true(isnan(weir_curve_quantile(&(struct weir_curve){ 0 }, 0.5)));
}

static void what_a_logarithm_cannot_show_is_not_drawn(void **state)
{
    double x[2], y[2], at;
    (void)state;
    plot.y.log = true;
    plot.min_count = 100;
    add(0, 1, 0, 100);
    add(0, 2, 5, 99);
    add(0, 3, (double)NAN, 100);
    assert_false(weir_plot_range(&plot, x, y));
    add(0, 4, 7, 100);
    add(0, 5, 3, 0); /* of how many is not said */
    assert_true(weir_plot_range(&plot, x, y));
    assert_true(x[0] == 4 && x[1] == 5 && y[0] == 3 && y[1] == 7);
    plot.kind = WEIR_PLOT_TAIL;
    assert_true(weir_plot_drawn(&plot, &(struct weir_plot_point){ .x = 1, .y = 0.75 }, &at) && at == 0.25);
    assert_false(weir_plot_drawn(&plot, &(struct weir_plot_point){ .x = 1, .y = 1 }, &at));
}

static void one_point_is_a_mark_but_no_line(void **state)
{
    (void)state;
    assert_false(weir_plot_visible(&plot));
    add(0, 1, 1, 0);
    add(1, 2, 1, 0);
    assert_false(weir_plot_visible(&plot)); /* no curve has a line */
    assert_int_equal(weir_plot_points(&plot), 2);
    add(1, 3, 1, 0);
    assert_true(weir_plot_visible(&plot));
    plot.kind = WEIR_PLOT_MARKS;
    plot.curve_count = 1;
    assert_true(weir_plot_visible(&plot));
    plot.curve[0].point[0].x = -1; /* not on a logarithmic axis */
    plot.x.log = true;
    assert_false(weir_plot_visible(&plot));
    plot.curve_count = 2;
}

static void curves_beyond_the_last_drawn_do_not_count(void **state)
{
    double x[2], y[2];
    (void)state;
    for (size_t i = 0; i <= WEIR_PLOT_CURVES_MAX; i++) {
        add(i, 1, (double)i, 0);
        add(i, 2, (double)i, 0);
    }
    assert_true(weir_plot_range(&plot, x, y));
    assert_true(y[1] == 7);
}

static void a_curve_without_points_is_dropped(void **state)
{
    (void)state;
    add(2, 5, 6, 0); /* curves 0 and 1 are empty */
    assert_non_null(weir_plot_curve(&plot, "last", &err));
    weir_plot_drop_empty(&plot);
    assert_int_equal(plot.curve_count, 1);
    assert_true(plot.curve[0].point[0].x == 5);
    assert_int_equal(plot.curve[0].position, 2); /* as in the other figures of these runs */
    assert_true(plot.dropped);
}

static void places_are_given_anew_where_there_are_not_enough(void **state)
{
    (void)state;
    add(1, 1, 1, 0);
    add(9, 2, 2, 0);
    weir_plot_drop_empty(&plot);
    assert_int_equal(plot.curve_count, 2);
    assert_int_equal(plot.curve[0].position, 0);
    assert_int_equal(plot.curve[1].position, 1);
}

static void style_all(void)
{
    for (size_t i = 0; i < plot.curve_count; i++)
        plot.curve[i].style = weir_line_style_at(i);
}

/* Nine curves of laws are three drawings of three; their axes are those of all. */
static void more_than_eight_curves_of_laws_are_several_drawings(void **state)
{
    struct weir_plot part;
    size_t drawn = 0;
    (void)state;
    for (size_t i = 0; i < 9; i++) {
        add(i, 1, (double)i, 0);
        add(i, 2 + (double)i, 20, 0);
    }
    assert_true(weir_plot_part(&plot, 0, &part)); /* curves by position are not divided: 8 of them are drawn */
    assert_false(weir_plot_part(&plot, 1, &part));
    assert_int_equal(weir_plot_curves_drawn(&plot), 8);
    style_all();
    assert_int_equal(weir_plot_curves_drawn(&plot), 9);
    for (size_t i = 0; weir_plot_part(&plot, i, &part); i++) {
        assert_int_equal(part.curve_count, 3);
        assert_true(part.curve == &plot.curve[drawn]);
        assert_true(part.x_range[0] == 1 && part.x_range[1] == 10 && part.y_range[0] == 0 && part.y_range[1] == 20);
        drawn += part.curve_count;
    }
    assert_int_equal(drawn, 9);
    plot.curve_count = 8;
    assert_true(weir_plot_part(&plot, 0, &part));
    assert_int_equal(part.curve_count, 8);
    assert_false(weir_plot_part(&plot, 1, &part));
    plot.curve_count = 9;
}

static void sixteen_curves_are_the_most(void **state)
{
    struct weir_plot part;
    size_t drawn = 0, parts = 0;
    (void)state;
    for (size_t i = 0; i < 17; i++)
        add(i, 1, 1, 0);
    style_all();
    for (; weir_plot_part(&plot, parts, &part); parts++)
        drawn += part.curve_count;
    assert_int_equal(parts, 4);
    assert_int_equal(drawn, 16);
    assert_int_equal(weir_plot_curves_drawn(&plot), 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_quantile_lies_between_points_in_proportion, begin, end),
        cmocka_unit_test_setup_teardown(what_a_logarithm_cannot_show_is_not_drawn, begin, end),
        cmocka_unit_test_setup_teardown(one_point_is_a_mark_but_no_line, begin, end),
        cmocka_unit_test_setup_teardown(curves_beyond_the_last_drawn_do_not_count, begin, end),
        cmocka_unit_test_setup_teardown(a_curve_without_points_is_dropped, begin, end),
        cmocka_unit_test_setup_teardown(places_are_given_anew_where_there_are_not_enough, begin, end),
        cmocka_unit_test_setup_teardown(more_than_eight_curves_of_laws_are_several_drawings, begin, end),
        cmocka_unit_test_setup_teardown(sixteen_curves_are_the_most, begin, end),
    };
    return cmocka_run_group_tests_name("report/plot", tests, NULL, NULL);
}
