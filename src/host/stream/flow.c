/* src/host/stream/flow.c - the sending connection: packets of one message at a time, as many in flight as the law allows. */
#include "core/rcp_code.h"
#include "host/stream/rto.h"

/* Does the window admit `bytes` more? Notes it when it does not. With nothing in flight it always does, or a window
 * below one packet would never receive an ACK again. */
static inline bool window_admits(const struct weir_host *h, struct host_flow *f, uint32_t bytes)
{
    const struct host_flow *law = host_law_flow(h, f);
    if (WEIR_LIKELY(law->inflight_bytes + bytes <= host_cc(h, f)->cwnd_bytes) || law->inflight_bytes == 0)
        return true;
    f->limited = f->next;
    return false;
}

/* Has this connection a packet to send, whatever its window? */
bool host_flow_has_packet(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (board != NULL && board->lost_pkts > 0)
        return true;
    if (f->next == f->end)
        return f->flags & HOST_AGAIN;
    return f->next - f->una < h->window_pkts;
}

/* flow_can_send() where the message ends, or packets are out of order, or very many are in flight. */
static HOST_COLD bool flow_can_send_rare(const struct weir_host *h, struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (!host_flow_has_packet(h, f))
        return false;
    if (board != NULL && board->lost_pkts > 0)
        return f->flags & HOST_REPAIR || window_admits(h, f, h->mss_bytes);
    return f->next == f->end || window_admits(h, f, host_pkt_bytes(h, f, f->next));
}

/* May this connection send now, whatever the pacer? */
static inline bool flow_can_send(const struct weir_host *h, struct host_flow *f)
{
    if (WEIR_UNLIKELY(f->board != 0 || f->end - f->next <= 1 || f->next - f->una >= h->window_pkts))
        return flow_can_send_rare(h, f);
    return window_admits(h, f, h->mss_bytes);
}

/* It has one: does the window admit it? */
bool host_flow_admits(const struct weir_host *h, struct host_flow *f)
{
    return flow_can_send(h, f);
}

/* A connection that may send now and could not before takes its place in the round, unless it kept it since it was
 * ready last. */
static inline void flow_enter(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    bool queued = f->flags & HOST_QUEUED;
    h->ready_count++;
    f->flags |= HOST_READY | HOST_QUEUED;
    if (queued)
        return;
    WEIR_ASSERT(s->ready.count < s->ready.capacity); /* one place per connection, reserved when it was made */
    *(uint32_t *)host_ring_at(&s->ready, s->ready.count++, sizeof(uint32_t)) = index;
}

/* One that may send no longer stays in the ready ring until it is first there. */
static inline void flow_set_ready(struct weir_host *h, uint32_t index, struct host_flow *f, bool can)
{
    if (f->flags & HOST_READY) {
        f->flags ^= can ? 0 : HOST_READY;
        h->ready_count -= !can;
    } else if (can) {
        flow_enter(h, index, f);
    }
}

void host_flow_set_ready(struct weir_host *h, uint32_t index, struct host_flow *f, bool can)
{
    flow_set_ready(h, index, f, can);
}

static inline void flow_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        host_shared_update(h, index, f);
        return;
    }
    flow_set_ready(h, index, f, flow_can_send(h, f) && !(f->flags & HOST_PACED));
}

/* To be called after every change to what the connection may send: keeps the ready ring and its count true. */
void host_flow_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    flow_update(h, index, f);
}

/* Puts a message on an idle connection. bytes: 1 .. (2^32 - 1) packets */
void host_flow_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t msg,
                     uint64_t bytes)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t mss = h->mss_bytes;
    uint64_t pkts = (bytes + mss - 1) / mss;
    bool first = true;
    WEIR_ASSERT(!(f->flags & HOST_BUSY));
    WEIR_ASSERT(f->una == f->end);
    f->first = f->limited = f->end;
    f->end = f->first + (uint32_t)pkts;
    f->last_bytes = WEIR_PKT_BYTES(bytes - (pkts - 1) * mss);
    f->msg = msg;
    f->flags |= HOST_BUSY;
    if (s->tracks.stride != 0)
        host_track_begin(h, now_ps, index, f);
    if (s->per_peer)
        first = host_shared_begin(h, f);
    if (s->cc->on_start != NULL && first) {
        s->cc->on_start(host_cc(h, f), h->cfg->cc_config, now_ps);
        host_law_changed(h, now_ps, index, f);
    }
    if (h->cfg->params.overhead_ps != 0)
        host_overhead_begin(h, now_ps, index, f);
    host_flow_update(h, index, f);
}

/* Everything is acknowledged and, where replies are on, replied to; or its receiver knows that it was cancelled. */
void host_flow_finish(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    uint64_t bytes = host_seq_of(h, f, f->end) - f->msg_seq;
    f->msg_seq += bytes;
    f->since_ps = WEIR_NEVER;
    f->backoff = 0;
    f->flags &= (uint8_t) ~(HOST_BUSY | HOST_REPLIED | HOST_AGAIN | HOST_REPAIR);
    host_flow_update(h, index, f);
    if (s->per_peer)
        host_shared_end(h, f);
    h->stats.tx_done_bytes += host_flow_aborts(f) ? 0 : bytes;
    if (s->tracks.stride != 0)
        host_track_end(h, f->msg);
    h->sink.finished(h->sink.ctx, f->msg, now_ps);
    host_peer_release(h, now_ps, index, f);
}

static inline void flow_notify_law(const struct weir_host *h, uint64_t now_ps, struct host_flow *f,
                                   const struct weir_pkt *pkt, uint32_t acked_bytes, bool app_limited)
{
    const struct host_stream *s = host_stream_of(h);
    struct weir_ack ack = {
        .now_ps = now_ps,
        .rtt_ps = pkt->sent_ps != 0 && pkt->sent_ps < now_ps ? now_ps - pkt->sent_ps : 0,
        .acked_seq = host_seq_of(h, f, f->una),
        .next_seq = host_seq_of(h, f, f->next),
        .acked_bytes = acked_bytes,
        .marked_bytes = pkt->flags & WEIR_PKT_ECE ? acked_bytes : 0,
        .inflight_bytes = host_law_flow(h, f)->inflight_bytes,
        .flags = app_limited ? WEIR_ACK_APP_LIMITED : 0,
    };
    if (WEIR_UNLIKELY(h->extended & HOST_EXTENDED_ACKS)) {
        host_extended_ack(h, f, pkt, &ack);
        return;
    }
    if (ack.rtt_ps != 0)
        host_rto_sample(f, ack.rtt_ps);
    if (s->cc->on_ack != NULL)
        s->cc->on_ack(host_cc(h, f), h->cfg->cc_config, &ack);
}

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

/* The connection an ACK or REPLY answers, or NULL if it is none of ours: then it is counted. */
static inline struct host_flow *flow_of(struct weir_host *h, const struct weir_pkt *pkt)
{
    if (WEIR_LIKELY(pkt->conn < host_stream_of(h)->flows.count)) {
        struct host_flow *f = host_flow_at(h, pkt->conn);
        if (WEIR_LIKELY(f->dst == pkt->src))
            return f;
    }
    h->stats.refused_pkts++;
    return NULL;
}

struct host_flow *host_flow_of(struct weir_host *h, const struct weir_pkt *pkt)
{
    return flow_of(h, pkt);
}

/* Without SACK a duplicate says something too: a packet has left the network, perhaps that its ECE asks for a cut. */
static HOST_COLD void flow_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f,
                                     const struct weir_pkt *pkt, bool app_limited)
{
    if (!host_newreno_duplicate(h, now_ps, f, pkt))
        return;
    if (pkt->flags & WEIR_PKT_ECE)
        flow_notify_law(h, now_ps, f, pkt, 0, app_limited);
    host_law_changed(h, now_ps, pkt->conn, f);
    flow_update(h, pkt->conn, f);
}

void host_flow_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = flow_of(h, pkt);
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
        bytes = host_board_ack(h, f, pkt, advance);
    if (bytes == 0) { /* a duplicate: nothing new */
        if (s->newreno)
            flow_duplicate(h, now_ps, f, pkt, app_limited);
        return;
    }
    h->stats.tx_acked_bytes += bytes;
    if (WEIR_UNLIKELY(s->per_peer))
        host_shared_count(h, f);
    flow_notify_law(h, now_ps, f, pkt, bytes, app_limited);
    if (WEIR_UNLIKELY(f->board != 0))
        host_board_judge(h, now_ps, f);
    host_law_changed(h, now_ps, pkt->conn, f);
    f->backoff = 0;
    if (f->una == f->end && (h->cfg->params.reply_bytes == 0 || f->flags & HOST_REPLIED)) {
        host_flow_finish(h, now_ps, pkt->conn, f);
        return;
    }
    if (WEIR_LIKELY(f->board == 0) || host_newreno_restarts(h, pkt->conn))
        host_rto_restart(h, now_ps, pkt->conn, f);
    flow_update(h, pkt->conn, f);
}

/* Go-back-N: the receiver dropped what came after a missing packet. Acknowledges what came before it. */
void host_flow_nack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = flow_of(h, pkt);
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
    flow_update(h, pkt->conn, f);
}

/* Gives the law of a flow record a notice that came. */
void host_law_notify(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                     const struct weir_pkt *pkt)
{
    struct weir_notice notice = {
        .now_ps = now_ps, .value = pkt->value, .kind = (uint16_t)pkt->seq, .source = pkt->msg
    };
    host_stream_of(h)->cc->on_notice(host_cc(h, f), h->cfg->cc_config, &notice);
    host_law_changed(h, now_ps, index, f);
    flow_update(h, index, f);
}

/* A notice for the law. For an idle connection it is stale: what it is about has long arrived. */
void host_flow_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = flow_of(h, pkt);
    if (f == NULL)
        return;
    h->stats.rx_notice_pkts++;
    if (!(f->flags & HOST_BUSY) || host_stream_of(h)->cc->on_notice == NULL || pkt->seq == WEIR_NOTICE_WEIGHT ||
        pkt->seq == WEIR_NOTICE_RATE)
        return; /* weights and initial rates come from our own world only */
    host_law_notify(h, now_ps, pkt->conn, f, pkt);
}

/* The receiver's answer to the whole message: counts for the message it names, and is acknowledged in any case. */
void host_flow_reply(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = flow_of(h, pkt);
    if (f == NULL)
        return;
    host_rx_reply_ack(h, pkt);
    if (!(f->flags & HOST_BUSY) || f->flags & HOST_REPLIED || pkt->msg != f->msg || pkt->seq + 1 != f->end ||
        host_flow_aborts(f))
        return;
    if (f->next != f->end) { /* replies to what was never sent */
        h->stats.refused_pkts++;
        return;
    }
    f->flags |= HOST_REPLIED;
    if (f->una == f->end)
        host_flow_finish(h, now_ps, pkt->conn, f);
}

/* The next connection of the round robin, left at the front of the ring; those that ceased to be ready go. There must be
 * one. */
static inline uint32_t ready_front(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    for (;;) {
        uint32_t index = *(uint32_t *)host_ring_at(&s->ready, 0, sizeof(uint32_t));
        struct host_flow *f = host_flow_at(h, index);
        if (WEIR_LIKELY(f->flags & HOST_READY))
            return index;
        f->flags &= (uint8_t)~HOST_QUEUED;
        host_ring_drop(&s->ready);
    }
}

/* The front connection has sent: it goes to the end, or out if it may not send another packet now. */
static inline void ready_rotate(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        host_shared_sent(h, index, f);
        return;
    }
    if (flow_can_send(h, f) && !(f->flags & HOST_PACED)) {
        *(uint32_t *)host_ring_at(&host_stream_of(h)->ready, host_stream_of(h)->ready.count, sizeof(uint32_t)) =
            index; /* the front's own place if it is full */
        host_stream_of(h)->ready.count++;
    } else {
        f->flags &= (uint8_t) ~(HOST_READY | HOST_QUEUED);
        h->ready_count--;
    }
    host_ring_drop(&host_stream_of(h)->ready);
}

/* A packet that was sent before: what was lost comes first, then the last one for its reply. @return its index */
static HOST_COLD uint32_t flow_resend(struct weir_host *h, struct host_flow *f)
{
    h->stats.retransmissions++;
    h->sink.retransmitted(h->sink.ctx, f->msg);
    if (!(f->flags & HOST_AGAIN))
        return host_board_resend(h, f);
    f->flags &= (uint8_t)~HOST_AGAIN;
    return f->end - 1;
}

static inline void flow_write(struct weir_host *h, uint64_t now_ps, uint32_t index, const struct host_flow *f,
                              uint32_t seq, bool again, struct weir_pkt *out)
{
    bool last = seq + 1 == f->end;
    *out = (struct weir_pkt){
        .sent_ps = now_ps,
        .conn = index,
        .msg = f->msg,
        .seq = seq,
        .ack = f->first,
        .hash = WEIR_UNLIKELY(h->hash == WEIR_HASH_PACKET) ? host_spray(h) : f->hash,
        .src_word = h->data_src_word | (again ? WEIR_PKT_RETX : 0u),
        .dst_word = WEIR_PKT_DST_WORD(f->dst, WEIR_PKT_DATA),
        .size_word = h->data_size_word,
    };
    if (WEIR_UNLIKELY(last)) {
        out->wire_bytes = WEIR_PKT_BYTES(weir_framing_wire(&h->cfg->framing, f->last_bytes));
        out->payload_bytes = f->last_bytes;
        out->flags |= WEIR_PKT_END;
    }
}

static void flow_notify_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                             const struct weir_pkt *pkt)
{
    struct weir_sent sent = { now_ps, host_seq_of(h, f, pkt->seq), pkt->payload_bytes, pkt->flags & WEIR_PKT_RETX };
    host_stream_of(h)->cc->on_sent(host_cc(h, f), h->cfg->cc_config, &sent);
    host_law_changed(h, now_ps, index, f);
}

/* Length of the message in progress. */
static uint64_t flow_message_bytes(const struct weir_host *h, const struct host_flow *f)
{
    return (uint64_t)(f->end - f->first - 1) * h->mss_bytes + f->last_bytes;
}

/* Of its next packet. again: it was sent before */
static uint32_t flow_tokens(const struct weir_host *h, const struct host_flow *f, bool again)
{
    return !again && flow_message_bytes(h, f) <= h->cfg->token_bytes ? h->cfg->tokens : 0;
}

/* The class of its next packet, if that has so many tokens: by its virtual lane, or by the length of its message. */
static uint32_t flow_class(const struct weir_host *h, const struct host_flow *f, uint32_t tokens)
{
    const struct weir_host_params *params = &h->cfg->params;
    if (h->cfg->lanes > 0)
        return params->data_class + (tokens < h->cfg->lanes ? tokens : h->cfg->lanes - 1);
    return params->data_class + (params->short_bytes != 0 && flow_message_bytes(h, f) > params->short_bytes);
}

/* See HOST_EXTENDED_DATA. */
static HOST_COLD void flow_send_extended(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                                         struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    if (h->extended & HOST_EXTENDED_STAMP)
        pkt->qdelay = 0; /* which leaves the time modulo 2^48 */
    if (h->cfg->rtt_unit_ps != 0)
        pkt->rtt = weir_rcp_rtt_code((uint64_t)(f->srtt_8 / 8) << HOST_RTT_SHIFT, h->cfg->rtt_unit_ps);
    if (h->cfg->wrr)
        pkt->weight = host_track_weight(h, f->msg);
    if (h->cfg->tokens > 0)
        pkt->tokens = WEIR_PKT_TOKENS(flow_tokens(h, f, pkt->flags & WEIR_PKT_RETX));
    if (h->cfg->lanes > 0 || h->cfg->params.short_bytes != 0)
        pkt->class_id = WEIR_PKT_CLASS(flow_class(h, f, pkt->tokens));
    if (s->tcps.stride != 0)
        host_tcp_sent(h, index, pkt);
    if (s->source_marks)
        host_source_mark(h, pkt);
    if (s->cc->on_sent != NULL)
        flow_notify_sent(h, now_ps, index, f, pkt);
}

/* Writes one packet of the next connection of the round robin; h->ready_count > 0. @return 1, how many */
uint32_t host_flow_send(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t index = ready_front(h), seq;
    struct host_flow *f = host_flow_at(h, index);
    bool again = host_flow_sends_again(h, f);
    if (WEIR_UNLIKELY(again)) {
        seq = flow_resend(h, f);
    } else {
        seq = f->next++;
        f->inflight_bytes += host_pkt_bytes(h, f, seq);
    }
    flow_write(h, now_ps, index, f, seq, again, out);
    h->stats.tx_data_pkts++;
    if (f->since_ps == WEIR_NEVER)
        host_rto_restart(h, now_ps, index, f);
    if (WEIR_UNLIKELY(h->extended & HOST_EXTENDED_DATA))
        flow_send_extended(h, now_ps, index, f, out);
    if (WEIR_UNLIKELY(host_cc(h, f)->rate_bps != WEIR_RATE_OPEN))
        host_pace(h, now_ps, index, f, out->wire_bytes);
    if (WEIR_UNLIKELY(s->per_peer) && h->cfg->params.overhead_ps != 0 && f->next == f->end && !again)
        host_overhead_sent(h, now_ps, index, f, out->wire_bytes);
    ready_rotate(h, index, f);
    if (s->ready.count > 0)
        host_flow_prefetch(h, *(uint32_t *)host_ring_at(&s->ready, 0, sizeof(uint32_t)));
    return 1;
}

/* The connections of the round robin before the one that sends next: it is ready, and the class of its next packet is not paused.
 * The first of those, or with host.short the first of those with a short message, if there are any. HOST_NONE = none may */
static uint32_t ready_passed(const struct weir_host *h)
{
    const struct host_stream *s = host_stream_of(h);
    uint32_t last_class = h->cfg->params.short_bytes != 0 ? h->cfg->params.data_class : WEIR_PKT_CLASSES_MAX,
             first = HOST_NONE;
    for (uint32_t i = 0; i < s->ready.count; i++) {
        const struct host_flow *f = host_flow_at(h, *(const uint32_t *)host_ring_at(&s->ready, i, sizeof(uint32_t)));
        uint32_t class_id = flow_class(h, f, flow_tokens(h, f, host_flow_sends_again(h, f)));
        if (!(f->flags & HOST_READY) || (h->paused_classes >> class_id & 1) != 0)
            continue;
        if (class_id <= last_class)
            return i;
        if (first == HOST_NONE)
            first = i;
    }
    return first;
}

HOST_COLD bool host_flow_has_open(const struct weir_host *h)
{
    return ready_passed(h) != HOST_NONE;
}

/* As host_flow_send(): those that are passed over go to the end of the round robin. */
HOST_COLD uint32_t host_flow_send_open(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct host_stream *s = host_stream_of(h);
    for (uint32_t passed = ready_passed(h); passed > 0; passed--) {
        uint32_t index = *(const uint32_t *)host_ring_at(&s->ready, 0, sizeof(uint32_t));
        *(uint32_t *)host_ring_at(&s->ready, s->ready.count, sizeof(uint32_t)) = index; /* as in ready_rotate() */
        s->ready.count++;
        host_ring_drop(&s->ready);
    }
    return host_flow_send(h, now_ps, out);
}
