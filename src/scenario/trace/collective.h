/* src/scenario/trace/collective.h - collective operations of a trace, written out as sends and receives of one rank.
 * All-reduce, all-gather, reduce-scatter and barrier use a ring. Broadcast and reduce use a chain that begins or ends
 * at the first member. All-to-all, gather and scatter are direct. */
#ifndef WEIR_TRACE_COLLECTIVE_H
#define WEIR_TRACE_COLLECTIVE_H
#include "trace/reader.h"

enum trace_op { /* the numbers of Chakra's CollectiveCommType */
                TRACE_ALL_REDUCE,
                TRACE_REDUCE,
                TRACE_ALL_GATHER,
                TRACE_GATHER,
                TRACE_SCATTER,
                TRACE_BROADCAST,
                TRACE_ALL_TO_ALL,
                TRACE_REDUCE_SCATTER,
                TRACE_REDUCE_SCATTER_BLOCK,
                TRACE_BARRIER,
                TRACE_OPS,
};
extern const char *const trace_op_names[TRACE_OPS]; /* "all-reduce", .. */

struct trace_group { /* ranks that take part, in the order of the ring */
    const uint32_t *member;
    uint32_t count;
};

struct trace_collective { /* one collective operation */
    struct trace_group group;
    uint64_t bytes;  /* the whole data: of all ranks' shares together; at most WEIR_CDF_SIZE_MAX for each rank */
    uint32_t op;     /* enum trace_op */
    uint32_t number; /* below 2^31: differs from that of every other collective of the trace */
    uint32_t line;   /* of its nodes, for messages */
};

struct trace_span { /* nodes of the last rank: all of a part begin after `first`, and `last` begins after they end */
    uint32_t first, last;
};

/* Returns the bytes of part i of n parts, which are as equal as possible. At least 1, so that each part is a
 * message. */
uint64_t weir_trace_part(uint64_t bytes, uint32_t i, uint32_t n);

/**
 * Adds the nodes of one collective for the member at an index of its group, which is the last rank.
 * @param span  gets its first and last node
 * @return 0, or a code with r->err
 */
int weir_trace_collective(struct trace_reader *r, const struct trace_collective *c, uint32_t index,
                          struct trace_span *span);
#endif
