/* src/base/core/hook_coupled.h - events for hooks of coupled features (WEIR_WHEN_COUPLED). Each event is handled at its
 * own instant, and a hook may read the state of other ports of the node. doc/model.md [control], [pfc]. */
#ifndef WEIR_CORE_HOOK_COUPLED_H
#define WEIR_CORE_HOOK_COUPLED_H
#include "core/hook.h"

#define WEIR_CONTROL_BYTES 84u /* a control frame on the wire, gap included: the shortest Ethernet frame */

struct weir_mark { /* a packet with ECT is about to be marked: a hook of this port answered MARK */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
};

/* Codes of features that close classes. */
enum { WEIR_CONTROL_RESUME, WEIR_CONTROL_PAUSE };

/* A control frame, such as a PFC pause. A feature sends it to the same feature at the other end of a cable. A port
 * sends waiting control frames before waiting packets; doc/model.md [control]. */
struct weir_control {
    uint32_t port; /* port of this node that sends the frame */
    uint8_t class_id, code;
};

/* Returns the transmission time of a control frame in ps, rounded down. The frame does not change weir_tx_clock.carry
 * of the link. */
static inline uint64_t weir_control_frame_ps(uint64_t rate_bps)
{
    return UINT64_C(8) * WEIR_CONTROL_BYTES * WEIR_PS_PER_S / rate_bps; /* 6.8e14 fits */
}

struct weir_joined { /* a packet was admitted and has joined the queue of the port */
    const struct weir_pkt *pkt;
    uint64_t now_ps;
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

struct weir_departure { /* the memory of a packet is free: its transmission has ended, or an on_dequeue hook has
                           dropped it */
    uint64_t now_ps;
    uint32_t bytes;             /* of the packet, on the wire */
    uint32_t in_port, in_class; /* in_class: as in struct weir_admit */
};

/* The bytes of packets that a switch holds, waiting or in transmission, by in-link and class. `ports` is the number of
 * in-links. Packets that the switch made itself belong to no in-link. */
struct weir_held {
    const uint64_t *bytes; /* [in_port * classes + in_class] */
    uint64_t sum_bytes;    /* of all packets, including those that the switch made itself */
    uint32_t ports, classes;
};

/* The event of on_timer, called at every multiple of weir_feature_plan.period_ps. The hook's result may depend only on
 * the feature's state and on these fields, and the hook must not change a counter. For an empty port, the last calls of
 * a run may be left out. A row with on_timer must not have on_cut. */
struct weir_timer {
    uint64_t queue_bytes;   /* of the port, as weir_join.queue_bytes */
    uint64_t waiting_bytes; /* of waiting packets, without the frame in transmission; set only for rows with on_start */
};

/* Returns the class_ids that a host may not send while its port's classes in `closed` are paused, one bit per class. A
 * port puts every class_id above its last class into the last class; so if the last class is closed, all higher bits
 * are set. classes: of the port, 1 .. 8 */
static inline uint32_t weir_closed_at_host(uint32_t closed, uint32_t classes)
{
    uint32_t last = (classes - 1) & 31;
    return (closed >> last & 1) != 0 ? closed | ~UINT32_C(0) << last : closed;
}

/* Returns the distance in bytes between the states of two neighbouring ports: port_bytes rounded up to a multiple of
 * 16. */
static inline size_t weir_port_stride(size_t port_bytes)
{
    return (port_bytes + 15) & ~(size_t)15;
}

/* Returns a coupled feature's state of port `index` of the same node. port_bytes: weir_feature.port_bytes of its row */
static inline void *weir_port_state(const struct weir_here *here, uint32_t index, size_t port_bytes)
{
    return (char *)here->ports + index * weir_port_stride(port_bytes);
}
#endif
