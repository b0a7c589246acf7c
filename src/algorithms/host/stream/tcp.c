/* src/algorithms/host/stream/tcp.c - additional state of a sending connection that behaves as TCP: ECE and CWR, and the
 * state of its handshake. Source: RFC 3168, section 6.1. */
#include "host/common/table.h"
#include "host/stream/tcp.h"

/* Decides whether connections have TCP records. If they have, every ACK and every DATA packet sent takes the general
 * path. To be called after host_rx_state_init(). */
void host_tcp_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    s->tcps.free = HOST_NONE;
    if (!s->latch_ece && !s->newreno && !h->cfg->params.handshake)
        return;
    s->tcps.stride = sizeof(struct host_tcp);
    h->extended |= HOST_EXTENDED_ACKS | HOST_EXTENDED_DATA;
}

/* Makes the TCP record of a new sending connection, if there are TCP records. @return false = no memory */
bool host_tcp_open(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    if (s->tcps.stride == 0)
        return true;
    while (s->tcps.count <= index)
        if (host_table_add(h, &s->tcps, HOST_BLOCK_SHIFT, &last) == NULL)
            return false;
    WEIR_ASSERT(index < s->tcps.count);
    *HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index) = (struct host_tcp){ 0 };
    return true;
}

/* Resets the TCP record of a connection. @return true if the connection was waiting for a SYN-ACK */
bool host_tcp_forget(struct weir_host *h, uint32_t index)
{
    bool waited;
    if (host_stream_of(h)->tcps.stride == 0)
        return false;
    waited = HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index)->flags & HOST_TCP_SYN_SENT;
    *HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index) = (struct host_tcp){ 0 };
    return waited;
}

/* Adds TCP's flags of an ACK to *ack: ECE, and the end of a recovery. With host.ecn: rfc3168 ECE makes the next new
 * packet carry CWR, at most once per window of data; the law has its own rule for ECE. ECE causes no further CWR until
 * the packet with CWR is acknowledged. Until then the receiver may have sent ECE before the CWR arrived. */
void host_tcp_ack(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt,
                  struct weir_ack *ack)
{
    struct host_tcp *tcp = HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, pkt->conn);
    if (tcp->flags & HOST_TCP_RECOVERED) {
        tcp->flags &= ~(uint32_t)HOST_TCP_RECOVERED;
        ack->flags |= WEIR_ACK_RECOVERED;
    }
    if (!(pkt->flags & WEIR_PKT_ECE))
        return;
    ack->flags |= WEIR_ACK_ECE;
    if (!host_stream_of(h)->latch_ece || host_seq_of(h, f, f->una) <= tcp->cwr_end_seq)
        return;
    tcp->cwr_end_seq = host_seq_of(h, f, f->next);
    tcp->flags |= HOST_TCP_CWR;
}

/* Clears ECT of a packet that leaves, if the receiver did not negotiate ECN. With host.ecn: rfc3168 also clears it in
 * retransmissions (RFC 3168, section 6.1.5). Sets CWR in the next new packet after an ECE that asked for it (section
 * 6.1.2). */
void host_tcp_sent(struct weir_host *h, uint32_t index, struct weir_pkt *pkt)
{
    struct host_tcp *tcp = HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index);
    bool again = pkt->flags & WEIR_PKT_RETX;
    if (tcp->flags & HOST_TCP_NO_ECT || (again && host_stream_of(h)->latch_ece))
        pkt->flags = WEIR_PKT_FLAGS(pkt->flags & ~(uint32_t)WEIR_PKT_ECT);
    if (again || !(tcp->flags & HOST_TCP_CWR))
        return;
    pkt->flags |= WEIR_PKT_CWR;
    tcp->flags &= ~(uint32_t)HOST_TCP_CWR;
}
