/* src/solver/solve/allocate.h - lists the flows of a scenario and computes their weighted max-min shares. `weir
 * allocate` prints the shares, and runs are compared with them. */
#ifndef WEIR_SOLVE_ALLOCATE_H
#define WEIR_SOLVE_ALLOCATE_H
#include "setup/setup.h"
#include "solve/network.h"

#define WEIR_ALLOCATE_FLOWS_MAX 10000000u /* most random flows */

/* Unit of rates and capacities: payload only, or all bytes on the wire. */
enum weir_allocate_capacity { WEIR_CAPACITY_PAYLOAD, WEIR_CAPACITY_WIRE };
/* Treatment of acknowledgements: they are left out, or take a part of the links' capacities. */
enum weir_allocate_acks { WEIR_ACKS_LEFT_OUT, WEIR_ACKS_COUNTED };

struct weir_allocate_options { /* the flows to be solved for, and how capacities are counted */
    const char *file;          /* name of the scenario, for messages */
    uint64_t at_ps;            /* only flows that have started by this time; WEIR_NEVER = all flows at once */
    uint32_t flows;            /* number of random flows instead of the scenario's; 0 = those of the scenario */
    uint32_t capacity;         /* enum weir_allocate_capacity */
    uint32_t acks;             /* enum weir_allocate_acks */
    bool may_be_empty;         /* a list without flows is accepted */
};

struct weir_connections { /* what decides over the path of a host's next flow; all owned */
    uint32_t *opened;     /* [host * transports + transport]: connections opened so far */
    uint32_t *next_nic;   /* per host: with host.nics: rail the transport of its next message */
    uint32_t transports;  /* of a host; 1 without several NICs */
};

struct weir_allocate_flows { /* a list of flows, in ascending order of number */
    struct weir_network_flow *flow;
    uint32_t *number; /* number of each flow, from 1: the flow's tag in a run; flows without a tag have numbers above
                         all tags */
    uint32_t count, room;                /* room: of both arrays */
    struct weir_connections connections; /* as the flows of the list leave them */
};

/**
 * Lists the flows of a scenario that share the network: those of lists and jobs, or options->flows random pairs of
 * hosts. Path hashes are those of a run in which each flow has a connection of its own, and each host opens connections
 * in the order in which its flows start. With a receiver-driven protocol all flows of a pair of hosts have the same
 * hash.
 * @return 0, then weir_allocate_flows_free() frees *out; or a code with err, then nothing needs freeing. Errors:
 * WEIR_E_CONFLICT (a poisson item, which has no list of flows; no flow at all), WEIR_E_RANGE (too many flows),
 * WEIR_E_MEMORY
 */
int weir_allocate_flows(struct weir_allocate_flows *out, const struct weir_setup *setup,
                        const struct weir_allocate_options *options, struct weir_err *err);
void weir_allocate_flows_free(struct weir_allocate_flows *flows);
/* Appends a flow that starts after all others, with the next number and a connection of its own. @return 0, or
 * WEIR_E_MEMORY with err */
int weir_allocate_flows_add(struct weir_allocate_flows *flows, const struct weir_setup *setup, uint32_t src,
                            uint32_t dst, double weight, struct weir_err *err);

struct weir_solution { /* the shares of a list of flows */
    /* net: the paths of the flows, and the capacities; back: the paths of their acknowledgements, only with
     * WEIR_ACKS_COUNTED. net then has the capacities that the acknowledgements leave. */
    struct weir_network net, back;
    double *rate;                 /* share of each flow, in the order of the list; bit/s */
    uint32_t *bottleneck;         /* bottleneck link of each flow; WEIR_MAXMIN_NONE = no path to the destination */
    double gap;                   /* result of weir_maxmin_gap() */
    uint64_t routes_ns, solve_ns; /* wall time of finding the paths, and of the solver */
};

/**
 * Computes the paths of flows, and the capacities of links: s->net, with acknowledgements s->back, and s->routes_ns.
 * @param setup  its cables are set to their state at options->at_ps, and restored before the function returns
 * @param keep   gets the routes, which the caller frees; NULL = not needed
 * @return 0, then weir_solution_free() frees *s; or a code with err, then nothing needs freeing
 */
int weir_allocate_paths(struct weir_solution *s, struct weir_routes *keep, struct weir_setup *setup,
                        const struct weir_allocate_options *options, const struct weir_allocate_flows *flows,
                        struct weir_err *err);

/**
 * Computes the paths and the max-min shares of flows.
 * @param setup    as in weir_allocate_paths()
 * @param options  only at_ps, capacity and acks are used
 * @return 0, then weir_solution_free() frees *s; or a code with err, then nothing needs freeing
 */
int weir_allocate_solve(struct weir_solution *s, struct weir_setup *setup, const struct weir_allocate_options *options,
                        const struct weir_allocate_flows *flows, struct weir_err *err);
void weir_solution_free(struct weir_solution *s); /* all zero: does nothing */
#endif
