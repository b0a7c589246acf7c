/* src/commands/cli/model_page.c - the output of `weir model rpm` as an HTML page; see model_page.h. */
#include "cli/model_page.h"
#include "core/units.h"
#include "report/html.h"
#include "report/plot.h"
#include "report/style.h"
#include "text/memory.h"
#include "text/version.h"
#include <math.h>
#include <stdlib.h>

#define ETA_POINTS 240 /* steps of a curve over s */
/* Steps of a curve over d_s. */
#define LIMIT_POINTS 60
#define BEYOND 10.0   /* the axis of s extends beyond the roots by this factor */
#define SHORTEST 0.01 /* d_s begins at this part of d, or at the model's d_s if that is less */

static int put_point(struct weir_curve *curve, double x, double y, struct weir_err *err)
{
    return weir_curve_add(curve, &(struct weir_plot_point){ .x = x, .y = y }, err);
}

/* Adds a straight line between two points to a plot, as a curve. @return 0, or a code with err */
static int add_line(struct weir_plot *plot, const char *name, const double from[2], const double to[2],
                    struct weir_err *err)
{
    struct weir_curve *curve = weir_plot_curve(plot, name, err);
    int code = curve == NULL ? (int)err->code : put_point(curve, from[0], from[1], err);
    return code == 0 ? put_point(curve, to[0], to[1], err) : code;
}

/* Adds a curve of |eta(-u)| for u from first to last, where eta has this sign. @return 0, or a code with err */
static int add_eta(struct weir_plot *plot, const char *name, const struct weir_rpm_model *m, int sign, double first,
                   double last, struct weir_err *err)
{
    struct weir_curve *curve = weir_plot_curve(plot, name, err);
    int code = curve == NULL ? (int)err->code : 0;
    for (int i = 0; i <= ETA_POINTS && code == 0; i++) {
        double u = first * pow(last / first, (double)i / ETA_POINTS);
        struct weir_rpm_value eta = weir_rpm_eta(m, -u);
        double size = fabs(weir_rpm_double(eta));
        if (eta.sign == sign && size > 0)
            code = put_point(curve, u, size, err);
    }
    return code;
}

/* Fills the figure of |eta| over -s. Adds one curve where eta is positive and one where it is negative. Adds lines at
 * the root s_1, at the printed root if that is finite, and at the stability limit. @return 0, or a code with err */
static int fill_eta(struct weir_plot *plot, const struct weir_rpm_answer *a, struct weir_err *err)
{
    double end = isfinite(a->printed) ? -a->printed : -BEYOND * a->exact;
    double first = -a->exact / BEYOND, last = BEYOND * end, x[2] = { 0, 0 }, y[2] = { 0, 0 };
    int code = add_eta(plot, "eta, where it is positive", &a->model, 1, first, last, err);
    if (code == 0)
        code = add_eta(plot, "-eta, where eta is negative", &a->model, -1, first, last, err);
    if (code != 0 || !weir_plot_range(plot, x, y))
        return code;
    y[0] = fmin(y[0], a->limit.eta);
    y[1] = fmax(y[1], a->limit.eta);
    code = add_line(plot, "right root s_1", (double[]){ -a->right, y[0] }, (double[]){ -a->right, y[1] }, err);
    if (code == 0 && isfinite(a->printed))
        code =
            add_line(plot, "root s* as printed", (double[]){ -a->printed, y[0] }, (double[]){ -a->printed, y[1] }, err);
    if (code == 0)
        code =
            add_line(plot, "stability limit", (double[]){ x[0], a->limit.eta }, (double[]){ x[1], a->limit.eta }, err);
    return code;
}

/* Adds a curve of the stability limit over d_s. forward: of forward marking; approx: by the approximate formula.
 * @return 0, or a code with err */
static int add_limit(struct weir_plot *plot, const char *name, const struct weir_rpm_answer *a, bool forward,
                     bool approx, struct weir_err *err)
{
    struct weir_curve *curve = weir_plot_curve(plot, name, err);
    struct weir_rpm_model m = a->model;
    double first = fmin(SHORTEST, m.short_rtt_s / m.rtt_s);
    int code = curve == NULL ? (int)err->code : 0;
    for (int i = 0; i <= LIMIT_POINTS && code == 0; i++) {
        double limit;
        m.short_rtt_s = i < LIMIT_POINTS ? m.rtt_s * pow(first, 1 - (double)i / LIMIT_POINTS) : m.rtt_s;
        limit = forward ? a->limit_forward.eta : approx ? weir_rpm_limit_approx(&m) : weir_rpm_limit(&m).eta;
        code = put_point(curve, m.short_rtt_s * (double)WEIR_PS_PER_S, limit, err);
    }
    return code;
}

static int fill_limits(struct weir_plot *plot, const struct weir_rpm_answer *a, struct weir_err *err)
{
    int code = add_limit(plot, "RPM", a, false, false, err);
    if (code == 0)
        code = add_limit(plot, "forward marking", a, true, false, err);
    if (code == 0)
        code = add_limit(plot, "RPM, by 2 gamma / (b c^2 d_s)", a, false, true, err);
    return code;
}

static int put_figures(FILE *out, const struct weir_rpm_answer *a, const char *gnuplot, struct weir_err *err)
{
    struct weir_plot plot[] = {
        { .title = "Slope of marking for which s is a root of (5)",
          .caption =
              "By equation (2), over -s in 1/s. A slope of marking is positive: that is so between s_1 and 0 only, "
              "and there it is far below the limit up to which the model is stable.",
          .x = { .title = "-s, 1/s", .log = true },
          .y = { .title = "eta, per packet", .log = true },
          .order = "by name" },
        { .title = "Slope up to which the model is stable",
          .caption =
              "The smallest eta with a root of (5) on the imaginary axis, over the time from the sender to the switch "
              "and back. Everything else is as in the table.",
          .x = { .title = "d_s", .unit = WEIR_UNIT_PS, .log = true },
          .y = { .title = "eta, per packet", .log = true },
          .order = "by name" },
    };
    int code = fill_eta(&plot[0], a, err);
    if (code == 0)
        code = fill_limits(&plot[1], a, err);
    (void)fputs("<div class=\"grid\">\n", out);
    for (int i = 0; i < 2 && code == 0; i++)
        code = weir_plot_write(out, &plot[i], gnuplot, SIZE_MAX, err);
    (void)fputs("</div>\n", out);
    weir_plot_free(&plot[0]);
    weir_plot_free(&plot[1]);
    return code;
}

static void print_table(FILE *out, const void *answer)
{
    weir_rpm_print_table(out, answer);
}

static int put_table(FILE *out, const struct weir_rpm_answer *a, struct weir_err *err)
{
    char *text = weir_memory_text(print_table, a);
    if (text == NULL)
        return weir_fail_memory(err);
    weir_html_element(out, "pre", NULL, text);
    free(text);
    return 0;
}

int weir_model_page(FILE *out, const struct weir_rpm_answer *answer, const char *gnuplot, char *no_figures,
                    struct weir_err *err)
{
    int code;
    no_figures[0] = '\0';
    if (weir_plot_probe(gnuplot, err) != 0) {
        (void)snprintf(no_figures, WEIR_MODEL_NO_FIGURES, "%s", err->text);
        gnuplot = NULL;
    }
    (void)fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                "<title>Fluid model of RPM - Weir</title>\n<style>\n",
                out);
    weir_style_sheet(out);
    (void)fputs("</style>\n</head>\n<body>\n", out);
    weir_style_marks(out);
    (void)fputs("<header>\n<h1>Fluid model of RPM</h1>\n<p class=\"lead\">Computed by Weir, not simulated.</p>\n"
                "</header>\n<main>\n",
                out);
    code = put_table(out, answer, err);
    if (code == 0)
        code = put_figures(out, answer, gnuplot, err);
    (void)fputs("</main>\n<footer>weir model " WEIR_VERSION ". What the numbers mean: doc/rpm-model.md.</footer>\n"
                "</body>\n</html>\n",
                out);
    return code;
}
