/* src/scenario/config/topology_read.h - inside this room: a network as a reader of one form leaves it, before it is
 * checked and laid out. For topology_file.c and the readers, topology_yaml.c, topology_htsim.c and topology_hpcc.c,
 * only. */
#ifndef WEIR_CONFIG_TOPOLOGY_READ_H
#define WEIR_CONFIG_TOPOLOGY_READ_H
#include "topology/graph.h"

struct weir_topology_read { /* arrays: owned */
    struct weir_graph graph;
    struct weir_tok *node_at, *cable_at; /* the position of each */
    struct weir_tok all;                 /* of the whole: the file */
    uint32_t *host_id;                   /* of each host in the file, ascending; NULL = its number */
    const char *note;                    /* what of the file has no effect here; NULL = nothing. Not owned */
};

/* Makes room for this many nodes and cables, all zero. @return 0, or WEIR_E_MEMORY with err */
int weir_topology_read_room(struct weir_topology_read *out, uint32_t hosts, uint32_t switches, uint32_t cables,
                            struct weir_err *err);
void weir_topology_read_free(struct weir_topology_read *out);

/* Adds one more cable. There is room. */
void weir_topology_read_cable(struct weir_topology_read *out, const struct weir_cable *cable,
                              const struct weir_tok *at);

/* Tests whether a text begins as htsim's description of a fat tree; as a topology of HPCC's family. Neither is YAML of
 * hosts and cables. */
bool weir_topology_is_htsim(const char *text);
bool weir_topology_is_hpcc(const char *text);

/* Reads htsim's .topo. Tiers, radices, bundles and speeds become hosts ("host 3"), "tor 0", "agg 1", "core 2" and
 * cables. A switch's latency is a part of the delay of each link that leads to it: packets wait for it before they are
 * queued, as there.
 * @return 0, or a code with err (file and line); out is to be freed in any case */
int weir_topology_read_htsim(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err);

/* Reads a topology of HPCC's family: node counts, ids of switches, links. A node that is not listed as a switch is a
 * host. h3 and s320 have the ids 3 and 320. The number of tokens of the first line distinguishes the dialects
 * (doc/files.md).
 * @return as above */
int weir_topology_read_hpcc(struct weir_topology_read *out, const char *file, const char *text, struct weir_err *err);

/* Reads YAML of hosts, switches and cables, and lays it out. @return 0, or a code with err; then topo needs no free */
int weir_topology_load_yaml(struct weir_topology *topo, const char *file, const char *text, struct weir_err *err);
#endif
