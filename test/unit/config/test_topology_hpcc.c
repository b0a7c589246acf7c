/* test/unit/config/test_topology_hpcc.c - topologies of HPCC's family: ids, dialects, rates, and what is refused and where. */
#include "test/unit/config/topology_text.h"
#include "core/feature_setup.h"

#define LINKS "0 1 100Gbps 1000ns 0\n0 3 25Gbps 0.001ms 0.000\n2 3 100Gbps 1us 0\n" /* switches 0 and 3 */

static void hosts_are_the_nodes_that_are_no_switches(void **state)
{
    char name[WEIR_NODE_NAME];
    (void)state;
    topology_text_accept("4 2 3\r\n0\r\n3 0 1 100Gbps 1000ns 0\r\n0 3 25Gbps 0.001ms 0.000\r\n2 3 100Gbps 1us 0\r\n"
                         "\r\nFirst line: total node #\r\nsrc0 dst0 rate\r\n");
    assert_int_equal(topo.host_count, 2);
    assert_int_equal(topo.switch_count, 2);
    assert_int_equal(topo.host_id[0], 1);
    assert_int_equal(topo.host_id[1], 2);
    weir_topology_node_name(&topo, 1, name, sizeof(name));
    assert_string_equal(name, "h2");
    assert_link_ns("h1 - s0", 100, 1000);
    assert_link_ns("s3 - s0", 25, 1000);
    assert_link_ns("s3 - h2", 100, 1000);
}

static void the_fifth_column_is_the_loss_of_both_directions(void **state)
{
    (void)state;
    topology_text_accept("3 1 2\n2\n0 2 10Gbps 1us 0.0015\n1 2 10Gbps 1us 0\n");
    assert_int_equal(topo.link[weir_topology_find_link(&topo, "h0 - s2")].loss_ppb, 1500000);
    assert_int_equal(topo.link[weir_topology_find_link(&topo, "s2 - h0")].loss_ppb, 1500000);
    assert_int_equal(topo.link[weir_topology_find_link(&topo, "h1 - s2")].loss_ppb, 0);
    assert_int_equal(weir_topology_port(&topo, 0).loss_ppb, 1500000);
}

static void ids_that_are_the_numbers_of_hosts_need_no_table(void **state)
{
    (void)state;
    topology_text_accept("3 1 2\n2\n0 2 10000000000.0 1us 0\n1 2 10Gb/s 1us 0\n");
    assert_null(topo.host_id);
    assert_link_ns("h1 - s2", 10, 1000);
}

static void the_dialects_first_lines_are_told_apart_by_their_words(void **state)
{
    static const char *const heads[] = { "4 2 3", "4 2 1 3", "4 2 1 3 100000000 200000000", "4 2 1 1 3 H100" };
    char text[256];
    (void)state;
    for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
        (void)snprintf(text, sizeof(text), "%s\n0 3\n%s", heads[i], LINKS);
        topology_text_accept(text);
        assert_int_equal(topo.host_count, 2);
        assert_int_equal(topo.link_count, 6);
    }
}

static void each_error_has_its_line(void **state)
{
    static const struct topology_refusal refusals[] = {
        { "4 2 3 1 2\n0 3\n" LINKS, "words", 1, 0, WEIR_E_SYNTAX },
        { "4 4 3\n0 3\n" LINKS, "switches", 1, 1, WEIR_E_RANGE },
        { "4 0 3\n" LINKS, "switches", 1, 1, WEIR_E_RANGE },
        { "4 2 2\n0 3\n" LINKS, "links", 1, 1, WEIR_E_RANGE },
        { "4294967296 2 4000000\n0 3\n" LINKS, "nodes", 1, 1, WEIR_E_RANGE },
        { "1000000 2 4000000\n0 3\n" LINKS, "links", 1, 1, WEIR_E_CONFLICT },
        { "4 2 99999999\n0 3\n" LINKS, "links", 1, 5, WEIR_E_RANGE },
        { "4 70000 3\n0 3\n" LINKS, "switches", 1, 3, WEIR_E_RANGE },
        { "4 2 3\n0 4\n" LINKS, "switch", 2, 3, WEIR_E_RANGE },
        { "4 2 3\n0 x\n" LINKS, "switch", 2, 3, WEIR_E_SYNTAX },
        { "4 2 3\n0 0\n" LINKS, "switch 0", 2, 3, WEIR_E_CONFLICT },
        { "4 2 4\n0 3\n" LINKS, "4 links", 1, 0, WEIR_E_CONFLICT },
        { "4 2 3\n0 3\n0 1 100Gbps 1us\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "words", 3, 1, WEIR_E_SYNTAX },
        { "4 2 3\n0 3\n0 7 100Gbps 1us 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "dst", 3, 3, WEIR_E_RANGE },
        { "4 2 3\n0 3\n0 1 100Gbs 1us 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "rate", 3, 5, WEIR_E_UNIT },
        { "4 2 3\n0 3\n0 1 fast 1us 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "rate", 3, 5, WEIR_E_SYNTAX },
        { "4 2 3\n0 3\n0 1 100Tbps 1us 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "rate", 3, 5, WEIR_E_RANGE },
        { "4 2 3\n0 3\n0 1 100Gbps 0ns 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "delay", 3, 13, WEIR_E_RANGE },
        { "4 2 3\n0 3\n0 1 100Gbps 1000 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "delay", 3, 13, WEIR_E_UNIT },
        { "4 2 3\n0 3\n0 1 100Gbps 2s 0\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "delay", 3, 13, WEIR_E_RANGE },
        { "4 2 3\n0 3\n0 1 100Gbps 1us 1.001\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "loss", 3, 17, WEIR_E_RANGE },
        { "4 2 3\n0 3\n0 1 100Gbps 1us no\n0 3 25Gbps 1us 0\n2 3 100Gbps 1us 0\n", "loss", 3, 17, WEIR_E_SYNTAX },
        { "4 2 4\n0 3\n" LINKS "1 1 100Gbps 1us 0\n", "h1 to itself", 6, 1, WEIR_E_CONFLICT },
        { "4 2 4\n0 3\n" LINKS "3 3 100Gbps 1us 0\n", "s3 to itself", 6, 1, WEIR_E_CONFLICT },
        { "5 2 4\n0 3\n" LINKS "0 3 100Gbps 1us 0\n", "h4", 2, 0, WEIR_E_CONFLICT }, /* a host without a link */
    };
    (void)state;
    topology_text_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), WEIR_TOPOLOGY_AUTO);
}

/* Two servers of two GPUs behind NVSwitches 5 and 4, in this order; rails are switches 6 and 7; 0 and 1 have a cable, too. */
#define SERVERS                                                                                                        \
    "0 4 2400Gbps 0.000025ms 0\n1 4 2400Gbps 0.000025ms 0\n2 5 2400Gbps 0.000025ms 0\n3 5 2880Gbps 0.000025ms 0\n"     \
    "0 6 100Gbps 0.0005ms 0\n1 7 100Gbps 0.0005ms 0.001\n2 6 100Gbps 0.0005ms 0\n3 7 200Gbps 0.0005ms 0\n"             \
    "6 8 400Gbps 0.0005ms 0\n7 8 400Gbps 0.0005ms 0\n0 1 900Gbps 10ns 0\n"

static void a_gpu_of_simai_has_a_nic_for_each_link(void **state)
{
    char name[WEIR_NODE_NAME];
    struct weir_routes routes;
    (void)state;
    topology_text_accept("9 2 2 3 11 H100\n5 4 6 7 8 \n" SERVERS);
    assert_int_equal(topo.host_count, 4);
    assert_int_equal(topo.switch_count, 5);
    assert_null(topo.host_id);
    assert_null(topo.note);
    assert_int_equal(topo.nics_max, 3);
    weir_topology_node_name(&topo, 4, name, sizeof(name));
    assert_string_equal(name, "nvswitch4");
    weir_topology_node_name(&topo, 6, name, sizeof(name));
    assert_string_equal(name, "s6");
    assert_int_equal(topo.node[4].tier, 1);
    assert_int_equal(topo.node[6].tier, 1);
    assert_int_equal(topo.node[8].tier, 2);
    assert_link_ns("h3 - nvswitch5", 2880, 25);
    assert_link_ns("h0 - nvswitch4", 2400, 25);
    assert_link_ns("h3 - s7", 200, 500);
    assert_link_ns("h1 - h0", 900, 10);
    assert_int_equal(topo.link[weir_topology_find_link(&topo, "s7 - h1")].loss_ppb, 1000000);
    route(&routes, &topo, WEIR_ROUTE_ECMP, 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 1), 1); /* of its three: h1, nvswitch4, s6 */
    assert_int_equal(weir_route_nics(&routes, &topo, 2, 3), 1);
    assert_int_equal(weir_route_nics(&routes, &topo, 0, 2), 4);
    assert_int_equal(weir_route_nics(&routes, &topo, 3, 0), 2);
    weir_routes_free(&routes);
}

static void what_is_wrong_in_a_file_of_simai_has_its_line(void **state)
{
    static const struct topology_refusal refusals[] = {
        { "9 3 2 3 11 H100\n5 4 6 7 8\n" SERVERS, "4 GPUs: no servers of 3", 1, 3, WEIR_E_CONFLICT },
        { "9 0 2 3 11 H100\n5 4 6 7 8\n" SERVERS, "no servers of 0", 1, 3, WEIR_E_CONFLICT },
        { "9 2 3 3 11 H100\n5 4 6 7 8 3\n" SERVERS, "3 GPUs", 1, 3, WEIR_E_CONFLICT },
        { "9 2 6 3 11 H100\n5 4 6 7 8\n" SERVERS, "9 of them switches", 1, 1, WEIR_E_RANGE },
        { "9 2 x 3 11 H100\n5 4 6 7 8\n" SERVERS, "NVSwitches", 1, 5, WEIR_E_SYNTAX },
        { "9 2 2 3 12 H100\n5 4 6 7 8\n" SERVERS, "12 links", 1, 0, WEIR_E_CONFLICT },
        { "9 2 2 3 H100\n5 4 6 7 8\n" SERVERS, "words", 1, 0, WEIR_E_SYNTAX },
        { "9 2 2 3 11 H100\n5 4 6 7 5\n" SERVERS, "switch 5", 2, 9, WEIR_E_CONFLICT },
        { "11 2 2 3 11 H100\n5 4 6 7 8\n" SERVERS, "h9 has no cable", 2, 0, WEIR_E_CONFLICT },
        { "10 2 2 4 11 H100\n5 4 6 7 8 9\n" SERVERS, "s9", 2, 0, WEIR_E_CONFLICT },
    };
    (void)state;
    topology_text_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), WEIR_TOPOLOGY_AUTO);
}

static void links_beyond_the_number_in_the_first_line_are_left_out(void **state)
{
    (void)state;
    topology_text_accept("4 2 3\n0 3\n" LINKS);
    assert_null(topo.note);
    topology_text_accept("4 2 3\n0 3\n" LINKS "0 3 nonsense\n");
    assert_int_equal(topo.link_count, 6);
    assert_non_null(topo.note);
}

/* The ids end with the file: its counts would have to be absurd to get there, as links are longer than ids. */
static void a_file_that_ends_among_the_switches_is_refused(void **state)
{
    static const struct topology_refusal cut = { "12 11 11\n0 1 2 3 4 5 6 7 8 9                                        "
                                                 "                                                                  \n",
                                                 "switches", 3, 0, WEIR_E_CONFLICT };
    (void)state;
    topology_text_refuse(&cut, 1, WEIR_TOPOLOGY_AUTO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(hosts_are_the_nodes_that_are_no_switches, topology_text_teardown),
        cmocka_unit_test_teardown(the_fifth_column_is_the_loss_of_both_directions, topology_text_teardown),
        cmocka_unit_test_teardown(ids_that_are_the_numbers_of_hosts_need_no_table, topology_text_teardown),
        cmocka_unit_test_teardown(the_dialects_first_lines_are_told_apart_by_their_words, topology_text_teardown),
        cmocka_unit_test_teardown(each_error_has_its_line, topology_text_teardown),
        cmocka_unit_test_teardown(a_gpu_of_simai_has_a_nic_for_each_link, topology_text_teardown),
        cmocka_unit_test_teardown(what_is_wrong_in_a_file_of_simai_has_its_line, topology_text_teardown),
        cmocka_unit_test_teardown(links_beyond_the_number_in_the_first_line_are_left_out, topology_text_teardown),
        cmocka_unit_test_teardown(a_file_that_ends_among_the_switches_is_refused, topology_text_teardown),
    };
    return cmocka_run_group_tests_name("config/topology_hpcc", tests, NULL, NULL);
}
