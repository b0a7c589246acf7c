/* src/scenario/workload/ranks_internal.h - declarations shared by the source files of workload/ranks.h; no other file
 * includes this header. */
#ifndef WEIR_WORKLOAD_RANKS_INTERNAL_H
#define WEIR_WORKLOAD_RANKS_INTERNAL_H
#include "workload/ranks.h"

/* Checks sizes, times, lanes and peers of all nodes, and sets lanes, send_count, send_bytes and sends_before.
 * @return 0, or a code with err */
int weir_ranks_check_nodes(struct weir_ranks *ranks, struct weir_err *err);
/* Returns the largest number of nodes of a rank. */
uint64_t weir_ranks_most_nodes(const struct weir_ranks *ranks);
/* Checks that no nodes of a rank wait for each other in a circle. @return 0, WEIR_E_CONFLICT with err, which names the
 * nodes of a cycle, or WEIR_E_MEMORY with err */
int weir_ranks_check_cycles(const struct weir_ranks *ranks, struct weir_err *err);
struct weir_takers {   /* which receive takes which message */
    uint32_t *receive; /* by node, of sends: the number of the receive in the rank of the receiver */
    bool known;        /* it is known before a run: of each pair of ranks no tag occurs twice, and none is any */
};

/* Checks that each rank receives the messages that are sent to it, after weir_ranks_check_nodes(). takers: receive has
 * an entry per node; the rest is filled in. @return 0, or WEIR_E_CONFLICT, WEIR_E_MEMORY with err */
int weir_ranks_check_messages(const struct weir_ranks *ranks, struct weir_takers *takers, struct weir_err *err);
/* Checks that ranks do not wait for each other's messages in a circle. takers: known. @return 0, WEIR_E_CONFLICT with
 * err, which names the nodes of a circle, or WEIR_E_MEMORY with err */
int weir_ranks_check_progress(const struct weir_ranks *ranks, const struct weir_takers *takers, struct weir_err *err);

/* Refuses a graph at a node's line: a position if it is a line, else "node 17: ..". hint: NULL = none. @return code */
__attribute__((format(printf, 6, 7))) int weir_ranks_fail(const struct weir_ranks *ranks, uint32_t line,
                                                          struct weir_err *err, enum weir_err_code code,
                                                          const char *hint, const char *format, ...);
#endif
