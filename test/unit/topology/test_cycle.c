/* test/unit/topology/test_cycle.c - which routes can hold each other up in a cycle, and which cycle is named. */
#include "test/unit/topology/graph_fixture.h"
#include "topology/cycle.h"

static struct weir_topology topo;
static struct weir_routes routes;
static uint32_t cycle[64];

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

static uint32_t cycle_length(void)
{
    struct weir_err err;
    uint32_t count;
    assert_int_equal(weir_route_cycle(&routes, &topo, false, cycle, 64, &count, &err), 0);
    return count;
}

/* n switches in a ring, a host at each. */
static void ring(uint32_t n, enum weir_routing routing)
{
    begin_graph(n, n);
    for (uint32_t i = 0; i < n; i++)
        join(i, sw(i));
    for (uint32_t i = 0; i < n; i++)
        join(sw(i), sw((i + 1) % n));
    build_graph(&topo);
    route(&routes, &topo, routing, 1);
}

/* In a ring of 3 no packet passes two links between switches, so none waits for another. */
static void a_ring_of_3_has_no_cycle(void **state)
{
    (void)state;
    ring(3, WEIR_ROUTE_ECMP);
    assert_int_equal(cycle_length(), 0);
}

/* Opposite switches have two equal paths; with both taken every link feeds the next, each way round. */
static void a_ring_of_4_has_a_cycle_for_any_choice_of_paths(void **state)
{
    (void)state;
    ring(4, WEIR_ROUTE_ECMP);
    assert_int_equal(cycle_length(), 4);
    assert_int_equal(cycle[0], link_between(&topo, sw(0), sw(1)));
    assert_int_equal(cycle[1], link_between(&topo, sw(1), sw(2)));
    assert_int_equal(cycle[2], link_between(&topo, sw(2), sw(3)));
    assert_int_equal(cycle[3], link_between(&topo, sw(3), sw(0)));
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 1);
    assert_int_equal(cycle_length(), 4);
}

static void a_ring_of_5_has_a_cycle_under_any_routing(void **state)
{
    (void)state;
    for (int routing = WEIR_ROUTE_ECMP; routing <= WEIR_ROUTE_SPRAY; routing++) {
        ring(5, (enum weir_routing)routing);
        assert_int_equal(cycle_length(), 5);
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(topo.link[cycle[i]].dst, topo.link[cycle[(i + 1) % 5]].src);
        (void)teardown(NULL);
    }
}

/* By delay nobody takes the long cable, and what is left is a row. */
static void a_ring_without_routes_around_it_has_no_cycle(void **state)
{
    (void)state;
    begin_graph(4, 4);
    for (uint32_t i = 0; i < 4; i++)
        join(i, sw(i));
    for (uint32_t i = 0; i < 3; i++)
        join(sw(i), sw(i + 1));
    join_unlike(sw(3), sw(0), 10, 9000, 10, 9000);
    build_graph(&topo);
    route_by_delay(&routes, &topo);
    assert_int_equal(cycle_length(), 0);
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 4);
}

/* Hosts at two switches of a ring of 4 alone: packets go out on both sides, and each ends where it would have to go on. */
static void switches_without_hosts_start_no_path(void **state)
{
    (void)state;
    begin_graph(2, 4);
    join(0, sw(0));
    join(1, sw(2));
    for (uint32_t i = 0; i < 4; i++)
        join(sw(i), sw((i + 1) % 4));
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 0);
}

/* The search itself, not what is known of kinds. Dragonflies and tori are in test_torus. */
static void layered_topologies_have_no_cycle(void **state)
{
    (void)state;
    for (int kind = WEIR_LEAF_SPINE; kind < WEIR_GRAPH; kind++) {
        struct weir_topology_config cfg = config_of((enum weir_topology_kind)kind);
        bool layered;
        build(&topo, &cfg);
        layered = topo.layered;
        route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
        topo.layered = false;
        if (layered)
            assert_int_equal(cycle_length(), 0);
        (void)teardown(NULL);
    }
}

/* Leaf 0 is without spine 1 and leaf 1 without spine 0: their flows go down and up again, by leaf 2 or 3. One cable alone is gone round
 * by other spines, and nobody has to come down in between. */
static void cables_that_are_down_can_make_one(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.hosts = 8, cfg.racks = 4, cfg.spines = 2;
    build(&topo, &cfg);
    set_cable(&topo, 8, 13, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 0);
    weir_routes_free(&routes);
    set_cable(&topo, 9, 12, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 4);
    assert_int_equal(cycle[0],
                     link_between(&topo, 10, 13)); /* up from leaf 2 to spine 1, down to leaf 3, up and down */
    assert_int_equal(cycle[1], link_between(&topo, 13, 11));
    assert_int_equal(cycle[2], link_between(&topo, 11, 12));
    assert_int_equal(cycle[3], link_between(&topo, 12, 10));
}

static void a_cycle_longer_than_its_room_is_counted_whole(void **state)
{
    struct weir_err err;
    uint32_t count, room[2] = { 7, 7 };
    (void)state;
    ring(9, WEIR_ROUTE_ECMP);
    assert_int_equal(weir_route_cycle(&routes, &topo, false, room, 1, &count, &err), 0);
    assert_int_equal(count, 9);
    assert_int_equal(room[0], link_between(&topo, sw(0), sw(1)));
    assert_int_equal(room[1], 7);
}

/* 66 switches, each joined to each: 66 ports take two words of bits. Paths have one link between switches. */
static void a_full_mesh_has_no_cycle(void **state)
{
    (void)state;
    begin_graph(66, 66);
    for (uint32_t i = 0; i < 66; i++)
        join(i, sw(i));
    for (uint32_t i = 0; i < 66; i++)
        for (uint32_t j = 0; j < i; j++)
            join(sw(i), sw(j));
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 0);
    set_cable(&topo, sw(0), sw(1), false); /* both may go by any other */
    set_cable(&topo, sw(64), sw(65), false);
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 4);
}

/* Four switches in a ring. */
static void begin_ring(void)
{
    begin_graph(4, 4);
    for (uint32_t i = 0; i < 4; i++)
        join(sw(i), sw((i + 1) % 4));
}

/* With two cables each to its own switch a host has two NICs, and the ring a cycle as with one. A second NIC at the
 * opposite switch makes every path as short as one link of the ring, and none waits for another. */
static void a_second_nic_at_the_opposite_switch_takes_the_cycle_away(void **state)
{
    (void)state;
    begin_ring();
    for (uint32_t i = 0; i < 4; i++) {
        join(i, sw(i));
        join(i, sw(i));
    }
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 4);
    assert_int_equal(cycle[0], link_between(&topo, sw(0), sw(1)));
    assert_int_equal(cycle[1], link_between(&topo, sw(1), sw(2)));
    (void)teardown(NULL);
    begin_ring();
    for (uint32_t i = 0; i < 4; i++) {
        join(i, sw(i));
        join(i, sw((i + 2) % 4));
    }
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 0);
}

/* Opposite hosts have a cable to each other, so what they send leaves the ring alone, but where every NIC is taken. */
static void cables_between_hosts_carry_what_would_make_a_cycle(void **state)
{
    struct weir_err err;
    uint32_t count;
    (void)state;
    begin_ring();
    for (uint32_t i = 0; i < 4; i++)
        join(i, sw(i));
    join(0, 2);
    join(1, 3);
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(cycle_length(), 0);
    assert_int_equal(weir_route_cycle(&routes, &topo, true, cycle, 64, &count, &err), 0);
    assert_int_equal(count, 4);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_ring_of_3_has_no_cycle),
        TEST(a_ring_of_4_has_a_cycle_for_any_choice_of_paths),
        TEST(a_ring_of_5_has_a_cycle_under_any_routing),
        TEST(a_ring_without_routes_around_it_has_no_cycle),
        TEST(switches_without_hosts_start_no_path),
        TEST(layered_topologies_have_no_cycle),
        TEST(cables_that_are_down_can_make_one),
        TEST(a_cycle_longer_than_its_room_is_counted_whole),
        TEST(a_full_mesh_has_no_cycle),
        TEST(a_second_nic_at_the_opposite_switch_takes_the_cycle_away),
        TEST(cables_between_hosts_carry_what_would_make_a_cycle),
    };
    return cmocka_run_group_tests_name("topology/cycle", tests, NULL, NULL);
}
