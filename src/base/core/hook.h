/* src/base/core/hook.h - hooks of a switch feature: the events that they receive, and the bits of their answers.
 * A feature decides, and writes its state and packets. The world (engine or oracle) owns queues, order, time and
 * counting. The rules for every world are in doc/model.md [features]. Events for hooks that depend on several ports are
 * in core/hook_coupled.h. */
#ifndef WEIR_CORE_HOOK_H
#define WEIR_CORE_HOOK_H
#include "core/pkt.h"
#include "core/rule.h"

struct weir_telemetry;

/* A port number that means none. As an in-port: the node made the packet itself, or no feature of the run is coupled
 * (then in-ports are not known). */
#define WEIR_PORT_NONE UINT32_MAX

/* The context of a hook: the feature's model, and its state for the switch and for the egress port. A host's NIC counts
 * as a switch with one port. */
struct weir_here {
    const void *model;
    void *node, *port; /* states of the switch and of the port; zeroed before port_init */
    void *ports;       /* states of all ports of the node, for weir_port_state() */
    /* Coupled rows: bytes of the packets that wait at each port of the switch, of all classes. Set for on_joined,
     * on_sent, on_dropped and on_start. NULL at a host */
    const uint64_t *waiting_bytes;
};

/* Bits of a hook's answer; 0 = go on. An answer with MARK, DROP, LOSE, TAKE, DEFLECT or PAUSE also names its rule by
 * WEIR_RULE(index). */
/* clang-format off */
enum weir_hook_answer {
    WEIR_MARK = 1u << 0,    /* set CE and count a mark at this port, if the packet has ECT */
    WEIR_DROP = 1u << 1,    /* drop the packet; hooks of later features are not called */
    WEIR_LOSE = 1u << 2,    /* on_start: the packet is transmitted but does not arrive */
    WEIR_RECORD = 1u << 3,  /* on_start: the hook has written start->record */
    WEIR_CONTROL = 1u << 4, /* on_joined, on_sent, on_dropped: send *control */
    WEIR_NOTIFY = 1u << 5,  /* on_timer: send a NOTICE to each flow with DATA in a class of this port */
    WEIR_ECHO = 1u << 6,    /* on_arrive: set ECE in this ACK */
    WEIR_TAKE = 1u << 7,    /* on_mark: do not set CE, and count no mark */
    WEIR_DEFLECT = 1u << 8, /* on_forward: send the packet by forward->out_port, which the hook has changed */
    WEIR_PAUSE = 1u << 9,   /* with CONTROL: the control frame pauses a class */
};
/* clang-format on */

/* Event of admit: a packet needs memory of the switch. If the switch lacks memory for the packet, it is refused after
 * the calls of the hooks, whatever they answer. A hook that admits a packet must also admit it with smaller used_bytes
 * and held_bytes, because the engine first calls with upper bounds. So only hooks of coupled ports may count refusals.
 * used_bytes and held_bytes exclude this packet, and include frames in transmission in full. */
struct weir_admit {
    uint64_t memory_bytes; /* memory of the switch; UINT64_MAX = unlimited */
    uint64_t used_bytes;   /* memory in use by the whole switch */
    uint64_t held_bytes;   /* memory in use by this port */
    uint32_t bytes;        /* of this packet, on the wire */
    uint32_t in_port;
    uint32_t in_class; /* class of the packet on its in-link; with virtual lanes it may leave in a lower one */
    /* The packet arrived by a link, in a class of weir_feature_plan.lossless: limits of ports do not apply to it */
    bool lossless;
};

/* Event of on_forward: a DATA packet arrived by a link, and its route leads to out_port. */
struct weir_forward {
    struct weir_pkt *pkt; /* a feature may write the parts of its extension */
    uint64_t now_ps;
    uint64_t queue_bytes; /* of out_port, as weir_join.queue_bytes */
    uint32_t in_port;
    uint32_t out_port; /* port of the route; a hook that answers DEFLECT writes another one */
    /* Returns the number of links that the packet takes from here on, if it leaves by this port and is not deflected
     * again. forward: this event, whose ctx the function uses */
    uint32_t (*links)(const struct weir_forward *forward, uint32_t port);
    const void *ctx;
};

/* Event of on_join: a packet joins an egress port. queue_bytes: bytes that are not on the wire yet, with the unsent
 * part of a frame in transmission and without this packet. */
struct weir_join {
    const struct weir_pkt *pkt;
    uint64_t now_ps, queue_bytes;
    uint64_t offered; /* packets that wanted to join this port before, admitted or not; counts random draws */
    uint32_t in_port, class_id;
};

struct weir_dequeue { /* event of on_dequeue: the port is free, and this packet leaves next */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t queue_bytes; /* wire bytes that wait in the packet's class, without this packet */
    uint32_t in_port, class_id;
};

/* The result of dequeue_idle(): calls of on_dequeue that have no effect. It is about the packets of one class that
 * start from now on, provided that they leave in their order of arrival. */
struct weir_dequeue_idle {
    uint64_t wait_ps;  /* a packet that waited less than this is neither marked nor dropped; does not change during a
                          run */
    uint64_t until_ps; /* a packet that waited less than wait_ps and starts by this time changes no state; 0 = it may */
    uint64_t event_ps; /* a packet that starts before this time is neither marked nor dropped */
};

struct weir_start { /* event of on_start: the transmission of a packet starts */
    /* A feature may write the parts of its extension. It must not read sent48_ps: in a packet with records this field
     * holds their address. */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t tx_ps; /* duration of the transmission */
    uint64_t begun; /* transmissions that started at this port before; counts random draws */
    uint32_t in_port;
    uint64_t late_ps; /* set by the hook: by how much later than the link's delay the frame arrives; 0 before */
    /* Room for one more INT record behind those of the packet; NULL = the packet has its maximum. */
    struct weir_telemetry *record;
};
#endif
