/* src/results/reproduce/cost.h - estimates how long the pending runs will take: from what a figure states, or from
 * their packet-hops and the speed of earlier runs. */
#ifndef WEIR_REPRODUCE_COST_H
#define WEIR_REPRODUCE_COST_H
#include "reproduce/plan.h"
#include "store/store.h"

struct weir_cost {
    uint32_t runs;                    /* pending and wanted */
    uint32_t hop_runs, measured_runs; /* of these: estimated by hops; of those: at the speed of runs in the file */
    uint64_t all_ps, hop_runs_ps;     /* processor time of all, of those estimated by hops */
    uint64_t hops;                    /* of these */
};

/* Estimates the cost of the pending runs that are wanted. Runs of figures without a time, in an experiment without a
 * time per hop, count as nothing. */
struct weir_cost weir_cost_estimate(const struct weir_plan *plan, struct weir_store *store);
#endif
