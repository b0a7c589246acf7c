/* src/algorithms/host/stream/peers.c - the pool of connections to each destination. A message takes the idle connection
 * used last, whose window is the most recent. If none is idle it takes a new one while there are fewer than
 * host.connections; else it waits in the destination's queue. */
#include "host/common/table.h"
#include "host/stream/law.h"
#include "host/stream/peers.h"
#include "host/stream/tcp.h"

/* Makes the record of destination dst, which has none. @return NULL = no memory, 65535 destinations have records, or
 * dst >= WEIR_PKT_HOSTS_MAX */
HOST_COLD struct host_peer *host_peer_open(struct weir_host *h, uint32_t dst)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t index;
    uint16_t *slot = host_number_slot(h, &s->peer_of, dst);
    struct host_peer *peer =
        slot != NULL && s->peers.count < UINT16_MAX ? host_table_add(h, &s->peers, HOST_BLOCK_SHIFT, &index) : NULL;
    if (peer == NULL)
        return NULL;
    WEIR_ASSERT(*slot == 0);
    *slot = (uint16_t)(index + 1);
    *peer = (struct host_peer){ .dst = dst,
                                .idle = HOST_NONE,
                                .wait_head = HOST_NONE,
                                .wait_tail = HOST_NONE,
                                .shared = HOST_NONE,
                                .line_head = HOST_NONE,
                                .line_tail = HOST_NONE };
    return peer;
}

/* Makes a flow record for dst, for a connection or for the law's state of a destination; the caller initialises the
 * law. @return its index; HOST_NONE = no memory, or HOST_CONNECTIONS_MAX reached */
static uint32_t flow_open(struct weir_host *h, uint32_t dst)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t index;
    struct host_flow *f = NULL;
    if (s->flows.count < HOST_CONNECTIONS_MAX)
        f = host_table_add(h, &s->flows, HOST_BLOCK_SHIFT, &index);
    if (f == NULL)
        return HOST_NONE;
    if (!host_time_room(h) || !host_tcp_open(h, index) ||
        !host_ring_room(h, &s->ready, sizeof(uint32_t), s->flows.count, UINT32_MAX)) {
        s->flows.count--;
        return HOST_NONE;
    }
    WEIR_ASSERT(s->ready.capacity >= s->flows.count); /* room in the ready ring for each */
    *f = (struct host_flow){ .dst = WEIR_PKT_HOST(dst), .hash = host_path_hash(h, dst, index), .since_ps = WEIR_NEVER };
    f->una = f->next = f->end = f->first = f->limited = s->first_index;
    if (s->armed_offset != 0)
        *(uint64_t *)((unsigned char *)f + s->armed_offset) = WEIR_NEVER;
    return index;
}

/* Makes the flow record with the law's state of a destination, if there is none. @return false = for the reasons of
 * flow_open() */
static bool peer_share(struct weir_host *h, struct host_peer *peer)
{
    if (peer->shared != HOST_NONE)
        return true;
    WEIR_ASSERT(host_stream_of(h)->per_peer);
    uint32_t index = flow_open(h, peer->dst);
    if (index == HOST_NONE)
        return false;
    host_flow_at(h, index)->shared = true;
    host_flow_at(h, index)->msg = host_number(&host_stream_of(h)->peer_of, peer->dst) - 1u;
    peer->shared = index;
    host_law_init(h, index);
    return true;
}

/* Returns the flow record with the law's state of destination dst, and makes it if there is none. Only for a law that
 * is per_peer. @return NULL = for the reasons of host_peer_open() and flow_open() */
struct host_flow *host_peer_shared(struct weir_host *h, uint32_t dst)
{
    struct host_peer *peer = host_peer_get(h, dst);
    return peer != NULL && peer_share(h, peer) ? host_flow_at(h, peer->shared) : NULL;
}

/* Makes a new connection to a destination, with its law's state. @return its index; HOST_NONE = as flow_open() */
static uint32_t peer_connect(struct weir_host *h, struct host_peer *peer)
{
    struct host_stream *s = host_stream_of(h);
    if (s->per_peer && !peer_share(h, peer))
        return HOST_NONE;
    uint32_t index = flow_open(h, peer->dst);
    if (index == HOST_NONE)
        return HOST_NONE;
    if (s->per_peer)
        *host_member_of(host_flow_at(h, index)) = (struct host_member){
            .shared = peer->shared, .peer = host_number(&s->peer_of, peer->dst) - 1u, .next = HOST_NONE
        };
    else
        host_law_init(h, index);
    h->stats.connections++;
    return index;
}

/* Makes a new connection for the next message to a destination without an idle one. @return its index; HOST_NONE = as
 * flow_open(), or host.connections reached */
HOST_COLD uint32_t host_peer_take_new(struct weir_host *h, struct host_peer *peer)
{
    uint32_t index;
    WEIR_ASSERT(peer->idle == HOST_NONE);
    if (peer->created >= h->cfg->params.connections)
        return HOST_NONE;
    index = peer_connect(h, peer);
    peer->created += index != HOST_NONE;
    return index;
}

static struct host_wait *wait_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->waits, HOST_BLOCK_SHIFT, index);
}

/* Puts an entry into the destination's queue for a connection: behind the last one that is as urgent. */
static void wait_join(struct weir_host *h, struct host_peer *peer, uint32_t index)
{
    struct host_wait *wait = wait_at(h, index);
    uint32_t before = peer->wait_tail;
    if (WEIR_UNLIKELY(host_stream_of(h)->urgent)) {
        before = HOST_NONE;
        for (uint32_t i = peer->wait_head; i != HOST_NONE && wait_at(h, i)->priority <= wait->priority;
             i = wait_at(h, i)->next)
            before = i;
    }
    wait->next = before == HOST_NONE ? peer->wait_head : wait_at(h, before)->next;
    if (before == HOST_NONE)
        peer->wait_head = index;
    else
        wait_at(h, before)->next = index;
    if (wait->next == HOST_NONE)
        peer->wait_tail = index;
}

/* Adds a message to the destination's queue for a connection. @return false = no memory */
bool host_peer_wait(struct weir_host *h, struct host_peer *peer, uint32_t msg, uint64_t bytes)
{
    uint32_t index;
    struct host_wait *wait = host_pool_take(h, &host_stream_of(h)->waits, HOST_BLOCK_SHIFT, &index);
    if (wait == NULL)
        return false;
    WEIR_ASSERT(bytes > 0);
    WEIR_ASSERT((peer->wait_head == HOST_NONE) == (peer->wait_tail == HOST_NONE));
    *wait = (struct host_wait){ .next = HOST_NONE, .msg = msg, .bytes = bytes & ((UINT64_C(1) << 61) - 1) };
    wait_join(h, peer, index);
    return true;
}

/* Takes entry i out of the destination's queue. before: the entry in front of it; HOST_NONE = it is the first */
static void peer_take_out(struct weir_host *h, struct host_peer *peer, uint32_t before, uint32_t i)
{
    WEIR_ASSERT((wait_at(h, i)->next == HOST_NONE) == (peer->wait_tail == i));
    if (before == HOST_NONE)
        peer->wait_head = wait_at(h, i)->next;
    else
        wait_at(h, before)->next = wait_at(h, i)->next;
    if (peer->wait_tail == i)
        peer->wait_tail = before;
}

/* Finds message msg in a destination's queue for a connection. *before: the entry in front of it; HOST_NONE = it is the
 * first. @return HOST_NONE = it is not in the queue */
static uint32_t wait_find(struct weir_host *h, const struct host_peer *peer, uint32_t msg, uint32_t *before)
{
    uint32_t i = peer->wait_head;
    *before = HOST_NONE;
    while (i != HOST_NONE && wait_at(h, i)->msg != msg) {
        *before = i;
        i = wait_at(h, i)->next;
    }
    WEIR_ASSERT(i == HOST_NONE || (*before == HOST_NONE) == (peer->wait_head == i));
    return i;
}

/* Removes message msg from this destination's queue for a connection. @return false = it is not in the queue */
static bool peer_unwait(struct weir_host *h, struct host_peer *peer, uint32_t msg)
{
    uint32_t before, i = wait_find(h, peer, msg, &before);
    if (i == HOST_NONE)
        return false;
    peer_take_out(h, peer, before, i);
    host_pool_give(&host_stream_of(h)->waits, wait_at(h, i), i);
    return true;
}

/* Sets the priority of message msg in the queue for a connection to host dst, and moves it to its place there. */
void host_peer_requeue(struct weir_host *h, uint32_t dst, uint32_t msg, uint32_t priority)
{
    struct host_peer *peer = host_peer_find(h, dst);
    uint32_t before, i = peer != NULL ? wait_find(h, peer, msg, &before) : HOST_NONE;
    if (i == HOST_NONE)
        return;
    WEIR_ASSERT(host_stream_of(h)->urgent);
    peer_take_out(h, peer, before, i);
    wait_at(h, i)->priority = priority & 7;
    wait_join(h, peer, i);
}

/* Removes message msg from the queue for a connection, whatever its destination. @return false = it is in no queue */
bool host_peer_unwait(struct weir_host *h, uint32_t msg)
{
    for (uint32_t i = 0; i < host_stream_of(h)->peers.count; i++)
        if (peer_unwait(h, host_peer_at(h, i), msg))
            return true;
    return false;
}

/* Removes the first message of the queue for a connection to this destination, and copies it to *out. It is the most
 * urgent one, of these the one that has waited longest. @return false = none waits */
bool host_peer_next_wait(struct weir_host *h, struct host_peer *peer, struct host_wait *out)
{
    uint32_t first = peer->wait_head;
    if (first == HOST_NONE)
        return false;
    WEIR_ASSERT(peer->wait_tail != HOST_NONE);
    *out = *wait_at(h, first);
    host_pool_give(&host_stream_of(h)->waits, wait_at(h, first), first);
    peer->wait_head = out->next;
    if (out->next == HOST_NONE)
        peer->wait_tail = HOST_NONE;
    return true;
}

/* Describes in *out the message that has number `skip`, from 0, among those that wait for a connection. The order is by
 * destination (first used first), then by waiting time (longest first). @return false = fewer messages wait */
bool host_peer_pending(const struct weir_host *h, uint64_t skip, struct weir_host_pending *out)
{
    uint64_t mss = h->mss_bytes;
    for (uint32_t i = 0; i < host_stream_of(h)->peers.count; i++) {
        const struct host_peer *peer = host_peer_at(h, i);
        for (uint32_t w = peer->wait_head; w != HOST_NONE;) {
            const struct host_wait *wait = wait_at(h, w);
            if (skip-- == 0) {
                *out = (struct weir_host_pending){ .dst = peer->dst,
                                                   .msg = wait->msg,
                                                   .conn = UINT32_MAX,
                                                   .left_pkts = (wait->bytes + mss - 1) / mss,
                                                   .deadline_ps = WEIR_NEVER };
                return true;
            }
            w = wait->next;
        }
    }
    return false;
}
