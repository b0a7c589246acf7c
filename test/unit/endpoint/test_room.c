/* test/unit/endpoint/test_room.c - a receiver without memory: who waits for it, what that costs, and that nothing waits for
 * ever. */
#include "test/unit/endpoint/endpoint_test.h"

enum { RX = 65536, SMALL = 1000, COUNT = 400 };

/* Host 0 sends `count` messages of `len` bytes to host 1, which has memory for RX bytes of them, and whose application
 * gives one back each `every_ns`. @return packets that host 0 sent */
static uint64_t slow_reader(const char *cc, int count, size_t len, uint64_t every_ns)
{
    unsigned char *data = noise(len, 1);
    int released = 0;
    begin();
    opts[1].rx_bytes = RX;
    opts[0].cc = opts[1].cc = cc;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 0), 0);
    run(1 * MS);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    uint64_t before = stats(0).packets_sent;
    for (int i = 0; i < count; i++)
        assert_int_equal(send_bytes(0, 1, data, len, (uint64_t)i), 0);
    for (int rounds = 0; rounds < 4 * count && released < count; rounds++) {
        run(every_ns);
        if (released == seen_count[1])
            continue;
        assert_memory_equal(seen[1][released].data, data, len);
        weir_release(ep[1], seen[1][released++].lease);
    }
    run(every_ns);
    expect_count(0, count);
    for (int k = 0; k < count; k++)
        assert_int_equal(seen[0][k].result, 0);
    assert_int_equal(released, count);
    assert_int_equal(ep[1]->wait_count, 0);
    assert_int_equal(ep[1]->promised_bytes, 0);
    assert_int_equal(peer(0, 1)->held, 0);
    free(data);
    return stats(0).packets_sent - before;
}

/* Seconds without memory: 8 s for small messages, 4 s for larger ones of 15 packets, 1 s with a REQUEST at first. */
static void a_slow_reader_draws_two_packets_per_message(void **state)
{
    uint64_t packets;
    (void)state;
    packets = slow_reader(NULL, COUNT, SMALL, 20 * MS);
    print_message("%d messages of one packet: %d packets\n", (int)COUNT, (int)packets);
    assert_in_range(packets, COUNT, 2 * COUNT);
    assert_true(stats(1).no_memory > COUNT / 2);
    teardown(state);
    packets = slow_reader(NULL, 100, 20000, 40 * MS);
    print_message("100 messages of 15 packets: %d packets\n", (int)packets);
    assert_in_range(packets, 1500, 2 * 1500);
    assert_true(stats(1).no_memory > 50);
}

/* The same of sender-driven laws. Of a longer message one packet asks for memory: the receiver's ACKs report how much it
 * has. */
static void a_slow_reader_of_any_law_draws_two_packets_per_message(void **state)
{
    static const char *const laws[] = {
        "aimd", "cubic", "dart", "dcqcn", "dctcp", "newreno", "soze", "swift", "timely"
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++) {
        uint64_t packets = slow_reader(laws[i], COUNT, SMALL, 20 * MS);
        print_message("%s: %d messages of one packet: %d packets\n", laws[i], (int)COUNT, (int)packets);
        assert_in_range(packets, COUNT, 2 * COUNT);
        assert_true(stats(1).no_memory > COUNT / 2);
        teardown(state);
        packets = slow_reader(laws[i], 100, 20000, 40 * MS);
        print_message("%s: 100 messages of 15 packets: %d packets\n", laws[i], (int)packets);
        assert_in_range(packets, 1500, 1500 + 2 * 100);
        assert_int_equal(stats(0).timeouts, 0); /* no law took it for congestion */
        if (i + 1 < sizeof(laws) / sizeof(laws[0]))
            teardown(state);
    }
}

/* 1,500 messages wait, and the list has room for 1,024: the others ask by themselves. */
static void more_than_the_list_holds(void **state)
{
    enum { MANY = 1500 };
    unsigned char *data = noise(SMALL, 1);
    int sent = 0, came = 0;
    (void)state;
    begin();
    opts[1].rx_bytes = RX;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    for (int i = 0; i < MANY; i++)
        assert_int_equal(send_bytes(0, 1, data, SMALL, (uint64_t)i), 0);
    run(2 * SECOND);
    assert_int_equal(ep[1]->wait_count, EP_WAITS);
    for (int rounds = 0; rounds < 300 && (sent < MANY || came < MANY); rounds++) {
        release_all(1);
        sent += seen_count[0];
        came += seen_count[1];
        seen_count[0] = seen_count[1] = 0;
        run(50 * MS);
    }
    assert_int_equal(sent, MANY);
    assert_int_equal(came, MANY);
    assert_int_equal(stats(0).ops_pending, 0);
    assert_int_equal(ep[1]->wait_count, 0);
    free(data);
}

static void fill(unsigned char *data, int count)
{
    begin();
    opts[1].rx_bytes = RX;
    opts[0].peer_timeout_ns = opts[1].peer_timeout_ns = 20 * SECOND;
    for (uint32_t i = 0; i < EPS; i++)
        assert_int_equal(start(i), 0);
    for (int i = 0; i < count; i++)
        assert_int_equal(send_bytes(0, 1, data, SMALL, (uint64_t)i), 0);
    run(100 * MS);
    assert_true(seen_count[1] < count);
}

/* All that host 1 says of memory is lost from now on, for longer than it repeats ROOM: host 0 asks. */
static void a_lost_room_hangs_nothing(void **state)
{
    unsigned char *data = noise(SMALL, 1);
    (void)state;
    fill(data, 60);
    assert_int_equal(peer(0, 1)->held, 60 - seen_count[1]);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000000;
    release_all(1);
    run(3 * SECOND);
    shim[1].lose[WEIR_PKT_NOTICE] = 0;
    run(20 * SECOND);
    expect_count(0, 60);
    expect_count(1, 60);
    assert_int_equal(peer(0, 1)->held, 0);
    release_all(1);
    free(data);
}

/* Nor does a lost NO_ROOM: then messages are asked for, as if nothing had been said. */
static void a_lost_no_room_hangs_nothing(void **state)
{
    unsigned char *data = noise(SMALL, 1);
    (void)state;
    begin();
    opts[1].rx_bytes = RX;
    for (uint32_t i = 0; i < EPS; i++)
        assert_int_equal(start(i), 0);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000000;
    for (int i = 0; i < 60; i++)
        assert_int_equal(send_bytes(0, 1, data, SMALL, (uint64_t)i), 0);
    run(500 * MS);
    assert_int_equal(peer(0, 1)->held, 0);
    release_all(1);
    run(5 * SECOND);
    expect_count(0, 60);
    release_all(1);
    free(data);
}

/* Memory that was promised to a sender that is gone goes to the next. */
static void a_promise_to_the_dead_is_taken_back(void **state)
{
    unsigned char *data = noise(SMALL, 1);
    (void)state;
    fill(data, 80);
    uint32_t waiting = ep[1]->wait_count;
    assert_true(waiting > 5);
    kill_ep(0);
    assert_int_equal(send_bytes(2, 1, data, SMALL, 99), 0);
    run(100 * MS);
    expect_count(2, 0);
    for (int k = 0; k < 3; k++) { /* room for three, of more that wait for it */
        weir_release(ep[1], seen[1][k].lease);
        seen[1][k].lease = NULL;
    }
    run(100 * MS);
    assert_true(ep[1]->promised_bytes > 0);
    expect_count(2, 0);
    run(20 * SECOND);
    expect_count(2, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 99);
    release_all(1);
    assert_int_equal(start(0), 0); /* for the teardown */
    free(data);
}

/* A message that waits may be cancelled, run out of time, or lose its connection. */
static void a_held_message_ends_as_any_other(void **state)
{
    unsigned char *data = noise(SMALL, 1);
    (void)state;
    fill(data, 60);
    uint32_t held = peer(0, 1)->held;
    assert_int_equal(weir_cancel(ep[0], 59), 1);
    assert_int_equal(call_bytes(0, 1, data, SMALL, 77, now_ns() + 50 * MS), 0);
    run(200 * MS);
    assert_int_equal(peer(0, 1)->held, held - 1);
    assert_int_equal(seen[0][seen_count[0] - 2].result, -ECANCELED);
    assert_int_equal(seen[0][seen_count[0] - 1].result, -ETIMEDOUT);
    assert_int_equal(ep[1]->wait_count, held - 1); /* an ABORT takes its message off the list */
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[1] = 0;
    run(5 * SECOND);
    assert_int_equal(stats(0).ops_pending, 0);
    assert_int_equal(peer(0, 1)->held, 0);
    assert_int_equal(seen[0][seen_count[0] - 1].result, -ECONNRESET);
    free(data);
}

/* An application that offers memory for a message that waits gets it soon. */
static void an_offer_is_room(void **state)
{
    unsigned char *data = noise(SMALL, 1), into[SMALL];
    (void)state;
    fill(data, 60);
    int before = seen_count[1];
    assert_int_equal(weir_recv_into(ep[1], NULL, into, sizeof(into), SMALL, 5), 0);
    run(100 * MS);
    expect_count(1, before + 1);
    assert_int_equal(seen[1][before].type, WEIR_EV_RECEIVED);
    assert_memory_equal(into, data, SMALL);
    release_all(1);
    run(1 * SECOND);
    expect_count(0, 60);
    release_all(1);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_slow_reader_draws_two_packets_per_message, teardown),
        cmocka_unit_test_teardown(a_slow_reader_of_any_law_draws_two_packets_per_message, teardown),
        cmocka_unit_test_teardown(more_than_the_list_holds, teardown),
        cmocka_unit_test_teardown(a_lost_room_hangs_nothing, teardown),
        cmocka_unit_test_teardown(a_lost_no_room_hangs_nothing, teardown),
        cmocka_unit_test_teardown(a_promise_to_the_dead_is_taken_back, teardown),
        cmocka_unit_test_teardown(a_held_message_ends_as_any_other, teardown),
        cmocka_unit_test_teardown(an_offer_is_room, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/room", tests, NULL, NULL);
}
