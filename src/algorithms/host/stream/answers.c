/* src/algorithms/host/stream/answers.c - the queue of answers (ACKs, other control packets), sent before any DATA; and
 * the answers to REPLY and to a cancelled message. */
#include "host/stream/answers.h"

/* Queues an ACK for a REPLY. The flag END marks it as the ACK of a REPLY. The connection number in it is a number of
 * this host; without END the destination would take it for one of its own sending connections. */
void host_answer_reply(struct weir_host *h, const struct weir_pkt *pkt)
{
    struct weir_pkt *ack = host_answer_push(h);
    if (ack == NULL)
        return;
    *ack = *pkt;
    ack->arrival_ps = ack->sent_ps = 0;
    ack->src_word = h->self_word | WEIR_PKT_END;
    ack->dst_word = WEIR_PKT_DST_WORD(pkt->src, WEIR_PKT_ACK);
    ack->size_word = h->ack_size_word;
    ack->hash = host_answer_hash(h, pkt->hash);
}

/* Queues an ABORT: the receiver drops the connection's message, and expects the next one at packet f->end. If the queue
 * is full the retransmission timer repeats it. */
void host_answer_abort(struct weir_host *h, uint32_t index, const struct host_flow *f)
{
    struct weir_pkt *pkt = host_answer_push(h);
    WEIR_ASSERT(host_flow_aborts(f));
    if (pkt == NULL)
        return;
    *pkt = (struct weir_pkt){
        .conn = index,
        .msg = f->msg,
        .seq = f->end,
        .ack = f->first,
        .hash = h->hash == WEIR_HASH_PACKET ? host_spray(h) : f->hash,
        .src_word = h->self_word,
        .dst_word = WEIR_PKT_DST_WORD(f->dst, WEIR_PKT_ABORT),
        .size_word = h->ack_size_word,
    };
}
