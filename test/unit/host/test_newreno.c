/* test/unit/host/test_newreno.c - RFC 6582 by hand: three duplicates, a hole per round trip, the window while recovering, timeouts. */
#include "pair.h"
#include "test/unit/host/internals.h"

#define TRIP_PS (PAIR_WIRE * 80 + PAIR_ACK * 80 + 10 * PAIR_US) /* a full packet there, its ACK back */

enum { LOG_MAX = 16 };
static struct weir_loss losses[LOG_MAX];
static uint32_t loss_count, recovered, ece_duplicates;
static struct weir_cc_ops ops;

static void note_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    assert_true(loss_count < LOG_MAX);
    losses[loss_count++] = *loss;
    weir_dctcp_ops.on_loss(cc, config, loss);
}

static void note_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    recovered += (ack->flags & WEIR_ACK_RECOVERED) != 0;
    ece_duplicates += ack->acked_bytes == 0 && ack->flags & WEIR_ACK_ECE;
    weir_dctcp_ops.on_ack(cc, config, ack);
}

static struct pair *newreno_reset(uint64_t cwnd_pkts)
{
    struct pair *p = pair_reset();
    ops = weir_dctcp_ops; /* halves its window for a loss */
    ops.on_loss = note_loss;
    ops.on_ack = note_ack;
    loss_count = recovered = ece_duplicates = 0;
    p->cfg.cc = &ops;
    p->cfg.params.reliability = WEIR_NEWRENO;
    p->dctcp.init_cwnd.bytes = cwnd_pkts * PAIR_MSS;
    return p;
}

/* The first copies of the packets whose bits fate_value has are lost. */
static enum pair_fate drop_bits(struct pair *p, const struct weir_pkt *pkt)
{
    bool hit = pkt->kind == WEIR_PKT_DATA && pkt->seq < 64 && p->fate_value >> pkt->seq & 1;
    return hit && !(pkt->flags & WEIR_PKT_RETX) ? PAIR_DROP : PAIR_PASS;
}

/* Holes at 2, 4, 6, ..: the third duplicate is the ACK of the third packet that arrives after packet 2; each hole but the first is named by
 * the partial ACK of the one before, a round trip after it was sent. */
static void k_holes_take_k_round_trips(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 8; k++) {
        struct pair *p = newreno_reset(30);
        uint32_t third = k == 1 ? 5 : k == 2 ? 6 : 7; /* sent as the third one after packet 2 that arrives */
        p->fate = drop_bits;
        for (uint32_t i = 0; i < k; i++)
            p->fate_value |= UINT64_C(1) << (2 + 2 * i);
        pair_start(p);
        pair_send(p, 0, 30 * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        const struct weir_host_stats *s = weir_host_stats(p->host[0]);
        assert_int_equal(s->retransmissions, k);
        assert_int_equal(s->timeouts, 0);
        assert_int_equal(loss_count, 1); /* one cut */
        assert_int_equal(losses[0].lost_seq, 2 * PAIR_MSS);
        assert_int_equal(losses[0].next_seq, 30 * PAIR_MSS);
        assert_int_equal(recovered, 1);
        uint64_t first_ps = third * PAIR_WIRE * 80 + TRIP_PS;
        for (uint32_t i = 0; i < k; i++) {
            assert_int_equal(p->log[30 + i].seq, 2 + 2 * i);
            assert_int_equal(p->log[30 + i].sent_ps, first_ps + i * TRIP_PS);
        }
        assert_int_equal(p->finished_ps[0], first_ps + k * TRIP_PS);
    }
}

/* Packet 0 of 20 is lost: the window is 10, and the n-th duplicate leaves 20 - n. So the 11th lets one new packet go, and each of the 8
 * after it another; the ACK of packet 0 acknowledges 20 and lets one more go: 9 are in flight. */
static void each_duplicate_frees_a_packet_of_the_window(void **state)
{
    struct pair *p = newreno_reset(20);
    (void)state;
    p->fate = drop_bits;
    p->fate_value = 1;
    pair_start(p);
    pair_send(p, 0, 60 * PAIR_MSS);
    pair_run(p, 3 * PAIR_WIRE * 80 + 2 * TRIP_PS + 1);
    assert_int_equal(p->log[20].seq, 0);
    assert_int_equal(p->log[20].sent_ps, 3 * PAIR_WIRE * 80 + TRIP_PS);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(p->log[21 + i].seq, 20 + i);
        assert_int_equal(p->log[21 + i].sent_ps, (11 + i) * PAIR_WIRE * 80 + TRIP_PS);
    }
    assert_int_equal(p->log[30].seq, 29);
    assert_int_equal(p->log[30].sent_ps, 3 * PAIR_WIRE * 80 + 2 * TRIP_PS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->retransmissions, 1);
}

/* Step 3: a partial ACK takes what it acknowledges out of the inflation and gives one packet back. Holes at 0 and 5 of 20: 18 duplicates
 * of 0 (the window is 10: duplicates 11 to 18 send 20 to 27), then the ACK of 0 acknowledges 5 packets; pipe 20 + 8 - 18 = 10, less
 * one; hole 5 goes, and nothing else. */
static void a_partial_ack_sends_one_hole(void **state)
{
    struct pair *p = newreno_reset(20);
    (void)state;
    p->fate = drop_bits;
    p->fate_value = 1 | 1u << 5;
    pair_start(p);
    pair_send(p, 0, 60 * PAIR_MSS);
    uint64_t partial_ps = 3 * PAIR_WIRE * 80 + 2 * TRIP_PS;
    pair_run(p, partial_ps + 1);
    const struct host_flow *f = host_flow_at(p->host[0], 0);
    assert_int_equal(p->logged, 30);
    assert_int_equal(p->log[28].seq, 27);
    assert_int_equal(p->log[29].seq, 5);
    assert_int_equal(p->log[29].sent_ps, partial_ps);
    assert_int_equal(f->una, 5);
    assert_int_equal(f->inflight_bytes, 9 * PAIR_MSS);
    assert_int_equal(pair_tcp(p->host[0], 0)->inflated, 18 - 5 + 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
}

/* Two duplicates are reordering. */
static void two_duplicates_start_nothing(void **state)
{
    struct pair *p = newreno_reset(3);
    (void)state;
    p->fate = drop_bits;
    p->fate_value = 1;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(loss_count, 1);
    assert_true(losses[0].is_timeout);
}

/* Four duplicates are not five; after the timeout five more come, of packets that were sent again although they were here. */
static void duplicates_after_a_timeout_start_no_recovery(void **state)
{
    struct pair *p = newreno_reset(30);
    struct weir_pkt ack = { .src = 1, .kind = WEIR_PKT_ACK, .seq = 4 };
    (void)state;
    p->cfg.params.reorder_pkts = 5;
    p->fate = drop_bits;
    p->fate_value = 1;
    pair_start(p);
    pair_send(p, 0, 5 * PAIR_MSS);
    pair_run(p, 1010 * PAIR_US); /* its packet 0 is on its way again */
    assert_int_equal(loss_count, 1);
    assert_true(losses[0].is_timeout);
    assert_int_equal(pair_tcp(p->host[0], 0)->recover_seq, 5 * PAIR_MSS);
    for (int i = 0; i < 5; i++)
        weir_host_rx(p->host[0], p->now_ps, &ack, 1);
    assert_int_equal(pair_tcp(p->host[0], 0)->dups, 5);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(loss_count, 1);
}

/* Section 4: the timer runs from the first partial ACK on, so that many holes end in a timeout. */
static void the_timer_restarts_with_the_first_partial_ack_only(void **state)
{
    struct pair *p = newreno_reset(40);
    (void)state;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = 5 * TRIP_PS;
    p->fate = drop_bits;
    for (uint32_t i = 0; i < 15; i++)
        p->fate_value |= UINT64_C(1) << 2 * i;
    pair_start(p);
    pair_send(p, 0, 40 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    uint64_t third_ps = 5 * PAIR_WIRE * 80 + TRIP_PS, partial_ps = third_ps + TRIP_PS;
    assert_int_equal(loss_count, 2);
    assert_int_equal(losses[0].now_ps, third_ps);
    assert_true(losses[1].is_timeout);
    assert_int_equal(losses[1].now_ps, partial_ps + host_rto_ps(p->host[0], host_flow_at(p->host[0], 0)));
}

static enum pair_fate mark_and_drop(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq == 4)
        ((struct weir_pkt *)pkt)->flags |= WEIR_PKT_CE;
    return drop_bits(p, pkt);
}

/* The mark of packet 4 comes back in a duplicate: packet 0 is missing. */
static void a_mark_in_a_duplicate_reaches_the_law(void **state)
{
    struct pair *p = newreno_reset(20);
    (void)state;
    p->fate = mark_and_drop;
    p->fate_value = 1;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(ece_duplicates, 1);
}

static void an_old_ack_is_no_duplicate(void **state)
{
    struct pair *p = newreno_reset(20);
    struct weir_pkt ack = { .src = 1, .kind = WEIR_PKT_ACK, .ack = 1, .seq = 0 };
    (void)state;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, 5 * PAIR_WIRE * 80 + TRIP_PS);
    assert_true(host_flow_at(p->host[0], 0)->una > 1);
    for (int i = 0; i < 5; i++)
        weir_host_rx(p->host[0], p->now_ps, &ack, 1);
    assert_int_equal(pair_tcp(p->host[0], 0)->dups, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(loss_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_holes_take_k_round_trips),
        cmocka_unit_test(each_duplicate_frees_a_packet_of_the_window),
        cmocka_unit_test(a_partial_ack_sends_one_hole),
        cmocka_unit_test(two_duplicates_start_nothing),
        cmocka_unit_test(duplicates_after_a_timeout_start_no_recovery),
        cmocka_unit_test(the_timer_restarts_with_the_first_partial_ack_only),
        cmocka_unit_test(a_mark_in_a_duplicate_reaches_the_law),
        cmocka_unit_test(an_old_ack_is_no_duplicate),
    };
    return cmocka_run_group_tests_name("newreno", tests, NULL, NULL);
}
