/* src/results/report/figure_data.c - see figure_data.h. */
#include "report/figure_data.h"
#include "core/assert.h"
#include "report/html.h"
#include "text/memory.h"
#include <math.h>
#include <stdlib.h>

#define CURVES_MAX 16  /* of a figure: the first ones, as in its drawings */
#define POINTS_MAX 400 /* of a distribution's curve; the buckets of a histogram are fewer */
#define POINTS_MANY 60 /* of each curve where a figure has more than WEIR_PLOT_CURVES_MAX */
#define TAIL_DECADES 5
#define TAIL_PER_DECADE 6 /* shares near 1, for each factor of ten in 1 - share */

const char *weir_data_unit(enum weir_unit unit)
{
    static const char *const name[] = {
        [WEIR_UNIT_RATIO] = "ratio", [WEIR_UNIT_SHARE] = "share", [WEIR_UNIT_COUNT] = "count",
        [WEIR_UNIT_BYTES] = "bytes", [WEIR_UNIT_PS] = "ps",       [WEIR_UNIT_S] = "s",
        [WEIR_UNIT_GBPS] = "gbps",   [WEIR_UNIT_PER_S] = "per_s", [WEIR_UNIT_GBYTES_PER_S] = "gbytes_per_s",
    };
    return name[unit];
}

void weir_data_style(struct weir_json *json, const struct weir_line_style *style)
{
    WEIR_ASSERT(style->hue > 0);
    weir_json_string(json, "light", weir_line_style_colour(style->hue, style->shade, false));
    weir_json_string(json, "dark", weir_line_style_colour(style->hue, style->shade, true));
    weir_json_string(json, "dash", weir_line_style_dash(style));
}

enum column { X, Y, LOW, HIGH, VALUES, COLUMNS };

static void put_column(struct weir_json *json, const struct weir_plot *plot, const struct weir_curve *curve,
                       enum column column)
{
    static const char *const key[COLUMNS] = { "x", "y", "low", "high", "values" };
    weir_json_open_list(json, key[column]);
    for (size_t i = 0; i < curve->count; i++) {
        const struct weir_plot_point *p = &curve->point[i];
        double y;
        if (!weir_plot_drawn(plot, p, &y))
            continue;
        weir_json_real(json, NULL,
                       column == X      ? p->x
                       : column == Y    ? y
                       : column == LOW  ? p->low
                       : column == HIGH ? p->high
                                        : p->count);
    }
    weir_json_close_list(json);
}

/* Puts quantiles of a distribution as the lists x and y, without those that a logarithmic axis cannot show. */
static void put_quantile_column(struct weir_json *json, const struct weir_plot *plot, const struct weir_curve *cdf,
                                enum column column)
{
    const size_t even = POINTS_MANY - TAIL_DECADES * TAIL_PER_DECADE; /* at even shares; more of them near 1 */
    weir_json_open_list(json, column == X ? "x" : "y");
    for (size_t i = 0; i < POINTS_MANY; i++) {
        double share =
            i < even ? 0.9 * (double)i / (double)even : 1 - pow(10, -1 - (double)(i - even) / TAIL_PER_DECADE);
        const struct weir_plot_point p = { .x = weir_curve_quantile(cdf, share), .y = share };
        double y;
        if (weir_plot_drawn(plot, &p, &y))
            weir_json_real(json, NULL, column == X ? p.x : y);
    }
    weir_json_close_list(json);
}

/* Writes a list with 1 for each drawn point whose mark is hollow, else 0; nothing if none is, or there is a note. */
static void put_doubt(struct weir_json *json, const struct weir_plot *plot, const struct weir_curve *curve)
{
    double y;
    if (curve->note != NULL || weir_curve_hollow(plot, curve) == 0)
        return;
    weir_json_open_list(json, "doubt");
    for (size_t i = 0; i < curve->count; i++)
        if (weir_plot_drawn(plot, &curve->point[i], &y))
            weir_json_u64(json, NULL, curve->point[i].in_doubt);
    weir_json_close_list(json);
}

static bool has_counts(const struct weir_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->point[i].count > 0)
            return true;
    return false;
}

/* Tests whether the drawn points of two curves have the same x. */
static bool same_x(const struct weir_plot *plot, const struct weir_curve *a, const struct weir_curve *b)
{
    double y;
    if (a == NULL || a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (a->point[i].x != b->point[i].x ||
            weir_plot_drawn(plot, &a->point[i], &y) != weir_plot_drawn(plot, &b->point[i], &y))
            return false;
    return true;
}

bool weir_data_curve(struct weir_json *json, const struct weir_plot *plot, const struct weir_curve *curve,
                     const struct weir_curve *before, size_t points_max)
{
    if (weir_plot_is_share(plot) && curve->count > points_max && points_max >= POINTS_MANY) {
        put_quantile_column(json, plot, curve, X);
        put_quantile_column(json, plot, curve, Y);
        return true;
    }
    if (!same_x(plot, before, curve))
        put_column(json, plot, curve, X);
    put_column(json, plot, curve, Y);
    if (curve->runs > 1) {
        put_column(json, plot, curve, LOW);
        put_column(json, plot, curve, HIGH);
    }
    if (!weir_plot_is_share(plot) && has_counts(curve))
        put_column(json, plot, curve, VALUES);
    return false;
}

static void put_axis(struct weir_json *json, const char *key, const struct weir_plot_axis *axis)
{
    weir_json_open(json, key);
    weir_json_string(json, "title", axis->title);
    weir_json_string(json, "unit", weir_data_unit(axis->unit));
    weir_json_bool(json, "log", axis->log);
    weir_json_real(json, "floor", axis->floor);
    weir_json_close(json);
}

static void print_figure(FILE *out, const void *figure)
{
    const struct weir_plot *plot = figure;
    static const char *const kind[] = {
        [WEIR_PLOT_LINES] = "lines", [WEIR_PLOT_MARKS] = "marks", [WEIR_PLOT_CDF] = "cdf", [WEIR_PLOT_TAIL] = "tail"
    };
    struct weir_json json = weir_json_line(out);
    size_t most = plot->curve_count > WEIR_PLOT_CURVES_MAX ? POINTS_MANY : POINTS_MAX;
    bool thinned = false;
    weir_json_open(&json, NULL);
    weir_json_string(&json, "title", plot->title);
    weir_json_string(&json, "kind", kind[plot->kind]);
    put_axis(&json, "x", &plot->x);
    put_axis(&json, "y", &plot->y);
    weir_json_real(&json, "shade", plot->shade_to);
    weir_json_open_list(&json, "curves");
    for (size_t i = 0; i < plot->curve_count && i < CURVES_MAX; i++) {
        const struct weir_curve *curve = &plot->curve[i];
        const struct weir_line_style style = weir_curve_style(curve);
        weir_json_open(&json, NULL);
        weir_json_string(&json, "label", curve->name);
        weir_json_string(&json, "note", curve->note);
        weir_data_style(&json, &style);
        thinned = weir_data_curve(&json, plot, curve, i > 0 ? curve - 1 : NULL, most) || thinned;
        put_doubt(&json, plot, curve);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_bool(&json, "thinned", thinned);
    weir_json_u64(&json, "left_out", plot->curve_count > CURVES_MAX ? plot->curve_count - CURVES_MAX : 0);
    weir_json_close(&json);
}

int weir_figure_data(FILE *out, const struct weir_plot *plot, struct weir_err *err)
{
    char *text = weir_memory_text(print_figure, plot);
    WEIR_ASSERT(plot->curve_count > 0);
    if (text == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a figure");
    (void)fputs("<script type=\"application/json\" class=\"figure-data\">", out);
    weir_html_json(out, text);
    (void)fputs("</script>\n", out);
    free(text);
    return 0;
}
