/* src/transport/endpoint/event.c - the queue of events for the application. */
#include "endpoint/event.h"
#include "endpoint/parts.h"

/* Returns the peer of which a link is the member `up` or `down`. */
static struct weir_peer *owner(const struct ep_link *link)
{
    size_t at = link->kind == EP_LINK_UP ? offsetof(struct weir_peer, up) : offsetof(struct weir_peer, down);
    WEIR_ASSERT(link->kind == EP_LINK_UP || link->kind == EP_LINK_DOWN);
    return (struct weir_peer *)((uintptr_t)link - at);
}

/* Returns the peer that the event of a record will name; NULL = an offer to any peer that ends without a message. */
static struct weir_peer *peer_of(const struct ep_link *link)
{
    const struct ep_op *op = (const struct ep_op *)link;
    const struct ep_msg *m = (const struct ep_msg *)link;
    if (link->kind == EP_LINK_PART)
        return ((const struct ep_parts *)link)->msg->peer;
    if (link->kind != EP_LINK_OP)
        return link->kind == EP_LINK_MSG ? m->peer : owner(link);
    m = op->kind == EP_RECV ? op->msg : NULL;
    return m != NULL ? m->peer : op->peer;
}

void ep_event_add(struct weir_ep *ep, struct ep_link *link)
{
    struct weir_peer *p = peer_of(link);
    WEIR_ASSERT((ep->event_head == NULL) == (ep->event_tail == NULL));
    if (p != NULL)
        p->named++;
    link->next = NULL;
    if (ep->event_tail != NULL)
        ep->event_tail->next = link;
    else
        ep->event_head = link;
    ep->event_tail = link;
    ep->events_pending++;
}

void ep_event_add_up(struct weir_ep *ep, struct weir_peer *p)
{
    if ((ep->opts.flags & WEIR_OPEN_PEER_EVENTS) == 0 || p->up_queued)
        return;
    p->up_queued = true;
    p->up.kind = EP_LINK_UP;
    ep_event_add(ep, &p->up);
}

void ep_event_add_down(struct weir_ep *ep, struct weir_peer *p, int result)
{
    p->down_result = result;
    if ((ep->opts.flags & WEIR_OPEN_PEER_EVENTS) == 0 || p->down_queued)
        return;
    p->down_queued = true;
    p->down.kind = EP_LINK_DOWN;
    ep_event_add(ep, &p->down);
}

struct weir_peer *ep_event_peer(struct weir_ep *ep, const struct ep_link *link)
{
    struct weir_peer *p = owner(link);
    if (link->kind == EP_LINK_UP) {
        WEIR_ASSERT(p->up_queued);
        p->up_queued = false;
        if (p->state != EP_PEER_UP)
            ep_event_add_down(ep, p, p->down_result);
    } else {
        WEIR_ASSERT(p->down_queued);
        p->down_queued = false;
        if (p->state == EP_PEER_UP)
            ep_event_add_up(ep, p);
    }
    return p;
}

void ep_event_add_writable(struct weir_ep *ep)
{
    ep->events_pending += !ep->writable;
    ep->writable = true;
}

/* Gives the application the handle of a peer, for good or until the next weir_poll(). */
static void expose(struct weir_ep *ep, struct weir_peer *p)
{
    if ((ep->opts.flags & WEIR_OPEN_LEND_PEERS) == 0) {
        p->exposed = true;
        return;
    }
    if (!ep_peer_held(ep, p))
        ep_peer_clear(p);
    p->lent_poll = ep->polls;
}

struct ep_link *ep_event_take(struct weir_ep *ep)
{
    struct ep_link *link = ep->event_head;
    if (link == NULL)
        return NULL;
    struct weir_peer *p = peer_of(link);
    WEIR_ASSERT(ep->events_pending > 0);
    if (p != NULL) {
        WEIR_ASSERT(p->named > 0); /* else its entry might have been reused */
        p->named--;
        expose(ep, p);
    }
    ep->event_head = link->next;
    if (link->next == NULL)
        ep->event_tail = NULL;
    ep->events_pending--;
    return link;
}

bool ep_event_take_writable(struct weir_ep *ep)
{
    if (!ep->writable)
        return false;
    ep->writable = false;
    ep->events_pending--;
    return true;
}
