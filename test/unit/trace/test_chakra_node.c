/* test/unit/trace/test_chakra_node.c - what nodes of Chakra traces become, and collectives of groups of ranks. */
#include "test/unit/trace/chakra_fixture.h"

enum { ALL_REDUCE = 0, ALL_GATHER = 2, BARRIER = 9 };

static void refuse(enum weir_err_code code, const char *place, const char *text)
{
    fix_refuse(WEIR_TRAFFIC_CHAKRA, "t", code, place, text);
}

/* An all-reduce of 3 ranks is 2 x 2 messages of a third from each; what waits for it waits for its last node. */
static void what_waits_for_a_collective_waits_for_all_of_it(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        begin_file("0.0.4");
        begin_node(1, COMP);
        put_number(&node, 5, 2); /* stands before what it waits for */
        end_node();
        put_collective(2, ALL_REDUCE, 3000, "");
        write_rank(rank);
    }
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.send_count, 12);
    assert_int_equal(fix_ranks.send_bytes, 12000);
    for (uint32_t rank = 0; rank < 3; rank++) {
        uint32_t last = (uint32_t)(fix_ranks.first[rank + 1] - fix_ranks.first[rank]) - 1;
        assert_true(fix_waits(rank, 0, last, false));
        assert_int_equal(fix_node(rank, 0)->waits, 1);
    }
}

/* comm_size of an all-gather is one rank's share: 2 ranks send 500 B to each other. */
static void an_all_gather_has_the_size_of_a_share(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        begin_file("0.0.4");
        put_collective(2, ALL_GATHER, 500, "0");
        write_rank(rank);
    }
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.send_count, 2);
    assert_int_equal(fix_ranks.send_bytes, 1000);
}

/* Groups 1 (ranks 0 and 2) and 2 (rank 1 and 3), each in the order of the list. */
static void groups_come_from_a_file(void **state)
{
    static const char groups[] = "{\"1\": [0, 2],\n \"2\": [3, 1]}\n";
    (void)state;
    fix_write("groups.json", groups, strlen(groups));
    for (uint32_t rank = 0; rank < 4; rank++) {
        begin_file("0.0.4");
        put_collective(5, ALL_GATHER, rank % 2 == 0 ? 100 : 10, rank % 2 == 0 ? "1" : "2");
        write_rank(rank);
    }
    refuse(WEIR_E_UNKNOWN, "t.0.et", "pg_name");
    (void)snprintf(fix_item.groups, sizeof(fix_item.groups), "groups.json");
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.send_bytes, 220);
    assert_int_equal(fix_node(0, 1)->peer, 2);
    assert_int_equal(fix_node(3, 1)->peer, 1);
    begin_file("0.0.4");
    put_collective(5, ALL_GATHER, 100, "1");
    write_rank(1); /* which is not in group 1 */
    refuse(WEIR_E_CONFLICT, "t.1.et", "rank 1");
}

static void groups_come_from_metadata_of_pytorch(void **state)
{
    static const char list[] = "['[{\"pg_name\": \"0\", \"ranks\": []}, {\"pg_name\": \"7\", \"ranks\": [1, 0]}]']";
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        struct bytes inputs = { .used = 0 };
        begin_file("1.0.2-chakra.0.0.4");
        begin_node(1, 1);
        put_bytes(&inputs, 1, list, strlen(list));
        put_bytes(&node, 8, inputs.at, inputs.used);
        end_node();
        if (rank < 2)
            put_collective(2, ALL_GATHER, 10, "7");
        put_collective(3, ALL_GATHER, 1000, "0");
        write_rank(rank);
    }
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.send_count, 2 + 6); /* 2 ranks once, 3 ranks twice */
    assert_int_equal(fix_ranks.send_bytes, 20 + 6000);
}

static void ranks_of_a_group_must_do_the_same(void **state)
{
    (void)state;
    begin_file("0.0.4");
    put_collective(4, ALL_GATHER, 10, "");
    put_collective(5, ALL_GATHER, 20, "");
    write_rank(0);
    begin_file("0.0.4");
    put_collective(8, ALL_GATHER, 10, "");
    write_rank(1);
    refuse(WEIR_E_CONFLICT, "t.1.et", "rank 1 has 1 collectives");
    put_collective(9, ALL_GATHER, 21, "");
    write_rank(1);
    refuse(WEIR_E_CONFLICT, "t.1.et", "node 9 is collective number 2");
    begin_file("0.0.4");
    put_collective(8, ALL_GATHER, 10, "");
    put_collective(9, ALL_GATHER, 20, "");
    put_collective(10, ALL_GATHER, 30, "");
    write_rank(1);
    refuse(WEIR_E_CONFLICT, "t.1.et", "node 10 is collective number 3");
}

static void sizes_and_operations_of_collectives_have_bounds(void **state)
{
    static const uint64_t tib = UINT64_C(1) << 40;
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        static const struct {
            uint64_t op, bytes;
        } tried[] = { { ALL_REDUCE, 0 }, { ALL_REDUCE, 1 }, { ALL_REDUCE, tib }, { ALL_REDUCE, tib + 1 }, { 10, 1 } };
        begin_file("0.0.4");
        put_collective(4, tried[i].op, tried[i].bytes, "");
        write_rank(0);
        if (i == 1 || i == 2)
            fix_load(WEIR_TRAFFIC_CHAKRA, "t"); /* one rank alone: no message */
        else
            refuse(i == 4 ? WEIR_E_UNKNOWN : WEIR_E_RANGE, "t.0.et", i == 4 ? "comm_type" : "comm_size");
    }
}

static void a_barrier_needs_no_size(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        begin_file("0.0.4");
        put_collective(4, BARRIER, 0, "");
        write_rank(rank);
    }
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_ranks.send_bytes, 2);
}

/* In traces of PyTorch the host's call of a collective is a node, too. It has no comm_type. */
static void the_hosts_call_of_a_collective_computes(void **state)
{
    (void)state;
    begin_file("1.0.1");
    begin_node(3, COLL);
    put_number(&node, 7, 85);
    put_attr("is_cpu_op", 27, 1);
    end_node();
    write_rank(0);
    fix_load(WEIR_TRAFFIC_CHAKRA, "t");
    assert_int_equal(fix_node(0, 0)->op, WEIR_RANK_COMPUTE);
    assert_int_equal(fix_node(0, 0)->compute_ps, 85000000);
    begin_file("1.0.1");
    begin_node(3, COLL);
    put_attr("is_cpu_op", 27, 0);
    end_node();
    write_rank(0);
    refuse(WEIR_E_UNKNOWN, "t.0.et", "comm_type");
}

static void messages_must_have_their_ends_and_size(void **state)
{
    static const char *const missing[] = { "comm_dst", "comm_size", "comm_src" };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        begin_file("0.0.4");
        begin_node(6, i == 2 ? RECV : SEND);
        if (i == 1)
            put_attr("comm_dst", 7, 1);
        end_node();
        write_rank(0);
        refuse(WEIR_E_SYNTAX, "t.0.et", missing[i]);
    }
    begin_file("0.0.4");
    begin_node(6, SEND);
    put_attr("comm_src", 7, 1); /* in the file of rank 0 */
    put_attr("comm_dst", 7, 2);
    put_attr("comm_size", 7, 1);
    end_node();
    write_rank(0);
    refuse(WEIR_E_CONFLICT, "t.0.et", "comm_src");
    begin_file("0.0.4");
    put_message(6, SEND, 1, UINT64_C(1) << 32, 5);
    write_rank(0);
    refuse(WEIR_E_RANGE, "t.0.et", "comm_tag");
    begin_file("0.0.4");
    put_message(6, SEND, 1, UINT32_MAX, 5);
    write_rank(0);
    refuse(WEIR_E_RANGE, "t", "node 6: rank 0 sends to rank 1"); /* the tag is allowed, and there is no rank 1 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(what_waits_for_a_collective_waits_for_all_of_it),
        TRACE_TEST(an_all_gather_has_the_size_of_a_share),
        TRACE_TEST(groups_come_from_a_file),
        TRACE_TEST(groups_come_from_metadata_of_pytorch),
        TRACE_TEST(ranks_of_a_group_must_do_the_same),
        TRACE_TEST(sizes_and_operations_of_collectives_have_bounds),
        TRACE_TEST(a_barrier_needs_no_size),
        TRACE_TEST(the_hosts_call_of_a_collective_computes),
        TRACE_TEST(messages_must_have_their_ends_and_size),
    };
    return cmocka_run_group_tests_name("trace/chakra_node", tests, NULL, NULL);
}
