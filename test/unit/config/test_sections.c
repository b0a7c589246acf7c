/* test/unit/config/test_sections.c - what a scenario may not say: where it is refused, in which words, with which
 * hint. */
#include "test/unit/weir_test.h"
#include "param/param.h"
#include "config/scenario.h"
#include <stdio.h>
#include <string.h>
#include "test/unit/config/scenario_test.h"

/* From --set, over a good file. */
static void refuses_set(const char *set, enum weir_err_code code, const char *message, const char *hint)
{
    int answer;
    set_count = 0;
    override(set);
    answer = parse("run: {seed: 1}\n" TRAFFIC);
    assert_string_equal(err.text, message);
    assert_int_equal(answer, code);
    assert_string_equal(err.hint, hint);
    assert_string_equal(err.file, "--set");
    assert_int_equal(err.line, 0);
}

static void an_unknown_key_is_refused_with_the_nearest(void **state)
{
    (void)state;
    refuses("traffic:\n  - {kind: poisson, laod: 50%}\n", WEIR_E_UNKNOWN, 2, 21, "unknown key 'laod' in traffic[0]",
            "did you mean 'load'?");
    refuses("trafic: []\n", WEIR_E_UNKNOWN, 1, 1, "unknown key 'trafic' in the scenario", "did you mean 'traffic'?");
    refuses("colour: red\n", WEIR_E_UNKNOWN, 1, 1, "unknown key 'colour' in the scenario",
            "known: name, topology, framing, protocol, host, fabric, traffic, run");
    refuses("protocol: {name: dctcp, G: 1}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 25, "unknown key 'G' in protocol dctcp",
            "did you mean 'g'?");
    refuses("protocol: {name: dctcp, alphabet: 1}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 25,
            "unknown key 'alphabet' in protocol dctcp", "known: name, preset, g, shared, window, wait");
    refuses("fabric: {ecn: {treshold: 1 KB}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 16, "unknown key 'treshold' in fabric.ecn",
            "did you mean 'threshold'?");
    refuses("fabric: {routing: {mode: spray, metrik: delay}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 33,
            "unknown key 'metrik' in fabric.routing", "did you mean 'metric'?");
    refuses("fabric: {routing: sprey}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 19,
            "mode = sprey: must be one of ecmp, symmetric, spray", "did you mean 'spray'?");
    refuses("fabric: {int: {period: 1 us, modus: ack}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 30,
            "unknown key 'modus' in fabric.int", "did you mean 'mode'?");
    refuses("fabric: {pfc: {kind: static, xof: 1 KB}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 30,
            "unknown key 'xof' in fabric.pfc", "did you mean 'xoff'?");
    refuses("fabric: {pfc: on}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 15, "kind = on: must be one of off, static, dynamic",
            "known: off, static, dynamic");
    refuses("fabric:\n  bufer: 1 MB\n" TRAFFIC, WEIR_E_UNKNOWN, 2, 3, "unknown key 'bufer' in fabric",
            "did you mean 'buffer'?");
    refuses("framing: {playload: 1 KB}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 11, "unknown key 'playload' in framing",
            "did you mean 'payload'?");
    refuses("fabric: {events: [{at: 1 ms, link: a - b, do: up}]}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 43,
            "unknown key 'do' in fabric.events[0]", "known: at, link, action");
}

static void a_unit_missing_or_wrong_is_refused(void **state)
{
    (void)state;
    refuses("topology: {host_delay: 5}\n" TRAFFIC, WEIR_E_UNIT, 1, 24, "host_delay = 5: unit missing",
            "a time, for example 1.25 us (ps, ns, us, ms, s)");
    refuses("topology:\n  host_link: 100 GB\n" TRAFFIC, WEIR_E_UNIT, 2, 14, "host_link = 100 GB: 'GB' is a size",
            "a rate, for example 100 Gbps (bps, Kbps, Mbps, Gbps, Tbps)");
    refuses("fabric: {buffer: 16}\n" TRAFFIC, WEIR_E_UNIT, 1, 18, "buffer = 16: unit missing",
            "a size, for example 500 KB (B, KB, MB, GB, TB = powers of 1000; KiB, MiB, GiB), or 'unlimited'");
}

static void a_value_out_of_range_is_refused(void **state)
{
    (void)state;
    refuses("fabric: {priorities: 9}\n" TRAFFIC, WEIR_E_RANGE, 1, 22, "priorities = 9: must be 1 to 8",
            "strict priority classes per port; 1 = first come, first served");
    assert_int_equal(parse("traffic:\n  - {kind: poisson, sizes: wkc, load: 100%}\n"), WEIR_E_RANGE);
    assert_string_equal(err.text, "load = 100%: must be 0.0001% to 99.9999%");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.col, 39);
    assert_non_null(strstr(err.hint, "100 %"));
    refuses("run: {sample: 0}\n" TRAFFIC, WEIR_E_RANGE, 1, 15, "sample = 0: must be 1 ns to 100000 s",
            "between the samples that queue percentiles are over");
}

static void a_fat_tree_is_given_by_k_or_by_its_pods(void **state)
{
    static const char *const hint = "pods, edges, aggs, uplinks and edge_hosts together, or k and oversubscription";
    (void)state;
    refuses("topology: {kind: fat-tree, k: 8, pods: 4}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 28,
            "k: a fat-tree that is given by its pods has none", hint);
    refuses("topology: {kind: fat-tree, edge_hosts: 2,\n  oversubscription: 1}\n" TRAFFIC, WEIR_E_CONFLICT, 2, 3,
            "oversubscription: a fat-tree that is given by its pods has none", hint);
    refuses("topology: {kind: fat-tree, pods: 0}\n" TRAFFIC, WEIR_E_RANGE, 1, 34, "pods = 0: must be 1 to 1048575",
            weir_param_find(weir_topology_params, "pods")->hint);
    accepts("topology: {kind: leaf-spine, k: 4, pods: 4}\n" TRAFFIC); /* of no use to either */
    accepts("topology: {kind: fat-tree, pods: 3, edges: 2, aggs: 2, uplinks: 1, edge_hosts: 5}\n" TRAFFIC);
    assert_int_equal(scn.topology.pods, 3);
    assert_int_equal(scn.topology.edge_hosts, 5);
    override("topology.k=4");
    assert_int_equal(
        parse("topology: {kind: fat-tree, pods: 3, edges: 2, aggs: 2, uplinks: 1, edge_hosts: 5}\n" TRAFFIC),
        WEIR_E_CONFLICT);
}

static void a_node_of_the_wrong_sort_is_refused(void **state)
{
    (void)state;
    refuses("topology: [1, 2]\n" TRAFFIC, WEIR_E_SYNTAX, 1, 11, "topology: a map belongs here, not a list", "");
    refuses("topology: star\n" TRAFFIC, WEIR_E_SYNTAX, 1, 11, "topology: a map belongs here, not a single value", "");
    refuses("traffic: {kind: poisson}\n", WEIR_E_SYNTAX, 1, 10, "traffic: a list belongs here, not a map", "");
    refuses("traffic: [poisson]\n", WEIR_E_SYNTAX, 1, 11, "traffic[0]: a map belongs here, not a single value", "");
    refuses("run: {seed: [1]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 13, "seed: a single value belongs here, not a list", "");
    refuses("fabric: {events: {at: 1 ms}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 18,
            "fabric.events: a list belongs here, not a map", "");
    refuses("fabric: {ecn: on}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 15, "fabric.ecn: a map belongs here, not a single value",
            "");
    refuses("protocol: {name: {a: b}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 18, "name: a single value belongs here, not a map",
            "");
    refuses("hello world\n", WEIR_E_SYNTAX, 1, 1, "not a scenario: a map belongs here, not a single value",
            "a scenario is a map: topology, protocol, traffic, ..");
    refuses("- a\n- b\n", WEIR_E_SYNTAX, 1, 1, "not a scenario: a map belongs here, not a list",
            "a scenario is a map: topology, protocol, traffic, ..");
}

static void text_that_is_not_yaml_is_refused(void **state)
{
    static const char *const hint = "YAML is 'key: value' lines, {..} maps and [..] lists";
    (void)state;
    refuses("run: {seed: 1\n" TRAFFIC, WEIR_E_SYNTAX, 2, 8, "not YAML: did not find expected ',' or '}'", hint);
    refuses("%PDF-1.4\n1 0 obj\n", WEIR_E_SYNTAX, 1, 7, "not YAML: found unexpected non-alphabetical character", hint);
    refuses("", WEIR_E_SYNTAX, 0, 0, "the file is empty", "");
}

static void a_key_given_twice_is_refused(void **state)
{
    (void)state;
    refuses("run:\n  seed: 1\n  warmup: 1 ms\n  seed: 2\n" TRAFFIC, WEIR_E_CONFLICT, 4, 3,
            "'seed' is set twice, first at line 2", "keep one of the two");
    refuses("run: {seed: 1}\nrun: {seed: 2}\n" TRAFFIC, WEIR_E_CONFLICT, 2, 1, "'run' is set twice, first at line 1",
            "keep one of the two");
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
    (void)state;
    refuses("protocol: dctpc\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 11, "unknown protocol 'dctpc'", "did you mean 'dctcp'?");
    refuses("protocol: {name: quic}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 18, "unknown protocol 'quic'", "known: dctcp, none");
    refuses("protocol: {name: dctcp, preset: ns3}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 33,
            "unknown preset 'ns3' of protocol dctcp", "did you mean 'ns2'?");
    refuses("protocol: {name: none, preset: ns2}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 32,
            "unknown preset 'ns2' of protocol none", "it has no presets");
    refuses("framing: etehrnet\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 10, "unknown preset 'etehrnet' of framing",
            "did you mean 'ethernet'?");
    refuses("topology: {kind: leafspine}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 18,
            "kind = leafspine: must be one of leaf-spine, fat-tree, dumbbell, chain, star, file",
            "did you mean 'leaf-spine'?");
}

static void traffic_is_needed_and_bounded(void **state)
{
    static char text[4096] = "traffic:\n";
    static const char *const hint = "for example traffic: [{kind: poisson, sizes: websearch, load: 50%}]";
    (void)state;
    refuses("run: {seed: 1}\n", WEIR_E_SYNTAX, 0, 0, "traffic: at least one item is needed", hint);
    refuses("traffic:\n", WEIR_E_SYNTAX, 1, 9, "traffic: at least one item is needed", hint);
    refuses("traffic: []\n", WEIR_E_SYNTAX, 1, 10, "traffic: at least one item is needed", hint);
    for (uint32_t i = 0; i <= WEIR_TRAFFIC_MAX; i++)
        strcat(text, "  - {}\n");
    refuses(text, WEIR_E_RANGE, 2, 3, "traffic: 17 items, at most 16 are possible", "");
}

static void settings_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    refuses("fabric: {ecn: {threshold: 1 KB, kmin: 1 KB, kmax: 2 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15,
            "fabric.ecn: threshold and kmin exclude each other", "give threshold, or kmin and kmax");
    refuses("fabric: {ecn: {kmin: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "fabric.ecn: kmin is set without kmax",
            "for a single step use threshold");
    refuses("fabric: {ecn: {kmax: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "fabric.ecn: kmax is set without kmin",
            "for a single step use threshold");
    refuses("fabric: {ecn: {kmin: 2 KB, kmax: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15,
            "fabric.ecn: kmin is above kmax", "");
    refuses("fabric: {ecn: {kmin: 2 BDP, kmax: 1 BDP}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15,
            "fabric.ecn: kmin is above kmax", "");
    accepts("fabric: {ecn: {threshold: off, kmin: 1 KB, kmax: 2 BDP}}\n" TRAFFIC);
    refuses("fabric: {events: [{at: 1 ms}]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 19, "fabric.events[0]: 'link' is missing",
            "for example {at: 2 ms, link: leaf 0 - spine 1, action: down}");
}

static void a_bad_override_is_refused(void **state)
{
    (void)state;
    refuses_set("run.sed=2", WEIR_E_UNKNOWN, "unknown key 'sed' in run", "did you mean 'seed'?");
    refuses_set("rum.seed=2", WEIR_E_UNKNOWN, "unknown key 'rum' in the scenario", "did you mean 'run'?");
    refuses_set("traffic[0].laod=80%", WEIR_E_UNKNOWN, "unknown key 'laod' in traffic[0]", "did you mean 'load'?");
    refuses_set("protocol.gg=1", WEIR_E_UNKNOWN, "unknown key 'gg' in protocol dctcp", "did you mean 'g'?");
    refuses_set("run.seed", WEIR_E_SYNTAX, "'run.seed' is not key=value",
                "write it like run.seed=2 or traffic[0].load=80%");
    refuses_set("run.seed=", WEIR_E_SYNTAX, "run.seed: no value", "");
    refuses_set("=2", WEIR_E_SYNTAX, "'' is not the path of a key", "write it like run.seed=2 or traffic[0].load=80%");
    refuses_set("run.seed=x", WEIR_E_SYNTAX, "seed = x: not a whole number",
                "of every random choice; the same seed gives the same run, to the bit");
    refuses_set("traffic[1].load=80%", WEIR_E_RANGE, "'traffic[1].load': there is no item 1 (1 in the file)",
                "items count from 0; --set changes them, it does not add any");
    refuses_set("traffic.load=80%", WEIR_E_SYNTAX, "'traffic.load': 'load' cannot follow a list",
                "items of a list are named like traffic[0].load");
    refuses_set("fabric=1", WEIR_E_SYNTAX, "fabric: a map belongs here, not a single value", "");
    refuses_set("protocol=dctpc", WEIR_E_UNKNOWN, "unknown protocol 'dctpc'", "did you mean 'dctcp'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(an_unknown_key_is_refused_with_the_nearest),
        TEST(a_unit_missing_or_wrong_is_refused),
        TEST(a_value_out_of_range_is_refused),
        TEST(a_fat_tree_is_given_by_k_or_by_its_pods),
        TEST(a_node_of_the_wrong_sort_is_refused),
        TEST(text_that_is_not_yaml_is_refused),
        TEST(a_key_given_twice_is_refused),
        TEST(unknown_names_are_refused_with_the_nearest),
        TEST(traffic_is_needed_and_bounded),
        TEST(settings_that_exclude_each_other_are_refused),
        TEST(a_bad_override_is_refused),
    };
    return cmocka_run_group_tests_name("config/sections", tests, NULL, NULL);
}
