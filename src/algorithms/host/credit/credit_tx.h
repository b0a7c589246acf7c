/* src/algorithms/host/credit/credit_tx.h - outbound messages of a receiver-driven host. */
#ifndef WEIR_HOST_CREDIT_CREDIT_TX_H
#define WEIR_HOST_CREDIT_CREDIT_TX_H
#include "host/credit/records.h"

int host_credit_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
bool host_credit_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out);
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
#endif
