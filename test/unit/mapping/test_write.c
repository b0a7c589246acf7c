/* test/unit/mapping/test_write.c - what hooks have changed, byte for byte. The frames of the table, before and after,
 * were made by another program, which computes every checksum anew. */
#include "test/unit/mapping/mapping_fixture.h"

#define DELAY(unit_ps)                                                                                                 \
    {                                                                                                                  \
        .qdelay_unit_ps = (unit_ps)                                                                                    \
    }
#define RECORDS                                                                                                        \
    {                                                                                                                  \
        .records_max = 5                                                                                               \
    }
#define NOW (UINT64_C(78000000) * WEIR_PS_PER_NS)

struct change {
    uint32_t flags, qdelay, tokens_less, records;
};

static const struct {
    const char *name, *before, *after;
    struct weir_mapping_fields fields;
    struct change change;
} changes[] = {
    { "tcp4_ce",
      "020000000001020000000000080045020032123440004006148e0a0000010a0000029c40138901020304050607085018"
      "2000618300004142434445464748494a",
      "020000000001020000000000080045030032123440004006148d0a0000010a0000029c40138901020304050607085018"
      "2000618300004142434445464748494a",
      { 0 },
      { .flags = WEIR_PKT_CE } },
    { "tcp6_ce",
      "02000000000102000000000086dd60254321001e0640fd000000000000000000000000000001fd000000000000000000"
      "0000000000029c4013890102030405060708501820007b8100004142434445464748494a",
      "02000000000102000000000086dd60354321001e0640fd000000000000000000000000000001fd000000000000000000"
      "0000000000029c4013890102030405060708501820007b8100004142434445464748494a",
      { 0 },
      { .flags = WEIR_PKT_CE } },
    { "tcp4_ece",
      "020000000001020000000000080045000028123440004006149a0a0000010a00000213899c4001020304050607085010"
      "2000bbf40000",
      "020000000001020000000000080045000028123440004006149a0a0000010a00000213899c4001020304050607085050"
      "2000bbb40000",
      { 0 },
      { .flags = WEIR_PKT_ECE } },
    { "tcp6_ece",
      "02000000000102000000000086dd6005432100140640fd000000000000000000000000000001fd000000000000000000"
      "00000000000213899c40010203040506070850102000d5f20000",
      "02000000000102000000000086dd6005432100140640fd000000000000000000000000000001fd000000000000000000"
      "00000000000213899c40010203040506070850502000d5b20000",
      { 0 },
      { .flags = WEIR_PKT_ECE } },
    { "option",
      "02000000000102000000000008004502003e12344000400614820a0000010a0000029c40138901020304050607088018"
      "20008e20000001fd08577a000a00140101014142434445464748494a",
      "02000000000102000000000008004502003e12344000400614820a0000010a0000029c40138901020304050607088018"
      "20006c1f000001fd08577a012c00140101014142434445464748494a",
      DELAY(256 * WEIR_PS_PER_NS),
      { .qdelay = 300 } },
    { "delay4",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d8588421020000005"
      "032901020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      "02000000000102000000000008004503006112344000401114530a0000010a000002c0011cf5004d7359421020001234"
      "032901020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      DELAY(64 * WEIR_PS_PER_NS),
      { .qdelay = 0x1234, .flags = WEIR_PKT_CE } },
    { "delay6",
      "02000000000102000000000086dd60254321004d1140fd000000000000000000000000000001fd000000000000000000"
      "000000000002c0011cf5004d9f86421020000005032901020304050607080000000000000003deadbeef000000050000"
      "00070000000b000000091122334455667788010000000010044142434445464748494a",
      "02000000000102000000000086dd60354321004d1140fd000000000000000000000000000001fd000000000000000000"
      "000000000002c0011cf5004d8d57421020001234032901020304050607080000000000000003deadbeef000000050000"
      "00070000000b000000091122334455667788010000000010044142434445464748494a",
      DELAY(64 * WEIR_PS_PER_NS),
      { .qdelay = 0x1234, .flags = WEIR_PKT_CE } },
    { "delay_us_no_sum",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d0000421040000005"
      "000001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d000042104000004d"
      "000001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      DELAY(WEIR_PS_PER_US),
      { .qdelay = 77 } },
    { "records6",
      "02000000000102000000000086dd60254321006d1140fd000000000000000000000000000001fd000000000000000000"
      "000000000002c0011cf5006da07442102200000000000000000000000000000000000000000000000000000000000000"
      "00000000000001020304050607080000000000000003deadbeef00000005000000070000000b00000009112233445566"
      "7788010000000010044142434445464748494a",
      "02000000000102000000000086dd60254321006d1140fd000000000000000000000000000001fd000000000000000000"
      "000000000002c0011cf5006d212f4210220000000100000496ed400007d0000000138800177000000000000000000000"
      "00000000000001020304050607080000000000000003deadbeef00000005000000070000000b00000009112233445566"
      "7788010000000010044142434445464748494a",
      RECORDS,
      { .records = 1 } },
    { "records_ack",
      "0200000000010200000000000800450000b012344000401114070a0000010a000002c0011cf5009c2f0f420125000000"
      "010000000003e80007d00000000bb8000fa0000000000000000000000000000000000000000000000000000000000000"
      "000000000000000000000000000000000000000000000000000000000000000000000102030405060708000000000000"
      "0003deadbeef00000005000000070000000b000000091122334455667788000000030000000000000000ffffffff",
      "0200000000010200000000000800450000b012344000401114070a0000010a000002c0011cf5009ccce0420125000000"
      "031000000003e80007d00000000bb8000fa0000496ed400007d00000001388001770000496ed3f0003e80000000007ff"
      "ffff00000000000000000000000000000000000000000000000000000000000000000102030405060708000000000000"
      "0003deadbeef00000005000000070000000b000000091122334455667788000000030000000000000000ffffffff",
      RECORDS,
      { .records = 2, .flags = WEIR_PKT_ECE } },
    { "tokens",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d8856421020000000"
      "006001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d8876421020000000"
      "004001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      { 0 },
      { .tokens_less = 1 } },
    { "stamp",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d1c52421060000064"
      "2c0001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      "02000000000102000000000008004502006112344000401114540a0000010a000002c0011cf5004d1cc542106000fff0"
      "2c0001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "00000010044142434445464748494a",
      { .rates = true },
      { .qdelay = 0xfff0 } },
    { "sum_becomes_zero",
      "020000000001020000000000080045020059123440004011145c0a0000010a000002c0011cf500450001421020000008"
      "000001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "000000100417e8",
      "020000000001020000000000080045020059123440004011145c0a0000010a000002c0011cf50045ffff421020000009"
      "000001020304050607080000000000000003deadbeef00000005000000070000000b0000000911223344556677880100"
      "000000100417e8",
      DELAY(64 * WEIR_PS_PER_NS),
      { .qdelay = 9 } },
};

/* Makes the change in the packet as hooks would. The two records are those of the table. */
static void decide(const struct change *c)
{
    pkt.flags = WEIR_PKT_FLAGS(pkt.flags | c->flags);
    if (c->qdelay > 0)
        pkt.qdelay = (uint16_t)c->qdelay;
    pkt.tokens = WEIR_PKT_TOKENS(pkt.tokens - c->tokens_less);
    for (uint32_t i = 0; i < c->records; i++)
        hop[pkt.hops++] = i == 0 ? weir_telemetry_pack(77000000000, 5000, 6000, 0)
                                 : weir_telemetry_pack(76999999999, 7, (1u << 24) + 5, 1);
}

static void each_change_is_written_and_no_other_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        unsigned char after[FRAME_ROOM];
        uint32_t length = fix_hex(changes[i].before, frame);
        fix_begin(changes[i].fields);
        assert_true(fix_sums_are_right(frame));
        assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
        decide(&changes[i].change);
        assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, hop, NOW), 0);
        assert_int_equal(fix_hex(changes[i].after, after), length);
        if (memcmp(frame, after, length) != 0)
            print_error("%s\n", changes[i].name);
        assert_memory_equal(frame, after, length);
        assert_true(fix_sums_are_right(frame));
    }
}

static void a_packet_that_did_not_change_leaves_its_frame(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        unsigned char before[FRAME_ROOM];
        uint32_t length = fix_hex(changes[i].before, frame);
        (void)fix_hex(changes[i].before, before);
        fix_begin(changes[i].fields);
        assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
        assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, hop, NOW), 0);
        assert_memory_equal(frame, before, length);
    }
}

/* A wrong checksum stays wrong by the same amount: the receiver still finds it. */
static void a_wrong_checksum_is_not_repaired(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint32_t length = fix_hex(changes[i].before, frame);
        frame[length - 1] ^= 0x10;
        fix_begin(changes[i].fields);
        assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
        decide(&changes[i].change);
        (void)weir_mapping_write(&map, &at, frame, &pkt, hop, NOW);
        if (strcmp(changes[i].name, "delay_us_no_sum") != 0)
            assert_false(fix_sums_are_right(frame));
    }
}

static struct weir_wire_head stream(uint32_t kind, uint32_t slots, uint32_t signal)
{
    return (struct weir_wire_head){ .pkt = { .kind = WEIR_PKT_DATA, .payload_bytes = 10, .conn = 5, .value = 77 },
                                    .counter = 1,
                                    .area_kind = (uint8_t)kind,
                                    .slot_count = (uint8_t)slots,
                                    .signal = signal,
                                    .stream = true };
}

static uint32_t delay_after(uint64_t unit_ps, uint32_t kind, uint32_t before, uint32_t qdelay)
{
    struct weir_wire_head head = stream(kind, 0, WEIR_WIRE_SIGNAL(before, 0, 0, 0));
    uint32_t length = fix_message(4, &head);
    fix_begin((struct weir_mapping_fields)DELAY(unit_ps));
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
    pkt.qdelay = (uint16_t)qdelay;
    assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, NULL, NOW), 0);
    assert_true(fix_sums_are_right(frame));
    return fix_get16(frame + 46);
}

/* Delays of the packet count the switch's unit, and are rounded down in the frame's. A frame's never falls. */
static void delays_change_their_unit_and_never_fall(void **state)
{
    const uint64_t ns = WEIR_PS_PER_NS;
    (void)state;
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 0, 15), 0);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 0, 16), 1);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 0, 31), 1);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 0, 32), 2);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 100, 1599), 100);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 100, 1600), 100);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 100, 1616), 101);
    assert_int_equal(delay_after(4 * ns, WEIR_WIRE_AREA_64NS, 5000, 65535), 5000); /* read as 65535 already */
    assert_int_equal(delay_after(256 * ns, WEIR_WIRE_AREA_64NS, 0, 16383), 65532);
    assert_int_equal(delay_after(256 * ns, WEIR_WIRE_AREA_64NS, 0, 16384), 65535);
    assert_int_equal(delay_after(256 * ns, WEIR_WIRE_AREA_US, 0, 1000), 256);
    assert_int_equal(delay_after(256 * ns, WEIR_WIRE_AREA_US, 257, 1004), 257); /* 1003 as read, and 1004 is the same */
    assert_int_equal(delay_after(256 * ns, WEIR_WIRE_AREA_US, 257, 1008), 258);
}

/* Returns what is missing after `added` records to a packet with some of its slots in use. */
static uint32_t records_after(uint32_t slots, uint32_t used, uint32_t added, uint32_t *byte)
{
    struct weir_wire_head head = stream(WEIR_WIRE_AREA_64NS, slots, WEIR_WIRE_SIGNAL(0, used, 0, 0));
    uint32_t length = fix_message(6, &head), lacks;
    fix_begin((struct weir_mapping_fields)RECORDS);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
    for (uint32_t i = 0; i < added; i++)
        hop[pkt.hops++] = weir_telemetry_pack(NOW, i, i, 0);
    lacks = weir_mapping_write(&map, &at, frame, &pkt, hop, NOW);
    assert_true(fix_sums_are_right(frame));
    assert_int_equal(map.counts.lack[1], 0);
    assert_int_equal(map.counts.lack[2], lacks != 0);
    *byte = frame[54 + 8 + 6];
    return lacks;
}

static void records_without_a_slot_are_missed(void **state)
{
    uint32_t byte;
    (void)state;
    assert_int_equal(records_after(3, 1, 1, &byte), 0);
    assert_int_equal(byte, 2);
    assert_int_equal(records_after(3, 1, 2, &byte), 0);
    assert_int_equal(byte, 3);
    assert_int_equal(records_after(3, 1, 3, &byte), WEIR_LACK_RECORDS);
    assert_int_equal(byte, 3);
    assert_int_equal(records_after(3, 3, 1, &byte), WEIR_LACK_RECORDS);
    assert_int_equal(byte, 3);
    assert_int_equal(records_after(3, 200, 1, &byte), WEIR_LACK_RECORDS); /* no honest number */
    assert_int_equal(byte, 200);
    assert_int_equal(records_after(0, 3, 1, &byte), WEIR_LACK_RECORDS);
    assert_int_equal(byte, 3);
}

static void what_has_no_field_is_said(void **state)
{
    unsigned char before[FRAME_ROOM];
    struct weir_wire_head ack = { .pkt = { .kind = WEIR_PKT_ACK }, .counter = 1 };
    uint32_t length = fix_message(4, &ack);
    (void)state;
    memcpy(before, frame, length);
    fix_begin((struct weir_mapping_fields)DELAY(1));
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
    pkt.flags |= WEIR_PKT_ECE;
    assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, NULL, 0), WEIR_LACK_ECE);
    assert_memory_equal(frame, before, length);
    length = fix_tcp(4, 0x18, 2, NULL, 0, 10);
    memcpy(before, frame, length);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
    pkt.qdelay = 1;
    assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, NULL, 0), WEIR_LACK_QDELAY);
    assert_memory_equal(frame, before, length);
    assert_int_equal(map.counts.lack[0], 1);
    assert_int_equal(map.counts.lack[1], 1);
    assert_int_equal(map.counts.lack[2], 0);
}

/* A hook marks packets with ECT alone. Were there a mark all the same, the frame would stay as it is. */
static void what_may_not_be_marked_stays(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t length = fix_tcp(version, 0x18, 0, NULL, 0, 10);
        assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
        pkt.flags |= WEIR_PKT_CE;
        assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, NULL, 0), 0);
        assert_int_equal(frame[15] & 0x33, 0);
        assert_true(fix_sums_are_right(frame));
    }
}

/* Times of records have 44 bits of picoseconds in a packet, and 40 bits of nanoseconds in a frame. */
static void the_time_of_a_record_is_completed(void **state)
{
    static const struct {
        uint64_t now_ps, age_ps, want_ns;
    } rows[] = {
        { 5000, 0, 5 },
        { 5999, 0, 5 },
        { 5000, 1, 4 },
        { UINT64_C(1) << 44, 0, 17592186044 },
        { (UINT64_C(1) << 44) + 999, 1000, 17592186044 }, /* 17592186044.415 ns before, .414 now */
        { UINT64_C(3600) * WEIR_PS_PER_S, 7 * WEIR_PS_PER_S, (UINT64_C(3593000000000)) - 3 * (UINT64_C(1) << 40) },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_wire_head head = stream(WEIR_WIRE_AREA_64NS, 1, 0);
        struct weir_wire_slot slot;
        uint32_t length = fix_message(4, &head);
        fix_begin((struct weir_mapping_fields)RECORDS);
        assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
        hop[0] = weir_telemetry_pack(rows[i].now_ps - rows[i].age_ps, 1, 1, 2);
        pkt.hops = 1;
        assert_int_equal(weir_mapping_write(&map, &at, frame, &pkt, hop, rows[i].now_ps), 0);
        weir_wire_get_slot(frame + 50, &slot);
        assert_int_equal(slot.time_ns, rows[i].want_ns);
        assert_int_equal(slot.rate_100k, 10000);
    }
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
        cmocka_unit_test(each_change_is_written_and_no_other_byte),
        cmocka_unit_test(a_packet_that_did_not_change_leaves_its_frame),
        cmocka_unit_test(a_wrong_checksum_is_not_repaired),
        cmocka_unit_test(delays_change_their_unit_and_never_fall),
        cmocka_unit_test(records_without_a_slot_are_missed),
        cmocka_unit_test(what_has_no_field_is_said),
        cmocka_unit_test(what_may_not_be_marked_stays),
        cmocka_unit_test(the_time_of_a_record_is_completed),
    };
    return cmocka_run_group_tests_name("mapping/write", tests, NULL, end);
}
