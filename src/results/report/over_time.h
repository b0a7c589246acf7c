/* src/results/report/over_time.h - figures over time with a curve for each set of runs, for over_time.c and
 * across_runs.c. */
#ifndef WEIR_REPORT_OVER_TIME_H
#define WEIR_REPORT_OVER_TIME_H
#include "report/curves.h"
#include "report/sections.h"

struct weir_quantity { /* a series and how to draw it; all texts are constants */
    const char *series, *title, *axis;
    enum weir_unit unit;
    enum weir_fold fold;
    bool may_be_idle; /* no figure is drawn if the series is always 0 */
    const char *what; /* the first sentence of the caption, without a full stop */
};

/**
 * Draws one quantity as a figure with a curve for each set of runs. If *open is false, writes the heading first and
 * sets *open to true. Draws nothing if no run has the quantity, or if q->may_be_idle and all values are 0.
 * @param element  the host, port or flow of the series, added to the title; NULL = the series of the whole network
 * @return 0, or a code with err
 */
int weir_time_runs(struct weir_page *page, const struct weir_group *group, const struct weir_quantity *q,
                   const char *element, const char *heading, bool *open, struct weir_err *err);
#endif
