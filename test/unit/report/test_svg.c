/* test/unit/report/test_svg.c - gnuplot's SVG, made fit for the page. */
#include "test/unit/report/report_fixture.h"
#include "report/plot.h"

static const char drawing[] =
    "<?xml version=\"1.0\"?>\n<svg \n width=\"480\" height=\"330\"\n viewBox=\"0 0 480 "
    "330\"\n>\n<title>Gnuplot</title>\n"
    "<g id=\"gnuplot_canvas\">\n<rect x=\"0\" y=\"0\" width=\"480\" height=\"330\" fill=\"none\"/>\n<defs>\n"
    "\t<circle id='gpDot' r='0.5'/>\n</defs>\n"
    "<g fill=\"none\" color=\"white\" stroke=\"currentColor\" stroke-width=\"1.00\">\n</g>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\">\n"
    "\t<path stroke='rgb(  1,   0,   2)' class=\"gridline\"  d='M63.37,262.50 L448.49,262.50  '/></g>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\">\n"
    "\t<path stroke='rgb(  1,   0,   1)'  d='M63.37,262.50 L57.75,262.50  '/>\t<g "
    "transform=\"translate(47.25,267.38)\" "
    "stroke=\"none\" fill=\"rgb(1,0,3)\" font-family=\"sans-serif\" font-size=\"15.00\"  text-anchor=\"end\">\n"
    "\t\t<text>1 KB</text>\n\t</g>\n</g>\n"
    "\t<g id=\"gnuplot_plot_1\" ><title>$b0 using 1:2</title>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"1.00\">\n"
    "\t<g stroke='none' shape-rendering='crispEdges'>\n\t\t<polygon fill = 'rgb(  2,   0,   3)' fill-opacity = "
    "'0.150000' points = '68.25,285.00 258.37,22.51 448.49,285.00 '/>\n\t</g>\n</g>\n\t</g>\n"
    "\t<g id=\"gnuplot_plot_2\" ><title>$d0 using 1:2</title>\n"
    "<g fill=\"none\" color=\"black\" stroke=\"currentColor\" stroke-width=\"2.00\">\n"
    "\t<path stroke='rgb(  2,   0,   3)'  d='M1,2 L3.06,4\nL5.12,4 '/>\n"
    "\t<use xlink:href='#gpPt6' transform='translate(132.69,162.63) scale(3.09)' color='rgb(  2,   0,   8)'/>\n"
    "\t<use xlink:href='#gpPt4' transform='translate(1,2) scale(3.09)' color='rgb(  3,   1,   8)'/>\n"
    "\t<path fill='rgb(9,8,7)'/>\n\t</g>\n\t</g>\n</g>\n</svg>\n";

static void colours_are_variables_and_what_all_drawings_share_is_gone(void **state)
{
    struct memory m;
    (void)state;
    memory_open(&m);
    assert_true(weir_plot_svg(m.file, drawing, "A & B"));
    assert_string_equal(
        memory_text(&m),
        "<svg class=\"plot\" viewBox=\"0 0 480 330\" role=\"img\" aria-label=\"A &amp; B\">\n"
        "<path class=\"g\" d='M63.4 262.5h385.1'/>\n<path d='M63.4 262.5h-5.6'/>\n"
        "<text x=\"47.3\" y=\"267.4\" class=\"te\">1 KB</text>\n"
        "<g stroke=\"none\"><path fill='var(--c3)' class=\"b\" d='M68.3 285l190.1-262.5 190.1 262.5'/>\n</g>"
        "<g stroke-width=\"2.00\"><path stroke='var(--c3)' d='M1 2l2.1 2h2'/>\n"
        "<use href=\"#m6\" x=\"132.7\" y=\"162.6\" color='var(--c8)'/>\n"
        "<use href=\"#h4\" x=\"1\" y=\"2\" color='var(--c8a)'/>\n<path fill='rgb(9,8,7)'/>\n"
        "</g></svg>\n");
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
        cmocka_unit_test(colours_are_variables_and_what_all_drawings_share_is_gone),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests_name("report/svg", tests, NULL, NULL);
}
