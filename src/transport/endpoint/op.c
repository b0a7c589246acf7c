/* src/transport/endpoint/op.c - operations: from their submission to their event, and until the host has returned the
 * handle. */
#include "endpoint/op.h"
#include "endpoint/event.h"
#include "endpoint/memory.h"
#include "endpoint/timer.h"
#include "endpoint/tx.h"
#include <errno.h>

/* Takes a free record and initialises it. The table has room for max_ops operations and as many answers. */
static struct ep_op *take(struct weir_ep *ep, enum ep_kind kind, uint64_t user_data)
{
    struct ep_op *op;
    uint64_t timer_ps = WEIR_NEVER;
    WEIR_ASSERT(ep->op_used <= ep->opts.max_ops && ep->op_answers <= ep->opts.max_ops);
    if (ep->op_free != 0) {
        op = &ep->ops[ep->op_free - 1];
        ep->op_free = op->conn;
        timer_ps = op->timer_ps;
    } else {
        op = &ep->ops[ep->op_count++];
    }
    WEIR_ASSERT(op->kind == EP_FREE);
    *op = (struct ep_op){ .user_data = user_data,
                          .deadline_ps = WEIR_NEVER,
                          .timer_ps = timer_ps,
                          .generation = op->generation + 1,
                          .kind = (uint8_t)kind };
    return op;
}

struct ep_op *ep_op_take(struct weir_ep *ep, enum ep_kind kind, uint64_t user_data)
{
    if (ep->op_used == ep->opts.max_ops)
        return NULL;
    ep->op_used++;
    return take(ep, kind, user_data);
}

static void give_memory(struct weir_ep *ep, struct ep_op *op)
{
    ep_pool_give(&ep->tx, op->own, op->own_room);
    op->own = NULL;
}

/* Makes WEIR_EV_WRITABLE due if it must follow an -EAGAIN, a record is free, and starved_bytes fit into the tx
 * budget. */
static void make_room(struct weir_ep *ep)
{
    if (!ep->starved || ep->op_used == ep->opts.max_ops || !ep_pool_has(&ep->tx, ep->starved_bytes))
        return;
    ep->starved = false;
    ep->starved_bytes = 0;
    ep_event_add_writable(ep);
}

/* Frees the record. The field `conn` links the free list. */
void ep_op_drop(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(op->kind != EP_FREE);
    WEIR_ASSERT(op < ep->ops + ep->op_count);
    WEIR_ASSERT(
        /* else the host or the peer's list would find another operation in this record */
        !(op->flags & (EP_OP_IN_HOST | EP_OP_LISTED)));
    give_memory(ep, op);
    if (op->flags & EP_OP_ANSWER)
        ep->op_answers--;
    else
        ep->op_used--;
    op->kind = EP_FREE;
    op->conn = ep->op_free;
    ep->op_free = (uint32_t)(op - ep->ops) + 1;
    make_room(ep);
}

void ep_op_accept(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(ep->ops_pending < ep->opts.max_ops);
    ep->ops_pending++;
    ep->op_last = ep_op_rpc(ep, op);
    if (op->deadline_ps != WEIR_NEVER)
        ep_timer_arm(ep, EP_TIMER_OP, (uint32_t)(op - ep->ops), op->deadline_ps);
}

void ep_op_list(struct ep_op *op)
{
    struct weir_peer *p = op->peer;
    WEIR_ASSERT(!(op->flags & EP_OP_LISTED));
    WEIR_ASSERT((p->op_head == NULL) == (p->op_tail == NULL));
    op->flags |= EP_OP_LISTED;
    op->prev = p->op_tail;
    op->next = NULL;
    if (p->op_tail != NULL)
        p->op_tail->next = op;
    else
        p->op_head = op;
    p->op_tail = op;
    p->calls += ep_op_awaits(op);
}

static void unlist(struct ep_op *op)
{
    struct weir_peer *p = op->peer;
    WEIR_ASSERT(op->flags & EP_OP_LISTED);
    op->flags &= (uint16_t)~EP_OP_LISTED;
    if (op->prev != NULL)
        op->prev->next = op->next;
    else
        p->op_head = op->next;
    if (op->next != NULL)
        op->next->prev = op->prev;
    else
        p->op_tail = op->prev;
}

/* Frees the memory of an operation that has ended and is neither in the host nor waiting for its connection. Also frees
 * the record if the event was handed over. */
static void settle(struct weir_ep *ep, struct ep_op *op)
{
    if (op->flags & (EP_OP_IN_HOST | EP_OP_QUEUED) || !(op->flags & EP_OP_ENDED))
        return;
    if (op->flags & EP_OP_LISTED)
        unlist(op);
    give_memory(ep, op);
    if (op->flags & EP_OP_REPORTED)
        ep_op_drop(ep, op);
    else
        make_room(ep);
}

struct ep_op *ep_op_named(const struct weir_ep *ep, const struct weir_peer *p, uint32_t msg, uint32_t number)
{
    struct ep_op *op = msg < ep->op_count ? &ep->ops[msg] : NULL;
    return op != NULL && op->flags & EP_OP_IN_HOST && op->peer == p && op->conn == number ? op : NULL;
}

void ep_op_unhold(struct ep_op *op)
{
    if (!(op->flags & EP_OP_HELD))
        return;
    WEIR_ASSERT(op->peer->held > 0);
    op->peer->held--;
    op->flags &= (uint16_t)~EP_OP_HELD;
}

void ep_op_unask(struct ep_op *op)
{
    struct weir_peer *p = op->peer;
    ep_op_unhold(op);
    if (!(op->flags & EP_OP_ASKED))
        return;
    WEIR_ASSERT(p->asked > 0 && p->asked_bytes >= op->bytes);
    p->asked--;
    p->asked_bytes -= op->bytes;
    op->flags &= (uint16_t)~EP_OP_ASKED;
}

void ep_op_bound(struct ep_op *op, uint64_t pkts)
{
    WEIR_ASSERT(op->flags & EP_OP_IN_HOST);
    if ((op->flags & EP_OP_BOUNDED) == 0) {
        op->flags |= EP_OP_BOUNDED;
        op->peer->bounded++;
    }
    op->bound = (uint32_t)weir_clamp_u32(pkts, op->bound, UINT32_MAX);
}

/* Takes the bound away from an operation whose message has ended. */
static void unbound(struct ep_op *op)
{
    WEIR_ASSERT(!(op->flags & EP_OP_BOUNDED) || op->peer->bounded > 0);
    op->peer->bounded -= (op->flags & EP_OP_BOUNDED) != 0;
    op->flags &= (uint16_t)~EP_OP_BOUNDED;
}

uint32_t ep_op_bound_of(void *ctx, uint32_t msg)
{
    const struct weir_ep *ep = ctx;
    return ep->ops[msg].flags & EP_OP_BOUNDED ? ep->ops[msg].bound : UINT32_MAX;
}

/* Counts the memory that a message of a sender-driven protocol needs at its receiver. If the receiver has reported less
 * than that, the message begins with one packet, and the others follow once that has arrived. Messages that wait for a
 * connection are not counted. */
static void ask(struct weir_ep *ep, struct ep_op *op)
{
    struct weir_peer *p = op->peer;
    int code;
    WEIR_ASSERT(ep->stream && op->flags & EP_OP_IN_HOST && !(op->flags & EP_OP_ASKED));
    if (p->room_kib != UINT32_MAX && p->asked_bytes + op->bytes > (uint64_t)p->room_kib * 1024) {
        code = weir_host_probe(ep->host, ep->now_ps, (uint32_t)(op - ep->ops));
        WEIR_ASSERT(code == 0);
    }
    if (p->asked == ep->host_config.params.connections)
        return;
    op->flags |= EP_OP_ASKED;
    p->asked++;
    p->asked_bytes += op->bytes;
}

void ep_op_weigh(struct weir_ep *ep, const struct ep_op *op)
{
    uint64_t weight_q20 = ((uint64_t)op->weight_milli << 20) / 1000;
    int code;
    WEIR_ASSERT(op->weight_milli <= WEIR_WEIGHT_MILLI_MAX);
    if (!(op->flags & EP_OP_IN_HOST) || op->flags & EP_OP_GIVEN_UP || weight_q20 == 0)
        return;
    code = weir_host_weight(ep->host, ep->now_ps, (uint32_t)(op - ep->ops), weight_q20);
    WEIR_ASSERT(code == 0);
}

int ep_op_start(struct weir_ep *ep, struct ep_op *op)
{
    struct weir_peer *p = op->peer;
    int code;
    WEIR_ASSERT(!(op->flags & EP_OP_IN_HOST));
    WEIR_ASSERT(p->state == EP_PEER_UP);
    ep_timer_await(ep, p);
    p->used = true;
    code = weir_host_send(ep->host, ep->now_ps, p->number, (uint32_t)(op - ep->ops), EP_HEAD_BYTES + op->bytes);
    if (code != 0)
        return code == WEIR_E_RANGE ? -EMSGSIZE : -ENOMEM;
    if (EP_HEAD_BYTES + op->bytes <= ep->mss)
        ep_tx_hurry(ep);
    op->conn = WEIR_PKT_CONN(p->tx_count++);
    op->flags = (uint16_t)((op->flags & ~EP_OP_QUEUED) | EP_OP_IN_HOST);
    ep_op_weigh(ep, op);
    if (op->priority > 0) {
        code = weir_host_priority(ep->host, ep->now_ps, p->number, (uint32_t)(op - ep->ops), op->priority);
        WEIR_ASSERT(code == 0);
    }
    if (ep->stream)
        ask(ep, op);
    p->in_host++;
    return 0;
}

bool ep_op_answer(struct weir_ep *ep, struct weir_peer *p, uint64_t rpc, uint32_t conn)
{
    struct ep_op *op;
    WEIR_ASSERT(p->state == EP_PEER_UP); /* else the message would have been lost with its connection */
    if (ep->op_answers == ep->opts.max_ops)
        return false;
    ep->op_answers++;
    op = take(ep, EP_REPLY, 0);
    op->flags = EP_OP_ANSWER | EP_OP_ENDED | EP_OP_REPORTED;
    op->peer = p;
    op->rpc = rpc;
    op->answers = conn;
    if (ep_op_start(ep, op) < 0) {
        ep_op_drop(ep, op);
        return false;
    }
    ep_op_list(op);
    return true;
}

void ep_op_give_up(struct weir_ep *ep, struct ep_op *op)
{
    int code;
    op->flags &= (uint16_t)~EP_OP_QUEUED;
    if (!(op->flags & EP_OP_IN_HOST) || op->flags & EP_OP_GIVEN_UP)
        return;
    op->flags |= EP_OP_GIVEN_UP;
    ep_op_unask(op);
    unbound(op);
    ep_tx_drop_op(ep, op);
    code = weir_host_cancel(ep->host, ep->now_ps, (uint32_t)(op - ep->ops));
    WEIR_ASSERT(code == 0);
}

void ep_op_end(struct weir_ep *ep, struct ep_op *op, int result)
{
    WEIR_ASSERT(!(op->flags & EP_OP_ENDED));
    WEIR_ASSERT(ep->ops_pending > 0);
    op->flags |= EP_OP_ENDED;
    op->result = result;
    ep->ops_pending--;
    if (ep_op_awaits(op) && op->flags & EP_OP_LISTED) {
        WEIR_ASSERT(op->peer->calls > 0);
        op->peer->calls--;
    }
    if (op->kind == EP_RECV && op->peer != NULL) {
        WEIR_ASSERT(op->peer->named > 0);
        op->peer->named--; /* `named` counts an offer until it ends */
    }
    ep_event_add(ep, &op->link);
    if (result != 0 || !(op->flags & EP_OP_COPIED))
        ep_op_give_up(ep, op);
    settle(ep, op);
}

void ep_op_lost(struct weir_ep *ep, struct ep_op *op, int result)
{
    WEIR_ASSERT(!(op->flags & EP_OP_IN_HOST) || op->peer->in_host > 0);
    if (op->flags & EP_OP_IN_HOST)
        op->peer->in_host--;
    ep_op_unask(op);
    unbound(op);
    op->flags &= (uint16_t) ~(EP_OP_IN_HOST | EP_OP_QUEUED);
    if (op->flags & EP_OP_ENDED)
        settle(ep, op);
    else
        ep_op_end(ep, op, result);
}

void ep_op_reported(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(op->flags & EP_OP_ENDED);
    WEIR_ASSERT(!(op->flags & EP_OP_REPORTED));
    op->flags |= EP_OP_REPORTED;
    settle(ep, op);
}

void ep_op_timer(struct weir_ep *ep, struct ep_op *op)
{
    if (op->kind == EP_FREE || op->flags & EP_OP_ENDED)
        return;
    if (op->flags & EP_OP_STUCK) {
        ep_op_end(ep, op, -ETIMEDOUT);
        return;
    }
    if (op->deadline_ps == WEIR_NEVER)
        return;
    if (ep->now_ps < op->deadline_ps)
        ep_timer_arm(ep, EP_TIMER_OP, (uint32_t)(op - ep->ops), op->deadline_ps);
    else
        ep_op_end(ep, op, -ETIMEDOUT);
}

/* Waits for the answer to a message that has arrived: its payload is not needed any more. */
static void await(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(!(op->flags & (EP_OP_IN_HOST | EP_OP_ENDED)));
    give_memory(ep, op);
    make_room(ep);
    ep_timer_arm(ep, EP_TIMER_PEER, op->peer->number - 1, ep->now_ps + ep_timer_ask_ps(ep));
}

void ep_op_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    struct weir_ep *ep = ctx;
    struct ep_op *op = &ep->ops[msg];
    (void)now_ps;
    WEIR_ASSERT(op->flags & EP_OP_IN_HOST);
    WEIR_ASSERT(op->peer->in_host > 0);
    op->flags &= (uint16_t)~EP_OP_IN_HOST;
    op->peer->in_host--;
    ep_op_unask(op);
    unbound(op);
    /* DATA waits here if the peer requested it again and it arrived late after all, or if the peer sends a false
     * DONE */
    ep_tx_drop_op(ep, op);
    if (!(op->flags & (EP_OP_GIVEN_UP | EP_OP_ANSWER))) {
        ep->stats.messages_sent++;
        ep->stats.bytes_sent += op->bytes;
        op->peer->counts.messages_sent++;
        op->peer->counts.bytes_sent += op->bytes;
    }
    if (op->flags & EP_OP_ENDED)
        settle(ep, op);
    else if (ep_op_awaits(op))
        await(ep, op);
    else
        ep_op_end(ep, op, 0);
}

void ep_op_retransmitted(void *ctx, uint32_t msg)
{
    (void)ctx, (void)msg;
}
