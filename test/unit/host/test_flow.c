/* test/unit/host/test_flow.c - a sending connection: what it sends, when, and what it tells its law. */
#include "pair.h"

static void one_message_takes_the_time_of_its_bytes_and_the_way(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->delivered_ps[0], 3 * PAIR_WIRE * 80 + 5 * PAIR_US);
    assert_int_equal(p->finished_ps[0], p->delivered_ps[0] + PAIR_ACK * 80 + 5 * PAIR_US);
    assert_int_equal(p->retransmitted, 0);
}

static void the_packets_say_what_the_contract_promises(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.params.data_class = 3;
    pair_start(p);
    pair_send(p, 7, 2 * PAIR_MSS + 1);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->logged, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const struct weir_pkt *pkt = &p->log[i];
        assert_int_equal(pkt->kind, WEIR_PKT_DATA);
        assert_int_equal(pkt->seq, i);
        assert_int_equal(pkt->ack, 0);
        assert_int_equal(pkt->msg, 7);
        assert_int_equal(pkt->conn, 0);
        assert_int_equal(pkt->sent_ps, i * PAIR_WIRE * 80);
        assert_int_equal(pkt->class_id, 3);
        assert_int_equal(pkt->hash, p->log[0].hash);
        assert_int_equal(pkt->flags, WEIR_PKT_ECT | (i == 2 ? WEIR_PKT_END : 0));
        assert_int_equal(pkt->payload_bytes, i == 2 ? 1 : PAIR_MSS);
        assert_int_equal(pkt->wire_bytes, i == 2 ? 101 : PAIR_WIRE);
    }
}

static void a_message_of_one_byte_is_a_short_frame(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.framing.min_wire_bytes = 128;
    pair_start(p);
    pair_send(p, 0, 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->log[0].wire_bytes, 128);
    assert_int_equal(p->log[0].payload_bytes, 1);
    assert_int_equal(weir_host_stats(p->host[0])->tx_done_bytes, 1);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 1);
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 1);
}

static void the_window_holds_the_rest_back_until_acks_return(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 30 * PAIR_MSS);
    pair_run(p, 10 * PAIR_US); /* before the first ACK */
    assert_int_equal(p->logged, 10);
    assert_int_equal(host_flow_at(p->host[0], 0)->inflight_bytes, 10 * PAIR_MSS);
    assert_false(weir_host_ready(p->host[0]));
    pair_run(p, 21 * PAIR_US); /* one round trip later slow start has doubled it */
    assert_int_equal(p->logged, 30);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
}

static struct weir_ack seen[64];
static uint32_t seen_count;

static void note_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    seen[seen_count++] = *ack;
}

static struct weir_cc_ops noting_ops(void)
{
    struct weir_cc_ops ops = weir_dctcp_ops;
    ops.on_ack = note_ack;
    seen_count = 0;
    return ops;
}

static void the_law_hears_exactly_what_each_ack_brought(void **state)
{
    struct pair *p = pair_reset();
    struct weir_cc_ops ops = noting_ops();
    (void)state;
    p->cfg.cc = &ops;
    p->dctcp.init_cwnd.bytes = 2 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS + 500);
    pair_run(p, WEIR_NEVER);
    uint64_t second_ps = p->now_ps;
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    uint64_t rtt_ps = (PAIR_WIRE + PAIR_ACK) * 80 + 10 * PAIR_US;
    const struct weir_ack want[] = {
        /* 40000 ps: what the short packet saves */
        { .now_ps = rtt_ps,
          .rtt_ps = 0 /* sent at 0: no sample */,
          .acked_seq = 1000,
          .next_seq = 2000,
          .acked_bytes = 1000,
          .inflight_bytes = 1000 },
        { .now_ps = rtt_ps + PAIR_WIRE * 80,
          .rtt_ps = rtt_ps,
          .acked_seq = 2000,
          .next_seq = 2500,
          .acked_bytes = 1000,
          .inflight_bytes = 500 },
        { .now_ps = 2 * rtt_ps - 40000,
          .rtt_ps = rtt_ps - 40000,
          .acked_seq = 2500,
          .next_seq = 2500,
          .acked_bytes = 500,
          .flags = WEIR_ACK_APP_LIMITED },
        { .now_ps = second_ps + rtt_ps,
          .rtt_ps = rtt_ps,
          .acked_seq = 3500,
          .next_seq = 3500,
          .acked_bytes = 1000,
          .flags = WEIR_ACK_APP_LIMITED },
    };
    assert_int_equal(seen_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(seen[i].now_ps, want[i].now_ps);
        assert_int_equal(seen[i].rtt_ps, want[i].rtt_ps);
        assert_int_equal(seen[i].acked_seq, want[i].acked_seq);
        assert_int_equal(seen[i].next_seq, want[i].next_seq);
        assert_int_equal(seen[i].acked_bytes, want[i].acked_bytes);
        assert_int_equal(seen[i].marked_bytes, 0);
        assert_int_equal(seen[i].inflight_bytes, want[i].inflight_bytes);
        assert_int_equal(seen[i].flags, want[i].flags);
    }
}

static void app_limited_means_sent_after_the_window_last_said_no(void **state)
{
    struct pair *p = pair_reset();
    struct weir_cc_ops ops = noting_ops();
    (void)state;
    p->cfg.cc = &ops;
    p->dctcp.init_cwnd.bytes = 4 * PAIR_MSS;
    pair_start(p);
    pair_send(p, 0, 6 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(seen_count, 6);
    for (uint32_t i = 0; i < 6; i++) /* blocked when 4, then when 5 were sent; the 6th left freely */
        assert_int_equal(seen[i].flags, i < 5 ? 0 : WEIR_ACK_APP_LIMITED);
}

static enum pair_fate mark_odd_data(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq % 2 == 1)
        ((struct weir_pkt *)pkt)->flags |= WEIR_PKT_CE;
    return PAIR_PASS;
}

static void a_marked_packet_is_told_to_the_law_and_to_the_receiver(void **state)
{
    struct pair *p = pair_reset();
    struct weir_cc_ops ops = noting_ops();
    (void)state;
    p->cfg.cc = &ops;
    p->fate = mark_odd_data;
    pair_start(p);
    pair_send(p, 0, 5 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->marks[0], 2);
    assert_int_equal(weir_host_stats(p->host[1])->marked_pkts, 2);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(seen[i].marked_bytes, i % 2 == 1 ? PAIR_MSS : 0);
}

static void connections_take_turns_packet_by_packet(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 2 * PAIR_MSS);
    pair_run(p, 3 * PAIR_US);
    static const uint32_t order[] = { 0, 1, 2, 0, 1, 2 };
    assert_int_equal(p->logged, 6);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(p->log[i].msg, order[i]);
}

static void packet_indices_wrap_without_a_seam(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    pair_start(p);
    host_stream_of(p->host[0])->first_index = UINT32_MAX - 20;
    for (uint32_t m = 0; m < 4; m++) { /* 7 packets each, on one connection: the wrap falls into the third */
        pair_send(p, m, 7 * PAIR_MSS - 1);
        pair_run(p, WEIR_NEVER);
    }
    pair_assert_done(p, 4);
    assert_int_equal(host_stream_of(p->host[0])->flows.count, 1);
    assert_int_equal(host_flow_at(p->host[0], 0)->una, 7);
    assert_int_equal(host_flow_at(p->host[0], 0)->msg_seq, 4 * (7 * PAIR_MSS - 1));
    assert_int_equal(p->retransmitted, 0);
}

static enum pair_fate drop_acks(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    return pkt->kind == WEIR_PKT_ACK ? PAIR_DROP : PAIR_PASS;
}

static void no_more_than_the_packet_window_is_outstanding(void **state)
{
    struct pair *p = pair_reset();
    (void)state;
    p->dctcp.init_cwnd.bytes = WEIR_CWND_MAX_BYTES;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = p->cfg.params.rto_max_ps = 10000 * PAIR_US;
    p->fate = drop_acks;
    pair_start(p);
    pair_send(p, 0, 10000 * PAIR_MSS);
    pair_run(p, 5000 * PAIR_US);
    assert_int_equal(p->sent_pkts, 2 * WEIR_HOST_WINDOW_PKTS); /* and as many ACKs, lost */
    assert_false(weir_host_ready(p->host[0]));
    p->fate = NULL;
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
}

static uint32_t ack_of(uint32_t seq, uint32_t cum, struct weir_pkt *out)
{
    *out = (struct weir_pkt){ .conn = 0, .seq = seq, .ack = cum, .src = 1, .dst = 0, .kind = WEIR_PKT_ACK };
    return 1;
}

static void an_ack_of_what_was_never_sent_is_refused(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt ack;
    (void)state;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, PAIR_US);
    const struct host_flow *f = host_flow_at(p->host[0], 0);
    weir_host_rx(p->host[0], p->now_ps, &ack, ack_of(3, 4, &ack));
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    (void)ack_of(0, 1, &ack);
    ack.conn = 1;
    weir_host_rx(p->host[0], p->now_ps, &ack, 1); /* no such connection */
    ack.conn = 0;
    ack.src = 9;
    weir_host_rx(p->host[0], p->now_ps, &ack, 1); /* not from its peer */
    ack.src = 1;
    ack.dst = 5;
    weir_host_rx(p->host[0], p->now_ps, &ack, 1); /* not for us */
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 4);
    assert_int_equal(f->una, 0);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message_takes_the_time_of_its_bytes_and_the_way),
        cmocka_unit_test(the_packets_say_what_the_contract_promises),
        cmocka_unit_test(a_message_of_one_byte_is_a_short_frame),
        cmocka_unit_test(the_window_holds_the_rest_back_until_acks_return),
        cmocka_unit_test(the_law_hears_exactly_what_each_ack_brought),
        cmocka_unit_test(app_limited_means_sent_after_the_window_last_said_no),
        cmocka_unit_test(a_marked_packet_is_told_to_the_law_and_to_the_receiver),
        cmocka_unit_test(connections_take_turns_packet_by_packet),
        cmocka_unit_test(packet_indices_wrap_without_a_seam),
        cmocka_unit_test(no_more_than_the_packet_window_is_outstanding),
        cmocka_unit_test(an_ack_of_what_was_never_sent_is_refused),
    };
    return cmocka_run_group_tests_name("host/flow", tests, NULL, NULL);
}
