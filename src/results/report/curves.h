/* src/results/report/curves.h - reads the points of curves from a result file. */
#ifndef WEIR_REPORT_CURVES_H
#define WEIR_REPORT_CURVES_H
#include "report/plot.h"
#include "report/runs.h"

enum weir_fold { WEIR_FOLD_MEAN, WEIR_FOLD_MAX }; /* how the values of an interval become one point */

enum weir_source_kind {
    WEIR_SOURCE_SIZES,     /* slowdown over message size; x: middle of the bin on a logarithmic axis, see BIN_WIDEST */
    WEIR_SOURCE_HISTOGRAM, /* share of values at or below x; begins with share 0 if the least bucket is above 0 */
    WEIR_SOURCE_SERIES,    /* a point for each interval of width_ps; x: the end of the interval */
};

struct weir_curve_source { /* the data of a run that a curve shows; texts are lent */
    enum weir_source_kind kind;
    const char *name;    /* SIZES: "ideal" or "payload"; else the name of the histogram or series */
    const char *element; /* SERIES: a host, port or flow; NULL = the whole network */
    bool p99;            /* SIZES: the 99th percentile; else the median */
    enum weir_fold fold; /* SERIES */
    int64_t width_ps;    /* SERIES: length of an interval; above 0 */
};

/* Appends the points of one run to a curve; none if the run has no such data. For a HISTOGRAM the curve must be empty.
 * Returns 0, or a code with err. */
int weir_curve_read(struct weir_curve *curve, const struct weir_run *run, const struct weir_curve_source *source,
                    struct weir_err *err);

struct weir_extent { /* of several series: the greatest number of points, and the latest time of a point */
    int64_t points, last_ps;
};
/* Raises extent->points and extent->last_ps to the number of points of a series and the time of its last point. A value
 * that is already as great stays. */
void weir_extent_widen(struct weir_extent *extent, int64_t points, int64_t last_ps);
/* Reads number of points and last time of a series of a run, and raises extent as weir_extent_widen() does. extent is
 * unchanged if the run has no such series. element: NULL = the series of the whole network. Returns 0, or a code with
 * err. */
int weir_series_extent(struct weir_extent *extent, const struct weir_run *run, const char *series, const char *element,
                       struct weir_err *err);

#endif
