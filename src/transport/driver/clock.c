/* src/transport/driver/clock.c - the clock of the machine, and sleeping, for the drivers over real devices. */
#define _GNU_SOURCE
#include "driver/clock.h"
#include <errno.h>
#include <time.h>

enum { NS_PER_S = 1000000000 };

uint64_t weir_net_clock_ns(struct weir_net *net)
{
    struct timespec t;
    (void)net;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

int weir_net_clock_wait(struct pollfd *fds, uint32_t count, uint64_t until_ns)
{
    struct timespec left = { 0 };
    if (until_ns != UINT64_MAX) {
        uint64_t now_ns = weir_net_clock_ns(NULL), ns = until_ns > now_ns ? until_ns - now_ns : 0;
        left.tv_sec = (time_t)(ns / NS_PER_S);
        left.tv_nsec = (long)(ns % NS_PER_S);
    }
    int ready = ppoll(fds, count, until_ns == UINT64_MAX ? NULL : &left, NULL);
    return ready < 0 && errno == EINTR ? -EINTR : 0;
}
