/* src/host/stream/newreno.c - loss recovery of TCP without SACK: three duplicate ACKs, then one lost packet per round trip.
 * Source: RFC 6582. It inflates the window by a packet per duplicate ACK and deflates it with partial ACKs; here inflight_bytes shrinks and
 * grows instead, so the law's window is its own. The timer restarts with the first partial ACK only ("impatient", section 4).
 * The scoreboard holds what is to be sent again; nobody knows what arrived out of order. */
#include "host/stream/law.h"
#include "host/stream/loss.h"
#include "host/stream/newreno.h"
#include "host/stream/tcp.h"

static void deflate(const struct weir_host *h, struct host_flow *f, struct host_tcp *tcp)
{
    f->inflight_bytes += tcp->inflated * h->mss_bytes;
    tcp->inflated = 0;
}

/* So many packets have left the network, of those that still count as in flight. */
static void inflate(const struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t pkts)
{
    deflate(h, f, tcp);
    tcp->inflated = weir_clamp_u32(pkts, 0, f->inflight_bytes / h->mss_bytes);
    f->inflight_bytes -= tcp->inflated * h->mss_bytes;
}

/* The first unacknowledged packet is lost, and leaves whatever the window. @return its bytes; 0 = it is held lost already, or no memory */
static uint32_t lose_first(struct weir_host *h, struct host_flow *f)
{
    struct host_board *b = host_board_open(h, f);
    uint32_t lowest = f->una, bytes = 0;
    if (b != NULL && host_board_room(h, f, b, f->una + 1))
        bytes = host_board_lose(h, f, b, f->una, f->una + 1, &lowest);
    if (bytes > 0)
        f->flags |= HOST_REPAIR;
    return bytes;
}

/* Section 3.2, step 3: a partial ACK names the next lost packet. */
static void partial_ack(struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t pkts)
{
    tcp->flags |= tcp->flags & HOST_TCP_PARTIAL ? HOST_TCP_LATER : HOST_TCP_PARTIAL;
    (void)lose_first(h, f);
    inflate(h, f, tcp, pkts);
}

/* An ACK that moves the edge, while the connection has a scoreboard or the packet it answers was out of order. @return bytes newly
 * acknowledged */
uint32_t host_newreno_ack(struct weir_host *h, struct host_flow *f, const struct weir_pkt *pkt, uint32_t advance)
{
    struct host_tcp *tcp = host_tcp_at(h, pkt->conn);
    struct host_board *b = advance > 0 ? host_board_open(h, f) : NULL;
    uint32_t inflated = tcp->inflated, bytes;
    if (b == NULL)
        return 0;
    deflate(h, f, tcp);
    bytes = host_board_advance(h, f, b, advance);
    if (tcp->flags & HOST_TCP_RECOVERING) {
        if (host_seq_of(h, f, f->una) >= tcp->recover_seq) {
            tcp->flags &= ~(uint32_t)(HOST_TCP_RECOVERING | HOST_TCP_PARTIAL | HOST_TCP_LATER);
            tcp->flags |= HOST_TCP_RECOVERED;
        } else {
            partial_ack(h, f, tcp, inflated + 1 > advance ? inflated + 1 - advance : 0);
        }
    }
    host_board_close_if_done(h, f, b);
    return bytes;
}

/* Section 3.2, steps 1 and 2: fast retransmit. Duplicate ACKs that packets sent again after a timeout have caused start none. */
static void recover(struct weir_host *h, uint64_t now_ps, struct host_flow *f, struct host_tcp *tcp)
{
    uint64_t una_seq = host_seq_of(h, f, f->una);
    uint32_t bytes;
    if (tcp->recover_seq != 0 && una_seq <= tcp->recover_seq)
        return;
    bytes = lose_first(h, f);
    if (bytes == 0)
        return;
    tcp->recover_seq = host_seq_of(h, f, f->next);
    tcp->flags |= HOST_TCP_RECOVERING;
    inflate(h, f, tcp, tcp->dups);
    host_law_loss(h, now_ps, f, f->una, bytes, false);
}

/* An ACK that acknowledges nothing new. @return true if it is a duplicate of the latest while packets are in flight */
bool host_newreno_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f, const struct weir_pkt *pkt)
{
    struct host_tcp *tcp = host_tcp_at(h, pkt->conn);
    if (pkt->ack != f->una || f->una == f->next)
        return false;
    if (tcp->flags & HOST_TCP_RECOVERING) {
        inflate(h, f, tcp, tcp->inflated + 1);
        return true;
    }
    tcp->dups = tcp->dup_edge == f->una ? weir_add_sat_u32(tcp->dups, 1) : 1;
    tcp->dup_edge = f->una;
    if (tcp->dups == h->cfg->params.reorder_pkts)
        recover(h, now_ps, f, tcp);
    return true;
}

/* Section 3.2, step 4. */
void host_newreno_timeout(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_tcp *tcp = host_tcp_at(h, index);
    deflate(h, f, tcp);
    host_newreno_clear(h, index);
    tcp->recover_seq = host_seq_of(h, f, f->next);
}

/* What is known of duplicate ACKs is forgotten; inflight_bytes is the caller's. */
void host_newreno_clear(struct weir_host *h, uint32_t index)
{
    struct host_tcp *tcp;
    if (!host_stream_of(h)->newreno)
        return;
    tcp = host_tcp_at(h, index);
    tcp->dups = tcp->inflated = 0;
    tcp->flags &= ~(uint32_t)(HOST_TCP_RECOVERING | HOST_TCP_PARTIAL | HOST_TCP_LATER);
}

/* Does the ACK that came restart the retransmission timer? */
bool host_newreno_restarts(const struct weir_host *h, uint32_t index)
{
    return !host_stream_of(h)->newreno || !(host_tcp_at(h, index)->flags & HOST_TCP_LATER);
}
