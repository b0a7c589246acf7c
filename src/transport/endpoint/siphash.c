/* src/transport/endpoint/siphash.c - SipHash-2-4: a keyed hash whose values cannot be guessed without the key; for
 * cookies, tokens and tables.
 * Source: Aumasson and Bernstein, "SipHash: a fast short-input PRF", INDOCRYPT 2012. */
#include "endpoint/siphash.h"

static uint64_t rotate(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0], v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32);
    v[2] += v[1], v[0] += v[3];
    v[1] = rotate(v[1], 17) ^ v[2], v[3] = rotate(v[3], 21) ^ v[0];
    v[2] = rotate(v[2], 32);
}

static void absorb(uint64_t v[4], uint64_t block)
{
    v[3] ^= block;
    sip_round(v);
    sip_round(v);
    v[0] ^= block;
}

/* Returns count bytes, 0 .. 8, as a little-endian number. */
static uint64_t block_of(const unsigned char *bytes, size_t count)
{
    uint64_t block = 0;
    for (size_t i = 0; i < count; i++)
        block |= (uint64_t)bytes[i] << 8 * i;
    return block;
}

uint64_t ep_siphash(const uint64_t key[2], const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                      key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573) };
    size_t left = size;
    for (; left >= 8; left -= 8, bytes += 8)
        absorb(v, block_of(bytes, 8));
    absorb(v, block_of(bytes, left) | (uint64_t)size << 56);
    v[2] ^= 0xff;
    for (int i = 0; i < 4; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
