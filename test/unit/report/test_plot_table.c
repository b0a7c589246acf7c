/* test/unit/report/test_plot_table.c - the numbers of a figure, to the letter. */
#include "test/unit/report/report_fixture.h"
#include "report/plot.h"

static struct weir_plot plot;
static struct weir_err err;

static void add(const char *name, const struct weir_plot_point *p)
{
    struct weir_curve *c = plot.curve_count > 0 ? &plot.curve[plot.curve_count - 1] : NULL;
    if (c == NULL || strcmp(c->name, name) != 0)
        c = weir_plot_curve(&plot, name, &err);
    assert_non_null(c);
    assert_int_equal(weir_curve_add(c, p, &err), 0);
}

static void gives(const char *want)
{
    struct memory m;
    memory_open(&m);
    assert_int_equal(weir_plot_table(m.file, &plot, 100, &err), 0);
    assert_string_equal(memory_text(&m), want);
    free(m.text);
    weir_plot_free(&plot);
}

static void curves_over_the_same_x_stand_side_by_side(void **state)
{
    (void)state;
    plot = (struct weir_plot){ .x = { .title = "Size", .unit = WEIR_UNIT_BYTES }, .y = { .title = "Slowdown" } };
    add("<a>", &(struct weir_plot_point){ .x = 150, .lo = 100, .hi = 178, .y = 1.5, .count = 7 });
    add("<a>", &(struct weir_plot_point){ .x = 2e10, .lo = 1e10, .hi = 9e18, .y = 2, .count = 1 });
    add("b", &(struct weir_plot_point){ .x = 150, .lo = 100, .hi = 178, .y = 2.5, .count = 8 });
    gives("<div class=\"scroll\"><table>\n<thead><tr><th rowspan=\"2\">Size</th><th colspan=\"2\">&lt;a&gt;</th>"
          "<th colspan=\"2\">b</th></tr>\n<tr><th>Slowdown</th><th>messages</th><th>Slowdown</th><th>messages</th></tr>"
          "</thead>\n<tbody>\n<tr><th>100 B to 178 B</th><td>1.500</td><td>7</td><td>2.500</td><td>8</td></tr>\n"
          "<tr><th>10 GB or more</th><td>2</td><td>1</td><td></td><td></td></tr>\n</tbody></table></div>\n");
}

static void curves_each_with_their_own_x_stand_below_one_another(void **state)
{
    (void)state;
    plot = (struct weir_plot){ .x = { .title = "Load", .unit = WEIR_UNIT_GBPS }, .y = { .title = "p99" } };
    add("a", &(struct weir_plot_point){ .x = 25.5, .y = 3 });
    add("b", &(struct weir_plot_point){ .x = 25.25, .y = 4 });
    gives("<div class=\"scroll\"><table>\n<thead><tr><th></th><th>Load</th><th>p99</th></tr></thead>\n<tbody>\n"
          "<tr><th>a</th><td>25.50 Gbps</td><td>3</td></tr>\n<tr><th>b</th><td>25.25 Gbps</td><td>4</td></tr>\n"
          "</tbody></table></div>\n");
}

static void a_distribution_shows_quantiles(void **state)
{
    struct memory m;
    (void)state;
    plot = (struct weir_plot){ .kind = WEIR_PLOT_CDF, .x = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    add("a", &(struct weir_plot_point){ .x = 1000, .y = 1 });
    memory_open(&m);
    assert_int_equal(weir_plot_table(m.file, &plot, 100, &err), 0);
    assert_non_null(strstr(memory_text(&m), "<tr><th>99 %</th><td>990 B</td></tr>\n"));
    free(m.text);
    weir_plot_free(&plot);
}

static void too_many_numbers_are_elsewhere(void **state)
{
    struct memory m;
    (void)state;
    plot = (struct weir_plot){ .x = { .title = "Size", .unit = WEIR_UNIT_BYTES }, .y = { .title = "Slowdown" } };
    for (int i = 1; i <= 4; i++) {
        add("a", &(struct weir_plot_point){ .x = i, .y = 1 });
    }
    memory_open(&m);
    assert_int_equal(weir_plot_table(m.file, &plot, 3, &err), 0);
    assert_int_equal(count(memory_text(&m), "<table>"), 0);
    assert_int_equal(
        count(m.text, "4 numbers, too many for the page: <span class=\"code\">weir report FILE --figures DIR"), 1);
    free(m.text);
    memory_open(&m);
    assert_int_equal(weir_plot_table(m.file, &plot, 4, &err), 0);
    assert_int_equal(count(memory_text(&m), "<table>"), 1);
    free(m.text);
    weir_plot_free(&plot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_over_the_same_x_stand_side_by_side),
        cmocka_unit_test(curves_each_with_their_own_x_stand_below_one_another),
        cmocka_unit_test(a_distribution_shows_quantiles),
        cmocka_unit_test(too_many_numbers_are_elsewhere),
    };
    return cmocka_run_group_tests_name("report/plot_table", tests, NULL, NULL);
}
