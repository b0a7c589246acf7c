/* src/simulator/ranks/ranks.h - one simulation in several processes, its ranks. Rank r does what the threads r * T
 * .. r * T + T - 1 of one process would do, if each rank has T threads. What threads share through memory goes by
 * messages at the end of each window; doc/engine.md explains them. All functions do nothing, and return at once, if
 * the simulation has one process: e->ranks is NULL then. */
#ifndef WEIR_RANKS_RANKS_H
#define WEIR_RANKS_RANKS_H
#include "carrier/carrier.h"
#include "state/state.h"

/* ---- open.c: set-up ---- */

/* Sets up e->ranks if options->carrier is set, and e->first, e->own and e->thread_count. Ranks other than 0 get the
 * options of rank 0 from it: e->options then has them. Called before all other set-up. @return 0, or a code with err */
int weir_sim_ranks_open(struct sim_engine *e, struct weir_err *err);
/* Lists the links that cross to other ranks. Called when all nodes are set up. @return false = no memory */
bool weir_sim_ranks_cuts(struct sim_engine *e);
/* Lets all ranks know how the set-up of this one went. code: 0, or that of an error, with err. @return code; or, if
 * it is 0 and another rank failed, the code of that rank with err */
int weir_sim_ranks_begin(struct sim_engine *e, int code, struct weir_err *err);
void weir_sim_ranks_free(struct sim_engine *e);
/* Returns how many processes the options ask for: 1 = one. */
uint32_t weir_sim_ranks_count(const struct sim_engine *e);

/* ---- away.c, arrive.c: the end of a window ---- */

/* Packs what links of a group of a thread's nodes carry to other ranks, when their window has ended at end_ps. Lowers
 * th->due_ps[] to what must be known of it. Called by the thread, before it publishes. */
void weir_sim_ranks_pack(struct sim_thread *th, uint32_t group, uint64_t end_ps);
/* Sends what was packed, and what threads have published in pub[copy], to all other ranks, and receives theirs. Called
 * by one thread while all others wait. */
void weir_sim_ranks_exchange(struct sim_engine *e, uint32_t copy);
/* Lets the rank of a flow's sender know that a flow for which the flow waits has ended, and is known there at
 * ready_ps. */
void weir_sim_ranks_unblock(struct sim_thread *th, uint32_t flow, uint64_t ready_ps);

/* ---- fold.c: the whole network, between windows. All ranks call these functions in the same order, each by one thread
 * while all others wait ---- */

/* Adds the values of all ranks, one by one: rank 0 gets the sums, the others keep theirs. */
void weir_sim_ranks_sum(const struct sim_engine *e, uint64_t *value, size_t count);
/* Gives rank 0 the largest of the values of all ranks. */
void weir_sim_ranks_most(const struct sim_engine *e, uint64_t *value, size_t count);
/* Gives all ranks what rank 0 has in *value. */
void weir_sim_ranks_share(const struct sim_engine *e, void *value, size_t bytes);
/* Appends what the other ranks have in *rows to that of rank 0; theirs are empty afterwards. */
void weir_sim_ranks_append(const struct sim_engine *e, struct weir_buffer *rows);
/* Gives rank 0 the first sentence of those that some ranks have. broken: NULL = none. @return at rank 0 that sentence,
 * valid until weir_sim_ranks_free(), or NULL; at other ranks broken */
const char *weir_sim_ranks_first(const struct sim_engine *e, const char *broken);
/* Gives all ranks what rank 0 has decided: whether the run stalls, breaks an invariant or ends by a callback, and which
 * snapshots are kept. */
void weir_sim_ranks_agree(struct sim_engine *e);
/* Gives rank 0 what all ranks have in *value, by one call of add() for each other rank, in their order. bytes: of a
 * value, which may have no pointer to memory of this process */
void weir_sim_ranks_merge(const struct sim_engine *e, void *value, size_t bytes,
                          void (*add)(void *sum, const void *of, size_t bytes));
/* Ends the run of this rank, and so that of the others: memory ran out where all ranks would have to know. */
void weir_sim_ranks_fail(struct sim_engine *e);

/* ---- gather.c: the bookkeeping of messages, and the counts of threads ---- */

/* Gives rank 0 the numbers of all shards at a boundary, and the slowdowns of the present batch. */
void weir_sim_ranks_counts(struct sim_engine *e);
/* Moves the rows of delivered messages to rank 0. */
void weir_sim_ranks_rows(struct sim_engine *e);
/* Gives rank 0 the shards of all threads, their counts, and the messages that have not ended, when the run is over. */
void weir_sim_ranks_gather(struct sim_engine *e);

/* ---- */

/* Tests whether this is the process whose results count: rank 0, or the only one. */
static inline bool sim_is_first(const struct sim_engine *e)
{
    return e->first == 0;
}
/* Returns the error that ended the run, if one rank has ended or memory ran out; NULL = none. */
const struct weir_err *weir_sim_ranks_error(const struct sim_engine *e);
/* Completes options->profile, at rank 0, by what each rank has sent. Called when the run is over. */
void weir_sim_ranks_profile(const struct sim_engine *e);
#endif
