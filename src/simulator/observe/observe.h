/* src/simulator/observe/observe.h - the observation of a run: samples, snapshots, invariants, the result. */
#ifndef WEIR_OBSERVE_OBSERVE_H
#define WEIR_OBSERVE_OBSERVE_H
#include "state/state.h"

/* ---- snapshot.c: a run in progress. Everything is called before anything else at its instant ---- */

/* Takes a sample of a thread's nodes: one value per first-hop switch and per switch port, unless switches take their
 * own; now and then the credit of its hosts. */
void weir_sim_sample(struct sim_thread *th, uint64_t now_ps);
/* Takes the samples before end of switches that had nothing more to do until then. */
void weir_sim_sample_rest(struct sim_thread *th, uint64_t end_ps);
/* Returns the interval of samples for which all threads meet; WEIR_NEVER = there are none. */
uint64_t weir_sim_sample_every(const struct sim_engine *e);
/* Makes room for what snapshots lend. @return false = no memory */
bool weir_sim_snapshot_init(struct sim_engine *e);
/* Passes a snapshot to options->snapshot, unless there was one at this instant. All other threads wait. queues_ps: the
 * instant of the queues; WEIR_NEVER = only what will never be sent */
void weir_sim_snapshot(struct sim_engine *e, uint64_t now_ps, uint64_t queues_ps);

/* ---- finish.c: checks and the result ---- */

/* Fills the result when all threads have stopped: the last rows, snapshot and invariants, then all counters. */
void weir_sim_finish(struct sim_engine *e, struct weir_result *result);
/* Returns the invariant that does not hold at now, as a sentence; NULL = all hold. Only between windows. */
const char *weir_sim_check(const struct sim_engine *e, uint64_t now_ps);
/* Prints which messages hang, and where; for a stall. */
void weir_sim_diagnose(const struct sim_engine *e, FILE *out);
#endif
