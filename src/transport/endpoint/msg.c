/* src/transport/endpoint/msg.c - inbound messages: their records and memory, their completion, and their end.
 *
 * Memory for a message is allocated before its first packet reaches the host. If there is no memory the packet is
 * dropped, and the message waits: see room.c. */
#include "endpoint/msg.h"
#include "endpoint/event.h"
#include "endpoint/head.h"
#include "endpoint/memory.h"
#include "endpoint/offer.h"
#include "endpoint/op.h"
#include "endpoint/parts.h"
#include "endpoint/timer.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER_AGAIN_PS WEIR_PS_PER_MS /* for want of memory an answer is tried again after this time */
#define RESERVE_MAX (16u << 20)        /* most bytes of rx_bytes that large messages must leave free */

_Static_assert(EP_SEND == 1 && EP_CALL == 2 && EP_REPLY == 3 && EP_RELEASED == 4, "the kinds in a message's head");

uint64_t ep_msg_most(const struct weir_ep *ep)
{
    return ep->rx.limit - ep->rx.limit / 4;
}

static struct ep_msg **bucket(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn)
{
    uint64_t key = weir_mix_u64(ep->secret[0] ^ ((uint64_t)peer->number << 32 | conn));
    return &ep->msg_table[key % EP_BUCKETS];
}

struct ep_msg *ep_msg_find(const struct weir_ep *ep, const struct weir_peer *peer, uint32_t conn)
{
    struct ep_msg *m = *bucket(ep, peer, conn);
    while (m != NULL && (m->peer != peer || m->conn != conn))
        m = m->chain;
    return m;
}

/* Allocates a block of 64 records, which stays in the rx budget. @return false: the limit of records is reached, or
 * there is no memory */
static bool more_records(struct weir_ep *ep)
{
    size_t room;
    if (ep->msg_count == ep->msg_most)
        return false;
    struct ep_msg *block = ep_pool_take(ep, &ep->rx, EP_MSGS_BYTES, &room);
    if (block == NULL)
        return false;
    ep->msg_block_bytes += room;
    memset(block, 0, EP_MSGS_BYTES);
    ep->msg_block[ep->msg_count >> EP_MSGS_SHIFT] = block;
    for (uint32_t i = 1u << EP_MSGS_SHIFT; i > 0; i--) {
        block[i - 1].index = ep->msg_count + i - 1;
        block[i - 1].next = ep->msg_free;
        ep->msg_free = &block[i - 1];
    }
    ep->msg_count += 1u << EP_MSGS_SHIFT;
    return true;
}

uint64_t ep_msg_reserve(const struct weir_ep *ep)
{
    return weir_min_u64(ep->rx.limit / 8, RESERVE_MAX);
}

/* Takes memory for a message from the rx budget. A message larger than EP_SMALL_BYTES must leave a part of the budget
 * free for small ones, unless the budget holds nothing but records. @return NULL = no memory now */
static void *take_memory(struct weir_ep *ep, uint64_t bytes, size_t *room)
{
    if (bytes > EP_SMALL_BYTES && ep->rx.used > ep->msg_block_bytes &&
        !ep_pool_has(&ep->rx, bytes + ep_msg_reserve(ep)))
        return NULL;
    return ep_pool_take(ep, &ep->rx, bytes, room);
}

bool ep_msg_fits(const struct weir_ep *ep, uint64_t bytes, uint64_t promised)
{
    uint64_t reserve = ep_msg_reserve(ep), block = 0;
    bool large = bytes > EP_SMALL_BYTES && ep->rx.used + promised > ep->msg_block_bytes;
    if (ep->msg_free == NULL && ep->msg_count == ep->msg_most)
        return false;
    if (bytes > 0)
        block = ep_pool_block(&ep->rx, bytes + (large ? reserve : 0));
    if (ep->msg_free == NULL)
        block += ep_pool_block(&ep->rx, EP_MSGS_BYTES);
    return ep->rx.used + promised + block <= ep->rx.limit;
}

uint32_t ep_msg_window_kib(const struct weir_ep *ep)
{
    uint64_t used = ep->rx.used + ep->promised_bytes, reserve = ep_msg_reserve(ep), free_bytes, most;
    if (ep->offer_head != NULL)
        return UINT32_MAX; /* what the application offers counts, too, and may be for anybody */
    free_bytes = ep->rx.limit - weir_min_u64(used, ep->rx.limit);
    most = weir_min_u64(free_bytes / 5 * 4, EP_SMALL_BYTES);
    if (free_bytes > reserve) /* a block is at most a quarter larger than what it holds */
        most = weir_max_u64(most, (free_bytes - reserve) / 5 * 4);
    return (uint32_t)weir_min_u64(most / 1024, UINT32_MAX - 1);
}

static void list(struct ep_msg *m)
{
    m->flags |= EP_MSG_LISTED;
    m->prev = NULL;
    m->next = m->peer->msgs;
    if (m->next != NULL)
        m->next->prev = m;
    m->peer->msgs = m;
}

static void unlist(struct ep_msg *m)
{
    WEIR_ASSERT(m->flags & EP_MSG_LISTED);
    m->flags &= (uint16_t)~EP_MSG_LISTED;
    if (m->prev != NULL)
        m->prev->next = m->next;
    else
        m->peer->msgs = m->next;
    if (m->next != NULL)
        m->next->prev = m->prev;
}

/* Counts a message as arriving. Its peer, if it had none, is measured from now on (pressure.c). */
static void begins(struct weir_ep *ep, const struct ep_msg *m)
{
    struct weir_peer *p = m->peer;
    if (p->arriving == 0) {
        p->measured_ps = ep->now_ps;
        p->data_bytes = 0;
        p->lags = false;
    }
    ep_timer_await(ep, p);
    if (m->flags & EP_MSG_PARTS) { /* while its window is full, neither end hears the other: ask_resting() */
        p->parts++;
        ep_timer_arm(ep, EP_TIMER_PEER, p->number - 1, ep->now_ps + ep_timer_ask_ps(ep));
    }
    p->arriving++;
    ep->messages_arriving++;
    ep->holders += ep_peer_rx_bytes(p) == 0 && m->room > 0;
    p->arriving_bytes += m->room;
    ep->arriving_bytes += m->room;
}

struct ep_msg *ep_msg_begin(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *pkt, struct ep_op *offer)
{
    uint64_t bytes = (pkt->msg_bytes & EP_LENGTH_MASK) - EP_HEAD_BYTES;
    struct ep_msg *m, **head = bucket(ep, peer, pkt->conn);
    unsigned char *data = NULL;
    size_t room = 0;
    WEIR_ASSERT((pkt->msg_bytes & EP_LENGTH_MASK) >= EP_HEAD_BYTES);
    if (ep->msg_free == NULL && !more_records(ep))
        return NULL;
    if (offer == NULL && bytes > 0 && (data = take_memory(ep, bytes, &room)) == NULL)
        return NULL;
    m = ep->msg_free;
    ep->msg_free = m->next;
    *m = (struct ep_msg){ .link.kind = EP_LINK_MSG,
                          .peer = peer,
                          .data = data,
                          .room = room,
                          .bytes = bytes,
                          .conn = pkt->conn,
                          .handle = pkt->msg,
                          .number = ep_pkt_number(ep, pkt),
                          .index = m->index,
                          .generation = m->generation,
                          .flags = EP_MSG_ARRIVING,
                          .chain = *head };
    *head = m;
    if (offer != NULL)
        ep_offer_claim(ep, offer, m);
    list(m);
    begins(ep, m);
    return m;
}

void ep_msg_store(struct ep_msg *m, const struct weir_pkt *pkt, const unsigned char *payload, uint32_t mss)
{
    uint64_t at = (uint64_t)pkt->seq * mss;
    uint32_t bytes = pkt->payload_bytes;
    WEIR_ASSERT(at + bytes <= EP_HEAD_BYTES + m->bytes);
    if (at == 0) {
        memcpy(m->head, payload, EP_HEAD_BYTES);
        payload += EP_HEAD_BYTES;
        bytes -= EP_HEAD_BYTES;
        at = EP_HEAD_BYTES;
    }
    if (bytes == 0)
        return;
    if (WEIR_UNLIKELY(m->flags & EP_MSG_PARTS))
        ep_parts_store(m->parts, at - EP_HEAD_BYTES, payload, bytes);
    else
        memcpy(m->data + (at - EP_HEAD_BYTES), payload, bytes);
}

static void give_memory(struct weir_ep *ep, struct ep_msg *m)
{
    bool parts = (m->flags & EP_MSG_PARTS) != 0;
    if (parts)
        ep_pool_give(&ep->rx, m->parts, m->parts->room);
    else if (m->room > 0)
        ep_pool_give(&ep->rx, m->data, m->room);
    if (parts || m->room > 0)
        ep->room_due = ep->wait_count > 0;
    m->flags &= (uint16_t)~EP_MSG_PARTS;
    m->data = NULL;
    m->room = 0;
}

/* Tests whether the ring of a message is in use: by its operation, a part that is lent, or its link. */
static bool ring_is_used(const struct ep_msg *m)
{
    return m->flags & EP_MSG_PARTS && (m->offer != NULL || m->parts->leases > 0 || m->parts->queued);
}

/* Adds a message to the queue of those whose answer is due. */
static void released(struct weir_ep *ep, struct ep_msg *m)
{
    WEIR_ASSERT((ep->released_head == NULL) == (ep->released_tail == NULL));
    m->flags |= EP_MSG_RELEASED;
    m->link.next = NULL;
    if (ep->released_tail != NULL)
        ep->released_tail->link.next = &m->link;
    else
        ep->released_head = m;
    ep->released_tail = m;
    ep->released++;
}

void ep_msg_settle(struct weir_ep *ep, struct ep_msg *m)
{
    if (ring_is_used(m))
        return;
    if (m->flags & EP_MSG_PARTS)
        give_memory(ep, m); /* also while a message that was rejected still has to be confirmed */
    if (m->flags & (EP_MSG_ARRIVING | EP_MSG_QUEUED | EP_MSG_LENT | EP_MSG_RELEASED))
        return;
    give_memory(ep, m);
    if (m->flags & EP_MSG_OWED)
        released(ep, m);
    if (m->flags & (EP_MSG_REQUEST | EP_MSG_RELEASED))
        return;
    WEIR_ASSERT(!(m->flags & EP_MSG_LISTED));
    m->generation++;
    m->next = ep->msg_free;
    ep->msg_free = m;
}

void ep_msg_release(struct weir_ep *ep, struct ep_msg *m)
{
    WEIR_ASSERT(m->flags & EP_MSG_LENT); /* else it was released twice */
    m->flags &= (uint16_t)~EP_MSG_LENT;
    ep_msg_settle(ep, m);
}

/* Ends the arrival of a message: the host has all of it, or it is dropped. Removes it from msg_table. */
static void arrived(struct weir_ep *ep, struct ep_msg *m)
{
    struct ep_msg **link = bucket(ep, m->peer, m->conn);
    WEIR_ASSERT(m->flags & EP_MSG_ARRIVING);
    WEIR_ASSERT(m->peer->arriving > 0 && ep->messages_arriving > 0);
    while (*link != m)
        link = &(*link)->chain;
    *link = m->chain;
    m->flags &= (uint16_t)~EP_MSG_ARRIVING;
    m->peer->arriving--;
    m->peer->parts -= (m->flags & (EP_MSG_PARTS | EP_MSG_REJECTED)) != 0;
    ep->messages_arriving--;
    WEIR_ASSERT(m->peer->arriving_bytes >= m->room);
    m->peer->arriving_bytes -= m->room;
    ep->arriving_bytes -= m->room;
    ep->holders -= ep_peer_rx_bytes(m->peer) == 0 && m->room > 0;
}

/* Takes a message from its operation. The operation's event names the peer. */
static struct ep_op *detach(struct ep_msg *m)
{
    struct ep_op *op = m->offer;
    if (op->peer == NULL) {
        op->peer = m->peer;
        m->peer->named++; /* as an offer that names its peer does, until it ends */
    }
    m->offer = NULL;
    op->msg = NULL;
    op->parts = NULL;
    return op;
}

/* Gives the operation of a message that is lost back to the list of offers. If a part of it was handed over, ends the
 * operation instead. */
static void give_back(struct weir_ep *ep, struct ep_msg *m, int result)
{
    struct ep_op *op = m->offer;
    if (m->flags & EP_MSG_PARTS && (m->parts->handed > 0 || m->parts->queued)) {
        ep_op_end(ep, detach(m), result);
        return;
    }
    m->flags &= (uint16_t)~EP_MSG_PARTS;
    m->offer = NULL;
    m->data = NULL;
    ep_offer_back(ep, op);
}

void ep_msg_lost(struct weir_ep *ep, struct ep_msg *m, int result)
{
    if (m->flags & EP_MSG_ARRIVING)
        arrived(ep, m);
    if (m->flags & EP_MSG_LISTED)
        unlist(m);
    m->flags &= (uint16_t) ~(EP_MSG_REQUEST | EP_MSG_OWED);
    if (m->offer != NULL && !(m->flags & EP_MSG_QUEUED))
        give_back(ep, m, result);
    ep_msg_settle(ep, m);
}

void ep_msg_reject(struct weir_ep *ep, struct ep_msg *m, int result)
{
    WEIR_ASSERT(m->flags & EP_MSG_ARRIVING && m->flags & EP_MSG_PARTS && m->offer != NULL);
    m->flags |= EP_MSG_REJECTED;
    if (result != 0)
        ep_op_end(ep, detach(m), result);
    else
        give_back(ep, m, -EPROTO);
    ep_msg_settle(ep, m);
}

/* Moves a complete message into offered memory if an offer fits. The message did not use the offer from its first
 * packet on, because the offer was made later, or because the message might have been a reply. */
static void move_to_offer(struct weir_ep *ep, struct ep_msg *m)
{
    struct ep_op *op = ep_offer_find_whole(ep, m->peer, m->bytes);
    unsigned char *from = m->data;
    size_t room = m->room;
    if (op == NULL)
        return;
    ep_offer_claim(ep, op, m);
    if (m->bytes > 0)
        memcpy(m->data, from, m->bytes);
    m->room = 0;
    ep_pool_give(&ep->rx, from, room);
}

/* Makes the event of a complete message: the event of the offer it uses, else an event of its own. */
static void deliver(struct weir_ep *ep, struct ep_msg *m)
{
    /* the message is complete, and was not delivered before */
    WEIR_ASSERT(!(m->flags & (EP_MSG_ARRIVING | EP_MSG_QUEUED | EP_MSG_LENT)));
    m->flags |= EP_MSG_QUEUED;
    if (m->offer == NULL && ep->offer_head != NULL)
        move_to_offer(ep, m);
    if (m->offer == NULL)
        ep_event_add(ep, &m->link);
    else if (!(m->flags & EP_MSG_PARTS) || m->bytes == 0) /* else with the last part: ep_lend_more() */
        ep_op_end(ep, m->offer, 0);
}

/* Returns the call or EP_RELEASED that a reply answers; NULL = no such operation is waiting. */
static struct ep_op *call_of(const struct weir_ep *ep, const struct ep_msg *m)
{
    uint32_t index = (uint32_t)m->rpc;
    struct ep_op *op = index < ep->op_count ? &ep->ops[index] : NULL;
    if (op == NULL || !ep_op_awaits(op) || op->flags & EP_OP_ENDED || op->peer != m->peer ||
        ep_op_rpc(ep, op) != m->rpc)
        return NULL;
    return op;
}

/* Gives the host a DONE for a call whose reply has arrived, because the peer may not have sent one (is_answered() in
 * endpoint/tx.c). Does nothing if the host does not have the call any more, or if the protocol is sender-driven: then
 * the request has its ACKs. */
static void call_arrived(struct weir_ep *ep, const struct ep_op *call)
{
    struct weir_pkt done = { .kind = WEIR_PKT_DONE,
                             .conn = call->conn,
                             .msg = (uint32_t)(call - ep->ops),
                             .src = WEIR_PKT_HOST(call->peer->number),
                             .wire_bytes = WEIR_PKT_BYTES(ep->host_config.framing.ack_wire_bytes) };
    if (call->flags & EP_OP_IN_HOST && !ep->stream)
        weir_host_rx(ep->host, ep->now_ps, &done, 1);
}

/* Ends the call that a reply answers, or the EP_RELEASED, of whose answer the application sees nothing. */
static void take_reply(struct weir_ep *ep, struct ep_msg *m, struct ep_op *call, uint32_t result)
{
    WEIR_ASSERT(!(m->flags & (EP_MSG_LISTED | EP_MSG_REQUEST | EP_MSG_OWED)));
    call_arrived(ep, call);
    if (call->kind == EP_CALL) {
        m->flags |= EP_MSG_QUEUED;
        call->msg = m;
    }
    ep_op_end(ep, call, -(int)result);
    if (!(m->flags & EP_MSG_QUEUED))
        ep_msg_settle(ep, m);
}

static void count(struct weir_ep *ep, const struct ep_msg *m)
{
    ep->stats.messages_received++;
    ep->stats.bytes_received += m->bytes;
    m->peer->counts.messages_received++;
    m->peer->counts.bytes_received += m->bytes;
}

void ep_msg_complete(struct weir_ep *ep, struct ep_msg *m)
{
    uint32_t result;
    struct ep_op *call;
    bool sound = ep_head_read(m->head, &m->kind, &result, &m->rpc);
    arrived(ep, m);
    call = sound && m->kind == EP_REPLY && m->offer == NULL ? call_of(ep, m) : NULL;
    if (!sound || (m->kind == EP_REPLY && call == NULL)) {
        ep->stats.refused_packets += !sound;
        ep_msg_lost(ep, m, -EPROTO);
        return;
    }
    if (call == NULL || call->kind == EP_CALL)
        count(ep, m);
    if (m->kind == EP_CALL) /* it stays in the list of its peer, as does EP_RELEASED */
        m->flags |= EP_MSG_REQUEST;
    else if (m->kind == EP_RELEASED)
        m->flags |= EP_MSG_OWED;
    else
        unlist(m);
    if (m->kind == EP_REPLY)
        take_reply(ep, m, call, result); /* replies without a waiting call were dropped above */
    else
        deliver(ep, m);
}

void ep_msg_answer(struct weir_ep *ep)
{
    struct ep_msg *m;
    while ((m = ep->released_head) != NULL && ep->now_ps >= ep->released_again_ps) {
        /* without OWED the connection has ended */
        if (m->flags & EP_MSG_OWED && !ep_op_answer(ep, m->peer, m->rpc, m->conn)) {
            ep->released_again_ps = ep->now_ps + ANSWER_AGAIN_PS;
            return;
        }
        ep->released_head = (struct ep_msg *)m->link.next;
        if (ep->released_head == NULL)
            ep->released_tail = NULL;
        ep->released--;
        if (m->flags & EP_MSG_LISTED)
            unlist(m);
        m->flags &= (uint16_t) ~(EP_MSG_OWED | EP_MSG_RELEASED);
        ep_msg_settle(ep, m);
    }
}

struct ep_msg *ep_msg_of_rpc(const struct weir_ep *ep, uint64_t rpc)
{
    uint32_t entry = (uint32_t)rpc;
    if (entry == 0 || entry > ep->msg_count)
        return NULL;
    struct ep_msg *m = &ep->msg_block[(entry - 1) >> EP_MSGS_SHIFT][(entry - 1) & ((1u << EP_MSGS_SHIFT) - 1)];
    return m->flags & EP_MSG_REQUEST && ep_msg_rpc(m) == rpc ? m : NULL;
}

void ep_msg_answered(struct weir_ep *ep, struct ep_msg *m)
{
    WEIR_ASSERT(m->flags & EP_MSG_REQUEST);
    m->flags &= (uint16_t)~EP_MSG_REQUEST;
    unlist(m);
    ep_msg_settle(ep, m);
}
