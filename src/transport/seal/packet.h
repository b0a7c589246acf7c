/* src/transport/seal/packet.h - the protection of the packets of a connection: keys, counters, tags.
 *
 *     bytes 0..3 | switch area | token 64, counter 64, rest of the head | payload | tag 128
 *     nonce: bytes 0..3, then the counter as it is sent
 *     mac:   token .. payload is associated data
 *     aead:  token .. rest of the head is associated data; the payload is encrypted
 *
 * So all is authenticated but what is in the area, whose kind and length are in bytes 0..3. The key is one of the
 * connection, of the direction, and of the epoch, which is counter >> WEIR_SEAL_EPOCH_BITS.
 *
 * A receiver keeps the keys of the present epoch and of the last. It derives a key for a packet of the next epoch, and
 * keeps it if the tag is right. No function takes memory. */
#ifndef WEIR_SEAL_PACKET_H
#define WEIR_SEAL_PACKET_H
#include "seal/crypto.h"
#include "seal/replay.h"

#define WEIR_SEAL_EPOCH_BITS 22u
#define WEIR_SEAL_FAILED_MAX (1u << 20) /* wrong tags in an epoch after which the connection needs a new handshake */
#define WEIR_SEAL_PKTS_MAX (UINT64_C(1) << 62) /* packets of one direction after which it needs one, too */
#define WEIR_SEAL_FIXED_BYTES 4u               /* bytes 0..3, before the area */
#define WEIR_SEAL_HEAD_MIN 16u                 /* token and counter, after the area */

/* The values are sent in handshakes. */
enum weir_protection { WEIR_PROTECT_NONE = 0, WEIR_PROTECT_MAC = 1, WEIR_PROTECT_AEAD = 2 };

enum weir_opened { /* of weir_seal_open(); an index of its counts */
                   WEIR_OPENED,
                   WEIR_OPEN_SHORT,    /* too short for the area, its head and a tag */
                   WEIR_OPEN_REPEATED, /* its counter has arrived before */
                   WEIR_OPEN_OLD,      /* its counter is before the window: a loss */
                   WEIR_OPEN_EPOCH,    /* its counter is two or more epochs away from all that has arrived */
                   WEIR_OPEN_FORGED,   /* its tag is wrong */
                   WEIR_OPEN_RESULTS
};

struct weir_seal { /* one connection; secret */
    uint8_t secret[WEIR_KEY_BYTES];
    uint8_t tx_key[WEIR_KEY_BYTES];
    uint8_t rx_key[2][WEIR_KEY_BYTES]; /* of the present and the last epoch, at index epoch modulo 2 */
    uint64_t tx_counter;               /* of the last sealed packet; 0 = none */
    struct weir_replay replay;
    uint32_t failed;    /* wrong tags since the present epoch of the receiver began; at most WEIR_SEAL_FAILED_MAX */
    uint8_t protection; /* enum weir_protection, not WEIR_PROTECT_NONE */
    uint8_t cipher;     /* enum weir_cipher */
    uint8_t direction;  /* of what is sent: 0 = this is the initiator */
};
_Static_assert(sizeof(struct weir_seal) <= 168, "with the smallest window 296 B per peer");

struct weir_seal_range { /* where the parts of a datagram are */
    uint32_t area_bytes; /* of the switch area, which begins at WEIR_SEAL_FIXED_BYTES */
    uint32_t head_end;   /* where the payload begins; at least 20 + area_bytes */
    uint32_t end;        /* where it ends, and the tag begins */
};

/* Begins the protection of a connection. seen: WEIR_REPLAY_U64S(pkts) numbers; see replay.h. */
void weir_seal_init(struct weir_seal *s, enum weir_protection protection, enum weir_cipher cipher, bool is_initiator,
                    const uint8_t secret[WEIR_KEY_BYTES], uint64_t *seen, uint32_t pkts);

/* Wipes the keys. */
void weir_seal_wipe(struct weir_seal *s);

/**
 * Seals a datagram: takes the next counter, writes it behind the token, and the tag to bytes[end ..]. A counter is
 * never given back: what cannot be sent is sent later as it is, or dropped.
 * @param bytes    room for end + WEIR_TAG_BYTES; all but the counter and the payload is written
 * @param payload  end - head_end bytes, elsewhere or at bytes + head_end, where they are afterwards, as protected
 */
void weir_seal_packet(struct weir_seal *s, uint8_t *bytes, const struct weir_seal_range *range, const void *payload);

/**
 * Verifies a received datagram, and decrypts its payload where it is. Nothing that the datagram has is to be believed
 * before: area_bytes and head_end must be within the bounds of the format, and need not fit in the datagram.
 * @param size    of the datagram, with the tag
 * @param counts  WEIR_OPEN_RESULTS counts; that of the result is increased
 * @return WEIR_OPENED, or why it is refused: then s is as before, but for `failed`, and the payload is undefined
 */
enum weir_opened weir_seal_open(struct weir_seal *s, uint8_t *bytes, uint32_t size, uint32_t area_bytes,
                                uint32_t head_end, uint64_t *counts);

/* Tests whether so many wrong tags came in this epoch that the connection needs a new handshake. */
static inline bool weir_seal_is_worn(const struct weir_seal *s)
{
    return s->failed >= WEIR_SEAL_FAILED_MAX;
}
#endif
