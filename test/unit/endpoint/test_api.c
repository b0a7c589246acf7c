/* test/unit/endpoint/test_api.c - sending, calling, answering, cancelling: one event for each, and the bytes that were
 * meant. */
#include "test/unit/endpoint/endpoint_test.h"

/* Messages of every size around the packets' edges, in pieces that are none of their sizes. */
static void messages_of_all_sizes_arrive_unchanged(void **state)
{
    static const size_t sizes[] = { 0, 1, MSS - 17, MSS - 16, MSS - 15, 2 * MSS - 16, 2 * MSS - 15, 100000, 5000000 };
    enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    unsigned char *data[COUNT];
    struct iovec pieces[COUNT][7];
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) {
        size_t step = sizes[i] / 9, at = 0;
        data[i] = noise(sizes[i], i);
        for (int k = 0; k < 7; k++) {
            size_t len = k == 6 ? sizes[i] - at : k == 3 ? 0 : step + (step > 3 ? (size_t)k : 0);
            pieces[i][k] = (struct iovec){ data[i] + at, len };
            at += len;
        }
        assert_int_equal(weir_send(ep[0], peer(0, 1), pieces[i], 7, 100 + i, NULL), 0);
        memset(pieces[i], 0, sizeof(pieces[i])); /* the list is ours at once, what it names is not */
        run(20 * MS);
        expect_count(0, (int)i + 1);
        expect(0, (int)i, WEIR_EV_SENT, 0, 100 + i);
        expect_count(1, (int)i + 1);
        expect(1, (int)i, WEIR_EV_MESSAGE, 0, 0);
        assert_int_equal(seen[1][i].len, sizes[i]);
        assert_ptr_equal(seen[1][i].peer, peer(1, 0));
        assert_true((seen[1][i].lease != NULL) == (sizes[i] > 0));
        if (sizes[i] > 0)
            assert_memory_equal(seen[1][i].data, data[i], sizes[i]);
        free(data[i]);
    }
    release_all(1);
    assert_int_equal(stats(0).tx_bytes_held, 0);
    assert_int_equal(stats(1).messages_received, COUNT);
    assert_int_equal(stats(1).refused_packets, 0);
}

static void a_call_ends_with_its_reply(void **state)
{
    struct iovec text = { "pong", 4 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "ping", 4, 7, 0), 0);
    run(1 * MS);
    expect_count(0, 0); /* it has arrived, but that is no event of a call */
    expect(1, 0, WEIR_EV_CALL, 0, 0);
    assert_memory_equal(seen[1][0].data, "ping", 4);
    assert_true(seen[1][0].rpc != 0);
    weir_release(ep[1], seen[1][0].lease); /* before the answer: allowed */
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &text, 1, 8, NULL), 0);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &text, 1, 9, NULL), -ENOENT); /* once */
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, 0, 7);
    assert_memory_equal(seen[0][0].data, "pong", 4);
    expect_count(1, 2);
    expect(1, 1, WEIR_EV_REPLIED, 0, 8);
    weir_release(ep[0], seen[0][0].lease);
    assert_int_equal(weir_reply(ep[1], 0, &text, 1, 9, NULL), -ENOENT);
    assert_int_equal(weir_reply(ep[1], UINT64_MAX, &text, 1, 9, NULL), -ENOENT);
}

static void an_error_of_the_application_is_no_error_of_the_transport(void **state)
{
    static const uint32_t errors[] = { 1, 7, 110, WEIR_APP_ERROR_MAX }; /* 110 is ETIMEDOUT, and is not taken for it */
    struct iovec why = { "not allowed", 11 };
    (void)state;
    for (int k = 0, at = 0; k < 4; k++, at += 2) {
        assert_int_equal(call_bytes(0, 1, "ping", 4, 7, 0), 0);
        run(1 * MS);
        assert_int_equal(weir_reply_error(ep[1], seen[1][at].rpc, errors[k], &why, k % 2, 8, NULL), 0);
        assert_int_equal(weir_reply(ep[1], seen[1][at].rpc, NULL, 0, 9, NULL), -ENOENT); /* it is answered */
        run(1 * MS);
        expect(1, at + 1, WEIR_EV_REPLIED, 0, 8);
        expect(0, k, WEIR_EV_REPLY, -(WEIR_APP_ERROR + (int)errors[k]), 7);
        assert_int_equal(WEIR_APP_ERROR_OF(seen[0][k].result), errors[k]);
        assert_int_equal(seen[0][k].len, k % 2 == 1 ? 11 : 0);
        if (k % 2 == 1)
            assert_memory_equal(seen[0][k].data, "not allowed", 11);
    }
    release_all(0);
    release_all(1);
    assert_int_equal(stats(0).ops_pending + stats(1).ops_pending, 0);
    assert_int_equal(WEIR_APP_ERROR_OF(0) + WEIR_APP_ERROR_OF(-ETIMEDOUT) + WEIR_APP_ERROR_OF(3), 0);
}

static void errors_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "ping", 4, 7, 0), 0);
    run(1 * MS);
    assert_int_equal(weir_reply_error(ep[1], seen[1][0].rpc, 0, NULL, 0, 8, NULL), -EINVAL);
    assert_int_equal(weir_reply_error(ep[1], seen[1][0].rpc, WEIR_APP_ERROR_MAX + 1, NULL, 0, 8, NULL), -EINVAL);
    assert_int_equal(weir_reply_error(ep[1], seen[1][0].rpc, 1, NULL, 1, 8, NULL), -EINVAL);
    assert_int_equal(weir_reply_error(ep[1], UINT64_MAX, 1, NULL, 0, 8, NULL), -ENOENT);
    assert_int_equal(weir_reply_error(ep[1], seen[1][0].rpc, 1, NULL, 0, 8, NULL), 0); /* it was not answered */
    run(1 * MS);
    expect(0, 0, WEIR_EV_REPLY, -WEIR_APP_ERROR - 1, 7);
    release_all(1);
}

static void a_stale_request_handle_is_refused(void **state)
{
    struct iovec none = { NULL, 0 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "a", 1, 1, 0), 0);
    run(1 * MS);
    weir_release(ep[1], seen[1][0].lease);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &none, 1, 2, NULL), 0);
    run(1 * MS);
    assert_int_equal(call_bytes(0, 1, "b", 1, 3, 0), 0);
    run(1 * MS);
    assert_int_equal((uint32_t)seen[1][2].rpc, (uint32_t)seen[1][0].rpc); /* the same place .. */
    assert_true(seen[1][2].rpc != seen[1][0].rpc);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &none, 1, 4, NULL), -ENOENT);
    assert_int_equal(weir_reply(ep[1], seen[1][2].rpc, NULL, 0, 5, NULL), 0);
    weir_release(ep[1], seen[1][2].lease);
    run(1 * MS);
    expect(0, 1, WEIR_EV_REPLY, 0, 3);
    assert_null(seen[0][1].lease);
    assert_int_equal(seen[0][1].len, 0);
}

static void a_deadline_ends_an_unfinished_operation(void **state)
{
    struct weir_sendopt in_5ms = { .size = sizeof(in_5ms), .deadline_ns = 5 * MS };
    struct iovec iov = { "x", 1 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 5 * MS), 0);
    run(4 * MS);
    expect_count(0, 0);
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ETIMEDOUT, 1);
    assert_int_equal(seen_ns[0][0], 5 * MS);
    weir_release(ep[1], seen[1][0].lease);
    /* the late answer is nobody's */
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &iov, 1, 2, NULL), 0);
    run(5 * MS);
    expect_count(0, 1);
    expect(1, 1, WEIR_EV_REPLIED, 0, 2);
    assert_int_equal(stats(0).rx_bytes_held, ep[0]->msg_block_bytes);
    /* and of a send: the receiver sleeps */
    asleep[1] = true;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 3, &in_5ms), 0);
    run(20 * MS);
    expect(0, 1, WEIR_EV_SENT, -ETIMEDOUT, 3);
    assert_int_equal(seen_ns[0][1], 15 * MS);
    assert_int_equal(stats(0).ops_pending, 0);
}

static void a_message_cancelled_before_the_connection_is_never_sent(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 9), 0);
    assert_int_equal(call_bytes(0, 1, "y", 1, 9, 0), 0);
    assert_int_equal(weir_cancel(ep[0], 8), 0);
    assert_int_equal(weir_cancel(ep[0], 9), 2);
    assert_int_equal(weir_cancel(ep[0], 9), 0); /* their events are made */
    run(10 * MS);
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_SENT, -ECANCELED, 9);
    expect(0, 1, WEIR_EV_REPLY, -ECANCELED, 9);
    expect_count(1, 0);
}

static void a_message_cancelled_in_transfer_is_freed_at_both_ends(void **state)
{
    unsigned char *data = noise(4000000, 3);
    (void)state;
    assert_int_equal(send_bytes(0, 1, data, 4000000, 9), 0);
    run(1 * MS);
    assert_int_equal(weir_cancel(ep[0], 9), 1);
    free(data); /* it is ours again once the event is there; the sanitizer watches */
    run(50 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, -ECANCELED, 9);
    expect_count(1, 0);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    assert_int_equal(ep[0]->peers[0].in_host, 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 10), 0);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 10);
    release_all(1);
}

static void a_copied_buffer_is_reusable_at_once(void **state)
{
    struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    struct weir_sendopt local = { .size = sizeof(local), .flags = WEIR_COPY | WEIR_LOCAL };
    char text[] = "hello, world";
    struct iovec iov[2] = { { text, 5 }, { text + 5, 7 } };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 2, 1, &copy), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 2, 2, &local), 0);
    memset(text, 'z', sizeof(text));
    run(0);
    expect_count(0, 1); /* the copy of the local one is all there was to wait for */
    expect(0, 0, WEIR_EV_SENT, 0, 2);
    run(1 * MS);
    expect_count(0, 2);
    expect(0, 1, WEIR_EV_SENT, 0, 1);
    expect_count(1, 2);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(seen[1][k].data, "hello, world", 12);
    release_all(1);
    assert_int_equal(stats(0).tx_bytes_held, 0);
}

static void a_full_table_returns_eagain_and_a_writable_event_follows(void **state)
{
    struct iovec iov = { "0123456789", 10 };
    struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    (void)state;
    begin();
    opts[0].max_ops = 3;
    opts[1].tx_bytes = 128; /* two blocks of 64 */
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    for (uint64_t i = 0; i < 3; i++)
        assert_int_equal(send_bytes(0, 1, "x", 1, i), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 3), -EAGAIN);
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 4), -EAGAIN);
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(weir_send(ep[1], peer(1, 0), &iov, 1, i, &copy), 0);
    assert_int_equal(weir_send(ep[1], peer(1, 0), &iov, 1, 2, &copy), -EAGAIN);
    run(1 * MS);
    int writable[2] = { 0, 0 };
    for (uint32_t i = 0; i < 2; i++) {
        for (int k = 0; k < seen_count[i]; k++)
            writable[i] += seen[i][k].type == WEIR_EV_WRITABLE;
        release_all(i);
    }
    assert_int_equal(writable[0], 1);
    assert_int_equal(writable[1], 1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 3), 0);
    iov.iov_len = 129; /* can never fit */
    assert_int_equal(weir_send(ep[1], peer(1, 0), &iov, 1, 2, &copy), -EMSGSIZE);
    run(1 * MS);
    release_all(1);
}

static void invalid_arguments_are_refused(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = 8 };
    struct iovec iov = { "x", 1 }, huge[2] = { { NULL, SIZE_MAX }, { NULL, SIZE_MAX } };
    struct {
        struct weir_sendopt opt;
        uint64_t more;
    } newer = { { .size = sizeof(newer) }, 0 };
    char byte;
    (void)state;
    assert_int_equal(weir_send(ep[0], NULL, &iov, 1, 0, NULL), -EINVAL);
    assert_int_equal(weir_send(ep[0], peer(1, 0), &iov, 1, 0, NULL), -EINVAL); /* another endpoint's */
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 1, 0, NULL), -EINVAL);
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, -1, 0, NULL), -EINVAL);
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1025, 0, NULL), -EINVAL);
    assert_int_equal(weir_send(ep[0], peer(0, 1), huge, 2, 0, NULL), -EMSGSIZE);
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 0, &opt), -EINVAL);
    assert_int_equal(weir_recv_into(ep[0], NULL, &byte, 2, 1, 0), -EINVAL);
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 1, 0), -EINVAL);
    assert_int_equal(weir_poll(ep[0], NULL, 1, 0), -EINVAL);
    newer.more = 1;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 0, &newer.opt), -EINVAL);
    newer.more = 0;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 0, &newer.opt), 0);
    opt = (struct weir_sendopt){ .size = 4, .flags = 8 }; /* an older one, of which flags was no part */
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 0, &opt), 0);
    assert_int_equal(stats(0).ops_pending, 2);
    run(1 * MS);
    release_all(1);
}

static void payload_checksums_change_no_result(void **state)
{
    unsigned char *data = noise(10000, 5);
    struct iovec iov[3] = { { data, 1 }, { data + 1, 4000 }, { data + 4001, 5999 } };
    (void)state;
    begin();
    opts[0].flags = opts[1].flags = WEIR_OPEN_CHECKED;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 3, 1, NULL), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 0, 2, NULL), 0);
    run(1 * MS);
    expect_count(1, 2);
    for (int k = 0; k < 2; k++)
        if (seen[1][k].len > 0)
            assert_memory_equal(seen[1][k].data, data, 10000);
    assert_int_equal(stats(1).checksum_errors, 0);
    release_all(1);
    free(data);
}

/* 200 rounds of all sizes warm it up; 2000 more ask the heap for nothing. */
static void a_warm_endpoint_does_not_allocate(void **state)
{
    unsigned char *data = noise(100000, 6);
    struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY, .deadline_ns = 10 * MS };
    uint64_t warm[2] = { 0, 0 };
    (void)state;
    for (int round = 0; round < 2200; round++) {
        struct iovec iov = { data, (size_t)(round % 100 * 997) };
        if (round == 200)
            warm[0] = stats(0).allocations, warm[1] = stats(1).allocations;
        seen_count[0] = seen_count[1] = 0;
        assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, round % 2 ? &copy : NULL), 0);
        assert_int_equal(call_bytes(0, 1, data, 100, 2, MS), 0);
        run(500 * US);
        for (int k = 0; k < seen_count[1]; k++)
            if (seen[1][k].type == WEIR_EV_CALL)
                assert_int_equal(weir_reply(ep[1], seen[1][k].rpc, &iov, 1, 3, NULL), 0);
        release_all(1);
        run(500 * US);
        release_all(0);
    }
    assert_int_equal(stats(0).allocations, warm[0]);
    assert_int_equal(stats(1).allocations, warm[1]);
    assert_int_equal(stats(0).retransmissions + stats(1).retransmissions, 0);
    free(data);
}

static void after_shutdown_new_messages_are_refused_and_begun_ones_complete(void **state)
{
    struct iovec iov = { "r", 1 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "a", 1, 1, 0), 0); /* its reply is awaited */
    assert_int_equal(call_bytes(2, 0, "c", 1, 2, 0), 0); /* waits for ours */
    run(1 * MS);
    assert_int_equal(weir_shutdown(ep[0]), 0);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &iov, 1, 3, NULL), 0);
    assert_int_equal(weir_reply(ep[0], seen[0][0].rpc, &iov, 1, 4, NULL), 0);
    run(1 * MS);
    expect(0, 1, WEIR_EV_REPLY, 0, 1);
    expect(0, 2, WEIR_EV_REPLIED, 0, 4);
    expect(2, 0, WEIR_EV_REPLY, 0, 2);
    assert_int_equal(stats(0).ops_pending + stats(0).events_pending, 0);
    assert_int_equal(send_bytes(1, 0, "late", 4, 5), 0);
    run(100 * MS);
    expect_count(0, 3);
    for (uint32_t i = 0; i < EPS; i++)
        release_all(i);
}

static void shutdown_waits_for_arriving_messages(void **state)
{
    unsigned char *data = noise(300000, 8);
    (void)state;
    assert_int_equal(send_bytes(1, 0, data, 300000, 1), 0); /* 250 us of the link */
    run(100 * US);
    assert_int_equal(stats(0).messages_arriving, 1);
    assert_int_equal(stats(0).ops_pending + stats(0).events_pending, 0);
    assert_int_equal(weir_shutdown(ep[0]), 0);
    run(1 * MS);
    assert_int_equal(stats(0).messages_arriving, 0);
    assert_int_equal(stats(0).messages_received, 1);
    expect(1, 0, WEIR_EV_SENT, 0, 1);
    assert_int_equal(send_bytes(1, 0, data, 300000, 2), 0);
    run(100 * US);
    assert_int_equal(weir_cancel(ep[1], 2), 1);
    run(1 * MS);
    assert_int_equal(stats(0).messages_arriving, 0); /* nor does what came to nothing */
    release_all(0);
    free(data);
}

/* Everything that is lent, half sent and half received goes with it; the sanitizer counts. */
static void close_frees_everything_in_mid_transfer(void **state)
{
    unsigned char *data = noise(3000000, 7);
    struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    struct iovec iov = { data, 3000000 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &copy), 0);
    assert_int_equal(weir_send(ep[1], peer(1, 0), &iov, 1, 1, &copy), 0);
    assert_int_equal(weir_send(ep[2], peer(2, 0), &iov, 1, 1, &copy), 0);
    assert_int_equal(call_bytes(0, 1, "x", 1, 2, SECOND), 0);
    assert_int_equal(weir_recv_into(ep[1], NULL, data, 0, 10, 3), 0);
    run(1 * MS);
    assert_int_equal(weir_close(NULL), 0);
    for (uint32_t i = 0; i < EPS; i++) {
        assert_int_equal(weir_close(ep[i]), 0);
        ep[i] = NULL;
    }
    free(data);
}

static void a_handle_cancels_one_operation(void **state)
{
    uint64_t op[3];
    (void)state;
    assert_int_equal(weir_last_op(ep[0]), 0);
    for (int i = 0; i < 3; i++) { /* all have the same user_data */
        assert_int_equal(call_bytes(0, 1, "x", 1, 7, 0), 0);
        op[i] = weir_last_op(ep[0]);
        assert_true(op[i] != 0 && (i == 0 || op[i] != op[i - 1]));
    }
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 1, 7, NULL), -EINVAL); /* it is not accepted */
    assert_true(weir_last_op(ep[0]) == op[2]);
    assert_int_equal(weir_cancel_op(ep[0], op[1]), 0);
    assert_int_equal(weir_cancel_op(ep[0], op[1]), -ENOENT); /* it has ended, and its event was not taken */
    run(1 * MS);
    assert_int_equal(weir_cancel_op(ep[0], op[1]), -ENOENT);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ECANCELED, 7);
    assert_int_equal(stats(0).ops_pending, 2);
    assert_int_equal(weir_cancel_op(ep[0], op[0]), 0);
    run(1 * MS);
    assert_int_equal(send_bytes(0, 1, "y", 1, 8), 0); /* takes a record that is free, with another handle */
    assert_int_equal(weir_cancel_op(ep[0], op[0]), -ENOENT);
    assert_int_equal(weir_cancel_op(ep[0], op[1]), -ENOENT);
    run(1 * MS);
    expect(0, 2, WEIR_EV_SENT, 0, 8);
    assert_int_equal(weir_cancel_op(ep[0], op[2]), 0);
    run(1 * MS);
    expect(0, 3, WEIR_EV_REPLY, -ECANCELED, 7);
    assert_int_equal(stats(0).ops_pending, 0);
    release_all(1);
}

static void handles_of_nothing_cancel_nothing(void **state)
{
    struct weir_sendopt local = { .size = sizeof(local), .flags = WEIR_COPY | WEIR_LOCAL };
    (void)state;
    assert_int_equal(weir_cancel_op(ep[0], 0), -ENOENT);
    assert_int_equal(weir_cancel_op(ep[0], UINT64_MAX), -ENOENT);
    assert_int_equal(weir_cancel_op(ep[0], UINT64_C(1) << 32), -ENOENT);
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 0, 1, &local), 0);
    assert_int_equal(weir_cancel_op(ep[0], weir_last_op(ep[0])), -ENOENT); /* its event is made already */
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 2), 0);
    assert_int_equal(weir_cancel_op(ep[0], weir_last_op(ep[0])), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    expect(0, 1, WEIR_EV_RECEIVED, -ECANCELED, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(messages_of_all_sizes_arrive_unchanged, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_ends_with_its_reply, setup, teardown),
        cmocka_unit_test_setup_teardown(an_error_of_the_application_is_no_error_of_the_transport, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_out_of_range_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_handle_cancels_one_operation, setup, teardown),
        cmocka_unit_test_setup_teardown(handles_of_nothing_cancel_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_stale_request_handle_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_deadline_ends_an_unfinished_operation, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_cancelled_before_the_connection_is_never_sent, setup, teardown),
        cmocka_unit_test_setup_teardown(a_message_cancelled_in_transfer_is_freed_at_both_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copied_buffer_is_reusable_at_once, setup, teardown),
        cmocka_unit_test_teardown(a_full_table_returns_eagain_and_a_writable_event_follows, teardown),
        cmocka_unit_test_setup_teardown(invalid_arguments_are_refused, setup, teardown),
        cmocka_unit_test_teardown(payload_checksums_change_no_result, teardown),
        cmocka_unit_test_setup_teardown(a_warm_endpoint_does_not_allocate, setup, teardown),
        cmocka_unit_test_setup_teardown(after_shutdown_new_messages_are_refused_and_begun_ones_complete, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(shutdown_waits_for_arriving_messages, setup, teardown),
        cmocka_unit_test_setup_teardown(close_frees_everything_in_mid_transfer, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/api", tests, NULL, NULL);
}
