/* src/algorithms/host/stream/answers.c - the queue of answers, which leave before any DATA, and the answers that need
 * no record of their own. */
#include "host/stream/answers.h"

/* Acknowledges a REPLY. END marks it as answering one, so that the other end, whose own connections have numbers too,
 * does not take it for an acknowledgement of one of those. */
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

/* Asks the receiver to drop the message, and to expect the next one at f->end. No room: the timer repeats it. */
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
