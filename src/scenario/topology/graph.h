/* src/scenario/topology/graph.h - a network of any shape: its hosts, switches and cables one by one, as a file lists
 * them. The rules for such a network are checked here; config/topology_file.h reads the file. */
#ifndef WEIR_TOPOLOGY_GRAPH_H
#define WEIR_TOPOLOGY_GRAPH_H
#include "topology/topology.h"

#define WEIR_GRAPH_SWITCHES_MAX 65535u

struct weir_graph { /* nodes 0 .. host_count - 1 are hosts, switches follow */
    uint32_t host_count, switch_count, cable_count;
    char (*name)[WEIR_NODE_NAME]; /* of each node; no two alike, and weir_graph_name_flaw() finds nothing */
    struct weir_cable
        *cable; /* cable_count; parallel cables are several entries. Rates and delays are in their ranges */
};

struct weir_graph_where {         /* positions in the file, for messages */
    const struct weir_tok *all;   /* the whole */
    const struct weir_tok *node;  /* one for each node */
    const struct weir_tok *cable; /* one for each cable */
};

/* Returns what is wrong with a node's name, as a text that follows the name; NULL = nothing. Names are parts of link
 * names and events, so what separates two of them there cannot be in one. */
const char *weir_graph_name_flaw(const char *name);

/**
 * Refuses what is no network:
 * - fewer than 2 hosts, too many of anything;
 * - a host without a cable or with two, a cable between hosts or from a switch to itself;
 * - two parts that no cable joins;
 * - hosts whose links towards the network have unlike rates.
 * @return 0, or WEIR_E_RANGE or WEIR_E_CONFLICT with err
 */
int weir_graph_check(const struct weir_graph *graph, const struct weir_graph_where *where, struct weir_err *err);

/**
 * Lays out a graph that weir_graph_check() accepts. Its tiers: 1 = a switch with hosts, else one more than its nearest
 * neighbour's.
 * @return 0, or WEIR_E_MEMORY with err; then nothing needs freeing
 */
int weir_graph_build(struct weir_topology *topo, const struct weir_graph *graph, struct weir_err *err);
#endif
