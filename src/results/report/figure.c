/* src/results/report/figure.c - writes a figure on the page: title, drawing, legend, caption, and its numbers in an
 * element that can be opened. */
#include "report/html.h"
#include "report/plot.h"
#include "report/process.h"
#include "text/memory.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Runs gnuplot on a script, with option -d so that the user's settings are not read. Returns the text that gnuplot
 * wrote to stdout, which the caller frees; NULL = failed, with err. */
static char *draw(const char *gnuplot, const char *script, struct weir_err *err)
{
    const char *const argv[] = { gnuplot, "-d", "-", NULL };
    char *svg;
    return weir_process_run(argv, script, &svg, NULL, err) == 0 ? svg : NULL;
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

static void print_script(FILE *out, const void *plot)
{
    weir_plot_script(out, plot);
}

int weir_plot_draw(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err)
{
    char *script = weir_memory_text(print_script, plot), *svg = NULL;
    bool fit;
    if (script != NULL)
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

/* Prints the note of a curve, if it has one: "in doubt". If only 2 of the 5 runs of the set have a note, "in doubt in 2
 * of 5". */
static void put_note(FILE *out, const struct weir_curve *curve)
{
    if (curve->note == NULL)
        return;
    (void)fputs("<em>", out);
    weir_html_text(out, curve->note);
    if (curve->noted < curve->runs)
        (void)fprintf(out, " in %zu of %zu", curve->noted, curve->runs);
    (void)fputs("</em>", out);
}

/* Prints the sentence of a caption about means and bands. The sentence says "5 seeds" if each curve has 5 runs; if the
 * numbers of runs differ, it says "its seeds". */
static void put_seeds(FILE *out, const struct weir_plot *plot)
{
    size_t runs = 0;
    bool same = true;
    for (size_t i = 0; i < plot->curve_count; i++) {
        same = same && (runs == 0 || plot->curve[i].runs == runs);
        runs = plot->curve[i].runs;
    }
    (void)fputs(" Each curve is the mean over ", out);
    if (same)
        (void)fprintf(out, "%zu seeds", runs);
    else
        (void)fputs("its seeds", out);
    (void)fputs(", its band from the least to the greatest of them.", out);
}

static void write_legend(FILE *out, const struct weir_plot *plot)
{
    if (plot->curve_count < 2 && !plot->dropped && plot->curve[0].note == NULL)
        return;
    (void)fputs("<ul class=\"legend\">\n", out);
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++) {
        const struct weir_line_style style = weir_curve_style(&plot->curve[i]);
        (void)fputs("<li><svg class=\"key\" aria-hidden=\"true\">", out);
        weir_line_style_key(out, &style, weir_curve_is_hollow(plot, &plot->curve[i]));
        (void)fputs("</svg> ", out);
        weir_html_text(out, plot->curve[i].name);
        put_note(out, &plot->curve[i]);
        (void)fputs("</li>\n", out);
    }
    (void)fputs("</ul>\n", out);
}

/* Tests whether a figure has hollow marks and no notes in its legend that say why. */
static bool has_hollow(const struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        if (plot->curve[i].note == NULL && weir_curve_hollow(plot, &plot->curve[i]) > 0)
            return true;
    return false;
}

static void write_caption(FILE *out, const struct weir_plot *plot)
{
    (void)fputs("<figcaption>", out);
    weir_html_text(out, plot->caption);
    if (weir_plot_has_bands(plot) && !plot->hush_seeds)
        put_seeds(out, plot);
    if (has_hollow(plot))
        (void)fputs(" Hollow: sets with a run in doubt.", out);
    if (plot->curve_count > weir_plot_curves_drawn(plot))
        (void)fprintf(out, " Drawn: the first %zu of %zu %s.", weir_plot_curves_drawn(plot), plot->curve_count,
                      plot->order);
    (void)fputs("</figcaption>\n", out);
}

int weir_plot_write(FILE *out, const struct weir_plot *plot, const char *gnuplot, size_t cells_max,
                    struct weir_err *err)
{
    struct weir_plot part;
    int code = 0;
    bool divided = gnuplot != NULL && weir_plot_part(plot, 1, &part);
    (void)fputs(divided ? "<figure class=\"wide\">\n" : "<figure>\n", out);
    weir_html_element(out, "h4", NULL, plot->title);
    (void)fputs(divided ? "<div class=\"parts\">\n" : "", out);
    for (size_t i = 0; gnuplot != NULL && code == 0 && weir_plot_part(plot, i, &part); i++) {
        (void)fputs(divided ? "<div>\n" : "", out);
        if (weir_plot_points(&part) > 0)
            code = weir_plot_draw(out, &part, gnuplot, err);
        write_legend(out, &part);
        (void)fputs(divided ? "</div>\n" : "", out);
    }
    (void)fputs(divided ? "</div>\n" : "", out);
    if (code != 0)
        return code;
    write_caption(out, plot);
    (void)fputs(
        gnuplot != NULL ? "<details><summary>Numbers</summary>\n" : "<details open><summary>Numbers</summary>\n", out);
    code = weir_plot_table(out, plot, gnuplot != NULL ? cells_max : SIZE_MAX, err);
    (void)fputs("</details>\n</figure>\n", out);
    return code;
}
