/* test/prop/test_swift.c - Swift where the answer is known without running: the queue and the shares of flows at one port, windows below
 * one packet, an incast. Engine and oracle give the same digest each time. */
#include "test/prop/rig.h"
#include <math.h>
#include <stdio.h>

#define WIRE 1538.0 /* of a full packet with 1460 B of payload */

struct port { /* n long flows into one port */
    struct weir_result result;
    double base_us, queue_mean_us, queue_max_us; /* base round trip; what waits at the port, as a time */
    double share;                                /* of the link, payload */
};

/* topology: with n + 1 hosts, the last of which receives; gbps: of its link */
static struct port run_port(uint32_t n, const char *topology, uint32_t gbps, const char *keys, const char *length)
{
    struct port p;
    char text[1024];
    double bytes_per_us = gbps * 125.0;
    (void)snprintf(text, sizeof(text),
                   "topology: {%s}\nprotocol: {name: swift, base_target: 20 us, hop_delay: 1 us%s}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {%s, seed: 3}\n",
                   topology, keys, length);
    begin(text);
    for (uint32_t i = 0; i < n; i++)
        list(i, rig.setup.topo.host_count - 1, UINT64_C(1) << 32, i * 1700000);
    use_list();
    p.result = run(weir_sim_run, NULL);
    assert_int_equal(p.result.digest, run(weir_oracle_run, NULL).digest);
    p.base_us = (double)rig.setup.base_rtt_ps * 1e-6;
    p.queue_mean_us = (double)p.result.tor_queue.mean_millibytes * rig.setup.topo.edge_count / 1000 / bytes_per_us;
    p.queue_max_us = (double)p.result.port_queue.max_bytes / bytes_per_us;
    p.share = (double)p.result.goodput_bps * rig.setup.topo.host_count / (gbps * 1e9 * 1460 / WIRE);
    end();
    return p;
}

static struct port run_star(uint32_t n, uint32_t gbps, const char *keys, const char *length)
{
    char topology[128];
    (void)snprintf(topology, sizeof(topology),
                   "kind: star, hosts: %" PRIu32 ", host_link: %" PRIu32 " Gbps, host_delay: 1 us", n + 1, gbps);
    return run_port(n, topology, gbps, keys, length);
}

static void show(const char *what, uint32_t n, const struct port *p, double target_us)
{
    (void)printf("%s, %" PRIu32
                 " flows: queue mean %.2f max %.2f us, the target leaves %.2f; Jain %.5f, %.4f of the link\n",
                 what, n, p->queue_mean_us, p->queue_max_us, target_us - p->base_us, (double)p->result.jain_ppm * 1e-6,
                 p->share);
}

/* Round trip at which n equal flows that fill a link are at their target. cwnd: of each, packets */
static double balance_us(uint32_t n, double flat_us, double range_us, double gbps, double *cwnd)
{
    double a = range_us / (1 / sqrt(0.1) - 1 / sqrt(100)), low = 0, high = flat_us + range_us;
    for (int i = 0; i < 60; i++) { /* a longer round trip means larger windows, and so a lower target */
        double rtt = (low + high) / 2, w = rtt * gbps * 125 / WIRE / n;
        double scaling = fmin(fmax(a / sqrt(w) - a / 10, 0), range_us);
        *cwnd = w;
        if (rtt < flat_us + scaling)
            low = rtt;
        else
            high = rtt;
    }
    return low;
}

/* Two switches, and 25 Gb/s behind hosts of 100. The queue is what the target leaves beyond the idle path: 20 us and two hops. A packet
 * is added per round trip, and decreases are small; so it swings by a few packets of 0.49 us. */
static void one_flow_fills_its_link_with_the_queue_of_its_target(void **state)
{
    const char *topology =
        "kind: dumbbell, hosts: 2, host_link: 100 Gbps, core_link: 25 Gbps, host_delay: 1 us, core_delay: 1 us";
    (void)state;
    for (uint32_t flow_scaling = 0; flow_scaling < 2; flow_scaling++) {
        struct port p = run_port(1, topology, 25, flow_scaling ? ", fs_range: 100 us" : ", fs_range: 0 us",
                                 "warmup: 3 ms, measure: 5 ms");
        double cwnd, target_us = balance_us(1, 22, flow_scaling ? 100 : 0, 25, &cwnd);
        show(flow_scaling ? "flow scaling" : "none", 1, &p, target_us);
        assert_true(p.share > 0.999 && p.share < 1.001);
        assert_true(fabs(p.queue_mean_us - (target_us - p.base_us)) < 1.0);
        assert_true(p.queue_max_us < target_us - p.base_us + 2.0);
    }
}

/* At 100 Gb/s the flows' windows are 86 packets and less: flow scaling makes them equal, as a smaller window has a larger target. */
static void flows_share_a_port_fairly_at_the_target_of_their_number(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 32; n *= 4) {
        struct port p = run_star(n, 100, ", fs_range: 100 us", "warmup: 5 ms, measure: 5 ms");
        double cwnd, target_us = balance_us(n, 21, 100, 100, &cwnd);
        show("100 Gb/s", n, &p, target_us);
        assert_true(cwnd > 7);
        assert_true(p.share > 0.999 && p.share < 1.001);
        assert_true(p.result.jain_ppm > 999000);
        assert_true(fabs(p.queue_mean_us - (target_us - p.base_us)) < 0.05 * target_us);
        assert_true(p.queue_max_us < 1.2 * target_us);
    }
}

/* A hundred flows at 10 Gb/s: half a packet in flight each. Were they not paced, a packet of each would be on its way, 123 us of the link.
 * Without flow scaling windows are smaller still, and the queue comes from packets that meet by chance. */
static void with_a_hundred_flows_windows_are_below_one_packet(void **state)
{
    double cwnd, target_us = balance_us(100, 21, 100, 10, &cwnd);
    struct port p = run_star(100, 10, ", fs_range: 100 us", "warmup: 20 ms, measure: 30 ms");
    (void)state;
    show("paced", 100, &p, target_us);
    assert_true(cwnd > 0.4 && cwnd < 0.6);
    assert_true(p.share > 0.99 && p.share < 1.001);
    assert_true(p.result.jain_ppm > 990000);
    assert_true(p.queue_mean_us > target_us - p.base_us && p.queue_mean_us < 1.4 * (target_us - p.base_us));
    struct port whole = run_star(100, 10, ", fs_range: 100 us, min_cwnd: 1", "warmup: 20 ms, measure: 30 ms");
    show("min_cwnd: 1", 100, &whole, 100 * WIRE / 1250);
    assert_true(whole.queue_mean_us > 100 * WIRE / 1250 - whole.base_us - 5);
    assert_true(whole.queue_mean_us > 1.5 * p.queue_mean_us);
}

/* 100 to 1, 500 KB each, all at once. The first windows, 36.5 KB each, are what the port must hold at first. Then the link is never idle
 * until the last packet has left. */
static void an_incast_of_a_hundred_ends_as_soon_as_the_link_can(void **state)
{
    const double busy_us = 100 * (342 * WIRE + 680 + 78) / 12500; /* 342 full packets and one of 680 B each */
    struct weir_result r;
    (void)state;
    begin("topology: {kind: star, hosts: 101, host_link: 100 Gbps, host_delay: 1 us}\n"
          "protocol: {name: swift, base_target: 20 us, fs_range: 100 us, init_cwnd: 36500 B}\n"
          "host: {rto_init: 10 ms, rto_min: 2 ms}\n"
          "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all, seed: 3}\n");
    for (uint32_t i = 0; i < 100; i++)
        list(i, 100, 500000, 1);
    use_list();
    r = run(weir_sim_run, NULL);
    assert_int_equal(r.digest, run(weir_oracle_run, NULL).digest);
    end();
    (void)printf("incast: %.1f us, of which the link is busy %.1f; queue max %" PRIu64 " B\n", (double)r.sim_ps * 1e-6,
                 busy_us, r.port_queue.max_bytes);
    assert_int_equal(r.messages_completed, 100);
    assert_int_equal(r.retransmissions, 0);
    assert_true((double)r.sim_ps * 1e-6 < busy_us + 5); /* two links of delay and one packet are 2.1 us */
    assert_true(r.port_queue.max_bytes > 3700000 && r.port_queue.max_bytes < 100 * 25 * 1538);
}

/* The same into a port that holds 1 MB of the 3.8: what is lost is sent again, and all of it arrives. */
static void an_incast_survives_a_small_buffer(void **state)
{
    struct weir_result r;
    (void)state;
    begin("topology: {kind: star, hosts: 101, host_link: 100 Gbps, host_delay: 1 us}\n"
          "protocol: {name: swift, base_target: 20 us, fs_range: 100 us, init_cwnd: 36500 B}\n"
          "host: {rto_init: 500 us, rto_min: 500 us, rto_max: 2 ms}\nfabric: {buffer: 1 MB}\n"
          "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all, seed: 3}\n");
    for (uint32_t i = 0; i < 100; i++)
        list(i, 100, 100000, 1);
    use_list();
    r = run(weir_sim_run, NULL);
    assert_int_equal(r.digest, run(weir_oracle_run, NULL).digest);
    end();
    (void)printf("incast, 1 MB: %.1f us, %" PRIu64 " drops, %" PRIu64 " timeouts\n", (double)r.sim_ps * 1e-6, r.drops,
                 r.timeouts);
    assert_int_equal(r.messages_completed, 100);
    assert_true(r.drops > 100 && r.retransmissions >= r.drops);
}

/* As in the model of SIRD's runs: flows that are never below their target keep the windows they began with, and the queue of those. */
static void with_hold_unchanged_long_flows_keep_their_first_queue(void **state)
{
    struct port p =
        run_star(10, 10, ", fs_range: 100 us, init_cwnd: 29200 B, hold: unchanged", "warmup: 10 ms, measure: 10 ms");
    double cwnd, target_us = balance_us(10, 21, 100, 10, &cwnd);
    (void)state;
    show("hold: unchanged", 10, &p, target_us);
    assert_true(p.queue_mean_us > 3 * target_us);
    p = run_star(10, 10, ", fs_range: 100 us, init_cwnd: 29200 B", "warmup: 10 ms, measure: 10 ms");
    show("hold: decrease", 10, &p, target_us);
    assert_true(p.queue_mean_us < 1.1 * target_us);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_flow_fills_its_link_with_the_queue_of_its_target),
        cmocka_unit_test(flows_share_a_port_fairly_at_the_target_of_their_number),
        cmocka_unit_test(with_a_hundred_flows_windows_are_below_one_packet),
        cmocka_unit_test(an_incast_of_a_hundred_ends_as_soon_as_the_link_can),
        cmocka_unit_test(an_incast_survives_a_small_buffer),
        cmocka_unit_test(with_hold_unchanged_long_flows_keep_their_first_queue),
    };
    return cmocka_run_group_tests_name("prop/swift", tests, NULL, NULL);
}
