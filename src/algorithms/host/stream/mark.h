/* src/algorithms/host/stream/mark.h - CE marks set by the sending host itself. */
#ifndef WEIR_HOST_STREAM_MARK_H
#define WEIR_HOST_STREAM_MARK_H
#include "host/stream/state.h"

/* Returns the bytes of DATA that may leave now: the next packet of each connection in the ready ring; without the
 * connection at its front if `but_first`. */
uint64_t host_stream_waiting_bytes(const struct weir_host *h, bool but_first);
void host_source_mark(struct weir_host *h, struct weir_pkt *pkt);
#endif
