/* test/unit/endpoint/test_stream_room.c - sender-driven messages for which there is no memory: their sender is told, waits, and
 * is told when there is room. */
#include "test/unit/endpoint/endpoint_test.h"

enum { LEN = 40000, WINDOW = 10 }; /* DCTCP begins with a window of ten packets */

static unsigned char *data;
static uint32_t data_sent;         /* DATA from endpoint 0 */
static unsigned char old_ack[200]; /* the last one of the first message; 0 bytes = none */
static uint32_t old_ack_bytes;

static void count_data(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                       const unsigned char *bytes, uint32_t length)
{
    struct weir_net_addr first = mem_addr(1, 4000);
    (void)ctx, (void)to;
    data_sent += weir_wire_type(bytes, length) == WEIR_WIRE_STREAM && memcmp(from, &first, sizeof(first)) == 0;
    if (weir_wire_type(bytes, length) != WEIR_PKT_ACK || seen_count[0] > 0)
        return;
    assert_in_range(length, 1, sizeof(old_ack));
    memcpy(old_ack, bytes, length);
    old_ack_bytes = length;
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
    old_ack_bytes = 0;
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

/* Asked for every 250 ms, a quarter of peer_timeout: one packet before that, and one each time. */
static void a_full_receiver_draws_a_packet_each_time_it_is_asked(void **state)
{
    (void)state;
    run(5 * SECOND);
    expect_count(0, 1);
    assert_int_equal(data_sent, 1 + 19);
    assert_int_equal(stats(1).no_memory, data_sent);
    assert_int_equal(stats(0).timeouts, 0);
    uint64_t released_ns = now_ns();
    release_all(1);
    run(2 * MS);
    assert_arrived(1);
    assert_true(seen_ns[1][1] - released_ns < 200 * US);
    assert_int_equal(data_sent, 1 + 19 + (LEN + EP_HEAD_BYTES + MSS - 1) / MSS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
}

/* Before the first ACK a sender does not know what memory there is: a window is refused, once. */
static void a_window_is_refused_at_first(void **state)
{
    (void)state;
    kill_ep(0);
    assert_int_equal(start(0), 0);
    data_sent = 0;
    assert_int_equal(send_bytes(0, 1, data, LEN, 2), 0);
    run(100 * MS);
    assert_int_equal(data_sent, WINDOW);
    assert_int_equal(peer(0, 1)->held, 1);
    run(SECOND);
    assert_int_equal(data_sent, WINDOW + 4);
    release_all(1);
    run(2 * MS);
    assert_arrived(1);
    assert_int_equal(peer(0, 1)->held, 0);
    assert_int_equal(stats(0).timeouts, 0);
}

/* What the ACKs report, and what the sender makes of it: messages that fit begin at once, others with one packet. */
static void room_in_acks_decides_how_a_message_begins(void **state)
{
    (void)state;
    struct weir_peer *p = peer(0, 1);
    release_all(1);
    run(SECOND); /* the second message is asked for, and arrives */
    assert_int_equal(seen_count[1], 2);
    uint64_t room = ep[1]->rx.limit - ep[1]->rx.used;
    assert_in_range(p->room_kib, 1, room / 1024);
    assert_int_equal(p->asked_bytes, 0);
    data_sent = 0;
    assert_int_equal(send_bytes(0, 1, data, p->room_kib * UINT64_C(1024), 3), 0);
    run(12 * US); /* the first packets are on their way, and no ACK is here */
    assert_true(data_sent > 1);
    run(2 * MS);
    assert_int_equal(seen_count[1], 3);
    data_sent = 0;
    assert_int_equal(send_bytes(0, 1, data, (p->room_kib + 4) * UINT64_C(1024), 4), 0);
    run(2 * MS);
    assert_int_equal(data_sent, 1);
    release_all(1);
    run(2 * MS);
    assert_int_equal(seen_count[1], 4);
    release_all(1);
    /* memory that is offered is not counted, so nothing is reported while there is an offer */
    static unsigned char offered[8];
    assert_int_equal(weir_recv_into(ep[1], NULL, offered, 8, 8, 9), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(2 * MS);
    assert_int_equal(seen_count[1], 5);
    assert_int_equal(p->room_kib, UINT32_MAX);
}

static void a_word_of_room_that_is_lost_is_repeated(void **state)
{
    (void)state;
    run(200 * MS); /* between two tries */
    shim[1].lose[WEIR_PKT_NOTICE] = 1;
    release_all(1);
    run(2 * MS);
    expect_count(1, 1);
    assert_int_equal(shim[1].lose[WEIR_PKT_NOTICE], 0);
    run(20 * MS);
    assert_arrived(1);
}

/* All that the receiver says of memory is lost: it is asked. */
static void a_receiver_that_is_not_heard_is_asked(void **state)
{
    (void)state;
    run(200 * MS);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000000;
    release_all(1);
    run(100 * MS);
    assert_arrived(1);
    assert_int_equal(peer(0, 1)->held, 0);
}

/* 60 messages wait for one that the application keeps, 40 of them for their connection, too. */
static void all_that_wait_begin_again(void **state)
{
    (void)state;
    for (uint64_t k = 0; k < 60; k++)
        assert_int_equal(send_bytes(0, 1, data, 4000, 100 + k), 0);
    run(SECOND);
    for (int rounds = 0; rounds < 100 && seen_count[1] < 62; rounds++) {
        release_all(1);
        run(50 * MS);
    }
    assert_int_equal(seen_count[1], 62);
    assert_int_equal(seen_count[0], 62);
    struct weir_peer *p = peer(0, 1);
    assert_int_equal(p->held + p->asked + p->asked_bytes, 0);
    release_all(1);
}

/* A copy of the first message's last ACK comes while the second one, which has its handle and its connection, is held. It
 * says nothing of that one: the endpoint still owes it a beginning. */
static void an_old_ack_ends_no_hold(void **state)
{
    struct weir_net_addr from = mem_addr(2, 4000), to = mem_addr(1, 4000);
    struct weir_wire_head head;
    (void)state;
    run(100 * MS);
    const struct ep_op *op = peer(0, 1)->op_head;
    assert_true(op->flags & EP_OP_HELD);
    assert_true(old_ack_bytes > 0);
    assert_int_equal(weir_wire_decode(old_ack, old_ack_bytes, &ep[0]->host_config.framing, &head), WEIR_WIRE_OK);
    assert_int_equal(head.pkt.msg, op - ep[0]->ops);
    mem_inject(mem, &from, &to, old_ack, old_ack_bytes);
    run(1 * MS);
    assert_true(op->flags & EP_OP_HELD);
    assert_false(op->flags & EP_OP_CREDITED);
    assert_int_equal(peer(0, 1)->held, 1);
    release_all(1);
    run(2 * MS);
    assert_arrived(1);
    assert_int_equal(peer(0, 1)->held, 0);
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
        cmocka_unit_test_setup_teardown(a_full_receiver_draws_a_packet_each_time_it_is_asked, setup_full,
                                        teardown_full),
        cmocka_unit_test_setup_teardown(a_window_is_refused_at_first, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(room_in_acks_decides_how_a_message_begins, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(a_word_of_room_that_is_lost_is_repeated, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(a_receiver_that_is_not_heard_is_asked, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(all_that_wait_begin_again, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(an_old_ack_ends_no_hold, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(what_waits_for_room_can_be_cancelled, setup_full, teardown_full),
        cmocka_unit_test_setup_teardown(a_peer_that_ends_is_told_nothing, setup_full, teardown_full),
    };
    return cmocka_run_group_tests_name("endpoint/stream_room", tests, NULL, NULL);
}
