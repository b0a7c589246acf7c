/* test/unit/host/test_credit.c - peers, what is done with each kind of packet, the look at silent peers, and hosts that run out
 * of memory. Times: a full packet takes 123040 ps, a control packet 6720 ps, the way 2 us. */
#include "test/unit/host/swarm_log.h"

static struct swarm *s;
static struct weir_pkt out[16];

static void begin(bool (*lost)(const struct weir_pkt *pkt))
{
    s = log_reset(2, lost);
    swarm_start(s);
}

static int setup(void **state)
{
    (void)state;
    begin(NULL);
    return 0;
}

static struct weir_sird_peer *account(uint32_t host, uint32_t peer)
{
    return credit_peer_state(host_credit_peer(s->host[host], peer));
}

static struct weir_credit_sums sums(uint32_t host)
{
    struct weir_credit_sums sum;
    weir_host_credit(s->host[host], &sum);
    return sum;
}

static void a_peer_is_known_from_its_first_control_packet_on(void **state)
{
    struct weir_host *h = s->host[1];
    struct weir_pkt control = log_control(WEIR_PKT_CONTROL, 65535, 1);
    (void)state;
    assert_int_equal(host_credit_of(h)->peers.count, 0);
    log_rx(s, 10, control);
    control.src = 9;
    log_rx(s, 20, control);
    log_rx(s, 30, control);
    assert_int_equal(host_credit_of(h)->peers.count, 2);
    assert_int_equal(host_credit_peer(h, 65535)->index, 0);
    assert_int_equal(host_credit_peer(h, 9)->index, 1);
    assert_non_null(host_credit_of(h)->peer_of.first);
    for (uint32_t p = 1; p < HOST_NUMBERS_PAGES; p++) /* pages only where there are peers */
        assert_int_equal(host_credit_of(h)->peer_of.page[p] != NULL, p == 65535 / HOST_NUMBERS_PAGE);
    assert_null(credit_peer_known(h, 65536 + 9));
    assert_int_equal(weir_host_stats(h)->rx_ack_pkts, 3);
    assert_int_equal(weir_host_next_ps(h), WEIR_NEVER); /* it owes nobody anything */
}

static void a_pair_hashes_alike_both_ways_if_asked_to(void **state)
{
    static const enum weir_host_hash how[] = { WEIR_HASH_SYMMETRIC, WEIR_HASH_FLOW };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        s = log_reset(2, NULL);
        s->cfg.hash = how[i];
        swarm_start(s);
        swarm_message(s, 0, 0, 1, 100);
        swarm_run(s, WEIR_NEVER);
        assert_int_equal(log_[0].pkt.hash == log_[1].pkt.hash, how[i] == WEIR_HASH_SYMMETRIC);
        assert_int_equal(log_[0].pkt.hash, host_credit_peer(s->host[0], 1)->hash);
    }
}

static void refused(struct weir_pkt pkt)
{
    struct weir_host *h = s->host[1];
    uint64_t before = weir_host_stats(h)->refused_pkts, controls = weir_host_stats(h)->rx_ack_pkts;
    weir_host_rx(h, 100, &pkt, 1);
    assert_int_equal(weir_host_stats(h)->refused_pkts, before + 1);
    assert_int_equal(weir_host_stats(h)->rx_ack_pkts, controls);
    assert_int_equal(host_credit_of(h)->peers.count, 0);
    assert_false(weir_host_ready(h));
}

static void packets_of_no_kind_or_for_others_are_refused(void **state)
{
    struct weir_pkt data = log_data(100, 1, 0);
    (void)state;
    refused(log_control(WEIR_PKT_ACK, 0, 1));
    refused(log_control(WEIR_PKT_REPLY, 0, 1));
    refused(log_control((enum weir_pkt_kind)8, 0, 1));
    refused(log_control((enum weir_pkt_kind)255, 0, 1));
    refused(log_control(WEIR_PKT_CREDIT, 1, 1)); /* from itself */
    data.src = 1;
    refused(data);
    data.src = 0, data.dst = 2;
    refused(data);
}

/* Credit is good for any message, so a control packet about an unknown one counts; there is nothing it could send, though. */
static void credit_for_an_unknown_message_is_only_held(void **state)
{
    struct weir_pkt credit = log_control(WEIR_PKT_CREDIT, 1, 0);
    (void)state;
    credit.conn = 5, credit.msg = 12345, credit.seq = 3, credit.ack = LOG_FULL, credit.flags = WEIR_PKT_RETX;
    log_rx(s, 10, credit);
    assert_int_equal(sums(0).held_bytes, LOG_FULL);
    assert_false(weir_host_ready(s->host[0]));
    credit.kind = WEIR_PKT_CONTROL, credit.seq = WEIR_SIRD_ASK;
    credit.flags = 0; /* asked, it says what it spent, and returns what it has no use for */
    credit.conn = WEIR_PKT_NO_CONN;
    credit.msg = UINT32_MAX;
    log_rx(s, 20, credit);
    assert_int_equal(sums(0).held_bytes, 0);
    assert_int_equal(weir_host_tx(s->host[0], 20, out, 16), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CONTROL);
    assert_int_equal(out[0].ack, LOG_FULL);
    assert_int_equal(out[0].dst, 1);
    assert_int_equal(out[0].wire_bytes, LOG_CONTROL);
    log_rx(s, 30, credit); /* asked twice: the same answer */
    assert_int_equal(weir_host_tx(s->host[0], 30, out, 16), 1);
    assert_int_equal(out[0].ack, LOG_FULL);
}

/* Host 1 granted two packets; a peer that says it spent more than that, or a wild number, is not believed. */
static void a_peer_cannot_have_spent_more_than_it_was_granted(void **state)
{
    struct weir_pkt request = log_control(WEIR_PKT_REQUEST, 0, 1), control = log_control(WEIR_PKT_CONTROL, 0, 1);
    (void)state;
    request.msg_bytes = 2 * LOG_MSS;
    log_rx(s, 0, request);
    assert_int_equal(weir_host_tx(s->host[1], 0, out, 16), 1);
    assert_int_equal(weir_host_tx(s->host[1], LOG_FULL_PS, out, 16), 1);
    assert_int_equal(sums(1).outstanding_bytes, 2 * LOG_FULL);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint32_t wild[] = { 2 * LOG_FULL + 1, 1000000000, INT32_MAX };
        control.ack = wild[i];
        log_rx(s, 200000, control);
        assert_int_equal(account(1, 0)->spent_seen, 0);
    }
    control.ack = LOG_FULL;
    log_rx(s, 300000, control);
    assert_int_equal(account(1, 0)->spent_seen, LOG_FULL);
}

static void unfinished_messages_are_named(void **state)
{
    struct weir_host_pending p;
    uint64_t cursor = 0;
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 100000), 0);
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    assert_int_equal(weir_host_tx(s->host[0], 0, out, 2), 2); /* the request, and a packet of the other */
    assert_true(weir_host_next_pending(s->host[0], &cursor, &p));
    assert_int_equal(p.msg, 0);
    assert_int_equal(p.dst, 1);
    assert_int_equal(p.unacked_pkts, 0);
    assert_int_equal(p.left_pkts, 69);
    assert_true(weir_host_next_pending(s->host[0], &cursor, &p));
    assert_int_equal(p.msg, 1);
    assert_int_equal(p.conn, 1);
    assert_int_equal(p.unacked_pkts, 1);
    assert_int_equal(p.left_pkts, 2);
    assert_false(weir_host_next_pending(s->host[0], &cursor, &p));
}

/* --- nothing may stay as it is for ever --- */

static bool lose_last_credit(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_CREDIT && pkt->seq == 49 && !(pkt->flags & WEIR_PKT_RETX) && pkt->conn == 0;
}

/* The packet asked for by name was never sent, so a credit is left over. Messages that need none follow, each millisecond:
 * they do not hide that. */
static void unscheduled_packets_do_not_hide_unused_credit(void **state)
{
    (void)state;
    begin(lose_last_credit);
    swarm_message(s, 0, 0, 1, 72001);
    for (uint32_t i = 1; i < 40; i++)
        swarm_message(s, i * WEIR_PS_PER_MS, 0, 1, 100);
    swarm_run(s, 5 * WEIR_PS_PER_MS);
    assert_int_equal(s->msg[0].finished, 1);
    assert_int_equal(sums(0).held_bytes, 639);
    assert_int_equal(sums(1).outstanding_bytes, 639);
    swarm_run(s, 15 * WEIR_PS_PER_MS);
    assert_int_equal(sums(0).held_bytes, 0);
    assert_int_equal(sums(1).outstanding_bytes, 0);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->finished, 40);
    log_assert_quiet(s);
}

/* B holds two packets, and senders that chose other packets than the receiver had in mind are each left with less credit than
 * the next one needs. What they sent instead is topped up before anything else, or leftovers fill B and nobody is ever granted anything
 * again (seen in two runs of five): nothing is lost here, so nothing may wait for recovery, or need it. */
static void leftovers_never_fill_the_bucket_for_good(void **state)
{
    struct weir_rng rng;
    (void)state;
    for (uint32_t run = 0; run < 60; run++) {
        rng = (struct weir_rng){ .key = weir_rng_key(7, run, WEIR_RNG_TEST, 0) };
        s = swarm_reset(8);
        s->cfg.path.bdp_bytes = 3076 + weir_rng_below(weir_rng_next(&rng), 3000);
        swarm_defaults(s);
        s->sird.bucket.bytes = s->cfg.path.bdp_bytes;
        s->sird.unscht.bytes = 0;
        s->sird.receiver_policy = weir_rng_below(weir_rng_next(&rng), 3);
        s->sird.sender_policy = weir_rng_below(weir_rng_next(&rng), 3);
        s->sird.loss_ps = run % 2 == 0 ? 0 : s->sird.loss_ps;
        swarm_start(s);
        for (uint32_t m = 0; m < 80; m++)
            swarm_message(s, m * SWARM_US, 1 + weir_rng_below(weir_rng_next(&rng), 7), 0,
                          1 + weir_rng_below(weir_rng_next(&rng), m % 2 == 0 ? 3000 : 15000));
        swarm_run(s, WEIR_PS_PER_S);
        assert_int_equal(s->finished, 80);
        assert_int_equal(weir_host_stats(s->host[0])->timeouts, 0);
        log_assert_quiet(s);
    }
}

/* Totals are modulo 2^32 with recovery and without: credit comes back on both sides of half way and of the end. */
static void totals_go_round(uint32_t from, uint64_t loss_ps, enum weir_sird_unsched accounting)
{
    s = log_reset(2, NULL);
    s->sird.loss_ps = loss_ps;
    s->sird.unsched_accounting = accounting;
    swarm_start(s);
    struct weir_sird_peer *tx = account(0, 1), *rx = account(1, 0);
    tx->granted_seen = tx->spent_total = from;
    rx->granted_total = rx->spent_seen = from;
    if (loss_ps != 0)
        rx->settled = rx->mark = from;
    swarm_message(s, 0, 0, 1, 1000000);
    swarm_message(s, 0, 0, 1, 10000);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->finished, 2);
    assert_int_equal(tx->spent_total - from,
                     1000000 + 686 * 80 + (accounting == WEIR_SIRD_CHARGED ? 10000 + 7 * 80 : 0));
    log_assert_quiet(s);
}

static void totals_are_modulo_two_to_the_32(void **state)
{
    static const uint32_t from[] = { 0, 0x7ff80000, 0x80000000, 0xfff80000 };
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        totals_go_round(from[i], 2 * WEIR_PS_PER_MS, WEIR_SIRD_IGNORED);
        totals_go_round(from[i], 2 * WEIR_PS_PER_MS, WEIR_SIRD_CHARGED);
        totals_go_round(from[i], 0, WEIR_SIRD_IGNORED);
        totals_go_round(from[i], 0, WEIR_SIRD_CHARGED);
    }
}

/* --- forgetting --- */

static void request(uint32_t src, uint64_t bytes)
{
    struct weir_pkt pkt = log_control(WEIR_PKT_REQUEST, src, 0);
    pkt.msg_bytes = bytes;
    log_rx(s, 0, pkt);
}

/* B is 72000, a BDP: 46 credits to host 1 fill it, and host 2 waits. Host 0 also has two messages for host 1 and one for host 2,
 * and holds credit of both. */
static void forget_setup(void)
{
    struct weir_pkt credit = log_control(WEIR_PKT_CREDIT, 1, 0);
    s = log_reset(3, NULL);
    s->sird.bucket.bytes = 72000;
    swarm_start(s);
    request(1, 1000000);
    request(2, 2000000);
    assert_int_equal(log_send(s, 0, 0, 1, 100000), 0);
    assert_int_equal(log_send(s, 0, 0, 2, 100000), 0);
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    swarm_cancel(s, 0, 2);
    credit.ack = 5 * LOG_FULL;
    log_rx(s, 0, credit);
    credit.src = 2, credit.ack = 2 * LOG_FULL;
    log_rx(s, 0, credit);
    for (uint32_t i = 0; i < 50; i++)
        (void)weir_host_tx(s->host[0], i * LOG_FULL_PS, NULL, 0);
    assert_int_equal(sums(0).outstanding_bytes, 46 * LOG_FULL);
    assert_int_equal(sums(0).held_bytes, 7 * LOG_FULL);
    assert_int_equal(account(0, 2)->outstanding_bytes, 0);
    assert_int_equal(s->host[0]->acks.count, 46 + 3); /* two requests and an abort */
}

/* All that was said to host 1 and has not left stays here; its credit is host 2's; its messages and their handles are free. */
static void a_host_that_is_forgotten_was_never_met(void **state)
{
    struct weir_host *h = NULL;
    struct weir_pkt control = log_control(WEIR_PKT_CONTROL, 1, 0);
    struct weir_host_pending p;
    uint64_t cursor = 0, now_ps = 50 * LOG_FULL_PS;
    (void)state;
    forget_setup();
    h = s->host[0];
    control.ack = LOG_FULL;
    log_rx(s, now_ps, control);
    assert_int_equal(account(0, 1)->reported_total, LOG_FULL);
    assert_int_equal(weir_host_inbound(h, 1, &(struct weir_pkt){ .conn = 0 }), WEIR_INBOUND_OPEN);
    weir_host_forget(h, now_ps, 1);
    assert_int_equal(account(0, 1)->reported_total, 0);
    assert_true(account(0, 1)->changed_ps == WEIR_NEVER);
    assert_int_equal(weir_host_inbound(h, 1, &(struct weir_pkt){ .conn = 0 }), WEIR_INBOUND_NEW);
    assert_int_equal(weir_host_inbound(h, 2, &(struct weir_pkt){ .conn = 0 }), WEIR_INBOUND_OPEN);
    assert_int_equal(sums(0).outstanding_bytes, LOG_FULL);
    assert_int_equal(account(0, 2)->outstanding_bytes, LOG_FULL);
    assert_int_equal(sums(0).held_bytes, 2 * LOG_FULL);
    assert_int_equal(weir_host_next_ps(h), 51 * LOG_FULL_PS);
    assert_int_equal(weir_host_tx(h, now_ps, out, 16), 4);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(out[1].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[1].ack, LOG_FULL);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(out[i].dst, 2);
    assert_int_equal(out[2].kind, WEIR_PKT_DATA);
    assert_true(weir_host_next_pending(h, &cursor, &p));
    assert_int_equal(p.dst, 2);
    assert_false(weir_host_next_pending(h, &cursor, &p));
    assert_int_equal(weir_host_cancel(h, now_ps, 0), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_cancel(h, now_ps, 2), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_send(h, now_ps, 1, 0, 100000), 0);
    assert_int_equal(weir_host_tx(h, now_ps, out, 16), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(out[0].conn, 0);
    assert_int_equal(s->finished + s->delivered + s->dropped, 0); /* nobody was told anything */
}

/* Its look at it was due at 2 ms: there is nothing to see. */
static void a_forgotten_host_leaves_nothing_to_do(void **state)
{
    (void)state;
    forget_setup();
    weir_host_forget(s->host[0], 50 * LOG_FULL_PS, 9); /* not met: nothing */
    assert_int_equal(host_credit_of(s->host[0])->peers.count, 2);
    weir_host_forget(s->host[0], 50 * LOG_FULL_PS, 1);
    weir_host_forget(s->host[0], 50 * LOG_FULL_PS, 2);
    weir_host_forget(s->host[0], 50 * LOG_FULL_PS, 2);
    assert_false(weir_host_ready(s->host[0]));
    assert_int_equal(weir_host_next_ps(s->host[0]), 2 * WEIR_PS_PER_MS);
    assert_int_equal(weir_host_tx(s->host[0], 2 * WEIR_PS_PER_MS, out, 16), 0);
    assert_int_equal(weir_host_next_ps(s->host[0]), WEIR_NEVER);
    assert_int_equal(host_credit_of(s->host[0])->txs.count, 3);
    log_assert_quiet(s);
}

/* Two hosts in the middle of a message each way forget each other; what begins then takes as long as at the first time. */
static void what_follows_is_as_at_first(void **state)
{
    (void)state;
    swarm_message(s, 0, 0, 1, 72001);
    swarm_run(s, WEIR_PS_PER_MS);
    swarm_message(s, WEIR_PS_PER_MS, 0, 1, 1000000);
    swarm_message(s, WEIR_PS_PER_MS, 1, 0, 1000000);
    swarm_run(s, WEIR_PS_PER_MS + 50 * SWARM_US);
    swarm_forget(s, s->now_ps, 0, 1, 1);
    swarm_forget(s, s->now_ps, 1, 0, 1);
    swarm_message(s, 5 * WEIR_PS_PER_MS, 0, 1, 72001);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->forgotten, 2);
    assert_int_equal(s->msg[1].delivered + s->msg[2].delivered, 0);
    assert_int_equal(s->msg[3].finished, 1);
    assert_int_equal(s->msg[3].number, 0);
    assert_int_equal(s->msg[3].delivered_ps - 5 * WEIR_PS_PER_MS, s->msg[0].delivered_ps);
    log_assert_quiet(s);
}

/* Numbers go round: the second of four, the last before the end, is aborted. */
static void messages_are_numbered_modulo_two_to_the_30(void **state)
{
    (void)state;
    host_credit_peer(s->host[0], 1)->tx_count = UINT32_MAX - 1;
    host_credit_peer(s->host[1], 0)->rx_base = UINT32_MAX - 1;
    for (uint32_t i = 0; i < 4; i++)
        swarm_message(s, 0, 0, 1, 72001 + i);
    swarm_run(s, 4 * SWARM_US);
    swarm_cancel(s, s->now_ps, 1);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_of(WEIR_PKT_ABORT, 0)->pkt.conn, WEIR_PKT_NO_CONN);
    assert_int_equal(s->msg[3].number, 1);
    assert_int_equal(s->delivered, 3);
    assert_int_equal(s->finished, 4);
    assert_int_equal(s->dropped, 1);
    assert_int_equal(host_credit_peer(s->host[1], 0)->rx_base, 2);
    assert_int_equal(host_credit_peer(s->host[0], 1)->tx_count, 2);
    log_assert_quiet(s);
}

/* --- memory --- */

static uint32_t grows, fail_from, fail_to; /* calls for memory so far; those that fail */
static size_t fail_size;                   /* calls for so much that fail, too; 0 = none */

static void *scarce(void *ctx, size_t size)
{
    uint32_t n = grows++;
    return (n >= fail_from && n < fail_to) || size == fail_size ? NULL : swarm_grow(ctx, size);
}

/* Every third packet of the first hundred is lost, so that gaps open and packets go again. */
static bool lose_thirds(const struct weir_pkt *pkt)
{
    (void)pkt;
    return logged_ % 3 == 0 && logged_ < 100;
}

static void scarce_start(uint32_t from, uint32_t to)
{
    s = log_reset(2, lose_thirds);
    for (uint32_t i = 0; i < 2; i++) {
        void *memory = swarm_grow(s, weir_host_bytes(&s->cfg));
        struct weir_host_sink sink = { .delivered = swarm_delivered,
                                       .finished = swarm_finished,
                                       .retransmitted = swarm_retransmitted,
                                       .ctx = &s->ctx[i],
                                       .dropped = swarm_dropped,
                                       .head = NULL };
        s->ctx[i] = (struct swarm_ctx){ s, i };
        s->host[i] = weir_host_init(memory, &s->cfg, i, &(struct weir_mem){ scarce, s }, &sink);
    }
    grows = 0, fail_from = from, fail_to = to, fail_size = 0;
}

/* Starts a message; where there is no memory nothing has begun. @return false = refused */
static bool scarce_send(uint32_t src, uint64_t bytes)
{
    const struct weir_host *h = s->host[src];
    uint32_t records = host_credit_of(h)->txs.count;
    int code = log_send(s, 0, src, 1 - src, bytes);
    if (code == 0)
        return true;
    assert_int_equal(code, WEIR_E_MEMORY);
    assert_int_equal(host_credit_of(h)->txs.count, records);
    assert_false(h->ready_count > 0 && records == 0);
    s->msgs = --s->started;
    return false;
}

/* One allocation fails: a message that could not start starts at the second try, everything else is made up for. */
static void one_failed_allocation_is_recovered_from(void **state)
{
    uint32_t n = 0, refusals = 0;
    (void)state;
    for (; n == 0 || grows > fail_from; n++) {
        scarce_start(n, n + 1);
        for (uint32_t m = 0; m < 40; m++) {
            uint64_t bytes = m % 4 == 0 ? 100000 : 20000;
            if (scarce_send(m % 2, bytes))
                continue;
            refusals++;
            assert_true(scarce_send(m % 2, bytes));
        }
        swarm_run(s, WEIR_NEVER);
        assert_int_equal(s->finished, 40);
        log_assert_quiet(s);
    }
    print_message("%u allocations, each failed once; %u messages refused\n", (unsigned)n - 1, (unsigned)refusals);
    assert_true(n > 20 && refusals > 4);
}

static uint32_t pending(uint32_t host)
{
    struct weir_host_pending p;
    uint64_t cursor = 0;
    uint32_t n = 0;
    while (weir_host_next_pending(s->host[host], &cursor, &p))
        n++;
    return n;
}

/* All fail from the n-th on: nothing breaks, and what was started is finished or known to be unfinished. */
static void without_any_more_memory_nothing_breaks(void **state)
{
    (void)state;
    for (uint32_t n = 0; n == 0 || grows > fail_from; n++) {
        uint32_t started = 0;
        scarce_start(n, UINT32_MAX);
        for (uint32_t m = 0; m < 40; m++)
            started += scarce_send(m % 2, m % 4 == 0 ? 100000 : 20000);
        assert_true(n > 0 || started == 0);
        swarm_run(s, 100 * WEIR_PS_PER_MS);
        assert_int_equal(s->finished + pending(0) + pending(1), started);
        assert_null(weir_host_check(s->host[0]));
        assert_null(weir_host_check(s->host[1]));
    }
}

/* Whichever part of it there is no memory for (its place in the heap, its record): asking again and again takes nothing. */
static void a_peer_that_cannot_be_made_costs_nothing(void **state)
{
    struct weir_pkt control = log_control(WEIR_PKT_CONTROL, 0, 1);
    (void)state;
    for (uint32_t part = 0; part < 2; part++) {
        scarce_start(0, 0);
        fail_size = part == 0 ? 16 * sizeof(struct weir_heap_entry) : host_credit_of(s->host[1])->peers.stride * 16;
        log_rx(s, 10, control);
        size_t used = s->mem_used;
        for (uint32_t i = 0; i < 100; i++)
            log_rx(s, 20, control);
        assert_int_equal(s->mem_used, used);
        assert_int_equal(weir_host_stats(s->host[1])->refused_pkts, 101);
        assert_int_equal(host_credit_of(s->host[1])->peers.count, 0);
        fail_size = 0;
        log_rx(s, 30, control);
        assert_int_equal(host_credit_of(s->host[1])->peers.count, 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_peer_is_known_from_its_first_control_packet_on, setup),
        cmocka_unit_test_setup(a_pair_hashes_alike_both_ways_if_asked_to, setup),
        cmocka_unit_test_setup(packets_of_no_kind_or_for_others_are_refused, setup),
        cmocka_unit_test_setup(credit_for_an_unknown_message_is_only_held, setup),
        cmocka_unit_test_setup(a_peer_cannot_have_spent_more_than_it_was_granted, setup),
        cmocka_unit_test_setup(unfinished_messages_are_named, setup),
        cmocka_unit_test_setup(unscheduled_packets_do_not_hide_unused_credit, setup),
        cmocka_unit_test(leftovers_never_fill_the_bucket_for_good),
        cmocka_unit_test(totals_are_modulo_two_to_the_32),
        cmocka_unit_test(a_host_that_is_forgotten_was_never_met),
        cmocka_unit_test(a_forgotten_host_leaves_nothing_to_do),
        cmocka_unit_test_setup(what_follows_is_as_at_first, setup),
        cmocka_unit_test_setup(messages_are_numbered_modulo_two_to_the_30, setup),
        cmocka_unit_test(one_failed_allocation_is_recovered_from),
        cmocka_unit_test(without_any_more_memory_nothing_breaks),
        cmocka_unit_test(a_peer_that_cannot_be_made_costs_nothing),
    };
    return cmocka_run_group_tests_name("host/credit", tests, NULL, NULL);
}
