/* test/unit/port/test_visit_host.c - one host, one window, by hand: starts, NIC, arrivals, timers. 1460 B are one full
 * frame of 1538 B, 1230400 ps at 10 Gb/s. */
#include "test/unit/sim_fixture.h"

#define RUN_1MS "run: {warmup: 0 us, measure: 1 ms}\n"

static struct sim_thread *th;
static struct sim_host *host; /* 0; it sends to host 1 */

static void make(const char *text)
{
    th = fix_make(text);
    host = &fix_engine.host[0];
}

static void frames_are_on_the_wire(uint32_t count, const uint64_t *arrival_ps)
{
    const struct weir_pkt *at = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct weir_pkt *pkt = fix_next(host->nic, &at);
        assert_non_null(pkt);
        assert_int_equal(pkt->arrival_ps, arrival_ps[i]);
        assert_int_equal(pkt->wire_bytes, 1538);
        assert_int_equal(pkt->kind, WEIR_PKT_DATA);
    }
    assert_null(fix_next(host->nic, &at));
}

static void a_pulling_nic_takes_a_packet_whenever_it_is_free(void **state)
{
    static const uint64_t arrival_ps[] = { FULL_PS + DELAY_PS, 2 * FULL_PS + DELAY_PS, 3 * FULL_PS + DELAY_PS };
    (void)state;
    make(STAR("2") PERM("4380 B") RUN_1MS);
    assert_int_equal(fix_engine.due_ps[0], 0);
    assert_int_equal(weir_sim_visit_host(th, host, 2000000), 2 * FULL_PS); /* then it is free for the third */
    frames_are_on_the_wire(2, arrival_ps);
    assert_int_equal(th->injected, 2);
    assert_int_equal(weir_sim_visit_host(th, host, 4000000),
                     1000000000); /* the timer is first looked at after rto_min */
    frames_are_on_the_wire(3, arrival_ps);
    assert_int_equal(host->nic->area, (uint64_t)3 * FULL_PS * FULL_PS); /* nothing ever waits in a pulling NIC */
    assert_int_equal(host->nic->bytes, 3 * 1538);
    assert_int_equal(host->nic->free_at_ps, 3 * FULL_PS);
}

/* 7.5 of 10 Gb/s: 1538 B take 1640533 and a third of a picosecond, which is carried on. The switch's port has the line's rate. */
static void a_slower_nic_takes_longer_for_each_frame(void **state)
{
    static const uint64_t arrival_ps[] = { 1640533 + DELAY_PS, 3281066 + DELAY_PS, 4921600 + DELAY_PS };
    (void)state;
    make(STAR("2") "host: {nic_rate: 0.75}\n" PERM("4380 B") RUN_1MS);
    fix_kind_is(host->nic, .serve = SIM_SERVE_PULL, .fraction = true);
    assert_int_equal(weir_sim_visit_host(th, host, 1640533), 1640533);
    (void)weir_sim_visit_host(th, host, 4921600);
    frames_are_on_the_wire(3, arrival_ps);
    assert_int_equal(host->nic->free_at_ps, 4921600);
    assert_int_equal(host->nic->rate_bps, 7500000000);
    assert_int_equal(host->in->rate_bps, 10000000000);
}

/* Its cable is slowed to 8, then to 5 Gb/s: the first changes nothing. 1538 B take 2460800 ps at 5 Gb/s; what is carried is of the NIC. */
static void a_slower_nic_obeys_a_slower_cable(void **state)
{
    static const uint64_t arrival_ps[] = { 1640533 + DELAY_PS, 1640533 + 2460799 + DELAY_PS };
    (void)state;
    make(STAR("2") "host: {nic_rate: 0.75}\n"
                   "fabric: {events: [{time: 0 us, cable: host 0 - switch 0, state: rate, rate: 8 Gbps}, "
                   "{time: 1 us, cable: host 0 - switch 0, state: rate, rate: 5 Gbps}]}\n" PERM("2920 B") RUN_1MS);
    (void)weir_sim_visit_host(th, host, 4921600);
    frames_are_on_the_wire(2, arrival_ps);
}

static void an_unlimited_nic_takes_all_at_once(void **state)
{
    static const uint64_t arrival_ps[] = { FULL_PS + DELAY_PS, 2 * FULL_PS + DELAY_PS, 3 * FULL_PS + DELAY_PS };
    (void)state;
    make(STAR("2") "host: {nic_queue: unlimited}\n" PERM("4380 B") RUN_1MS);
    th->counting = true;
    assert_int_equal(weir_sim_visit_host(th, host, 1), 1000000000);
    frames_are_on_the_wire(3, arrival_ps);
    assert_int_equal(host->nic->backlog_max_ps, 3 * FULL_PS);
    assert_int_equal(host->nic->area, (uint64_t)9 * FULL_PS * FULL_PS);
}

static void a_message_starts_at_its_instant_and_not_before(void **state)
{
    static const uint64_t arrival_ps[] = { 7000000 + FULL_PS + DELAY_PS };
    (void)state;
    make(STAR("2") "traffic: [{kind: permutation, size: 1460 B, start: 7 us}]\n" RUN_1MS);
    assert_int_equal(fix_engine.due_ps[0], 7000000);
    assert_int_equal(weir_sim_visit_host(th, host, 7000000), 7000000);
    assert_int_equal(fix_count(host->nic), 0);
    assert_int_equal(fix_engine.account.shard[0].started, 0);
    (void)weir_sim_visit_host(th, host, 7000001);
    frames_are_on_the_wire(1, arrival_ps);
    assert_int_equal(fix_engine.account.shard[0].started_bytes, 1460);
}

/* doc/model.md [order]: an arrival comes before what the NIC sends at the same instant: the answer leaves at once. */
static void an_arrival_is_answered_at_its_instant(void **state)
{
    struct weir_pkt pkt;
    const struct weir_pkt *at = NULL, *ack;
    (void)state;
    make(STAR("2") PERM("1460 B") RUN_1MS);
    (void)weir_sim_visit_host(th, &fix_engine.host[1], 2000000); /* host 1 sends its message; carried over by hand */
    at = NULL;
    pkt = *fix_next(fix_engine.host[1].nic, &at);
    fix_fly(th, host->in, &pkt, 6460800);
    (void)weir_sim_visit_host(th, host, 6460801);
    at = NULL;
    (void)fix_next(host->nic, &at); /* its own message, at 0 */
    ack = fix_next(host->nic, &at);
    assert_non_null(ack);
    assert_int_equal(ack->kind, WEIR_PKT_ACK);
    assert_int_equal(ack->arrival_ps, 6460800 + ACK_PS + DELAY_PS);
    assert_int_equal(fix_engine.account.shard[0].delivered, 1);
    assert_int_equal(fix_engine.account.shard[0].last_delivery_ps, 6460800);
    assert_int_equal(th->absorbed, 1);
    assert_int_equal(th->hops, 1);
}

/* The cable is down from 500 ns to 9 us: the frame on the wire is lost, the next starts when it is up. */
static void a_pulling_nic_waits_for_its_cable(void **state)
{
    static const uint64_t arrival_ps[] = { 9000000 + FULL_PS + DELAY_PS };
    (void)state;
    make(STAR("2") "fabric: {events: [{time: 500 ns, cable: host 0 - switch 0, state: down}, "
                   "{time: 9 us, cable: host 0 - switch 0, state: up}]}\n" PERM("2920 B") RUN_1MS);
    fix_kind_is(host->nic, .serve = SIM_SERVE_PULL, .cable = true);
    assert_int_equal(weir_sim_visit_host(th, host, 2000000), 9000000);
    assert_int_equal(host->nic->losses, 1);
    assert_int_equal(fix_count(host->nic), 0);
    (void)weir_sim_visit_host(th, host, 9000001);
    frames_are_on_the_wire(1, arrival_ps);
}

#define UNLIMITED(queue)                                                                                               \
    STAR("2")                                                                                                          \
    "host: {nic_queue: unlimited}\n"                                                                                   \
    "fabric: {events: [{time: 500 ns, cable: host 0 - switch 0, state: down, queue: " queue "}, "                      \
    "{time: 9 us, cable: host 0 - switch 0, state: up}]}\n" PERM("2920 B") RUN_1MS

/* Two packets join at 0: one is on the wire at 500 ns, the other waits. */
static void an_unlimited_nic_drops_its_queue_when_its_cable_goes_down(void **state)
{
    (void)state;
    make(UNLIMITED("flush"));
    (void)weir_sim_visit_host(th, host, 400000);
    assert_int_equal(host->nic->waiting_pkts, 1);
    (void)weir_sim_visit_host(th, host, 2000000);
    assert_int_equal(host->nic->waiting_pkts, 0);
    assert_int_equal(host->nic->losses, 1);
    assert_int_equal(host->nic->drops, 1);
}

static void an_unlimited_nic_queues_while_its_cable_is_down(void **state)
{
    static const uint64_t arrival_ps[] = { 9000000 + FULL_PS + DELAY_PS };
    (void)state;
    make(UNLIMITED("wait"));
    fix_kind_is(host->nic, .serve = SIM_SERVE_QUEUE, .cable = true);
    assert_int_equal(weir_sim_visit_host(th, host, 2000000), 9000000);
    assert_int_equal(host->nic->waiting_pkts, 1);
    assert_int_equal(weir_sim_visit_host(th, host, 9000001), 1000000000);
    frames_are_on_the_wire(1, arrival_ps);
    assert_int_equal(host->nic->losses, 1);
}

/* rto_init 100 us after the first transmission, whatever the windows were. */
static void a_timeout_is_a_visit_of_its_own(void **state)
{
    static const uint64_t arrival_ps[] = { FULL_PS + DELAY_PS, 100000000 + FULL_PS + DELAY_PS };
    (void)state;
    make(STAR("2") "host: {rto_min: 50 us, rto_init: 100 us}\n" PERM("1460 B") RUN_1MS);
    assert_int_equal(weir_sim_visit_host(th, host, 2000000), 50000000);
    assert_int_equal(weir_sim_visit_host(th, host, 50000001), 100000000);
    assert_int_equal(fix_count(host->nic), 1);
    (void)weir_sim_visit_host(th, host, 100000001);
    frames_are_on_the_wire(2, arrival_ps);
}

#define VISIT_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VISIT_TEST(a_pulling_nic_takes_a_packet_whenever_it_is_free),
        VISIT_TEST(a_slower_nic_takes_longer_for_each_frame),
        VISIT_TEST(a_slower_nic_obeys_a_slower_cable),
        VISIT_TEST(an_unlimited_nic_takes_all_at_once),
        VISIT_TEST(a_message_starts_at_its_instant_and_not_before),
        VISIT_TEST(an_arrival_is_answered_at_its_instant),
        VISIT_TEST(a_pulling_nic_waits_for_its_cable),
        VISIT_TEST(an_unlimited_nic_queues_while_its_cable_is_down),
        VISIT_TEST(an_unlimited_nic_drops_its_queue_when_its_cable_goes_down),
        VISIT_TEST(a_timeout_is_a_visit_of_its_own),
    };
    return cmocka_run_group_tests_name("sim/visit_host", tests, NULL, NULL);
}
