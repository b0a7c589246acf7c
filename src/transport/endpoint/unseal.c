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

/* Tests whether a token is that of the peer's handshake. */
static bool is_pending(const struct weir_peer *p, uint64_t token)
{
    return p != NULL && p->pending != NULL &&
           ep_same_token(ep_connect_token(p->pending->own_token, p->pending->remote_token), token);
}

/* Opens a datagram by the secret of the peer's handshake. If it opens, the peer is connected by it. */
static bool confirm(struct weir_ep *ep, struct weir_peer *p, struct weir_net_in *in)
{
    uint64_t remote_token = p->pending->remote_token, own_token = p->pending->own_token;
    struct ep_seal *s = ep_agree_seal(ep, p);
    WEIR_ASSERT((p->seal != NULL) == (p->state == EP_PEER_UP));
    if (s == NULL || !ep_sealed_open(ep, s, in)) {
        ep->stats.refused_packets += s == NULL;
        ep_keys_give(ep, EP_SECRET_SEAL, s);
        return false;
    }
    if (p->state == EP_PEER_UP && ep_same_token(p->remote_token, remote_token)) {
        ep_keys_give(ep, EP_SECRET_SEAL, p->seal);
        p->seal = s;
        p->tag_counter = 0; /* its counters begin again */
        ep_agree_settle(ep, p);
        return true;
    }
    if (p->state == EP_PEER_UP)
        ep_peer_end(ep, p, -ECONNRESET); /* the peer was restarted */
    WEIR_ASSERT(p->seal == NULL);
    p->own_token = own_token;
    p->seal = s;
    ep_connect(ep, p, &in->to, remote_token);
    return true;
}

/* Opens a datagram by the connection's secret or, if both ends began at once, by that of the peer's handshake. A
 * failed try may change the datagram, so the second try needs a copy. */
static bool open_either(struct weir_ep *ep, struct weir_peer *p, struct weir_net_in *in)
{
    unsigned char copy[EP_MTU_MAX];
    struct weir_net_in again = *in;
    if (in->length > sizeof(copy))
        return ep_sealed_open(ep, p->seal, in);
    memcpy(copy, in->bytes, in->length);
    if (ep_sealed_open(ep, p->seal, in)) {
        ep_agree_settle(ep, p); /* the peer is connected by this secret: it has given the other up */
        return true;
    }
    memcpy(again.bytes, copy, again.length);
    *in = again;
    return confirm(ep, p, in);
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
        opened = is_pending(p, token) ? open_either(ep, p, in) : ep_sealed_open(ep, p->seal, in);
        if (!opened)
            note_refused(ep, p);
        return opened ? p : NULL;
    }
    p = ep_peer_find(ep, &in->from);
    if (is_pending(p, token))
        return confirm(ep, p, in) ? p : NULL;
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
