/* test/unit/config/test_topology_htsim.c - htsim's .topo: which network its numbers are, and what is refused and where. */
#include "test/unit/config/topology_text.h"

#define LEAVES                                                                                                         \
    "# two tiers\nNodes 8\nTiers 2\nPodsize 8\n\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 4\nRadix_Up 2\n"          \
    "Downlink_Latency_ns 1000\nOversubscribed 2\nTier 1\nDownlink_speed_Gbps 100\nRadix_Down 2\n"                      \
    "Downlink_Latency_ns 500\nSwitch_Latency_ns 30\n"

static void two_tiers_are_a_leaf_spine(void **state)
{
    (void)state;
    topology_text_accept(LEAVES);
    assert_int_equal(topo.host_count, 8);
    assert_int_equal(topo.switch_count, 2 + 2);
    assert_int_equal(topo.link_count, 2 * (8 + 4));
    assert_null(topo.note);
    assert_null(topo.host_id);
    assert_link_ns("host 3 - tor 0", 100, 1000);
    assert_link_ns("host 4 - tor 1", 100, 1000);
    assert_link_ns("tor 1 - agg 0", 100, 530); /* a packet waits for the switch before it is queued there */
    assert_link_ns("agg 0 - tor 1", 100, 500);
    assert_int_equal(topo.node[weir_topology_find_node(&topo, "agg 1")].tier, 2);
}

/* Two pods of four hosts, bundles above both tiers, and unlike speeds. Keys in any case, queues, carriage returns. */
static void three_tiers_are_a_fat_tree_with_bundles(void **state)
{
    (void)state;
    topology_text_accept("NODES 8\r\nTIERS 3\r\nPODSIZE 4\r\ntier 2\r\nDownlink_speed_Gbps 100\r\nRadix_Down 4\r\n"
                         "Bundle 2\r\nDownlink_Latency_ns 3\r\nQueue_Down 5\r\n"
                         "TIER 1\r\ndownlink_speed_gbps 200\r\nRadix_Down 4\r\nRadix_Up 4\r\nBundle 2\r\n"
                         "Oversubscribed 2\r\nDownlink_Latency_ns 2\r\nSwitch_Latency_ns 7\r\n"
                         "Tier 0\r\nDownlink_speed_Gbps 200\r\nRadix_Down 2\r\nRadix_Up 2\r\nDownlink_Latency_ns 1\r\n"
                         "Switch_Latency_ns 0\r\nQueue_Up 100000\r\n");
    assert_int_equal(topo.host_count, 8);
    assert_int_equal(topo.switch_count, 4 + 2 + 2); /* one aggregation switch to a pod, two core switches */
    assert_int_equal(topo.link_count, 2 * (8 + 4 * 2 + 2 * 2 * 2));
    assert_link_ns("host 7 - tor 3", 200, 1);
    assert_link_ns("tor 3 - agg 1 #2", 200, 9);
    assert_link_ns("agg 1 - tor 3 #2", 200, 2);
    assert_link_ns("agg 0 - core 1 #2", 100, 3);
    assert_link_ns("core 1 - agg 0", 100, 10);
    assert_int_equal(weir_topology_find_link(&topo, "tor 3 - agg 0"), UINT32_MAX);
    assert_non_null(topo.note);
}

static void core_switches_are_wired_by_position(void **state)
{
    (void)state;
    topology_text_accept("Nodes 16\nTiers 3\nPodsize 4\n"
                         "Tier 0\nDownlink_speed_Gbps 10\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n"
                         "Tier 1\nDownlink_speed_Gbps 10\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n"
                         "Tier 2\nDownlink_speed_Gbps 10\nRadix_Down 4\nDownlink_Latency_ns 1\n");
    assert_int_equal(topo.switch_count, 8 + 8 + 4);
    for (uint32_t agg = 0; agg < 8; agg++)
        for (uint32_t core = 0; core < 4; core++) {
            char name[WEIR_LINK_NAME];
            (void)snprintf(name, sizeof(name), "agg %u - core %u", agg, core);
            assert_int_equal(weir_topology_find_link(&topo, name) != UINT32_MAX, agg % 2 == core % 2);
        }
}

#define TOR "Tier 0\nDownlink_speed_Gbps 10\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n" /* 5 lines */
#define TOP(radix) "Tier 1\nDownlink_speed_Gbps 10\nRadix_Down " #radix "\nDownlink_Latency_ns 1\n"
#define HEAD "Nodes 4\nTiers 2\nPodsize 4\n" /* lines 1 to 3 */

static void each_error_has_its_line(void **state)
{
    static const struct topology_refusal refusals[] = {
        { "Nodes 4\nTiers 2\n" TOR TOP(2), "podsize", 0, 0, WEIR_E_SYNTAX },
        { "Nodes 4\nTiers 4\n", "tiers", 2, 7, WEIR_E_RANGE },
        { "Nodes 4\nTiers 1\n", "tiers", 2, 7, WEIR_E_RANGE },
        { "Nodes 0\n", "nodes", 1, 7, WEIR_E_RANGE },
        { "Nodes 9999999\n", "nodes", 1, 7, WEIR_E_RANGE },
        { "Nodes\n", "", 1, 1, WEIR_E_SYNTAX }, /* not htsim's: YAML then, and that refuses it */
        { "Nodes 4\nNodes 4\n", "nodes", 2, 1, WEIR_E_CONFLICT },
        { "Nodes 4\nRadix_Up 2\n", "Radix_Up", 2, 1, WEIR_E_UNKNOWN },
        { HEAD "Teer 0\n", "Teer", 4, 1, WEIR_E_UNKNOWN },
        { HEAD "Tier 3\n", "tier", 4, 6, WEIR_E_RANGE },
        { HEAD "Tier\n", "tier", 4, 1, WEIR_E_SYNTAX },
        { HEAD TOR "Tier 0\n", "tier", 9, 1, WEIR_E_CONFLICT },
        { HEAD TOR, "tier 1", 0, 0, WEIR_E_SYNTAX },
        { HEAD TOR "Radix_Up 2\n" TOP(2), "radix_up", 9, 1, WEIR_E_CONFLICT },
        { HEAD "Tier 0\nRadix_Down 2\nRadix_Up 2\nDownlink_Latency_ns 1\n" TOP(2), "downlink_speed_gbps", 4, 0,
          WEIR_E_SYNTAX },
        { HEAD "Tier 0\nDownlink_speed_Gbps 10\nRadix_Down 2\nDownlink_Latency_ns 1\n" TOP(2), "radix_up", 4, 0,
          WEIR_E_SYNTAX },
        { HEAD TOR TOP(2) "Radix_Up 2\n", "radix_up", 13, 0, WEIR_E_CONFLICT },
        { HEAD TOR TOP(2) "Tier 2\n", "tier 2", 13, 0, WEIR_E_CONFLICT },
        { HEAD "Tier 0\nDownlink_speed_Gbps 0\n", "downlink_speed_gbps", 5, 21, WEIR_E_RANGE },
        { HEAD "Tier 0\nDownlink_speed_Gbps 9000\n", "downlink_speed_gbps", 5, 21, WEIR_E_RANGE },
        { HEAD "Tier 0\nDownlink_speed_Gbps 12.5\n", "downlink_speed_gbps", 5, 21, WEIR_E_SYNTAX },
        { HEAD "Tier 0\nDownlink_Latency_ns 0\n", "downlink_latency_ns", 5, 21, WEIR_E_RANGE },
        { HEAD "Tier 0\nRadix_Down 99999999999999999999\n", "radix_down", 5, 12, WEIR_E_RANGE },
        { "Nodes 4\nTiers 2\nPodsize 2\n" TOR TOP(2), "podsize", 3, 0, WEIR_E_CONFLICT },
        { "Nodes 4\nTiers 3\nPodsize 3\n" TOR TOP(
              2) "Radix_Up 2\nTier 2\nDownlink_speed_Gbps 10\nRadix_Down 1\nDownlink_Latency_ns 1\n",
          "nodes", 1, 0, WEIR_E_CONFLICT },
        { "Nodes 5\nTiers 2\nPodsize 5\n" TOR TOP(2), "podsize", 3, 0, WEIR_E_CONFLICT },
        { HEAD TOR TOP(3), "radix_down", 11, 0, WEIR_E_CONFLICT },
        { HEAD TOR TOP(2) "Bundle 4\n", "radix_up", 7, 0, WEIR_E_CONFLICT },
        { HEAD TOR "Bundle 2\n" TOP(2), "bundle", 9, 0, WEIR_E_CONFLICT },
        { HEAD TOR "Oversubscribed 4\n" TOP(2), "oversubscribed", 9, 0, WEIR_E_CONFLICT },
        { HEAD "Tier 0\nDownlink_speed_Gbps 10\nRadix_Down 4\nRadix_Up 2\nDownlink_Latency_ns 1\n" TOP(1),
          "oversubscribed", 4, 0, WEIR_E_CONFLICT },
        { "Nodes 65536\nTiers 2\nPodsize 65536\nTier 0\nDownlink_speed_Gbps 10\nRadix_Down 1\nRadix_Up "
          "1\nDownlink_Latency_ns 1\n"
          "Tier 1\nDownlink_speed_Gbps 10\nRadix_Down 65535\nDownlink_Latency_ns 1\n",
          "radix_down", 11, 0, WEIR_E_CONFLICT },
        { "Nodes 65535\nTiers 2\nPodsize 65535\nTier 0\nDownlink_speed_Gbps 10\nRadix_Down 1\nRadix_Up "
          "1\nDownlink_Latency_ns 1\n"
          "Tier 1\nDownlink_speed_Gbps 10\nRadix_Down 65535\nDownlink_Latency_ns 1\n",
          "65536 switches", 1, 0, WEIR_E_RANGE },
        { "Nodes 10000\nTiers 2\nPodsize 10000\nTier 0\nDownlink_speed_Gbps 10\nRadix_Down 1\nRadix_Up "
          "10000\nDownlink_Latency_ns 1\n"
          "Tier 1\nDownlink_speed_Gbps 10\nRadix_Down 10000\nDownlink_Latency_ns 1\n",
          "oversubscribed", 4, 0, WEIR_E_CONFLICT },
    };
    (void)state;
    topology_text_refuse(refusals, sizeof(refusals) / sizeof(refusals[0]), WEIR_TOPOLOGY_AUTO);
}

/* Few switches, and eight million cables. */
static void too_many_cables_are_refused_before_they_are_laid(void **state)
{
    static const struct topology_refusal many = {
        "Nodes 1000000\nTiers 2\nPodsize 1000000\nTier 0\nDownlink_speed_Gbps 80\nRadix_Down 1000\nRadix_Up 8000\n"
        "Downlink_Latency_ns 1\nTier 1\nDownlink_speed_Gbps 10\nRadix_Down 8000\nDownlink_Latency_ns 1\nBundle 8\n",
        "9000000 cables", 1, 0, WEIR_E_RANGE
    };
    (void)state;
    topology_text_refuse(&many, 1, WEIR_TOPOLOGY_AUTO);
}

static void the_key_format_decides_where_it_is_given(void **state)
{
    static const struct topology_refusal yaml = { "hosts: [a]\n", "hosts", 1, 1, WEIR_E_UNKNOWN };
    (void)state;
    topology_text_refuse(&yaml, 1, WEIR_TOPOLOGY_HTSIM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(two_tiers_are_a_leaf_spine, topology_text_teardown),
        cmocka_unit_test_teardown(three_tiers_are_a_fat_tree_with_bundles, topology_text_teardown),
        cmocka_unit_test_teardown(core_switches_are_wired_by_position, topology_text_teardown),
        cmocka_unit_test_teardown(each_error_has_its_line, topology_text_teardown),
        cmocka_unit_test_teardown(too_many_cables_are_refused_before_they_are_laid, topology_text_teardown),
        cmocka_unit_test_teardown(the_key_format_decides_where_it_is_given, topology_text_teardown),
    };
    return cmocka_run_group_tests_name("config/topology_htsim", tests, NULL, NULL);
}
