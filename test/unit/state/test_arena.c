/* test/unit/state/test_arena.c - memory of one thread: aligned, zeroed, never given twice, refused without harm. */
#include "test/unit/weir_test.h"
#include "state/arena.h"
#include <stdbool.h>
#include <string.h>

static struct weir_arena arena;

static int begin(void **state)
{
    (void)state;
    arena = (struct weir_arena){ 0 };
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_arena_free(&arena);
    return 0;
}

static bool all_zero(const unsigned char *memory, size_t size)
{
    size_t i = 0;
    while (i < size && memory[i] == 0)
        i++;
    return i == size;
}

static void every_size_comes_aligned_to_64_and_zeroed(void **state)
{
    uint64_t used = 0;
    (void)state;
    for (size_t size = 1; size <= 3000; size += 7) {
        unsigned char *got = weir_arena_take(&arena, size);
        assert_non_null(got);
        assert_int_equal((uintptr_t)got % 64, 0);
        assert_true(all_zero(got, size));
        memset(got, 0xff, size); /* what comes next must not lie here */
        used += (size + 63) / 64 * 64;
    }
    assert_int_equal(arena.used_bytes, used);
}

static void small_blocks_are_contiguous_in_steps_of_64(void **state)
{
    unsigned char *a, *b, *c;
    (void)state;
    a = weir_arena_take(&arena, 1);
    b = weir_arena_take(&arena, 64);
    c = weir_arena_take(&arena, 65);
    assert_ptr_equal(b, a + 64);
    assert_ptr_equal(c, a + 128);
    assert_ptr_equal(weir_arena_take(&arena, 1), a + 256);
}

static void a_large_request_leaves_the_block_of_small_ones_in_use(void **state)
{
    enum { LARGE = 5 << 20 };
    unsigned char *a, *large;
    (void)state;
    a = weir_arena_take(&arena, 64);
    large = weir_arena_take(&arena, LARGE);
    assert_non_null(large);
    assert_int_equal((uintptr_t)large % 64, 0);
    assert_true(all_zero(large, LARGE));
    memset(large, 0xff, LARGE);
    assert_ptr_equal(weir_arena_take(&arena, 64), a + 64);
    assert_int_equal(arena.used_bytes, LARGE + 128);
}

static void growth_never_gives_the_same_memory_twice(void **state)
{
    enum { PIECES = 4000, SIZE = 1000 }; /* four blocks of 1 MiB */
    static unsigned char *piece[PIECES];
    (void)state;
    for (uint32_t i = 0; i < PIECES; i++) {
        piece[i] = weir_arena_take(&arena, SIZE);
        assert_true(all_zero(piece[i], SIZE));
        memset(piece[i], (int)(i % 251 + 1), SIZE);
    }
    for (uint32_t i = 0; i < PIECES; i++) {
        assert_int_equal(piece[i][0], i % 251 + 1);
        assert_int_equal(piece[i][SIZE - 1], i % 251 + 1);
    }
    assert_int_equal(arena.used_bytes, PIECES * 1024);
}

static void sizes_that_do_not_fit_an_address_are_refused_and_harm_nothing(void **state)
{
    unsigned char *a = weir_arena_take(&arena, 64);
    (void)state;
    assert_null(weir_arena_take(&arena, SIZE_MAX));
    assert_null(weir_arena_take(&arena, SIZE_MAX - 63));
    assert_null(weir_arena_take(&arena, SIZE_MAX - 64));
    assert_int_equal(arena.used_bytes, 64);
    assert_ptr_equal(weir_arena_take(&arena, 64), a + 64);
}

static void an_arena_is_empty_after_it_was_freed_and_may_be_freed_again(void **state)
{
    (void)state;
    (void)weir_arena_take(&arena, 100);
    (void)weir_arena_take(&arena, 1 << 20);
    weir_arena_free(&arena);
    assert_null(arena.block);
    weir_arena_free(&arena);
    assert_non_null(weir_arena_take(&arena, 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_size_comes_aligned_to_64_and_zeroed, begin, end),
        cmocka_unit_test_setup_teardown(small_blocks_are_contiguous_in_steps_of_64, begin, end),
        cmocka_unit_test_setup_teardown(a_large_request_leaves_the_block_of_small_ones_in_use, begin, end),
        cmocka_unit_test_setup_teardown(growth_never_gives_the_same_memory_twice, begin, end),
        cmocka_unit_test_setup_teardown(sizes_that_do_not_fit_an_address_are_refused_and_harm_nothing, begin, end),
        cmocka_unit_test_setup_teardown(an_arena_is_empty_after_it_was_freed_and_may_be_freed_again, begin, end),
    };
    return cmocka_run_group_tests_name("sim/arena", tests, NULL, NULL);
}
