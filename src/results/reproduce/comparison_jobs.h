/* src/results/reproduce/comparison_jobs.h - completion times and bandwidths of single jobs in a comparison of laws: of
 * jobs, graphs, and steps of collective operations. All runs of a comparison have the same jobs, in the same order. */
#ifndef WEIR_REPRODUCE_COMPARISON_JOBS_H
#define WEIR_REPRODUCE_COMPARISON_JOBS_H
#include "reproduce/comparison.h"
#include "reproduce/plan.h"
#include "text/json.h"
#include <stdio.h>

enum weir_comparison_job_number {
    WEIR_JOB_COMPLETION_US,
    WEIR_JOB_ALGBW,
    WEIR_JOB_BUSBW,
    WEIR_JOB_NUMBERS,
};

struct weir_comparison_jobs { /* zeros = no run has jobs */
    uint32_t count, left_out; /* jobs here; further jobs of a run */
    uint32_t law_count, seed_count;
    char **name;    /* owned, as is number */
    double *number; /* NAN = the run has no such number; see weir_comparison_jobs_of() */
};

/* Returns the numbers of a job with a law, one for each seed. */
const double *weir_comparison_jobs_of(const struct weir_comparison_jobs *jobs, uint32_t job,
                                      enum weir_comparison_job_number what, uint32_t law);

/**
 * Reads the jobs of the runs of a comparison.
 * @param point  law_count times seed_count points, ordered by law, then by seed; others than done ones are left out
 * @return 0, or a code with err; *jobs is then zeros
 */
int weir_comparison_jobs_read(struct weir_comparison_jobs *jobs, const struct weir_comparison *c,
                              const struct weir_point *point, struct weir_err *err);
void weir_comparison_jobs_free(struct weir_comparison_jobs *jobs);

/* Prints completion times, and bus bandwidths if there are any, with a line for each job and a column for each law. If
 * there are more than `lines` jobs, a line is of the jobs of one name, without the group and the step. Prints nothing
 * if there are no jobs. */
void weir_comparison_jobs_print(FILE *out, const struct weir_comparison *c, const struct weir_comparison_jobs *jobs,
                                uint32_t lines);

/* Puts `jobs`, a list of all jobs with the numbers of each law, and `jobs_left_out`. */
void weir_comparison_jobs_json(struct weir_json *json, const struct weir_comparison *c,
                               const struct weir_comparison_jobs *jobs);
#endif
