/* src/transport/seal/noise.c - NNpsk0 in the terms of the Noise specification: MixHash, MixKey, MixKeyAndHash,
 * EncryptAndHash, Split. */
#include "seal/noise.h"
#include "core/assert.h"
#include <string.h>

#define BLOCK_BYTES 128u /* of BLAKE2b */

/* Computes HMAC-BLAKE2b (RFC 2104) with a key of WEIR_HASH_BYTES or fewer bytes. */
static void hmac(uint8_t out[WEIR_HASH_BYTES], struct weir_bytes key, const struct weir_bytes data[2])
{
    uint8_t pad[BLOCK_BYTES] = { 0 }, inner[WEIR_HASH_BYTES];
    const struct weir_bytes none = { NULL, 0 }, first[3] = { { pad, sizeof(pad) }, data[0], data[1] },
                            second[2] = { { pad, sizeof(pad) }, { inner, sizeof(inner) } };
    WEIR_ASSERT(key.size <= BLOCK_BYTES);
    memcpy(pad, key.at, key.size);
    for (size_t i = 0; i < sizeof(pad); i++)
        pad[i] ^= 0x36;
    weir_crypto_hash(inner, sizeof(inner), none, first, 3);
    for (size_t i = 0; i < sizeof(pad); i++)
        pad[i] ^= 0x36 ^ 0x5c;
    weir_crypto_hash(out, WEIR_HASH_BYTES, none, second, 2);
    weir_crypto_wipe(pad, sizeof(pad));
    weir_crypto_wipe(inner, sizeof(inner));
}

/* Computes HKDF(chain, input, count) of the specification; count is 2 or 3. */
static void hkdf(const uint8_t chain[WEIR_HASH_BYTES], struct weir_bytes input, size_t count,
                 uint8_t out[3][WEIR_HASH_BYTES])
{
    uint8_t temporary[WEIR_HASH_BYTES];
    const struct weir_bytes key = { temporary, sizeof(temporary) };
    hmac(temporary, (struct weir_bytes){ chain, WEIR_HASH_BYTES }, (struct weir_bytes[2]){ input, { NULL, 0 } });
    for (size_t i = 0; i < count; i++) {
        const uint8_t number = (uint8_t)(i + 1);
        const struct weir_bytes before =
            i == 0 ? (struct weir_bytes){ NULL, 0 } : (struct weir_bytes){ out[i - 1], WEIR_HASH_BYTES };
        hmac(out[i], key, (struct weir_bytes[2]){ before, { &number, 1 } });
    }
    weir_crypto_wipe(temporary, sizeof(temporary));
}

static void mix_hash(struct weir_noise *n, const void *data, size_t size)
{
    const struct weir_bytes parts[2] = { { n->hash, sizeof(n->hash) }, { data, size } };
    weir_crypto_hash(n->hash, sizeof(n->hash), (struct weir_bytes){ NULL, 0 }, parts, 2);
}

static void use_key(struct weir_noise *n, const uint8_t key[WEIR_HASH_BYTES])
{
    memcpy(n->key, key, sizeof(n->key)); /* a hash of 64 bytes is cut to 32 */
    n->nonce = 0;
}

static void mix_key(struct weir_noise *n, const uint8_t *input, size_t size)
{
    uint8_t out[3][WEIR_HASH_BYTES];
    hkdf(n->chain, (struct weir_bytes){ input, size }, 2, out);
    memcpy(n->chain, out[0], sizeof(n->chain));
    use_key(n, out[1]);
    weir_crypto_wipe(out, sizeof(out));
}

static void mix_key_and_hash(struct weir_noise *n, const uint8_t psk[WEIR_KEY_BYTES])
{
    uint8_t out[3][WEIR_HASH_BYTES];
    hkdf(n->chain, (struct weir_bytes){ psk, WEIR_KEY_BYTES }, 3, out);
    memcpy(n->chain, out[0], sizeof(n->chain));
    mix_hash(n, out[1], sizeof(out[1]));
    use_key(n, out[2]);
    weir_crypto_wipe(out, sizeof(out));
}

/* Mixes a public key into the hash, and into the key: the token "e" of a pattern with a psk. */
static void mix_public(struct weir_noise *n, const uint8_t public_key[WEIR_KEY_BYTES])
{
    mix_hash(n, public_key, WEIR_KEY_BYTES);
    mix_key(n, public_key, WEIR_KEY_BYTES);
}

static bool mix_agreed(struct weir_noise *n)
{
    uint8_t shared[WEIR_KEY_BYTES];
    bool ok = weir_crypto_agree(shared, n->own, n->remote);
    if (ok)
        mix_key(n, shared, sizeof(shared));
    weir_crypto_wipe(shared, sizeof(shared));
    return ok;
}

void weir_noise_nonce(enum weir_cipher cipher, uint64_t number, uint8_t out[WEIR_NONCE_BYTES])
{
    memset(out, 0, WEIR_NONCE_BYTES);
    for (unsigned i = 0; i < 8; i++)
        out[4 + i] = (uint8_t)(number >> (cipher == WEIR_CIPHER_AES_GCM ? 56 - 8 * i : 8 * i));
}

static bool fail(struct weir_noise *n)
{
    weir_crypto_wipe(n, sizeof(*n));
    n->state = WEIR_NOISE_FAILED;
    return false;
}

/* Tests whether the next message is the second of the handshake. */
static bool is_second(const struct weir_noise *n)
{
    return n->state == WEIR_NOISE_SECOND;
}

void weir_noise_init(struct weir_noise *n, enum weir_cipher cipher, bool is_initiator,
                     const uint8_t psk[WEIR_KEY_BYTES], const uint8_t ephemeral[WEIR_KEY_BYTES],
                     struct weir_bytes prologue)
{
    static const char aes[] = "Noise_NNpsk0_25519_AESGCM_BLAKE2b", chacha[] = "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2b";
    _Static_assert(sizeof(chacha) - 1 <= WEIR_HASH_BYTES, "a longer name would be hashed");
    const char *name = cipher == WEIR_CIPHER_AES_GCM ? aes : chacha;
    WEIR_ASSERT(weir_crypto_has(cipher));
    memset(n, 0, sizeof(*n));
    memcpy(n->hash, name, strlen(name));
    memcpy(n->chain, n->hash, sizeof(n->chain));
    memcpy(n->own, ephemeral, sizeof(n->own));
    n->cipher = (uint8_t)cipher;
    n->state = WEIR_NOISE_FIRST;
    n->is_initiator = is_initiator;
    mix_hash(n, prologue.at, prologue.size);
    mix_key_and_hash(n, psk);
}

bool weir_noise_write(struct weir_noise *n, const void *payload, size_t size, uint8_t *out)
{
    uint8_t nonce[WEIR_NONCE_BYTES];
    WEIR_ASSERT(n->state == (n->is_initiator ? WEIR_NOISE_FIRST : WEIR_NOISE_SECOND));
    weir_crypto_public(out, n->own);
    mix_public(n, out);
    if (is_second(n) && !mix_agreed(n))
        return fail(n);
    weir_noise_nonce(n->cipher, n->nonce++, nonce);
    weir_crypto_seal(n->cipher, n->key, nonce, (struct weir_bytes){ n->hash, sizeof(n->hash) }, payload, size,
                     out + WEIR_KEY_BYTES);
    mix_hash(n, out + WEIR_KEY_BYTES, size + WEIR_TAG_BYTES);
    n->state++;
    return true;
}

bool weir_noise_read(struct weir_noise *n, const uint8_t *message, size_t size, void *out)
{
    uint8_t nonce[WEIR_NONCE_BYTES];
    WEIR_ASSERT(n->state == (n->is_initiator ? WEIR_NOISE_SECOND : WEIR_NOISE_FIRST));
    if (size < WEIR_NOISE_OVERHEAD)
        return fail(n);
    memcpy(n->remote, message, sizeof(n->remote));
    mix_public(n, n->remote);
    if (is_second(n) && !mix_agreed(n))
        return fail(n);
    weir_noise_nonce(n->cipher, n->nonce++, nonce);
    if (!weir_crypto_open(n->cipher, n->key, nonce, (struct weir_bytes){ n->hash, sizeof(n->hash) },
                          message + WEIR_KEY_BYTES, size - WEIR_KEY_BYTES, out))
        return fail(n);
    mix_hash(n, message + WEIR_KEY_BYTES, size - WEIR_KEY_BYTES);
    n->state++;
    return true;
}

void weir_noise_finish(struct weir_noise *n, struct weir_noise_keys *keys)
{
    uint8_t out[3][WEIR_HASH_BYTES];
    WEIR_ASSERT(n->state == WEIR_NOISE_DONE);
    hkdf(n->chain, (struct weir_bytes){ NULL, 0 }, 2, out);
    memcpy(keys->initiator, out[0], sizeof(keys->initiator));
    memcpy(keys->responder, out[1], sizeof(keys->responder));
    memcpy(keys->hash, n->hash, sizeof(keys->hash));
    weir_crypto_wipe(out, sizeof(out));
    weir_crypto_wipe(n, sizeof(*n));
    n->state = WEIR_NOISE_FAILED; /* no further use */
}
