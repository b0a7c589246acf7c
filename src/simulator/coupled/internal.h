/* src/simulator/coupled/internal.h - switches with a coupled feature (WEIR_WHEN_COUPLED). Such a switch goes through a
 * window in one of two ways.
 * Step by step (visit_coupled.c): the switch goes from instant to instant. At each instant it follows the order of the
 * model: ends of transmissions, control frames, arrivals, timers, decisions. Nothing is computed in advance when a
 * packet arrives.
 * With deferred hooks (deferred.c): the departure of a packet is computed when it joins, as at other switches. Hooks
 * are called late or not at all. This way is for windows in which coupled hooks would only keep accounts. */
#ifndef WEIR_COUPLED_INTERNAL_H
#define WEIR_COUPLED_INTERNAL_H
#include "core/heap.h"
#include "coupled/coupled.h"
#include "port/port.h"
#include "state/lanes.h"
#include "state/wake.h"
#include "state/ring.h"
#include "hooks/wrr.h"

struct coupled_flow;

/* Classes of a port with weighted round robin: DATA has class COUPLED_WRR, all other packets have class
 * COUPLED_FIRST. */
enum { COUPLED_FIRST, COUPLED_WRR };

struct coupled_port {    /* step by step: the state of one out-port */
    uint64_t wire_ps;    /* end of the last transmission, of a packet or a control frame */
    uint64_t held_bytes; /* wire bytes of packets that wait or are in transmission */
    /* the packet in transmission, if is_sending; it stays in the accounts until its end */
    struct weir_pkt sending;
    uint32_t sending_in, sending_class; /* of that packet: as sim_stepped.in and .in_class */
    uint32_t events_done;               /* events of the port's cable that have passed */
    bool is_sending;
    uint64_t frame_ps;       /* transmission time of a control frame */
    struct sim_ring control; /* of struct weir_chain_control: control frames that wait */
};

struct coupled_due { /* an instant at which a port is visited again; valid while the port's armed_ps equals at_ps */
    uint64_t at_ps;
    uint32_t port;
};

struct coupled_timer { /* the timer of a feature with on_timer */
    uint64_t period_ps, next_ps;
    uint32_t feature;
};

struct deferred_entry { /* an entry of the log: a packet forwarded with deferred hooks, perhaps still in its port */
    uint64_t end_ps, joined_ps;
    uint16_t bytes, port;
    union {
        struct {
            uint16_t in, class_id; /* in: as deferred_in_index(); class_id: the class in which the packet came */
        };
        uint32_t origin; /* in and class_id as one number: deferred_origin() */
    };
};
_Static_assert(sizeof(struct deferred_entry) == 24, "settling reads them all");

struct deferred_start { /* a noted packet: one whose start hooks have not been called yet */
    struct weir_pkt *slot;
    uint64_t start_ps, joined_ps;
    uint16_t bytes, in; /* in: as deferred_in_index() */
    uint32_t next;      /* index of the next noted packet of the port, or of the next free entry; 0 = none */
};

/* The start hooks of a switch: hooks that are called late, once the start of a transmission is known. */
enum deferred_start_kind {
    DEFERRED_NO_STARTS,
    DEFERRED_OWN_PORT,   /* on_start, which reads the packet's own port */
    DEFERRED_OTHER_PORT, /* on_start, which for packets of some kinds also reads the port of their in-link */
    DEFERRED_DEQUEUE,    /* on_dequeue, for packets on which it may act; it may read other ports */
};

struct deferred_port {
    _Alignas(64) uint32_t *origin; /* ring of deferred_origin(), one for each packet that waits in the lower lane */
    /* first entry, entries in use and size of the ring; capacity is a power of two */
    uint32_t first, count, capacity;
    uint32_t start_first, start_last; /* first and last noted packet, in order of start; 0 = none */
    /* scratch: log entries by lane; weir_sim_deferred_count(), steps_count_waiting() */
    uint32_t inside[SIM_LANES];
    struct weir_pkt *slot;             /* scratch of the switch-over: the next slot to be taken back */
    uint64_t quiet_until_ps, event_ps; /* DEFERRED_DEQUEUE: until_ps and event_ps of struct weir_dequeue_idle */
};
_Static_assert(sizeof(struct deferred_port) == 64, "one line");

struct coupled_deferred {
    struct deferred_port *port; /* out_count entries; NULL = the switch never defers its hooks */
    bool active;                /* the last window had deferred hooks; ports are FIFOs or have lanes */
    bool is_bounded;            /* a feature or the memory limit needs bounds; if false, held and coming are not kept */
    bool one_arrive_hook;       /* every port has exactly one on_arrive hook, for the same kinds of packets */
    bool lanes;                 /* ports have two lanes: one for class 0, one for all other classes */
    bool forwards;              /* ports have an on_forward hook */
    bool joins;                 /* some port has an on_join hook that does more than mark at a threshold */
    uint32_t classes;           /* classes of a port: 1, 2, or more with virtual lanes */
    /* Bytes that the switch holds for each in-link and class, at deferred_held_index(). Packets that the switch made
     * itself count as one more in-link, behind the last. With deferred hooks these are upper bounds, step by step they
     * are exact. */
    uint64_t *held;
    uint64_t *coming; /* bytes that arrive in this window, indexed as held; not used with more than two classes */
    struct deferred_entry *log;
    uint32_t log_count, log_capacity, settle_at; /* the log is settled when it has settle_at entries or more */
    uint32_t undecided;                          /* packets in the lower lanes of all ports that wait for a decision */
    uint32_t notice_bytes;
    enum deferred_start_kind starts;
    uint64_t wait_ps; /* DEFERRED_DEQUEUE: a packet that waited less is neither marked nor dropped */
    uint64_t drop_ps; /* DEFERRED_DEQUEUE: no packet that starts before this instant is dropped */
    uint32_t other_port_kinds, arrive_kinds; /* as in struct weir_chain, over all ports of the switch */
    /* start_capacity entries; [0] ends each list: its start_ps is WEIR_NEVER */
    struct deferred_start *start;
    uint32_t start_capacity, start_free, start_free_count;
    struct weir_heap other_starts;        /* (start, port) of noted packets whose hooks read another port */
    const struct weir_chain_state **idle; /* states of the idle_count features with is_idle */
    uint32_t idle_count;
    uint64_t windows, step_windows, switch_overs; /* windows of each way; switch-overs to step by step */
};

struct sim_coupled {
    struct coupled_deferred deferred;
    struct coupled_port *port; /* out_count */
    uint64_t *armed_ps;        /* by port: when the port is visited again; WEIR_NEVER = when a packet joins */
    struct coupled_due *due;   /* instants to visit ports: due_count of due_capacity, in order, from due_first on */
    uint32_t due_first, due_count, due_capacity;
    uint64_t due_ps; /* the first instant in due; WEIR_NEVER = due is empty */
    uint64_t *dirty; /* bit p: port p may have a decision to make at this instant; dirty_count elements */
    uint32_t dirty_count;
    bool dropped;                /* a decision has dropped a packet; coupled_decisions() resets it */
    bool ends_matter;            /* the end of a transmission must be executed even if no packet waits */
    bool has_control;            /* some feature sends control frames */
    struct coupled_timer *timer; /* timer_count timers */
    unsigned char *timer_state;  /* room for a copy of one port's state of any feature with a timer */
    uint32_t timer_count;
    uint64_t step_ps;  /* when the next step of any timer is due; WEIR_NEVER = there are no timers */
    uint64_t cable_ps; /* when the next event of a cable is due; WEIR_NEVER = there is none */
    /* hash table of the flows that were sent a NOTICE at this step; flow_round marks entries of this step */
    struct coupled_flow *flow;
    uint32_t flow_capacity, flow_round;
};

struct coupled_run { /* the context of one visit to a switch */
    struct sim_thread *th;
    struct sim_switch *sw;
    struct sim_coupled *c;
    const struct weir_model *model;
    struct sim_link *out;
    struct weir_route_here here;
};

/* ---- deferred_init.c ---- */

/* Decides whether the switch may ever defer its hooks. If so, fills sw->coupled->deferred and allocates its arrays;
 * else leaves deferred.port NULL. The switch's ports and timers must be set up. @return false = no memory */
bool weir_sim_deferred_init(struct sim_thread *th, const struct sim_engine *e, const struct sim_switch *sw);

/* ---- deferred.c ---- */

/* Chooses the way through the window [start_ps, end_ps), switches over to that way if necessary, and counts the window.
 * n: number of packets that arrive in the window; control_ps: arrival of the next control frame, WEIR_NEVER = none.
 * @return true = deferred hooks, false = step by step */
bool weir_sim_deferred_choose(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps,
                              uint64_t control_ps);
/* Makes room in the log for n more entries. Leaves by longjmp if there is no memory. */
void weir_sim_deferred_log_room(const struct coupled_run *r, uint32_t n);

/* ---- deferred_start.c ---- */

/* Sets quiet_until_ps and event_ps of port p: asks the features when on_dequeue has to act from now_ps on. Only for
 * DEFERRED_DEQUEUE. */
void weir_sim_deferred_dequeue_idle(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* Sets deferred.drop_ps to the earliest start of a noted packet that may be dropped; WEIR_NEVER = there is none. Only
 * for DEFERRED_DEQUEUE. */
void weir_sim_deferred_find_drops(const struct coupled_run *r, uint64_t now_ps);
/* Calls on_dequeue for a packet of port p when its start is known, and marks the packet if the hook says so. The hook
 * must not drop the packet. Only for DEFERRED_DEQUEUE. */
void weir_sim_deferred_dequeue(const struct coupled_run *r, uint32_t p, const struct deferred_start *s);
/* Makes room to note n more packets, also in deferred.other_starts. Leaves by longjmp if there is no memory. */
void weir_sim_deferred_start_room(const struct coupled_run *r, uint32_t n);
/* Calls the start hooks of the first noted packet of port p, and of the noted packets behind it that start before
 * end_ps. Port p must have a noted packet; the first one may start at any time. */
void weir_sim_deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
/* Calls the start hooks of the first packet of deferred.other_starts, which must not be empty. Before that, calls
 * the hooks of earlier starts at the packet's own port and at the port of its in-link. Decisions of lower lanes that
 * are made for this are written to *log, which advances and must have room. */
void weir_sim_deferred_other_start(const struct coupled_run *r, struct deferred_entry **log);
/* Brings port `of` up to date before a hook at port p reads it. Makes the decisions of its lower lane, then calls
 * its start hooks, for all packets that start before start_ps, or at start_ps if of < p. Does nothing if `of` is no
 * port but the index of the switch's own packets. log: as in weir_sim_deferred_other_start() */
void weir_sim_deferred_sync_port(const struct coupled_run *r, uint32_t of, uint32_t p, uint64_t start_ps,
                                 struct deferred_entry **log);
/* Calls the start hooks of all packets of deferred.other_starts that start before end_ps. All lower lanes must have
 * made their decisions before end_ps. */
void weir_sim_deferred_other_starts(const struct coupled_run *r, uint64_t end_ps);
/* Clears the lists of noted packets without calling their hooks, for the change to step by step: these packets
 * return to their class FIFOs. Sets the switch's waiting_bytes to 0. */
void weir_sim_deferred_starts_clear(const struct coupled_run *r);

/* ---- deferred_pass.c ---- */

/* Executes the window [start_ps, end_ps) with deferred hooks: arrivals, timers, samples, decisions. key: the n
 * arrivals, sorted. @return when the switch has something to do next if no packet arrives */
uint64_t weir_sim_deferred_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                                uint64_t end_ps);
/* Makes the decisions of port p's lower lane that are due before end_ps, and logs the packets. Makes room in the
 * log. */
void weir_sim_deferred_decide(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
/* Doubles the capacity of deferred_port.origin. Leaves by longjmp if there is no memory. */
void weir_sim_deferred_lane_grow(struct sim_thread *th, struct deferred_port *port);
/* Makes the decisions of port p's lower lane that are due before end_ps, for a caller that writes the log itself. The
 * entries go to *log, which advances and must have room. */
void weir_sim_deferred_decide_log(const struct coupled_run *r, uint32_t p, uint64_t end_ps,
                                  struct deferred_entry **log);
/* Puts a packet that joined at joined_ps into the lower lane of port p, undecided. origin: as deferred_origin() */
void weir_sim_deferred_wait(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t origin,
                            uint64_t joined_ps);
/* Lets a packet that the switch made itself join port p at now_ps, with deferred hooks. Adds its bytes to the bounds
 * and the log; calls no on_join hook and sets no mark. */
void weir_sim_deferred_put(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps);
/* Sets deferred_port.inside of each port: how many packets of the log, by lane, are still in the port at now_ps. Before
 * that, makes the lower lanes' decisions that are due before now_ps. */
void weir_sim_deferred_count(const struct coupled_run *r, uint64_t now_ps);

/* ---- due.c ---- */

/* Adds an entry to the list of instants: the port is visited at at_ps. The port's armed_ps must be at_ps already. */
void weir_sim_due_put(struct sim_coupled *c, uint64_t at_ps, uint32_t port);

/* ---- coupled_parts.c ---- */

/* Returns the class whose oldest packet joined first. Only classes with a bit in `ready` count; ready must not be 0,
 * and these classes must not be empty. Of equal times the lowest in-link is first. */
uint32_t weir_sim_coupled_oldest(const struct sim_port *port, uint32_t ready);
/* Returns the classes whose packets may not start, bit c for class c. */
static inline uint32_t coupled_closed(const struct sim_link *link)
{
    return link->control != NULL ? link->control->closed : 0;
}

/* Returns the bit of the upper of two virtual lanes if its first packet may escape; else 0. That is so if the lane is
 * closed, the lower one is open, and the packet does not stay. Only with weir_model.escapes. */
uint32_t weir_sim_coupled_escaping(const struct coupled_run *r, const struct sim_link *link);
/* Calls on_forward for a DATA packet that came by in-link `in` and whose route leads to port p. Counts a deflection.
 * @return the port by which the packet leaves */
uint32_t weir_sim_coupled_forward(const struct coupled_run *r, uint32_t p, struct weir_pkt *pkt, uint32_t in,
                                  uint64_t now_ps);
/* Puts a packet into the class FIFO, or the queue of weighted round robin, of port p, and counts it among the waiting
 * packets. Calls no hooks and changes no account. Leaves by longjmp if there is no memory. */
void weir_sim_coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry);
/* Lets a packet that the switch made itself join port p at now_ps, step by step. The caller fills entry->pkt, in,
 * class_id and in_class. */
void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry, uint64_t now_ps);

/* ---- coupled_control.c ---- */

/* Queues a control frame at the port made->frame.port, which will send it. If the frame pauses a class, counts the
 * pause by made->cause. */
void weir_sim_control_put(const struct coupled_run *r, const struct weir_chain_control *made);
/* Calls on_dropped for a packet that on_dequeue dropped at port p, and queues the control frames that the hooks
 * make. */
void weir_sim_control_dropped(const struct coupled_run *r, uint32_t p, const struct weir_departure *left);
/* Starts the transmission of the first control frame that waits at port p. A frame must wait, and the wire must be
 * free. The frame is lost if the cable goes down no later than its arrival. */
void weir_sim_control_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* Executes the events of the switch's cables at now_ps, and sets c->cable_ps to the next event. A cable that goes down
 * loses the control frames that wait at its port, and by an event that flushes also the packets. */
void weir_sim_control_cables(const struct coupled_run *r, uint64_t now_ps);

/* ---- coupled_timer.c ---- */

/* Makes the timer steps that are due at now_ps, at every port, and sends the NOTICEs of these steps. now_ps must be
 * c->step_ps, which is then set to the next step. */
void weir_sim_timers_step(const struct coupled_run *r, uint64_t now_ps);
/* Makes the timer steps before now_ps that were left out because the switch was not visited. Its ports were empty at
 * these steps, so no NOTICE is sent. Sets c->step_ps. */
void weir_sim_timers_catch_up(const struct coupled_run *r, uint64_t now_ps);

/* Returns the class of the out-port `link` in which a packet waits, step by step. Classes beyond the port's last class
 * are the last. */
static inline uint32_t coupled_class(const struct coupled_run *r, const struct sim_link *link,
                                     const struct weir_pkt *pkt)
{
    if (link->port->wrr != NULL)
        return pkt->kind == WEIR_PKT_DATA ? COUPLED_WRR : COUPLED_FIRST;
    return pkt->class_id < r->model->classes ? pkt->class_id : r->model->classes - 1;
}

/* Returns the index of an in-link in the log and in deferred.held. SIM_NO_IN, of packets that the switch made itself,
 * becomes in_count, the index behind the last in-link. */
static inline uint32_t deferred_in_index(const struct coupled_run *r, uint32_t in)
{
    return in != SIM_NO_IN ? in : r->sw->in_count;
}

/* Returns the in-link, or SIM_NO_IN, for an index of deferred_in_index(). */
static inline uint32_t deferred_in_port(const struct coupled_run *r, uint32_t in)
{
    return in < r->sw->in_count ? in : SIM_NO_IN;
}

/* Returns one number for the in-link and the class in which a packet came. in: as deferred_in_index(), below 2^16 */
static inline uint32_t deferred_origin(uint32_t in, uint32_t in_class)
{
    return in | in_class << 16;
}

/* Returns the class under which a switch with deferred hooks counts a packet. Classes beyond the port's last class are
 * the last. */
static inline uint32_t deferred_class(const struct coupled_deferred *deferred, uint32_t class_id)
{
    return class_id < deferred->classes ? class_id : deferred->classes - 1;
}

/* Returns the index of the in-link `in` and a class in deferred.held and deferred.coming. in: as deferred_in_index() */
static inline size_t deferred_held_index(const struct coupled_deferred *deferred, uint32_t in, uint32_t class_id)
{
    return (size_t)in * deferred->classes + class_id;
}

/* Calls the start hooks of one packet of port p, and adds the telemetry record that they write to the packet. */
static inline void deferred_call_start(const struct coupled_run *r, uint32_t p, const struct deferred_start *s)
{
    if (r->c->deferred.starts == DEFERRED_DEQUEUE) {
        weir_sim_deferred_dequeue(r, p, s);
        return;
    }
    struct sim_port *port = r->out[p].port;
    struct weir_telemetry record;
    struct weir_start start = { .pkt = s->slot,
                                .now_ps = s->start_ps,
                                .joined_ps = s->joined_ps,
                                .tx_ps = (uint64_t)s->bytes * r->out[p].ps_per_byte,
                                .begun = port->begun++,
                                .in_port = deferred_in_port(r, s->in),
                                .record = s->slot->hops < r->model->features.records_max ? &record : NULL };
    if ((weir_chain_start(&port->chain, &start) & WEIR_RECORD) != 0)
        sim_records_add(&r->th->records, s->slot, &record);
}

/* Calls the start hooks of the noted packets of port p that start before end_ps. */
static inline void deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps)
{
    if (r->c->deferred.start[r->c->deferred.port[p].start_first].start_ps < end_ps)
        weir_sim_deferred_starts(r, p, end_ps);
}

/* Tests whether start hooks may read another port for a packet of this kind (weir_pkt.kind). */
static inline bool deferred_reads_other(const struct coupled_deferred *deferred, uint32_t kind)
{
    if (deferred->starts == DEFERRED_DEQUEUE)
        return true;
    return deferred->starts == DEFERRED_OTHER_PORT && (deferred->other_port_kinds >> kind & 1) != 0;
}

/* Tests whether on_dequeue may drop a packet that starts at start_ps. flags: weir_pkt.flags. Only for
 * DEFERRED_DEQUEUE. */
static inline bool deferred_may_drop(const struct coupled_deferred *deferred, const struct deferred_port *port,
                                     uint32_t flags, uint64_t joined_ps, uint64_t start_ps)
{
    return (flags & WEIR_PKT_ECT) == 0 && start_ps - joined_ps >= deferred->wait_ps && start_ps >= port->event_ps;
}

/* Appends a packet to port p's list of noted packets. The caller has made room by weir_sim_deferred_start_room().
 * other: the value of deferred_reads_other() for the packet */
static inline void deferred_note_start(const struct coupled_run *r, uint32_t p, struct deferred_start start, bool other)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_port *port = &deferred->port[p];
    uint32_t i = deferred->start_free;
    deferred->start_free = deferred->start[i].next;
    deferred->start_free_count--;
    start.next = 0;
    deferred->start[i] = start;
    /* if the list is empty, this writes entry 0, whose `next` nobody reads */
    deferred->start[port->start_last].next = i;
    port->start_first = port->start_first != 0 ? port->start_first : i;
    port->start_last = i;
    if (other)
        weir_heap_push(&deferred->other_starts, start.start_ps, p);
}

/* Marks a port that may have a decision to make at this instant. */
static inline void coupled_touch(struct sim_coupled *c, uint32_t port)
{
    c->dirty[port / 64] |= UINT64_C(1) << port % 64;
}

/* Sets the instant at which a port is visited again, in place of an earlier setting. WEIR_NEVER = when a packet
 * joins. */
static inline void coupled_arm(struct sim_coupled *c, uint32_t port, uint64_t at_ps)
{
    bool known = c->armed_ps[port] == at_ps || at_ps == WEIR_NEVER;
    uint32_t behind = c->due_first + c->due_count;
    c->armed_ps[port] = at_ps;
    if (known)
        return;
    /* most instants are appended */
    if (c->due_count > 0 && behind < c->due_capacity && c->due[behind - 1].at_ps < at_ps) {
        c->due[behind] = (struct coupled_due){ at_ps, port };
        c->due_count++;
    } else {
        weir_sim_due_put(c, at_ps, port);
    }
}

/* Clears the list of instants, and the armed_ps of all ports. ports: number of out-ports */
static inline void coupled_arm_none(struct sim_coupled *c, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        c->armed_ps[p] = WEIR_NEVER;
    c->due_count = c->due_first = 0;
    c->due_ps = WEIR_NEVER;
}

/* Wakes the node at the other end, after a visit, at the arrival of the first control frame that this visit sent on the
 * link. Does nothing if there was none. */
static inline void coupled_wake(struct sim_thread *th, struct sim_link *link)
{
    struct sim_control *control = link->control;
    uint64_t first_ps;
    if (control == NULL || control->notified == control->write)
        return;
    first_ps = control->notified->arrival_ps;
    control->notified = control->write;
    sim_wake_at(th, link->wake, link->block_wake, link->dst_group, first_ps);
}
#endif
