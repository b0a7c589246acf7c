/* src/scenario/config/topology_file.h - a topology as a scenario names it: of a kind, or from a file of hosts, switches
 * and cables. The form of the file is described in doc/topology.md; the keys are the rows below. */
#ifndef WEIR_CONFIG_TOPOLOGY_FILE_H
#define WEIR_CONFIG_TOPOLOGY_FILE_H
#include "core/param.h"
#include "topology/topology.h"

#define WEIR_GRAPH_LIST_MAX (1u << 20) /* entries of one list in a file; a range of names is one entry */

/* Keys of `defaults`, and of an entry of `cables`. */
extern const struct weir_param weir_graph_default_params[], weir_graph_cable_params[];

/* Finds the format of a file from how its text begins: never AUTO. */
enum weir_topology_format weir_topology_format_of(const char *text);

/**
 * Tests whether this text is a network rather than a scenario. YAML with hosts, switches or cables at its top is, and
 * what other simulators write.
 * @param file  its name, for positions
 */
bool weir_topology_is_network(const char *file, const char *text);

/**
 * Builds the topology of a scenario.
 * @param base_dir  where relative file names start; NULL = the working directory
 * @param where     the scenario's section, for messages
 * @return 0, or a code with err: file:line:col, what is wrong, what is allowed; then topo needs no free
 */
int weir_topology_load(struct weir_topology *topo, const struct weir_topology_config *cfg, const char *base_dir,
                       const struct weir_tok *where, struct weir_err *err);
#endif
