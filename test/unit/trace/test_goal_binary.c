/* test/unit/trace/test_goal_binary.c - the binary form of GOAL. The bytes are what LogGOPSim's txt2bin writes for the
 * text in the comment; each test changes some of them. */
#include "test/unit/trace/trace_fixture.h"

/* num_ranks 2; rank 0 { l1: send 1000b to 1 tag 5; l2: calc 100; l2 requires l1 } rank 1 { l1: recv 1000b from 0 tag 5 }
 */
enum { SIZE = 191, RANK0 = 46, NODES0 = 58, NODE = 39, LIST0 = 136 };
static unsigned char file[SIZE];

static void make(void)
{
    static const unsigned char begin[] = { 0x7f, 0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0 };
    memset(file, 0, sizeof(file));
    memcpy(file, begin, sizeof(begin));
    file[14] = 38;  /* part of rank 0: from 38, counted from offset 8 */
    file[22] = 132; /* to here */
    file[30] = 132; /* part of rank 1 */
    file[38] = 183;
    file[RANK0] = 2; /* nodes; 1 root, number 0 */
    file[RANK0 + 4] = 1;
    file[NODES0 + 4] = 1; /* send to 1, 1000 B, tag 5; node 1 waits for its end */
    file[NODES0 + 5] = 1;
    file[NODES0 + 9] = 0xe8;
    file[NODES0 + 10] = 3;
    file[NODES0 + 17] = 5;
    file[NODES0 + 23] = 1;
    file[NODES0 + 31] = 0;
    file[NODES0 + 35] = 1;
    file[NODES0 + NODE] = 1; /* waits for one node */
    file[NODES0 + NODE + 4] = 3;
    file[NODES0 + NODE + 9] = 100;
    file[NODES0 + NODE + 27] = 1;
    file[NODES0 + NODE + 35] = 1;
    file[LIST0] = 1;
    file[140] = 1; /* rank 1: one node, one root */
    file[144] = 1;
    file[152 + 4] = 2;
    file[152 + 9] = 0xe8;
    file[152 + 10] = 3;
    file[152 + 17] = 5;
}

static void put(size_t size)
{
    fix_write("t.bin", file, size);
}

static void refuse(enum weir_err_code code, const char *text)
{
    put(SIZE);
    fix_refuse(WEIR_TRAFFIC_GOAL, "t.bin", code, "t.bin", text);
    make();
}

static void a_schedule_is_read(void **state)
{
    (void)state;
    make();
    put(SIZE);
    fix_load(WEIR_TRAFFIC_GOAL, "t.bin");
    assert_int_equal(fix_ranks.ranks, 2);
    assert_int_equal(fix_ranks.node_count, 3);
    assert_int_equal(fix_ranks.send_bytes, 1000);
    assert_int_equal(fix_node(0, 0)->peer, 1);
    assert_int_equal(fix_node(0, 0)->tag, 5);
    assert_int_equal(fix_node(0, 1)->compute_ps, 100000);
    assert_true(fix_waits(0, 1, 0, false));
    assert_int_equal(fix_node(1, 0)->op, WEIR_RANK_RECV);
}

static void waiting_for_a_beginning_is_read(void **state)
{
    (void)state;
    make();
    file[NODES0 + 23] = 0;  /* none waits for the end of node 0, one for its beginning */
    file[NODES0 + 27] = 99; /* means nothing then */
    file[NODES0 + 31] = 1;
    file[NODES0 + 35] = 0;
    put(SIZE);
    fix_load(WEIR_TRAFFIC_GOAL, "t.bin");
    assert_true(fix_waits(0, 1, 0, true));
}

static void a_receive_may_take_any_message(void **state)
{
    (void)state;
    make();
    memset(file + 152 + 5, 0xff, 4);
    memset(file + 152 + 17, 0xff, 4);
    put(SIZE);
    fix_load(WEIR_TRAFFIC_GOAL, "t.bin");
    assert_true(fix_node(1, 0)->peer == WEIR_RANK_ANY && fix_node(1, 0)->tag == WEIR_RANK_ANY_TAG);
}

/* A file cut anywhere but behind its last byte is refused, and behind it is read. */
static void a_truncated_file_is_refused(void **state)
{
    (void)state;
    make();
    for (size_t size = 8; size < SIZE; size++) { /* the first 8 bytes say what it is */
        put(size);
        assert_int_equal(fix_try(WEIR_TRAFFIC_GOAL, "t.bin"), WEIR_E_SYNTAX);
        if (size == 8 || size == 20 || size == 150)
            assert_refusal(&fix_err, WEIR_E_SYNTAX, "t.bin", size == 8 ? "14" : "rank 1");
    }
    put(SIZE);
    fix_load(WEIR_TRAFFIC_GOAL, "t.bin");
}

static void what_is_wrong_is_refused_by_the_node(void **state)
{
    (void)state;
    make();
    file[NODES0 + 4] = 0;
    refuse(WEIR_E_UNKNOWN, "node 1 is of type 0");
    file[NODES0 + 4] = 4;
    refuse(WEIR_E_UNKNOWN, "node 1 is of type 4");
    file[LIST0] = 2; /* one more than the last */
    refuse(WEIR_E_RANGE, "node 3 waits for node 1");
    file[NODES0 + 23] = 2; /* one more than the list has */
    refuse(WEIR_E_SYNTAX, "node 1");
    memset(file + NODES0 + 27, 0xff, 4); /* begins behind the list */
    refuse(WEIR_E_SYNTAX, "node 1");
    file[NODES0 + NODE + 23] = 1; /* both nodes have the whole list: it has one number */
    file[NODES0 + NODE + 27] = 0;
    refuse(WEIR_E_SYNTAX, "node 2");
    memset(file + NODES0 + 17, 0xff, 4);
    refuse(WEIR_E_RANGE, "node 1 sends");
    memset(file + NODES0 + 5, 0xff, 4);
    refuse(WEIR_E_RANGE, "node 1 sends");
    file[NODES0 + 5] = 2; /* there is no rank 2 */
    refuse(WEIR_E_RANGE, "node 1: rank 0 sends to rank 2");
    file[LIST0] = 0; /* node 1 waits for itself */
    refuse(WEIR_E_CONFLICT, "node 1 after node 1");
    file[NODES0 + 22] = 1;
    refuse(WEIR_E_CONFLICT, "nic 1");
    file[8] = 0;
    refuse(WEIR_E_RANGE, "ranks");
    file[8] = 17;
    refuse(WEIR_E_RANGE, "17");
    file[14] = 133; /* begins behind its end */
    refuse(WEIR_E_SYNTAX, "rank 0");
    memset(file + RANK0, 0xff, 8); /* 2^32 nodes and roots */
    refuse(WEIR_E_SYNTAX, "rank 0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(a_schedule_is_read),
        TRACE_TEST(waiting_for_a_beginning_is_read),
        TRACE_TEST(a_receive_may_take_any_message),
        TRACE_TEST(a_truncated_file_is_refused),
        TRACE_TEST(what_is_wrong_is_refused_by_the_node),
    };
    return cmocka_run_group_tests_name("trace/goal_binary", tests, NULL, NULL);
}
