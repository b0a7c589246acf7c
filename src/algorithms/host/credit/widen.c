/* src/algorithms/host/credit/widen.c - see widen.h. */
#include "host/credit/widen.h"
#include "host/credit/bound.h"
#include "host/credit/control.h"
#include "host/credit/credit_rx.h"
#include "host/credit/credit_tx.h"
#include "host/credit/grant.h"

/* Shows the protocol what may be credited of a message once its bound has grown. */
static void rx_reconsider(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r)
{
    const struct host_credit *c = host_credit_of(h);
    struct weir_rx_msg *m = credit_rx_state(r);
    bool before = m->grant_wire_bytes > 0;
    host_credit_rx_show(h, peer, r);
    if (before != (m->grant_wire_bytes > 0))
        c->ops->rx_again(c->config, c->state, credit_peer_state(peer), m);
}

void host_credit_rx_bound(struct weir_host *h, uint64_t now_ps, uint32_t src, uint32_t conn)
{
    struct credit_peer *peer = credit_peer_known(h, src);
    struct credit_rx *r = peer != NULL ? host_credit_rx_named(h, peer, WEIR_PKT_CONN(conn)) : NULL;
    if (r == NULL || !(r->flags & CREDIT_RX_BOUNDED))
        return;
    WEIR_ASSERT(!(r->flags & CREDIT_RX_DELIVERED)); /* then it has none any more */
    rx_reconsider(h, peer, r);
    host_credit_flush(h);
    host_credit_grants(h, now_ps);
}

uint32_t host_credit_edge(const struct weir_host *h, uint32_t src, uint32_t conn)
{
    const struct credit_peer *peer = credit_peer_known(h, src);
    struct credit_rx *r = peer != NULL ? host_credit_rx_named(h, peer, WEIR_PKT_CONN(conn)) : NULL;
    return r != NULL ? credit_rx_state(r)->cum : 0;
}

/* Counts packets from `end` on as not sent. */
static void tx_rewind(struct weir_host *h, struct credit_tx *t, uint32_t end)
{
    struct weir_tx_msg *m = credit_tx_state(t);
    uint64_t bytes = (uint64_t)(m->next - end) * h->mss_bytes;
    WEIR_ASSERT(end < m->next && m->next <= m->pkts);
    if (m->next == m->pkts)
        bytes += t->last_bytes - (uint64_t)h->mss_bytes; /* modulo 2^64: the last packet may be short */
    host_credit_tx_drop_again(h, t);
    h->stats.retransmissions += m->next - end;
    h->stats.tx_acked_bytes -= bytes;
    m->left_bytes += bytes;
    m->next = end;
}

void host_credit_tx_bound(struct weir_host *h, uint32_t msg)
{
    struct host_credit *c = host_credit_of(h);
    struct credit_tx *t = credit_record(&c->handles, msg);
    if (t == NULL || !(t->flags & CREDIT_TX_LIVE))
        return;
    t->flags |= CREDIT_TX_BOUNDED;
    if (credit_tx_state(t)->next > credit_tx_end(h, t))
        tx_rewind(h, t, credit_tx_end(h, t));
    credit_tx_show(h, t);
    c->ops->tx_again(c->config, c->state, credit_peer_state(credit_peer_at(c, t->peer)), credit_tx_state(t));
    host_credit_flush(h);
    host_credit_tx_changed(h);
}
