/* test/unit/topology/test_path.c - paths, ideal times and base round trips against numbers made by hand. */
#include "test/unit/topology/topology_fixture.h"

static struct weir_topology topo;
static struct weir_topology_config cfg;
static struct weir_routes routes;
static struct weir_route_path path;

static int teardown(void **state)
{
    (void)state;
    weir_routes_free(&routes);
    weir_topology_free(&topo);
    return 0;
}

static void build_and_route(void)
{
    build(&topo, &cfg);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
}

static void assert_path_links(uint32_t src, uint32_t dst, uint32_t links)
{
    assert_true(weir_route_path(&routes, &topo, src, dst, 12345, &path));
    assert_int_equal(path.count, links);
    assert_int_equal(topo.link[path.link[0]].src, src);
    assert_int_equal(topo.link[path.link[links - 1]].dst, dst);
    for (uint32_t i = 1; i < links; i++)
        assert_int_equal(topo.link[path.link[i]].src, topo.link[path.link[i - 1]].dst);
}

static void paths_have_2_4_or_6_links(void **state)
{
    (void)state;
    cfg = config_of(WEIR_FAT_TREE);
    build_and_route();
    assert_path_links(0, 1, 2);  /* one edge switch */
    assert_path_links(0, 3, 4);  /* one pod */
    assert_path_links(0, 15, 6); /* through a core */
}

static void switches_between_first_hop_switches_are_one_less_than_links(void **state)
{
    uint8_t switches[8 * 8];
    (void)state;
    cfg = config_of(WEIR_FAT_TREE);
    build_and_route();
    assert_int_equal(topo.edge_count, 8);
    weir_route_switches(&routes, &topo, switches);
    for (uint32_t from = 0; from < 8; from++)
        for (uint32_t to = 0; to < 8; to++) /* two edge switches in each pod */
            assert_int_equal(switches[from * 8 + to], from == to ? 1 : from / 2 == to / 2 ? 3 : 5);
}

/* Of 1023 other hosts 15 are at the same edge switch (2 links), 48 in the same pod (4), 960 beyond (6): 5982 / 1023 = 5.8475. */
static void the_mean_path_of_darts_network_is_5_85_links(void **state)
{
    uint64_t links = 0;
    (void)state;
    cfg = darts_fat_tree();
    build_and_route();
    for (uint32_t src = 0; src < 1024; src++)
        for (uint32_t dst = 0; dst < 1024; dst++)
            if (src != dst) {
                assert_true(weir_route_path(&routes, &topo, src, dst, src ^ dst, &path));
                links += path.count;
            }
    assert_int_equal(15 * 2 + 48 * 4 + 960 * 6, 5982);
    assert_int_equal(links, 1024 * 5982);
}

static void the_longest_chain_is_66_links(void **state)
{
    (void)state;
    cfg = config_of(WEIR_CHAIN);
    cfg.hosts = cfg.switches = 65;
    build_and_route();
    assert_path_links(0, 64, 66);
    assert_path_links(64, 0, 66);
}

static void a_host_has_no_path_to_itself_or_through_a_cut(void **state)
{
    (void)state;
    cfg = config_of(WEIR_DUMBBELL);
    build(&topo, &cfg);
    set_cable(&topo, 144, 145, false);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_false(weir_route_path(&routes, &topo, 5, 5, 1, &path));
    assert_false(weir_route_path(&routes, &topo, 0, 143, 1, &path));
    assert_true(weir_route_path(&routes, &topo, 0, 71, 1, &path));
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, 1538, 84), 0);
}

/* 1538 B take 123.04 ns at 100 Gbps and 30.76 ns at 400, 84 B 6.72 and 1.68; delays are 3.5 us each way. */
static void the_base_rtt_of_sirds_network_is_7324_4_ns(void **state)
{
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build_and_route();
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, 1538, 84),
                     (3500000 + 2 * 123040 + 2 * 30760) + (3500000 + 2 * 6720 + 2 * 1680));
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, 1538, 1538), 2 * (3500000 + 2 * 123040 + 2 * 30760));
}

static void the_base_rtt_of_a_star_is_within_its_switch(void **state)
{
    (void)state;
    cfg = config_of(WEIR_STAR);
    cfg.hosts = 2;
    build_and_route();
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, 1538, 84), 2 * 2500000 + 2 * 123040 + 2 * 6720);
}

static void racks_of_one_host_have_a_base_rtt(void **state)
{
    (void)state;
    cfg = config_of(WEIR_CHAIN);
    cfg.hosts = cfg.switches = 2;
    build_and_route();
    assert_int_equal(weir_route_base_rtt_ps(&routes, &topo, 1000, 1000), 2 * (2500000 + 500000 + 2 * 80000 + 20000));
}

static void one_packet_is_stored_and_forwarded_at_every_hop(void **state)
{
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build_and_route();
    assert_path_links(0, 143, 4);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 1, 1538, 0), 3500000 + 2 * 123040 + 2 * 30760);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 0, 1538, 84), 3500000 + 2 * 6720 + 2 * 1680);
}

/* Ten full packets stand behind each other on the host's link; the eleventh, 84 B, catches up, and at the last link it
 * waits until the tenth is through. */
static void a_short_last_packet_waits_for_the_one_before(void **state)
{
    uint64_t tenth_ps = 3500000 + 11 * 123040 + 2 * 30760;
    (void)state;
    cfg = config_of(WEIR_LEAF_SPINE);
    build_and_route();
    assert_path_links(0, 143, 4);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 10, 1538, 0), tenth_ps);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 10, 1538, 84), tenth_ps + 6720);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 10, 1538, 1538), tenth_ps + 123040);
}

/* A bottleneck in the middle spaces packets out; the fast last link does not bunch them again. Core at 10 Gbps: 1250 B
 * take 1 us there and 0.1 us on a host's link. */
static void the_slowest_link_spaces_the_packets(void **state)
{
    (void)state;
    cfg = config_of(WEIR_DUMBBELL);
    cfg.core_link_bps = 10 * GBPS;
    build_and_route();
    assert_path_links(0, 143, 3);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 5, 1250, 0), 3000000 + 100000 + 5 * 1000000 + 100000);
    assert_int_equal(weir_route_ideal_ps(&topo, &path, 5, 1250, 125), 3000000 + 100000 + 5 * 1000000 + 100000 + 10000);
}

/* 2^32 packets at 1 Mbps last 10 years: more than 64 bits of picoseconds. */
static void times_beyond_64_bits_saturate(void **state)
{
    (void)state;
    cfg = config_of(WEIR_STAR);
    cfg.host_link_bps = WEIR_RATE_MIN_BPS;
    build_and_route();
    assert_path_links(0, 1, 2);
    assert_true(weir_route_ideal_ps(&topo, &path, UINT64_C(1) << 32, 9728, 0) == UINT64_MAX);
    assert_true(weir_route_ideal_ps(&topo, &path, UINT64_C(1) << 32, 9728, 100) == UINT64_MAX);
    assert_true(weir_route_ideal_ps(&topo, &path, UINT64_MAX, 1, 1) == UINT64_MAX);
    assert_true(weir_route_ideal_ps(&topo, &path, 2, 9728, 0) == 2 * UINT64_C(1250000) + 3 * UINT64_C(77824000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(paths_have_2_4_or_6_links, teardown),
        cmocka_unit_test_teardown(switches_between_first_hop_switches_are_one_less_than_links, teardown),
        cmocka_unit_test_teardown(the_mean_path_of_darts_network_is_5_85_links, teardown),
        cmocka_unit_test_teardown(the_longest_chain_is_66_links, teardown),
        cmocka_unit_test_teardown(a_host_has_no_path_to_itself_or_through_a_cut, teardown),
        cmocka_unit_test_teardown(the_base_rtt_of_sirds_network_is_7324_4_ns, teardown),
        cmocka_unit_test_teardown(the_base_rtt_of_a_star_is_within_its_switch, teardown),
        cmocka_unit_test_teardown(racks_of_one_host_have_a_base_rtt, teardown),
        cmocka_unit_test_teardown(one_packet_is_stored_and_forwarded_at_every_hop, teardown),
        cmocka_unit_test_teardown(a_short_last_packet_waits_for_the_one_before, teardown),
        cmocka_unit_test_teardown(the_slowest_link_spaces_the_packets, teardown),
        cmocka_unit_test_teardown(times_beyond_64_bits_saturate, teardown),
    };
    return cmocka_run_group_tests_name("topology/path", tests, NULL, NULL);
}
