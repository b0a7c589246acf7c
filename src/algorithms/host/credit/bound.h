/* src/algorithms/host/credit/bound.h - messages that their receiver takes in parts. The world has a bound of each, in
 * packets from the first one on, which grows as the application is done with parts (weir_host_sink). The receiver
 * credits no packet beyond it. A sender may spend credit on another message than the one that was credited. So it has
 * the bound, too, and sends no packet beyond it. */
#ifndef WEIR_HOST_CREDIT_BOUND_H
#define WEIR_HOST_CREDIT_BOUND_H
#include "core/math.h"
#include "host/credit/records.h"

#define CREDIT_LATE_LEAST 3u

/* Returns one past the last packet of a peer's message that may be credited now. */
static inline uint32_t credit_rx_end(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    uint32_t pkts = credit_rx_state(r)->pkts, bound;
    if (WEIR_LIKELY(!(r->flags & CREDIT_RX_BOUNDED)))
        return pkts;
    WEIR_ASSERT(h->sink.rx_bound != NULL);
    bound = h->sink.rx_bound(h->sink.ctx, peer->id, r->number);
    return bound < pkts ? bound : pkts;
}

/* Notes whether a message that begins has a bound. */
static inline void credit_rx_bind(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    if (WEIR_UNLIKELY(h->sink.rx_bound != NULL) && h->sink.rx_bound(h->sink.ctx, peer->id, r->number) != UINT32_MAX)
        r->flags |= CREDIT_RX_BOUNDED;
}

/* Returns how much later a packet must be that shows that one is lost: a quarter of the window, which may be the
 * bound's. Less than CREDIT_LATE_LEAST would take packets for lost that overtook each other. */
static inline uint32_t credit_rx_late(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    const struct weir_rx_msg *m = credit_rx_state(r);
    uint32_t end;
    if (WEIR_LIKELY(!(r->flags & CREDIT_RX_BOUNDED)))
        return CREDIT_LATE_PKTS;
    end = credit_rx_end(h, peer, r);
    return weir_clamp_u32(end > m->cum ? (end - m->cum) / 4 : 0, CREDIT_LATE_LEAST, CREDIT_LATE_PKTS);
}

/* Returns one past the last packet of a message that may leave now. */
static inline uint32_t credit_tx_end(const struct weir_host *h, struct credit_tx *t)
{
    uint32_t pkts = credit_tx_state(t)->pkts, bound;
    if (WEIR_LIKELY(!(t->flags & CREDIT_TX_BOUNDED)))
        return pkts;
    WEIR_ASSERT(h->sink.tx_bound != NULL && t->flags & CREDIT_TX_LIVE);
    bound = h->sink.tx_bound(h->sink.ctx, t->msg);
    return bound < pkts ? bound : pkts;
}
#endif
