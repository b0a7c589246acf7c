/* src/simulator/observe/observe.h - the observation of a run: samples, snapshots, invariants, the result. */
#ifndef WEIR_OBSERVE_OBSERVE_H
#define WEIR_OBSERVE_OBSERVE_H
#include "state/state.h"

/* ---- snapshot.c: a run in progress. These functions are called before all events of their instant ---- */

/* Takes `count` samples of a thread's nodes: at now_ps, and then one per weir_sim_sample_every(). The network must have
 * no event before the last of them. Unless switches take their own samples (e->samples_apart), records the queue of
 * each switch port and the sum of each first-hop switch. With a receiver-driven protocol, also adds up the credit of
 * the thread's hosts in every 10th sample. If switches take their own samples, these samples are 10 intervals apart,
 * and each adds up credit. */
void weir_sim_sample(struct sim_thread *th, uint64_t now_ps, uint64_t count);
/* Takes samples of a session in which all messages so far are delivered. In `weir run` no sample follows the last
 * delivery. Whether this one was the last is not known yet, so the samples are kept apart. delivered: messages so
 * far */
void weir_sim_sample_idle(struct sim_thread *th, uint64_t now_ps, uint64_t count, uint64_t delivered);
/* Takes the samples before end_ps that switches of this thread have not taken, since they had nothing to do any
 * more. */
void weir_sim_sample_rest(struct sim_thread *th, uint64_t end_ps);
/* Returns the interval, in ps, of samples for which all threads meet; WEIR_NEVER = there are none. */
uint64_t weir_sim_sample_every(const struct sim_engine *e);
/* Allocates the arrays that snapshots lend to options->snapshot; does nothing without that callback. @return false = no
 * memory */
bool weir_sim_snapshot_init(struct sim_engine *e);
/* Passes a snapshot to options->snapshot, and sets e->callback_code to its return value. Does nothing if now_ps is
 * not after the last snapshot, a callback has failed or an invariant is broken. All other threads must wait.
 * queues_ps: the instant of the queues, not before now_ps; WEIR_NEVER = only packets that will never be sent count */
void weir_sim_snapshot_pass(struct sim_engine *e, uint64_t now_ps, uint64_t queues_ps);

/* ---- report.c ---- */

/* Passes to the callbacks of the options what they have not got yet, sorted: the messages that ended, all control
 * frames, the packets at taps before until_ps. Calls none that has no rows. Sets e->callback_code to what a
 * callback returns, or to WEIR_E_MEMORY; if it is not 0, does nothing. Called between windows by one thread, when all
 * decisions before until_ps have been made. */
void weir_sim_report(struct sim_engine *e, uint64_t until_ps);

/* ---- batch.c ---- */

/* Starts or ends a batch of the measured part at now_ps, weir_account_batch_ps(), and sets e->callback_code to what
 * options->batch returns, which is not called if a callback has failed. All other threads must wait. */
void weir_sim_batch(struct sim_engine *e, uint64_t now_ps);

/* ---- finish.c: checks and the result ---- */

/* Ends a run: passes the last rows and the last snapshot to the callbacks, checks the invariants, fills *result, and
 * explains a stall. All threads must have stopped. Without memory, sets e->thread[0].failed. */
void weir_sim_finish(struct sim_engine *e, struct weir_result *result);
/* Ends a run as weir_sim_finish() does. ends: false = the run goes on, so features take no notice, and e is a copy */
void weir_sim_finish_as(struct sim_engine *e, bool ends, struct weir_result *result);
/* Fills *result, zeros before, as if the run ended at at_ps, where all nodes have stopped; the run may go on. Features
 * take no notice: a pause that lasts is not counted. Options may ask for neither rows nor details. @return 0; or a code
 * with err, and the result must be freed all the same */
int weir_sim_interim(const struct sim_engine *e, uint64_t at_ps, struct weir_result *result, struct weir_err *err);
/* Returns a sentence about an invariant that does not hold at now_ps; NULL = all hold. Called between windows only. */
const char *weir_sim_check(const struct sim_engine *e, uint64_t now_ps);
/* Returns a sentence about a rule that the features of some switch of this process find broken; NULL = none is. */
const char *weir_sim_check_features(const struct sim_engine *e);
/* Explains a stall to options->diagnosis. */
void weir_sim_explain(const struct sim_engine *e);
#endif
