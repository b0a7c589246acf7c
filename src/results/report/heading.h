/* src/results/report/heading.h - the title of the page, and what was run in one line. */
#ifndef WEIR_REPORT_HEADING_H
#define WEIR_REPORT_HEADING_H
#include "report/runs.h"

/* Writes the title of a page, scenario and question: "storage: dctcp, hpcc or sird?", "storage: which of 12?",
 * "demo: dctcp". Of several scenarios it has the name of their experiment, if any, and the number of runs. size: 64 or
 * more */
void weir_heading_title(char *out, size_t size, const struct weir_runs *runs);

/* Writes what all runs of a page have in common: topology, traffic, seeds, and from which files they are. HTML. */
void weir_heading_lead(FILE *out, const struct weir_runs *runs);
#endif
