/* src/algorithms/host/stream/prefetch.c - prefetches records that the next packets and messages need. In a large
 * network the hosts have more records than fit into the cache, and messages between random pairs rarely find theirs
 * there. */
#include "host/stream/connection.h"
#include "host/stream/inbound.h"
#include "host/stream/peers.h"
#include "host/stream/prefetch.h"
#include "host/stream/timers.h"

/* Returns index + 1 of the record in the first slot of a tag, without comparing keys: nearly always the right record;
 * 0 = none. */
static uint32_t first_slot(const struct host_map *map, uint32_t tag)
{
    return map->slot != NULL ? map->slot[tag >> map->shift].value : 0;
}

void host_stream_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    const struct host_stream *s = host_stream_of(h);
    if (pkt->kind != WEIR_PKT_DATA) {
        if (pkt->conn < s->flows.count)
            host_flow_prefetch(h, pkt->conn);
        return;
    }
    uint32_t index = first_slot(&s->rx_map, host_rx_tag(host_rx_key(pkt)));
    if (index != 0)
        weir_fetch(host_rx_at(h, index - 1));
}

void host_stream_send_prefetch(const struct weir_host *h, uint32_t dst)
{
    uint32_t index = host_number(&host_stream_of(h)->peer_of, dst);
    if (index != 0)
        weir_fetch(host_peer_at(h, index - 1));
}

void host_stream_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_REPLY)
        host_stream_send_prefetch(h, pkt->src);
}

void host_stream_connection_prefetch(const struct weir_host *h, uint32_t dst)
{
    const struct host_stream *s = host_stream_of(h);
    uint32_t index = host_number(&s->peer_of, dst);
    if (index == 0)
        return;
    const struct host_peer *peer = host_peer_at(h, index - 1);
    if (peer->idle < s->flows.count)
        host_flow_prefetch(h, peer->idle);
}

void host_stream_timers_prefetch(const struct weir_host *h, uint64_t end_ps)
{
    const struct weir_timers *t = &h->timers;
    for (uint32_t i = t->first; i != t->end && t->heap.entry[i].at_ps < end_ps; i++) {
        if (HOST_TIMER_KIND(t->heap.entry[i].id) == HOST_TIMER_RTO)
            weir_fetch(host_flow_at(h, HOST_TIMER_INDEX(t->heap.entry[i].id)));
    }
}
