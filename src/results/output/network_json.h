/* src/results/output/network_json.h - the nodes and links of a network as JSON, for pages that draw them. */
#ifndef WEIR_OUTPUT_NETWORK_JSON_H
#define WEIR_OUTPUT_NETWORK_JSON_H
#include "text/json.h"
#include "topology/topology.h"

/* Writes the members "nodes" and "links" of the open object. */
void weir_network_json(struct weir_json *json, const struct weir_topology *topo);
#endif
