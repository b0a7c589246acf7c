/* src/algorithms/host/credit/prefetch.h - prefetches of the receiver-driven host, for its table of calls. */
#ifndef WEIR_HOST_CREDIT_PREFETCH_H
#define WEIR_HOST_CREDIT_PREFETCH_H
#include "host/host.h"

void host_credit_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void host_credit_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void host_credit_send_prefetch(const struct weir_host *h, uint32_t dst);
#endif
