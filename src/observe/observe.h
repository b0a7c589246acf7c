/* src/observe/observe.h - a run in progress is looked at, and concluded: samples, snapshots, invariants, the result. */
#ifndef WEIR_OBSERVE_OBSERVE_H
#define WEIR_OBSERVE_OBSERVE_H
#include "state/state.h"

/* snapshot.c: samples and snapshots of a run in progress; before anything at that instant */
/* One value per first-hop switch and per switch port, of the owner's nodes, unless they take them apart; credit of its
 * hosts now and then. */
void weir_sim_sample(struct sim_thread *th, uint64_t now_ps);
/* The samples before end of switches that had nothing more to do until then. */
void weir_sim_sample_rest(struct sim_thread *th, uint64_t end_ps);
/* From one meeting for samples to the next; WEIR_NEVER = there are none. */
uint64_t weir_sim_sample_every(const struct sim_engine *e);
/* Room for what snapshots lend. @return false = no memory */
bool weir_sim_snapshot_init(struct sim_engine *e);
/* Passes a snapshot to options->snapshot, unless there was one at this instant. All threads stand still. queues_ps:
 * whose queues; WEIR_NEVER = what will never be sent. */
void weir_sim_snapshot(struct sim_engine *e, uint64_t now_ps, uint64_t queues_ps);

/* finish.c: checks and the result */
void weir_sim_finish(struct sim_engine *e, struct weir_result *result);
/* The invariant that does not hold at now, as a sentence; NULL = all hold. Between windows only. */
const char *weir_sim_check(const struct sim_engine *e, uint64_t now_ps);
/* Which messages hang, and where. */
void weir_sim_diagnose(const struct sim_engine *e, FILE *out);
#endif
