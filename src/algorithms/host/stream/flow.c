/* src/algorithms/host/stream/flow.c - packets that arrive for a sending connection: ACKs, requests to go back (NACKs),
 * notices, replies. */
#include "host/stream/answers.h"
#include "host/stream/flow.h"
#include "host/stream/law.h"
#include "host/stream/message.h"
#include "host/stream/newreno.h"
#include "host/stream/ready.h"

/* Moves una by `advance` packets, in the common case that nothing is out of order on this connection. @return bytes
 * newly delivered */
static inline uint32_t flow_advance(const struct weir_host *h, struct host_flow *f, uint32_t advance)
{
    uint32_t bytes = advance * h->mss_bytes; /* 2^18 * 9728 fits */
    f->una += advance;
    if (f->una == f->end)
        bytes -= h->mss_bytes - f->last_bytes;
    f->inflight_bytes -= bytes;
    return bytes;
}

/* Records the delivery of packets in the ranges that the ACK being received reports. Skips ranges that do not begin
 * above una, within what was sent: they are of a late ACK, or of no honest receiver. @return bytes newly delivered */
static uint32_t flow_take_ranges(struct weir_host *h, struct host_flow *f, struct host_board *b)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < h->rx_ranges; i++) {
        uint32_t first = h->rx_range[i].first, pkts = h->rx_range[i].pkts;
        if (first == f->una || first - f->una >= f->next - f->una)
            continue;
        bytes += host_board_take(h, f, b, first, pkts < f->next - first ? first + pkts : f->next);
    }
    return bytes;
}

/* Processes the packet numbers of an ACK while packets are out of order, or if the ACK reports packets behind a missing
 * one. Moves una by `advance` packets. tcp: NULL unless NewReno. @return bytes newly delivered; 0 also if no memory is
 * left: una is then unchanged */
static HOST_COLD uint32_t flow_out_of_order(struct weir_host *h, struct host_flow *f, struct host_tcp *tcp,
                                            const struct weir_pkt *pkt, uint32_t advance)
{
    bool beyond = tcp == NULL && pkt->seq - f->una < f->next - f->una && pkt->seq - f->una > advance;
    if (advance == 0 && !beyond && h->rx_ranges == 0 && (tcp != NULL || f->board == 0))
        return 0;
    struct host_board *b = host_board_open(h, f);
    if (b == NULL)
        return 0;
    uint32_t bytes = host_board_advance(h, f, b, advance);
    if (beyond)
        bytes += host_board_take(h, f, b, pkt->seq, pkt->seq + 1);
    bytes += flow_take_ranges(h, f, b);
    if (tcp != NULL)
        host_newreno_advance(h, f, tcp, advance);
    if (bytes > 0 || advance > 0)
        b->waits = b->tries = false;
    host_board_close_if_done(h, f, b);
    return bytes;
}

/* Tests whether an ACK that should move una by `advance` packets did so: there may have been no memory. If it brings no
 * new bytes, its peer had reported all of these packets before it moved its edge. */
static HOST_COLD bool flow_moved(const struct host_flow *f, const struct weir_pkt *pkt, uint32_t advance)
{
    return advance > 0 && f->una == pkt->ack;
}

/* Processes an ACK: moves una, finds losses, notifies the law, restarts the timer, and ends the message if complete. */
void host_flow_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    const struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    struct host_tcp *tcp = s->newreno ? HOST_RECORD(struct host_tcp, &s->tcps, pkt->conn) : NULL;
    uint32_t advance = pkt->ack - f->una, sent = f->next - f->una, bytes;
    if (WEIR_UNLIKELY(advance > sent)) {
        if ((int32_t)advance >= 0) { /* acknowledges packets that were never sent */
            h->stats.refused_pkts++;
            return;
        }
        advance = 0; /* overtaken by a later ACK; may still name a packet not known to be delivered */
    }
    bool app_limited = !host_before(f->una, f->limited), restarts = true, ends = false;
    if (WEIR_LIKELY(f->board == 0 && h->rx_ranges == 0 && host_before(pkt->seq, f->una + advance)))
        bytes = advance == 0 ? 0 : flow_advance(h, f, advance);
    else
        bytes = flow_out_of_order(h, f, tcp, pkt, advance);
    if (WEIR_UNLIKELY(bytes == 0) && !flow_moved(f, pkt, advance) &&
        (tcp == NULL || !host_newreno_duplicate(h, now_ps, f, tcp, pkt->ack)))
        return; /* nothing new */
    if (WEIR_UNLIKELY(s->per_peer) && bytes > 0)
        host_shared_count(h, f);
    if (WEIR_LIKELY(bytes > 0) || (tcp != NULL && pkt->flags & WEIR_PKT_ECE))
        host_law_ack(h, now_ps, f, pkt, bytes, app_limited);
    if (WEIR_LIKELY(bytes > 0) || flow_moved(f, pkt, advance)) {
        h->stats.tx_acked_bytes += bytes;
        f->backoff = 0;
        if (WEIR_UNLIKELY(tcp != NULL))
            restarts = f->board == 0 || !(tcp->flags & HOST_TCP_LATER);
        else if (WEIR_UNLIKELY(f->board != 0))
            host_board_judge(h, now_ps, f);
        ends = f->una == f->end && (h->cfg->params.reply_bytes == 0 || f->flags & HOST_REPLIED);
        if (ends)
            host_message_close(h, f);
        else if (WEIR_LIKELY(restarts))
            host_rto_restart(h, now_ps, pkt->conn, f);
    }
    host_flow_update(h, now_ps, pkt->conn, f);
    if (ends)
        host_message_end(h, now_ps, pkt->conn, f);
}

/* Processes a request to go back (go-back-N): the receiver dropped the packets after a missing one. Acknowledges the
 * packets before the missing one, records the packets sent from there on as lost, and notifies the law. */
void host_flow_nack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    if (!host_stream_of(h)->go_back || (int32_t)(pkt->ack - f->una) > (int32_t)(f->next - f->una)) {
        h->stats.refused_pkts++;
        return;
    }
    if (host_before(pkt->ack, f->una))
        return; /* the missing packet has arrived meanwhile */
    host_flow_ack(h, now_ps, pkt);
    if (f->una != pkt->ack || !host_board_rewind(h, now_ps, f))
        return;
    f->backoff = 0;
    host_rto_restart(h, now_ps, pkt->conn, f);
    host_flow_update(h, now_ps, pkt->conn, f);
}

/* Passes a NOTICE to the law of the connection that it names. A NOTICE for an idle connection is ignored: what caused
 * it is over. */
void host_flow_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    h->stats.rx_notice_pkts++;
    if (!(f->flags & HOST_BUSY) || host_stream_of(h)->cc->on_notice == NULL || pkt->seq == WEIR_NOTICE_WEIGHT ||
        pkt->seq == WEIR_NOTICE_RATE)
        return; /* weights and initial rates come from our own world only */
    host_law_notice(h, now_ps, f, pkt);
    host_flow_update(h, now_ps, pkt->conn, f);
}

/* Passes a NOTICE without a connection number to the law's state of destination pkt->src. Makes that state if there is
 * none. */
void host_flow_notice_shared(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_stream_of(h)->cc->on_notice != NULL ? host_peer_shared(h, pkt->src) : NULL;
    if (f == NULL || pkt->seq == WEIR_NOTICE_WEIGHT || pkt->seq == WEIR_NOTICE_RATE) {
        h->stats.refused_pkts++;
        return;
    }
    h->stats.rx_notice_pkts++;
    host_law_notice(h, now_ps, f, pkt);
    host_flow_update(h, now_ps, host_peer_at(h, f->msg)->shared, f);
}

/* Processes a REPLY, the receiver's short answer to a whole message, and queues an ACK for it in any case. If the REPLY
 * names the connection's message, marks the message as replied to, and ends it if all of it is acknowledged. */
void host_flow_reply(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    host_answer_reply(h, pkt);
    if (!(f->flags & HOST_BUSY) || f->flags & HOST_REPLIED || pkt->msg != f->msg || pkt->seq + 1 != f->end ||
        host_flow_aborts(f))
        return;
    if (f->next != f->end) { /* replies to a message of which not all was sent */
        h->stats.refused_pkts++;
        return;
    }
    f->flags |= HOST_REPLIED;
    if (f->una == f->end)
        host_message_finish(h, now_ps, pkt->conn, f);
}
