/* src/transport/endpoint/share.h - memory for inbound messages while it is short: how much of it one peer may hold. */
#ifndef WEIR_ENDPOINT_SHARE_H
#define WEIR_ENDPOINT_SHARE_H
#include "endpoint/endpoint.h"

/* Returns the share of a peer in the rx budget: an equal part for each peer that holds memory for messages that are not
 * complete, and for one more. */
uint64_t ep_share(const struct weir_ep *ep);

/* Tests whether a peer may begin a message of so many bytes. While another peer finds no memory, a peer that holds some
 * may not if it would hold more than its share. One that holds none may not if it was too slow in the last 10 s. A
 * small message always may. */
bool ep_share_allows(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Records that a message of so many bytes of this peer found no memory. */
void ep_share_note(struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Tests whether a message of another peer than this found no memory within the last second. */
bool ep_share_is_wanted(const struct weir_ep *ep, const struct weir_peer *peer);

/* Tests whether a message of any peer found no memory within the last second. */
bool ep_share_lacks(const struct weir_ep *ep);
#endif
