/* src/algorithms/host/stream/newreno.c - loss recovery of TCP without SACK: fast retransmit after duplicate ACKs
 * (host.reorder, usually 3), then one lost packet per round trip. Source: RFC 6582. The RFC inflates the window by a
 * packet per duplicate ACK, and deflates it at partial ACKs. Here inflight_bytes shrinks and grows instead, so that
 * only the law sets the window. The timer restarts at the first partial ACK only ("impatient", section 4). The
 * scoreboard holds the packets to be retransmitted; the sender does not know which ones arrived out of order. */
#include "host/stream/law.h"
#include "host/stream/loss.h"
#include "host/stream/newreno.h"
#include "host/stream/tcp.h"

/* Adds the bytes that inflate() had subtracted from inflight_bytes. */
static void deflate(const struct weir_host *h, struct host_flow *f, struct host_tcp *tcp)
{
    f->inflight_bytes += tcp->inflated * h->mss_bytes;
    tcp->inflated = 0;
}

/* Subtracts `pkts` full packets, which have left the network, from inflight_bytes, in place of those subtracted before.
 * Subtracts at most as many as inflight_bytes holds. */
static void inflate(const struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t pkts)
{
    deflate(h, f, tcp);
    tcp->inflated = f->inflight_bytes / h->mss_bytes;
    if (pkts < tcp->inflated)
        tcp->inflated = pkts;
    WEIR_CHECK(tcp->inflated <= f->next - f->una);
    f->inflight_bytes -= tcp->inflated * h->mss_bytes;
}

/* Records the first unacknowledged packet as lost, and lets its retransmission exceed the window. @return the packet's
 * payload; 0 = the packet was recorded as lost before, or no memory */
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

/* Processes a partial ACK (section 3.2, step 3): the packet at its cumulative edge is the next lost one. pkts: packets
 * to subtract from inflight_bytes, see inflate() */
static void partial_ack(struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t pkts)
{
    tcp->flags |= tcp->flags & HOST_TCP_PARTIAL ? HOST_TCP_LATER : HOST_TCP_PARTIAL;
    (void)lose_first(h, f);
    inflate(h, f, tcp, pkts);
}

/* Updates recovery after an ACK has moved una by `advance` packets; the connection must have a scoreboard. */
void host_newreno_advance(struct weir_host *h, struct host_flow *f, struct host_tcp *tcp, uint32_t advance)
{
    uint32_t inflated = tcp->inflated;
    WEIR_ASSERT(f->board != 0);
    deflate(h, f, tcp);
    if (!(tcp->flags & HOST_TCP_RECOVERING))
        return;
    if (host_seq_of(h, f, f->una) < tcp->recover_seq) {
        partial_ack(h, f, tcp, inflated + 1 > advance ? inflated + 1 - advance : 0);
        return;
    }
    tcp->flags &= ~(uint32_t)(HOST_TCP_RECOVERING | HOST_TCP_PARTIAL | HOST_TCP_LATER);
    tcp->flags |= HOST_TCP_RECOVERED;
}

/* Starts fast retransmit: section 3.2, steps 1 and 2. Does nothing until a byte beyond recover_seq is acknowledged:
 * before, retransmissions of the latest recovery or timeout may have caused the duplicate ACKs. */
static void recover(struct weir_host *h, uint64_t now_ps, struct host_flow *f, struct host_tcp *tcp)
{
    uint64_t una_seq = host_seq_of(h, f, f->una);
    uint32_t bytes;
    WEIR_ASSERT(!(tcp->flags & HOST_TCP_RECOVERING));
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

/* Processes an ACK that acknowledges nothing new. ack: the ACK's cumulative edge. A duplicate ACK reports that a packet
 * has left the network; host.reorder duplicates start recovery. @return true if the ACK is a duplicate: `ack` is una,
 * and packets are in flight */
bool host_newreno_duplicate(struct weir_host *h, uint64_t now_ps, struct host_flow *f, struct host_tcp *tcp,
                            uint32_t ack)
{
    if (ack != f->una || f->una == f->next)
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

/* Ends recovery at a timeout: section 3.2, step 4. The caller then records all packets as lost. */
void host_newreno_timeout(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    struct host_tcp *tcp = HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index);
    WEIR_ASSERT(host_stream_of(h)->newreno);
    deflate(h, f, tcp);
    host_newreno_clear(h, index);
    tcp->recover_seq = host_seq_of(h, f, f->next);
}

/* Resets the state of duplicate ACKs and recovery; the caller sets inflight_bytes. */
void host_newreno_clear(struct weir_host *h, uint32_t index)
{
    struct host_tcp *tcp;
    if (!host_stream_of(h)->newreno)
        return;
    tcp = HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index);
    tcp->dups = tcp->inflated = 0;
    tcp->flags &= ~(uint32_t)(HOST_TCP_RECOVERING | HOST_TCP_PARTIAL | HOST_TCP_LATER);
}
