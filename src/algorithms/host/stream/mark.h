/* src/algorithms/host/stream/mark.h - CE marks set by the sending host itself. */
#ifndef WEIR_HOST_STREAM_MARK_H
#define WEIR_HOST_STREAM_MARK_H
#include "host/stream/state.h"

void host_source_mark(struct weir_host *h, struct weir_pkt *pkt);
#endif
