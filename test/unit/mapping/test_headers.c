/* test/unit/mapping/test_headers.c - which frames are packets, which are flooded and which are dropped, with every
 * length at one byte less, the same, and one more. */
#include "test/unit/mapping/mapping_fixture.h"

/* Reads a frame of host 0 and checks verdict and cause. */
static void check(uint32_t length, enum weir_mapping_verdict verdict, enum weir_mapping_cause cause)
{
    unsigned char before[FRAME_ROOM];
    uint64_t count = map.counts.cause[cause];
    memcpy(before, frame, length);
    assert_int_equal(fix_read(0, length), verdict);
    assert_memory_equal(frame, before, length);
    if (verdict == WEIR_MAPPING_PACKET)
        return;
    assert_int_equal(at.cause, cause);
    assert_int_equal(map.counts.cause[cause], count + 1);
}

static void check_packet(uint32_t length)
{
    check(length, WEIR_MAPPING_PACKET, WEIR_MAPPING_UNKNOWN);
}

static void check_malformed(uint32_t length)
{
    check(length, WEIR_MAPPING_DROP, WEIR_MAPPING_MALFORMED);
}

static int begin(void **state)
{
    (void)state;
    fix_begin((struct weir_mapping_fields){ 0 });
    return 0;
}

static void every_truncated_frame_is_malformed(void **state)
{
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t length = fix_tcp(version, 0x10, 2, NULL, 0, 5);
        for (uint32_t n = 0; n < length; n++)
            check_malformed(n);
        check_packet(length);
        length = fix_udp(version, 1, 2, 2, NULL, 0);
        for (uint32_t n = 0; n < length; n++)
            check_malformed(n);
        check_packet(length);
    }
}

/* The MTU is IP's: 14 bytes of Ethernet are before it. */
static void a_frame_above_the_mtu_was_to_be_cut(void **state)
{
    (void)state;
    for (uint32_t version = 4; version <= 6; version += 2) {
        uint32_t head = version == 4 ? 40 : 60;
        check_packet(fix_tcp(version, 0x10, 2, NULL, 0, MTU - head - 1));
        check_packet(fix_tcp(version, 0x10, 2, NULL, 0, MTU - head));
        assert_int_equal(pkt.wire_bytes, 1538);
        check(fix_tcp(version, 0x10, 2, NULL, 0, MTU - head + 1), WEIR_MAPPING_DROP, WEIR_MAPPING_OFFLOAD);
    }
    (void)fix_tcp(4, 0x10, 2, NULL, 0, 10);
    check(14 + MTU + 1, WEIR_MAPPING_DROP, WEIR_MAPPING_OFFLOAD); /* padding counts */
}

static void a_tag_is_refused_even_if_it_makes_the_frame_too_long(void **state)
{
    static const uint32_t types[] = { 0x8100, 0x88a8, 0x9100 };
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        (void)fix_tcp(4, 0x10, 2, NULL, 0, MTU - 40);
        fix_put16(frame + 12, types[i]);
        check(14 + MTU + 4, WEIR_MAPPING_DROP, WEIR_MAPPING_TAGGED);
        check(60, WEIR_MAPPING_DROP, WEIR_MAPPING_TAGGED);
        fix_put16(frame + 12, types[i] + 1);
        check(60, WEIR_MAPPING_FLOOD, WEIR_MAPPING_UNKNOWN);
    }
}

/* 01:80:c2:00:00:00 .. 0f stay on their cable; :10 does not. */
static void pauses_and_their_like_stay_on_their_cable(void **state)
{
    (void)state;
    for (uint32_t last = 0; last <= 17; last++) {
        (void)fix_tcp(4, 0x10, 2, NULL, 0, 10);
        memcpy(frame, (const unsigned char[]){ 1, 0x80, 0xc2, 0, 0, (unsigned char)last }, 6);
        fix_put16(frame + 12, 0x8808);
        if (last < 16)
            check(60, WEIR_MAPPING_DROP, WEIR_MAPPING_LINK);
        else
            check(60, WEIR_MAPPING_FLOOD, WEIR_MAPPING_GROUP);
    }
}

static void groups_and_unknown_addresses_are_flooded(void **state)
{
    uint32_t length = fix_udp(4, 1, 2, 0, NULL, 0);
    (void)state;
    frame[0] = 0xff;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_GROUP); /* to all, though 10.0.0.2 is known */
    frame[0] = 2;
    frame[33] = 77;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_UNKNOWN);
    memset(frame + 30, 0xff, 4);
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_GROUP);
    frame[30] = 0xe0;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_GROUP);
    frame[30] = 0xdf;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_UNKNOWN);
    length = fix_udp(6, 1, 2, 0, NULL, 0);
    frame[38] = 0xff;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_GROUP);
    frame[38] = 0xfe;
    check(length, WEIR_MAPPING_FLOOD, WEIR_MAPPING_UNKNOWN);
}

static void neighbour_discovery_is_flooded_and_other_icmp_is_not(void **state)
{
    (void)state;
    for (uint32_t type = 132; type <= 138; type++) {
        uint32_t l4 = fix_ip(6, 58, 0, 1, 0, 24);
        frame[l4] = (unsigned char)type;
        if (type >= 133 && type <= 137)
            check(l4 + 24, WEIR_MAPPING_FLOOD, WEIR_MAPPING_NEIGHBOR);
        else
            check_packet(l4 + 24);
    }
    check_packet(fix_ip(6, 58, 0, 1, 0, 0));
    uint32_t l4 = fix_ip(4, 58, 0, 1, 0, 24);
    frame[l4] = 135;
    check_packet(l4 + 24);
}

static void lengths_in_ipv4_must_fit(void **state)
{
    uint32_t length = fix_tcp(4, 0x10, 2, NULL, 0, 10);
    (void)state;
    for (uint32_t ihl = 0; ihl < 16; ihl++) {
        frame[14] = (unsigned char)(0x40 | ihl);
        if (ihl < 5 || ihl > 7)
            check_malformed(length); /* from 8 on too little is left for TCP: 50 - 32 < 20 */
    }
    frame[14] = 0x55;
    check_malformed(length);
    (void)fix_tcp(4, 0x10, 2, NULL, 0, 10);
    fix_put16(frame + 16, length - 14 + 1);
    check_malformed(length);
    fix_put16(frame + 16, 39);
    check_malformed(length);
    fix_put16(frame + 16, 40);
    check_packet(length);
    assert_int_equal(pkt.payload_bytes, 0);
    assert_int_equal(pkt.kind, WEIR_PKT_ACK); /* what is behind is padding */
    fix_put16(frame + 16, 41);
    check_packet(length);
    assert_int_equal(pkt.kind, WEIR_PKT_DATA);
}

static void ipv4_options_are_skipped(void **state)
{
    uint32_t length = fix_tcp(4, 0x18, 2, NULL, 0, 10);
    (void)state;
    memmove(frame + 34 + 8, frame + 34, 30);
    memset(frame + 34, 1, 8);
    frame[14] = 0x47;
    fix_put16(frame + 16, length + 8 - 14);
    check_packet(length + 8);
    assert_int_equal(at.l4_at, 42);
    assert_int_equal(pkt.payload_bytes, 10);
    assert_int_equal(pkt.seq, 0x01020304);
}

static void fragments_have_no_ports(void **state)
{
    static const uint32_t fields[] = { 0x2000, 0x0001, 0x2001, 0x1fff, 0x0020 };
    uint32_t length = fix_tcp(4, 0x18, 3, NULL, 0, 10), whole;
    struct weir_pkt first = { 0 };
    (void)state;
    check_packet(length);
    whole = pkt.hash;
    fix_put16(frame + 20, 0x4000); /* may not be fragmented: not a fragment */
    check_packet(length);
    assert_int_equal(pkt.hash, whole);
    assert_int_equal(at.shape, WEIR_SHAPE_TCP);
    for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        fix_put16(frame + 20, fields[i]);
        check_packet(length);
        assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
        assert_int_equal(at.sum_at, 0);
        assert_int_not_equal(pkt.hash, whole);
        assert_int_equal(pkt.kind, WEIR_PKT_DATA);
        assert_int_equal(pkt.payload_bytes, 30);
        assert_int_equal(pkt.flags, WEIR_PKT_ECT | WEIR_PKT_CE);
        if (i == 0)
            first = pkt;
        assert_memory_equal(&pkt, &first, sizeof(pkt)); /* the same for all fragments */
    }
    fix_put16(frame + 16, 20); /* a fragment may be as short as it likes */
    check_packet(length);
    assert_int_equal(pkt.payload_bytes, 0);
}

/* Puts extension headers before a TCP segment without options of IPv6. @return length of the frame */
static uint32_t extended(const unsigned char *headers, uint32_t bytes, uint32_t first)
{
    uint32_t length = fix_tcp(6, 0x18, 2, NULL, 0, 10);
    memmove(frame + 54 + bytes, frame + 54, 30);
    memcpy(frame + 54, headers, bytes);
    frame[20] = (unsigned char)first;
    fix_put16(frame + 18, 30 + bytes);
    return length + bytes;
}

static void extension_headers_are_skipped(void **state)
{
    static const struct {
        const char *hex;
        uint32_t first;
    } rows[] = {
        { "0600000000000000", 0 },                                 /* hop by hop */
        { "0600000000000000", 43 },                                /* routing */
        { "0600000000000000", 60 },                                /* destination options */
        { "0600000000000000", 135 },                               /* mobility */
        { "0600000000000000", 139 },                               /* HIP */
        { "0600000000000000", 140 },                               /* shim6 */
        { "0601000000000000ffffffffffffffff", 60 },                /* of 16 bytes */
        { "060100000000000000000000", 51 },                        /* authentication: 12 bytes */
        { "0600000000001234", 44 },                                /* a fragment that is the whole packet */
        { "0600000600001234", 44 },                                /* .. with reserved bits set */
        { "3c000000000000002c0000000000000006000000000000ff", 0 }, /* hop by hop, destination, whole fragment */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        unsigned char headers[64];
        uint32_t bytes = fix_hex(rows[i].hex, headers), length = extended(headers, bytes, rows[i].first);
        check_packet(length);
        assert_int_equal(at.shape, WEIR_SHAPE_TCP);
        assert_int_equal(at.l4_at, 54 + bytes);
        assert_int_equal(pkt.payload_bytes, 10);
        assert_int_equal(pkt.seq, 0x01020304);
    }
}

static void a_chain_of_headers_ends(void **state)
{
    unsigned char headers[80] = { 0 };
    uint32_t length;
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        headers[i * (size_t)8] = i == 7 ? 6 : 60;
    length = extended(headers, 64, 60);
    check_packet(length);
    assert_int_equal(at.shape, WEIR_SHAPE_TCP); /* eight are read */
    for (uint32_t i = 0; i < 9; i++)
        headers[i * (size_t)8] = i == 8 ? 6 : 60;
    length = extended(headers, 72, 60);
    check_packet(length);
    assert_int_equal(at.shape, WEIR_SHAPE_OTHER); /* nine are not: by address alone */
}

static void headers_that_end_too_early_are_malformed(void **state)
{
    unsigned char one[8] = { 6, 4 }; /* of 40 bytes: as many as 8 and 32 */
    uint32_t length = extended(one, 8, 60);
    (void)state;
    check_malformed(length); /* 38 are there */
    one[1] = 3;              /* 32: the segment would begin in its own middle, and 6 bytes are left of it */
    check_malformed(extended(one, 8, 60));
    length = extended(one, 8, 60);
    fix_put16(frame + 18, 1);
    check_malformed(length);
    fix_put16(frame + 18, 0);
    check_malformed(length);
    frame[20] = 44; /* a fragment's header in 7 bytes */
    fix_put16(frame + 18, 7);
    check_malformed(length);
    fix_put16(frame + 18, length - 54 + 1);
    check_malformed(length);
}

static void ipv6_fragments_have_no_ports(void **state)
{
    static const char *const first[] = { "0600000100001234", "0600000800001234", "060005a900001234" };
    uint32_t hash = 0;
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        unsigned char header[8];
        uint32_t length;
        (void)fix_hex(first[i], header);
        length = extended(header, 8, 44);
        check_packet(length);
        assert_int_equal(at.shape, WEIR_SHAPE_OTHER);
        assert_int_equal(pkt.payload_bytes, 38);
        assert_true(hash == 0 || hash == pkt.hash);
        hash = pkt.hash;
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
        cmocka_unit_test_setup(every_truncated_frame_is_malformed, begin),
        cmocka_unit_test_setup(a_frame_above_the_mtu_was_to_be_cut, begin),
        cmocka_unit_test_setup(a_tag_is_refused_even_if_it_makes_the_frame_too_long, begin),
        cmocka_unit_test_setup(pauses_and_their_like_stay_on_their_cable, begin),
        cmocka_unit_test_setup(groups_and_unknown_addresses_are_flooded, begin),
        cmocka_unit_test_setup(neighbour_discovery_is_flooded_and_other_icmp_is_not, begin),
        cmocka_unit_test_setup(lengths_in_ipv4_must_fit, begin),
        cmocka_unit_test_setup(ipv4_options_are_skipped, begin),
        cmocka_unit_test_setup(fragments_have_no_ports, begin),
        cmocka_unit_test_setup(extension_headers_are_skipped, begin),
        cmocka_unit_test_setup(a_chain_of_headers_ends, begin),
        cmocka_unit_test_setup(headers_that_end_too_early_are_malformed, begin),
        cmocka_unit_test_setup(ipv6_fragments_have_no_ports, begin),
    };
    return cmocka_run_group_tests_name("mapping/headers", tests, NULL, end);
}
