/* test/prop/test_host.c - two hosts over a network that loses, copies and delays at random: every message is delivered
 * exactly once and finished exactly once, the law's window is obeyed, the books balance after every instant. */
#include "test/unit/host/pair.h"
#include "core/rng.h"

enum { RUNS = 250, SEED = 20250 };

static struct weir_rng rng;
static struct weir_cc_ops ops;
static uint64_t loss_ppm, copy_ppm, late_ppm, late_most_ps;

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static enum pair_fate any_fate(struct pair *p, const struct weir_pkt *pkt)
{
    if (below(10) == 0 && pkt->flags & WEIR_PKT_ECT)
        ((struct weir_pkt *)pkt)->flags |= WEIR_PKT_CE;
    if (below(1000000) < late_ppm)
        p->late_ps = below((uint32_t)late_most_ps);
    if (below(1000000) < loss_ppm)
        return PAIR_DROP;
    return below(1000000) < copy_ppm ? PAIR_TWICE : PAIR_PASS;
}

static uint64_t rate_bps; /* of the run; every third is paced */

static void init_paced(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    weir_dctcp_ops.init(cc, config, path);
    cc->rate_bps = rate_bps;
}

/* New data leaves only into an open window; what is repaired may exceed a window that was cut meanwhile. */
static void check_window(struct weir_cc *cc, const void *config, const struct weir_sent *sent)
{
    const struct host_flow *f = (const struct host_flow *)cc - 1;
    (void)config;
    if (!sent->is_retransmission)
        assert_true(f->inflight_bytes <= cc->cwnd_bytes || f->inflight_bytes == sent->bytes);
}

static void check_flow(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    uint32_t inflight = 0, lost = 0;
    assert_true(f->next - f->una <= WEIR_HOST_WINDOW_PKTS);
    for (uint32_t pkt = f->una; pkt != f->next; pkt++) {
        bool got = b != NULL && host_bit(b->got, pkt), is_lost = b != NULL && host_bit(b->lost, pkt);
        assert_false(got && is_lost);
        lost += is_lost;
        inflight += got || is_lost ? 0 : host_pkt_bytes(h, f, pkt);
    }
    assert_int_equal(f->inflight_bytes, inflight);
    assert_int_equal(b == NULL ? 0 : b->lost_pkts, lost);
    if (f->next != f->una)
        assert_true(f->since_ps != WEIR_NEVER && f->flags & HOST_TIMED); /* nothing hangs without a timer */
}

static void check_books(struct pair *p)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < p->host[0]->flows.count; i++) {
        const struct host_flow *f = host_flow_at(p->host[0], i);
        check_flow(p->host[0], f);
        ready += (f->flags & HOST_READY) != 0;
    }
    assert_int_equal(p->host[0]->ready_count, ready);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts + weir_host_stats(p->host[1])->refused_pkts, 0);
    assert_true(p->finishes <= p->deliveries);
}

/* A network and a host of random properties; most runs are mild, some are cruel. */
static struct pair *any_pair(void)
{
    static const uint32_t chance[] = { 0, 0, 1000, 20000, 100000, 300000 };
    struct pair *p = pair_reset();
    struct weir_host_params *par = &p->cfg.params;
    loss_ppm = chance[below(6)];
    copy_ppm = chance[below(6)];
    late_ppm = chance[below(6)];
    late_most_ps = 1 + below(40 * (uint32_t)PAIR_US);
    ops = weir_dctcp_ops;
    ops.on_sent = check_window;
    ops.init = init_paced;
    rate_bps = below(3) == 0 ? UINT64_C(1000000000) * (1 + below(99)) : WEIR_RATE_OPEN;
    p->cfg.cc = &ops;
    p->cfg.seed = weir_rng_next(&rng);
    p->cfg.hash = (enum weir_host_hash)below(3);
    p->dctcp.init_cwnd.bytes = PAIR_MSS * (1 + below(60));
    p->dctcp.min_cwnd_pkts = 1 + below(2);
    p->dctcp.restart = below(2);
    p->dctcp.grow_always = below(2);
    par->connections = 1 + below(5);
    par->reply_bytes = below(2) * 4;
    par->ack_every = below(2) == 0 ? 1 : 1 + below(5);
    par->reorder_pkts = 1 + below(20);
    par->rto_min_ps = (20 + below(200)) * PAIR_US;
    par->rto_init_ps = par->rto_min_ps * (1 + below(3));
    par->rto_max_ps = par->rto_init_ps * (1 + below(8));
    p->delay_ps = 1 + below(5 * (uint32_t)PAIR_US);
    p->fate = any_fate;
    p->after = check_books;
    return p;
}

static void every_message_arrives_once_and_ends_once(void **state)
{
    uint64_t pkts = 0, again = 0, copies = 0, timeouts = 0;
    (void)state;
    print_message("seed %d, %d runs\n", SEED, RUNS);
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 0, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++) {
        struct pair *p = any_pair();
        uint32_t msgs = 1 + below(30);
        uint64_t bytes = 0;
        pair_start(p);
        p->host[0]->first_index = below(2) == 0 ? 0 : (uint32_t)weir_rng_next(&rng) | 0xffffff00;
        for (uint32_t m = 0; m < msgs; m++) {
            uint32_t size = 1 + below(below(3) == 0 ? 200 * PAIR_MSS : 5 * PAIR_MSS);
            bytes += size;
            pair_send(p, m, size);
            pair_run(p, p->now_ps + below(30 * (uint32_t)PAIR_US));
        }
        pair_run(p, WEIR_NEVER);
        pair_assert_done(p, msgs);
        const struct weir_host_stats *tx = weir_host_stats(p->host[0]), *rx = weir_host_stats(p->host[1]);
        assert_int_equal(rx->rx_new_bytes, bytes);
        assert_int_equal(tx->tx_acked_bytes, bytes);
        assert_int_equal(tx->tx_done_bytes, bytes);
        assert_int_equal(tx->retransmissions, p->retransmitted);
        assert_true(tx->connections <= p->cfg.params.connections);
        assert_true(p->host[0]->boards.count <= tx->connections && p->host[1]->gaps.count <= rx->rx_connections);
        assert_true(tx->grown_bytes + rx->grown_bytes < 65536);
        if (loss_ppm + late_ppm + copy_ppm == 0)
            assert_int_equal(tx->retransmissions, 0);
        pkts += tx->tx_data_pkts, again += tx->retransmissions, copies += rx->duplicates, timeouts += tx->timeouts;
    }
    print_message("%ju packets, %ju sent again, %ju copies arrived, %ju timeouts\n", (uintmax_t)pkts, (uintmax_t)again,
                  (uintmax_t)copies, (uintmax_t)timeouts);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_message_arrives_once_and_ends_once) };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
