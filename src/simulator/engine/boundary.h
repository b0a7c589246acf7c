/* src/simulator/engine/boundary.h - boundaries: instants at which windows end, since state of the network is read or
 * changed there. Begins and quarters of the measured part, bins, new routes, restarts, samples, snapshots, steps of the
 * jobs' policies, ticks; the end of the run, and pauses of a session. */
#ifndef WEIR_ENGINE_BOUNDARY_H
#define WEIR_ENGINE_BOUNDARY_H
#include "engine/engine.h"

/* Returns the next instant at which a window must end. */
uint64_t weir_sim_boundary_ps(const struct sim_thread *th, const struct sim_window *s);

/* Executes all boundaries that are not after the next event and are before the end of the run, but BOUNDARIES_MAX at
 * most: s->more gets whether some are left. Several ticks that are due become one. Does nothing if the run is until all
 * is delivered and no event will come. */
void weir_sim_boundaries(struct sim_thread *th, struct sim_window *s);
#endif
