/* src/algorithms/host/stream/single.c - laws without acknowledgements: a message is one packet, without a
 * connection. */
#include "host/common/table.h"
#include "host/stream/single.h"
#include "host/stream/state.h"

struct single { /* a message that waits to leave */
    uint32_t msg, dst;
    uint16_t bytes;
};

int host_single_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    (void)now_ps;
    if (bytes > h->mss_bytes)
        return WEIR_E_RANGE;
    struct host_ring *singles = &host_stream_of(h)->singles;
    if (!host_ring_room(h, singles, sizeof(struct single), singles->count + 1, UINT32_MAX / 2))
        return WEIR_E_MEMORY;
    struct single *s = host_ring_at(singles, singles->count++, sizeof(*s));
    *s = (struct single){ .msg = msg, .dst = dst, .bytes = (uint16_t)bytes };
    h->ready_count++;
    return 0;
}

uint32_t host_single_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    WEIR_CHECK(h->ready_count > 0);
    const struct single *s = host_ring_at(&host_stream_of(h)->singles, 0, sizeof(*s));
    uint64_t key = weir_rng_key(h->cfg->seed, host_self(h), WEIR_RNG_HOST_CONN, s->dst);
    *out = (struct weir_pkt){
        .sent_ps = now_ps,
        .msg = s->msg,
        .hash = h->hash == WEIR_HASH_PACKET ? host_spray(h) : (uint32_t)(key >> 32),
        .src_word = h->data_src_word | WEIR_PKT_END,
        .dst_word = WEIR_PKT_DST_WORD(s->dst, WEIR_PKT_DATA),
        .size_word =
            WEIR_PKT_SIZE_WORD(weir_framing_wire(&h->cfg->framing, s->bytes), h->cfg->params.data_class, s->bytes),
    };
    host_ring_drop(&host_stream_of(h)->singles);
    h->ready_count--;
    h->stats.tx_data_pkts++;
    return 1;
}

/* Processes a DATA packet, which is a whole message: delivers it. */
void host_single_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    bool ce = (pkt->flags & WEIR_PKT_CE) != 0;
    h->stats.rx_data_pkts++;
    h->stats.marked_pkts += ce;
    h->stats.rx_new_bytes += pkt->payload_bytes;
    h->sink.delivered(h->sink.ctx, pkt->src, pkt->msg, now_ps, ce);
}

/* Removes the queued messages s for which is(s, what) returns true. @return their number */
static uint32_t singles_drop(struct weir_host *h, bool (*is)(const struct single *s, uint32_t what), uint32_t what)
{
    uint32_t kept = 0, count = host_stream_of(h)->singles.count;
    for (uint32_t i = 0; i < count; i++) {
        const struct single *s = host_ring_at(&host_stream_of(h)->singles, i, sizeof(*s));
        if (!is(s, what))
            *(struct single *)host_ring_at(&host_stream_of(h)->singles, kept++, sizeof(*s)) = *s;
    }
    host_stream_of(h)->singles.count = kept;
    WEIR_ASSERT(h->ready_count == count);
    h->ready_count -= count - kept;
    return count - kept;
}

static bool is_message(const struct single *s, uint32_t msg)
{
    return s->msg == msg;
}

static bool is_to(const struct single *s, uint32_t dst)
{
    return s->dst == dst;
}

int host_single_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    (void)now_ps;
    return singles_drop(h, is_message, msg) > 0 ? 0 : WEIR_E_UNKNOWN;
}

void host_single_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer)
{
    (void)now_ps;
    (void)singles_drop(h, is_to, peer);
}

enum weir_host_inbound host_single_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    (void)h, (void)src, (void)pkt;
    return WEIR_INBOUND_NEW;
}
