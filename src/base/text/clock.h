/* src/base/text/clock.h - real time of the machine: durations, and the time of day. */
#ifndef WEIR_TEXT_CLOCK_H
#define WEIR_TEXT_CLOCK_H
#include <stdint.h>

enum { WEIR_UTC_TEXT = 32 };

/* Writes the time of day in UTC, "2026-01-31T12:00:00Z"; "" if it cannot be converted. */
void weir_utc_now(char out[WEIR_UTC_TEXT]);

/* Returns monotonic real time in ns, since an arbitrary instant. */
uint64_t weir_wall_ns(void);
#endif
