/* src/results/report/runs_open.h - reads the runs of result files. */
#ifndef WEIR_REPORT_RUNS_OPEN_H
#define WEIR_REPORT_RUNS_OPEN_H
#include "report/filter.h"

/* Opens the files and reads their runs; sorted by experiment, figure, whether anything was measured, label, seed.
 * Numbers in names count as numbers. filter NULL = all runs. @return 0, or a code with err, then nothing is open: a
 * file is refused, has no run, or is named twice; or no run fits. The caller is lent until weir_runs_close() */
int weir_runs_open(struct weir_runs *runs, const char *const *path, size_t path_count,
                   const struct weir_store_caller *caller, const struct weir_runs_filter *filter, struct weir_err *err);
void weir_runs_close(struct weir_runs *runs);
#endif
