/* src/results/reproduce/sweep.h - runs a plan as child processes of this same program, some at a time, each merged into
 * the result file when it has ended well. */
#ifndef WEIR_REPRODUCE_SWEEP_H
#define WEIR_REPRODUCE_SWEEP_H
#include "reproduce/plan.h"
#include "reproduce/sweep_dir.h"
#include "store/store.h"

#define WEIR_JOBS_MAX 256u

struct weir_left { /* real time of runs that have not ended */
    double all_ns, longest_ns;
    uint32_t runs;
};

void weir_left_add(struct weir_left *left, double run_ns);
/* Returns the time that `jobs` at a time need for it; no run is shared by two. */
double weir_left_ns(const struct weir_left *left, uint32_t jobs);

struct weir_sweep_options {
    const struct weir_sweep_dir *dir; /* open */
    struct weir_store *store;         /* open for writing */
    uint32_t jobs;                    /* 1 .. WEIR_JOBS_MAX */
};

struct weir_sweep_outcome {
    uint32_t done, failed; /* of this call */
    uint32_t ended;        /* of those that failed: ended by a signal that says nothing about the run, SIGKILL say */
    int signal;            /* that ended it early; 0 = none */
};

/**
 * Runs every pending point that is wanted, the longest first. A point that fails is shown with what it printed, and the
 * others go on. In the result file a point is `running` while it is, and `failed` with the reason if it does. SIGINT,
 * SIGTERM and SIGHUP end the children and keep what is done; a second one does not wait for them to tidy up.
 * @return 0, or a code with err: no child can be started, the result file cannot be written
 */
int weir_sweep_run(struct weir_plan *plan, const struct weir_sweep_options *options, struct weir_sweep_outcome *outcome,
                   struct weir_err *err);
#endif
