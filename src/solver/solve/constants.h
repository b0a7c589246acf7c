/* src/solver/solve/constants.h - Soze's constants from the traffic of a scenario: alpha and beta are the highest and
 * the lowest weighted max-min fair rate per weight of the run.
 * Source: Wang and Ng, OSDI 2025, section 3.1.4 (alpha, beta), section 4 (p, k), appendix D (targets of 3 to 40 us).
 *
 * Rates change when flows start, when weights change and when routes change. The shares are solved for at each of these
 * instants, with the flows that have started by then. Flows that wait for others start at times that the solver does
 * not know. If there are any, one more solve has all flows at once. Ends of flows are not known either, so rates that
 * flows reach after others have ended do not count. */
#ifndef WEIR_SOLVE_CONSTANTS_H
#define WEIR_SOLVE_CONSTANTS_H
#include "solve/allocate.h"

#define WEIR_CONSTANTS_INSTANTS_MAX 1000u /* most instants that are solved for */

struct weir_level {  /* a rate per weight of a flow at an instant */
    double bps;      /* bit/s on the wire, per weight */
    uint64_t at_ps;  /* WEIR_NEVER = all flows at once */
    uint32_t number; /* of the flow, as in struct weir_allocate_flows */
};

struct weir_levels { /* the rates per weight of the traffic of a run */
    struct weir_level high, low;
    double alone_bps;  /* highest rate of the host link over the weight of a flow */
    uint32_t instants; /* number of solves */
    uint32_t flows;    /* most flows at an instant */
    /* Most flows at an instant whose bottleneck has a queue: others cross it, too, or it is slower than hosts' links */
    uint32_t queued;
    uint32_t at_host_ports; /* most of these, at an instant, whose bottleneck leaves a host */
};

struct weir_constants {           /* keys of protocol soze */
    uint64_t alpha_bps, beta_bps; /* alpha_bps is at least twice beta_bps */
    bool widened;                 /* beta_bps is half of alpha_bps, and not the lowest rate per weight */
    uint64_t p_ps, k_ps;          /* as in the paper's section 4 */
    uint64_t p_appendix_ps;       /* p with the targets of the paper's appendix D */
    uint64_t p_slope_ps;          /* p of a fixed slope: 13 us per factor e of rate; Weir's */
};

/**
 * Finds the highest and the lowest rate per weight of the traffic of a scenario. Flows without a path do not count.
 * @param options  at_ps: only this instant counts, unless WEIR_NEVER; flows: as for weir_allocate_flows(), then nothing
 *                 changes in the run; acks is used, capacity is not: rates are on the wire
 * @return 0, or a code with err: WEIR_E_CONFLICT (at no instant does a queue form), WEIR_E_RANGE (more than
 * WEIR_CONSTANTS_INSTANTS_MAX instants), or an error of weir_allocate_flows() or weir_allocate_solve()
 */
int weir_levels_find(struct weir_levels *levels, struct weir_setup *setup, const struct weir_allocate_options *options,
                     struct weir_err *err);

/* Returns the constants that follow from the highest and the lowest rate per weight. If the highest is less than twice
 * the lowest, beta is half of alpha, because the target delay must fall from alpha to beta, and not too steeply.
 * high_bps >= low_bps > 0 */
struct weir_constants weir_constants_of(double high_bps, double low_bps);
#endif
