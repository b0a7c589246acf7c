/* src/results/reproduce/cost.h - estimates the processor time of the pending runs: from run_time of a figure, or from
 * packet-hops and the speed of earlier runs. */
#ifndef WEIR_REPRODUCE_COST_H
#define WEIR_REPRODUCE_COST_H
#include "reproduce/plan.h"
#include "store/store.h"

struct weir_cost {
    uint32_t runs;                    /* runs that are pending and wanted */
    uint32_t hop_runs, measured_runs; /* runs estimated by packet-hops; among them, those estimated at the speed of runs
                                         in the file */
    uint64_t all_ps, hop_runs_ps;     /* processor time of all runs; of hop_runs alone */
    uint64_t hops;                    /* packet-hops of hop_runs */
};

/* Returns the estimated cost of the runs that are pending and wanted. A run counts as 0 ps if the figure has no
 * run_time and the experiment no hop_time. */
struct weir_cost weir_cost_estimate(const struct weir_plan *plan, struct weir_store *store);
#endif
