/* src/transport/endpoint/tag.c - see tag.h. doc/protection.md explains why the tag changes.
 *
 * The report is a PING, whose value has the tag. So it is believed as any packet of the connection is, and its PONG is
 * the first packet with the new tag. Each epoch the peers are gone through once, in the order of their numbers, evenly
 * within its first half. A report that is lost is repeated when a packet of the peer shows it. */
#include "endpoint/tag.h"
#include "endpoint/shake_tx.h"
#include "endpoint/siphash.h"
#include <errno.h>

#define REPORTS_PS (WEIR_TAG_EPOCH_PS / 2) /* time within which all peers have the report */
#define AGAIN_PS WEIR_PS_PER_S             /* a peer gets at most one per this time */
#define SILENT_PS (3 * WEIR_TAG_EPOCH_PS)  /* a peer that was not heard for so long gets none until it is heard */

void ep_tag_init(struct weir_ep *ep)
{
    if (ep->net->steered) {
        ep->tag.shard = (uint16_t)(ep->net->shard << WEIR_NET_SHARD_SHIFT);
        ep->tag.shard_mask = WEIR_NET_SHARD_MASK;
    }
    weir_tag_init(&ep->tag, ep_siphash, ep->secret, ep->now_ps);
}

int ep_tag_filter(struct weir_ep *ep)
{
    if (ep->net->driver->guard == NULL)
        return -ENOTSUP;
    return ep->net->driver->guard(ep->net, ep->tag.present, ep->tag.last);
}

static void report(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    p->tag_ps = ep->now_ps;
    p->rx_token = weir_tag_renew(&ep->tag, p->rx_token);
    ep_shake_ping(ep, p);
}

static bool must_report(const struct weir_ep *ep, const struct weir_peer *p)
{
    WEIR_ASSERT(p->ep == ep);
    return p->state == EP_PEER_UP && (p->rx_token & WEIR_TAG_MASK) != ep->tag.present &&
           ep->now_ps - p->heard_ps < SILENT_PS;
}

/* Returns when the report to the next peer is due. */
static uint64_t report_ps(const struct weir_ep *ep)
{
    WEIR_ASSERT(ep->tag_hand < ep->peer_count);
    /* 3e13 * 65000 fits */
    return ep->tag.epoch * WEIR_TAG_EPOCH_PS + REPORTS_PS * ep->tag_hand / ep->peer_count;
}

/* Goes on to the next peer that must have a report. @return false = all have had it */
static bool find_next(struct weir_ep *ep)
{
    while (ep->tag_hand < ep->peer_count && !must_report(ep, &ep->peers[ep->tag_hand]))
        ep->tag_hand++;
    return ep->tag_hand < ep->peer_count;
}

void ep_tag_run(struct weir_ep *ep)
{
    if (ep->now_ps < ep->tag_due_ps)
        return;
    if (weir_tag_advance(&ep->tag, ep->now_ps)) {
        ep->tag_hand = 0;
        ep->tag_stale = ep->guarded;
    }
    if (ep->tag_stale)
        ep->tag_stale = ep_tag_filter(ep) != 0;
    for (uint32_t n = 0; n < WEIR_NET_BATCH && find_next(ep) && report_ps(ep) <= ep->now_ps; n++)
        report(ep, &ep->peers[ep->tag_hand++]);
    ep_shake_flush(ep);
    ep->tag_due_ps = find_next(ep) ? report_ps(ep) : weir_tag_next_ps(&ep->tag);
    if (ep->tag_stale)
        ep->tag_due_ps = weir_min_u64(ep->tag_due_ps, ep->now_ps + AGAIN_PS);
}

uint64_t ep_tag_next_ps(const struct weir_ep *ep)
{
    return ep->peers_up > 0 ? ep->tag_due_ps : WEIR_NEVER;
}

void ep_tag_seen(struct weir_ep *ep, struct weir_peer *p, uint64_t token)
{
    bool waits;
    if (WEIR_LIKELY((token & WEIR_TAG_MASK) == ep->tag.present))
        return;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    waits = weir_tag_is_valid(&ep->tag, token) && must_report(ep, p) && p->number > ep->tag_hand;
    if (!waits && (p->tag_ps == 0 || ep->now_ps - p->tag_ps >= AGAIN_PS))
        report(ep, p);
}

void ep_tag_take(struct weir_peer *p, uint64_t counter, uint64_t value)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if ((int32_t)((uint32_t)counter - p->tag_counter) <= 0)
        return;
    p->tag_counter = (uint32_t)counter;
    p->tx_token = (p->tx_token & ~WEIR_TAG_MASK) | (value & WEIR_TAG_MASK);
}
