/* test/unit/state/test_fifo.c - order across chunks, the empty slot where a reader stops, and chunks that are used
 * again. */
#include "test/unit/weir_test.h"
#include "state/fifo.h"

static struct weir_arena arena[2];
static struct sim_pool pool[2];
static struct sim_depot *depot;
static jmp_buf failed;
static struct weir_pkt *read_at, *write_at;

static int begin(void **state)
{
    (void)state;
    depot = weir_sim_depot_new();
    assert_non_null(depot);
    for (int i = 0; i < 2; i++) {
        arena[i] = (struct weir_arena){ 0 };
        pool[i] = sim_chunk_pool(&arena[i], depot);
        pool[i].on_failure = &failed;
    }
    read_at = write_at = sim_fifo_init(&pool[0]);
    return 0;
}

static int end(void **state)
{
    (void)state;
    weir_arena_free(&arena[0]);
    weir_arena_free(&arena[1]);
    weir_sim_depot_free(depot);
    return 0;
}

static void put(uint32_t seq, uint64_t arrival_ps)
{
    struct weir_pkt pkt = { .seq = seq, .sent_ps = 7, .wire_bytes = 1538, .flags = WEIR_PKT_ECT };
    sim_copy_body(write_at, &pkt);
    write_at = sim_fifo_publish(&pool[0], write_at, arrival_ps);
}

/* Takes n packets; their chunks go to a pool. */
static void take(uint32_t n, uint32_t seq, struct sim_pool *to)
{
    struct sim_chunk *drained = NULL;
    for (uint32_t i = 0; i < n; i++, seq++) {
        assert_int_equal(sim_arrival(read_at), 1000 + seq);
        assert_int_equal(read_at->seq, seq);
        assert_int_equal(read_at->sent_ps, 7);
        assert_int_equal(read_at->wire_bytes, 1538);
        assert_int_equal(read_at->flags, WEIR_PKT_ECT);
        read_at = sim_fifo_advance(read_at, &drained);
    }
    sim_chunk_give_all(to, drained);
}

static void an_empty_fifo_returns_never(void **state)
{
    (void)state;
    assert_int_equal(sim_arrival(read_at), WEIR_NEVER);
    put(0, 1000);
    assert_int_equal(sim_arrival(read_at), 1000);
    assert_int_equal(sim_arrival(write_at), WEIR_NEVER); /* so does the slot behind the last packet */
    take(1, 0, &pool[0]);
    assert_ptr_equal(read_at, write_at);
    assert_int_equal(sim_arrival(read_at), WEIR_NEVER);
}

static void order_and_contents_hold_across_the_borders_of_chunks(void **state)
{
    (void)state;
    for (uint32_t seq = 0; seq < 5 * SIM_CHUNK_PKTS; seq++)
        put(seq, 1000 + seq);
    take(5 * SIM_CHUNK_PKTS, 0, &pool[0]);
    assert_ptr_equal(read_at, write_at);
    assert_int_equal(sim_arrival(read_at), WEIR_NEVER);
}

static void a_border_between_reader_and_writer_is_passed_one_by_one(void **state)
{
    (void)state;
    for (uint32_t seq = 0; seq < 3 * SIM_CHUNK_PKTS + 1; seq++) {
        put(seq, 1000 + seq);
        assert_int_equal(sim_arrival(write_at), WEIR_NEVER);
        take(1, seq, &pool[0]);
    }
}

static void packets_of_a_chunk_end_at_a_multiple_of_1_kib(void **state)
{
    (void)state;
    assert_int_equal((uintptr_t)&sim_chunk_of(read_at)->pkt[SIM_CHUNK_PKTS] % 1024, 0);
    assert_ptr_equal(read_at, &sim_chunk_of(read_at)->pkt[0]);
    assert_ptr_equal(sim_chunk_of(&sim_chunk_of(read_at)->pkt[SIM_CHUNK_PKTS - 1]), sim_chunk_of(read_at));
}

static void a_drained_chunk_is_the_next_one_used(void **state)
{
    struct sim_chunk *first = sim_chunk_of(read_at);
    (void)state;
    for (uint32_t seq = 0; seq < SIM_CHUNK_PKTS; seq++)
        put(seq, 1000 + seq);
    take(SIM_CHUNK_PKTS, 0, &pool[0]); /* the last slot of the first chunk: done with */
    assert_ptr_equal(pool[0].free, &first->spare);
    for (uint32_t seq = SIM_CHUNK_PKTS; seq < 2 * SIM_CHUNK_PKTS; seq++)
        put(seq, 1000 + seq);
    assert_ptr_equal(sim_chunk_of(write_at), first);
}

static void a_pool_allocates_one_batch_for_any_number_of_transient_packets(void **state)
{
    (void)state;
    for (uint32_t seq = 0; seq < 100000; seq += 50) {
        for (uint32_t i = 0; i < 50; i++)
            put(seq + i, 1000 + seq + i);
        take(50, seq, &pool[0]);
    }
    assert_int_equal(pool[0].made, SIM_POOL_BATCH);
    assert_int_equal(pool[0].free_count, SIM_POOL_BATCH - 1); /* all but the one in use */
}

/* The reader's pool keeps four batches, then gives one to the depot: from then on the writer takes what the reader
 * gives. */
static void two_pools_exchange_chunks_through_the_depot(void **state)
{
    (void)state;
    for (uint32_t seq = 0; seq < 2000 * SIM_CHUNK_PKTS; seq++) {
        put(seq, 1000 + seq);
        take(1, seq, &pool[1]);
    }
    assert_int_equal(pool[0].made, 5 * SIM_POOL_BATCH);
    assert_int_equal(pool[1].made, 0);
    assert_true(pool[1].free_count <= 4 * SIM_POOL_BATCH);
}

static void a_pool_that_spills_keeps_all_it_had_but_one_batch(void **state)
{
    static struct sim_chunk *held[4 * SIM_POOL_BATCH + 1];
    uint64_t listed = 0;
    (void)state;
    for (uint32_t i = 0; i < 4 * SIM_POOL_BATCH + 1; i++)
        held[i] = sim_chunk_take(&pool[0]);
    for (uint32_t i = 0; i < 4 * SIM_POOL_BATCH + 1; i++)
        sim_chunk_give(&pool[1], held[i]);
    assert_int_equal(pool[1].free_count, 3 * SIM_POOL_BATCH + 1);
    for (const struct sim_spare *s = pool[1].free; s != NULL; s = s->next)
        listed++;
    assert_int_equal(listed, pool[1].free_count);
    assert_int_equal(weir_sim_depot_count(depot), SIM_POOL_BATCH);
    assert_ptr_equal(weir_sim_pool_refill(&(struct sim_pool){ .depot = depot, .on_failure = &failed }),
                     &held[4 * SIM_POOL_BATCH]->spare); /* the batch that was on top; no arena was asked */
    assert_int_equal(weir_sim_depot_count(depot), 0);
}

/* Of 100 packets in three chunks the last 60 are taken back: the others are as they were, the chunk that is empty can
 * be used again. */
static void unread_packets_can_be_taken_back(void **state)
{
    struct weir_pkt *first;
    uint64_t made;
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        put(i, 1000 + i);
    made = pool[0].made;
    assert_int_equal(sim_fifo_back(write_at, 1)->seq, 99);
    assert_int_equal(sim_fifo_back(write_at, 100)->seq, 0);
    assert_ptr_equal(sim_fifo_back(write_at, 0), write_at);
    first = sim_fifo_back(write_at, 60);
    assert_int_equal(first->seq, 40);
    sim_fifo_unpublish(&pool[0], first, write_at);
    write_at = first;
    for (uint32_t i = 40; i < 100; i++)
        put(i, 1000 + i);
    take(100, 0, &pool[1]);
    assert_int_equal(sim_arrival(read_at), WEIR_NEVER);
    assert_int_equal(pool[0].made, made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_fifo_returns_never, begin, end),
        cmocka_unit_test_setup_teardown(order_and_contents_hold_across_the_borders_of_chunks, begin, end),
        cmocka_unit_test_setup_teardown(a_border_between_reader_and_writer_is_passed_one_by_one, begin, end),
        cmocka_unit_test_setup_teardown(packets_of_a_chunk_end_at_a_multiple_of_1_kib, begin, end),
        cmocka_unit_test_setup_teardown(a_drained_chunk_is_the_next_one_used, begin, end),
        cmocka_unit_test_setup_teardown(a_pool_allocates_one_batch_for_any_number_of_transient_packets, begin, end),
        cmocka_unit_test_setup_teardown(two_pools_exchange_chunks_through_the_depot, begin, end),
        cmocka_unit_test_setup_teardown(a_pool_that_spills_keeps_all_it_had_but_one_batch, begin, end),
        cmocka_unit_test_setup_teardown(unread_packets_can_be_taken_back, begin, end),
    };
    return cmocka_run_group_tests_name("sim/fifo", tests, NULL, NULL);
}
