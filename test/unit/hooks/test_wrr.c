/* test/unit/hooks/test_wrr.c - the order of service, packet by packet: flows are letters, packets of a flow are
 * numbered. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "features/wrr/wrr.h"
#include "state/arena.h"
#include "hooks/wrr.h"
#include <string.h>

enum { PORTS = 2 };

static struct weir_arena arena;
static struct weir_wrr_model model;
static struct weir_chain chain[PORTS];
static struct weir_wrr *turns;
static uint32_t sent_count[128]; /* by letter */

static int begin(void **state)
{
    (void)state;
    const struct weir_mem mem = { .grow = weir_arena_take, .ctx = &arena };
    const struct weir_chain *const of[PORTS] = { &chain[0], &chain[1] };
    arena = (struct weir_arena){ 0 };
    model = (struct weir_wrr_model){ .kind = WEIR_QUEUE_PER_FLOW };
    for (uint32_t p = 0; p < PORTS; p++)
        chain[p].wrr =
            (struct weir_wrr_hook){ weir_wrr_feature.queue_of, weir_wrr_feature.quantum_pkts, { .model = &model } };
    turns = weir_wrr_init(&mem, of, PORTS);
    assert_non_null(turns);
    memset(sent_count, 0, sizeof(sent_count));
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_arena_free(&arena);
    return 0;
}

static void put_pkt(uint32_t port, const struct weir_pkt *pkt, uint64_t tx_ps)
{
    const struct weir_waiting w = { .pkt = *pkt, .tx_ps = tx_ps, .in_port = 3 };
    assert_true(weir_wrr_put(&turns[port], &w));
}

/* Puts `count` packets of a flow into port 0. */
static void put(char flow, uint8_t weight, uint32_t count)
{
    struct weir_pkt pkt = { .src = (uint16_t)flow, .conn = 7, .weight = weight, .kind = WEIR_PKT_DATA };
    for (uint32_t i = 0; i < count; i++)
        put_pkt(0, &pkt, 100);
}

/* Takes packets of port 0, and asserts that they are of these flows. @return true if others wait */
static bool take(const char *flows)
{
    bool more = true;
    for (const char *f = flows; *f != '\0'; f++) {
        struct weir_waiting q;
        assert_true(more);
        more = weir_wrr_take(&turns[0], &q);
        if (q.pkt.src != (uint16_t)*f)
            fail_msg("packet %td of %s is of %c", f - flows, flows, (char)q.pkt.src);
        sent_count[(uint8_t)*f]++;
    }
    return more;
}

static void flows_of_weights_1_2_3_get_one_two_and_three_sixths(void **state)
{
    (void)state;
    put('a', 1, 100);
    put('b', 2, 100);
    put('c', 3, 100);
    for (uint32_t i = 0; i < 30; i++)
        assert_true(take("abbccc"));
    assert_int_equal(sent_count['a'], 30);
    assert_int_equal(sent_count['b'], 60);
    assert_int_equal(sent_count['c'], 90);
    (void)take("abbcccabbcccabbccc"); /* c has one left */
    (void)take("abbc");
    (void)take("abbabb");
}

static void an_emptied_queue_loses_its_turn_and_returns_last(void **state)
{
    (void)state;
    put('a', 3, 1);
    put('b', 1, 3);
    assert_true(take("a"));
    put('a', 3, 4); /* two packets of its turn were left, but it had nothing to send */
    assert_true(take("baaab"));
    assert_false(take("ab"));
    put('c', 1, 1);
    assert_false(take("c"));
}

static void the_length_of_a_turn_is_the_weight_of_its_first_packet(void **state)
{
    (void)state;
    put('a', 2, 1);
    put('a', 9, 1);
    put('a', 1, 1);
    put('a', 0, 1); /* none said: one */
    put('a', 5, 1);
    put('b', 1, 9);
    assert_true(take("aababababbbbb"));
}

static void a_lone_queue_sends_in_consecutive_turns(void **state)
{
    (void)state;
    put('a', 2, 5);
    assert_true(take("aaa"));
    put('b', 1, 2); /* in the middle of a's second turn */
    assert_false(take("abab"));
}

static void connections_of_one_host_are_flows_of_their_own(void **state)
{
    struct weir_pkt pkt = { .src = 5, .weight = 1, .kind = WEIR_PKT_DATA };
    struct weir_waiting q;
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        pkt.conn = i / 2;
        pkt.seq = i;
        put_pkt(0, &pkt, 100 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(weir_wrr_take(&turns[0], &q), i < 3);
        assert_int_equal(q.pkt.seq, i % 2 * 2 + i / 2);
        assert_int_equal(q.tx_ps, 100 + q.pkt.seq);
        assert_int_equal(q.in_port, 3);
    }
}

/* Groups of 2, 7 and 5 packets: the first has weights up to 3 and none, the last 4 and 5, the second 6 (as near to 5 as
 * to 7) and more. */
static void groups_are_of_the_nearest_weight_and_have_turns_of_their_own(void **state)
{
    (void)state;
    model = (struct weir_wrr_model){ .kind = WEIR_QUEUE_GROUPS, .groups = 3, .group_weight = { 2, 7, 5 } };
    put('a', 0, 2);
    put('b', 3, 3);
    put('c', 200, 5);
    put('d', 4, 1);
    put('e', 5, 5);
    put('f', 6, 3);
    assert_true(take("aacccccffdeeeebbfe"));
    assert_false(take("b"));
}

/* Two queues of port 0 and none of port 1: each packet once, queue by queue. */
static void waiting_packets_can_be_iterated(void **state)
{
    static const uint32_t seq[] = { 0, 1, 2 };
    struct weir_pkt pkt = { .kind = WEIR_PKT_DATA };
    uint64_t cursor = 0;
    (void)state;
    assert_null(weir_wrr_next(&turns[0], &cursor));
    for (uint32_t i = 0; i < 3; i++) {
        pkt.src = (uint16_t)(i / 2);
        pkt.seq = i;
        put_pkt(0, &pkt, 100);
    }
    cursor = 0;
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weir_wrr_next(&turns[0], &cursor)->pkt.seq, seq[i]);
    assert_null(weir_wrr_next(&turns[0], &cursor));
    assert_null(weir_wrr_next(&turns[0], &cursor));
    cursor = 0;
    assert_null(weir_wrr_next(&turns[1], &cursor));
}

/* Many flows at two ports that begin and end: each flow's packets keep their order, none is lost, and no port waits
 * while it has packets. */
static void no_packet_of_transient_flows_is_lost(void **state)
{
    enum { FLOWS = 600 };
    static uint32_t put_seq[PORTS][FLOWS], take_seq[PORTS][FLOWS];
    uint64_t x = 88172645463325252u; /* fixed: a failure repeats */
    uint32_t waiting[PORTS] = { 0 };
    (void)state;
    memset(put_seq, 0, sizeof(put_seq));
    memset(take_seq, 0, sizeof(take_seq));
    for (uint32_t i = 0; i < 300000; i++) {
        struct weir_waiting q;
        uint32_t port, flow;
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        port = x % PORTS;
        flow = (uint32_t)(x >> 8) % FLOWS;
        if ((x >> 32) % 100 < (i % 20000 < 10000 ? 70 : 30)) { /* fills up, runs dry */
            struct weir_pkt pkt = { .src = (uint16_t)(flow % 7), .conn = flow, .seq = put_seq[port][flow]++ };
            pkt.weight = (uint8_t)(x >> 40);
            put_pkt(port, &pkt, 1);
            waiting[port]++;
        } else if (waiting[port] > 0) {
            assert_int_equal(weir_wrr_take(&turns[port], &q), --waiting[port] > 0);
            assert_int_equal(q.pkt.seq, take_seq[port][q.pkt.conn]++);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flows_of_weights_1_2_3_get_one_two_and_three_sixths, begin, end),
        cmocka_unit_test_setup_teardown(an_emptied_queue_loses_its_turn_and_returns_last, begin, end),
        cmocka_unit_test_setup_teardown(the_length_of_a_turn_is_the_weight_of_its_first_packet, begin, end),
        cmocka_unit_test_setup_teardown(a_lone_queue_sends_in_consecutive_turns, begin, end),
        cmocka_unit_test_setup_teardown(connections_of_one_host_are_flows_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(groups_are_of_the_nearest_weight_and_have_turns_of_their_own, begin, end),
        cmocka_unit_test_setup_teardown(waiting_packets_can_be_iterated, begin, end),
        cmocka_unit_test_setup_teardown(no_packet_of_transient_flows_is_lost, begin, end),
    };
    return cmocka_run_group_tests_name("hooks/turns", tests, NULL, NULL);
}
