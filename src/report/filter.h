/* src/report/filter.h - the conditions that choose the runs of a page. */
#ifndef WEIR_REPORT_FILTER_H
#define WEIR_REPORT_FILTER_H
#include "report/runs.h"

/* Tests whether a run fits all conditions `where` of a filter; its ids are not looked at. Returns 0, or WEIR_E_MEMORY
 * with err. */
int weir_filter_fits(const struct weir_runs_filter *filter, const struct weir_run *run, bool *fits,
                     struct weir_err *err);
#endif
