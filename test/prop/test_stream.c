/* test/prop/test_stream.c - one connection, driven packet by packet at random, against models that keep the same state: of
 * the sender which packets are delivered, lost and sent again, and the timer with its back-off; of the receiver what has
 * arrived, the state of CE, the delayed ACK, and when a missing packet was asked for. All answers and losses are as the
 * models say, with selective repeat and with go-back-N. */
#include "test/unit/host/pair.h"
#include "core/rng.h"

enum { RUNS = 150, STEPS = 400, SPAN = 1 << 15, WINDOW = 64, REORDER = 3, ANSWERS = 64 };
#define RTO (100 * PAIR_US)
#define RTO_MOST (1500 * PAIR_US)
#define ACK_DELAY (7 * PAIR_US)
#define NACK_INTERVAL (20 * PAIR_US)

enum fate { UNSENT, SENT, GOT, LOST };

static struct weir_rng rng;
static bool goes_back;

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

static uint32_t between(uint32_t low, uint32_t high)
{
    return low + below(high - low + 1);
}

/* --- sender --- */

struct report {
    uint64_t lost_seq, lost_bytes;
    bool is_timeout;
};

static struct sender {
    uint8_t fate[SPAN];
    uint32_t una, next, high, scan, rescan, lost, backoff, refused, timeouts;
    bool board, resent;
    uint64_t since_ps;
    struct report report; /* the latest loss that the law was notified of */
    uint32_t reports;
} sender;
static struct report report;
static uint32_t reports;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = WEIR_CWND_MAX_BYTES };
}

static void law_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)cc, (void)config;
    report = (struct report){ loss->lost_seq, loss->lost_bytes, loss->is_timeout };
    reports++;
}

static const struct weir_cc_ops ops = {
    .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init, .on_loss = law_on_loss
};

static void notify(struct sender *s, uint32_t lowest, uint32_t pkts, bool is_timeout)
{
    s->report = (struct report){ lowest * PAIR_MSS, pkts * PAIR_MSS, is_timeout };
    s->reports++;
}

/* Records what is in flight in [from, to) as lost. @return number of packets */
static uint32_t lose(struct sender *s, uint32_t from, uint32_t to, uint32_t *lowest)
{
    uint32_t pkts = 0;
    *lowest = from;
    for (uint32_t i = from; i < to; i++) {
        if (s->fate[i] != SENT)
            continue;
        *lowest = pkts++ == 0 ? i : *lowest;
        s->fate[i] = LOST;
    }
    s->lost += pkts;
    return pkts;
}

static uint32_t deliver(struct sender *s, uint32_t pkt)
{
    uint32_t is_new = s->fate[pkt] != GOT;
    s->lost -= s->fate[pkt] == LOST;
    s->fate[pkt] = GOT;
    return is_new;
}

static void open_board(struct sender *s)
{
    if (s->board)
        return;
    s->board = true;
    s->resent = false;
    s->high = s->scan = s->rescan = s->una;
}

static void judge(struct sender *s)
{
    uint32_t lowest, pkts;
    if (s->resent && s->high >= s->rescan + REORDER) {
        s->resent = false;
        s->scan = s->una;
    }
    if (s->high < REORDER || s->scan >= s->high - REORDER)
        return;
    pkts = lose(s, s->scan, s->high - REORDER, &lowest);
    s->scan = s->high - REORDER;
    if (pkts > 0)
        notify(s, lowest, pkts, false);
}

static void model_ack(struct sender *s, uint64_t now_ps, uint32_t ack, uint32_t seq)
{
    uint32_t to = ack < s->una ? s->una : ack, advance = to - s->una, fresh = 0;
    bool beyond = seq > to && seq < s->next;
    if (ack > s->next) {
        s->refused++;
        return;
    }
    if (!s->board && to == s->una && !beyond)
        return;
    if (s->board || beyond || seq >= to)
        open_board(s);
    for (; s->una < to; s->una++)
        fresh += deliver(s, s->una);
    if (beyond && deliver(s, seq) > 0) {
        fresh++;
        s->high = s->high > seq + 1 ? s->high : seq + 1;
    }
    s->high = s->high > s->una ? s->high : s->una;
    s->scan = s->scan > s->una ? s->scan : s->una;
    s->board &= s->una < s->high || s->lost > 0 || (s->resent && s->una < s->rescan);
    if (fresh == 0 && advance == 0)
        return;
    s->backoff = 0;
    if (s->board)
        judge(s);
    s->since_ps = now_ps;
}

static void model_nack(struct sender *s, uint64_t now_ps, uint32_t ack, uint32_t seq)
{
    uint32_t lowest, pkts;
    if (!goes_back || ack > s->next) {
        s->refused++;
        return;
    }
    if (ack < s->una)
        return; /* stale */
    model_ack(s, now_ps, ack, seq);
    if (s->una == s->next)
        return;
    open_board(s);
    pkts = lose(s, s->una, s->next, &lowest);
    s->scan = s->next;
    s->resent = false;
    if (pkts == 0)
        return;
    notify(s, lowest, pkts, false);
    s->backoff = 0;
    s->since_ps = now_ps;
}

static uint64_t deadline(const struct sender *s)
{
    return s->since_ps == WEIR_NEVER ? WEIR_NEVER : s->since_ps + weir_min_u64(RTO << s->backoff, RTO_MOST);
}

static void model_timeout(struct sender *s, uint64_t now_ps)
{
    uint32_t lowest, pkts;
    open_board(s);
    pkts = lose(s, s->una, s->next, &lowest);
    s->scan = s->next;
    s->resent = false;
    notify(s, pkts > 0 ? lowest : s->una, pkts, true);
    s->timeouts++;
    s->backoff += s->backoff < HOST_BACKOFF_MAX;
    s->since_ps = now_ps;
}

/* @return the packet that leaves next; SPAN = none */
static uint32_t model_send(struct sender *s, uint64_t now_ps)
{
    uint32_t pkt = s->next;
    if (s->lost > 0) {
        for (pkt = s->una; s->fate[pkt] != LOST;)
            pkt++;
        s->lost--;
        s->resent = true;
        s->rescan = s->next;
    } else if (s->next - s->una >= WINDOW) {
        return SPAN;
    } else {
        s->next++;
    }
    s->fate[pkt] = SENT;
    if (s->since_ps == WEIR_NEVER)
        s->since_ps = now_ps;
    return pkt;
}

static void assert_sender(const struct pair *p, const struct sender *s)
{
    const struct host_flow *f = host_flow_at(p->host[0], 0);
    const struct weir_host_stats *stats = weir_host_stats(p->host[0]);
    uint32_t flying = 0;
    for (uint32_t i = s->una; i < s->next; i++)
        flying += s->fate[i] == SENT;
    assert_int_equal(f->una, s->una);
    assert_int_equal(f->next, s->next);
    assert_int_equal(f->inflight_bytes, flying * PAIR_MSS);
    assert_int_equal(f->backoff, s->backoff);
    assert_int_equal(host_rto_deadline_ps(p->host[0], f), deadline(s));
    assert_int_equal(stats->refused_pkts, s->refused);
    assert_int_equal(stats->timeouts, s->timeouts);
    assert_int_equal(reports, s->reports);
    assert_int_equal(report.lost_seq, s->report.lost_seq);
    assert_int_equal(report.lost_bytes, s->report.lost_bytes);
    assert_int_equal(report.is_timeout, s->report.is_timeout);
    pair_assert_flow(p->host[0], f);
}

static void transmit(struct pair *p, struct sender *s, uint32_t most)
{
    struct weir_pkt pkt;
    for (uint32_t i = 0; i < most; i++) {
        bool again = s->lost > 0;
        uint32_t wanted = model_send(s, p->now_ps);
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, &pkt, 1), wanted != SPAN);
        if (wanted == SPAN)
            return;
        assert_int_equal(pkt.seq, wanted);
        assert_int_equal((pkt.flags & WEIR_PKT_RETX) != 0, again);
    }
}

/* An ACK, or a request to go back. Half of them name any packet: a peer may call packets delivered, and keep its edge
 * below them. */
static void answer(struct pair *p, struct sender *s)
{
    bool is_nack = below(3) == 0;
    uint32_t low = s->una < 3 ? 0 : s->una - 3,
             ack =
                 below(20) == 0 ? s->next + 1 : between(low, below(4) == 0 ? s->next : s->una + (s->next - s->una) / 4);
    uint32_t seq = below(2) == 0 ? ack - 1 : between(low, s->next);
    const struct weir_pkt pkt = {
        .src = 1, .dst = 0, .kind = WEIR_PKT_ACK, .flags = is_nack ? WEIR_PKT_RETX : 0, .seq = seq, .ack = ack
    };
    if (ack == 0)
        return;
    weir_host_rx(p->host[0], p->now_ps, &pkt, 1);
    if (is_nack)
        model_nack(s, p->now_ps, ack, seq);
    else
        model_ack(s, p->now_ps, ack, seq);
}

/* Lets time pass, in which the timer may expire several times. */
static void pass(struct pair *p, struct sender *s, uint64_t until_ps)
{
    for (; weir_host_next_ps(p->host[0]) <= until_ps; assert_sender(p, s)) {
        p->now_ps = weir_host_next_ps(p->host[0]);
        if (deadline(s) <= p->now_ps)
            model_timeout(s, p->now_ps);
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, NULL, 0), 0);
    }
    assert_true(deadline(s) > until_ps);
    p->now_ps = until_ps;
}

static struct pair *begin(uint32_t ack_every)
{
    struct pair *p = pair_reset();
    p->cfg.cc = &ops;
    p->cfg.params.window_pkts = WINDOW;
    p->cfg.params.reorder_pkts = REORDER;
    p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = RTO;
    p->cfg.params.rto_max_ps = RTO_MOST;
    p->cfg.params.reliability = goes_back ? WEIR_GO_BACK_N : WEIR_SELECTIVE;
    p->cfg.params.nack_interval_ps = NACK_INTERVAL;
    p->cfg.params.ack_every = ack_every;
    p->cfg.params.ack_delay_ps = ACK_DELAY;
    pair_start(p);
    p->now_ps = 77 * PAIR_US;
    return p;
}

static uint32_t timeouts, losses;

static void send_at_random(void)
{
    struct pair *p = begin(1);
    sender = (struct sender){ .since_ps = WEIR_NEVER };
    report = (struct report){ 0 };
    reports = 0;
    pair_send(p, 0, SPAN * PAIR_MSS);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t what = below(10);
        p->now_ps += below(3) * PAIR_US;
        pass(p, &sender, p->now_ps);
        if (what < 4)
            transmit(p, &sender, between(1, 24));
        else if (what < 9)
            answer(p, &sender);
        else
            pass(p, &sender, p->now_ps + below(3) * RTO + below(2) * RTO_MOST);
        assert_sender(p, &sender);
    }
    timeouts += sender.timeouts;
    losses += reports;
}

/* --- receiver --- */

static struct receiver {
    bool got[SPAN], ce;
    uint32_t cum, most, every, pending, pending_seq; /* most: one past the highest that arrived */
    uint64_t pending_sent_ps, ack_at_ps, nack_ps;
    uint32_t fresh, duplicates, dropped, nacks;
} receiver;
static struct weir_pkt wanted[ANSWERS];
static uint32_t wanted_count;

static void want(uint32_t ack, uint32_t seq, uint64_t sent_ps, bool ece, bool nack)
{
    assert_true(wanted_count < ANSWERS);
    wanted[wanted_count++] = (struct weir_pkt){
        .sent_ps = sent_ps, .seq = seq, .ack = ack, .flags = (ece ? WEIR_PKT_ECE : 0u) | (nack ? WEIR_PKT_RETX : 0u)
    };
}

static void want_pending(struct receiver *r)
{
    want(r->cum, r->pending_seq, r->pending_sent_ps, r->ce, false);
    r->pending = 0;
}

static bool change_ce(struct receiver *r, bool ce)
{
    bool turned = r->every > 1 && ce != r->ce;
    if (turned && r->pending > 0)
        want_pending(r);
    r->ce = ce;
    return turned;
}

/* A packet that arrives in order, or with selective repeat beyond one that is missing. */
static void model_new(struct receiver *r, uint64_t now_ps, const struct weir_pkt *pkt, bool ce)
{
    bool plain = pkt->seq == r->cum && r->most <= r->cum, turned = change_ce(r, ce);
    uint64_t stamp = pkt->flags & WEIR_PKT_RETX ? 0 : pkt->sent_ps;
    if (pkt->seq == r->cum)
        r->nack_ps = 0;
    r->got[pkt->seq] = true;
    r->fresh++;
    r->most = r->most > pkt->seq + 1 ? r->most : pkt->seq + 1;
    while (r->got[r->cum])
        r->cum++;
    if (r->pending++ == 0) {
        r->pending_sent_ps = stamp;
        r->ack_at_ps = now_ps + ACK_DELAY;
    }
    r->pending_seq = pkt->seq;
    if (!plain || turned || r->pending >= r->every)
        want_pending(r);
}

static void model_data(struct receiver *r, uint64_t now_ps, const struct weir_pkt *pkt)
{
    bool ce = pkt->flags & WEIR_PKT_CE;
    if (r->got[pkt->seq]) {
        r->duplicates++;
        (void)change_ce(r, ce);
        r->pending = 0;
        want(r->cum, pkt->seq, pkt->flags & WEIR_PKT_RETX ? 0 : pkt->sent_ps, ce, false);
    } else if (goes_back && pkt->seq != r->cum) {
        r->dropped++;
        if (now_ps < r->nack_ps)
            return;
        (void)change_ce(r, ce);
        r->pending = 0;
        want(r->cum, r->cum - 1, 0, ce, true);
        r->nack_ps = now_ps + NACK_INTERVAL;
        r->nacks++;
    } else {
        model_new(r, now_ps, pkt, ce);
    }
}

static void assert_answers(struct pair *p, const struct receiver *r)
{
    struct weir_pkt got[ANSWERS];
    const struct weir_host_stats *stats = weir_host_stats(p->host[1]);
    assert_int_equal(weir_host_tx(p->host[1], p->now_ps, got, ANSWERS), wanted_count);
    for (uint32_t i = 0; i < wanted_count; i++) {
        assert_int_equal(got[i].ack, wanted[i].ack);
        assert_int_equal(got[i].seq, wanted[i].seq);
        assert_int_equal(got[i].sent_ps, wanted[i].sent_ps);
        assert_int_equal(got[i].flags & (WEIR_PKT_ECE | WEIR_PKT_RETX), wanted[i].flags);
    }
    wanted_count = 0;
    assert_int_equal(stats->duplicates, r->duplicates);
    assert_int_equal(stats->dropped_pkts, r->dropped);
    assert_int_equal(stats->tx_nack_pkts, r->nacks);
    assert_int_equal(stats->refused_pkts, 0);
    assert_int_equal(stats->rx_new_bytes, r->fresh * PAIR_MSS);
}

/* Numbers near the edge: new ones, gaps that are filled, and what has arrived. */
static void arrive(struct pair *p, struct receiver *r)
{
    uint32_t kind = below(8), seq = kind < 4     ? r->cum
                                    : kind < 6   ? between(r->cum, r->cum + 4)
                                    : r->cum < 5 ? 0
                                                 : between(r->cum - 5, r->cum - 1);
    uint32_t again = kind == 6 || below(10) == 0 ? WEIR_PKT_RETX : 0u, ce = below(4) == 0 ? WEIR_PKT_CE : 0u;
    const struct weir_pkt pkt = { .sent_ps = p->now_ps - 5 * PAIR_US,
                                  .src = 0,
                                  .dst = 1,
                                  .kind = WEIR_PKT_DATA,
                                  .flags = (WEIR_PKT_ECT | ce | again) & 0x1ffu,
                                  .seq = seq,
                                  .ack = 0,
                                  .payload_bytes = WEIR_PKT_BYTES(PAIR_MSS),
                                  .wire_bytes = WEIR_PKT_BYTES(PAIR_WIRE) };
    model_data(r, p->now_ps, &pkt);
    weir_host_rx(p->host[1], p->now_ps, &pkt, 1);
}

static void receive_until(struct pair *p, struct receiver *r, uint64_t until_ps)
{
    while (weir_host_next_ps(p->host[1]) <= until_ps) {
        p->now_ps = weir_host_next_ps(p->host[1]);
        if (r->pending > 0 && r->ack_at_ps <= p->now_ps)
            want_pending(r);
        assert_answers(p, r);
    }
    assert_true(r->pending == 0 || r->ack_at_ps > until_ps);
    p->now_ps = until_ps;
}

static uint32_t duplicates, nacks;

static void receive_at_random(void)
{
    struct pair *p = begin(between(1, 4));
    receiver = (struct receiver){ .every = p->cfg.params.ack_every };
    wanted_count = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        receive_until(p, &receiver, p->now_ps + below(4) * PAIR_US);
        arrive(p, &receiver);
        assert_answers(p, &receiver);
    }
    duplicates += receiver.duplicates;
    nacks += receiver.nacks;
}

static void both_ends_are_as_their_models(void **state)
{
    (void)state;
    for (uint32_t run = 0; run < RUNS; run++) {
        rng = (struct weir_rng){ .key = 20261130 + run };
        goes_back = run % 2 == 1;
        send_at_random();
        receive_at_random();
    }
    print_message("%u losses, %u timeouts; %u duplicates, %u requests to go back\n", losses, timeouts, duplicates,
                  nacks);
    assert_true(losses > 1000 && timeouts > 1000 && duplicates > 1000 && nacks > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(both_ends_are_as_their_models) };
    return cmocka_run_group_tests_name("prop/stream", tests, NULL, NULL);
}
