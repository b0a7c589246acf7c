/* test/unit/proto/test_sird_receiver.c - who is credited and when, and the account of what comes back. */
#include "test/unit/proto/sird_bench.h"

static void credit_leaves_at_the_rate_of_the_link(void **state)
{
    struct weir_grant out;
    uint64_t at_ps = 1000;
    (void)state;
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), WEIR_NEVER); /* nothing to credit */
    (void)arriving(0, 3 * MSS + 100, 0);
    for (uint32_t i = 0; i < 3; i++, at_ps += M_PS) {
        assert_int_equal(sird->rx_next_ps(&cfg, &host, 1000), at_ps);
        if (i > 0)
            assert_false(grant(at_ps - 1, &out));
        assert_true(grant(at_ps, &out));
        assert_int_equal(out.sequence, (i + 1) * M);
        assert_int_equal(out.class_id, 0);
    }
    assert_true(grant(at_ps, &out)); /* the last one counts 180 bytes */
    assert_int_equal(out.sequence, 3 * M + 180);
    assert_int_equal(host.free_ps, at_ps + 180 * 80);
    assert_int_equal(sird->rx_next_ps(&cfg, &host, at_ps), WEIR_NEVER);
    assert_int_equal(peer[0].granted_total, 3 * M + 180);
}

static void a_slower_pace_stretches_the_gaps(void **state)
{
    struct weir_grant out;
    (void)state;
    set("pace", "97%");
    start();
    (void)arriving(0, 100 * MSS, 0);
    /* 80000 / 0.97 = 82474.2 ps per 1000 bytes, rounded up: 126846.55 ps per packet, the remainder carried */
    assert_true(grant(0, &out));
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), 126846);
    assert_true(grant(126846, &out));
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), 253693);
}

static void slack_lets_a_credit_go_early_and_polling_late(void **state)
{
    struct weir_grant out;
    (void)state;
    (void)arriving(0, 10 * MSS, 0);
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), 0);
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 1), 30000);
    assert_false(grant(29999, &out));
    assert_true(grant(30000, &out)); /* backlog 123040 ps; 562 B = 44960 ps of it may be left */
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 30000), 120000);
    assert_true(grant(120000, &out));
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 120000), 240000); /* 231120, rounded up */
    assert_true(grant(240000, &out));
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 240000), 360000); /* 354160: no time was lost */
}

static void the_shortest_remaining_message_is_credited_first(void **state)
{
    struct weir_grant out;
    (void)state;
    struct weir_sird_rx *a = arriving(0, 20 * MSS, 0), *b = arriving(1, 10 * MSS, 0), *c = arriving(0, 10 * MSS, 0);
    assert_true(grant(0, &out));
    assert_ptr_equal(out.rx, b); /* as short as c, and there first */
    data(0, a, MSS, M, 0);       /* nothing granted for it: credit is any message's */
    for (uint32_t i = 0; i < 11; i++)
        data(0, a, MSS, M, WEIR_DATA_UNSCHED);
    assert_int_equal(a->msg.left_bytes, 8 * MSS);
    assert_true(grant(M_PS, &out));
    assert_ptr_equal(out.rx, a);
    data(0, c, MSS, M, WEIR_DATA_UNSCHED);
    data(0, c, MSS, M, WEIR_DATA_UNSCHED);
    data(0, c, MSS, M, WEIR_DATA_UNSCHED);
    assert_true(grant(2 * M_PS, &out));
    assert_ptr_equal(out.rx, c);
}

static void round_robin_credits_senders_alternately(void **state)
{
    static const uint32_t want[8] = { 0, 1, 2, 0, 1, 2, 0, 1 };
    (void)state;
    set("receiver_policy", "round-robin");
    (void)arriving(0, 50 * MSS, 0);
    (void)arriving(1, 40 * MSS, 0);
    (void)arriving(2, 2 * MSS, 0);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(grant_to(), want[i]);
    assert_int_equal(grant_to(), 0); /* 2 has all its credit */
}

static void least_in_flight_credits_the_sender_with_least_outstanding(void **state)
{
    (void)state;
    set("receiver_policy", "least-in-flight");
    (void)arriving(0, 50 * MSS, 0);
    struct weir_sird_rx *b = arriving(1, 50 * MSS, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 1);
    data(1, b, MSS, M, 0);
    assert_int_equal(grant_to(), 1);
    assert_int_equal(grant_to(), 0); /* equal again: the older message */
}

/* It came on credit that was granted for another: until its own is granted, that other one is short of as much. */
static void a_complete_message_is_credited_before_anything_else(void **state)
{
    static const char *const policy[] = { "round-robin", "least-in-flight" }; /* srpt: it is the shortest */
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct weir_grant out;
        set("receiver_policy", policy[i]);
        start();
        struct weir_sird_rx *a = arriving(0, 50 * MSS, 0);
        (void)arriving(1, 50 * MSS, 0);
        assert_true(grant(0, &out));
        assert_ptr_equal(out.rx, a);
        assert_true(grant(host.free_ps, &out));
        assert_ptr_equal(out.peer, &peer[1]);
        data(0, a, MSS, M, 0); /* 0 has nothing outstanding, and waited longest */
        struct weir_sird_rx *late = arriving(1, 100, 0);
        data(1, late, 100, 180, 0);
        assert_true(grant(host.free_ps, &out));
        assert_ptr_equal(out.rx, late);
        assert_true(grant(host.free_ps, &out));
        assert_ptr_equal(out.rx, a);
    }
}

static void a_sender_with_a_full_bucket_is_skipped(void **state)
{
    (void)state;
    peer[0].aimd.least_bytes = 2 * M + 10;
    (void)arriving(0, 10 * MSS, 0);
    struct weir_sird_rx *b = arriving(1, 20 * MSS, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 1);
    data(1, b, MSS, M, 0);
    assert_int_equal(grant_to(), 1);
    data(0, &rx[0], MSS, M, 0);
    assert_int_equal(grant_to(), 0);
}

static void all_senders_together_stay_within_the_global_bucket(void **state)
{
    uint32_t granted = 0;
    struct weir_credit_sums sums;
    (void)state;
    struct weir_sird_rx *m[3] = { arriving(0, 90 * MSS, 0), arriving(1, 100 * MSS, 0), arriving(2, 110 * MSS, 0) };
    while (grant_to() != PEERS)
        granted++;
    assert_int_equal(granted, 97); /* 97 * 1538 = 149186 of 150000 */
    sird->sums(&cfg, &host, &sums);
    assert_int_equal(sums.outstanding_bytes, 149186);
    assert_int_equal(sums.bucket_bytes, 150000);
    assert_int_equal(sums.most_bytes, 150000);
    assert_int_equal(peer[0].outstanding_bytes, 65 * M); /* its own bucket was full first */
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), WEIR_NEVER);
    data(0, m[0], MSS, M, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), PEERS);
}

static void a_message_to_be_credited_again_is_queued_again(void **state)
{
    (void)state;
    struct weir_sird_rx *a = arriving(0, 2 * MSS, 0);
    (void)arriving(1, 10 * MSS, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 1);
    rx_granted[0] = 1; /* the second packet was lost */
    a->msg.ungranted_bytes = MSS;
    rx_show(a);
    sird->rx_again(&cfg, &host, &peer[0], a);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(peer[0].granted_total, 3 * M);
    assert_int_equal(grant_to(), 1);
    sird->rx_done(&cfg, &host, &peer[1], &rx[1]); /* with credit still to be given: it is not */
    assert_int_equal(grant_to(), PEERS);
}

static void unscheduled_bytes_return_nothing_in_the_paper(void **state)
{
    (void)state;
    struct weir_sird_rx *a = arriving(0, 10 * MSS, 4);
    assert_int_equal(host.outstanding_bytes, 0);
    assert_int_equal(grant_to(), 0);
    data(0, a, MSS, 0, WEIR_DATA_UNSCHED);
    assert_int_equal(host.outstanding_bytes, M);
    data(0, a, MSS, M, 0);
    assert_int_equal(host.outstanding_bytes, 0);
}

static void unscheduled_bytes_are_charged_once_and_return_in_ns2(void **state)
{
    struct weir_credit_sums sums;
    (void)state;
    struct weir_sird_rx *a = arriving(0, 64 * MSS + 10, 65);
    assert_int_equal(a->msg.unsched_wire_bytes, 64 * M + 90);
    assert_int_equal(peer[0].outstanding_bytes, 64 * M + 90);
    assert_int_equal(arriving(0, 65 * MSS, 65)->msg.grant_wire_bytes, 0);
    assert_int_equal(host.outstanding_bytes, 64 * M + 90 + 65 * M); /* above B: no credit for anybody */
    sird->sums(&cfg, &host, &sums);
    assert_int_equal(sums.most_bytes, INT64_MAX);
    (void)arriving(1, 10 * MSS, 0);
    assert_int_equal(grant_to(), PEERS);
    for (uint32_t i = 0; i < 32; i++)
        data(0, a, MSS, (i + 1) * M, WEIR_DATA_UNSCHED);
    assert_int_equal(host.outstanding_bytes, 97 * M + 90);
    assert_int_equal(grant_to(), PEERS);
    data(0, a, MSS, 33 * M, WEIR_DATA_UNSCHED);
    assert_int_equal(grant_to(), 1);
}

static void one_lost_of_three_comes_back_after_the_second_settling(void **state)
{
    (void)state;
    struct weir_sird_rx *a = arriving(0, 10 * MSS, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(grant_to(), 0);
    data(0, a, MSS, M, 0);
    data(0, a, MSS, 3 * M, 0); /* the second is missing */
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
    assert_int_equal(host.outstanding_bytes, 0);
    assert_int_equal(grant_to(), 0);
    data(0, a, MSS, 2 * M, 0); /* it comes all the same, counted as lost: returns nothing more */
    assert_int_equal(host.outstanding_bytes, M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), M);
}

static void reordering_loses_nothing(void **state)
{
    static const uint32_t order[6] = { 3, 1, 6, 2, 5, 4 };
    (void)state;
    struct weir_sird_rx *a = arriving(0, 10 * MSS, 0);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(grant_to(), 0);
    for (uint32_t i = 0; i < 6; i++) {
        data(0, a, MSS, order[i] * M, 0);
        if (i % 2 == 1) /* one after each second packet; all that a mark covers arrive before the next but one */
            assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), (int64_t)(5 - i) * M);
    }
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
    assert_int_equal(peer[0].settled, 6 * M);
}

static void a_spurious_retransmission_returns_by_settling_only(void **state)
{
    (void)state;
    struct weir_sird_rx *a = arriving(0, 10 * MSS, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 0);
    data(0, a, MSS, M, 0);
    data(0, a, MSS, 2 * M, WEIR_DATA_KNOWN);
    data(0, a, MSS, 2 * M, WEIR_DATA_KNOWN); /* the network may repeat it */
    assert_int_equal(host.outstanding_bytes, M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
}

static void released_credit_returns_with_a_state_packet(void **state)
{
    const struct weir_own_pkt word = { .peer = &peer[0], .sequence = 2 * M, .kind = WEIR_SIRD_STATE };
    (void)state;
    (void)arriving(0, 2 * MSS, 0);
    assert_int_equal(grant_to(), 0);
    assert_int_equal(grant_to(), 0);
    sird->rx_packet(&cfg, &host, &peer[0], NULL, &(struct weir_data){ .sequence = 7 * M }); /* says nothing of it */
    sird->control(&cfg, &host, &word);
    assert_int_equal(peer[0].spent_seen, 2 * M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 2 * M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
}

/* Charged, but lost whole: the sender's count says they were spent before the receiver hears of the message. */
static void unscheduled_bytes_lost_before_they_were_charged_balance_later(void **state)
{
    (void)state;
    peer[0].spent_seen = 3 * M; /* another message's packet told so */
    (void)sird_rx_settle(&cfg, &host, &peer[0], 0);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
    assert_int_equal(peer[0].early_bytes, 3 * M);
    (void)arriving(0, 10 * MSS, 4);
    assert_int_equal(peer[0].outstanding_bytes, M);
    assert_int_equal(host.outstanding_bytes, M);
}

static void running_totals_wrap_correctly(void **state)
{
    (void)state;
    peer[0].granted_total = peer[0].spent_seen = peer[0].settled = peer[0].mark = UINT32_MAX - M;
    struct weir_sird_rx *a = arriving(0, 10 * MSS, 0);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(grant_to(), 0);
    assert_int_equal(peer[0].granted_total, 2 * M - 1);
    data(0, a, MSS, UINT32_MAX, 0);
    data(0, a, MSS, 2 * M - 1, 0);
    assert_int_equal(peer[0].spent_seen, 2 * M - 1);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), M);
    assert_int_equal(sird_rx_settle(&cfg, &host, &peer[0], 0), 0);
}

static void control_packets_drive_the_loops_in_ns2_only(void **state)
{
    const struct weir_data word = { .wire_bytes = 84 };
    (void)state;
    sird->rx_packet(&cfg, &host, &peer[0], NULL, &word);
    assert_int_equal(weir_sird_since_cut(&peer[0].aimd, WEIR_SIRD_NET), 0);
    set("aimd_input", "all");
    sird->rx_packet(&cfg, &host, &peer[0], NULL, &word);
    assert_int_equal(weir_sird_since_cut(&peer[0].aimd, WEIR_SIRD_NET), 1);
    data(0, NULL, MSS, 0, WEIR_DATA_OWN | WEIR_DATA_UNSCHED);
    assert_int_equal(weir_sird_since_cut(&peer[0].aimd, WEIR_SIRD_SENDER), 2);
}

/* The measured BDP is four times the path's. A bucket that marks have halved stays half of the largest. */
static void buckets_follow_a_measured_bdp(void **state)
{
    struct weir_grant out;
    (void)state;
    sird->adapt(&cfg, &host, BDP);
    assert_int_equal(host.bucket_bytes, 150000);
    assert_int_equal(host.rule.most_bytes, 100000);
    (void)arriving(0, 400 * MSS, 0);
    for (uint32_t i = 0; i < 65; i++)
        assert_true(grant(0, &out));                                /* without a pace */
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), WEIR_NEVER); /* 99970 of 100000 */
    peer[1].aimd.bucket_bytes[WEIR_SIRD_NET] = peer[1].aimd.least_bytes = 50000;
    sird->adapt(&cfg, &host, 4 * BDP);
    for (uint32_t i = 0; i < PEERS; i++)
        sird->peer_adapt(&cfg, &host, &peer[i]);
    assert_int_equal(host.bucket_bytes, 600000);
    assert_int_equal(host.rule.most_bytes, 400000);
    assert_int_equal(host.rule.floor_bytes[WEIR_SIRD_NET], 12000);
    assert_int_equal(host.rule.floor_bytes[WEIR_SIRD_SENDER], 40000);
    assert_int_equal(peer[0].aimd.least_bytes, 400000);
    assert_int_equal(peer[1].aimd.least_bytes, 200000);
    assert_int_equal(peer[1].aimd.bucket_bytes[WEIR_SIRD_SENDER], 400000);
    assert_int_equal(peer[0].aimd.step_bytes, M * M / 400000);
    assert_int_equal(sird->rx_next_ps(&cfg, &host, 0), 0); /* its sender is open again */
    sird->adapt(&cfg, &host, BDP);
    sird->peer_adapt(&cfg, &host, &peer[1]);
    assert_int_equal(peer[1].aimd.least_bytes, 50000);
}

static void a_bucket_in_bytes_is_not_adapted(void **state)
{
    (void)state;
    set("B", "120 KB");
    start();
    sird->adapt(&cfg, &host, 4 * BDP);
    assert_int_equal(host.bucket_bytes, 120000);
    assert_int_equal(host.rule.most_bytes, 120000); /* of one sender: no more than all may have */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(credit_leaves_at_the_rate_of_the_link, setup_paper),
        cmocka_unit_test_setup(a_slower_pace_stretches_the_gaps, setup_paper),
        cmocka_unit_test_setup(slack_lets_a_credit_go_early_and_polling_late, setup_ns2),
        cmocka_unit_test_setup(the_shortest_remaining_message_is_credited_first, setup_paper),
        cmocka_unit_test_setup(round_robin_credits_senders_alternately, setup_paper),
        cmocka_unit_test_setup(least_in_flight_credits_the_sender_with_least_outstanding, setup_paper),
        cmocka_unit_test_setup(a_complete_message_is_credited_before_anything_else, setup_paper),
        cmocka_unit_test_setup(a_sender_with_a_full_bucket_is_skipped, setup_paper),
        cmocka_unit_test_setup(all_senders_together_stay_within_the_global_bucket, setup_paper),
        cmocka_unit_test_setup(a_message_to_be_credited_again_is_queued_again, setup_paper),
        cmocka_unit_test_setup(unscheduled_bytes_return_nothing_in_the_paper, setup_paper),
        cmocka_unit_test_setup(unscheduled_bytes_are_charged_once_and_return_in_ns2, setup_ns2),
        cmocka_unit_test_setup(one_lost_of_three_comes_back_after_the_second_settling, setup_paper),
        cmocka_unit_test_setup(reordering_loses_nothing, setup_paper),
        cmocka_unit_test_setup(a_spurious_retransmission_returns_by_settling_only, setup_paper),
        cmocka_unit_test_setup(released_credit_returns_with_a_state_packet, setup_paper),
        cmocka_unit_test_setup(unscheduled_bytes_lost_before_they_were_charged_balance_later, setup_ns2),
        cmocka_unit_test_setup(running_totals_wrap_correctly, setup_paper),
        cmocka_unit_test_setup(control_packets_drive_the_loops_in_ns2_only, setup_paper),
        cmocka_unit_test_setup(buckets_follow_a_measured_bdp, setup_paper),
        cmocka_unit_test_setup(a_bucket_in_bytes_is_not_adapted, setup_paper),
    };
    return cmocka_run_group_tests_name("proto/sird_receiver", tests, NULL, NULL);
}
