/* src/simulator/coupled/coupled.h - coupled switches, whose ports depend on each other at one instant: the functions
 * that other rooms call. */
#ifndef WEIR_COUPLED_COUPLED_H
#define WEIR_COUPLED_COUPLED_H
#include "state/state.h"

/* Executes the window [start_ps, end_ps) of a coupled switch. @return when the switch must be visited next if
 * nothing more is sent to it; WEIR_NEVER = never */
uint64_t weir_sim_visit_coupled(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
/* Sets up sw->coupled; does nothing if the run's switches are not coupled. The switch's ports must be set up. @return
 * false = no memory */
bool weir_sim_coupled_init(struct sim_thread *th, struct sim_engine *e, struct sim_switch *sw);
/* Notes that an event of a cable of the switch is due at at_ps. Called between windows. */
void weir_sim_coupled_cable(struct sim_switch *sw, uint64_t at_ps);
/* Fills three numbers of *result, sums over all coupled switches: windows with deferred hooks, windows step by step,
 * and switch-overs to step by step. With ranks, all of them call it, and rank 0 gets the sums. */
void weir_sim_coupled_count(const struct sim_engine *e, struct weir_result *result);
/* Tests whether the hooks of a port with this chain and kind can be deferred. A switch defers its hooks only if all its
 * ports can. */
bool weir_sim_can_defer(const struct weir_model *m, const struct weir_chain *chain, struct sim_port_kind kind);
/* Returns how many packets with telemetry records wait in the class FIFOs of the port that feeds `link`. The port must
 * be served step by step (SIM_SERVE_STEPS). */
uint64_t weir_sim_coupled_with_records(const struct sim_link *link);
/* Explains a stall: prints to `out` the ports of this process that are paused, ten at most, and how many there are.
 * Prints nothing if no feature sends control frames. */
void weir_sim_coupled_diagnose(const struct sim_engine *e, FILE *out);
/* Prints one cycle of ports that wait for each other, if there is one, of whatever ranks they are. out: NULL = prints
 * nothing. All ranks call it. */
void weir_sim_coupled_circle(const struct sim_engine *e, FILE *out);
#endif
