/* src/transport/endpoint/connect.c - see connect.h. */
#include "endpoint/connect.h"
#include "endpoint/agree.h"
#include "endpoint/event.h"
#include "endpoint/op.h"
#include "endpoint/token.h"

uint64_t ep_connect_token(uint64_t receiver, uint64_t sender)
{
    uint64_t mixed = weir_mix_u64((receiver & ~WEIR_TAG_MASK) ^ weir_mix_u64(sender & ~WEIR_TAG_MASK));
    return (mixed & ~WEIR_TAG_MASK) | (receiver & WEIR_TAG_MASK);
}

void ep_connect_heard(struct weir_ep *ep, struct weir_peer *p)
{
    p->heard_ps = p->since_ps = ep->now_ps;
    p->hint = EP_HINT_NONE;
}

void ep_connect(struct weir_ep *ep, struct weir_peer *p, const struct ep_other_end *end)
{
    struct ep_op *next;
    WEIR_ASSERT(p->state != EP_PEER_UP && p->in_host == 0);
    WEIR_ASSERT((p->seal != NULL) == (ep->keys != NULL));
    WEIR_ASSERT(end->ports >= 1 && end->ports <= WEIR_WIRE_PORTS_MAX);
    p->local = end->to;
    p->ports = end->ports;
    p->spray_above = p->counts.packets_received;
    p->remote_token = end->remote_token;
    p->rx_token = ep_connect_token(p->own_token, end->remote_token);
    p->tx_token = ep_connect_token(end->remote_token, p->own_token);
    WEIR_ASSERT(ep->keys == NULL || p->path == NULL);
    p->tx_counter = 0;
    p->tag_counter = 0;
    p->tag_ps = 0;
    p->granted = 0;
    p->state = EP_PEER_UP;
    ep_token_add(ep, p);
    ep->peers_up++;
    ep->stats.handshakes++;
    p->counts.handshakes++;
    ep_connect_heard(ep, p);
    ep_agree_settle(ep, p);
    ep_event_add_up(ep, p);
    for (struct ep_op *op = p->op_head; op != NULL; op = next) {
        next = op->next;
        int code = ep_op_start(ep, op);
        if (code < 0)
            ep_op_lost(ep, op, code);
    }
}
