/* src/results/report/curves.h - curves read from a result file. Each adds points to a curve; a run that has none adds
 * none. */
#ifndef WEIR_REPORT_CURVES_H
#define WEIR_REPORT_CURVES_H
#include "report/plot.h"
#include "report/runs.h"

enum weir_fold { WEIR_FOLD_MEAN, WEIR_FOLD_MAX }; /* how several values at one position of the axis are combined */

enum weir_source_kind {
    WEIR_SOURCE_SIZES, /* slowdown over message size: x = the middle of the bin, as lengths on a logarithmic axis go */
    WEIR_SOURCE_HISTOGRAM, /* the share at or below; begins with share 0 if the values begin above 0 */
    WEIR_SOURCE_SERIES,    /* folded to one point for each width_ps: x = where that part ends */
};

struct weir_source { /* what a curve shows of a run */
    enum weir_source_kind kind;
    const char *name;    /* of a slowdown ("ideal" or "payload"), a histogram or a series */
    const char *element; /* SERIES: a host, port or flow; NULL = the whole network */
    bool p99;            /* SIZES: the 99th percentile; else the median */
    enum weir_fold fold; /* SERIES */
    int64_t width_ps;    /* SERIES; above 0 */
};

/* Reads the points of one run into a curve, by the kind of the source. Returns 0, or a code with err. */
int weir_curve_read(struct weir_curve *curve, const struct weir_run *run, const struct weir_source *source,
                    struct weir_err *err);

struct weir_extent { /* of series: how many points one has at most, and the last of them */
    int64_t points, last_ps;
};
void weir_extent_widen(struct weir_extent *extent, int64_t points, int64_t last_ps);
/* Widens extent by a series of this run. element NULL = that of the whole network */
int weir_series_extent(struct weir_extent *extent, const struct weir_run *run, const char *series, const char *element,
                       struct weir_err *err);

#endif
