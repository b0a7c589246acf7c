/* src/results/report/labels.h - makes the labels of runs on a page, which show the settings in which runs differ. Runs
 * that differ in the seed only are one set, and have one label. */
#ifndef WEIR_REPORT_LABELS_H
#define WEIR_REPORT_LABELS_H
#include "report/runs.h"

/**
 * Sets the set number and the label of each run. Runs of one part of the page (weir_runs_same_group()) must be
 * adjacent. Labels are made within each part:
 * - A label that a user or a sweep gave is kept. If several sets have the same label, their differences are appended.
 * - Runs without such a label get their differences as the label; if there are no differences, the name of their
 *   scenario.
 *
 * weir_differ() makes the texts of differences. Two sets of a part never have the same label: if nothing else
 * distinguishes them, the file and the id of their first run are appended.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_labels_make(struct weir_runs *runs, struct weir_err *err);

/* Returns a copy of the text of a scenario without run.seed, which the caller frees; NULL = no memory. */
char *weir_label_scenario(const char *scenario);

/* Returns the length of a label without the seed at its end: "k16-5" with seed "5" gives 3, "a seed 5" gives 1. Returns
 * the whole length if the label is nothing but the seed, or if it does not end with the seed. A seed directly after a
 * letter, a digit or a point does not count: "k165" does not end with seed "5". */
size_t weir_label_without_seed(const char *label, const char *seed);
#endif
