/* test/unit/setup/test_switches.c - features by switch: the variants that set-up makes, and what a law needs on its paths. */
#include "test/unit/setup/setup_fixture.h"
#include "features/buffer/buffer.h"
#include "features/rpm/rpm.h"
#include "hooks/chain.h"
#include "hooks/features.h"

enum { HOSTS = 8, LEAF_0 = HOSTS, SPINE_0 = HOSTS + 4, SPINE_1, NODES };

#define CLOS                                                                                                           \
    "topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 2, host_link: 10 Gbps, core_link: 10 Gbps,\n"            \
    "  host_delay: 1 us, core_delay: 1 us}\n"
#define ALL "kind: poisson, sizes: 1 KB, load: 10%"
#define RUN "run: {warmup: 0 us, measure: 1 ms}\n"

static void with(const char *protocol, const char *fabric, const char *traffic)
{
    char text[2048];
    (void)snprintf(text, sizeof(text), CLOS "protocol: %s\nfabric: {%s}\ntraffic: [{%s}]\n" RUN, protocol, fabric,
                   traffic);
    parse("dir/a.yaml", text);
}

static const struct weir_feature_on *on_of(const char *name)
{
    const struct weir_feature_on *on = weir_features_find(&setup.model.features, name);
    assert_non_null(on);
    return on;
}

static uint64_t threshold_at(uint32_t node)
{
    return ((const struct weir_ecn_model *)weir_feature_at(on_of("ecn"), node).model)->ramp.kmin_bytes;
}

static void a_run_without_the_list_has_one_variant(void **state)
{
    (void)state;
    with("dctcp", "ecn: 30 KB", ALL);
    assert_null(is_accepted()->memory_of);
    assert_null(on_of("ecn")->variant_of);
    assert_int_equal(threshold_at(SPINE_1), 30000);
}

static void switches_with_the_same_items_share_a_variant(void **state)
{
    (void)state;
    with("dctcp",
         "ecn: 30 KB, switches: [{at: leaf, ecn: 20 KB}, {at: leaf 1..2, ecn: 10 KB}, {at: spine 0, ecn: off}]", ALL);
    (void)is_accepted();
    assert_int_equal(threshold_at(0), 30000); /* a host */
    assert_int_equal(threshold_at(LEAF_0), 20000);
    assert_int_equal(threshold_at(LEAF_0 + 1), 10000);
    assert_int_equal(threshold_at(LEAF_0 + 3), 20000);
    assert_int_equal(threshold_at(SPINE_1), 30000);
    assert_false(weir_feature_at(on_of("ecn"), SPINE_0).on);
    assert_int_equal(on_of("ecn")->variant_of[LEAF_0 + 1], on_of("ecn")->variant_of[LEAF_0 + 2]);
    assert_int_equal(weir_features_counts(&setup.model.features, NULL), 0);
}

static void a_switch_is_coupled_by_what_it_has(void **state)
{
    const struct weir_features *f;
    (void)state;
    with("dctcp", "routing: symmetric, ecn: 30 KB, switches: [{at: leaf 1, rpm: {entries: 7}}]", ALL);
    f = &is_accepted()->features;
    assert_true(weir_features_are_coupled(f));
    for (uint32_t n = LEAF_0; n < NODES; n++)
        assert_int_equal(weir_features_are_coupled_at(f, n), n == LEAF_0 + 1);
    assert_int_equal(((const struct weir_rpm_model *)weir_feature_at(on_of("rpm"), LEAF_0 + 1).model)->entries, 7);
    assert_int_equal(weir_features_counts(f, NULL), 6); /* once, however many variants there are */
}

static void memories_are_by_switch(void **state)
{
    const struct weir_model *m;
    (void)state;
    with("dctcp",
         "ecn: 30 KB, buffer: 5 MB, switches: [{at: spine, buffer: 2 MB, alpha: 1}, {at: spine 1, buffer: unlimited, "
         "alpha: 0}]",
         ALL);
    m = is_accepted();
    assert_true(weir_model_memory_bytes(m, LEAF_0) == 5000000);
    assert_true(weir_model_memory_bytes(m, SPINE_0) == 2000000);
    assert_true(weir_model_memory_bytes(m, SPINE_1) == UINT64_MAX);
    assert_true(weir_feature_at(on_of("shared-buffer"), SPINE_0).on);
    assert_false(weir_feature_at(on_of("shared-buffer"), SPINE_1).on);
    with("dctcp", "ecn: 30 KB, switches: [{at: spine, buffer: 2 MB}, {at: leaf, alpha: 1}]", ALL);
    is_refused(4, WEIR_E_CONFLICT, "the buffer is unlimited");
}

static void places_must_be_of_switches(void **state)
{
    (void)state;
    with("dctcp", "ecn: 30 KB, switches: [{at: leaff, rpm: on}]", ALL);
    is_refused(4, WEIR_E_UNKNOWN, "fabric.switches[0]: no switch is at 'leaff'");
    with("dctcp", "ecn: 30 KB, switches: [{at: spine, ecn: off}, {at: [leaf 0, leaf 4], rpm: on}]", ALL);
    is_refused(4, WEIR_E_UNKNOWN, "fabric.switches[1]: no switch is at 'leaf 4'");
    with("dctcp", "ecn: 30 KB, switches: [{at: host 3, rpm: on}]", ALL);
    is_refused(4, WEIR_E_CONFLICT, "'host 3' is of hosts");
}

static void keys_of_a_variant_must_fit(void **state)
{
    (void)state;
    with("dctcp", "ecn: 30 KB, switches: [{at: leaf, ecn: {kmin: 3 KB}}]", ALL);
    is_refused(4, WEIR_E_CONFLICT, "kmin is set without kmax");
    with("dctcp", "ecn: 30 KB, switches: [{at: spine, ecn: off, rpm: on}]", ALL);
    is_refused(4, WEIR_E_CONFLICT, "no switch that has it does");
}

static void a_law_has_what_it_needs_on_the_paths_of_its_messages(void **state)
{
    (void)state;
    with("soze", "switches: [{at: spine 1, maxqd: off}]", ALL);
    is_refused(
        3, WEIR_E_CONFLICT,
        "protocol soze needs queueing delays of every switch on a path, and spine 1, on the way from host 2 to host 0, "
        "has fabric.maxqd off, and so for 11 more pairs");
    with("soze", "switches: [{at: leaf 3, maxqd: off}]", ALL ", from: 0..3, to: 0..5"); /* rack 3 takes no part */
    (void)is_accepted();
    with("soze", "switches: [{at: leaf 2, maxqd: off}]", ALL ", from: 0..3, to: 0..5");
    is_refused(3, WEIR_E_CONFLICT, "leaf 2, on the way from host 0 to host 4");
    with("soze", "switches: [{at: spine, maxqd: off}]", ALL ", from: 0..1, to: 0..1"); /* one rack */
    (void)is_accepted();
    with("soze", "switches: [{at: leaf 3, maxqd: off}]",
         "kind: incast, fan_in: 2, size: 1 KB, load: 10%, from: 0..1, to: 6..7");
    is_refused(3, WEIR_E_CONFLICT, "leaf 3, on the way from host 0 to host");
    with("rcp", "switches: [{at: leaf 2, rcp: off}]", ALL);
    is_refused(3, WEIR_E_CONFLICT, "protocol rcp needs rates of every switch on a path, and leaf 2");
}

/* As with(), of two servers of four GPUs. */
static void with_servers(const char *fabric, const char *traffic)
{
    char text[2048];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: examples/networks/servers.yaml}\n\nprotocol: soze\nfabric: {%s}\n"
                   "traffic: [{%s}]\n" RUN,
                   fabric, traffic);
    parse("a.yaml", text);
}

/* What stays in a server or on a rail passes no spine, what leaves a server not the server's switch. From GPU 0 by spine
 * 0 to those of the other server with another rail, three GPUs; as many from each of eight GPUs. */
static void of_several_nics_only_those_on_the_way_count(void **state)
{
    (void)state;
    with_servers("switches: [{at: spine0, maxqd: off}]", ALL ", from: 0..3, to: 0..3");
    (void)is_accepted();
    with_servers("switches: [{at: spine0, maxqd: off}]", ALL ", from: 0, to: 4");
    (void)is_accepted();
    with_servers("switches: [{at: spine0, maxqd: off}]", ALL);
    is_refused(3, WEIR_E_CONFLICT,
               "and spine0, on the way from gpu5 to gpu0, has fabric.maxqd off, and so for 23 more "
               "pairs of hosts");
    with_servers("switches: [{at: nvswitch0, maxqd: off}]", ALL ", from: 0..3, to: 4..7");
    (void)is_accepted();
    with_servers("switches: [{at: nvswitch0, maxqd: off}]", ALL);
    is_refused(3, WEIR_E_CONFLICT, "nvswitch0, on the way from gpu1 to gpu0, has fabric.maxqd off, and so for 11 more");
}

/* A reply goes the way back: only one rack sends, only the other receives. */
static void replies_have_paths_too(void **state)
{
    (void)state;
    with("soze", "switches: [{at: leaf 0, maxqd: off}]", ALL ", from: 2..3, to: 4..5");
    (void)is_accepted();
    with("soze", "switches: [{at: leaf 1, maxqd: off}]", ALL ", from: 4..5, to: 2..3, reply: 1 KB");
    is_refused(3, WEIR_E_CONFLICT, "leaf 1, on the way from host 4 to host 2");
}

/* Of a program only the hosts of its ranks, of a collective as of a trace: rack 1 has hosts 2 and 3, rack 2 has 4 and 5. */
static void a_program_has_the_paths_of_its_ranks(void **state)
{
    char trace[128];
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_true(fputs("num_ranks 2\nrank 0 {\nsend 9b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n", file) >= 0);
    assert_int_equal(fflush(file), 0);
    with("soze", "switches: [{at: leaf 1, maxqd: off}]", "kind: collective, op: all-reduce, bytes: 1 KB, ranks: 4..7");
    (void)is_accepted();
    with("soze", "switches: [{at: leaf 2, maxqd: off}]", "kind: collective, op: all-reduce, bytes: 1 KB, ranks: 4..7");
    is_refused(3, WEIR_E_CONFLICT, "leaf 2, on the way from host 4 to host 5");
    (void)snprintf(trace, sizeof(trace), "kind: goal, file: /dev/fd/%d, ranks: 5..6", fileno(file));
    with("soze", "switches: [{at: leaf 1, maxqd: off}]", trace);
    (void)is_accepted();
    with("soze", "switches: [{at: leaf 2, maxqd: off}]", trace);
    is_refused(3, WEIR_E_CONFLICT, "leaf 2, on the way from host 6 to host 5");
    (void)fclose(file);
}

static void where_a_law_works_without_it_is_warned_of(void **state)
{
    (void)state;
    with("dctcp", "ecn: 30 KB, switches: [{at: leaf 2, ecn: off}]", ALL);
    (void)is_accepted();
    assert_non_null(
        strstr(on_of("ecn")->warning, "protocol dctcp gets no marks of leaf 2, on the way from host 4 to host 0"));
    with("rocc", "switches: [{at: spine 0, fair_rate: off}]", ALL);
    (void)is_accepted();
    assert_non_null(strstr(on_of("fair-rate")->warning, "protocol rocc gets no rates of spine 0"));
    with("dctcp", "ecn: 30 KB, switches: [{at: spine, ecn: 20 KB}]", ALL);
    (void)is_accepted();
    assert_null(on_of("ecn")->warning);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_run_without_the_list_has_one_variant, end),
        cmocka_unit_test_teardown(switches_with_the_same_items_share_a_variant, end),
        cmocka_unit_test_teardown(a_switch_is_coupled_by_what_it_has, end),
        cmocka_unit_test_teardown(memories_are_by_switch, end),
        cmocka_unit_test_teardown(places_must_be_of_switches, end),
        cmocka_unit_test_teardown(keys_of_a_variant_must_fit, end),
        cmocka_unit_test_teardown(a_law_has_what_it_needs_on_the_paths_of_its_messages, end),
        cmocka_unit_test_teardown(of_several_nics_only_those_on_the_way_count, end),
        cmocka_unit_test_teardown(replies_have_paths_too, end),
        cmocka_unit_test_teardown(a_program_has_the_paths_of_its_ranks, end),
        cmocka_unit_test_teardown(where_a_law_works_without_it_is_warned_of, end),
    };
    return cmocka_run_group_tests_name("setup/switches", tests, NULL, NULL);
}
