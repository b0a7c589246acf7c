/* src/transport/endpoint/share.c - see share.h. */
#include "endpoint/share.h"
#include "endpoint/msg.h"

/* a peer counts as one that finds no memory for this time */
#define WANTS_PS WEIR_PS_PER_S
/* a peer that lagged and lost its message waits so long before it begins another while memory is short */
#define LAGS_PS (10 * WEIR_PS_PER_S)

uint64_t ep_share(const struct weir_ep *ep)
{
    WEIR_ASSERT(ep->holders <= ep->peer_count);
    return (ep->rx.limit - ep_msg_reserve(ep)) / (ep->holders + 1);
}

bool ep_share_is_wanted(const struct weir_ep *ep, const struct weir_peer *p)
{
    uint64_t at_ps = ep->wanting == p ? ep->others_wanted_ps : ep->wanted_ps;
    return at_ps != 0 && ep->now_ps - at_ps < WANTS_PS;
}

bool ep_share_allows(const struct weir_ep *ep, const struct weir_peer *p, uint64_t bytes)
{
    uint64_t held_bytes = ep_peer_rx_bytes(p);
    bool first = held_bytes == 0, waits = p->lags && ep->now_ps - p->measured_ps < LAGS_PS;
    if (bytes <= EP_SMALL_BYTES || (first && !waits) || !ep_share_is_wanted(ep, p))
        return true;
    return !first && held_bytes + bytes <= ep_share(ep);
}

void ep_share_note(struct weir_ep *ep, const struct weir_peer *p, uint64_t bytes)
{
    if (ep->wanting != p)
        ep->others_wanted_ps = ep->wanted_ps;
    ep->wanting = p;
    ep->wanted_bytes = bytes;
    ep->wanted_ps = ep->now_ps;
}

bool ep_share_lacks(const struct weir_ep *ep)
{
    return ep->wanting != NULL && ep->now_ps - ep->wanted_ps < WANTS_PS;
}
