/* src/host/stream/tcp.c - what TCP has and other transports do without: the handshake with its negotiation of ECN, and ECE that is repeated
 * until CWR comes. Source: RFC 3168, section 6.1; RFC 9293, section 3.5. One choice here: a message waits at its destination while
 * its connection is opened, and takes whichever is open first. */
#include "host/stream/rto.h"

/* After host_rx_state_init(). Every ACK and every packet sent takes the extended way then. */
void host_tcp_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    s->tcps.free = HOST_NONE;
    if (!s->latch_ece && !s->newreno && !h->cfg->params.handshake)
        return;
    s->tcps.stride = sizeof(struct host_tcp);
    h->extended |= HOST_EXTENDED_ACKS | HOST_EXTENDED_DATA;
}

/* For a sending connection that is made. @return false = no memory */
bool host_tcp_open(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    if (s->tcps.stride == 0)
        return true;
    while (s->tcps.count <= index)
        if (host_table_add(h, &s->tcps, HOST_BLOCK_SHIFT, &last) == NULL)
            return false;
    *host_tcp_at(h, index) = (struct host_tcp){ 0 };
    return true;
}

/* The connection is as new. @return true if its SYN had not been answered */
bool host_tcp_forget(struct weir_host *h, uint32_t index)
{
    bool waited;
    if (host_stream_of(h)->tcps.stride == 0)
        return false;
    waited = host_tcp_at(h, index)->flags & HOST_TCP_SYN_SENT;
    *host_tcp_at(h, index) = (struct host_tcp){ 0 };
    return waited;
}

/* ---- the handshake ---- */

bool host_tcp_must_connect(const struct weir_host *h, uint32_t index)
{
    return h->cfg->params.handshake && !(host_tcp_at(h, index)->flags & HOST_TCP_OPEN);
}

/* No room: the timer repeats it. */
static void syn_send(struct weir_host *h, uint64_t now_ps, uint32_t index, uint32_t flags)
{
    const struct host_flow *f = host_flow_at(h, index);
    struct weir_pkt *pkt = host_answer_push(h);
    if (pkt == NULL)
        return;
    *pkt = (struct weir_pkt){
        .sent_ps = now_ps,
        .conn = index,
        .hash = h->hash == WEIR_HASH_PACKET ? host_spray(h) : f->hash,
        .src_word = h->self_word | flags | (h->cfg->params.ecn != WEIR_ECN_OFF ? WEIR_PKT_ECE | WEIR_PKT_CWR : 0u),
        .dst_word = WEIR_PKT_DST_WORD(f->dst, WEIR_PKT_SYN),
        .size_word = h->ack_size_word,
    };
}

void host_tcp_connect(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    host_tcp_at(h, index)->flags |= HOST_TCP_SYN_SENT;
    syn_send(h, now_ps, index, 0);
    host_rto_restart(h, now_ps, index, host_flow_at(h, index));
}

/* Nothing came back for an RTO. @return true if that was the answer to a SYN: it is sent again */
bool host_tcp_syn_again(struct weir_host *h, uint32_t index)
{
    if (host_stream_of(h)->tcps.stride == 0 || !(host_tcp_at(h, index)->flags & HOST_TCP_SYN_SENT))
        return false;
    syn_send(h, 0, index, WEIR_PKT_RETX);
    return true;
}

/* The receiver keeps nothing of a SYN: a connection begins with its first packet. */
void host_tcp_syn(struct weir_host *h, const struct weir_pkt *pkt)
{
    bool able = pkt->flags & WEIR_PKT_ECE && pkt->flags & WEIR_PKT_CWR && h->cfg->params.ecn != WEIR_ECN_OFF;
    struct weir_pkt *answer = host_answer_push(h);
    if (answer == NULL)
        return;
    *answer = *pkt;
    answer->arrival_ps = 0;
    answer->src_word = h->self_word | (able ? WEIR_PKT_ECE : 0u);
    answer->dst_word = WEIR_PKT_DST_WORD(pkt->src, WEIR_PKT_SYN_ACK);
    answer->size_word = h->ack_size_word;
    answer->hash = host_answer_hash(h, pkt->hash);
}

/* The connection is open: the message that waited longest gets it. */
void host_tcp_syn_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_flow *f = host_flow_of(h, pkt);
    struct host_tcp *tcp = f != NULL && host_stream_of(h)->tcps.stride != 0 ? host_tcp_at(h, pkt->conn) : NULL;
    if (f == NULL)
        return;
    if (tcp == NULL || !(tcp->flags & HOST_TCP_SYN_SENT)) {
        h->stats.duplicates++;
        return;
    }
    tcp->flags = HOST_TCP_OPEN | (pkt->flags & WEIR_PKT_ECE ? 0 : HOST_TCP_NO_ECT);
    if (pkt->sent_ps != 0 && pkt->sent_ps < now_ps)
        host_rto_sample(f, now_ps - pkt->sent_ps);
    f->since_ps = WEIR_NEVER;
    f->backoff = 0;
    host_peer_release(h, now_ps, pkt->conn, f);
}

/* ---- ECE until CWR ---- */

/* What an ACK says in addition. An ECE asks for CWR once per window of data, whatever the law does: it has its own rule for that. The
 * packet with CWR itself must be acknowledged, or ECE may be older than what the receiver knows. */
void host_tcp_ack(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt,
                  struct weir_ack *ack)
{
    struct host_tcp *tcp = host_tcp_at(h, pkt->conn);
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

/* A packet leaves. RFC 3168, section 6.1.5: those sent again have no ECT. Only new ones carry CWR, as section 6.1.2 asks. */
void host_tcp_sent(struct weir_host *h, uint32_t index, struct weir_pkt *pkt)
{
    struct host_tcp *tcp = host_tcp_at(h, index);
    bool again = pkt->flags & WEIR_PKT_RETX;
    if (tcp->flags & HOST_TCP_NO_ECT || (again && host_stream_of(h)->latch_ece))
        pkt->flags = WEIR_PKT_FLAGS(pkt->flags & ~(uint32_t)WEIR_PKT_ECT);
    if (again || !(tcp->flags & HOST_TCP_CWR))
        return;
    pkt->flags |= WEIR_PKT_CWR;
    tcp->flags &= ~(uint32_t)HOST_TCP_CWR;
}
