/* test/unit/host/test_peers.c - the pool of connections to a destination, and messages that wait for one. */
#include "pair.h"

static void messages_beyond_the_limit_wait_their_turn(void **state)
{
    struct pair *p = pair_reset();
    struct weir_host_pending pending;
    uint64_t cursor = 0;
    (void)state;
    p->cfg.params.connections = 2;
    pair_start(p);
    for (uint32_t m = 0; m < 7; m++)
        pair_send(p, m, PAIR_MSS * (m + 1));
    assert_int_equal(weir_host_stats(p->host[0])->connections, 2);
    for (uint32_t m = 0; m < 7; m++) {
        assert_true(weir_host_next_pending(p->host[0], &cursor, &pending));
        assert_int_equal(pending.msg, m);
        assert_int_equal(pending.dst, 1);
        assert_int_equal(pending.conn, m < 2 ? m : UINT32_MAX);
        assert_int_equal(pending.unacked_pkts, 0);
        assert_int_equal(pending.left_pkts, m + 1);
    }
    assert_false(weir_host_next_pending(p->host[0], &cursor, &pending));
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 7);
    assert_int_equal(weir_host_stats(p->host[0])->connections, 2);
    for (uint32_t m = 2; m < 7; m++)
        assert_true(p->delivered_ps[m] > p->delivered_ps[m - 1]); /* first come, first served */
    cursor = 0;
    assert_false(weir_host_next_pending(p->host[0], &cursor, &pending));
}

static void a_waiting_message_starts_when_the_one_before_is_acknowledged(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->logged, 2);
    assert_int_equal(p->log[1].sent_ps, p->finished_ps[0]);
    assert_int_equal(p->log[1].seq, 1);
    assert_int_equal(p->log[1].ack, 1);
}

static void the_connection_used_last_is_taken_first(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++) /* connection 2 finishes first, then 1, then 0 */
        pair_send(p, m, (30 - 10 * m) * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_true(p->finished_ps[2] < p->finished_ps[1] && p->finished_ps[1] < p->finished_ps[0]);
    p->logged = 0;
    for (uint32_t m = 3; m < 7; m++)
        pair_send(p, m, 1);
    pair_run(p, WEIR_NEVER);
    static const uint32_t conn[] = { 0, 1, 2, 3 }; /* the last to finish lies on top; then a new one */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(p->log[i].conn, conn[i]);
    pair_assert_done(p, 7);
}

static enum pair_fate drop_first_replies(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_REPLY || p->fate_value == 0)
        return PAIR_PASS;
    p->fate_value--;
    return PAIR_DROP;
}

static void a_connection_is_busy_until_its_reply_came(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.connections = 1;
    p->cfg.params.reply_bytes = 4;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->finished_ps[0], p->delivered_ps[0] + (PAIR_ACK + 104) * 80 + 5 * PAIR_US);
    assert_int_equal(p->log[1].kind, WEIR_PKT_ACK); /* of the reply: leaves before the next message */
    assert_int_equal(p->log[1].sent_ps, 0);
    assert_int_equal(p->log[2].sent_ps, p->finished_ps[0] + PAIR_ACK * 80);
    assert_int_equal(p->retransmitted, 0);
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 0);
}

static void a_lost_reply_is_asked_for_by_sending_the_last_packet_again(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.reply_bytes = 4;
    p->fate = drop_first_replies;
    p->fate_value = 2;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->retransmitted, 2);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 2);
    assert_int_equal(weir_host_stats(p->host[1])->duplicates, 2);
    for (uint32_t i = 3; i < 5; i++) {
        assert_int_equal(p->log[i].seq, 2);
        assert_int_equal(p->log[i].flags, WEIR_PKT_ECT | WEIR_PKT_END | WEIR_PKT_RETX);
    }
    uint64_t acked_ps = p->delivered_ps[0] + PAIR_ACK * 80 + 5 * PAIR_US; /* where the timer began */
    assert_int_equal(p->log[3].sent_ps, acked_ps + 1000 * PAIR_US);
    assert_int_equal(p->log[4].sent_ps, acked_ps + 3000 * PAIR_US);
}

static enum pair_fate drop_first_end_ack(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_ACK || pkt->seq != 2 || pkt->src != 1 || p->fate_value == 0)
        return PAIR_PASS;
    p->fate_value--;
    return PAIR_DROP;
}

static void a_reply_that_comes_before_the_last_ack_is_remembered(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.reply_bytes = 4;
    p->fate = drop_first_end_ack;
    p->fate_value = 1;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->retransmitted, 1);
    pair_send(p, 1, PAIR_MSS); /* and is not taken for the next message's */
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->finished_ps[1], p->delivered_ps[1] + (PAIR_ACK + 104) * 80 + 5 * PAIR_US);
}

static enum pair_fate delay_packet_one(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq == 1)
        p->late_ps = PAIR_US; /* arrives after packet 2, the last one */
    return PAIR_PASS;
}

static void a_reply_names_the_last_packet_also_when_another_arrived_last(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.reply_bytes = 4;
    p->fate = delay_packet_one;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->retransmitted, 0);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
}

static void path_entropy_follows_the_mode(void **state)
{
    (void)state;
    uint32_t hash[2][2];
    for (uint32_t from = 0; from < 2; from++) {
        struct pair *p = pair_reset();
        struct weir_pkt pkt[2];
        p->cfg.hash = WEIR_HASH_SYMMETRIC;
        pair_start(p);
        assert_int_equal(weir_host_send(p->host[from], 0, 1 - from, 0, 1), 0);
        assert_int_equal(weir_host_send(p->host[from], 0, 1 - from, 1, 1), 0);
        assert_int_equal(weir_host_tx(p->host[from], 0, pkt, 2), 2);
        hash[from][0] = pkt[0].hash;
        hash[from][1] = pkt[1].hash;
    }
    assert_int_equal(hash[0][0], hash[1][0]); /* the pair, whoever sends */
    assert_int_equal(hash[0][1], hash[1][1]);
    assert_int_not_equal(hash[0][0], hash[0][1]); /* but each connection its own */
}

static uint32_t hops_of_path;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config;
    hops_of_path = path->hops;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 10 * PAIR_MSS };
}

/* Two first-hop switches: three switches from host 0 to 1, five back. */
static void a_law_gets_the_number_of_switches_on_its_own_path(void **state)
{
    static const struct weir_cc_ops law = { .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init };
    static const uint16_t edge_of[] = { 1, 0 };
    static const uint8_t switches[] = { 1, 5, 3, 1 };
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.cc = &law;
    p->cfg.path.hops = 9;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(hops_of_path, 9); /* unknown to this world: that of the longest path */
    p->cfg.hops = (struct weir_host_hops){ edge_of, switches, 2 };
    pair_start(p);
    pair_send(p, 1, PAIR_MSS);
    assert_int_equal(hops_of_path, 3);
}

static void out_of_memory_is_said_and_leaves_the_host_whole(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    p->mem_limit = p->mem_used;
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 0, 1), WEIR_E_MEMORY);
    for (size_t step = 0; step < 20; step++) { /* let the memory end at each place in turn */
        p->mem_limit += 64;
        int code = weir_host_send(p->host[0], 0, 1, 0, 1);
        assert_true(code == 0 || code == WEIR_E_MEMORY);
        if (code == 0)
            break;
    }
    p->mem_limit = sizeof(pair_mem);
    if (!weir_host_ready(p->host[0]))
        pair_send(p, 0, 1);
    p->mem_limit = p->mem_used;
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 1, 1), WEIR_E_MEMORY); /* no room to wait */
    p->mem_limit = sizeof(pair_mem);
    pair_send(p, 1, 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_beyond_the_limit_wait_their_turn),
        cmocka_unit_test(a_waiting_message_starts_when_the_one_before_is_acknowledged),
        cmocka_unit_test(the_connection_used_last_is_taken_first),
        cmocka_unit_test(a_connection_is_busy_until_its_reply_came),
        cmocka_unit_test(a_lost_reply_is_asked_for_by_sending_the_last_packet_again),
        cmocka_unit_test(a_reply_that_comes_before_the_last_ack_is_remembered),
        cmocka_unit_test(a_reply_names_the_last_packet_also_when_another_arrived_last),
        cmocka_unit_test(path_entropy_follows_the_mode),
        cmocka_unit_test(a_law_gets_the_number_of_switches_on_its_own_path),
        cmocka_unit_test(out_of_memory_is_said_and_leaves_the_host_whole),
    };
    return cmocka_run_group_tests_name("host/peers", tests, NULL, NULL);
}
