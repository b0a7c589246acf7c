/* test/unit/host/test_priority.c - messages to one destination that differ in how urgent they are. Times: a packet takes 88 ns of
 * the link, the way 5 us; a window of 400 packets never stops anybody. */
#include "pair.h"
#include "param/param.h"
#include "proto/dart/dart.h"

enum { PKT_NS = 88, LONG = 2000, SHORT = 10 };
#define NS UINT64_C(1000)

static struct pair *begin(void)
{
    struct pair *p = pair_reset();
    p->cfg.track = true;
    p->dctcp.init_cwnd.bytes = 400 * PAIR_MSS;
    return p;
}

static void prioritise(struct pair *p, uint32_t msg, uint32_t priority)
{
    assert_int_equal(weir_host_priority(p->host[0], p->now_ps, 1, msg, priority), 0);
}

/* The packet under way ends 569 packets after the beginning; then ten leave, and arrive 5 us later. Of equal messages each
 * sends every second packet. */
static void a_short_message_overtakes_a_long_one(void **state)
{
    static const uint64_t last_pkt[] = { 569 + SHORT, 569 + 2 * SHORT };
    (void)state;
    for (uint32_t equal = 0; equal < 2; equal++) {
        struct pair *p = begin();
        pair_start(p);
        pair_send(p, 0, LONG * PAIR_MSS);
        if (!equal)
            prioritise(p, 0, 7);
        pair_run(p, 50 * PAIR_US);
        pair_send(p, 1, SHORT * PAIR_MSS);
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 2);
        print_message("%s: %d ns\n", equal ? "equal" : "urgent", (int)(p->delivered_ps[1] / NS));
        assert_int_equal(p->delivered_ps[1], (last_pkt[equal] * PKT_NS + 5000) * NS);
    }
}

/* The class is the priority, also of what is sent again; 0 leaves the class to the host. */
static enum pair_fate look(struct pair *p, const struct weir_pkt *pkt)
{
    static const uint32_t class_of[] = { 0, 1, 7 };
    if (pkt->kind == WEIR_PKT_DATA)
        assert_int_equal(pkt->class_id, class_of[pkt->msg]);
    return pkt->kind == WEIR_PKT_DATA && p->fate_value++ % 20 == 7 ? PAIR_DROP : PAIR_PASS;
}

static void a_priority_is_a_class(void **state)
{
    struct pair *p = begin();
    (void)state;
    p->fate = look;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 50 * PAIR_MSS);
    prioritise(p, 1, 1);
    prioritise(p, 2, 7);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_true(p->retransmitted > 0);
}

/* All wait for the one connection: the most urgent one is next, and of equal ones the first. */
static void the_most_urgent_message_gets_the_connection(void **state)
{
    static const uint32_t priority[] = { 0, 7, 3, 0, 3, 0 }, order[] = { 0, 3, 5, 2, 4, 1 };
    struct pair *p = begin();
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    for (uint32_t m = 0; m < 6; m++) {
        pair_send(p, m, 20 * PAIR_MSS);
        prioritise(p, m, priority[m]);
    }
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 6);
    for (uint32_t k = 1; k < 6; k++)
        assert_true(p->finished_ps[order[k - 1]] < p->finished_ps[order[k]]);
}

/* Of a law with one state per destination, too; and priorities may change in mid-message. */
static void a_law_per_destination_has_the_same_order(void **state)
{
    static struct weir_dart_config dart;
    (void)state;
    weir_param_defaults(weir_dart_params, &dart);
    for (uint32_t change = 0; change < 2; change++) {
        struct pair *p = begin();
        p->cfg.cc = &weir_dart_ops;
        p->cfg.cc_config = &dart;
        pair_start(p);
        pair_send(p, 0, LONG * PAIR_MSS);
        prioritise(p, 0, change ? 1 : 5);
        pair_run(p, 20 * PAIR_US);
        pair_send(p, 1, 500 * PAIR_MSS);
        prioritise(p, 1, 4);
        pair_run(p, 30 * PAIR_US);
        if (change) {
            prioritise(p, 1, 0);
            prioritise(p, 0, 2);
        }
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, 2);
        assert_true(p->delivered_ps[1] < p->delivered_ps[0]);
        assert_true(p->delivered_ps[1] < 120 * PAIR_US); /* 500 packets take 44 us of the line */
    }
}

/* A connection whose message is cancelled stays in the line, behind the first, and has no message to be compared. Message m
 * is on connection m + 1; an idle one has the number of the next idle one where its message was. So that of message 1
 * has a 4, and message 4 is the least urgent: message 5 must not stop in front of it, ahead of message 2. */
static void a_cancelled_message_has_no_place_in_the_order(void **state)
{
    static const uint32_t priority[] = { 0, 1, 2, 0, 7, 6 }, order[] = { 3, 0, 2, 5, 4 };
    static struct weir_dart_config dart;
    struct pair *p = begin();
    (void)state;
    weir_param_defaults(weir_dart_params, &dart);
    p->cfg.cc = &weir_dart_ops;
    p->cfg.cc_config = &dart;
    pair_start(p);
    for (uint32_t m = 0; m < 6; m++) {
        pair_send(p, m, (m == 3 ? SHORT : 500) * PAIR_MSS);
        prioritise(p, m, priority[m]);
    }
    prioritise(p, 3, 0);
    prioritise(p, 0, 1);
    pair_run(p, 15 * PAIR_US); /* message 3 has ended */
    assert_int_equal(p->finished[3], 1);
    prioritise(p, 0, 0);
    p->cancelled[1] = true;
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, 1), 0);
    pair_run(p, 30 * PAIR_US);
    assert_int_equal(p->finished[1], 1);
    assert_int_equal(p->finished[0], 0); /* so it still has the first place */
    assert_int_equal(host_flow_at(p->host[0], 2)->msg, 4);
    assert_true(host_member_of(host_flow_at(p->host[0], 2))->in_line);
    prioritise(p, 5, 3);
    pair_run(p, WEIR_NEVER);
    for (uint32_t k = 1; k < 5; k++)
        assert_true(p->delivered_ps[order[k - 1]] < p->delivered_ps[order[k]]);
}

static void messages_that_do_not_exist_have_none(void **state)
{
    struct pair *p = begin();
    (void)state;
    pair_start(p);
    assert_int_equal(weir_host_priority(p->host[0], p->now_ps, 1, 0, 3), WEIR_E_UNKNOWN);
    pair_send(p, 0, 50 * PAIR_MSS);
    prioritise(p, 0, 3);
    weir_host_forget(p->host[0], p->now_ps, 1);
    weir_host_forget(p->host[1], p->now_ps, 0);
    assert_int_equal(weir_host_priority(p->host[0], p->now_ps, 1, 0, 3), WEIR_E_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_message_overtakes_a_long_one),
        cmocka_unit_test(a_priority_is_a_class),
        cmocka_unit_test(the_most_urgent_message_gets_the_connection),
        cmocka_unit_test(a_law_per_destination_has_the_same_order),
        cmocka_unit_test(a_cancelled_message_has_no_place_in_the_order),
        cmocka_unit_test(messages_that_do_not_exist_have_none),
    };
    return cmocka_run_group_tests_name("host/priority", tests, NULL, NULL);
}
