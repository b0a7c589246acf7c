/* test/oracle/test_collectives.c - collective operations: the engine on 1, 2 and 3 threads and the oracle agree, for every algorithm of
 * every operation and for every protocol that acknowledges. What ranks do is the same code for both; test/unit/program compares it
 * with flows that wait for others, of which each has its own. */
#include "test/unit/weir_test.h"
#include "core/cc.h"
#include "host/host.h"
#include "registry.h"
#include "test/oracle/twin.h"
#include <stdio.h>

#define STAR "topology: {kind: star, hosts: 9, host_link: 100 Gbps, host_delay: 1 us}\n"
#define LEAF_SPINE                                                                                                     \
    "topology: {kind: leaf-spine, hosts: 16, racks: 4, spines: 2, host_link: 100 Gbps, core_link: 200 Gbps}\n"
#define FAT_TREE "topology: {kind: fat-tree, k: 4, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 300 ns}\n"
#define DUMBBELL "topology: {kind: dumbbell, hosts: 12, host_link: 25 Gbps, core_link: 100 Gbps}\n"
#define RUN_ALL "run: {warmup: 0 us, measure: all, seed: 3}\n"

static struct twin_tally tally;

static void agree(const char *name, const char *text)
{
    struct twin_case c = { .name = name, .text = text, .repeat = "./dev test collectives", .threads_max = 3 };
    if (twin_run(&c, &tally) != TWIN_EQUAL)
        fail_msg("%s:\n%s", name, text);
}

static void every_algorithm_agrees_on_a_leaf_spine(void **state)
{
    static const char *const items[] = {
        "op: all-reduce, algorithm: ring, bytes: 200 KB, chunks: 2, steps: 2",
        "op: all-reduce, algorithm: halving-doubling, bytes: 200001 B, chunks: 2",
        "op: all-reduce, algorithm: direct, bytes: 200 KB, chunks: 2, steps: 2",
        "op: all-reduce, algorithm: tree, bytes: 200 KB, chunks: 3, steps: 2",
        "op: all-gather, algorithm: ring, bytes: 300 KB",
        "op: all-gather, algorithm: halving-doubling, bytes: 300 KB, steps: 2",
        "op: all-gather, algorithm: direct, bytes: 300 KB, steps: 2",
        "op: reduce-scatter, algorithm: ring, bytes: 300 KB, steps: 2",
        "op: reduce-scatter, algorithm: halving-doubling, bytes: 300 KB",
        "op: reduce-scatter, algorithm: direct, bytes: 300 KB",
        "op: all-to-all, algorithm: direct, bytes: 300 KB, steps: 3",
        "op: broadcast, algorithm: tree, bytes: 100 KB, chunks: 4, steps: 3",
        "op: broadcast, algorithm: pipeline, bytes: 100 KB, chunks: 8, steps: 3",
        "op: broadcast, algorithm: direct, bytes: 50 KB, steps: 2",
    };
    (void)state;
    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        char text[640];
        (void)snprintf(text, sizeof(text), LEAF_SPINE "traffic: [{kind: collective, %s}]\n" RUN_ALL, items[i]);
        agree(items[i], text);
    }
}

/* Groups of all kinds at once, ranks that compute and one that is late, random hosts, other traffic beside. */
static void groups_and_stragglers_agree(void **state)
{
    (void)state;
    agree(
        "parallel", LEAF_SPINE
        "traffic:\n"
        "  - {kind: collective, parallel: {tp: 2, pp: 2, dp: 4, ep: 2}, over: tp, op: all-reduce, algorithm: ring,\n"
        "     bytes: 40 KB, steps: 3, compute: 3 us}\n"
        "  - {kind: collective, parallel: {tp: 2, pp: 2, dp: 4, ep: 2}, over: dp, op: reduce-scatter, algorithm: "
        "ring,\n"
        "     bytes: 60 KB, steps: 2, compute: 10 us, straggler: 50%}\n"
        "  - {kind: collective, parallel: {tp: 2, pp: 2, dp: 4, ep: 2}, over: ep, op: all-to-all, algorithm: direct,\n"
        "     bytes: 60 KB, start: 5 us}\n"
        "  - {kind: collective, parallel: {tp: 2, pp: 2, dp: 4, ep: 2}, over: pp, op: broadcast, algorithm: pipeline,\n"
        "     bytes: 30 KB, chunks: 4, placement: random}\n" RUN_ALL);
    agree(
        "beside others", FAT_TREE
        "traffic:\n"
        "  - {kind: collective, op: all-reduce, algorithm: tree, bytes: 100 KB, chunks: 4, ranks: 1..15/2, steps: 4,\n"
        "     compute: 5 us, straggler: 200%, placement: random}\n"
        "  - {kind: collective, op: all-reduce, algorithm: halving-doubling, bytes: 100 KB, ranks: 8, start: 4 us,\n"
        "     class: 0, reply: 0 B}\n"
        "  - {kind: poisson, sizes: wkb, load: 30%}\n  - {kind: permutation, size: 20 KB, reply: 1 KB}\n"
        "run: {warmup: 20 us, measure: 100 us}\n");
    agree("dumbbell, unlimited queues",
          DUMBBELL "host: {nic_queue: unlimited}\n"
                   "traffic: [{kind: collective, op: all-reduce, algorithm: ring, bytes: 200 KB, steps: 2}]\n" RUN_ALL);
}

static void every_protocol_that_acknowledges_agrees(void **state)
{
    uint32_t ran = 0;
    (void)state;
    for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++) {
        char text[640];
        if ((weir_protocol_needs(p) & WEIR_NEED_NO_ACKS) != 0)
            continue;
        (void)snprintf(
            text, sizeof(text),
            STAR
            "protocol: {name: %s}\ntraffic:\n"
            "  - {kind: collective, op: all-reduce, algorithm: direct, bytes: 60 KB, steps: 2}\n"
            "  - {kind: collective, op: all-reduce, algorithm: ring, bytes: 60 KB, ranks: 0..7, start: 9 us}\n" RUN_ALL,
            p->name);
        agree(p->name, text);
        ran++;
    }
    assert_true(ran > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_algorithm_agrees_on_a_leaf_spine),
        cmocka_unit_test(groups_and_stragglers_agree),
        cmocka_unit_test(every_protocol_that_acknowledges_agrees),
    };
    int failed = cmocka_run_group_tests_name("oracle/collectives", tests, NULL, NULL);
    twin_print_tally("collectives", &tally);
    return failed;
}
