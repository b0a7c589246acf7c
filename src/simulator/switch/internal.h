/* src/simulator/switch/internal.h - what the files of a plain switch share. */
#ifndef WEIR_SWITCH_INTERNAL_H
#define WEIR_SWITCH_INTERNAL_H
#include "core/heap.h"
#include "hooks/chain.h"
#include "model/account.h"
#include "model/model.h"
#include "switch/switch.h"

/* The packet that weighted round robin serves next, in place of a class. */
#define SWITCH_WRR WEIR_CLASSES_MAX

struct switch_port { /* a port and the link that it feeds; what every packet needs comes first */
    _Alignas(64) struct weir_tx_clock clock;
    uint64_t waiting_ps;                  /* work of all packets that wait */
    uint64_t busy_until_ps;               /* end of the transmission that is on */
    uint64_t synced_ps;                   /* count has the area up to here */
    uint64_t held_bytes;                  /* from joining to the end of transmission, frames whole */
    uint64_t offered, started;            /* packets so far; they count random draws */
    uint64_t sending_ps, sending_wire_ps; /* its work, and its time on the wire: longer while the cable is slow */
    uint32_t sending_bytes;               /* of the packet in transmission; 0 = none, or a control frame */
    uint32_t index, link;
    bool sending, up;
    bool discards; /* the cable is down, and what comes is dropped */
    bool
        at_once; /* one FIFO, and no hook or gate decides on leaving: it starts at once, not at the end of an instant */
    bool has_queue; /* false = a NIC that is given a packet when it is free */
    uint32_t closed;
    uint64_t rate_bps;
    struct weir_port_count count;
    struct weir_chain chain;
    struct weir_switch_fifo queue[WEIR_CLASSES_MAX];
    uint64_t class_bytes[WEIR_CLASSES_MAX + 1]; /* that wait, by class; with weighted round robin DATA at SWITCH_WRR */
    uint64_t waiting_pkts;
    struct weir_switch_fifo control; /* frames that wait */
    struct weir_switch_pkt *served;  /* first packet of the queue that is served; NULL = all queues are empty */
    uint32_t quantum_pkts;           /* that this queue may still send; 0 = its quantum has not begun */
    /* of the packet in transmission, where some feature is coupled: */
    uint32_t sending_in, sending_class; /* in-port and class in which it came */
    struct weir_pkt sent;               /* that packet, before the hooks of its start */
};

struct weir_switch {
    const struct weir_model *model;
    const struct weir_switch_sink *sink;
    struct weir_switch_pool *pool;
    struct switch_port *port; /* ports entries */
    struct weir_route_here route;
    enum weir_route_way way;
    const struct weir_routes *routes;
    uint64_t now_ps;       /* the instant that is on */
    uint64_t memory_bytes; /* UINT64_MAX = unlimited */
    uint64_t used_bytes;
    uint64_t gate_ps;        /* least of opens_ps[] */
    uint64_t timer_ps;       /* least of tick_ps[] */
    struct weir_heap ends;   /* of transmissions, by (time, port) */
    uint64_t *waiting_bytes; /* of packets that wait, by port */
    uint64_t *opens_ps;      /* when a port that waits for its gate decides again; WEIR_NEVER = it does not */
    uint64_t *tick_ps;       /* next time of a feature's timer, by feature; WEIR_NEVER = it has none */
    uint64_t *due;           /* a bit for each port that decides at the end of this instant */
    uint32_t node, ports, due_count, classes;
    bool of_switch;      /* false = of a host */
    bool coupled;        /* some feature of the run is */
    bool has_ended;      /* the ends of transmissions of this instant were handled */
    bool nic_waits;      /* as in struct weir_switch_config */
    bool has_run;        /* nothing more may come at this instant */
    bool cables_changed; /* cable events of this instant are not settled */
    bool out_of_pkts;    /* the pool was empty */
    uint8_t hops_max;    /* most records of a packet */
};

/* Marks a port as one that decides at the end of this instant. */
static inline void weir_switch_port_due(struct weir_switch *sw, const struct switch_port *port)
{
    uint64_t bit = UINT64_C(1) << (port->index & 63);
    uint64_t *due = &sw->due[port->index / 64];
    sw->due_count += (*due & bit) == 0;
    *due |= bit;
}

/* Returns the in-port of a packet. */
static inline uint32_t weir_switch_in_port(const struct weir_switch *sw, struct weir_switch_pkt *p)
{
    return sw->coupled ? weir_switch_more(p)->in_port : WEIR_PORT_NONE;
}

/* Tests whether DATA waits in queues that are served by weighted round robin. All other packets go first there. */
static inline bool weir_switch_has_wrr(const struct switch_port *port)
{
    return port->chain.wrr.queue_of != NULL;
}

/* Returns the class in which a packet waits at a port: min(class_id, classes - 1), or with weighted round robin 1 for
 * DATA and 0 for all else [features.events]. */
static inline uint32_t weir_switch_class(const struct weir_switch *sw, const struct switch_port *port,
                                         const struct weir_switch_pkt *p)
{
    if (weir_switch_has_wrr(port))
        return p->pkt.kind == WEIR_PKT_DATA;
    return p->pkt.class_id < sw->classes ? p->pkt.class_id : sw->classes - 1;
}

/* ---- reports to the sink ---- */

/* Reports what hooks have made of a packet. */
static inline void weir_switch_report_written(const struct weir_switch *sw, enum weir_switch_hook hook,
                                              const struct weir_pkt *before, const struct weir_pkt *after)
{
    if (sw->sink->written != NULL)
        sw->sink->written(sw->sink->ctx, hook, before, after);
}

/* Reports what hooks have decided about a packet that goes on. */
static inline void weir_switch_report_decided(const struct weir_switch *sw, uint32_t port, enum weir_fate fate,
                                              uint32_t cause)
{
    if (sw->sink->decided != NULL)
        sw->sink->decided(sw->sink->ctx, port, fate, cause);
}

/* Reports a packet that is dropped or lost. */
static inline void weir_switch_report_drop(const struct weir_switch *sw, const struct switch_port *port,
                                           struct weir_switch_pkt *p, uint32_t cause, enum weir_fate fate,
                                           bool had_joined)
{
    sw->sink->drop(sw->sink->ctx, &(struct weir_switch_drop){ .pkt = p,
                                                              .now_ps = sw->now_ps,
                                                              .port = port->index,
                                                              .cause = cause,
                                                              .fate = fate,
                                                              .had_joined = had_joined });
}

/* ---- backlog.c ---- */
/* Returns b(t), the unsent work of a port [arrival.backlog]. */
uint64_t weir_switch_backlog_ps(const struct switch_port *port, uint64_t now_ps);
/* Adds the area since the last change to the port's count. Called before each change of what waits or is sent. */
void weir_switch_sync(struct switch_port *port, uint64_t now_ps);

/* ---- ask.c: the hooks of a port, one after the other. All but one return a cause, or WEIR_CAUSE_NONE ---- */
uint32_t weir_switch_ask_admit(const struct switch_port *port, const struct weir_admit *admit);
uint32_t weir_switch_ask_gate(const struct switch_port *port, uint64_t waiting_bytes, uint32_t bytes);
uint32_t weir_switch_ask_join(const struct switch_port *port, const struct weir_join *join);
/* Also writes to *mark why the packet is to be marked. */
uint32_t weir_switch_ask_dequeue(const struct switch_port *port, struct weir_dequeue *dequeue, uint32_t *mark);
/* Also adds the bits of all answers to *answers. */
uint32_t weir_switch_ask_start(const struct switch_port *port, struct weir_start *start, uint32_t *answers);
/* Asks where a packet is to go; the chain has on_forward. */
uint32_t weir_switch_ask_forward(const struct weir_chain *chain, struct weir_forward *forward);
/* Calls one on_joined hook. *pause: why its control frame pauses a class. @return not 0 = send *frame */
uint32_t weir_switch_ask_joined(const struct weir_joined_hook *hook, const struct weir_joined *joined,
                                struct weir_control *frame, uint32_t *pause);
/* Marks a packet, unless a feature takes the mark. cause: of the mark; WEIR_CAUSE_NONE = nothing is to be done */
void weir_switch_mark(struct weir_switch *sw, struct switch_port *port, struct weir_pkt *pkt, uint32_t cause);

/* ---- arrive.c ---- */
/* Takes a packet that has arrived by an in-link. @return false = it has no route */
bool weir_switch_arrive(struct weir_switch *sw, uint32_t in_port, struct weir_switch_pkt *p);
/* Takes a packet that was made at this node, for a port. */
void weir_switch_put(struct weir_switch *sw, uint32_t index, struct weir_switch_pkt *p);
/* Appends a packet to the queue of a port, without asking whether it may join. */
void weir_switch_join(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
/* Drops a packet that does not join if the port's cable is down by an event that flushes. @return true = so it was */
bool weir_switch_discards(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
/* Counts a packet as dropped, notifies the sink, and gives the packet back. */
void weir_switch_refuse(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p, uint32_t cause);

/* ---- leave.c ---- */
/* Starts the next packet of a port that is free, or has the port decide at the end of the instant. */
void weir_switch_kick(struct weir_switch *sw, struct switch_port *port);
void weir_switch_decide(struct weir_switch *sw, struct switch_port *port);
/* Ends the transmission of a port. */
void weir_switch_end(struct weir_switch *sw, struct switch_port *port);
/* Drops all packets that wait at a port, if its cable is down by an event that flushes. */
void weir_switch_flush(struct weir_switch *sw, struct switch_port *port);
/* Begins a transmission. bytes: of a packet; 0 = a control frame, which is no part of b(t), nor of what the switch
 * holds */
void weir_switch_occupy(struct weir_switch *sw, struct switch_port *port, uint64_t work_ps, uint32_t bytes);
/* Returns the class in which a packet came by its link: accounts are of the class that a pause stops. */
uint32_t weir_switch_in_class(const struct weir_switch *sw, const struct switch_port *port, struct weir_switch_pkt *p);

/* ---- queues.c: only of ports with weighted round robin ---- */
void weir_switch_queues_push(struct switch_port *port, struct weir_switch_pkt *p);
struct weir_switch_pkt *weir_switch_queues_pop(struct switch_port *port);

/* ---- control.c: only where some feature is coupled ---- */
/* Call the hooks of features after a packet has joined, starts, has left, and was dropped while it waited. */
void weir_switch_notify_joined(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
void weir_switch_note_sending(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
void weir_switch_notify_sent(struct weir_switch *sw, struct switch_port *port);
void weir_switch_notify_dropped(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
/* Starts the first control frame that waits. */
void weir_switch_start_control(struct weir_switch *sw, struct switch_port *port);
/* Takes a control frame that has arrived for a port. */
void weir_switch_take_control(struct weir_switch *sw, struct switch_port *port, struct weir_switch_pkt *p);
/* The cable of a port goes down: forgets the control frames that wait. */
void weir_switch_cut_control(struct weir_switch *sw, struct switch_port *port);

/* ---- timers.c ---- */
/* Calls the timers that are due at this instant. */
void weir_switch_tick(struct weir_switch *sw);
/* Writes sw->timer_ps. */
void weir_switch_plan_timers(struct weir_switch *sw);
#endif
