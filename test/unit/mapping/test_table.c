/* test/unit/mapping/test_table.c - addresses of hosts: given, learned, and refused with one sentence. */
#include "test/unit/refusal.h"
#include "test/unit/mapping/mapping_fixture.h"

static struct weir_err err;

static struct weir_mapping_address four(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return (struct weir_mapping_address){ .bytes = { (uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d }, .version = 4 };
}

static void open_table(uint32_t addresses, bool learns)
{
    fix_open(&(struct weir_mapping_config){
        .hosts = HOSTS, .addresses = addresses, .mtu_bytes = MTU, .learns = learns, .udp_port = { PORT } });
}

static void every_address_that_was_given_is_found_and_no_other(void **state)
{
    enum { COUNT = 5000 };
    (void)state;
    open_table(2 * COUNT, false);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct weir_mapping_address a = four(10, i >> 16, i >> 8 & 255, i & 255), b = { .version = 6 };
        b.bytes[0] = 0xfd;
        b.bytes[14] = (uint8_t)(i >> 8);
        b.bytes[15] = (uint8_t)i;
        assert_int_equal(weir_mapping_host(&map, &a), UINT32_MAX);
        assert_int_equal(weir_mapping_add(&map, &a, i % HOSTS, &err), 0);
        assert_int_equal(weir_mapping_add(&map, &b, (i + 1) % HOSTS, &err), 0);
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        struct weir_mapping_address a = four(10, i >> 16, i >> 8 & 255, i & 255), other = four(11, 0, i >> 8, i & 255);
        assert_int_equal(weir_mapping_host(&map, &a), i % HOSTS);
        assert_int_equal(weir_mapping_host(&map, &other), UINT32_MAX);
    }
    assert_int_equal(map.used, 2 * COUNT);
}

static void the_versions_do_not_mix(void **state)
{
    struct weir_mapping_address a = four(32, 1, 2, 3), b = a;
    (void)state;
    b.version = 6;
    open_table(4, false);
    assert_int_equal(weir_mapping_add(&map, &a, 1, &err), 0);
    assert_int_equal(weir_mapping_host(&map, &b), UINT32_MAX);
    assert_int_equal(weir_mapping_add(&map, &b, 2, &err), 0);
    assert_int_equal(weir_mapping_host(&map, &a), 1);
    assert_int_equal(weir_mapping_host(&map, &b), 2);
}

static void two_hosts_of_one_address_are_refused(void **state)
{
    struct weir_mapping_address a = four(10, 0, 0, 1);
    (void)state;
    open_table(4, false);
    assert_int_equal(weir_mapping_add(&map, &a, 3, &err), 0);
    assert_int_equal(weir_mapping_add(&map, &a, 3, &err), 0); /* said twice */
    assert_int_equal(weir_mapping_add(&map, &a, 1, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "10.0.0.1");
    assert_int_equal(map.used, 1);
    assert_int_equal(weir_mapping_host(&map, &a), 3);
}

static void an_address_of_no_single_host_is_refused(void **state)
{
    const struct weir_mapping_address six_group = { .bytes = { 0xff, 2, [15] = 1 }, .version = 6 },
                                      six_none = { .version = 6 }, six_own = { .bytes = { [15] = 1 }, .version = 6 };
    const struct weir_mapping_address none[] = {
        four(0, 0, 0, 0),
        four(0, 255, 255, 255),
        four(127, 0, 0, 1),
        four(224, 0, 0, 0),
        four(239, 255, 255, 255),
        four(255, 255, 255, 255),
        six_group,
        six_none,
        six_own,
    };
    const struct weir_mapping_address some[] = { four(1, 0, 0, 0),   four(126, 255, 255, 255),
                                                 four(128, 0, 0, 0), four(223, 255, 255, 255),
                                                 four(240, 0, 0, 0), four(255, 255, 255, 254) };
    (void)state;
    open_table(16, false);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(weir_mapping_add(&map, &none[i], 0, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "0000:0000:0000:0000:0000:0000:0000:0001");
    for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
        assert_int_equal(weir_mapping_add(&map, &some[i], 0, &err), 0);
}

static void a_full_table_refuses_one_more(void **state)
{
    (void)state;
    open_table(3, false);
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_mapping_address a = four(10, 0, 0, i);
        assert_int_equal(weir_mapping_add(&map, &a, 0, &err), 0);
    }
    struct weir_mapping_address more = four(10, 0, 0, 3);
    assert_int_equal(weir_mapping_add(&map, &more, 0, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "3");
}

static void addresses_are_written_as_text(void **state)
{
    static const struct {
        const char *text;
        struct weir_mapping_address address;
    } rows[] = {
        { "0.9.10.99", { .bytes = { 0, 9, 10, 99 }, .version = 4 } },
        { "100.101.200.255", { .bytes = { 100, 101, 200, 255 }, .version = 4 } },
        { "fd00:0000:0000:0000:0000:0000:00ab:cdef",
          { .bytes = { 0xfd, [13] = 0xab, [14] = 0xcd, [15] = 0xef }, .version = 6 } },
    };
    char text[WEIR_MAPPING_ADDRESS_TEXT];
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_string_equal(weir_mapping_address_text(&rows[i].address, text), rows[i].text);
}

/* Makes an ARP request of a host for 10.0.0.9. */
static uint32_t arp(uint32_t from)
{
    static const char hex[] = "ffffffffffff020000000003080600010800060400010200000000030a0000000000000000000a000009";
    uint32_t length = fix_hex(hex, frame);
    frame[31] = (unsigned char)(from + 1);
    return length;
}

static void addresses_are_learned_by_ip_and_arp(void **state)
{
    struct weir_mapping_address a = fix_address(4, 0), b = fix_address(4, 2), six = fix_address(6, 0);
    uint32_t length;
    (void)state;
    open_table(8, true);
    length = fix_tcp(4, 0x10, 0, NULL, 0, 0);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_FLOOD); /* nobody knows 10.0.0.2 yet */
    assert_int_equal(at.cause, WEIR_MAPPING_UNKNOWN);
    assert_int_equal(weir_mapping_host(&map, &a), 0);
    assert_int_equal(fix_read(2, arp(2)), WEIR_MAPPING_FLOOD);
    assert_int_equal(weir_mapping_host(&map, &b), 2);
    length = fix_tcp(6, 0x10, 0, NULL, 0, 0);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_FLOOD);
    assert_int_equal(weir_mapping_host(&map, &six), 0);
    assert_int_equal(fix_read(1, arp(1)), WEIR_MAPPING_FLOOD);
    length = fix_tcp(4, 0x10, 0, NULL, 0, 0);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_PACKET);
    assert_int_equal(pkt.dst, 1);
    assert_int_equal(map.used, 4);
}

static void an_arp_probe_teaches_nothing(void **state)
{
    uint32_t length = arp(0);
    (void)state;
    open_table(8, true);
    memset(frame + 28, 0, 4);
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_FLOOD);
    length = arp(0);
    frame[16] = 0x86; /* another protocol */
    assert_int_equal(fix_read(0, length), WEIR_MAPPING_FLOOD);
    assert_int_equal(fix_read(0, arp(0) - 1), WEIR_MAPPING_FLOOD); /* truncated */
    assert_int_equal(map.used, 0);
    assert_int_equal(map.counts.cause[WEIR_MAPPING_NEIGHBOR], 3);
    assert_int_equal(fix_read(0, arp(0)), WEIR_MAPPING_FLOOD);
    assert_int_equal(map.used, 1);
}

static void a_host_that_moves_is_dropped_and_named(void **state)
{
    (void)state;
    open_table(8, true);
    assert_int_equal(weir_mapping_moved(&map, &err), 0);
    assert_int_equal(fix_read(0, arp(0)), WEIR_MAPPING_FLOOD);
    assert_int_equal(fix_read(3, arp(0)), WEIR_MAPPING_DROP);
    assert_int_equal(at.cause, WEIR_MAPPING_MOVED);
    assert_int_equal(weir_mapping_moved(&map, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "host 3 sends from 10.0.0.1");
    assert_int_equal(fix_read(2, fix_tcp(4, 0x10, 0, NULL, 0, 0)), WEIR_MAPPING_DROP);
    assert_int_equal(map.counts.cause[WEIR_MAPPING_MOVED], 2);
    assert_int_equal(fix_read(0, arp(0)), WEIR_MAPPING_FLOOD); /* the first one keeps it */
}

/* Given addresses: one that is of no host may come from any, and is not learned. */
static void given_addresses_are_not_added_to(void **state)
{
    struct weir_mapping_address a = fix_address(4, 0), b = fix_address(4, 1);
    uint32_t length;
    (void)state;
    open_table(8, false);
    assert_int_equal(weir_mapping_add(&map, &b, 1, &err), 0);
    length = fix_tcp(4, 0x10, 0, NULL, 0, 0);
    assert_int_equal(fix_read(2, length), WEIR_MAPPING_PACKET);
    assert_int_equal(pkt.src, 2);
    assert_int_equal(weir_mapping_host(&map, &a), UINT32_MAX);
    assert_int_equal(fix_read(1, length), WEIR_MAPPING_DROP); /* to itself */
    assert_int_equal(at.cause, WEIR_MAPPING_OWN);
}

static void a_full_table_learns_no_more_and_counts(void **state)
{
    (void)state;
    open_table(2, true);
    for (uint32_t h = 0; h < 4; h++)
        assert_int_equal(fix_read(h, arp(h)), WEIR_MAPPING_FLOOD);
    assert_int_equal(map.used, 2);
    assert_int_equal(map.counts.unlearned, 2);
}

static void causes_have_names(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIR_MAPPING_CAUSES; i++) {
        assert_non_null(weir_mapping_causes[i].name);
        assert_non_null(weir_mapping_causes[i].text);
        assert_int_equal(weir_mapping_causes[i].floods, i < WEIR_MAPPING_OFFLOAD);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(weir_mapping_causes[i].name, weir_mapping_causes[k].name);
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
        cmocka_unit_test(every_address_that_was_given_is_found_and_no_other),
        cmocka_unit_test(the_versions_do_not_mix),
        cmocka_unit_test(two_hosts_of_one_address_are_refused),
        cmocka_unit_test(an_address_of_no_single_host_is_refused),
        cmocka_unit_test(a_full_table_refuses_one_more),
        cmocka_unit_test(addresses_are_written_as_text),
        cmocka_unit_test(addresses_are_learned_by_ip_and_arp),
        cmocka_unit_test(an_arp_probe_teaches_nothing),
        cmocka_unit_test(a_host_that_moves_is_dropped_and_named),
        cmocka_unit_test(given_addresses_are_not_added_to),
        cmocka_unit_test(a_full_table_learns_no_more_and_counts),
        cmocka_unit_test(causes_have_names),
    };
    return cmocka_run_group_tests_name("mapping/table", tests, NULL, end);
}
