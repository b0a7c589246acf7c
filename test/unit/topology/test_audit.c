/* test/unit/topology/test_audit.c - tiers, equal paths and unlike directions of networks whose answers can be told by hand. */
#include "test/unit/topology/graph_fixture.h"
#include "topology/audit.h"

static struct weir_topology topo;
static struct weir_routes routes;
static struct weir_audit audit;

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

static void look(void)
{
    struct weir_err err;
    assert_int_equal(weir_audit(&audit, &topo, &routes, &err), 0);
}

static void a_leaf_spine_has_a_path_by_each_spine(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.core_link_bps = 100 * GBPS;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.tier_count, 2);
    assert_int_equal(audit.tier[1].switches, 9);
    assert_int_equal(audit.tier[1].hosts, 144);
    assert_int_equal(audit.tier[1].cables_down, 144);
    assert_int_equal(audit.tier[1].cables_up, 36);
    assert_int_equal(audit.tier[1].cables_across, 0);
    assert_true(audit.tier[1].down_bps == 14400 * GBPS && audit.tier[1].up_bps == 3600 * GBPS);
    assert_int_equal(audit.tier[1].worst, topo.host_count);
    assert_true(audit.tier[1].worst_down_bps == 1600 * GBPS && audit.tier[1].worst_up_bps == 400 * GBPS);
    assert_int_equal(audit.tier[2].worst, UINT32_MAX);
    assert_int_equal(audit.cables, 180);
    assert_int_equal(audit.cables_unlike_rate + audit.cables_unlike_delay, 0);
    assert_int_equal(audit.pairs, 36);
    assert_int_equal(audit.pairs_cut, 0);
    assert_int_equal(audit.unlike_any, 0);
    assert_int_equal(audit.fewest.out.count, 4);
    assert_int_equal(audit.most.out.count, 4);
    assert_int_equal(audit.longest.out.links_max, 4);
    assert_int_equal(audit.longest.out.delay_min_ps, 3500 * WEIR_PS_PER_NS);
    assert_int_equal(audit.longest.out.delay_max_ps, 3500 * WEIR_PS_PER_NS);
    assert_true(audit.longest.out.rate_min_bps == 100 * GBPS);
    assert_int_equal(audit.longest.src, 0);
    assert_int_equal(audit.longest.dst, 16);
}

static void in_a_fat_tree_pods_have_fewer_paths_than_the_core(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.tier_count, 3);
    assert_int_equal(audit.fewest.out.count, 2);
    assert_int_equal(audit.most.out.count, 4);
    assert_int_equal(audit.longest.out.links_max, 6);
    assert_int_equal(audit.tier[2].cables_up, 16);
}

static void one_switch_has_no_pairs(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.pairs, 0);
    assert_int_equal(audit.longest.src, UINT32_MAX);
    assert_int_equal(audit.tier[1].worst, UINT32_MAX);
}

/* Two racks, joined by three parallel cables and a detour: links across a tier count as up, and the slowest link is found. */
static void parallel_cables_are_equal_paths(void **state)
{
    (void)state;
    begin_graph(3, 3);
    join(0, sw(0));
    join(1, sw(0));
    join(2, sw(1));
    for (int i = 0; i < 3; i++)
        join_unlike(sw(0), sw(1), 5, 2000, 5, 2000);
    join(sw(0), sw(2));
    join(sw(1), sw(2));
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.most.out.count, 3);
    assert_true(audit.most.out.rate_min_bps == 5 * GBPS);
    assert_int_equal(audit.most.out.delay_max_ps, 4 * WEIR_PS_PER_US);
    assert_int_equal(audit.tier[1].cables_across, 6);
    assert_int_equal(audit.tier[1].worst, sw(0)); /* 20 for 25 Gb/s there, 10 for 25 at the other */
    assert_true(audit.tier[1].worst_down_bps == 20 * GBPS && audit.tier[1].worst_up_bps == 25 * GBPS);
    assert_int_equal(audit.unlike_any, 0);
}

/* By delay there are two equal ways there, and one of them is shorter back, with more links and a slower one. */
static void directions_that_differ_are_found_by_what_differs(void **state)
{
    (void)state;
    begin_graph(2, 4);
    join(0, sw(0));
    join(1, sw(1));
    join_unlike(sw(0), sw(1), 10, 3000, 10, 9000);
    join_unlike(sw(0), sw(2), 10, 1000, 10, 1000);
    join_unlike(sw(2), sw(3), 10, 1000, 10, 500);
    join_unlike(sw(3), sw(1), 10, 1000, 2, 1000);
    build_graph(&topo);
    route_by_delay(&routes, &topo);
    look();
    assert_int_equal(audit.pairs, 1);
    assert_int_equal(audit.unlike_any, 1);
    for (int i = 0; i < WEIR_UNLIKE_KINDS; i++)
        assert_int_equal(audit.unlike[i], 1);
    assert_int_equal(audit.first_unlike.src, 0);
    assert_int_equal(audit.first_unlike.dst, 1);
    assert_int_equal(audit.first_unlike.out.count, 2);
    assert_int_equal(audit.first_unlike.out.links_min, 3);
    assert_int_equal(audit.first_unlike.out.links_max, 5);
    assert_int_equal(audit.first_unlike.back.count, 1);
    assert_int_equal(audit.first_unlike.back.delay_min_ps, 4500 * WEIR_PS_PER_NS);
    assert_true(audit.first_unlike.back.rate_min_bps == 2 * GBPS);
    assert_int_equal(audit.cables_unlike_rate, 1);
    assert_int_equal(audit.cables_unlike_delay, 2);
}

static void pairs_without_a_path_are_counted(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    build(&topo, &cfg);
    for (uint32_t spine = 0; spine < 4; spine++)
        set_cable(&topo, topo.host_count, topo.host_count + 9 + spine, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.pairs_cut, 8);
    assert_int_equal(audit.longest.src, 16);
}

/* More first-hop switches than are compared: a star of them, one host each. */
static void of_many_switches_some_are_compared(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.hosts = cfg.racks = 2000;
    cfg.spines = 1;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.edges, WEIR_AUDIT_EDGES_MAX);
    assert_int_equal(audit.pairs, WEIR_AUDIT_EDGES_MAX * (WEIR_AUDIT_EDGES_MAX - 1) / 2);
    assert_int_equal(audit.longest.dst, 2000 / WEIR_AUDIT_EDGES_MAX);
}

/* 16 hosts at each of 9 leaves: 16 x 15 ordered pairs of a leaf have 2 links, 144 x 128 others 4: 4320 + 73728. Hosts 0
 * to 71 are at leaves 0 to 4; the hosts of leaf 4 are of both halves. So the cut is the cables of leaves 5 to 8. */
static void hops_rates_ports_and_bisection_of_a_leaf_spine(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.host_pairs, 144 * 143);
    assert_int_equal(audit.host_links, 9 * 16 * 15 * 2 + 144 * 128 * 4);
    assert_int_equal(audit.host_links_min, 2);
    assert_int_equal(audit.host_links_max, 4);
    assert_int_equal(audit.rates, 2);
    assert_true(audit.rate[0].rate_bps == 100 * GBPS && audit.rate[0].cables == 144);
    assert_true(audit.rate[1].rate_bps == 400 * GBPS && audit.rate[1].cables == 36);
    assert_int_equal(audit.ports_min, 9);  /* a spine */
    assert_int_equal(audit.ports_max, 20); /* a leaf: 16 hosts, 4 spines */
    assert_true(audit.bisection_bps == 4 * 4 * 400 * GBPS);
}

/* Halves of an 8 x 4 x 2 torus, whose hosts are numbered with the last dimension slowest: the cut crosses the dimension
 * of two, with 32 cables. Of 4 x 8: 2 x 4 cables, as a ring is cut twice. From a switch the others of a ring of 8 are
 * 1, 1, 2, 2, 3, 3 and 4 steps away, of a ring of 4 that is 1, 1 and 2: 32 x (4 x 16 + 8 x 4) steps. */
static void hops_and_bisection_of_a_torus(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_TORUS);
    (void)state;
    cfg.hosts = 1;
    cfg.dims = (struct weir_number_list){ { 8, 4, 2 }, 3 };
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_true(audit.bisection_bps == 32 * 400 * GBPS);
    assert_int_equal(audit.ports_max, 1 + 5);
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    cfg.dims = (struct weir_number_list){ { 4, 8 }, 2 };
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_true(audit.bisection_bps == 8 * 400 * GBPS);
    assert_int_equal(audit.host_links_min, 3);
    assert_int_equal(audit.host_links_max, 2 + 2 + 4);
    assert_int_equal(audit.host_pairs, 32 * 31);
    assert_int_equal(audit.host_links, 32 * 31 * 2 + 32 * (4 * 16 + 8 * 4));
}

/* 9 groups of 4 switches: hosts 0 to 35 are at switches 0 to 17, which are groups 0 to 3 and half of group 4. Between 4
 * groups and 4 others are 16 cables. Switches 16 and 17 of group 4 are of the first half: they have 2 x 2 cables within
 * the group, and 4 global ones: to groups 0 .. 3. Switches 18 and 19 have those to groups 5 .. 8. */
static void the_bisection_of_a_dragonfly_is_its_global_cables_and_half_a_group(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_DRAGONFLY);
    (void)state;
    cfg.groups = 9, cfg.switches = 4, cfg.global_links = 2, cfg.hosts = 2;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_true(audit.bisection_bps == (16 + 4) * 400 * GBPS);
}

/* One switch has no cut. Of a fat-tree of k = 4 each half is two pods; 4 core switches with 2 cables to each half. A
 * chain is cut in its middle, where the flow has one link. */
static void a_star_has_no_bisection_and_a_chain_one_link(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_true(audit.bisection_bps == 0);
    assert_int_equal(audit.host_links, 144 * 143 * 2);
    assert_int_equal(audit.host_links_max, 2);
    for (int i = 0; i < 2; i++) {
        weir_routes_free(&routes);
        weir_topology_free(&topo);
        cfg = config_of(i == 0 ? WEIR_FAT_TREE : WEIR_CHAIN);
        build(&topo, &cfg);
        route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
        look();
        assert_true(audit.bisection_bps == (i == 0 ? 8 : 1) * 400 * GBPS);
    }
}

/* A flow that must be taken back: a - b - d and a - c - d have one link each, and the search may first take a - b - c -
 * d if that is as short. Here the shortest way from the first half, h0 at s0, to the last, h1 at s5, is s0 s1 s4 s5; it
 * blocks both longer ways s0 s1 s2 s3 s5 and s0 s6 s7 s4 s5, unless the flow on s1 s4 goes back. */
static void a_flow_that_blocks_two_others_is_taken_back(void **state)
{
    static const uint32_t ends[][2] = { { 2, 3 }, { 3, 6 }, { 6, 7 }, { 3, 4 }, { 4, 5 },
                                        { 5, 7 }, { 2, 8 }, { 8, 9 }, { 9, 6 } };
    struct weir_cable cable[2 + 9];
    char name[10][WEIR_NODE_NAME];
    struct weir_graph graph = { .host_count = 2, .switch_count = 8, .cable_count = 11, .name = name, .cable = cable };
    struct weir_err err;
    uint64_t bps;
    (void)state;
    for (uint32_t n = 0; n < 10; n++)
        (void)snprintf(name[n], sizeof(name[n]), "n%u", (unsigned)n);
    cable[0] = weir_cable_of(0, 2, 10 * GBPS, 1000);
    cable[1] = weir_cable_of(1, 7, 10 * GBPS, 1000);
    for (uint32_t i = 0; i < 9; i++)
        cable[2 + i] = weir_cable_of(ends[i][0], ends[i][1], 10 * GBPS, 1000);
    assert_int_equal(weir_graph_build(&topo, &graph, &err), 0);
    assert_int_equal(weir_bisection(&topo, &bps, &err), 0);
    assert_true(bps == 20 * GBPS);
}

/* Two hosts, each with a NIC to either switch: both lead there, one 2 us away and one 6. All NICs are in the cut. */
static void ways_by_several_nics_are_equal_paths(void **state)
{
    (void)state;
    begin_graph(2, 2);
    for (uint32_t h = 0; h < 2; h++) {
        join(h, sw(0));
        join_unlike(h, sw(1), 5, 3000, 5, 3000);
    }
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.edges, 2);
    assert_int_equal(audit.pairs, 1);
    assert_int_equal(audit.fewest.out.count, 2);
    assert_int_equal(audit.fewest.out.links_max, 2);
    assert_int_equal(audit.fewest.out.delay_min_ps, 2 * WEIR_PS_PER_US);
    assert_int_equal(audit.fewest.out.delay_max_ps, 6 * WEIR_PS_PER_US);
    assert_true(audit.fewest.out.rate_min_bps == 5 * GBPS);
    assert_int_equal(audit.unlike_any, 0);
    assert_int_equal(audit.host_pairs, 2);
    assert_int_equal(audit.host_links, 2 * 2);
    assert_true(audit.bisection_bps == 15 * GBPS);
    assert_int_equal(audit.nics_min, 2);
    assert_int_equal(audit.nics_max, 2);
    assert_int_equal(audit.nic_rates, 2);
    assert_true(audit.nic_rate[0].rate_bps == 5 * GBPS && audit.nic_rate[0].cables == 2);
    assert_true(audit.nic_rate[1].rate_bps == 10 * GBPS && audit.nic_rate[1].cables == 2);
}

/* Of the 12 ordered pairs of 4 hosts 4 are of a server and 4 of a rail, two links apart; 4 are of neither, and have a
 * leaf, the spine and a leaf between them. The switches of the servers join no halves, and do not count in what the
 * leaves have above: 2 x 20 for 2 x 10 Gb/s. */
static void servers_and_rails(void **state)
{
    const struct weir_audit_tier *tier = &audit.tier[1];
    (void)state;
    begin_servers(2);
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.edges, 4);
    assert_int_equal(audit.pairs, 6);
    assert_int_equal(audit.host_pairs, 12);
    assert_int_equal(audit.host_links, 8 * 2 + 4 * 4);
    assert_int_equal(audit.host_links_min, 2);
    assert_int_equal(audit.host_links_max, 4);
    assert_int_equal(audit.longest.src, 0);
    assert_int_equal(audit.longest.dst, 3);
    assert_int_equal(audit.longest.out.delay_max_ps, 4 * WEIR_PS_PER_US);
    assert_int_equal(audit.most.out.count, 1);
    assert_int_equal(audit.unlike_any, 0);
    assert_true(audit.bisection_bps == 20 * GBPS);
    assert_int_equal(tier->switches, 4);
    assert_int_equal(tier->hosts, 4);
    assert_int_equal(tier->alone, 2);
    assert_int_equal(tier->cables_down, 8);
    assert_int_equal(tier->cables_up, 2);
    assert_true(tier->down_bps == 440 * GBPS && tier->over_bps == 40 * GBPS && tier->up_bps == 20 * GBPS);
    assert_int_equal(tier->worst, sw(2));
    assert_true(tier->worst_down_bps == 20 * GBPS && tier->worst_up_bps == 10 * GBPS);
    assert_int_equal(audit.tier[2].hosts, 0);
}

/* Six cables join each two of four hosts; four of them cross the halves. */
static void hosts_without_a_switch(void **state)
{
    (void)state;
    begin_graph(4, 0);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t b = a + 1; b < 4; b++)
            join(a, b);
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.tier_count, 0);
    assert_int_equal(audit.cables, 6);
    assert_int_equal(audit.host_pairs, 12);
    assert_int_equal(audit.host_links, 12);
    assert_int_equal(audit.longest.out.links_max, 1);
    assert_true(audit.longest.out.rate_min_bps == 10 * GBPS);
    assert_int_equal(audit.pairs_cut, 0);
    assert_true(audit.bisection_bps == 4 * 10 * GBPS);
    assert_int_equal(audit.nics_max, 3);
}

/* A switch and a cable of 10 Gb/s between the halves, of which h0 .. h1 is the first: h0 has one NIC, h1 two. What h2 gets
 * by the switch is at most its NIC's rate, however much the first half can send. */
static void a_bisection_has_switches_cables_and_nics(void **state)
{
    (void)state;
    begin_graph(3, 1);
    for (uint32_t h = 0; h < 3; h++)
        join(h, sw(0));
    join(1, 2);
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_true(audit.bisection_bps == 20 * GBPS);
    assert_int_equal(audit.nics_min, 1);
    assert_int_equal(audit.host_links_min, 1);
    assert_int_equal(audit.host_links, 2 * 1 + 4 * 2);
}

/* Two hosts and their cable are a network, too: of one NIC each, and without a switch. */
static void two_hosts_and_a_cable(void **state)
{
    (void)state;
    begin_graph(2, 0);
    join(0, 1);
    build_graph(&topo);
    assert_true(weir_topology_has_nics(&topo));
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.host_links_max, 1);
    assert_true(audit.bisection_bps == 10 * GBPS);
    assert_int_equal(weir_route_links_max(&routes, &topo), 1);
}

/* 1096 hosts at two switches: 72 of them are left out. Each half has 548 x 2 NICs. */
static void of_many_hosts_with_nics_some_are_compared(void **state)
{
    (void)state;
    begin_graph(1096, 2);
    for (uint32_t h = 0; h < 1096; h++) {
        join(h, sw(0));
        join(h, sw(1));
    }
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    look();
    assert_int_equal(audit.edges, WEIR_AUDIT_EDGES_MAX);
    assert_int_equal(audit.pairs, WEIR_AUDIT_EDGES_MAX * (WEIR_AUDIT_EDGES_MAX - 1) / 2);
    assert_int_equal(audit.host_links, 2 * audit.host_pairs);
    assert_true(audit.bisection_bps == 548 * 20 * GBPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_leaf_spine_has_a_path_by_each_spine, teardown),
        cmocka_unit_test_teardown(in_a_fat_tree_pods_have_fewer_paths_than_the_core, teardown),
        cmocka_unit_test_teardown(one_switch_has_no_pairs, teardown),
        cmocka_unit_test_teardown(parallel_cables_are_equal_paths, teardown),
        cmocka_unit_test_teardown(directions_that_differ_are_found_by_what_differs, teardown),
        cmocka_unit_test_teardown(pairs_without_a_path_are_counted, teardown),
        cmocka_unit_test_teardown(of_many_switches_some_are_compared, teardown),
        cmocka_unit_test_teardown(hops_rates_ports_and_bisection_of_a_leaf_spine, teardown),
        cmocka_unit_test_teardown(hops_and_bisection_of_a_torus, teardown),
        cmocka_unit_test_teardown(the_bisection_of_a_dragonfly_is_its_global_cables_and_half_a_group, teardown),
        cmocka_unit_test_teardown(a_star_has_no_bisection_and_a_chain_one_link, teardown),
        cmocka_unit_test_teardown(a_flow_that_blocks_two_others_is_taken_back, teardown),
        cmocka_unit_test_teardown(ways_by_several_nics_are_equal_paths, teardown),
        cmocka_unit_test_teardown(servers_and_rails, teardown),
        cmocka_unit_test_teardown(hosts_without_a_switch, teardown),
        cmocka_unit_test_teardown(a_bisection_has_switches_cables_and_nics, teardown),
        cmocka_unit_test_teardown(two_hosts_and_a_cable, teardown),
        cmocka_unit_test_teardown(of_many_hosts_with_nics_some_are_compared, teardown),
    };
    return cmocka_run_group_tests_name("topology/audit", tests, NULL, NULL);
}
