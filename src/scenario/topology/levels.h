/* src/scenario/topology/levels.h - the longest paths of a network in layers, in a time that is linear in first-hop
 * switches and hosts. A path goes up as high as its two ends have no switch in common, and then down. So all first-hop
 * switches climb together, level by level, by their first port up. At each level those below one switch are a group. It
 * is made of groups of the level before, and a path between two of these is highest here. */
#ifndef WEIR_TOPOLOGY_LEVELS_H
#define WEIR_TOPOLOGY_LEVELS_H
#include "topology/route.h"

/* Each does what the function of route.h does whose name has no `levels`. r->below must not be NULL.
 * Returns 0 if there is no memory. */
uint32_t weir_levels_links_max(const struct weir_routes *r, const struct weir_topology *topo);
/* topo: layered, so that equal paths have equal links. Returns UINT64_MAX if there is no memory. */
uint64_t weir_levels_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo,
                                 uint32_t data_wire_bytes, uint32_t ack_wire_bytes);
/* @return false = no memory */
bool weir_levels_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out);
#endif
