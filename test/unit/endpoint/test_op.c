/* test/unit/endpoint/test_op.c - an operation's record: whose it is until when. */
#include "test/unit/endpoint/endpoint_test.h"

static void a_reused_entry_has_another_handle(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    uint32_t generation = ep[0]->ops[0].generation;
    run(1 * MS);
    assert_int_equal(ep[0]->ops[0].kind, EP_FREE);
    assert_int_equal(send_bytes(0, 1, "y", 1, 2), 0);
    assert_int_equal(ep[0]->op_count, 1);
    assert_int_equal(ep[0]->ops[0].generation, generation + 1);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    release_all(1);
}

/* The event is taken while the host has the handle still: the place stays until the peer has confirmed. */
static void a_cancelled_entry_stays_until_the_host_is_done(void **state)
{
    unsigned char *data = noise(1000000, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, data, 1000000, 1), 0);
    run(100 * US);
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    assert_int_equal(weir_poll(ep[0], seen[0], 1, 0), 1);
    assert_int_equal(seen[0][0].result, -ECANCELED);
    assert_int_equal(ep[0]->ops[0].kind, EP_SEND);
    assert_true(ep[0]->ops[0].flags & EP_OP_IN_HOST);
    run(50 * MS);
    assert_int_equal(ep[0]->ops[0].kind, EP_FREE);
    assert_null(ep[0]->peers[0].op_head);
    free(data);
}

/* The word that a call has arrived is lost, its reply comes: what was borrowed must be ours with the event. */
static void a_reply_ends_a_call_that_the_host_still_has(void **state)
{
    unsigned char *data = noise(100, 2);
    struct iovec iov = { "r", 1 };
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    shim[1].lose[WEIR_PKT_DONE] = 1;
    assert_int_equal(call_bytes(0, 1, data, 100, 2, 0), 0);
    run(100 * US);
    assert_int_equal(weir_reply(ep[1], seen[1][1].rpc, &iov, 1, 3, NULL), 0);
    run(20 * US);
    expect(0, 1, WEIR_EV_REPLY, 0, 2);
    free(data);
    run(100 * MS);
    assert_null(ep[0]->peers[0].op_head);
    assert_int_equal(ep[0]->peers[0].calls, 0);
    expect_count(1, 3); /* message, call, replied: the call came once */
    release_all(0);
    release_all(1);
}

static void a_copy_that_completed_early_is_still_sent(void **state)
{
    struct weir_sendopt local = { .size = sizeof(local), .flags = WEIR_COPY | WEIR_LOCAL };
    unsigned char *data = noise(1000000, 3);
    struct iovec iov = { data, 1000000 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &local), 0);
    run(0);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    assert_int_equal(stats(0).ops_pending, 0);
    assert_true(stats(0).tx_bytes_held >= 1000000);
    run(10 * MS);
    assert_memory_equal(seen[1][0].data, data, 1000000);
    assert_int_equal(stats(0).tx_bytes_held, 0);
    assert_int_equal(ep[0]->ops[0].kind, EP_FREE);
    release_all(1);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reused_entry_has_another_handle, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cancelled_entry_stays_until_the_host_is_done, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reply_ends_a_call_that_the_host_still_has, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_that_completed_early_is_still_sent, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/op", tests, NULL, NULL);
}
