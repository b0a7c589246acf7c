/* src/scenario/topology/cycle.h - the search for cyclic buffer dependencies. Under PFC a paused link also stops the
 * links whose packets wait for it. If the routes allow links to stop each other in a cycle, a network may stand still
 * for ever.
 * Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
 * Transactions on Computers, 1987. Routes are free of deadlock if and only if their channel dependency graph has no
 * cycle. */
#ifndef WEIR_TOPOLOGY_CYCLE_H
#define WEIR_TOPOLOGY_CYCLE_H
#include "topology/route.h"

/* Largest size of the graph in bytes; it has one bit for each pair of links that meet at a switch */
#define WEIR_CYCLE_BYTES_MAX (UINT64_C(1) << 28)

/* Tests whether the topology is layered and all its cables are up. Then the routes cannot form a cycle. */
bool weir_route_goes_up_and_down(const struct weir_topology *topo);

/**
 * Finds a cycle of links between switches: each link feeds the next one on some path between two hosts, and the last
 * link feeds the first. All equal paths are considered, where hosts have several NICs those from all NICs that lead to
 * the other host. The cycle is a shortest one through at least one of its links; elsewhere there may be shorter cycles.
 * @param every_nic  packets leave by any NIC of a host, also by one from which more links lead there (host.nics: rail)
 * @param cycle  receives the first max links of the cycle, in order, beginning with the lowest
 * @param count  number of links of the cycle, even if above max; 0 = there is no cycle
 * @return 0, or with err WEIR_E_RANGE (more than WEIR_CYCLE_BYTES_MAX are needed) or WEIR_E_MEMORY; then *count is 0
 */
int weir_route_cycle(const struct weir_routes *r, const struct weir_topology *topo, bool every_nic, uint32_t *cycle,
                     uint32_t max, uint32_t *count, struct weir_err *err);
#endif
