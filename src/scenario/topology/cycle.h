/* src/scenario/topology/cycle.h - cyclic buffer dependencies. Under PFC a link that is paused holds up the links whose
 * packets wait for it. If routes allow links to hold each other up in a cycle, a network may come to a stop for good.
 * Source: Dally and Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE
 * Transactions on Computers, 1987. Routes are free of deadlock if and only if their channel dependency graph has
 * no cycle. */
#ifndef WEIR_TOPOLOGY_CYCLE_H
#define WEIR_TOPOLOGY_CYCLE_H
#include "topology/route.h"

#define WEIR_CYCLE_BYTES_MAX (UINT64_C(1) << 28) /* of memory: one bit for each pair of links that meet at a switch */

/* Tests whether the network is of a kind and all its cables are up: paths go up and then down, so there is no cycle. */
bool weir_route_goes_up_and_down(const struct weir_topology *topo);

/**
 * Finds links between switches, each of which feeds the next on some path between two hosts, and the last the first.
 * Every equal path counts.
 * @param cycle  gets max links at most, in order, beginning with the lowest
 * @param count  how many links the cycle has, even if more than max; 0 = there is none. No cycle through its first link
 * is shorter
 * @return 0, or with err WEIR_E_RANGE (more than WEIR_CYCLE_BYTES_MAX would be needed) or WEIR_E_MEMORY
 */
int weir_route_cycle(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *cycle, uint32_t max,
                     uint32_t *count, struct weir_err *err);
#endif
