/* test/unit/proto/test_expresspass.c - drives the protocol by hand: no host, no network. 100 Gb/s, packets of 1460 bytes, 1538 on the wire. */
#include "core/credit_ops.h"
#include "test/unit/proto/law_bench.h"
#include "proto/expresspass/expresspass_core.h"
#include "test/unit/refusal.h"

enum { MSS = 1460, MSGS = 5 };
#define RATE_MAX UINT64_C(647348951) /* 100 Gb/s / 8 * 84 / (84 + 1538) */
#define RTT_PS UINT64_C(8000000)
#define BASE_RTT_PS UINT64_C(7324000) /* in units of 2^12 ps: 7152 thousandths, rounded down to a power of two */
#define START_PS UINT64_C(77000000000)

static struct weir_expresspass_config cfg;
static struct weir_expresspass_host host;
static struct weir_expresspass_peer peer;
static struct weir_expresspass_tx tx[MSGS];
static struct weir_expresspass_rx rx[MSGS];
static struct weir_expresspass_flow flow;
static uint64_t now_ps;
static const struct weir_credit_ops *const ops = &weir_expresspass_ops;

static int setup(void **state)
{
    const struct weir_limits limits = {
        .path = { .base_rtt_ps = BASE_RTT_PS, .rate_bps = 100000000000, .bdp_bytes = 100000, .mss_bytes = MSS },
        .framing = { MSS, 58, 20, 84, 84 },
        .ps_per_kbyte = 80000,
    };
    (void)state;
    cfg = (struct weir_expresspass_config){ .alpha_ppm = 62500,
                                            .w_init_ppm = 62500,
                                            .w_min_ppm = 10000,
                                            .w_max_ppm = 500000,
                                            .w_step_ppm = 50000,
                                            .target_ppm = 125000,
                                            .jitter_ppm = 100000,
                                            .rtt_gain_ppm = 200000,
                                            .credit_min_bytes = 76,
                                            .credit_max_bytes = 92,
                                            .short_pkts = 40,
                                            .connections = 2,
                                            .early_stop = 1,
                                            .request_ps = 100 * WEIR_PS_PER_US,
                                            .idle_ps = 2 * WEIR_PS_PER_MS };
    memset(&host, 0xff, sizeof(host));
    memset(&peer, 0, sizeof(peer));
    memset(tx, 0, sizeof(tx));
    memset(rx, 0, sizeof(rx));
    now_ps = START_PS;
    ops->init(&cfg, &host, &limits);
    ops->peer_init(&cfg, &host, &peer);
    flow = (struct weir_expresspass_flow){ .rtt_ps = 0 };
    return 0;
}

/* ---- the feedback loop ---- */

static void the_largest_rate_is_what_the_gate_lets_through(void **state)
{
    (void)state;
    assert_int_equal(host.rate_max, RATE_MAX);
    assert_int_equal(host.time_shift, 12);
    assert_int_equal(weir_expresspass_time_shift(1023), 0);
    assert_int_equal(weir_expresspass_time_shift(1024), 0);
    assert_int_equal(weir_expresspass_time_shift(2048), 1);
}

static void a_message_begins_at_a_sixteenth_and_a_short_one_slower(void **state)
{
    (void)state;
    weir_expresspass_begin(&cfg, &flow, RATE_MAX, 40, 5);
    assert_int_equal(flow.rate, 40459309); /* 647348951 / 16 = 40459309.4 */
    assert_int_equal(flow.w_ppb, 62500000);
    assert_int_equal(flow.updated_ps, 5);
    weir_expresspass_begin(&cfg, &flow, RATE_MAX, 10, 5);
    assert_int_equal(flow.rate, 10114827); /* a quarter */
    cfg.short_pkts = 0;
    weir_expresspass_begin(&cfg, &flow, RATE_MAX, 1, 5);
    assert_int_equal(flow.rate, 40459309);
}

/* A round trip in which `total` credits were counted, and so many of them lost. */
static void round_trip(uint32_t total, uint32_t dropped)
{
    flow.total = total;
    flow.dropped = dropped;
    now_ps += RTT_PS;
    weir_expresspass_feedback(&cfg, &flow, RATE_MAX, now_ps);
}

static void begin_at(uint64_t rate)
{
    weir_expresspass_begin(&cfg, &flow, RATE_MAX, 1000, now_ps);
    flow.rtt_ps = RTT_PS;
    flow.rate = rate;
}

/* w stays in the first round trip without loss, and grows by 0.05 from the second on. */
static void without_loss_the_rate_goes_towards_the_largest_ever_faster(void **state)
{
    (void)state;
    begin_at(40459309);
    round_trip(10, 0);
    assert_int_equal(flow.w_ppb, 62500000);
    assert_int_equal(flow.rate, 40459309 + 37930602); /* 606889642 * 0.0625 */
    assert_int_equal(flow.total + flow.dropped, 0);
    assert_int_equal(flow.updated_ps, now_ps);
    round_trip(10, 0);
    assert_int_equal(flow.w_ppb, 112500000);
    assert_int_equal(flow.rate, 78389911 + 64007892); /* 568959040 * 0.1125 */
    for (int i = 0; i < 60; i++)
        round_trip(10, 0);
    assert_int_equal(flow.w_ppb, 500000000); /* its most */
    assert_true(flow.rate <= RATE_MAX && flow.rate > RATE_MAX - 10);
}

/* At half of the largest rate a sixteenth of the credit may be lost. 1680 B came in 8 us: 210 MB/s, and a sixteenth more. */
static void with_loss_the_rate_is_what_came_and_a_little_more(void **state)
{
    (void)state;
    begin_at(323674475);
    flow.may_grow = true;
    round_trip(100, 80);
    assert_int_equal(flow.rate, 223125000);
    assert_int_equal(flow.w_ppb, 31250000);
    assert_false(flow.may_grow);
    begin_at(323674475);
    round_trip(100, 20); /* 840 MB/s came, more than it was: only w is cut */
    assert_int_equal(flow.rate, 323674475);
    for (uint64_t w = 15625000; w > 10000000; w /= 2) {
        round_trip(100, 20);
        assert_int_equal(flow.w_ppb, w);
    }
    round_trip(100, 20);
    assert_int_equal(flow.w_ppb, 10000000); /* its least */
}

static void loss_up_to_the_target_counts_as_none(void **state)
{
    (void)state;
    begin_at(323674476); /* (1 - 0.5) / 8 = 0.0625, a little less */
    round_trip(1000, 62);
    assert_true(flow.may_grow);
    assert_true(flow.rate > 323674476);
    begin_at(323674476);
    round_trip(1000, 63);
    assert_false(flow.may_grow);
    begin_at(RATE_MAX); /* at the largest rate none may be lost */
    round_trip(1000, 0);
    assert_int_equal(flow.rate, RATE_MAX);
    round_trip(1000, 1);
    assert_false(flow.may_grow);
}

static void a_rate_is_at_least_one_credit_per_round_trip(void **state)
{
    (void)state;
    begin_at(323674475);
    round_trip(100, 100);
    assert_int_equal(flow.rate, 10500000); /* 84 B / 8 us */
    begin_at(1);
    cfg.w_init_ppm = cfg.w_min_ppm = cfg.w_max_ppm = 0;
    flow.w_ppb = 0;
    round_trip(100, 0);
    assert_int_equal(flow.rate, 10500000);
}

static void it_decides_once_per_round_trip_and_only_by_what_it_knows(void **state)
{
    (void)state;
    begin_at(40459309);
    flow.rtt_ps = 0;
    round_trip(10, 9);
    assert_int_equal(flow.rate, 40459309); /* no round trip is known */
    flow.rtt_ps = RTT_PS + 1;
    flow.updated_ps = now_ps;
    round_trip(10, 9);
    assert_int_equal(flow.rate, 40459309); /* a picosecond too early */
    flow.rtt_ps = RTT_PS;
    round_trip(0, 0);
    assert_int_equal(flow.rate, 40459309); /* nothing came */
    round_trip(10, 9);
    assert_int_not_equal(flow.rate, 40459309);
}

static void gaps_and_sizes_are_random_within_their_limits(void **state)
{
    (void)state;
    assert_int_equal(weir_expresspass_gap_ps(&cfg, 84000000, 0), 900000);
    assert_int_equal(weir_expresspass_gap_ps(&cfg, 84000000, UINT64_C(1) << 63), 1000000);
    assert_int_equal(weir_expresspass_gap_ps(&cfg, 84000000, UINT64_MAX), 1100000);
    assert_int_equal(weir_expresspass_credit_bytes(&cfg, UINT64_C(0xffffffff00000000)), 76);
    assert_int_equal(weir_expresspass_credit_bytes(&cfg, 0xffffffff), 92);
    assert_int_equal(weir_expresspass_credit_bytes(&cfg, 0x80000000), 84);
    cfg.jitter_ppm = 0;
    assert_int_equal(weir_expresspass_gap_ps(&cfg, RATE_MAX, UINT64_MAX), 129760);
}

/* ---- what data returns ---- */

static void the_round_trip_is_averaged_from_the_times_that_data_returns(void **state)
{
    uint32_t echo = weir_expresspass_echo(7, 5000000, 12);
    (void)state;
    assert_int_equal(echo, 7u << 20 | 1220);
    weir_expresspass_sample(&cfg, &flow, echo, 13000000, 12); /* 3173 - 1220 units of 4096 ps */
    assert_int_equal(flow.rtt_ps, 7999488);
    weir_expresspass_sample(&cfg, &flow, echo, 5000000 + (1000u << 12), 12);
    assert_int_equal(flow.rtt_ps, 7999488 - 780697); /* a fifth of 7999488 - 4096000, rounded down */
    weir_expresspass_sample(&cfg, &flow, echo, 5000000 + (2000u << 12), 12);
    assert_int_equal(flow.rtt_ps, 7218791 + 194641); /* a fifth of 8192000 - 7218791 */
    flow.rtt_ps = 0;
    echo = weir_expresspass_echo(0, (UINT64_C(5) << 32) - 4096, 12); /* the last unit before the field wraps */
    weir_expresspass_sample(&cfg, &flow, echo, (UINT64_C(5) << 32) + 4096, 12);
    assert_int_equal(flow.rtt_ps, 8192);
}

static void gaps_in_the_numbers_that_data_returns_are_lost_credits(void **state)
{
    uint32_t expected = 5;
    (void)state;
    weir_expresspass_count(&flow, &expected, 5u << 20);
    assert_int_equal(flow.total, 1);
    assert_int_equal(flow.dropped, 0);
    weir_expresspass_count(&flow, &expected, 8u << 20);
    assert_int_equal(flow.total, 4);
    assert_int_equal(flow.dropped, 2);
    weir_expresspass_count(&flow, &expected, 7u << 20); /* overtaken */
    assert_int_equal(flow.total, 4);
    assert_int_equal(expected, 9);
    expected = 4095;
    weir_expresspass_count(&flow, &expected, 1u << 20);
    assert_int_equal(flow.dropped, 4);
    assert_int_equal(expected, 2);
}

/* ---- the sender ---- */

/* Nothing is to be sent; else the kind of the control packet. */
static int control_of(uint32_t i)
{
    struct weir_own_pkt out;
    if (host.head.controls == 0)
        return -1;
    ops->control_next(&cfg, &host, &out);
    assert_ptr_equal(out.tx, &tx[i]);
    assert_null(out.rx);
    assert_int_equal(out.class_id, 1);
    return out.kind;
}

static struct weir_expresspass_tx *message(uint32_t i, uint32_t pkts)
{
    tx[i].msg = (struct weir_tx_msg){ .pkts = pkts, .next_wire_bytes = 1538, .order = i };
    ops->tx_message(&cfg, &host, &peer, &tx[i], now_ps);
    return &tx[i];
}

/* @return the number of the credit that the packet returns; -1 = none may go */
static int send(uint32_t i)
{
    struct weir_send out;
    bool ready = ops->tx_ready(&host);
    assert_int_equal(ops->tx_next(&cfg, &host, now_ps, &out), ready);
    if (!ready)
        return -1;
    struct weir_expresspass_tx *m = out.tx;
    assert_ptr_equal(m, &tx[i]);
    assert_int_equal(out.class_id, 1);
    if (m->msg.again_pkts > 0)
        m->msg.again_pkts--;
    else
        m->msg.next++;
    if (m->msg.next == m->msg.pkts && m->msg.again_pkts == 0)
        m->msg.next_wire_bytes = 0;
    ops->tx_sent(&cfg, &host, out.peer, m);
    return (int)(out.sequence >> WEIR_EXPRESSPASS_TIME_BITS);
}

static void credit(uint32_t i, uint32_t sequence)
{
    const struct weir_own_pkt control = { .now_ps = now_ps,
                                          .peer = &peer,
                                          .tx = &tx[i],
                                          .value = now_ps - 4000000,
                                          .sequence = sequence,
                                          .kind = WEIR_EXPRESSPASS_CREDIT };
    ops->control(&cfg, &host, &control);
}

/* The clock of the sender half goes on to its next instant. */
static uint64_t wait_for_clock(void)
{
    uint64_t before_ps = now_ps;
    now_ps = ops->tx_next_ps(&cfg, &host);
    ops->tx_time(&cfg, &host, now_ps);
    return now_ps - before_ps;
}

/* Through all states: requested, credited after 8 us, stopped with the last packet, closed two and one round trips after. */
static void a_packet_goes_for_each_credit_and_a_stop_behind_the_last(void **state)
{
    struct weir_expresspass_tx *m;
    (void)state;
    cfg.early_stop = 0;
    m = message(0, 3);
    assert_int_equal(m->msg.unsched_pkts, 3);
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    assert_int_equal(send(0), -1);
    now_ps += RTT_PS;
    credit(0, 0);
    assert_int_equal(m->state, WEIR_EXPRESSPASS_RECEIVING);
    assert_int_equal(m->rtt_ps, RTT_PS);
    assert_int_equal(send(0), 0);
    assert_int_equal(send(0), -1);
    credit(0, 1);
    credit(0, 3); /* two wait: the first returns the number before the second's */
    assert_int_equal(control_of(0), -1);
    assert_int_equal(send(0), 2);
    assert_int_equal(control_of(0), -1);
    assert_int_equal(send(0), 3);
    assert_int_equal(m->state, WEIR_EXPRESSPASS_STOP_SENT);
    assert_int_equal(control_of(0), WEIR_EXPRESSPASS_STOP);
    credit(0, 4); /* came too late */
    assert_int_equal(send(0), -1);
    assert_int_equal(host.wasted, 1);
    assert_int_equal(wait_for_clock(), 2 * RTT_PS);
    assert_int_equal(m->state, WEIR_EXPRESSPASS_CLOSE_WAIT);
    credit(0, 5);
    assert_int_equal(host.wasted, 2);
    assert_int_equal(wait_for_clock(), RTT_PS);
    assert_int_equal(m->state, WEIR_EXPRESSPASS_CLOSED);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), WEIR_NEVER);
    assert_int_equal(control_of(0), -1);
}

static void a_request_is_repeated_until_credit_comes(void **state)
{
    (void)state;
    (void)message(0, 3);
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(wait_for_clock(), cfg.request_ps);
        assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    }
    now_ps += RTT_PS;
    credit(0, 0);
    assert_int_equal(tx[0].rtt_ps, RTT_PS); /* of the last one */
    assert_int_equal(wait_for_clock(), cfg.idle_ps);
    assert_int_equal(tx[0].state, WEIR_EXPRESSPASS_REQUEST_SENT); /* no credit for so long: its receiver has given up */
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
}

static void an_idle_timer_counts_from_the_last_credit(void **state)
{
    (void)state;
    (void)message(0, 9);
    (void)control_of(0);
    now_ps += RTT_PS;
    credit(0, 0);
    now_ps += 1000000;
    credit(0, 1);
    assert_int_equal(wait_for_clock(), cfg.idle_ps - 1000000);
    assert_int_equal(tx[0].state, WEIR_EXPRESSPASS_RECEIVING);
    assert_int_equal(wait_for_clock(), 1000000);
    assert_int_equal(tx[0].state, WEIR_EXPRESSPASS_REQUEST_SENT);
}

/* 10 packets, 4 credits in the first round trip: 6 are left. 6 in the second one: none but those on their way are wanted. */
static void a_sender_stops_early_when_a_round_trip_of_credit_is_enough(void **state)
{
    struct weir_expresspass_tx *m;
    (void)state;
    m = message(0, 20);
    (void)control_of(0);
    now_ps += RTT_PS;
    for (uint32_t i = 0; i < 5; i++) {
        credit(0, i);
        assert_int_equal(send(0), (int)i);
    }
    now_ps += RTT_PS;
    credit(0, 5); /* six in this round trip, 14 are left */
    (void)send(0);
    assert_int_equal(m->state, WEIR_EXPRESSPASS_RECEIVING);
    assert_int_equal(m->credits, 0);
    for (uint32_t i = 6; i < 12; i++) {
        credit(0, i);
        (void)send(0);
    }
    now_ps += RTT_PS;
    credit(0, 12); /* seven, and seven are left */
    assert_int_equal(m->state, WEIR_EXPRESSPASS_STOP_SENT);
    assert_int_equal(control_of(0), WEIR_EXPRESSPASS_STOP);
    assert_int_equal(send(0), 12);
    credit(0, 13); /* on its way */
    assert_int_equal(send(0), 13);
    assert_int_equal(wait_for_clock(), 2 * RTT_PS); /* not enough came: it asks again */
    assert_int_equal(m->state, WEIR_EXPRESSPASS_REQUEST_SENT);
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
}

/* Two connections: the third message waits until the first one's is closed, three round trips after its stop. */
static void a_message_waits_for_a_connection(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        (void)message(i, 1);
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    assert_int_equal(control_of(1), WEIR_CONTROL_REQUEST);
    assert_int_equal(control_of(2), -1);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_WAITING);
    assert_false(ops->tx_silent(&cfg, &host, &peer, &tx[2], now_ps));
    credit(2, 0); /* nobody asked */
    assert_int_equal(send(2), -1);
    now_ps += RTT_PS;
    credit(0, 0);
    assert_int_equal(send(0), 0);
    assert_int_equal(control_of(0), WEIR_EXPRESSPASS_STOP);
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    assert_int_equal(peer.busy, 2);
    assert_int_equal(wait_for_clock(), 3 * RTT_PS);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_REQUEST_SENT);
    assert_int_equal(control_of(2), WEIR_CONTROL_REQUEST);
    assert_int_equal(peer.busy, 2);
    (void)message(3, 1);
    ops->tx_done(&cfg, &host, &peer, &tx[3]); /* cancelled while it waits */
    assert_int_equal(peer.busy, 2);
    ops->tx_done(&cfg, &host, &peer, &tx[1]); /* cancelled while it asks: its connection is free at once */
    assert_int_equal(peer.busy, 1);
}

static void a_connection_is_busy_until_the_receiver_has_all(void **state)
{
    (void)state;
    cfg.connections = 1;
    (void)message(0, 1);
    (void)control_of(0);
    now_ps += RTT_PS;
    credit(0, 0);
    (void)send(0);
    (void)control_of(0);
    (void)wait_for_clock();
    (void)wait_for_clock();
    assert_int_equal(tx[0].state, WEIR_EXPRESSPASS_CLOSED);
    assert_true(ops->tx_silent(&cfg, &host, &peer, &tx[0], now_ps));
    (void)message(1, 1);
    assert_int_equal(tx[1].state, WEIR_EXPRESSPASS_WAITING);
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    assert_int_equal(wait_for_clock(), 1); /* at once */
    assert_int_equal(tx[1].state, WEIR_EXPRESSPASS_REQUEST_SENT);
}

/* Message i is requested, credited a round trip later, sent and stopped. */
static void spend(uint32_t i)
{
    assert_int_equal(control_of(i), WEIR_CONTROL_REQUEST);
    now_ps += RTT_PS;
    credit(i, 0);
    (void)send(i);
    assert_int_equal(control_of(i), WEIR_EXPRESSPASS_STOP);
}

/* A message that begins while others wait: the clock is that of the connection which closes next, or the next instant if one is
 * free, and there is none while all are in use. */
static void a_message_that_waits_asks_for_the_clock_of_the_next_free_connection(void **state)
{
    (void)state;
    cfg.connections = 1;
    (void)message(0, 1);
    (void)message(1, 1);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), now_ps + cfg.request_ps); /* message 0 asks again then */
    spend(0);
    uint64_t free_ps = now_ps + 3 * RTT_PS;
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    ops->tx_done(&cfg, &host, &peer, &tx[1]); /* cancelled: none waits */
    (void)message(2, 1);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_WAITING);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), free_ps);
    (void)message(3, 1); /* free, but message 2 comes first */
    now_ps = free_ps;
    ops->tx_done(&cfg, &host, &peer, &tx[3]);
    ops->peer_forget(&cfg, &host, &peer); /* no clock is set any more */
    (void)message(4, 1);
    assert_int_equal(tx[4].state, WEIR_EXPRESSPASS_WAITING);
    assert_int_equal(peer.busy, 0);
    assert_int_equal(wait_for_clock(), 1);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_REQUEST_SENT);
    assert_int_equal(tx[4].state, WEIR_EXPRESSPASS_WAITING);
}

static void connections_without_limit_do_not_wait(void **state)
{
    (void)state;
    cfg.connections = 0;
    for (uint32_t i = 0; i < MSGS; i++) {
        (void)message(i, 1);
        assert_int_equal(control_of(i), WEIR_CONTROL_REQUEST);
    }
    for (uint32_t i = 0; i < MSGS; i++)
        ops->tx_done(&cfg, &host, &peer, &tx[i]);
    assert_int_equal(peer.busy, 0);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), WEIR_NEVER);
}

/* Packets by name, of a connection that was closed: it asks for credit, and they go again. */
static void lost_packets_reopen_a_connection(void **state)
{
    (void)state;
    (void)message(0, 1);
    (void)control_of(0);
    now_ps += RTT_PS;
    credit(0, 0);
    (void)send(0);
    (void)control_of(0);
    (void)wait_for_clock();
    (void)wait_for_clock();
    ops->tx_credit(&cfg, &host, &peer, &tx[0],
                   &(struct weir_credit){ .now_ps = now_ps, .first_pkt = 0, .pkts = 1, .sequence = 1 });
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    tx[0].msg.again_pkts = 1;
    tx[0].msg.next_wire_bytes = 1538;
    ops->tx_again(&cfg, &host, &peer, &tx[0]);
    now_ps += RTT_PS;
    credit(0, 9);
    assert_int_equal(send(0), 9);
    assert_int_equal(control_of(0), WEIR_EXPRESSPASS_STOP);
    ops->tx_credit(&cfg, &host, &peer, NULL, &(struct weir_credit){ .pkts = 1, .sequence = 1 }); /* of none */
}

/* Of a long message the receiver has room for 8192 packets, until it says otherwise. */
static void packets_beyond_the_window_wait_for_room(void **state)
{
    (void)state;
    (void)message(0, 10000);
    (void)control_of(0);
    assert_int_equal(tx[0].msg.unsched_pkts, 8192);
    tx[0].msg.next = 8192;
    credit(0, 0);
    assert_int_equal(send(0), -1);
    assert_int_equal(host.wasted, 1);
    ops->tx_credit(&cfg, &host, &peer, &tx[0],
                   &(struct weir_credit){ .now_ps = now_ps, .first_pkt = 8192, .pkts = 4096 });
    assert_int_equal(tx[0].state, WEIR_EXPRESSPASS_RECEIVING); /* credit goes on: nothing to ask for */
    assert_int_equal(tx[0].limit_pkts, 10000);
    credit(0, 1);
    assert_int_equal(send(0), 1);
}

/* ---- replies ---- */

static void message_with(uint32_t i, enum weir_reply reply)
{
    ops->tx_reply(&cfg, &tx[i], reply);
    (void)message(i, 1);
}

/* A message of the peer arrives whole. */
static void inbound_with(uint32_t i, enum weir_reply reply)
{
    ops->rx_reply(&cfg, &rx[i], reply);
    rx[i].msg = (struct weir_rx_msg){ .left_bytes = 4, .pkts = 1, .granted = 1, .order = i };
    ops->rx_message(&cfg, &host, &peer, &rx[i], now_ps);
    (void)ops->rx_packet(&cfg, &host, &peer, &rx[i], &(struct weir_data){ .now_ps = now_ps });
    ops->rx_done(&cfg, &host, &peer, &rx[i]);
}

/* One connection, which closes three round trips after the stop: the reply ends the wait before that, and nothing else does. */
static void with_wait_reply_a_connection_is_free_when_the_reply_has_come(void **state)
{
    (void)state;
    cfg.connections = 1;
    cfg.wait_reply = 1;
    message_with(0, WEIR_REPLY_EXPECTED);
    message_with(1, WEIR_REPLY_EXPECTED);
    spend(0);
    now_ps += 1000000;
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), WEIR_NEVER);
    inbound_with(0, WEIR_REPLY_EXPECTED); /* a message of the peer's own */
    inbound_with(0, WEIR_REPLY_NONE);
    assert_int_equal(ops->tx_next_ps(&cfg, &host), WEIR_NEVER);
    assert_int_equal(peer.busy, 1);
    inbound_with(0, WEIR_REPLY_IS);
    assert_int_equal(peer.busy, 0);
    assert_int_equal(wait_for_clock(), 1); /* at once */
    assert_int_equal(tx[1].state, WEIR_EXPRESSPASS_REQUEST_SENT);
    assert_int_equal(peer.busy, 1);
}

static void a_reply_that_overtakes_the_end_of_its_message_frees_the_connection_with_it(void **state)
{
    (void)state;
    cfg.connections = 1;
    cfg.wait_reply = 1;
    message_with(0, WEIR_REPLY_EXPECTED);
    message_with(1, WEIR_REPLY_EXPECTED);
    spend(0);
    inbound_with(0, WEIR_REPLY_IS);
    assert_int_equal(peer.busy, 1);
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    assert_int_equal(wait_for_clock(), 1);
    spend(1);
    ops->tx_done(&cfg, &host, &peer, &tx[1]);
    assert_int_equal(peer.busy, 1); /* the reply that came was of the first one */
}

static void a_reply_takes_no_connection(void **state)
{
    (void)state;
    cfg.connections = 1;
    cfg.wait_reply = 1;
    message_with(0, WEIR_REPLY_EXPECTED);
    message_with(1, WEIR_REPLY_IS);
    message_with(2, WEIR_REPLY_NONE);
    assert_int_equal(control_of(0), WEIR_CONTROL_REQUEST);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_WAITING);
    spend(1);
    ops->tx_done(&cfg, &host, &peer, &tx[1]);
    assert_int_equal(peer.busy, 1);
    assert_int_equal(tx[2].state, WEIR_EXPRESSPASS_WAITING);
}

static void without_wait_reply_a_reply_is_a_message_like_any_other(void **state)
{
    (void)state;
    cfg.connections = 1;
    message_with(0, WEIR_REPLY_IS);
    message_with(1, WEIR_REPLY_EXPECTED);
    assert_int_equal(tx[1].state, WEIR_EXPRESSPASS_WAITING);
    spend(0);
    ops->tx_done(&cfg, &host, &peer, &tx[0]);
    assert_int_equal(wait_for_clock(), 3 * RTT_PS);
    spend(1);
    ops->tx_done(&cfg, &host, &peer, &tx[1]);
    inbound_with(0, WEIR_REPLY_IS);
    assert_int_equal(peer.busy, 1);
    assert_int_equal(peer.closing, 1);
}

/* ---- the receiver ---- */

static void inbound(uint32_t i, uint32_t pkts)
{
    rx[i].msg = (struct weir_rx_msg){ .left_bytes = (uint64_t)pkts * MSS, .pkts = pkts, .granted = pkts, .order = i };
    ops->rx_message(&cfg, &host, &peer, &rx[i], now_ps);
}

static uint64_t next_ps(void)
{
    return ops->rx_next_ps(&cfg, &host, now_ps);
}

/* The credit that is due now. @return its number */
static uint32_t take_credit(uint32_t i)
{
    struct weir_grant grant;
    struct weir_own_pkt out;
    assert_int_equal(next_ps(), now_ps);
    assert_false(ops->rx_next(&cfg, &host, now_ps, &grant));
    assert_int_equal(host.head.controls, 1);
    ops->control_next(&cfg, &host, &out);
    assert_ptr_equal(out.rx, &rx[i]);
    assert_int_equal(out.kind, WEIR_EXPRESSPASS_CREDIT);
    assert_int_equal(out.class_id, 0);
    assert_int_equal(out.value, now_ps);
    assert_in_range(out.wire_bytes, 76, 92);
    return out.sequence;
}

static bool data(uint32_t i, uint32_t seq, uint64_t sent_ps)
{
    const struct weir_data d = { .now_ps = now_ps,
                                 .payload_bytes = MSS,
                                 .sequence = weir_expresspass_echo(seq, sent_ps, host.time_shift),
                                 .flags = WEIR_DATA_PAYLOAD };
    return ops->rx_packet(&cfg, &host, &peer, &rx[i], &d);
}

static void request(uint32_t i)
{
    (void)ops->rx_packet(&cfg, &host, &peer, &rx[i], &(struct weir_data){ .now_ps = now_ps });
}

static void stop(uint32_t i)
{
    ops->control(
        &cfg, &host,
        &(struct weir_own_pkt){ .now_ps = now_ps, .peer = &peer, .rx = &rx[i], .kind = WEIR_EXPRESSPASS_STOP });
}

/* 84 B at 40459309 B/s are 2.076 us, 10 % more or less. */
static void credit_goes_at_once_and_then_at_the_rate(void **state)
{
    (void)state;
    inbound(0, 40);
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t sent_ps = now_ps;
        assert_int_equal(take_credit(0), i);
        assert_in_range(next_ps() - sent_ps, 1868541, 2283773);
        now_ps = next_ps();
    }
}

static void a_stop_ends_it_and_a_request_begins_it_anew(void **state)
{
    (void)state;
    inbound(0, 40);
    (void)take_credit(0);
    request(0); /* repeated: it is credited already */
    assert_true(next_ps() > now_ps);
    assert_true(next_ps() < WEIR_NEVER);
    stop(0);
    assert_int_equal(next_ps(), WEIR_NEVER);
    stop(0);
    rx[0].flow.w_ppb = 1;
    rx[0].flow.total = 7;
    rx[0].msg.left_bytes = 10 * MSS - 5;
    request(0);
    assert_int_equal(rx[0].flow.w_ppb, 62500000);
    assert_int_equal(rx[0].flow.rate, 10114827); /* for the ten packets that are left */
    assert_int_equal(rx[0].flow.total, 0);
    assert_int_equal(take_credit(0), 1);
    (void)data(0, 0, now_ps); /* of the credit before: not counted */
    assert_int_equal(rx[0].flow.total, 0);
    (void)data(0, 1, now_ps);
    assert_int_equal(rx[0].flow.total, 1);
    ops->rx_done(&cfg, &host, &peer, &rx[0]);
    assert_int_equal(next_ps(), WEIR_NEVER);
}

static void credits_of_one_instant_leave_in_the_order_of_their_messages(void **state)
{
    struct weir_grant grant;
    struct weir_own_pkt out;
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        inbound(i, 40);
    for (uint32_t i = 0; i < 3; i++)
        assert_false(ops->rx_next(&cfg, &host, now_ps, &grant));
    assert_int_equal(host.head.controls, 3);
    for (uint32_t i = 0; i < 3; i++) {
        ops->control_next(&cfg, &host, &out);
        assert_ptr_equal(out.rx, &rx[i]);
    }
    assert_true(next_ps() > now_ps);
}

/* Silence: no more credit, and all that is missing by name, at once. The number asks the sender to ask again. */
static void a_silent_message_is_asked_for_by_name(void **state)
{
    struct weir_grant grant = { .pkts = 0 };
    (void)state;
    inbound(0, 20000); /* long: new packets alone would not be granted yet */
    rx[0].msg.granted = 8192;
    (void)take_credit(0);
    now_ps += cfg.idle_ps;
    assert_true(ops->rx_silent(&cfg, &host, &peer, &rx[0], now_ps));
    assert_int_equal(next_ps(), WEIR_NEVER);
    rx[0].msg.grant_wire_bytes = 1538;
    ops->rx_again(&cfg, &host, &peer, &rx[0]);
    assert_int_equal(next_ps(), now_ps);
    assert_true(ops->rx_next(&cfg, &host, now_ps, &grant));
    assert_ptr_equal(grant.rx, &rx[0]);
    assert_int_equal(grant.pkts, 8192);
    assert_int_equal(grant.sequence, 1);
    grant.again = true; /* one run of several */
    ops->rx_granted(&cfg, &host, &grant, now_ps);
    assert_int_equal(next_ps(), now_ps);
    assert_true(ops->rx_next(&cfg, &host, now_ps, &grant));
    rx[0].msg.grant_wire_bytes = 0;
    grant.again = true;
    ops->rx_granted(&cfg, &host, &grant, now_ps);
    assert_int_equal(next_ps(), WEIR_NEVER);
    request(0);
    assert_int_equal(take_credit(0), 1);
}

static void what_comes_after_all_is_not_asked_for(void **state)
{
    (void)state;
    inbound(0, 40);
    (void)ops->rx_silent(&cfg, &host, &peer, &rx[0], now_ps);
    rx[0].msg.grant_wire_bytes = 1538;
    ops->rx_again(&cfg, &host, &peer, &rx[0]);
    rx[0].msg.grant_wire_bytes = 0;
    ops->rx_again(&cfg, &host, &peer, &rx[0]);
    assert_int_equal(next_ps(), WEIR_NEVER);
}

/* Of 20,000 packets the sender may send 8192. When half of them are here the next 4096 are granted, and then the rest. */
static void a_long_message_is_granted_room_in_large_runs(void **state)
{
    struct weir_grant grant = { .pkts = 0 };
    (void)state;
    inbound(0, 20000);
    (void)take_credit(0);
    rx[0].msg.granted = 8192;
    rx[0].msg.cum = 4095;
    rx[0].msg.grant_wire_bytes = 1538;
    assert_false(data(0, 0, now_ps));
    rx[0].msg.cum = 4096;
    assert_true(data(0, 0, now_ps));
    assert_int_equal(next_ps(), now_ps);
    assert_true(ops->rx_next(&cfg, &host, now_ps, &grant));
    assert_int_equal(grant.sequence, 0); /* credit goes on */
    rx[0].msg.granted = 12288;
    rx[0].msg.grant_wire_bytes = 0;
    ops->rx_granted(&cfg, &host, &grant, now_ps);
    assert_true(next_ps() > now_ps);
    rx[0].msg.cum = 20000 - 8192; /* all the rest fits */
    rx[0].msg.granted = 19999;
    rx[0].msg.grant_wire_bytes = 1538;
    assert_true(data(0, 0, now_ps));
}

/* ---- keys ---- */

static const char *check(uint64_t base_rtt_ps)
{
    static struct weir_err err;
    const struct weir_path path = {
        .base_rtt_ps = base_rtt_ps, .rate_bps = 100000000000, .bdp_bytes = 100000, .mss_bytes = MSS
    };
    memset(&err, 0, sizeof(err));
    return weir_expresspass_check(&cfg, &path, &err) == 0 ? NULL : (refusal_record(&err), err.text);
}

static void assert_check(uint64_t base_rtt_ps, const char *key)
{
    const char *text = check(base_rtt_ps);
    assert_non_null(text);
    assert_memory_equal(text, key, strlen(key));
}

static void keys_that_do_not_fit_each_other_are_refused(void **state)
{
    const struct weir_path wide = { .base_rtt_ps = 1, .bdp_bytes = 2048 * MSS, .mss_bytes = MSS };
    struct weir_err err;
    (void)state;
    assert_null(check(BASE_RTT_PS));
    assert_check(cfg.request_ps + 1, "request_timeout");
    cfg.request_ps = WEIR_PS_PER_S;
    assert_check(cfg.idle_ps / 2 + 1, "idle_timeout");
    cfg.idle_ps = 0;
    assert_null(check(WEIR_PS_PER_MS * 2));
    cfg.w_min_ppm = 500001;
    assert_check(BASE_RTT_PS, "w_min");
    cfg.w_min_ppm = 62501;
    assert_check(BASE_RTT_PS, "w_init");
    cfg.w_min_ppm = 10000;
    cfg.w_init_ppm = 500001;
    assert_check(BASE_RTT_PS, "w_init");
    cfg.w_init_ppm = 500000;
    cfg.credit_min_bytes = 93;
    assert_check(BASE_RTT_PS, "credit_min");
    cfg.credit_min_bytes = 92;
    assert_int_equal(weir_expresspass_check(&cfg, &wide, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "topology.bdp");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_largest_rate_is_what_the_gate_lets_through, setup),
        cmocka_unit_test_setup(a_message_begins_at_a_sixteenth_and_a_short_one_slower, setup),
        cmocka_unit_test_setup(without_loss_the_rate_goes_towards_the_largest_ever_faster, setup),
        cmocka_unit_test_setup(with_loss_the_rate_is_what_came_and_a_little_more, setup),
        cmocka_unit_test_setup(loss_up_to_the_target_counts_as_none, setup),
        cmocka_unit_test_setup(a_rate_is_at_least_one_credit_per_round_trip, setup),
        cmocka_unit_test_setup(it_decides_once_per_round_trip_and_only_by_what_it_knows, setup),
        cmocka_unit_test_setup(gaps_and_sizes_are_random_within_their_limits, setup),
        cmocka_unit_test_setup(the_round_trip_is_averaged_from_the_times_that_data_returns, setup),
        cmocka_unit_test_setup(gaps_in_the_numbers_that_data_returns_are_lost_credits, setup),
        cmocka_unit_test_setup(a_packet_goes_for_each_credit_and_a_stop_behind_the_last, setup),
        cmocka_unit_test_setup(a_request_is_repeated_until_credit_comes, setup),
        cmocka_unit_test_setup(an_idle_timer_counts_from_the_last_credit, setup),
        cmocka_unit_test_setup(a_sender_stops_early_when_a_round_trip_of_credit_is_enough, setup),
        cmocka_unit_test_setup(a_message_waits_for_a_connection, setup),
        cmocka_unit_test_setup(a_connection_is_busy_until_the_receiver_has_all, setup),
        cmocka_unit_test_setup(a_message_that_waits_asks_for_the_clock_of_the_next_free_connection, setup),
        cmocka_unit_test_setup(connections_without_limit_do_not_wait, setup),
        cmocka_unit_test_setup(lost_packets_reopen_a_connection, setup),
        cmocka_unit_test_setup(packets_beyond_the_window_wait_for_room, setup),
        cmocka_unit_test_setup(with_wait_reply_a_connection_is_free_when_the_reply_has_come, setup),
        cmocka_unit_test_setup(a_reply_that_overtakes_the_end_of_its_message_frees_the_connection_with_it, setup),
        cmocka_unit_test_setup(a_reply_takes_no_connection, setup),
        cmocka_unit_test_setup(without_wait_reply_a_reply_is_a_message_like_any_other, setup),
        cmocka_unit_test_setup(credit_goes_at_once_and_then_at_the_rate, setup),
        cmocka_unit_test_setup(a_stop_ends_it_and_a_request_begins_it_anew, setup),
        cmocka_unit_test_setup(credits_of_one_instant_leave_in_the_order_of_their_messages, setup),
        cmocka_unit_test_setup(a_silent_message_is_asked_for_by_name, setup),
        cmocka_unit_test_setup(what_comes_after_all_is_not_asked_for, setup),
        cmocka_unit_test_setup(a_long_message_is_granted_room_in_large_runs, setup),
        cmocka_unit_test_setup(keys_that_do_not_fit_each_other_are_refused, setup),
    };
    return cmocka_run_group_tests_name("proto/expresspass", tests, NULL, NULL);
}
