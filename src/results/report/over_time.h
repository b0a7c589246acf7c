/* src/results/report/over_time.h - the common part of figures over time: over_time.c and across_runs.c. */
#ifndef WEIR_REPORT_OVER_TIME_H
#define WEIR_REPORT_OVER_TIME_H
#include "report/curves.h"
#include "report/sections.h"

struct weir_quantity { /* a series and how it is drawn; fixed texts */
    const char *series, *title, *axis;
    enum weir_unit unit;
    enum weir_fold fold;
    bool may_be_idle; /* not worth a figure if it never happened */
    const char *what; /* for the caption */
};

/**
 * Draws one quantity, a curve for each run, under the heading if it is the grid's first figure. Draws nothing if no run
 * has the quantity, or if it may be idle and is.
 * @param element  the port or flow it is of, which the title then ends with; NULL = of the run
 * @return 0, or a code with err
 */
int weir_time_runs(struct weir_page *page, const struct weir_group *group, const struct weir_quantity *q,
                   const char *element, const char *heading, bool *open, struct weir_err *err);
#endif
