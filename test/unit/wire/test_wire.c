/* test/unit/wire/test_wire.c - golden datagrams of message packets both ways, and what must be refused of any type. */
#include "test/unit/wire/vectors.h"

enum { LOW = 1, HIGH = 2 }; /* the two tokens below, of connections and of the handshake */
static const uint64_t token_of[] = { [LOW] = 0x0102030405060708, [HIGH] = 0xfedcba9876543210 };
#define SENT UINT64_C(77000000000)
/* the record of stream-slots and ack-ranges; room for a second, which is empty */
static const unsigned char slots[32] = {
    0, 0, 0x0f, 0x42, 0x40, 0x01, 0x86, 0xa0, 0, 0, 0x01, 0xe2, 0x40, 0, 0x0b, 0xb8
};
static const unsigned char ranges[16] = { 0, 0, 0, 12, 0, 0, 0, 2, 0, 0, 0, 15, 0, 0, 0, 1 };

#define OF_MESSAGE .conn = 42, .msg = 5, .wire_bytes = 135

static const struct {
    const char *name;
    uint8_t token;
    struct weir_wire_head head; /* without the token */
} packets[] = {
    { "data-unscheduled",
      LOW,
      { .pkt = { .msg_bytes = UINT64_C(1) << 48 | 20,
                 .conn = 7,
                 .msg = 17,
                 .wire_bytes = 135,
                 .payload_bytes = 20,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_UNSCHED },
        .counter = 1 } },
    { "data-scheduled",
      HIGH,
      { .pkt = { .msg_bytes = 10000000,
                 .conn = 7,
                 .msg = 17,
                 .seq = 3,
                 .ack = 6152,
                 .wire_bytes = 119,
                 .payload_bytes = 4,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_OWN,
                 .class_id = 1 },
        .counter = 2,
        .checked = true } },
    { "data-again",
      HIGH,
      { .pkt = { .msg_bytes = 2921,
                 .conn = WEIR_PKT_NO_CONN - 1,
                 .msg = UINT32_C(1) << 31,
                 .seq = 2,
                 .ack = UINT32_MAX,
                 .wire_bytes = 116,
                 .payload_bytes = 1,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX,
                 .class_id = 1 },
        .counter = (UINT64_C(1) << 32) + 5 } },
    { "data-call",
      LOW,
      { .pkt = { .msg_bytes = UINT64_C(1) << 48 | 16,
                 .conn = 8,
                 .msg = 18,
                 .wire_bytes = 131,
                 .payload_bytes = 16,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_UNSCHED },
        .counter = 3,
        .checked = true } },
    { "stream",
      LOW,
      { .pkt = { .sent_ps = SENT,
                 .conn = 2,
                 .msg = 3,
                 .seq = 11,
                 .ack = 9,
                 .wire_bytes = 117,
                 .payload_bytes = 2,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_CWR },
        .counter = 4,
        .msg_bytes = 4100,
        .stream = true } },
    { "stream-area",
      LOW,
      { .pkt = { .sent_ps = SENT + 1,
                 .conn = 2,
                 .msg = 3,
                 .seq = 12,
                 .ack = 9,
                 .wire_bytes = 116,
                 .payload_bytes = 1,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX },
        .counter = 5,
        .msg_bytes = (UINT64_C(1) << 48) - 1,
        .signal = WEIR_WIRE_SIGNAL(5, 3, 0, 0),
        .area_kind = WEIR_WIRE_AREA_64NS,
        .stream = true,
        .checked = true } },
    { "stream-slots",
      HIGH,
      { .pkt = { .conn = 2,
                 .msg = 3,
                 .seq = 13,
                 .ack = 13,
                 .wire_bytes = 116,
                 .payload_bytes = 1,
                 .kind = WEIR_PKT_DATA,
                 .flags = WEIR_PKT_ECT,
                 .class_id = 7 },
        .counter = 6,
        .msg_bytes = 1,
        .slots = slots,
        .signal = WEIR_WIRE_SIGNAL(1, 1, 7, 1),
        .area_kind = WEIR_WIRE_AREA_US,
        .slot_count = 2,
        .stream = true } },
    { "ack",
      LOW,
      { .pkt = { .sent_ps = SENT,
                 .conn = 2,
                 .msg = 3,
                 .seq = 9,
                 .ack = 10,
                 .size_word = WEIR_PKT_SIZE_WORD(135, 0, 5), /* the last is share_count */
                 .kind = WEIR_PKT_ACK,
                 .flags = WEIR_PKT_ECE | WEIR_PKT_RETX },
        .counter = 7,
        .window_kib = UINT32_MAX } },
    { "ack-ranges",
      LOW,
      { .pkt = { .sent_ps = SENT,
                 .conn = 2,
                 .msg = 3,
                 .seq = 15,
                 .ack = 10,
                 .size_word = WEIR_PKT_SIZE_WORD(135, 0, WEIR_PKT_BYTES_MAX),
                 .kind = WEIR_PKT_ACK,
                 .flags = WEIR_PKT_ECE },
        .counter = 8,
        .ranges = ranges,
        .echo = slots,
        .hold_ns = 1500,
        .marked_bytes = 2834,
        .window_kib = 64,
        .range_count = 2,
        .echo_count = 1 } },
    { "reply",
      LOW,
      { .pkt = { .conn = 2, .msg = 3, .seq = 9, .ack = 10, .wire_bytes = 135, .kind = WEIR_PKT_REPLY },
        .counter = 9 } },
    { "request", LOW, { .pkt = { .msg_bytes = 1000000, OF_MESSAGE, .kind = WEIR_PKT_REQUEST }, .counter = 10 } },
    { "credit", LOW, { .pkt = { OF_MESSAGE, .seq = 64, .ack = 98432, .kind = WEIR_PKT_CREDIT }, .counter = 11 } },
    { "credit-again",
      LOW,
      { .pkt = { OF_MESSAGE, .seq = 3, .ack = 99970, .kind = WEIR_PKT_CREDIT, .flags = WEIR_PKT_RETX },
        .counter = 12 } },
    { "credit-many",
      LOW,
      { .pkt = { .value = WEIR_PKT_GRANT(12, 3), OF_MESSAGE, .seq = 64, .ack = 99970, .kind = WEIR_PKT_CREDIT },
        .counter = 13 } },
    { "done", LOW, { .pkt = { OF_MESSAGE, .kind = WEIR_PKT_DONE }, .counter = 14 } },
    { "control",
      LOW,
      { .pkt = { .conn = WEIR_PKT_NO_CONN,
                 .msg = UINT32_MAX,
                 .seq = 1,
                 .ack = 99970,
                 .wire_bytes = 135,
                 .kind = WEIR_PKT_CONTROL },
        .counter = 15 } },
    { "control-own",
      LOW,
      { .pkt = { .value = 0x0102030405060708,
                 OF_MESSAGE,
                 .seq = 15,
                 .ack = 7,
                 .kind = WEIR_PKT_CONTROL,
                 .flags = WEIR_PKT_OWN },
        .counter = 16 } },
    { "abort",
      LOW,
      { .pkt = { .msg_bytes = 1000000, OF_MESSAGE, .kind = WEIR_PKT_ABORT, .class_id = 7 }, .counter = 17 } },
    { "notice", LOW, { .pkt = { .conn = 2, .wire_bytes = 135, .kind = WEIR_PKT_NOTICE }, .counter = 18 } },
    { "no-room", LOW, { .pkt = { OF_MESSAGE, .seq = WEIR_WIRE_NO_ROOM, .kind = WEIR_PKT_NOTICE }, .counter = 19 } },
    { "room", LOW, { .pkt = { OF_MESSAGE, .seq = WEIR_WIRE_ROOM, .kind = WEIR_PKT_NOTICE }, .counter = 20 } },
    { "syn",
      LOW,
      { .pkt = { .sent_ps = SENT,
                 .conn = 2,
                 .wire_bytes = 135,
                 .kind = WEIR_PKT_SYN,
                 .flags = WEIR_PKT_ECE | WEIR_PKT_CWR },
        .counter = 21 } },
    { "syn-ack",
      LOW,
      { .pkt = { .sent_ps = SENT, .conn = 2, .wire_bytes = 135, .kind = WEIR_PKT_SYN_ACK, .flags = WEIR_PKT_ECE },
        .counter = 22 } },
};

#define PACKETS (sizeof(packets) / sizeof(packets[0]))
_Static_assert(PACKETS == VECTOR_PACKETS, "all of them");

static uint32_t payload_of(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA ? pkt->payload_bytes : 0;
}

static void packets_are_written_byte_for_byte(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        const struct vector *v = vector(packets[i].name);
        struct weir_wire_head head = packets[i].head;
        uint32_t own = weir_wire_head_bytes(&head);
        head.token = token_of[packets[i].token];
        head.pkt.arrival_ps = 1, head.pkt.hash = 2, head.pkt.src = 3,
        head.pkt.dst = 4; /* none of it is sent, nor is CE */
        head.pkt.flags |= WEIR_PKT_CE;
        assert_int_equal(own, head_of(v->bytes));
        assert_int_equal(v->length, own + payload_of(&head.pkt));
        memset(bytes, 0xee, sizeof(bytes));
        weir_wire_encode(&head, v->bytes + own, bytes);
        assert_memory_equal(bytes, v->bytes, own);
        assert_int_equal(bytes[own], 0xee);
    }
}

static void packets_are_read_field_by_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        const struct vector *v = vector(packets[i].name);
        const struct weir_wire_head *must = &packets[i].head;
        struct weir_wire_head head;
        uint64_t token;
        assert_int_equal(weir_wire_decode(v->bytes, v->length, &framing, &head), WEIR_WIRE_OK);
        assert_memory_equal(&head.pkt, &must->pkt, sizeof(head.pkt)); /* a packet has no gaps between its fields */
        assert_true(head.token == token_of[packets[i].token] && head.counter == must->counter);
        assert_true(weir_wire_token(v->bytes, v->length, &token) && token == head.token);
        assert_true(head.checked == must->checked && head.stream == must->stream && head.msg_bytes == must->msg_bytes);
        assert_int_equal(head.signal, must->signal);
        assert_true(head.area_kind == must->area_kind && head.slot_count == must->slot_count);
        assert_true(head.hold_ns == must->hold_ns && head.marked_bytes == must->marked_bytes);
        assert_true(head.window_kib == must->window_kib);
        assert_true(head.range_count == must->range_count && head.echo_count == must->echo_count);
        assert_true((head.slots != NULL) == (must->slots != NULL) && (head.echo != NULL) == (must->echo != NULL));
        if (must->slots != NULL)
            assert_memory_equal(head.slots, must->slots, 32);
        if (must->echo != NULL)
            assert_memory_equal(head.echo, must->echo, 16);
        if (must->ranges != NULL)
            assert_memory_equal(head.ranges, must->ranges, 16);
    }
}

static void records_and_ranges_have_their_fields(void **state)
{
    const struct weir_wire_slot most = { (UINT64_C(1) << 40) - 1, (UINT64_C(1) << 40) - 1, 0xffffff, 0xffffff };
    unsigned char bytes[16];
    struct weir_wire_slot slot;
    uint32_t start, pkts;
    (void)state;
    weir_wire_get_slot(slots, &slot);
    assert_true(slot.time_ns == 1000000 && slot.sent_bytes == 123456);
    assert_true(slot.rate_100k == 100000 && slot.queue_bytes == 3000);
    weir_wire_put_slot(&slot, bytes);
    assert_memory_equal(bytes, slots, 16);
    weir_wire_put_slot(&most, bytes);
    for (uint32_t i = 0; i < 16; i++)
        assert_int_equal(bytes[i], 0xff);
    weir_wire_get_slot(bytes, &slot);
    assert_memory_equal(&slot, &most, sizeof(slot));
    weir_wire_get_range(ranges, &start, &pkts);
    assert_true(start == 12 && pkts == 2);
    weir_wire_put_range(15, 1, bytes);
    assert_memory_equal(bytes, ranges + 8, 8);
}

static void the_fields_of_an_signal_do_not_overlap(void **state)
{
    uint32_t signal = WEIR_WIRE_SIGNAL(0xffff, 0, 0, 0);
    (void)state;
    assert_int_equal(WEIR_WIRE_SIGNAL_DELAY(signal), 0xffff);
    assert_int_equal(WEIR_WIRE_SIGNAL_BYTE(signal) | WEIR_WIRE_SIGNAL_TOKENS(signal) | WEIR_WIRE_SIGNAL_ECE(signal), 0);
    signal = WEIR_WIRE_SIGNAL(0, 0xff, 0, 0);
    assert_int_equal(WEIR_WIRE_SIGNAL_BYTE(signal), 0xff);
    assert_int_equal(WEIR_WIRE_SIGNAL_DELAY(signal) | WEIR_WIRE_SIGNAL_TOKENS(signal) | WEIR_WIRE_SIGNAL_ECE(signal),
                     0);
    signal = WEIR_WIRE_SIGNAL(0, 0, 7, 0);
    assert_int_equal(WEIR_WIRE_SIGNAL_TOKENS(signal), 7);
    assert_int_equal(WEIR_WIRE_SIGNAL_DELAY(signal) | WEIR_WIRE_SIGNAL_BYTE(signal) | WEIR_WIRE_SIGNAL_ECE(signal), 0);
    signal = WEIR_WIRE_SIGNAL(0, 0, 0, 1);
    assert_int_equal(WEIR_WIRE_SIGNAL_ECE(signal), 1);
    assert_int_equal(signal, 0x10);
}

/* Tests whether a HELLO or READY may be so long: its law has any length. */
static bool fits_as_text(const struct vector *v, uint32_t length)
{
    bool keyed = strstr(v->name, "keyed") != NULL;
    if (strncmp(v->name, "hello", 5) == 0)
        return length >= (keyed ? 100 : 64);
    return strncmp(v->name, "ready", 5) == 0 && length >= (keyed ? 124 : 40) && length <= 508;
}

/* With keys a packet has no checksum and no C. Whatever is 0 there is read as without keys, and written again. */
static void a_sealed_packet_has_no_checksum(void **state)
{
    unsigned char must[VECTOR_MAX], again[VECTOR_MAX];
    struct weir_wire_head head;
    struct weir_wire_parts parts;
    (void)state;
    for (uint32_t i = 0; i < VECTOR_PACKETS; i++) {
        const struct vector *v = &vectors[i];
        uint32_t at = after(v->bytes), own = head_of(v->bytes);
        memcpy(must, v->bytes, v->length);
        assert_int_equal(weir_wire_decode_opened(must, v->length, &framing, &head), WEIR_WIRE_CHECKSUM);
        memset(must + at + 16, 0, 4);
        must[at + 44] |= 0x80;
        assert_int_equal(weir_wire_decode_opened(must, v->length, &framing, &head), WEIR_WIRE_RESERVED);
        must[at + 44] &= 0x7f;
        assert_int_equal(weir_wire_measure(must, v->length, &parts), WEIR_WIRE_OK);
        assert_int_equal(parts.area_bytes, at - 4);
        assert_int_equal(parts.head_end, own);
        assert_int_equal(weir_wire_measure(must, own - 1, &parts), WEIR_WIRE_SHORT);
        assert_int_equal(weir_wire_decode_opened(must, v->length, &framing, &head), WEIR_WIRE_OK);
        assert_true(head.sealed);
        weir_wire_encode(&head, NULL, again);
        assert_memory_equal(again, must, own);
        head.counter = 0; /* not known before it is sealed */
        weir_wire_encode(&head, NULL, again);
        memset(must + at + 8, 0, 8);
        assert_memory_equal(again, must, own);
        assert_int_equal(weir_wire_decode_opened(must, v->length, &framing, &head), WEIR_WIRE_RESERVED);
    }
}

static void only_the_exact_length_is_accepted(void **state)
{
    unsigned char bytes[2 * VECTOR_MAX] = { 0 };
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint32_t head = is_own(v->bytes) ? 0 : head_of(v->bytes);
        bool data = is_data(v->bytes), checked = data && bytes[after(v->bytes) + 44] & 0x80;
        memcpy(bytes, v->bytes, v->length);
        checked = data && (v->bytes[after(v->bytes) + 44] & 0x80) != 0;
        for (uint32_t length = 0; length < sizeof(bytes); length++) {
            enum weir_wire_result is = decode(bytes, length), must = WEIR_WIRE_SHORT;
            if (length == v->length || (data && length > head && !checked))
                must = WEIR_WIRE_OK; /* where a payload ends is known to the network alone */
            else if ((data && length > head) || fits_as_text(v, length))
                must = WEIR_WIRE_CHECKSUM;
            assert_int_equal(is, must);
        }
        memset(bytes, 0, sizeof(bytes));
    }
}

static void payload_length_is_bounded(void **state)
{
    static const char *const names[] = { "data-unscheduled", "stream", "stream-slots" };
    static unsigned char bytes[256 + 9217];
    struct weir_wire_head head;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        uint32_t own = head_of(vector(names[i])->bytes);
        memcpy(bytes, vector(names[i])->bytes, own);
        assert_int_equal(weir_wire_decode(bytes, own + 9215, &framing, &head), WEIR_WIRE_OK);
        assert_int_equal(head.pkt.payload_bytes, 9215);
        assert_int_equal(weir_wire_decode(bytes, own + 9216, &framing, &head), WEIR_WIRE_OK);
        assert_int_equal(head.pkt.payload_bytes, 9216);
        assert_int_equal(head.pkt.wire_bytes, 9216 + 95 + 20);
        assert_int_equal(weir_wire_decode(bytes, own + 9217, &framing, &head), WEIR_WIRE_SHORT);
        assert_int_equal(weir_wire_decode(bytes, own, &framing, &head), WEIR_WIRE_SHORT);
    }
}

/* Every bit is under the checksum but those of the payload, unless CHECKED, and those of the area. */
static void every_flipped_bit_is_detected(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint32_t at = after(v->bytes);
        memcpy(bytes, v->bytes, v->length);
        for (uint32_t bit = 0; bit < 8 * v->length; bit++) {
            bool area = bit / 8 >= 4 && bit / 8 < at;
            bool seen = !area && bit / 8 < covered(v->bytes, v->length);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            assert_int_equal(decode(bytes, v->length) != WEIR_WIRE_OK, seen);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        }
    }
}

static void other_versions_and_unknown_types_have_different_results(void **state)
{
    struct weir_wire_head head;
    struct weir_wire_handshake word;
    unsigned char bytes[64];
    (void)state;
    memcpy(bytes, vector("hello")->bytes, 64);
    assert_int_equal(weir_wire_decode(bytes, 64, &framing, &head), WEIR_WIRE_TYPE);
    for (unsigned version = 0; version < 16; version++) {
        bytes[0] = (unsigned char)(version << 4 | 1);
        assert_int_equal(weir_wire_version(bytes), version);
        assert_int_equal(weir_wire_decode_handshake(bytes, 64, &word),
                         version == 4 ? WEIR_WIRE_OK : WEIR_WIRE_VERSION_OTHER);
        bytes[0] = (unsigned char)(version << 4);
        bytes[1] = WEIR_PKT_DATA;
        assert_int_equal(weir_wire_decode(bytes, 64, &framing, &head),
                         version == 4 ? WEIR_WIRE_CHECKSUM : WEIR_WIRE_VERSION_OTHER);
        bytes[1] = WEIR_WIRE_HELLO;
    }
    bytes[0] = 0x40;
    for (unsigned type = 0; type < 256; type++) {
        bool message = type <= 10 || type == 16, own = type >= 32 && (type <= 39 || (type <= 47 && type % 2 == 1));
        bytes[1] = (unsigned char)type;
        assert_int_equal(weir_wire_type(bytes, 64), type);
        assert_int_equal(weir_wire_decode(bytes, 64, &framing, &head) != WEIR_WIRE_TYPE, message);
        assert_int_equal(weir_wire_decode_handshake(bytes, 64, &word) != WEIR_WIRE_TYPE, own);
    }
    assert_int_equal(weir_wire_type(bytes, 1), -1);
    assert_int_equal(weir_wire_decode_handshake(vector("done")->bytes, 49, &word), WEIR_WIRE_TYPE);
}

/* The flags of each type, bit by bit; doc/wire.md has the same table. */
static void a_type_has_its_own_flags_and_no_other(void **state)
{
    static const struct {
        const char *name;
        uint8_t flags;
    } own[] = { { "data-unscheduled", 0xf9 },
                { "stream", 0x9b },
                { "ack", 0x9c },
                { "reply", 0x80 },
                { "request", 0x80 },
                { "credit", 0x90 },
                { "done", 0x80 },
                { "control", 0xa0 },
                { "abort", 0x80 },
                { "notice", 0x80 },
                { "syn", 0x96 },
                { "syn-ack", 0x84 } };
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        const struct vector *v = vector(own[i].name);
        memcpy(bytes, v->bytes, v->length);
        for (unsigned flags = 0; flags < 256; flags++) {
            bytes[after(v->bytes) + 44] = (unsigned char)flags;
            assert_int_equal(decode_repaired(bytes, v, v->length),
                             (flags & ~own[i].flags) == 0 ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
        }
    }
}

static void flags_on_the_wire_are_those_of_packets(void **state)
{
    (void)state;
    assert_int_equal(weir_wire_flags(WEIR_WIRE_STREAM),
                     WEIR_PKT_ECT | WEIR_PKT_CE | WEIR_PKT_END | WEIR_PKT_RETX | WEIR_PKT_CWR);
    assert_int_equal(weir_wire_flags(WEIR_PKT_DATA),
                     WEIR_PKT_ECT | WEIR_PKT_CE | WEIR_PKT_END | WEIR_PKT_RETX | WEIR_PKT_OWN | WEIR_PKT_UNSCHED);
    assert_int_equal(weir_wire_flags(WEIR_PKT_SYN), WEIR_PKT_CE | WEIR_PKT_ECE | WEIR_PKT_RETX | WEIR_PKT_CWR);
    assert_int_equal(weir_wire_flags(WEIR_PKT_DONE), WEIR_PKT_CE);
    assert_int_equal(weir_wire_type_of(WEIR_PKT_DATA, true), WEIR_WIRE_STREAM);
    assert_int_equal(weir_wire_type_of(WEIR_PKT_DATA, false), WEIR_PKT_DATA);
    assert_int_equal(weir_wire_type_of(WEIR_PKT_ACK, true), WEIR_PKT_ACK);
}

/* The first byte: of no message or of one; classes of messages. The second two of the front: area and key phase. */
static void reserved_bits_are_zero(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        bool own = is_own(v->bytes);
        memcpy(bytes, v->bytes, v->length);
        /* an OPEN or READY of keys says which secret of the connection it is about */
        bool phase = (v->bytes[1] == WEIR_WIRE_OPEN || v->bytes[1] == WEIR_WIRE_READY) && v->bytes[25] != 0;
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[3] = (unsigned char)(1u << bit);
            assert_int_equal(decode_repaired(bytes, v, v->length), phase ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
            bytes[3] = 0;
        }
        for (unsigned low = 0; low < 16; low++) {
            bytes[0] = (unsigned char)(0x40 | low);
            assert_int_equal(decode_repaired(bytes, v, v->length),
                             (own ? low == 1 : !(low & 1)) ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
        }
        bytes[0] = v->bytes[0];
        if (bytes[2] == 0) {
            bytes[2] = 1; /* a slot without an area */
            assert_int_equal(decode_repaired(bytes, v, v->length), WEIR_WIRE_RESERVED);
            bytes[2] = 4 << 5; /* no such kind */
            assert_int_equal(decode_repaired(bytes, v, v->length), own ? WEIR_WIRE_RESERVED : WEIR_WIRE_TYPE);
        }
    }
}

/* Whatever switches write into the area, the packet is read, and written again the same. */
static void any_area_is_valid(void **state)
{
    unsigned char bytes[VECTOR_MAX], again[VECTOR_MAX];
    const struct vector *v = vector("stream-slots");
    struct weir_wire_head head;
    (void)state;
    memcpy(bytes, v->bytes, v->length);
    for (uint32_t byte = 0; byte < 256; byte++) {
        memset(bytes + 4, (int)byte, 36);
        assert_int_equal(weir_wire_decode(bytes, v->length, &framing, &head), WEIR_WIRE_OK);
        weir_wire_encode(&head, bytes + 91, again);
        assert_memory_equal(again, bytes, 91);
    }
    head.slots = NULL; /* reserved by the sender */
    weir_wire_encode(&head, bytes + 91, again);
    for (uint32_t i = 8; i < 40; i++)
        assert_int_equal(again[i], 0);
}

/* Every packet of a connection is counted, and no other. */
static void only_packets_of_a_connection_have_a_counter(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        uint8_t type = v->bytes[1];
        bool counted = type < 32 || type == WEIR_WIRE_REFUSE || type >= WEIR_WIRE_PING;
        memcpy(bytes, v->bytes, v->length);
        memset(bytes + after(bytes) + 8, 0, 8);
        assert_int_equal(decode_repaired(bytes, v, v->length), counted ? WEIR_WIRE_RESERVED : WEIR_WIRE_OK);
        bytes[after(bytes) + 8] = 0x80;
        assert_int_equal(decode_repaired(bytes, v, v->length), counted ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
    }
}

static void a_number_has_thirty_bits_or_is_all_ones(void **state)
{
    static const struct {
        uint32_t number;
        enum weir_wire_result result;
    } cases[] = { { 0, WEIR_WIRE_OK },
                  { 0x3ffffffe, WEIR_WIRE_OK },
                  { 0x3fffffff, WEIR_WIRE_RESERVED },
                  { 0x40000000, WEIR_WIRE_RESERVED },
                  { 0xfffffffe, WEIR_WIRE_RESERVED },
                  { 0xffffffff, WEIR_WIRE_OK } };
    unsigned char bytes[VECTOR_MAX];
    const struct vector *v = vector("ack");
    (void)state;
    memcpy(bytes, v->bytes, v->length);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned b = 0; b < 4; b++)
            bytes[24 + b] = (unsigned char)(cases[i].number >> (24 - 8 * b));
        assert_int_equal(decode_repaired(bytes, v, v->length), cases[i].result);
    }
}

static void at_most_16383_share_a_receiver(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    const struct vector *v = vector("ack");
    (void)state;
    memcpy(bytes, v->bytes, v->length);
    bytes[50] = 0x3f, bytes[51] = 0xfe;
    assert_int_equal(decode_repaired(bytes, v, v->length), WEIR_WIRE_OK);
    bytes[50] = 0x3f, bytes[51] = 0xff;
    assert_int_equal(decode_repaired(bytes, v, v->length), WEIR_WIRE_OK);
    bytes[50] = 0x40, bytes[51] = 0;
    assert_int_equal(decode_repaired(bytes, v, v->length), WEIR_WIRE_RESERVED);
}

/* The token of a quoted datagram is found behind its area, if it is all there. */
static void a_token_is_read_wherever_it_lies(void **state)
{
    const struct vector *v = vector("stream-slots");
    uint64_t token = 0;
    (void)state;
    for (uint32_t length = 0; length < 48; length++)
        assert_false(weir_wire_token(v->bytes, length, &token));
    assert_true(weir_wire_token(v->bytes, 49, &token));
    assert_true(weir_wire_token(v->bytes, 48, &token));
    assert_true(token == token_of[HIGH]);
    assert_false(weir_wire_token(vector("done")->bytes, 11, &token));
    assert_true(weir_wire_token(vector("done")->bytes, 12, &token));
    assert_true(token == token_of[LOW]);
}

/* The fourth byte; a shorter datagram has phase 0. */
static void a_phase_is_read_where_there_is_one(void **state)
{
    static const unsigned char bytes[] = { 0, 0, 0, 1, 0 };
    (void)state;
    for (uint32_t length = 2; length <= 5; length++)
        assert_int_equal(weir_wire_phase(bytes, length), length >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_written_byte_for_byte),
        cmocka_unit_test(packets_are_read_field_by_field),
        cmocka_unit_test(records_and_ranges_have_their_fields),
        cmocka_unit_test(the_fields_of_an_signal_do_not_overlap),
        cmocka_unit_test(only_the_exact_length_is_accepted),
        cmocka_unit_test(a_sealed_packet_has_no_checksum),
        cmocka_unit_test(payload_length_is_bounded),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(other_versions_and_unknown_types_have_different_results),
        cmocka_unit_test(a_type_has_its_own_flags_and_no_other),
        cmocka_unit_test(flags_on_the_wire_are_those_of_packets),
        cmocka_unit_test(reserved_bits_are_zero),
        cmocka_unit_test(any_area_is_valid),
        cmocka_unit_test(only_packets_of_a_connection_have_a_counter),
        cmocka_unit_test(a_number_has_thirty_bits_or_is_all_ones),
        cmocka_unit_test(at_most_16383_share_a_receiver),
        cmocka_unit_test(a_token_is_read_wherever_it_lies),
        cmocka_unit_test(a_phase_is_read_where_there_is_one),
    };
    return cmocka_run_group_tests_name("wire/wire", tests, read_vectors, NULL);
}
