/* test/unit/endpoint/test_rx.c - what comes: memory that is bounded whoever sends, and what is not believed. */
#include "test/unit/endpoint/endpoint_test.h"

enum { RX = 1 << 20, MESSAGES = 200, LEN = 20000 };

/* Four times what fits is sent to one that does not poll, then does not release. */
static void memory_is_bounded_and_no_message_is_lost(void **state)
{
    unsigned char *data = noise(LEN, 1);
    int released = 0;
    (void)state;
    begin();
    opts[1].rx_bytes = RX;
    opts[0].peer_timeout_ns = opts[1].peer_timeout_ns = 20 * SECOND;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    for (uint64_t i = 0; i < MESSAGES; i++)
        assert_int_equal(send_bytes(0, 1, data, LEN, i), 0);
    run(100 * US);
    asleep[1] = true;
    run(SECOND);
    asleep[1] = false;
    run(SECOND);
    assert_true(stats(1).rx_bytes_held <= RX);
    assert_true(stats(1).no_memory > 0);
    assert_true(seen_count[1] < MESSAGES);
    for (int rounds = 0; rounds < 100 && released < MESSAGES; rounds++) {
        for (; released < seen_count[1]; released++) {
            assert_memory_equal(seen[1][released].data, data, LEN);
            weir_release(ep[1], seen[1][released].lease);
        }
        run(SECOND);
    }
    assert_int_equal(released, MESSAGES);
    expect_count(0, MESSAGES);
    for (int k = 0; k < MESSAGES; k++)
        assert_int_equal(seen[0][k].result, 0);
    assert_int_equal(stats(0).resets, 0);
    free(data);
}

/* A receiver without memory is not a silent one. */
static void a_full_receiver_gives_a_sign_of_life(void **state)
{
    unsigned char *data = noise(40000, 1);
    (void)state;
    begin();
    opts[1].rx_bytes = 65536;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, data, 40000, 1), 0);
    run(1 * MS);
    assert_int_equal(send_bytes(0, 1, data, 40000, 2), 0);
    run(5 * SECOND); /* peer_timeout_ns is one */
    expect_count(0, 1);
    release_all(1);
    run(2 * SECOND);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    release_all(1);
    free(data);
}

static void inject(uint32_t from, uint32_t to, struct weir_pkt pkt, const unsigned char *payload)
{
    struct weir_net_addr a = mem_addr(from + 1, 4000), b = mem_addr(to + 1, 4000);
    unsigned char bytes[WEIR_WIRE_HEAD_BYTES + MSS];
    struct weir_wire_head head = { .pkt = pkt, .token = peer(to, from)->rx_token, .counter = 1 };
    weir_wire_encode(&head, payload, bytes);
    if (pkt.payload_bytes > 0)
        memcpy(bytes + WEIR_WIRE_HEAD_BYTES, payload, pkt.payload_bytes);
    mem_inject(mem, &a, &b, bytes, WEIR_WIRE_HEAD_BYTES + pkt.payload_bytes);
}

/* From a peer with the right token that says nonsense. */
static void malformed_datagrams_are_dropped_and_counted(void **state)
{
    unsigned char payload[MSS] = { 9 }; /* no kind of message */
    uint64_t before;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    before = stats(1).refused_packets;
    struct weir_pkt data = {
        .kind = WEIR_PKT_DATA, .conn = 1, .payload_bytes = 20, .msg_bytes = 20 | UINT64_C(1) << 48
    };
    inject(0, 1, data, payload); /* complete, but of no kind */
    data.conn = 2;
    data.payload_bytes = 15;
    data.msg_bytes = 15 | UINT64_C(1) << 48;
    inject(0, 1, data, payload); /* shorter than its head */
    data.msg_bytes = 10000;
    inject(0, 1, data, payload); /* and the packet of a longer one */
    inject(0, 1, (struct weir_pkt){ .kind = WEIR_PKT_ACK }, NULL);
    inject(0, 1, (struct weir_pkt){ .kind = WEIR_PKT_REPLY }, NULL);
    inject(0, 1, (struct weir_pkt){ .kind = WEIR_PKT_REQUEST, .conn = 0x1fffffff, .msg_bytes = 100 }, NULL);
    run(1 * MS);
    assert_int_equal(stats(1).refused_packets - before, 6);
    expect_count(1, 1);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    assert_int_equal(send_bytes(0, 1, "y", 1, 2), 0); /* number 1 is used up, so this one is taken for a duplicate .. */
    assert_int_equal(send_bytes(0, 1, "z", 1, 3), 0); /* .. and the liar has harmed nobody but himself */
    run(100 * MS);
    expect_count(1, 2);
    release_all(1);
}

static void start_checked(bool both)
{
    begin();
    opts[1].flags = WEIR_OPEN_CHECKED;
    opts[0].flags = both ? WEIR_OPEN_CHECKED : 0;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
}

/* From a connected peer's address, with the right token and a right checksum, all but the C bit. */
static void a_checked_endpoint_refuses_what_is_not_checked(void **state)
{
    static const struct weir_pkt forged[] = {
        { .kind = WEIR_PKT_DATA, .conn = 1, .payload_bytes = 20, .msg_bytes = 20 | UINT64_C(1) << 48 },
        { .kind = WEIR_PKT_REQUEST, .conn = 1, .msg_bytes = 20 },
        { .kind = WEIR_PKT_CREDIT, .ack = 1000000 },
        { .kind = WEIR_PKT_ABORT, .conn = 1, .msg_bytes = 20 },
        { .kind = WEIR_PKT_DONE },
        { .kind = WEIR_PKT_CONTROL, .conn = WEIR_PKT_NO_CONN },
    };
    const uint64_t count = sizeof(forged) / sizeof(forged[0]);
    const unsigned char payload[MSS] = { EP_SEND };
    struct weir_stats before, after;
    uint64_t heard_ps;
    (void)state;
    start_checked(true);
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    before = stats(1);
    heard_ps = peer(1, 0)->heard_ps;
    for (uint64_t i = 0; i < count; i++)
        inject(0, 1, forged[i], payload);
    run(1 * MS);
    after = stats(1);
    assert_int_equal(after.unchecked_packets - before.unchecked_packets, count);
    assert_int_equal(after.refused_packets - before.refused_packets, count);
    assert_int_equal(after.packets_sent, before.packets_sent); /* no DONE, no RESET */
    assert_int_equal(peer(1, 0)->heard_ps, heard_ps);
    after.unchecked_packets = before.unchecked_packets;
    after.refused_packets = before.refused_packets;
    after.packets_received = before.packets_received;
    assert_memory_equal(&after, &before, sizeof(after)); /* nothing else has changed */
    expect_count(1, 1);
    assert_int_equal(send_bytes(0, 1, "y", 1, 2), 0); /* the number that was forged is still free */
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_memory_equal(seen[1][1].data, "y", 1);
    assert_int_equal(stats(0).unchecked_packets, 0); /* what the other sent had the check, also without payload */
    release_all(1);
}

/* Whoever demands the check hears nothing from one without it: both ends' operations run out of time. */
static void a_peer_without_the_check_times_out(void **state)
{
    unsigned char *data = noise(400000, 1); /* needs credit: it begins with a REQUEST */
    (void)state;
    start_checked(false);
    assert_int_equal(send_bytes(0, 1, data, 400000, 1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 2), 0);
    assert_int_equal(send_bytes(1, 0, "y", 1, 3), 0);
    run(3 * SECOND); /* peer_timeout_ns is one */
    assert_int_equal(stats(0).ops_pending + stats(1).ops_pending, 0);
    for (int k = 0; k < seen_count[0]; k++)
        if (seen[0][k].type == WEIR_EV_SENT)
            assert_true(seen[0][k].result == -ETIMEDOUT || seen[0][k].result == -ECONNRESET);
    assert_int_equal(seen_count[1], 1);
    expect(1, 0, WEIR_EV_SENT, -ETIMEDOUT, 3);
    assert_true(stats(1).unchecked_packets > 0);
    assert_int_equal(stats(1).messages_received, 0);
    assert_int_equal(stats(0).unchecked_packets, 0);
    release_all(0);
    free(data);
}

/* Announced and never sent: there is an end to it. */
static void announcements_take_no_more_than_the_budget(void **state)
{
    (void)state;
    begin();
    opts[1].rx_bytes = RX;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    for (uint32_t i = 1; i < 3000; i++) {
        inject(0, 1, (struct weir_pkt){ .kind = WEIR_PKT_REQUEST, .conn = i, .msg_bytes = 100000 + i }, NULL);
        run(1 * US);
    }
    assert_true(stats(1).rx_bytes_held <= RX);
    assert_true(stats(1).no_memory > 2900);
    assert_true(ep[1]->rx.limit - ep[1]->rx.used >= RX / 8); /* small messages still come */
    assert_true(ep[1]->grown_bytes < 4 << 20);
}

/* Host 0 has lost its power with 700 KB half sent to host 1, which has memory for one such message. */
static void a_dead_sender_holds_memory_for_a_second_at_most(void **state)
{
    unsigned char *bytes = noise(700000, 1);
    (void)state;
    begin();
    for (uint32_t i = 0; i < EPS; i++)
        opts[i].peer_timeout_ns = 20 * SECOND;
    opts[1].rx_bytes = 1 << 20;
    start_all();
    assert_int_equal(send_bytes(0, 1, bytes, 700000, 1), 0);
    run(200 * US);
    assert_int_equal(stats(1).messages_arriving, 1);
    kill_ep(0);
    assert_int_equal(send_bytes(2, 1, bytes, 700000, 2), 0);
    run(900 * MS); /* a host that stands still for so long loses nothing */
    expect_count(2, 0);
    assert_int_equal(stats(1).messages_arriving, 1);
    run(600 * MS);
    expect_count(2, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 2);
    expect_count(1, 1);
    assert_memory_equal(seen[1][0].data, bytes, 700000);
    assert_int_equal(stats(1).peers, 1);
    release_all(1);
    assert_int_equal(start(0), 0); /* for the teardown */
    free(bytes);
}

/* The same, and nobody else needs the memory. */
static void a_silent_sender_may_come_back(void **state)
{
    unsigned char *bytes = noise(700000, 1);
    (void)state;
    begin();
    for (uint32_t i = 0; i < EPS; i++)
        opts[i].peer_timeout_ns = 20 * SECOND;
    opts[1].rx_bytes = 1 << 20;
    start_all();
    assert_int_equal(send_bytes(0, 1, bytes, 700000, 1), 0);
    run(200 * US);
    asleep[0] = true;
    assert_int_equal(send_bytes(2, 1, bytes, 1000, 2), 0); /* there is room for this */
    run(5 * SECOND);
    expect(2, 0, WEIR_EV_SENT, 0, 2);
    asleep[0] = false;
    run(1 * SECOND);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    release_all(1);
    free(bytes);
}

/* Host 0 waits for memory of host 1. CREDIT for more packets than the window has is no sign that there is some. */
static void credit_that_the_host_refuses_ends_no_wait(void **state)
{
    unsigned char *data = noise(100000, 1);
    struct weir_pkt credit = { .kind = WEIR_PKT_CREDIT };
    const struct ep_op *op;
    uint64_t before;
    (void)state;
    begin();
    opts[1].rx_bytes = 1 << 18;
    start_all();
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(send_bytes(2, 1, data, 80000, i), 0);
    run(100 * MS);
    expect_count(1, 2);
    assert_int_equal(send_bytes(0, 1, data, 100000, 3), 0);
    run(100 * MS);
    op = peer(0, 1)->op_head;
    assert_true(op->flags & EP_OP_HELD);
    credit.conn = op->conn;
    credit.msg = (uint32_t)(op - ep[0]->ops);
    before = stats(0).refused_packets;
    for (uint32_t more = 0; more < 2; more++) {
        credit.value = WEIR_CREDIT_WINDOW_PKTS + more; /* packets besides the first one */
        inject(1, 0, credit, NULL);
        run(10 * US);
        assert_int_equal(stats(0).refused_packets - before, more + 1);
        assert_true(op->flags & EP_OP_HELD);
        assert_false(op->flags & EP_OP_CREDITED);
        assert_int_equal(peer(0, 1)->held, 1);
    }
    credit.value = WEIR_CREDIT_WINDOW_PKTS - 1;
    inject(1, 0, credit, NULL);
    run(10 * US);
    assert_int_equal(stats(0).refused_packets - before, 2);
    assert_false(op->flags & EP_OP_HELD);
    assert_true(op->flags & EP_OP_CREDITED);
    assert_int_equal(peer(0, 1)->held, 0);
    release_all(1);
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(memory_is_bounded_and_no_message_is_lost, teardown),
        cmocka_unit_test_teardown(a_full_receiver_gives_a_sign_of_life, teardown),
        cmocka_unit_test_setup_teardown(malformed_datagrams_are_dropped_and_counted, setup, teardown),
        cmocka_unit_test_teardown(a_checked_endpoint_refuses_what_is_not_checked, teardown),
        cmocka_unit_test_teardown(a_peer_without_the_check_times_out, teardown),
        cmocka_unit_test_teardown(announcements_take_no_more_than_the_budget, teardown),
        cmocka_unit_test_teardown(a_dead_sender_holds_memory_for_a_second_at_most, teardown),
        cmocka_unit_test_teardown(a_silent_sender_may_come_back, teardown),
        cmocka_unit_test_teardown(credit_that_the_host_refuses_ends_no_wait, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/rx", tests, NULL, NULL);
}
