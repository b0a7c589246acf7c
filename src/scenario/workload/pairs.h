/* src/scenario/workload/pairs.h - traffic of kind pairs: flows between random hosts with random weights, some of which
 * are drawn again later. Each item becomes one job, whose flows wait for nothing. */
#ifndef WEIR_WORKLOAD_PAIRS_H
#define WEIR_WORKLOAD_PAIRS_H
#include "workload/jobs.h"
#include "workload/workload.h"

/**
 * Adds the flows of a traffic item to jobs, as one more job. Hosts and weights of flow i are draws number 4 i to 4 i +
 * 3 of the item's random stream. So a larger `count` leaves the first flows as they are.
 * @param index  index of the item in the scenario's `traffic`
 * @return 0, or a code with err: weights that cannot be read, changes without a time, no count, fewer than 2 hosts, no
 * memory
 */
int weir_pairs_add(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t index,
                   const struct weir_workload_limits *limits, struct weir_err *err);
#endif
