/* src/algorithms/host/stream/inbound.c - questions about receiving connections, which change nothing. */
#include "host/common/reassembly.h"
#include "host/stream/inbound.h"

/* Returns the receiving connection of host src's connection conn. @return NULL = there is none */
static const struct host_rx *rx_of(const struct weir_host *h, uint32_t src, uint32_t conn)
{
    struct weir_pkt probe = { .conn = conn, .src = WEIR_PKT_HOST(src) };
    uint32_t index;
    return host_rx_find(h, &probe, &index);
}

uint32_t host_rx_ranges(const struct weir_host *h, const struct weir_pkt *ack, struct weir_ack_range *out, uint32_t max)
{
    const struct host_rx *r = h->gaps.count > 0 ? rx_of(h, ack->dst, ack->conn) : NULL;
    return r != NULL ? host_gap_ranges(h, r->gap, r->cum, out, max) : 0;
}

enum weir_host_inbound host_rx_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    const struct host_rx *r = rx_of(h, src, pkt->conn);
    if (r == NULL)
        return pkt->seq - pkt->ack < h->window_pkts ? WEIR_INBOUND_NEW : WEIR_INBOUND_BEYOND;
    bool open = r->flags & HOST_RX_OPEN, acked = host_before(pkt->seq, r->cum);
    if (open && r->first == pkt->ack && r->msg == pkt->msg)
        return acked || pkt->seq - r->cum < h->window_pkts ? WEIR_INBOUND_OPEN : WEIR_INBOUND_BEYOND;
    if (acked)
        return WEIR_INBOUND_DONE;
    return !open && r->cum == pkt->ack && pkt->seq - r->cum < h->window_pkts ? WEIR_INBOUND_NEW : WEIR_INBOUND_BEYOND;
}
