/* src/transport/endpoint/report.c - hands events over to the application: fills in struct weir_event. The application
 * then owns the memory and the handles that an event names. */
#include "endpoint/report.h"
#include "endpoint/event.h"
#include "endpoint/lend.h"
#include "endpoint/msg.h"
#include "endpoint/op.h"
#include "endpoint/parts.h"
#include "endpoint/post.h"

/* Writes the event of a one-way message or of a request. An empty message lends no memory, and needs no release. */
static void report_msg(struct weir_ep *ep, struct ep_msg *m, struct weir_event *out)
{
    *out = (struct weir_event){ .type = m->kind == EP_CALL ? WEIR_EV_CALL : WEIR_EV_MESSAGE,
                                .rpc = m->kind == EP_CALL ? ep_msg_rpc(m) : 0,
                                .peer = m->peer,
                                .data = m->data,
                                .len = m->bytes,
                                .lease = m->bytes > 0 ? m : NULL };
    WEIR_ASSERT(m->flags & EP_MSG_QUEUED);
    m->flags &= (uint16_t)~EP_MSG_QUEUED;
    if (m->bytes > 0)
        m->flags |= EP_MSG_LENT;
    ep_msg_settle(ep, m);
}

/* Adds the reply to the event of its call if the result of the call is 0, or an error of the peer's application;
 * otherwise drops the reply. */
static void report_reply(struct weir_ep *ep, const struct ep_op *op, struct weir_event *out)
{
    struct ep_msg *m = op->msg;
    WEIR_ASSERT(m->flags & EP_MSG_QUEUED);
    m->flags &= (uint16_t)~EP_MSG_QUEUED;
    if ((op->result == 0 || WEIR_APP_ERROR_OF(op->result) != 0) && m->bytes > 0) {
        m->flags |= EP_MSG_LENT;
        out->data = m->data;
        out->len = m->bytes;
        out->lease = m;
    }
    ep_msg_settle(ep, m);
}

/* Writes the event of a part. @return false: its operation has ended meanwhile, and there is none */
static bool report_part(struct weir_ep *ep, struct ep_parts *s, struct weir_event *out)
{
    struct ep_msg *m = s->msg;
    bool any = m->offer != NULL;
    WEIR_ASSERT(s->queued && m->flags & EP_MSG_PARTS);
    s->queued = false;
    if (any) {
        *out = (struct weir_event){ .type = WEIR_EV_PART, .user_data = m->offer->user_data, .peer = m->peer };
        ep_parts_next(s, out);
        ep_lend_more(ep, m);
    }
    ep_msg_settle(ep, m);
    return any;
}

static void report_received(struct weir_ep *ep, const struct ep_op *op, struct weir_event *out)
{
    struct ep_msg *m = op->msg;
    WEIR_ASSERT(m->offer == op && m->bytes <= op->bytes);
    out->peer = m->peer;
    out->data = op->few[0].iov_base; /* NULL of weir_recv_parts() */
    out->len = m->bytes;
    out->rpc = m->kind == EP_CALL ? ep_msg_rpc(m) : 0;
    m->flags &= (uint16_t)~EP_MSG_QUEUED;
    m->offer = NULL;
    ep_msg_settle(ep, m);
}

static void report_op(struct weir_ep *ep, struct ep_op *op, struct weir_event *out)
{
    static const uint32_t types[] = {
        [EP_SEND] = WEIR_EV_SENT,     [EP_CALL] = WEIR_EV_REPLY,    [EP_REPLY] = WEIR_EV_REPLIED,
        [EP_RELEASED] = WEIR_EV_SENT, [EP_RECV] = WEIR_EV_RECEIVED,
    };
    *out = (struct weir_event){
        .type = types[op->kind], .result = op->result, .user_data = op->user_data, .peer = op->peer
    };
    if (op->kind == EP_CALL && op->msg != NULL)
        report_reply(ep, op, out);
    else if (op->kind == EP_RECV && op->msg != NULL)
        report_received(ep, op, out);
    ep_op_reported(ep, op);
}

/* Writes the event that a connection was made or has ended. */
static void report_peer(struct weir_ep *ep, const struct ep_link *link, struct weir_event *out)
{
    bool up = link->kind == EP_LINK_UP;
    struct weir_peer *p = ep_event_peer(ep, link);
    *out = (struct weir_event){ .type = up ? WEIR_EV_PEER_UP : WEIR_EV_PEER_DOWN,
                                .result = up ? 0 : p->down_result,
                                .peer = p };
}

/* Writes events of posts behind the first n. @return how many there are now, at most max */
static int report_posts(struct weir_ep *ep, struct weir_event *events, int n, int max)
{
    while (n < max && ep->posts_due && ep_post_take(ep, &events[n]))
        n++;
    return n;
}

/* Writes the events that there are. @return how many, at most max */
static __attribute__((noinline)) int report(struct weir_ep *ep, struct weir_event *events, int max)
{
    struct ep_link *link;
    bool posts_first = ep->polls % 2 != 0; /* so that neither many posts nor many messages keep the others waiting */
    int n = posts_first ? report_posts(ep, events, 0, max) : 0;
    while (n < max && (link = ep_event_take(ep)) != NULL) {
        if (link->kind == EP_LINK_PART)
            n += report_part(ep, (struct ep_parts *)link, &events[n]);
        else if (link->kind == EP_LINK_MSG)
            report_msg(ep, (struct ep_msg *)link, &events[n++]);
        else if (link->kind == EP_LINK_OP)
            report_op(ep, (struct ep_op *)link, &events[n++]);
        else
            report_peer(ep, link, &events[n++]);
    }
    if (!posts_first)
        n = report_posts(ep, events, n, max);
    ep_msg_answer(ep); /* empty messages, and those in offered memory, are released by their events */
    if (n < max && ep_event_take_writable(ep))
        events[n++] = (struct weir_event){ .type = WEIR_EV_WRITABLE };
    return n;
}

int ep_report(struct weir_ep *ep, struct weir_event *events, int max)
{
    if (ep->events_pending > 0 || ep->posts_due) /* most calls of weir_poll() have nothing to report */
        return report(ep, events, max);
    ep_msg_answer(ep);
    return 0;
}
_Static_assert(offsetof(struct ep_op, link) == 0 && offsetof(struct ep_msg, link) == 0, "two of the casts above");
_Static_assert(offsetof(struct ep_parts, link) == 0, "and the third");
