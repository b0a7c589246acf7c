/* test/unit/host/test_pace.c - paced connections and laws' timers, to the picosecond. */
#include "pair.h"
#include "proto/dcqcn/dcqcn.h"
#include "proto/rocc/rocc.h"

static struct weir_cc_ops ops;
static uint64_t rate_bps, want_timer_ps, fired_ps[64];
static uint32_t fired, sent;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = rate_bps, .timer_ps = want_timer_ps, .cwnd_bytes = 100 * PAIR_MSS };
}

static void law_on_sent(struct weir_cc *cc, const void *config, const struct weir_sent *event)
{
    (void)cc, (void)config;
    assert_int_equal(event->seq, sent * PAIR_MSS);
    assert_int_equal(event->bytes, PAIR_MSS);
    assert_false(event->is_retransmission);
    sent++;
}

static void law_on_timer(struct weir_cc *cc, const void *config, uint64_t now_ps)
{
    (void)config;
    fired_ps[fired++] = now_ps;
    if (fired < 3)
        cc->timer_ps = now_ps + 10 * PAIR_US;
}

static struct pair *law_reset(uint64_t rate, uint64_t timer)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init };
    rate_bps = rate;
    want_timer_ps = timer;
    fired = sent = 0;
    p->cfg.cc = &ops;
    return p;
}

static void a_paced_connection_leaves_at_its_rate_rounded_up(void **state)
{
    struct pair *p = law_reset(3000000000, WEIR_NEVER); /* 8800 bits at 3 Gb/s: 2933333 1/3 ps */
    (void)state;
    ops.on_sent = law_on_sent;
    pair_start(p);
    pair_send(p, 0, 8 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(sent, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(p->log[i].sent_ps, i * UINT64_C(2933334));
}

static void the_next_message_waits_for_the_pace_of_the_last(void **state)
{
    struct pair *p = law_reset(100000000, WEIR_NEVER); /* 88 us per packet, far more than a round trip */
    (void)state;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, 40 * PAIR_US);
    assert_int_equal(p->finishes, 1);
    pair_send(p, 1, PAIR_MSS);
    assert_false(weir_host_ready(p->host[0]));
    assert_int_equal(weir_host_next_ps(p->host[0]), 88 * PAIR_US);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->log[1].sent_ps, 88 * PAIR_US);
}

/* Packets 2.2 ms apart, and an RTO of 1 ms: nothing is in flight when it is over. */
static void no_timeout_comes_while_nothing_is_in_flight(void **state)
{
    struct pair *p = law_reset(4000000, WEIR_NEVER);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 4 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->log[3].sent_ps, 3 * 2200 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(p->retransmitted, 0);
}

/* 1005 us apart. The first ACK comes at 10.1 us and restarts the timer; the second packet is on its way when that RTO is over. */
static void a_packet_alone_in_flight_is_late_an_rto_after_it_left(void **state)
{
    struct pair *p = law_reset(8756219, WEIR_NEVER);
    (void)state;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_in_range(p->log[1].sent_ps, 1004 * PAIR_US, 1006 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 0);
    assert_int_equal(p->retransmitted, 0);
}

static enum pair_fate second_lost(struct pair *p, const struct weir_pkt *pkt)
{
    return pkt->kind == WEIR_PKT_DATA && pkt->seq == 1 && p->fate_value++ == 0 ? PAIR_DROP : PAIR_PASS;
}

static uint64_t lost_ps;

static void law_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)cc, (void)config;
    assert_true(loss->is_timeout);
    assert_int_equal(loss->lost_bytes, PAIR_MSS);
    lost_ps = loss->now_ps;
}

static uint64_t lost_bytes;

static void law_on_loss_of_all(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)cc, (void)config;
    lost_bytes = loss->lost_bytes;
    lost_ps = loss->now_ps;
}

static enum pair_fate drop_until(struct pair *p, const struct weir_pkt *pkt)
{
    (void)pkt;
    return p->now_ps < p->fate_value ? PAIR_DROP : PAIR_PASS;
}

/* A second packet of one byte leaves at 2.2 ms, and both are lost. The timer is that of the first, not of a packet alone. */
static void two_packets_are_late_an_rto_after_the_first(void **state)
{
    (void)state;
    for (uint64_t second = 0; second < 2; second++) {
        struct pair *p = law_reset(4000000, WEIR_NEVER);
        ops.on_loss = law_on_loss_of_all;
        p->cfg.params.rto_min_ps = p->cfg.params.rto_init_ps = 3000 * PAIR_US;
        p->fate = drop_until;
        p->fate_value = 3000 * PAIR_US;
        pair_start(p);
        pair_send(p, 0, PAIR_MSS + second);
        pair_run(p, 3001 * PAIR_US);
        assert_int_equal(lost_bytes, PAIR_MSS + second);
        assert_int_equal(lost_ps, 3000 * PAIR_US);
    }
}

/* It left at 2.2 ms, is found lost at 3.2 ms and goes again at 4.4 ms. */
static void a_lost_packet_is_found_an_rto_after_it_left(void **state)
{
    struct pair *p = law_reset(4000000, WEIR_NEVER);
    (void)state;
    ops.on_loss = law_on_loss;
    p->fate = second_lost;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(lost_ps, 3200 * PAIR_US);
    assert_int_equal(weir_host_stats(p->host[0])->timeouts, 1);
    assert_int_equal(p->retransmitted, 1);
    assert_int_equal(p->log[2].seq, 1);
    assert_int_equal(p->log[2].sent_ps, 4400 * PAIR_US);
}

static void paced_connections_share_the_nic_by_their_times(void **state)
{
    struct pair *p = law_reset(10000000000, WEIR_NEVER); /* 880 ns per packet each */
    (void)state;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    for (uint32_t i = 0; i < 9; i++) {
        assert_int_equal(p->log[i].msg, i % 3);
        assert_int_equal(p->log[i].sent_ps, i / 3 * 880000 + i % 3 * 88000);
    }
}

static uint32_t departures(const struct pair *p, uint32_t msg, uint64_t *at_ps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->logged; i++) {
        if (p->log[i].msg == msg)
            at_ps[count++] = p->log[i].sent_ps;
    }
    return count;
}

/* Message 0 is paced at 30 Gb/s: due every 293,334 ps. Message 1 takes what is left of the NIC, 88 ns per packet, and stands before message 0
 * whenever that becomes due: the NIC's next packet but one is the paced one. Every wait is below an interval, so none is lost. */
static void a_connection_that_waits_for_the_nic_keeps_its_pace(void **state)
{
    static const uint64_t want_ps[] = { 0, 440000, 704000, 1056000, 1320000, 1584000, 1936000 };
    struct pair *p = law_reset(30000000000, WEIR_NEVER);
    uint64_t at_ps[256];
    (void)state;
    pair_start(p);
    pair_send(p, 0, 7 * PAIR_MSS);
    rate_bps = WEIR_RATE_OPEN;
    pair_send(p, 1, 30 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(departures(p, 0, at_ps), 7);
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(at_ps[i], want_ps[i]);
}

/* 80 Gb/s is a packet every 110 ns; two others of three packets each make it wait for 242, 264 and 176 ns. It keeps 110 of each: the
 * next packet is due at once, and waits again. Alone it has 110 ns left, and its NIC takes 88 per packet: five packets without a
 * gap, until 1232, then its pace. */
static void what_a_connection_makes_up_for_is_one_packet(void **state)
{
    static const uint64_t want_ns[] = { 0, 352, 616, 792, 880, 968, 1056, 1144, 1232, 1342, 1452 };
    struct pair *p = law_reset(80000000000, WEIR_NEVER);
    uint64_t at_ps[256];
    (void)state;
    pair_start(p);
    pair_send(p, 0, 11 * PAIR_MSS);
    rate_bps = WEIR_RATE_OPEN;
    pair_send(p, 1, 3 * PAIR_MSS);
    pair_send(p, 2, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_int_equal(departures(p, 0, at_ps), 11);
    for (uint32_t i = 0; i < 11; i++)
        assert_int_equal(at_ps[i], want_ns[i] * 1000);
}

/* A wait of exactly one interval, 88 ns at the NIC's own rate, is made up for; nothing is due in the past. */
static void a_wait_of_one_interval_is_all_made_up_for(void **state)
{
    struct pair *p = law_reset(100000000000, WEIR_NEVER);
    uint64_t at_ps[256];
    (void)state;
    pair_start(p);
    pair_send(p, 0, 4 * PAIR_MSS);
    pair_send(p, 1, 2 * PAIR_MSS); /* paced too: both wait for each other */
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(departures(p, 0, at_ps), 4);
    assert_int_equal(at_ps[1], 176000);
    assert_int_equal(at_ps[2], 352000);
    assert_int_equal(at_ps[3], 440000);
}

/* Software takes 3 us for each message, of both connections at the same time. */
static void overhead_delays_the_first_packet_of_each_message(void **state)
{
    struct pair *p = law_reset(WEIR_RATE_OPEN, WEIR_NEVER);
    (void)state;
    p->cfg.params.overhead_ps = 3 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    assert_false(weir_host_ready(p->host[0]));
    assert_int_equal(weir_host_next_ps(p->host[0]), 3 * PAIR_US);
    pair_run(p, 40 * PAIR_US);
    p->now_ps = 40 * PAIR_US;
    pair_send(p, 2, PAIR_MSS); /* on a connection that is idle */
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(p->log[i].sent_ps, 3 * PAIR_US + i * UINT64_C(88000));
    assert_int_equal(p->log[4].sent_ps, 43 * PAIR_US);
}

/* 88 us per packet: the pace of the message before lasts longer than the software. */
static void overhead_and_pace_last_as_long_as_the_longer_one(void **state)
{
    struct pair *p = law_reset(100000000, WEIR_NEVER);
    (void)state;
    p->cfg.params.overhead_ps = 3 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, 40 * PAIR_US);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    assert_int_equal(p->log[0].sent_ps, 3 * PAIR_US);
    assert_int_equal(p->log[1].sent_ps, 91 * PAIR_US);
}

/* 16 messages on as many connections. When the first packet leaves 15 others could: 16,500 B, or 15,501 B where the last message is one
 * byte. From the second packet on their paces keep the connections apart. @return how many packets left with CE */
static uint32_t marked_of_sixteen(uint64_t mark_bytes, bool ect, uint64_t last_bytes)
{
    struct pair *p =
        law_reset(1000000000, WEIR_NEVER); /* 8.8 us per packet: all have left before the first may again */
    uint32_t marked = 0;
    ops.needs = ect ? WEIR_NEED_ECN : 0;
    p->cfg.params.mark_bytes = mark_bytes;
    pair_start(p);
    for (uint32_t m = 0; m < 16; m++)
        pair_send(p, m, m < 15 ? 3 * PAIR_MSS : last_bytes);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 16);
    for (uint32_t i = 0; i < p->logged; i++)
        marked += (p->log[i].flags & WEIR_PKT_CE) != 0;
    assert_int_equal(weir_host_stats(p->host[0])->source_marked_pkts, marked);
    assert_int_equal(weir_host_stats(p->host[1])->marked_pkts, marked);
    return marked;
}

static void a_sender_marks_when_more_than_the_threshold_waits(void **state)
{
    (void)state;
    assert_int_equal(marked_of_sixteen(0, true, 1), 0);
    assert_int_equal(marked_of_sixteen(16500, true, 3 * PAIR_MSS), 0);
    assert_int_equal(marked_of_sixteen(16499, true, 3 * PAIR_MSS), 1);
    assert_int_equal(marked_of_sixteen(15400, true, 3 * PAIR_MSS), 1);
    assert_int_equal(marked_of_sixteen(15399, true, 3 * PAIR_MSS), 2); /* 14 wait behind the second: 15,400 B */
    assert_int_equal(marked_of_sixteen(15501, true, 1), 0);
    assert_int_equal(marked_of_sixteen(15500, true, 1), 1);
    assert_int_equal(marked_of_sixteen(15499, false, 3 * PAIR_MSS), 0);
}

/* An unlimited NIC has a queue of its own, which a switch feature marks. */
static void an_unlimited_nic_is_not_marked_by_the_host(void **state)
{
    struct pair *p = law_reset(1000000000, WEIR_NEVER);
    (void)state;
    ops.needs = WEIR_NEED_ECN;
    p->cfg.params.mark_bytes = 1;
    p->cfg.params.nic_queue = WEIR_NIC_UNLIMITED;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(weir_host_stats(p->host[0])->source_marked_pkts, 0);
}

static void a_law_is_called_when_it_asked_for(void **state)
{
    struct pair *p = law_reset(WEIR_RATE_OPEN, 3 * PAIR_US);
    (void)state;
    ops.on_timer = law_on_timer;
    pair_start(p);
    pair_send(p, 0, PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(fired, 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(fired_ps[i], (3 + 10 * i) * PAIR_US);
}

static uint64_t next_rate_bps;

static void law_rate_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->rate_bps = next_rate_bps;
}

/* One packet leaves at 0 at 100 Mb/s: the next may at 88 us. Its ACK comes at 10.096 us and brings another rate. */
static struct pair *new_rate_on_the_first_ack(uint64_t new_bps, uint64_t window_pkts)
{
    struct pair *p = law_reset(100000000, WEIR_NEVER);
    ops.on_ack = law_rate_on_ack;
    next_rate_bps = new_bps;
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    pair_run(p, 1);
    ((struct weir_cc *)(host_flow_at(p->host[0], 0) + 1))->cwnd_bytes = (uint32_t)(window_pkts * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->logged, 2);
    return p;
}

static void a_new_rate_moves_the_packet_that_waits(void **state)
{
    struct pair *p;
    (void)state;
    p = new_rate_on_the_first_ack(200000000, 100); /* 88 us + 44 us - 88 us */
    assert_int_equal(p->log[1].sent_ps, 44 * PAIR_US);
    p = new_rate_on_the_first_ack(50000000, 100); /* 88 us + 176 us - 88 us */
    assert_int_equal(p->log[1].sent_ps, 176 * PAIR_US);
    p = new_rate_on_the_first_ack(3000000000, 100); /* long past: with the ACK */
    assert_int_equal(p->log[1].sent_ps, 10096000);
    p = new_rate_on_the_first_ack(WEIR_RATE_OPEN, 100);
    assert_int_equal(p->log[1].sent_ps, 10096000);
}

/* Window and rate must both admit it: 1 packet of window, the ACK after 10.096 us, 1.1 us at 8 Gb/s. */
static void a_packet_needs_both_the_window_and_its_time(void **state)
{
    struct pair *p = law_reset(8000000000, WEIR_NEVER);
    (void)state;
    ops.on_ack = law_rate_on_ack;
    next_rate_bps = 800000000; /* 11 us: the time had come with the old rate, it has not with the new one */
    pair_start(p);
    pair_send(p, 0, 3 * PAIR_MSS);
    host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes = PAIR_MSS;
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->log[1].sent_ps, 11 * PAIR_US);
    assert_int_equal(p->log[2].sent_ps, 22 * PAIR_US);
    p = law_reset(8000000000, WEIR_NEVER); /* the window is what lasts longer */
    pair_start(p);
    pair_send(p, 0, 2 * PAIR_MSS);
    host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes = PAIR_MSS;
    pair_run(p, WEIR_NEVER);
    assert_int_equal(p->log[1].sent_ps, 10096000);
}

static void law_window_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->rate_bps = next_rate_bps;
    cc->cwnd_bytes = 100 * PAIR_MSS;
}

/* 1.1 us per packet. The window was closed for 10.096 us, then there was no data until 40 us: neither is made up for. */
static void time_without_window_or_data_is_lost(void **state)
{
    struct pair *p = law_reset(8000000000, WEIR_NEVER);
    (void)state;
    ops.on_ack = law_window_on_ack;
    next_rate_bps = 8000000000;
    pair_start(p);
    pair_send(p, 0, 4 * PAIR_MSS);
    host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes = PAIR_MSS;
    pair_run(p, 40 * PAIR_US);
    p->now_ps = 40 * PAIR_US;
    pair_send(p, 1, 3 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(p->log[1 + i].sent_ps, 10096000 + i * UINT64_C(1100000));
        assert_int_equal(p->log[4 + i].sent_ps, 40 * PAIR_US + i * UINT64_C(1100000));
    }
}

/* 88 us per packet, until the ACK after 10.096 us brings 1.1 us: the packet that waits leaves then, the next one 1.1 us later. Without a
 * pace meanwhile it is the same. */
static void a_higher_rate_lets_a_packet_go_now_and_not_earlier(void **state)
{
    struct pair *p = law_reset(100000000, WEIR_NEVER);
    (void)state;
    ops.on_ack = law_window_on_ack;
    next_rate_bps = 8000000000;
    pair_start(p);
    pair_send(p, 0, 4 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(p->log[1 + i].sent_ps, 10096000 + i * UINT64_C(1100000));
}

static void law_open_then_paced(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config;
    cc->rate_bps = ack->acked_seq == PAIR_MSS ? WEIR_RATE_OPEN : 8000000000;
}

/* One packet at 100 Mb/s; its ACK after 10.096 us takes the pace away, and a window of three packets leaves at once. The ACK of the
 * first of these, at 20.192 us, brings 8 Gb/s: a packet then, the next 1.1 us later, whenever the last paced one left. */
static void a_pace_begins_when_it_is_set(void **state)
{
    struct pair *p = law_reset(100000000, WEIR_NEVER);
    (void)state;
    ops.on_ack = law_open_then_paced;
    pair_start(p);
    pair_send(p, 0, 6 * PAIR_MSS);
    host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes = 3 * PAIR_MSS;
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(p->log[1 + i].sent_ps, 10096000 + i * UINT64_C(88000));
    assert_int_equal(p->log[4].sent_ps, 20192000);
    assert_int_equal(p->log[5].sent_ps, 21292000);
}

static void law_faster_and_faster(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->rate_bps += 1000;
}

static void rates_may_change_with_every_ack(void **state)
{
    struct pair *p = law_reset(WEIR_RATE_OPEN, WEIR_NEVER);
    (void)state;
    ops.on_ack = law_faster_and_faster;
    pair_start(p);
    for (uint32_t m = 0; m < 3; m++)
        pair_send(p, m, 99 * PAIR_MSS);
    pair_run(p, PAIR_US);
    for (uint32_t i = 0; i < 3; i++)
        host_cc(p->host[0], host_flow_at(p->host[0], i))->rate_bps = 1000000; /* 8.8 ms per packet, for some 30 ACKs */
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 3);
    assert_true(host_stream_of(p->host[0])->paced.capacity <= 16); /* what was superseded is thrown out */
}

static void law_sooner_and_sooner(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->timer_ps -= PAIR_US;
}

static void law_later(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config;
    cc->timer_ps = ack->now_ps + 50 * PAIR_US;
}

static void a_timer_may_be_moved_with_every_ack(void **state)
{
    struct pair *p = law_reset(WEIR_RATE_OPEN, 500 * PAIR_US);
    (void)state;
    ops.on_timer = law_on_timer;
    ops.on_ack = law_sooner_and_sooner;
    fired = 2; /* so that it asks no more */
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(fired, 3);
    assert_int_equal(fired_ps[2], 450 * PAIR_US);
    assert_true(p->host[0]->timers.heap.capacity <= 16); /* what was superseded is thrown out */

    p = law_reset(WEIR_RATE_OPEN, PAIR_US);
    ops.on_timer = law_on_timer;
    ops.on_ack = law_later;
    fired = 2;
    want_timer_ps = 100 * PAIR_US;
    pair_start(p);
    pair_send(p, 0, 50 * PAIR_MSS);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(fired, 3);
    assert_int_equal(fired_ps[2], p->finished_ps[0] + 50 * PAIR_US);
}

static void timers_run_by_time_then_connection(void **state)
{
    struct pair *p = law_reset(WEIR_RATE_OPEN, 30 * PAIR_US);
    (void)state;
    ops.on_timer = law_on_timer;
    fired = 2;
    pair_start(p);
    for (uint32_t m = 0; m < 20; m++)
        pair_send(p, m, PAIR_MSS);
    assert_int_equal(weir_host_next_ps(p->host[0]), 30 * PAIR_US);
    pair_run(p, WEIR_NEVER);
    assert_int_equal(fired, 22);
    pair_assert_done(p, 20);
    assert_int_equal(weir_host_next_ps(p->host[0]), WEIR_NEVER);
}

static void mark_the_first(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    (void)p, (void)hop;
    if (pkt->kind == WEIR_PKT_DATA && pkt->seq == 0)
        pkt->flags |= WEIR_PKT_CE;
}

/* At line rate a packet leaves every 88 ns, the last before the law hears at 10.032 us; the next counts at the new rate. */
static void assert_first_cut(struct pair *p, uint64_t cut_bps)
{
    pair_run(p, 12 * PAIR_US);
    for (uint32_t i = 0; i < 115; i++)
        assert_int_equal(p->log[i].sent_ps, i * UINT64_C(88000));
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(p->log[115 + i].sent_ps, 10032000 + (i + 1) * 8800 * WEIR_PS_PER_S / cut_bps);
}

/* CNP: 10.104 us, behind the first packet's ACK. The first cut is by half. */
static void the_first_cut_of_dcqcn_moves_the_packet_that_waits(void **state)
{
    struct weir_dcqcn_config cfg = { .cnp_interval_ps = 50 * PAIR_US,
                                     .alpha_timer_ps = 55 * PAIR_US,
                                     .increase_timer_ps = 55 * PAIR_US,
                                     .byte_counter_bytes = 10000000,
                                     .min_rate_bps = 100000000,
                                     .g_ppb = 3906250,
                                     .fast_stages = 5,
                                     .restart = 1 };
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.cc = &weir_dcqcn_ops;
    p->cfg.cc_config = &cfg;
    p->stamp = mark_the_first;
    pair_start(p);
    pair_send(p, 0, 1000 * PAIR_MSS);
    assert_first_cut(p, 50000000000);
}

static void the_first_notice_of_rocc_moves_the_packet_that_waits(void **state)
{
    static const struct weir_pkt notice = {
        .value = 25000000000, .src = 1, .seq = WEIR_ROCC_RATE, .wire_bytes = 84, .kind = WEIR_PKT_NOTICE
    };
    struct weir_rocc_config cfg = { .recovery_ps = 100 * PAIR_US, .min_rate_bps = 100000000, .restart = 1 };
    struct pair *p = pair_reset();
    (void)state;
    p->cfg.cc = &weir_rocc_ops;
    p->cfg.cc_config = &cfg;
    pair_start(p);
    pair_send(p, 0, 1000 * PAIR_MSS);
    pair_launch(p, &notice, NULL, 10 * PAIR_US + 100000);
    assert_first_cut(p, 25000000000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paced_connection_leaves_at_its_rate_rounded_up),
        cmocka_unit_test(the_next_message_waits_for_the_pace_of_the_last),
        cmocka_unit_test(no_timeout_comes_while_nothing_is_in_flight),
        cmocka_unit_test(a_packet_alone_in_flight_is_late_an_rto_after_it_left),
        cmocka_unit_test(two_packets_are_late_an_rto_after_the_first),
        cmocka_unit_test(a_lost_packet_is_found_an_rto_after_it_left),
        cmocka_unit_test(paced_connections_share_the_nic_by_their_times),
        cmocka_unit_test(a_connection_that_waits_for_the_nic_keeps_its_pace),
        cmocka_unit_test(what_a_connection_makes_up_for_is_one_packet),
        cmocka_unit_test(a_wait_of_one_interval_is_all_made_up_for),
        cmocka_unit_test(time_without_window_or_data_is_lost),
        cmocka_unit_test(a_higher_rate_lets_a_packet_go_now_and_not_earlier),
        cmocka_unit_test(a_pace_begins_when_it_is_set),
        cmocka_unit_test(a_new_rate_moves_the_packet_that_waits),
        cmocka_unit_test(a_packet_needs_both_the_window_and_its_time),
        cmocka_unit_test(rates_may_change_with_every_ack),
        cmocka_unit_test(overhead_delays_the_first_packet_of_each_message),
        cmocka_unit_test(overhead_and_pace_last_as_long_as_the_longer_one),
        cmocka_unit_test(a_sender_marks_when_more_than_the_threshold_waits),
        cmocka_unit_test(an_unlimited_nic_is_not_marked_by_the_host),
        cmocka_unit_test(a_law_is_called_when_it_asked_for),
        cmocka_unit_test(a_timer_may_be_moved_with_every_ack),
        cmocka_unit_test(timers_run_by_time_then_connection),
        cmocka_unit_test(the_first_cut_of_dcqcn_moves_the_packet_that_waits),
        cmocka_unit_test(the_first_notice_of_rocc_moves_the_packet_that_waits),
    };
    return cmocka_run_group_tests_name("host/pace", tests, NULL, NULL);
}
