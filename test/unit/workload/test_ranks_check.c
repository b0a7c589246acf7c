/* test/unit/workload/test_ranks_check.c - graphs that no run can begin with: nodes out of bounds, and cycles. */
#include "test/unit/workload/ranks_fixture.h"
#include "core/units.h"

static const uint64_t tib = UINT64_C(1) << 40;

/* Ranks 0 and 1; rank 0 sends so many bytes to rank 1, which receives them. */
static void make_send(uint64_t bytes)
{
    fix_rank();
    fix_send(1, 0, bytes);
    fix_rank();
    fix_recv(0, 0);
}

static void sizes_have_bounds(void **state)
{
    (void)state;
    make_send(1);
    fix_finish();
    weir_ranks_free(&fix_ranks);
    make_send(tib);
    fix_finish();
    weir_ranks_free(&fix_ranks);
    make_send(0);
    fix_refuse(WEIR_E_RANGE, 10, "0 B");
    make_send(tib + 1);
    fix_refuse(WEIR_E_RANGE, 10, "1099511627777 B");
}

/* 2^56 bytes are 2^16 messages of 2^40 */
static void bytes_of_all_messages_have_a_bound(void **state)
{
    (void)state;
    fix_rank();
    for (uint32_t i = 0; i < 1u << 16; i++)
        fix_send(1, 0, tib);
    fix_send(1, 0, 1);
    fix_rank();
    fix_refuse(WEIR_E_RANGE, 10 + (1u << 16), "2^56");
}

static void times_have_a_bound(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(18000 * WEIR_PS_PER_S);
    fix_finish();
    weir_ranks_free(&fix_ranks);
    fix_rank();
    fix_compute(18000 * WEIR_PS_PER_S + 1);
    fix_refuse(WEIR_E_RANGE, 10, "18000");
}

static void lanes_have_a_bound(void **state)
{
    (void)state;
    fix_rank();
    fix_node((struct weir_rank_node){ .lane = WEIR_RANK_LANES_MAX - 1 });
    fix_finish();
    weir_ranks_free(&fix_ranks);
    fix_rank();
    fix_node((struct weir_rank_node){ .lane = WEIR_RANK_LANES_MAX });
    fix_refuse(WEIR_E_RANGE, 10, "256");
}

static void peers_are_other_ranks(void **state)
{
    (void)state;
    fix_rank();
    fix_send(2, 0, 1);
    fix_rank();
    fix_refuse(WEIR_E_RANGE, 10, "rank 2");
    fix_rank();
    fix_rank();
    fix_recv(2, 0);
    fix_refuse(WEIR_E_RANGE, 10, "rank 2");
    fix_rank();
    fix_rank();
    fix_send(1, 0, 1);
    fix_refuse(WEIR_E_RANGE, 10, "itself");
    fix_rank();
    fix_recv(0, 0);
    fix_rank();
    fix_refuse(WEIR_E_RANGE, 10, "itself");
    fix_rank();
    fix_send(WEIR_RANK_ANY, 0, 1); /* of a send, no wildcard */
    fix_rank();
    fix_refuse(WEIR_E_RANGE, 10, "4294967295");
}

static void a_cycle_is_named_by_the_lines_of_its_nodes(void **state)
{
    (void)state;
    fix_rank();
    fix_rank();
    for (uint32_t n = 0; n < 6; n++)
        fix_compute(1);
    fix_wait(1, 0); /* node 0 is before the cycle 1, 2, 3; nodes 4 and 5 are behind it */
    fix_wait(2, 1);
    fix_wait(3, 2);
    fix_wait(1, 3);
    fix_wait(4, 3);
    fix_wait(5, 4);
    fix_refuse(WEIR_E_CONFLICT, 11, "rank 1");
    assert_non_null(strstr(fix_err.text, "line 11 after line 13, line 13 after line 12, line 12 after line 11"));
    assert_null(strstr(fix_err.text, "line 10"));
    assert_null(strstr(fix_err.text, "line 14"));
}

static void lines_are_called_as_the_format_has_them(void **state)
{
    (void)state;
    fix_ranks.line_is = "node";
    fix_rank();
    fix_compute(1);
    fix_compute(1);
    fix_wait(0, 1);
    fix_wait(1, 0);
    fix_refuse(WEIR_E_CONFLICT, 0, "rank 0"); /* a node is no position in a file */
    assert_non_null(strstr(fix_err.text, "node 10 after node 11"));
    fix_rank();
    fix_compute(1);
    fix_compute(1);
    fix_ranks.node[0].line = 0; /* unknown */
    fix_wait(0, 1);
    fix_wait(1, 0);
    fix_refuse(WEIR_E_CONFLICT, 0, "rank 0");
    assert_non_null(strstr(fix_err.text, "node number 0 after node number 1"));
}

static void a_node_that_waits_for_itself_is_a_cycle(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(1);
    fix_wait(0, 0);
    fix_refuse(WEIR_E_CONFLICT, 10, "line 10");
    fix_rank();
    fix_compute(1);
    fix_wait_start(0, 0);
    fix_refuse(WEIR_E_CONFLICT, 10, "line 10");
}

/* A node cannot begin with one that waits for its end. */
static void waiting_for_beginnings_makes_cycles_too(void **state)
{
    (void)state;
    fix_rank();
    fix_compute(1);
    fix_compute(1);
    fix_wait_start(0, 1);
    fix_wait(1, 0);
    fix_refuse(WEIR_E_CONFLICT, 10, "rank 0");
}

/* The text has 511 bytes; a circle of 1000 nodes is cut. */
static void a_long_cycle_is_cut(void **state)
{
    (void)state;
    fix_rank();
    for (uint32_t n = 0; n < 1000; n++) {
        fix_compute(1);
        fix_wait(n, (n + 1) % 1000);
    }
    fix_refuse(WEIR_E_CONFLICT, 10, "line 10");
    assert_string_equal(fix_err.text + strlen(fix_err.text) - 3, " ..");
    assert_in_range(strlen(fix_err.text), 300, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKS_TEST(sizes_have_bounds),
        RANKS_TEST(bytes_of_all_messages_have_a_bound),
        RANKS_TEST(times_have_a_bound),
        RANKS_TEST(lanes_have_a_bound),
        RANKS_TEST(peers_are_other_ranks),
        RANKS_TEST(a_cycle_is_named_by_the_lines_of_its_nodes),
        RANKS_TEST(lines_are_called_as_the_format_has_them),
        RANKS_TEST(a_node_that_waits_for_itself_is_a_cycle),
        RANKS_TEST(waiting_for_beginnings_makes_cycles_too),
        RANKS_TEST(a_long_cycle_is_cut),
    };
    return cmocka_run_group_tests_name("workload/ranks_check", tests, NULL, NULL);
}
