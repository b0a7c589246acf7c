/* src/algorithms/host/stream/send.c - DATA packets of sending connections: which connection sends next, and the
 * contents of a packet. */
#include "core/rcp_code.h"
#include "host/stream/law.h"
#include "host/stream/mark.h"
#include "host/stream/ready.h"
#include "host/stream/schedule.h"
#include "host/stream/send.h"
#include "host/stream/tcp.h"
#include "host/stream/track.h"

/* Returns the first ready connection of the round robin, which stays at the front of the ring. Removes the connections
 * before it from the ring: they are no longer ready. There must be a ready connection. */
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

/* Moves the front connection, which has sent, to the end of the ring, or removes it if it may not send more now. */
static inline void ready_rotate(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        host_shared_sent(h, now_ps, index, f);
        return;
    }
    if (host_flow_may_send(h, f) && !(f->flags & HOST_PACED)) {
        *(uint32_t *)host_ring_at(&host_stream_of(h)->ready, host_stream_of(h)->ready.count, sizeof(uint32_t)) =
            index; /* in a full ring this is the front's own entry */
        host_stream_of(h)->ready.count++;
    } else {
        f->flags &= (uint8_t) ~(HOST_READY | HOST_QUEUED);
        h->ready_count--;
    }
    host_ring_drop(&host_stream_of(h)->ready);
}

/* Takes the packet to retransmit: the first lost one or, if only the REPLY is missing, the last one of the message.
 * @return its packet number */
static HOST_COLD uint32_t flow_resend(struct weir_host *h, struct host_flow *f)
{
    WEIR_ASSERT(f->una != f->next || f->flags & HOST_AGAIN);
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

/* Returns the tokens of the connection's next packet. again: the packet is a retransmission */
static uint32_t flow_tokens(const struct weir_host *h, const struct host_flow *f, bool again)
{
    return !again && host_message_bytes(h, f) <= h->cfg->token_bytes ? h->cfg->tokens : 0;
}

/* Returns the class of the connection's next packet. With virtual lanes the tokens decide, else the length of the
 * message. tokens: of that packet */
static uint32_t flow_class(const struct weir_host *h, const struct host_flow *f, uint32_t tokens)
{
    const struct weir_host_params *params = &h->cfg->params;
    uint32_t priority = host_flow_priority(h, f);
    if (priority > 0)
        return priority;
    if (h->cfg->lanes > 0)
        return params->data_class + (tokens < h->cfg->lanes ? tokens : h->cfg->lanes - 1);
    return params->data_class + (params->short_bytes != 0 && host_message_bytes(h, f) > params->short_bytes);
}

/* Adds the fields of HOST_EXTENDED_DATA to a packet that leaves, and calls the law's on_sent(). */
static HOST_COLD void flow_send_extended(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                                         struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    if (h->extended & HOST_EXTENDED_STAMP)
        pkt->qdelay = 0; /* the other bits keep sent_ps modulo 2^48 */
    if (h->cfg->rtt_unit_ps != 0)
        pkt->rtt = weir_rcp_rtt_code((uint64_t)(f->srtt_8 / 8) << HOST_RTT_SHIFT, h->cfg->rtt_unit_ps);
    if (h->cfg->wrr)
        pkt->weight = host_track_weight(h, f->msg);
    if (h->cfg->tokens > 0)
        pkt->tokens = WEIR_PKT_TOKENS(flow_tokens(h, f, pkt->flags & WEIR_PKT_RETX));
    if (h->cfg->lanes > 0 || h->cfg->params.short_bytes != 0 || s->urgent)
        pkt->class_id = WEIR_PKT_CLASS(flow_class(h, f, pkt->tokens));
    if (s->tcps.stride != 0)
        host_tcp_sent(h, index, pkt);
    if (s->source_marks)
        host_source_mark(h, pkt);
    if (s->cc->on_sent != NULL)
        host_law_sent(h, now_ps, index, f, pkt);
}

/* Writes one DATA packet of the connection at the front of the ready ring. Needs h->ready_count > 0. @return 1 */
static inline uint32_t send_front(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
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
    WEIR_CHECK(f->next - f->una <= h->window_pkts);
    flow_write(h, now_ps, index, f, seq, again, out);
    h->stats.tx_data_pkts++;
    if (f->since_ps == WEIR_NEVER)
        host_rto_restart(h, now_ps, index, f);
    if (WEIR_UNLIKELY(h->extended & HOST_EXTENDED_DATA))
        flow_send_extended(h, now_ps, index, f, out);
    if (WEIR_UNLIKELY(host_cc(h, f)->rate_bps != WEIR_RATE_OPEN))
        host_pace(h, now_ps, index, f, out->wire_bytes, host_flow_may_send(h, f));
    if (WEIR_UNLIKELY(s->per_peer) && h->cfg->params.overhead_ps != 0 && f->next == f->end && !again)
        host_overhead_sent(h, now_ps, index, f, out->wire_bytes);
    if (WEIR_UNLIKELY(s->weighted))
        host_schedule_sent(h, index, f, out->wire_bytes);
    ready_rotate(h, now_ps, index, f);
    if (s->ready.count > 0)
        host_flow_prefetch(h, *(uint32_t *)host_ring_at(&s->ready, 0, sizeof(uint32_t)));
    return 1;
}

/* Returns the connection at an index of the ready ring. */
static const struct host_flow *ready_at(const struct weir_host *h, uint32_t index)
{
    WEIR_ASSERT(index < host_stream_of(h)->ready.count);
    return host_flow_at(h, *(const uint32_t *)host_ring_at(&host_stream_of(h)->ready, index, sizeof(uint32_t)));
}

/* Returns the class of a connection's next packet. */
static uint32_t next_class(const struct weir_host *h, const struct host_flow *f)
{
    return flow_class(h, f, flow_tokens(h, f, host_flow_sends_again(h, f)));
}

/* Returns the index in the ready ring of the connection that sends in place of the one at `index`, which has the same
 * destination. It is the first with the most urgent message whose class is not paused. */
static uint32_t ready_urgent(const struct weir_host *h, uint32_t index)
{
    const struct host_stream *s = host_stream_of(h);
    const struct host_flow *best = ready_at(h, index);
    for (uint32_t i = index + 1; i < s->ready.count; i++) {
        const struct host_flow *f = ready_at(h, i);
        if (!(f->flags & HOST_READY) || f->dst != best->dst || host_flow_priority(h, f) >= host_flow_priority(h, best))
            continue;
        uint32_t class_id = next_class(h, f);
        if ((h->paused_classes >> class_id & 1) != 0)
            continue;
        best = f;
        index = i;
    }
    return index;
}

/* Tests whether the connection at an index of the ready ring may send. *is_long: set to whether connections with a
 * short message go before it */
static bool ready_may(const struct weir_host *h, uint32_t index, bool *is_long)
{
    const struct weir_host_params *params = &h->cfg->params;
    const struct host_flow *f = ready_at(h, index);
    *is_long = false;
    if (!(f->flags & HOST_READY)) /* it may have no message any more */
        return false;
    if ((h->hold & HOST_HOLD_BY_CLASS) == 0)
        return true;
    uint32_t class_id = next_class(h, f);
    *is_long = params->short_bytes != 0 && class_id > params->data_class && !host_stream_of(h)->urgent;
    return (h->paused_classes >> class_id & 1) == 0;
}

/* Returns the start of the next packet of the connection at an index of the ready ring, which has an order only with
 * host.nic_schedule: weighted. */
static uint64_t ready_start(const struct weir_host *h, uint32_t index)
{
    const struct host_ring *ready = &host_stream_of(h)->ready;
    uint32_t flow = *(const uint32_t *)host_ring_at(ready, index, sizeof(uint32_t));
    return host_stream_of(h)->weighted ? host_schedule_start(h, flow, host_flow_at(h, flow)) : 0;
}

/* Returns how many connections of the ready ring are before the one that sends next. The connection that sends next is
 * ready, and its next packet's class is not paused. With host.short, connections with a short message have precedence.
 * Of those that are left it is the one whose packet starts first, of several the first of the ring. With priorities
 * ready_urgent() then chooses among those to its destination.
 * @return HOST_NONE = none may send */
static uint32_t ready_passed(const struct weir_host *h)
{
    const struct host_stream *s = host_stream_of(h);
    bool best_is_long = false, is_long;
    uint32_t best = HOST_NONE;
    uint64_t best_start = 0;
    for (uint32_t i = 0; i < s->ready.count; i++) {
        if (!ready_may(h, i, &is_long) || (best != HOST_NONE && is_long && !best_is_long))
            continue;
        uint64_t start = ready_start(h, i);
        if (best != HOST_NONE && is_long == best_is_long && start >= best_start)
            continue;
        best = i;
        best_start = start;
        best_is_long = is_long;
        if (!is_long && !s->weighted)
            break;
    }
    return best;
}

/* Tests whether a connection may send a DATA packet of a class that is not paused. */
HOST_COLD bool host_flow_has_open(const struct weir_host *h)
{
    return ready_passed(h) != HOST_NONE;
}

/* Writes one DATA packet of a class that is not paused; some connection must have one. First moves the connections
 * before the one that sends to the end of the ring. @return 1 */
HOST_COLD uint32_t host_flow_send_open(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t passed = ready_passed(h);
    if (s->urgent)
        passed = ready_urgent(h, passed);
    WEIR_CHECK(passed < s->ready.count);
    for (; passed > 0; passed--) {
        uint32_t index = *(const uint32_t *)host_ring_at(&s->ready, 0, sizeof(uint32_t));
        *(uint32_t *)host_ring_at(&s->ready, s->ready.count, sizeof(uint32_t)) = index; /* as in ready_rotate() */
        s->ready.count++;
        host_ring_drop(&s->ready);
    }
    return send_front(h, now_ps, out);
}

/* Writes one DATA packet of the connection that sends next. Needs h->ready_count > 0, and no class of DATA may be
 * paused by itself. @return 1 */
uint32_t host_flow_send(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    return WEIR_UNLIKELY(host_stream_of(h)->weighted) ? host_flow_send_open(h, now_ps, out)
                                                      : send_front(h, now_ps, out);
}
