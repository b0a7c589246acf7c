/* src/host/stream/ready.h - which connections may send now: the ready ring. Per packet, hence inline. */
#ifndef WEIR_HOST_STREAM_READY_H
#define WEIR_HOST_STREAM_READY_H
#include "host/stream/loss.h"
#include "host/stream/peers.h"

bool host_flow_has_packet(const struct weir_host *h, const struct host_flow *f);
bool host_flow_may_send_rare(const struct weir_host *h, struct host_flow *f);
bool host_shared_begin(const struct weir_host *h, struct host_flow *f);
bool host_shared_waits(const struct weir_host *h, struct host_flow *f);
void host_shared_end(const struct weir_host *h, struct host_flow *f);
void host_shared_count(const struct weir_host *h, struct host_flow *f);
void host_shared_update(struct weir_host *h, uint32_t index, struct host_flow *f);
void host_shared_sent(struct weir_host *h, uint32_t index, struct host_flow *f);
void host_shared_forget(struct host_flow *f);

/* Tests whether the window admits `bytes` more, and notes it when it does not. With nothing in flight it always does, or a window below
 * one packet would never receive an ACK again. */
static inline bool host_window_admits(const struct weir_host *h, struct host_flow *f, uint32_t bytes)
{
    const struct host_flow *law = host_law_flow(h, f);
    if (WEIR_LIKELY(law->inflight_bytes + bytes <= host_cc(h, f)->cwnd_bytes) || law->inflight_bytes == 0)
        return true;
    f->limited = f->next;
    return false;
}

/* Tests whether this connection may send now, whatever the pacer. */
static inline bool host_flow_may_send(const struct weir_host *h, struct host_flow *f)
{
    if (WEIR_UNLIKELY(f->board != 0 || f->end - f->next <= 1 || f->next - f->una >= h->window_pkts))
        return host_flow_may_send_rare(h, f);
    return host_window_admits(h, f, h->mss_bytes);
}

/* Gives a connection that may send now and could not before its place in the round, unless it kept it since it was ready last. */
static inline void ready_enter(struct weir_host *h, uint32_t index, struct host_flow *f)
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

/* Sets whether a connection may send. One that may send no longer stays in the ready ring until it is first there. */
static inline void host_ready_set(struct weir_host *h, uint32_t index, struct host_flow *f, bool can)
{
    if (f->flags & HOST_READY) {
        f->flags ^= can ? 0 : HOST_READY;
        h->ready_count -= !can;
    } else if (can) {
        ready_enter(h, index, f);
    }
}

/* Keeps the ready ring and its count true; to be called after every change to what the connection may send. */
static inline void host_flow_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        host_shared_update(h, index, f);
        return;
    }
    host_ready_set(h, index, f, host_flow_may_send(h, f) && !(f->flags & HOST_PACED));
}
#endif
