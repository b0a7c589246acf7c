/* src/algorithms/host/stream/receiver.h - the receiving connection: DATA, its acknowledgement, and ABORT. */
#ifndef WEIR_HOST_STREAM_RECEIVER_H
#define WEIR_HOST_STREAM_RECEIVER_H
#include "host/stream/state.h"

void host_rx_abort(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_rx_forget(struct weir_host *h, uint64_t now_ps, uint32_t src);
bool host_rx_data(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct weir_pkt *answer);
void host_rx_ack_due(struct weir_host *h, uint64_t now_ps, uint32_t index);
#endif
