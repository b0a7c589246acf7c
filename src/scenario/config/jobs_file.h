/* src/scenario/config/jobs_file.h - reads files of jobs (flows that wait for others) into struct weir_jobs, from YAML
 * text or htsim's connection matrix. doc/jobs.md describes the YAML format; its keys are the rows below. */
#ifndef WEIR_CONFIG_JOBS_FILE_H
#define WEIR_CONFIG_JOBS_FILE_H
#include "core/param.h"
#include "workload/jobs.h"
#include "workload/workload.h"

/* Keys at the top of a file, of a job, of a flow, and of a change of a flow's weight. Keys whose values are lists or
 * maps have no rows; jobs_file.c and jobs_read.c name them. */
extern const struct weir_param weir_jobs_params[], weir_job_params[], weir_job_flow_params[], weir_job_change_params[];

/**
 * Reads all traffic items of kind jobs (their files) and of kind pairs, in order, into one struct, and finishes it by
 * weir_jobs_finish().
 * @param where  positions of the item_count items, for messages; may be NULL
 * @return 0, or a code with err: file:line:col, what is wrong, what is allowed; then jobs needs no free
 */
int weir_jobs_load(struct weir_jobs *jobs, const struct weir_traffic_config *item, uint32_t item_count,
                   const struct weir_workload_limits *limits, const struct weir_tok *where, struct weir_err *err);
#endif
