/* src/coupled/coupled.h - switches whose ports depend on each other at one instant: what the engine calls. */
#ifndef WEIR_COUPLED_COUPLED_H
#define WEIR_COUPLED_COUPLED_H
#include "state/state.h"

/* visit_coupled.c, coupled_init.c: switches whose ports read each other's state */
uint64_t weir_sim_visit_coupled(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
bool weir_sim_coupled_init(struct sim_thread *th, struct sim_engine *e, struct sim_switch *sw);
/* Adds how its windows went. */
void weir_sim_coupled_count(const struct sim_switch *sw, struct weir_result *result);
/* deferred_init.c: could a port of a coupled switch be deferred, as far as it alone is concerned? kind: of the port */
bool weir_sim_can_defer(const struct weir_model *m, const struct weir_chain *chain, struct sim_port_kind kind);
/* Counts packets with telemetry records that wait in a port that goes step by step. */
uint64_t weir_sim_coupled_with_records(const struct sim_link *link);
/* Ports that wait for each other in a circle, and ports that are paused; for a stall. */
void weir_sim_coupled_diagnose(const struct sim_engine *e, FILE *out);
#endif
