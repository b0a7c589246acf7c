/* src/transport/wire/bytes.h - the front of a datagram, for wire.c and handshake.c. */
#ifndef WEIR_WIRE_BYTES_H
#define WEIR_WIRE_BYTES_H
#include "wire/crc32c.h"
#include "wire/number.h"
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
