/* test/unit/switch/test_pool.c - a pool of packets takes its memory in blocks of 1024, and no more than it may have. */
#include "test/unit/weir_test.h"
#include "switch/pool.h"
#include <stdlib.h>

static void *block[2];
static size_t bytes[2];
static uint32_t blocks;

static void *grow(void *ctx, size_t size)
{
    (void)ctx;
    assert_true(blocks < 2);
    bytes[blocks] = size;
    block[blocks] = calloc(1, size + 64);
    return (void *)(((uintptr_t)block[blocks++] + 63) & ~(uintptr_t)63);
}

/* Packets that a pool hands out until it would need another block. */
static uint32_t take_all(struct weir_switch_pool *pool)
{
    uint32_t n = 0;
    for (; pool->free != NULL; n++)
        assert_non_null(weir_switch_pkt_take(pool));
    return n;
}

static void a_pool_has_no_packet_more_than_it_may(void **state)
{
    static const struct weir_mem mem = { .grow = grow };
    static const struct {
        uint32_t most, first, second;
    } rows[] = { { 1023, 1023, 0 }, { 1024, 1024, 0 }, { 1025, 1024, 1 } };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct weir_switch_pool pool;
        blocks = 0;
        weir_switch_pool_init(&pool, &mem, rows[i].most, false);
        assert_true(weir_switch_pool_grow(&pool));
        assert_int_equal(bytes[0], rows[i].first * pool.stride);
        assert_int_equal(take_all(&pool), rows[i].first);
        assert_true(weir_switch_pool_grow(&pool) == (rows[i].second > 0));
        assert_int_equal(take_all(&pool), rows[i].second);
        while (blocks > 0)
            free(block[--blocks]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_pool_has_no_packet_more_than_it_may) };
    return cmocka_run_group_tests_name("switch/pool", tests, NULL, NULL);
}
