/* src/simulator/engine/skip.h - steady states are skipped exactly (run.skip): doc/skip.md. */
#ifndef WEIR_ENGINE_SKIP_H
#define WEIR_ENGINE_SKIP_H
#include "state/skip.h"
#include "state/state.h"

/* Sets e->skip if the model asks for it. All nodes must be set up. @return false = no memory */
bool weir_sim_skip_init(struct sim_engine *e);
void weir_sim_skip_free(struct sim_engine *e);

/* Makes a cut at now_ps, e->skip->next_ps: keeps the state, compares it with the one that was kept, or moves it on by
 * whole periods. Sets the next cut. outside_ps: the next instant at which something comes from outside. Called by
 * thread 0 while all others wait, when all that is due before now_ps and all other boundaries at now_ps are done. */
void weir_sim_skip_cut(struct sim_engine *e, uint64_t now_ps, uint64_t outside_ps);

/* ---- skip_state.c, skip_why.c ---- */

/* Gives the state of the whole network to e->skip->state, or of the probe with its in-link alone. In a comparison it
 * ends at the first difference. */
void weir_sim_skip_state(struct sim_engine *e);
/* Returns why the state of this run cannot be given, or cannot repeat, as the end of a sentence; NULL = it may. */
const char *weir_sim_skip_why(const struct sim_engine *e);
#endif
