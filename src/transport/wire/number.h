/* src/transport/wire/number.h - numbers in network byte order, at any address. */
#ifndef WEIR_WIRE_NUMBER_H
#define WEIR_WIRE_NUMBER_H
#include <stdint.h>
#include <string.h>

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
#endif
