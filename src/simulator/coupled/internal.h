/* src/simulator/coupled/internal.h - switches with a coupled feature (WEIR_WHEN_COUPLED). They have two ways through a
 * window. Step by step, nothing is concluded when a packet arrives. The switch goes from instant to instant, each in
 * the order of the model: transmissions that end, control frames, arrivals, timers, decisions (visit_coupled.c). With
 * deferred hooks, the future of a packet is known when it joins, as at other switches, and hooks are called late or not
 * at all (deferred.c). That is for windows in which coupled hooks would do no more than keep accounts. */
#ifndef WEIR_COUPLED_INTERNAL_H
#define WEIR_COUPLED_INTERNAL_H
#include "core/heap.h"
#include "coupled/coupled.h"
#include "port/port.h"
#include "state/lanes.h"
#include "state/ring.h"
#include "hooks/wrr.h"

struct coupled_flow;

/* Classes of a port with weighted round robin: DATA is in the second, all other packets are in the first. */
enum { COUPLED_FIRST, COUPLED_WRR };

struct coupled_port {                   /* one out-port */
    uint64_t wire_ps;                   /* when the wire is free; of a control frame, too */
    uint64_t held_bytes;                /* waiting or in transmission */
    struct weir_pkt sending;            /* the packet in transmission; it is in the accounts until that ends */
    uint32_t sending_in, sending_class; /* as sim_stepped.in, .in_class */
    uint32_t events_done;               /* events of its cable that have passed; with control frames */
    bool is_sending;
    uint64_t frame_ps;       /* transmission time of a control frame */
    struct sim_ring control; /* of struct weir_chain_control: control frames that wait */
};

struct coupled_due { /* when a port is to be visited; valid while the port's armed_ps is the same */
    uint64_t at_ps;
    uint32_t port;
};

struct coupled_timer { /* a feature with on_timer */
    uint64_t period_ps, next_ps;
    uint32_t feature;
};

struct deferred_entry { /* of the log: a packet that was forwarded with deferred hooks, and may still be in its port */
    uint64_t end_ps, joined_ps;
    uint16_t bytes, port;
    union {
        struct {
            uint16_t in, class_id; /* in: as deferred_in_index(); class_id: the class in which it came */
        };
        uint32_t origin; /* both, as deferred_origin() */
    };
};
_Static_assert(sizeof(struct deferred_entry) == 24, "settling reads them all");

struct deferred_start { /* a packet whose start hooks are still to be called */
    struct weir_pkt *slot;
    uint64_t start_ps, joined_ps;
    uint16_t bytes, in; /* in: as deferred_in_index() */
    uint32_t next;      /* the next of the same port, or in the free list; 0 = none */
};

/* Start hooks of a switch: the hooks that are called late, when it is known that a transmission starts. */
enum deferred_start_kind {
    DEFERRED_NO_STARTS,
    DEFERRED_OWN_PORT,   /* on_start, which reads the packet's own port */
    DEFERRED_OTHER_PORT, /* on_start, which for packets of some kinds reads the port of their in-link, too */
    DEFERRED_DEQUEUE,    /* on_dequeue, for packets for which it has something to do; it may read other ports */
};

struct deferred_port {
    _Alignas(64) uint32_t *origin;     /* a ring: deferred_origin() of the packets that wait in the lower lane */
    uint32_t first, count, capacity;   /* of that ring */
    uint32_t start_first, start_last;  /* packets whose hooks are to be called, in order; 0 = none */
    uint32_t inside[SIM_LANES];        /* scratch: entries of the log that are still in the port, by lane */
    struct weir_pkt *slot;             /* scratch of the switch-over: the next slot to be taken back */
    uint64_t quiet_until_ps, event_ps; /* DEFERRED_DEQUEUE: until_ps and event_ps of struct weir_dequeue_idle */
};
_Static_assert(sizeof(struct deferred_port) == 64, "one line");

struct coupled_deferred {
    struct deferred_port *port; /* out_count; NULL = never deferred */
    bool active;                /* the last window had deferred hooks, and ports are those of other switches */
    bool is_bounded;            /* a feature or the memory limit needs bounds: else neither held nor coming is kept */
    bool one_arrive_hook;       /* every port has one on_arrive hook, for the same kinds of packets */
    bool lanes;                 /* ports have two lanes: class 0, and all others */
    bool forwards;              /* ports have on_forward */
    bool joins;                 /* some port has on_join hooks that are no threshold */
    uint32_t classes;           /* 1, 2, or more with virtual lanes */
    /* Bytes that are held, at deferred_held_index(), the switch's own packets behind the last in-link: upper bounds
     * with deferred hooks, exact step by step. */
    uint64_t *held;
    uint64_t *coming; /* bytes that arrive in this window, indexed as held; of up to two classes */
    struct deferred_entry *log;
    uint32_t log_count, log_capacity, settle_at; /* settle_at: length from which on the log is settled */
    uint32_t undecided;                          /* packets in lower lanes */
    uint32_t notice_bytes;
    enum deferred_start_kind starts;
    uint64_t wait_ps; /* DEFERRED_DEQUEUE: packets that wait for less are neither marked nor dropped */
    uint64_t drop_ps; /* DEFERRED_DEQUEUE: no packet that starts before is dropped */
    uint32_t other_port_kinds, arrive_kinds; /* as in struct weir_chain, of all ports together */
    struct deferred_start *start;            /* start_capacity of them; [0] ends lists, and never starts */
    uint32_t start_capacity, start_free, start_free_count;
    struct weir_heap other_starts;        /* (start, port) of packets whose hooks read another port */
    const struct weir_chain_state **idle; /* idle_count features with is_idle */
    uint32_t idle_count;
    uint64_t windows, step_windows, switch_overs; /* switch_overs: to the step-by-step way */
};

struct sim_coupled {
    struct coupled_deferred deferred;
    struct coupled_port *port; /* out_count */
    uint64_t *armed_ps;        /* by port: when to visit it again; WEIR_NEVER = when something joins */
    struct coupled_due *due;   /* these instants in order: due_count of them from due_first on; due_capacity */
    uint32_t due_first, due_count, due_capacity;
    uint64_t due_ps; /* the first of them; WEIR_NEVER = there is none */
    uint64_t *dirty; /* bit p: port p may have something to decide at this instant; dirty_count */
    uint32_t dirty_count;
    bool dropped;                /* set by a decision that drops a packet */
    bool ends_matter;            /* the end of a transmission does something even if nothing waits */
    bool has_control;            /* some feature sends control frames */
    struct coupled_timer *timer; /* timer_count of them */
    unsigned char *timer_state;  /* room for one port's state of any of these features */
    uint32_t timer_count;
    uint64_t step_ps;  /* the next step of any timer; WEIR_NEVER without timers */
    uint64_t cable_ps; /* the next event of a cable; WEIR_NEVER without control frames */
    /* hash table of the flows that were sent a NOTICE at this step */
    struct coupled_flow *flow;
    uint32_t flow_capacity, flow_round;
};

struct coupled_run { /* a visit to a switch */
    struct sim_thread *th;
    struct sim_switch *sw;
    struct sim_coupled *c;
    const struct weir_model *model;
    struct sim_link *out;
    struct weir_route_here here;
};

/* ---- deferred_init.c ---- */

/* Finds whether the switch may ever defer its hooks, and takes the memory for it. Its ports and timers must be set up.
 * @return false = no memory */
bool weir_sim_deferred_init(struct sim_thread *th, const struct sim_engine *e, const struct sim_switch *sw);

/* ---- deferred.c ---- */

/* Chooses the way through this window, and switches over to it. n: packets that arrive; control_ps: when the next
 * control frame does. @return true = with deferred hooks, false = step by step */
bool weir_sim_deferred_choose(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps,
                              uint64_t control_ps);
/* Makes room in the log for n more entries. Leaves by longjmp if there is no memory. */
void weir_sim_deferred_log_room(const struct coupled_run *r, uint32_t n);

/* ---- deferred_start.c ---- */

/* Asks the features what on_dequeue of port p has to do from now on (DEFERRED_DEQUEUE). */
void weir_sim_deferred_dequeue_idle(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* Sets deferred.drop_ps by the packets whose hooks are still to be called (DEFERRED_DEQUEUE). */
void weir_sim_deferred_find_drops(const struct coupled_run *r, uint64_t now_ps);
/* Calls on_dequeue for a packet of port p that starts; it must not drop the packet (DEFERRED_DEQUEUE). */
void weir_sim_deferred_dequeue(const struct coupled_run *r, uint32_t p, const struct deferred_start *s);
/* Makes room for n more packets whose hooks are to be called. Leaves by longjmp if there is no memory. */
void weir_sim_deferred_start_room(const struct coupled_run *r, uint32_t n);
/* Calls the start hooks of the first packet of port p, and of all others that start before end. */
void weir_sim_deferred_starts(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
/* Calls the start hooks of the first packet of deferred.other_starts, after those of both ports that start before. log:
 * where decisions of lower lanes are logged */
void weir_sim_deferred_other_start(const struct coupled_run *r, struct deferred_entry **log);
/* Calls the start hooks of port `of` for all that starts before a packet of port p whose hook reads `of`. log: as
 * above */
void weir_sim_deferred_sync_port(const struct coupled_run *r, uint32_t of, uint32_t p, uint64_t start_ps,
                                 struct deferred_entry **log);
/* Calls the hooks of all of deferred.other_starts that start before end; decisions of lower lanes are made. */
void weir_sim_deferred_other_starts(const struct coupled_run *r, uint64_t end_ps);
/* Forgets all hooks that are still to be called: their packets go back to where they wait, step by step. */
void weir_sim_deferred_starts_clear(const struct coupled_run *r);

/* ---- deferred_pass.c ---- */

/* Does all that the switch does in a window with deferred hooks. @return when it has something to do without an
 * arrival */
uint64_t weir_sim_deferred_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                                uint64_t end_ps);
/* Makes the lower lane's decisions before end at port p. */
void weir_sim_deferred_decide(const struct coupled_run *r, uint32_t p, uint64_t end_ps);
/* Does the same while a caller writes the log: entries go to *log, where there is room. */
void weir_sim_deferred_decide_log(const struct coupled_run *r, uint32_t p, uint64_t end_ps,
                                  struct deferred_entry **log);
/* Puts a packet into the lower lane of port p, undecided. origin: deferred_origin() */
void weir_sim_deferred_wait(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t origin,
                            uint64_t joined_ps);
/* Lets a packet that the switch has made itself join port p. */
void weir_sim_deferred_put(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps);
/* Counts what is in each port at now into deferred_port.inside; makes the lower lanes' decisions before now. */
void weir_sim_deferred_count(const struct coupled_run *r, uint64_t now_ps);

/* ---- due.c ---- */

/* Notes that a port is to be visited at at_ps, which must be its armed_ps. */
void weir_sim_due_put(struct sim_coupled *c, uint64_t at_ps, uint32_t port);

/* ---- coupled_parts.c ---- */

/* Returns the class whose oldest packet joined first, of those with a bit in `ready`, which is not 0. */
uint32_t weir_sim_coupled_oldest(const struct sim_port *port, uint32_t ready);
/* Calls on_forward for DATA that came by in-link `in` and whose route leads to port p. @return the port by which it
 * leaves */
uint32_t weir_sim_coupled_forward(const struct coupled_run *r, uint32_t p, struct weir_pkt *pkt, uint32_t in,
                                  uint64_t now_ps);
/* Puts a packet where it waits in port p, and does nothing else that joining takes. */
void weir_sim_coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry);
/* Lets a packet that the switch has made itself join port p. entry: pkt, in, class_id, in_class */
void weir_sim_coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry, uint64_t now_ps);

/* ---- coupled_control.c ---- */

/* Puts a control frame into the queue of the port that is to send it. */
void weir_sim_control_put(const struct coupled_run *r, const struct weir_chain_control *made);
/* Notifies the features of a packet that port p dropped on leaving, which may make control frames. */
void weir_sim_control_dropped(const struct coupled_run *r, uint32_t p, const struct weir_departure *left);
/* Starts the first control frame that waits at the port. */
void weir_sim_control_send(const struct coupled_run *r, uint32_t p, uint64_t now_ps);
/* Executes the events of cables at now: one that goes down takes control frames with it. Sets c->cable_ps. */
void weir_sim_control_cables(const struct coupled_run *r, uint64_t now_ps);

/* ---- coupled_timer.c ---- */

/* Makes the steps that are due at c->step_ps, at every port, and sends their NOTICEs. */
void weir_sim_timers_step(const struct coupled_run *r, uint64_t now_ps);
/* Makes up for steps before now in which the switch was not visited, because nothing was in its ports. */
void weir_sim_timers_catch_up(const struct coupled_run *r, uint64_t now_ps);

/* Returns the class of a port in which a packet waits. */
static inline uint32_t coupled_class(const struct coupled_run *r, const struct sim_link *link,
                                     const struct weir_pkt *pkt)
{
    if (link->port->wrr != NULL)
        return pkt->kind == WEIR_PKT_DATA ? COUPLED_WRR : COUPLED_FIRST;
    return pkt->class_id < r->model->classes ? pkt->class_id : r->model->classes - 1;
}

/* Returns the index of an in-link where hooks are deferred: the switch's own packets are behind the last. in: may be
 * SIM_NO_IN */
static inline uint32_t deferred_in_index(const struct coupled_run *r, uint32_t in)
{
    return in != SIM_NO_IN ? in : r->sw->in_count;
}

/* Returns the in-link, or SIM_NO_IN, of such an index. */
static inline uint32_t deferred_in_port(const struct coupled_run *r, uint32_t in)
{
    return in < r->sw->in_count ? in : SIM_NO_IN;
}

/* Returns one number for the in-link and the class in which a packet came. in: as deferred_in_index() */
static inline uint32_t deferred_origin(uint32_t in, uint32_t in_class)
{
    return in | in_class << 16;
}

/* Returns the class of a packet at a switch with deferred hooks: classes beyond the last are the last. */
static inline uint32_t deferred_class(const struct coupled_deferred *deferred, uint32_t class_id)
{
    return class_id < deferred->classes ? class_id : deferred->classes - 1;
}

/* Returns the index of an in-link's class in deferred.held. in: as deferred_in_index() */
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

/* Tests whether start hooks read another port for a packet of this kind. */
static inline bool deferred_reads_other(const struct coupled_deferred *deferred, uint32_t kind)
{
    if (deferred->starts == DEFERRED_DEQUEUE)
        return true;
    return deferred->starts == DEFERRED_OTHER_PORT && (deferred->other_port_kinds >> kind & 1) != 0;
}

/* Tests whether a packet that starts at start_ps may be dropped then (DEFERRED_DEQUEUE). */
static inline bool deferred_may_drop(const struct coupled_deferred *deferred, const struct deferred_port *port,
                                     uint32_t flags, uint64_t joined_ps, uint64_t start_ps)
{
    return (flags & WEIR_PKT_ECT) == 0 && start_ps - joined_ps >= deferred->wait_ps && start_ps >= port->event_ps;
}

/* Notes a packet of port p whose start hooks are to be called; there is room. other: as deferred_reads_other() */
static inline void deferred_note_start(const struct coupled_run *r, uint32_t p, struct deferred_start start, bool other)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_port *port = &deferred->port[p];
    uint32_t i = deferred->start_free;
    deferred->start_free = deferred->start[i].next;
    deferred->start_free_count--;
    start.next = 0;
    deferred->start[i] = start;
    deferred->start[port->start_last].next = i; /* without a last one entry 0 is written, which nobody reads */
    port->start_first = port->start_first != 0 ? port->start_first : i;
    port->start_last = i;
    if (other)
        weir_heap_push(&deferred->other_starts, start.start_ps, p);
}

/* Marks a port that may have something to decide at this instant. */
static inline void coupled_touch(struct sim_coupled *c, uint32_t port)
{
    c->dirty[port / 64] |= UINT64_C(1) << port % 64;
}

/* Sets when a port is to be visited again, instead of any earlier setting; WEIR_NEVER = when something joins. */
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

/* Clears all instants at which ports are to be visited again. */
static inline void coupled_arm_none(struct sim_coupled *c, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        c->armed_ps[p] = WEIR_NEVER;
    c->due_count = c->due_first = 0;
    c->due_ps = WEIR_NEVER;
}

/* Notifies the other end, after a visit, of the first arrival among the control frames that the link was given. */
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
