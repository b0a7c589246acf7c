/* src/scenario/config/topology_read.h - a network as a reader of one file format has read it, before it is checked and
 * built. Inside this room only: for topology_file.c and the readers topology_yaml.c, topology_htsim.c and
 * topology_hpcc.c. */
#ifndef WEIR_CONFIG_TOPOLOGY_READ_H
#define WEIR_CONFIG_TOPOLOGY_READ_H
#include "topology/graph.h"

struct weir_topology_read { /* a network read from a file; weir_topology_read_free() frees the arrays */
    struct weir_graph graph;
    struct weir_tok *node_at, *cable_at; /* position in the file of each node and of each cable */
    struct weir_tok all;                 /* position for errors of the network as a whole: the file */
    uint32_t *host_id;                   /* id of each host in the file, ascending; NULL = the number of the host */
    const char *note;                    /* a sentence on keys without effect; NULL = there are none. Not owned */
};

/* Allocates zeroed arrays for hosts + switches nodes and for `cables` cables. @return 0, or WEIR_E_MEMORY with err;
 * weir_topology_read_free() is needed in both cases */
int weir_topology_read_room(struct weir_topology_read *out, uint32_t hosts, uint32_t switches, uint32_t cables,
                            struct weir_err *err);
void weir_topology_read_free(struct weir_topology_read *out);

/* Appends one cable and its position. The caller has allocated enough cables by weir_topology_read_room(). */
void weir_topology_read_cable(struct weir_topology_read *out, const struct weir_cable *cable,
                              const struct weir_tok *at);

/* Tests whether a text begins as htsim's description of a fat tree (.topo): with Nodes, Tiers, Podsize or Tier, in any
 * case, and a second token. */
bool weir_topology_is_htsim(const char *text);
/* Tests whether a text begins as a topology of HPCC's family: with two numbers in its first line. */
bool weir_topology_is_hpcc(const char *text);

/* Reads htsim's .topo. Tiers, radices, bundles and speeds become nodes ("host 3", "tor 0", "agg 1", "core 2") and
 * cables. The latency of a switch is added to the delay of each link that leads to the switch: in htsim, too, packets
 * wait for it before they are queued. @return 0, or a code with err (file and line); the caller calls
 * weir_topology_read_free() in both cases */
int weir_topology_read_htsim(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err);

/* Reads a topology of HPCC's family: node counts, ids of switches, links. A node that is not listed as a switch is a
 * host. The names h3, s320 and nvswitch8 are the host, the switch and the NVSwitch with these ids. The number of tokens
 * of the first line distinguishes the dialects (doc/files.md). @return as weir_topology_read_htsim() */
int weir_topology_read_hpcc(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err);

/* Reads a YAML file of hosts, switches and cables, checks the network and builds the topology. @return 0, or a code
 * with err; then topo needs no free */
int weir_topology_load_yaml(struct weir_topology *topo, const char *file, const char *text, struct weir_err *err);
#endif
