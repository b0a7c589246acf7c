/* src/transport/endpoint/ack.c - see ack.h. Ranges are read from the host when the ACK becomes bytes: then they are the
 * latest, and nothing has to keep them. */
#include "endpoint/ack.h"
#include <string.h>

_Static_assert(sizeof(struct weir_telemetry) == WEIR_WIRE_SLOT_BYTES, "a host carries records as they are on the wire");
_Static_assert(WEIR_NET_BATCH == 64, "a bit for each");
_Static_assert(WEIR_WIRE_ACK_BYTES + WEIR_WIRE_AREA_BYTES(EP_SLOTS) + EP_SLOTS * WEIR_WIRE_SLOT_BYTES +
                       WEIR_WIRE_RANGES_MAX * WEIR_WIRE_RANGE_BYTES <=
                   EP_TX_HEAD_BYTES,
               "the longest ACK");

void ep_ack_keep_echo(struct weir_ep *ep, struct weir_pkt *ack)
{
    uint64_t used = 0;
    WEIR_ASSERT(ack->kind == WEIR_PKT_ACK && ack->hops <= EP_SLOTS && ep->txq_count < WEIR_NET_BATCH);
    for (uint32_t i = 0; i < ep->txq_count; i++)
        if (ep->txq[i].kind == WEIR_PKT_ACK && ep->txq[i].hops > 0)
            used |= UINT64_C(1) << ep->txq[i].arrival_ps;
    ack->arrival_ps = (uint32_t)__builtin_ctzll(~used);
    memcpy(ep->echo[ack->arrival_ps], weir_host_tx_hops(ep->host), ack->hops * (size_t)WEIR_WIRE_SLOT_BYTES);
}

static void put_ranges(struct weir_ep *ep, const struct weir_pkt *ack, struct weir_wire_head *head)
{
    struct weir_ack_range range[WEIR_WIRE_RANGES_MAX];
    uint32_t count = weir_host_ranges(ep->host, ack, range, WEIR_WIRE_RANGES_MAX);
    for (uint32_t i = 0; i < count; i++)
        weir_wire_put_range(range[i].first, range[i].pkts, ep->ranges + i * (size_t)WEIR_WIRE_RANGE_BYTES);
    head->ranges = ep->ranges;
    head->range_count = (uint8_t)count;
}

void ep_ack_complete(struct weir_ep *ep, const struct weir_pkt *ack, struct weir_wire_head *head)
{
    put_ranges(ep, ack, head);
    if (ack->hops == 0)
        return;
    WEIR_ASSERT(ack->arrival_ps < WEIR_NET_BATCH && ack->hops <= EP_SLOTS);
    head->echo = ep->echo[ack->arrival_ps];
    head->echo_count = ack->hops;
}

void ep_ack_to_host(struct weir_ep *ep, struct weir_peer *peer, const struct weir_wire_head *head)
{
    struct weir_ack_range range[WEIR_WIRE_RANGES_MAX];
    WEIR_ASSERT(peer->state == EP_PEER_UP && head->range_count <= WEIR_WIRE_RANGES_MAX);
    peer->used = true;
    for (uint32_t i = 0; i < head->range_count; i++)
        weir_wire_get_range(head->ranges + i * (size_t)WEIR_WIRE_RANGE_BYTES, &range[i].first, &range[i].pkts);
    weir_host_rx_ack(ep->host, ep->now_ps, &head->pkt, ep->hop, range, head->range_count);
}
