/* test/unit/output/test_pcapng.c - capture files, read back block by block. */
#include "core/feature.h"
#include "test/unit/refusal.h"
#include "test/unit/topology/topology_fixture.h"
#include "output/pcapng.h"
#include "text/version.h"
#include <stdlib.h>
#include <string.h>

static struct weir_topology topo; /* host 0 and 1 on switch 0, node 2: links 0 > 2, 1 > 2, 2 > 0, 2 > 1 */
static uint8_t tap[4];
static struct weir_pcapng pcap;
static struct weir_err err;
static char *text;
static size_t text_size;

static int setup(void **state)
{
    (void)state;
    build_alike(&topo, WEIR_STAR, 2);
    assert_int_equal(topo.link_count, 4);
    memset(tap, 0, sizeof(tap));
    tap[0] = WEIR_TAP_SENT | WEIR_TAP_ARRIVED;
    tap[3] = WEIR_TAP_SENT;
    text = NULL;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    weir_topology_free(&topo);
    return 0;
}

static const struct weir_rule rules[] = { { "random", "loss", WEIR_FATE_LOST, "why" }, { 0 } };
static const struct weir_feature lossy = { .name = "loss", .rules = rules };
static struct weir_feature_on on[] = { { .row = &lossy } };
static const struct weir_features features = { .on = on, .count = 1, .room = 1 };

static const struct weir_packet_row rows[] = {
    { .at_ps = 5, .link = 0, .event = WEIR_PACKET_SENT, .pkt = { .kind = WEIR_PKT_ACK, .dst = 1, .wire_bytes = 84 } },
    { .at_ps = UINT64_C(0x100000007),
      .link = 0,
      .event = WEIR_PACKET_RECEIVED,
      .pkt = { .kind = WEIR_PKT_ACK, .dst = 1, .wire_bytes = 84 } },
    { .at_ps = UINT64_C(0x100000008),
      .link = 3,
      .event = WEIR_PACKET_LOST,
      .cause = WEIR_CAUSES_OF_WORLD,
      .waited_ps = 1234000,
      .pkt = { .kind = WEIR_PKT_DATA, .dst = 1, .wire_bytes = 1538, .payload_bytes = 1460 } },
    { .at_ps = UINT64_C(0x100000009),
      .link = 3,
      .event = WEIR_PACKET_DROPPED,
      .cause = WEIR_CAUSE_MEMORY,
      .pkt = { .kind = WEIR_PKT_SYN, .dst = 1, .wire_bytes = 84 } },
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* Writes a whole file of all rows, so many times; and so many at a time. */
static void write_all(uint64_t cap_bytes, size_t times, size_t step)
{
    FILE *file = open_memstream(&text, &text_size);
    assert_non_null(file);
    assert_int_equal(weir_pcapng_init(&pcap, &topo, &features, tap, cap_bytes, &err), 0);
    pcap.file = file;
    assert_int_equal(weir_pcapng_begin(&pcap), 0);
    for (size_t n = 0; n < times; n++)
        for (size_t i = 0; i < ROWS; i += step)
            assert_int_equal(weir_pcapng_rows(&pcap, rows + i, i + step <= ROWS ? step : ROWS - i), 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(text_size, pcap.bytes);
    weir_pcapng_free(&pcap);
}

static uint32_t get32(size_t at)
{
    uint32_t value;
    assert_in_range(at + 4, 4, text_size);
    memcpy(&value, text + at, 4);
    return value;
}

/* The next block of a type from *at on, which then is behind it. @return where its body is; 0 = there is none */
static size_t next_block(uint32_t type, size_t *at)
{
    while (*at < text_size) {
        size_t block = *at;
        uint32_t length = get32(block + 4);
        assert_int_equal(length % 4, 0);
        assert_in_range(length, 12, text_size - block);
        assert_int_equal(get32(block + length - 4), length);
        *at += length;
        if (get32(block) == type)
            return block + 8;
    }
    return 0;
}

/* The value of an option, from where options begin. */
static const char *option(size_t at, uint32_t code, uint32_t *length)
{
    for (;;) {
        uint32_t head = get32(at);
        *length = head >> 16;
        if ((head & 0xffff) == code)
            return text + at + 4;
        assert_int_not_equal(head & 0xffff, 0); /* the last */
        at += 4 + ((*length + 3) & ~3u);
    }
}

static void assert_text(size_t at, uint32_t code, const char *must)
{
    uint32_t length;
    const char *is = option(at, code, &length);
    assert_int_equal(length, strlen(must));
    assert_memory_equal(is, must, length);
}

static void interfaces_are_ends_of_links_with_names_in_picoseconds(void **state)
{
    static const char *const name[] = { "host 0 > switch 0", "host 0 > switch 0, received", "switch 0 > host 1" };
    size_t at = 0, body;
    uint32_t length;
    (void)state;
    write_all(1000000, 1, 1);
    body = next_block(0x0a0d0d0a, &at);
    assert_int_equal(body, 8);
    assert_int_equal(get32(body), 0x1a2b3c4d);
    assert_text(body + 16, 4, "weir " WEIR_VERSION); /* the letters alone: no zero behind them */
    for (uint32_t i = 0; i < 3; i++) {
        body = next_block(1, &at);
        assert_int_not_equal(body, 0);
        assert_int_equal(get32(body), 1); /* Ethernet */
        assert_text(body + 8, 2, name[i]);
        assert_int_equal(*option(body + 8, 9, &length), 12);
    }
    assert_int_equal(next_block(1, &at), 0);
}

static void packets_have_their_interface_exact_time_and_comment(void **state)
{
    static const struct {
        uint32_t interface, high, low, stored, length;
        const char *comment;
    } must[] = { { 0, 0, 5, 106, 106, "84 B on the wire" },
                 { 1, 1, 7, 106, 106, "84 B on the wire" },
                 { 2, 1, 8, 91, 1551, "1538 B on the wire, queued 1.234 us, lost on the wire: loss.random" },
                 { 2, 1, 9, 91, 91, "84 B on the wire, dropped: switch.memory" } };
    size_t at = 0;
    (void)state;
    write_all(1000000, 1, 3);
    for (uint32_t i = 0; i < ROWS; i++) {
        size_t body = next_block(6, &at);
        uint32_t length;
        assert_int_not_equal(body, 0);
        assert_int_equal(get32(body), must[i].interface);
        assert_int_equal(get32(body + 4), must[i].high);
        assert_int_equal(get32(body + 8), must[i].low);
        assert_int_equal(get32(body + 12), must[i].stored);
        assert_int_equal(get32(body + 16), must[i].length);
        assert_text(body + 20 + ((must[i].stored + 3) & ~3u), 1, must[i].comment);
        assert_int_equal(*option(body + 20 + ((must[i].stored + 3) & ~3u), 2, &length), i == 1 ? 1 : 2); /* in, out */
    }
    assert_int_equal(next_block(6, &at), 0);
}

/* It has two rows: it arrives, and no way leads on. */
static void a_packet_without_a_route_is_in_the_file_once(void **state)
{
    struct weir_packet_row both[2] = { rows[1], rows[1] };
    size_t at = 0, body;
    FILE *file = open_memstream(&text, &text_size);
    (void)state;
    both[1].event = WEIR_PACKET_REFUSED;
    both[1].cause = WEIR_CAUSE_NO_ROUTE;
    assert_int_equal(weir_pcapng_init(&pcap, &topo, &features, tap, 1000000, &err), 0);
    pcap.file = file;
    assert_int_equal(weir_pcapng_begin(&pcap), 0);
    assert_int_equal(weir_pcapng_rows(&pcap, both, 2), 0);
    assert_int_equal(fclose(file), 0);
    weir_pcapng_free(&pcap);
    body = next_block(6, &at);
    assert_int_not_equal(body, 0);
    assert_int_equal(get32(body), 1); /* where it arrived */
    assert_text(body + 20 + 108, 1, "84 B on the wire, dropped: switch.no-route");
    assert_int_equal(next_block(6, &at), 0);
}

/* However the rows come; the file ends whole, and says what is not in it. */
static void a_file_ends_before_its_cap(void **state)
{
    enum { TIMES = 3 };
    size_t whole;
    (void)state;
    write_all(1000000, TIMES, 1);
    assert_int_equal(pcap.left_out, 0);
    whole = text_size;
    for (size_t step = 1; step <= ROWS; step++) {
        size_t at = 0, packets = 0;
        free(text);
        write_all(1200, TIMES, step);
        assert_in_range(text_size, 1, 1200);
        while (next_block(6, &at) != 0)
            packets++;
        assert_in_range(packets, 1, TIMES * ROWS - 1);
        assert_int_equal(packets + pcap.left_out, TIMES * ROWS);
        assert_int_equal(pcap.ended_ps, rows[packets % ROWS].at_ps);
    }
    free(text);
    write_all(whole, TIMES, 2); /* what fits is not too much */
    assert_int_equal(pcap.left_out, 0);
}

static void a_cap_without_room_for_one_packet_is_refused(void **state)
{
    (void)state;
    assert_int_equal(weir_pcapng_init(&pcap, &topo, &features, tap, 700, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "--cap");
}

static void an_unwritable_file_is_an_error(void **state)
{
    (void)state;
    assert_int_equal(weir_pcapng_init(&pcap, &topo, &features, tap, 1000000, &err), 0);
    pcap.file = fopen("/dev/full", "w");
    if (pcap.file == NULL)
        skip();
    (void)setvbuf(pcap.file, NULL, _IONBF, 0);
    assert_int_equal(weir_pcapng_begin(&pcap), WEIR_E_FILE);
    assert_int_equal(weir_pcapng_rows(&pcap, rows, ROWS), WEIR_E_FILE);
    (void)fclose(pcap.file);
    weir_pcapng_free(&pcap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(interfaces_are_ends_of_links_with_names_in_picoseconds, setup, teardown),
        cmocka_unit_test_setup_teardown(packets_have_their_interface_exact_time_and_comment, setup, teardown),
        cmocka_unit_test_setup_teardown(a_packet_without_a_route_is_in_the_file_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_ends_before_its_cap, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cap_without_room_for_one_packet_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unwritable_file_is_an_error, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/pcapng", tests, NULL, NULL);
}
