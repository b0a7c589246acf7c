/* test/unit/config/test_scenario.c - whole scenarios: what they become, which of two settings counts, what is refused and how. */
#include "test/unit/weir_test.h"
#include "config/scenario.h"
#include "topology/route.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "test/unit/config/fake_registry.h"

#define TRAFFIC "traffic: [{kind: poisson, sizes: wkc, load: 50%}]\n"

static struct weir_scenario scn;
static struct weir_err err;
static struct weir_override sets[4];
static uint32_t set_count;

static int setup(void **state)
{
    (void)state;
    set_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_scenario_free(&scn);
    return 0;
}

static void override(const char *text)
{
    sets[set_count++].text = text;
}

static int parse(const char *text)
{
    weir_scenario_free(&scn);
    return weir_scenario_parse(&scn, "dir/incast.yaml", text, strlen(text), sets, set_count, &err);
}

static void accepts(const char *text)
{
    if (parse(text) != 0)
        fail_msg("%s:%u:%u: %s (%s)", err.file, err.line, err.col, err.text, err.hint);
}

/* From the file itself. */
static void refuses(const char *text, enum weir_err_code code, uint32_t line, uint32_t col, const char *message,
                    const char *hint)
{
    int answer = parse(text);
    assert_string_equal(err.text, message);
    assert_int_equal(answer, code);
    assert_int_equal(err.code, code);
    assert_string_equal(err.hint, hint);
    assert_string_equal(err.file, "dir/incast.yaml");
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
    assert_null(scn.text); /* nothing is left to free */
    assert_null(scn.strings);
}

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

/* --- what is accepted --- */

static void only_traffic_has_no_default(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    accepts(TRAFFIC);
    assert_string_equal(scn.name, "incast");
    assert_string_equal(scn.base_dir, "dir");
    assert_string_equal(scn.text, TRAFFIC);
    assert_string_equal(scn.protocol->name, "dctcp");
    assert_int_equal(cfg->g_ppm, 62500);
    assert_int_equal(cfg->window.bdp_milli, 1000);
    assert_int_equal(scn.topology.kind, WEIR_LEAF_SPINE);
    assert_int_equal(scn.framing.payload_bytes, 1460);
    assert_int_equal(scn.framing.header_bytes, 58);
    assert_int_equal(scn.framing.gap_bytes, 20);
    assert_int_equal(scn.framing.min_wire_bytes, 84);
    assert_int_equal(scn.framing.ack_wire_bytes, 84);
    assert_int_equal(scn.fabric.buffer_bytes, UINT64_MAX);
    assert_int_equal(scn.fabric.port_buffer_bytes, UINT64_MAX);
    assert_int_equal(scn.fabric.alpha_ppm, 0);
    assert_int_equal(scn.fabric.priorities, 1);
    assert_int_equal(scn.fabric.routing, WEIR_ROUTE_ECMP);
    assert_int_equal(scn.ecn.threshold.bytes, UINT64_MAX);
    assert_int_equal(scn.ecn.kmin.bytes, UINT64_MAX);
    assert_int_equal(scn.event_count, 0);
    assert_int_equal(scn.traffic_count, 1);
    assert_int_equal(scn.traffic[0].load_ppm, 500000);
    assert_int_equal(scn.run.warmup_ps, WEIR_PS_PER_MS);
    assert_int_equal(scn.run.measure_ps, 10 * WEIR_PS_PER_MS);
    assert_int_equal(scn.run.seed, 1);
    assert_int_equal(scn.run.sample_ps, WEIR_PS_PER_US);
    assert_int_equal(scn.run.stall_ps, 100 * WEIR_PS_PER_MS);
}

static const char whole[] =
    "name: balanced\n"
    "topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps,\n"
    "           host_delay: 1.25 us, core_delay: 0.5 us, bdp: 100 KB}\n"
    "framing: {preset: hpcc, payload: 1440 B}\n"
    "protocol: {name: dctcp, g: 8%, window: 1.5 BDP}\n"
    "host: {connections: 7}\n"
    "fabric:\n"
    "  buffer: 16 MB\n"
    "  alpha: 1\n"
    "  priorities: 2\n"
    "  routing: spray\n"
    "  ecn: {threshold: 1.25 BDP, where: core}\n"
    "  events:\n"
    "    - {at: 2 ms, link: leaf 0 - spine 1, action: down}\n"
    "    - {at: 3 ms, link: leaf 0 - spine 1, action: up}\n"
    "traffic:\n"
    "  - {kind: poisson, sizes: wkc, load: 50%}\n"
    "  - {kind: incast, fan_in: 30, size: 500 KB, share: 7%}\n"
    "run: {warmup: 20 ms, measure: all, seed: 3}\n";

static void a_whole_scenario_arrives_in_its_structs(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    accepts(whole);
    assert_string_equal(scn.name, "balanced");
    assert_int_equal(scn.topology.hosts, 144);
    assert_int_equal(scn.topology.host_link_bps, 100000000000);
    assert_int_equal(scn.topology.host_delay_ps, 1250000);
    assert_int_equal(scn.topology.bdp.bytes, 100000);
    assert_int_equal(scn.framing.payload_bytes, 1440);
    assert_int_equal(scn.framing.header_bytes, 48);
    assert_int_equal(cfg->g_ppm, 80000);
    assert_int_equal(scn.host.connections, 7);
    assert_int_equal(scn.fabric.buffer_bytes, 16000000);
    assert_int_equal(scn.fabric.alpha_ppm, 1000000);
    assert_int_equal(scn.fabric.routing, WEIR_ROUTE_SPRAY);
    assert_int_equal(scn.ecn.where, 1);
    assert_int_equal(scn.event_count, 2);
    assert_int_equal(scn.event[0].at_ps, 2 * WEIR_PS_PER_MS);
    assert_int_equal(scn.event[1].action, 1);
    assert_string_equal(scn.event[1].link, "leaf 0 - spine 1");
    assert_int_equal(scn.traffic_count, 2);
    assert_int_equal(scn.traffic[1].fan_in, 30);
    assert_int_equal(scn.traffic[1].size.bytes, 500000);
    assert_int_equal(scn.traffic[1].share_ppm, 70000);
    assert_int_equal(scn.run.measure_ps, WEIR_NEVER);
    weir_scenario_resolve_bdp(&scn, 100000);
    assert_int_equal(cfg->window.bytes, 150000);
    assert_int_equal(scn.ecn.threshold.bytes, 125000);
    assert_int_equal(scn.traffic[1].size.bytes, 500000);
    assert_int_equal(scn.topology.bdp.bytes, 100000);
}

static void places_are_kept_for_later_messages(void **state)
{
    (void)state;
    accepts(whole);
    assert_string_equal(scn.where_protocol.text, "dctcp");
    assert_int_equal(scn.where_protocol.line, 5);
    assert_int_equal(scn.where_protocol.col, 18);
    assert_string_equal(scn.where_topology.file, "dir/incast.yaml");
    assert_int_equal(scn.where_topology.line, 2);
    assert_int_equal(scn.where_fabric.line, 8);
    assert_int_equal(scn.where_ecn.line, 12);
    assert_int_equal(scn.where_event[1].line, 15);
    assert_int_equal(scn.where_traffic[1].line, 18);
    assert_int_equal(scn.where_traffic[1].col, 5);
    assert_int_equal(scn.where_run.line, 19);
    accepts(TRAFFIC);
    assert_string_equal(scn.where_topology.file, "dir/incast.yaml");
    assert_int_equal(scn.where_topology.line, 0); /* not said */
}

static void a_preset_reaches_into_other_sections(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    accepts("protocol: {name: dctcp, preset: ns2}\n" TRAFFIC);
    assert_int_equal(cfg->g_ppm, 80000);
    assert_int_equal(cfg->window.bytes, 96360);
    assert_int_equal(scn.framing.header_bytes, 40);
    assert_int_equal(scn.framing.ack_wire_bytes, 40);
    assert_int_equal(scn.host.reply_bytes, 4);
    assert_int_equal(scn.ecn.threshold.bytes, 123000);
    assert_int_equal(scn.fabric.routing, WEIR_ROUTE_SPRAY);
    assert_int_equal(scn.run.stall_ps, 7 * WEIR_PS_PER_MS);
}

static void the_file_counts_more_than_a_preset(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    accepts("protocol: {name: dctcp, preset: ns2, g: 0.5}\nhost: {reply_bytes: 9}\nframing: {payload: 1000 B}\n"
            "fabric: {routing: ecmp, ecn: {threshold: 65 KB}}\nrun: {stall: 1 ms}\n" TRAFFIC);
    assert_int_equal(cfg->g_ppm, 500000);
    assert_int_equal(cfg->window.bytes, 96360);
    assert_int_equal(scn.host.reply_bytes, 9);
    assert_int_equal(scn.framing.payload_bytes, 1000);
    assert_int_equal(scn.framing.header_bytes, 40); /* the preset's framing, one key of it changed */
    assert_int_equal(scn.ecn.threshold.bytes, 65000);
    assert_int_equal(scn.fabric.routing, WEIR_ROUTE_ECMP);
    assert_int_equal(scn.run.stall_ps, WEIR_PS_PER_MS);
}

static void a_framing_named_in_the_file_sets_the_presets_aside(void **state)
{
    (void)state;
    accepts("protocol: {name: dctcp, preset: ns2}\nframing: udp\n" TRAFFIC);
    assert_int_equal(scn.framing.payload_bytes, 1458);
    assert_int_equal(scn.framing.header_bytes, 60);
    accepts("protocol: {name: dctcp, preset: ramp}\n" TRAFFIC);
    assert_int_equal(scn.framing.payload_bytes, 1000); /* the preset changes the default framing */
    assert_int_equal(scn.framing.header_bytes, 58);
    accepts("protocol: {name: dctcp, preset: ramp}\nframing: {preset: ethernet}\n" TRAFFIC);
    assert_int_equal(scn.framing.payload_bytes, 1460);
}

static void a_threshold_in_the_file_sets_a_presets_ramp_aside_and_the_other_way_round(void **state)
{
    (void)state;
    accepts("protocol: {preset: ramp}\n" TRAFFIC);
    assert_int_equal(scn.ecn.kmin.bytes, 5000);
    assert_int_equal(scn.ecn.kmax.bytes, 200000);
    assert_int_equal(scn.ecn.pmax_ppb, 10000000);
    assert_int_equal(scn.ecn.threshold.bytes, UINT64_MAX);
    accepts("protocol: {preset: ramp}\nfabric: {ecn: {threshold: 65 KB}}\n" TRAFFIC);
    assert_int_equal(scn.ecn.kmin.bytes, UINT64_MAX);
    assert_int_equal(scn.ecn.threshold.bytes, 65000);
    accepts("protocol: {preset: ns2}\nfabric: {ecn: {kmin: 1 KB, kmax: 2 KB}}\n" TRAFFIC);
    assert_int_equal(scn.ecn.threshold.bytes, UINT64_MAX);
    assert_int_equal(scn.ecn.kmax.bytes, 2000);
}

static void an_empty_section_is_all_defaults(void **state)
{
    (void)state;
    accepts("run:\nhost:\nfabric:\nprotocol:\nframing:\ntopology: {}\n" TRAFFIC);
    assert_int_equal(scn.run.seed, 1);
    assert_string_equal(scn.protocol->name, "dctcp");
}

static void overrides_count_most(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    override("protocol.g=0.25");
    override("traffic[0].load = 80%");
    override("fabric.ecn.threshold=100KB");
    override("run.seed=2");
    accepts("protocol: dctcp\n" TRAFFIC);
    assert_int_equal(cfg->g_ppm, 250000);
    assert_int_equal(scn.traffic[0].load_ppm, 800000);
    assert_int_equal(scn.ecn.threshold.bytes, 100000);
    assert_int_equal(scn.run.seed, 2);
    assert_string_equal(scn.where_ecn.file, "--set");
}

static void an_override_may_name_protocol_preset_and_framing(void **state)
{
    const struct fake_config *cfg = (const void *)scn.protocol_config;
    (void)state;
    override("protocol.preset=ns2");
    override("framing=hpcc");
    override("framing.gap=1B");
    accepts("protocol: {name: dctcp, g: 0.5}\n" TRAFFIC);
    assert_int_equal(cfg->g_ppm, 500000); /* the file still counts more than the preset */
    assert_int_equal(cfg->window.bytes, 96360);
    assert_int_equal(scn.framing.payload_bytes, 1000);
    assert_int_equal(scn.framing.gap_bytes, 1);
    set_count = 0;
    override("protocol=none");
    accepts("protocol: {name: dctcp, g: 0.5}\n" TRAFFIC);
    assert_string_equal(scn.protocol->name, "none");
    assert_string_equal(scn.where_protocol.file, "--set");
}

static void of_two_overrides_of_one_key_the_last_counts(void **state)
{
    (void)state;
    override("run.seed=2");
    override("run.seed=5");
    accepts(TRAFFIC);
    assert_int_equal(scn.run.seed, 5);
}

/* --- what is refused --- */

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
    static const char *const hint = "a scenario is a YAML file: 'key: value' lines, {..} maps and [..] lists";
    (void)state;
    refuses("run: {seed: 1\n" TRAFFIC, WEIR_E_SYNTAX, 2, 8, "not YAML: did not find expected ',' or '}'", hint);
    refuses("#include <stdio.h>\nint main(void)\n{\n    return 0;\n}\n", WEIR_E_SYNTAX, 3, 1,
            "not YAML: did not find expected <document start>", hint);
    refuses("", WEIR_E_SYNTAX, 0, 0, "the file is empty", "a scenario needs at least a 'traffic' list");
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
            "kind = leafspine: must be one of leaf-spine, fat-tree, dumbbell, chain, star",
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

/* --- files --- */

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    assert_int_equal(weir_scenario_load(&scn, "no/such/file.yaml", NULL, 0, &err), WEIR_E_FILE);
    assert_string_equal(err.text, "cannot be opened: No such file or directory");
    assert_string_equal(err.file, "no/such/file.yaml");
    assert_int_equal(err.line, 0);
    assert_int_equal(weir_scenario_load(&scn, ".", NULL, 0, &err), WEIR_E_FILE);
    assert_string_equal(err.text, "cannot be read: Is a directory");
    assert_string_equal(err.file, ".");
    assert_int_equal(weir_scenario_load(&scn, "/dev/null", NULL, 0, &err), WEIR_E_SYNTAX);
    assert_string_equal(err.text, "the file is empty");
    assert_int_equal(weir_scenario_load(&scn, "/dev/zero", NULL, 0, &err), WEIR_E_FILE);
    assert_string_equal(err.text, "larger than 1 MiB, which no scenario is");
    assert_null(scn.text);
}

static void the_folder_of_a_file_is_the_base_of_relative_names(void **state)
{
    static const struct {
        const char *path, *folder, *name;
    } cases[] = {
        { "a.yaml", ".", "a" },
        { "/a.yaml", "/", "a" },
        { "x/y/z.b.yaml", "x/y", "z.b" },
        { ".hidden", ".", ".hidden" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        weir_scenario_free(&scn);
        assert_int_equal(weir_scenario_parse(&scn, cases[i].path, TRAFFIC, strlen(TRAFFIC), NULL, 0, &err), 0);
        assert_string_equal(scn.base_dir, cases[i].folder);
        assert_string_equal(scn.name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(only_traffic_has_no_default),
        TEST(a_whole_scenario_arrives_in_its_structs),
        TEST(places_are_kept_for_later_messages),
        TEST(a_preset_reaches_into_other_sections),
        TEST(the_file_counts_more_than_a_preset),
        TEST(a_framing_named_in_the_file_sets_the_presets_aside),
        TEST(a_threshold_in_the_file_sets_a_presets_ramp_aside_and_the_other_way_round),
        TEST(an_empty_section_is_all_defaults),
        TEST(overrides_count_most),
        TEST(an_override_may_name_protocol_preset_and_framing),
        TEST(of_two_overrides_of_one_key_the_last_counts),
        TEST(an_unknown_key_is_refused_with_the_nearest),
        TEST(a_unit_missing_or_wrong_is_refused),
        TEST(a_value_out_of_range_is_refused),
        TEST(a_node_of_the_wrong_sort_is_refused),
        TEST(text_that_is_not_yaml_is_refused),
        TEST(a_key_given_twice_is_refused),
        TEST(unknown_names_are_refused_with_the_nearest),
        TEST(traffic_is_needed_and_bounded),
        TEST(settings_that_exclude_each_other_are_refused),
        TEST(a_bad_override_is_refused),
        TEST(files_that_cannot_be_read_are_refused),
        TEST(the_folder_of_a_file_is_the_base_of_relative_names),
    };
    return cmocka_run_group_tests_name("config/scenario", tests, NULL, NULL);
}
