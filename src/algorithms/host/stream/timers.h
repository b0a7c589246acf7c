/* src/algorithms/host/stream/timers.h - the timer heap of a sender-driven host: kinds of entries, and room for them. */
#ifndef WEIR_HOST_STREAM_TIMERS_H
#define WEIR_HOST_STREAM_TIMERS_H
#include "host/common/timers.h"
#include "host/stream/state.h"

enum host_timer { /* kinds of entries of the timer heap */
                  HOST_TIMER_RTO,
                  HOST_TIMER_LAW,
                  HOST_TIMER_ACK,
                  HOST_TIMER_NOTICE, /* the law's receiver half is asked for notices */
};

bool host_time_room(struct weir_host *h);
void host_rx_timers_drop(struct weir_host *h, uint32_t src);
#endif
