/* test/unit/solve/test_network.c - which links a flow crosses, and the allocation on whole networks. */
#include "test/unit/topology/graph_fixture.h"
#include "solve/network.h"
#include "topology/plan.h"
#include <math.h>
#include <stdlib.h>

static struct weir_topology topo;
static struct weir_routes routes;
static struct weir_network net;
static struct weir_nics nics; /* all zero: every host has one NIC */

static void begin(enum weir_topology_kind kind, uint32_t k)
{
    struct weir_topology_config cfg = config_of(kind);
    cfg.k = k;
    if (kind == WEIR_FAT_TREE)
        cfg.core_link_bps = cfg.host_link_bps;
    build(&topo, &cfg);
}

static int end(void **state)
{
    (void)state;
    weir_network_free(&net);
    weir_nics_free(&nics);
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

static void find(const struct weir_network_flow *flow, uint32_t count, bool spray, double part)
{
    struct weir_err err = { 0 };
    if (weir_network_build(&net, &topo, &routes, nics.topo != NULL ? &nics : NULL, spray, part, flow, count, &err) != 0)
        fail_msg("%s", err.text);
}

static void solve(double *rate, uint32_t *bottleneck)
{
    struct weir_maxmin_problem p = weir_network_problem(&net);
    struct weir_err err = { 0 };
    if (weir_maxmin_solve(&p, rate, bottleneck, &err) != 0)
        fail_msg("%s", err.text);
}

static void a_flow_takes_the_path_of_its_packets(void **state)
{
    struct weir_network_flow flow[64];
    (void)state;
    begin(WEIR_FAT_TREE, 4);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 9);
    for (uint32_t i = 0; i < 64; i++)
        flow[i] = (struct weir_network_flow){
            .weight = i + 1, .src = i % 16, .dst = (i + 1 + i / 16) % 16, .hash = weir_mix_u32(i)
        };
    find(flow, 64, false, 1);
    for (uint32_t i = 0; i < 64; i++) {
        struct weir_route_path path;
        assert_true(weir_route_path(&routes, &topo, flow[i].src, flow[i].dst, flow[i].hash, &path));
        assert_int_equal(net.first[i + 1] - net.first[i], path.count);
        assert_memory_equal(&net.link[net.first[i]], path.link, path.count * sizeof(path.link[0]));
        assert_true(fabs(net.weight[i] - (i + 1)) <= 0);
    }
    assert_null(net.share);
}

/* From pod to pod of a fat-tree with k = 4: 1 host link, 2 edge, 4 aggregation, and the same down again. */
static void spraying_splits_evenly(void **state)
{
    static const uint32_t links[] = { 1, 2, 4, 4, 2, 1 };
    const struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 15 };
    uint32_t u = 0;
    (void)state;
    begin(WEIR_FAT_TREE, 4);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
    find(&flow, 1, true, 1);
    assert_int_equal(net.first[1], 14);
    for (uint32_t layer = 0; layer < 6; layer++)
        for (uint32_t i = 0; i < links[layer]; i++, u++)
            assert_true(fabs(net.share[u] - 1.0 / links[layer]) < 1e-15);
    assert_int_equal(net.link[0], topo.node[0].first_out);
    assert_int_equal(topo.link[net.link[13]].dst, 15);
}

static void spraying_within_a_rack_and_a_pod(void **state)
{
    const struct weir_network_flow flow[2] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 1, .src = 0, .dst = 3 } };
    (void)state;
    begin(WEIR_FAT_TREE, 4);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
    find(flow, 2, true, 1);
    assert_int_equal(net.first[1], 2);
    assert_int_equal(net.first[2] - net.first[1], 6); /* up over both aggregation switches, and down */
}

/* Hosts 0 and 1 at switches 2 and 3; a direct cable of 2 us, and one link of 1 us to switch 4 and one from there. Half of the
 * flow reaches switch 3 after one link and half after two; the last link takes both. */
static void spraying_by_delay_adds_up_over_paths_of_unlike_lengths(void **state)
{
    const struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 1 };
    struct weir_cable cable[] = { weir_cable_of(0, 2, GBPS, 1), weir_cable_of(1, 3, GBPS, 1),
                                  weir_cable_of(2, 3, GBPS, 2000000), weir_cable_of(2, 4, GBPS, 1000000),
                                  weir_cable_of(4, 3, GBPS, 1000000) };
    struct weir_plan plan = { .shape = { { 2, 3 }, 5 }, .cable = cable, .laid = 5 };
    double share[10] = { 0 }, rate;
    uint32_t bottleneck;
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    route_by_delay(&routes, &topo);
    find(&flow, 1, true, 1);
    for (uint32_t u = 0; u < net.first[1]; u++)
        share[net.link[u]] += net.share[u];
    assert_true(fabs(share[link_between(&topo, 0, 2)] - 1) < 1e-15);
    assert_true(fabs(share[link_between(&topo, 2, 3)] - 0.5) < 1e-15);
    assert_true(fabs(share[link_between(&topo, 2, 4)] - 0.5) < 1e-15);
    assert_true(fabs(share[link_between(&topo, 4, 3)] - 0.5) < 1e-15);
    assert_true(fabs(share[link_between(&topo, 3, 1)] - 1) < 1e-15);
    solve(&rate, &bottleneck);
    assert_true(fabs(rate - 1e9) < 1e-3);
}

/* Without blocking, spraying lets a permutation have all of every host link. */
static void a_sprayed_permutation_has_full_links(void **state)
{
    struct weir_network_flow flow[128];
    double rate[128];
    (void)state;
    begin(WEIR_FAT_TREE, 8);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
    for (uint32_t i = 0; i < 128; i++)
        flow[i] = (struct weir_network_flow){ .weight = 1 + i % 7, .src = i, .dst = (i + 37) % 128 };
    find(flow, 128, true, 1);
    solve(rate, NULL);
    for (uint32_t i = 0; i < 128; i++)
        assert_true(fabs(rate[i] - 1e11) < 1e-3);
}

static void capacity_is_the_part_that_is_shared(void **state)
{
    const struct weir_network_flow flow = { .weight = 3, .src = 0, .dst = 143 };
    double rate;
    uint32_t bottleneck;
    (void)state;
    begin(WEIR_LEAF_SPINE, 0);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    find(&flow, 1, false, 0.9);
    solve(&rate, &bottleneck);
    assert_true(fabs(rate - 9e10) < 1e-3);
    assert_int_equal(bottleneck, net.link[0]);
}

static void a_rack_that_is_cut_off_gets_nothing(void **state)
{
    const struct weir_network_flow flow[2] = { { .weight = 1, .src = 0, .dst = 16 },
                                               { .weight = 1, .src = 0, .dst = 1 } };
    double rate[2];
    uint32_t bottleneck[2];
    (void)state;
    begin(WEIR_LEAF_SPINE, 0);
    for (uint32_t spine = 0; spine < 4; spine++) /* 16 hosts a rack: leaf 1 is node 145, spines begin at 153 */
        set_cable(&topo, 145, 153 + spine, false);
    for (int spray = 0; spray < 2; spray++) {
        route(&routes, &topo, spray ? WEIR_ROUTE_SPRAY : WEIR_ROUTE_ECMP, 1);
        find(flow, 2, spray, 1);
        assert_int_equal(net.lost_count, 1);
        solve(rate, bottleneck);
        assert_true(fabs(rate[0]) <= 0);
        assert_int_equal(bottleneck[0], WEIR_MAXMIN_NONE);
        assert_true(fabs(rate[1] - 1e11) < 1e-3);
        if (spray == 0) {
            weir_network_free(&net);
            weir_routes_free(&routes);
        }
    }
}

static void a_host_whose_cable_is_down_gets_nothing(void **state)
{
    const struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 1 };
    double rate;
    uint32_t bottleneck;
    (void)state;
    begin(WEIR_LEAF_SPINE, 0);
    set_cable(&topo, 1, 144, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    find(&flow, 1, false, 1);
    solve(&rate, &bottleneck);
    assert_true(fabs(rate) <= 0);
    assert_int_equal(topo.link[bottleneck].dst, 1);
}

/* Weights over two decades: every one of a hundred thousand flows has its bottleneck. */
static void every_flow_of_a_large_network_has_a_bottleneck(void **state)
{
    enum { FLOWS = 100000, HOSTS = 1024 };
    uint64_t key = weir_rng_key(7, 0, WEIR_RNG_TEST, 0);
    struct weir_network_flow *flow = calloc(FLOWS, sizeof(*flow));
    double *rate = calloc(FLOWS, sizeof(*rate)), gap = INFINITY;
    struct weir_err err;
    (void)state;
    assert_non_null(flow);
    assert_non_null(rate);
    begin(WEIR_FAT_TREE, 16);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    for (uint64_t i = 0; i < FLOWS; i++) {
        uint32_t src = weir_rng_below(weir_rng_at(key, 4 * i), HOSTS);
        uint32_t dst = weir_rng_below(weir_rng_at(key, 4 * i + 1), HOSTS - 1);
        flow[i] = (struct weir_network_flow){ .weight = pow(
                                                  10, (double)weir_rng_below(weir_rng_at(key, 4 * i + 2), 1000) / 500),
                                              .src = src,
                                              .dst = dst + (dst >= src),
                                              .hash = (uint32_t)weir_rng_at(key, 4 * i + 3) };
    }
    find(flow, FLOWS, false, 1);
    solve(rate, NULL);
    struct weir_maxmin_problem p = weir_network_problem(&net);
    assert_int_equal(weir_maxmin_gap(&p, rate, &gap, &err), 0);
    free(flow);
    free(rate);
    assert_true(gap < 1e-12);
}

/* Builds the graph of the rig, and what its hosts choose. */
static void begin_nics(enum weir_nic_choice choice, enum weir_routing routing)
{
    struct weir_err err = { 0 };
    build_graph(&topo);
    route(&routes, &topo, routing, 1);
    if (weir_nics_build(&nics, &topo, routing, choice, 7, &err) != 0)
        fail_msg("%s", err.text);
}

/* Returns the part of a flow on the link between two nodes. */
static double part_on(uint32_t f, uint32_t a, uint32_t b)
{
    double part = 0;
    for (uint32_t u = net.first[f]; u < net.first[f + 1]; u++)
        part += net.link[u] == link_between(&topo, a, b) ? net.share[u] : 0;
    return part;
}

static void begin_planes(void)
{
    begin_graph(2, 2);
    for (uint32_t h = 0; h < 2; h++) {
        join(h, sw(0));
        join(h, sw(1));
    }
}

/* Two planes of 10 Gb/s. A flow that keeps to one NIC has one link of them, one that is spread has both, half on each. */
static void a_flow_takes_the_nics_of_its_transport(void **state)
{
    struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 1 };
    double rate;
    (void)state;
    begin_planes();
    begin_nics(WEIR_NICS_RAIL, WEIR_ROUTE_ECMP);
    flow.transport = 1;
    find(&flow, 1, false, 1);
    assert_int_equal(net.first[1], 2);
    assert_true(fabs(part_on(0, 0, sw(1)) - 1) < 1e-15);
    assert_true(fabs(part_on(0, sw(1), 1) - 1) < 1e-15);
    solve(&rate, NULL);
    assert_true(fabs(rate - 10e9) < 1e-3);
    (void)end(state);
    begin_planes();
    begin_nics(WEIR_NICS_SPRAY, WEIR_ROUTE_ECMP);
    flow.transport = 0;
    find(&flow, 1, false, 1);
    assert_int_equal(net.first[1], 4);
    assert_true(fabs(part_on(0, 0, sw(0)) - 0.5) < 1e-15);
    assert_true(fabs(part_on(0, sw(1), 1) - 0.5) < 1e-15);
    solve(&rate, NULL);
    assert_true(fabs(rate - 20e9) < 1e-3);
}

/* Plane 0 has no cable to host 1 any more: what is spread has plane 1 alone, and a rail that leads nowhere nothing. */
static void a_nic_that_leads_nowhere_is_left_out(void **state)
{
    const struct weir_network_flow flow = { .weight = 1, .src = 0, .dst = 1 };
    static const enum weir_nic_choice choice[] = { WEIR_NICS_SPRAY, WEIR_NICS_RAIL };
    double rate;
    for (uint32_t i = 0; i < 2; i++) {
        begin_planes();
        build_graph(&topo);
        assert_int_equal(weir_nics_build(&nics, &topo, WEIR_ROUTE_ECMP, choice[i], 7, &(struct weir_err){ 0 }), 0);
        set_cable(&topo, 1, sw(0), false);
        route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
        find(&flow, 1, false, 1);
        solve(&rate, NULL);
        assert_int_equal(net.lost_count, i);
        assert_true(fabs(rate - (i == 0 ? 10e9 : 0)) < 1e-3);
        if (i == 0)
            assert_true(fabs(part_on(0, 0, sw(1)) - 1) < 1e-15);
        (void)end(state);
    }
}

/* Servers of two. A flow of a server takes its switch, one of a rail the leaf, and one of neither goes by the spine. All
 * leave by the NIC that is on the shortest way, so the two to other servers share 10 Gb/s. */
static void flows_take_the_nic_that_is_nearest(void **state)
{
    const struct weir_network_flow flow[3] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 1, .src = 0, .dst = 2, .transport = 1 },
                                               { .weight = 1, .src = 0, .dst = 3, .transport = 1 } };
    double rate[3];
    (void)state;
    for (int spray = 0; spray < 2; spray++) {
        begin_servers(2);
        begin_nics(spray ? WEIR_NICS_SPRAY : WEIR_NICS_FLOW_HASH, spray ? WEIR_ROUTE_SPRAY : WEIR_ROUTE_ECMP);
        find(flow, 3, spray, 1);
        assert_int_equal(net.first[1], 2);
        assert_int_equal(net.first[2] - net.first[1], 2);
        assert_int_equal(net.first[3] - net.first[2], 4);
        assert_true(fabs(part_on(0, 0, sw(0)) - 1) < 1e-15);
        assert_true(fabs(part_on(1, sw(2), 2) - 1) < 1e-15);
        assert_true(fabs(part_on(2, sw(4), sw(3)) - 1) < 1e-15);
        solve(rate, NULL);
        assert_true(fabs(rate[0] - 100e9) < 1e-3);
        assert_true(fabs(rate[1] - 5e9) < 1e-3 && fabs(rate[2] - 5e9) < 1e-3);
        (void)end(state);
    }
}

/* Without a switch a flow is on the one cable to its destination. With two cables to it half is on each. */
static void a_cable_to_another_host_is_a_path(void **state)
{
    const struct weir_network_flow flow[2] = { { .weight = 1, .src = 0, .dst = 1 },
                                               { .weight = 1, .src = 2, .dst = 0 } };
    double rate[2];
    (void)state;
    begin_graph(3, 0);
    join(0, 1);
    join(0, 1);
    join(0, 2);
    join(1, 2);
    begin_nics(WEIR_NICS_SPRAY, WEIR_ROUTE_ECMP);
    find(flow, 2, false, 1);
    assert_int_equal(net.first[1], 2);
    assert_int_equal(net.first[2] - net.first[1], 1);
    assert_true(fabs(net.share[0] - 0.5) < 1e-15);
    solve(rate, NULL);
    assert_true(fabs(rate[0] - 20e9) < 1e-3 && fabs(rate[1] - 10e9) < 1e-3);
}

#define TEST(f) cmocka_unit_test_teardown(f, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_flow_takes_the_path_of_its_packets),
        TEST(spraying_splits_evenly),
        TEST(spraying_by_delay_adds_up_over_paths_of_unlike_lengths),
        TEST(spraying_within_a_rack_and_a_pod),
        TEST(a_sprayed_permutation_has_full_links),
        TEST(capacity_is_the_part_that_is_shared),
        TEST(a_rack_that_is_cut_off_gets_nothing),
        TEST(a_host_whose_cable_is_down_gets_nothing),
        TEST(every_flow_of_a_large_network_has_a_bottleneck),
        TEST(a_flow_takes_the_nics_of_its_transport),
        TEST(a_nic_that_leads_nowhere_is_left_out),
        TEST(flows_take_the_nic_that_is_nearest),
        TEST(a_cable_to_another_host_is_a_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
