/* src/host/stream/answers.c - the queue of answers, which leave before any DATA, and the answers that need no record of their own. */
#include "host/common/host_internal.h"

/* Adds a place to the queue of packets that leave before any DATA. @return NULL = none left, counted: the sender's timer makes up
 * for it */
struct weir_pkt *host_answer_push(struct weir_host *h)
{
    if (WEIR_UNLIKELY(!host_ring_room(h, &h->acks, sizeof(struct weir_pkt), h->acks.count + 1, HOST_ACKS_MAX) ||
                      (h->extended & HOST_EXTENDED_HOPS && !host_hops_push(h)))) {
        h->stats.refused_pkts++;
        return NULL;
    }
    return host_ring_at(&h->acks, h->acks.count++, sizeof(struct weir_pkt));
}

/* Acknowledges a REPLY. END marks it as answering one, so that the other end, whose own connections have numbers too, does not
 * take it for an acknowledgement of one of those. */
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
