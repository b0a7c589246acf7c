/* src/algorithms/host/stream/peers.h - destinations: the pool of connections to each, and the messages that wait for a
 * connection. */
#ifndef WEIR_HOST_STREAM_PEERS_H
#define WEIR_HOST_STREAM_PEERS_H
#include "host/stream/connection.h"

struct host_peer {                 /* a destination and its pool of connections */
    uint32_t dst, created;         /* dst: the destination's number; created: connections made to it */
    uint32_t received;             /* receiving connections from it; 0 without rx_connections_most */
    uint32_t idle;                 /* most recently used idle connection, or HOST_NONE */
    uint32_t wait_head, wait_tail; /* queue of messages without a connection; HOST_NONE = empty */
    /* only if the law is per_peer: */
    uint32_t shared;               /* index of the flow record with the law's state; HOST_NONE = not made yet */
    uint32_t busy;                 /* connections with a message */
    uint32_t line_head, line_tail; /* queue of connections with a packet to send; head HOST_NONE = empty */
};

struct host_wait { /* a message that waits for a connection */
    uint32_t next, msg;
    uint64_t bytes : 61, priority : 3;
};

struct host_peer *host_peer_open(struct weir_host *h, uint32_t dst);
uint32_t host_peer_take_new(struct weir_host *h, struct host_peer *peer);
bool host_peer_wait(struct weir_host *h, struct host_peer *peer, uint32_t msg, uint64_t bytes);
bool host_peer_next_wait(struct weir_host *h, struct host_peer *peer, struct host_wait *out);
void host_peer_requeue(struct weir_host *h, uint32_t dst, uint32_t msg, uint32_t priority);
bool host_peer_unwait(struct weir_host *h, uint32_t msg);
bool host_peer_pending(const struct weir_host *h, uint64_t skip, struct weir_host_pending *out);
struct host_flow *host_peer_shared(struct weir_host *h, uint32_t dst);

static inline struct host_peer *host_peer_at(const struct weir_host *h, uint32_t index)
{
    return HOST_RECORD(struct host_peer, &host_stream_of(h)->peers, index);
}

/* Returns the record of a destination; NULL = there is none. */
static inline struct host_peer *host_peer_find(const struct weir_host *h, uint32_t dst)
{
    uint32_t number = host_number(&host_stream_of(h)->peer_of, dst);
    return WEIR_LIKELY(number != 0) ? host_peer_at(h, number - 1) : NULL;
}

/* Returns the record of a destination, and makes it if there is none. @return NULL = for the reasons of
 * host_peer_open() */
static inline struct host_peer *host_peer_get(struct weir_host *h, uint32_t dst)
{
    struct host_peer *peer = host_peer_find(h, dst);
    return WEIR_LIKELY(peer != NULL) ? peer : host_peer_open(h, dst);
}

/* Takes a connection for the next message to a destination: the idle connection used last, whose window is the most
 * recent, else a new one. @return its index; HOST_NONE = for the reasons of host_peer_take_new() */
static inline uint32_t host_peer_take(struct weir_host *h, struct host_peer *peer)
{
    uint32_t index = peer->idle;
    if (WEIR_UNLIKELY(index == HOST_NONE))
        return host_peer_take_new(h, peer);
    WEIR_CHECK(!(host_flow_at(h, index)->flags & HOST_BUSY));
    peer->idle = host_flow_at(h, index)->msg;
    return index;
}
#endif
