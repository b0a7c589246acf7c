/* test/unit/coupled/test_deferred.c - a coupled switch that changes from deferred-hook windows to step-by-step windows and
 * back, window by window, with packets put on its in-links by hand. Frames of 1000 B take 800 ns, the cable 2 us. */
#include "test/unit/sim_fixture.h"
#include "coupled/internal.h"

#define LOSSLESS(fabric)                                                                                               \
    STAR("4") "host: {nic_queue: pull}\nfabric: {" fabric "}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"
#define NS UINT64_C(1000)

static struct sim_thread *th;

static void fly(uint32_t from, uint32_t class_id, uint32_t seq, uint64_t arrival_ps)
{
    struct weir_pkt pkt = fix_pkt(3, 1000, seq);
    pkt.class_id = WEIR_PKT_CLASS(class_id);
    fix_fly(th, fix_engine.host[from].nic, &pkt, arrival_ps);
}

static uint64_t visit(uint64_t start_ps, uint64_t end_ps)
{
    return weir_sim_visit_coupled(th, fix_switch(0), start_ps, end_ps);
}

static const struct coupled_deferred *deferred(void)
{
    return &fix_switch(0)->coupled->deferred;
}

static void expect_windows(uint64_t deferred_ones, uint64_t step_ones, uint64_t switch_overs)
{
    assert_int_equal(deferred()->windows, deferred_ones);
    assert_int_equal(deferred()->step_windows, step_ones);
    assert_int_equal(deferred()->switch_overs, switch_overs);
}

/* Sends two packets from each of hosts 0 to 2 to host 3, at 1000 and 1800 ns: they leave one after the other from 1000
 * ns on. */
static void fly_six(uint32_t class_id)
{
    for (uint32_t i = 0; i < 6; i++)
        fly(i % 3, class_id, i, (1000 + i / 3 * 800) * NS);
}

static void below_the_threshold_departures_are_known_on_arrival(void **state)
{
    static const uint32_t order[] = { 0, 1, 2, 3, 4, 5 };
    static const uint64_t arrival_ps[] = { 3800 * NS, 4600 * NS, 5400 * NS, 6200 * NS, 7000 * NS, 7800 * NS };
    (void)state;
    th = fix_make(LOSSLESS("pfc: {kind: static, xoff: 2000 B, xon: 1000 B}"));
    fly_six(0);
    assert_int_equal(visit(1000 * NS, 3000 * NS), WEIR_NEVER);
    expect_windows(1, 0, 0);
    fix_on_wire(fix_port(0, 3), order, arrival_ps, 6);
    assert_int_equal(deferred()->held[0], 2000); /* a bound: the first of them has left */
    assert_int_equal(weir_sim_port_backlog_ps(fix_port(0, 3), 2000 * NS), 3800 * NS);
}

/* Sends three more from host 0. At 3000 ns the third of the six is on the wire until 3400, and three wait. Of host 0
 * one is held, and three more would make 4000 B. In fact the first has left when the last arrives, so nothing is
 * paused, and at 5000 ns hooks are deferred again. */
static void fly_three_more(uint32_t class_id)
{
    for (uint32_t i = 0; i < 3; i++)
        fly(0, class_id, 10 + i, (3000 + i * 800) * NS);
}

static void packets_not_yet_sent_are_taken_back_and_sent_again(void **state)
{
    static const uint32_t order[] = { 0, 1, 2, 3, 4, 5, 10, 11, 12 };
    static const uint64_t arrival_ps[] = { 3800 * NS, 4600 * NS, 5400 * NS, 6200 * NS, 7000 * NS,
                                           7800 * NS, 8600 * NS, 9400 * NS, 10200 * NS };
    struct sim_link *port;
    (void)state;
    th = fix_make(LOSSLESS("pfc: {kind: static, xoff: 3999 B, xon: 1000 B}"));
    th->counting = true;
    port = fix_port(0, 3);
    fly_six(0);
    (void)visit(1000 * NS, 3000 * NS);
    fly_three_more(0);
    port->wake[th->parity[port->dst_group]] = WEIR_NEVER; /* as if host 3 had been visited */
    assert_int_equal(visit(3000 * NS, 5000 * NS), 5000 * NS);
    expect_windows(1, 1, 1);
    fix_on_wire(port, order, arrival_ps, 5);
    assert_int_equal(port->wake[th->parity[port->dst_group]],
                     6200 * NS);             /* it is notified again of what was taken back */
    assert_int_equal(port->waiting_pkts, 4); /* 5, 10, 11, 12; and 4 ends just then */
    assert_int_equal(fix_switch(0)->used_bytes, 5000);
    assert_int_equal(deferred()->held[0], 3000);
    /* twice the sum of queue and time, in ns: (2400 + 1600) * 800 + (4000 + 2800) * 1200 + .. */
    assert_int_equal(weir_sim_port_area(port, 5000 * NS), UINT64_C(24320000) * NS * NS);
    assert_int_equal(visit(5000 * NS, 7000 * NS), WEIR_NEVER);
    expect_windows(2, 1, 1);
    fix_on_wire(port, order, arrival_ps, 9);
    assert_int_equal(port->waiting_pkts, 0);
    assert_int_equal(weir_sim_port_area(port, 7000 * NS), UINT64_C(33120000) * NS * NS);
}

/* The same in the lower of two classes; 20 is of the higher one, and leaves next. */
static void undecided_packets_are_taken_back_and_sent_again(void **state)
{
    static const uint32_t first[] = { 20 }, low[] = { 0, 1, 2, 3, 4, 5, 10 };
    static const uint64_t low_ps[] = { 3800 * NS, 4600 * NS, 5400 * NS, 6200 * NS, 7000 * NS, 8600 * NS, 9400 * NS };
    struct sim_link *port;
    const struct weir_pkt *at = NULL, *pkt;
    uint32_t n = 0;
    (void)state;
    th = fix_make(LOSSLESS("priorities: 2, pfc: {kind: static, xoff: 3999 B, xon: 1000 B}"));
    port = fix_port(0, 3);
    fly_six(1);
    assert_int_equal(visit(1000 * NS, 3000 * NS), 3400 * NS);
    assert_int_equal(deferred()->undecided, 3);
    fly_three_more(1);
    fly(1, 0, 20, 4300 * NS);
    assert_int_equal(visit(3000 * NS, 5000 * NS), 5000 * NS);
    expect_windows(1, 1, 1);
    assert_int_equal(port->waiting_pkts, 5); /* 20, 5, 10, 11, 12 */
    assert_int_equal(visit(5000 * NS, 7000 * NS), 7400 * NS);
    expect_windows(2, 1, 1);
    assert_int_equal(deferred()->undecided, 2);
    pkt = fix_next(port, &at);
    assert_int_equal(pkt->seq, first[0]);
    assert_int_equal(pkt->arrival_ps, 7800 * NS);
    assert_null(fix_next(port, &at));
    for (at = NULL; (pkt = fix_next_low(port, &at)) != NULL; n++) {
        assert_int_equal(pkt->seq, low[n]);
        assert_int_equal(pkt->arrival_ps, low_ps[n]);
    }
    assert_int_equal(n, 7);
}

/* 4000 B of host 0 arrive at once, which makes a pause. The switch goes step by step until the resume is sent. */
static void windows_go_step_by_step_while_a_port_is_paused(void **state)
{
    (void)state;
    th = fix_make(LOSSLESS("pfc: {kind: static, xoff: 1999 B, xon: 1000 B}"));
    for (uint32_t i = 0; i < 4; i++)
        fly(i % 2, 0, i, 1000 * NS + i);
    assert_int_equal(visit(1000 * NS, 3000 * NS), 3400 * NS); /* xon: at 3400 2, of host 0, has left */
    expect_windows(0, 1, 0);
    assert_int_equal(visit(3000 * NS, 3300 * NS), 3400 * NS);
    expect_windows(0, 2, 0);
    assert_int_equal(fix_engine.control_count[0].sent, 1);
    assert_int_equal(fix_engine.control_count[1].sent, 1);
    assert_true(sim_control_comes(&fix_engine, 0));
    assert_false(sim_control_comes(&fix_engine, 2));
}

/* The same in two virtual lanes: what waits in both is one FIFO again, the oldest first. */
static void packets_in_virtual_lanes_are_taken_back_and_sent_again(void **state)
{
    static const uint32_t low[] = { 0, 1, 2, 3, 4, 5, 10 };
    struct weir_model *model = fix_model(LOSSLESS("priorities: 3, pfc: {kind: static, xoff: 3999 B, xon: 1000 B}"));
    struct sim_link *port;
    const struct weir_pkt *at = NULL, *pkt;
    uint32_t n = 0;
    (void)state;
    model->aged_classes = 2;
    assert_int_equal(weir_sim_engine_init(&fix_engine, model, &fix_options, &fix_err), 0);
    fix_has_engine = true;
    th = &fix_engine.thread[0];
    port = fix_port(0, 3);
    for (uint32_t i = 0; i < 6; i++)
        fly(i % 3, 2 - i % 2, i, (1000 + i / 3 * 800) * NS);
    assert_int_equal(visit(1000 * NS, 3000 * NS), 3400 * NS);
    expect_windows(1, 0, 0);
    assert_int_equal(deferred()->undecided, 3);
    assert_int_equal(deferred()->held[0 * 3 + 2],
                     1000); /* of host 0 in class 2: packet 0, which has left; packet 3 is of class 1 */
    assert_int_equal(deferred()->held[0 * 3 + 1], 1000);
    for (uint32_t i = 0; i < 4; i++)
        fly(0, 1, 10 + i, (3000 + i * 400) * NS); /* 5000 B of class 1 */
    assert_int_equal(visit(3000 * NS, 5000 * NS), 5000 * NS);
    expect_windows(1, 1, 1);
    assert_int_equal(port->waiting_pkts, 5);
    assert_int_equal(port->port->waiting[2].count, 0);
    assert_int_equal(visit(5000 * NS, 7000 * NS), 7400 * NS);
    for (; n < 7 && (pkt = fix_next_low(port, &at)) != NULL; n++) {
        assert_int_equal(pkt->seq, low[n]);
        assert_int_equal(pkt->arrival_ps, (3800 + n * 800) * NS);
    }
    assert_int_equal(n, 7);
}

/* Tests whether switch 0 of a scenario may defer its hooks. */
static bool can(const char *text)
{
    bool may_defer;
    (void)fix_make(text);
    may_defer = deferred()->port != NULL;
    (void)fix_end(NULL);
    (void)fix_begin(NULL);
    return may_defer;
}

static void some_ports_forbid_deferred_hooks(void **state)
{
    (void)state;
    assert_true(can(LOSSLESS("pfc: static")));
    assert_true(can(LOSSLESS("pfc: static, priorities: 2")));
    assert_true(can(LOSSLESS("pfc: dynamic, ecn: {kmin: 10 KB, kmax: 20 KB, pmax: 10%}")));
    assert_false(can(LOSSLESS("pfc: static, priorities: 3")));
    assert_false(can(LOSSLESS("pfc: static, loss: 1%")));
    assert_false(can(LOSSLESS("pfc: static, priorities: 2, port_buffer: 10 KB")));
    assert_false(can(LOSSLESS("pfc: static, events: [{time: 1 us, cable: host 0 - switch 0, state: down}]")));
    assert_true(can(LOSSLESS("pfc: static, codel: {variant: rfc8289}")));
    assert_false(can(LOSSLESS("pfc: static, priorities: 2, codel: {variant: rfc8289}")));
}

#define LEAVES(protocol, fabric)                                                                                       \
    "topology: {kind: leaf-spine, hosts: 4, racks: 2, spines: 2}\nprotocol: " protocol "\nfabric: {" fabric            \
    ", deflect: on, ecn: {threshold: 1 MB}, pfc: static}\n" PERM("1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"

/* NOTICEs are made class by class, and a port with deferred hooks has all lanes in one FIFO. */
static void switches_that_deflect_may_defer_hooks_with_lanes_too(void **state)
{
    (void)state;
    assert_true(can(LEAVES("dctcp", "priorities: 1")));
    assert_true(can(LEAVES("dctcp", "priorities: 2")));
    assert_true(can(LEAVES("dctcp", "priorities: 2, lanes: 5")));
    assert_false(can(LEAVES("dctcp", "priorities: 3, lanes: 5") "host: {data_class: 2}\n"));
    assert_true(can(LEAVES("rocc", "priorities: 2")));
    assert_false(can(LEAVES("rocc", "priorities: 2, lanes: 5")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(below_the_threshold_departures_are_known_on_arrival, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(packets_not_yet_sent_are_taken_back_and_sent_again, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(undecided_packets_are_taken_back_and_sent_again, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(packets_in_virtual_lanes_are_taken_back_and_sent_again, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(windows_go_step_by_step_while_a_port_is_paused, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(some_ports_forbid_deferred_hooks, fix_begin, fix_end),
        cmocka_unit_test_setup_teardown(switches_that_deflect_may_defer_hooks_with_lanes_too, fix_begin, fix_end),
    };
    return cmocka_run_group_tests_name("sim/deferred", tests, NULL, NULL);
}
