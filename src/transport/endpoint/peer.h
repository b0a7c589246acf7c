/* src/transport/endpoint/peer.h - the table of other endpoints (peers), by address and by token; the end of
 * connections. */
#ifndef WEIR_ENDPOINT_PEER_H
#define WEIR_ENDPOINT_PEER_H
#include "endpoint/endpoint.h"

/* Returns the peer with this address; NULL = there is none. */
struct weir_peer *ep_peer_find(const struct weir_ep *ep, const struct weir_net_addr *addr);

/* Makes an entry for an address that has none. If all max_peers entries are in use, reuses an idle one. @return NULL =
 * none is free or idle */
struct weir_peer *ep_peer_make(struct weir_ep *ep, const struct weir_net_addr *addr);

/* Returns the peer with address `from` if our own token for it is `token`, whatever the tag; else NULL. */
struct weir_peer *ep_peer_of_token(const struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from);

/* Returns the connected peer to which a packet belongs, by its source `from`, which is one of the peer's ports, and its
 * token without the tag; NULL = there is none. */
struct weir_peer *ep_peer_of_packet(struct weir_ep *ep, uint64_t token, const struct weir_net_addr *from);

/* Ends the connection or handshake with a peer: ends its operations with result, drops its messages, and makes
 * WEIR_EV_PEER_DOWN if it was connected. Sends no packet. The next operation begins a new connection. */
void ep_peer_end(struct weir_ep *ep, struct weir_peer *peer, int result);

/* Gives a peer another address. @return false = it is that of another peer, which the application knows or which is not
 * idle: nothing has changed */
bool ep_peer_move(struct weir_ep *ep, struct weir_peer *peer, const struct weir_net_addr *addr);

/* Forgets why a peer was refused. */
void ep_peer_forgive(struct weir_peer *peer);
#endif
