/* src/engine/engine.h - sets a run up and drives it through its windows. */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H
#include "engine/sim.h"
#include "state/state.h"

int weir_sim_engine_init(struct sim_engine *e, const struct weir_model *model, const struct weir_sim_options *options,
                         struct weir_err *err);
void weir_sim_engine_free(struct sim_engine *e);

/* window.c: one thread's part of the run */
void *weir_sim_thread_main(void *arg);
#endif
