/* test/prop/test_host.c - two hosts over a network that loses, copies and delays at random: every message is delivered
 * exactly once and finished exactly once, unless it is cancelled or forgotten; the law's window is obeyed, the books balance after every instant;
 * with laws per connection and per destination, receiver halves per connection and per host, with selective repeat and go-back-N, with telemetry, with notices both ways, while classes are paused and let go. */
#include "core/credit.h"
#include "test/unit/host/pair.h"
#include "core/rng.h"

enum { RUNS = 650, SEED = 20250 };

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
    uint32_t inflight_bytes = f->inflight_bytes + (f->shared ? sent->bytes : 0); /* it is counted in a moment */
    (void)config;
    if (!sent->is_retransmission)
        assert_true(inflight_bytes <= cc->cwnd_bytes || inflight_bytes == sent->bytes);
}

static const struct weir_telemetry_rates rates = { .bps = { 100000000000 }, .count = 1 };
static uint64_t hops_read, notices_heard, pauses; /* over all runs */
static uint32_t pause_ppm, most_hops;

/* Records tell the packet they were written for, so that they can be checked wherever they come out. */
static void any_stamp(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    bool is_mine = pkt->kind == (p->cfg.cc->needs & WEIR_NEED_INT ? WEIR_PKT_DATA : WEIR_PKT_ACK);
    while (is_mine && p->cfg.cc->needs & (WEIR_NEED_INT | WEIR_NEED_ACK_INT) && pkt->hops < most_hops) {
        hop[pkt->hops] = weir_telemetry_pack(p->now_ps, pkt->seq, pkt->hops, 0);
        pkt->hops++;
    }
}

static void check_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    for (uint32_t i = 0; i < ack->hop_count; i++) {
        assert_int_equal(ack->hop[i].queue_bytes, i);
        assert_int_equal(ack->hop[i].tx_bytes, ack->hop[0].tx_bytes);
        assert_int_equal(ack->hop[i].rate_bps, 100000000000);
        hops_read++;
    }
    assert_int_equal(ack->share_count, pair_.cfg.cc->rx_data != NULL ? 77 : 0);
    weir_dctcp_ops.on_ack(cc, config, ack);
}

struct half { /* the law at the receiver: speaks at once or later */
    uint64_t next_ps;
    uint32_t pkts;
    bool wants;
};

static void any_rx_data(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo)
{
    struct half *half = rx;
    (void)config;
    half->pkts++;
    if (half->pkts % 3 == 0 && !half->wants) {
        half->wants = true;
        half->next_ps = data->now_ps + below(2) * below(20 * (uint32_t)PAIR_US);
    }
    assert_true(echo->share_count >= 1 && echo->share_count <= echo->conn_count);
    echo->share_count = 77;
}

static bool any_rx_notice(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    struct half *half = rx;
    (void)config;
    if (!half->wants || half->next_ps > now_ps)
        return false;
    half->wants = false;
    *out = (struct weir_notice){ .now_ps = now_ps, .value = now_ps, .kind = 3, .source = 4, .dst = 0 };
    return true;
}

static uint64_t any_rx_next_ps(const void *rx, const void *config)
{
    const struct half *half = rx;
    (void)config;
    return half->wants ? half->next_ps : WEIR_NEVER;
}

/* Another rate, sometimes none: what waits for its time must move. */
static void any_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)config;
    assert_true(notice->kind == 3 && notice->source == 4 && notice->value < notice->now_ps);
    cc->rate_bps = below(4) == 0 ? WEIR_RATE_OPEN : UINT64_C(1000000000) * (1 + below(99));
    notices_heard++;
}

static uint32_t arriving, begun; /* messages, as the receiver half of a host is told */
static bool open_message[PAIR_MSGS];

static void any_rx_begin(void *rx, const void *config, const struct weir_rx_event *event)
{
    (void)rx, (void)config;
    assert_true(event->now_ps == pair_.now_ps && event->src == 0 && !open_message[event->msg]);
    assert_int_equal(pair_.delivered[event->msg], 0);
    open_message[event->msg] = true;
    arriving++;
    begun++;
}

static void any_rx_end(void *rx, const void *config, const struct weir_rx_event *event)
{
    (void)rx, (void)config;
    assert_true(event->now_ps == pair_.now_ps && event->src == 0 && open_message[event->msg]);
    open_message[event->msg] = false;
    arriving--;
}

static void any_pause(struct pair *p)
{
    uint32_t host = below(2);
    if (below(1000000) >= pause_ppm)
        return;
    pair_pause(p, host, below(8), p->now_ps + 1 + below(30 * (uint32_t)PAIR_US));
    pauses++;
}

/* All connections to the destination, and the first in line alone may be ready. */
static void check_shared(const struct weir_host *h, const struct host_flow *shared)
{
    const struct host_peer *peer = host_at(&host_stream_of(h)->peers, HOST_BLOCK_SHIFT, shared->msg);
    uint32_t inflight_bytes = 0, busy = 0;
    for (uint32_t i = 0; i < host_stream_of(h)->flows.count; i++) {
        struct host_flow *f = host_flow_at(h, i);
        inflight_bytes += f->shared ? 0 : f->inflight_bytes;
        busy += (f->flags & HOST_BUSY) != 0;
        if (f->flags & HOST_READY)
            assert_true(i == peer->line_head && !(shared->flags & HOST_PACED));
        if (!f->shared && host_flow_has_packet(h, f))
            assert_true(host_member_of(f)->in_line);
    }
    assert_int_equal(shared->inflight_bytes, inflight_bytes);
    assert_int_equal(peer->busy, busy);
}

static void check_flow(const struct weir_host *h, const struct host_flow *f)
{
    if (f->shared) {
        check_shared(h, f);
        return;
    }
    pair_assert_flow(h, f);
    if (f->flags & HOST_PACED)
        assert_true(weir_host_next_ps(h) != WEIR_NEVER);
    if (f->next != f->una)
        assert_true(f->since_ps != WEIR_NEVER && f->flags & HOST_TIMED); /* nothing hangs without a timer */
}

static void check_books(struct pair *p)
{
    uint32_t ready = 0;
    for (uint32_t i = 0; i < host_stream_of(p->host[0])->flows.count; i++) {
        const struct host_flow *f = host_flow_at(p->host[0], i);
        check_flow(p->host[0], f);
        ready += (f->flags & HOST_READY) != 0;
    }
    assert_int_equal(p->host[0]->ready_count, ready);
    assert_int_equal(weir_host_stats(p->host[0])->refused_pkts + weir_host_stats(p->host[1])->refused_pkts, 0);
    assert_true(p->finishes <= p->deliveries + p->cancels);
    any_pause(p);
}

/* A law of random needs over DCTCP's window. */
static void any_law(struct pair *p)
{
    uint32_t which = below(4);
    ops = weir_dctcp_ops;
    ops.on_sent = check_window;
    ops.init = init_paced;
    ops.on_ack = check_ack;
    ops.needs |= which == 0 ? WEIR_NEED_INT : which == 1 ? WEIR_NEED_ACK_INT : 0;
    most_hops = below(WEIR_TELEMETRY_HOPS_MAX + 1);
    p->cfg.rates = which < 2 ? &rates : NULL;
    p->stamp = any_stamp;
    ops.per_peer = below(3) == 0;
    if (below(2) == 0)
        return;
    ops.rx_data = any_rx_data;
    ops.rx_notice = any_rx_notice;
    ops.rx_next_ps = below(4) != 0 ? any_rx_next_ps : NULL;
    ops.on_notice = any_on_notice;
    if (!ops.per_peer || below(2) == 0) {
        ops.rx_flow_bytes = sizeof(struct half);
        return;
    }
    ops.rx_bytes = sizeof(struct half);
    ops.rx_begin = any_rx_begin;
    ops.rx_end = any_rx_end;
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
    any_law(p);
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
    par->data_class = below(3);
    par->ack_class = below(3);
    par->reliability = below(3);
    par->ecn = below(3);
    par->handshake = below(2);
    par->nack_interval_ps = below(2) * below(500 * (uint32_t)PAIR_US);
    p->ranges = p->cfg.ack_ranges = below(2);
    pause_ppm = below(2) * 20000;
    p->delay_ps = 1 + below(5 * (uint32_t)PAIR_US);
    p->fate = any_fate;
    p->after = check_books;
    return p;
}

static void every_message_arrives_once_and_ends_once(void **state)
{
    uint64_t pkts = 0, again = 0, copies = 0, timeouts = 0, dropped = 0, nacks = 0;
    (void)state;
    print_message("seed %d, %d runs\n", SEED, RUNS);
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 0, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++) {
        struct pair *p = any_pair();
        uint32_t msgs = 1 + below(30);
        uint64_t bytes = 0;
        pair_start(p);
        host_stream_of(p->host[0])->first_index = below(2) == 0 ? 0 : (uint32_t)weir_rng_next(&rng) | 0xffffff00;
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
        assert_true(host_stream_of(p->host[0])->boards.count <= tx->connections &&
                    p->host[1]->gaps.count <= rx->rx_connections);
        assert_true(tx->grown_bytes + rx->grown_bytes < 131072);
        assert_int_equal(p->host[1]->notices.count + p->host[1]->acks.count, 0);
        assert_int_equal(host_stream_of(p->host[1])->rx_active, 0);
        assert_int_equal(arriving, 0);
        if (loss_ppm + late_ppm + copy_ppm + pause_ppm == 0) /* a pause may outlast a timer */
            assert_int_equal(tx->retransmissions, 0);
        if (p->cfg.params.reliability != WEIR_GO_BACK_N)
            assert_int_equal(rx->dropped_pkts + rx->tx_nack_pkts, 0);
        dropped += rx->dropped_pkts, nacks += rx->tx_nack_pkts;
        pkts += tx->tx_data_pkts, again += tx->retransmissions, copies += rx->duplicates, timeouts += tx->timeouts;
    }
    print_message("%ju packets, %ju sent again, %ju copies arrived, %ju timeouts\n", (uintmax_t)pkts, (uintmax_t)again,
                  (uintmax_t)copies, (uintmax_t)timeouts);
    print_message("%ju out of order and dropped, %ju asked for; %ju records read, %ju notices heard, %ju pauses\n",
                  (uintmax_t)dropped, (uintmax_t)nacks, (uintmax_t)hops_read, (uintmax_t)notices_heard,
                  (uintmax_t)pauses);
    print_message("%ju messages begun at receiver halves of hosts\n", (uintmax_t)begun);
    assert_true(dropped > 1000 && nacks > 100 && hops_read > 10000 && notices_heard > 1000 && pauses > 1000);
    assert_true(begun > 500);
}

static uint32_t cancel_ppm, forget_ppm, sent_msgs;
static uint64_t cancels, drops, forgets, forgotten, beaten; /* beaten: delivered all the same */

/* Any message under way is cancelled, perhaps again; the hosts forget each other. */
static void any_change_of_mind(struct pair *p)
{
    check_books(p);
    if (sent_msgs > 0 && below(1000000) < cancel_ppm) {
        uint32_t m = below(sent_msgs);
        if (p->finished[m] == 0 && !p->forgotten[m])
            pair_cancel(p, m);
        else
            assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, m), WEIR_E_UNKNOWN);
    }
    if (below(1000000) < forget_ppm) {
        pair_forget(p, sent_msgs);
        forgets++;
    }
}

static uint32_t lent(const struct host_table *pool)
{
    uint32_t n = pool->count;
    for (uint32_t i = pool->free; i != HOST_NONE; n--)
        i = *(const uint32_t *)host_at(pool, 0, i);
    return n;
}

static void check_ends(const struct pair *p)
{
    for (uint32_t m = 0; m < sent_msgs; m++) {
        assert_int_equal(p->finished[m] + p->forgotten[m], 1);
        assert_true(p->delivered[m] == 1 || (p->delivered[m] == 0 && (p->cancelled[m] || p->forgotten[m])));
        cancels += p->cancelled[m];
        forgotten += p->forgotten[m];
        beaten += p->delivered[m] && p->cancelled[m];
    }
    for (uint32_t i = 0; i < host_stream_of(p->host[1])->rxs.count; i++)
        assert_true(host_rx_at(p->host[1], i)->gap == 0 || host_rx_at(p->host[1], i)->gap == HOST_RX_FREE);
    for (uint32_t i = 0; i < host_stream_of(p->host[0])->flows.count; i++) {
        assert_int_equal(host_flow_at(p->host[0], i)->inflight_bytes + host_flow_at(p->host[0], i)->board, 0);
        assert_int_equal(host_flow_at(p->host[0], i)->flags & (HOST_BUSY | HOST_READY), 0);
    }
    assert_int_equal(lent(&host_stream_of(p->host[0])->boards) + lent(&p->host[1]->gaps), 0);
    assert_int_equal(host_stream_of(p->host[1])->rx_active + arriving, 0);
    assert_int_equal(p->host[0]->ready_count + p->host[1]->acks.count + p->host[1]->notices.count, 0);
}

static void whatever_is_cancelled_or_forgotten_the_rest_arrives_once(void **state)
{
    static const uint32_t chance[] = { 0, 1000, 10000, 50000 };
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(SEED, 1, WEIR_RNG_TEST, 0) };
    for (uint32_t run = 0; run < RUNS; run++) {
        struct pair *p = any_pair();
        uint32_t msgs = 1 + below(30);
        cancel_ppm = chance[below(4)];
        forget_ppm = chance[below(4)] / 10;
        sent_msgs = 0;
        p->after = any_change_of_mind;
        pair_start(p);
        host_stream_of(p->host[0])->first_index = below(2) == 0 ? 0 : (uint32_t)weir_rng_next(&rng) | 0xffffff00;
        for (uint32_t m = 0; m < msgs; m++) {
            pair_send(p, m, 1 + below(below(3) == 0 ? 200 * PAIR_MSS : 5 * PAIR_MSS));
            sent_msgs++;
            pair_run(p, p->now_ps + below(30 * (uint32_t)PAIR_US));
        }
        pair_run(p, WEIR_NEVER);
        check_ends(p);
        drops += p->drops;
    }
    print_message("%ju cancelled: %ju dropped, %ju delivered all the same; %ju times forgotten, with %ju messages\n",
                  (uintmax_t)cancels, (uintmax_t)drops, (uintmax_t)beaten, (uintmax_t)forgets, (uintmax_t)forgotten);
    assert_true(drops > 500 && beaten > 10 && forgotten > 500); /* or this shows nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_message_arrives_once_and_ends_once),
                                        cmocka_unit_test(whatever_is_cancelled_or_forgotten_the_rest_arrives_once) };
    return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
