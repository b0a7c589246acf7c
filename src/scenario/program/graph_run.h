/* src/scenario/program/graph_run.h - what graph.c and graph_run.c share. */
#ifndef WEIR_PROGRAM_GRAPH_RUN_H
#define WEIR_PROGRAM_GRAPH_RUN_H
#include "program/run.h"

extern const struct weir_program_ops weir_rank_graph_program;
/* Returns sizes of messages: struct weir_program_ops. */
uint64_t weir_rank_graph_size(const struct weir_program *program, uint32_t n);
#endif
