/* test/unit/wire/test_peek.c - what a switch reads of datagrams that pass by: the same as their receiver, with no regard
 * to checksum and tag. */
#include "test/unit/wire/vectors.h"

static void packets_are_read_as_their_receiver_reads_them(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < VECTOR_PACKETS; i++) {
        const struct vector *v = &vectors[i];
        struct weir_wire_head must, head;
        assert_int_equal(weir_wire_decode(v->bytes, v->length, &framing, &must), WEIR_WIRE_OK);
        assert_int_equal(weir_wire_peek(v->bytes, v->length, &head), WEIR_WIRE_OK);
        must.pkt.wire_bytes = 0;
        assert_memory_equal(&head.pkt, &must.pkt, sizeof(head.pkt));
        assert_ptr_equal(head.slots, must.slots);
        assert_int_equal(head.signal, must.signal);
        assert_true(head.area_kind == must.area_kind && head.slot_count == must.slot_count);
        assert_true(head.stream == must.stream && head.token == must.token && !head.sealed);
    }
}

static void a_wrong_checksum_is_not_seen(void **state)
{
    unsigned char bytes[VECTOR_MAX];
    struct weir_wire_head must, head;
    (void)state;
    for (uint32_t i = 0; i < VECTOR_PACKETS; i++) {
        const struct vector *v = &vectors[i];
        uint32_t at = after(v->bytes) + 16;
        memcpy(bytes, v->bytes, v->length);
        bytes[at] ^= 0x55;
        assert_int_equal(weir_wire_decode(bytes, v->length, &framing, &must), WEIR_WIRE_CHECKSUM);
        assert_int_equal(weir_wire_peek(bytes, v->length, &head), WEIR_WIRE_OK);
    }
}

/* A checksum of 0 means keys: the last 16 bytes are a tag, and no payload. */
static void the_tag_of_a_sealed_packet_is_no_payload(void **state)
{
    unsigned char bytes[VECTOR_MAX + 16];
    (void)state;
    for (uint32_t i = 0; i < VECTOR_PACKETS; i++) {
        const struct vector *v = &vectors[i];
        struct weir_wire_head must, head;
        memset(bytes, 0xaa, sizeof(bytes));
        memcpy(bytes, v->bytes, v->length);
        memset(bytes + after(bytes) + 16, 0, 4);
        bytes[after(bytes) + 44] |= 0x80;
        assert_int_equal(weir_wire_peek(bytes, v->length + 16, &head), WEIR_WIRE_RESERVED);
        bytes[after(bytes) + 44] &= 0x7f;
        assert_int_equal(weir_wire_decode_opened(bytes, v->length, &framing, &must), WEIR_WIRE_OK);
        assert_int_equal(weir_wire_peek(bytes, v->length + 16, &head), WEIR_WIRE_OK);
        assert_true(head.sealed);
        must.pkt.wire_bytes = 0;
        assert_memory_equal(&head.pkt, &must.pkt, sizeof(head.pkt));
        assert_int_equal(weir_wire_peek(bytes, head_of(bytes) + 15, &head), WEIR_WIRE_SHORT);
    }
}

static void packets_of_the_endpoints_own_are_refused(void **state)
{
    (void)state;
    for (uint32_t i = VECTOR_PACKETS; i < VECTORS; i++) {
        struct weir_wire_head head;
        assert_int_equal(weir_wire_peek(vectors[i].bytes, vectors[i].length, &head), WEIR_WIRE_TYPE);
    }
}

static void too_short_a_datagram_is_refused_at_every_length(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < VECTOR_PACKETS; i++) {
        const struct vector *v = &vectors[i];
        for (uint32_t n = 0; n < head_of(v->bytes); n++) {
            struct weir_wire_head head = { .counter = 4 };
            assert_int_equal(weir_wire_peek(v->bytes, n, &head), WEIR_WIRE_SHORT);
            assert_true(head.counter == 4); /* unchanged */
        }
    }
}

static void a_signal_is_written_as_it_is_read(void **state)
{
    unsigned char bytes[4];
    (void)state;
    weir_wire_put_signal(WEIR_WIRE_SIGNAL(0x1234, 0x56, 5, 1) | 3, bytes);
    assert_memory_equal(bytes, ((const unsigned char[]){ 0x12, 0x34, 0x56, 0xb3 }), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_are_read_as_their_receiver_reads_them),
        cmocka_unit_test(a_wrong_checksum_is_not_seen),
        cmocka_unit_test(the_tag_of_a_sealed_packet_is_no_payload),
        cmocka_unit_test(packets_of_the_endpoints_own_are_refused),
        cmocka_unit_test(too_short_a_datagram_is_refused_at_every_length),
        cmocka_unit_test(a_signal_is_written_as_it_is_read),
    };
    return cmocka_run_group_tests_name("wire/peek", tests, read_vectors, NULL);
}
