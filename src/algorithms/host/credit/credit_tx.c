/* src/algorithms/host/credit/credit_tx.c - outbound messages of a receiver-driven host: requests, DATA, and
 * retransmissions that the receiver asks for. */
#include "core/math.h"
#include "host/common/table.h"
#include "host/credit/control.h"
#include "host/credit/credit_tx.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"
#include <string.h>

static void tx_link(struct host_credit *c, struct credit_peer *peer, struct credit_tx *t)
{
    t->prev = HOST_NONE;
    t->next = peer->tx_head;
    if (t->next != HOST_NONE)
        credit_tx_at(c, t->next)->prev = t->index;
    peer->tx_head = t->index;
}

static void tx_unlink(struct host_credit *c, struct credit_peer *peer, const struct credit_tx *t)
{
    WEIR_ASSERT((t->prev == HOST_NONE) == (peer->tx_head == t->index));
    if (t->prev == HOST_NONE)
        peer->tx_head = t->next;
    else
        credit_tx_at(c, t->prev)->next = t->next;
    if (t->next != HOST_NONE)
        credit_tx_at(c, t->next)->prev = t->prev;
}

static bool tx_asks_first(const struct host_credit *c, const struct weir_tx_msg *m)
{
    return c->ops->request == WEIR_REQUEST_ALWAYS ||
           (c->ops->request == WEIR_REQUEST_UNLESS_UNSCHED && m->unsched_pkts == 0);
}

/* Gives a message of which nothing was sent to the protocol, and announces it unless its first packets do. */
static void tx_start(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_tx *t)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_tx_msg *m = credit_tx_state(t);
    WEIR_ASSERT(m->next == 0 && t->flags & CREDIT_TX_LIVE);
    credit_tx_show(h, t);
    if (WEIR_UNLIKELY(c->ops->tx_reply != NULL) && h->sink.head != NULL)
        c->ops->tx_reply(c->config, m, h->sink.head(h->sink.ctx, host_self(h), t->msg).reply);
    c->ops->tx_message(c->config, c->state, credit_peer_state(peer), m, now_ps);
    if (WEIR_UNLIKELY(t->priority > 0) && c->ops->tx_priority != NULL)
        c->ops->tx_priority(c->config, c->state, credit_peer_state(peer), m, t->priority);
    WEIR_ASSERT(m->unsched_pkts <= m->pkts && m->unsched_pkts <= WEIR_CREDIT_WINDOW_PKTS);
    if (tx_asks_first(c, m))
        host_credit_announce(h, peer, t);
    host_credit_flush(h);
    host_credit_tx_changed(h);
    host_credit_watch(h, now_ps, peer);
}

static void tx_begin(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_tx *t, uint32_t msg,
                     uint64_t bytes)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_tx_msg *m = credit_tx_state(t);
    WEIR_ASSERT(bytes > 0 && bytes >> CREDIT_LENGTH_BITS == 0);
    uint32_t index = t->index, mss = h->mss_bytes, pkts = (uint32_t)((bytes + mss - 1) / mss);
    memset(m, 0, c->ops->tx_bytes);
    *t = (struct credit_tx){ .index = index,
                             .peer = peer->index,
                             .number = WEIR_PKT_CONN(peer->tx_count++),
                             .msg = msg,
                             .bytes = bytes,
                             .since_ps = now_ps,
                             .last_bytes = (uint16_t)(bytes - (uint64_t)(pkts - 1) * mss),
                             .flags = CREDIT_TX_LIVE };
    *m = (struct weir_tx_msg){ .left_bytes = bytes, .pkts = pkts, .order = c->tx_order++ };
    tx_link(c, peer, t);
    tx_start(h, now_ps, peer, t);
}

int host_credit_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes)
{
    struct host_credit *c = host_credit_of(h);
    uint32_t index = 0;
    if (bytes >> CREDIT_LENGTH_BITS != 0 || dst == host_self(h))
        return WEIR_E_RANGE;
    struct credit_peer *peer = host_credit_peer(h, dst);
    void **handle = peer != NULL ? host_ring_entry(h, &c->handles, msg, sizeof(*handle), CREDIT_HANDLES_MAX) : NULL;
    struct credit_tx *t = handle != NULL ? host_pool_take(h, &c->txs, HOST_BLOCK_SHIFT, &index) : NULL;
    if (t == NULL)
        return WEIR_E_MEMORY;
    host_credit_fetch_free(&c->txs);
    WEIR_ASSERT(*handle == NULL); /* the handle was free, as weir_host_send() requires */
    t->index = index;
    *handle = t;
    tx_begin(h, now_ps, peer, t, msg, bytes);
    h->stats.connections = c->txs.count;
    return 0;
}

/* Removes the next packet of the message from the packets to send. *was_sent: set to whether it was sent before.
 * @return its index */
static uint32_t tx_take(struct host_credit *c, struct credit_tx *t, bool *was_sent)
{
    struct weir_tx_msg *m = credit_tx_state(t);
    uint32_t pkt = credit_tx_next(c, t);
    *was_sent = t->again != 0;
    if (WEIR_LIKELY(t->again == 0)) {
        m->next++;
        return pkt;
    }
    struct credit_again *again = host_at(&c->agains, 0, t->again - 1);
    host_ring_drop(&again->ring);
    credit_bit_flip(again->in, pkt);
    WEIR_CHECK(m->again_pkts > 0);
    m->again_pkts--;
    if (again->ring.count == 0) {
        host_pool_give(&c->agains, again, t->again - 1);
        t->again = 0;
    }
    return pkt;
}

static void tx_write(struct weir_host *h, const struct weir_send *send, const struct credit_tx *t, uint32_t seq,
                     uint32_t bytes, bool again, struct weir_pkt *out)
{
    const struct weir_tx_msg *m = send->tx;
    const struct credit_peer *peer = credit_peer_of(send->peer);
    bool unsched = !again && seq < m->unsched_pkts;
    uint32_t flags = (again ? WEIR_PKT_RETX : 0u) | (send->own ? WEIR_PKT_OWN : 0u) |
                     (unsched ? WEIR_PKT_UNSCHED : 0u) | (seq + 1 == m->pkts ? WEIR_PKT_END : 0u);
    *out = (struct weir_pkt){
        .msg_bytes = t->bytes | (uint64_t)m->unsched_pkts << CREDIT_LENGTH_BITS,
        .conn = t->number,
        .msg = t->msg,
        .seq = seq,
        .ack = send->sequence,
        .hash = credit_hash(h, peer),
        .src_word = h->data_src_word | flags,
        .dst_word = WEIR_PKT_DST_WORD(peer->id, WEIR_PKT_DATA),
        .size_word = WEIR_PKT_SIZE_WORD(credit_wire(h, bytes), send->class_id, bytes),
    };
}

/* Writes the DATA packet that the protocol chooses. @return 1; 0 = it chose none */
uint32_t host_credit_tx(struct weir_host *h, uint64_t now_ps, struct weir_pkt *out)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_send send;
    bool again;
    if (!c->ops->tx_next(c->config, c->state, now_ps, &send))
        return 0;
    struct weir_tx_msg *m = send.tx;
    struct credit_tx *t = credit_tx_of(m);
    uint32_t seq = tx_take(c, t, &again), bytes = credit_pkt_bytes(h, m->pkts, t->last_bytes, seq);
    tx_write(h, &send, t, seq, bytes, again, out);
    WEIR_CHECK(m->left_bytes >= bytes);
    m->left_bytes -= bytes;
    credit_tx_show(h, t);
    c->ops->tx_sent(c->config, c->state, send.peer, m);
    if (WEIR_UNLIKELY(c->clocked))
        host_credit_flush(h);
    host_credit_tx_changed(h);
    h->stats.tx_data_pkts++;
    t->since_ps = now_ps;
    if (WEIR_LIKELY(!again)) {
        h->stats.tx_acked_bytes += bytes;
    } else {
        h->stats.retransmissions++;
        h->sink.retransmitted(h->sink.ctx, t->msg);
    }
    return 1;
}

/* Returns the outbound message that a control packet of its receiver is about. state: bits of enum credit_tx_flag that
 * the message may have. @return NULL = the message has ended, and its handle may belong to another one */
static inline struct credit_tx *tx_of(const struct host_credit *c, const struct credit_peer *peer,
                                      const struct weir_pkt *pkt, uint32_t state)
{
    struct credit_tx *t = credit_tx_named(c, pkt->msg);
    return t != NULL && t->flags & state && t->peer == peer->index && t->number == pkt->conn ? t : NULL;
}

/* Removes all queued retransmissions of the message. */
void host_credit_tx_drop_again(const struct weir_host *h, struct credit_tx *t)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_tx_msg *m = credit_tx_state(t);
    bool again;
    while (t->again != 0)
        m->left_bytes -= credit_pkt_bytes(h, m->pkts, t->last_bytes, tx_take(c, t, &again));
}

/* Moves packet pkt to the front of the ring: it is queued for retransmission already, and was requested again. Packets
 * before it may have arrived by now: the receiver gives no credit for them. */
static void again_raise(struct host_ring *ring, uint32_t pkt)
{
    uint32_t i = 0;
    while (*(uint32_t *)host_ring_at(ring, i, sizeof(uint32_t)) != pkt)
        if (++i == ring->count)
            return; /* its bit is that of another packet, a window away */
    for (; i > 0; i--)
        *(uint32_t *)host_ring_at(ring, i, sizeof(uint32_t)) = *(uint32_t *)host_ring_at(ring, i - 1, sizeof(uint32_t));
    *(uint32_t *)host_ring_at(ring, 0, sizeof(uint32_t)) = pkt;
}

/* Queues packet pkt for retransmission. @return false = it is queued already, or no memory: the receiver will request
 * it again */
static bool again_push(struct weir_host *h, struct credit_tx *t, uint32_t pkt)
{
    struct host_credit *c = host_credit_of(h);
    uint32_t index = t->again - 1;
    struct credit_again *again =
        t->again != 0 ? host_at(&c->agains, 0, index) : host_pool_take(h, &c->agains, 0, &index);
    if (again == NULL)
        return false;
    if (credit_bit(again->in, pkt)) {
        again_raise(&again->ring, pkt);
        return false;
    }
    if (!host_ring_room(h, &again->ring, sizeof(uint32_t), again->ring.count + 1, WEIR_CREDIT_WINDOW_PKTS)) {
        if (again->ring.count == 0)
            host_pool_give(&c->agains, again, index);
        return false;
    }
    WEIR_ASSERT(pkt < credit_tx_state(t)->next); /* pkt was sent before */
    t->again = index + 1;
    *(uint32_t *)host_ring_at(&again->ring, again->ring.count++, sizeof(uint32_t)) = pkt;
    credit_bit_flip(again->in, pkt);
    return true;
}

/* Processes a CREDIT that names packets [first, first + pkts) which the receiver misses. Packets sent before are queued
 * for retransmission, once each. Packets not sent yet will be sent in order with this credit. If none of the named
 * packets was sent before, older retransmissions are dropped: they may have arrived, and this credit was not given for
 * them. */
static void tx_again(struct weir_host *h, struct credit_peer *peer, struct credit_tx *t, uint32_t first, uint32_t pkts)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_tx_msg *m = credit_tx_state(t);
    if (first >= m->next)
        host_credit_tx_drop_again(h, t);
    for (uint32_t pkt = first; pkt < m->next && pkt - first < pkts; pkt++) {
        if (!again_push(h, t, pkt))
            continue;
        m->again_pkts++;
        m->left_bytes += credit_pkt_bytes(h, m->pkts, t->last_bytes, pkt);
    }
    credit_tx_show(h, t);
    c->ops->tx_again(c->config, c->state, credit_peer_state(peer), m);
}

/* Begins a held message anew: its receiver has none of its packets. */
static HOST_COLD void tx_resume(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_tx *t)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_tx_msg *m = credit_tx_state(t);
    const struct weir_tx_msg begun = { .left_bytes = t->bytes, .pkts = m->pkts, .order = m->order };
    WEIR_ASSERT(t->flags == CREDIT_TX_HELD);
    h->stats.retransmissions += m->next;
    h->stats.tx_acked_bytes -= t->bytes - m->left_bytes;
    memset(m, 0, c->ops->tx_bytes);
    *m = begun;
    t->flags = CREDIT_TX_LIVE | CREDIT_TX_ANSWERED; /* the answer is to what was sent before, too: no round trip */
    t->since_ps = now_ps;
    t->asked = 0;
    tx_start(h, now_ps, peer, t);
}

/* Returns the state of the outbound message that a protocol's own control packet is about; NULL = it has ended, or is
 * held. If the packet is credit, the receiver has memory for a held message after all, and the message begins anew. */
void *host_credit_tx_of(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    const struct host_credit *c = host_credit_of(h);
    bool is_credit = (c->ops->credit_kinds >> pkt->seq & 1) != 0;
    struct credit_tx *t = tx_of(c, peer, pkt, is_credit ? CREDIT_TX_LIVE | CREDIT_TX_HELD : CREDIT_TX_LIVE);
    if (t != NULL && WEIR_UNLIKELY(t->flags == CREDIT_TX_HELD))
        tx_resume(h, now_ps, peer, t);
    return t != NULL ? credit_tx_state(t) : NULL;
}

/* Processes a CREDIT: passes it to the protocol, and queues the retransmissions that it names unless the message was
 * cancelled or has ended. Refuses a CREDIT for more than WEIR_CREDIT_WINDOW_PKTS packets. */
void host_credit_granted(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    uint32_t more_pkts = (uint32_t)pkt->value;
    struct credit_tx *t = tx_of(c, peer, pkt, CREDIT_TX_LIVE | CREDIT_TX_HELD);
    if (WEIR_UNLIKELY(!weir_host_takes_credit(pkt))) {
        h->stats.refused_pkts++;
        return;
    }
    if (WEIR_UNLIKELY(t != NULL && t->flags == CREDIT_TX_HELD)) /* the receiver has memory for it after all */
        tx_resume(h, now_ps, peer, t);
    struct weir_credit credit = { .now_ps = now_ps,
                                  .first_pkt = pkt->seq,
                                  .pkts = more_pkts + 1,
                                  .sequence = pkt->ack,
                                  .class_id = WEIR_PKT_GRANT_CLASS(pkt->value) };
    c->ops->tx_credit(c->config, c->state, credit_peer_state(peer), t != NULL ? credit_tx_state(t) : NULL, &credit);
    if (WEIR_LIKELY(t != NULL)) {
        host_credit_measure_answer(c, peer, t, now_ps);
        t->since_ps = now_ps;
        t->asked = 0;
        if (WEIR_UNLIKELY(pkt->flags & WEIR_PKT_RETX))
            tx_again(h, peer, t, pkt->seq, credit.pkts);
        else if (WEIR_UNLIKELY(t->flags & CREDIT_TX_BOUNDED)) /* a packet that is credited lies within the bound */
            tx_again(h, peer, t, 0, 0);
    }
    host_credit_tx_changed(h);
}

/* Removes a message from the protocol's queues (tx_done()), and drops its queued retransmissions. */
static void tx_stop(struct weir_host *h, struct credit_peer *peer, struct credit_tx *t)
{
    const struct host_credit *c = host_credit_of(h);
    c->ops->tx_done(c->config, c->state, credit_peer_state(peer), credit_tx_state(t));
    host_credit_tx_drop_again(h, t);
    WEIR_ASSERT(credit_tx_state(t)->again_pkts == 0);
}

/* Ends a message: its handle is free. The caller gives the record back to the pool. */
static void tx_end(struct weir_host *h, struct credit_peer *peer, struct credit_tx *t)
{
    struct host_credit *c = host_credit_of(h);
    WEIR_ASSERT(t->flags != 0);
    if (WEIR_LIKELY(t->flags & CREDIT_TX_LIVE))
        tx_stop(h, peer, t);
    tx_unlink(c, peer, t);
    *(void **)host_ring_at(&c->handles, t->msg, sizeof(void *)) = NULL;
    t->flags = 0;
    host_credit_tx_changed(h);
}

void host_credit_done(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    struct credit_tx *t = tx_of(c, peer, pkt, CREDIT_TX_ANY);
    if (t == NULL || credit_tx_state(t)->next != credit_tx_state(t)->pkts) {
        h->stats.duplicates += t == NULL;
        h->stats.refused_pkts += t != NULL; /* DONE for a message of which not all was sent */
        return;
    }
    host_credit_measure_answer(c, peer, t, now_ps);
    h->stats.tx_done_bytes += t->flags & CREDIT_TX_ABORTED ? 0 : t->bytes;
    tx_end(h, peer, t);
    h->sink.finished(h->sink.ctx, t->msg, now_ps);
    host_pool_give(&c->txs, t, t->index);
}

/* Writes the progress of message msg to *out, see weir_host_flow(). *out must be zeroed before. @return false = no such
 * message, or it was cancelled: *out is unchanged */
bool host_credit_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    struct credit_tx *t = credit_tx_named(host_credit_of(h), msg);
    if (t == NULL || t->flags & CREDIT_TX_ABORTED)
        return false;
    const struct weir_tx_msg *m = credit_tx_state(t);
    out->sent_bytes =
        m->next == m->pkts ? t->bytes : (uint64_t)m->next * h->mss_bytes; /* packets but the last are full */
    return true;
}

/* Cancels a message, see weir_host_cancel(): drops all that is left to send, and sends ABORT. The record remains until
 * the receiver's DONE. */
int host_credit_cancel(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    const struct host_credit *c = host_credit_of(h);
    struct credit_tx *t = credit_tx_named(c, msg);
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    if (t->flags & CREDIT_TX_ABORTED)
        return 0;
    struct credit_peer *peer = credit_peer_at(c, t->peer);
    struct weir_tx_msg *m = credit_tx_state(t);
    if (t->flags & CREDIT_TX_LIVE)
        tx_stop(h, peer, t);
    m->next = m->pkts;
    m->left_bytes = 0;
    m->next_wire_bytes = 0;
    t->flags = CREDIT_TX_ABORTED;
    t->since_ps = now_ps;
    t->asked = 0;
    host_credit_announce(h, peer, t);
    host_credit_flush(h);
    host_credit_tx_changed(h);
    return 0;
}

/* Holds a message, see weir_host_hold(): for the protocol it has ended. */
int host_credit_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    struct credit_tx *t = credit_tx_named(host_credit_of(h), msg);
    (void)now_ps;
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    if (!(t->flags & CREDIT_TX_LIVE))
        return 0;
    tx_stop(h, credit_peer_at(host_credit_of(h), t->peer), t);
    WEIR_ASSERT(t->again == 0); /* tx_stop() drops retransmissions */
    credit_tx_state(t)->next_wire_bytes = 0;
    t->flags = CREDIT_TX_HELD;
    host_credit_tx_changed(h);
    return 0;
}

int host_credit_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    struct credit_tx *t = credit_tx_named(host_credit_of(h), msg);
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    WEIR_ASSERT(t->flags != 0);
    if (t->flags & CREDIT_TX_HELD)
        tx_resume(h, now_ps, credit_peer_at(host_credit_of(h), t->peer), t);
    return 0;
}

/* Sets how urgent a message is, see weir_host_priority(). It is kept for a message that is held, and begins anew. */
int host_credit_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority)
{
    const struct host_credit *c = host_credit_of(h);
    struct credit_tx *t = credit_tx_named(c, msg);
    (void)now_ps;
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    WEIR_ASSERT(credit_peer_at(c, t->peer)->id == dst);
    t->priority = WEIR_PKT_CLASS(priority);
    if (c->ops->tx_priority == NULL || !(t->flags & CREDIT_TX_LIVE))
        return 0;
    c->ops->tx_priority(c->config, c->state, credit_peer_state(credit_peer_at(c, t->peer)), credit_tx_state(t),
                        priority);
    host_credit_tx_changed(h);
    return 0;
}

int host_credit_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    struct credit_tx *t = credit_tx_named(host_credit_of(h), msg);
    (void)now_ps;
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    WEIR_ASSERT(t->flags != 0);
    host_credit_announce(h, credit_peer_at(host_credit_of(h), t->peer), t);
    host_credit_tx_changed(h);
    return 0;
}

/* Ends every message to this peer, without sending a packet and without a call of the sink. */
void host_credit_forget_tx(struct weir_host *h, struct credit_peer *peer)
{
    struct host_credit *c = host_credit_of(h);
    while (peer->tx_head != HOST_NONE) {
        struct credit_tx *t = credit_tx_at(c, peer->tx_head);
        tx_end(h, peer, t);
        host_pool_give(&c->txs, t, t->index);
    }
    WEIR_ASSERT(peer->tx_head == HOST_NONE);
    peer->tx_count = 0;
}

/* Repeats the REQUEST (or ABORT) of each message to this peer for which no CREDIT came and of which no DATA left for
 * some time. That time is 2 * host_credit_answer_ps() at first, and doubles with each repetition, up to 64 * loss_ps.
 * Reasons: the REQUEST, all packets of an unscheduled message, or DONE may have been lost. The protocol may prevent a
 * REQUEST (tx_silent()). Skips a message that is held, or whose unscheduled packets have not all been sent. */
void host_credit_ask(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer)
{
    struct host_credit *c = host_credit_of(h);
    uint64_t answer_ps = host_credit_answer_ps(c, peer);
    for (uint32_t i = peer->tx_head; i != HOST_NONE;) {
        struct credit_tx *t = credit_tx_at(c, i);
        i = t->next;
        if (t->flags & CREDIT_TX_HELD ||
            now_ps - t->since_ps <
                weir_min_u64(answer_ps << (1 + t->asked), c->loss_ps << (1 + CREDIT_ASK_SHIFT_MAX)) ||
            credit_tx_state(t)->next < credit_tx_state(t)->unsched_pkts)
            continue;
        t->since_ps = now_ps;
        if (t->asked < CREDIT_ASK_SHIFT_MAX)
            t->asked++;
        if (c->ops->tx_silent == NULL || !(t->flags & CREDIT_TX_LIVE) ||
            c->ops->tx_silent(c->config, c->state, credit_peer_state(peer), credit_tx_state(t), now_ps))
            host_credit_announce(h, peer, t);
    }
    host_credit_flush(h);
    host_credit_tx_changed(h);
}
