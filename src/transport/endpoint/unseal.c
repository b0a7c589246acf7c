/* src/transport/endpoint/unseal.c - see unseal.h.
 *
 * Somebody may repeat an OPEN that he has recorded, so an OPEN alone connects nobody, and ends no connection. The
 * handshake is complete when a packet comes that its secret seals. If its tokens are those of the connection, both ends
 * began at once: then its secret replaces that of the connection. Else the peer was restarted. */
#include "endpoint/unseal.h"
#include "endpoint/agree.h"
#include "endpoint/connect.h"
#include "endpoint/peer.h"
#include "endpoint/sealed.h"
#include "endpoint/shake_tx.h"
#include <errno.h>
#include <string.h>

#define LEAST_BYTES (WEIR_WIRE_FRONT_BYTES + WEIR_TAG_BYTES) /* of a sealed datagram: no RESET is longer */

/* A datagram that is tried with several secrets. A failed try may change its bytes, so each but the first begins with
 * a copy of them. */
struct trial {
    struct weir_net_in *in;
    enum weir_opened result; /* of the last try */
    bool tried;
    unsigned char copy[EP_MTU_MAX];
};

/* Returns the next handshake of a list whose connection has this token; NULL = there is none. */
static struct ep_pending *with_token(struct ep_pending *at, uint64_t token)
{
    while (at != NULL && !ep_same_token(ep_connect_token(at->own_token, at->remote_token), token))
        at = at->next;
    return at;
}

/* Tries a secret. @return whether it opens the datagram */
static bool opens(struct trial *t, struct ep_seal *s)
{
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
    uint64_t remote_token = pending->remote_token, own_token = pending->own_token;
    WEIR_ASSERT((p->seal != NULL) == (p->state == EP_PEER_UP));
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
    ep_connect(ep, p, to, remote_token);
}

/* Tries the secrets of the peer's handshakes with this token. If one opens the datagram, the peer is connected by it. */
static bool try_pending(struct weir_ep *ep, struct weir_peer *p, uint64_t token, struct trial *t)
{
    struct ep_pending *at = with_token(p->pending, token);
    for (; at != NULL; at = with_token(at->next, token)) {
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

/* Opens a datagram by the connection's secret or, if both ends began at once, by that of a handshake of the peer. p: the
 * peer at the address of the datagram. connected: the token is that of its connection */
static bool open_any(struct weir_ep *ep, struct weir_peer *p, uint64_t token, bool connected, struct weir_net_in *in)
{
    struct trial t;
    t.in = in;
    t.tried = false;
    t.result = WEIR_OPEN_SHORT;
    if (in->length <= sizeof(t.copy)) {
        memcpy(t.copy, in->bytes, in->length);
        if (connected && opens(&t, p->seal)) {
            ep_agree_settle(ep, p); /* the peer is connected by this secret: it has given the others up */
            return true;
        }
        if (try_pending(ep, p, token, &t))
            return true;
    }
    ep_sealed_count(ep, t.result);
    return false;
}

/* Opens a datagram by the connection's secret. */
static bool open_plain(struct weir_ep *ep, struct weir_peer *p, struct weir_net_in *in)
{
    enum weir_opened result = ep_sealed_open(p->seal, in);
    if (result != WEIR_OPENED)
        ep_sealed_count(ep, result);
    return result == WEIR_OPENED;
}

/* Handles a datagram of a connection that was refused. After too many wrong tags the connection ends: its key is worn.
 * A peer that has not confirmed our handshake may not know its secret yet: a PING shows it. */
static void note_refused(struct weir_ep *ep, struct weir_peer *p)
{
    if (weir_seal_is_worn(&p->seal->seal)) {
        ep_shake_close(ep, p);
        ep_peer_end(ep, p, -ECONNRESET);
    } else if (p->seal->seal.replay.top == 0) {
        ep_shake_alive(ep, p, EP_CONFIRM_PS);
    }
}

struct weir_peer *ep_unseal(struct weir_ep *ep, struct weir_net_in *in)
{
    struct weir_peer *p;
    uint64_t token;
    bool opened;
    WEIR_ASSERT(ep->keys != NULL);
    if (in->length < LEAST_BYTES || !weir_wire_token(in->bytes, in->length, &token)) {
        ep->stats.refused_packets++;
        return NULL;
    }
    p = ep_peer_of_packet(ep, token, &in->from);
    if (p != NULL) {
        opened = with_token(p->pending, token) != NULL ? open_any(ep, p, token, true, in) : open_plain(ep, p, in);
        if (!opened)
            note_refused(ep, p);
        return opened ? p : NULL;
    }
    p = ep_peer_find(ep, &in->from);
    if (p != NULL && with_token(p->pending, token) != NULL)
        return open_any(ep, p, token, false, in) ? p : NULL;
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
