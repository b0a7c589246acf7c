/* src/scenario/workload/jobs_internal.h - declarations shared by the source files of workload/jobs.h; no other file
 * includes this header. */
#ifndef WEIR_WORKLOAD_JOBS_INTERNAL_H
#define WEIR_WORKLOAD_JOBS_INTERNAL_H
#include "workload/jobs.h"

/* Checks every job and every flow with its dependencies and changes of weight, for weir_jobs_finish(). Does not use
 * before_first and before_count, which are set later. @return 0, or a code with err */
int weir_jobs_check(const struct weir_jobs *jobs, uint32_t hosts, const struct weir_tok *where, struct weir_err *err);

/* Writes all flows into order[0 .. flow_count), each after the flows that it waits for. @return 0; WEIR_E_CONFLICT with
 * err, which names the flows of a cycle; or WEIR_E_MEMORY with err */
int weir_jobs_order(const struct weir_jobs *jobs, uint32_t *order, const struct weir_tok *where, struct weir_err *err);

/* Replaces the given weights of all flows by those that the policies set at the start. order: as weir_jobs_order()
 * wrote it; distance: scratch memory, one entry per flow */
void weir_jobs_set_weights(struct weir_jobs *jobs, const uint32_t *order, uint32_t *distance);

bool weir_policy_ticks(uint32_t policy); /* Tests whether a policy, enum weir_job_policy, sets weights at ticks. */

/* Reports the error "flow 'x' of job 'y': .." at the position of the flow. where: a position per flow; may be NULL.
 * @return code */
__attribute__((format(printf, 7, 8))) int weir_jobs_fail(const struct weir_jobs *jobs, uint32_t flow,
                                                         const struct weir_tok *where, struct weir_err *err,
                                                         enum weir_err_code code, const char *hint, const char *format,
                                                         ...);
#endif
