/* src/transport/mapping/read.c - a frame to a packet. doc/softswitch.md has the table of fields. */
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "mapping/headers.h"
#include "mapping/units.h"
#include "wire/delay_option.h"
#include "wire/internet.h"

enum { OPTION_END = 0, OPTION_NONE = 1 }; /* kinds of TCP options of one byte, RFC 9293 */

/* A frame that is being read. */
struct reading {
    const struct weir_mapping *m;
    unsigned char *frame;
    struct mapping_headers h;
    struct weir_pkt *pkt;
    struct weir_telemetry *hop;
    struct weir_mapping_at *at;
};

/* Returns the number of an end of a connection, for the hash. */
static uint64_t end_of(const struct weir_mapping_address *address, uint32_t port)
{
    return weir_mix_u64(get64(address->bytes) + weir_mix_u64(get64(address->bytes + 8) + port));
}

/* Sets the fields that depend on addresses and ports: the hash is the same both ways, so that routing can be
 * symmetric. */
static void put_flow(struct reading *r, uint32_t from_port, uint32_t to_port)
{
    bool answers = r->pkt->kind == WEIR_PKT_ACK;
    uint64_t from = end_of(&r->h.src, from_port), to = end_of(&r->h.dst, to_port);
    uint64_t sum = weir_mix_u64(from ^ to) + (from + to) + r->h.protocol;
    r->pkt->hash = (uint32_t)(weir_mix_u64(sum) >> 32);
    r->pkt->conn = mapping_conn(answers ? to_port : from_port, answers ? from_port : to_port);
}

/* Completes the checksum of TCP or UDP if it is that of the pseudo header alone. The sender has left the rest to
 * hardware, which such a frame never meets. */
static void complete_sum(struct reading *r, uint32_t bytes)
{
    unsigned char *l4 = r->frame + r->h.l4_at, *sum_at = r->frame + r->at->sum_at;
    uint64_t pseudo = mapping_pseudo_sum(&r->h.src, &r->h.dst, r->h.protocol, bytes), sum;
    uint16_t stored;
    memcpy(&stored, sum_at, sizeof(stored));
    if (WEIR_LIKELY(stored != weir_sum_fold(pseudo)))
        return;
    sum = weir_sum_add(l4, bytes, 0);
    if (weir_sum_fold(sum + pseudo) == UINT16_MAX)
        return; /* it is right, too */
    weir_sum_put(sum_at, weir_sum_fold(sum), r->h.protocol == IP_UDP);
    r->at->completed = true;
}

/* Returns where the delay is in the options of a TCP header, from the header on; 0 = it has none. */
static uint32_t find_option(const unsigned char *tcp, uint32_t bytes)
{
    uint32_t i = TCP_BYTES;
    while (i < bytes && tcp[i] != OPTION_END) {
        uint32_t length = tcp[i] == OPTION_NONE ? 1 : i + 1 < bytes ? tcp[i + 1] : 0;
        if (length == 0 || (length == 1 && tcp[i] != OPTION_NONE) || length > bytes - i)
            return 0;
        if (tcp[i] == WEIR_TCP_OPTION_KIND && length == WEIR_TCP_OPTION_BYTES &&
            get16(tcp + i + offsetof(struct weir_tcp_option, magic)) == WEIR_TCP_OPTION_MAGIC)
            return i + (uint32_t)offsetof(struct weir_tcp_option, delay);
        i += length;
    }
    return 0;
}

static void read_option(struct reading *r, const unsigned char *tcp, uint32_t bytes)
{
    const struct weir_mapping_fields *f = &r->m->config.fields;
    uint32_t at = f->rates || f->qdelay_unit_ps == 0 ? 0 : find_option(tcp, bytes);
    if (at == 0)
        return;
    r->at->delay_at = (uint16_t)(r->h.l4_at + at);
    r->pkt->qdelay = mapping_units(get16(tcp + at), WEIR_TCP_DELAY_UNIT_NS * WEIR_PS_PER_NS, f->qdelay_unit_ps);
}

/* Reads a TCP segment. @return false = it is malformed */
static bool read_tcp(struct reading *r)
{
    const unsigned char *tcp = r->frame + r->h.l4_at;
    struct weir_pkt *pkt = r->pkt;
    uint32_t head, flags;
    if (r->h.l4_bytes < TCP_BYTES)
        return false;
    head = (tcp[TCP_LENGTH] >> 4) * 4u;
    flags = tcp[TCP_FLAGS];
    if (head < TCP_BYTES || head > r->h.l4_bytes)
        return false;
    r->at->shape = WEIR_SHAPE_TCP;
    r->at->l4_at = r->h.l4_at;
    r->at->sum_at = (uint16_t)(r->h.l4_at + TCP_SUM);
    complete_sum(r, r->h.l4_bytes);
    pkt->payload_bytes = WEIR_PKT_BYTES(r->h.l4_bytes - head);
    pkt->seq = get32(tcp + TCP_SEQ);
    pkt->ack = get32(tcp + TCP_ACK);
    if (r->h.l4_bytes == head && (flags & (TCP_FIN | TCP_SYN | TCP_RST | TCP_HAS_ACK)) == TCP_HAS_ACK) {
        pkt->kind = WEIR_PKT_ACK;
        pkt->flags |= (flags & TCP_ECE) != 0 ? WEIR_PKT_ECE : 0u;
    } else {
        pkt->flags |= (flags & TCP_CWR) != 0 ? WEIR_PKT_CWR : 0u;
        read_option(r, tcp, head);
    }
    put_flow(r, get16(tcp), get16(tcp + 2));
    return true;
}

static bool is_endpoint_port(const struct weir_mapping_config *cfg, uint32_t port)
{
    for (uint32_t i = 0; i < WEIR_MAPPING_PORTS_MAX && cfg->udp_port[i] != 0; i++)
        if (cfg->udp_port[i] == port)
            return true;
    return false;
}

/* Reads the records in the slots of an area. A rate that the table does not have becomes number 0: no hook reads
 * records of others, and they stay in the frame as they are. */
static void read_records(struct reading *r, const struct weir_wire_head *head)
{
    const struct weir_telemetry_rates *rates = r->m->config.rates;
    uint32_t count = WEIR_WIRE_SIGNAL_BYTE(head->signal);
    r->at->records = (uint8_t)weir_min_u64(count, head->slot_count);
    count = (uint32_t)weir_min_u64(r->at->records, WEIR_TELEMETRY_HOPS_MAX);
    r->pkt->hops = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++) {
        struct weir_wire_slot slot;
        weir_wire_get_slot(head->slots + i * (size_t)WEIR_WIRE_SLOT_BYTES, &slot);
        r->hop[i] = mapping_record(&slot, rates);
    }
}

/* Reads the 16 bits of the area that a switch raises, if they are what the features write. */
static void read_delay(struct reading *r, const struct weir_wire_head *head)
{
    const struct weir_mapping_fields *f = &r->m->config.fields;
    uint32_t field = WEIR_WIRE_SIGNAL_DELAY(head->signal);
    uint64_t unit_ps = mapping_area_unit_ps(head->area_kind);
    if (f->rates && head->area_kind == WEIR_WIRE_AREA_RCP)
        r->pkt->qdelay = (uint16_t)field;
    else if (!f->rates && f->qdelay_unit_ps != 0 && unit_ps != 0)
        r->pkt->qdelay = mapping_units(field, unit_ps, f->qdelay_unit_ps);
    else
        return;
    r->at->delay_at = r->at->signal_at;
}

/* Reads the switch area of DATA or an ACK. */
static void read_area(struct reading *r, const struct weir_wire_head *head)
{
    const struct weir_mapping_fields *f = &r->m->config.fields;
    bool is_data = r->pkt->kind == WEIR_PKT_DATA;
    r->at->area_kind = head->area_kind;
    r->at->signal_at = (uint16_t)(r->h.l4_at + WEIR_WIRE_UDP_BYTES + WEIR_WIRE_AREA_AT);
    if (is_data) {
        r->pkt->tokens = WEIR_PKT_TOKENS(WEIR_WIRE_SIGNAL_TOKENS(head->signal));
        read_delay(r, head);
    } else
        r->pkt->flags |= WEIR_WIRE_SIGNAL_ECE(head->signal) != 0 ? WEIR_PKT_ECE : 0u;
    if (f->records_max > 0 && head->area_kind == WEIR_WIRE_AREA_64NS && head->slot_count > 0) {
        r->at->slots = head->slot_count;
        r->at->slots_at = (uint16_t)(r->at->signal_at + WEIR_WIRE_AREA_BYTES(0));
        read_records(r, head);
    } else if (is_data && f->weights && mapping_area_unit_ps(head->area_kind) != 0 && head->slot_count == 0)
        r->pkt->weight = (uint8_t)WEIR_WIRE_SIGNAL_BYTE(head->signal);
    else if (is_data && f->rates && head->area_kind == WEIR_WIRE_AREA_RCP)
        r->pkt->rtt = (uint8_t)WEIR_WIRE_SIGNAL_BYTE(head->signal);
}

/* Reads a message packet of libweir. bytes: of the datagram. @return false = it is none */
static bool read_message(struct reading *r, uint32_t bytes)
{
    const struct weir_mapping_fields *f = &r->m->config.fields;
    struct weir_wire_head head;
    struct weir_pkt *pkt = r->pkt, outer = *r->pkt;
    if (weir_wire_peek(r->frame + r->h.l4_at + WEIR_WIRE_UDP_BYTES, bytes, &head) != WEIR_WIRE_OK)
        return false;
    *pkt = head.pkt;
    pkt->src = outer.src;
    pkt->dst = outer.dst;
    pkt->hash = outer.hash;
    pkt->wire_bytes = outer.wire_bytes;
    pkt->flags = WEIR_PKT_FLAGS((head.pkt.flags & ~(uint32_t)WEIR_PKT_ECT) | outer.flags);
    r->at->shape = WEIR_SHAPE_WEIR;
    if (pkt->kind == WEIR_PKT_DATA && (f->rates || f->qdelay_unit_ps != 0))
        pkt->qdelay = 0; /* without an area there is none; these bits of the value are no delay */
    if (head.area_kind != WEIR_WIRE_AREA_NONE && (pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_ACK))
        read_area(r, &head);
    return true;
}

/* Reads a UDP datagram. @return false = it is malformed */
static bool read_udp(struct reading *r)
{
    const unsigned char *udp = r->frame + r->h.l4_at;
    uint32_t bytes, from, to;
    if (r->h.l4_bytes < WEIR_WIRE_UDP_BYTES)
        return false;
    bytes = get16(udp + UDP_LENGTH);
    if (bytes < WEIR_WIRE_UDP_BYTES || bytes > r->h.l4_bytes)
        return false;
    from = get16(udp);
    to = get16(udp + 2);
    r->at->l4_at = r->h.l4_at;
    r->at->sum_at = (uint16_t)(r->h.l4_at + UDP_SUM);
    complete_sum(r, bytes);
    r->pkt->payload_bytes = WEIR_PKT_BYTES(bytes - WEIR_WIRE_UDP_BYTES);
    put_flow(r, from, to);
    if (bytes == r->h.l4_bytes && (is_endpoint_port(&r->m->config, from) || is_endpoint_port(&r->m->config, to)))
        (void)read_message(r, bytes - WEIR_WIRE_UDP_BYTES);
    return true;
}

/* Fills the packet and at, of an IP packet to a known host. @return false = it is malformed */
static bool read_packet(struct reading *r, uint32_t host, uint32_t to, uint32_t length)
{
    uint32_t ecn = r->h.tos & ECN_CE, frame_bytes = (uint32_t)weir_max_u64(length, WEIR_MAPPING_FRAME_MIN);
    *r->pkt = (struct weir_pkt){
        .ack = 1, /* unlike seq: it is the first packet of no message, unless its headers say so */
        .flags = ecn == 0 ? 0u : WEIR_PKT_FLAGS(WEIR_PKT_ECT | (ecn == ECN_CE ? WEIR_PKT_CE : 0u)),
        .src = WEIR_PKT_HOST(host),
        .dst = WEIR_PKT_HOST(to),
        .kind = WEIR_PKT_DATA,
        .wire_bytes = WEIR_PKT_BYTES(frame_bytes + WEIR_MAPPING_OVERHEAD_BYTES),
        .class_id = WEIR_PKT_CLASS(weir_wire_class(r->h.tos)),
    };
    r->at->is_v6 = r->h.src.version == 6;
    if (!r->h.is_fragment && r->h.protocol == IP_TCP)
        return read_tcp(r);
    if (!r->h.is_fragment && r->h.protocol == IP_UDP)
        return read_udp(r);
    r->pkt->payload_bytes = WEIR_PKT_BYTES(r->h.l4_bytes);
    put_flow(r, 0, 0);
    return true;
}

/* Completes the checksum of a frame that is flooded, where it has one. */
static void complete_flooded(struct reading *r)
{
    const unsigned char *l4 = r->frame + r->h.l4_at;
    uint32_t bytes = r->h.l4_bytes;
    if (r->h.is_fragment || (r->h.protocol != IP_TCP && r->h.protocol != IP_UDP))
        return;
    if (bytes < (r->h.protocol == IP_TCP ? TCP_BYTES : WEIR_WIRE_UDP_BYTES))
        return;
    if (r->h.protocol == IP_UDP && (bytes = get16(l4 + UDP_LENGTH)) > r->h.l4_bytes)
        return;
    r->at->sum_at = (uint16_t)(r->h.l4_at + (r->h.protocol == IP_TCP ? TCP_SUM : UDP_SUM));
    if (bytes >= WEIR_WIRE_UDP_BYTES)
        complete_sum(r, bytes);
}

static enum weir_mapping_verdict refuse(struct weir_mapping *m, struct weir_mapping_at *at,
                                        enum weir_mapping_verdict verdict, enum weir_mapping_cause cause)
{
    *at = (struct weir_mapping_at){ .cause = (uint8_t)cause };
    m->counts.cause[cause]++;
    return verdict;
}

enum weir_mapping_verdict weir_mapping_read(struct weir_mapping *m, uint32_t host, unsigned char *frame,
                                            uint32_t length, struct weir_pkt *pkt, struct weir_telemetry *hop,
                                            struct weir_mapping_at *at)
{
    struct reading r = { .m = m, .frame = frame, .pkt = pkt, .hop = hop, .at = at };
    enum weir_mapping_cause cause = WEIR_MAPPING_UNKNOWN;
    enum weir_mapping_verdict verdict = mapping_headers_read(&m->config, frame, length, &r.h, &cause);
    WEIR_ASSERT(host < m->config.hosts);
    WEIR_ASSERT(hop != NULL || m->config.fields.records_max == 0);
    *at = (struct weir_mapping_at){ 0 };
    if (!mapping_learn(m, &r.h.src, host))
        return refuse(m, at, WEIR_MAPPING_DROP, WEIR_MAPPING_MOVED);
    uint32_t to = verdict == WEIR_MAPPING_PACKET ? weir_mapping_host(m, &r.h.dst) : UINT32_MAX;
    if (verdict == WEIR_MAPPING_PACKET && to == UINT32_MAX)
        verdict = WEIR_MAPPING_FLOOD; /* cause is UNKNOWN still */
    if (verdict == WEIR_MAPPING_FLOOD) {
        complete_flooded(&r);
        m->counts.completed += at->completed;
    }
    if (verdict != WEIR_MAPPING_PACKET)
        return refuse(m, at, verdict, cause);
    if (to == host)
        return refuse(m, at, WEIR_MAPPING_DROP, WEIR_MAPPING_OWN);
    if (!read_packet(&r, host, to, length))
        return refuse(m, at, WEIR_MAPPING_DROP, WEIR_MAPPING_MALFORMED);
    at->flags = pkt->flags;
    at->tokens = pkt->tokens;
    at->hops = pkt->hops;
    at->qdelay = pkt->qdelay;
    m->counts.packets++;
    m->counts.bytes += pkt->wire_bytes;
    m->counts.completed += at->completed;
    return WEIR_MAPPING_PACKET;
}
