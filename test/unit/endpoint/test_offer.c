/* test/unit/endpoint/test_offer.c - weir_recv_into(): which message goes where, in which order, and what becomes of an
 * offer. */
#include "test/unit/endpoint/endpoint_test.h"

static void offers_are_used_in_order_by_what_fits(void **state)
{
    char a[100], b[100], c[100];
    (void)state;
    assert_int_equal(weir_recv_into(ep[1], NULL, a, 50, 100, 1), 0);
    assert_int_equal(weir_recv_into(ep[1], peer(1, 2), b, 0, 100, 2), 0); /* from endpoint 2 only */
    assert_int_equal(weir_recv_into(ep[1], peer(1, 0), c, 0, 100, 3), 0);
    assert_int_equal(send_bytes(0, 1, "small", 5, 10), 0);
    run(1 * MS);
    expect(1, 0, WEIR_EV_RECEIVED, 0, 3);
    assert_ptr_equal(seen[1][0].data, c);
    assert_ptr_equal(seen[1][0].peer, peer(1, 0));
    assert_null(seen[1][0].lease);
    assert_int_equal(seen[1][0].len, 5);
    assert_memory_equal(c, "small", 5);
    unsigned char *data = noise(101, 1);
    assert_int_equal(send_bytes(0, 1, data, 60, 11), 0);
    assert_int_equal(send_bytes(0, 1, data, 101, 12), 0); /* fits nowhere: lent */
    run(1 * MS);
    expect(1, 1, WEIR_EV_RECEIVED, 0, 1);
    assert_memory_equal(a, data, 60);
    expect(1, 2, WEIR_EV_MESSAGE, 0, 0);
    assert_memory_equal(seen[1][2].data, data, 101);
    assert_int_equal(weir_cancel(ep[1], 2), 1);
    run(0);
    expect(1, 3, WEIR_EV_RECEIVED, -ECANCELED, 2);
    release_all(1);
    free(data);
}

static void a_large_message_is_received_into_the_offered_memory(void **state)
{
    unsigned char *data = noise(3000000, 2), *into = noise(3000000, 3);
    (void)state;
    begin();
    opts[1].rx_bytes = 65536; /* it would never fit here */
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 1, 3000000, 1), 0);
    assert_int_equal(send_bytes(0, 1, data, 3000000, 10), 0);
    run(10 * MS);
    expect(1, 0, WEIR_EV_RECEIVED, 0, 1);
    assert_memory_equal(into, data, 3000000);
    expect(0, 0, WEIR_EV_SENT, 0, 10);
    assert_int_equal(send_bytes(0, 1, data, 3000000, 11), 0); /* and without an offer it does not */
    run(10 * MS);
    expect(0, 1, WEIR_EV_SENT, -EMSGSIZE, 11);
    expect_count(1, 1);
    assert_int_equal(send_bytes(0, 1, data, 10000, 12), 0);
    run(10 * MS);
    expect(0, 2, WEIR_EV_SENT, 0, 12);
    release_all(1);
    free(data);
    free(into);
}

static void a_request_can_be_received_and_answered(void **state)
{
    char into[10];
    struct iovec iov = { into, 3 };
    (void)state;
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, 10, 1), 0);
    assert_int_equal(call_bytes(0, 1, "abc", 3, 2, 0), 0);
    run(1 * MS);
    expect(1, 0, WEIR_EV_RECEIVED, 0, 1);
    assert_true(seen[1][0].rpc != 0);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &iov, 1, 3, NULL), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_REPLY, 0, 2);
    assert_memory_equal(seen[0][0].data, "abc", 3);
    release_all(0);
}

static void replies_do_not_use_offers(void **state)
{
    unsigned char *data = noise(500000, 4);
    struct iovec iov = { data, 500000 };
    char *into = malloc(500000);
    (void)state;
    assert_int_equal(call_bytes(0, 1, "a", 1, 1, 0), 0);
    run(1 * MS);
    assert_int_equal(weir_recv_into(ep[0], NULL, into, 0, 500000, 2), 0);
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &iov, 1, 3, NULL), 0);
    run(5 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, 0, 1);
    assert_memory_equal(seen[0][0].data, data, 500000);
    /* a late reply, which no call waits for, gives the memory back */
    assert_int_equal(call_bytes(0, 1, "b", 1, 4, 2 * MS), 0);
    run(5 * MS);
    expect(0, 1, WEIR_EV_REPLY, -ETIMEDOUT, 4);
    assert_int_equal(weir_reply(ep[1], seen[1][2].rpc, &iov, 1, 5, NULL), 0);
    run(5 * MS);
    expect_count(0, 2);
    assert_int_equal(send_bytes(1, 0, data, 400000, 6), 0);
    run(5 * MS);
    expect(0, 2, WEIR_EV_RECEIVED, 0, 2);
    assert_memory_equal(into, data, 400000);
    release_all(0);
    release_all(1);
    free(data);
    free(into);
}

static void an_offer_being_filled_ends_with_its_message(void **state)
{
    unsigned char *data = noise(2000000, 5), *into = noise(2000000, 6);
    (void)state;
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, 2000000, 1), 0);
    assert_int_equal(send_bytes(0, 1, data, 2000000, 2), 0);
    run(500 * US);
    assert_int_equal(weir_cancel(ep[1], 1), 1);
    run(10 * MS);
    expect_count(1, 1);
    expect(1, 0, WEIR_EV_RECEIVED, 0, 1); /* it was on its way: all of it came */
    assert_memory_equal(into, data, 2000000);
    /* its sender gives up: the offer is there for the next one, unless it was cancelled */
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, 2000000, 3), 0);
    assert_int_equal(send_bytes(0, 1, data, 2000000, 4), 0);
    run(500 * US);
    assert_int_equal(weir_cancel(ep[0], 4), 1);
    run(50 * MS);
    expect_count(1, 1);
    assert_int_equal(send_bytes(0, 1, data, 2000000, 5), 0);
    run(500 * US);
    assert_int_equal(weir_cancel(ep[1], 3), 1);
    assert_int_equal(weir_cancel(ep[0], 5), 1);
    run(50 * MS);
    expect_count(1, 2);
    expect(1, 1, WEIR_EV_RECEIVED, -ECANCELED, 3);
    free(data);
    free(into);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(offers_are_used_in_order_by_what_fits, setup, teardown),
        cmocka_unit_test_teardown(a_large_message_is_received_into_the_offered_memory, teardown),
        cmocka_unit_test_setup_teardown(a_request_can_be_received_and_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(replies_do_not_use_offers, setup, teardown),
        cmocka_unit_test_setup_teardown(an_offer_being_filled_ends_with_its_message, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/offer", tests, NULL, NULL);
}
