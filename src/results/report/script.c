/* src/results/report/script.c - writes a figure as commands for gnuplot. Its colours are placeholders, which svg.c
 * replaces by CSS variables of the page: rgb(1,0,n) stands for --a<n>, rgb(2,s,n) for shade s of hue n. That of hollow
 * marks is rgb(3,s,n). */
#include "report/plot.h"
#include "report/scale.h"
#include <math.h>
#include <string.h>

#define FONT_SIZE 15
#define INK "'#010001'"
#define GRID "'#010002'"
#define TEXT "'#010003'"
#define SHADE "'#010004'"
#define BAD "'#010005'"
/* An x axis of at most this many decades, or a y axis of twice as many, has a label at each power of ten. */
#define DECADES_ALL 6
#define DECADES_FINE 2.2 /* an axis of at most this many decades also has labels at 2 and 5 */
#define NARROW 5.0       /* an axis on which highest / lowest is at most this has ticks in equal steps */
#define NARROW_TICS 5
#define NARROW_GAP 0.16  /* least distance of labels on an x axis with equal steps, as a part of its length */
#define BANDS_DARK 3     /* more bands than this are drawn lighter */
#define MARKS_PER_LINE 6 /* about this many marks are on a line of many points */

/* Writes a tick: its label and its position. A % is doubled, since gnuplot uses a label as a format. first: the first
 * tick of the axis. level: 0 = a large tick, 1 = a small one */
static void put_tic(FILE *out, bool first, const char *label, double at, int level)
{
    (void)fputs(first ? "\"" : ", \"", out);
    for (const char *c = label; *c != '\0'; c++)
        (void)fputs(*c == '%' ? "%%" : (char[]){ *c, '\0' }, out);
    (void)fprintf(out, "\" %.9g %d", at, level);
}

static void put_log_tics(FILE *out, char axis, double lo, double hi, enum weir_unit unit)
{
    double decades = log10(hi / lo);
    int first = (int)floor(log10(lo) + 1e-9), last = (int)ceil(log10(hi) - 1e-9), put = 0;
    int every = decades > DECADES_ALL ? (axis == 'x' ? 2 : decades > 2 * DECADES_ALL ? 2 : 1) : 1;
    (void)fprintf(out, "set %ctics (", axis);
    for (int e = first; e <= last; e++) {
        for (int digit = 1; digit < 10; digit++) {
            double at = digit * pow(10, e);
            bool labelled = digit == 1 ? e % every == 0 : decades <= DECADES_FINE && (digit == 2 || digit == 5);
            if (at < lo * (1 - 1e-9) || at > hi * (1 + 1e-9))
                continue;
            put_tic(out, put++ == 0, labelled ? weir_number_tick(at, unit).text : "", at, labelled ? 0 : 1);
        }
    }
    (void)fputs(")\n", out);
}

/* Writes the ticks of a logarithmic axis with *hi / *lo of at most NARROW. They have equal steps, as on a linear axis,
 * since the axis might have no label otherwise. Sets *hi to the last tick. Sets *lo to the first tick if that is lower
 * than *lo, else to *lo / 1.15. */
static void put_narrow_tics(FILE *out, char axis, double *lo, double *hi, enum weir_unit unit)
{
    double step = weir_scale_nice((*hi - *lo) / NARROW_TICS, true);
    double first = floor(*lo / step * (1 + 1e-9)), last = ceil(*hi / step * (1 - 1e-9)), labelled = 0;
    if (first < 1) /* a logarithmic axis has no 0 */
        first = 1;
    (void)fprintf(out, "set %ctics (", axis);
    for (int i = 0, count = (int)(last - first) + 1; i < count; i++) {
        double at = (first + i) * step;
        bool fits = i == 0 || axis == 'y' || log(at / labelled) >= NARROW_GAP * log(last / first);
        put_tic(out, i == 0, fits ? weir_number_tick(at, unit).text : "", at, 0);
        labelled = fits ? at : labelled;
    }
    (void)fputs(")\n", out);
    *lo = first * step < *lo ? first * step : *lo / 1.15;
    *hi = last * step;
}

/* Writes the range and the ticks of a logarithmic axis. Returns where it begins. */
static double put_log_axis(FILE *out, char name, const struct weir_plot_axis *axis, const double range[2])
{
    double lo = range[0], hi = range[1];
    if (axis->floor > lo && hi > 10 * axis->floor)
        lo = axis->floor;
    if (hi < lo * 1.01) /* a single value: widen the range */
        lo /= 1.5, hi *= 1.5;
    if (hi <= lo * NARROW) {
        put_narrow_tics(out, name, &lo, &hi, axis->unit);
    } else {
        lo = weir_scale_nice(lo, false), hi = weir_scale_nice(hi, true);
        put_log_tics(out, name, lo, hi, axis->unit);
    }
    if (lo < axis->least && range[0] >= axis->least)
        lo = axis->least;
    (void)fprintf(out, "set logscale %c\nset %crange [%.9g:%.9g]\n", name, name, lo, hi);
    return lo;
}

/* Writes the title of an axis with its unit and, unless it begins at 0, with where it begins. from: 0 = at 0 */
static void put_axis_title(char *out, size_t size, const struct weir_plot_axis *axis, const char *suffix, double from)
{
    double round_to = from > 0 ? pow(10, floor(log10(from)) - 2) : 1; /* three digits */
    char begin[64] = "";
    if (from > 0)
        (void)snprintf(begin, sizeof(begin), "%sfrom %.32s", axis->log ? "log " : "",
                       weir_number_tick(round(from / round_to) * round_to, axis->unit).text);
    (void)snprintf(out, size, "%s%s%s%s%s%s", axis->title, suffix[0] != '\0' || begin[0] != '\0' ? " (" : "", suffix,
                   suffix[0] != '\0' && begin[0] != '\0' ? ", " : "", begin,
                   suffix[0] != '\0' || begin[0] != '\0' ? ")" : "");
}

/* Writes the range and the number format of a linear axis. Returns the divisor for the values of this axis. Sets
 * *suffix to the unit of the divided values, and *from to where the axis begins, in the unit of the values. */
static double put_linear_axis(FILE *out, char name, const struct weir_plot *plot, const double range[2],
                              const char **suffix, double *from)
{
    const struct weir_plot_axis *axis = name == 'x' ? &plot->x : &plot->y;
    double scale = weir_report_scale(range[1], axis->unit, suffix);
    double lo = 0, hi = range[1] > 0 ? range[1] / scale : 1;
    if (axis->unit == WEIR_UNIT_SHARE) {
        scale = 0.01, hi = 100;
    } else if (name == 'y') {
        hi *= 1.06;
    } else if (plot->kind == WEIR_PLOT_MARKS) { /* loads: the lowest may be far from 0 */
        double pad = (range[1] - range[0]) / scale * 0.04 + hi * 0.01;
        lo = range[0] / scale - pad, hi += pad;
        lo = lo > 0 ? lo : 0;
    }
    *from = lo * scale;
    (void)fprintf(out, "set %crange [%.9g:%.9g]\nset format %c '%%g%s'\n", name, lo, hi, name,
                  axis->unit == WEIR_UNIT_SHARE ? " %%" : "");
    return scale;
}

static double put_axis(FILE *out, char name, const struct weir_plot *plot, const double range[2])
{
    const struct weir_plot_axis *axis = name == 'x' ? &plot->x : &plot->y;
    const char *suffix = "";
    double scale = 1, from = 0;
    char title[160];
    if (axis->log)
        from = put_log_axis(out, name, axis, range);
    else
        scale = put_linear_axis(out, name, plot, range, &suffix, &from);
    put_axis_title(title, sizeof(title), axis, suffix, from);
    if (name == 'x')
        (void)fprintf(out, "set xlabel \"%s\" offset 0,0.5 textcolor rgb " TEXT "\n", title);
    else /* a horizontal title above the axis: a vertical one takes width and is hard to read */
        (void)fprintf(out, "set label 1 \"%s\" at screen 0.012, screen 0.955 left textcolor rgb " TEXT "\n", title);
    return scale;
}

static void put_frame(FILE *out, const struct weir_plot *plot)
{
    (void)fprintf(out, "set terminal svg size %zu,%zu font \"sans-serif,%d\" noenhanced\n",
                  plot->width > 0 ? plot->width : WEIR_PLOT_WIDTH, plot->height > 0 ? plot->height : WEIR_PLOT_HEIGHT,
                  FONT_SIZE);
    (void)fputs("unset key\nset bmargin 3\nset tmargin 1.9\nset rmargin 3\n"
                "set border 3 lc rgb " INK " lw 1\n"
                "set grid xtics ytics lc rgb " GRID " lt 1 lw 1, lc rgb " GRID " lt 1 lw 1\n"
                "set tics nomirror out scale 0.5,0.25 textcolor rgb " TEXT "\n",
                out);
}

/* Tests whether some of the drawn marks of a curve are hollow, and others are not. */
static bool is_mixed(const struct weir_plot *plot, const struct weir_curve *curve)
{
    return plot->kind == WEIR_PLOT_MARKS && weir_curve_hollow(plot, curve) > 0 && !weir_curve_is_hollow(plot, curve);
}

static size_t put_data(FILE *out, const struct weir_plot *plot, size_t i, double x_scale, double y_scale)
{
    const struct weir_curve *c = &plot->curve[i];
    size_t drawn = 0;
    double y;
    bool mixed = is_mixed(plot, c);
    (void)fprintf(out, "$d%zu << EOD\n", i);
    for (size_t k = 0; k < c->count; k++) {
        if (!weir_plot_drawn(plot, &c->point[k], &y))
            continue;
        (void)fprintf(out, "%.9g %.9g%s\n", c->point[k].x / x_scale, y / y_scale,
                      !mixed                 ? ""
                      : c->point[k].in_doubt ? " 1"
                                             : " 0");
        drawn++;
    }
    (void)fputs("EOD\n", out);
    return drawn;
}

/* Writes the band of a curve, from the least to the greatest value of its runs, as a polygon. gnuplot can fill between
 * two curves only in y, but the band of a distribution is in x. Returns false, with nothing written, if the curve has
 * no band. */
static bool put_band_data(FILE *out, const struct weir_plot *plot, size_t i, double x_scale, double y_scale)
{
    const struct weir_curve *c = &plot->curve[i];
    bool share = weir_plot_is_share(plot), any = false;
    double y;
    for (size_t k = 0; k < c->count && !any; k++)
        any = c->point[k].high > c->point[k].low && weir_plot_drawn(plot, &c->point[k], &y);
    if (!any)
        return false;
    (void)fprintf(out, "$b%zu << EOD\n", i);
    for (size_t n = 0; n < 2 * c->count; n++) { /* along the lower edge, then back along the upper edge */
        const struct weir_plot_point *p = &c->point[n < c->count ? n : 2 * c->count - 1 - n];
        bool band = p->high > p->low, log = share ? plot->x.log : plot->y.log;
        double edge = n >= c->count ? p->high : p->low;
        if (!weir_plot_drawn(plot, p, &y))
            continue;
        if (!band || (log && edge <= 0)) /* no band, or an edge off the logarithmic axis: use the curve itself */
            edge = share ? p->x : y;
        if (share)
            (void)fprintf(out, "%.9g %.9g\n", edge / x_scale, y / y_scale);
        else
            (void)fprintf(out, "%.9g %.9g\n", p->x / x_scale, edge / y_scale);
    }
    (void)fputs("EOD\n", out);
    return true;
}

/* Writes the command that draws the band of curve i. light: use a lighter shade, for figures with many bands; svg.c
 * replaces both shades. follows: the command is not the first item of the plot command */
static void put_band(FILE *out, const struct weir_plot *plot, size_t i, bool follows, bool light)
{
    const struct weir_line_style style = weir_curve_style(&plot->curve[i]);
    (void)fprintf(out,
                  "%s$b%zu using 1:2 with filledcurves closed fc rgb '#02%02x%02x' fs transparent solid %s noborder",
                  follows ? ", " : "plot ", i, style.shade, style.hue, light ? "0.08" : "0.15");
}

/* Writes a mark where the curve of a run ends that is not done. */
static void put_ends(FILE *out, const struct weir_plot *plot, double x_scale, double y_scale)
{
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++) {
        const struct weir_curve *c = &plot->curve[i];
        double y;
        if (plot->kind != WEIR_PLOT_LINES || !c->undone || c->count == 0 ||
            !weir_plot_drawn(plot, &c->point[c->count - 1], &y))
            continue;
        (void)fprintf(out, "set label %zu \"\" at %.9g, %.9g point pt 2 ps 1 lw 2 lc rgb " BAD " front\n", i + 2,
                      c->point[c->count - 1].x / x_scale, y / y_scale);
    }
}

static void put_colour(FILE *out, const struct weir_line_style *style, bool hollow)
{
    (void)fprintf(out, " lc rgb '#%02x%02x%02x'", hollow ? 3U : 2U, style->shade, style->hue);
}

/* Writes the commands for the marks of a curve of which some are hollow: the third column of its data says which. */
static void put_mixed_marks(FILE *out, const struct weir_line_style *style, size_t i)
{
    for (int hollow = 0; hollow <= 1; hollow++) {
        (void)fprintf(out, ", $d%zu using 1:($3==%d?$2:1/0) with points pt %d ps 0.7", i, hollow,
                      weir_line_style_mark(style));
        put_colour(out, style, hollow == 1);
    }
}

static void put_curve(FILE *out, const struct weir_plot *plot, size_t i, size_t points)
{
    const struct weir_curve *curve = &plot->curve[i];
    const struct weir_line_style style = weir_curve_style(curve);
    bool alone = plot->curve_count == 1, marks = plot->kind == WEIR_PLOT_MARKS;
    bool mixed = is_mixed(plot, curve);
    (void)fprintf(out, "$d%zu using 1:2 ", i);
    if (mixed || (alone && !marks))
        (void)fputs("with lines", out);
    else if (marks)
        (void)fprintf(out, "with linespoints pt %d ps 0.7", weir_line_style_mark(&style));
    else /* about MARKS_PER_LINE marks, at different points for each curve */
        (void)fprintf(out, "with linespoints pt %d ps 0.55 pi %zu", weir_line_style_mark(&style),
                      points / MARKS_PER_LINE + 1 + i % (points / ((size_t)MARKS_PER_LINE * 8) + 1));
    (void)fprintf(out, " lw %s", curve->undone || curve->note != NULL ? "1" : "2");
    put_colour(out, &style, weir_curve_is_hollow(plot, curve));
    (void)fprintf(out, " dt %s", weir_line_style_dash_gnuplot(&style));
    if (mixed)
        put_mixed_marks(out, &style, i);
}

void weir_plot_script(FILE *out, const struct weir_plot *plot)
{
    size_t drawn[WEIR_PLOT_CURVES_MAX] = { 0 }, put = 0;
    bool banded[WEIR_PLOT_CURVES_MAX] = { false };
    size_t bands = 0;
    double x[2] = { 0, 1 }, y[2] = { 0, 1 }, x_scale, y_scale;
    (void)weir_plot_range(plot, x, y);
    if (plot->x_range[1] > plot->x_range[0] || plot->y_range[1] > plot->y_range[0]) {
        memcpy(x, plot->x_range, sizeof(x));
        memcpy(y, plot->y_range, sizeof(y));
    }
    put_frame(out, plot);
    x_scale = put_axis(out, 'x', plot, x);
    y_scale = put_axis(out, 'y', plot, y);
    if (plot->shade_to > 0)
        (void)fprintf(out,
                      "set object 1 rect from graph 0, graph 0 to first %.9g, graph 1 behind fc rgb " SHADE
                      " fs solid noborder\n",
                      plot->shade_to / x_scale);
    put_ends(out, plot, x_scale, y_scale);
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++)
        drawn[i] = put_data(out, plot, i, x_scale, y_scale);
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++)
        bands += banded[i] = put_band_data(out, plot, i, x_scale, y_scale);
    for (size_t i = 0; i < WEIR_PLOT_CURVES_MAX; i++) /* bands first, so that curves are drawn over them */
        if (banded[i])
            put_band(out, plot, i, put++ > 0, bands > BANDS_DARK);
    for (size_t i = 0; i < WEIR_PLOT_CURVES_MAX; i++) {
        if (drawn[i] == 0)
            continue;
        (void)fputs(put++ > 0 ? ", " : "plot ", out);
        put_curve(out, plot, i, drawn[i]);
    }
    (void)fputs("\n", out);
}
