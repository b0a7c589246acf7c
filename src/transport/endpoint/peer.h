/* src/transport/endpoint/peer.h - other endpoints: their entries by address and by token, and their end. */
#ifndef WEIR_ENDPOINT_PEER_H
#define WEIR_ENDPOINT_PEER_H
#include "endpoint/endpoint.h"

/* Returns the entry of an address; NULL = there is none. */
struct weir_peer *ep_peer_find(const struct weir_ep *ep, const struct weir_net_addr *addr);

/* Makes an entry for an address that has none. @return NULL = all are used */
struct weir_peer *ep_peer_make(struct weir_ep *ep, const struct weir_net_addr *addr);

/* Returns the peer at this address that has this own token of ours; NULL = none. */
struct weir_peer *ep_peer_of_token(const struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from);

/* Returns the peer that a packet belongs to; NULL = none that is connected. */
struct weir_peer *ep_peer_of_packet(struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from);

/* Ends everything with this peer with result; the next operation begins a new connection. */
void ep_peer_end(struct weir_ep *ep, struct weir_peer *peer, int result);
#endif
