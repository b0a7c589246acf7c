/* src/results/output/run_progress.h - shows the progress of a run on a progress line (text/progress.h). */
#ifndef WEIR_OUTPUT_RUN_PROGRESS_H
#define WEIR_OUTPUT_RUN_PROGRESS_H
#include "model/model.h"
#include "text/progress.h"

#define WEIR_RUN_REDRAW_NS UINT64_C(200000000) /* interval between updates on a terminal, real time */

/* Draws the progress line if it is due; the callback of struct weir_sim_options.progress. ctx: a struct
 * weir_progress_line *. Does nothing if the out of that line is NULL. */
void weir_progress_report(void *ctx, const struct weir_progress *p);
/* Draws the progress line if it is due at now_ns, a time of the same clock as line->start_ns. */
void weir_progress_report_at(struct weir_progress_line *line, const struct weir_progress *p, uint64_t now_ns);

/**
 * Writes the text of a progress line to out, without drawing it. A text that does not fit into size bytes is cut.
 * @param wall_ns  real time since the run began; 0 = not known: speed and remaining time are left out
 */
void weir_progress_text(char *out, size_t size, const struct weir_progress *p, uint64_t wall_ns);
#endif
