/* test/unit/topology/test_shape.c - who is cabled to whom. */
#include "test/unit/topology/topology_fixture.h"

static struct weir_topology topo;

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static bool joined(uint32_t a, uint32_t b)
{
    uint32_t links = 0;
    for (uint32_t p = 0; p < topo.node[a].out_count; p++)
        links += topo.link[topo.node[a].first_out + p].dst == b;
    assert_true(links <= 1);
    return links == 1;
}

static uint32_t switch_of(uint32_t host)
{
    return topo.link[topo.node[host].first_out].dst - topo.host_count;
}

static void racks_are_filled_with_hosts_in_order(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < 144; h++)
        assert_int_equal(switch_of(h), h / 16);
    for (uint32_t leaf = 144; leaf < 153; leaf++)
        for (uint32_t other = 144; other < 157; other++)
            assert_int_equal(joined(leaf, other), other >= 153);
}

/* k = 4: edges 16..23, aggregation 24..31, cores 32..35; two of each of the first kinds in a pod. */
static void each_core_switch_joins_all_pods(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < 16; h++)
        assert_int_equal(switch_of(h), h / 2);
    for (uint32_t e = 0; e < 8; e++)
        for (uint32_t a = 0; a < 8; a++)
            assert_int_equal(joined(16 + e, 24 + a), e / 2 == a / 2);
    for (uint32_t a = 0; a < 8; a++)
        for (uint32_t c = 0; c < 4; c++)
            assert_int_equal(joined(24 + a, 32 + c), a % 2 == c / 2); /* the first of each pod: cores 0 and 1 */
}

/* Two pods of 3 edge and 2 aggregation switches with 3 uplinks each: hosts 0..11, edges 12..17, aggs 18..21, cores 22..27. */
static void a_fat_tree_by_its_pods_has_the_given_counts(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.pods = 2, cfg.edges = 3, cfg.aggs = 2, cfg.uplinks = 3, cfg.edge_hosts = 2;
    build(&topo, &cfg);
    assert_int_equal(topo.host_count, 12);
    assert_int_equal(topo.switch_count, 6 + 4 + 6);
    assert_int_equal(topo.link_count, 2 * (12 + 12 + 12));
    for (uint32_t h = 0; h < 12; h++)
        assert_int_equal(switch_of(h), h / 2);
    for (uint32_t e = 0; e < 6; e++)
        for (uint32_t a = 0; a < 4; a++)
            assert_int_equal(joined(12 + e, 18 + a), e / 3 == a / 2);
    for (uint32_t a = 0; a < 4; a++)
        for (uint32_t c = 0; c < 6; c++)
            assert_int_equal(joined(18 + a, 22 + c), a % 2 == c / 3);
}

static void the_five_keys_can_express_k_and_oversubscription(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    struct weir_topology same;
    (void)state;
    cfg.k = 6, cfg.oversubscription = 2;
    build(&topo, &cfg);
    cfg.pods = 6, cfg.edges = cfg.aggs = cfg.uplinks = 3, cfg.edge_hosts = 6;
    cfg.k = cfg.oversubscription = 0;
    build(&same, &cfg);
    assert_int_equal(same.node_count, topo.node_count);
    assert_int_equal(same.link_count, topo.link_count);
    for (uint32_t l = 0; l < topo.link_count; l++) {
        assert_int_equal(same.link[l].src, topo.link[l].src);
        assert_int_equal(same.link[l].dst, topo.link[l].dst);
    }
    weir_topology_free(&same);
}

static void darts_fat_tree_has_1024_hosts_and_64_64_16_switches(void **state)
{
    struct weir_topology_config cfg = darts_fat_tree();
    (void)state;
    build(&topo, &cfg);
    assert_int_equal(topo.host_count, 1024);
    assert_int_equal(topo.edge_count, 64);
    assert_int_equal(topo.switch_count, 64 + 64 + 16);
    assert_int_equal(topo.tier_count[2], 64);
    assert_int_equal(topo.tier_count[3], 16);
}

static void a_dumbbell_of_5_has_3_on_the_left(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_DUMBBELL);
    (void)state;
    cfg.hosts = 5;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < 5; h++)
        assert_int_equal(switch_of(h), h >= 3);
    assert_true(joined(5, 6));
}

static void a_chain_of_3_spreads_7_hosts_3_2_2(void **state)
{
    static const uint32_t want[] = { 0, 0, 0, 1, 1, 2, 2 }; /* i * 3 / 7 */
    struct weir_topology_config cfg = config_of(WEIR_CHAIN);
    (void)state;
    cfg.hosts = 7;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < 7; h++)
        assert_int_equal(switch_of(h), want[h]);
    assert_true(joined(7, 8) && joined(8, 9));
    assert_false(joined(7, 9));
}

static void a_star_has_all_hosts_on_one_switch(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.hosts = 5;
    build(&topo, &cfg);
    for (uint32_t h = 0; h < 5; h++)
        assert_int_equal(switch_of(h), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(racks_are_filled_with_hosts_in_order, teardown),
        cmocka_unit_test_teardown(each_core_switch_joins_all_pods, teardown),
        cmocka_unit_test_teardown(a_fat_tree_by_its_pods_has_the_given_counts, teardown),
        cmocka_unit_test_teardown(the_five_keys_can_express_k_and_oversubscription, teardown),
        cmocka_unit_test_teardown(darts_fat_tree_has_1024_hosts_and_64_64_16_switches, teardown),
        cmocka_unit_test_teardown(a_dumbbell_of_5_has_3_on_the_left, teardown),
        cmocka_unit_test_teardown(a_chain_of_3_spreads_7_hosts_3_2_2, teardown),
        cmocka_unit_test_teardown(a_star_has_all_hosts_on_one_switch, teardown),
    };
    return cmocka_run_group_tests_name("topology/shape", tests, NULL, NULL);
}
