/* test/unit/ep/test_tx.c - pace, batches, and a driver without room. */
#include "test/unit/ep/ep_test.h"

/* 1 Mbit of frames at 1 Gb/s takes a millisecond, however soon there is credit. */
static void packets_leave_at_the_links_pace(void **state)
{
    unsigned char *data = noise(1000000, 1);
    (void)state;
    begin();
    for (uint32_t i = 0; i < 2; i++) {
        opts[i].rate_bps = 1000000000;
        opts[i].cc = "sird UnschT=all unsched_max=1MB"; /* nothing waits for credit */
        assert_int_equal(start(i), 0);
    }
    assert_int_equal(send_bytes(0, 1, data, 1000000, 1), 0);
    run(20 * US);
    /* connected after 20 us; the burst of 16 frames, and the one that begins while it is not over */
    assert_int_equal(stats(0).packets_sent, 2 + 17);
    run(100 * MS);
    /* 1000016 bytes are 698 full frames and one of 496 + 106: 1074126 bytes of link, less the burst */
    assert_in_range(seen_ns[0][0], 8593 * US - 16 * 12304, 8593 * US + 40 * US);
    release_all(1);
    free(data);
}

/* Connected, and from now on without room: the second message waits for the driver. */
static void send_without_room(const void *data, size_t len)
{
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    shim[0].no_room = true;
    assert_int_equal(send_bytes(0, 1, data, len, 2), 0);
}

static void packets_without_room_in_the_driver_are_sent_later(void **state)
{
    (void)state;
    send_without_room("y", 1);
    run(1 * MS);
    assert_int_equal(ep[0]->txq_count, 1);
    assert_in_range(stats(0).send_blocked, 19, 21); /* once per 50 us */
    shim[0].no_room = false;
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    release_all(1);
}

/* What waits for the driver must not be read once its memory is the application's again. */
static void a_cancelled_message_does_not_wait_for_the_driver(void **state)
{
    unsigned char *data = noise(20000, 2);
    (void)state;
    send_without_room(data, 20000);
    run(100 * US);
    assert_true(ep[0]->txq_count > 0);
    assert_int_equal(weir_cancel(ep[0], 2), 1);
    assert_int_equal(ep[0]->txq_count, 0);
    free(data);
    shim[0].no_room = false;
    run(50 * MS);
    expect(0, 1, WEIR_EV_SENT, -ECANCELED, 2);
    expect_count(1, 1);
    release_all(1);
}

/* A peer that says it has what has not left yet: the operation ends, and its memory is the application's. */
static void an_acknowledged_message_does_not_wait_for_the_driver(void **state)
{
    const struct weir_net_addr to = mem_addr(1, 4000);
    unsigned char *data = noise(1000, 2), head[WEIR_WIRE_HEAD_BYTES];
    struct weir_net_out out = { .to = &to, .head = head, .head_bytes = sizeof(head) };
    struct weir_pkt done = { .kind = WEIR_PKT_DONE };
    (void)state;
    send_without_room(data, 1000);
    run(100 * US);
    assert_int_equal(ep[0]->txq_count, 1);
    done.conn = ep[0]->txq[0].conn;
    done.msg = ep[0]->txq[0].msg;
    weir_wire_encode(&done, ep[1]->peers[0].tx_token, false, NULL, head);
    assert_int_equal(shim[1].inner->driver->send(shim[1].inner, &out, 1), 1);
    run(20 * US);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_int_equal(ep[0]->txq_count, 0);
    free(data);
    shim[0].no_room = false;
    run(50 * MS);
    expect_count(1, 1);
    release_all(1);
}

static uint32_t credits;

static void count_credits(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                          const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    credits += weir_wire_type(bytes, length) == WEIR_PKT_CREDIT;
}

/* The receiver looks every 30 us: then credit for several packets is due (pace_slack), and leaves as one. */
static void credits_that_leave_together_are_one_packet(void **state)
{
    unsigned char *data = noise(1000000, 3);
    (void)state;
    mem_tap(mem, count_credits, NULL);
    credits = 0;
    assert_int_equal(send_bytes(0, 1, data, 1000000, 1), 0);
    for (int i = 0; i < 200; i++) {
        asleep[1] = true;
        run(30 * US);
        asleep[1] = false;
        run(0);
    }
    run(20 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    /* 699 packets need credit: the message is above UnschT. At 97 % of 10 Gb/s 30 us are 23.6 packets, 30 looks */
    assert_in_range(credits, 25, 60);
    release_all(1);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(packets_leave_at_the_links_pace, teardown),
        cmocka_unit_test_setup_teardown(packets_without_room_in_the_driver_are_sent_later, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cancelled_message_does_not_wait_for_the_driver, setup, teardown),
        cmocka_unit_test_setup_teardown(an_acknowledged_message_does_not_wait_for_the_driver, setup, teardown),
        cmocka_unit_test_setup_teardown(credits_that_leave_together_are_one_packet, setup, teardown),
    };
    return cmocka_run_group_tests_name("ep/tx", tests, NULL, NULL);
}
