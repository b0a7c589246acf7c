/* src/base/text/clock.c - see clock.h. */
#include "text/clock.h"
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)

uint64_t weir_wall_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

void weir_utc_now(char out[WEIR_UTC_TEXT])
{
    time_t now = time(NULL);
    struct tm parts;
    out[0] = '\0';
    if (gmtime_r(&now, &parts) != NULL)
        (void)strftime(out, WEIR_UTC_TEXT, "%Y-%m-%dT%H:%M:%SZ", &parts);
}
