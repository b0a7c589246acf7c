/* src/algorithms/host/credit/grant.c - CREDIT packets of a receiver: the packets that they name, and recovery of lost
 * packets. */
#include "core/math.h"
#include "host/credit/bound.h"
#include "host/credit/control.h"
#include "host/credit/credit_rx.h"
#include "host/credit/grant.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"

/* Takes the first consecutive packets that are recorded as lost, at most grant->pkts, and removes them from gap->lost.
 * Sets grant->first_pkt. @return the number of packets taken, at least 1 */
static HOST_COLD uint32_t rx_take_lost(struct weir_host *h, struct credit_rx *r, struct host_gap *gap,
                                       struct weir_grant *grant)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    uint32_t pkt = grant->first_pkt = host_bitmap_first(&gap->lost, m->cum), n = 0;
    uint32_t most = credit_rx_end(h, credit_peer_of(grant->peer), r) - pkt;
    most = most < grant->pkts ? most : grant->pkts;
    while (n < most && gap->lost_pkts > 0 && host_bit(&gap->lost, pkt + n)) {
        host_bit_flip(&gap->lost, pkt + n);
        gap->lost_pkts--;
        n++;
    }
    WEIR_ASSERT(n > 0); /* the first is lost */
    host_gap_advance(h, &r->gap, &m->cum);
    return n;
}

/* Takes the next packets not credited yet, at most grant->pkts, within the window and the bound, and sets
 * grant->first_pkt. @return the number of packets taken, at least 1 */
static uint32_t rx_take_new(const struct weir_host *h, struct credit_rx *r, struct weir_grant *grant)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    WEIR_ASSERT(m->granted < m->pkts);
    uint64_t end =
        weir_min_u64((uint64_t)m->cum + WEIR_CREDIT_WINDOW_PKTS, credit_rx_end(h, credit_peer_of(grant->peer), r));
    uint32_t n = (uint32_t)weir_min_u64(end - m->granted, grant->pkts);
    WEIR_ASSERT(n > 0 && n <= grant->pkts);
    grant->first_pkt = m->granted;
    m->granted += n;
    return n;
}

/* Takes the packets for a grant: packets recorded as lost if there are any, else new ones. Sets again, first_pkt, pkts
 * and wire_bytes of the grant. @return the payload of the packets in bytes */
static HOST_COLD uint32_t rx_take_run(struct weir_host *h, struct credit_rx *r, struct weir_grant *grant)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    struct host_gap *gap = credit_rx_gap(h, r);
    WEIR_ASSERT(grant->pkts > 0);
    WEIR_ASSERT(m->grant_wire_bytes > 0);
    grant->again = gap != NULL && gap->lost_pkts > 0;
    uint32_t n = WEIR_UNLIKELY(grant->again) ? rx_take_lost(h, r, gap, grant) : rx_take_new(h, r, grant);
    uint32_t last = credit_pkt_bytes(h, m->pkts, r->last_bytes, grant->first_pkt + n - 1);
    grant->pkts = n;
    grant->wire_bytes = (n - 1) * host_full_wire_bytes(h) + credit_wire(h, last); /* 2^13 * 2^14 fits */
    return (n - 1) * h->mss_bytes + last;
}

/* Takes the packets that are credited now, usually one new packet, and updates the message. grant->pkts: most packets;
 * set to the number taken */
static void rx_take_grant(struct weir_host *h, struct credit_rx *r, struct weir_grant *grant)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    if (WEIR_LIKELY(grant->pkts == 1 && r->gap == 0)) {
        WEIR_CHECK(m->granted < m->pkts);
        grant->first_pkt = m->granted++;
        grant->wire_bytes = m->grant_wire_bytes;
        grant->again = false;
        m->ungranted_bytes -= credit_pkt_bytes(h, m->pkts, r->last_bytes, grant->first_pkt);
    } else {
        m->ungranted_bytes -= rx_take_run(h, r, grant);
    }
    host_credit_rx_show(h, credit_peer_of(grant->peer), r);
}

/* Records as lost every packet of a message that was unscheduled or credited and has not arrived, so that it is
 * credited again. Called after the protocol has decided that the packets are lost. Does nothing if no memory is
 * left. @return true if there are such packets */
static bool rx_lose(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_rx_msg *m = credit_rx_state(r);
    struct host_gap *gap = credit_rx_gap(h, r);
    uint32_t before = gap != NULL ? gap->lost_pkts : 0;
    WEIR_ASSERT(!(r->flags & CREDIT_RX_DELIVERED));
    if (m->granted <= m->cum || (gap = host_gap_open(h, &r->gap, m->cum)) == NULL)
        return false;
    for (uint32_t pkt = m->cum; pkt < m->granted; pkt++) {
        if (host_bit(&gap->got, pkt) || host_bit(&gap->lost, pkt))
            continue;
        host_bit_flip(&gap->lost, pkt);
        gap->lost_pkts++;
        m->ungranted_bytes += credit_pkt_bytes(h, m->pkts, r->last_bytes, pkt);
    }
    if (gap->lost_pkts == before)
        return false;
    h->stats.timeouts++;
    host_credit_rx_show(h, peer, r);
    c->ops->rx_again(c->config, c->state, credit_peer_state(peer), m);
    return true;
}

/* Queues the next CREDIT, if the protocol chooses one. If the protocol names a message without crediting it, the
 * outstanding packets of that message are recorded as lost. Not inlined, so that the check that no credit is due stays
 * short. */
HOST_COLD void host_credit_grant(struct weir_host *h, uint64_t now_ps)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_grant grant;
    grant.rx = NULL;
    if (!c->ops->rx_next(c->config, c->state, now_ps, &grant)) {
        if (WEIR_UNLIKELY(grant.rx != NULL))
            (void)rx_lose(h, credit_peer_of(grant.peer), credit_rx_of(grant.rx));
        return;
    }
    struct credit_peer *peer = credit_peer_of(grant.peer);
    struct credit_rx *r = credit_rx_of(grant.rx);
    bool idle = credit_rx_state(r)->granted == credit_rx_state(r)->cum;
    rx_take_grant(h, r, &grant);
    /* until now its sender was not to send anything. The simulator's runs, which are not measured, count the silence
     * from the announcement on */
    if (WEIR_UNLIKELY(c->paths.count > 0) && (idle || grant.again))
        r->last_rx_ps = now_ps - c->late_ps;
    struct weir_pkt *pkt = host_credit_control(h, peer, WEIR_PKT_CREDIT);
    if (pkt != NULL) {
        pkt->conn = r->number;
        pkt->msg = r->msg;
        pkt->value = WEIR_PKT_GRANT(grant.pkts, grant.class_id);
        pkt->seq = grant.first_pkt;
        pkt->ack = grant.sequence;
        pkt->src_word = h->self_word | (grant.again ? WEIR_PKT_RETX : 0u);
    }
    if (!grant.again)
        host_credit_measure_grant(c, peer, now_ps, r->number, grant.first_pkt);
    host_credit_watch(h, now_ps, peer);
    c->ops->rx_granted(c->config, c->state, &grant, now_ps);
    if (r->flags & CREDIT_RX_DELIVERED && credit_rx_state(r)->ungranted_bytes == 0)
        host_credit_rx_finish(h, peer, r);
}

/* Queues all CREDITs that may be sent now, and sets h->next_ps. */
void host_credit_grants(struct weir_host *h, uint64_t now_ps)
{
    struct host_credit *c = host_credit_of(h);
    while ((h->next_ps = c->ops->rx_next_ps(c->config, c->state, now_ps)) <= now_ps)
        host_credit_grant(h, now_ps);
    if (WEIR_UNLIKELY(c->clocked)) {
        host_credit_flush(h);
        c->rx_at_ps = h->next_ps;
        host_credit_clock(h);
    }
    h->next_ps = weir_min_u64(h->next_ps, h->timers.next_ps);
}

/* Asks the protocol whether the missing packets of a silent message are lost. @return true also if the protocol has no
 * rx_silent() */
static bool rx_is_lost(const struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_rx *r)
{
    const struct host_credit *c = host_credit_of(h);
    return c->ops->rx_silent == NULL ||
           c->ops->rx_silent(c->config, c->state, credit_peer_state(peer), credit_rx_state(r), now_ps);
}

/* Checks a peer for the receiver half: calls the protocol's peer_check(), and lets the protocol decide about each
 * inbound message of which no packet arrived for host_credit_silence_ps(). @return true = the peer must be checked
 * again */
bool host_credit_recover(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer)
{
    const struct host_credit *c = host_credit_of(h);
    bool more = c->ops->peer_check != NULL && c->ops->peer_check(c->config, c->state, credit_peer_state(peer), now_ps);
    uint64_t silence_ps = host_credit_silence_ps(c, peer);
    bool expired = false;
    host_credit_flush(h);
    for (uint32_t i = peer->rx_head; i != HOST_NONE; i = credit_rx_at(c, i)->next) {
        struct credit_rx *r = credit_rx_at(c, i);
        if (r->flags & CREDIT_RX_DELIVERED || (int64_t)(now_ps - c->late_ps - r->last_rx_ps) < (int64_t)silence_ps)
            continue;
        uint64_t since_ps = r->last_rx_ps + c->late_ps;
        r->last_rx_ps = now_ps - c->late_ps;
        if (!rx_is_lost(h, now_ps, peer, r) || !rx_lose(h, peer, r))
            continue;
        host_credit_measure_lost(c, peer, r, since_ps);
        expired = true;
    }
    if (expired)
        host_credit_measure_expired(c, peer);
    host_credit_flush(h);
    return more || peer->rx_head != HOST_NONE;
}
