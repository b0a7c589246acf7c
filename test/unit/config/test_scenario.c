/* test/unit/config/test_scenario.c - whole scenarios: what they become, and which of two settings counts. */
#include "test/unit/refusal.h"
#include "config/scenario.h"
#include "topology/route.h"
#include <stdio.h>
#include <string.h>
#include "test/unit/config/scenario_test.h"

static const struct weir_buffer_config *buffer_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "shared-buffer")->config;
}

static const struct weir_wrr_config *queues_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "wrr")->config;
}

static const struct weir_maxqd_config *maxqd_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "maxqd")->config;
}

static const struct weir_priorities_config *priorities_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "priorities")->config;
}

static const struct weir_cables_config *cables_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "cable-events")->config;
}

static const struct weir_int_config *int_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "int")->config;
}

static const struct weir_pfc_config *pfc_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "pfc")->config;
}

static const struct weir_fair_rate_config *fair_rate_of(const struct weir_scenario *s)
{
    return weir_scenario_feature(s, "fair-rate")->config;
}

/* The keys of the protocol, as read last. */
static const struct fake_config *keys(void)
{
    return scn.protocol_config;
}

static void only_traffic_has_no_default(void **state)
{
    (void)state;
    accepts(TRAFFIC);
    assert_string_equal(scn.name, "incast");
    assert_string_equal(scn.base_dir, "dir");
    assert_string_equal(scn.text, TRAFFIC);
    assert_string_equal(scn.protocol->name, "dctcp");
    assert_int_equal(keys()->g_ppm, 62500);
    assert_int_equal(keys()->window.bdp_milli, 1000);
    assert_int_equal(scn.topology.kind, WEIR_LEAF_SPINE);
    assert_int_equal(scn.framing.payload_bytes, 1460);
    assert_int_equal(scn.framing.header_bytes, 58);
    assert_int_equal(scn.framing.gap_bytes, 20);
    assert_int_equal(scn.framing.min_wire_bytes, 84);
    assert_int_equal(scn.framing.ack_wire_bytes, 84);
    assert_int_equal(scn.fabric.buffer_bytes, UINT64_MAX);
    assert_int_equal(buffer_of(&scn)->port_bytes, UINT64_MAX);
    assert_int_equal(buffer_of(&scn)->alpha_ppm, 0);
    assert_int_equal(priorities_of(&scn)->classes, 1);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_ECMP);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, UINT64_MAX);
    assert_int_equal(ecn_of(&scn)->kmin.bytes, UINT64_MAX);
    assert_int_equal(cables_of(&scn)->count, 0);
    assert_int_equal(scn.traffic_count, 1);
    assert_int_equal(scn.traffic[0].load_ppm, 500000);
    assert_int_equal(scn.run.warmup_ps, WEIR_PS_PER_MS);
    assert_int_equal(scn.run.measure_ps, 10 * WEIR_PS_PER_MS);
    assert_int_equal(scn.run.seed, 1);
    assert_int_equal(scn.run.sample_ps, WEIR_PS_PER_US);
    assert_int_equal(scn.run.stall_ps, 0); /* auto: set-up has it */
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
    "    - {time: 2 ms, cable: leaf 0 - spine 1, state: down}\n"
    "    - {time: 3 ms, cable: leaf 0 - spine 1, state: up}\n"
    "traffic:\n"
    "  - {kind: poisson, sizes: wkc, load: 50%}\n"
    "  - {kind: incast, fan_in: 30, size: 500 KB, share: 7%}\n"
    "run: {warmup: 20 ms, measure: all, seed: 3}\n";

static void a_whole_scenario_arrives_in_its_structs(void **state)
{
    (void)state;
    accepts(whole);
    assert_string_equal(scn.name, "balanced");
    assert_int_equal(scn.topology.hosts, 144);
    assert_int_equal(scn.topology.host_link_bps, 100000000000);
    assert_int_equal(scn.topology.host_delay_ps, 1250000);
    assert_int_equal(scn.topology.bdp.bytes, 100000);
    assert_int_equal(scn.framing.payload_bytes, 1440);
    assert_int_equal(scn.framing.header_bytes, 48);
    assert_int_equal(keys()->g_ppm, 80000);
    assert_int_equal(scn.host.connections, 7);
    assert_int_equal(scn.fabric.buffer_bytes, 16000000);
    assert_int_equal(buffer_of(&scn)->alpha_ppm, 1000000);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SPRAY);
    assert_int_equal(ecn_of(&scn)->where, 1);
    assert_int_equal(cables_of(&scn)->count, 2);
    assert_int_equal(cables_of(&scn)->event[0].at_ps, 2 * WEIR_PS_PER_MS);
    assert_int_equal(cables_of(&scn)->event[1].state, WEIR_STATE_UP);
    assert_string_equal(cables_of(&scn)->event[1].cable, "leaf 0 - spine 1");
    assert_int_equal(scn.traffic_count, 2);
    assert_int_equal(scn.traffic[1].fan_in, 30);
    assert_int_equal(scn.traffic[1].size.bytes, 500000);
    assert_int_equal(scn.traffic[1].share_ppm, 70000);
    assert_int_equal(scn.run.measure_ps, WEIR_NEVER);
    assert_int_equal(weir_scenario_resolve(&scn, &(struct weir_scenario_path){ 100000, 0 }, &err), 0);
    assert_int_equal(keys()->window.bytes, 150000);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 125000);
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
    assert_int_equal(weir_scenario_feature(&scn, "ecn")->where.line, 12);
    assert_int_equal(cables_of(&scn)->event[1].where.line, 15);
    assert_int_equal(scn.where_traffic[1].line, 18);
    assert_int_equal(scn.where_traffic[1].col, 5);
    assert_int_equal(scn.where_run.line, 19);
    accepts(TRAFFIC);
    assert_string_equal(scn.where_topology.file, "dir/incast.yaml");
    assert_int_equal(scn.where_topology.line, 0); /* not said */
}

static void a_preset_reaches_into_other_sections(void **state)
{
    (void)state;
    accepts("protocol: {name: dctcp, preset: ns2}\n" TRAFFIC);
    assert_int_equal(keys()->g_ppm, 80000);
    assert_int_equal(keys()->window.bytes, 96360);
    assert_int_equal(scn.framing.header_bytes, 40);
    assert_int_equal(scn.framing.ack_wire_bytes, 40);
    assert_int_equal(scn.host.reply_bytes, 4);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 123000);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SPRAY);
    assert_int_equal(scn.run.stall_ps, 7 * WEIR_PS_PER_MS);
}

static void the_file_counts_more_than_a_preset(void **state)
{
    (void)state;
    accepts("protocol: {name: dctcp, preset: ns2, g: 0.5}\nhost: {reply_bytes: 9}\nframing: {payload: 1000 B}\n"
            "fabric: {routing: ecmp, ecn: {threshold: 65 KB}}\nrun: {stall: 1 ms}\n" TRAFFIC);
    assert_int_equal(keys()->g_ppm, 500000);
    assert_int_equal(keys()->window.bytes, 96360);
    assert_int_equal(scn.host.reply_bytes, 9);
    assert_int_equal(scn.framing.payload_bytes, 1000);
    assert_int_equal(scn.framing.header_bytes, 40); /* the preset's framing, one key of it changed */
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 65000);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_ECMP);
    assert_int_equal(scn.run.stall_ps, WEIR_PS_PER_MS);
}

static void routing_is_a_section_or_its_mode_alone(void **state)
{
    (void)state;
    accepts("fabric: {routing: symmetric}\n" TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SYMMETRIC);
    assert_int_equal(scn.routing.metric, WEIR_METRIC_HOPS);
    accepts("fabric: {routing: {metric: delay}}\n" TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_ECMP);
    assert_int_equal(scn.routing.metric, WEIR_METRIC_DELAY);
    accepts("protocol: {name: dctcp, preset: ns2}\nfabric: {routing: {metric: delay}}\n" TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SPRAY); /* of the preset */
    assert_int_equal(scn.routing.metric, WEIR_METRIC_DELAY);
}

static void routing_can_be_set_as_a_whole_or_by_key(void **state)
{
    (void)state;
    override("fabric.routing=spray");
    override("fabric.routing.metric=delay");
    accepts(TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SPRAY);
    assert_int_equal(scn.routing.metric, WEIR_METRIC_DELAY);
    accepts("fabric: {routing: symmetric}\n" TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SPRAY);
    set_count = 0;
    override("fabric.routing.mode=symmetric");
    accepts("fabric: {routing: {mode: ecmp, metric: delay}}\n" TRAFFIC);
    assert_int_equal(scn.routing.mode, WEIR_ROUTE_SYMMETRIC);
    assert_int_equal(scn.routing.metric, WEIR_METRIC_DELAY);
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
    assert_int_equal(ecn_of(&scn)->kmin.bytes, 5000);
    assert_int_equal(ecn_of(&scn)->kmax.bytes, 200000);
    assert_int_equal(ecn_of(&scn)->pmax_ppb, 10000000);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, UINT64_MAX);
    accepts("protocol: {preset: ramp}\nfabric: {ecn: {threshold: 65 KB}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->kmin.bytes, UINT64_MAX);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 65000);
    accepts("protocol: {preset: ns2}\nfabric: {ecn: {kmin: 1 KB, kmax: 2 KB}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, UINT64_MAX);
    assert_int_equal(ecn_of(&scn)->kmax.bytes, 2000);
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
    (void)state;
    override("protocol.g=0.25");
    override("traffic[0].load = 80%");
    override("fabric.ecn.threshold=100KB");
    override("run.seed=2");
    accepts("protocol: dctcp\n" TRAFFIC);
    assert_int_equal(keys()->g_ppm, 250000);
    assert_int_equal(scn.traffic[0].load_ppm, 800000);
    assert_int_equal(ecn_of(&scn)->threshold.bytes, 100000);
    assert_int_equal(scn.run.seed, 2);
    assert_string_equal(weir_scenario_feature(&scn, "ecn")->where.file, "--set");
}

static void an_override_may_name_protocol_preset_and_framing(void **state)
{
    (void)state;
    override("protocol.preset=ns2");
    override("framing=hpcc");
    override("framing.gap=1B");
    accepts("protocol: {name: dctcp, g: 0.5}\n" TRAFFIC);
    assert_int_equal(keys()->g_ppm, 500000); /* the file still counts more than the preset */
    assert_int_equal(keys()->window.bytes, 96360);
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

/* --- files --- */

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    assert_int_equal(weir_scenario_load(&scn, "no/such/file.yaml", NULL, 0, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "no/such/file.yaml", "");
    assert_int_equal(weir_scenario_load(&scn, ".", NULL, 0, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, ".", "");
    assert_int_equal(weir_scenario_load(&scn, "/dev/null", NULL, 0, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "/dev/null", "");
    assert_int_equal(weir_scenario_load(&scn, "/dev/zero", NULL, 0, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "/dev/zero", "");
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

static void telemetry_and_pfc_are_sections_or_one_word(void **state)
{
    (void)state;
    accepts(TRAFFIC);
    assert_int_equal(int_of(&scn)->mode, WEIR_INT_AUTO);
    assert_int_equal(int_of(&scn)->format, WEIR_INT_AS_READ);
    assert_int_equal(pfc_of(&scn)->kind, WEIR_PFC_OFF);
    assert_int_equal(fair_rate_of(&scn)->mode, 0);
    accepts("fabric:\n  int: ack\n  pfc: dynamic\n" TRAFFIC);
    assert_int_equal(int_of(&scn)->mode, WEIR_INT_ACK);
    assert_int_equal(pfc_of(&scn)->kind, WEIR_PFC_DYNAMIC);
    assert_int_equal(weir_scenario_feature(&scn, "int")->where.line, 2);
    assert_int_equal(weir_scenario_feature(&scn, "pfc")->where.line, 3);
    accepts("fabric: {int: {mode: data, format: quantised, multi: 4, period: 2 us}, fair_rate: off,\n"
            "  pfc: {kind: static, xoff: 1 MB, xon: 3 KB, headroom: 40 KB, classes: all, storm: 3 ms}, ecn: {scale: "
            "rate}}\n" TRAFFIC);
    assert_int_equal(int_of(&scn)->mode, WEIR_INT_DATA);
    assert_int_equal(int_of(&scn)->format, WEIR_INT_QUANTISED);
    assert_int_equal(int_of(&scn)->multi, 4);
    assert_int_equal(int_of(&scn)->period_ps, 2000000);
    assert_int_equal(fair_rate_of(&scn)->mode, 1);
    assert_int_equal(pfc_of(&scn)->xoff_bytes, 1000000);
    assert_int_equal(pfc_of(&scn)->xon_bytes, 3000);
    assert_int_equal(pfc_of(&scn)->headroom_bytes, 40000);
    assert_int_equal(pfc_of(&scn)->classes, 1);
    assert_int_equal(pfc_of(&scn)->storm_ps, UINT64_C(3000000000));
    assert_int_equal(ecn_of(&scn)->by_rate, 1);
    override("fabric.pfc=off");
    override("fabric.int.mode=off");
    accepts("fabric: {int: ack, pfc: static}\n" TRAFFIC);
    assert_int_equal(int_of(&scn)->mode, WEIR_INT_OFF);
    assert_int_equal(pfc_of(&scn)->kind, WEIR_PFC_OFF);
}

static void delays_and_queues_are_sections_or_one_word(void **state)
{
    (void)state;
    accepts(TRAFFIC);
    assert_int_equal(maxqd_of(&scn)->mode, WEIR_MAXQD_AUTO);
    assert_int_equal(maxqd_of(&scn)->unit_ps, 4000);
    assert_int_equal(maxqd_of(&scn)->filter_ps, 10000000);
    assert_int_equal(queues_of(&scn)->kind, WEIR_QUEUE_CLASSES);
    assert_int_equal(queues_of(&scn)->groups, 4);
    assert_string_equal(queues_of(&scn)->weights, "");
    accepts("fabric:\n  maxqd: off\n  queues: per-flow\n" TRAFFIC);
    assert_int_equal(maxqd_of(&scn)->mode, WEIR_MAXQD_OFF);
    assert_int_equal(queues_of(&scn)->kind, WEIR_QUEUE_PER_FLOW);
    assert_int_equal(weir_scenario_feature(&scn, "maxqd")->where.line, 2);
    assert_int_equal(weir_scenario_feature(&scn, "wrr")->where.line, 3);
    accepts(
        "fabric: {maxqd: {unit: 1 ns, filter: 2 us}, queues: {kind: groups, groups: 2, weights: [3, 5]}}\n" TRAFFIC);
    assert_int_equal(maxqd_of(&scn)->unit_ps, 1000);
    assert_int_equal(maxqd_of(&scn)->filter_ps, 2000000);
    assert_int_equal(queues_of(&scn)->groups, 2);
    assert_string_equal(queues_of(&scn)->weights, "3, 5");
    override("fabric.queues.weights=7, 9");
    accepts("fabric: {queues: {kind: groups, groups: 2, weights: [3, 5]}}\n" TRAFFIC);
    assert_string_equal(queues_of(&scn)->weights, "7, 9");
}

static void a_sweep_is_no_scenario(void **state)
{
    (void)state;
    refuses("scenario: s.yaml\naxes: [{name: a, values: [1]}]\n", WEIR_E_CONFLICT, 2, 1, "a sweep");
    refuses("title: T\nfigures: []\n", WEIR_E_CONFLICT, 2, 1, "a sweep");
    refuses("topology: {kind: star}\naxes: []\n" TRAFFIC, WEIR_E_UNKNOWN, 2, 1, "axes");
}

static void a_list_of_weights_holds_numbers(void **state)
{
    (void)state;
    refuses("fabric: {queues: {kind: groups, weights: [3, [5]]}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 46, "weights");
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
        TEST(routing_is_a_section_or_its_mode_alone),
        TEST(routing_can_be_set_as_a_whole_or_by_key),
        TEST(a_framing_named_in_the_file_sets_the_presets_aside),
        TEST(a_threshold_in_the_file_sets_a_presets_ramp_aside_and_the_other_way_round),
        TEST(an_empty_section_is_all_defaults),
        TEST(telemetry_and_pfc_are_sections_or_one_word),
        TEST(delays_and_queues_are_sections_or_one_word),
        TEST(a_list_of_weights_holds_numbers),
        TEST(a_sweep_is_no_scenario),
        TEST(overrides_count_most),
        TEST(an_override_may_name_protocol_preset_and_framing),
        TEST(of_two_overrides_of_one_key_the_last_counts),
        TEST(files_that_cannot_be_read_are_refused),
        TEST(the_folder_of_a_file_is_the_base_of_relative_names),
    };
    return cmocka_run_group_tests_name("config/scenario", tests, NULL, NULL);
}
