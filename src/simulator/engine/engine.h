/* src/simulator/engine/engine.h - the set-up of a run, and its way through windows. */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H
#include "engine/sim.h"
#include "state/state.h"

/* Sets an engine up: threads, groups, routes, nodes. @return 0, or a code with err, and nothing is left to free */
int weir_sim_engine_init(struct sim_engine *e, const struct weir_model *model, const struct weir_sim_options *options,
                         struct weir_err *err);
/* Frees all that an engine holds; it may be set up in part. */
void weir_sim_engine_free(struct sim_engine *e);

/* nodes.c: sets up all links, hosts and switches, whose threads and groups are known. @return false = no memory */
bool weir_sim_nodes_init(struct sim_engine *e);

/* window.c: runs one thread's part of the run; arg: its struct sim_thread. @return NULL */
void *weir_sim_thread_main(void *arg);
#endif
