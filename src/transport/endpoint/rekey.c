/* src/transport/endpoint/rekey.c - see rekey.h. doc/protection.md explains it to users.
 *
 * The end that wants another secret sends OPEN, whose key phase is that of the connection's secret + 1, and without a
 * cookie: the address is a peer's. READY answers as ever. Its receiver seals a PING by the new secret, no more.
 * Whoever gets a first packet of the new secret has it confirmed, and seals all by it: first the other end, by that
 * PING, then this one, by the PONG. So each end uses a secret only when the other one has it, and no packet is lost for
 * it. The new secret is derived from the old one, too: who knows a key that both ends have, and no more, cannot take a
 * connection over.
 *
 * At each end there is at most one handshake for the next phase. An end that has answered the other's begins none of
 * its own. If both have begun, that of the larger own token counts, as when a connection begins. */
#include "endpoint/rekey.h"
#include "endpoint/agree.h"
#include "endpoint/peer.h"
#include "endpoint/sealed.h"
#include "endpoint/shake_tx.h"
#include "endpoint/timer.h"
#include "endpoint/token.h"
#include <errno.h>
#include <string.h>

#define MOST_PS (10 * WEIR_PS_PER_S)   /* time within which it must succeed */
#define FIRST_PS (20 * WEIR_PS_PER_MS) /* until the first repetition, doubled with each of KEY_TRIES .. */
#define REPEAT_PS WEIR_PS_PER_S        /* .. and each time that all keys had their tries, up to this */
#define KEY_TRIES 3u                   /* OPENs under one key, before the next key has its turn */
#define SPREAD_PS (5 * WEIR_PS_PER_S)  /* within which all connections of removed keys begin it */
#define LAST_PS (3 * WEIR_PS_PER_S)    /* how long the secret before opens packets that others have overtaken */

static uint8_t next_phase(uint8_t phase)
{
    return phase == UINT8_MAX ? 1 : (uint8_t)(phase + 1);
}

/* Returns the record of a peer, which is made if there is none; NULL = the heap has no more. */
static struct ep_rekey *record_of(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_UP && p->seal != NULL);
    if (p->rekey == NULL)
        p->rekey = ep_keys_take(ep, EP_SECRET_REKEY);
    return p->rekey;
}

static void set_timer(struct weir_ep *ep, const struct weir_peer *p)
{
    const struct ep_rekey *r = p->rekey;
    uint64_t at_ps = r->last != NULL ? r->last_ps : WEIR_NEVER;
    if (r->by_ps != 0)
        at_ps = weir_min_u64(at_ps, weir_min_u64(r->by_ps, r->at_ps));
    if (at_ps != WEIR_NEVER)
        ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, at_ps);
}

void ep_rekey_begin(struct weir_ep *ep, struct weir_peer *p, uint64_t at_ps)
{
    struct ep_rekey *r = record_of(ep, p);
    if (r == NULL || r->by_ps != 0)
        return; /* without memory the next packet tries again */
    r->by_ps = ep->now_ps + MOST_PS;
    r->at_ps = at_ps;
    r->tries = 0;
    set_timer(ep, p);
}

/* Returns the key of the next OPEN: each key of the file has its tries, in their order. */
static const struct weir_key *key_of_try(const struct weir_ep *ep, const struct ep_rekey *r)
{
    return &ep->keys->file.key[r->tries / KEY_TRIES % ep->keys->file.count];
}

/* Returns the time until the next try. */
static uint64_t delay_ps(const struct weir_ep *ep, const struct ep_rekey *r)
{
    uint32_t rounds = r->tries / (KEY_TRIES * ep->keys->file.count);
    return weir_min_u64(FIRST_PS << (r->tries % KEY_TRIES) << weir_min_u64(rounds, 6), REPEAT_PS);
}

/* Sends OPEN for the next secret. */
static void send_open(struct weir_ep *ep, struct weir_peer *p)
{
    const struct weir_key *key = key_of_try(ep, p->rekey);
    uint8_t phase = next_phase(p->seal->phase), cipher = p->seal->seal.cipher;
    struct weir_wire_handshake open;
    if ((p->opening == NULL || p->opening->key_number != key->number || p->opening->phase != phase) &&
        ep_agree_begin(ep, p, key, cipher, phase) != 0)
        return;
    p->own_token = weir_tag_renew(&ep->tag, p->own_token);
    open = ep_shake_offer(ep, WEIR_WIRE_OPEN, p->own_token);
    open.cipher = cipher;
    open.key_number = p->opening->key_number;
    open.key_phase = phase;
    open.noise = p->opening->message;
    open.cookie = p->tx_token & WEIR_TAG_MASK; /* names the shard, if the peer is one */
    ep_shake_send(ep, &p->addr, &p->local, &open);
}

/* Tests whether the peer's handshake for the next phase was answered. */
static bool has_answered(const struct weir_peer *p)
{
    const struct ep_pending *at = p->pending;
    while (at != NULL && at->phase != next_phase(p->seal->phase))
        at = at->next;
    return at != NULL;
}

/* Goes on with our handshake: sends what its other end has to answer. */
static void go_on(struct weir_ep *ep, struct weir_peer *p)
{
    struct ep_rekey *r = p->rekey;
    if (r->next != NULL)
        ep_shake_confirm(ep, p, r->next);
    else if (!has_answered(p) && p->seal->seal.replay.top > 0)
        send_open(ep, p);
    r->at_ps = ep->now_ps + delay_ps(ep, r);
    r->tries++;
}

/* Ends a connection that got no other secret in time. */
static void fail(struct weir_ep *ep, struct weir_peer *p)
{
    bool removed = p->seal->key_number == 0;
    ep_shake_close(ep, p);
    if (removed)
        p->hint = EP_HINT_REMOVED;
    ep_peer_end(ep, p, removed ? -EPROTO : -ECONNRESET);
}

bool ep_rekey_timer(struct weir_ep *ep, struct weir_peer *p)
{
    struct ep_rekey *r = p->rekey;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (r->last != NULL && ep->now_ps >= r->last_ps) {
        ep_keys_give(ep, EP_SECRET_SEAL, r->last);
        r->last = NULL;
    }
    if (r->by_ps != 0 && ep->now_ps >= r->by_ps) {
        fail(ep, p);
        return false;
    }
    if (r->by_ps != 0 && ep->now_ps >= r->at_ps)
        go_on(ep, p);
    set_timer(ep, p);
    if (r->by_ps == 0 && r->last == NULL) {
        WEIR_ASSERT(r->next == NULL);
        ep_keys_give(ep, EP_SECRET_REKEY, r);
        p->rekey = NULL;
    }
    return true;
}

void ep_rekey_switch(struct weir_ep *ep, struct weir_peer *p, struct ep_seal *seal)
{
    struct ep_rekey *r = record_of(ep, p);
    struct ep_seal *last = p->seal;
    WEIR_ASSERT(seal->phase == next_phase(last->phase));
    p->seal = seal;
    if (r == NULL) {
        ep_keys_give(ep, EP_SECRET_SEAL, last);
    } else {
        ep_keys_give(ep, EP_SECRET_SEAL, r->last);
        if (r->next != seal)
            ep_keys_give(ep, EP_SECRET_SEAL, r->next);
        *r = (struct ep_rekey){ .last = last, .last_ps = ep->now_ps + LAST_PS };
    }
    p->tag_counter = 0; /* its counters begin again */
    ep_agree_settle(ep, p);
    if (r != NULL)
        set_timer(ep, p);
    if (seal->key_number == 0)
        ep_rekey_begin(ep, p, ep->now_ps); /* it was removed meanwhile */
}

/* Tests whether a key is in both sets, with the same number. */
static bool is_kept(const struct weir_ep *ep, const struct weir_keys *old, uint32_t number)
{
    const struct weir_key *was = weir_keys_find(old, number), *is = weir_keys_find(&ep->keys->file, number);
    return was != NULL && is != NULL && weir_crypto_equal(was->bytes, is->bytes, sizeof(is->bytes));
}

/* Notes in the record of a secret whether our file still has its key. */
static void check_key(const struct weir_ep *ep, const struct weir_keys *old, uint16_t *number)
{
    if (*number != 0 && !is_kept(ep, old, *number))
        *number = 0;
}

/* Drops our handshake if its key was removed: it begins anew under the first key that we have. */
static void check_opening(struct weir_ep *ep, struct weir_peer *p, const struct weir_keys *old)
{
    if (p->opening == NULL || is_kept(ep, old, p->opening->key_number))
        return;
    ep_keys_give(ep, EP_SECRET_OPENING, p->opening);
    p->opening = NULL;
    if (p->state == EP_PEER_UP)
        return;
    WEIR_ASSERT(p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN);
    p->state = EP_PEER_HELLO;
    p->cookie = 0;
    p->tries = 0;
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps);
}

void ep_rekey_all(struct weir_ep *ep, const struct weir_keys *old)
{
    WEIR_ASSERT(ep->keys != NULL);
    for (uint32_t i = 0; i < ep->peer_count; i++) {
        struct weir_peer *p = &ep->peers[i];
        check_opening(ep, p, old);
        for (struct ep_pending *at = p->pending; at != NULL; at = at->next)
            check_key(ep, old, &at->key_number);
        if (p->state != EP_PEER_UP)
            continue;
        check_key(ep, old, &p->seal->key_number);
        if (p->rekey != NULL && p->rekey->next != NULL)
            check_key(ep, old, &p->rekey->next->key_number);
        if (p->rekey != NULL)
            p->rekey->tries = 0; /* of the keys that there are now */
        if (p->seal->key_number == 0)
            ep_rekey_begin(ep, p, ep->now_ps + SPREAD_PS / ep->peer_count * i);
    }
}

/* Answers an OPEN for the next secret. */
static void on_open(struct weir_ep *ep, const struct weir_net_in *in, struct weir_peer *p,
                    const struct weir_wire_handshake *open, const struct weir_key *key)
{
    const struct ep_pending *pending = ep_agree_find(p, open);
    int code = 0;
    if (pending == NULL) {
        if ((p->rekey != NULL && p->rekey->next != NULL) ||
            (p->opening != NULL && ep_agree_counts(p, p->remote_token)) || !ep_shake_agree_ration(ep))
            return;
        ep_keys_give(ep, EP_SECRET_OPENING, p->opening);
        p->opening = NULL;
        p->own_token = weir_tag_renew(&ep->tag, p->own_token);
        code = ep_agree_answer(ep, p, open, key);
        pending = p->pending;
    }
    if (code == 0)
        ep_shake_answer_bytes(ep, &in->from, &in->to, pending->ready, sizeof(pending->ready));
    else if (code == -EBADMSG)
        ep_sealed_count(ep, WEIR_OPEN_FORGED);
    else
        ep->stats.refused_packets++;
}

/* Completes our handshake. A PING shows the peer that we have its secret. */
static void on_ready(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *ready)
{
    struct ep_rekey *r = p->rekey;
    int code;
    WEIR_ASSERT(r->next == NULL);
    if (!ep_shake_agree_ration(ep))
        return;
    code = ep_agree_complete(ep, p, ready, &r->next);
    if (code == -EBADMSG)
        ep_sealed_count(ep, WEIR_OPEN_FORGED);
    if (code != 0)
        return;
    ep_keys_give(ep, EP_SECRET_OPENING, p->opening);
    p->opening = NULL;
    r->tries = 0;
    go_on(ep, p);
    set_timer(ep, p);
}

/* Tests whether a READY may answer our OPEN. */
static bool answers_ours(const struct weir_peer *p, const struct weir_wire_handshake *ready)
{
    return p->rekey != NULL && p->rekey->next == NULL && p->opening != NULL && p->opening->phase == ready->key_phase &&
           p->opening->key_number == ready->key_number && ep_same_token(ready->token, p->own_token) &&
           ep_same_token(ready->own_token, p->remote_token);
}

void ep_rekey_packet(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet,
                     const struct weir_key *key)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    bool fits = p != NULL && p->state == EP_PEER_UP && packet->key_phase == next_phase(p->seal->phase) &&
                packet->protection == ep->protection && packet->cipher == p->seal->seal.cipher;
    WEIR_ASSERT(packet->key_phase != 0);
    if (fits && packet->type == WEIR_WIRE_OPEN && ep_same_token(packet->token, p->remote_token))
        on_open(ep, in, p, packet, key);
    else if (fits && packet->type == WEIR_WIRE_READY && answers_ours(p, packet))
        on_ready(ep, p, packet);
    else
        ep->stats.refused_packets++;
}
