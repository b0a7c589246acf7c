/* src/transport/wire/wire.c - encodes and decodes packets. This file alone knows the offsets of their fields, which
 * doc/wire.md lists. (The header inside a message is in endpoint/head.c.) */
#include "wire/wire.h"
#include "core/assert.h"
#include <string.h>

enum {              /* of every datagram */
       AT_TYPE = 0, /* version << 4 | type */
       AT_FLAGS = 1,
       AT_CLASS = 2,
       AT_ZERO = 3,
       AT_CHECKSUM = 4,
       AT_TOKEN = 8,
       FIRST_BYTES = 8, /* bytes before the token; the checksum takes its own field, which is among them, as 0 */
       /* of every message packet */
       AT_CONN = 16,
       AT_MSG = 20,
       AT_SEQ = 24,
       AT_ACK = 28,
       AT_BYTES = 32,
       TOKEN_END = 16,
};

#define CLASS_MASK 0x07u
#define CHECKED 0x80u /* a bit of the byte at AT_CLASS: the checksum covers the payload too */

/* Flags that a message packet may have on the wire, by enum weir_pkt_kind. CE is in the IP header instead. */
static const uint8_t kind_flags[] = {
    [WEIR_PKT_DATA] = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX | WEIR_PKT_OWN | WEIR_PKT_UNSCHED,
    [WEIR_PKT_ACK] = WEIR_PKT_ECE | WEIR_PKT_END,
    [WEIR_PKT_REPLY] = 0,
    [WEIR_PKT_REQUEST] = 0,
    [WEIR_PKT_CREDIT] = WEIR_PKT_RETX,
    [WEIR_PKT_DONE] = 0,
    [WEIR_PKT_CONTROL] = WEIR_PKT_OWN,
    [WEIR_PKT_ABORT] = 0,
};
#define KINDS (sizeof(kind_flags) / sizeof(kind_flags[0]))
_Static_assert(KINDS <= WEIR_WIRE_HELLO, "kinds and handshake packets share four bits");
_Static_assert(KINDS == WEIR_WIRE_KINDS, "one row for each kind on the wire");

/* A field of a handshake packet: offset and length (4 or 8) on the wire, and offset in struct weir_wire_handshake. */
struct field {
    uint8_t at, bytes;
    uint16_t member;
};
#define FIELD(at, bytes, member)                                                                                       \
    {                                                                                                                  \
        at, bytes, (uint16_t)offsetof(struct weir_wire_handshake, member)                                              \
    }

/* Layouts of the handshake packets, indexed by type - WEIR_WIRE_HELLO: length in bytes (HELLO may be longer), and the
 * fields after the token. */
static const struct layout {
    uint32_t bytes;
    struct field field[3];
} layouts[] = {
    { WEIR_WIRE_HELLO_MIN, { { 0 } } },
    { 28, { FIELD(16, 8, cookie), FIELD(24, 4, cookie_epoch) } },
    { 32, { FIELD(16, 8, cookie), FIELD(24, 4, cookie_epoch), FIELD(28, 4, mss_bytes) } },
    { 28, { FIELD(16, 8, own_token), FIELD(24, 4, mss_bytes) } },
    { 16, { { 0 } } },
    { 24, { FIELD(16, 4, number), FIELD(20, 4, msg) } },
};
#define LAYOUTS (sizeof(layouts) / sizeof(layouts[0]))
#define FIELDS_MAX (sizeof(layouts[0].field) / sizeof(layouts[0].field[0]))
_Static_assert(WEIR_WIRE_HELLO + LAYOUTS == 16, "four bits");

/* Converts 32 bits from big-endian to the processor's order or back. Uses a builtin, because gcc makes stores of single
 * bytes from shifts of single bytes. The checksum's load of eight bytes would then wait until those stores have left
 * the store buffer. */
static uint32_t swap32(uint32_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap32(value) : value;
}

/* Converts 64 bits as swap32() does 32. */
static uint64_t swap64(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static void put32(unsigned char *to, uint32_t value)
{
    value = swap32(value);
    memcpy(to, &value, sizeof(value));
}

static void put64(unsigned char *to, uint64_t value)
{
    value = swap64(value);
    memcpy(to, &value, sizeof(value));
}

static uint32_t get32(const unsigned char *from)
{
    uint32_t value;
    memcpy(&value, from, sizeof(value));
    return swap32(value);
}

static uint64_t get64(const unsigned char *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof(value));
    return swap64(value);
}

/* Returns the checksum of the first length bytes of a datagram, with the checksum field taken as 0. length >=
 * FIRST_BYTES. */
static uint32_t checksum(const unsigned char *bytes, uint32_t length)
{
    unsigned char first[FIRST_BYTES];
    put64(first, (uint64_t)get32(bytes) << 32);
    return weir_crc32c(weir_crc32c(0, first, FIRST_BYTES), bytes + FIRST_BYTES, length - FIRST_BYTES);
}

uint32_t weir_wire_flags(uint32_t kind)
{
    WEIR_ASSERT(kind < KINDS);
    return kind_flags[kind] | WEIR_PKT_CE;
}

int weir_wire_type(const unsigned char *bytes, uint32_t length)
{
    return length == 0 ? -1 : bytes[AT_TYPE] & 15;
}

uint64_t weir_wire_token(const unsigned char *bytes)
{
    return get64(bytes + AT_TOKEN);
}

/* Returns the number as it is on the wire, where all 32 bits are ones if there is none. */
static uint32_t wire_conn(uint32_t conn)
{
    WEIR_ASSERT(conn <= WEIR_PKT_NO_CONN); /* an endpoint has one law */
    return conn == WEIR_PKT_NO_CONN ? UINT32_MAX : conn;
}

/* Tests whether a number on the wire is one that wire_conn() writes: its top two bits are 0, or all its bits are 1. */
static bool conn_is_valid(uint32_t on_wire)
{
    return wire_conn(WEIR_PKT_CONN(on_wire)) == on_wire;
}

void weir_wire_encode(const struct weir_pkt *pkt, uint64_t token, bool checked, const void *payload, unsigned char *out)
{
    uint32_t first, crc;
    WEIR_ASSERT(pkt->kind < KINDS);
    WEIR_ASSERT((pkt->kind == WEIR_PKT_DATA) == (pkt->payload_bytes > 0));
    WEIR_ASSERT(pkt->payload_bytes <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT(pkt->class_id <= CLASS_MASK);
    WEIR_ASSERT((pkt->flags & ~WEIR_PKT_CE & ~kind_flags[pkt->kind]) == 0);
    first = (WEIR_WIRE_VERSION << 4 | pkt->kind) << 24 | (pkt->flags & ~(uint32_t)WEIR_PKT_CE) << 16 |
            (pkt->class_id | (checked ? CHECKED : 0)) << 8;
    put64(out + AT_TYPE, (uint64_t)first << 32);
    put64(out + AT_TOKEN, token);
    put64(out + AT_CONN, (uint64_t)wire_conn(pkt->conn) << 32 | pkt->msg);
    put64(out + AT_SEQ, (uint64_t)pkt->seq << 32 | pkt->ack);
    put64(out + AT_BYTES, pkt->msg_bytes);
    crc = weir_crc32c(0, out, WEIR_WIRE_HEAD_BYTES);
    if (checked && pkt->payload_bytes > 0)
        crc = weir_crc32c(crc, payload, pkt->payload_bytes);
    put32(out + AT_CHECKSUM, crc);
}

/* Checks version and type of a datagram. @return WEIR_WIRE_OK: the datagram is not empty, has our version, and its type
 * is first .. last, both included; else the first check that failed */
static enum weir_wire_result check_type(const unsigned char *bytes, uint32_t length, uint32_t first, uint32_t last)
{
    uint32_t type;
    if (length == 0)
        return WEIR_WIRE_SHORT;
    type = bytes[AT_TYPE] & 15;
    if (bytes[AT_TYPE] >> 4 != WEIR_WIRE_VERSION)
        return WEIR_WIRE_VERSION_OTHER;
    return type >= first && type <= last ? WEIR_WIRE_OK : WEIR_WIRE_TYPE;
}

/* Checks type, length, checksum, reserved bits, flags and number of a message packet. Every value of its other fields
 * is valid. */
static enum weir_wire_result check_packet(const unsigned char *bytes, uint32_t length)
{
    enum weir_wire_result result = check_type(bytes, length, 0, KINDS - 1);
    uint32_t covered = WEIR_WIRE_HEAD_BYTES, type;
    if (result != WEIR_WIRE_OK)
        return result;
    type = bytes[AT_TYPE] & 15;
    if (length < WEIR_WIRE_HEAD_BYTES || (type == WEIR_PKT_DATA) != (length > WEIR_WIRE_HEAD_BYTES) ||
        length > WEIR_WIRE_HEAD_BYTES + WEIR_WIRE_PAYLOAD_MAX)
        return WEIR_WIRE_SHORT;
    if (bytes[AT_CLASS] & CHECKED)
        covered = length;
    if (checksum(bytes, covered) != get32(bytes + AT_CHECKSUM))
        return WEIR_WIRE_CHECKSUM;
    if ((bytes[AT_CLASS] & ~(CLASS_MASK | CHECKED)) != 0 || bytes[AT_ZERO] != 0 ||
        (bytes[AT_FLAGS] & ~kind_flags[type]) != 0 || !conn_is_valid(get32(bytes + AT_CONN)))
        return WEIR_WIRE_RESERVED;
    return WEIR_WIRE_OK;
}

enum weir_wire_result weir_wire_decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                       struct weir_wire_head *out)
{
    enum weir_wire_result result = check_packet(bytes, length);
    uint32_t payload, wire;
    if (result != WEIR_WIRE_OK)
        return result;
    payload = length - WEIR_WIRE_HEAD_BYTES;
    wire = payload > 0 ? weir_framing_wire(framing, payload) : framing->ack_wire_bytes;
    out->pkt = (struct weir_pkt){
        .msg_bytes = get64(bytes + AT_BYTES),
        .conn = WEIR_PKT_CONN(get32(bytes + AT_CONN)),
        .msg = get32(bytes + AT_MSG),
        .seq = get32(bytes + AT_SEQ),
        .ack = get32(bytes + AT_ACK),
        .wire_bytes = WEIR_PKT_BYTES(wire), /* below WEIR_WIRE_MAX_BYTES, as payload <= WEIR_WIRE_PAYLOAD_MAX */
        .payload_bytes = WEIR_PKT_BYTES(payload),
        .kind = bytes[AT_TYPE] & 15u,
        .flags = bytes[AT_FLAGS],
        .class_id = bytes[AT_CLASS] & CLASS_MASK,
    };
    out->token = get64(bytes + AT_TOKEN);
    out->checked = (bytes[AT_CLASS] & CHECKED) != 0;
    return WEIR_WIRE_OK;
}

static void put_field(const struct field *field, const struct weir_wire_handshake *packet, unsigned char *out)
{
    const unsigned char *member = (const unsigned char *)packet + field->member;
    uint64_t wide;
    uint32_t narrow;
    WEIR_ASSERT(field->bytes == 8 || field->bytes == 4);
    if (field->bytes == 8) {
        memcpy(&wide, member, 8);
        put64(out + field->at, wide);
    } else {
        memcpy(&narrow, member, 4);
        put32(out + field->at, narrow);
    }
}

static void get_field(const struct field *field, const unsigned char *bytes, struct weir_wire_handshake *packet)
{
    unsigned char *member = (unsigned char *)packet + field->member;
    if (field->bytes == 8)
        memcpy(member, &(uint64_t){ get64(bytes + field->at) }, 8);
    else
        memcpy(member, &(uint32_t){ get32(bytes + field->at) }, 4);
}

uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room)
{
    const struct layout *layout;
    uint32_t bytes;
    WEIR_ASSERT(packet->type >= WEIR_WIRE_HELLO && packet->type < WEIR_WIRE_HELLO + LAYOUTS);
    layout = &layouts[packet->type - WEIR_WIRE_HELLO];
    if (room < layout->bytes)
        return 0;
    bytes = packet->type == WEIR_WIRE_HELLO ? room : layout->bytes;
    memset(out, 0, bytes);
    out[AT_TYPE] = (unsigned char)(WEIR_WIRE_VERSION << 4 | packet->type);
    put64(out + AT_TOKEN, packet->token);
    for (uint32_t i = 0; i < FIELDS_MAX && layout->field[i].bytes > 0; i++)
        put_field(&layout->field[i], packet, out);
    put32(out + AT_CHECKSUM, checksum(out, bytes));
    return bytes;
}

/* Tests whether a HELLO has only zeros after its token: the first of these bytes is 0, and each byte equals the
 * next. */
static bool padding_is_zero(const unsigned char *bytes, uint32_t length)
{
    return bytes[TOKEN_END] == 0 && memcmp(bytes + TOKEN_END, bytes + TOKEN_END + 1, length - TOKEN_END - 1) == 0;
}

/* Checks type, length, checksum, reserved bits and padding of a handshake packet. The range of mss_bytes is left to the
 * caller. */
static enum weir_wire_result check_handshake(const unsigned char *bytes, uint32_t length)
{
    enum weir_wire_result result = check_type(bytes, length, WEIR_WIRE_HELLO, WEIR_WIRE_HELLO + LAYOUTS - 1);
    bool hello;
    uint32_t least;
    if (result != WEIR_WIRE_OK)
        return result;
    hello = (bytes[AT_TYPE] & 15) == WEIR_WIRE_HELLO;
    least = layouts[(bytes[AT_TYPE] & 15) - WEIR_WIRE_HELLO].bytes;
    if (length < least || (length > least && !hello))
        return WEIR_WIRE_SHORT;
    if (checksum(bytes, length) != get32(bytes + AT_CHECKSUM))
        return WEIR_WIRE_CHECKSUM;
    if (bytes[AT_FLAGS] != 0 || bytes[AT_CLASS] != 0 || bytes[AT_ZERO] != 0 ||
        (hello && !padding_is_zero(bytes, length)))
        return WEIR_WIRE_RESERVED;
    return WEIR_WIRE_OK;
}

enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out)
{
    enum weir_wire_result result = check_handshake(bytes, length);
    struct weir_wire_handshake packet = { 0 };
    const struct field *field;
    if (result != WEIR_WIRE_OK)
        return result;
    packet.type = bytes[AT_TYPE] & 15;
    packet.token = get64(bytes + AT_TOKEN);
    field = layouts[packet.type - WEIR_WIRE_HELLO].field;
    for (uint32_t i = 0; i < FIELDS_MAX && field[i].bytes > 0; i++)
        get_field(&field[i], bytes, &packet);
    if ((packet.type == WEIR_WIRE_OPEN || packet.type == WEIR_WIRE_READY) &&
        (packet.mss_bytes == 0 || packet.mss_bytes > WEIR_WIRE_PAYLOAD_MAX))
        return WEIR_WIRE_RESERVED;
    *out = packet;
    return WEIR_WIRE_OK;
}
