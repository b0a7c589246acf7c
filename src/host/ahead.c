/* src/host/ahead.c - looks ahead: the records that a packet or a message will need are on their way into the cache while what comes before it is
 * dealt with. A host among many has more records than fit there, and messages between random pairs find few of them again. */
#include "core/fetch.h"
#include "core/math.h"
#include "host/credit.h"

static void ahead_fetch(const void *record, size_t from, size_t to)
{
    for (; from < to; from += 64)
        weir_fetch((const unsigned char *)record + from);
}

/* Of a peer's record: the host's line, then the protocol's two lines of its receiver half, then the sender half. */
enum { AHEAD_PEER_SENDER = 3 * 64, AHEAD_MESSAGE = 2 * 64 };

/* DATA is the receiver half's business; words are of either. Which of them comes next is a coin toss for a branch, and one taken wrongly
 * costs more than lines fetched in vain: so the four lines of the peer are fetched for both. */
static void credit_ahead(const struct weir_host *h, const struct weir_pkt *pkt)
{
    const struct credit_peer *peer = credit_peer_known(h, pkt->src);
    if (peer == NULL)
        return;
    ahead_fetch(peer, 0, AHEAD_PEER_SENDER + 64);
}

/* The record + 1 that the first slot of a tag names, nearly always the right one; 0 = none. */
static uint32_t ahead_place(const struct host_map *map, uint32_t tag)
{
    return map->slot != NULL ? map->slot[tag >> map->shift].value : 0;
}

static void connection_ahead(const struct weir_host *h, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA) {
        if (pkt->conn < h->flows.count)
            host_flow_prefetch(h, pkt->conn);
        return;
    }
    uint32_t place = ahead_place(&h->rx_map, host_rx_tag(host_rx_key(pkt)));
    if (place != 0)
        weir_fetch(host_rx_at(h, place - 1));
}

void weir_host_rx_ahead(const struct weir_host *h, const struct weir_pkt *pkt)
{
    if (h->credit != NULL)
        credit_ahead(h, pkt);
    else
        connection_ahead(h, pkt);
}

static void peer_ahead(const struct weir_host *h, uint32_t dst)
{
    uint32_t place = host_number(&h->peer_of, dst);
    if (place != 0)
        weir_fetch(host_at(&h->peers, HOST_BLOCK_SHIFT, place - 1));
}

void weir_host_message_ahead(const struct weir_host *h, const struct weir_pkt *pkt)
{
    const struct credit_tx *t = NULL;
    if (h->credit != NULL && (pkt->kind == WEIR_PKT_DONE || pkt->kind == WEIR_PKT_CREDIT))
        t = credit_tx_named(h->credit, pkt->msg);
    if (t != NULL)
        ahead_fetch(t, 0, AHEAD_MESSAGE);
    if (pkt->kind == WEIR_PKT_REPLY)
        peer_ahead(h, pkt->src);
}

static void credit_send_ahead(const struct weir_host *h, uint32_t dst)
{
    const struct host_credit *c = h->credit;
    const struct credit_peer *peer = credit_peer_known(h, dst);
    if (peer != NULL) {
        weir_fetch(peer);
        ahead_fetch(peer, AHEAD_PEER_SENDER, c->peers.stride);
    }
    host_credit_fetch_free(&c->txs);
    host_credit_fetch_free(&c->rxs);
}

void weir_host_send_ahead(const struct weir_host *h, uint32_t dst)
{
    if (h->credit != NULL)
        credit_send_ahead(h, dst);
    else
        peer_ahead(h, dst);
}

void weir_host_timers_ahead(const struct weir_host *h, uint64_t end_ps)
{
    const struct weir_timers *t = &h->timers;
    if (h->credit != NULL)
        return;
    for (uint32_t i = t->first; i != t->end && t->heap.entry[i].at_ps < end_ps; i++) {
        if ((t->heap.entry[i].id & 3) == HOST_TIMER_RTO)
            weir_fetch(host_flow_at(h, (uint32_t)(t->heap.entry[i].id >> 2)));
    }
}

void weir_host_send_soon(const struct weir_host *h, uint32_t dst)
{
    uint32_t place = h->credit == NULL ? host_number(&h->peer_of, dst) : 0;
    if (place == 0)
        return;
    const struct host_peer *peer = host_at(&h->peers, HOST_BLOCK_SHIFT, place - 1);
    if (peer->idle < h->flows.count)
        host_flow_prefetch(h, peer->idle);
}
