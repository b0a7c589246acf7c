/* test/unit/endpoint/test_timer.c - one entry per owner that counts, and a heap that never overflows. */
#include "test/unit/endpoint/endpoint_test.h"

/* Takes all owners that are due. @return how many */
static uint32_t take_due(struct weir_ep *e)
{
    struct ep_due due;
    uint32_t count = 0;
    for (; ep_timer_due(e, &due); count++)
        assert_true(due.kind == EP_TIMER_OP && due.index < 2);
    return count;
}

static void the_earlier_instant_replaces_the_later(void **state)
{
    struct weir_ep *e = ep[0];
    (void)state;
    assert_int_equal(weir_recv_into(e, NULL, NULL, 0, 0, 1), 0); /* an operation to be an owner */
    ep_timer_arm(e, EP_TIMER_OP, 0, 1000);
    ep_timer_arm(e, EP_TIMER_OP, 0, 2000); /* 1000 will ask again */
    assert_int_equal(e->timers.count, 1);
    ep_timer_arm(e, EP_TIMER_OP, 0, 500);
    assert_int_equal(e->timers.count, 2);
    assert_int_equal(e->ops[0].timer_ps, 500);
    e->now_ps = 500;
    assert_int_equal(take_due(e), 1);
    assert_int_equal(e->ops[0].timer_ps, WEIR_NEVER);
    e->now_ps = 1000;
    assert_int_equal(take_due(e), 0); /* the replaced one counts no more */
    assert_int_equal(e->timers.count, 0);
}

static void replaced_entries_are_removed_before_the_heap_is_full(void **state)
{
    struct weir_ep *e = ep[0];
    (void)state;
    e->timers.capacity = 8;
    assert_int_equal(weir_recv_into(e, NULL, NULL, 0, 0, 1), 0);
    assert_int_equal(weir_recv_into(e, NULL, NULL, 0, 0, 2), 0);
    ep_timer_arm(e, EP_TIMER_OP, 1, 5000);
    for (uint64_t i = 0; i < 1000; i++)
        ep_timer_arm(e, EP_TIMER_OP, 0, 3000 - i);
    assert_true(e->timers.count <= 8);
    assert_int_equal(e->timers.entry[0].at_ps, 2001);
    assert_int_equal(e->ops[1].timer_ps, 5000);
    e->now_ps = 5000;
    assert_int_equal(take_due(e), 2);
    assert_int_equal(e->timers.count, 0);
    e->timers.capacity = 2 * (2 * 65536 + 4096);
}

static void the_clock_never_runs_backwards(void **state)
{
    struct weir_ep *e = ep[0];
    (void)state;
    mem_advance(mem, START_NS + 50);
    ep_clock(e);
    assert_int_equal(e->now_ps, 50000);
    e->opened_ns += 20; /* as if the clock had gone back */
    ep_clock(e);
    assert_int_equal(e->now_ps, 50000);
    e->opened_ns += SECOND;
    ep_clock(e);
    assert_int_equal(e->now_ps, 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_earlier_instant_replaces_the_later, setup, teardown),
        cmocka_unit_test_setup_teardown(replaced_entries_are_removed_before_the_heap_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(the_clock_never_runs_backwards, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/timer", tests, NULL, NULL);
}
