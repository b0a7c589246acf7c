/* src/transport/seal/crypto_none.c - a build without libsodium: weir_crypto_ready() returns false, so that callers
 * refuse, and a call of any other function is a bug. */
#include "core/assert.h"
#include "seal/crypto.h"

/* Reports the bug. out: what the caller would have written. */
static _Noreturn void missing(void *out)
{
    (void)out;
    weir_assert_failed(__FILE__, __LINE__, "weir_crypto_ready()");
}

bool weir_crypto_ready(void)
{
    return false;
}

bool weir_crypto_has(enum weir_cipher cipher)
{
    (void)cipher;
    return false;
}

void weir_crypto_seal(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *plain, size_t size, void *out)
{
    (void)cipher, (void)key, (void)nonce, (void)associated, (void)plain, (void)size;
    missing(out);
}

bool weir_crypto_open(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *sealed, size_t size, void *out)
{
    (void)cipher, (void)key, (void)nonce, (void)associated, (void)sealed, (void)size;
    missing(out);
}

void weir_crypto_hash(void *out, size_t out_bytes, struct weir_bytes key, const struct weir_bytes *parts, size_t count)
{
    (void)out_bytes, (void)key, (void)parts, (void)count;
    missing(out);
}

void weir_crypto_public(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES])
{
    (void)secret;
    missing(out);
}

bool weir_crypto_agree(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES],
                       const uint8_t public_key[WEIR_KEY_BYTES])
{
    (void)secret, (void)public_key;
    missing(out);
}

void weir_crypto_random(void *out, size_t size)
{
    (void)size;
    missing(out);
}

void weir_crypto_wipe(void *secret, size_t size)
{
    (void)size;
    missing(secret);
}

bool weir_crypto_equal(const void *a, const void *b, size_t size)
{
    (void)a, (void)b, (void)size;
    missing(NULL);
}

void weir_crypto_to_base64(char out[WEIR_BASE64_BYTES + 1], const uint8_t key[WEIR_KEY_BYTES])
{
    (void)key;
    missing(out);
}

int weir_crypto_from_base64(uint8_t *out, size_t room, const char *text, size_t size)
{
    (void)room, (void)text, (void)size;
    missing(out);
}
