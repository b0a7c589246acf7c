/* src/algorithms/host/credit/control.h - queues control packets, and keeps the clock of the protocol's sender half. */
#ifndef WEIR_HOST_CREDIT_CONTROL_H
#define WEIR_HOST_CREDIT_CONTROL_H
#include "core/credit_ops.h"
#include "host/credit/records.h"

struct weir_pkt *host_credit_control(struct weir_host *h, const struct credit_peer *peer, enum weir_pkt_kind kind);
void host_credit_controls(struct weir_host *h);
void host_credit_announce(struct weir_host *h, const struct credit_peer *peer, struct credit_tx *t);
void host_credit_clock(struct weir_host *h);

/* Queues the control packets that the protocol's last call made ready. */
static inline void host_credit_flush(struct weir_host *h)
{
    if (WEIR_UNLIKELY(host_credit_of(h)->state->controls > 0))
        host_credit_controls(h);
}

/* Updates h->ready_count and, if the protocol's sender half has timed actions, the time of the next one. To be called
 * after calls of the protocol's tx_*() functions. */
static inline void host_credit_tx_changed(struct weir_host *h)
{
    const struct host_credit *c = host_credit_of(h);
    h->ready_count = c->ops->tx_ready(c->state);
    if (WEIR_UNLIKELY(c->clocked))
        host_credit_clock(h);
}

static inline uint32_t credit_hash(struct weir_host *h, const struct credit_peer *peer)
{
    return WEIR_LIKELY(h->hash == WEIR_HASH_PACKET) ? host_spray(h) : peer->hash;
}
#endif
