/* src/scenario/topology/salt.h - the salts of switches and hosts, by which a packet's hash chooses among ports. */
#ifndef WEIR_TOPOLOGY_SALT_H
#define WEIR_TOPOLOGY_SALT_H
#include "topology/route.h"

/* Sets the salt of each switch, and that of hosts' choices. routes->salt must be there. */
void weir_salts_fill(struct weir_routes *r, const struct weir_topology *topo, enum weir_routing routing, uint64_t seed);
#endif
