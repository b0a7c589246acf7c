/* src/transport/endpoint/room.c - see room.h.
 *
 * A sender that hears NO_ROOM sends nothing of the message until ROOM, so ROOM must be reliable and must be true. The
 * receiver repeats it until the message comes, and keeps the memory that it has promised. If the list is full, NO_ROOM
 * says so, and the sender asks again by itself. It also asks now and then in case the list was lost with its owner. */
#include "endpoint/room.h"
#include "endpoint/memory.h"
#include "endpoint/msg.h"
#include "endpoint/offer.h"
#include "endpoint/shake_tx.h"
#include "endpoint/share.h"

#define FIRST_PS (20 * WEIR_PS_PER_MS)     /* time until ROOM is repeated, doubled each time */
#define FIRST_FOR_PS WEIR_PS_PER_S         /* a large message comes before later ones for this time .. */
#define FIRST_EVERY_PS (4 * WEIR_PS_PER_S) /* .. of each of these */
#define TRIES 6u                           /* after so many ROOMs without an answer the message is forgotten */

static uint32_t *bucket(struct weir_ep *ep, uint32_t peer, uint32_t conn)
{
    return &ep->wait_table[weir_mix_u64(ep->secret[1] ^ ((uint64_t)peer << 32 | conn)) % EP_WAIT_BUCKETS];
}

/* Returns the entry of a message; NULL = it is not in the list. */
static struct ep_wait *find(const struct weir_ep *ep, uint32_t peer, uint32_t conn)
{
    uint32_t i = *bucket((struct weir_ep *)(uintptr_t)ep, peer, conn);
    while (i != 0 && (ep->waits[i - 1].peer != peer || ep->waits[i - 1].conn != conn))
        i = ep->waits[i - 1].chain;
    return i != 0 ? &ep->waits[i - 1] : NULL;
}

/* Returns the bytes of the budget that a message takes. */
static uint64_t block_of(const struct weir_ep *ep, uint64_t bytes)
{
    return bytes > 0 ? ep_pool_block(&ep->rx, bytes) : 0;
}

/* Takes a promise back, if there is one. */
static void unpromise(struct weir_ep *ep, struct ep_wait *w)
{
    struct weir_peer *p = &ep->peers[w->peer - 1];
    WEIR_ASSERT(ep->promised_bytes >= w->promised && p->promised_bytes >= w->promised);
    ep->promised_bytes -= w->promised;
    p->promised_bytes -= w->promised;
    ep->holders -= w->promised > 0 && ep_peer_rx_bytes(p) == 0;
    ep->room_due |= w->promised > 0 || w->offer != 0; /* others may have it */
    w->promised = 0;
    if (w->offer != 0)
        ep_offer_keep(ep, &ep->ops[w->offer - 1], NULL);
    w->tries = 0;
}

/* Tests whether memory is kept for a message: there was some, and no other message has taken it. */
static bool is_kept(const struct ep_wait *w)
{
    return w->tries > 0 && (w->promised > 0 || w->offer != 0 || w->bytes == 0);
}

static void drop(struct weir_ep *ep, struct ep_wait *w)
{
    uint32_t index = (uint32_t)(w - ep->waits) + 1, *link = bucket(ep, w->peer, w->conn);
    unpromise(ep, w);
    while (*link != index)
        link = &ep->waits[*link - 1].chain;
    *link = w->chain;
    *(w->prev != 0 ? &ep->waits[w->prev - 1].next : &ep->wait_head) = w->next;
    *(w->next != 0 ? &ep->waits[w->next - 1].prev : &ep->wait_tail) = w->prev;
    w->next = ep->wait_free;
    ep->wait_free = index;
    WEIR_ASSERT(ep->wait_count > 0);
    ep->wait_count--;
}

/* Adds a message to the end of the list. @return NULL = the list is full */
static struct ep_wait *add(struct weir_ep *ep, uint32_t peer, const struct weir_pkt *pkt, uint64_t bytes)
{
    uint32_t index = ep->wait_free, *link = bucket(ep, peer, pkt->conn);
    WEIR_ASSERT(find(ep, peer, pkt->conn) == NULL);
    if (index == 0 && ep->wait_used == EP_WAITS)
        return NULL;
    if (index != 0)
        ep->wait_free = ep->waits[index - 1].next;
    else
        index = ++ep->wait_used;
    struct ep_wait *w = &ep->waits[index - 1];
    *w = (struct ep_wait){ .bytes = bytes,
                           .since_ps = ep->now_ps,
                           .peer = peer,
                           .conn = pkt->conn,
                           .msg = pkt->msg,
                           .first = ep->stream ? pkt->ack : 0,
                           .chain = *link,
                           .prev = ep->wait_tail };
    *link = index;
    *(w->prev != 0 ? &ep->waits[w->prev - 1].next : &ep->wait_head) = index;
    ep->wait_tail = index;
    ep->wait_count++;
    return w;
}

/* Returns until when a large message that waits comes before later ones; 0 = it does not now. It does for its first
 * FIRST_FOR_PS, and again in each FIRST_EVERY_PS: else later ones would take all memory as it becomes free. In
 * between they may pass it, in case the application keeps the memory that it needs. */
static uint64_t first_until_ps(const struct weir_ep *ep, const struct ep_wait *w)
{
    uint64_t at_ps = (ep->now_ps - w->since_ps) % FIRST_EVERY_PS;
    WEIR_ASSERT(ep->now_ps >= w->since_ps);
    if (at_ps >= FIRST_FOR_PS || w->tries > 0 || w->bytes <= EP_SMALL_BYTES)
        return 0;
    return ep_share_allows(ep, &ep->peers[w->peer - 1], w->bytes) ? ep->now_ps + FIRST_FOR_PS - at_ps : 0;
}

/* Tests whether a large message must wait because another one has waited for longer. own: its entry, NULL = none */
static bool must_queue(const struct weir_ep *ep, const struct ep_wait *own)
{
    for (uint32_t i = ep->wait_head; i != 0 && &ep->waits[i - 1] != own; i = ep->waits[i - 1].next)
        if (first_until_ps(ep, &ep->waits[i - 1]) != 0)
            return true;
    return false;
}

bool ep_room_is_for(const struct weir_ep *ep, const struct weir_peer *p, uint32_t conn, uint64_t bytes)
{
    const struct ep_wait *w;
    if (WEIR_LIKELY(ep->wait_count == 0))
        return ep_share_allows(ep, p, bytes); /* whether there is memory, ep_msg_begin() decides */
    w = find(ep, p->number, conn);
    if (w != NULL && w->promised > 0)
        return true;
    if (bytes > EP_SMALL_BYTES && must_queue(ep, w))
        return false;
    return ep_share_allows(ep, p, bytes) && ep_msg_fits(ep, bytes, ep->promised_bytes);
}

void ep_room_refuse(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt, uint64_t bytes)
{
    struct ep_wait *w = find(ep, p->number, pkt->conn);
    bool said, asks = ep->stream && (pkt->flags & WEIR_PKT_RETX) != 0;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (w != NULL && ep->stream && w->first != pkt->ack) { /* its connection has another message now */
        drop(ep, w);
        w = NULL;
    }
    said = w != NULL && w->tries == 0;
    if (said && pkt->kind == WEIR_PKT_DATA && !asks)
        return; /* the next packet of a message that was answered already */
    if (w == NULL) {
        w = add(ep, p->number, pkt, bytes);
    } else if (w->tries > 0) { /* it came, and the memory that was promised was not there */
        unpromise(ep, w);
        w->at_ps = ep->now_ps + FIRST_PS;
    }
    ep_shake_notice(ep, p, pkt, WEIR_WIRE_NO_ROOM, WEIR_WIRE_ROOM_VALUE(ep->stream ? pkt->ack : 0, w != NULL));
}

void ep_room_leave(struct weir_ep *ep, const struct weir_peer *p, uint32_t conn)
{
    struct ep_wait *w = ep->wait_count > 0 ? find(ep, p->number, conn) : NULL;
    if (w != NULL)
        drop(ep, w);
}

void ep_room_forget(struct weir_ep *ep, const struct weir_peer *p)
{
    uint32_t next;
    for (uint32_t i = ep->wait_head; i != 0; i = next) {
        next = ep->waits[i - 1].next;
        if (ep->waits[i - 1].peer == p->number)
            drop(ep, &ep->waits[i - 1]);
    }
}

static void announce(struct weir_ep *ep, struct ep_wait *w)
{
    const struct weir_pkt about = { .conn = w->conn, .msg = w->msg };
    WEIR_ASSERT(w->tries < TRIES);
    w->at_ps = ep->now_ps + (FIRST_PS << w->tries);
    w->tries++;
    ep_shake_notice(ep, &ep->peers[w->peer - 1], &about, WEIR_WIRE_ROOM, WEIR_WIRE_ROOM_VALUE(w->first, 0));
}

/* Repeats the ROOM of a message that does not come, or forgets the message. */
static void repeat(struct weir_ep *ep, struct ep_wait *w)
{
    WEIR_ASSERT(w->tries > 0);
    if (ep->now_ps < w->at_ps)
        return;
    if (!is_kept(w))
        unpromise(ep, w);
    else if (w->tries == TRIES)
        drop(ep, w);
    else
        announce(ep, w);
}

/* Returns an offer that a message may use; NULL = there is none that is not kept for another. */
static struct ep_op *offered(const struct weir_ep *ep, const struct ep_wait *w)
{
    const struct weir_peer *p = &ep->peers[w->peer - 1];
    return p->calls == 0 ? ep_offer_find_free(ep, p, w->bytes) : NULL;
}

/* Tests whether a message may have memory now if there is some. A peer with more than its share has to wait. A message
 * of more than most_bytes gets an offer alone. */
static bool may_have(const struct weir_ep *ep, const struct ep_wait *w, uint64_t most_bytes)
{
    if (ep->now_ps < w->at_ps)
        return false;
    if (w->bytes > most_bytes || !ep_share_allows(ep, &ep->peers[w->peer - 1], w->bytes))
        return offered(ep, w) != NULL;
    return true;
}

/* Promises memory to a message if there is some. @return false = there is none, for a message of this size */
static bool promise(struct weir_ep *ep, struct ep_wait *w)
{
    struct weir_peer *p = &ep->peers[w->peer - 1];
    struct ep_op *offer = offered(ep, w);
    WEIR_ASSERT(w->tries == 0 && w->promised == 0 && w->offer == 0);
    if (offer == NULL && !ep_msg_fits(ep, w->bytes, ep->promised_bytes))
        return false;
    if (offer != NULL) {
        ep_offer_keep(ep, offer, w);
    } else {
        w->promised = block_of(ep, w->bytes);
        ep->holders += w->promised > 0 && ep_peer_rx_bytes(p) == 0;
        ep->promised_bytes += w->promised;
        p->promised_bytes += w->promised;
    }
    announce(ep, w);
    return true;
}

void ep_room_run(struct weir_ep *ep)
{
    uint64_t most_bytes = UINT64_MAX; /* larger messages get no memory of the rx budget in this run */
    uint32_t next;
    ep->room_due = false;
    for (uint32_t i = ep->wait_head; i != 0; i = next) {
        struct ep_wait *w = &ep->waits[i - 1];
        next = w->next;
        if (w->tries > 0)
            repeat(ep, w);
        else if (!may_have(ep, w, most_bytes) || promise(ep, w))
            continue;
        else if (w->bytes <= EP_SMALL_BYTES)
            most_bytes = 0; /* there is not even room for a small one */
        else if (first_until_ps(ep, w) != 0)
            most_bytes = weir_min_u64(most_bytes, EP_SMALL_BYTES);
    }
}

uint64_t ep_room_next_ps(const struct weir_ep *ep)
{
    uint64_t at_ps = ep->room_due ? ep->now_ps : WEIR_NEVER;
    for (uint32_t i = ep->wait_head; i != 0; i = ep->waits[i - 1].next) {
        const struct ep_wait *w = &ep->waits[i - 1];
        uint64_t until_ps = w->next != 0 ? first_until_ps(ep, w) : 0;
        if (w->tries > 0 || w->at_ps > ep->now_ps)
            at_ps = weir_min_u64(at_ps, w->at_ps);
        if (until_ps != 0)
            at_ps = weir_min_u64(at_ps, until_ps);
    }
    return at_ps;
}
