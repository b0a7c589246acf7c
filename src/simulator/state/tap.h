/* src/simulator/state/tap.h - packets at tapped links, and control frames: noted as they pass, and handed over in
 * batches. */
#ifndef WEIR_STATE_TAP_H
#define WEIR_STATE_TAP_H
#include "state/state.h"

struct sim_tapped { /* when a packet joined its port and starts, and how long its transmission takes */
    uint64_t joined_ps, start_ps, tx_ps;
};
/* Tests whether packets of a link are noted, at either end. */
bool weir_sim_is_tapped(const struct sim_engine *e, uint32_t link);
/* Notes the start of a transmission at a tapped port. pkt: as it goes onto the wire; at a host without its records.
 * cause: why it is lost on the wire; WEIR_CAUSE_NONE = it is not */
void weir_sim_tap_start(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt,
                        const struct sim_tapped *at, uint32_t cause);
/* Notes the start of a control frame at a tapped port. lost: its cable goes down before it arrives */
void weir_sim_tap_control(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *frame,
                          uint64_t start_ps, uint64_t arrival_ps, bool lost);
/* Notes a packet that a port drops; does nothing if the port is not tapped. */
void weir_sim_tap_drop(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                       uint32_t cause);
/* Notes a packet that arrived by a link and has no route; does nothing if the link is not tapped. */
void weir_sim_tap_refuse(struct sim_thread *th, const struct sim_link *in, const struct weir_pkt *pkt);
/* Hands over to options->packets the rows before `until` that were not handed over yet. Only between windows, when all
 * decisions before `until` are made. @return 0, WEIR_E_MEMORY, or what options->packets returned */
int weir_sim_tap_report(struct sim_engine *e, uint64_t until_ps);

/* Notes a control frame that has arrived for the trace, if there is one. link: of the port that it is for */
void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link);
/* Hands over to options->control the frames noted since the last call. Only between windows. @return 0, WEIR_E_MEMORY,
 * or what options->control returned */
int weir_sim_control_report(struct sim_engine *e);
#endif
