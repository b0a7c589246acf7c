/* src/scenario/trace/reader.h - declarations shared by the readers of trace.h; no other file includes this header. */
#ifndef WEIR_TRACE_READER_H
#define WEIR_TRACE_READER_H
#include "trace/trace.h"

struct trace_reader { /* what every reader gets: a file, and the graph that it is read into */
    struct weir_ranks *ranks;
    const char *file;  /* name for messages */
    const char *bytes; /* its content, with a byte 0 behind it */
    size_t length;
    uint32_t layout;            /* enum weir_goal_layout, of a GOAL schedule */
    uint32_t hosts;             /* hosts of the topology: most ranks that there may be */
    struct weir_list_note note; /* what is read in a way that is not in the file */
    struct weir_err *err;
};

/* Reads one file with all ranks. @return 0, or a code with r->err */
int weir_trace_goal(struct trace_reader *r);
int weir_trace_goal_binary(struct trace_reader *r);
int weir_trace_simai(struct trace_reader *r);

/* Refuses more ranks than there are hosts. line: where the file has the number; 0 = nowhere. @return 0, or a code with
 * r->err */
int weir_trace_check_ranks(const struct trace_reader *r, uint64_t ranks, uint32_t line);

/* Refuses the number of a NIC if the item does not say what it means. @return 0, or WEIR_E_CONFLICT with r->err */
int weir_trace_check_nic(const struct trace_reader *r, uint64_t nic, const struct weir_tok *where);

/* Adds a node to the last rank. A send of 0 bytes becomes one of 1 byte, and is counted. @return 0, or a code with
 * r->err */
int weir_trace_add(struct trace_reader *r, struct weir_rank_node *node);

/* Converts a time to picoseconds; ps: picoseconds per unit. @return the largest value if it is larger */
uint64_t weir_trace_time_ps(uint64_t value, uint64_t ps);
#endif
