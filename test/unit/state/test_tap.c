/* test/unit/state/test_tap.c - the rows of taps, packet by packet; test/oracle compares them with those of an independent
 * simulator. */
#include "carrier/processes.h"
#include "test/unit/sim_fixture.h"
#include <unistd.h>

enum { ROWS_MAX = 64 };
static struct weir_packet_row seen[ROWS_MAX];
static size_t seen_count;
static uint8_t tap[64];

static int keep(void *ctx, const struct weir_packet_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(seen_count, 0, ROWS_MAX - 1);
        seen[seen_count++] = row[i];
    }
    return 0;
}

static int begin(void **state)
{
    seen_count = 0;
    memset(tap, 0, sizeof(tap));
    (void)fix_begin(state);
    fix_options.packets = keep;
    fix_options.tap = tap;
    return 0;
}

static uint32_t link_of(uint32_t src, uint32_t dst)
{
    const struct weir_topology *topo = &fix_setup.topo;
    for (uint32_t i = 0; i < topo->link_count; i++)
        if (topo->link[i].src == src && topo->link[i].dst == dst)
            return i;
    fail_msg("no such link");
    return 0;
}

static void assert_row(size_t i, uint64_t at_ps, enum weir_tap_event event, enum weir_pkt_kind kind, uint64_t waited_ps)
{
    assert_in_range(i, 0, seen_count - 1);
    assert_int_equal(seen[i].at_ps, at_ps);
    assert_int_equal(seen[i].event, event);
    assert_int_equal(seen[i].pkt.kind, kind);
    assert_int_equal(seen[i].waited_ps, waited_ps);
    assert_int_equal(seen[i].pkt.arrival_ps, 0);
    assert_false(seen[i].is_control);
}

static const char one_message[] = STAR("2") "protocol: dctcp\n"
                                            "traffic: [{kind: pairs, count: 1, size: 1460 B}]\n" RUN_ALL;

/* 0: the first bit leaves; a frame and a cable later it is at the switch, and once more at the other host. */
static void a_packet_is_seen_when_its_first_bit_leaves_and_its_last_arrives(void **state)
{
    uint32_t src, dst, hub = 2;
    uint64_t at_switch = FULL_PS + DELAY_PS, at_host = 2 * at_switch;
    (void)state;
    (void)fix_model(one_message);
    memset(tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, sizeof(tap));
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(seen_count, 8); /* one DATA and one ACK, each over two links, seen at both ends */
    src = seen[0].pkt.src;
    dst = seen[0].pkt.dst;
    assert_row(0, 0, WEIR_PACKET_SENT, WEIR_PKT_DATA, 0);
    assert_int_equal(seen[0].link, link_of(src, hub));
    assert_row(1, at_switch, WEIR_PACKET_RECEIVED, WEIR_PKT_DATA, 0);
    assert_row(2, at_switch, WEIR_PACKET_SENT, WEIR_PKT_DATA, 0);
    assert_int_equal(seen[1].link + seen[2].link, link_of(src, hub) + link_of(hub, dst));
    assert_row(3, at_host, WEIR_PACKET_SENT, WEIR_PKT_ACK, 0); /* the host's link has the lower number */
    assert_row(4, at_host, WEIR_PACKET_RECEIVED, WEIR_PKT_DATA, 0);
    assert_row(7, at_host + 2 * (ACK_PS + DELAY_PS), WEIR_PACKET_RECEIVED, WEIR_PKT_ACK, 0);
}

static void only_the_end_that_was_asked_for_is_seen(void **state)
{
    (void)state;
    (void)fix_model(one_message);
    tap[link_of(0, 2)] = WEIR_TAP_ARRIVED;
    tap[link_of(2, 0)] = WEIR_TAP_SENT;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(seen_count, 2);
    assert_int_equal(seen[0].event + seen[1].event, WEIR_PACKET_RECEIVED + WEIR_PACKET_SENT);
}

/* Two hosts send to one at the same instant: the second packet waits for the first. */
static const char collision[] =
    STAR("3") "protocol: dctcp\n"
              "traffic: [{kind: incast, fan_in: 2, size: 1460 B, period: 1 ms, stop: 1.5 ms}]\n"
              "run: {warmup: 0 us, measure: 2 ms}\n";

static void time_in_the_queue_is_exact(void **state)
{
    uint32_t hot = 0;
    (void)state;
    (void)fix_model(collision);
    for (uint32_t h = 0; h < 3; h++)
        tap[link_of(3, h)] = WEIR_TAP_SENT;
    assert_int_equal(fix_run_model(), 0);
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].pkt.kind != WEIR_PKT_DATA)
            continue;
        assert_int_equal(seen[i].waited_ps, hot * FULL_PS);
        hot++;
    }
    assert_int_equal(hot, 2);
}

/* Memory for one packet: of the two the second is dropped, and sent again. */
static void a_drop_is_seen_where_and_when_it_happens(void **state)
{
    size_t drops = 0;
    (void)state;
    struct weir_model *model = fix_model(collision);
    model->memory_bytes = 1538;
    for (uint32_t h = 0; h < 3; h++)
        tap[link_of(3, h)] = WEIR_TAP_SENT;
    assert_int_equal(fix_run_model(), 0);
    for (size_t i = 0; i < seen_count; i++) {
        if (seen[i].event != WEIR_PACKET_DROPPED)
            continue;
        drops++;
        assert_int_equal(seen[i].at_ps % WEIR_PS_PER_MS, FULL_PS + DELAY_PS); /* an event is at 1 ms */
        assert_int_equal(seen[i].pkt.kind, WEIR_PKT_DATA);
        assert_int_equal(seen[i].waited_ps, 0);
    }
    assert_int_equal(drops, 1);
    assert_int_equal(fix_result.drops, 1);
}

/* What would start or arrive after the end is not seen. */
static void nothing_is_seen_beyond_the_end_of_the_run(void **state)
{
    (void)state;
    struct weir_model *model = fix_model(STAR("2") "protocol: dctcp\n"
                                                   "traffic: [{kind: pairs, count: 1, size: 1460 B}]\n"
                                                   "run: {warmup: 0 us, measure: 1 ms}\n");
    memset(tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, sizeof(tap));
    model->measure_ps = FULL_PS + DELAY_PS; /* the instant of the first arrival is no part of it */
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(seen_count, 1);
    assert_row(0, 0, WEIR_PACKET_SENT, WEIR_PKT_DATA, 0);
}

static int refuse(void *ctx, const struct weir_packet_row *row, size_t count)
{
    (void)ctx, (void)row, (void)count;
    return WEIR_E_FILE;
}

static void a_taker_that_fails_ends_the_run(void **state)
{
    (void)state;
    (void)fix_model(one_message);
    memset(tap, WEIR_TAP_SENT, sizeof(tap));
    fix_options.packets = refuse;
    assert_int_equal(fix_run_model(), WEIR_E_FILE);
}

/* Runs the model on two processes. Only rank 0 says what is tapped, and sees it. @return the code of rank 0 */
static int run_on_two_processes(void)
{
    struct weir_carrier *carrier = NULL;
    int code;
    assert_int_equal(weir_processes_start(&carrier, 2, &fix_err), 0);
    bool first = carrier->rank == 0;
    if (!first)
        fix_options = (struct weir_sim_options){ .threads = 1 };
    fix_options.carrier = carrier;
    code = fix_run_model();
    fix_options.carrier = NULL;
    carrier->close(carrier, code == 0);
    if (!first)
        _exit(code == 0 ? 0 : 1);
    return code;
}

static void two_processes_see_what_one_sees(void **state)
{
    struct weir_packet_row alone[ROWS_MAX];
    size_t count;
    (void)state;
    (void)fix_model(collision);
    memset(tap, WEIR_TAP_SENT | WEIR_TAP_ARRIVED, sizeof(tap));
    assert_int_equal(fix_run_model(), 0);
    count = seen_count;
    assert_true(count >= 16); /* two DATA and two ACK, each over two links, seen at both ends */
    memcpy(alone, seen, sizeof(alone));
    seen_count = 0;
    assert_int_equal(run_on_two_processes(), 0);
    assert_int_equal(fix_result.ranks, 2);
    assert_int_equal(seen_count, count);
    for (size_t i = 0; i < count; i++) {
        assert_row(i, alone[i].at_ps, (enum weir_tap_event)alone[i].event, (enum weir_pkt_kind)alone[i].pkt.kind,
                   alone[i].waited_ps);
        assert_int_equal(seen[i].link, alone[i].link);
        assert_memory_equal(&seen[i].pkt, &alone[i].pkt, sizeof(seen[i].pkt));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_packet_is_seen_when_its_first_bit_leaves_and_its_last_arrives, begin,
                                        fix_end),
        cmocka_unit_test_setup_teardown(only_the_end_that_was_asked_for_is_seen, begin, fix_end),
        cmocka_unit_test_setup_teardown(time_in_the_queue_is_exact, begin, fix_end),
        cmocka_unit_test_setup_teardown(a_drop_is_seen_where_and_when_it_happens, begin, fix_end),
        cmocka_unit_test_setup_teardown(nothing_is_seen_beyond_the_end_of_the_run, begin, fix_end),
        cmocka_unit_test_setup_teardown(a_taker_that_fails_ends_the_run, begin, fix_end),
        cmocka_unit_test_setup_teardown(two_processes_see_what_one_sees, begin, fix_end),
    };
    return cmocka_run_group_tests_name("sim/tap", tests, NULL, NULL);
}
