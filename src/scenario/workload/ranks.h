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
#define WEIR_RANK_NODES_MAX (1u << 28)          /* of all ranks */
#define WEIR_RANK_EDGES_MAX (1u << 29)          /* likewise */
#define WEIR_RANK_LANES_MAX 256u                /* lanes of a rank */
#define WEIR_RANK_BYTES_MAX (UINT64_C(1) << 56) /* of all messages */
#define WEIR_RANK_ANY UINT32_MAX                /* peer of a receive: whoever sends */
#define WEIR_RANK_ANY_TAG UINT64_MAX            /* tag of a receive: whatever tag the message has */
#define WEIR_RANK_NO_LANE UINT32_MAX            /* lane of a node: none, it takes no turns with others */
#define WEIR_RANK_AT_START (1u << 31) /* of an edge: the later node waits for the beginning of the earlier one */

enum weir_rank_op {
    WEIR_RANK_COMPUTE, /* takes compute_ps; nodes of one lane of a rank compute one after the other */
    WEIR_RANK_SEND,    /* sends a message; has ended when the sender knows that it has arrived */
    WEIR_RANK_RECV,    /* has ended when it has begun and a message that matches has arrived: each takes one message */
};

/* A receive takes a message of its peer whose tag matches: of several the one that was delivered first. Of receives
 * that match one message, the one that began first takes it; of those that began at one instant, the first of its
 * rank. */
struct weir_rank_node {
    uint64_t bytes;      /* send: 1 .. WEIR_CDF_SIZE_MAX; receive: without effect, the message has its own size */
    uint64_t compute_ps; /* compute: at most WEIR_TRAFFIC_TIME_MAX */
    uint64_t tag;        /* send, receive; of a send not WEIR_RANK_ANY_TAG */
    uint32_t peer;       /* send, receive: another rank; of a send not WEIR_RANK_ANY */
    uint32_t lane;       /* compute: below WEIR_RANK_LANES_MAX, or WEIR_RANK_NO_LANE */
    uint32_t op;         /* enum weir_rank_op */
    uint32_t waits;      /* edges to this node; filled in by weir_ranks_finish() */
    uint64_t next_first; /* edges from this node: edge[next_first] .. + next_count - 1; likewise */
    uint32_t next_count;
    uint32_t line; /* where it is in its file, for messages: a line, or a number that the format has; 0 = unknown */
};

struct weir_ranks_draft; /* what only building needs */

struct weir_ranks { /* all zero before the first call */
    uint32_t ranks;
    uint32_t lanes;  /* one more than the largest lane of a node; 0 = no node has a lane */
    uint64_t *first; /* ranks + 1: nodes of rank r are node[first[r]] .. node[first[r + 1]] - 1 */
    struct weir_rank_node *node;
    uint32_t *edge; /* number of the later node among those of its rank, perhaps with WEIR_RANK_AT_START */
    uint64_t node_count, edge_count, send_count; /* send_count: messages that a run of the graph has */
    uint64_t send_bytes;
    uint64_t *sends_before; /* ranks + 1: messages that the ranks below r send */
    const char *line_is;    /* name in messages of what a node's line counts, as "node"; NULL = "line". Not owned */
    struct weir_ranks_draft *draft; /* NULL before the first rank and once the graph is finished */
};

void weir_ranks_free(struct weir_ranks *ranks);

/* --- building: rank 0 with its nodes and edges, then rank 1, ..; on an error the caller still frees --- */

/* Begins the next rank. @return 0, or a code with err: more than WEIR_RANKS_MAX ranks, no memory, an edge of the rank
 * before to no node */
int weir_ranks_begin(struct weir_ranks *ranks, struct weir_err *err);
/* Adds a node to the last rank. @return 0, or WEIR_E_MEMORY, WEIR_E_RANGE with err */
int weir_ranks_add(struct weir_ranks *ranks, const struct weir_rank_node *node, struct weir_err *err);
/* Lets node `later` of the last rank wait for node `earlier`, both by their numbers in the rank; both may be added
 * later. at_start: for the beginning of `earlier`. @return 0, or WEIR_E_MEMORY, WEIR_E_RANGE with err */
int weir_ranks_after(struct weir_ranks *ranks, uint32_t later, uint32_t earlier, bool at_start, struct weir_err *err);
/* Returns the number of nodes of the last rank; 0 before the first rank. */
uint32_t weir_ranks_last_count(const struct weir_ranks *ranks);

/* Checks a graph and prepares it for a run. Called once, after the last rank. Positions in err have a line and no file.
 * @return 0, or a code with err. Refused are:
 * - a graph without nodes, an edge to no node, sizes of 0, sizes and times out of their ranges;
 * - a peer that does not exist or is the rank itself;
 * - a cycle: err names the lines of its nodes;
 * - a rank that receives more or fewer messages from another than that one sends to it, or more with a tag;
 * - ranks that wait for each other's messages in a circle, if all messages of a pair of ranks have different tags. */
int weir_ranks_finish(struct weir_ranks *ranks, struct weir_err *err);
#endif
