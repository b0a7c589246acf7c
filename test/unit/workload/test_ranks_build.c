/* test/unit/workload/test_ranks_build.c - graphs of ranks put together: nodes by rank, edges by their earlier node. */
#include "test/unit/workload/ranks_fixture.h"

static void nodes_and_edges_are_found_by_rank(void **state)
{
    (void)state;
    /* rank 0: node 0, then 1 and 2, then 3; node 3 also with the beginning of node 0. Rank 1: nothing. Rank 2: one */
    fix_rank();
    fix_wait(3, 1); /* before its nodes are there */
    for (uint32_t n = 0; n < 4; n++)
        fix_compute(10 * n + 1);
    fix_wait(1, 0);
    fix_wait(2, 0);
    fix_wait(3, 2);
    fix_wait_start(3, 0);
    assert_int_equal(weir_ranks_last_count(&fix_ranks), 4);
    fix_rank();
    assert_int_equal(weir_ranks_last_count(&fix_ranks), 0);
    fix_rank();
    fix_compute(5);
    fix_finish();
    assert_int_equal(fix_ranks.ranks, 3);
    assert_int_equal(fix_ranks.node_count, 5);
    assert_int_equal(fix_ranks.edge_count, 5);
    static const uint64_t first[] = { 0, 4, 4, 5 };
    static const uint32_t waits[] = { 0, 1, 1, 3, 0 }, next[] = { 3, 1, 1, 0, 0 };
    assert_memory_equal(fix_ranks.first, first, sizeof(first));
    for (uint32_t n = 0; n < 5; n++) {
        assert_int_equal(fix_ranks.node[n].waits, waits[n]);
        assert_int_equal(fix_ranks.node[n].next_count, next[n]);
    }
    const uint32_t *edge = &fix_ranks.edge[fix_ranks.node[0].next_first]; /* in the order in which they were added */
    assert_int_equal(edge[0], 1);
    assert_int_equal(edge[1], 2);
    assert_int_equal(edge[2], 3 | WEIR_RANK_AT_START);
    assert_int_equal(fix_ranks.edge[fix_ranks.node[1].next_first], 3);
    assert_int_equal(fix_ranks.edge[fix_ranks.node[2].next_first], 3);
}

static void messages_and_their_bytes_are_counted(void **state)
{
    (void)state;
    fix_rank();
    fix_send(1, 7, 1000);
    fix_send(1, 7, 500);
    fix_rank();
    fix_recv(0, 7);
    fix_recv(0, 7);
    fix_compute(3);
    fix_finish();
    assert_int_equal(fix_ranks.send_count, 2);
    assert_int_equal(fix_ranks.send_bytes, 1500);
    assert_null(fix_ranks.draft);
    assert_int_equal(fix_ranks.sends_before[0], 0);
    assert_int_equal(fix_ranks.sends_before[1], 2);
    assert_int_equal(fix_ranks.sends_before[2], 2);
}

static void lanes_are_counted_from_the_largest(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(1);
    fix_finish();
    assert_int_equal(fix_ranks.lanes, 0);
    weir_ranks_free(&fix_ranks);
    fix_rank();
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_COMPUTE, .lane = 3 });
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_COMPUTE, .lane = WEIR_RANK_NO_LANE });
    fix_node((struct weir_rank_node){ .op = WEIR_RANK_COMPUTE, .lane = 1 });
    fix_finish();
    assert_int_equal(fix_ranks.lanes, 4);
}

/* A chain through 5000 nodes of each of three ranks: arrays grow many times, and what is in them stays. */
static void large_ranks_keep_their_edges(void **state)
{
    enum { NODES = 5000 };
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        fix_rank();
        for (uint32_t n = 0; n < NODES; n++) {
            fix_compute(rank * NODES + n);
            if (n > 0)
                fix_wait(n - 1, n); /* backwards: node 0 is the last of the chain */
        }
    }
    fix_finish();
    assert_int_equal(fix_ranks.edge_count, 3 * (NODES - 1));
    for (uint32_t rank = 0; rank < 3; rank++)
        for (uint32_t n = 0; n < NODES; n++) {
            const struct weir_rank_node *node = &fix_ranks.node[fix_ranks.first[rank] + n];
            assert_int_equal(node->compute_ps, rank * NODES + n);
            assert_int_equal(node->waits, n + 1 < NODES);
            assert_int_equal(node->next_count, n > 0);
            if (n > 0)
                assert_int_equal(fix_ranks.edge[node->next_first], n - 1);
        }
}

static void what_a_caller_put_into_counts_of_a_node_does_not_matter(void **state)
{
    (void)state;
    fix_rank();
    fix_node((struct weir_rank_node){ .waits = 9, .next_first = 9, .next_count = 9, .lane = WEIR_RANK_NO_LANE });
    fix_finish();
    assert_int_equal(fix_ranks.node[0].waits, 0);
    assert_int_equal(fix_ranks.node[0].next_count, 0);
}

/* Both ends of an edge: of the last rank, and of a rank before. */
static void edges_to_no_node_are_refused(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(1);
    fix_wait(1, 0);
    fix_refuse(WEIR_E_UNKNOWN, 0, "rank 0");
    fix_rank();
    fix_compute(1);
    fix_wait(0, 1);
    assert_int_equal(weir_ranks_begin(&fix_ranks, &fix_err), WEIR_E_UNKNOWN);
    assert_refusal(&fix_err, WEIR_E_UNKNOWN, "", "rank 0");
    weir_ranks_free(&fix_ranks);
    fix_rank(); /* a rank without nodes */
    fix_wait(0, 0);
    fix_refuse(WEIR_E_UNKNOWN, 0, "rank 0");
}

static void a_graph_without_nodes_is_refused(void **state)
{
    (void)state;
    fix_refuse(WEIR_E_CONFLICT, 0, "");
    fix_rank();
    fix_rank();
    fix_refuse(WEIR_E_CONFLICT, 0, "");
}

static void ranks_have_a_bound(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WEIR_RANKS_MAX; i++)
        fix_rank();
    assert_int_equal(weir_ranks_begin(&fix_ranks, &fix_err), WEIR_E_RANGE);
    assert_refusal(&fix_err, WEIR_E_RANGE, "", "1048576");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKS_TEST(nodes_and_edges_are_found_by_rank),
        RANKS_TEST(messages_and_their_bytes_are_counted),
        RANKS_TEST(lanes_are_counted_from_the_largest),
        RANKS_TEST(large_ranks_keep_their_edges),
        RANKS_TEST(what_a_caller_put_into_counts_of_a_node_does_not_matter),
        RANKS_TEST(edges_to_no_node_are_refused),
        RANKS_TEST(a_graph_without_nodes_is_refused),
        RANKS_TEST(ranks_have_a_bound),
    };
    return cmocka_run_group_tests_name("workload/ranks_build", tests, NULL, NULL);
}
