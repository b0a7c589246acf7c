/* src/transport/endpoint/shake.c - the handshake, and the timeout of silent peers.
 *
 * HELLO requests a cookie. COOKIE answers, and its sender keeps no state. OPEN returns the cookie, which proves the
 * address of its sender. READY has the token of its sender. From then on both ends know two secret tokens of 64 bits,
 * one per direction, and every packet carries one. Both ends may begin at once: each has one own token for the other,
 * so both handshakes result in the same two tokens. */
#include "endpoint/shake.h"
#include "endpoint/hold.h"
#include "endpoint/memory.h"
#include "endpoint/op.h"
#include "endpoint/peer.h"
#include "endpoint/shake_tx.h"
#include "endpoint/siphash.h"
#include "endpoint/tag.h"
#include "endpoint/timer.h"
#include <errno.h>
#include <string.h>

#define FIRST_PS (20 * WEIR_PS_PER_MS) /* time until the first repetition, doubled with each .. */
#define LAST_PS WEIR_PS_PER_S          /* .. up to this time, or an eighth of peer_timeout if that is less */
#define COOKIE_PS (8 * WEIR_PS_PER_S)  /* length of an epoch; cookies of the current and the previous epoch are valid */
/* after this many unanswered OPENs, HELLO requests a new cookie, because the old one may have expired */
#define OPEN_TRIES 3u

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
    return ep_siphash(ep->secret, &what, sizeof(what));
}

static void send_own(struct weir_ep *ep, struct weir_peer *p)
{
    p->own_token = weir_tag_renew(&ep->tag, p->own_token);
    struct weir_wire_handshake packet = ep_shake_offer(ep, WEIR_WIRE_HELLO, p->own_token);
    WEIR_ASSERT(p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN);
    if (p->state == EP_PEER_OPEN) {
        packet.type = WEIR_WIRE_OPEN;
        packet.cookie = p->cookie;
        packet.cookie_epoch = p->cookie_epoch;
    }
    uint64_t delay_ps = weir_min_u64(p->tries < 6 ? FIRST_PS << p->tries : LAST_PS, LAST_PS);
    uint64_t at_ps = ep->now_ps + weir_min_u64(delay_ps, ep->peer_timeout_ps / 8);
    p->tries++;
    ep_shake_send(ep, &p->addr, &p->local, &packet);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, weir_min_u64(at_ps, p->since_ps + ep->peer_timeout_ps));
}

void ep_shake_begin(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_IDLE);
    p->state = EP_PEER_HELLO;
    p->tries = 0;
    p->trouble = 0;
    p->path_mtu = 0;
    ep_peer_forgive(p);
    p->since_ps = ep->now_ps;
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps);
}

void ep_shake_heard(struct weir_ep *ep, struct weir_peer *p)
{
    p->heard_ps = p->since_ps = ep->now_ps;
}

/* Returns the token of packets from the endpoint with own token `sender` to the endpoint with own token `receiver`. It
 * depends on both, because two processes may have the same address one after the other. Late packets of the first must
 * not be accepted as packets of the second. The low 16 bits are those of `receiver`; the others do not depend on tags,
 * which may change during the handshake. */
static uint64_t pair_token(uint64_t receiver, uint64_t sender)
{
    uint64_t mixed = weir_mix_u64((receiver & ~WEIR_TAG_MASK) ^ weir_mix_u64(sender & ~WEIR_TAG_MASK));
    return (mixed & ~WEIR_TAG_MASK) | (receiver & WEIR_TAG_MASK);
}

static void go_up(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in, uint64_t remote_token)
{
    struct ep_op *next;
    WEIR_ASSERT(p->state != EP_PEER_UP && p->in_host == 0);
    p->local = in->to;
    p->remote_token = remote_token;
    p->rx_token = pair_token(p->own_token, remote_token);
    p->tx_token = pair_token(remote_token, p->own_token);
    p->tx_counter = p->tag_counter = 0;
    p->tag_ps = 0;
    p->state = EP_PEER_UP;
    ep->peers_up++;
    ep->stats.handshakes++;
    ep_shake_heard(ep, p);
    for (struct ep_op *op = p->op_head; op != NULL; op = next) {
        next = op->next;
        int code = ep_op_start(ep, op);
        if (code < 0)
            ep_op_lost(ep, op, code);
    }
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
    send_own(ep, p);
}

/* Returns the entry of the peer that sent a valid OPEN; makes an entry if there is none. token: the own token of that
 * peer. If the address has a connection with another token, the peer has restarted: that connection is ended first.
 * @return NULL: no entry is free, the endpoint is shut down, or the OPEN is a late packet of the previous connection */
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
    if (p->old_token != 0 && ep_same_token(token, p->old_token))
        return NULL;
    if (p->state == EP_PEER_UP && !ep_same_token(p->remote_token, token))
        ep_peer_end(ep, p, -ECONNRESET); /* the peer was restarted */
    return p;
}

/* Tests whether version, protection, law and packet size of a peer are ours; else keeps what differs for
 * weir_peer_error(). An accepted READY has no law: its sender has compared both. */
static bool agrees(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_handshake *packet)
{
    size_t bytes = packet->law_bytes;
    bool accepted = packet->type == WEIR_WIRE_READY && packet->own_token != 0;
    ep_peer_forgive(p);
    if (packet->version != WEIR_WIRE_VERSION || packet->protection != WEIR_WIRE_NONE) {
        p->other_version = packet->version;
        return false;
    }
    if (!accepted && (bytes != strlen(ep->law) || memcmp(packet->law, ep->law, bytes) != 0)) {
        p->other_law = ep_calloc(ep, 1, bytes + 1);
        if (p->other_law != NULL && bytes > 0)
            memcpy(p->other_law, packet->law, bytes);
        return false;
    }
    if (packet->mss_bytes != ep->mss)
        p->other_mss = packet->mss_bytes;
    return packet->mss_bytes == ep->mss;
}

static void on_open(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_wire_handshake ready;
    struct weir_peer *p = NULL;
    bool recent = epoch_of(ep) - packet->cookie_epoch <= 1;
    if (recent && cookie_of(ep, &in->from, packet->token, packet->cookie_epoch) == packet->cookie)
        p = opened_by(ep, in, packet->token);
    if (p == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    if (!agrees(ep, p, packet)) {
        ready = ep_shake_ready(ep, packet->token, 0);
        ep_shake_answer(ep, &in->from, &in->to, &ready); /* READY has what we offer, so the peer sees the difference */
        ep_peer_end(ep, p, -EPROTO);
        return;
    }
    p->own_token = weir_tag_renew(&ep->tag, p->own_token);
    ready = ep_shake_ready(ep, packet->token, p->own_token);
    ep_shake_answer(ep, &in->from, &in->to, &ready);
    if (p->state != EP_PEER_UP)
        go_up(ep, p, in, packet->token);
    else
        ep_shake_heard(ep, p);
}

static void on_ready(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_token(ep, packet->token, &in->from);
    if (p == NULL) {
        ep->stats.refused_packets++;
        ep_shake_reset(ep, in, packet->token);
    } else if (p->state == EP_PEER_UP) {
        if (ep_same_token(packet->own_token, p->remote_token))
            ep_shake_heard(ep, p);
        else
            ep->stats.refused_packets++;
    } else if (p->state != EP_PEER_IDLE) {
        if (!agrees(ep, p, packet) || packet->own_token == 0)
            ep_peer_end(ep, p, -EPROTO);
        else
            go_up(ep, p, in, packet->own_token);
    }
}

/* Ends a connection for which the peer sent RESET. The RESET must carry tx_token or remote_token, the tokens of our
 * message packets and of our READY, which nobody but the peer knows. */
static void on_reset(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p != NULL && p->state == EP_PEER_UP &&
        (ep_same_token(p->tx_token, packet->token) || ep_same_token(p->remote_token, packet->token)))
        ep_peer_end(ep, p, -ECONNRESET);
    else
        ep->stats.refused_packets++;
}

static void on_refuse(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_packet(ep, packet->token, &in->from);
    struct ep_op *op = p != NULL ? ep_op_named(ep, p, packet->msg, packet->number) : NULL;
    if (op == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    ep_shake_heard(ep, p);
    ep_tag_seen(ep, p, packet->token);
    if (op->flags & EP_OP_ENDED)
        ep_op_give_up(ep, op);
    else
        ep_op_end(ep, op, op->flags & EP_OP_CREDITED ? -ENOBUFS : -EMSGSIZE);
}

/* Ends a connection that the peer has closed. */
static void on_close(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_packet(ep, packet->token, &in->from);
    if (p != NULL)
        ep_peer_end(ep, p, -ECONNRESET);
    else
        ep->stats.refused_packets++;
}

/* Answers PING, which reports the peer's tag, and takes note that the peer is there. */
static void on_ping(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet)
{
    struct weir_peer *p = ep_peer_of_packet(ep, packet->token, &in->from);
    if (p == NULL) {
        ep->stats.refused_packets++;
        ep_shake_stranger(ep, in, packet->token);
        return;
    }
    ep_shake_heard(ep, p);
    ep_tag_seen(ep, p, packet->token);
    if (packet->type == WEIR_WIRE_PONG)
        return;
    ep_tag_take(p, packet->counter, packet->value);
    struct weir_wire_handshake pong = {
        .type = WEIR_WIRE_PONG, .token = p->tx_token, .counter = ++p->tx_counter, .value = packet->value
    };
    ep_shake_answer(ep, &in->from, &in->to, &pong);
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

void ep_shake_packet(struct weir_ep *ep, const struct weir_net_in *in)
{
    struct weir_wire_handshake packet;
    enum weir_wire_result result = weir_wire_decode_handshake(in->bytes, in->length, &packet);
    if (result != WEIR_WIRE_OK) {
        ep->stats.checksum_errors += result == WEIR_WIRE_CHECKSUM;
        ep->stats.refused_packets += result != WEIR_WIRE_CHECKSUM;
        return;
    }
    if (packet.type == WEIR_WIRE_HELLO)
        on_hello(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_COOKIE)
        on_cookie(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_OPEN)
        on_open(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_READY)
        on_ready(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_RESET)
        on_reset(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_REFUSE)
        on_refuse(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_CLOSE)
        on_close(ep, in, &packet);
    else if (packet.type == WEIR_WIRE_VERSIONS)
        on_versions(ep, in, &packet);
    else
        on_ping(ep, in, &packet);
}

void ep_shake_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    const struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p == NULL || p->state == EP_PEER_IDLE || p->state == EP_PEER_UP)
        ep_shake_reset(ep, in, token);
}

/* --- silence --- */

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
    send_own(ep, p);
}

/* Asks a silent peer from which a message is arriving whether it is there. The receiver of a sender-driven protocol
 * sends nothing by itself, and would wait for peer_timeout if the peer was restarted. */
static void ask_sender(struct weir_ep *ep, struct weir_peer *p)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (ep->stream && p->arriving > 0 && ep->now_ps - p->since_ps >= WEIR_PS_PER_S)
        ep_shake_alive(ep, p, WEIR_PS_PER_S);
}

/* Runs the timer of a peer. While a message to or from the peer is not complete, the peer is checked after 7/8 of
 * peer_timeout and after all of it, so always twice. A peer from which only replies to calls are missing is sent a
 * PING each second: if it was restarted, it answers with RESET. One that answers nothing for peer_timeout has failed,
 * too. */
void ep_shake_timer(struct weir_ep *ep, struct weir_peer *p)
{
    uint64_t first_ps = ep->peer_timeout_ps / 8 * 7, at_ps;
    bool handshake = p->state == EP_PEER_HELLO || p->state == EP_PEER_OPEN;
    if ((handshake || ep_peer_owes(p) || p->calls > 0) && overdue(ep, p)) {
        if (!handshake)
            ep_shake_close(ep, p);
        ep_peer_end(ep, p, handshake ? -EHOSTUNREACH : -ETIMEDOUT);
        return;
    }
    if (handshake) {
        repeat(ep, p);
        return;
    }
    /* a peer that is not connected has no unfinished messages */
    WEIR_ASSERT(p->state == EP_PEER_UP || !ep_peer_owes(p));
    if (p->state != EP_PEER_UP || (!ep_peer_owes(p) && p->calls == 0))
        return;
    at_ps = ep->now_ps + WEIR_PS_PER_S;
    if (!ep_peer_owes(p))
        ep_shake_alive(ep, p, WEIR_PS_PER_S);
    else if (ep->now_ps - p->since_ps < first_ps)
        at_ps = p->since_ps + first_ps;
    else
        at_ps = p->since_ps + ep->peer_timeout_ps;
    at_ps = weir_min_u64(at_ps, ep_hold_probe(ep, p));
    if (ep_peer_owes(p))
        ask_sender(ep, p);
    if (ep->stream)
        at_ps = weir_min_u64(at_ps, ep->now_ps + WEIR_PS_PER_S);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, at_ps);
}
