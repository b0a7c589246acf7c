/* test/unit/mapping/test_read.c - the fields of a packet, for each kind of frame, by hand. */
#include "test/unit/mapping/mapping_fixture.h"

#define RECORDS                                                                                                        \
    {                                                                                                                  \
        .records_max = 5                                                                                               \
    }

static int begin(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    return 0;
}

static void packet(uint32_t host, uint32_t length)
{
    assert_int_equal(fix_read(host, length), WEIR_MAPPING_PACKET);
}

/* Exchanges the ends of the frame: it then goes from host 1 to host 0, with its ports exchanged. */
static void turn_round(void)
{
    bool is_v6 = fix_get16(frame + 12) == 0x86dd;
    uint32_t at_ip = is_v6 ? 22 : 26, bytes = is_v6 ? 16 : 4, l4 = is_v6 ? 54 : 34;
    unsigned char kept[16];
    memcpy(kept, frame + at_ip, bytes);
    memcpy(frame + at_ip, frame + at_ip + bytes, bytes);
    memcpy(frame + at_ip + bytes, kept, bytes);
    memcpy(kept, frame + l4, 2);
    memcpy(frame + l4, frame + l4 + 2, 2);
    memcpy(frame + l4 + 2, kept, 2);
}

static void a_segment_with_payload_is_data(void **state)
{
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t length = fix_tcp(version, 0x18, 2, NULL, 0, 100);
        packet(0, length);
        assert_int_equal(pkt.kind, WEIR_PKT_DATA);
        assert_int_equal(pkt.src, 0);
        assert_int_equal(pkt.dst, 1);
        assert_int_equal(pkt.wire_bytes, length + 24);
        assert_int_equal(pkt.payload_bytes, 100);
        assert_int_equal(pkt.flags, WEIR_PKT_ECT);
        assert_int_equal(pkt.seq, 0x01020304);
        assert_int_equal(pkt.ack, 0x05060708);
        assert_int_equal(pkt.class_id, 7);
        assert_int_equal(pkt.conn, (weir_mix_u32(40000u << 16 | 5001) & 0x3fffffff));
        assert_int_equal(pkt.value, 0);
        assert_int_equal(pkt.arrival_ps, 0);
        assert_int_equal(pkt.msg | pkt.tokens | pkt.hops | pkt.stays, 0);
        assert_int_equal(at.shape, WEIR_SHAPE_TCP);
        assert_int_equal(at.is_v6, version == 6);
    }
}

/* Its data's sender has the ports the other way round: ACK and DATA of a connection agree, in both directions. */
static void an_ack_is_of_the_connection_of_its_data(void **state)
{
    uint32_t conn, hash;
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        packet(0, fix_tcp(version, 0x18, 2, NULL, 0, 100));
        conn = pkt.conn;
        hash = pkt.hash;
        uint32_t length = fix_tcp(version, 0x10, 0, NULL, 0, 0);
        turn_round();
        packet(1, length);
        assert_int_equal(pkt.kind, WEIR_PKT_ACK);
        assert_int_equal(pkt.src, 1);
        assert_int_equal(pkt.dst, 0);
        assert_int_equal(pkt.conn, conn);
        assert_int_equal(pkt.hash, hash);
        assert_int_equal(pkt.flags, 0);
        assert_int_equal(pkt.share_count, 0);
        length = fix_tcp(version, 0x18, 2, NULL, 0, 1);
        turn_round();
        packet(1, length); /* data of the other direction are another connection */
        assert_int_not_equal(pkt.conn, conn);
        assert_int_equal(pkt.hash, hash);
        conn = pkt.conn;
        packet(0, fix_tcp(version, 0x10, 0, NULL, 0, 0));
        assert_int_equal(pkt.kind, WEIR_PKT_ACK);
        assert_int_equal(pkt.conn, conn);
    }
}

static void hash_and_connection_depend_on_each_part(void **state)
{
    uint32_t conn, hash;
    (void)state;
    packet(0, fix_udp(4, 1000, 2000, 0, NULL, 0));
    conn = pkt.conn;
    hash = pkt.hash;
    packet(0, fix_udp(4, 1001, 2000, 0, NULL, 0));
    assert_int_not_equal(pkt.hash, hash);
    assert_int_not_equal(pkt.conn, conn);
    packet(0, fix_udp(4, 1000, 2001, 0, NULL, 0));
    assert_int_not_equal(pkt.hash, hash);
    assert_int_not_equal(pkt.conn, conn);
    uint32_t length = fix_udp(4, 1000, 2000, 0, NULL, 0);
    frame[33] = 3;
    packet(0, length);
    assert_int_equal(pkt.dst, 2);
    assert_int_not_equal(pkt.hash, hash);
    assert_int_equal(pkt.conn, conn);
    packet(0, fix_udp(6, 1000, 2000, 0, NULL, 0));
    assert_int_not_equal(pkt.hash, hash);
    length = fix_tcp(4, 0x18, 0, NULL, 0, 10);
    fix_put16(frame + 34, 1000);
    fix_put16(frame + 36, 2000);
    packet(0, length);
    assert_int_not_equal(pkt.hash, hash); /* the protocol counts */
}

static void only_a_pure_ack_is_one(void **state)
{
    (void)state;
    for (uint32_t flags = 0; flags < 256; flags++) {
        packet(0, fix_tcp(4, flags, 0, NULL, 0, 0));
        assert_int_equal(pkt.kind, (flags & 0x17) == 0x10 ? WEIR_PKT_ACK : WEIR_PKT_DATA);
        assert_int_equal(pkt.flags, pkt.kind == WEIR_PKT_ACK ? ((flags & 0x40) != 0 ? WEIR_PKT_ECE : 0)
                                                             : ((flags & 0x80) != 0 ? WEIR_PKT_CWR : 0));
        packet(0, fix_tcp(4, flags, 0, NULL, 0, 1));
        assert_int_equal(pkt.kind, WEIR_PKT_DATA);
    }
}

static void lengths_in_tcp_and_udp_must_fit(void **state)
{
    uint32_t length = fix_tcp(4, 0x10, 0, NULL, 0, 8);
    (void)state;
    for (uint32_t words = 0; words < 16; words++) {
        frame[46] = (unsigned char)(words << 4);
        assert_int_equal(fix_read(0, length), words < 5 || words > 7 ? WEIR_MAPPING_DROP : WEIR_MAPPING_PACKET);
        if (words >= 5 && words <= 7)
            assert_int_equal(pkt.payload_bytes, 28 - 4 * words);
    }
    length = fix_udp(4, 1, 2, 0, (const unsigned char *)"abcd", 4);
    for (uint32_t bytes = 6; bytes <= 14; bytes++) {
        fix_put16(frame + 38, bytes);
        assert_int_equal(fix_read(0, length), bytes < 8 || bytes > 12 ? WEIR_MAPPING_DROP : WEIR_MAPPING_PACKET);
        if (bytes >= 8 && bytes <= 12)
            assert_int_equal(pkt.payload_bytes, bytes - 8);
    }
}

static void ecn_and_dscp_are_read(void **state)
{
    static const uint32_t flags[4] = { 0, WEIR_PKT_ECT, WEIR_PKT_ECT, WEIR_PKT_ECT | WEIR_PKT_CE };
    (void)state;
    for (uint32_t tos = 0; tos < 256; tos++) {
        for (uint32_t version = 4; version <= 6; version += 2) {
            packet(0, fix_udp(version, 1, 2, tos, NULL, 0));
            assert_int_equal(pkt.flags, flags[tos & 3]);
            assert_int_equal(pkt.class_id, (tos & 0x1c) != 0 || tos < 0x40 ? 7 : tos >= 0xa0 ? 0 : 5 - (tos >> 5));
        }
    }
}

/* A frame has at least 60 bytes on a wire, and 24 more with check sequence, preamble and gap. */
static void wire_bytes_are_those_of_the_frame_and_24(void **state)
{
    static const uint32_t rows[][2] = { { 17, 84 }, { 18, 84 }, { 19, 85 } }; /* payload of UDP: 42 + 18 = 60 */
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        static const unsigned char bytes[32];
        packet(0, fix_udp(4, 1, 2, 0, bytes, rows[i][0]));
        assert_int_equal(pkt.wire_bytes, rows[i][1]);
    }
    (void)fix_udp(4, 1, 2, 0, NULL, 0);
    packet(0, 100); /* padding is on the wire, and no payload */
    assert_int_equal(pkt.wire_bytes, 124);
    assert_int_equal(pkt.payload_bytes, 0);
}

static void other_protocols_are_data_of_no_law(void **state)
{
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t l4 = fix_ip(version, 132, 0, 1, 2, 40);
        packet(0, l4 + 40);
        assert_int_equal(pkt.kind, WEIR_PKT_DATA);
        assert_int_equal(pkt.payload_bytes, 40);
        assert_int_equal(pkt.flags, WEIR_PKT_ECT);
        assert_true(pkt.seq != pkt.ack); /* the first packet of no message */
        assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
        packet(0, fix_udp(version, 53, 54, 0, NULL, 0));
        assert_true(pkt.seq != pkt.ack);
        assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
    }
}

static struct weir_wire_head message(uint32_t kind, bool stream)
{
    return (struct weir_wire_head){ .pkt = { .value = UINT64_C(0x1122334455667788),
                                             .conn = 12345,
                                             .msg = 3,
                                             .seq = 4,
                                             .ack = 5,
                                             .kind = kind & 15u,
                                             .payload_bytes = kind == WEIR_PKT_DATA ? 50u : 0u,
                                             .class_id = 6 },
                                    .token = 99,
                                    .counter = 1,
                                    .stream = stream };
}

static void message_packets_have_their_own_numbers(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < WEIR_WIRE_KINDS; kind++) {
        for (uint32_t stream = 0; stream < 2; stream++) {
            struct weir_wire_head head = message(kind, stream != 0);
            uint32_t flags = weir_wire_flags(weir_wire_type_of(kind, stream != 0));
            head.pkt.flags = WEIR_PKT_FLAGS(flags);
            uint32_t length = fix_message(4, &head);
            packet(0, length);
            assert_int_equal(at.shape, WEIR_SHAPE_WEIR);
            assert_int_equal(pkt.kind, kind);
            assert_int_equal(pkt.conn, 12345);
            assert_int_equal(pkt.msg, 3);
            assert_int_equal(pkt.seq, 4);
            assert_int_equal(pkt.ack, 5);
            assert_true(pkt.value == UINT64_C(0x1122334455667788));
            assert_int_equal(pkt.class_id, 6);
            assert_int_equal(pkt.payload_bytes, kind == WEIR_PKT_DATA ? 50 : 0);
            assert_int_equal(pkt.wire_bytes, length + 24);
            assert_int_equal(pkt.src, 0);
            assert_int_equal(pkt.dst, 1);
            /* ECT and CE are IP's: the datagram has ECT(0), whatever its header says */
            assert_int_equal(pkt.flags, (flags & ~(uint32_t)(WEIR_PKT_CE | WEIR_PKT_ECT)) | WEIR_PKT_ECT);
        }
    }
}

/* Under keys there is no checksum, and 16 bytes of a tag follow: the rest of the head can be read as ever. */
static void sealed_packets_are_read_too(void **state)
{
    unsigned char bytes[256] = { 0 };
    (void)state;
    for (uint32_t kind = 0; kind < WEIR_WIRE_KINDS; kind++) {
        struct weir_wire_head head = message(kind, true);
        uint32_t own, payload = kind == WEIR_PKT_DATA ? 50 : 0;
        head.sealed = true;
        own = weir_wire_head_bytes(&head);
        weir_wire_encode(&head, bytes + own, bytes);
        packet(0, fix_udp(6, PORT, 50000, 0, bytes, own + payload + 16));
        assert_int_equal(at.shape, WEIR_SHAPE_WEIR);
        assert_int_equal(pkt.kind, kind);
        assert_int_equal(pkt.conn, 12345);
        assert_int_equal(pkt.payload_bytes, payload);
    }
}

/* Datagrams of others, the endpoint's own and those that are not of the format are what all UDP is. */
static void what_is_no_message_packet_is_other(void **state)
{
    static unsigned char bytes[200];
    struct weir_wire_head head = message(WEIR_PKT_ACK, true);
    uint32_t own = weir_wire_head_bytes(&head);
    (void)state;
    weir_wire_encode(&head, NULL, bytes);
    packet(0, fix_udp(4, 50000, PORT, 0, bytes, own));
    assert_int_equal(at.shape, WEIR_SHAPE_WEIR);
    packet(0, fix_udp(4, 50000, PORT + 1, 0, bytes, own));
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
    packet(0, fix_udp(4, PORT - 1, 50000, 0, bytes, own));
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
    packet(0, fix_udp(4, 50000, PORT, 0, bytes, own - 1));
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
    packet(0, fix_udp(4, 50000, PORT, 0, bytes, own + 1));
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
    for (uint32_t first = 0; first < 256; first++) {
        bytes[0] = (unsigned char)first;
        packet(0, fix_udp(4, 50000, PORT, 0, bytes, own));
        assert_int_equal(at.shape, first >> 4 == 4 && (first & 1) == 0 ? WEIR_SHAPE_WEIR : WEIR_SHAPE_OTHER);
    }
    bytes[0] = 0x40;
    for (uint32_t type = 0; type < 256; type++) {
        bytes[1] = (unsigned char)type;
        packet(0, fix_udp(4, 50000, PORT, 0, bytes, own));
        assert_true(at.shape == WEIR_SHAPE_OTHER || type == WEIR_PKT_ACK || type == WEIR_WIRE_STREAM ||
                    type == WEIR_PKT_DATA);
        assert_true(type != WEIR_PKT_ACK || at.shape == WEIR_SHAPE_WEIR);
    }
    bytes[1] = WEIR_PKT_ACK;
    uint32_t length = fix_udp(4, 50000, PORT, 0, bytes, own + 4);
    fix_put16(frame + 38, 8 + own); /* UDP ends before IP does: not one of ours */
    packet(0, length);
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
}

static void area_read(uint32_t kind, uint32_t area, uint32_t slots, struct weir_mapping_fields fields)
{
    struct weir_wire_head head = message(kind, true);
    unsigned char records[2 * WEIR_WIRE_SLOT_BYTES];
    weir_wire_put_slot(&(struct weir_wire_slot){ 1000, 5000000, 2000, 40 }, records);
    weir_wire_put_slot(&(struct weir_wire_slot){ 2000, 6000000, 1000, 50 }, records + WEIR_WIRE_SLOT_BYTES);
    head.area_kind = (uint8_t)area;
    head.slot_count = (uint8_t)slots;
    head.slots = slots > 0 ? records : NULL;
    head.signal = WEIR_WIRE_SIGNAL(300, 2, 5, 1);
    fix_begin(fields);
    packet(0, fix_message(6, &head));
}

static void delays_are_read_in_the_unit_of_the_switch(void **state)
{
    const struct weir_mapping_fields unit = { .qdelay_unit_ps = 128 * WEIR_PS_PER_NS };
    (void)state;
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, unit);
    assert_int_equal(pkt.qdelay, 150);
    assert_true(pkt.sent48_ps == UINT64_C(0x334455667788));
    assert_int_equal(at.qdelay, 150);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_US, 0, unit);
    assert_int_equal(pkt.qdelay, 2343); /* 300 us / 128 ns = 2343.75 */
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_US, 0, (struct weir_mapping_fields){ .qdelay_unit_ps = 4000 });
    assert_int_equal(pkt.qdelay, 65535); /* 75000 saturates */
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_RCP, 0, unit);
    assert_int_equal(pkt.qdelay, 0);
    assert_int_equal(at.delay_at, 0);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields){ 0 });
    assert_true(pkt.value == UINT64_C(0x1122334455667788)); /* no feature reads a delay: the whole value */
    area_read(WEIR_PKT_ACK, WEIR_WIRE_AREA_64NS, 0, unit);
    assert_true(pkt.value == UINT64_C(0x1122334455667788));
    assert_int_equal(at.delay_at, 0);
}

static void stamps_and_round_trips_are_of_kind_3(void **state)
{
    const struct weir_mapping_fields rates = { .rates = true };
    (void)state;
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_RCP, 0, rates);
    assert_int_equal(pkt.qdelay, 300);
    assert_int_equal(pkt.rtt, 2);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, rates);
    assert_int_equal(pkt.qdelay, 0);
    assert_int_equal(pkt.rtt, 0);
}

static void weights_are_in_areas_without_slots(void **state)
{
    const struct weir_mapping_fields weights = { .weights = true };
    (void)state;
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, weights);
    assert_int_equal(pkt.weight, 2);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_US, 0, weights);
    assert_int_equal(pkt.weight, 2);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 2, weights);
    assert_int_equal(pkt.weight, 0);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_RCP, 0, weights);
    assert_int_equal(pkt.weight, 0);
    area_read(WEIR_PKT_ACK, WEIR_WIRE_AREA_64NS, 0, weights);
    assert_int_equal(pkt.weight, 0);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields){ 0 });
    assert_int_equal(pkt.weight, 0);
}

static void records_are_read_from_slots_alone(void **state)
{
    (void)state;
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 2, (struct weir_mapping_fields)RECORDS);
    assert_int_equal(pkt.hops, 2);
    assert_int_equal(hop[0].ts_ps, 1000000);
    assert_int_equal(hop[0].tx_low, 5000000);
    assert_int_equal(hop[0].queue_bytes, 40);
    assert_int_equal(hop[0].rate_id, 0);
    assert_int_equal(hop[1].rate_id, 1);
    assert_int_equal(hop[1].ts_ps, 2000000);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 1, (struct weir_mapping_fields)RECORDS);
    assert_int_equal(pkt.hops, 1); /* two are said, one fits */
    area_read(WEIR_PKT_ACK, WEIR_WIRE_AREA_64NS, 2, (struct weir_mapping_fields)RECORDS);
    assert_int_equal(pkt.hops, 2);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields)RECORDS);
    assert_int_equal(pkt.hops, 0); /* the byte is a weight */
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_US, 2, (struct weir_mapping_fields)RECORDS);
    assert_int_equal(pkt.hops, 0);
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 2, (struct weir_mapping_fields){ 0 });
    assert_int_equal(pkt.hops, 0);
}

static void tokens_are_of_data_and_ece_of_acks(void **state)
{
    (void)state;
    area_read(WEIR_PKT_DATA, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields){ 0 });
    assert_int_equal(pkt.tokens, 5);
    assert_int_equal(pkt.flags, WEIR_PKT_ECT);
    area_read(WEIR_PKT_ACK, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields){ 0 });
    assert_int_equal(pkt.tokens, 0);
    assert_int_equal(pkt.flags, WEIR_PKT_ECT | WEIR_PKT_ECE);
    area_read(WEIR_PKT_NOTICE, WEIR_WIRE_AREA_64NS, 0, (struct weir_mapping_fields){ 0 });
    assert_int_equal(pkt.tokens, 0);
    assert_int_equal(at.signal_at, 0);
}

static uint32_t delay_of(const char *options)
{
    unsigned char bytes[40];
    uint32_t n = fix_hex(options, bytes);
    assert_int_equal(n % 4, 0);
    packet(0, fix_tcp(4, 0x18, 2, bytes, n, 10));
    assert_int_equal(at.delay_at != 0, pkt.qdelay != 0);
    return pkt.qdelay;
}

static void the_option_is_found_among_others(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ .qdelay_unit_ps = 256 * WEIR_PS_PER_NS });
    assert_int_equal(delay_of("fd08577a00110022"), 0x11);
    assert_int_equal(delay_of("0101080a0000000100000002fd08577a00110022"), 0x11); /* behind a time stamp */
    assert_int_equal(delay_of("01fd08577a00110022010101"), 0x11);
    assert_int_equal(delay_of("fd08577a001100220101080a0000000100000002"), 0x11);
    assert_int_equal(delay_of("fd08577b00110022"), 0);         /* another experiment */
    assert_int_equal(delay_of("fd0c577a0011002200000000"), 0); /* another length */
    assert_int_equal(delay_of("fe08577a00110022"), 0);         /* another kind */
    assert_int_equal(delay_of("0000fd08577a001100220000"), 0); /* behind the end */
    assert_int_equal(delay_of("0101050afd08577a00110022"), 0); /* within an option: of SACK */
    assert_int_equal(delay_of("0101fd08577a0011"), 0);         /* cut off */
    assert_int_equal(delay_of("01fd08577a001122"), 0);         /* by one byte */
    assert_int_equal(delay_of("0800fd08577a001100220101"), 0); /* length 0 */
    assert_int_equal(delay_of("0801fd08577a001100220101"), 0); /* length 1 */
    assert_int_equal(delay_of("010101fd"), 0);                 /* no length at all */
    packet(0, fix_tcp(4, 0x10, 0, (const unsigned char *)"\xfd\x08\x57\x7a\0\x11\0\x22", 8, 0));
    assert_int_equal(at.delay_at, 0); /* an ACK */
    fix_begin((struct weir_mapping_fields){ 0 });
    assert_int_equal(delay_of("fd08577a00110022"), 0); /* no feature reads it */
}

/* The checksum of such a frame is that of the pseudo header, not complemented: 0a00 + 0001 + 0a00 + 0002 + 0006 + 001e
 * = 1427 for TCP with 10 bytes. */
static void a_checksum_left_to_hardware_is_completed(void **state)
{
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t length = fix_tcp(version, 0x18, 2, NULL, 0, 10), l4 = version == 4 ? 34 : 54, right, pseudo;
        right = fix_get16(frame + l4 + 16);
        packet(0, length);
        assert_false(at.completed);
        fix_put16(frame + l4 + 16, 0);
        pseudo = fix_add(fix_add(0, frame + (version == 4 ? 26 : 22), version == 4 ? 8 : 32),
                         (const unsigned char[]){ 0, 6, 0, 30 }, 4);
        if (version == 4)
            assert_int_equal(pseudo, 0x1427);
        fix_put16(frame + l4 + 16, pseudo);
        packet(0, length);
        assert_true(at.completed);
        assert_int_equal(fix_get16(frame + l4 + 16), right);
        assert_true(fix_sums_are_right(frame));
        fix_put16(frame + l4 + 16, pseudo + 1); /* just wrong: it stays so */
        packet(0, length);
        assert_false(at.completed);
        assert_int_equal(fix_get16(frame + l4 + 16), pseudo + 1);
    }
    assert_int_equal(map.counts.completed, 2);
}

/* Of UDP and TCP, to an address that is no host's, and to a group; the sum of the pseudo header as above. A fragment has
 * no checksum that could be completed, and a header that is cut off none at all. */
static void a_checksum_is_completed_in_what_is_flooded_too(void **state)
{
    static const struct {
        unsigned char to[4], protocol, fragment;
        uint32_t cut;
        bool completed;
    } row[] = {
        { { 10, 0, 0, 9 }, 6, 0, 0, true },    { { 224, 0, 0, 9 }, 6, 0, 0, true },
        { { 10, 0, 0, 9 }, 17, 0, 0, true },   { { 224, 0, 0, 9 }, 17, 0, 0, true },
        { { 10, 0, 0, 9 }, 6, 1, 0, false },   { { 10, 0, 0, 9 }, 17, 1, 0, false },
        { { 10, 0, 0, 9 }, 6, 0, 11, false },  { { 10, 0, 0, 9 }, 17, 0, 1, false },
        { { 10, 0, 0, 9 }, 17, 0, 11, false }, { { 10, 0, 0, 9 }, 132, 0, 0, false },
    };
    uint64_t completed = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        bool tcp = row[i].protocol != 17;
        uint32_t length =
            tcp ? fix_tcp(4, 0x18, 2, NULL, 0, 10) : fix_udp(4, 1, 2, 0, (const unsigned char *)"0123456789", 10);
        uint32_t sum_at = 34 + (tcp ? 16u : 6u), l4_bytes = length - 34, pseudo;
        memcpy(frame + 30, row[i].to, 4);
        frame[23] = row[i].protocol;
        frame[20] = row[i].fragment != 0 ? 0x20 : 0;
        pseudo = fix_add(fix_add(0, frame + 26, 8),
                         (const unsigned char[]){ 0, row[i].protocol, 0, (unsigned char)l4_bytes }, 4);
        fix_put16(frame + sum_at, pseudo);
        fix_put16(frame + 16, length - 14 - row[i].cut);
        assert_int_equal(weir_mapping_read(&map, 0, frame, length, &pkt, hop, &at), WEIR_MAPPING_FLOOD);
        assert_int_equal(fix_get16(frame + sum_at) != pseudo, row[i].completed);
        completed += row[i].completed;
        if (row[i].completed) {
            uint32_t sum = fix_add(fix_add(0, frame + 34, l4_bytes), frame + 26, 8);
            assert_int_equal(fix_add(sum, (const unsigned char[]){ 0, row[i].protocol, 0, (unsigned char)l4_bytes }, 4),
                             0xffff);
        }
        assert_int_equal(map.counts.completed, completed);
    }
}

/* The payload is such that the right checksum is the sum of the pseudo header: nothing is to be completed. */
static void a_right_checksum_that_looks_unfinished_stays(void **state)
{
    unsigned char two[2] = { 0, 0 };
    uint32_t length, pseudo = 0x0a00 + 1 + 0x0a00 + 2 + 17 + 10, right;
    (void)state;
    (void)fix_udp(4, 1, 2, 0, two, 2);
    right = fix_get16(frame + 40);
    fix_put16(two, fix_add(right,
                           (const unsigned char[]){ (unsigned char)((0xffff - pseudo) >> 8),
                                                    (unsigned char)(0xffff - pseudo) },
                           2));
    length = fix_udp(4, 1, 2, 0, two, 2);
    assert_int_equal(fix_get16(frame + 40), pseudo);
    assert_true(fix_sums_are_right(frame));
    packet(0, length);
    assert_false(at.completed);
    assert_int_equal(fix_get16(frame + 40), pseudo);
}

static void a_datagram_without_checksum_gets_none(void **state)
{
    uint32_t length = fix_udp(4, 1, 2, 0, NULL, 0);
    (void)state;
    fix_put16(frame + 40, 0);
    packet(0, length);
    assert_int_equal(fix_get16(frame + 40), 0);
    assert_false(at.completed);
}

static void packets_and_bytes_are_counted(void **state)
{
    (void)state;
    packet(0, fix_udp(4, 1, 2, 0, NULL, 0));
    packet(0, fix_tcp(4, 0x18, 0, NULL, 0, 100));
    assert_int_equal(map.counts.packets, 2);
    assert_int_equal(map.counts.bytes, 84 + 154 + 24);
}

static int end(void **state)
{
    (void)state;
    fix_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_segment_with_payload_is_data, begin),
        cmocka_unit_test_setup(an_ack_is_of_the_connection_of_its_data, begin),
        cmocka_unit_test_setup(hash_and_connection_depend_on_each_part, begin),
        cmocka_unit_test_setup(only_a_pure_ack_is_one, begin),
        cmocka_unit_test_setup(lengths_in_tcp_and_udp_must_fit, begin),
        cmocka_unit_test_setup(ecn_and_dscp_are_read, begin),
        cmocka_unit_test_setup(wire_bytes_are_those_of_the_frame_and_24, begin),
        cmocka_unit_test_setup(other_protocols_are_data_of_no_law, begin),
        cmocka_unit_test_setup(message_packets_have_their_own_numbers, begin),
        cmocka_unit_test_setup(sealed_packets_are_read_too, begin),
        cmocka_unit_test_setup(what_is_no_message_packet_is_other, begin),
        cmocka_unit_test_setup(delays_are_read_in_the_unit_of_the_switch, begin),
        cmocka_unit_test_setup(stamps_and_round_trips_are_of_kind_3, begin),
        cmocka_unit_test_setup(weights_are_in_areas_without_slots, begin),
        cmocka_unit_test_setup(records_are_read_from_slots_alone, begin),
        cmocka_unit_test_setup(tokens_are_of_data_and_ece_of_acks, begin),
        cmocka_unit_test_setup(the_option_is_found_among_others, begin),
        cmocka_unit_test_setup(a_checksum_left_to_hardware_is_completed, begin),
        cmocka_unit_test_setup(a_checksum_is_completed_in_what_is_flooded_too, begin),
        cmocka_unit_test_setup(a_right_checksum_that_looks_unfinished_stays, begin),
        cmocka_unit_test_setup(a_datagram_without_checksum_gets_none, begin),
        cmocka_unit_test_setup(packets_and_bytes_are_counted, begin),
    };
    return cmocka_run_group_tests_name("mapping/read", tests, NULL, end);
}
