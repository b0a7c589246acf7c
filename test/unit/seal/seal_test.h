/* test/unit/seal/seal_test.h - hexadecimal numbers, and random ones from a fixed seed. */
#ifndef WEIR_SEAL_TEST_H
#define WEIR_SEAL_TEST_H
#include "test/unit/weir_test.h"
#include "seal/crypto.h"
#include <stdio.h>
#include <string.h>

static const enum weir_cipher both_ciphers[] = { WEIR_CIPHER_AES_GCM, WEIR_CIPHER_CHACHA };

/* Reads hexadecimal digits. @return the count of bytes */
static inline size_t from_hex(uint8_t *out, const char *text)
{
    size_t size = strlen(text) / 2;
    for (size_t i = 0; i < size; i++) {
        unsigned value = 0;
        assert_int_equal(sscanf(text + 2 * i, "%2x", &value), 1);
        out[i] = (uint8_t)value;
    }
    return size;
}

static inline void assert_hex(const uint8_t *bytes, size_t size, const char *text)
{
    uint8_t wanted[512];
    assert_in_range(strlen(text), 0, 2 * sizeof(wanted));
    assert_int_equal(from_hex(wanted, text), size);
    assert_memory_equal(bytes, wanted, size);
}

static inline uint64_t next_random(uint64_t *x)
{
    *x ^= *x << 13, *x ^= *x >> 7, *x ^= *x << 17;
    return *x;
}

/* Group set-up: skips all tests where there is no libsodium. */
static inline void needs_sodium(void)
{
    if (!weir_crypto_ready())
        skip();
}
#endif
