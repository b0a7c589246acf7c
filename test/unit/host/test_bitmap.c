/* test/unit/host/test_bitmap.c - bitmaps of packets: which bits survive growth, and what memory it takes. */
#include "pair.h"

static struct pair *p;
static struct weir_host *h;
static uint64_t own[HOST_BITMAP_UNITS];

static void start(uint32_t window_pkts)
{
    p = pair_reset();
    p->cfg.params.window_pkts = window_pkts;
    pair_start(p);
    h = p->host[0];
}

static void a_bitmap_begins_as_large_as_the_window_up_to_8192_packets(void **state)
{
    static const uint32_t sizes[][2] = { { 64, 1 },     { 65, 2 },     { 128, 2 },    { 1000, 16 },
                                         { 8191, 128 }, { 8192, 128 }, { 8193, 128 }, { 262144, 128 } };
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        start(sizes[i][0]);
        assert_int_equal(h->bitmap_units, sizes[i][1]);
        struct host_bitmap b = host_bitmap_open(h, own);
        assert_true(host_bitmap_holds(&b, 64 * sizes[i][1]));
        assert_false(host_bitmap_holds(&b, 64 * sizes[i][1] + 1));
    }
}

/* Every third packet and the last one are noted; after each growth exactly these still are. */
static void growth_keeps_every_bit_wherever_the_edge_lies(void **state)
{
    static const uint32_t edges[] = { 0, 1, 63, 64, 8191, 8192, 12345, 0x7fffffc1, UINT32_MAX - 5000, UINT32_MAX };
    (void)state;
    for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++) {
        start(WEIR_HOST_WINDOW_PKTS_MAX);
        struct host_bitmap b = host_bitmap_open(h, own);
        uint32_t edge = edges[i], pkts = 64 * h->bitmap_units;
        for (uint32_t pkt = 0; pkt < pkts; pkt += 3)
            host_bit_flip(&b, edge + pkt);
        for (uint32_t held = pkts; held <= WEIR_HOST_WINDOW_PKTS_MAX; held *= 2) {
            assert_true(host_bitmap_room(h, &b, edge, held - 1));
            assert_int_equal(64 * (b.mask + 1), held);
            for (uint32_t pkt = 0; pkt < held; pkt++)
                assert_int_equal(host_bit(&b, edge + pkt), pkt < pkts && pkt % 3 == 0);
        }
        for (uint32_t w = 0; w < HOST_BITMAP_UNITS; w++)
            assert_int_equal(own[w], 0); /* as the next one to begin there expects */
    }
}

static void one_far_packet_takes_all_doublings_at_once(void **state)
{
    (void)state;
    start(WEIR_HOST_WINDOW_PKTS_MAX);
    struct host_bitmap b = host_bitmap_open(h, own);
    uint64_t before = h->stats.grown_bytes;
    assert_true(host_bitmap_room(h, &b, 77, 100001));
    assert_int_equal(h->stats.grown_bytes - before, (1 << 17) / 8);
    assert_int_equal(b.mask, (1 << 17) / 64 - 1);
}

static void what_one_bitmap_leaves_is_the_next_ones(void **state)
{
    struct host_bitmap b;
    uint64_t *first, before;
    (void)state;
    start(WEIR_HOST_WINDOW_PKTS_MAX);
    for (uint32_t pkts = 1 << 13; pkts <= 1 << 18; pkts *= 2) { /* not to be used by what is no bitmap */
        b = host_bitmap_open(h, own);
        assert_true(host_bitmap_room(h, &b, 0, pkts));
        host_bitmap_close(h, &b);
    }
    before = h->stats.grown_bytes;
    first = b.bits;
    for (uint32_t round = 0; round < 3; round++) {
        b = host_bitmap_open(h, own);
        for (uint32_t pkts = 1; pkts <= 1 << 18; pkts++)
            assert_true(host_bitmap_room(h, &b, 5, pkts));
        assert_ptr_equal(b.bits, first);
        for (uint32_t w = 0; w <= b.mask; w++)
            assert_int_equal(b.bits[w], 0);
        host_bitmap_close(h, &b);
    }
    assert_int_equal(h->stats.grown_bytes, before);
}

static void without_memory_a_bitmap_stays_as_it_is(void **state)
{
    (void)state;
    start(WEIR_HOST_WINDOW_PKTS_MAX);
    struct host_bitmap b = host_bitmap_open(h, own);
    host_bit_flip(&b, 4711);
    p->mem_limit = p->mem_used;
    assert_false(host_bitmap_room(h, &b, 4000, 8193));
    assert_ptr_equal(b.bits, own);
    assert_true(host_bit(&b, 4711));
    p->mem_limit = sizeof(pair_mem);
    assert_true(host_bitmap_room(h, &b, 4000, 8193));
    assert_true(host_bit(&b, 4711));
    assert_false(host_bit(&b, 4711 + 8192));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bitmap_begins_as_large_as_the_window_up_to_8192_packets),
        cmocka_unit_test(growth_keeps_every_bit_wherever_the_edge_lies),
        cmocka_unit_test(one_far_packet_takes_all_doublings_at_once),
        cmocka_unit_test(what_one_bitmap_leaves_is_the_next_ones),
        cmocka_unit_test(without_memory_a_bitmap_stays_as_it_is),
    };
    return cmocka_run_group_tests_name("host/bitmap", tests, NULL, NULL);
}
