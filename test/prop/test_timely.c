/* test/prop/test_timely.c - TIMELY in window form: what one flow and two get, in engine and oracle. */
#include "test/prop/rig.h"

#define US WEIR_PS_PER_US

enum { FRAME = 1500, PAYLOAD = 1460, PKTS = 4000 };

#define REST                                                                                                           \
    "protocol: {name: timely, preset: dart}\n"                                                                         \
    "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: all}\n"
#define STAR "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
#define TREE                                                                                                           \
    "topology: {kind: fat-tree, pods: 2, edges: 2, aggs: 1, uplinks: 1, edge_hosts: 2, host_link: 10 Gbps, "           \
    "core_link: 10 Gbps, host_delay: 1 us, core_delay: 1 us}\n"

/* Its packets leave one right after another: the last one ends at the receiver within a round trip of the frames of all. */
static void alone(const char *text, uint32_t dst)
{
    begin(text);
    list(0, dst, (uint64_t)PKTS * PAYLOAD, 0);
    struct weir_result r = run_without_loss();
    uint64_t sending_ps = (uint64_t)PKTS * FRAME * 800;
    assert_in_range(r.sim_ps, sending_ps, sending_ps + rig.setup.base_rtt_ps);
    assert_true(r.port_queue.max_bytes <= FRAME);
    end();
}

/* Also on a path of two links, where the longest has six, and on that one. */
static void a_flow_alone_fills_its_link(void **state)
{
    (void)state;
    alone(STAR REST, 1);
    alone(TREE REST, 1);
    alone(TREE REST, 7);
}

/* Where its link is not the slowest on the path, it fills that one but for the first cut, which goes too far. T_low is 50 us, so more than
 * 30 us of queue stand there. */
static void a_flow_alone_fills_the_slowest_link(void **state)
{
    (void)state;
    begin("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 5 Gbps, host_delay: 1 us, "
          "core_delay: 1 us}\n" REST);
    list(0, 2, (uint64_t)PKTS * PAYLOAD, 0);
    struct weir_result r = run_without_loss();
    uint64_t sending_ps = (uint64_t)PKTS * FRAME * 1600;
    assert_in_range(r.sim_ps, sending_ps, sending_ps * 105 / 100);
    assert_in_range(r.port_queue.max_bytes, 30 * US / 1600, 219500);
    end();
}

/* Both begin at line rate, at once. What they see is the same but for a packet, so they end together. */
static void two_flows_share_a_link(void **state)
{
    (void)state;
    begin(STAR REST);
    for (uint32_t src = 0; src < 2; src++)
        list(src, 2, (uint64_t)PKTS * PAYLOAD, 0);
    struct weir_result r = run_without_loss();
    uint64_t sending_ps = UINT64_C(2) * PKTS * FRAME * 800;
    assert_int_equal(r.messages_completed, 2);
    assert_in_range(r.sim_ps, sending_ps, sending_ps * 104 / 100);
    assert_in_range(r.jain_ppm, 999000, 1000000);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_alone_fills_its_link),
        cmocka_unit_test(a_flow_alone_fills_the_slowest_link),
        cmocka_unit_test(two_flows_share_a_link),
    };
    return cmocka_run_group_tests_name("timely", tests, NULL, NULL);
}
