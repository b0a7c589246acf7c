/* src/solver/solve/maxmin.h - computes weighted max-min fair shares of a network's links centrally, as a reference for
 * distributed allocations. An allocation is weighted max-min fair if every flow has a bottleneck: a full link on which
 * no flow has more rate per weight. Every network has exactly one such allocation. Source: Bertsekas and Gallager,
 * "Data Networks", 2nd edition, section 6.5.2 (progressive filling); also Wang and Ng, OSDI 2025, whose authors compare
 * Soze with this water-filling. A flow may use a part of a link (spraying), and may have a cap. Computes in doubles:
 * the rates are for people and for comparison; a run depends on them only with run.start (solve/compare.h). The same
 * machine gives the same bits. */
#ifndef WEIR_SOLVE_MAXMIN_H
#define WEIR_SOLVE_MAXMIN_H
#include "core/err.h"
#include <stdint.h>

#define WEIR_MAXMIN_FLOWS_MAX (1u << 24)
#define WEIR_MAXMIN_USES_MAX (1u << 27) /* most links on the paths of all flows together; 16 bytes each with spraying */
#define WEIR_MAXMIN_WEIGHT_MIN 1e-9
#define WEIR_MAXMIN_WEIGHT_MAX 1e9
#define WEIR_MAXMIN_SHARE_MIN 1e-6
#define WEIR_MAXMIN_NONE UINT32_MAX /* as a bottleneck: no link limits the flow, its cap does */

/* Input of the solver. Rates, caps and capacities are in the same unit. The arrays belong to the caller. */
struct weir_maxmin_problem {
    uint32_t link_count;    /* 0 .. 2^31 - 1 */
    uint32_t flow_count;    /* 0 .. WEIR_MAXMIN_FLOWS_MAX */
    const double *capacity; /* per link; 0 .. 1e30 */
    const double *weight;   /* per flow; WEIR_MAXMIN_WEIGHT_MIN .. _MAX */
    const double *cap;      /* per flow: its largest rate, 0 .. INFINITY = no cap; NULL = no flow has a cap */
    const uint32_t *first;  /* flow_count + 1 ascending indices, the first is 0: flow f has the links first[f] ..
                               first[f + 1] - 1 of `link` */
    const uint32_t *link;   /* the links of all flows */
    const double *share;    /* part of the flow's rate on this link, WEIR_MAXMIN_SHARE_MIN .. 1; NULL = 1 for all */
};

/* Checks that all inputs are in their ranges, as weir_maxmin_solve() does. @return 0, or WEIR_E_RANGE with err */
int weir_maxmin_check(const struct weir_maxmin_problem *p, struct weir_err *err);

/**
 * Computes the weighted max-min rates by water-filling. A flow without links gets its cap. Takes O(uses + v n log n)
 * steps. uses: links on the paths of all flows together; n: number of links and caps. v: visits of a link in the heap,
 * a few, because keys become outdated.
 * @param rate        out: flow_count rates
 * @param bottleneck  out: the bottleneck of each flow: of its full links the one that was full first, or
 * WEIR_MAXMIN_NONE if the cap limits the flow. May be NULL
 * @return 0, or a code with err: WEIR_E_RANGE (a value outside the ranges above, a link that does not exist, a flow
 * with neither link nor cap), WEIR_E_MEMORY
 */
int weir_maxmin_solve(const struct weir_maxmin_problem *p, double *rate, uint32_t *bottleneck, struct weir_err *err);

/**
 * Computes how far rates are from the weighted max-min allocation. Uses the definition only, and no code of the solver.
 * The gap is the largest of these numbers, each relative to the capacity, cap or rate per weight:
 * - the load of a link beyond its capacity;
 * - the rate of a flow beyond its cap;
 * - for each flow the smallest of one value per link and one for its cap. For a link: the larger of its free capacity
 *   and of the flow's distance in rate per weight from the flow that has most on that link. For the cap: the part of
 *   the cap that the flow lacks.
 *
 * Rounding alone gives about 1e-15 times the flows of a link.
 * @param p    a problem that weir_maxmin_solve() accepts
 * @param gap  out: the gap; 0 = the rates are exact; INFINITY if a flow has rate where the capacity or cap is 0
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_maxmin_gap(const struct weir_maxmin_problem *p, const double *rate, double *gap, struct weir_err *err);
#endif
