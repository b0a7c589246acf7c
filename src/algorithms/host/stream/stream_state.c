/* src/algorithms/host/stream/stream_state.c - the state of a sender-driven host, given to be compared and moved
 * (core/state.h). What is left out, and why: doc/skip.md. */
#include "core/state.h"
#include "host/stream/inbound.h"
#include "host/stream/loss.h"
#include "host/stream/notes.h"
#include "host/stream/pace.h"
#include "host/stream/stream_state.h"

/* Extended fields that are part of the state. Packets have them. While an ACK waits, its arrival_ps is when its DATA
 * arrived. */
#define EXTENDED_GIVEN ((uint32_t)(HOST_EXTENDED_NOTED | HOST_EXTENDED_ACKS | HOST_EXTENDED_HELD | HOST_EXTENDED_STAMP))

/* Tests whether packets have no other extended fields than these. DATA with a queueing delay is extended, too. */
static bool is_given(const struct weir_host *h)
{
    const struct weir_host_config *cfg = h->cfg;
    bool delays_alone = (h->extended & HOST_EXTENDED_STAMP) != 0 && !cfg->wrr && cfg->tokens == 0 && cfg->lanes == 0 &&
                        cfg->params.short_bytes == 0 && !host_stream_of(h)->source_marks;
    return (h->extended & ~(EXTENDED_GIVEN | (delays_alone ? (uint32_t)HOST_EXTENDED_DATA : 0))) == 0;
}

const char *host_stream_state_why(const struct weir_host *h)
{
    const struct host_stream *s = host_stream_of(h);
    const struct weir_cc_ops *cc = s->cc;
    if (s->per_peer || s->rx_states.stride != 0 || s->rx_law != NULL)
        return "laws with one state per destination or with a receiver half give no state";
    if (cc->on_timer != NULL || cc->on_sent != NULL || cc->on_ack == NULL || cc->state_bytes > HOST_LAW_COPY)
        return "laws that are told of more than acknowledgements cannot be replayed";
    if (s->tcps.stride != 0)
        return "host.handshake, host.reliability: newreno and host.ecn: rfc3168 give no state";
    if (s->weighted)
        return "host.nic_schedule: weighted gives no state";
    if (h->cfg->params.overhead_ps != 0)
        return "host.overhead gives no state";
    return is_given(h) ? NULL : "fields of packets beyond the basic ones give no state";
}

uint32_t host_stream_una(const struct weir_host *h, uint32_t conn)
{
    WEIR_ASSERT(host_stream_of(h)->cc != NULL);
    return conn < host_stream_of(h)->flows.count ? host_flow_at(h, conn)->una : 0;
}

/* Gives a connection. Of its law rate and timer are given, and no more: see notes.c. */
static void state_flow(const struct weir_host *h, struct weir_state *s, struct host_flow *f)
{
    struct weir_cc *cc = host_cc(h, f);
    uint32_t una = f->una;
    bool is_limited = host_before(una, f->limited);
    if (f->board != 0)
        weir_state_unready(s, "connections repair losses");
    weir_state_value(s, (uint64_t)(f->flags & (uint32_t)~HOST_TIMED) << 32 | f->inflight_bytes);
    weir_state_value(s, (uint64_t)f->backoff << 48 | (uint64_t)f->last_bytes << 32 | f->msg);
    weir_state_value(s, (uint64_t)f->dst << 32 | f->hash);
    weir_state_value(s, (uint64_t)f->first << 32 | f->end);
    weir_state_value(s, f->msg_seq);
    weir_state_value(s, (uint64_t)f->srtt_8 << 32 | f->rttvar_4);
    weir_state_value(s, (uint64_t)(una == f->first) << 2 | (uint64_t)(f->next == f->first) << 1 | host_flow_aborts(f));
    weir_state_value(s, is_limited ? f->limited - una : 0);
    weir_state_sum32(s, &f->limited);
    weir_state_left(s, f->end - f->next);
    weir_state_time(s, &f->since_ps);
    weir_state_value(s, cc->rate_bps);
    weir_state_value(s, cc->timer_ps == WEIR_NEVER ? WEIR_NEVER : cc->timer_ps - s->now_ps);
    weir_state_seq(s, &f->next, una);
    weir_state_sum32(s, &f->una);
}

/* Gives the pacer of connection f. While no rate is set, or there is no message, it does nothing, and its times do not
 * matter. Else a past next_ps matters only if the window is open. The next packet then makes up for a wait from next_ps
 * or open_ps on, the later of the two. */
static void state_pacer(struct weir_state *s, const struct host_flow *f, struct host_pacer *p)
{
    bool is_off = p->rate_bps == WEIR_RATE_OPEN || (f->flags & HOST_BUSY) == 0;
    bool is_still = is_off && (f->flags & HOST_PACED) == 0 && p->armed_ps == WEIR_NEVER;
    bool is_open = p->open_ps != WEIR_NEVER;
    weir_state_value(s, (uint64_t)p->wire_bytes << 3 | (uint64_t)p->is_new << 2 | (uint64_t)is_still << 1 | is_open);
    weir_state_value(s, p->rate_bps);
    if (!is_still) {
        weir_state_when(s, p->since_ps - s->now_ps);
        weir_state_when(s, p->from_ps - s->now_ps);
        weir_state_when(s, p->armed_ps == WEIR_NEVER ? WEIR_NEVER : p->armed_ps - s->now_ps);
        weir_state_when(s, p->next_ps > s->now_ps ? p->next_ps - s->now_ps : 0);
        weir_state_when(s, is_open ? weir_max_u64(p->next_ps, p->open_ps) - s->now_ps : 0);
    }
    weir_state_sum(s, &p->since_ps);
    weir_state_sum(s, &p->from_ps);
    weir_state_sum(s, &p->next_ps);
    weir_state_sum(s, &p->open_ps);
    if (s->pass == WEIR_STATE_MOVE && p->armed_ps != WEIR_NEVER) /* stays with its entry of the heap */
        p->armed_ps += s->periods * s->period_ps;
}

/* Gives a receiving connection. Packet numbers are relative to its sender's. */
static void state_rx(struct weir_state *s, struct host_rx *r)
{
    uint32_t una;
    weir_state_value(s, r->gap);
    if (r->gap == HOST_RX_FREE)
        return;
    if (r->gap != 0)
        weir_state_unready(s, "packets arrive out of order");
    una = s->una(s->ctx, r->src, r->conn);
    weir_state_value(s, (uint64_t)r->src << 32 | r->conn);
    weir_state_value(s, (uint64_t)r->pending << 8 | (r->flags & ~(uint32_t)HOST_RX_TIMED));
    weir_state_value(s, (uint64_t)r->first << 32 | r->end);
    weir_state_value(s, (uint64_t)r->msg << 1 | (r->cum == r->first));
    weir_state_sum32(s, &r->marks);
    if ((r->flags & HOST_RX_END) != 0)
        weir_state_left(s, r->end - r->cum);
    if (r->pending > 0) {
        weir_state_seq(s, &r->pending_seq, una);
        weir_state_value(s, r->pending_hash);
        weir_state_stamp(s, &r->pending_sent_ps);
        weir_state_time(s, &r->ack_at_ps);
    }
    weir_state_until(s, &r->nack_ps);
    weir_state_seq(s, &r->cum, una);
}

void host_stream_state(struct weir_host *h, struct weir_state *s)
{
    struct host_stream *stream = host_stream_of(h);
    if (stream->urgent)
        weir_state_unready(s, "packets have priorities");
    weir_state_value(s, (uint64_t)stream->flows.count << 32 | stream->rxs.count);
    weir_state_value(s, stream->pacers.count);
    weir_state_value(s, (uint64_t)stream->rx_active << 32 | stream->ready.count);
    for (uint32_t i = 0; i < stream->ready.count; i++)
        weir_state_value(s, *(uint32_t *)host_ring_at(&stream->ready, i, sizeof(uint32_t)));
    for (uint32_t i = 0; i < stream->rxs.count && !s->differs; i++)
        state_rx(s, host_rx_at(h, i));
    for (uint32_t i = 0; i < stream->flows.count && !s->differs; i++)
        state_flow(h, s, host_flow_at(h, i));
    for (uint32_t i = 0; i < stream->pacers.count && !s->differs; i++)
        state_pacer(s, host_flow_at(h, i), HOST_RECORD(struct host_pacer, &stream->pacers, i));
    for (uint32_t i = 0; s->pass == WEIR_STATE_MOVE && i < stream->paced.count; i++)
        stream->paced.entry[i].at_ps += s->periods * s->period_ps;
}
