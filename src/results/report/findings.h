/* src/results/report/findings.h - what a run's numbers lack, as its result file has it: the sentences of `findings`,
 * and the verdict. Older files have neither: there `stable` and `unstable_why` are all that is known. */
#ifndef WEIR_REPORT_FINDINGS_H
#define WEIR_REPORT_FINDINGS_H
#include "report/sections.h"

/* Returns the verdict of runs of which none is noted as unstable: the most reserved one of "yes", "so far" and a dash
 * (nothing is known). */
const char *weir_findings_verdict(const struct weir_run *run, size_t count);

/* Prints the sentences of all runs that have some, under one heading; open where they are few. */
void weir_findings_section(FILE *out, const struct weir_group *group);
#endif
