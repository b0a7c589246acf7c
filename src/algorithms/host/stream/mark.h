/* src/algorithms/host/stream/mark.h - marks of the source. */
#ifndef WEIR_HOST_STREAM_MARK_H
#define WEIR_HOST_STREAM_MARK_H
#include "host/stream/state.h"

void host_source_mark(struct weir_host *h, struct weir_pkt *pkt);
#endif
