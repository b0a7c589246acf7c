/* src/transport/seal/noise.h - the handshake Noise_NNpsk0_25519_AESGCM_BLAKE2b, or with ChaChaPoly.
 * Source: Perrin, "The Noise Protocol Framework", revision 34 (2018), https://noiseprotocol.org/noise.html.
 *
 *     initiator -> responder:  psk, e        public key, payload, tag
 *     responder -> initiator:  e, ee         public key, payload, tag
 *
 * Both know a key in advance. Each makes an X25519 key pair for this handshake alone, so who learns the common key
 * later cannot decrypt what was recorded. A payload is encrypted and authenticated, with all that went before.
 * Calls of the initiator: init, write, read, finish; of the responder: init, read, write, finish. */
#ifndef WEIR_SEAL_NOISE_H
#define WEIR_SEAL_NOISE_H
#include "seal/crypto.h"

#define WEIR_NOISE_OVERHEAD (WEIR_KEY_BYTES + WEIR_TAG_BYTES) /* of each of the two messages, besides its payload */

enum weir_noise_state { WEIR_NOISE_FIRST, WEIR_NOISE_SECOND, WEIR_NOISE_DONE, WEIR_NOISE_FAILED };

struct weir_noise {                /* one handshake; secret, and wiped when it ends or fails */
    uint8_t hash[WEIR_HASH_BYTES]; /* h: of all that was sent */
    uint8_t chain[WEIR_HASH_BYTES];
    uint8_t key[WEIR_KEY_BYTES];
    uint8_t own[WEIR_KEY_BYTES];    /* the own secret key */
    uint8_t remote[WEIR_KEY_BYTES]; /* the public key of the other end */
    uint64_t nonce;
    uint8_t cipher; /* enum weir_cipher */
    uint8_t state;  /* enum weir_noise_state */
    bool is_initiator;
};

struct weir_noise_keys {               /* what a completed handshake yields; the same at both ends */
    uint8_t initiator[WEIR_KEY_BYTES]; /* of what the initiator sends; Noise's Split() */
    uint8_t responder[WEIR_KEY_BYTES];
    uint8_t hash[WEIR_HASH_BYTES]; /* of the transcript; no secret */
};

/**
 * Begins a handshake.
 * @param ephemeral  secret X25519 key of this handshake alone: random bytes; copied
 * @param prologue   what both ends must agree on, and is not sent by Noise; hashed
 */
void weir_noise_init(struct weir_noise *n, enum weir_cipher cipher, bool is_initiator,
                     const uint8_t psk[WEIR_KEY_BYTES], const uint8_t ephemeral[WEIR_KEY_BYTES],
                     struct weir_bytes prologue);

/* Writes the next message to out, which has room for size + WEIR_NOISE_OVERHEAD bytes. payload must not overlap it.
 * @return false if the other end's public key is not usable: the handshake has failed */
bool weir_noise_write(struct weir_noise *n, const void *payload, size_t size, uint8_t *out);

/* Reads a received message of `size` bytes, and writes its payload of size - WEIR_NOISE_OVERHEAD bytes. out must not
 * overlap the message. @return false if it is not of an end that has the key and the same prologue: the handshake has
 * failed */
bool weir_noise_read(struct weir_noise *n, const uint8_t *message, size_t size, void *out);

/* Derives the keys, after both messages, and wipes the handshake. */
void weir_noise_finish(struct weir_noise *n, struct weir_noise_keys *keys);

/* Writes the nonce that Noise has for a number: four zeros, then 64 bits, in the byte order of the cipher. */
void weir_noise_nonce(enum weir_cipher cipher, uint64_t number, uint8_t out[WEIR_NONCE_BYTES]);
#endif
