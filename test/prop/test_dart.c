/* test/prop/test_dart.c - Dart's hosts on one switch: k senders have line / k each one round trip after they began, in engine and oracle. */
#include "test/prop/rig.h"

#define US WEIR_PS_PER_US

enum { FRAME = 1538, PAYLOAD = 1460, PKTS = 1000 };

#define STAR "topology: {kind: star, hosts: 17, host_link: 10 Gbps, host_delay: 1 us}\nfabric: {buffer: 10 MB}\n"
#define REST "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: all}\n"

static void on_a_star(void)
{
    begin(STAR "protocol: dart\n" REST);
}

static struct weir_result run_listed(void)
{
    struct weir_result oracle = run(weir_oracle_run, NULL), engine = run(weir_sim_run, NULL);
    assert_int_equal(engine.digest, oracle.digest);
    assert_int_equal(engine.queues_digest, oracle.queues_digest);
    assert_int_equal(engine.source_marks, oracle.source_marks);
    assert_int_equal(engine.short_pkts, oracle.short_pkts);
    assert_int_equal(engine.short_marked_pkts, oracle.short_marked_pkts);
    return engine;
}

static struct weir_result run_both(void)
{
    use_list();
    return run_listed();
}

/* All begin at once and send at line rate until an ACK with n = k is back. The first frames of all leave the switch one after another, and
 * the second frame of the first sender is the latest whose ACK says k: a round trip and k + 2 frames. What comes in that time stands in
 * the queue at most. The receiver's link is full from the first packet on, so the last one ends after k * 1000 frames. */
static void k_senders_have_a_kth_of_the_line_after_a_round_trip(void **state)
{
    (void)state;
    for (uint32_t k = 1; k <= 16; k++) {
        on_a_star();
        for (uint32_t src = 1; src <= k; src++)
            list(src, 0, (uint64_t)PKTS * PAYLOAD, 0);
        struct weir_result r = run_both();
        uint64_t frame_ps = (uint64_t)FRAME * 800, whole_ps = k * PKTS * frame_ps;
        uint64_t queue_bytes = k * (rig.setup.base_rtt_ps + (k + 2) * frame_ps) / 800;
        assert_int_equal(r.messages_completed, k);
        assert_int_equal(r.retransmissions + r.drops, 0);
        assert_in_range(r.sim_ps, whole_ps, whole_ps + 2 * US + (k + 1) * frame_ps);
        assert_true(r.port_queue.max_bytes <= queue_bytes);
        end();
    }
}

/* Three messages of one sender, and one of another: n is 2, so each sender has half of the line, whatever it has to send. */
static void messages_of_one_sender_share_its_part(void **state)
{
    (void)state;
    on_a_star();
    for (int i = 0; i < 3; i++)
        list(1, 0, (uint64_t)PKTS * PAYLOAD, 0);
    list(2, 0, (uint64_t)3 * PKTS * PAYLOAD, 0);
    struct weir_result r = run_both();
    uint64_t whole_ps = UINT64_C(6) * PKTS * FRAME * 800;
    assert_int_equal(r.messages_completed, 4);
    assert_in_range(r.sim_ps, whole_ps, whole_ps + whole_ps / 100);
    assert_true(r.port_queue.max_bytes <= 2 * rig.setup.base_rtt_ps / 800 + 4 * FRAME);
    end();
}

/* Weights 5, 2 and 1, and as much to send as these: all end together, when the link has been full from the first packet on. Codes round
 * up by less than a thousandth, and a round trip is needed for the counts. */
static void senders_with_as_much_to_send_as_they_weigh_end_together(void **state)
{
    static const uint32_t weight[] = { 5, 2, 1 };
    (void)state;
    begin(STAR "protocol: {name: dart, weights: true}\n" REST);
    for (uint32_t i = 0; i < 3; i++) {
        list(i + 1, 0, (uint64_t)weight[i] * PKTS * PAYLOAD, 0);
        rig.listed[i].weight_q20 = (uint64_t)weight[i] << 20;
    }
    struct weir_result r = run_both();
    uint64_t whole_ps = UINT64_C(8) * PKTS * FRAME * 800;
    assert_int_equal(r.messages_completed, 3);
    assert_in_range(r.sim_ps, whole_ps, whole_ps + whole_ps / 500);
    end();
}

/* Tenant 0 has three senders and tenant 1 has one, which has as much to send as these together: each tenant has half of the line, and all
 * end together. */
static void a_tenant_with_one_sender_has_as_much_as_one_with_three(void **state)
{
    (void)state;
    begin(STAR "protocol: {name: dart, tenants: true}\ntraffic:\n  - {kind: permutation, size: 1 KB}\n"
               "  - {kind: permutation, size: 1 KB, tenant: 1}\nrun: {warmup: 0 us, measure: all}\n");
    for (uint32_t i = 0; i < 4; i++) {
        list(i + 1, 0, (uint64_t)(i < 3 ? 1 : 3) * PKTS * PAYLOAD, 0);
        rig.listed[i].item = i / 3;
    }
    struct weir_result r = run_both();
    uint64_t whole_ps = UINT64_C(6) * PKTS * FRAME * 800;
    assert_int_equal(r.messages_completed, 4);
    assert_in_range(r.sim_ps, whole_ps, whole_ps + whole_ps / 500);
    end();
}

/* Host 1 sends on, host 2 loses its cable at 100 us; what both sent in the first round trip has left the queue by 150 us. n stays 2 for t_soft, 400 us, and is 1 then.
 * @return what arrives at the receiver in the part of the run that is measured, in Mb/s of frames */
static uint64_t rate_after_a_death(const char *measured)
{
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 17, host_link: 10 Gbps, host_delay: 1 us}\n"
                   "fabric: {buffer: 10 MB, events: [{at: 100 us, link: 'host 2 - switch 0', action: down}]}\n"
                   "protocol: {name: dart, t_soft: 400 us}\ntraffic: [{kind: permutation, size: 1 KB}]\nrun: {%s}\n",
                   measured);
    begin(text);
    list(1, 0, (uint64_t)PKTS * PAYLOAD, 0);
    list(2, 0, (uint64_t)PKTS * PAYLOAD, 0);
    struct weir_result r = run_both();
    end();
    return r.goodput_bps * 17 / 1000000 * FRAME / PAYLOAD;
}

static void the_part_of_a_dead_sender_is_free_after_t_soft_and_not_before(void **state)
{
    (void)state;
    assert_in_range(rate_after_a_death("warmup: 50 us, measure: 50 us"), 9700, 10000);
    assert_in_range(rate_after_a_death("warmup: 150 us, measure: 350 us"), 4900, 5050);
    assert_in_range(rate_after_a_death("warmup: 510 us, measure: 200 us"), 9900, 10050);
}

/* Sender 1 of a group of two; 2 is announced and never sends: n is 2 until t_soft after the list was read. */
static void an_announced_sender_that_never_sends_holds_its_part_for_t_soft(void **state)
{
    static const uint32_t sender[] = { 1, 2 };
    static struct weir_sender_group group = { sender, 2, 1 };
    (void)state;
    begin(STAR "protocol: {name: dart, t_soft: 400 us}\n" REST);
    list(1, 0, (uint64_t)PKTS * PAYLOAD, 0);
    use_list();
    rig.listed[0].group = 1;
    rig.wl.group = &group;
    struct weir_result r = run_listed();
    uint64_t whole_ps = (uint64_t)PKTS * FRAME * 800;
    /* half of the line from a round trip on, until t_soft and the way of a packet, and of its ACK, later: 200 us are lost */
    assert_in_range(r.sim_ps, whole_ps + 200 * US, whole_ps + 200 * US + 2 * rig.setup.base_rtt_ps);
    end();
}

/* Sender 1 of a group of k begins, the others at `start_ps`. Its first packet arrives after 2 frames and 2 us, and the count with its ACK
 * or by a notice is at all senders another 2 us later, at 6.6 us and before 8. They hold it for 6.6 us, so at 8 us they begin at line / k,
 * and what sender 1 sent at line rate has left the queue. From then on the link is full and nothing waits but for a frame of each. */
static struct weir_result group_of(uint32_t k, bool listed, uint64_t start_ps)
{
    static uint32_t sender[16];
    static struct weir_sender_group group;
    on_a_star();
    for (uint32_t i = 0; i < k; i++) {
        sender[i] = i + 1;
        list(i + 1, 0, (uint64_t)PKTS * PAYLOAD, i == 0 ? 0 : start_ps);
        rig.listed[i].group = listed;
    }
    group = (struct weir_sender_group){ sender, k, 1 };
    use_list();
    rig.wl.group = &group;
    rig.wl.group_count = 1;
    rig.setup.model.workload = &rig.wl;
    return run_listed();
}

static void announced_senders_begin_at_their_part(void **state)
{
    (void)state;
    for (uint32_t k = 2; k <= 16; k += 7) {
        struct weir_result r = group_of(k, true, 8 * US);
        assert_int_equal(r.messages_completed, k);
        assert_true(r.port_queue.max_bytes <= (k + 1) * FRAME);
        end();
        r = group_of(k, false,
                     8 * US); /* they begin at line rate and learn the count after a round trip of their own */
        assert_true(r.port_queue.max_bytes >= (k - 1) * rig.setup.base_rtt_ps / 800);
        end();
    }
}

/* One sender to k receivers: its NIC gives each a k-th of the line. When a packet leaves k - 1 others wait, and 15 * 1538 B are more than
 * 22,500 B. Nothing waits at a switch, so all marks are the source's. */
static void a_sender_with_sixteen_receivers_marks_and_one_with_fifteen_does_not(void **state)
{
    (void)state;
    for (uint32_t k = 15; k <= 16; k++) {
        on_a_star();
        for (uint32_t i = 0; i < k; i++)
            list(1, i < 1 ? 0 : i + 1, 100 * PAYLOAD, 0);
        struct weir_result r = run_both();
        assert_int_equal(r.messages_completed, k);
        assert_int_equal(r.marks, 0);
        if (k == 15)
            assert_int_equal(r.source_marks, 0);
        else
            assert_in_range(r.source_marks, 1, 100 * k);
        end();
    }
}

/* 6 full packets, and a seventh where the list is in front of them. Nothing is marked: less than 22,500 B come at once. */
static void packets_of_short_messages_are_counted_with_their_lists(void **state)
{
    static const uint32_t sender[] = { 1, 2 };
    static struct weir_sender_group group = { sender, 2, 1 };
    (void)state;
    for (uint32_t listed = 0; listed < 2; listed++) {
        on_a_star();
        assert_int_equal(rig.setup.model.short_bytes, 8000);
        rig.setup.model.short_bytes = 6 * PAYLOAD;
        list(1, 0, 6 * PAYLOAD, 0);
        list(2, 0, 6 * PAYLOAD, 0);
        list(3, 0, 6 * PAYLOAD + 1, 0);
        use_list();
        rig.listed[0].group = rig.listed[1].group = listed;
        rig.wl.group = &group;
        struct weir_result r = run_listed();
        assert_int_equal(r.short_pkts, listed ? 14 : 12);
        assert_int_equal(r.short_marked_pkts, 0);
        end();
    }
}

/* 8 senders begin at once with 5 full packets each, the last of which leaves before the count is back. Packet j of sender i, both from 0,
 * finds 7 j + i frames. It is marked if these are more than 22,500 B, 14.6 frames: of the third packets those of 7 senders, and all later
 * ones. */
static void marked_packets_of_short_messages_are_a_share_of_theirs(void **state)
{
    (void)state;
    on_a_star();
    for (uint32_t i = 0; i < 8; i++)
        list(i + 1, 0, 5 * PAYLOAD, 0);
    struct weir_result r = run_both();
    assert_int_equal(r.short_pkts, 40);
    assert_int_equal(r.short_marked_pkts, 7 + 8 + 8);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_senders_have_a_kth_of_the_line_after_a_round_trip),
        cmocka_unit_test(messages_of_one_sender_share_its_part),
        cmocka_unit_test(senders_with_as_much_to_send_as_they_weigh_end_together),
        cmocka_unit_test(a_tenant_with_one_sender_has_as_much_as_one_with_three),
        cmocka_unit_test(the_part_of_a_dead_sender_is_free_after_t_soft_and_not_before),
        cmocka_unit_test(an_announced_sender_that_never_sends_holds_its_part_for_t_soft),
        cmocka_unit_test(announced_senders_begin_at_their_part),
        cmocka_unit_test(packets_of_short_messages_are_counted_with_their_lists),
        cmocka_unit_test(marked_packets_of_short_messages_are_a_share_of_theirs),
        cmocka_unit_test(a_sender_with_sixteen_receivers_marks_and_one_with_fifteen_does_not),
    };
    return cmocka_run_group_tests_name("dart", tests, NULL, NULL);
}
