/* src/results/report/filter.h - the conditions that choose the runs of a page. */
#ifndef WEIR_REPORT_FILTER_H
#define WEIR_REPORT_FILTER_H
#include "report/runs.h"

struct weir_runs_filter {
    const char *ids; /* numbers of runs, "3,14,15"; NULL = all */
    const char *const
        *where; /* "KEY=PATTERN" each: a run has to fit all of them. KEY is a column of the table `run` (doc/results.md)
                               * or a key of the scenario, or its end; PATTERN may have * ? [..] */
    size_t where_count;
};

/* Tests whether a run fits all conditions `where` of a filter; its ids are not looked at. Returns 0, or WEIR_E_MEMORY
 * with err. */
int weir_filter_fits(const struct weir_runs_filter *filter, const struct weir_run *run, bool *fits,
                     struct weir_err *err);
#endif
