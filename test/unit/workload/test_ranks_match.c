/* test/unit/workload/test_ranks_match.c - each receive needs a message, and each message a receive. */
#include "test/unit/workload/ranks_fixture.h"

static void messages_may_come_in_any_order_of_tags(void **state)
{
    (void)state;
    fix_rank();
    fix_recv(2, 1);
    fix_rank();
    fix_send(2, 5, 1);
    fix_send(2, 6, 1);
    fix_send(2, 5, 1);
    fix_rank();
    fix_recv(1, 6);
    fix_recv(1, 5);
    fix_send(0, 1, 1);
    fix_recv(1, 5);
    fix_finish();
}

static void a_receive_too_many_or_too_few_is_refused(void **state)
{
    (void)state;
    for (uint32_t received = 0; received < 4; received++) { /* rank 0 sends two */
        fix_rank();
        fix_send(1, 0, 1);
        fix_send(1, 0, 1);
        fix_rank();
        for (uint32_t i = 0; i < received; i++)
            fix_recv(0, 0);
        if (received == 2)
            fix_finish();
        else if (received == 0) /* at the first send, as there is no receive */
            fix_refuse(WEIR_E_CONFLICT, 10, "rank 1 receives 0 messages from rank 0, which sends it 2");
        else
            fix_refuse(WEIR_E_CONFLICT, 12, "rank 1");
        weir_ranks_free(&fix_ranks);
    }
}

/* Both totals are 2, and the pairs differ. */
static void the_peer_must_be_the_sender(void **state)
{
    (void)state;
    fix_rank();
    fix_send(2, 0, 1);
    fix_rank();
    fix_send(2, 0, 1);
    fix_rank();
    fix_recv(0, 0);
    fix_recv(0, 0);
    fix_refuse(WEIR_E_CONFLICT, 12, "rank 2 receives 2 messages from rank 0, which sends it 1");
}

static void the_tag_must_be_that_of_the_message(void **state)
{
    (void)state;
    fix_rank();
    fix_send(1, 3, 1);
    fix_send(1, 4, 1);
    fix_rank();
    fix_recv(0, 3);
    fix_recv(0, 3);
    fix_refuse(WEIR_E_CONFLICT, 12, "tag 3");
}

static void a_receive_of_any_tag_takes_what_others_leave(void **state)
{
    (void)state;
    for (uint64_t tag = 3; tag < 6; tag++) { /* of the receive: 4 is the tag of no message */
        fix_rank();
        fix_send(1, 3, 1);
        fix_send(1, 5, 1);
        fix_rank();
        fix_recv(0, WEIR_RANK_ANY_TAG);
        fix_recv(0, tag);
        if (tag != 4)
            fix_finish();
        else
            fix_refuse(WEIR_E_CONFLICT, 13, "tag 4");
        weir_ranks_free(&fix_ranks);
    }
}

/* Ranks 0 and 1 send two each to rank 2, which receives so many of rank 0 and of any. */
static void make_any(uint32_t of_first, uint32_t of_any)
{
    for (uint32_t rank = 0; rank < 2; rank++) {
        fix_rank();
        fix_send(2, 0, 1);
        fix_send(2, 0, 1);
    }
    fix_rank();
    for (uint32_t i = 0; i < of_any; i++)
        fix_recv(WEIR_RANK_ANY, WEIR_RANK_ANY_TAG);
    for (uint32_t i = 0; i < of_first; i++)
        fix_recv(0, 0);
}

static void a_receive_of_any_rank_takes_what_others_leave(void **state)
{
    (void)state;
    for (uint32_t of_first = 0; of_first <= 2; of_first++) {
        make_any(of_first, 4 - of_first);
        fix_finish();
        weir_ranks_free(&fix_ranks);
    }
    make_any(3, 1);
    fix_refuse(WEIR_E_CONFLICT, 15, "rank 2 receives 3 messages from rank 0, which sends it 2");
    make_any(1, 4);
    fix_refuse(WEIR_E_CONFLICT, 14, "rank 2 receives 5 messages, and 4 are sent to it");
    make_any(1, 2);
    fix_refuse(WEIR_E_CONFLICT, 14, "rank 2 receives 3 messages, and 4 are sent to it");
}

/* 64 ranks: each sends one message to each other, and receives in another order. */
static void all_to_all_matches(void **state)
{
    enum { RANKS = 64 };
    (void)state;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        fix_rank();
        for (uint32_t k = 1; k < RANKS; k++) {
            fix_send((rank + k) % RANKS, k, 100);
            fix_recv((rank + 7 * k) % RANKS, RANKS - 7 * k % RANKS); /* 7 k differs for each k, as 7 is odd */
        }
    }
    fix_finish();
    assert_int_equal(fix_ranks.send_count, RANKS * (RANKS - 1));
    assert_int_equal(fix_ranks.send_bytes, 100 * RANKS * (RANKS - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANKS_TEST(messages_may_come_in_any_order_of_tags),
        RANKS_TEST(a_receive_too_many_or_too_few_is_refused),
        RANKS_TEST(the_peer_must_be_the_sender),
        RANKS_TEST(the_tag_must_be_that_of_the_message),
        RANKS_TEST(a_receive_of_any_tag_takes_what_others_leave),
        RANKS_TEST(a_receive_of_any_rank_takes_what_others_leave),
        RANKS_TEST(all_to_all_matches),
    };
    return cmocka_run_group_tests_name("workload/ranks_match", tests, NULL, NULL);
}
