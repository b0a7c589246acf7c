/* src/transport/endpoint/agree.c - see agree.h.
 *
 * The prologue has what HELLO and OPEN say, so a change of it makes the other end's tag wrong. What READY says is its
 * payload, encrypted, besides being there in plain text. So both ends know that they have read the same. */
#include "endpoint/agree.h"
#include "endpoint/shake_tx.h"
#include "seal/derive.h"
#include <errno.h>
#include <string.h>

#define LABEL "weir 4 offer"
enum { PROLOGUE_BYTES = sizeof(LABEL) - 1 + 8 + 8 + 3 + WEIR_WIRE_KEYED_LAW_MAX };

static unsigned char *put(unsigned char *to, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        to[i] = (unsigned char)(value >> (8 * (bytes - 1 - i)));
    return to + bytes;
}

/* Writes what a HELLO or OPEN says, but for the cookie and the Noise message. @return its length */
static size_t make_prologue(const struct weir_wire_handshake *offer, unsigned char out[PROLOGUE_BYTES])
{
    unsigned char *at = out + sizeof(LABEL) - 1;
    memcpy(out, LABEL, sizeof(LABEL) - 1);
    WEIR_ASSERT(offer->law_bytes <= WEIR_WIRE_KEYED_LAW_MAX);
    at = put(at, offer->token & ~WEIR_TAG_MASK, 8); /* the tag may change between HELLO and OPEN */
    at = put(at, offer->version, 1);
    at = put(at, offer->protection, 1);
    at = put(at, offer->ports, 1);
    at = put(at, offer->cipher, 1);
    at = put(at, offer->mss_bytes, 2);
    at = put(at, offer->law_bytes, 2);
    at = put(at, offer->key_number, 2);
    at = put(at, offer->key_phase, 1);
    if (offer->law_bytes > 0)
        memcpy(at, offer->law, offer->law_bytes);
    WEIR_ASSERT((size_t)(at - out) + offer->law_bytes <= PROLOGUE_BYTES);
    return (size_t)(at - out) + offer->law_bytes;
}

static void begin_noise(struct weir_noise *n, const struct weir_wire_handshake *offer, bool is_initiator,
                        const uint8_t psk[WEIR_KEY_BYTES])
{
    unsigned char prologue[PROLOGUE_BYTES];
    uint8_t ephemeral[WEIR_KEY_BYTES];
    size_t size = make_prologue(offer, prologue);
    weir_crypto_random(ephemeral, sizeof(ephemeral));
    weir_noise_init(n, offer->cipher, is_initiator, psk, ephemeral, (struct weir_bytes){ prologue, size });
    weir_crypto_wipe(ephemeral, sizeof(ephemeral));
}

/* Derives the secret of a connection, and wipes the handshake. phase: of the secret; from 1 on it replaces that of
 * peer->seal */
static void end_noise(struct weir_noise *n, const struct weir_peer *p, uint8_t phase, uint8_t secret[WEIR_KEY_BYTES])
{
    struct weir_noise_keys keys;
    weir_noise_finish(n, &keys);
    WEIR_ASSERT(phase == 0 || p->seal != NULL);
    if (phase == 0)
        weir_derive_connection(secret, &keys);
    else
        weir_derive_renewed(secret, &keys, p->seal->seal.secret);
    weir_crypto_wipe(&keys, sizeof(keys));
}

/* Makes the seal of a connection. @return NULL = the heap has no more */
static struct ep_seal *make_seal(struct weir_ep *ep, uint8_t cipher, bool is_initiator,
                                 const uint8_t secret[WEIR_KEY_BYTES])
{
    struct ep_seal *s = ep_keys_take(ep, EP_SECRET_SEAL);
    if (s != NULL)
        weir_seal_init(&s->seal, ep->protection, cipher, is_initiator, secret, s->seen, ep->replay_pkts);
    return s;
}

bool ep_agree_counts(const struct weir_peer *p, uint64_t remote_token)
{
    WEIR_ASSERT(!ep_same_token(p->own_token, remote_token));
    return (p->own_token & ~WEIR_TAG_MASK) > (remote_token & ~WEIR_TAG_MASK);
}

int ep_agree_begin(struct weir_ep *ep, struct weir_peer *p, const struct weir_key *key, uint8_t cipher, uint8_t phase)
{
    struct weir_wire_handshake offer = ep_shake_offer(ep, WEIR_WIRE_HELLO, p->own_token);
    if (p->opening == NULL)
        p->opening = ep_keys_take(ep, EP_SECRET_OPENING);
    if (p->opening == NULL)
        return -ENOMEM;
    p->opening->key_number = offer.key_number = key->number;
    p->opening->phase = offer.key_phase = phase;
    offer.cipher = cipher;
    begin_noise(&p->opening->noise, &offer, true, key->bytes);
    bool written = weir_noise_write(&p->opening->noise, NULL, 0, p->opening->message);
    WEIR_ASSERT(written); /* the first message depends on no other end */
    return 0;
}

/* Reads the Noise message of an OPEN, and writes that of the READY. @return false = the OPEN is not of somebody who has
 * the key */
static bool answer_noise(struct weir_noise *n, const struct weir_wire_handshake *open,
                         const struct weir_wire_handshake *ready, unsigned char out[WEIR_WIRE_NOISE_END_BYTES])
{
    unsigned char agreed[WEIR_WIRE_AGREED_BYTES];
    weir_wire_agreed(ready, agreed);
    return weir_noise_read(n, open->noise, WEIR_WIRE_NOISE_BYTES, out) &&
           weir_noise_write(n, agreed, sizeof(agreed), out);
}

uint64_t ep_agree_id(const struct weir_wire_handshake *open)
{
    uint64_t id;
    WEIR_ASSERT(open->noise != NULL);
    memcpy(&id, open->noise, sizeof(id));
    return id;
}

struct ep_pending *ep_agree_find(const struct weir_peer *p, const struct weir_wire_handshake *open)
{
    struct ep_pending *at = p->pending;
    while (at != NULL && !(ep_same_token(at->remote_token, open->token) && at->open_id == ep_agree_id(open)))
        at = at->next;
    return at;
}

/* Returns where the last handshake of the list hangs, if the list is full; else NULL. */
static struct ep_pending **last_of_full(struct weir_peer *p)
{
    struct ep_pending **link = &p->pending;
    uint32_t count = 0;
    if (*link == NULL)
        return NULL;
    for (count = 1; (*link)->next != NULL; count++)
        link = &(*link)->next;
    WEIR_ASSERT(count <= EP_PENDING_MAX);
    return count == EP_PENDING_MAX ? link : NULL;
}

/* Takes a record for a handshake, in place of the oldest if there are too many. Who replays OPENs must not displace one
 * that is about to be confirmed. @return 0, -EBUSY or -ENOMEM */
static int take_pending(struct weir_ep *ep, struct weir_peer *p, struct ep_pending **out)
{
    struct ep_pending **last = last_of_full(p);
    if (last != NULL && ep->now_ps - (*last)->since_ps < EP_PENDING_PS)
        return -EBUSY;
    if (last != NULL) {
        ep_keys_give(ep, EP_SECRET_PENDING, *last);
        *last = NULL;
    }
    *out = ep_keys_take(ep, EP_SECRET_PENDING);
    return *out != NULL ? 0 : -ENOMEM;
}

int ep_agree_answer(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *open,
                    const struct weir_key *key)
{
    struct ep_pending *pending = NULL;
    struct weir_wire_handshake ready = ep_shake_ready(ep, open->token, p->own_token);
    unsigned char message[WEIR_WIRE_NOISE_END_BYTES];
    struct weir_noise n;
    uint32_t bytes;
    int code;
    WEIR_ASSERT(open->type == WEIR_WIRE_OPEN && open->noise != NULL);
    WEIR_ASSERT(p->seal == NULL || p->state == EP_PEER_UP);
    ready.cipher = open->cipher;
    ready.key_number = key->number;
    ready.key_phase = open->key_phase;
    begin_noise(&n, open, false, key->bytes);
    if (!answer_noise(&n, open, &ready, message))
        return -EBADMSG;
    code = take_pending(ep, p, &pending);
    if (code < 0) {
        weir_crypto_wipe(&n, sizeof(n));
        return code;
    }
    end_noise(&n, p, open->key_phase, pending->secret);
    pending->remote_token = open->token;
    pending->own_token = p->own_token;
    pending->open_id = ep_agree_id(open);
    pending->since_ps = ep->now_ps;
    pending->cipher = open->cipher;
    pending->ports = open->ports;
    pending->phase = open->key_phase;
    pending->key_number = key->number;
    memcpy(pending->name, key->name, sizeof(key->name));
    ready.noise = message;
    bytes = ep_shake_encode(ep, &ready, pending->ready, sizeof(pending->ready));
    WEIR_ASSERT(bytes == sizeof(pending->ready));
    pending->next = p->pending;
    p->pending = pending;
    return 0;
}

/* Reads the Noise message of a READY, in a copy of the handshake, which is left as it is if READY is not its answer.
 * @return false = it is not */
static bool complete_noise(struct weir_noise *n, const struct weir_wire_handshake *ready)
{
    unsigned char agreed[WEIR_WIRE_AGREED_BYTES], must[WEIR_WIRE_AGREED_BYTES];
    weir_wire_agreed(ready, must);
    return weir_noise_read(n, ready->noise, WEIR_WIRE_NOISE_END_BYTES, agreed) &&
           memcmp(agreed, must, sizeof(agreed)) == 0;
}

int ep_agree_complete(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *ready,
                      struct ep_seal **out)
{
    struct weir_noise n = p->opening->noise;
    uint8_t secret[WEIR_KEY_BYTES], cipher = n.cipher;
    const struct weir_key *key = weir_keys_find(&ep->keys->file, p->opening->key_number);
    WEIR_ASSERT(key != NULL && p->opening->phase == ready->key_phase);
    if (!complete_noise(&n, ready)) {
        weir_crypto_wipe(&n, sizeof(n));
        return -EBADMSG;
    }
    end_noise(&n, p, ready->key_phase, secret);
    *out = make_seal(ep, cipher, true, secret);
    weir_crypto_wipe(secret, sizeof(secret));
    if (*out == NULL)
        return -ENOMEM;
    (*out)->key_number = key->number;
    (*out)->phase = ready->key_phase;
    memcpy((*out)->name, key->name, sizeof(key->name));
    return 0;
}

struct ep_seal *ep_agree_seal(struct weir_ep *ep, const struct ep_pending *pending)
{
    struct ep_seal *s = make_seal(ep, pending->cipher, false, pending->secret);
    if (s == NULL)
        return NULL;
    s->key_number = pending->key_number;
    s->phase = pending->phase;
    memcpy(s->name, pending->name, sizeof(s->name));
    return s;
}

void ep_agree_settle(struct weir_ep *ep, struct weir_peer *p)
{
    if (ep->keys == NULL)
        return;
    ep_keys_give(ep, EP_SECRET_OPENING, p->opening);
    p->opening = NULL;
    while (p->pending != NULL) {
        struct ep_pending *next = p->pending->next;
        ep_keys_give(ep, EP_SECRET_PENDING, p->pending);
        p->pending = next;
    }
}

void ep_agree_forget(struct weir_ep *ep, struct weir_peer *p)
{
    if (ep->keys == NULL)
        return;
    ep_agree_settle(ep, p);
    if (p->rekey != NULL) {
        ep_keys_give(ep, EP_SECRET_SEAL, p->rekey->next);
        ep_keys_give(ep, EP_SECRET_SEAL, p->rekey->last);
        ep_keys_give(ep, EP_SECRET_REKEY, p->rekey);
    }
    ep_keys_give(ep, EP_SECRET_PATH, p->path);
    p->rekey = NULL;
    p->path = NULL;
    ep_keys_give(ep, EP_SECRET_SEAL, p->seal);
    p->seal = NULL;
}
