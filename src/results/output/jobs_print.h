/* src/results/output/jobs_print.h - prints the results of jobs, coflows and collective operations as tables. */
#ifndef WEIR_OUTPUT_JOBS_PRINT_H
#define WEIR_OUTPUT_JOBS_PRINT_H
#include "measure/result.h"
#include <stdio.h>

/* Prints a table of jobs and coflows, and one of collective operations; nothing of what there is none of. jobs: NULL =
 * the run has none of all */
void weir_jobs_print(FILE *out, const struct weir_job_results *jobs);
#endif
