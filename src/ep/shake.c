/* src/ep/shake.c - the handshake, and the packets that end a connection or a message.
 *
 * HELLO asks for a cookie. COOKIE answers without keeping any state. OPEN brings the cookie back and so proves the
 * address. READY carries our token. From then on both know what only they know, a token of 64 bits per direction that
 * every packet names. Both may begin at once: a peer has one own token, so both handshakes end in the same pair.
 *
 * No answer is longer than what it answers, and those to unknown senders are rate-limited, so that we cannot be
 * used as an amplifier. The answers to a batch of datagrams leave together: alone they would cost a system call each. */
#include "ep/ep.h"
#include <errno.h>
#include <string.h>

#define FIRST_PS (20 * WEIR_PS_PER_MS)        /* between repetitions, doubled each time .. */
#define LAST_PS WEIR_PS_PER_S                 /* .. up to this, and an eighth of peer_timeout */
#define COOKIE_PS (8 * WEIR_PS_PER_S)         /* cookies of this and of the last such time are good */
#define STRANGER_PS (250 * WEIR_PS_PER_US)    /* one answer to strangers .. */
#define STRANGER_BURST_PS (256 * STRANGER_PS) /* .. and so many after a quiet time */
#define OPEN_TRIES 3u                         /* unanswered: the cookie may be too old, so ask for another */

static uint32_t datagram_most(const struct weir_ep *ep)
{
    return ep->mss + WEIR_WIRE_HEAD_BYTES;
}

/* From the address that the other side knows us by. Lost if the driver has no room: the waiting side asks again. */
static void send_word(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                      const struct weir_wire_word *word)
{
    unsigned char bytes[EP_MTU_MAX];
    uint32_t room = word->type == WEIR_WIRE_HELLO ? datagram_most(ep) : 64;
    struct weir_net_out out = { .to = to, .from = from, .head = bytes };
    out.head_bytes = (uint16_t)weir_wire_encode_word(word, bytes, room);
    int sent = ep->net->driver->send(ep->net, &out, 1);
    if (sent < 0)
        ep->failed = sent;
    ep->stats.packets_sent += sent == 1;
    ep->worked = true;
}

/* Sends the answers made since the last time; lost if the driver has no room. */
void ep_shake_flush(struct weir_ep *ep)
{
    struct weir_net_out out[WEIR_NET_BATCH];
    if (ep->answer_count == 0)
        return;
    for (uint32_t i = 0; i < ep->answer_count; i++) {
        const struct ep_answer *a = &ep->answers[i];
        out[i] = (struct weir_net_out){ .to = &a->to, .from = &a->from, .head = a->word, .head_bytes = a->bytes };
    }
    int sent = ep->net->driver->send(ep->net, out, ep->answer_count);
    if (sent < 0)
        ep->failed = sent;
    ep->stats.packets_sent += sent > 0 ? (uint32_t)sent : 0;
    ep->worked = true;
    ep->answer_count = 0;
}

/* Of the datagram in hand; leaves when its batch is done. */
static void answer(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                   const struct weir_wire_word *word)
{
    struct ep_answer *a = &ep->answers[ep->answer_count++];
    a->to = *to;
    a->from = *from;
    a->bytes = (uint16_t)weir_wire_encode_word(word, a->word, EP_ANSWER_BYTES);
    WEIR_ASSERT(a->bytes > 0);
    if (ep->answer_count == WEIR_NET_BATCH)
        ep_shake_flush(ep);
}

/* @return true if one more answer to a sender that we do not know, or do not trust, may go */
static bool ration(struct weir_ep *ep)
{
    uint64_t paid_ps = weir_max_u64(ep->words_ps, ep->now_ps);
    if (paid_ps - ep->now_ps + STRANGER_PS > STRANGER_BURST_PS) {
        ep->stats.unanswered_packets++;
        return false;
    }
    ep->words_ps = paid_ps + STRANGER_PS;
    return true;
}

static uint32_t epoch_of(const struct weir_ep *ep)
{
    return (uint32_t)(ep->now_ps / COOKIE_PS);
}

static uint64_t cookie_of(const struct weir_ep *ep, const struct weir_net_addr *addr, uint64_t token, uint32_t epoch)
{
    struct {
        struct weir_net_addr addr;
        uint64_t token, epoch;
    } what = { *addr, token, epoch };
    _Static_assert(sizeof(what) == 40, "no padding under the hash");
    return ep_siphash(ep->secret, &what, sizeof(what));
}

static void send_own(struct weir_ep *ep, struct weir_peer *p)
{
    struct weir_wire_word word = { .type = WEIR_WIRE_HELLO, .token = p->own_token };
    if (p->state == EP_PEER_OPEN) {
        word.type = WEIR_WIRE_OPEN;
        word.cookie = p->cookie;
        word.cookie_epoch = p->cookie_epoch;
        word.mss_bytes = ep->mss;
    }
    uint64_t delay_ps = weir_min_u64(p->tries < 6 ? FIRST_PS << p->tries : LAST_PS, LAST_PS);
    uint64_t at_ps = ep->now_ps + weir_min_u64(delay_ps, ep->peer_timeout_ps / 8);
    p->tries++;
    send_word(ep, &p->addr, &p->local, &word);
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, weir_min_u64(at_ps, p->since_ps + ep->peer_timeout_ps));
}

/* The first packet leaves with the next poll: no connection begins inside the application's call. */
void ep_shake_begin(struct weir_ep *ep, struct weir_peer *p)
{
    p->state = EP_PEER_HELLO;
    p->tries = 0;
    p->since_ps = ep->now_ps;
    ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps);
}

void ep_shake_timer(struct weir_ep *ep, struct weir_peer *p)
{
    if (p->state == EP_PEER_OPEN && p->tries >= OPEN_TRIES)
        p->state = EP_PEER_HELLO;
    send_own(ep, p);
}

void ep_shake_heard(struct weir_ep *ep, struct weir_peer *p)
{
    p->heard_ps = p->since_ps = ep->now_ps;
}

/* A token that only these two processes know. An own token is given to the process at an address, and that may be
 * two, one after the other. The late packets of the first must not be taken for the second's. */
static uint64_t pair_token(uint64_t receiver, uint64_t sender)
{
    return (weir_mix_u64(receiver ^ weir_mix_u64(sender)) & ~(uint64_t)UINT16_MAX) | (receiver & UINT16_MAX);
}

static void go_up(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_in *in, uint64_t remote_token)
{
    struct ep_op *next;
    p->local = in->to;
    p->remote_token = remote_token;
    p->rx_token = pair_token(p->own_token, remote_token);
    p->tx_token = pair_token(remote_token, p->own_token);
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

static void on_hello(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_wire_word cookie = { .type = WEIR_WIRE_COOKIE, .token = word->token, .cookie_epoch = epoch_of(ep) };
    if ((ep->shut && ep_peer_find(ep, &in->from) == NULL) || !ration(ep))
        return;
    cookie.cookie = cookie_of(ep, &in->from, word->token, cookie.cookie_epoch);
    answer(ep, &in->from, &in->to, &cookie);
}

static void on_cookie(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_peer *p = ep_peer_of_token(ep, word->token, &in->from);
    if (p == NULL || p->state != EP_PEER_HELLO) {
        ep->stats.refused_packets += p == NULL;
        return;
    }
    p->state = EP_PEER_OPEN;
    p->cookie = word->cookie;
    p->cookie_epoch = word->cookie_epoch;
    p->tries = 0;
    send_own(ep, p);
}

static struct weir_wire_word ready_of(const struct weir_ep *ep, uint64_t token, uint64_t own_token)
{
    return (
        struct weir_wire_word){ .type = WEIR_WIRE_READY, .token = token, .own_token = own_token, .mss_bytes = ep->mss };
}

/* The address is proven. @return its entry, or NULL: there is none to be had, or it is a late packet of an earlier
 * life */
static struct weir_peer *opened_by(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p == NULL)
        return ep->shut ? NULL : ep_peer_make(ep, &in->from);
    if (token == p->old_token)
        return NULL;
    if (p->state == EP_PEER_UP && p->remote_token != token)
        ep_peer_gone(ep, p, -ECONNRESET); /* it was started anew */
    return p;
}

static void on_open(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_wire_word ready;
    struct weir_peer *p = NULL;
    bool recent = epoch_of(ep) - word->cookie_epoch <= 1;
    if (recent && cookie_of(ep, &in->from, word->token, word->cookie_epoch) == word->cookie)
        p = opened_by(ep, in, word->token);
    if (p == NULL) {
        ep->stats.refused_packets++;
        return;
    }
    if (word->mss_bytes != ep->mss) {
        ready = ready_of(ep, word->token, 0);
        answer(ep, &in->from, &in->to, &ready); /* our payload is in it: it will see */
        ep_peer_gone(ep, p, -EPROTO);
        return;
    }
    ready = ready_of(ep, word->token, p->own_token);
    answer(ep, &in->from, &in->to, &ready);
    if (p->state != EP_PEER_UP)
        go_up(ep, p, in, word->token);
    else
        ep_shake_heard(ep, p);
}

static void on_ready(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_peer *p = ep_peer_of_token(ep, word->token, &in->from);
    if (p == NULL) {
        ep->stats.refused_packets++;
        ep_shake_reset(ep, in, word->token);
    } else if (p->state == EP_PEER_UP) {
        if (word->own_token == p->remote_token)
            ep_shake_heard(ep, p);
        else
            ep->stats.refused_packets++;
    } else if (p->state != EP_PEER_IDLE) {
        if (word->mss_bytes != ep->mss)
            ep_peer_gone(ep, p, -EPROTO);
        else
            go_up(ep, p, in, word->own_token);
    }
}

/* It reports that it does not know the token we use: only the true peer can name that. */
static void on_reset(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p != NULL && p->state == EP_PEER_UP && (p->tx_token == word->token || p->remote_token == word->token))
        ep_peer_gone(ep, p, -ECONNRESET);
    else
        ep->stats.refused_packets++;
}

static void on_refuse(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_word *word)
{
    struct weir_peer *p = ep_peer_of_packet(ep, word->token, &in->from);
    struct ep_op *op = word->msg < ep->op_count ? &ep->ops[word->msg] : NULL;
    bool fits = p != NULL && op != NULL && op->flags & EP_OP_IN_HOST && op->peer == p && op->conn == word->number;
    if (!fits) {
        ep->stats.refused_packets++;
        return;
    }
    ep_shake_heard(ep, p);
    if (op->flags & EP_OP_ENDED)
        ep_op_give_up(ep, op);
    else
        ep_op_end(ep, op, -EMSGSIZE);
}

void ep_shake_word(struct weir_ep *ep, const struct weir_net_in *in)
{
    struct weir_wire_word word;
    enum weir_wire_result result = weir_wire_decode_word(in->bytes, in->length, &word);
    if (result != WEIR_WIRE_OK) {
        ep->stats.checksum_errors += result == WEIR_WIRE_CHECKSUM;
        ep->stats.refused_packets += result != WEIR_WIRE_CHECKSUM;
        return;
    }
    if (word.type == WEIR_WIRE_HELLO)
        on_hello(ep, in, &word);
    else if (word.type == WEIR_WIRE_COOKIE)
        on_cookie(ep, in, &word);
    else if (word.type == WEIR_WIRE_OPEN)
        on_open(ep, in, &word);
    else if (word.type == WEIR_WIRE_READY)
        on_ready(ep, in, &word);
    else if (word.type == WEIR_WIRE_RESET)
        on_reset(ep, in, &word);
    else
        on_refuse(ep, in, &word);
}

/* To a packet with an unknown token. Every packet that can come here is longer than the answer. */
void ep_shake_reset(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    struct weir_wire_word reset = { .type = WEIR_WIRE_RESET, .token = token };
    if (ration(ep))
        answer(ep, &in->from, &in->to, &reset);
}

/* A packet of no connection. While we shake hands with its sender it may only be early. */
void ep_shake_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    const struct weir_peer *p = ep_peer_find(ep, &in->from);
    if (p == NULL || p->state == EP_PEER_IDLE || p->state == EP_PEER_UP)
        ep_shake_reset(ep, in, token);
}

/* To the announcement of a message that will never fit. */
void ep_shake_refuse(struct weir_ep *ep, const struct weir_peer *p, const struct weir_pkt *pkt)
{
    struct weir_wire_word refuse = {
        .type = WEIR_WIRE_REFUSE, .token = p->tx_token, .number = pkt->conn, .msg = pkt->msg
    };
    if (ration(ep))
        answer(ep, &p->addr, &p->local, &refuse);
}

/* A sign of life, at most one per every_ps: for a peer that is up a READY changes nothing. */
void ep_shake_alive(struct weir_ep *ep, struct weir_peer *p, uint64_t every_ps)
{
    if (p->alive_ps != 0 && ep->now_ps - p->alive_ps < every_ps)
        return;
    p->alive_ps = ep->now_ps;
    struct weir_wire_word ready = ready_of(ep, p->remote_token, p->own_token);
    send_word(ep, &p->addr, &p->local, &ready);
}

/* We end the connection; to the peer it is a RESET that names the token it uses for us. */
void ep_shake_close(struct weir_ep *ep, const struct weir_peer *p)
{
    struct weir_wire_word reset = { .type = WEIR_WIRE_RESET, .token = p->rx_token };
    send_word(ep, &p->addr, &p->local, &reset);
}
