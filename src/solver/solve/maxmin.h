/* src/solver/solve/maxmin.h - weighted max-min fair shares of a network's links, computed centrally: what a distributed
 * allocation has to come to.
 * An allocation is weighted max-min fair if every flow has a bottleneck: a full link on which no flow has more per
 * weight than it has. There is one such allocation, whatever the network.
 * Source: Bertsekas and Gallager, "Data Networks", 2nd edition, section 6.5.2 (progressive filling); as the
 * water-filling that Soze is compared with: Wang and Ng, OSDI 2025. A flow may use a part of a link (spraying), and may
 * want no more than a cap.
 * Doubles: the answer is for people and for comparison, and no run depends on it. The same machine gives the same
 * bits. */
#ifndef WEIR_SOLVE_MAXMIN_H
#define WEIR_SOLVE_MAXMIN_H
#include "core/err.h"
#include <stdint.h>

#define WEIR_MAXMIN_FLOWS_MAX (1u << 24)
#define WEIR_MAXMIN_USES_MAX (1u << 27) /* links of all flows together: 16 bytes each where links are used in part */
#define WEIR_MAXMIN_WEIGHT_MIN 1e-9
#define WEIR_MAXMIN_WEIGHT_MAX 1e9
#define WEIR_MAXMIN_SHARE_MIN 1e-6
#define WEIR_MAXMIN_NONE UINT32_MAX /* no link holds the flow: its cap does */

struct weir_maxmin_problem { /* lent; rates, caps and capacities are in one unit, whichever */
    uint32_t link_count;     /* 0 .. 2^31 */
    uint32_t flow_count;     /* 0 .. WEIR_MAXMIN_FLOWS_MAX */
    const double *capacity;  /* link_count; 0 .. 1e30 */
    const double *weight;    /* flow_count; WEIR_MAXMIN_WEIGHT_MIN .. _MAX */
    const double *cap;       /* flow_count: most a flow takes, 0 .. INFINITY = no cap; NULL = no flow has one */
    const uint32_t *first;   /* flow_count + 1, from 0, ascending: into link and share */
    const uint32_t *link;    /* links of each flow */
    const double *share; /* how much of a flow's rate crosses that link, WEIR_MAXMIN_SHARE_MIN .. 1; NULL = all of it */
};

/**
 * Solves by water-filling: O(uses + (links + caps) log (links + caps)), times the few visits per link that lazy keys
 * cost. A flow without links gets its cap.
 * @param rate        out: flow_count
 * @param bottleneck  out: flow_count; the link that holds each flow, of several the one filled first; WEIR_MAXMIN_NONE
 *                    = its cap. May be NULL
 * @return 0, or with err: WEIR_E_RANGE (a value outside the ranges above, a link that does not exist, a flow with
 *         neither link nor cap), WEIR_E_MEMORY
 */
int weir_maxmin_solve(const struct weir_maxmin_problem *p, double *rate, uint32_t *bottleneck, struct weir_err *err);

/**
 * Measures how far rates are from the weighted max-min allocation, straight from its definition; shares no code with
 * the solver. It is the largest, relative to capacity, cap or rate per weight, of:
 * - what a link carries beyond its capacity;
 * - what a flow has beyond its cap;
 * - for each flow, at the link where it comes closest, the larger of two: what is free there, and what it has less per
 *   weight than the flow that has most.
 *
 * Rounding leaves about 1e-15 times the flows of a link.
 * @param p  as accepted by weir_maxmin_solve()
 * @param gap  out: 0 = exact
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_maxmin_gap(const struct weir_maxmin_problem *p, const double *rate, double *gap, struct weir_err *err);
#endif
