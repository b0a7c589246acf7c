/* src/algorithms/host/stream/telemetry.c - telemetry records: from a DATA packet into its ACK, and from the ACK to the
 * law. Answers wait in the ring acks; if they carry records, the ring hops has one entry per answer. */
#include "core/math.h"
#include "host/common/table.h"
#include "host/stream/inbound.h"
#include "host/stream/telemetry.h"

/* Adds an entry for the answer that is being queued. @return false = no memory, or HOST_ACKS_MAX reached */
bool host_hops_push(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    if (!host_ring_room(h, &s->hops, sizeof(struct host_hops), s->hops.count + 1, HOST_ACKS_MAX))
        return false;
    s->hops.count++;
    return true;
}

static void copy(struct weir_telemetry *to, const struct weir_telemetry *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* Copies telemetry records to `ack`, the answer queued last. They are those of the packet being received or, with
 * delayed ACKs, of the latest DATA of receiving connection `index`. */
void host_hops_put(struct weir_host *h, uint32_t index, struct weir_pkt *ack)
{
    struct host_stream *s = host_stream_of(h);
    struct host_hops *to = host_ring_at(&s->hops, s->hops.count - 1, sizeof(*to));
    if (s->each_acked) {
        ack->hops = h->rx_hops;
        copy(to->hop, h->rx_hop, h->rx_hops);
        return;
    }
    const struct host_rx_state *state = host_rx_state_at(h, index);
    ack->hops = (uint8_t)state->hops;
    copy(to->hop, state->hop, state->hops);
}

/* Keeps the records of the packet being received, for the next delayed ACK of connection `index`. */
void host_hops_keep(struct weir_host *h, uint32_t index)
{
    struct host_rx_state *state = host_rx_state_at(h, index);
    state->hops = h->rx_hops;
    copy(state->hop, h->rx_hop, h->rx_hops);
}

/* Completes an answer that leaves: sets h->tx_hop to its telemetry records, and writes how long it was held. */
void host_answer_leaves(struct weir_host *h, uint64_t now_ps, struct weir_pkt *answer)
{
    struct host_stream *s = host_stream_of(h);
    if (h->extended & HOST_EXTENDED_HOPS) {
        WEIR_CHECK(s->hops.count == h->acks.count + 1);
        h->tx_hop = ((const struct host_hops *)host_ring_at(&s->hops, 0, sizeof(struct host_hops)))->hop;
        host_ring_drop(&s->hops);
    }
    if (h->extended & HOST_EXTENDED_HELD && answer->arrival_ps != 0) {
        if (answer->kind == WEIR_PKT_ACK) /* a REPLY has its payload_bytes in these bits */
            answer->share_count = WEIR_PKT_BYTES(
                weir_clamp_u32((now_ps - answer->arrival_ps) / WEIR_PKT_HELD_UNIT_PS, 0, WEIR_PKT_BYTES_MAX));
        answer->arrival_ps = 0;
    }
}
