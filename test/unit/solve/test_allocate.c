/* test/unit/solve/test_allocate.c - the flows of a scenario, their numbers and weights, and that their path entropy is what hosts put into
 * the packets of a run. */
#include "test/unit/setup/setup_fixture.h"
#include "solve/allocate.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weir_allocate_flows flows;

static char csv_name[] = "/tmp/weir-allocate-XXXXXX";

static int make_list(void **state)
{
    int fd = mkstemp(csv_name);
    (void)state;
    return fd < 0 ? -1 : close(fd);
}

static int remove_list(void **state)
{
    (void)state;
    return unlink(csv_name);
}

/* Weights only for laws that know them. */
static void write_list(bool weights)
{
    static const char *const row[] = { "src,dst,bytes,start", "3,1,10 KB,5 us", "0,1,10 KB,0 us", "3,1,10 KB,0 us",
                                       "3,2,10 KB,1 us" };
    static const char *const weight[] = { ",weight", ",2.5", ",1", ",7", ",1" };
    FILE *file = fopen(csv_name, "w");
    assert_non_null(file);
    for (size_t i = 0; i < 5; i++)
        assert_true(fprintf(file, "%s%s\n", row[i], weights ? weight[i] : "") > 0);
    assert_int_equal(fclose(file), 0);
}

static void begin(const char *protocol, const char *routing)
{
    char text[1024];
    write_list(strcmp(protocol, "soze") == 0);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us}\n"
                   "protocol: %s\nfabric: {routing: %s}\ntraffic: [{kind: flows, file: %s}]\n"
                   "run: {warmup: 0 us, measure: all, seed: 5}\n",
                   protocol, routing, csv_name);
    parse("a.yaml", text);
    (void)is_accepted();
}

static void take(uint64_t at_ps, uint32_t random)
{
    const struct weir_allocate_options options = { .file = "a.yaml", .at_ps = at_ps, .flows = random };
    if (weir_allocate_flows(&flows, &setup, &options, &err) != 0)
        fail_msg("%s", err.text);
}

static int end_flows(void **state)
{
    weir_allocate_flows_free(&flows);
    return end(state);
}

static void is_flow(uint32_t i, uint32_t number, uint32_t src, uint32_t dst, double weight)
{
    assert_int_equal(flows.number[i], number);
    assert_int_equal(flows.flow[i].src, src);
    assert_int_equal(flows.flow[i].dst, dst);
    assert_true(fabs(flows.flow[i].weight - weight) < 1e-6);
}

static void flows_are_numbered_by_row(void **state)
{
    (void)state;
    begin("soze", "ecmp");
    take(WEIR_NEVER, 0);
    assert_int_equal(flows.count, 4);
    is_flow(0, 1, 3, 1, 2.5);
    is_flow(1, 2, 0, 1, 1);
    is_flow(2, 3, 3, 1, 7);
    is_flow(3, 4, 3, 2, 1);
}

static void at_an_instant_only_what_has_started_counts(void **state)
{
    (void)state;
    begin("soze", "ecmp");
    take(4 * WEIR_PS_PER_US, 0);
    assert_int_equal(flows.count, 3);
    is_flow(0, 2, 0, 1, 1);
    is_flow(1, 3, 3, 1, 7);
    is_flow(2, 4, 3, 2, 1);
}

static void *grown[256]; /* by one host; its arena has no other end than this */
static uint32_t grown_count;

static void *grow(void *ctx, size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    (void)ctx;
    if (memory == NULL || grown_count == sizeof(grown) / sizeof(grown[0])) {
        free(memory);
        return NULL;
    }
    grown[grown_count++] = memory;
    return memset(memory, 0, bytes);
}

static void give_back(void)
{
    while (grown_count > 0)
        free(grown[--grown_count]);
}

static void ignore_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    (void)ctx, (void)src, (void)msg, (void)now_ps, (void)marks;
}

static void ignore_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    (void)ctx, (void)msg, (void)now_ps;
}

static void ignore_again(void *ctx, uint32_t msg)
{
    (void)ctx, (void)msg;
}

/* Host 3 starts its three messages in order of time: rows 3, 4 and 1. Their first packets say what the paths are. Of
 * several transports each gives the packets of its own flows. */
static void compare_with_host(uint32_t transports)
{
    static const uint32_t row[] = { 3, 4, 1 };
    static const struct weir_host_sink sink = { .delivered = ignore_delivered,
                                                .finished = ignore_finished,
                                                .retransmitted = ignore_again };
    const struct weir_mem mem = { .grow = grow };
    struct weir_host_config cfg = setup.model.host;
    void *memory = aligned_alloc(64, (weir_host_bytes(&cfg) + 63) / 64 * 64);
    struct weir_host *host = weir_host_init(memory, &cfg, 3, &mem, &sink);
    uint32_t seen = 0;
    assert_int_equal(setup.model.nics != NULL ? setup.model.nics->transports : 1, transports);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(weir_host_send(host, i, flows.flow[row[i] - 1].dst, i, 1000), 0);
    for (uint64_t now_ps = 10; now_ps < WEIR_PS_PER_US; now_ps += 1000)
        for (uint32_t t = 0; t < transports; t++) {
            struct weir_pkt pkt;
            if (!weir_host_nics_ready(host, t) || weir_host_nics_tx(host, t, now_ps, &pkt) == 0 ||
                pkt.kind != WEIR_PKT_DATA)
                continue;
            assert_true(pkt.msg < 3);
            assert_int_equal(flows.flow[row[pkt.msg] - 1].transport, t);
            assert_int_equal(flows.flow[row[pkt.msg] - 1].hash, pkt.hash);
            seen |= 1u << pkt.msg;
        }
    assert_int_equal(seen, 7);
    free(memory);
    give_back();
}

static void paths_are_those_of_the_hosts(void **state)
{
    (void)state;
    begin("soze", "ecmp");
    take(WEIR_NEVER, 0);
    compare_with_host(1);
    assert_int_not_equal(flows.flow[0].hash, flows.flow[2].hash); /* a connection each */
}

static void paths_are_those_of_the_hosts_both_ways(void **state)
{
    (void)state;
    begin("soze", "symmetric");
    take(WEIR_NEVER, 0);
    compare_with_host(1);
}

static void a_pair_of_hosts_has_one_path_under_credit(void **state)
{
    (void)state;
    begin("sird", "ecmp");
    take(WEIR_NEVER, 0);
    compare_with_host(1);
    assert_int_equal(flows.flow[0].hash, flows.flow[2].hash);
}

static void begin_nics(const char *nics)
{
    char text[1024];
    write_list(true);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: test/unit/solve/planes.yaml}\nprotocol: soze\nhost: {nics: %s}\n"
                   "traffic: [{kind: flows, file: %s}]\nrun: {warmup: 0 us, measure: all, seed: 5}\n",
                   nics, csv_name);
    parse("a.yaml", text);
    (void)is_accepted();
    take(WEIR_NEVER, 0);
}

/* Host 3 starts rows 3, 4 and 1: rail gives them its NICs 0, 1 and 0. By the hash both flows to host 1 have one NIC. */
static void transports_are_those_of_the_hosts(void **state)
{
    (void)state;
    begin_nics("rail");
    assert_int_equal(flows.flow[2].transport, 0);
    assert_int_equal(flows.flow[3].transport, 1);
    assert_int_equal(flows.flow[0].transport, 0);
    compare_with_host(2);
    (void)end_flows(state);
    begin_nics("flow-hash");
    assert_int_equal(flows.flow[0].transport, flows.flow[2].transport);
    compare_with_host(2);
}

static void random_flows_have_different_ends_and_weights_from_1_to_10(void **state)
{
    uint32_t heavy = 0, to[16] = { 0 };
    (void)state;
    begin("soze", "ecmp");
    take(WEIR_NEVER, 10000);
    assert_int_equal(flows.count, 10000);
    for (uint32_t f = 0; f < flows.count; f++) {
        assert_int_equal(flows.number[f], f + 1);
        assert_int_not_equal(flows.flow[f].src, flows.flow[f].dst);
        assert_true(flows.flow[f].weight >= 1 && flows.flow[f].weight <= 10);
        heavy += flows.flow[f].weight > 5.5;
        to[flows.flow[f].dst]++;
    }
    assert_in_range(heavy, 4800, 5200); /* four standard deviations */
    for (uint32_t h = 0; h < 16; h++)
        assert_in_range(to[h], 528, 722);
}

#define TEST(f) cmocka_unit_test_teardown(f, end_flows)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flows_are_numbered_by_row),
        TEST(at_an_instant_only_what_has_started_counts),
        TEST(paths_are_those_of_the_hosts),
        TEST(paths_are_those_of_the_hosts_both_ways),
        TEST(a_pair_of_hosts_has_one_path_under_credit),
        TEST(transports_are_those_of_the_hosts),
        TEST(random_flows_have_different_ends_and_weights_from_1_to_10),
    };
    return cmocka_run_group_tests(tests, make_list, remove_list);
}
