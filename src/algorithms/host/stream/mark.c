/* src/algorithms/host/stream/mark.c - marks of the source. A NIC that pulls has no queue, so what waits for it waits in
 * the host: the next packet of each connection that may send now. Of a destination whose law paces it
 * (weir_cc_ops.per_peer) one connection may at most. A pacer counts from the packet that left last, so no second
 * packet is due before the first is gone. */
#include "host/stream/loss.h"
#include "host/stream/mark.h"

/* Returns what the next packet of a connection takes on the wire; one that is sent again counts as a full one. */
static uint32_t next_wire_bytes(const struct weir_host *h, const struct host_flow *f)
{
    if (host_flow_sends_again(h, f) || f->next == f->end)
        return host_full_wire_bytes(h);
    return weir_framing_wire(&h->cfg->framing, host_pkt_bytes(h, f, f->next));
}

/* Tests whether more waits than the threshold, behind the packet that the connection at the front of the ready ring
 * is sending. Full packets are the largest: where all others together are too few the ring is not read. */
static bool waits_above(const struct weir_host *h, uint64_t threshold_bytes)
{
    const struct host_stream *s = host_stream_of(h);
    uint64_t waiting_bytes = 0;
    if ((uint64_t)(h->ready_count - 1) * host_full_wire_bytes(h) <= threshold_bytes)
        return false;
    for (uint32_t i = 1; i < s->ready.count; i++) {
        const struct host_flow *f = host_flow_at(h, *(const uint32_t *)host_ring_at(&s->ready, i, sizeof(uint32_t)));
        if (f->flags & HOST_READY)
            waiting_bytes += next_wire_bytes(h, f);
    }
    return waiting_bytes > threshold_bytes;
}

/* Marks a packet that is leaving, if it may be marked and enough waits. */
void host_source_mark(struct weir_host *h, struct weir_pkt *pkt)
{
    if (!(pkt->flags & WEIR_PKT_ECT) || !waits_above(h, h->cfg->params.mark_bytes))
        return;
    pkt->flags |= WEIR_PKT_CE;
    h->stats.source_marked_pkts++;
}
