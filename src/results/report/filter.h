/* src/results/report/filter.h - the conditions that choose the runs of a page. */
#ifndef WEIR_REPORT_FILTER_H
#define WEIR_REPORT_FILTER_H
#include "report/runs.h"

struct weir_runs_filter {
    const char *ids; /* ids of runs, "3,14,15"; NULL = all */
    /* Conditions "KEY=PATTERN"; a run must fit all of them. KEY is name, label, status, protocol, preset, seed,
     * commit_id, experiment, figure or point, or a key of the scenario, or the end of such a key ("load"). PATTERN may
     * have * ? and [..], as in a shell. */
    const char *const *where;
    size_t where_count;
};

/* Sets *fits to true if a run fits all conditions `where` of a filter, or if filter is NULL; else to false. Ignores
 * filter->ids. Returns 0, or WEIR_E_MEMORY with err. */
int weir_filter_fits(const struct weir_runs_filter *filter, const struct weir_run *run, bool *fits,
                     struct weir_err *err);
#endif
