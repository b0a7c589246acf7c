/* test/unit/switch/test_switch.c - one plain switch, called by hand: 10 Gb/s, 800 ps per byte, so a packet of 1000 B takes
 * 800000 ps. Every time is computed by hand from doc/model.md. */
#include "test/unit/switch/switch_fixture.h"

/* ---- times ---- */

static void a_packet_departs_when_it_has_arrived(void **state)
{
    (void)state;
    make_switch(STAR("3") REST);
    assert_int_equal(weir_switch_next_ps(sw), WEIR_NEVER);
    rx(T, 0, 1000, 7);
    sent(0, 7, T, T + KB_PS);
    assert_int_equal(got[0].port, 2);
    assert_int_equal(weir_switch_next_ps(sw), T + KB_PS);
    assert_int_equal(weir_switch_queue_bytes(sw, 2, T), 1000);
    assert_int_equal(weir_switch_queue_bytes(sw, 2, T + KB_PS / 2), 500);
    assert_int_equal(weir_switch_queue_bytes(sw, 2, T + KB_PS - 1), 0); /* less than a byte is left */
    assert_int_equal(weir_switch_used_bytes(sw), 1000);
    weir_switch_run(sw, T + KB_PS);
    assert_int_equal(weir_switch_used_bytes(sw), 0);
    assert_int_equal(weir_switch_next_ps(sw), WEIR_NEVER);
    assert_int_equal(gots, 1);
    /* 2 * integral of b: x * x */
    assert_int_equal(weir_switch_count(sw, 2, T + KB_PS)->area_lo, (uint64_t)KB_PS * KB_PS);
    assert_int_equal(weir_switch_count(sw, 2, T + KB_PS)->bytes, 1000);
}

static void the_second_packet_departs_at_the_end_of_the_first(void **state)
{
    (void)state;
    make_switch(STAR("3") REST);
    rx(T, 0, 1000, 0);
    rx(T + 300000, 1, 500, 1);
    assert_int_equal(gots, 1);
    assert_int_equal(weir_switch_queue_bytes(sw, 2, T + 300000), 1125); /* 625 of the first, and 500 */
    weir_switch_run(sw, T + KB_PS - 1);
    assert_int_equal(gots, 1);
    weir_switch_run(sw, T + KB_PS);
    assert_int_equal(gots, 2);
    sent(1, 1, T + KB_PS, T + KB_PS + KB_PS / 2);
    assert_int_equal(weir_switch_next_ps(sw), T + KB_PS + KB_PS / 2);
    weir_switch_run(sw, T + 10 * KB_PS);
    /* x * (2 b + x) of each: b = 0 and x = 800000, b = 500000 and x = 400000 */
    assert_int_equal(weir_switch_count(sw, 2, T + 10 * KB_PS)->area_lo, 640000000000 + 560000000000);
}

/* Whoever calls late gets the same times: the switch catches up. */
static void a_late_call_changes_no_time(void **state)
{
    (void)state;
    make_switch(STAR("3") REST);
    for (uint32_t i = 0; i < 4; i++)
        rx(T, 0, 1000, i);
    weir_switch_run(sw, T + 100 * KB_PS);
    for (uint32_t i = 0; i < 4; i++)
        sent(i, i, T + i * KB_PS, T + (i + 1) * KB_PS);
}

/* 1000 B at 7 Gb/s take 1142857 1/7 ps: seven of them end after 8 us, not 1 ps earlier. */
static void a_fraction_of_a_picosecond_is_carried(void **state)
{
    (void)state;
    make_switch("topology: {kind: star, hosts: 3, host_link: 7 Gbps, host_delay: 2 us}\n" REST);
    for (uint32_t i = 0; i < 7; i++)
        rx(T, 0, 1000, i);
    weir_switch_run(sw, T + 8000000);
    sent(0, 0, T, T + 1142857);
    sent(6, 6, T + 6857142, T + 8000000);
}

static void a_lower_class_leaves_first_whoever_came_first(void **state)
{
    (void)state;
    make_switch(STAR("3") "fabric: {priorities: 2}\n" REST);
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_switch_pkt *p = packet(2, 1000, i);
        p->pkt.class_id = i < 2;
        assert_true(weir_switch_rx(sw, T, i < 2 ? 0 : 1, p));
    }
    assert_int_equal(gots, 0); /* nothing is decided before the instant is over */
    assert_int_equal(weir_switch_next_ps(sw), T);
    weir_switch_run(sw, T + 2 * KB_PS);
    sent(0, 2, T, T + KB_PS);
    sent(1, 0, T + KB_PS, T + 2 * KB_PS);
    sent(2, 1, T + 2 * KB_PS, T + 3 * KB_PS);
}

/* Two flows with three and two packets, one packet per quantum: they leave one after the other, and the packet that is
 * no DATA before all of them. */
static void queues_are_served_one_packet_each(void **state)
{
    static const uint32_t order[] = { 5, 0, 3, 1, 4, 2 };
    (void)state;
    make_switch(STAR("3") "fabric: {queues: per-flow}\n" REST);
    for (uint32_t i = 0; i < 6; i++) {
        struct weir_switch_pkt *p = packet(2, 1000, i);
        p->pkt.conn = i >= 3;
        if (i == 5)
            p->pkt.kind = WEIR_PKT_ACK;
        assert_true(weir_switch_rx(sw, T, 0, p));
    }
    weir_switch_run(sw, T + 5 * KB_PS);
    for (uint32_t i = 0; i < 6; i++)
        sent(i, order[i], T + i * KB_PS, T + (i + 1) * KB_PS);
}

/* From 5 us on the cable of host 2 carries 5 Gb/s: a frame that starts then or later takes twice as long. */
static void a_slow_cable_counts_from_its_instant_on(void **state)
{
    static const struct {
        uint64_t at_ps, takes_ps;
    } table[] = { { T - 1, KB_PS }, { T, 2 * KB_PS }, { T + 1, 2 * KB_PS } };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        make_switch(STAR("3") "fabric: {events: [{time: 5 us, cable: host 2 - switch 0, state: rate, rate: 5 "
                              "Gbps}]}\n" REST);
        gots = 0;
        rx(table[i].at_ps, 0, 1000, 0);
        sent(0, 0, table[i].at_ps, table[i].at_ps + table[i].takes_ps);
        /* b(t) is work at the full rate: half of it is left after half of the time */
        assert_int_equal(weir_switch_queue_bytes(sw, 2, table[i].at_ps + table[i].takes_ps / 2), 500);
        assert_int_equal(weir_switch_next_ps(sw), table[i].at_ps + table[i].takes_ps);
        if (i < 2)
            (void)end(NULL);
    }
}

/* ---- memory and marks ---- */

/* Memory for 2000 B, 1000 of them in use. */
static void memory_is_full_from_one_byte_too_many_on(void **state)
{
    static const struct {
        uint32_t bytes;
        bool fits;
    } table[] = { { 999, true }, { 1000, true }, { 1001, false } };
    (void)state;
    make_switch(STAR("3") "fabric: {buffer: 2 KB}\n" REST);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t now_ps = T + i * UINT64_C(10) * KB_PS;
        weir_switch_run(sw, now_ps - 1);
        gots = 0;
        rx(now_ps, 0, 1000, 0);
        rx(now_ps, 1, table[i].bytes, 1);
        assert_int_equal(weir_switch_used_bytes(sw), table[i].fits ? 1000 + table[i].bytes : 1000);
        assert_int_equal(gots, table[i].fits ? 1 : 2);
    }
    assert_string_equal(got[1].what, "memory");
    assert_int_equal(got[1].seq, 1);
    assert_int_equal(weir_switch_count(sw, 2, T + 21 * UINT64_C(10) * KB_PS)->drops, 1);
}

/* The gate of ExpressPass: seven credits of 84 B wait, and 672 B may. Data does not ask the gate. */
static void a_gate_is_full_from_one_byte_too_many_on(void **state)
{
    static const struct {
        uint32_t bytes;
        bool fits;
    } table[] = { { 83, true }, { 84, true }, { 85, false } };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_switch_pkt *data;
        make_switch(STAR("3") "protocol: expresspass\n" REST);
        gots = 0;
        for (uint32_t k = 0; k < 7; k++)
            rx(T, 0, 84, k);
        rx(T, 1, table[i].bytes, 7);
        data = packet(2, 1000, 8);
        data->pkt.class_id = 1;
        assert_true(weir_switch_rx(sw, T, 0, data));
        assert_int_equal(gots, !table[i].fits);
        assert_int_equal(weir_switch_used_bytes(sw), 7 * 84 + (table[i].fits ? table[i].bytes : 0) + 1000);
        if (i < 2)
            (void)end(NULL);
    }
    assert_string_equal(got[0].what, "full");
    assert_int_equal(got[0].seq, 7);
    assert_int_equal(weir_switch_count(sw, 2, T + KB_PS)->drops, 1);
}

/* A packet whose transmission ends at t is gone at t. */
static void memory_is_free_at_the_end_of_a_transmission(void **state)
{
    (void)state;
    make_switch(STAR("3") "fabric: {buffer: 2 KB}\n" REST);
    rx(T, 0, 1000, 0);
    rx(T, 0, 1000, 1);
    rx(T + KB_PS - 1, 1, 1000, 2);
    assert_string_equal(got[1].what, "memory");
    rx(T + KB_PS, 1, 1000, 3);
    weir_switch_run(sw, T + 9 * KB_PS);
    sent(3, 3, T + 2 * KB_PS, T + 3 * KB_PS);
}

/* ECT packets get CE if they find 3000 B or more. */
static void a_mark_is_set_from_the_threshold_on(void **state)
{
    static const struct {
        uint32_t found_bytes;
        bool marked;
    } table[] = { { 2999, false }, { 3000, true }, { 3001, true } };
    (void)state;
    make_switch(STAR("3") "fabric: {ecn: {threshold: 3 KB}}\n" REST);
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t now_ps = T + i * UINT64_C(10) * KB_PS;
        bool marked = table[i].marked;
        gots = 0;
        rx(now_ps, 0, table[i].found_bytes, 0);
        rx(now_ps, 1, 100, 1);
        weir_switch_run(sw, now_ps + 9 * KB_PS);
        assert_int_equal(gots, 2 + marked);
        if (marked)
            assert_string_equal(got[1].what, "threshold");
        assert_int_equal((got[gots - 1].flags & WEIR_PKT_CE) != 0, marked);
    }
    assert_int_equal(weir_switch_count(sw, 2, T + 40 * UINT64_C(10) * KB_PS)->marks, 2);
}

/* ---- control frames ---- */

#define PFC STAR("3") "fabric: {buffer: 1 MB, pfc: {kind: static, xoff: 3 KB, xon: 2 KB}}\n" REST

/* Three packets are not above 3000 B, the fourth is. The pause leaves at once by the port that leads back, and takes
 * 84 B. It is taken back when the account of that in-link is below 2000 B: at the end of the third packet. */
static void an_account_above_xoff_pauses_the_other_end(void **state)
{
    (void)state;
    make_switch(PFC);
    for (uint32_t i = 0; i < 4; i++)
        rx(T + i, 0, 1000, i);
    weir_switch_run(sw, T + 3);
    assert_int_equal(gots, 3); /* sent, threshold, control */
    assert_string_equal(got[1].what, "threshold");
    assert_string_equal(got[2].what, "control");
    assert_int_equal(got[2].port, 0);
    assert_int_equal(got[2].at_ps, T + 3);
    assert_int_equal(got[2].end_ps, T + 3 + 84 * 800);
    assert_int_equal(got[2].flags, 1);
    weir_switch_run(sw, T + 3 * KB_PS - 1);
    assert_int_equal(gots, 5);
    weir_switch_run(sw, T + 3 * KB_PS);
    assert_int_equal(gots, 7); /* the resume of the lower port is decided on first */
    assert_string_equal(got[5].what, "control");
    assert_int_equal(got[5].at_ps, T + 3 * KB_PS);
    assert_int_equal(got[5].flags, 0);
    sent(6, 3, T + 3 * KB_PS, T + 4 * KB_PS);
}

/* A pause arrives during a transmission, which ends; the next packet starts when a resume has arrived. */
static void a_paused_class_waits(void **state)
{
    struct weir_switch_pkt *frame;
    uint32_t pfc = 0;
    (void)state;
    make_switch(PFC);
    while (strcmp(su.model.features.on[pfc].row->name, "pfc") != 0)
        pfc++;
    rx(T, 0, 1000, 0);
    rx(T, 0, 1000, 1);
    weir_switch_run(sw, T);
    for (uint32_t code = 2; code-- > 0;) {
        frame = packet(0, 0, 0);
        frame->pkt = (struct weir_pkt){ .flags = WEIR_PKT_FLAGS(code), .msg = pfc };
        weir_switch_control(sw, code == 1 ? T + 100 : T + 5 * KB_PS, 2, frame);
        assert_int_equal(weir_switch_closed(sw, 2), code);
        weir_switch_run(sw, code == 1 ? T + 4 * KB_PS : T + 5 * KB_PS);
    }
    assert_int_equal(gots, 2);
    sent(0, 0, T, T + KB_PS);
    sent(1, 1, T + 5 * KB_PS, T + 6 * KB_PS);
}

/* ---- timers ---- */

/* RoCC's step at 40 us: each of the two flows at port 2 gets one NOTICE, the one in transmission first. They leave by
 * port 0, ahead of DATA of a lower priority that arrives there at the step itself: timers come before decisions. */
static void timers_come_after_arrivals_and_before_decisions(void **state)
{
    enum { STEP = 40000000, NOTICE_PS = 84 * 800 };
    struct weir_switch_pkt *late;
    uint32_t i = 0;
    (void)state;
    make_switch(STAR("3") "protocol: rocc\nfabric: {priorities: 2}\n" REST);
    for (uint32_t k = 0; k < 90; k++) {
        struct weir_switch_pkt *p = packet(2, 1000, k);
        p->pkt.class_id = 1;
        p->pkt.conn = k % 2;
        assert_true(weir_switch_rx(sw, STEP - KB_PS / 2, 0, p));
    }
    weir_switch_run(sw, STEP - 1);
    gots = 0;
    assert_int_equal(weir_switch_timer_ps(sw), STEP);
    late = packet(0, 1000, 100);
    late->pkt.class_id = 1;
    late->pkt.src = 1;
    assert_true(weir_switch_rx(sw, STEP, 1, late));
    weir_switch_run(sw, STEP + 3 * NOTICE_PS);
    for (uint32_t k = 0; k < gots; k++)
        if (got[k].port == 0)
            got[i++] = got[k];
    assert_int_equal(i, 3);
    sent(0, 1, STEP, STEP + NOTICE_PS);
    sent(1, 1, STEP + NOTICE_PS, STEP + 2 * NOTICE_PS);
    sent(2, 100, STEP + 2 * NOTICE_PS, STEP + 2 * NOTICE_PS + KB_PS);
}

/* ---- cables ---- */

static void a_failed_cable_drops_what_waits_or_keeps_it(void **state)
{
    (void)state;
    for (uint32_t flush = 0; flush < 2; flush++) {
        make_switch(STAR("3") "fabric: {events: [{time: 1 s, cable: host 2 - switch 0, state: down}]}\n" REST);
        gots = 0;
        rx(T, 0, 1000, 0);
        rx(T, 0, 1000, 1);
        weir_switch_cable(sw, T + 100, 2, false, flush != 0);
        weir_switch_run(sw, T + 100);
        rx(T + 2 * KB_PS, 0, 1000, 2);
        assert_int_equal(weir_switch_used_bytes(sw), flush ? 0 : 2000);
        weir_switch_cable(sw, T + 9 * KB_PS, 2, true, false);
        weir_switch_run(sw, T + 10 * KB_PS);
        sent(0, 0, T, T + KB_PS); /* the frame on the wire is the caller's to lose */
        assert_int_equal(gots, 3);
        if (flush) {
            assert_string_equal(got[1].what, "flush");
            assert_int_equal(got[1].at_ps, T + 100);
            assert_string_equal(got[2].what, "down");
            (void)end(NULL);
            break;
        }
        sent(1, 1, T + 9 * KB_PS, T + 10 * KB_PS);
        sent(2, 2, T + 10 * KB_PS, T + 11 * KB_PS);
        (void)end(NULL);
    }
    make_switch(STAR("3") REST);
}

/* ---- hosts, pools, routes ---- */

/* A NIC is a node with one port; where it is given its host's queue it serves that as a port does. */
static void a_nic_sends_packet_by_packet_or_all_that_waits(void **state)
{
    (void)state;
    make(STAR("3") REST, 0, 100, true);
    assert_true(weir_switch_is_free(sw, 0));
    for (uint32_t i = 0; i < 3; i++)
        weir_switch_offer(sw, T, 0, packet(2, 1000, i));
    assert_false(weir_switch_is_free(sw, 0));
    weir_switch_run(sw, T + 3 * KB_PS);
    for (uint32_t i = 0; i < 3; i++)
        sent(i, i, T + i * KB_PS, T + (i + 1) * KB_PS);
    assert_true(weir_switch_is_free(sw, 0));
}

static void an_empty_pool_is_reported(void **state)
{
    (void)state;
    make(PFC, 3, 3, false);
    for (uint32_t i = 0; i < 3; i++)
        rx(T + i, 0, 1000, i);
    assert_false(weir_switch_failed(sw));
    rx(T + 3, 0, 1000, 3); /* the first is back in the pool, so this is the third: none is left for the pause */
    assert_true(weir_switch_failed(sw));
    weir_switch_run(sw, T + 9 * KB_PS);
}

static void a_packet_without_a_route_remains_the_callers(void **state)
{
    struct weir_switch_pkt *p;
    (void)state;
    make("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 2 us, core_delay: 2 "
         "us}\n" REST,
         4, 100, false);
    p = packet(3, 1000, 0);
    assert_true(weir_switch_rx(sw, T, 0, p));
    su.topo.link[su.topo.node[4].first_out + 2].up = su.topo.link[su.topo.node[5].first_out + 2].up = false;
    weir_routes_free(&routes);
    assert_int_equal(weir_routes_build(&routes, su.model.topo, su.model.routing, su.model.metric, su.model.seed, &err),
                     0);
    weir_switch_set_routes(sw, &routes);
    p = packet(3, 1000, 1);
    assert_false(weir_switch_rx(sw, T + 1, 0, p));
    weir_switch_pkt_give(&pool, p);
    weir_switch_charge(sw, 0, WEIR_FATE_DROPPED);
    assert_int_equal(weir_switch_count(sw, 0, T + 1)->drops, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_packet_departs_when_it_has_arrived, begin, end),
        cmocka_unit_test_setup_teardown(the_second_packet_departs_at_the_end_of_the_first, begin, end),
        cmocka_unit_test_setup_teardown(a_late_call_changes_no_time, begin, end),
        cmocka_unit_test_setup_teardown(a_fraction_of_a_picosecond_is_carried, begin, end),
        cmocka_unit_test_setup_teardown(a_lower_class_leaves_first_whoever_came_first, begin, end),
        cmocka_unit_test_setup_teardown(queues_are_served_one_packet_each, begin, end),
        cmocka_unit_test_setup_teardown(a_slow_cable_counts_from_its_instant_on, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_full_from_one_byte_too_many_on, begin, end),
        cmocka_unit_test_setup_teardown(a_gate_is_full_from_one_byte_too_many_on, begin, end),
        cmocka_unit_test_setup_teardown(memory_is_free_at_the_end_of_a_transmission, begin, end),
        cmocka_unit_test_setup_teardown(a_mark_is_set_from_the_threshold_on, begin, end),
        cmocka_unit_test_setup_teardown(an_account_above_xoff_pauses_the_other_end, begin, end),
        cmocka_unit_test_setup_teardown(a_paused_class_waits, begin, end),
        cmocka_unit_test_setup_teardown(timers_come_after_arrivals_and_before_decisions, begin, end),
        cmocka_unit_test_setup_teardown(a_failed_cable_drops_what_waits_or_keeps_it, begin, end),
        cmocka_unit_test_setup_teardown(a_nic_sends_packet_by_packet_or_all_that_waits, begin, end),
        cmocka_unit_test_setup_teardown(an_empty_pool_is_reported, begin, end),
        cmocka_unit_test_setup_teardown(a_packet_without_a_route_remains_the_callers, begin, end),
    };
    return cmocka_run_group_tests_name("switch/switch", tests, NULL, NULL);
}
