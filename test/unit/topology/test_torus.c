/* test/unit/topology/test_torus.c - which switches of a torus are joined, and how long its paths are. */
#include "test/unit/topology/topology_fixture.h"
#include "topology/cycle.h"

static struct weir_topology topo;
static struct weir_routes routes;

static struct weir_topology_config torus_of(struct weir_number_list dims, uint32_t hosts)
{
    struct weir_topology_config cfg = config_of(WEIR_TORUS);
    cfg.dims = dims;
    cfg.hosts = hosts;
    return cfg;
}

static void make(struct weir_number_list dims, uint32_t hosts)
{
    struct weir_topology_config cfg = torus_of(dims, hosts);
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    build(&topo, &cfg);
    numbering_keeps_its_rules(&topo);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
}

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

/* The distance around a ring, the shorter way */
static uint32_t apart(uint32_t a, uint32_t b, uint32_t length)
{
    uint32_t ahead = (b + length - a) % length;
    return ahead < length - ahead ? ahead : length - ahead;
}

/* 4 x 3 x 2, two hosts each: every switch has 2 + 2 + 1 neighbours. Switches are neighbours if they are one step apart in
 * one dimension and equal in the others. */
static void switches_one_step_apart_are_joined_once(void **state)
{
    (void)state;
    make((struct weir_number_list){ { 4, 3, 2 }, 3 }, 2);
    assert_int_equal(topo.host_count, 48);
    assert_int_equal(topo.switch_count, 24);
    assert_int_equal(topo.link_count, 2 * (48 + 24 + 24 + 12));
    for (uint32_t s = 0; s < 24; s++) {
        assert_int_equal(topo.node[48 + s].out_count, 2 + 5);
        for (uint32_t t = 0; t < 24; t++) {
            uint32_t steps = apart(s % 4, t % 4, 4) + apart(s / 4 % 3, t / 4 % 3, 3) + apart(s / 12, t / 12, 2);
            uint32_t cables = 0;
            for (uint32_t p = 0; p < topo.node[48 + s].out_count; p++)
                cables += topo.link[topo.node[48 + s].first_out + p].dst == 48 + t;
            assert_int_equal(cables, steps == 1);
        }
    }
    assert_int_equal(topo.link[topo.node[5].first_out].dst, 48 + 2); /* hosts 4 and 5 are at switch 2 */
    assert_int_equal(topo.link[topo.node[5].first_out].rate_bps, 100 * GBPS);
    assert_int_equal(topo.link[link_between(&topo, 48, 48 + 12)].rate_bps, 400 * GBPS);
    assert_false(topo.layered);
}

/* The steps of each dimension add up. */
static void paths_are_as_long_as_the_steps_of_all_dimensions(void **state)
{
    struct weir_route_path path;
    (void)state;
    make((struct weir_number_list){ { 5, 4, 2 }, 3 }, 1);
    for (uint32_t s = 0; s < 40; s++)
        for (uint32_t t = 0; t < 40; t++) {
            uint32_t steps = apart(s % 5, t % 5, 5) + apart(s / 5 % 4, t / 5 % 4, 4) + apart(s / 20, t / 20, 2);
            if (s == t)
                continue;
            assert_true(weir_route_path(&routes, &topo, s, t, s * 40 + t, &path));
            assert_int_equal(path.count, 2 + steps);
        }
    assert_int_equal(weir_route_links_max(&routes, &topo), 2 + 2 + 2 + 1);
    make((struct weir_number_list){ { 8, 8, 8 }, 3 }, 1);
    assert_int_equal(weir_route_links_max(&routes, &topo), 2 + 12);
}

static void dimensions_of_two_have_one_cable(void **state)
{
    (void)state;
    make((struct weir_number_list){ { 2 }, 1 }, 1);
    assert_int_equal(topo.link_count, 2 * (2 + 1));
    make((struct weir_number_list){ { 2, 2, 2, 2, 2 }, 5 }, 1); /* a hypercube */
    assert_int_equal(topo.switch_count, 32);
    assert_int_equal(topo.link_count, 2 * (32 + 5 * 16));
    make((struct weir_number_list){ { 3 }, 1 }, 1);
    assert_int_equal(topo.link_count, 2 * (3 + 3));
}

static uint32_t cycle_of(struct weir_number_list dims)
{
    uint32_t cycle[8], count = 0;
    struct weir_err err = { 0 };
    make(dims, 1);
    assert_int_equal(weir_route_cycle(&routes, &topo, false, cycle, 8, &count, &err), 0);
    return count;
}

/* A ring of 4 or more has a cycle. Shortest paths of a ring of 3 are single links; so links of a dimension do not feed
 * each other, but two such dimensions are turned into each other both ways. */
static void shortest_paths_of_a_torus_can_wait_for_each_other(void **state)
{
    (void)state;
    assert_int_equal(cycle_of((struct weir_number_list){ { 3 }, 1 }), 0);
    assert_int_equal(cycle_of((struct weir_number_list){ { 4 }, 1 }), 4);
    assert_true(cycle_of((struct weir_number_list){ { 4, 4, 4 }, 3 }) > 0);
    assert_int_equal(cycle_of((struct weir_number_list){ { 2, 2 }, 2 }), 4);
}

static int code_of(struct weir_number_list dims, uint32_t hosts)
{
    struct weir_topology_config cfg = torus_of(dims, hosts);
    return refusal_code(&cfg, "");
}

static void a_torus_that_cannot_be_built_is_refused(void **state)
{
    const uint64_t far = 2 * (WEIR_TOPOLOGY_HOPS_MAX - 2); /* a ring with paths of as many links as are possible */
    (void)state;
    assert_int_equal(code_of((struct weir_number_list){ { 0 }, 0 }, 1), WEIR_E_RANGE);
    assert_int_equal(code_of((struct weir_number_list){ { 1 }, 1 }, 4), WEIR_E_RANGE);
    assert_int_equal(code_of((struct weir_number_list){ { 8, 1 }, 2 }, 1), WEIR_E_RANGE);
    assert_int_equal(code_of((struct weir_number_list){ { 2, 2, 2, 2, 2 }, 5 }, 1), 0);
    assert_int_equal(code_of((struct weir_number_list){ { 2, 2, 2, 2, 2, 2 }, 6 }, 1), WEIR_E_RANGE);
    assert_int_equal(code_of((struct weir_number_list){ { 2 }, 1 }, 0), WEIR_E_CONFLICT);
    assert_int_equal(code_of((struct weir_number_list){ { 256, 256 }, 2 }, 1), WEIR_E_CONFLICT); /* 65536 switches */
    assert_int_equal(code_of((struct weir_number_list){ { 65535, 65535, 65535 }, 3 }, 1), WEIR_E_CONFLICT);
    assert_int_equal(code_of((struct weir_number_list){ { UINT64_MAX, UINT64_MAX }, 2 }, 1), WEIR_E_CONFLICT);
    assert_int_equal(code_of((struct weir_number_list){ { 8, 8 }, 2 }, 16384), WEIR_E_CONFLICT); /* 2^20 hosts */
    assert_int_equal(code_of((struct weir_number_list){ { 8, 8 }, 2 }, 16383), 0);
    assert_int_equal(code_of((struct weir_number_list){ { 2, 2 }, 2 }, 65526), WEIR_E_CONFLICT); /* + 10 ports */
    assert_int_equal(code_of((struct weir_number_list){ { far - 1 }, 1 }, 1), 0);
    assert_int_equal(code_of((struct weir_number_list){ { far }, 1 }, 1), 0);
    assert_int_equal(code_of((struct weir_number_list){ { far + 1 }, 1 }, 1), 0); /* an odd ring has no opposite */
    assert_int_equal(code_of((struct weir_number_list){ { far + 2 }, 1 }, 1), WEIR_E_CONFLICT);
}

/* With symmetric routing a packet to a first-hop switch of a lower number follows the path of the other direction; all
 * others go by the tables. */
static void one_direction_of_a_pair_follows_the_other(void **state)
{
    uint32_t unlike = 0;
    (void)state;
    make((struct weir_number_list){ { 4, 3, 2 }, 3 }, 1);
    weir_routes_free(&routes);
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 9);
    assert_non_null(routes.step);
    for (uint32_t node = topo.host_count; node < topo.host_count + topo.switch_count; node++)
        for (uint32_t src = 0; src < topo.host_count; src++)
            for (uint32_t dst = 0; dst < topo.host_count; dst++) {
                uint32_t hash = (node + 1) * 0x9e3779b9u;
                struct weir_route_here here = weir_route_here(&routes, node);
                uint32_t by_table = weir_route_by_table(&here, dst, hash), must = by_table;
                if (routes.host[src].edge > routes.host[dst].edge)
                    must = weir_route_back(&routes, node, src, dst, hash);
                assert_int_equal(weir_route(&routes, node, src, dst, hash), must);
                unlike += must != by_table;
            }
    assert_true(unlike > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(switches_one_step_apart_are_joined_once, teardown),
        cmocka_unit_test_teardown(paths_are_as_long_as_the_steps_of_all_dimensions, teardown),
        cmocka_unit_test_teardown(dimensions_of_two_have_one_cable, teardown),
        cmocka_unit_test_teardown(shortest_paths_of_a_torus_can_wait_for_each_other, teardown),
        cmocka_unit_test(a_torus_that_cannot_be_built_is_refused),
        cmocka_unit_test_teardown(one_direction_of_a_pair_follows_the_other, teardown),
    };
    return cmocka_run_group_tests_name("topology/torus", tests, NULL, NULL);
}
