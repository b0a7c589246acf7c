/* src/transport/endpoint/api.c - the calls of weir.h that submit and cancel operations, and release memory. */
#define _GNU_SOURCE
#include "core/credit_ops.h"
#include "endpoint/enter.h"
#include "endpoint/memory.h"
#include "endpoint/msg.h"
#include "endpoint/offer.h"
#include "endpoint/op.h"
#include "endpoint/parts.h"
#include "endpoint/shake_tx.h"
#include "endpoint/silence.h"
#include "endpoint/timer.h"
#include <errno.h>
#include <string.h>

/* Copies the caller's options, of any version of weir.h, to out; NULL gives the defaults. @return 0; -EINVAL: size is
 * not set, a flag is unknown or not of this kind of operation, or the weight is out of range. Or a field that this
 * version does not know is not 0 */
static int read_opt(const struct weir_sendopt *in, enum ep_kind kind, struct weir_sendopt *out)
{
    const unsigned char *bytes = (const unsigned char *)in;
    *out = (struct weir_sendopt){ .size = sizeof(*out) };
    if (in == NULL)
        return 0;
    if (in->size < sizeof(in->size))
        return -EINVAL;
    for (size_t i = sizeof(*in); i < in->size; i++) {
        if (bytes[i] != 0)
            return -EINVAL;
    }
    memcpy(out, in, in->size < sizeof(*out) ? in->size : sizeof(*out));
    if (out->weight_milli > WEIR_WEIGHT_MILLI_MAX || out->priority >= WEIR_CLASSES_MAX || out->unused != 0 ||
        out->reserved != 0)
        return -EINVAL;
    if (out->flags & WEIR_RELEASED && (kind != EP_SEND || out->flags & WEIR_LOCAL))
        return -EINVAL;
    return out->flags & ~(uint32_t)(WEIR_COPY | WEIR_LOCAL | WEIR_RELEASED) ? -EINVAL : 0;
}

static int measure(const struct weir_ep *ep, const struct iovec *iov, int count, uint64_t *bytes)
{
    *bytes = 0;
    if (count < 0 || count > EP_IOV_MAX || (count > 0 && iov == NULL))
        return -EINVAL;
    for (int i = 0; i < count; i++) {
        if (iov[i].iov_len > ep_message_most(ep) - *bytes)
            return -EMSGSIZE;
        *bytes += iov[i].iov_len;
    }
    return 0;
}

/* Returns -EAGAIN. Notes that WEIR_EV_WRITABLE must follow as soon as an operation record and this many bytes of the tx
 * budget are free. */
static int not_now(struct weir_ep *ep, uint64_t bytes)
{
    ep->starved = true;
    ep->starved_bytes = bytes;
    return -EAGAIN;
}

static int take_memory(struct weir_ep *ep, struct ep_op *op, uint64_t bytes)
{
    if (bytes > ep->tx.limit)
        return -EMSGSIZE;
    op->own = ep_pool_take(ep, &ep->tx, bytes, &op->own_room);
    if (op->own != NULL)
        return 0;
    return ep_pool_has(&ep->tx, bytes) ? -ENOMEM : -EAGAIN; /* the heap has no memory, or the budget is used up */
}

/* Sets the segments of op. If `copy` is set they are one copy of the payload, else a copy of the iovecs, which refer to
 * the caller's memory. @return 0; -EMSGSIZE: the copy is larger than the tx budget; -EAGAIN, -ENOMEM: no memory now */
static int hold(struct weir_ep *ep, struct ep_op *op, const struct iovec *iov, int count, bool copy)
{
    size_t list_bytes = (size_t)count * sizeof(*iov), at = 0;
    int code = 0;
    op->iov = op->few;
    op->iov_count = (uint32_t)count;
    if (copy && op->bytes > 0) {
        code = take_memory(ep, op, op->bytes);
        for (int i = 0; code == 0 && i < count; at += iov[i++].iov_len) {
            if (iov[i].iov_len > 0)
                memcpy((unsigned char *)op->own + at, iov[i].iov_base, iov[i].iov_len);
        }
        op->few[0] = (struct iovec){ op->own, op->bytes };
        op->iov_count = 1;
    } else if (count > (int)EP_IOV_FEW) {
        code = take_memory(ep, op, list_bytes);
        if (code == 0)
            memcpy(op->own, iov, list_bytes);
        op->iov = op->own;
    } else if (count > 0) {
        memcpy(op->few, iov, list_bytes);
    }
    op->flags |= copy ? EP_OP_COPIED : 0;
    return code;
}

/* Starts the message of op in the host if its peer is connected. Otherwise the operation waits, and the handshake
 * begins unless one is in progress. @return as ep_op_start() */
static int begin(struct weir_ep *ep, struct ep_op *op)
{
    if (op->peer->state == EP_PEER_UP)
        return ep_op_start(ep, op);
    op->flags |= EP_OP_QUEUED;
    if (op->peer->state == EP_PEER_IDLE)
        ep_shake_begin(ep, op->peer);
    return 0;
}

struct request { /* the arguments of weir_send(), weir_call() or weir_reply() */
    enum ep_kind kind;
    struct weir_peer *peer;
    uint64_t rpc;
    uint32_t answers;
    const struct iovec *iov;
    int count;
    uint64_t user_data;
    const struct weir_sendopt *opt;
    uint32_t error;
};

/* Returns the weight of a message: its own, else that of its peer, as long as the application has the handle. */
static uint32_t weight_of(const struct weir_ep *ep, const struct weir_peer *p, const struct weir_sendopt *opt)
{
    WEIR_ASSERT(p->ep == ep);
    if (opt->weight_milli != 0)
        return opt->weight_milli;
    return ep_peer_held(ep, p) ? p->weight_milli : 0;
}

static int submit_op(struct weir_ep *ep, struct ep_op *op, const struct request *r, const struct weir_sendopt *opt)
{
    int code;
    op->peer = r->peer;
    op->rpc = r->rpc;
    op->answers = r->answers;
    op->error = (uint16_t)r->error;
    op->weight_milli = weight_of(ep, r->peer, opt);
    op->priority = opt->priority;
    if (opt->deadline_ns != 0)
        op->deadline_ps = opt->deadline_ns > (WEIR_NEVER - 1 - ep->now_ps) / WEIR_PS_PER_NS
                              ? WEIR_NEVER
                              : ep->now_ps + opt->deadline_ns * WEIR_PS_PER_NS;
    code = hold(ep, op, r->iov, r->count, (opt->flags & WEIR_COPY) != 0);
    if (code == 0)
        code = begin(ep, op);
    if (code < 0) {
        uint64_t wanted = op->flags & EP_OP_COPIED ? op->bytes : (uint64_t)r->count * sizeof(struct iovec);
        ep_op_drop(ep, op);
        return code == -EAGAIN ? not_now(ep, wanted) : code;
    }
    ep_op_list(op);
    ep_op_accept(ep, op);
    if ((opt->flags & (WEIR_COPY | WEIR_LOCAL)) == (WEIR_COPY | WEIR_LOCAL) && r->kind != EP_CALL)
        ep_op_end(ep, op, 0);
    return 0;
}

static int submit(struct weir_ep *ep, const struct request *r)
{
    struct weir_sendopt opt;
    struct ep_op *op;
    uint64_t bytes = 0;
    int code = read_opt(r->opt, r->kind, &opt);
    if (code == 0)
        code = measure(ep, r->iov, r->count, &bytes);
    if (code < 0)
        return code;
    ep_clock(ep);
    op = ep_op_take(ep, opt.flags & WEIR_RELEASED ? EP_RELEASED : r->kind, r->user_data);
    if (op == NULL)
        return not_now(ep, 0);
    op->bytes = bytes;
    return submit_op(ep, op, r, &opt);
}

int weir_send(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt)
{
    struct request r = { EP_SEND, peer, 0, 0, iov, iov_count, user_data, opt, 0 };
    int code;
    if (!ep_peer_held(ep, peer))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_send");
    code = submit(ep, &r);
    EP_LEAVE(ep);
    return code;
}

int weir_call(struct weir_ep *ep, struct weir_peer *peer, const struct iovec *iov, int iov_count, uint64_t user_data,
              const struct weir_sendopt *opt)
{
    struct request r = { EP_CALL, peer, 0, 0, iov, iov_count, user_data, opt, 0 };
    int code;
    if (!ep_peer_held(ep, peer))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_call");
    code = submit(ep, &r);
    EP_LEAVE(ep);
    return code;
}

/* Answers request rpc. r has everything but the request. */
static int reply(struct weir_ep *ep, uint64_t rpc, struct request *r)
{
    struct ep_msg *m = ep_msg_of_rpc(ep, rpc);
    int code;
    if (m == NULL)
        return -ENOENT;
    r->kind = EP_REPLY;
    r->peer = m->peer;
    r->rpc = m->rpc;
    r->answers = m->conn;
    code = submit(ep, r);
    if (code == 0)
        ep_msg_answered(ep, m);
    return code;
}

int weir_reply(struct weir_ep *ep, uint64_t rpc, const struct iovec *iov, int iov_count, uint64_t user_data,
               const struct weir_sendopt *opt)
{
    struct request r = { .iov = iov, .count = iov_count, .user_data = user_data, .opt = opt };
    int code;
    EP_ENTER_OR_RETURN(ep, "weir_reply");
    code = reply(ep, rpc, &r);
    EP_LEAVE(ep);
    return code;
}

int weir_reply_error(struct weir_ep *ep, uint64_t rpc, uint32_t error, const struct iovec *iov, int iov_count,
                     uint64_t user_data, const struct weir_sendopt *opt)
{
    struct request r = { .iov = iov, .count = iov_count, .user_data = user_data, .opt = opt, .error = error };
    int code;
    if (error == 0 || error > WEIR_APP_ERROR_MAX)
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_reply_error");
    code = reply(ep, rpc, &r);
    EP_LEAVE(ep);
    return code;
}

/* Accepts an offer for a message of min_bytes .. len bytes, with its memory in op. */
static int offer(struct weir_ep *ep, struct ep_op *op, struct weir_peer *peer, size_t min_bytes, uint64_t len)
{
    op->peer = peer;
    if (peer != NULL)
        peer->named++;
    op->bytes = len;
    op->min_bytes = min_bytes;
    ep_op_accept(ep, op);
    ep_offer_add(ep, op);
    return 0;
}

static int offer_memory(struct weir_ep *ep, struct weir_peer *peer, void *data, size_t min_bytes, size_t len,
                        uint64_t user_data)
{
    struct ep_op *op = ep_op_take(ep, EP_RECV, user_data);
    if (op == NULL)
        return not_now(ep, 0);
    op->few[0] = (struct iovec){ data, len };
    return offer(ep, op, peer, min_bytes, len);
}

/* Tests whether the receiver of a message decides by itself, packet by packet, what is sent of it. */
static bool names_packets(const struct weir_ep *ep)
{
    return !ep->stream && ep->host_config.credit->credit_kinds == 0;
}

static int offer_parts(struct weir_ep *ep, struct weir_peer *peer, size_t min_bytes, size_t window_bytes,
                       uint64_t user_data)
{
    uint64_t bytes = ep_parts_room(window_bytes, ep->mss);
    struct ep_op *op;
    size_t room;
    void *block;
    if (!ep_msg_fits(ep, bytes, ep->promised_bytes))
        return -ENOMEM;
    op = ep_op_take(ep, EP_RECV, user_data);
    if (op == NULL)
        return not_now(ep, 0);
    block = ep_pool_take(ep, &ep->rx, bytes, &room);
    if (block == NULL) {
        ep_op_drop(ep, op);
        return -ENOMEM;
    }
    op->parts = ep_parts_make(block, room, window_bytes, ep->mss);
    return offer(ep, op, peer, min_bytes, UINT64_MAX);
}

int weir_recv_into(struct weir_ep *ep, struct weir_peer *peer, void *data, size_t min_bytes, size_t len,
                   uint64_t user_data)
{
    int code;
    if (min_bytes > len || (len > 0 && data == NULL) || (peer != NULL && !ep_peer_held(ep, peer)))
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_recv_into");
    code = offer_memory(ep, peer, data, min_bytes, len, user_data);
    EP_LEAVE(ep);
    return code;
}

int weir_recv_parts(struct weir_ep *ep, struct weir_peer *peer, size_t min_bytes, size_t window_bytes,
                    uint64_t user_data)
{
    int code;
    if (window_bytes < EP_PARTS_LEAST || window_bytes > ep_msg_most(ep) || (peer != NULL && !ep_peer_held(ep, peer)))
        return -EINVAL;
    if (!names_packets(ep))
        return -ENOTSUP;
    EP_ENTER_OR_RETURN(ep, "weir_recv_parts");
    code = offer_parts(ep, peer, min_bytes, window_bytes, user_data);
    EP_LEAVE(ep);
    return code;
}

/* Ends an offer of weir_recv_parts() while its message is arriving: the rest of the message is refused. */
static void cancel_parts(struct weir_ep *ep, struct ep_msg *m)
{
    ep_msg_reject(ep, m, -ECANCELED);
    weir_host_rx_bound(ep->host, ep->now_ps, m->peer->number, m->conn);
    ep_shake_refuse(ep, m->peer, m->number, m->handle);
}

/* Cancels an operation: it ends with -ECANCELED. An offer that a message is using stays in use: it ends with result 0
 * when the message is complete, or with -ECANCELED if the message fails. With parts it stays only if the message is
 * complete. */
static void cancel(struct weir_ep *ep, struct ep_op *op)
{
    if (op->kind != EP_RECV) {
        ep_op_end(ep, op, -ECANCELED);
    } else if (op->msg != NULL && op->parts == NULL) {
        op->flags |= EP_OP_CANCELLED;
    } else if (op->msg != NULL) {
        if (op->msg->flags & EP_MSG_ARRIVING)
            cancel_parts(ep, op->msg);
    } else {
        ep_offer_remove(ep, op);
        if (op->parts != NULL)
            ep_pool_give(&ep->rx, op->parts, op->parts->room);
        op->parts = NULL;
        ep->room_due = ep->wait_count > 0;
        ep_op_end(ep, op, -ECANCELED);
    }
}

int weir_cancel(struct weir_ep *ep, uint64_t user_data)
{
    int found = 0;
    EP_ENTER_OR_RETURN(ep, "weir_cancel");
    ep_clock(ep);
    for (uint32_t i = 0; i < ep->op_count; i++) {
        struct ep_op *op = &ep->ops[i];
        if (op->kind == EP_FREE || op->flags & EP_OP_ENDED || op->user_data != user_data)
            continue;
        cancel(ep, op);
        found++;
    }
    EP_LEAVE(ep);
    return found;
}

uint64_t weir_last_op(const struct weir_ep *ep)
{
    return ep->op_last;
}

int weir_cancel_op(struct weir_ep *ep, uint64_t op)
{
    uint32_t index = (uint32_t)op;
    int code = -ENOENT;
    EP_ENTER_OR_RETURN(ep, "weir_cancel_op");
    struct ep_op *found = index < ep->op_count ? &ep->ops[index] : NULL;
    if (found != NULL && found->kind != EP_FREE && (found->flags & EP_OP_ENDED) == 0 && ep_op_rpc(ep, found) == op) {
        ep_clock(ep);
        cancel(ep, found);
        code = 0;
    }
    EP_LEAVE(ep);
    return code;
}

int weir_set_weight(struct weir_ep *ep, uint64_t user_data, uint32_t weight_milli)
{
    int found = 0;
    if (weight_milli == 0 || weight_milli > WEIR_WEIGHT_MILLI_MAX)
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_set_weight");
    ep_clock(ep);
    for (uint32_t i = 0; i < ep->op_count; i++) {
        struct ep_op *op = &ep->ops[i];
        if (op->kind == EP_FREE || op->kind == EP_RECV || op->flags & EP_OP_ENDED || op->user_data != user_data)
            continue;
        op->weight_milli = weight_milli;
        ep_op_weigh(ep, op);
        found++;
    }
    EP_LEAVE(ep);
    return found;
}

int weir_peer_set_weight(struct weir_ep *ep, struct weir_peer *peer, uint32_t weight_milli)
{
    if (!ep_peer_held(ep, peer) || weight_milli > WEIR_WEIGHT_MILLI_MAX)
        return -EINVAL;
    EP_ENTER_OR_RETURN(ep, "weir_peer_set_weight");
    peer->weight_milli = weight_milli;
    EP_LEAVE(ep);
    return 0;
}

/* Takes a part back: its sender may send more of the message. */
static void release_part(struct weir_ep *ep, struct ep_lease *lease)
{
    struct ep_msg *m = lease->parts->msg;
    bool more = ep_parts_release(lease);
    if (more && m->offer != NULL && m->flags & EP_MSG_ARRIVING && !ep_is_forked(ep)) {
        ep_clock(ep);
        weir_host_rx_bound(ep->host, ep->now_ps, m->peer->number, m->conn);
    }
    ep_msg_settle(ep, m);
}

void weir_release(struct weir_ep *ep, void *lease)
{
    const struct ep_link *link = lease;
    if (lease == NULL)
        return;
    EP_ENTER(ep, "weir_release");
    if (link->kind == EP_LINK_LEASE)
        release_part(ep, lease);
    else
        ep_msg_release(ep, lease);
    if (ep->released_head != NULL && !ep_is_forked(ep)) {
        ep_clock(ep);
        ep_msg_answer(ep);
    }
    EP_LEAVE(ep);
}
