/* src/simulator/port/programs_run.h - programs in the engine: inboxes of hosts, and what happens to messages and timers
 * in them. Programs: program/program.h. */
#ifndef WEIR_PORT_PROGRAMS_RUN_H
#define WEIR_PORT_PROGRAMS_RUN_H
#include "state/state.h"

/* Gives every host an inbox, unless they have one: e->account.inbox. Called before the run, when the hosts are set up.
 * @return false = no memory */
bool weir_sim_inboxes(struct sim_engine *e);

/* Sets up e->account.programs, and makes hosts due for the first timers of ranks; does nothing if the model has no
 * programs. Called as weir_sim_inboxes(). @return false = no memory; the caller then calls weir_sim_programs_free() */
bool weir_sim_programs_init(struct sim_engine *e);
/* Frees e->account.programs and e->account.inbox, which may be NULL. */
void weir_sim_programs_free(struct sim_engine *e);

/* Passes on that a timer of an inbox is due: to the session or to the programs. */
void weir_sim_inbox_timer(struct sim_thread *th, const struct weir_message *m, uint64_t now_ps);
#endif
