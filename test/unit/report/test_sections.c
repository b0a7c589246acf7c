/* test/unit/report/test_sections.c - a figure of a section: what becomes of one that cannot be drawn, and of its files. */
#include "test/unit/report/report_fixture.h"
#include "report/sections.h"

static struct memory m;
static struct weir_plot plot;
static struct weir_page page;
static struct weir_err err;
static char names[128];

static int begin(void **state)
{
    struct weir_curve *curve;
    (void)state;
    memory_open(&m);
    page = (struct weir_page){ .out = m.file };
    plot = (struct weir_plot){ .title = "Queue",
                               .x = { .title = "Time", .unit = WEIR_UNIT_PS },
                               .y = { .title = "Queue", .unit = WEIR_UNIT_BYTES } };
    curve = weir_plot_curve(&plot, "one", &err);
    names[0] = '\0';
    return curve == NULL || weir_curve_add(curve, &(struct weir_plot_point){ .x = 1, .y = 2 }, &err) != 0 ||
           weir_curve_add(curve, &(struct weir_plot_point){ .x = 2, .y = 3 }, &err) != 0;
}

static int end(void **state)
{
    (void)state;
    free(memory_text(&m));
    return 0;
}

static int take(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *refused)
{
    (void)ctx, (void)bytes, (void)size, (void)refused;
    (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", name);
    return 0;
}

static int refuse(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *refused)
{
    (void)ctx, (void)bytes, (void)size;
    return weir_fail(refused, WEIR_E_FILE, NULL, NULL, "%s: no", name);
}

/* Its numbers alone, since there is no program that draws. */
static void a_figure_has_its_files_in_the_part_of_the_page(void **state)
{
    const struct weir_report_figures to = { .put = take };
    struct weir_export exports = { .to = &to };
    bool open = false;
    (void)state;
    page.exports = &exports;
    page.in_part = "first";
    page.in_run = "r 1";
    assert_int_equal(weir_grid_plot(&page, "Queues", &open, &plot, &err), 0);
    assert_string_equal(names, "first-r-1-queue.csv ");
    weir_export_free(&exports);
}

static void a_file_that_cannot_be_written_ends_the_page(void **state)
{
    const struct weir_report_figures to = { .put = refuse };
    struct weir_export exports = { .to = &to };
    bool open = false;
    (void)state;
    page.exports = &exports;
    assert_int_equal(weir_grid_plot(&page, "Queues", &open, &plot, &err), WEIR_E_FILE);
    weir_export_free(&exports);
}

/* No file is made of a drawing that failed, and its reason stays. */
static void a_drawing_that_fails_ends_the_page(void **state)
{
    const struct weir_report_figures to = { .put = take };
    struct weir_export exports = { .to = &to };
    bool open = false;
    int code;
    (void)state;
    page.exports = &exports;
    page.gnuplot = "/nowhere/gnuplot";
    code = weir_grid_plot(&page, "Queues", &open, &plot, &err);
    assert_int_not_equal(code, 0);
    assert_int_equal(err.code, code);
    assert_string_equal(names, "");
    weir_export_free(&exports);
}

/* A script stands in for gnuplot. A mark of the legend is hollow where all marks of its curve are. */
static void keys_of_curves_in_doubt_are_hollow(void **state)
{
    char gnuplot[64];
    bool open = false;
    int code;
    FILE *file;
    struct weir_curve *curve = weir_plot_curve(&plot, "two", &err);
    assert_int_equal(make_sample(state), 0);
    (void)snprintf(gnuplot, sizeof(gnuplot), "%s/gnuplot", dir);
    file = fopen(gnuplot, "w");
    assert_non_null(file);
    (void)fputs("#!/bin/sh\ncat >&2\necho '<svg viewBox=\"0 0 4 3\">'\necho '<g id=\"gnuplot_canvas\"></g></svg>'\n",
                file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(gnuplot, 0700), 0);
    assert_non_null(curve);
    assert_int_equal(weir_curve_add(curve, &(struct weir_plot_point){ .x = 1, .y = 2, .in_doubt = true }, &err), 0);
    plot.kind = WEIR_PLOT_MARKS;
    plot.curve[0].point[1].in_doubt = true; /* one of two */
    page.gnuplot = gnuplot;
    code = weir_grid_plot(&page, "Queues", &open, &plot, &err);
    assert_int_equal(unlink(gnuplot), 0);
    assert_int_equal(remove_sample(state), 0);
    assert_int_equal(code, 0);
    (void)fflush(m.file);
    assert_int_equal(count(m.text, "<use href=\"#m"), 1);
    assert_int_equal(count(m.text, "<use href=\"#h"), 1);
    assert_int_equal(count(m.text, "Hollow: "), 1); /* the caption says what that means */
}

static void a_signal_ends_the_page_before_its_figure(void **state)
{
    volatile int stop = 1;
    bool open = false;
    (void)state;
    page.stop = &stop;
    assert_int_equal(weir_grid_plot(&page, "Queues", &open, &plot, &err), WEIR_E_RUN);
    assert_false(open);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_figure_has_its_files_in_the_part_of_the_page),
        TEST(a_file_that_cannot_be_written_ends_the_page),
        TEST(a_drawing_that_fails_ends_the_page),
        TEST(keys_of_curves_in_doubt_are_hollow),
        TEST(a_signal_ends_the_page_before_its_figure),
    };
    return cmocka_run_group_tests_name("report/sections", tests, NULL, NULL);
}
