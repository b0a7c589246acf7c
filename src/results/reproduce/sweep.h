/* src/results/reproduce/sweep.h - runs the points of a plan as child processes of this program, several at a time. The
 * result of a child that succeeds is merged into the result file. */
#ifndef WEIR_REPRODUCE_SWEEP_H
#define WEIR_REPRODUCE_SWEEP_H
#include "reproduce/plan.h"
#include "reproduce/sweep_dir.h"
#include "store/store.h"

#define WEIR_JOBS_MAX 256u

struct weir_left { /* estimated real time that runs still need */
    double all_ns, longest_ns;
    uint32_t runs;
};

void weir_left_add(struct weir_left *left, double run_ns);
/* Returns the real time that the runs need if `jobs` of them run at a time. A run is not split, so this is at least the
 * time of the longest. */
double weir_left_ns(const struct weir_left *left, uint32_t jobs);

struct weir_sweep_options {
    const struct weir_sweep_dir *dir; /* open */
    struct weir_store *store;         /* open for writing */
    uint32_t jobs;                    /* 1 .. WEIR_JOBS_MAX */
};

struct weir_sweep_outcome {
    uint32_t done, failed; /* points that were done, or failed, in this call */
    uint32_t ended;        /* failed points whose child was ended from outside, by SIGKILL for example: they may be
                              tried again */
    int signal;            /* signal that ended the sweep early; 0 = none */
};

/**
 * Runs every pending point that is wanted, the longest first. Prints the stderr of a point that fails, and goes on with
 * the others. While a point runs, the result file has a row of the point with status `running`. If the point fails, the
 * status becomes `failed`, with the reason. SIGINT, SIGTERM or SIGHUP ends the children (by SIGTERM) and the sweep; the
 * done runs are kept. A second such signal kills the children (by SIGKILL).
 * @return 0, or a code with err: no child can be started, or the result file cannot be written
 */
int weir_sweep_run(struct weir_plan *plan, const struct weir_sweep_options *options, struct weir_sweep_outcome *outcome,
                   struct weir_err *err);
#endif
