/* src/transport/endpoint/lend.h - messages that are handed over part by part while they arrive: what may be credited of
 * them, and the events of their parts. */
#ifndef WEIR_ENDPOINT_LEND_H
#define WEIR_ENDPOINT_LEND_H
#include "endpoint/endpoint.h"

/* Returns one past the last packet of a message that may be credited; UINT32_MAX = all may. */
uint32_t ep_lend_bound(const struct weir_ep *ep, const struct ep_msg *msg);

/* Notes that the first `pkts` packets of a message with PARTS have arrived, and makes the event of what is new. @return
 * false: the first packet shows that the message is a reply, or not valid */
bool ep_lend_advance(struct weir_ep *ep, struct ep_msg *msg, uint32_t pkts);

/* Makes what follows the event of a part: the next one, or, behind the last part of a message that is complete, the
 * end of its operation. */
void ep_lend_more(struct weir_ep *ep, struct ep_msg *msg);
#endif
