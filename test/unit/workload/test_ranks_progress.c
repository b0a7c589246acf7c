/* test/unit/workload/test_ranks_progress.c - ranks that wait for each other's messages in a circle, and those that do not. */
#include "test/unit/workload/ranks_fixture.h"

/* Two ranks; each sends a message to the other and receives one. first: whether rank 0, 1 sends before it receives. */
static void make_pair(bool first0, bool first1)
{
    for (uint32_t rank = 0; rank < 2; rank++) {
        fix_rank();
        fix_send(1 - rank, 7, 100);
        fix_recv(1 - rank, 7);
        if (rank == 0 ? first0 : first1)
            fix_wait(1, 0);
        else
            fix_wait(0, 1);
    }
}

static void two_ranks_must_not_both_receive_first(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        make_pair((i & 1) != 0, (i & 2) != 0);
        if (i > 0) {
            fix_finish();
            weir_ranks_free(&fix_ranks);
            continue;
        }
        fix_refuse(WEIR_E_CONFLICT, 10, "circle"); /* lines: 10 send, 11 receive; 12 send, 13 receive */
        assert_non_null(
            strstr(fix_err.text, "rank 0 line 10, after rank 0 line 11, after rank 1 line 12, after rank 1 line 13"));
    }
}

/* Rank 1 only passes on; a fourth rank waits for the circle, and is not part of it. */
static void a_circle_of_three_ranks_is_found(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 3; rank++) {
        fix_rank();
        fix_recv((rank + 2) % 3, 1);
        fix_compute(5);
        fix_wait(1, 0);
        fix_send((rank + 1) % 3, 1, 100);
        fix_wait(2, 1);
    }
    fix_send(3, 1, 100); /* rank 2 also to rank 3 */
    fix_wait(3, 1);
    fix_rank();
    fix_recv(2, 1);
    fix_ranks.line_is = "node";
    fix_refuse(WEIR_E_CONFLICT, 0, "circle");
    for (uint32_t rank = 0; rank < 3; rank++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "rank %u node", rank);
        assert_non_null(strstr(fix_err.text, name));
    }
    assert_null(strstr(fix_err.text, "rank 3"));
}

/* Behind the beginning of its receive a rank may send; behind its end it may not. */
static void the_beginning_of_a_receive_needs_no_message(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t rank = 0; rank < 2; rank++) {
            fix_rank();
            fix_recv(1 - rank, 7);
            fix_send(1 - rank, 7, 100);
            if (i == 0)
                fix_wait_start(1, 0);
            else
                fix_wait(1, 0);
        }
        if (i == 0)
            fix_finish();
        else
            fix_refuse(WEIR_E_CONFLICT, 10, "circle");
        weir_ranks_free(&fix_ranks);
    }
}

/* A receive that begins after its message has come ends at once. */
static void a_message_may_come_before_its_receive(void **state)
{
    (void)state;
    fix_rank();
    fix_send(1, 1, 5);
    fix_send(1, 2, 5);
    fix_rank();
    fix_recv(0, 2);
    fix_recv(0, 1);
    fix_wait(1, 0);
    fix_finish();
}

/* Two messages of one tag: before a run it is not known which receive takes which, so nothing is refused. */
static void what_depends_on_the_network_is_not_refused(void **state)
{
    (void)state;
    for (uint32_t rank = 0; rank < 2; rank++) {
        fix_rank();
        fix_recv(1 - rank, 7);
        fix_send(1 - rank, 7, 100);
        fix_wait(1, 0);
        fix_send(1 - rank, 7, 100);
        fix_recv(1 - rank, 7);
    }
    fix_finish();
    weir_ranks_free(&fix_ranks);
    make_pair(true, true);
    fix_ranks.node[1].tag = WEIR_RANK_ANY_TAG;
    fix_finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKS_TEST(two_ranks_must_not_both_receive_first),       RANKS_TEST(a_circle_of_three_ranks_is_found),
        RANKS_TEST(the_beginning_of_a_receive_needs_no_message), RANKS_TEST(a_message_may_come_before_its_receive),
        RANKS_TEST(what_depends_on_the_network_is_not_refused),
    };
    return cmocka_run_group_tests_name("workload/ranks_progress", tests, NULL, NULL);
}
