/* src/term/clock.c - see clock.h. */
#include "term/clock.h"
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t weir_wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}
