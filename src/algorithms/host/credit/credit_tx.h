/* src/algorithms/host/credit/credit_tx.h - outbound messages of a receiver-driven host. */
#ifndef WEIR_HOST_CREDIT_CREDIT_TX_H
#define WEIR_HOST_CREDIT_CREDIT_TX_H
#include "host/common/table.h"
#include "host/credit/bound.h"

int host_credit_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
bool host_credit_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
void host_credit_tx_drop_again(const struct weir_host *h, struct credit_tx *t);
int host_credit_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);
int host_credit_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg);
int host_credit_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg);
int host_credit_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority);
int host_credit_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg);
void host_credit_forget_tx(struct weir_host *h, struct credit_peer *peer);
uint32_t host_credit_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
void host_credit_granted(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);
void host_credit_done(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);
void host_credit_ask(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer);
void *host_credit_tx_of(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt);

/* Returns the message's next packet: the first one to be retransmitted, else the first one never sent. */
static inline uint32_t credit_tx_next(const struct host_credit *c, struct credit_tx *t)
{
    if (WEIR_LIKELY(t->again == 0))
        return credit_tx_state(t)->next;
    struct credit_again *again = host_at(&c->agains, 0, t->again - 1);
    return *(uint32_t *)host_ring_at(&again->ring, 0, sizeof(uint32_t));
}

/* Sets m->next_wire_bytes, the size of the packet that leaves next, for the protocol to read. 0 = none may leave now */
static inline void credit_tx_show(const struct weir_host *h, struct credit_tx *t)
{
    struct weir_tx_msg *m = credit_tx_state(t);
    uint32_t pkt = credit_tx_next(host_credit_of(h), t), bytes = credit_pkt_bytes(h, m->pkts, t->last_bytes, pkt);
    m->next_wire_bytes = pkt >= credit_tx_end(h, t) ? 0 : credit_wire(h, bytes);
}
#endif
