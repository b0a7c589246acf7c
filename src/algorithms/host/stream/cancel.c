/* src/algorithms/host/stream/cancel.c - messages that end before all of their packets have arrived: the sender cancels
 * one, or a host is forgotten.
 *
 * A sender that cancels a message forgets the packets in flight: una = next = end. ABORT carries the packet number at
 * which the connection continues, and the retransmission timer repeats it until DONE answers it. A connection that
 * aborts has limited == end + 1, a value that no other connection has. */
#include "host/common/table.h"
#include "host/stream/answers.h"
#include "host/stream/cancel.h"
#include "host/stream/law.h"
#include "host/stream/message.h"
#include "host/stream/newreno.h"
#include "host/stream/ready.h"
#include "host/stream/receiver.h"
#include "host/stream/tcp.h"
#include "host/stream/track.h"

/* Forgets the packets of the connection's message, both those in flight and those not sent yet. */
static void flow_clear(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    host_board_drop(h, f);
    host_newreno_clear(h, index);
    f->una = f->end = f->next;
    f->inflight_bytes = 0;
    f->last_bytes = WEIR_PKT_BYTES(h->mss_bytes); /* so that host_seq_of() of end counts whole packets from first */
    f->flags &= (uint8_t) ~(HOST_REPLIED | HOST_AGAIN | HOST_REPAIR);
    f->backoff = 0;
}

/* Cancels the message of connection `index`. If no packet of the message was sent, the message ends at once; else ABORT
 * is sent until DONE answers it. */
static void flow_cancel(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    bool none_sent = f->next == f->first;
    WEIR_ASSERT(!host_flow_aborts(f));
    flow_clear(h, index, f);
    f->limited = f->end + 1;
    if (none_sent) {
        host_message_finish(h, now_ps, index, f);
        return;
    }
    host_ready_update(h, now_ps, index, f);
    host_answer_abort(h, index, f);
    host_rto_restart(h, now_ps, index, f);
}

/* Cancels message msg, see weir_host_cancel(). */
int host_stream_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    uint32_t index = host_track_connection(h, msg);
    if (index != HOST_NONE) {
        struct host_flow *f = host_flow_at(h, index);
        if (!host_flow_aborts(f))
            flow_cancel(h, now_ps, index, f);
        return 0;
    }
    if (!host_peer_unwait(h, msg))
        return WEIR_E_UNKNOWN;
    if (host_stream_of(h)->tracks.stride != 0)
        host_track_end(h, msg);
    h->sink.finished(h->sink.ctx, msg, now_ps);
    return 0;
}

/* Processes a DONE, which confirms an ABORT: the receiver has dropped the message, or had received all of it. */
void host_stream_done(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    if (!(f->flags & HOST_BUSY) || !host_flow_aborts(f) || pkt->msg != f->msg || pkt->seq != f->end)
        h->stats.duplicates++;
    else
        host_message_finish(h, now_ps, pkt->conn, f);
}

/* ---- a host is forgotten ---- */

/* Resets a connection whose destination is forgotten, as if the connection were new. It keeps its number and its packet
 * numbers. If it had a message or waited for a SYN-ACK, it becomes idle. f may also be the record with the law's state
 * of a destination. */
static void flow_forget(struct weir_host *h, uint32_t index, struct host_flow *f, struct host_peer *peer)
{
    struct host_stream *s = host_stream_of(h);
    bool busy = f->flags & HOST_BUSY;
    if (busy && s->tracks.stride != 0)
        host_track_end(h, f->msg);
    flow_clear(h, index, f);
    f->limited = f->first = f->end;
    if (host_tcp_forget(h, index) || busy) {
        f->msg = peer->idle;
        peer->idle = index;
    }
    h->ready_count -= (f->flags & HOST_READY) != 0;
    f->flags &= (uint8_t) ~(HOST_BUSY | HOST_READY | HOST_PACED);
    f->since_ps = WEIR_NEVER;
    f->srtt_8 = f->rttvar_4 = 0;
    f->msg_seq = 0;
    if (s->per_peer && !f->shared)
        host_shared_forget(f);
    else
        host_law_reset(h, f);
}

/* Forgets all outbound messages to host id, and resets the connections to it and their law state. */
static void forget_sending(struct weir_host *h, uint64_t now_ps, uint32_t id)
{
    struct host_stream *s = host_stream_of(h);
    struct host_peer *peer = host_peer_find(h, id);
    struct host_wait wait;
    if (peer == NULL)
        return;
    while (host_peer_next_wait(h, peer, &wait)) {
        if (host_stream_of(h)->tracks.stride != 0)
            host_track_end(h, wait.msg);
    }
    peer->line_head = HOST_NONE;
    peer->busy = 0;
    for (uint32_t i = 0; i < s->flows.count; i++) {
        struct host_flow *f = host_flow_at(h, i);
        if (f->dst == id)
            flow_forget(h, i, f, peer);
    }
    for (uint32_t i = 0; i < s->flows.count; i++) {
        struct host_flow *f = host_flow_at(h, i);
        if (f->dst != id)
            continue;
        host_flow_update(h, now_ps, i, f);
    }
}

/* Forgets host id in both directions, and drops queued packets to it, see weir_host_forget(). */
void host_stream_forget(struct weir_host *h, uint64_t now_ps, uint32_t id)
{
    forget_sending(h, now_ps, id);
    host_rx_forget(h, now_ps, id);
    host_packets_drop(&h->acks, h->extended & HOST_EXTENDED_HOPS ? &host_stream_of(h)->hops : NULL,
                      sizeof(struct host_hops), id);
    host_packets_drop(&h->notices, NULL, 0, id);
    if (h->notices.count == 0)
        h->hold &= (uint8_t)~HOST_HOLD_HAS_NOTICES;
}
