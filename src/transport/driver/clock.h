/* src/transport/driver/clock.h - time and sleep of the drivers that use the machine's own clock. */
#ifndef WEIR_DRIVER_CLOCK_H
#define WEIR_DRIVER_CLOCK_H
#include "driver/net.h"
#include <poll.h>

uint64_t weir_net_clock_ns(struct weir_net *net); /* CLOCK_MONOTONIC; for weir_net.now_ns */
/* Sleeps until one of fds is ready or until_ns of weir_net_clock_ns(), UINT64_MAX = without end; never wakes
 * early, wakes late by what the thread's timer slack is (50 us unless changed). @return 0; -EINTR after a signal */
int weir_net_clock_wait(struct pollfd *fds, uint32_t count, uint64_t until_ns);
#endif
