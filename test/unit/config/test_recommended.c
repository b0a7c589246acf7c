/* test/unit/config/test_recommended.c - every law has a recommendation, and with it any scenario becomes one that the law can run: a
 * plain one, one of a fat tree, and those that were written for a law of another kind. */
#include "core/cc.h"
#include "test/unit/weir_test.h"
#include "config/recommended.h"
#include "setup/setup.h"
#include "engine/sim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 256, SETTINGS = 64 };

static struct weir_scenario scn;
static struct weir_setup setup;
static struct weir_result result;
static char text[SETTINGS][LINE];
static struct weir_override set[SETTINGS];

#define LEAVES "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2}\n"
#define TRAFFIC                                                                                                        \
    "traffic: [{kind: poisson, sizes: wka, load: 30%}, {kind: incast, fan_in: 6, size: 1 KB, load: 2%}]\n"             \
    "run: {warmup: 10 us, measure: 40 us, seed: 3}\n"
#define PACKETS "traffic: [{kind: poisson, sizes: 1 KB, load: 30%}]\nrun: {warmup: 10 us, measure: 20 us, seed: 3}\n"

static const char *const network[] = {
    LEAVES,
    "topology: {kind: fat-tree, k: 4, core_link: 100 Gbps}\n",
    LEAVES "protocol: {name: dctcp}\nfabric: {buffer: 2 MB, alpha: 1, ecn: {threshold: 0.65 BDP, where: core}}\n",
    LEAVES "protocol: {name: dcqcn}\nhost: {reliability: go-back-n}\n"
           "fabric: {priorities: 2, buffer: 32 MiB, pfc: {kind: static, xoff: 100 KB}}\n",
    LEAVES "protocol: {name: dcqcn, preset: vendor-100g}\n"
           "fabric: {ecn: {kmin: 10 KB, kmax: 40 KB, pmax: 20%, scale: rate}, pfc: static}\n",
    LEAVES "protocol: {name: homa, preset: sird}\nfabric: {priorities: 8, routing: spray, ecn: {threshold: 80 KB}}\n",
    LEAVES "protocol: {name: hpcc, preset: ns3}\nfabric: {pfc: {kind: static}}\n",
    LEAVES "protocol: {name: expresspass}\nframing: {payload: 8940 B}\n",
};

static void add(uint32_t *count, const char *key, const char *value)
{
    assert_in_range(*count, 0, SETTINGS - 1);
    (void)snprintf(text[*count], LINE, "%s=%s", key, value);
    set[*count] = (struct weir_override){ .text = text[*count] };
    ++*count;
}

/* As `weir compare` does: the law, the preset, then the lines. */
static uint32_t settings_of(const struct weir_protocol *row)
{
    const char *name = weir_recommended_preset(row);
    const struct weir_preset *preset = row->presets;
    const char *line;
    uint32_t count = 0;
    add(&count, "protocol", row->name);
    while (name != NULL && preset != NULL && preset->name != NULL && strcmp(preset->name, name) != 0)
        preset++;
    if (name != NULL) {
        assert_true(preset != NULL && preset->name != NULL);
        add(&count, "protocol.preset", name);
    }
    for (uint32_t i = 0; (line = weir_recommended_line(row, preset, i)) != NULL; i++) {
        char key[LINE];
        const char *colon = strstr(line, ": ");
        assert_non_null(colon);
        (void)snprintf(key, sizeof(key), "%.*s", (int)(colon - line), line);
        add(&count, key, colon + 2);
    }
    return count;
}

static void run(const struct weir_protocol *row, const char *file)
{
    const struct weir_sim_options options = { .threads = 1, .check = true };
    uint32_t count = settings_of(row);
    struct weir_err err;
    if (weir_scenario_parse(&scn, "a.yaml", file, strlen(file), set, count, &err) != 0)
        fail_msg("%s: %s", row->name, err.text);
    if (weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s in\n%s: %s (%s)", row->name, file, err.text, err.hint);
    if (weir_sim_run(&setup.model, &options, &result, &err) != 0)
        fail_msg("%s: %s", row->name, err.text);
    assert_true(result.messages_started > 200);
    assert_true(result.messages_completed > result.messages_started / 2);
    weir_result_free(&result);
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

static void every_law_runs_in_every_network_with_what_it_recommends(void **state)
{
    (void)state;
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        bool packets = row->cc != NULL && (row->cc->needs & WEIR_NEED_NO_ACKS) != 0;
        for (size_t i = 0; i < sizeof(network) / sizeof(network[0]); i++) {
            char file[1024];
            (void)snprintf(file, sizeof(file), "%s%s", network[i], packets ? PACKETS : TRAFFIC);
            run(row, file);
        }
    }
}

static void every_law_recommends_keys_of_the_network_alone(void **state)
{
    (void)state;
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        assert_non_null(row->recommends);
        assert_non_null(row->recommends[0]);
        for (const char *const *line = row->recommends; *line != NULL; line++)
            assert_true(strncmp(*line, "fabric.", 7) == 0 || strncmp(*line, "framing", 7) == 0 ||
                        strncmp(*line, "host.", 5) == 0 || strncmp(*line, "protocol.preset: ", 17) == 0);
    }
}

static bool recommends(const char *name, const char *line)
{
    const struct weir_protocol *row = weir_protocols;
    const char *own;
    while (strcmp(row->name, name) != 0)
        row++;
    for (uint32_t i = 0; (own = weir_recommended_line(row, row->presets, i)) != NULL; i++)
        if (strcmp(own, line) == 0)
            return true;
    return false;
}

/* RDMA's laws are lossless; records take room in HPCC's data and in FNCC's ACKs; the others are as their presets have it. */
static void laws_get_what_they_were_published_with(void **state)
{
    static const char *const rdma[] = { "hpcc", "fncc", "dcqcn", "dart", "timely", "rocc" };
    static const char *const other[] = { "dctcp", "swift", "rcp",   "soze", "aimd", "newreno",    "cubic",
                                         "none",  "sird",  "dcpim", "ndp",  "homa", "expresspass" };
    (void)state;
    for (size_t i = 0; i < sizeof(rdma) / sizeof(rdma[0]); i++)
        assert_true(recommends(rdma[i], "fabric.pfc.kind: dynamic"));
    for (size_t i = 0; i < sizeof(other) / sizeof(other[0]); i++)
        assert_true(recommends(other[i], "fabric.pfc.kind: off"));
    assert_true(recommends("hpcc", "framing.payload: 1418 B"));
    assert_true(recommends("fncc", "framing.ack_wire: 126 B"));
    assert_true(recommends("sird", "fabric.ecn.threshold: 1.25 BDP") && recommends("sird", "fabric.routing: spray"));
    assert_true(recommends("homa", "fabric.priorities: 8"));
    assert_true(recommends("expresspass", "fabric.routing: symmetric"));
}

/* What a preset says of switches counts over the row's list; its law's keys, the BDP and the run's are not of the network. */
static void a_preset_comes_after_the_row_and_only_with_what_is_of_the_network(void **state)
{
    const char *const of_row[] = { "fabric.pfc.kind: off", "host.ecn: off", "protocol.preset: b", NULL };
    const char *const of_preset[] = { "g: 0.08",
                                      "topology.bdp: 100 KB",
                                      "framing: udp",
                                      "fabric.pfc.kind: static",
                                      "run.complete_at: sender",
                                      "hosts: 3",
                                      NULL };
    const struct weir_preset preset = { "b", "", of_preset };
    const struct weir_protocol row = { .name = "x", .recommends = of_row };
    (void)state;
    assert_string_equal(weir_recommended_line(&row, &preset, 0), "host.ecn: off");
    assert_string_equal(weir_recommended_line(&row, &preset, 1), "framing: udp");
    assert_string_equal(weir_recommended_line(&row, &preset, 2), "fabric.pfc.kind: static");
    assert_null(weir_recommended_line(&row, &preset, 3)); /* of a key that both have the preset's line is left */
    assert_string_equal(weir_recommended_preset(&row), "b");
    assert_non_null(weir_recommended_line(&row, NULL, 1));
    assert_null(weir_recommended_line(&row, NULL, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_law_recommends_keys_of_the_network_alone),
        cmocka_unit_test(laws_get_what_they_were_published_with),
        cmocka_unit_test(a_preset_comes_after_the_row_and_only_with_what_is_of_the_network),
        cmocka_unit_test(every_law_runs_in_every_network_with_what_it_recommends),
    };
    return cmocka_run_group_tests_name("config/recommended", tests, NULL, NULL);
}
