/* src/algorithms/host/credit/credit_rx.c - inbound messages of a receiver-driven host: reassembly in any order, and
 * delivery. No packet is trusted: one that does not fit is dropped and counted. */
#include "host/common/table.h"
#include "host/credit/bound.h"
#include "host/credit/control.h"
#include "host/credit/credit_rx.h"
#include "host/credit/measure.h"
#include "host/credit/peers.h"
#include <string.h>

static void rx_link(struct host_credit *c, struct credit_peer *peer, struct credit_rx *r)
{
    r->prev = HOST_NONE;
    r->next = peer->rx_head;
    if (r->next != HOST_NONE)
        credit_rx_at(c, r->next)->prev = r->index;
    peer->rx_head = r->index;
}

static void rx_unlink(struct host_credit *c, struct credit_peer *peer, const struct credit_rx *r)
{
    WEIR_ASSERT((r->prev == HOST_NONE) == (peer->rx_head == r->index));
    if (r->prev == HOST_NONE)
        peer->rx_head = r->next;
    else
        credit_rx_at(c, r->prev)->next = r->next;
    if (r->next != HOST_NONE)
        credit_rx_at(c, r->next)->prev = r->prev;
}

/* Keeps a message with a bound to it: what host_credit_rx_show() would have credited may lie beyond it. */
static HOST_COLD void rx_show_bounded(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    const struct host_gap *gap = credit_rx_gap(h, r);
    uint32_t pkt = gap != NULL && gap->lost_pkts > 0 ? host_bitmap_first(&gap->lost, m->cum) : m->granted;
    if (m->grant_wire_bytes == 0 || pkt < credit_rx_end(h, peer, r))
        return;
    m->grant_wire_bytes = 0;
    r->flags |= CREDIT_RX_BLOCKED;
}

/* Sets m->grant_wire_bytes, the size of the packet to be credited next, for the protocol to read. That packet is the
 * first one recorded as lost, else the first one not credited yet. 0 = no packet can be credited now; CREDIT_RX_BLOCKED
 * is set if that is because the packet lies beyond the window, or beyond the bound */
void host_credit_rx_show(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    const struct host_gap *gap = credit_rx_gap(h, r);
    m->grant_wire_bytes = 0;
    r->flags &= (uint8_t)~CREDIT_RX_BLOCKED;
    if (WEIR_UNLIKELY(gap != NULL && gap->lost_pkts > 0)) {
        uint32_t pkt = host_bitmap_first(&gap->lost, m->cum);
        m->grant_wire_bytes = credit_wire(h, credit_pkt_bytes(h, m->pkts, r->last_bytes, pkt));
    } else if (m->granted != m->pkts) {
        if (WEIR_UNLIKELY((int64_t)m->granted - m->cum >= WEIR_CREDIT_WINDOW_PKTS))
            r->flags |= CREDIT_RX_BLOCKED;
        else
            m->grant_wire_bytes = credit_wire(h, credit_pkt_bytes(h, m->pkts, r->last_bytes, m->granted));
    }
    if (WEIR_UNLIKELY(r->flags & CREDIT_RX_BOUNDED))
        rx_show_bounded(h, peer, r);
}

/* Tests whether the packet fits a message of `pkts` packets, by its index and payload. */
static bool rx_fits(const struct weir_host *h, uint32_t pkts, uint32_t last_bytes, const struct weir_pkt *pkt)
{
    return pkt->seq < pkts && pkt->payload_bytes == credit_pkt_bytes(h, pkts, last_bytes, pkt->seq);
}

/* Tests whether the packet describes a message that can exist; if the packet is DATA, it must fit that message. */
static bool rx_sound(const struct weir_host *h, const struct weir_pkt *pkt)
{
    uint64_t bytes = pkt->msg_bytes & ((UINT64_C(1) << CREDIT_LENGTH_BITS) - 1), mss = h->mss_bytes;
    uint64_t unsched = pkt->msg_bytes >> CREDIT_LENGTH_BITS, pkts = (bytes + mss - 1) / mss;
    if (bytes == 0 || pkts > UINT32_MAX || unsched > pkts || unsched > WEIR_CREDIT_WINDOW_PKTS)
        return false;
    return pkt->kind != WEIR_PKT_DATA || rx_fits(h, (uint32_t)pkts, (uint32_t)(bytes - (pkts - 1) * mss), pkt);
}

static void rx_begin(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_rx *r,
                     const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_rx_msg *m = credit_rx_state(r);
    uint64_t bytes = pkt->msg_bytes & ((UINT64_C(1) << CREDIT_LENGTH_BITS) - 1);
    uint32_t index = r->index, mss = h->mss_bytes, pkts = (uint32_t)((bytes + mss - 1) / mss);
    uint32_t unsched = (uint32_t)(pkt->msg_bytes >> CREDIT_LENGTH_BITS);
    uint16_t last = (uint16_t)(bytes - (uint64_t)(pkts - 1) * mss);
    WEIR_ASSERT(bytes > 0);
    WEIR_ASSERT(unsched <= pkts && unsched <= WEIR_CREDIT_WINDOW_PKTS);
    memset(m, 0, c->ops->rx_bytes);
    *r = (struct credit_rx){ .index = index,
                             .number = WEIR_PKT_CONN(pkt->conn),
                             .msg = pkt->msg,
                             .last_rx_ps = now_ps - c->late_ps,
                             .last_bytes = last };
    *m = (struct weir_rx_msg){ .left_bytes = bytes,
                               .ungranted_bytes = unsched == pkts ? 0 : bytes - (uint64_t)unsched * mss,
                               .pkts = pkts,
                               .unsched_pkts = unsched,
                               .unsched_wire_bytes = unsched * host_full_wire_bytes(h),
                               .order = c->rx_order++,
                               .granted = unsched };
    if (unsched == pkts)
        m->unsched_wire_bytes += credit_wire(h, last) - host_full_wire_bytes(h);
    credit_rx_bind(h, peer, r);
    host_credit_rx_show(h, peer, r);
    rx_link(c, peer, r);
    if (WEIR_UNLIKELY(c->ops->rx_reply != NULL) && h->sink.head != NULL)
        c->ops->rx_reply(c->config, m, h->sink.head(h->sink.ctx, peer->id, r->msg).reply);
    c->ops->rx_message(c->config, c->state, credit_peer_state(peer), m, now_ps);
    host_credit_watch(h, now_ps, peer);
}

/* Returns the entry of inbound message number rx_base + offset: its record's index + 1; 0 = the message is not known;
 * CREDIT_DONE = it is finished. */
static uint32_t rx_known(const struct credit_peer *peer, uint32_t offset)
{
    if (offset < peer->ring.count)
        return *(uint32_t *)host_ring_at(&peer->ring, offset, sizeof(uint32_t));
    return offset == 0 && peer->rx_head != HOST_NONE ? peer->rx_head + 1 : 0; /* the only one, outside the ring */
}

/* Returns the ring's entry for a new message number rx_base + offset. A message that was alone, outside the ring, first
 * gets its own entry. @return NULL = offset >= CREDIT_RING_MAX, or no memory */
static HOST_COLD uint32_t *rx_entry(struct weir_host *h, struct credit_peer *peer, uint32_t offset)
{
    uint32_t *first = NULL;
    bool alone = peer->ring.count == 0 && peer->rx_head != HOST_NONE;
    if (alone && offset < CREDIT_RING_MAX)
        first = host_ring_entry(h, &peer->ring, 0, sizeof(*first), CREDIT_RING_MAX);
    if (first != NULL)
        *first = peer->rx_head + 1;
    return alone && first == NULL ? NULL : host_ring_entry(h, &peer->ring, offset, sizeof(uint32_t), CREDIT_RING_MAX);
}

/* The message of a packet: OPEN = it has a record, FINISHED = it has ended, STRANGE = it is unknown and cannot
 * begin. */
enum rx_whose { RX_OPEN, RX_FINISHED, RX_STRANGE };

/* Finds the message that a packet belongs to, and begins it if it is new. *out: set to the message with RX_OPEN.
 * @return RX_STRANGE = the message is new, but the packet does not fit, is too far ahead, or there is no memory */
static enum rx_whose rx_get(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt,
                            struct credit_rx **out)
{
    struct host_credit *c = host_credit_of(h);
    uint32_t index, *entry = NULL, known, offset = credit_rx_offset(peer->rx_base, pkt->conn);
    if (offset >= CREDIT_OFFSET_PAST)
        return RX_FINISHED;
    if (WEIR_LIKELY(peer->rx_head != HOST_NONE)) { /* usually the newest message: the ring's line is not needed */
        *out = credit_rx_at(c, peer->rx_head);
        if (WEIR_LIKELY((*out)->number == pkt->conn))
            return RX_OPEN;
        *out = NULL;
    }
    known = rx_known(peer, offset);
    if (known == CREDIT_DONE)
        return RX_FINISHED;
    if (WEIR_LIKELY(known != 0)) {
        *out = credit_rx_at(c, known - 1);
        return RX_OPEN;
    }
    bool alone = offset == 0 && peer->ring.count == 0;
    if (!rx_sound(h, pkt) || (!alone && (entry = rx_entry(h, peer, offset)) == NULL))
        return RX_STRANGE;
    *out = host_pool_take(h, &c->rxs, HOST_BLOCK_SHIFT, &index);
    if (*out == NULL)
        return RX_STRANGE;
    host_credit_fetch_free(&c->rxs);
    (*out)->index = index;
    if (!alone)
        *entry = index + 1;
    h->stats.rx_connections = c->rxs.count;
    rx_begin(h, now_ps, peer, *out, pkt);
    return RX_OPEN;
}

/* Removes packet pkt from those to be credited again: it has arrived after all. */
static void rx_found(struct weir_host *h, struct credit_rx *r, struct host_gap *gap, uint32_t pkt)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    host_bit_flip(&gap->lost, pkt);
    WEIR_ASSERT(gap->lost_pkts > 0);
    gap->lost_pkts--;
    WEIR_ASSERT(m->ungranted_bytes >= credit_pkt_bytes(h, m->pkts, r->last_bytes, pkt));
    m->ungranted_bytes -= credit_pkt_bytes(h, m->pkts, r->last_bytes, pkt);
}

/* Records the arrival of packet pkt of the message. @return HOST_REFUSED = pkt lies beyond the window, or no memory */
static enum host_arrival rx_arrive(struct weir_host *h, struct credit_rx *r, uint32_t pkt)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    if (WEIR_LIKELY(pkt == m->cum && r->gap == 0)) {
        m->cum++;
        return HOST_NEW;
    }
    if (pkt < m->cum)
        return HOST_KNOWN;
    if (pkt - m->cum >= WEIR_CREDIT_WINDOW_PKTS)
        return HOST_REFUSED;
    if (r->gap != 0 && host_bit(&host_gap_at(h, r->gap)->lost, pkt))
        rx_found(h, r, host_gap_at(h, r->gap), pkt);
    return host_arrive(h, &r->gap, &m->cum, pkt);
}

/* Ends a message that is complete and has no credit due, or that was cancelled or forgotten; r->gap must be 0. Its
 * record is freed. Its number stays known as finished. */
void host_credit_rx_finish(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r)
{
    struct host_credit *c = host_credit_of(h);
    WEIR_ASSERT(r->gap == 0);
    WEIR_ASSERT(credit_rx_offset(peer->rx_base, r->number) < CREDIT_RING_MAX);
    c->ops->rx_done(c->config, c->state, credit_peer_state(peer), credit_rx_state(r));
    if (WEIR_UNLIKELY(c->ops->rx_reply != NULL))
        host_credit_tx_changed(h);
    if (WEIR_LIKELY(peer->ring.count == 0)) /* the only message, outside the ring */
        peer->rx_base++;
    else
        *(uint32_t *)host_ring_at(&peer->ring, credit_rx_offset(peer->rx_base, r->number), sizeof(uint32_t)) =
            CREDIT_DONE;
    while (peer->ring.count > 0 && *(uint32_t *)host_ring_at(&peer->ring, 0, sizeof(uint32_t)) == CREDIT_DONE) {
        host_ring_drop(&peer->ring);
        peer->rx_base++;
    }
    rx_unlink(c, peer, r);
    host_pool_give(&c->rxs, r, r->index);
}

/* Delivers a message that is complete: queues DONE for the sender, and calls the sink. Ends it unless the protocol
 * wants to credit the rest (grants_all). */
static void rx_deliver(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_rx *r)
{
    struct weir_pkt *done = host_credit_control(h, peer, WEIR_PKT_DONE);
    WEIR_ASSERT(!(r->flags & CREDIT_RX_DELIVERED));
    WEIR_ASSERT(credit_rx_state(r)->left_bytes == 0 && credit_rx_state(r)->cum == credit_rx_state(r)->pkts);
    if (done != NULL) {
        done->conn = r->number;
        done->msg = r->msg;
    }
    r->flags |= CREDIT_RX_DELIVERED;
    h->sink.delivered(h->sink.ctx, peer->id, r->msg, now_ps, r->marks);
    if (credit_rx_state(r)->ungranted_bytes == 0 || !host_credit_of(h)->ops->grants_all)
        host_credit_rx_finish(h, peer, r);
}

/* Records as lost each packet that is missing although one CREDIT_LATE_PKTS later has arrived. A hole that waited for
 * silence would first stop the message where the window ends. Each packet is judged once, for one that was credited
 * again may arrive as much later. Records nothing if the protocol has no rx_lost(), or no recovery. @return the number
 * of packets recorded */
static uint32_t rx_lose_old(const struct weir_host *h, const struct credit_peer *peer, struct credit_rx *r)
{
    const struct host_credit *c = host_credit_of(h);
    struct weir_rx_msg *m = credit_rx_state(r);
    struct host_gap *gap = credit_rx_gap(h, r);
    uint32_t before, late;
    if (gap == NULL || c->ops->rx_lost == NULL || c->loss_ps == 0)
        return 0;
    before = gap->lost_pkts;
    gap->judged = gap->judged < m->cum ? m->cum : gap->judged;
    late = credit_rx_late(h, peer, r);
    for (; gap->high > gap->judged + late; gap->judged++) {
        uint32_t pkt = gap->judged;
        if (host_bit(&gap->got, pkt) || host_bit(&gap->lost, pkt))
            continue;
        host_bit_flip(&gap->lost, pkt);
        gap->lost_pkts++;
        m->ungranted_bytes += credit_pkt_bytes(h, m->pkts, r->last_bytes, pkt);
    }
    return gap->lost_pkts - before;
}

/* Updates what is to be credited next after an arrival. Notifies the protocol if packets are lost. Also notifies it if
 * there is now something to credit and was nothing before, or the reverse. */
static void rx_reconsider(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_rx *r)
{
    struct host_credit *c = host_credit_of(h);
    struct weir_rx_msg *m = credit_rx_state(r);
    bool before = m->grant_wire_bytes > 0;
    uint32_t lost = rx_lose_old(h, peer, r);
    host_credit_rx_show(h, peer, r);
    if (lost > 0)
        c->ops->rx_lost(c->config, c->state, credit_peer_state(peer), m, lost, now_ps);
    if (before != (m->grant_wire_bytes > 0))
        c->ops->rx_again(c->config, c->state, credit_peer_state(peer), m);
}

/* Processes a DATA packet of a message that has a record: updates the message, and what is to be credited next. */
static enum host_arrival rx_take(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, struct credit_rx *r,
                                 const struct weir_pkt *pkt)
{
    struct weir_rx_msg *m = credit_rx_state(r);
    bool had_gap = r->gap != 0; /* before this packet, which may close the gap */
    enum host_arrival arrival = HOST_REFUSED;
    if (WEIR_LIKELY(rx_fits(h, m->pkts, r->last_bytes, pkt)))
        arrival = rx_arrive(h, r, pkt->seq);
    if (WEIR_LIKELY(arrival != HOST_REFUSED))
        r->last_rx_ps = now_ps - host_credit_of(h)->late_ps;
    if (WEIR_UNLIKELY(arrival != HOST_NEW))
        return arrival;
    WEIR_CHECK(m->left_bytes >= pkt->payload_bytes);
    m->left_bytes -= pkt->payload_bytes;
    h->stats.rx_new_bytes += pkt->payload_bytes;
    r->marks += (pkt->flags & WEIR_PKT_CE) != 0;
    if (WEIR_UNLIKELY(had_gap || r->flags & CREDIT_RX_BLOCKED))
        rx_reconsider(h, now_ps, peer, r);
    return HOST_NEW;
}

/* Reports a DATA packet to the protocol with its telemetry records. r: the packet's message, NULL = finished */
static HOST_COLD void rx_packet_hops(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r,
                                     struct weir_data *data)
{
    const struct host_credit *c = host_credit_of(h);
    struct weir_int_hop hop[WEIR_TELEMETRY_HOPS_MAX];
    data->hop_count = host_hops_unpack(h, hop);
    data->hop = hop;
    c->ops->rx_packet(c->config, c->state, credit_peer_state(peer), r != NULL ? credit_rx_state(r) : NULL, data);
}

/* Processes a DATA packet. A refused packet is not reported to the protocol. If it is malformed, the number that its
 * sender half added (pkt->ack) cannot be trusted. If it was refused for other reasons, a later packet carries the same
 * number or a newer one. */
void host_credit_data(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    struct credit_rx *r = NULL;
    struct weir_data data = { .now_ps = now_ps, .wire_bytes = pkt->wire_bytes, .sequence = pkt->ack, .src = peer->id };
    enum host_arrival arrival = HOST_REFUSED;
    h->stats.rx_data_pkts++;
    h->stats.marked_pkts += (pkt->flags & WEIR_PKT_CE) != 0;
    enum rx_whose whose = rx_get(h, now_ps, peer, pkt, &r);
    if (WEIR_LIKELY(whose == RX_OPEN))
        arrival = rx_take(h, now_ps, peer, r, pkt);
    else if (whose == RX_FINISHED)
        arrival = HOST_KNOWN;
    h->stats.duplicates += arrival == HOST_KNOWN;
    h->stats.rx_again_pkts += arrival == HOST_KNOWN;
    h->stats.refused_pkts += arrival == HOST_REFUSED;
    if (WEIR_UNLIKELY(arrival == HOST_REFUSED))
        return;
    if (WEIR_UNLIKELY(c->paths.count > 0))
        host_credit_measure_data(h, now_ps, peer, pkt, arrival);
    data.payload_bytes = arrival == HOST_NEW ? pkt->payload_bytes : 0;
    data.flags = WEIR_DATA_PAYLOAD | (pkt->flags & WEIR_PKT_CE ? WEIR_DATA_CE : 0) |
                 (pkt->flags & WEIR_PKT_OWN ? WEIR_DATA_OWN : 0) |
                 (pkt->flags & WEIR_PKT_UNSCHED ? WEIR_DATA_UNSCHED : 0) |
                 (arrival == HOST_KNOWN ? WEIR_DATA_KNOWN : 0);
    if (WEIR_UNLIKELY(h->extended & HOST_EXTENDED_READ))
        rx_packet_hops(h, peer, r, &data);
    else
        c->ops->rx_packet(c->config, c->state, credit_peer_state(peer), r != NULL ? credit_rx_state(r) : NULL, &data);
    if (arrival == HOST_NEW && credit_rx_state(r)->left_bytes == 0)
        rx_deliver(h, now_ps, peer, r);
}

/* Queues DONE as the answer to a packet about a message that is finished or delivered. */
static void rx_answer_done(struct weir_host *h, const struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct weir_pkt *done = host_credit_control(h, peer, WEIR_PKT_DONE);
    if (done == NULL)
        return;
    done->conn = pkt->conn;
    done->msg = pkt->msg;
}

/* Processes a REQUEST, which announces a message, perhaps repeatedly. Answers by DONE if the message was delivered, or
 * has ended otherwise. */
void host_credit_request(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct host_credit *c = host_credit_of(h);
    struct credit_rx *r = NULL;
    struct weir_data data = { .now_ps = now_ps, .wire_bytes = pkt->wire_bytes, .src = peer->id };
    h->stats.rx_ack_pkts++;
    if (rx_get(h, now_ps, peer, pkt, &r) == RX_STRANGE) {
        h->stats.refused_pkts++;
        return;
    }
    data.flags = pkt->flags & WEIR_PKT_CE ? WEIR_DATA_CE : 0;
    c->ops->rx_packet(c->config, c->state, credit_peer_state(peer), r != NULL ? credit_rx_state(r) : NULL, &data);
    if (r == NULL || r->flags & CREDIT_RX_DELIVERED) /* NULL: finished */
        rx_answer_done(h, peer, pkt);
}

/* Ends a message that is not complete. Its gap is cleared first, as the pool requires. */
static void rx_drop(struct weir_host *h, struct credit_peer *peer, struct credit_rx *r)
{
    host_gap_drop(h, &r->gap);
    host_credit_rx_finish(h, peer, r);
}

/* Processes an ABORT: the peer has cancelled a message. Ends the message, and queues DONE. An unknown message begins
 * and ends here, so that packets of it that arrive later count as duplicates. */
void host_credit_abort(struct weir_host *h, uint64_t now_ps, struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct credit_rx *r = NULL;
    bool open = host_credit_inbound(h, peer->id, pkt) == WEIR_INBOUND_OPEN;
    if (rx_get(h, now_ps, peer, pkt, &r) == RX_STRANGE) {
        h->stats.refused_pkts++;
        return;
    }
    if (r != NULL && !(r->flags & CREDIT_RX_DELIVERED))
        rx_drop(h, peer, r);
    if (open && h->sink.dropped != NULL)
        h->sink.dropped(h->sink.ctx, peer->id, WEIR_PKT_CONN(pkt->conn), now_ps);
    rx_answer_done(h, peer, pkt);
}

/* Ends every message from this peer, without sending a packet and without a call of the sink. */
void host_credit_forget_rx(struct weir_host *h, struct credit_peer *peer)
{
    while (peer->rx_head != HOST_NONE)
        rx_drop(h, peer, credit_rx_at(host_credit_of(h), peer->rx_head));
    peer->ring.head = peer->ring.count = 0;
    peer->rx_base = 0;
}

/* Returns a peer's inbound message by its number; NULL = it is unknown, was delivered, or has ended. */
struct credit_rx *host_credit_rx_named(const struct weir_host *h, const struct credit_peer *peer, uint32_t number)
{
    uint32_t offset = credit_rx_offset(peer->rx_base, number), known;
    if (offset >= CREDIT_RING_MAX)
        return NULL;
    known = rx_known(peer, offset);
    if (known == 0 || known == CREDIT_DONE)
        return NULL;
    struct credit_rx *r = credit_rx_at(host_credit_of(h), known - 1);
    return r->flags & CREDIT_RX_DELIVERED ? NULL : r;
}

/* Returns the protocol's struct of the inbound message that a packet is about; NULL as above. */
void *host_credit_rx_of(const struct weir_host *h, const struct credit_peer *peer, const struct weir_pkt *pkt)
{
    struct credit_rx *r = host_credit_rx_named(h, peer, pkt->conn);
    return r != NULL ? credit_rx_state(r) : NULL;
}

bool host_credit_owed(const struct weir_host *h, uint32_t src)
{
    const struct host_credit *c = host_credit_of(h);
    const struct credit_peer *peer = credit_peer_known(h, src);
    for (uint32_t i = peer != NULL ? peer->rx_head : HOST_NONE; i != HOST_NONE; i = credit_rx_at(c, i)->next) {
        const struct weir_rx_msg *m = credit_rx_state(credit_rx_at(c, i));
        if (m->left_bytes > m->ungranted_bytes)
            return true;
    }
    return false;
}

enum weir_host_inbound host_credit_inbound(const struct weir_host *h, uint32_t src, const struct weir_pkt *pkt)
{
    const struct host_credit *c = host_credit_of(h);
    const struct credit_peer *peer = credit_peer_known(h, src);
    uint32_t offset = credit_rx_offset(peer != NULL ? peer->rx_base : 0, pkt->conn), known;
    if (offset >= CREDIT_OFFSET_PAST)
        return WEIR_INBOUND_DONE;
    if (offset >= CREDIT_RING_MAX)
        return WEIR_INBOUND_BEYOND;
    known = peer != NULL ? rx_known(peer, offset) : 0;
    if (known == 0)
        return WEIR_INBOUND_NEW;
    if (known == CREDIT_DONE || credit_rx_at(c, known - 1)->flags & CREDIT_RX_DELIVERED)
        return WEIR_INBOUND_DONE;
    return WEIR_INBOUND_OPEN;
}
