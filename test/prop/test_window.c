/* test/prop/test_window.c - windows of 64 to 2^18 packets on a path that loses and reorders at random: every message is delivered and
 * finished once, no more than the window is in flight, scoreboards agree with the counts, and memory for bitmaps is bounded by
 * what the window needs. */
#include "test/unit/host/pipe.h"
#include "core/rng.h"

enum { RUNS = 60, SEED = 20260 };

static struct weir_rng rng;
static uint32_t loss_ppm, late_ppm, late_most;
static uint64_t slots; /* over all runs */

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static bool any_passes(struct pipe *q, const struct weir_pkt *pkt)
{
    (void)pkt;
    if (below(1000000) < late_ppm)
        q->late_slots = below(late_most);
    return below(1000000) >= loss_ppm;
}

static void check_now_and_then(struct pair *p)
{
    if (slots++ % 20000 != 0)
        return;
    for (uint32_t i = 0; i < host_stream_of(p->host[0])->flows.count; i++)
        pair_assert_flow(p->host[0], host_flow_at(p->host[0], i));
}

/* A window, a path that holds about as much, and its faults. Retransmissions of go-back-N are windows, so there few are lost. */
static struct pipe *any_pipe(uint32_t window)
{
    static const uint32_t losses[] = { 0, 10, 300, 10000 }, lates[] = { 0, 1000, 300000 };
    struct pipe *q = pipe_reset(window, 1 + window / 4 + below(window));
    struct weir_host_params *par = &q->p->cfg.params;
    loss_ppm = losses[below(4)];
    late_ppm = lates[below(3)];
    late_most = 1 + below(window / 2);
    par->reorder_pkts = 1 + below(weir_clamp_u32(window - 1, 1, 3000));
    par->ack_every = below(2) == 0 ? 1 : 1 + below(4);
    par->rto_min_ps = (4 * q->delay_slots + 100) * PIPE_SLOT_PS;
    par->rto_init_ps = 2 * par->rto_min_ps;
    par->rto_max_ps = 8 * par->rto_min_ps;
    par->reliability = below(4) == 0 ? WEIR_GO_BACK_N : WEIR_SELECTIVE;
    if (par->reliability == WEIR_GO_BACK_N)
        loss_ppm = below(2) * 1000000 / (10 * window), late_ppm = 0;
    if (below(2) == 0 && window < 4000) /* on a long path it takes losses for congestion, and lasts for ever */
        q->p->cfg.cc = &weir_dctcp_ops;
    q->p->dctcp.init_cwnd.bytes = window * PAIR_MSS;
    q->p->cfg.seed = weir_rng_next(&rng);
    q->passes = any_passes;
    q->p->after = check_now_and_then;
    return q;
}

/* Per connection the bitmaps of every size up to the window's, and little besides: its records, and what waits to leave. */
static void check_memory(const struct pipe *q, uint32_t window, uint32_t connections)
{
    uint32_t bits = window < 8192 ? 16384 : 4 * window; /* twice the next power of two */
    uint64_t sender = weir_host_stats(q->p->host[0])->grown_bytes,
             receiver = weir_host_stats(q->p->host[1])->grown_bytes;
    assert_true(sender <= 65536 + connections * UINT64_C(2) * bits / 8);
    assert_true(receiver <=
                65536 + connections * UINT64_C(1) * bits / 8 + q->p->host[1]->acks.capacity * UINT64_C(128));
}

static void every_window_gets_everything_across_once(void **state)
{
    uint64_t pkts = 0, again = 0, timeouts = 0, full = 0, large = 0;
    (void)state;
    print_message("seed %d, %d runs\n", SEED, RUNS);
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 1, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t octave = 6 + run % 12, window = (1u << octave) + below((1u << octave) + 1); /* 64 .. 2^18 */
        struct pipe *q = any_pipe(window);
        uint32_t msgs = 1 + below(3);
        uint64_t bytes = 0;
        pipe_start(q, below(2) == 0 ? 0 : UINT32_MAX - below(2 * window));
        for (uint32_t m = 0; m < msgs; m++) {
            uint64_t size = 1 + weir_rng_next(&rng) % (5 * window * PAIR_MSS / msgs);
            bytes += size;
            pair_send(q->p, m, size);
        }
        pipe_run(q, msgs);
        pair_assert_done(q->p, msgs);
        check_memory(q, window, msgs);
        const struct weir_host_stats *tx = weir_host_stats(q->p->host[0]), *rx = weir_host_stats(q->p->host[1]);
        assert_true(q->inflight_most <= window);
        assert_int_equal(rx->rx_new_bytes, bytes);
        assert_int_equal(tx->tx_acked_bytes, bytes);
        assert_int_equal(tx->refused_pkts + rx->refused_pkts, 0);
        full += q->inflight_most == window;
        large += q->p->host[0]->spare[HOST_BITMAP_SPARES - 1] != NULL;
        pkts += tx->tx_data_pkts, again += tx->retransmissions, timeouts += tx->timeouts;
    }
    print_message("%ju packets, %ju sent again, %ju timeouts; %ju runs filled their window, %ju had bitmaps of 2^18\n",
                  (uintmax_t)pkts, (uintmax_t)again, (uintmax_t)timeouts, (uintmax_t)full, (uintmax_t)large);
    assert_true(again > 1000 && timeouts > 10 && full > RUNS / 4 && large > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_window_gets_everything_across_once) };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
