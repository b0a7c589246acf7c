/* src/simulator/switch/switch.h - a plain switch: one node of a network, event by event, without I/O and without a
 * clock. Its caller gives it packets with the time at which they arrived, and gets each packet back when its
 * transmission starts. Time is computed: what is decided at a picosecond depends on the calls alone. doc/softswitch.md.
 *
 * The order of simultaneous events is [order] of doc/model.md: cable events, ends of transmissions, control frames,
 * packets, timers, decisions. The caller keeps this order among its own calls of one instant, and those of one kind in
 * the order of in-ports. The switch adds what is its own. A host's NIC is such a node, too, with one port.
 *
 * Memory is taken at init alone; packets are in a pool of the caller, which has a bound. */
#ifndef WEIR_SWITCH_SWITCH_H
#define WEIR_SWITCH_SWITCH_H
#include "core/rule.h"
#include "switch/pool.h"

struct weir_chain;
struct weir_model;
struct weir_port_count;
struct weir_routes;
struct weir_switch;

struct weir_switch_sent {        /* a transmission starts */
    struct weir_switch_pkt *pkt; /* belongs to the sink from now on */
    uint64_t start_ps, end_ps;   /* first and last bit leave the port; the link's delay is not added */
    uint64_t late_ps;            /* by how much later than that delay the packet arrives [variation] */
    uint32_t port;
    bool is_control; /* a control frame: weir_switch_control() at the other end takes it */
};

struct weir_switch_drop { /* a packet is gone */
    const struct weir_switch_pkt *pkt;
    uint64_t now_ps;
    uint32_t port;
    uint32_t cause;      /* number of the cause, as in core/cause.h; never WEIR_CAUSE_NONE */
    enum weir_fate fate; /* DROPPED or LOST; a lost packet is transmitted first, and does not arrive */
    bool had_joined;     /* it waited at the port; always so if it is lost */
};

enum weir_switch_hook { /* hooks that may write a packet */
                        WEIR_SWITCH_FORWARD,
                        WEIR_SWITCH_DEQUEUE,
                        WEIR_SWITCH_ESCAPE,
                        WEIR_SWITCH_START,
};

/* Receives what comes of the calls of a switch. No function of it may call the switch. */
struct weir_switch_sink {
    void (*send)(void *ctx, const struct weir_switch_sent *sent);
    /* Is notified before the packet goes back to its pool. */
    void (*drop)(void *ctx, const struct weir_switch_drop *drop);
    /* Is notified of a fate of WEIR_FATE_MARKED .. WEIR_FATE_PAUSED, at the port that counts it. NULL = not needed */
    void (*decided)(void *ctx, uint32_t port, enum weir_fate fate, uint32_t cause);
    /* Is notified after a packet has joined a port. NULL = not needed */
    void (*joined)(void *ctx, uint32_t port);
    /* Is notified after all hooks of an event were called, if there are some. NULL = not needed */
    void (*written)(void *ctx, enum weir_switch_hook hook, const struct weir_pkt *before, const struct weir_pkt *after);
    void *ctx;
};

struct weir_switch_config {
    const struct weir_model *model; /* topology, features, classes, memories, rates of cables by time, seed; read only,
                                       and outlives the switch */
    uint32_t node;                  /* a switch, or a host for its NIC */
    struct weir_switch_pool *pool;  /* shared by the nodes of a network */
    const struct weir_switch_sink *sink; /* outlives the switch */
    const struct weir_mem *mem;          /* used at init alone */
    /* A NIC that pulls is given packets while it is busy, too, and they wait in it: the host's whole queue, in classes.
     * No hook of a queue is called for it, since the queue is the host's. */
    bool nic_waits;
};

/* Makes a switch that is empty at time 0, its cables up. @return NULL = no memory */
struct weir_switch *weir_switch_init(const struct weir_switch_config *cfg);

/* Tests whether the packets of a run need struct weir_switch_more: some feature is coupled. */
bool weir_switch_needs_more(const struct weir_model *model);

/* Sets the routes that hold from now on; a switch needs them before its first packet. */
void weir_switch_set_routes(struct weir_switch *sw, const struct weir_routes *routes);

/* ---- events, with now_ps not below that of any call before ---- */

/* Handles what comes before arrivals of an instant: all earlier ones, and the ends of transmissions. */
void weir_switch_open(struct weir_switch *sw, uint64_t now_ps);

/* Takes a packet whose last bit has arrived by an in-link. @return false = the packet has no route, and remains the
 * caller's, who counts it at the link by which it came [arrival.route] */
bool weir_switch_rx(struct weir_switch *sw, uint64_t now_ps, uint32_t in_port, struct weir_switch_pkt *p);

/* Takes a packet that was made at this node, for one of its ports: a host sends. A NIC that pulls must be free, without
 * nic_waits. */
void weir_switch_offer(struct weir_switch *sw, uint64_t now_ps, uint32_t port, struct weir_switch_pkt *p);

/* Takes a control frame that has arrived by an in-link: a packet that the sink of the other end was sent. */
void weir_switch_control(struct weir_switch *sw, uint64_t now_ps, uint32_t in_port, struct weir_switch_pkt *p);

/* Takes a port's cable down or up [cables]. flush: of a cable that goes down, drop what waits. All cable events of an
 * instant come before its other events. Frames on the wire are the caller's: see weir_switch_charge(). */
void weir_switch_cable(struct weir_switch *sw, uint64_t now_ps, uint32_t port, bool up, bool flush);

/* Handles all that happens up to now_ps, decisions included. The next call must be at a later time. */
void weir_switch_run(struct weir_switch *sw, uint64_t now_ps);

/* Returns when the switch must be run, without the timers of features: the end of a transmission, or a decision.
 * WEIR_NEVER = nothing is pending. */
uint64_t weir_switch_work_ps(const struct weir_switch *sw);

/* Returns when a timer of a feature is due; WEIR_NEVER = there are none. */
uint64_t weir_switch_timer_ps(const struct weir_switch *sw);

/* Returns when weir_switch_run() must be called next: the lesser of the two. */
uint64_t weir_switch_next_ps(const struct weir_switch *sw);

/* ---- counts and state ---- */

/* Counts a packet that left by this port as dropped or lost beyond it: cut off, or without a route at the other end. */
void weir_switch_charge(struct weir_switch *sw, uint32_t port, enum weir_fate fate);

/* Returns the counts of a port, its area up to now_ps; valid until the next call. */
const struct weir_port_count *weir_switch_count(struct weir_switch *sw, uint32_t port, uint64_t now_ps);

/* Returns the queue of a port in bytes [arrival.backlog]. now_ps: up to the next instant of the switch */
uint64_t weir_switch_queue_bytes(const struct weir_switch *sw, uint32_t port, uint64_t now_ps);

/* Returns the sum of the queues of all ports. */
uint64_t weir_switch_queues_bytes(const struct weir_switch *sw, uint64_t now_ps);

/* Returns the memory that the packets of a port hold, from joining to the end of transmission; and of all ports. */
uint64_t weir_switch_held_bytes(const struct weir_switch *sw, uint32_t port);
uint64_t weir_switch_used_bytes(const struct weir_switch *sw);

/* Returns the classes whose packets may not start at a port, bit c for class c. */
uint32_t weir_switch_closed(const struct weir_switch *sw, uint32_t port);

/* Tests whether a port may be given a packet to start: its cable is up, nothing is in transmission, and nothing waits
 * in a NIC that pulls. */
bool weir_switch_is_free(const struct weir_switch *sw, uint32_t port);

/* Returns the features of a port. */
const struct weir_chain *weir_switch_chain(const struct weir_switch *sw, uint32_t port);

struct weir_switch_held { /* bytes that a port holds of one packet, which waits or is in transmission */
    uint32_t port, in_port, in_class;
    uint32_t bytes;
    uint64_t joined_ps, work_ps; /* of one that waits; else 0 */
};

/* Calls a function for each packet that the switch holds. */
void weir_switch_each(const struct weir_switch *sw, void (*call)(void *ctx, const struct weir_switch_held *held),
                      void *ctx);

/* Returns how many packets wait at a port. */
uint64_t weir_switch_waiting_pkts(const struct weir_switch *sw, uint32_t port);

/* Checks the invariants of the switch and of its features. @return a sentence about one that does not hold; NULL = all
 * hold */
const char *weir_switch_broken(const struct weir_switch *sw);

/* Tests whether the pool had no packet left for a control frame or a NOTICE, which is then missing. */
bool weir_switch_failed(const struct weir_switch *sw);
#endif
