/* test/unit/host/test_receiver.c - one receiving host, fed by hand: what it answers, delivers, and refuses. */
#include "pair.h"

static struct pair *p;
static struct weir_pkt out[64];

/* A receiver of the usual configuration but for these. */
static void begin(uint32_t ack_every, uint32_t reply_bytes, enum weir_host_hash hash)
{
    p = pair_reset();
    p->cfg.params.ack_every = ack_every;
    p->cfg.params.reply_bytes = reply_bytes;
    p->cfg.hash = hash;
    pair_start(p);
}

static int setup(void **state)
{
    (void)state;
    begin(1, 0, WEIR_HASH_FLOW);
    return 0;
}

/* DATA of connection 4 of host 0: message 9 begins at packet 100 and has 10 packets unless a test says otherwise. */
static struct weir_pkt data(uint32_t seq, uint8_t flags)
{
    return (struct weir_pkt){ .sent_ps = 7000 + seq,
                              .conn = 4,
                              .msg = 9,
                              .seq = seq,
                              .ack = 100,
                              .hash = 77,
                              .src = 0,
                              .dst = 1,
                              .wire_bytes = PAIR_WIRE,
                              .payload_bytes = PAIR_MSS,
                              .kind = WEIR_PKT_DATA,
                              .flags = (uint8_t)(flags | WEIR_PKT_ECT | (seq == 109 ? WEIR_PKT_END : 0)) };
}

static void rx(uint64_t now_ps, struct weir_pkt pkt)
{
    weir_host_rx(p->host[1], now_ps, &pkt, 1);
}

static uint32_t tx(uint64_t now_ps)
{
    return weir_host_tx(p->host[1], now_ps, out, 64);
}

static void assert_ack(const struct weir_pkt *ack, uint32_t seq, uint32_t cum, uint64_t sent_ps, bool ece)
{
    assert_int_equal(ack->kind, WEIR_PKT_ACK);
    assert_int_equal(ack->conn, 4);
    assert_int_equal(ack->msg, 9);
    assert_int_equal(ack->src, 1);
    assert_int_equal(ack->dst, 0);
    assert_int_equal(ack->seq, seq);
    assert_int_equal(ack->ack, cum);
    assert_int_equal(ack->sent_ps, sent_ps);
    assert_int_equal(ack->flags, ece ? WEIR_PKT_ECE : 0);
    assert_int_equal(ack->wire_bytes, PAIR_ACK);
    assert_int_equal(ack->payload_bytes, 0);
}

static void every_packet_is_answered_with_its_own_ce_and_time(void **state)
{
    (void)state;
    rx(10, data(100, 0));
    rx(20, data(101, WEIR_PKT_CE));
    rx(30, data(102, 0));
    assert_true(weir_host_ready(p->host[1]));
    assert_int_equal(tx(40), 3);
    assert_ack(&out[0], 100, 101, 7100, false);
    assert_ack(&out[1], 101, 102, 7101, true);
    assert_ack(&out[2], 102, 103, 7102, false);
    assert_false(weir_host_ready(p->host[1]));
}

/* Where the wire is free: what the ordinary way would have sent next, once; all else takes that way, and the slot is left alone. */
static void an_answer_leaves_at_once_only_if_it_would_be_next(void **state)
{
    struct weir_pkt first = data(100, 0), pkt = data(101, WEIR_PKT_CE), slot = { .msg = 12345 };
    (void)state;
    assert_false(weir_host_rx_free(p->host[1], 10, &first, &slot)); /* begins a message */
    assert_false(weir_host_rx_free(p->host[1], 10, &pkt, &slot));   /* that answer waits still */
    assert_int_equal(slot.msg, 12345);
    assert_int_equal(tx(10), 2);
    assert_ack(&out[1], 101, 102, 7101, true);

    pkt = data(102, WEIR_PKT_CE);
    assert_true(weir_host_rx_free(p->host[1], 20, &pkt, &slot));
    assert_ack(&slot, 102, 103, 7102, true);
    assert_int_equal(weir_host_stats(p->host[1])->tx_ack_pkts, 3);
    assert_false(weir_host_ready(p->host[1]));

    slot.msg = 12345;
    pkt = data(103, 0);
    assert_false(weir_host_rx_free(p->host[1], 30, &pkt, NULL)); /* the wire is not free */
    assert_int_equal(tx(30), 1);
    weir_host_pause(p->host[1], 1u << p->cfg.params.ack_class);
    pkt = data(104, 0);
    assert_false(weir_host_rx_free(p->host[1], 40, &pkt, &slot));
    weir_host_pause(p->host[1], 0);
    assert_int_equal(tx(40), 1);
    assert_ack(&out[0], 104, 105, 7104, false);
    pkt = data(106, 0);
    assert_false(weir_host_rx_free(p->host[1], 50, &pkt, &slot)); /* out of order */
    assert_int_equal(tx(50), 1);
    assert_int_equal(slot.msg, 12345);
    assert_int_equal(weir_host_stats(p->host[1])->tx_ack_pkts, 6);
}

static void a_retransmission_gives_no_time_back(void **state)
{
    (void)state;
    rx(10, data(100, WEIR_PKT_RETX));
    assert_int_equal(tx(10), 1);
    assert_ack(&out[0], 100, 101, 0, false);
}

static void any_order_of_arrival_delivers_once_when_the_last_gap_closes(void **state)
{
    static const uint32_t order[] = { 109, 103, 101, 102, 104, 107, 108, 105, 106, 100 };
    (void)state;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(p->deliveries, 0);
        rx(1000 + i, data(order[i], order[i] == 104 ? WEIR_PKT_CE : 0));
    }
    assert_int_equal(p->delivered[9], 1);
    assert_int_equal(p->delivered_ps[9], 1009);
    assert_int_equal(p->marks[9], 1);
    assert_int_equal(tx(1009), 10);
    for (uint32_t i = 0; i < 9; i++)
        assert_ack(&out[i], order[i], 100, 7000 + order[i], order[i] == 104);
    assert_ack(&out[9], 100, 110, 7100, false);
    assert_int_equal(host_rx_at(p->host[1], 0)->gap, 0);
    assert_int_equal(p->host[1]->gaps.count, 1);
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 10 * PAIR_MSS);
}

static void a_late_copy_is_answered_and_never_delivers_again(void **state)
{
    struct weir_pkt next = data(110, WEIR_PKT_END);
    (void)state;
    for (uint32_t seq = 100; seq < 110; seq++)
        rx(seq, data(seq, 0));
    rx(200, data(109, 0));
    rx(201, data(100, WEIR_PKT_RETX));
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(weir_host_stats(p->host[1])->duplicates, 2);
    assert_int_equal(weir_host_stats(p->host[1])->rx_again_pkts, 2);
    assert_int_equal(tx(201), 12);
    assert_ack(&out[10], 109, 110, 7109, false);
    assert_ack(&out[11], 100, 110, 0, false);
    next.ack = 110; /* the connection's next message, under the same handle */
    rx(202, next);
    assert_int_equal(p->deliveries, 2);
    rx(203, data(105, 0));
    assert_int_equal(p->deliveries, 2);
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 11 * PAIR_MSS);
}

static void what_does_not_fit_the_connection_is_refused(void **state)
{
    struct weir_pkt bad;
    (void)state;
    rx(1, data(101, 0));
    bad = data(102, 0), bad.msg = 8; /* another message while this one is open */
    rx(2, bad);
    bad = data(102, 0), bad.ack = 101; /* with another beginning */
    rx(3, bad);
    bad = data(102, 0), bad.dst = 7; /* for another host */
    rx(4, bad);
    bad = data(100 + WEIR_HOST_WINDOW_PKTS, 0); /* beyond the window */
    rx(5, bad);
    bad = data(102, 0), bad.kind = 15; /* no such kind */
    rx(6, bad);
    rx(7, data(105, 0));
    bad = data(103, WEIR_PKT_END); /* an end before what is here already */
    rx(8, bad);
    rx(9, data(109, 0));
    bad = data(110, 0); /* behind the end */
    rx(10, bad);
    bad = data(900, 0), bad.conn = 5; /* a new connection that begins outside its own window */
    bad.ack = 901;
    rx(11, bad);
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 8);
    assert_int_equal(tx(11), 3);
    assert_int_equal(p->deliveries, 0);
    assert_int_equal(weir_host_stats(p->host[1])->rx_connections, 1);
}

static void a_window_may_lie_across_the_wrap_of_the_index(void **state)
{
    uint32_t first = UINT32_MAX - 5;
    (void)state;
    for (uint32_t i = 0; i < 12; i++) { /* pairs swapped: 1 0 3 2 .. */
        struct weir_pkt pkt = data(first + (i ^ 1), (i ^ 1) == 11 ? WEIR_PKT_END : 0);
        pkt.ack = first;
        rx(i, pkt);
    }
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(host_rx_at(p->host[1], 0)->cum, 6);
}

static void hash_modes_choose_the_path_of_the_answer(void **state)
{
    (void)state;
    rx(1, data(100, 0));
    rx(2, data(101, 0));
    assert_int_equal(tx(2), 2);
    assert_int_equal(out[0].hash, out[1].hash); /* a path of its own, the same for all of them */
    assert_int_not_equal(out[0].hash, 77);
    begin(1, 0, WEIR_HASH_SYMMETRIC);
    rx(3, data(102, 0));
    assert_int_equal(tx(3), 1);
    assert_int_equal(out[0].hash, 77);
    begin(1, 0, WEIR_HASH_PACKET);
    rx(4, data(103, 0));
    rx(5, data(104, 0));
    assert_int_equal(tx(5), 2);
    uint64_t key = weir_rng_key(p->cfg.seed, 1, WEIR_RNG_HOST_SPRAY, 0);
    assert_int_equal(out[0].hash, weir_rng_at(key, 0) >> 32);
    assert_int_equal(out[1].hash, weir_rng_at(key, 1) >> 32);
}

static void every_second_is_answered_and_the_timer_answers_the_odd_one(void **state)
{
    (void)state;
    begin(2, 0, WEIR_HASH_FLOW);
    rx(1000, data(100, 0));
    assert_int_equal(tx(1000), 0);
    assert_int_equal(weir_host_next_ps(p->host[1]), 1000 + 6 * PAIR_US);
    rx(2000, data(101, 0));
    assert_int_equal(tx(2000), 1);
    assert_ack(&out[0], 101, 102, 7100, false); /* the time of the earlier one: RFC 7323 */
    rx(3000, data(102, 0));
    assert_int_equal(tx(1000 + 6 * PAIR_US), 0); /* the old entry: too early for this one */
    assert_int_equal(weir_host_next_ps(p->host[1]), 3000 + 6 * PAIR_US);
    assert_int_equal(tx(3000 + 6 * PAIR_US), 1);
    assert_ack(&out[0], 102, 103, 7102, false);
    assert_int_equal(weir_host_next_ps(p->host[1]), WEIR_NEVER);
}

/* The entry of packets that were answered comes a picosecond before the next packet's time. */
static void a_delayed_answer_is_not_a_picosecond_early(void **state)
{
    (void)state;
    begin(2, 0, WEIR_HASH_FLOW);
    rx(1000, data(100, 0));
    rx(1000, data(101, 0));
    assert_int_equal(tx(1000), 1);
    rx(1001, data(102, 0));
    assert_int_equal(tx(1000 + 6 * PAIR_US), 0);
    assert_int_equal(tx(1001 + 6 * PAIR_US), 1);
    assert_ack(&out[0], 102, 103, 7102, false);
}

static void a_change_of_ce_is_answered_at_once_with_the_old_value_for_the_older(void **state)
{
    (void)state;
    begin(4, 0, WEIR_HASH_FLOW);
    rx(1, data(100, 0));
    rx(2, data(101, 0));
    assert_int_equal(tx(2), 0);
    rx(3, data(102, WEIR_PKT_CE));
    assert_int_equal(tx(3), 2);
    assert_ack(&out[0], 101, 102, 7100, false);
    assert_ack(&out[1], 102, 103, 7102, true);
    rx(4, data(103, WEIR_PKT_CE));
    assert_int_equal(tx(4), 0);
    rx(5, data(104, 0));
    assert_int_equal(tx(5), 2);
    assert_ack(&out[0], 103, 104, 7103, true);
    assert_ack(&out[1], 104, 105, 7104, false);
    rx(6, data(105, WEIR_PKT_CE)); /* nothing pending: one answer only */
    assert_int_equal(tx(6), 1);
    assert_ack(&out[0], 105, 106, 7105, true);
}

static void gaps_copies_and_ends_are_answered_at_once(void **state)
{
    (void)state;
    begin(4, 0, WEIR_HASH_FLOW);
    rx(1, data(100, 0));
    rx(2, data(102, 0)); /* opens a gap; the pending one goes with it */
    assert_int_equal(tx(2), 1);
    assert_ack(&out[0], 102, 101, 7100, false);
    rx(3, data(101, 0)); /* closes it */
    assert_int_equal(tx(3), 1);
    assert_ack(&out[0], 101, 103, 7101, false);
    rx(4, data(103, 0));
    rx(5, data(100, 0)); /* a copy */
    assert_int_equal(tx(5), 1);
    assert_ack(&out[0], 100, 104, 7100, false);
    for (uint32_t seq = 104; seq < 108; seq++)
        rx(seq, data(seq, 0));
    assert_int_equal(tx(107), 1);
    rx(108, data(108, 0));
    rx(109, data(109, 0)); /* the end */
    assert_int_equal(tx(109), 1);
    assert_ack(&out[0], 109, 110, 7108, false);
}

static void a_whole_message_is_replied_to_and_again_when_its_end_comes_again(void **state)
{
    (void)state;
    begin(1, 4, WEIR_HASH_FLOW);
    for (uint32_t seq = 100; seq < 110; seq++)
        rx(seq, data(seq, 0));
    assert_int_equal(tx(109), 11);
    assert_ack(&out[9], 109, 110, 7109, false);
    assert_int_equal(out[10].kind, WEIR_PKT_REPLY);
    assert_int_equal(out[10].seq, 109);
    assert_int_equal(out[10].msg, 9);
    assert_int_equal(out[10].payload_bytes, 4);
    assert_int_equal(out[10].wire_bytes, 104);
    rx(200, data(108, 0));
    assert_int_equal(tx(200), 1);
    rx(201, data(109, WEIR_PKT_RETX));
    assert_int_equal(tx(201), 2);
    assert_int_equal(out[1].kind, WEIR_PKT_REPLY);
    assert_int_equal(p->deliveries, 1);
}

/* The first packet of a message on this connection of host src. */
static void rx_on(uint32_t src, uint32_t conn)
{
    struct weir_pkt pkt = data(100, 0);
    pkt.conn = conn;
    pkt.src = WEIR_PKT_HOST(src);
    rx(3, pkt);
}

static void connections_from_one_host_have_a_limit(void **state)
{
    const struct weir_host_stats *s;
    (void)state;
    p = pair_reset();
    p->cfg.rx_connections_most = 3;
    pair_start(p);
    s = weir_host_stats(p->host[1]);
    for (uint32_t conn = 4; conn < 7; conn++) {
        rx_on(0, conn);
        rx_on(0, conn); /* no new one */
    }
    assert_int_equal(s->rx_connections, 3);
    assert_int_equal(s->refused_pkts, 0);
    rx_on(0, 7);
    rx_on(0, 8);
    assert_int_equal(s->refused_pkts, 2);
    rx_on(0, 6);
    assert_int_equal(s->refused_pkts, 2);
    rx_on(2, 7); /* of another host */
    assert_int_equal(s->rx_connections, 4);
    assert_int_equal(s->refused_pkts, 2);
    weir_host_forget(p->host[1], 4, 0);
    for (uint32_t conn = 9; conn < 13; conn++)
        rx_on(0, conn);
    assert_int_equal(s->refused_pkts, 3);
    assert_int_equal(s->rx_connections, 4); /* the records are used again */
}

static void without_memory_packets_are_refused_and_counted(void **state)
{
    (void)state;
    rx(1, data(100, 0));
    p->mem_limit = p->mem_used;
    rx(2, data(105, 0)); /* wants a gap */
    struct weir_pkt pkt = data(100, 0);
    for (uint32_t conn = 5; conn < 30; conn++) { /* more than a block of connections */
        pkt.conn = conn;
        rx(3, pkt);
    }
    assert_true(weir_host_stats(p->host[1])->refused_pkts >= 11);
    assert_true(weir_host_stats(p->host[1])->rx_connections <= 16);
    p->mem_limit = sizeof(pair_mem);
    rx(4, pkt);
    assert_int_equal(host_rx_at(p->host[1], weir_host_stats(p->host[1])->rx_connections - 1)->conn, 29);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_packet_is_answered_with_its_own_ce_and_time, setup),
        cmocka_unit_test_setup(connections_from_one_host_have_a_limit, setup),
        cmocka_unit_test_setup(an_answer_leaves_at_once_only_if_it_would_be_next, setup),
        cmocka_unit_test_setup(a_retransmission_gives_no_time_back, setup),
        cmocka_unit_test_setup(any_order_of_arrival_delivers_once_when_the_last_gap_closes, setup),
        cmocka_unit_test_setup(a_late_copy_is_answered_and_never_delivers_again, setup),
        cmocka_unit_test_setup(what_does_not_fit_the_connection_is_refused, setup),
        cmocka_unit_test_setup(a_window_may_lie_across_the_wrap_of_the_index, setup),
        cmocka_unit_test_setup(hash_modes_choose_the_path_of_the_answer, setup),
        cmocka_unit_test_setup(every_second_is_answered_and_the_timer_answers_the_odd_one, setup),
        cmocka_unit_test_setup(a_delayed_answer_is_not_a_picosecond_early, setup),
        cmocka_unit_test_setup(a_change_of_ce_is_answered_at_once_with_the_old_value_for_the_older, setup),
        cmocka_unit_test_setup(gaps_copies_and_ends_are_answered_at_once, setup),
        cmocka_unit_test_setup(a_whole_message_is_replied_to_and_again_when_its_end_comes_again, setup),
        cmocka_unit_test_setup(without_memory_packets_are_refused_and_counted, setup),
    };
    return cmocka_run_group_tests_name("host/receiver", tests, NULL, NULL);
}
