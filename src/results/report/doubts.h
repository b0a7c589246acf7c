/* src/results/report/doubts.h - which runs of a part of the page are in doubt or not done, why, and what helps. The
 * tables that commands print say the same (reproduce/settle.h, reproduce/advice.h). */
#ifndef WEIR_REPORT_DOUBTS_H
#define WEIR_REPORT_DOUBTS_H
#include "report/sections.h"

/* Makes a line for each reason: "9 of 36 runs are too short (all 3 sets): run.measure=30 ms settles them". *text: gets
 * the lines, each with its newline, "" = no run is in doubt or missing; the caller frees it, also after a failure.
 * Returns 0, or WEIR_E_MEMORY with err. */
int weir_doubts_lines(char **text, const struct weir_group *group, struct weir_err *err);

/* Writes these lines as a list; nothing if there is none. Returns 0, or WEIR_E_MEMORY with err. */
int weir_doubts_list(FILE *out, const struct weir_group *group, struct weir_err *err);
#endif
