/* test/unit/output/test_calls.c - the table of messages and replies that wait for each other. */
#include "test/unit/weir_test.h"
#include "output/calls.h"
#include "core/rng.h"

enum { CALLS = 3000 };

static struct weir_calls calls;
static struct weir_delivery other;

static int setup(void **state)
{
    (void)state;
    calls = (struct weir_calls){ 0 };
    return 0;
}

static bool message(uint64_t id)
{
    bool found;
    assert_int_equal(weir_calls_pair(&calls, &(struct weir_delivery){ .id = id, .bytes = id + 1 }, &other, &found), 0);
    return found;
}

static bool reply(uint64_t to)
{
    const struct weir_delivery d = { .id = to ^ 77, .call = to, .bytes = to + 2, .is_reply = true };
    bool found;
    assert_int_equal(weir_calls_pair(&calls, &d, &other, &found), 0);
    return found;
}

static void a_message_and_its_reply_find_each_other_in_either_order(void **state)
{
    (void)state;
    assert_false(message(0)); /* an id like any other */
    assert_false(reply(5));
    assert_true(message(5));
    assert_true(other.is_reply);
    assert_int_equal(other.bytes, 7);
    assert_true(reply(0));
    assert_false(other.is_reply);
    assert_int_equal(other.bytes, 1);
    assert_int_equal(calls.count, 0);
    assert_false(message(5)); /* neither is there any more */
    weir_calls_free(&calls);
}

static void what_is_left_is_in_the_order_in_which_it_came(void **state)
{
    (void)state;
    weir_calls_sort(&calls); /* of nothing */
    for (uint64_t i = 0; i < 200; i++)
        assert_false(message((200 - i) << 40));
    for (uint64_t i = 0; i < 200; i += 2)
        assert_true(reply((200 - i) << 40));
    weir_calls_sort(&calls);
    assert_int_equal(calls.count, 100);
    for (uint64_t i = 0; i < 100; i++)
        assert_int_equal(calls.slot[i].d.id, (199 - 2 * i) << 40);
    weir_calls_free(&calls);
}

/* Random ids of few hosts, as runs have them, with many in the table at a time; a bitmap is the model. */
static void nothing_is_lost_or_found_twice(void **state)
{
    static bool in[CALLS], done[CALLS];
    struct weir_rng rng = { .key = weir_rng_key(3, 0, WEIR_RNG_TEST, 0) };
    uint32_t waiting = 0, pairs = 0;
    (void)state;
    for (uint32_t n = 0; n < 20 * CALLS; n++) {
        uint32_t i = weir_rng_below(weir_rng_next(&rng), CALLS);
        uint64_t id = (uint64_t)(i % 7) << 40 | i / 7;
        if (done[i])
            continue;
        assert_int_equal(in[i] ? reply(id) : message(id), in[i]);
        assert_true(!in[i] || other.id == id);
        done[i] = in[i];
        pairs += in[i];
        waiting += in[i] ? UINT32_MAX : 1;
        in[i] = true;
        assert_int_equal(calls.count, waiting);
    }
    assert_true(pairs > CALLS * 9 / 10);
    weir_calls_free(&calls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_message_and_its_reply_find_each_other_in_either_order, setup),
        cmocka_unit_test_setup(what_is_left_is_in_the_order_in_which_it_came, setup),
        cmocka_unit_test_setup(nothing_is_lost_or_found_twice, setup),
    };
    return cmocka_run_group_tests_name("output/calls", tests, NULL, NULL);
}
