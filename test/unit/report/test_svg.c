/* test/unit/report/test_svg.c - gnuplot's SVG, made fit for the page. */
#include "test/unit/report/report_fixture.h"
#include "report/plot.h"

static const char drawing[] =
    "<?xml version=\"1.0\"?>\n<svg \n width=\"480\" height=\"330\"\n viewBox=\"0 0 480 "
    "330\"\n>\n<title>Gnuplot</title>\n"
    "<g id=\"gnuplot_canvas\">\n<rect x=\"0\" y=\"0\" width=\"480\" height=\"330\" fill=\"none\"/>\n<defs>\n"
    "\t<circle id='gpDot' r='0.5'/>\n</defs>\n"
    "<g fill=\"none\" color=\"white\" stroke=\"currentColor\" stroke-width=\"1.00\">\n</g>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"2.00\">\n"
    "\t<path stroke='rgb(  2,   0,   3)' class=\"gridline\"  d='M1,2 L3,4'/></g>\n"
    "\t<g id=\"gnuplot_plot_1\" ><title>$d0 using 1:2</title>\n"
    "\t<use xlink:href='#gpPt6' transform='scale(3)' color='rgb(  2,   0,   8)'/>\n"
    "\t<g fill=\"rgb(1,0,3)\" font-family=\"Arial\" font-size=\"15.00\">\n"
    "\t<text>1 KB</text>\n\t<path fill='rgb(9,8,7)'/>\n\t</g>\n\t</g>\n</g>\n</svg>\n";

static void colours_are_variables_and_names_are_gone(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    assert_true(weir_plot_svg(m.file, drawing, "A & B"));
    assert_string_equal(memory_text(&m),
                        "<svg class=\"plot\" viewBox=\"0 0 480 330\" role=\"img\" aria-label=\"A &amp; B\">\n<g>\n"
                        "<g stroke-width=\"2.00\"><path stroke='var(--c3)'  d='M1,2 L3,4'/></g>\n<g>\n"
                        "<use href=\"#m6\" transform='scale(3)' color='var(--c8)'/>\n"
                        "<g fill=\"var(--a3)\" font-size=\"15.00\">\n<text>1 KB</text>\n<path fill='rgb(9,8,7)'/>\n"
                        "</g>\n</g>\n</g>\n</svg>\n");
    free(m.text);
}

static void anything_else_is_refused(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    assert_false(weir_plot_svg(m.file, "", "x"));
    assert_false(weir_plot_svg(m.file, "<svg viewBox=\"0 0 1 1\"></svg>", "x"));
    assert_false(weir_plot_svg(m.file, "<svg viewBox=\"0 0 1 1\"><g id=\"gnuplot_canvas\">", "x")); /* cut short */
    assert_string_equal(memory_text(&m), "");
    free(m.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_variables_and_names_are_gone),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests_name("report/svg", tests, NULL, NULL);
}
