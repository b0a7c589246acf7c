/* src/scenario/topology/nics.h - what route.h computes, where hosts have several NICs: every host is a target of its
 * own. For the files of this room, and for set-up. */
#ifndef WEIR_TOPOLOGY_NICS_H
#define WEIR_TOPOLOGY_NICS_H
#include "topology/route.h"

/* Finds what weir_route_gap() does. */
bool weir_nics_gap(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *src, uint32_t *dst);
/* Writes what weir_route_switches() does, of each two hosts; 0 = a cable joins them, 1 also if there is no path. */
void weir_nics_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out);
/* Returns what weir_route_links_max() does. */
uint32_t weir_nics_links_max(const struct weir_routes *r, const struct weir_topology *topo);
enum weir_nics_trips { WEIR_NICS_JOINED, WEIR_NICS_APART, WEIR_NICS_NO_MEMORY };

/* Computes the longest round trips of weir_route_base_rtt_ps(), one for each NIC: of the pairs that it leads to. Every
 * cable must be up or down in both directions.
 * @param same_nic    answers come back by the NIC by which packets left; else by any that leads there
 * @param longest_ps  [host * WEIR_NICS_MAX + nic]; 0 = it leads nowhere
 * @return whether each two hosts have a path; if not, longest_ps must not be used */
enum weir_nics_trips weir_nics_round_trips(const struct weir_routes *r, const struct weir_topology *topo,
                                           uint32_t data_wire_bytes, uint32_t ack_wire_bytes, bool same_nic,
                                           uint64_t *longest_ps);

/* Returns what weir_route_base_rtt_ps() does. Every cable must be up or down in both directions. */
uint64_t weir_nics_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo, uint32_t data_wire_bytes,
                               uint32_t ack_wire_bytes);
#endif
