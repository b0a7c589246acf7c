/* src/transport/endpoint/offer.h - memory the application offers to messages that come (weir_recv_into()), used in the
 * order it was offered. */
#ifndef WEIR_ENDPOINT_OFFER_H
#define WEIR_ENDPOINT_OFFER_H
#include "endpoint/endpoint.h"

/* Adds an offer at the end of the list. */
void ep_offer_add(struct weir_ep *ep, struct ep_op *op);

/* Takes an offer out of the list. */
void ep_offer_remove(struct weir_ep *ep, struct ep_op *op);

/* Returns the first offer that a message of so many bytes from this peer fits; NULL = none. */
struct ep_op *ep_offer_find(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Uses an offer for a message. */
void ep_offer_claim(struct weir_ep *ep, struct ep_op *op, struct ep_msg *msg);

/* Puts an offer back at its position, as the message it was used for was dropped; one that was cancelled meanwhile
 * ends. */
void ep_offer_back(struct weir_ep *ep, struct ep_op *op);
#endif
