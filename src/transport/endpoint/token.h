/* src/transport/endpoint/token.h - connected peers by the token of their packets, whatever address these come from:
 * peers with keys, which may change their address, and those that send from several ports. */
#ifndef WEIR_ENDPOINT_TOKEN_H
#define WEIR_ENDPOINT_TOKEN_H
#include "endpoint/endpoint.h"

/* Adds a peer that is connected from now on, by peer->rx_token. Does nothing for one that sends from its address
 * alone. Without memory for the table, a peer with several ports becomes one with one. */
void ep_token_add(struct weir_ep *ep, struct weir_peer *peer);

/* Removes a peer whose connection ends, if it was added. */
void ep_token_remove(struct weir_ep *ep, struct weir_peer *peer);

/* Returns the peer that was added whose packets have this token, whatever the tag; NULL = there is none. */
struct weir_peer *ep_token_find(const struct weir_ep *ep, uint64_t token);
#endif
