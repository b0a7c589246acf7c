/* src/transport/wire/crc32c.c - CRC-32C: by the processor's instruction where there is one, else by eight tables.
 *
 * The tables are constants, so no set-up is needed and threads share them. Their 2048 entries are not listed, because a
 * CRC is linear over bits. The entry for byte b is the XOR of the entries for the single bits that are set in b. So
 * eight numbers define a table, and 64 numbers define all. */
#include "wire/crc32c.h"
#include <string.h>

/* Computes entry b of a table: the XOR of the entries of the bits that are set in b. b0 is the table's entry for 1, b1
 * for 2, .. b7 for 128. */
#define ENTRY(b, b0, b1, b2, b3, b4, b5, b6, b7)                                                                       \
    (((b)&1 ? (b0) : 0) ^ ((b)&2 ? (b1) : 0) ^ ((b)&4 ? (b2) : 0) ^ ((b)&8 ? (b3) : 0) ^ ((b)&16 ? (b4) : 0) ^         \
     ((b)&32 ? (b5) : 0) ^ ((b)&64 ? (b6) : 0) ^ ((b)&128 ? (b7) : 0))

/* TABLE<k>(b): contribution of byte b to the CRC when k more bytes follow b. Polynomial 0x1edc6f41, reflected
 * 0x82f63b78. */
#define TABLE0(b)                                                                                                      \
    ENTRY(b, 0xf26b8303, 0xe13b70f7, 0xc79a971f, 0x8ad958cf, 0x105ec76f, 0x20bd8ede, 0x417b1dbc, 0x82f63b78)
#define TABLE1(b)                                                                                                      \
    ENTRY(b, 0x13a29877, 0x274530ee, 0x4e8a61dc, 0x9d14c3b8, 0x3fc5f181, 0x7f8be302, 0xff17c604, 0xfbc3faf9)
#define TABLE2(b)                                                                                                      \
    ENTRY(b, 0xa541927e, 0x4f6f520d, 0x9edea41a, 0x38513ec5, 0x70a27d8a, 0xe144fb14, 0xc76580d9, 0x8b277743)
#define TABLE3(b)                                                                                                      \
    ENTRY(b, 0xdd45aab8, 0xbf672381, 0x7b2231f3, 0xf64463e6, 0xe964b13d, 0xd725148b, 0xaba65fe7, 0x52a0c93f)
#define TABLE4(b)                                                                                                      \
    ENTRY(b, 0x38116fac, 0x7022df58, 0xe045beb0, 0xc5670b91, 0x8f2261d3, 0x1ba8b557, 0x37516aae, 0x6ea2d55c)
#define TABLE5(b)                                                                                                      \
    ENTRY(b, 0xef306b19, 0xdb8ca0c3, 0xb2f53777, 0x6006181f, 0xc00c303e, 0x85f4168d, 0x0e045beb, 0x1c08b7d6)
#define TABLE6(b)                                                                                                      \
    ENTRY(b, 0x68032cc8, 0xd0065990, 0xa5e0c5d1, 0x4e2dfd53, 0x9c5bfaa6, 0x3d5b83bd, 0x7ab7077a, 0xf56e0ef4)
#define TABLE7(b)                                                                                                      \
    ENTRY(b, 0x493c7d27, 0x9278fa4e, 0x211d826d, 0x423b04da, 0x847609b4, 0x0d006599, 0x1a00cb32, 0x34019664)

#define FOUR(t, b) t(b), t((b) + 1), t((b) + 2), t((b) + 3)
#define SIXTEEN(t, b) FOUR(t, b), FOUR(t, (b) + 4), FOUR(t, (b) + 8), FOUR(t, (b) + 12)
#define SIXTY_FOUR(t, b) SIXTEEN(t, b), SIXTEEN(t, (b) + 16), SIXTEEN(t, (b) + 32), SIXTEEN(t, (b) + 48)
#define ALL(t)                                                                                                         \
    {                                                                                                                  \
        SIXTY_FOUR(t, 0), SIXTY_FOUR(t, 64), SIXTY_FOUR(t, 128), SIXTY_FOUR(t, 192)                                    \
    }

static const uint32_t table[8][256] = { ALL(TABLE0), ALL(TABLE1), ALL(TABLE2), ALL(TABLE3),
                                        ALL(TABLE4), ALL(TABLE5), ALL(TABLE6), ALL(TABLE7) };

/* Returns crc continued over the eight bytes at p. Byte i of them is looked up in table[7 - i]: 7 - i more bytes
 * follow. */
static uint32_t eight(uint32_t crc, const unsigned char *p)
{
    crc ^= (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return table[7][crc & 255] ^ table[6][crc >> 8 & 255] ^ table[5][crc >> 16 & 255] ^ table[4][crc >> 24] ^
           table[3][p[4]] ^ table[2][p[5]] ^ table[1][p[6]] ^ table[0][p[7]];
}

uint32_t weir_crc32c_table(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *p = data;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8)
        crc = eight(crc, p);
    for (; size > 0; size--, p++)
        crc = crc >> 8 ^ table[0][(crc ^ *p) & 255];
    return ~crc;
}

#if defined(__x86_64__)
bool weir_crc32c_has_hardware(void)
{
    return __builtin_cpu_supports("sse4.2") != 0;
}

/* Heads come as 24 bytes, and then as 20 or a few more: hardly a loop goes round twice. */
__attribute__((target("sse4.2"))) uint32_t weir_crc32c_hardware(uint32_t crc, const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t wide = (uint32_t)~crc, a, b, c; /* 64 bits, as the instruction: saves moves between registers */
    uint32_t chunk;
    for (; size >= 24; size -= 24, p += 24) {
        memcpy(&a, p, 8);
        memcpy(&b, p + 8, 8);
        memcpy(&c, p + 16, 8);
        wide = __builtin_ia32_crc32di(__builtin_ia32_crc32di(__builtin_ia32_crc32di(wide, a), b), c);
    }
    for (; size >= 8; size -= 8, p += 8) {
        memcpy(&a, p, 8);
        wide = __builtin_ia32_crc32di(wide, a);
    }
    crc = (uint32_t)wide;
    if (size >= 4) {
        memcpy(&chunk, p, 4);
        crc = __builtin_ia32_crc32si(crc, chunk);
        size -= 4;
        p += 4;
    }
    for (; size > 0; size--, p++)
        crc = __builtin_ia32_crc32qi(crc, *p);
    return ~crc;
}
#else
bool weir_crc32c_has_hardware(void)
{
    return false;
}

uint32_t weir_crc32c_hardware(uint32_t crc, const void *data, size_t size)
{
    return weir_crc32c_table(crc, data, size);
}
#endif

uint32_t weir_crc32c(uint32_t crc, const void *data, size_t size)
{
    return weir_crc32c_has_hardware() ? weir_crc32c_hardware(crc, data, size) : weir_crc32c_table(crc, data, size);
}
