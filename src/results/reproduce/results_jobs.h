/* src/results/reproduce/results_jobs.h - reads completion times and bandwidths of the jobs of a run: of jobs, graphs,
 * and steps of collective operations by each group of ranks. */
#ifndef WEIR_REPRODUCE_RESULTS_JOBS_H
#define WEIR_REPRODUCE_RESULTS_JOBS_H
#include "reproduce/plan.h"
#include "text/json.h"

#define WEIR_RESULTS_JOBS_MAX 1024u /* most jobs that are read of a run */

struct weir_results_job {
    char *name;
    /* NAN = the job has not ended; the bandwidths also if it is no step of a collective operation */
    double completion_us, algbw_gbytes_s, busbw_gbytes_s;
};

struct weir_results_jobs { /* in the order of the run; zeros = it has none */
    struct weir_results_job *job;
    uint32_t count, left_out; /* left_out: further jobs of the run */
};

/* Reads the jobs of the run of a point; none if the point is not done. @return 0, or a code with err; *jobs is then
 * zeros */
int weir_results_jobs_read(struct weir_results_jobs *jobs, const struct weir_point *point, struct weir_err *err);
void weir_results_jobs_free(struct weir_results_jobs *jobs);

#endif
