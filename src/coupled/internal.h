/* src/coupled/internal.h - switches with a coupled feature (WEIR_WHEN_COUPLED). There are two ways through a window.
 * The exact one concludes nothing when a packet arrives. It takes one instant after the other, in the order of the
 * model: first what ends, then what arrives, then timers, then decisions (visit_coupled.c). The deferred-hook one is
 * for windows in which no coupled hook would do anything but keep accounts. Then ports are what they are at other
 * switches, and the future of a packet is known when it joins (deferred.c). */
#ifndef WEIR_COUPLED_INTERNAL_H
#define WEIR_COUPLED_INTERNAL_H
#include "core/heap.h"
#include "coupled/coupled.h"
#include "port/port.h"
#include "state/lanes.h"
#include "state/ring.h"
#include "switch/wrr.h"

struct coupled_flow;

/* The class index where a port has weighted round robin: all but DATA is first. */
enum { COUPLED_FIRST, COUPLED_WRR };

struct coupled_port {                   /* one out-port */
    uint64_t wire_ps;                   /* when the wire is free */
    uint64_t held_bytes;                /* waiting or in transmission */
    struct weir_pkt sending;            /* the frame in transmission; its end takes it off the accounts */
    uint32_t sending_in, sending_class; /* as sim_stepped.in, .in_class */
    uint32_t events_done;               /* of its cable; with control frames */
    bool is_sending;
    uint64_t frame_ps;       /* of a control frame */
    struct sim_ring control; /* of struct weir_chain_control: control frames that wait */
};

struct coupled_due { /* a visit of a port, valid if its armed_ps is still the same */
    uint64_t at_ps;
    uint32_t port;
};

struct coupled_timer { /* a feature with on_timer */
    uint64_t period_ps, next_ps;
    uint32_t feature;
};

struct deferred_entry { /* a packet that a port with deferred hooks has forwarded; it may still be there */
    uint64_t end_ps, joined_ps;
    uint16_t bytes, port;
    union {
        struct {
            uint16_t in, class_id; /* in: in_count = the switch's own; class_id: in which it came */
        };
        uint32_t origin; /* deferred_origin() of both */
    };
};
_Static_assert(sizeof(struct deferred_entry) == 24, "settling reads them all");

struct deferred_start { /* a packet whose start hooks are still to be called */
    struct weir_pkt *slot;
    uint64_t start_ps, joined_ps;
    uint16_t bytes, in; /* in: as in struct deferred_entry */
    uint32_t next;      /* of the same port, or in the free list; 0 = none */
};

/* What start hooks there are, and what they read: their own port, or with some kinds of packets another one, too.
 * DEFERRED_DEQUEUE: none, but on_dequeue is called when the transmission starts, for those packets for which it has
 * something to do; it may read other ports */
enum deferred_start_kind { DEFERRED_NO_STARTS, DEFERRED_OWN_PORT, DEFERRED_OTHER_PORT, DEFERRED_DEQUEUE };

struct deferred_port {
    _Alignas(64) uint32_t
        *origin; /* a ring: of what waits in the lower lane, by which in-link and in which class it came: deferred_origin() */
    uint32_t first, count, capacity;
    uint32_t start_first, start_last;  /* packets whose hooks are to be called, in order; 0 = none */
    uint32_t inside[SIM_LANES];        /* for a moment: entries of the log that are still in the port */
    struct weir_pkt *slot;             /* likewise */
    uint64_t quiet_until_ps, event_ps; /* DEFERRED_DEQUEUE: until_ps and event_ps of struct weir_dequeue_idle */
};
_Static_assert(sizeof(struct deferred_port) == 64, "one line");

struct coupled_deferred {
    struct deferred_port *port; /* out_count; NULL = never deferred */
    bool active;
    bool is_bounded;      /* somebody needs to know what is held: else neither held nor coming is kept */
    bool one_arrive_hook; /* every port has one on_arrive hook, of the same kinds of packets */
    bool lanes;           /* ports have two: class 0, and all others */
    bool forwards;        /* ports have on_forward */
    bool joins;           /* some port has on_join hooks that are to be called */
    uint32_t classes;     /* 1, 2, or more with virtual lanes */
    /* as in struct weir_held, and the switch's own packets behind the last in-link: what is held at most; on the exact
     * way what is held */
    uint64_t *held;
    uint64_t *coming; /* likewise: what comes in this window; of up to two classes */
    struct deferred_entry *log;
    uint32_t log_count, log_capacity, settle_at; /* settle_at: entries that are worth being gone through */
    uint32_t undecided;                          /* packets in lower lanes */
    uint32_t notice_bytes;
    enum deferred_start_kind starts;
    uint64_t wait_ps;          /* DEFERRED_DEQUEUE: packets that waited less are neither marked nor dropped */
    uint64_t drop_ps;          /* DEFERRED_DEQUEUE: no packet that starts before is dropped */
    uint32_t other_port_kinds; /* as in struct weir_chain, of all ports; likewise .. */
    uint32_t arrive_kinds;
    struct deferred_start *start; /* start_capacity; [0] is the end of a list, and starts never */
    uint32_t start_capacity, start_free, start_free_count;
    struct weir_heap other_starts;        /* packets of other_port_kinds among them: (start, port) */
    const struct weir_chain_state **idle; /* idle_count features that may have something to do */
    uint32_t idle_count;
    uint64_t windows, step_windows, switch_overs; /* switch_overs: to the step-by-step way */
};

struct sim_coupled {
    struct coupled_deferred deferred;
    struct coupled_port *port; /* out_count */
    uint64_t *armed_ps;        /* per port: when to visit it again; WEIR_NEVER = when something joins */
    struct coupled_due *due;   /* these instants in order; due_first on, due_count of them; due_capacity */
    uint32_t due_first, due_count, due_capacity;
    uint64_t due_ps; /* the first of them; WEIR_NEVER = there is none */
    uint64_t *dirty; /* bit p: port p may have something to decide at this instant; dirty_count */
    uint32_t dirty_count;
    bool dropped;                /* a decision dropped a packet just now */
    bool ends_matter;            /* a frame's end does something even if nothing waits */
    bool has_control;            /* control frames pass */
    struct coupled_timer *timer; /* timer_count of them */
    unsigned char *timer_state;  /* room for a port's state of any of them */
    uint32_t timer_count;
    uint64_t step_ps;  /* the next of all timers; WEIR_NEVER without */
    uint64_t cable_ps; /* next event of a cable; WEIR_NEVER without control frames */
    /* which flows were sent a NOTICE at this step */
    struct coupled_flow *flow;
    uint32_t flow_capacity, flow_round;
};

struct coupled_run { /* a visit */
    struct sim_thread *th;
    struct sim_switch *sw;
    struct sim_coupled *c;
    const struct weir_model *model;
    struct sim_link *out;
    struct weir_route_here here;
};

/* deferred_init.c: once ports, timers and chains are there. @return false = no memory */
bool weir_sim_deferred_init(struct sim_thread *th, const struct sim_engine *e, const struct sim_switch *sw);

/* deferred.c */
/* May this window be a deferred-hook one? Makes the switch so, or not. n: packets that come; control_ps: when the next
 * control frame does */
bool weir_sim_deferred_choose(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps,
                              uint64_t control_ps);
/* Room in the log for n more. */
void weir_sim_deferred_log_room(const struct coupled_run *r, uint32_t n);

/* deferred_start.c */
/* DEFERRED_DEQUEUE: what on_dequeue of port p has to do from now on. */
void weir_sim_deferred_dequeue_idle(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* DEFERRED_DEQUEUE: sets deferred.drop_ps by what waits. */
void weir_sim_deferred_find_drops(const struct coupled_run *r, uint64_t now_ps);
/* DEFERRED_DEQUEUE: calls on_dequeue for a packet of port p that starts. */
void weir_sim_deferred_dequeue(const struct coupled_run *r, uint32_t p, const struct deferred_start *s);
/* Room for n more such packets. */
void weir_sim_deferred_start_room(const struct coupled_run *r, uint32_t n);
/* Calls the start hooks of the first packet of port p, and of all others that start before end. */
void weir_sim_deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
/* Likewise of the first packet of deferred.other_starts. log: where decisions of lower lanes go */
void weir_sim_deferred_other_start(const struct coupled_run *r, struct deferred_entry **log);
/* Brings port `of` up to date for a start hook of port p that reads it: calls the hooks of all that start before. */
void weir_sim_deferred_sync_port(const struct coupled_run *r, uint32_t of, uint32_t p, uint64_t start_ps,
                                 struct deferred_entry **log);
/* Calls the hooks of all of deferred.other_starts that start before end; decisions of lower lanes are made. */
void weir_sim_deferred_other_starts(const struct coupled_run *r, uint64_t end_ps);
/* No hooks are to be called: what waits goes the step-by-step way. */
void weir_sim_deferred_starts_clear(const struct coupled_run *r);

/* deferred_pass.c */
/* All that the switch does in a deferred-hook window. @return when it has something to do without an arrival */
uint64_t weir_sim_deferred_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                                uint64_t end_ps);
/* Makes the lower lane's decisions before end at port p; _log: what is decided on goes to *log, where there is room. */
void weir_sim_deferred_decide(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
void weir_sim_deferred_decide_log(const struct coupled_run *r, uint32_t p, uint64_t end_ps,
                                  struct deferred_entry **log);
/* A packet goes into the lower lane of port p, undecided. origin: deferred_origin() */
void weir_sim_deferred_wait(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t origin,
                            uint64_t joined_ps);
/* A packet of the switch itself joins port p. */
void weir_sim_deferred_put(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps);
/* Counts what is in each port at now, the lower lane's decisions made: deferred_port.inside. */
void weir_sim_deferred_count(const struct coupled_run *r, uint64_t now_ps);

/* due.c */
/* Port is to be visited at at_ps. */
void weir_sim_due_put(struct sim_coupled *c, uint64_t at_ps, uint32_t port);

/* visit_coupled.c */
/* Of virtual lanes: the one whose oldest packet joined first. ready: bits of their classes, some */
uint32_t weir_sim_coupled_oldest(const struct sim_port *port, uint32_t ready);
/* The port by which DATA leaves that came by in-link `in` and whose route leads to port p. */
uint32_t weir_sim_coupled_forward(const struct coupled_run *r, uint32_t p, struct weir_pkt *pkt, uint32_t in,
                                  uint64_t now_ps);
/* A packet waits in port p from now on; nothing else of joining is done. */
void weir_sim_coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry);
/* A packet joins port p. entry: pkt, in, class_id, in_class */
void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry, uint64_t now_ps);

/* coupled_control.c */
/* A control frame waits at the port that is to send it. */
void weir_sim_control_put(const struct coupled_run *r, const struct weir_chain_control *made);
/* A packet was dropped by port p on leaving, which may make control frames. */
void weir_sim_control_dropped(const struct coupled_run *r, uint32_t p, const struct weir_departure *left);
/* Starts the first control frame that waits at the port. */
void weir_sim_control_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* What cables do at now: one that goes down takes control frames with it. Sets c->cable_ps. */
void weir_sim_control_cables(const struct coupled_run *r, uint64_t now_ps);

/* coupled_timer.c: the timers due at c->step_ps, at every port, and their NOTICEs. */
void weir_sim_timers_step(const struct coupled_run *r, uint64_t now_ps);
/* Steps up to now that a switch slept through, because nothing was in its ports. */
void weir_sim_timers_catch_up(const struct coupled_run *r, uint64_t now_ps);

/* Where a packet waits. */
static inline uint32_t coupled_class(const struct coupled_run *r, const struct sim_link *link,
                                     const struct weir_pkt *pkt)
{
    if (link->port->wrr != NULL)
        return pkt->kind == WEIR_PKT_DATA ? COUPLED_WRR : COUPLED_FIRST;
    return pkt->class_id < r->model->classes ? pkt->class_id : r->model->classes - 1;
}

/* An in-link as the deferred-hook way numbers it: the switch's own packets come behind the last; and back. */
static inline uint32_t deferred_in_index(const struct coupled_run *r, uint32_t in)
{
    return in != SIM_NO_IN ? in : r->sw->in_count;
}

static inline uint32_t deferred_in_port(const struct coupled_run *r, uint32_t in)
{
    return in < r->sw->in_count ? in : SIM_NO_IN;
}

/* By which in-link and in which class a packet origin, as one number. in: as the deferred-hook way numbers it */
static inline uint32_t deferred_origin(uint32_t in, uint32_t in_class)
{
    return in | in_class << 16;
}

/* The class of a packet at a port with deferred hooks that has two lanes or more classes. */
static inline uint32_t deferred_class(const struct coupled_deferred *deferred, uint32_t class_id)
{
    return class_id < deferred->classes ? class_id : deferred->classes - 1;
}

/* The held bytes of an in-link's class. */
static inline size_t deferred_held_index(const struct coupled_deferred *deferred, uint32_t in, uint32_t class_id)
{
    return (size_t)in * deferred->classes + class_id;
}

/* Calls the start hooks of a packet of port p. */
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

/* Calls the start hooks of the packets of port p that start before end. */
static inline void deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps)
{
    if (r->c->deferred.start[r->c->deferred.port[p].start_first].start_ps < end_ps)
        weir_sim_deferred_starts(r, p, end_ps);
}

/* Do start hooks read another port for a packet of this kind? */
static inline bool deferred_reads_other(const struct coupled_deferred *deferred, uint32_t kind)
{
    if (deferred->starts == DEFERRED_DEQUEUE)
        return true;
    return deferred->starts == DEFERRED_OTHER_PORT && (deferred->other_port_kinds >> kind & 1) != 0;
}

/* DEFERRED_DEQUEUE: may a packet be dropped? */
static inline bool deferred_may_drop(const struct coupled_deferred *deferred, const struct deferred_port *port,
                                     uint32_t flags, uint64_t joined_ps, uint64_t start_ps)
{
    return (flags & WEIR_PKT_ECT) == 0 && start_ps - joined_ps >= deferred->wait_ps && start_ps >= port->event_ps;
}

/* Port p sends a packet from this slot. There is room. other: as deferred_reads_other() */
static inline void deferred_note_start(const struct coupled_run *r, uint32_t p, struct deferred_start start, bool other)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_port *port = &deferred->port[p];
    uint32_t i = deferred->start_free;
    deferred->start_free = deferred->start[i].next;
    deferred->start_free_count--;
    start.next = 0;
    deferred->start[i] = start;
    deferred->start[port->start_last].next = i; /* of none: of no concern */
    port->start_first = port->start_first != 0 ? port->start_first : i;
    port->start_last = i;
    if (other)
        weir_heap_push(&deferred->other_starts, start.start_ps, p);
}

static inline void coupled_touch(struct sim_coupled *c, uint32_t port)
{
    c->dirty[port / 64] |= UINT64_C(1) << port % 64;
}

static inline void coupled_arm(struct sim_coupled *c, uint32_t port, uint64_t at_ps)
{
    bool known = c->armed_ps[port] == at_ps || at_ps == WEIR_NEVER;
    uint32_t behind = c->due_first + c->due_count;
    c->armed_ps[port] = at_ps;
    if (known)
        return;
    if (c->due_count > 0 && behind < c->due_capacity && c->due[behind - 1].at_ps < at_ps) { /* most go to the back */
        c->due[behind] = (struct coupled_due){ at_ps, port };
        c->due_count++;
    } else {
        weir_sim_due_put(c, at_ps, port);
    }
}

/* No port is to be visited. */
static inline void coupled_arm_none(struct sim_coupled *c, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        c->armed_ps[p] = WEIR_NEVER;
    c->due_count = c->due_first = 0;
    c->due_ps = WEIR_NEVER;
}

/* After a visit: notifies the other end of the first arrival among the control frames that the link was given. */
static inline void coupled_wake(struct sim_thread *th, struct sim_link *link)
{
    struct sim_control *control = link->control;
    uint64_t first_ps;
    if (control == NULL || control->notified == control->write)
        return;
    first_ps = control->notified->arrival_ps;
    control->notified = control->write;
    sim_wake_at(th, link->wake, link->dst_group, first_ps);
}
#endif
