/* src/base/core/hook.h - the hooks of a switch feature: the events that they receive, and the bits of their answers. A
 * feature decides and writes; the world (engine or oracle) owns queues, order, time and counting. The rules that every
 * world obeys are in doc/model.md [features]. Hooks that depend on several ports have theirs in core/hook_coupled.h. */
#ifndef WEIR_CORE_HOOK_H
#define WEIR_CORE_HOOK_H
#include "core/pkt.h"
#include "core/rule.h"

struct weir_telemetry;

/* In-port of a packet that was made at this node, and of every packet where no feature of the run is coupled. */
#define WEIR_PORT_NONE UINT32_MAX

/* The context in which a hook is called: the feature's model, and its state of the switch and of the egress port. A
 * host's NIC counts as a switch with one port. */
struct weir_here {
    const void *model;
    void *node, *port; /* zeroed before port_init */
    void *ports;       /* of the node: weir_port_state() */
    /* Coupled: by port of the switch, of packets that wait there, whatever their class; for on_joined, on_sent,
     * on_dropped and on_start. NULL at a host */
    const uint64_t *waiting_bytes;
};

/* Bits of what a hook returns; 0 = go on. MARK, DROP, LOSE, TAKE, DEFLECT and PAUSE name the rule by which they do,
 * with WEIR_RULE(): its index in the row's rules. */
/* clang-format off */
enum weir_hook_answer {
    WEIR_MARK = 1u << 0,    /* set CE, and count a mark at this port. Only for packets with ECT */
    WEIR_DROP = 1u << 1,    /* the packet is dropped; the hooks of later features are not called */
    WEIR_LOSE = 1u << 2,    /* on_start: it takes its time on the wire and does not arrive */
    WEIR_RECORD = 1u << 3,  /* on_start: a record was written to event->record */
    WEIR_CONTROL = 1u << 4, /* on_joined, on_sent, on_dropped: *control is to be sent */
    WEIR_NOTIFY = 1u << 5,  /* on_timer: each flow with DATA in a class of this port is sent a NOTICE */
    WEIR_ECHO = 1u << 6,    /* on_arrive: set ECE in this ACK */
    WEIR_TAKE = 1u << 7,    /* on_mark: the packet goes without CE, and no mark is counted */
    WEIR_DEFLECT = 1u << 8, /* on_forward: the packet leaves by forward->out_port, which is another one now */
    WEIR_PAUSE = 1u << 9,   /* with CONTROL: the frame pauses a class */
};
/* clang-format on */

/* A packet needs memory of the switch. If the switch has not enough, it is refused in any case, after the hooks
 * were called. A hook that admits must also admit with less used and less held: the engine calls with upper bounds
 * first. So only hooks of coupled ports may count what they refuse. Used and held are without this packet; frames
 * in transmission count whole. */
struct weir_admit {
    uint64_t memory_bytes; /* of the switch; UINT64_MAX = unlimited */
    uint64_t used_bytes;   /* of that, by the whole switch */
    uint64_t held_bytes;   /* of that, by this port */
    uint32_t bytes;        /* of this packet, on the wire */
    uint32_t in_port;
    uint32_t in_class; /* the class in which it came by its link: with virtual lanes it may leave in a lower one */
    bool lossless; /* of a class of weir_feature_plan.lossless, and it came by a link: limits of ports are not for it */
};

/* A packet of DATA that came by a link, and the port by which its route leads on. */
struct weir_forward {
    struct weir_pkt *pkt; /* a feature may write what it declares to write */
    uint64_t now_ps;
    uint64_t queue_bytes; /* of out_port, as on_join */
    uint32_t in_port;
    uint32_t out_port; /* that of its route; a hook that answers DEFLECT writes another one */
    /* Links that the packet takes from here on if it leaves by this port and is not deflected again. ctx: that of the
     * event */
    uint32_t (*links)(const struct weir_forward *forward, uint32_t port);
    const void *ctx;
};

/* A packet joins an egress port. Its queue: what is not yet on the wire, with the unsent part of a frame in
 * transmission and without this packet. */
struct weir_join {
    const struct weir_pkt *pkt;
    uint64_t now_ps, queue_bytes;
    uint64_t offered; /* packets that wanted to join here before, admitted or not: the counter of random draws */
    uint32_t in_port, class_id;
};

struct weir_dequeue { /* the port is free, and this packet is to leave next */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t queue_bytes; /* wire bytes that wait in its class, without this packet */
    uint32_t in_port, class_id;
};

/* The work that on_dequeue has with packets of one class from now on, if they leave in the order in which they came. */
struct weir_dequeue_idle {
    uint64_t wait_ps;  /* a packet that waited less is neither marked nor dropped; always the same */
    uint64_t until_ps; /* such packets change nothing if they start up to then; 0 = they may */
    uint64_t event_ps; /* no packet that starts before is marked or dropped */
};

struct weir_start { /* the transmission of a packet starts */
    /* A feature may write what it declares to write. sent48_ps is not to be read: a packet with records has their
     * address there. */
    struct weir_pkt *pkt;
    uint64_t now_ps, joined_ps;
    uint64_t tx_ps; /* the transmission takes so long */
    uint64_t begun; /* transmissions that started here before: the counter of random draws */
    uint32_t in_port;
    struct weir_telemetry
        *record; /* for one more record behind those the packet carries; NULL = it may carry no more */
};
#endif
