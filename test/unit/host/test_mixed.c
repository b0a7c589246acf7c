/* test/unit/host/test_mixed.c - a host with several laws side by side. A packet takes 88 ns of the link, an ACK 8 ns, the way
 * 5 us. */
#include "pair.h"
#include "core/credit.h"
#include "param/param.h"
#include "proto/sird/sird.h"

enum { LOG = 256 };

static struct weir_host_config law[WEIR_LAWS_MAX];
static struct weir_dctcp_config wide; /* a window that never limits */
static struct weir_sird_config sird;
static struct { /* packets that left, of both hosts */
    uint64_t at_ps;
    uint32_t host, law, kind, class_id, flags;
} left[LOG];
static uint32_t lefts, lost_law;

static enum pair_fate note(struct pair *p, const struct weir_pkt *pkt)
{
    if (lefts < LOG) {
        left[lefts].at_ps = p->now_ps;
        left[lefts].host = pkt->src;
        left[lefts].law = weir_pkt_law(pkt);
        left[lefts].kind = pkt->kind;
        left[lefts].class_id = pkt->class_id;
        left[lefts++].flags = pkt->flags;
    }
    return pkt->kind == WEIR_PKT_DATA && weir_pkt_law(pkt) == lost_law && p->now_ps < 500 * PAIR_US ? PAIR_DROP
                                                                                                    : PAIR_PASS;
}

/* Asserts what a world relies on: no due time stays, and a host is ready if one of its laws is. */
static void assert_settled(struct pair *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        bool ready = false;
        assert_true(weir_host_next_ps(p->host[i]) > p->now_ps);
        for (uint32_t k = 0; k < p->cfg.law_count; k++)
            ready |= weir_host_ready(weir_host_of_law(p->host[i], k));
        assert_int_equal(weir_host_ready(p->host[i]), ready);
    }
}

/* Makes hosts with `count` equal laws of DCTCP; law k sends DATA and ACKs in class k. Tests change law[] before
 * pair_start(). */
static struct pair *mixed_reset(uint32_t count)
{
    struct pair *p = pair_reset();
    wide = p->dctcp;
    wide.init_cwnd.bytes = 200 * PAIR_MSS;
    for (uint32_t k = 0; k < count; k++) {
        law[k] = p->cfg;
        law[k].law_number = k;
        law[k].params.data_class = law[k].params.ack_class = k;
    }
    p->cfg.law = law;
    p->cfg.law_count = count;
    p->fate = note;
    p->after = assert_settled;
    lefts = 0;
    lost_law = UINT32_MAX;
    return p;
}

static void send_from(struct pair *p, uint32_t host, uint32_t by, uint32_t msg, uint64_t bytes)
{
    assert_int_equal(weir_host_send_by(p->host[host], by, p->now_ps, 1 - host, msg, bytes), 0);
}

static void packets_name_their_law_and_laws_send_in_turn(void **state)
{
    static const uint32_t laws[] = { 0, 1, 2, 0, 1, 2, 1, 1 }; /* of the packets that leave */
    struct pair *p = mixed_reset(3);
    (void)state;
    pair_start(p);
    send_from(p, 0, 0, 0, 2 * PAIR_MSS);
    send_from(p, 0, 1, 1, 4 * PAIR_MSS);
    send_from(p, 0, 2, 2, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->logged, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(left[i].at_ps, i * 88000);
        assert_int_equal(left[i].law, laws[i]);
        assert_int_equal(left[i].class_id, laws[i]);
        assert_int_equal(p->log[i].conn, laws[i] << 30); /* connection 0 of each law */
    }
    assert_int_equal(p->delivered_ps[0], 4 * 88000 + 5000000);
    assert_int_equal(p->delivered_ps[1], 8 * 88000 + 5000000);
    assert_int_equal(p->delivered_ps[2], 6 * 88000 + 5000000);
    assert_int_equal(p->finishes, 3);
}

static void answers_of_any_law_leave_before_data_of_any(void **state)
{
    struct pair *p = mixed_reset(2);
    uint32_t at = 0;
    (void)state;
    law[1].cc_config = &wide;
    pair_start(p);
    send_from(p, 1, 1, 7, 100 * PAIR_MSS); /* host 1 sends by law 1 from 0 to 8.8 us */
    send_from(p, 0, 0, 0, 1);              /* 101 B and headers: 16.16 ns, at host 1 at 5.01616 us */
    pair_run(p, WEIR_NEVER);
    while (left[at].host != 1 || left[at].kind != WEIR_PKT_ACK)
        at++;
    assert_int_equal(left[at].law, 0);
    assert_int_equal(left[at].at_ps, 58 * 88000 - 88000); /* the first packet boundary at or after 5.008 us */
    assert_int_equal(left[at + 1].host, 1);
    assert_int_equal(left[at + 1].law, 1);
    assert_int_equal(left[at + 1].at_ps, left[at].at_ps + 8000);
}

static void a_paused_class_holds_back_its_law_alone(void **state)
{
    struct pair *p = mixed_reset(2);
    (void)state;
    pair_start(p);
    pair_pause(p, 0, 1u << 0, 1 * PAIR_US);
    send_from(p, 0, 0, 0, 2 * PAIR_MSS);
    send_from(p, 0, 1, 1, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(left[0].law, 1);
    assert_int_equal(left[1].law, 1);
    assert_int_equal(left[1].at_ps, 88000);
    assert_int_equal(left[2].law, 0);
    assert_int_equal(left[2].at_ps, 1000000);
    assert_int_equal(p->finishes, 2);
}

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = 1000000000, .timer_ps = WEIR_NEVER, .cwnd_bytes = 1000 * PAIR_MSS };
}

static struct weir_notice last_notice;

static void law_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)cc, (void)config;
    last_notice = *notice;
}

static const struct weir_cc_ops paced_ops = { .name = "paced",
                                              .state_bytes = sizeof(struct weir_cc),
                                              .needs = WEIR_NEED_WEIGHTS,
                                              .init = law_init,
                                              .on_notice = law_on_notice };

/* Law 0 is paced, a packet every 8.8 us. A packet of law 1 leaves 88 ns after its first and is lost. */
static void the_timer_of_one_law_is_not_hidden_by_that_of_another(void **state)
{
    struct pair *p = mixed_reset(2);
    (void)state;
    law[0].cc = &paced_ops;
    lost_law = 1;
    pair_start(p);
    send_from(p, 0, 0, 0, 200 * PAIR_MSS);
    send_from(p, 0, 1, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(weir_host_stats(weir_host_of_law(p->host[0], 1))->timeouts, 1);
    assert_int_equal(weir_host_stats(weir_host_of_law(p->host[0], 0))->timeouts, 0);
    assert_int_equal(p->delivered_ps[1], 88000 + 1000000000 + 88000 + 5000000);
    assert_int_equal(p->delivered_ps[0], 199 * 8800000 + 88000 + 5000000); /* as if it were alone */
}

static void no_answer_is_written_while_a_packet_arrives(void **state)
{
    struct pair *p = mixed_reset(2);
    struct weir_pkt data, answer;
    (void)state;
    pair_start(p);
    send_from(p, 0, 1, 0, PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, &data, 1), 1);
    assert_false(weir_host_rx_free(p->host[1], 1000, &data, &answer));
    assert_true(weir_host_ready(p->host[1]));
    assert_int_equal(weir_host_tx(p->host[1], 1000, &answer, 1), 1);
    assert_int_equal(answer.kind, WEIR_PKT_ACK);
    assert_int_equal(answer.conn, 1u << 30);
}

static void a_packet_of_a_law_that_is_not_there_is_refused(void **state)
{
    struct pair *p = mixed_reset(2);
    struct weir_pkt data;
    (void)state;
    pair_start(p);
    send_from(p, 0, 1, 0, PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, &data, 1), 1);
    data.conn |= 2u << 30;
    weir_host_rx(p->host[1], 1000, &data, 1);
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 1);
    assert_int_equal(weir_host_stats(p->host[1])->rx_data_pkts, 0);
    assert_int_equal(weir_host_inbound(p->host[1], 0, &data), WEIR_INBOUND_BEYOND);
    data.conn &= ~(2u << 30);
    assert_int_equal(weir_host_inbound(p->host[1], 0, &data), WEIR_INBOUND_NEW);
}

/* One connection per pair: message 2 of law 1 waits for that of message 1. */
static void a_weight_reaches_the_law_that_knows_the_message_also_while_it_waits(void **state)
{
    const uint64_t weight_q20 = UINT64_C(3) << 20;
    struct pair *p = mixed_reset(2);
    struct weir_host_flow flow;
    (void)state;
    for (uint32_t k = 0; k < 2; k++) {
        law[k].track = true;
        law[k].params.connections = 1;
    }
    law[1].cc = &paced_ops;
    pair_start(p);
    send_from(p, 0, 0, 0, PAIR_MSS);
    send_from(p, 0, 1, 1, PAIR_MSS);
    send_from(p, 0, 1, 2, PAIR_MSS);
    assert_int_equal(weir_host_weight(p->host[0], 0, 2, weight_q20), 0);
    assert_int_equal(last_notice.value, UINT64_C(1) << 20); /* that of message 1 when it began */
    assert_int_equal(weir_host_weight(p->host[0], 0, 3, weight_q20), WEIR_E_UNKNOWN);
    assert_true(weir_host_flow(p->host[0], 1, &flow));
    assert_int_equal(flow.rate_bps, 1000000000);
    assert_true(weir_host_flow(p->host[0], 0, &flow));
    assert_int_equal(flow.rate_bps, WEIR_RATE_OPEN);
    assert_false(weir_host_flow(p->host[0], 2, &flow));
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finishes, 3);
    assert_int_equal(last_notice.value, weight_q20); /* message 2 began with it */
}

static void pending_messages_and_counters_are_those_of_all_laws(void **state)
{
    struct pair *p = mixed_reset(3);
    struct weir_host_pending pending;
    uint64_t cursor = 0;
    (void)state;
    law[0].params.connections = 1;
    pair_start(p);
    send_from(p, 0, 0, 0, PAIR_MSS);
    send_from(p, 0, 0, 1, PAIR_MSS); /* waits for the connection */
    send_from(p, 0, 2, 2, 2 * PAIR_MSS);
    for (uint32_t i = 0; i < 3; i++) {
        assert_true(weir_host_next_pending(p->host[0], &cursor, &pending));
        assert_int_equal(pending.msg, i);
        assert_int_equal(pending.dst, 1);
    }
    assert_false(weir_host_next_pending(p->host[0], &cursor, &pending));
    pair_run(p, WEIR_NEVER);
    assert_int_equal(weir_host_stats(p->host[0])->tx_data_pkts, 4);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 4 * PAIR_MSS);
    assert_int_equal(weir_host_stats(p->host[1])->rx_new_bytes, 4 * PAIR_MSS);
    assert_int_equal(weir_host_stats(p->host[0])->connections, 2);
    assert_int_equal(weir_host_stats(weir_host_of_law(p->host[1], 2))->rx_data_pkts, 2);
    assert_null(weir_host_check(p->host[0]));
}

static void cancel_finds_the_message_and_forget_ends_those_of_every_law(void **state)
{
    struct pair *p = mixed_reset(2);
    struct weir_host_pending pending;
    uint64_t cursor = 0;
    (void)state;
    pair_start(p);
    send_from(p, 0, 0, 0, PAIR_MSS);
    send_from(p, 0, 1, 1, PAIR_MSS);
    pair_cancel(p, 1); /* nothing of it was sent */
    assert_int_equal(p->finished[1], 1);
    assert_int_equal(weir_host_cancel(p->host[0], 0, 2), WEIR_E_UNKNOWN);
    send_from(p, 0, 1, 3, PAIR_MSS);
    pair_forget(p, 4);
    assert_false(weir_host_next_pending(p->host[0], &cursor, &pending));
    assert_false(weir_host_ready(p->host[0]));
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->deliveries, 0);
}

/* host.mark: 1.5 packets. Behind a packet wait the next ones of the other connections, whichever their law. */
static void the_source_marks_by_what_waits_of_all_laws(void **state)
{
    static const bool marked[] = { true, true, false, false }; /* with 3, 2, 1 and then 0 packets left behind them */
    struct pair *p = mixed_reset(2);
    (void)state;
    p->cfg.params.mark_bytes = 1650;
    pair_start(p);
    for (uint32_t i = 0; i < 4; i++)
        send_from(p, 0, i % 2, i, PAIR_MSS); /* a connection each */
    pair_run(p, WEIR_NEVER);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal((left[i].flags & WEIR_PKT_CE) != 0, marked[i]);
    assert_int_equal(weir_host_stats(p->host[0])->source_marked_pkts, 2);
}

static void a_receiver_driven_law_runs_beside_a_sender_driven_one(void **state)
{
    struct pair *p = mixed_reset(2);
    struct weir_credit_sums sums;
    (void)state;
    weir_param_defaults(weir_sird_params, &sird);
    weir_param_resolve_bdp(weir_sird_params, &sird, p->cfg.path.bdp_bytes);
    law[1].cc = NULL;
    law[1].credit = &weir_sird_ops;
    law[1].cc_config = &sird;
    law[1].path.control_rtt_ps = law[1].path.base_rtt_ps;
    law[1].path.wire_bytes = PAIR_WIRE;
    pair_start(p);
    send_from(p, 0, 0, 0, 300 * PAIR_MSS);
    send_from(p, 0, 1, 1, 300 * PAIR_MSS);
    pair_run(p, 20 * PAIR_US);
    weir_host_credit(p->host[1], &sums);
    assert_true(sums.outstanding_bytes > 0 && sums.bucket_bytes > 0);
    assert_int_equal(weir_host_stats(weir_host_of_law(p->host[1], 0))->marked_pkts, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finishes, 2);
    weir_host_credit(p->host[1], &sums);
    assert_int_equal(sums.outstanding_bytes, 0);
    assert_null(weir_host_check(p->host[1]));
}

static void every_packet_sent_again_and_again_settles(void **state)
{
    struct pair *p = mixed_reset(4);
    (void)state;
    law[2].cc = &paced_ops;
    law[3].cc_config = &wide;
    lost_law = 3;
    pair_start(p);
    for (uint32_t i = 0; i < 40; i++)
        send_from(p, i % 3 == 0, i % 4, i, 1 + 977 * i);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finishes, 40);
    assert_int_equal(p->deliveries, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_name_their_law_and_laws_send_in_turn),
        cmocka_unit_test(answers_of_any_law_leave_before_data_of_any),
        cmocka_unit_test(a_paused_class_holds_back_its_law_alone),
        cmocka_unit_test(the_timer_of_one_law_is_not_hidden_by_that_of_another),
        cmocka_unit_test(no_answer_is_written_while_a_packet_arrives),
        cmocka_unit_test(a_packet_of_a_law_that_is_not_there_is_refused),
        cmocka_unit_test(a_weight_reaches_the_law_that_knows_the_message_also_while_it_waits),
        cmocka_unit_test(pending_messages_and_counters_are_those_of_all_laws),
        cmocka_unit_test(cancel_finds_the_message_and_forget_ends_those_of_every_law),
        cmocka_unit_test(the_source_marks_by_what_waits_of_all_laws),
        cmocka_unit_test(a_receiver_driven_law_runs_beside_a_sender_driven_one),
        cmocka_unit_test(every_packet_sent_again_and_again_settles),
    };
    return cmocka_run_group_tests_name("host/mixed", tests, NULL, NULL);
}
