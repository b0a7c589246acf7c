/* test/unit/bpf/test_area.c - which datagrams have a delay that a switch raises: those of the packet format, and no
 * others. */
#include "test/unit/weir_test.h"
#include "bpf/area.h"
#include "wire/wire.h"
#include <string.h>

enum { PORT = 7413, OTHER = 40000, ROOM = 256 + WEIR_WIRE_SLOT_BYTES * WEIR_WIRE_SLOTS_MAX };

static unsigned char udp[ROOM]; /* UDP's header and its payload */

static void put_at(uint32_t at, uint32_t value)
{
    udp[at] = (unsigned char)(value >> 8);
    udp[at + 1] = (unsigned char)value;
}

/* Makes a datagram from OTHER to PORT with this much payload. @return its length with UDP's header */
static uint32_t datagram(uint32_t payload)
{
    put_at(0, OTHER);
    put_at(2, PORT);
    put_at(4, WEIR_AREA_UDP_BYTES + payload);
    put_at(6, 0x1234);
    return WEIR_AREA_UDP_BYTES + payload;
}

/* Makes a datagram of a packet of the format with this much payload. */
static uint32_t encoded(uint32_t kind, bool stream, uint32_t area_kind, uint32_t slots, uint32_t payload)
{
    static const unsigned char text[64];
    struct weir_wire_head head = { .pkt = { .kind = kind, .payload_bytes = WEIR_PKT_BYTES(payload), .class_id = 5 },
                                   .counter = 1,
                                   .signal = area_kind != 0 ? WEIR_WIRE_SIGNAL(0xabcd, 1, 2, 0) : 0,
                                   .area_kind = (uint8_t)area_kind,
                                   .slot_count = (uint8_t)slots,
                                   .stream = stream };
    assert_true(payload <= sizeof(text));
    memset(udp, 0, sizeof(udp));
    weir_wire_encode(&head, text, udp + WEIR_AREA_UDP_BYTES);
    return datagram(weir_wire_head_bytes(&head) + payload);
}

/* A datagram with a delay of kind 64 ns and one byte of a message: the shortest there is. */
static uint32_t shortest(void)
{
    return encoded(WEIR_PKT_DATA, true, WEIR_WIRE_AREA_64NS, 0, 1);
}

static void stream_data_of_two_kinds_have_a_delay(void **state)
{
    static const uint32_t unit_ns[WEIR_WIRE_AREA_KINDS] = { 0, 64, 1000, 0 };
    (void)state;
    for (uint32_t kind = 0; kind < WEIR_WIRE_AREA_KINDS; kind++) {
        uint32_t bytes = encoded(WEIR_PKT_DATA, true, kind, 0, 10);
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), unit_ns[kind]);
        if (unit_ns[kind] != 0)
            assert_int_equal(weir_area_get16(udp + WEIR_AREA_DELAY_AT), 0xabcd);
    }
    for (uint32_t kind = WEIR_WIRE_AREA_KINDS; kind < 8; kind++) {
        uint32_t bytes = shortest();
        udp[WEIR_AREA_UDP_BYTES + 2] = (unsigned char)(kind << 5);
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), 0);
    }
}

static void packets_of_other_types_have_none(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < WEIR_WIRE_KINDS; kind++) {
        uint32_t bytes = encoded(kind, false, WEIR_WIRE_AREA_64NS, 0, kind == WEIR_PKT_DATA ? 40 : 0);
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), 0);
    }
    for (uint32_t type = 0; type < 256; type++) {
        uint32_t bytes = shortest();
        udp[WEIR_AREA_UDP_BYTES + 1] = (unsigned char)type;
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), type == WEIR_WIRE_STREAM ? 64 : 0);
    }
}

static void the_version_and_the_bit_of_own_packets_are_tested_and_the_class_is_not(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 256; first++) {
        uint32_t bytes = shortest();
        udp[WEIR_AREA_UDP_BYTES] = (unsigned char)first;
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), first >> 4 == 4 && (first & 1) == 0 ? 64 : 0);
    }
}

static void one_of_the_ports_is_that_of_endpoints(void **state)
{
    uint32_t bytes = shortest();
    (void)state;
    assert_int_equal(weir_area_unit_ns(udp, bytes, OTHER), 64); /* what a server sends to a client */
    assert_int_equal(weir_area_unit_ns(udp, bytes, PORT - 1), 0);
    assert_int_equal(weir_area_unit_ns(udp, bytes, PORT + 1), 0);
    put_at(2, 0);
    assert_int_equal(weir_area_unit_ns(udp, bytes, 0), 0); /* 0 is no port */
}

static void what_is_too_short_for_data_has_none(void **state)
{
    (void)state;
    for (uint32_t slots = 0; slots <= WEIR_WIRE_SLOTS_MAX; slots += 31) {
        uint32_t bytes = encoded(WEIR_PKT_DATA, true, WEIR_WIRE_AREA_US, slots, 1);
        assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), 1000);
        put_at(4, bytes + 1);
        assert_int_equal(weir_area_unit_ns(udp, bytes + 1, PORT), 1000);
        put_at(4, bytes - 1);
        assert_int_equal(weir_area_unit_ns(udp, bytes - 1, PORT), 0);
    }
}

static void both_lengths_must_be_the_same(void **state)
{
    uint32_t bytes = shortest();
    (void)state;
    assert_int_equal(weir_area_unit_ns(udp, bytes - 1, PORT), 0);
    assert_int_equal(weir_area_unit_ns(udp, bytes, PORT), 64);
    assert_int_equal(weir_area_unit_ns(udp, bytes + 1, PORT), 0);
}

static void what_it_knows_of_the_format_is_so(void **state)
{
    (void)state;
    assert_int_equal(WEIR_AREA_VERSION, WEIR_WIRE_VERSION);
    assert_int_equal(WEIR_AREA_STREAM, WEIR_WIRE_STREAM);
    assert_int_equal(WEIR_AREA_64NS, WEIR_WIRE_AREA_64NS);
    assert_int_equal(WEIR_AREA_US, WEIR_WIRE_AREA_US);
    assert_int_equal(WEIR_AREA_SLOT_BYTES, WEIR_WIRE_SLOT_BYTES);
    assert_int_equal(WEIR_AREA_PAYLOAD_MIN, WEIR_WIRE_STREAM_BYTES + WEIR_WIRE_AREA_BYTES(0) + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stream_data_of_two_kinds_have_a_delay),
        cmocka_unit_test(packets_of_other_types_have_none),
        cmocka_unit_test(the_version_and_the_bit_of_own_packets_are_tested_and_the_class_is_not),
        cmocka_unit_test(one_of_the_ports_is_that_of_endpoints),
        cmocka_unit_test(what_is_too_short_for_data_has_none),
        cmocka_unit_test(both_lengths_must_be_the_same),
        cmocka_unit_test(what_it_knows_of_the_format_is_so),
    };
    return cmocka_run_group_tests_name("bpf/area", tests, NULL, NULL);
}
