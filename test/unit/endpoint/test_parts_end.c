/* test/unit/endpoint/test_parts_end.c - how a stream of weir_recv_parts() ends before its time, and senders that do not
 * keep to its window. */
#include "test/unit/endpoint/parts_test.h"

/* The operation ends at once and once, the sender hears of it, and parts stay what they are until they are released. */
static void a_cancelled_stream_is_refused(void **state)
{
    for (int lossy = 0; lossy < 2; lossy++) {
        open_two(NULL, MB);
        bad.lose_one_in = lossy ? 4 : 0;
        in.keep_bytes = UINT64_MAX;
        unsigned char *data = begin_stream(3 * MB, WINDOW);
        for (int i = 0; i < 1000 && in.parts == 0; i++)
            go_on(20 * MS, 0);
        print_message("first part after %d ms\n", (int)(now_ns() / MS));
        assert_true(in.parts > 0);
        assert_int_equal(weir_cancel_op(ep[1], weir_last_op(ep[1])), 0);
        assert_int_equal(weir_cancel(ep[1], 7), 0);
        uint64_t sent = in.data_pkts;
        go_on(5 * MS, 0);
        assert_true(lossy || seen_count[0] == 1); /* the sender hears at once */
        go_on(20 * SECOND, 0);
        assert_true(in.data_pkts <= sent + WINDOW / MSS + 1);
        assert_int_equal(in.ends, 1);
        assert_int_equal(in.result, -ECANCELED);
        expect_count(0, 1);
        expect(0, 0, WEIR_EV_SENT, -ENOBUFS, 9);
        assert_int_equal(stats(1).messages_arriving, 0);
        assert_int_equal(stats(1).rx_bytes_held, window_room(WINDOW)); /* lent */
        assert_int_equal(peer(0, 1)->bounded + peer(1, 0)->parts, 0);
        uint64_t at = 0;
        for (int i = 0; i < in.tail; at += in.bytes[i++])
            assert_memory_equal(((struct ep_lease *)in.lease[i])->parts->ring + at, data + at, in.bytes[i]);
        release_parts();
        assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
        /* the next message is none of this one's */
        bad.lose_one_in = 0;
        assert_int_equal(send_bytes(0, 1, data, 5000, 10), 0);
        go_on(100 * MS, 0);
        expect(0, 1, WEIR_EV_SENT, 0, 10);
        assert_int_equal(seen_count[1], 1);
        release_all(1);
        free(data);
        if (lossy == 0)
            teardown(state);
    }
}

/* Cancelled before anything was released, and without a part: the memory is free at once. */
static void a_stream_cancelled_before_its_first_part_gives_its_memory_back(void **state)
{
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    asleep[0] = false;
    for (int i = 0; i < 200 && stats(1).messages_arriving == 0; i++)
        run(US);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(weir_cancel(ep[1], 7), 1);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    go_on(SECOND, 0);
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, -ECANCELED);
    expect(0, 0, WEIR_EV_SENT, -ENOBUFS, 9);
    assert_int_equal(stats(1).messages_arriving, 0);
    assert_int_equal(peer(1, 0)->parts, 0);
    free(data);
}

/* Once all has arrived, a cancelled operation still hands the rest over, and ends with 0. */
static void a_stream_that_has_arrived_is_not_cancelled_any_more(void **state)
{
    (void)state;
    open_two(NULL, MB);
    unsigned char *data = begin_stream(200000, WINDOW);
    for (int i = 0; i < 1000 && stats(1).messages_received == 0; i++) {
        struct weir_event none[1];
        mem_advance(mem, mem_now_ns(mem) + US);
        (void)take(0);
        assert_int_equal(weir_poll(ep[1], none, 0, 0), 0);
    }
    assert_int_equal(stats(1).messages_received, 1);
    assert_int_equal(weir_cancel(ep[1], 7), 1);
    go_on(10 * MS, 1);
    expect_whole();
    free(data);
}

static void an_aborted_stream_ends_unless_no_part_was_there(void **state)
{
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = UINT64_MAX;
    shim[0].lose[WEIR_PKT_DATA] = UINT32_MAX; /* its REQUEST arrives, and nothing else */
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    go_on(5 * MS, 0);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(weir_cancel(ep[0], 9), 1);
    go_on(20 * MS, 0);
    assert_int_equal(stats(1).messages_arriving, 0);
    assert_int_equal(in.ends, 0);
    shim[0].lose[WEIR_PKT_DATA] = 0;
    assert_int_equal(send_bytes(0, 1, data, in.len, 10), 0); /* the offer has stayed for this one */
    go_on(20 * MS, 0);
    assert_true(in.parts > 0);
    assert_int_equal(weir_cancel(ep[0], 10), 1);
    go_on(20 * MS, 0);
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, -ECONNABORTED);
    release_parts();
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    free(data);
}

static void a_stream_ends_with_its_connection(void **state)
{
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = UINT64_MAX;
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    go_on(20 * MS, 0);
    struct weir_peer *p = peer(1, 0);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    go_on(10 * MS, 1);
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, -ECONNRESET);
    assert_int_equal(p->parts, 0);
    uint64_t at = 0;
    for (int i = 0; i < in.tail; at += in.bytes[i++])
        assert_memory_equal(((struct ep_lease *)in.lease[i])->parts->ring + at, data + at, in.bytes[i]);
    release_parts();
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    free(data);
}

/* The sender's process dies without a word, while the window is full: the connection times out, and not before. */
static void a_dead_sender_is_found_while_the_window_is_full(void **state)
{
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = UINT64_MAX;
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    go_on(5 * SECOND, 0);
    assert_int_equal(in.ends, 0);
    asleep[0] = true;
    uint64_t before = now_ns();
    go_on(5 * SECOND, 1);
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, -ETIMEDOUT);
    assert_in_range(now_ns() - before, 600 * MS, 2 * SECOND);
    release_parts();
    free(data);
}

static void a_deadline_ends_the_sender_while_the_window_is_full(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .deadline_ns = 3 * SECOND };
    (void)state;
    open_two(NULL, MB);
    in.keep_bytes = UINT64_MAX;
    in.len = 3 * MB;
    unsigned char *data = noise(in.len, 1);
    struct iovec iov = { data, in.len };
    in.data = data;
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, WINDOW, 7), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 9, &opt), 0);
    go_on(5 * SECOND, 0);
    expect(0, 0, WEIR_EV_SENT, -ETIMEDOUT, 9);
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, -ECONNABORTED);
    release_parts();
    free(data);
}

/* Memory that others lack is not looked for at a sender that waits for this application: its connection stays. */
static void a_full_window_is_no_slow_peer(void **state)
{
    (void)state;
    timeout_ns = 20 * SECOND; /* so that it is heard more rarely than once a second, when others lack memory */
    open_two(NULL, MB);
    timeout_ns = 0;
    opts[2].cc = NULL;
    assert_int_equal(start(2), 0);
    in.keep_bytes = UINT64_MAX;
    unsigned char *data = begin_stream(3 * MB, WINDOW);
    go_on(20 * MS, 0);
    shim[0].lose[WEIR_PKT_REQUEST] = shim[0].lose[WEIR_WIRE_PING] = shim[0].lose[WEIR_WIRE_PONG] = UINT32_MAX;
    assert_int_equal(send_bytes(2, 1, data, 600000, 1), 0);
    for (int i = 0; i < 5; i++) { /* the second never finds memory */
        run(MS);
        for (int k = 0; k < 1000; k++) {
            (void)take(2);
            go_on(MS / 4, 0);
        }
        if (i == 0)
            assert_int_equal(send_bytes(2, 1, data, 600000, 2), 0);
    }
    assert_true(stats(1).no_memory > 0);
    assert_int_equal(in.ends, 0);
    assert_int_equal(stats(1).resets, 0);
    shim[0].lose[WEIR_PKT_REQUEST] = shim[0].lose[WEIR_WIRE_PING] = shim[0].lose[WEIR_WIRE_PONG] = 0;
    release_parts();
    in.keep_bytes = 0;
    go_on(SECOND, 1);
    assert_int_equal(in.result, 0);
    assert_int_equal(in.at, in.len);
    release_all(1);
    free(data);
}

/* Endpoint 0 has credit for messages that are longer than what is left of the stream, while its window is full: by SRPT
 * it would send the stream first. */
static void spend_credit_of_others(const char *cc)
{
    open_two(cc, 4 * MB);
    in.keep_bytes = UINT64_MAX;
    bad.no_bounds = cc == NULL;
    unsigned char *data = begin_stream(400000, WINDOW), *other = noise(2 * MB, 2);
    go_on(10 * MS, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(send_bytes(0, 1, other, 700000, (uint64_t)i), 0);
    go_on(5 * SECOND, 0);
    assert_int_equal(seen_count[1], 3);
    assert_int_equal(in.ends, 0);
    if (cc != NULL) {
        assert_true(in.sent_end <= WINDOW);
        assert_int_equal(stats(1).refused_packets, 0);
    }
    if (cc == NULL) { /* it hears of the bound after all: what was dropped counts as not sent */
        struct weir_host_flow flow;
        assert_true(in.sent_end > WINDOW);
        assert_true(stats(1).refused_packets > 0);
        bad.no_bounds = false;
        go_on(10 * SECOND, 0);
        assert_int_equal(peer(0, 1)->bounded, 1);
        assert_true(weir_host_flow(ep[0]->host, 0, &flow));
        assert_true(flow.sent_bytes <= WINDOW + EP_HEAD_BYTES);
    }
    in.keep_bytes = 0;
    release_parts();
    go_on(5 * SECOND, 1);
    assert_int_equal(in.result, 0);
    assert_int_equal(in.at, in.len);
    go_on(SECOND, 0);
    expect_count(0, 4);
    release_parts();
    release_all(1);
    free(data);
    free(other);
}

static void credit_of_other_messages_is_not_spent_beyond_the_window(void **state)
{
    for (size_t k = 0; k < sizeof(laws) / sizeof(laws[0]); k++) {
        spend_credit_of_others(laws[k]);
        if (k + 1 < sizeof(laws) / sizeof(laws[0]))
            teardown(state);
    }
}

/* A sender of an earlier release does not know of bounds: what lies beyond the window is dropped and counted, and all
 * comes nevertheless. */
static void a_sender_that_knows_no_bound_is_heard_to_the_end(void **state)
{
    (void)state;
    spend_credit_of_others(NULL);
    print_message("%d refused, %d sent again\n", (int)stats(1).refused_packets, (int)stats(0).retransmissions);
}

/* Packets that need no credit leave before the sender has heard of the bound. And a GRANT may name several packets. */
static void a_window_smaller_than_what_needs_no_credit_is_kept_to(void **state)
{
    static const char *const by[] = { "sird", "homa", "ndp", "homa grant=32", "homa grant=32" };
    for (size_t k = 0; k < sizeof(by) / sizeof(by[0]); k++) {
        base_rtt_ns = k < 4 ? MS : 0;
        open_two(by[k], MB);
        base_rtt_ns = 0;
        in.keep_bytes = UINT64_MAX;
        unsigned char *data = begin_stream(700000, 65536);
        go_on(SECOND, 0);
        print_message("%s: %d refused\n", by[k], (int)stats(1).refused_packets);
        assert_true(in.at <= 65536 && in.at + 2 * MSS > 65536);
        assert_true(k < 4 || in.sent_end <= 65536);
        uint64_t refused = stats(1).refused_packets;
        in.keep_bytes = 30000;
        release_parts();
        go_on(20 * SECOND, 1);
        assert_int_equal(in.result, 0);
        assert_int_equal(in.at, in.len);
        assert_int_equal(stats(1).refused_packets, refused); /* it has heard meanwhile */
        release_parts();
        free(data);
        if (k + 1 < sizeof(by) / sizeof(by[0]))
            teardown(state);
    }
}

/* Injects one packet about the stream as if endpoint 0 had sent it: most are DATA that lie, by place, length or size. */
static void lie(uint64_t draw, uint32_t conn, uint32_t msg)
{
    struct weir_peer *p = peer(0, 1);
    unsigned char bytes[EP_TX_HEAD_BYTES + 2 * MSS] = { 0 };
    uint32_t at = (uint32_t)(draw >> 8) % 400, mss = ep[0]->mss, how = (uint32_t)(draw >> 40) % 64;
    struct weir_wire_head head = { .token = p->tx_token, .counter = 1000000 + draw % 1000, .window_kib = UINT32_MAX };
    head.pkt = (struct weir_pkt){ .kind = how == 0  ? WEIR_PKT_ABORT
                                          : how < 8 ? WEIR_PKT_REQUEST
                                                    : WEIR_PKT_DATA,
                                  .conn = conn,
                                  .msg = msg,
                                  .msg_bytes = (in.len + EP_HEAD_BYTES + (how % 16 == 9 ? draw % 5 : 0)) |
                                               (how % 8 == 1 ? UINT64_C(8192) << 48 : 0) };
    if (head.pkt.kind == WEIR_PKT_DATA) {
        head.pkt.seq = how % 16 == 10 ? (uint32_t)(draw >> 32) : at;
        uint32_t size = how % 16 == 11 ? 1 + (uint32_t)draw % (mss - 1) : mss;
        head.pkt.payload_bytes = WEIR_PKT_BYTES(size);
    }
    weir_wire_encode(&head, bytes + 200, bytes);
    uint32_t own = weir_wire_head_bytes(&head);
    bytes[own] = head.pkt.kind == WEIR_PKT_DATA && head.pkt.seq == 0 ? (unsigned char)(1 + how % 4) : 0;
    mem_inject(mem, &shim[0].inner->local, &shim[1].inner->local, bytes, own + head.pkt.payload_bytes);
}

/* Whatever a peer says, memory stays within its limits, events keep their order, and nothing is written outside the ring,
 * which the assertions of parts.c and the sanitizer see. What arrives may be wrong: it is the peer's message. */
static void a_peer_that_lies_gets_no_more_than_its_window(void **state)
{
    uint32_t messages = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        open_two(NULL, MB);
        assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
        run(MS);
        release_all(1);
        in.len = 65536 * 4 + seed * 1000;
        in.data = NULL; /* anything */
        in.keep_bytes = seed % 3 * 30000;
        assert_int_equal(weir_recv_parts(ep[1], NULL, 2, 65536, 7), 0);
        for (uint64_t i = 0; i < 2000; i++) {
            uint64_t draw = weir_mix_u64(seed << 32 | i);
            lie(draw, 1 + (uint32_t)(draw >> 52) % 64 / 63, (uint32_t)(draw >> 20) % 64 / 63);
            if (i % 8 == 0)
                go_on(100 * US, 0);
            assert_true(stats(1).rx_bytes_held <= MB);
        }
        messages += in.ends > 0;
        assert_true(in.ends <= 1);
        release_parts();
        release_all(1);
        if (seed < 12)
            teardown(state);
    }
    print_message("%u of 12 ended\n", messages);
    assert_true(messages > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_cancelled_stream_is_refused, teardown),
        cmocka_unit_test_teardown(a_stream_cancelled_before_its_first_part_gives_its_memory_back, teardown),
        cmocka_unit_test_teardown(a_stream_that_has_arrived_is_not_cancelled_any_more, teardown),
        cmocka_unit_test_teardown(an_aborted_stream_ends_unless_no_part_was_there, teardown),
        cmocka_unit_test_teardown(a_stream_ends_with_its_connection, teardown),
        cmocka_unit_test_teardown(a_dead_sender_is_found_while_the_window_is_full, teardown),
        cmocka_unit_test_teardown(a_deadline_ends_the_sender_while_the_window_is_full, teardown),
        cmocka_unit_test_teardown(a_full_window_is_no_slow_peer, teardown),
        cmocka_unit_test_teardown(credit_of_other_messages_is_not_spent_beyond_the_window, teardown),
        cmocka_unit_test_teardown(a_window_smaller_than_what_needs_no_credit_is_kept_to, teardown),
        cmocka_unit_test_teardown(a_sender_that_knows_no_bound_is_heard_to_the_end, teardown),
        cmocka_unit_test_teardown(a_peer_that_lies_gets_no_more_than_its_window, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/parts_end", tests, NULL, NULL);
}
