/* test/unit/endpoint/test_tx.c - pace, batches, and a driver without room. */
#include "test/unit/endpoint/endpoint_test.h"

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
    /* 1000016 bytes are 702 full frames and one of 1070 + 115: 1080861 bytes of link, less the burst */
    assert_in_range(seen_ns[0][0], 8647 * US - 16 * 12304, 8647 * US + 40 * US);
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
    struct weir_wire_head wire = { .pkt = done, .token = ep[1]->peers[0].tx_token, .counter = 1 };
    weir_wire_encode(&wire, NULL, head);
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

static void start_unscheduled(void)
{
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].cc = "sird UnschT=all unsched_max=1MB"; /* nothing waits for credit: the pace alone stops packets */
        assert_int_equal(start(i), 0);
    }
}

/* A full frame takes 1230.4 ns of 10 Gb/s: the burst of 50 us are 41 of them, a quantum is 25 us or 20.3. */
static void a_long_message_leaves_in_runs(void **state)
{
    unsigned char *data = noise(1000000, 4);
    (void)state;
    start_unscheduled();
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    uint32_t sends = shim[0].sends;
    uint64_t packets = stats(0).packets_sent, start_ns = now_ns();
    assert_int_equal(send_bytes(0, 1, data, 1000000, 2), 0);
    run(0);
    assert_int_equal(stats(0).packets_sent - packets, 41); /* the burst does not wait */
    run(100 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_int_equal(stats(0).packets_sent - packets, 703);
    assert_in_range(shim[0].sends - sends, 1 + (703 - 41) / 21, 1 + (703 - 41) / 20 + 1);
    /* as if each had left when it was due: the last frame, there and its DONE back */
    assert_in_range(seen_ns[0][1] - start_ns, 859 * US - 50 * US, 859 * US - 50 * US + 25 * US + 10 * US + 3 * US);
    release_all(1);
    free(data);
}

/* While packets of a long message are being collected, one of a single packet leaves at the instant it is submitted. */
static void a_small_message_does_not_wait_for_a_quantum(void **state)
{
    unsigned char *data = noise(1000000, 5);
    uint64_t packets;
    (void)state;
    start_unscheduled();
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    assert_int_equal(send_bytes(0, 2, "x", 1, 2), 0);
    run(1 * MS);
    packets = stats(0).packets_sent;
    assert_int_equal(send_bytes(0, 2, "y", 1, 3), 0); /* alone */
    run(0);
    assert_int_equal(stats(0).packets_sent - packets, 1);
    run(100 * US);
    assert_int_equal(send_bytes(0, 1, data, 1000000, 4), 0);
    run(110 * US); /* 10 us after a run */
    assert_true(ep[0]->collecting);
    packets = stats(0).packets_sent;
    run(2 * US);
    assert_int_equal(stats(0).packets_sent, packets); /* others wait */
    uint64_t at_ns = now_ns();
    assert_int_equal(send_bytes(0, 2, "z", 1, 5), 0);
    run(0);
    assert_true(stats(0).packets_sent > packets);
    run(10 * MS);
    for (int k = 0; k < seen_count[2]; k++)
        if (seen[2][k].len == 1 && *(const char *)seen[2][k].data == 'z')
            assert_int_equal(seen_ns[2][k], at_ns + 5 * US);
    expect_count(2, 3);
    expect_count(0, 5);
    release_all(1);
    release_all(2);
    free(data);
}

/* The receiver polls whenever it has a reason to: credit for single packets would make the sender send single packets. */
static void credit_is_collected_and_the_first_does_not_wait(void **state)
{
    unsigned char *data = noise(1000000, 6);
    uint32_t sends;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    mem_tap(mem, count_credits, NULL);
    credits = 0;
    sends = shim[0].sends;
    uint64_t start_ns = now_ns();
    assert_int_equal(send_bytes(0, 1, data, 1000000, 2), 0);
    run(5 * US); /* its first packet has arrived */
    assert_int_equal(credits, 1);
    run(10 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_in_range(credits, 25, 699 / 16);
    assert_in_range(shim[0].sends - sends, 25, 699 / 16);
    /* 1074 KB at 97 % of 10 Gb/s, a round trip, and what is collected at the beginning and at the end */
    assert_in_range(seen_ns[0][1] - start_ns, 800 * US, 886 * US + 10 * US + 50 * US);
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
        cmocka_unit_test_teardown(a_long_message_leaves_in_runs, teardown),
        cmocka_unit_test_teardown(a_small_message_does_not_wait_for_a_quantum, teardown),
        cmocka_unit_test_setup_teardown(credit_is_collected_and_the_first_does_not_wait, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/tx", tests, NULL, NULL);
}
