/* src/results/output/frame.c - see frame.h. Formats: IPv4, RFC 791; UDP without a checksum, RFC 768; pause frames, IEEE
 * 802.1Qbb. Numbers are big-endian. */
#include "output/frame.h"
#include "output/host_address.h"
#include "wire/wire.h"
#include <string.h>

enum {
    ETHER_BYTES = 14,
    IP_BYTES = 20,
    UDP_BYTES = 8,
    AT_IP = ETHER_BYTES,
    AT_UDP = AT_IP + IP_BYTES,
    AT_WEIR = AT_UDP + UDP_BYTES,
    PAUSE_BYTES = 60, /* the shortest frame, without check sequence */
    PORT_SERVER = 7413,
    PORT_CLIENT = 0xc000, /* the first dynamic port, RFC 6335 */
    ECT0 = 2,
    CE = 3,
};
_Static_assert(AT_WEIR + WEIR_WIRE_ACK_BYTES == WEIR_FRAME_MAX, "all headers fit");

static void put16(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)(value >> 8);
    to[1] = (unsigned char)value;
}

static void put32(unsigned char *to, uint32_t value)
{
    put16(to, value >> 16);
    put16(to + 2, value);
}

/* Writes the MAC address of a host, 6 bytes. The first byte, 02, marks a locally administered address. */
static void put_mac(unsigned char *to, uint32_t host)
{
    put16(to, 0x0200);
    put32(to + 2, host);
}

static uint32_t ip_checksum(const unsigned char *header)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < IP_BYTES; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xffff;
}

/* Writes the IPv4 header. bytes: the total length. Class c of the packet becomes class selector 7 - c of RFC 2474, so
 * that class 0 is the most urgent. */
static void put_ip(unsigned char *to, const struct weir_pkt *pkt, uint32_t bytes)
{
    uint32_t ecn = (pkt->flags & WEIR_PKT_CE) != 0 ? CE : (pkt->flags & WEIR_PKT_ECT) != 0 ? ECT0 : 0;
    memset(to, 0, IP_BYTES);
    to[0] = 4 << 4 | IP_BYTES / 4;
    to[1] = (unsigned char)((7u - pkt->class_id) << 5 | ecn);
    put16(to + 2, bytes);
    put16(to + 6, 0x4000); /* may not be fragmented */
    to[8] = 64;
    to[9] = 17; /* UDP */
    put32(to + 12, weir_host_address(pkt->src));
    put32(to + 16, weir_host_address(pkt->dst));
    put16(to + 10, ip_checksum(to));
}

/* Tests whether a packet goes from the sender of its message to the receiver, as DATA does. */
static bool goes_with_data(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_REQUEST || pkt->kind == WEIR_PKT_ABORT ||
           pkt->kind == WEIR_PKT_SYN || (pkt->kind == WEIR_PKT_CONTROL && (pkt->flags & WEIR_PKT_OWN) == 0);
}

static void put_udp(unsigned char *to, const struct weir_pkt *pkt, uint32_t bytes)
{
    uint32_t client = PORT_CLIENT + pkt->conn % (0x10000 - PORT_CLIENT);
    put16(to, goes_with_data(pkt) ? client : PORT_SERVER);
    put16(to + 2, goes_with_data(pkt) ? PORT_SERVER : client);
    put16(to + 4, bytes);
    put16(to + 6, 0);
}

/* Returns the token of the Weir header, made of the addresses of source and destination. As between endpoints, each
 * pair of hosts has one token per direction. */
static uint64_t token(const struct weir_pkt *pkt)
{
    return (uint64_t)weir_host_address(pkt->src) << 32 | weir_host_address(pkt->dst);
}

/* Returns the Weir header of a packet. Clears the flags that endpoints do not send, since simulated hosts may set more
 * flags. */
static struct weir_wire_head head_of(const struct weir_pkt *pkt, bool stream, uint64_t counter)
{
    struct weir_wire_head head = { .pkt = *pkt, .token = token(pkt), .counter = counter, .stream = stream };
    head.pkt.conn = WEIR_PKT_CONN(pkt->conn); /* the wire has no laws */
    head.pkt.flags = WEIR_PKT_FLAGS(pkt->flags & weir_wire_flags(weir_wire_type_of(pkt->kind, stream)));
    if (pkt->kind == WEIR_PKT_ACK)
        head.window_kib = UINT32_MAX; /* receivers of a simulation have memory for all */
    else if (pkt->kind != WEIR_PKT_DATA)
        head.pkt.payload_bytes = 0;
    return head;
}

/* Makes a PFC frame for one class: a pause of the longest time, or a resume (a pause of time 0) if row->pkt.flags is
 * 0. */
static void make_pause(const struct weir_packet_row *row, struct weir_frame *out)
{
    static const unsigned char to_all[6] = { 0x01, 0x80, 0xc2, 0x00, 0x00, 0x01 };
    memset(out->bytes, 0, PAUSE_BYTES);
    memcpy(out->bytes, to_all, sizeof(to_all));
    put16(out->bytes + 6, 0x0200);
    put16(out->bytes + 12, 0x8808);
    put16(out->bytes + 14, 0x0101);
    put16(out->bytes + 16, 1u << row->pkt.class_id);
    put16(&out->bytes[18u + 2u * row->pkt.class_id], row->pkt.flags != 0 ? 0xffff : 0);
    out->stored_bytes = out->length_bytes = PAUSE_BYTES;
}

void weir_frame_make(const struct weir_packet_row *row, bool stream, uint64_t counter, struct weir_frame *out)
{
    const struct weir_pkt *pkt = &row->pkt;
    if (row->is_control) {
        make_pause(row, out);
        return;
    }
    struct weir_wire_head head = head_of(pkt, stream, counter);
    uint32_t payload = pkt->kind == WEIR_PKT_DATA ? pkt->payload_bytes : 0, own = weir_wire_head_bytes(&head);
    uint32_t bytes = UDP_BYTES + own + payload;
    put_mac(out->bytes, pkt->dst);
    put_mac(out->bytes + 6, pkt->src);
    put16(out->bytes + 12, 0x0800);
    put_ip(out->bytes + AT_IP, pkt, IP_BYTES + bytes);
    put_udp(out->bytes + AT_UDP, pkt, bytes);
    weir_wire_encode(&head, NULL, out->bytes + AT_WEIR);
    out->stored_bytes = AT_WEIR + own;
    out->length_bytes = AT_UDP + bytes;
}
