/* src/base/text/clock.h - the real clock of the machine: how long things take, and when they began. */
#ifndef WEIR_TEXT_CLOCK_H
#define WEIR_TEXT_CLOCK_H
#include <stdint.h>

enum { WEIR_UTC_TEXT = 32 };

/* Writes the time of day, "2026-01-31T12:00:00Z"; "" if there is none. */
void weir_utc_now(char out[WEIR_UTC_TEXT]);

/* Returns monotonic real time. */
uint64_t weir_wall_ns(void);
#endif
