/* test/unit/config/test_topology_file.c - files of hosts, switches and cables: what they become, and what is refused and where. */
#include "test/unit/refusal.h"
#include "config/topology_file.h"
#include "param/param.h"
#include "test/unit/config/page_test.h"
#include "test/unit/topology/topology_fixture.h"
#include <inttypes.h>

static const struct weir_tok where = { .file = "s.yaml", .line = 5, .col = 3 };
static struct weir_topology topo;
static struct weir_err err;

static int teardown(void **state)
{
    (void)state;
    weir_topology_free(&topo);
    return 0;
}

/* From an unnamed file that /dev/fd knows. */
static int load(const char *text)
{
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH };
    FILE *file = tmpfile();
    int code;
    weir_topology_free(&topo);
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fflush(file), 0);
    (void)snprintf(cfg.file, sizeof(cfg.file), "%d", fileno(file));
    code = weir_topology_load(&topo, &cfg, "/dev/fd", &where, &err);
    (void)fclose(file);
    return code;
}

static void accepts(const char *text)
{
    if (load(text) != 0)
        fail_msg("%s:%u:%u: %s (%s)", err.file, err.line, err.col, err.text, err.hint);
}

static void refuses(const char *text, enum weir_err_code code, uint32_t line, uint32_t col, const char *key)
{
    int answer = load(text);
    assert_refusal(&err, code, NULL, key);
    assert_int_equal(answer, code);
    assert_int_equal(err.line, line);
    assert_int_equal(err.col, col);
    assert_null(topo.node);
}

/* --- what is read --- */

static const struct weir_link *link_of(const char *name)
{
    uint32_t link = weir_topology_find_link(&topo, name);
    assert_true(link < topo.link_count);
    return &topo.link[link];
}

static void assert_link(const char *name, uint64_t gbps, uint64_t us)
{
    assert_true(link_of(name)->rate_bps == gbps * GBPS);
    assert_true(link_of(name)->delay_ps == us * WEIR_PS_PER_US);
}

static void a_whole_file_arrives_in_a_topology(void **state)
{
    (void)state;
    accepts("defaults: {rate: 10 Gbps, delay: 1 us}\n"
            "hosts: [h0, h1, h2]\n"
            "switches: [s0, s1]\n"
            "cables:\n"
            "  - {a: h0, b: s0, delay: 5 us}\n"
            "  - {a: s0, b: h1}\n"
            "  - {a: h2, b: s1, rate: 10 Gbps, rate_back: 25 Gbps}\n"
            "  - {a: s0, b: s1, rate: 10 Gbps, delay: 100 ms, rate_back: 40 Gbps, delay_back: 1 ms, parallel: 2}\n");
    assert_int_equal(topo.host_count, 3);
    assert_int_equal(topo.switch_count, 2);
    assert_int_equal(topo.link_count, 2 * 5);
    assert_link("h0 - s0", 10, 5);
    assert_link("s0 - h0", 10, 5);
    assert_link("h1 - s0", 10, 1);
    assert_link("h2 - s1", 10, 1);
    assert_link("s1 - h2", 25, 1);
    assert_link("s0 - s1", 10, 100000);
    assert_link("s0 - s1 #2", 10, 100000);
    assert_link("s1 - s0 #2", 40, 1000);
    assert_true(topo.host_link_bps == 10 * GBPS);
}

static void nodes_are_numbered_as_they_are_listed(void **state)
{
    static const char *const key[] = { "z", "h8", "h9", "h10", "a", "core", "edge0", "edge1" };
    char name[WEIR_NODE_NAME];
    (void)state;
    accepts("defaults: {rate: 1 Gbps, delay: 1 us}\nswitches: [core, edge0..edge1]\nhosts: [z, h8..h10, a]\n"
            "cables: [{a: z, b: core}, {a: h8..h10, b: edge0}, {a: a, b: edge1}, {a: core, b: edge0..edge1}]\n");
    assert_int_equal(topo.node_count, 8);
    for (uint32_t n = 0; n < 8; n++) {
        weir_topology_node_name(&topo, n, name, sizeof(name));
        assert_string_equal(name, key[n]);
    }
}

static void ranges_are_joined_to_one_node_or_pair_by_pair(void **state)
{
    (void)state;
    accepts("defaults: {rate: 1 Gbps, delay: 1 us}\nhosts: [h0..h3]\nswitches: [s5..s8, top]\n"
            "cables: [{a: h0..h3, b: s5..s8}, {a: top, b: s5..s8, parallel: 2}]\n");
    assert_int_equal(topo.link_count, 2 * (4 + 8));
    assert_link("h2 - s7", 1, 1);
    assert_link("top - s8 #2", 1, 1);
    assert_int_equal(weir_topology_find_link(&topo, "h2 - s6"), UINT32_MAX);
}

static void hosts_may_have_several_cables_to_switches_and_to_hosts(void **state)
{
    (void)state;
    accepts("defaults: {rate: 100 Gbps, delay: 1 us}\nhosts: [h0..h3]\nswitches: [a, b]\n"
            "cables: [{a: h0..h3, b: a, parallel: 2}, {a: h0..h3, b: b, rate: 25 Gbps},\n"
            "  {a: h0, b: h1, rate: 400 Gbps, parallel: 3}]\n");
    assert_int_equal(topo.link_count, 2 * (8 + 4 + 3));
    assert_int_equal(topo.nics_max, 6);
    assert_int_equal(topo.node[2].out_count, 3);
    assert_link("h2 - a #2", 100, 1);
    assert_link("h2 - b", 25, 1);
    assert_link("h1 - h0 #3", 400, 1);
}

/* More entries than a scenario's lists may have, each with a cable. */
static void a_file_may_be_long(void **state)
{
    enum { HOSTS = 3000, TEXT = 200000 };
    char *text = malloc(TEXT), *at = text;
    (void)state;
    assert_non_null(text);
    at += sprintf(at, "defaults: {rate: 1 Gbps, delay: 1 us}\nswitches: [s]\nhosts: [h0..h%d]\ncables:\n", HOSTS - 1);
    for (int i = 0; i < HOSTS; i++)
        at += sprintf(at, "  - {a: h%d, b: s}\n", i);
    accepts(text);
    assert_int_equal(topo.host_count, HOSTS);
    assert_int_equal(topo.link_count, 2 * HOSTS);
    free(text);
}

/* --- what is refused --- */

#define GOOD "defaults: {rate: 1 Gbps, delay: 1 us}\nhosts: [h0, h1]\nswitches: [s0, s1]\n" /* lines 1 to 3 */
#define CABLES "cables: [{a: h0, b: s0}, {a: h1, b: s1}, {a: s0, b: s1}, "                  /* line 4, to column 60 */

static void a_file_that_is_not_there_is_the_scenarios_mistake(void **state)
{
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH };
    (void)state;
    assert_int_equal(weir_topology_load(&topo, &cfg, "/nowhere", &where, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "s.yaml:5:3", "file");
    (void)strcpy(cfg.file, "x.yaml");
    assert_int_equal(weir_topology_load(&topo, &cfg, "/nowhere", &where, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "s.yaml:5:3", "/nowhere/x.yaml");
}

static void names_are_used_once(void **state)
{
    (void)state;
    refuses("hosts: [a, b]\nswitches: [s, b]\n", WEIR_E_CONFLICT, 2, 15, "b");
    refuses("hosts: [h0..h5,\n  h3]\nswitches: [s]\n", WEIR_E_CONFLICT, 2, 3, "h3");
    refuses("hosts: [x, h0..h5, h4..h9, x]\nswitches: [s]\n", WEIR_E_CONFLICT, 1, 20, "h4");
}

static void names_are_defined(void **state)
{
    (void)state;
    refuses(GOOD CABLES "{a: s0, b: s2}]\n", WEIR_E_UNKNOWN, 4, 69, "s2");
    refuses(GOOD "cables: [{a: h0..h2, b: s0}]\n", WEIR_E_UNKNOWN, 4, 14, "h2");
    refuses("hosts: []\ncables: [{a: x, b: y, rate: 1 Gbps, delay: 1 us}]\n", WEIR_E_UNKNOWN, 2, 14, "x");
}

static void a_name_that_cannot_be_one_is_refused(void **state)
{
    (void)state;
    refuses("hosts: ['a - b']\n", WEIR_E_SYNTAX, 1, 9, "a - b");
    refuses("hosts: ['']\n", WEIR_E_SYNTAX, 1, 9, "");
    refuses("hosts: [a2345678901234567890123456789012]\n", WEIR_E_SYNTAX, 1, 9, "a2345678901234567890123456789012");
    refuses("hosts: [[a]]\n", WEIR_E_SYNTAX, 1, 9, "hosts");
    refuses("hosts: {a: b}\n", WEIR_E_SYNTAX, 1, 8, "hosts");
    refuses("switches: 4\n", WEIR_E_SYNTAX, 1, 11, "switches");
}

static void a_range_is_one_word_and_two_numbers(void **state)
{
    static const char *const wrong[] = { "h0..",    "..h3",    "h3..h0",  "h0..g3", "h..h3", "h0..h",
                                         "h00..h9", "h0..h09", "h0...h3", "h0..3",  "..",    "h0..h9999999999" };
    char text[64], key[96];
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        (void)snprintf(text, sizeof(text), "hosts: [\"%s\"]\n", wrong[i]);
        (void)snprintf(key, sizeof(key), "'%s'", wrong[i]);
        refuses(text, WEIR_E_SYNTAX, 1, 9, key);
    }
    refuses("hosts: [a234567890123456789012345678.0..a234567890123456789012345678.999]\n", WEIR_E_SYNTAX, 1, 9, "");
}

static void too_many_of_anything_is_refused(void **state)
{
    (void)state;
    refuses("hosts: [h1..h1048575,\n h0]\n", WEIR_E_RANGE, 2, 2, "hosts");
    refuses("hosts: [h0..h999999999]\n", WEIR_E_RANGE, 1, 9, "hosts");
    refuses("switches: [s0..s65535]\n", WEIR_E_RANGE, 1, 12, "switches");
    refuses("defaults: {rate: 1 Gbps, delay: 1 us}\nswitches: [s0..s2000, t]\n"
            "cables: [{a: s0..s2000, b: t, parallel: 4095}]\n",
            WEIR_E_RANGE, 3, 14, "cables");
}

static void a_cable_needs_a_rate_and_a_delay_above_0(void **state)
{
    (void)state;
    refuses("hosts: [h0, h1]\nswitches: [s]\ncables: [{a: h0, b: s, delay: 1 us}]\n", WEIR_E_SYNTAX, 3, 10,
            "cables[0]");
    refuses("defaults: {rate: 1 Gbps}\nhosts: [h0, h1]\nswitches: [s]\ncables:\n- {a: h0, b: s, delay: 1 us}\n- {a: "
            "h1, b: s}\n",
            WEIR_E_SYNTAX, 6, 3, "cables[1]");
    refuses(GOOD "cables: [{a: h0, b: s0, rate: 0 bps}]\n", WEIR_E_RANGE, 4, 31, "rate");
    refuses(GOOD "cables: [{a: h0, b: s0, delay: 0}]\n", WEIR_E_RANGE, 4, 32, "delay");
    refuses(GOOD "cables: [{a: h0, b: s0, delay_back: 0 us}]\n", WEIR_E_RANGE, 4, 37, "delay_back");
    refuses("defaults: {delay: 2 s}\n", WEIR_E_RANGE, 1, 19, "delay");
    refuses(GOOD "cables: [{a: s0, b: s1, parallel: 0}]\n", WEIR_E_RANGE, 4, 35, "parallel");
}

static void ends_are_two_and_ranges_of_them_equally_long(void **state)
{
    (void)state;
    refuses(GOOD "cables: [{a: h0}]\n", WEIR_E_SYNTAX, 4, 10, "b");
    refuses(GOOD "cables: [{b: h0}]\n", WEIR_E_SYNTAX, 4, 10, "a");
    refuses(GOOD "cables: [{a: h0..h1, b: s0..s2}]\n", WEIR_E_CONFLICT, 4, 10, "cables[0]");
    refuses(GOOD "cables: [{a: h0.., b: s0..s2}]\n", WEIR_E_SYNTAX, 4, 14, "h0..");
}

static void what_is_no_network_is_refused_at_its_place(void **state)
{
    (void)state;
    refuses(GOOD CABLES "{a: h1, b: s0, parallel: 16}]\n", WEIR_E_CONFLICT, 4, 62, "h1 has more than 16");
    refuses(GOOD CABLES "{a: h1, b: h1}]\n", WEIR_E_CONFLICT, 4, 62, "h1 to itself");
    refuses(GOOD CABLES "{a: s1, b: s1}]\n", WEIR_E_CONFLICT, 4, 62, "s1");
    refuses(GOOD "cables: [{a: h1, b: s1}, {a: s0, b: s1}]\n", WEIR_E_CONFLICT, 2, 9, "h0");
    refuses(GOOD "cables: [{a: h0, b: s0}, {a: h1, b: s1}]\n", WEIR_E_CONFLICT, 2, 13, "h0");
    refuses("hosts: [h0]\nswitches: [s]\n", WEIR_E_RANGE, 1, 1, "hosts");
    refuses("switches: [s]\n", WEIR_E_RANGE, 1, 1, "hosts");
}

static void a_scenario_with_a_list_of_hosts_is_no_network(void **state)
{
    (void)state;
    assert_true(weir_topology_is_network("a.yaml", "hosts: [a, b]\n"));
    assert_true(weir_topology_is_network("a.txt", "3 1 2\n2\n"));
    assert_false(weir_topology_is_network("a.yaml", "topology: {kind: star}\nhosts: [{at: host 1, link: 1 Gbps}]\n"));
    assert_false(weir_topology_is_network("a.yaml", "hosts: [{at: host 1, link: 1 Gbps}]\ntraffic: []\n"));
}

static void unknown_keys_and_wrong_sorts_are_refused(void **state)
{
    (void)state;
    refuses("host: [a]\n", WEIR_E_UNKNOWN, 1, 1, "host");
    refuses("defaults: {speed: 1 Gbps}\n", WEIR_E_UNKNOWN, 1, 12, "speed");
    refuses(GOOD "cables: [{a: h0, b: s0, dealy: 1 us}]\n", WEIR_E_UNKNOWN, 4, 25, "dealy");
    refuses("[a]\n", WEIR_E_SYNTAX, 1, 1, "");
    refuses(GOOD "cables: {a: h0, b: s0}\n", WEIR_E_SYNTAX, 4, 9, "cables");
    refuses(GOOD "cables: [h0]\n", WEIR_E_SYNTAX, 4, 10, "cables[0]");
    refuses(GOOD "cables: [{a: h0, b: [s0]}]\n", WEIR_E_SYNTAX, 4, 21, "b");
    refuses("hosts: [a\n", WEIR_E_SYNTAX, 2, 1, "YAML");
}

static void other_kinds_are_laid_out_as_ever(void **state)
{
    struct weir_topology_config cfg = {
        .kind = WEIR_STAR, .hosts = 3, .host_link_bps = GBPS, .host_delay_ps = WEIR_PS_PER_US
    };
    (void)state;
    assert_int_equal(weir_topology_load(&topo, &cfg, NULL, &where, &err), 0);
    assert_int_equal(topo.link_count, 6);
    weir_topology_free(&topo);
    cfg.hosts = 1;
    assert_int_equal(weir_topology_load(&topo, &cfg, NULL, &where, &err), WEIR_E_RANGE);
    assert_int_equal(err.line, 5);
}

/* --- examples, and the page --- */

static void load_example(const char *file)
{
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH };
    weir_topology_free(&topo);
    (void)snprintf(cfg.file, sizeof(cfg.file), "%s", file);
    if (weir_topology_load(&topo, &cfg, "examples/networks", &where, &err) != 0)
        fail_msg("%s:%u:%u: %s", err.file, err.line, err.col, err.text);
}

/* A full packet of 1538 B and an acknowledgement of 84 B. */
static uint64_t base_rtt_ps(enum weir_route_metric metric)
{
    struct weir_routes routes;
    uint64_t rtt_ps;
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, metric, 1, &err), 0);
    rtt_ps = weir_route_base_rtt_ps(&routes, &topo, 1538, 84);
    weir_routes_free(&routes);
    return rtt_ps;
}

/* Out and back between two hosts of a network with one path for each pair. */
static uint64_t pair_rtt_ps(uint32_t a, uint32_t b)
{
    struct weir_routes routes;
    struct weir_route_path out, back;
    assert_int_equal(weir_routes_build(&routes, &topo, WEIR_ROUTE_ECMP, WEIR_METRIC_HOPS, 1, &err), 0);
    assert_true(weir_route_path(&routes, &topo, a, b, 0, &out) && weir_route_path(&routes, &topo, b, a, 0, &back));
    weir_routes_free(&routes);
    return weir_route_ideal_ps(&topo, &out, 1, 1538, 0) + weir_route_ideal_ps(&topo, &back, 1, 84, 0);
}

/* 1538 B take 1230400 ps at 10 Gb/s and 123040 at 100, 84 B 67200 and 6720. Between a sender and a receiver are three links of the
 * former and one of the latter: 4022560 ps of transmissions. Their delays are 9.99 ms, 10 us, 10 us and D - 10 us: 10 ms + D. */
enum { RPM_TX_PS = 3 * (1230400 + 67200) + 123040 + 6720 };

static void rpms_networks_have_the_published_round_trips(void **state)
{
    static const struct {
        const char *file;
        uint32_t ms[5]; /* of the classes, two pairs each; without transmissions */
        uint64_t longest_ps;
    } rows[] = {
        { "rpm-equal.yaml", { 40, 40, 40, 40, 40 }, 40 * WEIR_PS_PER_MS + RPM_TX_PS },
        /* H19 and H20 are each 49.99 ms from S2, or 99.99: the longest way is between them */
        { "rpm-50ms.yaml", { 40, 60, 80, 100, 120 }, 4 * 49990 * WEIR_PS_PER_US + UINT64_C(2) * (1230400 + 67200) },
        { "rpm-100ms.yaml", { 60, 100, 140, 180, 220 }, 4 * 99990 * WEIR_PS_PER_US + UINT64_C(2) * (1230400 + 67200) },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        load_example(rows[i].file);
        assert_int_equal(topo.host_count, 20);
        for (uint32_t h = 0; h < 10; h++)
            assert_true(pair_rtt_ps(h, 10 + h) == rows[i].ms[h / 2] * WEIR_PS_PER_MS + RPM_TX_PS);
        assert_true(base_rtt_ps(WEIR_METRIC_HOPS) == rows[i].longest_ps);
        assert_true(base_rtt_ps(WEIR_METRIC_DELAY) == rows[i].longest_ps);
    }
}

/* Six links of 10 Gb/s and 1 us each way. */
static void darts_network_has_a_base_rtt_of_19_8_us(void **state)
{
    struct weir_topology_config cfg = darts_fat_tree();
    (void)state;
    cfg.host_link_bps = cfg.core_link_bps = 10 * GBPS;
    cfg.host_delay_ps = cfg.core_delay_ps = WEIR_PS_PER_US;
    assert_int_equal(weir_topology_load(&topo, &cfg, NULL, &where, &err), 0);
    assert_int_equal(base_rtt_ps(WEIR_METRIC_HOPS), 12000000 + 6 * (1230400 + 67200));
    assert_int_equal(base_rtt_ps(WEIR_METRIC_DELAY), 12000000 + 6 * (1230400 + 67200));
}

static void the_examples_of_the_page_are_accepted(void **state)
{
    (void)state;
    assert_int_equal(page_examples("doc/topology.md", "# topology", accepts), 1);
    assert_int_equal(topo.host_count, 9);
}

static void the_page_names_every_key(void **state)
{
    static const struct weir_param *const tables[] = { weir_graph_default_params, weir_graph_cable_params,
                                                       weir_topology_params };
    char *text = page_read("doc/topology.md"), cell[64];
    (void)state;
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        for (const struct weir_param *row = tables[i]; row->key != NULL; row++) {
            (void)snprintf(cell, sizeof(cell), strcmp(row->key, "kind") == 0 ? "`topology.%s`" : "`%s`", row->key);
            if (strcmp(row->key, "bdp") != 0 && strstr(text, cell) == NULL)
                fail_msg("%s", cell);
        }
    for (const char *const *kind = weir_topology_kinds; *kind != NULL; kind++) {
        (void)snprintf(cell, sizeof(cell), "| `%s` |", *kind);
        assert_non_null(strstr(text, cell));
    }
    free(text);
}

#define TEST(name) cmocka_unit_test_teardown(name, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_whole_file_arrives_in_a_topology),
        TEST(nodes_are_numbered_as_they_are_listed),
        TEST(ranges_are_joined_to_one_node_or_pair_by_pair),
        TEST(hosts_may_have_several_cables_to_switches_and_to_hosts),
        TEST(a_file_may_be_long),
        TEST(a_file_that_is_not_there_is_the_scenarios_mistake),
        TEST(names_are_used_once),
        TEST(names_are_defined),
        TEST(a_name_that_cannot_be_one_is_refused),
        TEST(a_range_is_one_word_and_two_numbers),
        TEST(too_many_of_anything_is_refused),
        TEST(a_cable_needs_a_rate_and_a_delay_above_0),
        TEST(ends_are_two_and_ranges_of_them_equally_long),
        TEST(what_is_no_network_is_refused_at_its_place),
        TEST(a_scenario_with_a_list_of_hosts_is_no_network),
        TEST(unknown_keys_and_wrong_sorts_are_refused),
        TEST(other_kinds_are_laid_out_as_ever),
        TEST(rpms_networks_have_the_published_round_trips),
        TEST(darts_network_has_a_base_rtt_of_19_8_us),
        TEST(the_examples_of_the_page_are_accepted),
        TEST(the_page_names_every_key),
    };
    return cmocka_run_group_tests_name("config/topology_file", tests, NULL, NULL);
}
