/* test/unit/state/test_records.c - a packet's block of telemetry records: the field that holds its address, and its
 * owners. */
#include "test/unit/weir_test.h"
#include "state/records.h"
#include <stdlib.h>

enum { MAX = 5 };

static struct weir_arena arena;
static struct sim_pool pool;
static struct sim_depot *depot;
static jmp_buf failed;

static int begin(void **state)
{
    (void)state;
    depot = weir_sim_depot_new();
    assert_non_null(depot);
    arena = (struct weir_arena){ 0 };
    pool = sim_records_pool(MAX, &arena, depot);
    pool.on_failure = &failed;
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_arena_free(&arena);
    weir_sim_depot_free(depot);
    return 0;
}

static uint64_t in_use(void)
{
    return pool.made - pool.free_count;
}

static void add(struct weir_pkt *pkt, uint64_t ts_ps)
{
    const struct weir_telemetry record = weir_telemetry_pack(ts_ps, 2 * ts_ps, 3, 4);
    sim_records_add(&pool, pkt, &record);
}

static void taking_the_block_restores_the_send_time(void **state)
{
    struct weir_pkt pkt = { .sent_ps = UINT64_C(0xabcd123456789abc), .kind = WEIR_PKT_DATA, .dst = 77 };
    struct sim_records *records;
    (void)state;
    add(&pkt, 10);
    assert_int_equal(in_use(), 1);
    pkt.qdelay = 0x4321; /* a switch may raise it meanwhile */
    add(&pkt, 20);
    assert_int_equal(in_use(), 1);
    assert_int_equal(pkt.hops, 2);
    assert_int_equal(pkt.kind, WEIR_PKT_DATA);
    assert_int_equal(pkt.dst, 77);
    records = sim_records_detach(&pkt);
    assert_int_equal(pkt.sent_ps, UINT64_C(0x4321123456789abc));
    assert_int_equal(records->record[0].ts_ps, 10);
    assert_int_equal(records->record[1].ts_ps, 20);
    assert_int_equal(records->record[1].tx_low, 40);
    sim_records_give(&pool, records);
    assert_int_equal(in_use(), 0);
}

static void a_block_has_room_for_all_records_and_no_more(void **state)
{
    struct weir_pkt a = { .sent_ps = 1 }, b = { .sent_ps = 2 };
    (void)state;
    for (uint32_t i = 0; i < MAX; i++) {
        add(&a, 100 + i);
        add(&b, 200 + i);
    }
    for (uint32_t i = 0; i < MAX; i++) {
        assert_int_equal(sim_records_of(&a)->record[i].ts_ps, 100 + i);
        assert_int_equal(sim_records_of(&b)->record[i].ts_ps, 200 + i);
    }
    assert_int_equal(labs((char *)sim_records_of(&a) - (char *)sim_records_of(&b)), (MAX + 1) * 16);
}

static void an_ack_takes_over_the_block_of_its_data(void **state)
{
    struct weir_pkt data = { .sent_ps = 5 }, ack = { .sent_ps = 6, .hops = 1 };
    struct sim_records *records;
    (void)state;
    add(&data, 10);
    records = sim_records_detach(&data);
    sim_records_attach(&ack, records, ack.hops);
    assert_int_equal(in_use(), 1);
    assert_ptr_equal(sim_records_detach(&ack), records);
    assert_int_equal(ack.sent_ps, 6);
    assert_int_equal(records->record[0].ts_ps, 10);
}

static void a_drop_frees_the_block_if_there_is_one(void **state)
{
    struct weir_pkt with = { .sent_ps = 5 }, without = { .sent_ps = 7 };
    (void)state;
    add(&with, 10);
    sim_records_drop(&pool, &without);
    assert_int_equal(in_use(), 1);
    sim_records_drop(&pool, &with);
    assert_int_equal(in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(taking_the_block_restores_the_send_time, begin, end),
        cmocka_unit_test_setup_teardown(a_block_has_room_for_all_records_and_no_more, begin, end),
        cmocka_unit_test_setup_teardown(an_ack_takes_over_the_block_of_its_data, begin, end),
        cmocka_unit_test_setup_teardown(a_drop_frees_the_block_if_there_is_one, begin, end),
    };
    return cmocka_run_group_tests_name("sim/records", tests, NULL, NULL);
}
