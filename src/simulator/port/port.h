/* src/simulator/port/port.h - ports of switches and hosts, and visits to hosts and to switches whose ports are
 * independent. */
#ifndef WEIR_PORT_PORT_H
#define WEIR_PORT_PORT_H
#include "core/cable.h"
#include "state/state.h"
#include "state/wake.h"

/* A row of weir_sim_port_rows[]: an instance of the port body for one kind of port. The last row is the general one,
 * in which the kind is a variable. It serves every port whose kind has no row of its own, and is slower. */
struct sim_port_row {
    struct sim_port_kind kind;
    /* Lets a packet join the port at now_ps; at a PULL port its transmission starts. sw: NULL at a host. alone: true
     * only if no packet joins this port at now_ps after this one; false is always correct. @return false = the
     * packet was dropped */
    bool (*put)(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, const struct weir_pkt *pkt,
                uint64_t now_ps, bool alone);
    /* Forwards the arrivals of key[0] up to end[-1] in order, at a switch whose ports all have this row. start_ps:
     * start of the window, to which the times in keys are relative */
    void (*forward)(struct sim_thread *th, struct sim_switch *sw, const uint64_t *key, const uint64_t *end,
                    uint64_t start_ps);
    /* Makes the port's decisions before end_ps. @return when the next decision is due; WEIR_NEVER = no packet waits
     * for one */
    uint64_t (*decide)(struct sim_thread *th, struct sim_link *link, uint64_t end_ps);
};
extern const struct sim_port_row weir_sim_port_rows[];
/* Returns the kind of the port that feeds a link. cable: the port's cable goes down, or sends at a lower rate, at
 * some time. tap: packets of the link are logged */
struct sim_port_kind weir_sim_port_kind(const struct weir_model *m, const struct weir_link *link,
                                        const struct weir_chain *chain, bool cable, bool tap);
/* Returns the index of the row for ports of a kind: the general row if the kind has none, or if general is true. */
uint32_t weir_sim_port_row(struct sim_port_kind kind, bool general);
/* Sets sw->row to the row of all ports of a switch, or to the general row if they differ, and sw->by_time to
 * sim_kind_is_time() of all. out: the link of its first port */
void weir_sim_ports_common(struct sim_switch *sw, const struct sim_link *out);

/* Lets a packet join a port, by calling .put of the port's row: see struct sim_port_row. */
static inline bool sim_port_put(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                const struct weir_pkt *pkt, uint64_t now_ps, bool alone)
{
    return weir_sim_port_rows[link->row].put(th, link, sw, pkt, now_ps, alone);
}

/* Makes the decisions of a port before end, by calling .decide of the port's row: see struct sim_port_row. */
static inline uint64_t sim_port_decide(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    return weir_sim_port_rows[link->row].decide(th, link, end_ps);
}

/* ---- parts.c: functions for all kinds of ports ---- */

/* Returns the backlog b(now) of a port, in picoseconds. All decisions before now must have been made. */
uint64_t weir_sim_port_backlog_ps(const struct sim_link *link, uint64_t now_ps);
/* Returns the first instant, at_ps or later, when the port's cable is up; WEIR_NEVER = it stays down. */
uint64_t weir_sim_port_up_ps(const struct sim_port *port, uint64_t at_ps);
/* Tests whether the port's cable goes down after start and before arrival, both exclusive: that cuts off a frame on the
 * wire. */
bool weir_sim_port_cut(const struct sim_port *port, uint64_t start_ps, uint64_t arrival_ps);
/* Tests whether packets that come to the port at at_ps are dropped: its cable is down, by an event that flushes. */
bool weir_sim_port_discards(const struct sim_port *port, uint64_t at_ps);
/* Tests whether a counted port with class FIFOs has no queue: nothing waits, and no frame is in transmission. */
static inline bool sim_counted_is_idle(const struct sim_link *link, uint64_t now_ps)
{
    return (uint32_t)(link->waiting_pkts == 0) & (uint32_t)(link->busy_until_ps <= now_ps);
}

/* Returns A(now) of doc/model.md [counting.area] plus a constant. A of the measured part is the value at its end
 * less the value at its start. Ports that are not counted add to the sum in the measured part only. */
sim_area weir_sim_port_area(const struct sim_link *link, uint64_t now_ps);

/* Returns the same at the end of a run that went on until nothing was pending. What has left counts whole, also if it
 * left after the last delivery. Packets that wait for ever count until that. end_ps: of the last delivery */
sim_area weir_sim_port_area_of_all(const struct sim_link *link, uint64_t end_ps);
/* Executes the events up to and including now_ps of the cables of a switch's ports that have class FIFOs: see
 * weir_sim_port_pass_events(). */
void weir_sim_switch_pass_events(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);
/* Returns the sum of the queues of a switch's ports at now, in bytes. Makes the decisions before now of counted ports,
 * whose queues depend on them. */
uint64_t weir_sim_switch_queue_bytes(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps);

/* ---- sample.c ---- */

/* Adds `count` samples of the queues of all switches of a thread: at now_ps, and then one per sample interval. To be
 * called when everything before now_ps has been done, and nothing at now_ps or later. No switch may have an event
 * before the last of these samples. */
void weir_sim_sample_switches(struct sim_thread *th, uint64_t now_ps, uint64_t count);
/* Lists a quiet switch among those that are sampled one by one, since it is visited and may have queues. */
static inline void sim_sample_wake(struct sim_thread *th, struct sim_switch *sw)
{
    if (!sw->quiet)
        return;
    WEIR_CHECK(th->quiet_ports >= sw->out_count);
    sw->quiet = false;
    sw->next_loud = th->loud;
    th->loud = sw;
    th->quiet_ports -= sw->out_count;
    th->quiet_tors -= th->engine->model->topo->node[sw->node].tier == 1;
}

/* Adds all samples of the switch before until_ps, at least one, and moves sw->sample_ps on to the next. Everything
 * before sw->sample_ps must have been done at the switch, and nothing at it or later. The switch must have no event
 * before the last of these samples. */
void weir_sim_sample_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t until_ps);

/* ---- control.c: control frames, at hosts and switches ---- */

/* Allocates link->control if some feature of the run handles control frames; else it stays NULL. @return false = no
 * memory */
bool weir_sim_control_init(struct sim_thread *th, const struct weir_model *model, struct sim_link *link);
/* Passes the oldest control frame of link `in`, which must have arrived, to the feature that sent it, and updates
 * the closed classes. link: the link that is fed by the port which the frame is for. Chunks that were read are put
 * in front of *drained. @return true if the set of closed classes of this port has changed */
bool weir_sim_control_take(struct sim_thread *th, struct sim_link *in, struct sim_link *link,
                           struct sim_chunk **drained);
/* Notifies the features of the port that feeds a link that its cable goes down, and updates the closed classes of the
 * port. The link must have a side channel. */
void weir_sim_control_cut(struct sim_link *link, uint64_t now_ps);
/* Advances *done past all events of the port's cable up to and including now_ps. *done: the number of events that
 * were handled. @return true if the cable goes down at one of the passed events */
bool weir_sim_control_cable_down(const struct sim_port *port, uint32_t *done, uint64_t now_ps);
/* Returns the time of the first event of the port's cable after the first `done` events; WEIR_NEVER = there is none.
 * port: may be NULL */
static inline uint64_t weir_sim_control_cable_ps(const struct sim_port *port, uint32_t done)
{
    return port != NULL && done < port->event_count ? port->event[done].at_ps : WEIR_NEVER;
}

/* ---- visit_switch.c, visit_host.c ---- */

/* Prepares a switch for its visits. Called once before the run, when the kinds of its ports are known. out: the link of
 * its first port. window_ps: its longest window, at most SIM_WINDOW_MAX_PS */
void weir_sim_switch_prepare(struct sim_switch *sw, const struct sim_link *out, uint64_t window_ps);

/* Simulates a switch with independent ports in the window [start_ps, end_ps): arrivals, decisions, samples. @return
 * when the switch must be visited next if no more packets are sent to it; WEIR_NEVER = never */
uint64_t weir_sim_visit_switch(struct sim_thread *th, struct sim_switch *sw, uint64_t start_ps, uint64_t end_ps);
/* Simulates a host from its last visit up to, not including, end_ps. @return as weir_sim_visit_switch() */
uint64_t weir_sim_visit_host(struct sim_thread *th, struct sim_host *host, uint64_t end_ps);
/* The same for a host with several NICs: host->nics is set. */
uint64_t weir_sim_visit_nics(struct sim_thread *th, struct sim_host *host, uint64_t end_ps);

/* Prefetches for the next two hosts to be visited: for `second` its own cache lines, for `next` the data that its
 * fields point to. end_ps: end of the window */
void weir_sim_host_prefetch(const struct sim_host *next, const struct sim_host *second, uint64_t end_ps);

/* Starts message m of a host at m->start_ps, which must be now. Leaves by longjmp if there is no memory. */
void weir_sim_host_start(struct sim_thread *th, struct sim_host *host, const struct weir_message *m);

/* Moves th->key, .sorted, .arrived and .arrived_in to arrays of twice the capacity, and copies their first `used`
 * entries (not those of .sorted). Leaves by longjmp if there is no memory, or if the arrivals would not fit into a
 * key. */
void weir_sim_switch_grow(struct sim_thread *th, uint32_t used);
/* Sorts the n keys in th->key, of which th->bucket has the counts, for a coupled switch; then adapts the number of
 * buckets to n. @return the sorted keys; NULL = n is 0 */
const uint64_t *weir_sim_switch_sort(struct sim_thread *th, struct sim_switch *sw, uint32_t n);
#endif
