/* src/results/output/pause_trace.h - writes a trace of control frames (PFC: pause and resume), a line for each frame
 * that arrives, in the format that the tools for HPCC's public simulator read:
 * `TIME_ns NODE IS_SWITCH PORT TYPE`. */
#ifndef WEIR_OUTPUT_PAUSE_TRACE_H
#define WEIR_OUTPUT_PAUSE_TRACE_H
#include "model/model.h"

struct weir_pause_trace {
    FILE *file;
    const struct weir_topology *topo;
};

/**
 * Writes a line per control frame; the callback of struct weir_sim_options.control. NODE and PORT name the port that
 * the frame pauses or resumes. NODE is numbered from 0, hosts first, then switches. PORT is numbered from 1, as in
 * HPCC's simulator. TYPE is the code of the frame: for PFC 1 = pause, 0 = resume. TIME_ns is rounded down.
 * @param ctx  a struct weir_pause_trace *
 * @return 0 or WEIR_E_FILE
 */
int weir_pause_trace_rows(void *ctx, const struct weir_control_row *row, size_t count);
#endif
