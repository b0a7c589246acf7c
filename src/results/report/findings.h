/* src/results/report/findings.h - the findings and the verdict of runs, as their result files have them. Files of an
 * older Weir have neither; they only have `stable` and `unstable_why`. */
#ifndef WEIR_REPORT_FINDINGS_H
#define WEIR_REPORT_FINDINGS_H
#include "report/sections.h"

/* Returns the text of the row "Stable" for a set of `count` runs. No run may have a note (weir_run_note()). Each run
 * has the text "yes", "so far" or a dash (not known). Returns the first text that is not "yes"; if there is none,
 * "yes". */
const char *weir_findings_verdict(const struct weir_run *run, size_t count);

/* Prints the findings of all runs of a group under one heading; nothing if no run has findings. The list is closed at
 * first if more than 6 runs have findings. */
void weir_findings_section(FILE *out, const struct weir_group *group);
#endif
