/* src/transport/seal/crypto.h - the primitives: two ciphers that authenticate, BLAKE2b, X25519, random bytes.
 *
 * crypto_sodium.c takes all of them from libsodium and is the only file that includes it. A build without libsodium has
 * crypto_none.c instead: there weir_crypto_ready() returns false, and no other function may be called.
 * No function takes memory of the heap. Any number of threads may call them after weir_crypto_ready(). */
#ifndef WEIR_SEAL_CRYPTO_H
#define WEIR_SEAL_CRYPTO_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_KEY_BYTES 32u    /* of a symmetric key, and of both kinds of X25519 key */
#define WEIR_NONCE_BYTES 12u  /* of both ciphers */
#define WEIR_TAG_BYTES 16u    /* what sealing adds at the end */
#define WEIR_HASH_BYTES 64u   /* longest BLAKE2b */
#define WEIR_BASE64_BYTES 44u /* a key in base64, without the 0 at the end */

/* The values are sent in handshakes. */
enum weir_cipher {
    WEIR_CIPHER_AES_GCM = 1, /* AES-256-GCM, if the processor has the instructions */
    WEIR_CIPHER_CHACHA = 2,  /* ChaCha20-Poly1305 as in RFC 8439; runs everywhere */
};

struct weir_bytes { /* a part of what is hashed; lent for the call */
    const void *at;
    size_t size;
};

/* Prepares the library, once. @return false if this build or this machine has no cryptography */
bool weir_crypto_ready(void);
/* Tests whether this build and this processor can use a cipher. */
bool weir_crypto_has(enum weir_cipher cipher);

/**
 * Encrypts `size` bytes of `plain` to `out`, and appends a tag over them and the associated data.
 * @param out  size + WEIR_TAG_BYTES bytes; may be `plain`, else they must not overlap
 */
void weir_crypto_seal(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *plain, size_t size, void *out);
/**
 * Verifies the tag, which is the last WEIR_TAG_BYTES of the `size` bytes at `sealed`, and decrypts what is before it.
 * @param out  size - WEIR_TAG_BYTES bytes, undefined after a failure; may be `sealed`, else they must not overlap
 * @return false if the tag is wrong, or size < WEIR_TAG_BYTES
 */
bool weir_crypto_open(enum weir_cipher cipher, const uint8_t key[WEIR_KEY_BYTES], const uint8_t nonce[WEIR_NONCE_BYTES],
                      struct weir_bytes associated, const void *sealed, size_t size, void *out);

/* Computes BLAKE2b of the parts, one after the other, as out_bytes bytes (16 .. 64). key: 0 or 16 .. 64 bytes; with a
 * key it is a MAC. */
void weir_crypto_hash(void *out, size_t out_bytes, struct weir_bytes key, const struct weir_bytes *parts, size_t count);

/* Computes the public key of a secret X25519 key. */
void weir_crypto_public(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES]);
/* Computes the shared secret of X25519. @return false if the public key is one of the few that give a secret of
 * zeros */
bool weir_crypto_agree(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES],
                       const uint8_t public_key[WEIR_KEY_BYTES]);

/* Fills memory with random bytes of the kernel. */
void weir_crypto_random(void *out, size_t size);
/* Overwrites a secret, so that the compiler cannot leave it out. */
void weir_crypto_wipe(void *secret, size_t size);
/* Compares in a time that does not depend on the bytes. */
bool weir_crypto_equal(const void *a, const void *b, size_t size);

/* Writes a key in base64, with a 0 at the end. */
void weir_crypto_to_base64(char out[WEIR_BASE64_BYTES + 1], const uint8_t key[WEIR_KEY_BYTES]);
/* Reads base64 with its padding: no other character, and no bits that are left over.
 * @return bytes written to out; -1 = it is not base64, or more than room */
int weir_crypto_from_base64(uint8_t *out, size_t room, const char *text, size_t size);
#endif
