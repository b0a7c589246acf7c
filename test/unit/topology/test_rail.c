/* test/unit/topology/test_rail.c - servers behind NVSwitches in a network of rails: nodes, cables, tiers and names, and which NIC leads
 * to which GPU. */
#include "core/feature_setup.h"
#include "test/unit/topology/topology_fixture.h"
#include <string.h>

static struct weir_topology topo;
static struct weir_routes routes;
static struct weir_topology_config cfg;

static void make(uint32_t servers, uint32_t gpus, uint32_t rails, uint32_t spines)
{
    cfg = config_of(WEIR_RAIL);
    cfg.servers = servers, cfg.gpus = gpus, cfg.rails = rails, cfg.spines = spines;
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

/* Three servers of four GPUs on two rails with three spines: hosts 0 .. 11, NVSwitches 12 .. 14, leaves 15 and 16, spines
 * 17 .. 19. Host 6 is GPU 2 of server 1, so on rail 0. */
static void each_gpu_has_a_nic_to_its_nvswitch_and_one_to_its_rail(void **state)
{
    (void)state;
    make(3, 4, 2, 3);
    assert_int_equal(topo.host_count, 12);
    assert_int_equal(topo.switch_count, 3 + 2 + 3);
    assert_int_equal(topo.link_count, 2 * (12 + 12 + 2 * 3));
    assert_int_equal(topo.edge_count, 3 + 2);
    assert_true(topo.layered);
    for (uint32_t h = 0; h < 12; h++) {
        const struct weir_link *nic = &topo.link[topo.node[h].first_out];
        assert_int_equal(topo.node[h].out_count, 2);
        assert_int_equal(nic[0].dst, 12 + h / 4);
        assert_true(nic[0].rate_bps == 2400 * GBPS && nic[0].delay_ps == 25000);
        assert_int_equal(nic[0].in_index, h % 4);
        assert_int_equal(nic[1].dst, 15 + h % 2);
        assert_true(nic[1].rate_bps == cfg.host_link_bps && nic[1].delay_ps == cfg.host_delay_ps);
        assert_int_equal(nic[1].in_index, h / 2); /* two GPUs of each server */
    }
    for (uint32_t leaf = 15; leaf < 17; leaf++)
        for (uint32_t spine = 17; spine < 20; spine++)
            assert_true(topo.link[link_between(&topo, leaf, spine)].rate_bps == cfg.core_link_bps);
    assert_int_equal(topo.node[12].out_count, 4);
    assert_int_equal(topo.node[15].out_count, 6 + 3);
    assert_int_equal(topo.node[17].out_count, 2);
}

/* NVSwitches and leaves are both one link from hosts, and have names of their own. */
static void nvswitches_and_leaves_are_first_hop_switches_of_different_names(void **state)
{
    static const uint32_t tier[] = { 1, 1, 1, 1, 1, 2, 2, 2 }, by_name[] = { 1, 1, 1, 2, 2, 3, 3, 3 };
    bool is_at[20] = { false };
    char at[WEIR_TEXT_MAX];
    (void)state;
    make(3, 4, 2, 3);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(topo.node[12 + i].tier, tier[i]);
        assert_int_equal(weir_topology_tier(&topo, 12 + i), by_name[i]);
    }
    assert_int_equal(weir_topology_tier(&topo, 11), 0);
    assert_name(&topo, 11, "host 11");
    assert_name(&topo, 14, "nvswitch 2");
    assert_name(&topo, 15, "leaf 0");
    assert_name(&topo, 19, "spine 2");
    assert_int_equal(weir_topology_find_node(&topo, "nvswitch 3"), UINT32_MAX);
    assert_int_equal(weir_topology_mark_switches(&topo, "nvswitch 1..2, leaf", is_at, at), WEIR_LOCATION_SWITCHES);
    for (uint32_t n = 0; n < 20; n++)
        assert_int_equal(is_at[n], n >= 13 && n <= 16);
    assert_int_equal(weir_topology_find_link(&topo, "host 6 - nvswitch 1"), topo.node[6].first_out);
    assert_int_equal(weir_topology_find_link(&topo, "host 6 - leaf 0"), topo.node[6].first_out + 1);
}

/* Marks of `core`, and lanes that change on the way up, are of leaves and spines. */
static void only_leaves_have_ports_that_go_up(void **state)
{
    (void)state;
    make(3, 4, 2, 3);
    for (uint32_t l = 0; l < topo.link_count; l++) {
        struct weir_fabric_port port = weir_topology_port(&topo, l);
        assert_int_equal(port.goes_up, topo.link[l].src >= 15 && topo.link[l].dst >= 17);
        assert_int_equal(port.to_host || port.from_host, topo.link[l].src < 12 || topo.link[l].dst < 12);
    }
}

/* Within a server 2 links by the NVSwitch, and by the leaf as well where both are on one rail. To another server 2 on the
 * same rail and 4 by a spine: hosts do not forward, so no packet changes its rail in a server. */
static void nics_lead_to_gpus_of_the_server_and_to_those_of_the_rail(void **state)
{
    struct weir_route_path path;
    (void)state;
    make(3, 4, 2, 3);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_links_max(&routes, &topo), 4);
    for (uint32_t src = 0; src < 12; src++)
        for (uint32_t dst = 0; dst < 12; dst++) {
            bool same_server = src / 4 == dst / 4, same_rail = src % 2 == dst % 2;
            if (src == dst)
                continue;
            assert_int_equal(weir_route_nics(&routes, &topo, src, dst), same_server ? same_rail ? 3 : 1 : 2);
            assert_true(weir_route_path(&routes, &topo, src, dst, 77, &path));
            assert_int_equal(path.count, same_server || same_rail ? 2 : 4);
            assert_int_equal(topo.link[path.link[0]].dst, same_server ? 12 + src / 4 : 15 + src % 2);
        }
    assert_false(weir_route_path_from(&routes, &topo, 0, 0, 4, 77, &path)); /* the NVSwitch leads to no other server */
}

/* Eight GPUs and a rail for each: only NVSwitches join GPUs of a server. */
static void rails_are_as_many_as_gpus_unless_they_are_given(void **state)
{
    (void)state;
    make(2, 8, 0, 4);
    assert_int_equal(topo.switch_count, 2 + 8 + 4);
    assert_int_equal(topo.link[topo.node[13].first_out + 1].dst, 16 + 2 + 5);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 7), 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 8), 2);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 15), 2);
}

static void a_server_of_one_gpu_has_no_nvswitch(void **state)
{
    (void)state;
    make(5, 1, 0, 0);
    assert_int_equal(topo.switch_count, 1);
    assert_int_equal(topo.link_count, 2 * 5);
    assert_int_equal(topo.nics_max, 1);
    assert_true(topo.link[0].rate_bps == cfg.host_link_bps);
    assert_name(&topo, 5, "leaf 0");
    assert_int_equal(weir_topology_find_node(&topo, "nvswitch 0"), UINT32_MAX);
}

/* The NVLink of host 1 is down: its server reaches it by no other way but spines, from the other rail. */
static void without_its_nvlink_a_gpu_is_reached_by_its_rail(void **state)
{
    (void)state;
    make(3, 4, 2, 3);
    set_cable(&topo, 1, 12, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 1), 2);
    assert_int_equal(weir_route_nics(&routes, &topo, 1, 0), 2);
    assert_int_equal(weir_route_nics(&routes, &topo, 3, 1), 2);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 2), 3);
}

static void symmetric_paths_take_the_same_cables_back(void **state)
{
    (void)state;
    make(3, 4, 4, 3);
    route(&routes, &topo, WEIR_ROUTE_SYMMETRIC, 3);
    for (uint32_t hash = 0; hash < 64; hash++)
        for (uint32_t src = 0; src < 12; src++)
            for (uint32_t dst = 0; dst < 12; dst++)
                if (src != dst)
                    assert_same_way_back(&routes, &topo, src, dst, hash * 0x9e3779b9u);
}

static void the_section_hosts_sets_rates_of_nvlinks_or_of_a_rail(void **state)
{
    (void)state;
    make(3, 4, 2, 3);
    assert_int_equal(weir_topology_set_host_link(&topo, "leaf 1", 50 * GBPS), 6);
    assert_int_equal(weir_topology_set_host_link(&topo, "nvswitch 2", 900 * GBPS), 4);
    assert_int_equal(weir_topology_set_host_link(&topo, "spine 2", 900 * GBPS), 0);
    for (uint32_t h = 0; h < 12; h++) {
        const struct weir_link *nic = &topo.link[topo.node[h].first_out];
        assert_true(nic[0].rate_bps == (h >= 8 ? 900 : 2400) * GBPS);
        assert_true(nic[1].rate_bps == (h % 2 == 1 ? 50 : 100) * GBPS);
    }
}

static int code_of(uint32_t servers, uint32_t gpus, uint32_t rails, uint32_t spines, const char *key)
{
    struct weir_topology_config bad = config_of(WEIR_RAIL);
    bad.servers = servers, bad.gpus = gpus, bad.rails = rails, bad.spines = spines;
    return refusal_code(&bad, key);
}

static void rails_that_cannot_be_built_are_refused(void **state)
{
    struct weir_topology_config bad = config_of(WEIR_RAIL);
    struct weir_err err = { 0 };
    (void)state;
    assert_int_equal(code_of(2, 8, 3, 1, "rails = 3: does not divide gpus = 8"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 8, 16, 1, "rails = 16"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 8, 8, 0, "rails = 8, spines = 0"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 8, 1, 0, ""), 0);
    assert_int_equal(code_of(2, 8, 8, 4096, "spines = 4096"), WEIR_E_RANGE);
    assert_int_equal(code_of(0, 8, 8, 1, "servers = 0"), WEIR_E_RANGE);
    assert_int_equal(code_of(2, 0, 0, 1, "gpus = 0"), WEIR_E_RANGE);
    assert_int_equal(code_of(1, 1, 1, 0, "1 x 1 hosts"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(60000, 32, 0, 1, "60000 x 32 hosts"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(65535, 2, 0, 1, "servers = 65535, rails = 2"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(10000, 8, 1, 1, "80001 ports"), WEIR_E_CONFLICT);
    assert_int_equal(code_of(2, 4000, 0, 4000, "spines = 4000"), WEIR_E_CONFLICT); /* 16 million cables */
    bad.server_link_bps = 0;
    assert_int_equal(weir_topology_build(&topo, &bad, NULL, &err), WEIR_E_RANGE);
    assert_non_null(strstr(err.text, "server_link"));
    bad = config_of(WEIR_RAIL);
    bad.server_delay_ps = 0;
    assert_int_equal(weir_topology_build(&topo, &bad, NULL, &err), WEIR_E_RANGE);
    assert_non_null(strstr(err.text, "server_delay"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_gpu_has_a_nic_to_its_nvswitch_and_one_to_its_rail, teardown),
        cmocka_unit_test_teardown(nvswitches_and_leaves_are_first_hop_switches_of_different_names, teardown),
        cmocka_unit_test_teardown(only_leaves_have_ports_that_go_up, teardown),
        cmocka_unit_test_teardown(nics_lead_to_gpus_of_the_server_and_to_those_of_the_rail, teardown),
        cmocka_unit_test_teardown(rails_are_as_many_as_gpus_unless_they_are_given, teardown),
        cmocka_unit_test_teardown(a_server_of_one_gpu_has_no_nvswitch, teardown),
        cmocka_unit_test_teardown(without_its_nvlink_a_gpu_is_reached_by_its_rail, teardown),
        cmocka_unit_test_teardown(symmetric_paths_take_the_same_cables_back, teardown),
        cmocka_unit_test_teardown(the_section_hosts_sets_rates_of_nvlinks_or_of_a_rail, teardown),
        cmocka_unit_test(rails_that_cannot_be_built_are_refused),
    };
    return cmocka_run_group_tests_name("topology/rail", tests, NULL, NULL);
}
