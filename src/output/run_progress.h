/* src/output/run_progress.h - how far a run is, on a progress line. */
#ifndef WEIR_OUTPUT_RUN_PROGRESS_H
#define WEIR_OUTPUT_RUN_PROGRESS_H
#include "model/model.h"
#include "term/progress.h"

/* For struct weir_sim_options; ctx is the line. Draws at most five times a second on a terminal, once a second
 * elsewhere. */
void weir_progress_report(void *ctx, const struct weir_progress *p);

/**
 * The text alone, without the terminal.
 * @param wall_ns  real time since the run began; 0 = no speed yet
 */
void weir_progress_text(char *out, size_t size, const struct weir_progress *p, uint64_t wall_ns);
#endif
