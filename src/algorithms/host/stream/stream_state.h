/* src/algorithms/host/stream/stream_state.h - the state of a sender-driven host, given to be compared and moved. */
#ifndef WEIR_HOST_STREAM_STREAM_STATE_H
#define WEIR_HOST_STREAM_STREAM_STATE_H
#include "host/stream/state.h"

const char *host_stream_state_why(const struct weir_host *h);
void host_stream_state(struct weir_host *h, struct weir_state *s);
uint32_t host_stream_una(const struct weir_host *h, uint32_t conn);
#endif
