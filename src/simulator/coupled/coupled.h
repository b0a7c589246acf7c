/* src/simulator/coupled/coupled.h - switches whose ports depend on each other at one instant: what the engine calls. */
#ifndef WEIR_COUPLED_COUPLED_H
#define WEIR_COUPLED_COUPLED_H
#include "state/state.h"

/* Does everything that a coupled switch does in [start, end). @return as weir_sim_visit_switch() */
uint64_t weir_sim_visit_coupled(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
/* Sets sw->coupled up, if switches of the run are coupled; its ports must be set up. @return false = no memory */
bool weir_sim_coupled_init(struct sim_thread *th, struct sim_engine *e, struct sim_switch *sw);
/* Adds to the result how many windows of a switch went which way. */
void weir_sim_coupled_count(const struct sim_switch *sw, struct weir_result *result);
/* Tests whether a port lets a coupled switch defer its hooks. chain, kind: of the port */
bool weir_sim_can_defer(const struct weir_model *m, const struct weir_chain *chain, struct sim_port_kind kind);
/* Counts packets with telemetry records that wait in a port that goes step by step. */
uint64_t weir_sim_coupled_with_records(const struct sim_link *link);
/* Prints the ports that are paused, and those that wait for each other in a cycle; for a stall. */
void weir_sim_coupled_diagnose(const struct sim_engine *e, FILE *out);
#endif
