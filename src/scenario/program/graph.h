/* src/scenario/program/graph.h - graphs of computing, sending and receiving (workload/ranks.h) as programs. Rules:
 * doc/model.md [graph]. */
#ifndef WEIR_PROGRAM_GRAPH_H
#define WEIR_PROGRAM_GRAPH_H
#include "program/program.h"

/* Fills *program from a graph that is finished, and lives as long as the program. index: of the item. @return 0, or a
 * code with err: then it has to be freed, too */
int weir_rank_graph_build(struct weir_program *program, const struct weir_ranks *ranks,
                          const struct weir_traffic_config *item, uint32_t index, const struct weir_programs_from *from,
                          struct weir_err *err);
#endif
