/* src/simulator/state/fate.h - counters of fates by cause: drops, losses, marks that hooks make or take, deflections,
 * pauses. Marks by a lone threshold are counted by their port alone (sim_link.mark_cause). */
#ifndef WEIR_STATE_FATE_H
#define WEIR_STATE_FATE_H
#include "state/state.h"

/* Makes room for the counters of causes. @return false = no memory */
bool weir_sim_fate_init(struct sim_engine *e);
/* Frees what weir_sim_fate_init() and weir_sim_snapshot_init() took for causes. */
void weir_sim_fate_free(struct sim_engine *e);

/* Attribute of functions off the hot path: a call in a hot loop then costs the loop no registers. */
#define SIM_COLD __attribute__((cold, noinline))
/* Counts a packet that the port drops at now, as it joins or is to leave. The caller drops its records. */
SIM_COLD void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                            uint32_t cause);
/* Counts a packet that is lost on the wire; its transmission starts at start. The caller drops its records. */
SIM_COLD void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t start_ps,
                            uint32_t cause);
/* Counts a packet that has arrived by `in` and has no route, and drops its records. Called by the thread that reads the
 * link. */
SIM_COLD void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt);
/* Counts a packet that hooks of this port mark, unless another hook takes the mark. @return 1 = it gets CE, else 0 */
SIM_COLD uint32_t weir_sim_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                uint64_t now_ps, uint32_t cause);
/* Counts a fate that needs nothing else: a deflection, at the port of the packet's route; a pause, at the port that
 * sends the frame. cause: WEIR_CAUSE_NONE = counts nothing */
void weir_sim_fate(struct sim_thread *th, const struct sim_link *link, uint32_t cause);
/* Sums up how often each cause has applied; sum: cause_count of them. Only between windows. */
void weir_sim_fate_sums(const struct sim_engine *e, uint64_t *sum);
/* Fills result->causes. @return false = no memory */
bool weir_sim_fate_result(struct sim_engine *e, struct weir_result *result);
/* Returns the invariant of the counters that does not hold, as a sentence; NULL = all hold. */
const char *weir_sim_fate_check(const struct sim_engine *e);
#endif
