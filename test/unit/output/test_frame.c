/* test/unit/output/test_frame.c - simulated packets as frames; what they hold is read back by src/transport/wire. */
#include "test/unit/weir_test.h"
#include "output/frame.h"
#include "wire/wire.h"
#include <string.h>

enum { AT_IP = 14, AT_UDP = 34, AT_WEIR = 42 };
static const struct weir_framing framing = {
    .payload_bytes = 1460, .header_bytes = 58, .gap_bytes = 20, .min_wire_bytes = 84, .ack_wire_bytes = 84
};
static struct weir_packet_row row;
static struct weir_frame frame;

static int setup(void **state)
{
    (void)state;
    row = (struct weir_packet_row){ .pkt = { .kind = WEIR_PKT_DATA,
                                             .src = 3,
                                             .dst = 260,
                                             .conn = 7,
                                             .msg = 9,
                                             .seq = 11,
                                             .ack = 5,
                                             .msg_bytes = 123456,
                                             .flags = WEIR_PKT_ECT | WEIR_PKT_END,
                                             .class_id = 1,
                                             .wire_bytes = 1538,
                                             .payload_bytes = 1460 } };
    return 0;
}

static uint32_t get16(uint32_t at)
{
    return (uint32_t)frame.bytes[at] << 8 | frame.bytes[at + 1];
}

static void headers_say_who_and_how_long(void **state)
{
    uint32_t sum = 0;
    (void)state;
    weir_frame_make(&row, false, 5, &frame);
    assert_int_equal(frame.stored_bytes, AT_WEIR + 49);
    assert_int_equal(frame.length_bytes, AT_WEIR + 49 + 1460);
    assert_memory_equal(frame.bytes, "\x02\x00\x00\x00\x01\x04\x02\x00\x00\x00\x00\x03\x08\x00\x45", 15);
    assert_int_equal(frame.bytes[AT_IP + 1], 6 << 5 | 2); /* class selector 6, ECT(0) */
    assert_int_equal(get16(AT_IP + 2), 20 + 8 + 49 + 1460);
    for (uint32_t i = AT_IP; i < AT_UDP; i += 2)
        sum += get16(i);
    assert_int_equal((sum & 0xffff) + (sum >> 16), 0xffff); /* the header's checksum is right */
    assert_memory_equal(frame.bytes + AT_IP + 12, "\x0b\x00\x03\x01\x0b\x01\x04\x01", 8);
    assert_int_equal(get16(AT_UDP), 49152 + 7);
    assert_int_equal(get16(AT_UDP + 2), 7413);
    assert_int_equal(get16(AT_UDP + 4), 8 + 49 + 1460);
}

/* Payload counts as zeros: nothing of it is under the checksum. */
static void a_message_packet_reads_back(void **state)
{
    unsigned char datagram[WEIR_WIRE_HEAD_BYTES + 1460] = { 0 };
    struct weir_wire_head head;
    (void)state;
    weir_frame_make(&row, false, 5, &frame);
    memcpy(datagram, frame.bytes + AT_WEIR, WEIR_WIRE_HEAD_BYTES);
    assert_int_equal(weir_wire_decode(datagram, sizeof(datagram), &framing, &head), WEIR_WIRE_OK);
    assert_int_equal(head.counter, 5);
    assert_int_equal(head.pkt.conn, 7);
    assert_int_equal(head.pkt.msg, 9);
    assert_int_equal(head.pkt.seq, 11);
    assert_int_equal(head.pkt.ack, 5);
    assert_int_equal(head.pkt.msg_bytes, 123456);
    assert_int_equal(head.pkt.payload_bytes, 1460);
    assert_int_equal(head.pkt.class_id, 1);
}

static void a_mark_is_in_the_ip_header(void **state)
{
    (void)state;
    row.pkt.flags |= WEIR_PKT_CE;
    weir_frame_make(&row, false, 5, &frame);
    assert_int_equal(frame.bytes[AT_IP + 1] & 3, 3);
}

/* Whatever a host or a switch may send, with all flags set and bits of other fields in the place of payload. */
static void every_kind_makes_a_frame(void **state)
{
    struct weir_wire_head head;
    (void)state;
    for (uint32_t kind = WEIR_PKT_ACK; kind <= WEIR_PKT_SYN_ACK; kind++) {
        row.pkt.kind = kind & 15u;
        row.pkt.flags = 0x1ff;
        row.pkt.share_count = WEIR_PKT_BYTES_MAX;
        weir_frame_make(&row, false, 5, &frame);
        assert_int_equal(frame.length_bytes, frame.stored_bytes);
        assert_int_equal(frame.stored_bytes, kind == WEIR_PKT_ACK ? WEIR_FRAME_MAX : AT_WEIR + 49);
        assert_int_equal(weir_wire_decode(frame.bytes + AT_WEIR, frame.stored_bytes - AT_WEIR, &framing, &head),
                         WEIR_WIRE_OK);
        assert_int_equal(head.pkt.kind, kind);
        if (kind == WEIR_PKT_ACK)
            assert_int_equal(head.pkt.share_count, WEIR_PKT_BYTES_MAX);
    }
}

/* A DATA of a sender-driven law: what its ACK repeats is read back, and the length of the message is not known. */
static void a_stream_packet_reads_back(void **state)
{
    unsigned char datagram[WEIR_WIRE_STREAM_BYTES + 1460] = { 0 };
    struct weir_wire_head head;
    (void)state;
    row.pkt.flags |= WEIR_PKT_CWR | WEIR_PKT_OWN; /* OWN is of receiver-driven protocols */
    weir_frame_make(&row, true, 6, &frame);
    assert_int_equal(frame.stored_bytes, AT_WEIR + 55);
    memcpy(datagram, frame.bytes + AT_WEIR, WEIR_WIRE_STREAM_BYTES);
    assert_int_equal(weir_wire_decode(datagram, sizeof(datagram), &framing, &head), WEIR_WIRE_OK);
    assert_true(head.stream);
    assert_int_equal(head.pkt.kind, WEIR_PKT_DATA);
    assert_int_equal(head.pkt.flags, WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_CWR);
    assert_int_equal(head.pkt.sent_ps, 123456);
    assert_int_equal(head.msg_bytes, 0);
}

static void answers_go_from_the_servers_port(void **state)
{
    (void)state;
    row.pkt.kind = WEIR_PKT_CREDIT;
    row.pkt.flags = 0;
    weir_frame_make(&row, false, 5, &frame);
    assert_int_equal(get16(AT_UDP), 7413);
    assert_int_equal(get16(AT_UDP + 2), 49152 + 7);
}

static void a_pause_is_that_of_802_1qbb(void **state)
{
    unsigned char must[60] = { 0x01, 0x80, 0xc2, 0, 0, 0x01, 0x02, 0, 0, 0, 0, 0, 0x88, 0x08, 0x01, 0x01, 0, 0x08 };
    (void)state;
    row = (struct weir_packet_row){ .is_control = true, .pkt = { .class_id = 3, .flags = 1, .wire_bytes = 84 } };
    weir_frame_make(&row, false, 5, &frame);
    must[24] = must[25] = 0xff; /* the fourth of eight times */
    assert_int_equal(frame.stored_bytes, sizeof(must));
    assert_memory_equal(frame.bytes, must, sizeof(must));
    row.pkt.flags = 0;
    weir_frame_make(&row, false, 5, &frame);
    must[24] = must[25] = 0;
    assert_memory_equal(frame.bytes, must, sizeof(must));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(headers_say_who_and_how_long, setup),
        cmocka_unit_test_setup(a_message_packet_reads_back, setup),
        cmocka_unit_test_setup(a_mark_is_in_the_ip_header, setup),
        cmocka_unit_test_setup(every_kind_makes_a_frame, setup),
        cmocka_unit_test_setup(a_stream_packet_reads_back, setup),
        cmocka_unit_test_setup(answers_go_from_the_servers_port, setup),
        cmocka_unit_test_setup(a_pause_is_that_of_802_1qbb, setup),
    };
    return cmocka_run_group_tests_name("output/frame", tests, NULL, NULL);
}
