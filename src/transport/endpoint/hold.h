/* src/transport/endpoint/hold.h - the sender's side of a receiver without memory: messages that are held until it has
 * some. */
#ifndef WEIR_ENDPOINT_HOLD_H
#define WEIR_ENDPOINT_HOLD_H
#include "endpoint/endpoint.h"

/* Processes a NOTICE about memory for one of our messages: NO_ROOM holds it, ROOM sends it anew. */
void ep_hold_notice(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt);

/* Runs the timer of a held operation that its receiver has not listed: asks for it again. */
void ep_hold_timer(struct weir_ep *ep, struct ep_op *op);

/* Asks for one of the held operations of a peer, if it is time. So the peer says something now and then, and nothing
 * waits for ever if it has lost its list. @return the time of the next call; WEIR_NEVER = no operation is held */
uint64_t ep_hold_probe(struct weir_ep *ep, struct weir_peer *peer);
#endif
