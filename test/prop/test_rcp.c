/* test/prop/test_rcp.c - RCP on one switch: what one flow and two get, in engine and oracle. */
#include "core/math.h"
#include "test/prop/rig.h"

#define US WEIR_PS_PER_US
#define MS WEIR_PS_PER_MS

enum { FRAME = 1538, PAYLOAD = 1460, PKTS = 20000 };

/* A round trip of 402.6 us, 327 packets: what waits because flows meet is little of it. */
#define REST                                                                                                           \
    "protocol: {name: rcp, preset: module}\n"                                                                          \
    "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: all}\n"
#define STAR "topology: {kind: star, hosts: 3, host_link: 10 Gbps, host_delay: 100 us}\n"

/* The rate in packets is 9.4959 Gb/s, see test_rcp_code.c. The first packet's round trip comes before, and half a round trip after. */
static void flow_alone(const char *text, uint64_t rate_bps)
{
    begin(text);
    list(0, 2, (uint64_t)PKTS * PAYLOAD, 0);
    struct weir_result r = run_without_loss();
    uint64_t sending_ps = weir_mul_div_u64((uint64_t)PKTS * FRAME * 8, WEIR_PS_PER_S, rate_bps);
    assert_in_range(r.sim_ps, sending_ps + rig.setup.base_rtt_ps, sending_ps + 2 * rig.setup.base_rtt_ps);
    assert_true(r.port_queue.max_bytes <= FRAME);
    end();
}

static void a_flow_alone_has_gamma_c(void **state)
{
    (void)state;
    flow_alone(STAR REST, UINT64_C(2264) << 22);
}

/* The last port has 10 Gb/s, the one before it 5. */
static void the_slowest_port_of_a_path_decides(void **state)
{
    (void)state;
    flow_alone("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 5 Gbps, host_delay: 50 us, "
               "core_delay: 50 us}\n" REST,
               UINT64_C(2264) << 21);
}

/* Both begin at once, twice as fast as the port wants, and end together. The mean of all is 5 % below gamma C at most. */
static void two_flows_share_gamma_c(void **state)
{
    (void)state;
    begin(STAR REST);
    for (uint32_t src = 0; src < 2; src++)
        list(src, 2, UINT64_C(5) * PKTS * PAYLOAD, 0);
    struct weir_result r = run_without_loss();
    uint64_t least_ps = weir_mul_div_u64(UINT64_C(10) * PKTS * FRAME * 8, WEIR_PS_PER_S, 9500000000);
    assert_int_equal(r.messages_completed, 2);
    assert_in_range(r.sim_ps, least_ps, least_ps * 105 / 100);
    assert_in_range(r.jain_ppm, 999000, 1000000);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_alone_has_gamma_c),
        cmocka_unit_test(the_slowest_port_of_a_path_decides),
        cmocka_unit_test(two_flows_share_gamma_c),
    };
    return cmocka_run_group_tests_name("rcp", tests, NULL, NULL);
}
