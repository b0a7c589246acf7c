/* src/scenario/workload/jobs_internal.h - what the files behind workload/jobs.h share; no other file includes it. */
#ifndef WEIR_WORKLOAD_JOBS_INTERNAL_H
#define WEIR_WORKLOAD_JOBS_INTERNAL_H
#include "workload/jobs.h"

/* Refuses what no run can start with, flow by flow and job by job; the edges behind flows are still to be drawn. */
int weir_jobs_check(const struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err);

/* Orders the flows so that each is behind all that it waits for: order[0 .. flow_count).
 * @return 0; WEIR_E_CONFLICT: a cycle, with its flows' names */
int weir_jobs_order(const struct weir_jobs *jobs, uint32_t *order, const struct weir_tok *where, struct weir_err *err);

/* Sets the policies' weights at the start, over those that were given. distance: room for one per flow */
void weir_jobs_set_weights(struct weir_jobs *jobs, const uint32_t *order, uint32_t *distance);

bool weir_policy_ticks(uint32_t policy); /* does it set weights during the run? */

/* Fails with "flow 'x' of job 'y': .." at the flow's position. @return code */
__attribute__((format(printf, 7, 8))) int weir_jobs_fail(const struct weir_jobs *jobs, uint32_t flow,
                                                         const struct weir_tok *where, struct weir_err *err,
                                                         enum weir_err_code code, const char *hint, const char *format,
                                                         ...);
#endif
