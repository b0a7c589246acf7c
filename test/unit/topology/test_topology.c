/* test/unit/topology/test_topology.c - keys and defaults, and how links, ports and first-hop switches are numbered. */
#include "test/unit/topology/topology_fixture.h"
#include "topology/plan.h"
#include <string.h>

static struct weir_topology topo;

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static void build_kind(enum weir_topology_kind kind)
{
    struct weir_topology_config cfg = config_of(kind);
    build(&topo, &cfg);
}

static void assert_counts(uint32_t hosts, uint32_t switches, uint32_t cables, uint32_t edges)
{
    assert_int_equal(topo.host_count, hosts);
    assert_int_equal(topo.switch_count, switches);
    assert_int_equal(topo.node_count, hosts + switches);
    assert_int_equal(topo.link_count, 2 * cables);
    assert_int_equal(topo.edge_count, edges);
}

static void a_leaf_spine_has_a_link_from_each_leaf_to_each_spine(void **state)
{
    (void)state;
    build_kind(WEIR_LEAF_SPINE);
    assert_counts(144, 13, 144 + 36, 9);
    assert_int_equal(topo.node[143].out_count, 1);
    assert_int_equal(topo.node[144].out_count, 16 + 4); /* leaf 0 */
    assert_int_equal(topo.node[153].out_count, 9);      /* spine 0 */
    assert_int_equal(topo.node[143].tier, 0);
    assert_int_equal(topo.node[152].tier, 1);
    assert_int_equal(topo.node[153].tier, 2);
}

static void a_fat_tree_of_4_has_16_hosts_and_20_switches(void **state)
{
    (void)state;
    build_kind(WEIR_FAT_TREE);
    assert_counts(16, 20, 16 + 16 + 16, 8);
    for (uint32_t n = 16; n < 36; n++)
        assert_int_equal(topo.node[n].out_count, 4);
    assert_int_equal(topo.node[16].tier, 1);
    assert_int_equal(topo.node[24].tier, 2);
    assert_int_equal(topo.node[32].tier, 3);
}

static void a_fat_tree_of_16_has_1024_hosts_and_320_switches(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.k = 16;
    build(&topo, &cfg);
    assert_counts(1024, 320, 1024 + 1024 + 1024, 128);
}

static void oversubscription_multiplies_hosts_and_nothing_else(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.oversubscription = 3;
    build(&topo, &cfg);
    assert_counts(48, 20, 48 + 32, 8);
    assert_int_equal(topo.node[48].out_count, 6 + 2); /* edge 0 */
}

static void a_dumbbell_a_chain_and_a_star_have_single_paths(void **state)
{
    (void)state;
    build_kind(WEIR_DUMBBELL);
    assert_counts(144, 2, 145, 2);
    weir_topology_free(&topo);
    build_kind(WEIR_CHAIN);
    assert_counts(144, 3, 146, 3);
    weir_topology_free(&topo);
    build_kind(WEIR_STAR);
    assert_counts(144, 1, 144, 1);
}

static void the_largest_star_has_65535_ports(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.hosts = 65535;
    build(&topo, &cfg);
    assert_counts(65535, 1, 65535, 1);
    assert_int_equal(topo.host_port[65534], 65534);
}

static void links_have_the_rate_and_delay_of_their_kind(void **state)
{
    uint32_t host_links = 0;
    (void)state;
    build_kind(WEIR_LEAF_SPINE);
    for (uint32_t l = 0; l < topo.link_count; l++) {
        bool host = topo.link[l].src < 144 || topo.link[l].dst < 144;
        host_links += host;
        assert_true(topo.link[l].rate_bps == (host ? 100 : 400) * GBPS);
        assert_int_equal(topo.link[l].delay_ps, host ? 1250000 : 500000);
        assert_true(topo.link[l].up);
    }
    assert_int_equal(host_links, 288);
}

/* Hosts 0..143 own links 0..143, leaf 0 (node 144) the next 20: 16 to its hosts, 4 to spines 153..156. */
static void ports_of_a_leaf_are_its_hosts_then_the_spines(void **state)
{
    (void)state;
    build_kind(WEIR_LEAF_SPINE);
    assert_int_equal(topo.node[144].first_out, 144);
    assert_int_equal(topo.link[144].dst, 0);
    assert_int_equal(topo.link[159].dst, 15);
    assert_int_equal(topo.link[160].dst, 153);
    assert_int_equal(topo.link[163].dst, 156);
    assert_int_equal(topo.node[145].first_out, 164);
    assert_int_equal(topo.edge_of[17], 1); /* host 17 is the second of leaf 1 */
    assert_int_equal(topo.edge_node[1], 145);
    assert_int_equal(topo.host_port[17], 1);
}

static void a_links_in_index_is_its_position_among_the_neighbours(void **state)
{
    uint32_t up;
    (void)state;
    build_kind(WEIR_LEAF_SPINE);
    up = link_between(&topo, 147, 154); /* leaf 3 to spine 1: the fourth of spine 1's nine neighbours */
    assert_int_equal(topo.link[up].in_index, 3);
    assert_int_equal(topo.in_link[topo.node[154].first_in + 3], up);
    assert_int_equal(topo.link[topo.link[up].reverse].in_index, 17); /* 16 hosts and spine 0 come before */
}

static void every_kind_keeps_the_rules_of_numbering(void **state)
{
    (void)state;
    for (int kind = WEIR_LEAF_SPINE; kind < WEIR_GRAPH; kind++) {
        build_kind((enum weir_topology_kind)kind);
        numbering_keeps_its_rules(&topo);
        weir_topology_free(&topo);
    }
}

/* Cables in no particular order and direction; two of them parallel. */
static void parallel_cables_keep_their_order_in_both_directions(void **state)
{
    struct weir_cable cable[] = { weir_cable_of(3, 2, 10 * GBPS, 7), weir_cable_of(1, 3, 1 * GBPS, 1),
                                  weir_cable_of(2, 3, 40 * GBPS, 9), weir_cable_of(2, 0, 1 * GBPS, 1) };
    struct weir_plan plan = { .shape = { { 2, 2 }, 4 }, .cable = cable, .laid = 4 };
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    numbering_keeps_its_rules(&topo);
    assert_int_equal(topo.node[2].first_out, 2);
    assert_int_equal(topo.link[3].delay_ps, 7); /* 2 -> 3, the first of two */
    assert_int_equal(topo.link[4].delay_ps, 9);
    assert_int_equal(topo.link[6].delay_ps, 7); /* 3 -> 2: the same order */
    assert_int_equal(topo.link[7].delay_ps, 9);
    assert_int_equal(topo.link[3].reverse, 6);
    assert_int_equal(topo.link[4].in_index, 2); /* after host 1 and the first */
}

static void the_directions_of_a_cable_have_their_own_rate_and_delay(void **state)
{
    struct weir_cable cable[] = { weir_cable_of(0, 2, 1 * GBPS, 1),
                                  weir_cable_of(1, 3, 1 * GBPS, 1),
                                  { 3, 2, 10 * GBPS, 7, 40 * GBPS, 9, 0 } };
    struct weir_plan plan = { .shape = { { 2, 2 }, 3 }, .cable = cable, .laid = 3 };
    struct weir_err err;
    const struct weir_link *there, *back;
    (void)state;
    assert_int_equal(weir_topology_index(&topo, &plan, &err), 0);
    there = &topo.link[link_between(&topo, 3, 2)];
    back = &topo.link[link_between(&topo, 2, 3)];
    assert_true(there->rate_bps == 10 * GBPS && back->rate_bps == 40 * GBPS);
    assert_int_equal(there->delay_ps, 7);
    assert_int_equal(back->delay_ps, 9);
}

static const struct weir_param *row_of(const char *key)
{
    for (const struct weir_param *row = weir_topology_params; row->key != NULL; row++)
        if (strcmp(row->key, key) == 0)
            return row;
    fail_msg("no key %s", key);
    return NULL;
}

static void defaults_are_the_network_of_sirds_evaluation(void **state)
{
    struct weir_topology_config cfg = { 0 };
    (void)state;
    for (const struct weir_param *row = weir_topology_params; row->key != NULL; row++) {
        bool wide = row->kind == WEIR_KIND_RATE || row->kind == WEIR_KIND_TIME || row->kind == WEIR_KIND_SIZE;
        uint32_t narrow = (uint32_t)row->fallback;
        assert_true(row->hint != NULL && strlen(row->hint) > 20);
        memcpy((char *)&cfg + row->offset, wide ? (const void *)&row->fallback : &narrow, wide ? 8 : 4);
    }
    assert_int_equal(cfg.kind, WEIR_LEAF_SPINE);
    assert_int_equal(cfg.k, 8);
    assert_int_equal(cfg.oversubscription, 1);
    assert_int_equal(cfg.switches, 3);
    assert_true(cfg.bdp.bytes == UINT64_MAX);
    assert_int_equal(cfg.bdp.bdp_milli, 0);
    build(&topo, &cfg);
    assert_counts(144, 13, 180, 9);
    assert_true(topo.link[0].rate_bps == 100 * GBPS);
    assert_int_equal(topo.link[0].delay_ps, 1250000);
    assert_true(topo.link[160].rate_bps == 400 * GBPS);
    assert_int_equal(topo.link[160].delay_ps, 500000);
}

static void every_key_of_a_scenario_has_its_row(void **state)
{
    static const char *const keys[] = {
        "kind",      "file",       "hosts",      "racks",   "spines",     "k",           "oversubscription",
        "pods",      "edges",      "aggs",       "uplinks", "edge_hosts", "switches",    "host_link",
        "core_link", "host_delay", "core_delay", "bdp",     "format",     "groups",      "global_links",
        "dims",      "planes",     "servers",    "gpus",    "rails",      "server_link", "server_delay"
    };
    uint32_t rows = 0;
    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        assert_non_null(row_of(keys[i]));
    while (weir_topology_params[rows].key != NULL)
        rows++;
    assert_int_equal(rows, sizeof(keys) / sizeof(keys[0]));
    assert_string_equal(row_of("bdp")->keyword->text, "auto");
    assert_string_equal(row_of("kind")->choices[WEIR_FAT_TREE], "fat-tree");
    assert_string_equal(row_of("kind")->choices[WEIR_STAR], "star");
    assert_string_equal(row_of("kind")->choices[WEIR_GRAPH], "file");
    assert_null(row_of("kind")->choices[WEIR_GRAPH + 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_leaf_spine_has_a_link_from_each_leaf_to_each_spine, teardown),
        cmocka_unit_test_teardown(a_fat_tree_of_4_has_16_hosts_and_20_switches, teardown),
        cmocka_unit_test_teardown(a_fat_tree_of_16_has_1024_hosts_and_320_switches, teardown),
        cmocka_unit_test_teardown(oversubscription_multiplies_hosts_and_nothing_else, teardown),
        cmocka_unit_test_teardown(a_dumbbell_a_chain_and_a_star_have_single_paths, teardown),
        cmocka_unit_test_teardown(the_largest_star_has_65535_ports, teardown),
        cmocka_unit_test_teardown(links_have_the_rate_and_delay_of_their_kind, teardown),
        cmocka_unit_test_teardown(ports_of_a_leaf_are_its_hosts_then_the_spines, teardown),
        cmocka_unit_test_teardown(a_links_in_index_is_its_position_among_the_neighbours, teardown),
        cmocka_unit_test_teardown(every_kind_keeps_the_rules_of_numbering, teardown),
        cmocka_unit_test_teardown(parallel_cables_keep_their_order_in_both_directions, teardown),
        cmocka_unit_test_teardown(the_directions_of_a_cable_have_their_own_rate_and_delay, teardown),
        cmocka_unit_test_teardown(defaults_are_the_network_of_sirds_evaluation, teardown),
        cmocka_unit_test(every_key_of_a_scenario_has_its_row),
    };
    return cmocka_run_group_tests_name("topology/topology", tests, NULL, NULL);
}
