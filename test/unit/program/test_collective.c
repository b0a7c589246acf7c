/* test/unit/program/test_collective.c - items of kind collective: their ranks, groups, hosts and names, and what is refused. */
#include "test/unit/program/program_fixture.h"
#include "program/collective.h"
#include "program/run.h"
#include <stdio.h>

#define ITEM(keys) STAR(64) "traffic: [{kind: collective, " keys "}]\n" RUN_ALL

static const struct weir_program *accepts(const char *text)
{
    parse("/dev/fd/a.yaml", text);
    return &is_accepted()->programs->program[0];
}

static const struct weir_collective *collective_of(const struct weir_program *program)
{
    return program->what;
}

static void refuses(const char *text, enum weir_err_code code, const char *key)
{
    parse("/dev/fd/a.yaml", text);
    is_refused(2, code, key);
}

static void results_are_those_of_the_programs_there_are(void **state)
{
    static struct weir_programs programs = { .count = 2 };
    (void)state;
    programs.program[0].results = 3, programs.program[1].results = 4, programs.program[2].results = 100;
    assert_int_equal(weir_programs_results(&programs), 7);
    programs.count = 0;
    assert_int_equal(weir_programs_results(&programs), 0);
}

static void ranks_are_a_number_or_a_range_of_hosts(void **state)
{
    const struct weir_program *p;
    (void)state;
    p = accepts(ITEM("bytes: 1 MB"));
    assert_int_equal(p->ranks, 64);
    assert_int_equal(p->host_of[63], 63);
    assert_int_equal(p->messages, 2 * 63 * 64);
    p = accepts(ITEM("bytes: 1 MB, ranks: 16"));
    assert_int_equal(p->ranks, 16);
    assert_int_equal(p->rank_of[15], 15);
    assert_int_equal(p->rank_of[16], WEIR_NO_RANK);
    p = accepts(ITEM("bytes: 1 MB, ranks: 8..11"));
    assert_int_equal(p->ranks, 4);
    assert_int_equal(p->host_of[0], 8);
    assert_int_equal(p->rank_of[11], 3);
    p = accepts(ITEM("bytes: 1 MB, ranks: 1..63/8")); /* 1, 9, .. 57 */
    assert_int_equal(p->ranks, 8);
    assert_int_equal(p->host_of[7], 57);
    (void)accepts(ITEM("bytes: 1 MB, ranks: 64"));
    refuses(ITEM("bytes: 1 MB, ranks: 65"), WEIR_E_RANGE, "ranks");
    (void)accepts(ITEM("bytes: 1 MB, ranks: 2"));
    refuses(ITEM("bytes: 1 MB, ranks: 1"), WEIR_E_RANGE, "ranks");
    refuses(ITEM("bytes: 1 MB, ranks: 0"), WEIR_E_RANGE, "ranks");
    refuses(ITEM("bytes: 1 MB, ranks: 0..64"), WEIR_E_RANGE, "ranks");
    refuses(ITEM("bytes: 1 MB, ranks: 9..8"), WEIR_E_SYNTAX, "ranks");
    refuses(ITEM("bytes: 1 MB, ranks: 0..8/0"), WEIR_E_SYNTAX, "ranks");
    refuses(ITEM("bytes: 1 MB, ranks: many"), WEIR_E_SYNTAX, "ranks");
}

static void random_ranks_are_at_different_hosts(void **state)
{
    const struct weir_program *p = accepts(ITEM("bytes: 1 MB, ranks: 16, placement: random"));
    uint32_t used = 0, beyond = 0, moved = 0;
    (void)state;
    for (uint32_t h = 0; h < 64; h++)
        used += p->rank_of[h] != WEIR_NO_RANK;
    for (uint32_t r = 0; r < 16; r++) {
        assert_int_equal(p->rank_of[p->host_of[r]], r);
        beyond += p->host_of[r] >= 16;
        moved += p->host_of[r] != r;
    }
    assert_int_equal(used, 16);
    assert_true(beyond > 4); /* of all 64 hosts, 12 in the mean */
    p = accepts(ITEM("bytes: 1 MB, ranks: 8..23, placement: random"));
    for (uint32_t r = 0; r < 16; r++)
        assert_in_range(p->host_of[r], 8, 23);
    assert_true(moved > 8);
}

/* tp 2, dp 8, ep 4, pp 4: rank = tensor + 2 (data + 8 stage). */
static void groups_follow_from_the_degrees(void **state)
{
#define PARALLEL "bytes: 1 MB, parallel: {tp: 2, dp: 8, pp: 4, ep: 4}, over: "
    const struct weir_collective *c = collective_of(accepts(ITEM(PARALLEL "tp")));
    (void)state;
    assert_int_equal(c->n, 2);
    assert_int_equal(c->groups, 32);
    assert_int_equal(weir_collective_group(c, 5), 2);
    assert_int_equal(weir_collective_index(c, 5), 1);
    c = collective_of(accepts(ITEM(PARALLEL "dp")));
    assert_int_equal(c->n, 8);
    assert_int_equal(c->stride, 2);
    assert_int_equal(weir_collective_index(c, 1 + 2 * (7 + 8 * 3)), 7);
    assert_int_equal(weir_collective_group(c, 1 + 2 * (7 + 8 * 3)), 2 * 3 + 1); /* by stage and tensor rank */
    c = collective_of(accepts(ITEM(PARALLEL "ep")));
    assert_int_equal(c->n, 4);
    assert_int_equal(weir_collective_index(c, 2 * 5), 1); /* data rank 5 is the second of ranks 4 to 7 */
    assert_int_equal(weir_collective_group(c, 2 * 5), 2);
    c = collective_of(accepts(ITEM(PARALLEL "pp")));
    assert_int_equal(c->n, 4);
    assert_int_equal(c->stride, 16);
    assert_int_equal(c->groups, 16);
    assert_int_equal(weir_collective_index(c, 16 * 3 + 5), 3);
    assert_int_equal(weir_collective_group(c, 16 * 3 + 5), 5);
    refuses(ITEM("bytes: 1 MB, parallel: {tp: 2, dp: 8}, over: tp"), WEIR_E_CONFLICT, "tp");
    refuses(ITEM("bytes: 1 MB, parallel: {tp: 1000000, dp: 1000000}, over: tp"), WEIR_E_CONFLICT, "tp");
    refuses(ITEM("bytes: 1 MB, parallel: {tp: 2, dp: 8, pp: 4}"), WEIR_E_CONFLICT, "over");
    refuses(ITEM("bytes: 1 MB, over: dp"), WEIR_E_CONFLICT, "over");
    refuses(ITEM("bytes: 1 MB, parallel: {tp: 2, dp: 8, pp: 4, ep: 3}, over: ep"), WEIR_E_CONFLICT, "ep");
    (void)accepts(ITEM("bytes: 1 MB, ranks: 16, tp: 2, dp: 8, over: dp"));
}

static void a_map_that_is_none_of_degrees_is_refused(void **state)
{
    static const struct {
        const char *keys, *names;
        enum weir_err_code code;
    } bad[] = {
        { "bytes: 1 MB, parallel: 8", "parallel", WEIR_E_SYNTAX },
        { "bytes: 1 MB, parallel: {}", "parallel", WEIR_E_SYNTAX },
        { "bytes: 1 MB, parallel: {cp: 8}", "cp", WEIR_E_UNKNOWN },
        { "bytes: 1 MB, tp: 2, parallel: {tp: 8}", "tp", WEIR_E_CONFLICT },
        { "bytes: 1 MB, parallel: {tp: 0}", "tp", WEIR_E_RANGE },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[512];
        (void)snprintf(text, sizeof(text), STAR(64) "traffic: [{kind: collective, %s}]\n", bad[i].keys);
        assert_int_equal(weir_scenario_parse(&scn, "/dev/fd/a.yaml", text, strlen(text), NULL, 0, &err), bad[i].code);
        assert_refusal(&err, bad[i].code, NULL, bad[i].names);
        assert_int_equal(err.line, 2);
    }
}

static void an_operation_has_some_of_the_algorithms(void **state)
{
    uint32_t pairs = 0;
    (void)state;
    for (uint32_t op = 0; weir_collective_ops[op] != NULL; op++)
        for (uint32_t way = 0; weir_collective_algorithms[way] != NULL; way++) {
            char text[512];
            (void)snprintf(text, sizeof(text),
                           STAR(64) "traffic: [{kind: collective, op: %s, algorithm: %s, bytes: 64 KB}]\n" RUN_ALL,
                           weir_collective_ops[op], weir_collective_algorithms[way]);
            if (weir_algorithm_of(op, way) == NULL) {
                refuses(text, WEIR_E_CONFLICT, "algorithm");
                continue;
            }
            assert_int_equal(weir_algorithm_of(op, way)->op, op);
            (void)accepts(text); /* which counts as many messages sent as received, for each index */
            pairs++;
        }
    assert_int_equal(pairs, 14); /* as in doc/collectives.md */
}

static void numbers_of_messages_are_those_by_hand(void **state)
{
    (void)state;
    /* two trees of 7 edges each, up and down, 3 chunks, 2 steps */
    assert_int_equal(
        accepts(ITEM("op: all-reduce, algorithm: tree, ranks: 8, chunks: 3, steps: 2, bytes: 1 MB"))->messages,
        2 * 7 * 2 * 3 * 2);
    /* every rank to 7 others, in each phase */
    assert_int_equal(accepts(ITEM("op: all-reduce, algorithm: direct, ranks: 8, bytes: 1 MB"))->messages, 2 * 8 * 7);
    assert_int_equal(accepts(ITEM("op: all-to-all, algorithm: direct, ranks: 8, bytes: 1 MB"))->messages, 8 * 7);
    /* 2 * 3 exchanges of 8 */
    assert_int_equal(accepts(ITEM("op: all-reduce, algorithm: halving-doubling, ranks: 8, bytes: 1 MB"))->messages,
                     2 * 3 * 8);
    assert_int_equal(accepts(ITEM("op: broadcast, algorithm: pipeline, ranks: 8, chunks: 4, bytes: 1 MB"))->messages,
                     7 * 4);
    assert_int_equal(setup.workload.finite_messages, 7 * 4);
}

static void halving_needs_a_power_of_two(void **state)
{
#define HALVING "op: all-reduce, algorithm: halving-doubling, bytes: 1 MB, ranks: "
    (void)state;
    (void)accepts(ITEM(HALVING "16"));
    refuses(ITEM(HALVING "15"), WEIR_E_RANGE, "halving-doubling");
    refuses(ITEM(HALVING "17"), WEIR_E_RANGE, "halving-doubling");
}

/* 64 ranks and 2 chunks: 128 parts. */
static void data_that_do_not_divide_are_noted_and_too_few_refused(void **state)
{
    char note[256];
    const struct weir_program *p;
    uint64_t sum = 0;
    (void)state;
    assert_false(weir_program_note(accepts(ITEM("bytes: 128 B, chunks: 2")), note, sizeof(note)));
    assert_true(weir_program_note(accepts(ITEM("bytes: 129 B, chunks: 2")), note, sizeof(note)));
    assert_string_equal(note, "bytes = 129: 128 parts of it are not all equal, but have 1 or 2 B");
    refuses(ITEM("bytes: 127 B, chunks: 2"), WEIR_E_RANGE, "bytes");
    p = accepts(ITEM("bytes: 1000001 B, chunks: 2"));
    for (uint32_t part = 0; part < 128; part++) { /* 1,000,001 / 128 = 7812.5 */
        uint64_t bytes = weir_collective_bytes(collective_of(p), part, 1, 128);
        assert_in_range(bytes, 7812, 7813);
        sum += bytes;
    }
    assert_int_equal(sum, 1000001);
}

static void steps_and_stragglers_have_their_limits(void **state)
{
    (void)state;
    assert_int_equal(accepts(ITEM("bytes: 1 MB, steps: 65536"))->results, 65536);
    (void)accepts(ITEM("bytes: 1 MB, tp: 2, dp: 32, over: dp, steps: 32768"));
    refuses(ITEM("bytes: 1 MB, tp: 2, dp: 32, over: dp, steps: 32769"), WEIR_E_RANGE, "steps");
    refuses(ITEM("bytes: 1 MB, straggler: 10%"), WEIR_E_CONFLICT, "straggler");
    (void)accepts(ITEM("bytes: 1 MB, compute: 90 s, straggler: 100%, steps: 100")); /* 18000 s */
    refuses(ITEM("bytes: 1 MB, compute: 90 s, straggler: 100%, steps: 101"), WEIR_E_RANGE, "compute");
    refuses(ITEM("bytes: 1 MB, compute: 18000 s, straggler: 100000%"), WEIR_E_RANGE, "compute");
    (void)accepts(ITEM("bytes: 1 MB, straggler: 10%, compute: 1 us"));
}

static void keys_of_other_kinds_and_missing_ones_are_refused(void **state)
{
    (void)state;
    refuses(ITEM("op: all-reduce"), WEIR_E_SYNTAX, "bytes");
    refuses(ITEM("bytes: 1 MB, stop: 1 ms"), WEIR_E_CONFLICT, "stop");
    refuses(ITEM("bytes: 1 MB, reply: 1 KB"), WEIR_E_CONFLICT, "reply");
    refuses(STAR(64) "traffic: [{kind: permutation, ranks: 5}]\n" RUN_ALL, WEIR_E_CONFLICT, "ranks");
    refuses(STAR(64) "traffic: [{kind: permutation, bytes: 5 B}]\n" RUN_ALL, WEIR_E_CONFLICT, "bytes");
}

/* What is lost would be waited for without an end. */
static void nothing_may_be_lost_for_good(void **state)
{
    (void)state;
    parse("/dev/fd/a.yaml", STAR(4) "protocol: none\ntraffic: [{kind: collective, bytes: 400 B}]\n" RUN_ALL);
    is_refused(2, WEIR_E_CONFLICT, "none");
    parse("/dev/fd/a.yaml", STAR(4) "fabric: {events: [{time: 1 us, host: host 1, state: restart}]}\n"
                                    "traffic: [{kind: collective, bytes: 4 KB}]\n" RUN_ALL);
    is_refused(2, WEIR_E_CONFLICT, "collective");
}

/* 64 ranks: halves, quarters, .. 64ths, in equal numbers. */
static void sizes_are_those_of_the_messages(void **state)
{
    const struct weir_program *p = accepts(ITEM("op: all-reduce, algorithm: halving-doubling, bytes: 64 KB"));
    (void)state;
    for (uint32_t n = 0; n < 6; n++)
        assert_int_equal(weir_program_size(p, n), 64000 >> (n + 1));
    assert_int_equal(weir_program_size(p, 6), 0);
    p = accepts(ITEM("bytes: 64 KB"));
    assert_int_equal(weir_program_size(p, 0), 1000);
    assert_int_equal(weir_program_size(p, 1), 0);
    assert_int_equal(p->bytes, 1000 * p->messages);
}

/* 5793 * 5792 = 33,553,056 and 5794 * 5793 = 33,564,642; the limit is 33,554,432. */
static void messages_at_once_have_a_limit(void **state)
{
    (void)state;
    (void)accepts(STAR(5793) "traffic: [{kind: collective, op: all-to-all, algorithm: direct, bytes: 1 MB}]\n" RUN_ALL);
    refuses(STAR(5794) "traffic: [{kind: collective, op: all-to-all, algorithm: direct, bytes: 1 MB}]\n" RUN_ALL,
            WEIR_E_RANGE, "ranks");
    (void)accepts(STAR(5794) "traffic: [{kind: collective, bytes: 10 MB, chunks: 1024}]\n" RUN_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(results_are_those_of_the_programs_there_are, end),
        cmocka_unit_test_teardown(ranks_are_a_number_or_a_range_of_hosts, end),
        cmocka_unit_test_teardown(random_ranks_are_at_different_hosts, end),
        cmocka_unit_test_teardown(groups_follow_from_the_degrees, end),
        cmocka_unit_test_teardown(a_map_that_is_none_of_degrees_is_refused, end),
        cmocka_unit_test_teardown(an_operation_has_some_of_the_algorithms, end),
        cmocka_unit_test_teardown(numbers_of_messages_are_those_by_hand, end),
        cmocka_unit_test_teardown(halving_needs_a_power_of_two, end),
        cmocka_unit_test_teardown(data_that_do_not_divide_are_noted_and_too_few_refused, end),
        cmocka_unit_test_teardown(steps_and_stragglers_have_their_limits, end),
        cmocka_unit_test_teardown(keys_of_other_kinds_and_missing_ones_are_refused, end),
        cmocka_unit_test_teardown(nothing_may_be_lost_for_good, end),
        cmocka_unit_test_teardown(sizes_are_those_of_the_messages, end),
        cmocka_unit_test_teardown(messages_at_once_have_a_limit, end),
    };
    return cmocka_run_group_tests_name("program/collective", tests, NULL, NULL);
}
