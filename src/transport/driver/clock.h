/* src/transport/driver/clock.h - the clock of the machine, and sleeping, for the drivers over real devices. */
#ifndef WEIR_DRIVER_CLOCK_H
#define WEIR_DRIVER_CLOCK_H
#include "driver/net.h"
#include <poll.h>

/* Returns CLOCK_MONOTONIC in nanoseconds. net is not used: the signature is that of weir_net.now_ns. */
uint64_t weir_net_clock_ns(struct weir_net *net);
/* Sleeps until one of count descriptors is ready, or until_ns of weir_net_clock_ns() is reached (UINT64_MAX = no
 * limit). The sleep may end later than until_ns by the thread's timer slack (50 us by default), but not earlier.
 * @return 0; -EINTR after a signal */
int weir_net_clock_wait(struct pollfd *fds, uint32_t count, uint64_t until_ns);
#endif
