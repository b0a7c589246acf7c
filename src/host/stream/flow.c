/* src/host/stream/flow.c - what comes back about a sending connection: ACKs, requests to go back, notices, replies. */
#include "host/stream/answers.h"
#include "host/stream/flow.h"
#include "host/stream/law.h"
#include "host/stream/message.h"
#include "host/stream/newreno.h"
#include "host/stream/ready.h"

/* The common case: nothing is out of order on this connection, and the ACK moves the edge by `advance` packets. */
static inline uint32_t flow_advance(const struct weir_host *h, struct host_flow *f, uint32_t advance)
{
    uint32_t bytes = advance * h->mss_bytes; /* 2^18 * 9728 fits */
    f->una += advance;
    if (f->una == f->end)
        bytes -= h->mss_bytes - f->last_bytes;
    f->inflight_bytes -= bytes;
    return bytes;
}

/* Without SACK a duplicate says something too: a packet has left the network, perhaps that its ECE asks for a cut. */
static HOST_COLD void flow_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f,
                                     const struct weir_pkt *pkt, bool app_limited)
{
    if (!host_newreno_duplicate(h, now_ps, f, pkt))
        return;
    if (pkt->flags & WEIR_PKT_ECE)
        host_law_ack(h, now_ps, f, pkt, 0, app_limited);
    host_law_changed(h, now_ps, pkt->conn, f);
    host_flow_update(h, pkt->conn, f);
}

void host_flow_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    uint32_t advance = pkt->ack - f->una, sent = f->next - f->una, bytes;
    if (WEIR_UNLIKELY(advance > sent)) {
        if ((int32_t)advance >= 0) { /* acknowledges what was never sent */
            h->stats.refused_pkts++;
            return;
        }
        advance = 0; /* overtaken by a later one: may still name a packet we do not know to be delivered */
    }
    bool app_limited = !host_before(f->una, f->limited);
    if (WEIR_LIKELY(f->board == 0 && host_before(pkt->seq, f->una + advance)))
        bytes = advance == 0 ? 0 : flow_advance(h, f, advance);
    else
        bytes = s->newreno ? host_newreno_ack(h, f, pkt, advance) : host_board_ack(h, f, pkt, advance);
    if (bytes == 0) { /* a duplicate: nothing new */
        if (s->newreno)
            flow_duplicate(h, now_ps, f, pkt, app_limited);
        return;
    }
    h->stats.tx_acked_bytes += bytes;
    if (WEIR_UNLIKELY(s->per_peer))
        host_shared_count(h, f);
    host_law_ack(h, now_ps, f, pkt, bytes, app_limited);
    if (WEIR_UNLIKELY(f->board != 0))
        host_board_judge(h, now_ps, f);
    host_law_changed(h, now_ps, pkt->conn, f);
    f->backoff = 0;
    if (f->una == f->end && (h->cfg->params.reply_bytes == 0 || f->flags & HOST_REPLIED)) {
        host_message_finish(h, now_ps, pkt->conn, f);
        return;
    }
    if (WEIR_LIKELY(f->board == 0) || host_newreno_restarts(h, pkt->conn))
        host_rto_restart(h, now_ps, pkt->conn, f);
    host_flow_update(h, pkt->conn, f);
}

/* Go-back-N: the receiver dropped what came after a missing packet. Acknowledges what came before it. */
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
        return; /* it came meanwhile */
    host_flow_ack(h, now_ps, pkt);
    if (f->una != pkt->ack || !host_board_rewind(h, now_ps, f))
        return;
    f->backoff = 0;
    host_rto_restart(h, now_ps, pkt->conn, f);
    host_law_changed(h, now_ps, pkt->conn, f);
    host_flow_update(h, pkt->conn, f);
}

/* A notice for the law. For an idle connection it is stale: what it is about has long arrived. */
void host_flow_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    h->stats.rx_notice_pkts++;
    if (!(f->flags & HOST_BUSY) || host_stream_of(h)->cc->on_notice == NULL || pkt->seq == WEIR_NOTICE_WEIGHT ||
        pkt->seq == WEIR_NOTICE_RATE)
        return; /* weights and initial rates come from our own world only */
    host_law_notice(h, now_ps, pkt->conn, f, pkt);
    host_flow_update(h, pkt->conn, f);
}

/* Gives a notice that names no connection to the law of the destination it is from. */
void host_flow_notice_shared(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    uint32_t index;
    struct host_flow *f = host_stream_of(h)->cc->on_notice != NULL ? host_peer_shared(h, pkt->src) : NULL;
    if (f == NULL || pkt->seq == WEIR_NOTICE_WEIGHT || pkt->seq == WEIR_NOTICE_RATE) {
        h->stats.refused_pkts++;
        return;
    }
    h->stats.rx_notice_pkts++;
    index = host_peer_at(h, f->msg)->shared;
    host_law_notice(h, now_ps, index, f, pkt);
    host_flow_update(h, index, f);
}

/* The receiver's answer to the whole message: counts for the message it names, and is acknowledged in any case. */
void host_flow_reply(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return;
    host_answer_reply(h, pkt);
    if (!(f->flags & HOST_BUSY) || f->flags & HOST_REPLIED || pkt->msg != f->msg || pkt->seq + 1 != f->end ||
        host_flow_aborts(f))
        return;
    if (f->next != f->end) { /* replies to what was never sent */
        h->stats.refused_pkts++;
        return;
    }
    f->flags |= HOST_REPLIED;
    if (f->una == f->end)
        host_message_finish(h, now_ps, pkt->conn, f);
}
