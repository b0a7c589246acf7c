/* test/unit/host/test_hold.c - messages that a sender holds, because their receiver has no memory: nothing of them is sent, and
 * they begin anew. */
#include "test/unit/host/swarm_log.h"
#include "proto/expresspass/expresspass.h"

enum { BYTES = 3000, PKTS = 3, LONG = 72001 };
static struct swarm *s;
static struct weir_pkt out[16];

static int setup(void **state)
{
    (void)state;
    s = log_reset(2, NULL);
    swarm_start(s);
    return 0;
}

static uint32_t tx(uint64_t now_ps)
{
    return weir_host_tx(s->host[0], now_ps, out, 16);
}

static void answer(uint64_t now_ps, enum weir_pkt_kind kind, uint32_t granted_total)
{
    struct weir_pkt pkt = log_control(kind, 1, 0);
    pkt.ack = granted_total;
    log_rx(s, now_ps, pkt);
}

static const struct weir_host_stats *stats(void)
{
    return weir_host_stats(s->host[0]);
}

static void a_held_message_is_sent_anew(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(tx(0), PKTS);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0); /* again: nothing */
    for (uint64_t ms = 1; ms < 2000; ms++)                         /* no REQUEST, however long it takes */
        assert_int_equal(tx(ms * WEIR_PS_PER_MS), 0);
    assert_int_equal(stats()->tx_acked_bytes, BYTES);
    assert_int_equal(weir_host_resume(s->host[0], 2 * WEIR_PS_PER_S, 0), 0);
    assert_int_equal(weir_host_resume(s->host[0], 2 * WEIR_PS_PER_S, 0), 0);
    assert_int_equal(tx(2 * WEIR_PS_PER_S), PKTS);
    for (uint32_t i = 0; i < PKTS; i++) {
        assert_int_equal(out[i].kind, WEIR_PKT_DATA);
        assert_int_equal(out[i].seq, i);
        assert_int_equal(out[i].flags, WEIR_PKT_ECT | WEIR_PKT_UNSCHED | (i == PKTS - 1 ? WEIR_PKT_END : 0));
    }
    assert_int_equal(stats()->retransmissions, PKTS);
    assert_int_equal(stats()->tx_acked_bytes, BYTES);
    s->msg[0].delivered = 1;
    answer(2 * WEIR_PS_PER_S + 1, WEIR_PKT_DONE, 0);
    assert_int_equal(s->finished, 1);
    assert_int_equal(stats()->tx_done_bytes, BYTES);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_resume(s->host[0], 3 * WEIR_PS_PER_S, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_probe(s->host[0], s->now_ps, 0), WEIR_E_UNKNOWN);
}

/* Of two messages as long the first one would go first. */
static void a_message_that_begins_anew_is_as_urgent_as_before(void **state)
{
    (void)state;
    assert_int_equal(weir_host_priority(s->host[0], 0, 1, 0, 7), WEIR_E_UNKNOWN);
    for (uint32_t while_held = 0; while_held < 2; while_held++) {
        if (while_held > 0)
            (void)setup(state);
        assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
        if (while_held == 0)
            assert_int_equal(weir_host_priority(s->host[0], 0, 1, 0, 7), 0);
        assert_int_equal(tx(0), PKTS);
        assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
        if (while_held > 0)
            assert_int_equal(weir_host_priority(s->host[0], 0, 1, 0, 7), 0);
        assert_int_equal(weir_host_resume(s->host[0], 10, 0), 0);
        assert_int_equal(log_send(s, 10, 0, 1, BYTES), 0);
        assert_int_equal(tx(10), 2 * PKTS);
        for (uint32_t i = 0; i < 2 * PKTS; i++)
            assert_int_equal(out[i].msg, i < PKTS);
    }
}

/* Two of three packets have left; the third does not follow, and another message is not held up. */
static void only_the_held_message_stops(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(weir_host_tx(s->host[0], 0, out, 2), 2);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(log_send(s, 10, 0, 1, 100), 0);
    assert_int_equal(tx(10), 1);
    assert_int_equal(out[0].conn, 1);
    assert_int_equal(weir_host_resume(s->host[0], 20, 0), 0);
    assert_int_equal(tx(20), PKTS);
    assert_int_equal(stats()->retransmissions, 2);
    assert_int_equal(stats()->tx_acked_bytes, BYTES + 100);
}

/* A NO_ROOM of an earlier message may come before the first packet has left: then nothing leaves until it is resumed. */
static void a_message_may_be_held_before_its_first_packet(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(tx(WEIR_PS_PER_S), 0);
    assert_int_equal(stats()->tx_acked_bytes, 0);
    assert_int_equal(weir_host_resume(s->host[0], 2 * WEIR_PS_PER_S, 0), 0);
    assert_int_equal(tx(2 * WEIR_PS_PER_S), PKTS);
    assert_int_equal(out[0].seq, 0);
    assert_int_equal(stats()->retransmissions, 0); /* none was sent before */
    assert_int_equal(stats()->tx_acked_bytes, BYTES);
}

static void a_message_that_is_announced_is_announced_again(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, LONG), 0);
    assert_int_equal(tx(0), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(tx(WEIR_PS_PER_S), 0);
    assert_int_equal(weir_host_probe(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(tx(WEIR_PS_PER_S), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_true(out[0].msg_bytes == LONG);
    assert_int_equal(tx(2 * WEIR_PS_PER_S), 0); /* it is still held */
    assert_int_equal(weir_host_resume(s->host[0], 2 * WEIR_PS_PER_S, 0), 0);
    assert_int_equal(tx(2 * WEIR_PS_PER_S), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
}

/* A receiver that grants credit has memory, whatever it said before. */
static void credit_ends_a_hold(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, LONG), 0);
    assert_int_equal(tx(0), 1);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    answer(100, WEIR_PKT_CREDIT, LOG_FULL);
    assert_int_equal(tx(200), 2);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(out[1].kind, WEIR_PKT_DATA);
    assert_int_equal(out[1].seq, 0);
    assert_int_equal(weir_host_resume(s->host[0], 300, 0), 0); /* late: nothing */
    assert_int_equal(tx(300), 0);
}

/* Credit that is a control packet of the protocol's own ends it, too; its other control packets do not. */
static void credit_of_its_own_kind_ends_a_hold(void **state)
{
    static struct weir_expresspass_config config;
    (void)state;
    s = log_reset(2, NULL);
    weir_param_defaults(weir_expresspass_params, &config);
    s->cfg.credit = &weir_expresspass_ops;
    s->cfg.cc_config = &config;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(tx(0), 1);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    for (uint32_t kind = 0; kind < 2; kind++) {
        uint32_t own = kind == 0 ? WEIR_EXPRESSPASS_STOP : WEIR_EXPRESSPASS_CREDIT;
        struct weir_pkt pkt = log_control(WEIR_PKT_CONTROL, 1, 0);
        pkt.flags = WEIR_PKT_OWN;
        pkt.seq = own;
        log_rx(s, 100 + kind, pkt);
        assert_int_equal(tx(100 + kind) > 0, kind == 1); /* it goes on with the credit alone */
    }
    assert_int_equal(weir_host_resume(s->host[0], 300, 0), 0); /* late: nothing */
}

static void a_held_message_can_be_cancelled_and_forgotten(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(log_send(s, 0, 0, 1, BYTES), 0);
    assert_int_equal(tx(0), 2 * PKTS);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 1), 0);
    assert_int_equal(weir_host_cancel(s->host[0], 10, 0), 0);
    assert_int_equal(tx(10), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_ABORT);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 0), 0); /* not held: the ABORT is repeated */
    assert_int_equal(weir_host_probe(s->host[0], s->now_ps, 0), 0);
    assert_int_equal(tx(20), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_ABORT);
    s->msg[0].cancelled = 1;
    answer(30, WEIR_PKT_DONE, 0);
    assert_int_equal(s->finished, 1);
    assert_int_equal(stats()->tx_done_bytes, 0);
    weir_host_forget(s->host[0], 40, 1);
    assert_int_equal(weir_host_hold(s->host[0], s->now_ps, 1), WEIR_E_UNKNOWN);
    assert_int_equal(tx(2 * WEIR_PS_PER_S), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_held_message_is_sent_anew, setup),
        cmocka_unit_test_setup(a_message_that_begins_anew_is_as_urgent_as_before, setup),
        cmocka_unit_test_setup(only_the_held_message_stops, setup),
        cmocka_unit_test_setup(a_message_may_be_held_before_its_first_packet, setup),
        cmocka_unit_test_setup(a_message_that_is_announced_is_announced_again, setup),
        cmocka_unit_test_setup(credit_ends_a_hold, setup),
        cmocka_unit_test(credit_of_its_own_kind_ends_a_hold),
        cmocka_unit_test_setup(a_held_message_can_be_cancelled_and_forgotten, setup),
    };
    return cmocka_run_group_tests_name("host/hold", tests, NULL, NULL);
}
