/* src/scenario/config/topology_file.h - builds the topology that a scenario names: one of a kind, or one from a file of
 * hosts, switches and cables. doc/topology.md describes the format of the file; the keys are the rows below. */
#ifndef WEIR_CONFIG_TOPOLOGY_FILE_H
#define WEIR_CONFIG_TOPOLOGY_FILE_H
#include "core/param.h"
#include "topology/topology.h"

#define WEIR_GRAPH_LIST_MAX (1u << 20) /* most entries of one list in a file; a range of names is one entry */

/* Keys of the map `defaults`, and of an entry of the list `cables`. */
extern const struct weir_param weir_graph_default_params[], weir_graph_cable_params[];

/* Returns the format of a topology file, found from the beginning of its text; never WEIR_TOPOLOGY_AUTO. */
enum weir_topology_format weir_topology_format_of(const char *text);

/**
 * Tests whether a text is a network and not a scenario. A network is a topology file of htsim or of HPCC's family, or
 * YAML with hosts, switches or cables at its top, and none of topology, protocol and traffic.
 * @param file  name of the file, for positions
 */
bool weir_topology_is_network(const char *file, const char *text);

/**
 * Builds the topology of a scenario, by its kind or from the file that it names.
 * @param base_dir  folder from which a relative file name starts; NULL = the working directory
 * @param where     position of the scenario's section, for errors that have no position in the topology file; may be
 *                  NULL
 * @return 0, or a code with err: file:line:col, what is wrong, what is allowed; then topo needs no free
 */
int weir_topology_load(struct weir_topology *topo, const struct weir_topology_config *cfg, const char *base_dir,
                       const struct weir_tok *where, struct weir_err *err);
#endif
