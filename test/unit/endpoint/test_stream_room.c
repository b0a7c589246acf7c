/* test/unit/endpoint/test_stream_room.c - sender-driven messages for which there is no memory: their sender is told, waits, and
 * is told when there is room. */
#include "test/unit/endpoint/endpoint_test.h"

enum { LEN = 40000, WINDOW = 10 }; /* DCTCP begins with a window of ten packets */

static unsigned char *data;
static uint32_t data_sent; /* DATA from endpoint 0 */

static void count_data(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                       const unsigned char *bytes, uint32_t length)
{
    struct weir_net_addr first = mem_addr(1, 4000);
    (void)ctx, (void)to;
    data_sent += weir_wire_type(bytes, length) == WEIR_WIRE_STREAM && memcmp(from, &first, sizeof(first)) == 0;
}

/* One message is lent to the application of the receiver, whose memory a second one does not fit into. */
static int setup_full(void **state)
{
    (void)state;
    begin();
    data = noise(LEN, 1);
    for (uint32_t i = 0; i < 2; i++) {
        opts[i].cc = "dctcp";
        opts[i].rx_bytes = 65536;
        assert_int_equal(start(i), 0);
    }
    mem_tap(mem, count_data, NULL);
    assert_int_equal(send_bytes(0, 1, data, LEN, 1), 0);
    run(2 * MS);
    expect_count(1, 1);
    data_sent = 0;
    assert_int_equal(send_bytes(0, 1, data, LEN, 2), 0);
    return 0;
}

static int teardown_full(void **state)
{
    free(data);
    return teardown(state);
}

static void assert_arrived(int k)
{
    assert_true(k < seen_count[1]);
    assert_int_equal(seen[1][k].type, WEIR_EV_MESSAGE);
    assert_int_equal(seen[1][k].len, LEN);
    assert_memory_equal(seen[1][k].data, data, LEN);
    release_all(1);
}

/* The window once, then a packet after 20, 40, 80, .. ms at first, 400 ms at last. */
static void a_full_receiver_draws_little(void **state)
{
    (void)state;
    run(5 * SECOND); /* peer_timeout_ns is one */
    expect_count(0, 1);
    assert_in_range(data_sent, WINDOW + 10, 3 * WINDOW + 16); /* the window had grown before */
    assert_int_equal(stats(1).no_memory, data_sent);
    assert_int_equal(stats(0).timeouts, 0);
    uint64_t released_ns = now_ns();
    release_all(1);
    run(2 * MS);
    assert_arrived(1);
    assert_true(seen_ns[1][1] - released_ns < 200 * US);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
}

static void a_lost_word_of_room_is_made_up_for_by_the_timer(void **state)
{
    (void)state;
    run(200 * MS); /* between two tries */
    shim[1].lose[WEIR_PKT_NOTICE] = 1;
    release_all(1);
    run(2 * MS);
    expect_count(1, 1);
    assert_int_equal(shim[1].lose[WEIR_PKT_NOTICE], 0);
    run(400 * MS);
    assert_arrived(1);
}

static void what_waits_for_room_can_be_cancelled(void **state)
{
    (void)state;
    run(100 * MS);
    assert_int_equal(weir_cancel(ep[0], 2), 1);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, -ECANCELED, 2);
    uint32_t sent = data_sent;
    release_all(1);
    run(SECOND);
    assert_int_equal(data_sent, sent);
    assert_int_equal(ep[1]->wait_count, 0); /* told, though nobody waits */
    assert_int_equal(send_bytes(0, 1, data, LEN, 3), 0);
    run(2 * MS);
    assert_arrived(1);
}

static void a_peer_that_ends_is_told_nothing(void **state)
{
    (void)state;
    run(100 * MS);
    assert_int_equal(ep[1]->wait_count, 1);
    kill_ep(0);
    assert_int_equal(start(0), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 4), 0);
    run(1 * MS);
    assert_int_equal(ep[1]->wait_count, 0);
    release_all(1);
    run(1 * MS);
    assert_int_equal(stats(0).refused_packets, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_full_receiver_draws_little, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(a_lost_word_of_room_is_made_up_for_by_the_timer, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(what_waits_for_room_can_be_cancelled, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(a_peer_that_ends_is_told_nothing, setup_full, teardown_full),
    };
    return cmocka_run_group_tests_name("endpoint/stream_room", tests, NULL, NULL);
}
