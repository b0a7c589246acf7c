/* src/solver/solve/length.h - finds how long a run with `run.measure: auto` has to be [run.auto]: simulates it in short
 * batches until its means are precise enough. The run itself then has that warm-up and measured part, as if both were
 * given by hand. */
#ifndef WEIR_SOLVE_LENGTH_H
#define WEIR_SOLVE_LENGTH_H
#include "means/length.h"
#include "setup/setup.h"

struct weir_run_length {
    uint64_t warmup_ps, measure_ps; /* what was found */
    struct weir_length length;      /* why; its verdict GOES_ON: a signal came, or the run stalled */
    bool is_offered; /* nothing was simulated: a link is offered more than its rate, whatever the protocol does */
    bool is_stopped; /* a signal came: nothing was found */
};

/* Simulates a model: weir_sim_run(), or the oracle in tests. */
typedef int weir_simulate(const struct weir_model *model, const struct weir_sim_options *options,
                          struct weir_result *result, struct weir_err *err);

/**
 * Finds the length of a run. In an overloaded network, and if the run stalls, it is the given warm-up and the first
 * length.
 * @param setup    of a scenario with `run.measure: auto`
 * @param options  threads, check, progress and stop are read
 * @return 0, or a code with err
 */
int weir_run_length_find(struct weir_run_length *found, const struct weir_setup *setup,
                         const struct weir_sim_options *options, weir_simulate *simulate, struct weir_err *err);

/* Prints a sentence about what was found, and why, without a full stop: "warm-up 1 ms, measured for 40 ms: ..". */
void weir_run_length_print(FILE *out, const struct weir_run_length *found, const struct weir_setup *setup);
#endif
