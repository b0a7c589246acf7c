/* src/transport/endpoint/lend.c - see lend.h. */
#include "endpoint/lend.h"
#include "endpoint/event.h"
#include "endpoint/head.h"
#include "endpoint/op.h"
#include "endpoint/parts.h"

uint32_t ep_lend_bound(const struct weir_ep *ep, const struct ep_msg *m)
{
    if (m->flags & EP_MSG_REJECTED)
        return 0;
    return m->flags & EP_MSG_PARTS ? ep_parts_bound(m->parts, ep->mss) : UINT32_MAX;
}

/* Tests whether the first packet of a message, which has arrived, shows that it is no message for parts. */
static bool is_no_stream(const struct ep_msg *m)
{
    uint8_t kind;
    uint32_t result;
    uint64_t rpc;
    return !ep_head_read(m->head, &kind, &result, &rpc) || kind == EP_REPLY;
}

bool ep_lend_advance(struct weir_ep *ep, struct ep_msg *m, uint32_t pkts)
{
    struct ep_parts *s = m->parts;
    uint64_t edge = weir_min_u64((uint64_t)pkts * ep->mss, EP_HEAD_BYTES + m->bytes);
    WEIR_ASSERT(m->flags & EP_MSG_PARTS && m->offer != NULL);
    if (pkts == 0 || edge - EP_HEAD_BYTES == s->edge)
        return true;
    if (s->edge == 0 && is_no_stream(m))
        return false;
    s->edge = edge - EP_HEAD_BYTES;
    if (!s->queued)
        ep_event_add(ep, &s->link);
    s->queued = true;
    return true;
}

void ep_lend_more(struct weir_ep *ep, struct ep_msg *m)
{
    struct ep_parts *s = m->parts;
    if (s->handed < s->edge) {
        ep_event_add(ep, &s->link);
        s->queued = true;
    } else if (!(m->flags & EP_MSG_ARRIVING)) {
        WEIR_ASSERT(s->handed == m->bytes);
        ep_op_end(ep, m->offer, 0);
    }
}
