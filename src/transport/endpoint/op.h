/* src/transport/endpoint/op.h - operations: from their submission to their one event, and on until the host is done
 * with the handle. */
#ifndef WEIR_ENDPOINT_OP_H
#define WEIR_ENDPOINT_OP_H
#include "endpoint/endpoint.h"

/* Takes a free record. @return NULL = max_ops are in use */
struct ep_op *ep_op_take(struct weir_ep *ep, enum ep_kind kind, uint64_t user_data);

/* Adds an operation to the list of its peer. */
void ep_op_list(struct ep_op *op);

/* Gives the message to the host: its peer is connected. @return 0, or why it cannot: -EMSGSIZE, -ENOMEM */
int ep_op_start(struct weir_ep *ep, struct ep_op *op);

/* Accepts an operation: from now on it is owed an event. */
void ep_op_accept(struct weir_ep *ep, struct ep_op *op);

/* Makes its one event. What is borrowed is the application's again with it, so the host must be done with it; what was
 * copied may go on. */
void ep_op_end(struct weir_ep *ep, struct ep_op *op, int result);

/* Cancels it in the host: nothing more of it leaves. The handle may be the host's for a while. */
void ep_op_give_up(struct weir_ep *ep, struct ep_op *op);

/* Ends an operation whose peer the host has forgotten, or never knew. */
void ep_op_lost(struct weir_ep *ep, struct ep_op *op, int result);

/* Notes that the application has taken its event. */
void ep_op_reported(struct weir_ep *ep, struct ep_op *op);

/* Frees the record. */
void ep_op_drop(struct weir_ep *ep, struct ep_op *op);

/* Ends an operation whose deadline has come; a call for ep_timer_due(). */
void ep_op_timer(struct weir_ep *ep, struct ep_op *op);

/* Serves the sink of the host: the peer has all of msg, or has confirmed that it was aborted. */
void ep_op_finished(void *ctx, uint32_t msg, uint64_t now_ps);

/* Serves the sink of the host, which counts them. */
void ep_op_retransmitted(void *ctx, uint32_t msg);
#endif
