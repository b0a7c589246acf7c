/* test/unit/host/test_cancel.c - messages of sender-driven hosts that are cancelled, hosts that are forgotten, and what is known of a
 * message. Times: a packet takes 88 ns of the link, an ACK or ABORT 8 ns, the way 5 us. */
#include "pair.h"

static struct pair *begin(uint32_t connections)
{
    struct pair *p = pair_reset();
    p->cfg.params.connections = connections;
    return p;
}

static const struct host_rx *receiving(const struct pair *p, uint32_t index)
{
    return host_rx_at(p->host[1], index);
}

/* Three of 50 packets leave, then the ABORT: it costs a round trip, and nothing is sent again. */
static void a_cancelled_message_ends_a_round_trip_later(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 3 * 88000);
    assert_int_equal(p->logged, 3);
    p->now_ps = 3 * 88000;
    pair_cancel(p, 0);
    pair_cancel(p, 0); /* again: nothing */
    assert_int_equal(p->finishes, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->deliveries, 0);
    assert_int_equal(p->drops, 1);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(p->finished_ps[0], 3 * 88000 + 2 * (8000 + 5000000));
    assert_int_equal(p->logged, 4);
    assert_int_equal(p->log[3].kind, WEIR_PKT_ABORT);
    assert_int_equal(p->log[3].seq, 3);
    assert_int_equal(receiving(p, 0)->cum, 3);
    assert_int_equal(weir_host_stats(p->host[0])->tx_done_bytes, 0);
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    pair_send(p, 1, 2 * PAIR_MSS); /* on the same connection, from where it stands */
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1], 1);
    assert_int_equal(p->log[4].ack, 3);
    assert_int_equal(weir_host_stats(p->host[0])->connections, 1);
    assert_int_equal(weir_host_stats(p->host[0])->tx_done_bytes, 2 * PAIR_MSS);
}

/* The three packets wait for their ACK when the ABORT comes: DONE is all that is sent. */
static void a_delayed_ack_ends_with_its_message(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    p->cfg.params.ack_every = 4;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 3 * 88000);
    p->now_ps = 3 * 88000;
    pair_cancel(p, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->drops, 1);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(p->sent_pkts, 3 + 2); /* ABORT and DONE */
}

static void what_nobody_heard_of_ends_at_once(void **state)
{
    struct pair *p = begin(1);
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 4; m++)
        pair_send(p, m, PAIR_MSS); /* the first has the connection, the others wait for it */
    pair_cancel(p, 0);
    assert_int_equal(p->finished[0], 1);
    pair_cancel(p, 3);
    pair_cancel(p, 2);
    assert_int_equal(p->finishes, 3);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(p->delivered[1], 1);
    assert_int_equal(p->finishes, 4);
    assert_int_equal(p->sent_pkts, 2);
    pair_send(p, 4, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[4], 1);
}

static enum pair_fate lose_first_abort(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_ABORT)
        return PAIR_PASS;
    return p->fate_value++ == 0 ? PAIR_DROP : PAIR_PASS;
}

static void a_lost_abort_is_repeated_by_the_timer(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    p->fate = lose_first_abort;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 88000);
    pair_cancel(p, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(p->drops, 1);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    assert_int_equal(weir_host_stats(p->host[0])->retransmissions, 0);
}

static enum pair_fate lose_data(struct pair *p, const struct weir_pkt *pkt)
{
    (void)p;
    return pkt->kind == WEIR_PKT_DATA ? PAIR_DROP : PAIR_PASS;
}

/* The connection is made by the ABORT, and what comes next fits. */
static void the_receiver_may_never_have_heard_of_it(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    p->fate = lose_data;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 88000);
    pair_cancel(p, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(p->drops, 0);
    p->fate = NULL;
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1], 1);
}

static void what_had_all_arrived_is_delivered(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, 88000);
    p->now_ps = 88000;
    pair_cancel(p, 0);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[0], 1);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(p->drops, 0);
}

/* By hand: what no honest sender says. */
static void aborts_that_fit_nothing_are_refused(void **state)
{
    struct pair *p = begin(40);
    struct weir_pkt abort = { .conn = 0, .msg = 0, .seq = 30000, .ack = 0, .src = 0, .dst = 1, .kind = WEIR_PKT_ABORT };
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 6 * PAIR_US);
    weir_host_rx(p->host[1], p->now_ps, &abort, 1); /* beyond the window */
    abort.seq = 2;
    abort.msg = 7;
    abort.ack = 1;
    weir_host_rx(p->host[1], p->now_ps, &abort, 1); /* another message, below what is here: stale, answered */
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 1);
    abort.seq = 40;
    weir_host_rx(p->host[1], p->now_ps, &abort, 1); /* another message, ahead */
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 2);
    abort.ack = receiving(p, 0)->cum;
    weir_host_rx(p->host[1], p->now_ps, &abort, 1); /* another one, which would begin where this one is now */
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 3);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[0], 1);
    assert_int_equal(p->finished[0], 1);
    abort.seq = 60;
    for (abort.ack = 49; abort.ack <= 51; abort.ack += 2) { /* none is open, and the next one begins at 50 */
        weir_host_rx(p->host[1], p->now_ps, &abort, 1);
        assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, abort.ack == 49 ? 4 : 5);
        assert_int_equal(receiving(p, 0)->cum, 50);
    }
    abort.ack = 50;
    weir_host_rx(p->host[1], p->now_ps, &abort, 1);
    assert_int_equal(weir_host_stats(p->host[1])->refused_pkts, 5);
    assert_int_equal(receiving(p, 0)->cum, 60);
}

static void a_forgotten_host_is_met_anew(void **state)
{
    struct pair *p = begin(1);
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 20 * PAIR_MSS);
    pair_run(p, 7 * PAIR_US);
    assert_int_equal(host_flow_at(p->host[0], 0)->flags & HOST_BUSY, HOST_BUSY);
    assert_true(host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes > 0);
    pair_forget(p, 3);
    assert_false(weir_host_ready(p->host[0]));
    assert_false(weir_host_ready(p->host[1])); /* its ACKs are gone, too */
    pair_send(p, 3, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->deliveries, 1);
    assert_int_equal(p->delivered[3], 1);
    assert_int_equal(p->finishes, 1);
    assert_int_equal(host_stream_of(p->host[1])->rxs.count, 1); /* the record is used again */
    assert_int_equal(host_stream_of(p->host[1])->rx_map.count, 1);
    weir_host_forget(p->host[0], p->now_ps, 9); /* not met: nothing */
}

/* Connections of four hosts in one map: those of the others are found when one host's are gone. */
static void the_others_are_found_after_a_host_was_forgotten(void **state)
{
    struct pair *p = begin(40);
    (void)state;
    pair_start(p);
    for (uint32_t i = 0; i < 200; i++) {
        struct weir_pkt pkt = { .conn = i / 4, .src = 10 + i % 4, .dst = 1, .payload_bytes = PAIR_MSS, .msg = i };
        weir_host_rx(p->host[1], 1000, &pkt, 1);
    }
    assert_int_equal(host_stream_of(p->host[1])->rxs.count, 200);
    weir_host_forget(p->host[1], 2000, 11);
    assert_int_equal(host_stream_of(p->host[1])->rx_map.count, 150);
    for (uint32_t i = 0; i < 200; i++) {
        struct weir_pkt pkt = { .conn = i / 4, .msg = i };
        assert_int_equal(weir_host_inbound(p->host[1], 10 + i % 4, &pkt),
                         i % 4 == 1 ? WEIR_INBOUND_NEW : WEIR_INBOUND_OPEN);
    }
    for (uint32_t i = 1; i < 200; i += 4) {
        struct weir_pkt pkt = { .conn = i / 4, .src = 11, .dst = 1, .payload_bytes = PAIR_MSS, .seq = 5, .ack = 5 };
        weir_host_rx(p->host[1], 3000, &pkt, 1);
    }
    assert_int_equal(host_stream_of(p->host[1])->rxs.count, 200);
    assert_int_equal(host_stream_of(p->host[1])->rx_map.count, 200);
}

static enum weir_host_inbound inbound(const struct pair *p, uint32_t msg, uint32_t first, uint32_t seq)
{
    return weir_host_inbound(p->host[1], 0, &(struct weir_pkt){ .conn = 0, .msg = msg, .ack = first, .seq = seq });
}

static void what_is_known_of_a_message(void **state)
{
    struct pair *p = begin(1);
    (void)state;
    p->dctcp.init_cwnd.bytes = 3 * PAIR_MSS;
    pair_start(p);
    assert_int_equal(inbound(p, 0, 0, 0), WEIR_INBOUND_NEW);
    assert_int_equal(inbound(p, 0, 0, WEIR_HOST_WINDOW_PKTS), WEIR_INBOUND_BEYOND);
    pair_send(p, 0, 4 * PAIR_MSS);
    pair_run(p, 6 * PAIR_US); /* three packets of four */
    assert_int_equal(receiving(p, 0)->cum, 3);
    assert_int_equal(inbound(p, 0, 0, 3), WEIR_INBOUND_OPEN);
    assert_int_equal(inbound(p, 0, 0, 1), WEIR_INBOUND_OPEN); /* a copy */
    assert_int_equal(inbound(p, 0, 0, 3 + WEIR_HOST_WINDOW_PKTS), WEIR_INBOUND_BEYOND);
    assert_int_equal(inbound(p, 1, 4, 4), WEIR_INBOUND_BEYOND);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(inbound(p, 0, 0, 3), WEIR_INBOUND_DONE);
    assert_int_equal(inbound(p, 1, 4, 4), WEIR_INBOUND_NEW);
    assert_int_equal(inbound(p, 1, 5, 5), WEIR_INBOUND_BEYOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancelled_message_ends_a_round_trip_later),
        cmocka_unit_test(a_delayed_ack_ends_with_its_message),
        cmocka_unit_test(what_nobody_heard_of_ends_at_once),
        cmocka_unit_test(a_lost_abort_is_repeated_by_the_timer),
        cmocka_unit_test(the_receiver_may_never_have_heard_of_it),
        cmocka_unit_test(what_had_all_arrived_is_delivered),
        cmocka_unit_test(aborts_that_fit_nothing_are_refused),
        cmocka_unit_test(a_forgotten_host_is_met_anew),
        cmocka_unit_test(the_others_are_found_after_a_host_was_forgotten),
        cmocka_unit_test(what_is_known_of_a_message),
    };
    return cmocka_run_group_tests_name("host/cancel", tests, NULL, NULL);
}
