/* src/base/core/units.h - units of time and rate, and the transmission time of a frame.
 * Time is uint64_t picoseconds since the run began. One byte takes a whole number of picoseconds at every common speed
 * (800 at 10 Gb/s, 80 at 100, 20 at 400, 10 at 800), so nothing is rounded. */
#ifndef WEIR_CORE_UNITS_H
#define WEIR_CORE_UNITS_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_PS_PER_NS UINT64_C(1000)
#define WEIR_PS_PER_US UINT64_C(1000000)
#define WEIR_PS_PER_MS UINT64_C(1000000000)
#define WEIR_PS_PER_S UINT64_C(1000000000000)
/* printf() format and arguments of a time in us, to the picosecond; <inttypes.h> must be included */
#define WEIR_US_FORMAT "%" PRIu64 ".%06" PRIu64 " us"
#define WEIR_US_NUMBERS(ps) (ps) / WEIR_PS_PER_US, (ps) % WEIR_PS_PER_US
#define WEIR_NEVER UINT64_MAX     /* a time that never comes */
#define WEIR_RATE_OPEN UINT64_MAX /* a rate that does not limit */

#define WEIR_RATE_MIN_BPS UINT64_C(1000000)       /* products for slower links would overflow 64 bits */
#define WEIR_RATE_MAX_BPS UINT64_C(8000000000000) /* faster links take less than 1 ps per byte */
#define WEIR_WIRE_MAX_BYTES 9728u                 /* largest frame with its gap; more than a jumbo frame */

/* Transmission times of one link. At a rate without whole picoseconds per byte, the remainder is carried from frame to
 * frame, so that no error accumulates. */
struct weir_tx_clock {
    uint32_t ps_per_byte; /* whole part of 8e12 / rate_bps; 1 .. 8000000 */
    uint64_t rem_num;     /* 8e12 mod rate_bps; 0 = exact, nothing to carry */
    uint64_t rem_den;     /* rate_bps */
    uint64_t carry;       /* 0 .. rem_den - 1 */
};

/* Returns the clock of a link with nothing to carry. rate_bps: WEIR_RATE_MIN_BPS .. WEIR_RATE_MAX_BPS */
static inline struct weir_tx_clock weir_tx_clock_of(uint64_t rate_bps)
{
    uint64_t ps8 = 8 * WEIR_PS_PER_S;
    WEIR_ASSERT(rate_bps >= WEIR_RATE_MIN_BPS && rate_bps <= WEIR_RATE_MAX_BPS);
    return (struct weir_tx_clock){
        .ps_per_byte = (uint32_t)(ps8 / rate_bps), .rem_num = ps8 % rate_bps, .rem_den = rate_bps, .carry = 0
    };
}

/* Returns the transmission time of a frame in ps, and updates the carry. bytes <= WEIR_WIRE_MAX_BYTES: 2^14 * 2^43
 * fits. */
static inline uint64_t weir_tx_clock_advance(struct weir_tx_clock *clock, uint32_t bytes)
{
    uint64_t ps = (uint64_t)bytes * clock->ps_per_byte;
    if (clock->rem_num != 0) {
        clock->carry += bytes * clock->rem_num;
        ps += clock->carry / clock->rem_den;
        clock->carry %= clock->rem_den;
    }
    return ps;
}
#endif
