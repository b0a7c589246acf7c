/* src/report/labels.h - what runs are called in a page: by what differs among them. Runs that differ in the seed only are one
 * set, and have one label. */
#ifndef WEIR_REPORT_LABELS_H
#define WEIR_REPORT_LABELS_H
#include "report/runs.h"

/**
 * Gives each run its set and label. Labels are made within each part of the page (weir_runs_same_group()):
 * - a label that a user or a sweep gave stays, and what differs is appended where several sets have the same;
 * - a run without one is called by what differs among all such runs, else by its scenario's name.
 * What differs is as short as it can be: a setting that follows from those before it is not in it. Two sets never have the same
 * label: file and number of the first run tell apart what nothing else does.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_labels_make(struct weir_runs *runs, struct weir_err *err);

/* A copy of the scenario without its seed; NULL = no memory. To be freed. */
char *weir_label_scenario(const char *scenario);

/* How long a label is without the seed at its end: "k16-5" of seed "5" is 3, "a seed 5" 1. The whole label if it does not end with
 * that. */
size_t weir_label_without_seed(const char *label, const char *seed);
#endif
