/* src/scenario/measure/jobs.c - memory for the results of jobs and coflows. */
#include "measure/result.h"
#include <stdlib.h>

struct weir_job_results *weir_job_results_new(uint32_t job_count, uint32_t coflow_count)
{
    struct weir_job_results *jobs = calloc(1, sizeof(*jobs));
    if (jobs == NULL)
        return NULL;
    jobs->job = calloc(job_count + (size_t)1, sizeof(*jobs->job)); /* + 1: calloc(0, ..) may return NULL */
    jobs->coflow = calloc(coflow_count + (size_t)1, sizeof(*jobs->coflow));
    jobs->job_count = job_count;
    jobs->coflow_count = coflow_count;
    if (jobs->job != NULL && jobs->coflow != NULL)
        return jobs;
    weir_job_results_free(jobs);
    return NULL;
}

void weir_job_results_free(struct weir_job_results *jobs)
{
    if (jobs == NULL)
        return;
    free(jobs->job);
    free(jobs->coflow);
    free(jobs);
}
