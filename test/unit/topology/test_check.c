/* test/unit/topology/test_check.c - what is refused, in which words, and that nothing is left behind. */
#include "test/unit/topology/topology_fixture.h"
#include "topology/plan.h"
#include <string.h>

static struct weir_err err;

static void assert_refused(const struct weir_topology_config *cfg, enum weir_err_code code, const char *text)
{
    struct weir_tok where = { .text = "topology", .file = "a.yaml", .line = 2, .col = 11 };
    struct weir_topology topo;
    assert_int_equal(weir_topology_build(&topo, cfg, &where, &err), code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.text, text);
    assert_string_equal(err.file, "a.yaml");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.col, 11);
    assert_true(err.hint[0] != '\0');
    assert_null(topo.node);
    assert_null(topo.link);
    weir_topology_free(&topo); /* nothing to free, and no harm in it */
}

static void a_fat_tree_wants_an_even_k_of_2_to_100(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.k = 5;
    assert_refused(&cfg, WEIR_E_RANGE, "k = 5: a fat-tree needs an even k");
    cfg.k = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "k = 0: a fat-tree needs a k of at least 2");
    cfg.k = 102;
    assert_refused(&cfg, WEIR_E_RANGE, "k = 102: a fat-tree of more than 100 has too many routes");
    cfg.k = UINT32_MAX - 1;
    assert_refused(&cfg, WEIR_E_RANGE, "k = 4294967294: a fat-tree of more than 100 has too many routes");
}

static void oversubscription_is_1_or_more_and_hosts_have_20_bit_numbers(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.oversubscription = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "oversubscription = 0: 1 to 32767");
    cfg.oversubscription = 32768;
    assert_refused(&cfg, WEIR_E_RANGE, "oversubscription = 32768: 1 to 32767");
    cfg.k = 16;
    cfg.oversubscription = 1024; /* 1024 * 1024 */
    assert_refused(&cfg, WEIR_E_CONFLICT, "k = 16, oversubscription = 1024: 1048576 hosts, at most 1048575");
    cfg.k = 100;
    cfg.oversubscription = 32767;
    assert_refused(&cfg, WEIR_E_CONFLICT, "k = 100, oversubscription = 32767: 8191750000 hosts, at most 1048575");
    cfg.k = 4; /* two up and 65534 down */
    assert_refused(&cfg, WEIR_E_CONFLICT, "65534 hosts on one switch: it has at most 65535 ports");
}

static void the_five_keys_of_a_fat_tree_come_together(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_FAT_TREE);
    (void)state;
    cfg.pods = 16;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods: without edges, aggs, uplinks, edge_hosts they do not make a fat-tree");
    cfg.edges = cfg.aggs = cfg.uplinks = 4;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods, edges, aggs, uplinks: without edge_hosts they do not make a fat-tree");
    cfg.pods = 0, cfg.edge_hosts = 16;
    assert_refused(&cfg, WEIR_E_CONFLICT, "edges, aggs, uplinks, edge_hosts: without pods they do not make a fat-tree");
    cfg = darts_fat_tree();
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

static void a_fat_tree_by_its_pods_has_limits(void **state)
{
    struct weir_topology_config cfg = darts_fat_tree();
    (void)state;
    cfg.edge_hosts = 16384;
    assert_refused(&cfg, WEIR_E_CONFLICT,
                   "pods x edges x edge_hosts = 16 x 4 x 16384 hosts: 2 to 1048575 are possible");
    cfg.pods = cfg.edges = cfg.edge_hosts = UINT32_MAX;
    assert_refused(&cfg, WEIR_E_CONFLICT,
                   "pods x edges x edge_hosts = 4294967295 x 4294967295 x 4294967295 hosts: 2 to "
                   "1048575 are possible");
    cfg.pods = cfg.edges = cfg.edge_hosts = 1;
    assert_refused(&cfg, WEIR_E_CONFLICT, "pods x edges x edge_hosts = 1 x 1 x 1 hosts: 2 to 1048575 are possible");
    cfg = darts_fat_tree();
    cfg.aggs = 4096;
    assert_refused(&cfg, WEIR_E_RANGE, "aggs = 4096, uplinks = 4: each 1 to 4095");
    cfg.aggs = 4, cfg.uplinks = UINT32_MAX;
    assert_refused(&cfg, WEIR_E_RANGE, "aggs = 4, uplinks = 4294967295: each 1 to 4095");
    cfg.aggs = cfg.uplinks = 4095;
    assert_refused(&cfg, WEIR_E_CONFLICT,
                   "pods = 16, aggs = 4095, uplinks = 4095: more than 4194304 cables, or 65535 "
                   "ports of a switch");
    cfg.pods = cfg.edges = cfg.aggs = cfg.uplinks = 1, cfg.edge_hosts = 65535;
    assert_refused(&cfg, WEIR_E_CONFLICT,
                   "pods = 1, aggs = 1, uplinks = 1: more than 4194304 cables, or 65535 ports of a switch");
    cfg.edge_hosts = 65534;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

static void a_network_has_2_to_1048575_hosts(void **state)
{
    (void)state;
    for (int kind = WEIR_LEAF_SPINE; kind <= WEIR_STAR; kind++) {
        struct weir_topology_config cfg = config_of((enum weir_topology_kind)kind);
        if (kind == WEIR_FAT_TREE)
            continue; /* has its own count */
        cfg.hosts = 1;
        assert_refused(&cfg, WEIR_E_RANGE, "hosts = 1: a network needs at least 2");
        cfg.hosts = 1048576;
        assert_refused(&cfg, WEIR_E_RANGE, "hosts = 1048576: at most 1048575");
    }
}

static void no_switch_has_more_hosts_than_ports(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.hosts = 65536;
    assert_refused(&cfg, WEIR_E_CONFLICT, "65536 hosts on one switch: it has at most 65535 ports");
    cfg.kind = WEIR_DUMBBELL, cfg.hosts = 131069;
    assert_refused(&cfg, WEIR_E_CONFLICT, "65535 hosts on one switch: it has at most 65535 ports");
    cfg.hosts = 131068;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
    cfg.kind = WEIR_CHAIN, cfg.switches = 2, cfg.hosts = 131067;
    assert_refused(&cfg, WEIR_E_CONFLICT, "65534 hosts on one switch: it has at most 65535 ports");
}

static void racks_share_the_hosts_evenly(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.hosts = 145;
    assert_refused(&cfg, WEIR_E_CONFLICT, "hosts = 145: not a multiple of racks = 9");
    cfg.racks = 65536;
    assert_refused(&cfg, WEIR_E_RANGE, "racks = 65536: at most 65535");
    cfg.racks = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "racks = 0: a leaf-spine needs at least 1");
}

static void spines_ports_and_cables_have_their_limits(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_LEAF_SPINE);
    (void)state;
    cfg.spines = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "spines = 0: a leaf-spine has 1 to 4095");
    cfg.spines = 4096;
    assert_refused(&cfg, WEIR_E_RANGE, "spines = 4096: a leaf-spine has 1 to 4095");
    cfg.hosts = 65535, cfg.racks = 1, cfg.spines = 1;
    assert_refused(&cfg, WEIR_E_CONFLICT, "hosts / racks + spines = 65536 ports on a leaf: at most 65535");
    cfg.racks = 65535, cfg.spines = 64;
    assert_refused(&cfg, WEIR_E_CONFLICT, "racks = 65535, spines = 64: more than 4194304 cables");
}

static void a_chain_has_2_to_15_switches_and_no_bare_ones(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_CHAIN);
    (void)state;
    cfg.switches = 1;
    assert_refused(&cfg, WEIR_E_RANGE, "switches = 1: a chain has 2 to 15");
    cfg.switches = 16;
    assert_refused(&cfg, WEIR_E_RANGE, "switches = 16: a chain has 2 to 15");
    cfg.hosts = 2, cfg.switches = 3;
    assert_refused(&cfg, WEIR_E_CONFLICT, "switches = 3, hosts = 2: every switch of a chain needs a host");
}

static void a_link_has_a_delay_above_0(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_DUMBBELL);
    (void)state;
    cfg.host_delay_ps = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "host_delay = 0: a link needs a delay above 0");
    cfg.host_delay_ps = WEIR_PS_PER_S + 1;
    assert_refused(&cfg, WEIR_E_RANGE, "host_delay = 1000000000001 ps: a link delays by at most 1 s");
    cfg.host_delay_ps = 1;
    cfg.core_delay_ps = 0;
    assert_refused(&cfg, WEIR_E_RANGE, "core_delay = 0: a link needs a delay above 0");
}

static void a_link_runs_at_1_mbps_to_8_tbps(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_CHAIN);
    (void)state;
    cfg.core_link_bps = 999999;
    assert_refused(&cfg, WEIR_E_RANGE, "core_link = 999999 bit/s: a link runs at 1 Mbps to 8 Tbps");
    cfg.host_link_bps = WEIR_RATE_MAX_BPS + 1;
    assert_refused(&cfg, WEIR_E_RANGE, "host_link = 8000000000001 bit/s: a link runs at 1 Mbps to 8 Tbps");
}

static void an_unknown_kind_is_refused(void **state)
{
    struct weir_topology_config cfg = config_of(WEIR_STAR);
    (void)state;
    cfg.kind = WEIR_STAR + 1;
    assert_refused(&cfg, WEIR_E_UNKNOWN, "kind = 5: no such topology");
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
    cfg.kind = WEIR_CHAIN, cfg.hosts = cfg.switches = 15;
    assert_int_equal(weir_topology_check(&cfg, NULL, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fat_tree_wants_an_even_k_of_2_to_100),
        cmocka_unit_test(oversubscription_is_1_or_more_and_hosts_have_20_bit_numbers),
        cmocka_unit_test(a_network_has_2_to_1048575_hosts),
        cmocka_unit_test(no_switch_has_more_hosts_than_ports),
        cmocka_unit_test(the_five_keys_of_a_fat_tree_come_together),
        cmocka_unit_test(a_fat_tree_by_its_pods_has_limits),
        cmocka_unit_test(racks_share_the_hosts_evenly),
        cmocka_unit_test(spines_ports_and_cables_have_their_limits),
        cmocka_unit_test(a_chain_has_2_to_15_switches_and_no_bare_ones),
        cmocka_unit_test(a_link_has_a_delay_above_0),
        cmocka_unit_test(a_link_runs_at_1_mbps_to_8_tbps),
        cmocka_unit_test(an_unknown_kind_is_refused),
        cmocka_unit_test(keys_unused_by_a_kind_are_ignored),
        cmocka_unit_test(the_extremes_are_allowed),
    };
    return cmocka_run_group_tests_name("topology/check", tests, NULL, NULL);
}
