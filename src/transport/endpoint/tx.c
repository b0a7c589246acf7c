/* src/transport/endpoint/tx.c - sends message packets: the link's pace, batches, and the payload of each packet.
 *
 * The endpoint takes the place of the NIC in the simulator. Its clock knows when the link is free again. Packets are
 * taken from the host only a little before that time, so that the host decides late which message is sent and how much
 * credit is spent. Packets for which the driver has no room are kept as struct weir_pkt, not as bytes. The application
 * may own their payload again before they leave. */
#include "endpoint/tx.h"
#include "endpoint/area.h"
#include "core/credit_ops.h"
#include "endpoint/ack.h"
#include "endpoint/head.h"
#include "endpoint/options.h"
#include "endpoint/sealed.h"
#include "endpoint/spray.h"
#include "endpoint/timer.h"
#include <string.h>

/* most packets that are deferred while nothing else leaves, replaced CREDITs included */
#define OFF_MOST 16u
#define OFF_MEASURED_MOST 256u /* the same on a path that is measured, if its BDP is large */
#define CREDIT_SHARE 8u        /* part of a measured round trip, and BDP, for which CREDIT is collected */
#define CREDIT_QUANTUM_MOST_PS WEIR_PS_PER_MS
#define BLOCKED_PS (50 * WEIR_PS_PER_US) /* time until the next try after the driver had no room */
#define AGAIN_TRIES 8u
#define AGAIN_OTHERS (2 * WEIR_CREDIT_WINDOW_PKTS) /* all that may be under way, twice */

/* Returns the address of byte `at` of the payload of op; `at` must be below its length. Sets *run to the number of
 * bytes from there to the end of the segment. Remembers the segment in op, because packets mostly go in order. */
static const unsigned char *locate(struct ep_op *op, uint64_t at, uint64_t *run)
{
    if (at < op->iov_base)
        op->iov_at = 0, op->iov_base = 0;
    while (at - op->iov_base >= op->iov[op->iov_at].iov_len)
        op->iov_base += op->iov[op->iov_at++].iov_len;
    WEIR_ASSERT(op->iov_at < op->iov_count);
    const struct iovec *segment = &op->iov[op->iov_at];
    *run = segment->iov_len - (at - op->iov_base);
    return (const unsigned char *)segment->iov_base + (at - op->iov_base);
}

static void gather(struct ep_op *op, uint64_t at, uint32_t bytes, unsigned char *out)
{
    while (bytes > 0) {
        uint64_t run;
        const unsigned char *from = locate(op, at, &run);
        uint32_t some = run < bytes ? (uint32_t)run : bytes;
        memcpy(out, from, some);
        out += some;
        at += some;
        bytes -= some;
    }
}

_Static_assert(WEIR_WIRE_STREAM_BYTES + WEIR_WIRE_AREA_BYTES(EP_SLOTS) + EP_HEAD_BYTES <= EP_TX_HEAD_BYTES,
               "the longest header of DATA, and a message's");

/* Returns the header of a packet to a peer, with the next number. It is to be encoded before the next one is made. */
static struct weir_wire_head head_of(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt)
{
    struct weir_wire_head head = { .pkt = *pkt,
                                   .token = p->tx_token,
                                   .counter = ep_next_counter(ep, p),
                                   .window_kib = pkt->kind == WEIR_PKT_ACK ? ep->window_kib : UINT32_MAX,
                                   .stream = ep->stream,
                                   .checked = ep_is_checked(ep) };
    if (ep->stream && pkt->kind == WEIR_PKT_DATA)
        head.msg_bytes = EP_HEAD_BYTES + ep->ops[pkt->msg].bytes;
    ep_area_reserve(ep, &head);
    if (pkt->kind == WEIR_PKT_ACK)
        ep_ack_complete(ep, pkt, &head);
    return head;
}

/* Returns the index in its message of a DATA packet. */
static uint32_t index_of(const struct weir_ep *ep, const struct weir_pkt *pkt)
{
    WEIR_ASSERT(pkt->kind == WEIR_PKT_DATA);
    return ep->stream ? pkt->seq - pkt->ack : pkt->seq;
}

struct part { /* of a message: what a DATA packet carries */
    struct ep_op *op;
    uint64_t at;          /* place of its payload in the message of the application */
    uint32_t lead, bytes; /* header of the message in front, EP_HEAD_BYTES or 0; payload */
};

static struct part part_of(const struct weir_ep *ep, const struct weir_pkt *pkt)
{
    uint32_t index = index_of(ep, pkt), lead = index == 0 ? EP_HEAD_BYTES : 0;
    struct part part = { .op = &ep->ops[pkt->msg],
                         .at = (uint64_t)index * ep->mss + lead - EP_HEAD_BYTES,
                         .lead = lead,
                         .bytes = pkt->payload_bytes - lead };
    WEIR_ASSERT(part.op->flags & EP_OP_IN_HOST); /* else the application owns its memory */
    WEIR_ASSERT(pkt->payload_bytes >= lead && part.at + part.bytes <= part.op->bytes);
    return part;
}

/* Writes the header of a message, EP_HEAD_BYTES, to out. */
static void write_lead(const struct weir_ep *ep, const struct ep_op *op, unsigned char *out)
{
    uint32_t result = op->error != 0 ? WEIR_APP_ERROR + (uint32_t)op->error : 0;
    WEIR_ASSERT(result == 0 || op->kind == EP_REPLY);
    ep_head_write(out, op->kind, result, ep_op_awaits(op) ? ep_op_rpc(ep, op) : op->rpc);
}

/* Builds a DATA packet. The body is the application's memory if the payload is in one segment, else a copy in scratch.
 * In a first packet the message's header follows the packet's header in tx_head[i]. With CHECKED the message's header
 * is in scratch instead, in front of the payload, because the checksum needs both in one segment. */
static void build_data(struct weir_ep *ep, uint32_t i, const struct weir_pkt *pkt, struct weir_net_out *out)
{
    const struct part part = part_of(ep, pkt);
    struct weir_wire_head head = head_of(ep, part.op->peer, pkt);
    bool apart = part.lead > 0 && head.checked;
    unsigned char *scratch = ep->scratch + (size_t)i * ep->scratch_bytes;
    uint32_t own = weir_wire_head_bytes(&head);
    uint64_t run = 0;
    if (part.lead > 0)
        write_lead(ep, part.op, apart ? scratch : ep->tx_head[i] + own);
    out->head_bytes = (uint16_t)(own + (apart ? 0 : part.lead));
    out->body_bytes = (uint16_t)(apart ? part.bytes + part.lead : part.bytes);
    out->body = part.bytes > 0 && !apart ? locate(part.op, part.at, &run) : NULL;
    if (out->body_bytes > 0 && run < part.bytes + (apart ? 1 : 0)) {
        gather(part.op, part.at, part.bytes, scratch + (apart ? part.lead : 0));
        out->body = scratch;
    }
    weir_wire_encode(&head, head.checked ? out->body : NULL, ep->tx_head[i]);
}

/* Seals a packet into its slot. Payload in one segment is read where it is, else it is gathered in the slot. @return
 * its length */
static uint32_t seal(struct weir_ep *ep, const struct weir_pkt *pkt, unsigned char *slot)
{
    struct weir_peer *p = &ep->peers[pkt->dst - 1];
    struct weir_wire_head head = head_of(ep, p, pkt);
    if (pkt->kind != WEIR_PKT_DATA)
        return ep_sealed_packet(p, &head, NULL, slot);
    const struct part part = part_of(ep, pkt);
    unsigned char *to = slot + weir_wire_head_bytes(&head);
    const unsigned char *payload = to;
    uint64_t run = 0;
    if (part.lead > 0)
        write_lead(ep, part.op, to);
    else
        payload = locate(part.op, part.at, &run);
    if (run < part.bytes) {
        gather(part.op, part.at, part.bytes, to + part.lead);
        payload = to;
    }
    return ep_sealed_packet(p, &head, payload, slot);
}

/* Builds a sealed packet, as it was sealed if it could not be sent before. */
static void build_sealed(struct weir_ep *ep, uint32_t i, struct weir_net_out *out)
{
    uint32_t slot = ep->tx_slot[i];
    unsigned char *bytes = ep->scratch + (size_t)slot * ep->scratch_bytes;
    if (ep->tx_sealed[slot] == 0)
        ep->tx_sealed[slot] = (uint16_t)seal(ep, &ep->txq[i], bytes);
    WEIR_ASSERT(ep->tx_sealed[slot] <= ep->scratch_bytes);
    out->head = bytes;
    out->head_bytes = ep->tx_sealed[slot];
}

static void build(struct weir_ep *ep, uint32_t i, struct weir_net_out *out)
{
    const struct weir_pkt *pkt = &ep->txq[i];
    struct weir_peer *p = &ep->peers[pkt->dst - 1];
    *out = (struct weir_net_out){ .to = &p->addr,
                                  .from = &p->local,
                                  .head = ep->tx_head[i],
                                  .ecn = pkt->flags & WEIR_PKT_ECT ? WEIR_NET_ECT0 : WEIR_NET_NOT_ECT,
                                  .class_id = pkt->class_id };
    if (ep->keys != NULL) {
        build_sealed(ep, i, out);
        return;
    }
    if (pkt->kind == WEIR_PKT_DATA) {
        build_data(ep, i, pkt, out);
        return;
    }
    struct weir_wire_head head = head_of(ep, p, pkt);
    out->head_bytes = (uint16_t)weir_wire_head_bytes(&head);
    weir_wire_encode(&head, NULL, ep->tx_head[i]);
}

/* Tests whether a packet may be deferred until other packets leave, or until there is nothing else to do. DONE may, so
 * that the reply to a request leaves before the DONE of the request. CREDIT may if it is a running total
 * (credit_supersedes): then the last CREDIT of several suffices. CREDIT that names a lost packet, and CONTROL, may
 * not. Packets of sender-driven protocols do not wait: their ACKs measure the round trip. */
static bool can_wait(const struct weir_ep *ep, const struct weir_pkt *pkt)
{
    if (ep->stream)
        return false;
    return pkt->kind == WEIR_PKT_DONE ||
           (pkt->kind == WEIR_PKT_CREDIT && !(pkt->flags & WEIR_PKT_RETX) && ep->host_config.credit->credit_supersedes);
}

static void put_off(struct weir_ep *ep, const struct weir_pkt *pkt)
{
    struct weir_peer *p = &ep->peers[pkt->dst - 1];
    ep->off_packets++;
    if (pkt->kind == WEIR_PKT_CREDIT && p->credit_batch == ep->batch) {
        ep->off[p->credit_slot] = *pkt;
        return;
    }
    ep->off_other |= pkt->kind != WEIR_PKT_CREDIT;
    if (pkt->kind == WEIR_PKT_CREDIT) {
        p->credit_batch = ep->batch;
        p->credit_slot = (uint8_t)ep->off_count; /* below WEIR_NET_BATCH */
        ep->off_credit = true;
    }
    WEIR_ASSERT(ep->off_count < WEIR_NET_BATCH);
    ep->off[ep->off_count++] = *pkt;
}

/* Tests whether one of the first `leaving` packets of txq is the whole reply to the request of this DONE. Then the DONE
 * need not be sent. */
static bool is_answered(const struct weir_ep *ep, const struct weir_pkt *done, uint32_t leaving)
{
    for (uint32_t i = 0; i < leaving && done->kind == WEIR_PKT_DONE; i++) {
        const struct weir_pkt *pkt = &ep->txq[i];
        if (pkt->kind != WEIR_PKT_DATA || pkt->seq != 0 || !(pkt->flags & WEIR_PKT_END) || pkt->dst != done->dst)
            continue;
        const struct ep_op *op = &ep->ops[pkt->msg];
        if (op->kind == EP_REPLY && op->answers == done->conn)
            return true;
    }
    return false;
}

/* Sets how much CREDIT is collected from now on, when CREDIT leaves. With a measured path that is credit for an eighth
 * of the round trip, at most CREDIT_QUANTUM_MOST_PS, or of the BDP. So a round trip takes at most an eighth longer for
 * it, and senders are not woken for few packets. */
static void credit_left(struct weir_ep *ep)
{
    struct weir_host_measured measured;
    uint64_t quantum_ps = ep->quantum_ps;
    if (weir_host_measured(ep->host, &measured)) {
        uint32_t packet = weir_framing_wire(&ep->host_config.framing, ep->mss);
        quantum_ps = weir_min_u64(weir_max_u64(measured.rtt_ps / CREDIT_SHARE, quantum_ps), CREDIT_QUANTUM_MOST_PS);
        WEIR_ASSERT(!ep->paced);
        ep->off_most = weir_clamp_u32(measured.bdp_bytes / CREDIT_SHARE / packet, OFF_MOST, OFF_MEASURED_MOST);
    }
    ep->credit_again_ps = ep->now_ps + quantum_ps;
}

/* Moves the deferred packets to the end of txq, but drops each DONE for which is_answered() holds. */
static void take_off(struct weir_ep *ep)
{
    uint32_t leaving = ep->txq_count;
    WEIR_ASSERT(leaving + ep->off_count <= WEIR_NET_BATCH);
    for (uint32_t i = 0; i < ep->off_count; i++)
        if (!is_answered(ep, &ep->off[i], leaving))
            ep->txq[ep->txq_count++] = ep->off[i];
    if (ep->off_credit)
        credit_left(ep);
    ep->off_count = ep->off_packets = 0;
    ep->off_credit = ep->off_other = false;
    ep->batch++;
}

/* Returns the time from which packets may leave: 0 without a pace, else burst_ps before the link is free. If the pace
 * has stopped packets, it is a quantum later, so that many packets of a long message leave by one system call. */
static uint64_t pace_ps(const struct weir_ep *ep)
{
    if (!ep->paced)
        return 0;
    uint64_t at_ps = ep->tx_free_ps + (ep->collecting ? ep->quantum_ps : 0);
    return at_ps > ep->burst_ps ? at_ps - ep->burst_ps : 0;
}

/* Watches a message of which a packet is sent again. A message is stuck if one and the same packet has been sent again
 * for peer_timeout, at least AGAIN_TRIES times: the way to the peer may carry small packets alone. The packet watched
 * has arrived if many others are sent again and it is not. A receiver asks for packets again only once it has memory
 * for the message, so one without memory may take its time. */
static void note_again(struct weir_ep *ep, struct ep_op *op, uint32_t seq)
{
    bool arrived = op->again_seq != seq && ++op->again_others > AGAIN_OTHERS;
    WEIR_ASSERT(op->flags & EP_OP_IN_HOST);
    WEIR_ASSERT((uint64_t)seq * ep->mss < EP_HEAD_BYTES + op->bytes);
    op->peer->counts.retransmissions++;
    if (op->again_tries == 0 || arrived) {
        op->again_seq = seq;
        op->again_ps = ep->now_ps;
        op->again_tries = 0;
    }
    if (op->again_seq != seq)
        return;
    op->again_others = 0;
    op->again_tries++;
    if (op->again_tries < AGAIN_TRIES || ep->now_ps - op->again_ps < ep->peer_timeout_ps)
        return;
    op->flags |= EP_OP_STUCK;
    ep_timer_arm(ep, EP_TIMER_OP, (uint32_t)(op - ep->ops), ep->now_ps);
}

/* Takes packets from the host as long as the pace allows and there is room. Puts a packet into `off` if can_wait()
 * holds, else into txq. Drops a packet to a peer that is not connected. */
static void fill(struct weir_ep *ep)
{
    struct weir_pkt pkt;
    if (ep->collecting && pace_ps(ep) > ep->now_ps)
        return;
    ep->collecting = false;
    while (ep->txq_count + ep->off_count < WEIR_NET_BATCH && weir_host_ready(ep->host)) {
        ep->collecting = pace_ps(ep) > ep->now_ps;
        if (ep->collecting || weir_host_tx(ep->host, ep->now_ps, &pkt, 1) != 1)
            break;
        WEIR_ASSERT(pkt.dst >= 1 && pkt.dst <= ep->peer_count);
        if (pkt.kind == WEIR_PKT_ACK && pkt.hops > 0)
            ep_ack_keep_echo(ep, &pkt);
        if (ep->peers[pkt.dst - 1].state != EP_PEER_UP)
            continue;
        if (pkt.kind == WEIR_PKT_DATA && ep->stream)
            ep->ops[pkt.msg].conn = ep_stream_number(pkt.conn, pkt.ack);
        if (pkt.kind == WEIR_PKT_DATA && (pkt.flags & WEIR_PKT_RETX) != 0)
            note_again(ep, &ep->ops[pkt.msg], index_of(ep, &pkt));
        else if (pkt.kind == WEIR_PKT_CREDIT)
            ep->peers[pkt.dst - 1].granted = pkt.ack;
        if (can_wait(ep, &pkt))
            put_off(ep, &pkt);
        else
            ep->txq[ep->txq_count++] = pkt;
        ep->tx_free_ps = weir_max_u64(ep->tx_free_ps, ep->now_ps) + weir_tx_clock_advance(&ep->clock, pkt.wire_bytes);
    }
}

/* Moves the slots of the first n packets of txq behind all others: they are free. */
static void free_slots(struct weir_ep *ep, uint32_t n)
{
    uint8_t freed[WEIR_NET_BATCH];
    WEIR_ASSERT(n <= WEIR_NET_BATCH);
    memcpy(freed, ep->tx_slot, n);
    for (uint32_t i = 0; i < n; i++)
        ep->tx_sealed[freed[i]] = 0;
    memmove(ep->tx_slot, ep->tx_slot + n, WEIR_NET_BATCH - n);
    memcpy(ep->tx_slot + WEIR_NET_BATCH - n, freed, n);
}

/* Removes the first n packets of txq, which were sent. */
static void remove_first(struct weir_ep *ep, uint32_t n)
{
    WEIR_ASSERT(n <= ep->txq_count);
    ep->txq_count -= n;
    memmove(ep->txq, ep->txq + n, ep->txq_count * sizeof(ep->txq[0]));
    if (ep->keys != NULL)
        free_slots(ep, n);
}

/* Sends the packets of txq. @return true if the driver accepted all; else packets remain, or ep->failed is set */
static bool flush(struct weir_ep *ep)
{
    struct weir_net_out out[WEIR_NET_BATCH];
    bool sprays = ep->opts.spray_ports > 1;
    if (sprays)
        ep_spray_sort(ep);
    for (uint32_t i = 0; i < ep->txq_count; i++)
        build(ep, i, &out[i]);
    for (uint32_t i = 0; sprays && i < ep->txq_count; i++)
        out[i].port = ep->tx_port[i];
    int sent = ep->net->driver->send(ep->net, out, ep->txq_count);
    ep->worked = true;
    if (sent < 0) {
        ep->failed = sent;
        return false;
    }
    ep->stats.packets_sent += (uint32_t)sent;
    for (uint32_t i = 0; i < (uint32_t)sent; i++)
        ep->peers[ep->txq[i].dst - 1].counts.packets_sent++;
    remove_first(ep, (uint32_t)sent);
    if (ep->txq_count == 0)
        return true;
    ep->blocked_ps = ep->now_ps + BLOCKED_PS;
    return false;
}

/* Sends as ep_tx_run() does. off_most: up to this many packets stay deferred if no other packet leaves. */
static void run(struct weir_ep *ep, uint64_t off_most)
{
    struct weir_pkt none;
    if (weir_host_next_ps(ep->host) <= ep->now_ps)
        (void)weir_host_tx(ep->host, ep->now_ps, &none, 0);
    if (ep->now_ps < ep->blocked_ps)
        return;
    do {
        fill(ep);
        if (ep->txq_count > 0 || ep->off_packets > off_most || ep->off_count == WEIR_NET_BATCH)
            take_off(ep);
    } while (ep->txq_count > 0 && flush(ep));
}

void ep_tx_run(struct weir_ep *ep)
{
    run(ep, weir_max_u64(ep->off_most, OFF_MOST));
}

void ep_tx_put_off_no_more(struct weir_ep *ep)
{
    if (ep->off_count > 0)
        run(ep, 0);
}

/* Tests whether the deferred packets are CREDIT alone, less than a quantum after CREDIT last left. Such CREDIT is
 * collected: sent at once, it would permit only few packets, for which its receiver would need a system call. */
static bool credit_waits(const struct weir_ep *ep)
{
    return ep->off_credit && !ep->off_other && ep->now_ps < ep->credit_again_ps;
}

void ep_tx_idle(struct weir_ep *ep)
{
    if (!credit_waits(ep))
        ep_tx_put_off_no_more(ep);
}

/* Removes the packets for which is(packet, number) holds. @return how many are left */
static uint32_t drop(struct weir_pkt *pkt, uint32_t count, bool (*is)(const struct weir_pkt *pkt, uint32_t number),
                     uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!is(&pkt[i], number))
            pkt[kept++] = pkt[i];
    }
    return kept;
}

static bool is_of_op(const struct weir_pkt *pkt, uint32_t number)
{
    return pkt->kind == WEIR_PKT_DATA && pkt->msg == number;
}

static bool is_to_peer(const struct weir_pkt *pkt, uint32_t number)
{
    return pkt->dst == number;
}

/* Removes packets from txq as drop() does: the slots of the removed packets are free. */
static void drop_queued(struct weir_ep *ep, bool (*is)(const struct weir_pkt *pkt, uint32_t number), uint32_t number)
{
    uint8_t freed[WEIR_NET_BATCH];
    uint32_t kept = 0, count = 0;
    for (uint32_t i = 0; i < ep->txq_count; i++) {
        if (is(&ep->txq[i], number)) {
            ep->tx_sealed[ep->tx_slot[i]] = 0;
            freed[count++] = ep->tx_slot[i];
        } else {
            ep->tx_slot[kept++] = ep->tx_slot[i];
        }
    }
    memcpy(ep->tx_slot + kept, freed, count);
    ep->txq_count = drop(ep->txq, ep->txq_count, is, number);
    WEIR_ASSERT(ep->txq_count == kept);
}

void ep_tx_drop_op(struct weir_ep *ep, const struct ep_op *op)
{
    drop_queued(ep, is_of_op, (uint32_t)(op - ep->ops));
}

void ep_tx_drop_peer(struct weir_ep *ep, const struct weir_peer *peer)
{
    drop_queued(ep, is_to_peer, peer->number);
    ep->off_count = drop(ep->off, ep->off_count, is_to_peer, peer->number);
    ep->batch++; /* the indices of the deferred packets have changed */
}

uint64_t ep_tx_next_ps(const struct weir_ep *ep)
{
    uint64_t at_ps = weir_host_next_ps(ep->host);
    if (ep->txq_count > 0 || (ep->off_count > 0 && !credit_waits(ep)))
        return weir_min_u64(at_ps, ep->blocked_ps);
    if (ep->off_count > 0)
        at_ps = weir_min_u64(at_ps, ep->credit_again_ps);
    if (!weir_host_ready(ep->host))
        return at_ps;
    return weir_min_u64(at_ps, weir_max_u64(pace_ps(ep), ep->blocked_ps));
}

void ep_tx_hurry(struct weir_ep *ep)
{
    ep->collecting = false;
}
