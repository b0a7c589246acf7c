/* test/unit/endpoint/test_memory.c - budgets: what a block takes, what is kept, and that the limit holds. */
#include "test/unit/endpoint/endpoint_test.h"

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
    ep_pool_clear(&pool);
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
    ep_pool_clear(&pool);
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
    ep_pool_clear(&pool);
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
    assert_null(ep_host_grow(&owner, 65600)); /* 65536 + 100032 + 65600 > 200000 */
    ep_chunks_free(&owner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_come_in_four_sizes_per_doubling),
        cmocka_unit_test(a_freed_block_is_the_next_one_of_its_size),
        cmocka_unit_test(kept_blocks_are_freed_for_other_sizes_but_used_ones_are_not),
        cmocka_unit_test(the_whole_budget_can_be_one_block),
        cmocka_unit_test(the_hosts_memory_is_zeroed_aligned_and_bounded),
    };
    return cmocka_run_group_tests_name("endpoint/memory", tests, NULL, NULL);
}
