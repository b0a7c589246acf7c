/* src/base/core/rcp_code.h - the encodings in packets of RCP: a rate in the 16 bits of weir_pkt.qdelay, and the
 * sender's round trip in the byte weir_pkt.rtt. Switches and hosts share them.
 * Both encodings are small floating-point numbers held in integers. They are our own: RCP's header has wider fields. */
#ifndef WEIR_CORE_RCP_CODE_H
#define WEIR_CORE_RCP_CODE_H
#include "core/math.h"

/* A rate is coded as 5 bits of exponent and 11 bits of fraction: (2048 + fraction) << exponent bit/s. Rounding down
 * loses less than 1/2048. Packets carry the complement of the code, the stamp. Stamp 0 means that no port has written a
 * rate yet: the infinite rate of a new packet. A port with a lower rate raises the stamp. */
#define WEIR_RCP_STAMP_MAX 65535u /* stamp of the least rate, WEIR_RCP_RATE_MIN_BPS */
#define WEIR_RCP_RATE_MIN_BPS UINT64_C(2048)

/* Converts a rate to a stamp. rate_bps: below 2^43; rates below WEIR_RCP_RATE_MIN_BPS are raised to it. @return 1 ..
 * WEIR_RCP_STAMP_MAX */
static inline uint32_t weir_rcp_stamp(uint64_t rate_bps)
{
    uint64_t bps = weir_max_u64(rate_bps, WEIR_RCP_RATE_MIN_BPS);
    uint32_t exponent = 52 - weir_leading_zeros_u64(bps); /* of 2^11 .. 2^42: 0 .. 31 */
    WEIR_ASSERT(bps >> 43 == 0);
    return WEIR_RCP_STAMP_MAX - (exponent << 11) - (uint32_t)((bps >> exponent) - 2048);
}

/* Converts a stamp, 1 .. WEIR_RCP_STAMP_MAX, to its rate in bit/s. */
static inline uint64_t weir_rcp_rate_bps(uint32_t stamp)
{
    uint32_t code = WEIR_RCP_STAMP_MAX - stamp;
    return (uint64_t)(2048 + (code & 2047)) << (code >> 11);
}

/* A round trip is coded in units of weir_rcp_rtt_unit_ps(). Up to 63 units a whole number of units is coded exactly.
 * Above, the code has 5 bits of fraction: the error is at most 1/64. */
#define WEIR_RCP_RTT_UNITS_MAX 4032u
#define WEIR_RCP_RTT_UNITS_BASE 32u /* units in a base round trip */

static inline uint64_t weir_rcp_rtt_unit_ps(uint64_t base_rtt_ps)
{
    return weir_max_u64(1, base_rtt_ps / WEIR_RCP_RTT_UNITS_BASE);
}

/* Converts a round trip to the nearest code. rtt_ps: 0 = unknown; a round trip above WEIR_RCP_RTT_UNITS_MAX units gets
 * the largest code. @return 0 = unknown, else 1 .. 255 */
static inline uint8_t weir_rcp_rtt_code(uint64_t rtt_ps, uint64_t unit_ps)
{
    uint64_t units = weir_min_u64((rtt_ps + unit_ps / 2) / unit_ps, WEIR_RCP_RTT_UNITS_MAX);
    if (rtt_ps == 0)
        return 0;
    if (units < 32)
        return (uint8_t)weir_max_u64(units, 1);
    uint32_t exponent = 58 - weir_leading_zeros_u64(units);          /* of 2^5 .. 2^12: 0 .. 6 */
    uint64_t fraction = (units + (1u << exponent >> 1)) >> exponent; /* 32 .. 64; 64 carries into the exponent */
    return (uint8_t)weir_min_u64((exponent << 5) + fraction, 255);
}

/* Converts the code of a round trip to units. @return 0 = unknown, else 1 .. WEIR_RCP_RTT_UNITS_MAX */
static inline uint32_t weir_rcp_rtt_units(uint8_t code)
{
    return code < 32 ? code : (32u + (code & 31)) << ((code >> 5) - 1);
}
#endif
