/* src/report/curves.h - curves read from a result file. Each adds points to a curve; a run that has none adds none. */
#ifndef WEIR_REPORT_CURVES_H
#define WEIR_REPORT_CURVES_H
#include "report/plot.h"
#include "report/runs.h"

enum weir_fold { WEIR_FOLD_MEAN, WEIR_FOLD_MAX }; /* how several values at one position of the axis are combined */

/* Slowdown over message size. denominator: "ideal" or "payload"; p99 or the median. x = the middle of the bin, as lengths on a
 * logarithmic axis go. */
int weir_curve_by_size(struct weir_curve *curve, const struct weir_run *run, const char *denominator, bool p99,
                       struct weir_err *err);

/* A histogram as the share at or below; begins with share 0 if the values begin above 0. */
int weir_curve_cdf(struct weir_curve *curve, const struct weir_run *run, const char *histogram, struct weir_err *err);

struct weir_extent { /* of series: how many points one has at most, and the last of them */
    int64_t points, last_ps;
};
void weir_extent_widen(struct weir_extent *extent, int64_t points, int64_t last_ps);
/* Widens extent by a series of this run. place NULL = that of the whole network */
int weir_series_extent(struct weir_extent *extent, const struct weir_run *run, const char *series, const char *place,
                       struct weir_err *err);

/* A series, folded to one point for each width_ps: x = where that part ends. place NULL = the whole network. width_ps > 0 */
int weir_curve_series(struct weir_curve *curve, const struct weir_run *run, const char *series, const char *place,
                      int64_t width_ps, enum weir_fold fold, struct weir_err *err);
#endif
