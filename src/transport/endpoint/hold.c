/* src/transport/endpoint/hold.c - see hold.h. A message that its receiver has listed waits for ROOM. One message of
 * each peer at a time is asked for now and then. A message that is not listed is asked for again at growing
 * intervals. */
#include "endpoint/hold.h"
#include "endpoint/op.h"
#include "endpoint/timer.h"
#include "endpoint/tx.h"

#define FIRST_PS (20 * WEIR_PS_PER_MS)  /* time until a message that is not listed is asked for, doubled each time .. */
#define LAST_PS WEIR_PS_PER_S           /* .. up to this time */
#define PROBE_PS (500 * WEIR_PS_PER_MS) /* one message of a peer is asked for in this time, or .. */
#define PROBE_OF_TIMEOUT 4u             /* .. in a quarter of peer_timeout, so that the peer is heard */

static uint64_t probe_every_ps(const struct weir_ep *ep)
{
    return weir_min_u64(PROBE_PS, ep->peer_timeout_ps / PROBE_OF_TIMEOUT);
}

static void ask(struct weir_ep *ep, struct ep_op *op)
{
    int code = weir_host_probe(ep->host, ep->now_ps, (uint32_t)(op - ep->ops));
    WEIR_ASSERT(code == 0);
    op->asked_ps = ep->now_ps;
}

/* Sets the time at which a message that is not listed is asked for. */
static void ask_later(struct weir_ep *ep, struct ep_op *op)
{
    WEIR_ASSERT(op->flags & EP_OP_HELD);
    op->ask_ps = ep->now_ps + weir_min_u64(FIRST_PS << op->refusals, LAST_PS);
    if (FIRST_PS << op->refusals < LAST_PS)
        op->refusals++;
    ep_timer_arm(ep, EP_TIMER_OP, (uint32_t)(op - ep->ops), op->ask_ps);
}

static void hold(struct weir_ep *ep, struct weir_peer *p, struct ep_op *op, bool listed)
{
    int code;
    WEIR_ASSERT(op->peer == p && op->flags & EP_OP_IN_HOST);
    if (op->flags & EP_OP_GIVEN_UP || (!ep->stream && op->flags & EP_OP_CREDITED))
        return; /* a receiver that gave credit has memory for the message: the NO_ROOM is late */
    code = weir_host_hold(ep->host, ep->now_ps, (uint32_t)(op - ep->ops));
    WEIR_ASSERT(code == 0 || ep->stream);
    if (code != 0)
        return; /* some of it was acknowledged: the NO_ROOM is late. Or there is no memory for a hold */
    ep_tx_drop_op(ep, op);
    op->again_tries = 0; /* packets of it that were sent again did not get lost */
    p->room_kib = 0;
    if (!(op->flags & EP_OP_HELD)) {
        op->flags |= EP_OP_HELD;
        op->asked_ps = ep->now_ps;
        if (p->held++ == 0)
            p->probe_ps = ep->now_ps + probe_every_ps(ep);
        ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, p->probe_ps);
    }
    op->ask_ps = WEIR_NEVER;
    if (!listed)
        ask_later(ep, op);
}

static void resume(struct weir_ep *ep, struct ep_op *op)
{
    int code;
    if (!(op->flags & EP_OP_HELD))
        return;
    ep_op_unhold(op);
    code = weir_host_resume(ep->host, ep->now_ps, (uint32_t)(op - ep->ops));
    WEIR_ASSERT(code == 0);
    if (EP_HEAD_BYTES + op->bytes <= ep->mss)
        ep_tx_hurry(ep);
}

/* Bounds a message that its receiver takes part by part. Of one that is held the receiver has nothing: if it has begun,
 * its CREDIT or the next notice follows. */
static void bound(struct weir_ep *ep, struct weir_peer *p, struct ep_op *op, uint64_t pkts)
{
    if (op->flags & (EP_OP_GIVEN_UP | EP_OP_HELD))
        return;
    op->flags |= EP_OP_CREDITED;
    ep_op_bound(op, pkts);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps + ep_timer_ask_ps(ep));
    weir_host_tx_bound(ep->host, (uint32_t)(op - ep->ops));
}

void ep_hold_notice(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt)
{
    uint32_t number = ep->stream ? ep_stream_number(pkt->conn, WEIR_WIRE_ROOM_FIRST(pkt->value)) : pkt->conn;
    struct ep_op *op = ep_op_named(ep, p, pkt->msg, number);
    bool has_kind =
        pkt->seq == WEIR_WIRE_NO_ROOM || pkt->seq == WEIR_WIRE_ROOM || (pkt->seq == WEIR_WIRE_BOUND && !ep->stream);
    if (op == NULL || !has_kind)
        ep->stats.refused_packets += op != NULL || pkt->seq < WEIR_WIRE_NO_ROOM; /* else it has ended meanwhile */
    else if (pkt->seq == WEIR_WIRE_NO_ROOM)
        hold(ep, p, op, WEIR_WIRE_ROOM_LISTED(pkt->value));
    else if (pkt->seq == WEIR_WIRE_BOUND)
        bound(ep, p, op, pkt->value);
    else
        resume(ep, op);
}

void ep_hold_timer(struct weir_ep *ep, struct ep_op *op)
{
    if (op->kind == EP_FREE || !(op->flags & EP_OP_HELD) || op->ask_ps == WEIR_NEVER)
        return;
    if (ep->now_ps < op->ask_ps) {
        ep_timer_arm(ep, EP_TIMER_OP, (uint32_t)(op - ep->ops), op->ask_ps);
        return;
    }
    ask(ep, op);
    ask_later(ep, op);
}

uint64_t ep_hold_probe(struct weir_ep *ep, struct weir_peer *p)
{
    struct ep_op *oldest = NULL;
    if (p->held == 0)
        return WEIR_NEVER;
    if (ep->now_ps < p->probe_ps)
        return p->probe_ps;
    for (struct ep_op *op = p->op_head; op != NULL; op = op->next)
        if (op->flags & EP_OP_HELD && (oldest == NULL || op->asked_ps < oldest->asked_ps))
            oldest = op;
    WEIR_ASSERT(oldest != NULL); /* p->held counts them */
    ask(ep, oldest);
    p->probe_ps = ep->now_ps + probe_every_ps(ep);
    return p->probe_ps;
}
