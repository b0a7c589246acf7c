/* src/transport/endpoint/unseal.c - see unseal.h.
 *
 * Somebody may repeat an OPEN that he has recorded, so an OPEN alone connects nobody, and ends no connection. The
 * handshake is complete when a packet comes that its secret seals. If its tokens are those of the connection, both ends
 * began at once: then its secret replaces that of the connection. Else the peer was restarted. */
#include "endpoint/unseal.h"
#include "endpoint/agree.h"
#include "endpoint/connect.h"
#include "endpoint/path.h"
#include "endpoint/peer.h"
#include "endpoint/rekey.h"
#include "endpoint/sealed.h"
#include "endpoint/shake_tx.h"
#include "endpoint/token.h"
#include <errno.h>
#include <string.h>

#define LEAST_BYTES (WEIR_WIRE_FRONT_BYTES + WEIR_TAG_BYTES) /* of a sealed datagram: no RESET is longer */

/* A datagram that is tried with several secrets. A failed try may change its bytes, so each but the first begins with
 * a copy of them. */
struct trial {
    struct weir_net_in *in;
    uint32_t phase;          /* of the datagram: it names the secret */
    enum weir_opened result; /* of the last try */
    bool tried;
    unsigned char copy[EP_MTU_MAX];
};

/* Returns the next handshake of a list whose connection has this token, and whose secret has this phase; NULL = there
 * is none. */
static struct ep_pending *with_token(struct ep_pending *at, uint64_t token, uint32_t phase)
{
    while (at != NULL &&
           (at->phase != phase || !ep_same_token(ep_connect_token(at->own_token, at->remote_token), token)))
        at = at->next;
    return at;
}

/* Tries a secret, if it has the phase of the datagram. s: NULL = there is none. @return whether it opens it */
static bool opens(struct trial *t, struct ep_seal *s)
{
    if (s == NULL || s->phase != t->phase)
        return false;
    if (t->tried)
        memcpy(t->in->bytes, t->copy, t->in->length);
    t->tried = true;
    t->result = ep_sealed_open(s, t->in);
    return t->result == WEIR_OPENED;
}

/* Connects the peer by a handshake that a datagram has confirmed. seal: of its secret */
static void confirm(struct weir_ep *ep, struct weir_peer *p, const struct ep_pending *pending, struct ep_seal *seal,
                    const struct weir_net_addr *to)
{
    const struct ep_other_end end = { pending->remote_token, *to, pending->ports };
    uint64_t remote_token = end.remote_token, own_token = pending->own_token;
    WEIR_ASSERT((p->seal != NULL) == (p->state == EP_PEER_UP));
    if (seal->phase != 0) {
        WEIR_ASSERT(p->state == EP_PEER_UP && ep_same_token(p->remote_token, remote_token));
        ep_rekey_switch(ep, p, seal);
        return;
    }
    if (p->state == EP_PEER_UP && ep_same_token(p->remote_token, remote_token)) {
        ep_keys_give(ep, EP_SECRET_SEAL, p->seal);
        p->seal = seal;
        p->tag_counter = 0; /* its counters begin again */
        ep_agree_settle(ep, p);
        return;
    }
    if (p->state == EP_PEER_UP)
        ep_peer_end(ep, p, -ECONNRESET); /* the peer was restarted */
    WEIR_ASSERT(p->seal == NULL);
    p->own_token = own_token;
    p->seal = seal;
    ep_connect(ep, p, &end); /* pending may be gone */
    if (seal->key_number == 0)
        ep_rekey_begin(ep, p, ep->now_ps); /* it was removed meanwhile */
}

/* Tries the secrets of the peer's handshakes with this token. If one opens the datagram, it connects the peer. */
static bool try_pending(struct weir_ep *ep, struct weir_peer *p, uint64_t token, struct trial *t)
{
    struct ep_pending *at = with_token(p->pending, token, t->phase);
    for (; at != NULL; at = with_token(at->next, token, t->phase)) {
        struct ep_seal *s = ep_agree_seal(ep, at);
        if (s == NULL)
            return false;
        if (opens(t, s)) {
            confirm(ep, p, at, s, &t->in->to);
            return true;
        }
        ep_keys_give(ep, EP_SECRET_SEAL, s);
    }
    return false;
}

/* Tries the secrets of a connected peer. @return whether one opens the datagram */
static bool try_connected(struct weir_ep *ep, struct weir_peer *p, struct trial *t)
{
    struct ep_rekey *r = p->rekey;
    if (opens(t, p->seal)) {
        if (p->pending != NULL && p->pending->phase == p->seal->phase)
            ep_agree_settle(ep, p); /* the peer is connected by this secret: it has given the others up */
        return true;
    }
    if (r != NULL && opens(t, r->next)) {
        ep_rekey_switch(ep, p, r->next);
        return true;
    }
    return r != NULL && opens(t, r->last);
}

/* Opens a datagram by a secret of the connection, or by that of a handshake of the peer. p: the peer at the address of
 * the datagram. connected: the token is that of its connection */
static bool open_any(struct weir_ep *ep, struct weir_peer *p, uint64_t token, bool connected, struct weir_net_in *in)
{
    struct trial t;
    t.in = in;
    t.phase = weir_wire_phase(in->bytes, in->length);
    t.tried = false;
    t.result = WEIR_OPEN_SHORT;
    if (in->length <= sizeof(t.copy)) {
        memcpy(t.copy, in->bytes, in->length);
        if ((connected && try_connected(ep, p, &t)) || try_pending(ep, p, token, &t))
            return true;
    }
    ep_sealed_count(ep, t.result);
    return false;
}

/* Opens a datagram by the connection's secret. */
static bool open_plain(struct weir_ep *ep, struct weir_peer *p, struct weir_net_in *in)
{
    enum weir_opened result = WEIR_OPEN_FORGED;
    if (weir_wire_phase(in->bytes, in->length) == p->seal->phase)
        result = ep_sealed_open(p->seal, in);
    if (result != WEIR_OPENED)
        ep_sealed_count(ep, result);
    return result == WEIR_OPENED;
}

/* Handles a datagram of a connection that was refused. After too many wrong tags the connection gets another secret. A
 * peer that has not confirmed our handshake may not know its secret yet: a PING shows it. */
static void note_refused(struct weir_ep *ep, struct weir_peer *p)
{
    if (weir_seal_is_worn(&p->seal->seal)) {
        ep_rekey_begin(ep, p, ep->now_ps);
    } else if (p->seal->seal.replay.top == 0) {
        ep_shake_alive(ep, p, EP_CONFIRM_PS);
    }
}

/* Opens a datagram of a connected peer. @return false = it is refused */
static bool open_connected(struct weir_ep *ep, struct weir_peer *p, uint64_t token, struct weir_net_in *in)
{
    bool opened = p->pending != NULL || p->rekey != NULL ? open_any(ep, p, token, true, in) : open_plain(ep, p, in);
    if (!opened)
        note_refused(ep, p);
    else if (WEIR_UNLIKELY(p->seal->seal.tx_counter >= ep->keys->rekey_pkts || p->seal->key_number == 0))
        ep_rekey_begin(ep, p, ep->now_ps);
    return opened;
}

/* Opens a datagram of a connected peer that came from an address which is not the peer's. If its number is the highest
 * of all that came, the peer may have moved. */
static bool open_elsewhere(struct weir_ep *ep, struct weir_peer *p, uint64_t token, struct weir_net_in *in)
{
    const struct ep_seal *seal = p->seal;
    uint64_t top = seal->seal.replay.top;
    if (!open_connected(ep, p, token, in))
        return false;
    if (p->seal != seal || seal->seal.replay.top > top)
        ep_path_note(ep, p, in);
    return true;
}

struct weir_peer *ep_unseal(struct weir_ep *ep, struct weir_net_in *in)
{
    struct weir_peer *p;
    uint64_t token;
    WEIR_ASSERT(ep->keys != NULL);
    if (in->length < LEAST_BYTES || !weir_wire_token(in->bytes, in->length, &token)) {
        ep->stats.refused_packets++;
        return NULL;
    }
    p = ep_peer_of_packet(ep, token, &in->from);
    if (p != NULL)
        return open_connected(ep, p, token, in) ? p : NULL;
    p = ep_peer_find(ep, &in->from);
    if (p != NULL && with_token(p->pending, token, 0) != NULL)
        return open_any(ep, p, token, false, in) ? p : NULL;
    p = ep_token_find(ep, token);
    if (p != NULL)
        return open_elsewhere(ep, p, token, in) ? p : NULL;
    ep->stats.refused_packets++;
    ep_unseal_stranger(ep, in, token);
    return NULL;
}

void ep_unseal_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    const struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p == NULL && ep->keys != NULL && weir_tag_is_valid(&ep->tag, token))
        return;
    if (p == NULL || p->state == EP_PEER_IDLE || p->state == EP_PEER_UP)
        ep_shake_reset(ep, in, token);
}
