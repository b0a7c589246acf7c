/* src/base/core/hook_coupled.h - the events of ports that are coupled (WEIR_WHEN_COUPLED): everything happens at its
 * own instant, and a hook may read the state of other ports. doc/model.md [control], [pfc]. */
#ifndef WEIR_CORE_HOOK_COUPLED_H
#define WEIR_CORE_HOOK_COUPLED_H
#include "core/hook.h"

#define WEIR_CONTROL_BYTES 84u /* of a control frame on the wire, gap included: the shortest Ethernet frame */

struct weir_mark { /* a hook of this port has answered MARK, and the packet has ECT: it is about to be marked */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
};

/* A frame for the same feature at the other end of a cable. It is sent before all packets; doc/model.md [control]. */
struct weir_control {
    uint32_t port; /* which port of this node sends it */
    uint8_t class_id, code;
};

/* Returns the time of a control frame on the wire, rounded down; the link's carry has no part in it. */
static inline uint64_t weir_control_frame_ps(uint64_t rate_bps)
{
    return UINT64_C(8) * WEIR_CONTROL_BYTES * WEIR_PS_PER_S / rate_bps; /* 6.8e14 fits */
}

struct weir_joined { /* a packet was admitted and has joined the port */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

struct weir_departure { /* its transmission has ended, or an on_dequeue has dropped it: its memory is free */
    uint64_t now_ps;
    uint32_t bytes;             /* on the wire */
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

/* The bytes that a switch holds, waiting or in transmission, by in-link and class. ports: in-links; packets that the
 * switch made itself are of none of them */
struct weir_held {
    const uint64_t *bytes; /* [in_port * classes + in_class] */
    uint64_t sum_bytes;    /* of all packets, with those that the switch made itself */
    uint32_t ports, classes;
};

/* A multiple of weir_feature_plan.period_ps. What the hook does may depend on its state and on these alone, and it
 * touches no counter. Of a port where nothing is, steps may be left out at the end of a run. A row with on_timer
 * has no on_cut. */
struct weir_timer {
    uint64_t queue_bytes;   /* as on_join */
    uint64_t waiting_bytes; /* of packets that wait, whole; for rows with on_start */
};

/* Returns the class_ids that a host may not send when these classes of its port are closed: a port puts all higher ones
 * into its last class. classes: 1 .. 8 */
static inline uint32_t weir_closed_at_host(uint32_t closed, uint32_t classes)
{
    uint32_t last = (classes - 1) & 31;
    return (closed >> last & 1) != 0 ? closed | ~UINT32_C(0) << last : closed;
}

/* Returns the distance in bytes from the state of one port to that of the next. */
static inline size_t weir_port_stride(size_t port_bytes)
{
    return (port_bytes + 15) & ~(size_t)15;
}

/* Returns a coupled feature's state of another port of the same node. port_bytes: as in its row */
static inline void *weir_port_state(const struct weir_here *here, uint32_t index, size_t port_bytes)
{
    return (char *)here->ports + index * weir_port_stride(port_bytes);
}
#endif
