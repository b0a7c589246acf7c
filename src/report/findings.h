/* src/report/findings.h - what a run's numbers lack, as its result file tells: the sentences of `findings`, and the verdict. Files of
 * before have neither: there `stable` and `unstable_why` are all that is known. */
#ifndef WEIR_REPORT_FINDINGS_H
#define WEIR_REPORT_FINDINGS_H
#include "report/sections.h"

/* "yes", "so far", .. of runs that are not noted as unstable, the most reserved word of all; a dash where nothing is known. */
const char *weir_findings_stable_word(const struct weir_run *run, size_t count);

/* The sentences of all runs that have some, under one heading; open where they are few. */
void weir_findings_section(FILE *out, const struct weir_group *group);
#endif
