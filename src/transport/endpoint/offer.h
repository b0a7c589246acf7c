/* src/transport/endpoint/offer.h - memory that the application offers for inbound messages (weir_recv_into()), or has
 * the library hand over in parts (weir_recv_parts()). Offers are used in the order in which they were made. */
#ifndef WEIR_ENDPOINT_OFFER_H
#define WEIR_ENDPOINT_OFFER_H
#include "endpoint/endpoint.h"

/* Adds an offer to the end of the list, and numbers it. */
void ep_offer_add(struct weir_ep *ep, struct ep_op *op);

/* Removes an offer from the list. */
void ep_offer_remove(struct weir_ep *ep, struct ep_op *op);

/* Returns the first offer that a message of `bytes` bytes from this peer may use; NULL = there is none. */
struct ep_op *ep_offer_find(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Returns the first offer that a message of `bytes` bytes from this peer may use, and that is kept for no message that
 * waits; NULL = there is none. */
struct ep_op *ep_offer_find_free(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Returns the first offer of memory, not of weir_recv_parts(), that a message may use that has arrived; NULL = there is
 * none. */
struct ep_op *ep_offer_find_whole(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Keeps an offer for a message that waits for memory, instead of the one that it was kept for; NULL = for none. ROOM is
 * sent for one message per offer. Any message that comes may still use the offer, which then is kept for none. */
void ep_offer_keep(struct weir_ep *ep, struct ep_op *op, struct ep_wait *wait);

/* Gives the memory of an offer to a message that fits it, and removes the offer from the list. */
void ep_offer_claim(struct weir_ep *ep, struct ep_op *op, struct ep_msg *msg);

/* Puts an offer back at its position in the list, because the message that used it was dropped. An offer that was
 * cancelled meanwhile ends with -ECANCELED instead. */
void ep_offer_back(struct weir_ep *ep, struct ep_op *op);
#endif
