/* test/unit/host/test_state.c - the state of a host that run.skip: exact compares and moves (doc/skip.md): each field of it matters, and a
 * transfer that was moved on ends as one that was not. */
#include "core/state.h"
#include "pair.h"
#include <string.h>

enum { VALUES = 4096, PKTS = 4000, BY = 900 };
#define PERIOD (UINT64_C(2) * 176000) /* two packets of 1100 bytes at 50 Gb/s: each second one is acknowledged */

static struct weir_cc_ops ops;
static uint32_t window_bytes = 200 * PAIR_MSS;
static int32_t step_bytes; /* by which each ACK changes the window */
static uint64_t rate_bps, values[VALUES], sums[VALUES];
static struct weir_state s;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = rate_bps, .timer_ps = WEIR_NEVER, .cwnd_bytes = window_bytes };
}

static void law_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    (void)config, (void)ack;
    cc->cwnd_bytes += (uint32_t)step_bytes;
}

static bool no_room(struct weir_state_list *list)
{
    (void)list;
    return false;
}

static uint32_t una(const void *ctx, uint32_t host, uint32_t conn)
{
    const struct pair *p = ctx;
    return host < 2 ? weir_host_una(p->host[host], conn) : 0;
}

/* A long message at 50 Gb/s, or at another rate, for so long. */
static struct pair *begin(uint64_t bps, uint32_t ack_every, uint64_t until_ps)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law",
                                .state_bytes = sizeof(struct weir_cc),
                                .needs = WEIR_NEED_HELD,
                                .init = law_init,
                                .on_ack = law_on_ack };
    rate_bps = bps;
    p->cfg.cc = &ops;
    p->cfg.params.ack_every = ack_every;
    pair_start(p);
    assert_null(weir_host_state_why(p->host[0]));
    pair_send(p, 0, PKTS * PAIR_MSS);
    pair_run(p, until_ps);
    p->now_ps = until_ps;
    s = (struct weir_state){ .grow = no_room,
                             .una = una,
                             .ctx = p,
                             .value = { .at = values, .room = VALUES },
                             .sum = { .at = sums, .room = VALUES } };
    return p;
}

static int earlier(const void *a, const void *b)
{
    const struct pair_flight *x = a, *y = b;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Gives all that there is: hosts, and packets under way in the order in which they were sent. */
static void give(struct pair *p, enum weir_state_pass pass)
{
    weir_state_begin(&s, pass, p->now_ps);
    if (pass == WEIR_STATE_MOVE) {
        s.periods = BY;
        s.period_ps = PERIOD;
    }
    qsort(p->flight, p->flights, sizeof(p->flight[0]), earlier);
    for (uint32_t i = 0; i < 2; i++)
        weir_host_state(p->host[i], &s);
    for (uint32_t i = 0; i < p->flights; i++) {
        weir_state_time(&s, &p->flight[i].at_ps);
        weir_host_state_pkt(&s, &p->flight[i].pkt);
    }
    assert_false(s.out_of_memory);
}

static bool is_back(struct pair *p)
{
    give(p, WEIR_STATE_TEST);
    return weir_state_is_equal(&s);
}

/* Adds one to a field of `bytes` bytes, little-endian as all machines here are, and takes it off again. */
static void matters(struct pair *p, const char *name, void *field, size_t bytes)
{
    uint64_t value = 0, more;
    bool back;
    memcpy(&value, field, bytes);
    more = value + 1;
    memcpy(field, &more, bytes);
    back = is_back(p);
    memcpy(field, &value, bytes);
    if (back)
        fail_msg("%s does not matter", name);
}

#define MATTERS(p, record, field) matters(p, #field, &(record)->field, sizeof((record)->field))

static void every_field_of_a_connection_is_compared(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    struct weir_host *h = p->host[0];
    struct host_flow *f = host_flow_at(h, 0);
    (void)state;
    f->limited = f->una + 1; /* else it is past */
    give(p, WEIR_STATE_KEEP);
    assert_true(is_back(p));
    MATTERS(p, f, una);
    MATTERS(p, f, next);
    MATTERS(p, f, end);
    MATTERS(p, f, first);
    MATTERS(p, f, msg_seq);
    MATTERS(p, f, since_ps);
    MATTERS(p, f, inflight_bytes);
    MATTERS(p, f, msg);
    MATTERS(p, f, limited);
    MATTERS(p, f, hash);
    MATTERS(p, f, srtt_8);
    MATTERS(p, f, rttvar_4);
    MATTERS(p, f, board);
    MATTERS(p, f, flags);
    f->backoff++;
    assert_false(is_back(p));
    f->backoff--;
    f->last_bytes++;
    assert_false(is_back(p));
    f->last_bytes--;
    f->dst++;
    assert_false(is_back(p));
    f->dst--;
    MATTERS(p, host_cc(h, f), rate_bps);
    MATTERS(p, host_cc(h, f), timer_ps);
    MATTERS(p, h, ready_count);
    MATTERS(p, h, hold);
    MATTERS(p, h, paused_classes);
    MATTERS(p, h, spray_count);
    MATTERS(p, &h->notices, count);
    assert_true(is_back(p));
}

/* Moves a connection on by a packet: all its numbers but those of its message, which are equal in all periods. */
static void shift(struct pair *p)
{
    struct host_flow *f = host_flow_at(p->host[0], 0);
    f->una++;
    f->next++;
    f->limited++;
    host_rx_at(p->host[1], 0)->cum++;
}

/* They do not begin or end a message, nor end one that was cancelled. */
static void where_a_message_begins_is_compared(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    struct host_flow *f = host_flow_at(p->host[0], 0);
    struct host_rx *r = host_rx_at(p->host[1], 0);
    (void)state;
    p->flights = 0;
    f->first = f->una - 1;
    r->first = r->cum - 1;
    give(p, WEIR_STATE_KEEP);
    shift(p);
    assert_true(is_back(p));
    f->first = f->una; /* nothing of it is acknowledged */
    give(p, WEIR_STATE_KEEP);
    shift(p);
    assert_false(is_back(p));
    r->first = r->cum; /* nothing of it has arrived */
    give(p, WEIR_STATE_KEEP);
    shift(p);
    assert_false(is_back(p));
    host_stream_of(p->host[0])->urgent = true; /* some message had a priority */
    give(p, WEIR_STATE_TEST);
    assert_non_null(s.unready);
    host_stream_of(p->host[0])->urgent = false;
    f->limited = f->end + 1; /* it was cancelled */
    give(p, WEIR_STATE_KEEP);
    shift(p);
    assert_false(is_back(p));
}

/* As the window limits the sender, so the packet that it held back last goes on. */
static void what_the_window_held_back_is_moved_on(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    struct host_flow *f = host_flow_at(p->host[0], 0);
    uint32_t limited = f->limited = f->una + 1;
    (void)state;
    give(p, WEIR_STATE_KEEP);
    f->limited += 3;
    host_rx_at(p->host[1], 0)->marks += 2;
    give(p, WEIR_STATE_MOVE);
    assert_int_equal(f->limited, limited + 3 + 3 * BY);
    assert_int_equal(host_rx_at(p->host[1], 0)->marks, 2 + 2 * BY);
}

static void every_field_of_a_pacer_is_compared(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    struct host_pacer *pace = HOST_RECORD(struct host_pacer, &host_stream_of(p->host[0])->pacers, 0);
    struct host_flow *f = host_flow_at(p->host[0], 0);
    uint64_t next_ps = pace->next_ps;
    (void)state;
    give(p, WEIR_STATE_KEEP);
    assert_true(next_ps > p->now_ps && pace->armed_ps == next_ps && f->flags & HOST_PACED);
    MATTERS(p, pace, since_ps);
    MATTERS(p, pace, from_ps);
    MATTERS(p, pace, next_ps);
    MATTERS(p, pace, armed_ps);
    MATTERS(p, pace, rate_bps);
    MATTERS(p, pace, wire_bytes);
    MATTERS(p, pace, is_new);
    pace->open_ps = WEIR_NEVER;
    assert_false(is_back(p));
    for (int opens = 0; opens < 2;
         opens++) { /* the packet may leave, and waits for its NIC: since when is what matters */
        pace->next_ps = p->now_ps - 100;
        pace->open_ps = p->now_ps - (opens ? 50 : 200);
        give(p, WEIR_STATE_KEEP);
        matters(p, opens ? "open_ps" : "next_ps", opens ? &pace->open_ps : &pace->next_ps, 8);
        *(opens ? &pace->next_ps : &pace->open_ps) += 1; /* the earlier of the two does not */
        assert_true(is_back(p));
    }
    pace->open_ps = WEIR_NEVER; /* the window is shut: when it opens, the past is past */
    give(p, WEIR_STATE_KEEP);
    pace->next_ps = p->now_ps;
    assert_true(is_back(p));
    pace->next_ps = p->now_ps + 1;
    assert_false(is_back(p));
}

/* Its times stay where they are while it has nothing to do. */
static void a_pacer_without_a_message_or_a_rate_has_no_times(void **state)
{
    (void)state;
    for (int rated = 0; rated < 2; rated++) {
        struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
        struct host_pacer *pace = HOST_RECORD(struct host_pacer, &host_stream_of(p->host[0])->pacers, 0);
        struct host_flow *f = host_flow_at(p->host[0], 0);
        f->flags &= (uint8_t) ~(HOST_PACED | (rated ? HOST_BUSY : 0));
        pace->armed_ps = WEIR_NEVER;
        pace->rate_bps = rated ? pace->rate_bps : WEIR_RATE_OPEN;
        give(p, WEIR_STATE_KEEP);
        pace->since_ps++;
        pace->from_ps++;
        pace->next_ps++;
        pace->open_ps++;
        assert_true(is_back(p));
        f->flags |= HOST_BUSY;
        pace->rate_bps = 50000000000;
        give(p, WEIR_STATE_KEEP);
        MATTERS(p, pace, from_ps);
    }
}

static void every_field_of_a_receiver_is_compared(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    struct host_rx *r = host_rx_at(p->host[1], 0);
    (void)state;
    for (uint32_t i = 0; i < 100 && r->pending == 0; i++) { /* until a packet waits for its ACK */
        p->now_ps += 4000;
        pair_run(p, p->now_ps + 1);
    }
    assert_int_equal(r->pending, 1);
    r->nack_ps = p->now_ps + 1;
    give(p, WEIR_STATE_KEEP);
    assert_true(is_back(p));
    MATTERS(p, r, cum);
    MATTERS(p, r, gap);
    MATTERS(p, r, first);
    MATTERS(p, r, end);
    MATTERS(p, r, msg);
    MATTERS(p, r, conn);
    MATTERS(p, r, pending);
    MATTERS(p, r, pending_seq);
    MATTERS(p, r, pending_hash);
    MATTERS(p, r, pending_sent_ps);
    MATTERS(p, r, ack_at_ps);
    MATTERS(p, r, nack_ps);
    r->flags ^= HOST_RX_CE;
    assert_false(is_back(p));
    r->flags ^= HOST_RX_CE;
    r->src ^= 1;
    assert_false(is_back(p));
}

static void the_order_of_connections_is_compared(void **state)
{
    struct pair *p = begin(WEIR_RATE_OPEN, 2, 100 * PAIR_US);
    struct host_ring *ready = &host_stream_of(p->host[0])->ready;
    (void)state;
    assert_int_equal(ready->count, 1);
    give(p, WEIR_STATE_KEEP);
    matters(p, "an entry of the ready ring", host_ring_at(ready, 0, sizeof(uint32_t)), sizeof(uint32_t));
    MATTERS(p, ready, count);
    assert_true(is_back(p));
}

static void every_byte_of_a_packet_is_compared(void **state)
{
    struct pair *p = begin(50000000000, 2, 100 * PAIR_US);
    uint32_t kinds[2] = { 0 };
    (void)state;
    for (uint32_t i = 0; i < p->flights; i++) {
        struct weir_pkt *pkt = &p->flight[i].pkt;
        bool data = pkt->kind == WEIR_PKT_DATA;
        if (kinds[data]++ > 0)
            continue;                         /* one of each */
        pkt->arrival_ps = p->flight[i].at_ps; /* as on a link */
        give(p, WEIR_STATE_KEEP);
        for (size_t byte = 0; byte < sizeof(*pkt); byte++)
            matters(p, data ? "a byte of DATA" : "a byte of an ACK", (unsigned char *)pkt + byte, 1);
    }
    assert_true(kinds[0] > 0 && kinds[1] > 0);
}

static void a_state_comes_back_after_a_period_alone(void **state)
{
    struct pair *p = begin(50000000000, 2, 200 * PAIR_US);
    (void)state;
    give(p, WEIR_STATE_KEEP);
    pair_run(p, 200 * PAIR_US + PERIOD / 2);
    p->now_ps = 200 * PAIR_US + PERIOD / 2;
    assert_false(is_back(p));
    pair_run(p, 200 * PAIR_US + PERIOD);
    p->now_ps = 200 * PAIR_US + PERIOD;
    assert_true(is_back(p));
}

/* Moves all on. Times that little follows from so late in a transfer are looked at. */
static void move(struct pair *p, uint64_t by_ps)
{
    struct host_stream *stream = host_stream_of(p->host[0]);
    struct host_pacer *pace = HOST_RECORD(struct host_pacer, &stream->pacers, 0), was = *pace;
    struct weir_timers *timers = &p->host[0]->timers;
    uint64_t next_ps = p->host[0]->next_ps, timer_ps = weir_timers_take(timers).at_ps, since_ps;
    host_timer_push(p->host[0], timer_ps, 0, HOST_TIMER_RTO);
    since_ps = host_flow_at(p->host[0], 0)->since_ps;
    give(p, WEIR_STATE_MOVE);
    assert_int_equal(pace->since_ps, was.since_ps + by_ps);
    assert_int_equal(pace->from_ps, was.from_ps + by_ps);
    assert_int_equal(pace->next_ps, was.next_ps + by_ps);
    assert_int_equal(pace->open_ps, was.open_ps + by_ps);
    assert_int_equal(pace->armed_ps, was.armed_ps + by_ps);
    assert_int_equal(stream->paced.entry[0].at_ps, pace->armed_ps);
    assert_int_equal(host_flow_at(p->host[0], 0)->since_ps, since_ps + by_ps);
    assert_int_equal(p->host[0]->next_ps, next_ps + by_ps);
    assert_int_equal(weir_timers_take(timers).at_ps, timer_ps + by_ps);
    host_timer_push(p->host[0], timer_ps + by_ps, 0, HOST_TIMER_RTO);
    p->now_ps += by_ps;
}

static void a_transfer_that_was_moved_on_ends_as_one_that_was_not(void **state)
{
    struct weir_host_stats stats[2];
    struct pair *p = begin(50000000000, 2, WEIR_NEVER - 1);
    uint64_t finished_ps = p->finished_ps[0], by_ps = BY * PERIOD;
    (void)state;
    pair_assert_done(p, 1);
    for (uint32_t i = 0; i < 2; i++)
        stats[i] = *weir_host_stats(p->host[i]);
    p = begin(50000000000, 2, 200 * PAIR_US);
    give(p, WEIR_STATE_KEEP);
    pair_run(p, 200 * PAIR_US + PERIOD);
    p->now_ps = 200 * PAIR_US + PERIOD;
    assert_true(is_back(p));
    assert_true(s.periods >= BY && s.periods < PKTS / 2);
    move(p, by_ps);
    for (uint32_t i = 0; i < 2; i++)
        p->free_ps[i] += by_ps;
    assert_true(pair_next_ps(p) >= p->now_ps);
    p->now_ps = pair_next_ps(p);
    pair_run(p, WEIR_NEVER);
    pair_assert_done(p, 1);
    assert_int_equal(p->finished_ps[0], finished_ps);
    for (uint32_t i = 0; i < 2; i++)
        assert_memory_equal(&stats[i], weir_host_stats(p->host[i]), sizeof(stats[i]));
}

/* Returns how many ACKs of one packet each are replayed, of 100, if each of them changes the window by step bytes. They are noted with this
 * window. */
static uint64_t replayed_windows(uint64_t bytes, int32_t step)
{
    const uint64_t apart_ps = 88000; /* of packets at 100 Gb/s */
    struct pair *p;
    uint64_t periods, until_ps = 200 * PAIR_US;
    window_bytes = (uint32_t)bytes;
    p = begin(WEIR_RATE_OPEN, 1, 200 * PAIR_US);
    assert_true(weir_host_note(p->host[0], true));
    do {
        until_ps += apart_ps / 2;
        pair_run(p, until_ps);
    } while (host_stream_of(p->host[0])->notes->call.count == 0 && until_ps < 300 * PAIR_US);
    assert_true(weir_host_note(p->host[0], false));
    assert_int_equal(host_stream_of(p->host[0])->notes->call.count, 1);
    assert_int_equal(host_flow_at(p->host[0], 0)->inflight_bytes % PAIR_MSS, 0);
    step_bytes = step;
    periods = weir_host_replay(p->host[0], 1, 100, apart_ps, false);
    assert_int_equal(host_cc(p->host[0], host_flow_at(p->host[0], 0))->cwnd_bytes,
                     bytes); /* the calls were made to a copy */
    step_bytes = 0;
    window_bytes = 200 * PAIR_MSS;
    return periods;
}

/* 115 packets fill a round trip, and one more may wait. */
static void windows_are_those_noted_if_they_admit_the_same(void **state)
{
    (void)state;
    /* the NIC limits the sender: windows may grow, and shrink until they admit no packet more */
    assert_int_equal(replayed_windows(200 * PAIR_MSS, 0), 100);
    assert_int_equal(replayed_windows(200 * PAIR_MSS, 1000000), 100);
    uint32_t peak = 0;
    for (uint32_t pkts = 100; peak == 0 && pkts < 200; pkts++) /* the least window that limits nothing */
        peak = replayed_windows(pkts * PAIR_MSS, 1) == 100 && replayed_windows(pkts * PAIR_MSS, 1000) == 100 ? pkts : 0;
    assert_in_range(peak, 114, 118);
    assert_int_equal(replayed_windows(peak * PAIR_MSS, -1), 0);
    assert_int_equal(replayed_windows(peak * PAIR_MSS + 7, -1), 7);
    assert_int_equal(replayed_windows(peak * PAIR_MSS + 7, -4), 1);
    /* the window limits it: each other number of packets is another window */
    assert_int_equal(replayed_windows(50 * PAIR_MSS, -1), 0);
    assert_int_equal(replayed_windows(50 * PAIR_MSS + 7, -1), 7);
    assert_int_equal(replayed_windows(51 * PAIR_MSS - 8, 1), 7);
    assert_int_equal(replayed_windows(51 * PAIR_MSS - 1, 1), 0);
}

/* A round trip takes 10.096 us; packets are so many picoseconds apart. @return periods of 10 that can be replayed */
static uint64_t replayed(uint64_t apart_ps)
{
    struct pair *p = begin(UINT64_C(8800) * 1000000000000 / apart_ps, 1, 300 * PAIR_US);
    assert_true(weir_host_note(p->host[0], true));
    pair_run(p, 300 * PAIR_US + 4 * apart_ps);
    assert_true(weir_host_note(p->host[0], false));
    return weir_host_replay(p->host[0], 1, 10, 4 * apart_ps, false);
}

/* When the timer starts then depends on when its entry is looked at. */
static void calls_of_a_paced_law_are_replayed_unless_one_packet_is_in_flight(void **state)
{
    (void)state;
    assert_int_equal(replayed(11000000), 0); /* none is, after an ACK */
    assert_int_equal(replayed(8800000), 0);  /* one */
    assert_int_equal(replayed(4400000), 10); /* two */
    assert_int_equal(replayed(176000), 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_of_a_connection_is_compared),
        cmocka_unit_test(where_a_message_begins_is_compared),
        cmocka_unit_test(what_the_window_held_back_is_moved_on),
        cmocka_unit_test(every_field_of_a_pacer_is_compared),
        cmocka_unit_test(a_pacer_without_a_message_or_a_rate_has_no_times),
        cmocka_unit_test(every_field_of_a_receiver_is_compared),
        cmocka_unit_test(the_order_of_connections_is_compared),
        cmocka_unit_test(every_byte_of_a_packet_is_compared),
        cmocka_unit_test(a_state_comes_back_after_a_period_alone),
        cmocka_unit_test(a_transfer_that_was_moved_on_ends_as_one_that_was_not),
        cmocka_unit_test(windows_are_those_noted_if_they_admit_the_same),
        cmocka_unit_test(calls_of_a_paced_law_are_replayed_unless_one_packet_is_in_flight),
    };
    return cmocka_run_group_tests_name("host/state", tests, NULL, NULL);
}
