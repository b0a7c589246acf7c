/* test/unit/endpoint/test_peer_events.c - WEIR_EV_PEER_UP and WEIR_EV_PEER_DOWN. */
#include "test/unit/endpoint/endpoint_test.h"

/* Endpoint 1 wants such events, the others do not. */
static int setup_events(void **state)
{
    (void)state;
    begin();
    opts[1].flags = WEIR_OPEN_PEER_EVENTS;
    start_all();
    return 0;
}

/* Endpoint 1 makes progress for so long, and takes no event. */
static void run_without_taking(uint64_t for_ns)
{
    asleep[1] = true;
    for (uint64_t at = 0; at < for_ns; at += 5 * US) {
        run(5 * US);
        assert_int_equal(weir_poll(ep[1], NULL, 0, 0), 0);
    }
    asleep[1] = false;
}

static void up_comes_before_what_the_connection_brings(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 7), 0);
    run(1 * MS);
    expect_count(1, 2);
    expect(1, 0, WEIR_EV_PEER_UP, 0, 0);
    expect(1, 1, WEIR_EV_MESSAGE, 0, 0);
    assert_ptr_equal(seen[1][0].peer, peer(1, 0));
    assert_null(seen[1][0].lease);
    assert_int_equal(send_bytes(1, 2, "x", 1, 8), 0); /* we connect */
    run(1 * MS);
    expect(1, 2, WEIR_EV_PEER_UP, 0, 0);
    expect(1, 3, WEIR_EV_SENT, 0, 8);
    assert_ptr_equal(seen[1][2].peer, peer(1, 2));
    expect_count(0, 1); /* without the flag there are none */
    expect_count(2, 1);
    release_all(1);
    release_all(2);
}

static void down_has_the_reason_and_comes_behind_the_operations(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(1, 0, "x", 1, 1, 0), 0);
    run(1 * MS);
    release_all(0);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    run(1 * MS);
    expect_count(1, 3);
    expect(1, 1, WEIR_EV_REPLY, -ECONNRESET, 1);
    expect(1, 2, WEIR_EV_PEER_DOWN, -ECONNRESET, 0);
    assert_ptr_equal(seen[1][2].peer, peer(1, 0));
    assert_int_equal(send_bytes(1, 2, "x", 1, 2), 0);
    run(1 * MS);
    kill_ep(2);
    assert_int_equal(send_bytes(1, 2, "x", 1, 3), 0);
    run(3 * SECOND);
    expect_count(1, 7);
    expect(1, 5, WEIR_EV_SENT, -ETIMEDOUT, 3);
    expect(1, 6, WEIR_EV_PEER_DOWN, -ETIMEDOUT, 0);
    assert_ptr_equal(seen[1][6].peer, peer(1, 2));
}

static void who_was_never_up_is_not_down(void **state)
{
    struct weir_peer *nobody;
    (void)state;
    assert_int_equal(peer_at(1, 9, &nobody), 0);
    assert_int_equal(weir_send(ep[1], nobody, NULL, 0, 1, NULL), 0);
    run(3 * SECOND);
    expect_count(1, 1);
    expect(1, 0, WEIR_EV_SENT, -EHOSTUNREACH, 1);
}

static void a_restart_is_down_and_up(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 2; i++) {
        assert_int_equal(send_bytes(0, 1, "x", 1, i), 0);
        run(1 * MS);
        release_all(1);
        if (i == 0) {
            kill_ep(0);
            assert_int_equal(start(0), 0);
        }
    }
    expect_count(1, 5);
    expect(1, 2, WEIR_EV_PEER_DOWN, -ECONNRESET, 0);
    expect(1, 3, WEIR_EV_PEER_UP, 0, 0);
    expect(1, 4, WEIR_EV_MESSAGE, 0, 0);
}

/* Three connections between two polls: UP, DOWN and UP are what is to be known. */
static void up_and_down_take_turns(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
        assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 0, i, &copy), 0);
        run_without_taking(100 * US);
        kill_ep(0);
        assert_int_equal(start(0), 0);
    }
    assert_int_equal(stats(1).handshakes, 3);
    assert_int_equal(ep[1]->events_pending, 5); /* and three messages */
    run(0);
    expect_count(1, 6);
    assert_int_equal(seen[1][0].type, WEIR_EV_PEER_UP);
    for (int k = 0, turn = WEIR_EV_PEER_UP; k < 6; k++) {
        if (seen[1][k].type == WEIR_EV_MESSAGE)
            continue;
        assert_int_equal(seen[1][k].type, turn);
        turn = turn == WEIR_EV_PEER_UP ? WEIR_EV_PEER_DOWN : WEIR_EV_PEER_UP;
    }
    assert_int_equal(seen[1][5].type, WEIR_EV_PEER_UP); /* as it is now */
    assert_int_equal(ep[1]->events_pending, 0);
    assert_int_equal(ep[1]->peers[0].named, 0);
}

/* Up and down before anybody asked. */
static void a_short_connection_has_both(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "", 0, 1), 0);
    run_without_taking(100 * US);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    run_without_taking(100 * US);
    run(0);
    expect_count(1, 3);
    expect(1, 0, WEIR_EV_PEER_UP, 0, 0);
    expect(1, 1, WEIR_EV_MESSAGE, 0, 0);
    expect(1, 2, WEIR_EV_PEER_DOWN, -ECONNRESET, 0);
}

/* Down, up and down: the last reason is reported, and the state is the present one. */
static void the_last_reason_counts(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "", 0, 1), 0);
    run(1 * MS);
    kill_ep(0);
    assert_int_equal(start(0), 0);
    assert_int_equal(send_bytes(0, 1, "", 0, 2), 0); /* a restart */
    run_without_taking(100 * US);
    kill_ep(0);
    assert_int_equal(send_bytes(1, 0, "", 0, 3), 0);
    run_without_taking(2 * MS);
    ep_peer_end(ep[1], peer(1, 0), -ETIMEDOUT);
    run(0);
    expect(1, 2, WEIR_EV_PEER_DOWN, -ETIMEDOUT, 0);
    expect(1, 3, WEIR_EV_PEER_UP, 0, 0);
    expect(1, seen_count[1] - 1, WEIR_EV_PEER_DOWN, -ETIMEDOUT, 0);
    assert_int_equal(ep[1]->peers[0].named, 0);
}

static void a_record_that_is_taken_for_another_has_no_down(void **state)
{
    (void)state;
    begin();
    opts[1].flags = WEIR_OPEN_PEER_EVENTS;
    opts[1].max_peers = 1;
    start_all();
    assert_int_equal(send_bytes(0, 1, "", 0, 1), 0);
    run(1 * MS);
    assert_int_equal(weir_peer_put(ep[1], seen[1][0].peer), 0);
    assert_int_equal(send_bytes(2, 1, "", 0, 1), 0);
    run(1 * MS);
    expect_count(1, 4);
    expect(1, 2, WEIR_EV_PEER_UP, 0, 0);
    expect(1, 3, WEIR_EV_MESSAGE, 0, 0);
    assert_ptr_equal(seen[1][2].peer, seen[1][0].peer); /* the same record */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(up_comes_before_what_the_connection_brings, setup_events, teardown),
        cmocka_unit_test_setup_teardown(down_has_the_reason_and_comes_behind_the_operations, setup_events, teardown),
        cmocka_unit_test_setup_teardown(who_was_never_up_is_not_down, setup_events, teardown),
        cmocka_unit_test_setup_teardown(a_restart_is_down_and_up, setup_events, teardown),
        cmocka_unit_test_setup_teardown(up_and_down_take_turns, setup_events, teardown),
        cmocka_unit_test_setup_teardown(a_short_connection_has_both, setup_events, teardown),
        cmocka_unit_test_setup_teardown(the_last_reason_counts, setup_events, teardown),
        cmocka_unit_test_teardown(a_record_that_is_taken_for_another_has_no_down, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/peer_events", tests, NULL, NULL);
}
