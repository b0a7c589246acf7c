/* test/unit/host/test_telemetry.c - records on DATA come back with the acknowledgement and reach the law as they were
 * written; so does the time for which the receiver held it. */
#include "pair.h"

static const struct weir_telemetry_rates rates = { .bps = { 100000000000, 400000000000 }, .count = 2 };
static struct weir_cc_ops ops;
static struct weir_int_hop seen[64][WEIR_TELEMETRY_HOPS_MAX];
static struct weir_ack acks[64];
static uint32_t heard;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 100 * PAIR_MSS };
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)cc, (void)config;
    assert_int_equal(ack->hop != NULL, ack->hop_count > 0);
    for (uint32_t i = 0; i < ack->hop_count; i++)
        seen[heard][i] = ack->hop[i];
    acks[heard++] = *ack;
}

static struct pair *law_reset(uint32_t needs)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){
        .name = "law", .state_bytes = sizeof(struct weir_cc), .needs = needs, .init = law_init, .on_ack = law_on_ack
    };
    heard = 0;
    p->cfg.cc = &ops;
    p->cfg.rates = &rates;
    return p;
}

/* Two hops; every figure tells the packet's number. */
static void write_two(struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    hop[pkt->hops++] = weir_telemetry_pack(1000 + pkt->seq, UINT64_C(0x123400000000) + pkt->seq, 10 * pkt->seq, 0);
    hop[pkt->hops++] = weir_telemetry_pack(2000 + pkt->seq, 7 * pkt->seq, UINT64_C(1) << 40, 1);
}

static void stamp_data(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p;
    if (pkt->kind == WEIR_PKT_DATA)
        write_two(pkt, hop);
}

static void stamp_answers(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p;
    if (pkt->kind == WEIR_PKT_ACK)
        write_two(pkt, hop);
}

static void assert_seen(uint32_t i, uint32_t seq)
{
    assert_int_equal(acks[i].hop_count, 2);
    assert_int_equal(acks[i].path_id, 0);
    assert_int_equal(acks[i].share_count, 0);
    assert_int_equal(seen[i][0].ts_ps, 1000 + seq);
    assert_int_equal(seen[i][0].tx_bytes, UINT64_C(0x123400000000) + seq);
    assert_int_equal(seen[i][0].queue_bytes, 10 * seq);
    assert_int_equal(seen[i][0].rate_bps, 100000000000);
    assert_int_equal(seen[i][1].ts_ps, 2000 + seq);
    assert_int_equal(seen[i][1].tx_bytes, 7 * seq);
    assert_int_equal(seen[i][1].queue_bytes, UINT32_MAX);
    assert_int_equal(seen[i][1].rate_bps, 400000000000);
}

static void an_ack_brings_the_records_of_its_data(void **state)
{
    struct pair *p = law_reset(WEIR_NEED_INT);
    (void)state;
    p->stamp = stamp_data;
    p->cfg.params.reply_bytes = 4; /* a reply, and its ACK, have none: pair_leave() looks */
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_seen(i, i);
}

/* FNCC: hosts carry nothing, switches write into what answers. */
static void records_put_into_acks_on_their_way_reach_the_law(void **state)
{
    struct pair *p = law_reset(WEIR_NEED_ACK_INT);
    (void)state;
    p->stamp = stamp_answers;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_seen(i, i);
}

static void a_delayed_ack_brings_those_of_its_latest_data(void **state)
{
    struct pair *p = law_reset(WEIR_NEED_INT);
    (void)state;
    p->stamp = stamp_data;
    p->cfg.params.ack_every = 4;
    p->cfg.params.ack_delay_ps = 100000;
    pair_start(p);
    pair_send(p, 0, 9 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    /* a packet every 88 ns: the delay of 100 ns is over between the second and the third */
    assert_int_equal(heard, 5);
    assert_seen(0, 1);
    assert_seen(1, 3);
    assert_seen(2, 5);
    assert_seen(3, 7);
    assert_seen(4, 8); /* the last one at once */
}

/* Answers that wait keep theirs, in order, while the ring grows and turns. */
static void answers_that_wait_keep_their_records(void **state)
{
    struct pair *p = law_reset(WEIR_NEED_INT);
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct weir_pkt out;
    uint32_t in = 0, left = 0;
    (void)state;
    pair_start(p);
    for (uint32_t round = 0; round < 12; round++) {
        for (uint32_t i = 0; i < 5; i++, in++) {
            struct weir_pkt data = {
                .src = 0, .dst = 1, .seq = in, .wire_bytes = PAIR_WIRE, .payload_bytes = PAIR_MSS, .kind = WEIR_PKT_DATA
            };
            if (in % 3 != 0)
                write_two(&data, hop);
            assert_false(weir_host_rx_hops(p->host[1], 0, &data, hop, NULL));
        }
        for (uint32_t i = 0; i < 3 + round % 3; i++, left++) {
            assert_int_equal(weir_host_tx(p->host[1], 0, &out, 1), 1);
            assert_int_equal(out.seq, left);
            assert_int_equal(out.hops, left % 3 != 0 ? 2 : 0);
            const struct weir_telemetry *back = weir_host_tx_hops(p->host[1]);
            if (left % 3 != 0)
                assert_int_equal(weir_telemetry_unpack(&back[1], &rates).tx_bytes, 7 * left);
        }
        assert_int_equal(host_stream_of(p->host[1])->hops.count, p->host[1]->acks.count);
    }
}

static void without_telemetry_records_are_not_read(void **state)
{
    struct pair *p = law_reset(WEIR_NEED_INT);
    (void)state;
    p->cfg.rates = NULL;
    p->stamp = stamp_data;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 3);
    assert_int_equal(acks[2].hop_count, 0);
    assert_int_equal(host_stream_of(p->host[1])->hops.capacity, 0); /* and nothing is kept for them */
}

/* --- how long the receiver held an acknowledgement --- */

static struct pair *held_reset(void)
{
    struct pair *p = law_reset(WEIR_NEED_HELD);
    p->cfg.rates = NULL;
    return p;
}

/* Packets of 88 ns arrive from 5.088 us on. The receiver may send from 10 us on, an ACK every 8 ns. In units of 65.536 ns:
 * 4912 / 65.536 = 74.9, 4832: 73.7, 4752: 72.5. */
static void an_ack_reports_how_long_it_was_held(void **state)
{
    static const uint32_t units[] = { 74, 73, 72 };
    struct pair *p = held_reset();
    (void)state;
    p->cfg.params.reply_bytes = 4;
    pair_start(p);
    pair_pause(p, 1, 1, 10 * PAIR_US);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(acks[i].held_ps, units[i] * 65536);
        assert_int_equal(acks[i].share_count, 0);
    }
    assert_int_equal(acks[1].rtt_ps, 15016000 - 88000); /* held or not, it is part of the round trip */
    pair_send(p, 1, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(heard, 5);
    assert_int_equal(acks[3].held_ps, 0); /* the first left at once .. */
    assert_int_equal(acks[4].held_ps, 0); /* .. and so did the last */
    pair_pause(p, 1, 1, p->now_ps + 3000 * PAIR_US);
    p->cfg.params.rto_min_ps = 10000 * PAIR_US;
    pair_send(p, 2, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(heard, 6);
    assert_int_equal(acks[5].held_ps, 16383 * 65536); /* 1.07 ms is the most */
}

/* As the time it gives back: 2 * 88 ns is 2.7 units, and the last one leaves at once. */
static void a_delayed_ack_was_held_since_its_earliest_data(void **state)
{
    struct pair *p = held_reset();
    (void)state;
    p->cfg.params.ack_every = 3;
    pair_start(p);
    pair_send(p, 0, 4 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(heard, 2);
    assert_int_equal(acks[0].held_ps, 2 * 65536);
    assert_int_equal(acks[1].held_ps, 0);
}

/* A world sees no trace of it: ACK and reply leave without an arrival, and the reply has its length. */
static void what_leaves_has_no_arrival(void **state)
{
    struct pair *p = held_reset();
    struct weir_pkt data = { .dst = 1, .wire_bytes = PAIR_WIRE, .payload_bytes = PAIR_MSS, .flags = WEIR_PKT_END };
    struct weir_pkt out;
    (void)state;
    p->cfg.params.reply_bytes = 7;
    pair_start(p);
    weir_host_rx(p->host[1], PAIR_US, &data, 1);
    assert_int_equal(weir_host_tx(p->host[1], 2 * PAIR_US, &out, 1), 1);
    assert_int_equal(out.kind, WEIR_PKT_ACK);
    assert_int_equal(out.arrival_ps, 0);
    assert_int_equal(out.share_count, 15); /* 1000 / 65.536 */
    assert_int_equal(weir_host_tx(p->host[1], 2 * PAIR_US, &out, 1), 1);
    assert_int_equal(out.kind, WEIR_PKT_REPLY);
    assert_int_equal(out.arrival_ps, 0);
    assert_int_equal(out.payload_bytes, 7);
}

/* The next packet of a message, while the wire is free: nothing was held. */
static void an_answer_written_at_once_was_not_held(void **state)
{
    struct pair *p = held_reset();
    struct weir_pkt data = { .dst = 1, .wire_bytes = PAIR_WIRE, .payload_bytes = PAIR_MSS }, out;
    (void)state;
    pair_start(p);
    assert_false(weir_host_rx_free(p->host[1], PAIR_US, &data, &out));
    assert_int_equal(weir_host_tx(p->host[1], 2 * PAIR_US, &out, 1), 1);
    data.seq = 1;
    assert_true(weir_host_rx_free(p->host[1], 3 * PAIR_US, &data, &out));
    assert_int_equal(out.share_count, 0);
    assert_int_equal(out.arrival_ps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_ack_brings_the_records_of_its_data),
        cmocka_unit_test(records_put_into_acks_on_their_way_reach_the_law),
        cmocka_unit_test(a_delayed_ack_brings_those_of_its_latest_data),
        cmocka_unit_test(answers_that_wait_keep_their_records),
        cmocka_unit_test(without_telemetry_records_are_not_read),
        cmocka_unit_test(an_ack_reports_how_long_it_was_held),
        cmocka_unit_test(a_delayed_ack_was_held_since_its_earliest_data),
        cmocka_unit_test(what_leaves_has_no_arrival),
        cmocka_unit_test(an_answer_written_at_once_was_not_held),
    };
    return cmocka_run_group_tests_name("host/telemetry", tests, NULL, NULL);
}
