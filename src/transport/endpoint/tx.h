/* src/transport/endpoint/tx.h - message packets on their way out: the pace of the link, batches, and what is deferred.
 * */
#ifndef WEIR_ENDPOINT_TX_H
#define WEIR_ENDPOINT_TX_H
#include "endpoint/endpoint.h"

/* Runs the host's timers and sends what the link and the driver have room for. */
void ep_tx_run(struct weir_ep *ep);

/* Sends what is deferred, because the application will not poll for a while. */
void ep_tx_put_off_no_more(struct weir_ep *ep);

/* Sends what is deferred, because there is nothing else to do; credit that closely follows other credit still waits. */
void ep_tx_idle(struct weir_ep *ep);

/* Drops the DATA of an operation that waits here: its memory is the application's again. */
void ep_tx_drop_op(struct weir_ep *ep, const struct ep_op *op);

/* Drops all packets to a peer that wait here. */
void ep_tx_drop_peer(struct weir_ep *ep, const struct weir_peer *peer);

/* Returns when there is something to send, or a timer of the host is due; WEIR_NEVER = nothing. */
uint64_t ep_tx_next_ps(const struct weir_ep *ep);

/* Lets a message of one packet leave before the packets of a long one have been collected. */
void ep_tx_hurry(struct weir_ep *ep);
#endif
