/* test/unit/state/test_first_chunk.c - links whose FIFO is made with the first packet. */
#include "test/unit/sim_fixture.h"
#include "state/wake.h"

#define TWO STAR("2") PERM("1460 B") RUN_ALL
#define LANES STAR("2") "protocol: {name: sird}\n" PERM("1460 B") RUN_ALL

static struct sim_link *to_host(uint32_t host)
{
    return fix_port(0, host);
}

static uint32_t in_flight(const struct sim_link *link)
{
    const struct weir_pkt *at = NULL;
    uint32_t n = 0;
    while (fix_next(link, &at) != NULL)
        n++;
    return n;
}

static void a_link_without_a_packet_has_no_chunk(void **state)
{
    struct sim_thread *th = fix_make(TWO);
    (void)state;
    for (uint32_t l = 0; l < fix_setup.topo.link_count; l++) {
        assert_ptr_equal(sim_link_read(&fix_engine.link[l], SIM_LANE_FIRST), &fix_engine.never);
        assert_ptr_equal(fix_engine.link[l].write[SIM_LANE_FIRST], th->scratch);
        assert_false(sim_fifo_is_made(th->scratch));
        assert_int_equal(in_flight(&fix_engine.link[l]), 0);
    }
    assert_true(th->pool.made - th->pool.free_count == 1); /* the one that all share */
}

static void the_first_packet_makes_the_fifo_and_the_others_follow(void **state)
{
    struct sim_thread *th = fix_make(TWO);
    const struct weir_pkt *at = NULL, *pkt;
    (void)state;
    for (uint32_t seq = 0; seq < 3 * SIM_CHUNK_PKTS + 1; seq++) {
        struct weir_pkt sent = fix_pkt(1, 1000, seq);
        fix_fly(th, to_host(1), &sent, 5000 + seq);
        assert_true(sim_fifo_is_made(to_host(1)->write[SIM_LANE_FIRST]));
        assert_int_equal(in_flight(to_host(1)), seq + 1);
        assert_int_equal(sim_arrival(th->scratch), WEIR_NEVER); /* what it holds never arrives */
    }
    for (uint32_t seq = 0; seq < 3 * SIM_CHUNK_PKTS + 1; seq++) {
        pkt = fix_next(to_host(1), &at);
        assert_non_null(pkt);
        assert_int_equal(pkt->seq, seq);
        assert_int_equal(pkt->arrival_ps, 5000 + seq);
    }
    assert_int_equal(in_flight(to_host(0)), 0); /* the other link has none of it */
    sim_wake(th, to_host(1), 1);
    assert_int_equal(to_host(1)->wake[th->parity[to_host(1)->dst_group]], 5000); /* due at the first, not at the last */
}

/* Two packets of different links through the slot that both write into. */
static void links_do_not_get_each_others_packets(void **state)
{
    struct sim_thread *th = fix_make(TWO);
    const struct weir_pkt *at = NULL;
    struct weir_pkt a = fix_pkt(1, 1000, 11), b = fix_pkt(0, 500, 22);
    (void)state;
    fix_fly(th, to_host(1), &a, 100);
    fix_fly(th, to_host(0), &b, 200);
    assert_int_equal(fix_next(to_host(1), &at)->seq, 11);
    at = NULL;
    assert_int_equal(fix_next(to_host(0), &at)->seq, 22);
}

static void lanes_have_their_chunks_at_once(void **state)
{
    (void)state;
    (void)fix_make(LANES);
    assert_true(to_host(0)->kind.serve == SIM_SERVE_LANES);
    assert_true(sim_fifo_is_made(to_host(0)->write[SIM_LANE_FIRST]));
    assert_true(sim_fifo_is_made(to_host(0)->write[SIM_LANE_LOW]));
}

static uint32_t begun;

static void note_began(void *ctx)
{
    (void)ctx;
    begun++;
}

/* Time before is set-up: that of the engine, too. */
static void a_run_says_once_when_it_begins(void **state)
{
    (void)state;
    (void)fix_model(TWO);
    begun = 0;
    fix_options.began = note_began;
    assert_int_equal(fix_run_model(), 0);
    assert_int_equal(begun, 1);
    fix_options.threads = 4; /* of three nodes: refused, so nothing begins */
    assert_int_equal(fix_run_model(), WEIR_E_RANGE);
    assert_int_equal(begun, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_link_without_a_packet_has_no_chunk, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(the_first_packet_makes_the_fifo_and_the_others_follow, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(links_do_not_get_each_others_packets, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(lanes_have_their_chunks_at_once, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(a_run_says_once_when_it_begins, fix_begin, fix_end),
    };
    return cmocka_run_group_tests_name("state/first_chunk", tests, NULL, NULL);
}
