/* test/unit/topology/test_name.c - names of nodes, there and back. */
#include "test/unit/topology/graph_fixture.h"
#include "topology/plan.h"
#include <string.h>

static struct weir_topology topo;
static struct weir_topology_config cfg;

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static void names_of_a_leaf_spine_are_leaf_and_spine(void **state)
{
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    assert_name(&topo, 0, "host 0");
    assert_name(&topo, 143, "host 143");
    assert_name(&topo, 144, "leaf 0");
    assert_name(&topo, 152, "leaf 8");
    assert_name(&topo, 153, "spine 0");
    assert_name(&topo, 156, "spine 3");
}

/* Nine racks of 16. */
static void hosts_are_at_places(void **state)
{
    static const struct {
        const char *place;
        uint32_t first, count;
    } row[] = {
        { "host 3", 3, 1 },       { "host 3..17", 3, 15 },
        { "rack 2", 32, 16 },     { "rack 0..1", 0, 32 },
        { "leaf 8", 128, 16 },    { "host 140..900", 140, 4 },
        { "spine 0", 0, 0 },      { "rack 9", 0, 0 },
        { "host 3..", 0, 0 },     { "host 144", 0, 0 },
        { "host 5..4", 0, 0 },    { "rack 1 x", 0, 0 },
        { "racks 1", 0, 0 },      { "", 0, 0 },
        { "host 3..4..5", 0, 0 },
    };
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        for (uint32_t h = 0; h < topo.host_count; h++)
            if (weir_topology_host_is_at(&topo, h, row[i].place) !=
                (h >= row[i].first && h - row[i].first < row[i].count))
                fail_msg("'%s', host %u", row[i].place, h);
}

static void hosts_at_a_place_get_their_rate(void **state)
{
    const struct weir_link *up;
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    assert_int_equal(weir_topology_set_host_link(&topo, "rack 2", 25000000000), 16);
    assert_int_equal(weir_topology_set_host_link(&topo, "spine 1", 25000000000), 0);
    up = &topo.link[topo.node[32].first_out];
    assert_true(up->rate_bps == 25000000000 && topo.link[up->reverse].rate_bps == 25000000000);
    assert_true(topo.link[topo.node[31].first_out].rate_bps == topo.host_link_bps);
    assert_true(topo.has_unlike_hosts);
    assert_int_equal(weir_topology_set_host_link(&topo, "host 0..143", 25000000000), 144);
    assert_false(topo.has_unlike_hosts);
    assert_true(topo.host_link_bps == 25000000000);
}

static uint64_t rate_between(uint32_t a, uint32_t b)
{
    const struct weir_link *link = &topo.link[link_between(&topo, a, b)];
    assert_true(topo.link[link->reverse].rate_bps == link->rate_bps);
    return link->rate_bps;
}

/* Two servers of two: h0 and h2 are at s2, the leaf of the first ones, which is the third of the first-hop switches. Where
 * hosts are named all their cables change, where a switch is those to it. */
static void hosts_with_several_nics_are_at_all_their_switches(void **state)
{
    (void)state;
    begin_servers(2);
    build_graph(&topo);
    assert_int_equal(weir_topology_set_host_link(&topo, "s2", 25 * GBPS), 2);
    assert_true(rate_between(0, sw(2)) == 25 * GBPS && rate_between(2, sw(2)) == 25 * GBPS);
    assert_true(rate_between(0, sw(0)) == 100 * GBPS && rate_between(1, sw(3)) == 10 * GBPS);
    assert_true(weir_topology_host_is_at(&topo, 0, "rack 0") && weir_topology_host_is_at(&topo, 0, "rack 2"));
    assert_false(weir_topology_host_is_at(&topo, 0, "rack 1") || weir_topology_host_is_at(&topo, 0, "rack 3"));
    assert_int_equal(weir_topology_set_host_link(&topo, "rack 1", 50 * GBPS), 2);
    assert_true(rate_between(2, sw(1)) == 50 * GBPS && rate_between(3, sw(1)) == 50 * GBPS);
    assert_int_equal(weir_topology_set_host_link(&topo, "host 0..1", 40 * GBPS), 2);
    assert_true(rate_between(0, sw(0)) == 40 * GBPS && rate_between(0, sw(2)) == 40 * GBPS);
    assert_true(rate_between(1, sw(3)) == 40 * GBPS && rate_between(2, sw(2)) == 25 * GBPS);
    assert_int_equal(weir_topology_set_host_link(&topo, "s4", 40 * GBPS), 0); /* the spine */
}

/* Nine leaves and four spines behind 144 hosts. */
static void switches_are_at_places(void **state)
{
    static const struct {
        const char *at;
        uint32_t first, count; /* count 0 = hosts; UINT32_MAX = unknown */
        const char *name;
    } row[] = {
        { "leaf 3", 147, 1, "leaf 3" },
        { "leaf", 144, 9, "leaf" },
        { " spine ", 153, 4, "spine" },
        { "spine 1..2", 154, 2, "spine 1..2" },
        { "leaf 8,spine", 152, 5, "spine" },
        { "host 3", 0, 0, "host 3" },
        { "leaf, host", 0, 0, "host" },
        { "rack 2", 0, 0, "rack 2" },
        { "leaf 9", 0, UINT32_MAX, "leaf 9" },
        { "leaf 3..9", 0, UINT32_MAX, "leaf 3..9" },
        { "leaf 3..2", 0, UINT32_MAX, "leaf 3..2" },
        { "spine,, leaf", 0, UINT32_MAX, "" },
        { "edge", 0, UINT32_MAX, "edge" },
    };
    bool is_at[157];
    char name[WEIR_TEXT_MAX];
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    assert_int_equal(topo.node_count, 157);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        enum weir_location must = row[i].count == 0            ? WEIR_LOCATION_HOSTS
                                  : row[i].count == UINT32_MAX ? WEIR_LOCATION_UNKNOWN
                                                               : WEIR_LOCATION_SWITCHES;
        memset(is_at, 0, sizeof(is_at));
        assert_int_equal(weir_topology_mark_switches(&topo, row[i].at, is_at, name), must);
        assert_string_equal(name, row[i].name);
        for (uint32_t n = 0; n < topo.node_count && must == WEIR_LOCATION_SWITCHES; n++)
            if (is_at[n] != (n >= row[i].first && n - row[i].first < row[i].count))
                fail_msg("'%s', node %u", row[i].at, n);
    }
}

static void the_tiers_of_a_fat_tree_are_edge_agg_and_core(void **state)
{
    (void)state;
    cfg = config_of(WEIR_FAT_TREE);
    build(&topo, &cfg);
    assert_name(&topo, 15, "host 15");
    assert_name(&topo, 16, "edge 0");
    assert_name(&topo, 23, "edge 7");
    assert_name(&topo, 24, "agg 0");
    assert_name(&topo, 32, "core 0");
    assert_name(&topo, 35, "core 3");
}

static void names_of_other_kinds_are_switch(void **state)
{
    (void)state;
    cfg = config_of(WEIR_DUMBBELL);
    build(&topo, &cfg);
    assert_name(&topo, 144, "switch 0");
    assert_name(&topo, 145, "switch 1");
    weir_topology_free(&topo);
    cfg = config_of(WEIR_CHAIN);
    build(&topo, &cfg);
    assert_name(&topo, 146, "switch 2");
    weir_topology_free(&topo);
    cfg = config_of(WEIR_STAR);
    build(&topo, &cfg);
    assert_name(&topo, 144, "switch 0");
}

static void every_node_is_found_by_its_name(void **state)
{
    (void)state;
    for (uint32_t kind = WEIR_LEAF_SPINE; kind < WEIR_GRAPH; kind++) {
        cfg = config_of((enum weir_topology_kind)kind);
        build(&topo, &cfg);
        for (uint32_t node = 0; node < topo.node_count; node++) {
            char name[32];
            weir_topology_node_name(&topo, node, name, sizeof(name));
            assert_int_equal(weir_topology_find_node(&topo, name), node);
        }
        weir_topology_free(&topo);
    }
}

static void blanks_around_a_name_do_not_matter(void **state)
{
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    assert_int_equal(weir_topology_find_node(&topo, "  leaf   2 "), 146);
}

static void an_invalid_name_is_not_found(void **state)
{
    static const char *const wrong[] = { "",
                                         " ",
                                         "leaf",
                                         "leaf ",
                                         "leaf2",
                                         "leaf 9",
                                         "leaf -1",
                                         "leaf 1x",
                                         "leaf 1 2",
                                         "spine 4",
                                         "host 144",
                                         "switch 0",
                                         "edge 0",
                                         "2",
                                         "Leaf 0",
                                         "leaf 4294967296",
                                         "leaf 18446744073709551616" };
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(weir_topology_find_node(&topo, wrong[i]), UINT32_MAX);
}

static void a_short_buffer_gets_a_short_name(void **state)
{
    char name[6] = "......";
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    weir_topology_node_name(&topo, 143, name, 5);
    assert_string_equal(name, "host");
    assert_int_equal(name[5], '.');
}

static void assert_link(uint32_t src, uint32_t dst, const char *want)
{
    char name[WEIR_LINK_NAME];
    weir_topology_link_name(&topo, link_between(&topo, src, dst), name, sizeof(name));
    assert_string_equal(name, want);
}

static void a_link_is_called_by_its_ends_and_found_from_either(void **state)
{
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    assert_link(144, 154, "leaf 0 > spine 1");
    assert_link(144, 3, "leaf 0 > host 3");
    assert_int_equal(weir_topology_find_link(&topo, "leaf 0 - spine 1"), link_between(&topo, 144, 154));
    assert_int_equal(weir_topology_find_link(&topo, "spine 1 - leaf 0"), link_between(&topo, 154, 144));
    assert_int_equal(weir_topology_find_link(&topo, " spine  1  -  leaf 0 #1"), link_between(&topo, 154, 144));
}

static void an_invalid_cable_is_not_found(void **state)
{
    static const char *const wrong[] = { "",
                                         "leaf 0",
                                         "leaf 0-spine 1",
                                         "leaf 0 - leaf 1",
                                         "leaf 0 - spine 4",
                                         "leaf 0 - spine 1 #2",
                                         "leaf 0 - spine 1 #0",
                                         "leaf 0 - spine 1 #",
                                         "leaf 0 - spine 1 #1 #1",
                                         "leaf 0 #1 - spine 1",
                                         " - " };
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build(&topo, &cfg);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(weir_topology_find_link(&topo, wrong[i]), UINT32_MAX);
}

static void parallel_cables_have_numbers_from_the_second_on(void **state)
{
    struct weir_cable cable[] = { weir_cable_of(0, 2, GBPS, 1), weir_cable_of(3, 2, GBPS, 1),
                                  weir_cable_of(2, 3, GBPS, 1), weir_cable_of(1, 3, GBPS, 1) };
    struct weir_plan plan = { .shape = { { 2, 2 }, 4 }, .cable = cable, .laid = 4 };
    struct weir_err err;
    char name[WEIR_LINK_NAME];
    (void)state;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    assert_link(0, 2, "node 0 > node 2");
    assert_link(2, 3, "node 2 > node 3");
    weir_topology_link_name(&topo, link_between(&topo, 2, 3) + 1, name, sizeof(name));
    assert_string_equal(name, "node 2 > node 3 #2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(names_of_a_leaf_spine_are_leaf_and_spine, teardown),
        cmocka_unit_test_teardown(the_tiers_of_a_fat_tree_are_edge_agg_and_core, teardown),
        cmocka_unit_test_teardown(switches_are_at_places, teardown),
        cmocka_unit_test_teardown(hosts_are_at_places, teardown),
        cmocka_unit_test_teardown(hosts_at_a_place_get_their_rate, teardown),
        cmocka_unit_test_teardown(hosts_with_several_nics_are_at_all_their_switches, teardown),
        cmocka_unit_test_teardown(names_of_other_kinds_are_switch, teardown),
        cmocka_unit_test_teardown(every_node_is_found_by_its_name, teardown),
        cmocka_unit_test_teardown(blanks_around_a_name_do_not_matter, teardown),
        cmocka_unit_test_teardown(an_invalid_name_is_not_found, teardown),
        cmocka_unit_test_teardown(a_short_buffer_gets_a_short_name, teardown),
        cmocka_unit_test_teardown(a_link_is_called_by_its_ends_and_found_from_either, teardown),
        cmocka_unit_test_teardown(an_invalid_cable_is_not_found, teardown),
        cmocka_unit_test_teardown(parallel_cables_have_numbers_from_the_second_on, teardown),
    };
    return cmocka_run_group_tests_name("topology/name", tests, NULL, NULL);
}
