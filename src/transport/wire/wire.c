/* src/transport/wire/wire.c - encodes and decodes message packets. The files of this folder alone know the offsets of
 * fields, which doc/wire.md lists. (The header inside a message is in endpoint/head.c.) */
#include "wire/wire.h"
#include "core/assert.h"
#include "wire/bytes.h"

enum { /* offsets from the end of the area; the head of every message packet begins so */
       AT_CONN = AFTER_HEAD,
       AT_MSG = AT_CONN + 4,
       AT_SEQ = AT_MSG + 4,
       AT_ACK = AT_SEQ + 4,
       AT_VALUE = AT_ACK + 4,
       AT_FLAGS = AT_VALUE + 8,
       AT_LENGTH = AT_FLAGS + 1, /* stream DATA: 48 bits */
       AT_COUNTS = AT_FLAGS + 1, /* ACK: ranges << 4 | records, .. */
       AT_SHARE = AT_COUNTS + 1,
       AT_HOLD = AT_SHARE + 2,
       AT_MARKED = AT_HOLD + 4,
       AT_WINDOW = AT_MARKED + 4,
       HEAD_END = AT_FLAGS + 1,
       STREAM_END = AT_LENGTH + 6,
       ACK_END = AT_WINDOW + 4,
};
_Static_assert(COVERED_BYTES == WEIR_WIRE_FRONT_BYTES, "see wire.h");
_Static_assert(SIGNAL_BYTES == WEIR_WIRE_AREA_BYTES(0), "see wire.h");
_Static_assert(SLOT_BYTES == WEIR_WIRE_SLOT_BYTES, "see wire.h");
_Static_assert(FRONT_BYTES == WEIR_WIRE_AREA_AT, "see wire.h");
_Static_assert(FRONT_BYTES + HEAD_END == WEIR_WIRE_HEAD_BYTES, "see wire.h");
_Static_assert(FRONT_BYTES + STREAM_END == WEIR_WIRE_STREAM_BYTES, "see wire.h");
_Static_assert(FRONT_BYTES + ACK_END == WEIR_WIRE_ACK_BYTES, "see wire.h");

#define CLASS_SHIFT 1u
#define CWR 0x02u     /* flag on the wire: the bit of WEIR_PKT_CE, which the IP header has, means WEIR_PKT_CWR */
#define CHECKED 0x80u /* flag on the wire of every message packet: the checksum covers the payload too */
#define LENGTH_BITS 48

/* Flags that a message packet may have besides CHECKED, by type, as they are on the wire. */
static const uint8_t type_flags[WEIR_WIRE_STREAM + 1] = {
    [WEIR_PKT_DATA] = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX | WEIR_PKT_OWN | WEIR_PKT_UNSCHED,
    [WEIR_PKT_ACK] = WEIR_PKT_ECE | WEIR_PKT_END | WEIR_PKT_RETX,
    [WEIR_PKT_REPLY] = 0,
    [WEIR_PKT_REQUEST] = 0,
    [WEIR_PKT_CREDIT] = WEIR_PKT_RETX,
    [WEIR_PKT_DONE] = 0,
    [WEIR_PKT_CONTROL] = WEIR_PKT_OWN,
    [WEIR_PKT_ABORT] = 0,
    [WEIR_PKT_NOTICE] = 0,
    [WEIR_PKT_SYN] = WEIR_PKT_ECE | CWR | WEIR_PKT_RETX,
    [WEIR_PKT_SYN_ACK] = WEIR_PKT_ECE,
    [WEIR_WIRE_STREAM] = WEIR_PKT_ECT | CWR | WEIR_PKT_END | WEIR_PKT_RETX,
};

static bool is_message_type(uint32_t type)
{
    return type < WEIR_WIRE_KINDS || type == WEIR_WIRE_STREAM;
}

static bool is_data(uint32_t type)
{
    return type == WEIR_PKT_DATA || type == WEIR_WIRE_STREAM;
}

/* Returns flags of a packet as they are on the wire: nine become eight, since CE is not written. */
static uint32_t wire_flags(uint32_t flags)
{
    return (flags & 0xffu & ~(uint32_t)WEIR_PKT_CE) | (flags & WEIR_PKT_CWR ? CWR : 0);
}

/* Returns flags on the wire, but CHECKED, as a packet has them. */
static uint32_t pkt_flags(uint32_t on_wire)
{
    return (on_wire & ~(CWR | CHECKED)) | (on_wire & CWR ? (uint32_t)WEIR_PKT_CWR : 0);
}

uint32_t weir_wire_flags(uint32_t type)
{
    WEIR_ASSERT(is_message_type(type));
    return pkt_flags(type_flags[type]) | WEIR_PKT_CE;
}

uint32_t weir_wire_version(const unsigned char *bytes)
{
    return bytes[AT_VERSION] >> 4;
}

int weir_wire_type(const unsigned char *bytes, uint32_t length)
{
    return length < 2 ? -1 : bytes[AT_TYPE];
}

uint32_t weir_wire_phase(const unsigned char *bytes, uint32_t length)
{
    return length > AT_PHASE ? bytes[AT_PHASE] : 0;
}

bool weir_wire_token(const unsigned char *bytes, uint32_t length, uint64_t *token)
{
    uint32_t after = length >= FRONT_BYTES ? FRONT_BYTES + wire_area_bytes(bytes[AT_AREA]) : 0;
    if (length < FRONT_BYTES || length < after + AFTER_COUNTER)
        return false;
    *token = get64(bytes + after + AFTER_TOKEN);
    return true;
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

/* Returns the bytes of the head of a type, from the end of the area on. ranges, records: of an ACK */
static uint32_t type_bytes(uint32_t type, uint32_t ranges, uint32_t records)
{
    if (type == WEIR_PKT_ACK)
        return ACK_END + ranges * WEIR_WIRE_RANGE_BYTES + records * WEIR_WIRE_SLOT_BYTES;
    return type == WEIR_WIRE_STREAM ? STREAM_END : HEAD_END;
}

static uint32_t area_byte(const struct weir_wire_head *head)
{
    return (uint32_t)head->area_kind << WIRE_KIND_SHIFT | head->slot_count;
}

uint32_t weir_wire_head_bytes(const struct weir_wire_head *head)
{
    uint32_t type = weir_wire_type_of(head->pkt.kind, head->stream);
    return FRONT_BYTES + wire_area_bytes(area_byte(head)) + type_bytes(type, head->range_count, head->echo_count);
}

/* Writes the switch area. Its slots are zeros unless they are given. */
static void put_area(const struct weir_wire_head *head, unsigned char *out)
{
    size_t bytes = head->slot_count * (size_t)WEIR_WIRE_SLOT_BYTES;
    WEIR_ASSERT(head->slot_count <= WEIR_WIRE_SLOTS_MAX);
    put32(out, head->signal);
    if (head->slots != NULL)
        memcpy(out + SIGNAL_BYTES, head->slots, bytes);
    else
        memset(out + SIGNAL_BYTES, 0, bytes);
}

/* Writes what an ACK has behind its flags. */
static void put_ack(const struct weir_wire_head *head, unsigned char *after)
{
    size_t ranges = head->range_count * (size_t)WEIR_WIRE_RANGE_BYTES;
    size_t records = head->echo_count * (size_t)WEIR_WIRE_SLOT_BYTES;
    WEIR_ASSERT(head->range_count <= WEIR_WIRE_RANGES_MAX && head->echo_count <= WEIR_WIRE_RANGES_MAX);
    after[AT_COUNTS] = (unsigned char)(head->range_count << 4 | head->echo_count);
    put16(after + AT_SHARE, head->pkt.share_count);
    put32(after + AT_HOLD, head->hold_ns);
    put32(after + AT_MARKED, head->marked_bytes);
    put32(after + AT_WINDOW, head->window_kib);
    if (ranges > 0)
        memcpy(after + ACK_END, head->ranges, ranges);
    if (records > 0)
        memcpy(after + ACK_END + ranges, head->echo, records);
}

/* Writes the head of a type. after: the end of the area */
static void put_head(const struct weir_wire_head *head, uint32_t type, unsigned char *after)
{
    const struct weir_pkt *pkt = &head->pkt;
    put64(after + AT_CONN, (uint64_t)wire_conn(pkt->conn) << 32 | pkt->msg);
    put64(after + AT_SEQ, (uint64_t)pkt->seq << 32 | pkt->ack);
    put64(after + AT_VALUE, pkt->value);
    after[AT_FLAGS] = (unsigned char)(wire_flags(pkt->flags) | (head->checked ? CHECKED : 0));
    if (type == WEIR_PKT_ACK)
        put_ack(head, after);
    if (type != WEIR_WIRE_STREAM)
        return;
    WEIR_ASSERT(head->msg_bytes >> LENGTH_BITS == 0);
    put16(after + AT_LENGTH, (uint32_t)(head->msg_bytes >> 32));
    put32(after + AT_LENGTH + 2, (uint32_t)head->msg_bytes);
}

/* Checks what the caller of weir_wire_encode() promises. */
static void check_head(const struct weir_wire_head *head, uint32_t type)
{
    const struct weir_pkt *pkt = &head->pkt;
    WEIR_ASSERT(is_message_type(type));
    WEIR_ASSERT(type == WEIR_PKT_ACK || is_data(type) == (pkt->payload_bytes > 0));
    WEIR_ASSERT(type == WEIR_PKT_ACK || pkt->payload_bytes <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT((wire_flags(pkt->flags) & ~type_flags[type] & 0xffu) == 0);
    WEIR_ASSERT(head->area_kind < WEIR_WIRE_AREA_KINDS);
    WEIR_ASSERT(head->area_kind != WEIR_WIRE_AREA_NONE || (head->signal == 0 && head->slot_count == 0));
    WEIR_ASSERT(head->counter > 0 || head->sealed);
    WEIR_ASSERT(!head->sealed || !head->checked);
}

void weir_wire_encode(const struct weir_wire_head *head, const void *payload, unsigned char *out)
{
    const struct weir_pkt *pkt = &head->pkt;
    uint32_t type = weir_wire_type_of(pkt->kind, head->stream), area = area_byte(head), crc, first;
    unsigned char *after = out + FRONT_BYTES + wire_area_bytes(area);
    check_head(head, type);
    WEIR_ASSERT(head->sealed || head->key_phase == 0);
    first = (WEIR_WIRE_VERSION << 4 | (uint32_t)pkt->class_id << CLASS_SHIFT) << 24 | type << 16 | area << 8 |
            head->key_phase;
    if (head->area_kind != WEIR_WIRE_AREA_NONE)
        put_area(head, out + FRONT_BYTES);
    put_head(head, type, after);
    if (head->sealed) {
        wire_put_sealed_front(first, head->token, head->counter, out, after);
        return;
    }
    crc = wire_put_front(first, head->token, head->counter, out, after);
    crc = weir_crc32c(crc, after + AFTER_HEAD, type_bytes(type, head->range_count, head->echo_count) - AFTER_HEAD);
    if (head->checked && is_data(type))
        crc = weir_crc32c(crc, payload, pkt->payload_bytes);
    put32(after + AFTER_CHECKSUM, crc);
}

/* Checks version, type and area of a message packet, and whether the head fits. after: set to the end of the area;
 * head_bytes: to the length of the header from there on */
static enum weir_wire_result check_length(const unsigned char *bytes, uint32_t length, uint32_t *after,
                                          uint32_t *head_bytes)
{
    uint32_t type, counts = 0;
    if (length == 0)
        return WEIR_WIRE_SHORT;
    if (weir_wire_version(bytes) != WEIR_WIRE_VERSION)
        return WEIR_WIRE_VERSION_OTHER;
    if (length < FRONT_BYTES)
        return WEIR_WIRE_SHORT;
    type = bytes[AT_TYPE];
    if (!is_message_type(type) || bytes[AT_AREA] >> WIRE_KIND_SHIFT >= WEIR_WIRE_AREA_KINDS)
        return WEIR_WIRE_TYPE;
    *after = FRONT_BYTES + wire_area_bytes(bytes[AT_AREA]);
    if (type == WEIR_PKT_ACK && length > *after + AT_COUNTS)
        counts = bytes[*after + AT_COUNTS];
    *head_bytes = type_bytes(type, counts >> 4, counts & 15u);
    if (length < *after + *head_bytes || is_data(type) != (length > *after + *head_bytes) ||
        length > *after + *head_bytes + WEIR_WIRE_PAYLOAD_MAX)
        return WEIR_WIRE_SHORT;
    return WEIR_WIRE_OK;
}

/* Checks reserved bits, flags, counter and number of a message packet whose checksum is right. Every value of its other
 * fields is valid, and so is every area. */
static bool is_reserved(const unsigned char *bytes, uint32_t after, bool sealed)
{
    uint32_t area = bytes[AT_AREA], type = bytes[AT_TYPE];
    return (bytes[AT_VERSION] & WIRE_OWN) != 0 || (!sealed && bytes[AT_PHASE] != 0) ||
           (area >> WIRE_KIND_SHIFT == WEIR_WIRE_AREA_NONE && (area & WIRE_SLOTS_MASK) != 0) ||
           (bytes[after + AT_FLAGS] & ~CHECKED & ~type_flags[type] & 0xffu) != 0 ||
           get64(bytes + after + AFTER_COUNTER) == 0 || !conn_is_valid(get32(bytes + after + AT_CONN)) ||
           (type == WEIR_PKT_ACK && get16(bytes + after + AT_SHARE) > WEIR_PKT_BYTES_MAX);
}

/* Reads what an ACK has behind its flags. */
static void get_ack(const unsigned char *after, struct weir_wire_head *out)
{
    uint32_t counts = after[AT_COUNTS];
    out->pkt.share_count = WEIR_PKT_BYTES(get16(after + AT_SHARE));
    out->hold_ns = get32(after + AT_HOLD);
    out->marked_bytes = get32(after + AT_MARKED);
    out->window_kib = get32(after + AT_WINDOW);
    out->range_count = (uint8_t)(counts >> 4);
    out->echo_count = counts & 15u;
    if (out->range_count > 0)
        out->ranges = after + ACK_END;
    if (out->echo_count > 0)
        out->echo = after + ACK_END + out->range_count * (size_t)WEIR_WIRE_RANGE_BYTES;
}

static void get_area(const unsigned char *bytes, struct weir_wire_head *out)
{
    out->area_kind = bytes[AT_AREA] >> WIRE_KIND_SHIFT;
    out->slot_count = bytes[AT_AREA] & WIRE_SLOTS_MASK;
    out->signal = get32(bytes + FRONT_BYTES);
    if (out->slot_count > 0)
        out->slots = bytes + FRONT_BYTES + SIGNAL_BYTES;
}

/* Tests the checksum of a message packet, or that there is none. at: the end of its area; head_end: of its header */
static bool sum_is_right(const unsigned char *bytes, uint32_t length, uint32_t at, uint32_t head_end, bool sealed)
{
    bool checked = (bytes[at + AT_FLAGS] & CHECKED) != 0;
    if (sealed)
        return get32(bytes + at + AFTER_CHECKSUM) == 0;
    return wire_sum_is_right(bytes, at, checked ? length : head_end);
}

/* Reads all fields of a message packet whose length and reserved bits are right. at: the end of its area; payload: its
 * length */
static void get_head(const unsigned char *bytes, uint32_t at, uint32_t payload, bool sealed, struct weir_wire_head *out)
{
    const unsigned char *after = bytes + at;
    bool stream = bytes[AT_TYPE] == WEIR_WIRE_STREAM;
    WEIR_CHECK(at >= FRONT_BYTES && at <= FRONT_BYTES + WEIR_WIRE_AREA_BYTES(WEIR_WIRE_SLOTS_MAX));
    WEIR_CHECK(payload <= WEIR_WIRE_PAYLOAD_MAX);
    *out = (struct weir_wire_head){
        .pkt = { .value = get64(after + AT_VALUE),
                 .conn = WEIR_PKT_CONN(get32(after + AT_CONN)),
                 .msg = get32(after + AT_MSG),
                 .seq = get32(after + AT_SEQ),
                 .ack = get32(after + AT_ACK),
                 .payload_bytes = WEIR_PKT_BYTES(payload),
                 .kind = stream ? (uint32_t)WEIR_PKT_DATA : bytes[AT_TYPE] & 15u,
                 .flags = WEIR_PKT_FLAGS(pkt_flags(after[AT_FLAGS])),
                 .class_id = WEIR_PKT_CLASS((uint32_t)bytes[AT_VERSION] >> CLASS_SHIFT) },
        .token = get64(after + AFTER_TOKEN),
        .counter = get64(after + AFTER_COUNTER),
        .stream = stream,
        .checked = (after[AT_FLAGS] & CHECKED) != 0,
        .key_phase = bytes[AT_PHASE],
        .sealed = sealed,
    };
    if (bytes[AT_AREA] >> WIRE_KIND_SHIFT != WEIR_WIRE_AREA_NONE)
        get_area(bytes, out);
    if (bytes[AT_TYPE] == WEIR_PKT_ACK)
        get_ack(after, out);
    if (stream)
        out->msg_bytes = (uint64_t)get16(after + AT_LENGTH) << 32 | get32(after + AT_LENGTH + 2);
}

/* Reads a datagram. sealed: as weir_wire_decode_opened() does */
static enum weir_wire_result decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                    bool sealed, struct weir_wire_head *out)
{
    uint32_t at, head_bytes, payload, wire;
    enum weir_wire_result result = check_length(bytes, length, &at, &head_bytes);
    if (result != WEIR_WIRE_OK)
        return result;
    if (!sum_is_right(bytes, length, at, at + head_bytes, sealed))
        return WEIR_WIRE_CHECKSUM;
    if (is_reserved(bytes, at, sealed) || (sealed && (bytes[at + AT_FLAGS] & CHECKED) != 0))
        return WEIR_WIRE_RESERVED;
    payload = length - at - head_bytes;
    wire = payload > 0 ? weir_framing_wire(framing, payload) : framing->ack_wire_bytes;
    get_head(bytes, at, payload, sealed, out);
    out->pkt.wire_bytes = WEIR_PKT_BYTES(wire); /* below WEIR_WIRE_MAX_BYTES, as payload is bounded */
    return WEIR_WIRE_OK;
}

enum weir_wire_result weir_wire_decode(const unsigned char *bytes, uint32_t length, const struct weir_framing *framing,
                                       struct weir_wire_head *out)
{
    return decode(bytes, length, framing, false, out);
}

enum weir_wire_result weir_wire_decode_opened(const unsigned char *bytes, uint32_t length,
                                              const struct weir_framing *framing, struct weir_wire_head *out)
{
    return decode(bytes, length, framing, true, out);
}

enum weir_wire_result weir_wire_peek(const unsigned char *bytes, uint32_t length, struct weir_wire_head *out)
{
    uint32_t at = FRONT_BYTES + (length < FRONT_BYTES ? 0 : wire_area_bytes(bytes[AT_AREA])), head_bytes;
    bool sealed = length >= at + AFTER_HEAD + WEIR_WIRE_TAG_BYTES && get32(bytes + at + AFTER_CHECKSUM) == 0;
    enum weir_wire_result result;
    length -= sealed ? WEIR_WIRE_TAG_BYTES : 0;
    result = check_length(bytes, length, &at, &head_bytes);
    if (result != WEIR_WIRE_OK)
        return result;
    if (is_reserved(bytes, at, sealed) || (sealed && (bytes[at + AT_FLAGS] & CHECKED) != 0))
        return WEIR_WIRE_RESERVED;
    WEIR_CHECK(length >= at + head_bytes);
    get_head(bytes, at, length - at - head_bytes, sealed, out);
    return WEIR_WIRE_OK;
}

enum weir_wire_result weir_wire_measure(const unsigned char *bytes, uint32_t length, struct weir_wire_parts *parts)
{
    uint32_t at, head_bytes;
    enum weir_wire_result result;
    result = check_length(bytes, length, &at, &head_bytes);
    if (result == WEIR_WIRE_OK)
        *parts = (struct weir_wire_parts){ .area_bytes = at - FRONT_BYTES, .head_end = at + head_bytes };
    return result;
}

void weir_wire_put_signal(uint32_t signal, unsigned char *out)
{
    put32(out, signal);
}

void weir_wire_get_slot(const unsigned char *bytes, struct weir_wire_slot *out)
{
    uint64_t first = get64(bytes), second = get64(bytes + 8);
    out->time_ns = first >> 24;
    out->rate_100k = first & 0xffffffu;
    out->sent_bytes = second >> 24;
    out->queue_bytes = second & 0xffffffu;
}

void weir_wire_put_slot(const struct weir_wire_slot *slot, unsigned char *out)
{
    WEIR_ASSERT(slot->time_ns >> 40 == 0 && slot->sent_bytes >> 40 == 0);
    WEIR_ASSERT(slot->rate_100k >> 24 == 0 && slot->queue_bytes >> 24 == 0);
    put64(out, slot->time_ns << 24 | slot->rate_100k);
    put64(out + 8, slot->sent_bytes << 24 | slot->queue_bytes);
}

void weir_wire_get_range(const unsigned char *bytes, uint32_t *start, uint32_t *pkts)
{
    *start = get32(bytes);
    *pkts = get32(bytes + 4);
}

void weir_wire_put_range(uint32_t start, uint32_t pkts, unsigned char *out)
{
    put32(out, start);
    put32(out + 4, pkts);
}
