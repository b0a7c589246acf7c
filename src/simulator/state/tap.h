/* src/simulator/state/tap.h - logs packets at tapped links, and control frames, and reports them in batches. The
 * thread of the port that sends a packet logs both its start and its arrival. The thread of the destination logs
 * packets without a route, and for options->control the control frames that have arrived. */
#ifndef WEIR_STATE_TAP_H
#define WEIR_STATE_TAP_H
#include "state/state.h"

struct sim_tapped { /* when a packet joins its port, when its transmission starts, and how long that takes */
    uint64_t joined_ps, start_ps, tx_ps;
    uint64_t late_ps; /* by how much later than the link's delay it arrives; set when it starts */
};
/* Tests whether a link is tapped, at either end. */
bool weir_sim_is_tapped(const struct sim_engine *e, uint32_t link);
/* Logs the start of a transmission at a port of kind tap and, unless the packet is lost, its arrival. Each is logged
 * only if that end of the link is tapped. pkt: the packet as it goes onto the wire; at a host its records are not
 * attached yet. cause: why the packet is lost on the wire; WEIR_CAUSE_NONE = it is not lost */
void weir_sim_tap_start(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt,
                        const struct sim_tapped *at, uint32_t cause);
/* Logs the start of a control frame at a port of kind tap and, unless the frame is lost, its arrival. Each is logged
 * only if that end of the link is tapped. lost: the cable goes down after start_ps and not after arrival_ps */
void weir_sim_tap_control(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *frame,
                          uint64_t start_ps, uint64_t arrival_ps, bool lost);
/* Logs a packet that the port of `link` drops at now_ps; does nothing if that port is not tapped. cause: not
 * WEIR_CAUSE_NONE */
void weir_sim_tap_drop(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                       uint32_t cause);
/* Logs a packet that arrived by link `in`, at pkt->arrival_ps, and has no route; does nothing if the far end of the
 * link is not tapped. */
void weir_sim_tap_refuse(struct sim_thread *th, const struct sim_link *in, const struct weir_pkt *pkt);

/* Logs a control frame that has arrived, if options->control is set. link: number of the link that is fed by the
 * port which the frame is for */
void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link);
#endif
