/* src/transport/endpoint/share.c - see share.h. */
#include "endpoint/share.h"
#include "endpoint/msg.h"

/* a peer counts as one that finds no memory for this time */
#define WANTS_PS WEIR_PS_PER_S

uint64_t ep_share(const struct weir_ep *ep)
{
    WEIR_ASSERT(ep->holders <= ep->peer_count);
    return (ep->rx.limit - ep_msg_reserve(ep)) / (ep->holders + 1);
}

/* Tests whether another peer has found no memory lately. */
static bool another_wants(const struct weir_ep *ep, const struct weir_peer *p)
{
    uint64_t at_ps = ep->wanting == p ? ep->others_wanted_ps : ep->wanted_ps;
    return at_ps != 0 && ep->now_ps - at_ps < WANTS_PS;
}

bool ep_share_allows(const struct weir_ep *ep, const struct weir_peer *p, uint64_t bytes)
{
    if (bytes <= EP_SMALL_BYTES || p->arriving_bytes == 0)
        return true;
    return p->arriving_bytes + bytes <= ep_share(ep) || !another_wants(ep, p);
}

void ep_share_note(struct weir_ep *ep, const struct weir_peer *p)
{
    if (ep->wanting != p)
        ep->others_wanted_ps = ep->wanted_ps;
    ep->wanting = p;
    ep->wanted_ps = ep->now_ps;
}

bool ep_share_wanted(const struct weir_ep *ep)
{
    return ep->wanting != NULL && ep->now_ps - ep->wanted_ps < WANTS_PS;
}
