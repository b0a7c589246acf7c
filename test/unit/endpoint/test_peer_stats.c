/* test/unit/endpoint/test_peer_stats.c - what is counted of each peer. */
#include "test/unit/endpoint/endpoint_test.h"

enum { BIG = 1000000 };

static unsigned char bytes[BIG];

static struct weir_peer_stats of(uint32_t i, uint32_t other)
{
    struct weir_peer_stats s = { .size = sizeof(s) };
    assert_int_equal(weir_peer_stats(ep[i], peer(i, other), &s), 0);
    return s;
}

static void each_peer_has_its_own_counters(void **state)
{
    struct weir_peer_stats one, two, sender;
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, 5000, 1), 0);
    assert_int_equal(send_bytes(0, 1, bytes, 10, 2), 0);
    assert_int_equal(call_bytes(0, 2, bytes, 7, 3, 0), 0);
    assert_int_equal(weir_recv_into(ep[0], peer(0, 2), bytes, 0, 10, 4), 0); /* an offer is no operation of it */
    assert_int_equal(of(0, 1).ops_pending, 2);
    run(1 * MS);
    one = of(0, 1);
    two = of(0, 2);
    assert_int_equal(one.messages_sent, 2);
    assert_int_equal(one.bytes_sent, 5010);
    assert_int_equal(one.ops_pending, 0);
    assert_int_equal(two.messages_sent, 1);
    assert_int_equal(two.bytes_sent, 7);
    assert_int_equal(two.ops_pending, 1); /* its reply is missing */
    assert_int_equal(one.messages_received + two.messages_received + one.retransmissions + two.retransmissions, 0);
    sender = of(1, 0);
    assert_int_equal(sender.messages_received, 2);
    assert_int_equal(sender.bytes_received, 5010);
    assert_int_equal(sender.packets_received, one.packets_sent);
    assert_int_equal(sender.packets_sent, one.packets_received);
    assert_true(one.packets_sent >= 5);                                               /* 5000 bytes are four */
    assert_int_equal(stats(0).packets_sent, one.packets_sent + two.packets_sent + 4); /* HELLO and OPEN to each */
    release_all(1);
    release_all(2);
}

static void what_arrives_is_counted_at_its_peer(void **state)
{
    struct weir_peer_stats s;
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 1), 0);
    assert_int_equal(send_bytes(2, 1, bytes, 1, 2), 0);
    run(200 * US);
    s = of(1, 0);
    assert_int_equal(s.messages_arriving, 1);
    assert_in_range(s.rx_bytes_held, BIG, BIG + BIG / 4);
    assert_int_equal(s.messages_received + s.bytes_received, 0);
    s = of(1, 2);
    assert_int_equal(s.messages_arriving + s.rx_bytes_held, 0);
    assert_int_equal(s.bytes_received, 1);
    run(10 * MS);
    s = of(1, 0);
    assert_int_equal(s.messages_arriving + s.rx_bytes_held, 0);
    assert_int_equal(s.bytes_received, BIG);
    release_all(1);
}

static void lost_and_marked_data_are_counted(void **state)
{
    struct weir_peer_stats first, second;
    (void)state;
    begin();
    mem_free(mem);
    mem = mem_new(&(struct mem_config){
        .delay_ns = 5 * US, .rate_bps = UINT64_C(10000000000), .mark_bytes = 10000, .start_ns = START_NS });
    assert_non_null(mem);
    start_all();
    for (uint32_t i = 0; i < 3; i += 2)
        assert_int_equal(send_bytes(i, 1, "x", 1, 1), 0);
    run(1 * MS);
    shim[0].lose[WEIR_PKT_DATA] = 2;
    for (uint32_t i = 0; i < 3; i += 2)
        assert_int_equal(send_bytes(i, 1, bytes, 100000, 2), 0);
    run(500 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    expect(2, 1, WEIR_EV_SENT, 0, 2);
    assert_in_range(of(0, 1).retransmissions, 2, 10);
    assert_int_equal(of(0, 1).retransmissions, stats(0).retransmissions);
    assert_int_equal(of(2, 1).retransmissions, 0);
    first = of(1, 0);
    second = of(1, 2);
    assert_true(first.marked > 0 && second.marked > 0); /* both find the queue of the other */
    assert_int_equal(first.marked + second.marked, stats(1).marked);
    release_all(1);
}

static void counters_go_on_over_connections(void **state)
{
    struct weir_peer_stats s = of(0, 1);
    (void)state;
    assert_int_equal(s.connected + s.handshakes, 0);
    assert_true(s.silent_ns == UINT64_MAX);
    assert_int_equal(send_bytes(0, 1, bytes, 100, 1), 0);
    run(1 * MS);
    release_all(1);
    s = of(0, 1);
    assert_int_equal(s.connected, 1);
    assert_int_equal(s.handshakes, 1);
    assert_int_equal(s.resets, 0);
    assert_in_range(s.silent_ns, 0, MS);
    kill_ep(1);
    run(1 * MS);
    s = of(0, 1);
    assert_int_equal(s.connected, 1); /* it said nothing */
    assert_in_range(s.silent_ns, 0, 2 * MS);
    assert_int_equal(send_bytes(0, 1, bytes, 100, 2), 0);
    run(3 * SECOND);
    expect(0, 1, WEIR_EV_SENT, -ETIMEDOUT, 2);
    s = of(0, 1);
    assert_int_equal(s.connected, 0);
    assert_int_equal(s.resets, 1);
    assert_int_equal(s.messages_sent, 1);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, bytes, 100, 3), 0);
    run(1 * MS);
    s = of(0, 1);
    assert_int_equal(s.handshakes, 2);
    assert_int_equal(s.bytes_sent, 200);
    release_all(1);
}

static void another_peer_begins_at_zero(void **state)
{
    struct weir_peer *p;
    struct weir_peer_stats s = { .size = sizeof(s) };
    (void)state;
    begin();
    opts[0].max_peers = 1;
    start_all();
    p = peer(0, 1);
    assert_int_equal(send_bytes(0, 1, bytes, 100, 1), 0);
    run(1 * MS);
    assert_int_equal(of(0, 1).bytes_sent, 100);
    assert_int_equal(weir_peer_put(ep[0], p), 0);
    s = of(0, 2);
    assert_ptr_equal(peer(0, 2), p); /* the same record */
    assert_int_equal(s.bytes_sent + s.handshakes + s.resets, 0);
    release_all(1);
}

static void a_peer_that_is_not_held_has_none(void **state)
{
    struct weir_peer_stats s = { .size = sizeof(s) };
    struct weir_peer *p = peer(0, 1);
    (void)state;
    assert_int_equal(weir_peer_stats(ep[0], NULL, &s), -EINVAL);
    assert_int_equal(weir_peer_stats(ep[1], p, &s), -EINVAL);
    s.size = 3;
    assert_int_equal(weir_peer_stats(ep[0], p, &s), -EINVAL);
    s.size = offsetof(struct weir_peer_stats, handshakes); /* an older program */
    s.handshakes = 7;
    assert_int_equal(weir_peer_stats(ep[0], p, &s), 0);
    assert_int_equal(s.handshakes, 7);
    s.size = sizeof(s);
    assert_int_equal(weir_peer_put(ep[0], p), 0);
    assert_int_equal(weir_peer_stats(ep[0], p, &s), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_peer_has_its_own_counters, setup, teardown),
        cmocka_unit_test_setup_teardown(what_arrives_is_counted_at_its_peer, setup, teardown),
        cmocka_unit_test_teardown(lost_and_marked_data_are_counted, teardown),
        cmocka_unit_test_setup_teardown(counters_go_on_over_connections, setup, teardown),
        cmocka_unit_test_teardown(another_peer_begins_at_zero, teardown),
        cmocka_unit_test_setup_teardown(a_peer_that_is_not_held_has_none, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/peer_stats", tests, NULL, NULL);
}
