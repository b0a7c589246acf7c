/* src/results/report/plot.h - one figure: curves over two axes, a caption, and its numbers as a table. Drawn by
 * gnuplot, which receives numbers and fixed texts only, never a text of the result file. */
#ifndef WEIR_REPORT_PLOT_H
#define WEIR_REPORT_PLOT_H
#include "core/err.h"
#include "report/number.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_PLOT_CURVES_MAX 8u /* drawn; more would be unreadable */

struct weir_point {
    double x, y;
    double lo, hi; /* the interval of x, if hi > lo */
    double count;  /* how many values y was made from; 0 = unknown. Of several runs the mean */
    double low,
        high; /* of several runs: from the least to the greatest y, in distributions x; no band if they are equal */
};

struct weir_curve {
    const char *name;   /* lent; of the result file */
    const char *note;   /* behind the name; NULL = none */
    size_t runs, noted; /* it is the mean of so many, if above 1; the note is of so many of them */
    struct weir_point *point;
    size_t count, room;
    size_t style; /* colour, dashes and mark; below WEIR_PLOT_CURVES_MAX if it is drawn */
};

struct weir_plot_axis {
    const char *title; /* a fixed text */
    enum weir_unit unit;
    bool log;
    double floor; /* a logarithmic axis begins here if values reach further down; 0 = wherever they do */
};

enum weir_plot_kind {
    WEIR_PLOT_LINES,
    WEIR_PLOT_MARKS, /* lines with a mark at each point: few points, each of weight */
    WEIR_PLOT_CDF,   /* y is the share at or below x; the table shows quantiles */
    WEIR_PLOT_TAIL,  /* the same points, 1 - y is drawn */
};

struct weir_plot {
    const char *title; /* a fixed text */
    char caption[768]; /* what is plotted, units, over which part of the run; fixed texts and numbers */
    enum weir_plot_kind kind;
    struct weir_plot_axis x, y;
    const char *order; /* how the curves were put in order: "by label" */
    double min_count;  /* a point made from fewer values is in the table only */
    double shade_to;   /* x from 0 to here is shaded; 0 = nothing is */
    struct weir_curve *curve;
    size_t curve_count;
    bool dropped; /* curves there were are gone: what is left needs its name */
};

/* Tests whether a figure is a distribution: its y is a share. */
static inline bool weir_plot_is_share(const struct weir_plot *plot)
{
    return plot->kind == WEIR_PLOT_CDF || plot->kind == WEIR_PLOT_TAIL;
}

/* Appends a curve without points. name is lent. @return NULL = no memory, with err */
struct weir_curve *weir_plot_curve(struct weir_plot *plot, const char *name, struct weir_err *err);
int weir_curve_add(struct weir_curve *curve, const struct weir_point *point, struct weir_err *err);
/* Drops curves without points: a run without credit is not in the figures of credit, nor among the first eight of them.
 * The others keep their style from other figures, if that distinguishes them. */
void weir_plot_drop_empty(struct weir_plot *plot);
void weir_plot_free(struct weir_plot *plot);

/* Counts the points of the drawn curves that can be drawn. */
size_t weir_plot_points(const struct weir_plot *plot);

/* Tests whether anything can be seen: a mark, or a curve of two points. */
bool weir_plot_visible(const struct weir_plot *plot);

/* Tests whether a point is drawn; *y: where, as y of the plot's kind. */
bool weir_plot_drawn(const struct weir_plot *plot, const struct weir_point *point, double *y);

/* Finds the ranges in which the first WEIR_PLOT_CURVES_MAX curves are drawn. Returns false if nothing is drawn. */
bool weir_plot_range(const struct weir_plot *plot, double x[2], double y[2]);

struct weir_quantile {
    double share;
    const char *name; /* "99 %" */
};
#define WEIR_QUANTILE_COUNT 12u
extern const struct weir_quantile weir_quantiles[WEIR_QUANTILE_COUNT]; /* the rows of a distribution's table */

/* Tests whether a curve is the mean of several runs. */
bool weir_plot_has_bands(const struct weir_plot *plot);

/* Returns the smallest x with at least this share of the values at or below it, in proportion between the points of a
 * CDF. */
double weir_curve_quantile(const struct weir_curve *cdf, double share);

/* Writes gnuplot's commands, data included. Where out is memory, check ferror(). */
void weir_plot_script(FILE *out, const struct weir_plot *plot);

/* Copies gnuplot's SVG in a form fit for the page. Colours become the page's variables, so that it follows light and
 * dark. Names and defs are removed, since an id may occur once in a page. Returns false if this is not what gnuplot's
 * svg terminal writes. */
bool weir_plot_svg(FILE *out, const char *svg, const char *title);

/* Writes the drawing alone, as an element svg of the page. Returns 0, or a code with err. */
int weir_plot_draw(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err);

/* Returns the style of curve i, 0 .. WEIR_PLOT_CURVES_MAX - 1: its dashes as SVG writes them ("" = solid), and
 * gnuplot's number of its mark. */
const char *weir_plot_dash(size_t i);
int weir_plot_mark(size_t i);

/* Writes the table of all numbers; of more than cells_max, the command that writes them as CSV. Returns 0, or a code
 * with err. */
int weir_plot_table(FILE *out, const struct weir_plot *plot, size_t cells_max, struct weir_err *err);

/**
 * Draws and writes the figure with legend, caption and table.
 * @param gnuplot    NULL = without the drawing
 * @param cells_max  of its table, as in weir_plot_table(); a figure without its drawing has all of them
 * @return 0, or a code with err
 */
int weir_plot_write(FILE *out, const struct weir_plot *plot, const char *gnuplot, size_t cells_max,
                    struct weir_err *err);

/* Checks that gnuplot is there and can write SVG. Returns 0, or a code with err. */
int weir_plot_probe(const char *gnuplot, struct weir_err *err);
#endif
