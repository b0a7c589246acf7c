/* src/transport/endpoint/op.h - operations: from their submission to their event, and until the host has returned the
 * handle. */
#ifndef WEIR_ENDPOINT_OP_H
#define WEIR_ENDPOINT_OP_H
#include "endpoint/endpoint.h"

/* Takes a free record and initialises it. @return NULL = max_ops are in use */
struct ep_op *ep_op_take(struct weir_ep *ep, enum ep_kind kind, uint64_t user_data);

/* Adds an operation to the end of the list of its peer, op->peer. */
void ep_op_list(struct ep_op *op);

/* Starts the message of an operation in the host; its peer must be connected. @return 0; -EMSGSIZE: the message is too
 * long for the host; -ENOMEM: the host has no memory */
int ep_op_start(struct weir_ep *ep, struct ep_op *op);

/* Counts an operation as accepted, and starts its deadline. From now on the operation must end by exactly one
 * ep_op_end(). */
void ep_op_accept(struct weir_ep *ep, struct ep_op *op);

/* Ends an operation: makes its one event, with result. Also cancels the message in the host if result is not 0 or the
 * payload is borrowed, because the application owns the payload again after the event. A copied message with result 0
 * may still be sent. */
void ep_op_end(struct weir_ep *ep, struct ep_op *op, int result);

/* Starts the empty reply to message `conn` of a peer, which the application has released. It makes no event, and counts
 * against no limit of the application's. rpc: the sender's number of the message. The peer must be connected.
 * @return false = no memory now */
bool ep_op_answer(struct weir_ep *ep, struct weir_peer *peer, uint64_t rpc, uint32_t conn);

/* Gives the host the weight of an operation's message, op->weight_milli, if the host has the message. */
void ep_op_weigh(struct weir_ep *ep, const struct ep_op *op);

/* Cancels the message of an operation: no more of its payload leaves. If the host has the message, it may keep the
 * handle for a while. Otherwise the message is not started any more. A second call does nothing. */
void ep_op_give_up(struct weir_ep *ep, struct ep_op *op);

/* Records that the host does not have the handle of an operation: it has forgotten the peer, or never had the message.
 * Ends the operation with result if it has not ended. */
void ep_op_lost(struct weir_ep *ep, struct ep_op *op, int result);

/* Notes that the application has received the event of an operation. Frees the record, unless the host has the handle
 * or the message still waits for its connection. */
void ep_op_reported(struct weir_ep *ep, struct ep_op *op);

/* Returns the operation in the host that a packet of its receiver is about; NULL = it has ended. msg: its handle;
 * number: of the message among all to the peer */
struct ep_op *ep_op_named(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t msg, uint32_t number);

/* Marks an operation as not held (hold.c), which it need not be. */
void ep_op_unhold(struct ep_op *op);

/* Raises the bound of an operation's message, which its receiver takes part by part, to `pkts` packets, if it is less.
 * The host has the message. */
void ep_op_bound(struct ep_op *op, uint64_t pkts);

/* Returns the bound of message `msg`; UINT32_MAX = it has none. A function of the host's sink; ctx is the endpoint. */
uint32_t ep_op_bound_of(void *ctx, uint32_t msg);

/* Frees the record and its memory of the tx budget. Neither the host nor the list of its peer may have it. Makes
 * WEIR_EV_WRITABLE due if that must follow an -EAGAIN and there is room now. */
void ep_op_drop(struct weir_ep *ep, struct ep_op *op);

/* Notes that the peer has begun to receive the message of an operation, or never will: it needs no more memory, and is
 * not held. */
void ep_op_unask(struct ep_op *op);

/* Runs the timer of an operation, which is due: ends the operation with -ETIMEDOUT if its deadline has come, else
 * starts the timer again. Does nothing if the operation has ended already. */
void ep_op_timer(struct weir_ep *ep, struct ep_op *op);

/* Notes that the peer has all of message `msg` or has confirmed its abort: the host has returned the handle. Ends a
 * send or reply; a call or EP_RELEASED still waits for its answer. A function of the host's sink; ctx is the
 * endpoint. */
void ep_op_finished(void *ctx, uint32_t msg, uint64_t now_ps);

/* Does nothing, because the host counts retransmissions. A function of the host's sink. */
void ep_op_retransmitted(void *ctx, uint32_t msg);
#endif
