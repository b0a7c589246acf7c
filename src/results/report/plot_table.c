/* src/results/report/plot_table.c - writes the table of a figure's numbers. Curves that share most values of x are
 * columns of one table; else the points of all curves are listed one below the other. */
#include "report/html.h"
#include "report/plot.h"
#include <stdlib.h>

/* Curves are columns if the different values of x are at most this many times the points of the longest curve. */
#define ROWS_FACTOR 1.5
#define OPEN_END 1e18 /* a bin whose upper end is this or more has no upper end */

const struct weir_quantile weir_quantiles[WEIR_QUANTILE_COUNT] = {
    { 0.01, "1 %" }, { 0.05, "5 %" },  { 0.1, "10 %" },  { 0.25, "25 %" },    { 0.5, "50 %" },       { 0.75, "75 %" },
    { 0.9, "90 %" }, { 0.95, "95 %" }, { 0.99, "99 %" }, { 0.999, "99.9 %" }, { 0.9999, "99.99 %" }, { 1, "100 %" },
};

static struct weir_number x_text(const struct weir_plot *plot, const struct weir_plot_point *p)
{
    struct weir_number lo = weir_number_text(p->lo, plot->x.unit), hi = weir_number_text(p->hi, plot->x.unit), out;
    if (!(p->hi > p->lo))
        return weir_number_text(p->x, plot->x.unit);
    if (p->hi >= OPEN_END)
        (void)snprintf(out.text, sizeof(out.text), "%.40s or more", lo.text);
    else
        (void)snprintf(out.text, sizeof(out.text), "%.28s to %.28s", lo.text, hi.text);
    return out;
}

static bool has_counts(const struct weir_plot *plot)
{
    for (size_t i = 0; i < plot->curve_count; i++)
        if (plot->curve[i].count > 0 && plot->curve[i].point[0].count > 0)
            return true;
    return false;
}

static void put_head(FILE *out, const struct weir_plot *plot, const char *first, bool counts)
{
    (void)fputs("<thead><tr>", out);
    weir_html_element(out, "th", counts ? "rowspan=\"2\"" : NULL, first);
    for (size_t i = 0; i < plot->curve_count; i++)
        weir_html_element(out, "th", counts ? "colspan=\"2\"" : NULL, plot->curve[i].name);
    if (counts)
        (void)fputs("</tr>\n<tr>", out);
    for (size_t i = 0; counts && i < plot->curve_count; i++) {
        weir_html_element(out, "th", NULL, plot->y.title);
        weir_html_element(out, "th", NULL, "messages");
    }
    (void)fputs("</tr></thead>\n<tbody>\n", out);
}

static void put_quantiles(FILE *out, const struct weir_plot *plot)
{
    put_head(out, plot, "Share at or below", false);
    for (size_t r = 0; r < WEIR_QUANTILE_COUNT; r++) {
        (void)fputs("<tr>", out);
        weir_html_element(out, "th", NULL, weir_quantiles[r].name);
        for (size_t i = 0; i < plot->curve_count; i++)
            weir_html_number(out, weir_curve_quantile(&plot->curve[i], weir_quantiles[r].share), plot->x.unit);
        (void)fputs("</tr>\n", out);
    }
}

static int compare_x(const void *left, const void *right)
{
    double a = ((const struct weir_plot_point *)left)->x, b = ((const struct weir_plot_point *)right)->x;
    return (a > b) - (a < b);
}

/* Collects one point for each different x of all curves, in ascending order. Sets *count to the number of these points,
 * and *longest to the number of points of the longest curve. Returns the points, which the caller frees; NULL = no
 * memory. */
static struct weir_plot_point *all_x(const struct weir_plot *plot, size_t *count, size_t *longest)
{
    struct weir_plot_point *x;
    size_t total = 0, distinct = 0;
    *longest = 0;
    for (size_t i = 0; i < plot->curve_count; i++) {
        total += plot->curve[i].count;
        *longest = plot->curve[i].count > *longest ? plot->curve[i].count : *longest;
    }
    x = malloc((total + 1) * sizeof(*x));
    if (x == NULL)
        return NULL;
    total = 0;
    for (size_t i = 0; i < plot->curve_count; i++)
        for (size_t k = 0; k < plot->curve[i].count; k++)
            x[total++] = plot->curve[i].point[k];
    qsort(x, total, sizeof(*x), compare_x);
    for (size_t k = 0; k < total; k++)
        if (distinct == 0 || x[k].x != x[distinct - 1].x)
            x[distinct++] = x[k];
    *count = distinct;
    return x;
}

static void put_cell(FILE *out, const struct weir_plot *plot, const struct weir_plot_point *p, bool counts)
{
    if (p == NULL) {
        (void)fputs(counts ? "<td></td><td></td>" : "<td></td>", out);
        return;
    }
    weir_html_number(out, p->y, plot->y.unit);
    if (counts)
        weir_html_number(out, p->count, WEIR_UNIT_COUNT);
}

/* Writes a table with a row for each of the `rows` points x[], and a column for each curve. Returns 0, or WEIR_E_MEMORY
 * with err. */
static int put_matrix(FILE *out, const struct weir_plot *plot, const struct weir_plot_point *x, size_t rows,
                      struct weir_err *err)
{
    size_t *at = calloc(plot->curve_count + 1, sizeof(*at)); /* the next point of each curve */
    bool counts = has_counts(plot);
    if (at == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the numbers of a figure");
    put_head(out, plot, plot->x.title, counts);
    for (size_t r = 0; r < rows; r++) {
        (void)fputs("<tr>", out);
        weir_html_element(out, "th", NULL, x_text(plot, &x[r]).text);
        for (size_t i = 0; i < plot->curve_count; i++) {
            const struct weir_curve *c = &plot->curve[i];
            bool here = at[i] < c->count && c->point[at[i]].x == x[r].x;
            put_cell(out, plot, here ? &c->point[at[i]++] : NULL, counts);
        }
        (void)fputs("</tr>\n", out);
    }
    free(at);
    return 0;
}

/* Writes a table with a row for each point of each curve. */
static void put_list(FILE *out, const struct weir_plot *plot)
{
    (void)fputs("<thead><tr><th></th>", out);
    weir_html_element(out, "th", NULL, plot->x.title);
    weir_html_element(out, "th", NULL, plot->y.title);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < plot->curve_count; i++) {
        for (size_t k = 0; k < plot->curve[i].count; k++) {
            (void)fputs("<tr>", out);
            weir_html_element(out, "th", NULL, plot->curve[i].name);
            weir_html_element(out, "td", NULL, x_text(plot, &plot->curve[i].point[k]).text);
            put_cell(out, plot, &plot->curve[i].point[k], false);
            (void)fputs("</tr>\n", out);
        }
    }
}

int weir_plot_table(FILE *out, const struct weir_plot *plot, size_t cells_max, struct weir_err *err)
{
    size_t rows, longest;
    struct weir_plot_point *x = all_x(plot, &rows, &longest);
    int code = 0;
    if (x == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the numbers of a figure");
    bool share = weir_plot_is_share(plot);
    size_t cells = plot->curve_count * (share ? WEIR_QUANTILE_COUNT : rows);
    if (cells > cells_max) {
        (void)fprintf(out,
                      "<p class=\"note\">%zu numbers, too many for the page: <span class=\"code\">weir report FILE "
                      "--figures DIR</span> writes them as CSV.</p>\n",
                      cells);
        free(x);
        return 0;
    }
    (void)fputs("<div class=\"scroll\"><table>\n", out);
    if (share)
        put_quantiles(out, plot);
    else if ((double)rows <= ROWS_FACTOR * (double)longest)
        code = put_matrix(out, plot, x, rows, err);
    else
        put_list(out, plot);
    (void)fputs("</tbody></table></div>\n", out);
    free(x);
    return code;
}
