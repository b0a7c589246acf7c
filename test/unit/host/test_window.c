/* test/unit/host/test_window.c - host.window: how many packets are in flight, losses anywhere among them, and the memory that
 * takes. */
#include "pipe.h"

static const uint32_t windows[] = { 64, 1000, 8192, 8193, 188000, 262144 };
enum { WINDOWS = sizeof(windows) / sizeof(windows[0]) };

/* The first packet's index: the wrap lies in the middle of the second window. */
static uint32_t before_the_wrap(uint32_t window)
{
    return UINT32_MAX - window - window / 2;
}

/* On a path that holds more, one window leaves per round trip: the time of the last packet follows. */
static void exactly_a_window_is_in_flight(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        uint32_t window = windows[i], delay = window / 2 + 100, pkts = 3 * window + 17;
        struct pipe *q = pipe_reset(window, delay);
        pipe_start(q, before_the_wrap(window));
        pair_send(q->p, 0, pkts * PAIR_MSS);
        for (uint32_t slot = 0; slot < window; slot++)
            pipe_slot(q);
        assert_false(weir_host_ready(q->p->host[0]));
        assert_int_equal(host_flow_at(q->p->host[0], 0)->inflight_bytes, window * PAIR_MSS);
        pipe_run(q, 1);
        pair_assert_done(q->p, 1);
        assert_int_equal(q->inflight_most, window);
        assert_int_equal(q->p->sent_pkts, pkts);
        assert_int_equal(q->p->delivered_ps[0], (3 * UINT64_C(2) * delay + 16 + delay) * PIPE_SLOT_PS);
    }
}

/* First copies of the first packet of each 997 are lost; all of a window has to be kept until the second one comes. */
static bool passes_but_each_997th(struct pipe *q, const struct weir_pkt *pkt)
{
    return pkt->kind != WEIR_PKT_DATA || pkt->flags & WEIR_PKT_RETX ||
           (pkt->seq - host_stream_of(q->p->host[0])->first_index) % 997 != 0;
}

static void losses_anywhere_in_a_window_are_repaired_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        uint32_t window = windows[i], pkts = 3 * window + 2 * 997 + 100;
        struct pipe *q = pipe_reset(window, window / 2 + 100);
        pipe_start(q, before_the_wrap(window));
        q->passes = passes_but_each_997th;
        pair_send(q->p, 0, pkts * PAIR_MSS);
        pipe_run(q, 1);
        pair_assert_done(q->p, 1);
        assert_int_equal(q->inflight_most, window);
        assert_int_equal(q->dropped, (pkts + 996) / 997);
        assert_int_equal(weir_host_stats(q->p->host[0])->retransmissions, q->dropped);
        assert_int_equal(weir_host_stats(q->p->host[0])->timeouts, 0);
        assert_int_equal(weir_host_stats(q->p->host[1])->duplicates, 0);
        assert_int_equal(weir_host_stats(q->p->host[1])->rx_new_bytes, pkts * PAIR_MSS);
        assert_int_equal(weir_host_stats(q->p->host[0])->refused_pkts + weir_host_stats(q->p->host[1])->refused_pkts,
                         0);
    }
}

static bool passes_after_a_second(struct pipe *q, const struct weir_pkt *pkt)
{
    (void)pkt;
    return q->p->now_ps >= WEIR_PS_PER_S;
}

static void a_whole_window_that_is_lost_goes_again_after_the_timeout(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        uint32_t window = windows[i];
        struct pipe *q = pipe_reset(window, window / 2 + 100);
        pipe_start(q, before_the_wrap(window));
        q->passes = passes_after_a_second;
        pair_send(q->p, 0, 2 * window * PAIR_MSS);
        pipe_run(q, 1);
        pair_assert_done(q->p, 1);
        assert_int_equal(weir_host_stats(q->p->host[0])->timeouts, 1);
        assert_int_equal(weir_host_stats(q->p->host[0])->retransmissions, window);
    }
}

static void a_receiver_takes_the_last_packet_of_its_window_and_no_further_one(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < WINDOWS; i++) {
        struct pipe *q = pipe_reset(windows[i], 100);
        pipe_start(q, 0);
        struct weir_pkt pkt = { .src = 0,
                                .dst = 1,
                                .ack = UINT32_MAX - 7,
                                .seq = UINT32_MAX - 6,
                                .payload_bytes = PAIR_MSS,
                                .kind = WEIR_PKT_DATA };
        const struct weir_host_stats *s = weir_host_stats(q->p->host[1]);
        weir_host_rx(q->p->host[1], 0, &pkt, 1);
        pkt.seq = pkt.ack + windows[i];
        weir_host_rx(q->p->host[1], 0, &pkt, 1);
        assert_int_equal(s->refused_pkts, 1);
        pkt.seq--;
        weir_host_rx(q->p->host[1], 0, &pkt, 1);
        weir_host_rx(q->p->host[1], 0, &pkt, 1);
        assert_int_equal(s->refused_pkts, 1);
        assert_int_equal(s->duplicates, 1);
        assert_int_equal(s->rx_new_bytes, 2 * PAIR_MSS);
    }
}

/* --- memory --- */

struct grown {
    uint64_t sender, receiver;
};

static struct grown grown_now(const struct pipe *q)
{
    return (struct grown){ weir_host_stats(q->p->host[0])->grown_bytes, weir_host_stats(q->p->host[1])->grown_bytes };
}

/* What a message of so many packets takes, all of them in flight at once. */
static struct grown grown_by(uint32_t window, uint32_t pkts, bool loses)
{
    struct pipe *q = pipe_reset(window, pkts / 2 + 100);
    pipe_start(q, 0);
    q->passes = loses ? passes_but_each_997th : NULL;
    pair_send(q->p, 0, pkts * PAIR_MSS);
    pipe_run(q, 1);
    pair_assert_done(q->p, 1);
    assert_int_equal(q->dropped > 0, loses);
    return grown_now(q);
}

static void a_window_that_is_not_used_costs_nothing(void **state)
{
    struct grown usual = grown_by(8192, 8192, true), large = grown_by(262144, 8192, true);
    (void)state;
    assert_int_equal(large.sender, usual.sender);
    assert_int_equal(large.receiver, usual.receiver);
}

static void packets_in_order_cost_nothing_however_many(void **state)
{
    struct grown few = grown_by(64, 64, false), many = grown_by(262144, 262144, false);
    (void)state;
    assert_int_equal(many.sender, few.sender);
    assert_int_equal(many.receiver, few.receiver);
}

/* Two bits per packet at the sender, one at the receiver; a small window's are rounded up to whole cache lines. */
static void a_small_window_takes_less(void **state)
{
    struct grown none = grown_by(64, 64, false), small = grown_by(64, 64, true), usual = grown_by(8192, 64, true);
    (void)state;
    assert_int_equal(small.sender - none.sender, 128 + 64);
    assert_int_equal(small.receiver - none.receiver, 64 + 64);
    assert_int_equal(usual.sender - none.sender, 64 + 2 * 8192 / 8 + 64);
    assert_int_equal(usual.receiver - none.receiver, 64 + 8192 / 8 + 64);
}

/* Each size from 2^14 packets to that which holds all in flight; a second message finds them there. */
static void losses_among_many_packets_take_a_bitmap_of_each_size_once(void **state)
{
    struct grown usual = grown_by(262144, 8192, true), large = grown_by(262144, 262144, true);
    const uint64_t bits = (1 << 14) + (1 << 15) + (1 << 16) + (1 << 17) + (1 << 18);
    struct pipe *q = &pipe_;
    (void)state;
    assert_int_equal(large.sender - usual.sender, 2 * bits / 8);
    assert_int_equal(large.receiver - usual.receiver, bits / 8);
    for (uint32_t again = 0; again < 2; again++) {
        pair_send(q->p, 1 + again, 262144 * PAIR_MSS);
        pipe_run(q, 2 + again);
    }
    pair_assert_done(q->p, 3);
    assert_int_equal(grown_now(q).sender, large.sender);
    assert_int_equal(grown_now(q).receiver, large.receiver);
}

static bool passes_but_the_first(struct pipe *q, const struct weir_pkt *pkt)
{
    (void)q;
    return pkt->kind != WEIR_PKT_DATA || pkt->flags & WEIR_PKT_RETX || pkt->seq > 0;
}

/* As where there is no memory for a bitmap at all: the receiver refuses what is too far ahead, the sender forgets what it is
 * told of that, and a timeout finds it again. */
static void without_memory_for_a_larger_bitmap_the_timer_gets_everything_across(void **state)
{
    struct pipe *q = pipe_reset(262144, 30000);
    (void)state;
    pipe_start(q, 0);
    q->passes = passes_but_the_first;
    pair_send(q->p, 0, 50000 * PAIR_MSS);
    while (host_flow_at(q->p->host[0], 0)->board == 0) /* the receiver has 2^15 bits by then, the sender 2^13 */
        pipe_slot(q);
    q->p->mem_limit = q->p->mem_used;
    while (q->p->now_ps < 3 * WEIR_PS_PER_S) { /* and two timeouts */
        pipe_slot(q);
        pipe_skip(q);
    }
    assert_int_equal(weir_host_stats(q->p->host[1])->refused_pkts, 50000 - (1 << 15));
    assert_true(weir_host_stats(q->p->host[0])->timeouts >= 2);
    assert_int_equal(q->p->finishes, 0);
    pair_assert_flow(q->p->host[0], host_flow_at(q->p->host[0], 0));
    q->p->mem_limit = sizeof(pair_mem);
    pipe_run(q, 1);
    pair_assert_done(q->p, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_a_window_is_in_flight),
        cmocka_unit_test(losses_anywhere_in_a_window_are_repaired_once),
        cmocka_unit_test(a_whole_window_that_is_lost_goes_again_after_the_timeout),
        cmocka_unit_test(a_receiver_takes_the_last_packet_of_its_window_and_no_further_one),
        cmocka_unit_test(a_window_that_is_not_used_costs_nothing),
        cmocka_unit_test(packets_in_order_cost_nothing_however_many),
        cmocka_unit_test(a_small_window_takes_less),
        cmocka_unit_test(losses_among_many_packets_take_a_bitmap_of_each_size_once),
        cmocka_unit_test(without_memory_for_a_larger_bitmap_the_timer_gets_everything_across),
    };
    return cmocka_run_group_tests_name("host/window", tests, NULL, NULL);
}
