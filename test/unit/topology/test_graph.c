/* test/unit/topology/test_graph.c - which graphs are networks, with which code and key the others are refused, and how one is laid out. */
#include "core/feature_setup.h"
#include "test/unit/refusal.h"
#include "test/unit/topology/graph_fixture.h"
#include <stdlib.h>
#include <string.h>

static struct weir_topology topo;

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

static void refused(enum weir_err_code code, uint32_t line, const char *key)
{
    struct weir_err err = { 0 };
    assert_int_equal(weir_graph_check(&rig.graph, &rig.where, &err), code);
    assert_refusal(&err, code, NULL, key);
    assert_int_equal(err.line, line);
}

/* --- what is refused --- */

static void a_network_has_2_hosts(void **state)
{
    (void)state;
    begin_graph(1, 1);
    join(0, sw(0));
    refused(WEIR_E_RANGE, 1, "hosts");
    begin_graph(2, 0);
    refused(WEIR_E_CONFLICT, 100, "h0");
    begin_graph(2, 1);
    rig.graph.host_count = WEIR_HOSTS_MAX + 1;
    refused(WEIR_E_RANGE, 1, "hosts");
    rig.graph.host_count = 2, rig.graph.switch_count = 65536;
    refused(WEIR_E_RANGE, 1, "switches");
    rig.graph.switch_count = 1, rig.graph.cable_count = (1u << 22) + 1;
    refused(WEIR_E_RANGE, 1, "cables");
}

static void a_host_has_1_to_16_cables(void **state)
{
    struct weir_err err;
    (void)state;
    begin_graph(3, 2);
    join(0, sw(0));
    join(sw(0), 1);
    join(sw(0), sw(1));
    refused(WEIR_E_CONFLICT, 102, "h2");
    join(2, sw(1));
    for (uint32_t i = 0; i < 7; i++)
        join(0, sw(1));
    for (uint32_t i = 0; i < 8; i++)
        join(1, 0);
    assert_int_equal(weir_graph_check(&rig.graph, &rig.where, &err), 0);
    join(sw(1), 0);
    refused(WEIR_E_CONFLICT, 1000 + 19, "h0 has more than 16");
}

static void a_cable_joins_two_nodes(void **state)
{
    struct weir_err err;
    (void)state;
    begin_graph(2, 1);
    join(0, sw(0));
    join(0, 1);
    assert_int_equal(weir_graph_check(&rig.graph, &rig.where, &err), 0);
    join(1, 1);
    refused(WEIR_E_CONFLICT, 1002, "h1 to itself");
    begin_graph(2, 1);
    join(0, sw(0));
    join(1, sw(0));
    join(sw(0), sw(0));
    refused(WEIR_E_CONFLICT, 1002, "s0");
}

static void a_network_is_connected(void **state)
{
    (void)state;
    begin_graph(3, 4);
    join(0, sw(0));
    join(1, sw(0));
    join(2, sw(1));
    join(sw(1), sw(2));
    join(sw(0), sw(3));
    refused(WEIR_E_CONFLICT, 102, "h0");
    begin_graph(2, 3);
    join(0, sw(0));
    join(1, sw(0));
    join(sw(1), sw(2));
    refused(WEIR_E_CONFLICT, 103, "h0");
}

static void links_from_hosts_and_to_them_have_any_rates(void **state)
{
    (void)state;
    begin_graph(2, 1);
    join_unlike(0, sw(0), 10, 1, 40, 1);
    join_unlike(sw(0), 1, 25, 1, 10, 1);
    build_graph(&topo);
    assert_true(topo.host_link_bps == 10 * GBPS);
    assert_false(topo.has_unlike_hosts);
    weir_topology_free(&topo);
    begin_graph(2, 1);
    join_unlike(0, sw(0), 10, 1, 40, 1);
    join_unlike(1, sw(0), 25, 1, 10, 1);
    build_graph(&topo);
    assert_true(topo.host_link_bps == 25 * GBPS); /* of the fastest */
    assert_true(topo.has_unlike_hosts);
}

static void a_switch_with_more_cables_than_port_numbers_is_refused(void **state)
{
    enum { CABLES = WEIR_PORTS_MAX + 1 };
    struct weir_cable *cable = calloc(CABLES, sizeof(*cable));
    struct weir_tok *at = calloc(CABLES, sizeof(*at));
    (void)state;
    assert_non_null(cable);
    assert_non_null(at);
    begin_graph(2, 2);
    for (uint32_t i = 0; i < CABLES; i++)
        cable[i] = weir_cable_of(i < 2 ? i : sw(1), sw(0), GBPS, 1);
    rig.graph.cable = cable;
    rig.where.cable = at;
    rig.graph.cable_count = CABLES;
    refused(WEIR_E_RANGE, 0, "s0");
    free(cable);
    free(at);
}

static void names_hold_nothing_that_separates_names(void **state)
{
    static const char *const fine[] = {
        "h0", "a", "leaf 3", "Z\xc3\xbcrich-1", "a-b", "a>b", "a#1", "a.b", "1234567890123456789012345678901"
    };
    static const char *const wrong[] = { "",     " a",   "a ",   "a - b", "a > b",
                                         "a #1", "a..b", "a\tb", "a\x7f", "12345678901234567890123456789012" };
    (void)state;
    for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
        assert_null(weir_graph_name_flaw(fine[i]));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_non_null(weir_graph_name_flaw(wrong[i]));
}

/* --- what is built --- */

/* s0 and s3 have hosts; s1 hangs between them, s2 behind s1, s4 behind s2. */
static void a_tier_is_the_distance_from_the_nearest_host(void **state)
{
    static const uint32_t want[] = { 1, 2, 3, 1, 4 };
    (void)state;
    begin_graph(3, 5);
    join(0, sw(0));
    join(1, sw(3));
    join(2, sw(3));
    join(sw(0), sw(1));
    join(sw(1), sw(3));
    join(sw(1), sw(2));
    join(sw(4), sw(2));
    build_graph(&topo);
    for (uint32_t h = 0; h < 3; h++)
        assert_int_equal(topo.node[h].tier, 0);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(topo.node[sw(i)].tier, want[i]);
    assert_int_equal(topo.edge_count, 2);
    assert_int_equal(topo.edge_node[1], sw(3));
    assert_int_equal(topo.edge_of[2], 1);
}

/* Two switches with hosts, one above both, and a cable between them. */
static void a_port_goes_up_if_it_leads_farther_from_hosts(void **state)
{
    (void)state;
    begin_graph(2, 3);
    join(0, sw(0));
    join(1, sw(1));
    join(sw(0), sw(1));
    join(sw(0), sw(2));
    join(sw(1), sw(2));
    build_graph(&topo);
    for (uint32_t l = 0; l < topo.link_count; l++) {
        bool up = topo.link[l].dst == sw(2); /* not along, not down, and not a host's */
        assert_int_equal(weir_topology_port(&topo, l).goes_up, up);
    }
}

/* h0 has cables to h1 (twice), s1 and s0 (laid in another order); h1 to s0, h2 to s1. */
static void nics_are_ordered_by_the_node_at_the_other_end(void **state)
{
    static const uint32_t want[] = { 1, 1, 3, 4 };
    (void)state;
    begin_graph(3, 2);
    join(sw(1), 0);
    join_unlike(1, 0, 10, 5, 10, 6);
    join(0, sw(0));
    join(1, sw(0));
    join_unlike(0, 1, 10, 7, 10, 8);
    join(2, sw(1));
    join(sw(0), sw(1));
    build_graph(&topo);
    assert_int_equal(topo.nics_max, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(topo.link[topo.node[0].first_out + i].dst, want[i]);
    assert_int_equal(topo.link[topo.node[0].first_out].delay_ps, 6000); /* of parallel ones first the first */
    assert_int_equal(topo.link[topo.node[0].first_out + 1].delay_ps, 7000);
    assert_int_equal(topo.edge_of[0], 0);
    assert_int_equal(topo.host_port[0], 0);
    assert_int_equal(topo.edge_of[2], 1);
    assert_int_equal(topo.node[sw(0)].tier, 1);
}

/* The network of the test above: between h0 and h1 their two cables, else the NIC that is nearer. h1 reaches h2 by s0, as
 * h0 does not forward. */
static void the_nearest_nics_lead_to_a_host(void **state)
{
    struct weir_routes routes;
    struct weir_route_path path;
    (void)state;
    begin_graph(3, 2);
    join(0, sw(1));
    join(1, 0);
    join(0, sw(0));
    join(1, sw(0));
    join(0, 1);
    join(2, sw(1));
    join(sw(0), sw(1));
    build_graph(&topo);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 1), 3);
    assert_int_equal(weir_route_nics(&routes, &topo, 1, 0), 3);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 2), 8);
    assert_int_equal(weir_route_nics(&routes, &topo, 2, 0), 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 1, 2), 4);
    assert_int_equal(weir_route_nics(&routes, &topo, 2, 1), 1);
    assert_true(weir_route_path(&routes, &topo, 1, 2, 5, &path));
    assert_int_equal(path.count, 3);
    assert_true(weir_route_path_from(&routes, &topo, 0, 1, 1, 5, &path));
    assert_int_equal(path.count, 1);
    assert_int_equal(weir_route_links_max(&routes, &topo), 3);
    weir_routes_free(&routes);
}

static void two_hosts_and_a_cable_are_a_network(void **state)
{
    struct weir_routes routes;
    (void)state;
    begin_graph(2, 0);
    join(0, 1);
    build_graph(&topo);
    assert_true(weir_topology_has_nics(&topo));
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 1), 1);
    weir_routes_free(&routes);
}

static void nodes_and_cables_are_found_by_their_names(void **state)
{
    char name[WEIR_LINK_NAME];
    uint32_t link;
    (void)state;
    begin_graph(2, 2);
    (void)strcpy(rig.name[0], "client one");
    (void)strcpy(rig.name[3], "s-1");
    join(0, sw(0));
    join(1, sw(1));
    join_unlike(sw(0), sw(1), 10, 5, 10, 6);
    join_unlike(sw(1), sw(0), 10, 7, 10, 8);
    build_graph(&topo);
    assert_int_equal(weir_topology_find_node(&topo, "client one"), 0);
    assert_int_equal(weir_topology_find_node(&topo, "  s-1 "), 3);
    assert_int_equal(weir_topology_find_node(&topo, "s-"), UINT32_MAX);
    assert_int_equal(weir_topology_find_node(&topo, "s-12"), UINT32_MAX);
    assert_int_equal(weir_topology_find_node(&topo, "host 0"), UINT32_MAX);
    link = weir_topology_find_link(&topo, "s-1 - s0 #2");
    assert_int_equal(topo.link[link].delay_ps, 7000);
    weir_topology_link_name(&topo, link, name, sizeof(name));
    assert_string_equal(name, "s-1 > s0 #2");
    link = weir_topology_find_link(&topo, "s0 - s-1");
    assert_int_equal(topo.link[link].delay_ps, 5000);
    weir_topology_link_name(&topo, topo.node[0].first_out, name, sizeof(name));
    assert_string_equal(name, "client one > s0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_network_has_2_hosts),
        cmocka_unit_test(a_host_has_1_to_16_cables),
        cmocka_unit_test(a_cable_joins_two_nodes),
        cmocka_unit_test(a_network_is_connected),
        cmocka_unit_test_teardown(links_from_hosts_and_to_them_have_any_rates, teardown),
        cmocka_unit_test(a_switch_with_more_cables_than_port_numbers_is_refused),
        cmocka_unit_test(names_hold_nothing_that_separates_names),
        cmocka_unit_test_teardown(a_tier_is_the_distance_from_the_nearest_host, teardown),
        cmocka_unit_test_teardown(a_port_goes_up_if_it_leads_farther_from_hosts, teardown),
        cmocka_unit_test_teardown(nics_are_ordered_by_the_node_at_the_other_end, teardown),
        cmocka_unit_test_teardown(the_nearest_nics_lead_to_a_host, teardown),
        cmocka_unit_test_teardown(two_hosts_and_a_cable_are_a_network, teardown),
        cmocka_unit_test_teardown(nodes_and_cables_are_found_by_their_names, teardown),
    };
    return cmocka_run_group_tests_name("topology/graph", tests, NULL, NULL);
}
