/* test/unit/endpoint/test_parts.c - weir_recv_parts(): a message larger than rx_bytes comes in order through a window
 * of memory, whatever the network does, and however the application releases parts. */
#include "test/unit/endpoint/parts_test.h"

static void a_message_of_ten_times_rx_bytes_comes_in_order_over_a_bad_network(void **state)
{
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        open_two(laws[k], MB);
        bad.lose_one_in = 50;
        bad.late_one_in = 20;
        in.keep_bytes = 20000;
        unsigned char *data = begin_stream(10 * MB + 123, WINDOW);
        go_on(20 * SECOND, 1);
        print_message("%s: %d parts, %d packets sent, %d sent again, %d ms, %d KiB held at most\n", laws[k], in.parts,
                      (int)in.data_pkts, (int)stats(0).retransmissions, (int)(now_ns() / MS), (int)(in.held_most / KB));
        expect_whole();
        assert_true(in.held_most <= window_room(WINDOW));
        assert_true(stats(1).duplicates > 0 || stats(0).retransmissions > 0);
        free(data);
        if (k + 1 < sizeof(laws) / sizeof(laws[0]))
            teardown(state);
    }
}

static void a_full_window_stops_the_sender_and_release_lets_it_go_on(void **state)
{
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        open_two(laws[k], MB);
        in.keep_bytes = UINT64_MAX;
        unsigned char *data = begin_stream(3 * MB, WINDOW + 77);
        go_on(100 * MS, 0);
        uint64_t full = in.at, sent = in.data_pkts;
        print_message("%s: %d bytes lent, %d sent of a window of %d\n", laws[k], (int)full, (int)in.sent_end,
                      (int)in.window);
        assert_true(full <= in.window && full + 2 * ep[1]->mss > in.window);
        assert_true(in.sent_end <= in.window);
        /* peer_timeout is a second: nobody counts as silent, nothing as lost, and nobody sends */
        go_on(30 * SECOND, 0);
        assert_int_equal(in.at, full);
        assert_int_equal(in.ends, 0);
        expect_count(0, 0);
        assert_int_equal(in.data_pkts, sent);
        assert_int_equal(stats(1).timeouts, 0);
        assert_int_equal(stats(0).retransmissions, 0);
        /* one part back: that much more comes */
        uint64_t before = in.released;
        release_one();
        go_on(100 * MS, 0);
        assert_true(in.sent_end <= in.released + in.window && in.sent_end > before + full);
        in.keep_bytes = 0;
        release_parts();
        go_on(SECOND, 1);
        expect_whole();
        assert_int_equal(stats(0).retransmissions, 0);
        assert_int_equal(stats(1).refused_packets, 0);
        free(data);
        if (k + 1 < sizeof(laws) / sizeof(laws[0]))
            teardown(state);
    }
}

/* Whatever the order in which an application releases parts, what it still has is not overwritten. */
static void parts_may_be_released_in_any_order(void **state)
{
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = WINDOW / 2;
    in.backwards = true;
    unsigned char *data = begin_stream(2 * MB, WINDOW);
    go_on(SECOND, 1);
    expect_whole();
    free(data);
}

/* The latest part alone gives no room; the first gives that of both. */
static void room_is_that_before_the_first_part_that_is_kept(void **state)
{
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = UINT64_MAX;
    unsigned char *data = begin_stream(2 * MB, WINDOW);
    go_on(100 * MS, 0);
    assert_true(in.tail >= 2);
    uint64_t sent = in.data_pkts;
    weir_release(ep[1], in.lease[1]);
    go_on(100 * MS, 0);
    assert_int_equal(in.data_pkts, sent);
    weir_release(ep[1], in.lease[0]);
    go_on(100 * MS, 0);
    assert_true(in.data_pkts > sent);
    assert_true(in.sent_end <= WINDOW + in.bytes[0] + in.bytes[1]);
    assert_true(in.sent_end + 2 * MSS > WINDOW + in.bytes[0] + in.bytes[1]);
    free(data);
}

static void a_request_in_parts_is_answered(void **state)
{
    struct iovec iov = { (void *)(uintptr_t) "abc", 3 };
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = noise(3 * MB, 1);
    in.data = data;
    in.len = 3 * MB;
    assert_int_equal(weir_recv_parts(ep[1], peer(1, 0), 1, WINDOW, 7), 0);
    assert_int_equal(call_bytes(0, 1, data, in.len, 9, 0), 0);
    go_on(SECOND, 1);
    assert_int_equal(in.at, in.len);
    assert_int_equal(in.result, 0);
    assert_true(in.rpc != 0);
    assert_int_equal(weir_reply(ep[1], in.rpc, &iov, 1, 3, NULL), 0);
    go_on(10 * MS, 0);
    expect(0, 0, WEIR_EV_REPLY, 0, 9);
    release_all(0);
    free(data);
}

/* WEIR_RELEASED: the last part is the message's release. */
static void released_means_that_the_last_part_was_released(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_RELEASED };
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = 100000;
    in.len = MB + 5;
    unsigned char *data = noise(in.len, 1);
    struct iovec iov = { data, in.len };
    in.data = data;
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, WINDOW, 7), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 9, &opt), 0);
    go_on(SECOND, 1);
    assert_int_equal(in.ends, 1);
    assert_true(in.head < in.tail);
    go_on(100 * MS, 0);
    expect_count(0, 0);
    release_parts();
    go_on(100 * MS, 0);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 9);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    free(data);
}

/* What is shorter than min_bytes, or had begun before, comes as ever; so does a reply. */
static void only_messages_that_are_long_enough_come_in_parts(void **state)
{
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = noise(MB, 1);
    in.data = data;
    in.len = 200000;
    assert_int_equal(send_bytes(0, 1, data, 300000, 1), 0);
    go_on(100 * US, 0);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 100000, WINDOW, 7), 0);
    go_on(10 * MS, 0);
    assert_int_equal(send_bytes(0, 1, data, 99999, 2), 0);
    go_on(10 * MS, 0);
    assert_int_equal(seen_count[1], 2);
    expect(1, 0, WEIR_EV_MESSAGE, 0, 0);
    assert_int_equal(seen[1][0].len, 300000);
    expect(1, 1, WEIR_EV_MESSAGE, 0, 0);
    release_all(1);
    assert_int_equal(call_bytes(1, 0, "x", 1, 4, 0), 0);
    go_on(MS, 0);
    assert_int_equal(weir_reply(ep[0], seen[0][2].rpc, &(struct iovec){ data, 150000 }, 1, 5, NULL), 0);
    go_on(10 * MS, 0);
    assert_int_equal(seen_count[1], 3);
    expect(1, 2, WEIR_EV_REPLY, 0, 4);
    assert_int_equal(in.parts, 0);
    assert_int_equal(send_bytes(0, 1, data, 100000, 3), 0);
    in.len = 100000;
    go_on(10 * MS, 1);
    assert_int_equal(in.at, 100000);
    assert_int_equal(in.result, 0);
    release_all(0);
    release_all(1);
    free(data);
}

/* While a call waits, a message of the same peer might be its reply: a stream is none of those that could be. */
static void a_stream_comes_while_a_call_waits(void **state)
{
    (void)state;
    open_two(NULL, MB);
    assert_int_equal(call_bytes(1, 0, "x", 1, 4, 0), 0);
    go_on(MS, 0);
    expect(0, 0, WEIR_EV_CALL, 0, 0);
    uint64_t rpc = seen[0][0].rpc;
    release_all(0);
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    go_on(SECOND, 1);
    assert_int_equal(in.at, in.len);
    assert_int_equal(in.result, 0);
    release_parts();
    /* and a reply that could not be taken is no stream */
    in.at = in.released = 0;
    in.ends = 0;
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, WINDOW, 7), 0);
    assert_int_equal(weir_reply(ep[0], rpc, &(struct iovec){ data, 3 * MB }, 1, 5, NULL), 0);
    go_on(SECOND, 0);
    expect(0, 2, WEIR_EV_REPLIED, -ENOBUFS, 5);
    assert_int_equal(in.at, 0);
    assert_int_equal(in.ends, 0);
    assert_int_equal(stats(1).messages_arriving, 0);
    assert_int_equal(weir_cancel(ep[1], 4), 1);
    assert_int_equal(send_bytes(0, 1, data, 3 * MB, 6), 0);
    go_on(SECOND, 1);
    assert_int_equal(in.at, in.len);
    assert_int_equal(in.result, 0);
    free(data);
}

static void a_long_message_without_an_offer_is_refused(void **state)
{
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    assert_int_equal(send_bytes(0, 1, data, 3 * MB, 10), 0); /* there is one offer for two */
    go_on(SECOND, 1);
    go_on(50 * MS, 0);
    expect_count(0, 2);
    assert_int_equal(seen[0][0].result, -EMSGSIZE);
    assert_int_equal(seen[0][1].result, 0);
    assert_int_equal(in.at, in.len);
    release_parts();
    free(data);
}

static void offers_of_both_kinds_are_used_in_their_order(void **state)
{
    unsigned char *data = noise(200000, 1), *into = noise(200000, 2);
    (void)state;
    open_two(NULL, MB);
    in.data = data;
    in.len = 200000;
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, 200000, 8), 0);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, WINDOW, 7), 0);
    uint64_t op = weir_last_op(ep[1]);
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, 200000, 8), 0);
    in.ends = -1; /* of weir_recv_into() */
    for (int i = 0; i < 3; i++) {
        assert_int_equal(send_bytes(0, 1, data, 200000, (uint64_t)i), 0);
        go_on(10 * MS, 0);
        assert_int_equal(in.at, i == 0 ? 0 : 200000);
    }
    assert_int_equal(weir_cancel_op(ep[1], op), -ENOENT);
    assert_int_equal(in.ends, 2);
    assert_memory_equal(into, data, 200000);
    release_parts();
    free(data);
    free(into);
}

static void a_message_of_no_bytes_has_no_part(void **state)
{
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = begin_stream(0, WINDOW);
    go_on(10 * MS, 1);
    expect_whole();
    assert_int_equal(in.parts, 0);
    free(data);
}

static void arguments_are_checked_and_memory_is_counted(void **state)
{
    static const char *const others[] = { "dctcp", "expresspass" };
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin();
        opts[0].cc = others[k];
        opts[0].path = k == 1 ? "gate" : NULL;
        assert_int_equal(start(0), 0);
        assert_int_equal(weir_recv_parts(ep[0], NULL, 0, WINDOW, 7), -ENOTSUP);
        teardown(state);
    }
    open_two(NULL, MB);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, 65535, 7), -EINVAL);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, MB / 4 * 3 + 1, 7), -EINVAL);
    assert_int_equal(weir_recv_parts(ep[1], peer(0, 1), 0, 65536, 7), -EINVAL);
    assert_int_equal(stats(1).rx_bytes_held, 0);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 100000, 65536, 7), 0);
    uint64_t one = stats(1).rx_bytes_held;
    assert_in_range(one, 65536, 65536 * 3 / 2);
    int count = 1;
    while (weir_recv_parts(ep[1], NULL, 100000, 65536, 7) == 0)
        count++;
    assert_true(count > 5 && count < 16); /* an eighth stays free for short messages */
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, 65536, 7), -ENOMEM);
    assert_int_equal(stats(1).rx_bytes_held, (uint64_t)count * one);
    unsigned char *data = noise(60000, 1);
    assert_int_equal(send_bytes(0, 1, data, 60000, 2), 0);
    go_on(10 * MS, 0);
    assert_int_equal(stats(1).no_memory, 0);
    free(data);
    assert_int_equal(weir_cancel(ep[1], 7), count);
    for (int i = 0; i < count; i++) {
        go_on(0, i + 1);
        assert_int_equal(in.result, -ECANCELED);
    }
    go_on(10 * MS, 0);
    assert_int_equal(in.ends, count);
    assert_int_equal(seen_count[1], 1);
    release_all(1);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, 65536, 7), 0); /* and what is open goes with the endpoint */
}

/* Where the ring ends, where packets end, and one byte on either side of it. */
static void the_bound_is_whole_packets_that_fit(void **state)
{
    enum { PACKET = 1000, RING = EP_PARTS_LEAST };
    struct ep_msg m = { .bytes = 10 * MB };
    struct weir_event e;
    size_t room = ep_parts_room(RING, PACKET);
    void *block = malloc(room);
    struct ep_parts *s = ep_parts_make(block, room, RING, PACKET);
    (void)state;
    ep_parts_begin(s, &m);
    assert_int_equal(ep_parts_bound(s, PACKET), (RING + EP_HEAD_BYTES) / PACKET); /* 65 of 65552 bytes */
    s->released = 448 - 1;
    assert_int_equal(ep_parts_bound(s, PACKET), 65);
    s->released = 448;
    assert_int_equal(ep_parts_bound(s, PACKET), 66);
    s->released = 448 + 1;
    assert_int_equal(ep_parts_bound(s, PACKET), 66);
    s->released = 0;
    m.bytes = RING + 1;
    assert_int_equal(ep_parts_bound(s, PACKET), 65);
    m.bytes = RING;
    assert_int_equal(ep_parts_bound(s, PACKET), 66); /* the last packet, which is short */
    m.bytes = RING - 1;
    assert_int_equal(ep_parts_bound(s, PACKET), 66);
    m.bytes = 10 * MB;
    /* a packet across the end of the ring comes as two parts */
    unsigned char *data = noise(2 * RING, 3);
    s->released = s->handed = s->edge = RING - 400;
    ep_parts_store(s, RING - 400, data, 1000);
    s->edge += 1000;
    ep_parts_next(s, &e);
    assert_int_equal(e.len, 400);
    assert_memory_equal(e.data, data, 400);
    void *first = e.lease;
    ep_parts_next(s, &e);
    assert_int_equal(e.len, 600);
    assert_memory_equal(e.data, data + 400, 600);
    assert_false(ep_parts_release(e.lease));
    assert_int_equal(s->released, RING - 400);
    assert_true(ep_parts_release(first));
    assert_int_equal(s->released, RING + 600);
    assert_int_equal(s->leases, 0);
    /* the most parts that there can be: each packet alone, from a place that is none of the ring's ends */
    for (uint64_t end = RING + 984; end <= s->released + RING; end += 1000) {
        s->edge = end;
        ep_parts_next(s, &e);
        if (s->handed < end)
            ep_parts_next(s, &e);
    }
    assert_true(s->leases <= s->most && s->leases >= 65);
    free(data);
    free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_message_of_ten_times_rx_bytes_comes_in_order_over_a_bad_network, teardown),
        cmocka_unit_test_teardown(a_full_window_stops_the_sender_and_release_lets_it_go_on, teardown),
        cmocka_unit_test_teardown(parts_may_be_released_in_any_order, teardown),
        cmocka_unit_test_teardown(room_is_that_before_the_first_part_that_is_kept, teardown),
        cmocka_unit_test_teardown(a_request_in_parts_is_answered, teardown),
        cmocka_unit_test_teardown(released_means_that_the_last_part_was_released, teardown),
        cmocka_unit_test_teardown(only_messages_that_are_long_enough_come_in_parts, teardown),
        cmocka_unit_test_teardown(a_stream_comes_while_a_call_waits, teardown),
        cmocka_unit_test_teardown(a_long_message_without_an_offer_is_refused, teardown),
        cmocka_unit_test_teardown(offers_of_both_kinds_are_used_in_their_order, teardown),
        cmocka_unit_test_teardown(a_message_of_no_bytes_has_no_part, teardown),
        cmocka_unit_test_teardown(arguments_are_checked_and_memory_is_counted, teardown),
        cmocka_unit_test(the_bound_is_whole_packets_that_fit),
    };
    return cmocka_run_group_tests_name("endpoint/parts", tests, NULL, NULL);
}
