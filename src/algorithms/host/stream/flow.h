/* src/algorithms/host/stream/flow.h - packets that arrive for a sending connection: ACKs, requests to go back, notices,
 * replies. */
#ifndef WEIR_HOST_STREAM_FLOW_H
#define WEIR_HOST_STREAM_FLOW_H
#include "host/stream/connection.h"

void host_flow_ack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_nack(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_notice_shared(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_flow_reply(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
#endif
