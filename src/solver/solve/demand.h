/* src/solver/solve/demand.h - what traffic demands between parts of the network, before it is spread over links. For
 * offered.c. */
#ifndef WEIR_SOLVE_DEMAND_H
#define WEIR_SOLVE_DEMAND_H
#include "model/nics.h"
#include "setup/setup.h"

/* Hosts of one traffic item at one first-hop switch, or one host with several NICs; those that send count as their
 * rate_part(). */
struct at_edge {
    double senders;     /* hosts that send and do not receive */
    double both;        /* hosts that send and receive */
    uint32_t receivers; /* hosts that receive, whether they send or not */
};

struct offer { /* state while the offered load of a part of the run is computed */
    const struct weir_setup *setup;
    const struct weir_routes *routes; /* NULL = only cables of hosts are examined */
    uint64_t from_ps, until_ps;       /* the part of the run */
    const struct weir_topology *topo;
    const struct weir_nics *nics; /* NULL = every host has one NIC */
    uint32_t edges;             /* what demands are between: first-hop switches, or hosts if these have several NICs */
    double *host_out, *host_in; /* load of all cables of each host, out and in, bit/s on the wire */
    double *pair;               /* [to][from] demand between two of `edges`, bit/s; NULL if routes is NULL */
    double *link;               /* load of each link, bit/s */
    struct at_edge *at_edge;    /* of the item that is being added, per each of `edges` */
    bool listed;                /* a list of messages offers load */
    bool hosts_only;            /* links between switches are left out: too many trees */
};

/* Returns the number of what demands are between: first-hop switches, or hosts. */
static inline uint32_t weir_demand_edges(const struct weir_setup *setup)
{
    return setup->model.nics != NULL ? setup->topo.host_count : setup->topo.edge_count;
}

/* Adds the demands of all traffic in the part of the run. */
void weir_demand_add_all(struct offer *o);
#endif
