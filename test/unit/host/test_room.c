/* test/unit/host/test_room.c - messages for which the receiver has no memory: they are held and tried again, and the law hears
 * nothing of it. Times: a packet takes 88 ns of the link, an ACK 8 ns, the way 5 us. */
#include "pair.h"
#include "param/param.h"
#include "proto/dart/dart.h"

#define RTO_PS (1000 * PAIR_US)

static uint64_t full_until_ps; /* the receiver has no memory before */
static uint32_t full_for;      /* .. for this message; PAIR_MSGS = for any */
static uint32_t seen;          /* DATA that left */

/* What an endpoint does without memory: it drops the packet. Its NO_ROOM is the test's own call of hold(). */
static enum pair_fate refuse(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA)
        return PAIR_PASS;
    seen++;
    return p->now_ps >= full_until_ps || (full_for != PAIR_MSGS && pkt->msg != full_for) ? PAIR_PASS : PAIR_DROP;
}

static void check(struct pair *p)
{
    for (uint32_t i = 0; i < host_stream_of(p->host[0])->flows.count; i++)
        if (!host_flow_at(p->host[0], i)->shared)
            pair_assert_flow(p->host[0], host_flow_at(p->host[0], i));
}

static struct pair *begin(uint64_t until_ps)
{
    struct pair *p = pair_reset();
    p->fate = refuse;
    p->after = check;
    full_until_ps = until_ps;
    full_for = PAIR_MSGS;
    seen = 0;
    p->cfg.track = true;
    return p;
}

static uint32_t cwnd(const struct pair *p)
{
    return host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes;
}

static int hold(struct pair *p, uint64_t at_ps, uint32_t msg)
{
    pair_run(p, at_ps);
    p->now_ps = at_ps;
    return weir_host_hold(p->host[0], at_ps, msg);
}

static const struct host_flow *flow(const struct pair *p)
{
    return host_flow_at(p->host[0], 0);
}

/* A window of ten is refused. Then nothing leaves, however long it takes, but one packet each time it is asked. */
static void a_held_message_sends_a_packet_when_it_is_asked(void **state)
{
    struct pair *p = begin(10 * RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(hold(p, 20 * PAIR_US, 0), 0);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 0), 0); /* again: nothing */
    assert_int_equal(flow(p)->inflight_bytes, 0);
    pair_run(p, 5 * RTO_PS);
    p->now_ps = 5 * RTO_PS;
    assert_int_equal(seen, 10);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0);
    pair_run(p, 5 * RTO_PS + 20 * PAIR_US);
    assert_int_equal(seen, 11);
    assert_int_equal(flow(p)->inflight_bytes, PAIR_MSS);
    assert_int_equal(hold(p, 5 * RTO_PS + 20 * PAIR_US, 0), 0);
    assert_int_equal(cwnd(p), 10 * PAIR_MSS); /* the law knows nothing of it */
    pair_run(p, 11 * RTO_PS);
    assert_int_equal(seen, 11);
    p->now_ps = 11 * RTO_PS;
    assert_int_equal(weir_host_resume(p->host[0], p->now_ps, 0), 0);
    assert_int_equal(weir_host_resume(p->host[0], p->now_ps, 0), 0);
    pair_run(p, 11 * RTO_PS + 9 * PAIR_US); /* the packet is on its way */
    assert_int_equal(seen, 12);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_true(p->finished_ps[0] < 11 * RTO_PS + 100 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(seen, 50 + 11);
    assert_int_equal(flow(p)->board, 0);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_resume(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
}

/* Asked before its first packet has left: one packet, and the others a round trip later. */
static void a_message_may_begin_with_one_packet(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0);
    pair_run(p, 10 * PAIR_US);
    assert_int_equal(seen, 1);
    pair_run(p, 11 * PAIR_US);
    assert_true(seen > 1);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(seen, 50);
    assert_int_equal(flow(p)->board, 0);
}

/* A NO_ROOM of an earlier message comes before the first packet has left. Nothing was refused: it begins as any other. */
static void a_message_is_not_held_before_its_first_packet(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    pair_run(p, 9 * PAIR_US);
    assert_int_equal(seen, 10);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(seen, 50);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
}

/* The one packet is lost: its timer sends it again, and it alone. */
static void the_one_packet_may_be_lost(void **state)
{
    struct pair *p = begin(RTO_PS / 2);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0);
    pair_run(p, RTO_PS + 5 * PAIR_US);
    assert_int_equal(seen, 2);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    assert_int_equal(seen, 51);
}

/* A message that waits for its connection keeps what it was asked, and a later one of that handle does not. */
static void a_message_that_waits_may_begin_with_one_packet(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_send(p, 1, 50 * PAIR_MSS);
    pair_send(p, 2, 50 * PAIR_MSS);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 1), 0);
    assert_int_equal(weir_host_resume(p->host[0], p->now_ps, 1), 0);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 1), WEIR_E_UNKNOWN); /* none of it was sent */
    while (p->finishes < 1)
        pair_run(p, pair_next_ps(p) + 1);
    pair_run(p, p->finished_ps[0] + 9 * PAIR_US);
    assert_int_equal(seen, 51);
    while (p->finishes < 2)
        pair_run(p, pair_next_ps(p) + 1);
    pair_run(p, p->finished_ps[1] + 9 * PAIR_US);
    assert_true(seen > 101);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_int_equal(seen, 150);
}

static void a_message_that_has_begun_to_arrive_is_not_held(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(hold(p, 15 * PAIR_US, 0), WEIR_E_UNKNOWN);
    assert_true(flow(p)->una > 0);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0); /* nothing */
    assert_int_equal(flow(p)->board, 0);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 1), WEIR_E_UNKNOWN);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(seen, 50);
}

/* Only a packet behind the first has arrived: the receiver has memory, and the first is lost. */
static enum pair_fate lose_the_first(struct pair *p, const struct weir_pkt *pkt)
{
    seen += pkt->kind == WEIR_PKT_DATA;
    return pkt->kind == WEIR_PKT_DATA && pkt->seq == 0 && p->now_ps < RTO_PS / 2 ? PAIR_DROP : PAIR_PASS;
}

static void a_message_whose_first_packet_is_lost_is_not_held(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    p->fate = lose_the_first;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    assert_int_equal(hold(p, 15 * PAIR_US, 0), WEIR_E_UNKNOWN);
    assert_int_equal(flow(p)->una, 0);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0);
    assert_false(host_board_of(p->host[0], flow(p))->tries);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(seen, 3);
}

static void a_held_message_can_be_cancelled(void **state)
{
    struct pair *p = begin(5 * RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(hold(p, RTO_PS / 2, 0), 0);
    pair_cancel(p, 0);
    assert_int_equal(weir_host_hold(p->host[0], p->now_ps, 0), 0); /* it is not held, but aborted */
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), 0);
    pair_run(p, 6 * RTO_PS);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(seen, 10);
    pair_send(p, 1, 50 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1], 1);
}

static void a_host_that_holds_messages_can_be_forgotten(void **state)
{
    struct pair *p = begin(5 * RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    assert_int_equal(hold(p, RTO_PS / 2, 0), 0);
    weir_host_forget(p->host[0], p->now_ps, 1);
    weir_host_forget(p->host[1], p->now_ps, 0);
    assert_int_equal(flow(p)->board, 0);
    assert_int_equal(weir_host_probe(p->host[0], p->now_ps, 0), WEIR_E_UNKNOWN);
    full_until_ps = 0;
    p->sent_pkts = p->retransmitted = 0;
    pair_send(p, 1, 50 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1], 1);
}

/* Of a law with one state per destination, messages go one by one; but not behind one that is held. */
static void others_to_the_same_destination_go_on(void **state)
{
    struct pair *p = begin(5 * RTO_PS);
    static struct weir_dart_config dart;
    (void)state;
    weir_param_defaults(weir_dart_params, &dart);
    full_for = 0;
    p->cfg.cc = &weir_dart_ops;
    p->cfg.cc_config = &dart;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_send(p, 1, 50 * PAIR_MSS);
    assert_int_equal(hold(p, 20 * PAIR_US, 0), 0);
    pair_run(p, 5 * RTO_PS);
    assert_int_equal(p->delivered[0], 0);
    assert_int_equal(p->delivered[1], 1);
    p->now_ps = 5 * RTO_PS;
    assert_int_equal(weir_host_resume(p->host[0], p->now_ps, 0), 0);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_held_message_sends_a_packet_when_it_is_asked),
        cmocka_unit_test(a_message_may_begin_with_one_packet),
        cmocka_unit_test(a_message_is_not_held_before_its_first_packet),
        cmocka_unit_test(the_one_packet_may_be_lost),
        cmocka_unit_test(a_message_that_waits_may_begin_with_one_packet),
        cmocka_unit_test(a_message_that_has_begun_to_arrive_is_not_held),
        cmocka_unit_test(a_message_whose_first_packet_is_lost_is_not_held),
        cmocka_unit_test(a_held_message_can_be_cancelled),
        cmocka_unit_test(a_host_that_holds_messages_can_be_forgotten),
        cmocka_unit_test(others_to_the_same_destination_go_on),
    };
    return cmocka_run_group_tests_name("host/room", tests, NULL, NULL);
}
