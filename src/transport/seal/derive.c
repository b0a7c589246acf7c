/* src/transport/seal/derive.c - keys derived from keys. */
#include "seal/derive.h"
#include "core/assert.h"
#include <string.h>

#define LABEL(text) ((struct weir_bytes){ text, sizeof(text) - 1 })

static struct weir_bytes key_of(const uint8_t key[WEIR_KEY_BYTES])
{
    return (struct weir_bytes){ key, WEIR_KEY_BYTES };
}

void weir_derive_connection(uint8_t out[WEIR_KEY_BYTES], const struct weir_noise_keys *keys)
{
    const struct weir_bytes parts[3] = { LABEL("weir 4 connection"),
                                         key_of(keys->responder),
                                         { keys->hash, sizeof(keys->hash) } };
    weir_crypto_hash(out, WEIR_KEY_BYTES, key_of(keys->initiator), parts, 3);
}

void weir_derive_renewed(uint8_t out[WEIR_KEY_BYTES], const struct weir_noise_keys *keys,
                         const uint8_t before[WEIR_KEY_BYTES])
{
    const struct weir_bytes parts[4] = {
        LABEL("weir 4 renewed"), key_of(keys->responder), { keys->hash, sizeof(keys->hash) }, key_of(before)
    };
    weir_crypto_hash(out, WEIR_KEY_BYTES, key_of(keys->initiator), parts, 4);
}

void weir_derive_packet_key(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES], uint8_t direction,
                            uint64_t epoch)
{
    uint8_t use[9] = { direction };
    const struct weir_bytes parts[2] = { LABEL("weir 4 packet"), { use, sizeof(use) } };
    WEIR_ASSERT(direction <= 1);
    for (unsigned i = 0; i < 8; i++)
        use[1 + i] = (uint8_t)(epoch >> (56 - 8 * i));
    weir_crypto_hash(out, WEIR_KEY_BYTES, key_of(secret), parts, 2);
}

void weir_derive_hello_key(uint8_t out[WEIR_KEY_BYTES], const uint8_t psk[WEIR_KEY_BYTES])
{
    const struct weir_bytes label = LABEL("weir 4 hello");
    weir_crypto_hash(out, WEIR_KEY_BYTES, key_of(psk), &label, 1);
}

void weir_hello_mac(uint8_t out[WEIR_TAG_BYTES], const uint8_t hello_key[WEIR_KEY_BYTES], struct weir_bytes bytes)
{
    weir_crypto_hash(out, WEIR_TAG_BYTES, key_of(hello_key), &bytes, 1);
}

void weir_derive_fingerprint(uint8_t out[WEIR_FINGERPRINT_BYTES], const uint8_t psk[WEIR_KEY_BYTES])
{
    const struct weir_bytes label = LABEL("weir 4 fingerprint");
    uint8_t hash[WEIR_TAG_BYTES];
    weir_crypto_hash(hash, sizeof(hash), key_of(psk), &label, 1);
    memcpy(out, hash, WEIR_FINGERPRINT_BYTES);
}
