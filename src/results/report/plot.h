/* src/results/report/plot.h - one figure: curves over two axes, a caption, and its numbers as a table. gnuplot draws
 * it; gnuplot receives only numbers and constant texts, never a text of the result file. */
#ifndef WEIR_REPORT_PLOT_H
#define WEIR_REPORT_PLOT_H
#include "core/err.h"
#include "report/line_style.h"
#include "report/number.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Size of a drawing in pixels. Its letters can be read on a screen 360 pixels wide, which shows it at two thirds of
 * this size. */
#define WEIR_PLOT_WIDTH 480u
#define WEIR_PLOT_HEIGHT 330u
#define WEIR_PLOT_CURVES_MAX 8u  /* most curves of a drawing; more would be unreadable */
#define WEIR_PLOT_PARTS_MAX 4u   /* most drawings of a figure with more curves */
#define WEIR_PLOT_PART_CURVES 4u /* most curves of each of these */

struct weir_plot_point {
    double x, y;
    double lo, hi; /* the interval of x, if hi > lo */
    /* Number of values that y was computed from; 0 = unknown. Of a set of runs: the mean of their numbers */
    double count;
    double low, high; /* band: least and greatest y (in distributions: x) over a set of runs; no band if equal */
    bool in_doubt;    /* of a set with a run in doubt: its mark is hollow */
};

struct weir_curve {
    const char *name; /* lent; may be a text of the result file */
    const char *note; /* shown behind the name; NULL = none */
    bool undone;      /* of a run that is not done: its end is marked */
    /* runs: if above 1, the curve is the mean of this many runs. noted: how many runs have a note */
    size_t runs, noted;
    struct weir_plot_point *point;
    size_t count, room;           /* points; allocated points */
    size_t position;              /* its place; below WEIR_PLOT_CURVES_MAX if the curve is drawn and has no style */
    struct weir_line_style style; /* colour, dashes and mark; hue 0 = those of its place (weir_curve_style()) */
};

struct weir_plot_axis {
    const char *title; /* a constant text */
    enum weir_unit unit;
    bool log;
    double floor; /* a logarithmic axis begins at about floor or above, if values exceed 10 * floor; 0 = no limit */
    double least; /* no value can be below: a logarithmic axis begins here or above; 0 = no limit */
};

enum weir_plot_kind {
    WEIR_PLOT_LINES,
    WEIR_PLOT_MARKS, /* lines with a mark at each point, for curves of few points */
    WEIR_PLOT_CDF,   /* y is the share of values at or below x; the table shows quantiles */
    WEIR_PLOT_TAIL,  /* the same points as CDF, but 1 - y is drawn */
};

struct weir_plot {
    const char *title; /* a constant text, or a text of the result file: gnuplot does not receive it */
    char caption[768]; /* what is plotted, units, part of the run; constant texts and numbers */
    enum weir_plot_kind kind;
    struct weir_plot_axis x, y;
    const char *order;             /* the order of the curves, for the caption: "by label" */
    double min_count;              /* a point with a known count below this is in the table only */
    double shade_to;               /* x from 0 to here is shaded; 0 = nothing is */
    double x_range[2], y_range[2]; /* of a part of a figure: those of all its drawings; equal ends = its own */
    size_t width, height;          /* of the drawing, in units of which a letter is 15 high; 0 = the default */
    struct weir_curve *curve;
    size_t curve_count;
    bool hush_seeds; /* the caption says nothing of seeds: a figure before it did */
    bool dropped;    /* weir_plot_drop_empty() removed curves: show the legend even for one curve */
};

/* Tests whether a figure is a distribution: kind CDF or TAIL, with y a share. */
static inline bool weir_plot_is_share(const struct weir_plot *plot)
{
    return plot->kind == WEIR_PLOT_CDF || plot->kind == WEIR_PLOT_TAIL;
}

/* Appends a curve without points and returns it; NULL = no memory, with err. The returned pointer is valid until the
 * next curve is appended to the plot. name is lent until weir_plot_free(). */
struct weir_curve *weir_plot_curve(struct weir_plot *plot, const char *name, struct weir_err *err);
/* Appends a point to a curve. Returns 0, or WEIR_E_MEMORY with err. */
int weir_curve_add(struct weir_curve *curve, const struct weir_plot_point *point, struct weir_err *err);
/* Removes the curves without points: for example, a run without credit is not in the figures of credit. The other
 * curves keep their places, as in other figures. If one of the drawn curves would then have no valid place, all curves
 * get new places. */
void weir_plot_drop_empty(struct weir_plot *plot);
/* Frees all curves of a figure. */
void weir_plot_free(struct weir_plot *plot);

/* Returns how many points of the first WEIR_PLOT_CURVES_MAX curves are drawn (weir_plot_drawn()). */
size_t weir_plot_points(const struct weir_plot *plot);

/* Tests whether the drawing shows anything: for kind MARKS at least one drawn point, else a curve with at least two
 * drawn points. */
bool weir_plot_visible(const struct weir_plot *plot);

/* Tests whether a point is drawn: both axes can show its values, and its count is unknown (0) or at least min_count.
 * Sets *y to the y that is drawn, also if the point is not drawn: 1 - y for kind TAIL, else y. */
bool weir_plot_drawn(const struct weir_plot *plot, const struct weir_plot_point *point, double *y);

/* Sets x and y to the least and greatest values of the drawn points and bands of the first WEIR_PLOT_CURVES_MAX curves.
 * Returns false if no point is drawn; then x and y are unchanged. */
bool weir_plot_range(const struct weir_plot *plot, double x[2], double y[2]);

struct weir_quantile {
    double share;
    const char *name; /* "99 %" */
};
#define WEIR_QUANTILE_COUNT 12u
extern const struct weir_quantile weir_quantiles[WEIR_QUANTILE_COUNT]; /* the rows of a distribution's table */

/* Tests whether any curve is the mean of several runs. */
bool weir_plot_has_bands(const struct weir_plot *plot);

/* Returns the x at or below which this share of the values lies, interpolated linearly between the points of the CDF.
 * Before the first point the CDF begins at (0, 0). A share above that of the last point gives the last x. No points:
 * NaN. */
double weir_curve_quantile(const struct weir_curve *cdf, double share);

/* Sets *part to drawing i of a figure, from 0, which lends it the curves. A figure has one drawing with its first
 * WEIR_PLOT_CURVES_MAX curves. If it has more and they have styles of their own, it has up to WEIR_PLOT_PARTS_MAX with
 * the same axes. Returns false if there is no drawing i. */
bool weir_plot_part(const struct weir_plot *plot, size_t i, struct weir_plot *part);
/* Returns how many of the curves are drawn, in all drawings together. */
size_t weir_plot_curves_drawn(const struct weir_plot *plot);

/* Writes the commands for gnuplot that draw the figure, data included. At least one point must be drawn. The caller
 * checks ferror(out). */
void weir_plot_script(FILE *out, const struct weir_plot *plot);

/* Copies the SVG that gnuplot wrote as an svg element of the page. Colours become CSS variables, so that the drawing
 * follows the light or dark setting. Ids and definitions are removed, since an id may occur only once in a page. title:
 * the accessible name of the element. Returns false if svg was not written by gnuplot's svg terminal; then nothing was
 * written to out. */
bool weir_plot_svg(FILE *out, const char *svg, const char *title);

/* Runs gnuplot and writes the drawing alone, as an svg element of the page. Returns 0, or a code of weir_process_run()
 * with err; WEIR_E_RUN also if gnuplot wrote no SVG. */
int weir_plot_draw(FILE *out, const struct weir_plot *plot, const char *gnuplot, struct weir_err *err);

/* Returns how many of the drawn points of a curve have hollow marks: all, if the curve has a note. */
size_t weir_curve_hollow(const struct weir_plot *plot, const struct weir_curve *curve);
/* Tests whether all marks of a curve are hollow. */
bool weir_curve_is_hollow(const struct weir_plot *plot, const struct weir_curve *curve);

/* Returns the style of a curve: its own, else that of its place. */
struct weir_line_style weir_curve_style(const struct weir_curve *curve);

/* Writes all numbers of a figure as a table. If the table would have more than cells_max cells, writes instead the
 * command that writes the numbers as CSV. Returns 0, or WEIR_E_MEMORY with err. */
int weir_plot_table(FILE *out, const struct weir_plot *plot, size_t cells_max, struct weir_err *err);

/**
 * Writes the figure with drawing, legend, caption and table.
 * @param gnuplot    NULL = without drawing and legend
 * @param cells_max  as in weir_plot_table(); no limit for a figure without a drawing
 * @return 0, or a code with err
 */
int weir_plot_write(FILE *out, const struct weir_plot *plot, const char *gnuplot, size_t cells_max,
                    struct weir_err *err);

/* Runs gnuplot once to check that it exists and can write SVG. Returns 0, or a code with err. */
int weir_plot_probe(const char *gnuplot, struct weir_err *err);
#endif
