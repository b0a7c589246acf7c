/* test/unit/host/test_measure.c - round trips that a receiver-driven host measures, what it does not measure, and a
 * time-out that was too short. Times: the way takes 2 us, loss_timeout is 2 ms. */
#include "test/unit/host/swarm_log.h"

enum { LONG = 72001, LONG_PKTS = 50 }; /* all by credit */
#define MS WEIR_PS_PER_MS

static struct swarm *s;
static struct weir_pkt out[64];

static int setup(void **state)
{
    (void)state;
    s = log_reset(2, NULL);
    s->cfg.measured = true;
    swarm_start(s);
    return 0;
}

static struct credit_path *path(uint32_t host, uint32_t peer)
{
    struct host_credit *c = host_credit_of(s->host[host]);
    return host_at(&c->paths, HOST_BLOCK_SHIFT, host_credit_peer(s->host[host], peer)->index);
}

static void request(uint64_t now_ps)
{
    struct weir_pkt pkt = log_control(WEIR_PKT_REQUEST, 0, 1);
    pkt.msg_bytes = LONG;
    log_rx(s, now_ps, pkt);
    assert_int_equal(weir_host_tx(s->host[1], now_ps, out, 64), 1); /* CREDIT for packet 0 */
    assert_int_equal(out[0].kind, WEIR_PKT_CREDIT);
}

static void data(uint64_t now_ps, uint32_t seq, uint32_t flags)
{
    struct weir_pkt pkt = log_data(LONG, 0, seq);
    pkt.flags |= (uint8_t)flags;
    pkt.ack = LOG_FULL * (seq + 1);
    log_rx(s, now_ps, pkt);
    (void)weir_host_tx(s->host[1], now_ps, out, 64);
}

static void both_halves_measure_a_message(void **state)
{
    (void)state;
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(path(0, 1)->tx.srtt_ps, 2 * (LOG_WAY_PS + LOG_CONTROL_PS)); /* REQUEST to CREDIT */
    assert_in_range(path(1, 0)->rx.srtt_ps, 2 * LOG_WAY_PS + LOG_FULL_PS, 3 * LOG_WAY_PS + 2 * LOG_FULL_PS);
    assert_int_equal(path(1, 0)->tx.srtt_ps, 0); /* it sent nothing */
    assert_int_equal(path(0, 1)->rx.srtt_ps, 0);
    log_assert_quiet(s);
}

static void an_unscheduled_message_is_measured_by_its_done(void **state)
{
    (void)state;
    swarm_message(s, 0, 0, 1, 1000);
    swarm_run(s, WEIR_NEVER);
    assert_in_range(path(0, 1)->tx.srtt_ps, 2 * LOG_WAY_PS, 2 * LOG_WAY_PS + LOG_FULL_PS + LOG_CONTROL_PS);
}

static void without_it_nothing_is_measured(void **state)
{
    (void)state;
    s = log_reset(2, NULL);
    swarm_start(s);
    swarm_message(s, 0, 0, 1, LONG);
    swarm_run(s, WEIR_NEVER);
    assert_int_equal(host_credit_of(s->host[1])->paths.count, 0);
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), host_credit_peer(s->host[1], 0)), 2 * MS);
}

/* CREDIT at 1 ms, its DATA at 6 ms: srtt 5, rttvar 2.5, so the time-out is 15 ms. */
static void silence_counts_from_the_measured_round_trip(void **state)
{
    const struct credit_peer *peer;
    (void)state;
    request(MS);
    data(6 * MS, 0, 0);
    peer = host_credit_peer(s->host[1], 0);
    assert_int_equal(path(1, 0)->rx.srtt_ps, 5 * MS);
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), peer), 15 * MS);
    (void)weir_host_tx(s->host[1], 21 * MS - 1, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 0);
    (void)weir_host_tx(s->host[1], 24 * MS, out, 64); /* a check is due every 2 ms */
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), peer), 30 * MS);
}

/* Packet 0 is taken for lost after 2 ms; its first copy comes after 7 ms, the second after 8. */
static void a_second_copy_raises_the_timeout_above_the_silence_seen(void **state)
{
    (void)state;
    request(MS);
    (void)weir_host_tx(s->host[1], 3 * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
    data(8 * MS, 0, 0);
    assert_int_equal(weir_host_stats(s->host[1])->spurious_pkts, 0);
    assert_int_equal(path(1, 0)->rx.raised_ps, 0); /* CREDIT might have been lost */
    assert_int_equal(path(1, 0)->rx.srtt_ps, 0);   /* Karn */
    data(9 * MS, 0, WEIR_PKT_RETX);
    assert_int_equal(weir_host_stats(s->host[1])->spurious_pkts, 1);
    assert_int_equal(path(1, 0)->rx.raised_ps, 21 * MS);
    data(9 * MS, 0, WEIR_PKT_RETX); /* of the same time-out */
    assert_int_equal(weir_host_stats(s->host[1])->spurious_pkts, 2);
    assert_int_equal(path(1, 0)->rx.raised_ps, 21 * MS);
}

static void a_loss_that_was_one_raises_nothing(void **state)
{
    (void)state;
    request(MS);
    (void)weir_host_tx(s->host[1], 3 * MS, out, 64);
    data(8 * MS, 0, WEIR_PKT_RETX);
    assert_int_equal(weir_host_stats(s->host[1])->spurious_pkts, 0);
    assert_int_equal(path(1, 0)->rx.raised_ps, 0);
    assert_int_equal(path(1, 0)->rx.srtt_ps, 0);
}

/* Each time-out doubles the next one, until the packet arrives that was asked for again: not before, and not by halves. */
static void the_back_off_ends_when_a_lost_packet_arrives(void **state)
{
    const struct credit_peer *peer;
    (void)state;
    request(MS);
    data(MS, 0, 0); /* a round trip of nothing, and CREDIT for the next packets */
    peer = host_credit_peer(s->host[1], 0);
    for (uint64_t ms = 3; ms <= 9; ms += 2)
        (void)weir_host_tx(s->host[1], ms * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 2);
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), peer), 8 * MS);
    data(10 * MS, 2, 0); /* a first copy: it had not been lost */
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), peer), 8 * MS);
    data(11 * MS, 1, WEIR_PKT_RETX);
    assert_int_equal(host_credit_silence_ps(host_credit_of(s->host[1]), peer), 2 * MS);
    assert_int_equal(path(1, 0)->rx.srtt_ps, 1); /* Karn */
}

/* The check is due at 3 ms. The world has received all that came until a picosecond before. */
static void a_check_waits_until_what_came_before_it_was_received(void **state)
{
    (void)state;
    request(MS);
    weir_host_heard(s->host[1], 3 * MS - 1, 0);
    (void)weir_host_tx(s->host[1], 10 * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 0);
    assert_int_equal(weir_host_next_ps(s->host[1]), 3 * MS); /* it waits */
    weir_host_heard(s->host[1], 3 * MS, 0);
    (void)weir_host_tx(s->host[1], 11 * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
}

/* CREDIT at 1 ms; 9 of the 10 ms after it this host did not run. */
static void time_in_which_the_host_did_not_run_is_no_silence(void **state)
{
    (void)state;
    request(MS);
    weir_host_heard(s->host[1], 11 * MS, 9 * MS);
    (void)weir_host_tx(s->host[1], 11 * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 0);
    weir_host_heard(s->host[1], 13 * MS, 9 * MS);
    (void)weir_host_tx(s->host[1], 13 * MS, out, 64);
    assert_int_equal(weir_host_stats(s->host[1])->timeouts, 1);
}

/* A message announced at 1 ms is credited at 8 ms, when another one has ended: its silence begins then. */
static void silence_begins_with_the_first_credit(void **state)
{
    struct credit_rx *r;
    (void)state;
    request(MS);
    r = credit_rx_at(host_credit_of(s->host[1]), 0);
    assert_int_equal(r->last_rx_ps, MS);
    for (uint32_t seq = 0; seq < credit_rx_state(r)->granted; seq++)
        data(8 * MS, seq, 0);
    assert_int_equal(r->last_rx_ps, 8 * MS);
    assert_true(credit_rx_state(r)->cum < LONG_PKTS);
}

static void a_forgotten_peer_is_measured_anew(void **state)
{
    (void)state;
    request(MS);
    data(6 * MS, 0, 0);
    weir_host_forget(s->host[1], 7 * MS, 0);
    assert_int_equal(path(1, 0)->rx.srtt_ps, 0);
    assert_true(path(1, 0)->probe_ps == WEIR_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(both_halves_measure_a_message, setup),
        cmocka_unit_test_setup(an_unscheduled_message_is_measured_by_its_done, setup),
        cmocka_unit_test_setup(without_it_nothing_is_measured, setup),
        cmocka_unit_test_setup(silence_counts_from_the_measured_round_trip, setup),
        cmocka_unit_test_setup(a_second_copy_raises_the_timeout_above_the_silence_seen, setup),
        cmocka_unit_test_setup(a_loss_that_was_one_raises_nothing, setup),
        cmocka_unit_test_setup(the_back_off_ends_when_a_lost_packet_arrives, setup),
        cmocka_unit_test_setup(a_check_waits_until_what_came_before_it_was_received, setup),
        cmocka_unit_test_setup(time_in_which_the_host_did_not_run_is_no_silence, setup),
        cmocka_unit_test_setup(silence_begins_with_the_first_credit, setup),
        cmocka_unit_test_setup(a_forgotten_peer_is_measured_anew, setup),
    };
    return cmocka_run_group_tests_name("host/measure", tests, NULL, NULL);
}
