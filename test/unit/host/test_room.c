/* test/unit/host/test_room.c - messages for which the receiver has no memory: its NOTICE stops them, and the law hears
 * nothing of it. Times: a packet takes 88 ns of the link, an ACK or NOTICE 8 ns, the way 5 us. */
#include "pair.h"
#include "param/param.h"
#include "proto/dart/dart.h"

#define RTO_PS (1000 * PAIR_US)

static uint64_t full_until_ps; /* the receiver has no memory before */
static uint32_t refused, seen; /* DATA refused; DATA that left */

static void notice(struct pair *p, uint32_t kind, uint32_t conn, uint32_t msg, uint64_t value)
{
    struct weir_pkt pkt = { .value = value,
                            .conn = conn,
                            .msg = msg,
                            .seq = kind,
                            .src = 1,
                            .dst = 0,
                            .kind = WEIR_PKT_NOTICE,
                            .wire_bytes = PAIR_ACK };
    pair_launch(p, &pkt, NULL, p->now_ps + 2 * p->delay_ps);
}

/* What an endpoint does without memory: it drops the packet and says so. */
static enum pair_fate refuse(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA)
        return PAIR_PASS;
    seen++;
    if (p->now_ps >= full_until_ps)
        return PAIR_PASS;
    refused++;
    notice(p, WEIR_NOTICE_NO_ROOM, pkt->conn, pkt->msg, (uint64_t)pkt->ack << 32 | 1);
    return PAIR_DROP;
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
    refused = seen = 0;
    return p;
}

static uint32_t cwnd(const struct pair *p)
{
    return host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes;
}

/* A window of ten is refused, then one packet after 2, 4 and 8 ms each; the RTO before a sample is 1 ms. */
static void a_refused_message_tries_less_and_less_often(void **state)
{
    struct pair *p = begin(10 * RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, 2 * RTO_PS);
    assert_int_equal(seen, 10);
    assert_int_equal(cwnd(p), 10 * PAIR_MSS);
    pair_run(p, 3 * RTO_PS);
    assert_int_equal(seen, 11);
    pair_run(p, 7 * RTO_PS);
    assert_int_equal(seen, 12);
    assert_int_equal(refused, 12);
    assert_int_equal(cwnd(p), 10 * PAIR_MSS); /* the law knows nothing of it */
    pair_run(p, WEIR_NEVER);
    assert_int_equal(refused, 12);
    pair_assert_done(p, 1);
    assert_true(p->finished_ps[0] > 14 * RTO_PS && p->finished_ps[0] < 15 * RTO_PS);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(seen, 50 + 12);
}

static void room_lets_one_packet_try_and_then_all(void **state)
{
    struct pair *p = begin(RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, RTO_PS);
    p->now_ps = RTO_PS;
    notice(p, WEIR_NOTICE_ROOM, 0, 0, 0);
    pair_run(p, RTO_PS + 2 * p->delay_ps + 5 * PAIR_US); /* the packet is on its way */
    assert_int_equal(seen, 11);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_true(p->finished_ps[0] < RTO_PS + 100 * PAIR_US);
    assert_int_equal(host_flow_at(p->host[0], 0)->backoff, 0);
}

/* A message is refused as long as none of it has arrived, and only the present one by its first packet. */
static void late_and_foreign_notices_do_nothing(void **state)
{
    struct pair *p = begin(0);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    notice(p, WEIR_NOTICE_NO_ROOM, 0, 1, 0);                 /* another handle */
    notice(p, WEIR_NOTICE_NO_ROOM, 0, 0, UINT64_C(1) << 32); /* another message of that handle */
    notice(p, WEIR_NOTICE_NO_ROOM, 7, 0, 0);                 /* no connection */
    notice(p, WEIR_NOTICE_ROOM, 0, 0, 0);
    pair_run(p, 10 * PAIR_US + 1); /* the notices are there; no ACK yet */
    assert_int_equal(host_flow_at(p->host[0], 0)->board, 0);
    assert_int_equal(host_flow_at(p->host[0], 0)->una, 0);
    pair_run(p, 11 * PAIR_US);
    assert_true(host_flow_at(p->host[0], 0)->una > 0);
    notice(p, WEIR_NOTICE_NO_ROOM, 0, 0, 0); /* late: a packet has arrived */
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(seen, 50);
    notice(p, WEIR_NOTICE_NO_ROOM, 0, 0, 0); /* nothing is under way */
    pair_run(p, WEIR_NEVER);
    assert_int_equal(host_flow_at(p->host[0], 0)->board, 0);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts, 1); /* of no connection */
}

static void a_message_that_waits_for_room_can_be_cancelled(void **state)
{
    struct pair *p = begin(5 * RTO_PS);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, RTO_PS);
    p->now_ps = RTO_PS;
    pair_cancel(p, 0);
    pair_run(p, 6 * RTO_PS);
    assert_int_equal(p->finished[0], 1);
    assert_int_equal(seen, 10);
    pair_send(p, 1, 50 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->delivered[1], 1);
}

/* Of a law with one state per destination, messages go one by one; but not behind one that waits for room. */
static enum pair_fate refuse_the_first(struct pair *p, const struct weir_pkt *pkt)
{
    if (pkt->kind != WEIR_PKT_DATA || pkt->msg != 0 || p->now_ps >= full_until_ps)
        return PAIR_PASS;
    notice(p, WEIR_NOTICE_NO_ROOM, pkt->conn, pkt->msg, (uint64_t)pkt->ack << 32 | 1);
    return PAIR_DROP;
}

static void others_to_the_same_destination_go_on(void **state)
{
    struct pair *p = begin(5 * RTO_PS);
    static struct weir_dart_config dart;
    (void)state;
    weir_param_defaults(weir_dart_params, &dart);
    p->fate = refuse_the_first;
    p->cfg.cc = &weir_dart_ops;
    p->cfg.cc_config = &dart;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_send(p, 1, 50 * PAIR_MSS);
    pair_run(p, RTO_PS);
    assert_int_equal(p->delivered[0], 0);
    assert_int_equal(p->delivered[1], 1);
    pair_run(p, 1000 * RTO_PS);
    pair_assert_done(p, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_message_tries_less_and_less_often),
        cmocka_unit_test(room_lets_one_packet_try_and_then_all),
        cmocka_unit_test(late_and_foreign_notices_do_nothing),
        cmocka_unit_test(a_message_that_waits_for_room_can_be_cancelled),
        cmocka_unit_test(others_to_the_same_destination_go_on),
    };
    return cmocka_run_group_tests_name("host/room", tests, NULL, NULL);
}
