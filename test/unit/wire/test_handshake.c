/* test/unit/wire/test_handshake.c - golden datagrams of the endpoint's own packets both ways, and what must be refused of
 * them. */
#include "test/unit/wire/vectors.h"

#define OPENER UINT64_C(0xa1a2a3a4a5a60001)
#define OFFER .version = 4, .ports = 1, .mss_bytes = 1423
#define LAW .law = "sird B=120000", .law_bytes = 13
#define KEYED .version = 4, .ports = 1, .mss_bytes = 1407, .key_number = 258, .mac = mac

static const unsigned char mac[WEIR_WIRE_MAC_BYTES] = { 0xd0, 0xd1, 0xd2, 0xd3, 0xd4, 0xd5, 0xd6, 0xd7,
                                                        0xd8, 0xd9, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xdf };
static unsigned char noise[WEIR_WIRE_NOISE_BYTES], noise_end[WEIR_WIRE_NOISE_END_BYTES]; /* 10 11 .., 50 51 .. */
static const unsigned char no_noise[WEIR_WIRE_NOISE_END_BYTES];

static const struct {
    const char *name;
    struct weir_wire_handshake word;
} words[] = {
    { "hello", { .type = WEIR_WIRE_HELLO, .token = OPENER, OFFER, LAW } },
    { "cookie", { .type = WEIR_WIRE_COOKIE, .token = OPENER, .cookie = 0xc0c1c2c3c4c5c6c7, .cookie_epoch = 9 } },
    { "open",
      { .type = WEIR_WIRE_OPEN, .token = OPENER, .cookie = 0xc0c1c2c3c4c5c6c7, .cookie_epoch = 9, OFFER, LAW } },
    { "ready", { .type = WEIR_WIRE_READY, .token = OPENER, .own_token = 0xb1b2b3b4b5b60002, OFFER } },
    { "ready-refused", { .type = WEIR_WIRE_READY, .token = OPENER, OFFER, .law = "homa", .law_bytes = 4 } },
    { "reset", { .type = WEIR_WIRE_RESET, .token = OPENER } },
    { "refuse", { .type = WEIR_WIRE_REFUSE, .token = 0x0102030405060708, .counter = 23, .number = 42, .msg = 5 } },
    { "versions", { .type = WEIR_WIRE_VERSIONS, .token = OPENER, .lowest = 4, .highest = 6 } },
    { "ping", { .type = WEIR_WIRE_PING, .token = 0x0102030405060708, .counter = 24, .value = 0x1122334455667788 } },
    { "pong", { .type = WEIR_WIRE_PONG, .token = 0xfedcba9876543210, .counter = 25, .value = 0x1122334455667788 } },
    { "close", { .type = WEIR_WIRE_CLOSE, .token = 0x0102030405060708, .counter = 26 } },
    { "challenge",
      { .type = WEIR_WIRE_CHALLENGE, .token = 0x0102030405060708, .counter = 27, .value = 0x99aabbccddeeff00 } },
    { "response",
      { .type = WEIR_WIRE_RESPONSE, .token = 0xfedcba9876543210, .counter = 28, .value = 0x99aabbccddeeff00 } },
    { "hello-keyed",
      { .type = WEIR_WIRE_HELLO, .token = OPENER, KEYED, LAW, .protection = 2, .cipher = 1, .noise = noise } },
    { "open-keyed",
      { .type = WEIR_WIRE_OPEN,
        .token = OPENER,
        .cookie = 0xc0c1c2c3c4c5c6c7,
        .cookie_epoch = 9,
        KEYED,
        LAW,
        .protection = 1,
        .cipher = 2,
        .noise = noise } },
    { "ready-keyed",
      { .type = WEIR_WIRE_READY,
        .token = OPENER,
        .own_token = 0xb1b2b3b4b5b60002,
        KEYED,
        .protection = 2,
        .cipher = 1,
        .noise = noise_end } },
    { "ready-keyed-refused",
      { .type = WEIR_WIRE_READY,
        .token = OPENER,
        KEYED,
        .law = "homa",
        .law_bytes = 4,
        .protection = 2,
        .cipher = 1,
        .noise = no_noise } },
};
#define WORDS (sizeof(words) / sizeof(words[0]))
_Static_assert(WORDS == VECTORS - VECTOR_PACKETS, "all of them");

static int fill(void **state)
{
    for (unsigned i = 0; i < sizeof(noise); i++)
        noise[i] = (unsigned char)(0x10 + i);
    for (unsigned i = 0; i < sizeof(noise_end); i++)
        noise_end[i] = (unsigned char)(0x50 + i);
    return read_vectors(state);
}

static bool is_hello(const struct weir_wire_handshake *word)
{
    return word->type == WEIR_WIRE_HELLO;
}

static void handshake_packets_are_written_and_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORDS; i++) {
        const struct vector *v = vector(words[i].name);
        const struct weir_wire_handshake *must = &words[i].word;
        struct weir_wire_handshake word;
        unsigned char bytes[VECTOR_MAX];
        uint32_t room = is_hello(must) ? must->protection != 0 ? 128 : 64 : VECTOR_MAX;
        assert_int_equal(weir_wire_encode_handshake(must, bytes, room), v->length);
        assert_memory_equal(bytes, v->bytes, v->length);
        if (!is_hello(must) || must->protection == 0)
            assert_int_equal(weir_wire_encode_handshake(must, bytes, v->length - 1), 0);
        assert_int_equal(weir_wire_decode_handshake(v->bytes, v->length, &word), WEIR_WIRE_OK);
        assert_int_equal(word.law_bytes, must->law_bytes);
        assert_true((word.law != NULL) == (must->law_bytes > 0));
        if (must->law_bytes > 0)
            assert_memory_equal(word.law, must->law, must->law_bytes);
        word.law = must->law;
        assert_true(word.type == must->type && word.token == must->token && word.counter == must->counter);
        assert_true(word.own_token == must->own_token && word.cookie == must->cookie && word.value == must->value);
        assert_true(word.cookie_epoch == must->cookie_epoch && word.mss_bytes == must->mss_bytes);
        assert_true(word.number == must->number && word.msg == must->msg && word.ports == must->ports);
        assert_true(word.version == must->version && word.protection == must->protection);
        assert_true(word.lowest == must->lowest && word.highest == must->highest);
        assert_true(word.cipher == must->cipher && word.key_number == must->key_number && !word.sealed);
        assert_true((word.mac != NULL) == (must->mac != NULL) && (word.noise != NULL) == (must->noise != NULL));
        if (must->mac == NULL)
            continue;
        assert_memory_equal(word.mac, must->mac, WEIR_WIRE_MAC_BYTES);
        assert_memory_equal(word.noise, must->noise, must->noise == noise ? sizeof(noise) : sizeof(noise_end));
    }
}

/* What is left is what the MAC covers: all but MAC and checksum. */
static void a_mac_is_taken_out_and_put_back(void **state)
{
    static const char *const names[] = { "hello-keyed", "open-keyed", "ready-keyed" };
    unsigned char bytes[VECTOR_MAX], taken[WEIR_WIRE_MAC_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct vector *v = vector(names[i]);
        memcpy(bytes, v->bytes, v->length);
        weir_wire_take_mac(bytes, taken);
        assert_memory_equal(taken, mac, sizeof(mac));
        for (uint32_t at = 0; at < v->length; at++) {
            bool cleared = (at >= 20 && at < 24) || (at >= 32 && at < 48);
            assert_int_equal(bytes[at], cleared ? 0 : v->bytes[at]);
        }
        weir_wire_put_mac(bytes, v->length, mac);
        assert_memory_equal(bytes, v->bytes, v->length);
    }
}

static void a_ready_says_twice_what_was_agreed(void **state)
{
    unsigned char agreed[WEIR_WIRE_AGREED_BYTES];
    const struct vector *v = vector("ready-keyed");
    struct weir_wire_handshake word;
    (void)state;
    assert_int_equal(weir_wire_decode_handshake(v->bytes, v->length, &word), WEIR_WIRE_OK);
    weir_wire_agreed(&word, agreed);
    assert_memory_equal(agreed, v->bytes + 24, 8);
    assert_memory_equal(agreed + 8, v->bytes + 116, 8);
}

/* Packets of a connection with keys: the checksum is 0, the counter is the sealer's. */
static void a_sealed_packet_has_no_checksum(void **state)
{
    static const char *const names[] = { "refuse", "ping", "pong", "close" };
    unsigned char bytes[VECTOR_MAX], must[VECTOR_MAX];
    struct weir_wire_handshake word;
    struct weir_wire_parts parts;
    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const struct vector *v = vector(names[i]);
        assert_int_equal(weir_wire_decode_handshake(v->bytes, v->length, &word), WEIR_WIRE_OK);
        assert_int_equal(weir_wire_decode_opened_handshake(v->bytes, v->length, &word), WEIR_WIRE_CHECKSUM);
        memcpy(must, v->bytes, v->length);
        memset(must + 20, 0, 4);
        assert_int_equal(weir_wire_measure_handshake(must, v->length, &parts), WEIR_WIRE_OK);
        assert_int_equal(parts.area_bytes, 0);
        assert_int_equal(parts.head_end, v->length);
        assert_int_equal(weir_wire_measure_handshake(must, v->length - 1, &parts), WEIR_WIRE_SHORT);
        assert_int_equal(weir_wire_decode_opened_handshake(must, v->length, &word), WEIR_WIRE_OK);
        assert_true(word.sealed);
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, sizeof(bytes)), v->length);
        assert_memory_equal(bytes, must, v->length);
        word.counter = 0; /* not known before it is sealed */
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, sizeof(bytes)), v->length);
    }
    assert_int_equal(weir_wire_measure_handshake(vector("hello")->bytes, 64, &parts), WEIR_WIRE_TYPE);
    assert_int_equal(weir_wire_measure_handshake(vector("reset")->bytes, 24, &parts), WEIR_WIRE_TYPE);
}

static void a_hello_fills_the_room_and_is_zero_behind_its_law(void **state)
{
    unsigned char bytes[1472];
    struct weir_wire_handshake word;
    const struct vector *v = vector("hello");
    (void)state;
    memset(bytes, 0xee, sizeof(bytes));
    assert_int_equal(weir_wire_encode_handshake(&words[0].word, bytes, sizeof(bytes)), 1472);
    for (uint32_t i = 45; i < sizeof(bytes); i++)
        assert_int_equal(bytes[i], 0);
    assert_int_equal(weir_wire_decode_handshake(bytes, sizeof(bytes), &word), WEIR_WIRE_OK);
    assert_int_equal(weir_wire_decode_handshake(bytes, 1471, &word), WEIR_WIRE_CHECKSUM);
    memcpy(bytes, v->bytes, 64);
    bytes[45] = 1;
    assert_int_equal(decode_repaired(bytes, v, 64), WEIR_WIRE_RESERVED);
    bytes[45] = 0, bytes[63] = 1;
    assert_int_equal(decode_repaired(bytes, v, 64), WEIR_WIRE_RESERVED);
    bytes[63] = 0;
    assert_int_equal(decode_repaired(bytes, v, 64), WEIR_WIRE_OK);
    assert_int_equal(decode_repaired(bytes, v, 63), WEIR_WIRE_SHORT);
}

/* The longest law that fits, and one byte more; in a HELLO, an OPEN and a READY, which must not be longer. Without keys,
 * and with them. */
static void a_law_has_its_longest_text(void **state)
{
    static const uint8_t types[] = { WEIR_WIRE_HELLO, WEIR_WIRE_OPEN, WEIR_WIRE_READY };
    static const uint32_t lengths[] = { 600, 512, 508, 600, 512, 508 };
    unsigned char bytes[600];
    char law[WEIR_WIRE_LAW_MAX];
    (void)state;
    memset(law, '~', sizeof(law));
    for (size_t i = 0; i < 6; i++) {
        uint16_t most = i < 3 ? WEIR_WIRE_LAW_MAX : WEIR_WIRE_KEYED_LAW_MAX;
        struct weir_wire_handshake word = { .type = types[i % 3], OFFER, .law = law, .law_bytes = most };
        struct vector v = { .length = lengths[i] };
        word.protection = word.cipher = i >= 3;
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, sizeof(bytes)), lengths[i]);
        assert_int_equal(weir_wire_decode_handshake(bytes, lengths[i], &word), WEIR_WIRE_OK);
        assert_int_equal(word.law_bytes, most);
        memcpy(v.bytes, bytes, 64);
        bytes[31] = (unsigned char)(bytes[31] + 1); /* 0x01d4, 0x0180 + 1 */
        assert_int_equal(decode_repaired(bytes, &v, lengths[i]), WEIR_WIRE_RESERVED);
    }
}

/* A text of one byte, and one that is a byte shorter than the longest; room for just the packet, one byte less and one more. */
static void a_law_may_be_a_byte_from_its_limits(void **state)
{
    static const uint16_t lengths[] = { 1, WEIR_WIRE_LAW_MAX - 1 };
    unsigned char bytes[600];
    char law[WEIR_WIRE_LAW_MAX];
    (void)state;
    memset(law, 'x', sizeof(law));
    for (size_t i = 0; i < 2; i++) {
        struct weir_wire_handshake word = { .type = WEIR_WIRE_READY, OFFER, .law = law, .law_bytes = lengths[i] };
        uint32_t length = weir_wire_encode_handshake(&word, bytes, sizeof(bytes));
        assert_int_equal(length, 508 - WEIR_WIRE_LAW_MAX + lengths[i]);
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, length - 1), 0);
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, length), length);
        assert_int_equal(weir_wire_encode_handshake(&word, bytes, length + 1), length);
        assert_int_equal(weir_wire_decode_handshake(bytes, length, &word), WEIR_WIRE_OK);
        assert_int_equal(word.law_bytes, lengths[i]);
    }
}

static void a_law_is_printable(void **state)
{
    static const struct {
        unsigned char byte;
        enum weir_wire_result result;
    } cases[] = { { 0, WEIR_WIRE_RESERVED },   { 31, WEIR_WIRE_RESERVED },  { ' ', WEIR_WIRE_OK },
                  { '~', WEIR_WIRE_OK },       { 127, WEIR_WIRE_RESERVED }, { 128, WEIR_WIRE_RESERVED },
                  { 255, WEIR_WIRE_RESERVED }, { '!', WEIR_WIRE_OK },       { '}', WEIR_WIRE_OK } };
    const struct vector *v = vector("hello");
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    memcpy(bytes, v->bytes, v->length);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (uint32_t at = 32; at < 45; at++) {
            bytes[at] = cases[i].byte;
            assert_int_equal(decode_repaired(bytes, v, v->length), cases[i].result);
            bytes[at] = v->bytes[at];
        }
}

static void no_answer_is_longer_than_what_it_answers(void **state)
{
    (void)state;
    assert_true(vector("cookie")->length <= WEIR_WIRE_HELLO_MIN);
    assert_true(40 + WEIR_WIRE_LAW_MAX <= vector("open")->length);
    for (uint32_t i = 0; i < VECTORS; i++)
        assert_true(vector("reset")->length <= vectors[i].length);
    assert_true(vector("refuse")->length <= WEIR_WIRE_HEAD_BYTES);
    assert_true(vector("no-room")->length <= WEIR_WIRE_HEAD_BYTES);
    assert_true(vector("pong")->length <= vector("ping")->length);
}

/* A READY's text ends where the datagram does. */
static void a_ready_is_as_long_as_its_law(void **state)
{
    const struct vector *v = vector("ready-refused");
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    memcpy(bytes, v->bytes, v->length);
    for (unsigned bytes_said = 0; bytes_said < 8; bytes_said++) {
        bytes[31] = (unsigned char)bytes_said;
        assert_int_equal(decode_repaired(bytes, v, v->length), bytes_said == 4 ? WEIR_WIRE_OK : WEIR_WIRE_RESERVED);
    }
}

/* Sizes of packets, ports. */
static void values_that_no_one_could_send_are_out_of_range(void **state)
{
    static const struct {
        const char *name;
        uint32_t at, bytes, value;
        enum weir_wire_result result;
    } cases[] = {
        { "hello", 28, 2, 0, WEIR_WIRE_RESERVED },
        { "hello", 28, 2, 1, WEIR_WIRE_OK },
        { "hello", 28, 2, 9216, WEIR_WIRE_OK },
        { "hello", 28, 2, 9217, WEIR_WIRE_RESERVED },
        { "open", 28, 2, 0, WEIR_WIRE_RESERVED },
        { "open", 28, 2, 9216, WEIR_WIRE_OK },
        { "open", 28, 2, 9217, WEIR_WIRE_RESERVED },
        { "ready", 28, 2, 0, WEIR_WIRE_RESERVED },
        { "ready", 28, 2, 9216, WEIR_WIRE_OK },
        { "ready", 28, 2, 9217, WEIR_WIRE_RESERVED },
        { "open", 26, 1, 0, WEIR_WIRE_RESERVED },
        { "open", 26, 1, 64, WEIR_WIRE_OK },
        { "open", 26, 1, 65, WEIR_WIRE_RESERVED },
        { "open", 27, 1, 1, WEIR_WIRE_RESERVED },
        { "versions", 26, 2, 1, WEIR_WIRE_RESERVED },
        { "versions", 24, 2, 0xffff, WEIR_WIRE_OK },
        { "hello-keyed", 25, 1, 1, WEIR_WIRE_OK },
        { "hello-keyed", 25, 1, 3, WEIR_WIRE_RESERVED },
        { "open-keyed", 25, 1, 2, WEIR_WIRE_OK },
        { "open-keyed", 25, 1, 3, WEIR_WIRE_RESERVED },
        { "ready-keyed", 25, 1, 1, WEIR_WIRE_OK },
        { "ready-keyed", 25, 1, 3, WEIR_WIRE_RESERVED },
        { "ready-keyed", 27, 1, 0, WEIR_WIRE_RESERVED },
        { "ready-keyed", 27, 1, 2, WEIR_WIRE_OK },
        { "ready-keyed", 27, 1, 3, WEIR_WIRE_RESERVED },
        { "open-keyed", 27, 1, 3, WEIR_WIRE_RESERVED },
        { "hello-keyed", 50, 2, 1, WEIR_WIRE_RESERVED },
        { "hello-keyed", 48, 2, 0, WEIR_WIRE_OK },
        { "hello-keyed", 30, 2, 28, WEIR_WIRE_RESERVED },
        { "ready", 27, 1, 1, WEIR_WIRE_RESERVED },
        { "hello", 28, 2, 2, WEIR_WIRE_OK },
        { "hello", 28, 2, 9215, WEIR_WIRE_OK },
        { "open", 26, 1, 2, WEIR_WIRE_OK },
        { "open", 26, 1, 63, WEIR_WIRE_OK },
    };
    unsigned char bytes[VECTOR_MAX];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct vector *v = vector(cases[i].name);
        memcpy(bytes, v->bytes, v->length);
        for (unsigned b = 0; b < cases[i].bytes; b++)
            bytes[cases[i].at + b] = (unsigned char)(cases[i].value >> (8 * (cases[i].bytes - 1 - b)));
        assert_int_equal(decode_repaired(bytes, v, v->length), cases[i].result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handshake_packets_are_written_and_read),
        cmocka_unit_test(a_hello_fills_the_room_and_is_zero_behind_its_law),
        cmocka_unit_test(a_law_has_its_longest_text),
        cmocka_unit_test(a_law_may_be_a_byte_from_its_limits),
        cmocka_unit_test(a_law_is_printable),
        cmocka_unit_test(no_answer_is_longer_than_what_it_answers),
        cmocka_unit_test(a_ready_is_as_long_as_its_law),
        cmocka_unit_test(values_that_no_one_could_send_are_out_of_range),
        cmocka_unit_test(a_mac_is_taken_out_and_put_back),
        cmocka_unit_test(a_ready_says_twice_what_was_agreed),
        cmocka_unit_test(a_sealed_packet_has_no_checksum),
    };
    return cmocka_run_group_tests_name("wire/handshake", tests, fill, NULL);
}
