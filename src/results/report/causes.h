/* src/results/report/causes.h - the causes of drops and losses in runs, as their result files have them. The result
 * files of an older Weir have no causes. */
#ifndef WEIR_REPORT_CAUSES_H
#define WEIR_REPORT_CAUSES_H
#include "report/sections.h"

/* Writes a table of drops and losses: a row for each cause of each run of the group, with the packets by kind. Writes
 * nothing if no run has a cause. */
void weir_causes_section(FILE *out, const struct weir_group *group);
#endif
