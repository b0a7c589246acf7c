/* src/simulator/state/fate.h - counts fates by cause: drops, losses, marks that hooks make or take, deflections and
 * pauses. Marks of a port whose only rule is a threshold are not counted here, but in sim_link.marks;
 * sim_link.mark_cause is their cause. */
#ifndef WEIR_STATE_FATE_H
#define WEIR_STATE_FATE_H
#include "state/state.h"

/* Allocates the counters of all causes, and those by link if the options request them. @return false = no memory */
bool weir_sim_fate_init(struct sim_engine *e);
/* Frees e->fates_at and e->snapshot_lost, each of which may be NULL. The counters of threads are in their arenas. */
void weir_sim_fate_free(struct sim_engine *e);

/* Attribute of functions off the hot path. They are not inlined, so that a hot loop with a call keeps its registers. */
#define SIM_COLD __attribute__((cold, noinline))
/* Counts a packet that the port of link drops at now, when the packet joins or is about to leave. Notes the drop for
 * the tap. The caller frees the packet's telemetry records. */
SIM_COLD void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                            uint32_t cause);
/* Counts a packet that is lost on the wire. start: when its transmission starts. A start at or after the end of the run
 * is counted in losses_later only, and under no cause. The caller frees the packet's telemetry records. */
SIM_COLD void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t start_ps,
                            uint32_t cause);
/* Counts a packet that has arrived by link `in` and has no route, as a drop and as a packet-hop. Notes the drop for the
 * tap, and frees the packet's telemetry records. Called by the thread that reads the link. */
SIM_COLD void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt);
/* Asks the on_mark hooks of the port whether one takes a mark that another hook of the port makes, then counts the mark
 * or the taken mark by its cause. The caller sets CE and adds to link->marks. @return 1 = set CE, 0 = the mark was
 * taken */
SIM_COLD uint32_t weir_sim_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                uint64_t now_ps, uint32_t cause);
/* Counts a fate by its cause, also at the link if causes by link were requested. link: for a deflection, the link of
 * the packet's route; for a pause, the link on which the frame is sent. cause: WEIR_CAUSE_NONE = nothing is counted */
void weir_sim_fate(struct sim_thread *th, const struct sim_link *link, uint32_t cause);
/* Writes to sum[0 .. cause_count - 1] how often each cause has applied so far. Called between windows only. */
void weir_sim_fate_sums(const struct sim_engine *e, uint64_t *sum);
/* Fills result->causes, which the owner of the result frees; moves e->fates_at into it. Called once, when the run is
 * over. @return false = no memory */
bool weir_sim_fate_result(struct sim_engine *e, struct weir_result *result);
/* Checks that drops, losses and marks of all links are the sums over their causes. Called between windows. @return NULL
 * = all are, else a sentence that names the invariant that does not hold */
const char *weir_sim_fate_check(const struct sim_engine *e);
#endif
