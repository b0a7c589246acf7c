/* test/oracle/test_graph_run.c - graphs of ranks in runs of the engine and the oracle: when nodes begin, which receive takes
 * which message, how lanes compute. Times are by hand: on a star of 100 Gb/s with cables of 1 us a message of one packet arrives ONE_PS
 * after it is sent, and its sender knows of it KNOWN_PS later. */
#include "test/unit/program/program_fixture.h"
#include "test/unit/workload/ranks_fixture.h"
#include "core/math.h"
#include "test/oracle/oracle.h"

#define US UINT64_C(1000000)
enum { BYTES = 1000 };
/* 1078 bytes on the wire and 80 ps for each, twice; and two cables */
#define ONE_PS (2 * (UINT64_C(1078) * 80 + US))
/* an ACK of 84 bytes, likewise */
#define KNOWN_PS (2 * (UINT64_C(84) * 80 + US))

/* Puts the graph in the place of the operation of the scenario's item. */
static const struct weir_model *place_graph(const char *text)
{
    parse("/dev/fd/a.yaml", text);
    (void)is_accepted();
    weir_programs_free(&setup.programs);
    if (weir_programs_build(&setup.programs,
                            &(struct weir_programs_from){ .item = scn.traffic,
                                                          .graph = &fix_ranks,
                                                          .item_count = scn.traffic_count,
                                                          .hosts = setup.topo.host_count,
                                                          .seed = 1 },
                            &err) != 0)
        fail_msg("%s", err.text);
    setup.workload.finite_messages = setup.workload.program_messages = setup.programs.messages;
    return &setup.model;
}

/* Runs the finished graph on 1 to 3 threads and by the oracle. @return when its last node has ended, from its start */
static uint64_t run_on(const char *protocol)
{
    struct weir_result want, got;
    char text[512];
    uint64_t took_ps;
    const struct weir_model *model;
    (void)snprintf(
        text, sizeof(text),
        STAR(6) "protocol: %s\ntraffic: [{kind: collective, bytes: 1 MB, name: trace, start: 5 us}]\n" RUN_ALL,
        protocol);
    model = place_graph(text);
    assert_int_equal(weir_oracle_run(model, &(struct weir_sim_options){ .threads = 1, .check = true }, &want, &err), 0);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        assert_int_equal(
            weir_sim_run(model, &(struct weir_sim_options){ .threads = threads, .check = true }, &got, &err), 0);
        assert_int_equal(got.digest, want.digest);
        assert_int_equal(got.sim_ps, want.sim_ps);
        assert_int_equal(got.jobs->job[0].end_ps, want.jobs->job[0].end_ps);
        assert_int_equal(got.jobs->job[0].ended, fix_ranks.send_count);
        weir_result_free(&got);
    }
    assert_string_equal(want.jobs->job[0].name, "trace");
    assert_int_equal(want.jobs->job[0].start_ps, 5 * US);
    assert_true(want.jobs->job[0].end_ps != WEIR_NEVER);
    took_ps = want.jobs->job[0].end_ps - want.jobs->job[0].start_ps;
    weir_result_free(&want);
    return took_ps;
}

static void compute_in(uint64_t compute_ps, uint32_t lane)
{
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_COMPUTE, .compute_ps = compute_ps, .lane = lane });
}

/* Rank 0 computes 3 us and sends; rank 1 receives and computes 4 us. */
static void nodes_begin_when_those_before_have_ended(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(3 * US);
    fix_send(1, 0, BYTES);
    fix_wait(1, 0);
    fix_rank();
    fix_recv(0, 0);
    fix_compute(4 * US);
    fix_wait(1, 0);
    fix_finish();
    assert_int_equal(run_on("dctcp"), 3 * US + ONE_PS + 4 * US);
}

/* A send has ended when its sender knows: what waits for that computes later than what waits for its beginning. */
static void a_send_ends_when_its_sender_knows(void **state)
{
    (void)state;
    fix_rank();
    fix_send(1, 0, BYTES);
    fix_compute(2 * US);
    fix_wait(1, 0);
    fix_rank();
    fix_recv(0, 0);
    fix_finish();
    assert_int_equal(run_on("dctcp"), ONE_PS + KNOWN_PS + 2 * US);
    fix_teardown(NULL);
    fix_rank();
    fix_send(1, 0, BYTES);
    fix_compute(20 * US);
    fix_wait_start(1, 0);
    fix_rank();
    fix_recv(0, 0);
    fix_finish();
    assert_int_equal(run_on("dctcp"), 20 * US);
}

/* Two nodes of 5 us in one lane follow each other, in two lanes or in none they do not. A node of no time holds up nothing. */
static void nodes_of_a_lane_compute_one_after_the_other(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++) {
        fix_teardown(NULL);
        fix_rank();
        for (uint32_t i = 0; i < 2; i++)
            compute_in(5 * US, kind == 0 ? 3 : kind == 1 ? i : WEIR_RANK_NO_LANE);
        compute_in(0, kind == 0 ? 3 : 1);
        fix_send(1, 0, BYTES); /* a run is over with the last message */
        fix_wait(3, 0);
        fix_wait(3, 1);
        fix_wait(3, 2);
        fix_rank();
        fix_recv(0, 0);
        fix_finish();
        assert_int_equal(run_on("dctcp"), (kind == 0 ? 10 : 5) * US + ONE_PS + KNOWN_PS);
    }
}

/* Of two messages from one rank the first that arrives is for the receive that began first and matches. Rank 1 receives tag 8, then any:
 * the compute node behind each says which was taken. Messages are sent 10 us apart, tag 7 first. */
static void a_receive_takes_what_matches(void **state)
{
    (void)state;
    fix_rank();
    fix_send(1, 7, BYTES);
    fix_compute(10 * US);
    fix_send(1, 8, BYTES);
    fix_wait(2, 1);
    fix_rank();
    fix_recv(0, 8);
    fix_recv(WEIR_RANK_ANY, WEIR_RANK_ANY_TAG);
    fix_compute(1 * US);
    fix_compute(30 * US);
    fix_wait(2, 0); /* behind the second message, at 10 us and ONE_PS */
    fix_wait(3, 1); /* behind the first */
    fix_finish();
    assert_int_equal(run_on("dctcp"), ONE_PS + 30 * US);
}

/* Both receives begin at once and match both messages: the first of the rank takes the first. */
static void of_receives_that_began_at_once_the_first_of_the_rank_takes_the_first_message(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        fix_teardown(NULL);
        fix_rank();
        fix_send(1, 7, BYTES);
        fix_compute(10 * US);
        fix_send(1, 7, BYTES);
        fix_wait(2, 1);
        fix_rank();
        fix_recv(0, WEIR_RANK_ANY_TAG);
        fix_recv(WEIR_RANK_ANY, 7);
        fix_compute(30 * US);
        fix_wait(2, first == 0 ? 0 : 1);
        fix_finish();
        assert_int_equal(run_on("dctcp"), ONE_PS + (first == 0 ? 30 : 40) * US);
    }
}

/* Messages that arrive before their receive has begun wait; it takes the first that was delivered. */
static void a_message_waits_for_its_receive(void **state)
{
    (void)state;
    fix_rank();
    fix_send(2, 7, BYTES);
    fix_rank();
    fix_compute(5 * US);
    fix_send(2, 7, BYTES);
    fix_wait(1, 0);
    fix_rank();
    fix_compute(50 * US);
    fix_recv(WEIR_RANK_ANY, 7); /* takes that of rank 0 */
    fix_recv(1, 7);             /* takes that of rank 1, though any would be there */
    fix_compute(1 * US);
    fix_wait(1, 0);
    fix_wait(2, 0);
    fix_wait(3, 1);
    fix_wait(3, 2);
    fix_finish();
    assert_int_equal(run_on("dctcp"), 51 * US);
}

/* A ring all-reduce of 6 as a graph has the digest of the operation, for three protocols. */
static void a_ring_as_a_graph_has_the_digest_of_the_operation(void **state)
{
    static const char *const law[] = { "dctcp", "homa", "ndp" };
    enum { N = 6, ROUNDS = 2 * (N - 1) };
    (void)state;
    for (size_t l = 0; l < 3; l++) {
        struct weir_result want, got;
        char text[512];
        fix_teardown(NULL);
        for (uint32_t r = 0; r < N; r++) {
            fix_rank();
            for (uint32_t k = 0; k < ROUNDS; k++) { /* node 2 k sends, node 2 k + 1 receives */
                fix_send((r + 1) % N, k, 20000);
                fix_recv((r + N - 1) % N, k);
                if (k > 0)
                    fix_wait(2 * k, 2 * k - 1);
            }
        }
        fix_finish();
        (void)snprintf(text, sizeof(text),
                       STAR(6) "protocol: %s\ntraffic: [{kind: collective, bytes: 120 KB}]\n" RUN_ALL, law[l]);
        want = run_text(text, 1);
        assert_int_equal(weir_sim_run(place_graph(text), &(struct weir_sim_options){ .threads = 2 }, &got, &err), 0);
        assert_int_equal(got.digest, want.digest);
        assert_int_equal(got.jobs->job[0].flows, N * ROUNDS);
        assert_int_equal(weir_program_size(&setup.programs.program[0], 0), 20000);
        weir_result_free(&want);
        weir_result_free(&got);
    }
}

/* All of 6 ranks send to all at random times, with few tags, and receive in any way that matches: engine and oracle agree. */
static void random_graphs_agree(void **state)
{
    uint64_t x = 88172645463325252u;
    (void)state;
    for (int run = 0; run < 12; run++) {
        static const char *const law[] = { "dctcp", "homa", "sird", "swift" };
        uint32_t tag[6][6];
        fix_teardown(NULL);
        for (uint32_t r = 0; r < 6; r++)
            for (uint32_t to = 0; to < 6; to++) {
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                tag[r][to] = (uint32_t)(x >> 20) % 3;
            }
        for (uint32_t r = 0; r < 6; r++) {
            uint32_t nodes = 0, any = (uint32_t)(x >> 50) & 1; /* all receives of a rank, or one could be left over */
            fix_rank();
            for (uint32_t other = 0; other < 6; other++) {
                if (other == r)
                    continue;
                x ^= x << 13, x ^= x >> 7, x ^= x << 17;
                compute_in(x % 9 * 700000, (uint32_t)(x >> 32) % 3 == 0 ? WEIR_RANK_NO_LANE : (uint32_t)(x >> 40) % 2);
                fix_send(other, tag[r][other], 1 + (x >> 8) % 5000);
                fix_recv(any ? WEIR_RANK_ANY : other, any ? WEIR_RANK_ANY_TAG : tag[other][r]);
                fix_wait(nodes + 1, nodes);
                if (nodes > 0 && (x >> 51 & 1) != 0)
                    fix_wait(nodes, nodes - 2); /* a send before has ended */
                if (nodes > 0 && (x >> 52 & 1) != 0)
                    fix_wait_start(nodes + 2, nodes - 3);
                nodes += 3;
            }
        }
        fix_finish();
        (void)run_on(law[run % 4]);
        assert_int_equal(fix_ranks.send_count, 30);
    }
}

/* A rank without nodes, and more hosts than ranks. */
static void idle_ranks_and_hosts_do_nothing(void **state)
{
    (void)state;
    fix_rank();
    fix_rank();
    fix_send(2, 1, BYTES);
    fix_rank();
    fix_recv(1, 1);
    fix_finish();
    assert_int_equal(run_on("dctcp"), ONE_PS + KNOWN_PS);
}

/* Each of two ranks sends once it has received: from any, so that it is not known before the run that this never ends. */
static void ranks_that_wait_for_each_other_stall(void **state)
{
    static const char text[] = STAR(6) "protocol: dctcp\ntraffic: [{kind: collective, bytes: 1 MB}]\n" RUN_ALL;
    struct weir_result want, got;
    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        fix_rank();
        fix_recv(WEIR_RANK_ANY, 1);
        fix_send(1 - r, 1, BYTES);
        fix_wait(1, 0);
    }
    fix_finish();
    const struct weir_model *model = place_graph(text);
    assert_int_equal(weir_oracle_run(model, &(struct weir_sim_options){ .threads = 1, .check = true }, &want, &err), 0);
    assert_int_equal(weir_sim_run(model, &(struct weir_sim_options){ .threads = 2, .check = true }, &got, &err), 0);
    assert_true(want.stalled && got.stalled);
    assert_true(got.jobs->job[0].end_ps == WEIR_NEVER);
    weir_result_free(&want);
    weir_result_free(&got);
}

static void more_ranks_than_hosts_are_refused(void **state)
{
    struct weir_programs programs;
    struct weir_traffic_config item = { .kind = WEIR_TRAFFIC_COLLECTIVE };
    struct weir_programs_from from = { .item = &item, .item_count = 1, .hosts = 7, .graph = &fix_ranks };
    (void)state;
    for (uint32_t r = 0; r < 8; r++) {
        fix_rank();
        fix_compute(1);
    }
    fix_finish();
    assert_int_equal(weir_programs_build(&programs, &from, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "ranks");
    from.hosts = 8;
    assert_int_equal(weir_programs_build(&programs, &from, &err), 0);
    weir_programs_free(&programs);
    (void)strcpy(item.ranks, "0..6");
    assert_int_equal(weir_programs_build(&programs, &from, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "ranks");
    (void)strcpy(item.ranks, "7");
    assert_int_equal(weir_programs_build(&programs, &from, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, NULL, "ranks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKS_TEST(nodes_begin_when_those_before_have_ended),
        RANKS_TEST(a_send_ends_when_its_sender_knows),
        RANKS_TEST(nodes_of_a_lane_compute_one_after_the_other),
        RANKS_TEST(a_receive_takes_what_matches),
        RANKS_TEST(of_receives_that_began_at_once_the_first_of_the_rank_takes_the_first_message),
        RANKS_TEST(a_message_waits_for_its_receive),
        RANKS_TEST(a_ring_as_a_graph_has_the_digest_of_the_operation),
        RANKS_TEST(random_graphs_agree),
        RANKS_TEST(idle_ranks_and_hosts_do_nothing),
        RANKS_TEST(ranks_that_wait_for_each_other_stall),
        RANKS_TEST(more_ranks_than_hosts_are_refused),
    };
    int failed = cmocka_run_group_tests_name("program/graph_run", tests, NULL, NULL);
    tear_down();
    return failed;
}
