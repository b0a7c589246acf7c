/* src/algorithms/host/stream/message.c - outbound messages: each takes a connection, or waits for one, and releases it
 * when all is acknowledged. */
#include "host/stream/handshake.h"
#include "host/stream/law.h"
#include "host/stream/message.h"
#include "host/stream/ready.h"
#include "host/stream/room.h"
#include "host/stream/track.h"

/* Starts message msg on a connection without a message. bytes: payload, 1 .. (2^32 - 1) * MSS */
void host_message_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t msg,
                        uint64_t bytes)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t mss = h->mss_bytes;
    uint64_t pkts = (bytes + mss - 1) / mss;
    bool first = true;
    WEIR_ASSERT(!(f->flags & HOST_BUSY));
    WEIR_ASSERT(f->una == f->end);
    WEIR_ASSERT(pkts >= 1 && pkts <= UINT32_MAX);
    f->first = f->limited = f->end;
    f->end = f->first + (uint32_t)pkts;
    f->last_bytes = WEIR_PKT_BYTES(bytes - (pkts - 1) * mss);
    f->msg = msg;
    f->flags |= HOST_BUSY;
    if (s->tracks.stride != 0)
        host_track_begin(h, now_ps, index, f);
    if (s->per_peer)
        first = host_shared_begin(h, f);
    if (s->cc->on_start != NULL && first)
        s->cc->on_start(host_cc(h, f), h->cfg->cc_config, now_ps);
    if (h->cfg->params.overhead_ps != 0 &&
        (!s->per_peer || !host_shared_waits(h, f))) /* else host_overhead_sent() delays it after the message before */
        host_overhead_hold(h, index, f, now_ps);
    if (WEIR_UNLIKELY(s->urgent))
        host_flow_leave_line(h, index); /* its place there was that of its last message */
    if (s->tracks.stride != 0 && host_track_tries(h, msg))
        host_room_try(h, now_ps, index, f);
    host_flow_update(h, now_ps, index, f);
}

/* Gives connection f, which has no message, the message that has waited longest for f's destination, and starts it. If
 * none waits, the connection becomes idle. */
void host_message_next(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_peer *peer = host_peer_find(h, f->dst);
    struct host_wait wait;
    WEIR_ASSERT(peer != NULL);
    WEIR_ASSERT(!(f->flags & HOST_BUSY));
    if (WEIR_UNLIKELY(peer->wait_head != HOST_NONE) && host_peer_next_wait(h, peer, &wait)) {
        host_message_begin(h, now_ps, index, f, wait.msg, wait.bytes);
        return;
    }
    f->msg = peer->idle;
    peer->idle = index;
}

/* Ends the message that host_message_close() has detached from connection f: calls the sink's finished(), and starts
 * the next waiting message on f. Before this call the caller updates the ready ring (host_ready_update()). */
void host_message_end(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    if (s->per_peer)
        host_shared_end(h, f);
    h->stats.tx_done_bytes += host_flow_aborts(f) ? 0 : host_message_bytes(h, f);
    if (s->tracks.stride != 0)
        host_track_end(h, f->msg);
    h->sink.finished(h->sink.ctx, f->msg, now_ps);
    host_message_next(h, now_ps, index, f);
}

/* Ends the message of a connection: closes it, updates the ready ring, and reports it as finished. */
void host_message_finish(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    host_message_close(h, f);
    host_ready_update(h, now_ps, index, f);
    host_message_end(h, now_ps, index, f);
}

static int message_wait(struct weir_host *h, struct host_peer *peer, uint32_t msg, uint64_t bytes)
{
    if (!host_peer_wait(h, peer, msg, bytes))
        return WEIR_E_MEMORY;
    if (host_stream_of(h)->tracks.stride != 0)
        host_track_wait(h, msg);
    return 0;
}

/* Starts a message, or lets it wait for a connection. @return 0; WEIR_E_MEMORY: nothing was started */
int host_message_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    struct host_peer *peer = host_peer_get(h, dst);
    if (peer == NULL || (host_stream_of(h)->tracks.stride != 0 && !host_track_room(h, msg)))
        return WEIR_E_MEMORY;
    uint32_t index = host_peer_take(h, peer);
    if (index == HOST_NONE)
        return peer->created == 0 ? WEIR_E_MEMORY : message_wait(h, peer, msg, bytes);
    if (WEIR_UNLIKELY(host_handshake_must_connect(h, index))) {
        host_handshake_connect(h, now_ps, index);
        return message_wait(h, peer, msg, bytes);
    }
    host_message_begin(h, now_ps, index, host_flow_at(h, index), msg, bytes);
    return 0;
}
