/* src/solver/solve/allocate.h - the flows of a scenario and their weighted max-min shares: `weir allocate` prints them,
 * and runs are compared with them. */
#ifndef WEIR_SOLVE_ALLOCATE_H
#define WEIR_SOLVE_ALLOCATE_H
#include "setup/setup.h"
#include "solve/network.h"

#define WEIR_ALLOCATE_FLOWS_MAX 10000000u /* random ones */

enum weir_allocate_capacity { WEIR_CAPACITY_PAYLOAD, WEIR_CAPACITY_WIRE };
enum weir_allocate_acks { WEIR_ACKS_LEFT_OUT, WEIR_ACKS_COUNTED };

struct weir_allocate_options { /* which flows share what */
    const char *file;          /* of the scenario, for messages */
    uint64_t at_ps;            /* only what has started by then; WEIR_NEVER = all flows at once */
    uint32_t flows;            /* random ones instead of the scenario's; 0 = not given */
    uint32_t capacity;         /* enum weir_allocate_capacity */
    uint32_t acks;             /* enum weir_allocate_acks */
};

struct weir_allocate_flows { /* ascending by number */
    struct weir_network_flow *flow;
    uint32_t *number; /* of the row in its list: the tag of a run; others are counted on from there. From 1 */
    uint32_t count;
};

/**
 * Lists the flows of a scenario that share the network: those of lists and jobs, or as many random pairs as options ask
 * for. Path hashes are those of a run in which each flow has a connection of its own, opened in the order in which a
 * host starts them.
 * @return 0, or a code with err: a poisson item, which has no list, no flow at all, too many; then nothing needs
 *         freeing
 */
int weir_allocate_flows(struct weir_allocate_flows *out, const struct weir_setup *setup,
                        const struct weir_allocate_options *options, struct weir_err *err);
void weir_allocate_flows_free(struct weir_allocate_flows *flows);

struct weir_solution {
    struct weir_network net,
        back;             /* back: of acknowledgements, if they count; then net has the capacities they leave */
    double *rate;         /* bit/s, by place in the flows */
    uint32_t *bottleneck; /* link, or WEIR_MAXMIN_NONE: no way leads there */
    double gap;           /* weir_maxmin_gap() */
    uint64_t routes_ns, solve_ns;
};

/**
 * Finds paths and rates.
 * @param setup    its cables are moved for the moment and put back
 * @param options  at_ps, capacity and acks count
 * @return 0, or a code with err; then nothing needs freeing
 */
int weir_allocate_solve(struct weir_solution *s, struct weir_setup *setup, const struct weir_allocate_options *options,
                        const struct weir_allocate_flows *flows, struct weir_err *err);
void weir_solution_free(struct weir_solution *s); /* harmless on zeros */
#endif
