/* test/unit/host/test_table.c - room that grows: records that never move, pools, maps and rings. */
#include "pair.h"

static struct weir_host *h;

static int setup(void **state)
{
    (void)state;
    struct pair *p = pair_reset();
    pair_start(p);
    h = p->host[0];
    return 0;
}

static void records_never_move_and_begin_zeroed(void **state)
{
    struct host_table t = { .stride = 64, .free = HOST_NONE };
    static void *at[1000];
    uint32_t index;
    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        at[i] = host_table_add(h, &t, HOST_BLOCK_SHIFT, &index);
        assert_int_equal(index, i);
        assert_int_equal((uintptr_t)at[i] % 64, 0);
        assert_int_equal(*(uint64_t *)at[i], 0);
        *(uint64_t *)at[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        assert_ptr_equal(host_at(&t, HOST_BLOCK_SHIFT, i), at[i]);
        assert_int_equal(*(uint64_t *)at[i], i);
    }
}

static void a_pool_hands_out_what_was_given_back_last(void **state)
{
    struct host_table t = { .stride = 64, .free = HOST_NONE };
    uint32_t a, b, c;
    (void)state;
    void *first = host_pool_take(h, &t, 0, &a), *second = host_pool_take(h, &t, 0, &b);
    host_pool_give(&t, first, a);
    host_pool_give(&t, second, b);
    assert_ptr_equal(host_pool_take(h, &t, 0, &c), second);
    assert_int_equal(*(uint32_t *)second, 0);
    assert_ptr_equal(host_pool_take(h, &t, 0, &c), first);
    assert_int_equal(host_pool_take(h, &t, 0, &c) != NULL, 1);
    assert_int_equal(c, 2);
}

static void a_map_holds_every_tag_it_was_given(void **state)
{
    struct host_map map = { 0 };
    (void)state;
    for (uint32_t i = 0; i < 5000; i++)
        assert_true(host_map_put(h, &map, weir_mix_u32(i % 4000), i)); /* some tags twice */
    uint32_t slots = 1u << (32 - map.shift), found = 0;
    assert_true(3 * map.count <= 2 * slots);
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t tag = weir_mix_u32(i % 4000), at = tag >> map.shift;
        while (map.slot[at].value != i + 1) {
            assert_int_not_equal(map.slot[at].value, 0); /* no hole on the way */
            at = (at + 1) & (slots - 1);
        }
        found += map.slot[at].tag == tag;
    }
    assert_int_equal(found, 5000);
}

static bool in_map(const struct host_map *map, uint32_t tag, uint32_t index)
{
    uint32_t at = tag >> map->shift;
    while (map->slot[at].value != 0 && map->slot[at].value != index + 1)
        at = (at + 1) & (UINT32_MAX >> map->shift);
    return map->slot[at].value != 0;
}

/* As full as a map gets, in groups that run into each other and over its end. */
static void what_is_removed_from_a_map_hides_nothing_else(void **state)
{
    enum { ENTRIES = 340 }; /* of 512 slots */
    static bool there[ENTRIES];
    struct host_map map = { 0 };
    uint64_t x = 88172645463325252u;
    (void)state;
    for (uint32_t step = 0; step < 4000; step++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        uint32_t i = (uint32_t)(x % ENTRIES),
                 tag = weir_mix_u32(i / 3) | 0xc0000000; /* the last quarter, some tags thrice */
        if (there[i])
            host_map_remove(&map, tag, i);
        else
            assert_true(host_map_put(h, &map, tag, i));
        there[i] = !there[i];
        for (uint32_t j = 0; j < ENTRIES; j += step < 100 ? 1 : 7)
            assert_int_equal(in_map(&map, weir_mix_u32(j / 3) | 0xc0000000, j), there[j]);
    }
}

static void a_ring_keeps_its_order_when_it_grows(void **state)
{
    struct host_ring ring = { 0 };
    uint32_t in = 0, taken = 0;
    (void)state;
    while (in < 3000) {
        for (uint32_t i = 0; i < 3; i++) {
            assert_true(host_ring_room(h, &ring, sizeof(uint32_t), ring.count + 1, 2000));
            *(uint32_t *)host_ring_at(&ring, ring.count++, sizeof(uint32_t)) = in++;
        }
        assert_int_equal(*(uint32_t *)host_ring_at(&ring, 0, sizeof(uint32_t)), taken++);
        host_ring_drop(&ring);
        if (ring.count > 1900)
            break;
    }
    assert_true(taken > 900);
    assert_false(host_ring_room(h, &ring, sizeof(uint32_t), 4000, 2000)); /* over its limit */
    for (; ring.count > 0; host_ring_drop(&ring))
        assert_int_equal(*(uint32_t *)host_ring_at(&ring, 0, sizeof(uint32_t)), taken++);
    assert_int_equal(taken, in);
}

static void without_memory_nothing_changes(void **state)
{
    struct host_table t = { .stride = 64, .free = HOST_NONE };
    struct host_map map = { 0 };
    struct host_ring ring = { 0 };
    struct weir_heap heap = { 0 };
    uint32_t index;
    (void)state;
    pair_.mem_limit = pair_.mem_used;
    assert_null(host_table_add(h, &t, HOST_BLOCK_SHIFT, &index));
    assert_null(host_pool_take(h, &t, 0, &index));
    assert_false(host_map_put(h, &map, 1, 1));
    assert_false(host_ring_room(h, &ring, 64, 1, 100));
    assert_false(host_heap_room(h, &heap, 1));
    assert_int_equal(t.count + map.count + ring.capacity + heap.capacity, 0);
    pair_.mem_limit = sizeof(pair_mem);
    assert_non_null(host_table_add(h, &t, HOST_BLOCK_SHIFT, &index));
    assert_true(host_heap_room(h, &heap, 100));
    assert_true(heap.capacity >= 100 && heap.capacity <= 125);
}

static void an_active_flow_costs_at_most_256_bytes(void **state)
{
    (void)state;
    enum { FLOWS = 2000 };
    uint64_t before[2] = { weir_host_stats(pair_.host[0])->grown_bytes, weir_host_stats(pair_.host[1])->grown_bytes };
    pair_.cfg.params.connections = FLOWS;
    for (uint32_t m = 0; m < FLOWS; m++)
        pair_send(&pair_, m, 40 * PAIR_MSS);
    pair_run(&pair_, 500 * PAIR_US);
    assert_int_equal(weir_host_stats(pair_.host[0])->connections, FLOWS);
    assert_int_equal(weir_host_stats(pair_.host[1])->rx_connections, FLOWS);
    uint64_t grown = weir_host_stats(pair_.host[0])->grown_bytes - before[0] +
                     weir_host_stats(pair_.host[1])->grown_bytes - before[1];
    print_message("%.1f bytes per flow, both ends\n", (double)grown / FLOWS);
    assert_true(grown <= UINT64_C(256) * FLOWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(records_never_move_and_begin_zeroed, setup),
        cmocka_unit_test_setup(a_pool_hands_out_what_was_given_back_last, setup),
        cmocka_unit_test_setup(a_map_holds_every_tag_it_was_given, setup),
        cmocka_unit_test_setup(what_is_removed_from_a_map_hides_nothing_else, setup),
        cmocka_unit_test_setup(a_ring_keeps_its_order_when_it_grows, setup),
        cmocka_unit_test_setup(without_memory_nothing_changes, setup),
        cmocka_unit_test_setup(an_active_flow_costs_at_most_256_bytes, setup),
    };
    return cmocka_run_group_tests_name("host/table", tests, NULL, NULL);
}
