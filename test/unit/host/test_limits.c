/* test/unit/host/test_limits.c - limits of hosts: windows of receivers, timers, intervals, and rates, each 1 below, at and 1
 * above. Expectations are computed by hand. */
#include "pair.h"

static struct weir_pkt out[8];

/* DATA of connection 4 of host 0: message 9 begins at packet 100, and has ten packets. */
static struct weir_pkt data(uint32_t seq)
{
    return (struct weir_pkt){ .sent_ps = 7000,
                              .conn = 4,
                              .msg = 9,
                              .seq = seq,
                              .ack = 100,
                              .src = 0,
                              .dst = 1,
                              .wire_bytes = PAIR_WIRE,
                              .payload_bytes = PAIR_MSS,
                              .kind = WEIR_PKT_DATA,
                              .flags = (uint8_t)(WEIR_PKT_ECT | (seq == 109 ? WEIR_PKT_END : 0)) };
}

static void rx(struct weir_host *h, uint64_t now_ps, struct weir_pkt pkt)
{
    weir_host_rx(h, now_ps, &pkt, 1);
}

/* ---- windows: a packet is beyond if its distance is the window or more ---- */

static void a_first_packet_is_taken_within_the_window(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        pair_start(p);
        uint32_t distance = p->host[1]->window_pkts - 1 + i;
        struct weir_pkt pkt = data(100 + distance);
        assert_int_equal(weir_host_inbound(p->host[1], 0, &pkt), i == 0 ? WEIR_INBOUND_NEW : WEIR_INBOUND_BEYOND);
        rx(p->host[1], 10, pkt);
        assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, i > 0);
        assert_int_equal(host_stream_of(p->host[1])->rxs.count, i == 0);
    }
}

/* Packet 100 has arrived, so the window begins at 101. */
static void a_later_packet_is_taken_within_the_window(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        pair_start(p);
        struct weir_pkt pkt = data(101 + p->host[1]->window_pkts - 1 + i);
        rx(p->host[1], 10, data(100));
        assert_int_equal(weir_host_inbound(p->host[1], 0, &pkt), i == 0 ? WEIR_INBOUND_OPEN : WEIR_INBOUND_BEYOND);
        rx(p->host[1], 20, pkt);
        assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, i > 0);
    }
}

/* Message 9 is whole, so the next one begins at packet 110. */
static void a_packet_of_the_next_message_is_taken_within_the_window(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        pair_start(p);
        for (uint32_t seq = 100; seq < 110; seq++)
            rx(p->host[1], seq, data(seq));
        struct weir_pkt pkt = data(110 + p->host[1]->window_pkts - 1 + i);
        pkt.msg = 10;
        pkt.ack = 110;
        assert_int_equal(weir_host_inbound(p->host[1], 0, &pkt), i == 0 ? WEIR_INBOUND_NEW : WEIR_INBOUND_BEYOND);
        rx(p->host[1], 200, pkt);
        assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, i > 0);
    }
}

/* An ABORT names the packet behind the message's last one: none of its packets has arrived, and the distance may be the
 * whole window. */
static void an_abort_may_reach_to_the_end_of_the_window(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        pair_start(p);
        for (uint32_t seq = 100; seq < 110; seq++)
            rx(p->host[1], seq, data(seq));
        struct weir_pkt pkt = data(110 + p->host[1]->window_pkts - 1 + i);
        pkt.kind = WEIR_PKT_ABORT;
        pkt.msg = 10;
        pkt.ack = 110;
        rx(p->host[1], 200, pkt);
        assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, i == 2);
        assert_int_equal(host_rx_at(p->host[1], 0)->cum, i == 2 ? 110 : pkt.seq);
    }
}

/* ---- acknowledgements for what was never sent ---- */

/* Two packets are sent, 0 and 1. Edges 2^31 - 1 and 2^31 ahead of 0: the first is beyond all that was sent, the second is
 * behind, as an ACK that a later one overtook. */
static void an_edge_is_ahead_up_to_half_of_all_numbers(void **state)
{
    static const struct {
        uint32_t edge;
        bool refused;
        uint32_t una;
    } table[] = {
        { 2, false, 2 }, { 3, true, 0 }, { 0x7fffffff, true, 0 }, { 0x80000000, false, 0 }, { 0xffffffff, false, 0 }
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct pair *p = pair_reset();
        struct weir_pkt ack = { .src = 1, .kind = WEIR_PKT_ACK, .ack = table[i].edge, .seq = table[i].edge - 1 };
        pair_start(p);
        pair_send(p, 0, 5 * PAIR_MSS);
        assert_int_equal(weir_host_tx(p->host[0], 0, out, 2), 2);
        rx(p->host[0], 1, ack);
        assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, table[i].refused);
        assert_int_equal(host_flow_at(p->host[0], 0)->una, table[i].una);
    }
}

/* ---- timers ---- */

/* Two packets leave at 0, and the ACK of the first comes at 1 ps: the timeout is 1 ms after that. The timer's entry is of
 * 1 ms, which is 1 ps too early. */
static void a_timeout_comes_at_its_deadline(void **state)
{
    enum { RTO_PS = 1000000000 };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) { /* who is called late handles it then */
        struct pair *p = pair_reset();
        struct weir_pkt ack = { .src = 1, .kind = WEIR_PKT_ACK, .ack = 1, .seq = 0 };
        pair_start(p);
        pair_send(p, 0, 2 * PAIR_MSS);
        assert_int_equal(weir_host_tx(p->host[0], 0, out, 8), 2);
        rx(p->host[0], 1, ack);
        assert_int_equal(weir_host_next_ps(p->host[0]), RTO_PS);
        (void)weir_host_tx(p->host[0], RTO_PS + i, out, 8);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, i > 0);
        assert_int_equal(weir_host_stats(p->host[0])->retransmissions, i > 0);
        if (i > 0)
            continue;
        assert_int_equal(weir_host_next_ps(p->host[0]), RTO_PS + 1);
        (void)weir_host_tx(p->host[0], RTO_PS + 1, out, 8);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    }
}

/* After a timeout the next one takes twice as long; an ACK that brings something ends that. */
static void a_back_off_doubles_until_an_ack(void **state)
{
    struct pair *p = pair_reset();
    struct weir_pkt ack = { .src = 1, .kind = WEIR_PKT_ACK, .ack = 1, .seq = 0 };
    uint64_t now_ps = 0, rto_ps = 1000 * PAIR_US;
    (void)state;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    (void)weir_host_tx(p->host[0], 0, out, 8);
    for (uint32_t i = 0; i < 3; i++, rto_ps *= 2) {
        assert_int_equal(host_rto_deadline_ps(p->host[0], host_flow_at(p->host[0], 0)), now_ps + rto_ps);
        while (weir_host_next_ps(p->host[0]) < now_ps + rto_ps)
            (void)weir_host_tx(p->host[0], weir_host_next_ps(p->host[0]), out, 8);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, i);
        now_ps += rto_ps;
        assert_int_equal(weir_host_next_ps(p->host[0]), now_ps);
        (void)weir_host_tx(p->host[0], now_ps, out, 8);
        assert_int_equal(weir_host_stats(p->host[0])->timeouts, i + 1);
    }
    rx(p->host[0], now_ps + 5, ack);
    assert_int_equal(host_flow_at(p->host[0], 0)->backoff, 0);
    assert_int_equal(host_rto_deadline_ps(p->host[0], host_flow_at(p->host[0], 0)), now_ps + 5 + 1000 * PAIR_US);
}

/* One of two packets per ACK waits for 6 us. */
static void a_delayed_ack_leaves_at_its_time(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        p->cfg.params.ack_every = 2;
        pair_start(p);
        rx(p->host[1], 100, data(100));
        assert_int_equal(weir_host_next_ps(p->host[1]), 100 + 6 * PAIR_US);
        assert_int_equal(weir_host_tx(p->host[1], 99 + 6 * PAIR_US + i, out, 8), i > 0);
    }
}

/* The second and third packet wait for the first: a request for it, and no other one for 500 us. */
static void a_request_for_a_packet_is_repeated_after_its_interval(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct pair *p = pair_reset();
        p->cfg.params.reliability = WEIR_GO_BACK_N;
        p->cfg.params.nack_interval_ps = 500 * PAIR_US;
        pair_start(p);
        rx(p->host[1], 50, data(100));
        rx(p->host[1], 100, data(102));
        assert_int_equal(weir_host_stats(p->host[1])->tx_nack_pkts, 1);
        rx(p->host[1], 99 + 500 * PAIR_US + i, data(103));
        assert_int_equal(weir_host_stats(p->host[1])->tx_nack_pkts, i > 0 ? 2 : 1);
    }
}

/* ---- round trips of receiver-driven hosts ---- */

static void a_round_trip_off_the_mean_counts_by_its_distance(void **state)
{
    static const struct {
        uint64_t rtt_ps, srtt_ps, rttvar_ps; /* 7/8 of 8000 and an eighth; 3/4 of 400 and a quarter of the distance */
    } table[] = {
        { 7999, 7999, 300 }, { 8000, 8000, 300 }, { 8001, 8000, 300 }, { 7992, 7999, 302 }, { 8008, 8001, 302 }
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct credit_rtt e = { .srtt_ps = 8000, .rttvar_ps = 400, .backoff = 2 };
        credit_rtt_sample(&e, 77, table[i].rtt_ps);
        assert_int_equal(e.srtt_ps, table[i].srtt_ps);
        assert_int_equal(e.rttvar_ps, table[i].rttvar_ps);
        assert_int_equal(e.backoff, 0);
    }
}

/* Half of 402 is 201: twice 100 is below, twice 101 above. Half of 400 is twice 100. */
static void a_round_trip_of_the_order_of_the_largest_keeps_it_raised(void **state)
{
    static const struct {
        uint64_t raised_ps, rtt_ps, at_ps;
    } table[] = { { 402, 100, 3 }, { 400, 100, 9 }, { 402, 101, 9 } };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct credit_rtt e = { .raised_ps = table[i].raised_ps, .raised_at_ps = 3 };
        credit_rtt_sample(&e, 9, table[i].rtt_ps);
        assert_int_equal(e.raised_at_ps, table[i].at_ps);
        assert_int_equal(e.raised_ps, table[i].raised_ps);
    }
}

static void a_raised_timeout_is_halved_after_256_times_itself(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct credit_rtt e = { .raised_ps = 1000, .raised_at_ps = 10 };
        uint64_t now_ps = 10 + 256000 - 1 + i;
        credit_rtt_sample(&e, now_ps, 1);
        assert_int_equal(e.raised_ps, i == 2 ? 500 : 1000);
        assert_int_equal(e.raised_at_ps, i == 2 ? now_ps : 10);
    }
}

/* ---- the BDP of receiver-driven hosts, found by trial ---- */

static void a_trial_is_kept_from_its_rate_on(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        struct credit_window more = { .trial = CREDIT_TRIAL_MORE, .kept_rate = 1000 };
        struct credit_window less = { .trial = CREDIT_TRIAL_LESS, .best_rate = 1600 };
        struct credit_window back = { .trial = CREDIT_TRIAL_BACK, .less_rate = 1499 + i };
        assert_int_equal(credit_window_passes(&more, 1249 + i), i > 0); /* a quarter more */
        assert_int_equal(credit_window_passes(&less, 1499 + i), i > 0); /* a sixteenth less than the best */
        assert_int_equal(credit_window_passes(&back, 1600), i > 0);     /* .. than what is measured again */
    }
}

static void trials_are_more_frequent_below_the_first_bdp(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 3; i++) {
        struct credit_window w = { .first_bytes = 100, .bdp_bytes = 99 + i };
        assert_int_equal(credit_window_wait_most(&w), i == 0 ? CREDIT_WAIT_BELOW : CREDIT_WAIT_MOST);
    }
}

/* Half, but not less than the floor; at the floor less cannot be tried, and at the most not more. */
static void less_is_tried_only_above_the_floor(void **state)
{
    static const struct {
        uint64_t bdp_bytes, next_bytes;
        enum credit_trial trial;
    } table[] = { { 1000, 2000, CREDIT_TRIAL_MORE },
                  { 1001, 1000, CREDIT_TRIAL_LESS },
                  { 2002, 1001, CREDIT_TRIAL_LESS } };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct credit_window w = { .stands = true,
                                   .least_bytes = 1000,
                                   .most_bytes = 4000,
                                   .first_bytes = 1500,
                                   .bdp_bytes = table[i].bdp_bytes,
                                   .less_next = true };
        credit_window_try(&w, 7);
        assert_int_equal(w.bdp_bytes, table[i].next_bytes);
        assert_int_equal(w.trial, table[i].trial);
        assert_int_equal(w.kept_bytes, table[i].bdp_bytes);
        assert_int_equal(w.kept_rate, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_first_packet_is_taken_within_the_window),
        cmocka_unit_test(a_later_packet_is_taken_within_the_window),
        cmocka_unit_test(a_packet_of_the_next_message_is_taken_within_the_window),
        cmocka_unit_test(an_abort_may_reach_to_the_end_of_the_window),
        cmocka_unit_test(an_edge_is_ahead_up_to_half_of_all_numbers),
        cmocka_unit_test(a_timeout_comes_at_its_deadline),
        cmocka_unit_test(a_back_off_doubles_until_an_ack),
        cmocka_unit_test(a_delayed_ack_leaves_at_its_time),
        cmocka_unit_test(a_request_for_a_packet_is_repeated_after_its_interval),
        cmocka_unit_test(a_round_trip_off_the_mean_counts_by_its_distance),
        cmocka_unit_test(a_round_trip_of_the_order_of_the_largest_keeps_it_raised),
        cmocka_unit_test(a_raised_timeout_is_halved_after_256_times_itself),
        cmocka_unit_test(a_trial_is_kept_from_its_rate_on),
        cmocka_unit_test(trials_are_more_frequent_below_the_first_bdp),
        cmocka_unit_test(less_is_tried_only_above_the_floor),
    };
    return cmocka_run_group_tests_name("host/limits", tests, NULL, NULL);
}
