/* test/unit/topology/test_check.c - what is refused, with which code and key, and that nothing is left behind. */
#include "test/unit/refusal.h"
#include "test/unit/topology/topology_fixture.h"
#include "topology/plan.h"
#include <string.h>

static struct weir_err err;

static void assert_refused(const struct weir_topology_config *cfg, enum weir_err_code code, const char *key)
{
    struct weir_tok where = { .text = "topology", .file = "a.yaml", .line = 2, .col = 11 };
    struct weir_topology topo;
    assert_int_equal(weir_topology_build(&topo, cfg, &where, &err), code);
    assert_refusal(&err, code, "a.yaml:2:11", key);
    assert_true(err.hint[0] != '\0');
    assert_null(topo.node);
    assert_null(topo.link);
    weir_topology_free(&topo); /* nothing to free, and no harm in it */
}

static void a_fat_tree_wants_an_even_k_of_2_to_160(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.k = 5;
    assert_refused(&cfg, WEIR_E_RANGE, "k");
    cfg.k = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "k");
    cfg.k = 162;
    assert_refused(&cfg, WEIR_E_RANGE, "k");
    cfg.k = UINT32_MAX - 1;
    assert_refused(&cfg, WEIR_E_RANGE, "k");
}

static void oversubscription_is_1_or_more_and_hosts_have_20_bit_numbers(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.oversubscription = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "oversubscription");
    cfg.oversubscription = 32768;
    assert_refused(&cfg, WEIR_E_RANGE, "oversubscription");
    cfg.k = 16;
    cfg.oversubscription = 1024; /* 1024 * 1024 */
    assert_refused(&cfg, WEIR_E_CONFLICT, "k");
    cfg.k = 100;
    cfg.oversubscription = 32767;
    assert_refused(&cfg, WEIR_E_CONFLICT, "k");
    cfg.k = 4; /* two up and 65534 down */
    assert_refused(&cfg, WEIR_E_CONFLICT, "ports");
}

static void the_five_keys_of_a_fat_tree_come_together(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.pods = 16;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.edges = cfg.aggs = cfg.uplinks = 4;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.pods = 0, cfg.edge_hosts = 16;
    assert_refused(&cfg, WEIR_E_CONFLICT, "edges");
    cfg = darts_fat_tree();
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

static void a_fat_tree_by_its_pods_has_limits(void **state)
{
    struct weir_topology_config cfg = darts_fat_tree();
    (void)state;
    cfg.edge_hosts = 16384;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.pods = cfg.edges = cfg.edge_hosts = UINT32_MAX;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.pods = cfg.edges = cfg.edge_hosts = 1;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg = darts_fat_tree();
    cfg.aggs = 4096;
    assert_refused(&cfg, WEIR_E_RANGE, "aggs");
    cfg.aggs = 4, cfg.uplinks = UINT32_MAX;
    assert_refused(&cfg, WEIR_E_RANGE, "aggs");
    cfg.aggs = cfg.uplinks = 4095;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.pods = cfg.edges = cfg.aggs = cfg.uplinks = 1, cfg.edge_hosts = 65535;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.edge_hosts = 65534;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.pods = 256, cfg.edges = 256, cfg.edge_hosts = 1;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
    cfg.edges = 255;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.pods = 65535, cfg.edges = 1;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.pods = 65536;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods");
}

static void a_network_has_2_to_1048575_hosts(void **state)
{
    (void)state;
    for (int kind = WEIR_LEAF_SPINE; kind < WEIR_GRAPH; kind++) {
        struct weir_topology_config cfg = config_of((enum weir_topology_kind)kind);
        if (weir_topology_rows[kind]->own_hosts)
            continue; /* has its own count */
        cfg.hosts = 1;
        assert_refused(&cfg, WEIR_E_RANGE, "hosts");
        cfg.hosts = 1048576;
        assert_refused(&cfg, WEIR_E_RANGE, "hosts");
    }
}

static void no_switch_has_more_hosts_than_ports(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.hosts = 65536;
    assert_refused(&cfg, WEIR_E_CONFLICT, "ports");
    cfg.kind = WEIR_DUMBBELL, cfg.hosts = 131069;
    assert_refused(&cfg, WEIR_E_CONFLICT, "ports");
    cfg.hosts = 131068;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.kind = WEIR_CHAIN, cfg.switches = 2, cfg.hosts = 131067;
    assert_refused(&cfg, WEIR_E_CONFLICT, "ports");
}

static void racks_share_the_hosts_evenly(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.hosts = 145;
    assert_refused(&cfg, WEIR_E_CONFLICT, "hosts");
    cfg.racks = 65536;
    assert_refused(&cfg, WEIR_E_RANGE, "racks");
    cfg.racks = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "racks");
}

static void spines_ports_and_cables_have_their_limits(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.spines = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "spines");
    cfg.spines = 4096;
    assert_refused(&cfg, WEIR_E_RANGE, "spines");
    cfg.hosts = 65535, cfg.racks = 1, cfg.spines = 1;
    assert_refused(&cfg, WEIR_E_CONFLICT, "hosts");
    cfg.racks = 65535, cfg.spines = 64;
    assert_refused(&cfg, WEIR_E_CONFLICT, "racks");
}

static void a_chain_has_2_to_65_switches_and_no_bare_ones(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_CHAIN);
    (void)state;
    cfg.switches = 1;
    assert_refused(&cfg, WEIR_E_RANGE, "switches");
    cfg.switches = 66;
    assert_refused(&cfg, WEIR_E_RANGE, "switches");
    cfg.hosts = 2, cfg.switches = 3;
    assert_refused(&cfg, WEIR_E_CONFLICT, "switches");
}

static void a_link_has_a_delay_above_0(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_DUMBBELL);
    (void)state;
    cfg.host_delay_ps = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "host_delay");
    cfg.host_delay_ps = WEIR_PS_PER_S + 1;
    assert_refused(&cfg, WEIR_E_RANGE, "host_delay");
    cfg.host_delay_ps = 1;
    cfg.core_delay_ps = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "core_delay");
}

static void a_link_runs_at_1_mbps_to_8_tbps(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_CHAIN);
    (void)state;
    cfg.core_link_bps = 999999;
    assert_refused(&cfg, WEIR_E_RANGE, "core_link");
    cfg.host_link_bps = WEIR_RATE_MAX_BPS + 1;
    assert_refused(&cfg, WEIR_E_RANGE, "host_link");
}

static void an_unknown_kind_is_refused(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.kind = WEIR_GRAPH;
    assert_refused(&cfg, WEIR_E_UNKNOWN, "kind");
}

static void keys_unused_by_a_kind_are_ignored(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.core_link_bps = cfg.core_delay_ps = 0;
    cfg.racks = cfg.spines = cfg.k = cfg.oversubscription = cfg.switches = 0;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg = config_of(WEIR_FAT_TREE);
    cfg.hosts = cfg.racks = cfg.spines = cfg.switches = 0;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

static void the_extremes_are_allowed(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.k = 2;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.oversubscription = 32767;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.k = 100, cfg.oversubscription = 1;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.kind = WEIR_LEAF_SPINE, cfg.hosts = cfg.racks = 2, cfg.spines = 4095;
    cfg.host_link_bps = WEIR_RATE_MIN_BPS, cfg.core_link_bps = WEIR_RATE_MAX_BPS;
    cfg.host_delay_ps = 1, cfg.core_delay_ps = WEIR_PS_PER_S;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.kind = WEIR_CHAIN, cfg.hosts = cfg.switches = 65;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fat_tree_wants_an_even_k_of_2_to_160),
        cmocka_unit_test(oversubscription_is_1_or_more_and_hosts_have_20_bit_numbers),
        cmocka_unit_test(a_network_has_2_to_1048575_hosts),
        cmocka_unit_test(no_switch_has_more_hosts_than_ports),
        cmocka_unit_test(the_five_keys_of_a_fat_tree_come_together),
        cmocka_unit_test(a_fat_tree_by_its_pods_has_limits),
        cmocka_unit_test(racks_share_the_hosts_evenly),
        cmocka_unit_test(spines_ports_and_cables_have_their_limits),
        cmocka_unit_test(a_chain_has_2_to_65_switches_and_no_bare_ones),
        cmocka_unit_test(a_link_has_a_delay_above_0),
        cmocka_unit_test(a_link_runs_at_1_mbps_to_8_tbps),
        cmocka_unit_test(an_unknown_kind_is_refused),
        cmocka_unit_test(keys_unused_by_a_kind_are_ignored),
        cmocka_unit_test(the_extremes_are_allowed),
    };
    return cmocka_run_group_tests_name("topology/check", tests, NULL, NULL);
}
