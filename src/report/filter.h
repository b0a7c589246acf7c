/* src/report/filter.h - which runs are shown, by what they are. */
#ifndef WEIR_REPORT_FILTER_H
#define WEIR_REPORT_FILTER_H
#include "report/runs.h"

/* Whether a run fits all conditions of a filter but its numbers. @return 0, or WEIR_E_MEMORY with err */
int weir_filter_fits(const struct weir_runs_filter *filter, const struct weir_run *run, bool *fits,
                     struct weir_err *err);
#endif
