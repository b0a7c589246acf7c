/* src/scenario/measure/jobs.c - memory for the results of jobs and coflows, bandwidths of collective operations, and
 * the summary of both. */
#include "core/math.h"
#include "core/units.h"
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

/* Returns bytes * parts / t in bytes per second. bytes * parts: below 2^40 * 2^21 */
static uint64_t job_rate(const struct weir_job_result *job, uint32_t parts)
{
    bool ended = job->bytes != 0 && job->end_ps != WEIR_NEVER && job->end_ps > job->start_ps;
    WEIR_ASSERT(job->end_ps >= job->start_ps);
    return ended ? weir_mul_div_u64(job->bytes * parts, WEIR_PS_PER_S, job->end_ps - job->start_ps) : 0;
}

uint64_t weir_job_algbw(const struct weir_job_result *job)
{
    return job_rate(job, 1);
}

uint64_t weir_job_busbw(const struct weir_job_result *job)
{
    WEIR_ASSERT(job->bytes == 0 || job->bus_ranks > 0);
    return job->bytes != 0 ? job_rate(job, job->bus_parts) / job->bus_ranks : 0;
}

bool weir_jobs_summarise(const struct weir_job_results *jobs, struct weir_jobs_summary *summary)
{
    struct weir_samples time, alg, bus;
    bool ok;
    *summary = (struct weir_jobs_summary){ .jobs = jobs->job_count };
    weir_samples_init(&time, WEIR_SAMPLES_MAX);
    weir_samples_init(&alg, WEIR_SAMPLES_MAX);
    weir_samples_init(&bus, WEIR_SAMPLES_MAX);
    for (uint32_t i = 0; i < jobs->job_count; i++) {
        const struct weir_job_result *job = &jobs->job[i];
        summary->unfinished += job->end_ps == WEIR_NEVER;
        if (job->end_ps == WEIR_NEVER)
            continue;
        weir_samples_add(&time, job->end_ps - job->start_ps, i);
        if (weir_job_algbw(job) == 0)
            continue; /* a job, or a step without time */
        weir_samples_add(&alg, weir_job_algbw(job), i);
        weir_samples_add(&bus, weir_job_busbw(job), i);
    }
    ok = !time.failed && !alg.failed && !bus.failed;
    if (ok) {
        summary->completion = weir_samples_dist(&time);
        summary->algbw = weir_samples_dist(&alg);
        summary->busbw = weir_samples_dist(&bus);
    } else {
        *summary = (struct weir_jobs_summary){ 0 };
    }
    weir_samples_free(&time);
    weir_samples_free(&alg);
    weir_samples_free(&bus);
    return ok;
}
