/* test/unit/report/test_export.c - figures as files: names, numbers, drawings that stand alone. */
#include "test/unit/report/report_fixture.h"
#include "report/export.h"
#include "report/style.h"

static struct weir_plot plot;
static struct weir_err err;
static char names[512], last[8192];

static int take(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *refused)
{
    (void)ctx, (void)refused;
    (void)snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s ", name);
    (void)snprintf(last, sizeof(last), "%.*s", (int)size, bytes);
    return 0;
}

static int refuse(void *ctx, const char *name, const char *bytes, size_t size, struct weir_err *refused)
{
    (void)ctx, (void)bytes, (void)size;
    return weir_fail(refused, WEIR_E_FILE, NULL, NULL, "%s: no", name);
}

static void add(const char *name, const struct weir_plot_point *p)
{
    struct weir_curve *c = plot.curve_count > 0 ? &plot.curve[plot.curve_count - 1] : NULL;
    if (c == NULL || strcmp(c->name, name) != 0)
        c = weir_plot_curve(&plot, name, &err);
    assert_non_null(c);
    assert_int_equal(weir_curve_add(c, p, &err), 0);
}

static int begin(void **state)
{
    (void)state;
    plot = (struct weir_plot){ .title = "Goodput & \"more\"",
                               .kind = WEIR_PLOT_MARKS,
                               .x = { .title = "Message size", .unit = WEIR_UNIT_BYTES },
                               .y = { .title = "Goodput per host", .unit = WEIR_UNIT_GBPS } };
    add("a \"b\", c", &(struct weir_plot_point){ .x = 1500, .lo = 1000, .hi = 2000, .y = 1.25, .count = 7 });
    add("d", &(struct weir_plot_point){ .x = 3000000, .y = 2, .low = 1, .high = 3 });
    plot.curve[1].runs = 5;
    names[0] = '\0';
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_plot_free(&plot);
    return 0;
}

static void numbers_are_whole_and_in_units_of_the_file(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    weir_export_csv(m.file, &plot);
    assert_string_equal(memory_text(&m),
                        "curve,runs,message_size_bytes,from,to,goodput_per_host_gbps,least,greatest,values\n"
                        "\"a \"\"b\"\", c\",1,1500,1000,2000,1.25,,,7\n"
                        "\"d\",5,3000000,,,2,1,3,\n");
    free(m.text);
}

static void names_are_plain_and_no_two_are_equal(void **state)
{
    const struct weir_report_figures to = { .put = take };
    const struct weir_export_figure numbers = weir_export_of_plot(&plot, NULL);
    struct weir_export exports = { .to = &to };
    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(weir_export_files(
                             &exports, &numbers,
                             (const char *const[WEIR_EXPORT_PARTS]){ "s\xc3\xb6ze, ../fig 9", NULL, "x/y", plot.title },
                             &err),
                         0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(weir_export_files(&exports, &numbers, (const char *const[WEIR_EXPORT_PARTS]){ "../.." }, &err),
                         0);
    assert_string_equal(names, "s-ze-fig-9-x-y-goodput-more.csv s-ze-fig-9-x-y-goodput-more-2.csv figure.csv "
                               "figure-2.csv ");
    assert_int_equal(strncmp(last, "curve,runs,", 11), 0);
    weir_export_free(&exports);
}

static void who_takes_none_is_asked_for_no_more(void **state)
{
    const struct weir_report_figures to = { .put = refuse };
    const struct weir_export_figure numbers = weir_export_of_plot(&plot, NULL);
    struct weir_export exports = { .to = &to };
    (void)state;
    assert_int_equal(weir_export_files(&exports, &numbers, (const char *const[WEIR_EXPORT_PARTS]){ "x" }, &err),
                     WEIR_E_FILE);
    assert_string_equal(err.text, "x.csv: no");
    weir_export_free(&exports);
}

static void a_drawing_that_stands_alone_has_no_variables(void **state)
{
    char gnuplot[64];
    struct memory m;
    FILE *file;
    int code;
    assert_int_equal(make_sample(state), 0);
    (void)snprintf(gnuplot, sizeof(gnuplot), "%s/gnuplot", dir);
    file = fopen(gnuplot, "w");
    assert_non_null(file);
    (void)fputs("#!/bin/sh\ncat >&2\necho '<svg viewBox=\"0 0 4 3\">'\necho '<g id=\"gnuplot_canvas\">'\n"
                "echo \"<path stroke='rgb(  2,   0,   1)'  d='M1,2 L3,4'/></g></svg>\"\n",
                file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(gnuplot, 0700), 0);
    plot.curve[1].point[0].in_doubt = true;
    const struct weir_export_figure drawn = weir_export_of_plot(&plot, gnuplot);
    memory_open(&m);
    code = weir_export_svg(m.file, &drawn, &err);
    assert_int_equal(unlink(gnuplot), 0);
    assert_int_equal(remove_sample(state), 0);
    assert_int_equal(code, 0);
    assert_int_equal(count(memory_text(&m), "var("), 0);
    assert_int_equal(strncmp(m.text, "<svg xmlns=", 11), 0);
    /* 30 for the title, 330 for the drawing, 21 for each of two keys, and half of that below */
    assert_int_equal(count(m.text, " viewBox=\"0 0 480 412\">"), 1);
    assert_int_equal(count(m.text, "<path stroke='#0072b2' d='M1 2l2 2'/>"), 1);
    assert_int_equal(count(m.text, "font-weight=\"600\">Goodput &amp; &quot;more&quot;</text>"), 1);
    assert_int_equal(count(m.text, ">a &quot;b&quot;, c</text>"), 1); /* the legend */
    assert_int_equal(count(m.text, "<use href=\"#m"), 1);
    assert_int_equal(count(m.text, "<use href=\"#h"), 1); /* all marks of d are hollow */
    free(m.text);
}

static void make_program(char *path, size_t size, const char *name, const char *does)
{
    FILE *file;
    (void)snprintf(path, size, "%s/%s", dir, name);
    file = fopen(path, "w");
    assert_non_null(file);
    (void)fprintf(file, "#!/bin/sh\n%s\n", does);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static struct weir_dot dot = { .label = "a", .mean = 3, .half_width = 1, .style = { .hue = 1 } };
static const struct weir_dots dots = { .title = "D", .caption = "", .dot = &dot, .count = 1 };

/* 3.3 in are 237.6 pt; letters of 8 pt are 15 units, so that the drawing is 445.5 units wide. */
static void a_drawing_of_a_given_width_has_letters_of_a_given_size(void **state)
{
    const struct weir_report_figures to = { .put = take, .formats = WEIR_FIGURE_SVG, .width_pt = 237.6 },
                                     large = { .put = take,
                                               .formats = WEIR_FIGURE_SVG,
                                               .width_pt = 237.6,
                                               .font = "Times",
                                               .font_pt = 16 },
                                     plain = { .put = take, .formats = WEIR_FIGURE_SVG };
    struct weir_report_figures large_dark;
    const struct weir_export_figure figure = weir_export_of_dots(&dots);
    const char *const part[WEIR_EXPORT_PARTS] = { "d" };
    struct weir_export exports = { .to = &to };
    (void)state;
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), 0);
    assert_string_equal(names, "d.svg ");
    assert_int_equal(count(last, " width=\"237.6pt\" height="), 1);
    assert_int_equal(count(last, " viewBox=\"0 0 446 "), 2);
    assert_int_equal(count(last, "font-family:sans-serif"), 1);
    exports.to = &large;
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), 0);
    assert_int_equal(count(last, " width=\"237.6pt\" height="), 1);
    assert_int_equal(count(last, " viewBox=\"0 0 223 "), 2);
    assert_int_equal(count(last, "font-family:'Times',sans-serif"), 1);
    large_dark = large;
    large_dark.formats = WEIR_FIGURE_DARK;
    exports.to = &large_dark;
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), 0);
    assert_string_equal(names, "d.svg d-2.svg d-3-dark.svg ");
    assert_int_equal(count(last, "fill=\"#14181c\"/>"), 1);
    assert_int_equal(count(last, "<g color=\"#56b4e9\">"), 1);
    exports.to = &plain;
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), 0);
    assert_int_equal(count(last, "xlink\" width=\"480\" height="), 1);
    weir_export_free(&exports);
}

static void pdf_and_png_are_made_of_the_drawing(void **state)
{
    char program[64];
    struct weir_report_figures to = { .put = take,
                                      .formats = WEIR_FIGURE_PDF | WEIR_FIGURE_PNG | WEIR_FIGURE_CSV,
                                      .convert = program };
    const struct weir_export_figure figure = weir_export_of_dots(&dots);
    const char *const part[WEIR_EXPORT_PARTS] = { "d" };
    struct weir_export exports = { .to = &to };
    assert_int_equal(make_sample(state), 0);
    make_program(program, sizeof(program), "convert", "echo \"$*\"; head -c 70");
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), 0);
    assert_string_equal(names, "d.csv d.pdf d.png ");
    assert_int_equal(count(last, "--format png --dpi-x 300 --dpi-y 300\n<svg xmlns="), 1);
    assert_int_equal(unlink(program), 0);
    assert_int_equal(weir_export_files(&exports, &figure, part, &err), WEIR_E_UNKNOWN);
    assert_int_equal(count(err.text, "--format pdf: there is no program "), 1);
    weir_export_free(&exports);
    assert_int_equal(remove_sample(state), 0);
}

static void only_what_is_a_variable_is_replaced(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    weir_style_plain(m.file, "x var(--c1) var(x) var(--nothing)y var(--ground", false);
    assert_string_equal(memory_text(&m), "x #0072b2 var(x) y #fff");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_whole_and_in_units_of_the_file, begin, end),
        cmocka_unit_test_setup_teardown(names_are_plain_and_no_two_are_equal, begin, end),
        cmocka_unit_test_setup_teardown(who_takes_none_is_asked_for_no_more, begin, end),
        cmocka_unit_test_setup_teardown(a_drawing_that_stands_alone_has_no_variables, begin, end),
        cmocka_unit_test_setup_teardown(a_drawing_of_a_given_width_has_letters_of_a_given_size, begin, end),
        cmocka_unit_test_setup_teardown(pdf_and_png_are_made_of_the_drawing, begin, end),
        cmocka_unit_test(only_what_is_a_variable_is_replaced),
    };
    return cmocka_run_group_tests_name("report/export", tests, NULL, NULL);
}
