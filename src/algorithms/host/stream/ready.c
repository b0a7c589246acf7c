/* src/algorithms/host/stream/ready.c - which connections may send now: the general path, and laws with one state per
 * destination (weir_cc_ops.per_peer). For such a law a flow record without a connection holds the law's state, the
 * bytes in flight of all connections to the destination, and the flag HOST_PACED. Connections with a packet to send are
 * in the destination's line. Only the first in the line may be ready, so messages are sent one after another. */
#include "host/stream/ready.h"

/* Tests whether connection f has a packet to send, regardless of cwnd and pacer. A message that waits for memory of its
 * receiver has none, nor has one of which a single packet may be in flight, and is. Others to the destination go on. */
bool host_flow_has_packet(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (board != NULL && (board->waits || (board->tries && f->inflight_bytes > 0)))
        return false;
    if (board != NULL && board->lost_pkts > 0)
        return true;
    if (f->next == f->end)
        return f->flags & HOST_AGAIN;
    return f->next - f->una < h->window_pkts;
}

/* Tests the same as host_flow_may_send(), for rare cases: at most one packet of the message was never sent, the
 * connection has a scoreboard, or the window of packets is full. */
HOST_COLD bool host_flow_may_send_rare(const struct weir_host *h, struct host_flow *f)
{
    const struct host_board *board = host_board_of(h, f);
    if (!host_flow_has_packet(h, f))
        return false;
    if (board != NULL && board->lost_pkts > 0)
        return f->flags & HOST_REPAIR || host_window_admits(h, f, h->mss_bytes);
    return f->next == f->end || host_window_admits(h, f, host_pkt_bytes(h, f, f->next));
}

/* Marks a connection as ready, which it was not. Appends it to the ready ring, unless it is still in the ring from
 * before. */
static inline void ready_enter(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    bool queued = f->flags & HOST_QUEUED;
    h->ready_count++;
    f->flags |= HOST_READY | HOST_QUEUED;
    if (queued)
        return;
    WEIR_ASSERT(s->ready.count < s->ready.capacity); /* one entry per connection, reserved when it was made */
    *(uint32_t *)host_ring_at(&s->ready, s->ready.count++, sizeof(uint32_t)) = index;
}

/* Sets whether a connection may send. A connection that may not send any more stays in the ready ring until it reaches
 * the front. */
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

/* Counts a message that begins on connection f. @return true if no other message to its destination is unfinished */
bool host_shared_begin(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->busy++ == 0;
}

/* Tests whether any connection is in the line of f's destination. */
bool host_shared_waits(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->line_head != HOST_NONE;
}

/* Counts a message of f's destination that has ended. */
void host_shared_end(const struct weir_host *h, struct host_flow *f)
{
    WEIR_ASSERT(host_peer_at(h, host_member_of(f)->peer)->busy > 0);
    host_peer_at(h, host_member_of(f)->peer)->busy--;
}

/* Updates the destination's sum of bytes in flight by the change of f->inflight_bytes since the last call. */
void host_shared_count(const struct weir_host *h, struct host_flow *f)
{
    struct host_member *m = host_member_of(f);
    struct host_flow *shared = host_flow_at(h, m->shared);
    WEIR_CHECK(shared->shared);
    WEIR_CHECK(shared->inflight_bytes >= m->counted_bytes);
    shared->inflight_bytes += f->inflight_bytes - m->counted_bytes;
    m->counted_bytes = f->inflight_bytes;
}

/* Returns the connection of the destination's line that a connection with a message of this priority follows. @return
 * HOST_NONE = it becomes the first */
static uint32_t line_before(const struct weir_host *h, const struct host_peer *peer, uint32_t priority)
{
    uint32_t before = HOST_NONE;
    for (uint32_t i = peer->line_head; i != HOST_NONE; i = host_member_of(host_flow_at(h, i))->next) {
        if (host_flow_priority(h, host_flow_at(h, i)) > priority)
            break;
        before = i;
    }
    return before;
}

/* Adds a connection to the line: behind all, or with priorities behind the last one that is as urgent. If it becomes
 * the first, the former first one may not send any more. */
static void line_join(struct weir_host *h, struct host_peer *peer, uint32_t index, struct host_flow *f)
{
    struct host_member *m = host_member_of(f);
    uint32_t before = peer->line_head == HOST_NONE ? HOST_NONE : peer->line_tail;
    WEIR_CHECK(!m->in_line);
    if (WEIR_UNLIKELY(host_stream_of(h)->urgent))
        before = line_before(h, peer, host_flow_priority(h, f));
    m->in_line = true;
    if (before == HOST_NONE) {
        if (peer->line_head != HOST_NONE)
            ready_set(h, peer->line_head, host_flow_at(h, peer->line_head), false);
        m->next = peer->line_head;
        peer->line_head = index;
    } else {
        m->next = host_member_of(host_flow_at(h, before))->next;
        host_member_of(host_flow_at(h, before))->next = index;
    }
    if (m->next == HOST_NONE)
        peer->line_tail = index;
}

/* Takes a connection out of the line. before: the one in front of it; HOST_NONE = it is the first */
static void line_take_out(const struct weir_host *h, struct host_peer *peer, uint32_t before, struct host_flow *f)
{
    WEIR_CHECK(host_member_of(f)->in_line);
    host_member_of(f)->in_line = false;
    if (before == HOST_NONE)
        peer->line_head = host_member_of(f)->next;
    else
        host_member_of(host_flow_at(h, before))->next = host_member_of(f)->next;
}

/* Removes connections without a packet to send from the front of the line, then sets whether the first connection is
 * ready. */
static void line_update(struct weir_host *h, uint64_t now_ps, struct host_peer *peer)
{
    const struct host_flow *shared = host_flow_at(h, peer->shared);
    while (peer->line_head != HOST_NONE) {
        uint32_t index = peer->line_head;
        struct host_flow *f = host_flow_at(h, index);
        bool has = host_flow_has_packet(h, f), admitted = has && host_flow_may_send(h, f);
        ready_set(h, index, f, admitted && !(shared->flags & HOST_PACED));
        if (has) {
            host_pace_open(h, now_ps, peer->shared, admitted);
            return;
        }
        line_take_out(h, peer, HOST_NONE, f);
    }
    host_pace_open(h, now_ps, peer->shared, false);
}

/* Updates the line of a destination after a change of f, which is one of its connections or the record with its law's
 * state. */
static HOST_COLD void shared_update(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_peer *peer = host_peer_at(h, f->shared ? f->msg : host_member_of(f)->peer);
    if (!f->shared) {
        host_shared_count(h, f);
        if (!host_member_of(f)->in_line && host_flow_has_packet(h, f))
            line_join(h, peer, index, f);
    }
    line_update(h, now_ps, peer);
}

/* Updates the ready ring and h->ready_count. To be called after every change after which f may send, or may not send
 * any more. */
void host_ready_update(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer)) {
        shared_update(h, now_ps, index, f);
        return;
    }
    bool admitted = host_flow_may_send(h, f);
    host_pace_open(h, now_ps, index, admitted);
    ready_set(h, index, f, admitted && !(f->flags & HOST_PACED));
}

/* Takes a connection out of its destination's line, if it is there. */
void host_flow_leave_line(struct weir_host *h, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    if (!host_stream_of(h)->per_peer || !host_member_of(f)->in_line)
        return;
    struct host_peer *peer = host_peer_at(h, host_member_of(f)->peer);
    uint32_t before = HOST_NONE;
    for (uint32_t i = peer->line_head; i != index; i = host_member_of(host_flow_at(h, i))->next)
        before = i;
    ready_set(h, index, f, false);
    line_take_out(h, peer, before, f);
    if (peer->line_tail == index)
        peer->line_tail = before;
}

/* Updates the order of connections after a change of the priority of the message of connection `index`. */
void host_flow_reorder(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    WEIR_ASSERT(host_stream_of(h)->urgent && f->flags & HOST_BUSY);
    host_flow_leave_line(h, index);
    host_ready_update(h, now_ps, index, f);
}

/* Removes connection f from the front of the ready ring after it has sent a packet, and updates its destination's line.
 * If f may send again, it goes to the end of the ring. If f has no packet left, the next connection in the line may
 * become ready. */
void host_shared_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    f->flags &= (uint8_t) ~(HOST_READY | HOST_QUEUED);
    h->ready_count--;
    host_ring_drop(&host_stream_of(h)->ready);
    shared_update(h, now_ps, index, f);
}

/* Marks connection f as neither in its destination's line nor included in the sum of bytes in flight. Called when the
 * destination is forgotten: the caller itself empties the line and sets the sum to 0. */
void host_shared_forget(struct host_flow *f)
{
    host_member_of(f)->in_line = false;
    host_member_of(f)->counted_bytes = 0;
}
