/* src/transport/endpoint/shake.c - the handshake: packets that come.
 *
 * HELLO requests a cookie. COOKIE answers, and its sender keeps no state. OPEN returns the cookie, which proves the
 * address of its sender. READY has the token of its sender. From then on both ends know two secret tokens of 64 bits,
 * one per direction, and every packet carries one. Both ends may begin at once: each has one own token for the other,
 * so both handshakes result in the same two tokens.
 *
 * With keys the same packets carry a handshake of keys (agree.h). The MAC of each is tested first. READY connects its
 * receiver alone: its sender waits for a packet of the new secret (unseal.h). If both ends begin at once, the handshake
 * of the end with the larger own token counts. Packets of connections are sealed. */
#include "endpoint/shake.h"
#include "endpoint/agree.h"
#include "endpoint/connect.h"
#include "endpoint/memory.h"
#include "endpoint/op.h"
#include "endpoint/path.h"
#include "endpoint/peer.h"
#include "endpoint/rekey.h"
#include "endpoint/sealed.h"
#include "endpoint/shake_tx.h"
#include "endpoint/silence.h"
#include "endpoint/siphash.h"
#include "endpoint/spray.h"
#include "endpoint/tag.h"
#include "endpoint/unseal.h"
#include <errno.h>
#include <string.h>

#define COOKIE_PS (8 * WEIR_PS_PER_S) /* length of an epoch; cookies of the current and the previous epoch are valid */

static uint32_t epoch_of(const struct weir_ep *ep)
{
    return (uint32_t)(ep->now_ps / COOKIE_PS);
}

static uint64_t cookie_of(const struct weir_ep *ep, const struct weir_net_addr *addr, uint64_t token, uint32_t epoch)
{
    struct {
        struct weir_net_addr addr;
        uint64_t token, epoch;
    } what = { *addr, token & ~WEIR_TAG_MASK, epoch }; /* the tag may change between HELLO and OPEN */
    _Static_assert(sizeof(what) == 40, "no padding under the hash");
    return weir_tag_name_shard(&ep->tag, ep_siphash(ep->secret, &what, sizeof(what))); /* OPEN comes to us by it */
}

static void on_hello(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_wire_handshake cookie = { .type = WEIR_WIRE_COOKIE,
                                          .token = packet->token,
                                          .cookie_epoch = epoch_of(ep) };
    if ((ep->shut && ep_peer_find(ep, &in->from) == NULL) || !ep_shake_ration(ep))
        return;
    cookie.cookie = cookie_of(ep, &in->from, packet->token, cookie.cookie_epoch);
    ep_shake_answer(ep, &in->from, &in->to, &cookie);
}

static void on_cookie(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_token(ep, packet->token, &in->from);
    if (p == NULL || p->state != EP_PEER_HELLO) {
        ep->stats.refused_packets += p == NULL;
        return;
    }
    p->state = EP_PEER_OPEN;
    p->cookie = packet->cookie;
    p->cookie_epoch = packet->cookie_epoch;
    p->tries = 0;
    ep_shake_own(ep, p);
}

/* Returns the entry of the peer that sent a valid OPEN; makes an entry if there is none. token: the own token of that
 * peer. @return NULL: no entry is free, the endpoint is shut down, the OPEN is our own, or a late one of the last
 * connection */
static struct weir_peer *opened_by(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p == NULL && !ep->shut) {
        p = ep_peer_make(ep, &in->from);
        ep->stats.peers_refused += p == NULL;
        return p;
    }
    if (p == NULL)
        return NULL;
    if (ep_same_token(token, p->own_token))
        return NULL; /* our own OPEN, sent back to us */
    return p->old_token != 0 && ep_same_token(token, p->old_token) ? NULL : p;
}

/* Tests whether the law of a peer is ours. An accepted READY has no law: its sender has compared both. */
static bool has_our_law(const struct weir_ep *ep, const struct weir_wire_handshake *packet)
{
    size_t bytes = strlen(ep->law);
    if (packet->type == WEIR_WIRE_READY && packet->own_token != 0)
        return true;
    return packet->law_bytes == bytes && (bytes == 0 || memcmp(packet->law, ep->law, bytes) == 0);
}

/* Tests whether version, protection, law and packet size of a peer are ours. */
static bool is_ours(const struct weir_ep *ep, const struct weir_wire_handshake *packet)
{
    return packet->version == WEIR_WIRE_VERSION && packet->protection == ep->protection &&
           packet->mss_bytes == ep->mss && has_our_law(ep, packet);
}

/* Tests the same as is_ours(), and keeps what differs for weir_peer_error(). */
static bool agrees(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    ep_peer_forgive(p);
    if (is_ours(ep, packet))
        return true;
    if (packet->version != WEIR_WIRE_VERSION) {
        p->other_version = packet->version;
    } else if (packet->protection != ep->protection) {
        p->other_protection = (uint8_t)(packet->protection + 1);
    } else if (!has_our_law(ep, packet)) {
        p->other_law = ep_calloc(ep, 1, packet->law_bytes + (size_t)1);
        if (p->other_law != NULL && packet->law_bytes > 0)
            memcpy(p->other_law, packet->law, packet->law_bytes);
    } else {
        p->other_mss = packet->mss_bytes;
    }
    return false;
}

/* Refuses an OPEN: READY has what we offer, so the peer sees the difference. key: of the OPEN; NULL = it has none */
static void refuse(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token, const struct weir_key *key)
{
    struct weir_wire_handshake ready = ep_shake_ready(ep, token, 0);
    ready.key_number = key != NULL ? key->number : 0;
    ep_shake_answer(ep, &in->from, &in->to, &ready);
}

static bool has_cookie(const struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    return epoch_of(ep) - packet->cookie_epoch <= 1 &&
           cookie_of(ep, &in->from, packet->token, packet->cookie_epoch) == packet->cookie;
}

static void on_open(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_wire_handshake ready;
    struct weir_peer *p = has_cookie(ep, in, packet) ? opened_by(ep, in, packet->token) : NULL;
    if (p == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    if (p->state == EP_PEER_UP && !ep_same_token(p->remote_token, packet->token))
        ep_peer_end(ep, p, -ECONNRESET); /* the peer was restarted */
    if (!agrees(ep, p, packet)) {
        refuse(ep, in, packet->token, NULL);
        ep_peer_end(ep, p, -EPROTO);
        return;
    }
    p->own_token = weir_tag_renew(&ep->tag, p->own_token);
    ready = ep_shake_ready(ep, packet->token, p->own_token);
    ep_shake_answer(ep, &in->from, &in->to, &ready);
    if (p->state != EP_PEER_UP)
        ep_connect(ep, p, &(struct ep_other_end){ packet->token, in->to, packet->ports });
    else
        ep_connect_heard(ep, p);
}

static void on_ready(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_token(ep, packet->token, &in->from);
    if (p == NULL) {
        ep->stats.refused_packets++;
        ep_shake_reset(ep, in, packet->token);
    } else if (p->state == EP_PEER_UP) {
        if (ep_same_token(packet->own_token, p->remote_token))
            ep_connect_heard(ep, p);
        else
            ep->stats.refused_packets++;
    } else if (p->state != EP_PEER_IDLE) {
        if (!agrees(ep, p, packet) || packet->own_token == 0)
            ep_peer_end(ep, p, -EPROTO);
        else
            ep_connect(ep, p, &(struct ep_other_end){ packet->own_token, in->to, packet->ports });
    }
}

/* --- with keys --- */

/* Answers an OPEN of a connected peer, of the same tokens. It is late, or our PING that confirms our own handshake was
 * lost, or the peer began at the same time and its handshake counts. @return true = it has to be answered by READY */
static bool reopens(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_UP && p->seal != NULL);
    if (p->seal->seal.direction != 0 || p->seal->phase != 0)
        return false;
    if (!ep_agree_counts(p, p->remote_token))
        return p->seal->seal.replay.top == 0; /* the peer has not confirmed ours */
    ep_shake_alive(ep, p, EP_CONFIRM_PS);
    return false;
}

/* Tests whether an OPEN whose MAC is right has to be answered by a handshake. A repeated one gets the same READY. */
static bool wants_answer(struct weir_ep *ep, const struct weir_net_in *in, struct weir_peer *p,
                         const struct weir_wire_handshake *packet)
{
    const struct ep_pending *pending = ep_agree_find(p, packet);
    uint64_t token = packet->token;
    if (p->state == EP_PEER_UP && ep_same_token(p->remote_token, token) && !reopens(ep, p))
        return false;
    if (pending != NULL) {
        ep_shake_answer_bytes(ep, &in->from, &in->to, pending->ready, sizeof(pending->ready));
        return false;
    }
    if ((p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN) && ep_agree_counts(p, token))
        return false;
    return ep_shake_agree_ration(ep);
}

/* Answers an OPEN whose MAC is right. The handshake is complete when a packet of its secret comes: ep_unseal(). */
static void on_keyed_open(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet,
                          const struct weir_key *key)
{
    struct weir_peer *p = has_cookie(ep, in, packet) ? opened_by(ep, in, packet->token) : NULL;
    if (p == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    if (p->state == EP_PEER_UP ? !is_ours(ep, packet) : !agrees(ep, p, packet)) {
        refuse(ep, in, packet->token, key);
        if (p->state != EP_PEER_UP)
            ep_peer_end(ep, p, -EPROTO);
    } else if (packet->cipher != WEIR_CIPHER_CHACHA && packet->cipher != ep->cipher) {
        refuse(ep, in, packet->token, key);
    } else if (wants_answer(ep, in, p, packet)) {
        p->own_token = weir_tag_renew(&ep->tag, p->own_token);
        int code = ep_agree_answer(ep, p, packet, key);
        if (code == 0)
            ep_shake_answer_bytes(ep, &in->from, &in->to, p->pending->ready, sizeof(p->pending->ready));
        else if (code == -EBADMSG)
            ep_sealed_count(ep, WEIR_OPEN_FORGED);
        else
            ep->stats.refused_packets++;
    }
}

/* Tests whether we have answered an OPEN of the peer with this own token. */
static bool has_answered(const struct weir_peer *p, uint64_t remote_token)
{
    const struct ep_pending *pending = p->pending;
    while (pending != NULL && !ep_same_token(pending->remote_token, remote_token))
        pending = pending->next;
    return pending != NULL;
}

/* Begins our handshake anew with the cipher of a peer that refused ours. Does nothing if that is ours by now: then the
 * peer has refused what we sent before. */
static void take_cipher(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    if (packet->cipher == p->opening->noise.cipher || !weir_crypto_has(packet->cipher)) {
        ep->stats.refused_packets++;
        return;
    }
    if (ep_agree_begin(ep, p, &ep->keys->file.key[0], packet->cipher, 0) == 0)
        p->state = EP_PEER_HELLO;
    p->tries = 0;
    ep_shake_own(ep, p);
}

/* Completes our handshake by a READY whose MAC is right. A PING confirms it. */
static void on_keyed_ready(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_token(ep, packet->token, &in->from);
    int code;
    if (p == NULL || p->opening == NULL || p->state == EP_PEER_UP) {
        ep->stats.refused_packets += p == NULL || p->state != EP_PEER_UP;
        return;
    }
    WEIR_ASSERT(p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN);
    if (!agrees(ep, p, packet)) {
        ep_peer_end(ep, p, -EPROTO);
        return;
    }
    if (packet->own_token == 0) {
        take_cipher(ep, p, packet);
        return;
    }
    if (ep_same_token(packet->own_token, p->own_token)) {
        ep_sealed_count(ep, WEIR_OPEN_FORGED); /* our own answer, sent back to us */
        return;
    }
    if ((has_answered(p, packet->own_token) && !ep_agree_counts(p, packet->own_token)) || !ep_shake_agree_ration(ep))
        return;
    code = ep_agree_complete(ep, p, packet, &p->seal);
    if (code == -ENOMEM)
        ep_peer_end(ep, p, -ENOMEM);
    else if (code < 0)
        ep_sealed_count(ep, WEIR_OPEN_FORGED);
    if (code < 0)
        return;
    ep_connect(ep, p, &(struct ep_other_end){ packet->own_token, in->to, packet->ports });
    ep_shake_alive(ep, p, 0);
}

/* Handles a HELLO, OPEN or READY without a right MAC. A HELLO of an end without keys is answered with what we
 * demand. What it demands is kept, in case that our own handshake gets no answer. Others get no answer. */
static void on_keyless(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = packet->type == WEIR_WIRE_READY ? ep_peer_of_token(ep, packet->token, &in->from) : NULL;
    ep->stats.refused_packets++;
    if (packet->protection != WEIR_WIRE_NONE) {
        ep->stats.forged_packets++;
        return;
    }
    if (p != NULL && p->opening != NULL && packet->own_token == 0)
        p->other_protection = 1 + WEIR_WIRE_NONE;
    if (packet->type == WEIR_WIRE_HELLO && in->length >= EP_ANSWER_BYTES && ep_shake_keyless_ration(ep))
        refuse(ep, in, packet->token, NULL);
}

/* Processes a HELLO, OPEN or READY of an endpoint with keys. */
static void on_keyed(struct weir_ep *ep, struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    const struct weir_key *key = NULL;
    if (packet->protection != WEIR_WIRE_NONE)
        key = ep_keys_verify(ep, packet->key_number, in->bytes, in->length);
    if (key == NULL)
        on_keyless(ep, in, packet);
    else if (packet->type == WEIR_WIRE_HELLO)
        on_hello(ep, in, packet);
    else if (packet->key_phase != 0)
        ep_rekey_packet(ep, in, packet, key);
    else if (packet->type == WEIR_WIRE_OPEN)
        on_keyed_open(ep, in, packet, key);
    else
        on_keyed_ready(ep, in, packet);
}

/* --- of connections --- */

/* Ends a connection for which the peer sent RESET. The RESET must carry tx_token or remote_token, the tokens of our
 * message packets and of our READY, which nobody but the peer knows. With keys that is a hint alone. A RESET to a
 * further port may mean that the peer does not know the port. Packets leave from the first one from now on, and a PING
 * shows whether it knows the connection. */
static void on_reset(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    bool named = p != NULL && p->state == EP_PEER_UP &&
                 (ep_same_token(p->tx_token, packet->token) || ep_same_token(p->remote_token, packet->token));
    ep->stats.refused_packets += !named;
    if (named && ep->keys != NULL)
        ep_shake_hint(ep, p, EP_HINT_RESET);
    else if (named && in->port > 0) {
        if (ep_spray_stop(p))
            ep_shake_alive(ep, p, 0);
    } else if (named)
        ep_peer_end(ep, p, -ECONNRESET);
}

static void on_refuse(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    struct ep_op *op = ep_op_named(ep, p, packet->msg, packet->number);
    if (op == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    ep_connect_heard(ep, p);
    ep_tag_seen(ep, p, packet->token);
    if (op->flags & EP_OP_ENDED)
        ep_op_give_up(ep, op);
    else
        ep_op_end(ep, op, op->flags & EP_OP_CREDITED ? -ENOBUFS : -EMSGSIZE);
}

/* Answers PING, which reports the peer's tag, and takes note that the peer is there. */
static void on_ping(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    struct weir_wire_handshake pong = { .type = WEIR_WIRE_PONG, .value = packet->value };
    ep_connect_heard(ep, p);
    ep_tag_seen(ep, p, packet->token);
    if (packet->type != WEIR_WIRE_PING)
        return;
    if (p->seal == NULL || packet->key_phase == p->seal->phase) /* the counters of each secret begin anew */
        ep_tag_take(p, packet->counter, packet->value);
    ep_shake_answer_peer(ep, p, &pong);
}

/* Processes a REFUSE, PING, PONG or CLOSE of a connection. */
static void on_own(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    if (packet->type == WEIR_WIRE_REFUSE)
        on_refuse(ep, p, packet);
    else if (packet->type == WEIR_WIRE_CLOSE)
        ep_peer_end(ep, p, -ECONNRESET);
    else if (packet->type == WEIR_WIRE_PING || packet->type == WEIR_WIRE_PONG)
        on_ping(ep, p, packet);
    else
        ep->stats.refused_packets++; /* without keys no peer changes its address */
}

/* Processes what on_own() does, without keys: finds the peer. A PING or PONG of nobody is answered. */
static void on_plain(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_packet(ep, packet->token, &in->from);
    if (p != NULL) {
        on_own(ep, p, packet);
        return;
    }
    ep->stats.refused_packets++;
    if (packet->type == WEIR_WIRE_PING || packet->type == WEIR_WIRE_PONG)
        ep_unseal_stranger(ep, in, packet->token);
}

/* Processes what on_own() does, with keys: opens the datagram. */
static void on_sealed(struct weir_ep *ep, struct weir_net_in *in)
{
    struct weir_peer *p = ep_unseal(ep, in);
    struct weir_wire_handshake packet;
    if (p == NULL)
        return;
    if (weir_wire_decode_opened_handshake(in->bytes, in->length, &packet) != WEIR_WIRE_OK)
        ep->stats.refused_packets++;
    else if (packet.type == WEIR_WIRE_CHALLENGE)
        ep_path_answer(ep, p, in, packet.value);
    else if (packet.type == WEIR_WIRE_RESPONSE)
        ep_path_response(ep, p, in, packet.value);
    else
        on_own(ep, p, &packet);
}

/* Ends a handshake with a peer that has other versions of the format only. */
static void on_versions(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_token(ep, packet->token, &in->from);
    bool ours = packet->lowest <= WEIR_WIRE_VERSION && packet->highest >= WEIR_WIRE_VERSION;
    if (p == NULL || ours || (p->state != EP_PEER_HELLO && p->state != EP_PEER_OPEN)) {
        ep->stats.refused_packets++;
        return;
    }
    p->other_version = packet->lowest;
    if (ep->keys == NULL) /* with keys, weir_peer_error() has it after the timeout */
        ep_peer_end(ep, p, -EPROTO);
}

void ep_shake_other_version(struct weir_ep *ep, const struct weir_net_in *in)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    ep->stats.other_version_packets++;
    ep->stats.refused_packets++;
    if (p != NULL && p->state != EP_PEER_UP)
        p->other_version = (uint8_t)weir_wire_version(in->bytes);
    ep_shake_versions(ep, in);
}

static bool is_of_connection(int type)
{
    return type == WEIR_WIRE_REFUSE || type == WEIR_WIRE_PING || type == WEIR_WIRE_PONG || type == WEIR_WIRE_CLOSE ||
           type == WEIR_WIRE_CHALLENGE || type == WEIR_WIRE_RESPONSE;
}

static bool is_offer(const struct weir_wire_handshake *packet)
{
    return packet->type == WEIR_WIRE_HELLO || packet->type == WEIR_WIRE_OPEN || packet->type == WEIR_WIRE_READY;
}

void ep_shake_packet(struct weir_ep *ep, struct weir_net_in *in)
{
    struct weir_wire_handshake packet;
    enum weir_wire_result result;
    if (ep->keys != NULL && is_of_connection(weir_wire_type(in->bytes, in->length))) {
        on_sealed(ep, in);
        return;
    }
    result = weir_wire_decode_handshake(in->bytes, in->length, &packet);
    if (result != WEIR_WIRE_OK) {
        ep->stats.checksum_errors += result == WEIR_WIRE_CHECKSUM;
        ep->stats.refused_packets += result != WEIR_WIRE_CHECKSUM;
        return;
    }
    if (ep->keys != NULL && is_offer(&packet))
        on_keyed(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_HELLO)
        on_hello(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_COOKIE)
        on_cookie(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_OPEN)
        on_open(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_READY)
        on_ready(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_RESET)
        on_reset(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_VERSIONS)
        on_versions(ep, in, &packet);
    else
        on_plain(ep, in, &packet);
}
