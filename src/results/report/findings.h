/* src/results/report/findings.h - the findings of runs, as their result files have them. Files of an older Weir have
 * none. */
#ifndef WEIR_REPORT_FINDINGS_H
#define WEIR_REPORT_FINDINGS_H
#include "report/sections.h"

/* Prints the findings of all runs of a group under one heading; nothing if no run has findings. The list is closed at
 * first if more than 6 runs have findings. */
void weir_findings_section(FILE *out, const struct weir_group *group);
#endif
