/* src/algorithms/host/credit/prefetch.c - prefetches records that the next packets and messages need; see also
 * stream/prefetch.c. */
#include "core/math.h"
#include "host/credit/prefetch.h"
#include "host/credit/records.h"

static void fetch_lines(const void *record, size_t from, size_t to)
{
    for (; from < to; from += 64)
        weir_fetch((const unsigned char *)record + from);
}

/* Byte offsets. PEER_SENDER: the protocol's sender half in a peer's record, behind the host's part and the protocol's
 * receiver half, which take three cache lines. MESSAGE: the end of a message's record. */
enum { PEER_SENDER = 3 * 64, MESSAGE = 2 * 64 };

/* Prefetches the peer that sent pkt. DATA needs the receiver half, control packets either half. The kind of the next
 * packet cannot be predicted, and a mispredicted branch costs more than lines fetched in vain: so the peer's four lines
 * are always prefetched. */
void host_credit_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    const struct credit_peer *peer = credit_peer_known(h, pkt->src);
    if (peer != NULL)
        fetch_lines(peer, 0, PEER_SENDER + 64);
}

void host_credit_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt)
{
    const struct credit_tx *t = NULL;
    if (pkt->kind == WEIR_PKT_DONE || pkt->kind == WEIR_PKT_CREDIT)
        t = credit_tx_named(host_credit_of(h), pkt->msg);
    if (t != NULL)
        fetch_lines(t, 0, MESSAGE);
}

void host_credit_send_prefetch(const struct weir_host *h, uint32_t dst)
{
    const struct host_credit *c = host_credit_of(h);
    const struct credit_peer *peer = credit_peer_known(h, dst);
    if (peer != NULL) {
        weir_fetch(peer);
        fetch_lines(peer, PEER_SENDER, c->peers.stride);
    }
    host_credit_fetch_free(&c->txs);
    host_credit_fetch_free(&c->rxs);
}
