/* src/transport/endpoint/token.h - connected peers by the token of their packets, whatever address these come from.
 * With keys alone: without, a packet is of the peer at its address. */
#ifndef WEIR_ENDPOINT_TOKEN_H
#define WEIR_ENDPOINT_TOKEN_H
#include "endpoint/endpoint.h"

/* Adds a peer that is connected from now on, by peer->rx_token. Its seal has the link, so whoever changes the seal
 * removes the peer before, and adds it then. Does nothing without keys. */
void ep_token_add(struct weir_ep *ep, struct weir_peer *peer);

/* Removes a peer whose connection ends. Does nothing without keys. */
void ep_token_remove(struct weir_ep *ep, struct weir_peer *peer);

/* Returns the connected peer whose packets have this token, whatever the tag; NULL = there is none. */
struct weir_peer *ep_token_find(const struct weir_ep *ep, uint64_t token);
#endif
