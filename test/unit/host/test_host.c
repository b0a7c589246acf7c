/* test/unit/host/test_host.c - the calls of host.h: set-up, limits, sending without acknowledgements. */
#include "pair.h"
#include "proto/none/none.h"

static void a_new_host_has_nothing_to_do(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt pkt;
    uint64_t cursor = 0;
    (void)state;
    pair_start(p);
    assert_false(weir_host_ready(p->host[0]));
    assert_int_equal(weir_host_next_ps(p->host[0]), WEIR_NEVER);
    assert_int_equal(weir_host_tx(p->host[0], 0, &pkt, 1), 0);
    assert_false(weir_host_next_pending(p->host[0], &cursor, &(struct weir_host_pending){ 0 }));
    assert_int_equal(weir_host_stats(p->host[0])->grown_bytes, 0);
    assert_true(weir_host_bytes(&p->cfg) <= 1024);
}

static void messages_of_too_many_packets_are_refused(void **state)
{
    struct pair *p = pair_reset();
    uint64_t most = UINT64_C(0xffffffff) * PAIR_MSS;
    struct weir_host_pending pending;
    uint64_t cursor = 0;
    (void)state;
    pair_start(p);
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 0, most + 1), WEIR_E_RANGE);
    assert_int_equal(weir_host_send(p->host[0], 0, WEIR_PKT_HOSTS_MAX, 0, 1), WEIR_E_RANGE);
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 0, most), 0);
    assert_true(weir_host_next_pending(p->host[0], &cursor, &pending));
    assert_int_equal(pending.left_pkts, UINT32_MAX);
    assert_true(weir_host_ready(p->host[0]));
}

static void max_zero_runs_the_timers_and_sends_nothing(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt pkt[16];
    (void)state;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, NULL, 0), 0);
    assert_int_equal(weir_host_tx(p->host[0], 0, pkt, 1), 1); /* max is obeyed */
    assert_int_equal(weir_host_tx(p->host[0], 0, pkt, 16), 1);
    assert_int_equal(weir_host_next_ps(p->host[0]), 1000 * PAIR_US);
    assert_int_equal(weir_host_tx(p->host[0], 1000 * PAIR_US, NULL, 0), 0);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    assert_true(weir_host_ready(p->host[0]));
    assert_true(weir_host_next_ps(p->host[0]) > 1000 * PAIR_US);
}

static void acknowledgements_leave_before_data(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt pkt[4];
    (void)state;
    p->cfg.params.ack_class = 2;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, pkt, 1), 1);
    assert_int_equal(weir_host_send(p->host[1], 0, 0, 1, 1), 0);
    weir_host_rx(p->host[1], 0, pkt, 1);
    assert_int_equal(weir_host_tx(p->host[1], 0, pkt, 4), 2);
    assert_int_equal(pkt[0].kind, WEIR_PKT_ACK);
    assert_int_equal(pkt[0].class_id, 2);
    assert_int_equal(pkt[1].kind, WEIR_PKT_DATA);
}

static void what_is_paused_stays_and_the_rest_leaves(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt pkt[4];
    (void)state;
    p->cfg.params.data_class = 1;
    p->cfg.params.ack_class = 2;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, pkt, 1), 1);
    assert_int_equal(weir_host_send(p->host[1], 0, 0, 1, 1), 0);
    weir_host_rx(p->host[1], 0, pkt, 1); /* host 1 has DATA and an ACK to send */
    weir_host_pause(p->host[1], 1u << 1 | 1u << 2);
    assert_false(weir_host_ready(p->host[1]));
    assert_int_equal(weir_host_tx(p->host[1], 0, pkt, 4), 0);
    weir_host_pause(p->host[1], 1u << 2); /* DATA overtakes the ACK */
    assert_true(weir_host_ready(p->host[1]));
    assert_int_equal(weir_host_tx(p->host[1], 0, pkt, 4), 1);
    assert_int_equal(pkt[0].kind, WEIR_PKT_DATA);
    assert_false(weir_host_ready(p->host[1]));
    weir_host_pause(p->host[1], 1u << 1 | 1u << 0 | 1u << 7);
    assert_true(weir_host_ready(p->host[1]));
    assert_int_equal(weir_host_tx(p->host[1], 0, pkt, 4), 1);
    assert_int_equal(pkt[0].kind, WEIR_PKT_ACK);
}

/* Message 0 is long and message 1 short; each has a packet more than may leave at once. @return the message of the packet that leaves */
static uint32_t sends_with(struct pair *p, uint32_t closed)
{
    struct weir_pkt pkt;
    weir_host_pause(p->host[0], closed);
    if (!weir_host_ready(p->host[0])) {
        assert_int_equal(weir_host_tx(p->host[0], 0, &pkt, 1), 0);
        return UINT32_MAX;
    }
    assert_int_equal(weir_host_tx(p->host[0], 0, &pkt, 1), 1);
    return pkt.msg;
}

static void while_a_lane_is_paused_messages_of_others_go_on(void **state)
{
    enum { LONG_LANE = 1u << 1, SHORT_LANE = 1u << 3, OTHER_LANE = 1u << 2 };
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.data_class = 1;
    p->cfg.params.ack_class = 0;
    p->cfg.lanes = 3;
    p->cfg.tokens = 2;
    p->cfg.token_bytes = 3 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 0, 9 * PAIR_MSS);
    pair_send(p, 1, 3 * PAIR_MSS);
    assert_int_equal(sends_with(p, LONG_LANE), 1);
    assert_int_equal(sends_with(p, LONG_LANE), 1);
    assert_int_equal(sends_with(p, SHORT_LANE), 0);
    assert_int_equal(sends_with(p, SHORT_LANE), 0);
    assert_int_equal(sends_with(p, SHORT_LANE | LONG_LANE), UINT32_MAX);
    assert_int_equal(sends_with(p, SHORT_LANE | LONG_LANE | OTHER_LANE), UINT32_MAX);
    assert_int_equal(sends_with(p, OTHER_LANE | 1u), 1);    /* passed over, it had gone to the end; now the last has */
    assert_int_equal(sends_with(p, LONG_LANE), UINT32_MAX); /* all of the short one has left */
    assert_int_equal(sends_with(p, 0), 0);
}

static void timers_run_while_all_is_paused(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, 1);
    pair_pause(p, 1, 1u << 0, 1500 * PAIR_US); /* no ACK before: the sender's timer of 1 ms runs out */
    pair_run(p, 1400 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(p->finishes, 0);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->finished_ps[0], 1500 * PAIR_US + 3 * 8000 + 5 * PAIR_US);
}

static void pending_tells_where_a_message_hangs(void **state)
{
    struct pair *p = pair_reset();
    struct weir_host_pending pending;
    struct weir_pkt pkt[16];
    uint64_t cursor = 0;
    (void)state;
    p->dctcp.init_cwnd.bytes = 4 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 5, 10 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, pkt, 16), 4);
    assert_true(weir_host_next_pending(p->host[0], &cursor, &pending));
    assert_int_equal(pending.dst, 1);
    assert_int_equal(pending.msg, 5);
    assert_int_equal(pending.conn, 0);
    assert_int_equal(pending.unacked_pkts, 4);
    assert_int_equal(pending.left_pkts, 6);
    assert_int_equal(pending.timeouts, 0);
    assert_int_equal(pending.deadline_ps, 1000 * PAIR_US);
    assert_int_equal(pending.hash, pkt[0].hash);
}

static void without_acks_a_message_is_one_packet_and_delivery_is_its_end(void **state)
{
    struct pair *p = pair_reset();
    struct weir_none_config none = { 0 };
    (void)state;
    p->cfg.cc = &weir_none_ops;
    p->cfg.cc_config = &none;
    pair_start(p);
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 0, PAIR_MSS + 1), WEIR_E_RANGE);
    for (uint32_t m = 0; m < 20; m++)
        pair_send(p, m, PAIR_MSS - m);
    assert_int_equal(weir_host_next_ps(p->host[0]), WEIR_NEVER);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->deliveries, 20);
    assert_int_equal(p->finishes, 0);
    assert_int_equal(p->sent_pkts, 20); /* nobody answers */
    for (uint32_t m = 0; m < 20; m++) {
        assert_int_equal(p->delivered[m], 1);
        assert_int_equal(p->log[m].msg, m);
        assert_int_equal(p->log[m].payload_bytes, PAIR_MSS - m);
        assert_int_equal(p->log[m].flags, WEIR_PKT_END); /* and nobody marks */
    }
    assert_int_equal(weir_host_stats(p->host[0])->connections, 0);
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 20 * PAIR_MSS - 190);
}

static void every_packet_has_its_own_path_when_spraying(void **state)
{
    struct pair *p = pair_reset();
    uint64_t key = weir_rng_key(1, 0, WEIR_RNG_HOST_SPRAY, 0);
    (void)state;
    p->cfg.hash = WEIR_HASH_PACKET;
    pair_start(p);
    pair_send(p, 0, 10 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(p->log[i].hash, weir_rng_at(key, i) >> 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_host_has_nothing_to_do),
        cmocka_unit_test(messages_of_too_many_packets_are_refused),
        cmocka_unit_test(max_zero_runs_the_timers_and_sends_nothing),
        cmocka_unit_test(acknowledgements_leave_before_data),
        cmocka_unit_test(what_is_paused_stays_and_the_rest_leaves),
        cmocka_unit_test(while_a_lane_is_paused_messages_of_others_go_on),
        cmocka_unit_test(timers_run_while_all_is_paused),
        cmocka_unit_test(pending_tells_where_a_message_hangs),
        cmocka_unit_test(without_acks_a_message_is_one_packet_and_delivery_is_its_end),
        cmocka_unit_test(every_packet_has_its_own_path_when_spraying),
    };
    return cmocka_run_group_tests_name("host/host", tests, NULL, NULL);
}
