/* src/term/clock.h - the real clock of the machine, for how long things take. */
#ifndef WEIR_TERM_CLOCK_H
#define WEIR_TERM_CLOCK_H
#include <stdint.h>

/* Monotonic real time. */
uint64_t weir_wall_ns(void);
#endif
