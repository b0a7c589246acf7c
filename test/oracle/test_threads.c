/* test/oracle/test_threads.c - the engine on 1, 2 and 3 threads says the same; small enough for a build with -fsanitize=thread. */
#include "test/unit/weir_test.h"
#include "test/oracle/twin.h"

static void agree(const char *name, const char *text)
{
    struct twin_tally tally = { 0 };
    struct twin_case c = {
        .name = name, .text = text, .repeat = "./dev test threads", .threads_max = 3, .engine_only = true
    };
    assert_int_equal(twin_run(&c, &tally), TWIN_EQUAL);
    assert_true(tally.hops > 5000);
    twin_print_tally(name, &tally);
}

static void threads_agree_on_fifo_ports(void **state)
{
    (void)state;
    agree("fifo", "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: dctcp}\n"
                  "traffic:\n  - {kind: poisson, sizes: wkb, load: 60%}\nrun: {warmup: 20 us, measure: 80 us}\n");
}

static void threads_agree_on_priorities_buffers_and_loss(void **state)
{
    (void)state;
    agree("priorities", "topology: {kind: fat-tree, k: 4}\nprotocol: {name: dctcp}\nhost: {data_class: 1}\n"
                        "fabric: {priorities: 2, routing: spray, buffer: 100 KB, alpha: 1, loss: 0.5%}\n"
                        "traffic:\n  - {kind: poisson, sizes: wkb, load: 60%}\n"
                        "run: {warmup: 20 us, measure: 80 us}\n");
}

static void threads_agree_when_cables_break(void **state)
{
    (void)state;
    agree("cables",
          "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: dctcp}\n"
          "host: {nic_queue: unlimited}\nfabric: {reroute_delay: 5 us, events: [{at: 30 us, link: leaf 0 - spine 1, "
          "action: down}, {at: 60 us, link: leaf 0 - spine 1, action: up}]}\n"
          "traffic:\n  - {kind: permutation, size: 300 KB}\nrun: {warmup: 0 us, measure: all}\n");
}

static void threads_agree_on_jobs(void **state)
{
    struct twin_tally tally = { 0 };
    struct twin_case c = { .name = "jobs",
                           .text =
                               "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: dctcp}\n"
                               "traffic:\n  - {kind: poisson, sizes: wkb, load: 30%}\n"
                               "run: {warmup: 20 us, measure: 200 us}\n",
                           .repeat = "./dev test threads",
                           .threads_max = 3,
                           .engine_only = true,
                           .jobs_seed = 5 };
    (void)state;
    assert_int_equal(twin_run(&c, &tally), TWIN_EQUAL);
    assert_true(tally.flows > 50);
    twin_print_tally("jobs", &tally);
}

static void threads_agree_on_queueing_delays_and_queues_in_turn(void **state)
{
    (void)state;
    agree("queueing delays",
          "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: soze}\n"
          "traffic:\n  - {kind: poisson, sizes: wkb, load: 60%}\nrun: {warmup: 20 us, measure: 80 us}\n");
    agree("queues in turn",
          "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: aimd}\n"
          "fabric: {queues: per-flow, buffer: 100 KB}\n"
          "traffic:\n  - {kind: poisson, sizes: wkb, load: 60%}\nrun: {warmup: 20 us, measure: 80 us}\n");
}

static void threads_agree_on_pauses_records_and_notices(void **state)
{
    static const char *const law[] = { "hpcc", "fncc", "dcqcn", "rocc" };
    (void)state;
    for (size_t i = 0; i < sizeof(law) / sizeof(law[0]); i++) {
        char text[640];
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: %s}\n"
                       "fabric: {buffer: 8 MB, reroute_delay: 5 us, pfc: {kind: static, xoff: 40 KB},\n"
                       "         events: [{at: 30 us, link: leaf 0 - spine 1, action: down}]}\n"
                       "traffic:\n  - {kind: poisson, sizes: wkb, load: 50%%}\n"
                       "  - {kind: incast, fan_in: 8, size: 100 KB, period: 40 us}\n"
                       "run: {warmup: 20 us, measure: 80 us}\n",
                       law[i]);
        agree(law[i], text);
    }
}

static void threads_agree_on_deflection_and_virtual_lanes(void **state)
{
    (void)state;
    agree(
        "virtual lanes",
        "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 3, host_link: 10 Gbps, core_link: 10 Gbps}\n"
        "protocol: {name: dcqcn, link_rate: any}\n"
        "fabric: {priorities: 2, lanes: 4, ecn: {threshold: 30 KB}, pfc: {kind: static, xoff: 6 KB},\n"
        "         deflect: {threshold: 3 KB, tokens: 3, short: 100 KB}}\n"
        "traffic:\n  - {kind: poisson, sizes: wkb, load: 60%}\n  - {kind: incast, fan_in: 8, size: 20 KB, load: 15%}\n"
        "run: {warmup: 100 us, measure: 1 ms}\n");
}

/* Samples of idle stretches are a number, of each thread's switches or of all at once. */
static void threads_agree_on_idle_stretches(void **state)
{
    static const char *const law[] = { "dctcp", "sird", "rocc", "rcp" };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(law) / sizeof(law[0]); i++) {
        char text[640];
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: %s}\n"
                       "traffic:\n  - {kind: permutation, size: 100 KB}\n"
                       "  - {kind: permutation, size: 100 KB, start: 50 ms}\n"
                       "run: {warmup: 0 us, measure: %s, sample_average: true}\n",
                       law[i / 2], i % 2 == 0 ? "all" : "60 ms");
        agree(law[i / 2], text);
    }
}

/* Receivers read rows of their senders' inboxes; ranks of a group count arrivals of a step together. */
static void threads_agree_on_collective_operations(void **state)
{
    (void)state;
    agree("collectives",
          "topology: {kind: leaf-spine, hosts: 12, racks: 3, spines: 2}\nprotocol: {name: dctcp}\ntraffic:\n"
          "  - {kind: collective, op: all-reduce, algorithm: direct, bytes: 120 KB, steps: 3, compute: 2 us, "
          "straggler: 50%}\n"
          "  - {kind: collective, op: broadcast, algorithm: tree, bytes: 100 KB, chunks: 10, steps: 4, placement: "
          "random}\n"
          "run: {warmup: 0 us, measure: all}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree_on_fifo_ports),
        cmocka_unit_test(threads_agree_on_priorities_buffers_and_loss),
        cmocka_unit_test(threads_agree_when_cables_break),
        cmocka_unit_test(threads_agree_on_queueing_delays_and_queues_in_turn),
        cmocka_unit_test(threads_agree_on_jobs),
        cmocka_unit_test(threads_agree_on_pauses_records_and_notices),
        cmocka_unit_test(threads_agree_on_deflection_and_virtual_lanes),
        cmocka_unit_test(threads_agree_on_idle_stretches),
        cmocka_unit_test(threads_agree_on_collective_operations),
    };
    return cmocka_run_group_tests_name("oracle/threads", tests, NULL, NULL);
}
