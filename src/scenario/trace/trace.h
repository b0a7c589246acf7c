/* src/scenario/trace/trace.h - traces of distributed programs, read into graphs of ranks (workload/ranks.h): GOAL
 * schedules, execution traces of Chakra, workloads of SimAI. doc/traces.md describes the formats and what is read. */
#ifndef WEIR_TRACE_TRACE_H
#define WEIR_TRACE_TRACE_H
#include "core/err.h"
#include "workload/ranks.h"
#include "workload/workload.h"

enum weir_trace_form {
    WEIR_TRACE_UNKNOWN,
    WEIR_TRACE_GOAL,        /* text: num_ranks, then a block per rank */
    WEIR_TRACE_GOAL_BINARY, /* LogGOPSim's binary form of the same */
    WEIR_TRACE_CHAKRA,      /* protobuf messages, each behind its length; a file per rank */
    WEIR_TRACE_CHAKRA_JSON, /* the same as JSON */
    WEIR_TRACE_SIMAI,       /* text: a line of the strategy, the number of layers, a line per layer */
    WEIR_TRACE_GZIP,        /* compressed: any of these, perhaps */
};

/* Recognises a trace by its beginning. bytes: the content of a file, with a byte 0 behind it. */
enum weir_trace_form weir_trace_form_of(const char *bytes, size_t length);

/**
 * Reads the trace of a traffic item and prepares the graph for a run. On success weir_ranks_free() frees it.
 * @param item    of kind goal, chakra or simai
 * @param limits  its hosts are the most ranks that there may be; base_dir is where a relative name starts
 * @param note    gets the number of messages of 0 bytes; NULL = not wanted
 * @return 0, or a code with err: file and line or node, what is wrong, what is allowed; then ranks needs no free
 */
int weir_trace_load(struct weir_ranks *ranks, const struct weir_traffic_config *item,
                    const struct weir_workload_limits *limits, struct weir_list_note *note, struct weir_err *err);
#endif
