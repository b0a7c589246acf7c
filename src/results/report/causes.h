/* src/results/report/causes.h - causes of drops and losses in runs, as their result files have them; older files have
 * none. */
#ifndef WEIR_REPORT_CAUSES_H
#define WEIR_REPORT_CAUSES_H
#include "report/sections.h"

/* Writes a table of all causes of all runs that have some: a row for each, by what was lost. Nothing if there is
 * none. */
void weir_causes_section(FILE *out, const struct weir_group *group);
#endif
