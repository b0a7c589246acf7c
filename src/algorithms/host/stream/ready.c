/* src/algorithms/host/stream/ready.c - which connections may send now, where it is not plain, and laws whose state is
 * one per destination (weir_cc_ops.per_peer). For those a flow record without a connection holds the state, the bytes
 * in flight of all connections to the destination, and whether it is paced. Connections that have a packet to send
 * stand in the destination's line; only the first may be ready, so one message is sent after another. */
#include "host/stream/ready.h"

/* Tests whether this connection has a packet to send, whatever its window. */
bool host_flow_has_packet(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (board != NULL && board->lost_pkts > 0)
        return true;
    if (f->next == f->end)
        return f->flags & HOST_AGAIN;
    return f->next - f->una < h->window_pkts;
}

/* Decides host_flow_may_send() where the message ends, or packets are out of order, or very many are in flight. */
HOST_COLD bool host_flow_may_send_rare(const struct weir_host *h, struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (!host_flow_has_packet(h, f))
        return false;
    if (board != NULL && board->lost_pkts > 0)
        return f->flags & HOST_REPAIR || host_window_admits(h, f, h->mss_bytes);
    return f->next == f->end || host_window_admits(h, f, host_pkt_bytes(h, f, f->next));
}

/* Gives a connection that may send now and could not before its place in the round, unless it kept it since it was
 * ready last. */
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
static inline void ready_set(struct weir_host *h, uint32_t index, struct host_flow *f, bool can)
{
    if (f->flags & HOST_READY) {
        f->flags ^= can ? 0 : HOST_READY;
        h->ready_count -= !can;
    } else if (can) {
        ready_enter(h, index, f);
    }
}

/* ---- destinations whose law is per_peer ---- */

/* Counts a message that begins. @return true if no other to its destination is under way */
bool host_shared_begin(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->busy++ == 0;
}

/* Tests whether a message to its destination has a packet to send. */
bool host_shared_waits(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->line_head != HOST_NONE;
}

/* Counts a message that has ended. */
void host_shared_end(const struct weir_host *h, struct host_flow *f)
{
    WEIR_ASSERT(host_peer_at(h, host_member_of(f)->peer)->busy > 0);
    host_peer_at(h, host_member_of(f)->peer)->busy--;
}

/* Brings the destination's sum of bytes in flight up to date. */
void host_shared_count(const struct weir_host *h, struct host_flow *f)
{
    struct host_member *m = host_member_of(f);
    struct host_flow *shared = host_flow_at(h, m->shared);
    WEIR_CHECK(shared->shared);
    WEIR_CHECK(shared->inflight_bytes >= m->counted_bytes);
    shared->inflight_bytes += f->inflight_bytes - m->counted_bytes;
    m->counted_bytes = f->inflight_bytes;
}

static void line_join(const struct weir_host *h, struct host_peer *peer, uint32_t index, struct host_flow *f)
{
    WEIR_CHECK(!host_member_of(f)->in_line);
    host_member_of(f)->in_line = true;
    host_member_of(f)->next = HOST_NONE;
    if (peer->line_head == HOST_NONE)
        peer->line_head = index;
    else
        host_member_of(host_flow_at(h, peer->line_tail))->next = index;
    peer->line_tail = index;
}

static void line_drop(struct host_peer *peer, struct host_flow *f)
{
    WEIR_CHECK(host_member_of(f)->in_line);
    host_member_of(f)->in_line = false;
    peer->line_head = host_member_of(f)->next;
}

/* Lets the first in line send if the law admits it. */
static void line_update(struct weir_host *h, struct host_peer *peer)
{
    const struct host_flow *shared = host_flow_at(h, peer->shared);
    while (peer->line_head != HOST_NONE) {
        uint32_t index = peer->line_head;
        struct host_flow *f = host_flow_at(h, index);
        bool has = host_flow_has_packet(h, f);
        ready_set(h, index, f, has && !(shared->flags & HOST_PACED) && host_flow_may_send(h, f));
        if (has)
            return;
        line_drop(peer, f);
    }
}

/* Updates a destination: by one of its connections, or by the record that holds the law's state. */
static HOST_COLD void shared_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_peer *peer = host_peer_at(h, f->shared ? f->msg : host_member_of(f)->peer);
    if (!f->shared) {
        host_shared_count(h, f);
        if (!host_member_of(f)->in_line && host_flow_has_packet(h, f))
            line_join(h, peer, index, f);
    }
    line_update(h, peer);
}

/* Keeps the ready ring and its count true; to be called after every change to what the connection may send. */
void host_ready_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        shared_update(h, index, f);
        return;
    }
    ready_set(h, index, f, host_flow_may_send(h, f) && !(f->flags & HOST_PACED));
}

/* Moves the destination whose connection has sent a packet, at the front of the ready ring, to its end, or out. */
void host_shared_sent(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    f->flags &= (uint8_t) ~(HOST_READY | HOST_QUEUED);
    h->ready_count--;
    host_ring_drop(&host_stream_of(h)->ready);
    shared_update(h, index, f);
}

/* Takes a connection out of the line and the sum of its destination, which is forgotten: the caller clears both. */
void host_shared_forget(struct host_flow *f)
{
    host_member_of(f)->in_line = false;
    host_member_of(f)->counted_bytes = 0;
}
