/* test/unit/config/test_sections.c - what a scenario may not have: with which code, at which place, for which key
 * it is refused. */
#include "test/unit/refusal.h"
#include "param/param.h"
#include "config/scenario.h"
#include <stdio.h>
#include <string.h>
#include "test/unit/config/scenario_test.h"

/* From --set, over a good file. */
static void refuses_set(const char *set, enum weir_err_code code, const char *key)
{
    int answer;
    set_count = 0;
    override(set);
    answer = parse("run: {seed: 1}\n" TRAFFIC);
    assert_refusal(&err, code, NULL, key);
    assert_int_equal(answer, code);
    assert_string_equal(err.file, "--set");
    assert_int_equal(err.line, 0);
}

static void an_unknown_key_is_refused_with_the_nearest(void **state)
{
    (void)state;
    refuses("traffic:\n  - {kind: poisson, laod: 50%}\n", WEIR_E_UNKNOWN, 2, 21, "laod");
    refuses("trafic: []\n", WEIR_E_UNKNOWN, 1, 1, "trafic");
    refuses("colour: red\n", WEIR_E_UNKNOWN, 1, 1, "colour");
    refuses("protocol: {name: dctcp, G: 1}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 25, "G");
    refuses("protocol: {name: dctcp, alphabet: 1}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 25, "alphabet");
    refuses("fabric: {ecn: {treshold: 1 KB}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 16, "treshold");
    refuses("fabric: {routing: {mode: spray, metrik: delay}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 33, "metrik");
    refuses("fabric: {routing: sprey}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 19, "mode");
    refuses("fabric: {int: {period: 1 us, modus: ack}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 30, "modus");
    refuses("fabric: {pfc: {kind: static, xof: 1 KB}}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 30, "xof");
    refuses("fabric: {pfc: on}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 15, "kind");
    refuses("fabric:\n  bufer: 1 MB\n" TRAFFIC, WEIR_E_UNKNOWN, 2, 3, "bufer");
    refuses("framing: {playload: 1 KB}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 11, "playload");
    refuses("fabric: {events: [{time: 1 ms, cable: a - b, do: up}]}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 46, "do");
}

static void a_unit_missing_or_wrong_is_refused(void **state)
{
    (void)state;
    refuses("topology: {host_delay: 5}\n" TRAFFIC, WEIR_E_UNIT, 1, 24, "host_delay");
    refuses("topology:\n  host_link: 100 GB\n" TRAFFIC, WEIR_E_UNIT, 2, 14, "host_link");
    refuses("fabric: {buffer: 16}\n" TRAFFIC, WEIR_E_UNIT, 1, 18, "buffer");
}

static void a_value_out_of_range_is_refused(void **state)
{
    (void)state;
    refuses("fabric: {priorities: 9}\n" TRAFFIC, WEIR_E_RANGE, 1, 22, "priorities");
    assert_int_equal(parse("traffic:\n  - {kind: poisson, sizes: wkc, load: 100%}\n"), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "dir/incast.yaml:2:39", "load");
    refuses("run: {sample: 0}\n" TRAFFIC, WEIR_E_RANGE, 1, 15, "sample");
}

static void a_fat_tree_is_given_by_k_or_by_its_pods(void **state)
{
    (void)state;
    refuses("topology: {kind: fat-tree, k: 8, pods: 4}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 28, "k");
    refuses("topology: {kind: fat-tree, edge_hosts: 2,\n  oversubscription: 1}\n" TRAFFIC, WEIR_E_CONFLICT, 2, 3,
            "oversubscription");
    refuses("topology: {kind: fat-tree, pods: 0}\n" TRAFFIC, WEIR_E_RANGE, 1, 34, "pods");
    accepts("topology: {kind: leaf-spine, k: 4, pods: 4}\n" TRAFFIC); /* of no use to either */
    accepts("topology: {kind: fat-tree, pods: 3, edges: 2, aggs: 2, uplinks: 1, edge_hosts: 5}\n" TRAFFIC);
    assert_int_equal(scn.topology.pods, 3);
    assert_int_equal(scn.topology.edge_hosts, 5);
    override("topology.k=4");
    assert_int_equal(
        parse("topology: {kind: fat-tree, pods: 3, edges: 2, aggs: 2, uplinks: 1, edge_hosts: 5}\n" TRAFFIC),
        WEIR_E_CONFLICT);
}

static void a_key_on_the_command_line_belongs_to_the_kind(void **state)
{
    (void)state;
    override("topology.k=4");
    assert_int_equal(parse("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--set", "topology.k");
    override("topology.kind=fat-tree"); /* now it does; racks is the file's */
    accepts("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC);
    assert_int_equal(scn.topology.k, 4);
    override("topology.hosts=16"); /* k^3/4 */
    accepts("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC);
    override("topology.hosts=17");
    assert_int_equal(parse("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--set", "topology.hosts");
    set_count = 2;
    override("topology.racks=3");
    assert_int_equal(parse("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--set", "topology.racks");
}

static void assert_warning(uint32_t i, uint32_t line, uint32_t col, const char *text)
{
    assert_true(i < scn.warning_count);
    assert_string_equal(scn.warning[i].file, "dir/incast.yaml");
    assert_int_equal(scn.warning[i].line, line);
    assert_int_equal(scn.warning[i].col, col);
    assert_string_equal(scn.warning[i].text, text);
}

static void keys_of_the_file_that_its_kind_does_not_have_are_in_a_warning(void **state)
{
    (void)state;
    accepts("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC);
    assert_int_equal(scn.warning_count, 0);
    override("topology.kind=fat-tree");
    override("topology.k=4");
    accepts("topology: {kind: leaf-spine, racks: 9}\n" TRAFFIC);
    assert_int_equal(scn.warning_count, 1);
    assert_warning(0, 1, 30, "topology: racks has no effect in a network of kind fat-tree");
    accepts("topology: {hosts: 16, host_link: 100 Gbps, racks: 9,\n  spines: 2}\n" TRAFFIC); /* k^3/4 = 16 */
    assert_int_equal(scn.warning_count, 1);
    assert_warning(0, 1, 44, "topology: racks, spines have no effect in a network of kind fat-tree");
    set_count = 0;
    accepts("topology: {k: 8}\ntraffic:\n  - {kind: permutation, fan_in: 3}\n  - {kind: permutation}\n");
    assert_int_equal(scn.warning_count, 2);
    assert_warning(0, 1, 12, "topology: k has no effect in a network of kind leaf-spine");
    assert_warning(1, 3, 25, "traffic[0]: fan_in has no effect in an item of kind permutation");
    override("traffic[1].fan_in=3");
    assert_int_equal(parse("traffic: [{kind: incast}, {kind: permutation}]\n"), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "--set", "traffic[1].fan_in");
}

static void warnings_beyond_those_kept_are_counted(void **state)
{
    char text[800] = "traffic:\n";
    (void)state;
    for (uint32_t i = 0; i < WEIR_TRAFFIC_MAX; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "  - {kind: permutation, fan_in: 3}\n");
    accepts(text);
    assert_int_equal(scn.warning_count, WEIR_TRAFFIC_MAX);
    assert_warning(WEIR_WARNINGS_MAX - 1, 1 + WEIR_WARNINGS_MAX, 25,
                   "traffic[3]: fan_in has no effect in an item of kind permutation");
    assert_int_equal(scn.run.seed, 1); /* what stands behind them in the struct is as read */
}

static void a_key_is_read_by_its_former_name(void **state)
{
    (void)state;
    accepts("fabric: {ecn: {where: core}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->where, WEIR_ECN_CORE);
    accepts("fabric: {ecn: {at: core, threshold: 1 KB}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->where, WEIR_ECN_CORE);
    refuses("fabric: {ecn: {at: core, where: all}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 26, "former name of at");
    override("fabric.ecn.where=all");
    accepts("fabric: {ecn: {at: core, threshold: 1 KB}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->where, WEIR_ECN_ALL);
    accepts("fabric: {ecn: {where: core}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->where, WEIR_ECN_ALL);
    override("fabric.ecn.at=core");
    accepts("fabric: {ecn: {where: all}}\n" TRAFFIC);
    assert_int_equal(ecn_of(&scn)->where, WEIR_ECN_CORE);
}

static void a_node_of_the_wrong_sort_is_refused(void **state)
{
    (void)state;
    refuses("topology: [1, 2]\n" TRAFFIC, WEIR_E_SYNTAX, 1, 11, "topology");
    refuses("topology: star\n" TRAFFIC, WEIR_E_SYNTAX, 1, 11, "topology");
    refuses("traffic: {kind: poisson}\n", WEIR_E_SYNTAX, 1, 10, "traffic");
    refuses("traffic: [poisson]\n", WEIR_E_SYNTAX, 1, 11, "traffic[0]");
    refuses("run: {seed: [1]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 13, "seed");
    refuses("fabric: {events: {at: 1 ms}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 18, "fabric.events");
    refuses("fabric: {ecn: [1]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 15, "fabric.ecn");
    refuses("fabric: {ecn: on}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 15, "threshold");
    refuses("protocol: {name: {a: b}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 18, "name");
    refuses("hello world\n", WEIR_E_SYNTAX, 1, 1, "");
    refuses("- a\n- b\n", WEIR_E_SYNTAX, 1, 1, "");
}

static void text_that_is_not_yaml_is_refused(void **state)
{
    (void)state;
    refuses("run: {seed: 1\n" TRAFFIC, WEIR_E_SYNTAX, 2, 8, "YAML");
    refuses("%PDF-1.4\n1 0 obj\n", WEIR_E_SYNTAX, 1, 7, "YAML");
    refuses("", WEIR_E_SYNTAX, 0, 0, "");
}

static void a_key_given_twice_is_refused(void **state)
{
    (void)state;
    refuses("run:\n  seed: 1\n  warmup: 1 ms\n  seed: 2\n" TRAFFIC, WEIR_E_CONFLICT, 4, 3, "seed");
    refuses("run: {seed: 1}\nrun: {seed: 2}\n" TRAFFIC, WEIR_E_CONFLICT, 2, 1, "run");
}

static void unknown_names_are_refused_with_the_nearest(void **state)
{
    (void)state;
    refuses("protocol: dctpc\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 11, "dctpc");
    refuses("protocol: {name: quic}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 18, "quic");
    refuses("protocol: {name: dctcp, preset: ns3}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 33, "ns3");
    refuses("protocol: {name: none, preset: ns2}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 32, "ns2");
    refuses("framing: etehrnet\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 10, "etehrnet");
    refuses("topology: {kind: leafspine}\n" TRAFFIC, WEIR_E_UNKNOWN, 1, 18, "kind");
}

static void traffic_is_needed_and_bounded(void **state)
{
    static char text[4096] = "traffic:\n";
    (void)state;
    accepts("run: {seed: 1}\n"); /* of a switch of real frames; a run refuses it */
    refuses("traffic:\n", WEIR_E_SYNTAX, 1, 9, "traffic");
    refuses("traffic: []\n", WEIR_E_SYNTAX, 1, 10, "traffic");
    for (uint32_t i = 0; i <= WEIR_TRAFFIC_MAX; i++)
        strcat(text, "  - {}\n");
    refuses(text, WEIR_E_RANGE, 2, 3, "traffic");
}

static void settings_that_exclude_each_other_are_refused(void **state)
{
    (void)state;
    refuses("fabric: {ecn: {threshold: 1 KB, kmin: 1 KB, kmax: 2 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "threshold");
    refuses("fabric: {ecn: {kmin: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "kmin");
    refuses("fabric: {ecn: {kmax: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "kmax");
    refuses("fabric: {ecn: {kmin: 2 KB, kmax: 1 KB}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "kmin");
    refuses("fabric: {ecn: {kmin: 2 BDP, kmax: 1 BDP}}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 15, "kmin");
    accepts("fabric: {ecn: {threshold: off, kmin: 1 KB, kmax: 2 BDP}}\n" TRAFFIC);
    refuses("fabric: {events: [{cable: a - b}]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 19, "time");
    refuses("fabric: {events: [{time: 1 ms}]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 19, "one of cable, switch, host and nic");
    refuses("fabric: {events: [{time: 1 ms, nic: host 0/0, state: restart}]}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 19,
            "'host 0/0' is a NIC");
    refuses("fabric: {events: [{time: 1 ms, nic: host 0/0, host: host 0}]}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 19,
            "one of cable, switch, host and nic");
    refuses("fabric: {events: [{at: 1 ms, time: 1 ms, cable: a - b}]}\n" TRAFFIC, WEIR_E_CONFLICT, 1, 20,
            "former name");
}

static void an_event_says_what_fits_its_place(void **state)
{
    static const struct {
        const char *event, *said;
        enum weir_err_code code;
    } row[] = {
        { "cable: a - b, switch: a", "is of one of", WEIR_E_CONFLICT },
        { "switch: a, state: loss, rate: 1%", "state loss is of a cable", WEIR_E_CONFLICT },
        { "cable: a - b, state: loss", "state loss needs a rate", WEIR_E_CONFLICT },
        { "cable: a - b, rate: 1%", "a rate is of state loss or state rate", WEIR_E_CONFLICT },
        { "cable: a - b, rate: 1 Gbps", "a rate is of state loss or state rate", WEIR_E_CONFLICT },
        { "host: a, state: rate, rate: 1 Gbps", "state rate is of a cable", WEIR_E_CONFLICT },
        { "cable: a - b, state: rate", "state rate needs a rate", WEIR_E_CONFLICT },
        { "cable: a - b, state: rate, rate: 1%", "in bits per second, not a share", WEIR_E_CONFLICT },
        { "cable: a - b, state: loss, rate: 1 Gbps", "a share of packets, not bits", WEIR_E_CONFLICT },
        { "cable: a - b, state: loss, rate: 101%", "must be", WEIR_E_RANGE },
        { "cable: a - b, state: restart", "state restart is of a host, and 'a - b' is a cable", WEIR_E_CONFLICT },
        { "switch: a, state: restart", "state restart is of a host, and 'a' is a switch", WEIR_E_CONFLICT },
        { "switch: a, queue: wait", "no queue", WEIR_E_CONFLICT },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        char text[256];
        (void)snprintf(text, sizeof(text), "fabric:\n  events:\n    - {time: 1 ms, %s}\n%s", row[i].event, TRAFFIC);
        refuses(text, row[i].code, 3, row[i].code == WEIR_E_RANGE ? 53 : 7, row[i].said);
    }
}

static void loss_is_a_number_or_a_list_by_cable(void **state)
{
    (void)state;
    accepts("fabric: {loss: 1%}\n" TRAFFIC);
    accepts("fabric: {loss: [{rate: 0.1%}, {cable: a - b, rate: 1%}]}\n" TRAFFIC);
    refuses("fabric: {loss: [{cable: a - b}]}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 17, "rate");
    refuses("fabric: {loss: [{cable: a - b, rate: 2}]}\n" TRAFFIC, WEIR_E_RANGE, 1, 38, "rate");
    refuses("fabric: {loss: {rate: 1%}}\n" TRAFFIC, WEIR_E_SYNTAX, 1, 16, "loss");
}

static void a_bad_override_is_refused(void **state)
{
    (void)state;
    refuses_set("run.sed=2", WEIR_E_UNKNOWN, "sed");
    refuses_set("rum.seed=2", WEIR_E_UNKNOWN, "rum");
    refuses_set("traffic[0].laod=80%", WEIR_E_UNKNOWN, "laod");
    refuses_set("protocol.gg=1", WEIR_E_UNKNOWN, "gg");
    refuses_set("run.seed", WEIR_E_SYNTAX, "run.seed");
    refuses_set("run.seed=", WEIR_E_SYNTAX, "run.seed");
    refuses_set("=2", WEIR_E_SYNTAX, "");
    refuses_set("run.seed=x", WEIR_E_SYNTAX, "seed");
    refuses_set("traffic[1].load=80%", WEIR_E_RANGE, "traffic[1].load");
    refuses_set("traffic.load=80%", WEIR_E_SYNTAX, "traffic.load");
    refuses_set("fabric=1", WEIR_E_SYNTAX, "fabric");
    refuses_set("protocol=dctpc", WEIR_E_UNKNOWN, "dctpc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
        TEST(an_unknown_key_is_refused_with_the_nearest),
        TEST(a_unit_missing_or_wrong_is_refused),
        TEST(a_value_out_of_range_is_refused),
        TEST(a_fat_tree_is_given_by_k_or_by_its_pods),
        TEST(a_key_on_the_command_line_belongs_to_the_kind),
        TEST(keys_of_the_file_that_its_kind_does_not_have_are_in_a_warning),
        TEST(warnings_beyond_those_kept_are_counted),
        TEST(a_key_is_read_by_its_former_name),
        TEST(a_node_of_the_wrong_sort_is_refused),
        TEST(text_that_is_not_yaml_is_refused),
        TEST(a_key_given_twice_is_refused),
        TEST(unknown_names_are_refused_with_the_nearest),
        TEST(traffic_is_needed_and_bounded),
        TEST(settings_that_exclude_each_other_are_refused),
        TEST(an_event_says_what_fits_its_place),
        TEST(loss_is_a_number_or_a_list_by_cable),
        TEST(a_bad_override_is_refused),
    };
    return cmocka_run_group_tests_name("config/sections", tests, NULL, NULL);
}
