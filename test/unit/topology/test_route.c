/* test/unit/topology/test_route.c - the tables: which ports, which of them, and what happens when cables go down. */
#include "test/unit/refusal.h"
#include "test/unit/topology/topology_fixture.h"
#include "topology/plan.h"
#include <stdlib.h>

static struct weir_topology topo;
static struct weir_topology_config cfg;
static struct weir_routes routes;

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

static void build_and_route(enum weir_topology_kind kind, enum weir_routing routing)
{
    cfg = config_of(kind);
    build(&topo, &cfg);
    route(&routes, &topo, routing, 1);
}

static void reroute(void)
{
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
}

static uint32_t entry_of(uint32_t node, uint32_t dst)
{
    return weir_route_entry(&routes, node - topo.host_count, topo.edge_of[dst]);
}

/* The ports of one entry are exactly first .. first + count - 1. */
static void assert_ports(uint32_t node, uint32_t dst, uint32_t first, uint32_t count)
{
    uint32_t entry = entry_of(node, dst);
    assert_int_equal(entry >> WEIR_ROUTE_FIRST_BITS, count);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(routes.port[(entry & WEIR_ROUTE_FIRST_MASK) + i], first + i);
}

/* 70000 hosts, whose numbers have 17 bits: every port of a leaf is its host's, and the way from the first to the last
 * is host, leaf, spine, leaf, host. */
static void a_network_may_have_more_than_65535_hosts(void **state)
{
    struct weir_route_path path;
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    cfg.hosts = 70000, cfg.racks = 100, cfg.spines = 4;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    for (uint32_t h = 0; h < topo.host_count; h++)
        assert_int_equal(weir_route(&routes, topo.edge_node[h / 700], 0, h, h), h % 700);
    assert_true(weir_route_path(&routes, &topo, 0, 69999, 12345, &path));
    assert_int_equal(path.count, 4);
    assert_int_equal(topo.link[path.link[3]].dst, 69999);
}

static void a_leaf_sends_up_by_any_spine_and_down_by_one_port(void **state)
{
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    assert_ports(144, 143, 16, 4); /* leaf 0 to leaf 8: its four spines */
    assert_ports(153, 143, 8, 1);  /* spine 0: port 8 is leaf 8 */
    assert_ports(152, 143, 0, 0);  /* leaf 8 itself has no list by edge .. */
    for (uint32_t hash = 0; hash < 100; hash++)
        assert_int_equal(weir_route(&routes, 152, 0, 143, hash), 15); /* .. but a port for the host */
    assert_int_equal(routes.port_len, 1 + 4 + 16); /* 1: no way; to a host 0 to 15 alone, of which spines need 0 to 8 */
}

/* k = 4, host 15 in pod 3 on edge 23: edges have hosts on ports 0, 1 and aggregation on 2, 3. */
static void a_fat_tree_sends_up_twice_then_down_thrice(void **state)
{
    (void)state;
    build_and_route(WEIR_FAT_TREE, WEIR_ROUTE_ECMP);
    assert_ports(16, 15, 2, 2); /* edge 0: both of its pod */
    assert_ports(24, 15, 2, 2); /* agg 0: cores 0 and 1 */
    assert_ports(32, 15, 3, 1); /* core 0: pod 3 */
    assert_ports(30, 15, 1, 1); /* agg 0 of pod 3: its second edge */
    assert_ports(22, 15, 2, 2); /* the pod's other edge: up, though not to a core */
    assert_int_equal(weir_route(&routes, 23, 0, 15, 7), 1);
    assert_int_equal(routes.port_len, 1 + 2 + 4); /* one list of two, four of one */
}

static void a_star_has_a_port_for_each_host(void **state)
{
    (void)state;
    build_and_route(WEIR_STAR, WEIR_ROUTE_SPRAY);
    assert_int_equal(routes.port_len, 1 + 144);
    assert_int_equal(weir_route(&routes, 144, 0, 99, 5), 99);
}

/* Of every switch, and with a rack that is cut off. */
static void entries_by_host_and_by_edge_give_the_same_port(void **state)
{
    struct weir_routes by_edge;
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    for (uint32_t spine = 153; spine < 157; spine++)
        set_cable(&topo, 147, spine, false);
    reroute();
    by_edge = routes;
    by_edge.by_host = NULL;
    assert_non_null(routes.by_host);
    for (uint32_t sw = 144; sw < topo.node_count; sw++)
        for (uint32_t dst = 0; dst < 144; dst++)
            for (uint32_t i = 0; i < 8; i++)
                assert_int_equal(weir_route(&routes, sw, 0, dst, weir_mix_u32(i)),
                                 weir_route(&by_edge, sw, 0, dst, weir_mix_u32(i)));
}

static void large_networks_have_entries_by_edge_only(void **state)
{
    (void)state;
    cfg = config_of(WEIR_STAR);
    cfg.hosts = WEIR_ROUTE_BY_HOST_MAX + 1;
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_null(routes.by_host);
    assert_int_equal(routes.port_len, 1);
    assert_int_equal(weir_route(&routes, WEIR_ROUTE_BY_HOST_MAX + 1, 0, 99, 5), 99);
}

static void the_salted_hash_picks_the_port_by_the_high_bits_of_its_product(void **state)
{
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    for (uint32_t hash = 0; hash < 1000; hash++)
        assert_int_equal(weir_route(&routes, 144, 0, 143, hash),
                         16 + ((hash ^ routes.salt[0]) * UINT32_C(0x9e3779b1) >> 30));
}

static void a_leaf_avoids_a_spine_without_a_route(void **state)
{
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    set_cable(&topo, 152, 153, false); /* leaf 8 - spine 0 */
    reroute();
    assert_ports(144, 143, 17, 3);
    assert_ports(144, 127, 16, 4); /* to leaf 7 spine 0 is as good as ever */
    assert_ports(152, 0, 17, 3);
    assert_ports(153, 143, 0, 8); /* a packet caught at spine 0 may use any other leaf as a detour: two links more */
    set_cable(&topo, 152, 153, true);
    reroute();
    assert_ports(144, 143, 16, 4);
}

static void a_disconnected_rack_reaches_only_its_own_hosts(void **state)
{
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    for (uint32_t spine = 153; spine < 157; spine++)
        set_cable(&topo, 152, spine, false);
    reroute();
    for (uint32_t node = 144; node < 157; node++)
        assert_int_equal(weir_route(&routes, node, 0, 143, 3), node == 152 ? 15 : WEIR_ROUTE_PORT_NONE);
    assert_int_equal(weir_route(&routes, 152, 143, 0, 3), WEIR_ROUTE_PORT_NONE);
}

static void a_hosts_own_cable_does_not_affect_routes(void **state)
{
    (void)state;
    build_and_route(WEIR_LEAF_SPINE, WEIR_ROUTE_ECMP);
    set_cable(&topo, 143, 152, false);
    reroute();
    assert_int_equal(weir_route(&routes, 152, 0, 143, 3), 15);
    assert_ports(144, 143, 16, 4);
}

/* One direction is down: the other still carries. */
static void a_direction_that_is_down_is_not_used(void **state)
{
    (void)state;
    build_and_route(WEIR_DUMBBELL, WEIR_ROUTE_ECMP);
    topo.link[link_between(&topo, 144, 145)].up = false;
    reroute();
    assert_int_equal(weir_route(&routes, 144, 0, 143, 0), WEIR_ROUTE_PORT_NONE);
    assert_int_equal(weir_route(&routes, 145, 143, 0, 0), 72);
}

static void salts_are_per_switch_or_per_tier(void **state)
{
    (void)state;
    build_and_route(WEIR_FAT_TREE, WEIR_ROUTE_SPRAY);
    assert_int_equal(routes.salt[7], weir_rng_key(1, 7, WEIR_RNG_SWITCH_SALT, 0) >> 32);
    assert_int_not_equal(routes.salt[0], routes.salt[1]);
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 1);
    for (uint32_t sw = 0; sw < 20; sw++)
        assert_int_equal(routes.salt[sw], weir_rng_key(1, sw < 8 ? 1 : sw < 16 ? 2 : 3, WEIR_RNG_SWITCH_SALT, 1) >> 32);
    assert_int_not_equal(routes.salt[0], routes.salt[8]);
}

/* Fat-tree of 16, one pair of hosts in different pods, one draw per flow: 64 cores should share 64000 flows evenly.
 * Chi-square with 63 degrees of freedom has mean 63 and deviation 11.2; 120 is five deviations. */
static void every_core_gets_its_share(void **state)
{
    (void)state;
    cfg = config_of(WEIR_FAT_TREE);
    cfg.k = 16;
    build(&topo, &cfg);
    for (uint32_t trial = 0; trial < 12; trial++) {
        uint32_t flows[64] = { 0 };
        uint64_t squares = 0, key = weir_rng_key(trial, 0, WEIR_RNG_TEST, 0);
        route(&routes, &topo, (enum weir_routing)(trial % 3), trial);
        for (uint32_t i = 0; i < 64000; i++) {
            uint32_t edge = topo.edge_node[0], hash = (uint32_t)weir_rng_at(key, i), agg;
            agg = topo.link[topo.node[edge].first_out + weir_route(&routes, edge, 0, 1023, hash)].dst;
            flows[topo.link[topo.node[agg].first_out + weir_route(&routes, agg, 0, 1023, hash)].dst - (1024 + 256)]++;
        }
        for (uint32_t core = 0; core < 64; core++) {
            int64_t over = (int64_t)flows[core] - 1000;
            squares += (uint64_t)(over * over);
        }
        assert_in_range(squares / 1000, 20, 120);
        weir_routes_free(&routes);
    }
}

/* Hosts 0, 1, 2 at switches 3, 5, 6, and switch 4 without any. From 3 to 5 lead a direct cable of 5 us there and 1 us back, and
 * two links of 1 us each by way of 4 or of 6. */
static void build_shortcuts(void)
{
    enum { US = 1000000 };
    struct weir_cable cable[] = { weir_cable_of(0, 3, GBPS, 1),  weir_cable_of(1, 5, GBPS, 1),
                                  weir_cable_of(2, 6, GBPS, 1),  { 3, 5, GBPS, 5 * US, GBPS, 1 * US, 0 },
                                  weir_cable_of(3, 4, GBPS, US), weir_cable_of(4, 5, GBPS, US),
                                  weir_cable_of(3, 6, GBPS, US), weir_cable_of(6, 5, GBPS, US) };
    struct weir_plan plan = { .shape = { { 3, 4 }, 8 }, .cable = cable, .laid = 8 };
    struct weir_err err;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
}

/* The neighbours that switch `node` may send to on the way to host dst, in ascending order; 0 = no more. */
static void assert_next(uint32_t node, uint32_t dst, uint32_t first, uint32_t second)
{
    uint32_t entry = entry_of(node, dst), count = entry >> WEIR_ROUTE_FIRST_BITS, want[] = { first, second };
    assert_int_equal(count, (first != 0) + (second != 0));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t port = routes.port[(entry & WEIR_ROUTE_FIRST_MASK) + i];
        assert_int_equal(topo.link[topo.node[node].first_out + port].dst, want[i]);
    }
}

static void by_hops_the_direct_cable_is_taken_both_ways(void **state)
{
    (void)state;
    build_shortcuts();
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_next(3, 1, 5, 0);
    assert_next(5, 0, 3, 0);
    assert_next(4, 2, 3, 5); /* switch 4 is two links from switch 6 */
}

static void by_delay_two_short_links_beat_a_long_one_but_not_on_the_way_back(void **state)
{
    (void)state;
    build_shortcuts();
    route_by_delay(&routes, &topo);
    assert_next(3, 1, 4, 6);
    assert_next(4, 1, 5, 0);
    assert_next(6, 1, 5, 0);
    assert_next(5, 0, 3, 0);
    assert_next(4, 2, 3, 5);
    assert_next(5, 1, 0, 0); /* its own host: there is a port for that */
    assert_int_equal(weir_route(&routes, 5, 0, 1, 9), 0);
}

static void by_delay_routes_avoid_a_cable_that_is_down(void **state)
{
    (void)state;
    build_shortcuts();
    set_cable(&topo, 4, 5, false);
    route_by_delay(&routes, &topo);
    assert_next(3, 1, 6, 0);
    assert_next(4, 1, 3, 0);
    weir_routes_free(&routes);
    set_cable(&topo, 6, 5, false);
    route_by_delay(&routes, &topo);
    assert_next(3, 1, 5, 0);
    assert_next(6, 1, 3, 0);
}

/* Hosts 0 and 1 at both ends of 66 switches, 2 .. 67, in a row of 1 us links, and one cable of 1 ms that leads past the middle: by
 * delay the path has 67 links, one too many, by hops it has 4. */
static void a_path_of_least_delay_with_too_many_links_is_no_route(void **state)
{
    enum { ROW = 66, MS = 1000000000 };
    struct weir_cable cable[ROW + 2];
    struct weir_plan plan = { .shape = { { 2, ROW }, ROW + 2 }, .cable = cable, .laid = ROW + 2 };
    struct weir_err err;
    (void)state;
    cable[0] = weir_cable_of(0, 2, GBPS, 1);
    cable[1] = weir_cable_of(1, ROW + 1, GBPS, 1);
    for (uint32_t i = 0; i + 1 < ROW; i++)
        cable[2 + i] = weir_cable_of(2 + i, 3 + i, GBPS, 1000000);
    cable[ROW + 1] = weir_cable_of(2, ROW, GBPS, MS);
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    route_by_delay(&routes, &topo);
    assert_next(2, 1, 0, 0);
    assert_next(ROW + 1, 0, 0, 0);
    assert_next(3, 1, 4, 0); /* from the second switch on it is short enough */
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_next(2, 1, ROW, 0);
}

static void more_than_4095_equal_paths_are_refused(void **state)
{
    enum { PARALLEL = 4096 };
    struct weir_cable *cable = calloc(PARALLEL + 2, sizeof(*cable));
    struct weir_plan plan = { .shape = { { 2, 2 }, PARALLEL + 2 }, .cable = cable, .laid = PARALLEL + 2 };
    struct weir_err err;
    (void)state;
    assert_non_null(cable);
    for (uint32_t i = 0; i < PARALLEL + 2; i++)
        cable[i] = weir_cable_of(i < 2 ? i : 2, i < 2 ? 2 + i : 3, GBPS, 1);
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "4096");
    assert_null(routes.entry);
    weir_topology_free(&topo);
    plan.laid--;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(routes.entry[1] >> WEIR_ROUTE_FIRST_BITS, 4095);
    free(cable);
}

/* 80 racks, each on a random half of 1024 spines: any two share about 256, so the 6320 ordered pairs have different
 * lists, 1.6 million ports in all. */
static void port_lists_that_do_not_fit_are_refused(void **state)
{
    enum { RACKS = 80, SPINES = 1024 };
    struct weir_cable *cable = calloc(RACKS + RACKS * SPINES, sizeof(*cable));
    struct weir_plan plan = { .shape = { .tier = { RACKS, RACKS, SPINES } }, .cable = cable };
    struct weir_err err;
    (void)state;
    assert_non_null(cable);
    for (uint32_t leaf = 0; leaf < RACKS; leaf++) {
        cable[plan.laid++] = weir_cable_of(leaf, RACKS + leaf, GBPS, 1);
        for (uint32_t spine = 0; spine < SPINES; spine++)
            if (weir_rng_at(7, leaf * SPINES + spine) % 2 == 0)
                cable[plan.laid++] = weir_cable_of(RACKS + leaf, 2 * RACKS + spine, GBPS, 1);
    }
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "paths");
    assert_null(routes.port);
    free(cable);
}

static void a_table_that_is_too_large_is_refused(void **state)
{
    struct weir_err err;
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    cfg.hosts = cfg.racks = 8192, cfg.spines = 1;
    build(&topo, &cfg);
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_DELAY, 1, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "racks");
    assert_null(routes.entry);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1); /* in layers there is no such table */
    assert_int_equal(weir_route(&routes, 8192 + 8191, 8191, 0, 3), 1);
    assert_int_equal(weir_route(&routes, 2 * 8192, 8191, 4711, 3), 4711);
    weir_routes_free(&routes);
    set_cable(&topo, 8192, 2 * 8192, false); /* without a cable there is */
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "racks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_network_may_have_more_than_65535_hosts, teardown),
        cmocka_unit_test_teardown(a_leaf_sends_up_by_any_spine_and_down_by_one_port, teardown),
        cmocka_unit_test_teardown(a_fat_tree_sends_up_twice_then_down_thrice, teardown),
        cmocka_unit_test_teardown(a_star_has_a_port_for_each_host, teardown),
        cmocka_unit_test_teardown(entries_by_host_and_by_edge_give_the_same_port, teardown),
        cmocka_unit_test_teardown(large_networks_have_entries_by_edge_only, teardown),
        cmocka_unit_test_teardown(the_salted_hash_picks_the_port_by_the_high_bits_of_its_product, teardown),
        cmocka_unit_test_teardown(a_leaf_avoids_a_spine_without_a_route, teardown),
        cmocka_unit_test_teardown(a_disconnected_rack_reaches_only_its_own_hosts, teardown),
        cmocka_unit_test_teardown(a_hosts_own_cable_does_not_affect_routes, teardown),
        cmocka_unit_test_teardown(a_direction_that_is_down_is_not_used, teardown),
        cmocka_unit_test_teardown(salts_are_per_switch_or_per_tier, teardown),
        cmocka_unit_test_teardown(every_core_gets_its_share, teardown),
        cmocka_unit_test_teardown(by_hops_the_direct_cable_is_taken_both_ways, teardown),
        cmocka_unit_test_teardown(by_delay_two_short_links_beat_a_long_one_but_not_on_the_way_back, teardown),
        cmocka_unit_test_teardown(by_delay_routes_avoid_a_cable_that_is_down, teardown),
        cmocka_unit_test_teardown(a_path_of_least_delay_with_too_many_links_is_no_route, teardown),
        cmocka_unit_test_teardown(more_than_4095_equal_paths_are_refused, teardown),
        cmocka_unit_test_teardown(port_lists_that_do_not_fit_are_refused, teardown),
        cmocka_unit_test_teardown(a_table_that_is_too_large_is_refused, teardown),
    };
    return cmocka_run_group_tests_name("topology/route", tests, NULL, NULL);
}
