/* src/sim/lost.h - every packet that the network drops or loses is counted here, under its cause. */
#ifndef WEIR_SIM_LOST_H
#define WEIR_SIM_LOST_H
#include "sim/engine.h"

/* A call in a hot loop then costs the loop no registers. */
#define SIM_COLD __attribute__((cold, noinline))
/* Counts a packet that the port drops at now: it joins, or is to leave. Its records are the caller's to drop. */
SIM_COLD void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                            uint32_t cause);
/* Counts a packet that is lost on the wire; its transmission starts at start. Likewise. */
SIM_COLD void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t start_ps,
                            uint32_t cause);
/* Counts a packet that has arrived by `in` and that no way leads on for, and drops its records. By the reader of the
 * link. */
SIM_COLD void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt);
/* Adds the packets of each cause, of all threads: cause_count sums. */
void weir_sim_lost_sums(const struct sim_engine *e, uint64_t *sum);
/* Fills what the result has of them. @return false = no memory */
bool weir_sim_lost_result(struct sim_engine *e, struct weir_result *result);
/* Returns the invariant of the counters that does not hold, as a sentence; NULL = all do. */
const char *weir_sim_lost_check(const struct sim_engine *e);
#endif
