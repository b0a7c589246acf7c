/* src/transport/wire/internet.h - the checksum of IP, TCP and UDP (RFC 1071), its update (RFC 1624), and the class of a
 * packet as a DSCP. */
#ifndef WEIR_WIRE_INTERNET_H
#define WEIR_WIRE_INTERNET_H
#include "core/assert.h"
#include "wire/number.h"
#include <stdbool.h>

/* Returns sum plus the 16-bit numbers of data, for an Internet checksum; weir_sum_fold() completes it. Adds four bytes
 * at a time, in the machine's byte order: RFC 1071 shows that neither changes the folded sum. 2^32 steps of 2^32
 * fit. */
static inline uint64_t weir_sum_add(const unsigned char *data, uint32_t size, uint64_t sum)
{
    uint32_t four;
    for (; size >= sizeof(four); data += sizeof(four), size -= (uint32_t)sizeof(four)) {
        memcpy(&four, data, sizeof(four));
        sum += four;
    }
    four = 0;
    memcpy(&four, data, size); /* the last 0 .. 3 bytes and zeros */
    return sum + four;
}

/* Reduces a sum of weir_sum_add() to 16 bits, by adding carries back. The result is in the machine's byte order. */
static inline uint16_t weir_sum_fold(uint64_t sum)
{
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    WEIR_CHECK(sum >> 16 == 0);
    return (uint16_t)sum;
}

/* Stores the complement of a folded sum as checksum. zero_is_none: for UDP, where 0 means that there is no checksum. */
static inline void weir_sum_put(unsigned char *at, uint16_t sum, bool zero_is_none)
{
    uint16_t checksum = (uint16_t)~sum;
    if (checksum == 0 && zero_is_none)
        checksum = UINT16_MAX; /* the same value as 0 in ones' complement */
    memcpy(at, &checksum, sizeof(checksum));
}

/* Returns a checksum after one 16-bit number under it has changed: equation 3 of RFC 1624. All in one byte order. */
static inline uint16_t weir_sum_update(uint16_t checksum, uint16_t from, uint16_t to)
{
    uint32_t sum = (uint32_t)(uint16_t)~checksum + (uint16_t)~from + to;
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t) ~((sum & 0xffff) + (sum >> 16));
}

/* Returns the second byte of an IP header: six bits of DSCP, then two bits of ECN. Classes 0 .. 3 become the class
 * selectors CS5 .. CS2, all others best effort. CS6 and CS7 are for network control (RFC 4594), and CS1 is below best
 * effort (RFC 8622). */
static inline uint8_t weir_wire_tos(uint8_t class_id, uint8_t ecn)
{
    uint32_t selector = class_id < 4 ? 5u - class_id : 0;
    return (uint8_t)(selector << 5 | (ecn & 3u));
}

/* Returns the class of a packet by the second byte of its IP header: of CS5 .. CS2 as weir_wire_tos() writes them.
 * Network control is class 0, and all else class 7, the least urgent one. */
static inline uint32_t weir_wire_class(uint8_t tos)
{
    uint32_t selector = tos >> 5;
    bool is_selector = (tos & 0x1c) == 0;
    if (!is_selector || selector < 2)
        return 7;
    return selector > 5 ? 0 : 5 - selector;
}
#endif
