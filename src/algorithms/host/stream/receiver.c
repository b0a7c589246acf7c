/* src/algorithms/host/stream/receiver.c - the receiving connection: arrival of packets, delivery of messages, and
 * acknowledgements. No packet is trusted: one that does not fit is dropped and counted. Sources for delayed ACKs: RFC
 * 8257, section 3.2 (two-state echo of CE); RFC 5681, section 4.2 (when not to delay). */
#include "host/common/reassembly.h"
#include "host/stream/answers.h"
#include "host/stream/inbound.h"
#include "host/stream/peers.h"
#include "host/stream/receiver.h"
#include "host/stream/rx_state.h"
#include "host/stream/timers.h"

/* Gives the record of a receiving connection back to the pool, whose link overwrites its key. */
static void rx_free(struct weir_host *h, struct host_rx *r, uint32_t index)
{
    r->gap = HOST_RX_FREE;
    host_pool_give(&host_stream_of(h)->rxs, r, index);
}

/* Tests whether host src may have one more receiving connection. *peer: where to count it; NULL = it is not counted.
 * @return false = it has as many as it may have, or there is no memory for its record */
static bool rx_admits(struct weir_host *h, uint32_t src, struct host_peer **peer)
{
    *peer = NULL;
    if (WEIR_LIKELY(h->cfg->rx_connections_most == 0))
        return true;
    *peer = host_peer_get(h, src);
    return *peer != NULL && (*peer)->received < h->cfg->rx_connections_most;
}

/* Makes a receiving connection at its first packet. Its packet numbers start with the first packet of pkt's message.
 * @return NULL = no memory, or HOST_CONNECTIONS_MAX or rx_connections_most reached */
static struct host_rx *rx_open(struct weir_host *h, const struct weir_pkt *pkt, uint32_t *index)
{
    struct host_stream *s = host_stream_of(h);
    struct host_peer *peer;
    struct host_rx *r = NULL;
    if (s->rxs.count < HOST_CONNECTIONS_MAX && rx_admits(h, pkt->src, &peer))
        r = host_pool_take(h, &s->rxs, HOST_BLOCK_SHIFT, index);
    if (r == NULL)
        return NULL;
    if (!host_rx_state_open(h, *index) || !host_time_room(h) ||
        !host_map_put(h, &s->rx_map, host_rx_tag(host_rx_key(pkt)), *index)) {
        rx_free(h, r, *index);
        return NULL;
    }
    WEIR_ASSERT(s->rxs.count <= HOST_CONNECTIONS_MAX);
    if (peer != NULL) {
        WEIR_ASSERT(peer->received < h->cfg->rx_connections_most);
        peer->received++;
    }
    *r = (struct host_rx){ .conn = pkt->conn, .src = pkt->src, .cum = pkt->ack, .first = pkt->ack };
    h->stats.rx_connections = s->rxs.count;
    return r;
}

/* Writes an ACK of all packets below r->cum and of packet seq. sent_ps: sent_ps of its DATA, 0 = no round-trip sample;
 * hash: path entropy of its DATA; flags: WEIR_PKT_ECE or 0 */
static inline void ack_write(struct weir_host *h, const struct host_rx *r, uint32_t seq, uint64_t sent_ps,
                             uint32_t hash, uint32_t flags, struct weir_pkt *ack)
{
    *ack = (struct weir_pkt){
        .sent_ps = sent_ps,
        .conn = r->conn,
        .msg = r->msg,
        .seq = seq,
        .ack = r->cum,
        .hash = host_answer_hash(h, hash),
        .src_word = h->self_word | flags,
        .dst_word = WEIR_PKT_DST_WORD(r->src, WEIR_PKT_ACK),
        .size_word = h->ack_size_word,
    };
}

/* Returns the stamp of an ACK that gives no round-trip sample: 0, or only the queueing delay of the DATA pkt. */
static uint64_t rx_no_sample(const struct weir_host *h, const struct weir_pkt *pkt)
{
    struct weir_pkt stamp = { .sent_ps = pkt->sent_ps };
    stamp.sent48_ps = 0;
    return h->extended & HOST_EXTENDED_STAMP ? stamp.sent_ps : 0;
}

static uint64_t rx_stamp(const struct weir_host *h, const struct weir_pkt *pkt)
{
    return pkt->flags & WEIR_PKT_RETX ? rx_no_sample(h, pkt) : pkt->sent_ps;
}

/* Queues an ACK of all below r->cum and of packet seq. index: of r. @return the queued ACK; NULL = no room */
static struct weir_pkt *rx_ack(struct weir_host *h, uint32_t index, const struct host_rx *r, uint32_t seq,
                               uint64_t sent_ps, uint32_t hash, bool ece)
{
    struct host_stream *s = host_stream_of(h);
    struct weir_pkt *ack = host_answer_push(h);
    if (ack == NULL)
        return NULL;
    ack_write(h, r, seq, sent_ps, hash, ece ? WEIR_PKT_ECE : 0, ack);
    if (s->rx_states.stride != 0)
        ack->share_count =
            WEIR_PKT_BYTES(weir_clamp_u32(host_rx_state_at(h, index)->share_count, 0, WEIR_PKT_BYTES_MAX));
    if (h->extended & HOST_EXTENDED_HOPS)
        host_hops_put(h, index, ack);
    if (h->extended & HOST_EXTENDED_HELD)
        ack->arrival_ps = s->rx_now_ps;
    return ack;
}

/* Acknowledges the pending packets with the CE state in which they arrived. */
static void rx_ack_pending(struct weir_host *h, uint32_t index, struct host_rx *r)
{
    WEIR_CHECK(r->pending > 0);
    struct weir_pkt *ack =
        rx_ack(h, index, r, r->pending_seq, r->pending_sent_ps, r->pending_hash, r->flags & HOST_RX_CE);
    r->pending = 0;
    if (ack != NULL && h->extended & HOST_EXTENDED_HELD)
        ack->arrival_ps = r->ack_at_ps - h->cfg->params.ack_delay_ps; /* of the earliest packet, as pending_sent_ps */
}

/* Handles the timer of a delayed ACK: acknowledges the pending packets if due, else puts the entry back. */
void host_rx_ack_due(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_rx *r = host_rx_at(h, index);
    WEIR_ASSERT(r->flags & HOST_RX_TIMED);
    r->flags &= ~(uint32_t)HOST_RX_TIMED & HOST_RX_ALL;
    if (r->pending == 0)
        return;
    if (r->ack_at_ps <= now_ps) {
        rx_ack_pending(h, index, r);
        return;
    }
    r->flags |= HOST_RX_TIMED;
    host_timer_push(h, r->ack_at_ps, index, HOST_TIMER_ACK);
}

/* Adds a packet to those that wait for a delayed ACK. Acknowledges all of them if at_once, or if their number reaches
 * ack_every. at_once: the packet is the last of its message, is out of order, fills a gap, or changes CE */
static void rx_ack_later(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r,
                         const struct weir_pkt *pkt, bool at_once)
{
    const struct weir_host_params *p = &h->cfg->params;
    if (r->pending++ == 0) {
        r->pending_sent_ps = rx_stamp(h, pkt);
        r->ack_at_ps = now_ps + p->ack_delay_ps;
    }
    r->pending_seq = pkt->seq;
    r->pending_hash = pkt->hash;
    if (at_once || r->pending >= p->ack_every) {
        rx_ack_pending(h, index, r);
    } else if (!(r->flags & HOST_RX_TIMED)) {
        r->flags |= HOST_RX_TIMED;
        host_timer_push(h, r->ack_at_ps, index, HOST_TIMER_ACK);
    }
}

/* Updates the CE state by a packet, with delayed ACKs. RFC 8257: when CE changes, the packets before are acknowledged
 * with the old value first (as Linux does), then the state changes. Also stores the packet's telemetry records for its
 * delayed ACK. To be called before r->cum includes the packet. @return true if the state changed: the packet must then
 * be acknowledged at once */
static bool rx_change_ce(struct weir_host *h, uint32_t index, struct host_rx *r, bool ce)
{
    bool turned = ce != ((r->flags & HOST_RX_CE) != 0);
    if (turned && r->pending > 0)
        rx_ack_pending(h, index, r);
    r->flags ^= turned ? HOST_RX_CE : 0;
    if (h->extended & HOST_EXTENDED_HOPS)
        host_hops_keep(h, index);
    return turned;
}

/* Updates the CE state by a packet, with host.ecn: rfc3168. After a packet with CE all ACKs have ECE, until a packet
 * with CWR arrives: RFC 3168, section 6.1.3. @return whether the next ACK has ECE */
static bool rx_latch_ece(struct host_rx *r, const struct weir_pkt *pkt, bool ce)
{
    WEIR_CHECK((r->flags & ~(uint32_t)HOST_RX_ALL) == 0);
    if (pkt->flags & WEIR_PKT_CWR)
        r->flags &= ~(uint32_t)HOST_RX_CE & HOST_RX_ALL;
    if (ce)
        r->flags |= HOST_RX_CE;
    return r->flags & HOST_RX_CE;
}

/* Queues a REPLY, the short answer to a whole message (framed as DATA of reply_bytes), after the ACK. It names the
 * message's last packet, whichever packet arrived last. */
static void rx_reply(struct weir_host *h, uint32_t index, const struct host_rx *r, const struct weir_pkt *pkt)
{
    uint32_t bytes = h->cfg->params.reply_bytes;
    struct weir_pkt *reply = rx_ack(h, index, r, r->cum - 1, 0, pkt->hash, false);
    if (reply == NULL)
        return;
    reply->kind = WEIR_PKT_REPLY;
    reply->hops = 0;
    reply->payload_bytes = WEIR_PKT_BYTES(bytes);
    reply->wire_bytes = WEIR_PKT_BYTES(weir_framing_wire(&h->cfg->framing, bytes));
}

/* Acknowledges a duplicate packet again. Repeats the REPLY if the packet is the last one of the message delivered last.
 * The first answer was lost or is late. */
static void rx_duplicate(struct weir_host *h, uint32_t index, struct host_rx *r, const struct weir_pkt *pkt, bool ce)
{
    h->stats.duplicates++;
    h->stats.rx_again_pkts++;
    if (!host_stream_of(h)->each_acked)
        (void)rx_change_ce(h, index, r, ce);
    r->pending = 0; /* the ACK that follows covers the pending packets */
    (void)rx_ack(h, index, r, pkt->seq, rx_stamp(h, pkt), pkt->hash, ce);
    if (h->cfg->params.reply_bytes > 0 && pkt->flags & WEIR_PKT_END && !(r->flags & HOST_RX_OPEN) &&
        pkt->seq + 1 == r->cum)
        rx_reply(h, index, r, pkt);
}

/* Tests whether pkt fits the message that is arriving. If none is arriving, pkt may be of the next message, which then
 * begins. pkt->seq lies within the window from r->cum on. */
static bool rx_fits(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r, const struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    if (!(r->flags & HOST_RX_OPEN)) {
        if (pkt->ack != r->cum)
            return false;
        r->first = r->cum;
        r->msg = pkt->msg;
        r->marks = 0;
        r->flags |= HOST_RX_OPEN;
        s->rx_active++;
        if (s->rx_law != NULL)
            host_rx_message(h, now_ps, index, true);
    } else if (pkt->msg != r->msg || pkt->ack != r->first) {
        return false;
    }
    if (r->flags & HOST_RX_END)
        return host_before(pkt->seq, r->end);
    if (!(pkt->flags & WEIR_PKT_END))
        return true;
    if (r->gap != 0 && host_before(pkt->seq + 1, host_gap_at(h, r->gap)->high))
        return false; /* the end lies before a packet that has arrived */
    r->end = pkt->seq + 1;
    r->flags |= HOST_RX_END;
    return true;
}

/* Processes a new packet of the arriving message: counts it, acknowledges it, and delivers the message if it is
 * complete. at_once: as for rx_ack_later() */
static void rx_accept(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r,
                      const struct weir_pkt *pkt, bool ce, bool at_once)
{
    struct host_stream *s = host_stream_of(h);
    bool done = r->flags & HOST_RX_END && r->cum == r->end;
    h->stats.rx_new_bytes += pkt->payload_bytes;
    r->marks += (pkt->flags & WEIR_PKT_CE) != 0;
    if (s->each_acked)
        (void)rx_ack(h, index, r, pkt->seq, rx_stamp(h, pkt), pkt->hash, ce);
    else
        rx_ack_later(h, now_ps, index, r, pkt, at_once || done || pkt->flags & WEIR_PKT_END);
    if (!done)
        return;
    WEIR_ASSERT(r->gap == 0); /* no packet is beyond the end */
    WEIR_ASSERT(host_stream_of(h)->rx_active > 0);
    r->flags &= ~(uint32_t)(HOST_RX_OPEN | HOST_RX_END) & HOST_RX_ALL;
    s->rx_active--;
    if (s->rx_law != NULL)
        host_rx_message(h, now_ps, index, false);
    if (h->cfg->params.reply_bytes > 0)
        rx_reply(h, index, r, pkt);
    h->sink.delivered(h->sink.ctx, r->src, r->msg, now_ps, r->marks);
}

/* Tests whether packet seq has arrived before. seq must lie below the end of the window. */
static bool rx_known(const struct weir_host *h, const struct host_rx *r, uint32_t seq)
{
    return host_before(seq, r->cum) || host_gap_has(h, r->gap, r->cum, seq);
}

/* Drops a packet before which another is missing; for go-back-N. Asks the sender to go back to the missing packet, at
 * most once per nack_interval. */
static void rx_go_back(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r,
                       const struct weir_pkt *pkt, bool ce)
{
    h->stats.dropped_pkts++;
    if (now_ps < r->nack_ps)
        return;
    if (!host_stream_of(h)->each_acked)
        (void)rx_change_ce(h, index, r, ce);
    r->pending = 0; /* the request also acknowledges the pending packets */
    struct weir_pkt *nack = rx_ack(h, index, r, r->cum - 1, rx_no_sample(h, pkt), pkt->hash, ce);
    if (nack == NULL)
        return;
    nack->flags |= WEIR_PKT_RETX;
    r->nack_ps = now_ps + h->cfg->params.nack_interval_ps;
    h->stats.tx_nack_pkts++;
}

/* Processes a packet of the arriving message that lies in [r->cum, r->cum + window). */
static void rx_next(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r, const struct weir_pkt *pkt,
                    bool ce)
{
    WEIR_CHECK(pkt->seq - r->cum < h->window_pkts);
    bool plain = pkt->seq == r->cum && r->gap == 0;
    bool turned = !host_stream_of(h)->each_acked && rx_change_ce(h, index, r, ce);
    uint32_t edge = r->cum;
    enum host_arrival arrival = host_arrive(h, &r->gap, &r->cum, pkt->seq);
    if (r->cum != edge)
        r->nack_ps = 0;
    if (arrival == HOST_NEW)
        rx_accept(h, now_ps, index, r, pkt, ce, !plain || turned);
    else if (arrival == HOST_KNOWN)
        rx_duplicate(h, index, r, pkt, ce);
    else
        h->stats.refused_pkts++;
}

/* Processes any DATA packet: in order or not, first, last, or known. r: its connection, NULL = none yet; index: of r */
static HOST_COLD void rx_any(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct host_rx *r,
                             uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    if (r == NULL && pkt->seq - pkt->ack < h->window_pkts)
        r = rx_open(h, pkt, &index);
    if (r == NULL) {
        h->stats.refused_pkts++;
        return;
    }
    bool acked = host_before(pkt->seq, r->cum), ce = pkt->flags & WEIR_PKT_CE;
    if (h->extended & HOST_EXTENDED_HELD)
        s->rx_now_ps = now_ps;
    if (!acked && (pkt->seq - r->cum >= h->window_pkts || !rx_fits(h, now_ps, index, r, pkt))) {
        h->stats.refused_pkts++;
        return;
    }
    bool dropped = s->go_back && !acked && pkt->seq != r->cum;
    if (s->rx_states.stride != 0) {
        bool known = rx_known(h, r, pkt->seq);
        ce = host_rx_state_data(h, now_ps, index, pkt, known || dropped ? 0 : pkt->payload_bytes, known);
    }
    if (s->latch_ece)
        ce = rx_latch_ece(r, pkt, ce);
    if (acked)
        rx_duplicate(h, index, r, pkt, ce);
    else if (dropped)
        rx_go_back(h, now_ps, index, r, pkt, ce);
    else
        rx_next(h, now_ps, index, r, pkt, ce);
}

/* Processes a DATA packet. Nine in ten are the next packet in the middle of a message whose end is not known yet: the
 * short path is for these. @return true if the ACK was written to *answer, see weir_host_rx_free() */
bool host_rx_data(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer)
{
    uint32_t index = 0, ce = pkt->flags_low / WEIR_PKT_CE & 1, seq = pkt->seq;
    bool at_once = answer != NULL && h->acks.count == 0 && h->hold == 0;
    h->stats.rx_data_pkts++;
    h->stats.marked_pkts += ce;
    struct host_rx *r = host_rx_find(h, pkt, &index);
    if (WEIR_UNLIKELY(r == NULL || r->cum != seq || r->gap != 0 || r->msg != pkt->msg || r->first != pkt->ack ||
                      (r->flags & (HOST_RX_OPEN | HOST_RX_END)) != HOST_RX_OPEN ||
                      pkt->flags & (WEIR_PKT_END | WEIR_PKT_RETX) ||
                      (!at_once && (h->acks.count == h->acks.capacity || h->extended & HOST_EXTENDED_HOPS)) ||
                      !host_stream_of(h)->plain_rx)) {
        rx_any(h, now_ps, pkt, r, index);
        return false;
    }
    if (WEIR_LIKELY(at_once))
        h->stats.tx_ack_pkts++;
    else
        answer = host_ring_at(&h->acks, h->acks.count++, sizeof(*answer));
    r->cum = seq + 1;
    r->marks += ce;
    h->stats.rx_new_bytes += pkt->payload_bytes;
    ack_write(h, r, seq, pkt->sent_ps, pkt->hash, ce * WEIR_PKT_ECE, answer);
    if (WEIR_UNLIKELY(h->extended & (HOST_EXTENDED_HOPS | HOST_EXTENDED_HELD))) {
        answer->hops = h->extended & HOST_EXTENDED_HOPS ? h->rx_hops : 0;
        answer->arrival_ps = at_once || !(h->extended & HOST_EXTENDED_HELD) ? 0 : now_ps;
    }
    return at_once;
}

/* ---- messages that end before all has arrived ---- */

/* Drops the message that is arriving; the connection's next message begins at packet `next`. */
static void rx_drop(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r, uint32_t next)
{
    struct host_stream *s = host_stream_of(h);
    WEIR_ASSERT(r->flags & HOST_RX_OPEN);
    WEIR_ASSERT(host_stream_of(h)->rx_active > 0);
    host_gap_drop(h, &r->gap);
    r->cum = next;
    r->nack_ps = 0;
    r->pending = 0;
    r->flags &= ~(uint32_t)(HOST_RX_OPEN | HOST_RX_END) & HOST_RX_ALL;
    s->rx_active--;
    if (s->rx_law != NULL)
        host_rx_message(h, now_ps, index, false);
}

/* Ends the message that an ABORT names. @return true = DONE must be sent: the message was dropped now or before, was
 * delivered, or none of its packets had arrived; false = the ABORT does not fit the connection */
static bool rx_aborted(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_rx *r,
                       const struct weir_pkt *pkt)
{
    bool open = r->flags & HOST_RX_OPEN && r->msg == pkt->msg && r->first == pkt->ack;
    bool beyond = host_before(r->cum, pkt->seq);
    if (!open && !beyond)
        return true;
    if (host_before(pkt->seq, r->cum) || pkt->seq - r->cum > h->window_pkts)
        return false;
    if (open) {
        rx_drop(h, now_ps, index, r, pkt->seq);
        if (h->sink.dropped != NULL)
            h->sink.dropped(h->sink.ctx, r->src, r->conn, now_ps);
        return true;
    }
    if (r->flags & HOST_RX_OPEN || r->cum != pkt->ack)
        return false;
    r->cum = pkt->seq; /* none of its packets ever arrived */
    return true;
}

/* Processes an ABORT: the sender has cancelled a message. Ends the message, and queues DONE. Makes the receiving
 * connection if there is none. */
void host_rx_abort(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    uint32_t index = 0;
    struct host_rx *r = host_rx_find(h, pkt, &index);
    struct weir_pkt *done;
    if (r == NULL)
        r = rx_open(h, pkt, &index);
    if (r == NULL || !rx_aborted(h, now_ps, index, r, pkt)) {
        h->stats.refused_pkts++;
        return;
    }
    done = host_answer_push(h);
    if (done == NULL)
        return;
    ack_write(h, r, pkt->seq, 0, pkt->hash, 0, done);
    done->msg = pkt->msg;
    done->kind = WEIR_PKT_DONE;
}

/* Forgets all receiving connections from host src, and their timer entries. */
void host_rx_forget(struct weir_host *h, uint64_t now_ps, uint32_t src)
{
    struct host_stream *s = host_stream_of(h);
    struct host_peer *peer = host_peer_find(h, src);
    if (peer != NULL)
        peer->received = 0;
    host_rx_timers_drop(h, src);
    for (uint32_t i = 0; i < s->rxs.count; i++) {
        struct host_rx *r = host_rx_at(h, i);
        if (r->gap == HOST_RX_FREE || r->src != src)
            continue;
        if (r->flags & HOST_RX_OPEN)
            rx_drop(h, now_ps, i, r, r->cum);
        WEIR_ASSERT(r->gap == 0);
        host_map_remove(&s->rx_map, host_rx_tag(r->key), i);
        rx_free(h, r, i);
    }
}
