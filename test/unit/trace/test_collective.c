/* test/unit/trace/test_collective.c - collectives written out: messages, bytes, and that each part comes everywhere. */
#include "test/unit/refusal.h"
#include "trace/collective.h"

enum { N = 5, S = 103 }; /* parts of 21, 21, 21, 20 and 20 bytes */
static struct weir_ranks ranks;
static struct weir_err err;
static const uint32_t members[N] = { 3, 0, 4, 1, 2 };

/* Builds one collective of all ranks in the order of `members`. */
static void make(uint32_t op, uint64_t bytes)
{
    struct trace_reader r = { .ranks = &ranks, .hosts = N, .err = &err };
    struct trace_collective c = { .group = { members, N }, .bytes = bytes, .op = op, .number = 77, .line = 9 };
    weir_ranks_free(&ranks);
    for (uint32_t rank = 0; rank < N; rank++) {
        struct trace_span span;
        uint32_t index = 0;
        while (members[index] != rank)
            index++;
        assert_int_equal(weir_ranks_begin(&ranks, &err), 0);
        assert_int_equal(weir_trace_collective(&r, &c, index, &span), 0);
        assert_int_equal(span.first, 0);
        assert_int_equal(span.last, weir_ranks_last_count(&ranks) - 1);
    }
    if (weir_ranks_finish(&ranks, &err) != 0) /* also that receives fit the sends, and that there is no circle */
        fail_msg("%s", err.text);
}

static void parts_are_nearly_equal_and_never_empty(void **state)
{
    (void)state;
    assert_int_equal(weir_trace_part(S, 2, N), 21);
    assert_int_equal(weir_trace_part(S, 3, N), 20);
    assert_int_equal(weir_trace_part(100, 0, N), 20);
    assert_int_equal(weir_trace_part(3, 2, N), 1);
    assert_int_equal(weir_trace_part(3, 3, N), 1); /* of nothing */
}

/* Messages and bytes of all ranks together; each part of a ring is sent n - 1 times in each of its rounds. */
static void messages_and_bytes_are_those_of_the_algorithm(void **state)
{
    static const struct {
        uint32_t op;
        uint64_t messages, bytes;
    } expected[] = {
        { TRACE_ALL_REDUCE, 2 * N * (N - 1), 2 * (N - 1) * S },
        { TRACE_ALL_GATHER, N * (N - 1), (N - 1) * S },
        { TRACE_REDUCE_SCATTER, N * (N - 1), (N - 1) * S },
        { TRACE_REDUCE_SCATTER_BLOCK, N * (N - 1), (N - 1) * S },
        { TRACE_ALL_TO_ALL, N * (N - 1), (N - 1) * S }, /* part k goes to member k, from each other */
        { TRACE_BROADCAST, N - 1, (N - 1) * S },
        { TRACE_REDUCE, N - 1, (N - 1) * S },
        { TRACE_GATHER, N - 1, S - 21 }, /* all but the first member's part */
        { TRACE_SCATTER, N - 1, S - 21 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        make(expected[i].op, S);
        assert_int_equal(ranks.send_count, expected[i].messages);
        assert_int_equal(ranks.send_bytes, expected[i].bytes);
    }
    make(TRACE_BARRIER, 1);
    assert_int_equal(ranks.send_bytes, N * (N - 1));
}

/* The node of a rank that is its k-th send or receive. */
static const struct weir_rank_node *end_of(uint32_t rank, uint32_t op, uint32_t k)
{
    for (uint64_t n = ranks.first[rank]; n < ranks.first[rank + 1]; n++)
        if (ranks.node[n].op == op && k-- == 0)
            return &ranks.node[n];
    fail_msg("rank %u has too few of them", rank);
    return NULL;
}

/* A ring sends in a step what was received in the step before: the send waits for that receive, and has its bytes. */
static void a_ring_passes_on_what_it_received(void **state)
{
    (void)state;
    make(TRACE_ALL_REDUCE, S);
    for (uint32_t rank = 0; rank < N; rank++)
        for (uint32_t s = 0; s + 1 < 2 * (N - 1); s++) {
            const struct weir_rank_node *received = end_of(rank, WEIR_RANK_RECV, s);
            const struct weir_rank_node *sent = end_of(rank, WEIR_RANK_SEND, s + 1);
            bool waits = false;
            for (uint32_t i = 0; i < received->next_count; i++)
                waits = waits || ranks.edge[received->next_first + i] == sent - &ranks.node[ranks.first[rank]];
            assert_true(waits);
            assert_int_equal(sent->bytes, received->bytes);
            assert_int_equal(sent->line, 9);
        }
}

/* Member 0 of the list is rank 3, whose neighbours are ranks 0 and 2. */
static void neighbours_are_those_of_the_list(void **state)
{
    (void)state;
    make(TRACE_ALL_GATHER, S);
    assert_int_equal(end_of(3, WEIR_RANK_SEND, 0)->peer, 0);
    assert_int_equal(end_of(3, WEIR_RANK_RECV, 0)->peer, 2);
    make(TRACE_REDUCE, S); /* ends at the first member */
    assert_int_equal(end_of(2, WEIR_RANK_SEND, 0)->peer, 1);
    assert_int_equal(end_of(3, WEIR_RANK_RECV, 0)->peer, 0);
}

/* Every node but the first waits for something, and all but the last are waited for. */
static void all_nodes_are_between_the_first_and_the_last(void **state)
{
    (void)state;
    for (uint32_t op = 0; op < TRACE_OPS; op++) {
        make(op, S);
        for (uint32_t rank = 0; rank < N; rank++)
            for (uint64_t n = ranks.first[rank]; n < ranks.first[rank + 1]; n++) {
                assert_int_equal(ranks.node[n].waits == 0, n == ranks.first[rank]);
                assert_int_equal(ranks.node[n].next_count == 0, n + 1 == ranks.first[rank + 1]);
            }
    }
}

static int teardown(void **state)
{
    (void)state;
    weir_ranks_free(&ranks);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_nearly_equal_and_never_empty),
        cmocka_unit_test_teardown(messages_and_bytes_are_those_of_the_algorithm, teardown),
        cmocka_unit_test_teardown(a_ring_passes_on_what_it_received, teardown),
        cmocka_unit_test_teardown(neighbours_are_those_of_the_list, teardown),
        cmocka_unit_test_teardown(all_nodes_are_between_the_first_and_the_last, teardown),
    };
    return cmocka_run_group_tests_name("trace/collective", tests, NULL, NULL);
}
