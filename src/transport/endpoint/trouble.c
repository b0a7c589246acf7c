/* src/transport/endpoint/trouble.c - see trouble.h. A report is believed if this machine's kernel makes it. It is also
 * believed if the ICMP packet quotes the token of a datagram to that peer: only the two ends, and who is between them,
 * know it. Other reports are forgotten: the time-outs decide. */
#include "endpoint/trouble.h"
#include "endpoint/op.h"
#include "endpoint/peer.h"
#include <errno.h>
#include <string.h>

enum { AT_ONCE = 16 };

/* Tests whether a report is of a datagram that was sent to the peer. */
static bool is_ours(const struct weir_peer *p, const struct weir_net_trouble *t)
{
    uint64_t token;
    if (t->local)
        return true;
    if (!weir_wire_token(t->quoted, t->quoted_bytes, &token))
        return false;
    return ep_same_token(token, p->state == EP_PEER_UP ? p->tx_token : p->own_token);
}

/* Returns the size of the largest IP packet of an operation's message. */
static uint32_t largest_packet(const struct weir_ep *ep, const struct ep_op *op)
{
    uint64_t bytes = EP_HEAD_BYTES + op->bytes;
    return bytes >= ep->mss ? ep->mtu : ep->mtu - (ep->mss - (uint32_t)bytes);
}

/* Ends the operations whose messages have packets that do not pass. Others go on: their packets do. mtu: of the path; 0
 * = a router that does not know it, so that only the largest packets are known not to pass. */
static void too_large(struct weir_ep *ep, struct weir_peer *p, uint32_t mtu)
{
    uint32_t passes = mtu != 0 ? mtu : ep->mtu - 1;
    struct ep_op *next;
    WEIR_ASSERT(passes < ep->mtu);
    p->path_mtu = mtu;
    if (p->state != EP_PEER_UP) { /* a HELLO is as large as any packet */
        ep_peer_end(ep, p, -EMSGSIZE);
        return;
    }
    for (struct ep_op *op = p->op_head; op != NULL; op = next) {
        next = op->next;
        if (op->flags & EP_OP_IN_HOST && !(op->flags & EP_OP_ENDED) && largest_packet(ep, op) > passes)
            ep_op_end(ep, op, -EMSGSIZE);
    }
}

static void handle(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_trouble *t)
{
    WEIR_ASSERT(p->ep == ep && t->quoted_bytes <= WEIR_NET_QUOTE);
    bool fits = t->error == EMSGSIZE && t->mtu >= ep->mtu;
    if (p->state == EP_PEER_IDLE || !is_ours(p, t) || fits)
        return;
    p->trouble = t->error;
    if (t->error == ECONNREFUSED)
        ep_peer_end(ep, p, p->state == EP_PEER_UP ? -ECONNRESET : -ECONNREFUSED);
    else if (t->error == EMSGSIZE)
        too_large(ep, p, t->mtu);
}

static bool same_host(const struct weir_net_addr *a, const struct weir_net_addr *b)
{
    return a->family == b->family && memcmp(a->ip, b->ip, sizeof(a->ip)) == 0;
}

/* Handles a report without a port, as the kernel's own are: it concerns all peers at this address. */
static void handle_host(struct weir_ep *ep, const struct weir_net_trouble *t)
{
    for (uint32_t i = 0; i < ep->peer_count && t->local; i++)
        if (same_host(&ep->peers[i].addr, &t->to))
            handle(ep, &ep->peers[i], t);
}

static void dispatch(struct weir_ep *ep, const struct weir_net_trouble *t)
{
    struct weir_peer *p = t->to.port != 0 ? ep_peer_find(ep, &t->to) : NULL;
    if (p != NULL)
        handle(ep, p, t);
    else if (t->to.port == 0)
        handle_host(ep, t);
}

void ep_trouble_run(struct weir_ep *ep)
{
    struct weir_net_trouble t[AT_ONCE];
    uint32_t count = AT_ONCE;
    WEIR_ASSERT(ep->net->driver->troubles != NULL);
    ep->net->troubled = false;
    while (count == AT_ONCE) {
        count = ep->net->driver->troubles(ep->net, t, AT_ONCE);
        WEIR_ASSERT(count <= AT_ONCE);
        for (uint32_t i = 0; i < count; i++)
            dispatch(ep, &t[i]);
    }
}
