/* src/transport/wire/bytes.h - numbers in network byte order, and the front of a datagram, for wire.c and handshake.c.
 */
#ifndef WEIR_WIRE_BYTES_H
#define WEIR_WIRE_BYTES_H
#include "wire/crc32c.h"
#include <string.h>

enum {                 /* offsets in every datagram; those from `after` on are behind the switch area */
       AT_VERSION = 0, /* version << 4 | class << 1 | WIRE_OWN */
       AT_TYPE = 1,
       AT_AREA = 2, /* kind of the area << 5 | its slots */
       AT_PHASE = 3,
       FRONT_BYTES = 4, /* here the area begins, if there is one */
       AFTER_TOKEN = 0,
       AFTER_COUNTER = 8,
       AFTER_CHECKSUM = 16,
       AFTER_HEAD = 20,                          /* here the head of the type begins */
       COVERED_BYTES = FRONT_BYTES + AFTER_HEAD, /* before the head and under the checksum: all but the area */
       SIGNAL_BYTES = 4,
       SLOT_BYTES = 16,
};

#define WIRE_OWN 0x01u /* bit of byte 0: not of a message, but of the handshake or the endpoint's own */
#define WIRE_SLOTS_MASK 0x1fu
#define WIRE_KIND_SHIFT 5u

/* Converts 32 bits from big-endian to the processor's order or back. Uses a builtin, because gcc makes stores of single
 * bytes from shifts of single bytes. The checksum's load of eight bytes would then wait until those stores have left
 * the store buffer. */
static inline uint32_t wire_swap32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap32(value) : value;
}

/* Converts 64 bits as wire_swap32() does 32. */
static inline uint64_t wire_swap64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static inline void put16(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)(value >> 8);
    to[1] = (unsigned char)value;
}

static inline void put32(unsigned char *to, uint32_t value)
{
    value = wire_swap32(value);
    memcpy(to, &value, sizeof(value));
}

static inline void put64(unsigned char *to, uint64_t value)
{
    value = wire_swap64(value);
    memcpy(to, &value, sizeof(value));
}

static inline uint16_t get16(const unsigned char *from)
{
    return (uint16_t)(from[0] << 8 | from[1]);
}

static inline uint32_t get32(const unsigned char *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return wire_swap32(value);
}

static inline uint64_t get64(const unsigned char *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return wire_swap64(value);
}

/* Returns the bytes of a switch area, by byte 2 of its datagram. */
static inline uint32_t wire_area_bytes(uint32_t area)
{
    return area >> WIRE_KIND_SHIFT == 0 ? 0 : SIGNAL_BYTES + SLOT_BYTES * (area & WIRE_SLOTS_MASK);
}

/* Writes token, counter and the first four bytes of a datagram. after: where the area ends @return the CRC-32C of
 * these, and of a checksum of 0 behind them: the area is not under it */
static inline uint32_t wire_put_front(uint32_t first, uint64_t token, uint64_t counter, unsigned char *out,
                                      unsigned char *after)
{
    unsigned char covered[COVERED_BYTES];
    put32(out, first);
    put64(after + AFTER_TOKEN, token);
    put64(after + AFTER_COUNTER, counter);
    put64(covered, (uint64_t)first << 32 | token >> 32);
    put64(covered + 8, token << 32 | counter >> 32);
    put64(covered + 16, counter << 32);
    return weir_crc32c(0, covered, sizeof(covered));
}

/* Writes token, counter and the first four bytes of a datagram without a checksum, as wire_put_front() does. */
static inline void wire_put_sealed_front(uint32_t first, uint64_t token, uint64_t counter, unsigned char *out,
                                         unsigned char *after)
{
    put32(out, first);
    put64(after + AFTER_TOKEN, token);
    put64(after + AFTER_COUNTER, counter);
    put32(after + AFTER_CHECKSUM, 0);
}

/* Tests the checksum of a datagram. after: where the area ends; covered: bytes under the checksum, with those of the
 * area, which are left out */
static inline bool wire_sum_is_right(const unsigned char *bytes, uint32_t after, uint32_t covered)
{
    unsigned char front[COVERED_BYTES];
    uint64_t token = get64(bytes + after + AFTER_TOKEN), counter = get64(bytes + after + AFTER_COUNTER);
    put64(front, (uint64_t)get32(bytes) << 32 | token >> 32);
    put64(front + 8, token << 32 | counter >> 32);
    put64(front + 16, counter << 32);
    uint32_t crc = weir_crc32c(0, front, sizeof(front));
    crc = weir_crc32c(crc, bytes + after + AFTER_HEAD, covered - after - AFTER_HEAD);
    return crc == get32(bytes + after + AFTER_CHECKSUM);
}
#endif
