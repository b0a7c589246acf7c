/* src/transport/seal/derive.h - keys derived from keys: keyed BLAKE2b of a label and of what the key is for.
 *
 *     connection secret = BLAKE2b-256(key K1, "weir 4 connection" | K2 | H)   K1, K2, H: struct weir_noise_keys
 *     .. when re-keyed  = BLAKE2b-256(key K1, "weir 4 renewed" | K2 | H | the secret before)
 *     packet key        = BLAKE2b-256(key connection secret, "weir 4 packet" | direction 8 | epoch 64)
 *     HELLO key         = BLAKE2b-256(key pre-shared key, "weir 4 hello")
 *     HELLO MAC         = BLAKE2b-128(key HELLO key, the bytes)
 *     fingerprint       = BLAKE2b-128(key pre-shared key, "weir 4 fingerprint"), the first 64 bits
 *
 * Numbers are big-endian. Labels have no 0 at the end, and none begins another. */
#ifndef WEIR_SEAL_DERIVE_H
#define WEIR_SEAL_DERIVE_H
#include "seal/noise.h"

#define WEIR_FINGERPRINT_BYTES 8u

/* Derives the secret of a connection from what its handshake yields: the transcript is part of it. */
void weir_derive_connection(uint8_t out[WEIR_KEY_BYTES], const struct weir_noise_keys *keys);
/* Derives the secret that replaces one of the same connection: only who knows that one knows this. */
void weir_derive_renewed(uint8_t out[WEIR_KEY_BYTES], const struct weir_noise_keys *keys,
                         const uint8_t before[WEIR_KEY_BYTES]);
/* Derives the key of the packets of one epoch. direction: 0 = from the initiator, 1 = from the responder. */
void weir_derive_packet_key(uint8_t out[WEIR_KEY_BYTES], const uint8_t secret[WEIR_KEY_BYTES], uint8_t direction,
                            uint64_t epoch);
/* Derives the key of weir_hello_mac() from a pre-shared key. */
void weir_derive_hello_key(uint8_t out[WEIR_KEY_BYTES], const uint8_t psk[WEIR_KEY_BYTES]);
/* Computes the MAC of a HELLO, OPEN or READY. A receiver compares it before any X25519, by weir_crypto_equal():
 * it costs a stranger more to send a packet than us to drop it. */
void weir_hello_mac(uint8_t out[WEIR_TAG_BYTES], const uint8_t hello_key[WEIR_KEY_BYTES], struct weir_bytes bytes);
/* Derives a number by which people compare keys without seeing them. */
void weir_derive_fingerprint(uint8_t out[WEIR_FINGERPRINT_BYTES], const uint8_t psk[WEIR_KEY_BYTES]);
#endif
