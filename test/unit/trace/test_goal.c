/* test/unit/trace/test_goal.c - GOAL schedules: what is read, and what is refused, each with its line and column. */
#include "test/unit/trace/trace_fixture.h"

static void put(const char *text)
{
    fix_write("t.goal", text, strlen(text));
}

static void read_goal(const char *text)
{
    put(text);
    fix_load(WEIR_TRAFFIC_GOAL, "t.goal");
}

static void operations_are_read_with_their_options(void **state)
{
    (void)state;
    read_goal("num_ranks 3\n\nrank 0 {\nl1: send 1000b to 1 tag 5\nl2: calc 100\nl2 requires l1\n"
              "calc 7 cpu 255\nsend 3000000000b to 2 tag 4294967294 cpu 3 nic 0\n}\n"
              "rank 1 {\nx_1: recv 1000b from 0 tag 5\n}\nrank 2 {\nrecv 1b from -1 tag -1\n}\n");
    assert_int_equal(fix_ranks.ranks, 3);
    assert_int_equal(fix_ranks.node_count, 6);
    assert_int_equal(fix_ranks.send_count, 2);
    assert_true(fix_ranks.send_bytes == UINT64_C(3000001000));
    assert_int_equal(fix_ranks.lanes, 256);
    const struct weir_rank_node *send = fix_node(0, 0), *calc = fix_node(0, 1);
    assert_int_equal(send->op, WEIR_RANK_SEND);
    assert_int_equal(send->peer, 1);
    assert_int_equal(send->tag, 5);
    assert_int_equal(send->bytes, 1000);
    assert_int_equal(send->line, 4);
    assert_int_equal(calc->op, WEIR_RANK_COMPUTE);
    assert_int_equal(calc->compute_ps, 100000); /* nanoseconds */
    assert_int_equal(calc->lane, 0);
    assert_true(fix_waits(0, 1, 0, false));
    assert_int_equal(fix_node(0, 2)->lane, 255);
    assert_true(fix_node(0, 3)->tag == UINT64_C(4294967294));
    assert_true(fix_node(2, 0)->peer == WEIR_RANK_ANY && fix_node(2, 0)->tag == WEIR_RANK_ANY_TAG);
}

static void a_rank_may_wait_for_a_beginning(void **state)
{
    (void)state;
    read_goal("num_ranks 1\nrank 0 {\na: calc 1\nb: calc 2\nb irequires a\n}");
    assert_true(fix_waits(0, 1, 0, true));
    assert_int_equal(fix_node(0, 1)->waits, 1);
}

static void blanks_and_comments_do_not_matter(void **state)
{
    (void)state;
    read_goal("\xEF\xBB\xBF// made by hand\r\n/* two\nlines */ num_ranks 2\r\n rank 0 { a :calc 5 // behind it\r\n"
              "\tb: send 64 b to 1 /* within */ tag 2\r\nb requires a\n}\nrank 1 {\nrecv 64b from 0 tag 2 }\n\n");
    assert_int_equal(fix_ranks.node_count, 3);
    assert_true(fix_waits(0, 1, 0, false));
    assert_int_equal(fix_node(0, 1)->line, 5); /* the comment in two lines counts as two */
}

static void labels_are_those_of_their_rank(void **state)
{
    (void)state;
    read_goal("num_ranks 3\nrank 0 {\nl1: calc 1\nl2: calc 2\nl2 requires l1\n}\nrank 1 {\n}\n"
              "rank 2 {\nl2: calc 1\nl1: calc 2\nl2 requires l1\n}\n");
    assert_true(fix_waits(0, 1, 0, false));
    assert_true(fix_waits(2, 0, 1, false));
}

static void a_message_of_no_bytes_is_counted_and_has_one(void **state)
{
    (void)state;
    read_goal("num_ranks 2\nrank 0 {\nsend 0b to 1\nsend 2b to 1\n}\nrank 1 {\nrecv 0b from 0\nrecv 2b from 0\n}\n");
    assert_int_equal(fix_ranks.send_bytes, 3);
    assert_int_equal(fix_note.empty, 1);
}

static void a_nic_needs_the_layout(void **state)
{
    static const char text[] = "num_ranks 2\nrank 0 {\nsend 1b to 1 nic 3\n}\nrank 1 {\nrecv 1b from 0 nic 3\n}\n";
    (void)state;
    put(text);
    fix_refuse(WEIR_TRAFFIC_GOAL, "t.goal", WEIR_E_CONFLICT, "t.goal:3:14", "nic 3");
    fix_item.goal_layout = WEIR_GOAL_LAYOUT_GPU;
    fix_refuse(WEIR_TRAFFIC_GOAL, "t.goal", WEIR_E_CONFLICT, "t.goal:3:14", "goal_layout");
    fix_item.goal_layout = WEIR_GOAL_LAYOUT_NODE;
    fix_load(WEIR_TRAFFIC_GOAL, "t.goal");
    assert_int_equal(fix_ranks.send_count, 1);
}

#define RANK "num_ranks 2\nrank 0 {\n" /* lines 1 and 2 */

static void what_is_wrong_is_refused_where_it_stands(void **state)
{
    static const struct {
        const char *text, *place, *key;
        enum weir_err_code code;
    } wrong[] = {
        { RANK "l1: calc 1\nl1: calc 2\n", "t.goal:4:1", "l1", WEIR_E_CONFLICT },
        { RANK "l1: calc 1\nl1 requires l2\n", "t.goal:4:13", "l2", WEIR_E_UNKNOWN },
        { RANK "l1: calc 1\nl2 irequires l1\n", "t.goal:4:1", "l2", WEIR_E_UNKNOWN },
        { RANK "a: calc 1\nb: calc 1\na requires b\nb requires a\n}\nrank 1 {\n}\n", "t.goal:3", "line 3",
          WEIR_E_CONFLICT },
        { RANK "l1 calc 1\n", "t.goal:3:4", "calc", WEIR_E_SYNTAX },
        { RANK "l1: get 1\n", "t.goal:3:5", "get", WEIR_E_SYNTAX },
        { RANK "l1 requires 5\n", "t.goal:3:13", "5", WEIR_E_SYNTAX },
        { RANK "send 1b from 1\n", "t.goal:3:9", "from", WEIR_E_SYNTAX },
        { RANK "recv 1b to 1\n", "t.goal:3:9", "to", WEIR_E_SYNTAX },
        { RANK "send 1 to 1\n", "t.goal:3:8", "to", WEIR_E_SYNTAX },
        { RANK "send b to 1\n", "t.goal:3:6", "b", WEIR_E_SYNTAX },
        { RANK "send 1b to -1\n", "t.goal:3:12", "-", WEIR_E_SYNTAX },
        { RANK "send 1b to 1 tag -1\n", "t.goal:3:14", "tag", WEIR_E_RANGE },
        { RANK "send 1b to 1 tag -2\n", "t.goal:3:19", "2", WEIR_E_SYNTAX },
        { RANK "send 1b to 1 tag 4294967295\n", "t.goal:3:18", "4294967295", WEIR_E_RANGE },
        { RANK "send 1b to 1 nic 0 tag 1\n", "t.goal:3:20", "tag", WEIR_E_SYNTAX },
        { RANK "send 1b to 1 send 1b to 1\n", "t.goal:3:14", "send", WEIR_E_SYNTAX },
        { RANK "send 18446744073709551616b to 1\n", "t.goal:3:6", "18446744073709551616", WEIR_E_RANGE },
        { RANK "send 1099511627777b to 1\n}\nrank 1 {\n}\n", "t.goal:3", "1099511627777", WEIR_E_RANGE },
        { RANK "calc 1 cpu 256\n", "t.goal:3:12", "256", WEIR_E_RANGE },
        { RANK "calc 1 nic 0\n", "t.goal:3:8", "nic", WEIR_E_SYNTAX },
        { RANK "send 1b to 1 nic 256\n", "t.goal:3:18", "256", WEIR_E_RANGE },
        { RANK "calc\n", "t.goal:3:5", "line", WEIR_E_SYNTAX },
        { RANK "7\n", "t.goal:3:1", "7", WEIR_E_SYNTAX },
        { RANK "rank 1 {\n", "t.goal:3:6", "1", WEIR_E_SYNTAX },
        { RANK, "t.goal:3:1", "file", WEIR_E_SYNTAX },
        { RANK "calc 1\n}\n", "t.goal:5:1", "rank", WEIR_E_SYNTAX },
        { RANK "calc 1\n}\nrank 0 {\n}\n", "t.goal:5:6", "rank 0", WEIR_E_CONFLICT },
        { RANK "}\nrank 1 {\n}\nrank 2 {\n}\n", "t.goal:6:1", "rank", WEIR_E_SYNTAX },
        { RANK "}\nrank 1 {\n}\n", "t.goal", "", WEIR_E_CONFLICT }, /* nobody does anything */
        { RANK "send 1b to 2\n}\nrank 1 {\n}\n", "t.goal:3", "rank 2", WEIR_E_RANGE },
        { RANK "send 1b to 0\n}\nrank 1 {\n}\n", "t.goal:3", "itself", WEIR_E_RANGE },
        { RANK "send 1b to 1 tag 3\n}\nrank 1 {\nrecv 1b from 0 tag 4\n}\n", "t.goal:6", "tag 4", WEIR_E_CONFLICT },
        { RANK "send 1b to 1\n}\nrank 1 {\n}\n", "t.goal:3", "rank 1", WEIR_E_CONFLICT },
        { "num_ranks 0\n", "t.goal:1:1", "num_ranks", WEIR_E_RANGE },
        { "num_ranks 17\n", "t.goal:1", "17", WEIR_E_RANGE },
        { "num_ranks 2\nnum_ranks 2\n", "t.goal:2:1", "num_ranks", WEIR_E_CONFLICT },
        { "num_ranks x\n", "t.goal:1:11", "x", WEIR_E_SYNTAX },
        { "num_ranks 2 rank 1 {\n", "t.goal:1:18", "rank 1", WEIR_E_CONFLICT },
        { "num_ranks 2 rank 0\n{\n", "t.goal:1:19", "line", WEIR_E_SYNTAX },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        put(wrong[i].text);
        fix_refuse(WEIR_TRAFFIC_GOAL, "t.goal", wrong[i].code, wrong[i].place, wrong[i].key);
    }
}

/* 16 ranks are allowed, one more is not: there are 16 hosts. */
static void there_may_be_as_many_ranks_as_hosts(void **state)
{
    char text[1024] = "num_ranks 16\n";
    (void)state;
    for (uint32_t rank = 0; rank < 16; rank++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "rank %u {\ncalc 1\n}\n", rank);
    read_goal(text);
    assert_int_equal(fix_ranks.ranks, 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TRACE_TEST(operations_are_read_with_their_options),
        TRACE_TEST(a_rank_may_wait_for_a_beginning),
        TRACE_TEST(blanks_and_comments_do_not_matter),
        TRACE_TEST(labels_are_those_of_their_rank),
        TRACE_TEST(a_message_of_no_bytes_is_counted_and_has_one),
        TRACE_TEST(a_nic_needs_the_layout),
        TRACE_TEST(what_is_wrong_is_refused_where_it_stands),
        TRACE_TEST(there_may_be_as_many_ranks_as_hosts),
    };
    return cmocka_run_group_tests_name("trace/goal", tests, NULL, NULL);
}
