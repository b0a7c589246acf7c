/* src/results/report/runs_open.h - opens result files and reads their runs. */
#ifndef WEIR_REPORT_RUNS_OPEN_H
#define WEIR_REPORT_RUNS_OPEN_H
#include "report/filter.h"

/**
 * Opens result files, reads their runs, makes their labels, and sorts them by weir_runs_sort_for_page().
 * @param path    path_count paths, 1 or more. The paths and caller are lent until weir_runs_close()
 * @param filter  the runs to read; NULL = all runs
 * @return 0, or a code with err; then nothing is open. WEIR_E_CONFLICT: two paths name the same file; no run of any
 *         file fits the conditions; or, without conditions, a file has no run, or none of filter->ids. Other codes: as
 *         weir_store_open_read(), or of a failed read.
 */
int weir_runs_open(struct weir_runs *runs, const char *const *path, size_t path_count,
                   const struct weir_store_caller *caller, const struct weir_runs_filter *filter, struct weir_err *err);
/* Frees the runs and closes the files. */
void weir_runs_close(struct weir_runs *runs);
#endif
