/* src/transport/seal/crypto_sodium.c - the primitives, by libsodium. */
#include "core/assert.h"
#include "seal/crypto.h"
#include <sodium.h>

_Static_assert(crypto_aead_aes256gcm_KEYBYTES == WEIR_KEY_BYTES, "AES-256");
_Static_assert(crypto_aead_aes256gcm_NPUBBYTES == WEIR_NONCE_BYTES, "GCM's own length of a nonce");
_Static_assert(crypto_aead_aes256gcm_ABYTES == WEIR_TAG_BYTES, "a whole tag");
_Static_assert(crypto_aead_chacha20poly1305_ietf_KEYBYTES == WEIR_KEY_BYTES, "as AES-256");
_Static_assert(crypto_aead_chacha20poly1305_ietf_NPUBBYTES == WEIR_NONCE_BYTES, "as GCM");
_Static_assert(crypto_aead_chacha20poly1305_ietf_ABYTES == WEIR_TAG_BYTES, "as GCM");
_Static_assert(crypto_generichash_BYTES_MAX == WEIR_HASH_BYTES, "BLAKE2b");
_Static_assert(crypto_scalarmult_BYTES == WEIR_KEY_BYTES, "X25519");
_Static_assert(sodium_base64_ENCODED_LEN(WEIR_KEY_BYTES, sodium_base64_VARIANT_ORIGINAL) == WEIR_BASE64_BYTES + 1,
               "a key in base64");

bool weir_crypto_ready(void)
{
    return sodium_init() >= 0; /* 1: it was prepared before */
}

bool weir_crypto_has(enum weir_cipher cipher)
{
    if (!weir_crypto_ready()) /* before that libsodium does not know the processor */
        return false;
    return cipher == WEIR_CIPHER_CHACHA || (cipher == WEIR_CIPHER_AES_GCM && crypto_aead_aes256gcm_is_available() == 1);
}

/* Schedules the key anew for each packet, so that a peer takes 32 bytes and not the 512 of a schedule. */
void weir_crypto_seal(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *plain, size_t size, void *out)
{
    unsigned long long written = 0;
    int failed;
    if (cipher == WEIR_CIPHER_AES_GCM)
        failed =
            crypto_aead_aes256gcm_encrypt(out, &written, plain, size, associated.at, associated.size, NULL, nonce, key);
    else
        failed = crypto_aead_chacha20poly1305_ietf_encrypt(out, &written, plain, size, associated.at, associated.size,
                                                           NULL, nonce, key);
    WEIR_ASSERT(failed == 0); /* else the packet would leave in plain text */
    WEIR_CHECK(written == size + WEIR_TAG_BYTES);
}

bool weir_crypto_open(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *sealed, size_t size, void *out)
{
    unsigned long long written = 0;
    if (size < WEIR_TAG_BYTES)
        return false;
    if (cipher == WEIR_CIPHER_AES_GCM)
        return crypto_aead_aes256gcm_decrypt(out, &written, NULL, sealed, size, associated.at, associated.size, nonce,
                                             key) == 0;
    return crypto_aead_chacha20poly1305_ietf_decrypt(out, &written, NULL, sealed, size, associated.at, associated.size,
                                                     nonce, key) == 0;
}

void weir_crypto_hash(void *out, size_t out_bytes, struct weir_bytes key, const struct weir_bytes *parts, size_t count)
{
    crypto_generichash_state state;
    int failed = crypto_generichash_init(&state, key.at, key.size, out_bytes);
    for (size_t i = 0; i < count; i++)
        failed |= crypto_generichash_update(&state, parts[i].at, parts[i].size);
    failed |= crypto_generichash_final(&state, out, out_bytes);
    WEIR_ASSERT(failed == 0);
    sodium_memzero(&state, sizeof(state));
}

void weir_crypto_public(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES])
{
    int failed = crypto_scalarmult_base(out, secret);
    WEIR_ASSERT(failed == 0);
}

bool weir_crypto_agree(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES],
                       const uint8_t public_key[WEIR_KEY_BYTES])
{
    return crypto_scalarmult(out, secret, public_key) == 0;
}

void weir_crypto_random(void *out, size_t size)
{
    randombytes_buf(out, size);
}

void weir_crypto_wipe(void *secret, size_t size)
{
    sodium_memzero(secret, size);
}

bool weir_crypto_equal(const void *a, const void *b, size_t size)
{
    return sodium_memcmp(a, b, size) == 0;
}

void weir_crypto_to_base64(char out[WEIR_BASE64_BYTES + 1], const uint8_t key[WEIR_KEY_BYTES])
{
    (void)sodium_bin2base64(out, WEIR_BASE64_BYTES + 1, key, WEIR_KEY_BYTES, sodium_base64_VARIANT_ORIGINAL);
}

int weir_crypto_from_base64(uint8_t *out, size_t room, const char *text, size_t size)
{
    size_t written = 0;
    const char *end = NULL;
    if (sodium_base642bin(out, room, text, size, NULL, &written, &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
        end != text + size)
        return -1;
    WEIR_ASSERT(written <= room);
    return (int)written;
}
