/* test/prop/test_dart.c - Dart's hosts on one switch: k senders have line / k each one round trip after they began, in engine and oracle. */
#include "test/prop/rig.h"

#define US WEIR_PS_PER_US

enum { FRAME = 1538, PAYLOAD = 1460, PKTS = 1000 };

static void on_a_star(void)
{
    begin("topology: {kind: star, hosts: 17, host_link: 10 Gbps, host_delay: 1 us}\n"
          "protocol: dart\nfabric: {buffer: 10 MB}\n"
          "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: all}\n");
}

static struct weir_result run_both(void)
{
    use_list();
    struct weir_result oracle = run(weir_oracle_run, NULL), engine = run(weir_sim_run, NULL);
    assert_int_equal(engine.digest, oracle.digest);
    assert_int_equal(engine.queues_digest, oracle.queues_digest);
    return engine;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(k_senders_have_a_kth_of_the_line_after_a_round_trip),
        cmocka_unit_test(messages_of_one_sender_share_its_part),
    };
    return cmocka_run_group_tests_name("dart", tests, NULL, NULL);
}
