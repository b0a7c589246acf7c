/* src/results/output/run_progress.h - how far a run is, on a progress line. */
#ifndef WEIR_OUTPUT_RUN_PROGRESS_H
#define WEIR_OUTPUT_RUN_PROGRESS_H
#include "model/model.h"
#include "text/progress.h"

#define WEIR_RUN_REDRAW_NS UINT64_C(200000000) /* on a terminal */

/* Draws the line where it is due. For struct weir_sim_options; ctx is a struct weir_progress_line *. */
void weir_progress_report(void *ctx, const struct weir_progress *p);
void weir_progress_report_at(struct weir_progress_line *line, const struct weir_progress *p, uint64_t now_ns);

/**
 * Writes the text of the line, without the terminal.
 * @param wall_ns  real time since the run began; 0 = no speed yet
 */
void weir_progress_text(char *out, size_t size, const struct weir_progress *p, uint64_t wall_ns);
#endif
