/* test/unit/port/test_visit_switch.c - one switch, one window: which packets it takes, in which order it forwards them,
 * and which it leaves. Packets are put on its in-links by hand. The window of this star is its delay, 2 us. */
#include "test/unit/sim_fixture.h"
#include <stdio.h>

#define FOUR STAR("4") PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"

static struct sim_thread *th;

static struct sim_link *nic(uint32_t host)
{
    return fix_engine.host[host].nic;
}

static void fly(uint32_t from, uint16_t dst, uint32_t seq, uint64_t arrival_ps)
{
    struct weir_pkt pkt = fix_pkt(dst, 1000, seq);
    fix_fly(th, nic(from), &pkt, arrival_ps);
}

static void fly_in_class(uint8_t class_id, uint32_t seq, uint64_t arrival_ps)
{
    struct weir_pkt pkt = fix_pkt(3, 1000, seq);
    pkt.class_id = WEIR_PKT_CLASS(class_id);
    fix_fly(th, nic(0), &pkt, arrival_ps);
}

static uint64_t visit(uint64_t start_ps, uint64_t end_ps)
{
    return weir_sim_visit_switch(th, fix_switch(0), start_ps, end_ps);
}

/* Time first, then in-link, then order on the link; the first starts at once, the others queue behind it. */
static void packets_are_forwarded_by_time_then_by_in_link(void **state)
{
    static const uint32_t order[] = { 5, 1, 3, 4, 2 };
    static const uint64_t arrival_ps[] = { 1000000 + KB_PS + DELAY_PS, 1000000 + 2 * KB_PS + DELAY_PS,
                                           1000000 + 3 * KB_PS + DELAY_PS, 1000000 + 4 * KB_PS + DELAY_PS,
                                           1000000 + 5 * KB_PS + DELAY_PS };
    (void)state;
    th = fix_make(FOUR);
    fly(2, 3, 4, 1000001);
    fly(0, 3, 1, 1000001);
    fly(0, 3, 2, 1000002);
    fly(1, 3, 5, 1000000);
    fly(1, 3, 3, 1000001);
    assert_int_equal(visit(1000000, 3000000), WEIR_NEVER);
    fix_on_wire(fix_port(0, 3), order, arrival_ps, 5);
    assert_int_equal(th->hops, 5);
    assert_int_equal(th->ended, 0);
}

static void an_arrival_at_the_end_of_a_window_belongs_to_the_next(void **state)
{
    (void)state;
    th = fix_make(FOUR);
    fly(0, 3, 1, 2999999);
    fly(0, 3, 2, 3000000);
    fly(1, 3, 3, 4000000);
    assert_int_equal(visit(1000000, 3000000), 3000000);
    assert_int_equal(fix_count(fix_port(0, 3)), 1);
    assert_int_equal(fix_count(nic(0)), 1);
    assert_int_equal(visit(3000000, 5000000), WEIR_NEVER);
    assert_int_equal(fix_count(fix_port(0, 3)), 3);
}

/* A window far from the beginning of time, and one that starts where bits above the 24 of a key are all set. */
static void forwarding_does_not_depend_on_absolute_time(void **state)
{
    static const uint64_t start_ps[] = { 0, UINT64_C(0xffffffffff), UINT64_C(99999999999999999) };
    (void)state;
    th = fix_make(FOUR);
    fix_switch(0)->sample_ps = WEIR_NEVER; /* or it makes up for all of that time */
    for (size_t i = 0; i < 3; i++) {
        uint64_t at = start_ps[i];
        const struct sim_link *out = fix_port(0, 3);
        const struct weir_pkt *before = i > 0 ? out->write[SIM_LANE_FIRST] : NULL;
        fly(1, 3, 2, at + 1999999);
        fly(0, 3, 1, at);
        assert_int_equal(visit(at, at + 2000000), WEIR_NEVER);
        before = before != NULL ? before : out->read[SIM_LANE_FIRST]; /* the first packet makes the FIFO */
        assert_int_equal(before->seq, 1);
        assert_int_equal(before->arrival_ps, at + KB_PS + DELAY_PS);
        assert_int_equal((before + 1)->seq, 2);
        assert_int_equal((before + 1)->arrival_ps, at + 1999999 + KB_PS + DELAY_PS);
    }
}

struct want {
    uint64_t at_ps;
    uint32_t from, seq;
};

static int by_model(const void *a, const void *b)
{
    const struct want *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->seq < y->seq ? -1 : 1;
}

/* Samples 1 us apart, the run's default: one on the way finds what joined before its instant and not what joins at it;
 * one in idle time is taken later. A packet takes 800 ns. */
static void samples_are_taken_during_the_visit(void **state)
{
    const struct weir_histogram *port;
    (void)state;
    th = fix_make(FOUR);
    port = &th->samples.port;
    fly(0, 3, 1, 999999);
    fly(1, 3, 2, 1000000);
    assert_int_equal(visit(500000, 2000000), WEIR_NEVER);
    assert_int_equal(port->total, 4 * 2); /* of four ports, at 0 and at 1 us */
    assert_int_equal(port->max, 999);     /* of the first packet 799999 ps are left */
    weir_sim_sample_rest(th, 2000000);
    assert_int_equal(port->total, 4 * 2);
    weir_sim_sample_rest(th, 2000001);
    assert_int_equal(port->total, 4 * 3);
    assert_int_equal(port->count[weir_histogram_bucket(749)], 1); /* 599999 ps of both */
    assert_int_equal(port->count[0], 4 * 3 - 2);
}

/* What needs decisions, or ends with its last delivery, is sampled where all groups meet. */
static void not_all_samples_are_taken_during_the_visit(void **state)
{
    static const struct {
        const char *text;
        uint64_t meet_ps; /* from one meeting to the next */
    } row[] = {
        { FOUR, WEIR_NEVER },
        { STAR("4") "fabric: {priorities: 2}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n", WEIR_NEVER },
        { STAR("4") "fabric: {priorities: 3}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n", 1000000 },
        { STAR("4") PERM("1 KB") "run: {warmup: 0 us, measure: all}\n", 1000000 },
        { STAR("4") "protocol: sird\nfabric: {priorities: 2}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n",
          10000000 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        th = fix_make(row[i].text);
        assert_true(weir_sim_sample_every(&fix_engine) == row[i].meet_ps);
        assert_int_equal(th->next_sample_ps, row[i].meet_ps == WEIR_NEVER ? WEIR_NEVER : 0);
        assert_int_equal(fix_switch(0)->sample_ps, row[i].meet_ps == 1000000 ? WEIR_NEVER : 0);
        (void)fix_end(NULL);
        (void)fix_begin(NULL);
    }
}

/* Far more packets than the sorting arrays begin with (1024), and then few: buckets grow and shrink from window to
 * window. */
static void any_number_of_packets_comes_out_sorted(void **state)
{
    static const uint32_t counts[] = { 3000, 1, 9, 700, 2, 5000, 4, 1, 1, 1, 60, 2047 };
    static struct want want[5000];
    struct weir_rng rng = { .key = weir_rng_key(17, 0, WEIR_RNG_TEST, 0) };
    (void)state;
    (void)printf("seed 17\n");
    th = fix_make(FOUR);
    for (uint32_t w = 0; w < sizeof(counts) / sizeof(counts[0]); w++) {
        uint64_t start_ps = 1000000000 * (uint64_t)w, last_ps[3] = { 0, 0, 0 };
        const struct weir_pkt *at = fix_port(0, 3)->write[SIM_LANE_FIRST], *pkt;
        for (uint32_t i = 0; i < counts[w]; i++) {
            uint32_t from = weir_rng_below(weir_rng_next(&rng), 3), clump = w % 2 != 0 ? 100 : 2000000;
            uint64_t step_ps = weir_rng_below(weir_rng_next(&rng), 3 * clump / counts[w] + 1);
            last_ps[from] = weir_min_u64(last_ps[from] + step_ps, 1999999); /* many at one picosecond at the end */
            want[i] = (struct want){ start_ps + last_ps[from], from, i };
            fly(from, 3, i, want[i].at_ps);
        }
        qsort(want, counts[w], sizeof(want[0]), by_model);
        assert_int_equal(visit(start_ps, start_ps + 2000000), WEIR_NEVER);
        for (uint32_t i = 0; i < counts[w]; i++) {
            pkt = fix_next(fix_port(0, 3), &at);
            assert_non_null(pkt);
            assert_int_equal(pkt->seq, want[i].seq);
        }
    }
}

static void a_visit_wakes_the_other_end_at_the_first_arrival(void **state)
{
    const struct sim_link *out;
    (void)state;
    th = fix_make(FOUR);
    out = fix_port(0, 3);
    th->due_ps[SIM_GROUP_HOSTS] = WEIR_NEVER;
    fly(0, 3, 1, 1000);
    fly(1, 3, 2, 1001);
    (void)visit(0, 2000000);
    assert_int_equal(out->wake[th->parity[SIM_GROUP_HOSTS]], 1000 + KB_PS + DELAY_PS);
    assert_int_equal(out->wake[th->parity[SIM_GROUP_HOSTS] ^ 1], WEIR_NEVER);
    assert_int_equal(th->due_ps[SIM_GROUP_HOSTS], 1000 + KB_PS + DELAY_PS);
    th->parity[SIM_GROUP_HOSTS] ^= 1; /* the next window brings nothing: nobody is woken */
    (void)visit(2000000, 4000000);
    assert_int_equal(out->wake[th->parity[SIM_GROUP_HOSTS]], WEIR_NEVER);
}

/* Two hosts a side; the cable in between is down from the start, and routes know it. */
static void a_packet_without_a_route_is_dropped_and_counted_at_its_in_link(void **state)
{
    (void)state;
    th = fix_make("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 2 us, "
                  "core_delay: 2 us}\nfabric: {events: [{time: 0 us, cable: switch 0 - switch 1, state: down}]}\n" PERM(
                      "1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    assert_int_equal(fix_engine.reroute_count, 2);
    assert_int_equal(fix_engine.reroute[1].at_ps, 0);
    th->routes = &fix_engine.reroute[1].routes;
    fly(0, 3, 1, 5);
    fly(1, 2, 2, 5);
    fly(1, 0, 3, 6); /* on this side: goes through */
    (void)visit(0, 2000000);
    assert_int_equal(nic(0)->unrouted, 1);
    assert_int_equal(nic(1)->unrouted, 1);
    assert_int_equal(fix_count(fix_port(0, 0)), 1);
    assert_int_equal(th->ended, 2);
    assert_int_equal(th->hops, 3); /* they have arrived here */
}

/* 1000 B join port 3 at 0 and 400 ns: x * x and x * (2b + x) in the measured part, nothing before it. */
static void queue_statistics_cover_the_measured_part_only(void **state)
{
    (void)state;
    th = fix_make(FOUR);
    for (uint32_t measuring = 0; measuring < 2; measuring++) {
        uint64_t at = measuring * UINT64_C(4000000);
        th->counting = measuring != 0;
        fly(0, 3, 1, at);
        fly(0, 3, 2, at + 400000);
        (void)visit(at, at + 2000000);
        assert_true(fix_port(0, 3)->area == measuring * UINT64_C(1920000000000));
        assert_int_equal(fix_port(0, 3)->backlog_max_ps, measuring * 1200000);
        assert_int_equal(fix_port(0, 3)->free_at_ps, at + 2 * KB_PS);
        assert_int_equal(fix_port(0, 3)->bytes, 2000 * (measuring + 1));
    }
}

/* First-hop switch, measured: 1000 B join port 3 at 0 and 400 ns, port 2 at 400 ns: 500 + 1000 + 1000. Later joins find
 * less. */
static void the_largest_sum_over_the_ports_is_exact(void **state)
{
    (void)state;
    th = fix_make(FOUR);
    th->counting = true;
    fix_switch(0)->track_sum = true;
    fly(0, 3, 1, 0);
    fly(0, 3, 2, 400000);
    fly(1, 2, 3, 400000);
    fly(0, 1, 4, 1900000); /* ports 2 and 3 are empty again */
    (void)visit(0, 2000000);
    assert_int_equal(fix_switch(0)->sum_max, 2500);
    assert_int_equal(fix_port(0, 3)->backlog_max_ps, 1200000);
    assert_int_equal(fix_port(0, 2)->backlog_max_ps, 800000);
    fly(0, 1, 5, 2000000); /* 875 + 1000 */
    fly(2, 3, 6, 2000000);
    (void)visit(2000000, 4000000);
    assert_int_equal(fix_switch(0)->sum_max, 2875); /* 1875 on port 1, 1000 on port 3 */
}

static void a_threshold_marks_on_the_fast_path(void **state)
{
    const struct weir_pkt *at = NULL;
    (void)state;
    th = fix_make(STAR("4") "fabric: {ecn: {threshold: 1 KB}}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    fix_kind_is(fix_port(0, 3), .serve = SIM_SERVE_FIFO);
    for (uint32_t i = 0; i < 3; i++) {
        static const uint64_t at_ps[] = { 0, 1, 800000 }; /* find 0 B, 999 B, 1000 B */
        struct weir_pkt pkt = fix_pkt(3, 1000, i);
        pkt.flags = WEIR_PKT_ECT;
        fix_fly(th, nic(0), &pkt, at_ps[i]);
    }
    (void)visit(0, 2000000);
    assert_int_equal(fix_next(fix_port(0, 3), &at)->flags, WEIR_PKT_ECT);
    assert_int_equal(fix_next(fix_port(0, 3), &at)->flags, WEIR_PKT_ECT);
    assert_int_equal(fix_next(fix_port(0, 3), &at)->flags, WEIR_PKT_ECT | WEIR_PKT_CE);
    assert_int_equal(fix_port(0, 3)->marks, 1);
}

/* A port with classes that still has packets waiting when the window ends wants to be visited at its next decision. */
static void a_switch_asks_to_be_visited_when_a_port_decides_next(void **state)
{
    (void)state;
    th = fix_make(STAR("4") "fabric: {priorities: 2}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n");
    for (uint32_t i = 0; i < 5; i++)
        fly_in_class(1, i, i);
    assert_int_equal(visit(0, 2000000), 2400000); /* decisions at 0, 0.8, 1.6 us were made */
    assert_int_equal(fix_count(fix_port(0, 3)), 3);
    assert_int_equal(visit(2000000, 4000000), WEIR_NEVER);
    assert_int_equal(fix_count(fix_port(0, 3)), 5);
}

/* Visits until all is sent; then what is on the wire, of both lanes, is compared by time. */
static void assert_departures(const uint32_t *seq, const uint64_t *start_ps, uint32_t count)
{
    const struct sim_link *out = fix_port(0, 3);
    const struct weir_pkt *at = NULL, *low_at = NULL;
    for (uint64_t at_ps = 0; at_ps < 8000000; at_ps += 2000000)
        (void)visit(at_ps, at_ps + 2000000);
    const struct weir_pkt *first = fix_next(out, &at), *low = fix_next_low(out, &low_at);
    for (uint32_t i = 0; i < count; i++) {
        bool high = low == NULL || (first != NULL && first->arrival_ps < low->arrival_ps);
        const struct weir_pkt *pkt = high ? first : low;
        assert_non_null(pkt);
        assert_int_equal(pkt->seq, seq[i]);
        assert_int_equal(pkt->arrival_ps, start_ps[i] + KB_PS + DELAY_PS);
        if (high)
            first = fix_next(out, &at);
        else
            low = fix_next_low(out, &low_at);
    }
    assert_null(first);
    assert_null(low);
}

#define TWO_CLASSES STAR("4") "fabric: {priorities: 2}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"
#define THREE_CLASSES STAR("4") "fabric: {priorities: 3}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"

/* Of five packets at once the one of the highest class goes first though it joined last; then it never waits: its
 * departure is known when it joins. */
static void the_highest_class_departs_as_soon_as_the_wire_is_free(void **state)
{
    static const char *const text[] = { TWO_CLASSES, THREE_CLASSES };
    static const uint32_t seq[] = { 2, 4, 0, 1, 3 };
    static const uint64_t start_ps[] = { 5, 5 + KB_PS, 5 + 2 * KB_PS, 5 + 3 * KB_PS, 5 + 4 * KB_PS };
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        th = fix_make(text[i]);
        fix_kind_is(fix_port(0, 3), .serve = i == 0 ? SIM_SERVE_LANES : SIM_SERVE_QUEUE);
        fly_in_class(1, 0, 5);
        fly_in_class(1, 1, 5);
        fly_in_class(0, 2, 5);
        fly_in_class(1, 3, 6);
        fly_in_class(0, 4, 7);
        assert_departures(seq, start_ps, 5);
        if (i == 0)
            (void)fix_end(NULL);
    }
}

/* 1000 B take 0.8 us. Packet 0 finds the port idle; 1 waits for it, and is overtaken by 2, which comes just when the
 * wire is free; 3 comes a picosecond too late to overtake 1; 4 finds the port idle again, and so does 5 in the next
 * window. */
static void the_lower_lane_goes_when_nothing_higher_is_there_at_the_decision(void **state)
{
    static const uint32_t seq[] = { 0, 2, 1, 3, 4, 5 };
    static const uint64_t start_ps[] = { 0, KB_PS, 2 * KB_PS, 3 * KB_PS, 5000000, 6500000 };
    (void)state;
    th = fix_make(TWO_CLASSES);
    fly_in_class(1, 0, 0);
    fly_in_class(1, 1, 100);
    fly_in_class(0, 2, KB_PS);
    fly_in_class(0, 3, 2 * KB_PS + 1);
    fly_in_class(1, 4, 5000000);
    fly_in_class(7, 5, 6500000); /* classes beyond the last are the last */
    assert_departures(seq, start_ps, 6);
}

#define VISIT_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VISIT_TEST(packets_are_forwarded_by_time_then_by_in_link),
        VISIT_TEST(an_arrival_at_the_end_of_a_window_belongs_to_the_next),
        VISIT_TEST(forwarding_does_not_depend_on_absolute_time),
        VISIT_TEST(samples_are_taken_during_the_visit),
        VISIT_TEST(not_all_samples_are_taken_during_the_visit),
        VISIT_TEST(any_number_of_packets_comes_out_sorted),
        VISIT_TEST(a_visit_wakes_the_other_end_at_the_first_arrival),
        VISIT_TEST(a_packet_without_a_route_is_dropped_and_counted_at_its_in_link),
        VISIT_TEST(queue_statistics_cover_the_measured_part_only),
        VISIT_TEST(the_largest_sum_over_the_ports_is_exact),
        VISIT_TEST(a_threshold_marks_on_the_fast_path),
        VISIT_TEST(the_highest_class_departs_as_soon_as_the_wire_is_free),
        VISIT_TEST(the_lower_lane_goes_when_nothing_higher_is_there_at_the_decision),
        VISIT_TEST(a_switch_asks_to_be_visited_when_a_port_decides_next),
    };
    return cmocka_run_group_tests_name("sim/visit_switch", tests, NULL, NULL);
}
