/* src/algorithms/host/stream/mark.c - CE marks set by the sending host (host.mark). A NIC that pulls has no queue, so
 * its backlog is in the host: the next packet of each connection that may send now. If the law is per destination
 * (weir_cc_ops.per_peer), at most one connection per destination may send. The next packet
 * of a connection is never due before the latest one has left. */
#include "host/stream/loss.h"
#include "host/stream/mark.h"

/* Returns the wire bytes of the connection's next packet; a retransmission counts as a full packet. */
static uint32_t next_wire_bytes(const struct weir_host *h, const struct host_flow *f)
{
    if (host_flow_sends_again(h, f) || f->next == f->end)
        return host_full_wire_bytes(h);
    return weir_framing_wire(&h->cfg->framing, host_pkt_bytes(h, f, f->next));
}

uint64_t host_stream_waiting_bytes(const struct weir_host *h, bool but_first)
{
    const struct host_stream *s = host_stream_of(h);
    uint64_t waiting_bytes = 0;
    for (uint32_t i = but_first; i < s->ready.count; i++) {
        const struct host_flow *f = host_flow_at(h, *(const uint32_t *)host_ring_at(&s->ready, i, sizeof(uint32_t)));
        if (f->flags & HOST_READY)
            waiting_bytes += next_wire_bytes(h, f);
    }
    return waiting_bytes;
}

/* Tests whether more than threshold_bytes wait behind the packet being sent, which belongs to the connection at the
 * front of the ready ring. Does not read the ring if even full packets on all other connections would not exceed the
 * threshold. */
static bool waits_above(const struct weir_host *h, uint64_t threshold_bytes)
{
    if ((uint64_t)(h->ready_count - 1) * host_full_wire_bytes(h) <= threshold_bytes)
        return false;
    return host_stream_waiting_bytes(h, true) > threshold_bytes;
}

/* Marks a DATA packet that is leaving with CE, if it has ECT and more than host.mark waits behind it. */
void host_source_mark(struct weir_host *h, struct weir_pkt *pkt)
{
    if (!(pkt->flags & WEIR_PKT_ECT) || !waits_above(h, h->cfg->params.mark_bytes))
        return;
    pkt->flags |= WEIR_PKT_CE;
    h->stats.source_marked_pkts++;
}
