/* test/unit/coupled/test_lanes.c - the order in which a port of a coupled switch serves virtual lanes. Frames of 1000 B
 * take 800 ns, the cable 2 us. */
#include "test/unit/sim_fixture.h"
#include "coupled/internal.h"

#define TEXT                                                                                                           \
    STAR("4")                                                                                                          \
    "host: {nic_queue: pull}\nfabric: {priorities: 4, pfc: static, loss: 0.0001%}\n" PERM(                             \
        "1 KB") "run: {warmup: 0 us, measure: 1 ms}\n"
#define NS UINT64_C(1000)

enum { ACKS, LANE_0, LANE_1, LANE_2 }; /* classes of the port to host 3 */

static struct sim_thread *th;
static struct sim_link *port;

/* A frame keeps the port busy from 1000 to 1800 ns. Loss, which is none here, keeps the switch on the step-by-step
 * way. */
static int setup(void **state)
{
    struct weir_model *model;
    (void)fix_begin(state);
    model = fix_model(TEXT);
    model->aged_classes = 3;
    assert_int_equal(weir_sim_engine_init(&fix_engine, model, &fix_options, &fix_err), 0);
    fix_has_engine = true;
    th = &fix_engine.thread[0];
    port = fix_port(0, 3);
    return 0;
}

static void fly(uint32_t from, uint32_t class_id, uint32_t seq, uint64_t arrival_ps)
{
    struct weir_pkt pkt = fix_pkt(3, 1000, seq);
    pkt.class_id = WEIR_PKT_CLASS(class_id);
    fix_fly(th, fix_engine.host[from].nic, &pkt, arrival_ps);
}

/* Packets leave one after the other from 1000 ns on. */
static void expect(const uint32_t *seq, uint32_t count)
{
    uint64_t arrival_ps[8];
    for (uint32_t i = 0; i < count; i++)
        arrival_ps[i] = (3800 + i * 800) * NS;
    (void)weir_sim_visit_coupled(th, fix_switch(0), 1000 * NS, 3000 * NS);
    (void)weir_sim_visit_coupled(th, fix_switch(0), 3000 * NS, 5000 * NS);
    fix_on_wire(port, seq, arrival_ps, count);
}

static void the_lane_whose_head_joined_first_is_served(void **state)
{
    static const uint32_t order[] = { 9, 5, 7 };
    (void)state;
    fly(0, LANE_0, 9, 1000 * NS);
    fly(1, LANE_2, 5, 1005 * NS);
    fly(2, LANE_0, 7, 1007 * NS);
    expect(order, 3);
}

static void a_paused_lane_lets_the_next_oldest_go(void **state)
{
    static const uint32_t order[] = { 9, 7 };
    (void)state;
    port->control->closed = 1u << LANE_2;
    fly(0, LANE_0, 9, 1000 * NS);
    fly(1, LANE_2, 5, 1005 * NS);
    fly(2, LANE_0, 7, 1007 * NS);
    expect(order, 2);
    assert_int_equal(port->waiting_pkts, 1);
}

static void heads_of_one_instant_go_in_the_order_of_their_links(void **state)
{
    static const uint32_t order[] = { 9, 5, 6, 7 };
    (void)state;
    fly(0, LANE_1, 9, 1000 * NS);
    fly(2, LANE_0, 7, 1795 * NS);
    fly(0, LANE_2, 5, 1795 * NS);
    fly(1, LANE_1, 6, 1795 * NS);
    expect(order, 4);
}

static void a_lane_keeps_its_own_order(void **state)
{
    static const uint32_t order[] = { 9, 1, 2, 3, 4 };
    (void)state;
    fly(0, LANE_1, 9, 1000 * NS);
    fly(1, LANE_2, 1, 1005 * NS);
    fly(2, LANE_0, 2, 1007 * NS);
    fly(1, LANE_2, 3, 1905 * NS);
    fly(2, LANE_1, 4, 1907 * NS);
    expect(order, 5);
}

static void a_class_above_the_lanes_goes_first(void **state)
{
    static const uint32_t order[] = { 9, 8, 5, 7 };
    (void)state;
    fly(0, LANE_0, 9, 1000 * NS);
    fly(1, LANE_2, 5, 1005 * NS);
    fly(2, LANE_0, 7, 1007 * NS);
    fly(0, ACKS, 8, 1799 * NS);
    expect(order, 4);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, fix_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_lane_whose_head_joined_first_is_served),
        TEST(a_paused_lane_lets_the_next_oldest_go),
        TEST(heads_of_one_instant_go_in_the_order_of_their_links),
        TEST(a_lane_keeps_its_own_order),
        TEST(a_class_above_the_lanes_goes_first),
    };
    return cmocka_run_group_tests_name("sim/lanes", tests, NULL, NULL);
}
