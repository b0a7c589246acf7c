/* src/algorithms/host/stream/single.h - messages of laws without acknowledgements. */
#ifndef WEIR_HOST_STREAM_SINGLE_H
#define WEIR_HOST_STREAM_SINGLE_H
#include "host/host.h"

int host_single_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
uint32_t host_single_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
void host_single_rx(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
int host_single_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);
void host_single_forget(struct weir_host *h, uint64_t now_ps, uint32_t peer);
enum weir_host_inbound host_single_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt);
#endif
