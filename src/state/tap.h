/* src/state/tap.h - packets at tapped links, and control frames, noted as they go by and handed over in batches. */
#ifndef WEIR_STATE_TAP_H
#define WEIR_STATE_TAP_H
#include "state/state.h"

struct sim_tapped { /* when a packet joined its port and starts, and how long its transmission takes */
    uint64_t joined_ps, start_ps, tx_ps;
};
bool weir_sim_is_tapped(const struct sim_engine *e, uint32_t link);
/* At a tapped port: a transmission starts. pkt: as it goes onto the wire; at a host without its records. cause: why
 * it is lost on the wire; WEIR_CAUSE_NONE = it is not */
void weir_sim_tap_start(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt,
                        const struct sim_tapped *at, uint32_t cause);
/* Likewise, of a control frame. */
void weir_sim_tap_control(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *frame,
                          uint64_t start_ps, uint64_t arrival_ps, bool lost);
/* For any port: it drops the packet. */
void weir_sim_tap_drop(struct sim_thread *th, const struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                       uint32_t cause);
/* For any link: no way leads on for the packet that has arrived by it. */
void weir_sim_tap_refuse(struct sim_thread *th, const struct sim_link *in, const struct weir_pkt *pkt);
/* Hands over to options->packets what came before until, and was not handed over before. Between windows only, all of
 * it decided. @return 0, or what that returned */
int weir_sim_tap_report(struct sim_engine *e, uint64_t until_ps);

/* Control frames, for the trace. */
/* For the trace, if one is wanted: the frame was taken. link: of the port it is for */
void weir_sim_control_note(struct sim_thread *th, const struct weir_pkt *frame, uint32_t link);
/* Hands over to options->control what came since the last call. Between windows only. @return 0, or what that
 * returned */
int weir_sim_control_report(struct sim_engine *e);
#endif
