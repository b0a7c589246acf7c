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
    };
    return cmocka_run_group_tests_name("topology/audit", tests, NULL, NULL);
}
