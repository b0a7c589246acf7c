/* src/results/report/labels.h - labels of runs in a page: they show what differs among runs. Runs that differ in the
 * seed only are one set, and have one label. */
#ifndef WEIR_REPORT_LABELS_H
#define WEIR_REPORT_LABELS_H
#include "report/runs.h"

/**
 * Gives each run its set and label. Labels are made within each part of the page (weir_runs_same_group()):
 * - a label that a user or a sweep gave stays, and what differs is appended where several sets have the same;
 * - a run without one is called by what differs among all such runs, else by its scenario's name.
 * What differs is as short as it can be: a setting that follows from those before it is not in it. Two sets never have
 * the same label: where nothing else distinguishes them, file and number of the first run do.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_labels_make(struct weir_runs *runs, struct weir_err *err);

/* Returns a copy of the scenario without its seed, to be freed; NULL = no memory. */
char *weir_label_scenario(const char *scenario);

/* Returns the length of a label without the seed at its end: "k16-5" with seed "5" gives 3, "a seed 5" gives 1. A label
 * that does not end with the seed counts whole. */
size_t weir_label_without_seed(const char *label, const char *seed);
#endif
