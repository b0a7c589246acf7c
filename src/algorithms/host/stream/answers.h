/* src/algorithms/host/stream/answers.h - the queue of answers (ACKs, other control packets), sent before any DATA. */
#ifndef WEIR_HOST_STREAM_ANSWERS_H
#define WEIR_HOST_STREAM_ANSWERS_H
#include "host/common/table.h"
#include "host/stream/connection.h"
#include "host/stream/telemetry.h"

void host_answer_reply(struct weir_host *h, const struct weir_pkt *pkt);
void host_answer_abort(struct weir_host *h, uint32_t index, const struct host_flow *f);

/* Appends an entry to the queue of answers; the caller fills it in. @return NULL = queue full or no memory, counted in
 * refused_pkts: the sender's timer repeats what is lost */
static inline struct weir_pkt *host_answer_push(struct weir_host *h)
{
    if (WEIR_UNLIKELY(!host_ring_room(h, &h->acks, sizeof(struct weir_pkt), h->acks.count + 1, HOST_ACKS_MAX) ||
                      (h->extended & HOST_EXTENDED_HOPS && !host_hops_push(h)))) {
        h->stats.refused_pkts++;
        return NULL;
    }
    return host_ring_at(&h->acks, h->acks.count++, sizeof(struct weir_pkt));
}

/* Computes the path entropy of an answer. data_hash: path entropy of the packet that is answered */
static inline uint32_t host_answer_hash(struct weir_host *h, uint32_t data_hash)
{
    if (WEIR_UNLIKELY(h->hash == WEIR_HASH_PACKET))
        return host_spray(h);
    return weir_rng_path_back(data_hash, h->hash == WEIR_HASH_SYMMETRIC);
}
#endif
