/* src/algorithms/host/credit/widen.h - what follows once the bound of a message has grown, or is new: see bound.h. */
#ifndef WEIR_HOST_CREDIT_WIDEN_H
#define WEIR_HOST_CREDIT_WIDEN_H
#include "host/credit/records.h"

void host_credit_rx_bound(struct weir_host *h, uint64_t now_ps, uint32_t src, uint32_t conn);
void host_credit_tx_bound(struct weir_host *h, uint32_t msg);
uint32_t host_credit_edge(const struct weir_host *h, uint32_t src, uint32_t conn);
#endif
