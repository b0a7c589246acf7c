/* src/transport/seal/packet.c - seals and opens datagrams. */
#include "seal/packet.h"
#include "core/assert.h"
#include "seal/derive.h"
#include <string.h>

#define COUNTER_AT 8u /* after the area and the token */

static uint64_t epoch_of(uint64_t counter)
{
    return counter >> WEIR_SEAL_EPOCH_BITS;
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value = value << 8 | at[i];
    return value;
}

static void put_u64(uint8_t *at, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (56 - 8 * i));
}

/* Takes the nonce from a datagram. head: its token, behind the area. */
static void make_nonce(uint8_t nonce[WEIR_NONCE_BYTES], const uint8_t *bytes, const uint8_t *head)
{
    memcpy(nonce, bytes, WEIR_SEAL_FIXED_BYTES);
    memcpy(nonce + WEIR_SEAL_FIXED_BYTES, head + COUNTER_AT, 8);
}

void weir_seal_init(struct weir_seal *s, enum weir_protection protection, enum weir_cipher cipher, bool is_initiator,
                    const uint8_t secret[WEIR_KEY_BYTES], uint64_t *seen, uint32_t pkts)
{
    WEIR_ASSERT(protection == WEIR_PROTECT_MAC || protection == WEIR_PROTECT_AEAD);
    WEIR_ASSERT(weir_crypto_has(cipher));
    memset(s, 0, sizeof(*s));
    memcpy(s->secret, secret, sizeof(s->secret));
    s->protection = (uint8_t)protection;
    s->cipher = (uint8_t)cipher;
    s->direction = is_initiator ? 0 : 1;
    weir_derive_packet_key(s->tx_key, secret, s->direction, 0);
    weir_derive_packet_key(s->rx_key[0], secret, s->direction ^ 1, 0);
    weir_replay_init(&s->replay, seen, pkts);
}

void weir_seal_wipe(struct weir_seal *s)
{
    weir_crypto_wipe(s, sizeof(*s));
}

void weir_seal_packet(struct weir_seal *s, uint8_t *bytes, const struct weir_seal_range *range, const void *payload)
{
    uint8_t *head = bytes + WEIR_SEAL_FIXED_BYTES + range->area_bytes, *body = bytes + range->head_end;
    uint32_t body_bytes = range->end - range->head_end;
    uint8_t nonce[WEIR_NONCE_BYTES];
    WEIR_CHECK(range->head_end >= WEIR_SEAL_FIXED_BYTES + range->area_bytes + WEIR_SEAL_HEAD_MIN);
    WEIR_CHECK(range->end >= range->head_end);
    WEIR_ASSERT(s->tx_counter < UINT64_MAX);
    s->tx_counter++;
    if (epoch_of(s->tx_counter) != epoch_of(s->tx_counter - 1))
        weir_derive_packet_key(s->tx_key, s->secret, s->direction, epoch_of(s->tx_counter));
    put_u64(head + COUNTER_AT, s->tx_counter);
    make_nonce(nonce, bytes, head);
    if (s->protection == WEIR_PROTECT_AEAD) {
        weir_crypto_seal(s->cipher, s->tx_key, nonce, (struct weir_bytes){ head, (size_t)(body - head) }, payload,
                         body_bytes, body);
        return;
    }
    if (payload != body && body_bytes > 0)
        memcpy(body, payload, body_bytes);
    weir_crypto_seal(s->cipher, s->tx_key, nonce, (struct weir_bytes){ head, (size_t)(body - head) + body_bytes },
                     bytes + range->end, 0, bytes + range->end);
}

/* Tests what needs no key. */
static enum weir_opened test_counter(const struct weir_seal *s, uint64_t counter)
{
    enum weir_replay_answer answer = weir_replay_test(&s->replay, counter);
    if (answer == WEIR_REPLAY_NEW) /* whatever is in the window is of the present epoch or of the last */
        return epoch_of(counter) > epoch_of(s->replay.top) + 1 ? WEIR_OPEN_EPOCH : WEIR_OPENED;
    return answer == WEIR_REPLAY_OLD ? WEIR_OPEN_OLD : WEIR_OPEN_REPEATED;
}

static bool open_by(const struct weir_seal *s, const uint8_t key[WEIR_KEY_BYTES], uint8_t *bytes, uint32_t size,
                    uint32_t area_bytes, uint32_t head_end)
{
    uint8_t *head = bytes + WEIR_SEAL_FIXED_BYTES + area_bytes, nonce[WEIR_NONCE_BYTES];
    uint32_t sealed_at = s->protection == WEIR_PROTECT_AEAD ? head_end : size - WEIR_TAG_BYTES;
    make_nonce(nonce, bytes, head);
    return weir_crypto_open(s->cipher, key, nonce, (struct weir_bytes){ head, (size_t)(bytes + sealed_at - head) },
                            bytes + sealed_at, size - sealed_at, bytes + sealed_at);
}

/* Opens a datagram of the epoch after the present one, which then is the present one. */
static bool open_next(struct weir_seal *s, uint64_t epoch, uint8_t *bytes, uint32_t size, uint32_t area_bytes,
                      uint32_t head_end)
{
    uint8_t key[WEIR_KEY_BYTES];
    bool ok;
    weir_derive_packet_key(key, s->secret, s->direction ^ 1, epoch);
    ok = open_by(s, key, bytes, size, area_bytes, head_end);
    if (ok) {
        memcpy(s->rx_key[epoch & 1], key, sizeof(key));
        s->failed = 0;
    }
    weir_crypto_wipe(key, sizeof(key));
    return ok;
}

static enum weir_opened open_packet(struct weir_seal *s, uint8_t *bytes, uint32_t size, uint32_t area_bytes,
                                    uint32_t head_end)
{
    enum weir_opened result;
    uint64_t counter;
    bool ok;
    if (size < (uint64_t)head_end + WEIR_TAG_BYTES)
        return WEIR_OPEN_SHORT;
    counter = get_u64(bytes + WEIR_SEAL_FIXED_BYTES + area_bytes + COUNTER_AT);
    result = test_counter(s, counter);
    if (result != WEIR_OPENED)
        return result;
    if (epoch_of(counter) > epoch_of(s->replay.top))
        ok = open_next(s, epoch_of(counter), bytes, size, area_bytes, head_end);
    else
        ok = open_by(s, s->rx_key[epoch_of(counter) & 1], bytes, size, area_bytes, head_end);
    if (!ok) {
        s->failed += s->failed < WEIR_SEAL_FAILED_MAX;
        return WEIR_OPEN_FORGED;
    }
    weir_replay_note(&s->replay, counter);
    return WEIR_OPENED;
}

enum weir_opened weir_seal_open(struct weir_seal *s, uint8_t *bytes, uint32_t size, uint32_t area_bytes,
                                uint32_t head_end, uint64_t *counts)
{
    enum weir_opened result;
    WEIR_CHECK(head_end >= WEIR_SEAL_FIXED_BYTES + area_bytes + WEIR_SEAL_HEAD_MIN);
    result = open_packet(s, bytes, size, area_bytes, head_end);
    counts[result]++;
    return result;
}
