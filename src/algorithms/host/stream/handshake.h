/* src/algorithms/host/stream/handshake.h - opening of connections by SYN and SYN-ACK. */
#ifndef WEIR_HOST_STREAM_HANDSHAKE_H
#define WEIR_HOST_STREAM_HANDSHAKE_H
#include "host/stream/connection.h"

bool host_handshake_must_connect(const struct weir_host *h, uint32_t index);
void host_handshake_connect(struct weir_host *h, uint64_t now_ps, uint32_t index);
bool host_handshake_syn_again(struct weir_host *h, uint32_t index);
void host_handshake_syn(struct weir_host *h, const struct weir_pkt *pkt);
struct host_flow *host_handshake_syn_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
#endif
