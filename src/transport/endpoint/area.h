/* src/transport/endpoint/area.h - the switch area of packets that leave, and the unit of its delay (doc/wire.md). */
#ifndef WEIR_ENDPOINT_AREA_H
#define WEIR_ENDPOINT_AREA_H
#include "endpoint/endpoint.h"

/* Returns the unit of a queueing delay in the area of packets. */
static inline uint64_t ep_area_unit_ps(uint32_t area_kind)
{
    return area_kind == WEIR_WIRE_AREA_US ? WEIR_PS_PER_US : 64 * WEIR_PS_PER_NS;
}

/* Reserves the switch area that a packet to leave has, and writes its tokens into it. */
static inline void ep_area_reserve(const struct weir_ep *ep, struct weir_wire_head *head)
{
    bool data = head->pkt.kind == WEIR_PKT_DATA;
    if (data) {
        head->area_kind = ep->area_kind;
        head->signal = WEIR_WIRE_SIGNAL(0, 0, head->pkt.tokens, 0);
    }
    if (ep->slots == 0 || (data ? ep->slots_in_acks : head->pkt.kind != WEIR_PKT_ACK || !ep->slots_in_acks))
        return;
    head->area_kind = WEIR_WIRE_AREA_64NS;
    head->slot_count = ep->slots;
}
#endif
