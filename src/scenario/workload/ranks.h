/* src/scenario/workload/ranks.h - what the ranks of a distributed program do: a graph of computing, sending and
 * receiving, as traces of such programs have it. A graph is built before the run and does not change in it.
 *
 * Ranks are numbered from 0. Each is at a host of its own. A node begins when all that it waits for has ended or, by an
 * edge of that kind, has begun. A node that waits for nothing begins when the graph does. All nodes of an edge are of
 * one rank: ranks know of each other by messages only. */
#ifndef WEIR_WORKLOAD_RANKS_H
#define WEIR_WORKLOAD_RANKS_H
#include "core/err.h"
#include <stdbool.h>

#define WEIR_RANKS_MAX (1u << 20)
#define WEIR_RANK_NODES_MAX (1u << 28) /* of all ranks */
#define WEIR_RANK_ANY UINT32_MAX       /* peer of a receive: whoever sends */
#define WEIR_RANK_ANY_TAG UINT64_MAX   /* tag of a receive: whatever tag the message has */
#define WEIR_RANK_NO_LANE UINT32_MAX   /* lane of a node: none, it takes no turns with others */
#define WEIR_RANK_AT_START (1u << 31)  /* of an edge: the later node waits for the beginning of the earlier one */

enum weir_rank_op {
    WEIR_RANK_COMPUTE, /* takes compute_ps; nodes of one lane of a rank compute one after the other */
    WEIR_RANK_SEND,    /* sends a message; has ended when the sender knows that it has arrived */
    WEIR_RANK_RECV,    /* has ended when it has begun and a message that matches has arrived: each takes one message */
};

/* Of the messages between two ranks, a receive takes the one that was delivered first of those whose tag matches. Of
 * receives that match, the one that began first takes it; of those that began at one instant, the first of its rank. */
struct weir_rank_node {
    uint64_t bytes;      /* send, receive: 1 .. WEIR_CDF_SIZE_MAX; of a receive for checks alone */
    uint64_t compute_ps; /* compute */
    uint64_t tag;        /* send, receive */
    uint32_t peer;       /* send, receive: a rank */
    uint32_t lane;       /* compute */
    uint32_t op;         /* enum weir_rank_op */
    uint32_t waits;      /* edges to this node; filled in by weir_ranks_finish() */
    uint64_t next_first; /* edges from this node: edge[next_first] .. + next_count - 1; likewise */
    uint32_t next_count;
    uint32_t line; /* where it is in its file, for messages: a line, or a number that the format has; 0 = unknown */
};

struct weir_ranks {
    uint32_t ranks;
    uint64_t *first; /* ranks + 1: nodes of rank r are node[first[r]] .. node[first[r + 1]] - 1 */
    struct weir_rank_node *node;
    uint32_t *edge; /* number of the later node among those of its rank, perhaps with WEIR_RANK_AT_START */
    uint64_t node_count, edge_count, send_count; /* send_count: messages that a run of the graph has */
    uint64_t send_bytes;
};

void weir_ranks_free(struct weir_ranks *ranks);

/* --- building: the nodes of rank 0 with their edges, then those of rank 1, .. --- */

/* Begins the next rank. @return 0, or WEIR_E_MEMORY, WEIR_E_RANGE with err */
int weir_ranks_begin(struct weir_ranks *ranks, struct weir_err *err);
/* Adds a node to the last rank. @return 0, or WEIR_E_MEMORY, WEIR_E_RANGE with err */
int weir_ranks_add(struct weir_ranks *ranks, const struct weir_rank_node *node, struct weir_err *err);
/* Lets node `later` of the last rank wait for node `earlier`, both by their numbers in the rank; both may be added
 * later. at_start: for the beginning of `earlier`. @return 0, or WEIR_E_MEMORY with err */
int weir_ranks_after(struct weir_ranks *ranks, uint32_t later, uint32_t earlier, bool at_start, struct weir_err *err);

/* Checks a graph and prepares it for a run. Called once, after the last rank. @return 0, or a code with err: a peer that
 * does not exist or is the rank itself, a size of 0, an edge to no node, a cycle (err names the lines of its nodes), a
 * rank that receives more or fewer messages from another than that one sends to it, no node, no memory */
int weir_ranks_finish(struct weir_ranks *ranks, struct weir_err *err);
#endif
