/* src/state/fate.h - what becomes of packets by a rule is counted here, under its cause: drops, losses, marks that
 * hooks make or take, deflections, pauses. Marks by a lone threshold are counted by their port alone
 * (sim_link.mark_cause). */
#ifndef WEIR_SIM_LOST_H
#define WEIR_SIM_LOST_H
#include "state/state.h"

/* Makes room for the counters of causes. @return false = no memory */
bool weir_sim_fate_init(struct sim_engine *e);
void weir_sim_fate_free(struct sim_engine *e);

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
/* Counts a packet that hooks mark, at this port, unless another hook takes the mark. @return 1 = it gets CE, 0 */
SIM_COLD uint32_t weir_sim_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                uint64_t now_ps, uint32_t cause);
/* Counts a fate of which nothing else is to be done: a deflection, by the port of the packet's route; a pause, by the
 * port that sends the frame. WEIR_CAUSE_NONE = nothing is counted */
void weir_sim_fate(struct sim_thread *th, const struct sim_link *link, uint32_t cause);
/* Sums up how often each cause has applied: cause_count sums. Between windows only. */
void weir_sim_fate_sums(const struct sim_engine *e, uint64_t *sum);
/* Fills what the result has of them. @return false = no memory */
bool weir_sim_fate_result(struct sim_engine *e, struct weir_result *result);
/* Returns the invariant of the counters that does not hold, as a sentence; NULL = all do. */
const char *weir_sim_fate_check(const struct sim_engine *e);
#endif
