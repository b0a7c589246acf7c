/* src/transport/endpoint/share.h - memory for inbound messages while it is short: how much of it one peer may hold. */
#ifndef WEIR_ENDPOINT_SHARE_H
#define WEIR_ENDPOINT_SHARE_H
#include "endpoint/endpoint.h"

/* Returns the share of a peer in the rx budget: an equal part for each peer that holds memory for messages that are not
 * complete, and for one more. */
uint64_t ep_share(const struct weir_ep *ep);

/* Tests whether a peer may begin a message of so many bytes. While another peer finds no memory, it may not if it would
 * hold more than its share. A small message, and the only one of a peer, always may. */
bool ep_share_allows(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Notes that a message of this peer found no memory. */
void ep_share_note(struct weir_ep *ep, const struct weir_peer *peer);

/* Tests whether a message found no memory within the last second. */
bool ep_share_wanted(const struct weir_ep *ep);
#endif
