/* src/simulator/state/fate.h - counts fates by cause: drops, losses, marks that hooks make or prevent, deflections
 * and pauses. Marks that a port makes by its threshold, without a hook, are not counted here. They are in
 * sim_link.marks, and sim_link.mark_cause is their cause. */
#ifndef WEIR_STATE_FATE_H
#define WEIR_STATE_FATE_H
#include "state/state.h"

/* Allocates the counters of all causes, and those by link if options->causes and options->links are set. @return
 * false = no memory; weir_sim_fate_free() then frees what was allocated */
bool weir_sim_fate_init(struct sim_engine *e);
/* Frees e->fates_at and e->snapshot_lost, each of which may be NULL. The counters of threads are in their arenas. */
void weir_sim_fate_free(struct sim_engine *e);

/* Attribute of functions off the hot path. They are not inlined, so that a hot loop with a call keeps its registers. */
#define SIM_COLD __attribute__((cold, noinline))
/* Counts a packet that the port of `link` drops at now_ps, when the packet joins or is about to leave. Logs the drop
 * if the link is tapped. The caller frees the packet's telemetry records. */
SIM_COLD void weir_sim_drop(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                            uint32_t cause);
/* Counts a packet that is lost on the wire. The caller frees the packet's telemetry records. */
SIM_COLD void weir_sim_lose(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint32_t cause);
/* Counts a packet that has arrived by link `in` and has no route: in in->unrouted, under WEIR_CAUSE_NO_ROUTE, and as
 * a packet-hop. Logs the drop if that end of the link is tapped, and frees the packet's telemetry records. Called by
 * the thread that reads the link. */
SIM_COLD void weir_sim_refuse(struct sim_thread *th, struct sim_link *in, const struct weir_pkt *pkt);
/* Asks the on_mark hooks of the link's port about a mark that another hook of this port wants to make: one of them
 * may prevent the mark. Counts the mark, or the prevented mark, by its cause. cause: of the mark. @return 1 = the
 * caller sets CE and increments link->marks; 0 = the mark was prevented */
SIM_COLD uint32_t weir_sim_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                uint64_t now_ps, uint32_t cause);
/* Counts a fate that is neither a drop nor a loss by its cause, and by link if causes by link were requested. link:
 * the link of the port that marks, the link of a deflected packet's route, or the link on which a control frame that
 * pauses is sent. cause: WEIR_CAUSE_NONE = nothing is counted */
void weir_sim_fate(struct sim_thread *th, const struct sim_link *link, uint32_t cause);
/* Writes to sum[0 .. e->cause_count - 1] how often each cause has applied since the run began. Called between
 * windows only. */
void weir_sim_fate_sums(const struct sim_engine *e, uint64_t *sum);
/* Fills result->causes, which the owner of the result frees; moves e->fates_at into it. Called once, when the run is
 * over. @return false = no memory */
bool weir_sim_fate_result(struct sim_engine *e, struct weir_result *result);
/* Checks that the drops, losses and marks of all links equal the sums over their causes. Called between windows.
 * @return NULL = they do; else a sentence that names the broken invariant */
const char *weir_sim_fate_check(const struct sim_engine *e);
#endif
