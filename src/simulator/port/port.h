/* src/simulator/port/port.h - ports of switches and hosts, and visits to nodes whose ports are independent. */
#ifndef WEIR_PORT_PORT_H
#define WEIR_PORT_PORT_H
#include "core/cable.h"
#include "state/state.h"

/* An instance of the port body. The last row is the general one, in which the kind is a variable: it serves every port
 * that has no row of its own, and is slower. */
struct sim_port_row {
    struct sim_port_kind kind;
    /* Lets a packet join at now; at a PULL port it starts. sw: NULL at a host; alone: nothing else comes to this port
     * at this instant; false is always right. @return false = it was dropped */
    bool (*put)(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, const struct weir_pkt *pkt,
                uint64_t now_ps, bool alone);
    /* Forwards the arrivals of key .. end - 1 in order, at a switch whose ports are all of this row. */
    void (*forward)(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, const uint64_t *end,
                    uint64_t start_ps);
    /* Makes the port's decisions before end. @return when the next is due; WEIR_NEVER = nothing waits */
    uint64_t (*decide)(struct sim_thread *th, struct sim_link *link, uint64_t end_ps);
};
extern const struct sim_port_row weir_sim_port_rows[];
/* Returns the kind of a port. cable: its cable goes down at some time; tap: its packets are noted */
struct sim_port_kind weir_sim_port_kind(const struct weir_model *m, const struct weir_link *link,
                                        const struct weir_chain *chain, bool cable, bool tap);
/* Returns the row for ports of a kind; general: the last one, whatever the kind. */
uint32_t weir_sim_port_row(struct sim_port_kind kind, bool general);
/* Finds what the ports of a switch have in common: sets sw->row, the last row if theirs differ, and sw->by_time. */
void weir_sim_ports_common(struct sim_switch *sw, const struct sim_link *out);

/* Lets a packet join a port, by the port's row; as struct sim_port_row.put. */
static inline bool sim_port_put(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                const struct weir_pkt *pkt, uint64_t now_ps, bool alone)
{
    return weir_sim_port_rows[link->row].put(th, link, sw, pkt, now_ps, alone);
}

/* Makes the decisions of a port before end, by the port's row; as struct sim_port_row.decide. */
static inline uint64_t sim_port_decide(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    return weir_sim_port_rows[link->row].decide(th, link, end_ps);
}

/* ---- parts.c: what all kinds of ports share ---- */

/* Returns when the port decides next, given that nothing joins; WEIR_NEVER = nothing waits. */
uint64_t weir_sim_port_next_ps(const struct sim_link *link);
/* Returns the unsent work b(now). All decisions before now must have been made. */
uint64_t weir_sim_port_backlog_ps(const struct sim_link *link, uint64_t now_ps);
/* Returns the first instant, not before `at`, when the port's cable is up; WEIR_NEVER = it stays down. */
uint64_t weir_sim_port_up_ps(const struct sim_port *port, uint64_t at_ps);
/* Tests whether the cable goes down within (start, arrival), which cuts off a frame on the wire. */
bool weir_sim_port_cut(const struct sim_port *port, uint64_t start_ps, uint64_t arrival_ps);
/* Returns a sum whose growth over the measured part is A of doc/model.md [counting.area]. Before that part, ports whose
 * queue is a time do not sum up. */
sim_area weir_sim_port_area(const struct sim_link *link, uint64_t now_ps);
/* Sums up the queues of a switch's ports; makes their decisions before now. */
uint64_t weir_sim_switch_queue_bytes(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);

/* ---- sample.c ---- */

/* Adds the queues of one switch at now to the thread's samples. Called before anything else at that instant. */
void weir_sim_sample_queues(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);
/* Adds the sample of a switch that takes its own at sw->sample_ps, and sets the time of the next. Everything before
 * that instant must have been done at the switch. */
void weir_sim_sample_switch(struct sim_thread *th, struct sim_switch *sw);

/* ---- control.c: control frames, at hosts and switches ---- */

/* Makes room for the control frames of a link, if a feature of the run sends any. @return false = no memory */
bool weir_sim_control_init(struct sim_thread *th, const struct weir_model *model, struct sim_link *link);
/* Takes the oldest control frame of `in`, which arrives now; link: of the port that it is for. @return true if other
 * classes are closed than before */
bool weir_sim_control_take(struct sim_thread *th, struct sim_link *in, struct sim_link *link,
                           struct sim_chunk **drained);
/* Notifies the features of the port that feeds this link that its cable goes down. */
void weir_sim_control_cut(struct sim_link *link, uint64_t now_ps);
/* Passes the cable's events up to now; *done: how many were passed. @return true if the cable goes down */
bool weir_sim_control_cable_down(const struct sim_port *port, uint32_t *done, uint64_t now_ps);
/* Returns when the cable's next event is, of which `done` were passed; WEIR_NEVER = there is none. */
static inline uint64_t weir_sim_control_cable_ps(const struct sim_port *port, uint32_t done)
{
    return port != NULL && done < port->event_count ? port->event[done].at_ps : WEIR_NEVER;
}

/* ---- visit_switch.c, visit_host.c ---- */

/* Prepares a switch for its visits. Called before the run, once its ports and its longest window are known. */
void weir_sim_switch_prepare(struct sim_switch *sw, const struct sim_link *out, uint64_t window_ps);

/* Does everything that a switch with independent ports does in [start, end). @return when it is to be visited next if
 * nothing is sent to it; WEIR_NEVER = not at all */
uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
/* Does everything that a host does before end. @return as weir_sim_visit_switch() */
uint64_t weir_sim_visit_host(struct sim_thread *th, struct sim_host *host, uint64_t end_ps);

/* Prefetches for the two hosts that are visited after this one: the second's own lines, and what those of the first
 * point to. */
void weir_sim_host_prefetch(const struct sim_host *next, const struct sim_host *second, uint64_t end_ps);

/* Starts a message now. */
void weir_sim_host_start(struct sim_thread *th, struct sim_host *host, const struct weir_message *m);

/* Doubles th->key and th->arrived, of which `used` entries are in use. Leaves by longjmp if there is no memory. */
void weir_sim_switch_grow(struct sim_thread *th, uint32_t used);
/* Sorts the n keys of th->key, which th->bucket counts, for a coupled switch. @return the sorted keys; NULL = n is 0 */
const uint64_t *weir_sim_switch_sort(struct sim_thread *th, struct sim_switch *sw, uint32_t n);
#endif
