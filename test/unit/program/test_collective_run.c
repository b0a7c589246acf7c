/* test/unit/program/test_collective_run.c - collective operations in runs: each algorithm gives the digest of the same messages as
 * jobs, whose flows name all that they wait for. These are listed here anew, from the descriptions of the algorithms. */
#include "test/unit/program/program_fixture.h"
#include "test/unit/setup/file_fixture.h"
#include <stdarg.h>

enum { N = 8, LEVELS = 3, TEXT = 1 << 16 };
#define BYTES 80000u /* 10,000 of a segment */

static char jobs[TEXT];
static size_t used;
__attribute__((format(printf, 1, 2))) static void put(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    used += (size_t)vsnprintf(jobs + used, TEXT - used, format, args);
    va_end(args);
    assert_true(used < TEXT);
}

static void begin_jobs(void)
{
    used = 0;
    put("jobs:\n  - name: j\n    flows:\n");
}

/* Begins flow `step` from a host to another: its name is s<step>_<from>_<to>. */
static void flow(unsigned step, unsigned from, unsigned to, unsigned bytes)
{
    put("      - {name: s%u_%u_%u, from: %u, to: %u, size: %u B", step, from, to, from, to, bytes);
}

/* The scenario in `format` has %s for its item: as the collective, and as the jobs. */
static void gives_the_digest_of_jobs(const char *format, const char *item)
{
    char text[1024], listed[64];
    struct weir_result want, got;
    file_set(jobs);
    (void)snprintf(listed, sizeof(listed), "kind: jobs, file: '%d'", fileno(file));
    (void)snprintf(text, sizeof(text), format, listed);
    want = run_text(text, 1);
    for (uint32_t threads = 1; threads <= 3; threads++) {
        (void)snprintf(text, sizeof(text), format, item);
        got = run_text(text, threads);
        assert_int_equal(got.digest, want.digest);
        assert_int_equal(got.sim_ps, want.sim_ps);
        assert_int_equal(got.packet_hops, want.packet_hops);
        assert_int_equal(got.messages_completed, want.messages_started);
        assert_int_equal(got.jobs->job[0].ended, want.jobs->job[0].ended);
        assert_int_equal(got.jobs->job[0].end_ps, want.jobs->job[0].end_ps);
        assert_int_equal(got.jobs->job[0].flows, want.messages_started);
        weir_result_free(&got);
    }
    weir_result_free(&want);
}

static void on_four_networks(const char *item)
{
    gives_the_digest_of_jobs(STAR(8) "traffic: [{%s}]\n" RUN_ALL, item);
    gives_the_digest_of_jobs(STAR(8) "protocol: homa\ntraffic: [{%s}]\n" RUN_ALL, item);
    gives_the_digest_of_jobs("topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2}\nprotocol: ndp\n"
                             "traffic: [{%s}]\n" RUN_ALL,
                             item);
    gives_the_digest_of_jobs("topology: {kind: leaf-spine, hosts: 8, racks: 4, spines: 1}\nprotocol: sird\n"
                             "host: {nic_queue: pull}\ntraffic: [{%s}]\n" RUN_ALL,
                             item);
}

/* At turn t rank r sends segment r - t once it has that of turn t - 1. */
static void list_ring(unsigned turns)
{
    begin_jobs();
    for (unsigned t = 0; t < turns; t++)
        for (unsigned r = 0; r < N; r++) {
            flow(t, r, (r + 1) % N, BYTES / N);
            put(t > 0 ? ", after: s%u_%u_%u}\n" : "}\n", t - 1, (r + N - 1) % N, r);
        }
}

static void a_ring_sends_on_what_has_arrived(void **state)
{
    (void)state;
    list_ring(2 * (N - 1)); /* twice round but for the own segment */
    on_four_networks("kind: collective, op: all-reduce, algorithm: ring, bytes: 80 KB");
    list_ring(N - 1);
    on_four_networks("kind: collective, op: all-gather, algorithm: ring, bytes: 80 KB");
    on_four_networks("kind: collective, op: reduce-scatter, algorithm: ring, bytes: 80 KB");
}

/* Two chunks of 8 segments of 5 KB: a chunk waits for its own messages alone. */
static void chunks_do_not_wait_for_each_other(void **state)
{
    (void)state;
    begin_jobs();
    for (unsigned t = 0; t < N - 1; t++)
        for (unsigned r = 0; r < N; r++)
            for (unsigned c = 0; c < 2; c++) {
                flow(2 * t + c, r, (r + 1) % N, BYTES / N / 2);
                put(t > 0 ? ", after: s%u_%u_%u}\n" : "}\n", 2 * (t - 1) + c, (r + N - 1) % N, r);
            }
    on_four_networks("kind: collective, op: all-gather, algorithm: ring, bytes: 80 KB, chunks: 2");
}

/* Turns 0, 1, 2: with ranks 1, 2, 4 away, 1/2, 1/4, 1/8 of the data; then back. Each waits for all turns before. */
static void list_halving(unsigned first, unsigned turns)
{
    begin_jobs();
    for (unsigned t = first; t < turns; t++)
        for (unsigned r = 0; r < N; r++) {
            unsigned k = t < LEVELS ? t : 2 * LEVELS - 1 - t;
            flow(t, r, r ^ 1u << k, BYTES >> (k + 1));
            put(", after: [");
            for (unsigned u = first; u < t; u++) {
                unsigned j = u < LEVELS ? u : 2 * LEVELS - 1 - u;
                put("%ss%u_%u_%u", u > first ? ", " : "", u, r ^ 1u << j, r);
            }
            put("]}\n");
        }
}

static void halving_and_doubling_exchange_with_nearer_ranks_more(void **state)
{
    (void)state;
    list_halving(0, 2 * LEVELS);
    on_four_networks("kind: collective, op: all-reduce, algorithm: halving-doubling, bytes: 80 KB");
    list_halving(0, LEVELS);
    on_four_networks("kind: collective, op: reduce-scatter, algorithm: halving-doubling, bytes: 80 KB");
    list_halving(LEVELS, 2 * LEVELS);
    on_four_networks("kind: collective, op: all-gather, algorithm: halving-doubling, bytes: 80 KB");
}

static void list_direct(unsigned phases)
{
    begin_jobs();
    for (unsigned phase = 0; phase < phases; phase++)
        for (unsigned r = 0; r < N; r++)
            for (unsigned d = 1; d < N; d++) {
                flow(phase, r, (r + d) % N, BYTES / N);
                put(", after: [");
                for (unsigned from = 1; phase == 1 && from < N; from++)
                    put("%ss0_%u_%u", from > 1 ? ", " : "", (r + from) % N, r);
                put("]}\n");
            }
}

static void direct_sends_to_all_and_waits_for_all(void **state)
{
    (void)state;
    list_direct(2);
    on_four_networks("kind: collective, op: all-reduce, algorithm: direct, bytes: 80 KB");
    list_direct(1);
    on_four_networks("kind: collective, op: all-to-all, algorithm: direct, bytes: 80 KB");
    on_four_networks("kind: collective, op: all-gather, algorithm: direct, bytes: 80 KB");
    on_four_networks("kind: collective, op: reduce-scatter, algorithm: direct, bytes: 80 KB");
}

/* Binary trees of 8: 0 - 1 2, 1 - 3 4, 2 - 5 6, 3 - 7. The second tree has rank 7 - p where the first has p. */
static void a_tree_reduces_upwards_and_spreads_downwards(void **state)
{
    (void)state;
    begin_jobs();
    for (unsigned tree = 0; tree < 2; tree++) {
#define AT(p) (tree == 0 ? (p) : N - 1 - (p))
        for (unsigned p = N - 1; p > 0; p--) { /* up: once both children have sent */
            flow(tree, AT(p), AT((p - 1) / 2), BYTES / 2);
            put(", after: [");
            for (unsigned child = 2 * p + 1; child <= 2 * p + 2 && child < N; child++)
                put("%ss%u_%u_%u", child > 2 * p + 1 ? ", " : "", tree, AT(child), AT(p));
            put("]}\n");
        }
        for (unsigned p = 1; p < N; p++) { /* down: what the parent has */
            unsigned parent = (p - 1) / 2;
            flow(2 + tree, AT(parent), AT(p), BYTES / 2);
            if (parent == 0)
                put(", after: [s%u_%u_%u, s%u_%u_%u]}\n", tree, AT(1), AT(0), tree, AT(2), AT(0));
            else
                put(", after: s%u_%u_%u}\n", 2 + tree, AT((parent - 1) / 2), AT(parent));
        }
    }
    on_four_networks("kind: collective, op: all-reduce, algorithm: tree, bytes: 80 KB");
}

static void broadcasts_go_down_a_tree_or_along_a_chain_or_to_all(void **state)
{
    (void)state;
    for (unsigned arity = 1; arity <= 2; arity++) {
        begin_jobs();
        for (unsigned c = 0; c < 2; c++)
            for (unsigned p = 1; p < N; p++) {
                unsigned parent = (p - 1) / arity;
                flow(c, parent, p, BYTES / 2);
                put(parent > 0 ? ", after: s%u_%u_%u}\n" : "}\n", c, (parent - 1) / arity, parent);
            }
        on_four_networks(arity == 1 ? "kind: collective, op: broadcast, algorithm: pipeline, bytes: 80 KB, chunks: 2"
                                    : "kind: collective, op: broadcast, algorithm: tree, bytes: 80 KB, chunks: 2");
    }
    begin_jobs();
    for (unsigned p = 1; p < N; p++) {
        flow(0, 0, p, BYTES);
        put("}\n");
    }
    on_four_networks("kind: collective, op: broadcast, algorithm: direct, bytes: 80 KB");
}

/* Ranks 0, 2, 4 .. are tensor-parallel with 1, 3, 5 ..; stride 2 makes groups 0 2 4 6 and 1 3 5 7. */
static void groups_do_their_operations_at_once(void **state)
{
    char text[512];
    struct weir_result want, got;
    (void)state;
    begin_jobs();
    for (unsigned t = 0; t < 3; t++)
        for (unsigned r = 0; r < N; r++) {
            flow(t, r, (r + 2) % N, BYTES / 4);
            put(t > 0 ? ", after: s%u_%u_%u}\n" : "}\n", t - 1, (r + N - 2) % N, r);
        }
    file_set(jobs);
    (void)snprintf(text, sizeof(text), STAR(8) "traffic: [{kind: jobs, file: '%d'}]\n" RUN_ALL, fileno(file));
    want = run_text(text, 1);
    got = run_text(STAR(8) "traffic: [{kind: collective, op: all-gather, algorithm: ring, bytes: 80 KB, over: dp,\n"
                           "           parallel: {tp: 2, dp: 4}}]\n" RUN_ALL,
                   2);
    assert_int_equal(got.digest, want.digest);
    assert_int_equal(got.jobs->job_count, 2);
    assert_string_equal(got.jobs->job[0].name, "all-gather/dp0");
    assert_string_equal(got.jobs->job[1].name, "all-gather/dp1");
    assert_int_equal(got.jobs->job[0].ended, 12);
    weir_result_free(&got);
    weir_result_free(&want);
}

/* A lone message of 20 KB takes its ideal time. Two ranks on a star exchange one each way: an all-reduce is two of these times, and a
 * rank begins the next step when it knows that its own last message has arrived. */
static void steps_follow_each_other_and_ranks_compute_before(void **state)
{
    struct weir_result one, three;
    const struct weir_job_result *job;
    (void)state;
    one = run_text(STAR(2) "traffic: [{kind: collective, bytes: 40 KB}]\n" RUN_ALL, 1);
    three = run_text(
        STAR(2) "traffic: [{kind: collective, bytes: 40 KB, steps: 3, compute: 50 us, start: 7 us}]\n" RUN_ALL, 1);
    job = three.jobs->job;
    assert_int_equal(three.jobs->job_count, 3);
    assert_string_equal(job[0].name, "all-reduce#1");
    assert_int_equal(job[0].start_ps, 57000000); /* 7 us and 50 us */
    assert_int_equal(job[0].end_ps - job[0].start_ps, one.jobs->job[0].end_ps);
    for (int i = 1; i < 3; i++) {
        /* after the end of the step before: the ACK to the sender, less than 3 us, and 50 us of computing */
        assert_true(job[i].start_ps >= job[i - 1].end_ps + 50000000 + 2000000);
        assert_true(job[i].start_ps <= job[i - 1].end_ps + 50000000 + 3000000);
        assert_int_equal(job[i].ended, 4);
    }
    weir_result_free(&one);
    weir_result_free(&three);
}

/* One rank of four computes twice as long as the others in each step: no operation ends before it has begun. */
static void a_straggler_holds_up_its_group(void **state)
{
    struct weir_result r;
    (void)state;
    r = run_text(
        STAR(4) "traffic: [{kind: collective, bytes: 40 KB, steps: 4, compute: 100 us, straggler: 100%}]\n" RUN_ALL, 2);
    for (int i = 0; i < 4; i++) {
        assert_true(r.jobs->job[i].end_ps >= r.jobs->job[i].start_ps + 90000000);
        assert_int_equal(r.jobs->job[i].ended, r.jobs->job[i].flows);
    }
    weir_result_free(&r);
}

/* A run that ends early has the steps that have ended, and says of the others what has arrived. */
static void what_has_not_ended_has_no_completion(void **state)
{
    struct weir_result r;
    (void)state;
    r = run_text(
        STAR(8) "traffic: [{kind: collective, bytes: 800 KB, steps: 100}]\nrun: {warmup: 0 us, measure: 600 us}\n", 1);
    assert_int_equal(r.jobs->job_count, 100);
    assert_int_equal(r.jobs->job[0].ended, 2 * 7 * 8);
    assert_true(r.jobs->job[0].end_ps < 600000000);
    assert_int_equal(r.jobs->job[99].end_ps, WEIR_NEVER);
    assert_int_equal(r.jobs->job[99].ended, 0);
    assert_int_equal(weir_job_busbw(&r.jobs->job[99]), 0);
    weir_result_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ring_sends_on_what_has_arrived, begin_file, end_file),
        cmocka_unit_test_setup_teardown(chunks_do_not_wait_for_each_other, begin_file, end_file),
        cmocka_unit_test_setup_teardown(halving_and_doubling_exchange_with_nearer_ranks_more, begin_file, end_file),
        cmocka_unit_test_setup_teardown(direct_sends_to_all_and_waits_for_all, begin_file, end_file),
        cmocka_unit_test_setup_teardown(a_tree_reduces_upwards_and_spreads_downwards, begin_file, end_file),
        cmocka_unit_test_setup_teardown(broadcasts_go_down_a_tree_or_along_a_chain_or_to_all, begin_file, end_file),
        cmocka_unit_test_setup_teardown(groups_do_their_operations_at_once, begin_file, end_file),
        cmocka_unit_test_teardown(steps_follow_each_other_and_ranks_compute_before, end),
        cmocka_unit_test_teardown(a_straggler_holds_up_its_group, end),
        cmocka_unit_test_teardown(what_has_not_ended_has_no_completion, end),
    };
    return cmocka_run_group_tests_name("program/collective_run", tests, NULL, NULL);
}
