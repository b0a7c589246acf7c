/* src/algorithms/host/stream/timeout.h - handles the retransmission timer. */
#ifndef WEIR_HOST_STREAM_TIMEOUT_H
#define WEIR_HOST_STREAM_TIMEOUT_H
#include "host/stream/state.h"

void host_rto_due(struct weir_host *h, uint64_t now_ps, uint32_t index);
#endif
