/* test/unit/wire/test_wire.c - golden datagrams of every type both ways, and everything that must be refused. */
#include "test/unit/wire/vectors.h"
#include "wire/wire.h"

/* MTU 1500: 1432 of payload; 40 + 8 + 20 + 18 of headers and 20 of gap. */
static const struct weir_framing framing = { 1432, 86, 20, 84, 126 };

enum { LOW = 1, HIGH = 2 }; /* the two tokens below, of connections and of the handshake */
static const uint64_t token_of[] = { [LOW] = 0x0102030405060708, [HIGH] = 0xfedcba9876543210 };
#define OPENER UINT64_C(0xa1a2a3a4a5a60001)

static const struct {
    const char *name;
    struct weir_pkt pkt;
    uint8_t token;
    bool checked;
} packets[] = {
    { "data-unscheduled",
      { .msg_bytes = UINT64_C(1) << 48 | 20,
        .conn = 7,
        .msg = 17,
        .wire_bytes = 126,
        .payload_bytes = 20,
        .kind = WEIR_PKT_DATA,
        .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_UNSCHED },
      LOW,
      false },
    { "data-scheduled",
      { .msg_bytes = 10000000,
        .conn = 7,
        .msg = 17,
        .seq = 3,
        .ack = 6152,
        .wire_bytes = 110,
        .payload_bytes = 4,
        .kind = WEIR_PKT_DATA,
        .flags = WEIR_PKT_ECT | WEIR_PKT_OWN,
        .class_id = 1 },
      HIGH,
      true },
    { "data-again",
      { .msg_bytes = 2921,
        .conn = WEIR_PKT_NO_CONN - 1,
        .msg = UINT32_C(1) << 31,
        .seq = 2,
        .ack = UINT32_MAX,
        .wire_bytes = 107,
        .payload_bytes = 1,
        .kind = WEIR_PKT_DATA,
        .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX,
        .class_id = 1 },
      HIGH,
      false },
    { "data-call",
      { .msg_bytes = UINT64_C(1) << 48 | 16,
        .conn = 8,
        .msg = 18,
        .wire_bytes = 122,
        .payload_bytes = 16,
        .kind = WEIR_PKT_DATA,
        .flags = WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_UNSCHED },
      LOW,
      true },
    { "ack",
      { .sent_ps = 77000000000,
        .conn = 2,
        .msg = 3,
        .seq = 9,
        .ack = 10,
        .wire_bytes = 126,
        .kind = WEIR_PKT_ACK,
        .flags = WEIR_PKT_ECE },
      LOW,
      false },
    { "reply", { .conn = 2, .msg = 3, .seq = 9, .ack = 10, .wire_bytes = 126, .kind = WEIR_PKT_REPLY }, LOW, false },
    { "request",
      { .msg_bytes = 1000000, .conn = 42, .msg = 5, .wire_bytes = 126, .kind = WEIR_PKT_REQUEST },
      LOW,
      false },
    { "credit",
      { .conn = 42, .msg = 5, .seq = 64, .ack = 98432, .wire_bytes = 126, .kind = WEIR_PKT_CREDIT },
      LOW,
      false },
    { "credit-again",
      { .conn = 42,
        .msg = 5,
        .seq = 3,
        .ack = 99970,
        .wire_bytes = 126,
        .kind = WEIR_PKT_CREDIT,
        .flags = WEIR_PKT_RETX },
      LOW,
      false },
    { "credit-many",
      { .value = WEIR_PKT_GRANT(12, 3),
        .conn = 42,
        .msg = 5,
        .seq = 64,
        .ack = 99970,
        .wire_bytes = 126,
        .kind = WEIR_PKT_CREDIT },
      LOW,
      false },
    { "done", { .conn = 42, .msg = 5, .wire_bytes = 126, .kind = WEIR_PKT_DONE }, LOW, false },
    { "control",
      { .conn = WEIR_PKT_NO_CONN,
        .msg = UINT32_MAX,
        .seq = 1,
        .ack = 99970,
        .wire_bytes = 126,
        .kind = WEIR_PKT_CONTROL },
      LOW,
      false },
    { "control-own",
      { .value = 0x0102030405060708,
        .conn = 42,
        .msg = 5,
        .seq = 15,
        .ack = 7,
        .wire_bytes = 126,
        .kind = WEIR_PKT_CONTROL,
        .flags = WEIR_PKT_OWN },
      LOW,
      false },
    { "abort",
      { .msg_bytes = 1000000, .conn = 42, .msg = 5, .wire_bytes = 126, .kind = WEIR_PKT_ABORT, .class_id = 7 },
      LOW,
      false },
};

static const struct {
    const char *name;
    struct weir_wire_handshake word;
} words[] = {
    { "hello", { .type = WEIR_WIRE_HELLO, .token = OPENER } },
    { "cookie", { .type = WEIR_WIRE_COOKIE, .token = OPENER, .cookie = 0xc0c1c2c3c4c5c6c7, .cookie_epoch = 9 } },
    { "open",
      { .type = WEIR_WIRE_OPEN, .token = OPENER, .cookie = 0xc0c1c2c3c4c5c6c7, .cookie_epoch = 9, .mss_bytes = 1432 } },
    { "ready", { .type = WEIR_WIRE_READY, .token = OPENER, .own_token = 0xb1b2b3b4b5b60002, .mss_bytes = 1432 } },
    { "reset", { .type = WEIR_WIRE_RESET, .token = OPENER } },
    { "refuse", { .type = WEIR_WIRE_REFUSE, .token = OPENER, .number = 42, .msg = 5 } },
};
#define PACKETS (sizeof(packets) / sizeof(packets[0]))
#define WORDS (sizeof(words) / sizeof(words[0]))
_Static_assert(PACKETS + WORDS == VECTORS, "all of them");

static void packets_are_written_byte_for_byte(void **state)
{
    unsigned char head[WEIR_WIRE_HEAD_BYTES];
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        const struct vector *v = vector(packets[i].name);
        struct weir_pkt pkt = packets[i].pkt;
        pkt.arrival_ps = 1, pkt.hash = 2, pkt.src = 3, pkt.dst = 4; /* none of it is sent, nor is CE */
        pkt.flags |= WEIR_PKT_CE;
        assert_int_equal(v->length, WEIR_WIRE_HEAD_BYTES + pkt.payload_bytes);
        weir_wire_encode(&pkt, token_of[packets[i].token], packets[i].checked, v->bytes + WEIR_WIRE_HEAD_BYTES, head);
        assert_memory_equal(head, v->bytes, WEIR_WIRE_HEAD_BYTES);
    }
}

static void packets_are_read_field_by_field(void **state)
{
    (void)state;
    for (size_t i = 0; i < PACKETS; i++) {
        const struct vector *v = vector(packets[i].name);
        struct weir_wire_head head;
        assert_int_equal(weir_wire_decode(v->bytes, v->length, &framing, &head), WEIR_WIRE_OK);
        assert_memory_equal(&head.pkt, &packets[i].pkt, sizeof(head.pkt)); /* a packet has no gaps between its fields */
        assert_true(head.token == token_of[packets[i].token]);
        assert_int_equal(head.checked, packets[i].checked);
    }
}

static void handshake_packets_are_written_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        const struct vector *v = vector(words[i].name);
        struct weir_wire_handshake word;
        unsigned char bytes[64];
        assert_int_equal(weir_wire_encode_handshake(&words[i].word, bytes, sizeof(bytes)), v->length);
        assert_memory_equal(bytes, v->bytes, v->length);
        assert_int_equal(weir_wire_encode_handshake(&words[i].word, bytes, v->length - 1), 0);
        assert_int_equal(weir_wire_decode_handshake(v->bytes, v->length, &word), WEIR_WIRE_OK);
        assert_int_equal(word.type, words[i].word.type);
        assert_true(word.token == words[i].word.token && word.own_token == words[i].word.own_token);
        assert_true(word.cookie == words[i].word.cookie && word.cookie_epoch == words[i].word.cookie_epoch);
        assert_true(word.mss_bytes == words[i].word.mss_bytes);
        assert_true(word.number == words[i].word.number && word.msg == words[i].word.msg);
    }
}

/* Of either function: whoever knows the type. */
static enum weir_wire_result decode(const unsigned char *bytes, uint32_t length)
{
    struct weir_wire_head head;
    struct weir_wire_handshake word;
    return weir_wire_type(bytes, length) >= (int)WEIR_WIRE_HELLO ? weir_wire_decode_handshake(bytes, length, &word)
                                                                 : weir_wire_decode(bytes, length, &framing, &head);
}

static uint32_t covered(const unsigned char *bytes, uint32_t length)
{
    return weir_wire_type(bytes, length) == WEIR_PKT_DATA && !(bytes[2] & 0x80) ? 40 : length;
}

/* As a sender would have written it: the checksum is right, whatever the rest says. */
static enum weir_wire_result decode_repaired(const unsigned char *from, uint32_t length)
{
    unsigned char bytes[2 * VECTOR_MAX];
    uint32_t crc;
    memcpy(bytes, from, length);
    memset(bytes + 4, 0, 4);
    crc = weir_crc32c(0, bytes, covered(bytes, length));
    for (unsigned i = 0; i < 4; i++)
        bytes[4 + i] = (unsigned char)(crc >> (24 - 8 * i));
    return decode(bytes, length);
}

static void a_hello_fills_the_room_and_is_zero_behind_its_token(void **state)
{
    unsigned char bytes[1472];
    struct weir_wire_handshake word;
    (void)state;
    memset(bytes, 0xee, sizeof(bytes));
    assert_int_equal(weir_wire_encode_handshake(&words[0].word, bytes, sizeof(bytes)), 1472);
    for (uint32_t i = 16; i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(weir_wire_decode_handshake(bytes, sizeof(bytes), &word), WEIR_WIRE_OK);
    assert_int_equal(weir_wire_decode_handshake(bytes, 1471, &word), WEIR_WIRE_CHECKSUM);
    memcpy(bytes, vector("hello")->bytes, 64);
    bytes[16] = 1;
    assert_int_equal(decode_repaired(bytes, 64), WEIR_WIRE_RESERVED);
    bytes[16] = 0, bytes[63] = 1;
    assert_int_equal(decode_repaired(bytes, 64), WEIR_WIRE_RESERVED);
    bytes[63] = 0;
    assert_int_equal(decode_repaired(bytes, 64), WEIR_WIRE_OK);
    assert_int_equal(decode_repaired(bytes, 63), WEIR_WIRE_SHORT);
}

static void no_answer_is_longer_than_what_it_answers(void **state)
{
    (void)state;
    assert_true(vector("cookie")->length <= WEIR_WIRE_HELLO_MIN);
    assert_true(vector("ready")->length <= vector("open")->length);
    for (uint32_t i = 0; i < VECTORS; i++)
        assert_true(vector("reset")->length <= vectors[i].length);
    assert_true(vector("refuse")->length <= WEIR_WIRE_HEAD_BYTES);
}

static void only_the_exact_length_is_accepted(void **state)
{
    unsigned char bytes[2 * VECTOR_MAX] = { 0 };
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        bool data = weir_wire_type(v->bytes, v->length) == WEIR_PKT_DATA;
        memcpy(bytes, v->bytes, v->length);
        for (uint32_t length = 0; length < sizeof(bytes); length++) {
            enum weir_wire_result is = decode(bytes, length), must = WEIR_WIRE_SHORT;
            if (length == v->length || (data && length > 40 && !(bytes[2] & 0x80)))
                must = WEIR_WIRE_OK; /* where a payload ends is known to the network alone */
            else if ((data && length > 40) || (strcmp(v->name, "hello") == 0 && length > 64))
                must = WEIR_WIRE_CHECKSUM;
            assert_int_equal(is, must);
        }
        memset(bytes, 0, sizeof(bytes));
    }
}

static void payload_length_is_bounded(void **state)
{
    static unsigned char bytes[40 + 9217];
    struct weir_wire_head head;
    (void)state;
    memcpy(bytes, vector("data-unscheduled")->bytes, 40);
    assert_int_equal(weir_wire_decode(bytes, 40 + 9216, &framing, &head), WEIR_WIRE_OK);
    assert_int_equal(head.pkt.payload_bytes, 9216);
    assert_int_equal(head.pkt.wire_bytes, 9216 + 86 + 20);
    assert_int_equal(weir_wire_decode(bytes, 40 + 9217, &framing, &head), WEIR_WIRE_SHORT);
    assert_int_equal(weir_wire_decode(bytes, 40, &framing, &head), WEIR_WIRE_SHORT);
}

static void every_flipped_bit_is_detected(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        memcpy(bytes, v->bytes, v->length);
        for (uint32_t bit = 0; bit < 8 * v->length; bit++) {
            bool seen = bit / 8 < covered(v->bytes, v->length);
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
        bytes[0] = (unsigned char)(version << 4 | WEIR_WIRE_HELLO);
        assert_int_equal(weir_wire_decode_handshake(bytes, 64, &word),
                         version == 3 ? WEIR_WIRE_OK : WEIR_WIRE_VERSION_OTHER);
        bytes[0] = (unsigned char)(version << 4 | WEIR_PKT_DATA);
        assert_int_equal(weir_wire_decode(bytes, 64, &framing, &head),
                         version == 3 ? WEIR_WIRE_CHECKSUM : WEIR_WIRE_VERSION_OTHER);
    }
    for (unsigned type = 8; type < 10; type++) {
        bytes[0] = (unsigned char)(0x30 | type);
        assert_int_equal(weir_wire_type(bytes, 64), type);
        assert_int_equal(weir_wire_decode(bytes, 64, &framing, &head), WEIR_WIRE_TYPE);
        assert_int_equal(weir_wire_decode_handshake(bytes, 64, &word), WEIR_WIRE_TYPE);
    }
    assert_int_equal(weir_wire_type(bytes, 0), -1);
    assert_int_equal(weir_wire_decode_handshake(vector("done")->bytes, 40, &word), WEIR_WIRE_TYPE);
}

/* The second byte, bit by bit, of each kind and word; doc/wire.md has the same table. */
static void a_type_has_its_own_flags_and_no_other(void **state)
{
    static const struct {
        const char *name;
        uint8_t flags;
    } own[] = { { "data-unscheduled", 0x79 },
                { "ack", 0x0c },
                { "reply", 0 },
                { "request", 0 },
                { "credit", 0x10 },
                { "done", 0 },
                { "control", 0x20 },
                { "abort", 0 },
                { "hello", 0 },
                { "cookie", 0 },
                { "open", 0 },
                { "ready", 0 },
                { "reset", 0 },
                { "refuse", 0 } };
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        const struct vector *v = vector(own[i].name);
        memcpy(bytes, v->bytes, v->length);
        for (unsigned flags = 0; flags < 256; flags++) {
            bytes[1] = (unsigned char)flags;
            assert_int_equal(decode_repaired(bytes, v->length),
                             (flags & ~own[i].flags) == 0 ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
        }
    }
}

static void reserved_bits_are_zero(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (uint32_t i = 0; i < VECTORS; i++) {
        const struct vector *v = &vectors[i];
        bool word = weir_wire_type(v->bytes, v->length) >= (int)WEIR_WIRE_HELLO;
        memcpy(bytes, v->bytes, v->length);
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[3] = (unsigned char)(1u << bit);
            assert_int_equal(decode_repaired(bytes, v->length), WEIR_WIRE_RESERVED);
            bytes[3] = 0;
            bytes[2] = (unsigned char)(1u << bit);
            assert_int_equal(decode_repaired(bytes, v->length),
                             word || (bit > 2 && bit < 7) ? WEIR_WIRE_RESERVED : WEIR_WIRE_OK);
            bytes[2] = v->bytes[2];
        }
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
            bytes[16 + b] = (unsigned char)(cases[i].number >> (24 - 8 * b));
        assert_int_equal(decode_repaired(bytes, v->length), cases[i].result);
    }
}

static void packets_that_no_one_could_send_are_out_of_range(void **state)
{
    static const struct {
        const char *name;
        uint32_t at;
    } mss[] = { { "open", 28 }, { "ready", 24 } };
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const struct vector *v = vector(mss[i].name);
        memcpy(bytes, v->bytes, v->length);
        memset(bytes + mss[i].at, 0, 4);
        assert_int_equal(decode_repaired(bytes, v->length), WEIR_WIRE_RESERVED);
        bytes[mss[i].at + 2] = 0x24, bytes[mss[i].at + 3] = 0x00; /* 9216 */
        assert_int_equal(decode_repaired(bytes, v->length), WEIR_WIRE_OK);
        bytes[mss[i].at + 3] = 0x01;
        assert_int_equal(decode_repaired(bytes, v->length), WEIR_WIRE_RESERVED);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_written_byte_for_byte),
        cmocka_unit_test(packets_are_read_field_by_field),
        cmocka_unit_test(handshake_packets_are_written_and_read),
        cmocka_unit_test(a_hello_fills_the_room_and_is_zero_behind_its_token),
        cmocka_unit_test(no_answer_is_longer_than_what_it_answers),
        cmocka_unit_test(only_the_exact_length_is_accepted),
        cmocka_unit_test(payload_length_is_bounded),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(other_versions_and_unknown_types_have_different_results),
        cmocka_unit_test(a_type_has_its_own_flags_and_no_other),
        cmocka_unit_test(reserved_bits_are_zero),
        cmocka_unit_test(a_number_has_thirty_bits_or_is_all_ones),
        cmocka_unit_test(packets_that_no_one_could_send_are_out_of_range),
    };
    return cmocka_run_group_tests_name("wire/wire", tests, read_vectors, NULL);
}
