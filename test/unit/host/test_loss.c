/* test/unit/host/test_loss.c - what is lost is found and sent again: by later packets where there are some, else by the
 * timer. */
#include "pair.h"
#include "test/unit/host/internals.h"

enum { LOG_MAX = 16 };
static struct weir_loss losses[LOG_MAX];
static uint32_t loss_count;

static void note_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    assert_true(loss_count < LOG_MAX);
    losses[loss_count++] = *loss;
    if (weir_dctcp_ops.on_loss != NULL)
        weir_dctcp_ops.on_loss(cc, config, loss);
}

static struct weir_cc_ops ops;

static struct pair *lossy_reset(uint64_t cwnd_pkts)
{
    struct pair *p = pair_reset();
    ops = weir_dctcp_ops;
    ops.on_loss = note_loss;
    loss_count = 0;
    p->cfg.cc = &ops;
    p->dctcp.init_cwnd.bytes = cwnd_pkts * PAIR_MSS;
    return p;
}

/* fate_value: index of the DATA packet whose first copy is lost */
static enum pair_fate drop_one(struct pair *p, const struct weir_pkt *pkt)
{
    bool hit = pkt->kind == WEIR_PKT_DATA && pkt->seq == p->fate_value && !(pkt->flags & WEIR_PKT_RETX);
    return hit ? PAIR_DROP : PAIR_PASS;
}

static void any_one_packet_of_twenty_lost_is_sent_once_more(void **state)
{
    (void)state;
    for (uint32_t lost = 0; lost < 20; lost++) {
        struct pair *p = lossy_reset(20);
        p->fate = drop_one;
        p->fate_value = lost;
        pair_start(p);
        pair_send(p, 0, 20 * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        const struct weir_host_stats *s = weir_host_stats(p->host[0]);
        bool found_by_timer = lost >= 17; /* fewer than three packets come after it */
        assert_int_equal(s->retransmissions, 1);
        assert_int_equal(s->timeouts, found_by_timer ? 1 : 0);
        assert_int_equal(weir_host_stats(p->host[1])->duplicates, 0);
        assert_int_equal(p->retransmitted, 1);
        assert_int_equal(loss_count, 1);
        assert_int_equal(losses[0].is_timeout, found_by_timer);
        assert_int_equal(losses[0].lost_seq, lost * PAIR_MSS);
        assert_int_equal(losses[0].next_seq, 20 * PAIR_MSS);
        assert_int_equal(losses[0].lost_bytes, PAIR_MSS);
    }
}

static void only_first_copies_of_short_messages_have_tokens(void **state)
{
    (void)state;
    for (uint32_t longer = 0; longer < 2; longer++) {
        struct pair *p = lossy_reset(20);
        p->cfg.tokens = 4;
        p->cfg.token_bytes = 7 * PAIR_MSS + 1;
        p->fate = drop_one;
        p->fate_value = 1;
        pair_start(p);
        pair_send(p, 0, 7 * PAIR_MSS + 1 + longer);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(p->log[i].tokens, longer ? 0 : 4);
        assert_int_equal(p->log[8].seq, 1); /* again */
        assert_int_equal(p->log[8].tokens, 0);
    }
}

/* A lane for each number of tokens, or two: those with tokens, and those without. */
static void data_goes_in_the_lane_of_its_tokens_and_again_in_the_lowest(void **state)
{
    static const uint32_t lanes[] = { 5, 2, 0 }, first[] = { 4, 1, 0 };
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        struct pair *p = lossy_reset(20);
        bool longer = i >= 3;
        p->cfg.tokens = 4;
        p->cfg.token_bytes = 7 * PAIR_MSS + 1;
        p->cfg.lanes = lanes[i % 3];
        p->cfg.params.data_class = 2;
        p->fate = drop_one;
        p->fate_value = 1;
        pair_start(p);
        pair_send(p, 0, 7 * PAIR_MSS + 1 + longer);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        for (uint32_t k = 0; k < 8; k++)
            assert_int_equal(p->log[k].class_id, 2 + (longer ? 0 : first[i % 3]));
        assert_int_equal(p->log[8].seq, 1); /* again */
        assert_int_equal(p->log[8].class_id, 2);
    }
}

static void the_third_later_packet_finds_the_loss(void **state)
{
    struct pair *p = lossy_reset(20);
    (void)state;
    p->fate = drop_one;
    p->fate_value = 4;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(losses[0].now_ps, 8 * PAIR_WIRE * 80 + 10 * PAIR_US + PAIR_ACK * 80); /* the ACK of packet 7 */
    assert_int_equal(p->log[20].seq, 4);
    assert_int_equal(p->log[20].sent_ps, losses[0].now_ps);
    assert_int_equal(p->log[20].flags, WEIR_PKT_ECT | WEIR_PKT_RETX);
}

static void a_lost_last_packet_comes_again_at_the_timeout(void **state)
{
    struct pair *p = lossy_reset(20);
    (void)state;
    p->fate = drop_one;
    p->fate_value = 1;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = 123 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    uint64_t ack_ps = (PAIR_WIRE + PAIR_ACK) * 80 + 10 * PAIR_US; /* of packet 0: sets the timer anew */
    assert_int_equal(losses[0].now_ps, ack_ps + 123 * PAIR_US);
    assert_int_equal(p->log[2].sent_ps, ack_ps + 123 * PAIR_US);
    assert_int_equal(p->delivered_ps[0], p->log[2].sent_ps + PAIR_WIRE * 80 + 5 * PAIR_US);
}

static enum pair_fate drop_range(struct pair *p, const struct weir_pkt *pkt)
{
    bool hit = pkt->kind == WEIR_PKT_DATA && pkt->seq >= (p->fate_value >> 32) && pkt->seq < (uint32_t)p->fate_value;
    return hit && !(pkt->flags & WEIR_PKT_RETX) ? PAIR_DROP : PAIR_PASS;
}

static void a_run_of_losses_is_repaired_without_a_timeout(void **state)
{
    struct pair *p = lossy_reset(40);
    (void)state;
    p->fate = drop_range;
    p->fate_value = UINT64_C(5) << 32 | 25;
    pair_start(p);
    pair_send(p, 0, 60 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->retransmissions, 20);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(weir_host_stats(p->host[1])->duplicates, 0);
}

/* fate_value: how many copies of packet 3 are still to be lost */
static enum pair_fate drop_third(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA || pkt->seq != 3 || p->fate_value == 0)
        return PAIR_PASS;
    p->fate_value--;
    return PAIR_DROP;
}

static void a_lost_retransmission_is_found_by_what_was_sent_after_it(void **state)
{
    struct pair *p = lossy_reset(10);
    (void)state;
    p->fate = drop_third;
    p->fate_value = 3;
    pair_start(p);
    pair_send(p, 0, 100 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->retransmissions, 3);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(loss_count, 3);
}

static void fixed_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 10 * PAIR_MSS };
}

static void close_at_the_second_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)config, (void)loss;
    if (++loss_count == 2)
        cc->cwnd_bytes = PAIR_MSS;
}

/* The window is closed when the retransmission of packet 0 is found lost: what repairs it goes nevertheless, as after the first loss
 * (RFC 6675, section 5, step 4.3), and nothing else. */
static void a_lost_retransmission_goes_again_at_once(void **state)
{
    struct pair *p = lossy_reset(10);
    struct weir_pkt out[32], ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_ACK };
    (void)state;
    ops = (struct weir_cc_ops){
        .name = "law", .state_bytes = sizeof(struct weir_cc), .init = fixed_init, .on_loss = close_at_the_second_loss
    };
    pair_start(p);
    pair_send(p, 0, 100 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, out, 32), 10);
    for (ack.seq = 1; ack.seq <= 13; ack.seq++) {
        weir_host_rx(p->host[0], 0, &ack, 1);
        assert_int_equal(loss_count, ack.seq >= 3);
        assert_true(weir_host_tx(p->host[0], 0, out, 32) > 0);
        assert_int_equal(out[0].seq == 0, ack.seq == 3);
    }
    weir_host_rx(p->host[0], 0, &ack, 1); /* packet 14, the third after the retransmission */
    assert_int_equal(loss_count, 2);
    assert_int_equal(weir_host_tx(p->host[0], 0, out, 32), 1);
    assert_int_equal(out[0].seq, 0);
}

static enum pair_fate drop_all(struct pair *p, const struct weir_pkt *pkt)
{
    (void)pkt;
    return p->now_ps < p->fate_value ? PAIR_DROP : PAIR_PASS;
}

static void the_timeout_doubles_up_to_its_limit_and_starts_from_the_first(void **state)
{
    struct pair *p = lossy_reset(3);
    static const uint64_t at_us[] = { 100, 300, 700, 1100, 1500, 1900 }; /* 100, 200, then the limit of 400 */
    (void)state;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = 100 * PAIR_US;
    p->cfg.params.rto_max_ps = 400 * PAIR_US;
    p->fate = drop_all;
    p->fate_value = 1800 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(loss_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_true(losses[i].is_timeout);
        assert_int_equal(losses[i].now_ps, at_us[i] * PAIR_US);
        assert_int_equal(losses[i].lost_seq, 0);
        assert_int_equal(losses[i].lost_bytes, i == 0 ? 3 * PAIR_MSS : PAIR_MSS); /* then the window is one packet */
        assert_int_equal(p->log[3 + i].seq, 0);
        assert_int_equal(p->log[3 + i].sent_ps, at_us[i] * PAIR_US);
    }
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 6);
    assert_int_equal(host_flow_at(p->host[0], 0)->backoff, 0); /* an ACK ended it */
}

static enum pair_fate delay_third(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq == 3)
        p->late_ps = p->fate_value;
    return PAIR_PASS;
}

static void overtaking_below_the_threshold_is_no_loss(void **state)
{
    (void)state;
    for (uint64_t behind = 0; behind < 5; behind++) { /* packet 3 arrives just behind this many later ones */
        struct pair *p = lossy_reset(20);
        p->fate = delay_third;
        p->fate_value = behind * PAIR_WIRE * 80 + 1;
        pair_start(p);
        pair_send(p, 0, 20 * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 1);
        assert_int_equal(weir_host_stats(p->host[0])->retransmissions, behind >= 3 ? 1 : 0);
        assert_int_equal(weir_host_stats(p->host[1])->duplicates, behind >= 3 ? 1 : 0);
        assert_int_equal(loss_count, behind >= 3 ? 1 : 0);
    }
}

static void a_packet_held_lost_that_arrives_before_it_is_sent_again_is_not_sent_again(void **state)
{
    struct pair *p = lossy_reset(20);
    struct weir_pkt out[32], ack = { .conn = 0, .src = 1, .dst = 0, .kind = WEIR_PKT_ACK };
    (void)state;
    pair_start(p);
    p->delivered[0] = 1; /* as far as the world knows: no receiver takes part */
    pair_send(p, 0, 8 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, out, 32), 8);
    ack.seq = 5;
    weir_host_rx(p->host[0], PAIR_US, &ack, 1); /* packets 0, 1, 2 are lost now */
    const struct host_flow *f = host_flow_at(p->host[0], 0);
    assert_int_equal(f->inflight_bytes, 4 * PAIR_MSS);
    assert_int_equal(losses[0].lost_bytes, 3 * PAIR_MSS);
    ack.seq = 1;
    weir_host_rx(p->host[0], PAIR_US, &ack, 1);
    assert_int_equal(f->inflight_bytes, 4 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], PAIR_US, out, 32), 2);
    assert_int_equal(out[0].seq, 0);
    assert_int_equal(out[1].seq, 2);
    assert_int_equal(f->inflight_bytes, 6 * PAIR_MSS);
    ack.ack = 8;
    ack.seq = 7;
    weir_host_rx(p->host[0], PAIR_US, &ack, 1);
    assert_int_equal(f->inflight_bytes, 0);
    assert_int_equal(f->board, 0);
    assert_int_equal(f->flags & HOST_BUSY, 0);
}

static void the_timer_follows_rfc_6298(void **state)
{
    struct host_flow f = { 0 };
    (void)state;
    host_rto_sample(&f, UINT64_C(1000) << HOST_RTT_SHIFT);
    assert_int_equal(f.srtt_8, 8000);
    assert_int_equal(f.rttvar_4, 2000); /* RTTVAR = R / 2 */
    host_rto_sample(&f, UINT64_C(1800) << HOST_RTT_SHIFT);
    assert_int_equal(f.rttvar_4, 2000 - 500 + 800); /* 3/4 * 500 + 1/4 * 800 = 575, times 4 */
    assert_int_equal(f.srtt_8, 8800);               /* 7/8 * 1000 + 1/8 * 1800 = 1100 */
    host_rto_sample(&f, UINT64_MAX);                /* a clock gone wild: bounded, nothing overflows */
    assert_true(f.srtt_8 > 8800);
}

static void without_memory_for_a_scoreboard_the_timer_still_gets_everything_across(void **state)
{
    struct pair *p = lossy_reset(20);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 20 * PAIR_MSS);
    p->mem_limit = p->mem_used; /* no more from here on: not even for the receiver's connection */
    pair_run(p, 900 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 20);
    p->mem_limit = sizeof(pair_mem);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
}

/* An ACK whose report has no room neither moves una nor restarts the timer. */
static void an_ack_without_memory_for_its_report_changes_nothing(void **state)
{
    struct pair *p = lossy_reset(20);
    struct weir_pkt out[32], ack = { .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .seq = 5, .ack = 2 };
    (void)state;
    pair_start(p);
    pair_send(p, 0, 8 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, out, 32), 8);
    p->mem_limit = p->mem_used;
    const struct host_flow *f = host_flow_at(p->host[0], 0);
    weir_host_rx(p->host[0], PAIR_US, &ack, 1);
    assert_int_equal(f->una, 0);
    assert_int_equal(f->since_ps, 0);
    assert_int_equal(f->inflight_bytes, 8 * PAIR_MSS);
    assert_int_equal(weir_host_stats(p->host[0])->tx_acked_bytes, 0);
    ack.seq = 1; /* without a report it needs none */
    weir_host_rx(p->host[0], PAIR_US, &ack, 1);
    assert_int_equal(f->una, 2);
    assert_int_equal(f->since_ps, PAIR_US);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_one_packet_of_twenty_lost_is_sent_once_more),
        cmocka_unit_test(only_first_copies_of_short_messages_have_tokens),
        cmocka_unit_test(data_goes_in_the_lane_of_its_tokens_and_again_in_the_lowest),
        cmocka_unit_test(the_third_later_packet_finds_the_loss),
        cmocka_unit_test(a_lost_last_packet_comes_again_at_the_timeout),
        cmocka_unit_test(a_run_of_losses_is_repaired_without_a_timeout),
        cmocka_unit_test(a_lost_retransmission_is_found_by_what_was_sent_after_it),
        cmocka_unit_test(a_lost_retransmission_goes_again_at_once),
        cmocka_unit_test(the_timeout_doubles_up_to_its_limit_and_starts_from_the_first),
        cmocka_unit_test(overtaking_below_the_threshold_is_no_loss),
        cmocka_unit_test(a_packet_held_lost_that_arrives_before_it_is_sent_again_is_not_sent_again),
        cmocka_unit_test(the_timer_follows_rfc_6298),
        cmocka_unit_test(an_ack_without_memory_for_its_report_changes_nothing),
        cmocka_unit_test(without_memory_for_a_scoreboard_the_timer_still_gets_everything_across),
    };
    return cmocka_run_group_tests_name("host/loss", tests, NULL, NULL);
}
