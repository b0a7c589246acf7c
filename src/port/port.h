/* src/port/port.h - ports of switches and hosts, and the visits to nodes whose ports do not depend on each other. */
#ifndef WEIR_PORT_PORT_H
#define WEIR_PORT_PORT_H
#include "state/state.h"

/* The instances of the port body. The last is the general one, in which the kind is a variable: it serves
 * every port that has no row of its own, and is slower. */
struct sim_port_row {
    struct sim_port_kind kind;
    /* A packet joins at now, or of a PULL port starts. sw: NULL at a host; alone: nothing else comes to this port at
     * this instant, as far as is known. @return false = it was dropped */
    bool (*put)(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, const struct weir_pkt *pkt,
                uint64_t now_ps, bool alone);
    /* Forwards key .. end - 1 in order, at a switch whose ports are all of this row. */
    void (*forward)(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, const uint64_t *end,
                    uint64_t start_ps);
    /* Makes the port's decisions before end. @return when the next is due; WEIR_NEVER = nothing waits */
    uint64_t (*decide)(struct sim_thread *th, struct sim_link *link, uint64_t end_ps);
};
extern const struct sim_port_row weir_sim_port_rows[];
/* Returns the kind of a port. cable: it goes down at some time; tap: its packets are noted */
struct sim_port_kind weir_sim_port_kind(const struct weir_model *m, const struct weir_link *link,
                                        const struct weir_chain *chain, bool cable, bool tap);
/* Returns the row for ports of a kind; general: the last one, whatever the kind. */
uint32_t weir_sim_port_row(struct sim_port_kind kind, bool general);
/* Finds out what the ports of a switch have in common: sw->row is that of all, or the last; sw->by_time. */
void weir_sim_ports_common(struct sim_switch *sw, const struct sim_link *out);

static inline bool sim_port_put(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                const struct weir_pkt *pkt, uint64_t now_ps, bool alone)
{
    return weir_sim_port_rows[link->row].put(th, link, sw, pkt, now_ps, alone);
}

static inline uint64_t sim_port_decide(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    return weir_sim_port_rows[link->row].decide(th, link, end_ps);
}

/* parts.c: what all kinds of ports share */
/* When the port decides next, given that nothing joins; WEIR_NEVER = nothing waits. */
uint64_t weir_sim_port_next_ps(const struct sim_link *link);
/* Unsent work b(now); the port has decided up to now. */
uint64_t weir_sim_port_backlog_ps(const struct sim_link *link, uint64_t now_ps);
/* First instant at or after at when a transmission may start. */
uint64_t weir_sim_port_up_ps(const struct sim_port *port, uint64_t at_ps);
/* True if a frame on the wire in (start, arrival) is cut off by a cable event. */
bool weir_sim_port_cut(const struct sim_port *port, uint64_t start_ps, uint64_t arrival_ps);
/* A of doc/model.md [counting.area] is by how much this grows in the measured part; before it, ports whose queue is a
 * time do not sum up. */
sim_area weir_sim_port_area(const struct sim_link *link, uint64_t now_ps);
/* Sum of queue_bytes over a switch's ports. */
uint64_t weir_sim_switch_queue_bytes(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);

/* sample.c: what a sample of queues has of one switch, at now; before anything at that instant */
void weir_sim_sample_queues(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);
/* Where samples are taken apart: that of sw at sw->sample_ps, before which everything has been done there; then it is
 * the next one's turn. */
void weir_sim_sample_switch(struct sim_thread *th, struct sim_switch *sw);

/* control.c: control frames, at hosts and switches */
/* Room for the control frames of a link. @return false = no memory */
bool weir_sim_control_init(struct sim_thread *th, const struct weir_model *model, struct sim_link *link);
/* Takes the control frame that arrives now by `in`; link: of the port it is for. @return true if what may be sent
 * changed */
bool weir_sim_control_take(struct sim_thread *th, struct sim_link *in, struct sim_link *link,
                           struct sim_chunk **drained);
/* The cable of the port that feeds this link goes down. */
void weir_sim_control_cut(struct sim_link *link, uint64_t now_ps);
/* Passes the cable's events up to now, of which *done lie behind. @return true if it goes down */
bool weir_sim_control_cable_down(const struct sim_port *port, uint32_t *done, uint64_t now_ps);
static inline uint64_t weir_sim_control_cable_ps(const struct sim_port *port, uint32_t done)
{
    return port != NULL && done < port->event_count ? port->event[done].at_ps : WEIR_NEVER;
}

/* visit_switch.c: before the run, once its ports and the longest window are known */
void weir_sim_switch_prepare(struct sim_switch *sw, const struct sim_link *out, uint64_t window_ps);

/* visit_switch.c, visit_host.c: everything node does in [start, end); both return when it is to be visited next */
uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
uint64_t weir_sim_visit_host(struct sim_thread *th, struct sim_host *host, uint64_t end_ps);

/* visit_host.c: prefetches for the two hosts that come after this one in its group: the second's own lines, and what
 * those of the first point to */
void weir_sim_host_prefetch(const struct sim_host *next, const struct sim_host *second, uint64_t end_ps);

/* visit_host.c: a message starts now */
void weir_sim_host_start(struct sim_thread *th, struct sim_host *host, const struct weir_message *m);

/* visit_switch.c, for coupled switches: more room in th->key and th->arrived, of which `used` are in use; and the n
 * keys of th->key, which th->bucket counts, in order */
void weir_sim_switch_grow(struct sim_thread *th, uint32_t used);
const uint64_t *weir_sim_switch_sort(struct sim_thread *th, struct sim_switch *sw, uint32_t n);
#endif
