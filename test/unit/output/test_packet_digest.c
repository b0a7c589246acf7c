/* test/unit/output/test_packet_digest.c - what the digest of packets covers, which events it keeps, and how packets are named. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "test/unit/topology/topology_fixture.h"
#include "output/packet_digest.h"
#include <stdlib.h>
#include <string.h>

static struct weir_topology topo; /* host 0 and 1 on switch 0: links 0 > 2, 1 > 2, 2 > 0, 2 > 1 */
static const struct weir_features features = { 0 };
static struct weir_packet_digest d;
static struct weir_err err;

static const struct weir_packet_row data = {
    .at_ps = 700,
    .link = 3,
    .event = WEIR_PACKET_SENT,
    .waited_ps = 20,
    .pkt = { .sent_ps = 600,
             .conn = 4,
             .msg = 9,
             .seq = 11,
             .ack = 10,
             .hash = 0xabc,
             .flags = WEIR_PKT_ECT,
             .src = 0,
             .kind = WEIR_PKT_DATA,
             .dst = 1,
             .wire_bytes = 1538,
             .class_id = 1,
             .payload_bytes = 1460 },
};

static int setup(void **state)
{
    (void)state;
    build_alike(&topo, WEIR_STAR, 2);
    d = (struct weir_packet_digest){ .topo = &topo, .features = &features, .until_ps = 700 };
    assert_int_equal(weir_packet_digest_init(&d, &err), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_packet_digest_free(&d);
    weir_topology_free(&topo);
    return 0;
}

static uint64_t hash_of(const struct weir_packet_row *row)
{
    d.hash = d.events = d.last_ps = d.kept_count = 0;
    assert_int_equal(weir_packet_digest_rows(&d, row, 1), 0);
    return d.hash;
}

#define CHANGED(field, value)                                                                                          \
    do {                                                                                                               \
        struct weir_packet_row row = data;                                                                             \
        row.field = (value);                                                                                           \
        assert_true(hash_of(&row) != hash_of(&data));                                                                  \
    } while (0)

static void each_field_counts(void **state)
{
    (void)state;
    CHANGED(at_ps, 699);
    CHANGED(link, 2);
    CHANGED(event, WEIR_PACKET_RECEIVED);
    CHANGED(cause, 1);
    CHANGED(waited_ps, 21);
    CHANGED(is_control, true);
    CHANGED(pkt.sent_ps, 601);
    CHANGED(pkt.conn, 5);
    CHANGED(pkt.msg, 8);
    CHANGED(pkt.seq, 12);
    CHANGED(pkt.ack, 11);
    CHANGED(pkt.hash, 0xabd);
    CHANGED(pkt.flags, WEIR_PKT_ECT | WEIR_PKT_CE);
    CHANGED(pkt.src, 1);
    CHANGED(pkt.dst, 0);
    CHANGED(pkt.kind, WEIR_PKT_ACK);
    CHANGED(pkt.hops, 1);
    CHANGED(pkt.tokens, 1);
    CHANGED(pkt.wire_bytes, 1537);
    CHANGED(pkt.class_id, 0);
    CHANGED(pkt.payload_bytes, 1459);
}

static void the_order_of_events_counts(void **state)
{
    struct weir_packet_row rows[2] = { data, data };
    uint64_t hash;
    (void)state;
    rows[1].link = 2;
    assert_int_equal(weir_packet_digest_rows(&d, rows, 2), 0);
    hash = d.hash;
    assert_int_equal(d.events, 2);
    d.hash = 0;
    assert_int_equal(weir_packet_digest_rows(&d, &rows[1], 1), 0);
    assert_int_equal(weir_packet_digest_rows(&d, rows, 1), 0);
    assert_true(d.hash != hash);
}

static void it_ends_with_the_first_event_after_its_time(void **state)
{
    struct weir_packet_row rows[4] = { data, data, data, data };
    (void)state;
    rows[0].at_ps = 699;
    rows[2].at_ps = 701;
    rows[3].at_ps = 702;
    assert_int_equal(weir_packet_digest_rows(&d, rows, 2), 0);
    assert_false(d.is_over);
    assert_int_equal(d.events, 2);
    assert_int_equal(d.last_ps, 700);
    assert_int_equal(d.kept_count, 1); /* that at 700 */
    assert_int_equal(weir_packet_digest_rows(&d, &rows[2], 2), WEIR_E_ENOUGH);
    assert_true(d.is_over);
    assert_int_equal(d.events, 2);
    assert_int_equal(d.last_ps, 700);
}

static void events_of_one_packet_are_kept_at_any_time(void **state)
{
    struct weir_packet_row rows[3] = { data, data, data };
    (void)state;
    d.packet = "data:0:1:4:11";
    rows[0].at_ps = 500;
    rows[1].pkt.seq = 12;
    assert_int_equal(weir_packet_digest_rows(&d, rows, 3), 0);
    assert_int_equal(d.events, 3);
    assert_int_equal(d.kept_count, 2);
    assert_int_equal(d.kept[0].at_ps, 500);
    assert_int_equal(d.kept[1].at_ps, 700);
}

static void events_beyond_the_most_are_counted(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIR_DIGEST_EVENTS_MAX + 2; i++)
        assert_int_equal(weir_packet_digest_rows(&d, &data, 1), 0);
    assert_int_equal(d.kept_count, WEIR_DIGEST_EVENTS_MAX);
    assert_int_equal(d.left_out, 2);
    assert_int_equal(d.events, WEIR_DIGEST_EVENTS_MAX + 2);
}

static void packets_have_names(void **state)
{
    static const char *const good[] = { "data:0:1:4:11", "syn-ack:0:0:0:4294967295", "frame:3:1:0:0",
                                        "notice:1:2:3:4" };
    static const char *const bad[] = { "",
                                       "data",
                                       "data:1:2:3",
                                       "data:1:2:3:4:5",
                                       "data:1:2:3:",
                                       "data:1:2:3:-4",
                                       "dat:1:2:3:4",
                                       "datas:1:2:3:4",
                                       "data:1:2:3:12345678901",
                                       "data:1:2:3:4 ",
                                       ":1:2:3:4" };
    struct weir_packet_row frame = { .link = 3, .is_control = true, .pkt = { .flags = 1, .class_id = 2 } };
    char id[WEIR_PACKET_ID];
    (void)state;
    weir_packet_id(&data, id);
    assert_string_equal(id, "data:0:1:4:11");
    weir_packet_id(&frame, id);
    assert_string_equal(id, "frame:3:1:2:0");
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
        assert_true(weir_packet_is_id(good[i]));
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_false(weir_packet_is_id(bad[i]));
}

static void an_event_is_a_line(void **state)
{
    struct weir_packet_row dropped = data;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    assert_non_null(out);
    dropped.event = WEIR_PACKET_DROPPED;
    dropped.cause = WEIR_CAUSE_MEMORY;
    dropped.pkt.flags = 0;
    assert_int_equal(weir_packet_digest_rows(&d, &data, 1), 0);
    assert_int_equal(weir_packet_digest_rows(&d, &dropped, 1), 0);
    weir_packet_digest_print(out, &d);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "events         2\nlast event     700 ps\n"));
    assert_non_null(strstr(text, "\ndata:0:1:4:11  700 ps  sent on switch 0 > host 1  msg 9 ack 10 hash 00000abc value "
                                 "600 class 1 hops 0 tokens 0 "
                                 "wire 1538 B payload 1460 B waited 20 ps flags ECT\n"));
    assert_non_null(strstr(text, "dropped on switch 0 > host 1"));
    assert_non_null(strstr(text, "flags none cause switch.memory\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_field_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(the_order_of_events_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(it_ends_with_the_first_event_after_its_time, setup, teardown),
        cmocka_unit_test_setup_teardown(events_of_one_packet_are_kept_at_any_time, setup, teardown),
        cmocka_unit_test_setup_teardown(events_beyond_the_most_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(packets_have_names, setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_is_a_line, setup, teardown),
    };
    return cmocka_run_group_tests_name("output/packet_digest", tests, NULL, NULL);
}
