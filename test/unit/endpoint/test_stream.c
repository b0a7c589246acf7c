/* test/unit/endpoint/test_stream.c - sender-driven protocols between two endpoints: messages of every length, and DATA
 * that contradicts itself. */
#include "test/unit/endpoint/endpoint_test.h"

static const char *const laws[] = { "aimd", "cubic", "dart", "dcqcn", "dctcp", "newreno", "soze", "swift", "timely" };
enum { LAWS = sizeof(laws) / sizeof(laws[0]), HEAD = EP_HEAD_BYTES };

static void one_length(size_t len, uint64_t number)
{
    unsigned char *data = noise(len, (uint32_t)number);
    int before[2] = { seen_count[0], seen_count[1] };
    assert_int_equal(send_bytes(0, 1, data, len, number), 0);
    run(20 * MS);
    expect_count(0, before[0] + 1);
    expect_count(1, before[1] + 1);
    expect(0, before[0], WEIR_EV_SENT, 0, number);
    assert_int_equal(seen[1][before[1]].len, len);
    if (len > 0)
        assert_memory_equal(seen[1][before[1]].data, data, len);
    release_all(1);
    free(data);
}

/* Around one, two and three packets; the first has the endpoint's header. */
static void messages_of_every_length_arrive_whole(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LAWS; i++) {
        two_of(laws[i]);
        size_t mss = ep[0]->mss;
        size_t lengths[] = {
            0,       1,      mss - HEAD - 1, mss - HEAD, mss - HEAD + 1, 2 * mss - HEAD, 2 * mss - HEAD + 1,
            3 * mss, 300000, 2000000
        };
        for (size_t n = 0; n < sizeof(lengths) / sizeof(lengths[0]); n++)
            one_length(lengths[n], n);
        assert_int_equal(stats(0).retransmissions + stats(0).timeouts + stats(1).refused_packets, 0);
        teardown(state);
    }
}

static void a_call_is_answered_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LAWS; i++) {
        two_of(laws[i]);
        assert_int_equal(call_bytes(0, 1, "ask", 3, 7, 0), 0);
        run(1 * MS);
        assert_int_equal(seen[1][0].type, WEIR_EV_CALL);
        assert_int_equal(
            weir_reply(ep[1], seen[1][0].rpc, &(struct iovec){ (void *)(uintptr_t) "answer", 6 }, 1, 8, NULL), 0);
        run(1 * MS);
        expect(0, 0, WEIR_EV_REPLY, 0, 7);
        assert_memory_equal(seen[0][0].data, "answer", 6);
        expect(1, 1, WEIR_EV_REPLIED, 0, 8);
        release_all(0);
        release_all(1);
        assert_int_equal(stats(0).ops_pending + stats(1).ops_pending, 0);
        teardown(state);
    }
}

/* DATA as peer 0 of endpoint 1 would send it: the first packet of a message of three, on a connection of its own. */
static struct weir_wire_head draft(uint32_t conn)
{
    const struct weir_peer *p = &ep[1]->peers[0];
    uint32_t mss = ep[1]->mss;
    return (struct weir_wire_head){
        .pkt = { .kind = WEIR_PKT_DATA, .conn = conn, .sent_ps = 1, .payload_bytes = WEIR_PKT_BYTES(mss) },
        .token = p->rx_token,
        .counter = 1,
        .msg_bytes = 2 * (uint64_t)mss + 1,
        .stream = true
    };
}

static void inject(const struct weir_wire_head *head)
{
    static unsigned char bytes[EP_MTU_MAX];
    struct weir_net_addr from = mem_addr(1, 4000), to = mem_addr(2, 4000);
    uint32_t own = weir_wire_head_bytes(head);
    memset(bytes, 0, sizeof(bytes));
    bytes[own] = EP_SEND; /* the message's own header */
    weir_wire_encode(head, NULL, bytes);
    mem_inject(mem, &from, &to, bytes, own + head->pkt.payload_bytes);
    run(50 * US);
}

/* A peer that takes a new connection for each message, of one byte: beyond the limit none is accepted, and the others' go on. */
static void a_peer_has_a_limited_number_of_connections(void **state)
{
    struct weir_wire_head one;
    uint64_t grown;
    (void)state;
    two_of("dctcp");
    opts[2].cc = "dctcp";
    assert_int_equal(start(2), 0);
    one_length(1, 1); /* on one of its connections */
    for (uint32_t n = 0; n < EP_CONNECTIONS_MAX + 100; n++) {
        one = draft(1000 + n);
        one.msg_bytes = EP_HEAD_BYTES;
        one.pkt.payload_bytes = EP_HEAD_BYTES;
        one.pkt.flags |= WEIR_PKT_END;
        inject(&one);
        seen_count[1] = 0;
        if (n == EP_CONNECTIONS_MAX)
            grown = ep[1]->grown_bytes;
    }
    assert_int_equal(stats(1).messages_received, EP_CONNECTIONS_MAX); /* one_length() has one of them */
    assert_int_equal(ep[1]->host_stats->rx_connections, EP_CONNECTIONS_MAX);
    assert_int_equal(stats(1).messages_arriving, 0);
    assert_int_equal(ep[1]->grown_bytes, grown);
    seen_count[0] = 0;
    one_length(1, 2);
    assert_int_equal(send_bytes(2, 1, "x", 1, 3), 0);
    run(20 * MS);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    release_all(1);
    teardown(NULL);
}

/* Nothing may be written beyond the end of a message's memory, whoever says so. */
static void data_that_contradicts_itself_is_refused(void **state)
{
    uint32_t mss;
    (void)state;
    two_of("dctcp");
    one_length(1, 1);
    mss = ep[1]->mss;
    struct weir_wire_head wrong[9];
    for (int i = 0; i < 9; i++)
        wrong[i] = draft(100 + (uint32_t)i);
    wrong[0].pkt.payload_bytes = WEIR_PKT_BYTES(mss - 1); /* shorter than a packet that is not the last */
    wrong[1].pkt.flags |= WEIR_PKT_END;                   /* .. and not the last */
    wrong[2].pkt.seq = 2;                                 /* the last has one byte */
    wrong[3].pkt.seq = 3;                                 /* there are three */
    wrong[4].msg_bytes = mss;                             /* then it would be the last */
    wrong[5].msg_bytes = 0;
    wrong[6].msg_bytes = (UINT64_C(1) << 40) + 1;
    wrong[7].pkt.ack = 1;                   /* before the first */
    wrong[8].msg_bytes = EP_HEAD_BYTES - 1; /* less than the message's own header */
    wrong[8].pkt.payload_bytes = EP_HEAD_BYTES - 1;
    wrong[8].pkt.flags |= WEIR_PKT_END;
    for (uint32_t i = 0; i < 9; i++) {
        inject(&wrong[i]);
        assert_int_equal(stats(1).refused_packets, i + 1);
        assert_int_equal(stats(1).messages_arriving, 0);
    }
    struct weir_wire_head right = draft(200), other;
    inject(&right);
    assert_int_equal(stats(1).messages_arriving, 1);
    other = right;
    other.pkt.seq = 1;
    other.msg_bytes = 3 * (uint64_t)mss; /* another length than the first packet's */
    inject(&other);
    assert_int_equal(stats(1).refused_packets, 10);
    other.msg_bytes = right.msg_bytes;
    inject(&other);
    other.pkt.seq = 2;
    other.pkt.payload_bytes = 1;
    other.pkt.flags |= WEIR_PKT_END;
    inject(&other);
    assert_int_equal(stats(1).refused_packets, 10);
    expect_count(1, 2);
    assert_int_equal(seen[1][1].len, 2 * mss + 1 - EP_HEAD_BYTES);
    release_all(1);
    teardown(state);
}

static unsigned char last_ack[EP_TX_HEAD_BYTES];
static uint32_t last_ack_bytes;

static void keep_ack(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                     const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    if (weir_wire_type(bytes, length) != WEIR_PKT_ACK)
        return;
    assert_true(length <= sizeof(last_ack));
    memcpy(last_ack, bytes, length);
    last_ack_bytes = length;
}

static void expect_range(const struct weir_wire_head *ack, uint32_t i, uint32_t first, uint32_t pkts)
{
    uint32_t start_pkt, count;
    assert_true(i < ack->range_count);
    weir_wire_get_range(ack->ranges + i * (size_t)WEIR_WIRE_RANGE_BYTES, &start_pkt, &count);
    assert_int_equal(start_pkt, first);
    assert_int_equal(count, pkts);
}

/* Of 40 packets the first comes, then those with an even number, then the third and the fourth. */
static void acks_report_what_arrived_out_of_order(void **state)
{
    struct weir_wire_head one, ack;
    (void)state;
    two_of("dctcp");
    one_length(1, 1);
    mem_tap(mem, keep_ack, NULL);
    one = draft(100);
    one.msg_bytes = 40 * (uint64_t)ep[1]->mss;
    inject(&one);
    assert_int_equal(last_ack_bytes, WEIR_WIRE_ACK_BYTES);
    for (one.pkt.seq = 2; one.pkt.seq < 38; one.pkt.seq += 2) {
        inject(&one);
        assert_int_equal(last_ack_bytes, WEIR_WIRE_ACK_BYTES + WEIR_WIRE_RANGE_BYTES *
                                                                   weir_min_u64(one.pkt.seq / 2, WEIR_WIRE_RANGES_MAX));
    }
    assert_int_equal(weir_wire_decode(last_ack, last_ack_bytes, &ep[0]->host_config.framing, &ack), WEIR_WIRE_OK);
    assert_int_equal(ack.pkt.ack, 1);
    assert_int_equal(ack.pkt.seq, 36);
    assert_int_equal(ack.range_count, WEIR_WIRE_RANGES_MAX);
    for (uint32_t i = 0; i < WEIR_WIRE_RANGES_MAX; i++)
        expect_range(&ack, i, 36 - 2 * i, 1);
    for (one.pkt.seq = 3; one.pkt.seq < 36; one.pkt.seq += 2)
        inject(&one);
    assert_int_equal(weir_wire_decode(last_ack, last_ack_bytes, &ep[0]->host_config.framing, &ack), WEIR_WIRE_OK);
    assert_int_equal(ack.pkt.ack, 1);
    assert_int_equal(ack.range_count, 1);
    expect_range(&ack, 0, 2, 35);
    one.pkt.seq = 1;
    inject(&one);
    assert_int_equal(last_ack_bytes, WEIR_WIRE_ACK_BYTES);
    teardown(state);
}

/* 12,000 bytes are 9 packets, with the message's header. All arrive, no ACK does: each law asks by one packet, whatever its window
 * is. */
static void a_timeout_asks_by_one_packet(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < LAWS; i++) {
        two_of(laws[i]);
        unsigned char *data = noise(12000, 1);
        one_length(1, 1);
        shim[1].lose[WEIR_PKT_ACK] = 9;
        assert_int_equal(send_bytes(0, 1, data, 12000, 2), 0);
        run(100 * MS);
        expect(0, 1, WEIR_EV_SENT, 0, 2);
        assert_int_equal(shim[1].lose[WEIR_PKT_ACK], 0);
        assert_int_equal(stats(0).timeouts, 1);
        assert_int_equal(stats(0).retransmissions, 1);
        release_all(1);
        free(data);
        teardown(state);
    }
}

/* Credit has no meaning there, nor has DATA of the other kind. */
static void packets_of_the_other_kind_are_refused(void **state)
{
    static const uint32_t kinds[] = { WEIR_PKT_REPLY,   WEIR_PKT_REQUEST, WEIR_PKT_CREDIT,
                                      WEIR_PKT_CONTROL, WEIR_PKT_SYN,     WEIR_PKT_SYN_ACK };
    (void)state;
    two_of("dctcp");
    one_length(1, 1);
    struct weir_wire_head head = draft(7);
    head.pkt.payload_bytes = 0;
    for (uint32_t i = 0; i < 6; i++) {
        head.pkt.kind = kinds[i] & 15u;
        inject(&head);
        assert_int_equal(stats(1).refused_packets, i + 1);
    }
    head = draft(7);
    head.stream = false; /* DATA of a receiver-driven protocol */
    inject(&head);
    assert_int_equal(stats(1).refused_packets, 7);
    assert_int_equal(stats(1).messages_arriving, 0);
    teardown(state);
}

static uint32_t notices;

static void count_notices(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                          const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    notices += weir_wire_type(bytes, length) == WEIR_PKT_NOTICE;
}

/* Two senders at a port that marks from 20 KB on: DCQCN's receiver sends a NOTICE for the marks, and the rates fall. */
static void marks_come_back_as_notices_of_dcqcn(void **state)
{
    unsigned char *data = noise(4000000, 1);
    (void)state;
    begin();
    mem_free(mem);
    mem = mem_new(&(struct mem_config){
        .delay_ns = 5 * US, .rate_bps = UINT64_C(10000000000), .mark_bytes = 20000, .start_ns = START_NS });
    assert_non_null(mem);
    notices = 0;
    mem_tap(mem, count_notices, NULL);
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].cc = "dcqcn";
        assert_int_equal(start(i), 0);
    }
    assert_int_equal(send_bytes(0, 2, data, 4000000, 1), 0);
    assert_int_equal(send_bytes(1, 2, data, 4000000, 2), 0);
    run(20 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    expect(1, 0, WEIR_EV_SENT, 0, 2);
    assert_true(stats(2).marked > 0 && notices > 10);
    assert_int_equal(ep[0]->host_stats->rx_notice_pkts + ep[1]->host_stats->rx_notice_pkts, notices);
    release_all(2);
    free(data);
    teardown(state);
}

/* A refusal names its message for good: handles and connections are used again. */
static void numbers_of_messages_differ(void **state)
{
    (void)state;
    for (uint32_t conn = 0; conn < 40; conn++)
        for (uint32_t first = 0; first < 100; first++)
            if (conn + first > 0)
                assert_true(ep_stream_number(conn, first) != ep_stream_number(0, 0));
    begin();
    for (uint32_t i = 0; i < 2; i++) {
        opts[i].cc = "dctcp";
        opts[i].rx_bytes = 65536;
        assert_int_equal(start(i), 0);
    }
    unsigned char *data = noise(60000, 1);
    assert_int_equal(send_bytes(0, 1, data, 60000, 1), 0); /* more than it ever takes */
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -EMSGSIZE, 1);
    assert_int_equal(send_bytes(0, 1, data, 1000, 2), 0); /* by the same handle and connection */
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    release_all(1);
    free(data);
    teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_every_length_arrive_whole),
        cmocka_unit_test(a_call_is_answered_once),
        cmocka_unit_test(data_that_contradicts_itself_is_refused),
        cmocka_unit_test(a_peer_has_a_limited_number_of_connections),
        cmocka_unit_test(acks_report_what_arrived_out_of_order),
        cmocka_unit_test(a_timeout_asks_by_one_packet),
        cmocka_unit_test(packets_of_the_other_kind_are_refused),
        cmocka_unit_test(marks_come_back_as_notices_of_dcqcn),
        cmocka_unit_test(numbers_of_messages_differ),
    };
    return cmocka_run_group_tests_name("endpoint/stream", tests, NULL, NULL);
}
