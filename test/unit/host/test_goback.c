/* test/unit/host/test_goback.c - reliability: go-back-n, to the picosecond. Ten packets leave at 0, 88 ns, .. and arrive
 * 5.088 us later; the third is lost. */
#include "pair.h"

static struct weir_cc_ops ops;
static struct weir_loss losses[8];
static uint32_t loss_count, drops;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = 100 * PAIR_MSS };
}

static void law_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)cc, (void)config;
    losses[loss_count++] = *loss;
}

static enum pair_fate drop_third(struct pair *p, const struct weir_pkt *pkt)
{
    bool hit = pkt->kind == WEIR_PKT_DATA && pkt->seq == 2 && drops < p->fate_value;
    drops += hit;
    return hit ? PAIR_DROP : PAIR_PASS;
}

/* The first `lost` copies of the third packet are lost. */
static struct pair *go_back(uint64_t lost, uint64_t interval_ps)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){
        .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init, .on_loss = law_on_loss
    };
    loss_count = drops = 0;
    p->cfg.cc = &ops;
    p->cfg.params.reliability = WEIR_GO_BACK_N;
    p->cfg.params.nack_interval_ps = interval_ps;
    p->fate = drop_third;
    p->fate_value = lost;
    pair_start(p);
    pair_send(p, 0, 10 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    return p;
}

static void nothing_is_sent_again_without_loss(void **state)
{
    struct pair *p = go_back(0, 500 * PAIR_US);
    (void)state;
    assert_int_equal(p->retransmitted, 0);
    assert_int_equal(weir_host_stats(p->host[1])->tx_nack_pkts, 0);
    assert_int_equal(weir_host_stats(p->host[1])->tx_ack_pkts, 10);
}

static void all_from_the_missing_packet_on_goes_again(void **state)
{
    struct pair *p = go_back(1, 500 * PAIR_US);
    const struct weir_host_stats *rx = weir_host_stats(p->host[1]);
    uint64_t nack_ps = 5352000 + 8000 + 5 * PAIR_US; /* the fourth packet came at 5.352 us */
    (void)state;
    assert_int_equal(rx->dropped_pkts, 7);
    assert_int_equal(rx->tx_nack_pkts, 1);
    assert_int_equal(rx->duplicates + rx->refused_pkts, 0);
    assert_int_equal(p->logged, 18);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(p->log[10 + i].seq, 2 + i);
        assert_int_equal(p->log[10 + i].sent_ps, nack_ps + i * 88000);
        assert_int_equal(p->log[10 + i].flags & WEIR_PKT_RETX, WEIR_PKT_RETX);
    }
    assert_int_equal(p->delivered_ps[0], nack_ps + 8 * 88000 + 5 * PAIR_US);
    assert_int_equal(loss_count, 1);
    assert_false(losses[0].is_timeout);
    assert_int_equal(losses[0].lost_seq, 2 * PAIR_MSS);
    assert_int_equal(losses[0].next_seq, 10 * PAIR_MSS);
    assert_int_equal(losses[0].lost_bytes, 8 * PAIR_MSS);
}

/* What follows the second lost copy comes from 15.536 us on: too early to ask again, then not. */
static void the_same_packet_is_asked_for_once_per_interval(void **state)
{
    struct pair *p = go_back(2, 500 * PAIR_US);
    (void)state;
    assert_int_equal(weir_host_stats(p->host[1])->tx_nack_pkts, 1);
    assert_int_equal(weir_host_stats(p->host[1])->dropped_pkts, 14);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    p = go_back(2, 10184000);
    assert_int_equal(weir_host_stats(p->host[1])->tx_nack_pkts, 2);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(p->log[18].sent_ps, 15536000 + 8000 + 5 * PAIR_US);
    p = go_back(2, 10184001); /* one picosecond more: the packet after that one asks */
    assert_int_equal(p->log[18].sent_ps, 15536000 + 88000 + 8000 + 5 * PAIR_US);
}

static struct weir_pkt nack_of(uint32_t ack)
{
    return (struct weir_pkt){
        .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .flags = WEIR_PKT_RETX, .seq = ack - 1, .ack = ack
    };
}

static void a_request_that_fits_nothing_is_refused_or_ignored(void **state)
{
    struct pair *p = go_back(0, 0);
    struct weir_pkt nack = nack_of(11), out[8];
    (void)state;
    weir_host_rx(p->host[0], p->now_ps, &nack, 1); /* of what was never sent */
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    nack = nack_of(10); /* all of it is here */
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    nack = nack_of(4); /* overtaken */
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    assert_false(weir_host_ready(p->host[0]));

    pair_send(p, 1, 3 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 8), 3);
    nack = nack_of(11); /* the second of three: one is delivered, two go again */
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    assert_int_equal(host_flow_at(p->host[0], 0)->inflight_bytes, 0);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 8), 2);
    assert_int_equal(out[0].seq, 11);
    assert_int_equal(out[1].seq, 12);
    assert_int_equal(host_flow_at(p->host[0], 0)->inflight_bytes, 2 * PAIR_MSS);

    p = pair_reset(); /* selective */
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    assert_int_equal(weir_host_tx(p->host[0], 0, out, 8), 3);
    nack = nack_of(1);
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1);
    assert_false(weir_host_ready(p->host[0]));
}

/* The last packet has one byte, and is the only one that is missing. */
static void a_request_for_the_last_byte_sends_it_again(void **state)
{
    struct pair *p = go_back(0, 0);
    struct weir_pkt nack = nack_of(12), out[8];
    (void)state;
    pair_send(p, 1, 2 * PAIR_MSS + 1);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 8), 3);
    p->now_ps += PAIR_US;
    weir_host_rx(p->host[0], p->now_ps, &nack, 1);
    assert_int_equal(loss_count, 1);
    assert_int_equal(losses[0].lost_bytes, 1);
    assert_int_equal(weir_host_tx(p->host[0], p->now_ps, out, 8), 1);
    assert_int_equal(out[0].seq, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_sent_again_without_loss),
        cmocka_unit_test(all_from_the_missing_packet_on_goes_again),
        cmocka_unit_test(the_same_packet_is_asked_for_once_per_interval),
        cmocka_unit_test(a_request_that_fits_nothing_is_refused_or_ignored),
        cmocka_unit_test(a_request_for_the_last_byte_sends_it_again),
    };
    return cmocka_run_group_tests_name("host/goback", tests, NULL, NULL);
}
