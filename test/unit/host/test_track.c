/* test/unit/host/test_track.c - what a world may ask of a message under way, its weight, and the queueing delay that comes back with
 * its acknowledgements. */
#include "core/rcp_code.h"
#include "pair.h"

static struct weir_cc_ops ops;
static struct weir_notice notices[16];
static struct weir_ack acks[64];
static uint32_t noticed, heard, begun_at;

struct law { /* numbers its flows in the order they are made */
    struct weir_cc cc;
    uint32_t number;
};
static uint32_t laws, noticed_by[16];

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *(struct law *)cc =
        (struct law){ .cc = { .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 10 * PAIR_MSS },
                      .number = laws++ };
}

static void law_on_start(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    (void)cc, (void)config, (void)now_ps;
    begun_at = noticed;
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    acks[heard++] = *ack;
}

static void law_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)config;
    noticed_by[noticed] = ((struct law *)cc)->number;
    notices[noticed++] = *notice;
    if (notice->value > UINT64_C(1) << 20)
        cc->cwnd_bytes = 20 * PAIR_MSS;
}

static struct pair *law_reset(void)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law",
                                .state_bytes = sizeof(struct law),
                                .needs = WEIR_NEED_WEIGHTS,
                                .init = law_init,
                                .on_start = law_on_start,
                                .on_ack = law_on_ack,
                                .on_notice = law_on_notice };
    noticed = heard = laws = 0;
    p->cfg.cc = &ops;
    p->cfg.track = true;
    return p;
}

#define ONE (UINT64_C(1) << 20)

static void assert_notice(uint32_t i, uint32_t law, uint64_t now_ps, uint64_t weight_q20)
{
    assert_true(i < noticed);
    assert_int_equal(noticed_by[i], law);
    assert_int_equal(notices[i].kind, WEIR_NOTICE_WEIGHT);
    assert_int_equal(notices[i].now_ps, now_ps);
    assert_int_equal(notices[i].value, weight_q20);
}

static void a_look_tells_what_was_sent_and_what_has_arrived(void **state)
{
    struct pair *p = law_reset();
    struct weir_host_flow flow = { .sent_bytes = 1 };
    (void)state;
    pair_start(p);
    assert_false(weir_host_flow(p->host[0], 5, &flow));
    assert_int_equal(flow.sent_bytes, 0);
    pair_send(p, 5, 12 * PAIR_MSS + 500);
    assert_true(weir_host_flow(p->host[0], 5, &flow));
    assert_int_equal(flow.sent_bytes + flow.acked_bytes, 0);
    assert_int_equal(flow.cwnd_bytes, 10 * PAIR_MSS);
    assert_true(flow.rate_bps == WEIR_RATE_OPEN);
    assert_false(weir_host_flow(p->host[0], 4, &flow)); /* has a record, but nothing was sent with it */
    pair_run(p, 10 * PAIR_US);
    assert_true(weir_host_flow(p->host[0], 5, &flow));
    assert_int_equal(flow.sent_bytes, 10 * PAIR_MSS);
    assert_int_equal(flow.acked_bytes, 0);
    pair_run(p,
             (PAIR_WIRE * 3 + PAIR_ACK) * 80 + 10 * PAIR_US + 1); /* three came back, so the last is out: a short one */
    assert_true(weir_host_flow(p->host[0], 5, &flow));
    assert_int_equal(flow.sent_bytes, 12 * PAIR_MSS + 500);
    assert_int_equal(flow.acked_bytes, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finished[5], 1);
    assert_false(weir_host_flow(p->host[0], 5, &flow));
}

static void the_second_message_of_a_connection_counts_from_zero(void **state)
{
    struct pair *p = law_reset();
    struct weir_host_flow flow;
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS + 1);
    pair_send(p, 1, 4 * PAIR_MSS);
    assert_true(weir_host_flow(p->host[0], 0, &flow));
    assert_false(weir_host_flow(p->host[0], 1, &flow)); /* waits */
    pair_run(p, 12 * PAIR_US);                          /* the first is done; the second is out */
    assert_int_equal(p->finished[0], 1);
    assert_false(weir_host_flow(p->host[0], 0, &flow));
    assert_true(weir_host_flow(p->host[0], 1, &flow));
    assert_int_equal(flow.sent_bytes, 4 * PAIR_MSS);
    assert_int_equal(flow.acked_bytes, 0);
}

static void a_message_has_weight_one_until_it_is_given_another(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, 60 * PAIR_MSS);
    assert_int_equal(begun_at, 1); /* before on_start */
    assert_notice(0, 0, 0, ONE);
    assert_int_equal(weir_host_weight(p->host[0], 0, 0, 3 * ONE), 0);
    assert_notice(1, 0, 0, 3 * ONE);
    pair_run(p, 7 * PAIR_US);
    assert_int_equal(p->logged, 20); /* the law answered with a window of twenty: those go at once */
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, ONE / 2), 0);
    assert_notice(2, 0, p->now_ps, ONE / 2);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, ONE), WEIR_E_UNKNOWN);
    pair_send(p, 0, PAIR_MSS); /* handle and connection again: the weight does not stay */
    assert_int_equal(noticed, 4);
    assert_notice(3, 0, p->now_ps, ONE);
}

static void a_message_that_waits_keeps_its_weight_until_it_has_a_connection(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_send(p, 2, PAIR_MSS);
    assert_int_equal(weir_host_weight(p->host[0], 0, 1, 2 * ONE), 0);
    assert_int_equal(weir_host_weight(p->host[0], 0, 1, 7 * ONE), 0);
    assert_int_equal(weir_host_weight(p->host[0], 0, 3, ONE), WEIR_E_UNKNOWN);
    assert_int_equal(noticed, 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_int_equal(noticed, 3);
    assert_notice(1, 0, p->finished_ps[0], 7 * ONE);
    assert_notice(2, 0, p->finished_ps[1], ONE);
}

static void messages_side_by_side_have_a_connection_and_a_weight_each(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 2 * PAIR_MSS);
    for (uint32_t m = 0; m < 3; m++)
        assert_int_equal(weir_host_weight(p->host[0], 0, m, (m + 1) * ONE), 0);
    for (uint32_t m = 0; m < 3; m++)
        assert_notice(3 + m, m, 0, (m + 1) * ONE);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
}

static void nothing_is_kept_or_told_where_nobody_asked(void **state)
{
    struct pair *p = law_reset();
    struct weir_host_flow flow;
    (void)state;
    p->cfg.track = false;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(weir_host_weight(p->host[0], 0, 0, 2 * ONE), 0);
    assert_int_equal(weir_host_weight(p->host[0], 0, 77, 2 * ONE), 0);
    assert_false(weir_host_flow(p->host[0], 0, &flow));
    assert_int_equal(noticed, 0);
    p = law_reset(); /* tracked, but the law knows no weights */
    ops.needs = 0;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(weir_host_weight(p->host[0], 0, 0, 2 * ONE), 0);
    assert_true(weir_host_flow(p->host[0], 0, &flow));
    assert_int_equal(noticed, 0);
}

static void a_packet_cannot_set_a_weight(void **state)
{
    struct pair *p = law_reset();
    struct weir_pkt forged = {
        .value = 9 * ONE, .seq = WEIR_NOTICE_WEIGHT, .src = 1, .dst = 0, .kind = WEIR_PKT_NOTICE
    };
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    weir_host_rx(p->host[0], 0, &forged, 1);
    assert_int_equal(noticed, 1);  /* the one of the beginning */
    forged.seq = WEIR_NOTICE_RATE; /* which would come without what a solver gives */
    weir_host_rx(p->host[0], 0, &forged, 1);
    assert_int_equal(noticed, 1);
    forged.seq = 1;
    weir_host_rx(p->host[0], 0, &forged, 1);
    assert_int_equal(noticed, 2);
}

static void a_message_without_room_for_its_record_is_refused(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    p->mem_limit = p->mem_used;
    assert_int_equal(weir_host_send(p->host[0], 0, 1, 4000, PAIR_MSS), WEIR_E_MEMORY);
    assert_int_equal(weir_host_weight(p->host[0], 0, 4000, ONE), WEIR_E_UNKNOWN);
    p->mem_limit = sizeof(pair_mem);
    pair_send(p, 4000, PAIR_MSS);
    assert_int_equal(weir_host_weight(p->host[0], 0, 4000, ONE), 0);
}

static void data_says_its_weight_in_whole_packets(void **state)
{
    static const struct {
        uint64_t weight_q20;
        uint8_t said;
    } cases[] = { { ONE, 1 },
                  { 1, 1 },
                  { ONE * 5 / 2, 3 },
                  { ONE * 5 / 2 - 1, 2 },
                  { 255 * ONE, 255 },
                  { 256 * ONE, 255 },
                  { ONE * 1000000, 255 },
                  { ONE * 509 / 2, 255 },
                  { ONE * 507 / 2, 254 } };
    struct pair *p = law_reset();
    (void)state;
    ops.needs = 0; /* a law that knows no weights goes with ports that do */
    p->cfg.wrr = true;
    pair_start(p);
    for (uint32_t m = 0; m < sizeof(cases) / sizeof(cases[0]); m++) {
        struct weir_pkt pkt;
        pair_send(p, m, PAIR_MSS);
        assert_int_equal(weir_host_weight(p->host[0], 0, m, cases[m].weight_q20), 0);
        assert_int_equal(weir_host_tx(p->host[0], 0, &pkt, 1), 1);
        assert_int_equal(pkt.msg, m);
        assert_int_equal(pkt.weight, cases[m].said);
    }
    p = law_reset();
    p->cfg.wrr = true;
    p->cfg.track = false;
    struct weir_pkt pkt;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, &pkt, 1), 1);
    assert_int_equal(pkt.weight, 1);
}

/* Queues of 3, 4, 5 .. units on the way there; on the way back they would not count. */
static void stamp_delay(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p, (void)hop;
    if (pkt->kind == WEIR_PKT_DATA) {
        assert_int_equal(pkt->qdelay, 0);
        pkt->qdelay = (uint16_t)(3 + pkt->seq);
    }
}

static struct pair *delay_reset(void)
{
    struct pair *p = law_reset();
    p->cfg.qdelay_unit_ps = 4000;
    p->stamp = stamp_delay;
    return p;
}

#define LONG_AGO ((UINT64_C(1) << 48) * 5 - 3 * PAIR_US) /* the third packet's round trip goes over the wrap */

/* The first packet leaves before an ACK is back. */
static void data_carries_its_senders_round_trip_once_it_is_known(void **state)
{
    struct pair *p = delay_reset();
    struct weir_pkt data, ack;
    (void)state;
    p->cfg.qdelay_unit_ps = 1;
    p->cfg.rtt_unit_ps = PAIR_US;
    pair_start(p);
    p->now_ps = 7 * PAIR_US;
    pair_send(p, 0, 2 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 7 * PAIR_US, &data, 1), 1);
    assert_int_equal(data.rtt, 0);
    data.qdelay = 12345; /* a port */
    weir_host_rx(p->host[1], 20 * PAIR_US, &data, 1);
    assert_int_equal(weir_host_tx(p->host[1], 20 * PAIR_US, &ack, 1), 1);
    weir_host_rx(p->host[0], 37 * PAIR_US, &ack, 1);
    assert_int_equal(acks[0].rate_stamp, 12345);
    assert_int_equal(acks[0].rtt_ps, 30 * PAIR_US);
    assert_int_equal(weir_host_tx(p->host[0], 37 * PAIR_US, &data, 1), 1);
    assert_int_equal(data.rtt, weir_rcp_rtt_code(30 * PAIR_US, PAIR_US));
    assert_int_equal(data.qdelay, 0);
}

static void the_queueing_delay_comes_back_beside_the_round_trip(void **state)
{
    struct pair *p = delay_reset();
    uint64_t rtt_ps = (PAIR_WIRE + PAIR_ACK) * 80 + 10 * PAIR_US;
    (void)state;
    pair_start(p);
    p->now_ps = LONG_AGO;
    p->free_ps[0] = p->free_ps[1] = LONG_AGO;
    pair_send(p, 0, 60 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(heard, 60);
    for (uint32_t i = 0; i < 60; i++) {
        assert_int_equal(acks[i].qdelay_max_ps, (3 + i) * 4000);
        assert_int_equal(acks[i].rtt_ps, rtt_ps);
        assert_int_equal(p->log[i].sent48_ps, (acks[i].now_ps - rtt_ps) & ((UINT64_C(1) << 48) - 1));
    }
    assert_int_equal(host_flow_at(p->host[0], 0)->srtt_8 / 8, rtt_ps >> HOST_RTT_SHIFT);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
}

static enum pair_fate drop_first_of_two(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA || pkt->seq != 2 || p->fate_value++ > 0)
        return PAIR_PASS;
    return PAIR_DROP;
}

static void a_retransmission_tells_the_delay_but_no_round_trip(void **state)
{
    struct pair *p = delay_reset();
    (void)state;
    p->fate = drop_first_of_two;
    pair_start(p);
    pair_send(p, 0, 8 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->retransmitted, 1);
    assert_int_equal(heard, 8);
    assert_int_equal(acks[7].qdelay_max_ps, 5 * 4000); /* packet 2, last of all */
    assert_int_equal(acks[7].rtt_ps, 0);
    assert_int_equal(acks[6].qdelay_max_ps, 10 * 4000);
    assert_true(acks[6].rtt_ps > 0);
}

static void a_request_to_go_back_reports_the_delay_of_what_was_dropped(void **state)
{
    struct pair *p = delay_reset();
    (void)state;
    p->fate = drop_first_of_two;
    p->cfg.params.reliability = WEIR_GO_BACK_N;
    p->cfg.params.ack_every = 8;
    p->cfg.params.ack_delay_ps = 1000 * PAIR_US;
    p->cfg.params.nack_interval_ps = 1000 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 8 * PAIR_MSS);
    pair_run(p, 15 * PAIR_US);
    assert_int_equal(heard, 1);
    assert_int_equal(acks[0].acked_bytes, 2 * PAIR_MSS); /* packets 0 and 1, told when 3 came */
    assert_int_equal(acks[0].qdelay_max_ps, 6 * 4000);
    assert_int_equal(acks[0].rtt_ps, 0);
}

static void delayed_acks_tell_of_the_packet_that_waited_longest(void **state)
{
    struct pair *p = delay_reset();
    (void)state;
    p->cfg.params.ack_every = 4;
    pair_start(p);
    p->now_ps = p->free_ps[0] = 1;
    pair_send(p, 0, 8 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(heard, 2);
    assert_int_equal(acks[0].qdelay_max_ps, 3 * 4000);
    assert_int_equal(acks[1].qdelay_max_ps, 7 * 4000);
    assert_int_equal(acks[1].rtt_ps, (4 * PAIR_WIRE + PAIR_ACK) * 80 + 10 * PAIR_US);
}

static void stamps_and_delays_that_cannot_be_are_bounded(void **state)
{
    struct pair *p = delay_reset();
    struct weir_pkt ack = { .src = 1, .ack = 1, .kind = WEIR_PKT_ACK };
    (void)state;
    p->cfg.qdelay_unit_ps = 256000;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, PAIR_US);
    ack.sent48_ps = 2 * PAIR_US; /* from the future */
    ack.qdelay = 65535;
    weir_host_rx(p->host[0], PAIR_US, &ack, 1);
    assert_int_equal(heard, 1);
    assert_int_equal(acks[0].rtt_ps, 0);
    assert_int_equal(acks[0].qdelay_max_ps, UINT64_C(65535) * 256000); /* 16.8 ms: above 32 bits */
}

/* On two connections, and one that waits for one; the handle that is next to them is nobody's. */
static void messages_are_cancelled_by_their_records(void **state)
{
    struct pair *p = law_reset();
    (void)state;
    p->cfg.params.connections = 2;
    pair_start(p);
    for (uint32_t m = 1; m < 4; m++)
        pair_send(p, m, 50 * PAIR_MSS);
    pair_run(p, PAIR_US);
    p->now_ps = PAIR_US;
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 4), WEIR_E_UNKNOWN);
    pair_cancel(p, 3);
    assert_int_equal(p->finished[3], 1);
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 3), WEIR_E_UNKNOWN);
    pair_cancel(p, 2);
    assert_int_equal(p->finished[2], 0); /* the receiver must confirm it */
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finished[2], 1);
    assert_int_equal(p->finished[1], 1);
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 1), WEIR_E_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_look_tells_what_was_sent_and_what_has_arrived),
        cmocka_unit_test(the_second_message_of_a_connection_counts_from_zero),
        cmocka_unit_test(a_message_has_weight_one_until_it_is_given_another),
        cmocka_unit_test(a_message_that_waits_keeps_its_weight_until_it_has_a_connection),
        cmocka_unit_test(messages_side_by_side_have_a_connection_and_a_weight_each),
        cmocka_unit_test(nothing_is_kept_or_told_where_nobody_asked),
        cmocka_unit_test(a_packet_cannot_set_a_weight),
        cmocka_unit_test(a_message_without_room_for_its_record_is_refused),
        cmocka_unit_test(data_says_its_weight_in_whole_packets),
        cmocka_unit_test(data_carries_its_senders_round_trip_once_it_is_known),
        cmocka_unit_test(the_queueing_delay_comes_back_beside_the_round_trip),
        cmocka_unit_test(a_retransmission_tells_the_delay_but_no_round_trip),
        cmocka_unit_test(a_request_to_go_back_reports_the_delay_of_what_was_dropped),
        cmocka_unit_test(delayed_acks_tell_of_the_packet_that_waited_longest),
        cmocka_unit_test(stamps_and_delays_that_cannot_be_are_bounded),
        cmocka_unit_test(messages_are_cancelled_by_their_records),
    };
    return cmocka_run_group_tests_name("host/track", tests, NULL, NULL);
}
