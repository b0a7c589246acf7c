/* src/results/reproduce/cost.h - estimates the processor time of the pending runs: from run_time of their figure, or
 * else from their packet-hops. The time of a packet-hop is that of earlier runs in the result file, or else hop_time of
 * the experiment. */
#ifndef WEIR_REPRODUCE_COST_H
#define WEIR_REPRODUCE_COST_H
#include "reproduce/plan.h"
#include "store/store.h"

struct weir_cost {
    uint32_t runs;                    /* runs that are pending and wanted */
    uint32_t hop_runs, measured_runs; /* hop_runs: runs estimated from packet-hops. measured_runs: those of hop_runs for
                                         which the file has the speed of earlier runs */
    uint64_t all_ps, hop_runs_ps;     /* all_ps: processor time of all runs. hop_runs_ps: processor time of hop_runs */
    uint64_t hops;                    /* packet-hops of hop_runs */
};

/* Returns the estimated cost of the runs that are pending and wanted. A run counts as 0 ps if its figure has no
 * run_time and the experiment has no hop_time. store: result file with earlier runs */
struct weir_cost weir_cost_estimate(const struct weir_plan *plan, struct weir_store *store);

/* Makes the weights of points comparable between figures, by run_time: its runs take that long in the mean, and share
 * it in proportion to their weights. A figure without run_time counts as done in no time. Has no effect if no figure
 * has run_time, or the experiment has hop_time. Call it once, when all points have a weight. */
void weir_cost_weigh(struct weir_plan *plan);
#endif
