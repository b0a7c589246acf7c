/* test/unit/config/test_dump.c - a scenario that was written back is the same scenario. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "config/dump.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BDP_BYTES = 100000 };

static struct weir_err err;

static void read_scenario(struct weir_scenario *scn, const char *text)
{
    if (weir_scenario_parse(scn, "dir/a.yaml", text, strlen(text), NULL, 0, &err) != 0)
        fail_msg("%s:%u:%u: %s\n%s", err.file, err.line, err.col, err.text, text);
    assert_int_equal(weir_scenario_resolve(scn, &(struct weir_scenario_path){ BDP_BYTES, 10 * WEIR_PS_PER_US }, &err),
                     0);
}

static char *dump(const struct weir_scenario *scn)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    weir_scenario_dump(out, scn);
    assert_int_equal(fclose(out), 0);
    return text;
}

/* Of a list's items: where they are in the file decides nothing. */
static void forget_places(const struct weir_feature_list *list, void *config)
{
    uint32_t count;
    if (list == NULL)
        return;
    memcpy(&count, (char *)config + list->count_offset, sizeof(count));
    for (uint32_t i = 0; i < count; i++)
        memset((char *)config + list->offset + (size_t)i * list->bytes + list->where_offset, 0,
               sizeof(struct weir_tok));
}

static void assert_same_feature(const struct weir_feature_keys *a, const struct weir_feature_keys *b)
{
    size_t bytes = a->row->config_bytes;
    char *copy = malloc(2 * bytes + 1);
    if (a->row->section_enables)
        assert_int_equal(a->is_set, b->is_set);
    assert_non_null(copy);
    memcpy(copy, a->config, bytes);
    memcpy(copy + bytes, b->config, bytes);
    forget_places(a->row->list, copy);
    forget_places(a->row->list, copy + bytes);
    assert_memory_equal(copy, copy + bytes, bytes);
    free(copy);
}

static void assert_same_item(const struct weir_scenario *scn, const struct weir_switch_item *a,
                             const struct weir_switch_item *b)
{
    assert_string_equal(a->at, b->at);
    assert_int_equal(a->has_buffer, b->has_buffer);
    assert_true(a->buffer_bytes == b->buffer_bytes);
    for (uint32_t f = 0; f < scn->feature_count; f++) {
        assert_true(a->part[f].set == b->part[f].set);
        assert_int_equal(a->part[f].config == NULL, b->part[f].config == NULL);
        if (a->part[f].config != NULL)
            assert_memory_equal(a->part[f].config, b->part[f].config, scn->feature[f].row->config_bytes);
    }
}

/* Everything that decides a run. */
static void assert_same(const struct weir_scenario *a, const struct weir_scenario *b)
{
    assert_string_equal(a->name, b->name);
    assert_memory_equal(&a->topology, &b->topology, sizeof(a->topology));
    assert_memory_equal(&a->framing, &b->framing, sizeof(a->framing));
    assert_memory_equal(&a->host, &b->host, sizeof(a->host));
    assert_ptr_equal(a->protocol, b->protocol);
    assert_ptr_equal(a->preset, b->preset);
    assert_memory_equal(a->protocol_config, b->protocol_config, a->protocol->config_bytes);
    assert_memory_equal(&a->fabric, &b->fabric, sizeof(a->fabric));
    assert_memory_equal(&a->routing, &b->routing, sizeof(a->routing));
    assert_int_equal(a->feature_count, b->feature_count);
    for (uint32_t i = 0; i < a->feature_count; i++)
        if (a->feature[i].config != NULL)
            assert_same_feature(&a->feature[i], &b->feature[i]);
    assert_int_equal(a->traffic_count, b->traffic_count);
    assert_int_equal(a->law_count, b->law_count);
    assert_memory_equal(a->law_of_item, b->law_of_item, sizeof(a->law_of_item));
    assert_memory_equal(a->law_of_deploy, b->law_of_deploy, sizeof(a->law_of_deploy));
    assert_memory_equal(a->deploy, b->deploy, sizeof(a->deploy));
    assert_memory_equal(a->law_of_hosts, b->law_of_hosts, sizeof(a->law_of_hosts));
    for (uint32_t k = 1; k < a->law_count; k++) {
        assert_ptr_equal(a->law[k].protocol, b->law[k].protocol);
        assert_memory_equal(a->law[k].config, b->law[k].config, a->law[k].protocol->config_bytes);
        assert_memory_equal(&a->law[k].host, &b->law[k].host, sizeof(a->law[k].host));
        assert_memory_equal(&a->law[k].framing, &b->law[k].framing, sizeof(a->law[k].framing));
    }
    assert_int_equal(a->switches_count, b->switches_count);
    for (uint32_t i = 0; i < a->switches_count; i++)
        assert_same_item(a, &a->switches[i], &b->switches[i]);
    assert_memory_equal(&a->run, &b->run, sizeof(a->run));
}

static void assert_comes_back(const char *text)
{
    struct weir_scenario *first = malloc(sizeof(*first)), *second = malloc(sizeof(*second));
    char *once, *twice;
    assert_non_null(first);
    assert_non_null(second);
    read_scenario(first, text);
    once = dump(first);
    read_scenario(second, once);
    assert_same(first, second);
    twice = dump(second);
    assert_string_equal(once, twice);
    free(once);
    free(twice);
    weir_scenario_free(first);
    weir_scenario_free(second);
    free(first);
    free(second);
}

static void laws_of_parts_and_of_hosts_come_back(void **state)
{
    (void)state;
    assert_comes_back(
        "hosts: [{at: host 0..3, protocol: {name: cubic, cut: 0.5}}, {at: host 2, host: {ack_every: 2}},\n"
        "        {at: host 3, protocol: dctcp}]\n"
        "traffic:\n  - {kind: poisson, sizes: wkc, load: 20%, deploy: {share: 3%, by: hosts, host: {ack_every: 2}}}\n"
        "  - {kind: poisson, sizes: wkc, load: 20%, protocol: dctcp,\n"
        "     deploy: {share: 70%, protocol: {name: newreno, preset: datacenter}, class: 1}}\n");
    assert_comes_back("traffic:\n  - {kind: poisson, sizes: wkc, load: 20%, protocol: cubic}\n"
                      "  - {kind: poisson, sizes: wkc, load: 20%, host: {ack_every: 3}}\n");
}

static void switches_that_differ_come_back(void **state)
{
    (void)state;
    assert_comes_back("fabric:\n"
                      "  ecn: {kmin: 1 BDP, kmax: 2 BDP}\n"
                      "  switches:\n"
                      "    - {at: [leaf 0, leaf 1..2], rpm: on, buffer: 3 MB, alpha: 0.5, ecn: 0.5 BDP}\n"
                      "    - {at: spine, rpm: {}, codel: {target: 3 us}, maxqd: {filter: 1 us}, fair_rate: off}\n"
                      "    - {at: leaf 0, ecn: off, rpm: {cells: port, expiry: 2 us}, buffer: unlimited}\n"
                      "traffic: [{kind: poisson, sizes: wkc, load: 50%}]\n");
}

static void the_least_that_can_be_said_comes_back(void **state)
{
    (void)state;
    assert_comes_back("traffic: [{kind: poisson, sizes: wkc, load: 50%}]\n");
}

static void everything_that_can_be_said_comes_back(void **state)
{
    (void)state;
    assert_comes_back(
        "name: 'a \"b\" \\c # d: e'\n"
        "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2, host_link: 10 Gbps, core_link: 40 Gbps,\n"
        "           host_delay: 1.25 us, core_delay: 333 ps, bdp: 100 KB}\n"
        "framing: {preset: hpcc, payload: 1440 B}\n"
        "protocol: {name: dctcp, preset: ns2, g: 12.3456%, init_cwnd: 1.5 BDP}\n"
        "host: {connections: 7, rto_min: 3 ms}\n"
        "fabric:\n"
        "  buffer: 16 MB\n"
        "  alpha: 0.5\n"
        "  priorities: 2\n"
        "  routing: {mode: spray, metric: delay}\n"
        "  loss: 0.000001\n"
        "  ecn: {kmin: 1 BDP, kmax: 2.5 BDP, pmax: 20%, where: core, scale: rate}\n"
        "  int: {mode: ack, format: quantised, multi: 4, period: 3 us}\n"
        "  pfc: {kind: static, classes: all, xoff: 300 KB, xon: 200 KB, headroom: 50 KB, alpha_shift: 4, reserve: 1 "
        "KB,\n"
        "        resume_offset: 2 KB, storm: off}\n"
        "  codel: {variant: rfc8289, target: 1 us, interval: 20 us, at: all}\n"
        "  rpm: {cells: port, entries: 3, expiry: 2 ms, counter: 8 bit}\n"
        "  fair_rate: off\n"
        "  maxqd: {mode: off, unit: 1.5 ns, filter: 0 s}\n"
        "  queues: {kind: groups, groups: 3, weights: [1, 2, 40]}\n"
        "  events:\n"
        "    - {time: 2 ms, cable: leaf 0 - spine 1, state: down}\n"
        "    - {time: 3 ms, cable: leaf 0 - spine 1, state: up}\n"
        "    - {time: 4 ms, cable: leaf 0 - spine 1, state: loss, rate: 1%}\n"
        "    - {time: 4 ms, cable: leaf 0 - spine 1, state: rate, rate: 25 Gbps}\n"
        "    - {time: 5 ms, switch: spine 0}\n"
        "    - {time: 5 ms, host: host 1, queue: wait}\n"
        "traffic:\n"
        "  - {kind: poisson, sizes: wkc, load: 50%, load_mean: nominal, name: 'yes'}\n"
        "  - {kind: incast, fan_in: 10, size: 5 BDP, share: 7%}\n"
        "  - {kind: permutation, size: 1460 B, start: 1 ms}\n"
        "  - {kind: flows, file: 'a b.csv', connections: weight}\n"
        "  - {kind: jobs, file: 'a b.yaml', start: 1 ms, policy: equal-finish}\n"
        "run: {warmup: 20 ms, measure: all, seed: 18446744073709551615, sample: 10 us}\n");
}

static void a_list_of_losses_comes_back(void **state)
{
    (void)state;
    assert_comes_back(
        "protocol: dctcp\nfabric: {ecn: {threshold: 9 KB}, loss: [{rate: 1%}, {cable: leaf 0 - spine 1, rate: 0}]}\n"
        "traffic: [{kind: permutation, size: 1 KB}]\n");
}

static void old_names_of_keys_of_events_are_read_and_the_present_ones_written(void **state)
{
    struct weir_scenario scn;
    char *text;
    (void)state;
    read_scenario(&scn, "fabric: {events: [{at: 1 ms, link: a - b, action: up}]}\ntraffic: [{kind: permutation}]\n");
    text = dump(&scn);
    assert_non_null(strstr(text, "time: 1 ms\n      cable: \"a - b\"\n      state: up\n"));
    free(text);
    weir_scenario_free(&scn);
}

static void laws_of_items_come_back(void **state)
{
    (void)state;
    assert_comes_back("protocol: {name: dctcp, preset: sigcomm2010, g: 0.3}\nhost: {connections: 7}\nframing: hpcc\n"
                      "fabric: {priorities: 3, routing: spray, ecn: {threshold: 9 KB}}\ntraffic:\n"
                      "  - {kind: permutation, size: 1 KB, class: 2}\n"
                      "  - {kind: permutation, size: 1 KB, host: {ack_every: 3, ecn: off}}\n"
                      "  - {kind: permutation, size: 1 KB, protocol: {name: cubic, cut: 0.6}, host: {rto_min: 3 ms}}\n"
                      "  - {kind: permutation, size: 1 KB, protocol: sird}\n");
}

static void without_the_runs_law_that_of_the_first_item_comes_back(void **state)
{
    (void)state;
    assert_comes_back("traffic:\n  - {kind: permutation, size: 1 KB, protocol: cubic}\n"
                      "  - {kind: permutation, size: 1 KB, protocol: newreno, class: 0}\n");
}

static void a_fat_tree_by_its_pods_comes_back(void **state)
{
    (void)state;
    assert_comes_back("topology: {kind: fat-tree, pods: 3, edges: 2, aggs: 2, uplinks: 1, edge_hosts: 5}\n"
                      "traffic: [{kind: poisson, sizes: wkc, load: 50%}]\n");
    assert_comes_back("topology: {kind: fat-tree, k: 4}\ntraffic: [{kind: poisson, sizes: wkc, load: 50%}]\n");
}

static void every_protocol_and_preset_comes_back(void **state)
{
    char text[256];
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        for (const struct weir_preset *preset = p->presets; preset != NULL && preset->name != NULL; preset++) {
            (void)snprintf(text, sizeof(text), "protocol: {name: %s, preset: %s}\ntraffic: [{}]\n", p->name,
                           preset->name);
            assert_comes_back(text);
        }
        (void)snprintf(text, sizeof(text), "protocol: %s\ntraffic: [{}]\n", p->name);
        assert_comes_back(text);
    }
}

static void sizes_in_bdp_have_their_bytes_beside_them(void **state)
{
    struct weir_scenario scn;
    char *text;
    (void)state;
    read_scenario(&scn, "fabric: {ecn: {threshold: 1.25 BDP}}\ntraffic: [{kind: incast, size: 2 BDP, load: 10%}]\n");
    text = dump(&scn);
    assert_non_null(strstr(text, "    threshold: 1.25 BDP # 125000 B\n"));
    assert_non_null(strstr(
        text, "  - kind: incast\n    load: 0.1\n    fan_in: 30\n    arrivals: periodic\n    size: 2 BDP # 200000 B\n"));
    assert_null(strstr(text, "share")); /* never said: it has no default */
    assert_null(strstr(text, "sizes")); /* of no use to an incast */
    free(text);
    weir_scenario_free(&scn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(switches_that_differ_come_back),
        cmocka_unit_test(the_least_that_can_be_said_comes_back),
        cmocka_unit_test(laws_of_parts_and_of_hosts_come_back),
        cmocka_unit_test(everything_that_can_be_said_comes_back),
        cmocka_unit_test(laws_of_items_come_back),
        cmocka_unit_test(a_list_of_losses_comes_back),
        cmocka_unit_test(old_names_of_keys_of_events_are_read_and_the_present_ones_written),
        cmocka_unit_test(without_the_runs_law_that_of_the_first_item_comes_back),
        cmocka_unit_test(a_fat_tree_by_its_pods_comes_back),
        cmocka_unit_test(every_protocol_and_preset_comes_back),
        cmocka_unit_test(sizes_in_bdp_have_their_bytes_beside_them),
    };
    return cmocka_run_group_tests_name("config/dump", tests, NULL, NULL);
}
