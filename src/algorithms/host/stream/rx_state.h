/* src/algorithms/host/stream/rx_state.h - calls of the receiver half of a law, and its state. */
#ifndef WEIR_HOST_STREAM_RX_STATE_H
#define WEIR_HOST_STREAM_RX_STATE_H
#include "host/stream/state.h"

void host_rx_state_init(struct weir_host *h);
bool host_rx_state_open(struct weir_host *h, uint32_t index);
bool host_rx_state_data(struct weir_host *h, uint64_t now_ps, uint32_t index, const struct weir_pkt *pkt,
                        uint32_t new_bytes, bool known);
void host_rx_message(struct weir_host *h, uint64_t now_ps, uint32_t index, bool begins);
void host_rx_state_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index);
#endif
