/* src/scenario/topology/graph.h - a network of any shape: a list of its hosts, switches and cables, as read from a
 * file. The rules for such a network are checked here; config/topology_file.h reads the file. */
#ifndef WEIR_TOPOLOGY_GRAPH_H
#define WEIR_TOPOLOGY_GRAPH_H
#include "topology/topology.h"

#define WEIR_GRAPH_SWITCHES_MAX 65535u

struct weir_graph { /* a list of nodes and cables; nodes 0 .. host_count - 1 are hosts, switches follow */
    uint32_t host_count, switch_count, cable_count;
    char (*name)[WEIR_NODE_NAME]; /* names of the nodes; all differ, and weir_graph_name_flaw() accepts each */
    /* cable_count cables; parallel cables are separate entries. Rates and delays are within their ranges */
    struct weir_cable *cable;
};

struct weir_graph_where {         /* positions in the file, for error messages */
    const struct weir_tok *all;   /* of the whole network */
    const struct weir_tok *node;  /* of each node */
    const struct weir_tok *cable; /* of each cable */
};

/* Returns a sentence about a flaw of a node's name, for a message that has just shown the name; NULL = the name is
 * allowed. A name has 1 to 31 bytes, no control characters, and no blank at an end. Names of links and ranges separate
 * names by ' - ', ' > ', ' #' and '..', so a name must not contain one of these. */
const char *weir_graph_name_flaw(const char *name);

/**
 * Refuses a graph that is no network:
 * - fewer than 2 hosts, too many nodes or cables, more than WEIR_PORTS_MAX cables at one switch;
 * - a host without a cable or with more than WEIR_NICS_MAX, a cable from a node to itself;
 * - two parts that no cable joins.
 * @return 0, or WEIR_E_RANGE, WEIR_E_CONFLICT or WEIR_E_MEMORY with err
 */
int weir_graph_check(const struct weir_graph *graph, const struct weir_graph_where *where, struct weir_err *err);

/**
 * Builds the topology of a graph that weir_graph_check() accepts. Tier 1 is the switches with hosts. The tier of any
 * other switch is one more than the lowest tier of its neighbours.
 * @return 0, or WEIR_E_MEMORY with err; then nothing needs freeing
 */
int weir_graph_build(struct weir_topology *topo, const struct weir_graph *graph, struct weir_err *err);
#endif
