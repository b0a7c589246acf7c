/* src/algorithms/host/stream/send.h - choice and contents of the next DATA packet. */
#ifndef WEIR_HOST_STREAM_SEND_H
#define WEIR_HOST_STREAM_SEND_H
#include "host/stream/connection.h"

uint32_t host_flow_send(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
bool host_flow_has_open(const struct weir_host *h);
uint32_t host_flow_send_open(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out);
#endif
