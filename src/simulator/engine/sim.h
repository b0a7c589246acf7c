/* src/simulator/engine/sim.h - a run of the simulator: from a resolved model to a result. How it works: doc/engine.md.
 * */
#ifndef WEIR_ENGINE_SIM_H
#define WEIR_ENGINE_SIM_H
#include "model/model.h"

/**
 * Runs a model to its end.
 * @param result  filled as far as the run came, also on error
 * @return 0, or a code with err: WEIR_E_MEMORY, WEIR_E_RUN (an invariant failed under check), WEIR_E_RANGE (more
 *         threads than nodes), WEIR_E_CONFLICT, or what a callback of the options returned
 */
int weir_sim_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                 struct weir_err *err);
#endif
