/* src/solver/solve/network.h - turns flows between hosts into shared links: the links that each flow crosses, and the
 * part of the flow on each link. Links are numbered as the directed links of the topology. A flow takes the same path
 * as its packets in a run with the same routes and the same hash (weir_rng_path()). With spraying each switch splits a
 * flow evenly over the ports that lead closer to the destination: the mean result of choosing one of them at random for
 * each packet. The links of hosts' cables count, too, so a host sends and receives no more than the rate of its cable.
 * Of a host with several NICs a flow takes those of its transport (model/nics.h) that lead to the destination, in equal
 * parts. (In a run a host that pulls sends more by the faster ones, if they are what limits it.) */
#ifndef WEIR_SOLVE_NETWORK_H
#define WEIR_SOLVE_NETWORK_H
#include "model/nics.h"
#include "solve/maxmin.h"
#include "topology/route.h"

struct weir_network_flow { /* a flow between two hosts */
    double weight;         /* WEIR_MAXMIN_WEIGHT_MIN .. _MAX */
    uint32_t src, dst;     /* two different hosts */
    uint32_t hash;         /* path entropy of its packets; not used with spraying */
    uint32_t transport;    /* of src; only where hosts have several NICs */
};

struct weir_paths { /* finds the links of flows, one flow at a time; topo, routes and nics are lent */
    uint32_t *link; /* `count` links of the last flow; 0 = no path leads to its destination */
    double *share;  /* part of the flow on each */
    uint32_t count;
    const struct weir_topology *topo;
    const struct weir_routes *routes;
    const struct weir_nics *nics; /* NULL = every host has one NIC */
    bool spray;
    /* The rest is for weir_paths_find(). A sprayed flow goes from one layer of switches to the next. */
    bool arrived;
    uint32_t room;
    double *at;             /* per node: part of the flow that arrives there; 0 between flows */
    uint32_t *layer, *next; /* switches of this layer and of the next; up to node_count each */
    uint32_t layer_count, next_count;
};

/* Begins to find paths. The arguments are those of weir_network_build(). @return 0, then weir_paths_free() frees
 * *w; or WEIR_E_MEMORY with err, then nothing needs freeing */
int weir_paths_init(struct weir_paths *w, const struct weir_topology *topo, const struct weir_routes *routes,
                    const struct weir_nics *nics, bool spray, struct weir_err *err);
void weir_paths_free(struct weir_paths *w); /* all zero: does nothing */
/* Finds the links of a flow. @return 0, or WEIR_E_MEMORY with err */
int weir_paths_find(struct weir_paths *w, const struct weir_network_flow *flow, struct weir_err *err);

/* Tests whether flows may have less than their whole rate on a link. */
static inline bool weir_paths_have_parts(const struct weir_paths *paths)
{
    return paths->spray || paths->nics != NULL;
}

struct weir_network { /* a network as input of the solver: the arrays of a struct weir_maxmin_problem, owned */
    double *capacity, *weight, *cap, *share;
    uint32_t *first, *link;
    uint32_t link_count, flow_count, lost_count; /* lost_count: flows without a path to their destination; their cap
                                                    is 0 */
    uint32_t use_room;                           /* length of link and share */
};

/**
 * Computes the links of every flow, and the capacities of all links.
 * @param nics   NULL = every host has one NIC
 * @param spray  each flow uses all its shortest paths
 * @param part   part of each link's rate that is shared: 1, or payload bytes / bytes on the wire; above 0. A link that
 * is down has capacity 0: routes avoid it, but the cable of a host cannot be avoided
 * @param flow   flow_count flows
 * @return 0, then weir_network_free() frees *net; or WEIR_E_RANGE (more than WEIR_MAXMIN_USES_MAX links on all paths
 * together) or WEIR_E_MEMORY with err, then nothing needs freeing
 */
int weir_network_build(struct weir_network *net, const struct weir_topology *topo, const struct weir_routes *routes,
                       const struct weir_nics *nics, bool spray, double part, const struct weir_network_flow *flow,
                       uint32_t flow_count, struct weir_err *err);
void weir_network_free(struct weir_network *net);

/* Returns net as input of weir_maxmin_solve(), in bit/s. The arrays still belong to net. */
struct weir_maxmin_problem weir_network_problem(const struct weir_network *net);
#endif
