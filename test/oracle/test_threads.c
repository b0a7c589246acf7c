/* test/oracle/test_threads.c - the engine on 1, 2 and 3 threads says the same; small enough for a build with -fsanitize=thread. */
#include "test/unit/weir_test.h"
#include "test/oracle/twin.h"

static void agree(const char *name, const char *text)
{
    struct twin_tally tally = { 0 };
    struct twin_case c = {
        .name = name, .text = text, .repeat = "meson test -C build threads", .threads_max = 3, .engine_only = true
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_agree_on_fifo_ports),
        cmocka_unit_test(threads_agree_on_priorities_buffers_and_loss),
        cmocka_unit_test(threads_agree_when_cables_break),
    };
    return cmocka_run_group_tests_name("oracle/threads", tests, NULL, NULL);
}
