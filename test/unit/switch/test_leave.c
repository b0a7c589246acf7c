/* test/unit/switch/test_leave.c - decisions of a port at their limits: slow cables, gates, virtual lanes, classes, and the
 * features that are asked when a packet leaves. Times are computed by hand from doc/model.md. */
#include "switch/internal.h"
#include "test/unit/switch/switch_fixture.h"

/* Takes a packet of host `from` for host 2 in a class. */
static void rx_class(uint64_t now_ps, uint32_t from, uint32_t class_id, uint32_t bytes, uint32_t seq)
{
    struct weir_switch_pkt *p = packet(2, bytes, seq);
    p->pkt.src = from & 3;
    p->pkt.class_id = WEIR_PKT_CLASS(class_id);
    assert_true(weir_switch_rx(sw, now_ps, from, p));
}

static void again(void)
{
    (void)end(NULL);
    gots = 0;
}

/* ---- cables ---- */

/* [cables.rate]: 1000 B at 2 Mb/s are work of 4 ms. One bit per second less makes that floor(x * R / r), and one more
 * changes nothing: no link is faster than it was built. */
static void a_cable_is_slow_from_one_bit_per_second_less_on(void **state)
{
    static const uint64_t takes_ps[] = { 4000002000, 4000000000, 4000000000 };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_rate_step step;
        make_switch("topology: {kind: star, hosts: 3, host_link: 2 Mbps, host_delay: 2 us}\nfabric: {events: [{time: 1 "
                    "us, cable: host 2 - switch 0, state: rate, rate: 1 Mbps}]}\n" REST);
        assert_int_equal(su.model.rate_count, 1);
        step = su.model.rate[0];
        step.bps = 1999999 + i;
        su.model.rate = &step;
        rx(T, 0, 1000, 0);
        sent(0, 0, T, T + takes_ps[i]);
        weir_switch_run(sw, T + takes_ps[i]);
        assert_int_equal(weir_switch_used_bytes(sw), 0);
        if (i < 2)
            again();
    }
}

/* ---- gates ---- */

/* [gate.bucket]: 168 B of tokens let two credits of 84 B go, and a third one 84 B of tokens after the first:
 * (84 + 1538) * 800 ps. Frames of data end 1 ps before that, then, and 1 ps later; another one waits. Credit has the
 * higher class. */
static void credit_goes_from_the_instant_on_at_which_its_gate_opens(void **state)
{
    enum { OPENS = T + 1622 * 800, CREDIT_PS = 84 * 800 };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t free_ps = OPENS - 1 + i;
        make_switch(STAR("3") "protocol: expresspass\n" REST);
        for (uint32_t k = 0; k < 3; k++)
            rx_class(T, 0, 0, 84, k);
        rx_class(free_ps - KB_PS, 1, 1, 1000, 3);
        rx_class(free_ps - KB_PS + 1, 1, 1, 1000, 4);
        weir_switch_run(sw, T + 10 * KB_PS);
        sent(0, 0, T, T + CREDIT_PS);
        sent(1, 1, T + CREDIT_PS, T + 2 * CREDIT_PS);
        sent(2, 3, free_ps - KB_PS, free_ps);
        if (i == 0) {
            sent(3, 4, free_ps, free_ps + KB_PS);
            sent(4, 2, free_ps + KB_PS, free_ps + KB_PS + CREDIT_PS);
        } else {
            sent(3, 2, free_ps, free_ps + CREDIT_PS);
            sent(4, 4, free_ps + CREDIT_PS, free_ps + CREDIT_PS + KB_PS);
        }
        if (i < 2)
            again();
    }
}

/* Nothing else waits: the port decides again by itself. */
static void a_port_with_a_gate_wakes_up_when_it_opens(void **state)
{
    enum { OPENS = T + 1622 * 800, CREDIT_PS = 84 * 800 };
    (void)state;
    make_switch(STAR("3") "protocol: expresspass\n" REST);
    for (uint32_t k = 0; k < 3; k++)
        rx_class(T, 0, 0, 84, k);
    weir_switch_run(sw, T + 2 * CREDIT_PS);
    assert_int_equal(gots, 2);
    assert_int_equal(weir_switch_next_ps(sw), OPENS);
    weir_switch_run(sw, OPENS);
    sent(2, 2, OPENS, OPENS + CREDIT_PS);
}

/* ---- virtual lanes ---- */

/* [lanes.order]: classes 1 and 3 are lanes. While a frame leaves, one packet comes for each: which of the two leaves first
 * depends on when they came, at one instant on their in-links, and never on the lane. */
static void the_oldest_lane_is_served_then_that_of_the_lower_link(void **state)
{
    static const struct {
        int64_t low_ps, high_ps; /* when the packet of the lower and the higher lane comes, after T */
        uint32_t low_from, high_from, first;
    } table[] = {
        { 10, 11, 0, 1, 1 },
        { 11, 10, 0, 1, 3 },
        { 10, 10, 0, 1, 1 },
        { 10, 10, 1, 0, 3 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        bool low_comes_first = table[i].low_ps < table[i].high_ps || table[i].first == 1;
        make_switch(STAR("3") "fabric: {priorities: 4, pfc: static}\n" REST);
        su.model.aged_classes = 3;
        rx_class(T, 1, 1, 1000, 0);
        for (uint32_t k = 0; k < 2; k++) {
            if (low_comes_first == (k == 0))
                rx_class(T + (uint64_t)table[i].low_ps, table[i].low_from, 1, 1000, 1);
            else
                rx_class(T + (uint64_t)table[i].high_ps, table[i].high_from, 3, 1000, 3);
        }
        weir_switch_run(sw, T + 3 * KB_PS);
        assert_int_equal(gots, 3);
        sent(1, table[i].first, T + KB_PS, T + 2 * KB_PS);
        sent(2, 4 - table[i].first, T + 2 * KB_PS, T + 3 * KB_PS);
        if (i + 1 < sizeof(table) / sizeof(*table))
            again();
    }
}

/* ---- classes ---- */

/* [join.joined]: min(class_id, classes - 1). So what has class 2 or 3 waits behind what came before in class 1. */
static void a_class_that_a_port_lacks_is_its_last_one(void **state)
{
    (void)state;
    make_switch(STAR("3") "fabric: {priorities: 2}\n" REST);
    rx_class(T, 0, 3, 1000, 0);
    rx_class(T, 0, 2, 1000, 1);
    rx_class(T, 0, 1, 1000, 2);
    rx_class(T, 1, 0, 1000, 3);
    weir_switch_run(sw, T + 4 * KB_PS);
    sent(0, 3, T, T + KB_PS);
    for (uint32_t i = 0; i < 3; i++)
        sent(1 + i, i, T + (1 + i) * KB_PS, T + (2 + i) * KB_PS);
}

/* ---- features that are asked when a packet leaves ---- */

/* At a star a packet passes one switch, so it has room for one record. */
static void a_record_is_written_while_there_is_room(void **state)
{
    (void)state;
    make_switch(STAR("3") "protocol: hpcc\n" REST);
    assert_int_equal(su.model.features.records_max, 1);
    for (uint32_t hops = 0; hops < 2; hops++) {
        struct weir_switch_pkt *p = packet(2, 1000, hops);
        p->pkt.hops = (uint8_t)hops;
        weir_switch_more(p)->hop[0] = weir_switch_more(p)->hop[1] = (struct weir_telemetry){ .ts_ps = 7 };
        assert_true(weir_switch_rx(sw, T + hops * KB_PS, 0, p));
        weir_switch_run(sw, T + hops * KB_PS);
        assert_int_equal(p->pkt.hops, 1);
        assert_int_equal(weir_switch_more(p)->hop[0].ts_ps == 7, hops == 1); /* the full one keeps what it has */
        assert_int_equal(weir_switch_more(p)->hop[1].ts_ps, 7);
    }
}

/* A frame that is lost takes its time on the wire as any other. */
static void a_lost_frame_takes_its_time(void **state)
{
    (void)state;
    make_switch(STAR("3") "fabric: {loss: 1}\n" REST);
    rx(T, 0, 1000, 0);
    assert_int_equal(gots, 1);
    assert_string_not_equal(got[0].what, "sent");
    assert_int_equal(got[0].at_ps, T);
    assert_int_equal(weir_switch_next_ps(sw), T + KB_PS);
    assert_int_equal(weir_switch_used_bytes(sw), 1000);
    weir_switch_run(sw, T + KB_PS);
    assert_int_equal(weir_switch_used_bytes(sw), 0);
    assert_int_equal(weir_switch_count(sw, 2, T + KB_PS)->losses, 1);
    assert_int_equal(weir_switch_count(sw, 2, T + KB_PS)->drops, 0);
}

/* CoDel's program for P4: a packet that has waited 4 us or more is late, and the first late one begins an interval of
 * 30 us. Late ones after its end are marked. 1000 B each, so that packet k waits k * 800 ns: packet 5, which waits 4 us,
 * begins the interval at its start, and the next event is after 30 us: at 4 us + 30 us packet 43 starts at 34.4 us. */
static void what_has_waited_too_long_for_an_interval_is_marked(void **state)
{
    uint32_t first = UINT32_MAX;
    (void)state;
    make_switch(
        STAR("3") "fabric: {ecn: {threshold: 1 GB}, codel: {variant: p4, target: 4 us, interval: 30 us}}\n" REST);
    sink.decided = NULL; /* 50 packets are as many events */
    for (uint32_t k = 0; k < 50; k++)
        rx(T, 0, 1000, k);
    weir_switch_run(sw, T + 50 * (uint64_t)KB_PS);
    assert_int_equal(gots, 50);
    for (uint32_t k = 0; k < 50; k++)
        if (first == UINT32_MAX && (got[k].flags & WEIR_PKT_CE) != 0)
            first = k;
    assert_int_equal(first, 43);
}

/* ---- what a switch holds ---- */

struct held_sum {
    uint32_t count, bytes, of_port[3];
};

static void add_held(void *ctx, const struct weir_switch_held *held)
{
    struct held_sum *sum = ctx;
    assert_true(held->port < 3);
    sum->count++;
    sum->bytes += held->bytes;
    sum->of_port[held->port]++;
}

static void each_packet_that_is_held_is_named_once(void **state)
{
    struct held_sum sum = { .count = 0 };
    struct weir_switch_pkt *p;
    (void)state;
    make_switch(STAR("3") REST);
    rx(T, 0, 1000, 0);
    rx(T, 1, 500, 1);
    p = packet(0, 250, 2);
    assert_true(weir_switch_rx(sw, T, 1, p));
    weir_switch_each(sw, add_held, &sum);
    assert_int_equal(sum.count, 3);
    assert_int_equal(sum.bytes, 1750);
    assert_int_equal(sum.of_port[0], 1);
    assert_int_equal(sum.of_port[2], 2);
    assert_int_equal(weir_switch_queues_bytes(sw, T), 1750);
    assert_int_equal(weir_switch_queues_bytes(sw, T + 200000), 1250); /* both ports have sent 250 B */
}

/* The invariants: what does not hold is named. Each is broken by hand, and mended again. */
static void what_is_broken_is_named(void **state)
{
    struct switch_port *port;
    (void)state;
    make_switch(STAR("3") REST);
    rx(T, 0, 1000, 0);
    rx(T, 0, 1000, 1);
    port = &sw->port[2];
    for (uint32_t i = 0; i < 3; i++) { /* a frame in transmission ends later, now, and 1 ps before */
        sw->now_ps = T + KB_PS - 1 + i;
        assert_int_equal(weir_switch_broken(sw) != NULL, i == 2);
    }
    assert_string_equal(weir_switch_broken(sw), "a transmission outlasted its end");
    sw->now_ps = T;
    for (int by = -1; by <= 1; by += 2) {
        port->waiting_ps += (uint64_t)by;
        assert_string_equal(weir_switch_broken(sw), "a queue does not hold what its counters say");
        port->waiting_ps -= (uint64_t)by;
        port->waiting_pkts += (uint64_t)by;
        assert_string_equal(weir_switch_broken(sw), "a queue does not hold what its counters say");
        port->waiting_pkts -= (uint64_t)by;
        port->class_bytes[WEIR_CLASSES_MAX] += (uint64_t)by;
        assert_string_equal(weir_switch_broken(sw), "a queue does not hold what its counters say");
        port->class_bytes[WEIR_CLASSES_MAX] -= (uint64_t)by;
        port->held_bytes += (uint64_t)by;
        assert_string_equal(weir_switch_broken(sw), "a port does not hold what its counters say");
        port->held_bytes -= (uint64_t)by;
        sw->used_bytes += (uint64_t)by;
        assert_string_equal(weir_switch_broken(sw), "a switch does not hold what its ports hold");
        sw->used_bytes -= (uint64_t)by;
        assert_null(weir_switch_broken(sw));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_cable_is_slow_from_one_bit_per_second_less_on, begin, end),
        cmocka_unit_test_setup_teardown(credit_goes_from_the_instant_on_at_which_its_gate_opens, begin, end),
        cmocka_unit_test_setup_teardown(a_port_with_a_gate_wakes_up_when_it_opens, begin, end),
        cmocka_unit_test_setup_teardown(the_oldest_lane_is_served_then_that_of_the_lower_link, begin, end),
        cmocka_unit_test_setup_teardown(a_class_that_a_port_lacks_is_its_last_one, begin, end),
        cmocka_unit_test_setup_teardown(a_record_is_written_while_there_is_room, begin, end),
        cmocka_unit_test_setup_teardown(a_lost_frame_takes_its_time, begin, end),
        cmocka_unit_test_setup_teardown(what_has_waited_too_long_for_an_interval_is_marked, begin, end),
        cmocka_unit_test_setup_teardown(each_packet_that_is_held_is_named_once, begin, end),
        cmocka_unit_test_setup_teardown(what_is_broken_is_named, begin, end),
    };
    return cmocka_run_group_tests_name("switch/leave", tests, NULL, NULL);
}
