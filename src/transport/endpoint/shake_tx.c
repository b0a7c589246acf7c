/* src/transport/endpoint/shake_tx.c - sends handshake packets, and rations answers.
 *
 * No answer is longer than the packet it answers, and answers to unknown senders are rate-limited, so that the endpoint
 * cannot be used as an amplifier. The answers to a batch of datagrams are sent together, to save system calls. */
#include "endpoint/shake_tx.h"
#include "endpoint/options.h"
#include "endpoint/sealed.h"
#include "core/credit_ops.h"
#include <string.h>

#define STRANGER_PS (250 * WEIR_PS_PER_US)       /* strangers get at most one answer per this time .. */
#define STRANGER_BURST_PS (256 * STRANGER_PS)    /* .. and after a pause up to 256 at once */
#define NOTICE_BURST_PS (EP_WAITS * STRANGER_PS) /* a peer gets as many NO_ROOM, and after a pause up to this many */
#define AGREE_PS (500 * WEIR_PS_PER_US)          /* one handshake of keys per this time .. */
#define AGREE_BURST_PS (256 * AGREE_PS)          /* .. and after a pause up to 256 at once */
#define KEYLESS_PS (10 * WEIR_PS_PER_MS)         /* the same of answers to those without keys */
#define KEYLESS_BURST_PS (16 * KEYLESS_PS)

#define VERSIONS_BYTES 28u /* length of VERSIONS: it answers nothing shorter */

/* Returns the length of the longest datagram. A HELLO is as long as that. */
static uint32_t datagram_most(const struct weir_ep *ep)
{
    uint32_t ip = ep->net->local.family == AF_INET6 ? WEIR_WIRE_IP6_BYTES : WEIR_WIRE_IP4_BYTES;
    return ep->mtu - ip - WEIR_WIRE_UDP_BYTES;
}

uint32_t ep_shake_encode(const struct weir_ep *ep, const struct weir_wire_handshake *packet, unsigned char *out,
                         uint32_t room)
{
    uint32_t bytes = weir_wire_encode_handshake(packet, out, room);
    if (bytes > 0 && packet->key_number != 0)
        ep_keys_sign(ep, packet->key_number, out, bytes);
    return bytes;
}

/* Returns the class of the endpoint's own packets: that of control packets. A protocol may have a class for its credit
 * alone, where ports drop what is no credit. */
static uint8_t own_class(const struct weir_ep *ep)
{
    const struct weir_credit_ops *credit = ep->host_config.credit;
    return credit != NULL ? credit->control_class(ep->cc_config) : 0;
}

/* Sends a datagram at once. It is lost if the driver has no room. */
static void send_now(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                     const unsigned char *bytes, uint32_t length)
{
    struct weir_net_out out = {
        .to = to, .from = from, .head = bytes, .head_bytes = (uint16_t)length, .class_id = own_class(ep)
    };
    int sent = ep->net->driver->send(ep->net, &out, 1);
    if (sent < 0)
        ep->failed = sent;
    ep->stats.packets_sent += sent == 1;
    ep->worked = true;
}

void ep_shake_send(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                   const struct weir_wire_handshake *packet)
{
    unsigned char bytes[EP_MTU_MAX];
    uint32_t room = packet->type == WEIR_WIRE_HELLO ? datagram_most(ep) : WEIR_WIRE_OPEN_BYTES;
    uint32_t length = ep_shake_encode(ep, packet, bytes, room);
    WEIR_ASSERT(length > 0);
    send_now(ep, to, from, bytes, length);
}

/* Writes a packet of a connection to a peer, sealed if there are keys. Sets token and counter. @return its length */
static uint32_t encode_own(const struct weir_ep *ep, struct weir_peer *p, struct weir_wire_handshake *packet,
                           unsigned char *out, uint32_t room)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    packet->token = p->tx_token;
    if (ep->keys != NULL)
        return ep_sealed_own(p->seal, packet, out, room);
    packet->counter = ++p->tx_counter;
    return weir_wire_encode_handshake(packet, out, room);
}

/* Sends a packet of a connection to a peer at once. */
static void send_own(struct weir_ep *ep, struct weir_peer *p, struct weir_wire_handshake *packet)
{
    unsigned char bytes[EP_ANSWER_BYTES];
    send_now(ep, &p->addr, &p->local, bytes, encode_own(ep, p, packet, bytes, sizeof(bytes)));
}

void ep_shake_flush(struct weir_ep *ep)
{
    struct weir_net_out out[WEIR_NET_BATCH];
    if (ep->answer_count == 0)
        return;
    for (uint32_t i = 0; i < ep->answer_count; i++) {
        const struct ep_answer *a = &ep->answers[i];
        out[i] = (struct weir_net_out){
            .to = &a->to, .from = &a->from, .head = a->datagram, .head_bytes = a->bytes, .class_id = a->class_id
        };
    }
    int sent = ep->net->driver->send(ep->net, out, ep->answer_count);
    if (sent < 0)
        ep->failed = sent;
    ep->stats.packets_sent += sent > 0 ? (uint32_t)sent : 0;
    ep->worked = true;
    ep->answer_count = 0;
}

/* Returns the next answer, to be filled in; its sender calls queued() then. */
static struct ep_answer *next_answer(struct weir_ep *ep, const struct weir_net_addr *to,
                                     const struct weir_net_addr *from)
{
    struct ep_answer *a = &ep->answers[ep->answer_count];
    WEIR_ASSERT(ep->answer_count < WEIR_NET_BATCH);
    a->to = *to;
    a->from = *from;
    a->class_id = own_class(ep);
    return a;
}

static void queued(struct weir_ep *ep)
{
    if (++ep->answer_count == WEIR_NET_BATCH)
        ep_shake_flush(ep);
}

void ep_shake_answer(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                     const struct weir_wire_handshake *packet)
{
    struct ep_answer *a = next_answer(ep, to, from);
    a->bytes = (uint16_t)ep_shake_encode(ep, packet, a->datagram, EP_ANSWER_BYTES);
    WEIR_ASSERT(a->bytes > 0);
    queued(ep);
}

void ep_shake_answer_bytes(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                           const unsigned char *datagram, uint32_t bytes)
{
    struct ep_answer *a = next_answer(ep, to, from);
    WEIR_ASSERT(bytes > 0 && bytes <= EP_ANSWER_BYTES);
    memcpy(a->datagram, datagram, bytes);
    a->bytes = (uint16_t)bytes;
    queued(ep);
}

void ep_shake_answer_peer(struct weir_ep *ep, struct weir_peer *p, struct weir_wire_handshake *packet)
{
    ep_shake_answer_at(ep, p, &p->addr, &p->local, packet);
}

void ep_shake_answer_at(struct weir_ep *ep, struct weir_peer *p, const struct weir_net_addr *to,
                        const struct weir_net_addr *from, struct weir_wire_handshake *packet)
{
    struct ep_answer *a = next_answer(ep, to, from);
    a->bytes = (uint16_t)encode_own(ep, p, packet, a->datagram, EP_ANSWER_BYTES);
    queued(ep);
}

/* Tests whether a ration of one answer per each_ps, which is used up to *used_ps, allows one more answer, and counts
 * it. */
static bool ration(struct weir_ep *ep, uint64_t *used_ps, uint64_t each_ps, uint64_t burst_ps)
{
    uint64_t paid_ps = weir_max_u64(*used_ps, ep->now_ps);
    if (paid_ps - ep->now_ps + each_ps > burst_ps) {
        ep->stats.unanswered_packets++;
        return false;
    }
    *used_ps = paid_ps + each_ps;
    return true;
}

bool ep_shake_ration(struct weir_ep *ep)
{
    return ration(ep, &ep->ration_ps, STRANGER_PS, STRANGER_BURST_PS);
}

bool ep_shake_keyless_ration(struct weir_ep *ep)
{
    return ration(ep, &ep->keyless_ps, KEYLESS_PS, KEYLESS_BURST_PS);
}

bool ep_shake_agree_ration(struct weir_ep *ep)
{
    return ration(ep, &ep->agree_ps, AGREE_PS, AGREE_BURST_PS);
}

struct weir_wire_handshake ep_shake_offer(const struct weir_ep *ep, enum weir_wire_type type, uint64_t token)
{
    return (struct weir_wire_handshake){ .type = (uint8_t)type,
                                         .token = token,
                                         .version = WEIR_WIRE_VERSION,
                                         .protection = ep->protection,
                                         .cipher = ep->cipher,
                                         .ports = (uint8_t)ep->opts.spray_ports,
                                         .mss_bytes = (uint16_t)ep->mss,
                                         .law = ep->law,
                                         .law_bytes = (uint16_t)strlen(ep->law) };
}

struct weir_wire_handshake ep_shake_ready(const struct weir_ep *ep, uint64_t token, uint64_t own_token)
{
    struct weir_wire_handshake ready = ep_shake_offer(ep, WEIR_WIRE_READY, token);
    ready.own_token = own_token;
    if (own_token != 0)
        ready.law_bytes = 0; /* the laws are the same */
    return ready;
}

void ep_shake_reset(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token)
{
    struct weir_wire_handshake reset = { .type = WEIR_WIRE_RESET, .token = token };
    /* A token without our tag may be of an endpoint that shares our port. If the port is steered it is not: the kernel
     * gives us another shard's only if there is no such shard */
    if ((ep->opts.flags & WEIR_OPEN_SHARED) != 0 && !ep->net->steered && !weir_tag_is_valid(&ep->tag, token))
        return;
    if (ep_shake_ration(ep))
        ep_shake_answer(ep, &in->from, &in->to, &reset);
}

void ep_shake_versions(struct weir_ep *ep, const struct weir_net_in *in)
{
    struct weir_wire_handshake versions = { .type = WEIR_WIRE_VERSIONS,
                                            .lowest = WEIR_WIRE_VERSION,
                                            .highest = WEIR_WIRE_VERSION };
    if (in->length < VERSIONS_BYTES || weir_wire_version(in->bytes) < WEIR_WIRE_VERSION || !ep_shake_ration(ep))
        return;
    for (uint32_t i = 4; i < 12; i++)
        versions.token = versions.token << 8 | in->bytes[i];
    ep_shake_answer(ep, &in->from, &in->to, &versions);
}

void ep_shake_refuse(struct weir_ep *ep, struct weir_peer *p, uint32_t number, uint32_t msg)
{
    struct weir_wire_handshake refuse = { .type = WEIR_WIRE_REFUSE, .number = number, .msg = msg };
    WEIR_ASSERT(p->state == EP_PEER_UP);
    ep_shake_answer_peer(ep, p, &refuse);
}

void ep_shake_notice(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *about, uint32_t kind,
                     uint64_t value)
{
    WEIR_ASSERT(p->state == EP_PEER_UP);
    if (!ration(ep, &p->notice_ps, STRANGER_PS, NOTICE_BURST_PS))
        return;
    struct weir_wire_head head = {
        .pkt = { .kind = WEIR_PKT_NOTICE, .conn = about->conn, .msg = about->msg, .seq = kind, .value = value },
        .token = p->tx_token,
        .counter = ep_next_counter(ep, p),
        .checked = ep_is_checked(ep)
    };
    struct ep_answer *a = next_answer(ep, &p->addr, &p->local);
    head.pkt.class_id = WEIR_PKT_CLASS(a->class_id);
    a->bytes = (uint16_t)weir_wire_head_bytes(&head);
    if (ep->keys != NULL)
        a->bytes = (uint16_t)ep_sealed_packet(p, &head, NULL, a->datagram);
    else
        weir_wire_encode(&head, NULL, a->datagram);
    queued(ep);
}

/* Returns a PING: it reports our tag. */
static struct weir_wire_handshake ping_now(const struct weir_ep *ep)
{
    return (struct weir_wire_handshake){ .type = WEIR_WIRE_PING, .value = weir_tag_renew(&ep->tag, ep->now_ps) };
}

void ep_shake_ping(struct weir_ep *ep, struct weir_peer *p)
{
    struct weir_wire_handshake ping = ping_now(ep);
    ep_shake_answer_peer(ep, p, &ping);
}

void ep_shake_alive(struct weir_ep *ep, struct weir_peer *p, uint64_t every_ps)
{
    struct weir_wire_handshake ping;
    if (p->alive_ps != 0 && ep->now_ps - p->alive_ps < every_ps)
        return;
    ping = ping_now(ep);
    p->alive_ps = ep->now_ps;
    send_own(ep, p, &ping);
}

void ep_shake_confirm(struct weir_ep *ep, struct weir_peer *p, struct ep_seal *s)
{
    struct weir_wire_handshake ping = ping_now(ep);
    unsigned char bytes[EP_ANSWER_BYTES];
    WEIR_ASSERT(p->state == EP_PEER_UP);
    ping.token = p->tx_token;
    send_now(ep, &p->addr, &p->local, bytes, ep_sealed_own(s, &ping, bytes, sizeof(bytes)));
}

void ep_shake_close(struct weir_ep *ep, struct weir_peer *p)
{
    struct weir_wire_handshake close = { .type = WEIR_WIRE_CLOSE };
    send_own(ep, p, &close);
}
