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
    start_all();
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

/* From its ROOM on a message is held no more, though nothing of it arrives yet. */
static void room_ends_the_wait_before_the_message_ends(void **state)
{
    enum { FREED = 3 };
    unsigned char *data = noise(SMALL, 1);
    (void)state;
    fill(data, 60);
    uint32_t held = peer(0, 1)->held;
    assert_int_equal(ep[1]->wait_count, held);
    assert_true(held > FREED);
    shim[0].lose[WEIR_PKT_DATA] = 1000000;
    for (int k = 0; k < FREED; k++) {
        weir_release(ep[1], seen[1][k].lease);
        seen[1][k].lease = NULL;
    }
    run(10 * US); /* ROOM takes 5 us, and DATA would come as late again */
    assert_int_equal(peer(0, 1)->held, held - FREED);
    shim[0].lose[WEIR_PKT_DATA] = 0;
    release_all(1);
    run(5 * SECOND);
    expect_count(0, 60);
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
    start_all();
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

static uint32_t called(void)
{
    uint32_t n = 0;
    for (uint32_t i = ep[1]->wait_head; i != 0; i = ep[1]->waits[i - 1].next)
        n += ep[1]->waits[i - 1].tries > 0;
    return n;
}

/* An offer is room for one message, and takes nothing of rx_bytes. Host 0 hears of none. */
static void an_offer_is_kept_for_one_message(void **state)
{
    unsigned char *data = noise(SMALL, 1), into[2][SMALL];
    (void)state;
    fill(data, 60);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000000;
    for (uint32_t n = 1; n <= 2; n++) {
        assert_int_equal(weir_recv_into(ep[1], NULL, into[n - 1], sizeof(into[0]), SMALL, n), 0);
        run(10 * MS);
        assert_int_equal(called(), n);
        assert_int_equal(ep[1]->promised_bytes, 0);
    }
    assert_int_equal(send_bytes(2, 1, data, SMALL, 99), 0); /* any message that comes may use it */
    run(10 * MS);
    expect_count(2, 1);
    assert_int_equal(ep[1]->waits[ep[1]->wait_head - 1].offer, 0);
    run(30 * MS); /* then its ROOM is not repeated */
    assert_int_equal(called(), 1);
    assert_int_equal(weir_cancel(ep[1], 2), 1);
    run(100 * MS);
    assert_int_equal(called(), 0);
    shim[1].lose[WEIR_PKT_NOTICE] = 0;
    release_all(1);
    run(5 * SECOND);
    expect_count(0, 60);
    release_all(1);
    free(data);
}

/* An application that sleeps until weir_deadline() between polls. */
static void memory_given_back_is_offered_at_once(void **state)
{
    unsigned char *data = noise(SMALL, 1), into[SMALL];
    (void)state;
    fill(data, 60);
    assert_true(weir_deadline(ep[1]) > mem_now_ns(mem));
    weir_release(ep[1], seen[1][0].lease);
    seen[1][0].lease = NULL;
    assert_int_equal(weir_deadline(ep[1]), 0);
    run(1 * MS);
    assert_true(weir_deadline(ep[1]) > mem_now_ns(mem));
    assert_int_equal(weir_recv_into(ep[1], NULL, into, sizeof(into), SMALL, 5), 0);
    assert_int_equal(weir_deadline(ep[1]), 0);
    run(5 * SECOND);
    release_all(1);
    run(5 * SECOND);
    expect_count(0, 60);
    release_all(1);
    free(data);
}

/* Its ROOM is lost, and the REQUEST by which host 0 asks draws CREDIT. */
static void credit_ends_the_wait(void **state)
{
    unsigned char *data = noise(100000, 1);
    (void)state;
    begin();
    opts[0].rate_bps = 1000000;
    opts[1].rx_bytes = 1 << 18;
    start_all();
    assert_int_equal(send_bytes(2, 1, data, 100000, 1), 0);
    assert_int_equal(send_bytes(2, 1, data, 60000, 2), 0);
    run(100 * MS);
    expect_count(1, 2);
    assert_int_equal(send_bytes(0, 1, data, 100000, 3), 0);
    run(100 * MS);
    assert_int_equal(peer(0, 1)->held, 1);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000000;
    release_all(1);
    run(500 * MS);
    assert_int_equal(stats(0).ops_pending, 1);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(peer(0, 1)->held, 0);
    shim[1].lose[WEIR_PKT_NOTICE] = 0;
    run(2 * SECOND);
    expect(0, 0, WEIR_EV_SENT, 0, 3);
    release_all(1);
    free(data);
}

/* Host 2 sends messages of 300 kB, of which the application of host 1 always keeps three. That of host 0 needs the room
 * of two, and is not passed by those that come later. While the application keeps the memory, they may pass it after a
 * second. */
static void a_large_message_is_not_passed_for_a_second(void **state)
{
    unsigned char *data = noise(700000, 1);
    int released = 0;
    (void)state;
    begin();
    opts[1].rx_bytes = 1 << 20;
    start_all();
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(send_bytes(2, 1, data, 300000, i), 0);
    run(10 * MS);
    expect_count(1, 2);
    assert_int_equal(send_bytes(0, 1, data, 600000, 50), 0);
    run(10 * MS);
    for (uint64_t i = 2; i < 12; i++) {
        assert_int_equal(send_bytes(2, 1, data, 300000, i), 0);
        run(50 * MS);
        weir_release(ep[1], seen[1][released].lease);
        seen[1][released++].lease = NULL;
        run(10 * MS);
        if (seen_count[0] > 0)
            break;
    }
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 50);
    expect_count(1, 3);
    release_all(1);
    run(5 * SECOND);
    release_all(1);
    seen_count[0] = seen_count[1] = seen_count[2] = 0;
    assert_int_equal(send_bytes(2, 1, data, 300000, 60), 0); /* this one the application keeps */
    run(10 * MS);
    assert_int_equal(send_bytes(0, 1, data, 700000, 70), 0);
    run(10 * MS);
    assert_int_equal(send_bytes(2, 1, data, 200000, 61), 0);
    run(970 * MS);
    expect_count(1, 1);
    run(50 * MS);
    expect_count(1, 2);
    release_all(1);
    run(5 * SECOND);
    expect(0, 0, WEIR_EV_SENT, 0, 70);
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
        cmocka_unit_test_teardown(room_ends_the_wait_before_the_message_ends, teardown),
        cmocka_unit_test_teardown(a_lost_no_room_hangs_nothing, teardown),
        cmocka_unit_test_teardown(a_promise_to_the_dead_is_taken_back, teardown),
        cmocka_unit_test_teardown(a_held_message_ends_as_any_other, teardown),
        cmocka_unit_test_teardown(an_offer_is_room, teardown),
        cmocka_unit_test_teardown(an_offer_is_kept_for_one_message, teardown),
        cmocka_unit_test_teardown(memory_given_back_is_offered_at_once, teardown),
        cmocka_unit_test_teardown(credit_ends_the_wait, teardown),
        cmocka_unit_test_teardown(a_large_message_is_not_passed_for_a_second, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/room", tests, NULL, NULL);
}
