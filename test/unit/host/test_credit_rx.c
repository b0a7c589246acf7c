/* test/unit/host/test_credit_rx.c - what a receiver makes of packets in any order, twice, late, lost or made up, and how it gets
 * what is missing. Times: a full packet takes 123040 ps, a control packet 6720 ps, the way 2 us. */
#include "test/unit/host/swarm_log.h"

enum { LONG = 72001, LONG_LAST_WIRE = 639 };                          /* 50 packets, scheduled */
enum { HUGE_PKTS = 8300, HUGE_BYTES = HUGE_PKTS * LOG_MSS };          /* 12.1 MB: more packets than the window */
#define LONG_HEARD_PS (LOG_CONTROL_PS + LOG_WAY_PS)                   /* a request of time 0 arrives */
#define LONG_FIRST_PS (2 * LONG_HEARD_PS)                             /* the first packet leaves */
#define LOOK_PS(n) (LONG_HEARD_PS + (n)*2 * (uint64_t)WEIR_PS_PER_MS) /* the receiver's n-th look at its peer */
static struct swarm *s;
static uint32_t to_lose, blocked;
static struct weir_pkt out[64];

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

/* Message 0 is known to the harness, as if host 0 had sent it. */
static void expect_message(uint64_t bytes)
{
    swarm_message(s, 0, 0, 1, bytes);
    s->started = s->msgs;
}

static uint32_t tx(uint64_t now_ps)
{
    return weir_host_tx(s->host[1], now_ps, out, 64);
}

static const struct weir_host_stats *stats(void)
{
    return weir_host_stats(s->host[1]);
}

static const struct credit_peer *peer(void)
{
    return credit_peer_at(host_credit_of(s->host[1]), 0);
}

/* Inbound messages that have a record. */
static uint32_t live(void)
{
    uint32_t count = 0;
    for (uint32_t i = peer()->rx_head; i != HOST_NONE; i = credit_rx_at(host_credit_of(s->host[1]), i)->next)
        count++;
    return count;
}

static struct credit_rx *record(void)
{
    return credit_rx_at(host_credit_of(s->host[1]), 0);
}

static enum weir_host_inbound inbound(uint32_t conn)
{
    return weir_host_inbound(s->host[1], 0, &(struct weir_pkt){ .conn = conn });
}

static const struct weir_sird_peer *account(void)
{
    return credit_peer_state(credit_peer_at(host_credit_of(s->host[1]), 0));
}

static void packets_in_reverse_order_are_put_together(void **state)
{
    (void)state;
    expect_message(6000); /* 5 packets, the last of 168 bytes */
    for (uint32_t left = 4; left > 0; left--) {
        log_rx(s, 10, log_data(6000, 5, left));
        assert_int_equal(s->delivered, 0);
        assert_int_equal(credit_rx_state(record())->cum, 0);
        assert_int_equal(s->host[1]->gaps.count, 1);
    }
    assert_false(weir_host_ready(s->host[1]));
    log_rx(s, 20, log_data(6000, 5, 0));
    assert_int_equal(s->delivered, 1);
    assert_int_equal(stats()->rx_new_bytes, 6000);
    assert_int_equal(tx(20), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
    assert_int_equal(out[0].dst, 0);
    assert_int_equal(out[0].conn + out[0].msg, 0);
    assert_int_equal(peer()->rx_base, 1);
    assert_int_equal(peer()->ring.count, 0);
    log_assert_quiet(s);
}

static void what_comes_twice_counts_once(void **state)
{
    struct weir_pkt request = log_control(WEIR_PKT_REQUEST, 0, 1);
    (void)state;
    expect_message(3000);
    log_rx(s, 10, log_data(3000, 3, 1));
    log_rx(s, 20, log_data(3000, 3, 1)); /* beyond the edge */
    log_rx(s, 30, log_data(3000, 3, 0));
    log_rx(s, 40, log_data(3000, 3, 0)); /* below it */
    assert_int_equal(stats()->duplicates, 2);
    assert_int_equal(stats()->rx_new_bytes, 2916);
    request.msg_bytes = UINT64_C(3) << 48 | 3000;
    log_rx(s, 50, request); /* of a message that is arriving: no answer */
    assert_false(weir_host_ready(s->host[1]));
    assert_int_equal(host_credit_of(s->host[1])->rxs.count, 1);
    log_rx(s, 60, log_data(3000, 3, 2));
    assert_int_equal(tx(60), 1);
    log_rx(s, 70, log_data(3000, 3, 2)); /* after the end */
    log_rx(s, 80, log_data(3000, 3, 0));
    assert_int_equal(stats()->duplicates, 4);
    assert_int_equal(stats()->rx_again_pkts, 4);
    assert_false(weir_host_ready(s->host[1]));
    log_rx(s, 90, request); /* the sender has not heard of it: it is told once more */
    assert_int_equal(tx(90), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
    assert_int_equal(s->delivered, 1);
    assert_int_equal(stats()->refused_pkts, 0);
    log_assert_quiet(s);
}

/* Alone it is found by its peer's list; when another begins both get entries, and either may end first. */
static void a_message_that_is_alone_needs_no_entry(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < 6; m++)
        expect_message(2000);
    for (uint32_t m = 0; m < 6; m += 2) {
        struct weir_pkt a = log_data(2000, 2, 0), b = a, a_end = log_data(2000, 2, 1), b_end = a_end;
        a.conn = a.msg = a_end.conn = a_end.msg = m;
        b.conn = b.msg = b_end.conn = b_end.msg = m + 1;
        log_rx(s, 10, a);
        assert_int_equal(peer()->ring.count, 0);
        assert_int_equal(inbound(m), WEIR_INBOUND_OPEN);
        assert_int_equal(inbound(m + 1), WEIR_INBOUND_NEW);
        log_rx(s, 20, b);
        assert_int_equal(peer()->ring.count, 2);
        assert_int_equal(inbound(m), WEIR_INBOUND_OPEN);
        log_rx(s, 30, m == 0 ? b_end : a_end);
        assert_int_equal(s->delivered, m + 1);
        log_rx(s, 40, m == 0 ? a_end : b_end);
        assert_int_equal(peer()->ring.count, 0);
        assert_int_equal(peer()->rx_base, m + 2);
        log_rx(s, 50, a);
        log_rx(s, 50, b_end);
        assert_int_equal(stats()->duplicates, m + 2);
    }
    assert_int_equal(s->delivered, 6);
    assert_int_equal(stats()->refused_pkts, 0);
}

/* Message 1 is here before message 0 was ever heard of; numbers go round 2^32. */
static void messages_end_in_any_order_over_the_end_of_numbers(void **state)
{
    struct weir_pkt a = log_data(100, 1, 0), b = a, c = a;
    (void)state;
    for (uint32_t m = 0; m < 3; m++)
        expect_message(100);
    (void)host_credit_peer(s->host[1], 0);
    ((struct credit_peer *)credit_peer_at(host_credit_of(s->host[1]), 0))->rx_base = UINT32_MAX;
    a.conn = WEIR_PKT_NO_CONN, b.conn = 0, c.conn = 1;
    b.msg = 1, c.msg = 2;
    log_rx(s, 10, c);
    assert_int_equal(peer()->ring.count, 3);
    log_rx(s, 20, a);
    assert_int_equal(peer()->rx_base, 0);
    log_rx(s, 30, c);
    log_rx(s, 30, a);
    assert_int_equal(stats()->duplicates, 2);
    log_rx(s, 40, b);
    assert_int_equal(peer()->rx_base, 2);
    assert_int_equal(peer()->ring.count, 0);
    assert_int_equal(s->delivered, 3);
    assert_int_equal(host_credit_of(s->host[1])->rxs.count, 1); /* one record was enough */
    assert_int_equal(tx(50), 3);
}

static bool lose_credits(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_CREDIT && pkt->seq == to_lose && !(pkt->flags & WEIR_PKT_RETX);
}

static bool lose_data(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA && pkt->seq == to_lose && !(pkt->flags & WEIR_PKT_RETX);
}

/* The next credit tells the total: two packets go after it, and from then on everything is a packet late. */
static void a_lost_credit_is_made_up_for_by_the_next(void **state)
{
    (void)state;
    begin(lose_credits);
    to_lose = 7;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_DATA), 50);
    assert_int_equal(log_of(WEIR_PKT_DATA, 6)->at_ps, LONG_FIRST_PS + 6 * LOG_FULL_PS);
    assert_int_equal(log_of(WEIR_PKT_DATA, 7)->at_ps, LONG_FIRST_PS + 8 * LOG_FULL_PS);
    assert_int_equal(log_of(WEIR_PKT_DATA, 7)->pkt.ack, 8 * LOG_FULL);
    assert_int_equal(s->msg[0].delivered_ps, LONG_FIRST_PS + 50 * LOG_FULL_PS + LONG_LAST_WIRE * 80 + LOG_WAY_PS);
    assert_int_equal(stats()->timeouts, 0);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 0);
    log_assert_quiet(s);
}

/* No credit comes after the last one. After a loss time of silence (found at the second look, the first comes 10 us too
 * early for it) the sender is asked what became of it: the question tells the total, and the answer leaves first. The packet
 * is asked for by name, too; what that grants is not needed any more, and is returned when asked again. */
static void a_lost_last_credit_comes_with_the_question(void **state)
{
    (void)state;
    begin(lose_credits);
    to_lose = 49;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    const struct log_entry *ask = log_of(WEIR_PKT_CONTROL, 0), *again = log_of(WEIR_PKT_CREDIT, 50);
    assert_int_equal(ask->at_ps, LOOK_PS(2));
    assert_int_equal(ask->pkt.seq, WEIR_SIRD_ASK);
    assert_int_equal(ask->pkt.conn, WEIR_PKT_NO_CONN);
    assert_int_equal(ask->pkt.msg, UINT32_MAX);
    assert_int_equal(ask->pkt.ack, 49 * LOG_FULL + LONG_LAST_WIRE);
    assert_int_equal(again->at_ps, LOOK_PS(2) + LOG_CONTROL_PS);
    assert_int_equal(again->pkt.seq, 49);
    assert_int_equal(again->pkt.flags, WEIR_PKT_RETX);
    assert_int_equal(log_of(WEIR_PKT_CONTROL, 1)->pkt.ack, 49 * LOG_FULL);
    assert_int_equal(log_of(WEIR_PKT_DATA, 49)->at_ps, LOOK_PS(2) + LOG_CONTROL_PS + LOG_WAY_PS + LOG_CONTROL_PS);
    assert_int_equal(s->msg[0].delivered_ps, log_of(WEIR_PKT_DATA, 49)->at_ps + LONG_LAST_WIRE * 80 + LOG_WAY_PS);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 0);
    assert_int_equal(stats()->timeouts, 1);
    log_assert_quiet(s);
}

static void a_lost_last_packet_is_asked_for_by_name(void **state)
{
    (void)state;
    begin(lose_data);
    to_lose = 49;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_DATA), 51);
    const struct log_entry *again = log_of(WEIR_PKT_CREDIT, 50), *data = log_of(WEIR_PKT_DATA, 50);
    assert_int_equal(log_of(WEIR_PKT_CONTROL, 0)->pkt.seq, WEIR_SIRD_ASK);
    assert_int_equal(again->at_ps, LOOK_PS(2) + LOG_CONTROL_PS);
    assert_int_equal(again->pkt.seq, 49);
    assert_int_equal(again->pkt.ack, 49 * LOG_FULL + 2 * LONG_LAST_WIRE);
    assert_int_equal(data->at_ps, again->at_ps + LOG_CONTROL_PS + LOG_WAY_PS);
    assert_int_equal(data->pkt.flags, WEIR_PKT_ECT | WEIR_PKT_RETX | WEIR_PKT_END);
    assert_int_equal(s->msg[0].delivered_ps, data->at_ps + LONG_LAST_WIRE * 80 + LOG_WAY_PS);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 1);
    assert_int_equal(stats()->timeouts, 1);
    assert_int_equal(s->finished, 1);
    log_assert_quiet(s);
}

static void count_blocked(struct swarm *w)
{
    const struct host_credit *c = host_credit_of(w->host[1]);
    if (c->rxs.count > 0 && credit_rx_at(c, 0)->flags & CREDIT_RX_BLOCKED) {
        assert_int_equal(credit_rx_state(credit_rx_at(c, 0))->cum, 0);
        assert_int_equal(credit_rx_state(credit_rx_at(c, 0))->granted, 8192);
        assert_int_equal(credit_rx_state(credit_rx_at(c, 0))->grant_wire_bytes, 0);
        blocked++;
    }
}

static bool lose_first_twice(const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA && pkt->seq == 0 && to_lose-- > 0;
}

/* Packet 0 is missing, and packets arrive one after the other: it is lost when packet 2048 does, and not before. */
static void a_hole_is_lost_a_quarter_of_the_window_later(void **state)
{
    uint32_t late = WEIR_CREDIT_WINDOW_PKTS / 4, bytes = (late + 2) * LOG_MSS; /* all of it unscheduled */
    (void)state;
    expect_message(bytes);
    for (uint32_t pkt = 1; pkt < late; pkt++)
        log_rx(s, pkt, log_data(bytes, late + 2, pkt));
    assert_false(weir_host_ready(s->host[1]));
    log_rx(s, late, log_data(bytes, late + 2, late));
    assert_int_equal(tx(late), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[0].seq, 0);
    assert_int_equal(out[0].flags, WEIR_PKT_RETX);
    log_rx(s, late + 1, log_data(bytes, late + 2, late + 1)); /* it was judged, and packet 1 is here */
    assert_false(weir_host_ready(s->host[1]));
    assert_int_equal(stats()->timeouts, 0);
}

/* The message goes on meanwhile: nothing waits for silence. */
static void a_hole_costs_no_time(void **state)
{
    (void)state;
    begin(lose_first_twice);
    to_lose = 1;
    swarm_message(s, 0, 0, 1, HUGE_BYTES);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(log_count(WEIR_PKT_DATA), HUGE_PKTS + 1);
    assert_int_equal(stats()->timeouts, 0);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 1);
    assert_true(s->msg[0].delivered_ps < LONG_FIRST_PS + LOG_WAY_PS + (HUGE_PKTS + 2) * LOG_FULL_PS);
    assert_int_equal(s->finished, 1);
    log_assert_quiet(s);
}

/* Packet 0 is lost again when it was credited again. Credit stops 8192 packets after it, and silence finds it. */
static void a_hole_holds_credit_back_at_the_window(void **state)
{
    (void)state;
    begin(lose_first_twice);
    to_lose = 2;
    blocked = 0;
    s->after = count_blocked;
    swarm_message(s, 0, 0, 1, HUGE_BYTES);
    swarm_run(s, WEIR_NEVER);
    assert_true(blocked > 0);
    assert_int_equal(log_count(WEIR_PKT_DATA), HUGE_PKTS + 2);
    assert_int_equal(log_count(WEIR_PKT_CREDIT), HUGE_PKTS + 2);
    assert_int_equal(weir_host_stats(s->host[0])->retransmissions, 2);
    assert_int_equal(stats()->timeouts, 1);
    assert_int_equal(stats()->refused_pkts, 0);
    assert_int_equal(s->finished, 1);
    log_assert_quiet(s);
}

/* What was to be asked for again comes after all: it is taken, and not asked for. */
static void a_late_packet_is_not_asked_for(void **state)
{
    uint64_t look_ps = 10 + 2 * WEIR_PS_PER_MS;
    (void)state;
    expect_message(3000);
    log_rx(s, 10, log_data(3000, 3, 2));
    assert_int_equal(weir_host_next_ps(s->host[1]), look_ps);
    assert_int_equal(tx(look_ps), 1); /* credit for packet 0; packet 1 is due a packet's time later */
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[0].seq, 0);
    assert_int_equal(weir_host_next_ps(s->host[1]), look_ps + LOG_FULL_PS);
    assert_int_equal(credit_rx_state(record())->ungranted_bytes, LOG_MSS);
    log_rx(s, look_ps + 5, log_data(3000, 3, 1));
    assert_int_equal(credit_rx_state(record())->ungranted_bytes, 0);
    assert_int_equal(weir_host_next_ps(s->host[1]), look_ps + 2 * WEIR_PS_PER_MS); /* the next look only */
    log_rx(s, look_ps + 6, log_data(3000, 3, 0));
    assert_int_equal(s->delivered, 1);
    assert_int_equal(live(), 0);
}

/* All three are lost, the first one is credited again and comes: the others are still to be asked for. */
static void what_is_lost_stays_so_when_another_comes(void **state)
{
    struct weir_pkt request = log_control(WEIR_PKT_REQUEST, 0, 1), data = log_data(3000, 3, 0);
    uint64_t look_ps = 2 * WEIR_PS_PER_MS;
    (void)state;
    expect_message(3000);
    request.msg_bytes = data.msg_bytes;
    log_rx(s, 0, request);
    assert_int_equal(tx(look_ps), 1);
    assert_int_equal(out[0].seq, 0);
    data.flags = WEIR_PKT_ECT | WEIR_PKT_RETX;
    data.ack = LOG_FULL;
    log_rx(s, look_ps + 10, data);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(tx(look_ps + i * LOG_FULL_PS), 1);
        assert_int_equal(out[0].seq, i);
        assert_int_equal(out[0].flags, WEIR_PKT_RETX);
        assert_int_equal(out[0].ack, i == 1 ? 2 * LOG_FULL : 2 * LOG_FULL + 164);
    }
    assert_int_equal(record()->gap, 0);
}

/* Credit is good for any message: this one is here before its own was given, and its record waits for that. */
static void a_record_stays_until_all_is_granted(void **state)
{
    struct weir_pkt request = log_control(WEIR_PKT_REQUEST, 0, 1), data = log_data(2000, 0, 0);
    (void)state;
    expect_message(2000);
    request.msg_bytes = 2000;
    log_rx(s, 0, request);
    assert_int_equal(tx(0), 1);
    data.ack = LOG_FULL;
    log_rx(s, 10, data);
    data = log_data(2000, 0, 1);
    data.ack = LOG_FULL + 622;
    log_rx(s, 20, data); /* spends what was not granted: it brings nothing back */
    assert_int_equal(s->delivered, 1);
    assert_int_equal(live(), 1);
    assert_true(account()->outstanding_bytes == 0);
    assert_int_equal(account()->spent_seen, LOG_FULL);
    log_rx(s, 30, request); /* delivered already, though its record is there */
    assert_int_equal(tx(30), 2);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
    assert_int_equal(out[1].kind, WEIR_PKT_DONE);
    assert_int_equal(tx(LOG_FULL_PS), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[0].seq, 1);
    assert_int_equal(live(), 0);
    assert_int_equal(peer()->rx_base, 1);
}

/* --- packets that nobody honest sends --- */

static void refused(struct weir_pkt pkt)
{
    struct weir_host_stats before = *stats();
    struct weir_sird_peer state = *account();
    uint32_t records = host_credit_of(s->host[1])->rxs.count, ring = peer()->ring.count, live_before = live();
    uint64_t next_ps = weir_host_next_ps(s->host[1]);
    log_rx(s, 1000, pkt);
    assert_int_equal(stats()->refused_pkts, before.refused_pkts + 1);
    assert_int_equal(stats()->duplicates, before.duplicates);
    assert_int_equal(stats()->rx_new_bytes, before.rx_new_bytes);
    assert_int_equal(stats()->grown_bytes, before.grown_bytes);
    assert_memory_equal(account(), &state, sizeof(state));
    assert_int_equal(host_credit_of(s->host[1])->rxs.count, records);
    assert_int_equal(peer()->ring.count, ring);
    assert_int_equal(live(), live_before);
    assert_int_equal(weir_host_next_ps(s->host[1]), next_ps);
    assert_false(weir_host_ready(s->host[1]));
    assert_int_equal(s->delivered, 0);
}

static void refused_data(uint64_t msg_bytes, uint32_t conn, uint32_t seq, uint32_t payload)
{
    struct weir_pkt pkt = log_data(3000, 3, 0);
    pkt.msg_bytes = msg_bytes;
    pkt.conn = conn;
    pkt.seq = seq;
    pkt.payload_bytes = WEIR_PKT_BYTES(payload);
    pkt.ack = 77777;
    refused(pkt);
}

static void packets_that_make_no_sense_change_nothing(void **state)
{
    uint64_t sound = UINT64_C(3) << 48 | 3000;
    struct weir_pkt request = log_control(WEIR_PKT_REQUEST, 0, 1);
    (void)state;
    (void)host_credit_peer(s->host[1], 0);
    refused_data(0, 0, 0, 1458);                               /* no length */
    refused_data(UINT64_C(4) << 48 | 3000, 0, 0, 1458);        /* more unscheduled than there is */
    refused_data(UINT64_C(8193) << 48 | 20000000, 0, 0, 1458); /* than the window */
    refused_data((UINT64_C(1) << 48) - 1, 0, 0, 1458);         /* more than 2^32 packets */
    refused_data(sound, 0, 3, 84);                             /* no such packet */
    refused_data(sound, 0, UINT32_MAX, 84);
    refused_data(sound, 0, 0, 84); /* not as long as it must be */
    refused_data(sound, 0, 2, 1458);
    refused_data(sound, 0, 0, 0);
    refused_data(sound, 1u << 20, 0, 1458); /* a message much too far ahead */
    refused_data(sound, CREDIT_OFFSET_PAST - 1, 0, 1458);
    refused(request); /* of no length */
    request.conn = 1u << 20;
    request.msg_bytes = 3000;
    refused(request);
    log_rx(s, 0, log_data(3000, 3, 0)); /* now that there is one: the same */
    refused_data(sound, 0, 3, 84);
    refused_data(sound, 0, 1, 1457);
    refused_data(sound, 0, 2, 85);
    assert_int_equal(record()->last_rx_ps, 0); /* it is as silent as before */
}

static void a_packet_beyond_the_window_is_refused(void **state)
{
    (void)state;
    log_rx(s, 0, log_data(HUGE_BYTES, 1, 0));
    assert_int_equal(tx(0), 1); /* credit for packet 1 */
    refused(log_data(HUGE_BYTES, 1, 8193));
    log_rx(s, 10, log_data(HUGE_BYTES, 1, 8192)); /* the last one that fits */
    refused(log_data(HUGE_BYTES, 1, 8193));
    log_rx(s, 20, log_data(HUGE_BYTES, 1, 1));
    assert_int_equal(credit_rx_state(record())->cum, 2);
    log_rx(s, 30, log_data(HUGE_BYTES, 1, 8193));
    assert_int_equal(stats()->rx_new_bytes, 4 * LOG_MSS);
}

/* --- aborted by the sender --- */

static struct weir_pkt log_abort(uint32_t conn, uint64_t bytes, uint32_t unsched)
{
    struct weir_pkt pkt = log_control(WEIR_PKT_ABORT, 0, 1);
    pkt.conn = pkt.msg = conn;
    pkt.msg_bytes = bytes | (uint64_t)unsched << 48;
    return pkt;
}

/* Five packets, two of them unscheduled: the second is here, the third is credited. What was granted comes back as ever: the
 * sender says it spent it, one look closes the account, the next finds it lost. */
static void a_message_aborted_under_way_ends_once(void **state)
{
    struct weir_pkt control = log_control(WEIR_PKT_CONTROL, 0, 1);
    (void)state;
    expect_message(6000);
    s->msg[0].cancelled = 1;
    log_rx(s, 0, log_data(6000, 2, 1));
    assert_int_equal(inbound(0), WEIR_INBOUND_OPEN);
    assert_int_equal(weir_host_next_ps(s->host[1]), LOG_FULL_PS); /* the next credit */
    log_rx(s, 10, log_abort(0, 6000, 2));
    assert_int_equal(s->dropped, 1);
    assert_int_equal(inbound(0), WEIR_INBOUND_DONE);
    assert_int_equal(live() + peer()->ring.count, 0);
    assert_int_equal(peer()->rx_base, 1);
    assert_null(account()->in.root);
    assert_int_equal(account()->outstanding_bytes, LOG_FULL);
    assert_int_equal(weir_host_next_ps(s->host[1]), 2 * WEIR_PS_PER_MS); /* the look */
    assert_int_equal(tx(10), 2);
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
    assert_int_equal(out[1].kind, WEIR_PKT_DONE);
    log_rx(s, 20, log_data(6000, 2, 0)); /* too late */
    assert_int_equal(stats()->duplicates, 1);
    assert_int_equal(stats()->rx_new_bytes, LOG_MSS);
    log_rx(s, 30, log_abort(0, 6000, 2));
    assert_int_equal(s->dropped, 1);
    assert_int_equal(tx(30), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
    control.ack = LOG_FULL;
    log_rx(s, 40, control);
    assert_int_equal(tx(2 * WEIR_PS_PER_MS), 0);
    assert_int_equal(account()->outstanding_bytes, LOG_FULL);
    assert_int_equal(tx(4 * WEIR_PS_PER_MS), 0);
    assert_int_equal(weir_host_next_ps(s->host[1]), WEIR_NEVER);
    log_assert_quiet(s);
}

static void a_message_aborted_before_it_is_known_never_begins(void **state)
{
    (void)state;
    expect_message(3000);
    log_rx(s, 10, log_abort(1, 5000, 4)); /* of message 0 nothing is known yet */
    assert_int_equal(tx(10), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
    assert_int_equal(out[0].conn, 1);
    assert_int_equal(out[0].msg, 1);
    assert_int_equal(peer()->rx_base, 0);
    assert_int_equal(inbound(0), WEIR_INBOUND_NEW);
    assert_int_equal(inbound(1), WEIR_INBOUND_DONE);
    for (uint32_t seq = 0; seq < 3; seq++)
        log_rx(s, 20, log_data(3000, 3, seq));
    assert_int_equal(s->delivered, 1);
    assert_int_equal(s->dropped, 0);
    assert_int_equal(peer()->rx_base, 2);
    assert_int_equal(tx(20), 1);
    log_assert_quiet(s);
}

static void an_abort_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    log_rx(s, 10, log_abort(0, 0, 0));
    log_rx(s, 10, log_abort(0, 100, 2));         /* more unscheduled than there are */
    log_rx(s, 10, log_abort(1u << 20, 3000, 3)); /* too far ahead */
    assert_int_equal(stats()->refused_pkts, 3);
    assert_false(weir_host_ready(s->host[1]));
    assert_int_equal(host_credit_of(s->host[1])->rxs.count, 0);
    log_rx(s, 20, log_abort(UINT32_MAX, 0, 0)); /* one before the first: long done */
    assert_int_equal(tx(20), 1);
    assert_int_equal(out[0].kind, WEIR_PKT_DONE);
}

/* Aborted when it is here but not all granted: it was delivered, and the rest is granted still. */
static void what_is_here_already_is_not_dropped(void **state)
{
    (void)state;
    expect_message(6000);
    for (uint32_t seq = 0; seq < 5; seq++)
        log_rx(s, 0, log_data(6000, 2, seq));
    assert_int_equal(s->delivered, 1);
    assert_int_equal(live(), 1);
    assert_int_equal(inbound(0), WEIR_INBOUND_DONE);
    log_rx(s, 10, log_abort(0, 6000, 2));
    assert_int_equal(s->dropped, 0);
    assert_int_equal(live(), 1);
    assert_int_equal(tx(2 * LOG_FULL_PS), 4); /* two credits, DONE twice */
    assert_int_equal(tx(3 * LOG_FULL_PS), 1);
    assert_int_equal(live(), 0);
}

static void numbers_are_known_around_their_end(void **state)
{
    (void)state;
    assert_int_equal(inbound(0), WEIR_INBOUND_NEW); /* a host not met yet */
    assert_int_equal(inbound((1u << 20) - 1), WEIR_INBOUND_NEW);
    assert_int_equal(inbound(1u << 20), WEIR_INBOUND_BEYOND);
    assert_int_equal(inbound(WEIR_PKT_NO_CONN), WEIR_INBOUND_DONE);
    assert_int_equal(weir_host_inbound(s->host[1], 70000, &(struct weir_pkt){ .conn = 0 }), WEIR_INBOUND_NEW);
    assert_int_equal(host_credit_of(s->host[1])->peers.count, 0);
    host_credit_peer(s->host[1], 0)->rx_base = UINT32_MAX;
    assert_int_equal(inbound(WEIR_PKT_NO_CONN - 1), WEIR_INBOUND_DONE);
    assert_int_equal(inbound(WEIR_PKT_NO_CONN), WEIR_INBOUND_NEW);
    assert_int_equal(inbound((1u << 20) - 2), WEIR_INBOUND_NEW);
    assert_int_equal(inbound((1u << 20) - 1), WEIR_INBOUND_BEYOND);
    assert_int_equal(inbound(CREDIT_OFFSET_PAST - 2), WEIR_INBOUND_BEYOND);
    assert_int_equal(inbound(CREDIT_OFFSET_PAST - 1), WEIR_INBOUND_DONE);
    log_rx(s, 10, log_abort(1, 3000, 3));
    assert_int_equal(inbound(0), WEIR_INBOUND_NEW);
    assert_int_equal(inbound(1), WEIR_INBOUND_DONE);
    log_rx(s, 20, log_abort(UINT32_MAX, 3000, 3));
    log_rx(s, 30, log_abort(0, 3000, 3));
    assert_int_equal(peer()->rx_base, 2);
    assert_int_equal(tx(30), 3);
    assert_int_equal(peer()->ring.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(packets_in_reverse_order_are_put_together, setup),
        cmocka_unit_test_setup(what_comes_twice_counts_once, setup),
        cmocka_unit_test_setup(a_message_that_is_alone_needs_no_entry, setup),
        cmocka_unit_test_setup(messages_end_in_any_order_over_the_end_of_numbers, setup),
        cmocka_unit_test_setup(a_lost_credit_is_made_up_for_by_the_next, setup),
        cmocka_unit_test_setup(a_lost_last_credit_comes_with_the_question, setup),
        cmocka_unit_test_setup(a_lost_last_packet_is_asked_for_by_name, setup),
        cmocka_unit_test_setup(a_hole_is_lost_a_quarter_of_the_window_later, setup),
        cmocka_unit_test_setup(a_hole_costs_no_time, setup),
        cmocka_unit_test_setup(a_hole_holds_credit_back_at_the_window, setup),
        cmocka_unit_test_setup(a_late_packet_is_not_asked_for, setup),
        cmocka_unit_test_setup(what_is_lost_stays_so_when_another_comes, setup),
        cmocka_unit_test_setup(a_record_stays_until_all_is_granted, setup),
        cmocka_unit_test_setup(packets_that_make_no_sense_change_nothing, setup),
        cmocka_unit_test_setup(a_packet_beyond_the_window_is_refused, setup),
        cmocka_unit_test_setup(a_message_aborted_under_way_ends_once, setup),
        cmocka_unit_test_setup(a_message_aborted_before_it_is_known_never_begins, setup),
        cmocka_unit_test_setup(an_abort_that_makes_no_sense_is_refused, setup),
        cmocka_unit_test_setup(what_is_here_already_is_not_dropped, setup),
        cmocka_unit_test_setup(numbers_are_known_around_their_end, setup),
    };
    return cmocka_run_group_tests_name("host/credit_rx", tests, NULL, NULL);
}
