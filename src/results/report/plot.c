/* src/results/report/plot.c - see plot.h: allocates figures and curves, and decides which points are drawn. */
#include "report/plot.h"
#include <math.h>
#include <stdlib.h>

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a figure");
}

struct weir_curve *weir_plot_curve(struct weir_plot *plot, const char *name, struct weir_err *err)
{
    struct weir_curve *grown = realloc(plot->curve, (plot->curve_count + 1) * sizeof(*grown));
    if (grown == NULL) {
        (void)no_memory(err);
        return NULL;
    }
    plot->curve = grown;
    grown[plot->curve_count] = (struct weir_curve){ .name = name, .position = plot->curve_count };
    return &grown[plot->curve_count++];
}

int weir_curve_add(struct weir_curve *curve, const struct weir_plot_point *point, struct weir_err *err)
{
    if (curve->count == curve->room) {
        size_t room = curve->room > 0 ? 2 * curve->room : 32;
        struct weir_plot_point *grown = realloc(curve->point, room * sizeof(*grown));
        if (grown == NULL)
            return no_memory(err);
        curve->point = grown;
        curve->room = room;
    }
    curve->point[curve->count++] = *point;
    return 0;
}

void weir_plot_drop_empty(struct weir_plot *plot)
{
    size_t kept = 0;
    for (size_t i = 0; i < plot->curve_count; i++) {
        if (plot->curve[i].count > 0)
            plot->curve[kept++] = plot->curve[i];
        else
            free(plot->curve[i].point);
    }
    plot->dropped = plot->dropped || kept < plot->curve_count;
    plot->curve_count = kept;
    if (kept > 0 &&
        plot->curve[(kept < WEIR_PLOT_CURVES_MAX ? kept : WEIR_PLOT_CURVES_MAX) - 1].position >= WEIR_PLOT_CURVES_MAX)
        for (size_t i = 0; i < kept; i++) /* places ascend: if that of the last drawn curve is too high, renumber all */
            plot->curve[i].position = i;
}

struct weir_line_style weir_curve_style(const struct weir_curve *curve)
{
    return curve->style.hue != 0 ? curve->style : weir_line_style_at(curve->position);
}

void weir_plot_free(struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        free(plot->curve[i].point);
    free(plot->curve);
    plot->curve = NULL;
    plot->curve_count = 0;
}

bool weir_plot_drawn(const struct weir_plot *plot, const struct weir_plot_point *point, double *y)
{
    *y = plot->kind == WEIR_PLOT_TAIL ? 1 - point->y : point->y;
    if (point->count > 0 && point->count < plot->min_count)
        return false;
    return isfinite(point->x) && isfinite(*y) && (!plot->x.log || point->x > 0) && (!plot->y.log || *y > 0);
}

static void widen(double range[2], double value, bool first)
{
    if (first || value < range[0])
        range[0] = value;
    if (first || value > range[1])
        range[1] = value;
}

/* Widens a range by the band of a drawn point: the range of x in a distribution, else that of y. On a logarithmic axis,
 * a lower end of the band that is not above 0 is ignored. */
static void widen_by_band(const struct weir_plot *plot, const struct weir_plot_point *p, double x[2], double y[2])
{
    bool share = weir_plot_is_share(plot), log = share ? plot->x.log : plot->y.log;
    double *range = share ? x : y;
    if (!(p->high > p->low))
        return;
    widen(range, p->high, false);
    if (!log || p->low > 0)
        widen(range, p->low, false);
}

bool weir_plot_range(const struct weir_plot *plot, double x[2], double y[2])
{
    bool found = false;
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++) {
        const struct weir_curve *c = &plot->curve[i];
        for (size_t k = 0; k < c->count; k++) {
            double at;
            if (!weir_plot_drawn(plot, &c->point[k], &at))
                continue;
            widen(x, c->point[k].x, !found);
            widen(y, at, !found);
            widen_by_band(plot, &c->point[k], x, y);
            found = true;
        }
    }
    return found;
}

/* Tests whether a figure is divided into several drawings. */
static bool is_divided(const struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        if (plot->curve[i].style.hue == 0)
            return false;
    return plot->curve_count > WEIR_PLOT_CURVES_MAX;
}

static size_t parts_of(const struct weir_plot *plot)
{
    size_t parts = (plot->curve_count + WEIR_PLOT_PART_CURVES - 1) / WEIR_PLOT_PART_CURVES;
    return parts < WEIR_PLOT_PARTS_MAX ? parts : WEIR_PLOT_PARTS_MAX;
}

size_t weir_plot_curves_drawn(const struct weir_plot *plot)
{
    size_t most = is_divided(plot) ? WEIR_PLOT_PARTS_MAX * WEIR_PLOT_PART_CURVES : WEIR_PLOT_CURVES_MAX;
    return plot->curve_count < most ? plot->curve_count : most;
}

/* Sets *part to the curves of drawing i of a divided figure. */
static void take_part(const struct weir_plot *plot, size_t i, struct weir_plot *part)
{
    size_t drawn = weir_plot_curves_drawn(plot), each = (drawn + parts_of(plot) - 1) / parts_of(plot);
    *part = *plot;
    part->curve = plot->curve + i * each;
    part->curve_count = (i + 1) * each < drawn ? each : drawn - i * each;
    part->dropped = true; /* a legend even for one curve */
}

bool weir_plot_part(const struct weir_plot *plot, size_t i, struct weir_plot *part)
{
    double x[2], y[2];
    struct weir_plot other;
    bool found = false;
    if (!is_divided(plot)) {
        *part = *plot;
        return i == 0;
    }
    if (i >= parts_of(plot) ||
        i * ((weir_plot_curves_drawn(plot) + parts_of(plot) - 1) / parts_of(plot)) >= weir_plot_curves_drawn(plot))
        return false;
    take_part(plot, i, part);
    for (size_t k = 0; k < parts_of(plot); k++) {
        take_part(plot, k, &other);
        if (!weir_plot_range(&other, x, y))
            continue;
        widen(part->x_range, x[0], !found);
        widen(part->x_range, x[1], false);
        widen(part->y_range, y[0], !found);
        widen(part->y_range, y[1], false);
        found = true;
    }
    return true;
}

bool weir_plot_has_bands(const struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        if (plot->curve[i].runs > 1)
            return true;
    return false;
}

static size_t count_drawn(const struct weir_plot *plot, const struct weir_curve *curve)
{
    size_t drawn = 0;
    double y;
    for (size_t k = 0; k < curve->count; k++)
        drawn += weir_plot_drawn(plot, &curve->point[k], &y);
    return drawn;
}

size_t weir_curve_hollow(const struct weir_plot *plot, const struct weir_curve *curve)
{
    size_t hollow = 0;
    double y;
    for (size_t k = 0; k < curve->count; k++)
        hollow += (curve->note != NULL || curve->point[k].in_doubt) && weir_plot_drawn(plot, &curve->point[k], &y);
    return hollow;
}

bool weir_curve_is_hollow(const struct weir_plot *plot, const struct weir_curve *curve)
{
    size_t hollow = weir_curve_hollow(plot, curve);
    return hollow > 0 && hollow == count_drawn(plot, curve);
}

size_t weir_plot_points(const struct weir_plot *plot)
{
    size_t drawn = 0;
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++)
        drawn += count_drawn(plot, &plot->curve[i]);
    return drawn;
}

bool weir_plot_visible(const struct weir_plot *plot)
{
    if (plot->kind == WEIR_PLOT_MARKS)
        return weir_plot_points(plot) > 0;
    for (size_t i = 0; i < plot->curve_count && i < WEIR_PLOT_CURVES_MAX; i++)
        if (count_drawn(plot, &plot->curve[i]) >= 2)
            return true;
    return false;
}

double weir_curve_quantile(const struct weir_curve *cdf, double share)
{
    double x = 0, y = 0;
    for (size_t i = 0; i < cdf->count; i++) {
        const struct weir_plot_point *p = &cdf->point[i];
        if (p->y >= share)
            return p->y > y ? x + (p->x - x) * (share - y) / (p->y - y) : p->x;
        x = p->x, y = p->y;
    }
    return cdf->count > 0 ? x : (double)NAN;
}
