/* src/report/figure.c - a figure in the page: title, drawing, legend, caption, and its numbers behind a click. */
#include "report/html.h"
#include "report/plot.h"
#include "report/process.h"
#include <string.h>
#include <stdlib.h>

/* Runs gnuplot. -d: without the user's settings. @return its stdout, NULL with err */
static char *draw(const char *gnuplot, const char *script, struct weir_err *err)
{
    const char *const argv[] = { gnuplot, "-d", "-", NULL };
    char *svg;
    return weir_process_run(argv, script, &svg, err) == 0 ? svg : NULL;
}

int weir_plot_probe(const char *gnuplot, struct weir_err *err)
{
    char *svg = draw(gnuplot, "set terminal svg size 480,330\nplot [0:1] x\n", err);
    bool fit = svg != NULL && strstr(svg, "gnuplot_canvas") != NULL;
    if (svg != NULL && !fit)
        (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s does not write SVG as gnuplot does", gnuplot);
    free(svg);
    return fit ? 0 : (int)err->code;
}

static int write_drawing(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err)
{
    char *script = NULL, *svg = NULL;
    size_t size;
    FILE *memory = open_memstream(&script, &size);
    bool whole, fit;
    if (memory == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a figure");
    weir_plot_script(memory, plot);
    whole = ferror(memory) == 0;
    whole = fclose(memory) == 0 && whole;
    if (whole)
        svg = draw(gnuplot, script, err);
    else
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a figure");
    free(script);
    if (svg == NULL)
        return (int)err->code;
    fit = weir_plot_svg(out, svg, plot->title);
    free(svg);
    return fit ? 0 : weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s does not write SVG as gnuplot does", gnuplot);
}

static void write_key(FILE *out, size_t i)
{
    const char *dashes = weir_plot_dash(i);
    (void)fprintf(out,
                  "<li><svg class=\"key\" viewBox=\"0 0 40 12\" aria-hidden=\"true\"><path d=\"M0 6H40\" "
                  "stroke=\"var(--c%zu)\" stroke-width=\"2\"%s%s%s/><use href=\"#m%d\" "
                  "transform=\"translate(20,6) scale(3.9)\" color=\"var(--c%zu)\"/></svg> ",
                  i + 1, dashes[0] != '\0' ? " stroke-dasharray=\"" : "", dashes, dashes[0] != '\0' ? "\"" : "",
                  weir_plot_mark(i) - 1, i + 1);
}

static void write_legend(FILE *out, const struct weir_plot *plot)
{
    if (plot->curve_count < 2 && !plot->dropped && plot->curve[0].note == NULL)
        return;
    (void)fputs("<ul class=\"legend\">\n", out);
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++) {
        write_key(out, plot->curve[i].style);
        weir_html_text(out, plot->curve[i].name);
        if (plot->curve[i].note != NULL)
            weir_html_element(out, "em", NULL, plot->curve[i].note);
        (void)fputs("</li>\n", out);
    }
    (void)fputs("</ul>\n", out);
}

static void write_caption(FILE *out, const struct weir_plot *plot)
{
    (void)fputs("<figcaption>", out);
    weir_html_text(out, plot->caption);
    if (plot->curve_count > WEIR_PLOT_CURVES_MAX)
        (void)fprintf(out, " Drawn: the first %u of %zu %s; the table has all.", WEIR_PLOT_CURVES_MAX,
                      plot->curve_count, plot->order);
    (void)fputs("</figcaption>\n", out);
}

int weir_plot_write(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err)
{
    int code = 0;
    (void)fputs("<figure>\n", out);
    weir_html_element(out, "h4", NULL, plot->title);
    if (gnuplot != NULL) {
        code = write_drawing(out, plot, gnuplot, err);
        write_legend(out, plot);
    }
    if (code != 0)
        return code;
    write_caption(out, plot);
    (void)fputs(
        gnuplot != NULL ? "<details><summary>Numbers</summary>\n" : "<details open><summary>Numbers</summary>\n", out);
    code = weir_plot_table(out, plot, err);
    (void)fputs("</details>\n</figure>\n", out);
    return code;
}
