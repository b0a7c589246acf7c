/* src/transport/endpoint/offer.c - memory that the application offers for inbound messages (weir_recv_into()). Offers
 * are used in the order in which they were made. */
#include "endpoint/offer.h"
#include "endpoint/op.h"
#include "endpoint/parts.h"
#include <errno.h>

static void insert(struct weir_ep *ep, struct ep_op *op, struct ep_op *before)
{
    op->next = before;
    op->prev = before != NULL ? before->prev : ep->offer_tail;
    if (op->prev != NULL)
        op->prev->next = op;
    else
        ep->offer_head = op;
    if (before != NULL)
        before->prev = op;
    else
        ep->offer_tail = op;
}

void ep_offer_add(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(op->kind == EP_RECV && op->msg == NULL);
    op->order = ep->offer_order++;
    ep->room_due = ep->wait_count > 0;
    insert(ep, op, NULL);
}

void ep_offer_remove(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(op->prev != NULL ? op->prev->next == op : ep->offer_head == op); /* the offer is in the list */
    if (op->prev != NULL)
        op->prev->next = op->next;
    else
        ep->offer_head = op->next;
    if (op->next != NULL)
        op->next->prev = op->prev;
    else
        ep->offer_tail = op->prev;
    op->prev = op->next = NULL;
    ep_offer_keep(ep, op, NULL);
}

static bool suits(const struct ep_op *op, const struct weir_peer *peer, uint64_t bytes)
{
    return (op->peer == NULL || op->peer == peer) && bytes >= op->min_bytes && bytes <= op->bytes;
}

struct ep_op *ep_offer_find(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes)
{
    struct ep_op *op = ep->offer_head;
    while (op != NULL && !suits(op, peer, bytes))
        op = op->next;
    return op;
}

struct ep_op *ep_offer_find_free(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes)
{
    struct ep_op *op = ep->offer_head;
    while (op != NULL && (op->kept != 0 || !suits(op, peer, bytes)))
        op = op->next;
    return op;
}

struct ep_op *ep_offer_find_whole(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes)
{
    struct ep_op *op = ep->offer_head;
    while (op != NULL && (op->parts != NULL || !suits(op, peer, bytes)))
        op = op->next;
    return op;
}

void ep_offer_keep(struct weir_ep *ep, struct ep_op *op, struct ep_wait *wait)
{
    if (op->kept != 0)
        ep->waits[op->kept - 1].offer = 0;
    op->kept = wait != NULL ? (uint32_t)(wait - ep->waits) + 1 : 0;
    if (wait != NULL)
        wait->offer = (uint32_t)(op - ep->ops) + 1;
}

void ep_offer_claim(struct weir_ep *ep, struct ep_op *op, struct ep_msg *msg)
{
    WEIR_ASSERT(msg->offer == NULL);
    /* else bytes would be written beyond its end */
    WEIR_ASSERT(msg->bytes >= op->min_bytes && msg->bytes <= op->bytes);
    ep_offer_remove(ep, op);
    op->msg = msg;
    msg->offer = op;
    if (op->parts != NULL) {
        ep_parts_begin(op->parts, msg);
        msg->parts = op->parts;
        msg->flags |= EP_MSG_PARTS;
    } else {
        msg->data = op->few[0].iov_base;
    }
}

void ep_offer_back(struct weir_ep *ep, struct ep_op *op)
{
    struct ep_op *before = ep->offer_head;
    WEIR_ASSERT(op->msg != NULL);
    op->msg = NULL;
    if (op->flags & EP_OP_CANCELLED) {
        ep_op_end(ep, op, -ECANCELED);
        return;
    }
    while (before != NULL && before->order < op->order)
        before = before->next;
    insert(ep, op, before);
}
