/* src/algorithms/host/stream/handshake.c - opening of connections by SYN and SYN-ACK, which negotiate ECN. Sources: RFC
 * 9293, section 3.5; RFC 3168, section 6.1.1. Our own choice: a message waits in its destination's queue while a
 * connection is being opened, and takes the first connection that is open. */
#include "host/stream/answers.h"
#include "host/stream/handshake.h"
#include "host/stream/rto.h"
#include "host/stream/tcp.h"

/* Tests whether connection `index` must complete a handshake before its first message. */
bool host_handshake_must_connect(const struct weir_host *h, uint32_t index)
{
    return h->cfg->params.handshake &&
           !(HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index)->flags & HOST_TCP_OPEN);
}

/* Queues a SYN. now_ps: sent_ps of the SYN, 0 = no round-trip sample; flags: 0 or WEIR_PKT_RETX. If the queue is full,
 * the retransmission timer repeats the SYN. */
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

/* Starts opening connection `index`: sends its SYN, and starts the timer that repeats it. */
void host_handshake_connect(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    WEIR_ASSERT(host_handshake_must_connect(h, index));
    HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index)->flags |= HOST_TCP_SYN_SENT;
    syn_send(h, now_ps, index, 0);
    host_rto_restart(h, now_ps, index, host_flow_at(h, index));
}

/* Sends the SYN of connection `index` again after an RTO without SYN-ACK. @return false = the connection does not wait
 * for a SYN-ACK, and nothing was sent */
bool host_handshake_syn_again(struct weir_host *h, uint32_t index)
{
    if (host_stream_of(h)->tcps.stride == 0 ||
        !(HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index)->flags & HOST_TCP_SYN_SENT))
        return false;
    syn_send(h, 0, index, WEIR_PKT_RETX);
    return true;
}

/* Queues a SYN-ACK for a SYN. The receiver keeps no state: its record is made when the first DATA arrives. */
void host_handshake_syn(struct weir_host *h, const struct weir_pkt *pkt)
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

/* Processes a SYN-ACK: marks its connection as open. @return the connection, on which the caller then starts the next
 * waiting message; NULL = no connection waits for this SYN-ACK */
struct host_flow *host_handshake_syn_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_of(h, pkt);
    struct host_tcp *tcp =
        f != NULL && s->tcps.stride != 0 ? HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, pkt->conn) : NULL;
    if (f == NULL)
        return NULL;
    if (tcp == NULL || !(tcp->flags & HOST_TCP_SYN_SENT)) {
        h->stats.duplicates++;
        return NULL;
    }
    tcp->flags = HOST_TCP_OPEN | (pkt->flags & WEIR_PKT_ECE ? 0 : HOST_TCP_NO_ECT);
    if (pkt->sent_ps != 0 && pkt->sent_ps < now_ps)
        host_rto_sample(f, now_ps - pkt->sent_ps);
    f->since_ps = WEIR_NEVER;
    f->backoff = 0;
    return f;
}
