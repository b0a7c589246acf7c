/* src/transport/endpoint/silence.c - the own packets of a handshake, and the timeout of silent peers.
 *
 * With keys, a packet without proof of its sender ends no connection: see ep_shake_hint(). */
#include "endpoint/silence.h"
#include "endpoint/agree.h"
#include "endpoint/hold.h"
#include "endpoint/peer.h"
#include "endpoint/rekey.h"
#include "endpoint/shake_tx.h"
#include "endpoint/timer.h"
#include <errno.h>

#define FIRST_PS (20 * WEIR_PS_PER_MS) /* time until the first repetition, doubled with each .. */
#define LAST_PS WEIR_PS_PER_S          /* .. up to this time, or an eighth of peer_timeout if that is less */
/* after this many unanswered OPENs, HELLO requests a new cookie, because the old one may have expired */
#define OPEN_TRIES 3u

/* Begins our handshake of keys under the first key. @return false = there is no memory */
static bool begin_keys(struct weir_ep *ep, struct weir_peer *p)
{
    return ep_agree_begin(ep, p, &ep->keys->file.key[0], ep->cipher, 0) == 0;
}

void ep_shake_own(struct weir_ep *ep, struct weir_peer *p)
{
    p->own_token = weir_tag_renew(&ep->tag, p->own_token);
    struct weir_wire_handshake packet = ep_shake_offer(ep, WEIR_WIRE_HELLO, p->own_token);
    WEIR_ASSERT(p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN);
    bool ready = ep->keys == NULL || p->opening != NULL || begin_keys(ep, p);
    if (ep->keys != NULL && ready) {
        packet.cipher = p->opening->noise.cipher;
        packet.key_number = p->opening->key_number;
        packet.noise = p->opening->message;
    }
    if (p->state == EP_PEER_OPEN) {
        packet.type = WEIR_WIRE_OPEN;
        packet.cookie = p->cookie;
        packet.cookie_epoch = p->cookie_epoch;
    }
    uint64_t delay_ps = weir_min_u64(p->tries < 6 ? FIRST_PS << p->tries : LAST_PS, LAST_PS);
    uint64_t at_ps = ep->now_ps + weir_min_u64(delay_ps, ep->peer_timeout_ps / 8);
    p->tries++;
    if (ready) /* else there was no memory */
        ep_shake_send(ep, &p->addr, &p->local, &packet);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, weir_min_u64(at_ps, p->since_ps + ep->peer_timeout_ps));
}

void ep_shake_begin(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_IDLE);
    p->state = EP_PEER_HELLO;
    p->cookie = 0;
    p->tries = 0;
    p->trouble = 0;
    p->path_mtu = 0;
    ep_peer_forgive(p);
    p->since_ps = ep->now_ps;
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps);
}

/* Tests whether a peer has been silent for peer_timeout. If the application did not poll for a quarter of that, the
 * silence may be our fault: returns false, and gives the peer an eighth of peer_timeout more. */
static bool overdue(struct weir_ep *ep, struct weir_peer *p)
{
    if (ep->now_ps - p->since_ps < ep->peer_timeout_ps)
        return false;
    if (ep->now_ps - ep->last_poll_ps <= ep->peer_timeout_ps / 4)
        return true;
    p->since_ps = ep->now_ps - ep->peer_timeout_ps / 8 * 7;
    return false;
}

/* Repeats our packet of the handshake. After OPEN_TRIES unanswered OPENs a HELLO is sent instead, because the cookie
 * may have expired. */
static void repeat(struct weir_ep *ep, struct weir_peer *p)
{
    if (p->state == EP_PEER_OPEN && p->tries >= OPEN_TRIES)
        p->state = EP_PEER_HELLO;
    ep_shake_own(ep, p);
}

/* Tests whether a peer may owe packets and be silent for long without a fault. The receiver of a sender-driven protocol
 * sends nothing by itself, and would wait for peer_timeout if the sender was restarted. A message that is taken part by
 * part waits, at both ends, for the application that receives it. */
static bool may_rest(const struct weir_ep *ep, const struct weir_peer *p)
{
    return (ep->stream && p->arriving > 0) || p->parts > 0 || p->bounded > 0;
}

/* Asks a silent peer that may rest whether it is there. */
static void ask_resting(struct weir_ep *ep, struct weir_peer *p)
{
    uint64_t every_ps = ep->stream ? WEIR_PS_PER_S : ep_timer_ask_ps(ep);
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (may_rest(ep, p) && ep->now_ps - p->since_ps >= every_ps)
        ep_shake_alive(ep, p, every_ps);
}

/* Tests whether a packet of the peer is missing: of a message, or the answer to the PING of a hint. */
static bool owes(const struct weir_peer *p)
{
    return ep_peer_owes(p) || (p->state == EP_PEER_UP && p->hint != EP_HINT_NONE);
}

/* Ends a handshake, or the connection of a peer, that has been silent for too long. */
static void time_out(struct weir_ep *ep, struct weir_peer *p)
{
    int result = p->state == EP_PEER_UP ? -ETIMEDOUT : p->other_protection != 0 ? -EPROTO : -EHOSTUNREACH;
    if (p->state == EP_PEER_UP)
        ep_shake_close(ep, p);
    else if (ep->keys != NULL && p->cookie == 0)
        p->hint = EP_HINT_KEY;
    ep_peer_end(ep, p, result);
}

void ep_shake_hint(struct weir_ep *ep, struct weir_peer *p, enum ep_hint hint)
{
    WEIR_ASSERT(p->state == EP_PEER_UP && ep->keys != NULL);
    if (!owes(p))
        p->since_ps = ep->now_ps;
    p->hint = hint & 15u;
    ep_shake_alive(ep, p, WEIR_PS_PER_S);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps + WEIR_PS_PER_S);
}

/* Runs the timer of a peer. While a message to or from the peer is not complete, the peer is checked after 7/8 of
 * peer_timeout and after all of it, so always twice. A peer from which only replies to calls are missing is sent
 * PINGs: if it was restarted, it answers with RESET. One that answers nothing for peer_timeout has failed, too. A
 * peer with a hint (ep_shake_hint()) is sent PINGs, too. */
void ep_shake_timer(struct weir_ep *ep, struct weir_peer *p)
{
    uint64_t first_ps = ep->peer_timeout_ps / 8 * 7, at_ps;
    uint64_t every_ps = p->calls > 0 ? ep_timer_ask_ps(ep) : WEIR_PS_PER_S;
    bool handshake = p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN;
    if (p->rekey != NULL && !ep_rekey_timer(ep, p))
        return;
    if ((handshake || owes(p) || p->calls > 0) && overdue(ep, p)) {
        time_out(ep, p);
        return;
    }
    if (handshake) {
        repeat(ep, p);
        return;
    }
    /* a peer that is not connected has no unfinished messages */
    WEIR_ASSERT(p->state == EP_PEER_UP || !ep_peer_owes(p));
    if (p->state != EP_PEER_UP || (!owes(p) && p->calls == 0))
        return;
    at_ps = ep->now_ps + every_ps;
    if (!ep_peer_owes(p) || p->hint != EP_HINT_NONE)
        ep_shake_alive(ep, p, every_ps); /* and again, until it is overdue */
    else if (ep->now_ps - p->since_ps < first_ps)
        at_ps = p->since_ps + first_ps;
    else
        at_ps = p->since_ps + ep->peer_timeout_ps;
    at_ps = weir_min_u64(at_ps, ep_hold_probe(ep, p));
    ask_resting(ep, p);
    if (ep->stream || p->hint != EP_HINT_NONE)
        at_ps = weir_min_u64(at_ps, ep->now_ps + WEIR_PS_PER_S);
    if (p->parts > 0 || p->bounded > 0)
        at_ps = weir_min_u64(at_ps, ep->now_ps + ep_timer_ask_ps(ep));
    if (p->hint != EP_HINT_NONE)
        at_ps = weir_min_u64(at_ps, p->since_ps + ep->peer_timeout_ps);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, at_ps);
}
