/* src/simulator/engine/engine.h - the set-up of an engine, and the main function of its threads. */
#ifndef WEIR_ENGINE_ENGINE_H
#define WEIR_ENGINE_ENGINE_H
#include "engine/sim.h"
#include "state/state.h"
#include "state/wake.h"

/* Sets up an engine: threads, groups, routes, nodes. model and options are lent until weir_sim_engine_free().
 * @return 0; or WEIR_E_MEMORY, WEIR_E_RANGE or WEIR_E_CONFLICT with err, and then nothing needs freeing */
int weir_sim_engine_init(struct sim_engine *e, const struct weir_model *model, const struct weir_sim_options *options,
                         struct weir_err *err);
/* Frees all memory that *e owns and zeroes *e; does not free e itself. The engine may be set up in part. */
void weir_sim_engine_free(struct sim_engine *e);

/* Sets up all links, hosts and switches (nodes.c). Threads, groups, routes and the account must be set up. @return
 * false = no memory */
bool weir_sim_nodes_init(struct sim_engine *e);

/* Sets where samples of queues are taken: by switches during their visits, or by all threads at once (nodes.c). All
 * ranks must be set up. */
void weir_sim_nodes_samples(struct sim_engine *e);

/* Restarts a host at now_ps: it and all others forget each other, and all are due. Called between windows, by one
 * thread while all others wait. */
void weir_sim_restart(struct sim_engine *e, uint32_t host, uint64_t now_ps);

/* Takes cables down or up at an instant that is still to come, and lets routes follow: events of [cables.events]. The
 * cables are cuttable, and no node has done anything that the change could concern. Called while the run pauses.
 * event: count of them, of one instant, not before that of any call before; for a cable that has an event at this
 * instant already, in its place. @return 0, or a code with err: no memory, too many routes. Then the run is over */
int weir_sim_engine_change(struct sim_engine *e, const struct weir_cable_event *event, uint32_t count,
                           struct weir_err *err);

/* Runs all threads until the run pauses (e->pause), or is over; the calling thread is one of them. e->over says which.
 * A run that has paused goes on with the next call. @return 0, or WEIR_E_MEMORY with err: no threads */
int weir_sim_engine_go(struct sim_engine *e, struct weir_err *err);

/* Returns 0, or with err the code of the error that the run met: no memory, a broken invariant, or the code of a
 * callback. */
int weir_sim_engine_verdict(const struct sim_engine *e, struct weir_err *err);

/* Runs one thread's part of the run to its end or to its next pause (window.c). Each thread of the engine must call it
 * once, and thread 0 again after each pause. arg: the thread's struct sim_thread. @return NULL */
void *weir_sim_thread_main(void *arg);
#endif
