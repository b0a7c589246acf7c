/* src/transport/endpoint/rx.c - processes received datagrams: finds the peer of a packet and the memory for its
 * message, and gives it to the host. */
#include "endpoint/rx.h"
#include "core/credit_ops.h"
#include "endpoint/area.h"
#include "endpoint/ack.h"
#include "endpoint/connect.h"
#include "endpoint/lend.h"
#include "endpoint/msg.h"
#include "endpoint/hold.h"
#include "endpoint/offer.h"
#include "endpoint/op.h"
#include "endpoint/options.h"
#include "endpoint/peer.h"
#include "endpoint/pressure.h"
#include "endpoint/records.h"
#include "endpoint/room.h"
#include "endpoint/shake.h"
#include "endpoint/shake_tx.h"
#include "endpoint/share.h"
#include "endpoint/tag.h"
#include "endpoint/unseal.h"
#include <errno.h>

/* time without a read of the strangers' queue per datagram read: so at most 33,000 a second are read */
#define STRANGER_PS (30 * WEIR_PS_PER_US)
/* shortest time between two reads of the strangers' queue .. */
#define ASK_PS (50 * WEIR_PS_PER_US)
/* .. of an endpoint that has just received datagrams of peers: an empty read costs as much as one of some packets */
#define ASK_BUSY_PS (500 * WEIR_PS_PER_US)

/* Kinds of packets that an endpoint accepts, one bit per value of enum weir_pkt_kind: of sender-driven protocols, of
 * receiver-driven ones. */
#define STREAM_KINDS                                                                                                   \
    (1u << WEIR_PKT_DATA | 1u << WEIR_PKT_ACK | 1u << WEIR_PKT_DONE | 1u << WEIR_PKT_ABORT | 1u << WEIR_PKT_NOTICE)
#define CREDIT_KINDS                                                                                                   \
    (1u << WEIR_PKT_DATA | 1u << WEIR_PKT_REQUEST | 1u << WEIR_PKT_CREDIT | 1u << WEIR_PKT_DONE |                      \
     1u << WEIR_PKT_CONTROL | 1u << WEIR_PKT_ABORT | 1u << WEIR_PKT_NOTICE)

void ep_rx_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    struct weir_ep *ep = ctx;
    (void)src, (void)msg, (void)now_ps, (void)marks;
    ep->delivered = true;
}

void ep_rx_dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps)
{
    struct weir_ep *ep = ctx;
    WEIR_ASSERT(src >= 1 && src <= ep->peer_count);
    struct ep_msg *m = ep_msg_find(ep, &ep->peers[src - 1], conn);
    (void)now_ps;
    if (m != NULL)
        ep_msg_lost(ep, m, -ECONNABORTED);
}

uint32_t ep_rx_bound(void *ctx, uint32_t src, uint32_t conn)
{
    const struct weir_ep *ep = ctx;
    WEIR_ASSERT(src >= 1 && src <= ep->peer_count);
    const struct weir_peer *p = &ep->peers[src - 1];
    const struct ep_msg *m = p->parts > 0 ? ep_msg_find(ep, p, conn) : NULL;
    return m != NULL ? ep_lend_bound(ep, m) : UINT32_MAX;
}

/* Returns offered memory that a new message may use; NULL = there is none. A reply may use none. The first packet of a
 * message shows whether it is a reply. For any other packet the result is NULL while a call waits for a reply of this
 * peer. An exception is a message that no other memory can hold and that comes part by part: its first packet is looked
 * at before the first part (ep_lend_advance()). */
static struct ep_op *find_offer(const struct weir_ep *ep, const struct weir_peer *p, const struct weir_pkt *pkt,
                                const unsigned char *payload, uint64_t bytes)
{
    bool first = pkt->kind == WEIR_PKT_DATA && pkt->seq == 0, unsure = !first && p->calls != 0;
    struct ep_op *op;
    if (ep->offer_head == NULL || (first && payload[0] == EP_REPLY) || (unsure && bytes <= ep_msg_most(ep)))
        return NULL;
    op = ep_offer_find(ep, p, bytes);
    return op != NULL && unsure && op->parts == NULL ? NULL : op;
}

/* Makes a record for a new message in offered memory; without an offer, in memory of the rx budget that is not promised
 * to others. offer: NULL = none. @return NULL: there is none */
static struct ep_msg *find_memory(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt,
                                  struct ep_op *offer, uint64_t bytes)
{
    if (offer == NULL && !ep_room_is_for(ep, p, pkt->conn, bytes))
        return NULL;
    return ep_msg_begin(ep, p, pkt, offer);
}

/* Makes a record for a new message, in offered memory or in memory of the rx budget. @return NULL: the caller drops the
 * packet. The packet is malformed, the message is too large (then REFUSE is sent), or there is no memory now. Or the
 * endpoint is shut down, and waits for no reply of this peer */
static struct ep_msg *admit(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt,
                            const unsigned char *payload)
{
    uint64_t bytes = pkt->msg_bytes & EP_LENGTH_MASK;
    bool whole = pkt->kind != WEIR_PKT_DATA || pkt->seq != 0 || pkt->payload_bytes >= EP_HEAD_BYTES;
    struct ep_op *offer;
    struct ep_msg *m;
    if (bytes < EP_HEAD_BYTES || !whole) {
        ep->stats.refused_packets++;
        return NULL;
    }
    if (ep->shut && p->calls == 0)
        return NULL;
    bytes -= EP_HEAD_BYTES;
    offer = find_offer(ep, p, pkt, payload, bytes);
    if (offer == NULL && bytes > ep_msg_most(ep)) {
        ep->stats.refused_packets++;
        if (ep_shake_ration(ep))
            ep_shake_refuse(ep, p, ep_pkt_number(ep, pkt), pkt->msg);
        return NULL;
    }
    m = find_memory(ep, p, pkt, offer, bytes);
    if (m == NULL) {
        ep_share_note(ep, p, bytes);
        if (ep_pressure_relieve(ep)) { /* it has ended peers, and so may have given an offer back */
            if (p->state != EP_PEER_UP)
                return NULL; /* this one */
            m = find_memory(ep, p, pkt, find_offer(ep, p, pkt, payload, bytes), bytes);
        }
    }
    if (m != NULL) {
        ep_room_leave(ep, p, pkt->conn);
        return m;
    }
    ep->stats.no_memory++;
    ep_room_refuse(ep, p, pkt, bytes);
    return NULL;
}

static void to_host(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    p->used = true;
    ep->delivered = false;
    if (pkt->hops > 0)
        (void)weir_host_rx_hops(ep->host, ep->now_ps, pkt, ep->hop, NULL);
    else
        weir_host_rx(ep->host, ep->now_ps, pkt, 1);
}

/* Refuses a message that was rejected, under the ration: its sender repeats its packets until it obeys. */
static void reject(struct weir_ep *ep, struct weir_peer *p, const struct ep_msg *m)
{
    ep->stats.refused_packets++;
    if (ep_shake_ration(ep))
        ep_shake_refuse(ep, p, m->number, m->handle);
}

/* Notes what a packet has added to a message that is handed over part by part. A message that no operation for parts
 * can take is rejected. */
static void note_parts(struct weir_ep *ep, struct weir_peer *p, struct ep_msg *m, bool whole)
{
    if (ep_lend_advance(ep, m, whole ? UINT32_MAX : weir_host_edge(ep->host, p->number, m->conn))) {
        if (whole)
            ep_msg_complete(ep, m);
        return;
    }
    if (whole) {
        ep_msg_complete(ep, m); /* which drops it */
        return;
    }
    ep_msg_reject(ep, m, 0);
    weir_host_rx_bound(ep->host, ep->now_ps, p->number, m->conn);
    reject(ep, p, m);
}

/* Processes DATA or REQUEST of a message that is handed over part by part, or was. Its sender hears of the bound with
 * its first packet, when it asks, and when it sends beyond it. */
static void to_parts(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt, const unsigned char *payload,
                     struct ep_msg *m, bool begins)
{
    uint64_t before = ep->host_stats->rx_new_bytes;
    uint32_t bound = ep_lend_bound(ep, m);
    bool data = pkt->kind == WEIR_PKT_DATA, beyond = data && pkt->seq >= bound;
    if (m->flags & EP_MSG_REJECTED) {
        reject(ep, p, m);
        return;
    }
    ep->delivered = false;
    if (beyond)
        ep->stats.refused_packets++;
    else
        to_host(ep, p, pkt);
    if (begins && !ep->delivered && weir_host_inbound(ep->host, p->number, pkt) == WEIR_INBOUND_NEW) {
        ep_msg_lost(ep, m, -EPROTO); /* the host does not have it */
        return;
    }
    if ((begins || beyond || !data) && !ep->delivered)
        ep_shake_notice(ep, p, pkt, WEIR_WIRE_BOUND, bound);
    if (ep->host_stats->rx_new_bytes != before) {
        ep_msg_store(m, pkt, payload, ep->mss);
        note_parts(ep, p, m, ep->delivered);
    }
}

/* Processes DATA or REQUEST. Makes a record for a new message before the host receives the packet, stores payload that
 * is new, and completes the message with its last packet. about: the same packet as of a receiver-driven protocol */
static void to_message(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt,
                       const struct weir_pkt *about, const unsigned char *payload)
{
    enum weir_host_inbound known = weir_host_inbound(ep->host, p->number, pkt);
    uint64_t before = ep->host_stats->rx_new_bytes;
    struct ep_msg *m = NULL;
    if (known == WEIR_INBOUND_BEYOND) {
        ep->stats.refused_packets++;
        return;
    }
    if (known == WEIR_INBOUND_NEW && (m = admit(ep, p, about, payload)) == NULL)
        return;
    if (known == WEIR_INBOUND_OPEN)
        m = ep_msg_find(ep, p, pkt->conn);
    if (m != NULL && ep->stream && EP_HEAD_BYTES + m->bytes != about->msg_bytes) {
        ep->stats.refused_packets++; /* its place would be beyond the end */
        return;
    }
    if (m != NULL && WEIR_UNLIKELY(m->flags & (EP_MSG_PARTS | EP_MSG_REJECTED))) {
        to_parts(ep, p, pkt, payload, m, known == WEIR_INBOUND_NEW);
        return;
    }
    to_host(ep, p, pkt);
    if (m == NULL)
        return;
    if (ep->host_stats->rx_new_bytes != before)
        ep_msg_store(m, about, payload, ep->mss);
    if (ep->delivered)
        ep_msg_complete(ep, m);
    else if (known == WEIR_INBOUND_NEW && weir_host_inbound(ep->host, p->number, pkt) == WEIR_INBOUND_NEW)
        ep_msg_lost(ep, m, -EPROTO); /* the host refused the message */
}

/* Marks the operation that a CREDIT or an ACK is for, if the peer has begun to receive its message. If the message was
 * held, the host begins it anew for this packet: the CREDIT must be one that the host takes. An ACK must be with the
 * host already: a late one may be of the message that had the handle before, and says nothing about this one. */
static void note_begun(struct weir_ep *ep, const struct weir_peer *p, const struct weir_pkt *pkt)
{
    struct ep_op *op = pkt->msg < ep->op_count ? &ep->ops[pkt->msg] : NULL;
    if (op == NULL || !(op->flags & EP_OP_IN_HOST) || op->peer != p || (!ep->stream && op->conn != pkt->conn))
        return;
    if (ep->stream && !weir_host_begun(ep->host, pkt->msg))
        return;
    op->flags |= EP_OP_CREDITED;
    ep_op_unask(op);
    if (WEIR_UNLIKELY(op->flags & EP_OP_BOUNDED)) /* a CREDIT, which names packets within the bound */
        ep_op_bound(op, (uint64_t)pkt->seq + (uint32_t)pkt->value + 1);
}

/* Tests whether place, payload and END of sender-driven DATA fit the length of its message. */
static bool fits(const struct weir_ep *ep, const struct weir_wire_head *head)
{
    const struct weir_pkt *pkt = &head->pkt;
    WEIR_ASSERT(ep->stream && ep->mss > 0);
    uint64_t bytes = head->msg_bytes, pkts = (bytes + ep->mss - 1) / ep->mss, at = pkt->seq - pkt->ack;
    if (bytes > EP_HEAD_BYTES + ep_message_most(ep) || at >= pkts)
        return false;
    bool last = at + 1 == pkts;
    uint64_t must = last ? bytes - at * ep->mss : ep->mss;
    return pkt->payload_bytes == must && last == ((pkt->flags & WEIR_PKT_END) != 0);
}

/* Processes DATA of a sender-driven protocol: describes its message as DATA of a receiver-driven one does. */
static void to_stream(struct weir_ep *ep, struct weir_peer *p, const struct weir_wire_head *head,
                      const unsigned char *payload)
{
    struct weir_pkt about = head->pkt;
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (!fits(ep, head)) {
        ep->stats.refused_packets++;
        return;
    }
    about.msg_bytes = head->msg_bytes;
    about.seq -= about.ack;
    to_message(ep, p, &head->pkt, &about, payload);
}

/* Sets the queueing delay of DATA to what switches have written into its area, in our unit. */
static void take_area(const struct weir_ep *ep, struct weir_wire_head *head)
{
    uint64_t delay_ps = 0;
    if (!ep->reads_delay || !head->stream)
        return;
    if (head->area_kind == WEIR_WIRE_AREA_64NS || head->area_kind == WEIR_WIRE_AREA_US)
        delay_ps = WEIR_WIRE_SIGNAL_DELAY(head->signal) * ep_area_unit_ps(head->area_kind);
    head->pkt.qdelay = (uint16_t)weir_min_u64(delay_ps / ep->host_config.qdelay_unit_ps, WEIR_PKT_QDELAY_MAX);
}

/* Sets the queueing delay of an ACK to its round trip less the shortest one to the peer. Does nothing once a switch has
 * raised a delay on the way to the peer. */
static void signal_delay(const struct weir_ep *ep, struct weir_peer *p, struct weir_pkt *ack)
{
    WEIR_ASSERT(ack->kind == WEIR_PKT_ACK && p->state == EP_PEER_UP);
    uint64_t rtt_ps = (ep->now_ps - ack->sent48_ps) & ((UINT64_C(1) << 48) - 1);
    if (ack->qdelay > 0)
        p->raised = true;
    if (p->raised || ack->sent48_ps == 0 || rtt_ps >> 47 != 0) /* a stamp from the future */
        return;
    if (p->least_rtt_ps == 0 || rtt_ps < p->least_rtt_ps)
        p->least_rtt_ps = rtt_ps;
    ack->qdelay =
        (uint16_t)weir_min_u64((rtt_ps - p->least_rtt_ps) / ep->host_config.qdelay_unit_ps, WEIR_PKT_QDELAY_MAX);
}

/* Notes what an ACK says besides what the host reads. Sets its delay if no switch has raised one. */
static void take_ack(struct weir_ep *ep, struct weir_peer *p, struct weir_wire_head *head)
{
    WEIR_ASSERT(ep->stream); /* others have no ACKs */
    p->room_kib = head->window_kib;
    if (ep->slots > 0)
        ep_records_note(ep, p, &head->pkt);
    if (ep->reads_delay) {
        ep->stats.raised_delays += head->pkt.qdelay > 0;
        signal_delay(ep, p, &head->pkt);
    }
}

/* Tests whether a packet gives credit for a message of ours. */
static bool gives_credit(const struct weir_ep *ep, const struct weir_pkt *pkt)
{
    WEIR_ASSERT(!ep->stream || (pkt->kind != WEIR_PKT_CREDIT && pkt->kind != WEIR_PKT_CONTROL)); /* is_of_host() */
    if (pkt->kind == WEIR_PKT_CREDIT)
        return weir_host_takes_credit(pkt);
    return pkt->kind == WEIR_PKT_CONTROL && (pkt->flags & WEIR_PKT_OWN) != 0 && pkt->seq < WEIR_CONTROL_KINDS &&
           (ep->host_config.credit->credit_kinds >> pkt->seq & 1) != 0;
}

static void to_machine(struct weir_ep *ep, struct weir_peer *p, struct weir_wire_head *head,
                       const struct weir_net_in *in)
{
    struct weir_pkt *pkt = &head->pkt;
    const unsigned char *payload = in->bytes + weir_wire_head_bytes(head);
    pkt->src = WEIR_PKT_HOST(p->number);
    pkt->flags |= in->ecn == WEIR_NET_CE ? WEIR_PKT_CE : 0;
    take_area(ep, head);
    if (ep->slots > 0)
        ep_records_take(ep, head);
    if (pkt->kind == WEIR_PKT_DATA) {
        p->data_bytes += pkt->payload_bytes;
        p->counts.marked += (pkt->flags & WEIR_PKT_CE) != 0;
        p->spent = pkt->ack;
    }
    if (gives_credit(ep, pkt))
        note_begun(ep, p, pkt);
    if (pkt->kind == WEIR_PKT_ACK)
        take_ack(ep, p, head);
    if (head->stream)
        to_stream(ep, p, head, payload);
    else if (pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_REQUEST)
        to_message(ep, p, pkt, pkt, payload);
    else if (pkt->kind == WEIR_PKT_NOTICE && (!ep->stream || pkt->seq >= WEIR_WIRE_NO_ROOM))
        ep_hold_notice(ep, p, pkt);
    else if (pkt->kind == WEIR_PKT_ACK)
        ep_ack_to_host(ep, p, head);
    else
        to_host(ep, p, pkt);
    if (pkt->kind == WEIR_PKT_ACK)
        note_begun(ep, p, pkt);
    if (pkt->kind == WEIR_PKT_ABORT)
        ep_room_leave(ep, p, pkt->conn);
}

/* Tests whether our host processes packets of this kind. */
static bool is_of_host(const struct weir_ep *ep, const struct weir_wire_head *head)
{
    uint32_t kinds = ep->stream ? STREAM_KINDS : CREDIT_KINDS;
    if (head->pkt.kind == WEIR_PKT_DATA && head->stream != ep->stream)
        return false;
    return (kinds >> head->pkt.kind & 1) != 0;
}

/* Processes a packet that a connected peer has sent. */
static void from_peer(struct weir_ep *ep, struct weir_peer *p, struct weir_wire_head *head,
                      const struct weir_net_in *in)
{
    if (!is_of_host(ep, head)) {
        ep->stats.refused_packets++;
        return;
    }
    ep_connect_heard(ep, p);
    p->counts.packets_received++;
    ep_tag_seen(ep, p, head->token);
    to_machine(ep, p, head, in);
}

/* Processes a message packet of a connection with keys. */
static void sealed_packet(struct weir_ep *ep, struct weir_net_in *in)
{
    struct weir_peer *p = ep_unseal(ep, in);
    struct weir_wire_head head;
    if (p == NULL)
        return;
    if (weir_wire_decode_opened(in->bytes, in->length, &ep->host_config.framing, &head) == WEIR_WIRE_OK)
        from_peer(ep, p, &head, in);
    else
        ep->stats.refused_packets++;
}

static void packet(struct weir_ep *ep, const struct weir_net_in *in)
{
    struct weir_wire_head head;
    enum weir_wire_result result = weir_wire_decode(in->bytes, in->length, &ep->host_config.framing, &head);
    struct weir_peer *p;
    if (result != WEIR_WIRE_OK) {
        ep->stats.checksum_errors += result == WEIR_WIRE_CHECKSUM;
        ep->stats.refused_packets += result != WEIR_WIRE_CHECKSUM;
        return;
    }
    /* checked before the token, so that no RESET answers a forged packet */
    if (!head.checked && ep_is_checked(ep)) {
        ep->stats.unchecked_packets++;
        ep->stats.refused_packets++;
        return;
    }
    p = ep_peer_of_packet(ep, head.token, &in->from);
    if (p == NULL) {
        ep_unseal_stranger(ep, in, head.token);
        ep->stats.refused_packets++;
        return;
    }
    from_peer(ep, p, &head, in);
}

static void take(struct weir_ep *ep, struct weir_net_in *in, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int type = weir_wire_type(in[i].bytes, in[i].length);
        ep->stats.packets_received++;
        if (in[i].length > 0 && weir_wire_version(in[i].bytes) != WEIR_WIRE_VERSION)
            ep_shake_other_version(ep, &in[i]);
        else if (type >= WEIR_WIRE_OWN)
            ep_shake_packet(ep, &in[i]);
        else if (ep->keys != NULL)
            sealed_packet(ep, &in[i]);
        else
            packet(ep, &in[i]);
    }
    ep_shake_flush(ep);
}

uint32_t ep_rx_run(struct weir_ep *ep)
{
    int count = ep->net->driver->recv(ep->net, ep->in, WEIR_NET_BATCH);
    if (count < 0) {
        ep->failed = count;
        return 0;
    }
    WEIR_ASSERT(count <= (int)WEIR_NET_BATCH);
    take(ep, ep->in, (uint32_t)count);
    if (ep->stream)
        ep->window_kib = ep_msg_window_kib(ep);
    ep->worked |= count > 0;
    return (uint32_t)count;
}

/* Tests whether the strangers' queue was found empty lately, by a read or by wait(). */
static bool no_strangers(struct weir_ep *ep)
{
    if (ep->net->strangers_none)
        ep->no_strangers_ps = ep->now_ps;
    ep->net->strangers_none = false;
    return ep->no_strangers_ps != 0 && ep->now_ps - ep->no_strangers_ps < (ep->took ? ASK_BUSY_PS : ASK_PS);
}

/* Receives from the strangers' queue, and sets the time of the next read: the more datagrams there were, the later.
 * Datagrams that a flood leaves in the queue cost us no time. */
uint32_t ep_rx_strangers(struct weir_ep *ep)
{
    int count;
    if (!ep->guarded || ep->now_ps < ep->strangers_ps || no_strangers(ep))
        return 0;
    count = ep->net->driver->recv_strangers(ep->net, ep->strange, WEIR_NET_STRANGERS);
    if (count < 0) {
        ep->failed = count;
        return 0;
    }
    ep->net->strangers_wait = count > 0;
    ep->strangers_ps = ep->now_ps + weir_max_u64((uint64_t)count * STRANGER_PS, ASK_PS);
    ep->no_strangers_ps = count == 0 ? ep->now_ps : 0;
    ep->stats.stranger_packets += (uint32_t)count;
    return (uint32_t)count;
}

void ep_rx_waiting(struct weir_ep *ep)
{
    if (ep->wait_count > 0)
        ep_room_run(ep);
    ep_shake_flush(ep); /* also a REFUSE of ep_pressure_relieve() */
}

uint64_t ep_rx_waiting_ps(const struct weir_ep *ep)
{
    return ep->wait_count > 0 ? ep_room_next_ps(ep) : WEIR_NEVER;
}

void ep_rx_take_strangers(struct weir_ep *ep, uint32_t count)
{
    take(ep, ep->strange, count);
}
