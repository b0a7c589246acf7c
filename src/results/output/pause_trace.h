/* src/results/output/pause_trace.h - the trace of control frames (PFC: pause and resume), a line each as it arrives, in
 * the form that the tools around HPCC's public simulator read: `TIME_ns NODE IS_SWITCH PORT TYPE`. */
#ifndef WEIR_OUTPUT_PAUSE_TRACE_H
#define WEIR_OUTPUT_PAUSE_TRACE_H
#include "model/model.h"

struct weir_pause_trace {
    FILE *file;
    const struct weir_topology *topo;
};

/**
 * Writes a line per control frame; for struct weir_sim_options.control. NODE counts hosts first, then switches; PORT
 * counts from 1, as there. TYPE is the frame's code, of PFC 1 pause, 0 resume. Time is in whole nanoseconds, rounded
 * down.
 * @param ctx  a struct weir_pause_trace *
 * @return 0 or WEIR_E_FILE
 */
int weir_pause_trace_rows(void *ctx, const struct weir_control_row *row, size_t count);
#endif
