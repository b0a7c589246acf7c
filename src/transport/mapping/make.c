/* src/transport/mapping/make.c - a simulated packet to a frame that weir_mapping_read() maps back to it. */
#include "core/assert.h"
#include "mapping/headers.h"
#include "mapping/units.h"
#include "wire/delay_option.h"
#include "wire/internet.h"

enum {
    CLIENT_PORT = 0xc000, /* the first dynamic port, RFC 6335 */
    HOPS = 64,            /* time to live */
    SLOTS_SIZE = WEIR_WIRE_SLOTS_MAX * WEIR_WIRE_SLOT_BYTES,
};

/* A frame that is being made. */
struct making {
    const struct weir_mapping *m;
    const struct weir_mapping_form *form;
    const struct weir_pkt *pkt;
    unsigned char *frame;
    uint32_t l4_at;    /* where TCP's or UDP's header begins */
    uint32_t l4_bytes; /* its length, and that of what it carries */
};

static bool is_data(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA;
}

static uint32_t ip_bytes(const struct weir_mapping_form *form)
{
    return form->from.version == 4 ? WEIR_WIRE_IP4_BYTES : WEIR_WIRE_IP6_BYTES;
}

/* Inverts weir_mix_u32(). */
static uint32_t unmix_u32(uint32_t x)
{
    x = (x ^ x >> 16) * UINT32_C(0x43021123);           /* inverse of 0x846ca68b, modulo 2^32 */
    x = (x ^ x >> 15 ^ x >> 30) * UINT32_C(0x1d69e2a5); /* .. of 0x7feb352d */
    return x ^ x >> 16;
}

static struct weir_wire_head head_of(const struct weir_mapping_form *form, const struct weir_pkt *pkt)
{
    struct weir_wire_head head = { .pkt = *pkt,
                                   .token = (uint64_t)pkt->src << 32 | pkt->dst,
                                   .counter = form->counter,
                                   .area_kind = form->area_kind,
                                   .slot_count = form->slots,
                                   .stream = form->stream };
    uint32_t type = weir_wire_type_of(pkt->kind, form->stream);
    head.pkt.flags = WEIR_PKT_FLAGS(pkt->flags & weir_wire_flags(type));
    if (pkt->kind == WEIR_PKT_ACK)
        head.window_kib = UINT32_MAX; /* receivers of a simulation have memory for all */
    else if (!is_data(pkt))
        head.pkt.payload_bytes = 0;
    return head;
}

/* Returns the bytes of the headers behind IP's. */
static uint32_t head_bytes(const struct weir_mapping_form *form, const struct weir_pkt *pkt)
{
    if (form->shape == WEIR_SHAPE_TCP)
        return TCP_BYTES + (form->option ? WEIR_TCP_OPTION_BYTES : 0u);
    const struct weir_wire_head head = head_of(form, pkt);
    return WEIR_WIRE_UDP_BYTES + weir_wire_head_bytes(&head);
}

uint32_t weir_mapping_least_bytes(const struct weir_mapping_form *form, const struct weir_pkt *pkt)
{
    uint32_t frame = WEIR_MAPPING_ETHERNET_BYTES + ip_bytes(form) + head_bytes(form, pkt) + is_data(pkt);
    return (uint32_t)weir_max_u64(frame, WEIR_MAPPING_FRAME_MIN) + WEIR_MAPPING_OVERHEAD_BYTES;
}

/* Tests whether a segment has a place for the packet's kind and class, and for the delay. */
static bool fits_tcp(const struct weir_mapping_fields *f, const struct weir_mapping_form *form,
                     const struct weir_pkt *pkt)
{
    bool has_delay = is_data(pkt) && f->qdelay_unit_ps != 0 && pkt->qdelay != 0;
    return (is_data(pkt) || pkt->kind == WEIR_PKT_ACK) && pkt->conn != WEIR_PKT_NO_CONN && !f->rates &&
           (pkt->class_id < 4 || pkt->class_id == 7) && (form->option || !has_delay) && pkt->tokens == 0 &&
           (f->records_max == 0 || pkt->hops == 0);
}

/* Tests whether a datagram has a place for the records, the delay and the tokens of the packet. */
static bool fits_message(const struct weir_mapping_fields *f, const struct weir_mapping_form *form,
                         const struct weir_pkt *pkt)
{
    bool has_area = form->area_kind != WEIR_WIRE_AREA_NONE, has_64ns = form->area_kind == WEIR_WIRE_AREA_64NS;
    if (f->records_max > 0 && pkt->hops > (has_64ns ? form->slots : 0))
        return false;
    if (!is_data(pkt))
        return f->records_max == 0 || pkt->kind == WEIR_PKT_ACK || pkt->hops == 0;
    if (f->rates)
        return (pkt->qdelay == 0 && pkt->rtt == 0) || form->area_kind == WEIR_WIRE_AREA_RCP;
    if (f->weights && pkt->weight != 0 && (mapping_area_unit_ps(form->area_kind) == 0 || form->slots > 0))
        return false;
    return (f->qdelay_unit_ps == 0 || pkt->qdelay == 0 || mapping_area_unit_ps(form->area_kind) != 0) &&
           (has_area || pkt->tokens == 0);
}

/* Writes the MAC address of a host. The first byte, 02, marks a locally administered address. */
static void put_mac(unsigned char *to, uint32_t host)
{
    put16(to, 0x0200);
    put32(to + 2, host);
}

static uint8_t tos_of(const struct weir_pkt *pkt)
{
    uint32_t ecn = (pkt->flags & WEIR_PKT_CE) != 0 ? ECN_CE : (pkt->flags & WEIR_PKT_ECT) != 0 ? ECN_ECT0 : 0;
    return weir_wire_tos((uint8_t)pkt->class_id, (uint8_t)ecn);
}

/* Writes the headers of Ethernet and IP. */
static void put_ip(const struct making *k)
{
    const struct weir_mapping_form *form = k->form;
    unsigned char *ip = k->frame + AT_IP;
    uint32_t protocol = form->shape == WEIR_SHAPE_TCP ? IP_TCP : IP_UDP, tos = tos_of(k->pkt);
    put_mac(k->frame, k->pkt->dst);
    put_mac(k->frame + MAC_BYTES, k->pkt->src);
    put16(k->frame + AT_ETHER_TYPE, form->from.version == 4 ? ETHER_IP4 : ETHER_IP6);
    if (form->from.version == 6) {
        put32(ip, UINT32_C(6) << 28 | tos << 20);
        put16(ip + IP6_LENGTH, k->l4_bytes);
        ip[IP6_NEXT] = (unsigned char)protocol;
        ip[IP6_HOPS] = HOPS;
        memcpy(ip + IP6_FROM, form->from.bytes, 16);
        memcpy(ip + IP6_TO, form->to.bytes, 16);
        return;
    }
    put16(ip, 0x4500 | tos);
    put16(ip + IP4_LENGTH, WEIR_WIRE_IP4_BYTES + k->l4_bytes);
    put16(ip + IP4_FRAGMENT, 0x4000); /* may not be fragmented */
    ip[IP4_TTL] = HOPS;
    ip[IP4_PROTOCOL] = (unsigned char)protocol;
    memcpy(ip + IP4_FROM, form->from.bytes, 4);
    memcpy(ip + IP4_TO, form->to.bytes, 4);
    weir_sum_put(ip + IP4_SUM, weir_sum_fold(weir_sum_add(ip, WEIR_WIRE_IP4_BYTES, 0)), false);
}

/* Writes the ports, the first as the sender of the packet has it. */
static void put_ports(unsigned char *l4, uint32_t from, uint32_t to)
{
    put16(l4, from);
    put16(l4 + 2, to);
}

/* Writes TCP's header. The option has 8 bytes, as its struct. */
static void put_tcp(const struct making *k)
{
    const struct weir_pkt *pkt = k->pkt;
    unsigned char *tcp = k->frame + k->l4_at;
    uint32_t ports = unmix_u32(pkt->conn), flags = TCP_HAS_ACK, head = head_bytes(k->form, pkt);
    if (pkt->kind == WEIR_PKT_ACK) {
        put_ports(tcp, ports & 0xffff, ports >> 16);
        flags |= (pkt->flags & WEIR_PKT_ECE) != 0 ? TCP_ECE : 0;
    } else {
        put_ports(tcp, ports >> 16, ports & 0xffff);
        flags |= (pkt->flags & WEIR_PKT_CWR) != 0 ? TCP_CWR : 0;
    }
    put32(tcp + TCP_SEQ, pkt->seq);
    put32(tcp + TCP_ACK, pkt->ack);
    tcp[TCP_LENGTH] = (unsigned char)(head / 4 << 4);
    tcp[TCP_FLAGS] = (unsigned char)flags;
    put16(tcp + TCP_FLAGS + 1, UINT16_MAX); /* window */
    if (!k->form->option)
        return;
    tcp[TCP_BYTES] = WEIR_TCP_OPTION_KIND;
    tcp[TCP_BYTES + 1] = WEIR_TCP_OPTION_BYTES;
    put16(tcp + TCP_BYTES + offsetof(struct weir_tcp_option, magic), WEIR_TCP_OPTION_MAGIC);
    put16(tcp + TCP_BYTES + offsetof(struct weir_tcp_option, delay),
          is_data(pkt)
              ? mapping_units(pkt->qdelay, k->m->config.fields.qdelay_unit_ps, WEIR_TCP_DELAY_UNIT_NS * WEIR_PS_PER_NS)
              : 0u);
}

/* Returns the signal of the area that the packet has. */
static uint32_t signal_of(const struct making *k)
{
    const struct weir_mapping_fields *f = &k->m->config.fields;
    const struct weir_pkt *pkt = k->pkt;
    uint64_t unit_ps = mapping_area_unit_ps(k->form->area_kind);
    uint32_t delay = 0, byte = 0, echo = (pkt->flags & WEIR_PKT_ECE) != 0 && pkt->kind == WEIR_PKT_ACK;
    if (is_data(pkt) && f->rates)
        delay = pkt->qdelay;
    else if (is_data(pkt) && f->qdelay_unit_ps != 0 && unit_ps != 0)
        delay = mapping_units(pkt->qdelay, f->qdelay_unit_ps, unit_ps);
    if (k->form->slots > 0)
        byte = f->records_max > 0 ? pkt->hops : 0;
    else if (is_data(pkt) && (f->weights || f->rates))
        byte = pkt->weight; /* the same byte as rtt */
    return WEIR_WIRE_SIGNAL(delay, byte, is_data(pkt) ? pkt->tokens : 0u, echo);
}

/* Writes UDP's header, but its checksum, and that of libweir. */
static void put_message(const struct making *k, const struct weir_telemetry *hop)
{
    const struct weir_mapping_fields *f = &k->m->config.fields;
    struct weir_wire_head head = head_of(k->form, k->pkt);
    unsigned char *udp = k->frame + k->l4_at, slots[SLOTS_SIZE] = { 0 };
    uint32_t client = CLIENT_PORT + head.pkt.conn % (0x10000 - CLIENT_PORT);
    bool to_server = k->pkt->src < k->pkt->dst;
    put_ports(udp, to_server ? client : k->form->udp_port, to_server ? k->form->udp_port : client);
    put16(udp + UDP_LENGTH, k->l4_bytes);
    for (uint32_t i = 0; hop != NULL && f->records_max > 0 && i < k->pkt->hops; i++) {
        struct weir_wire_slot slot = mapping_slot(&hop[i], k->m->config.rates, k->form->now_ps);
        weir_wire_put_slot(&slot, slots + i * (size_t)WEIR_WIRE_SLOT_BYTES);
    }
    if (is_data(k->pkt))
        head.pkt.payload_bytes = WEIR_PKT_BYTES(k->l4_bytes - WEIR_WIRE_UDP_BYTES - weir_wire_head_bytes(&head));
    if (k->form->area_kind != WEIR_WIRE_AREA_NONE) {
        head.signal = signal_of(k);
        head.slots = k->form->slots > 0 ? slots : NULL;
    }
    weir_wire_encode(&head, NULL, udp + WEIR_WIRE_UDP_BYTES);
}

static void put_sum(const struct making *k)
{
    bool is_udp = k->form->shape != WEIR_SHAPE_TCP;
    unsigned char *l4 = k->frame + k->l4_at;
    uint64_t sum = mapping_pseudo_sum(&k->form->from, &k->form->to, is_udp ? IP_UDP : IP_TCP, k->l4_bytes);
    weir_sum_put(l4 + (is_udp ? UDP_SUM : TCP_SUM), weir_sum_fold(weir_sum_add(l4, k->l4_bytes, sum)), is_udp);
}

uint32_t weir_mapping_make(const struct weir_mapping *m, const struct weir_mapping_form *form,
                           const struct weir_pkt *pkt, const struct weir_telemetry *hop, unsigned char *frame)
{
    const struct weir_mapping_fields *f = &m->config.fields;
    struct making k = { .m = m, .form = form, .pkt = pkt, .frame = frame, .l4_at = AT_IP + ip_bytes(form) };
    uint32_t bytes = pkt->wire_bytes - WEIR_MAPPING_OVERHEAD_BYTES, head = head_bytes(form, pkt), room;
    WEIR_ASSERT(form->from.version == form->to.version);
    WEIR_ASSERT(form->from.version == 4 || form->from.version == 6);
    WEIR_ASSERT(form->shape == WEIR_SHAPE_TCP || form->shape == WEIR_SHAPE_WEIR);
    if (weir_pkt_law(pkt) != 0 || !(form->shape == WEIR_SHAPE_TCP ? fits_tcp : fits_message)(f, form, pkt) ||
        pkt->wire_bytes < weir_mapping_least_bytes(form, pkt))
        return 0;
    room = (uint32_t)weir_min_u64(bytes - k.l4_at - head, WEIR_WIRE_PAYLOAD_MAX);
    k.l4_bytes = head + (is_data(pkt) ? (uint32_t)weir_min_u64(weir_max_u64(pkt->payload_bytes, 1), room) : 0);
    memset(frame, 0, bytes);
    put_ip(&k);
    if (form->shape == WEIR_SHAPE_TCP)
        put_tcp(&k);
    else
        put_message(&k, hop);
    put_sum(&k);
    return bytes;
}
