/* test/unit/host/test_credit_tx.c - what a sender puts on the wire and when, what it sends again, and what it does not believe.
 * Times: a full packet takes 123040 ps, a control packet 6720 ps, the way 2 us. */
#include "test/unit/host/swarm_log.h"

enum { LONG = 72001, LONG_PKTS = 50, LONG_LAST_WIRE = 639 }; /* one byte too long to go unscheduled */
static struct swarm *s;
static uint32_t to_lose;
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

static const struct weir_tx_msg *message(uint32_t index)
{
    return credit_tx_state(credit_tx_at(host_credit_of(s->host[0]), index));
}

static uint64_t held(void)
{
    struct weir_credit_sums sums;
    weir_host_credit(s->host[0], &sums);
    return sums.held_bytes;
}

/* CREDIT of host 1 about message 0 of host 0. */
static void credit(uint64_t now_ps, uint32_t granted_total, uint32_t seq, uint32_t flags)
{
    struct weir_pkt pkt = log_control(WEIR_PKT_CREDIT, 1, 0);
    pkt.ack = granted_total;
    pkt.seq = seq;
    pkt.flags = (uint8_t)flags;
    log_rx(s, now_ps, pkt);
}

/* Host 1 asks what became of it. */
static void ask(uint64_t now_ps, uint32_t granted_total)
{
    struct weir_pkt pkt = log_control(WEIR_PKT_CONTROL, 1, 0);
    pkt.conn = WEIR_PKT_NO_CONN;
    pkt.msg = UINT32_MAX;
    pkt.seq = WEIR_SIRD_ASK;
    pkt.ack = granted_total;
    log_rx(s, now_ps, pkt);
}

static uint32_t tx(uint64_t now_ps)
{
    return weir_host_tx(s->host[0], now_ps, out, 16);
}

static void a_message_of_one_packet_leaves_at_once(void **state)
{
    (void)state;
    swarm_message(s, 1000, 0, 1, 100);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(logged_, 2);
    const struct weir_pkt *p = &log_[0].pkt;
    assert_int_equal(log_[0].at_ps, 1000);
    assert_int_equal(p->kind, WEIR_PKT_DATA);
    assert_true(p->msg_bytes == (UINT64_C(1) << 48 | 100));
    assert_int_equal(p->conn + p->msg + p->seq + p->ack, 0);
    assert_int_equal(p->src, 0);
    assert_int_equal(p->dst, 1);
    assert_int_equal(p->payload_bytes, 100);
    assert_int_equal(p->wire_bytes, 180);
    assert_int_equal(p->flags, WEIR_PKT_ECT | WEIR_PKT_UNSCHED | WEIR_PKT_END);
    assert_int_equal(p->class_id, 0);
    assert_int_equal(s->msg[0].delivered_ps, 1000 + 180 * 80 + LOG_WAY_PS);
    assert_int_equal(log_[1].pkt.kind, WEIR_PKT_DONE);
    assert_int_equal(log_[1].at_ps, s->msg[0].delivered_ps);
    assert_int_equal(log_[1].pkt.flags, 0);
    assert_int_equal(s->finished, 1);
    assert_int_equal(weir_host_stats(s->host[0])->tx_done_bytes, 100);
    log_assert_quiet(s);
}

static void an_unscheduled_message_leaves_back_to_back(void **state)
{
    (void)state;
    swarm_message(s, 0, 0, 1, 3000);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_DATA), 3);
    assert_int_equal(logged_, 4);
    for (uint32_t i = 0; i < 3; i++) {
        const struct log_entry *e = log_of(WEIR_PKT_DATA, i);
        assert_int_equal(e->at_ps, i * LOG_FULL_PS);
        assert_int_equal(e->pkt.seq, i);
        assert_int_equal(e->pkt.payload_bytes, i < 2 ? 1458 : 84);
        assert_int_equal(e->pkt.wire_bytes, i < 2 ? 1538 : 164);
        assert_int_equal(e->pkt.flags, WEIR_PKT_ECT | WEIR_PKT_UNSCHED | (i == 2 ? WEIR_PKT_END : 0));
        assert_true(e->pkt.msg_bytes == (UINT64_C(3) << 48 | 3000));
    }
    assert_int_equal(s->msg[0].delivered_ps, 2 * LOG_FULL_PS + 164 * 80 + LOG_WAY_PS);
    assert_int_equal(weir_host_stats(s->host[0])->tx_acked_bytes, 3000);
}

/* A request goes and asks, credit comes at the link's rate, each credit brings its packet, the last one is answered. */
static void check_long(uint64_t asked_ps)
{
    uint64_t first_ps = asked_ps + 2 * (LOG_CONTROL_PS + LOG_WAY_PS), last_ps = first_ps + 49 * LOG_FULL_PS;
    assert_int_equal(log_count(WEIR_PKT_CREDIT), LONG_PKTS);
    assert_int_equal(log_count(WEIR_PKT_DATA), LONG_PKTS);
    for (uint32_t i = 0; i < LONG_PKTS; i++) {
        const struct log_entry *c = log_of(WEIR_PKT_CREDIT, i), *d = log_of(WEIR_PKT_DATA, i);
        uint32_t total = i < 49 ? (i + 1) * LOG_FULL : 49 * LOG_FULL + LONG_LAST_WIRE;
        assert_int_equal(c->at_ps, asked_ps + LOG_CONTROL_PS + LOG_WAY_PS + i * LOG_FULL_PS);
        assert_int_equal(c->pkt.ack, total);
        assert_int_equal(c->pkt.seq, i);
        assert_int_equal(d->at_ps, first_ps + i * LOG_FULL_PS);
        assert_int_equal(d->pkt.ack, total);
        assert_int_equal(d->pkt.seq, i);
        assert_int_equal(d->pkt.class_id, 1);
        assert_int_equal(d->pkt.flags, WEIR_PKT_ECT | (i == 49 ? WEIR_PKT_END : 0));
    }
    assert_int_equal(s->msg[0].delivered_ps, last_ps + LONG_LAST_WIRE * 80 + LOG_WAY_PS);
    assert_int_equal(s->finished, 1);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 0);
    log_assert_quiet(s);
}

static void a_longer_one_asks_and_is_credited_packet_by_packet(void **state)
{
    (void)state;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_[0].pkt.kind, WEIR_PKT_REQUEST);
    assert_int_equal(log_[0].at_ps, 0);
    assert_true(log_[0].pkt.msg_bytes == LONG);
    assert_int_equal(log_[0].pkt.class_id, 0);
    check_long(0);
    assert_int_equal(logged_, 1 + 50 + 50 + 1);
}

/* Loses as many of a kind as to_lose says, from the first on. */
static bool lose_requests(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_REQUEST && to_lose-- > 0;
}

static bool lose_done(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DONE && to_lose-- > 0;
}

/* Looks every 2 ms; silence of 4 ms, then of 8 ms since the first repetition, and so on. */
static void a_lost_request_is_repeated_ever_less_often(void **state)
{
    static const uint64_t at_ms[] = { 0, 4, 12, 28, 60, 124, 252, 380 }; /* the doubling ends at 64 loss times */
    (void)state;
    begin(lose_requests);
    to_lose = 7;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_REQUEST), 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(log_of(WEIR_PKT_REQUEST, i)->at_ps, at_ms[i] * WEIR_PS_PER_MS);
    check_long(380 * WEIR_PS_PER_MS);
}

/* All three packets are lost. The last left at 246080 ps, so the look at 6 ms is the first after 4 ms of silence. The
 * receiver waits a loss time for what should be on its way, then asks for it by name. */
static bool lose_unscheduled(const struct weir_pkt *pkt)
{
    return pkt->flags & WEIR_PKT_UNSCHED;
}

static void a_lost_unscheduled_message_is_announced_and_sent_again(void **state)
{
    uint64_t heard_ps = 6 * WEIR_PS_PER_MS + LOG_CONTROL_PS + LOG_WAY_PS, again_ps = heard_ps + 2 * WEIR_PS_PER_MS;
    (void)state;
    begin(lose_unscheduled);
    swarm_message(s, 0, 0, 1, 3000);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_REQUEST), 1);
    assert_int_equal(log_of(WEIR_PKT_REQUEST, 0)->at_ps, 6 * WEIR_PS_PER_MS);
    assert_true(log_of(WEIR_PKT_REQUEST, 0)->pkt.msg_bytes == (UINT64_C(3) << 48 | 3000));
    assert_int_equal(log_count(WEIR_PKT_CREDIT), 3);
    assert_int_equal(log_count(WEIR_PKT_DATA), 6);
    for (uint32_t i = 0; i < 3; i++) {
        const struct log_entry *c = log_of(WEIR_PKT_CREDIT, i), *d = log_of(WEIR_PKT_DATA, 3 + i);
        assert_int_equal(c->at_ps, again_ps + i * LOG_FULL_PS);
        assert_int_equal(c->pkt.flags, WEIR_PKT_RETX);
        assert_int_equal(c->pkt.seq, i);
        assert_int_equal(d->at_ps, c->at_ps + LOG_CONTROL_PS + LOG_WAY_PS);
        assert_int_equal(d->pkt.seq, i);
        assert_int_equal(d->pkt.flags, WEIR_PKT_ECT | WEIR_PKT_RETX | (i == 2 ? WEIR_PKT_END : 0));
        assert_int_equal(d->pkt.class_id, 1);
    }
    assert_int_equal(s->msg[0].delivered_ps,
                     again_ps + 2 * LOG_FULL_PS + LOG_CONTROL_PS + LOG_WAY_PS + 164 * 80 + LOG_WAY_PS);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 3);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
    assert_int_equal(s->finished, 1);
    log_assert_quiet(s);
}

static void a_lost_done_is_asked_for(void **state)
{
    (void)state;
    begin(lose_done);
    to_lose = 1;
    swarm_message(s, 0, 0, 1, 100);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(logged_, 4); /* DATA, DONE, REQUEST, DONE */
    assert_int_equal(log_[2].pkt.kind, WEIR_PKT_REQUEST);
    assert_int_equal(log_[2].at_ps, 4 * WEIR_PS_PER_MS);
    assert_int_equal(log_[3].pkt.kind, WEIR_PKT_DONE);
    assert_int_equal(log_[3].at_ps, 4 * WEIR_PS_PER_MS + LOG_CONTROL_PS + LOG_WAY_PS);
    assert_int_equal(s->finished, 1);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 0);
    log_assert_quiet(s);
}

static void repeated_credit_and_done_change_nothing(void **state)
{
    struct weir_pkt done = log_control(WEIR_PKT_DONE, 1, 0);
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 75000), 0);
    assert_int_equal(tx(0), 1);
    credit(10, 2 * LOG_FULL, 1, 0); /* the second overtook the first */
    credit(20, LOG_FULL, 0, 0);
    credit(30, 2 * LOG_FULL, 1, 0);
    assert_int_equal(held(), 2 * LOG_FULL);
    assert_int_equal(tx(40), 2);
    assert_int_equal(out[1].seq, 1);
    assert_int_equal(out[1].ack, 2 * LOG_FULL);
    log_rx(s, 50, done); /* with what was never sent? */
    assert_int_equal(weir_host_stats(s->host[0])->refused_pkts, 1);
    assert_int_equal(s->finished, 0);
    credit(60, 52 * LOG_FULL, 51, 0);
    for (uint32_t left = 50; left > 0;)
        left -= tx(70);
    s->msg[0].delivered = 1; /* so the harness believes the DONE */
    log_rx(s, 80, done);
    log_rx(s, 90, done);
    done.msg = 7;
    log_rx(s, 90, done);
    assert_int_equal(s->finished, 1);
    assert_int_equal(weir_host_stats(s->host[0])->duplicates, 2);
    assert_false(weir_host_ready(s->host[0]));
}

/* A handle is used again at once: control packets about the message before name another number, and are not taken for it. */
static void a_handle_that_is_used_again_is_another_message(void **state)
{
    struct weir_pkt done = log_control(WEIR_PKT_DONE, 1, 0);
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 100), 0);
    assert_int_equal(tx(0), 1);
    credit(5, 0, 0, WEIR_PKT_RETX); /* it was late, not lost: the DONE comes next */
    assert_int_equal(message(0)->again_pkts, 1);
    s->msg[0].delivered = 1;
    log_rx(s, 10, done);
    assert_int_equal(host_credit_of(s->host[0])->agains.free, 0);
    assert_int_equal(weir_host_send(s->host[0], 20, 1, 0, 200), 0); /* handle 0, number 1 */
    assert_int_equal(tx(20), 1);
    assert_int_equal(out[0].conn, 1);
    assert_int_equal(host_credit_of(s->host[0])->txs.count, 1); /* the record, too */
    log_rx(s, 30, done);
    credit(30, 0, 0, WEIR_PKT_RETX);
    assert_int_equal(weir_host_stats(s->host[0])->duplicates, 1);
    assert_int_equal(message(0)->again_pkts, 0);
    struct weir_pkt again = log_control(WEIR_PKT_CREDIT, 1, 0);
    again.conn = 1, again.flags = WEIR_PKT_RETX;
    log_rx(s, 30, again);
    assert_int_equal(message(0)->again_pkts, 1); /* nothing is left of the one before */
    assert_int_equal(message(0)->left_bytes, 200);
    done.conn = 1;
    done.src = 2; /* and from the right host */
    log_rx(s, 40, done);
    assert_int_equal(host_credit_of(s->host[0])->peers.count, 2);
    assert_int_equal(weir_host_stats(s->host[0])->tx_done_bytes, 100);
}

static void a_packet_goes_again_once_per_asking_and_spends_credit(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    assert_int_equal(tx(0), 3);
    credit(10, 0, 1, WEIR_PKT_RETX);
    credit(20, 0, 1, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, 1);
    assert_int_equal(message(0)->left_bytes, 1458);
    assert_int_equal(message(0)->next_wire_bytes, LOG_FULL);
    assert_int_equal(tx(30), 0);            /* no credit came with it */
    credit(40, LOG_FULL, 3, WEIR_PKT_RETX); /* no such packet: but the credit is good, though nothing is in line now */
    assert_int_equal(message(0)->again_pkts, 0);
    assert_int_equal(tx(50), 0);
    credit(60, LOG_FULL, 1, WEIR_PKT_RETX);
    assert_int_equal(tx(70), 1);
    assert_int_equal(out[0].seq, 1);
    assert_int_equal(out[0].ack, LOG_FULL);
    assert_int_equal(out[0].flags, WEIR_PKT_ECT | WEIR_PKT_RETX);
    assert_int_equal(message(0)->left_bytes, 0);
    assert_int_equal(held(), 0);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 1);
    assert_int_equal(weir_host_stats(s->host[0])->tx_acked_bytes, 3000); /* counted once */
}

/* All packets of a window, and one more whose bit of the bitmap is that of packet 0: it is asked for later. */
static void a_whole_window_may_go_again_and_no_more(void **state)
{
    enum { WINDOW = WEIR_CREDIT_WINDOW_PKTS };
    struct weir_pkt all = log_control(WEIR_PKT_CREDIT, 1, 0);
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, (WINDOW + 1) * 1458), 0);
    assert_int_equal(tx(0), 1); /* its REQUEST */
    credit(10, (WINDOW + 1) * LOG_FULL, WINDOW, 0);
    for (uint32_t left = WINDOW + 1; left > 0;) {
        uint32_t n = tx(20);
        assert_in_range(n, 1, left);
        left -= n;
    }
    all.ack = (WINDOW + 1) * LOG_FULL;
    all.flags = WEIR_PKT_RETX;
    all.value = WINDOW - 2; /* WINDOW - 1 packets, 0 is the first */
    log_rx(s, 30, all);
    assert_int_equal(message(0)->again_pkts, WINDOW - 1);
    credit(40, (WINDOW + 1) * LOG_FULL, WINDOW - 1, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, WINDOW);
    credit(50, (WINDOW + 1) * LOG_FULL, WINDOW, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, WINDOW);
    assert_int_equal(message(0)->left_bytes, WINDOW * 1458);
}

/* A ring of eight entries at first, and of twice as many for the ninth. */
static void a_ring_of_packets_that_go_again_grows_when_it_is_full(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 9 * 1458), 0);
    assert_int_equal(tx(0), 9);
    for (uint32_t i = 0; i < 9; i++) {
        credit(10 + i, 0, i, WEIR_PKT_RETX);
        const struct credit_again *again = host_at(&host_credit_of(s->host[0])->agains, 0, 0);
        assert_int_equal(again->ring.count, i + 1);
        assert_int_equal(again->ring.capacity, i < 8 ? 8 : 16);
    }
}

static void the_progress_of_a_message_is_what_was_sent_at_least_once(void **state)
{
    struct weir_host_flow flow;
    (void)state;
    assert_false(weir_host_flow(s->host[0], 0, &flow));
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    assert_true(weir_host_flow(s->host[0], 0, &flow));
    assert_int_equal(flow.sent_bytes, 0);
    assert_int_equal(weir_host_tx(s->host[0], 0, out, 2), 2);
    assert_true(weir_host_flow(s->host[0], 0, &flow));
    assert_int_equal(flow.sent_bytes, 2 * 1458);
    credit(10, LOG_FULL, 1, WEIR_PKT_RETX);
    assert_int_equal(tx(20), 2); /* packet 1 again, and the short one */
    assert_true(weir_host_flow(s->host[0], 0, &flow));
    assert_int_equal(flow.sent_bytes, 3000);
    assert_int_equal(flow.acked_bytes + flow.rate_bps + flow.cwnd_bytes, 0);
    assert_int_equal(weir_host_cancel(s->host[0], 30, 0), 0);
    assert_false(weir_host_flow(s->host[0], 0, &flow));
    assert_int_equal(flow.sent_bytes, 0);
}

/* Packet 1 stands in line but is here by now: credit for the short packet 2 would never suffice for it. */
static void what_is_asked_for_twice_goes_first(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 2 * LOG_MSS + 67), 0);
    assert_int_equal(tx(0), 3);
    credit(10, 0, 1, WEIR_PKT_RETX);
    credit(20, 147, 2, WEIR_PKT_RETX);
    assert_int_equal(tx(30), 0);
    credit(40, 147, 2, WEIR_PKT_RETX);
    assert_int_equal(tx(50), 1);
    assert_int_equal(out[0].seq, 2);
    assert_int_equal(out[0].wire_bytes, 147);
    assert_int_equal(message(0)->again_pkts, 1);
    assert_int_equal(message(0)->next_wire_bytes, LOG_FULL);
}

/* The same with a packet that was never sent: those sent before, asked for and in line, make way for it. */
static void what_was_never_sent_is_not_held_up_by_what_stands_in_line(void **state)
{
    (void)state;
    s->sird.unscht.bytes = 0;
    assert_int_equal(log_send(s, 0, 0, 1, LOG_MSS + 67), 0);
    credit(10, LOG_FULL, 0, 0);
    assert_int_equal(tx(20), 2); /* REQUEST and packet 0 */
    credit(30, LOG_FULL, 0, WEIR_PKT_RETX);
    assert_int_equal(message(0)->left_bytes, LOG_MSS + 67);
    credit(40, LOG_FULL + 147, 1, WEIR_PKT_RETX);
    assert_int_equal(message(0)->left_bytes, 67);
    assert_int_equal(message(0)->again_pkts, 0);
    assert_int_equal(tx(50), 1);
    assert_int_equal(out[0].seq, 1);
    assert_int_equal(out[0].flags, WEIR_PKT_ECT | WEIR_PKT_END);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 0);
}

/* 8192 packets apart two packets share a bit: the second is not lost track of, only asked for once more. */
static void packets_a_window_apart_do_not_stand_in_line_together(void **state)
{
    enum { PKTS = 8200 };
    uint32_t sent = 0;
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, (uint64_t)PKTS * LOG_MSS), 0);
    credit(10, PKTS * LOG_FULL, 0, 0);
    while (sent <= PKTS) /* and the REQUEST */
        sent += tx(20);
    credit(30, PKTS * LOG_FULL, 5, WEIR_PKT_RETX);
    credit(40, PKTS * LOG_FULL, 5 + 8192, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, 1);
    credit(50, (PKTS + 2) * LOG_FULL, 6 + 8192, WEIR_PKT_RETX);
    assert_int_equal(tx(60), 2);
    assert_int_equal(out[0].seq, 5);
    assert_int_equal(out[1].seq, 6 + 8192);
    assert_int_equal(host_credit_of(s->host[0])->agains.free, 0); /* given back */
}

static void what_cannot_be_started_is_refused(void **state)
{
    struct weir_host *h = s->host[0];
    (void)state;
    assert_int_equal(weir_host_send(h, 0, 1, 0, UINT64_C(1) << 48), WEIR_E_RANGE);
    assert_int_equal(weir_host_send(h, 0, 1, 0, (UINT64_C(1) << 32) * LOG_MSS), WEIR_E_RANGE);
    assert_int_equal(weir_host_send(h, 0, WEIR_PKT_HOSTS_MAX, 0, 1), WEIR_E_RANGE);
    assert_int_equal(weir_host_send(h, 0, 0, 0, 1), WEIR_E_RANGE); /* to itself */
    assert_int_equal(weir_host_send(h, 0, 1, UINT32_MAX, 1), WEIR_E_MEMORY);
    assert_int_equal(weir_host_send(h, 0, 1, 1u << 30, 1), WEIR_E_MEMORY);
    assert_false(weir_host_ready(h));
    assert_int_equal(host_credit_of(h)->txs.count, 0);
    assert_int_equal(weir_host_next_ps(h), WEIR_NEVER);
    assert_int_equal(weir_host_send(h, 0, 1, 0, (UINT64_C(1) << 32) * LOG_MSS - LOG_MSS), 0); /* 2^32 - 1 packets */
    assert_int_equal(message(0)->pkts, UINT32_MAX);
    assert_int_equal(tx(0), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
}

/* --- aborts --- */

/* Two packets of it went, credit for two more is there, and a packet is asked for again: nothing of it leaves any more. The
 * checks of the peer come every 2 ms from its first packet on; 4, 8 and 16 ms of silence pass between the ABORTs. */
static void an_abort_is_repeated_until_the_message_is_done(void **state)
{
    uint32_t aborts = 0;
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, LONG), 0);
    credit(10, 2 * LOG_FULL, 1, 0);
    assert_int_equal(tx(10), 3); /* the request and two packets */
    credit(20, 4 * LOG_FULL, 3, 0);
    swarm_cancel(s, 30, 0);
    assert_int_equal(tx(30), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_ABORT);
    assert_int_equal(out[0].conn + out[0].msg, 0);
    assert_true(out[0].msg_bytes == LONG);
    assert_int_equal(out[0].dst, 1);
    assert_int_equal(out[0].wire_bytes, LOG_CONTROL);
    assert_int_equal(held(), 2 * LOG_FULL);
    credit(40, 5 * LOG_FULL, 0, WEIR_PKT_RETX);
    assert_int_equal(held(), 3 * LOG_FULL);
    swarm_cancel(s, 50, 0); /* again: nothing */
    assert_false(weir_host_ready(s->host[0]));
    for (uint32_t look = 1; look <= 15; look++) {
        uint32_t n = tx(look * 2 * WEIR_PS_PER_MS);
        assert_int_equal(n, look == 3 || look == 7 || look == 15);
        aborts += n;
        assert_true(n == 0 || out[0].kind == WEIR_PKT_ABORT);
    }
    assert_int_equal(aborts, 3);
    log_rx(s, 31 * WEIR_PS_PER_MS, log_control(WEIR_PKT_DONE, 1, 0));
    assert_int_equal(s->finished, 1);
    assert_int_equal(weir_host_stats(s->host[0])->tx_done_bytes, 0);
    assert_int_equal(weir_host_cancel(s->host[0], 31 * WEIR_PS_PER_MS, 0), WEIR_E_UNKNOWN);
    ask(32 * WEIR_PS_PER_MS, 5 * LOG_FULL); /* what is held is returned when asked after */
    assert_int_equal(tx(32 * WEIR_PS_PER_MS), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CONTROL);
    assert_int_equal(out[0].ack, 5 * LOG_FULL);
    log_assert_quiet(s);
}

/* A message that asked at 0, 4 and 12 ms and would ask again at 28: its ABORT begins to count anew. */
static void an_abort_is_as_urgent_as_the_first_request(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, LONG), 0);
    for (uint32_t look = 0; look <= 6; look++)
        assert_int_equal(tx(look * 2 * WEIR_PS_PER_MS), look == 0 || look == 2 || look == 6);
    swarm_cancel(s, 13 * WEIR_PS_PER_MS, 0);
    assert_int_equal(tx(13 * WEIR_PS_PER_MS), 1);
    for (uint32_t look = 7; look <= 13; look++)
        assert_int_equal(tx(look * 2 * WEIR_PS_PER_MS), look == 9 || look == 13);
}

static void credit_for_an_aborted_message_is_good_for_others(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, LONG), 0);
    assert_int_equal(log_send(s, 0, 0, 1, LONG + 1), 0);
    assert_int_equal(tx(0), 2);
    swarm_cancel(s, 10, 0);
    assert_int_equal(tx(10), 1);
    credit(20, LOG_FULL, 0, 0); /* its number and handle are those of the first */
    assert_int_equal(tx(20), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DATA);
    assert_int_equal(out[0].conn, 1);
    assert_int_equal(out[0].ack, LOG_FULL);
    assert_int_equal(weir_host_cancel(s->host[0], 30, 2), WEIR_E_UNKNOWN);
    assert_int_equal(weir_host_cancel(s->host[0], 30, UINT32_MAX), WEIR_E_UNKNOWN);
}

static void what_stood_in_line_to_go_again_does_not(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    assert_int_equal(tx(0), 3);
    credit(10, 0, 0, WEIR_PKT_RETX);
    credit(20, 0, 1, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, 2);
    swarm_cancel(s, 30, 0);
    assert_int_equal(message(0)->again_pkts, 0);
    credit(40, 2 * LOG_FULL, 0, WEIR_PKT_RETX);
    assert_int_equal(message(0)->again_pkts, 0);
    assert_int_equal(tx(40), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_ABORT);
    assert_true(out[0].msg_bytes == (UINT64_C(3) << 48 | 3000));
    log_rx(s, 50, log_control(WEIR_PKT_DONE, 1, 0));
    assert_int_equal(s->finished, 1);
    ask(60, 2 * LOG_FULL);
    log_assert_quiet(s);
}

static bool lose_first_done(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DONE && to_lose > 0 && to_lose-- > 0;
}

/* It had been delivered, only its DONE was lost: aborting it brings another one. */
static void what_had_arrived_is_done_and_not_dropped(void **state)
{
    (void)state;
    begin(lose_first_done);
    to_lose = 1;
    swarm_message(s, 0, 0, 1, 3000);
    swarm_run(s, WEIR_PS_PER_MS);
    assert_int_equal(s->delivered, 1);
    assert_int_equal(s->finished, 0);
    s->now_ps = WEIR_PS_PER_MS;
    swarm_cancel(s, s->now_ps, 0);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_of(WEIR_PKT_DONE, 1)->at_ps, WEIR_PS_PER_MS + LOG_CONTROL_PS + LOG_WAY_PS);
    assert_int_equal(log_count(WEIR_PKT_ABORT), 1);
    assert_int_equal(s->finished, 1);
    assert_int_equal(s->dropped, 0);
    log_assert_quiet(s);
}

/* Where unscheduled bytes are charged, a sender grants them to itself: 2 * 1538 + 164. Aborted, they are spent, and the receiver
 * that knows the message from its ABORT only takes them for lost, like any others. */
static void what_was_granted_to_itself_comes_back(void **state)
{
    uint64_t look_ps = LOG_CONTROL_PS + LOG_WAY_PS + 2 * WEIR_PS_PER_MS;
    struct weir_credit_sums sums;
    (void)state;
    s = log_reset(2, NULL);
    s->sird.unsched_accounting = WEIR_SIRD_CHARGED;
    swarm_start(s);
    assert_int_equal(log_send(s, 0, 0, 1, 3000), 0);
    assert_int_equal(held(), 3240);
    swarm_cancel(s, 0, 0);
    assert_int_equal(held(), 0);
    swarm_run(s, look_ps +
                     4 * WEIR_PS_PER_MS); /* asked at the first look, closed at the second, found lost at the third */
    weir_host_credit(s->host[1], &sums);
    assert_int_equal(sums.outstanding_bytes, 3240);
    assert_int_equal(log_of(WEIR_PKT_CONTROL, 0)->at_ps, look_ps);
    assert_int_equal(log_of(WEIR_PKT_CONTROL, 1)->pkt.ack, 3240);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(s->now_ps, look_ps + 4 * WEIR_PS_PER_MS);
    assert_int_equal(log_count(WEIR_PKT_DATA), 0);
    assert_int_equal(s->finished, 1);
    assert_int_equal(s->dropped, 0);
    log_assert_quiet(s);
}

/* Requests and unscheduled DATA are of class 0, scheduled DATA of class 1. */
static void a_paused_class_waits_and_the_other_goes_on(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 1000, 0, 1, LONG), 0);
    assert_int_equal(log_send(s, 1000, 0, 1, 100), 0);
    weir_host_pause(s->host[0], 1u << 0);
    assert_false(weir_host_ready(s->host[0]));
    assert_int_equal(tx(2000), 0);
    credit(3000, LOG_FULL, 0, 0);
    assert_true(weir_host_ready(s->host[0]));
    assert_int_equal(tx(3000), 1);
    assert_int_equal(out[0].class_id, 1);
    weir_host_pause(s->host[0], 1u << 1);
    credit(4000, 2 * LOG_FULL, 0, 0);
    assert_int_equal(tx(4000), 2);
    assert_int_equal(out[0].kind, WEIR_PKT_REQUEST);
    assert_int_equal(out[1].kind, WEIR_PKT_DATA);
    assert_int_equal(out[1].msg, 1);
    assert_int_equal(out[1].class_id, 0);
    assert_false(weir_host_ready(s->host[0]));
    assert_int_equal(held(), LOG_FULL);
    weir_host_pause(s->host[0], 0);
    assert_int_equal(tx(5000), 1);
    assert_int_equal(out[0].seq, 1);
    assert_int_equal(held(), 0);
}

/* The receiver may ask what became of credit while it cannot be spent: it is kept. */
static void a_pause_is_no_reason_to_settle_credit(void **state)
{
    (void)state;
    assert_int_equal(log_send(s, 1000, 0, 1, LONG), 0);
    weir_host_pause(s->host[0], 1u << 1);
    credit(2000, LOG_FULL, 0, 0);
    ask(3000, LOG_FULL);
    assert_int_equal(held(), LOG_FULL);
    assert_int_equal(tx(3000), 2);
    assert_int_equal(out[1].kind, WEIR_PKT_CONTROL);
    assert_int_equal(out[1].ack, 0); /* nothing was spent */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_paused_class_waits_and_the_other_goes_on, setup),
        cmocka_unit_test_setup(a_pause_is_no_reason_to_settle_credit, setup),
        cmocka_unit_test_setup(a_message_of_one_packet_leaves_at_once, setup),
        cmocka_unit_test_setup(an_unscheduled_message_leaves_back_to_back, setup),
        cmocka_unit_test_setup(a_longer_one_asks_and_is_credited_packet_by_packet, setup),
        cmocka_unit_test_setup(a_lost_request_is_repeated_ever_less_often, setup),
        cmocka_unit_test_setup(a_lost_unscheduled_message_is_announced_and_sent_again, setup),
        cmocka_unit_test_setup(a_lost_done_is_asked_for, setup),
        cmocka_unit_test_setup(repeated_credit_and_done_change_nothing, setup),
        cmocka_unit_test_setup(a_handle_that_is_used_again_is_another_message, setup),
        cmocka_unit_test_setup(a_whole_window_may_go_again_and_no_more, setup),
        cmocka_unit_test_setup(a_ring_of_packets_that_go_again_grows_when_it_is_full, setup),
        cmocka_unit_test_setup(the_progress_of_a_message_is_what_was_sent_at_least_once, setup),
        cmocka_unit_test_setup(a_packet_goes_again_once_per_asking_and_spends_credit, setup),
        cmocka_unit_test_setup(what_is_asked_for_twice_goes_first, setup),
        cmocka_unit_test_setup(what_was_never_sent_is_not_held_up_by_what_stands_in_line, setup),
        cmocka_unit_test_setup(packets_a_window_apart_do_not_stand_in_line_together, setup),
        cmocka_unit_test_setup(what_cannot_be_started_is_refused, setup),
        cmocka_unit_test_setup(an_abort_is_repeated_until_the_message_is_done, setup),
        cmocka_unit_test_setup(an_abort_is_as_urgent_as_the_first_request, setup),
        cmocka_unit_test_setup(credit_for_an_aborted_message_is_good_for_others, setup),
        cmocka_unit_test_setup(what_stood_in_line_to_go_again_does_not, setup),
        cmocka_unit_test(what_had_arrived_is_done_and_not_dropped),
        cmocka_unit_test(what_was_granted_to_itself_comes_back),
    };
    return cmocka_run_group_tests_name("host/credit_tx", tests, NULL, NULL);
}
