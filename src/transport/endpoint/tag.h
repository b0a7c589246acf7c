/* src/transport/endpoint/tag.h - the changes of the endpoint's tag: the driver's filter, and reports to peers. */
#ifndef WEIR_ENDPOINT_TAG_H
#define WEIR_ENDPOINT_TAG_H
#include "endpoint/endpoint.h"

/* Computes the first tags; the secrets must be made. */
void ep_tag_init(struct weir_ep *ep);

/* Gives both valid tags to the driver's filter. @return 0, or a negative errno: the filter has not changed */
int ep_tag_filter(struct weir_ep *ep);

/* Goes to the tags of this epoch, and reports the present one to the peers that are due: at most WEIR_NET_BATCH. */
void ep_tag_run(struct weir_ep *ep);

/* Returns when ep_tag_run() is due; WEIR_NEVER = not until a peer is connected. */
uint64_t ep_tag_next_ps(const struct weir_ep *ep);

/* Reports the present tag to a connected peer if the token of its packet has another one, unless its report of this
 * epoch is still to come. */
void ep_tag_seen(struct weir_ep *ep, struct weir_peer *peer, uint64_t token);

/* Takes the tag that a connected peer reports. counter: of the packet; an earlier report changes nothing */
void ep_tag_take(struct weir_peer *peer, uint64_t counter, uint64_t value);
#endif
