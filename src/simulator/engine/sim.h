/* src/simulator/engine/sim.h - the simulator's entry point: from a model to a result. doc/engine.md explains the
 * engine. */
#ifndef WEIR_ENGINE_SIM_H
#define WEIR_ENGINE_SIM_H
#include "model/model.h"

/**
 * Runs a model to its end, on options->threads threads; the calling thread is one of them.
 * @param result  zeroed first, then filled as far as the run came, also on error; the caller frees it by
 *                weir_result_free()
 * @return 0, or a code with err: WEIR_E_MEMORY, WEIR_E_RUN (an invariant does not hold, with options->check),
 *         WEIR_E_RANGE (no thread, more threads than nodes or than WEIR_THREADS_MAX, or too many routes),
 *         WEIR_E_CONFLICT (coupled switches and hosts with unlimited NICs), or the code that a callback of the options
 *         returned
 */
int weir_sim_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                 struct weir_err *err);
#endif
