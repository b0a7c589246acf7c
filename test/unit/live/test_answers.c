/* test/unit/live/test_answers.c - weir serve's replies, through a transport that takes as many as it is told to. */
#include "test/unit/weir_test.h"
#include "live/answers.h"
#include <errno.h>

#define MOST 1000

static struct taken {
    uint64_t rpc;
    struct iovec data;
    uint64_t user_data;
} taken[MOST];
static int takes, refusal; /* how many more are taken; what the others get */
static size_t taken_count, released_count;
static struct weir_answers answers;

static int take(void *self, uint64_t rpc, const struct iovec *data, uint64_t user_data)
{
    assert_ptr_equal(self, &answers);
    if (takes == 0)
        return refusal;
    takes--;
    taken[taken_count++] = (struct taken){ rpc, *data, user_data };
    return 0;
}

static void release(void *self, void *lease)
{
    assert_ptr_equal(self, &answers);
    assert_non_null(lease);
    released_count++;
}

static const struct weir_transport transport = { .reply = take, .release = release };

static void begin(uint64_t reply_bytes, int room)
{
    assert_int_equal(weir_answers_init(&answers, reply_bytes), 0);
    answers.transport = &transport;
    answers.self = &answers;
    taken_count = released_count = 0;
    takes = room;
    refusal = -EAGAIN;
}

static void call(uint64_t rpc, const void *data, size_t len, void *lease)
{
    weir_answers_call(
        &answers, &(struct weir_event){ .type = WEIR_EV_CALL, .rpc = rpc, .data = data, .len = len, .lease = lease });
}

static void a_call_gets_what_it_asks_for_or_its_echo_or_nothing(void **state)
{
    static unsigned char ask[WEIR_LIVE_ASK_BYTES], large[WEIR_ANSWERS_ECHO_MAX + 1];
    int lease;
    (void)state;
    begin(WEIR_ANSWERS_AS_ASKED, MOST);
    weir_live_ask(ask, 3000);
    call(1, ask, sizeof(ask), &lease);
    weir_live_ask(ask, WEIR_ANSWERS_REPLY_MAX + 1);
    call(2, ask, sizeof(ask), &lease);
    call(3, large, sizeof(large), &lease);
    assert_int_equal(released_count, 3); /* their memory is not needed for the answer */
    call(4, large, sizeof(large) - 1, &lease);
    call(5, NULL, 0, NULL);
    assert_int_equal(released_count, 3);
    assert_int_equal(taken[0].data.iov_len, 3000);
    assert_int_equal(taken[1].data.iov_len, 0);
    assert_int_equal(taken[2].data.iov_len, 0);
    assert_ptr_equal(taken[3].data.iov_base, large);
    assert_int_equal(taken[3].data.iov_len, WEIR_ANSWERS_ECHO_MAX);
    assert_int_equal(taken[3].user_data, (uintptr_t)&lease);
    assert_int_equal(taken[4].data.iov_len, 0);
    weir_answers_replied(&answers, &(struct weir_event){ .user_data = taken[3].user_data });
    assert_int_equal(released_count, 4);
    weir_answers_replied(&answers, &(struct weir_event){ .result = -ECONNRESET });
    assert_int_equal(answers.sent, 1);
    assert_int_equal(answers.failed, 1);
    weir_answers_free(&answers);
}

static void all_calls_get_the_same_where_that_is_asked(void **state)
{
    static unsigned char ask[WEIR_LIVE_ASK_BYTES];
    (void)state;
    begin(77, MOST);
    weir_live_ask(ask, 3000);
    call(1, ask, sizeof(ask), NULL);
    assert_int_equal(taken[0].data.iov_len, 77);
    weir_answers_free(&answers);
}

/* 300 calls, room for 3, then for 100, then for the rest: more than the ring has at first, and round its end. */
static void what_finds_no_room_waits_its_turn(void **state)
{
    int lease;
    (void)state;
    begin(WEIR_ANSWERS_AS_ASKED, 3);
    for (uint64_t rpc = 1; rpc <= 60; rpc++)
        call(rpc, "echo", 4, &lease);
    assert_int_equal(taken_count, 3);
    takes = 40;
    weir_answers_retry(&answers);
    assert_int_equal(taken_count, 43);
    takes = 1; /* there is room again before it was said: those that wait come first all the same */
    for (uint64_t rpc = 61; rpc <= 300; rpc++)
        call(rpc, "echo", 4, &lease);
    assert_int_equal(taken_count, 43);
    assert_int_equal(answers.count, 257);
    takes = 100;
    weir_answers_retry(&answers);
    assert_int_equal(taken_count, 143);
    takes = MOST;
    weir_answers_retry(&answers);
    assert_int_equal(taken_count, 300);
    assert_int_equal(answers.count, 0);
    for (size_t i = 0; i < 300; i++)
        assert_int_equal(taken[i].rpc, i + 1);
    assert_int_equal(released_count, 0);
    assert_int_equal(answers.failed, 0);
    weir_answers_free(&answers);
}

static void a_caller_that_has_gone_is_counted_and_its_memory_given_back(void **state)
{
    int lease;
    (void)state;
    begin(WEIR_ANSWERS_AS_ASKED, 0);
    call(1, "echo", 4, &lease);
    call(2, "echo", 4, &lease);
    refusal = -ENOMEM;
    weir_answers_retry(&answers);
    assert_int_equal(answers.count, 2);
    assert_int_equal(answers.failed, 0);
    refusal = -ENOENT;
    weir_answers_retry(&answers);
    call(3, "echo", 4, &lease);
    assert_int_equal(answers.count, 0);
    assert_int_equal(answers.failed, 3);
    assert_int_equal(released_count, 3);
    weir_answers_free(&answers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gets_what_it_asks_for_or_its_echo_or_nothing),
        cmocka_unit_test(all_calls_get_the_same_where_that_is_asked),
        cmocka_unit_test(what_finds_no_room_waits_its_turn),
        cmocka_unit_test(a_caller_that_has_gone_is_counted_and_its_memory_given_back),
    };
    return cmocka_run_group_tests_name("live/answers", tests, NULL, NULL);
}
