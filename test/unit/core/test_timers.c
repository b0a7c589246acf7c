/* test/unit/core/test_timers.c - timers against the simplest thing that can be right: a search of all entries. */
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "core/timers.h"

enum { MOST = 100, STEPS = 200000 };

static struct weir_heap_entry memory[MOST + MOST / 16 + 1], plain[MOST];
static uint32_t plain_count;
static struct weir_timers timers;

static int setup(void **state)
{
    (void)state;
    timers = WEIR_TIMERS_NONE;
    timers.heap.entry = memory;
    timers.heap.capacity = weir_timers_room(MOST);
    assert_int_equal(timers.heap.capacity, sizeof(memory) / sizeof(memory[0]));
    plain_count = 0;
    return 0;
}

static void set(uint64_t at_ps, uint64_t id)
{
    weir_timers_set(&timers, at_ps, id);
    plain[plain_count++] = (struct weir_heap_entry){ at_ps, id };
}

static uint32_t plain_first(void)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < plain_count; i++)
        first = weir_heap_before(&plain[i], &plain[first]) ? i : first;
    return first;
}

static void agree(void)
{
    assert_int_equal(timers.next_ps, plain_count > 0 ? plain[plain_first()].at_ps : WEIR_NEVER);
    assert_int_equal(timers.heap.count + timers.end - timers.first, plain_count);
    assert_true(timers.heap.count <= timers.first && timers.end <= timers.heap.capacity);
}

static struct weir_heap_entry take(void)
{
    uint32_t first = plain_first();
    struct weir_heap_entry want = plain[first], got = weir_timers_take(&timers);
    assert_int_equal(got.at_ps, want.at_ps);
    assert_int_equal(got.id, want.id);
    plain[first] = plain[--plain_count];
    return got;
}

/* Those that come after all others stand in the queue: no heap, whatever their number. */
static void timers_of_equal_delay_stay_in_the_queue(void **state)
{
    (void)state;
    for (uint64_t now = 0; now < 1000; now++) {
        set(now / 2 * 2 + 500, now);
        if (plain_count == MOST)
            assert_true(take().at_ps >= 500);
        assert_int_equal(timers.heap.count, 0);
        agree();
    }
}

static void earlier_timers_and_ties_of_a_lower_id_go_to_the_heap(void **state)
{
    static const uint64_t at[] = { 10, 10, 10, 7, 11, 10 }, id[] = { 3, 5, 4, 9, 1, 0 }, want[] = { 9, 0, 3, 4, 5, 1 };
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        set(at[i], id[i]);
    assert_int_equal(timers.end - timers.first, 3); /* (10, 3), (10, 5), (11, 1) */
    assert_int_equal(timers.heap.count, 3);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(take().id, want[i]);
    assert_int_equal(timers.next_ps, WEIR_NEVER);
}

static bool is_odd(void *ctx, const struct weir_heap_entry *e)
{
    (void)ctx;
    return e->id % 2 != 0;
}

static void keep_odd(void)
{
    uint32_t kept = 0;
    weir_timers_keep(&timers, is_odd, NULL);
    for (uint32_t i = 0; i < plain_count; i++)
        if (plain[i].id % 2 != 0)
            plain[kept++] = plain[i];
    plain_count = kept;
}

/* All mixtures of both, in memory that is nearly full: what runs into the other is moved. */
static void timers_expire_in_order_under_random_operations(void **state)
{
    uint64_t now_ps = 0, share = 0;
    (void)state;
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t random = weir_rng_at(7, i);
        if (i % 5000 == 0)
            share = random >> 32 & 255; /* of those set that come early */
        if (plain_count < MOST && (plain_count == 0 || (random & 1023) < 540))
            set(now_ps + ((random >> 16 & 255) < share ? random >> 24 & 63 : 64), i);
        else
            now_ps = take().at_ps;
        if ((random >> 40 & 4095) == 0)
            keep_odd();
        agree();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(timers_of_equal_delay_stay_in_the_queue, setup),
        cmocka_unit_test_setup(earlier_timers_and_ties_of_a_lower_id_go_to_the_heap, setup),
        cmocka_unit_test_setup(timers_expire_in_order_under_random_operations, setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
