/* src/scenario/workload/pairs.h - traffic of kind pairs: flows between random hosts with random weights, some of which
 * are drawn anew later. A job of flows that wait for nothing. */
#ifndef WEIR_WORKLOAD_PAIRS_H
#define WEIR_WORKLOAD_PAIRS_H
#include "workload/jobs.h"
#include "workload/workload.h"

/**
 * Adds the item's flows to jobs, as one more job. Flow i has hosts and weights of its own place in the item's random
 * stream: with more flows the first ones stay as they are.
 * @return 0, or a code with err: no weights to be read from the item's text, changes without a time, no memory, ..
 */
int weir_pairs_add(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t index,
                   const struct weir_workload_limits *limits, struct weir_err *err);
#endif
