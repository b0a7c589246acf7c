/* src/solver/solve/network.h - from hosts that send to each other to links that are shared: which links each flow
 * crosses, and what part of it. Links have the topology's own numbering of directed links. A flow takes the very path
 * its packets take in a run with the same routes and the same hash (weir_rng_path()).
 * With spraying it is split evenly at every switch over the ports that lead closer; a random port per packet has
 * that mean. A host's own cable is a link like any other, so a host sends and receives no more than that. */
#ifndef WEIR_SOLVE_NETWORK_H
#define WEIR_SOLVE_NETWORK_H
#include "solve/maxmin.h"
#include "topology/route.h"

struct weir_network_flow {
    double weight;     /* WEIR_MAXMIN_WEIGHT_MIN .. _MAX */
    uint32_t src, dst; /* hosts, different */
    uint32_t hash;     /* path entropy of its packets; of no use with spraying */
};

struct weir_network { /* owned arrays of a struct weir_maxmin_problem */
    double *capacity, *weight, *cap, *share;
    uint32_t *first, *link;
    uint32_t link_count, flow_count, lost_count; /* lost: flows to which no way leads; their cap is 0 */
    uint32_t use_room;
};

/**
 * Finds the links of every flow.
 * @param spray    each flow over all its shortest paths
 * @param part     of each link's rate that there is to share: 1, or payload bytes / bytes on the wire; above 0. Links
 *                 that are down have no capacity (routes avoid them, but a host's own cable has no other way round it)
 * @param flow     flow_count
 * @return 0, or WEIR_E_RANGE (more than WEIR_MAXMIN_USES_MAX links on all paths together) or WEIR_E_MEMORY with err;
 *         then nothing needs freeing
 */
int weir_network_build(struct weir_network *net, const struct weir_topology *topo, const struct weir_routes *routes,
                       bool spray, double part, const struct weir_network_flow *flow, uint32_t flow_count,
                       struct weir_err *err);
void weir_network_free(struct weir_network *net);

/* Returns the problem to solve, in bit/s; lent for as long as net is there. */
struct weir_maxmin_problem weir_network_problem(const struct weir_network *net);
#endif
