/* src/results/report/curves.h - reads the points of curves from a result file. */
#ifndef WEIR_REPORT_CURVES_H
#define WEIR_REPORT_CURVES_H
#include "report/plot.h"
#include "report/runs.h"

enum weir_fold { WEIR_FOLD_MEAN, WEIR_FOLD_MAX }; /* how the values of an interval become one point */

enum weir_source_kind {
    WEIR_SOURCE_SIZES,     /* slowdown over message size; x: the middle of the bin on a logarithmic axis */
    WEIR_SOURCE_HISTOGRAM, /* share of values at or below x; begins with share 0 if the least value is above 0 */
    WEIR_SOURCE_SERIES,    /* a point for each interval of width_ps; x: the end of the interval */
};

struct weir_source { /* the data of a run that a curve shows; texts are lent */
    enum weir_source_kind kind;
    const char *name;    /* SIZES: "ideal" or "payload"; else the name of the histogram or series */
    const char *element; /* SERIES: a host, port or flow; NULL = the whole network */
    bool p99;            /* SIZES: the 99th percentile; else the median */
    enum weir_fold fold; /* SERIES */
    int64_t width_ps;    /* SERIES: length of an interval; above 0 */
};

/* Appends the points of one run to a curve; none if the run has no such data. Returns 0, or a code with err. */
int weir_curve_read(struct weir_curve *curve, const struct weir_run *run, const struct weir_source *source,
                    struct weir_err *err);

struct weir_extent { /* greatest number of points of several series, and the latest time of their points */
    int64_t points, last_ps;
};
/* Widens an extent to a series with this number of points and this time of its last point. */
void weir_extent_widen(struct weir_extent *extent, int64_t points, int64_t last_ps);
/* Widens an extent to a series of a run; unchanged if the run does not have it. element: NULL = the series of the whole
 * network. Returns 0, or a code with err. */
int weir_series_extent(struct weir_extent *extent, const struct weir_run *run, const char *series, const char *element,
                       struct weir_err *err);

#endif
