/* src/host/stream/shared.c - laws whose state is one per destination (weir_cc_ops.per_peer). A flow record without a connection holds
 * the state, the bytes in flight of all connections to the destination, and whether it is paced. Connections that have a packet to
 * send stand in the destination's line; only the first may be ready, so one message is sent after another. */
#include "host/common/host_internal.h"

/* A message begins. @return true if no other to its destination is under way */
bool host_shared_begin(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->busy++ == 0;
}

/* Has a message to its destination a packet to send? */
bool host_shared_waits(const struct weir_host *h, struct host_flow *f)
{
    return host_peer_at(h, host_member_of(f)->peer)->line_head != HOST_NONE;
}

void host_shared_end(const struct weir_host *h, struct host_flow *f)
{
    host_peer_at(h, host_member_of(f)->peer)->busy--;
}

/* Brings the destination's sum up to date. */
void host_shared_count(const struct weir_host *h, struct host_flow *f)
{
    struct host_member *m = host_member_of(f);
    struct host_flow *shared = host_flow_at(h, m->shared);
    shared->inflight_bytes += f->inflight_bytes - m->counted_bytes;
    m->counted_bytes = f->inflight_bytes;
}

static void line_join(const struct weir_host *h, struct host_peer *peer, uint32_t index, struct host_flow *f)
{
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
        host_flow_set_ready(h, index, f, has && !(shared->flags & HOST_PACED) && host_flow_admits(h, f));
        if (has)
            return;
        line_drop(peer, f);
    }
}

/* host_flow_update() of a connection, or of the record that holds the law's state. */
void host_shared_update(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_peer *peer = host_peer_at(h, f->shared ? f->msg : host_member_of(f)->peer);
    if (!f->shared) {
        host_shared_count(h, f);
        if (!host_member_of(f)->in_line && host_flow_has_packet(h, f))
            line_join(h, peer, index, f);
    }
    line_update(h, peer);
}

/* The connection at the front of the ready ring has sent a packet: its destination goes to the end, or out. */
void host_shared_sent(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    f->flags &= (uint8_t) ~(HOST_READY | HOST_QUEUED);
    h->ready_count--;
    host_ring_drop(&host_stream_of(h)->ready);
    host_shared_update(h, index, f);
}

/* While its destination is forgotten, whose sum and line the caller clears. */
void host_shared_forget(struct host_flow *f)
{
    host_member_of(f)->in_line = false;
    host_member_of(f)->counted_bytes = 0;
}

/* A notice of a host that names no connection: it is for the law of that destination. */
void host_shared_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_stream_of(h)->cc->on_notice != NULL ? host_peer_shared(h, pkt->src) : NULL;
    if (f == NULL || pkt->seq == WEIR_NOTICE_WEIGHT || pkt->seq == WEIR_NOTICE_RATE) {
        h->stats.refused_pkts++;
        return;
    }
    h->stats.rx_notice_pkts++;
    host_law_notify(h, now_ps, host_peer_at(h, f->msg)->shared, f, pkt);
}
