/* test/unit/report/test_script.c - what gnuplot is told: axes, data, and nothing of the result file but numbers. */
#include "test/unit/report/report_fixture.h"
#include "report/plot.h"

static struct weir_plot plot;
static struct weir_err err;

static void add(size_t curve, double x, double y)
{
    while (plot.curve_count <= curve)
        assert_non_null(weir_plot_curve(&plot, "system('rm')", &err));
    assert_int_equal(weir_curve_add(&plot.curve[curve], &(struct weir_plot_point){ .x = x, .y = y }, &err), 0);
}

static char *script(void)
{
    struct memory m;
    memory_open(&m);
    weir_plot_script(m.file, &plot);
    weir_plot_free(&plot);
    return memory_text(&m);
}

static void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("no '%s' in: %s", part, text);
}

static void a_logarithmic_axis_has_a_label_for_each_decade(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_MARKS,
                               .x = { .title = "Size", .unit = WEIR_UNIT_BYTES, .log = true },
                               .y = { .title = "Share", .unit = WEIR_UNIT_SHARE, .log = true } };
    add(0, 150, 0.0002);
    add(0, 7000000, 0.9);
    text = script();
    has(text, "set logscale x\nset xrange [100:10000000]");
    has(text, "set xtics (\"100 B\" 100 0, \"\" 200 1");
    has(text, "\"\" 9000000 1, \"10 MB\" 10000000 0)");
    has(text, "\"1 KB\" 1000 0, \"\" 2000 1");
    has(text, "\"0.1 %%\" 0.001 0");
    has(text, "$d0 << EOD\n150 0.0002\n7000000 0.9\nEOD\n");
    assert_null(strstr(text, "system"));
    free(text);
}

static void a_narrow_one_has_equal_steps(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_LINES,
                               .x = { .title = "Time", .unit = WEIR_UNIT_PS },
                               .y = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true } };
    add(0, 1e9, 1.02);
    add(0, 2e9, 1.36);
    text = script();
    has(text, "set ytics (\"1\" 1 0, \"1.1\" 1.1 0, \"1.2\" 1.2 0, \"1.3\" 1.3 0, \"1.4\" 1.4 0)");
    has(text, "set yrange [1:1.4]");
    has(text, "set xlabel \"Time (ms)\"");
    has(text, "1 1.02\n2 1.36\n"); /* in the unit of the axis */
    free(text);
}

/* Without a limit there is room below the least value; a slowdown below 1 there is not. */
static void an_axis_does_not_begin_below_what_can_be(void **state)
{
    static const struct {
        double least, from;
        const char *range;
    } cases[] = { { 0, 1, "set yrange [0.869565217:3.5]" },
                  { 1, 1, "set yrange [1:3.5]" },
                  { 1, 0.99, "set yrange [0.5:3.5]" } /* such a value is on the axis all the same */ };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char *text;
        plot = (struct weir_plot){
            .kind = WEIR_PLOT_LINES,
            .x = { .title = "Time", .unit = WEIR_UNIT_PS },
            .y = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true, .least = cases[i].least }
        };
        add(0, 1e9, cases[i].from);
        add(0, 2e9, 3.2);
        text = script();
        has(text, cases[i].range);
        free(text);
    }
}

static void a_bucket_just_below_one_opens_no_decade(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_CDF,
                               .x = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true },
                               .y = { .title = "Share", .unit = WEIR_UNIT_SHARE } };
    add(0, 0.999, 0);
    add(0, 40, 1);
    text = script();
    has(text, "set xrange [1:50]");
    has(text, "set yrange [0:100]\nset format y '%g %%'");
    free(text);
}

static void the_warm_up_is_shaded_and_eight_curves_are_drawn(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_LINES,
                               .shade_to = 2.5e9,
                               .x = { .title = "Time", .unit = WEIR_UNIT_PS },
                               .y = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    for (size_t i = 0; i < 9; i++) {
        add(i, 1e9, 1000);
        add(i, 9e9, 2000);
    }
    text = script();
    has(text, "to first 2.5, graph 1");
    has(text, "$d7 using 1:2");
    assert_null(strstr(text, "$d8"));
    free(text);
}

/* A polygon: along the least and back along the greatest. Where a logarithm has no least it begins at the curve. */
static void a_band_lies_around_its_curve(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_MARKS,
                               .y = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true } };
    add(0, 1, 10);
    add(0, 2, 20);
    plot.curve[0].point[0].low = 8, plot.curve[0].point[0].high = 12;
    plot.curve[0].point[1].low = 0, plot.curve[0].point[1].high = 90;
    text = script();
    has(text, "$b0 << EOD\n1 8\n2 20\n2 90\n1 12\nEOD\n");
    has(text, "plot $b0 using 1:2 with filledcurves closed fc rgb '#020001' fs transparent solid 0.15 noborder, $d0");
    has(text, "set yrange [5:100]"); /* the band is inside */
    free(text);
    plot = (struct weir_plot){ .kind = WEIR_PLOT_TAIL,
                               .x = { .title = "Slowdown" },
                               .y = { .title = "Share", .unit = WEIR_UNIT_RATIO } };
    for (size_t i = 0; i < 4; i++) {
        add(i, 3, 0.25);
        add(i, 5, 0.75);
        plot.curve[i].point[0].low = 2, plot.curve[i].point[0].high = 4;
    }
    text = script();
    has(text, "$b0 << EOD\n2 0.75\n5 0.25\n5 0.25\n4 0.75\nEOD\n"); /* of x; of a tail the share above */
    has(text, "$b3 using 1:2 with filledcurves closed fc rgb '#020004' fs transparent solid 0.08 noborder, $d0");
    free(text);
}

static void an_axis_says_where_it_begins_unless_at_0(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_MARKS,
                               .x = { .title = "Load", .unit = WEIR_UNIT_GBPS },
                               .y = { .title = "Slowdown", .unit = WEIR_UNIT_RATIO, .log = true } };
    add(0, 25, 2.1);
    add(0, 75, 90);
    text = script();
    has(text, "set xlabel \"Load (Gbps, from 22.3)\"");
    has(text, "set label 1 \"Slowdown (log from 2)\"");
    free(text);
    plot = (struct weir_plot){ .kind = WEIR_PLOT_MARKS,
                               .x = { .title = "Size", .unit = WEIR_UNIT_BYTES, .log = true },
                               .y = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    add(0, 2000, 1000);
    add(0, 900000, 3000);
    text = script();
    has(text, "set xlabel \"Size (log from 2 KB)\"");
    has(text, "set label 1 \"Queue (KB)\"");
    free(text);
}

static void a_run_that_is_not_done_is_thin_and_its_end_is_marked(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_LINES,
                               .x = { .title = "Time", .unit = WEIR_UNIT_PS },
                               .y = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    add(0, 1000, 1);
    add(0, 2000, 3);
    add(1, 1000, 1);
    add(1, 4000, 2);
    add(2, 1000, 1);
    add(2, 4000, 2);
    plot.curve[0].undone = true;
    plot.curve[1].note = "unstable";
    text = script();
    has(text, "set label 2 \"\" at 2, 3 point pt 2 ps 1 lw 2 lc rgb '#010005' front\n");
    assert_int_equal(count(text, "point pt 2"), 1);
    assert_int_equal(count(text, " lw 1 lc rgb '#02"), 1);
    assert_int_equal(count(text, " lw 1 lc rgb '#03"), 1); /* with a note: hollow marks */
    assert_int_equal(count(text, " lw 2 lc rgb '#02"), 1);
    free(text);
}

/* Over load a curve has sets in doubt and others: only the marks of those are hollow. */
static void marks_of_sets_in_doubt_are_hollow(void **state)
{
    char *text;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_MARKS,
                               .x = { .title = "Load", .unit = WEIR_UNIT_GBPS },
                               .y = { .title = "Goodput", .unit = WEIR_UNIT_GBPS } };
    for (size_t i = 0; i < 3; i++)
        for (int load = 1; load <= 3; load++)
            add(i, 10 * load, load);
    plot.curve[0].point[2].in_doubt = true;
    for (size_t k = 0; k < 3; k++)
        plot.curve[1].point[k].in_doubt = true;
    assert_int_equal(weir_curve_hollow(&plot, &plot.curve[0]), 1);
    assert_int_equal(weir_curve_hollow(&plot, &plot.curve[1]), 3);
    assert_int_equal(weir_curve_hollow(&plot, &plot.curve[2]), 0);
    assert_false(weir_curve_is_hollow(&plot, &plot.curve[0]));
    assert_true(weir_curve_is_hollow(&plot, &plot.curve[1]));
    assert_false(weir_curve_is_hollow(&plot, &plot.curve[2]));
    text = script();
    has(text, "$d0 << EOD\n10 1 0\n20 2 0\n30 3 1\nEOD\n");
    has(text, "$d1 << EOD\n10 1\n20 2\n30 3\nEOD\n");
    has(text, "$d0 using 1:2 with lines lw 2 lc rgb '#020001' dt solid, "
              "$d0 using 1:($3==0?$2:1/0) with points pt 7 ps 0.7 lc rgb '#020001', "
              "$d0 using 1:($3==1?$2:1/0) with points pt 7 ps 0.7 lc rgb '#030001', $d1");
    has(text, "$d1 using 1:2 with linespoints pt 5 ps 0.7 lw 2 lc rgb '#030002'");
    has(text, "$d2 using 1:2 with linespoints pt 9 ps 0.7 lw 2 lc rgb '#020003'");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_logarithmic_axis_has_a_label_for_each_decade),
        cmocka_unit_test(a_narrow_one_has_equal_steps),
        cmocka_unit_test(an_axis_does_not_begin_below_what_can_be),
        cmocka_unit_test(a_bucket_just_below_one_opens_no_decade),
        cmocka_unit_test(a_band_lies_around_its_curve),
        cmocka_unit_test(the_warm_up_is_shaded_and_eight_curves_are_drawn),
        cmocka_unit_test(an_axis_says_where_it_begins_unless_at_0),
        cmocka_unit_test(marks_of_sets_in_doubt_are_hollow),
        cmocka_unit_test(a_run_that_is_not_done_is_thin_and_its_end_is_marked),
    };
    return cmocka_run_group_tests_name("report/script", tests, NULL, NULL);
}
