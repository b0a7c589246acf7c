/* test/unit/topology/test_planes.c - networks side by side: which switches each has, which NIC leads to which, and the paths. */
#include "test/unit/topology/topology_fixture.h"
#include <string.h>

static struct weir_topology topo;
static struct weir_routes routes;
static struct weir_topology_config cfg;

static void make(uint32_t planes, uint32_t hosts, uint32_t racks, uint32_t spines)
{
    cfg = config_of(WEIR_PLANES);
    cfg.planes = planes, cfg.hosts = hosts, cfg.racks = racks, cfg.spines = spines;
    build(&topo, &cfg);
    numbering_keeps_its_rules(&topo);
}

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

/* Three planes of 2 leaves and 2 spines, 8 hosts. Leaves are nodes 8 .. 13, two of each plane, spines 14 .. 19. Plane 1
 * is leaves 10 and 11 with spines 16 and 17. */
static void each_host_has_nic_i_in_plane_i_at_the_leaf_of_its_rack(void **state)
{
    (void)state;
    make(3, 8, 2, 2);
    assert_int_equal(topo.host_count, 8);
    assert_int_equal(topo.switch_count, 3 * (2 + 2));
    assert_int_equal(topo.link_count, 2 * (3 * 8 + 3 * 2 * 2));
    assert_int_equal(topo.edge_count, 6);
    assert_int_equal(topo.nics_max, 3);
    assert_true(topo.layered);
    for (uint32_t h = 0; h < 8; h++) {
        assert_int_equal(topo.node[h].out_count, 3);
        for (uint32_t plane = 0; plane < 3; plane++) {
            const struct weir_link *nic = &topo.link[topo.node[h].first_out + plane];
            assert_int_equal(nic->dst, 8 + 2 * plane + h / 4);
            assert_true(nic->rate_bps == cfg.host_link_bps && nic->delay_ps == cfg.host_delay_ps);
            assert_int_equal(nic->in_index, h % 4); /* port of the leaf */
        }
    }
    for (uint32_t leaf = 0; leaf < 6; leaf++) {
        const struct weir_node *node = &topo.node[8 + leaf];
        assert_int_equal(node->out_count, 4 + 2);
        assert_int_equal(node->tier, 1);
        for (uint32_t s = 0; s < 2; s++) {
            const struct weir_link *up = &topo.link[node->first_out + 4 + s];
            assert_int_equal(up->dst, 14 + leaf / 2 * 2 + s);
            assert_true(up->rate_bps == cfg.core_link_bps && up->delay_ps == cfg.core_delay_ps);
        }
    }
    for (uint32_t s = 14; s < 20; s++)
        assert_int_equal(topo.node[s].tier, 2);
    assert_name(&topo, 7, "host 7");
    assert_name(&topo, 10, "leaf 2"); /* the first of plane 1 */
    assert_name(&topo, 16, "spine 2");
}

static void two_stars_share_their_hosts(void **state)
{
    struct weir_route_path path;
    (void)state;
    make(2, 3, 1, 0);
    assert_int_equal(topo.switch_count, 2);
    assert_int_equal(topo.link_count, 2 * 2 * 3);
    for (uint32_t h = 0; h < 3; h++)
        for (uint32_t plane = 0; plane < 2; plane++)
            assert_int_equal(topo.link[topo.node[h].first_out + plane].dst, 3 + plane);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_true(weir_route_path_from(&routes, &topo, 2, 1, 0, 7, &path));
    assert_int_equal(path.count, 2);
    assert_int_equal(topo.link[path.link[1]].src, 4);
}

/* From host 0 to host 1 of its rack 2 links, to host 7 of the other 4: by a spine of the plane of the NIC. */
static void a_packet_stays_in_the_plane_of_its_nic(void **state)
{
    struct weir_route_path path;
    (void)state;
    make(3, 8, 2, 2);
    route(&routes, &topo, WEIR_ROUTE_SPRAY, 1);
    assert_int_equal(weir_route_links_max(&routes, &topo), 4);
    for (uint32_t src = 0; src < 8; src++)
        for (uint32_t dst = 0; dst < 8; dst++)
            if (src != dst)
                assert_int_equal(weir_route_nics(&routes, &topo, src, dst), 7);
    for (uint32_t plane = 0; plane < 3; plane++)
        for (uint32_t hash = 0; hash < 64; hash++) {
            assert_true(weir_route_path_from(&routes, &topo, 0, plane, 1, hash * 0x9e3779b9u, &path));
            assert_int_equal(path.count, 2);
            assert_true(weir_route_path_from(&routes, &topo, 0, plane, 7, hash * 0x9e3779b9u, &path));
            assert_int_equal(path.count, 4);
            assert_int_equal(topo.link[path.link[0]].dst, 8 + 2 * plane);
            assert_in_range(topo.link[path.link[1]].dst, 14 + 2 * plane, 15 + 2 * plane);
            assert_int_equal(topo.link[path.link[3]].src, 9 + 2 * plane);
        }
}

/* The leaf of host 7 in plane 1 loses both spines, then host 0 its NIC in plane 2. */
static void a_nic_without_a_way_is_not_among_those_that_lead_there(void **state)
{
    (void)state;
    make(3, 8, 2, 2);
    set_cable(&topo, 11, 16, false);
    set_cable(&topo, 11, 17, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 7), 5);
    assert_int_equal(weir_route_nics(&routes, &topo, 7, 0), 5);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 1), 7);
    weir_routes_free(&routes);
    set_cable(&topo, 0, 12, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 7), 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 7, 0), 1); /* host 0 gets nothing there, either */
    assert_int_equal(weir_route_nics(&routes, &topo, 6, 7), 7);
}

static void symmetric_paths_take_the_same_cables_back(void **state)
{
    (void)state;
    make(4, 12, 3, 4);
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 9);
    for (uint32_t hash = 0; hash < 32; hash++)
        for (uint32_t plane = 0; plane < 4; plane++)
            for (uint32_t dst = 1; dst < 12; dst++) {
                struct weir_route_path there, back;
                assert_true(weir_route_path_from(&routes, &topo, 0, plane, dst, hash * 0x9e3779b9u, &there));
                assert_true(weir_route_path_from(&routes, &topo, dst, plane, 0, hash * 0x9e3779b9u, &back));
                assert_reversed(&topo, &there, &back);
            }
}

/* By a leaf the NICs that lead there, by a host all of its. */
static void the_section_hosts_sets_rates_by_nic(void **state)
{
    (void)state;
    make(2, 4, 1, 0);
    assert_int_equal(weir_topology_set_host_link(&topo, "leaf 1", 50 * GBPS), 4);
    assert_int_equal(weir_topology_set_host_link(&topo, "host 3", 25 * GBPS), 1);
    assert_true(topo.link[topo.node[2].first_out].rate_bps == 100 * GBPS);
    assert_true(topo.link[topo.node[2].first_out + 1].rate_bps == 50 * GBPS);
    assert_true(topo.link[topo.link[topo.node[2].first_out + 1].reverse].rate_bps == 50 * GBPS);
    assert_true(topo.link[topo.node[3].first_out].rate_bps == 25 * GBPS);
    assert_true(topo.link[topo.node[3].first_out + 1].rate_bps == 25 * GBPS);
    assert_true(weir_topology_host_is_at(&topo, 2, "rack 1"));
    assert_false(weir_topology_host_is_at(&topo, 2, "rack 2"));
}

static int code_of(uint32_t planes, uint32_t hosts, uint32_t racks, uint32_t spines, const char *key)
{
    struct weir_topology_config bad = config_of(WEIR_PLANES);
    bad.planes = planes, bad.hosts = hosts, bad.racks = racks, bad.spines = spines;
    return refusal_code(&bad, key);
}

static void planes_that_cannot_be_built_are_refused(void **state)
{
    (void)state;
    assert_int_equal(code_of(1, 8, 2, 2, "planes = 1"), WEIR_E_RANGE);
    assert_int_equal(code_of(17, 8, 2, 2, "at most 16 NICs"), WEIR_E_RANGE);
    assert_int_equal(code_of(16, 8, 2, 2, ""), 0);
    assert_int_equal(code_of(2, 8, 2, 0, "racks = 2, spines = 0"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 8, 0, 0, "racks = 0"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 9, 2, 1, "racks = 2"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 65536, 1, 0, "65535 ports"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 65535, 1, 1, "65536 ports"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(16, 4096, 4096, 1, "16 x 4096"), WEIR_E_CONFLICT);          /* 65536 leaves */
    assert_int_equal(code_of(16, 4095, 4095, 64, "spines: more than"), WEIR_E_CONFLICT); /* 65520 + 4193280 cables */
    assert_int_equal(code_of(2, 1, 1, 0, "hosts = 1"), WEIR_E_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_host_has_nic_i_in_plane_i_at_the_leaf_of_its_rack, teardown),
        cmocka_unit_test_teardown(two_stars_share_their_hosts, teardown),
        cmocka_unit_test_teardown(a_packet_stays_in_the_plane_of_its_nic, teardown),
        cmocka_unit_test_teardown(a_nic_without_a_way_is_not_among_those_that_lead_there, teardown),
        cmocka_unit_test_teardown(symmetric_paths_take_the_same_cables_back, teardown),
        cmocka_unit_test_teardown(the_section_hosts_sets_rates_by_nic, teardown),
        cmocka_unit_test(planes_that_cannot_be_built_are_refused),
    };
    return cmocka_run_group_tests_name("topology/planes", tests, NULL, NULL);
}
