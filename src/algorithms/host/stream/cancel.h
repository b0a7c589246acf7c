/* src/algorithms/host/stream/cancel.h - messages that end before all of their packets have arrived. */
#ifndef WEIR_HOST_STREAM_CANCEL_H
#define WEIR_HOST_STREAM_CANCEL_H
#include "host/stream/state.h"

int host_stream_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg);
void host_stream_done(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);
void host_stream_forget(struct weir_host *h, uint64_t now_ps, uint32_t id);
#endif
