/* test/unit/proto/test_sird_sender.c - what goes unscheduled, who is sent to next, and what is spent on it. */
#include "test/unit/proto/sird_bench.h"

static void the_paper_compares_the_payload_with_a_bdp(void **state)
{
    (void)state;
    assert_int_equal(message(0, 1)->msg.unsched_pkts, 1);
    assert_int_equal(message(0, 100000)->msg.unsched_pkts, 69); /* 68 full ones and 856 bytes */
    assert_int_equal(message(0, 100001)->msg.unsched_pkts, 0);
    assert_int_equal(host.held_bytes, 0);
}

static void ns2_compares_wire_bytes(void **state)
{
    (void)state;
    assert_int_equal(message(0, 94770)->msg.unsched_pkts, 65); /* 99970 bytes */
    assert_int_equal(message(1, 94771)->msg.unsched_pkts, 0);  /* 100054 */
    assert_int_equal(host.held_bytes, 99970);
    assert_int_equal(tx[0].self_bytes, 99970);
}

static void unscht_can_make_all_or_no_messages_unscheduled(void **state)
{
    (void)state;
    set("UnschT", "all");
    assert_int_equal(message(0, 100000)->msg.unsched_pkts, 69);
    assert_int_equal(message(0, 100001)->msg.unsched_pkts, 68); /* a BDP of it, in whole packets */
    assert_int_equal(message(0, UINT64_C(1) << 40)->msg.unsched_pkts, 68);
    set("UnschT", "0 B");
    assert_int_equal(message(0, 1)->msg.unsched_pkts, 0);
    cfg.unsched_unit = WEIR_SIRD_WIRE;
    set("UnschT", "all");
    assert_int_equal(message(0, UINT64_C(1) << 40)->msg.unsched_pkts, 65);
}

static void a_sender_grants_itself_no_more_than_a_bdp_per_receiver(void **state)
{
    (void)state;
    assert_int_equal(message(0, 40 * MSS)->msg.unsched_pkts, 40);
    assert_int_equal(message(0, 30 * MSS)->msg.unsched_pkts, 25); /* (100000 - 61520) / 1538 */
    assert_int_equal(peer[0].credit_bytes, 65 * M);
    assert_int_equal(message(0, 30 * MSS)->msg.unsched_pkts, 1); /* one always goes */
    assert_int_equal(message(0, 10)->msg.unsched_pkts, 1);
    assert_int_equal(peer[0].credit_bytes, 66 * M + 90);
    assert_int_equal(message(1, 30 * MSS)->msg.unsched_pkts, 30); /* another receiver */
}

static void scheduled_packets_wait_for_credit_and_spend_it(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 200 * MSS);
    assert_false(send(&out));
    credit(0, M - 1);
    assert_false(send(&out));
    credit(0, M);
    credit(0, M); /* repeated */
    credit(0, 5); /* overtaken */
    assert_int_equal(host.held_bytes, M);
    assert_true(send(&out));
    assert_int_equal(out.sequence, M);
    assert_int_equal(out.class_id, 1);
    assert_false(out.own);
    assert_int_equal(host.held_bytes, 0);
    assert_false(send(&out));
}

static void unscheduled_packets_need_no_credit_in_the_paper(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 2 * MSS);
    credit(0, 60000); /* above SThr: scheduled packets would be marked */
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(send(&out));
        assert_int_equal(out.sequence, 0);
        assert_int_equal(out.class_id, 0);
        assert_false(out.own);
    }
    assert_false(send(&out));
    assert_int_equal(host.held_bytes, 60000);
    (void)message(0, 200 * MSS);
    assert_true(send(&out));
    assert_true(out.own);
}

static void ns2_spends_what_it_granted_itself(void **state)
{
    struct weir_send out;
    (void)state;
    struct weir_sird_tx *a = message(0, 2 * MSS);
    assert_true(send(&out));
    assert_int_equal(out.sequence, M);
    assert_int_equal(a->self_bytes, M);
    assert_int_equal(host.held_bytes, M);
    sird->tx_done(&cfg, &host, &peer[0], a); /* the unsent half is given up, not lost */
    assert_int_equal(host.held_bytes, 0);
    assert_int_equal(peer[0].spent_total, 2 * M);
    assert_false(sird->tx_ready(&host));
    assert_int_equal(host.tx_msgs, 0);
}

static void a_message_counts_until_its_last_packet_has_left(void **state)
{
    struct weir_send out;
    (void)state;
    set("SThr", "0 B");
    (void)message(0, MSS);
    (void)message(1, 2 * MSS);
    assert_int_equal(host.tx_msgs, 2);
    assert_true(send(&out));
    assert_true(out.own); /* two were waiting, and credit is left */
    assert_int_equal(host.tx_msgs, 1);
    assert_true(send(&out));
    assert_false(out.own); /* alone */
    assert_true(send(&out));
    assert_int_equal(host.tx_msgs, 0);
}

static void a_retransmission_needs_credit(void **state)
{
    struct weir_send out;
    (void)state;
    struct weir_sird_tx *a = message(0, 2 * MSS);
    assert_true(send(&out));
    assert_true(send(&out));
    a->msg.again_pkts = 1;
    a->msg.left_bytes = MSS;
    tx_show(a);
    sird->tx_again(&cfg, &host, &peer[0], a);
    assert_false(send(&out));
    credit(0, M);
    assert_true(send(&out));
    assert_int_equal(out.sequence, M);
    assert_int_equal(out.class_id, 1);
    assert_false(send(&out));
}

static void unscheduled_messages_go_before_shorter_scheduled_rests(void **state)
{
    struct weir_send out;
    (void)state;
    set("UnschT", "2 KB");
    struct weir_sird_tx *a = message(0, 2 * MSS), *b = message(0, 2000);
    credit(0, 10 * M);
    assert_true(send(&out));
    assert_ptr_equal(out.tx, b);
    assert_true(send(&out));
    assert_ptr_equal(out.tx, b);
    assert_true(send(&out));
    assert_ptr_equal(out.tx, a);
}

static void the_half_that_is_not_fair_sends_the_shortest_message_first(void **state)
{
    static const uint32_t want[10] = { 2, 0, 2, 1, 2, 2, 2, 0, 2, 1 };
    (void)state;
    set("UnschT", "0 B");
    (void)message(0, 300 * MSS);
    (void)message(1, 200 * MSS);
    (void)message(2, 100 * MSS);
    for (uint32_t i = 0; i < 3; i++)
        credit(i, 50 * M);
    for (uint32_t i = 0; i < 10; i++) /* shortest, ring, shortest, ring .. */
        assert_int_equal(send_to(), want[i]);
}

static void fair_is_round_robin_and_share_0_is_shortest_first(void **state)
{
    static const uint32_t want[5] = { 0, 1, 2, 0, 1 };
    (void)state;
    set("UnschT", "0 B");
    set("sender_policy", "fair");
    (void)message(0, 300 * MSS);
    (void)message(1, 200 * MSS);
    (void)message(2, 100 * MSS);
    for (uint32_t i = 0; i < 3; i++)
        credit(i, 50 * M);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(send_to(), want[i]);
    set("sender_policy", "mix");
    set("fair_share", "0%");
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(send_to(), 2);
}

static void largest_sends_to_the_receiver_with_most_credit(void **state)
{
    static const uint32_t want[5] = { 1, 1, 1, 0, 1 };
    (void)state;
    set("UnschT", "0 B");
    set("sender_policy", "largest");
    set("fair_share", "0%");
    (void)message(0, 200 * MSS);
    (void)message(1, 300 * MSS);
    credit(0, 2 * M);
    credit(1, 4 * M + 100);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(send_to(), want[i]);
}

static void a_receiver_without_credit_leaves_the_ring_and_returns_last(void **state)
{
    static const uint32_t want[4] = { 1, 2, 0, 1 };
    (void)state;
    set("UnschT", "0 B");
    set("sender_policy", "fair");
    for (uint32_t i = 0; i < 3; i++) {
        (void)message(i, 100 * MSS);
        credit(i, i == 0 ? M : 50 * M);
    }
    assert_int_equal(send_to(), 0);
    assert_int_equal(send_to(), 1);
    assert_int_equal(send_to(), 2);
    credit(0, 2 * M); /* 1 is next */
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(send_to(), want[i]);
}

static void unusable_credit_is_released(void **state)
{
    (void)state;
    set("UnschT", "0 B");
    struct weir_sird_tx *a = message(0, MSS);
    credit(0, 3 * M);
    assert_int_equal(sird_tx_settle(&cfg, &host, &peer[0]), 0); /* there is something to send */
    assert_int_equal(send_to(), 0);
    assert_int_equal(sird_tx_settle(&cfg, &host, &peer[0]), 3 * M);
    assert_int_equal(sird_tx_settle(&cfg, &host, &peer[0]), 3 * M);
    assert_int_equal(host.held_bytes, 0);
    sird->tx_done(&cfg, &host, &peer[0], a);
    assert_int_equal(peer[0].spent_total, 3 * M);
}

static void priority_classes_follow_the_key(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 10 * MSS);
    assert_int_equal(sird->control_class(&cfg), 0);
    assert_true(send(&out));
    assert_int_equal(out.class_id, 0);
    set("priorities", "control");
    assert_true(send(&out));
    assert_int_equal(out.class_id, 1);
    set("priorities", "none");
    assert_true(send(&out));
    assert_int_equal(out.class_id, 0);
}

static void urge(struct weir_sird_tx *m, uint32_t to, uint32_t priority)
{
    sird->tx_priority(&cfg, &host, &peer[to], m, priority);
}

static const struct weir_sird_tx *next_out(void)
{
    struct weir_send out;
    assert_true(send(&out));
    return out.tx;
}

/* Among messages to one receiver: those to another have no priority over them, nor has scheduled DATA over unscheduled. */
static void priorities_come_before_the_payload_left(void **state)
{
    (void)state;
    set("fair_share", "0%");
    struct weir_sird_tx *a = message(0, 300 * MSS), *b = message(0, 200 * MSS), *c = message(1, 250 * MSS);
    credit(0, 20 * M);
    assert_ptr_equal(next_out(), b);
    urge(b, 0, 1);
    assert_ptr_equal(next_out(), a);
    urge(a, 0, 2);
    assert_ptr_equal(next_out(), b);
    urge(a, 0, 1);
    assert_ptr_equal(next_out(), b); /* as urgent, and shorter */
    urge(b, 0, 7);
    credit(1, 20 * M);
    urge(c, 1, 7);
    assert_ptr_equal(next_out(), c); /* 250 are less than a's 299 */
    struct weir_sird_tx *d = message(0, 2 * MSS);
    urge(d, 0, 7);
    urge(a, 0, 0);
    assert_ptr_equal(next_out(), d);
    assert_ptr_equal(next_out(), d);
    assert_ptr_equal(next_out(), c);
    sird->tx_done(&cfg, &host, &peer[1], c);
    assert_ptr_equal(next_out(), a);
    sird->tx_done(&cfg, &host, &peer[0], a);
    assert_ptr_equal(next_out(), b);
}

/* Half of the most that one receiver let it hold, and only while it holds credit of two. */
static void with_a_measured_bdp_sthr_follows_what_one_receiver_gives(void **state)
{
    struct weir_send out;
    (void)state;
    (void)message(0, 400 * MSS);
    (void)message(1, 400 * MSS);
    sird->adapt(&cfg, &host, BDP);
    credit(0, 80000);
    assert_int_equal(host.sthr_bytes, 50000); /* at least that of the path's BDP */
    assert_true(send(&out));
    assert_false(out.own); /* a lone receiver sees it by itself */
    credit(0, 240000 + M); /* 240000 held */
    assert_int_equal(host.sthr_bytes, 120000);
    credit(1, 40000);
    for (uint32_t i = 0; i < 300; i++) /* a CREDIT that is repeated counts once */
        credit(0, 240000 + M);
    assert_int_equal(host.sthr_bytes, 119531); /* the CREDIT of receiver 1: 240000 less 1/256 */
    assert_true(send(&out));
    assert_true(out.own); /* 280000 held, of two receivers */
    while (host.held_bytes >= 119531)
        assert_true(send(&out));
    assert_true(send(&out));
    assert_false(out.own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_paper_compares_the_payload_with_a_bdp, setup_paper),
        cmocka_unit_test_setup(ns2_compares_wire_bytes, setup_ns2),
        cmocka_unit_test_setup(unscht_can_make_all_or_no_messages_unscheduled, setup_paper),
        cmocka_unit_test_setup(a_sender_grants_itself_no_more_than_a_bdp_per_receiver, setup_ns2),
        cmocka_unit_test_setup(scheduled_packets_wait_for_credit_and_spend_it, setup_paper),
        cmocka_unit_test_setup(unscheduled_packets_need_no_credit_in_the_paper, setup_paper),
        cmocka_unit_test_setup(ns2_spends_what_it_granted_itself, setup_ns2),
        cmocka_unit_test_setup(a_message_counts_until_its_last_packet_has_left, setup_ns2),
        cmocka_unit_test_setup(a_retransmission_needs_credit, setup_paper),
        cmocka_unit_test_setup(unscheduled_messages_go_before_shorter_scheduled_rests, setup_paper),
        cmocka_unit_test_setup(the_half_that_is_not_fair_sends_the_shortest_message_first, setup_paper),
        cmocka_unit_test_setup(fair_is_round_robin_and_share_0_is_shortest_first, setup_paper),
        cmocka_unit_test_setup(largest_sends_to_the_receiver_with_most_credit, setup_paper),
        cmocka_unit_test_setup(a_receiver_without_credit_leaves_the_ring_and_returns_last, setup_paper),
        cmocka_unit_test_setup(unusable_credit_is_released, setup_paper),
        cmocka_unit_test_setup(priority_classes_follow_the_key, setup_paper),
        cmocka_unit_test_setup(priorities_come_before_the_payload_left, setup_paper),
        cmocka_unit_test_setup(with_a_measured_bdp_sthr_follows_what_one_receiver_gives, setup_paper),
    };
    return cmocka_run_group_tests_name("proto/sird_sender", tests, NULL, NULL);
}
