/* test/oracle/test_shape_loads.c - an all-to-all on a torus and on a dragonfly, sprayed: what each link carries, against
 * a count by hand. Every host sends every other one message of the same size, and every switch has one host. The link
 * of a host then carries a message to each other host, with the ACKs of as many. Links between switches are compared
 * with that. What packets draw at random makes them differ by less than 1 %. */
#include "test/unit/program/program_fixture.h"
#include "model/account.h"

static struct weir_result result;

static void run(const char *topology, uint32_t mbytes)
{
    const struct weir_sim_options options = { .threads = 2, .links = true };
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "topology: {%s, host_link: 100 Gbps, core_link: 100 Gbps, host_delay: 1 us, core_delay: 500 ns}\n"
                   "protocol: dctcp\nhost: {window: 100000, reorder: 90000}\nfabric: {routing: spray}\n"
                   "traffic: [{kind: collective, op: all-to-all, algorithm: direct, bytes: %u MB}]\n" RUN_ALL,
                   topology, (unsigned)mbytes);
    parse("/dev/fd/a.yaml", text);
    if (weir_sim_run(is_accepted(), &options, &result, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(result.retransmissions, 0); /* or links would carry more than the messages */
    assert_int_equal(result.drops, 0);
}

/* Asserts that a link carries `halves` halves of a message for each of the other hosts' messages that a host's own link
 * carries, to 1 %. */
static void assert_load(uint32_t link, uint32_t halves)
{
    uint64_t message_bytes = result.link[0].bytes / (setup.topo.host_count - 1), want = message_bytes * halves / 2;
    uint64_t is = result.link[link].bytes, apart = is > want ? is - want : want - is;
    if (apart * 100 > want)
        fail_msg("link %u: %llu bytes, by hand %llu", (unsigned)link, (unsigned long long)is, (unsigned long long)want);
}

/* The steps from a switch of a 4 x 4 torus to the others: in a ring of 4 they are 0, 1, 2 and 1, so of both dimensions
 * 4 x 4 + 4 x 4 = 32. Packets take both ways round where both are as short. So by symmetry each of the four links of a
 * switch carries 8 messages. */
static void each_link_of_a_torus_carries_eight_messages(void **state)
{
    (void)state;
    run("kind: torus, dims: [4, 4]", 144);
    for (uint32_t h = 1; h < 16; h++)
        assert_load(h, 2 * 15);
    for (uint32_t l = 16; l < setup.topo.link_count; l++)
        if (setup.topo.link[l].dst >= 16)
            assert_load(l, 2 * 8);
    weir_result_free(&result);
}

/* Four groups A, B, C, D of three switches. Each switch has a cable to another group: a_B is A's switch to B. Between
 * a_X and b_Y the path is a_X a_B b_A b_Y, or part of it. If X = Y = C, a_C c_A c_B b_C is as short, and takes half.
 *
 * The link a_B b_A: of the 9 messages from A to B all, but halves of two: 8. Halves of those from a_B to c_B and d_B,
 * which begin with it: 1. Halves of those from c_A and d_A to b_A, which end with it: 1. Together 10.
 * The link a_B a_C: its own message: 1. From a_B to the three of C, of one a half: 2.5. From the three of B to a_C,
 * likewise: 2.5. Half of that from b_A to c_A: 0.5. Together 6.5.
 * In all 12 x 10 + 24 x 6.5 = 276 links. It is also 12 x (1 + 4 x 2 + 4 x 3) between groups and 24 within them. */
static void global_links_of_a_dragonfly_carry_ten_messages_and_local_ones_six_and_a_half(void **state)
{
    uint32_t global = 0, local = 0;
    (void)state;
    run("kind: dragonfly, groups: 4, switches: 3, global_links: 1", 108);
    for (uint32_t l = 12; l < setup.topo.link_count; l++) {
        uint32_t src = setup.topo.link[l].src - 12, dst = setup.topo.link[l].dst - 12;
        if (setup.topo.link[l].dst < 12)
            continue;
        assert_load(l, src / 3 == dst / 3 ? 13 : 20);
        global += src / 3 != dst / 3;
        local += src / 3 == dst / 3;
    }
    assert_int_equal(global, 12);
    assert_int_equal(local, 24);
    weir_result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(each_link_of_a_torus_carries_eight_messages, end),
        cmocka_unit_test_teardown(global_links_of_a_dragonfly_carry_ten_messages_and_local_ones_six_and_a_half, end),
    };
    return cmocka_run_group_tests_name("oracle/shape_loads", tests, NULL, NULL);
}
