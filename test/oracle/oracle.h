/* test/oracle/oracle.h - the same model as src/sim, computed the textbook way: one global heap of events, one event when a frame
 * has left and one when it arrives, packets in explicit queues, every counter kept by hand. Written from doc/model.md alone, so that
 * it shares no mistake with the engine. Shares with it what the model takes as given: host/, routes, workload, the bookkeeping of
 * messages (sim/account.h). */
#ifndef WEIR_TEST_ORACLE_H
#define WEIR_TEST_ORACLE_H
#include "sim/sim.h"

/**
 * Runs a model to its end, on one thread.
 * @param options  threads, progress and diagnosis are not obeyed; rows are told once, at the end
 * @param result   as weir_sim_run() fills it, without memory figures
 * @return 0, or a code with err: WEIR_E_MEMORY, WEIR_E_RUN (an invariant failed under check)
 */
int weir_oracle_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                    struct weir_err *err);
#endif
