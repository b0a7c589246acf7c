/* src/scenario/config/jobs_file.h - files of jobs: flows that wait for others, as YAML text -> struct weir_jobs. The
 * form is described in doc/jobs.md; the keys are the rows below. */
#ifndef WEIR_CONFIG_JOBS_FILE_H
#define WEIR_CONFIG_JOBS_FILE_H
#include "core/param.h"
#include "workload/jobs.h"
#include "workload/workload.h"

/* Keys at the top of a file, of a job, of a flow, of a change of its weight; lists and maps among the keys come on
 * top. */
extern const struct weir_param weir_jobs_params[], weir_job_params[], weir_job_flow_params[], weir_job_change_params[];

/**
 * Reads the files of all items of kind jobs, one after the other, into one struct and finishes it.
 * @param where  item_count positions of the items, for messages; may be NULL
 * @return 0, or a code with err: file:line:col, what is wrong, what is allowed; then jobs needs no free
 */
int weir_jobs_load(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t item_count,
                   const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err);
#endif
