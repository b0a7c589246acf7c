/* test/unit/endpoint/test_trouble.c - what the network reports about datagrams, believed or not, and messages of which
 * a packet never arrives. */
#include "test/unit/endpoint/endpoint_test.h"

enum { BIG = 100000, HEADS = 28 + WEIR_WIRE_HEAD_BYTES };

static unsigned char bytes[BIG];

/* The network reports an error of a datagram from endpoint 0 to endpoint 1. token: that it quotes; 0 = none */
static void report(int error, uint32_t mtu, bool local, uint64_t token)
{
    struct weir_net_trouble *t = &shim[0].trouble;
    *t = (struct weir_net_trouble){ .to = mem_addr(2, 4000), .error = error, .mtu = mtu, .local = local };
    t->quoted_bytes = token != 0 ? 12 : 0;
    for (int i = 0; i < 8; i++)
        t->quoted[4 + i] = (unsigned char)(token >> (56 - 8 * i));
    shim[0].net.troubled = true;
}

static void a_port_that_nobody_has_ends_a_handshake_at_once(void **state)
{
    struct weir_peer *p = peer(0, 1);
    (void)state;
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    report(ECONNREFUSED, 0, false, p->own_token + 65536); /* somebody else's */
    run(1 * MS);
    report(ECONNREFUSED, 0, false, 0); /* too short to say */
    run(1 * MS);
    expect_count(0, 0);
    assert_string_equal(weir_peer_error(p), "");
    report(ECONNREFUSED, 0, false, p->own_token);
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, -ECONNREFUSED, 5);
    assert_string_equal(weir_peer_error(p),
                        "10.0.0.2:4000: nobody has this port there: no program, or one that has ended");
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 6), 0); /* tried anew */
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 6);
    assert_string_equal(weir_peer_error(p), "");
}

static void a_port_that_nobody_has_any_more_ends_a_connection(void **state)
{
    struct weir_peer *p = peer(0, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "y", 1, 6), 0);
    run(1 * MS);
    report(ECONNREFUSED, 0, false, p->own_token); /* of its handshake, long ago */
    run(1 * MS);
    expect_count(0, 1);
    report(ECONNREFUSED, 0, false, p->tx_token);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, -ECONNRESET, 6);
    assert_int_equal(stats(0).peers, 0);
}

/* Its last DONE came before the report that it is gone, and the driver gives one datagram at a time. */
static void what_came_before_a_report_counts(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(send_bytes(0, 1, "y", 1, 6 + i), 0);
    run(7 * US); /* they are there, and their DONE is on its way */
    asleep[0] = true;
    run(1 * MS);
    kill_ep(1);
    report(ECONNREFUSED, 0, false, peer(0, 1)->tx_token);
    shim[0].one_by_one = true;
    asleep[0] = false;
    run(1 * MS);
    expect_count(0, 4);
    for (int i = 0; i < 3; i++)
        expect(0, 1 + i, WEIR_EV_SENT, 0, 6 + (uint64_t)i);
    assert_int_equal(stats(0).peers, 0);
}

/* A report of EHOSTUNREACH is kept for the sentence, and the time-out decides. */
static void other_reports_end_nothing(void **state)
{
    (void)state;
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    report(EHOSTUNREACH, 0, true, 0);
    run(1 * MS);
    expect_count(0, 0);
    assert_string_equal(weir_peer_error(peer(0, 1)), "10.0.0.2:4000: there is no way to this host");
    run(1 * SECOND);
    expect(0, 0, WEIR_EV_SENT, -EHOSTUNREACH, 5);
}

/* A message of n bytes in one packet is an IP packet of n + 16 + HEADS bytes. */
static void only_what_does_not_pass_is_ended(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    shim[0].lose[WEIR_PKT_DATA] = 1000;
    assert_int_equal(send_bytes(0, 1, bytes, 1300 - HEADS - 16 + 1, 6), 0);
    assert_int_equal(send_bytes(0, 1, bytes, 1300 - HEADS - 16, 7), 0);
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 8), 0);
    run(50 * US);
    report(EMSGSIZE, 1500, true, 0); /* as much as it sends */
    run(50 * US);
    expect_count(0, 1);
    assert_string_equal(weir_peer_error(peer(0, 1)), "");
    report(EMSGSIZE, 1300, false, 77); /* anybody's */
    run(50 * US);
    expect_count(0, 1);
    report(EMSGSIZE, 1300, true, 0);
    shim[0].trouble.to.port = 0; /* the kernel does not say which */
    run(50 * US);
    expect_count(0, 3);
    expect(0, 1, WEIR_EV_SENT, -EMSGSIZE, 6);
    expect(0, 2, WEIR_EV_SENT, -EMSGSIZE, 8);
    assert_string_equal(
        weir_peer_error(peer(0, 1)),
        "the way to 10.0.0.2:4000 carries IP packets of at most 1300 bytes, and this endpoint sends 1500; "
        "set the MTU of both ends to 1300");
    shim[0].lose[WEIR_PKT_DATA] = 0;
    run(1 * SECOND);
    expect(0, 3, WEIR_EV_SENT, 0, 7);
    expect_count(1, 2);
}

/* A report without a port concerns the peers that there are: beyond them is memory that nobody has had yet. */
static void a_report_without_a_port_ends_with_the_last_peer(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 2, "x", 1, 5), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 6), 0);
    run(1 * MS);
    assert_int_equal(ep[0]->peer_count, 2);
    struct weir_peer *last = &ep[0]->peers[1], *beyond = &ep[0]->peers[2];
    assert_ptr_equal(last, peer(0, 1));
    *beyond = (struct weir_peer){ .ep = ep[0], .addr = last->addr, .state = EP_PEER_UP };
    report(EHOSTUNREACH, 0, true, 0);
    shim[0].trouble.to.port = 0;
    run(50 * US);
    assert_int_equal(ep[0]->peers[0].trouble, 0); /* at another address */
    assert_int_equal(last->trouble, EHOSTUNREACH);
    assert_int_equal(beyond->trouble, 0);
    *beyond = (struct weir_peer){ 0 };
}

/* A router may report that a packet was too large, and not what passes: all but the largest go on. */
static void an_unknown_mtu_ends_only_what_has_full_packets(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    shim[0].lose[WEIR_PKT_DATA] = 1000;
    assert_int_equal(send_bytes(0, 1, bytes, MSS - 16, 6), 0);
    assert_int_equal(send_bytes(0, 1, bytes, MSS - 17, 7), 0);
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 8), 0);
    run(50 * US);
    report(EMSGSIZE, 0, false, peer(0, 1)->tx_token);
    run(50 * US);
    expect_count(0, 3);
    expect(0, 1, WEIR_EV_SENT, -EMSGSIZE, 6);
    expect(0, 2, WEIR_EV_SENT, -EMSGSIZE, 8);
    assert_string_equal(
        weir_peer_error(peer(0, 1)),
        "the way to 10.0.0.2:4000 carries no IP packets of 1500 bytes, which this endpoint sends; set a "
        "smaller MTU at both ends");
    shim[0].lose[WEIR_PKT_DATA] = 0;
    run(1 * SECOND);
    expect(0, 3, WEIR_EV_SENT, 0, 7);
    release_all(1);
}

static void a_handshake_that_does_not_pass_ends_at_once(void **state)
{
    (void)state;
    shim[0].lose_longer = 1400 - 28;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    report(EMSGSIZE, 1400, true, 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -EMSGSIZE, 5);
}

/* Nobody reports anything: packets of more than 1000 bytes are lost, small ones pass, so both ends hear each other. */
static void a_message_whose_packets_never_arrive_ends_in_its_time(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    shim[0].lose_longer = 1000;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 6), 0);
    for (uint64_t i = 0; i < 40; i++) { /* small ones pass all the while */
        assert_int_equal(send_bytes(0, 1, "y", 1, 100 + i), 0);
        run(50 * MS);
        expect(0, (int)(1 + i), WEIR_EV_SENT, i < 40 ? 0 : -1, 100 + i);
        if (seen_count[0] > (int)(2 + i))
            break;
    }
    expect(0, seen_count[0] - 1, WEIR_EV_SENT, -ETIMEDOUT, 6);
    assert_in_range(seen_ns[0][seen_count[0] - 1], 1 * SECOND, 3 * SECOND / 2); /* peer_timeout is 1 s */
    shim[0].lose_longer = 0;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 7), 0);
    run(100 * MS);
    expect(0, seen_count[0] - 1, WEIR_EV_SENT, 0, 7);
    release_all(1);
}

/* A receiver whose memory is full is no way that carries nothing. */
static void a_receiver_without_memory_may_take_its_time(void **state)
{
    (void)state;
    begin();
    opts[1].rx_bytes = 65536;
    start_all();
    for (uint64_t i = 0; i < 5; i++)
        assert_int_equal(send_bytes(0, 1, bytes, 20000, i), 0);
    run(5 * SECOND); /* nothing is released */
    for (int i = 0; i < seen_count[0]; i++)
        assert_int_equal(seen[0][i].result, 0);
    assert_true(seen_count[0] < 5);
    for (int i = 0; i < 5; i++) {
        release_all(1);
        run(1 * SECOND);
    }
    expect_count(0, 5);
    release_all(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_port_that_nobody_has_ends_a_handshake_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_port_that_nobody_has_any_more_ends_a_connection, setup, teardown),
        cmocka_unit_test_setup_teardown(what_came_before_a_report_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(other_reports_end_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(only_what_does_not_pass_is_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(a_report_without_a_port_ends_with_the_last_peer, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unknown_mtu_ends_only_what_has_full_packets, setup, teardown),
        cmocka_unit_test_setup_teardown(a_handshake_that_does_not_pass_ends_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_whose_packets_never_arrive_ends_in_its_time, setup, teardown),
        cmocka_unit_test_setup_teardown(a_receiver_without_memory_may_take_its_time, NULL, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/trouble", tests, NULL, NULL);
}
