/* test/unit/endpoint/test_memory.c - budgets: what a block takes, what is kept, and that the limit holds. */
#include "test/unit/endpoint/endpoint_test.h"
#include <sys/resource.h>

static struct weir_ep owner; /* only its counters are used */

static void blocks_come_in_four_sizes_per_doubling(void **state)
{
    static const size_t asked[] = { 1, 64, 65, 80, 81, 112, 113, 128, 129, 1000, 1025, 10000000 };
    static const size_t given[] = { 64, 64, 80, 80, 96, 112, 128, 128, 160, 1024, 1280, 10485760 };
    struct ep_pool pool = { .limit = 1 << 24 };
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        size_t room = 0;
        void *block = ep_pool_take(&owner, &pool, asked[i], &room);
        assert_non_null(block);
        assert_int_equal(room, given[i]);
        assert_int_equal(pool.used, given[i]);
        ep_pool_give(&pool, block, room);
        assert_int_equal(pool.used, 0);
    }
    ep_pool_close(&pool);
    assert_int_equal(pool.kept, 0);
}

static void a_freed_block_is_the_next_one_of_its_size(void **state)
{
    struct ep_pool pool = { .limit = 4096 };
    size_t room;
    (void)state;
    void *first = ep_pool_take(&owner, &pool, 1000, &room);
    ep_pool_give(&pool, first, room);
    uint64_t before = owner.stats.allocations;
    assert_ptr_equal(ep_pool_take(&owner, &pool, 900, &room), first);
    assert_int_equal(owner.stats.allocations, before);
    ep_pool_give(&pool, first, room);
    ep_pool_close(&pool);
}

static void kept_blocks_are_freed_for_other_sizes_but_used_ones_are_not(void **state)
{
    struct ep_pool pool = { .limit = 4096 };
    size_t room, room2;
    (void)state;
    void *small = ep_pool_take(&owner, &pool, 1024, &room);
    ep_pool_give(&pool, small, room);
    assert_int_equal(pool.kept, 1024);
    void *large = ep_pool_take(&owner, &pool, 3584, &room);
    assert_non_null(large);
    assert_int_equal(pool.kept, 0); /* 1024 + 3584 would be above the limit */
    assert_null(ep_pool_take(&owner, &pool, 1024, &room2));
    assert_false(ep_pool_has(&pool, 513));
    assert_true(ep_pool_has(&pool, 512));
    ep_pool_give(&pool, large, room);
    ep_pool_close(&pool);
}

static void the_whole_budget_can_be_one_block(void **state)
{
    struct ep_pool pool = { .limit = 5000 };
    size_t room;
    (void)state;
    void *block = ep_pool_take(&owner, &pool, 5000, &room); /* the next size would be 5120 */
    assert_non_null(block);
    assert_int_equal(room, 5000);
    ep_pool_give(&pool, block, room);
    assert_int_equal(pool.kept, 0); /* of no size that is kept */
    assert_null(ep_pool_take(&owner, &pool, 5001, &room));
}

static void the_hosts_memory_is_zeroed_aligned_and_bounded(void **state)
{
    (void)state;
    owner.grown_most = 200000;
    unsigned char *a = ep_host_grow(&owner, 64), *b = ep_host_grow(&owner, 128);
    assert_int_equal((uintptr_t)a % 64, 0);
    assert_ptr_equal(b, a + 64);
    for (int i = 0; i < 192; i++)
        assert_int_equal(a[i], 0);
    assert_non_null(ep_host_grow(&owner, 100032));
    assert_null(ep_host_grow(&owner, 99840)); /* 192 + 100032 + 99840 = 200064 */
    assert_non_null(ep_host_grow(&owner, 99776));
    ep_host_free(&owner);
}

static void the_hosts_memory_is_reserved_and_the_heap_has_the_rest(void **state)
{
    static struct weir_ep own;
    (void)state;
    own.grown_most = 2 * 65536 + 64; /* of which 2 * 65536 are reserved */
    ep_host_reserve(&own);
    unsigned char *first = ep_host_grow(&own, 65536);
    assert_ptr_equal(first, own.reserved);
    assert_ptr_equal(ep_host_grow(&own, 65536), first + 65536);
    assert_int_equal(own.stats.allocations, 0);
    assert_null(ep_host_grow(&own, 128));
    assert_non_null(ep_host_grow(&own, 64));
    assert_int_equal(own.stats.allocations, 1);
    ep_host_free(&own);
}

/* An arena of at least this many bytes; without one, under a sanitizer, the test is left out. */
static struct ep_arena arena_of(uint64_t bytes)
{
    struct ep_arena a;
    ep_arena_open(&a, bytes);
    if (a.bytes == 0)
        skip();
    return a;
}

static void an_arena_has_twice_what_was_asked_for_as_a_power_of_two(void **state)
{
    static const uint64_t asked[] = { 1, 1 << 20, (1 << 20) + 1, UINT64_C(1) << 35, UINT64_C(1) << 46 };
    static const uint64_t given[] = { 1 << 21, 1 << 21, 1 << 22, EP_ARENA_MOST, EP_ARENA_MOST };
    (void)state;
    for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        struct ep_arena a = arena_of(asked[i]);
        assert_int_equal(a.bytes, given[i]);
        assert_int_equal(UINT64_C(64) << a.order, a.bytes);
        ep_arena_close(&a);
        assert_null(ep_arena_take(&a, 1));
    }
}

/* Who has little address space keeps it. */
static void without_address_space_nothing_is_reserved(void **state)
{
    struct rlimit before, some;
    struct ep_arena a;
    uint64_t bytes = 1 << 20;
    (void)state;
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    if (before.rlim_cur != RLIM_INFINITY)
        skip();
    some = before;
    some.rlim_cur = RLIM_INFINITY - 1;
    assert_int_equal(setrlimit(RLIMIT_AS, &some), 0);
    ep_arena_open(&a, 1 << 20);
    assert_null(ep_reserve(&bytes));
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(bytes, 0);
    assert_int_equal(a.bytes, 0);
    assert_false(ep_arena_owns(&a, &a));
    assert_null(ep_arena_take(&a, 1));
    bytes = 65535;
    assert_null(ep_reserve(&bytes)); /* less than 64 KiB */
    bytes = (1 << 17) - 1;
    void *base = ep_reserve(&bytes);
    assert_non_null(base);
    assert_int_equal(bytes, 1 << 16);
    ep_unreserve(base, bytes);
}

static void blocks_of_an_arena_take_the_lowest_place_and_become_one_again(void **state)
{
    struct ep_arena a = arena_of(1 << 20);
    (void)state;
    unsigned char *all = ep_arena_take(&a, a.bytes);
    assert_ptr_equal(all, a.base);
    assert_null(ep_arena_take(&a, 1));
    ep_arena_give(&a, all, a.bytes);
    assert_null(ep_arena_take(&a, a.bytes + 1));
    assert_ptr_equal(ep_arena_take(&a, 64), a.base);
    assert_ptr_equal(ep_arena_take(&a, 65), a.base + 128);
    assert_ptr_equal(ep_arena_take(&a, 64), a.base + 64);
    assert_ptr_equal(ep_arena_take(&a, 256), a.base + 256);
    assert_null(ep_arena_take(&a, a.bytes / 2 + 1)); /* one half is free, and not the other */
    assert_ptr_equal(ep_arena_take(&a, a.bytes / 2), a.base + a.bytes / 2);
    ep_arena_give(&a, a.base, 64);
    assert_ptr_equal(ep_arena_take(&a, 128), a.base + 512); /* its neighbour of 64 is in use */
    ep_arena_give(&a, a.base + 64, 64);
    assert_ptr_equal(ep_arena_take(&a, 128), a.base);
    assert_true(ep_arena_owns(&a, a.base) && ep_arena_owns(&a, a.base + a.bytes - 1));
    assert_false(ep_arena_owns(&a, a.base - 1) || ep_arena_owns(&a, a.base + a.bytes));
    ep_arena_close(&a);
}

enum { BLOCKS = 400 };

/* 100,000 blocks of random sizes come and go. Each has its own bytes, and at the end the arena is one block. */
static void blocks_of_an_arena_never_overlap(void **state)
{
    static unsigned char *block[BLOCKS];
    static uint64_t size[BLOCKS];
    struct ep_arena a = arena_of(1 << 20);
    uint64_t x = 88172645463325252u, refused = 0;
    (void)state;
    for (uint32_t n = 0; n < 100000; n++) {
        uint32_t i = (uint32_t)((x ^= x << 13, x ^= x >> 7, x ^= x << 17) % BLOCKS);
        if (block[i] == NULL) {
            size[i] = 1 + (x >> 20) % (64 << (x >> 60));
            block[i] = ep_arena_take(&a, size[i]);
            refused += block[i] == NULL;
            if (block[i] != NULL)
                block[i][0] = block[i][size[i] - 1] = (unsigned char)i;
            continue;
        }
        assert_int_equal(block[i][0], (unsigned char)i);
        assert_int_equal(block[i][size[i] - 1], (unsigned char)i);
        ep_arena_give(&a, block[i], size[i]);
        block[i] = NULL;
    }
    for (uint32_t i = 0; i < BLOCKS; i++)
        if (block[i] != NULL)
            ep_arena_give(&a, block[i], size[i]);
    assert_true(refused > 0 && refused < 50000);
    assert_non_null(ep_arena_take(&a, a.bytes));
    ep_arena_close(&a);
}

/* What lies between others is taken from the heap, and counted. The limit is as without an arena. */
static void the_heap_has_what_does_not_fit_into_the_arena(void **state)
{
    static struct weir_ep own;
    struct ep_pool pool;
    size_t room, small_room;
    (void)state;
    ep_pool_open(&pool, 1 << 20);
    if (pool.arena.bytes == 0)
        skip();
    assert_ptr_equal(ep_arena_take(&pool.arena, 1 << 20), pool.arena.base); /* half of it is in use */
    void *small = ep_pool_take(&own, &pool, 1000, &small_room);
    ep_pool_give(&pool, small, small_room);
    assert_int_equal(pool.kept, 1024); /* in the place of .. */
    void *large = ep_pool_take(&own, &pool, 768 << 10, &room);
    assert_ptr_equal(large, pool.arena.base + (1 << 20));
    assert_int_equal(pool.kept, 0);
    assert_int_equal(own.stats.allocations, 0);
    small = ep_pool_take(&own, &pool, 1000, &small_room);
    assert_false(ep_arena_owns(&pool.arena, small));
    assert_int_equal(own.stats.allocations, 1);
    assert_null(ep_pool_take(&own, &pool, 256 << 10, &room));
    ep_pool_give(&pool, small, small_room);
    ep_pool_give(&pool, large, 768 << 10);
    ep_pool_close(&pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_four_sizes_per_doubling),
        cmocka_unit_test(a_freed_block_is_the_next_one_of_its_size),
        cmocka_unit_test(kept_blocks_are_freed_for_other_sizes_but_used_ones_are_not),
        cmocka_unit_test(the_whole_budget_can_be_one_block),
        cmocka_unit_test(the_hosts_memory_is_zeroed_aligned_and_bounded),
        cmocka_unit_test(the_hosts_memory_is_reserved_and_the_heap_has_the_rest),
        cmocka_unit_test(an_arena_has_twice_what_was_asked_for_as_a_power_of_two),
        cmocka_unit_test(without_address_space_nothing_is_reserved),
        cmocka_unit_test(blocks_of_an_arena_take_the_lowest_place_and_become_one_again),
        cmocka_unit_test(blocks_of_an_arena_never_overlap),
        cmocka_unit_test(the_heap_has_what_does_not_fit_into_the_arena),
    };
    return cmocka_run_group_tests_name("endpoint/memory", tests, NULL, NULL);
}
