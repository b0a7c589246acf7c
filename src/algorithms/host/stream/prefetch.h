/* src/algorithms/host/stream/prefetch.h - prefetches of the sender-driven host, for its table of calls. */
#ifndef WEIR_HOST_STREAM_PREFETCH_H
#define WEIR_HOST_STREAM_PREFETCH_H
#include "host/host.h"

void host_stream_rx_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void host_stream_message_prefetch(const struct weir_host *h, const struct weir_pkt *pkt);
void host_stream_send_prefetch(const struct weir_host *h, uint32_t dst);
void host_stream_connection_prefetch(const struct weir_host *h, uint32_t dst);
void host_stream_timers_prefetch(const struct weir_host *h, uint64_t end_ps);
#endif
