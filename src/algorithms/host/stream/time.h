/* src/algorithms/host/stream/time.h - runs timers and pacers that are due. */
#ifndef WEIR_HOST_STREAM_TIME_H
#define WEIR_HOST_STREAM_TIME_H
#include "host/stream/state.h"

void host_time_run(struct weir_host *h, uint64_t now_ps);
#endif
